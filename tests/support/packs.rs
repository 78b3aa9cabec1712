//! Small packs at random: three to six classes over four frames, as documents that can be written in either format.

use serde_json::{Map, Value as Json, json};

use segue::declare::SourceText;

use super::Dice;
use super::maker::Maker;

/// A pack as one document for each file: its name without the ending, its contents.
pub type Documents = Vec<(String, Json)>;

/// The documents as TOML files.
pub fn as_toml(documents: &Documents) -> Vec<SourceText> {
    let file = |(name, document): &(String, Json)| {
        if is_contract(name) {
            return super::file(&format!("{name}.json"), &document.to_string());
        }
        let text = toml::to_string(&toml_value(document)).expect("it can be written as TOML");
        super::file(&format!("{name}.toml"), &text)
    };
    documents.iter().map(file).collect()
}

/// The documents as YAML files.
pub fn as_yaml(documents: &Documents) -> Vec<SourceText> {
    let file = |(name, document): &(String, Json)| {
        if is_contract(name) {
            return super::file(&format!("{name}.json"), &document.to_string());
        }
        let text = serde_yaml::to_string(&toml_value(document)).expect("it can be written as YAML");
        super::file(&format!("{name}.yaml"), &text)
    };
    documents.iter().map(file).collect()
}

/// Whether a document is a contract, which is written as JSON.
fn is_contract(name: &str) -> bool {
    name.starts_with("contracts/")
}

/// JSON as a value that either writer takes: numbers of JSON keep their digits in a way of their own.
fn toml_value(json: &Json) -> toml::Value {
    match json {
        Json::Null => unreachable!("no document holds null"),
        Json::Bool(flag) => toml::Value::Boolean(*flag),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => toml::Value::Integer(whole),
            None => toml::Value::Float(number.as_f64().expect("a number")),
        },
        Json::String(text) => toml::Value::String(text.clone()),
        Json::Array(items) => toml::Value::Array(items.iter().map(toml_value).collect()),
        Json::Object(entries) => {
            toml::Value::Table(entries.iter().map(|(key, value)| (key.clone(), toml_value(value))).collect())
        }
    }
}

/// All tables of the documents that hold no class, together.
pub fn joined(documents: &Documents) -> Documents {
    let mut all = Map::new();
    let mut classes = Vec::new();
    let mut contracts = Documents::new();
    for (name, document) in documents {
        if document.get("id").is_some() {
            classes.push(document.clone());
        } else if is_contract(name) {
            contracts.push((name.clone(), document.clone()));
        } else {
            all.extend(document.as_object().expect("a table").clone());
        }
    }
    classes.reverse();
    all.insert("transition".into(), Json::Array(classes));
    contracts.push(("all".into(), Json::Object(all)));
    contracts
}

/// Frame, field and kind; a kind with `?` may be absent.
pub const FIELDS: [(&str, &str, &str); 15] = [
    ("root", "status", "status"),
    ("root", "kind", "kind?"),
    ("root", "n", "int"),
    ("root", "tags", "kinds?"),
    ("root", "when", "period?"),
    ("root", "note", "text?"),
    ("object", "status", "status"),
    ("object", "ref", "id?"),
    ("object", "once", "once?"),
    ("object", "log", "texts"),
    ("object", "route", "route?"),
    ("object", "tries", "tries"),
    ("quiz", "status", "status"),
    ("quiz", "ref", "id?"),
    ("gate", "n", "int"),
];

/// A pack at random.
pub fn pack(dice: &mut Dice) -> Documents {
    let count = 2 + dice.below(4);
    let ids: Vec<String> = (1..=count).map(|n| format!("C{n}")).collect();
    let many = *dice.pick(&["ambiguous", "ambiguous", "first", "last"]);
    let mut documents = base(dice, &ids, many);
    let ambiguous = many == "ambiguous";
    for id in &ids {
        documents.push((id.clone(), Maker::new(dice, false, ambiguous).class(id)));
    }
    documents.push(("Z".into(), Maker::new(dice, true, ambiguous).class("Z")));
    if dice.chance(40) {
        super::keyed::add(dice, &mut documents);
    }
    let mut apart = Dice(dice.0 ^ 2);
    if apart.chance(50) {
        super::kept::add(&mut apart, &mut documents);
    }
    asked(dice, &mut documents);
    documents
}

/// A pack at random that has a keyed frame.
pub fn keyed_pack(dice: &mut Dice) -> Documents {
    loop {
        let documents = pack(dice);
        if documents[1].1["frame"].get("claim").is_some() {
            return documents;
        }
    }
}

