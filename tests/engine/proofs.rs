//! What the analysis says of random packs, held against situations that are met at random: what the engine says of one of them
//! is never what was proved not to be.

use std::collections::BTreeSet;

use segue::analysis::Taker;
use segue::analysis::overlap::overlaps;
use segue::audit::{Config, Scope, audit};
use segue::diag::{Code, Diagnostic};
use segue::engine::{Breach, Env, Event, NumberedIds, StepError, Verdict, step};
use segue::model::ids::ClassId;
use segue::registry::Registry;
use segue::state::SessionState;
use serde_json::{Map, Value as Json, json};

use crate::support::corpus::Corpus;
use crate::support::env::env;
use crate::support::events::event;
use crate::support::packs::{as_toml, pack};
use crate::support::tiny::Tiny;
use crate::support::{self, Dice, load, say};

/// A random pack in which little is ordered.
fn unordered_pack(seed: u64) -> Option<Registry> {
    let mut documents = pack(&mut Dice(seed));
    let manifest = documents.iter_mut().find(|(name, _)| name == "pack").expect("a manifest");
    let chain = manifest.1["pack"]["precedence"][0].as_array().expect("a chain").clone();
    let chain: Vec<Json> = chain.into_iter().take(usize::try_from(seed % 3).expect("small")).collect();
    manifest.1["pack"]["precedence"] = json!([chain]);
    load(&as_toml(&documents)).ok()
}

fn state(registry: &Registry, dice: &mut Dice) -> SessionState {
    let pack = registry.pack();
    let mut frames = Map::new();
    // Instances of keyed frames are opened by the turns.
    for frame in pack.frames.iter().filter(|frame| frame.keyed.is_none()) {
        let mut fields = Map::new();
        for slot in frame.fields() {
            let field = &pack.slots[slot.index()];
            if dice.chance(70) {
                fields.insert(pack.names.text(field.name).into(), say::value(pack, &field.ty, dice));
            }
        }
        frames.insert(pack.names.text(frame.name).into(), Json::Object(fields));
    }
    SessionState::from_frames(pack, &Json::Object(frames)).expect("made to fit")
}

/// The pairs of classes, and of takers of one class, that the engine leaves unordered in situations met at random.
fn met(registry: &Registry, dice: &mut Dice, count: usize) -> BTreeSet<(ClassId, ClassId)> {
    let mut found = BTreeSet::new();
    let corpus = Corpus::default();
    for _ in 0..count {
        let mut at = state(registry, dice);
        let mut ids = NumberedIds::default();
        for turn in 0..2 {
            let event = event(registry, &at, &[], &[], dice, &corpus);
            let mut env = Env { trace: true, ..env(turn, &mut ids) };
            let Ok(step) = step(registry, &at, &event, &mut env) else { break };
            let unordered: Vec<ClassId> = step
                .trace
                .iter()
                .flat_map(|trace| &trace.candidates)
                .filter(|candidate| matches!(candidate.verdict, Verdict::Unordered(_)))
                .map(|candidate| candidate.class)
                .collect();
            let stronger = |a: &ClassId, b: &ClassId| registry.pack().precedes[a.index()][b.index()];
            let strongest: Vec<ClassId> = unordered
                .iter()
                .copied()
                .filter(|class| !unordered.iter().any(|other| stronger(other, class)))
                .collect();
            for (at, a) in strongest.iter().enumerate() {
                for b in &strongest[at + 1..] {
                    found.insert((*a.min(b), *a.max(b)));
                }
            }
            at = step.state;
            if at.open_calls().is_empty() {
                break;
            }
        }
    }
    found
}

