//! Rules of ports, one test for each sentence of the pages: checks, what is broken, retries. Every step is taken by the engine and by
//! the reference evaluator.

use serde_json::{Value as Json, json};

use crate::support::env::env;
use crate::support::pair::{Pair, Shown, shown};
use crate::support::tiny::Tiny;
use crate::support::{load, loaded};
use segue::engine::{Event, NumberedIds, Step, restore};
use segue::model::Status;
use segue::registry::Registry;

/// A pack whose class `A` asks `ask` for what is in `gate.note` and `root.log`, with these rules of the port. A failure that comes to
/// somebody is told with its error and its breach.
fn tiny(rules: &Json) -> Tiny {
    let call = json!({ "call": "ask", "id": "q", "with": { "text": "$gate.note?", "ids": "$root.log" } });
    let mut tiny = Tiny::new(&[(
        "A",
        json!({
            "do": [call],
            "settle": [{ "on": "q", "when": { "outcome": { "status": "ok" } }, "do": [{ "set": { "gate": { "note": "$outcome.found" } } }] }],
        }),
    )]);
    tiny.boundary["trigger"] =
        json!([{ "event": "ask.failed", "base": "before", "reason": "went_wrong" }, { "event": "boundary" }]);
    let told = ["$outcome.status?", "$outcome.error?", "$outcome.breach?"];
    tiny.boundary["do"] = json!([{ "emit": "say", "with": { "what": { "join": told } } }]);
    let mut port = json!({
        "request": { "text": { "type": "text", "optional": true }, "ids": { "list": { "type": "text" }, "max": 3 } },
        "response": { "found": { "type": "text" }, "ids": { "set": { "type": "text" }, "max": 3, "optional": true }, "left": { "set": { "type": "text" }, "max": 3, "optional": true } },
        "doc": "d",
    });
    for (name, rule) in rules.as_object().expect("a table") {
        port[name.as_str()] = rule.clone();
    }
    tiny.add(json!({ "port": { "ask": port } }));
    tiny
}

struct Talk<'r> {
    pair: Pair<'r>,
    registry: &'r Registry,
}

impl<'r> Talk<'r> {
    /// A session in which class `A` has just asked, about `x1` and `x2`.
    fn asked(registry: &'r Registry) -> Self {
        let given = json!({ "root": { "log": ["x1", "x2"] }, "gate": { "note": "n" } });
        let state = segue::state::SessionState::from_frames(registry.pack(), &given).expect("a state");
        let mut talk = Self { pair: Pair::starting(registry, state), registry };
        assert_eq!(talk.say("a").class.as_deref(), Some("A"));
        talk
    }

    fn take(&mut self, event: &Event) -> Step {
        self.pair.step(event).unwrap_or_else(|difference| panic!("{difference}")).expect("a step")
    }

    fn shown(&mut self, event: &Event) -> Shown {
        let step = self.take(event);
        shown(self.registry.pack(), &step)
    }

    fn say(&mut self, text: &str) -> Shown {
        let event = Event::input(self.registry, "utterance", &json!({ "text": text }), &json!({})).expect("an event");
        self.shown(&event)
    }

    fn ok(&mut self, call: &str, value: Json) -> Shown {
        self.shown(&Event::Outcome { call: call.into(), status: Status::Ok, value: Some(value), error: None })
    }

    fn ends(&mut self, call: &str, status: Status) -> Shown {
        self.shown(&Event::Outcome { call: call.into(), status, value: None, error: Some("down".into()) })
    }
}

/// Who took it and what was said.
fn told(shown: &Shown) -> (&str, String) {
    let said = shown.messages.last().map_or("", String::as_str);
    let from = said.find("Some(\"").map_or(said.len(), |at| at + 6);
    (shown.class.as_deref().unwrap_or(""), said[from..].trim_end_matches("\")").to_owned())
}

