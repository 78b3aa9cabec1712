//! Packs that are put together: one outside event and all the steps that it sets off, until nothing is left but calls to the host.

mod run;

use std::sync::Arc;

use crate::engine::{
    CallOut, Env, Event, Failure, MessageOut, Phase, Probe, Scratch, Step, StepError, Unheld, step_with,
};
use crate::model::Status;
use crate::model::ids::{ClassId, FrameSet, ModeId};
use crate::model::names::Sym;
use crate::model::uses::PackAt;
use crate::registry::Registry;
use crate::state::SessionState;

use run::Run;

/// The error of a call that the serving pack has ended without any of the messages that answer it.
pub const NO_REPLY: &str = "no_reply";

/// What one outside event came to.
#[derive(Debug, Clone)]
pub struct Cascade {
    /// The state after it.
    pub state: SessionState,
    /// The steps, in the order in which they were taken; at least one.
    pub steps: Vec<Taken>,
    /// What was taken back before them, where something went wrong.
    pub undone: Option<Undone>,
}

/// A step of one of the packs.
#[derive(Debug, Clone)]
pub struct Taken {
    /// The pack.
    pub pack: PackAt,
    /// What it took.
    pub cause: Cause,
    /// The state of that pack before it.
    pub before: SessionState,
    /// What came of it.
    pub step: Step,
    /// The message that ended the call which the pack serves: its place among those of the step. It does not go to the host.
    pub reply: Option<usize>,
    /// Calls of used packs that were closed with calls of this step's pack.
    pub closed: Vec<(PackAt, Arc<str>)>,
}

/// What a step took.
#[derive(Debug, Clone, PartialEq)]
pub enum Cause {
    /// The outside event.
    Outside,
    /// A call of another pack, as an event.
    Entry {
        /// The pack that called.
        caller: PackAt,
        /// The call.
        call: Arc<str>,
        /// The event.
        event: Event,
    },
    /// The outcome of a call that another pack serves.
    Reply {
        /// The pack that serves it.
        from: PackAt,
        /// The call.
        call: Arc<str>,
        /// How it ended.
        status: Status,
        /// What was answered.
        value: Option<serde_json::Value>,
        /// What went wrong otherwise.
        error: Option<Arc<str>>,
    },
}

/// Steps that were taken back.
#[derive(Debug, Clone)]
pub struct Undone {
    /// The pack in which it came to nothing.
    pub at: PackAt,
    /// The reason under which the boundary of the outermost pack took the outside event.
    pub why: Sym,
    /// What each class of that pack broke that tried, the boundary last; empty where there were too many steps.
    pub failures: Vec<Failure>,
    /// How many steps were taken back.
    pub steps: usize,
}

/// An outside event that could not be taken at all. The state is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct CascadeError {
    /// The pack in which it came to nothing.
    pub at: PackAt,
    /// Why.
    pub error: StepError,
}

/// Takes one outside event through a pack and through those that it uses: every call to a port that a used pack serves is an
/// event of that pack at once, and the message that ends it an outcome, depth first. What is left are calls to the host.
/// It is committed whole or not at all. Of a pack that uses none it is exactly one step.
///
/// # Errors
/// [`CascadeError`]; the state the caller holds is untouched.
pub fn cascade(
    registry: &Registry,
    state: &SessionState,
    event: &Event,
    env: &mut Env<'_>,
) -> Result<Cascade, CascadeError> {
    cascade_with(registry, state, event, env, &mut Scratch::default())
}

