//! One class of a random pack: mostly one that loading admits.

use serde_json::{Map, Value as Json, json};

use super::Dice;
use super::packs::FIELDS;

/// Writes one class.
pub struct Maker<'a> {
    dice: &'a mut Dice,
    boundary: bool,
    /// Whether the signal `kind` can be ambiguous.
    ambiguous: bool,
    depth: &'static [&'static str],
    depth_name: &'static str,
    forbid: Vec<&'static str>,
    keep: Vec<&'static str>,
    fate: &'static str,
    /// Whether `fields` leaves some fields of the carried frames out.
    narrow: bool,
    /// Whether it takes outcomes, or text, or picks.
    on: &'static str,
}

impl<'a> Maker<'a> {
    /// A class that may read and write what its carryover, chosen here, allows.
    pub fn new(dice: &'a mut Dice, boundary: bool, ambiguous: bool) -> Self {
        let depths: [(&str, &[&str]); 4] =
            [("full", &["root", "object"]), ("root_only", &["root"]), ("object_only", &["object"]), ("none", &[])];
        let (depth_name, depth) = if boundary { depths[0] } else { *dice.pick(&depths) };
        let mut forbid = Vec::new();
        let mut keep = Vec::new();
        for frame in ["root", "object"] {
            if !depth.contains(&frame) && !boundary {
                match dice.below(3) {
                    0 => forbid.push(frame),
                    1 => keep.push(frame),
                    _ => {}
                }
            }
        }
        if !boundary && dice.chance(15) {
            let fields = [("root", "root.kind"), ("object", "object.ref")];
            forbid.extend(fields.iter().filter(|(frame, _)| depth.contains(frame)).map(|(_, path)| *path));
        }
        let fate = if boundary { "keep" } else { *dice.pick(&["keep", "clear", "use"]) };
        let on = if boundary {
            "boundary"
        } else {
            *dice.pick(&["utterance", "utterance", "utterance", "utterance", "pick", "outcome"])
        };
        let narrow = !boundary && !depth.is_empty() && dice.chance(15);
        Self { dice, boundary, ambiguous, narrow, depth, depth_name, forbid, keep, fate, on }
    }

    fn readable(&self, frame: &str, field: &str) -> bool {
        if self.narrow && matches!(field, "note" | "tags" | "once") {
            return false;
        }
        if self.forbid.contains(&format!("{frame}.{field}").as_str()) {
            return false;
        }
        match frame {
            "gate" => true,
            "quiz" => self.fate == "use",
            frame => self.depth.contains(&frame),
        }
    }

    /// The class.
    pub fn class(&mut self, id: &str) -> Json {
        let triggers = self.triggers();
        let mut effects = self.effects(3, false);
        let mut class = json!({
            "id": id, "name": id.to_lowercase(), "title": id, "owner": "own", "doc": "d",
            "trigger": triggers, "requires": {}, "entry": {},
        });
        if !self.boundary {
            if self.dice.chance(45) {
                class["requires"] = self.condition("requires");
                if self.dice.chance(60) {
                    class["unmet"] = json!({ "reason": format!("unmet_{id}") });
                }
            }
            if self.dice.chance(35) {
                class["entry"] = self.condition("entry");
            }
        }
        if self.dice.chance(55) {
            let mut call = json!({ "call": "run", "id": "a", "with": self.arguments(), "keep": { "kept": "$gate.n" } });
            if self.dice.chance(40) {
                call["when"] = self.condition("do");
            }
            effects.push(call);
            if self.dice.chance(30) {
                effects.push(json!({ "call": "run", "id": "b", "with": self.arguments() }));
            }
            class["settle"] = self.settle();
        }
        if self.dice.chance(20) {
            let what = self.value("text?", "with");
            effects.push(json!({ "call": "audit", "id": "note", "with": { "what": what } }));
        }
        if self.dice.chance(60) || self.boundary {
            let what = if self.boundary { json!("$reason") } else { self.value("text?", "with") };
            effects.push(json!({ "emit": "say", "with": { "what": what } }));
        }
        class["do"] = Json::Array(effects);
        class["carryover"] = self.carryover();
        class["answer"] = self.answer();
        class["never"] =
            if self.dice.chance(25) && !self.boundary { json!([self.condition("never")]) } else { json!([]) };
        if self.dice.chance(50) {
            class["ignores"] = json!(["tone"]);
        }
        class
    }

