//! A condition that is known to hold, with what tells it apart from others at a glance.

use std::hash::{BuildHasher, Hash, Hasher};

use crate::maps::Hashes;
use crate::model::cond::{Cond, Op, Operand, Place};
use crate::model::ids::SlotSet;
use crate::model::walk;

/// A condition that is known to hold.
pub(super) struct Known {
    /// The condition.
    pub cond: Cond,
    /// The fields that it reads as they are now.
    pub slots: SlotSet,
    print: u64,
}

impl Known {
    /// Takes note of a condition.
    pub fn of(cond: Cond) -> Self {
        let mut slots = SlotSet::default();
        walk::cond_paths(&cond, &mut |path| {
            if let Place::Field(slot) = path.place {
                slots.insert(slot);
            }
        });
        Self { slots, print: print(&cond), cond }
    }

    /// Whether it is this condition, of which `print` is the print.
    pub fn is(&self, cond: &Cond, print: u64) -> bool {
        self.print == print && self.cond == *cond
    }
}

impl PartialEq for Known {
    fn eq(&self, other: &Self) -> bool {
        self.is(&other.cond, other.print)
    }
}

/// A number that is the same for the same condition, and mostly another one for another.
pub(super) fn print(cond: &Cond) -> u64 {
    let mut hasher = Hashes::default().build_hasher();
    feed(cond, &mut hasher);
    hasher.finish()
}

fn feed(cond: &Cond, into: &mut impl Hasher) {
    std::mem::discriminant(cond).hash(into);
    match cond {
        Cond::All(of) | Cond::Any(of) => of.iter().for_each(|cond| feed(cond, into)),
        Cond::Not(of) => feed(of, into),
        Cond::Test { path, op, .. } => {
            path.place.hash(into);
            path.steps.len().hash(into);
            std::mem::discriminant(op).hash(into);
            match op {
                Op::Eq(Operand::Path(path)) | Op::Differs(Operand::Path(path)) => path.place.hash(into),
                Op::Present(wanted) | Op::Empty(wanted) => wanted.hash(into),
                _ => {}
            }
        }
    }
}
