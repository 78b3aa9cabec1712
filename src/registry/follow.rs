//! What a turn that a class selects surely leaves behind, as far as literals say it: the source of follow edges.

use crate::model::class::{Class, Fate, On};
use crate::model::cond::{Cond, Op, Operand, Place};
use crate::model::effect::{Effect, Expr, Verb};
use crate::model::ids::{ClassId, FrameSet, Slot};
use crate::model::value::Value;
use crate::model::walk::targets;
use crate::model::{Pack, WhileOpen};

/// The ways a turn can end: with what its class made of it, or with what stood before it.
pub struct Left(Vec<Known>);

/// For each field what steps that take outcomes write there, in whatever turn: nothing, one value, or anything.
pub struct Settled(Vec<Option<Option<Value>>>);

impl Settled {
    /// Any of the steps that outcomes can set off: settle rows of every class, for calls that a settle step made too, and classes
    /// with an outcome trigger. The boundary takes what nobody takes.
    pub fn of(pack: &Pack) -> Self {
        let mut all: Vec<Option<Option<Value>>> = vec![None; pack.slots.len()];
        let mut put = |slot: Slot, value: Option<Value>, _: bool| {
            let known = &mut all[slot.index()];
            *known = Some(value.filter(|value| known.as_ref().is_none_or(|known| known.as_ref() == Some(value))));
        };
        for (index, class) in pack.classes.iter().enumerate() {
            class.settle.iter().for_each(|row| writes(pack, &row.effects, false, &mut put));
            if ClassId::at(index) == pack.boundary
                || class.triggers.iter().any(|of| matches!(of.on, On::Outcome { .. }))
            {
                writes(pack, &class.effects, false, &mut put);
            }
        }
        // The class that comes next binds an instance of its own.
        (0..all.len())
            .map(Slot::at)
            .filter(|slot| pack.is_bound(*slot))
            .for_each(|slot| all[slot.index()] = Some(None));
        Self(all)
    }
}

/// What effects write, in their order: the field, its value where that is known, and whether it is surely written so.
fn writes(pack: &Pack, effects: &[Effect], sure: bool, put: &mut dyn FnMut(Slot, Option<Value>, bool)) {
    for effect in effects {
        let sure = sure && effect.when.is_true();
        let default = |slot: Slot| Some(pack.slots[slot.index()].default.clone());
        match &effect.verb {
            Verb::Set(of) => {
                for (slot, expr) in of {
                    match expr {
                        Expr::Value(value) => put(*slot, Some(value.clone()), sure),
                        _ => put(*slot, None, true),
                    }
                }
            }
            Verb::ClearField(slots) => slots.iter().for_each(|slot| put(*slot, default(*slot), sure)),
            Verb::ClearFrame(frames) => {
                fields(pack, frames.iter().copied().collect()).for_each(|slot| put(slot, default(slot), sure));
            }
            verb => targets(pack, verb, &mut |slot| put(slot, None, true)),
        }
    }
}

/// For each field its value, where that is sure.
struct Known(Vec<Option<Value>>);

impl Left {
    /// What class `id` leaves: after its own step; after each way to settle its calls; and, where a call came to nothing,
    /// what stood before the turn.
    pub fn of(pack: &Pack, id: ClassId, settled: &Settled) -> Self {
        let class = &pack.classes[id.index()];
        if id == pack.boundary || class.triggers.iter().any(|trigger| matches!(trigger.on, On::Outcome { .. })) {
            // It may start from any state, without carrying.
            let mut left = Known::nothing(pack);
            left.write(pack, &class.effects, true);
            left.settle(settled);
            return Self(vec![left]);
        }
        let mut before = Known::nothing(pack);
        before.assume(pack, &class.requires);
        let mut after = before.carried(pack, class);
        after.write(pack, &class.effects, true);
        // Outcomes of other turns may come all the same where several are under way.
        let alone = pack.while_open != WhileOpen::Allow;
        if alone && !class.effects.iter().any(|effect| matches!(effect.verb, Verb::Call(_))) {
            return Self(vec![after]);
        }
        after.settle(settled);
        // Whoever takes an outcome from before the turn finds what the turn has let go cleared.
        let mut undone = before;
        undone.reset(pack, cleared(class));
        undone.settle(settled);
        Self(vec![after, undone])
    }

    /// Whether no trigger of a class can find its required prior state, however the turn ended.
    pub fn rules_out(&self, class: &Class) -> bool {
        self.0.iter().all(|known| {
            let never = |cond: &Cond| !known.truths(cond).may(TRUE);
            never(&class.requires) || class.triggers.iter().all(|trigger| never(&trigger.requires))
        })
    }
}

impl Known {
    fn nothing(pack: &Pack) -> Self {
        Self(vec![None; pack.slots.len()])
    }

    /// What a condition that holds says.
    fn assume(&mut self, pack: &Pack, cond: &Cond) {
        match cond {
            Cond::All(of) => of.iter().for_each(|cond| self.assume(pack, cond)),
            Cond::Test { path, op, .. } => {
                let (Place::Field(slot), true) = (path.place, path.steps.is_empty()) else { return };
                // The class that comes next binds an instance of its own.
                if pack.is_bound(slot) {
                    return;
                }
                let value = match op {
                    Op::Eq(Operand::Value(value)) => value.clone(),
                    Op::In(values) if values.len() == 1 => values[0].clone(),
                    Op::Present(false) => Value::Absent,
                    _ => return,
                };
                self.0[slot.index()] = Some(value);
            }
            Cond::Any(_) | Cond::Not(_) => {}
        }
    }

