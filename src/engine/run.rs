//! One step: select or settle, committed whole or not at all, with the boundary behind it.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::lexicon::MAX_TEXT;
use crate::model::class::{Base, Fate, On};
use crate::model::effect::Effect;
use crate::model::ids::{ClassId, EventId, FrameSet, InputId, ModeId, SlotSet};
use crate::model::json::fields_from_json;
use crate::model::names::Sym;
use crate::model::value::Value;
use crate::model::{InputKind, Status, reason};
use crate::registry::Registry;
use crate::state::{OpenCall, SessionState, Turn};

use super::choose::{Choice, Considered, choose, effective, guard, limit, readable};
use super::effects::{Done, perform};
use super::eval::{EnvView, Inputs, OutcomeView, Readable, View};
use super::event::{Env, Event};
use super::recognise::{Heard, hear, triggered, work_out};
use super::trace::{Candidate, Trace, Verdict, guard_leaves, leaves};
use super::verify::{Breach, Failure, answer, reset, verify};
use super::{Change, Phase, Step};

/// A step that could not be taken at all. The state is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// The boundary's own step would have broken what it promises: a pack that does this has no way to answer.
    #[error("the boundary class cannot take the event: {}", failures.len())]
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
}

/// Takes one event through the registry: select or settle, carry, do, verify, commit, answer. Pure: same registry, state,
/// event and environment, same step.
///
/// # Errors
/// [`StepError`]; the state the caller holds is untouched.
pub fn step(registry: &Registry, state: &SessionState, event: &Event, env: &mut Env<'_>) -> Result<Step, StepError> {
    let view = EnvView::of(env);
    let run = Run { registry, state, env, view: &view, failures: Vec::new(), trace: None };
    match event {
        Event::Input { event, fields } => run.select(*event, fields),
        Event::Outcome { call, status, value, error } => run.settle(call, *status, value.as_ref(), error.as_ref()),
    }
}

struct Run<'a, 'e> {
    registry: &'a Registry,
    state: &'a SessionState,
    env: &'a mut Env<'e>,
    view: &'a EnvView,
    failures: Vec<Failure>,
    trace: Option<Box<Trace>>,
}

/// What one class is about to do.
struct Plan<'a> {
    class: ClassId,
    effects: &'a [Effect],
    start: Vec<Value>,
    before: &'a [Value],
    inputs: Option<&'a Inputs>,
    outcome: Option<&'a OutcomeView>,
    reason: Option<Sym>,
    written: SlotSet,
    /// Whether calls stay open that the step does not touch.
    waiting: bool,
}

struct Performed {
    done: Done,
    answer: Option<ModeId>,
}

