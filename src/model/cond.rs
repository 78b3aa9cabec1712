//! Conditions: closed, decidable tests over the state, the event and the outcome, in Kleene's three-valued logic.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use crate::source::Span;

use super::ids::{InputId, KeptId, OutcomeId, PortId, Slot};
use super::names::Sym;
use super::schema::Type;
use super::value::Value;

/// What a path starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// `frame.field`.
    Field(Slot),
    /// `before.frame.field`: the value before the step.
    Before(Slot),
    /// `input.name`: a payload field, a signal or a derived signal; absent in an outcome step.
    Input(InputId),
    /// `input.name.ambiguous`: whether the text gave two values.
    Ambiguous(InputId),
    /// `input.name.candidates`: the values it gave then.
    Candidates(InputId),
    /// `input.name.partial`: whether the text gave a part only (a month without its year).
    Partial(InputId),
    /// `outcome.name`: a field of what a port answered.
    Outcome(OutcomeId),
    /// `outcome.status`: ok, failed, timeout or cancelled.
    OutcomeStatus,
    /// `outcome.call`: the `id` under which the class wrote the call.
    OutcomeCall,
    /// `outcome.port`: the name of the port.
    OutcomePort,
    /// `outcome.error`: what the host said of a call that was not ok.
    OutcomeError,
    /// `outcome.breach`: what an answer broke that came as ok.
    OutcomeBreach,
    /// `outcome.kept.name`: what the call was told to keep.
    Kept(KeptId),
    /// `request.name`, in a check of a port: an argument of the call, as it was sent.
    Request(PortId, Sym),
    /// `answer.mode`.
    AnswerMode,
    /// `answer.claims`.
    AnswerClaims,
    /// `reason`: why the boundary has the step.
    Reason,
    /// `call.port`: the ports called in this step, a set.
    CallPorts,
    /// `call.ID.port`: the port of the call written under `ID`; absent when this step does not make it.
    CallPort(Sym),
    /// `call.ID.ARG`: an argument of that call.
    CallArg(Sym, Sym),
    /// `env.today`, as a period of one day.
    EnvToday,
    /// `env.now`.
    EnvNow,
    /// `env.turn_id`.
    EnvTurn,
    /// `env.session_id`.
    EnvSession,
    /// `key`: the key of a map entry, inside `exists`, `every`, `count`.
    EntryKey,
    /// `value`, or a field of it: the item of a list or the value of a map entry, inside `exists`, `every`, `count`.
    EntryValue,
}

/// One step from a value into it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step {
    /// A field of a record.
    Field(Sym),
    /// A column of the row that a table key names; `id` is the key itself.
    Column(Sym),
    /// The value of a map under a key that is itself a path: `$map[$input.key]`.
    Lookup(Box<Path>),
    /// The keys of a map, as a set.
    Keys,
    /// What a field is in each record of a list, as a set; a record without it adds nothing.
    Each(Sym),
}

/// Where a value is found. Two paths are equal that lead to the same place, wherever they are written.
#[derive(Debug, Clone)]
pub struct Path {
    /// Where it starts.
    pub place: Place,
    /// What leads on from there.
    pub steps: Vec<Step>,
    /// Where it is written.
    pub span: Span,
}

impl PartialEq for Path {
    fn eq(&self, other: &Self) -> bool {
        self.place == other.place && self.steps == other.steps
    }
}

impl Eq for Path {}

impl Hash for Path {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.place.hash(state);
        self.steps.hash(state);
    }
}

/// The right side of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// A literal, or a parameter's value.
    Value(Value),
    /// Another field.
    Path(Path),
}

/// A test on one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// Equal.
    Eq(Operand),
    /// Absent or not equal (`differs`).
    Differs(Operand),
    /// One of these.
    In(Vec<Value>),
    /// Ordered against a literal: each of `gt gte lt lte` is a set of orderings.
    Order {
        /// The orderings of the value against `than` that pass.
        pass: &'static [Ordering],
        /// The literal.
        than: Value,
    },
    /// Whether there is a value. Never unknown.
    Present(bool),
    /// Whether a collection or a text holds nothing.
    Empty(bool),
    /// The number of items equals, or is ordered against, a number.
    Size(Box<Op>),
    /// A list or set holds this item, a map this key.
    Contains(Operand),
    /// Each item is in the other.
    SubsetOf(Vec<Operand>),
    /// The same items, order aside.
    SameSet(Vec<Operand>),
    /// No item in common.
    Disjoint(Vec<Operand>),
    /// Each item is in one of the others (`covered_by`).
    CoveredBy(Vec<Operand>),
    /// Some entry fits.
    Exists(Box<Cond>),
    /// Each entry fits.
    Every(Box<Cond>),
    /// The number of entries that fit, tested by the operator.
    Count(Box<Cond>, Box<Op>),
}

/// A condition. A test on an absent value is unknown; only `present` and `differs` are always known; only true passes. Two
/// conditions are equal that say the same, wherever they are written.
#[derive(Debug, Clone)]
pub enum Cond {
    /// Each holds; the empty one always holds.
    All(Vec<Cond>),
    /// One holds; the empty one never holds.
    Any(Vec<Cond>),
    /// It is false.
    Not(Box<Cond>),
    /// A test.
    Test {
        /// What is tested.
        path: Path,
        /// The type of what is tested.
        ty: Type,
        /// The test.
        op: Op,
        /// Where it is written.
        span: Span,
    },
}

impl PartialEq for Cond {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::All(of), Self::All(other)) | (Self::Any(of), Self::Any(other)) => of == other,
            (Self::Not(of), Self::Not(other)) => of == other,
            (Self::Test { path, ty, op, span: _ }, Self::Test { path: path_2, ty: ty_2, op: op_2, span: _ }) => {
                path == path_2 && op == op_2 && ty == ty_2
            }
            _ => false,
        }
    }
}

impl Eq for Cond {}

impl Cond {
    /// The condition that always holds.
    pub const TRUE: Cond = Cond::All(Vec::new());

    /// Whether it is the condition that always holds.
    #[must_use]
    pub fn is_true(&self) -> bool {
        matches!(self, Cond::All(of) if of.is_empty())
    }
}
