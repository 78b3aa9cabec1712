//! What goes into a step besides the state: events, and the environment that makes a step deterministic.

use std::sync::Arc;

use jiff::civil::Date;
use serde_json::Value as Json;

use crate::model::ids::{EventId, InputId};
use crate::model::json::{DataError, Naming, describe, from_json, parse_text};
use crate::model::value::Value;
use crate::model::{Pack, Status};
use crate::registry::Registry;
use crate::state::SessionState;

use super::probe::Probe;

/// What just happened.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// one that is left out. A host that gives the same event many times looks its names up once, by an [`EventForm`].
    ///
    /// # Errors
    /// [`EventError`]: an unknown event, an unknown, missing or ill-typed payload field, an unknown or ill-typed signal.
    pub fn input(registry: &Registry, name: &str, payload: &Json, signals: &Json) -> Result<Self, EventError> {
        let pack = registry.pack();
        let event = known(registry, name)?;
        let declared = &pack.events[event.index()];
        let mut fields = Vec::new();
        let payload = payload.as_object().ok_or_else(|| DataError::new(name, "expected an object"))?;
        for (key, json) in payload {
            let input = pack.names.get(key).and_then(|key| declared.called(key));
            let input = input.ok_or_else(|| {
                let message = match declared.meant(pack, key) {
                    Some(meant) => format!("is no field of event `{name}`; did you mean `{meant}`?"),
                    None => {
                        let known: Vec<&str> = declared.wire.iter().map(|wire| pack.names.text(*wire)).collect();
                        format!("is no field of event `{name}`; fields are: {}", known.join(", "))
                    }
                };
                DataError::new(key, message)
            })?;
            if !json.is_null() {
                fields.push((input, typed(registry, input, json, key)?));
            }
        }
        for ((input, required), wire) in declared.fields.iter().zip(&declared.wire) {
            if *required && !fields.iter().any(|(field, _)| field == input) {
                let null = payload.contains_key(pack.names.text(*wire));
                return Err(demanded(registry, event, *input, if null { "null" } else { "missing" }).into());
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

/// A value as a host has it.
#[derive(Debug, Clone, Copy)]
pub enum HostValue<'a> {
    /// It has none.
    Nothing,
    /// A text; it is read as the declared type asks: a value of an enum, a number, a period.
    Text(&'a str),
    /// JSON, for collections and records too; null is nothing.
    Json(&'a Json),
}

impl<'a> From<&'a str> for HostValue<'a> {
    fn from(text: &'a str) -> Self {
        HostValue::Text(text)
    }
}

impl<'a> From<Option<&'a str>> for HostValue<'a> {
    fn from(text: Option<&'a str>) -> Self {
        text.map_or(HostValue::Nothing, HostValue::Text)
    }
}

impl<'a> From<&'a Json> for HostValue<'a> {
    fn from(json: &'a Json) -> Self {
        HostValue::Json(json)
    }
}

/// The form of an event that a host gives again and again: names are looked up once, and each event is its values in that
/// order. It belongs to the registry that it was made for.
///
/// ```
/// # use segue::engine::{Event, EventForm};
/// # use segue::{declare::Options, load::load, workspace::Workspace};
/// # use serde_json::json;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let files = Workspace::of(".".as_ref())?.pack("assistant")?;
/// # let registry = load(&files, &Options::default()).registry.expect("a pack without errors");
/// let heard = EventForm::new(&registry, "utterance", &["text", "organization_scope"])?;
/// let event = heard.event(&registry, ["show stock".into(), None.into()])?;
/// assert_eq!(event, Event::input(&registry, "utterance", &json!({ "text": "show stock" }), &json!({}))?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventForm {
    event: EventId,
    /// In the order in which values are given: the input, and whether it must have one.
    inputs: Vec<(InputId, bool)>,
}

