//! The findings about carryover and their words.

use crate::diag::{Code, Diagnostic};
use crate::model::Pack;
use crate::model::class::{Class, Fate};
use crate::model::ids::{FrameId, FrameSet, Slot};
use crate::model::schema::Type;
use crate::source::Span;

use super::allowance::Refusal;
use super::show;

/// What is wrong with the carryover of a class.
pub enum Finding {
    /// A field is read that is not carried.
    Read {
        /// The field.
        slot: Slot,
        /// Whether it is read as it was before the step.
        before: bool,
        /// Why it may not be read.
        refusal: Refusal,
        /// Where it is read.
        at: Span,
    },
    /// Two parts of `carryover` name one frame.
    Both {
        /// The frame.
        frame: FrameId,
        /// One part.
        one: &'static str,
        /// The other part.
        other: &'static str,
    },
    /// `forbid` names a frame that carryover is not about.
    Outside {
        /// The frame.
        frame: FrameId,
        /// The field, where a field is named.
        field: Option<Slot>,
    },
    /// `preserve` names a field that carry resets.
    PreserveLost {
        /// The field.
        slot: Slot,
        /// The fate of its frame, where the class decides it.
        fate: Option<Fate>,
        /// Where it is written.
        at: Span,
        /// Where else something is preserved or read that is lost with it.
        also: Vec<(Span, &'static str)>,
    },
}

/// A finding in words.
pub fn diagnostic(pack: &Pack, class: &Class, finding: &Finding) -> Diagnostic {
    let id = pack.names.text(class.id);
    match finding {
        Finding::Read { slot, before, refusal, at } => read(pack, class, (*slot, *before), *refusal, *at),
        Finding::Both { frame, one, other } => {
            let short = show::frame(pack, *frame);
            let message = format!("`{id}` has `{short}` under `{one}` and in its `{other}`");
            Diagnostic::error(Code::Contradiction, class.names(one, *frame), message)
                .label(format!("under `{one}`"))
                .also(class.names(other, *frame), format!("in its `{other}`"))
                .help(format!("take `{short}` out of one of them"))
        }
        Finding::Outside { frame, field } => {
            let named = field.map_or_else(|| show::frame(pack, *frame).to_owned(), |slot| show::slot(pack, slot));
            Diagnostic::error(
                Code::OutsideCarryover,
                class.names("forbid", *frame),
                format!("`forbid` of `{id}` names `{named}`, which carryover is not about"),
            )
            .also(pack.frames[frame.index()].span, "not in the carryover universe")
            .help("take it out of `forbid`; only `do` touches this frame")
        }
        Finding::PreserveLost { slot, fate, at, also } => {
            let forbidden = class.carry.forbid.has(frame_of(pack, *slot)) || class.carry.forbid_fields.contains(slot);
            let (name, frame) = (show::slot(pack, *slot), show::frame(pack, frame_of(pack, *slot)));
            let finding = Diagnostic::error(
                Code::PreserveLost,
                *at,
                format!("`{id}` preserves `{name}`, which its carry resets"),
            )
            .label("must stay as it was")
            .also(
                if forbidden { forbidden_at(pack, class, *slot) } else { class.span },
                if forbidden { "under `forbid`".into() } else { format!("the carryover of `{id}`") },
            );
            let finding = also.iter().fold(finding, |finding, (at, what)| finding.also(*at, *what));
            match fate {
                _ if forbidden => finding.help("take it out of `forbid`, or do not preserve it"),
                Some(_) => finding.help(format!("write `fate.{frame} = \"keep\"`, or do not preserve it")),
                None => finding.help(format!("add `\"{frame}\"` to `keep`, carry it, or do not preserve it")),
            }
        }
    }
}

fn read(pack: &Pack, class: &Class, (slot, before): (Slot, bool), refusal: Refusal, at: Span) -> Diagnostic {
    let id = pack.names.text(class.id);
    let (name, frame) = (show::slot(pack, slot), show::frame(pack, frame_of(pack, slot)));
    let shown = if before { format!("before.{name}") } else { name.clone() };
    let message = format!("`{id}` reads `{shown}`, which it does not carry");
    let wider = widen(pack, class, &[frame_of(pack, slot)]);
    let (why, help) = match refusal {
        Refusal::Kept => (
            format!("`{frame}` is under `keep`: it survives unread"),
            if before {
                format!("take `{frame}` out of `keep` and {wider}")
            } else {
                format!("take `{frame}` out of `keep` and {wider}, or replace `{name}` in `do` before it is read")
            },
        ),
        Refusal::Forbidden => (
            format!("`{frame}` is under `forbid`"),
            format!("do not read it; or take `{frame}` out of `forbid` and {wider}"),
        ),
        Refusal::ForbiddenField => {
            (format!("`{name}` is under `forbid`"), format!("do not read it; or take `{name}` out of `forbid`"))
        }
        Refusal::LeftOut => (format!("`fields` leaves `{name}` out"), format!("add `\"{name}\"` to `fields`")),
        Refusal::NotCarried => (
            format!("the depth of `{id}` does not hold `{frame}`"),
            if before {
                wider
            } else {
                format!("{wider}; or write `{name}` in `do` and read it in `with` or `settle`")
            },
        ),
        Refusal::NotUsed(fate) => {
            let fate = if fate == Fate::Clear { "clear" } else { "keep" };
            let id_only = if pack.slots[slot.index()].ty == Type::Id {
                format!(", or read `$before.{name}`")
            } else {
                String::new()
            };
            (
                format!("the fate of `{frame}` is `{fate}`"),
                format!("write `fate.{frame} = \"use\"`{id_only}; only ids may be passed on through `$before`"),
            )
        }
    };
    Diagnostic::error(Code::NotCarried, at, message).label("read here").also(class.span, why).help(help)
}

/// Where a field is forbidden, or its frame.
fn forbidden_at(pack: &Pack, class: &Class, slot: Slot) -> Span {
    let frame = frame_of(pack, slot);
    let of_frame = class.carry.forbid_fields.iter().filter(|slot| frame_of(pack, **slot) == frame);
    let at = of_frame.take_while(|of| **of != slot).count();
    let mut named = class.named.iter().filter(|(key, of, _)| *key == "forbid" && *of == frame);
    named.nth(if class.carry.forbid.has(frame) { 0 } else { at }).map_or(class.span, |(_, _, span)| *span)
}

fn frame_of(pack: &Pack, slot: Slot) -> FrameId {
    pack.slots[slot.index()].frame
}

/// The depths that hold the class's frames and these too, as a next step.
fn widen(pack: &Pack, class: &Class, more: &[FrameId]) -> String {
    let wanted = more.iter().copied().collect::<FrameSet>();
    let named = |frames: FrameSet| -> Vec<&str> {
        let depths = pack.carryover.iter().flat_map(|carryover| &carryover.depths);
        depths.filter(|(_, of)| frames.is_subset(*of)).map(|(name, _)| pack.names.text(*name)).collect()
    };
    let mut fit = named(class.carry.frames.union(wanted));
    if fit.is_empty() {
        fit = named(wanted);
    }
    match fit.as_slice() {
        [] => format!("declare a depth that holds {}", show::frames(pack, wanted)),
        fit => {
            let fit: Vec<_> = fit.iter().map(|name| format!("`{name}`")).collect();
            format!("choose the depth {}", fit.join(" or "))
        }
    }
}
