//! Packs in which two classes overlap in one situation only, each with a twin that differs in one place and has no overlap.

use crate::support::loaded;
use crate::support::tiny::{Tiny, nested};
use segue::analysis::{self, overlap};
use segue::diag::{Code, Diagnostics};
use segue::registry::Registry;
use serde_json::{Value as Json, json};

/// Two classes, `A` and `B`, that precedence does not order, what they need besides, and the edit that makes the twin.
struct Planted {
    name: &'static str,
    a: Json,
    b: Json,
    more: Json,
    /// Where the edit is made, as a pointer into `{ a, b, more }`, and what stands there in the twin.
    twin: (&'static str, Json),
}

/// A trigger on one text, by one alternative.
fn by(alternative: Json, example: &str) -> Json {
    json!([{ "event": "utterance", "any": [alternative], "examples": [example], "counterexamples": [] }])
}

fn phrase(words: &str, example: &str) -> Json {
    by(json!({ "phrase": words }), example)
}

fn whole(words: &str, example: &str) -> Json {
    by(json!({ "phrase": words, "whole": true }), example)
}

fn starts(words: &str, example: &str) -> Json {
    by(json!({ "phrase": words, "starts": true }), example)
}

fn pattern(words: &str, example: &str) -> Json {
    by(json!({ "pattern": words, "whole": true }), example)
}

fn pack_of(a: &Json, b: &Json, more: &Json) -> Registry {
    let (a, b, more) = (nested(a), nested(b), nested(more));
    let mut tiny = Tiny::new(&[("A", a), ("B", b)]);
    tiny.chain = vec!["A".into(), "Z".into()];
    tiny.add(json!({
        "param": { "least": { "type": "decimal", "default": 0.75, "min": 0, "max": 1, "doc": "d" } },
        "ending": { "fem": ["а", "и", "у"] },
        "lexicon": { "filler": ["please"] },
        "table": { "route": {
            "column": { "kind": { "enum": "kind" }, "depth": { "enum": "depth" } },
            "row": [{ "id": "one", "kind": "red", "depth": "full" }, { "id": "two", "kind": "green", "depth": "none" }] } },
        "derive": { "route": { "lookup": "route", "where": { "kind": "$input.colour" }, "doc": "d" } },
    }));
    let mut colour = json!({ "signal": { "colour": { "enum": "kind", "values": { "red": ["red"], "green": ["green"] }, "doc": "d" },
        "sure": { "type": "decimal", "doc": "d" },
        "marks": { "set": { "enum": ["cold", "heavy", "wet"] }, "max": 3, "doc": "d" } } });
    if let Some(many) = more.get("many") {
        colour["signal"]["colour"]["many"] = many.clone();
    }
    tiny.add(colour);
    if let Some(sections) = more.get("sections") {
        tiny.add(sections.clone());
    }
    loaded(&tiny.files())
}

fn planted() -> Vec<Planted> {
    let plant = |name, a, b, more, pointer, value| Planted { name, a, b, more, twin: (pointer, value) };
    let plain = |name, a, b, pointer, value| plant(name, a, b, json!({}), pointer, value);
    let same = || phrase("go", "go");
    vec![
        plain(
            "one whole number that both thresholds let through",
            json!({ "trigger": same(), "requires": { "root.hits": { "gte": 3 } } }),
            json!({ "trigger": same(), "requires": { "root.hits": { "lte": 3 } } }),
            "/b/requires/root.hits",
            json!({ "lt": 3 }),
        ),
        plain(
            "no whole number between two, but the bound itself",
            json!({ "trigger": same(), "requires": { "root.hits": { "gt": 3, "lt": 5 } } }),
            json!({ "trigger": same(), "requires": { "root.hits": { "gt": 2 }, "gate.n": { "lt": 9 } } }),
            "/b/requires/root.hits",
            json!({ "gt": 4 }),
        ),
        plain(
            "a decimal exactly at a parameter",
            json!({ "trigger": same(), "entry": { "input.sure": { "gte": "%least" } } }),
            json!({ "trigger": same(), "entry": { "input.sure": { "lte": 0.75 } } }),
            "/b/entry/input.sure",
            json!({ "lte": 0.7499999 }),
        ),
        plain(
            "two phrases in one text",
            json!({ "trigger": phrase("blue [big] ball", "blue ball") }),
            json!({ "trigger": phrase("ball now", "ball now") }),
            "/a/trigger",
            whole("blue [big] ball", "blue ball"),
        ),
        plain(
            "two whole phrases with words that may be left out",
            json!({ "trigger": whole("show [me] (all|every) item", "show all item") }),
            json!({ "trigger": whole("show me [now] all item", "show me all item") }),
            "/b/trigger",
            whole("show me now all item", "show me now all item"),
        ),
        plain(
            "a phrase and a pattern",
            json!({ "trigger": whole("order 66", "order 66") }),
            json!({ "trigger": pattern("order [0-9]{2}", "order 12") }),
            "/b/trigger",
            pattern("order [0-9]{3}", "order 123"),
        ),
        plain(
            "two patterns that share one word",
            json!({ "trigger": pattern("[a-c]+x", "abx") }),
            json!({ "trigger": pattern("[c-e]+x", "dx") }),
            "/b/trigger",
            pattern("[d-e]+x", "dx"),
        ),
        plain(
            "a stem with its endings",
            json!({ "trigger": whole("посылк~fem", "посылка") }),
            json!({ "trigger": whole("посылки", "посылки") }),
            "/b/trigger",
            whole("посылкой", "посылкой"),
        ),
        plain(
            "two phrases that begin the text",
            json!({ "trigger": starts("and [the] blue", "and blue") }),
            json!({ "trigger": starts("and the (blue|pink) car", "and the pink car") }),
            "/b/trigger",
            starts("and a (blue|pink) car", "and a pink car"),
        ),
        plain(
            "a filler beside a whole phrase",
            json!({ "trigger": whole("send it", "send it") }),
            json!({ "trigger": phrase("please", "please") }),
            "/b/trigger",
            phrase("now", "now"),
        ),
        plain(
            "a recognised value beside a whole phrase",
            json!({ "trigger": whole("paint it", "paint it red") }),
            json!({ "trigger": phrase("it (green|blue)", "it green") }),
            "/b/trigger",
            phrase("it blue", "it blue"),
        ),
        plain(
            "letters that fold alike",
            json!({ "trigger": whole("счёт", "счет") }),
            json!({ "trigger": whole("счет", "счёт") }),
            "/b/trigger",
            whole("счёты", "счеты"),
        ),
        plain(
            "one row of a table",
            json!({ "trigger": same(), "entry": { "input.route.depth": "none" } }),
            json!({ "trigger": same(), "entry": { "input.colour": "green" } }),
            "/b/entry/input.colour",
            json!("red"),
        ),
        plain(
            "a lookup that finds a row or none",
            json!({ "trigger": same(), "entry": { "input.route": { "present": false } } }),
            json!({ "trigger": same(), "entry": { "input.colour": { "differs": "green" } } }),
            "/b/entry/input.colour",
            json!("green"),
        ),
        plain(
            "two fields that are equal",
            json!({ "trigger": same(), "entry": { "root.kind": "$input.colour" } }),
            json!({ "trigger": same(), "entry": { "root.kind": "red", "input.colour": { "not": "green" } } }),
            "/b/entry/input.colour",
            json!({ "not": "red" }),
        ),
        plain(
            "what is absent differs",
            json!({ "trigger": same(), "requires": { "root.kind": { "differs": "red" } } }),
            json!({ "trigger": same(), "requires": { "root.kind": { "present": false } } }),
            "/a/requires/root.kind",
            json!({ "not": "red" }),
        ),
        plain(
            "one set within two bounds",
            json!({ "trigger": same(), "entry": { "input.marks": { "contains": "cold", "size": 2 } } }),
            json!({ "trigger": same(), "entry": { "input.marks": { "subset_of": ["cold", "wet"] } } }),
            "/b/entry/input.marks",
            json!({ "subset_of": ["heavy", "wet"] }),
        ),
        plain(
            "a list with one item",
            json!({ "trigger": same(), "requires": { "root.log": { "empty": false } } }),
            json!({ "trigger": same(), "requires": { "root.log": { "size": { "lt": 2 } } } }),
            "/b/requires/root.log",
            json!({ "size": { "lt": 1 } }),
        ),
        plant(
            "an entry that passes beside one that does not",
            json!({ "trigger": same(), "requires": { "extra.sorts": { "exists": { "value": "red" } } } }),
            json!({ "trigger": same(), "requires": { "not": { "extra.sorts": { "every": { "value": "red" } } } } }),
            json!({ "sections": { "frame": { "extra": { "owner": "own", "doc": "d", "field": {
                "sorts": { "map": { "key": { "type": "text" }, "value": { "enum": "kind" } }, "max": 3, "default": {} } } } } } }),
            "/b/requires/not/extra.sorts",
            json!({ "exists": { "value": "red" } }),
        ),
        plant(
            "an entry that passes beside one that does not, by one named condition",
            json!({ "trigger": same(), "requires": { "extra.sorts": { "exists": { "is": "red" } } } }),
            json!({ "trigger": same(), "requires": { "not": { "extra.sorts": { "every": { "is": "red" } } } } }),
            json!({ "sections": { "condition": { "red": { "value": "red" } },
                "frame": { "extra": { "owner": "own", "doc": "d", "field": {
                    "sorts": { "map": { "key": { "type": "text" }, "value": { "enum": "kind" } }, "max": 3, "default": {} } } } } } }),
            "/b/requires/not/extra.sorts",
            json!({ "exists": { "is": "red" } }),
        ),
        plain(
            "a gate that does not cut",
            json!({ "trigger": same(), "requires": { "root.status": "active" } }),
            json!({ "trigger": same(), "requires": { "gate.depth": { "differs": "none" } },
                "carryover": { "depth": "none", "keep": [], "forbid": [], "preserve": [] } }),
            "/b/requires/gate.depth",
            json!("none"),
        ),
        plant(
            "a state that an invariant rules out",
            json!({ "trigger": same(), "requires": { "gate.n": { "gt": 1 } } }),
            json!({ "trigger": same(), "requires": { "gate.note": { "present": false } } }),
            json!({ "sections": {} }),
            "/more/sections",
            json!({ "frame": { "extra": { "owner": "own", "doc": "d", "field": { "mark": { "type": "bool", "default": false } },
                "invariant": [{ "id": "noted", "when": { "gate.n": { "gt": 1 } }, "then": { "gate.note": { "present": true } }, "doc": "d" }] } } }),
        ),
        plain(
            "two rows for one outcome",
            json!({ "trigger": whole("a", "a"), "do": [{ "call": "run", "id": "r", "with": {} }], "settle": [
                { "on": "r", "when": { "outcome.status": "ok", "outcome.again": true }, "do": [] },
                { "on": "r", "when": { "outcome.status": "ok" }, "do": [] }] }),
            json!({ "trigger": whole("b", "b") }),
            "/a/settle/1/when",
            json!({ "outcome.status": "ok", "outcome.again": { "differs": true } }),
        ),
        plain(
            "a row and another class's trigger",
            json!({ "trigger": whole("a", "a"), "do": [{ "call": "run", "id": "r", "with": {} }], "settle": [
                { "on": "r", "when": { "outcome.status": ["ok", "timeout"] }, "do": [] }] }),
            json!({ "trigger": [{ "event": "run.failed", "base": "before" }] }),
            "/a/settle/0/when",
            json!({ "outcome.status": "ok" }),
        ),
        plant(
            "a said colour that a second one takes back",
            json!({ "trigger": phrase("red ball", "red ball") }),
            json!({ "trigger": phrase("ball", "ball"), "entry": { "input.colour": { "present": false } } }),
            json!({ "many": "ambiguous" }),
            "/more/many",
            json!("first"),
        ),
        plain(
            "a tag of the longer words",
            json!({ "trigger": [{ "event": "utterance", "any": [{ "phrase": "ball", "tag": "short" }, { "phrase": "big ball", "tag": "long" }],
                "examples": ["ball"], "counterexamples": [] }], "entry": { "input.tag": "long" } }),
            json!({ "trigger": whole("(big|small) ball", "big ball") }),
            "/b/trigger",
            whole("(tall|small) ball", "small ball"),
        ),
        plain(
            "a signal that an alternative sets",
            json!({ "trigger": [{ "event": "utterance", "any": [{ "phrase": "blood", "set": { "colour": "red" } }, { "phrase": "grass", "set": { "colour": "green" } }],
                "examples": ["blood"], "counterexamples": [] }], "entry": { "input.colour": "green" } }),
            json!({ "trigger": whole("(grass|tree)", "tree"), "entry": { "input.colour": { "present": false } } }),
            "/b/trigger",
            whole("(blood|tree)", "tree"),
        ),
        plain(
            "none of three holds",
            json!({ "trigger": same(), "requires": { "not": { "any": [{ "root.status": "none" }, { "root.status": "done" }] } } }),
            json!({ "trigger": same(), "requires": { "all": [{ "root.status": { "not": "none" } }, { "any": [{ "root.status": "active" }, { "gate.n": 7 }] }] } }),
            "/b/requires/all/1",
            json!({ "root.status": "done" }),
        ),
    ]
}

/// What the analysis says of a pack, and whether what it shows is what the engine does.
fn overlapping(registry: &Registry) -> Result<usize, String> {
    let out = Diagnostics::new();
    analysis::check(registry, &out);
    let codes: Vec<Code> = out.into_sorted().iter().map(|found| found.code).collect();
    if codes.contains(&Code::OverlapUnknown) {
        return Err("it is not known".into());
    }
    let shown = overlap::overlaps(registry);
    for finding in &shown {
        let witness = finding.found.as_ref().map_err(Clone::clone)?;
        let step = witness.situation.step(registry).map_err(|error| error.to_string())?;
        let reason = step.reasons.first().map(|reason| registry.pack().names.text(*reason));
        if reason != Some("ambiguous") || step.class != Some(registry.pack().boundary) {
            return Err(format!("the engine says {reason:?}"));
        }
    }
    let found = codes.iter().filter(|code| **code == Code::Overlap).count();
    if found == shown.len() { Ok(found) } else { Err(format!("{found} reported, {} shown", shown.len())) }
}

#[test]
fn each_is_found_and_its_twin_is_clean() {
    let all = planted();
    assert!(all.len() >= 20);
    let mut wrong = Vec::new();
    for Planted { name, a, b, more, twin } in all {
        let registry = pack_of(&a, &b, &more);
        match overlapping(&registry) {
            Ok(1) => {}
            other => wrong.push(format!("{name}: {other:?}")),
        }
        let mut whole = json!({ "a": a, "b": b, "more": more });
        *whole.pointer_mut(twin.0).unwrap_or_else(|| panic!("{name}: nothing at {}", twin.0)) = twin.1;
        match overlapping(&pack_of(&whole["a"], &whole["b"], &whole["more"])) {
            Ok(0) => {}
            other => wrong.push(format!("the twin of {name}: {other:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
