//! What is to be done about a store, or a session in it, that does not do what it is asked.

use crate::session::{SessionError, StoreError};
use crate::workspace::{Problem, files};

use super::place::Place;

/// Why a store or a session cannot be used, and what to do.
pub fn unused(place: &Place, error: impl Into<SessionError>) -> Problem {
    Problem::new(format!("{place}: {}", told(&error.into())))
}

/// What is wrong, and what to do: on one line, whatever an id in it holds.
pub fn told(error: &SessionError) -> String {
    files::visible(&format!("{error}{}", help(error)))
}

/// That there is no such session, and what to do.
pub fn missing(place: &Place, id: &str) -> String {
    unused(place, StoreError::Missing { id: id.to_owned() }).message
}

/// What to do, where a store is opened or read.
fn help(error: &SessionError) -> &'static str {
    match error {
        SessionError::Store(error) => of_store(error).unwrap_or(match error {
            StoreError::Missing { .. } => "; `segue sessions list` says which there are",
            _ => "",
        }),
        SessionError::Ended { .. } => "; leave `--session` out to begin another one",
        _ => "",
    }
}

/// What to do, whatever was asked of a store.
fn of_store(error: &StoreError) -> Option<&'static str> {
    match error {
        StoreError::Damaged { .. } => Some(
            "; where it is none, name another one; else keep a copy of it, see what `segue sessions check` finds, and go on with a \
             backup or with a new one",
        ),
        _ => None,
    }
}

/// Why a chat that goes on has not written something, what has not happened therefore, and what to do. `quit` is the command that
/// ends the chat, `save` the one that saves what was said.
pub fn unwritten(error: &SessionError, not: &str, quit: &str, save: &str) -> String {
    let anew = format!("`/{quit}` leaves the chat; without `--session` another one begins");
    let help = match error {
        SessionError::Ended { .. } => format!("; another process has ended it, and it takes nothing more: {anew}"),
        SessionError::Store(error) => match error {
            StoreError::Conflict { id, .. } => format!("; `--session {id}` takes it up as it stands there"),
            StoreError::Missing { .. } => format!("; it was taken out of the store meanwhile: {anew}"),
            StoreError::Gone { .. } => format!(
                "; put it back and say it again, or begin with another file; `/{save} FILE` keeps what was said here as a scenario"
            ),
            error => of_store(error).unwrap_or_default().to_owned(),
        },
        _ => String::new(),
    };
    files::visible(&format!("{error}: {not}{help}"))
}