#[test]
fn an_answer_that_breaks_a_check_is_a_failure_of_kind_contract() {
    let check = json!([
        { "id": "asked_only", "when": { "response": { "ids": { "present": true } } }, "require": { "response": { "ids": { "subset_of": "$request.ids" } } } },
        { "id": "the_same", "require": { "response": { "found": "$request.text" } } },
    ]);
    let registry = loaded(&tiny(&json!({ "check": check })).files());
    for (value, who, said) in [
        (json!({ "found": "n" }), "A", ""),
        (json!({ "found": "n", "ids": ["x2"] }), "A", ""),
        (json!({ "found": "n", "ids": ["x3"] }), "Z", "failed contract asked_only"),
        (json!({ "found": "m" }), "Z", "failed contract the_same"),
        // The first that is broken is named.
        (json!({ "found": "m", "ids": ["x3"] }), "Z", "failed contract asked_only"),
        // What is not of the declared type comes before all checks.
        (json!({ "ids": ["x3"] }), "Z", "failed contract type"),
        (json!({ "found": 7 }), "Z", "failed contract type"),
    ] {
        let mut talk = Talk::asked(&registry);
        let step = talk.ok("call-1", value.clone());
        assert_eq!(told(&step), (who, said.into()), "{value}");
        let breach = said.rsplit(' ').next().filter(|word| !word.is_empty());
        assert_eq!(step.breach.as_deref(), breach, "{value}");
        assert!(step.open.is_empty() && step.answer.is_some());
    }
    // Another failure has no breach.
    assert_eq!(told(&Talk::asked(&registry).ends("call-1", Status::Failed)), ("Z", "failed down".into()));
    assert_eq!(told(&Talk::asked(&registry).ends("call-1", Status::Timeout)), ("Z", "timeout down".into()));
}

#[test]
fn nothing_of_an_answer_that_breaks_a_check_is_read() {
    let check = json!([{ "id": "short", "require": { "response": { "found": { "not": "long one" } } } }]);
    let mut tiny = tiny(&json!({ "check": check }));
    tiny.boundary["do"] =
        json!([{ "when": { "outcome": { "found": { "present": true } } }, "emit": "say", "with": { "what": "read" } }]);
    let registry = loaded(&tiny.files());
    let step = Talk::asked(&registry).ok("call-1", json!({ "found": "long one" }));
    assert_eq!((step.breach.as_deref(), step.messages.len()), (Some("short"), 0));
}

#[test]
fn a_check_whose_test_is_unknown_is_broken_and_one_whose_when_is_unknown_says_nothing() {
    let broken = |check: Json, value: Json| {
        let registry = loaded(&tiny(&json!({ "check": [check] })).files());
        let mut talk = Talk::asked(&registry);
        talk.ok("call-1", value).breach
    };
    let disjoint = json!({ "id": "apart", "require": { "response": { "ids": { "disjoint": "$response.left" } } } });
    assert_eq!(broken(disjoint.clone(), json!({ "found": "n" })).as_deref(), Some("apart"));
    assert_eq!(broken(disjoint.clone(), json!({ "found": "n", "ids": ["a"], "left": ["b"] })), None);
    assert_eq!(broken(disjoint, json!({ "found": "n", "ids": ["a"], "left": ["a"] })).as_deref(), Some("apart"));
    let spoken = json!({ "id": "lost", "when": { "response": { "left": { "empty": true } } },
        "require": { "request": { "ids": { "covered_by": ["$response.ids", "$response.left"] } } } });
    assert_eq!(broken(spoken.clone(), json!({ "found": "n" })), None);
    assert_eq!(broken(spoken.clone(), json!({ "found": "n", "left": [] })).as_deref(), Some("lost"));
    assert_eq!(broken(spoken, json!({ "found": "n", "left": [], "ids": ["x1", "x2"] })), None);
}

#[test]
fn a_check_reads_the_request_as_it_was_sent() {
    let check = json!([{ "id": "the_same", "require": { "response": { "found": "$request.text" } } }]);
    let mut tiny = tiny(&json!({ "check": check }));
    tiny.while_open = "allow";
    tiny.boundary["trigger"] =
        json!([{ "event": "ask.failed", "base": "selected", "reason": "went_wrong" }, { "event": "boundary" }]);
    let call = json!({ "call": "ask", "id": "q", "with": { "text": "$gate.note?", "ids": [] } });
    tiny.classes[0]["do"] = json!([call, { "clear": ["gate.note"] }]);
    // What the effects leave is what is sent, and the state is not looked at again.
    let registry = loaded(&tiny.files());
    let mut talk = Talk::asked(&registry);
    assert_eq!(talk.ok("call-1", json!({ "found": "n" })).breach.as_deref(), Some("the_same"), "it was sent without");
}

