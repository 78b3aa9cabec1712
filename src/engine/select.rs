//! The select phase: one outside input, its candidates, carryover, and the step of the class that takes it.

use std::sync::Arc;

use crate::lexicon::MAX_TEXT;
use crate::model::class::Fate;
use crate::model::ids::{ClassId, EventId, FrameSet, InputId, SlotSet};
use crate::model::names::Sym;
use crate::model::value::Value;
use crate::model::{InputKind, WhileOpen};
use crate::registry::Registry;
use crate::state::Turn;

use super::choose::{Choice, Considered, choose, consider, effective, guard, has_passed, limit, outranked};
use super::eval::{Inputs, Readable, View};
use super::recognise::{Heard, Matched, hear, triggered, work_out};
use super::run::{Plan, Room, Run, Scratch, StepError, open_calls};
use super::trace::{Candidate, Verdict, guard_leaves};
use super::verify::{Breach, Failure, reset, reset_field};
use super::{Phase, Step};

/// A class and the trigger of it that matched.
struct At<'m> {
    class: ClassId,
    trigger: usize,
    matched: &'m Matched,
}

/// Who takes the input, by which trigger, and why.
#[derive(Clone, Copy)]
struct Taker {
    class: ClassId,
    trigger: usize,
    why: Option<Sym>,
}

