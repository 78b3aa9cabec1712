//! Rules of packs that use packs, one test for each sentence of the pages.

use serde_json::{Value as Json, json};

use crate::support::env::env;
use crate::support::joint::{Part, World, call, emit, log, on, outcome};
use segue::engine::restore;
use segue::model::Status;
use segue::model::uses::PackAt;

/// The outermost pack: `A` calls `next` for the class `G` and writes down that it answered.
fn asks() -> Part {
    Part::new(&[
        ("A", json!({ "do": [log("a"), call("next", "n", "G")], "settle": [on("n", json!([log("answered")]))] })),
        ("B", json!({ "do": [log("b")] })),
    ])
    .using("gate")
}

/// A used pack with one class `G`.
fn gate(parts: Json) -> Part {
    Part::new(&[("G", parts)])
}

/// `G` asks the host before it answers.
fn waits() -> Part {
    gate(json!({ "do": [log("g"), call("host", "h", "x")], "settle": [on("h", json!([emit("ok", "late")]))] }))
}

fn world(outer: &Part, gate: &Part) -> World {
    World::new(outer, &[("gate", gate)])
}

#[test]
fn a_pack_without_uses_takes_one_step() {
    let alone = Part::new(&[(
        "A",
        json!({ "do": [log("a"), call("host", "h", "x")], "settle": [on("h", json!([log("b")]))] }),
    )]);
    let mut world = World::new(&alone, &[]);
    assert_eq!(world.on("A"), ["A", "call call-1 host"]);
    assert_eq!(world.ok("call-1"), ["A", "answer yes"]);
    assert_eq!(world.log(0), ["a", "b"]);
    assert!(world.state.to_json(world.registry.pack()).get("uses").is_none());
}

#[test]
fn calls_to_served_ports_become_events_at_once_in_the_order_written() {
    let outer = Part::new(&[(
        "A",
        json!({ "do": [call("next", "m", "G"), call("next", "n", "H")],
            "settle": [on("m", json!([log("first")])), on("n", json!([log("second")]))] }),
    )])
    .using("gate");
    let both = Part::new(&[
        ("G", json!({ "do": [log("g"), emit("ok", "1")] })),
        ("H", json!({ "do": [log("h"), emit("ok", "2")] })),
    ]);
    let mut world = world(&outer, &both);
    assert_eq!(
        world.on("A"),
        ["A", "gate/G for call-1", "A after call-1 \"1\"", "gate/H for call-2", "A after call-2 \"2\"", "answer yes"]
    );
    assert_eq!((world.log(0), world.log(1)), (vec!["first".into(), "second".into()], vec!["g".into(), "h".into()]));
}

#[test]
fn a_used_pack_may_use_another() {
    let middle = gate(json!({ "do": [call("next", "d", "D")], "settle": [on("d", json!([emit("ok", "through")]))] }))
        .using("deep");
    let deep = Part::new(&[("D", json!({ "do": [log("d"), emit("ok", "deep")] }))]);
    let mut world = World::new(&asks(), &[("gate", &middle), ("deep", &deep)]);
    assert_eq!(
        world.on("A"),
        [
            "A",
            "gate/G for call-1",
            "gate/deep/D for call-2",
            "gate/G after call-2 \"deep\"",
            "A after call-1 \"through\"",
            "answer yes"
        ]
    );
    assert_eq!(world.log(2), ["d"]);
}

#[test]
fn the_first_reply_wins_and_the_rest_goes_to_the_host() {
    let gate =
        gate(json!({ "do": [emit("say", "hello"), emit("ok", "first"), emit("ok", "second"), emit("no", "third")] }));
    assert_eq!(
        world(&asks(), &gate).on("A"),
        [
            "A",
            "gate/G for call-1",
            "A after call-1 \"first\"",
            "message gate/say hello",
            "message gate/ok second",
            "message gate/no third",
            "answer yes"
        ]
    );
}

