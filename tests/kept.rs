//! What a pack keeps and never looks into comes back as it came: the unknown keys of open records.

mod oracle;
mod support;

use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

use segue::engine::{Env, Event, NumberedIds, Step, restore};
use segue::model::Status;
use segue::model::json::named_to_wire;
use segue::registry::Registry;
use segue::state::SessionState;
use support::loaded;
use support::pair::Pair;
use support::tiny::Tiny;

/// A pack with an open record `Doc` of two declared fields, classes that write it, and a message that tells it.
fn registry() -> Registry {
    let takes = |word: &str, what: Json| {
        let tell = json!({ "emit": "tell", "with": { "doc": "$bag.doc?", "docs": "$bag.docs" } });
        let any = json!([{ "event": "doc", "entry": { "input": { "how": word } } }]);
        json!({ "trigger": any, "do": [what, tell] })
    };
    let mut ask = takes(
        "ask",
        json!({ "call": "look", "id": "q", "with": { "doc": "$input.doc" }, "keep": { "kept": "$input.doc" } }),
    );
    let settle = json!([{ "set": { "bag": { "doc": "$outcome.doc" } } }, { "append": { "bag": { "docs": "$outcome.kept.kept" } } },
        { "emit": "tell", "with": { "doc": "$bag.doc?", "docs": "$bag.docs" } }]);
    ask["settle"] = json!([{ "on": "q", "when": { "outcome": { "status": "ok" } }, "do": settle }]);
    let picked = json!({ "pick": "$bag.docs", "where": { "value": { "n": { "present": true } } } });
    let mut tiny = Tiny::new(&[
        ("SET", takes("set", json!({ "set": { "bag": { "doc": "$input.doc" } } }))),
        ("APPEND", takes("append", json!({ "append": { "bag": { "docs": "$input.doc" } } }))),
        ("MERGE", takes("merge", json!({ "merge": { "bag": { "doc": "$input.doc" } } }))),
        ("PICK", takes("pick", json!({ "set": { "bag": { "docs": picked } } }))),
        ("ASK", ask),
    ]);
    tiny.add(json!({
        "enum": { "how": ["set", "append", "merge", "pick", "ask"] },
        "type": { "Doc": { "open": true, "case": "camel", "field": { "n": { "type": "int", "optional": true }, "the_name": { "type": "text", "optional": true } } } },
        "frame": { "bag": { "owner": "own", "doc": "d", "field": { "doc": { "record": "Doc", "optional": true },
            "docs": { "list": { "record": "Doc" }, "max": 4, "evict": "oldest", "default": [] } } } },
        "event": { "doc": { "field": { "how": { "enum": "how" }, "doc": { "record": "Doc" } }, "doc": "d" } },
        "port": { "look": { "request": { "doc": { "record": "Doc" } }, "response": { "doc": { "record": "Doc" } }, "doc": "d" } },
        "message": { "tell": { "channel": "ui", "doc": "d", "field": { "doc": { "record": "Doc", "optional": true },
            "docs": { "list": { "record": "Doc" }, "max": 4 } } } },
    }));
    loaded(&tiny.files())
}

/// What a record holds when it has come in: what is declared first, then all else in its order.
fn admitted(doc: &Map<String, Json>) -> Map<String, Json> {
    let declared = ["n", "theName"].into_iter().filter_map(|name| Some((name.to_owned(), doc.get(name)?.clone())));
    let others = doc.iter().filter(|(name, _)| !["n", "theName"].contains(&name.as_str()));
    declared.chain(others.map(|(name, value)| (name.clone(), value.clone()))).collect()
}

/// One record put into another: what the later one has counts, and what both have stays where it was.
fn merged(old: &Map<String, Json>, new: &Map<String, Json>) -> Map<String, Json> {
    let mut all = old.clone();
    all.extend(new.clone());
    admitted(&all)
}

/// A number as somebody wrote it.
fn number() -> impl Strategy<Value = Json> {
    let text = prop_oneof![
        "-?(0|[1-9][0-9]{0,24})".prop_map(String::from),
        "-?(0|[1-9][0-9]{0,4})\\.[0-9]{1,30}",
        "(0|[1-9][0-9]{0,4})(\\.[0-9]{1,3})?e-?[1-9][0-9]{0,3}",
    ];
    text.prop_map(|text| serde_json::from_str(&text).expect("a number"))
}

/// Any JSON.
fn any_json() -> impl Strategy<Value = Json> {
    let leaf =
        prop_oneof![Just(Json::Null), any::<bool>().prop_map(Json::from), number(), ".{0,6}".prop_map(Json::from)];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
            prop::collection::vec((".{0,4}", inner), 0..4).prop_map(|all| Json::Object(all.into_iter().collect())),
        ]
    })
}

/// A record as a host gives it: some of the declared fields, and keys that nobody declared.
fn doc() -> impl Strategy<Value = Map<String, Json>> {
    let unknown = prop::collection::vec(("[a-zA-ZЯ. ]{1,3}", any_json()), 0..5);
    (prop::option::of(0..9_i64), prop::option::of("[a-z]{0,3}"), unknown).prop_map(|(n, name, unknown)| {
        let unknown = unknown.into_iter().filter(|(name, _)| !["n", "the_name"].contains(&name.as_str()));
        let mut doc: Map<String, Json> = unknown.collect();
        doc.extend(n.map(|n| ("n".to_owned(), n.into())));
        doc.extend(name.map(|name| ("theName".to_owned(), name.into())));
        doc
    })
}

