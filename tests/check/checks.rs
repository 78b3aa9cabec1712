//! The checks on whole packs: each finds what it is for, its repaired twin is clean, and the main pack passes.
#![expect(clippy::disallowed_methods, reason = "this test reads the pack's files")]

use segue::check::check;
use segue::declare::{Declared, Options, SourceText, declare};
use segue::diag::Diagnostics;
use segue::jobs::in_turn;
use segue::lexicon::Automata;
use segue::report::human;

const PACK: &str = include_str!("checks/pack.toml");
const QUERY: &str = include_str!("checks/query.toml");

fn main_pack() -> Vec<SourceText> {
    let mut files = Vec::new();
    for dir in ["transitions/assistant", "transitions/assistant/lexicon"] {
        for entry in std::fs::read_dir(dir).expect("the folder is there") {
            let path = entry.expect("it can be listed").path();
            if path.is_file() {
                let text = std::fs::read_to_string(&path).expect("it is text");
                files.push(SourceText::new(path.display().to_string(), text));
            }
        }
    }
    files
}

/// What the checks find, rendered.
fn found(files: &[SourceText]) -> String {
    let Declared { sources, diagnostics, pack } = declare(files, &Options::default());
    let Some(pack) = pack else { panic!("{}", human(&sources, &diagnostics.into_sorted(), false)) };
    let out = Diagnostics::new();
    check(&pack, &Automata::default(), &in_turn, &out);
    human(&sources, &out.into_sorted(), false)
}

/// What is found in the small pack with its class `query` edited, and with further files.
fn edited(edits: &[(&str, &str)], more: &[&str]) -> String {
    let mut query = QUERY.to_owned();
    for (from, to) in edits {
        assert_eq!(query.matches(from).count(), 1, "`{from}` stands there once");
        query = query.replace(from, to);
    }
    let file = |name: String, text: &str| SourceText::new(name, text);
    let mut files = vec![file("pack.toml".into(), PACK), file("query.toml".into(), &query)];
    files.extend(more.iter().enumerate().map(|(at, text)| file(format!("more{at}.toml"), text)));
    found(&files)
}

#[track_caller]
fn clean(edits: &[(&str, &str)], more: &[&str]) {
    let found = edited(edits, more);
    assert!(found.is_empty(), "{found}");
}

#[test]
fn the_main_pack_passes() {
    let found = found(&main_pack());
    assert!(found.is_empty(), "{found}");
}

#[test]
fn the_small_pack_passes() {
    clean(&[], &[]);
}

const WITH: &str = "with = { domain = \"$root.domain\", shift = \"$root.shift\" }";
const VALUE: &str = "set.root = { domain = \"$input.domain\", shift = \"$input.when\" }";

// ---- carryover ----

#[test]
fn a_kept_frame_is_not_read() {
    insta::assert_snapshot!(edited(&[(WITH, "with = { domain = \"$root.domain\", ref = \"$object.ref?\" }")], &[]));
    // Neither as it was before the step.
    insta::assert_snapshot!(edited(
        &[(WITH, "with = { domain = \"$root.domain\", ref = \"$before.object.ref?\" }")],
        &[]
    ));
    // A write that may not happen leaves the old value; one that surely does replaces it.
    let maybe = "[[do]]\nset.object = { note = \"$input.text?\" }\n[[do]]\ncall = \"run\"";
    let read = (WITH, "with = { domain = \"$root.domain\", note = \"$object.note?\" }");
    let free = ("preserve = [\"object\"]", "preserve = [\"object.ref\"]");
    assert!(edited(&[("[[do]]\ncall = \"run\"", maybe), read, free], &[]).contains("under `keep`"));
    clean(&[("[[do]]\ncall = \"run\"", &maybe.replace('?', "")), read, free], &[]);
}

#[test]
fn a_forbidden_frame_is_not_read_in_values_conditions_settle_and_answers() {
    let value = "set.root = { domain = \"$input.domain\", shift = \"$input.when\" }\nwhen = { meta.kind = \"x\" }";
    insta::assert_snapshot!(edited(&[(VALUE, value)], &[]));
    let settle = ("when = { outcome.truth = [", "when = { object.note = \"x\", outcome.truth = [");
    insta::assert_snapshot!(edited(&[settle], &[]));
    let answer = "[[answer.row]]\nwhen = { meta.kind = \"x\" }\nmode = \"fact\"\n[[answer.row]]\nwhen = { meta.kind = { not = \"x\" } }\nmode = \"no\"\n";
    let by = "[answer.by.gate.truth]\nconfirmed = \"fact\"\nlimited = \"part\"\n";
    insta::assert_snapshot!(edited(&[(by, answer)], &[]));
}

