//! What is kept of a session.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, ser};
use serde_json::{Map, Value as Json};

use crate::model::json::document;

/// What is known of a session, whatever becomes of what was said in it (S1 IRW-REQ-03: session id, database, turn count).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Its id: the same for as long as it lasts.
    pub id: String,
    /// The id of its pack.
    pub pack: String,
    /// The fingerprint of the registry under which its state is written.
    pub fingerprint: String,
    /// The version of the saved form of its state.
    pub schema_version: u64,
    /// What the host knows of it, such as the name of a database.
    pub context: Map<String, Json>,
    /// When it was opened, as the host's clock had it then.
    pub opened: String,
    /// When the last event was taken. Nothing is decided by it: a clock may go backwards.
    pub touched: String,
    /// When it was ended.
    pub ended: Option<String>,
    /// How many outside inputs it has taken.
    pub turns: u64,
    /// How many commits it has seen. Whoever writes names the revision that was read: of two only one is right.
    pub revision: u64,
}

/// A call that was made and has not ended: who takes the session up makes it again, under the same id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pending {
    /// The id of the call.
    pub call: String,
    /// The port, with the name of its pack before it where that is one that is used (`gate/classify`).
    pub port: String,
    /// The turn that made it, from 1.
    pub turn: u64,
    /// Its arguments, as the host gets them.
    pub request: Json,
}

/// What one event came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The revision that it led to.
    pub revision: u64,
    /// The turn that it belongs to, from 1.
    pub turn: u64,
    /// When it was taken.
    pub at: String,
    /// The event: `{"event", "with", "signals"}`, or `{"outcome": {"call", "status", "value", "error"}}`.
    pub input: Json,
    /// The class of the last step of the outermost pack.
    pub transition: Option<String>,
    /// The answer mode, where the turn has ended.
    pub answer_mode: Option<String>,
    /// The reasons that were given.
    pub reasons: Vec<String>,
    /// The calls that were made, by their ids.
    pub calls: Vec<String>,
    /// The messages that were sent: `{"message", "with"}`.
    pub messages: Vec<Written>,
}

/// JSON as text: what is only kept need not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written(String);

impl Written {
    pub(crate) fn new(json: String) -> Self {
        Self(json)
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// What it says.
    #[must_use]
    pub fn json(&self) -> Json {
        document(&self.0)
    }
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Written {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::from_str::<Json>(&self.0).map_err(ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Json::deserialize(deserializer).map(|json| Self(json.to_string()))
    }
}

/// A session as a store gives it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// What is known of it.
    pub head: Head,
    /// Its state in the saved form; nothing where the content was given up.
    pub state: Option<String>,
    /// The calls that have not ended, in the order made.
    pub pending: Vec<Pending>,
}

/// What is kept of a session that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Retention {
    /// What is known of it; what was said is given up (S1 "Terminate session").
    #[default]
    Metadata,
    /// All of it.
    Content,
}
