//! Fields of frames that are written and never read, read and never written, or neither.

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::model::class::Answer;
use crate::model::effect::Effect;
use crate::model::ids::{InputId, Slot};
use crate::model::{Pack, Unused, UnusedKind, walk};
use crate::source::Span;

use super::super::show;

/// Where each field is first read and written, in the order of the fields.
struct Uses {
    read: Vec<Option<Span>>,
    written: Vec<Option<Span>>,
}

pub fn check(pack: &Pack, out: &Diagnostics) {
    let uses = uses(pack);
    for (at, field) in pack.slots.iter().enumerate() {
        let name = show::slot(pack, Slot(u16::try_from(at).unwrap_or(u16::MAX)));
        // Of a frame that nothing opens more need not be said.
        let opened = |of: &Unused| of.kind != UnusedKind::Keyed || of.name != show::frame(pack, field.frame);
        if field.for_host || !pack.unused.iter().all(opened) {
            continue;
        }
        out.extend(match (uses.read[at], uses.written[at]) {
            (Some(_), Some(_)) => None,
            (None, None) => Some(
                Diagnostic::warning(Code::UnusedField, field.span, format!("nothing reads or writes `{name}`"))
                    .label("declared here")
                    .help("take the field out, use it, or write `for_host = true` where whoever holds the state uses it"),
            ),
            (None, Some(written)) => Some(
                Diagnostic::warning(Code::NeverRead, field.span, format!("`{name}` is written and never read"))
                    .label("no condition, value, message or call reads it")
                    .also(written, "written here")
                    .help("read it, take it out, or write `for_host = true` where whoever holds the state reads it"),
            ),
            (Some(read), None) => Some(
                Diagnostic::warning(Code::NeverWritten, field.span, format!("`{name}` is read and never written"))
                    .label("it is always what it was at first")
                    .also(read, "read here")
                    .help("write it in a `do`, take out what reads it, or write `for_host = true` where whoever holds the state writes it"),
            ),
        });
    }
}

fn uses(pack: &Pack) -> Uses {
    let (mut read, mut written) = (vec![None; pack.slots.len()], vec![None; pack.slots.len()]);
    let mut see = |slot: Option<Slot>, span: Span| {
        if let Some(slot) = slot {
            read[slot.index()].get_or_insert(span);
        }
    };
    let mut write = |effect: &Effect| {
        // What is only ever cleared has never held anything.
        let clears = matches!(
            effect.verb,
            crate::model::effect::Verb::ClearFrame(_) | crate::model::effect::Verb::ClearField(_)
        );
        if let crate::model::effect::Verb::Open { with, .. } = &effect.verb {
            with.iter().for_each(|(slot, _)| _ = written[slot.index()].get_or_insert(effect.span));
        } else if !clears {
            walk::targets(pack, &effect.verb, &mut |slot| {
                written[slot.index()].get_or_insert(effect.span);
            });
        }
    };
    for class in &pack.classes {
        walk::paths(class, &mut |_, _, path| see(walk::slot_of(path), path.span));
        walk::effects(class, &mut |_, effect| write(effect));
        if let Answer::By { slot, span, .. } = &class.answer {
            see(Some(*slot), *span);
        }
    }
    for input in (0..pack.inputs.len()).map(InputId::at) {
        for path in walk::derived_sources(pack, input) {
            see(walk::slot_of(path), path.span);
        }
    }
    for invariant in &pack.invariants {
        for cond in [&invariant.when, &invariant.then] {
            walk::cond_paths(cond, &mut |path| see(walk::slot_of(path), path.span));
        }
        for effect in &invariant.repair {
            write(effect);
            walk::cond_paths(&effect.when, &mut |path| see(walk::slot_of(path), path.span));
            walk::exprs(&effect.verb, &mut |_, expr| {
                walk::expr_paths(expr, &mut |_, path| see(walk::slot_of(path), path.span));
            });
        }
    }
    if let Some(cond) = &pack.ended {
        walk::cond_paths(cond, &mut |path| see(walk::slot_of(path), path.span));
    }
    if let Some(limit) = pack.carryover.as_ref().and_then(|carryover| carryover.limit) {
        see(Some(limit), pack.slots[limit.index()].span);
    }
    Uses { read, written }
}
