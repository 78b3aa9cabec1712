//! Rules of keyed frames, one test for each sentence of the pages; every step is taken by the engine and by the reference evaluator.

use serde_json::{Value as Json, json};

use crate::support::pair::{Pair, Shown, instances, shown};
use crate::support::tiny::Tiny;
use crate::support::{self, load, loaded};
use segue::audit::{Config, Scope, audit};
use segue::diag::Code;
use segue::engine::{Event, IdSource, Step, StepError};
use segue::model::Status;
use segue::registry::Registry;
use segue::state::SessionState;

/// What a class says of what it sees: `known/open/closed_as/open_count/only`, then the fields.
fn tells() -> Json {
    let facts = ["known", "open", "closed_as", "open_count", "only", "key", "note", "step"];
    let each: Vec<String> = facts.iter().map(|fact| format!("$claim.{fact}?")).collect();
    json!({ "emit": "say", "with": { "what": { "join": each, "sep": " " } } })
}

/// A class that the event `on` with its id sets off, and that binds the key which comes with it.
fn class(parts: Json) -> Json {
    let mut class = json!({ "bind": { "claim": "$input.at?" } });
    for (name, part) in parts.as_object().expect("a table") {
        class[name.as_str()] = part.clone();
    }
    if class["bind"].is_null() {
        class.as_object_mut().expect("a table").remove("bind");
    }
    class
}

/// A pack with a keyed frame `claim`: at most two open, two tombstones, unless `keyed` says otherwise.
fn tiny(classes: &[(&str, Json)], keyed: Json) -> Tiny {
    let classes: Vec<(&str, Json)> = classes
        .iter()
        .map(|(id, parts)| {
            let mut class = class(parts.clone());
            if class.get("trigger").is_none() {
                class["trigger"] = json!([{ "event": "on", "entry": { "input": { "id": id } } }]);
            }
            (*id, class)
        })
        .collect();
    let mut tiny = Tiny::new(&classes);
    let mut options = json!({ "prefix": "c", "max_open": 2, "keep_closed": 2, "closed_as": ["done", "failed"] });
    for (name, value) in keyed.as_object().expect("a table") {
        options[name.as_str()] = value.clone();
    }
    tiny.add(json!({
        "frame": { "claim": { "owner": "own", "doc": "d", "keyed": options, "field": {
            "about": { "type": "text" }, "note": { "type": "text", "optional": true }, "step": { "type": "int", "default": 1 },
            "once": { "type": "text", "optional": true, "set_once": true } },
            "invariant": [{ "id": "few", "then": { "claim": { "step": { "lte": 5 } } }, "repair": [{ "set": { "claim": { "step": 5 } } }] }] } },
        "event": { "on": { "field": { "id": { "type": "text" }, "at": { "key_of": "claim", "optional": true } }, "doc": "d" } },
    }));
    tiny
}

fn open(about: &str) -> Json {
    json!({ "open": "claim", "with": { "about": about } })
}

fn is_open() -> Json {
    json!({ "claim": { "open": true } })
}

fn closes() -> Json {
    json!({ "close": "claim", "as": "done" })
}

struct Talk<'r> {
    pair: Pair<'r>,
    registry: &'r Registry,
}

impl<'r> Talk<'r> {
    fn new(registry: &'r Registry) -> Self {
        Self { pair: Pair::new(registry), registry }
    }

    fn take(&mut self, event: &Event) -> Step {
        self.pair.step(event).unwrap_or_else(|difference| panic!("{difference}")).expect("a step")
    }

    fn shown(&mut self, event: &Event) -> Shown {
        let step = self.take(event);
        shown(self.registry.pack(), &step)
    }

    /// The class `id` is set off, with a key or without.
    fn on(&mut self, id: &str, key: Option<&str>) -> Shown {
        let payload = key.map_or_else(|| json!({ "id": id }), |key| json!({ "id": id, "at": key }));
        let event = Event::input(self.registry, "on", &payload, &json!({})).expect("an event");
        self.shown(&event)
    }

    fn ok(&mut self, call: &str) -> Shown {
        self.shown(&Event::Outcome { call: call.into(), status: Status::Ok, value: Some(json!({})), error: None })
    }

