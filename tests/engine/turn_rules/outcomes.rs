//! Calls and their outcomes: who takes them, from which state, and when a turn is over.

use segue::engine::{Event, StepError};
use segue::model::Status;
use serde_json::json;

use super::world::{Session, World, carry, ok};

/// Asks and settles: good and poor outcomes are its own.
const ASKS: &str = r#"do = [ { set.root = { status = "active", n = 1 } }, { call = "fetch", id = "f", with = { what = "w" }, keep = { place = "$input.place?", status = "$before.root.status" } } ]
settle = [ { on = "f", when = { outcome.grade = ["good", "poor"] }, do = [ { set.gate = { grade = "$outcome.grade" } }, { set.seen = { text = "$outcome.kept.place?", other = "$outcome.kept.status?" } } ] } ]
answer.by.gate.grade = { good = "done", poor = "part", bad = "sorry" }
"#;

/// Makes two calls.
const TWICE: &str = r#"do = [ { set.root.n = 1 }, { call = "fetch", id = "f", with = { what = "1" } }, { call = "fetch", id = "g", with = { what = "2" } } ]
settle = [ { on = "f", when = { outcome.status = "ok" }, do = [ { append.root.log = "f" } ] }, { on = "g", when = { outcome.status = "ok" }, do = [ { append.root.log = "g" } ] } ]
"#;

const GOOD: fn() -> serde_json::Value = || json!({ "grade": "good" });

fn begin(class: &str) -> Session {
    World::of(&[("A", class)]).begin(json!({}))
}

#[test]
fn point_09_an_outcome_goes_to_the_class_that_called() {
    let mut session = begin(ASKS);
    let did = session.say("a юг");
    assert_eq!((did.who().as_str(), did.answer.as_deref(), session.open()), ("A", None, vec!["call-1"]));
    let did = session.answer("call-1", GOOD());
    assert_eq!((did.who().as_str(), did.answer.as_deref(), session.open().len()), ("A", Some("done"), 0));
    assert_eq!(
        (session.get("seen.text"), session.get("seen.other")),
        (json!("south"), json!("none")),
        "what was kept comes back"
    );
    assert_eq!(session.state.revision(), 2);
}

#[test]
fn point_09_a_stale_outcome_is_refused_and_touches_nothing() {
    let mut session = begin(ASKS);
    session.say("a");
    session.answer("call-1", GOOD());
    let before = session.state.clone();
    for call in ["call-1", "call-7"] {
        let did = session.answer(call, GOOD());
        assert_eq!((did.class.as_str(), did.reasons.as_slice()), ("", ["stale_outcome".to_owned()].as_slice()));
        assert!(did.step.refused.is_some() && session.state == before, "{call}");
    }
}

#[test]
fn point_09_an_answer_that_breaks_its_port_is_a_failure() {
    for value in
        [json!({}), json!({ "grade": "great" }), json!({ "grade": "good", "more": 1 }), json!({ "grade": 1 }), json!(7)]
    {
        let boundary = "trigger = [ { event = \"fetch.failed\", base = \"before\", reason = \"call_failed\" }, { event = \"boundary\" } ]\ndo = [ { set.seen.text = \"$outcome.error?\" } ]\nanswer = { mode = \"sorry\" }\n";
        let mut session = World::of(&[("A", ASKS)]).boundary(boundary).begin(json!({}));
        session.say("a");
        assert_eq!(session.answer("call-1", value.clone()).who(), "Z call_failed", "{value}");
        assert_eq!((session.get("seen.text"), session.get("gate.grade")), (json!("contract"), json!(null)), "{value}");
    }
}

#[test]
fn point_09_an_input_while_calls_are_open_closes_them() {
    let mut session = begin(ASKS);
    session.say("a");
    let did = session.say("что?");
    assert_eq!((did.who().as_str(), did.step.closed.len()), ("Z no_transition", 1));
    assert_eq!(session.get("root.status"), "active", "what the select step did stays");
    assert_eq!(session.answer("call-1", GOOD()).reasons, ["stale_outcome"]);
}

#[test]
fn point_09_or_is_refused() {
    let mut session = World::of(&[("A", ASKS)]).manifest("while_open = \"refuse\"").begin(json!({}));
    session.say("a");
    let before = session.state.clone();
    let did = session.say("a");
    assert_eq!((did.reasons.as_slice(), session.state == before), (["busy".to_owned()].as_slice(), true));
    assert_eq!(session.answer("call-1", GOOD()).who(), "A");
    assert_eq!(session.say("a").who(), "A");
}

