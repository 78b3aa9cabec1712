//! Effects: what they read, in which order they write, what they cannot do.

use serde_json::{Value as Json, json};

use super::world::{Did, Session, World, carry};

fn run(effects: &str, frames: Json) -> (Session, Did) {
    let class = format!("do = [ {effects} ]\n");
    let mut session = World::of(&[("A", &class)]).begin(frames);
    let did = session.say("a");
    (session, did)
}

#[test]
fn point_06_effects_read_the_state_before_any_of_them() {
    let (session, did) = run(
        "{ set.root = { n = 5, place = \"south\" } }, { when = { root.n = 0 }, set.seen = { number = \"$root.n\", text = \"$root.place?\" } }, { when = { root.n = 5 }, set.seen.other = \"no\" }, { when = { root.n = 0 }, emit = \"told\", with = { what = \"$root.place\" } }",
        json!({}),
    );
    assert_eq!(session.frame("seen"), json!({ "number": 0, "places": [], "periods": [] }));
    assert_eq!(did.messages[0].1, json!({ "what": "south" }), "`with` reads the state after the last effect");
}

#[test]
fn point_06_the_later_write_wins_and_others_change_what_earlier_ones_left() {
    let (session, _) = run(
        "{ set.root = { n = 5, notes = [\"x\"] } }, { set.root.n = 7 }, { increment.root.n = 2 }, { increment.root.n = -1 }, { append.root.notes = \"y\" }, { append.root.notes = [\"z\"] }, { remove.root.notes = \"x\" }, { append.root.marks = \"b\" }, { append.root.marks = [\"a\", \"b\"] }, { merge.root.tries = { north = 1 } }, { merge.root.tries = { south = 2, north = 3 } }, { remove.root.tries = \"south\" }",
        json!({}),
    );
    let root = session.frame("root");
    assert_eq!(
        (&root["n"], &root["notes"], &root["marks"], &root["tries"]),
        (&json!(8), &json!(["y", "z"]), &json!(["a", "b"]), &json!({ "north": 3 }))
    );
    let (session, _) = run(
        "{ append.root.notes = \"x\" }, { set.root.notes = [] }, { increment.seen.number = 1 }, { remove.seen.anchors = \"place\" }",
        json!({}),
    );
    assert_eq!(
        (session.get("root.notes"), session.get("seen.number"), session.get("seen.anchors")),
        (json!([]), json!(null), json!(null))
    );
}

#[test]
fn point_06_what_is_optional_and_absent_writes_nothing() {
    let (session, did) = run(
        "{ set.root = { place = \"$input.place?\", n = 4 } }, { set.seen.text = { first = [\"$input.place?\", \"$root.born?\"] } }, { set.seen.other = { first = [\"$input.place?\", \"$root.status\"] } }, { emit = \"told\", with = { what = \"$input.place?\" } }",
        json!({ "root": { "place": "south" }, "seen": { "text": "old" } }),
    );
    assert_eq!(
        (session.get("root.place"), session.get("seen.text"), session.get("seen.other")),
        (json!("south"), json!("old"), json!("none"))
    );
    assert_eq!(did.messages[0].1, json!({ "what": "nothing" }), "the default of the field");
    for effect in [
        "{ set.seen.text = \"$input.place\" }",
        "{ call = \"audit\", id = \"n\", with = { what = { first = [\"$input.place?\", \"$root.born?\"] } } }",
    ] {
        let class = format!("do = [ {effect} ]\n");
        assert_ne!(World::of(&[("A", &class)]).refused(), "", "{effect}");
    }
}

#[test]
fn point_06_clear_gives_the_default_or_absence() {
    let frames = json!({ "root": { "place": "south", "n": 3, "status": "active" }, "object": { "ref": "o" } });
    let (session, _) = run("{ clear = [\"root.n\", \"root.place\", \"object\"] }", frames);
    assert_eq!(
        (session.get("root.n"), session.get("root.place"), session.get("root.status")),
        (json!(0), json!(null), json!("active"))
    );
    assert_eq!(session.frame("object"), json!({}));
}

