//! What a step promises, tested on the state it would leave; and the answer mode that applies.

use std::collections::BTreeSet;

use segue::model::class::Answer;
use segue::model::cond::{Cond, Place};
use segue::model::ids::{ClassId, ModeId, Slot};
use segue::model::walk::cond_paths;

use super::effects::Done;
use super::instances::keyed;
use super::view::View;

/// The answer mode; how many apply where it is not exactly one.
pub fn answer(view: &View<'_>, class: ClassId) -> Result<ModeId, usize> {
    match &view.pack.classes[class.index()].answer {
        Answer::Mode(mode) => Ok(*mode),
        Answer::By { slot, rows, .. } => {
            let value = view.now.get(view.pack, *slot);
            rows.iter().find(|(expected, _)| *expected == value).map(|(_, mode)| *mode).ok_or(0)
        }
        Answer::Rows(rows) => {
            let fits: Vec<ModeId> =
                rows.iter().filter(|(when, ..)| view.holds(when)).map(|(_, mode, _)| *mode).collect();
            if fits.len() == 1 { Ok(fits[0]) } else { Err(fits.len()) }
        }
    }
}

/// What the new state breaks, in words.
pub fn breaches(view: &View<'_>, class: ClassId, written: &BTreeSet<Slot>) -> Vec<String> {
    let pack = view.pack;
    let declared = &pack.classes[class.index()];
    let mut found = Vec::new();
    for preserve in &declared.carry.preserve {
        if preserve.unless.as_ref().is_some_and(|unless| view.holds(unless)) {
            continue;
        }
        for slot in &preserve.slots {
            let wanted = match &preserve.equals {
                Some(path) => view.get(path),
                None => view.before.get(pack, *slot),
            };
            if view.now.get(pack, *slot) != wanted {
                found.push(format!("preserve {}", name(view, *slot)));
            }
        }
    }
    let forbidden = declared.carry.forbid.iter().flat_map(|frame| pack.frames[frame.index()].fields());
    for slot in forbidden.chain(declared.carry.forbid_fields.iter().copied()) {
        let default = view.now.get(pack, slot) == pack.slots[slot.index()].default;
        if !default && !written.contains(&slot) {
            found.push(format!("forbid {}", name(view, slot)));
        }
    }
    for (row, (never, _)) in declared.never.iter().enumerate() {
        if speaks(view, never) && view.holds(never) {
            found.push(format!("never {row}"));
        }
    }
    for invariant in &pack.invariants {
        let speaks = speaks(view, &invariant.when) && speaks(view, &invariant.then);
        if speaks && view.holds(&invariant.when) && !view.holds(&invariant.then) {
            found.push(format!("invariant {}", pack.names.text(invariant.id)));
        }
    }
    found
}

/// What the instances break that a step leaves: too many are open, or one that it had bound before breaks an invariant.
pub fn instance_breaches(view: &View<'_>, done: &Done) -> Vec<String> {
    let pack = view.pack;
    let mut found = Vec::new();
    for frame in &pack.keyed {
        if done.instances.open(*frame).len() > keyed(pack, *frame).max_open {
            found.push("too many open".to_owned());
        }
    }
    for key in &done.left {
        let bound = done.instances.bound(pack, view.now, key);
        let view = View { now: &bound, ..*view };
        for invariant in pack.invariants.iter().filter(|invariant| invariant.frame == Some(key.0)) {
            if view.holds(&invariant.when) && !view.holds(&invariant.then) {
                found.push(format!("invariant {} of {}", pack.names.text(invariant.id), key.1));
            }
        }
    }
    found
}

fn name(view: &View<'_>, slot: Slot) -> String {
    let field = &view.pack.slots[slot.index()];
    let frame = &view.pack.frames[field.frame.index()];
    format!("{}.{}", view.pack.names.text(frame.name), view.pack.names.text(field.name))
}

/// What names the answer is not tested in a step that has none.
fn speaks(view: &View<'_>, cond: &Cond) -> bool {
    let mut names_answer = false;
    cond_paths(cond, &mut |path| names_answer |= matches!(path.place, Place::AnswerMode | Place::AnswerClaims));
    !names_answer || view.answer.is_some()
}