    fn fails(&mut self, call: &str) -> Shown {
        self.shown(&Event::Outcome { call: call.into(), status: Status::Timeout, value: None, error: None })
    }

    fn all(&self) -> Vec<String> {
        instances(self.registry.pack(), &self.pair.state)
    }
}

/// What the last message said.
fn said(shown: &Shown) -> &str {
    let message = shown.messages.last().expect("a message");
    let from = message.find("Some(\"").expect("a text") + 6;
    &message[from..message.len() - 2]
}

fn reasons(shown: &Shown) -> (&str, Vec<&str>) {
    (shown.class.as_deref().unwrap_or(""), shown.reasons.iter().map(String::as_str).collect())
}

/// A pack that opens (`O`), looks (`L`), changes (`S`) and closes (`X`).
fn usual(keyed: Json) -> Registry {
    loaded(&tiny(
        &[
            ("O", json!({ "bind": null, "do": [open("a"), tells()] })),
            ("L", json!({ "do": [tells()] })),
            ("S", json!({ "requires": is_open(), "do": [{ "set": { "claim": { "note": "n" } } }, { "increment": { "claim": { "step": 1 } } }, tells()] })),
            ("X", json!({ "requires": is_open(), "do": [closes(), tells()] })),
        ],
        keyed,
    )
    .files())
}

#[test]
fn where_nothing_is_bound_or_the_key_is_unknown_every_field_is_absent() {
    let registry = usual(json!({}));
    let mut talk = Talk::new(&registry);
    assert_eq!(said(&talk.on("L", None)), "false false 0");
    talk.on("O", None);
    assert_eq!(said(&talk.on("L", None)), "false false 1 c-1", "the count and the only one are current all the same");
    assert_eq!(said(&talk.on("L", Some("c-9"))), "false false 1 c-1");
}

#[test]
fn an_opened_instance_has_a_key_of_the_prefix_and_its_fields_as_given_or_at_their_defaults() {
    let registry = usual(json!({ "prefix": "claim" }));
    let mut talk = Talk::new(&registry);
    assert_eq!(said(&talk.on("O", None)), "true true 1 claim-1 claim-1 1");
    assert_eq!(talk.all(), ["claim claim-1 open \"a\" null null 1"]);
}

#[test]
fn a_class_reaches_the_instance_that_it_binds_and_no_other() {
    let registry = usual(json!({}));
    let mut talk = Talk::new(&registry);
    talk.on("O", None);
    talk.on("O", None);
    assert_eq!(said(&talk.on("S", Some("c-2"))), "true true 2 c-2 n 2");
    assert_eq!(talk.all(), ["claim c-1 open \"a\" null null 1", "claim c-2 open \"a\" \"n\" null 2"]);
}

#[test]
fn an_instance_that_has_ended_is_known_until_so_many_others_have_ended_after_it() {
    let registry = usual(json!({ "keep_closed": 1 }));
    let mut talk = Talk::new(&registry);
    talk.on("O", None);
    talk.on("O", None);
    assert_eq!(
        said(&talk.on("X", Some("c-2"))),
        "true false done 1 c-1 c-2 1",
        "it can be read to the end of the step"
    );
    assert_eq!(said(&talk.on("L", Some("c-2"))), "true false done 1 c-1 c-2 1");
    talk.on("X", Some("c-1"));
    assert_eq!(said(&talk.on("L", Some("c-2"))), "false false 0", "it was closed longest ago");
    assert_eq!(said(&talk.on("L", Some("c-1"))), "true false done 0 c-1 1");
    let registry = usual(json!({ "keep_closed": 0 }));
    let mut talk = Talk::new(&registry);
    talk.on("O", None);
    talk.on("X", Some("c-1"));
    assert!(talk.all().is_empty());
}

#[test]
fn a_class_that_requires_an_open_one_does_not_take_one_that_has_ended() {
    let registry = usual(json!({}));
    let mut talk = Talk::new(&registry);
    talk.on("O", None);
    talk.on("X", Some("c-1"));
    assert_eq!(reasons(&talk.on("X", Some("c-1"))), ("Z", vec!["no_transition"]));
    assert_eq!(reasons(&talk.on("S", Some("c-1"))), ("Z", vec!["no_transition"]));
}