impl<'a> Run<'a, '_> {
    fn view(&self, now: &'a [Value], before: &'a [Value]) -> View<'a> {
        View {
            registry: self.registry,
            now,
            before,
            inputs: None,
            outcome: None,
            answer: None,
            reason: None,
            calls: &[],
            env: self.view,
            readable: None,
            entry: None,
        }
    }

    fn refused(&mut self, phase: Phase, reason: Sym) -> Step {
        Step {
            state: self.state.clone(),
            phase,
            class: None,
            selected: None,
            refused: Some(reason),
            reasons: vec![reason],
            carried: FrameSet::EMPTY,
            dropped: FrameSet::EMPTY,
            changes: Vec::new(),
            calls: Vec::new(),
            closed: Vec::new(),
            messages: Vec::new(),
            answer: None,
            unused: Vec::new(),
            failures: Vec::new(),
            trace: self.trace.take(),
        }
    }

    // ---- select -------------------------------------------------------------------------------------------------

    fn select(mut self, event: EventId, fields: &[(InputId, Value)]) -> Result<Step, StepError> {
        let pack = self.registry.pack();
        for (_, value) in fields {
            if let Value::Text(text) = value
                && text.len() > MAX_TEXT
            {
                return Err(StepError::TextTooLong { bytes: text.len() });
            }
        }
        let mut closed = Vec::new();
        if let Some(turn) = &self.state.turn {
            if pack.while_open == crate::model::WhileOpen::Refuse {
                return Ok(self.refused(Phase::Select, self.registry.syms.busy));
            }
            closed = turn.calls.iter().map(|call| call.id.clone()).collect();
        }
        let heard = hear(self.registry, event, fields, self.env.trace);
        if self.env.trace {
            self.trace =
                Some(Box::new(Trace { text: heard.text.clone(), said: heard.said.clone(), candidates: Vec::new() }));
        }
        let slots: &'a [Value] = &self.state.slots;
        let gate = limit(self.registry, slots);
        let mut candidates = self.candidates(event, &heard, slots, gate);
        let choice = choose(self.registry, &mut candidates);
        self.note(&candidates, &heard, slots, gate, event);
        let (class, trigger, why) = match choice {
            Choice::Take(at) => {
                let taken = &candidates[at];
                let trigger = &pack.classes[taken.class.index()].triggers[taken.trigger];
                (taken.class, taken.trigger, trigger.reason)
            }
            Choice::Nobody(reason) => (pack.boundary, self.registry.bare_trigger, Some(reason)),
            Choice::Unordered => (pack.boundary, self.registry.bare_trigger, Some(self.registry.syms.ambiguous)),
        };
        match self.try_select(class, trigger, why, &heard, gate, closed.clone()) {
            Ok(step) => Ok(step),
            Err(breaches) => {
                self.failures.push(Failure { class, breaches });
                self.mark_refused(class);
                let bare = self.registry.bare_trigger;
                let why = Some(self.registry.syms.verification_failed);
                self.try_select(pack.boundary, bare, why, &heard, gate, closed).map_err(|breaches| {
                    self.failures.push(Failure { class: pack.boundary, breaches });
                    StepError::Boundary { failures: std::mem::take(&mut self.failures) }
                })
            }
        }
    }

    /// Every class whose trigger matched, with its verdict; `Chosen` stands for "passes".
    fn candidates(&self, event: EventId, heard: &Heard, slots: &'a [Value], gate: FrameSet) -> Vec<Considered> {
        let pack = self.registry.pack();
        let mut candidates: Vec<Considered> = Vec::new();
        let mut late = Vec::new();
        for (class, trigger) in &self.registry.by_event[event.index()] {
            let declared = &pack.classes[class.index()];
            let earlier = candidates.iter().position(|candidate| candidate.class == *class);
            if earlier.is_some_and(|at| candidates[at].verdict == Verdict::Chosen) {
                continue;
            }
            let Some(matched) = triggered(self.registry, *class, *trigger, &declared.triggers[*trigger], heard) else {
                continue;
            };
            let verdict = self.judge(*class, *trigger, &matched, heard, slots, gate, &mut late);
            let considered = Considered { class: *class, trigger: *trigger, row: None, verdict };
            match earlier {
                None => candidates.push(considered),
                // A later trigger of the same class speaks for it when it gets further.
                Some(at) if rank(&considered.verdict) > rank(&candidates[at].verdict) => candidates[at] = considered,
                Some(_) => {}
            }
        }
        candidates
    }

    #[allow(clippy::too_many_arguments)]
    fn judge(
        &self,
        class: ClassId,
        trigger: usize,
        matched: &[usize],
        heard: &Heard,
        slots: &'a [Value],
        gate: FrameSet,
        late: &mut Vec<Value>,
    ) -> Verdict {
        let declared = &self.registry.pack().classes[class.index()];
        let inputs = self.inputs_for(class, trigger, matched, heard, slots, gate, late);
        let view = View { inputs: Some(&inputs), ..self.view(slots, slots) };
        let cut = if class == self.registry.pack().boundary { FrameSet::EMPTY } else { declared.needs.minus(gate) };
        let verdict = guard(&view, declared, trigger, cut);
        *late = inputs.late;
        verdict
    }

    #[allow(clippy::too_many_arguments)]
    fn inputs_for(
        &self,
        class: ClassId,
        trigger: usize,
        matched: &[usize],
        heard: &Heard,
        slots: &'a [Value],
        gate: FrameSet,
        late: &mut Vec<Value>,
    ) -> Inputs {
        let pack = self.registry.pack();
        let carried = effective(self.registry, class, gate);
        let reading = Readable {
            frames: readable(self.registry, class, carried),
            fields: pack.classes[class.index()].carry.fields.as_ref(),
            universe: pack.carryover.as_ref().map_or(FrameSet::EMPTY, |carryover| carryover.universe),
        };
        let view = View { readable: Some(reading), ..self.view(slots, slots) };
        work_out(&view, class, trigger, matched, heard, late);
        Inputs {
            base: heard.inputs.base.clone(),
            ambiguous: heard.inputs.ambiguous.clone(),
            partial: heard.inputs.partial.clone(),
            late: std::mem::take(late),
        }
    }

    fn try_select(
        &mut self,
        class: ClassId,
        trigger: usize,
        why: Option<Sym>,
        heard: &Heard,
        gate: FrameSet,
        closed: Vec<Arc<str>>,
    ) -> Result<Step, Vec<Breach>> {
        let pack = self.registry.pack();
        let declared = &pack.classes[class.index()];
        let slots: &'a [Value] = &self.state.slots;
        let matched = triggered(self.registry, class, trigger, &declared.triggers[trigger], heard).unwrap_or_default();
        let inputs = self.inputs_for(class, trigger, &matched, heard, slots, gate, &mut Vec::new());
        let carried = effective(self.registry, class, gate);
        let universe = pack.carryover.as_ref().map_or(FrameSet::EMPTY, |carryover| carryover.universe);
        let mut start = slots.to_vec();
        let mut dropped = FrameSet::EMPTY;
        for frame in universe.minus(carried).minus(declared.carry.keep).iter() {
            if reset(&pack.slots, &mut start, frame) {
                dropped.insert(frame);
            }
        }
        if let Some(fields) = &declared.carry.fields {
            for slot in carried.iter().flat_map(|frame| pack.frames[frame.index()].fields()) {
                if !fields.has(slot) {
                    start[slot.index()] = pack.slots[slot.index()].default.clone();
                }
            }
        }
        for slot in &declared.carry.forbid_fields {
            start[slot.index()] = pack.slots[slot.index()].default.clone();
        }
        let mut decided = FrameSet::EMPTY;
        for (frame, fate) in &declared.fate {
            if *fate == Fate::Clear {
                decided.insert(*frame);
                if reset(&pack.slots, &mut start, *frame) {
                    dropped.insert(*frame);
                }
            }
        }
        let performed = self.carry_out(Plan {
            class,
            effects: &declared.effects,
            start,
            before: slots,
            inputs: Some(&inputs),
            outcome: None,
            reason: why,
            written: SlotSet::default(),
            waiting: false,
        })?;
        let unused = if class == pack.boundary { Vec::new() } else { unused(self.registry, class, heard) };
        let calls = open_calls(class, &performed.done);
        let turn = (!calls.is_empty()).then(|| {
            Arc::new(Turn {
                id: self.env.turn_id.clone(),
                selected: class,
                steps: 1,
                before: self.state.slots.clone(),
                calls,
                written: performed.done.written.clone(),
                decided,
            })
        });
        let mut reasons: Vec<Sym> = why.into_iter().collect();
        if !unused.is_empty() {
            reasons.push(self.registry.syms.unused_signal);
        }
        let mut step = self.commit(performed, turn, Phase::Select, class, class, reasons);
        step.carried = carried;
        step.dropped = dropped;
        step.closed = closed;
        step.unused = unused;
        Ok(step)
    }

    // ---- settle -------------------------------------------------------------------------------------------------

    fn settle(
        mut self,
        call: &str,
        status: Status,
        value: Option<&Json>,
        error: Option<&Arc<str>>,
    ) -> Result<Step, StepError> {
        let pack = self.registry.pack();
        let open = self
            .state
            .turn
            .as_ref()
            .and_then(|turn| turn.calls.iter().position(|open| &*open.id == call).map(|at| (turn.clone(), at)));
        let Some((turn, at)) = open else {
            return Ok(self.refused(Phase::Settle, self.registry.syms.stale_outcome));
        };
        if self.env.trace {
            self.trace = Some(Box::default());
        }
        let outcome = read_outcome(self.registry, &turn.calls[at], status, value, error);
        let slots: &'a [Value] = &self.state.slots;
        if turn.steps >= pack.step_limit {
            let why = self.registry.syms.step_limit;
            return self.boundary_takes(&turn, at, &outcome, why);
        }
        let mut candidates = self.outcome_candidates(&turn.calls[at], &outcome, slots);
        let choice = match two_rows(&candidates) {
            true => Choice::Unordered,
            false => choose(self.registry, &mut candidates),
        };
        self.note_outcome(&candidates, &outcome, slots);
        let taken = match choice {
            Choice::Take(taken) => candidates[taken].clone(),
            Choice::Nobody(_) => {
                let why = self.registry.syms.no_transition;
                return self.boundary_takes(&turn, at, &outcome, why);
            }
            Choice::Unordered => {
                let why = self.registry.syms.ambiguous;
                return self.boundary_takes(&turn, at, &outcome, why);
            }
        };
        let declared = &pack.classes[taken.class.index()];
        let (effects, base, why) = match taken.row {
            Some(row) => (declared.settle[row].effects.as_slice(), Base::Selected, None),
            None => {
                let trigger = &declared.triggers[taken.trigger];
                let base = match trigger.on {
                    On::Outcome { base, .. } => base,
                    On::Event(_) | On::Boundary => Base::Selected,
                };
                (declared.effects.as_slice(), base, trigger.reason)
            }
        };
        match self.try_settle(&turn, at, &outcome, taken.class, effects, base, why) {
            Ok(step) => Ok(step),
            Err(breaches) => {
                self.failures.push(Failure { class: taken.class, breaches });
                self.mark_refused(taken.class);
                let why = self.registry.syms.verification_failed;
                self.boundary_takes(&turn, at, &outcome, why)
            }
        }
    }

    fn boundary_takes(
        &mut self,
        turn: &Arc<Turn>,
        at: usize,
        outcome: &OutcomeView,
        why: Sym,
    ) -> Result<Step, StepError> {
        let pack = self.registry.pack();
        let effects = &pack.classes[pack.boundary.index()].effects;
        self.try_settle(turn, at, outcome, pack.boundary, effects, Base::Before, Some(why)).map_err(|breaches| {
            self.failures.push(Failure { class: pack.boundary, breaches });
            StepError::Boundary { failures: std::mem::take(&mut self.failures) }
        })
    }

    /// Classes that can take an outcome: settle rows of the class that called, and outcome triggers.
    fn outcome_candidates(&self, call: &OpenCall, outcome: &OutcomeView, slots: &'a [Value]) -> Vec<Considered> {
        let pack = self.registry.pack();
        let view = View { outcome: Some(outcome), ..self.view(slots, slots) };
        let mut candidates: Vec<Considered> = Vec::new();
        for (row, settle) in pack.classes[call.class.index()].settle.iter().enumerate() {
            if settle.on == call.site {
                let verdict = if view.holds(&settle.when) { Verdict::Chosen } else { Verdict::Entry };
                candidates.push(Considered { class: call.class, trigger: 0, row: Some(row), verdict });
            }
        }
        for (class, trigger) in &self.registry.on_outcome {
            let declared = &pack.classes[class.index()];
            let On::Outcome { port, ok, .. } = declared.triggers[*trigger].on else { continue };
            let listens =
                port.is_none_or(|port| port == call.port) && ok.is_none_or(|ok| ok == (outcome.status == Status::Ok));
            if !listens {
                continue;
            }
            let earlier = candidates.iter().position(|known| known.class == *class && known.row.is_none());
            if earlier.is_some_and(|at| candidates[at].verdict == Verdict::Chosen) {
                continue;
            }
            let verdict = guard(&view, declared, *trigger, FrameSet::EMPTY);
            let considered = Considered { class: *class, trigger: *trigger, row: None, verdict };
            match earlier {
                None => candidates.push(considered),
                Some(at) if rank(&considered.verdict) > rank(&candidates[at].verdict) => candidates[at] = considered,
                Some(_) => {}
            }
        }
        candidates
    }

    #[allow(clippy::too_many_arguments)]
    fn try_settle(
        &mut self,
        turn: &Arc<Turn>,
        at: usize,
        outcome: &OutcomeView,
        class: ClassId,
        effects: &[Effect],
        base: Base,
        why: Option<Sym>,
    ) -> Result<Step, Vec<Breach>> {
        let pack = self.registry.pack();
        let (start, before): (Vec<Value>, &[Value]) = match base {
            Base::Selected => (self.state.slots.to_vec(), &self.state.slots),
            Base::Before => {
                let mut start = turn.before.to_vec();
                for frame in turn.decided.iter() {
                    reset(&pack.slots, &mut start, frame);
                }
                (start, &turn.before)
            }
        };
        let mut rest: Vec<OpenCall> = Vec::new();
        let mut closed: Vec<Arc<str>> = Vec::new();
        for (index, call) in turn.calls.iter().enumerate() {
            if index == at {
                continue;
            }
            match base {
                Base::Selected => rest.push(call.clone()),
                Base::Before => closed.push(call.id.clone()),
            }
        }
        let written =
            if class == turn.selected && base == Base::Selected { turn.written.clone() } else { SlotSet::default() };
        let performed = self.carry_out(Plan {
            class,
            effects,
            start,
            before,
            inputs: None,
            outcome: Some(outcome),
            reason: why,
            written,
            waiting: !rest.is_empty(),
        })?;
        rest.extend(open_calls(class, &performed.done));
        let next = (!rest.is_empty()).then(|| {
            let mut written = turn.written.clone();
            performed.done.written.iter().for_each(|slot| written.insert(slot));
            Arc::new(Turn { steps: turn.steps + 1, calls: rest, written, ..(**turn).clone() })
        });
        let reasons: Vec<Sym> = why.into_iter().collect();
        let mut step = self.commit(performed, next, Phase::Settle, class, turn.selected, reasons);
        step.closed = closed;
        Ok(step)
    }

    // ---- both ---------------------------------------------------------------------------------------------------

    /// Does, answers and verifies, on a copy.
    fn carry_out(&mut self, plan: Plan<'_>) -> Result<Performed, Vec<Breach>> {
        let pack = self.registry.pack();
        let declared = &pack.classes[plan.class.index()];
        let start = View {
            registry: self.registry,
            now: &plan.start,
            before: plan.before,
            inputs: plan.inputs,
            outcome: plan.outcome,
            answer: None,
            reason: plan.reason,
            calls: &[],
            env: self.view,
            readable: None,
            entry: None,
        };
        let done = perform(&start, plan.effects, plan.written, self.env.ids).map_err(|breach| vec![breach])?;
        let mut view = View { now: &done.slots, calls: &done.calls, ..start };
        let replies = done.calls.iter().any(|call| pack.ports[call.port.index()].replies);
        let mode =
            if plan.waiting || replies { None } else { Some(answer(&view, declared).map_err(|breach| vec![breach])?) };
        view.answer = mode;
        let breaches = verify(&view, plan.class, &done.written);
        if breaches.is_empty() { Ok(Performed { done, answer: mode }) } else { Err(breaches) }
    }

    fn commit(
        &mut self,
        performed: Performed,
        turn: Option<Arc<Turn>>,
        phase: Phase,
        class: ClassId,
        selected: ClassId,
        reasons: Vec<Sym>,
    ) -> Step {
        let Performed { done, answer } = performed;
        let changes = self
            .state
            .slots
            .iter()
            .zip(&done.slots)
            .enumerate()
            .filter(|(_, (old, new))| old != new)
            .map(|(index, (old, new))| Change {
                slot: crate::model::ids::Slot::at(index),
                old: old.clone(),
                new: new.clone(),
            })
            .collect();
        Step {
            state: SessionState { slots: done.slots.into(), turn, revision: self.state.revision + 1 },
            phase,
            class: Some(class),
            selected: Some(selected),
            refused: None,
            reasons,
            carried: FrameSet::EMPTY,
            dropped: FrameSet::EMPTY,
            changes,
            calls: done.calls,
            closed: Vec::new(),
            messages: done.messages,
            answer,
            unused: Vec::new(),
            failures: std::mem::take(&mut self.failures),
            trace: self.trace.take(),
        }
    }

    // ---- trace --------------------------------------------------------------------------------------------------

    fn note(&mut self, considered: &[Considered], heard: &Heard, slots: &'a [Value], gate: FrameSet, event: EventId) {
        if self.trace.is_none() {
            return;
        }
        let pack = self.registry.pack();
        let mut listed = Vec::new();
        for class in self.registry.strongest_first() {
            let listening = self.registry.by_event[event.index()].iter().find(|(listener, _)| listener == class);
            let Some((_, first)) = listening else { continue };
            let found = considered.iter().find(|candidate| candidate.class == *class);
            let (trigger, verdict) = match found {
                Some(found) => (found.trigger, found.verdict.clone()),
                None => (*first, Verdict::NotTriggered),
            };
            let declared = &pack.classes[class.index()];
            let matched = triggered(self.registry, *class, trigger, &declared.triggers[trigger], heard);
            let inputs =
                self.inputs_for(*class, trigger, &matched.unwrap_or_default(), heard, slots, gate, &mut Vec::new());
            let view = View { inputs: Some(&inputs), ..self.view(slots, slots) };
            let derived = pack
                .derived
                .iter()
                .map(|derived| (derived.input, inputs.get(self.registry, derived.input).clone()))
                .filter(|(_, value)| value.is_present())
                .collect();
            listed.push(Candidate {
                class: *class,
                trigger,
                row: None,
                verdict,
                leaves: guard_leaves(&view, declared, trigger),
                derived,
            });
        }
        if let Some(trace) = &mut self.trace {
            trace.candidates = listed;
        }
    }

    fn note_outcome(&mut self, considered: &[Considered], outcome: &OutcomeView, slots: &'a [Value]) {
        if self.trace.is_none() {
            return;
        }
        let pack = self.registry.pack();
        let view = View { outcome: Some(outcome), ..self.view(slots, slots) };
        let listed = considered
            .iter()
            .map(|candidate| {
                let declared = &pack.classes[candidate.class.index()];
                let mut found = Vec::new();
                match candidate.row {
                    Some(row) => leaves(&view, &declared.settle[row].when, false, &mut found),
                    None => found = guard_leaves(&view, declared, candidate.trigger),
                }
                Candidate {
                    class: candidate.class,
                    trigger: candidate.trigger,
                    row: candidate.row,
                    verdict: candidate.verdict.clone(),
                    leaves: found,
                    derived: Vec::new(),
                }
            })
            .collect();
        if let Some(trace) = &mut self.trace {
            trace.candidates = listed;
        }
    }

    fn mark_refused(&mut self, class: ClassId) {
        if let Some(trace) = &mut self.trace {
            for candidate in &mut trace.candidates {
                if candidate.class == class && candidate.verdict == Verdict::Chosen {
                    candidate.verdict = Verdict::Refused;
                }
            }
        }
    }
}

