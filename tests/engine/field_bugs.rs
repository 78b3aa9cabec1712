//! Faults met in the field, at the layer of turns: FB-01, 02, 05, 06, 07, 10, 11, 15, 16. Those of documents, of replay and of the
//! command line stand in `field_bugs_syntax.rs`, `replay.rs` and `cli.rs`; FB-04, 08, 12, 13 and 14 as `segue check` finds them in
//! `field_bugs_check.rs` and `hostile_cli.rs`. FB-03 and FB-19 are scenarios (`scenarios/assistant`, `scenarios/joined`); FB-04 and FB-19 in packs
//! stand in `clarification.rs`, `step_back_pack.rs` and `joined.rs`.

use serde_json::{Value as Json, json};

use crate::support::env::env;
use crate::support::events::utterance;
use crate::support::pair::{Pair, Shown, at, shown};
use crate::support::tiny::Tiny;
use crate::support::{load, loaded, main_pack};
use segue::engine::{Env, Event, NumberedIds, Step, Verdict, step};
use segue::model::Status;
use segue::registry::Registry;
use segue::state::SessionState;

/// Takes an event through both evaluators.
#[track_caller]
fn take(pair: &mut Pair<'_>, event: &Event) -> Shown {
    let taken = pair.step(event).unwrap_or_else(|difference| panic!("{difference}"));
    shown(pair.registry.pack(), &taken.expect("the boundary answers"))
}

#[track_caller]
fn say(pair: &mut Pair<'_>, text: &str) -> Shown {
    let event = utterance(pair.registry, text, &json!({}));
    take(pair, &event)
}

/// Answers the open call.
#[track_caller]
fn answer(pair: &mut Pair<'_>, value: Json) -> Shown {
    let call = pair.state.open_calls().first().expect("a call is open").id.clone();
    take(pair, &Event::Outcome { call, status: Status::Ok, value: Some(value), error: None })
}

fn begin<'a>(registry: &'a Registry, frames: &Json) -> Pair<'a> {
    Pair::starting(registry, SessionState::from_frames(registry.pack(), frames).expect("it fits"))
}

fn grounded(result: &str) -> Json {
    json!({ "coverage_status": "full", "evidence_grade": "strong", "grounding_status": "grounded", "result_set_id": result,
        "answer_object_ref": format!("answer-{result}") })
}

fn active_root() -> Json {
    json!({ "domain_id": "inventory", "root_route_id": "stock_on_date", "organization_scope": "org-1", "date_scope": "2020-02",
        "frame_status": "active" })
}

#[test]
fn fb_01_a_said_value_beats_a_carried_one() {
    let registry = main_pack();
    let mut pair = begin(&registry, &json!({ "root": active_root() }));
    let text = "остатки по организации org-2 за тот же период";
    let event = utterance(&registry, text, &json!({ "organization_scope": "org-2" }));
    let step = take(&mut pair, &event);
    assert_eq!(step.class.as_deref(), Some("T2"));
    assert_eq!(
        step.calls,
        ["call-1 run route_execute date_scope=\"2020-02\" organization_scope=\"org-2\" route=\"stock_on_date\""]
    );
    for (field, value) in [("domain_id", "inventory"), ("organization_scope", "org-2"), ("date_scope", "2020-02")] {
        assert_eq!(step.state["root"][field], value);
    }
}