fn base(dice: &mut Dice, ids: &[String], many: &str) -> Documents {
    let mut chain: Vec<String> = ids.to_vec();
    chain.push("Z".into());
    for at in (1..chain.len()).rev() {
        chain.swap(at, dice.below(at + 1));
    }
    // Once in a while two classes without an order.
    if dice.chance(30) {
        chain.remove(0);
    }
    let while_open = *dice.pick(&["cancel", "cancel", "refuse"]);
    let step_limit = 2 + dice.below(3);
    let manifest = json!({
        "pack": { "id": "small", "title": "Small", "aggregate": "session", "owner": ["own"], "decide": ["quiz"],
            "precedence": [chain], "while_open": while_open, "step_limit": step_limit },
        "carryover": { "universe": ["root", "object"], "limit": "gate.depth",
            "depth": { "full": ["root", "object"], "root_only": ["root"], "object_only": ["object"], "none": [] } },
        "param": { "bound": { "type": "int", "default": 2, "doc": "d" } },
    });
    let doc = "d";
    let schema = json!({
        "enum": { "status": ["none", "active", "done"], "depth": ["full", "root_only", "object_only", "none"],
            "kind": ["red", "green", "blue"], "cov": ["full", "partial", "blocked"] },
        "relative": { "LAST_WEEK": { "unit": "week", "offset": -1, "length": 1 } },
        "table": { "route": { "column": { "kind": { "enum": "kind" }, "level": { "type": "int" },
                "needs": { "set": { "enum": ["kind", "when", "note"] }, "max": 3 } },
            "row": [ { "id": "r1", "kind": "red", "level": 1, "needs": ["when"] },
                { "id": "r2", "kind": "green", "level": 1, "needs": ["note", "when"] },
                { "id": "r3", "kind": "blue", "level": 2, "needs": [] } ] } },
        "frame": {
            "root": { "owner": "own", "doc": doc, "field": {
                "status": { "enum": "status", "default": "none" }, "kind": { "enum": "kind", "optional": true },
                "n": { "type": "int", "default": 0 }, "tags": { "set": { "enum": "kind" }, "max": 2, "optional": true },
                "when": { "type": "date_range", "optional": true }, "note": { "type": "text", "optional": true } } },
            "object": { "owner": "own", "doc": doc, "field": {
                "status": { "enum": "status", "default": "none" }, "ref": { "type": "id", "optional": true },
                "once": { "type": "text", "optional": true, "set_once": true },
                "log": { "list": { "type": "text" }, "max": "%bound", "evict": "oldest", "default": [] },
                "route": { "key_of": "route", "optional": true },
                "tries": { "map": { "key": { "enum": "kind" }, "value": { "type": "int" } }, "max": 2, "default": {} } } },
            "quiz": { "owner": "own", "doc": doc, "field": {
                "status": { "enum": "status", "default": "none" }, "ref": { "type": "id", "optional": true } } },
            "gate": { "owner": "own", "doc": doc, "field": {
                "depth": { "enum": "depth", "optional": true }, "cov": { "enum": "cov", "optional": true },
                "n": { "type": "int", "default": 0 } } },
        },
    });
    let mut events = json!({
        "event": { "utterance": { "text": "text", "field": { "text": { "type": "text" } }, "doc": doc },
            "pick": { "field": { "ref": { "type": "id" }, "kind": { "enum": "kind", "optional": true } }, "doc": doc } },
        "part": { "month": { "values": { "03": ["march"], "04": ["april"] } }, "year": { "pattern": "20[0-9]{2}" } },
        "signal": {
            "kind": { "enum": "kind", "many": many, "doc": doc,
                "values": { "red": ["red", "alpha red"], "green": ["green [one]"], "blue": ["blue"] } },
            "when": { "type": "date_range", "doc": doc, "complete": { "year": ["$root.when", "$env.today"] },
                "rule": [ { "phrase": "{month} {year}", "value": "{year}-{month}" }, { "phrase": "{month}", "value": "{year}-{month}" },
                    { "pattern": "[0-9]{4}-[0-9]{2}" }, { "phrase": "last week", "value": "LAST_WEEK" } ] },
            "marks": { "set": { "enum": "kind" }, "max": 3, "many": "all", "doc": doc,
                "values": { "red": ["mark red"], "green": ["mark green"], "blue": ["mark blue"] } },
            "tone": { "enum": ["calm", "angry"], "doc": doc },
            "amount": { "type": "decimal", "doc": doc },
        },
        "lexicon": { "filler": ["please", "well now"] },
        "derive": {
            "route": { "lookup": "route", "where": { "kind": "$input.kind" }, "doc": doc },
            "missing": { "lacking": { "of": "$input.route.needs", "in": ["input", "root"] }, "doc": doc },
            "seen": { "present": { "of": "$root.tags", "in": ["$object.tries"] }, "doc": doc },
            "asked": { "first_of": ["$quiz.ref", "$object.ref"], "doc": doc },
        },
        "port": {
            "run": { "request": { "route": { "key_of": "route", "optional": true }, "when": { "type": "date_range", "optional": true },
                    "n": { "type": "int", "default": 7 }, "note": { "type": "text", "optional": true } },
                "response": { "cov": { "enum": "cov" }, "rs": { "type": "id", "optional": true },
                    "got": { "enum": "kind", "optional": true } }, "doc": doc },
            "audit": { "request": { "what": { "type": "text", "optional": true } }, "reply": "none", "doc": doc },
        },
        "message": { "say": { "channel": "ui", "const": { "form": "said" }, "text": "{what}: {n} {n:percent}",
            "field": { "what": { "type": "text", "optional": true }, "n": { "type": "int", "default": 0 } }, "doc": doc } },
        "answer_mode": { "yes": { "claims": "confirmed", "doc": doc }, "maybe": { "claims": "limited", "doc": doc },
            "no": { "claims": "nothing", "doc": doc } },
    });
    if step_limit == 2 {
        called_otherwise(&mut events);
    }
    let mut rules = Map::new();
    if dice.chance(50) {
        let bound = 2 + dice.below(3);
        let when = json!({ "gate": { "n": { "gte": bound } } });
        let then = dice
            .pick(&[
                json!({ "root": { "status": { "not": "done" } } }),
                json!({ "answer": { "claims": { "not": "confirmed" } } }),
                json!({ "root": { "kind": "red" } }),
                json!({ "call": { "port": { "empty": true } } }),
            ])
            .clone();
        rules.insert("invariant".into(), json!([{ "id": "rule", "when": when, "then": then, "doc": doc }]));
    }
    vec![
        ("pack".into(), manifest),
        ("schema".into(), schema),
        ("events".into(), events),
        ("rules".into(), Json::Object(rules)),
    ]
}

