//! Hearing: normalised texts, signals, triggers, what is completed and derived for each candidate.

use serde_json::json;

use super::world::{World, carry};

/// A class that takes every text and does this.
fn notes(what: &str) -> String {
    format!("trigger = [ {{ event = \"utterance\", counterexamples = [], examples = [] }} ]\ndo = [ {what} ]\n")
}

/// A class with these alternatives.
fn on(any: &str) -> String {
    format!("trigger = [ {{ event = \"utterance\", any = [ {any} ], examples = [\"x\"], counterexamples = [] }} ]\n")
}

#[test]
fn point_01_text_is_normalised_and_spans_are_those_of_the_original() {
    let class = on("{ phrase = \"еще «раз»\" }, { phrase = \"x\" }");
    let mut session = World::of(&[("A", &class)]).begin(json!({}));
    assert_eq!(session.say("  ЕЩЁ\u{a0}„РАЗ”  на Юг").who(), "A");
    let did = session.say("Ё Ё на СЕВЕР");
    let said = &did.step.trace.as_ref().expect("a trace").said[0];
    let (from, to) = said.span.expect("it is in the text");
    assert_eq!(&"Ё Ё на СЕВЕР"[from as usize..to as usize], "СЕВЕР");
    assert_eq!(session.say("ещё рас").who(), "Z no_transition");
}

#[test]
fn point_02_a_host_signal_wins_over_the_text_and_both_are_traced() {
    let class = notes("{ set.seen.text = \"$input.place?\" }");
    let mut session = World::of(&[("A", &class)]).begin(json!({}));
    let did = session.hear("на север", json!({ "place": "south" }));
    assert_eq!(session.get("seen.text"), "south");
    let said = &did.step.trace.as_ref().expect("a trace").said;
    let said: Vec<_> = said.iter().map(|said| (said.span.is_some(), said.overruled)).collect();
    assert_eq!(said, [(false, false), (true, true)]);
}

#[test]
fn point_02_two_values_are_ambiguous_first_last_or_all() {
    let class = notes(
        "{ set.seen = { text = \"$input.first_place?\", other = \"$input.last_place?\" } }, { when = { input.places = { present = true } }, set.seen.places = \"$input.places?\" }, { when = { all = [ { input.place = { present = false } }, { input.place.ambiguous = true } ] }, set.seen.places = \"$input.place.candidates?\" }",
    );
    let mut session = World::of(&[("A", &class)]).begin(json!({}));
    session.say("песок, снег и песок");
    assert_eq!(
        session.frame("seen"),
        json!({ "text": "south", "other": "south", "places": ["south", "north"], "periods": [] })
    );
    session.say("юг, север, юг");
    assert_eq!(session.get("seen.places"), json!(["south", "north"]), "what is ambiguous is absent, with candidates");
    session.say("север, север");
    assert_eq!(session.get("seen.places"), json!(["south", "north"]), "the same thing twice is no ambiguity");
}

#[test]
fn point_02_candidates_hold_partial_values_completed_for_the_class() {
    let did = "{ when = { input.period.ambiguous = true }, set.seen = { periods = \"$input.period.candidates?\", period = \"$input.period?\" } }";
    let reads = notes(did);
    let cut = format!("{reads}{}\n", carry("none", "keep = [\"root\"]"));
    for (class, years) in [(&reads, ["2019", "2019"]), (&cut, ["2021", "2021"])] {
        let mut session = World::of(&[("A", class)]).begin(json!({ "root": { "period": "2019-05" } }));
        session.say("январь и март");
        assert_eq!(session.get("seen.periods"), json!([format!("{}-01", years[0]), format!("{}-03", years[1])]));
        assert_eq!(session.get("seen.period"), json!(null));
        session.say("март и март 2018");
        assert_eq!(session.get("seen.periods"), json!([format!("{}-03", years[0]), "2018-03"]), "in text order");
    }
}

