//! A scenario read with its pack at hand: every value typed, every name resolved.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean, quoted, suggest};
use crate::engine::{Env, Event, IdSource, NumberedIds, enforce};
use crate::language;
use crate::model::ids::{ClassId, FrameId, FrameSet, MessageId, ModeId, PortId, Slot};
use crate::model::json::{DataError, Naming};
use crate::model::names::Sym;
use crate::model::schema::NamedType;
use crate::model::uses::PackAt;
use crate::model::value::Value;
use crate::model::{Pack, Status};
use crate::registry::Registry;
use crate::source::Span;
use crate::state::SessionState;
use crate::syntax::{Field, Kind, Node, Reader};

use super::{Clock, Scenario, Spanned, turn, typed};

/// A scenario that can be run.
#[derive(Debug, Clone)]
pub struct Script {
    /// The state before the first turn.
    pub given: SessionState,
    /// Invariants that `given` broke and that were mended as they declare.
    pub repaired: Vec<(PackAt, Sym)>,
    /// The clock and the session.
    pub clock: Clock,
    /// The turns.
    pub turns: Vec<Turn>,
}

/// What the user does, what the host answers, and what is expected.
#[derive(Debug, Clone)]
pub struct Turn {
    /// Where it is written.
    pub span: Span,
    /// One input, or several before a reply.
    pub inputs: Vec<Input>,
    /// Scripted outcomes, in the order in which the calls are made.
    pub calls: Vec<Call>,
    /// What must come of it.
    pub expect: Option<Expect>,
}

/// Something that happens.
#[derive(Debug, Clone)]
pub struct Input {
    /// Where it is written.
    pub span: Span,
    /// How a transcript writes it.
    pub shown: String,
    /// The text that the lexicon reads.
    pub text: Option<String>,
    /// What happens.
    pub happens: Happens,
}

/// What happens.
#[derive(Debug, Clone)]
pub enum Happens {
    /// An event of the pack.
    Event(Event),
    /// The outcome of a call that is open, delivered by hand.
    Outcome {
        /// The call: by its id, or the first open one of a port of a pack.
        of: CallName,
        /// How it ended and with what.
        reply: Reply,
    },
}

/// How a hand-delivered outcome names its call.
#[derive(Debug, Clone)]
pub enum CallName {
    /// By its id (`call-1`).
    Id(Arc<str>),
    /// The first open call of a port of a pack.
    Port(PackAt, PortId),
}

impl CallName {
    /// The id of the call in a state; empty where none to the port is open.
    pub fn id(&self, state: &SessionState) -> Arc<str> {
        match self {
            Self::Id(id) => id.clone(),
            Self::Port(at, port) => {
                let calls = state.at(*at).map(SessionState::open_calls).unwrap_or_default();
                let open = calls.iter().find(|open| open.port == *port);
                open.map_or_else(|| "".into(), |open| open.id.clone())
            }
        }
    }
}

/// How a call ends.
#[derive(Debug, Clone)]
pub struct Reply {
    /// How it ended.
    pub status: Status,
    /// What the port answered.
    pub value: Option<serde_json::Value>,
    /// What went wrong.
    pub error: Option<Arc<str>>,
    /// How the answer breaks the declaration of its port, if it does.
    pub contract: Option<Contract>,
}

/// An answer that breaks the declaration of its port: it reaches the pack as one that failed.
#[derive(Debug, Clone)]
pub struct Contract {
    /// The first thing that is wrong with it, in words.
    pub message: String,
    /// All of it, each at its place: findings where it is not what the scenario is about.
    pub found: Vec<Diagnostic>,
}

/// A scripted call.
#[derive(Debug, Clone)]
pub struct Call {
    /// Where it is written.
    pub span: Span,
    /// The pack that must make it.
    pub pack: PackAt,
    /// The port it must go to.
    pub port: PortId,
    /// Arguments it must have; `Absent` = it must not have it.
    pub with: Vec<Spanned<(Sym, Want)>>,
    /// How it ends; `None` = nothing comes before the next input.
    pub reply: Option<Reply>,
}