#[test]
fn more_than_may_be_open_fails_verification_and_what_is_closed_first_does_not_count() {
    let moves = json!({ "requires": is_open(), "do": [open("b"), { "when": { "root": { "hits": 1 } }, "close": "claim", "as": "done" }] });
    let swaps = json!({ "requires": is_open(), "do": [closes(), open("b")] });
    let registry = loaded(
        &tiny(&[("O", json!({ "bind": null, "do": [open("a")] })), ("M", moves), ("W", swaps)], json!({})).files(),
    );
    let mut talk = Talk::new(&registry);
    talk.on("O", None);
    talk.on("O", None);
    assert_eq!(reasons(&talk.on("O", None)), ("Z", vec!["verification_failed"]));
    assert_eq!(reasons(&talk.on("M", Some("c-1"))), ("Z", vec!["verification_failed"]));
    assert_eq!(talk.all().len(), 2);
    assert_eq!(reasons(&talk.on("W", Some("c-1"))).0, "W");
    assert_eq!(
        talk.all(),
        ["claim c-2 open \"a\" null null 1", "claim c-5 open \"b\" null null 1", "claim c-1 done \"a\" null null 1"]
    );
}

#[test]
fn from_open_on_the_new_instance_is_the_bound_one_and_values_read_the_old_one() {
    let moves = json!({ "requires": is_open(), "do": [
        { "increment": { "claim": { "step": 2 } } },
        { "open": "claim", "with": { "about": { "first": ["$claim.note?", "none"] }, "note": "$claim.key" } },
        { "increment": { "claim": { "step": 1 } } },
        { "emit": "say", "with": { "what": { "join": ["$claim.key", "$claim.step", "$before.claim.key?", "$before.claim.step?"], "sep": " " } } },
    ] });
    let registry = loaded(&tiny(&[("O", json!({ "bind": null, "do": [open("a")] })), ("M", moves)], json!({})).files());
    let mut talk = Talk::new(&registry);
    talk.on("O", None);
    assert_eq!(said(&talk.on("M", Some("c-1"))), "c-2 2 c-1 1");
    assert_eq!(talk.all(), ["claim c-1 open \"a\" null null 3", "claim c-2 open \"none\" \"c-1\" null 2"]);
}

#[test]
fn of_a_new_instance_nothing_was_set_before() {
    let moves = json!({ "requires": is_open(), "do": [
        { "set": { "claim": { "once": "x" } } },
        { "open": "claim", "with": { "about": "b", "once": "x" } },
        { "set": { "claim": { "once": "y" } } },
    ] });
    let again = json!({ "requires": is_open(), "do": [{ "set": { "claim": { "once": "z" } } }] });
    let registry = loaded(
        &tiny(&[("O", json!({ "bind": null, "do": [open("a")] })), ("M", moves), ("A", again)], json!({})).files(),
    );
    let mut talk = Talk::new(&registry);
    talk.on("O", None);
    assert_eq!(reasons(&talk.on("M", Some("c-1"))).0, "M");
    assert_eq!(talk.all(), ["claim c-1 open \"a\" null \"x\" 1", "claim c-2 open \"b\" null \"y\" 1"]);
    assert_eq!(reasons(&talk.on("A", Some("c-2"))), ("Z", vec!["verification_failed"]));
}

#[test]
fn close_and_open_are_one_commit() {
    let swaps = json!({ "requires": is_open(), "do": [closes(), open("b")], "never": [{ "claim": { "about": "b" } }] });
    let registry = loaded(&tiny(&[("O", json!({ "bind": null, "do": [open("a")] })), ("W", swaps)], json!({})).files());
    let mut talk = Talk::new(&registry);
    talk.on("O", None);
    let before = talk.all();
    assert_eq!(reasons(&talk.on("W", Some("c-1"))), ("Z", vec!["verification_failed"]));
    assert_eq!(talk.all(), before);
}

