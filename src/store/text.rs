//! What the stores have in common: rows of texts that bear their digests, and what is made of them.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::digest::Digest;
use crate::session::{Entry, Head, Kept, Pending, StoreError};

/// No call is open.
pub const NOTHING: [Pending; 0] = [];

/// The row of a session, as it stands in a store.
pub struct Row {
    /// The revision, so that it can be compared.
    pub revision: i64,
    /// What is known of it, sealed.
    pub head: String,
    /// Its state, sealed; nothing where it was given up.
    pub state: Option<String>,
    /// The calls that are open, sealed.
    pub pending: String,
}

impl Row {
    /// The session of this id that the row holds; nothing where there is no row.
    pub fn kept(row: Option<Self>, id: &str) -> Result<Kept, StoreError> {
        let Self { revision, head, state, pending } = row.ok_or_else(|| missing(id))?;
        let head = head_of(id, revision, &head)?;
        let state = state.map(|state| opened(id, &state).map(str::to_owned)).transpose()?;
        Ok(Kept { head, state, pending: of_text(id, &pending)? })
    }
}

/// What is known of a session, from its row.
pub fn head_of(id: &str, revision: i64, head: &str) -> Result<Head, StoreError> {
    let head: Head = of_text(id, head)?;
    if number(head.revision)? != revision || head.id != id {
        return Err(StoreError::Damaged { why: format!("the row of session {id} is not what was written") });
    }
    Ok(head)
}

/// The log of a session, from its rows in order: one with gaps is none. `content` says that it was not given up.
pub fn log_of<T: AsRef<str>>(
    head: &Head,
    content: bool,
    rows: impl Iterator<Item = Result<T, StoreError>>,
) -> Result<Vec<Entry>, StoreError> {
    let id = &head.id;
    let entries: Vec<Entry> = rows.map(|row| of_text(id, row?.as_ref())).collect::<Result<_, _>>()?;
    let due = if content { head.revision.saturating_sub(u64::from(head.ended.is_some())) } else { 0 };
    if entries.iter().map(|entry| entry.revision).eq(1..=due) {
        return Ok(entries);
    }
    Err(StoreError::Damaged { why: format!("the log of session {id} has {} entries, not {due}", entries.len()) })
}

/// Why a session was not changed: it stands elsewhere than at the revision before that of `head`, or there is none.
pub fn elsewhere(head: &Head, found: Option<i64>) -> StoreError {
    let (id, expected) = (head.id.clone(), head.revision.saturating_sub(1));
    match found.and_then(|found| u64::try_from(found).ok()) {
        Some(found) => StoreError::Conflict { id, expected, found },
        None => StoreError::Missing { id },
    }
}

pub fn missing(id: &str) -> StoreError {
    StoreError::Missing { id: id.to_owned() }
}

/// A revision as a store counts.
pub fn number(revision: u64) -> Result<i64, StoreError> {
    i64::try_from(revision).map_err(|_| StoreError::Failed { why: format!("revision {revision} is too high") })
}

/// What is written of a session, as text that bears its digest.
pub fn text(id: &str, value: &impl Serialize) -> Result<String, StoreError> {
    let text = serde_json::to_string(value).map_err(|error| StoreError::Failed { why: error.to_string() })?;
    Ok(sealed(id, text))
}

/// What was written of a session as [`text`].
pub fn of_text<T: DeserializeOwned>(id: &str, text: &str) -> Result<T, StoreError> {
    let wrong = |why| StoreError::Damaged { why: format!("a row of session {id} is not readable: {why}") };
    serde_json::from_str(opened(id, text)?).map_err(|error| wrong(error.to_string()))
}

/// A text of a session with its digest behind it.
pub fn sealed(id: &str, mut text: String) -> String {
    let seal = seal(id, &text);
    text.push('\n');
    text.push_str(&seal);
    text
}

/// The text that was sealed.
fn opened<'t>(id: &str, sealed: &'t str) -> Result<&'t str, StoreError> {
    match sealed.rsplit_once('\n') {
        Some((text, digest)) if digest == seal(id, text) => Ok(text),
        _ => Err(StoreError::Damaged { why: format!("a row of session {id} is not what was written") }),
    }
}

fn seal(id: &str, text: &str) -> String {
    let mut digest = Digest::default();
    digest.text(0, id);
    digest.text(1, text);
    digest.hex()
}
