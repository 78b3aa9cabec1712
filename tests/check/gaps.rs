//! What falls between the rows of one table: found where an input leads there, and only there; each with a twin that has no gap.

use crate::support::replays;
use crate::support::tiny::{Tiny, nested};
use insta::assert_snapshot;
use segue::audit::{Config, Scope, audit};
use segue::diag::{Code, Diagnostic};
use segue::report;
use serde_json::{Value as Json, json};

/// What is said of a pack of one class: the findings about gaps, as people see them; their scenarios have been replayed.
fn shown(class: &Json) -> String {
    let mut class = nested(class);
    if class["answer"].is_null() {
        class["answer"] = json!({ "mode": "yes" });
    }
    let tiny = Tiny::new(&[("A", class)]);
    let audit = audit(&tiny.files(), &[], &Config { scope: Scope::Pack, ..Config::default() });
    let all = || report::human(&audit.sources, &audit.diagnostics, false);
    let registry = audit.registry.as_ref().unwrap_or_else(|| panic!("{}", all()));
    let of = |found: &&Diagnostic| matches!(found.code, Code::UnhandledOutcome | Code::NoSingleAnswer);
    let found: Vec<Diagnostic> = audit.diagnostics.iter().filter(of).cloned().collect();
    for finding in &found {
        replays(registry, finding);
    }
    report::human(&audit.sources, &found, false)
}

/// A class that calls `run` and takes its outcomes so.
fn settling(effects: &[Json], rows: &[Json]) -> Json {
    let mut all = effects.to_vec();
    all.push(json!({ "call": "run", "id": "run", "with": {} }));
    let rows = rows.iter().map(|when| json!({ "on": "run", "when": when, "do": [] }));
    json!({ "do": all, "settle": rows.collect::<Vec<_>>() })
}

fn answering(effects: &[Json], rows: &[Json]) -> Json {
    let rows = rows.iter().map(|when| json!({ "when": when, "mode": "yes" }));
    json!({ "do": effects, "answer": { "row": rows.collect::<Vec<_>>() } })
}

fn red() -> Json {
    json!({ "root.kind": "red" })
}

fn green() -> Json {
    json!({ "root.kind": "green" })
}

#[test]
fn an_outcome_that_no_row_takes_in_some_state() {
    assert_snapshot!(shown(&settling(&[], &[red(), green()])));
    assert_eq!(shown(&settling(&[], &[red(), green(), json!({ "root.kind": { "present": false } })])), "");
    assert_eq!(shown(&settling(&[], &[red(), json!({ "root.kind": { "differs": "red" } })])), "");
}

#[test]
fn an_answer_of_a_port_that_no_row_takes() {
    let again = |value: Json| json!({ "outcome.again": value });
    let failed = json!({ "outcome.status": { "not": "ok" } });
    let open = shown(&settling(&[], &[again(json!(true)), again(json!(false)), failed.clone()]));
    assert!(open.contains("{ port: run, status: ok }"), "{open}");
    let absent = json!({ "outcome.status": "ok", "outcome.again": { "present": false } });
    assert_eq!(shown(&settling(&[], &[again(json!(true)), again(json!(false)), absent, failed])), "");
}

#[test]
fn a_state_that_the_class_itself_makes_is_no_gap() {
    let set = json!({ "set": { "root.kind": "red" } });
    assert_eq!(shown(&settling(std::slice::from_ref(&set), &[red()])), "");
    assert_eq!(shown(&answering(&[set], &[red()])), "");
    let counted = json!({ "increment": { "gate.n": 1 } });
    let rows = [json!({ "gate.n": { "lte": 0 } }), json!({ "gate.n": { "gt": 0 } })];
    assert_eq!(shown(&answering(&[counted], &rows)), "");
}

#[test]
fn a_status_that_nobody_ever_takes_is_said_once() {
    let found = shown(&settling(&[], &[json!({ "outcome.status": "ok", "root.kind": "red" })]));
    assert_eq!(found.matches("warning[").count(), 2, "{found}");
    assert!(found.contains("`failed`, `timeout`, `cancelled`") && found.contains("status: ok"), "{found}");
}

#[test]
fn a_step_of_which_no_answer_row_holds() {
    assert_snapshot!(shown(&answering(&[], &[red(), green()])));
    assert_eq!(shown(&answering(&[], &[red(), green(), json!({ "root.kind": { "present": false } })])), "");
}

#[test]
fn a_step_of_which_two_answer_rows_hold() {
    let some = |bound: Json| json!({ "gate.n": bound });
    assert_snapshot!(shown(&answering(&[], &[some(json!({ "lte": 3 })), some(json!({ "gte": 3 }))])));
    assert_eq!(shown(&answering(&[], &[some(json!({ "lte": 3 })), some(json!({ "gt": 3 }))])), "");
}

#[test]
fn an_answer_after_an_outcome() {
    let class = |last: Json| {
        let row = |when: Json| json!({ "when": when, "mode": "yes" });
        let mut class = settling(&[], &[json!({})]);
        class["settle"][0]["do"] = json!([{ "when": { "outcome.again": true }, "set": { "root.kind": "red" } }]);
        class["answer"] = json!({ "row": [row(json!({ "outcome.again": true, "root.kind": "red" })), row(last)] });
        class
    };
    let open = shown(&class(json!({ "outcome.again": false })));
    assert!(open.contains("no row of the answer of `A` may hold"), "{open}");
    assert_eq!(shown(&class(json!({ "outcome.again": { "differs": true } }))), "");
}