impl<'a> Run<'a, '_> {
    pub(super) fn select(
        mut self,
        event: EventId,
        fields: &[(InputId, Value)],
        scratch: &mut Scratch,
    ) -> Result<Step, StepError> {
        let Scratch { ear, heard, room } = scratch;
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
            if pack.while_open == WhileOpen::Refuse {
                return Ok(self.refused(Phase::Select, self.registry.syms.busy));
            }
            closed = turn.calls.iter().map(|call| call.id.clone()).collect();
        }
        hear(self.registry, event, fields, self.trace.is_some(), ear, heard);
        if let Some(trace) = &mut self.trace {
            trace.text.clone_from(&heard.text);
            trace.said.clone_from(&heard.said);
        }
        let slots: &'a [Value] = &self.state.slots;
        let gate = limit(self.registry, slots);
        self.consider_all(event, heard, slots, gate, room);
        let choice = choose(self.registry, &mut room.candidates);
        self.note(&room.candidates, heard, slots, gate, event);
        let syms = &self.registry.syms;
        let boundary = |why| Taker { class: pack.boundary, trigger: self.registry.bare_trigger, why: Some(why) };
        let taker = match choice {
            Choice::Take(at) => {
                let Considered { class, trigger, .. } = room.candidates[at];
                Taker { class, trigger, why: pack.classes[class.index()].triggers[trigger].reason }
            }
            Choice::Nobody(reason) => boundary(reason),
            Choice::Unordered => boundary(syms.ambiguous),
        };
        let instead = boundary(syms.verification_failed);
        match self.try_select(taker, heard, gate, &mut room.late, closed.clone()) {
            Ok(step) => Ok(step),
            Err(breaches) => {
                self.failures.push(Failure { class: taker.class, breaches });
                self.mark_refused(taker.class);
                self.try_select(instead, heard, gate, &mut room.late, closed).map_err(|breaches| {
                    self.failures.push(Failure { class: pack.boundary, breaches });
                    StepError::Boundary { failures: std::mem::take(&mut self.failures) }
                })
            }
        }
    }

    /// Every class whose trigger matched, with its verdict; `Chosen` stands for "passes". Those that cannot change the choice
    /// are left out unless somebody wants to see the trace.
    fn consider_all(&self, event: EventId, heard: &Heard, slots: &'a [Value], gate: FrameSet, room: &mut Room) {
        let pack = self.registry.pack();
        let Room { positions, candidates, late } = room;
        candidates.clear();
        let listening = &self.registry.by_event[event.index()];
        positions.clear();
        positions.extend(&listening.open);
        positions.extend(heard.fired.iter().filter_map(|(form, _)| listening.of_form[*form]));
        positions.sort_unstable();
        positions.dedup();
        for at in positions {
            let (class, trigger) = &listening.triggers[*at];
            let declared = &pack.classes[class.index()];
            let seen = self.trace.is_some();
            if has_passed(candidates, *class) || (!seen && outranked(self.registry, candidates, *class)) {
                continue;
            }
            let Some(matched) = triggered(self.registry, *class, *trigger, &declared.triggers[*trigger], heard) else {
                continue;
            };
            let at = At { class: *class, trigger: *trigger, matched: &matched };
            let inputs = self.inputs_for(&at, heard, gate, std::mem::take(late));
            let view = View { inputs: Some(&inputs), ..self.view(slots, slots) };
            let cut = if *class == pack.boundary { FrameSet::EMPTY } else { declared.needs.minus(gate) };
            let verdict = guard(&view, declared, *trigger, cut);
            *late = inputs.late;
            consider(candidates, Considered { class: *class, trigger: *trigger, row: None, verdict });
        }
    }

    /// What the values of a class may read of the state.
    fn readable(&self, class: ClassId, gate: FrameSet) -> Readable<'a> {
        let pack = self.registry.pack();
        let carry = &pack.classes[class.index()].carry;
        Readable {
            frames: effective(self.registry, class, gate).union(pack.outside()),
            fields: carry.fields.as_ref(),
            forbidden: &carry.forbid_fields,
            universe: pack.carryover.as_ref().map_or(FrameSet::EMPTY, |carryover| carryover.universe),
            own: None,
        }
    }

    /// The inputs as one candidate sees them.
    fn inputs_for<'h>(&self, at: &At<'_>, heard: &'h Heard, gate: FrameSet, room: Vec<Value>) -> Inputs<'h>
    where
        'a: 'h,
    {
        let pack = self.registry.pack();
        let class = &pack.classes[at.class.index()];
        let undecided = class.fate.iter().filter(|(_, fate)| *fate != Fate::Use).map(|(frame, _)| *frame).collect();
        let readable = self.readable(at.class, gate);
        let reading = Readable { frames: readable.frames.minus(undecided), ..readable };
        let slots: &'h [Value] = &self.state.slots;
        let view: View<'h> = View { readable: Some(reading), ..self.view(slots, slots) };
        work_out(&view, at.class, at.trigger, at.matched, heard, room)
    }

    fn try_select(
        &mut self,
        Taker { class, trigger, why }: Taker,
        heard: &Heard,
        gate: FrameSet,
        late: &mut Vec<Value>,
        closed: Vec<Arc<str>>,
    ) -> Result<Step, Vec<Breach>> {
        let pack = self.registry.pack();
        let declared = &pack.classes[class.index()];
        let slots: &'a [Value] = &self.state.slots;
        let matched = triggered(self.registry, class, trigger, &declared.triggers[trigger], heard).unwrap_or_default();
        let at = At { class, trigger, matched: &matched };
        let inputs = self.inputs_for(&at, heard, gate, std::mem::take(late));
        let carried = effective(self.registry, class, gate);
        let universe = pack.carryover.as_ref().map_or(FrameSet::EMPTY, |carryover| carryover.universe);
        let mut start = self.state.slots.clone();
        let mut dropped = FrameSet::EMPTY;
        for frame in universe.minus(carried).minus(declared.carry.keep).iter() {
            if reset(pack, &mut start, frame) {
                dropped.insert(frame);
            }
        }
        if let Some(fields) = &declared.carry.fields {
            for slot in carried.iter().flat_map(|frame| pack.frames[frame.index()].fields()) {
                if !fields.has(slot) {
                    reset_field(pack, &mut start, slot);
                }
            }
        }
        // Frames outside of the universe are touched by effects only.
        for slot in declared.carry.forbid_fields.iter().filter(|slot| universe.has(pack.slots[slot.index()].frame)) {
            reset_field(pack, &mut start, *slot);
        }
        let mut decided = FrameSet::EMPTY;
        for (frame, fate) in &declared.fate {
            if *fate == Fate::Clear {
                decided.insert(*frame);
                if reset(pack, &mut start, *frame) {
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
            // What the gate cuts is absent in values, although its defaults stand there.
            readable: Some(self.readable(class, gate)),
            written: SlotSet::default(),
            waiting: false,
        })?;
        *late = inputs.late;
        let unused = if class == pack.boundary { Vec::new() } else { unused(self.registry, class, heard) };
        let calls = open_calls(pack, class, &performed.done);
        let turn = (!calls.is_empty()).then(|| {
            Arc::new(Turn {
                id: self.view.turn.clone(),
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

    fn note(&mut self, considered: &[Considered], heard: &Heard, slots: &'a [Value], gate: FrameSet, event: EventId) {
        if self.trace.is_none() {
            return;
        }
        let pack = self.registry.pack();
        let mut listed = Vec::new();
        for class in self.registry.strongest_first() {
            let listening =
                self.registry.by_event[event.index()].triggers.iter().find(|(listener, _)| listener == class);
            let Some((_, first)) = listening else { continue };
            let found = considered.iter().find(|candidate| candidate.class == *class);
            let (trigger, verdict) = match found {
                Some(found) => (found.trigger, found.verdict.clone()),
                None => (*first, Verdict::NotTriggered),
            };
            let declared = &pack.classes[class.index()];
            let matched = triggered(self.registry, *class, trigger, &declared.triggers[trigger], heard);
            let matched = matched.unwrap_or_default();
            let at = At { class: *class, trigger, matched: &matched };
            let inputs = self.inputs_for(&at, heard, gate, Vec::new());
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
                matched: matched.to_vec(),
            });
        }
        if let Some(trace) = &mut self.trace {
            trace.candidates = listed;
        }
    }
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