#[test]
fn the_reply_may_come_after_the_calls_of_the_serving_pack() {
    let mut world = world(&asks(), &waits());
    assert_eq!(world.on("A"), ["A", "gate/G for call-1", "call call-2 gate/host"]);
    assert_eq!(world.open(), ["call-2 gate/host"]);
    assert_eq!(world.ok("call-2"), ["gate/G", "A after call-1 \"late\"", "answer yes"]);
    assert_eq!(world.log(0), ["a", "answered"]);
    assert_eq!(world.open(), [""; 0]);
}

#[test]
fn a_reply_of_the_step_itself_wins_over_one_after_its_calls() {
    let early = gate(json!({ "do": [call("next", "d", "D"), emit("ok", "early")], "settle": [on("d", json!([emit("ok", "late")]))] }))
        .using("deep");
    let deep = Part::new(&[("D", json!({ "do": [emit("ok", "deep")] }))]);
    let mut world = World::new(&asks(), &[("gate", &early), ("deep", &deep)]);
    assert_eq!(
        world.on("A"),
        [
            "A",
            "gate/G for call-1",
            "gate/deep/D for call-2",
            "gate/G after call-2 \"deep\"",
            "A after call-1 \"early\"",
            "message gate/ok late",
            "answer yes"
        ]
    );
}

#[test]
fn what_the_serving_pack_has_under_way_after_its_reply_goes_on() {
    let gate =
        gate(json!({ "do": [emit("ok", "now"), call("host", "h", "x")], "settle": [on("h", json!([log("later")]))] }));
    let mut world = world(&asks(), &gate);
    assert_eq!(
        world.on("A"),
        ["A", "gate/G for call-1", "A after call-1 \"now\"", "call call-2 gate/host", "answer yes"]
    );
    assert_eq!(world.ok("call-2"), ["gate/G"]);
    assert_eq!(world.log(1), ["later"]);
}

#[test]
fn an_entry_without_reply_fails() {
    let silent = Part::new(&[("G", json!({ "do": [log("g")] })), ("H", json!({ "do": [emit("ok", "never asked")] }))]);
    let mut world = world(&asks(), &silent);
    let lost = ["Z after call-1 failed no_reply", "message say lost", "answer yes"];
    assert_eq!(world.on("A"), [&["A", "gate/G for call-1"], &lost[..]].concat());
    // The gate has done what it has done; the outermost pack starts from before.
    assert_eq!((world.log(0).len(), world.log(1)), (0, vec!["g".into()]));
}

#[test]
fn an_entry_whose_last_call_ended_without_reply_fails() {
    let silent = gate(json!({ "do": [call("host", "h", "x"), call("host", "i", "y")],
        "settle": [on("h", json!([log("h")])), on("i", json!([{ "when": { "outcome": { "what": "say" } }, "emit": "ok", "with": {} }]))] }));
    let mut world = world(&asks(), &silent);
    world.on("A");
    assert_eq!(world.ok("call-2"), ["gate/G"]);
    assert_eq!(world.ok("call-3"), ["gate/G", "Z after call-1 failed no_reply", "message say lost", "answer yes"]);
}

#[test]
fn a_message_may_end_a_call_otherwise() {
    let with_why = gate(json!({ "do": [emit("no", "too late")] }));
    assert_eq!(world(&asks(), &with_why).on("A")[2], "Z after call-1 failed too late");
    let without = gate(json!({ "do": [{ "emit": "no", "with": {} }] }));
    assert_eq!(world(&asks(), &without).on("A")[2], "Z after call-1 failed no");
}

#[test]
fn a_port_without_outcome_waits_for_nothing() {
    let outer = Part::new(&[("A", json!({ "do": [call("tell", "t", "G")], "settle": [] }))]).using_as(
        "gate",
        "gate",
        &["tell"],
    );
    let gate = gate(json!({ "do": [log("told"), emit("say", "heard")] }));
    let mut world = world(&outer, &gate);
    assert_eq!(world.on("A"), ["A", "gate/G for call-1", "message gate/say heard", "answer yes"]);
    assert_eq!(world.log(1), ["told"]);
}

