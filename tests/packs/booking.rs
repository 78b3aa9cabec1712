//! The booking pack on the recorded dialogues: the bars of its scores, and that the state it keeps is the state of the records.
//! The data lie beside the repository; where they do not, nothing is run.

use std::path::Path;

use jiff::civil::Date;
use segue::declare::Options;
use segue::engine::{Env, Event, NumberedIds, step};
use segue::load::load;
use segue::model::Status;
use segue::recorded::{self, Replay};
use segue::registry::Registry;
use segue::report;
use segue::source::SourceMap;
use segue::state::SessionState;
use segue::workspace::{Workspace, files, lines};
use serde_json::{Value as Json, json};

fn registry() -> Registry {
    let workspace = Workspace::of(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the repository is a workspace");
    let loaded = load(&workspace.pack("booking").expect("the pack"), &Options::default());
    let found = report::human(&loaded.sources, &loaded.diagnostics, false);
    loaded.registry.filter(|_| found.is_empty()).unwrap_or_else(|| panic!("{found}"))
}

/// The dialogues, if they are there.
fn dialogues() -> Option<Vec<Json>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/sgd-dev.jsonl.gz");
    if files::kind(&path) != files::Kind::File {
        println!("skipped: there is no ../shared/data/sgd-dev.jsonl.gz");
        return None;
    }
    let mut lines = lines(&path, "sgd-dev").expect("it can be opened");
    let mut found = Vec::new();
    while let Some((_, line)) = lines.next_line().expect("a line") {
        found.push(serde_json::from_str(line).expect("a record"));
    }
    Some(found)
}

/// One session over a dialogue.
struct Session<'r> {
    registry: &'r Registry,
    state: SessionState,
    ids: NumberedIds,
    reasons: Vec<String>,
    answer: Option<String>,
}

impl Session<'_> {
    fn take(&mut self, event: &Event) {
        let mut env = Env {
            now: "2020-01-01T00:00:00Z".into(),
            today: Date::new(2020, 1, 1).expect("a day"),
            session_id: "s".into(),
            turn_id: "t".into(),
            ids: &mut self.ids,
            trace: false,
            probe: None,
        };
        let step = step(self.registry, &self.state, event, &mut env).expect("a step");
        let names = &self.registry.pack().names;
        self.reasons.extend(step.reasons.iter().map(|reason| names.text(*reason).to_owned()));
        self.answer = step.answer.map(|mode| names.text(self.registry.pack().modes[mode.index()].name).to_owned());
        self.state = step.state;
    }

    /// A turn of a record and the outcome of the call that it leaves open; what the reply leaves open stands in the next turn.
    fn turn(&mut self, turn: &Json, next: Option<&Json>) {
        let mut signals = turn["signals"].clone();
        let signals = signals.as_object_mut().expect("signals");
        signals.remove("pending");
        let mut outcome = signals.remove("outcome").expect("an outcome");
        if let Some(next) = next {
            outcome["pending"] = next["signals"]["pending"].clone();
        }
        self.reasons.clear();
        let event = Event::input(
            self.registry,
            "utterance",
            &json!({ "text": turn["utterance"] }),
            &Json::Object(std::mem::take(signals)),
        );
        self.take(&event.expect("an utterance"));
        let call = self.state.open_calls()[0].id.clone();
        self.take(&Event::Outcome { call, status: Status::Ok, value: Some(outcome), error: None });
    }

    fn get(&self, path: &str) -> Json {
        let (frame, field) = path.split_once('.').expect("frame.field");
        let pack = self.registry.pack();
        let frame = self.state.frame_json(pack, pack.frame(frame).expect("a frame"));
        frame.get(field).cloned().unwrap_or(Json::Null)
    }
}

/// Each entry of `part` stands in `whole`.
fn within(part: &Json, whole: &Json) -> bool {
    part.as_object().expect("an object").iter().all(|(key, value)| whole[key] == *value)
}