/// How far a verdict got.
fn rank(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Chosen => 3,
        Verdict::Entry => 0,
        Verdict::CarryoverBlocked(_) => 2,
        Verdict::Requires => 1,
        _ => 0,
    }
}

fn two_rows(candidates: &[Considered]) -> bool {
    candidates.iter().filter(|candidate| candidate.row.is_some() && candidate.verdict == Verdict::Chosen).count() > 1
}

fn open_calls(class: ClassId, done: &Done) -> Vec<OpenCall> {
    done.calls
        .iter()
        .zip(&done.kept)
        .map(|(call, kept)| OpenCall {
            id: call.id.clone(),
            class,
            site: call.site,
            port: call.port,
            kept: kept.clone(),
        })
        .collect()
}

/// Said values that the class neither reads nor ignores.
fn unused(registry: &Registry, class: ClassId, heard: &Heard) -> Vec<InputId> {
    let pack = registry.pack();
    let declared = &pack.classes[class.index()];
    let mut unused: Vec<InputId> = heard
        .said
        .iter()
        .map(|said| said.input)
        .filter(|input| pack.inputs[input.index()].kind == InputKind::Signal)
        .filter(|input| !declared.reads.contains(input) && !declared.ignores.contains(input))
        .collect();
    unused.sort();
    unused.dedup();
    unused
}

/// Reads an outcome by its port's declaration; an answer that breaks it is a failure of kind `contract`.
fn read_outcome(
    registry: &Registry,
    call: &OpenCall,
    status: Status,
    value: Option<&Json>,
    error: Option<&Arc<str>>,
) -> OutcomeView {
    let pack = registry.pack();
    let port = &pack.ports[call.port.index()];
    let mut view = OutcomeView {
        site: call.site,
        port: port.name,
        status,
        error: error.map_or(Value::Absent, |error| Value::Text(error.clone())),
        value: vec![Value::Absent; pack.outcomes.len()],
        kept: call.kept.clone(),
    };
    if status != Status::Ok {
        return view;
    }
    let empty = Json::Object(serde_json::Map::new());
    match fields_from_json(pack, &registry.response[call.port.index()], false, value.unwrap_or(&empty)) {
        Ok(record) => {
            for (outcome, _) in &port.response {
                view.value[outcome.index()] = record.field(pack.outcomes[outcome.index()].name).clone();
            }
        }
        Err(_) => {
            view.status = Status::Failed;
            view.error = Value::text(reason::CONTRACT);
        }
    }
    view
}
