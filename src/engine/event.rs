//! What goes into a step besides the state: events, and the environment that makes a step deterministic.

use std::sync::Arc;

use jiff::civil::Date;
use serde_json::Value as Json;

use crate::model::Status;
use crate::model::ids::{EventId, InputId};
use crate::model::json::{DataError, from_json};
use crate::model::value::Value;
use crate::registry::Registry;

/// What just happened.
#[derive(Debug, Clone)]
pub enum Event {
    /// An outside input.
    Input {
        /// Which event of the pack.
        event: EventId,
        /// Its payload, and the signals that the host gives.
        fields: Vec<(InputId, Value)>,
    },
    /// The outcome of a call.
    Outcome {
        /// The id of the call.
        call: Arc<str>,
        /// How it ended.
        status: Status,
        /// What the port answered; read only when the status is ok.
        value: Option<Json>,
        /// What went wrong otherwise.
        error: Option<Arc<str>>,
    },
}

/// An event that the pack does not admit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// No such event.
    #[error("`{name}` is no event of this pack; events are: {known}")]
    UnknownEvent {
        /// The name.
        name: String,
        /// The events of the pack.
        known: String,
    },
    /// A payload or a signal that does not fit.
    #[error(transparent)]
    Data(#[from] DataError),
}

impl Event {
    /// An input event from its payload and the host's signals, both JSON objects. A payload field or a signal that is null is
    /// one that is left out.
    ///
    /// # Errors
    /// [`EventError`]: an unknown event, an unknown, missing or ill-typed payload field, an unknown or ill-typed signal.
    pub fn input(registry: &Registry, name: &str, payload: &Json, signals: &Json) -> Result<Self, EventError> {
        let pack = registry.pack();
        let event = pack.event(name).ok_or_else(|| EventError::UnknownEvent {
            name: name.into(),
            known: pack.events.iter().map(|event| pack.names.text(event.name)).collect::<Vec<_>>().join(", "),
        })?;
        let declared = &pack.events[event.index()];
        let mut fields = Vec::new();
        let payload = payload.as_object().ok_or_else(|| DataError::new(name, "expected an object"))?;
        for (key, json) in payload {
            let input = pack.input(key).filter(|id| declared.fields.iter().any(|(field, _)| field == id));
            let input = input.ok_or_else(|| {
                let known: Vec<&str> =
                    declared.fields.iter().map(|(field, _)| pack.names.text(pack.inputs[field.index()].name)).collect();
                DataError::new(key, format!("is no field of event `{name}`; fields are: {}", known.join(", ")))
            })?;
            if !json.is_null() {
                fields.push((input, typed(registry, input, json, key)?));
            }
        }
        for (input, required) in &declared.fields {
            if *required && !fields.iter().any(|(field, _)| field == input) {
                let key = pack.names.text(pack.inputs[input.index()].name);
                let what = if payload.contains_key(key) { "null" } else { "missing" };
                return Err(DataError::new(key, format!("is {what}; event `{name}` demands it")).into());
            }
        }
        let signals = signals.as_object().ok_or_else(|| DataError::new("signals", "expected an object"))?;
        for (key, json) in signals {
            let input = pack.input(key).filter(|id| registry.is_signal(*id));
            let input = input.ok_or_else(|| DataError::new(key, "is no signal of this pack that a host may give"))?;
            if !json.is_null() {
                fields.push((input, typed(registry, input, json, key)?));
            }
        }
        Ok(Event::Input { event, fields })
    }
}

fn typed(registry: &Registry, input: InputId, json: &Json, key: &str) -> Result<Value, DataError> {
    let pack = registry.pack();
    from_json(pack, &pack.inputs[input.index()].ty, json).map_err(|error| {
        let path = if error.path.is_empty() { key.to_owned() } else { format!("{key}.{}", error.path) };
        DataError::new(path, error.message)
    })
}

/// Where fresh ids come from.
pub trait IdSource {
    /// A fresh id; by convention it begins with the prefix.
    fn fresh(&mut self, prefix: &str) -> Arc<str>;
}

/// Ids that count from 1 for each prefix: `q-1`, `q-2`, `call-1`. What replay uses.
#[derive(Debug, Clone, Default)]
pub struct NumberedIds {
    counts: Vec<(String, u64)>,
}

impl IdSource for NumberedIds {
    fn fresh(&mut self, prefix: &str) -> Arc<str> {
        let prefix = prefix.trim_end_matches('-');
        let at = match self.counts.iter().position(|(known, _)| known == prefix) {
            Some(at) => at,
            None => {
                self.counts.push((prefix.to_owned(), 0));
                self.counts.len() - 1
            }
        };
        self.counts[at].1 += 1;
        format!("{prefix}-{}", self.counts[at].1).into()
    }
}

/// The environment of a step. The engine has no clock and makes no ids: both come from here.
pub struct Env<'a> {
    /// Now, RFC 3339.
    pub now: Arc<str>,
    /// Today, in the user's calendar.
    pub today: Date,
    /// The id of the session.
    pub session_id: Arc<str>,
    /// The id of the turn.
    pub turn_id: Arc<str>,
    /// Where fresh ids come from.
    pub ids: &'a mut dyn IdSource,
    /// Whether the step records its full trace.
    pub trace: bool,
}
