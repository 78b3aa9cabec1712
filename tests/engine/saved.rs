//! Saved sessions: what is read back, what is refused, and names that would make the saved form ambiguous.

use std::path::Path;

use crate::support::env::env;
use segue::declare::{Options, SourceText};
use segue::engine::{Env, Event, NumberedIds, StepError, restore, step};
use segue::load::load;
use segue::model::Status;
use segue::registry::Registry;
use segue::state::SessionState;
use segue::workspace::Workspace;
use serde_json::{Value, json};

fn files(workspace: &str, pack: &str) -> Vec<SourceText> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(workspace);
    Workspace::of(&root).and_then(|workspace| workspace.pack(pack)).expect("a pack")
}

fn main_pack() -> Registry {
    load(&files(".", "assistant"), &Options::default()).registry.expect("a pack without errors")
}

fn with_env<T>(run: impl FnOnce(&mut Env<'_>) -> T) -> T {
    let mut ids = NumberedIds::default();
    run(&mut env(1, &mut ids))
}

/// A session that waits for the outcome of `call-1`, in saved form.
fn waiting(registry: &Registry) -> Value {
    let said = json!({ "text": "show stock for March 2020 at Romashka" });
    let event = Event::input(registry, "utterance", &said, &json!({})).expect("an event");
    let state = SessionState::new(registry.pack());
    with_env(|env| step(registry, &state, &event, env)).expect("a step").state.to_json(registry.pack())
}

#[test]
fn what_does_not_come_from_a_step_is_refused() {
    let registry = main_pack();
    let saved = waiting(&registry);
    for (at, value, wanted) in [
        ("/revision", json!(u64::MAX), "`revision`: is 18446744073709551615"),
        ("/turn/calls", json!([]), "`turn.calls`: is empty"),
        ("/turn/calls/0/class", json!("T3"), "`turn.calls.0`: `T3` makes no call `run` to `route_execute`"),
        ("/turn/calls/0/site", json!("living_mode"), "`T1` makes no call `living_mode`"),
        ("/turn/calls/0/port", json!("meta_answer"), "`T1` makes no call `run` to `meta_answer`"),
        ("/turn/decided", json!(["root"]), "`root` is no frame under `decide`"),
    ] {
        let mut saved = saved.clone();
        *saved.pointer_mut(at).expect("it is there") = value;
        let refused = with_env(|env| restore(&registry, &saved, env)).expect_err(at).to_string();
        assert!(refused.contains(wanted), "{at}: {refused}");
    }
    let mut saved = saved;
    saved["revision"] = json!(i64::MAX);
    let state = with_env(|env| restore(&registry, &saved, env)).expect("the last revision that is read").state;
    let outcome = Event::Outcome { call: "call-1".into(), status: Status::Failed, value: None, error: None };
    let next = with_env(|env| step(&registry, &state, &outcome, env)).expect("a step").state;
    assert_eq!(next.revision(), state.revision() + 1);
}

/// The state that a turn falls back to is held to the same invariants as the one that stands.
#[test]
fn the_state_before_the_turn_is_mended_too() {
    let registry = main_pack();
    let mut saved = waiting(&registry);
    let root = "/turn/before/address_navigation_state/root_frame_state/frame_status";
    *saved.pointer_mut(root).expect("it is there") = json!("active");
    let restored = with_env(|env| restore(&registry, &saved, env)).expect("it can be mended");
    let repaired: Vec<&str> = restored.repaired.iter().map(|(_, name)| registry.pack().names.text(*name)).collect();
    assert_eq!(repaired, ["an_active_root_has_a_domain"]);
    let outcome = Event::Outcome { call: "call-1".into(), status: Status::Timeout, value: None, error: None };
    let step = with_env(|env| step(&registry, &restored.state, &outcome, env)).expect("the boundary takes it");
    assert!(step.answer.is_some());
}

/// What an open record keeps can be saved and read back as text, whatever it is.
#[test]
fn what_an_open_record_keeps_is_read_back() {
    let mut files = files("tests/fixtures/mini", "mini");
    let more = "[type.Report]\nopen = true\nfield = {}\n[event.push]\nfield = { report = { record = \"Report\" } }\ndoc = \"x\"\n";
    files.push(SourceText::new("more.toml", more));
    let frame = files.iter_mut().find(|file| file.text.contains("[frame.topic.field]")).expect("the frame");
    let field = "[frame.topic.field]\nreport = { record = \"Report\", optional = true }";
    frame.text = frame.text.replace("[frame.topic.field]", field).into();
    let registry = load(&files, &Options::default()).registry.expect("a pack without errors");
    let pack = registry.pack();
    let nested = |depth: usize| (0..depth).fold(json!(1.50), |inner, _| json!([inner]));
    let state =
        SessionState::from_frames(pack, &json!({ "topic": { "report": { "x": nested(64) } } })).expect("a state");
    let saved: Value = serde_json::from_str(&state.to_json(pack).to_string()).expect("JSON");
    assert_eq!(with_env(|env| restore(&registry, &saved, env)).expect("restored").state, state);
    for depth in [65, 200] {
        let refused = Event::input(&registry, "push", &json!({ "report": { "x": nested(depth) } }), &json!({}));
        let refused = refused.expect_err("too deep").to_string();
        assert!(refused.contains("`report.x`: is nested more than 64 deep"), "{refused}");
    }
}

#[test]
fn a_clock_that_is_none_is_refused() {
    let registry = main_pack();
    let event = Event::input(&registry, "utterance", &json!({ "text": "stock" }), &json!({})).expect("an event");
    let state = SessionState::new(registry.pack());
    for now in ["", "yesterday", "2021-05-10"] {
        let refused = with_env(|env| {
            env.now = now.into();
            step(&registry, &state, &event, env).map(|_| ())
        });
        assert_eq!(refused, Err(StepError::BadClock { now: now.into() }));
    }
}

#[test]
fn names_of_the_saved_form_are_not_given_twice() {
    let load_with = |from: &str, to: &str| {
        let mut files = files("tests/fixtures/mini", "mini");
        let pack = files.iter_mut().find(|file| file.text.contains(from)).expect("it stands in a file");
        pack.text = pack.text.replacen(from, to, 1).into();
        let loaded = load(&files, &Options::default());
        let found: Vec<String> = loaded.diagnostics.iter().map(|found| found.message.clone()).collect();
        (loaded.registry.is_some(), found.join("\n"))
    };
    for key in ["schema_version", "pack", "fingerprint", "revision", "turn"] {
        let (loads, found) = load_with("aggregate = \"session\"", &format!("aggregate = \"{key}\""));
        assert!(!loads && found == format!("a saved session has a key `{key}` of its own"), "{found}");
    }
    let frames = "[frame.topic]\nseed = \"talk\"\nowner = \"talk\"";
    let other = "[frame.city]\nowner = \"talk\"\ndoc = \"x\"\nfield = {}\n";
    let (loads, found) = load_with("[frame.topic]\nowner = \"talk\"", &format!("{other}{frames}"));
    assert!(!loads && found.contains("name in saved state `city` is declared twice"), "{found}");
    let (loads, found) = load_with("[frame.topic]\nowner = \"talk\"", frames);
    assert!(loads, "{found}");
}