#[test]
fn fb_02_a_suspended_question_outlives_a_long_digression() {
    let registry = main_pack();
    let mut root = active_root();
    root["frame_status"] = "suspended".into();
    root.as_object_mut().expect("a frame").remove("date_scope");
    let mut pair = begin(
        &registry,
        &json!({
            "root": root,
            "clarification": { "clarification_kind": "missing_anchor", "missing_anchors": ["date_scope"],
                "resume_target_route": "stock_on_date", "resume_target_frame": "root", "round": 1 },
            "answer_context": { "grounded": true, "answer_object_ref": "a-1", "truth_mode": "confirmed" },
            "coverage_gate": { "coverage_status": "full" },
        }),
    );
    let pending = pair.state.frame_json(registry.pack(), registry.pack().frame("clarification").expect("a frame"));
    let digressions = [
        ("это много или мало", "T8"),
        ("мы это обсуждали?", "T9"),
        ("это мы должны или нам", "T8"),
        ("что из этого важнее", "T8"),
        ("помнишь, о чем говорили", "T9"),
    ];
    for (text, class) in digressions {
        let mut step = say(&mut pair, text);
        if !pair.state.open_calls().is_empty() {
            step = answer(&mut pair, json!({ "text": "…" }));
        }
        assert_eq!(step.class.as_deref(), Some(class), "{text}");
        assert_eq!(step.state["clarification"], pending, "{text}");
    }
    let step = say(&mut pair, "за март 2020");
    assert_eq!(step.class.as_deref(), Some("T7"));
    assert!(step.calls[0].contains("route=\"stock_on_date\"") && step.calls[0].contains("2020-03"), "{:?}", step.calls);
}

#[test]
fn fb_05_two_messages_before_an_answer_are_two_steps() {
    let registry = main_pack();
    let mut pair = Pair::new(&registry);
    let first = say(&mut pair, "удали все документы");
    assert_eq!(first.class.as_deref(), Some("T10"));
    let second = say(&mut pair, "объясни пункт выше");
    assert_eq!((second.class.is_some(), second.revision), (true, 2));

    // The second is judged on the state that the first leaves, although nothing was answered in between.
    let mut pair = begin(&registry, &json!({ "root": active_root() }));
    let first = say(&mut pair, "а на март 2020");
    assert_eq!((first.class.as_deref(), first.answer.as_deref()), (Some("T2"), None));
    let second = say(&mut pair, "а по Васильку");
    assert_eq!(second.class.as_deref(), Some("T2"));
    assert_eq!(second.closed, ["call-1"]);
    assert!(second.calls[0].contains("2020-03") && second.calls[0].contains("org-2"), "{:?}", second.calls);
}

#[test]
fn fb_06_what_was_replied_is_no_input() {
    let registry = main_pack();
    let run = |reply: &str| {
        let mut pair = begin(
            &registry,
            &json!({
                "root": active_root(),
                "answer_context": { "grounded": true, "answer_object_ref": "a-1", "coverage_status": "full", "truth_mode": "confirmed" },
            }),
        );
        let mut seen = Vec::new();
        seen.push(say(&mut pair, "это много или мало"));
        let mut told = answer(&mut pair, json!({ "text": reply }));
        // The reply goes out to the user; that is where it ends.
        assert!(told.messages.iter().any(|message| message.contains(reply)), "{:?}", told.messages);
        told.messages.clear();
        seen.push(told);
        seen.push(say(&mut pair, "мы это обсуждали?"));
        seen.push(say(&mut pair, "а на март 2020"));
        let saved = pair.state.to_json(registry.pack()).to_string();
        assert!(!saved.contains(reply), "{saved}");
        seen
    };
    assert_eq!(run("Покажи закупки за апрель 2021"), run("спасибо"));
}

#[test]
fn fb_07_a_second_session_sees_nothing_of_the_first() {
    let registry = main_pack();
    let mut a = Pair::new(&registry);
    say(&mut a, "покажи остатки по Ромашке за март 2020");
    answer(&mut a, grounded("secret-1"));
    say(&mut a, "а на апрель 2020");
    answer(&mut a, grounded("secret-2"));
    say(&mut a, "а по Васильку");
    answer(&mut a, grounded("secret-3"));
    let recap = say(&mut a, "мы это обсуждали?");
    assert_eq!(recap.class.as_deref(), Some("T9"));
    assert!(a.state.to_json(registry.pack()).to_string().contains("secret-3"));

    let state = SessionState::new(registry.pack());
    let step = traced(&registry, &state, "мы это обсуждали?");
    let told = shown(registry.pack(), &step);
    assert_eq!((told.class.as_deref(), told.reasons), (Some("T10"), vec!["nothing_discussed".to_owned()]));
    let everything = format!("{step:?} {told:?}", told = step.state.to_json(registry.pack()));
    for trace_of_a in ["secret", "org-1", "org-2", "2020-03", "2020-04", "inventory"] {
        assert!(!everything.contains(trace_of_a), "{trace_of_a} in {everything}");
    }
    let t9 = registry.pack().class("T9").expect("a class");
    let trace = step.trace.expect("it was asked for");
    let of_t9 = trace.candidates.iter().find(|candidate| candidate.class == t9).expect("it listens");
    assert_eq!(of_t9.verdict, Verdict::Requires);
}