#[test]
fn fields_narrow_what_is_read() {
    let narrow = ("preserve = [\"object\"]", "preserve = [\"object\"]\nfields = [\"root.shift\"]");
    let read = (
        VALUE,
        "set.root = { domain = \"$input.domain\", shift = \"$input.when\" }\nwhen = { root.status = \"active\" }",
    );
    insta::assert_snapshot!(edited(&[narrow, read], &[]));
    clean(&[narrow], &[]);
}

#[test]
fn a_frame_to_decide_about_is_read_only_with_use() {
    let read = (WITH, "with = { domain = \"$root.domain\", ref = \"$ask.attempt?\" }");
    insta::assert_snapshot!(edited(&[read], &[]));
    clean(&[read, ("fate.ask = \"clear\"", "fate.ask = \"use\"")], &[]);
    clean(&[(WITH, "with = { domain = \"$root.domain\", ref = \"$before.ask.attempt?\" }")], &[]);
    insta::assert_snapshot!(edited(
        &[(VALUE, "set.root = { domain = \"$before.ask.target?\", shift = \"$input.when\" }")],
        &[]
    ));
}

#[test]
fn what_the_class_wrote_may_be_read() {
    let write = "[[do]]\nset.meta = { kind = \"x\" }\n[[do]]\ncall = \"run\"";
    let read = (WITH, "with = { domain = \"$root.domain\", note = \"$meta.kind\" }");
    clean(
        &[
            ("[[do]]\ncall = \"run\"", write),
            read,
            ("forbid = [\"meta\"]", "forbid = []"),
            ("meta.kind = {", "root.shift = {"),
            ("present = true }\nmeta", ""),
        ][..4],
        &[],
    );
}

#[test]
fn parts_of_carryover_contradict_each_other() {
    insta::assert_snapshot!(edited(&[("forbid = [\"meta\"]", "forbid = [\"meta\", \"root\", \"gate\"]")], &[]));
    insta::assert_snapshot!(edited(&[("keep = [\"object\"]", "keep = [\"object\", \"root\"]")], &[]));
    insta::assert_snapshot!(edited(&[("preserve = [\"object\"]", "preserve = [\"meta.kind\", \"ask\"]")], &[]));
    // What is preserved and forbidden by itself is told where both are written.
    insta::assert_snapshot!(edited(
        &[
            ("forbid = [\"meta\"]", "forbid = [\"meta\", \"object.note\", \"object.ref\"]"),
            ("preserve = [\"object\"]", "preserve = [\"object.ref\"]")
        ],
        &[]
    ));
    let equals = "preserve = [\"object\", { field = \"meta.kind\", equals = \"$before.object.note\" }]";
    clean(&[("preserve = [\"object\"]", equals)], &[]);
}

// ---- owners ----

#[test]
fn frames_of_other_owners_are_touched_openly() {
    insta::assert_snapshot!(edited(&[("touches = [\"gate\"]\n", "")], &[]));
    insta::assert_snapshot!(edited(&[("touches = [\"gate\"]", "touches = [\"gate\", \"ask\", \"root\"]")], &[]));
}

// ---- presence ----

#[test]
fn a_plain_value_is_there() {
    // Neither condition nor alternative says so.
    let any = "any = [ { signal = \"domain\" } ]";
    insta::assert_snapshot!(edited(
        &[(any, "any = [ { signal = \"domain\" }, { phrase = \"{domain} please\" } ]")],
        &[]
    ));
    let entry = "input.when = { present = true }";
    let both = (any, "any = [ { signal = \"domain\" }, { phrase = \"{domain} please\" } ]");
    for proof in [
        "input.domain = { present = true }",
        "input.domain = [\"stock\", \"money\"]",
        "input.domain = { not = \"money\" }",
        "root.domain = \"$input.domain\"",
        "any = [ { input.domain = \"stock\" }, { input.domain.level = \"root\" } ]",
        "input.missing = { present = true }",
    ] {
        clean(&[both, (entry, proof)], &[]);
    }
    for no_proof in [
        "input.domain = { differs = \"stock\" }",
        "any = [ { input.domain = \"stock\" }, { root.domain = \"stock\" } ]",
        "input.shift = { present = true }",
        "input.domain = { present = false }",
    ] {
        let found = edited(&[both, (entry, no_proof)], &[]);
        assert!(found.contains("$input.domain`, which may"), "{no_proof}: {found}");
    }
}

