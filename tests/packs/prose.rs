//! Prose decides nothing: where it may not go, and what becomes of conversations whose every word for people is another one.

use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

use crate::support::tiny::Tiny;
use crate::support::{load, loaded, workspace};
use segue::engine::{CallOut, Event, Step};
use segue::model::Pack;
use segue::model::ids::{FrameId, PortId, Slot};
use segue::model::json::{named_to_wire, to_json};
use segue::model::names::Sym;
use segue::model::schema::{NamedType, Type};
use segue::model::uses::PackAt;
use segue::model::value::{RecordValue, Value};
use segue::registry::Registry;
use segue::scenario::{self, CallName, Happens, Reply, Script, play, script};
use segue::source::FileId;
use segue::state::SessionState;
use segue::syntax::Format;
use segue::workspace::files;

/// A tiny pack with a narrative in its frame `talk`, in the record `Line` and in the answer of the port `tell`; class `A` does this.
fn pack(does: Json, more: Json) -> Tiny {
    let mut tiny = Tiny::new(&[("A", does)]);
    tiny.add(json!({
        "type": { "Line": { "doc": "d", "field": { "who": { "enum": "kind" }, "said": { "type": "narrative" } } } },
        "frame": { "talk": { "owner": "own", "doc": "d", "field": {
            "said": { "type": "narrative", "optional": true }, "heard": { "type": "narrative", "optional": true },
            "line": { "record": "Line", "optional": true }, "lines": { "list": { "record": "Line" }, "max": 4, "default": [] },
            "by": { "map": { "key": { "enum": "kind" }, "value": { "type": "narrative" } }, "max": 2, "default": {} },
            "lot": { "list": { "type": "narrative" }, "max": 4, "default": [] } } } },
        "event": { "told": { "field": { "story": { "type": "narrative" }, "ref": { "type": "id", "optional": true } }, "doc": "d" } },
        "port": { "tell": { "request": { "what": { "type": "text", "optional": true } }, "response": { "tale": { "type": "narrative" } }, "doc": "d" } },
        "message": { "show": { "channel": "ui", "doc": "d", "text": "{tale}", "field": { "tale": { "type": "narrative", "optional": true } } } },
    }));
    tiny.add(more);
    tiny
}

/// What is found where class `A` does this.
fn found(does: Json, more: Json) -> String {
    load(&pack(does, more).files()).map_or_else(|errors| errors, |_| "nothing".into())
}

fn effects(list: Json) -> String {
    found(json!({ "do": list }), json!({}))
}

#[track_caller]
fn refused(errors: &str) {
    let all = errors.matches("error[").count();
    assert!(all == 1 && errors.contains("error[prose-decides]"), "{errors}");
}

#[test]
fn prose_goes_into_prose_alone() {
    let keeps = json!([
        { "set": { "talk": { "said": "$talk.heard?", "line": { "who": "red", "said": { "first": ["$talk.heard?", "hm"] } } } } },
        { "append": { "talk": { "lot": "$talk.heard?", "lines": "$talk.line?" } } },
        { "merge": { "talk": { "by": { "red": "$talk.said?" } } } },
        { "set": { "talk": { "heard": { "join": ["$talk.said?", "$gate.note?", "$root.kind?"] } } } },
        { "set": { "talk": { "lot": { "pick": "$talk.lines", "where": { "value": { "who": "red" } }, "take": "value.said" } } } },
        { "emit": "show", "with": { "tale": "$talk.said?" } },
    ]);
    assert_eq!(effects(keeps), "nothing");
    for list in [
        json!([{ "set": { "gate": { "note": "$talk.said?" } } }]),
        json!([{ "set": { "gate": { "note": { "first": ["$talk.line.said?", "x"] } } } }]),
        json!([{ "set": { "gate": { "note": { "join": ["$talk.said?", "x"] } } } }]),
        json!([{ "set": { "gate": { "note": { "join": ["x", "$talk.lot"] } } } }]),
        json!([{ "append": { "root": { "log": "$talk.said?" } } }]),
        json!([{ "set": { "root": { "log": "$talk.lot" } } }]),
        json!([{ "set": { "root": { "log": { "pick": "$talk.lines", "take": "value.said" } } } }]),
        json!([{ "set": { "root": { "log": ["$talk.by[$root.kind]?"] } } }]),
        json!([{ "emit": "say", "with": { "what": "$talk.said?" } }]),
    ] {
        refused(&effects(list));
    }
    let call = json!({ "do": [{ "call": "tell", "id": "t", "with": { "what": "$talk.said?" } }], "settle": [] });
    refused(&found(call, json!({})));
    let settled = json!({ "do": [{ "call": "tell", "id": "t", "with": {} }],
        "settle": [{ "on": "t", "when": { "outcome": { "status": "ok" } }, "do": [{ "set": { "gate": { "note": "$outcome.tale" } } }] }] });
    refused(&found(settled, json!({})));
}