/// What a value must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Want {
    /// This value.
    Value(Value),
    /// Any value (true) or none (false).
    Present(bool),
}

/// What a turn must come to.
#[derive(Debug, Clone, Default)]
pub struct Expect {
    /// The class that took the input and the outcome alike.
    pub transition: Option<Spanned<ClassId>>,
    /// The class that took the input.
    pub selected: Option<Spanned<ClassId>>,
    /// The class of the last step.
    pub settled: Option<Spanned<ClassId>>,
    /// The reason of the last step; `None` inside = none.
    pub reason: Option<Spanned<Option<Sym>>>,
    /// All reasons of the turn.
    pub reasons: Option<Spanned<Vec<Sym>>>,
    /// The answer mode; `None` inside = no answer.
    pub answer_mode: Option<Spanned<Option<ModeId>>>,
    /// Fields after the turn.
    pub state: Vec<Spanned<Wanted>>,
    /// Frames dropped, exactly.
    pub dropped: Option<Spanned<FrameSet>>,
    /// Frames carried, exactly.
    pub carried: Option<Spanned<FrameSet>>,
    /// The classes of all steps of the turn, in order, exactly.
    pub steps: Option<Spanned<Vec<(PackAt, ClassId)>>>,
    /// Ports of the host called in the turn, in order, exactly.
    pub calls: Option<Spanned<Vec<(PackAt, PortId)>>>,
    /// Messages, in this order; others may stand between. Empty = none at all.
    pub messages: Option<Spanned<Vec<Spanned<Message>>>>,
    /// Why the last input was refused.
    pub refused: Option<Spanned<Sym>>,
}

/// What a field of a pack must be.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The pack.
    pub pack: PackAt,
    /// The field.
    pub slot: Slot,
    /// In a keyed frame the key of the instance.
    pub key: Option<String>,
    /// What it must be.
    pub value: Want,
}

/// A message that must be sent.
#[derive(Debug, Clone)]
pub struct Message {
    /// The pack that sends it.
    pub pack: PackAt,
    /// Which.
    pub message: MessageId,
    /// Fields it must have.
    pub fields: Vec<(Sym, Want)>,
}

/// Reads a scenario with its pack at hand. Nothing can be run when anything was reported.
///
/// # Errors
/// All that is wrong with it, sorted.
pub fn script(registry: &Registry, scenario: &Scenario) -> Result<Script, Vec<Diagnostic>> {
    let pack = registry.pack();
    let out = Diagnostics::new();
    out.extend(scenario.problems.iter().cloned());
    for covered in &scenario.covers {
        class(pack, &covered.value, covered.span, &out);
    }
    let (given, repaired) = given(registry, scenario, &out);
    let turns = scenario.turns.iter().filter_map(|node| turn::read(registry, node, &out)).collect();
    if !out.is_empty() {
        return Err(out.into_sorted());
    }
    Ok(Script { given, repaired, clock: scenario.env.clone(), turns })
}

/// A file of outcomes: a table whose `calls` are scripted calls, as in a turn.
pub fn outcomes(registry: &Registry, node: &Node, out: &Diagnostics) -> Option<Vec<Call>> {
    let reader = Reader::new(node, &language::SCRIPT, out)?;
    let calls = reader.required("calls").and_then(Field::list)?;
    let calls = calls.filter_map(|field| turn::call(registry, field)).collect();
    reader.finish();
    Some(calls)
}

fn given(registry: &Registry, scenario: &Scenario, out: &Diagnostics) -> (SessionState, Vec<(PackAt, Sym)>) {
    let given = scenario.given.as_ref().and_then(|node| {
        let state = frames(registry.pack(), node, out)?;
        enforced(registry, state, node, &scenario.env, out)
    });
    given.unwrap_or_else(|| (SessionState::new(registry.pack()), Vec::new()))
}

