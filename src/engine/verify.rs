//! Verifying: what must hold of the new state before a step is committed.

use std::sync::Arc;

use crate::contract::Broken;
use crate::model::Pack;
use crate::model::class::{Answer, Class};
use crate::model::ids::{ClassId, FrameId, ModeId, PortId, Slot, SlotSet};
use crate::model::names::Sym;
use crate::model::value::Value;
use crate::source::Span;

use super::effects::Done;
use super::eval::View;

/// Something a step would have broken. The state stays as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Breach {
    /// `preserve`: a field would have changed.
    Preserve {
        /// The field.
        slot: Slot,
        /// Where it is promised.
        span: Span,
    },
    /// `forbid`: a field would have survived.
    Forbid {
        /// The field.
        slot: Slot,
    },
    /// A `never` row would have held.
    Never {
        /// The row.
        row: usize,
        /// Where it is written.
        span: Span,
    },
    /// An invariant would not have held.
    Invariant {
        /// Its name.
        id: Sym,
        /// Where it is written.
        span: Span,
    },
    /// No answer row, or more than one, applies.
    Answer {
        /// How many apply.
        rows: usize,
    },
    /// More instances of a keyed frame would be open than may.
    TooManyOpen {
        /// The frame.
        frame: FrameId,
    },
    /// A request that its port's contract does not admit.
    Contract {
        /// The port.
        port: PortId,
        /// How it breaks it.
        broken: Broken,
        /// Where the call is written.
        span: Span,
    },
    /// An effect could not be done.
    Effect {
        /// Why.
        why: &'static str,
        /// The field, where one is at fault.
        slot: Option<Slot>,
        /// Where it is written.
        span: Span,
    },
}

impl Breach {
    pub(super) fn absent(span: Span) -> Self {
        Breach::Effect { why: "a value it needs is absent", slot: None, span }
    }
    pub(super) fn not_open(span: Span) -> Self {
        Breach::Effect { why: "no instance that is open is bound", slot: None, span }
    }
    pub(super) fn missing_field(span: Span) -> Self {
        Breach::Effect { why: "a mandatory field or argument is absent", slot: None, span }
    }
    pub(super) fn overflow(span: Span) -> Self {
        Breach::Effect { why: "the number leaves its range", slot: None, span }
    }
    pub(super) fn set_once(span: Span, slot: Slot) -> Self {
        Breach::Effect { why: "the field is set once", slot: Some(slot), span }
    }
    pub(super) fn too_many(span: Span) -> Self {
        Breach::Effect { why: "the collection would hold too many entries", slot: None, span }
    }
    pub(super) fn twice(span: Span) -> Self {
        Breach::Effect { why: "two items would bear what one may", slot: None, span }
    }
}

/// A class that was chosen but not committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The class.
    pub class: ClassId,
    /// What it would have broken.
    pub breaches: Vec<Breach>,
}

/// The answer mode that applies after a step.
///
/// # Errors
/// [`Breach::Answer`] unless exactly one applies.
pub fn answer<'a>(view: &View<'a>, class: &'a Class) -> Result<ModeId, Breach> {
    match &class.answer {
        Answer::Mode(mode) => Ok(*mode),
        Answer::By { slot, rows, .. } => {
            let value = &view.now[slot.index()];
            let row = rows.iter().find(|(expected, _)| expected == value);
            row.map(|(_, mode)| *mode).ok_or(Breach::Answer { rows: 0 })
        }
        Answer::Rows(rows) => {
            let mut fits = rows.iter().filter(|(when, ..)| view.holds(when));
            match (fits.next(), fits.next()) {
                (Some((_, mode, _)), None) => Ok(*mode),
                (None, _) => Err(Breach::Answer { rows: 0 }),
                (Some(_), Some(_)) => Err(Breach::Answer { rows: 2 + fits.count() }),
            }
        }
    }
}