#[test]
fn point_06_set_once_stays_until_it_is_cleared() {
    let born = |text: &str| json!({ "root": { "born": text } });
    for (effects, frames, who) in [
        ("{ set.root.born = \"x\" }", json!({}), "A"),
        ("{ set.root.born = \"x\" }", born("x"), "A"),
        ("{ set.root.born = \"y\" }", born("x"), "Z verification_failed"),
        ("{ clear = [\"root\"] }, { set.root.born = \"y\" }", born("x"), "A"),
        ("{ set.root.born = \"x\" }, { set.root.born = \"y\" }", json!({}), "A"),
    ] {
        let (session, did) = run(effects, frames.clone());
        assert_eq!(did.who(), who, "{effects} {frames}");
        if who != "A" {
            assert_eq!(session.get("root.born"), "x");
            assert!(did.broken().contains("set once"), "{}", did.broken());
        }
    }
}

#[test]
fn point_06_a_log_loses_its_oldest_and_other_collections_overflow() {
    let (session, _) = run("{ append.root.log = [\"c\", \"d\"] }", json!({ "root": { "log": ["a", "b"] } }));
    assert_eq!(session.get("root.log"), json!(["c", "d"]));
    for (effects, frames) in [
        ("{ append.root.notes = \"d\" }", json!({ "root": { "notes": ["a", "b", "c"] } })),
        ("{ append.root.marks = \"c\" }", json!({ "root": { "marks": ["a", "b"] } })),
        ("{ increment.root.n = 1 }", json!({ "root": { "n": i64::MAX } })),
    ] {
        let (session, did) = run(effects, frames.clone());
        assert_eq!(did.who(), "Z verification_failed", "{effects}");
        assert_eq!(
            session.frame("root")["n"],
            frames["root"].get("n").cloned().unwrap_or(json!(0)),
            "nothing of it is done"
        );
    }
    let (session, did) = run("{ append.root.marks = \"a\" }", json!({ "root": { "marks": ["a", "b"] } }));
    assert_eq!((did.who().as_str(), session.get("root.marks")), ("A", json!(["a", "b"])), "a set holds each item once");
}

#[test]
fn point_06_before_is_the_state_before_the_step() {
    let (session, _) = run(
        "{ set.root.place = \"north\" }, { set.seen.text = \"$before.root.place?\" }, { emit = \"told\", with = { what = { join = [\"$before.root.place?\", \"$root.place\"], sep = \">\" } } }",
        json!({ "root": { "place": "south" } }),
    );
    assert_eq!(session.get("seen.text"), "south");
}

#[test]
fn point_06_values_are_held_as_their_type_has_them() {
    let class = "do = [ { set.root.line = { sku = \"$input.place\", period = \"$input.period?\" } }, { append.root.lines = { sku = \"$input.place\" } }, { set.root.notes = [\"$input.place\", \"$input.period?\"] }, { append.root.log = \"$input.place\" } ]\nentry = { input.place = { present = true } }\n";
    let mut session = World::of(&[("A", class)]).begin(json!({}));
    session.say("a юг");
    let root = session.frame("root");
    assert_eq!(root["line"], json!({ "sku": "south", "amount": 1 }), "a record takes its defaults");
    assert_eq!(
        (&root["lines"], &root["notes"], &root["log"]),
        (&json!([{ "sku": "south", "amount": 1 }]), &json!(["south"]), &json!(["south"]))
    );
    let saved = session.saved();
    let before = session.state.clone();
    session.restore(&saved).expect("it is read back");
    assert_eq!(session.state, before, "a key that was given as text is text, as it is when it is read back");
    let class = "do = [ { remove.root.notes = \"$input.place\" } ]\nentry = { input.place = { present = true } }\n";
    let mut session = World::of(&[("A", class)]).begin(json!({ "root": { "notes": ["south", "x"] } }));
    session.say("a юг");
    assert_eq!(session.get("root.notes"), json!(["x"]));
}

#[test]
fn point_06_a_merge_changes_the_fields_it_names() {
    let (session, _) =
        run("{ merge.root.line = { amount = 4 } }", json!({ "root": { "line": { "sku": "s", "note": "n" } } }));
    assert_eq!(session.get("root.line"), json!({ "sku": "s", "amount": 4, "note": "n" }));
    let (_, did) = run("{ merge.root.line = { amount = 4 } }", json!({}));
    assert_eq!(did.who(), "Z verification_failed", "into nothing the mandatory field is missing");
}

