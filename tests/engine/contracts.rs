//! Contracts of ports, one test for each sentence of the pages. What the engine makes of them is compared with another validator by the
//! reference evaluator.

use serde_json::{Value as Json, json};

use crate::support::joint::{Part, World, files as joined, log, on};
use crate::support::pair::{Pair, Shown, shown};
use crate::support::tiny::Tiny;
use crate::support::{file, load, loaded, workspace};
use segue::audit::{Config, Scope, audit};
use segue::declare::SourceText;
use segue::diag::Code;
use segue::engine::Event;
use segue::model::Status;
use segue::registry::Registry;
use segue::source::Span;
use segue::state::SessionState;

/// A pack whose class `A` asks `ask`, which is held to the contracts of these files; what fails is told with its breach.
fn files(port: Json, contracts: &[(&str, Json)]) -> Vec<SourceText> {
    settled(&[json!({ "outcome": { "status": "ok" } })], port, contracts)
}

/// The same, where these rows settle the call.
fn settled(rows: &[Json], port: Json, contracts: &[(&str, Json)]) -> Vec<SourceText> {
    let rows: Vec<Json> = rows.iter().map(|when| json!({ "on": "q", "when": when, "do": [] })).collect();
    let mut tiny = Tiny::new(&[(
        "A",
        json!({
            "do": [{ "call": "ask", "id": "q", "with": { "some_text": "$gate.note?" } }],
            "settle": rows,
        }),
    )]);
    tiny.boundary["trigger"] =
        json!([{ "event": "ask.failed", "base": "before", "reason": "went_wrong" }, { "event": "boundary" }]);
    tiny.boundary["do"] =
        json!([{ "emit": "say", "with": { "what": { "join": ["$reason", "$outcome.error?", "$outcome.breach?"] } } }]);
    let mut declared = json!({
        "case": "camel", "doc": "d", "request": { "some_text": { "type": "text", "optional": true } },
        "response": { "is_found": { "type": "bool" }, "size": { "type": "decimal", "optional": true } },
    });
    for (name, part) in port.as_object().expect("a table") {
        declared[name.as_str()] = part.clone();
    }
    tiny.add(json!({ "port": { "ask": declared } }));
    let mut files = tiny.files();
    let written = contracts.iter().map(|(name, schema)| file(&format!("contracts/{name}.json"), &schema.to_string()));
    files.extend(written);
    files
}

struct Talk<'r> {
    pair: Pair<'r>,
    registry: &'r Registry,
}

impl<'r> Talk<'r> {
    /// A session in which `a` is said while `gate.note` is this.
    fn asking(registry: &'r Registry, note: Option<&str>) -> (Self, Shown) {
        let given = note.map_or_else(|| json!({}), |note| json!({ "gate": { "note": note } }));
        let state = SessionState::from_frames(registry.pack(), &given).expect("a state");
        let mut talk = Self { pair: Pair::starting(registry, state), registry };
        let event = Event::input(registry, "utterance", &json!({ "text": "a" }), &json!({})).expect("an event");
        let step = talk.take(&event);
        (talk, step)
    }

    fn take(&mut self, event: &Event) -> Shown {
        let step = self.pair.step(event).unwrap_or_else(|difference| panic!("{difference}")).expect("a step");
        shown(self.registry.pack(), &step)
    }

    fn ok(&mut self, value: &str) -> Shown {
        let value = Some(serde_json::from_str(value).expect("JSON"));
        self.take(&Event::Outcome { call: "call-1".into(), status: Status::Ok, value, error: None })
    }
}

fn answer() -> Json {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object", "required": ["isFound"], "additionalProperties": false,
        "properties": { "isFound": { "type": "boolean" }, "size": { "$ref": "parts.json#/$defs/size" } },
    })
}

fn parts() -> Json {
    json!({ "$defs": { "size": { "type": "number", "maximum": 3 } } })
}

