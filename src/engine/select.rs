//! The select phase: one outside input, its candidates, carryover, and the step of the class that takes it.

use std::sync::Arc;

use crate::lexicon::MAX_TEXT;
use crate::model::class::Fate;
use crate::model::ids::{ClassId, EventId, FrameSet, InputId, SlotSet};
use crate::model::names::Sym;
use crate::model::value::Value;
use crate::model::{InputKind, WhileOpen};
use crate::registry::Registry;
use crate::state::{Held, Turn};

use super::choose::{Choice, Considered, choose, consider, effective, guard, has_passed, limit, outranked};
use super::eval::{Inputs, Readable, View};
use super::event::NoIds;
use super::probe::Stage;
use super::recognise::{Heard, Hearing, Matched, hear, triggered, work_out};
use super::run::{Plan, Room, Run, Scratch, StepError, going_on, open_calls};
use super::trace::{Bound, Candidate, Verdict, guard_leaves};
use super::verify::{Breach, Failure, reset, reset_field};
use super::{Phase, Step};

/// What one candidate sees: its inputs, and the fields with the instances bound that it names, where it names any.
struct Stand<'h> {
    inputs: Inputs<'h>,
    bound: Option<Arc<[Value]>>,
}

/// A trigger that passes, with what its class sees.
type Passed<'h> = (ClassId, usize, Stand<'h>);

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
        self.marks.reached(Stage::Recognise);
        let Scratch { ear, heard, room } = scratch;
        let pack = self.registry.pack();
        for (_, value) in fields {
            if let Value::Text(text) = value
                && text.len() > MAX_TEXT
            {
                return Err(StepError::TextTooLong { bytes: text.len() });
            }
        }
        if !self.state.turns.is_empty() && pack.while_open == WhileOpen::Refuse {
            return Ok(self.refused(Phase::Select, self.registry.syms.busy));
        }
        let hearing = hear(self.registry, event, fields, self.trace.is_some(), ear, heard);
        if let Some(trace) = &mut self.trace {
            trace.text.clone_from(&hearing.heard.text);
            trace.said.clone_from(&hearing.heard.said);
        }
        self.marks.reached(Stage::Choose);
        let slots: &'a [Value] = &self.state.slots;
        let gate = limit(self.registry, slots);
        let passed = self.consider_all(event, hearing, slots, gate, room);
        let choice = choose(self.registry, &mut room.candidates);
        self.note(&room.candidates, hearing, slots, gate, event);
        let syms = &self.registry.syms;
        let boundary = |why| Taker { class: pack.boundary, trigger: self.registry.bare_trigger, why: Some(why) };
        let taker = match choice {
            Choice::Take(at) if let Some(why) = self.forced => {
                self.mark_refused(room.candidates[at].class);
                boundary(why)
            }
            Choice::Take(at) => {
                let Considered { class, trigger, .. } = room.candidates[at];
                Taker { class, trigger, why: pack.classes[class.index()].triggers[trigger].reason }
            }
            Choice::Nobody(reason) => boundary(self.forced.unwrap_or(reason)),
            Choice::Unordered => boundary(self.forced.unwrap_or(syms.ambiguous)),
        };
        let instead = boundary(syms.verification_failed);
        let stand = match passed {
            Some((class, trigger, stand)) if (class, trigger) == (taker.class, taker.trigger) => stand,
            _ => self.stand_of(taker, hearing, gate, std::mem::take(&mut room.late)),
        };
        match self.try_select(taker, hearing, &stand, gate) {
            Ok(step) => {
                room.late = stand.inputs.late;
                Ok(step)
            }
            Err(breaches) => {
                self.failures.push(Failure { class: taker.class, breaches });
                self.mark_refused(taker.class);
                let stand = self.stand_of(instead, hearing, gate, stand.inputs.late);
                self.try_select(instead, hearing, &stand, gate).map_err(|breaches| {
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
    ) -> Option<Passed<'h>>
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
            let stand = self.stand(class, trigger, &matched, hearing, gate, std::mem::take(late));
            let fields = stand.bound.as_deref().unwrap_or(slots);
            let plain = View::plain(self.registry, fields, fields, self.view);
            let cut = if class == pack.boundary { FrameSet::EMPTY } else { declared.needs.minus(gate) };
            let verdict = guard(&View { inputs: Some(&stand.inputs), ..plain }, declared, trigger, cut);
            match passed {
                None if verdict == Verdict::Chosen => passed = Some((class, trigger, stand)),
                _ => *late = stand.inputs.late,
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

    /// What who takes the event sees.
    fn stand_of<'h>(&self, taker: Taker, hearing: Hearing<'h>, gate: FrameSet, late: Vec<Value>) -> Stand<'h>
    where
        'a: 'h,
    {
        let Taker { class, trigger, .. } = taker;
        let matched = triggered(self.registry, class, trigger, hearing).unwrap_or_default();
        self.stand(class, trigger, &matched, hearing, gate, late)
    }

    /// What one candidate sees: first which instances it binds, then its inputs.
    fn stand<'h>(
        &self,
        class: ClassId,
        trigger: usize,
        matched: &Matched,
        hearing: Hearing<'h>,
        gate: FrameSet,
        late: Vec<Value>,
    ) -> Stand<'h>
    where
        'a: 'h,
    {
        let pack = self.registry.pack();
        let declared = &pack.classes[class.index()];
        let undecided = declared.fate.iter().filter(|(_, fate)| *fate != Fate::Use).map(|(frame, _)| *frame).collect();
        let readable = self.readable(class, gate);
        let reading = Readable { frames: readable.frames.minus(undecided), ..readable };
        let slots: &[Value] = &self.state.slots;
        let view = View { readable: Some(reading), ..self.view(slots, slots) };
        let inputs = work_out(&view, class, trigger, matched, hearing, late);
        if declared.bind.is_empty() {
            return Stand { inputs, bound: None };
        }
        let mut fields = self.state.slots.clone();
        {
            let view = View { inputs: Some(&inputs), ..View::plain(self.registry, slots, slots, self.view) };
            let view = View { readable: Some(reading), ..view };
            for (frame, expr) in &declared.bind {
                let Some(keyed) = &pack.frames[frame.index()].keyed else { continue };
                // A key that is absent binds nothing.
                if let Ok(Value::Text(key)) = view.value(expr, &mut NoIds).as_deref() {
                    self.state.instances.bind(pack, keyed, key, Arc::make_mut(&mut fields));
                }
            }
        }
        // What is derived may come from the instance.
        let view = View { readable: Some(reading), ..View::plain(self.registry, &fields, &fields, self.view) };
        let inputs = work_out(&view, class, trigger, matched, hearing, inputs.late);
        Stand { inputs, bound: Some(fields) }
    }

    fn try_select(
        &mut self,
        Taker { class, why, .. }: Taker,
        hearing: Hearing<'_>,
        stand: &Stand<'_>,
        gate: FrameSet,
    ) -> Result<Step, Vec<Breach>> {
        self.marks.reached(Stage::Change);
        let pack = self.registry.pack();
        let declared = &pack.classes[class.index()];
        let stood = stand.bound.as_ref().unwrap_or(&self.state.slots);
        let carried = effective(self.registry, class, gate);
        let universe = pack.carryover.as_ref().map_or(FrameSet::EMPTY, |carryover| carryover.universe);
        let mut start = stood.clone();
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
            instances: &self.state.instances,
            before: stood,
            inputs: Some(&stand.inputs),
            outcome: None,
            reason: why,
            // What the gate cuts is absent in values, although its defaults stand there.
            readable: Some(self.readable(class, gate)),
            written: SlotSet::default(),
            waiting: &[],
        })?;
        let unused = if class == pack.boundary { Vec::new() } else { unused(self.registry, class, hearing.heard) };
        let done = &performed.done;
        let mut closed = Vec::new();
        let mut turns = going_on(&self.state.turns, &mut closed, |call| match pack.while_open {
            WhileOpen::Cancel | WhileOpen::Refuse => true,
            WhileOpen::Allow => call.owners.is_empty() || done.closes(&call.owners),
        });
        let calls = open_calls(pack, class, done, &mut closed);
        if !calls.is_empty() {
            let held = || Held { slots: self.state.slots.clone(), instances: self.state.instances.clone() };
            turns.push(Arc::new(Turn {
                id: self.view.turn.clone(),
                selected: class,
                steps: 1,
                before: (pack.while_open != WhileOpen::Allow).then(held),
                calls,
                written: done.written.clone(),
                decided,
            }));
        }
        let mut reasons: Vec<Sym> = why.into_iter().collect();
        if !unused.is_empty() {
            reasons.push(self.registry.syms.unused_signal);
        }
        let mut step = self.commit(performed, turns, Phase::Select, class, class, reasons);
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
            let stand = self.stand(*class, trigger, &matched, hearing, gate, Vec::new());
            let inputs = &stand.inputs;
            let fields = stand.bound.as_deref().unwrap_or(slots);
            let view = View { inputs: Some(inputs), ..View::plain(self.registry, fields, fields, self.view) };
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
                bound: Bound::all(pack, fields),
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
