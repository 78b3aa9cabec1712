//! The checked declarations: what a pack says, with every name resolved and every type known. The engine compiles them;
//! analyses and the reference evaluator read them as they are.

pub mod class;
pub mod cond;
pub mod effect;
pub mod ids;
pub mod json;
pub mod lexicon;
pub mod metric;
pub mod migration;
pub mod names;
pub mod period;
pub mod reason;
pub mod recording;
pub mod schema;
pub mod uses;
pub mod value;
pub mod walk;

use std::sync::Arc;

use crate::source::Span;

use class::Class;
use cond::{Operand, Path};
use ids::{ClassId, EnumId, EventId, FrameId, FrameSet, InputId, MessageId, ModeId, OutcomeId, PortId, Slot, TableId};
use metric::Metric;
use migration::Migration;
use names::{Names, Sym};
use period::RelativePeriod;
use recording::Recording;
use schema::{Carryover, Enum, Field, Frame, Invariant, Keyed, NamedType, Param, Record, Table, Type};
use uses::{Composed, Serving};
use value::Value;

/// The keys of a saved session beside the aggregate, which is called as the manifest says.
pub const SAVED_KEYS: [&str; 8] =
    ["schema_version", "pack", "fingerprint", "revision", "turn", "turns", "uses", "links"];

/// A checked pack: every name resolved, every type known, every mandatory part there. Made by loading only.
#[derive(Debug, Clone)]
pub struct Pack {
    /// Its id (`assistant`).
    pub id: Sym,
    /// Its title for people.
    pub title: String,
    /// The name of the session state in saved form (`assistant_session_state`).
    pub aggregate: Sym,
    /// The sub-states of the aggregate.
    pub owners: Vec<Sym>,
    /// All names of the pack.
    pub names: Names,
    /// A digest of everything declared but recordings, metrics and migrations, as 16 hexadecimal digits; the same whatever the file order, format or
    /// spacing.
    pub fingerprint: String,
    /// Parameters, with the values of this load.
    pub params: Vec<Param>,
    /// Enums, those written in place included.
    pub enums: Vec<Enum>,
    /// Tables.
    pub tables: Vec<Table>,
    /// Record types.
    pub records: Vec<Record>,
    /// Relative periods.
    pub relative: Vec<RelativePeriod>,
    /// Frames.
    pub frames: Vec<Frame>,
    /// All fields of all frames: the layout of the dense state.
    pub slots: Vec<Field>,
    /// The keyed frames, in declared order.
    pub keyed: Vec<FrameId>,
    /// Carryover; `None` = the pack carries nothing by rule.
    pub carryover: Option<Carryover>,
    /// Frames of which every class declares the fate.
    pub decide: Vec<FrameId>,
    /// What an outside input does while calls are open.
    pub while_open: WhileOpen,
    /// The most steps in one turn; the step beyond it falls to the boundary with reason `step_limit`.
    pub step_limit: u32,
    /// When the session has come to its end; `None` = the pack never ends it. No step looks at it.
    pub ended: Option<cond::Cond>,
    /// Input events.
    pub events: Vec<Event>,
    /// All names under `input`.
    pub inputs: Vec<Input>,
    /// Derived signals, each after those it reads.
    pub derived: Vec<Derived>,
    /// Completions of partial signals.
    pub completions: Vec<Completion>,
    /// For each signal of the lexicon, in its order, the input it fills.
    pub signal_inputs: Vec<InputId>,
    /// Ports.
    pub ports: Vec<Port>,
    /// All names under `outcome`, from all ports.
    pub outcomes: Vec<NamedType>,
    /// All names under `outcome.kept`, from all calls.
    pub kept: Vec<(Sym, Type)>,
    /// Messages.
    pub messages: Vec<Message>,
    /// Answer modes.
    pub modes: Vec<Mode>,
    /// Invariants of frames and of the pack.
    pub invariants: Vec<Invariant>,
    /// The lexicon.
    pub lexicon: lexicon::Lexicon,
    /// Transition classes, sorted by id.
    pub classes: Vec<Class>,
    /// For each class the classes it precedes, transitively.
    pub precedes: Arc<[Vec<bool>]>,
    /// The declared chains, as pairs of neighbours.
    pub chains: Vec<(ClassId, ClassId, Span)>,
    /// The one class with a boundary trigger.
    pub boundary: ClassId,
    /// The contracts that ports are held to.
    pub contracts: Vec<Contract>,
    /// What `outcome.breach` can be: an enum.
    pub breaches: EnumId,
    /// Each reason that the pack itself names.
    pub reasons: Vec<Sym>,
    /// Forms of recorded dialogues, by name.
    pub recordings: Vec<Recording>,
    /// Metrics, by name.
    pub metrics: Vec<Metric>,
    /// How sessions of earlier registries are carried over, by name.
    pub migrations: Vec<Migration>,
    /// Declarations that are there to be named, and that nothing names.
    pub unused: Vec<Unused>,
    /// Ports that used packs serve, as written.
    pub serves: Vec<Serving>,
    /// The packs that it uses; `None` = it uses none.
    pub composed: Option<Arc<Composed>>,
}