impl EventForm {
    /// The form of an event with these inputs: payload fields of the event, by their wire names, and signals that the host gives.
    ///
    /// # Errors
    /// [`EventError`]: an unknown event, a name that is neither or stands there twice, a mandatory field that is left out.
    pub fn new(registry: &Registry, event: &str, inputs: &[&str]) -> Result<Self, EventError> {
        let pack = registry.pack();
        let id = known(registry, event)?;
        let fields = &pack.events[id.index()].fields;
        let mut form = Self { event: id, inputs: Vec::with_capacity(inputs.len()) };
        for key in inputs {
            let field = pack.names.get(key).and_then(|key| pack.events[id.index()].called(key));
            let found = match field {
                Some(input) => fields.iter().find(|(field, _)| *field == input).copied(),
                None => pack.input(key).filter(|input| registry.is_signal(*input)).map(|input| (input, false)),
            };
            let found = found.ok_or_else(|| {
                DataError::new(*key, format!("is no field of event `{event}` and no signal that a host may give"))
            })?;
            if form.inputs.contains(&found) {
                return Err(DataError::new(*key, "is named twice").into());
            }
            form.inputs.push(found);
        }
        match fields.iter().find(|field| field.1 && !form.inputs.contains(field)) {
            Some((input, _)) => Err(demanded(registry, id, *input, "missing").into()),
            None => Ok(form),
        }
    }

    /// An event with these values, in the order of the form.
    ///
    /// # Errors
    /// [`EventError`]: a value that does not fit its type, a mandatory one that is missing, too few values or too many.
    pub fn event<'a>(
        &self,
        registry: &Registry,
        values: impl IntoIterator<Item = HostValue<'a>>,
    ) -> Result<Event, EventError> {
        let mut fields = Vec::with_capacity(self.inputs.len());
        let mut values = values.into_iter();
        for (input, required) in &self.inputs {
            match values.next().ok_or_else(|| self.wrong_count(registry, "fewer"))? {
                HostValue::Nothing if *required => {
                    return Err(demanded(registry, self.event, *input, "missing").into());
                }
                HostValue::Json(Json::Null) if *required => {
                    return Err(demanded(registry, self.event, *input, "null").into());
                }
                HostValue::Nothing | HostValue::Json(Json::Null) => {}
                HostValue::Text(text) => fields.push((*input, read(registry, *input, text, self.event)?)),
                HostValue::Json(json) => {
                    fields.push((*input, typed(registry, *input, json, name_of(registry, self.event, *input))?));
                }
            }
        }
        match values.next() {
            Some(_) => Err(self.wrong_count(registry, "more").into()),
            None => Ok(Event::Input { event: self.event, fields }),
        }
    }

    fn wrong_count(&self, registry: &Registry, found: &str) -> DataError {
        let pack = registry.pack();
        let name = pack.names.text(pack.events[self.event.index()].name);
        DataError::new(name, format!("the form has {} values, {found} were given", self.inputs.len()))
    }
}

fn known(registry: &Registry, event: &str) -> Result<EventId, EventError> {
    let pack = registry.pack();
    pack.event(event).ok_or_else(|| EventError::UnknownEvent {
        name: event.into(),
        known: pack.events.iter().map(|event| pack.names.text(event.name)).collect::<Vec<_>>().join(", "),
    })
}

/// A field that the event demands and that is missing or null.
fn demanded(registry: &Registry, event: EventId, input: InputId, found: &str) -> DataError {
    let pack = registry.pack();
    let name = pack.names.text(pack.events[event.index()].name);
    DataError::missing(name_of(registry, event, input), format!("is {found}; event `{name}` demands it"))
}

/// How the host calls an input: a payload field by its wire name, a signal by its own.
fn name_of(registry: &Registry, event: EventId, input: InputId) -> &str {
    let pack = registry.pack();
    pack.names.text(pack.events[event.index()].wire_of(input).unwrap_or(pack.inputs[input.index()].name))
}

