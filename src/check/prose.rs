//! Prose decides nothing: no field that holds some is compared with anything, and no port that takes conclusions only is given any.
//! Conditions and values are looked at where they are read.

use crate::diag::{Code, Diagnostic, Diagnostics, quoted};
use crate::model::Pack;
use crate::model::class::{By, Class};
use crate::model::effect::Verb;
use crate::model::ids::Slot;
use crate::model::schema::Type;
use crate::model::walk;
use crate::source::Span;

/// Checks fields, ports and every class.
pub fn check(pack: &Pack, out: &Diagnostics) {
    for slot in pack.slots.iter().filter(|slot| slot.set_once && prose(pack, &slot.ty)) {
        let message =
            format!("{} holds prose: no other value may follow it, and so prose would decide", shown(pack, slot.name));
        let found = Diagnostic::error(Code::ProseDecides, slot.span, message);
        out.push(found.help("leave `set_once` out"));
    }
    for port in pack.ports.iter().filter(|port| port.conclusions_only) {
        for argument in port.request.iter().filter(|argument| prose(pack, &argument.ty)) {
            let message = format!(
                "{} takes conclusions only, and {} holds prose",
                shown(pack, port.name),
                shown(pack, argument.name)
            );
            let found = Diagnostic::error(Code::ProseDecides, argument.span, message).also(port.span, "the port");
            out.push(found.help("give it a record without its `narrative`, or leave `conclusions_only` out"));
        }
    }
    for class in &pack.classes {
        let report = |span: Span, what: &str, slot: Slot, help: &str| {
            let field = &pack.slots[slot.index()];
            let message = format!("{what} {}, which holds prose: so prose would decide", shown(pack, field.name));
            out.push(Diagnostic::error(Code::ProseDecides, span, message).also(field.span, "declared here").help(help));
        };
        compared(pack, class, &report);
        for alternative in class.triggers.iter().flat_map(|trigger| &trigger.any) {
            if let By::Signal { input, is } = &alternative.by
                && !is.is_empty()
                && prose(pack, &pack.inputs[input.index()].ty)
            {
                let message =
                    format!("a trigger compares {}, which is prose", shown(pack, pack.inputs[input.index()].name));
                let found = Diagnostic::error(Code::ProseDecides, alternative.span, message);
                out.push(found.help("leave `is` out, or let the host give a typed signal"));
            }
        }
    }
}

/// Fields that a class compares: what it takes out of a list, and what it preserves and writes.
fn compared(pack: &Pack, class: &Class, report: &dyn Fn(Span, &str, Slot, &str)) {
    let holds = |slot: Slot| prose(pack, &pack.slots[slot.index()].ty);
    let mut written: Vec<Slot> = Vec::new();
    walk::effects(class, &mut |_, effect| {
        walk::targets(pack, &effect.verb, &mut |slot| written.push(slot));
        if let Verb::Remove(of) = &effect.verb {
            let lists = of.iter().filter(|(slot, _)| pack.slots[slot.index()].ty.item().is_some());
            for (slot, _) in lists.filter(|(slot, _)| holds(*slot)) {
                report(
                    effect.span,
                    "`remove` compares the items of",
                    *slot,
                    "take what stays: `pick = …, where = { … }`",
                );
            }
        }
    });
    for preserve in &class.carry.preserve {
        let slots = preserve.slots.iter().copied().filter(|slot| holds(*slot));
        let mut compared = slots.filter(|slot| preserve.equals.is_some() || written.contains(slot));
        if let Some(slot) = compared.next() {
            report(preserve.span, "`preserve` compares", slot, "preserve a typed field, or do not write this one");
        }
    }
}

/// Whether a type holds prose, at any depth.
fn prose(pack: &Pack, ty: &Type) -> bool {
    ty.holds(&pack.records, &Type::is_prose)
}

fn shown(pack: &Pack, name: crate::model::names::Sym) -> String {
    quoted(pack.names.text(name))
}
