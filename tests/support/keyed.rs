//! A keyed frame in a random pack: classes bind, open and close its instances, and calls belong to them.

use serde_json::{Value as Json, json};

use super::Dice;
use super::packs::Documents;

/// Adds a keyed frame `claim` to a pack; in some packs turns go on beside each other.
pub fn add(dice: &mut Dice, documents: &mut Documents) {
    let allow = dice.chance(50);
    if allow {
        documents[0].1["pack"]["while_open"] = json!("allow");
    }
    let frame = json!({
        "owner": "own", "doc": "d",
        "keyed": { "prefix": "c", "max_open": 1 + dice.below(3), "keep_closed": dice.below(3), "closed_as": ["done", "failed"] },
        "field": { "about": { "type": "text" }, "note": { "type": "text", "optional": true },
            "step": { "type": "int", "default": 1 }, "once": { "type": "text", "optional": true, "set_once": true } },
        "invariant": [ { "id": "few_steps", "then": { "claim": { "step": { "lte": 3 } } },
            "repair": [ { "set": { "claim": { "step": 1 } } } ], "doc": "d" } ],
    });
    documents[1].1["frame"]["claim"] = frame;
    documents[2].1["derive"]["noted"] = json!({ "first_of": ["$claim.note", "$claim.about"], "doc": "d" });
    for (_, class) in documents.iter_mut().filter(|(_, document)| document.get("id").is_some()) {
        let triggers = class["trigger"].as_array_mut().expect("a list");
        let mut inputs = Vec::new();
        for trigger in triggers.iter_mut() {
            if allow && trigger.get("base").is_some() {
                trigger["base"] = json!("selected");
            }
            inputs.push(trigger["event"].as_str().expect("a text").to_owned());
        }
        decorate(dice, class, &inputs);
    }
}

fn decorate(dice: &mut Dice, class: &mut Json, on: &[String]) {
    let boundary = on.iter().any(|event| event == "boundary");
    let outcome = on.iter().all(|event| event == "outcome" || event.starts_with("run."));
    let mut open = false;
    let mut bound = boundary || outcome;
    if !outcome && dice.chance(60) {
        let mut paths = vec![json!("$claim.only?")];
        if on.iter().any(|event| event == "pick") {
            paths.insert(dice.below(2), json!("$input.ref?"));
        }
        let key = if paths.len() == 1 || dice.chance(40) { paths[0].clone() } else { json!({ "first": paths }) };
        class["bind"] = json!({ "claim": key });
        bound = true;
        if !boundary && dice.chance(70) {
            let facts = [
                json!({ "open": true }),
                json!({ "open": true }),
                json!({ "known": true }),
                json!({ "closed_as": "done" }),
            ];
            let fact = dice.pick(&facts).clone();
            open = fact.get("open").is_some();
            class["requires"] = json!({ "all": [class["requires"].clone(), { "claim": fact }] });
        }
    }
    let does = block(dice, bound, open, on.iter().any(|event| event == "utterance" || event == "pick"));
    let effects = class["do"].as_array_mut().expect("a list");
    let at = dice.below(effects.len() + 1);
    effects.splice(at..at, does);
    if bound && dice.chance(50) {
        let what =
            json!({ "join": ["$claim.key?", "$claim.step?", "$before.claim.note?", "$claim.open_count"], "sep": "/" });
        effects.push(json!({ "emit": "say", "with": { "what": what } }));
    }
    if let Some(rows) = class.get_mut("settle").and_then(Json::as_array_mut) {
        for row in rows {
            if dice.chance(60) {
                let does = block(dice, true, false, false);
                let effects = row["do"].as_array_mut().expect("a list");
                let at = dice.below(effects.len() + 1);
                effects.splice(at..at, does);
            }
        }
    }
    if bound && !boundary && dice.chance(20) {
        class["never"].as_array_mut().expect("a list").push(json!({ "claim": { "step": 2 } }));
    }
}

/// A few effects on instances, one after the other. What is not surely open is asked for.
fn block(dice: &mut Dice, bound: bool, open: bool, hears: bool) -> Vec<Json> {
    let about = if bound && dice.chance(40) {
        json!({ "first": ["$claim.note?", "x1"] })
    } else if hears && dice.chance(30) {
        json!({ "first": ["$input.noted?", "x3"] })
    } else {
        json!("x2")
    };
    let mut opens = json!({ "open": "claim", "with": { "about": about } });
    if dice.chance(40) {
        opens["with"]["step"] = json!(dice.below(5));
    }
    let step = || json!({ "increment": { "claim": { "step": 1 } } });
    let close = json!({ "close": "claim", "as": *dice.pick(&["done", "failed"]) });
    let note = json!({ "set": { "claim": { "note": "x1", "once": *dice.pick(&["x1", "x2"]) } } });
    let mut does = match dice.below(if bound { 7 } else { 3 }) {
        0 => vec![opens],
        1 => vec![opens, step(), note],
        2 => vec![opens, json!({ "close": "claim", "as": "done" })],
        3 => vec![step()],
        4 => vec![note, close],
        5 => vec![close, opens],
        _ => vec![json!({ "clear": ["claim.note", "claim.step"] }), step()],
    };
    let first_opens = does[0].get("open").is_some();
    let when = json!({ "claim": { "open": true } });
    let guard = if first_opens { dice.chance(20) && bound } else { !open };
    if guard {
        does.iter_mut().for_each(|effect| effect["when"] = when.clone());
    }
    does
}