#[test]
fn an_invariant_speaks_of_the_bound_instance_and_of_the_one_that_was_left_and_not_where_nothing_is_bound() {
    let six = json!({ "requires": is_open(), "do": [{ "increment": { "claim": { "step": 5 } } }] });
    let leaves = json!({ "requires": is_open(), "do": [{ "increment": { "claim": { "step": 5 } } }, open("b")] });
    let idle = json!({ "bind": null, "do": [] });
    let registry = loaded(
        &tiny(&[("O", json!({ "bind": null, "do": [open("a")] })), ("S", six), ("V", leaves), ("I", idle)], json!({}))
            .files(),
    );
    let mut talk = Talk::new(&registry);
    talk.on("O", None);
    assert_eq!(reasons(&talk.on("S", Some("c-1"))), ("Z", vec!["verification_failed"]));
    assert_eq!(reasons(&talk.on("V", Some("c-1"))), ("Z", vec!["verification_failed"]));
    assert_eq!(reasons(&talk.on("I", None)).0, "I");
}

#[test]
fn a_derived_signal_reads_the_instance_that_is_bound() {
    let mut tiny = tiny(
        &[
            ("O", json!({ "bind": null, "do": [{ "open": "claim", "with": { "about": "a", "note": "n" } }] })),
            ("L", json!({ "entry": { "input": { "noted": "n" } }, "do": [] })),
        ],
        json!({}),
    );
    tiny.add(json!({ "derive": { "noted": { "first_of": ["$claim.note"], "doc": "d" } } }));
    let registry = loaded(&tiny.files());
    let mut talk = Talk::new(&registry);
    talk.on("O", None);
    assert_eq!(reasons(&talk.on("L", Some("c-1"))).0, "L");
    assert_eq!(reasons(&talk.on("L", None)).0, "Z");
}

#[test]
fn a_bound_key_is_the_first_that_is_there() {
    let bind = json!({ "bind": { "claim": { "first": ["$input.at?", "$claim.only?"] } }, "do": [tells()] });
    let registry = loaded(&tiny(&[("O", json!({ "bind": null, "do": [open("a")] })), ("L", bind)], json!({})).files());
    let mut talk = Talk::new(&registry);
    assert_eq!(said(&talk.on("L", None)), "false false 0");
    talk.on("O", None);
    assert_eq!(said(&talk.on("L", None)), "true true 1 c-1 c-1 1");
    assert_eq!(said(&talk.on("L", Some("c-7"))), "false false 1 c-1", "an unknown key is a key");
    talk.on("O", None);
    assert_eq!(said(&talk.on("L", None)), "false false 2");
}

#[test]
fn a_whole_frame_that_is_preserved_opens_and_closes_nothing() {
    let carry = json!({ "depth": "full", "keep": [], "forbid": [], "preserve": ["claim"] });
    let opens = json!({ "bind": null, "do": [open("a")], "carryover": carry });
    let idle = json!({ "bind": null, "do": [], "carryover": carry });
    let registry = loaded(&tiny(&[("O", opens), ("I", idle)], json!({})).files());
    let mut talk = Talk::new(&registry);
    assert_eq!(reasons(&talk.on("O", None)), ("Z", vec!["verification_failed"]));
    assert_eq!(reasons(&talk.on("I", None)).0, "I");
}

/// A call that tells its own place: the pack `calls` has one class with these effects, and `X` which closes.
fn calls(effects: Json, settle: Json, while_open: &'static str) -> Registry {
    let mut tiny = tiny(
        &[
            ("O", json!({ "bind": null, "do": [open("a")] })),
            ("C", json!({ "requires": is_open(), "do": effects, "settle": settle, "answer": { "mode": "yes" } })),
            ("X", json!({ "requires": is_open(), "do": [closes()] })),
            (
                "T",
                json!({ "bind": null, "do": [{ "call": "run", "id": "own", "with": {} }], "settle": [{ "on": "own", "when": {}, "do": [] }] }),
            ),
        ],
        json!({}),
    );
    tiny.while_open = while_open;
    loaded(&tiny.files())
}

fn call() -> Json {
    json!({ "call": "run", "id": "go", "with": {} })
}

fn goes() -> Json {
    json!([{ "on": "go", "when": {}, "do": [tells()] }])
}