#[test]
fn point_02_what_the_type_cannot_read_fills_no_slot_and_is_not_recognised() {
    let slot = on("{ phrase = \"за {period}\" }, { phrase = \"x\" }");
    let whole = on("{ phrase = \"покажи\", whole = true }, { phrase = \"x\" }");
    let signal = on("{ signal = \"period\" }, { phrase = \"x\" }");
    let mut session = World::of(&[("A", &slot), ("B", &whole), ("C", &signal)]).begin(json!({}));
    assert_eq!(session.say("за 05 март 2020").who(), "A");
    assert_eq!(session.say("за 35 март 2020").who(), "Z no_transition", "it keeps `март 2020` away, then it is gone");
    assert_eq!(session.say("покажи 05 март 2020").who(), "B");
    assert_eq!(session.say("покажи 35 март 2020").who(), "Z no_transition");
    assert_eq!(session.say("35 март 2020, апрель 2020").who(), "C", "another occurrence counts");
}

#[test]
fn point_03_a_partial_value_is_completed_from_what_the_candidate_may_read() {
    let did = "{ set.seen.period = \"$input.period?\" }";
    let (reads, narrowed, forbids) = (
        notes(did),
        format!("{}{}\n", notes(did), carry("full", "fields = [\"root.place\"]")),
        format!("{}{}\n", notes(did), carry("full", "forbid = [\"root.period\"]")),
    );
    for (class, period) in [(&reads, "2019-03"), (&narrowed, "2021-03"), (&forbids, "2021-03")] {
        let mut session = World::of(&[("A", class)]).begin(json!({ "root": { "period": "2019" } }));
        session.say("март");
        assert_eq!(session.get("seen.period"), period, "{class}");
    }
    let mut session = World::of(&[("A", &reads)])
        .begin(json!({ "root": { "period": "2019" }, "gate": { "eligible": "object_only" } }));
    session.say("март");
    assert_eq!(session.get("seen.period"), "2021-03", "what the gate cuts is skipped");
}

#[test]
fn point_03_derived_signals_see_only_what_the_class_may_read() {
    let did = "{ when = { input.missing = { present = true } }, set.seen.anchors = \"$input.missing?\" }, { when = { input.when = { present = true } }, set.seen.period = \"$input.when?\" }, { when = { input.big_place = { present = true } }, set.seen.text = \"big\" }";
    let reads = notes(did);
    let forbids = format!("{}{}\n", notes(did), carry("full", "forbid = [\"root.period\"]"));
    let frames = json!({ "root": { "period": "2019" } });
    let mut session = World::of(&[("A", &reads)]).begin(frames.clone());
    session.say("север");
    assert_eq!(session.frame("seen"), json!({ "anchors": [], "period": "2019", "places": [], "periods": [] }));
    let mut session = World::of(&[("A", &forbids)]).begin(frames);
    session.say("север");
    assert_eq!(session.frame("seen"), json!({ "anchors": ["period"], "places": [], "periods": [] }));
    session.say("юг");
    assert_eq!(session.get("seen.text"), "big");
}

#[test]
fn point_03_an_alternative_sets_what_nobody_says() {
    let class = on("{ phrase = \"x\", set = { place = \"south\", mood = \"angry\" } }")
        + "do = [ { set.seen = { text = \"$input.place?\", other = \"$input.mood\" } } ]\n";
    let mut session = World::of(&[("A", &class)]).begin(json!({}));
    session.say("x");
    assert_eq!((session.get("seen.text"), session.get("seen.other")), (json!("south"), json!("angry")));
    session.hear("x север", json!({ "mood": "calm" }));
    assert_eq!((session.get("seen.text"), session.get("seen.other")), (json!("north"), json!("calm")));
    let class = on("{ phrase = \"x\", set = { place = \"south\" } }")
        + "do = [ { when = { input.place = { present = false } }, set.seen.text = \"two\" } ]\n";
    let mut session = World::of(&[("A", &class)]).begin(json!({}));
    session.say("x север и юг");
    assert_eq!(session.get("seen.text"), "two", "of two values an alternative picks none");
}

