//! Calls that follow each other without end and without an input from outside. Loops that a condition can leave are left
//! to the bound on steps.

use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::model::Pack;
use crate::model::class::{Class, On};
use crate::model::effect::{Call, Effect, Verb};
use crate::model::ids::{ClassId, PortId};
use crate::source::Span;

use super::allowance::Allowance;
use super::facts::{Facts, Ground, Kind};

/// What takes an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Taker {
    /// A settle row.
    Row(ClassId, usize),
    /// An outcome trigger.
    Trigger(ClassId, usize),
}

/// Takers that set each other off, each with the call by which it does.
struct Loop {
    of: Vec<(Taker, Span)>,
}

/// Looks for calls without end.
pub fn check(pack: &Pack, out: &Diagnostics) {
    out.extend(loops(pack).iter().map(|found| diagnostic(pack, found)));
}

fn loops(pack: &Pack) -> Vec<Loop> {
    let ground = Ground::of(pack);
    let takers = takers(pack, &ground);
    let mut graph: DiGraphMap<Taker, ()> = DiGraphMap::new();
    for taker in &takers {
        for (call, _) in calls(pack, *taker) {
            for next in takers.iter().filter(|next| takes(pack, **next, class_of(*taker), call)) {
                graph.add_edge(*taker, *next, ());
            }
        }
    }
    let mut loops = Vec::new();
    for mut group in kosaraju_scc(&graph) {
        if group.len() == 1 && !graph.contains_edge(group[0], group[0]) {
            continue;
        }
        group.sort_unstable();
        let of = group
            .iter()
            .filter_map(|taker| {
                let leads = |call: &Call| group.iter().any(|next| takes(pack, *next, class_of(*taker), call));
                calls(pack, *taker).into_iter().find(|(call, _)| leads(call)).map(|(_, span)| (*taker, span))
            })
            .collect();
        loops.push(Loop { of });
    }
    loops
}

/// Everything that takes each outcome that is ok, without any further condition.
fn takers(pack: &Pack, ground: &Ground<'_>) -> Vec<Taker> {
    let mut takers = Vec::new();
    for id in (0..pack.classes.len()).map(ClassId::at) {
        let class = &pack.classes[id.index()];
        let allowance = Allowance::of(pack, id);
        let ok = |port: PortId| {
            let mut facts = Facts::new(ground, &allowance, Kind::Outcome(vec![port], Some(true)));
            facts.assume(&crate::model::cond::Cond::TRUE);
            facts
        };
        for (row, settle) in class.settle.iter().enumerate() {
            let ports: Vec<PortId> = ports_of(class, settle.on);
            if !ports.is_empty() && ports.iter().all(|port| ok(*port).holds(&settle.when)) {
                takers.push(Taker::Row(id, row));
            }
        }
        for (at, trigger) in class.triggers.iter().enumerate() {
            if let On::Outcome { port: Some(port), ok: Some(true) | None, .. } = trigger.on {
                let facts = ok(port);
                let conds = [&class.requires, &trigger.requires, &class.entry, &trigger.entry];
                if conds.into_iter().all(|cond| facts.holds(cond)) {
                    takers.push(Taker::Trigger(id, at));
                }
            }
        }
    }
    takers
}

fn class_of(taker: Taker) -> ClassId {
    match taker {
        Taker::Row(class, _) | Taker::Trigger(class, _) => class,
    }
}

fn effects(pack: &Pack, taker: Taker) -> &[Effect] {
    match taker {
        Taker::Row(class, row) => &pack.classes[class.index()].settle[row].effects,
        Taker::Trigger(class, _) => &pack.classes[class.index()].effects,
    }
}

/// The calls that a taker makes whatever happens.
fn calls(pack: &Pack, taker: Taker) -> Vec<(&Call, Span)> {
    effects(pack, taker)
        .iter()
        .filter(|effect| effect.when.is_true())
        .filter_map(|effect| match &effect.verb {
            Verb::Call(call) if pack.ports[call.port.index()].replies => Some((call, effect.span)),
            _ => None,
        })
        .collect()
}

/// The ports of the calls that a class makes under an id.
fn ports_of(class: &Class, id: crate::model::names::Sym) -> Vec<PortId> {
    let settled = class.settle.iter().flat_map(|row| &row.effects);
    class
        .effects
        .iter()
        .chain(settled)
        .filter_map(|effect| match &effect.verb {
            Verb::Call(call) if call.id == id => Some(call.port),
            _ => None,
        })
        .collect()
}

/// Whether a taker takes the outcome of a call of a class. Rows of the class that called come before triggers.
fn takes(pack: &Pack, taker: Taker, caller: ClassId, call: &Call) -> bool {
    match taker {
        Taker::Row(class, row) => class == caller && pack.classes[class.index()].settle[row].on == call.id,
        Taker::Trigger(class, at) => {
            let listens = match pack.classes[class.index()].triggers[at].on {
                On::Outcome { port, .. } => port == Some(call.port),
                On::Event(_) | On::Boundary => false,
            };
            listens && !pack.classes[caller.index()].settle.iter().any(|row| row.on == call.id)
        }
    }
}

fn diagnostic(pack: &Pack, found: &Loop) -> Diagnostic {
    let name = |taker: Taker| {
        let class = &pack.classes[class_of(taker).index()];
        let id = pack.names.text(class.id);
        match taker {
            Taker::Row(_, row) => {
                format!("the settle row {} of `{id}` on `{}`", row + 1, pack.names.text(class.settle[row].on))
            }
            Taker::Trigger(_, at) => format!("trigger {} of `{id}`", at + 1),
        }
    };
    let place = |taker: Taker| match taker {
        Taker::Row(class, row) => pack.classes[class.index()].settle[row].span,
        Taker::Trigger(class, at) => pack.classes[class.index()].triggers[at].span,
    };
    let names: Vec<String> = found.of.iter().map(|(taker, _)| name(*taker)).collect();
    let span = found.of.first().map_or_else(|| pack.classes[pack.boundary.index()].span, |(_, span)| *span);
    let mut finding =
        Diagnostic::error(Code::EndlessCalls, span, format!("calls without end: {} and so on", names.join(", then ")))
            .label("this call is always made");
    for (taker, call) in &found.of {
        finding = finding.also(place(*taker), format!("{} takes every outcome that is ok", name(*taker)));
        if *call != span {
            finding = finding.also(*call, "and always calls again");
        }
    }
    finding.help("give one of the calls a `when` that can end the loop, or narrow what takes the outcome")
}