    /// What is known after carrying. A frame that the gate may cut is either as it was or reset.
    fn carried(&self, pack: &Pack, class: &Class) -> Self {
        let mut after = Self(self.0.clone());
        let Some(carryover) = &pack.carryover else {
            after.reset(pack, cleared(class));
            return after;
        };
        let survives = class.carry.frames.union(class.carry.keep);
        after.reset(pack, carryover.universe.minus(survives));
        // Frames that the class needs are there, or it would not have been chosen.
        for slot in fields(pack, class.carry.frames.minus(class.needs).minus(class.carry.keep)) {
            let default = pack.slots[slot.index()].default.clone();
            after.put(slot, Some(default), false);
        }
        let narrowed = class.carry.fields.as_ref();
        for slot in fields(pack, class.carry.frames) {
            if narrowed.is_some_and(|fields| !fields.has(slot)) {
                // What is kept is not narrowed where the gate cuts it.
                let sure = !class.carry.keep.has(pack.slots[slot.index()].frame);
                after.put(slot, Some(pack.slots[slot.index()].default.clone()), sure);
            }
        }
        for slot in &class.carry.forbid_fields {
            if carryover.universe.has(pack.slots[slot.index()].frame) {
                after.put(*slot, Some(pack.slots[slot.index()].default.clone()), true);
            }
        }
        after.reset(pack, cleared(class));
        after
    }

    fn reset(&mut self, pack: &Pack, frames: FrameSet) {
        for slot in fields(pack, frames) {
            self.put(slot, Some(pack.slots[slot.index()].default.clone()), true);
        }
    }

    /// Any of the steps that take outcomes may have been done, any number of times.
    fn settle(&mut self, settled: &Settled) {
        for (slot, value) in settled.0.iter().enumerate() {
            if let Some(value) = value {
                self.put(Slot::at(slot), value.clone(), false);
            }
        }
    }

    fn put(&mut self, slot: Slot, value: Option<Value>, sure: bool) {
        let known = &mut self.0[slot.index()];
        *known = if sure || *known == value { value } else { None };
    }

    fn write(&mut self, pack: &Pack, effects: &[Effect], sure: bool) {
        writes(pack, effects, sure, &mut |slot, value, sure| self.put(slot, value, sure));
        let bound = (0..self.0.len()).map(Slot::at).filter(|slot| pack.is_bound(*slot));
        bound.for_each(|slot| self.0[slot.index()] = None);
    }

    /// What a condition may come to.
    fn truths(&self, cond: &Cond) -> Truths {
        match cond {
            Cond::All(of) => of.iter().fold(TRUE, |all, cond| all.pairs(self.truths(cond), u8::min)),
            Cond::Any(of) => of.iter().fold(FALSE, |any, cond| any.pairs(self.truths(cond), u8::max)),
            Cond::Not(cond) => self.truths(cond).pairs(TRUE, |truth, _| 2 - truth),
            Cond::Test { path, op, .. } => {
                let Place::Field(slot) = path.place else { return ANY };
                match &self.0[slot.index()] {
                    Some(value) if path.steps.is_empty() => truths_of(value, op),
                    _ => ANY,
                }
            }
        }
    }
}

/// A set of truth values, one bit each for false, unknown and true.
#[derive(Clone, Copy)]
struct Truths(u8);

const FALSE: Truths = Truths(1);
const UNKNOWN: Truths = Truths(2);
const TRUE: Truths = Truths(4);
const ANY: Truths = Truths(7);

impl Truths {
    fn may(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// What comes of each pair; truth values are numbered in their order.
    fn pairs(self, other: Self, of: impl Fn(u8, u8) -> u8) -> Self {
        let mut set = 0;
        for a in 0..3 {
            for b in 0..3 {
                if self.0 & (1 << a) != 0 && other.0 & (1 << b) != 0 {
                    set |= 1 << of(a, b);
                }
            }
        }
        Self(set)
    }
}

fn truths_of(value: &Value, op: &Op) -> Truths {
    let known = |truth: bool| if truth { TRUE } else { FALSE };
    match op {
        Op::Present(wanted) => known(value.is_present() == *wanted),
        Op::Differs(_) if !value.is_present() => TRUE,
        Op::Differs(Operand::Value(other)) => known(value != other),
        Op::Differs(Operand::Path(_)) => ANY,
        _ if !value.is_present() => UNKNOWN,
        Op::Eq(Operand::Value(wanted)) => known(value == wanted),
        Op::In(wanted) => known(wanted.contains(value)),
        _ => ANY,
    }
}

fn cleared(class: &Class) -> FrameSet {
    class.fate.iter().filter(|(_, fate)| *fate == Fate::Clear).map(|(frame, _)| *frame).collect()
}

fn fields(pack: &Pack, frames: FrameSet) -> impl Iterator<Item = Slot> {
    let fields: Vec<Slot> = frames.iter().flat_map(|frame| pack.frames[frame.index()].fields()).collect();
    fields.into_iter()
}