#[test]
fn an_answer_that_its_contract_does_not_admit_is_a_failure_with_the_breach_schema() {
    let contracts = [("answer", answer()), ("parts", parts())];
    let registry = loaded(&files(json!({ "contract": { "response": "answer" } }), &contracts));
    for (value, breach) in [
        (r#"{ "isFound": true }"#, None),
        (r#"{ "isFound": true, "size": 2 }"#, None),
        (r#"{ "isFound": true, "size": 4 }"#, Some("schema")),
        // It is the form that crosses the border which is looked at, before it is read.
        (r#"{ "is_found": true }"#, Some("schema")),
        (r#"{ "isFound": "yes" }"#, Some("schema")),
        (r#"{ "isFound": true, "more": 1 }"#, Some("schema")),
        ("null", Some("schema")),
    ] {
        let (mut talk, step) = Talk::asking(&registry, None);
        assert_eq!(step.class.as_deref(), Some("A"));
        let step = talk.ok(value);
        assert_eq!(step.breach.as_deref(), breach, "{value}");
        assert_eq!(step.class.as_deref(), Some(if breach.is_some() { "Z" } else { "A" }), "{value}");
        if breach.is_some() {
            assert!(step.messages[0].contains("went_wrong contract schema"), "{step:?}");
        }
    }
}

#[test]
fn numbers_are_held_against_a_contract_digit_for_digit() {
    let tenths: Json =
        serde_json::from_str(r#"{ "properties": { "size": { "maximum": 0.3, "multipleOf": 0.1 } } }"#).expect("JSON");
    let registry = loaded(&files(json!({ "contract": { "response": "answer" } }), &[("answer", tenths)]));
    let contracts = segue::contract::Contracts::compile(registry.pack()).expect("they compile");
    for (size, fits) in [("0.3", true), ("0.30000000000000001", false), ("0.1", true), ("0.25", false), ("3e-1", true)]
    {
        let value = serde_json::from_str(&format!("{{ \"size\": {size} }}")).expect("JSON");
        let broken = contracts.broken(0, &value);
        assert_eq!(broken.is_none(), fits, "{size}: {broken:?}");
        assert!(broken.is_none_or(|broken| broken.at == "/size"));
    }
}

#[test]
fn what_a_contract_admits_is_still_held_to_the_declared_type_and_the_checks() {
    let check = json!([{ "id": "found", "require": { "response": { "is_found": true } } }]);
    let port = json!({ "contract": { "response": "any" }, "check": check });
    let registry = loaded(&files(port, &[("any", json!(true))]));
    for (value, breach) in [
        (r#"{ "isFound": 1 }"#, Some("type")),
        (r#"{ "isFound": false }"#, Some("found")),
        (r#"{ "isFound": true }"#, None),
    ] {
        assert_eq!(Talk::asking(&registry, None).0.ok(value).breach.as_deref(), breach, "{value}");
    }
}

#[test]
fn a_request_that_its_contract_does_not_admit_never_leaves() {
    let schema = json!({ "type": "object", "properties": { "someText": { "maxLength": 3 } } });
    let registry = loaded(&files(json!({ "contract": { "request": "asked" } }), &[("asked", schema)]));
    let (talk, step) = Talk::asking(&registry, Some("abc"));
    assert_eq!((step.class.as_deref(), talk.pair.state.open_calls().len()), (Some("A"), 1));
    let (talk, step) = Talk::asking(&registry, Some("abcd"));
    assert_eq!((step.class.as_deref(), step.failed, step.calls.len()), (Some("Z"), vec!["A".to_owned()], 0));
    assert_eq!(step.reasons, ["verification_failed"]);
    assert!(talk.pair.state.open_calls().is_empty());
}

#[test]
fn a_broken_contract_is_asked_for_again_where_retry_says_so() {
    let port = json!({ "contract": { "response": "answer" }, "retry": { "max": 1, "on": ["contract"] } });
    let registry = loaded(&files(port, &[("answer", answer()), ("parts", parts())]));
    let step = Talk::asking(&registry, None).0.ok("{}");
    assert_eq!((step.retried, step.breach.as_deref()), (Some((1, 1)), Some("schema")));
}

#[test]
fn what_is_wrong_with_contracts_is_said_at_its_place() {
    let held = json!({ "contract": { "response": "answer" } });
    let object = json!({ "type": "object" });
    for (port, contracts, wanted) in [
        (json!({ "contract": { "response": "answre" } }), vec![("answer", object.clone())], "did you mean `answer`?"),
        (json!({ "contract": { "respnse": "answer" } }), vec![("answer", object.clone())], "did you mean `response`?"),
        (json!({ "contract": {} }), vec![], "no contract is named"),
        (held.clone(), vec![("answer", json!({ "type": "objekt" }))], "contracts/answer.json:1:9"),
        (
            held.clone(),
            vec![("answer", json!({ "$ref": "prats.json" })), ("parts", parts())],
            "did you mean `parts.json`?",
        ),
        (held.clone(), vec![("answer", json!({ "$ref": "https://example.com/x.json" }))], "nothing is fetched"),
        (held.clone(), vec![("answer", json!({ "$ref": "#/$defs/x" }))], "leads nowhere"),
        (held.clone(), vec![("answer", json!({ "$ref": "parts.json#/$defs/x" })), ("parts", parts())], "leads nowhere"),
        (
            held.clone(),
            vec![("answer", json!({ "$schema": "http://json-schema.org/draft-07/schema#" }))],
            "draft 2020-12",
        ),
        (held.clone(), vec![("answer", json!("object"))], "a contract is a JSON Schema"),
    ] {
        let refused = load(&files(port.clone(), &contracts)).err().unwrap_or_else(|| panic!("{contracts:?} loads"));
        assert!(refused.contains(wanted), "{port} {contracts:?}: {refused}");
        assert_eq!(refused.matches("error[").count(), 1, "{port} {contracts:?}: {refused}");
    }
    let mut broken = files(held, &[]);
    broken.push(file("contracts/answer.json", "{ \"type\": object }"));
    let refused = load(&broken).expect_err("it is no JSON");
    assert!(refused.contains("contracts/answer.json:1:11") && refused.matches("error[").count() == 1, "{refused}");
}

#[test]
fn contracts_belong_to_the_pack() {
    let held = json!({ "contract": { "response": "answer" } });
    let contracts = [("answer", answer()), ("parts", parts())];
    let one = loaded(&files(held.clone(), &contracts));
    let again = loaded(&files(held.clone(), &[contracts[1].clone(), contracts[0].clone()]));
    assert_eq!(one.pack().fingerprint, again.pack().fingerprint);
    let mut looser = parts();
    looser["$defs"]["size"]["maximum"] = json!(4);
    let other = loaded(&files(held.clone(), &[contracts[0].clone(), ("parts", looser)]));
    assert_ne!(one.pack().fingerprint, other.pack().fingerprint);
    // One that nothing names, and one that only such a one refers to.
    let more = [&contracts[..], &[("idle", json!({ "$ref": "lost.json" })), ("lost", json!({}))]].concat();
    let names: Vec<String> = loaded(&files(held, &more)).pack().unused.iter().map(|of| of.name.clone()).collect();
    assert!(names.contains(&"idle".to_owned()) && names.contains(&"lost".to_owned()), "{names:?}");
    assert!(!names.contains(&"parts".to_owned()), "{names:?}");
}

#[test]
fn a_field_that_a_contract_never_admits_is_found_where_that_is_certain() {
    let found = |schema: Json| {
        let registry = loaded(&files(json!({ "contract": { "response": "answer" } }), &[("answer", schema)]));
        let out = segue::diag::Diagnostics::new();
        segue::check::lint::check(registry.pack(), registry.matcher(), &out);
        out.into_sorted().into_iter().filter(|found| found.code == Code::FieldNotInContract).count()
    };
    let with = |fields: Json| json!({ "type": "object", "properties": fields, "additionalProperties": false });
    assert_eq!(found(with(json!({ "isFound": true }))), 1, "size");
    assert_eq!(found(with(json!({ "is_found": true, "size": true }))), 1, "it is called isFound there");
    assert_eq!(found(with(json!({ "isFound": true, "size": true }))), 0);
    assert_eq!(found(json!({ "$ref": "#/$defs/a", "$defs": { "a": with(json!({})) } })), 0, "more than a reference");
    assert_eq!(found(json!({ "properties": { "size": false } })), 1);
    assert_eq!(found(json!({ "type": "object" })), 0);
    let mut open = with(json!({}));
    open["patternProperties"] = json!({ "^i": true });
    assert_eq!(found(open), 0);
}

#[test]
fn models_are_asked_for_the_contract() {
    let contracts = [("answer", answer()), ("parts", parts())];
    let registry = loaded(&files(json!({ "contract": { "response": "answer" } }), &contracts));
    let pack = registry.pack();
    let asked = segue::binding::of_port(pack, pack.port("ask").expect("a port"));
    assert_eq!(
        asked.schema,
        json!({
            "type": "object", "required": ["isFound"], "additionalProperties": false,
            "properties": { "isFound": { "type": "boolean" }, "size": { "$ref": "#/$defs/parts.json/$defs/size" } },
            "$defs": { "parts.json": parts() },
        })
    );
    assert!(!asked.strict);
}

#[test]
fn overlaps_of_rows_that_tell_breaches_apart_are_shown_or_ruled_out() {
    let breach = |word: Json| json!({ "outcome": { "breach": word } });
    let answer = |of: Json| json!({ "type": "object", "properties": of });
    // What the contract is, two rows, and whether both can hold.
    let plain = || answer(json!({ "isFound": { "const": true } }));
    for (contract, rows, both) in [
        (plain(), [breach(json!("schema")), breach(json!({ "present": true }))], true),
        (plain(), [breach(json!("type")), breach(json!({ "differs": "schema" }))], true),
        (plain(), [breach(json!("type")), breach(json!("schema"))], false),
        // The contract admits numbers that the type has no room for.
        (json!({ "$ref": "whole.json" }), [breach(json!("type")), breach(json!({ "present": true }))], true),
        (plain(), [json!({ "outcome": { "is_found": false } }), json!({ "outcome": { "status": "ok" } })], false),
        (
            answer(json!({ "size": { "minimum": 5 } })),
            [json!({ "outcome": { "is_found": false } }), json!({ "outcome": { "status": "ok" } })],
            true,
        ),
        (
            json!({ "required": ["size"] }),
            [
                json!({ "outcome": { "status": "ok", "size": { "present": false } } }),
                json!({ "outcome": { "status": "ok" } }),
            ],
            false,
        ),
        (
            json!({ "anyOf": [{ "required": ["size"] }, answer(json!({ "isFound": { "const": false } }))] }),
            [json!({ "outcome": { "is_found": false } }), json!({ "outcome": { "size": { "present": false } } })],
            true,
        ),
    ] {
        let whole = json!({ "type": "object", "required": ["isFound"], "additionalProperties": false,
            "properties": { "isFound": { "type": "boolean" }, "size": { "type": "number" } } });
        let files = settled(&rows, json!({ "contract": { "response": "it" } }), &[("it", contract), ("whole", whole)]);
        let found = segue::analysis::overlap::overlaps(&loaded(&files));
        let shown: Vec<bool> = found.iter().map(|finding| finding.found.is_ok()).collect();
        assert_eq!(shown, if both { vec![true] } else { vec![] }, "{rows:?}: {found:#?}");
    }
}

/// Where an answer holds a document, witnesses hold one that its contract admits, or one that it does not admit.
#[test]
fn witnesses_hold_documents_that_contracts_admit() {
    let breach = |word: Json| json!({ "outcome": { "breach": word } });
    let there = |there: bool| json!({ "outcome": { "status": "ok", "picture": { "present": there } } });
    let picture = json!({ "type": "object", "required": ["format", "size", "parts"], "additionalProperties": false, "properties": {
        "format": { "enum": ["png", "jpeg"] }, "size": { "$ref": "#/$defs/size" }, "parts": { "type": "array", "minItems": 2, "items": { "type": "string", "minLength": 3 } } },
        "$defs": { "size": { "type": "integer", "minimum": 7 } } });
    for (rows, both) in [
        ([breach(json!("schema")), breach(json!({ "present": true }))], true),
        ([breach(json!("type")), breach(json!("schema"))], false),
        ([there(true), json!({ "outcome": { "status": "ok" } })], true),
        ([there(true), there(false)], false),
    ] {
        let response = json!({ "is_found": { "type": "bool" }, "picture": { "type": "document", "contract": "picture", "optional": true } });
        let files = settled(&rows, json!({ "response": response }), &[("picture", picture.clone())]);
        let found = segue::analysis::overlap::overlaps(&loaded(&files));
        let shown: Vec<bool> = found.iter().map(|finding| finding.found.is_ok()).collect();
        assert_eq!(shown, if both { vec![true] } else { vec![] }, "{rows:?}: {found:#?}");
    }
}

/// A pack that extends another takes its contracts over, and what refers to one that it replaces or removes means its own.
#[test]
fn contracts_are_those_of_the_pack_that_is_extended() {
    let manifest = |more: &str| {
        let text = "[pack]\nid = \"child\"\ntitle = \"Child\"\nextends = \"tiny\"\n";
        file("child/pack.toml", &format!("{text}{more}"))
    };
    let base = || {
        let contracts = [("answer", answer()), ("parts", parts())];
        let files = files(json!({ "contract": { "response": "answer" } }), &contracts);
        files.into_iter().map(|of| of.of_pack("tiny")).collect::<Vec<_>>()
    };
    let with = |own: Vec<SourceText>| load(&own.into_iter().chain(base()).collect::<Vec<_>>());
    let breach = |registry: &Registry, value: &str| {
        let (mut talk, _) = Talk::asking(registry, None);
        talk.ok(value).breach
    };
    let four = r#"{ "isFound": true, "size": 4 }"#;
    let plain = with(vec![manifest("")]).expect("it loads");
    assert_eq!(breach(&plain, four).as_deref(), Some("schema"));
    assert_eq!(breach(&plain, r#"{ "isFound": true, "size": 2 }"#), None);
    let parts = file("child/contracts/parts.json", r#"{ "$defs": { "size": { "type": "number", "maximum": 5 } } }"#);
    let own = with(vec![manifest("replace = [\"contract.parts\"]\n"), parts.clone()]).expect("it loads");
    assert_eq!(breach(&own, four), None);
    assert_ne!(own.pack().fingerprint, plain.pack().fingerprint);
    let twice = with(vec![manifest(""), parts]).map(|_| ()).expect_err("both packs hold it");
    assert!(twice.contains("write `replace = [\"contract.parts\"]` in the manifest"), "{twice}");
    let lost = with(vec![manifest("remove = [\"contract.parts\"]\n")]).map(|_| ()).expect_err("one refers to it");
    assert!(lost.contains("`parts.json` is no contract of this pack"), "{lost}");
    let misspelt = with(vec![manifest("remove = [\"contract.part\"]\n")]).map(|_| ()).expect_err("there is none");
    assert!(misspelt.contains("declares no `contract.part`") && misspelt.contains("contract.parts"), "{misspelt}");
}

/// A pack whose event `on` holds a picture to one contract, and whose port `next` holds that of its answer to another.
fn pictures(part: Part, taken: Option<&str>, answered: Option<&str>) -> Part {
    let document = |contract: Option<&str>| match contract {
        Some(name) => json!({ "type": "document", "contract": name, "optional": true }),
        None => json!({ "type": "document", "optional": true }),
    };
    let mut part = part;
    let pack = &mut part.documents[0].1;
    pack["event"]["on"]["field"]["picture"] = document(taken);
    for port in ["next", "tell"] {
        pack["port"][port]["request"]["picture"] = document(None);
    }
    pack["port"]["next"]["response"]["picture"] = document(answered);
    pack["message"]["ok"]["field"]["picture"] = document(None);
    for (name, schema) in [("whole", json!({ "type": "integer" })), ("low", json!({ "maximum": 5 }))] {
        if [taken, answered].contains(&Some(name)) {
            part.documents.push((format!("contracts/{name}"), schema));
        }
    }
    part
}

/// Between packs documents are held to contracts as they are where they come from the host: of the serving pack in its event, of the
/// calling one in its answer.
#[test]
fn documents_are_held_to_contracts_between_packs() {
    let passes = |port: &str| json!({ "call": port, "id": "n", "with": { "id": "G", "picture": "$input.picture?" } });
    let outer = Part::new(&[("A", json!({ "do": [passes("next")], "settle": [on("n", json!([log("answered")]))] }))]);
    let gate = Part::new(&[("G", json!({ "do": [{ "emit": "ok", "with": { "picture": "$input.picture?" } }] }))]);
    let outer = pictures(outer.using("gate"), None, Some("low"));
    let gate = pictures(gate, Some("whole"), None);
    let took = |picture: &str| {
        let mut world = World::new(&outer, &[("gate", &gate)]);
        let said = format!(r#"{{ "id": "A", "picture": {picture} }}"#);
        let said = serde_json::from_str(&said).expect("JSON");
        let event = Event::input(&world.registry, "on", &said, &json!({})).expect("an event");
        (world.take(&event), world.log(0))
    };
    let answered = vec!["answered".to_owned()];
    assert_eq!(
        took("3"),
        (vec!["A".into(), "gate/G for call-1".into(), "A after call-1".into(), "answer yes".into()], answered)
    );
    let lost = |how: &[&str]| (how.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>(), Vec::<String>::new());
    assert_eq!(took("3.5"), lost(&["A", "Z after call-1 failed contract", "message say lost", "answer yes"]));
    assert_eq!(took("7"), lost(&["A", "gate/G for call-1", "Z after call-1", "message say lost", "answer yes"]));
    // Nobody would hear of it where no outcome comes.
    let outer = Part::new(&[(
        "A",
        json!({ "do": [{ "call": "tell", "id": "n", "with": { "id": "G", "picture": "$input.picture?" } }] }),
    )]);
    let outer = pictures(outer.using_as("gate", "gate", &["tell"]), None, None);
    let refused = load(&joined(&outer, &[("gate", &gate)])).map(|_| ()).expect_err("it is not heard");
    let wanted = "the event `on` holds `picture` to a contract, and nobody hears of a call that breaks it";
    assert!(refused.contains(wanted) && refused.matches("error[").count() == 1, "{refused}");
}

/// What `check` says of the step-back pack with a text in one of its files changed: file, code.
fn step_back_with(name: &str, from: &str, to: &str) -> Vec<(String, Code)> {
    let mut files = workspace().pack("step-back").expect("the pack");
    let file = files.iter_mut().find(|file| file.name.ends_with(name)).expect("the file");
    assert!(file.text.contains(from), "{from} in {name}");
    file.text = file.text.replacen(from, to, 1).into();
    let audit = audit(&files, &[], &Config { scope: Scope::Pack, ..Config::default() });
    let of = |span: Span| audit.sources.name(span.file).rsplit('/').next().unwrap_or_default().to_owned();
    audit.diagnostics.iter().map(|found| (of(found.primary.span), found.code)).collect()
}

/// One that refers to it says nothing, and none is unused because what names it is wrong.
#[test]
fn a_contract_that_is_none_is_told_where_it_is_written() {
    for (name, from, to) in [
        ("contracts/answers.json", "\"type\": \"object\"", "\"type\": \"objct\""),
        ("contracts/answers.json", "\"additionalProperties\"", "\"minLength\": -1, \"additionalProperties\""),
        (
            "contracts/answers.json",
            "\"additionalProperties\"",
            "\"patternProperties\": { \"(\": {} }, \"additionalProperties\"",
        ),
    ] {
        assert_eq!(step_back_with(name, from, to), [("answers.json".to_owned(), Code::BadValue)], "{to}");
    }
    for (name, from, to) in [
        ("ports.toml", "retry = { max = ", "retry = { max = -"),
        ("contracts/interpret-request.json", "step-back-result.json", "step-back-rsult.json"),
        ("contracts/answers.json", "\"type\": \"object\",", "\"type\": \"object\""),
    ] {
        let found = step_back_with(name, from, to);
        assert!(
            found.iter().all(|(_, code)| *code != Code::UnusedVocabulary) && !found.is_empty(),
            "{name}: {found:?}"
        );
    }
}
