//! Recordings: how dialogues that others have recorded are read, and what is held against the class of a turn.

use std::fmt;

use crate::source::Span;

use super::ids::{ClassId, EventId, InputId, PortId};
use super::value::Value;

/// A form of recorded dialogues: one JSON record a line, each a dialogue. Nothing of it changes what a step does, so it
/// is no part of the pack's fingerprint.
#[derive(Debug, Clone)]
pub struct Recording {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub doc: String,
    /// Where a record says how the dialogue is called.
    pub id: Members,
    /// Where a record says which source it comes from; `None` = it does not say.
    pub source: Option<Members>,
    /// Where the list of turns is; `None` = the record is a dialogue of one turn.
    pub turns: Option<Members>,
    /// The event that each turn is.
    pub event: EventId,
    /// The payload, from members of the turn.
    pub payload: Vec<(InputId, Members)>,
    /// An object of the turn whose members are signals of the host.
    pub signals: Option<Members>,
    /// Members of it that are no signals.
    pub omit: Vec<String>,
    /// An object of the turn: the outcome of the one call that the step leaves open.
    pub outcome: Option<Members>,
    /// What is added to it: the name of a member, and where it is in the next turn of the dialogue.
    pub next: Vec<(String, Members)>,
    /// What each call to a port is answered (ok), always the same: the fields that are given, by their place in its answer.
    pub replies: Vec<(PortId, Vec<(usize, Value)>)>,
    /// What is held against the class of the turn; `None` = nothing is scored.
    pub expected: Option<Expected>,
    /// Where it is written.
    pub span: Span,
}

/// What is held against the class of a turn.
#[derive(Debug, Clone)]
pub struct Expected {
    /// Where the label of the turn is.
    pub class: Members,
    /// Texts of the turn, and their values in the turns that are scored; what has another one is counted and not scored.
    pub only: Vec<(Members, Vec<String>)>,
    /// Where the labels are that the lenient score counts as right too.
    pub accept: Option<Members>,
    /// Labels for which nothing but themselves is right.
    pub strict: Vec<Label>,
    /// Labels that are no class, each with the classes that are right for it.
    pub labels: Vec<(String, Vec<ClassId>)>,
    /// Labels that are also scored as one.
    pub groups: Vec<(String, Vec<Label>)>,
    /// Texts of the turn for each of whose values the scores are also given.
    pub by: Vec<Members>,
}

/// What a turn may be expected to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Label {
    /// A class.
    Class(ClassId),
    /// A position in [`Expected::labels`].
    Named(usize),
}

/// A way through the objects of a record: names of members, written with dots between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Members(Vec<String>);

impl Members {
    /// Reads `signals.outcome`; `None` where a name is empty.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let names: Vec<String> = text.split('.').map(str::to_owned).collect();
        names.iter().all(|name| !name.trim().is_empty()).then_some(Self(names))
    }

    /// The names, outermost first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl fmt::Display for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}
