//! Guards, choice, carryover.

use serde_json::json;

use super::world::{World, carry};

#[test]
fn point_03_requires_stands_before_carryover_and_that_before_entry() {
    let class = format!(
        "requires = {{ root.status = \"active\" }}\nunmet.reason = \"no_root\"\nentry = {{ input.place = \"south\" }}\n{}\n",
        carry("full", "")
    );
    let world = World::of(&[("A", &class)]);
    let run = |status: &str, gate: &str, text: &str| {
        world.begin(json!({ "root": { "status": status }, "gate": { "eligible": gate } })).say(text).who()
    };
    assert_eq!(run("none", "none", "a"), "Z no_root", "requires speaks first");
    assert_eq!(run("active", "none", "a"), "Z carryover_blocked", "then carryover");
    assert_eq!(run("active", "full", "a"), "Z no_transition", "entry gives no reason");
    assert_eq!(run("active", "full", "a юг"), "A");
    assert_eq!(run("active", "root_only", "a юг"), "A", "the frames it does not need may be cut");
}

#[test]
fn point_03_only_what_a_class_needs_blocks_it() {
    let blocked =
        ["do = [ { set.seen.text = \"$root.status\" } ]\n", "PRESERVE", "entry = { root.status = \"active\" }\n"];
    let passes = ["do = [ { set.seen.text = \"$root.place?\" } ]\n", "do = [ { set.root.status = \"active\" } ]\n"];
    for (parts, who) in
        blocked.iter().map(|parts| (parts, "Z carryover_blocked")).chain(passes.iter().map(|p| (p, "A")))
    {
        let carry = carry("full", if *parts == "PRESERVE" { "preserve = [\"root.status\"]" } else { "" });
        let class = format!("{}{carry}\n", if *parts == "PRESERVE" { "" } else { parts });
        let mut session = World::of(&[("A", &class)])
            .begin(json!({ "root": { "status": "active", "place": "south" }, "gate": { "eligible": "none" } }));
        assert_eq!(session.say("a").who(), who, "{parts}");
    }
}

#[test]
fn point_03_a_guard_may_test_what_the_class_does_not_carry() {
    let class = format!("requires = {{ root.status = \"active\" }}\n{}\n", carry("none", "forbid = [\"root\"]"));
    let mut session = World::of(&[("A", &class)]).begin(json!({ "root": { "status": "active" } }));
    let did = session.say("a");
    assert_eq!((did.who().as_str(), session.get("root.status")), ("A", json!("none")));
}

#[test]
fn point_03_a_value_that_the_gate_cuts_is_absent_not_a_default() {
    let class = format!(
        "do = [ {{ set.seen = {{ text = \"$root.status?\", other = \"$before.root.place?\" }} }}, {{ emit = \"told\", with = {{ what = {{ first = [\"$root.status?\", \"cut\"] }} }} }} ]\n{}\n",
        carry("full", "")
    );
    let frames = |gate: &str| json!({ "root": { "status": "active", "place": "south" }, "gate": { "eligible": gate } });
    let world = World::of(&[("A", &class)]);
    let mut session = world.begin(frames("full"));
    assert_eq!(session.say("a").messages[0].1, json!({ "what": "active" }));
    assert_eq!((session.get("seen.text"), session.get("seen.other")), (json!("active"), json!("south")));
    let mut session = world.begin(frames("none"));
    assert_eq!(session.say("a").messages[0].1, json!({ "what": "cut" }));
    assert_eq!((session.get("seen.text"), session.get("seen.other")), (json!(null), json!(null)));
}

#[test]
fn point_04_the_class_that_precedes_the_others_takes_it() {
    let trigger = "trigger = [ { event = \"utterance\", any = [ { phrase = \"x\" } ], examples = [\"x\"], counterexamples = [] } ]\n";
    assert_eq!(World::of(&[("B", trigger), ("A", trigger)]).begin(json!({})).say("x").who(), "B");
    let mut session = World::of(&[("A", trigger), ("B", trigger)]).unordered().begin(json!({}));
    let did = session.say("x");
    assert_eq!((did.who().as_str(), did.answer.as_deref()), ("Z ambiguous", Some("sorry")));
}