#[test]
fn each_trigger_has_to_prove_it() {
    let more = "[[trigger]]\nevent = \"select\"\n[requires]";
    insta::assert_snapshot!(edited(&[("[requires]", more)], &[]));
    let ok = "[[trigger]]\nevent = \"select\"\nentry = { root.domain = { present = true } }\n[requires]";
    let read =
        (VALUE, "set.root = { domain = { first = [\"$input.domain\", \"$root.domain\"] }, shift = \"$input.when\" }");
    clean(&[("[requires]", ok), read, ("said = \"$input.domain\"", "said = \"$root.domain\"")], &[]);
}

#[test]
fn payloads_rows_and_derivations_prove() {
    let value = |value: &str| format!("set.object = {{ note = \"{value}\" }}");
    let free = ("preserve = [\"object\"]", "preserve = [\"object.ref\"]");
    let with = |path: &str| edited(&[("[[do]]\ncall", &format!("[[do]]\n{}\n[[do]]\ncall", value(path))), free], &[]);
    // The text of the event, a mandatory column, an optional one, an optional payload field, a derivation.
    for (path, there) in [
        ("$input.text", true),
        ("$input.domain.level", true),
        ("$input.domain.family", false),
        ("$root.domain.level", true),
        ("$before.root.domain.level", true),
        ("$input.chosen", false),
        ("$input.in_focus", false),
        ("$input.shift", false),
        ("$root.shift", false),
        ("$env.turn_id", true),
    ] {
        let found = with(path);
        assert_eq!(found.is_empty(), there, "{path}: {found}");
    }
}

#[test]
fn a_partial_value_that_nothing_surely_completes_proves_nothing() {
    let shift = ("any = [ { signal = \"domain\" } ]", "any = [ { signal = \"shift\" } ]");
    let tests = (
        "examples = [\"stock\"]\ncounterexamples = [\"march\"]",
        "examples = [\"march\"]\ncounterexamples = [\"stock\"]",
    );
    let kept = ("keep = { said = \"$input.domain\" }", "keep = { said = \"$root.domain\" }");
    let value = (VALUE, "set.root = { shift = \"$input.shift\" }");
    let with = (WITH, "with = { domain = \"$root.domain\" }");
    clean(&[shift, tests, kept, value, with], &[]);
    let pack = PACK.replace("complete.year = [\"$root.shift\", \"$env.today\"]", "complete.year = [\"$root.shift\"]");
    let mut query = QUERY.to_owned();
    for (from, to) in [shift, tests, kept, value, with] {
        query = query.replace(from, to);
    }
    let file = |name: &str, text: String| SourceText::new(name, text);
    let found = found(&[file("pack.toml", pack), file("query.toml", query)]);
    assert!(found.contains("$input.shift`, which may"), "{found}");
}

#[test]
fn effects_take_presence_away_and_give_it() {
    let call = "[[do]]\ncall = \"run\"";
    insta::assert_snapshot!(edited(&[(call, "[[do]]\nclear = [\"root.domain\"]\n[[do]]\ncall = \"run\"")], &[]));
    // Cleared and written again; cleared under a condition that the call excludes.
    let again = "[[do]]\nclear = [\"root.domain\"]\n[[do]]\nset.root = { domain = \"stock\" }\n[[do]]\ncall = \"run\"";
    clean(&[(call, again)], &[]);
    let unless = "[[do]]\nwhen = { input.missing = { empty = false } }\nclear = [\"root.domain\"]\n[[do]]\nwhen = { input.missing = { empty = true } }\ncall = \"run\"";
    clean(&[(call, unless)], &[]);
    // A write under the call's own condition.
    let under = "[[do]]\nwhen = { input.missing = { empty = true } }\nset.object = { note = \"x\" }\n[[do]]\nwhen = { input.missing = { empty = true }, input.domain = \"stock\" }\ncall = \"run\"";
    let with = (WITH, "with = { domain = \"$root.domain\", note = \"$object.note\" }");
    let free = ("preserve = [\"object\"]", "preserve = [\"object.ref\"]");
    clean(&[(call, under), with, free], &[]);
    let other = under.replace("when = { input.missing = { empty = true }, input", "when = { input");
    assert!(!edited(&[(call, &other), with, free], &[]).is_empty());
}

