//! What a random pack keeps and does not look into: an open record, that classes take, put together and send back.

use serde_json::{Value as Json, json};

use super::Dice;
use super::packs::Documents;

/// Adds an open record `Note` to a pack, and a frame `bag` that keeps some.
pub fn add(dice: &mut Dice, documents: &mut Documents) {
    documents[1].1["type"]["Note"] = json!({ "open": true, "doc": "d", "field": {
        "mark": { "enum": "kind", "optional": true }, "count": { "type": "int", "default": 0 } } });
    documents[1].1["frame"]["bag"] = json!({ "owner": "own", "doc": "d", "field": {
        "note": { "record": "Note", "optional": true },
        "notes": { "list": { "record": "Note" }, "max": 3, "evict": "oldest", "default": [] } } });
    let events = &mut documents[2].1;
    events["event"]["pick"]["field"]["note"] = json!({ "record": "Note", "optional": true });
    events["port"]["run"]["request"]["bag"] = json!({ "record": "Note", "optional": true });
    events["port"]["run"]["response"]["bag"] = json!({ "record": "Note", "optional": true });
    events["message"]["say"]["field"]["bag"] = json!({ "list": { "record": "Note" }, "max": 3, "optional": true });
    for (_, class) in documents.iter_mut().filter(|(_, document)| document.get("id").is_some()) {
        let picks = class["trigger"].as_array().expect("a list").iter().all(|trigger| trigger["event"] == "pick");
        let source = if picks { "$input.note?" } else { "$bag.note?" };
        weave(dice, class["do"].as_array_mut().expect("a list"), source);
        if let Some(rows) = class.get_mut("settle").and_then(Json::as_array_mut) {
            for row in rows {
                weave(dice, row["do"].as_array_mut().expect("a list"), "$outcome.bag?");
            }
        }
    }
}

/// Puts a few effects on notes between others, and lets calls and messages take them along.
fn weave(dice: &mut Dice, effects: &mut Vec<Json>, source: &str) {
    for effect in effects.iter_mut() {
        if effect["call"] == "run" && dice.chance(50) {
            effect["with"]["bag"] = json!({ "first": [source, "$bag.note?"] });
        }
        if effect["emit"] == "say" && dice.chance(70) {
            effect["with"]["bag"] = dice.pick(&[json!("$bag.notes"), json!([source])]).clone();
        }
    }
    for _ in 0..dice.below(3) {
        let there = json!({ "bag": { "note": { "present": true } } });
        let all = [
            json!({ "set": { "bag": { "note": source } } }),
            json!({ "merge": { "bag": { "note": source } } }),
            json!({ "when": there, "merge": { "bag": { "note": { "count": dice.below(4) } } } }),
            json!({ "append": { "bag": { "notes": source } } }),
            json!({ "set": { "bag": { "notes": { "pick": "$bag.notes", "where": { "value": { "count": { "lt": 3 } } } } } } }),
        ];
        let at = dice.below(effects.len() + 1);
        effects.insert(at, dice.pick(&all).clone());
    }
}