#[test]
fn point_06_entries_are_picked_and_a_part_is_taken_of_each() {
    let lines = json!([{ "sku": "a", "amount": 3, "note": "x" }, { "sku": "b" }, { "sku": "c", "amount": 2 }]);
    let frames = || json!({ "root": { "lines": lines, "n": 2, "tries": { "north": 1, "south": 2 } } });
    let (session, _) = run(
        "{ set.root = { notes = { pick = \"$root.lines\", where = { value.amount = { gt = 1 } }, take = \"value.sku\" }, tries = { pick = \"$root.tries\", where = { value = \"$root.n\" } }, lines = { pick = \"$root.lines\", where = { not = { value.sku = \"c\" } } } } }, { append.root.log = { pick = \"$root.lines\", take = \"value.note\" } }",
        frames(),
    );
    assert_eq!(session.get("root.notes"), json!(["a", "c"]));
    assert_eq!(session.get("root.tries"), json!({ "south": 2 }));
    assert_eq!(session.get("root.lines"), json!([lines[0], { "sku": "b", "amount": 1 }]));
    assert_eq!(session.get("root.log"), json!(["x"]), "an entry that lacks the part is left out");
    let (session, _) = run(
        "{ set.root.tries = { pick = \"$input.counts?\", where = { value = { gt = 0 } } } }, { set.seen.anchors = { pick = \"$input.set_a?\", where = { value = \"place\" } } }",
        frames(),
    );
    assert_eq!(session.get("root.tries"), json!({ "north": 1, "south": 2 }), "an absent collection writes nothing");
    assert_eq!(session.get("seen.anchors"), json!(null));
}

#[test]
fn point_06_what_a_pick_compares_with_is_cut_like_any_value() {
    let places = |eligible: &str| {
        let frames = json!({ "root": { "place": "north" }, "seen": { "places": ["north", "south"] }, "gate": { "eligible": eligible } });
        let (session, _) =
            run("{ set.seen.places = { pick = \"$seen.places\", where = { value = \"$root.place\" } } }", frames);
        session.get("seen.places")
    };
    assert_eq!(places("full"), json!(["north"]));
    assert_eq!(places("object_only"), json!([]), "what the gate cuts is absent, and a test against it unknown");
}

#[test]
fn point_06_a_key_of_a_map_may_be_a_path() {
    let (session, _) = run(
        "{ merge.root.tries = { \"[$root.place?]\" = 5 } }",
        json!({ "root": { "place": "south", "tries": { "north": 1, "south": 2 } } }),
    );
    assert_eq!(session.get("root.tries"), json!({ "north": 1, "south": 5 }));
    let (session, _) =
        run("{ set.root.tries = { \"[$root.place?]\" = 5, south = 7 } }", json!({ "root": { "place": "south" } }));
    assert_eq!(session.get("root.tries"), json!({ "south": 7 }), "of two entries under one key the later one stands");
    let (session, _) = run("{ set.root.tries = { \"[$root.place?]\" = 5, south = 7 } }", json!({}));
    assert_eq!(session.get("root.tries"), json!({ "south": 7 }), "an entry without a key is left out");
}