#[test]
fn closing_a_call_closes_what_was_called_for_it() {
    let middle =
        gate(json!({ "do": [log("g"), call("next", "d", "D")], "settle": [on("d", json!([emit("ok", "x")]))] }))
            .using("deep");
    let deep = Part::new(&[(
        "D",
        json!({ "do": [log("d"), call("host", "h", "x")], "settle": [on("h", json!([emit("ok", "y")]))] }),
    )]);
    let mut world = World::new(&asks(), &[("gate", &middle), ("deep", &deep)]);
    world.on("A");
    assert_eq!(world.open(), ["call-3 gate/deep/host"]);
    assert_eq!(
        world.on("B"),
        ["B", "  closed call-1", "  closed gate/deep/call-3", "  closed gate/call-2", "answer yes"]
    );
    assert_eq!(world.open(), [""; 0]);
    assert_eq!(world.ok("call-3"), ["stale_outcome"]);
    // Frames of used packs stay as they are.
    assert_eq!((world.log(1), world.log(2)), (vec!["g".to_owned()], vec!["d".to_owned()]));
}

#[test]
fn going_back_to_before_leaves_used_packs_untouched_and_closes_the_other_calls() {
    let outer = Part::new(&[(
        "A",
        json!({ "do": [log("a"), call("next", "n", "G"), call("host", "o", "H")],
            "settle": [on("n", json!([log("n")])), on("o", json!([log("o")]))] }),
    )])
    .using("gate")
    .using_as("other", "other", &["host"]);
    let other = Part::new(&[("H", json!({ "do": [log("h"), emit("no", "broken")] }))]);
    let mut world = World::new(&outer, &[("gate", &waits()), ("other", &other)]);
    assert_eq!(
        world.on("A"),
        [
            "A",
            "gate/G for call-1",
            "other/H for call-2",
            "Z after call-2 failed broken",
            "  closed call-1",
            "  closed gate/call-3",
            "message say lost",
            "answer yes"
        ]
    );
    assert_eq!((world.log(0).len(), world.log(1), world.log(2)), (0, vec!["g".into()], vec!["h".into()]));
}

/// Two calls to one pack, of which the first waits there.
fn twice() -> Part {
    let any =
        |site: &str| json!({ "on": site, "when": {}, "do": [{ "append": { "f": { "log": "$outcome.status" } } }] });
    Part::new(&[(
        "A",
        json!({ "do": [call("next", "m", "G"), call("next", "n", "H")], "settle": [any("m"), any("n")] }),
    )])
    .using("gate")
}

fn two_entries() -> Part {
    let waits = json!({ "do": [call("host", "h", "x")], "settle": [on("h", json!([emit("ok", "late")]))] });
    Part::new(&[("G", waits), ("H", json!({ "do": [emit("ok", "at once")] }))])
}

#[test]
fn an_entry_cancels_the_one_that_waits() {
    let mut world = world(&twice(), &two_entries());
    assert_eq!(
        world.on("A"),
        [
            "A",
            "gate/G for call-1",
            "gate/H for call-2",
            "  closed call-3",
            "A after call-1 cancelled",
            "A after call-2 \"at once\"",
            "answer yes"
        ]
    );
    assert_eq!(world.log(0), ["cancelled", "ok"]);
}

#[test]
fn an_entry_is_refused_while_another_waits() {
    let mut world = world(&twice(), &two_entries().set("while_open", json!("refuse")));
    assert_eq!(
        world.on("A"),
        ["A", "gate/G for call-1", "gate/busy for call-2", "A after call-2 failed busy", "call call-3 gate/host"]
    );
    assert_eq!(world.ok("call-3"), ["gate/G", "A after call-1 \"late\"", "answer yes"]);
    assert_eq!(world.log(0), ["failed", "ok"]);
}

#[test]
fn the_host_ends_no_call_that_a_pack_serves() {
    let mut world = world(&asks(), &waits());
    world.on("A");
    let before = world.state.clone();
    assert_eq!(world.ok("call-1"), ["stale_outcome"]);
    assert_eq!(world.state, before);
    assert_eq!(world.ok("call-9"), ["stale_outcome"]);
    assert_eq!(world.ok("call-2")[1], "A after call-1 \"late\"");
}