#[test]
fn point_04_the_strongest_class_that_has_one_gives_the_unmet_reason() {
    let trigger = "trigger = [ { event = \"utterance\", any = [ { phrase = \"x\" } ], examples = [\"x\"], counterexamples = [] } ]\nrequires = { root.status = \"active\" }\n";
    let with = |reason: &str| format!("{trigger}unmet.reason = \"{reason}\"\n");
    let (b, c) = (with("of_b"), with("of_c"));
    assert_eq!(World::of(&[("A", trigger), ("C", &c), ("B", &b)]).begin(json!({})).say("x").who(), "Z of_c");
    let world = World::of(&[("A", trigger), ("C", &c), ("B", &b)]).unordered();
    assert_eq!(world.begin(json!({})).say("x").who(), "Z of_b", "unordered: the first by id");
}

#[test]
fn point_04_triggers_of_one_class_add_to_its_guard() {
    let class = "trigger = [ { event = \"tap\", requires = { root.status = \"active\" } }, { event = \"tap\", entry = { input.ref = \"r\" } } ]\nunmet.reason = \"no_root\"\n";
    let mut session = World::of(&[("A", class)]).begin(json!({}));
    let tap = |reference: &str| {
        segue::engine::Event::input(&session.registry, "tap", &json!({ "ref": reference }), &json!({}))
    };
    let (r, s) = (tap("r").expect("a tap"), tap("s").expect("a tap"));
    assert_eq!(session.attempt(&r).expect("a step").who(), "A");
    assert_eq!(
        session.attempt(&s).expect("a step").who(),
        "Z no_root",
        "of its triggers `requires` speaks before `entry`"
    );
}

#[test]
fn point_05_effective_depth_is_declared_depth_within_the_gate() {
    for (depth, gate, carried, object) in [
        ("full", "full", vec!["meta", "object", "root"], json!("o")),
        ("root_and_object", "full", vec!["object", "root"], json!("o")),
        ("root_only", "root_and_object", vec!["root"], json!(null)),
        ("root_only", "object_only", vec![], json!(null)),
        ("object_only", "object_only", vec!["object"], json!("o")),
        ("none", "full", vec![], json!(null)),
    ] {
        let class = carry(depth, "");
        let frames = json!({ "root": { "place": "south" }, "object": { "ref": "o" }, "meta": { "topic": "m" }, "gate": { "eligible": gate } });
        let mut session = World::of(&[("A", &class)]).begin(frames);
        let mut did = session.say("a");
        did.carried.sort();
        assert_eq!(
            (did.carried, session.get("object.ref")),
            (carried.iter().map(|f| (*f).to_owned()).collect(), object),
            "{depth} in {gate}"
        );
    }
}

#[test]
fn point_05_no_gate_is_no_limit_and_frames_outside_are_not_touched() {
    let class = carry("none", "");
    let frames = json!({ "root": { "place": "south" }, "seen": { "text": "t" }, "question": { "id": "q-1" } });
    let mut session = World::of(&[("A", &class)]).begin(frames);
    let did = session.say("a");
    assert_eq!(did.dropped, ["root"], "empty frames are not dropped");
    assert_eq!((session.get("seen.text"), session.get("question.id")), (json!("t"), json!("q-1")));
    let class = carry("full", "");
    let mut session = World::of(&[("A", &class)]).begin(json!({ "root": { "place": "south" } }));
    session.say("a");
    assert_eq!(session.get("root.place"), "south");
}

#[test]
fn point_05_keep_survives_unread_and_is_not_cut_by_the_gate() {
    let class = carry("object_only", "keep = [\"root\"]");
    let mut session =
        World::of(&[("A", &class)]).begin(json!({ "root": { "place": "south" }, "gate": { "eligible": "none" } }));
    let did = session.say("a");
    assert_eq!((did.carried, did.dropped, session.get("root.place")), (vec![], vec![], json!("south")));
    let reads = format!("do = [ {{ set.seen.text = \"$root.place?\" }} ]\n{class}\n");
    assert!(World::of(&[("A", &reads)]).refused().contains("not-carried"), "reading it is a load error");
    let reads = format!("do = [ {{ set.seen.text = \"$before.root.place?\" }} ]\n{class}\n");
    assert!(World::of(&[("A", &reads)]).refused().contains("not-carried"), "so is reading it as it was");
}

