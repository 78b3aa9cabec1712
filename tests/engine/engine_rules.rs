//! Rules of a turn that the comparison with the reference evaluator brought to light, each as a small case.

use serde_json::{Value as Json, json};

use crate::support::events::utterance;
use crate::support::pair::{Pair, shown};
use crate::support::tiny::Tiny;
use crate::support::{self, loaded};
use segue::engine::{Event, Step};
use segue::model::Status;
use segue::registry::Registry;

fn registry(tiny: &Tiny) -> Registry {
    loaded(&tiny.files())
}

/// Takes texts one after the other; the last step.
fn says(registry: &Registry, texts: &[&str]) -> (Step, Json) {
    let mut pair = Pair::new(registry);
    let mut last = None;
    for text in texts {
        last = pair.step(&utterance(registry, text, &json!({}))).unwrap_or_else(|difference| panic!("{difference}"));
    }
    let step = last.expect("the step was taken");
    let state = support::pair::fields_json(registry.pack(), &step.state);
    (step, state)
}

fn outcome(pair: &Pair<'_>, value: Json) -> Event {
    let call = pair.state.open_calls()[0].id.clone();
    Event::Outcome { call, status: Status::Ok, value: Some(value), error: None }
}

#[test]
fn a_number_in_a_list_of_texts_is_its_text() {
    let registry = registry(&Tiny::new(&[
        ("A", json!({ "do": [{ "append": { "root": { "log": "$gate.n" } } }] })),
        ("B", json!({ "do": [{ "remove": { "root": { "log": "$gate.n" } } }] })),
    ]));
    let (_, state) = says(&registry, &["a"]);
    assert_eq!(state["root"]["log"], json!(["0"]));
    let (_, state) = says(&registry, &["a", "b"]);
    assert_eq!(state["root"]["log"], json!([]));
}

#[test]
fn what_the_gate_cuts_is_absent_for_an_optional_value_although_its_default_stands_there() {
    let close = json!({ "do": [{ "set": { "gate": { "depth": "none" }, "root": { "hits": 5 } } }] });
    let read = json!({ "do": [
        { "set": { "gate": { "n": { "first": ["$root.hits?", 9] } } } },
        { "set": { "gate": { "note": "$before.root.hits?" } } },
    ] });
    let registry = registry(&Tiny::new(&[("A", close), ("B", read)]));
    let (_, state) = says(&registry, &["b"]);
    assert_eq!(state["gate"], json!({ "n": 0, "note": "0" }));
    let (_, state) = says(&registry, &["a", "b"]);
    assert_eq!(state["gate"], json!({ "depth": "none", "n": 9 }));
}

#[test]
fn with_reads_what_its_own_step_wrote_into_a_frame_that_was_cut() {
    let close = json!({ "do": [{ "set": { "gate": { "depth": "none" } } }] });
    let write = json!({ "do": [
        { "set": { "root": { "hits": 5 } } },
        { "emit": "say", "with": { "what": "$root.hits?" } },
        { "emit": "say", "with": { "what": "$root.status?" } },
    ] });
    let registry = registry(&Tiny::new(&[("A", close), ("B", write)]));
    let (step, _) = says(&registry, &["a", "b"]);
    assert_eq!(shown(registry.pack(), &step).messages, ["say what=\"5\" Some(\"5\")", "say  Some(\"\")"]);
}

#[test]
fn a_forbidden_field_does_not_reach_a_derived_signal() {
    let keep = json!({ "do": [{ "set": { "root": { "status": "active", "kind": "red" } } }] });
    let forbid = json!({
        "carryover": { "depth": "full", "keep": [], "forbid": ["root.kind"], "preserve": [] },
        "do": [{ "set": { "gate": { "note": "$input.seen?" } } }],
    });
    let mut tiny = Tiny::new(&[("A", keep), ("B", forbid)]);
    tiny.add(json!({ "derive": { "seen": { "first_of": ["$root.kind"], "doc": "d" } } }));
    let (_, state) = says(&registry(&tiny), &["a", "b"]);
    assert_eq!(state["gate"], json!({ "n": 0 }));
    assert_eq!(state["root"]["status"], "active");
}