#[test]
fn a_step_that_fails_in_a_used_pack_goes_to_its_own_boundary() {
    let breaks = gate(json!({ "do": [{ "increment": { "f": { "n": 1 } } }, emit("ok", "x")], "never": [{ "f": { "n": { "gte": 1 } } }] }))
        .boundary(json!([emit("no", "gave up")]));
    let mut world = world(&asks(), &breaks);
    assert_eq!(world.on("A")[..3], ["A", "gate/Z for call-1", "Z after call-1 failed gave up"]);
    assert_eq!(world.frame(PackAt(1))["n"], 0);
}

/// A gate that can take nothing: each step of it breaks an invariant.
fn broken(parts: Json) -> Part {
    let adds = json!({ "increment": { "f": { "n": 1 } } });
    Part::new(&[("G", parts)])
        .boundary(json!([adds]))
        .with(json!({ "invariant": [{ "id": "none", "when": { "f": { "n": { "gte": 1 } } }, "then": { "f": { "n": { "lt": 1 } } }, "doc": "d" }] }))
}

fn adds() -> Json {
    json!({ "increment": { "f": { "n": 1 } } })
}

#[test]
fn where_a_used_boundary_fails_the_cascade_is_taken_back() {
    let outer = Part::new(&[(
        "A",
        json!({ "do": [log("a"), call("host", "o", "H"), call("next", "n", "G")],
            "settle": [on("n", json!([log("n")])), on("o", json!([log("o")]))] }),
    )])
    .using("gate")
    .using_as("other", "other", &["host"]);
    let other = Part::new(&[("H", json!({ "do": [log("h"), emit("say", "seen"), emit("ok", "x")] }))]);
    let gate = broken(json!({ "do": [adds(), emit("ok", "x")] }));
    let mut world = World::new(&outer, &[("gate", &gate), ("other", &other)]);
    assert_eq!(
        world.on("A"),
        ["undone 3 in gate/: verification_failed", "Z", "message say verification_failed", "answer yes"]
    );
    // Nothing is left of it anywhere.
    assert_eq!((world.log(0).len(), world.log(1).len(), world.log(2).len()), (0, 0, 0));
    assert_eq!(world.open(), [""; 0]);
}

#[test]
fn where_it_began_with_an_outcome_the_waiting_call_has_failed() {
    let gate = broken(json!({ "do": [call("host", "h", "x")], "settle": [on("h", json!([adds(), emit("ok", "x")]))] }));
    let mut world = world(&asks(), &gate);
    world.on("A");
    assert_eq!(
        world.ok("call-2"),
        [
            "undone 0 in gate/: verification_failed",
            "Z",
            "  closed gate/call-2",
            "message say verification_failed",
            "answer yes"
        ]
    );
    assert_eq!((world.log(0).len(), world.open().len()), (0, 0));
}

#[test]
fn where_the_outermost_boundary_fails_too_there_is_no_step() {
    let outer = asks().boundary(json!([adds()])).with(json!({ "invariant": [
        { "id": "none", "when": { "f": { "n": { "gte": 1 } } }, "then": { "f": { "n": { "lt": 1 } } }, "doc": "d" }] }));
    let mut world = world(&outer, &broken(json!({ "do": [adds(), emit("ok", "x")] })));
    let before = world.state.clone();
    let event = world.event("A");
    let error = world.try_take(&event).expect_err("no step");
    assert_eq!(error.at, PackAt::OUTERMOST);
    assert_eq!(world.state, before);
}

#[test]
fn the_steps_of_all_packs_count_for_the_outermost_limit() {
    let middle =
        gate(json!({ "do": [log("g"), call("next", "d", "D")], "settle": [on("d", json!([emit("ok", "x")]))] }))
            .using("deep");
    let deep = Part::new(&[("D", json!({ "do": [emit("ok", "y")] }))]);
    let mut enough = World::new(&asks().set("step_limit", json!(5)), &[("gate", &middle), ("deep", &deep)]);
    assert_eq!(enough.on("A").len(), 6);
    let mut world = World::new(&asks().set("step_limit", json!(4)), &[("gate", &middle), ("deep", &deep)]);
    assert_eq!(world.on("A"), ["undone 4 in : step_limit", "Z", "message say step_limit", "answer yes"]);
    assert_eq!((world.log(0).len(), world.log(1).len()), (0, 0));
}

