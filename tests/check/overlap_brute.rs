//! Overlaps of small random packs of finite fields and phrases, compared with what stepping every small situation shows.

use std::collections::BTreeSet;

use crate::support::env::env;
use crate::support::tiny::Tiny;
use crate::support::{Dice, load};
use proptest::prelude::*;
use segue::analysis::overlap;
use segue::engine::{Event, NumberedIds, Verdict, step};
use segue::model::ids::ClassId;
use segue::registry::Registry;
use segue::state::SessionState;
use serde_json::{Map, Value as Json, json};

/// Phrases of the vocabulary, each with a text that holds it and nothing else.
const PHRASES: [(&str, &str); 10] = [
    ("a", "a"),
    ("b", "b"),
    ("a b", "a b"),
    ("a [b] c", "a c"),
    ("(a|red) b", "a b"),
    ("{colour}", "red"),
    ("{colour} a", "green a"),
    ("[b] red", "red"),
    ("c [a|b]", "c"),
    ("(green|b) (a|c)", "b c"),
];
const WORDS: [&str; 5] = ["a", "b", "c", "red", "green"];
const LONGEST: usize = 3;

fn alternative(dice: &mut Dice) -> (Json, &'static str) {
    match dice.below(10) {
        0 => (json!({ "signal": "colour" }), "green"),
        1 => (json!({ "signal": "colour", "is": ["red"] }), "red"),
        2 => (json!({ "signal": "colour", "ambiguous": true }), "red green"),
        _ => {
            let (phrase, example) = *dice.pick(&PHRASES);
            let mut words = json!({ "phrase": phrase });
            match dice.below(4) {
                0 => words["whole"] = true.into(),
                1 => words["starts"] = true.into(),
                _ => {}
            }
            (words, example)
        }
    }
}

fn field_test(dice: &mut Dice) -> (&'static str, &'static str, Json) {
    let kind = *dice.pick(&["red", "green"]);
    let status = *dice.pick(&["none", "active", "done"]);
    let bound = dice.below(3);
    match dice.below(9) {
        0 => ("root", "status", json!(status)),
        1 => ("root", "status", json!({ "not": status })),
        2 => ("root", "kind", json!(kind)),
        3 => ("root", "kind", json!({ "differs": kind })),
        4 => ("root", "kind", json!({ "present": dice.chance(50) })),
        5 => ("gate", "n", json!({ "gt": bound })),
        6 => ("gate", "n", json!({ "lte": bound })),
        7 => ("gate", "n", json!(bound)),
        _ => ("gate", "depth", json!({ "differs": *dice.pick(&["full", "none"]) })),
    }
}

fn input_test(dice: &mut Dice) -> (&'static str, &'static str, Json) {
    match dice.below(6) {
        0 => ("input", "colour", json!({ "present": dice.chance(50) })),
        1 => ("input", "colour", json!(*dice.pick(&["red", "green"]))),
        2 => ("input", "colour", json!({ "ambiguous": dice.chance(60) })),
        3 => ("input", "route", json!({ "present": dice.chance(50) })),
        4 => ("root", "kind", json!("$input.colour")),
        _ => ("input", "colour", json!({ "differs": "$root.kind" })),
    }
}

fn condition(dice: &mut Dice, of: fn(&mut Dice) -> (&'static str, &'static str, Json)) -> Json {
    let single = |dice: &mut Dice| {
        let (frame, field, test) = of(dice);
        json!({ frame: { field: test } })
    };
    match dice.below(5) {
        0 => json!({}),
        1 => json!({ "any": [single(dice), single(dice)] }),
        2 => json!({ "not": single(dice) }),
        3 => json!({ "all": [single(dice), single(dice)] }),
        _ => single(dice),
    }
}

fn random_class(dice: &mut Dice) -> Json {
    let alternatives: Vec<(Json, &str)> = (0..=dice.below(2)).map(|_| alternative(dice)).collect();
    let examples: BTreeSet<&str> = alternatives.iter().map(|(_, example)| *example).collect();
    let any: Vec<&Json> = alternatives.iter().map(|(of, _)| of).collect();
    let entry = if dice.chance(50) { condition(dice, input_test) } else { json!({}) };
    let depth = *dice.pick(&["full", "none"]);
    json!({
        "trigger": [{ "event": "utterance", "any": any, "examples": examples, "counterexamples": [] }],
        "requires": condition(dice, field_test),
        "entry": entry,
        "carryover": { "depth": depth, "keep": [], "forbid": [], "preserve": [] },
    })
}