#[test]
fn no_condition_looks_at_prose() {
    let requires = |cond: Json| found(json!({ "requires": cond }), json!({}));
    let typed = json!({ "talk": { "line": { "who": "red" }, "lines": { "size": { "gt": 0 }, "exists": { "value": { "who": "red" } } }, "by": { "contains": "red" } } });
    assert_eq!(requires(typed), "nothing");
    for cond in [
        json!({ "talk": { "said": "yes" } }),
        json!({ "talk": { "said": { "present": true } } }),
        json!({ "talk": { "line": { "said": { "not": "yes" } } } }),
        json!({ "talk": { "lot": { "contains": "yes" } } }),
        json!({ "talk": { "lot": { "empty": false } } }),
        json!({ "talk": { "lines": { "exists": { "value": { "said": "yes" } } } } }),
        json!({ "talk": { "by": { "every": { "value": "yes" } } } }),
        json!({ "talk": { "line": { "differs": "$talk.line" } } }),
        json!({ "talk": { "lines": { "contains": "$talk.line" } } }),
        json!({ "talk": { "lines": { "same_set": "$talk.lines" } } }),
        json!({ "talk": { "by": { "differs": "$talk.by" } } }),
    ] {
        refused(&requires(cond));
    }
    // The left side is typed, and nothing equals prose.
    assert!(requires(json!({ "gate": { "note": "$talk.said" } })).contains("never equals"), "a text and prose");
}

#[test]
fn nothing_that_holds_prose_is_compared_with_what_stood() {
    refused(&effects(json!([{ "remove": { "talk": { "lot": "hm" } } }])));
    refused(&effects(json!([{ "remove": { "talk": { "lines": "$talk.line?" } } }])));
    assert_eq!(effects(json!([{ "remove": { "talk": { "by": "red" } } }])), "nothing");
    let carries = |preserve: Json, list: Json| {
        let carryover = json!({ "depth": "full", "keep": [], "forbid": [], "preserve": preserve });
        found(json!({ "carryover": carryover, "do": list }), json!({}))
    };
    let writes = || json!([{ "set": { "talk": { "said": "$talk.heard?" } } }]);
    assert_eq!(carries(json!(["talk.said"]), json!([])), "nothing");
    assert_eq!(carries(json!(["talk.heard"]), writes()), "nothing");
    refused(&carries(json!(["talk.said"]), writes()));
    refused(&carries(json!([{ "field": "talk.said", "equals": "$talk.heard" }]), json!([])));
    let once = json!({ "frame": { "last": { "owner": "own", "doc": "d", "field": { "word": { "type": "narrative", "optional": true, "set_once": true } } } } });
    refused(&found(json!({ "do": [{ "set": { "last": { "word": "$talk.said?" } } }] }), once));
    let tone = json!({ "signal": { "tone": { "type": "narrative", "doc": "d" } } });
    let hears = |alternative: Json| json!({ "trigger": [{ "event": "utterance", "any": [alternative], "examples": [], "counterexamples": [] }] });
    assert_eq!(found(hears(json!({ "signal": "tone" })), tone.clone()), "nothing");
    refused(&found(hears(json!({ "signal": "tone", "is": ["angry"] })), tone));
}

#[test]
fn a_port_for_conclusions_gets_no_prose_at_any_depth() {
    let port = |request: Json| {
        let port = json!({ "port": { "think": { "conclusions_only": true, "request": request, "response": {}, "doc": "d" } } });
        found(json!({}), port)
    };
    assert_eq!(
        port(
            json!({ "said": { "type": "text" }, "kinds": { "list": { "enum": "kind" }, "max": 2 }, "any_json": { "type": "document" } })
        ),
        "nothing"
    );
    for ty in [
        json!({ "type": "narrative" }),
        json!({ "record": "Line" }),
        json!({ "list": { "record": "Line" }, "max": 2 }),
        json!({ "map": { "key": { "type": "id" }, "value": { "list": { "type": "narrative" }, "max": 2 } }, "max": 2 }),
    ] {
        refused(&port(json!({ "said": ty })));
    }
}

/// A value with other prose in it: each is what `other` makes of it.
fn replaced(pack: &Pack, ty: &Type, value: &Value, other: &mut dyn FnMut() -> String) -> Value {
    match (ty, value) {
        (Type::Narrative, Value::Text(_)) => Value::text(&other()),
        (Type::List { of, .. }, Value::List(items)) => {
            Value::List(items.iter().map(|item| replaced(pack, of, item, other)).collect())
        }
        (Type::Map { of, .. }, Value::Map(entries)) => {
            Value::Map(entries.iter().map(|(key, value)| (key.clone(), replaced(pack, of, value, other))).collect())
        }
        (Type::Record(id), Value::Record(record)) => {
            let declared = &pack.records[id.index()].fields;
            let of = |name: &Sym| &declared.iter().find(|field| field.name == *name).expect("it is declared").ty;
            let fields = record.fields.iter().map(|(name, value)| (*name, replaced(pack, of(name), value, other)));
            Value::Record(RecordValue { fields: fields.collect(), extra: record.extra.clone() }.into())
        }
        (_, value) => value.clone(),
    }
}