#[test]
fn a_call_belongs_to_the_instance_that_is_bound_and_open_at_its_place() {
    for (effects, owner) in [
        (json!([call()]), "[\"c-1\"]"),
        (json!([closes(), call()]), "[]"),
        (json!([call(), open("b")]), "[\"c-1\"]"),
        (json!([open("b"), call()]), "[\"c-2\"]"),
    ] {
        let registry = calls(effects, goes(), "cancel");
        let mut talk = Talk::new(&registry);
        talk.on("O", None);
        let shown = talk.on("C", Some("c-1"));
        assert!(shown.open[0].ends_with(owner), "{:?}", shown.open);
    }
}

#[test]
fn an_outcome_step_is_bound_to_the_instance_of_its_call() {
    let registry = calls(json!([call()]), goes(), "cancel");
    let mut talk = Talk::new(&registry);
    talk.on("O", None);
    talk.on("O", None);
    talk.on("C", Some("c-2"));
    assert_eq!(said(&talk.ok("call-1")), "true true 2 c-2 1");
    let registry = calls(json!([closes(), call()]), goes(), "cancel");
    let mut talk = Talk::new(&registry);
    talk.on("O", None);
    talk.on("C", Some("c-1"));
    assert_eq!(said(&talk.ok("call-1")), "false false 0", "a call of the turn binds nothing");
}

#[test]
fn closing_an_instance_closes_its_calls_whose_outcomes_are_stale() {
    let settle = json!([{ "on": "go", "when": {}, "do": [closes()] }, { "on": "too", "when": {}, "do": [] }]);
    let registry = calls(json!([call(), { "call": "run", "id": "too", "with": {} }]), settle, "cancel");
    let mut talk = Talk::new(&registry);
    talk.on("O", None);
    talk.on("C", Some("c-1"));
    let shown = talk.ok("call-1");
    assert_eq!((shown.closed.as_slice(), shown.answer.as_deref()), (["call-2".to_owned()].as_slice(), Some("yes")));
    assert_eq!(talk.ok("call-2").refused.as_deref(), Some("stale_outcome"));
}

#[test]
fn a_call_that_is_made_before_its_instance_is_closed_is_closed_at_once() {
    let registry = calls(json!([call(), closes()]), goes(), "cancel");
    let mut talk = Talk::new(&registry);
    talk.on("O", None);
    let shown = talk.on("C", Some("c-1"));
    assert_eq!((shown.calls.len(), shown.closed.as_slice()), (1, ["call-1".to_owned()].as_slice()));
    assert_eq!((shown.answer.as_deref(), shown.open.len()), (Some("yes"), 0));
}

#[test]
fn with_cancel_an_input_closes_every_call_and_with_refuse_none_is_taken() {
    let registry = calls(json!([call()]), goes(), "cancel");
    let mut talk = Talk::new(&registry);
    talk.on("O", None);
    talk.on("C", Some("c-1"));
    assert_eq!(talk.on("O", None).closed, ["call-1"]);
    let registry = calls(json!([call()]), goes(), "refuse");
    let mut talk = Talk::new(&registry);
    talk.on("O", None);
    talk.on("C", Some("c-1"));
    assert_eq!(talk.on("O", None).refused.as_deref(), Some("busy"));
}

#[test]
fn with_allow_calls_of_instances_run_on_and_those_of_a_turn_are_closed() {
    let registry = calls(json!([call()]), goes(), "allow");
    let mut talk = Talk::new(&registry);
    talk.on("O", None);
    talk.on("O", None);
    talk.on("C", Some("c-1"));
    let shown = talk.on("T", None);
    assert_eq!((shown.closed.len(), shown.open.len()), (0, 2));
    let shown = talk.on("C", Some("c-2"));
    assert_eq!((shown.closed.as_slice(), shown.answer), (["call-2".to_owned()].as_slice(), None));
    // Each turn answers with the step that leaves none of its own calls open.
    let shown = talk.ok("call-3");
    assert_eq!((said(&shown), shown.answer.as_deref(), shown.open.len()), ("true true 2 c-2 1", Some("yes"), 1));
    let shown = talk.ok("call-1");
    assert_eq!((said(&shown), shown.answer.as_deref(), shown.open.len()), ("true true 2 c-1 1", Some("yes"), 0));
}