#[test]
fn two_uses_of_one_pack_are_apart() {
    let outer = Part::new(&[("A", json!({ "do": [call("next", "n", "G")], "settle": [on("n", json!([]))] }))])
        .using_as("one", "gate", &["next"])
        .using_as("two", "gate", &["host"]);
    let mut world = world(&outer, &waits());
    assert_eq!(world.on("A"), ["A", "one/G for call-1", "call call-2 one/host"]);
    assert_eq!((world.log(1), world.log(2).len()), (vec!["g".into()], 0));
}

#[test]
fn a_port_of_a_used_pack_may_be_served_by_another() {
    let outer = asks().using_as("other", "other", &["gate/host"]);
    let other = Part::new(&[("x", json!({ "do": [log("x"), emit("ok", "served")] }))]);
    let mut world = World::new(&outer, &[("gate", &waits()), ("other", &other)]);
    assert_eq!(
        world.on("A"),
        [
            "A",
            "gate/G for call-1",
            "other/x for call-2",
            "gate/G after call-2 \"served\"",
            "A after call-1 \"late\"",
            "answer yes"
        ]
    );
}

/// `A` makes its call to `next` again, at most twice, where it went wrong like this.
fn asks_again(on: &str) -> Part {
    let mut part = asks();
    part.documents[0].1["port"]["next"]["retry"] = json!({ "max": 2, "on": [on] });
    part
}

#[test]
fn a_call_that_is_made_again_is_a_new_entry() {
    // The first time it has nothing to say, and counts.
    let counts = json!({ "requires": { "f": { "n": { "lt": 1 } } }, "do": [{ "increment": { "f": { "n": 1 } } }, emit("no", "not yet")] });
    let knows = json!({ "trigger": [{ "event": "on", "entry": { "input": { "id": "G" } } }], "requires": { "f": { "n": { "gte": 1 } } },
        "do": [emit("ok", "at last")] });
    let gate = Part::new(&[("G", counts), ("H", knows)]);
    let mut world = world(&asks_again("failed"), &gate);
    assert_eq!(
        world.on("A"),
        [
            "A",
            "gate/G for call-1",
            "nothing after call-1 failed not yet",
            "gate/H for call-2",
            "A after call-2 \"at last\"",
            "answer yes"
        ]
    );
    assert_eq!((world.log(0), world.open()), (vec!["a".into(), "answered".into()], vec![]));
}

#[test]
fn of_a_call_that_is_made_again_only_the_last_end_is_told() {
    let mut world = world(&asks_again("failed"), &gate(json!({ "do": [log("g"), emit("no", "never")] })));
    assert_eq!(
        world.on("A"),
        [
            "A",
            "gate/G for call-1",
            "nothing after call-1 failed never",
            "gate/G for call-2",
            "nothing after call-2 failed never",
            "gate/G for call-3",
            "Z after call-3 failed never",
            "message say lost",
            "answer yes"
        ]
    );
    assert_eq!(world.log(1), ["g", "g", "g"]);
    // What the port does not list is told at once.
    let mut other = self::world(&asks_again("timeout"), &gate(json!({ "do": [emit("no", "never")] })));
    assert_eq!(other.on("A")[..3], ["A", "gate/G for call-1", "Z after call-1 failed never"]);
}