fn read(registry: &Registry, input: InputId, text: &str, event: EventId) -> Result<Value, DataError> {
    let pack = registry.pack();
    let ty = &pack.inputs[input.index()].ty;
    parse_text(pack, ty, text)
        .ok_or_else(|| DataError::wrong_type(name_of(registry, event, input), describe(pack, ty), format!("{text:?}")))
}

/// What the host gives under `key`.
fn typed(registry: &Registry, input: InputId, json: &Json, key: &str) -> Result<Value, DataError> {
    let pack = registry.pack();
    let ty = &pack.inputs[input.index()].ty;
    let read = from_json(pack, Naming::Wire, ty, json);
    let read = read.and_then(|value| match registry.contracts.misfit(pack, Naming::Wire, ty, &value) {
        Some(broken) => Err(broken),
        None => Ok(value),
    });
    read.map_err(|error| error.under(key))
}

/// Where fresh ids come from.
pub trait IdSource {
    /// A fresh id; by convention it begins with the prefix. No source gives one twice; one that the session's state holds already is
    /// passed over, and the next one taken.
    fn fresh(&mut self, prefix: &str) -> Arc<str>;
}

/// The ids of a source that a state does not hold.
pub(crate) struct Unheld<'i> {
    pub source: &'i mut dyn IdSource,
    pub pack: &'i Pack,
    pub held: &'i SessionState,
    /// An id that the source has given twice, and that is held.
    pub twice: Option<Arc<str>>,
}

impl IdSource for Unheld<'_> {
    fn fresh(&mut self, prefix: &str) -> Arc<str> {
        let mut passed: Vec<Arc<str>> = Vec::new();
        loop {
            let id = self.source.fresh(prefix);
            if !self.held.holds(self.pack, &id) {
                return id;
            }
            if passed.contains(&id) {
                self.twice = Some(id.clone());
                return id;
            }
            passed.push(id);
        }
    }
}

/// For values of which loading knows that they need no id.
pub(super) struct NoIds;

impl IdSource for NoIds {
    fn fresh(&mut self, prefix: &str) -> Arc<str> {
        prefix.into()
    }
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
    /// Who is told where the step stands.
    pub probe: Option<&'a mut dyn Probe>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::declare::testing::files;
    use crate::declare::{Options, declare};

    #[test]
    fn a_null_is_a_field_or_a_signal_that_is_left_out() {
        let mut files = files();
        let words = &mut files[1].text;
        *words = words
            .replace(
                "text = { type = \"text\" } }",
                "text = { type = \"text\" }, at = { type = \"int\", optional = true } }",
            )
            .into();
        let pack = declare(&files, &Options::default()).pack.expect("a pack");
        let registry = Registry::compile(pack).expect("it compiles");
        let given = |payload: &Json, signals: &Json| {
            Event::input(&registry, "utterance", payload, signals).map_err(|error| error.to_string())
        };
        let nulls = given(&json!({ "text": "x", "at": null }), &json!({ "place": null, "confidence": null }));
        assert_eq!(format!("{nulls:?}"), format!("{:?}", given(&json!({ "text": "x" }), &json!({}))));
        let Ok(Event::Input { fields, .. }) = nulls else { panic!("an input") };
        assert_eq!(fields.len(), 1);
        let error = |payload: &Json, signals: &Json| given(payload, signals).expect_err("refused");
        assert_eq!(error(&json!({ "text": null }), &json!({})), "`text`: is null; event `utterance` demands it");
        assert_eq!(error(&json!({}), &json!({})), "`text`: is missing; event `utterance` demands it");
        assert_eq!(
            error(&json!({ "text": "x" }), &json!({ "colour": null })),
            "`colour`: is no signal of this pack that a host may give"
        );
        assert!(
            error(&json!({ "text": "x", "colour": null }), &json!({})).starts_with("`colour`: is no field of event")
        );
        assert_eq!(error(&Json::Null, &json!({})), "`utterance`: expected an object");
    }
}