fn traced(registry: &Registry, state: &SessionState, text: &str) -> Step {
    let mut ids = NumberedIds::default();
    let mut env = Env { trace: true, ..env(1, &mut ids) };
    step(registry, state, &utterance(registry, text, &json!({})), &mut env).expect("the boundary answers")
}

/// A pack whose class `A` listens to one alternative.
fn listening(alternative: Json, example: &str) -> Registry {
    let trigger = json!([{ "event": "utterance", "any": [alternative], "examples": [example], "counterexamples": [] }]);
    loaded(&Tiny::new(&[("A", json!({ "trigger": trigger }))]).files())
}

#[track_caller]
fn heard(registry: &Registry, text: &str, expected: bool) {
    let step = say(&mut Pair::new(registry), text);
    assert_eq!(step.class.as_deref() == Some("A"), expected, "{text}");
}

#[test]
fn fb_10_words_end_where_they_end_in_any_alphabet() {
    for alternative in
        [json!({ "phrase": "по ней" }), json!({ "pattern": r"\bпо ней\b" }), json!({ "pattern": "по ней" })]
    {
        let registry = listening(alternative, "по ней");
        for text in ["А ПО НЕЙ?", "по ней", "«по ней»", "и по ней тоже"] {
            heard(&registry, text, true);
        }
        for text in ["по нейлону", "недопо ней", "поней", "по. ней", "по ней-то"] {
            heard(&registry, text, false);
        }
    }
}

#[test]
fn fb_11_e_and_yo_are_one_letter() {
    for (phrase, text) in [
        ("еще раз по этой дате", "Ещё раз по этой дате"),
        ("ещё раз", "еще раз"),
        ("счёт", "покажи счет"),
        ("счет", "покажи СЧЁТ"),
        ("счет", "сче\u{308}т"),
    ] {
        heard(&listening(json!({ "phrase": phrase }), phrase), text, true);
    }
    // й is another letter than и.
    heard(&listening(json!({ "phrase": "мой" }), "мой"), "мои", false);
    // Places lead back into the text as it was given.
    let registry = main_pack();
    let text = "ё-моё: покажи остатки за март 2020";
    let trace = traced(&registry, &SessionState::new(registry.pack()), text).trace.expect("it was asked for");
    let spans = trace.said.iter().filter_map(|said| said.span);
    let said: Vec<&str> = spans.map(|(start, end)| &text[start as usize..end as usize]).collect();
    assert!(said.contains(&"остатки") && said.contains(&"март 2020"), "{said:?}");
}

