//! Overlaps of small random packs with a keyed frame, compared with what stepping every small situation shows: classes bind
//! by the same value or by different ones, to one instance, to two, to one that has ended, to none.

use std::collections::BTreeSet;

use crate::support::env::env;
use crate::support::tiny::Tiny;
use crate::support::{Dice, load};
use proptest::prelude::*;
use segue::analysis::overlap;
use segue::engine::{Env, Event, NumberedIds, Verdict, step};
use segue::model::ids::ClassId;
use segue::registry::Registry;
use segue::state::SessionState;
use serde_json::{Map, Value as Json, json};

fn test(dice: &mut Dice, bound: bool) -> Json {
    let kind = *dice.pick(&["red", "green"]);
    let flag = dice.chance(60);
    let test = match dice.below(if bound { 9 } else { 3 }) {
        0 => json!({ "open_count": { "gt": dice.below(2) } }),
        1 => json!({ "open_count": dice.below(3) }),
        2 => json!({ "only": { "present": flag } }),
        3 => json!({ "open": flag }),
        4 => json!({ "known": flag }),
        5 => json!({ "closed_as": *dice.pick(&["done", "failed"]) }),
        6 => json!({ "kind": kind }),
        7 => json!({ "kind": { "present": flag } }),
        _ => json!({ "open": true, "kind": { "differs": kind } }),
    };
    json!({ "claim": test })
}

fn random_class(dice: &mut Dice) -> Json {
    let paths = ["$input.at?", "$input.other?", "$claim.only?"];
    let mut class = json!({ "trigger": [{ "event": "on" }] });
    let bound = dice.chance(85);
    if bound {
        let (one, two) = (*dice.pick(&paths), *dice.pick(&paths));
        let key = if one == two { json!(one) } else { json!({ "first": [one, two] }) };
        class["bind"] = json!({ "claim": if dice.chance(60) { json!(one) } else { key } });
    }
    let tests: Vec<Json> = (0..=dice.below(2)).map(|_| test(dice, bound)).collect();
    class["requires"] = if dice.chance(25) { json!({ "not": tests[0] }) } else { json!({ "all": tests }) };
    if dice.chance(30) {
        let entries = [
            json!({ "input": { "at": "$input.other" } }),
            json!({ "input": { "at": { "differs": "$input.other" } } }),
            json!({ "input": { "at": { "present": false } } }),
        ];
        class["entry"] = dice.pick(&entries).clone();
    }
    if bound && dice.chance(20) {
        class["entry"] = json!({ "claim": { "key": *dice.pick(&["$input.other", "$input.at", "$claim.only"]) } });
    }
    class
}

fn random_pack(seed: u64) -> Result<Registry, String> {
    let mut dice = Dice(seed);
    let (a, b) = (random_class(&mut dice), random_class(&mut dice));
    let mut tiny = Tiny::new(&[("A", a), ("B", b)]);
    tiny.chain = vec!["A".into(), "Z".into()];
    tiny.while_open = *dice.pick(&["cancel", "allow"]);
    let mut frame = json!({ "owner": "own", "doc": "d",
        "keyed": { "prefix": "c", "max_open": 2, "keep_closed": 2, "closed_as": ["done", "failed"] },
        "field": { "kind": { "enum": "kind", "optional": true } } });
    if dice.chance(40) {
        frame["invariant"] = json!([{ "id": "open_is_red", "when": { "claim": { "open": true } }, "then": { "claim": { "kind": "red" } } }]);
    }
    tiny.add(json!({ "frame": { "claim": frame },
        "event": { "on": { "doc": "d", "field": { "at": { "key_of": "claim", "optional": true }, "other": { "key_of": "claim", "optional": true } } } } }));
    load(&tiny.files())
}

/// Each of two instances is not there, open or has ended, of each kind.
fn states(registry: &Registry) -> Vec<SessionState> {
    let mut one: Vec<Option<Json>> = vec![None];
    for kind in [None, Some("red"), Some("green")] {
        for ended in [None, Some("done"), Some("failed")] {
            let mut fields = Map::new();
            fields.extend(kind.map(|kind| ("kind".to_owned(), json!(kind))));
            fields.extend(ended.map(|ended| ("closed_as".to_owned(), json!(ended))));
            one.push(Some(Json::Object(fields)));
        }
    }
    let red = |of: &Json| of.get("closed_as").is_some() || of.get("kind") == Some(&json!("red"));
    let bound = !registry.pack().invariants.is_empty();
    one.retain(|of| !bound || of.as_ref().is_none_or(red));
    let mut states = Vec::new();
    for first in &one {
        for second in &one {
            let mut claims = Map::new();
            claims.extend(first.iter().map(|of| ("c-1".to_owned(), of.clone())));
            claims.extend(second.iter().map(|of| ("c-2".to_owned(), of.clone())));
            let frames = json!({ "claim": claims });
            states.push(SessionState::from_frames(registry.pack(), &frames).expect("a state of the pack"));
        }
    }
    states
}

/// Whether both classes pass and the engine cannot choose.
fn unordered(registry: &Registry, state: &SessionState, event: &Event) -> BTreeSet<ClassId> {
    let mut ids = NumberedIds::default();
    let mut env = Env { trace: true, ..env(1, &mut ids) };
    let step = step(registry, state, event, &mut env).expect("the boundary takes what nobody takes");
    let candidates = step.trace.expect("asked for").candidates;
    let unordered = candidates.iter().filter(|candidate| matches!(candidate.verdict, Verdict::Unordered(_)));
    unordered.map(|candidate| candidate.class).collect()
}

fn by_stepping(registry: &Registry) -> bool {
    let keys = [None, Some("c-1"), Some("c-2"), Some("c-9")];
    let states = states(registry);
    keys.iter().any(|at| {
        keys.iter().any(|other| {
            let mut payload = Map::new();
            payload.extend(at.map(|at| ("at".to_owned(), json!(at))));
            payload.extend(other.map(|other| ("other".to_owned(), json!(other))));
            let event = Event::input(registry, "on", &Json::Object(payload), &json!({})).expect("an event");
            states.iter().any(|state| unordered(registry, state, &event).len() == 2)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, max_shrink_iters: 0, failure_persistence: None, max_global_rejects: 400, ..ProptestConfig::default() })]

    #[test]
    fn what_stepping_finds_is_found_and_what_is_found_can_be_stepped(seed in any::<u64>()) {
        let registry = random_pack(seed);
        prop_assume!(registry.is_ok());
        let registry = registry.expect("assumed");
        let mut found = false;
        for finding in overlap::overlaps(&registry) {
            let witness = finding.found.as_ref().map_err(|why| TestCaseError::fail(format!("seed {seed} not known: {why}")))?;
            let both = unordered(&registry, &witness.situation.state, &witness.situation.event);
            prop_assert!(both.len() == 2, "seed {seed}: the witness gives {both:?}");
            found = true;
        }
        let stepped = by_stepping(&registry);
        prop_assert!(!stepped || found, "seed {seed}: stepping shows an overlap, the analysis none");
    }
}

#[test]
fn overlaps_are_neither_rare_nor_the_rule() {
    let (mut packs, mut overlapping) = (0, 0);
    for seed in 0..80 {
        if let Ok(registry) = random_pack(seed) {
            packs += 1;
            overlapping += usize::from(!overlap::overlaps(&registry).is_empty());
        }
    }
    assert!(packs >= 60, "{packs} of 80 load");
    assert!((packs / 8..packs * 7 / 8).contains(&overlapping), "{overlapping} of {packs}");
}