/// A declaration that nothing names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unused {
    /// To what it belongs.
    pub kind: UnusedKind,
    /// What it is, with its article: `the enum`.
    pub what: &'static str,
    /// Its name; a way to end is `FRAME.WORD`.
    pub name: String,
    /// Where it is written.
    pub span: Span,
}

/// To what an unused declaration belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnusedKind {
    /// Types, tables, ports, messages, answer modes, events, named conditions and blocks.
    Vocabulary,
    /// Contracts of ports.
    Contract,
    /// Parameters.
    Parameter,
    /// The lexicon.
    Lexicon,
    /// A keyed frame of which no instance is opened.
    Keyed,
    /// A way for instances to end that no `close` names, or a keyed frame of which none is closed.
    Ending,
    /// What the setting `while_open` lets happen.
    WhileOpen,
    /// A text that spells a path: without the sign of one it leads nowhere.
    Unmarked,
}

/// What an outside input does while calls are open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WhileOpen {
    /// The calls are closed; their outcomes are stale.
    #[default]
    Cancel,
    /// The input is refused with reason `busy`.
    Refuse,
    /// The calls that belong to instances of keyed frames run on, the others are closed: several turns can be under way.
    Allow,
}

/// An input event.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its name (`utterance`).
    pub name: Sym,
    /// The payload fields it may carry, and whether it must.
    pub fields: Vec<(InputId, bool)>,
    /// How the host calls each of them; its name unless declared otherwise.
    pub wire: Vec<Sym>,
    /// The payload field whose text is recognised by the lexicon, if any.
    pub text: Option<InputId>,
    /// The key by which a scenario turn writes it (`user`); the event's own name unless declared.
    pub turn: Sym,
    /// What it is for.
    pub doc: String,
    /// Where it is written.
    pub span: Span,
}

/// A name under `input`.
#[derive(Debug, Clone)]
pub struct Input {
    /// Its name.
    pub name: Sym,
    /// Its type.
    pub ty: Type,
    /// Where its value comes from.
    pub kind: InputKind,
    /// What it is for.
    pub doc: String,
    /// Where it is written.
    pub span: Span,
}

/// Where an input's value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// The event's payload.
    Payload,
    /// The lexicon or the host.
    Signal,
    /// Other values, by a derivation.
    Derived,
    /// The alternative that matched: `input.tag`.
    Tag,
    /// The command at the start of the text: `input.command`, and `input.command_rest`.
    Command,
}

/// A derived signal: pure, total, finite; computed for each candidate. A source in a frame that the candidate may not
/// read counts as absent.
#[derive(Debug, Clone)]
pub struct Derived {
    /// The input it fills.
    pub input: InputId,
    /// How.
    pub rule: Derivation,
}

