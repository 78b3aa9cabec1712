//! Where the session of a chat is kept: how it begins there, what is done where it cannot be written, and how it ends.

use crate::cli::advice;
use crate::cli::reading::mended;
use crate::cli::terminal::Terminal;
use crate::engine::IdSource;
use crate::registry::Registry;
use crate::scenario::live::{Conversation, Keeping, Untaken};
use crate::scenario::{Clock, Given};
use crate::session::{Memory, SessionError, Store, StoreError};
use crate::store::Access;
use crate::workspace::{DrawnIds, Problem, files};

use super::{After, Args, Chat, told};

/// Where the session is kept: in a file, or for as long as the chat goes on.
pub fn store_of(args: &Args) -> Result<Box<dyn Store>, Problem> {
    let access = if args.session.is_some() { Access::Existing } else { Access::Write };
    Ok(match &args.store {
        Some(place) => place.open(access)?,
        None => Box::new(Memory::default()),
    })
}

/// The conversation: a new session, or one that is taken up.
pub fn conversation<'r>(
    args: &Args,
    registry: &'r Registry,
    keeping: Keeping<'r>,
    start: Given,
    drawn: Option<DrawnIds>,
    terminal: &mut Terminal,
) -> Result<Conversation<'r>, Problem> {
    let source = drawn.map(|ids| Box::new(ids) as Box<dyn IdSource>);
    let begun = match (&args.session, source) {
        (Some(id), Some(source)) => {
            let clock = Clock { session_id: id.clone(), ..start.clock };
            Conversation::resume(registry, keeping, clock, source)
        }
        (_, source) => Conversation::new(registry, keeping, start, source).map(|new| (new, Vec::new())),
    };
    let (conversation, repaired) = begun.map_err(|error| match &args.store {
        Some(place) => advice::unused(place, error),
        None => Problem::new(error.to_string()),
    })?;
    mended(registry.pack(), &repaired, terminal);
    if args.store.is_some() {
        terminal.err(&format!("session {}\n", files::visible(&conversation.clock().session_id)));
    }
    Ok(conversation)
}

impl Chat<'_, '_> {
    /// Says that something could not be written, and what has not happened therefore.
    pub fn not_written(&mut self, error: &SessionError, not: &str) {
        self.wrong(&advice::unwritten(error, not, &self.word("quit"), &self.word("save")));
    }

    /// Whether the pack is told that something could not be written. Where another process has gone on with the session, or has ended it,
    /// there is nothing to be mended here.
    pub fn tells(&self, error: &SessionError) -> bool {
        let elsewhere = matches!(error, SessionError::Store(StoreError::Conflict { .. }) | SessionError::Ended { .. });
        self.unwritten.is_some() && !elsewhere
    }

    /// Tells the pack that something could not be written, where it wants to be told. What it does about that is in force without being
    /// written: the next event writes it, when there is a store again (S1 IRW-REQ-05, State Synchronization Failures).
    pub fn tell_unwritten(&mut self, error: &SessionError) -> After {
        let Some(unwritten) = self.unwritten.as_ref().filter(|_| self.tells(error)) else { return After::More };
        let (key, value) = (unwritten.key.clone(), unwritten.payload(&error.to_string()));
        self.conversation.hold(true);
        let after = match self.conversation.begin(&key, &value.to_string(), None) {
            Ok(()) => self.outcomes(),
            Err(Untaken::Input(problems)) => {
                self.wrong(&told(&problems));
                After::More
            }
            Err(Untaken::Session(error)) => {
                self.wrong(&error.to_string());
                After::More
            }
        };
        self.conversation.hold(false);
        after
    }

    /// What comes after a turn: the end, where the pack says that the session has come to its end.
    pub fn over(&mut self, after: After) -> After {
        if !self.conversation.has_ended() {
            return after;
        }
        match self.conversation.end(self.retention) {
            Ok(()) => {
                let id = files::visible(&self.conversation.clock().session_id);
                self.note(&format!("session {id} has ended"));
            }
            Err(error) => self.not_written(&error, "the session has not ended"),
        }
        After::Quit
    }
}