/// As [`cascade`], in room that is kept: for hosts that take many steps.
///
/// # Errors
/// As [`cascade`].
pub fn cascade_with(
    registry: &Registry,
    state: &SessionState,
    event: &Event,
    env: &mut Env<'_>,
    scratch: &mut Scratch,
) -> Result<Cascade, CascadeError> {
    if registry.used().is_empty() {
        let step = step_with(registry, state, event, env, scratch)
            .map_err(|error| CascadeError { at: PackAt::OUTERMOST, error })?;
        let taken = Taken {
            pack: PackAt::OUTERMOST,
            cause: Cause::Outside,
            before: state.clone(),
            reply: None,
            closed: Vec::new(),
            step,
        };
        return Ok(Cascade { state: taken.step.state.clone(), steps: vec![taken], undone: None });
    }
    let mut ids = Unheld { source: &mut *env.ids, pack: registry.pack(), held: state, twice: None };
    let (now, today, trace) = (env.now.clone(), env.today, env.trace);
    let (session_id, turn_id) = (env.session_id.clone(), env.turn_id.clone());
    let probe: Option<&mut dyn Probe> = match &mut env.probe {
        Some(probe) => Some(&mut **probe),
        None => None,
    };
    let mut env = Env { now, today, session_id, turn_id, ids: &mut ids, trace, probe };
    let done = Run::new(registry, state, &mut env, scratch).outside(event);
    match ids.twice {
        Some(id) => Err(CascadeError { at: PackAt::OUTERMOST, error: StepError::HeldId { id } }),
        None => done,
    }
}

impl Cascade {
    /// The steps of the outermost pack.
    pub fn outermost(&self) -> impl DoubleEndedIterator<Item = &Step> {
        self.steps.iter().filter(|taken| taken.pack.is_outermost()).map(|taken| &taken.step)
    }

    /// The class of the last step of the outermost pack.
    #[must_use]
    pub fn class(&self) -> Option<ClassId> {
        self.outermost().next_back().and_then(|step| step.class)
    }

    /// The class that took the input of the outermost pack's turn.
    #[must_use]
    pub fn selected(&self) -> Option<ClassId> {
        self.outermost().next_back().and_then(|step| step.selected)
    }

    /// The answer of the outermost pack: only where no call of its turn is open any more.
    #[must_use]
    pub fn answer(&self) -> Option<ModeId> {
        self.outermost().next_back().and_then(|step| step.answer)
    }

    /// Why the outside event was refused.
    #[must_use]
    pub fn refused(&self) -> Option<Sym> {
        self.steps.first().filter(|taken| taken.pack.is_outermost()).and_then(|taken| taken.step.refused)
    }

    /// Frames of the outermost pack that the outside input carried.
    #[must_use]
    pub fn carried(&self) -> FrameSet {
        let select = self.outermost().find(|step| step.phase == Phase::Select);
        select.map_or(FrameSet::EMPTY, |step| step.carried)
    }

    /// The calls for the host to make, in the order written, each with its pack. A call that a later step has closed is not made.
    pub fn calls(&self, registry: &Registry) -> Vec<(PackAt, &CallOut)> {
        let pack = registry.pack();
        let mut calls = Vec::new();
        for (at, taken) in self.steps.iter().enumerate() {
            let later = &self.steps[at + 1..];
            for call in &taken.step.calls {
                let closed = later.iter().any(|later| later.closes(taken.pack, &call.id));
                if !closed && pack.served(taken.pack, call.port).is_none() {
                    calls.push((taken.pack, call));
                }
            }
        }
        calls
    }

    /// The messages, in the order written, each with its pack. Those that ended a call between packs are none.
    pub fn messages(&self) -> impl Iterator<Item = (PackAt, &MessageOut)> {
        self.steps.iter().flat_map(Taken::messages)
    }
}

impl Taken {
    /// The messages of the step that go to the host.
    pub fn messages(&self) -> impl Iterator<Item = (PackAt, &MessageOut)> {
        let sent = self.step.messages.iter().enumerate().filter(|(at, _)| Some(*at) != self.reply);
        sent.map(|(_, message)| (self.pack, message))
    }

    /// Whether it closed a call of a pack without an outcome.
    fn closes(&self, pack: PackAt, call: &Arc<str>) -> bool {
        (self.pack == pack && self.step.closed.contains(call))
            || self.closed.iter().any(|(of, closed)| *of == pack && closed == call)
    }
}
