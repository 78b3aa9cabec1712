//! What a random pack keeps and does not look into: an open record and documents, that classes take, put together and send back.

use serde_json::{Value as Json, json};

use super::Dice;
use super::packs::Documents;

/// Adds an open record `Note` to a pack, and a frame `bag` that keeps some, and documents. What an answer holds of them may be held to a
/// contract.
pub fn add(dice: &mut Dice, documents: &mut Documents) {
    let mut told = json!({ "type": "document", "optional": true });
    if cfg!(feature = "contracts") && dice.chance(50) {
        told["contract"] = "plain".into();
        documents.push(("contracts/plain".into(), json!({ "type": ["object", "string"], "maxProperties": 1 })));
    }
    documents[1].1["type"]["Note"] = json!({ "open": true, "doc": "d", "field": {
        "mark": { "enum": "kind", "optional": true }, "count": { "type": "int", "default": 0 }, "inner": { "type": "document", "optional": true } } });
    documents[1].1["frame"]["bag"] = json!({ "owner": "own", "doc": "d", "field": {
        "note": { "record": "Note", "optional": true }, "paper": { "type": "document", "optional": true },
        "papers": { "map": { "key": { "enum": "kind" }, "value": { "type": "document" } }, "max": 2, "default": {} },
        "notes": { "list": { "record": "Note" }, "max": 3, "evict": "oldest", "default": [] } } });
    let events = &mut documents[2].1;
    events["event"]["pick"]["field"]["paper"] = json!({ "type": "document", "optional": true });
    events["port"]["run"]["request"]["paper"] = json!({ "type": "document", "optional": true });
    events["port"]["run"]["response"]["paper"] = told;
    events["message"]["say"]["field"]["paper"] = json!({ "type": "document", "optional": true });
    events["event"]["pick"]["field"]["note"] = json!({ "record": "Note", "optional": true });
    events["port"]["run"]["request"]["bag"] = json!({ "record": "Note", "optional": true });
    events["port"]["run"]["response"]["bag"] = json!({ "record": "Note", "optional": true });
    events["message"]["say"]["field"]["bag"] = json!({ "list": { "record": "Note" }, "max": 3, "optional": true });
    for (_, class) in documents.iter_mut().filter(|(_, document)| document.get("id").is_some()) {
        let picks = class["trigger"].as_array().expect("a list").iter().all(|trigger| trigger["event"] == "pick");
        let (note, paper) = if picks { ("$input.note?", "$input.paper?") } else { ("$bag.note?", "$bag.note.inner?") };
        let looks = reads_kind(class);
        weave(dice, class["do"].as_array_mut().expect("a list"), note, paper, looks);
        if let Some(rows) = class.get_mut("settle").and_then(Json::as_array_mut) {
            for row in rows {
                weave(dice, row["do"].as_array_mut().expect("a list"), "$outcome.bag?", "$outcome.paper?", looks);
            }
        }
    }
}

/// Whether the values of a class may read `root.kind`.
fn reads_kind(class: &Json) -> bool {
    let carryover = &class["carryover"];
    let lists = |key: &str, name: &str| carryover[key].as_array().is_some_and(|of| of.contains(&json!(name)));
    ["full", "root_only"].contains(&carryover["depth"].as_str().expect("a depth"))
        && (carryover["fields"].is_null() || lists("fields", "root.kind"))
        && !lists("forbid", "root")
        && !lists("forbid", "root.kind")
}

/// Puts a few effects on notes between others, and lets calls and messages take them along; where the class `looks`, a document is looked
/// up by `root.kind`.
fn weave(dice: &mut Dice, effects: &mut Vec<Json>, source: &str, paper: &str, looks: bool) {
    for effect in effects.iter_mut() {
        if effect["call"] == "run" && dice.chance(50) {
            effect["with"]["bag"] = json!({ "first": [source, "$bag.note?"] });
            effect["with"]["paper"] = json!({ "first": [paper, "$bag.paper?"] });
        }
        if effect["emit"] == "say" && dice.chance(70) {
            effect["with"]["bag"] = dice.pick(&[json!("$bag.notes"), json!([source])]).clone();
            effect["with"]["paper"] = "$bag.paper?".into();
        }
    }
    for _ in 0..dice.below(3) {
        let there = json!({ "bag": { "note": { "present": true } } });
        let known = json!({ "bag": { "paper": { "present": dice.chance(50) } } });
        let green = json!({ "merge": { "bag": { "papers": { "green": "$bag.paper?" } } } });
        let looked_up = json!({ "set": { "bag": { "paper": "$bag.papers[$root.kind]?" } } });
        let mut by_kind = if looks && dice.chance(60) { looked_up } else { green };
        by_kind["when"] = known;
        let all = [
            json!({ "set": { "bag": { "paper": paper } } }),
            by_kind,
            json!({ "merge": { "bag": { "papers": { "red": "$bag.paper?", "blue": paper } } } }),
            json!({ "append": { "bag": { "notes": { "inner": paper, "count": 1 } } } }),
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
