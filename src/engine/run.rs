//! One step: select or settle, committed whole or not at all, with the boundary behind it.

use std::str::FromStr;
use std::sync::Arc;

use jiff::Timestamp;
use smallvec::SmallVec;

use crate::lexicon::MAX_TEXT;
use crate::model::Pack;
use crate::model::effect::Effect;
use crate::model::ids::{ClassId, FrameSet, ModeId, SlotSet};
use crate::model::names::Sym;
use crate::model::value::Value;
use crate::registry::Registry;
use crate::state::{OpenCall, Sent, SessionState, Store, Turn, unbind};

use super::choose::Considered;
use super::effects::{Done, Start, perform};
use super::eval::{EnvView, Inputs, OutcomeView, Readable, View};
use super::event::{Env, Event, IdSource, Unheld};
use super::probe::{Marks, Stage};
use super::recognise::{Ear, Heard};
use super::trace::{Trace, Verdict};
use super::verify::{Breach, Failure, answer, verify, verify_instances};
use super::{Phase, Step};

/// A step that could not be taken at all. The state is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// The boundary's own step would have broken what it promises: a pack that does this has no way to answer.
    #[error("the boundary class itself cannot take the event ({} classes tried)", failures.len())]
    Boundary {
        /// What each class that tried would have broken, the boundary last.
        failures: Vec<Failure>,
    },
    /// A text longer than is read at once.
    #[error("the text has {bytes} bytes, at most {MAX_TEXT} are read")]
    TextTooLong {
        /// Its length.
        bytes: usize,
    },
    /// More steps than the manifest allows, and the boundary's own one among them.
    #[error("there are more steps than the pack allows")]
    TooManySteps,
    /// The clock of the environment is no instant, and what is remembered of it could not be read back.
    #[error("`now` of the environment is {now:?}; expected an instant such as 2020-03-01T12:00:00Z")]
    BadClock {
        /// What it says.
        now: Arc<str>,
    },
    /// The id source gives an id again and again that the state holds already.
    #[error("the id source gives {id:?} twice, and the state holds it already")]
    HeldId {
        /// The id.
        id: Arc<str>,
    },
}

/// Room that steps work in. A host that keeps one from step to step spares them most of their allocations. No step reads
/// what another has left in it: it serves any registry and any session, one step at a time.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(super) ear: Ear,
    pub(super) heard: Heard,
    pub(super) room: Room,
}

/// Where candidates are weighed.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// The triggers to look at, as positions among those on the event.
    pub(super) positions: Vec<usize>,
    pub(super) candidates: Vec<Considered>,
    /// The inputs that are worked out for one candidate.
    pub(super) late: Vec<Value>,
}

/// Takes one event through the registry: select or settle, carry, do, verify, commit, answer. Pure: same registry, state,
/// event and environment, same step.
///
/// # Errors
/// [`StepError`]; the state the caller holds is untouched.
pub fn step(registry: &Registry, state: &SessionState, event: &Event, env: &mut Env<'_>) -> Result<Step, StepError> {
    step_with(registry, state, event, env, &mut Scratch::default())
}

/// As [`step`], in room that is kept: for hosts that take many steps.
///
/// # Errors
/// As [`step`].
pub fn step_with(
    registry: &Registry,
    state: &SessionState,
    event: &Event,
    env: &mut Env<'_>,
    scratch: &mut Scratch,
) -> Result<Step, StepError> {
    taken(registry, state, event, None, env, scratch)
}

/// The boundary takes an event for a reason of the engine: what becomes of an outside event when what it has set off in several
/// packs was taken back.
///
/// # Errors
/// As [`step`].
pub(crate) fn boundary_step(
    registry: &Registry,
    state: &SessionState,
    event: &Event,
    why: Sym,
    env: &mut Env<'_>,
    scratch: &mut Scratch,
) -> Result<Step, StepError> {
    taken(registry, state, event, Some(why), env, scratch)
}

