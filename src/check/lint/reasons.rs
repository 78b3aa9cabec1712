//! Reasons that the boundary may be given, and that no row of its answer takes.

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::model::class::Answer;
use crate::model::cond::{Op, Path, Place};
use crate::model::effect::Verb;
use crate::model::names::Sym;
use crate::model::value::Value;
use crate::model::{Pack, reason, walk};
use crate::source::Span;

use super::maybe::{Fact, equals, may_hold};

pub fn check(pack: &Pack, out: &Diagnostics) {
    idle(pack, out);
    let class = &pack.classes[pack.boundary.index()];
    let Answer::Rows(rows) = &class.answer else { return };
    for (given, by) in reasons(pack) {
        let fact = |path: &Path, op: &Op| match path.place {
            Place::Reason => equals(op, &|value| *value == Value::Sym(given)),
            _ => Fact::Open,
        };
        if rows.iter().any(|(when, ..)| may_hold(when, &fact)) {
            continue;
        }
        let name = pack.names.text(given);
        let message = format!("no row of the boundary's answer takes the reason `{name}`");
        let found = Diagnostic::error(Code::ReasonWithoutAnswer, class.answer_span, message)
            .label(format!("`{}` could not answer", pack.names.text(class.id)));
        let found = match by {
            Some(span) => found.also(span, "the reason is given here"),
            None => found,
        };
        out.push(found.help(format!("add a row with `when = {{ reason = \"{name}\" }}` and its `mode`")));
    }
}

/// Reasons of classes whose required prior state is empty, so that it never fails.
fn idle(pack: &Pack, out: &Diagnostics) {
    for class in &pack.classes {
        let Some(reason) = class.unmet else { continue };
        if class.requires.is_true() && class.triggers.iter().all(|trigger| trigger.requires.is_true()) {
            let (id, reason) = (pack.names.text(class.id), pack.names.text(reason));
            let message = format!("`{id}` never gives the reason `{reason}`: it requires nothing");
            out.push(
                Diagnostic::warning(Code::IdleUnmet, class.unmet_span.unwrap_or(class.span), message)
                    .label("said when `requires` fails")
                    .help("write what the class needs under `[requires]`, or leave `unmet` out"),
            );
        }
    }
}

/// What the boundary may be told, and where the pack says so; nothing for the reasons of the engine.
fn reasons(pack: &Pack) -> Vec<(Sym, Option<Span>)> {
    let mut found: Vec<(Sym, Option<Span>)> = Vec::new();
    let mut add = |sym: Option<Sym>, span: Option<Span>| {
        if let Some(sym) = sym
            && !found.iter().any(|(known, _)| *known == sym)
        {
            found.push((sym, span));
        }
    };
    for trigger in &pack.classes[pack.boundary.index()].triggers {
        add(trigger.reason, Some(trigger.span));
    }
    for class in &pack.classes {
        add(class.unmet, Some(class.unmet_span.unwrap_or(class.span)));
    }
    let engine = |name: &str| pack.names.get(name);
    add(engine(reason::NO_TRANSITION), None);
    add(engine(reason::VERIFICATION_FAILED), None);
    let limited = pack.carryover.as_ref().is_some_and(|carryover| carryover.limit.is_some());
    if limited && pack.classes.iter().any(|class| !class.needs.is_empty()) {
        add(engine(reason::CARRYOVER_BLOCKED), None);
    }
    if pack.classes.iter().any(|class| calls_on(pack, class)) {
        add(engine(reason::STEP_LIMIT), None);
    }
    found
}

/// Whether an outcome may make a class call again, so that a turn may take many steps.
fn calls_on(pack: &Pack, class: &crate::model::class::Class) -> bool {
    let by_outcome = class.triggers.iter().any(|trigger| matches!(trigger.on, crate::model::class::On::Outcome { .. }));
    let mut found = false;
    walk::effects(class, &mut |at, effect| {
        let later = by_outcome || matches!(at, walk::At::SettleDo(..));
        found |= later && matches!(&effect.verb, Verb::Call(call) if pack.ports[call.port.index()].replies);
    });
    found
}
