//! What a pack keeps and never looks into comes back as it came: the unknown keys of open records, and documents.

use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

use crate::support::env::env;
use crate::support::loaded;
use crate::support::pair::Pair;
use crate::support::tiny::Tiny;
use segue::engine::{Event, NumberedIds, Step, restore};
use segue::model::Status;
use segue::model::json::named_to_wire;
use segue::registry::Registry;
use segue::state::SessionState;

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
    let json: Json = serde_json::from_str(&text).expect("JSON");
    let read = restore(registry, &json, &mut env(1, &mut ids)).expect("what was saved is read").state;
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

/// A pack whose class `A` keeps a document of the event `doc`, sends it out, asks with it and keeps the one that comes back. What comes in
/// is held to these contracts.
fn with_documents(input: Option<&str>, answer: Option<&str>) -> Tiny {
    let held = |contract: Option<&str>| {
        let mut ty = json!({ "type": "document" });
        if let Some(contract) = contract {
            ty["contract"] = contract.into();
        }
        ty
    };
    let optional = |mut ty: Json| {
        ty["optional"] = true.into();
        ty
    };
    let tell = json!({ "emit": "tell", "with": { "doc": "$bag.doc?", "docs": "$bag.docs", "pair": "$bag.pair?" } });
    let mut tiny = Tiny::new(&[(
        "A",
        json!({
            "trigger": [{ "event": "doc" }],
            "do": [{ "set": { "bag": { "doc": "$input.doc", "pair": { "one": "$input.doc", "n": 1 } } } }, { "append": { "bag": { "docs": "$input.doc" } } },
                { "merge": { "bag": { "by": { "red": "$input.doc" } } } }, tell,
                { "call": "look", "id": "q", "with": { "doc": "$input.doc", "pair": "$bag.pair?" }, "keep": { "kept": "$input.doc" } }],
            "settle": [{ "on": "q", "when": { "outcome": { "doc": { "present": true } } }, "do": [{ "set": { "bag": { "doc": "$outcome.doc" } } },
                { "append": { "bag": { "docs": "$outcome.kept.kept" } } }, tell] }],
        }),
    )]);
    tiny.boundary["trigger"] =
        json!([{ "event": "look.failed", "base": "before", "reason": "went_wrong" }, { "event": "boundary" }]);
    tiny.add(json!({
        "type": { "Pair": { "doc": "d", "field": { "one": { "type": "document" }, "n": { "type": "int" } } } },
        "frame": { "bag": { "owner": "own", "doc": "d", "field": {
            "doc": { "type": "document", "optional": true }, "pair": { "record": "Pair", "optional": true },
            "docs": { "list": { "type": "document" }, "max": 3, "evict": "oldest", "default": [] },
            "by": { "map": { "key": { "enum": "kind" }, "value": { "type": "document" } }, "max": 2, "default": {} } } } },
        "event": { "doc": { "field": { "doc": held(input) }, "doc": "d" } },
        "port": { "look": { "request": { "doc": { "type": "document" }, "pair": { "record": "Pair", "optional": true } },
            "response": { "doc": optional(held(answer)) }, "doc": "d" } },
        "message": { "tell": { "channel": "ui", "doc": "d", "field": { "doc": { "type": "document", "optional": true },
            "docs": { "list": { "type": "document" }, "max": 3 }, "pair": { "record": "Pair", "optional": true } } } },
    }));
    tiny
}

/// A document that is kept, carried and sent back is the same to the last digit, with its keys in their order.
#[test]
fn a_document_comes_back_as_it_went_in() {
    let registry = loaded(&with_documents(None, None).files());
    let config = ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() };
    let documents = || any_json().prop_filter("a null is nothing", |json| !json.is_null());
    proptest!(config, |(given in documents(), answer in documents())| {
        let mut pair = Pair::new(&registry);
        let payload: Json = serde_json::from_str(&format!("{{\"doc\":{given}}}")).expect("JSON");
        let event = Event::input(&registry, "doc", &payload, &json!({})).expect("it fits");
        let step = pair.step(&event).expect("both do the same").expect("a step");
        let paired = format!("\"pair\":{{\"n\":1,\"one\":{given}}}");
        prop_assert_eq!(told(&registry, &step), format!("{{\"doc\":{given},\"docs\":[{given}],{paired}}}"));
        let pack = registry.pack();
        let call = &step.calls[0];
        prop_assert_eq!(call.request(pack).to_string(), format!("{{\"doc\":{given},{paired}}}"));
        pair.state = saved(&registry, &pair.state);
        let value = serde_json::from_str(&format!("{{\"doc\":{answer}}}")).expect("JSON");
        let outcome = Event::Outcome { call: call.id.clone(), status: Status::Ok, value: Some(value), error: None };
        let step = pair.step(&outcome).expect("both do the same").expect("a step");
        prop_assert_eq!(told(&registry, &step), format!("{{\"doc\":{answer},\"docs\":[{given},{given}],{paired}}}"));
        saved(&registry, &pair.state);
    });
}