/// The same of JSON: `name` says how a field is called in it.
fn in_json(pack: &Pack, ty: &Type, json: &mut Json, name: fn(&NamedType) -> Sym, other: &mut dyn FnMut() -> String) {
    match (ty, json) {
        (Type::Narrative, json @ Json::String(_)) => *json = other().into(),
        (Type::List { of, .. }, Json::Array(items)) => {
            items.iter_mut().for_each(|item| in_json(pack, of, item, name, other))
        }
        (Type::Map { of, .. }, Json::Object(all)) => {
            all.values_mut().for_each(|value| in_json(pack, of, value, name, other))
        }
        (Type::Record(id), Json::Object(all)) => {
            for field in &pack.records[id.index()].fields {
                if let Some(value) = all.get_mut(pack.names.text(name(field))) {
                    in_json(pack, &field.ty, value, name, other);
                }
            }
        }
        _ => {}
    }
}

/// Replaces all prose that a script brings in: what stands before its first turn, events and answers.
fn replace(pack: &Pack, script: &mut Script, other: &mut dyn FnMut() -> String) {
    let mut frames = Map::new();
    for frame in (0..pack.frames.len()).map(FrameId::at) {
        let declared = &pack.frames[frame.index()];
        let mut json = script.given.frame_json(pack, frame);
        let all = json.as_object_mut().expect("a frame");
        let mut in_fields = |all: &mut Map<String, Json>| {
            for slot in declared.fields() {
                let field = &pack.slots[slot.index()];
                if let Some(value) = all.get_mut(pack.names.text(field.name)) {
                    in_json(pack, &field.ty, value, |field| field.name, other);
                }
            }
        };
        if declared.keyed.is_some() {
            all.retain(|_, instance| instance.is_object());
            for instance in all.values_mut().filter_map(Json::as_object_mut) {
                instance.retain(|name, _| !["key", "known", "open"].contains(&name.as_str()));
                in_fields(instance);
            }
        } else {
            in_fields(all);
        }
        frames.insert(pack.names.text(declared.name).into(), json);
    }
    script.given = SessionState::from_frames(pack, &Json::Object(frames)).expect("it fits as it did");
    // What is known of a call is its port or nothing; the same field of several ports of a pack is of one type.
    let mut in_reply = |at: PackAt, port: Option<PortId>, reply: &mut Reply| {
        let pack = pack.at(at);
        let Some(Json::Object(answer)) = &mut reply.value else { return };
        let ports = pack.ports.iter().enumerate().filter(|(at, _)| port.is_none_or(|port| port.index() == *at));
        let mut done: Vec<Sym> = Vec::new();
        for ((id, _), wire) in ports.flat_map(|(_, port)| port.response.iter().zip(&port.wire)) {
            if let (Some(value), false) = (answer.get_mut(pack.names.text(*wire)), done.contains(wire)) {
                in_json(pack, &pack.outcomes[id.index()].ty, value, |field| field.wire, other);
                done.push(*wire);
            }
        }
    };
    for turn in &mut script.turns {
        turn.expect = None;
        for call in &mut turn.calls {
            call.with.clear();
            call.reply.iter_mut().for_each(|reply| in_reply(call.pack, Some(call.port), reply));
        }
        for input in &mut turn.inputs {
            match &mut input.happens {
                Happens::Outcome { of: CallName::Port(at, port), reply } => in_reply(*at, Some(*port), reply),
                Happens::Outcome { of: CallName::Id(_), reply } => in_reply(PackAt::OUTERMOST, None, reply),
                Happens::Event(_) => {}
            }
        }
    }
    for input in script.turns.iter_mut().flat_map(|turn| &mut turn.inputs) {
        if let Happens::Event(Event::Input { fields, .. }) = &mut input.happens {
            for (id, value) in fields {
                *value = replaced(pack, &pack.inputs[id.index()].ty, value, other);
            }
        }
    }
}