/// What the instances of keyed frames break that a step leaves behind: too many are open, or one that the step has changed
/// before it opened another breaks an invariant of its frame.
pub fn verify_instances(view: &View<'_>, done: &Done, breaches: &mut Vec<Breach>) {
    let pack = view.registry.pack();
    for frame in &pack.keyed {
        let keyed = pack.frames[frame.index()].keyed.as_ref();
        if keyed.is_some_and(|keyed| done.instances.of(keyed).open.len() > keyed.max_open) {
            breaches.push(Breach::TooManyOpen { frame: *frame });
        }
    }
    for (frame, key) in &done.left {
        let Some(keyed) = &pack.frames[frame.index()].keyed else { continue };
        let mut slots = done.slots.to_vec();
        done.instances.bind(pack, keyed, key, &mut slots);
        let view = View { now: &slots, ..*view };
        for invariant in pack.invariants.iter().filter(|invariant| invariant.frame == Some(*frame)) {
            let breach = Breach::Invariant { id: invariant.id, span: invariant.span };
            if view.holds(&invariant.when) && !view.holds(&invariant.then) && !breaches.contains(&breach) {
                breaches.push(breach);
            }
        }
    }
}

/// All that the new state of `view` breaks.
pub fn verify(view: &View<'_>, class: ClassId, written: &SlotSet) -> Vec<Breach> {
    let registry = view.registry;
    let pack = registry.pack();
    let declared = &pack.classes[class.index()];
    let mut breaches = Vec::new();
    for preserve in &declared.carry.preserve {
        if preserve.unless.as_ref().is_some_and(|unless| view.holds(unless)) {
            continue;
        }
        for slot in &preserve.slots {
            let now = &view.now[slot.index()];
            let kept = match &preserve.equals {
                Some(path) => *view.get(path) == *now,
                None => view.before[slot.index()] == *now,
            };
            if !kept {
                breaches.push(Breach::Preserve { slot: *slot, span: preserve.span });
            }
        }
    }
    let mut forbidden = |slot: Slot| {
        let field = &pack.slots[slot.index()];
        if view.now[slot.index()] != field.default && !written.has(slot) {
            breaches.push(Breach::Forbid { slot });
        }
    };
    declared
        .carry
        .forbid
        .iter()
        .flat_map(|frame: FrameId| pack.frames[frame.index()].fields())
        .for_each(&mut forbidden);
    declared.carry.forbid_fields.iter().copied().for_each(&mut forbidden);
    let speaks = |names_answer: bool| view.answer.is_some() || !names_answer;
    for (row, (never, span)) in declared.never.iter().enumerate() {
        if speaks(registry.names_answer.never[class.index()][row]) && view.holds(never) {
            breaches.push(Breach::Never { row, span: *span });
        }
    }
    for (index, invariant) in pack.invariants.iter().enumerate() {
        let speaks = speaks(registry.names_answer.invariants[index]);
        if speaks && view.holds(&invariant.when) && !view.holds(&invariant.then) {
            breaches.push(Breach::Invariant { id: invariant.id, span: invariant.span });
        }
    }
    breaches
}

/// The invariants of frames that a state breaks, as positions in the pack's list. Without `of` of all frames, with nothing
/// bound; with it those of a keyed frame, of which an instance is bound.
pub fn broken_frames(view: &View<'_>, of: Option<FrameId>) -> Vec<usize> {
    let pack = view.registry.pack();
    (0..pack.invariants.len())
        .filter(|index| {
            let invariant = &pack.invariants[*index];
            let asked = match of {
                Some(frame) => invariant.frame == Some(frame),
                None => invariant.frame.is_some(),
            };
            asked && view.holds(&invariant.when) && !view.holds(&invariant.then)
        })
        .collect()
}

/// Resets a field of a state, which is copied only when it is shared and the field held something; says whether it did.
pub fn reset_field(pack: &Pack, slots: &mut Arc<[Value]>, slot: Slot) -> bool {
    let default = &pack.slots[slot.index()].default;
    let held = slots[slot.index()] != *default;
    if held {
        Arc::make_mut(slots)[slot.index()] = default.clone();
    }
    held
}

/// Resets all fields of a frame; says whether one held something.
pub fn reset(pack: &Pack, slots: &mut Arc<[Value]>, frame: FrameId) -> bool {
    pack.frames[frame.index()].fields().fold(false, |held, slot| reset_field(pack, slots, slot) | held)
}