/// Gives what passes between pack and host other names there.
fn called_otherwise(events: &mut Json) {
    events["event"]["pick"]["case"] = "camel".into();
    events["event"]["pick"]["field"]["ref"]["wire"] = "kind".into();
    events["event"]["pick"]["field"]["kind"]["wire"] = "ref".into();
    events["port"]["run"]["request"]["route"]["wire"] = "the:route".into();
    events["port"]["run"]["request"]["n"]["wire"] = "count".into();
    events["port"]["run"]["response"]["cov"]["wire"] = "status".into();
    events["port"]["run"]["response"]["rs"]["wire"] = "resultSet".into();
    events["message"]["say"]["field"]["what"]["wire"] = "said".into();
}

/// Checks and retries of a port, now and then, and who listens to what they say.
fn asked(dice: &mut Dice, documents: &mut Documents) {
    let port = &mut documents[2].1["port"]["run"];
    let mut breaches = vec!["type"];
    if dice.chance(35) {
        let all = [
            json!({ "id": "kind_of_the_route", "when": { "request": { "route": { "present": true } }, "response": { "got": { "present": true } } },
                "require": { "response": { "got": "$request.route.kind" } } }),
            json!({ "id": "never_red", "require": { "response": { "got": { "differs": "red" } } } }),
            json!({ "id": "full_when_many", "when": { "request": { "n": { "gt": 2 } } }, "require": { "response": { "cov": ["full", "partial"] } } }),
            json!({ "id": "named", "require": { "response": { "rs": { "present": true } } } }),
        ];
        let names = ["kind_of_the_route", "never_red", "full_when_many", "named"];
        let first = dice.below(all.len());
        let last = first + 1 + dice.below(all.len() - first);
        port["check"] = json!(all[first..last]);
        breaches.extend(&names[first..last]);
    }
    if dice.chance(35) {
        let first = dice.below(3);
        let last = first + 1 + dice.below(3 - first);
        let on = &["timeout", "failed", "contract"][first..last];
        port["retry"] = json!({ "max": dice.below(3), "on": on });
    }
    if cfg!(feature = "contracts") && dice.chance(25) {
        let port = &mut documents[2].1["port"]["run"];
        if dice.chance(70) {
            port["contract"]["response"] = "got".into();
            breaches.push("schema");
            let got = json!({ "type": "object", "properties": { "got": { "$ref": "kinds.json#/$defs/kind" } } });
            documents.push(("contracts/got".into(), got));
            let kinds = json!({ "$defs": { "kind": { "enum": ["red", "green"] } } });
            documents.push(("contracts/kinds".into(), kinds));
        } else {
            port["contract"]["request"] = "noted".into();
            documents.push(("contracts/noted".into(), json!({ "type": "object", "required": ["note"] })));
        }
    }
    let classes = documents.iter_mut().filter_map(|(_, document)| document.get_mut("trigger")?.as_array_mut());
    for trigger in classes.flatten().filter(|trigger| trigger["event"] == "run.failed") {
        if dice.chance(40) {
            let breach = *dice.pick(&breaches);
            let test = dice.pick(&[json!(breach), json!({ "differs": breach }), json!({ "present": true })]).clone();
            trigger["entry"] = json!({ "outcome": { "breach": test } });
        }
    }
}