#[test]
fn point_09_a_saved_session_goes_on_in_the_middle_of_a_turn() {
    let mut session = begin(ASKS);
    session.say("a юг");
    let saved = session.saved();
    let before = session.state.clone();
    assert_eq!(session.restore(&saved).expect("it is read back"), Vec::<String>::new());
    assert_eq!(session.state, before);
    assert_eq!(session.answer("call-1", GOOD()).who(), "A");
    assert_eq!(session.get("seen.text"), "south");
}

#[test]
fn point_10_outcomes_come_in_any_order_and_only_the_last_answers() {
    for order in [["call-1", "call-2"], ["call-2", "call-1"]] {
        let mut session = begin(TWICE);
        session.say("a");
        let first = session.answer(order[0], GOOD());
        assert_eq!((first.who().as_str(), first.answer.as_deref(), session.open()), ("A", None, vec![order[1]]));
        let second = session.answer(order[1], GOOD());
        assert_eq!((second.answer.as_deref(), session.open().len()), (Some("done"), 0));
        let log = if order[0] == "call-1" { json!(["f", "g"]) } else { json!(["g", "f"]) };
        assert_eq!(session.get("root.log"), log);
    }
}

#[test]
fn point_10_base_before_undoes_the_turn_and_closes_its_other_calls() {
    let class = format!("{TWICE}{}\n", carry("full", "fate = { question = \"clear\" }"));
    let frames = json!({ "root": { "n": 7 }, "question": { "id": "q-0" }, "object": { "ref": "o" } });
    let mut session = World::of(&[("A", &class)]).begin(frames);
    session.say("a");
    session.answer("call-1", GOOD());
    let did = session.fail("call-2");
    assert_eq!((did.who().as_str(), did.answer.as_deref()), ("Z call_failed", Some("sorry")));
    assert_eq!(
        (session.get("root.n"), session.get("root.log"), session.get("object.ref")),
        (json!(7), json!([]), json!("o"))
    );
    assert_eq!(session.get("question.id"), json!(null), "a question that the turn has dropped stays dropped");
    let mut session = World::of(&[("A", &class)]).begin(json!({}));
    session.say("a");
    assert_eq!(session.fail("call-1").step.closed.len(), 1);
    assert_eq!(session.answer("call-2", GOOD()).reasons, ["stale_outcome"]);
}

#[test]
fn point_10_base_selected_goes_on_from_what_stands() {
    let boundary = "trigger = [ { event = \"outcome\", entry = { outcome.status = \"timeout\" }, base = \"selected\", reason = \"late\" }, { event = \"boundary\" } ]\ndo = [ { set.seen.number = \"$before.root.n\" } ]\nanswer = { mode = \"sorry\" }\n";
    let mut session = World::of(&[("A", TWICE)]).boundary(boundary).begin(json!({}));
    session.say("a");
    let did = session.fail("call-1");
    assert_eq!((did.who().as_str(), did.answer.as_deref(), session.open()), ("Z late", None, vec!["call-2"]));
    assert_eq!(session.get("seen.number"), 1, "`$before` is the state before this step");
    assert_eq!(session.answer("call-2", GOOD()).answer.as_deref(), Some("done"));
}

#[test]
fn point_10_in_an_outcome_step_input_is_absent() {
    let boundary = "trigger = [ { event = \"boundary\" } ]\ndo = [ { when = { input.place = { present = true } }, set.seen.text = \"said\" }, { when = { input.place.ambiguous = false }, set.seen.other = \"known\" } ]\nanswer = { mode = \"sorry\" }\n";
    let mut session = World::of(&[("A", ASKS)]).boundary(boundary).begin(json!({}));
    session.hear("a юг", json!({}));
    assert_eq!(session.answer("call-1", json!({ "grade": "bad" })).who(), "Z no_transition", "nobody takes it");
    assert_eq!((session.get("seen.text"), session.get("seen.other")), (json!(null), json!(null)));
}

#[test]
fn point_10_a_settle_step_that_breaks_something_falls_to_the_boundary_from_before() {
    let class = ASKS.to_owned() + "never = [ { gate.grade = \"poor\" } ]\n";
    let mut session = World::of(&[("A", &class)]).begin(json!({ "root": { "n": 7 } }));
    session.say("a");
    let did = session.answer("call-1", json!({ "grade": "poor" }));
    assert_eq!((did.who().as_str(), session.get("root.n")), ("Z verification_failed", json!(7)));
}

