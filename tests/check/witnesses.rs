//! Witnesses of overlaps as people see them: short, complete, and a scenario that says what it shows.

use crate::support::replays;
use crate::support::tiny::{Tiny, nested};
use insta::assert_snapshot;
use segue::audit::{Config, Scope, audit};
use segue::diag::{Code, Diagnostic};
use segue::report;
use serde_json::{Value as Json, json};

fn by(alternative: Json, example: &str) -> Json {
    json!([{ "event": "utterance", "any": [alternative], "examples": [example], "counterexamples": [] }])
}

fn phrase(words: &str, example: &str) -> Json {
    by(json!({ "phrase": words }), example)
}

/// `A` and `B`, which nothing orders; both stand before the boundary unless told otherwise.
fn pack(a: Json, b: Json) -> Tiny {
    let mut tiny = Tiny::new(&[("A", nested(&a)), ("B", nested(&b))]);
    tiny.chain = vec!["A".into(), "Z".into()];
    tiny.add(json!({
        "signal": {
            "colour": { "enum": "kind", "values": { "red": ["red"], "green": ["green"] }, "doc": "d" },
            "sure": { "type": "decimal", "doc": "d" } },
        "event": { "tap": { "field": { "item": { "enum": "kind" }, "at": { "type": "int", "optional": true } }, "doc": "d" } },
        "table": { "route": {
            "column": { "kind": { "enum": "kind" }, "depth": { "enum": "depth" } },
            "row": [{ "id": "one", "kind": "red", "depth": "full" }, { "id": "two", "kind": "green", "depth": "none" }] } },
        "derive": { "route": { "lookup": "route", "where": { "kind": "$input.colour" }, "doc": "d" } },
    }));
    tiny
}

/// The overlaps of a pack as they are shown, one line of each for machines; their scenarios have been replayed.
fn shown(tiny: &Tiny) -> String {
    let config = Config { scope: Scope::Pack, ..Config::default() };
    let audit = audit(&tiny.files(), &[], &config);
    let errors = || report::human(&audit.sources, &audit.diagnostics, false);
    let registry = audit.registry.as_ref().unwrap_or_else(|| panic!("{}", errors()));
    let of = |code| audit.diagnostics.iter().filter(move |found| found.code == code).cloned();
    let found: Vec<Diagnostic> = of(Code::Overlap).collect();
    assert!(of(Code::OverlapUnknown).next().is_none());
    for finding in &found {
        assert!(!finding.message.contains('\n'), "{}", finding.message);
        assert!(finding.help.as_deref().is_some_and(|help| help.contains("here:\n")), "{:?}", finding.help);
        replays(registry, finding);
    }
    report::human(&audit.sources, &found, false)
}

#[test]
fn by_text() {
    assert_snapshot!(shown(&pack(
        json!({ "trigger": phrase("(blue|pink) [big] ball", "blue ball"), "requires": { "root.status": "active", "gate.note": { "present": false } } }),
        json!({ "trigger": phrase("ball [right] now", "ball now"), "requires": { "root.hits": { "lt": 9 } } }),
    )));
}

#[test]
fn by_event() {
    let tap = json!([{ "event": "tap" }]);
    assert_snapshot!(shown(&pack(
        json!({ "trigger": tap, "entry": { "input.item": "green" } }),
        json!({ "trigger": tap, "requires": { "root.kind": { "present": true }, "root.log": { "contains": "x" } } }),
    )));
}

#[test]
fn by_threshold() {
    assert_snapshot!(shown(&pack(
        json!({ "trigger": phrase("go", "go"), "requires": { "root.hits": { "gte": 3 } } }),
        json!({ "trigger": phrase("go", "go"), "requires": { "root.hits": { "lte": 3 } }, "entry": { "input.sure": { "gt": 0.5 } } }),
    )));
}

#[test]
fn by_lookup() {
    assert_snapshot!(shown(&pack(
        json!({ "trigger": phrase("go", "go"), "entry": { "input.route.depth": "none" } }),
        json!({ "trigger": phrase("go [there]", "go"), "entry": { "input.colour": { "present": true } } }),
    )));
}

/// `A` calls `run` twice, and has these rows for the second.
fn rows(rows: Json) -> Tiny {
    pack(
        json!({ "trigger": phrase("send", "send"), "do": [{ "call": "report", "id": "first", "with": { "periods": [] } }, { "call": "run", "id": "second", "with": {} }],
            "settle": rows }),
        json!({ "trigger": phrase("stop", "stop"), "requires": { "root.status": "active" } }),
    )
}

#[test]
fn within_one_class() {
    assert_snapshot!(shown(&{
        let mut tiny = rows(json!([
            { "on": "second", "when": { "outcome.status": "ok" }, "do": [] },
            { "on": "second", "when": { "outcome.again": true, "root.kind": "red" }, "do": [] },
            { "on": "first", "when": {}, "do": [] },
        ]));
        tiny.chain = vec!["A".into(), "B".into(), "Z".into()];
        tiny
    }));
}

#[test]
fn in_no_chain_and_with_the_boundary() {
    let mut tiny = pack(json!({ "trigger": phrase("go", "go") }), json!({ "trigger": phrase("go on", "go on") }));
    tiny.chain = vec!["A".into()];
    tiny.boundary["trigger"] = json!([
        { "event": "utterance", "any": [{ "phrase": "on" }], "reason": "unclear", "examples": ["on"], "counterexamples": [] },
        { "event": "boundary" },
    ]);
    assert_snapshot!(shown(&tiny));
}