/// How a derived signal is computed.
#[derive(Debug, Clone)]
pub enum Derivation {
    /// The key of the one row that fits, else absent. A condition on an absent value fits no row.
    Lookup {
        /// The table.
        table: TableId,
        /// Column (`None` = the key) and what it must equal.
        wher: Vec<(Option<usize>, Operand)>,
    },
    /// The members of `of` that are there (`lacking = false`) or not (`lacking = true`); absent when `of` is absent.
    Members {
        /// A set or list of names.
        of: Path,
        /// For each possible member the places where it may be.
        at: Vec<(Value, Vec<Path>)>,
        /// Maps whose keys are members.
        maps: Vec<Path>,
        /// Which members the set holds.
        lacking: bool,
    },
    /// The first present value.
    FirstOf(Vec<Path>),
}

/// How a missing part of a partial value of a signal is found.
#[derive(Debug, Clone)]
pub struct Completion {
    /// The signal.
    pub input: InputId,
    /// The missing part, an index into the lexicon's parts.
    pub part: usize,
    /// Which component of a source's period is taken.
    pub component: Component,
    /// The sources, in order; one that the candidate may not read is skipped.
    pub from: Vec<Path>,
}

/// A component of a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Component {
    /// The year, four digits: of the last day of the period.
    Year,
    /// The month, two digits: of the last day of the period.
    Month,
}

/// A port: what a pack asks of its host.
#[derive(Debug, Clone)]
pub struct Port {
    /// Its name.
    pub name: Sym,
    /// The arguments of a call.
    pub request: Vec<NamedType>,
    /// The fields of an answer: which outcome name, and whether it may be absent.
    pub response: Vec<(OutcomeId, bool)>,
    /// How the host calls each of them; its name unless declared otherwise.
    pub wire: Vec<Sym>,
    /// What each of them is for; a field of the same name may be for something else in the answer of another port.
    pub docs: Vec<String>,
    /// Whether it is given conclusions only: no prose, at any depth.
    pub conclusions_only: bool,
    /// Whether an answer comes at all (`reply = "none"`: it does not).
    pub replies: bool,
    /// Which values of its answers the lexicon reads, before anything is checked.
    pub readings: Vec<Reading>,
    /// What must hold between a request and its answer, in the order in which it is tested.
    pub checks: Vec<PortCheck>,
    /// How often a call that went wrong is made again.
    pub retry: Option<Retry>,
    /// The JSON Schemas that it is held to.
    pub contract: PortContract,
    /// What it is for.
    pub doc: String,
    /// Where it is written.
    pub span: Span,
}

impl Port {
    /// Whether an answer may break a JSON Schema.
    #[must_use]
    pub fn answers_to_a_schema(&self, pack: &Pack) -> bool {
        let held = |ty: &Type| matches!(ty, Type::Document { contract: Some(_) });
        self.contract.response.is_some()
            || self.response.iter().any(|(outcome, _)| pack.outcomes[outcome.index()].ty.holds(&pack.records, &held))
    }

    /// Whether a call that waits must remember what it was sent with.
    #[must_use]
    pub fn keeps_request(&self) -> bool {
        !self.readings.is_empty() || !self.checks.is_empty() || self.retry.is_some()
    }
}

/// Texts in an answer that the lexicon reads, each as what was asked for under its key.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The texts: a field of the answer, a map.
    pub values: OutcomeId,
    /// What was asked: an argument of the request, a list of records.
    pub asked: Sym,
    /// The field of its records that is the key of the text.
    pub id: Sym,
    /// The field of its records that says what is expected.
    pub expects: Sym,
    /// For a value of that field the signal that reads the text, by its place in the lexicon.
    pub by: Vec<(Value, usize)>,
    /// Where the keys go whose texts are no such values: a field of the answer, a list or a set.
    pub unread: OutcomeId,
    /// What it is for.
    pub doc: String,
    /// Where it is written.
    pub span: Span,
}

