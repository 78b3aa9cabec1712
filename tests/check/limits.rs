//! What the analysis tells exactly of collections, and what it does not tell exactly: there it says so, with the reason.

use crate::support::loaded;
use crate::support::tiny::{Tiny, nested};
use segue::analysis::overlap::overlaps;
use serde_json::{Value as Json, json};

fn phrase(words: &str) -> Json {
    json!([{ "event": "utterance", "any": [{ "phrase": words }], "examples": [words], "counterexamples": [] }])
}

/// What comes of two classes that nothing orders: apart, overlapping, or why it is not known.
fn told(a: Json, b: Json, more: Json) -> String {
    let with = |class: Json| {
        let mut class = nested(&class);
        if class["trigger"].is_null() {
            class["trigger"] = phrase("go");
        }
        class
    };
    let mut tiny = Tiny::new(&[("A", with(a)), ("B", with(b))]);
    tiny.chain = vec!["A".into(), "Z".into()];
    tiny.add(more);
    match &overlaps(&loaded(&tiny.files()))[..] {
        [] => "apart".into(),
        [finding] => match &finding.found {
            Ok(_) => "overlap".into(),
            Err(why) => why.clone(),
        },
        more => panic!("{more:?}"),
    }
}

fn frame(field: Json) -> Json {
    json!({ "frame": { "bag": { "owner": "own", "doc": "d", "field": { "of": field } } } })
}

fn requires(test: Json) -> Json {
    json!({ "requires": { "bag.of": test } })
}

#[test]
fn collections_of_many_entries_are_counted() {
    let kinds = [
        json!({ "list": { "type": "text" }, "max": 300, "default": [] }),
        json!({ "set": { "type": "text" }, "max": 300, "default": [] }),
        json!({ "map": { "key": { "type": "text" }, "value": { "type": "int" } }, "max": 300, "default": {} }),
    ];
    for kind in kinds {
        for many in [9, 40] {
            let more = |than: usize| requires(json!({ "size": { "gt": than } }));
            let less = |than: usize| requires(json!({ "size": { "lt": than } }));
            assert_eq!(told(more(many), more(many), frame(kind.clone())), "overlap", "{many} of {kind}");
            assert_eq!(told(more(many), less(many + 2), frame(kind.clone())), "overlap", "{many} of {kind}");
            assert_eq!(told(more(many), less(many + 1), frame(kind.clone())), "apart", "{many} of {kind}");
        }
    }
}

#[test]
fn very_many_entries_are_not_told_apart() {
    for kind in [
        json!({ "list": { "type": "text" }, "max": 300, "default": [] }),
        json!({ "set": { "type": "text" }, "max": 300, "default": [] }),
        json!({ "map": { "key": { "type": "text" }, "value": { "type": "int" } }, "max": 300, "default": {} }),
    ] {
        let more = || requires(json!({ "size": { "gt": 200 } }));
        let why = told(more(), more(), frame(kind.clone()));
        assert!(why.contains("entries only"), "{kind}: {why}");
    }
}

fn tagged(phrases: [(&str, &str); 2], tag: &str) -> Json {
    let any: Vec<Json> = phrases.iter().map(|(phrase, tag)| json!({ "phrase": phrase, "tag": tag })).collect();
    let example = phrases[1].0;
    json!({ "trigger": [{ "event": "utterance", "any": any, "examples": [example], "counterexamples": [] }], "entry": { "input.tag": tag } })
}

fn whole(words: &str) -> Json {
    json!({ "trigger": [{ "event": "utterance", "any": [{ "phrase": words, "whole": true }], "examples": [words], "counterexamples": [] }] })
}

/// A colour in one word; a date whose year may be missing; a name in one word or two.
fn words() -> Json {
    json!({
        "part": { "month": { "values": { "01": ["january"], "02": ["february"] } }, "year": { "values": { "2020": ["twenty"] } } },
        "signal": {
            "colour": { "enum": "kind", "values": { "red": ["red"], "green": ["green"] }, "many": "ambiguous", "doc": "d" },
            "shade": { "enum": ["dark", "light"], "values": { "dark": ["dark", "very dark"], "light": ["light"] }, "doc": "d" },
            "name": { "type": "text", "rule": [{ "pattern": "[a-f]+ [a-f]+" }], "many": "first", "doc": "d" },
            "month": { "type": "date_range", "rule": [{ "pattern": "[0-9]{4}-[0-9]{2}" }], "many": "first", "doc": "d" },
            "date": { "type": "date_range", "rule": [{ "phrase": "{month} {year}", "value": "{year}-{month}" }, { "phrase": "{month}", "value": "{year}-{month}" }],
                "complete": { "year": ["$env.today"] }, "doc": "d" } },
    })
}

#[test]
fn the_tag_of_the_longest_is_told_where_lengths_are_fixed() {
    let of = |signal: &str, tag| tagged([(&format!("{{{signal}}} ball"), "long"), ("ball", "short")], tag);
    assert_eq!(told(of("colour", "short"), whole("red ball"), words()), "apart");
    assert_eq!(told(of("colour", "long"), whole("red ball"), words()), "overlap");
    let tie = |tag| tagged([("{colour} ball", "one"), ("ball now", "two")], tag);
    assert_eq!(told(tie("two"), whole("red ball now"), words()), "apart", "two of one length");
    assert_eq!(told(tie("two"), whole("ball now"), words()), "overlap");
    let shade = |tag| tagged([("{shade} ball", "one"), ("big ball now", "two")], tag);
    let why = told(shade("two"), whole("big ball now dark ball"), words());
    assert_eq!(why, "overlap", "found by trying");
}

fn alone(alternative: Json, example: &str) -> Json {
    json!({ "trigger": [{ "event": "utterance", "any": [alternative], "examples": [example], "counterexamples": [] }] })
}

#[test]
fn a_pattern_over_several_words_is_told_where_a_text_decides() {
    let mut a = alone(json!({ "phrase": "now" }), "now");
    a["entry"] = json!({ "input.name": { "present": false } });
    let b = alone(json!({ "pattern": "[a-c] [a-c] now", "whole": true }), "a b now");
    assert_eq!(told(a, b, words()), "apart", "a name of two words stands in front of each `now`");
}

#[test]
fn what_is_not_told_exactly_is_unknown_and_says_why() {
    let go = |test: Json| json!({ "entry": test });
    let unknown = [
        // Two shades of different lengths: which alternative is longer depends on the words of the slot.
        (tagged([("{shade} ball", "one"), ("dark ball now", "two")], "two"), whole("very dark ball now"), "tag"),
        // The values that were said are at least two.
        (go(json!({ "input.colour.candidates": { "size": 1 } })), go(json!({ "root.status": "none" })), "candidates"),
        // A month without its year is completed to the year of today.
        (
            go(json!({ "input.date": "2020-01" })),
            go(json!({ "input.date.partial": true, "env.today": "2021-05-10" })),
            "completed",
        ),
        // The type reads each of these months.
        (
            json!({ "trigger": alone(json!({ "pattern": "2020-.*" }), "2020-12")["trigger"], "entry": { "input.month": { "present": false } } }),
            alone(json!({ "pattern": "2020-0[1-9]", "whole": true }), "2020-03"),
            "type",
        ),
        // No text is `stop` and holds `go`.
        (go(json!({ "input.text": "stop" })), go(json!({ "root.status": "none" })), "text"),
    ];
    let mut all = Vec::new();
    for (a, b, about) in unknown {
        all.push(format!("{about}: {}", told(a, b, words())));
    }
    insta::assert_snapshot!(all.join("\n"));
}
