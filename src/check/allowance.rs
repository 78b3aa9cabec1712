//! What a class may read in its effects and answers, and what of the state survives its carry.

use crate::model::Pack;
use crate::model::class::{Class, Fate};
use crate::model::ids::{ClassId, FrameId, FrameSet, Slot};
use crate::model::schema::Type;

/// Why a field may not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Its frame is under `keep`.
    Kept,
    /// Its frame is under `forbid`.
    Forbidden,
    /// The field is under `forbid`.
    ForbiddenField,
    /// `fields` leaves it out.
    LeftOut,
    /// The depth does not hold its frame.
    NotCarried,
    /// Its frame is one whose fate the class decides, and the fate is not `use`.
    NotUsed(Fate),
}

/// The carryover rules of one class.
pub struct Allowance<'a> {
    pack: &'a Pack,
    class: &'a Class,
    universe: FrameSet,
    boundary: bool,
}

impl<'a> Allowance<'a> {
    /// The rules of a class. The boundary's depth is the whole universe, and the gate does not cut it.
    pub fn of(pack: &'a Pack, id: ClassId) -> Self {
        let universe = pack.carryover.as_ref().map_or(FrameSet::EMPTY, |carryover| carryover.universe);
        Self { pack, class: &pack.classes[id.index()], universe, boundary: id == pack.boundary }
    }

    fn frame(&self, slot: Slot) -> FrameId {
        self.pack.slots[slot.index()].frame
    }

    /// What the class makes of a frame under `decide`.
    pub fn fate(&self, frame: FrameId) -> Option<Fate> {
        if !self.pack.decide.contains(&frame) {
            return None;
        }
        Some(self.class.fate.iter().find(|(of, _)| *of == frame).map_or(Fate::Keep, |(_, fate)| *fate))
    }

    /// Why the class may not read a field, `None` where it may. An id in a frame under `decide` may always be read as it
    /// was before the step.
    pub fn refusal(&self, slot: Slot, before: bool) -> Option<Refusal> {
        let frame = self.frame(slot);
        let carry = &self.class.carry;
        if !self.universe.has(frame) {
            return match self.fate(frame) {
                None | Some(Fate::Use) => None,
                Some(_) if before && self.pack.slots[slot.index()].ty == Type::Id => None,
                Some(fate) => Some(Refusal::NotUsed(fate)),
            };
        }
        if carry.forbid.has(frame) {
            return Some(Refusal::Forbidden);
        }
        if carry.forbid_fields.contains(&slot) {
            return Some(Refusal::ForbiddenField);
        }
        if self.boundary {
            return None;
        }
        if !carry.frames.has(frame) {
            return Some(if carry.keep.has(frame) { Refusal::Kept } else { Refusal::NotCarried });
        }
        match &carry.fields {
            Some(fields) if !fields.has(slot) => Some(Refusal::LeftOut),
            _ => None,
        }
    }

    /// Whether the value of a field is the same after carry as before, provided the gate does not cut its frame.
    pub fn survives(&self, slot: Slot) -> bool {
        let frame = self.frame(slot);
        if self.universe.has(frame) {
            let forbidden = self.class.carry.forbid_fields.contains(&slot);
            return (self.class.carry.keep.has(frame) && !forbidden) || self.refusal(slot, false).is_none();
        }
        self.fate(frame) != Some(Fate::Clear)
    }

    /// Whether the gate cannot cut a frame from a class that was chosen.
    pub fn uncut(&self, frame: FrameId) -> bool {
        self.boundary
            || !self.universe.has(frame)
            || self.class.carry.keep.has(frame)
            || self.class.needs.has(frame)
            || self.pack.carryover.as_ref().is_none_or(|carryover| carryover.limit.is_none())
    }

    /// Whether a frame goes through carry as a whole: not narrowed to some of its fields.
    pub fn whole(&self, frame: FrameId) -> bool {
        let carry = &self.class.carry;
        let narrowed = carry.forbid_fields.iter().any(|slot| self.frame(*slot) == frame);
        !self.universe.has(frame)
            || (carry.keep.has(frame) && !narrowed)
            || !(carry.keep.has(frame) || carry.frames.has(frame))
            || (carry.fields.is_none() && !narrowed)
    }
}
