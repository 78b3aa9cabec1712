//! What must hold of the new state, the answer, and what becomes of a step that breaks something.

use segue::engine::StepError;
use serde_json::{Value as Json, json};

use super::world::{Did, Session, World, carry};

fn run(class: &str, frames: Json) -> (Session, Did) {
    let mut session = World::of(&[("A", class)]).begin(frames);
    let did = session.say("a");
    (session, did)
}

#[test]
fn point_07_preserve_compares_before_and_after() {
    let class = |preserve: &str| {
        format!(
            "do = [ {{ when = {{ input.place = {{ present = true }} }}, set.root.place = \"$input.place?\" }}, {{ set.object.ref = \"new\" }} ]\n{}\n",
            carry("full", &format!("preserve = [{preserve}]"))
        )
    };
    let frames = json!({ "root": { "place": "south" }, "object": { "ref": "old" } });
    for (preserve, text, who) in [
        ("\"root\"", "a", "A"),
        ("\"root\"", "a север", "Z verification_failed"),
        ("\"root.place\"", "a север", "Z verification_failed"),
        ("\"root.place\"", "a юг", "A"),
        ("\"root.n\"", "a север", "A"),
        ("{ field = \"root.place\", unless = \"input.place\" }", "a север", "A"),
        ("{ field = \"root.place\", unless = { root.place = \"north\" } }", "a север", "A"),
        ("{ field = \"root.place\", unless = { root.place = \"south\" } }", "a север", "Z verification_failed"),
        ("{ field = \"seen.text\", equals = \"$before.root.born\" }", "a", "A"),
        ("{ field = \"object.ref\", equals = \"$before.object.ref\" }", "a", "Z verification_failed"),
    ] {
        let class = class(preserve);
        let mut session = World::of(&[("A", &class)]).begin(frames.clone());
        let did = session.say(text);
        assert_eq!(did.who(), who, "{preserve} {text}");
        if who != "A" {
            assert_eq!(session.frame("object"), json!({ "ref": "old" }), "nothing of the step remains");
        }
    }
}

/// A settle row is held to `preserve` from what the select step left, not from the state before the turn.
#[test]
fn point_07_preserve_of_a_settle_step_begins_where_that_step_does() {
    let kept = "preserve = [{ field = \"object.ref\", equals = \"$before.object.ref\", unless = \"input.place\" }]";
    for (effects, who) in
        [("", "A"), ("{ set.object.ref = \"new\" }", "A"), ("{ set.object.ref = \"old\" }", "Z verification_failed")]
    {
        let class = format!(
            "do = [ {{ set.object.ref = \"new\" }}, {{ call = \"fetch\", id = \"f\", with = {{ what = \"w\" }} }} ]\nsettle = [ {{ on = \"f\", when = {{ outcome.status = \"ok\" }}, do = [ {effects} ] }} ]\n{}\n",
            carry("full", kept)
        );
        let mut session = World::of(&[("A", &class)]).begin(json!({ "object": { "ref": "old" } }));
        assert_eq!(session.say("a юг").who(), "A");
        assert_eq!(session.answer("call-1", json!({ "grade": "good" })).who(), who, "{effects}");
    }
}

#[test]
fn point_07_forbid_allows_defaults_and_own_writes() {
    let frames = json!({ "object": { "ref": "old" }, "seen": { "text": "t" } });
    let own = format!("do = [ {{ set.object.ref = \"new\" }} ]\n{}\n", carry("root_only", "forbid = [\"object\"]"));
    let (session, did) = run(&own, frames.clone());
    assert_eq!((did.who().as_str(), session.get("object.ref")), ("A", json!("new")));
    for outside in ["forbid = [\"seen\"]", "forbid = [\"seen.text\"]"] {
        let class = carry("none", outside);
        assert!(World::of(&[("A", &class)]).refused().contains("which carryover is not about"), "{outside}");
    }
    let (_, did) = run(&carry("root_only", "forbid = [\"object.kind\"]"), frames);
    assert_eq!(did.who(), "A");
}

#[test]
fn point_07_never_looks_at_the_new_state() {
    let class = "do = [ { set.root.n = 5 } ]\nnever = [ { root.n = { gt = 4 } } ]\n";
    let (session, did) = run(class, json!({}));
    assert_eq!((did.who().as_str(), session.get("root.n")), ("Z verification_failed", json!(0)));
    assert!(did.broken().contains("Never"), "{}", did.broken());
    let class = "do = [ { set.root.n = 5 } ]\nnever = [ { root.n = 0 }, { root.place = \"south\" } ]\n";
    assert_eq!(run(class, json!({})).1.who(), "A", "what is unknown does not hold");
    let class = "never = [ { answer.mode = \"done\" } ]\n";
    assert_eq!(run(class, json!({})).1.who(), "Z verification_failed");
}

#[test]
fn point_07_never_rows_on_the_answer_wait_for_one() {
    let class = "do = [ { call = \"fetch\", id = \"f\", with = { what = \"w\" } } ]\nsettle = [ { on = \"f\", when = { outcome.status = \"ok\" }, do = [ { set.gate = { grade = \"$outcome.grade\" } } ] } ]\nanswer.by.gate.grade = { good = \"done\", poor = \"part\", bad = \"sorry\" }\nnever = [ { answer.mode = { differs = \"done\" } } ]\n";
    let mut session = World::of(&[("A", class)]).begin(json!({}));
    assert_eq!(session.say("a").who(), "A", "a step without an answer is not tested by it");
    assert_eq!(session.answer("call-1", json!({ "grade": "bad" })).who(), "Z verification_failed");
    session.say("a");
    assert_eq!(session.answer("call-2", json!({ "grade": "good" })).who(), "A");
}

