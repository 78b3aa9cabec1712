//! The engine: one pure `step` from a state and an event to a new state, an answer and the calls to make.

mod changed;
mod choose;
mod effects;
mod ended;
mod eval;
mod event;
mod probe;
mod readings;
mod recognise;
mod restore;
mod run;
mod select;
mod settle;
mod trace;
mod truth;
mod verify;

pub use changed::{Change, InstanceChange};
#[cfg(feature = "tracing")]
pub(crate) use effects::fill;
pub use ended::ended;
pub use event::{Env, Event, EventError, EventForm, HostValue, IdSource, NumberedIds};

pub(crate) use event::Unheld;
pub use probe::{Probe, Stage};
pub use readings::ReadText;
pub use restore::{Restored, enforce, restore};
pub(crate) use run::boundary_step;
pub use run::{Scratch, StepError, step, step_with};
pub use trace::{Bound, Candidate, Leaf, Said, Trace, Verdict};
pub use verify::{Breach, Failure};

use std::sync::Arc;

use serde_json::Value as Json;

use crate::model::Pack;
use crate::model::ids::{ClassId, FrameSet, MessageId, ModeId, PortId};
use crate::model::json::named_to_wire;
use crate::model::names::Sym;
use crate::model::value::Value;
use crate::state::{SessionState, Store};

/// What a step made of an event.
#[derive(Debug, Clone)]
pub struct Step {
    /// The state after the step; the state before it when the event was refused.
    pub state: SessionState,
    /// Whether the step took an input or an outcome.
    pub phase: Phase,
    /// The class that took the event; `None` when it was refused, and when the call is made again.
    pub class: Option<ClassId>,
    /// The class that took the turn's input; `None` when the event was refused.
    pub selected: Option<ClassId>,
    /// Why the event was refused: `busy` or `stale_outcome`.
    pub refused: Option<Sym>,
    /// Why the step went where it went: the boundary's reason first, then remarks such as `unused_signal`.
    pub reasons: Vec<Sym>,
    /// Frames of the universe that were carried: they could be read.
    pub carried: FrameSet,
    /// Frames of the universe, and decided frames, that held something before the step and were reset by it.
    pub dropped: FrameSet,
    /// All fields as they were before the step.
    pub(crate) before: Arc<[Value]>,
    /// The instances of keyed frames as they were before the step.
    pub(crate) before_instances: Store,
    /// Calls for the host to make, in the order written.
    pub calls: Vec<CallOut>,
    /// Calls that the step closed without an outcome.
    pub closed: Vec<Arc<str>>,
    /// Messages, in the order written.
    pub messages: Vec<MessageOut>,
    /// The answer mode; only the step that leaves no call open has one.
    pub answer: Option<ModeId>,
    /// What the answer broke that came as `ok`: a check of its port, or `type`.
    pub breach: Option<Sym>,
    /// The texts of the answer that were read as something else than they stand, or as nothing.
    pub read: Vec<ReadText>,
    /// The call went wrong and is made again: nobody is offered its outcome, and nothing else changes.
    pub retried: Option<Retried>,
    /// Said values that the class neither reads nor ignores.
    pub unused: Vec<crate::model::ids::InputId>,
    /// What a class broke that was chosen but not committed.
    pub failures: Vec<Failure>,
    /// The full trace, when `env` asks for it.
    pub trace: Option<Box<Trace>>,
}

/// A call that is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retried {
    /// How often it has been made again by now.
    pub attempt: u32,
    /// How often it may be.
    pub of: u32,
}

/// The phase of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// It took an outside input.
    Select,
    /// It took the outcome of a call.
    Settle,
}

/// A call for the host to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallOut {
    /// Its id; the outcome must name it.
    pub id: Arc<str>,
    /// The `id` under which the class wrote it.
    pub site: Sym,
    /// The port.
    pub port: PortId,
    /// The arguments that are present.
    pub with: Vec<(Sym, Value)>,
}

impl CallOut {
    /// The arguments as the host gets them: a JSON object with their wire names.
    #[must_use]
    pub fn request(&self, pack: &Pack) -> Json {
        Json::Object(named_to_wire(pack, &pack.ports[self.port.index()].request, &self.with))
    }
}

/// A message for the user, the stream or the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageOut {
    /// Which message.
    pub message: MessageId,
    /// Its constants and the fields that are present, in declared order.
    pub fields: Vec<(Sym, Value)>,
    /// Its text, when it has a template.
    pub text: Option<String>,
}

impl MessageOut {
    /// The message as the host gets it: a JSON object, its constants first, then its fields by their wire names.
    #[must_use]
    pub fn body(&self, pack: &Pack) -> Json {
        Json::Object(named_to_wire(pack, &pack.messages[self.message.index()].fields, &self.fields))
    }
}
