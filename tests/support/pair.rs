//! The engine and the reference evaluator side by side on one session.

use serde_json::{Map, Value as Json, json};

use segue::engine::{Event, NumberedIds, Step, step};
use segue::model::Pack;
use segue::model::ids::{ClassId, FrameId, FrameSet, InputId, Slot};
use segue::model::json::to_json;
use segue::model::names::Sym;
use segue::model::value::Value;
use segue::registry::Registry;
use segue::state::SessionState;

use super::env::{TODAY, env};
use crate::oracle::{self, Facts, Fields, Ids, Instances, OracleState};

/// A session that both evaluators run.
pub struct Pair<'a> {
    pub registry: &'a Registry,
    pub state: SessionState,
    pub twin: OracleState,
    ids: NumberedIds,
    twin_ids: Ids,
    turns: u32,
}

/// What a step came to, in words, so that a difference can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    pub class: Option<String>,
    pub selected: Option<String>,
    pub refused: Option<String>,
    pub reasons: Vec<String>,
    pub carried: Vec<String>,
    pub dropped: Vec<String>,
    pub calls: Vec<String>,
    pub closed: Vec<String>,
    pub messages: Vec<String>,
    pub answer: Option<String>,
    pub breach: Option<String>,
    pub retried: Option<(u32, u32)>,
    pub unused: Vec<String>,
    pub failed: Vec<String>,
    pub state: Json,
    pub open: Vec<String>,
    /// The instances of keyed frames.
    pub instances: Vec<String>,
    pub revision: u64,
}

/// Takes one event through the engine, with ids that go on from `ids`.
pub fn engine_step(
    registry: &Registry,
    state: &SessionState,
    event: &Event,
    turn: u32,
    ids: &mut NumberedIds,
) -> Result<Step, segue::engine::StepError> {
    let mut env = env(turn, ids);
    step(registry, state, event, &mut env)
}

impl<'a> Pair<'a> {
    /// A session that has just begun.
    pub fn new(registry: &'a Registry) -> Self {
        Self::starting(registry, SessionState::new(registry.pack()))
    }

    /// A session that begins in the middle, between two turns.
    pub fn starting(registry: &'a Registry, state: SessionState) -> Self {
        let pack = registry.pack();
        let mut twin = OracleState::new(pack);
        for slot in (0..pack.slots.len()).map(Slot::at) {
            twin.fields.put(pack, slot, state.get(slot).clone());
        }
        twin.instances = Instances::starting(pack, &state);
        Self { registry, state, twin, ids: NumberedIds::default(), twin_ids: Ids::default(), turns: 0 }
    }

    /// Ids count from 1 again, as where a saved session is taken up by a host that counts them anew.
    pub fn count_anew(&mut self) {
        (self.ids, self.twin_ids) = (NumberedIds::default(), Ids::default());
    }

    /// Takes one event through both; what they make of it, or the difference in words.
    pub fn step(&mut self, event: &Event) -> Result<Option<Step>, String> {
        if matches!(event, Event::Input { .. }) {
            self.turns += 1;
        }
        let pack = self.registry.pack();
        let facts = Facts {
            now: "2021-05-10T12:00:00Z".into(),
            today: TODAY,
            session_id: "s-1".into(),
            turn_id: format!("t-{}", self.turns),
        };
        let made = engine_step(self.registry, &self.state, event, self.turns, &mut self.ids);
        let twin = oracle::step(pack, &self.twin, event, &facts, &mut self.twin_ids);
        match (made, twin) {
            (Ok(made), Ok(twin)) => {
                let (a, b) = (shown(pack, &made), shown_twin(pack, &twin));
                if a != b {
                    let detail = format!("engine failures {:?}\noracle failures {:?}", made.failures, twin.failed);
                    return Err(format!("{event:?}\n{}\n{detail}", difference(&a, &b)));
                }
                self.state = made.state.clone();
                self.twin = twin.state;
                Ok(Some(made))
            }
            (Err(_), Err(_)) => Ok(None),
            (made, twin) => {
                Err(format!("{event:?}\nengine {:?}\noracle {:?}", made.map(|s| s.class), twin.map(|s| s.class)))
            }
        }
    }
}

fn class_name(pack: &Pack, class: ClassId) -> String {
    pack.names.text(pack.classes[class.index()].id).to_owned()
}

fn frames(pack: &Pack, set: FrameSet) -> Vec<String> {
    let mut names: Vec<String> =
        set.iter().map(|frame| pack.names.text(pack.frames[frame.index()].name).to_owned()).collect();
    names.sort();
    names
}