/// What is wrong with a document that the host gives.
#[test]
fn a_document_is_any_json_but_null_and_nests_so_deep() {
    let registry = loaded(&with_documents(None, None).files());
    let given = |doc: Json| {
        Event::input(&registry, "doc", &json!({ "doc": doc }), &json!({})).map_err(|error| error.to_string())
    };
    let nested = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!({ "in": inner }));
    assert!(given(nested(64)).is_ok());
    assert_eq!(given(nested(65)).expect_err("too deep"), "`doc`: is nested more than 64 deep");
    assert_eq!(given(Json::Null).expect_err("nothing"), "`doc`: is null; event `doc` demands it");
}

#[cfg(feature = "contracts")]
mod contracts {
    use super::*;
    use crate::support::{file, load};
    use segue::declare::SourceText;

    fn files(input: Option<&str>, answer: Option<&str>) -> Vec<SourceText> {
        let mut files = with_documents(input, answer).files();
        let picture =
            json!({ "type": "object", "required": ["format"], "properties": { "format": { "enum": ["png"] } } });
        files.push(file("contracts/picture.json", &picture.to_string()));
        files
    }

    /// An event with a document that its contract does not admit is none.
    #[test]
    fn an_event_is_held_to_the_contracts_of_its_documents() {
        let registry = loaded(&files(Some("picture"), None));
        let given = |doc: Json| {
            Event::input(&registry, "doc", &json!({ "doc": doc }), &json!({})).map_err(|error| error.to_string())
        };
        assert!(given(json!({ "format": "png", "more": [1.50] })).is_ok());
        assert_eq!(
            given(json!({ "format": "bmp" })).expect_err("it breaks the contract"),
            "`doc`: breaks the contract `picture` at `/format`: \"bmp\" is not one of \"png\""
        );
        assert!(given(json!(["png"])).is_err());
    }

    /// An answer with such a document is a failure of kind `contract`, and nothing of it is read.
    #[test]
    fn an_answer_is_held_to_the_contracts_of_its_documents() {
        let registry = loaded(&files(None, Some("picture")));
        for (doc, breach) in [
            (json!({ "format": "png" }), None),
            (json!({ "format": "bmp" }), Some("schema")),
            (json!("png"), Some("schema")),
            // What is left out breaks nothing.
            (Json::Null, None),
        ] {
            let mut pair = Pair::new(&registry);
            let event = Event::input(&registry, "doc", &json!({ "doc": 7 }), &json!({})).expect("it fits");
            let step = pair.step(&event).expect("both do the same").expect("a step");
            let (call, value) = (step.calls[0].id.clone(), Some(json!({ "doc": doc })));
            let outcome = Event::Outcome { call, status: Status::Ok, value, error: None };
            let step = pair.step(&outcome).expect("both do the same").expect("a step");
            let pack = registry.pack();
            assert_eq!(step.breach.map(|breach| pack.names.text(breach)), breach, "{doc}");
        }
    }

    /// A session that holds one was not saved by this pack.
    #[test]
    fn a_saved_session_is_held_to_the_contracts_of_its_documents() {
        let mut files = files(Some("picture"), Some("picture"));
        let schema = files.iter_mut().find(|file| file.text.contains("[frame.bag")).expect("the frame");
        let by = "[frame.bag.field.doc]\n";
        assert!(schema.text.contains(by), "{}", schema.text);
        schema.text = schema.text.replace(by, &format!("{by}contract = \"picture\"\n")).into();
        let registry = loaded(&files);
        let mut pair = Pair::new(&registry);
        let event =
            Event::input(&registry, "doc", &json!({ "doc": { "format": "png" } }), &json!({})).expect("it fits");
        pair.step(&event).expect("both do the same").expect("a step");
        let text = pair.state.to_json(registry.pack()).to_string();
        let mut ids = NumberedIds::default();
        let mut read = |text: &str| {
            let json = serde_json::from_str(text).expect("JSON");
            restore(&registry, &json, &mut env(1, &mut ids)).map_err(|error| error.to_string())
        };
        assert!(read(&text).is_ok());
        let refused = read(&text.replacen("\"doc\":{\"format\":\"png\"", "\"doc\":{\"format\":\"bmp\"", 1))
            .expect_err("it breaks the contract");
        assert!(refused.starts_with("`bag.doc`: breaks the contract `picture` at `/format`"), "{refused}");
    }

    /// A document of which nobody knows whether a contract admits it does not stand where one is due that it is held to.
    #[test]
    fn a_document_without_a_contract_stands_for_none_with_one() {
        let mut files = files(None, None);
        let schema = files.iter_mut().find(|file| file.text.contains("[frame.bag")).expect("the frame");
        let by = "[frame.bag.field.doc]\n";
        schema.text = schema.text.replace(by, &format!("{by}contract = \"picture\"\n")).into();
        let errors = load(&files).map(|_| ()).expect_err("it does not load");
        assert!(errors.contains("expected a document that is held to `picture`, found a document"), "{errors}");
    }
}
