//! A tiny pack around the classes that a test is about: class `A` takes the text `a`, `B` takes `b`, and so on.

use serde_json::{Map, Value as Json, json};

use segue::declare::SourceText;

use super::packs::{Documents, as_toml};

/// The pack as it is put together.
pub struct Tiny {
    /// Its classes but for the boundary.
    pub classes: Vec<Json>,
    /// The boundary class, `Z`.
    pub boundary: Json,
    /// The chain of precedence.
    pub chain: Vec<String>,
    /// The manifest's bound on steps.
    pub step_limit: u32,
    /// What an input does while calls are open.
    pub while_open: &'static str,
    more: Vec<Json>,
}

impl Tiny {
    /// A pack of these classes, the first precedes the second and so on. What a class leaves out is "nothing".
    pub fn new(classes: &[(&str, Json)]) -> Self {
        let mut chain: Vec<String> = classes.iter().map(|(id, _)| (*id).to_owned()).collect();
        chain.push("Z".into());
        let mut boundary = class("Z", &json!({ "trigger": [{ "event": "boundary" }], "answer": { "mode": "no" } }));
        boundary["do"] = json!([{ "emit": "say", "with": { "what": "$reason" } }]);
        Self {
            classes: classes.iter().map(|(id, parts)| class(id, parts)).collect(),
            boundary,
            chain,
            step_limit: 16,
            while_open: "cancel",
            more: Vec::new(),
        }
    }

    /// Adds sections.
    pub fn add(&mut self, sections: Json) {
        if sections.as_object().is_none_or(|sections| !sections.is_empty()) {
            self.more.push(sections);
        }
    }

    /// The pack as documents.
    pub fn documents(&self) -> Documents {
        let manifest = json!({
            "pack": { "id": "tiny", "title": "Tiny", "aggregate": "session", "owner": ["own"], "precedence": [self.chain],
                "step_limit": self.step_limit, "while_open": self.while_open },
            "carryover": { "universe": ["root"], "limit": "gate.depth", "depth": { "full": ["root"], "none": [] } },
            "enum": { "status": ["none", "active", "done"], "depth": ["full", "none"], "kind": ["red", "green"] },
            "relative": { "LAST_WEEK": { "unit": "week", "offset": -1, "length": 1 } },
            "frame": {
                "root": { "owner": "own", "doc": "d", "field": {
                    "status": { "enum": "status", "default": "none" }, "kind": { "enum": "kind", "optional": true },
                    "hits": { "type": "int", "default": 0 },
                    "log": { "list": { "type": "text" }, "max": 3, "default": [] },
                    "once": { "type": "text", "optional": true, "set_once": true } } },
                "gate": { "owner": "own", "doc": "d", "field": { "depth": { "enum": "depth", "optional": true },
                    "n": { "type": "int", "default": 0 }, "note": { "type": "text", "optional": true } } },
            },
            "event": { "utterance": { "text": "text", "field": { "text": { "type": "text" } }, "doc": "d" } },
            "port": {
                "run": { "request": {}, "response": { "again": { "type": "bool", "optional": true } }, "doc": "d" },
                "report": { "request": { "periods": { "list": { "type": "date_range" }, "max": 3 } }, "response": {}, "doc": "d" },
            },
            "message": { "say": { "channel": "ui", "text": "{what}",
                "field": { "what": { "type": "text", "optional": true } }, "doc": "d" } },
            "answer_mode": { "yes": { "claims": "confirmed", "doc": "d" }, "no": { "claims": "nothing", "doc": "d" } },
        });
        let mut documents: Documents = vec![("pack".into(), manifest)];
        documents.extend(self.more.iter().enumerate().map(|(at, more)| (format!("more{at}"), more.clone())));
        for class in self.classes.iter().chain([&self.boundary]) {
            documents.push((class["id"].as_str().expect("a text").to_owned(), class.clone()));
        }
        documents
    }

    /// The pack as TOML files.
    pub fn files(&self) -> Vec<SourceText> {
        as_toml(&self.documents())
    }
}

fn class(id: &str, parts: &Json) -> Json {
    let text = id.to_lowercase();
    let mut class = json!({
        "id": id, "name": text, "title": id, "owner": "own", "doc": "d",
        "trigger": [{ "event": "utterance", "any": [{ "phrase": text, "whole": true }], "examples": [text], "counterexamples": [] }],
        "requires": {}, "entry": {},
        "carryover": { "depth": "full", "keep": [], "forbid": [], "preserve": [] },
        "do": [], "answer": { "mode": "no" }, "never": [],
    });
    for (name, part) in parts.as_object().expect("a table") {
        class[name.as_str()] = part.clone();
    }
    class
}

/// The same with dots in keys taken apart, as files may write them.
pub fn nested(json: &Json) -> Json {
    match json {
        Json::Array(items) => Json::Array(items.iter().map(nested).collect()),
        Json::Object(members) => {
            let mut table = Json::Object(Map::new());
            for (key, value) in members {
                let at = key.split('.').fold(&mut table, |at, piece| &mut at[piece]);
                *at = nested(value);
            }
            table
        }
        other => other.clone(),
    }
}