/// The contracts of a port, positions in [`Pack::contracts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PortContract {
    /// What a request is held against before it leaves.
    pub request: Option<usize>,
    /// What an answer is held against before it is read.
    pub response: Option<usize>,
}

/// A JSON Schema that a pack holds.
#[derive(Debug, Clone)]
pub struct Contract {
    /// Its name: that of its file.
    pub name: Sym,
    /// The schema.
    pub schema: Arc<serde_json::Value>,
    /// The same with its places.
    pub node: crate::syntax::Node,
    /// Where it is written.
    pub span: Span,
}

/// What must hold between the request of a call and an answer that came as `ok`.
#[derive(Debug, Clone)]
pub struct PortCheck {
    /// Its name: what `outcome.breach` is where it does not hold.
    pub id: Sym,
    /// When it speaks.
    pub when: cond::Cond,
    /// What must hold then.
    pub require: cond::Cond,
    /// What it is for.
    pub doc: String,
    /// Where it is written.
    pub span: Span,
}

/// How often a call that went wrong is made again before anybody hears of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retry {
    /// The most attempts after the first.
    pub max: u32,
    /// After which outcomes.
    pub on: Vec<Wrong>,
}

/// How a call can go wrong so that it is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// No answer came in time.
    Timeout,
    /// The host says that it failed.
    Failed,
    /// Its answer is none that the port admits.
    Contract,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// It answered, and the answer keeps the port's declaration.
    Ok,
    /// It answered with an error, or broke its declaration.
    Failed,
    /// No answer came in time.
    Timeout,
    /// The host gave it up.
    Cancelled,
}

/// A message to the user, the stream or the log.
#[derive(Debug, Clone)]
pub struct Message {
    /// Its name.
    pub name: Sym,
    /// Where it goes.
    pub channel: Channel,
    /// Constants it always holds.
    pub consts: Vec<(Sym, Value)>,
    /// Its fields.
    pub fields: Vec<NamedType>,
    /// Its text, with `{field}` in it.
    pub text: Option<String>,
    /// What it is for.
    pub doc: String,
    /// Where it is written.
    pub span: Span,
}

/// Where a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// To the user.
    Ui,
    /// To the stream of the answer.
    Stream,
    /// To the log, at a level.
    Log(Level),
}

/// The level of a log message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// debug.
    Debug,
    /// info.
    Info,
    /// warning.
    Warning,
    /// error.
    Error,
}

/// An answer mode.
#[derive(Debug, Clone)]
pub struct Mode {
    /// Its name.
    pub name: Sym,
    /// What an answer of this mode claims.
    pub claims: Claims,
    /// What it is for.
    pub doc: String,
    /// Where it is written.
    pub span: Span,
}

/// What an answer claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claims {
    /// Nothing: a question, a refusal, small talk.
    Nothing,
    /// Something, with a reservation.
    Limited,
    /// A fact.
    Confirmed,
}

impl Event {
    /// How the host calls a payload field; `None` for another input.
    #[must_use]
    pub fn wire_of(&self, input: InputId) -> Option<Sym> {
        let at = self.fields.iter().position(|(field, _)| *field == input)?;
        self.wire.get(at).copied()
    }

    /// How the host calls the payload field that bears this name, where it calls it otherwise.
    #[must_use]
    pub fn meant<'p>(&self, pack: &'p Pack, name: &str) -> Option<&'p str> {
        let own = |input: &InputId| pack.names.text(pack.inputs[input.index()].name) == name;
        let at = self.fields.iter().position(|(input, _)| own(input))?;
        Some(pack.names.text(self.wire[at])).filter(|wire| *wire != name)
    }

    /// The payload field that the host calls so.
    #[must_use]
    pub fn called(&self, wire: Sym) -> Option<InputId> {
        let at = self.wire.iter().position(|known| *known == wire)?;
        Some(self.fields[at].0)
    }
}