#[test]
fn a_field_that_is_set_once_may_be_set_anew_after_it_was_cleared() {
    let registry = registry(&Tiny::new(&[
        ("A", json!({ "do": [{ "set": { "root": { "once": "one" } } }] })),
        ("B", json!({ "do": [{ "clear": ["root"] }, { "set": { "root": { "once": "two" } } }] })),
        ("C", json!({ "do": [{ "set": { "root": { "once": "two" } } }] })),
    ]));
    let (_, state) = says(&registry, &["a", "b"]);
    assert_eq!(state["root"]["once"], "two");
    let (step, state) = says(&registry, &["a", "c"]);
    assert_eq!(shown(registry.pack(), &step).reasons, ["verification_failed"]);
    assert_eq!(state["root"]["once"], "one");
}

#[test]
fn a_never_row_about_the_answer_is_not_tested_while_a_call_is_open() {
    let never = json!({ "never": [{ "answer": { "claims": { "differs": "confirmed" } } }], "answer": { "mode": "yes" },
        "do": [{ "call": "run", "id": "go", "with": {} }], "settle": [{ "on": "go", "when": {}, "do": [] }] });
    let registry = registry(&Tiny::new(&[("A", never)]));
    let mut pair = Pair::new(&registry);
    let step = pair.step(&utterance(&registry, "a", &json!({}))).unwrap().unwrap();
    assert_eq!(shown(registry.pack(), &step).class.as_deref(), Some("A"));
    let step = pair.step(&outcome(&pair, json!({}))).unwrap().unwrap();
    assert_eq!(shown(registry.pack(), &step).answer.as_deref(), Some("yes"));
}

#[test]
fn two_rows_of_a_class_that_another_precedes_are_no_ambiguity() {
    let call = |rows: usize| {
        let row = json!({ "on": "go", "when": {}, "do": [] });
        json!({ "do": [{ "call": "run", "id": "go", "with": {} }], "settle": vec![row; rows] })
    };
    let ok = json!({ "trigger": [{ "event": "run.ok", "base": "selected" }] });
    let after = |registry: &Registry| {
        let mut pair = Pair::new(registry);
        pair.step(&utterance(registry, "b", &json!({}))).unwrap();
        let step = pair.step(&outcome(&pair, json!({}))).unwrap().unwrap();
        let shown = shown(registry.pack(), &step);
        (shown.class.unwrap(), shown.reasons)
    };
    let preceded = registry(&Tiny::new(&[("A", ok), ("B", call(2))]));
    assert_eq!(after(&preceded), ("A".into(), vec![]));
    let alone = registry(&Tiny::new(&[("B", call(2))]));
    assert_eq!(after(&alone), ("Z".into(), vec!["ambiguous".into()]));
}

#[test]
fn of_unordered_classes_the_first_by_id_gives_the_reason() {
    let unmet = |reason: &str| json!({ "requires": { "root": { "status": "done" } }, "unmet": { "reason": reason } });
    let mut tiny = Tiny::new(&[("C1", unmet("one")), ("C2", unmet("two")), ("C3", unmet("three"))]);
    tiny.chain = vec!["C3".into(), "C1".into(), "Z".into()];
    for document in &mut tiny.classes {
        document["trigger"][0]["any"] = json!([{ "phrase": "all" }]);
        document["trigger"][0]["examples"] = json!(["all"]);
    }
    let registry = registry(&tiny);
    let (step, _) = says(&registry, &["all"]);
    assert_eq!(shown(registry.pack(), &step).reasons, ["two"]);
}

#[test]
fn a_boundary_that_fails_for_one_reason_may_still_answer_for_the_failure() {
    let mut tiny = Tiny::new(&[("A", json!({ "do": [{ "call": "run", "id": "go", "with": {} }], "settle": [] }))]);
    tiny.boundary["never"] = json!([{ "reason": "no_transition" }]);
    let registry = registry(&tiny);
    let mut pair = Pair::new(&registry);
    pair.step(&utterance(&registry, "a", &json!({}))).unwrap();
    let step = pair.step(&outcome(&pair, json!({}))).unwrap().expect("the boundary can answer");
    assert_eq!(shown(registry.pack(), &step).reasons, ["verification_failed"]);
}

