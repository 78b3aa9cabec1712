//! Transcripts: what a replay did, as stable text made to be read in a diff. No place in a file stands in it.

use std::fmt::{Arguments, Write};

use crate::engine::{Candidate, Step, StepError, Trace, Verdict};
use crate::model::Pack;
use crate::model::class::On;
use crate::model::ids::FrameId;
use crate::model::uses::PackAt;
use crate::model::value::Value;
use crate::registry::Registry;
use crate::state::{Instances, SessionState};

use super::run::{Played, PlayedStep, What};
use super::script::Script;
use super::{Scenario, show};

/// The transcript of a scenario that was run.
#[must_use]
pub fn write(registry: &Registry, scenario: &Scenario, script: &Script, played: &Played) -> String {
    let pack = registry.pack();
    let mut text = format!("{}\n", show::line(&scenario.name));
    if !scenario.covers.is_empty() {
        let covers: Vec<&str> = scenario.covers.iter().map(|covered| covered.value.as_str()).collect();
        text.push_str(&format!("covers {}\n", covers.join(", ")));
    }
    text.push_str(&format!("today {}\n", script.clock.today));
    for at in pack.all() {
        if let Some(state) = script.given.at(at) {
            given(pack, at, state, &mut text);
        }
    }
    for (at, repaired) in &script.repaired {
        let name = pack.qualified(*at, pack.at(*at).names.text(*repaired));
        text.push_str(&format!("repaired {name}\n"));
    }
    for (index, turn) in played.turns.iter().enumerate() {
        for (at, step) in turn.steps.iter().enumerate() {
            text.push('\n');
            write_step(registry, index + 1, at, step, &mut text);
        }
        let open = turn.state.host_calls(pack);
        if !open.is_empty() {
            let open: Vec<&str> = open.iter().map(|(_, call)| &*call.id).collect();
            text.push_str(&format!("   still open: {}\n", open.join(", ")));
        }
    }
    text
}

/// What a pack remembers before the first turn.
fn given(all: &Pack, at: PackAt, state: &SessionState, text: &mut String) {
    let pack = all.at(at);
    for (index, frame) in pack.frames.iter().enumerate() {
        let mut fields = Vec::new();
        for slot in frame.fields() {
            let value = state.get(slot);
            if *value != pack.slots[slot.index()].default {
                fields.push(format!(
                    "{}: {}",
                    pack.names.text(pack.slots[slot.index()].name),
                    show::value(pack, value)
                ));
            }
        }
        let name = all.qualified(at, pack.names.text(frame.name));
        for instance in state.instances(pack, FrameId::at(index)).into_iter().flat_map(Instances::iter) {
            let Some(keyed) = &frame.keyed else { continue };
            let ended = instance.closed_as.map_or(Value::Absent, Value::Sym);
            let values = keyed.fields().zip(&*instance.values).chain([(keyed.ended(), &ended)]);
            let fields: Vec<String> = values
                .filter(|(_, value)| value.is_present())
                .map(|(slot, value)| {
                    format!("{}: {}", pack.names.text(pack.slots[slot.index()].name), show::value(pack, value))
                })
                .collect();
            text.push_str(&format!("given {name}[{}] {{ {} }}\n", instance.key, fields.join(", ")));
        }
        if !fields.is_empty() && frame.keyed.is_none() {
            text.push_str(&format!("given {name} {{ {} }}\n", fields.join(", ")));
        }
    }
}

fn write_step(registry: &Registry, turn: usize, at: usize, played: &PlayedStep, text: &mut String) {
    let all = registry.pack();
    let (own, pack) = (registry.at(played.pack), all.at(played.pack));
    let head = played.what.shown(all);
    // The first step of a turn bears its number; the others stand under it.
    match at {
        0 => text.push_str(&format!("{turn}. {head}\n")),
        _ => text.push_str(&format!("{:1$} {head}\n", "", turn.to_string().len() + 1)),
    }
    let mut line = |line: Arguments<'_>| {
        text.push_str("   ");
        // A text takes all that is written.
        let _ = text.write_fmt(line);
        text.push('\n');
    };
    let class_name = |class| all.qualified(played.pack, show::class(pack, class));
    if let Some(undone) = &played.undone {
        line(format_args!("{}", show::undone(all, undone)));
        let of = all.at(undone.at);
        for failure in &undone.failures {
            for breach in &failure.breaches {
                let class = all.qualified(undone.at, show::class(of, failure.class));
                line(format_args!("{class} gave up: {}", show::breach(of, failure.class, breach)));
            }
        }
    }
    let step = match &played.result {
        Ok(step) => step,
        Err(error) => {
            line(format_args!("no step: {error}"));
            if let StepError::Boundary { failures } = error {
                for failure in failures {
                    for breach in &failure.breaches {
                        let class = class_name(failure.class);
                        line(format_args!("{class} broke {}", show::breach(pack, failure.class, breach)));
                    }
                }
            }
            return;
        }
    };
    if let Some(refused) = step.refused {
        line(format_args!("refused: {}", pack.names.text(refused)));
        return;
    }
    let said = matches!(&played.what, What::Outcome(outcome) if outcome.reply.contract.is_some());
    if let Some(breach) = step.breach.filter(|_| !said) {
        line(format_args!("breach: {}", pack.names.text(breach)));
    }
    step.read.iter().for_each(|read| line(format_args!("read: {}", show::read_text(pack, read))));
    if let Some(retried) = step.retried {
        line(format_args!("{}", show::retried(retried)));
    }
    for failure in &step.failures {
        for breach in &failure.breaches {
            line(format_args!("{} gave up: {}", class_name(failure.class), show::breach(pack, failure.class, breach)));
        }
    }
    if let Some(class) = step.class {
        line(format_args!("{} ({})", class_name(class), pack.classes[class.index()].name));
    }
    step_lines((all, played), own, step, played.what.heard(), &mut line);
}