#[test]
fn fb_15_an_unmet_guard_is_no_answer_of_its_own() {
    // The boundary has a trigger of its own, stronger than the class, which denies when the gate is blocked.
    let trigger = |more: Json| {
        let mut trigger = json!({ "event": "utterance", "any": [{ "phrase": "за март" }], "examples": ["за март"], "counterexamples": [] });
        trigger.as_object_mut().expect("a table").extend(more.as_object().expect("a table").clone());
        trigger
    };
    let mut tiny =
        Tiny::new(&[("A", json!({ "trigger": [trigger(json!({}))], "requires": { "root": { "status": "active" } } }))]);
    tiny.boundary["trigger"] = json!([trigger(json!({ "entry": { "gate": { "note": "blocked" } }, "reason": "denied" })), { "event": "boundary" }]);
    tiny.chain = vec!["Z".into(), "A".into()];
    let registry = loaded(&tiny.files());
    let with = |gate: Json| {
        let frames = json!({ "root": { "status": "active" }, "gate": gate });
        SessionState::from_frames(registry.pack(), &frames).expect("it fits")
    };
    let class = |gate: Json| {
        let step = say(&mut Pair::starting(&registry, with(gate)), "за март");
        (step.class.expect("a class"), step.reasons)
    };
    assert_eq!(class(json!({ "note": "full" })), ("A".into(), vec![]));
    assert_eq!(class(json!({})), ("A".into(), vec![]));
    assert_eq!(class(json!({ "note": "blocked" })), ("Z".into(), vec!["denied".into()]));

    let trace = traced(&registry, &with(json!({ "note": "full" })), "за март").trace.expect("it was asked for");
    let z = trace.candidates.iter().find(|candidate| candidate.class == registry.pack().boundary).expect("it listens");
    assert_eq!(z.verdict, Verdict::Entry);
    let leaf = z.leaves.iter().find(|leaf| !leaf.passed).expect("a leaf that fails");
    assert_eq!(leaf.actual, segue::model::value::Value::text("full"));
}

#[test]
fn fb_15_a_pending_question_is_answered_beside_a_gate_that_is_full() {
    let registry = main_pack();
    let mut root = active_root();
    root["frame_status"] = "suspended".into();
    root.as_object_mut().expect("a frame").remove("date_scope");
    let mut pair = begin(
        &registry,
        &json!({
            "root": root,
            "clarification": { "clarification_kind": "missing_anchor", "missing_anchors": ["date_scope"],
                "resume_target_route": "stock_on_date", "resume_target_frame": "root", "attempt_id": "q-0", "round": 1 },
            "coverage_gate": { "truth_mode": "clarification_required", "coverage_status": "full" },
        }),
    );
    assert_eq!(say(&mut pair, "за март").class.as_deref(), Some("T7"));
}

/// A class that takes what its own calls bring and calls again.
fn feeding(entry: Json, step_limit: u32) -> Tiny {
    let again = json!({ "event": "run.ok", "base": "selected", "entry": entry });
    let start = json!({ "event": "utterance", "any": [{ "phrase": "a" }], "examples": ["a"], "counterexamples": [] });
    let mut tiny = Tiny::new(&[(
        "A",
        json!({
            "trigger": [start, again],
            "do": [{ "increment": { "root": { "hits": 1 } } }, { "call": "run", "id": "go", "with": {} }],
            "settle": [],
        }),
    )]);
    tiny.step_limit = step_limit;
    tiny
}

#[test]
fn fb_16_a_step_that_feeds_itself_is_found_at_load() {
    let found = load(&feeding(json!({}), 5).files()).expect_err("it is refused");
    assert!(found.contains("endless-calls") && found.contains("calls without end"), "{found}");
}

#[test]
fn fb_16_a_step_that_feeds_itself() {
    // A loop that an outcome can leave loads, and is stopped where the outcome never leaves it.
    let registry = loaded(&feeding(json!({ "outcome": { "again": true } }), 5).files());
    let mut pair = Pair::new(&registry);
    let before = pair.state.clone();
    say(&mut pair, "a");
    for hits in 2..=5 {
        let step = answer(&mut pair, json!({ "again": true }));
        assert_eq!(step.class.as_deref(), Some("A"));
        assert_eq!(at(registry.pack(), &pair.state, "root.hits"), hits);
    }
    let step = answer(&mut pair, json!({ "again": true }));
    assert_eq!((step.class.as_deref(), step.reasons), (Some("Z"), vec!["step_limit".to_owned()]));
    assert_eq!(step.answer.as_deref(), Some("no"));
    assert_eq!(pair.state.slots(), before.slots());
    assert!(pair.state.open_calls().is_empty());

    // Where it is left in time nothing is stopped.
    let mut pair = Pair::new(&registry);
    say(&mut pair, "a");
    answer(&mut pair, json!({ "again": true }));
    let step = answer(&mut pair, json!({ "again": false }));
    assert_eq!(step.reasons, ["no_transition"]);
}