/// What a turn leaves, as the records have it: the root, the thing in focus, what is open, the kind of the answer.
#[test]
fn the_state_is_that_of_the_records() {
    let Some(dialogues) = dialogues() else { return };
    let registry = registry();
    for dialogue in &dialogues {
        let state = SessionState::new(registry.pack());
        let mut session =
            Session { registry: &registry, state, ids: NumberedIds::default(), reasons: vec![], answer: None };
        let turns = dialogue["turns"].as_array().expect("turns");
        for (at, turn) in turns.iter().enumerate() {
            let next = turns.get(at + 1);
            session.turn(turn, next);
            let at = format!("{} turn {}: {}", dialogue["id"], turn["n"], turn["rule"]);
            let (root, focus) = (&turn["state"]["root"], &turn["state"]["focus"]);
            assert_eq!(
                (session.get("root.service"), session.get("root.intent")),
                (root["service"].clone(), root["intent"].clone()),
                "{at}"
            );
            let status = focus.get("status").cloned().unwrap_or(json!("none"));
            assert_eq!(session.get("object.frame_status"), status, "{at}");
            if let Some(reference) = focus.get("ref") {
                assert!(
                    within(reference, &session.get("object.ref")),
                    "{at}: {reference} {}",
                    session.get("object.ref")
                );
            }
            if let Some(next) = next {
                let open = &next["signals"]["pending"];
                assert_eq!(session.get("clarification.clarification_kind"), open["kind"], "{at}");
                assert_eq!(session.get("clarification.resume_target_route"), open["resume_intent"], "{at}");
                assert_eq!(session.answer.as_deref(), turn["answer_mode"].as_str(), "{at}");
            }
            for reason in &session.reasons {
                let known = ["small_talk", "declined", "noted", "nothing_found", "not_done", "alternative_offered"];
                assert!(known.contains(&reason.as_str()), "{at}: {reason}");
            }
        }
    }
}

/// Another name for whatever is a name: of a service, a domain, an intent, a slot.
fn renamed(value: &Json) -> Json {
    match value {
        Json::String(name) => json!(format!("x_{name}")),
        Json::Array(names) => names.iter().map(renamed).collect(),
        other => other.clone(),
    }
}

/// The same object with its keys renamed.
fn rekeyed(value: &Json) -> Json {
    match value {
        Json::Object(entries) => entries.iter().map(|(key, value)| (format!("x_{key}"), value.clone())).collect(),
        other => other.clone(),
    }
}

/// The pack as it meets services, intents and slots that stand nowhere in it: every name of the records is replaced.
#[test]
fn names_that_nobody_knows_do_as_well() {
    let Some(dialogues) = dialogues() else { return };
    let (registry, sources) = (registry(), SourceMap::default());
    let mut replay = Replay::new(&registry, &sources, None, 0);
    for (number, mut dialogue) in dialogues.into_iter().enumerate() {
        for turn in dialogue["turns"].as_array_mut().expect("turns") {
            let signals = &mut turn["signals"];
            for name in ["service", "domain", "intent", "requested_slots"] {
                signals[name] = renamed(&signals[name]);
            }
            for value in signals["carried"].as_object_mut().expect("an object").values_mut() {
                value["from"] = renamed(&value["from"]);
            }
            if signals["selected_object"].is_object() {
                let taken = &mut signals["selected_object"];
                *taken = json!({ "service": renamed(&taken["service"]), "ref": rekeyed(&taken["ref"]) });
            }
            for name in ["slots", "intent", "resume_intent"] {
                if let Some(value) = signals["pending"].get(name) {
                    signals["pending"][name] = renamed(value);
                }
            }
            if let Some(values) = signals["pending"].get("values") {
                signals["pending"]["values"] = rekeyed(values);
            }
            for name in ["slots", "carried", "requested_values"] {
                signals[name] = rekeyed(&signals[name]);
            }
            for name in ["offered", "informed"] {
                signals["outcome"][name] = rekeyed(&signals["outcome"][name]);
            }
        }
        replay.line(number + 1, &dialogue.to_string()).unwrap_or_else(|fault| panic!("{fault}"));
    }
    let found = recorded::json(&replay.finish());
    let score = |value: &Json| value.as_f64().expect("a score");
    for (key, bar) in [("strict", 0.98), ("macro_strict", 0.97), ("macro_lenient", 0.99), ("dialogues_lenient", 0.98)] {
        assert!(score(&found[key]) >= bar, "{key}: {}", found[key]);
    }
    for class in ["T5", "T6"] {
        assert!(score(&found["per_class"][class]["strict"]) >= 0.95, "{class}: {}", found["per_class"][class]);
    }
}
