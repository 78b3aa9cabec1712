//! A class names fields of an instance only where one is bound: by `bind`, by `open`, or by the call whose outcome it takes.

use std::collections::BTreeMap;

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::model::Pack;
use crate::model::class::{Answer, Class, On};
use crate::model::effect::{Effect, Verb};
use crate::model::ids::{ClassId, FrameId, Slot};
use crate::model::walk::{self, At, Part};
use crate::source::Span;

use super::show;

/// Checks every class.
pub fn check(pack: &Pack, out: &Diagnostics) {
    if pack.keyed.is_empty() {
        return;
    }
    for id in (0..pack.classes.len()).map(ClassId::at) {
        let class = &pack.classes[id.index()];
        let reach = Reach { pack, class, boundary: id == pack.boundary };
        let mut found: Vec<(Slot, Span)> = Vec::new();
        walk::paths(class, &mut |at, _, path| {
            found.extend(walk::slot_of(path).filter(|slot| reach.misses(*slot, at)).map(|slot| (slot, path.span)));
        });
        for (at, preserve) in class.carry.preserve.iter().enumerate() {
            // A whole frame may be preserved by who binds nothing: no instance is opened or closed.
            let whole = preserve.slots.len() > 1;
            let slots = preserve.slots.iter().filter(|slot| !whole && reach.misses(**slot, At::Unless(at)));
            found.extend(slots.map(|slot| (*slot, preserve.span)));
        }
        if let Answer::By { slot, span, .. } = &class.answer
            && reach.misses(*slot, At::Answer(0))
        {
            found.push((*slot, *span));
        }
        walk::effects(class, &mut |at, effect| {
            let writes = |frame: FrameId, slot: Slot| reach.misses_write(frame, slot, at);
            match &effect.verb {
                Verb::Open { .. } => {}
                Verb::Close { frame, .. } => {
                    let open = pack.frames[frame.index()].keyed.as_ref().map(|keyed| keyed.open());
                    found.extend(open.filter(|slot| writes(*frame, *slot)).map(|slot| (slot, effect.span)));
                }
                verb => {
                    let mut first = None;
                    walk::targets(pack, verb, &mut |slot| {
                        if first.is_none() && writes(pack.slots[slot.index()].frame, slot) {
                            first = Some(slot);
                        }
                    });
                    found.extend(first.map(|slot| (slot, effect.span)));
                }
            }
        });
        found.sort_by_key(|(_, span)| *span);
        found.dedup_by_key(|(_, span)| *span);
        let mut frames: BTreeMap<FrameId, Vec<(Slot, Span)>> = BTreeMap::new();
        for (slot, span) in found {
            frames.entry(pack.slots[slot.index()].frame).or_default().push((slot, span));
        }
        out.extend(frames.into_iter().map(|(frame, places)| diagnostic(pack, class, frame, &places)));
    }
}

struct Reach<'a> {
    pack: &'a Pack,
    class: &'a Class,
    boundary: bool,
}

impl Reach<'_> {
    /// Whether a place of the class is looked at without an instance of a slot's frame.
    fn misses(&self, slot: Slot, at: At) -> bool {
        let (pack, class) = (self.pack, self.class);
        let frame = pack.slots[slot.index()].frame;
        if !pack.is_bound(slot) || class.bind.iter().any(|(of, _)| *of == frame) {
            return false;
        }
        let outcome = |trigger: usize| matches!(class.triggers[trigger].on, On::Outcome { .. });
        let outcomes = || self.boundary || (0..class.triggers.len()).any(outcome);
        match at {
            // What binds is checked where it is read.
            At::Bind(_) | At::Settle(_) | At::SettleDo(..) => false,
            At::Requires | At::Entry => !(0..class.triggers.len()).all(outcome),
            At::TriggerRequires(trigger) | At::TriggerEntry(trigger) => !outcome(trigger),
            At::Do(_, Part::When | Part::Value) => !outcomes(),
            At::Do(_, Part::With) => !outcomes() && !opens(&class.effects, frame),
            At::Unless(_) | At::Equals(_) | At::Answer(_) | At::Never(_) => {
                !outcomes() && class.settle.is_empty() && !opens(&class.effects, frame)
            }
        }
    }

    /// Whether an effect writes to an instance where none is bound. One that was opened before it in its list is.
    fn misses_write(&self, frame: FrameId, slot: Slot, at: At) -> bool {
        let At::Do(item, _) = at else { return false };
        self.misses(slot, At::Do(item, Part::Value)) && !opens(&self.class.effects[..item], frame)
    }
}

fn opens(effects: &[Effect], frame: FrameId) -> bool {
    effects.iter().any(|effect| matches!(effect.verb, Verb::Open { frame: of, .. } if of == frame))
}

/// One place may be a slip of its own; of several it is the class that lacks something.
fn diagnostic(pack: &Pack, class: &Class, frame: FrameId, places: &[(Slot, Span)]) -> Diagnostic {
    let (id, short) = (pack.names.text(class.id), show::frame(pack, frame));
    let (slot, first) = places[0];
    let found = match places.len() {
        1 => {
            let name = show::slot(pack, slot);
            let message = format!("`{id}` names `{name}` but binds no instance of `{short}`");
            Diagnostic::error(Code::OutOfPlace, first, message)
        }
        count => {
            let message = format!("`{id}` names fields of `{short}` in {count} places but binds no instance of it");
            Diagnostic::error(Code::OutOfPlace, class.span, message).also(first, "the first of these places")
        }
    };
    found.also(pack.frames[frame.index()].span, "a keyed frame").help(format!(
        "write `bind = {{ {short} = \"$input.…?\" }}` in the class; without one only `open_count` and `only` are known"
    ))
}