/// What a step has decided, and what it has left: all but prose. A port that takes conclusions only is called to the letter alike.
fn decided(pack: &Pack, step: &Step) -> String {
    let name = |sym: Sym| pack.names.text(sym).to_owned();
    let plain =
        |ty: &Type, value: &Value| to_json(&pack.names, &replaced(pack, ty, value, &mut String::new)).to_string();
    let class = |class: segue::model::ids::ClassId| name(pack.classes[class.index()].id);
    let called = |call: &CallOut| {
        let port = &pack.ports[call.port.index()];
        let ty = |name: &Sym| &port.request.iter().find(|arg| arg.name == *name).expect("an argument").ty;
        let with = match port.conclusions_only {
            true => Json::Object(named_to_wire(pack, &port.request, &call.with)).to_string(),
            false => call.with.iter().map(|(name, value)| format!("{name:?} {}, ", plain(ty(name), value))).collect(),
        };
        format!("{} {} {with}", call.id, name(port.name))
    };
    let kept = |slot: Slot, value: &Value| plain(&pack.slots[slot.index()].ty, value);
    let slots = (0..pack.slots.len()).map(Slot::at).map(|slot| kept(slot, step.state.get(slot)));
    let instances = pack.keyed.iter().flat_map(|frame| {
        let fields: Vec<Slot> = pack.frames[frame.index()].keyed.as_ref().expect("it is keyed").fields().collect();
        let all = step.state.instances(pack, *frame).expect("a keyed frame").iter();
        all.map(move |of| {
            (
                of.key.to_string(),
                of.closed_as,
                fields.iter().zip(of.values.iter()).map(|(slot, value)| kept(*slot, value)).collect::<Vec<_>>(),
            )
        })
        .collect::<Vec<_>>()
    });
    let sent = step.messages.iter().map(|sent| name(pack.messages[sent.message.index()].name));
    format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?}\n{:?}\n{:?}\n{:?}\n{:?}",
        step.class.map(class),
        step.selected.map(class),
        step.refused.map(name),
        step.breach.map(name),
        step.reasons.iter().map(|reason| name(*reason)).collect::<Vec<_>>(),
        step.answer.map(|mode| name(pack.modes[mode.index()].name)),
        (step.carried, step.dropped),
        step.calls.iter().map(called).collect::<Vec<_>>(),
        sent.collect::<Vec<_>>(),
        slots.collect::<Vec<_>>(),
        instances.collect::<Vec<_>>(),
    )
}

/// The scenarios of a pack, and the pack.
fn scenarios(pack: &str) -> (Registry, Vec<scenario::Scenario>) {
    let registry = loaded(&workspace().pack(pack).expect("the pack can be read"));
    let folder = workspace().root().join("scenarios").join(pack);
    let mut all = Vec::new();
    for path in files::walk(&folder, "scenarios", &folder).files {
        if path.extension().is_some_and(|ending| ending == "yaml") {
            let text = files::read(&path, "a scenario").expect("it can be read");
            all.extend(scenario::parse(FileId(0), &text, Format::Yaml).scenarios);
        }
    }
    (registry, all)
}

/// Whatever words for people the scenarios of a pack hold, and whatever a reply has said: nothing is decided, kept or called otherwise.
#[test]
fn other_prose_changes_nothing_but_prose() {
    for (name, least) in [("step-back", 100), ("clarification", 100), ("assistant", 5), ("joined", 100)] {
        let (registry, scenarios) = scenarios(name);
        let pack = registry.pack();
        let played = |other: &mut dyn FnMut() -> String, script: &Script| {
            let mut script = script.clone();
            replace(pack, &mut script, other);
            let played = play(&registry, &script, usize::MAX);
            let steps = played.turns.iter().flat_map(|turn| &turn.steps);
            steps
                .map(|of| of.result.as_ref().map(|step| decided(pack.at(of.pack), step)).map_err(ToString::to_string))
                .collect::<Vec<_>>()
        };
        let scripts: Vec<_> = scenarios.iter().map(|of| (of, script(&registry, of).expect("it is sound"))).collect();
        let plain: Vec<_> = scripts.iter().map(|(_, script)| played(&mut || "Which one?".into(), script)).collect();
        let words = prop::sample::select(vec![
            "",
            "yes",
            "READY",
            "отмена",
            "no, in rubles",
            "/new",
            "{reasoningId}",
            "$attempt.key",
            "r-1",
            "1",
        ]);
        let texts = prop::collection::vec((words, ".{0,12}"), 1..6);
        let config = ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() };
        let counted = std::cell::Cell::new(0_usize);
        proptest!(config, |(texts in texts)| {
            for ((of, script), plain) in scripts.iter().zip(&plain) {
                let mut other = || {
                    counted.set(counted.get() + 1);
                    let (word, more) = &texts[counted.get() % texts.len()];
                    format!("{word} {more}")
                };
                let said = played(&mut other, script);
                prop_assert_eq!(plain, &said, "{}: {}", name, of.name);
            }
        });
        let met = counted.get();
        assert!(met >= least, "{name} holds prose {met} times");
    }
}