    fn carryover(&mut self) -> Json {
        let mut preserve = Vec::new();
        if self.dice.chance(30) {
            let fields: Vec<_> = FIELDS
                .iter()
                .filter(|(frame, field, _)| self.depth.contains(frame) && self.readable(frame, field))
                .collect();
            if !fields.is_empty() {
                let (frame, field, _) = self.dice.pick(&fields);
                let path = format!("{frame}.{field}");
                preserve.push(match self.dice.below(3) {
                    0 => json!({ "field": path, "unless": "input.kind" }),
                    1 => json!({ "field": path, "equals": format!("$before.{path}") }),
                    _ => json!(path),
                });
            }
        }
        let mut carryover = json!({ "depth": self.depth_name, "keep": self.keep, "forbid": self.forbid,
            "preserve": preserve, "fate": { "quiz": self.fate } });
        if self.narrow {
            let fields =
                FIELDS.iter().filter(|(frame, field, _)| self.depth.contains(frame) && self.readable(frame, field));
            carryover["fields"] = fields.map(|(frame, field, _)| format!("{frame}.{field}")).collect();
        }
        carryover
    }

    fn triggers(&mut self) -> Vec<Json> {
        let mut all = Vec::new();
        if self.boundary {
            if self.dice.chance(50) {
                all.push(json!({ "event": "run.failed", "base": *self.dice.pick(&["before", "selected"]), "reason": "failed" }));
            }
            if self.dice.chance(40) {
                let mut trigger = self.utterance();
                trigger["reason"] = json!("own");
                all.push(trigger);
            }
            all.push(json!({ "event": "boundary" }));
            return all;
        }
        match self.on {
            "pick" => all.push(json!({ "event": "pick" })),
            "outcome" => {
                let event = *self.dice.pick(&["outcome", "run.ok", "run.failed"]);
                let mut trigger = json!({ "event": event, "base": *self.dice.pick(&["before", "selected"]) });
                if self.dice.chance(60) {
                    trigger["entry"] = json!({ "outcome": { "cov": *self.dice.pick(&["full", "blocked"]) } });
                }
                all.push(trigger);
            }
            _ => {
                all.push(self.utterance());
                if self.dice.chance(40) {
                    let mut second = self.utterance();
                    if self.dice.chance(50) {
                        second["requires"] = self.condition("requires");
                    }
                    all.push(second);
                }
            }
        }
        all
    }

    fn utterance(&mut self) -> Json {
        let alternatives = [
            (json!({ "phrase": "alpha [beta]" }), "alpha"),
            (json!({ "phrase": "(alpha|gamma) {kind}", "tag": "first" }), "gamma blue"),
            (json!({ "phrase": "{kind}", "whole": true, "tag": "second" }), "please green one"),
            (json!({ "phrase": "gamma", "starts": true, "set": { "tone": "angry" } }), "gamma"),
            (json!({ "pattern": "om[a-z]+" , "set": { "kind": "blue" } }), "omega"),
            (json!({ "signal": "kind" }), "blue"),
            (json!({ "signal": "when" }), "march 2020"),
            (json!({ "signal": "marks", "is": ["red", "blue"] }), "mark red"),
            (json!({ "signal": "tone", "is": ["calm"] }), ""),
            (json!({ "signal": "kind", "ambiguous": true }), "red blue"),
        ];
        let mut trigger = json!({ "event": "utterance", "examples": [], "counterexamples": [] });
        let mut examples: Vec<Json> = Vec::new();
        if self.dice.chance(90) {
            let count = 1 + self.dice.below(3);
            let mut any: Vec<Json> = Vec::new();
            for _ in 0..count {
                let possible = if self.ambiguous { &alternatives[..] } else { &alternatives[..alternatives.len() - 1] };
                let (alternative, example) = self.dice.pick(possible);
                if !any.contains(alternative) {
                    any.push(alternative.clone());
                    if !example.is_empty() {
                        examples.push(json!(example));
                    }
                }
            }
            trigger["examples"] = Json::Array(examples);
            trigger["any"] = Json::Array(any);
        } else {
            trigger["examples"] = json!(["anything"]);
        }
        trigger
    }