/// A state from a document: the saved form (it has `schema_version`), or frames by short name. With it come the
/// invariants that it broke and that were mended as they declare.
pub fn state_of(
    registry: &Registry,
    node: &Node,
    clock: &Clock,
    out: &Diagnostics,
) -> Option<(SessionState, Vec<(PackAt, Sym)>)> {
    let pack = registry.pack();
    let saved = matches!(&node.kind, Kind::Table(table) if table.get("schema_version").is_some());
    let state = if saved {
        match SessionState::from_json(pack, &typed::json(pack, Naming::Own, None, node)) {
            Ok(state) => state,
            Err(error) => {
                typed::report(node, &error, out);
                return None;
            }
        }
    } else {
        frames(pack, node, out)?
    };
    enforced(registry, state, node, clock, out)
}

/// A state to begin with.
#[derive(Debug, Clone)]
pub struct Given {
    /// The state.
    pub state: SessionState,
    /// The clock and the session that come with it.
    pub clock: Clock,
    /// Invariants that it broke and that were mended as they declare.
    pub repaired: Vec<(PackAt, Sym)>,
}

/// A state from a document: as [`state_of`] reads it, or a file with one scenario, whose `given` and `env` are taken.
pub fn given_of(registry: &Registry, node: &Node, out: &Diagnostics) -> Option<Given> {
    let Kind::Table(table) = &node.kind else {
        return Field::new(node, out).wrong_type("a state (a table)");
    };
    let written = |key: &str| table.get(key).map(|node| &node.kind);
    if !matches!(written("scenario"), Some(Kind::Text(_))) && !matches!(written("scenarios"), Some(Kind::List(_))) {
        let clock = Clock::default();
        let (state, repaired) = state_of(registry, node, &clock, out)?;
        return Some(Given { state, clock, repaired });
    }
    let mut all = Vec::new();
    super::scenarios(node, out, &mut all);
    let [scenario] = all.as_slice() else {
        if out.is_empty() {
            let message = format!("the file holds {} scenarios: which one is meant is not said", all.len());
            out.push(Diagnostic::error(Code::BadValue, node.span, message).help("give a file with one scenario"));
        }
        return None;
    };
    out.extend(scenario.problems.iter().cloned());
    let (state, repaired) = given(registry, scenario, out);
    Some(Given { state, clock: scenario.env.clone(), repaired })
}

/// A state from frames by short name, the rest at their defaults.
fn frames(pack: &Pack, node: &Node, out: &Diagnostics) -> Option<SessionState> {
    let mut fields = Vec::new();
    let (mut whole, before) = (true, out.len());
    state(pack, node, out, &mut |at, node, span| {
        let own = pack.at(at.pack);
        match typed::value(own, Naming::Own, &own.slots[at.slot.index()].ty, node, out) {
            Some(value) => {
                whole &= may_be_given(own, at, span, out);
                if at.key.is_none() {
                    fields.push((at.pack, at.slot, value));
                }
            }
            None => whole = false,
        }
    });
    if !whole || out.len() > before {
        return None;
    }
    // All that is written is known to be read: what is left is whether instances are whole.
    let mut state = match instances(pack, node) {
        Ok(state) => state,
        Err(error) => {
            typed::report(node, &error, out);
            return None;
        }
    };
    for at in pack.all() {
        let own = fields.iter().filter(|(of, ..)| *of == at).map(|(_, slot, value)| (*slot, value.clone()));
        state.put(at, own);
    }
    Some(state)
}

/// Whether a state to begin with may say what a field is: all but what follows from the instances that it has.
fn may_be_given(pack: &Pack, at: At<'_>, span: Span, out: &Diagnostics) -> bool {
    let Some(keyed) = pack.keyed_at(at.slot).filter(|keyed| keyed.is_fact(at.slot) && keyed.ended() != at.slot) else {
        return true;
    };
    let name = pack.names.text(pack.slots[at.slot.index()].name);
    let message = format!("{} follows from the instances that are given", quoted(name));
    let help = if at.slot == keyed.open() {
        "an instance is open unless `closed_as` says how it ended"
    } else {
        "leave it out"
    };
    out.push(Diagnostic::error(Code::BadValue, span, message).help(help));
    false
}

