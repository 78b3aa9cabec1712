//! What is to be done about a store, or a session in it, that does not do what it is asked.

use crate::session::{SessionError, StoreError};
use crate::workspace::{Problem, files};

use super::place::Place;

/// What is to be done about a store that is damaged.
const DAMAGED: &str = "; where it is none, name another one; else keep a copy of it, see what `segue sessions check` finds, and go on with a \
                       backup or with a new one";

/// What is to be done about a store that another process holds for long.
const LOCKED: &str = "; try again when that one is done, or end it";

/// Why a store cannot be used, or a session not taken up, and what to do.
pub fn unused(place: &Place, error: impl Into<SessionError>) -> Problem {
    let error = error.into();
    let anew = match error {
        SessionError::Ended { .. } => "; leave `--session` out to begin another one",
        _ => "",
    };
    Problem::new(format!("{place}: {}{anew}", told(&error)))
}

/// What is wrong, and what to do: on one line, whatever an id in it holds.
pub fn told(error: &SessionError) -> String {
    let help = match error {
        SessionError::Store(StoreError::Damaged { .. }) => DAMAGED,
        SessionError::Store(StoreError::Missing { .. }) => "; `segue sessions list` says which there are",
        SessionError::Store(StoreError::Locked { .. }) => LOCKED,
        _ => "",
    };
    files::visible(&format!("{error}{help}"))
}

/// That there is no such session, and what to do.
pub fn missing(place: &Place, id: &str) -> String {
    unused(place, StoreError::Missing { id: id.to_owned() }).message
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
            StoreError::Damaged { .. } => DAMAGED.to_owned(),
            _ => String::new(),
        },
        _ => String::new(),
    };
    files::visible(&format!("{error}: {not}{help}"))
}