#[test]
fn with_allow_an_input_that_closes_an_instance_ends_the_turn_that_waited_for_it() {
    let registry = calls(json!([call()]), goes(), "allow");
    let mut talk = Talk::new(&registry);
    talk.on("O", None);
    talk.on("C", Some("c-1"));
    let shown = talk.on("X", Some("c-1"));
    assert_eq!((shown.closed.as_slice(), shown.open.len()), (["call-1".to_owned()].as_slice(), 0));
    assert_eq!(talk.ok("call-1").refused.as_deref(), Some("stale_outcome"));
}

#[test]
fn with_allow_what_falls_to_the_boundary_goes_on_from_what_stands() {
    let settle = json!([{ "on": "go", "when": { "outcome": { "status": "ok" } }, "do": [] }]);
    let registry = calls(json!([{ "set": { "claim": { "note": "n" } } }, call()]), settle, "allow");
    let mut talk = Talk::new(&registry);
    talk.on("O", None);
    talk.on("C", Some("c-1"));
    talk.on("O", None);
    assert_eq!(reasons(&talk.fails("call-1")), ("Z", vec!["no_transition"]));
    assert_eq!(talk.all(), ["claim c-1 open \"a\" \"n\" null 1", "claim c-2 open \"a\" null null 1"]);
}

#[test]
fn from_before_the_turn_what_it_closed_stays_closed_and_what_it_opened_is_gone() {
    let settle = json!([{ "on": "go", "when": { "outcome": { "status": "ok" } }, "do": [] }]);
    let effects = json!([{ "set": { "claim": { "note": "n" } } }, closes(), open("b"), call()]);
    let registry = calls(effects, settle.clone(), "cancel");
    let mut talk = Talk::new(&registry);
    talk.on("O", None);
    talk.on("C", Some("c-1"));
    assert_eq!(talk.all(), ["claim c-2 open \"b\" null null 1", "claim c-1 done \"a\" \"n\" null 1"]);
    assert_eq!(reasons(&talk.fails("call-1")), ("Z", vec!["no_transition"]));
    assert_eq!(talk.all(), ["claim c-1 done \"a\" \"n\" null 1"]);
    let registry = calls(json!([{ "set": { "claim": { "note": "n" } } }, call()]), settle, "cancel");
    let mut talk = Talk::new(&registry);
    talk.on("O", None);
    talk.on("C", Some("c-1"));
    talk.fails("call-1");
    assert_eq!(talk.all(), ["claim c-1 open \"a\" null null 1"], "what it only changed is as it was");
}

#[test]
fn the_limit_of_steps_counts_each_turn_by_itself() {
    let settle = json!([{ "on": "go", "when": {}, "do": [{ "call": "run", "id": "more", "with": {} }] }, { "on": "more", "when": {}, "do": [] }]);
    let mut tiny = tiny(
        &[
            ("O", json!({ "bind": null, "do": [open("a")] })),
            ("C", json!({ "requires": is_open(), "do": [call()], "settle": settle })),
        ],
        json!({}),
    );
    (tiny.while_open, tiny.step_limit) = ("allow", 2);
    let registry = loaded(&tiny.files());
    let mut talk = Talk::new(&registry);
    talk.on("O", None);
    talk.on("O", None);
    talk.on("C", Some("c-1"));
    talk.on("C", Some("c-2"));
    assert_eq!(reasons(&talk.ok("call-1")).0, "C");
    assert_eq!(reasons(&talk.ok("call-2")).0, "C", "the other turn has steps of its own");
    assert_eq!(reasons(&talk.ok("call-3")), ("Z", vec!["step_limit"]));
}

