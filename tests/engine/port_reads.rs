//! Texts in answers of ports that the lexicon reads: what they are read as, what is unread, what a reading may name. Every step is taken by
//! the engine and by the reference evaluator.

use serde_json::{Value as Json, json};

use crate::support::pair::Pair;
use crate::support::tiny::Tiny;
use crate::support::{self, load, loaded};
use segue::engine::{Event, Step};
use segue::model::Status;
use segue::registry::Registry;

struct Talk<'r> {
    pair: Pair<'r>,
    registry: &'r Registry,
}

impl<'r> Talk<'r> {
    /// A session in which class `A` has just asked.
    fn new(registry: &'r Registry) -> Self {
        let mut talk = Self { pair: Pair::new(registry), registry };
        let event = Event::input(registry, "utterance", &json!({ "text": "a" }), &json!({})).expect("an event");
        talk.take(&event);
        talk
    }

    fn take(&mut self, event: &Event) -> Step {
        self.pair.step(event).unwrap_or_else(|difference| panic!("{difference}")).expect("a step")
    }

    fn answered(&mut self, value: Json) -> (Step, Json) {
        let event = Event::Outcome { call: "call-1".into(), status: Status::Ok, value: Some(value), error: None };
        let step = self.take(&event);
        let found = support::pair::fields_json(self.registry.pack(), &step.state)["found"].clone();
        (step, found)
    }
}

/// A port that finds texts for what was asked: `day` is a period, `tone` a colour, `rest` anything.
fn reader() -> Registry {
    let mut tiny = Tiny::new(&[("A", json!({}))]);
    let asked = json!([{ "id": "day", "kind": "PERIOD" }, { "id": "tone", "kind": "COLOUR" }, { "id": "rest", "kind": "OTHER" }]);
    let text = json!({ "map": { "key": { "type": "id" }, "value": { "type": "text" } }, "max": 4 });
    let mut stands = text.clone();
    stands["default"] = json!({});
    tiny.classes[0]["do"] = json!([{ "call": "find", "id": "q", "with": { "wishes": asked } }]);
    tiny.classes[0]["settle"] = json!([{ "on": "q", "when": { "outcome": { "status": "ok" } },
        "do": [{ "set": { "found": { "heard": "$outcome.heard", "unheard": "$outcome.unheard?" } } }] }]);
    tiny.boundary["trigger"] =
        json!([{ "event": "find.failed", "base": "before", "reason": "went_wrong" }, { "event": "boundary" }]);
    tiny.add(json!({
        "type": { "Wish": { "doc": "d", "field": { "id": { "type": "id" }, "kind": { "enum": ["PERIOD", "COLOUR", "OTHER"] } } } },
        "frame": { "found": { "owner": "own", "doc": "d", "field": { "heard": stands,
            "unheard": { "list": { "type": "id" }, "max": 2, "default": [] },
            "span": { "type": "date_range", "default": "1999" } } } },
        "part": { "month": { "values": { "03": ["march", "март"], "04": ["april"] } }, "year": { "pattern": "20[0-9]{2}" } },
        "signal": {
            "day": { "type": "date_range", "doc": "d", "complete": { "year": ["$found.span", "$env.today"] },
                "rule": [ { "phrase": "{month} {year}", "value": "{year}-{month}" }, { "phrase": "{month}", "value": "{year}-{month}" },
                    { "phrase": "last week", "value": "LAST_WEEK" } ] },
            "colour": { "enum": "kind", "many": "last", "doc": "d", "values": { "red": ["red", "rouge"], "green": ["green"] } },
        },
        "lexicon": { "filler": ["in", "please"] },
        "command": { "new": ["/new"] },
        "port": { "find": {
            "request": { "wishes": { "list": { "record": "Wish" }, "max": 4, "unique": "id" } },
            "response": { "heard": text, "unheard": { "list": { "type": "id" }, "max": 2, "optional": true } },
            "read": [{ "values": "heard", "asked": "wishes", "id": "id", "expects": "kind",
                "as": { "PERIOD": "day", "COLOUR": "colour" }, "unread": "unheard" }],
            "doc": "d",
        } },
    }));
    loaded(&tiny.files())
}