/// What a step tells, as it crosses the border.
fn told(registry: &Registry, step: &Step) -> String {
    let pack = registry.pack();
    let said = step.messages.last().expect("a message");
    Json::Object(named_to_wire(pack, &pack.messages[said.message.index()].fields, &said.fields)).to_string()
}

/// A session that was saved as text and read again.
fn saved(registry: &Registry, state: &SessionState) -> SessionState {
    let text = state.to_json(registry.pack()).to_string();
    let mut ids = NumberedIds::default();
    let mut env = Env {
        now: "2021-05-10T12:00:00Z".into(),
        today: support::pair::TODAY,
        session_id: "s-1".into(),
        turn_id: "t-1".into(),
        ids: &mut ids,
        trace: false,
    };
    let json: Json = serde_json::from_str(&text).expect("JSON");
    let read = restore(registry, &json, &mut env).expect("what was saved is read").state;
    assert_eq!(read.to_json(registry.pack()).to_string(), text);
    assert_eq!(read, *state);
    read
}

/// Whatever is done with a record that came in, what nobody has declared goes out again as it came, in its order.
#[test]
fn what_an_open_record_does_not_know_goes_out_as_it_came() {
    let registry = registry();
    let ways = ["set", "append", "merge", "pick", "ask"];
    let done = prop::collection::vec((prop::sample::select(ways.to_vec()), doc(), doc()), 1..7);
    let config = ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(done in done)| {
        let mut pair = Pair::new(&registry);
        let mut one: Option<Map<String, Json>> = None;
            let mut all: Vec<Map<String, Json>> = vec![];
        for (how, doc, answer) in done {
            // From text, as it comes to a host.
            let text = json!({ "how": how, "doc": doc }).to_string();
            let payload: Json = serde_json::from_str(&text).expect("JSON");
            let event = Event::input(&registry, "doc", &payload, &json!({})).expect("it fits");
            let mut step = pair.step(&event).expect("both do the same").expect("a step");
            let doc = admitted(&doc);
            match how {
                "set" => one = Some(doc),
                "append" => all.push(doc),
                "merge" => one = Some(one.map_or_else(|| doc.clone(), |old| merged(&old, &doc))),
                "pick" => all.retain(|doc| doc.contains_key("n")),
                _ => {
                    let call = &step.calls[0];
                    let pack = registry.pack();
                    let sent = Json::Object(named_to_wire(pack, &pack.ports[call.port.index()].request, &call.with));
                    prop_assert_eq!(sent.to_string(), json!({ "doc": doc }).to_string());
                    prop_assert_eq!(saved(&registry, &step.state), step.state.clone());
                    let value = serde_json::from_str(&json!({ "doc": answer }).to_string()).expect("JSON");
                    let outcome = Event::Outcome { call: call.id.clone(), status: Status::Ok, value: Some(value), error: None };
                    step = pair.step(&outcome).expect("both do the same").expect("a step");
                    one = Some(admitted(&answer));
                    all.push(doc);
                }
            }
            let over = all.len().saturating_sub(4);
            all.drain(..over);
            let mut expected = Map::new();
            expected.extend(one.clone().map(|one| ("doc".to_owned(), one.into())));
            expected.insert("docs".into(), all.clone().into());
            prop_assert_eq!(told(&registry, &step), Json::Object(expected).to_string(), "after {}", how);
            pair.state = saved(&registry, &pair.state);
        }
    });
}

/// Digits are those of the host, and what differs in the order of its keys alone is the same.
#[test]
fn digits_stay_and_the_order_of_unknown_keys_makes_no_other_value() {
    let registry = registry();
    let mut pair = Pair::new(&registry);
    let mut step = |doc: &str| {
        let payload: Json = serde_json::from_str(&format!("{{\"how\":\"set\",\"doc\":{doc}}}")).expect("JSON");
        let event = Event::input(&registry, "doc", &payload, &json!({})).expect("it fits");
        pair.step(&event).expect("both do the same").expect("a step")
    };
    let doc = "{\"z\":1.50,\"n\":7,\"a\":{\"y\":123456789012345678901234567890.10,\"b\":-0.0},\"é\":1e400}";
    // The reader of JSON gives an exponent its sign.
    let out = "{\"doc\":{\"n\":7,\"z\":1.50,\"a\":{\"y\":123456789012345678901234567890.10,\"b\":-0.0},\"é\":1e+400},\"docs\":[]}";
    let first = step(doc);
    assert_eq!(told(&registry, &first), out);
    assert_eq!(first.changes().count(), 1);
    let again = step("{\"é\":1e+400,\"a\":{\"y\":123456789012345678901234567890.10,\"b\":-0.0},\"z\":1.50,\"n\":7}");
    assert_eq!(again.changes().count(), 0);
    assert_eq!(step("{\"z\":1.5,\"n\":7}").changes().count(), 1);
}