#[test]
fn a_call_that_went_wrong_is_made_again_and_nobody_hears_of_it() {
    let registry = loaded(&tiny(&json!({ "retry": { "max": 2, "on": ["timeout", "contract"] } })).files());
    let mut talk = Talk::asked(&registry);
    let before = talk.pair.state.clone();
    let step = talk.ends("call-1", Status::Timeout);
    assert_eq!((step.class.as_deref(), step.selected.as_deref(), step.retried), (None, Some("A"), Some((1, 2))));
    assert!(step.calls[0].starts_with("call-2 q ask ") && step.messages.is_empty() && step.closed.is_empty());
    assert!(step.answer.is_none() && step.reasons.is_empty());
    assert_eq!(step.revision, before.revision() + 1);
    assert_eq!(talk.pair.state.slots(), before.slots());
    // The old id is dead.
    assert_eq!(talk.ok("call-1", json!({ "found": "n" })).refused.as_deref(), Some("stale_outcome"));
    let step = talk.ok("call-2", json!({}));
    assert_eq!((step.retried, step.breach.as_deref()), (Some((2, 2)), Some("type")));
    // No attempt is left.
    let step = talk.ok("call-3", json!({}));
    assert_eq!((told(&step), step.retried), (("Z", "failed contract type".into()), None));
    // A failure that is not listed, and one that the host has called off, come at once.
    for status in [Status::Failed, Status::Cancelled] {
        assert_eq!(told(&Talk::asked(&registry).ends("call-1", status)).0, "Z");
    }
    let mut talk = Talk::asked(&registry);
    talk.ends("call-1", Status::Timeout);
    assert_eq!(told(&talk.ok("call-2", json!({ "found": "f" }))), ("A", String::new()));
}

#[test]
fn an_attempt_counts_as_a_step_of_the_turn() {
    let mut tiny = tiny(&json!({ "retry": { "max": 4, "on": ["timeout"] } }));
    tiny.step_limit = 3;
    let registry = loaded(&tiny.files());
    let mut talk = Talk::asked(&registry);
    assert_eq!(talk.ends("call-1", Status::Timeout).retried, Some((1, 4)));
    assert_eq!(talk.ends("call-2", Status::Timeout).retried, Some((2, 4)));
    let step = talk.ends("call-3", Status::Timeout);
    assert_eq!((step.retried, step.reasons), (None, vec!["step_limit".to_owned()]));
}

#[test]
fn other_calls_of_the_turn_stay_open_meanwhile() {
    let mut tiny = tiny(&json!({ "retry": { "max": 1, "on": ["failed"] } }));
    let call = |id: &str| json!({ "call": "ask", "id": id, "with": { "ids": [] } });
    tiny.classes[0]["do"] = json!([call("q"), call("r")]);
    tiny.classes[0]["settle"] = json!([
        { "on": "q", "when": { "outcome": { "status": "ok" } }, "do": [] },
        { "on": "r", "when": { "outcome": { "status": "ok" } }, "do": [] },
    ]);
    let registry = loaded(&tiny.files());
    let mut talk = Talk::asked(&registry);
    let step = talk.ends("call-1", Status::Failed);
    let ids: Vec<&str> = step.open.iter().filter_map(|call| call.split(' ').next()).collect();
    assert_eq!(ids, ["call-3", "call-2"]);
    assert_eq!(talk.ok("call-2", json!({ "found": "f" })).answer, None);
    assert_eq!(talk.ok("call-3", json!({ "found": "f" })).answer.as_deref(), Some("no"));
}