#[test]
fn point_10_a_boundary_that_fails_in_settle_is_tried_once_more_then_an_error() {
    for (never, ends) in [("{ seen.text = \"no_transition\" }", "Z verification_failed"), ("{ root.n = 0 }", "error")] {
        let boundary = format!(
            "trigger = [ {{ event = \"boundary\" }} ]\ndo = [ {{ set.seen.text = \"$reason\" }} ]\nanswer = {{ mode = \"sorry\" }}\nnever = [ {never} ]\n"
        );
        let mut session = World::of(&[("A", ASKS)]).boundary(&boundary).begin(json!({}));
        session.say("a");
        let before = session.state.clone();
        match session.attempt(&ok("call-1", json!({ "grade": "bad" }))) {
            Ok(did) => assert_eq!(did.who(), ends),
            Err(StepError::Boundary { failures }) => {
                assert_eq!((ends, failures.len(), session.state == before), ("error", 2, true));
            }
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn point_10_two_rows_that_hold_are_ambiguous_unless_a_stronger_class_takes_it() {
    let rows = "do = [ { call = \"fetch\", id = \"f\", with = { what = \"w\" } } ]\nsettle = [ { on = \"f\", when = { outcome.grade = [\"good\", \"poor\"] }, do = [] }, { on = \"f\", when = { outcome.grade = \"good\" }, do = [] } ]\n";
    let strong = "trigger = [ { event = \"fetch.ok\", base = \"selected\" } ]\n";
    let mut session = begin(rows);
    session.say("a");
    assert_eq!(session.answer("call-1", GOOD()).who(), "Z ambiguous");
    session.say("a");
    assert_eq!(session.answer("call-2", json!({ "grade": "poor" })).who(), "A");
    let mut session = World::of(&[("S", strong), ("A", rows)]).begin(json!({}));
    session.say("a");
    assert_eq!(session.answer("call-1", GOOD()).who(), "S");
}

#[test]
fn point_10_the_gate_does_not_cut_in_settle() {
    let strong =
        "trigger = [ { event = \"fetch.ok\", base = \"selected\", requires = { root.status = \"active\" } } ]\n";
    let closes = ASKS.replace("n = 1 } }", "n = 1 } }, { set.gate.eligible = \"none\" }");
    let mut session = World::of(&[("S", strong), ("A", &closes)]).begin(json!({}));
    session.say("a");
    assert_eq!(session.answer("call-1", GOOD()).who(), "S");
}

#[test]
fn point_10_a_settle_step_may_call_again_within_the_limit_of_steps() {
    let again = "do = [ { call = \"fetch\", id = \"f\", with = { what = \"1\" } } ]\nsettle = [ { on = \"f\", when = { outcome.grade = \"good\" }, do = [] }, { on = \"f\", when = { outcome.grade = \"poor\" }, do = [ { increment.root.n = 1 }, { call = \"fetch\", id = \"g\", with = { what = \"2\" } } ] }, { on = \"g\", when = { outcome.status = \"ok\" }, do = [ { increment.root.n = 1 } ] } ]\n";
    let mut session = begin(again);
    session.say("a");
    let did = session.answer("call-1", json!({ "grade": "poor" }));
    assert_eq!((did.answer.as_deref(), session.open()), (None, vec!["call-2"]));
    assert_eq!(session.answer("call-2", GOOD()).answer.as_deref(), Some("done"));
    assert_eq!(session.get("root.n"), 2);
    let mut session = World::of(&[("A", again)]).manifest("step_limit = 2").begin(json!({}));
    session.say("a");
    session.answer("call-1", json!({ "grade": "poor" }));
    assert_eq!(session.answer("call-2", GOOD()).who(), "Z step_limit");
    assert_eq!(session.get("root.n"), 0, "from the state before the turn");
}

#[test]
fn point_10_forbid_counts_what_the_turn_wrote_where_its_class_settles() {
    let class = format!(
        "{}{}\n",
        ASKS.replace("{ set.root = { status = \"active\", n = 1 } }", "{ set.object.ref = \"o\" }"),
        carry("root_only", "forbid = [\"object\"]")
    );
    let mut session = begin(&class);
    session.say("a");
    assert_eq!(session.answer("call-1", GOOD()).who(), "A");
    assert_eq!(session.get("object.ref"), "o");
}

#[test]
fn point_10_every_status_that_is_not_ok_is_a_failure_whose_value_is_not_read() {
    let boundary = "trigger = [ { event = \"fetch.failed\", base = \"before\", reason = \"call_failed\" }, { event = \"boundary\" } ]\ndo = [ { set.seen.text = \"$outcome.status?\" }, { when = { outcome.grade = { present = true } }, set.seen.other = \"read\" } ]\nanswer = { mode = \"sorry\" }\n";
    for (status, name) in [(Status::Failed, "failed"), (Status::Timeout, "timeout"), (Status::Cancelled, "cancelled")] {
        let mut session = World::of(&[("A", ASKS)]).boundary(boundary).begin(json!({}));
        session.say("a");
        let event = Event::Outcome { call: "call-1".into(), status, value: Some(GOOD()), error: None };
        assert_eq!(session.attempt(&event).expect("a step").who(), "Z call_failed");
        assert_eq!((session.get("seen.text"), session.get("seen.other")), (json!(name), json!(null)));
    }
}