fn named(pack: &Pack, values: &[(Sym, Value)]) -> String {
    let mut all: Vec<String> = values
        .iter()
        .map(|(name, value)| format!("{}={}", pack.names.text(*name), to_json(&pack.names, value)))
        .collect();
    all.sort();
    all.join(" ")
}

fn inputs(pack: &Pack, all: &[InputId]) -> Vec<String> {
    let mut names: Vec<String> =
        all.iter().map(|input| pack.names.text(pack.inputs[input.index()].name).to_owned()).collect();
    names.sort();
    names
}

fn texts(pack: &Pack, syms: &[Sym]) -> Vec<String> {
    syms.iter().map(|sym| pack.names.text(*sym).to_owned()).collect()
}

/// The frames of the engine's state as a session can begin with them.
pub fn frames_json(pack: &Pack, state: &SessionState) -> Json {
    let frames = pack.frames.iter().enumerate();
    let each = frames.map(|(at, frame)| (pack.names.text(frame.name).into(), state.frame_json(pack, FrameId::at(at))));
    Json::Object(each.collect())
}

/// The frames of the engine's state, without what instances hold.
pub fn fields_json(pack: &Pack, state: &SessionState) -> Json {
    let mut all = Map::new();
    for (index, frame) in pack.frames.iter().enumerate() {
        // What is known of instances is compared by itself.
        let fields = match &frame.keyed {
            Some(keyed) => {
                let count = to_json(&pack.names, state.get(keyed.open_count()));
                json!({ "open_count": count, "only": to_json(&pack.names, state.get(keyed.only())) })
            }
            None => state.frame_json(pack, FrameId::at(index)),
        };
        all.insert(pack.names.text(frame.name).into(), fields);
    }
    Json::Object(all)
}

fn twin_json(pack: &Pack, state: &Fields) -> Json {
    let mut all = Map::new();
    for frame in &pack.frames {
        let mut fields = Map::new();
        if let Some(keyed) = &frame.keyed {
            for (name, slot) in [("open_count", keyed.open_count()), ("only", keyed.only())] {
                fields.insert(name.into(), to_json(&pack.names, &state.get(pack, slot)));
            }
            all.insert(pack.names.text(frame.name).into(), Json::Object(fields));
            continue;
        }
        for slot in frame.fields() {
            let value = state.get(pack, slot);
            if value.is_present() {
                fields.insert(pack.names.text(pack.slots[slot.index()].name).into(), to_json(&pack.names, &value));
            }
        }
        all.insert(pack.names.text(frame.name).into(), Json::Object(fields));
    }
    Json::Object(all)
}

fn instance(pack: &Pack, frame: FrameId, key: &str, ended: Option<Sym>, values: &[Value]) -> String {
    let ended = ended.map_or("open", |ended| pack.names.text(ended));
    let values: Vec<String> = values.iter().map(|value| to_json(&pack.names, value).to_string()).collect();
    format!("{} {key} {ended} {}", pack.names.text(pack.frames[frame.index()].name), values.join(" "))
}

/// The instances of the engine's state, in their order.
pub fn instances(pack: &Pack, state: &SessionState) -> Vec<String> {
    let all = pack.keyed.iter().flat_map(|frame| {
        let all = state.instances(pack, *frame).expect("a keyed frame");
        all.iter().map(|of| instance(pack, *frame, &of.key, of.closed_as, &of.values)).collect::<Vec<_>>()
    });
    all.collect()
}

fn twin_instances(pack: &Pack, state: &Instances) -> Vec<String> {
    let all = pack.keyed.iter().flat_map(|frame| {
        let all = state.open(*frame).into_iter().chain(state.closed(*frame));
        all.map(|of| instance(pack, *frame, &of.key, of.ended.map(|(ended, _)| ended), &of.values)).collect::<Vec<_>>()
    });
    all.collect()
}