#[test]
fn point_05_fields_narrow_and_forbidden_fields_do_not_survive() {
    let frames =
        json!({ "root": { "place": "south", "period": "2020", "n": 3 }, "object": { "ref": "o", "kind": "k" } });
    let class = carry("root_and_object", "fields = [\"root.place\", \"object.ref\"]");
    let mut session = World::of(&[("A", &class)]).begin(frames.clone());
    session.say("a");
    assert_eq!(
        (session.get("root.place"), session.get("root.period"), session.get("root.n")),
        (json!("south"), json!(null), json!(0))
    );
    assert_eq!(session.frame("object"), json!({ "ref": "o" }));
    let class = carry("full", "keep = [], forbid = [\"root.period\"]");
    let mut session = World::of(&[("A", &class)]).begin(frames);
    session.say("a");
    assert_eq!((session.get("root.place"), session.get("root.period")), (json!("south"), json!(null)));
}

#[test]
fn point_05_fate_clears_before_effects_and_the_old_id_is_in_before() {
    let class = format!(
        "do = [ {{ set.question = {{ id = {{ new_id = \"q\" }} }} }}, {{ set.seen.text = \"$before.question.id?\" }} ]\n{}\n",
        carry("none", "fate = { question = \"clear\" }")
    );
    let mut session = World::of(&[("A", &class)]).begin(json!({ "question": { "id": "q-0", "wanted": ["place"] } }));
    let did = session.say("a");
    assert_eq!(did.dropped, ["question"]);
    assert_eq!(
        (session.frame("question"), session.get("seen.text")),
        (json!({ "id": "q-1", "wanted": [] }), json!("q-0"))
    );
}

#[test]
fn point_05_only_use_reads_a_frame_to_decide_about() {
    let class = |fate: &str| {
        format!(
            "do = [ {{ set.seen.text = \"$question.id?\" }}, {{ clear = [\"question\"] }} ]\n{}\n",
            carry("none", &format!("fate = {{ question = \"{fate}\" }}"))
        )
    };
    for fate in ["keep", "clear"] {
        assert_ne!(World::of(&[("A", &class(fate))]).refused(), "", "{fate}");
    }
    let uses = class("use");
    let mut session = World::of(&[("A", &uses)]).begin(json!({ "question": { "id": "q-0" } }));
    session.say("a");
    assert_eq!((session.get("seen.text"), session.get("question.id")), (json!("q-0"), json!(null)));
}

#[test]
fn boundary_carries_everything_and_is_never_cut() {
    let mut session = World::of(&[])
        .begin(json!({ "root": { "place": "south" }, "object": { "ref": "o" }, "gate": { "eligible": "none" } }));
    let did = session.say("что?");
    assert_eq!((did.who().as_str(), did.dropped.len()), ("Z no_transition", 0));
    assert_eq!((session.get("root.place"), session.get("object.ref")), (json!("south"), json!("o")));
    assert_eq!(did.messages, [("refused".to_owned(), json!({ "reason": "no_transition" }))]);
}

#[test]
fn boundary_has_triggers_of_its_own_with_their_reasons() {
    let boundary = "trigger = [ { event = \"utterance\", any = [ { phrase = \"привет\" } ], reason = \"greeting\", examples = [\"привет\"], counterexamples = [] }, { event = \"boundary\" } ]\ndo = [ { emit = \"refused\", with = { reason = \"$reason\" } } ]\nanswer = { mode = \"sorry\" }\n";
    let any = "trigger = [ { event = \"utterance\", any = [ { phrase = \"привет мир\" } ], examples = [\"привет мир\"], counterexamples = [] } ]\n";
    let mut session = World::of(&[("A", any)]).boundary(boundary).begin(json!({}));
    assert_eq!(session.say("привет").who(), "Z greeting");
    assert_eq!(session.say("привет мир").who(), "A", "they compete by precedence");
    assert_eq!(session.say("что?").who(), "Z no_transition");
}