fn random_pack(seed: u64) -> Result<Registry, String> {
    let mut dice = Dice(seed);
    let classes: Vec<Json> = (0..3).map(|_| random_class(&mut dice)).collect();
    let [a, b, c] = &classes[..] else { unreachable!("three") };
    let mut tiny = Tiny::new(&[("A", a.clone()), ("B", b.clone()), ("C", c.clone())]);
    let chains: [&[&str]; 4] = [&["A", "Z"], &["B", "C"], &["C", "A"], &["Z", "B"]];
    tiny.chain = dice.pick(&chains).iter().map(|id| (*id).to_owned()).collect();
    let many = *dice.pick(&["ambiguous", "ambiguous", "first", "last"]);
    tiny.add(json!({
        "signal": { "colour": { "enum": "kind", "many": many, "values": { "red": ["red"], "green": ["green"] }, "doc": "d" } },
        "lexicon": { "filler": ["c"] },
        "table": { "route": { "column": { "kind": { "enum": "kind" } }, "row": [{ "id": "one", "kind": "red" }] } },
        "derive": { "route": { "lookup": "route", "where": { "kind": "$input.colour" }, "doc": "d" } },
    }));
    load(&tiny.files())
}

fn states(registry: &Registry) -> Vec<SessionState> {
    let mut states = Vec::new();
    for status in ["none", "active", "done"] {
        for kind in [None, Some("red"), Some("green")] {
            for n in 0..4 {
                for depth in [None, Some("none")] {
                    let mut root = Map::from_iter([("status".to_owned(), json!(status))]);
                    root.extend(kind.map(|kind| ("kind".to_owned(), json!(kind))));
                    let mut gate = Map::from_iter([("n".to_owned(), json!(n))]);
                    gate.extend(depth.map(|depth| ("depth".to_owned(), json!(depth))));
                    let frames = json!({ "root": root, "gate": gate });
                    states.push(SessionState::from_frames(registry.pack(), &frames).expect("a state of the pack"));
                }
            }
        }
    }
    states
}

fn texts() -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..LONGEST {
        last = last.iter().flat_map(|text| WORDS.map(|word| format!("{text} {word}").trim().to_owned())).collect();
        all.extend(last.iter().cloned());
    }
    all
}

fn stepped(registry: &Registry, state: &SessionState, event: &Event) -> Vec<ClassId> {
    let mut ids = NumberedIds::default();
    let mut env = env(1, &mut ids);
    let quick = step(registry, state, event, &mut env).expect("the boundary takes what nobody takes");
    if quick.reasons.first().map(|reason| registry.pack().names.text(*reason)) != Some("ambiguous") {
        return Vec::new();
    }
    env.trace = true;
    let step = step(registry, state, event, &mut env).expect("as before");
    let trace = step.trace.expect("asked for");
    let passed = |verdict: &Verdict| matches!(verdict, Verdict::Unordered(_));
    trace.candidates.iter().filter(|candidate| passed(&candidate.verdict)).map(|candidate| candidate.class).collect()
}

/// The pairs that some small situation leaves unordered, and that no stronger class spares.
fn by_stepping(registry: &Registry) -> BTreeSet<(ClassId, ClassId)> {
    let precedes = |a: ClassId, b: ClassId| registry.pack().precedes[a.index()][b.index()];
    let states = states(registry);
    let mut found = BTreeSet::new();
    let mut known = BTreeSet::new();
    for text in texts() {
        for signals in [json!({}), json!({ "colour": "red" }), json!({ "colour": "green" })] {
            let event = Event::input(registry, "utterance", &json!({ "text": text }), &signals).expect("an event");
            for state in &states {
                let passing = stepped(registry, state, &event);
                if passing.is_empty() || !known.insert(passing.clone()) {
                    continue;
                }
                let strongest = |a: &&ClassId| !passing.iter().any(|other| precedes(*other, **a));
                let strongest: Vec<ClassId> = passing.iter().filter(strongest).copied().collect();
                for (at, a) in strongest.iter().enumerate() {
                    found.extend(strongest[at + 1..].iter().map(|b| ((*a).min(*b), (*a).max(*b))));
                }
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 0, failure_persistence: None, max_global_rejects: 400, ..ProptestConfig::default() })]

    #[test]
    fn what_stepping_finds_is_found_and_what_is_found_can_be_stepped(seed in any::<u64>()) {
        let registry = random_pack(seed);
        prop_assume!(registry.is_ok());
        let registry = registry.expect("assumed");
        let mut found = BTreeSet::new();
        for finding in overlap::overlaps(&registry) {
            let witness = finding.found.as_ref().map_err(|why| TestCaseError::fail(format!("not known: {why}")))?;
            let passing = stepped(&registry, &witness.situation.state, &witness.situation.event);
            let (a, b) = (finding.one.class(), finding.other.class());
            prop_assert!(passing.contains(&a) && passing.contains(&b), "the witness of {a:?} and {b:?} gives {passing:?}");
            found.insert((a.min(b), a.max(b)));
        }
        let stepped = by_stepping(&registry);
        prop_assert!(stepped.is_subset(&found), "stepping shows {:?}, the analysis {:?}", stepped, found);
    }
}

#[test]
fn most_random_packs_load_and_overlaps_are_neither_rare_nor_the_rule() {
    let (mut packs, mut overlapping) = (0, 0);
    for seed in 0..60 {
        if let Ok(registry) = random_pack(seed) {
            packs += 1;
            overlapping += usize::from(!overlap::overlaps(&registry).is_empty());
        }
    }
    assert!(packs >= 40, "{packs} of 60 load");
    assert!((packs / 8..packs).contains(&overlapping), "{overlapping} of {packs}");
}