impl Port {
    /// The fields of an answer as the host gives them.
    #[must_use]
    pub fn answer(&self, pack: &Pack) -> Vec<NamedType> {
        let fields = self.response.iter().zip(&self.wire).zip(&self.docs);
        fields
            .map(|(((id, optional), wire), doc)| NamedType {
                optional: *optional,
                wire: *wire,
                doc: doc.clone(),
                ..pack.outcomes[id.index()].clone()
            })
            .collect()
    }
}

impl Pack {
    /// The frames outside the carryover universe.
    #[must_use]
    pub fn outside(&self) -> FrameSet {
        let all: FrameSet = (0..self.frames.len()).map(FrameId::at).collect();
        all.minus(self.carryover.as_ref().map_or(FrameSet::EMPTY, |carryover| carryover.universe))
    }

    /// The class with an id.
    #[must_use]
    pub fn class(&self, id: &str) -> Option<ClassId> {
        let sym = self.names.get(id)?;
        self.classes.iter().position(|class| class.id == sym).map(ClassId::at)
    }

    /// The frame with a short name.
    #[must_use]
    pub fn frame(&self, name: &str) -> Option<FrameId> {
        let sym = self.names.get(name)?;
        self.frames.iter().position(|frame| frame.name == sym).map(FrameId::at)
    }

    /// The field `name` of a frame.
    #[must_use]
    pub fn field(&self, frame: FrameId, name: &str) -> Option<Slot> {
        let sym = self.names.get(name)?;
        self.frames[frame.index()].fields().find(|slot| self.slots[slot.index()].name == sym)
    }

    /// The input with a name.
    #[must_use]
    pub fn input(&self, name: &str) -> Option<InputId> {
        let sym = self.names.get(name)?;
        self.inputs.iter().position(|input| input.name == sym).map(InputId::at)
    }

    /// The event with a name.
    #[must_use]
    pub fn event(&self, name: &str) -> Option<EventId> {
        let sym = self.names.get(name)?;
        self.events.iter().position(|event| event.name == sym).map(EventId::at)
    }

    /// The event that a line is which the user says: the one with a text; of several the one that a scenario writes as `user`.
    #[must_use]
    pub fn said(&self) -> Option<EventId> {
        let mut with_text = self.events.iter().enumerate().filter(|(_, event)| event.text.is_some());
        let (first, more) = (with_text.next()?.0, with_text.next().is_some());
        let written = |event: &Event| self.names.text(event.turn) == "user";
        let at =
            if more { self.events.iter().position(|event| event.text.is_some() && written(event))? } else { first };
        Some(EventId::at(at))
    }

    /// The port with a name.
    #[must_use]
    pub fn port(&self, name: &str) -> Option<PortId> {
        let sym = self.names.get(name)?;
        self.ports.iter().position(|port| port.name == sym).map(PortId::at)
    }

    /// The message with a name.
    #[must_use]
    pub fn message(&self, name: &str) -> Option<MessageId> {
        let sym = self.names.get(name)?;
        self.messages.iter().position(|message| message.name == sym).map(MessageId::at)
    }

    /// The answer mode with a name.
    #[must_use]
    pub fn mode(&self, name: &str) -> Option<ModeId> {
        let sym = self.names.get(name)?;
        self.modes.iter().position(|mode| mode.name == sym).map(ModeId::at)
    }

    /// What is said of the instances of a slot's frame, where it is keyed.
    #[must_use]
    pub fn keyed_at(&self, slot: Slot) -> Option<&Keyed> {
        self.frames[self.slots[slot.index()].frame.index()].keyed.as_ref()
    }

    /// Whether a slot holds something of the bound instance of a keyed frame: at rest it holds nothing.
    #[must_use]
    pub fn is_bound(&self, slot: Slot) -> bool {
        self.keyed_at(slot).is_some_and(|keyed| keyed.is_bound(slot))
    }

    /// The state of a session that has just begun: every field at its default.
    #[must_use]
    pub fn defaults(&self) -> Vec<Value> {
        self.slots.iter().map(|slot| slot.default.clone()).collect()
    }
}
