//! What becomes of the sessions of packs: `[session.PACK]`.

use serde_json::{Value as Json, json};

use crate::compose::cascade;
use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean, listed, quoted, suggest};
use crate::engine::{NumberedIds, ended};
use crate::language;
use crate::model::schema::Type;
use crate::registry::Registry;
use crate::scenario::{Clock, env, input_of};
use crate::source::Span;
use crate::state::SessionState;
use crate::syntax::{Field, Node};

/// What is said of the sessions of all packs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sessions(Vec<Said>);

/// What is said of the sessions of a pack.
#[derive(Debug, Clone, PartialEq)]
struct Said {
    pack: (String, Span),
    begin: Option<Node>,
    unwritten: Option<(String, Span)>,
    keep_content: bool,
}

/// What becomes of the sessions of a pack.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Session {
    /// What a new one takes first: the turn key of an event, and its value.
    pub begin: Option<(String, Json)>,
    /// How the pack is told that something could not be written.
    pub unwritten: Option<Unwritten>,
    /// Whether what was said is kept when the pack ends a session.
    pub keep_content: bool,
}

/// The event that tells a pack that something could not be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unwritten {
    /// Its turn key.
    pub key: String,
    /// The wire name of the field that says why, where it has one.
    pub why: Option<String>,
}

impl Unwritten {
    /// Its payload.
    #[must_use]
    pub fn payload(&self, why: &str) -> Json {
        self.why.as_ref().map_or_else(|| json!({}), |field| json!({ field: why }))
    }
}

impl Sessions {
    /// Reads the table under `session`. What is wrong with it goes to the sink of the field.
    #[must_use]
    pub fn read(field: Field<'_>) -> Self {
        let mut all = Vec::new();
        for (pack, field) in field.entries().into_iter().flatten() {
            let Some(reader) = field.table(&language::SESSION) else { continue };
            all.push(Said {
                pack: (pack.key.to_string(), pack.key_span),
                begin: reader.optional("begin").map(|field| field.node.clone()),
                unwritten: reader
                    .optional("unwritten")
                    .and_then(|field| Some((field.word()?.to_owned(), field.span()))),
                keep_content: reader.optional("keep_content").and_then(Field::bool).unwrap_or_default(),
            });
            reader.finish();
        }
        Self(all)
    }

    /// The packs of which something is said, with the place of each.
    pub fn packs(&self) -> impl Iterator<Item = (&str, Span)> {
        self.0.iter().map(|said| (said.pack.0.as_str(), said.pack.1))
    }

    /// What becomes of the sessions of a pack. What is wrong goes to `out`.
    #[must_use]
    pub fn of(&self, pack_name: &str, registry: &Registry, out: &Diagnostics) -> Session {
        let Some(said) = self.0.iter().find(|said| said.pack.0 == pack_name) else { return Session::default() };
        Session {
            begin: said.begin.as_ref().and_then(|node| begin(registry, node, out)),
            unwritten: said.unwritten.as_ref().and_then(|(name, span)| unwritten(registry, name, *span, out)),
            keep_content: said.keep_content,
        }
    }
}

/// An event that a new session goes on after.
fn begin(registry: &Registry, node: &Node, out: &Diagnostics) -> Option<(String, Json)> {
    let (key, value, event) = input_of(registry, node, out)?;
    let (clock, mut ids) = (Clock::default(), NumberedIds::default());
    let mut env = env(&clock, 1, &mut ids);
    let new = SessionState::new(registry.pack());
    let ends = cascade(registry, &new, &event, &mut env).is_ok_and(|done| ended(registry, &done.state, &mut env));
    if ends {
        let message = format!("{} ends the session that begins with it", quoted(&key));
        let help = "name an event after which the session goes on, or leave `begin` out";
        out.push(Diagnostic::error(Code::BadValue, node.span, message).help(help));
        return None;
    }
    Some((key, value))
}

/// An event that needs nothing, or one text.
fn unwritten(registry: &Registry, name: &str, span: Span, out: &Diagnostics) -> Option<Unwritten> {
    let pack = registry.pack();
    let refused = |code: Code, message: String, help: String| {
        out.push(Diagnostic::error(code, span, message).help(help));
        None
    };
    let Some(event) = pack.event(name).map(|event| &pack.events[event.index()]) else {
        let names: Vec<&str> = pack.events.iter().map(|event| pack.names.text(event.name)).collect();
        return refused(Code::UnknownName, format!("{} is no event of this pack", quoted(name)), {
            match suggest(name, names.iter().copied()) {
                Some(near) => did_you_mean(name, near),
                None => format!("events are {}", listed(&names)),
            }
        });
    };
    if event.text.is_some() {
        let message =
            format!("the event {} is what is said: why nothing could be written would be taken for that", quoted(name));
        let help = "name an event that the host alone sends, with one field of type `text`, or with none".to_owned();
        return refused(Code::BadValue, message, help);
    }
    let is_text = |at: usize| pack.inputs[event.fields[at].0.index()].ty == Type::Text;
    let needed: Vec<usize> = (0..event.fields.len()).filter(|at| event.fields[*at].1).collect();
    let texts: Vec<usize> = (0..event.fields.len()).filter(|at| is_text(*at)).collect();
    let why = match (&needed[..], &texts[..]) {
        ([], []) => None,
        ([], [one]) => Some(*one),
        ([one], _) if is_text(*one) => Some(*one),
        _ => {
            let message = format!("the event {} needs more than a text that says why", quoted(name));
            let help = "name an event with one field of type `text`, or with none".to_owned();
            return refused(Code::BadValue, message, help);
        }
    };
    let why = why.map(|at| pack.names.text(event.wire[at]).to_owned());
    Some(Unwritten { key: pack.names.text(event.turn).to_owned(), why })
}
