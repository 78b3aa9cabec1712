//! `segue new` on the program itself: what it begins checks, replays and is in its form, in a fresh workspace and in the shipped packs.
#![expect(clippy::disallowed_methods, reason = "what was written is looked at")]

use std::path::Path;

use crate::program::{Mini, copy, err, out};

/// A workspace that is a copy of this repository's packs and scenarios.
fn shipped() -> Mini {
    let own = Mini::empty();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["transitions", "scenarios"] {
        copy(&root.join(folder), &own.path(folder));
    }
    own.write("segue.toml", "pack = \"assistant\"\n");
    own
}

/// Everything that is asked of a workspace.
fn holds(workspace: &Mini, scenarios: &[&str]) {
    let run = workspace.run(&["check", "--deny", "warnings"]).code(0);
    assert!(out(&run).ends_with("0 errors, 0 warnings\n"), "{}", out(&run));
    workspace.run(&["fmt", "--check"]).code(0);
    workspace.at_home(&[&["replay", "--accept"], scenarios].concat()).code(0);
    workspace.run(&[&["replay"], scenarios].concat()).code(0);
}

#[test]
fn a_pack_of_ones_own() {
    let own = Mini::empty();
    let run = own.run(&["new", "pack", "colours"]).code(0);
    assert!(out(&run).starts_with("wrote segue.toml\nwrote transitions/colours/pack.toml\n"), "{}", out(&run));
    assert!(out(&run).contains("next:\n"), "{}", out(&run));
    holds(&own, &[]);
    own.run(&["new", "transition", "HOURS"]).code(0);
    own.run(&["new", "transition", "LATER-2", "--pack", "colours"]).code(0);
    own.run(&["new", "scenario", "blue-hours"]).code(0);
    own.run(&["new", "scenario", "resting", "--covers", "REST"]).code(0);
    holds(&own, &[]);
    // A second one beside it: the workspace is there already.
    let run = own.run(&["new", "pack", "other"]).code(0);
    assert!(!out(&run).contains("segue.toml"), "{}", out(&run));
    holds(&own, &[]);
}

#[test]
fn in_packs_that_are_there() {
    let own = shipped();
    for (pack, covers) in [("assistant", "T1"), ("booking", "T10")] {
        own.run(&["new", "transition", "EXTRA", "--pack", pack]).code(0);
        own.run(&["new", "scenario", "some-turn", "--pack", pack]).code(0);
        own.run(&["new", "scenario", "a-turn", "--pack", pack, "--covers", covers]).code(0);
    }
    let began = |pack| ["EXTRA", "some-turn", "a-turn"].map(|name| format!("scenarios/{pack}/{name}.yaml"));
    let all = [began("assistant"), began("booking")].concat();
    holds(&own, &all.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn a_class_that_a_new_session_does_not_come_to() {
    let own = shipped();
    own.run(&["new", "scenario", "shift", "--covers", "T2"]).code(0);
    let text = std::fs::read_to_string(own.path("scenarios/assistant/shift.yaml")).expect("a file");
    assert!(text.starts_with("# A new session does not come to T2: write under `given`"), "{text}");
    assert!(text.contains("transition: T10"), "{text}");
}

#[test]
fn nothing_is_overwritten_and_names_are_checked() {
    let own = Mini::empty();
    assert!(err(&own.run(&["new", "transition", "A"]).code(2)).contains("no segue.toml"));
    own.run(&["new", "pack", "colours"]).code(0);
    own.write("scenarios/colours/kept.yaml", "mine");
    own.write("scenarios/colours/MORE.yaml", "mine");
    let before = own.files();
    for (args, said) in [
        (&["pack", "colours"][..], "there is a pack colours already"),
        (&["pack", "a/b"], "`a_b` would do"),
        (&["pack", "input"], "taken by the language itself"),
        (&["pack", "nul"], "`nul` is no name of a pack: on Windows no file can be called so; take another name"),
        (&["pack", "Colours"], "only in its case: take another name"),
        (&["scenario", "Kept"], "only in its case: take another name"),
        (&["scenario", "Null"], "`Null` is no name of a scenario file: YAML reads it as something else than a text"),
        (&["scenario", "true"], "YAML reads it"),
        (&["transition", "COM1"], "on Windows"),
        (&["pack", "цвет"], "begins with a letter"),
        (&["transition", "COLOUR"], "there is a class `COLOUR` in the pack already"),
        (&["transition", "Colour"], "`Colour` differs from the class `COLOUR` only in its case: take another name"),
        (&["transition", "MORE"], "scenarios/colours/MORE.yaml: is there already"),
        (&["transition", "A", "--pack", "colors"], "no pack `colors`"),
        (&["scenario", "kept"], "scenarios/colours/kept.yaml: is there already"),
        (&["scenario", "x", "--covers", "COLOR"], "did you mean `COLOUR`?"),
        (&["scenario", "../x"], "is no name of a scenario file"),
    ] {
        let run = own.run(&[&["new"], args].concat()).code(2);
        assert!(err(&run).contains(said), "{args:?}: {}", err(&run));
        assert_eq!(out(&run), "");
    }
    assert_eq!(own.files(), before);
}

#[test]
fn a_schema_is_named_where_the_workspace_keeps_one() {
    let own = Mini::empty();
    own.write("schemas/transition.schema.json", "{}");
    own.write("schemas/scenario.schema.json", "{}");
    own.run(&["new", "pack", "colours"]).code(0);
    let read = |path: &str| std::fs::read_to_string(own.path(path)).expect("a file");
    assert!(read("transitions/colours/REST.toml").starts_with("#:schema ../../schemas/transition.schema.json\nid = "));
    assert!(
        read("scenarios/colours/REST.yaml")
            .starts_with("# yaml-language-server: $schema=../../schemas/scenario.schema.json\n")
    );
    assert!(read("transitions/colours/pack.toml").starts_with("# The manifest"));
    holds(&own, &[]);
}