fn taken(
    registry: &Registry,
    state: &SessionState,
    event: &Event,
    forced: Option<Sym>,
    env: &mut Env<'_>,
    scratch: &mut Scratch,
) -> Result<Step, StepError> {
    if Timestamp::from_str(&env.now).is_err() {
        return Err(StepError::BadClock { now: env.now.clone() });
    }
    let trace = env.trace.then(Box::default);
    let (view, ids, mut marks) = EnvView::of(env);
    let mut ids = Unheld { source: ids, pack: registry.pack(), held: state, twice: None };
    let marks = marks.again();
    let run = Run { registry, state, ids: &mut ids, marks, view: &view, forced, failures: Vec::new(), trace };
    let step = match event {
        Event::Input { event, fields } => run.select(*event, fields, scratch),
        Event::Outcome { call, status, value, error } => run.settle(call, *status, value.as_ref(), error.as_ref()),
    };
    match ids.twice {
        Some(id) => Err(StepError::HeldId { id }),
        None => step,
    }
}

pub(super) struct Run<'a, 'e> {
    pub(super) registry: &'a Registry,
    pub(super) state: &'a SessionState,
    pub(super) ids: &'e mut dyn IdSource,
    pub(super) marks: Marks<'e>,
    pub(super) view: &'a EnvView<'a>,
    /// The reason for which the boundary takes the event, whoever else could.
    pub(super) forced: Option<Sym>,
    pub(super) failures: Vec<Failure>,
    pub(super) trace: Option<Box<Trace>>,
}

/// What one class is about to do.
pub(super) struct Plan<'a> {
    pub(super) class: ClassId,
    pub(super) effects: &'a [Effect],
    /// Fields, with the instances bound that the step reaches.
    pub(super) start: Arc<[Value]>,
    pub(super) instances: &'a Store,
    pub(super) before: &'a [Value],
    pub(super) inputs: Option<&'a Inputs<'a>>,
    pub(super) outcome: Option<&'a OutcomeView>,
    pub(super) reason: Option<Sym>,
    /// What values may read; `None` = all that stands.
    pub(super) readable: Option<Readable<'a>>,
    pub(super) written: SlotSet,
    /// The calls of its turn that the step leaves open, unless it closes the instance that they belong to.
    pub(super) waiting: &'a [OpenCall],
}

pub(super) struct Performed {
    pub(super) done: Done,
    answer: Option<ModeId>,
}

