//! The settle phase: the outcome of a call, who takes it, and what the step starts from.

use std::sync::Arc;

use serde_json::Value as Json;
use smallvec::SmallVec;

use crate::model::class::{Base, On};
use crate::model::effect::Effect;
use crate::model::ids::{ClassId, FrameSet, SlotSet};
use crate::model::json::{Naming, fields_from_wire};
use crate::model::names::Sym;
use crate::model::value::Value;
use crate::model::{Status, Wrong, reason};
use crate::state::{OpenCall, Sent, Store, Turn, keyed_frames};

use super::choose::{Choice, Considered, choose, consider, guard, has_passed};
use super::eval::{OutcomeView, View};
use super::probe::Stage;
use super::readings;
use super::run::{Plan, Run, StepError, going_on, open_calls};
use super::trace::{Bound, Candidate, Verdict, guard_leaves, leaves};
use super::verify::{Breach, Failure, reset};
use super::{CallOut, Phase, Retried, Step};

/// An outcome, and the turn and the call that it belongs to.
#[derive(Clone, Copy)]
struct Arrived<'o> {
    /// The turn, a position among those under way.
    of: usize,
    turn: &'o Arc<Turn>,
    /// The call, a position among the open ones.
    at: usize,
    outcome: &'o OutcomeView,
    /// The fields as they stand, with the instances bound that the call belongs to.
    stood: &'o Arc<[Value]>,
}

/// Who takes an outcome, and how.
struct Taker<'o> {
    class: ClassId,
    effects: &'o [Effect],
    base: Base,
    why: Option<Sym>,
}