#[test]
fn a_relative_period_inside_a_list_becomes_an_interval_too() {
    let call = json!({ "call": "report", "id": "go", "with": { "periods": ["LAST_WEEK", "2020"] } });
    let registry = registry(&Tiny::new(&[("A", json!({ "do": [call], "settle": [] }))]));
    let (step, _) = says(&registry, &["a"]);
    assert_eq!(shown(registry.pack(), &step).calls, ["call-1 go report periods=[\"2021-05-03/2021-05-09\",\"2020\"]"]);
}

/// Lines in a frame of their own, by the signal `lines` of the host; `A` takes them as they are, `B` adds one, `C` takes
/// numbers of those that are marked.
fn lines() -> Registry {
    let line = json!({ "list": { "record": "Line" }, "max": 3, "unique": "id" });
    let mut field = line.clone();
    field["default"] = json!([]);
    let mut signal = line;
    signal["doc"] = json!("d");
    let mut tiny = Tiny::new(&[
        ("A", json!({ "do": [{ "set": { "bag": { "lines": "$input.lines?" } } }] })),
        ("B", json!({ "do": [{ "append": { "bag": { "lines": { "id": "x", "n": 2 } } } }] })),
        (
            "C",
            json!({ "do": [{ "set": { "bag": { "numbers": { "pick": "$bag.lines", "where": { "value": { "id": { "in": "$bag.marked" } } },
                "take": { "of": "value.n" } } } } }, { "append": { "bag": { "marked": "x" } } }] }),
        ),
    ]);
    tiny.add(json!({
        "type": {
            "Line": { "doc": "d", "field": { "id": { "type": "id" }, "n": { "type": "int", "optional": true } } },
            "Number": { "doc": "d", "field": { "of": { "type": "int" }, "times": { "type": "int", "default": 1 } } },
        },
        "frame": { "bag": { "owner": "own", "doc": "d", "field": { "lines": field,
            "marked": { "set": { "type": "id" }, "max": 3, "default": ["a"] },
            "numbers": { "list": { "record": "Number" }, "max": 3, "default": [] } } } },
        "signal": { "lines": signal },
    }));
    registry(&tiny)
}

#[test]
fn no_two_items_of_a_list_bear_what_tells_them_apart() {
    let registry = lines();
    let given = json!([{ "id": "x", "n": 1 }, { "id": "y" }]);
    let mut pair = Pair::new(&registry);
    let mut take = |text: &str, signals: &Json| {
        let step = pair.step(&utterance(&registry, text, signals)).unwrap_or_else(|difference| panic!("{difference}"));
        step.expect("it was taken")
    };
    take("a", &json!({ "lines": given }));
    let step = take("b", &json!({}));
    assert_eq!(shown(registry.pack(), &step).reasons, ["verification_failed"], "a second `x` is not added");
    assert_eq!(support::pair::fields_json(registry.pack(), &step.state)["bag"]["lines"], given);
    let twice = json!({ "lines": [{ "id": "x" }, { "id": "y" }, { "id": "x", "n": 2 }] });
    let refused = Event::input(&registry, "utterance", &json!({ "text": "a" }), &twice).expect_err("it does not fit");
    assert_eq!(refused.to_string(), "`lines`: two items bear the id `x`; each is there once");
}

#[test]
fn a_record_is_made_of_parts_of_an_entry_and_one_that_lacks_a_mandatory_part_is_left_out() {
    let registry = lines();
    let mut pair = Pair::new(&registry);
    let given = json!({ "lines": [{ "id": "x", "n": 1 }, { "id": "y", "n": 2 }, { "id": "a" }] });
    for (text, signals) in [("a", &given), ("c", &json!({}))] {
        pair.step(&utterance(&registry, text, signals)).unwrap_or_else(|difference| panic!("{difference}"));
    }
    let numbers = |pair: &Pair<'_>| support::pair::fields_json(registry.pack(), &pair.state)["bag"]["numbers"].clone();
    assert_eq!(numbers(&pair), json!([]), "`a` is marked and has no number");
    pair.step(&utterance(&registry, "c", &json!({}))).unwrap_or_else(|difference| panic!("{difference}"));
    assert_eq!(numbers(&pair), json!([{ "of": 1, "times": 1 }]));
}

