//! Sessions kept in the memory of the process: for tests, and for hosts that lose them when they end.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::record::{Entry, Head, Kept, Retention};
use super::store::{Commit, Store, StoreError};

/// Sessions in memory.
#[derive(Debug, Default)]
pub struct Memory(Mutex<BTreeMap<String, (Kept, Vec<Entry>)>>);

type All<'m> = MutexGuard<'m, BTreeMap<String, (Kept, Vec<Entry>)>>;

impl Memory {
    fn all(&self) -> All<'_> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn missing(id: &str) -> StoreError {
    StoreError::Missing { id: id.to_owned() }
}

/// The session that `head` follows on.
fn at<'a>(all: &'a mut All<'_>, head: &Head) -> Result<&'a mut (Kept, Vec<Entry>), StoreError> {
    let kept = all.get_mut(&head.id).ok_or_else(|| missing(&head.id))?;
    let (expected, found) = (head.revision.saturating_sub(1), kept.0.head.revision);
    if expected == found { Ok(kept) } else { Err(StoreError::Conflict { id: head.id.clone(), expected, found }) }
}

impl Store for Memory {
    fn create(&self, session: &Kept) -> Result<(), StoreError> {
        let mut all = self.all();
        let id = &session.head.id;
        if all.contains_key(id) {
            return Err(StoreError::Exists { id: id.clone() });
        }
        all.insert(id.clone(), (session.clone(), Vec::new()));
        Ok(())
    }

    fn read(&self, id: &str) -> Result<Kept, StoreError> {
        self.all().get(id).map(|(kept, _)| kept.clone()).ok_or_else(|| missing(id))
    }

    fn commit(&self, commit: Commit<'_>) -> Result<(), StoreError> {
        let mut all = self.all();
        let (kept, entries) = at(&mut all, commit.head)?;
        kept.head.clone_from(commit.head);
        kept.state = Some(commit.state);
        kept.pending = commit.pending.to_vec();
        entries.push(commit.entry);
        Ok(())
    }

    fn entries(&self, id: &str) -> Result<Vec<Entry>, StoreError> {
        self.all().get(id).map(|(_, entries)| entries.clone()).ok_or_else(|| missing(id))
    }

    fn list(&self) -> Result<Vec<Head>, StoreError> {
        Ok(self.all().values().map(|(kept, _)| kept.head.clone()).collect())
    }

    fn end(&self, head: &Head, retention: Retention) -> Result<(), StoreError> {
        let mut all = self.all();
        let (kept, entries) = at(&mut all, head)?;
        kept.head.clone_from(head);
        if retention == Retention::Metadata {
            (kept.state, kept.pending) = (None, Vec::new());
            entries.clear();
        }
        Ok(())
    }

    fn delete(&self, id: &str) -> Result<(), StoreError> {
        self.all().remove(id).map(|_| ()).ok_or_else(|| missing(id))
    }

    fn faults(&self) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }
}