impl<'a> Run<'a, '_> {
    pub(super) fn view(&self, now: &'a [Value], before: &'a [Value]) -> View<'a> {
        View::plain(self.registry, now, before, self.view)
    }

    pub(super) fn refused(&self, phase: Phase, reason: Sym) -> Step {
        Step {
            state: self.state.clone(),
            phase,
            class: None,
            selected: None,
            refused: Some(reason),
            reasons: vec![reason],
            carried: FrameSet::EMPTY,
            dropped: FrameSet::EMPTY,
            before: self.state.slots.clone(),
            before_instances: self.state.instances.clone(),
            calls: Vec::new(),
            closed: Vec::new(),
            messages: Vec::new(),
            answer: None,
            breach: None,
            read: Vec::new(),
            retried: None,
            unused: Vec::new(),
            failures: Vec::new(),
            trace: None,
        }
    }

    /// Does, answers and verifies, on a copy.
    pub(super) fn carry_out(&mut self, plan: Plan<'_>) -> Result<Performed, Vec<Breach>> {
        let pack = self.registry.pack();
        let declared = &pack.classes[plan.class.index()];
        let start = View {
            inputs: plan.inputs,
            outcome: plan.outcome,
            reason: plan.reason,
            ..View::plain(self.registry, &plan.start, plan.before, self.view)
        };
        let from = Start { slots: &plan.start, instances: plan.instances, mends: false };
        let mut done = perform(&start, from, plan.readable, plan.effects, plan.written, self.ids, &mut self.marks)
            .map_err(|breach| vec![breach])?;
        let mut view = View { now: &done.slots, calls: &done.calls, ..start };
        let replies = done.calls.iter().enumerate().any(|(at, call)| {
            pack.ports[call.port.index()].replies && !done.owners.get(at).is_some_and(|owners| done.closes(owners))
        });
        let waits = replies || plan.waiting.iter().any(|call| !done.closes(&call.owners));
        let mode = if waits { None } else { Some(answer(&view, declared).map_err(|breach| vec![breach])?) };
        view.answer = mode;
        self.marks.reached(Stage::Change);
        let mut breaches = verify(&view, plan.class, &done.written);
        if !pack.keyed.is_empty() {
            verify_instances(&view, &done, &mut breaches);
        }
        if !breaches.is_empty() {
            return Err(breaches);
        }
        unbind(pack, &mut done.slots);
        done.instances.prune(pack);
        Ok(Performed { done, answer: mode })
    }

    pub(super) fn mark_refused(&mut self, class: ClassId) {
        if let Some(trace) = &mut self.trace {
            for candidate in &mut trace.candidates {
                if candidate.class == class && candidate.verdict == Verdict::Chosen {
                    candidate.verdict = Verdict::Refused;
                }
            }
        }
    }

    pub(super) fn commit(
        &mut self,
        performed: Performed,
        turns: SmallVec<[Arc<Turn>; 1]>,
        phase: Phase,
        class: ClassId,
        selected: ClassId,
        reasons: Vec<Sym>,
    ) -> Step {
        let Performed { done, answer } = performed;
        Step {
            state: SessionState {
                slots: done.slots,
                instances: done.instances,
                turns,
                revision: self.state.revision + 1,
                used: self.state.used.clone(),
            },
            phase,
            class: Some(class),
            selected: Some(selected),
            refused: None,
            reasons,
            carried: FrameSet::EMPTY,
            dropped: FrameSet::EMPTY,
            before: self.state.slots.clone(),
            before_instances: self.state.instances.clone(),
            calls: done.calls,
            closed: Vec::new(),
            messages: done.messages,
            answer,
            breach: None,
            read: Vec::new(),
            retried: None,
            unused: Vec::new(),
            failures: std::mem::take(&mut self.failures),
            trace: self.trace.take(),
        }
    }
}

/// The calls that wait for an outcome; those to ports that never reply do not. A call whose instance was closed after it is
/// `closed` at once.
pub(super) fn open_calls(pack: &Pack, class: ClassId, done: &Done, closed: &mut Vec<Arc<str>>) -> Vec<OpenCall> {
    let mut open = Vec::new();
    for (at, (call, kept)) in done.calls.iter().zip(&done.kept).enumerate() {
        let owners = done.owners.get(at).cloned().unwrap_or_default();
        if !pack.ports[call.port.index()].replies {
            continue;
        }
        if done.closes(&owners) {
            closed.push(call.id.clone());
            continue;
        }
        open.push(OpenCall {
            id: call.id.clone(),
            class,
            site: call.site,
            port: call.port,
            kept: kept.clone(),
            owners,
            sent: pack.ports[call.port.index()]
                .keeps_request()
                .then(|| Arc::new(Sent { with: call.with.clone(), attempt: 1 })),
        });
    }
    open
}

/// The turns of which a call stays open; `closes` tells which calls do not, and they are noted.
pub(super) fn going_on(
    turns: &[Arc<Turn>],
    closed: &mut Vec<Arc<str>>,
    closes: impl Fn(&OpenCall) -> bool,
) -> SmallVec<[Arc<Turn>; 1]> {
    let mut going = SmallVec::new();
    for turn in turns {
        let stay = turn.calls.iter().filter(|call| !closes(call)).count();
        if stay == turn.calls.len() {
            going.push(turn.clone());
            continue;
        }
        closed.extend(turn.calls.iter().filter(|call| closes(call)).map(|call| call.id.clone()));
        if stay > 0 {
            let calls = turn.calls.iter().filter(|call| !closes(call)).cloned().collect();
            going.push(Arc::new(Turn { calls, ..(**turn).clone() }));
        }
    }
    going
}