/// What a field is in each record of a list is a set: for values, for both sides of tests, and for what is taken away.
#[test]
fn a_star_is_a_field_of_each_record() {
    let line = json!({ "list": { "record": "Line" }, "max": 4 });
    let mut field = line.clone();
    field["default"] = json!([]);
    let mut signal = line;
    signal["doc"] = json!("d");
    let mut tiny = Tiny::new(&[
        ("A", json!({ "do": [{ "set": { "bag": { "seen": "$input.lines.*.id?" } } }] })),
        (
            "B",
            json!({ "requires": { "bag": { "marked": { "subset_of": "$bag.lines.*.id" }, "lines": { "*": { "n": { "contains": 2 } } } } },
                "do": [{ "remove": { "bag": { "marked": "$bag.lines.*.id" } } }] }),
        ),
        ("C", json!({ "do": [{ "set": { "bag": { "lines": "$input.lines?" } } }] })),
        (
            "D",
            json!({ "requires": { "bag": { "lines": { "*": { "kind": { "exists": { "value": { "title": "Red" } } } } } } },
                "do": [{ "set": { "bag": { "seen": [] } } }] }),
        ),
    ]);
    tiny.add(json!({
        "table": { "paint": { "column": { "title": { "type": "text" } }, "row": [{ "id": "red", "title": "Red" }, { "id": "blue", "title": "Blue" }] } },
        "type": { "Line": { "doc": "d", "field": { "id": { "type": "id" }, "n": { "type": "int", "optional": true },
            "kind": { "key_of": "paint", "optional": true } } } },
        "frame": { "bag": { "owner": "own", "doc": "d", "field": { "lines": field,
            "marked": { "set": { "type": "id" }, "max": 3, "default": ["a"] },
            "seen": { "set": { "type": "id" }, "max": 4, "default": [] } } } },
        "signal": { "lines": signal },
    }));
    let registry = registry(&tiny);
    let pack = registry.pack();
    let mut pair = Pair::new(&registry);
    let mut take = |text: &str, lines: Json| {
        let signals = if lines.is_null() { json!({}) } else { json!({ "lines": lines }) };
        let step = pair.step(&utterance(&registry, text, &signals)).unwrap_or_else(|difference| panic!("{difference}"));
        let step = step.expect("it was taken");
        let class = step.class.map(|class| pack.names.text(pack.classes[class.index()].id).to_owned());
        (class.expect("a class"), support::pair::fields_json(pack, &step.state)["bag"].clone())
    };
    let given = json!([{ "id": "b", "n": 2 }, { "id": "a" }, { "id": "b" }]);
    assert_eq!(take("a", given.clone()).1["seen"], json!(["a", "b"]), "sorted, each once");
    assert_eq!(take("a", Json::Null).1["seen"], json!(["a", "b"]), "no list, no set: it stays");
    assert_eq!(take("a", json!([])).1["seen"], json!([]), "of no records it is empty");
    assert_eq!(take("b", Json::Null).0, "Z", "`a` is marked and there are no lines");
    assert_eq!(take("c", given).0, "C");
    assert_eq!(take("d", Json::Null).0, "Z", "no line has a kind");
    assert_eq!(
        take("b", Json::Null),
        (
            "B".to_owned(),
            json!({ "lines": [{ "id": "b", "n": 2 }, { "id": "a" }, { "id": "b" }], "marked": [], "seen": [] })
        )
    );
    assert_eq!(take("c", json!([{ "id": "a", "kind": "red" }])).0, "C");
    assert_eq!(take("d", Json::Null).0, "D", "on from a key into its row");
}