    /// Paths that a condition may test at a place, with their kinds.
    fn testable(&self, place: &str) -> Vec<(Vec<&'static str>, &'static str)> {
        let mut found: Vec<(Vec<&'static str>, &'static str)> = Vec::new();
        for (frame, field, kind) in FIELDS {
            let free = matches!(place, "requires" | "entry" | "never");
            if free || self.readable(frame, field) {
                found.push((vec![frame, field], kind));
            }
            if place == "never" {
                found.push((vec!["before", frame, field], kind));
            }
        }
        if matches!(place, "entry" | "do" | "never") && matches!(self.on, "utterance" | "pick") {
            found.push((vec!["input", "kind"], "kind?"));
            if self.on == "utterance" {
                for (name, kind) in [
                    ("when", "period?"),
                    ("marks", "kinds?"),
                    ("route", "route?"),
                    ("asked", "id?"),
                    ("seen", "kinds?"),
                    ("missing", "anchors?"),
                ] {
                    found.push((vec!["input", name], kind));
                }
                found.push((vec!["input", "kind", "ambiguous"], "bool"));
                found.push((vec!["input", "when", "partial"], "bool"));
            }
        }
        if matches!(place, "settle") {
            found.push((vec!["outcome", "cov"], "cov?"));
            found.push((vec!["outcome", "status"], "ended"));
            found.push((vec!["outcome", "got"], "kind?"));
        }
        if place == "never" {
            found.push((vec!["answer", "claims"], "claims?"));
        }
        found
    }

    fn condition(&mut self, place: &str) -> Json {
        let paths = self.testable(place);
        let (path, kind) = self.dice.pick(&paths).clone();
        let mut condition = self.test(kind);
        for name in path.iter().rev() {
            condition = json!({ *name: condition });
        }
        match self.dice.below(6) {
            0 => json!({ "not": condition }),
            1 => json!({ "any": [condition, self.condition(place)] }),
            2 => json!({ "all": [condition, self.condition(place)] }),
            _ => condition,
        }
    }

    fn test(&mut self, kind: &str) -> Json {
        let words: &[&str] = match kind.trim_end_matches('?') {
            "status" => &["none", "active", "done"],
            "kind" | "kinds" | "tries" => &["red", "green", "blue"],
            "cov" => &["full", "partial", "blocked"],
            "ended" => &["ok", "failed", "timeout"],
            "claims" => &["nothing", "limited", "confirmed"],
            "route" => &["r1", "r2"],
            "anchors" => &["when", "note"],
            _ => &[],
        };
        if kind.ends_with('?') && self.dice.chance(40) {
            return json!({ "present": self.dice.chance(50) });
        }
        match kind.trim_end_matches('?') {
            "int" => {
                let bound = self.dice.below(3);
                self.dice
                    .pick(&[json!(bound), json!({ "gt": bound }), json!({ "lte": bound }), json!({ "gte": "%bound" })])
                    .clone()
            }
            "bool" => json!(self.dice.chance(50)),
            "texts" => self
                .dice
                .pick(&[
                    json!({ "empty": true }),
                    json!({ "size": 1 }),
                    json!({ "size": { "gt": 1 } }),
                    json!({ "contains": "x1" }),
                ])
                .clone(),
            "kinds" | "anchors" => {
                let word = *self.dice.pick(words);
                let other =
                    if kind == "kinds?" && self.readable("root", "tags") { json!("$root.tags") } else { json!([word]) };
                let op = *self.dice.pick(&["subset_of", "same_set", "disjoint"]);
                self.dice
                    .pick(&[
                        json!({ "contains": word }),
                        json!({ "empty": false }),
                        json!({ "size": 1 }),
                        json!({ op: [word] }),
                        json!({ "exists": { "value": word } }),
                        json!({ "every": { "value": { "not": word } } }),
                        json!({ "exists": { "value": { "in": if kind == "kinds?" { other.clone() } else { json!([word]) } } } }),
                        json!({ "covered_by": [[word], other] }),
                    ])
                    .clone()
            }
            "tries" => {
                let word = *self.dice.pick(words);
                self.dice
                    .pick(&[
                        json!({ "contains": word }),
                        json!({ "exists": { "key": word, "value": { "gt": 1 } } }),
                        json!({ "count": { "where": { "value": { "gte": 1 } }, "gt": 0 } }),
                        json!({ "empty": true }),
                    ])
                    .clone()
            }
            "period" => self.dice.pick(&[json!("2020-03"), json!({ "differs": "2021-04" })]).clone(),
            "text" | "id" | "once" => {
                self.dice.pick(&[json!("x1"), json!({ "differs": "x2" }), json!({ "not": "x1" })]).clone()
            }
            "kind" if self.readable("root", "tags") && self.dice.chance(20) => json!({ "in": "$root.tags" }),
            _ => {
                let (one, two) = (*self.dice.pick(words), *self.dice.pick(words));
                self.dice
                    .pick(&[
                        json!(one),
                        json!([one, two]),
                        json!({ "not": one }),
                        json!({ "differs": one }),
                        json!({ "in": [one, two] }),
                    ])
                    .clone()
            }
        }
    }

