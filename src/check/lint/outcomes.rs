//! Calls of which some outcome is taken by nobody but the bare boundary, which undoes the turn.

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::model::Pack;
use crate::model::class::{Class, On, Trigger};
use crate::model::cond::{Op, Path, Place};
use crate::model::effect::{Call, Verb};
use crate::model::names::Sym;
use crate::model::reason::STATUSES;
use crate::model::value::Value;
use crate::model::walk;

use super::maybe::{Fact, absent, equals, may_hold};

pub fn check(pack: &Pack, out: &Diagnostics) {
    for class in &pack.classes {
        walk::effects(class, &mut |_, effect| {
            let Verb::Call(call) = &effect.verb else { return };
            if !pack.ports[call.port.index()].replies {
                return;
            }
            let open = untaken(pack, class, call);
            let ok = pack.names.get(STATUSES[0]).is_some_and(|ok| open.contains(&ok));
            if !open.is_empty() {
                out.push(diagnostic(pack, class, call, effect.span, &open, ok));
            }
        });
    }
}

/// The statuses of the outcome of a call of a class that nobody takes, whatever the state and the answer.
#[must_use]
pub fn untaken(pack: &Pack, class: &Class, call: &Call) -> Vec<Sym> {
    let statuses: Vec<Sym> = STATUSES.iter().filter_map(|status| pack.names.get(status)).collect();
    let open = statuses.iter().copied().filter(|status| !is_taken(pack, class, call, *status, statuses[0]));
    open.collect()
}

fn is_taken(pack: &Pack, class: &Class, call: &Call, status: Sym, ok: Sym) -> bool {
    let fact = |path: &Path, op: &Op| fact(pack, call, status, ok, path, op);
    let listens = |trigger: &Trigger| match trigger.on {
        On::Outcome { port, ok: wanted, .. } => {
            port.is_none_or(|port| port == call.port) && wanted.is_none_or(|wanted| wanted == (status == ok))
        }
        On::Event(_) | On::Boundary => false,
    };
    let by_trigger = |of: &Class, trigger: &Trigger| {
        listens(trigger)
            && [&of.requires, &trigger.requires, &of.entry, &trigger.entry]
                .into_iter()
                .all(|cond| may_hold(cond, &fact))
    };
    class.settle.iter().any(|row| row.on == call.id && may_hold(&row.when, &fact))
        || pack.classes.iter().any(|of| of.triggers.iter().any(|trigger| by_trigger(of, trigger)))
}

/// What is known of a test when the outcome of a call has a status.
fn fact(pack: &Pack, call: &Call, status: Sym, ok: Sym, path: &Path, op: &Op) -> Fact {
    let is = |sym: Sym| equals(op, &|value| *value == Value::Sym(sym));
    let port = &pack.ports[call.port.index()];
    match path.place {
        _ if walk::input_of(path).is_some() => absent(op),
        Place::Outcome(_) if status != ok => absent(op),
        Place::Outcome(field) if port.response.iter().all(|(known, _)| *known != field) => absent(op),
        Place::OutcomeError if status == ok => absent(op),
        // An answer that breaks something is one that failed.
        Place::OutcomeBreach if Some(status) != pack.names.get(STATUSES[1]) => absent(op),
        _ if !path.steps.is_empty() => Fact::Open,
        Place::OutcomeStatus => is(status),
        Place::OutcomePort => is(port.name),
        Place::OutcomeCall => is(call.id),
        _ => Fact::Open,
    }
}

fn diagnostic(
    pack: &Pack,
    class: &Class,
    call: &Call,
    span: crate::source::Span,
    open: &[Sym],
    ok: bool,
) -> Diagnostic {
    let name = |sym| pack.names.text(sym);
    let port = &pack.ports[call.port.index()];
    let (id, of, port_name) = (name(call.id), name(class.id), name(port.name));
    let shown: Vec<String> = open.iter().map(|status| format!("`{}`", name(*status))).collect();
    let message = format!("nobody takes the outcome {} of the call `{id}` of `{of}`", shown.join(", "));
    let help = match (ok, open.len()) {
        (true, 1) => format!("write `[[settle]]` with `on = \"{id}\"` and `when = {{ outcome.status = \"ok\" }}`"),
        (false, _) => {
            format!("give a class (the boundary) a trigger `{{ event = \"{port_name}.failed\", base = \"before\" }}`")
        }
        (true, _) => format!("write `[[settle]]` rows with `on = \"{id}\"`, and a trigger on `{port_name}.failed`"),
    };
    Diagnostic::warning(Code::UnhandledOutcome, span, message)
        .label("the boundary would undo the turn")
        .also(port.span, "this port answers")
        .help(help)
}