#[test]
fn what_loading_refuses() {
    let opens = || ("O", json!({ "bind": null, "do": [open("a")] }));
    let one = |parts: Json| tiny(&[opens(), ("C", parts)], json!({}));
    let refused: Vec<(Tiny, &str)> = vec![
        (one(json!({ "bind": null, "requires": is_open() })), "binds no instance of `claim`"),
        (
            one(json!({ "bind": null, "do": [tells()] })),
            "names fields of `claim` in 6 places but binds no instance of it",
        ),
        (one(json!({ "do": [{ "set": { "claim": { "note": "x" } } }] })), "where none may be open"),
        (one(json!({ "requires": is_open(), "do": [closes(), closes()] })), "where none may be open"),
        (one(json!({ "requires": { "claim": { "known": true } }, "do": [closes()] })), "where none may be open"),
        (one(json!({ "requires": is_open(), "do": [{ "clear": ["claim"] }] })), "which is not cleared"),
        (one(json!({ "requires": is_open(), "do": [{ "clear": ["claim.about"] }] })), "is mandatory"),
        (
            one(json!({ "requires": is_open(), "do": [{ "set": { "claim": { "open": false } } }] })),
            "a fact that the engine keeps",
        ),
        (one(json!({ "requires": is_open(), "do": [{ "clear": ["claim.only"] }] })), "a fact that the engine keeps"),
        (one(json!({ "do": [{ "open": "claim" }] })), "the new instance is not given it"),
        (one(json!({ "do": [{ "open": "claim", "with": { "about": "$input.id?" } }] })), "may leave it out"),
        (
            one(json!({ "do": [{ "open": "claim", "with": { "about": "a", "key": "c-1" } }] })),
            "a fact that the engine keeps",
        ),
        (one(json!({ "do": [{ "open": "claim", "with": { "abuot": "a" } }] })), "did you mean `about`?"),
        (one(json!({ "do": [{ "open": "root" }] })), "is not keyed"),
        (one(json!({ "requires": is_open(), "do": [{ "close": "claim" }] })), "lacks the key `as`"),
        (one(json!({ "requires": is_open(), "do": [{ "close": "claim", "as": "dune" }] })), "did you mean `done`?"),
        (one(json!({ "bind": { "root": "$input.at?" } })), "is not keyed"),
        (one(json!({ "bind": { "claim": "$input.at" } })), "a key that is absent binds nothing"),
        (one(json!({ "bind": { "claim": "c-1" } })), "an instance is named by a path"),
        (one(json!({ "bind": { "claim": "$claim.key?" } })), "not found through another one"),
        (one(json!({ "bind": { "claim": "$input.id?" } })), "expected an `id`"),
        (
            one(json!({ "carryover": { "depth": "full", "keep": [], "forbid": ["claim"], "preserve": [] } })),
            "which is not carried",
        ),
        (tiny(&[opens()], json!({ "max_open": 0 })), "from 1 to 64"),
        (tiny(&[opens()], json!({ "keep_closed": 257 })), "from 0 to 256"),
        (tiny(&[opens()], json!({ "closed_as": [] })), "an enum without values"),
        (tiny(&[opens()], json!({ "prefix": "c d" })), "cannot name a key"),
    ];
    for (tiny, wanted) in refused {
        match load(&tiny.files()) {
            Ok(_) => panic!("this loads, and should not: {wanted}"),
            Err(found) => assert!(found.contains(wanted), "{wanted}:\n{found}"),
        }
    }
    let mut before = one(json!({ "bind": null, "trigger": [{ "event": "run.failed", "base": "before" }] }));
    before.while_open = "allow";
    let found = load(&before.files()).expect_err("refused");
    assert!(found.contains("no step starts from before its turn"), "{found}");
    let outcome = one(json!({ "trigger": [{ "event": "run.failed", "base": "selected" }] }));
    let found = load(&outcome.files()).expect_err("refused");
    assert!(found.contains("binds nothing by itself"), "{found}");
}