    /// A value for a field of a kind.
    fn value(&mut self, kind: &str, place: &str) -> Json {
        let bare = kind.trim_end_matches('?');
        let mut paths: Vec<String> = Vec::new();
        for (frame, field, of) in FIELDS {
            let fits = of.trim_end_matches('?') == bare
                || bare == "text" && matches!(of, "kind?" | "int" | "id?" | "status" | "period?");
            if fits && self.readable(frame, field) {
                let plain = !of.ends_with('?') && self.dice.chance(40);
                paths.push(format!("${frame}.{field}{}", if plain { "" } else { "?" }));
                if self.dice.chance(30) {
                    paths.push(format!("$before.{frame}.{field}?"));
                }
            }
        }
        if place == "settle" {
            match bare {
                "id" | "text" => paths.push("$outcome.rs?".into()),
                "kind" => paths.push("$outcome.got?".into()),
                "int" if self.dice.chance(20) => paths.push("$outcome.kept.kept?".into()),
                _ => {}
            }
        } else if self.on == "utterance" || self.on == "pick" {
            match bare {
                "kind" => paths.push("$input.kind?".into()),
                "period" if self.on == "utterance" => paths.push("$input.when?".into()),
                "kinds" if self.on == "utterance" => paths.push("$input.marks?".into()),
                "route" if self.on == "utterance" => paths.push("$input.route?".into()),
                "id" if self.on == "pick" => paths.push("$input.ref?".into()),
                "id" => paths.push("$input.asked?".into()),
                "text" => paths.push("$input.kind?".into()),
                _ => {}
            }
        }
        let literal = match bare {
            "status" => json!(*self.dice.pick(&["none", "active", "active", "done"])),
            "kind" => json!(*self.dice.pick(&["red", "green", "blue"])),
            "int" => json!(self.dice.below(4)),
            "kinds" => self.dice.pick(&[json!(["red"]), json!(["green", "blue"]), json!([])]).clone(),
            "period" => json!(*self.dice.pick(&["2020-03", "2019", "LAST_WEEK"])),
            "id" => self.dice.pick(&[json!("x1"), json!({ "new_id": "q" })]).clone(),
            "text" | "once" => json!(*self.dice.pick(&["x1", "x2"])),
            "texts" => self.dice.pick(&[json!([]), json!(["x1"])]).clone(),
            "route" => json!(*self.dice.pick(&["r1", "r2", "r3"])),
            "tries" => self.dice.pick(&[json!({ "red": 1 }), json!({ "green": 2, "blue": 1 })]).clone(),
            _ => unreachable!("no such kind: {kind}"),
        };
        let from = match bare {
            "kinds" => self.readable("root", "tags").then_some("$root.tags?"),
            "tries" => self.readable("object", "tries").then_some("$object.tries?"),
            _ => None,
        };
        if let Some(from) = from.filter(|_| self.dice.chance(30)) {
            let only = if bare == "tries" {
                json!({ "value": { "gt": self.dice.below(3) } })
            } else {
                let other =
                    if self.readable("root", "kind") { json!({ "differs": "$root.kind" }) } else { json!("red") };
                json!({ "value": other })
            };
            return json!({ "pick": from, "where": only });
        }
        if bare == "tries" && self.readable("root", "kind") && self.dice.chance(30) {
            return json!({ "[$root.kind?]": self.dice.below(4), "red": 1 });
        }
        if paths.is_empty() || self.dice.chance(40) {
            return literal;
        }
        let path = self.dice.pick(&paths).clone();
        match self.dice.below(8) {
            0 => json!({ "first": [path, literal] }),
            1 if bare == "text" => json!({ "join": [path, "x"], "sep": "-" }),
            _ => json!(path),
        }
    }