fn step_lines(
    (all, played): (&Pack, &PlayedStep),
    registry: &Registry,
    step: &Step,
    heard: Option<&str>,
    line: &mut dyn FnMut(Arguments<'_>),
) {
    let pack = registry.pack();
    let at = played.pack;
    if let Some(trace) = &step.trace {
        if let Some(why) = why(pack, trace) {
            line(format_args!("why: {why}"));
        }
        for said in &trace.said {
            line(format_args!("said: {}", show::said(pack, said, heard)));
        }
    }
    if !step.reasons.is_empty() {
        let reasons: Vec<&str> = step.reasons.iter().map(|reason| pack.names.text(*reason)).collect();
        line(format_args!("reason: {}", reasons.join(", ")));
    }
    if !step.unused.is_empty() {
        let unused: Vec<&str> =
            step.unused.iter().map(|input| pack.names.text(pack.inputs[input.index()].name)).collect();
        line(format_args!("unused: {}", unused.join(", ")));
    }
    if !step.carried.is_empty() {
        line(format_args!("carried: {}", show::frames_at(all, at, step.carried)));
    }
    if !step.dropped.is_empty() {
        line(format_args!("dropped: {}", show::frames_at(all, at, step.dropped)));
    }
    for change in step.changes() {
        let (old, new) = (show::value(pack, change.old), show::value(pack, change.new));
        line(format_args!("{}: {old} → {new}", all.qualified(at, &show::slot(pack, change.slot))));
    }
    for change in step.instance_changes(pack) {
        show::instance_at(all, at, &change).into_iter().for_each(|told| line(format_args!("{told}")));
    }
    let made_for = played.closed.iter().map(|(_, call)| call);
    let closed: Vec<&str> = step.closed.iter().chain(made_for).map(AsRef::as_ref).collect();
    if !closed.is_empty() {
        line(format_args!("closed: {}", closed.join(", ")));
    }
    for call in &step.calls {
        line(format_args!("call: {}", show::call_at(all, at, call)));
    }
    for (place, message) in step.messages.iter().enumerate() {
        let word = if Some(place) == played.reply { "reply" } else { "message" };
        line(format_args!("{word}: {}", show::message_at(all, at, message)));
    }
    if let Some(mode) = step.answer {
        let mode = &pack.modes[mode.index()];
        line(format_args!("answer: {} ({})", pack.names.text(mode.name), show::claims(mode.claims)));
    }
}

/// Which words, signal or row made the chosen class take the event.
fn why(pack: &Pack, trace: &Trace) -> Option<String> {
    let chosen = trace.candidates.iter().find(|candidate| candidate.verdict == Verdict::Chosen)?;
    Some(trigger(pack, chosen))
}

/// What set a candidate off, in words.
#[must_use]
pub fn trigger(pack: &Pack, candidate: &Candidate) -> String {
    let class = &pack.classes[candidate.class.index()];
    if let Some(row) = candidate.row {
        let settle = &class.settle[row];
        let rows = class.settle.iter().filter(|other| other.on == settle.on).count();
        let nth = class.settle[..row].iter().filter(|other| other.on == settle.on).count() + 1;
        let of = if rows > 1 { format!(", row {nth} of {rows}") } else { String::new() };
        return format!("settle on {}{of}", pack.names.text(settle.on));
    }
    let Some(trigger) = class.triggers.get(candidate.trigger) else { return String::new() };
    let matched: Vec<String> = candidate
        .matched
        .iter()
        .filter_map(|at| trigger.any.get(*at))
        .map(|alternative| show::alternative(pack, alternative))
        .collect();
    if !matched.is_empty() {
        return matched.join(", ");
    }
    match trigger.on {
        On::Event(event) => format!("event {}", pack.names.text(pack.events[event.index()].name)),
        On::Boundary => "boundary".into(),
        On::Outcome { port, ok, .. } => {
            let port = port.map_or("outcome", |port| pack.names.text(pack.ports[port.index()].name));
            let ending = match ok {
                Some(true) => ".ok",
                Some(false) => ".failed",
                None => "",
            };
            format!("outcome trigger {} on {port}{ending}", candidate.trigger + 1)
        }
    }
}