#[test]
fn point_03_the_tag_is_that_of_the_longest_phrase() {
    let class = on(
        "{ phrase = \"x\", tag = \"short\" }, { phrase = \"x y\", tag = \"long\" }, { phrase = \"y x\", tag = \"other\" }, { phrase = \"x y x z\" }",
    ) + "do = [ { clear = [\"seen.text\"] }, { when = { input.tag = { present = true } }, set.seen.text = \"$input.tag?\" } ]\n";
    let mut session = World::of(&[("A", &class)]).begin(json!({}));
    for (text, tag) in [("x", json!("short")), ("x y", json!("long")), ("x y x", json!(null)), ("x y x z", json!(null))]
    {
        session.say(text);
        assert_eq!(session.get("seen.text"), tag, "{text}");
    }
}

#[test]
fn point_03_commands_stand_at_the_very_start() {
    let class = on("{ signal = \"command\", is = [\"new\"] }").replace("\"x\"", "\"/new\"")
        + "do = [ { set.seen.text = \"$input.command_rest?\" } ]\n";
    let mut session = World::of(&[("A", &class)]).begin(json!({}));
    assert_eq!(session.say("/new  Где Север ").who(), "A");
    assert_eq!(session.get("seen.text"), "Где Север");
    assert_eq!(session.say("/new, Где Север").who(), "A");
    assert_eq!(session.get("seen.text"), "Где Север", "what parts the rest from the command is no part of it");
    assert_eq!(session.say("а /new").who(), "Z no_transition");
}

#[test]
fn point_03_a_trigger_looks_at_signals_their_values_and_their_ambiguity() {
    let (is, all, two) = (
        on("{ signal = \"place\", is = [\"south\"] }, { phrase = \"x\" }"),
        on("{ signal = \"places\", is = [\"south\"] }, { phrase = \"x\" }"),
        on("{ signal = \"place\", ambiguous = true }, { phrase = \"x\" }"),
    );
    let mut session = World::of(&[("A", &is), ("B", &all), ("C", &two)]).begin(json!({}));
    for (text, who) in [
        ("юг", "A"),
        ("север", "Z no_transition"),
        ("снег, песок", "B"),
        ("снег", "Z no_transition"),
        ("юг и север", "C"),
    ] {
        assert_eq!(session.say(text).who(), who, "{text}");
    }
}

#[test]
fn point_03_whole_starts_and_word_boundaries() {
    let (whole, starts) = (
        on("{ phrase = \"x {place}\", whole = true }").replace("[\"x\"]", "[\"x юг\"]"),
        on("{ phrase = \"y\", starts = true }").replace("[\"x\"]", "[\"y\"]"),
    );
    let mut session = World::of(&[("A", &whole), ("B", &starts)]).begin(json!({}));
    for (text, who) in [
        ("ну x юг, март", "A"),
        ("x юг да", "Z no_transition"),
        ("ну y и все", "B"),
        ("все и y", "Z no_transition"),
        ("ynot", "Z no_transition"),
    ] {
        assert_eq!(session.say(text).who(), who, "{text}");
    }
}

#[test]
fn point_03_an_unread_said_value_is_a_remark_unless_it_is_ignored() {
    let deaf = on("{ phrase = \"x\" }") + "ignores = []\n";
    let did = World::of(&[("A", &deaf)]).begin(json!({})).say("x юг");
    assert_eq!((did.who().as_str(), did.step.unused.len()), ("A unused_signal", 1));
    let ignores = on("{ phrase = \"x\" }") + "ignores = [\"place\"]\n";
    assert_eq!(World::of(&[("A", &ignores)]).begin(json!({})).say("x юг").who(), "A");
    let tests = on("{ phrase = \"x\" }") + "ignores = []\nentry = { input.place = { present = true } }\n";
    assert_eq!(World::of(&[("A", &tests)]).begin(json!({})).say("x юг").who(), "A", "testing is reading");
    assert_eq!(World::of(&[]).begin(json!({})).say("юг").reasons, ["no_transition"], "the boundary is exempt");
}