impl<'a> Run<'a, '_> {
    pub(super) fn settle(
        mut self,
        call: &str,
        status: Status,
        value: Option<&Json>,
        error: Option<&Arc<str>>,
    ) -> Result<Step, StepError> {
        self.marks.reached(Stage::Recognise);
        let pack = self.registry.pack();
        let open = self.state.turns.iter().enumerate().find_map(|(of, turn)| {
            let at = turn.calls.iter().position(|open| &*open.id == call)?;
            Some((of, turn.clone(), at))
        });
        let Some((of, turn, at)) = open else {
            return Ok(self.refused(Phase::Settle, self.registry.syms.stale_outcome));
        };
        let outcome = self.read_outcome(&turn.calls[at], status, value, error);
        self.marks.reached(Stage::Choose);
        let stood = self.bound_to(&turn.calls[at], &self.state.slots, &self.state.instances);
        let arrived = Arrived { of, turn: &turn, at, outcome: &outcome, stood: &stood };
        if let Some(why) = self.forced {
            return self.boundary_takes(arrived, why);
        }
        if turn.steps >= pack.step_limit {
            return self.boundary_takes(arrived, self.registry.syms.step_limit);
        }
        if let Some(step) = self.made_again(arrived) {
            return Ok(step);
        }
        let mut candidates = self.outcome_candidates(&turn.calls[at], &outcome, &stood);
        let choice = choose(self.registry, &mut candidates);
        self.note_outcome(&candidates, &outcome, &stood);
        let taken = match choice {
            Choice::Take(taken) => candidates[taken].clone(),
            Choice::Nobody(_) => return self.boundary_takes(arrived, self.registry.syms.no_transition),
            Choice::Unordered => return self.boundary_takes(arrived, self.registry.syms.ambiguous),
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
        match self.try_settle(arrived, &Taker { class: taken.class, effects, base, why }) {
            Ok(step) => Ok(step),
            Err(breaches) => {
                self.failures.push(Failure { class: taken.class, breaches });
                self.mark_refused(taken.class);
                self.boundary_takes(arrived, self.registry.syms.verification_failed)
            }
        }
    }

    /// Reads an outcome by its port's declaration; an answer that breaks it is a failure of kind `contract`.
    fn read_outcome(
        &self,
        call: &OpenCall,
        status: Status,
        value: Option<&Json>,
        error: Option<&Arc<str>>,
    ) -> OutcomeView {
        let pack = self.registry.pack();
        let port = &pack.ports[call.port.index()];
        let error = error.filter(|_| status != Status::Ok);
        let mut view = OutcomeView {
            site: call.site,
            port: port.name,
            status,
            error: error.map_or(Value::Absent, |error| Value::Text(error.clone().into())),
            breach: Value::Absent,
            value: vec![Value::Absent; pack.outcomes.len()],
            read: Vec::new(),
            kept: call.kept.clone(),
        };
        if status != Status::Ok {
            return view;
        }
        let empty = Json::Object(serde_json::Map::new());
        let response = &self.registry.response[call.port.index()];
        let against = |contract| self.registry.contracts.broken(contract, value.unwrap_or(&empty));
        let refused = port.contract.response.and_then(against).map(|_| self.registry.syms.schema_breach);
        let broken = refused.or_else(|| match fields_from_wire(pack, response, false, value.unwrap_or(&empty)) {
            Ok(record) => {
                let mut unfit = false;
                for (outcome, _) in &port.response {
                    let declared = &pack.outcomes[outcome.index()];
                    let value = record.field(declared.name);
                    unfit |= self.registry.contracts.misfit(pack, Naming::Wire, &declared.ty, value).is_some();
                    view.value[outcome.index()] = value.clone();
                }
                if unfit {
                    Some(self.registry.syms.schema_breach)
                } else if self.read_texts(call, &mut view) {
                    self.broken_check(call, &view)
                } else {
                    Some(self.registry.syms.type_breach)
                }
            }
            Err(_) => Some(self.registry.syms.type_breach),
        });
        if let Some(breach) = broken {
            view.status = Status::Failed;
            view.error = Value::text(reason::CONTRACT);
            view.breach = Value::Sym(breach);
            // Nothing of it is read.
            view.read.clear();
            view.value.fill(Value::Absent);
        }
        view
    }

    /// Has the lexicon read texts of an answer; whether all of it still fits its type.
    fn read_texts(&self, call: &OpenCall, outcome: &mut OutcomeView) -> bool {
        let plain = View::plain(self.registry, &self.state.slots, &self.state.slots, self.view);
        let sent = call.sent.as_ref().map_or(&[][..], |sent| &sent.with);
        for reading in &self.registry.pack().ports[call.port.index()].readings {
            let Some(read) = readings::read(&plain, reading, sent, &mut outcome.value) else { return false };
            outcome.read.extend(read);
        }
        true
    }

    /// The first check of its port that an answer does not pass.
    fn broken_check(&self, call: &OpenCall, outcome: &OutcomeView) -> Option<Sym> {
        let checks = &self.registry.pack().ports[call.port.index()].checks;
        if checks.is_empty() {
            return None;
        }
        let request = call.sent.as_ref().map_or(&[][..], |sent| &sent.with);
        let plain = View::plain(self.registry, &self.state.slots, &self.state.slots, self.view);
        let view = View { outcome: Some(outcome), request, ..plain };
        checks.iter().find(|check| view.holds(&check.when) && !view.holds(&check.require)).map(|check| check.id)
    }

    /// A call that went wrong is made once more, where its port says so: the same request under a new id. Nobody hears of it.
    fn made_again(&mut self, arrived: Arrived<'_>) -> Option<Step> {
        let Arrived { of, turn, at, outcome, .. } = arrived;
        let call = &turn.calls[at];
        let retry = self.registry.pack().ports[call.port.index()].retry.as_ref()?;
        let wrong = match outcome.status {
            Status::Ok | Status::Cancelled => return None,
            Status::Timeout => Wrong::Timeout,
            Status::Failed if outcome.breach.is_present() => Wrong::Contract,
            Status::Failed => Wrong::Failed,
        };
        let sent = call.sent.as_ref()?;
        if !retry.on.contains(&wrong) || sent.attempt > retry.max {
            return None;
        }
        let id = self.ids.fresh("call");
        let mut calls = turn.calls.clone();
        let again = Sent { with: sent.with.clone(), attempt: sent.attempt + 1 };
        calls[at] = OpenCall { id: id.clone(), sent: Some(Arc::new(again)), ..call.clone() };
        let mut state = self.state.clone();
        state.turns[of] = Arc::new(Turn { steps: turn.steps + 1, calls, ..(**turn).clone() });
        state.revision += 1;
        Some(Step {
            state,
            phase: Phase::Settle,
            class: None,
            selected: Some(turn.selected),
            refused: None,
            reasons: Vec::new(),
            carried: FrameSet::EMPTY,
            dropped: FrameSet::EMPTY,
            before: self.state.slots.clone(),
            before_instances: self.state.instances.clone(),
            calls: vec![CallOut { id, site: call.site, port: call.port, with: sent.with.clone() }],
            closed: Vec::new(),
            messages: Vec::new(),
            answer: None,
            breach: outcome.breach(),
            read: Vec::new(),
            retried: Some(Retried { attempt: sent.attempt, of: retry.max }),
            unused: Vec::new(),
            failures: Vec::new(),
            trace: self.trace.take(),
        })
    }

    /// The boundary takes an outcome for a reason of the engine; where that breaks something, once more because of that.
    fn boundary_takes(&mut self, arrived: Arrived<'_>, why: Sym) -> Result<Step, StepError> {
        let pack = self.registry.pack();
        let effects = &pack.classes[pack.boundary.index()].effects;
        let last = self.registry.syms.verification_failed;
        let mut reasons = vec![why];
        reasons.extend((why != last).then_some(last));
        let base = if arrived.turn.before.is_some() { Base::Before } else { Base::Selected };
        for why in reasons {
            let taker = Taker { class: pack.boundary, effects, base, why: Some(why) };
            match self.try_settle(arrived, &taker) {
                Ok(step) => return Ok(step),
                Err(breaches) => self.failures.push(Failure { class: pack.boundary, breaches }),
            }
        }
        Err(StepError::Boundary { failures: std::mem::take(&mut self.failures) })
    }

    /// Classes that can take an outcome: settle rows of the class that called, and outcome triggers.
    fn outcome_candidates(&self, call: &OpenCall, outcome: &OutcomeView, slots: &[Value]) -> Vec<Considered> {
        let pack = self.registry.pack();
        let view = View { outcome: Some(outcome), ..View::plain(self.registry, slots, slots, self.view) };
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
            if has_passed(&candidates, *class) {
                continue;
            }
            let verdict = guard(&view, declared, *trigger, FrameSet::EMPTY);
            consider(&mut candidates, Considered { class: *class, trigger: *trigger, row: None, verdict });
        }
        candidates
    }

    fn try_settle(&mut self, arrived: Arrived<'_>, taker: &Taker<'_>) -> Result<Step, Vec<Breach>> {
        self.marks.reached(Stage::Change);
        let Arrived { of, turn, at, outcome, stood } = arrived;
        let Taker { class, effects, base, why } = *taker;
        let pack = self.registry.pack();
        let (start, before, instances) = match (base, &turn.before) {
            (Base::Before, Some(held)) => {
                // An instance that the turn has closed stays so.
                let instances = self.state.instances.before(pack, &held.instances);
                let before = self.bound_to(&turn.calls[at], &held.slots, &instances);
                let mut start = before.clone();
                for frame in turn.decided.iter() {
                    reset(pack, &mut start, frame);
                }
                for keyed in keyed_frames(pack) {
                    instances.count(keyed, Arc::make_mut(&mut start));
                }
                (start, before, instances)
            }
            _ => (stood.clone(), stood.clone(), self.state.instances.clone()),
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
            instances: &instances,
            before: &before,
            inputs: None,
            outcome: Some(outcome),
            reason: why,
            readable: None,
            written,
            waiting: &rest,
        })?;
        let done = &performed.done;
        let mut turns = SmallVec::new();
        for (index, other) in self.state.turns.iter().enumerate() {
            if index != of {
                turns.extend(going_on(std::slice::from_ref(other), &mut closed, |call| done.closes(&call.owners)));
                continue;
            }
            rest.retain(|call| {
                let stays = !done.closes(&call.owners);
                closed.extend((!stays).then(|| call.id.clone()));
                stays
            });
            rest.extend(open_calls(pack, class, done, &mut closed));
            if rest.is_empty() {
                continue;
            }
            let mut written = match base {
                Base::Selected => turn.written.clone(),
                Base::Before => SlotSet::default(),
            };
            done.written.iter().for_each(|slot| written.insert(slot));
            let calls = std::mem::take(&mut rest);
            turns.push(Arc::new(Turn { steps: turn.steps + 1, calls, written, ..(**turn).clone() }));
        }
        let reasons: Vec<Sym> = why.into_iter().collect();
        let mut step = self.commit(performed, turns, Phase::Settle, class, turn.selected, reasons);
        step.closed = closed;
        step.breach = outcome.breach();
        step.read = outcome.read.clone();
        Ok(step)
    }

    /// Fields with the instances bound that a call belongs to.
    fn bound_to(&self, call: &OpenCall, slots: &Arc<[Value]>, instances: &Store) -> Arc<[Value]> {
        let pack = self.registry.pack();
        let mut slots = slots.clone();
        for (frame, key) in &call.owners {
            if let Some(keyed) = &pack.frames[frame.index()].keyed {
                instances.bind(pack, keyed, key, Arc::make_mut(&mut slots));
            }
        }
        slots
    }

    fn note_outcome(&mut self, considered: &[Considered], outcome: &OutcomeView, slots: &[Value]) {
        if self.trace.is_none() {
            return;
        }
        let pack = self.registry.pack();
        let view = View { outcome: Some(outcome), ..View::plain(self.registry, slots, slots, self.view) };
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
                    matched: Vec::new(),
                    row: candidate.row,
                    verdict: candidate.verdict.clone(),
                    leaves: found,
                    derived: Vec::new(),
                    bound: Bound::all(pack, slots),
                }
            })
            .collect();
        if let Some(trace) = &mut self.trace {
            trace.candidates = listed;
        }
    }
}