#[test]
fn what_a_call_was_sent_with_is_saved_with_the_session() {
    let check = json!([{ "id": "the_same", "require": { "response": { "found": "$request.text" } } }]);
    let rules = json!({ "check": check, "retry": { "max": 1, "on": ["timeout"] } });
    let registry = loaded(&tiny(&rules).files());
    let mut talk = Talk::asked(&registry);
    talk.ends("call-1", Status::Timeout);
    let saved = talk.pair.state.to_json(registry.pack());
    let call = &saved["turn"]["calls"][0];
    assert_eq!((&call["request"], &call["attempt"]), (&json!({ "text": "n", "ids": ["x1", "x2"] }), &json!(2)));
    let mut ids = NumberedIds::default();
    let mut env = env(1, &mut ids);
    assert_eq!(restore(&registry, &saved, &mut env).expect("it is read back").state, talk.pair.state);
    for (at, value, wanted) in [
        ("attempt", json!(3), "`turn.calls.0.attempt`: is 3; there are at most 2"),
        ("attempt", json!(0), "`turn.calls.0.attempt`: is 0"),
        ("request", json!({ "ids": ["x1"], "more": 1 }), "turn.calls.0.request"),
        ("request", json!({}), "turn.calls.0.request"),
    ] {
        let mut saved = saved.clone();
        saved["turn"]["calls"][0][at] = value.clone();
        let refused = restore(&registry, &saved, &mut env).expect_err("refused").to_string();
        assert!(refused.contains(wanted), "{value}: {refused}");
    }
    // A port that asks for nothing keeps nothing.
    let plain = loaded(&tiny(&json!({})).files());
    let saved = Talk::asked(&plain).pair.state.to_json(plain.pack());
    assert!(saved["turn"]["calls"][0].get("request").is_none());
    let mut more = saved;
    more["turn"]["calls"][0]["attempt"] = json!(1);
    assert!(restore(&plain, &more, &mut env).expect_err("refused").to_string().contains("attempt"));
}

#[test]
fn what_is_wrong_with_checks_and_retries_is_said_at_its_place() {
    for (rules, wanted) in [
        (json!({ "check": [{ "id": "a", "require": { "respnse": { "found": "x" } } }] }), "did you mean `response`?"),
        (json!({ "check": [{ "id": "a", "require": { "response": { "fuond": "x" } } }] }), "did you mean `found`?"),
        (json!({ "check": [{ "id": "a", "require": { "request": { "txet": "x" } } }] }), "did you mean `text`?"),
        (
            json!({ "check": [{ "id": "a", "require": { "gate": { "note": "x" } } }] }),
            "here one can speak of request, response",
        ),
        (
            json!({ "check": [{ "id": "a", "require": { "outcome": { "found": "x" } } }] }),
            "`outcome` cannot be used in a check",
        ),
        (json!({ "check": [{ "id": "a", "require": { "response": { "found": "$request.ids" } } }] }), "never equals"),
        (json!({ "check": [{ "id": "type", "require": {} }] }), "reserved-name"),
        (json!({ "check": [{ "id": "a" }] }), "lacks the key `require`"),
        (json!({ "check": [{ "require": {} }] }), "lacks the key `id`"),
        (json!({ "check": [{ "id": "a", "require": {}, "wehn": {} }] }), "did you mean `when`?"),
        (json!({ "check": [{ "id": "a", "require": {} }, { "id": "a", "require": {} }] }), "declared twice"),
        (json!({ "retry": { "max": 2 } }), "lacks the key `on`"),
        (json!({ "retry": { "max": 17, "on": ["timeout"] } }), "write a number from 0 to 16"),
        (json!({ "retry": { "max": 2, "on": [] } }), "after nothing nothing is made again"),
        (json!({ "retry": { "max": 2, "on": ["timout"] } }), "did you mean `timeout`?"),
        (json!({ "retry": { "max": 2, "on": ["timeout", "timeout"] } }), "stands here twice"),
        (
            json!({ "response": { "found": { "type": "text" }, "breach": { "type": "text" } } }),
            "`outcome.breach` is the engine's",
        ),
    ] {
        let refused = load(&tiny(&rules).files()).err().unwrap_or_else(|| panic!("{rules} loads"));
        assert!(refused.contains(wanted), "{rules}: {refused}");
        assert_eq!(refused.matches("error[").count(), 1, "{rules}: {refused}");
    }
    let mut silent = Tiny::new(&[("A", json!({ "do": [{ "call": "note", "id": "n", "with": {} }], "settle": [] }))]);
    silent.add(json!({ "port": { "note": { "request": {}, "reply": "none", "doc": "d", "retry": { "max": 1, "on": ["timeout"] } } } }));
    let refused = load(&silent.files()).expect_err("no outcome comes");
    assert!(refused.contains("`retry` means nothing beside `reply = \"none\"`"), "{refused}");
    // A word that no check has.
    let mut tiny = tiny(&json!({ "check": [{ "id": "short", "require": { "response": { "found": "f" } } }] }));
    tiny.boundary["trigger"][0]["entry"] = json!({ "outcome": { "breach": "shrot" } });
    let refused = load(&tiny.files()).expect_err("no such breach");
    assert!(refused.contains("did you mean `short`?"), "{refused}");
}