#[test]
fn an_id_that_the_state_holds_is_passed_over() {
    let call = json!({ "call": "run", "id": "go", "with": {} });
    let settle = json!([{ "on": "go", "when": { "outcome": { "status": "ok" } }, "do": [] }]);
    let mut tiny = tiny(
        &[
            ("O", json!({ "bind": null, "do": [open("a"), tells()] })),
            ("C", json!({ "requires": is_open(), "do": [call], "settle": settle })),
            (
                "N",
                json!({ "bind": null, "do": [{ "set": { "asked": { "id": { "new_id": "c" } } } }, open("n"), tells()] }),
            ),
        ],
        json!({ "max_open": 4 }),
    );
    tiny.add(json!({ "frame": { "asked": { "owner": "own", "doc": "d", "field": { "id": { "type": "id", "optional": true } } } } }));
    tiny.while_open = "allow";
    let registry = loaded(&tiny.files());
    let given = json!({ "claim": { "c-1": { "about": "x" }, "c-2": { "about": "y", "closed_as": "done" }, "c-4": { "about": "z" } } });
    let state = SessionState::from_frames(registry.pack(), &given).expect("a state");
    let mut talk = Talk { pair: Pair::starting(&registry, state), registry: &registry };
    // What is open and what has ended, in whatever order they were given.
    talk.on("O", None);
    let shown = talk.on("N", None);
    assert_eq!(shown.state["asked"], json!({ "id": "c-5" }));
    let keys = |talk: &Talk<'_>| -> Vec<String> {
        talk.all().iter().map(|line| line.split(' ').nth(1).expect("a key").to_owned()).collect()
    };
    assert_eq!(keys(&talk), ["c-1", "c-4", "c-3", "c-6", "c-2"]);
    // A host that counts anew, with a call under way.
    assert_eq!(talk.on("C", Some("c-1")).open.len(), 1);
    talk.pair.count_anew();
    assert_eq!(talk.on("C", Some("c-3")).open.len(), 2);
    let open: Vec<String> = talk.pair.state.open_calls().iter().map(|call| call.id.to_string()).collect();
    assert_eq!(open, ["call-1", "call-2"]);
    // A source that gives nothing else.
    struct Same;
    impl IdSource for Same {
        fn fresh(&mut self, prefix: &str) -> std::sync::Arc<str> {
            format!("{prefix}-1").into()
        }
    }
    let event = Event::input(&registry, "on", &json!({ "id": "O" }), &json!({})).expect("an event");
    let mut ids = Same;
    let mut env = support::env::env(1, &mut ids);
    let refused = segue::engine::step(&registry, &talk.pair.state, &event, &mut env).map(|step| step.class);
    assert_eq!(refused, Err(StepError::HeldId { id: "c-1".into() }));
}

/// What `segue check` says of instances that never begin or never end, and of fields of the keyed frame.
fn told_of_instances(classes: &[(&str, Json)]) -> Vec<String> {
    let mut tiny = tiny(classes, json!({}));
    tiny.while_open = "allow";
    let audit = audit(&tiny.files(), &[], &Config { scope: Scope::Pack, ..Config::default() });
    assert!(audit.registry.is_some(), "{}", segue::report::human(&audit.sources, &audit.diagnostics, false));
    let of = [
        Code::NeverOpened,
        Code::NeverClosedAs,
        Code::IdleWhileOpen,
        Code::UnusedField,
        Code::NeverRead,
        Code::NeverWritten,
    ];
    let found = audit.diagnostics.iter().filter(|found| of.contains(&found.code) && found.message.contains("claim"));
    found.map(|found| found.message.clone()).collect()
}

#[test]
fn a_check_finds_instances_that_never_begin_or_never_end_so() {
    let opens = ("A", json!({ "do": [open("x")] }));
    let ends = |how: &str| json!({ "requires": is_open(), "do": [{ "close": "claim", "as": how }] });
    // All fields are read; what opens writes `about` and the repair `step`.
    let reads = (
        "R",
        json!({ "do": [{ "emit": "say", "with": { "what": { "join": ["$claim.about?", "$claim.note?", "$claim.step?", "$claim.once?"] } } }] }),
    );
    let never_written = ["`claim.note` is read and never written", "`claim.once` is read and never written"];
    let nobody = told_of_instances(&[("B", ends("done")), reads.clone()]);
    assert_eq!(nobody, ["nothing opens an instance of `claim`"], "and no more is said of it");
    let open_for_ever = told_of_instances(&[opens.clone(), reads.clone()]);
    let message = "nothing closes an instance of `claim`: once `max_open` of them are open no more can be opened";
    assert_eq!(open_for_ever, [&[message], &never_written[..]].concat());
    let done_only = told_of_instances(&[opens.clone(), ("B", ends("done")), reads.clone()]);
    assert_eq!(done_only, [&never_written[..], &["no `close` ends an instance of `claim` as `failed`"]].concat());
    let both = told_of_instances(&[opens, ("B", ends("done")), ("C", ends("failed")), reads]);
    assert_eq!(both, never_written);
}
