//! What a store does: a few operations, each whole or not at all.

use super::record::{Entry, Head, Kept, Pending, Retention};

/// One event, as it is written.
#[derive(Debug, Clone)]
pub struct Commit<'c> {
    /// What is known of the session from now on. Its revision is one more than the one that was read.
    pub head: &'c Head,
    /// The state in the saved form.
    pub state: String,
    /// What the event came to.
    pub entry: Entry,
    /// All calls that have not ended.
    pub pending: &'c [Pending],
}

/// A place where sessions are kept. Each operation happens whole or not at all, and is kept when it comes back.
pub trait Store {
    /// Takes up a new session.
    ///
    /// # Errors
    /// [`StoreError::Exists`], or that it cannot be written.
    fn create(&self, session: &Kept) -> Result<(), StoreError>;

    /// A session.
    ///
    /// # Errors
    /// [`StoreError::Missing`], or that it cannot be read.
    fn read(&self, id: &str) -> Result<Kept, StoreError>;

    /// Writes an event of a session that stands at the revision before that of the commit.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] where it stands elsewhere, [`StoreError::Missing`], or that it cannot be written. Nothing has changed
    /// then.
    fn commit(&self, commit: Commit<'_>) -> Result<(), StoreError>;

    /// What was taken in a session, in order.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    fn entries(&self, id: &str) -> Result<Vec<Entry>, StoreError>;

    /// What is known of all sessions, by their ids.
    ///
    /// # Errors
    /// That they cannot be read.
    fn list(&self) -> Result<Vec<Head>, StoreError>;

    /// Ends a session that stands at the revision before that of `head`; what is kept of it from then on is said.
    ///
    /// # Errors
    /// As [`commit`](Self::commit).
    fn end(&self, head: &Head, retention: Retention) -> Result<(), StoreError>;

    /// Gives up a session and all that is known of it.
    ///
    /// # Errors
    /// As [`read`](Self::read), or that it cannot be written.
    fn delete(&self, id: &str) -> Result<(), StoreError>;

    /// Whether the store as a whole is sound; each fault that is found, in words. What is wrong with one session is said by
    /// [`read`](Self::read) and [`entries`](Self::entries).
    ///
    /// # Errors
    /// That it cannot be looked through.
    fn faults(&self) -> Result<Vec<String>, StoreError>;
}

impl<S: Store + ?Sized> Store for &S {
    fn create(&self, session: &Kept) -> Result<(), StoreError> {
        (**self).create(session)
    }

    fn read(&self, id: &str) -> Result<Kept, StoreError> {
        (**self).read(id)
    }

    fn commit(&self, commit: Commit<'_>) -> Result<(), StoreError> {
        (**self).commit(commit)
    }

    fn entries(&self, id: &str) -> Result<Vec<Entry>, StoreError> {
        (**self).entries(id)
    }

    fn list(&self) -> Result<Vec<Head>, StoreError> {
        (**self).list()
    }

    fn end(&self, head: &Head, retention: Retention) -> Result<(), StoreError> {
        (**self).end(head, retention)
    }

    fn delete(&self, id: &str) -> Result<(), StoreError> {
        (**self).delete(id)
    }

    fn faults(&self) -> Result<Vec<String>, StoreError> {
        (**self).faults()
    }
}

/// Why a store did not do what it was asked. What it keeps is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Another one has written since.
    #[error("session {id} stands at revision {found}, not at {expected}: another process has gone on with it")]
    Conflict {
        /// The session.
        id: String,
        /// The revision that was read.
        expected: u64,
        /// The revision at which it stands.
        found: u64,
    },
    /// No such session.
    #[error("there is no session {id}")]
    Missing {
        /// The id.
        id: String,
    },
    /// There is one of this id.
    #[error("there is a session {id} already")]
    Exists {
        /// The id.
        id: String,
    },
    /// Another process holds it, for longer than was waited.
    #[error("the store is locked by another process: {why}")]
    Locked {
        /// What the store says.
        why: String,
    },
    /// There is no room.
    #[error("the store cannot grow: {why}; make room on its disk")]
    Full {
        /// What the store says.
        why: String,
    },
    /// It may not be written.
    #[error("the store may not be written: {why}")]
    ReadOnly {
        /// What the store says.
        why: String,
    },
    /// It is not where it was when it was opened: what is written there nobody would find again.
    #[error("the store is gone: {why}")]
    Gone {
        /// What has become of it.
        why: String,
    },
    /// What is in it is no store, or not whole any more.
    #[error("the store is damaged, or is none: {why}")]
    Damaged {
        /// What the store says.
        why: String,
    },
    /// Another version of this program has made it.
    #[error("the store is of version {found}; this program reads {known}")]
    Version {
        /// Its version.
        found: i64,
        /// The version that is read.
        known: i64,
    },
    /// It cannot be reached, or something else goes wrong with it.
    #[error("the store fails: {why}")]
    Failed {
        /// What the store says.
        why: String,
    },
}
