//! A class reads in its effects and answers only what it carries; what it declares about carryover can hold together.

use crate::diag::Diagnostics;
use crate::model::Pack;
use crate::model::class::{Answer, Class};
use crate::model::cond::{Cond, Path, Place};
use crate::model::effect::{Effect, Verb};
use crate::model::ids::{ClassId, FrameId, FrameSet, Slot};
use crate::model::walk::{self, At, Part};
use crate::source::Span;

use super::allowance::{Allowance, Refusal};
use super::carryover_finding::{Finding, diagnostic};
use super::same;

static ALWAYS: Cond = Cond::TRUE;

/// Checks the carryover of every class.
pub fn check(pack: &Pack, out: &Diagnostics) {
    for id in (0..pack.classes.len()).map(ClassId::at) {
        let class = &pack.classes[id.index()];
        let mut found = reads(pack, id);
        declared(pack, id, &mut found);
        told_once(pack, class, &mut found);
        out.extend(found.iter().map(|finding| diagnostic(pack, class, finding)));
    }
}

/// What comes of one slip is told once: what is read and preserved of a frame that two parts of `carryover` claim depends on which of
/// the two goes, and what is read of something that is preserved and lost is lost with it.
fn told_once(pack: &Pack, class: &Class, found: &mut Vec<Finding>) {
    let frame_of = |slot: Slot| pack.slots[slot.index()].frame;
    let both = found.iter().filter_map(|of| if let Finding::Both { frame, .. } = of { Some(*frame) } else { None });
    let disputed: FrameSet = both.collect();
    found.retain(|finding| match finding {
        Finding::Read { slot, .. } | Finding::PreserveLost { slot, .. } => !disputed.has(frame_of(*slot)),
        Finding::Both { .. } | Finding::Outside { .. } => true,
    });
    // A field that is forbidden by itself is one thing, the rest of its frame another.
    let what = |slot: Slot| (frame_of(slot), class.carry.forbid_fields.contains(&slot).then_some(slot));
    let mut kept: Vec<Finding> = Vec::new();
    let (reads, rest): (Vec<_>, Vec<_>) =
        std::mem::take(found).into_iter().partition(|finding| matches!(finding, Finding::Read { .. }));
    for finding in rest.into_iter().chain(reads) {
        let (slot, place) = match &finding {
            Finding::Read { slot, at, .. } => (*slot, (*at, "and read here")),
            Finding::PreserveLost { slot, at, .. } => (*slot, (*at, "and this")),
            Finding::Both { .. } | Finding::Outside { .. } => {
                kept.push(finding);
                continue;
            }
        };
        let known = kept.iter_mut().find_map(|known| match known {
            Finding::PreserveLost { slot: lost, also, .. } if what(*lost) == what(slot) => Some(also),
            _ => None,
        });
        match known {
            Some(also) => also.push(place),
            None => kept.push(finding),
        }
    }
    *found = kept;
}

/// What is read though the class may not.
fn reads(pack: &Pack, id: ClassId) -> Vec<Finding> {
    let class = &pack.classes[id.index()];
    let allowance = Allowance::of(pack, id);
    let mut found = Vec::new();
    walk::paths(class, &mut |at, _, path| {
        if let Some(slot) = walk::slot_of(path)
            && !may_read(pack, class, &allowance, at, path)
        {
            let before = matches!(path.place, Place::Before(_));
            let refusal = allowance.refusal(slot, before).unwrap_or(Refusal::NotCarried);
            found.push(Finding::Read { slot, before, refusal, at: path.span });
        }
    });
    if let Answer::By { slot, span, .. } = &class.answer
        && let Some(refusal) = allowance.refusal(*slot, false)
        && !written(pack, class, None, *slot, Some(refusal))
    {
        found.push(Finding::Read { slot: *slot, before: false, refusal, at: *span });
    }
    found
}

/// Whether a class may read a path of the state where it stands.
pub fn may_read(pack: &Pack, class: &Class, allowance: &Allowance, at: At, path: &Path) -> bool {
    let Some(slot) = walk::slot_of(path) else { return true };
    if at.is_guard() {
        return true;
    }
    let before = matches!(path.place, Place::Before(_));
    let Some(refusal) = allowance.refusal(slot, before) else { return true };
    // What the class itself wrote in this turn is no carryover. In a settle step the state before it is the written one.
    match at {
        At::Do(_, Part::With) => !before && written(pack, class, Some(at), slot, Some(refusal)),
        At::Settle(_) | At::SettleDo(..) => written(pack, class, Some(at), slot, Some(refusal)),
        At::Answer(_) => !before && written(pack, class, None, slot, Some(refusal)),
        _ => false,
    }
}

