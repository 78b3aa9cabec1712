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
use super::recognise::{Heard, Hearing, Matched, hear, triggered, work_out};
use super::run::{Plan, Room, Run, Scratch, StepError, open_calls};
use super::trace::{Candidate, Verdict, guard_leaves};
use super::verify::{Breach, Failure, reset, reset_field};
use super::{Phase, Step};

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
        let hearing = hear(self.registry, event, fields, self.trace.is_some(), ear, heard);
        if let Some(trace) = &mut self.trace {
            trace.text.clone_from(&hearing.heard.text);
            trace.said.clone_from(&hearing.heard.said);
        }
        let slots: &'a [Value] = &self.state.slots;
        let gate = limit(self.registry, slots);
        let passed = self.consider_all(event, hearing, slots, gate, room);
        let choice = choose(self.registry, &mut room.candidates);
        self.note(&room.candidates, hearing, slots, gate, event);
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
        let inputs = match passed {
            Some((class, trigger, inputs)) if (class, trigger) == (taker.class, taker.trigger) => inputs,
            _ => self.inputs_by(taker, hearing, gate, std::mem::take(&mut room.late)),
        };
        match self.try_select(taker, hearing, &inputs, gate, closed.clone()) {
            Ok(step) => {
                room.late = inputs.late;
                Ok(step)
            }
            Err(breaches) => {
                self.failures.push(Failure { class: taker.class, breaches });
                self.mark_refused(taker.class);
                let inputs = self.inputs_by(instead, hearing, gate, inputs.late);
                self.try_select(instead, hearing, &inputs, gate, closed).map_err(|breaches| {
                    self.failures.push(Failure { class: pack.boundary, breaches });
                    StepError::Boundary { failures: std::mem::take(&mut self.failures) }
                })
            }
        }
    }

    /// Every class whose trigger matched, with its verdict; `Chosen` stands for "passes". Those that cannot change the choice
    /// are left out unless somebody wants to see the trace. Gives the first trigger that passes, with its inputs: mostly it
    /// is the one that takes the event.
    fn consider_all<'h>(
        &self,
        event: EventId,
        hearing: Hearing<'h>,
        slots: &'a [Value],
        gate: FrameSet,
        room: &mut Room,
    ) -> Option<(ClassId, usize, Inputs<'h>)>
    where
        'a: 'h,
    {
        let pack = self.registry.pack();
        let Room { positions, candidates, late } = room;
        candidates.clear();
        let listening = &self.registry.by_event[event.index()];
        positions.clear();
        positions.extend(&listening.open);
        positions.extend(hearing.heard.fired.iter().filter_map(|(form, _)| listening.of_form[*form]));
        positions.sort_unstable();
        positions.dedup();
        let mut passed = None;
        for at in positions {
            let (class, trigger) = listening.triggers[*at];
            let declared = &pack.classes[class.index()];
            let seen = self.trace.is_some();
            if has_passed(candidates, class) || (!seen && outranked(self.registry, candidates, class)) {
                continue;
            }
            let Some(matched) = triggered(self.registry, class, trigger, hearing) else { continue };
            let inputs = self.inputs_for(class, trigger, &matched, hearing, gate, std::mem::take(late));
            let view = View { inputs: Some(&inputs), ..self.view(slots, slots) };
            let cut = if class == pack.boundary { FrameSet::EMPTY } else { declared.needs.minus(gate) };
            let verdict = guard(&view, declared, trigger, cut);
            match passed {
                None if verdict == Verdict::Chosen => passed = Some((class, trigger, inputs)),
                _ => *late = inputs.late,
            }
            consider(candidates, Considered { class, trigger, row: None, verdict });
        }
        passed
    }

    /// What the values of a class may read of the state.
    fn readable(&self, class: ClassId, gate: FrameSet) -> Readable<'a> {
        let pack = self.registry.pack();
        let carry = &pack.classes[class.index()].carry;
        Readable {
            frames: effective(self.registry, class, gate).union(self.registry.outside),
            fields: carry.fields.as_ref(),
            forbidden: &carry.forbid_fields,
            universe: pack.carryover.as_ref().map_or(FrameSet::EMPTY, |carryover| carryover.universe),
            own: None,
        }
    }

    /// The inputs as who takes the event sees them.
    fn inputs_by<'h>(&self, taker: Taker, hearing: Hearing<'h>, gate: FrameSet, late: Vec<Value>) -> Inputs<'h>
    where
        'a: 'h,
    {
        let Taker { class, trigger, .. } = taker;
        let matched = triggered(self.registry, class, trigger, hearing).unwrap_or_default();
        self.inputs_for(class, trigger, &matched, hearing, gate, late)
    }

    /// The inputs as one candidate sees them.
    fn inputs_for<'h>(
        &self,
        class: ClassId,
        trigger: usize,
        matched: &Matched,
        hearing: Hearing<'h>,
        gate: FrameSet,
        late: Vec<Value>,
    ) -> Inputs<'h>
    where
        'a: 'h,
    {
        let fate = &self.registry.pack().classes[class.index()].fate;
        let undecided = fate.iter().filter(|(_, fate)| *fate != Fate::Use).map(|(frame, _)| *frame).collect();
        let readable = self.readable(class, gate);
        let reading = Readable { frames: readable.frames.minus(undecided), ..readable };
        let slots: &'h [Value] = &self.state.slots;
        let view: View<'h> = View { readable: Some(reading), ..self.view(slots, slots) };
        work_out(&view, class, trigger, matched, hearing, late)
    }

    fn try_select(
        &mut self,
        Taker { class, why, .. }: Taker,
        hearing: Hearing<'_>,
        inputs: &Inputs<'_>,
        gate: FrameSet,
        closed: Vec<Arc<str>>,
    ) -> Result<Step, Vec<Breach>> {
        let pack = self.registry.pack();
        let declared = &pack.classes[class.index()];
        let slots: &'a [Value] = &self.state.slots;
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
            inputs: Some(inputs),
            outcome: None,
            reason: why,
            // What the gate cuts is absent in values, although its defaults stand there.
            readable: Some(self.readable(class, gate)),
            written: SlotSet::default(),
            waiting: false,
        })?;
        let unused = if class == pack.boundary { Vec::new() } else { unused(self.registry, class, hearing.heard) };
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

    fn note(
        &mut self,
        considered: &[Considered],
        hearing: Hearing<'_>,
        slots: &'a [Value],
        gate: FrameSet,
        event: EventId,
    ) {
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
            let matched = triggered(self.registry, *class, trigger, hearing).unwrap_or_default();
            let inputs = self.inputs_for(*class, trigger, &matched, hearing, gate, Vec::new());
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