#[test]
fn an_attempt_is_saved_with_its_link() {
    let fails = json!({ "on": "h", "when": { "outcome": { "status": "failed" } }, "do": [emit("no", "bad")] });
    let gate = gate(json!({ "do": [call("host", "h", "x")], "settle": [on("h", json!([emit("ok", "late")])), fails] }));
    let mut world = world(&asks_again("failed"), &gate);
    assert_eq!(world.on("A"), ["A", "gate/G for call-1", "call call-2 gate/host"]);
    assert_eq!(
        world.fails("call-2"),
        ["gate/G", "nothing after call-1 failed bad", "gate/G for call-3", "call call-4 gate/host"]
    );
    let saved = world.state.to_json(world.registry.pack());
    assert_eq!(saved["links"], json!([{ "pack": "", "call": "call-3", "by": "gate", "calls": ["call-4"] }]));
    let mut ids = segue::engine::NumberedIds::default();
    let mut env = env(0, &mut ids);
    world.state = restore(&world.registry, &saved, &mut env).expect("a session").state;
    // One more attempt is left: it is counted on.
    assert_eq!(world.fails("call-4")[1..3], ["nothing after call-3 failed bad", "gate/G for call-5"]);
    assert_eq!(world.fails("call-6")[1], "Z after call-5 failed bad");
}

#[test]
fn a_session_is_saved_and_read_back_while_packs_wait_for_each_other() {
    let mut world = world(&asks(), &waits());
    world.on("A");
    let saved = world.state.to_json(world.registry.pack());
    assert_eq!(saved["links"], json!([{ "pack": "", "call": "call-1", "by": "gate", "calls": ["call-2"] }]));
    assert_eq!(saved["uses"]["gate"]["session"]["own"]["f"]["log"], json!(["g"]));
    let read = |saved: &Json| {
        let mut ids = segue::engine::NumberedIds::default();
        let mut env = env(0, &mut ids);
        restore(&world.registry, saved, &mut env).map_err(|error| error.to_string())
    };
    let restored = read(&saved).expect("a session");
    assert_eq!((&restored.state, restored.repaired.len()), (&world.state, 0));
    let refused = |edit: &dyn Fn(&mut Json)| {
        let mut other = saved.clone();
        edit(&mut other);
        read(&other).expect_err("refused")
    };
    assert_eq!(
        refused(&|saved| saved["links"] = json!([])),
        "`links`: lacks the call `call-1`, which a used pack serves"
    );
    assert!(
        refused(&|saved| saved["links"][0]["calls"] = json!(["call-7"])).contains("`call-7` is no open call of `gate`")
    );
    assert!(refused(&|saved| saved["links"][0]["call"] = json!("call-2")).starts_with("`links.0"));
    assert!(refused(&|saved| saved["uses"]["gate"]["fingerprint"] = json!("x")).starts_with("`uses.gate.fingerprint`"));
    assert!(refused(&|saved| saved["uses"] = json!({})).starts_with("`uses.gate`: is missing"));
    assert!(refused(&|saved| saved["uses"]["extra"] = json!({})).contains("extra"));
    assert_eq!(world.ok("call-2"), ["gate/G", "A after call-1 \"late\"", "answer yes"]);
}

#[test]
fn invariants_of_used_packs_are_repaired_as_they_declare() {
    let mends =
        json!({ "id": "few", "then": { "f": { "n": { "lte": 5 } } }, "repair": [{ "set": { "f": { "n": 5 } } }] });
    let mut gate = waits();
    gate.documents[0].1["frame"]["f"]["invariant"] = json!([mends]);
    let world = world(&asks(), &gate);
    let pack = world.registry.pack();
    let mut saved = world.state.to_json(pack);
    saved["uses"]["gate"]["session"]["own"]["f"]["n"] = json!(9);
    let mut ids = segue::engine::NumberedIds::default();
    let mut env = env(0, &mut ids);
    let restored = restore(&world.registry, &saved, &mut env).expect("a session");
    let names: Vec<String> =
        restored.repaired.iter().map(|(at, id)| pack.qualified(*at, pack.at(*at).names.text(*id))).collect();
    assert_eq!(names, ["gate/few"]);
    assert_eq!(
        restored.state.at(PackAt(1)).expect("a state").frame_json(pack.at(PackAt(1)), segue::model::ids::FrameId(0))["n"],
        5
    );
}

#[test]
fn an_outcome_that_breaks_the_port_of_a_used_pack_fails_there() {
    let mut world = world(&asks(), &waits());
    world.on("A");
    let broken = outcome("call-2", Status::Ok, Some(json!({ "what": 7 })));
    assert_eq!(world.take(&broken)[..2], ["gate/Z", "Z after call-1 failed no_reply"]);
}
