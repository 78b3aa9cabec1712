//! The benchmark's files as they are written: a table of transitions, and sessions of turns with their answers.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Fields of frames, in the order of the file: frame → field → value.
pub type Frames = serde_json::Map<String, serde_json::Value>;

/// `transitions-N.json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// How many transitions there are.
    pub n: usize,
    /// What a session remembers before its first turn.
    pub fresh_state: Frames,
    /// The transitions.
    pub transitions: Vec<Transition>,
}

/// One transition.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transition {
    /// Its id.
    pub id: String,
    /// What it is an instance of.
    pub class: String,
    /// Of which domain.
    pub domain: String,
    /// The frame that owns it.
    pub owner: String,
    /// The highest goes first, of equals the first.
    pub priority: i64,
    /// The kinds of turn it listens to.
    pub events: Vec<String>,
    /// Conditions, all of which must hold: path, test, value.
    pub when: Vec<(String, Test, OneOrMany)>,
    /// Regexes, tried in order on turns with a text.
    pub triggers: Vec<Trigger>,
    /// What it changes.
    pub mutations: Vec<Mutation>,
    /// What kind of answer it gives.
    pub answer_mode: String,
    /// Where the answer comes from; `{tag}` is that of the trigger.
    pub route: String,
    /// Declared carryover; the mutations obey it already.
    #[serde(rename = "preserve")]
    pub _preserve: Vec<String>,
    /// Declared carryover; the mutations obey it already.
    #[serde(rename = "forbid")]
    pub _forbid: Vec<String>,
}

/// How a path is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Test {
    /// It is the value.
    Eq,
    /// It is not the value.
    Ne,
    /// It is one of the values.
    In,
}

/// The value of a test.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    /// Of `eq` and `ne`.
    One(String),
    /// Of `in`.
    Many(Vec<String>),
}

/// A regex and its name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trigger {
    /// Its name.
    pub tag: String,
    /// The regex.
    pub re: String,
}

/// A change of the state. All of a transition read the state before any of them.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase", deny_unknown_fields)]
pub enum Mutation {
    /// Writes a value.
    Set {
        /// The field.
        path: String,
        /// The value.
        value: String,
        /// Only when this path is not empty.
        r#if: Option<String>,
    },
    /// Writes what stands at another path.
    Copy {
        /// The field.
        path: String,
        /// The other path.
        from: String,
        /// Only when this path is not empty.
        r#if: Option<String>,
    },
    /// Empties a frame.
    Clear {
        /// The frame.
        frame: String,
        /// Only when this path is not empty.
        r#if: Option<String>,
    },
}

/// `turns-N.json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turns {
    /// How many transitions there are.
    pub n: usize,
    /// The words that the texts are made of; hand-written peers read them.
    #[serde(rename = "lexicon")]
    pub _lexicon: serde_json::Value,
    /// The sessions.
    pub sessions: Vec<Session>,
}

/// One session.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// Its turns.
    pub turns: Vec<Turn>,
    /// What it must remember after them.
    pub final_state: BTreeMap<String, BTreeMap<String, String>>,
}

/// One turn.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// What the host knows of it.
    pub sig: BTreeMap<String, String>,
    /// The right answer.
    pub expect: Answer,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The transition.
    pub id: String,
    /// The kind of answer.
    pub answer_mode: String,
    /// Where it comes from.
    pub route: String,
}

impl Turns {
    /// The names of what the host knows of a turn, the kind of turn aside.
    #[must_use]
    pub fn signals(&self) -> Vec<String> {
        let turns = self.sessions.iter().flat_map(|session| &session.turns);
        let mut names: Vec<String> =
            turns.flat_map(|turn| turn.sig.keys()).filter(|name| *name != KIND).cloned().collect();
        names.sort();
        names.dedup();
        names
    }
}

impl Turns {
    /// The kinds of turn.
    #[must_use]
    pub fn kinds(&self) -> Vec<String> {
        let turns = self.sessions.iter().flat_map(|session| &session.turns);
        let mut kinds: Vec<String> = turns.filter_map(|turn| turn.sig.get(KIND)).cloned().collect();
        kinds.sort();
        kinds.dedup();
        kinds
    }
}

/// The signal that is the kind of a turn.
pub const KIND: &str = "event";
/// The signal that is what the user said.
pub const TEXT: &str = "text";
/// The kind of turn whose text triggers are tried on.
pub const HEARD: &str = "user";

/// What is answered when no transition fits.
#[must_use]
pub fn nothing() -> Answer {
    Answer { id: "none".into(), answer_mode: "chat".into(), route: "chat.fallback".into() }
}

/// Reads one of the files.
///
/// # Errors
/// What is wrong with it, in words.
pub fn read<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| format!("{name}: {error}"))
}