/// An engine's step in words.
pub fn shown(pack: &Pack, step: &Step) -> Shown {
    Shown {
        class: step.class.map(|class| class_name(pack, class)),
        selected: step.selected.map(|class| class_name(pack, class)),
        refused: step.refused.map(|sym| pack.names.text(sym).to_owned()),
        reasons: texts(pack, &step.reasons),
        carried: frames(pack, step.carried),
        dropped: frames(pack, step.dropped),
        calls: step
            .calls
            .iter()
            .map(|call| {
                let port = pack.names.text(pack.ports[call.port.index()].name);
                format!("{} {} {port} {}", call.id, pack.names.text(call.site), named(pack, &call.with))
            })
            .collect(),
        closed: step.closed.iter().map(ToString::to_string).collect(),
        messages: step
            .messages
            .iter()
            .map(|sent| {
                let name = pack.names.text(pack.messages[sent.message.index()].name);
                format!("{name} {} {:?}", named(pack, &sent.fields), sent.text)
            })
            .collect(),
        answer: step.answer.map(|mode| pack.names.text(pack.modes[mode.index()].name).to_owned()),
        breach: step.breach.map(|breach| pack.names.text(breach).to_owned()),
        retried: step.retried.map(|retried| (retried.attempt, retried.of)),
        unused: inputs(pack, &step.unused),
        failed: step.failures.iter().map(|failure| class_name(pack, failure.class)).collect(),
        state: fields_json(pack, &step.state),
        open: step
            .state
            .open_calls()
            .iter()
            .map(|call| {
                let kept: Vec<(Sym, Value)> =
                    call.kept.iter().map(|(id, value)| (pack.kept[id.index()].0, value.clone())).collect();
                let of: Vec<&str> = call.owners.iter().map(|(_, key)| key.as_str()).collect();
                let sent = call.sent.as_ref().map(|sent| format!(" {} {}", sent.attempt, named(pack, &sent.with)));
                let sent = sent.unwrap_or_default();
                format!("{} {} {} {of:?}{sent}", call.id, class_name(pack, call.class), named(pack, &kept))
            })
            .collect(),
        instances: instances(pack, &step.state),
        revision: step.state.revision(),
    }
}

fn shown_twin(pack: &Pack, step: &oracle::OracleStep) -> Shown {
    Shown {
        class: step.class.map(|class| class_name(pack, class)),
        selected: step.selected.map(|class| class_name(pack, class)),
        refused: step.refused.map(|sym| pack.names.text(sym).to_owned()),
        reasons: texts(pack, &step.reasons),
        carried: frames(pack, step.carried),
        dropped: frames(pack, step.dropped),
        calls: step
            .calls
            .iter()
            .map(|call| {
                let port = pack.names.text(pack.ports[call.port.index()].name);
                format!("{} {} {port} {}", call.id, pack.names.text(call.site), named(pack, &call.with))
            })
            .collect(),
        closed: step.closed.clone(),
        messages: step
            .messages
            .iter()
            .map(|sent| {
                let name = pack.names.text(pack.messages[sent.message.index()].name);
                format!("{name} {} {:?}", named(pack, &sent.fields), sent.text)
            })
            .collect(),
        answer: step.answer.map(|mode| pack.names.text(pack.modes[mode.index()].name).to_owned()),
        breach: step.breach.clone(),
        retried: step.retried,
        unused: inputs(pack, &step.unused),
        failed: step.failed.iter().map(|(class, _)| class_name(pack, *class)).collect(),
        state: twin_json(pack, &step.state.fields),
        open: step
            .state
            .turns
            .iter()
            .flat_map(|turn| &turn.calls)
            .map(|call| {
                let kept: Vec<(Sym, Value)> =
                    call.kept.iter().map(|(id, value)| (pack.kept[id.index()].0, value.clone())).collect();
                let of: Vec<&str> = call.owners.iter().map(|(_, key)| key.as_str()).collect();
                let port = &pack.ports[call.port.index()];
                let asked = !port.checks.is_empty() || port.retry.is_some() || !port.readings.is_empty();
                let sent = if asked { format!(" {} {}", call.attempt, named(pack, &call.with)) } else { String::new() };
                format!("{} {} {} {of:?}{sent}", call.id, class_name(pack, call.class), named(pack, &kept))
            })
            .collect(),
        instances: twin_instances(pack, &step.state.instances),
        revision: step.state.revision,
    }
}

/// The lines in which two steps differ.
fn difference(engine: &Shown, oracle: &Shown) -> String {
    let (engine, oracle) = (format!("{engine:#?}"), format!("{oracle:#?}"));
    let diff = similar::TextDiff::from_lines(&engine, &oracle);
    let context = format!("class {}", engine.lines().nth(2).unwrap_or_default().trim());
    let mut out = format!("- engine, + oracle; {context}\n");
    for change in diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal) {
        out.push_str(&format!("{}{}", change.tag(), change.value()));
    }
    out
}

/// The value of `frame.field`, as JSON; null when absent.
pub fn at(pack: &Pack, state: &SessionState, path: &str) -> Json {
    let (frame, field) = path.split_once('.').expect("frame.field");
    let slot: Slot = pack.field(pack.frame(frame).expect("a frame"), field).expect("a field");
    to_json(&pack.names, state.get(slot))
}