#[test]
fn outcomes_prove_what_their_port_promises() {
    let row = "when = { outcome.truth = [\"confirmed\", \"limited\"] }";
    clean(&[(row, "when = { outcome.status = \"ok\" }")], &[]);
    clean(&[(row, "when = { outcome.result = { present = true } }")], &[]);
    insta::assert_snapshot!(edited(&[(row, "when = { outcome.status = \"failed\" }")], &[]));
    insta::assert_snapshot!(edited(
        &[
            ("{ set.gate = {", "{ set.object = { ref = \"$outcome.result\" } }, { set.gate = {"),
            ("preserve = [\"object\"]", "preserve = []")
        ],
        &[]
    ));
    assert!(
        !edited(
            &[
                ("said = \"$input.domain\"", "said = \"$input.domain?\""),
                ("any = [ { signal = \"domain\" } ]", "any = [ { phrase = \"stock\" } ]"),
                (VALUE, "set.root = { shift = \"$input.when\" }")
            ],
            &[]
        )
        .is_empty()
    );
}

#[test]
fn an_invariant_proves() {
    // `requires` says active, the invariant says that an active root has a domain.
    clean(&[(VALUE, "set.root = { shift = \"$input.when\" }")], &[]);
    let requires = ("root.status = \"active\"", "root.shift = { present = true }");
    let found = edited(&[(VALUE, "set.root = { shift = \"$input.when\" }"), requires], &[]);
    assert!(found.contains("$root.domain`, which may"), "{found}");
}

// ---- endless calls ----

fn taken(id: &str, on: &str, port: &str, when: &str) -> String {
    QUERY
        .replace("\"query\"", &format!("\"{id}\""))
        .replace(
            "any = [ { signal = \"domain\" } ]\nexamples = [\"stock\"]\ncounterexamples = [\"march\"]",
            "base = \"selected\"",
        )
        .replace("\"utterance\"", &format!("\"{on}\""))
        .replace("root.status = \"active\"", "")
        .replace("input.when = { present = true }", when)
        .replace("touches = [\"gate\"]\n", "")
        .replace(VALUE, "set.root = { status = \"active\" }")
        .replace(WITH, "with = { domain = \"stock\" }")
        .replace("keep = { said = \"$input.domain\" }\n", "")
        .replace("call = \"run\"", &format!("call = \"{port}\""))
        .split("[[settle]]")
        .next()
        .expect("the first part")
        .to_owned()
        + "[answer]\nmode = \"no\"\n[[never]]\nmeta.kind = { present = true }\n"
}

#[test]
fn calls_that_feed_each_other_are_found() {
    let settle = "settle = []\n";
    let with = |text: String| text.replacen("doc = \"A query.\"\n", &format!("doc = \"A query.\"\n{settle}"), 1);
    let a = with(taken("again", "run.ok", "look", ""));
    let b = with(taken("taken", "look.ok", "run", ""));
    insta::assert_snapshot!(edited(&[], &[&a, &b]));
    // A condition that can end it is left to the bound on steps.
    let c = with(taken("taken", "look.ok", "run", "outcome.truth = \"limited\""));
    clean(&[], &[&a, &c]);
}

// ---- answers and examples ----

#[test]
fn two_answer_rows_that_say_the_same() {
    let by = "[answer.by.gate.truth]\nconfirmed = \"fact\"\nlimited = \"part\"\n";
    let rows = "[[answer.row]]\nwhen = { gate.truth = \"confirmed\" }\nmode = \"fact\"\n[[answer.row]]\nwhen = { gate.truth = \"confirmed\" }\nmode = \"no\"\n";
    insta::assert_snapshot!(edited(&[(by, rows)], &[]));
    clean(&[(by, &rows.replacen("confirmed", "limited", 1))], &[]);
}

#[test]
fn examples_do_what_they_say() {
    insta::assert_snapshot!(edited(
        &[(
            "examples = [\"stock\"]\ncounterexamples = [\"march\"]",
            "examples = [\"stock\", \"march\", \"stock and money\"]\ncounterexamples = [\"money\", \"april\"]"
        )],
        &[]
    ));
    let any = "any = [ { signal = \"domain\" } ]";
    let lines = "examples = [\"stock\"]\ncounterexamples = [\"march\"]";
    let is = "any = [ { signal = \"domain\", is = [\"stock\"] }, { signal = \"domain\", ambiguous = true } ]";
    let tests = "examples = [\"stock\", \"money and stock\"]\ncounterexamples = [\"money\", \"march\"]";
    let found = edited(&[(any, is), (lines, tests)], &[]);
    assert!(!found.contains("example of"), "{found}");
}
