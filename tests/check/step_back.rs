//! A small pack of attempts that pause, several of them open at once: `segue check` finds nothing in it, every invalid continuation is told
//! apart by its reason, and of two answers to one attempt one wins. Its scenarios are replayed with those of the other packs.

use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::support::env::env;
use segue::audit::audit;
use segue::engine::{Env, Event, NumberedIds, Step, restore, step};
use segue::load::load;
use segue::registry::Registry;
use segue::report::human;
use segue::state::SessionState;
use segue::workspace::Workspace;
use serde_json::{Value as Json, json};

fn workspace() -> Workspace {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/step-back");
    Workspace::of(&root).expect("the fixture is a workspace")
}

fn registry() -> Registry {
    let loaded = load(&workspace().pack("step-back").expect("the pack"), &Default::default());
    loaded.registry.unwrap_or_else(|| panic!("{}", human(&loaded.sources, &loaded.diagnostics, false)))
}

fn take(registry: &Registry, state: &SessionState, event: &Event) -> Step {
    let mut ids = NumberedIds::default();
    let mut env = Env { trace: true, ..env(1, &mut ids) };
    step(registry, state, event, &mut env).expect("a step")
}

fn given(registry: &Registry) -> SessionState {
    let questions = json!([{ "id": "q-1", "question": "which year?" }]);
    let frames = json!({ "attempt": { "r-7": { "text": "revenue", "questions": questions } } });
    SessionState::from_frames(registry.pack(), &frames).expect("a state")
}

fn reply(registry: &Registry, key: &str) -> Event {
    Event::input(registry, "reply", &json!({ "reasoningId": key, "message": "2020" }), &json!({})).expect("an event")
}

#[test]
fn nothing_is_found_in_the_pack() {
    for chosen in workspace().choice(&[]).expect("packs and scenarios").chosen {
        let audit = audit(&chosen.pack, &chosen.scenarios, &chosen.config);
        assert!(audit.diagnostics.is_empty(), "{}", human(&audit.sources, &audit.diagnostics, false));
    }
}

/// Each candidate's trace says which instance was bound for it.
#[test]
fn the_trace_names_the_instance_that_was_bound() {
    let registry = registry();
    let step = take(&registry, &given(&registry), &reply(&registry, "r-7"));
    let trace = step.trace.expect("it was asked for");
    let bound: Vec<&str> = trace.candidates.iter().flat_map(|of| &of.bound).map(|bound| bound.key.as_str()).collect();
    assert!(!bound.is_empty() && bound.iter().all(|key| *key == "r-7"), "{bound:?}");
    let unknown = take(&registry, &given(&registry), &reply(&registry, "r-9"));
    assert!(unknown.trace.expect("it was asked for").candidates.iter().all(|of| of.bound.is_empty()));
}

/// Two answers to one attempt at the same time: the host keeps one state for a session, and exactly one of them is taken.
#[test]
fn of_two_answers_to_one_attempt_exactly_one_wins() {
    let registry = registry();
    let session = Arc::new(Mutex::new(given(&registry)));
    let reasons = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut state = session.lock().expect("no thread panics");
                let step = take(&registry, &state, &reply(&registry, "r-7"));
                let reason = step.reasons.first().map(|reason| registry.pack().names.text(*reason).to_owned());
                *state = step.state;
                reasons.lock().expect("no thread panics").push(reason);
            });
        }
    });
    let mut reasons = reasons.into_inner().expect("no thread panics");
    reasons.sort();
    assert_eq!(reasons, [None, Some("still_working".to_owned())]);
}

/// The saved form keeps the order of instances, those that have ended, and whose call waits.
#[test]
fn the_saved_form_holds_instances_and_turns() {
    let registry = registry();
    let pack = registry.pack();
    let state = take(&registry, &given(&registry), &reply(&registry, "r-7")).state;
    let saved = state.to_json(pack);
    let attempt = &saved["step_back_session"]["step_back"]["attempt"];
    assert_eq!(attempt["open"][0]["key"], "r-7");
    assert_eq!(attempt["open"][0]["status"], "interpreting");
    assert_eq!(attempt["closed"], json!([]));
    assert_eq!(saved["turns"][0]["calls"][0]["instances"], json!({ "attempt": "r-7" }));
    assert!(saved["turns"][0].get("before").is_none(), "no step goes back where turns go on beside each other");
    let read = |saved: &Json| {
        let mut ids = NumberedIds::default();
        let mut env = env(1, &mut ids);
        restore(&registry, saved, &mut env)
    };
    assert_eq!(read(&saved).expect("it was saved").state, state);
    let at = "/step_back_session/step_back/attempt";
    let open = saved.pointer(&format!("{at}/open/0")).expect("it is there").clone();
    for (pointer, value, wanted) in [
        (format!("{at}/open"), json!([open, open]), "is a second instance `r-7`"),
        (format!("{at}/open"), json!([]), "`r-7` is no open instance"),
        (format!("{at}/closed"), json!([open]), "does not say how it ended"),
        (format!("{at}/open/0/closed_as"), json!("ready"), "is open and has ended"),
        (format!("{at}/open/0/key"), json!(7), "expected a text"),
        (format!("{at}/open/0/text"), Json::Null, ""),
        (format!("{at}/open/0/colour"), json!("red"), "is unknown"),
        ("/turns/0/calls/0/instances".to_owned(), json!({ "topic": "r-7" }), "is no keyed frame of this pack"),
        ("/turns/0/calls".to_owned(), json!([]), "is empty"),
        ("/turn".to_owned(), json!({}), "is unknown"),
    ] {
        let mut wrong = saved.clone();
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        wrong.pointer_mut(parent).expect("it is there")[key] = value;
        let refused = read(&wrong).expect_err(&pointer).to_string();
        assert!(refused.contains(wanted), "{pointer}: {refused}");
    }
}

/// An instance that breaks an invariant of its frame is mended by itself, and one that has ended too.
#[test]
fn each_instance_is_mended_by_itself() {
    let registry = registry();
    let pack = registry.pack();
    let mut saved = given(&registry).to_json(pack);
    let attempt = &mut saved["step_back_session"]["step_back"]["attempt"];
    let whole = attempt["open"][0].clone();
    let mut broken = whole.clone();
    (broken["key"], broken["questions"]) = (json!("r-8"), json!([]));
    attempt["open"] = json!([whole, broken]);
    let mut ids = NumberedIds::default();
    let mut env = env(1, &mut ids);
    let restored = restore(&registry, &saved, &mut env).expect("it can be mended");
    assert_eq!(restored.repaired.len(), 1);
    let frame = restored.state.frame_json(pack, pack.frame("attempt").expect("a frame"));
    assert_eq!((&frame["r-7"]["status"], &frame["r-8"]["status"]), (&json!("waiting"), &json!("resuming")));
    assert_eq!(
        restored.state.get(pack.field(pack.frame("attempt").expect("a frame"), "open_count").expect("a fact")),
        &segue::model::value::Value::Int(2)
    );
}