/// A text that begins like a path or a parameter, wherever a value may stand: as a value, an item, a key, in a default.
#[test]
fn point_06_two_signs_stand_for_one() {
    let more = r#"
[param.home]
key_of = "place"
default = "north"
[frame.notes]
owner = "all"
[frame.notes.field]
one = { type = "text", default = "$$root.n" }
many = { list = { type = "text" }, max = 4, default = ["%%home", "$5"] }
map = { map = { key = { type = "text" }, value = { type = "text" } }, max = 8, default = { "$$a" = "$$b", "[$$root.n]" = "%%home" } }
places = { map = { key = { key_of = "place" }, value = { type = "int" } }, max = 2, default = { "%home" = 1 } }
"#;
    let class = "do = [ { merge.notes.map = { \"$$c\" = \"$$d\", \"[$$e]\" = \"$$$f\", \"%%home\" = \"[$g]\", \"$5\" = \"$root.status\" } }, { merge.notes.places = { \"%home\" = 2 } }, { when = { notes.map = { contains = \"$$a\", exists = { key = \"[$root.n]\", value = \"%%home\" } } }, append.notes.many = [\"$$x\"] } ]\n";
    let mut session = World::of(&[("A", class)]).more(more).begin(json!({}));
    let old = json!({ "$a": "$b", "[$root.n]": "%home" });
    assert_eq!(
        session.frame("notes"),
        json!({ "one": "$root.n", "many": ["%home", "$5"], "map": old, "places": { "north": 1 } })
    );
    session.say("a");
    let mut map = old;
    for (key, value) in [("$c", "$d"), ("[$e]", "$$f"), ("%home", "[$g]"), ("$5", "none")] {
        map[key] = json!(value);
    }
    assert_eq!(
        session.frame("notes"),
        json!({ "one": "$root.n", "many": ["%home", "$5", "$x"], "map": map, "places": { "north": 2 } })
    );
    for (from, to, wrong) in [
        ("\"$$a\" =", "\"$a\" =", "`$a` is a reference; here a value must be written out"),
        ("\"[$$root.n]\" =", "\"[$root.n]\" =", "for the text itself write \"[$$root.n]\""),
        ("{ \"%home\" = 1 }", "{ \"%home\" = 1, north = 2 }", "`north` is the key of another entry too"),
    ] {
        let refused = World::of(&[("A", class)]).more(&more.replace(from, to)).refused();
        assert!(refused.contains(wrong), "{refused}");
    }
    let refused = World::of(&[("A", &class.replace("\"$$c\"", "\"$c\""))]).more(more).refused();
    assert!(refused.contains("write \"[$c]\"; for the text itself write \"$$c\""), "{refused}");
}

#[test]
fn point_06_a_call_has_its_defaults_and_relative_periods_are_intervals() {
    let class = "do = [ { set.root.period = \"$input.period?\" }, { call = \"fetch\", id = \"f\", with = { period = \"$root.period?\", what = \"w\", line = { sku = \"s\", period = \"$root.period?\" } } }, { call = \"audit\", id = \"n\", with = { what = \"noted\" } }, { emit = \"told\", with = { period = \"$root.period?\" } } ]\nsettle = [ { on = \"f\", when = { outcome.status = \"ok\" }, do = [] } ]\n";
    let mut session = World::of(&[("A", class)]).begin(json!({}));
    let did = session.say("a неделя");
    let week = "2021-05-04/2021-05-10";
    let line = json!({ "sku": "s", "amount": 1, "period": week });
    assert_eq!(
        did.calls[0],
        (
            "call-1".into(),
            "fetch".into(),
            json!({ "what": "w", "period": week, "level": 3, "since": week, "line": line })
        )
    );
    let order: Vec<&str> =
        did.step.calls[0].with.iter().map(|(name, _)| session.registry.pack().names.text(*name)).collect();
    assert_eq!(order, ["what", "period", "level", "since", "line"], "in declared order");
    assert_eq!((did.calls[1].0.as_str(), session.get("root.period")), ("call-2", json!("LAST_WEEK")));
    assert_eq!(
        did.messages[0].1,
        json!({ "what": "nothing", "period": "LAST_WEEK" }),
        "state and messages keep the name"
    );
    assert_eq!(session.open(), ["call-1"], "nobody waits for a port that does not reply");
    assert_eq!(did.answer, None);
}

#[test]
fn point_06_a_step_with_calls_that_nobody_answers_has_an_answer() {
    let class = "do = [ { call = \"audit\", id = \"n\", with = { what = \"noted\" } } ]\nsettle = []\n";
    let mut session = World::of(&[("A", class)]).begin(json!({}));
    let did = session.say("a");
    assert_eq!((did.answer.as_deref(), session.open().len()), (Some("done"), 0));
}

#[test]
fn point_06_ids_are_taken_in_the_order_in_which_effects_need_them() {
    let class = format!(
        "do = [ {{ emit = \"told\", with = {{ what = {{ new_id = \"m\" }} }} }}, {{ set.seen.text = {{ first = [\"$root.place?\", {{ new_id = \"m\" }}] }} }}, {{ set.seen.other = {{ new_id = \"m\" }} }} ]\n{}\n",
        carry("full", "")
    );
    let mut session = World::of(&[("A", &class)]).begin(json!({ "root": { "place": "south" } }));
    let did = session.say("a");
    assert_eq!((session.get("seen.text"), session.get("seen.other")), (json!("south"), json!("m-1")));
    assert_eq!(did.messages[0].1, json!({ "what": "m-2" }));
}
