//! What a class surely leaves behind when it selects, as far as literals say it: the source of follow edges.

use crate::model::Pack;
use crate::model::class::{Class, Fate};
use crate::model::cond::{Cond, Op, Operand, Place};
use crate::model::effect::{Effect, Expr, Verb};
use crate::model::ids::{FrameId, FrameSet};
use crate::model::value::Value;

/// For each field its value after the class, where that is sure whatever the outcome of its calls.
pub struct Left(Vec<Option<Value>>);

impl Left {
    pub fn of(pack: &Pack, class: &Class) -> Self {
        let mut left = vec![None; pack.slots.len()];
        let survives = class.carry.frames.union(class.carry.keep);
        let universe = pack.carryover.as_ref().map_or(FrameSet::EMPTY, |carryover| carryover.universe);
        let cleared = class.fate.iter().filter(|(_, fate)| *fate == Fate::Clear).map(|(frame, _)| *frame);
        let reset = universe.minus(survives).union(cleared.collect());
        for (index, field) in pack.slots.iter().enumerate() {
            if reset.has(field.frame) {
                left[index] = Some(field.default.clone());
            }
        }
        if class.id == pack.classes[pack.boundary.index()].id {
            left.fill(None);
        }
        let settles = class.settle.iter().map(|row| row.effects.as_slice());
        write(pack, &mut left, &class.effects, true);
        for effects in settles {
            write(pack, &mut left, effects, false);
        }
        // A failed call may put the state before the turn back.
        if !class.settle.is_empty() || class.effects.iter().any(|effect| matches!(effect.verb, Verb::Call(_))) {
            left.fill(None);
        }
        Self(left)
    }

    /// Whether `cond` is surely not true.
    pub fn refutes(&self, cond: &Cond) -> bool {
        match cond {
            Cond::All(of) => of.iter().any(|cond| self.refutes(cond)),
            Cond::Any(of) => of.iter().all(|cond| self.refutes(cond)),
            Cond::Not(_) => false,
            Cond::Test { path, op, .. } => {
                let Place::Field(slot) = path.place else { return false };
                let Some(value) = &self.0[slot.index()] else { return false };
                if !path.steps.is_empty() {
                    return false;
                }
                match op {
                    Op::Eq(Operand::Value(wanted)) => value != wanted,
                    Op::In(wanted) => !wanted.contains(value),
                    Op::Present(wanted) => value.is_present() != *wanted,
                    _ => false,
                }
            }
        }
    }
}

fn write(pack: &Pack, left: &mut [Option<Value>], effects: &[Effect], sure: bool) {
    for effect in effects {
        let sure = sure && effect.when.is_true();
        let mut put = |slot: usize, value: Option<Value>| {
            left[slot] = if sure || left[slot] == value { value } else { None };
        };
        match &effect.verb {
            Verb::Set(fields) => {
                for (slot, value) in fields {
                    match value {
                        Expr::Value(value) => put(slot.index(), Some(value.clone())),
                        _ => put(slot.index(), None),
                    }
                }
            }
            Verb::Append(fields) | Verb::Remove(fields) | Verb::Merge(fields) => {
                for (slot, _) in fields {
                    put(slot.index(), None);
                }
            }
            Verb::Increment(fields) => {
                for (slot, _) in fields {
                    put(slot.index(), None);
                }
            }
            Verb::ClearField(slots) => {
                for slot in slots {
                    put(slot.index(), Some(pack.slots[slot.index()].default.clone()));
                }
            }
            Verb::ClearFrame(frames) => {
                for slot in frames.iter().flat_map(|frame: &FrameId| pack.frames[frame.index()].fields()) {
                    put(slot.index(), Some(pack.slots[slot.index()].default.clone()));
                }
            }
            Verb::Call(_) | Verb::Emit { .. } => {}
        }
    }
}
