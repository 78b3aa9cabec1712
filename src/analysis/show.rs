//! A situation as a scenario: what stands before it, what happens, what the engine makes of it, ready to be kept as a file.

use serde_json::{Map, Value as Json};

use crate::engine::{CallOut, Event, Step};
use crate::model::Pack;
use crate::model::ids::FrameId;
use crate::model::json::{to_json, to_wire};
use crate::model::uses::PackAt;
use crate::model::value::Value;
use crate::registry::Registry;
use crate::state::SessionState;
use crate::syntax::flow::{flow, text, word};

use super::situation::Situation;
use super::stage::Stage;

/// The day on which scenarios begin that say nothing of it.
const FIRST_DAY: jiff::civil::Date = jiff::civil::Date::constant(2020, 1, 1);

/// A scenario of one turn, in YAML, without a line break at its end.
#[must_use]
pub fn scenario(registry: &Registry, name: &str, situation: &Situation, remark: &str) -> String {
    let mut lines = head(registry, name, situation);
    lines.extend(turn(registry, &situation.event));
    lines.push(expectation(registry, situation.step(registry).ok().as_ref(), None, remark));
    lines.join("\n")
}

/// A scenario in which a call is made and comes to what is shown.
#[must_use]
pub fn staged(registry: &Registry, name: &str, stage: &Stage, remark: &str) -> String {
    let pack = registry.pack();
    let mut lines = head(registry, name, &stage.first);
    lines.extend(turn(registry, &stage.first.event));
    lines.push("    calls:".into());
    for call in stage.calls.iter().filter(|call| pack.ports[call.port.index()].replies) {
        lines.push(format!("      - {}", flow(&ending(registry, call, &stage.second.event))));
    }
    let step = stage.second.step(registry).ok();
    lines.push(expectation(registry, step.as_ref(), stage.first.step(registry).ok().as_ref(), remark));
    lines.join("\n")
}

/// An outcome that no input is known to lead up to: what happens, and the state that it happens in.
#[must_use]
pub fn outcome(registry: &Registry, situation: &Situation) -> String {
    let pack = registry.pack();
    let mut lines = vec!["# no input was found that leads up to it".to_owned()];
    let given = given(registry, &situation.state);
    if !given.is_empty() {
        lines.push("given:".into());
        lines.extend(given);
    }
    if let (Some(call), Event::Outcome { .. }) = (situation.state.open_calls().first(), &situation.event) {
        let class = pack.names.text(pack.classes[call.class.index()].id);
        let site = pack.names.text(call.site);
        let made = CallOut { id: call.id.clone(), site: call.site, port: call.port, with: Vec::new() };
        let mut ends = flow(&ending(registry, &made, &situation.event));
        let kept: Map<String, Json> = call
            .kept
            .iter()
            .map(|(id, value)| (pack.names.text(pack.kept[id.index()].0).into(), to_json(&pack.names, value)))
            .collect();
        if !kept.is_empty() {
            ends.push_str(&format!(" # kept: {}", flow(&Json::Object(kept))));
        }
        lines.push(format!("calls: # the call `{site}` of `{class}`"));
        lines.push(format!("  - {ends}"));
    }
    lines.join("\n")
}

fn head(registry: &Registry, name: &str, situation: &Situation) -> Vec<String> {
    let mut lines = vec![format!("scenario: {}", text(name))];
    let mut env = Map::new();
    if situation.today != FIRST_DAY {
        env.insert("today".into(), situation.today.to_string().into());
    }
    if *situation.now != *format!("{}T00:00:00Z", situation.today) {
        env.insert("now".into(), (*situation.now).into());
    }
    if &*situation.session != "s-1" {
        env.insert("session_id".into(), (*situation.session).into());
    }
    if !env.is_empty() {
        lines.push(format!("env: {}", flow(&Json::Object(env))));
    }
    let given = given(registry, &situation.state);
    if !given.is_empty() {
        lines.push("given:".into());
        lines.extend(given);
    }
    lines.push("turns:".into());
    lines
}

/// What a state holds besides what it begins with, as the lines under `given` of a scenario, a frame on a line.
#[must_use]
pub fn given(registry: &Registry, state: &SessionState) -> Vec<String> {
    let pack = registry.pack();
    pack.all().flat_map(|at| state.at(at).map_or_else(Vec::new, |state| given_at(pack, at, state))).collect()
}