#[test]
fn texts_of_an_answer_are_read_as_what_was_asked_for() {
    let registry = reader();
    // The answer, what is found in it, what is not.
    for (answer, heard, unheard) in [
        (
            json!({ "day": "in March 2020, please", "tone": "rouge" }),
            json!({ "day": "2020-03", "tone": "red" }),
            json!([]),
        ),
        // A value that is written out stands; a relative period keeps its name.
        (json!({ "day": "2020-03-05", "tone": "green" }), json!({ "day": "2020-03-05", "tone": "green" }), json!([])),
        (json!({ "day": "Last week." }), json!({ "day": "LAST_WEEK" }), json!([])),
        (json!({ "day": "LAST_WEEK" }), json!({ "day": "LAST_WEEK" }), json!([])),
        // What a value lacks comes from the environment, not from the state.
        (json!({ "day": "март" }), json!({ "day": "2021-03" }), json!([])),
        // Something beside it, something else, two values, nothing but fillers, a command: no value.
        (json!({ "day": "march 2020 or so" }), json!({}), json!(["day"])),
        (json!({ "day": "march 2020 red" }), json!({}), json!(["day"])),
        (json!({ "day": "march 2020 april 2020" }), json!({}), json!(["day"])),
        (json!({ "day": "please", "tone": "" }), json!({}), json!(["day", "tone"])),
        (json!({ "day": "/new march 2020" }), json!({}), json!(["day"])),
        (json!({ "day": "2020-13" }), json!({}), json!(["day"])),
        // Said again it is the same; of two the signal takes the last.
        (
            json!({ "day": "last week, last week", "tone": "red green" }),
            json!({ "day": "LAST_WEEK", "tone": "green" }),
            json!([]),
        ),
        // What no signal reads, and what nobody asked for, is kept as it is said.
        (json!({ "rest": "march or so", "other": "any" }), json!({ "rest": "march or so", "other": "any" }), json!([])),
    ] {
        let (_, found) = Talk::new(&registry).answered(json!({ "heard": answer }));
        assert_eq!((&found["heard"], &found["unheard"]), (&heard, &unheard), "{answer}");
    }
}

#[test]
fn what_is_not_read_joins_what_was_not_found_once_and_never_too_many() {
    let registry = reader();
    let answer = |unheard: Json| {
        let heard = json!({ "day": "some day", "rest": "x" });
        let (step, found) = Talk::new(&registry).answered(json!({ "heard": heard, "unheard": unheard }));
        (
            step.breach.map(|breach| registry.pack().names.text(breach).to_owned()),
            found["unheard"].clone(),
            step.read.len(),
        )
    };
    assert_eq!(answer(json!(["tone"])), (None, json!(["tone", "day"]), 1));
    assert_eq!(answer(json!(["day"])), (None, json!(["day"]), 1));
    assert_eq!(answer(json!(["tone", "x"])), (Some("type".into()), json!([]), 0), "nothing of it is read");
}

#[test]
fn a_reading_names_what_is_there() {
    let found = |from: &str, to: &str| {
        let mut tiny = Tiny::new(&[("A", json!({}))]);
        let mut port = json!({ "read": [{ "values": "ids", "asked": "ids", "id": "id", "expects": "kind", "as": { "x": "kind" }, "unread": "left" }] });
        port = serde_json::from_str(&port.to_string().replace(from, to)).expect("JSON");
        tiny.add(json!({ "port": { "other": { "request": { "ids": { "list": { "record": "Wish" }, "max": 3 }, "text": { "type": "text" } },
            "response": { "ids": { "set": { "type": "text" }, "max": 3, "optional": true }, "left": { "set": { "type": "text" }, "max": 3, "optional": true },
                "words": { "map": { "key": { "type": "text" }, "value": { "type": "text" } }, "max": 3 } },
            "read": port["read"], "doc": "d" } },
            "type": { "Wish": { "doc": "d", "field": { "id": { "type": "text" }, "kind": { "enum": ["x", "y"] } } } },
            "signal": { "kind": { "enum": "kind", "doc": "d", "values": { "red": ["red"] } } } }));
        load(&tiny.files()).err().unwrap_or_default()
    };
    assert_eq!(found("\"ids\",\"asked", "\"words\",\"asked"), "");
    for (from, to, said) in [
        ("", "", "expected a map from text to text, found a set"),
        ("\"values\":\"ids\"", "\"values\":\"wrods\"", "the answer has no field `wrods`"),
        ("\"asked\":\"ids\"", "\"asked\":\"text\"", "expected a list of records, found text"),
        ("\"id\":\"id\"", "\"id\":\"di\"", "the record type `Wish` has no field `di`"),
        ("\"expects\":\"kind\"", "\"expects\":\"id\"", "expected an enum, found text"),
        ("{\"x\":\"kind\"}", "{\"z\":\"kind\"}", "there is no value `z`"),
        ("{\"x\":\"kind\"}", "{\"x\":\"knd\"}", "there is no recognised signal `knd`"),
    ] {
        let all = found(from, to);
        assert!(all.contains(said), "{said}: {all}");
    }
}
