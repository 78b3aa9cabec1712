//! What is most likely a slip in a scenario that can be read: promises that check nothing, classes it names and does not reach, calls
//! that nobody makes, answers that their port does not give.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use crate::diag::{Code, Diagnostic, Diagnostics, listed, quoted};
use crate::model::Wrong;
use crate::model::class::On;
use crate::model::effect::{Effect, Verb};
use crate::model::ids::{ClassId, PortId};
use crate::model::uses::PackAt;
use crate::registry::Registry;
use crate::source::Span;
use crate::syntax::{Kind, Node};

use super::run::{Played, play};
use super::script::{Call, CallName, Happens, Script, Turn};
use super::turn::held;
use super::{Scenario, show};

/// Looks at a scenario that its pack can read, and says which classes it is about: those it covers and those it expects.
pub fn lint(registry: &Registry, scenario: &Scenario, script: &Script, out: &Diagnostics) -> BTreeSet<ClassId> {
    let mut about = BTreeSet::new();
    let cell = OnceCell::new();
    let played = || cell.get_or_init(|| play(registry, script, usize::MAX));
    let mut broken = false;
    for (turn, node) in script.turns.iter().zip(&scenario.turns) {
        about.extend(expected(turn).into_iter().map(|(class, _)| class));
        calls(registry, turn, out);
        let found = answers(registry, turn, node, &played);
        broken |= !found.is_empty();
        out.extend(found);
    }
    reached(registry, scenario, (&played, broken), &mut about, out);
    about
}

/// The classes that a turn expects, each with its place.
fn expected(turn: &Turn) -> Vec<(ClassId, Span)> {
    let Some(expect) = &turn.expect else { return Vec::new() };
    let all = [&expect.transition, &expect.selected, &expect.settled];
    all.into_iter().flatten().map(|class| (class.value, class.span)).collect()
}

/// A class that a scenario covers is one that it expects, or one that some step of it comes to.
fn reached<'p>(
    registry: &Registry,
    scenario: &Scenario,
    (played, broken): (&dyn Fn() -> &'p Played, bool),
    about: &mut BTreeSet<ClassId>,
    out: &Diagnostics,
) {
    let pack = registry.pack();
    let covered = scenario.covers.iter().filter_map(|covers| Some((pack.class(&covers.value)?, covers.span)));
    let open: Vec<(ClassId, Span)> = covered.filter(|(class, _)| !about.contains(class)).collect();
    about.extend(open.iter().map(|(class, _)| *class));
    // With answers that their ports do not give it goes another way.
    if open.is_empty() || broken {
        return;
    }
    let played = played();
    let own = |step: &&super::PlayedStep| step.pack.is_outermost();
    let steps =
        played.turns.iter().flat_map(|turn| &turn.steps).filter(own).filter_map(|step| step.result.as_ref().ok());
    let came: BTreeSet<ClassId> = steps.flat_map(|step| [step.selected, step.class]).flatten().collect();
    for (class, span) in open {
        if !came.contains(&class) {
            let message = format!("the scenario covers {} and never reaches it", quoted(show::class(pack, class)));
            let names: Vec<&str> = came.iter().map(|class| show::class(pack, *class)).collect();
            let help = match names.as_slice() {
                [] => "add a turn that the class takes, or leave it out".to_owned(),
                _ => format!("it reaches {}: name what it is about, or add a turn that the class takes", listed(names)),
            };
            out.push(Diagnostic::warning(Code::ClassNotReached, span, message).help(help));
        }
    }
}

/// A class of which no scenario is: neither covered nor expected anywhere. Of the classes that `for_each` writes one is enough.
pub fn families(registry: &Registry, about: &BTreeSet<ClassId>, out: &Diagnostics) {
    let classes = &registry.pack().classes;
    let known: BTreeSet<Span> = about.iter().map(|class| classes[class.index()].span).collect();
    let mut open = BTreeSet::new();
    for class in classes {
        if !known.contains(&class.span) && open.insert(class.span) {
            let id = quoted(registry.pack().names.text(class.id));
            let found = Diagnostic::warning(Code::NoScenario, class.span, format!("no scenario is about class {id}"));
            out.push(found.help(format!("write one that reaches it, with `covers: {}`", id.trim_matches('`'))));
        }
    }
}