    fn effects(&mut self, most: usize, settles: bool) -> Vec<Json> {
        let place = if settles { "settle" } else { "do" };
        let count = self.dice.below(most + 1);
        let mut effects = Vec::new();
        for _ in 0..count {
            let fields: Vec<_> = FIELDS.iter().filter(|(frame, ..)| !(self.boundary && *frame == "quiz")).collect();
            let (frame, field, kind) = **self.dice.pick(&fields);
            let mut effect = match (kind, self.dice.below(5)) {
                ("texts", 0..=3) => {
                    let item = self.value("text", place);
                    json!({ *self.dice.pick(&["append", "append", "remove"]): { frame: { field: item } } })
                }
                ("kinds?", 0..=2) => {
                    let item = self.value("kind", place);
                    json!({ *self.dice.pick(&["append", "remove"]): { frame: { field: item } } })
                }
                ("tries", 0..=3) => json!({ "merge": { frame: { field: self.value(kind, place) } } }),
                ("int", 0..=2) => json!({ "increment": { frame: { field: 1 } } }),
                (_, 4) if self.dice.chance(50) => {
                    json!({ "clear": [if self.dice.chance(50) { frame.to_owned() } else { format!("{frame}.{field}") }] })
                }
                _ => json!({ "set": { frame: { field: self.value(kind, place) } } }),
            };
            if self.dice.chance(30) {
                effect["when"] = self.condition(place);
            }
            effects.push(effect);
        }
        if self.dice.chance(25) {
            let depth = *self.dice.pick(&["full", "root_only", "object_only", "none"]);
            effects.push(json!({ "set": { "gate": { "depth": depth } } }));
        }
        effects
    }

    fn arguments(&mut self) -> Json {
        let mut with = Map::new();
        for (name, kind) in [("route", "route?"), ("when", "period?"), ("n", "int"), ("note", "text?")] {
            if self.dice.chance(50) {
                with.insert(name.into(), self.value(kind, "with"));
            }
        }
        Json::Object(with)
    }

    fn settle(&mut self) -> Json {
        let mut rows = Vec::new();
        if self.dice.chance(80) {
            let when =
                if self.dice.chance(50) { json!({ "outcome": { "cov": "full" } }) } else { self.condition("settle") };
            let mut effects = self.effects(2, true);
            if self.dice.chance(25) {
                // It can go on for ever, where the outcome says so.
                effects.push(json!({ "when": { "outcome": { "got": "red" } }, "call": "run", "id": "c", "with": {} }));
                rows.push(json!({ "on": "c", "when": { "outcome": { "got": "red" } }, "do": [
                    { "when": { "outcome": { "got": "red" } }, "call": "run", "id": "d", "with": {} } ] }));
            }
            rows.push(json!({ "on": "a", "when": when, "do": effects }));
        }
        if self.dice.chance(30) {
            rows.push(json!({ "on": "a", "when": { "outcome": { "cov": "partial" } }, "do": self.effects(2, true) }));
        }
        Json::Array(rows)
    }

    fn answer(&mut self) -> Json {
        let modes = ["yes", "maybe", "no"];
        if self.boundary || self.dice.chance(50) {
            return json!({ "mode": if self.boundary { "no" } else { *self.dice.pick(&modes) } });
        }
        if self.readable("root", "status") && self.dice.chance(40) {
            return json!({ "by": { "root": { "status": { "none": "no", "active": "yes", "done": "maybe" } } } });
        }
        let when = json!({ "gate": { "n": { "gt": self.dice.below(3) } } });
        json!({ "row": [{ "when": when, "mode": "yes" }, { "when": { "not": when }, "mode": *self.dice.pick(&modes) }] })
    }
}