fn given_at(all: &Pack, at: PackAt, state: &SessionState) -> Vec<String> {
    let pack = all.at(at);
    let defaults = pack.defaults();
    let mut lines = Vec::new();
    for frame in (0..pack.frames.len()).map(FrameId::at) {
        let declared = &pack.frames[frame.index()];
        let mut fields = Map::new();
        if let (Some(_), Json::Object(instances)) = (&declared.keyed, state.frame_json(pack, frame)) {
            fields = instances;
        }
        for slot in declared.fields().filter(|_| declared.keyed.is_none()) {
            let value = state.get(slot);
            if *value != defaults[slot.index()] && value.is_present() {
                let name = pack.names.text(pack.slots[slot.index()].name);
                fields.insert(name.into(), to_json(&pack.names, value));
            }
        }
        if !fields.is_empty() {
            let name = all.qualified(at, pack.names.text(declared.name));
            lines.push(format!("  {}: {}", word(&name), flow(&Json::Object(fields))));
        }
    }
    lines
}

/// An input as a turn, without what comes of it.
fn turn(registry: &Registry, happens: &Event) -> Vec<String> {
    let pack = registry.pack();
    let Event::Input { event, fields } = happens else { return Vec::new() };
    let declared = &pack.events[event.index()];
    let (mut payload, mut signals, mut said) = (Map::new(), Map::new(), None);
    for (input, value) in fields {
        let known = &pack.inputs[input.index()];
        let wire = declared.wire_of(*input);
        let name = pack.names.text(wire.unwrap_or(known.name));
        match value {
            Value::Text(text) if declared.text == Some(*input) => said = Some(text.to_string()),
            _ if declared.text.is_none() && wire.is_some() => {
                payload.insert(name.into(), to_wire(pack, &known.ty, value));
            }
            _ => {
                signals.insert(name.into(), to_wire(pack, &known.ty, value));
            }
        }
    }
    let name = word(pack.names.text(declared.turn));
    let mut lines = vec![match said {
        Some(said) => format!("  - {name}: {}", text(&said)),
        None => format!("  - {name}: {}", flow(&Json::Object(payload))),
    }];
    if !signals.is_empty() {
        lines.push(format!("    signals: {}", flow(&Json::Object(signals))));
    }
    lines
}

/// How a scripted call ends: as the outcome says that is meant, else not yet.
fn ending(registry: &Registry, made: &CallOut, outcome: &Event) -> Json {
    let pack = registry.pack();
    let mut ends = Map::new();
    ends.insert("port".into(), pack.names.text(pack.ports[made.port.index()].name).into());
    let Event::Outcome { call, status, value, error } = outcome else { return Json::Object(ends) };
    if made.id != *call {
        ends.insert("open".into(), true.into());
        return Json::Object(ends);
    }
    match value {
        Some(Json::Object(fields)) if !fields.is_empty() => {
            ends.insert("returns".into(), Json::Object(fields.clone()));
        }
        _ => {
            let status = pack.names.text(registry.syms.statuses[*status as usize]);
            ends.insert("status".into(), status.into());
        }
    }
    if let Some(error) = error {
        ends.insert("error".into(), (**error).into());
    }
    Json::Object(ends)
}

/// What the engine makes of it as the pack stands.
fn expectation(registry: &Registry, step: Option<&Step>, selected: Option<&Step>, remark: &str) -> String {
    let pack = registry.pack();
    let Some((step, class)) = step.and_then(|step| Some((step, step.class?))) else {
        return format!("    # the boundary cannot take it either: {remark}");
    };
    let name = |class: crate::model::ids::ClassId| Json::from(pack.names.text(pack.classes[class.index()].id));
    let mut expected = Map::new();
    match selected.and_then(|step| step.selected).filter(|selected| *selected != class) {
        Some(selected) => {
            expected.insert("selected".into(), name(selected));
            expected.insert("settled".into(), name(class));
        }
        None => {
            expected.insert("transition".into(), name(class));
        }
    }
    if let Some(reason) = step.reasons.first().filter(|_| class == pack.boundary) {
        expected.insert("reason".into(), pack.names.text(*reason).into());
    }
    format!("    expect: {} # {remark}", flow(&Json::Object(expected)))
}