/// Whether the class wrote a field in this turn before it is read at a place; `None` = in an answer. Where the old
/// value survives, it must have been replaced for sure.
fn written(pack: &Pack, class: &Class, at: Option<At>, slot: Slot, refusal: Option<Refusal>) -> bool {
    use crate::model::class::Fate;
    let survives = matches!(refusal, Some(Refusal::Kept | Refusal::NotUsed(Fate::Keep)));
    let by = |effects: &[Effect], when: &Cond| {
        if survives { replaces(pack, effects, slot, when) } else { writes(pack, effects, slot) }
    };
    match at {
        Some(At::Do(item, _)) => by(&class.effects, &class.effects[item].when),
        Some(At::Settle(row)) => by(&class.effects, called_when(class, row)),
        Some(At::SettleDo(row, item, part)) => {
            let settled = &class.settle[row].effects;
            by(&class.effects, called_when(class, row)) || (part == Part::With && by(settled, &settled[item].when))
        }
        _ => {
            by(&class.effects, &Cond::TRUE)
                || (!class.settle.is_empty() && class.settle.iter().all(|row| by(&row.effects, &Cond::TRUE)))
        }
    }
}

/// The condition under which `do` makes the call that a settle row settles.
fn called_when(class: &Class, row: usize) -> &Cond {
    let on = class.settle[row].on;
    let made = class.effects.iter().find(|effect| matches!(&effect.verb, Verb::Call(call) if call.id == on));
    made.map_or(&ALWAYS, |effect| &effect.when)
}

fn writes(pack: &Pack, effects: &[Effect], slot: Slot) -> bool {
    let mut found = false;
    for effect in effects {
        walk::targets(pack, &effect.verb, &mut |target| found |= target == slot);
    }
    found
}

/// Whether the old value of a field is surely gone after these effects, when a condition held at their start.
fn replaces(pack: &Pack, effects: &[Effect], slot: Slot, when: &Cond) -> bool {
    effects.iter().filter(|effect| same::follows(&effect.when, when)).any(|effect| match &effect.verb {
        Verb::Set(of) => of.iter().any(|(target, expr)| *target == slot && !walk::may_be_left_out(expr)),
        Verb::ClearFrame(frames) => frames.contains(&pack.slots[slot.index()].frame),
        Verb::ClearField(slots) => slots.contains(&slot),
        _ => false,
    })
}

/// What the parts of `carryover` say against each other.
fn declared(pack: &Pack, id: ClassId, found: &mut Vec<Finding>) {
    let class = &pack.classes[id.index()];
    let carry = &class.carry;
    let Some(carryover) = &pack.carryover else { return };
    let boundary = id == pack.boundary;
    // `carry.frames` has the forbidden ones taken out already.
    let depth = carryover.depths.iter().find(|(name, _)| Some(*name) == carry.depth).map(|(_, frames)| *frames);
    let depth = depth.unwrap_or(carry.frames);
    let frame_of = |slot: Slot| -> FrameId { pack.slots[slot.index()].frame };

    for (frames, what) in [
        (carry.forbid.intersection(depth), ("forbid", "depth")),
        (carry.forbid.intersection(carry.keep), ("forbid", "keep")),
        (if boundary { FrameSet::EMPTY } else { carry.keep.intersection(depth) }, ("keep", "depth")),
    ] {
        found.extend(frames.iter().map(|frame| Finding::Both { frame, one: what.0, other: what.1 }));
    }
    let outside = pack.outside();
    for frame in carry.forbid.intersection(outside).iter() {
        found.push(Finding::Outside { frame, field: None });
    }
    for slot in &carry.forbid_fields {
        if outside.has(frame_of(*slot)) {
            found.push(Finding::Outside { frame: frame_of(*slot), field: Some(*slot) });
        }
    }
    preserved(pack, id, found);
}

/// What must stay as it was is not reset by carry.
fn preserved(pack: &Pack, id: ClassId, found: &mut Vec<Finding>) {
    let class = &pack.classes[id.index()];
    let allowance = Allowance::of(pack, id);
    for preserve in class.carry.preserve.iter().filter(|preserve| preserve.equals.is_none()) {
        let mut told: Vec<(FrameId, Span)> = Vec::new();
        for slot in &preserve.slots {
            let frame = pack.slots[slot.index()].frame;
            if !allowance.survives(*slot) && !told.contains(&(frame, preserve.span)) {
                told.push((frame, preserve.span));
                found.push(Finding::PreserveLost {
                    slot: *slot,
                    fate: allowance.fate(frame),
                    at: preserve.span,
                    also: Vec::new(),
                });
            }
        }
    }
}