/// A scripted call goes to a port that somebody calls: the class that takes the turn, or one that takes outcomes.
fn calls(registry: &Registry, turn: &Turn, out: &Diagnostics) {
    let pack = registry.pack();
    let Some(expect) = &turn.expect else { return };
    let Some(selected) = expect.selected.as_ref().or(expect.transition.as_ref()) else { return };
    if turn.calls.is_empty() || turn.inputs.len() != 1 || expect.refused.is_some() {
        return;
    }
    let listens = |on: On| matches!(on, On::Outcome { .. } | On::Boundary);
    let mut made: BTreeSet<PortId> = BTreeSet::new();
    let mut from: BTreeSet<ClassId> = BTreeSet::new();
    for (at, class) in pack.classes.iter().enumerate() {
        let id = ClassId::at(at);
        if id == selected.value || class.triggers.iter().any(|trigger| listens(trigger.on)) {
            let rows = class.settle.iter().flat_map(|row| &row.effects);
            let ports: Vec<PortId> = class.effects.iter().chain(rows).filter_map(called).collect();
            if !ports.is_empty() {
                from.insert(id);
            }
            made.extend(ports);
        }
    }
    // What a used pack calls hangs on its own state.
    for call in turn.calls.iter().filter(|call| call.pack.is_outermost() && !made.contains(&call.port)) {
        let port = pack.names.text(pack.ports[call.port.index()].name);
        let class = show::class(pack, selected.value);
        let message = format!("nobody calls {} in a turn of {}", quoted(port), quoted(class));
        let names: Vec<&str> = made.iter().map(|port| pack.names.text(pack.ports[port.index()].name)).collect();
        let help = match names.as_slice() {
            [] => "leave the call out: no class that can take the turn makes any".to_owned(),
            _ => format!("leave it out; what is called there is {}", listed(names)),
        };
        let found = Diagnostic::error(Code::CallNobodyMakes, call.span, message);
        out.push(found.also(selected.span, "the class that takes the turn").help(help));
    }
}

fn called(effect: &Effect) -> Option<PortId> {
    match &effect.verb {
        Verb::Call(call) => Some(call.port),
        _ => None,
    }
}

/// An answer that breaks its port's declaration fails the call. Where the turn is to end with the boundary that may be what the
/// scenario is about.
fn answers<'p>(registry: &Registry, turn: &Turn, node: &Node, played: &dyn Fn() -> &'p Played) -> Vec<Diagnostic> {
    let ends = turn.expect.as_ref().and_then(|expect| expect.settled.as_ref().or(expect.transition.as_ref()));
    let takes_failures = |class: ClassId| {
        let triggers = &registry.pack().classes[class.index()].triggers;
        triggers.iter().any(|trigger| matches!(trigger.on, On::Outcome { ok: None | Some(false), .. } | On::Boundary))
    };
    if ends.is_some_and(|class| takes_failures(class.value)) {
        return Vec::new();
    }
    // One that is asked for again may break it as well.
    let asked_again = |at: usize| {
        let Call { pack: of, port, .. } = turn.calls[at];
        let retry = registry.pack().at(of).ports[port.index()].retry.as_ref();
        retry.is_some_and(|retry| retry.on.contains(&Wrong::Contract))
            && turn.calls[at + 1..].iter().any(|call| (call.pack, call.port) == (of, port))
    };
    let told = turn.calls.iter().enumerate().filter(|(at, _)| !asked_again(*at));
    let scripted = told.filter_map(|(_, call)| call.reply.as_ref()?.contract.clone());
    let is_refused = turn.expect.as_ref().is_some_and(|expect| expect.refused.is_some());
    let by_hand = turn.inputs.iter().filter(|_| !is_refused).filter_map(|input| match &input.happens {
        Happens::Outcome { of: CallName::Id(id), reply } if reply.value.is_some() => {
            held(registry, made(played(), id)?, outcome(node, input.span)?)
        }
        Happens::Outcome { reply, .. } => reply.contract.clone(),
        Happens::Event(_) => None,
    });
    let found = scripted.chain(by_hand).flat_map(|contract| contract.found);
    found.map(|found| Diagnostic { code: Code::AnswerBreaksPort, ..found }).collect()
}

/// The port of a call, by the id that it has when the scenario is played.
fn made(played: &Played, id: &str) -> Option<(PackAt, PortId)> {
    let steps = played.turns.iter().flat_map(|turn| &turn.steps);
    let mut calls = steps.filter_map(|step| Some((step.pack, &step.result.as_ref().ok()?.calls)));
    calls.find_map(|(pack, calls)| calls.iter().find(|call| *call.id == *id).map(|call| (pack, call.port)))
}

/// The outcome that stands at a place of a turn, which may come through an alias.
fn outcome(node: &Node, place: Span) -> Option<&Node> {
    match &node.kind {
        _ if node.span == place => Some(node),
        Kind::List(items) => items.iter().find_map(|item| outcome(item, place)),
        Kind::Table(table) => table.iter().find_map(|entry| outcome(&entry.value, place)),
        _ => None,
    }
}