#[test]
fn point_07_invariants_hold_after_every_step_of_every_class() {
    let more = "[[frame.root.invariant]]\nid = \"active_has_a_place\"\nwhen = { root.status = \"active\" }\nthen = { root.place = { present = true } }\n\n[[invariant]]\nid = \"nothing_is_said_of_the_north\"\nwhen = { input.place = \"north\" }\nthen = { answer.claims = \"nothing\" }\n";
    let class = "do = [ { set.root.status = \"active\" } ]\n";
    let world = World::of(&[("A", class)]).more(more);
    let mut session = world.begin(json!({}));
    let did = session.say("a");
    assert_eq!((did.who().as_str(), session.get("root.status")), ("Z verification_failed", json!("none")));
    let place = json!({ "root": { "place": "south" } });
    assert_eq!(world.begin(place.clone()).say("a").who(), "A");
    assert_eq!(world.begin(place.clone()).say("a север").who(), "Z verification_failed");
    assert_eq!(world.begin(place).say("север").who(), "Z no_transition", "the boundary answers nothing");
}

#[test]
fn point_08_a_boundary_that_breaks_something_is_an_error_and_the_state_is_as_before() {
    let boundary = "trigger = [ { event = \"boundary\" } ]\ndo = [ { set.seen.text = \"z\" }, { increment.root.n = 1 } ]\nanswer = { mode = \"sorry\" }\nnever = [ { root.n = { gt = 1 } } ]\n";
    let class = "never = [ { root.n = 1 } ]\n";
    let mut session = World::of(&[("A", class)]).boundary(boundary).begin(json!({}));
    assert_eq!(session.say("что?").who(), "Z no_transition");
    let before = session.state.clone();
    let event = session.utterance("a", json!({}));
    let Err(StepError::Boundary { failures }) = session.attempt(&event) else {
        panic!("the boundary breaks its `never`")
    };
    assert_eq!(failures.len(), 2, "the class, then the boundary");
    assert_eq!(session.state, before);
    let Err(StepError::TextTooLong { .. }) = session.attempt(&session.utterance(&"a ".repeat(40_000), json!({})))
    else {
        panic!("a text has a limit")
    };
}

#[test]
fn point_08_the_boundary_is_tried_again_when_its_own_step_fails() {
    let boundary = "trigger = [ { event = \"utterance\", any = [ { phrase = \"привет\" } ], reason = \"greeting\", examples = [\"привет\"], counterexamples = [] }, { event = \"boundary\" } ]\ndo = [ { when = { reason = \"greeting\" }, set.seen.text = \"z\" } ]\nanswer = { mode = \"sorry\" }\nnever = [ { seen.text = \"z\" } ]\n";
    let mut session = World::of(&[]).boundary(boundary).begin(json!({}));
    let did = session.say("привет");
    assert_eq!((did.who().as_str(), did.step.failures.len()), ("Z verification_failed", 1));
}

#[test]
fn point_11_exactly_one_answer_row_applies() {
    let rows = "answer.row = [ { when = { root.n = { lt = 3 } }, mode = \"done\" }, { when = { root.n = { gt = 1, lt = 5 } }, mode = \"part\" } ]\n";
    for (n, who, answer) in [
        (1, "A", "done"),
        (2, "Z verification_failed", "sorry"),
        (3, "A", "part"),
        (7, "Z verification_failed", "sorry"),
    ] {
        let (_, did) = run(rows, json!({ "root": { "n": n } }));
        assert_eq!((did.who().as_str(), did.answer.as_deref()), (who, Some(answer)), "{n}");
    }
    assert!(run(rows, json!({ "root": { "n": 2 } })).1.broken().contains("rows: 2"));
    assert!(run(rows, json!({ "root": { "n": 7 } })).1.broken().contains("rows: 0"));
}

#[test]
fn point_11_an_answer_looked_up_in_the_new_state() {
    let class = "do = [ { set.gate.grade = \"poor\" } ]\nanswer.by.gate.grade = { good = \"done\", poor = \"part\", bad = \"sorry\" }\n";
    let (_, did) = run(class, json!({ "gate": { "grade": "good" } }));
    assert_eq!(did.answer.as_deref(), Some("part"));
    let class = "answer.by.gate.grade = { good = \"done\", poor = \"part\", bad = \"sorry\" }\n";
    assert_eq!(run(class, json!({})).1.who(), "Z verification_failed", "absent has no row");
}

#[test]
fn steps_are_numbered_and_say_what_they_changed() {
    let class = "do = [ { set.root = { n = 5, status = \"none\" } } ]\n";
    let (session, did) = run(class, json!({}));
    assert_eq!(
        (session.state.revision(), did.step.changes().count()),
        (1, 1),
        "a field that is written and stays is no change"
    );
    let same = "do = []\n";
    let (session, did) = run(same, json!({}));
    assert_eq!((session.state.revision(), did.step.changes().count()), (1, 0));
}