/// The instances of a state that is written frame by frame; all other frames are at their defaults.
fn instances(pack: &Pack, node: &Node) -> Result<SessionState, DataError> {
    let mut frames = Map::new();
    if let Kind::Table(table) = &node.kind {
        for entry in table {
            let (at, name) = pack.split(&entry.key);
            let own = pack.at(at);
            let keyed = own.frame(name).and_then(|frame| own.frames[frame.index()].keyed.as_ref());
            let (Some(keyed), Kind::Table(instances)) = (keyed, &entry.value.kind) else { continue };
            let fields: Vec<NamedType> = keyed.fields().map(|slot| named_type(own, slot)).collect();
            let each = instances
                .iter()
                .map(|of| (of.key.to_string(), typed::fields_json(own, Naming::Own, &fields, &of.value)));
            frames.insert(entry.key.to_string(), Json::Object(each.collect()));
        }
    }
    SessionState::from_frames(pack, &Json::Object(frames))
}

fn named_type(pack: &Pack, slot: Slot) -> NamedType {
    let field = &pack.slots[slot.index()];
    let (optional, default) = (true, None);
    NamedType {
        name: field.name,
        wire: field.name,
        ty: field.ty.clone(),
        optional,
        default,
        doc: String::new(),
        span: field.span,
    }
}

fn enforced(
    registry: &Registry,
    state: SessionState,
    node: &Node,
    clock: &Clock,
    out: &Diagnostics,
) -> Option<(SessionState, Vec<(PackAt, Sym)>)> {
    let mut ids = NumberedIds::default();
    match enforce(registry, state, &mut env(clock, 0, &mut ids)) {
        Ok(restored) => Some((restored.state, restored.repaired)),
        Err(DataError { message, .. }) => {
            let found = Diagnostic::error(Code::BadValue, node.span, format!("the state {message}"));
            out.push(found.help("give a state that the pack admits"));
            None
        }
    }
}

/// The environment of a turn, counted from 1 (0 = before the first).
pub fn env<'i>(clock: &Clock, turn: usize, ids: &'i mut dyn IdSource) -> Env<'i> {
    Env {
        now: clock.now.as_str().into(),
        today: clock.today,
        session_id: clock.session_id.as_str().into(),
        turn_id: format!("t-{turn}").into(),
        ids,
        trace: true,
        probe: None,
    }
}

/// Where a value of a state stands: a field, and in a keyed frame the key of the instance; none where it is said of the frame.
#[derive(Debug, Clone, Copy)]
pub struct At<'n> {
    /// The pack.
    pub pack: PackAt,
    /// The field.
    pub slot: Slot,
    /// The key.
    pub key: Option<&'n str>,
}

