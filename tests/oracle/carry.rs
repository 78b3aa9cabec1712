//! Carryover: what a class carries under a gate, what it may read, what is reset.

use segue::model::Pack;
use segue::model::class::{Class, Fate};
use segue::model::ids::{ClassId, FrameId, FrameSet, Slot};
use segue::model::value::Value;

use super::Fields;

/// The frames that the gate lets through: all of the universe where there is no gate or it is unset.
pub fn gate(pack: &Pack, state: &Fields) -> FrameSet {
    let Some(carryover) = &pack.carryover else { return FrameSet::EMPTY };
    let value = carryover.limit.map(|slot| state.get(pack, slot));
    match value {
        Some(Value::Sym(depth)) => {
            let found = carryover.depths.iter().find(|(name, _)| *name == depth);
            found.expect("the limit's values are names of depths").1
        }
        _ => carryover.universe,
    }
}

/// What a class carries: its depth within the gate, without what it forbids. The boundary is never cut.
pub fn effective(pack: &Pack, class: ClassId, gate: FrameSet) -> FrameSet {
    let Some(carryover) = &pack.carryover else { return FrameSet::EMPTY };
    let declared = &pack.classes[class.index()].carry;
    if class == pack.boundary {
        return declared.frames.intersection(carryover.universe).minus(declared.forbid);
    }
    declared.frames.intersection(gate).minus(declared.forbid)
}

/// Whether a field of the universe is carried.
fn carried(pack: &Pack, class: &Class, frames: FrameSet, slot: Slot) -> bool {
    frames.has(pack.slots[slot.index()].frame)
        && !class.carry.forbid_fields.contains(&slot)
        && class.carry.fields.as_ref().is_none_or(|fields| fields.has(slot))
}

/// Whether a value or a derived signal of a class may read a field.
pub fn may_read(pack: &Pack, class: ClassId, frames: FrameSet, slot: Slot) -> bool {
    let declared = &pack.classes[class.index()];
    let frame = pack.slots[slot.index()].frame;
    let universe = pack.carryover.as_ref().map_or(FrameSet::EMPTY, |carryover| carryover.universe);
    if universe.has(frame) {
        return carried(pack, declared, frames, slot);
    }
    true
}

/// Resets what is not carried, then what the class lets go.
pub fn carry(pack: &Pack, class: ClassId, frames: FrameSet, before: &Fields) -> Fields {
    let declared = &pack.classes[class.index()];
    let universe = pack.carryover.as_ref().map_or(FrameSet::EMPTY, |carryover| carryover.universe);
    let mut state = before.clone();
    for frame in universe.iter() {
        for slot in pack.frames[frame.index()].fields() {
            let kept = declared.carry.keep.has(frame) && !declared.carry.forbid_fields.contains(&slot);
            let survives = carried(pack, declared, frames, slot) || kept;
            if !survives {
                state.reset(pack, slot);
            }
        }
    }
    for (frame, fate) in &declared.fate {
        if *fate == Fate::Clear {
            state.reset_frame(pack, *frame);
        }
    }
    state
}

/// Frames of the universe, and decided frames, that held something before and were reset.
pub fn dropped(pack: &Pack, class: ClassId, frames: FrameSet, before: &Fields) -> FrameSet {
    let declared = &pack.classes[class.index()];
    let universe = pack.carryover.as_ref().map_or(FrameSet::EMPTY, |carryover| carryover.universe);
    let cut = universe.minus(frames).minus(declared.carry.keep);
    let cleared: FrameSet =
        declared.fate.iter().filter(|(_, fate)| *fate == Fate::Clear).map(|(frame, _)| *frame).collect();
    cut.union(cleared).iter().filter(|frame| holds_something(pack, before, *frame)).collect()
}

/// Whether a frame has a field that is not at its default.
fn holds_something(pack: &Pack, state: &Fields, frame: FrameId) -> bool {
    pack.frames[frame.index()].fields().any(|slot| state.get(pack, slot) != pack.slots[slot.index()].default)
}
