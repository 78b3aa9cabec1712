//! Every frame that a class writes belongs to the class's owner or is listed under `touches`.

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::model::Pack;
use crate::model::class::Class;
use crate::model::ids::{FrameId, FrameSet};
use crate::model::walk;
use crate::source::Span;

use super::show;

/// What is wrong with the owners of a class.
enum Finding {
    Foreign { frame: FrameId, at: Span },
    Untouched(FrameId),
    OwnTouched(FrameId),
}

/// Checks owners and `touches` of every class.
pub fn check(pack: &Pack, out: &Diagnostics) {
    for class in &pack.classes {
        out.extend(findings(pack, class).into_iter().map(|finding| diagnostic(pack, class, &finding)));
    }
}

fn findings(pack: &Pack, class: &Class) -> Vec<Finding> {
    let mut found = Vec::new();
    let owned = |frame: FrameId| pack.frames[frame.index()].owner == class.owner;
    let mut written = FrameSet::EMPTY;
    walk::effects(class, &mut |_, effect| {
        walk::targets(pack, &effect.verb, &mut |slot| {
            let frame = pack.slots[slot.index()].frame;
            if !written.has(frame) && !owned(frame) && !class.touches.has(frame) {
                found.push(Finding::Foreign { frame, at: effect.span });
            }
            written.insert(frame);
        });
    });
    for frame in class.touches.iter() {
        if owned(frame) {
            found.push(Finding::OwnTouched(frame));
        } else if !written.has(frame) {
            found.push(Finding::Untouched(frame));
        }
    }
    found
}

fn diagnostic(pack: &Pack, class: &Class, finding: &Finding) -> Diagnostic {
    let name = |sym| pack.names.text(sym);
    let (id, owner) = (name(class.id), name(class.owner));
    match *finding {
        Finding::Foreign { frame, at } => {
            let (short, of) = (show::frame(pack, frame), name(pack.frames[frame.index()].owner));
            Diagnostic::error(Code::NotOwner, at, format!("`{id}` writes `{short}`, which `{of}` owns"))
                .label(format!("writes `{short}`"))
                .also(class.span, format!("`{id}` is owned by `{owner}`"))
                .also(pack.frames[frame.index()].span, format!("`{short}` is owned by `{of}`"))
                .help(format!("add `\"{short}\"` to `touches` of `{id}`, or do not write it"))
        }
        Finding::Untouched(frame) => {
            let short = show::frame(pack, frame);
            Diagnostic::error(
                Code::IdleTouches,
                class.names("touches", frame),
                format!("`{id}` touches `{short}` but never writes it"),
            )
            .also(pack.frames[frame.index()].span, format!("`{short}` is declared here"))
            .help(format!("take `\"{short}\"` out of `touches`"))
        }
        Finding::OwnTouched(frame) => {
            let short = show::frame(pack, frame);
            Diagnostic::error(
                Code::IdleTouches,
                class.span,
                format!("`{id}` touches `{short}`, which its own owner owns"),
            )
            .also(pack.frames[frame.index()].span, format!("`{short}` is owned by `{owner}`"))
            .help(format!("take `\"{short}\"` out of `touches`, which names frames of other owners only"))
        }
    }
}