#[test]
fn nothing_that_is_met_was_proved_not_to_be() {
    let (mut proved, mut shown, mut unknown) = (0, 0, Vec::new());
    let mut wrong = Vec::new();
    for seed in 0..120 {
        let Some(registry) = unordered_pack(seed) else { continue };
        let found = overlaps(&registry);
        let pairs: BTreeSet<(ClassId, ClassId)> =
            found.iter().map(|finding| (finding.one.class(), finding.other.class())).collect();
        for finding in &found {
            match &finding.found {
                Ok(_) => shown += 1,
                Err(why) => unknown.push(format!("seed {seed}: {:?} {:?}: {why}", finding.one, finding.other)),
            }
        }
        let count = registry.pack().classes.len();
        proved += count * (count - 1) / 2 - pairs.iter().filter(|(a, b)| a != b).count();
        for pair in met(&registry, &mut Dice(seed), 150) {
            if !pairs.contains(&pair) {
                wrong.push(format!("seed {seed}: {pair:?} was met"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(unknown.is_empty(), "{unknown:#?}");
    assert!(proved > 20 && shown > 20, "both are met: {proved}, {shown}");
}

/// What falls between the rows of a table in turns met at random: classes whose calls come to what nobody takes, and classes of which
/// no answer holds, or two.
fn gaps_met(registry: &Registry, dice: &mut Dice, count: usize) -> BTreeSet<(Code, ClassId)> {
    let mut found = BTreeSet::new();
    let corpus = Corpus::default();
    for _ in 0..count {
        let mut at = state(registry, dice);
        let mut ids = NumberedIds::default();
        // The outcome that comes right after the step that makes its call.
        for turn in 0..2 {
            let event = event(registry, &at, &[], &[], dice, &corpus);
            let called = match &event {
                Event::Outcome { call, .. } => at.open_calls().into_iter().find(|of| of.id == *call).map(|of| of.class),
                Event::Input { .. } => None,
            };
            if turn == 1 && called.is_none() {
                break;
            }
            let mut env = env(1, &mut ids);
            let (next, failures) = match step(registry, &at, &event, &mut env) {
                Ok(step) => {
                    let no_transition = registry.pack().names.get("no_transition");
                    let undone = step.reasons.first().copied() == no_transition;
                    let calls = called.filter(|class| undone && *class != registry.pack().boundary);
                    found.extend(calls.map(|class| (Code::UnhandledOutcome, class)));
                    (Some(step.state), step.failures)
                }
                Err(StepError::Boundary { failures }) => (None, failures),
                Err(_) => break,
            };
            for failure in failures.iter().filter(|failure| failure.class != registry.pack().boundary) {
                let unanswered = failure.breaches.iter().any(|breach| matches!(breach, Breach::Answer { .. }));
                found.extend(unanswered.then_some((Code::NoSingleAnswer, failure.class)));
            }
            match next {
                Some(next) if !next.open_calls().is_empty() => at = next,
                _ => break,
            }
        }
    }
    found
}

#[test]
fn gaps_that_are_met_are_told() {
    let (mut told, mut missed) = (0, Vec::new());
    for seed in 0..120 {
        let documents = pack(&mut Dice(seed));
        let audit = audit(&as_toml(&documents), &[], &Config { scope: Scope::Pack, ..Config::default() });
        let Some(registry) = &audit.registry else { continue };
        // Where classes overlap the boundary takes what they would take.
        if audit.diagnostics.iter().any(|found| found.code == Code::Overlap) {
            continue;
        }
        for (code, class) in gaps_met(registry, &mut Dice(seed), 300) {
            let id = format!("`{}`", registry.pack().names.text(registry.pack().classes[class.index()].id));
            let of_it = |found: &&Diagnostic| found.code == code && found.message.contains(&id);
            match audit.diagnostics.iter().find(of_it) {
                Some(_) => told += 1,
                None => missed.push(format!("seed {seed}: {code:?} of {id}")),
            }
        }
    }
    assert!(missed.is_empty(), "{told} told, and not {missed:#?}");
    assert!(told > 20, "{told}");
}

#[test]
fn a_pair_among_three_hundred_classes_is_found() {
    let classes: Vec<(String, Json)> = (0..301).map(|n| {
        // The last one asks for what the eighth asks for.
        let asked = if n == 300 { 7 } else { n };
        (format!("C{n}"), json!({
            "trigger": [{ "event": "utterance", "any": [{ "phrase": format!("do the thing {n}") }], "examples": [format!("do the thing {n}")], "counterexamples": [] }],
            "requires": { "big": { "mode": format!("m{}", asked % 20), "kind": format!("k{}", asked / 20) , "n": { "gt": asked } } },
            "answer": { "mode": "yes" } }))
    }).collect();
    let of: Vec<(&str, Json)> = classes.iter().map(|(id, v)| (id.as_str(), v.clone())).collect();
    let mut tiny = Tiny::new(&of);
    tiny.chain = vec!["C0".into(), "Z".into()];
    tiny.add(json!({ "frame": { "big": { "owner": "own", "doc": "d", "field": {
        "mode": { "enum": (0..20).map(|n| format!("m{n}")).collect::<Vec<_>>(), "optional": true },
        "kind": { "enum": (0..15).map(|n| format!("k{n}")).collect::<Vec<_>>(), "optional": true },
        "n": { "type": "int", "default": 0 } } } } }));
    let mut docs = tiny.documents();
    // one frame table
    let more = docs.remove(1).1;
    docs[0].1["frame"]["big"] = more["frame"]["big"].clone();
    let registry = support::loaded(&as_toml(&docs));
    let found = overlaps(&registry);
    let of = |taker: Taker| registry.pack().names.text(registry.pack().classes[taker.class().index()].id).to_owned();
    let pairs: Vec<(String, String)> = found.iter().map(|finding| (of(finding.one), of(finding.other))).collect();
    assert_eq!(pairs, [("C7".to_owned(), "C300".to_owned())]);
}

/// What overlaps in a tiny pack: the classes and whether a witness is shown.
fn told(tiny: &Tiny) -> Vec<(String, String, bool)> {
    let registry = support::loaded(&as_toml(&tiny.documents()));
    let of = |taker: Taker| registry.pack().names.text(registry.pack().classes[taker.class().index()].id).to_owned();
    overlaps(&registry).iter().map(|finding| (of(finding.one), of(finding.other), finding.found.is_ok())).collect()
}

fn rows(one: Json, other: Json) -> Tiny {
    let class = json!({
        "do": [{ "call": "run", "id": "run", "with": {} }],
        "settle": [{ "on": "run", "when": one, "do": [] }, { "on": "run", "when": other, "do": [] }],
        "answer": { "mode": "yes" },
    });
    Tiny::new(&[("A", class)])
}

#[test]
fn two_settle_rows_of_one_class_overlap_where_one_outcome_passes_both() {
    let again = |value: bool| json!({ "outcome": { "again": value } });
    assert_eq!(told(&rows(again(true), again(false))), []);
    let ok = json!({ "outcome": { "status": "ok" } });
    assert_eq!(told(&rows(again(true), ok)), [("A".to_owned(), "A".to_owned(), true)]);
    let unknown = json!({ "outcome": { "again": { "differs": false } } });
    assert_eq!(told(&rows(again(true), unknown)), [("A".to_owned(), "A".to_owned(), true)]);
}

#[test]
fn two_triggers_of_one_class_that_hold_together_overlap_where_they_say_different_things() {
    let boundary = |second: &str, entry: Json| {
        let mut tiny = Tiny::new(&[]);
        tiny.boundary["trigger"] = json!([
            { "event": "utterance", "any": [{ "phrase": "one" }], "reason": "first", "examples": ["one"], "counterexamples": [] },
            { "event": "utterance", "any": [{ "phrase": "two" }], "reason": second, "entry": entry, "examples": ["two"], "counterexamples": [] },
            { "event": "boundary" },
        ]);
        tiny
    };
    assert_eq!(told(&boundary("first", json!({}))), [], "both say the same");
    assert_eq!(told(&boundary("second", json!({}))), [("Z".to_owned(), "Z".to_owned(), true)]);
}