/// A pack whose class `A` settles its call by these rows.
fn settled(rules: &Json, rows: &[Json]) -> Registry {
    let mut tiny = tiny(rules);
    let rows: Vec<Json> = rows.iter().map(|when| json!({ "on": "q", "when": when, "do": [] })).collect();
    tiny.classes[0]["settle"] = json!(rows);
    loaded(&tiny.files())
}

#[test]
fn what_a_check_rules_out_is_no_overlap() {
    let found = json!({ "outcome": { "status": "ok", "found": "x" } });
    let left = json!({ "outcome": { "left": { "contains": "y" } } });
    let rows = [found, left];
    let overlaps = |rules: &Json| {
        let found = segue::analysis::overlap::overlaps(&settled(rules, &rows));
        found.into_iter().map(|finding| finding.found.is_ok()).collect::<Vec<_>>()
    };
    assert_eq!(overlaps(&json!({})), [true], "with a witness that the engine has stepped");
    let check = |when: Json, require: Json| json!({ "check": [{ "id": "apart", "when": when, "require": require }] });
    let apart = check(json!({ "response": { "found": "x" } }), json!({ "response": { "left": { "present": false } } }));
    assert!(overlaps(&apart).is_empty());
    // A check that leaves room for both, if the request is as it must be.
    let asked = check(
        json!({ "response": { "left": { "present": true } } }),
        json!({ "response": { "found": "$request.text" } }),
    );
    assert_eq!(overlaps(&asked), [true]);
    // With attempts left nobody would hear of it: the witness is at its last.
    assert_eq!(overlaps(&json!({ "retry": { "max": 3, "on": ["failed", "contract", "timeout"] } })), [true]);
}

#[test]
fn breaches_are_told_apart() {
    let rules = json!({ "check": [{ "id": "one", "require": { "response": { "found": "x" } } }] });
    let row = |test: Json| json!({ "outcome": { "breach": test } });
    let overlaps = |rows: &[Json]| segue::analysis::overlap::overlaps(&settled(&rules, rows)).len();
    assert_eq!(overlaps(&[row(json!("type")), row(json!("one"))]), 0);
    assert_eq!(overlaps(&[row(json!({ "present": true })), row(json!({ "present": false }))]), 0);
    let both = [row(json!("type")), row(json!({ "present": true }))];
    let found = segue::analysis::overlap::overlaps(&settled(&rules, &both));
    assert!(found.len() == 1 && found[0].found.is_ok(), "{found:?}");
}

#[test]
fn answers_that_break_a_check_are_made_as_witnesses() {
    let row = |outcome: Json| json!({ "outcome": outcome });
    let any = || row(json!({ "breach": { "present": true } }));
    let check = |id: &str, require: Json| json!({ "id": id, "require": { "response": require } });
    let one = || check("one", json!({ "found": ["x", "y"] }));
    for (checks, rows, both) in [
        (json!([one()]), [row(json!({ "breach": "one" })), any()], true),
        (json!([one()]), [row(json!({ "breach": { "differs": "type" } })), any()], true),
        // The first check that is broken is the breach.
        (json!([one(), check("two", json!({ "found": "x" }))]), [row(json!({ "breach": "two" })), any()], true),
        (
            json!([one(), check("two", json!({ "found": ["x", "y", "z"] }))]),
            [row(json!({ "breach": "two" })), any()],
            false,
        ),
        // Nothing of what is broken is read, and its error is the engine's.
        (json!([one()]), [row(json!({ "breach": "one" })), row(json!({ "found": { "present": true } }))], false),
        (json!([one()]), [row(json!({ "breach": "one" })), row(json!({ "error": "contract" }))], true),
        (json!([one()]), [row(json!({ "breach": "one" })), row(json!({ "error": "late" }))], false),
    ] {
        let found = segue::analysis::overlap::overlaps(&settled(&json!({ "check": checks }), &rows));
        let shown: Vec<bool> = found.iter().map(|finding| finding.found.is_ok()).collect();
        assert_eq!(shown, if both { vec![true] } else { vec![] }, "{rows:?}: {found:#?}");
    }
}