/// Walks a table frame → field → value; in a keyed frame frame → key → field → value, and frame → fact → value. A frame of a
/// used pack is written `gate/frame`.
pub fn state(all: &Pack, node: &Node, out: &Diagnostics, each: &mut dyn FnMut(At<'_>, &Node, Span)) {
    let Some(frames) = Field::new(node, out).entries() else { return };
    for (entry, fields) in frames {
        let (at, name) = all.split(&entry.key);
        let pack = all.at(at);
        let Some(frame) = pack.frame(name) else {
            let names = qualified(all, |pack| pack.frames.iter().map(|frame| frame.name).collect());
            unknown("frame", &entry.key, entry.key_span, names.iter().map(String::as_str), out);
            continue;
        };
        let Some(fields) = fields.entries() else { continue };
        if let Some(keyed) = &pack.frames[frame.index()].keyed {
            for (key, value) in fields {
                match pack.field(frame, &key.key).filter(|slot| !keyed.is_bound(*slot)) {
                    Some(slot) => each(At { pack: at, slot, key: None }, value.node, key.key_span),
                    None => instance((at, pack), frame, (&key.key, key.key_span), value, out, each),
                }
            }
            continue;
        }
        for (field, value) in fields {
            match pack.field(frame, &field.key) {
                Some(slot) => each(At { pack: at, slot, key: None }, value.node, field.key_span),
                None => {
                    let own = pack.frames[frame.index()].fields();
                    let names = own.map(|slot| pack.names.text(pack.slots[slot.index()].name));
                    unknown(&format!("field of frame `{}`", entry.key), &field.key, field.key_span, names, out);
                }
            }
        }
    }
}

/// Walks what is said of one instance of a keyed frame.
fn instance(
    (at, pack): (PackAt, &Pack),
    frame: FrameId,
    (key, span): (&str, Span),
    fields: crate::syntax::Field<'_>,
    out: &Diagnostics,
    each: &mut dyn FnMut(At<'_>, &Node, Span),
) {
    let name = pack.names.text(pack.frames[frame.index()].name);
    if pack.field(frame, key).is_some() && !matches!(fields.node.kind, Kind::Table(_)) {
        let message = format!("{} is said of no instance of `{name}`", quoted(key));
        let help = format!("name one by its key: `{name}: {{ KEY: {{ {key}: … }} }}`");
        out.push(Diagnostic::error(Code::BadValue, span, message).help(help));
        return;
    }
    let bound = |slot: &Slot| pack.is_bound(*slot);
    for (field, value) in fields.entries().into_iter().flatten() {
        match pack.field(frame, &field.key).filter(bound) {
            Some(slot) => each(At { pack: at, slot, key: Some(key) }, value.node, field.key_span),
            None => {
                let own = pack.frames[frame.index()].fields().filter(bound);
                let names = own.map(|slot| pack.names.text(pack.slots[slot.index()].name));
                unknown(&format!("field of frame `{name}`"), &field.key, field.key_span, names, out);
            }
        }
    }
}

/// A wanted value: `{ present: true }`, `{ present: false }`, or a value of the type.
pub fn want(
    pack: &Pack,
    naming: Naming,
    ty: &crate::model::schema::Type,
    node: &Node,
    out: &Diagnostics,
) -> Option<Want> {
    if let Some(present) = presence(node) {
        return Some(Want::Present(present));
    }
    typed::value(pack, naming, ty, node, out).map(Want::Value)
}

/// What `{ present: … }` says.
pub fn presence(node: &Node) -> Option<bool> {
    let Kind::Table(table) = &node.kind else { return None };
    match table.get("present").map(|node| &node.kind) {
        Some(Kind::Bool(present)) if table.len() == 1 => Some(*present),
        _ => None,
    }
}

/// A class by its id.
pub fn class(pack: &Pack, id: &str, span: Span, out: &Diagnostics) -> Option<ClassId> {
    let found = pack.class(id);
    if found.is_none() {
        let names = pack.classes.iter().map(|class| pack.names.text(class.id));
        unknown("class of this pack", id, span, names, out);
    }
    found
}

/// A class of one of the packs, by its id: `gate/CLASS` for a used one.
pub fn class_at(all: &Pack, id: &str, span: Span, out: &Diagnostics) -> Option<(PackAt, ClassId)> {
    let (at, name) = all.split(id);
    let found = all.at(at).class(name);
    if found.is_none() {
        let names = qualified(all, |pack| pack.classes.iter().map(|class| class.id).collect());
        unknown("class of this pack, or of one that it uses", id, span, names.iter().map(String::as_str), out);
    }
    Some((at, found?))
}

/// Names of all packs, those of used ones with their pack.
pub fn qualified(all: &Pack, names: impl Fn(&Pack) -> Vec<Sym>) -> Vec<String> {
    let each = all.all().flat_map(|at| {
        let own = all.at(at);
        names(own).into_iter().map(move |name| all.qualified(at, own.names.text(name)))
    });
    each.collect()
}

/// Reports a name that nothing declares.
pub fn unknown<'n>(what: &str, name: &str, span: Span, known: impl Iterator<Item = &'n str>, out: &Diagnostics) {
    out.push(no_such(what, name, span, known));
}

/// The finding that nothing bears a name.
pub fn no_such<'n>(what: &str, name: &str, span: Span, known: impl Iterator<Item = &'n str>) -> Diagnostic {
    let known: Vec<&str> = known.collect();
    let help = match suggest(name, known.iter().copied()) {
        Some(like) => did_you_mean(name, like),
        None => format!("known are {}", crate::diag::listed(&known)),
    };
    Diagnostic::error(Code::UnknownName, span, format!("{} is no {what}", quoted(name))).help(help)
}
