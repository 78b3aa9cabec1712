//! Faults met in the field, as `segue check` finds them: FB-04, FB-08, FB-12, FB-13. FB-14 stands in `hostile_cli.rs`, and more of FB-08 in
//! `check_cli.rs`.
#![expect(clippy::disallowed_methods, reason = "these tests make workspaces and start the program")]

use std::fs;

use crate::program::{Mini, document, err};

const T10: &str = "transitions/mini/T10.toml";
const MORE: &str = "transitions/mini/more";

/// The findings of a check: file, line, column, name of the code and message; and the lines of the other places.
fn found(mini: &Mini) -> Vec<(String, Vec<u64>)> {
    let run = mini.command(&["check", "--format", "json"]).env("CI", "true").assert().stderr_eq("");
    let document = document(&run);
    let all = document["diagnostics"].as_array().expect("findings").iter();
    all.map(|found| {
        let start = &found["range"]["start"];
        let (file, slug) = (found["file"].as_str().expect("a file"), found["slug"].as_str().expect("a name"));
        let message = found["message"].as_str().expect("a message");
        let related = found["related"].as_array().expect("places").iter();
        let lines = related.filter_map(|place| place["range"]["start"]["line"].as_u64()).collect();
        (format!("{file}:{}:{} {slug} {message}", start["line"], start["column"]), lines)
    })
    .collect()
}

fn places(mini: &Mini) -> Vec<String> {
    found(mini).into_iter().map(|(place, _)| place).collect()
}

/// Zero is a value: a parameter and a bound of 0 are what they say, and the text "0" is no number.
#[test]
fn fb_04_zero_is_not_unset() {
    let mini = Mini::new();
    let param = |text: &str| mini.write(&format!("{MORE}.toml"), format!("[param.most]\ndoc = \"Rounds.\"\n{text}\n"));
    let unused = "transitions/mini/more.toml:1:8 unused-parameter".to_owned();
    let codes = || -> Vec<String> {
        places(&mini).iter().map(|place| place.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect()
    };
    param("type = \"int\"\ndefault = 0");
    assert_eq!(codes(), std::slice::from_ref(&unused));
    param("type = \"decimal\"\ndefault = 0.0\nmin = 0\nmax = 0");
    assert_eq!(codes(), [unused]);
    // A bound of 0 is a bound.
    for (bound, default) in [("min = 0", "-1"), ("max = 0", "1")] {
        param(&format!("type = \"int\"\ndefault = {default}\n{bound}"));
        assert_eq!(codes(), ["transitions/mini/more.toml:4:11 parameter-range"], "{bound}");
    }
    for text in ["type = \"int\"\ndefault = \"0\"", "type = \"decimal\"\ndefault = \"0\""] {
        param(text);
        assert_eq!(codes(), ["transitions/mini/more.toml:4:11 wrong-type"], "{text}");
    }
}

/// A check of nothing is no clean check, whatever makes it one of nothing.
#[test]
fn fb_08_nothing_is_not_clean() {
    let mini = Mini::empty();
    mini.write("segue.toml", "");
    let refused = |args: &[&str]| {
        let run = mini.run(&[&["check"], args].concat()).code(2).stdout_eq("");
        let text = err(&run);
        assert!(text.starts_with("error: nothing to check: ") && text.lines().count() == 1, "{text}");
    };
    refused(&[]);
    refused(&["nowhere"]);
    fs::create_dir_all(mini.path("scenarios/one")).expect("a folder");
    refused(&["scenarios"]);
    mini.write("scenarios/one/notes.txt", "scenario: x");
    mini.write("scenarios/one/notes.md", "");
    refused(&["scenarios"]);
    refused(&["."]);
    // A folder of packs in which no pack lies, and a pack in which no file lies.
    mini.write("transitions/README.md", "");
    refused(&["transitions"]);
    fs::create_dir(mini.path("transitions/empty")).expect("a folder");
    assert_eq!(
        places(&mini),
        ["transitions/empty:1:1 unreadable-file no pack file (*.toml, *.yaml, *.yml) in this folder"]
    );
}

/// What is given twice is an error at the second place that shows the first.
#[test]
fn fb_12_given_twice() {
    let mini = Mini::new();
    let first = |wanted: &str, lines: &[u64]| {
        let found = found(&mini);
        assert!(found.iter().any(|(place, also)| place.starts_with(wanted) && also == lines), "{wanted}\n{found:#?}");
        assert!(found.iter().all(|(place, _)| place.contains(" duplicate-")), "{found:#?}");
    };
    mini.write(&format!("{MORE}.yaml"), "enum:\n  colour: [red]\n  size: [big]\n  colour: [blue]\n");
    first("transitions/mini/more.yaml:4:3 duplicate-key", &[2]);
    mini.write(&format!("{MORE}.yaml"), "");
    let t10 = fs::read_to_string(mini.path(T10)).expect("a file");
    mini.write(T10, t10.replace("owner = \"talk\"\n", "owner = \"talk\"\nowner = \"talk\"\n"));
    first("transitions/mini/T10.toml:5:1 duplicate-key", &[4]);
    mini.write(T10, t10.replace("never = []\n", "never = []\nanswer.mode = \"bounded\"\n"));
    first("transitions/mini/T10.toml:29:2 duplicate-key", &[9]);
    mini.write(T10, &t10);
    let t1 = fs::read_to_string(mini.path("transitions/mini/T1.yaml")).expect("a file");
    mini.write("transitions/mini/T1b.yaml", &t1);
    first("transitions/mini/T1b.yaml:1:5 duplicate-name", &[1]);
    fs::remove_file(mini.path("transitions/mini/T1b.yaml")).expect("removed");
    let turns = "turns: [{ user: x, expect: { transition: T10 } }]";
    mini.write(
        "scenarios/mini/twice.yaml",
        format!("scenarios:\n  - scenario: one\n    {turns}\n  - scenario: one\n    {turns}\n"),
    );
    first("scenarios/mini/twice.yaml:4:", &[2]);
}

/// Words that older YAML took for truth values are words, and what is no text is not made one.
#[test]
fn fb_13_no_is_a_word() {
    let mini = Mini::new();
    mini.write(
        "transitions/mini/more.yaml",
        "enum:\n  answer_word: [no, n, off, yes, y, on]\nframe:\n  reply:\n    owner: talk\n    doc: What was said.\n    field:\n      word: { enum: answer_word, default: no, for_host: true }\n",
    );
    mini.edit("transitions/mini/pack.toml", "universe = [\"topic\"]", "universe = [\"topic\", \"reply\"]");
    mini.edit("transitions/mini/pack.toml", "all = [\"topic\"]", "all = [\"topic\", \"reply\"]");
    assert_eq!(places(&mini), Vec::<String>::new());
    let other = |from: &str, to: &str, wanted: &str| {
        mini.edit("transitions/mini/more.yaml", from, to);
        let found = places(&mini);
        assert!(found.len() == 1 && found[0].starts_with(wanted), "{to}: {found:#?}");
        mini.edit("transitions/mini/more.yaml", to, from);
    };
    let file = "transitions/mini/more.yaml";
    // Only where it is none of the values it is one too many.
    other("default: no", "default: nope", &format!("{file}:8:43 unknown-value"));
    for value in ["true", "1.10", "010", "1e3"] {
        other("doc: What was said.", &format!("doc: {value}"), &format!("{file}:6:10 wrong-type"));
    }
    for nothing in ["~", "null"] {
        other("doc: What was said.", &format!("doc: {nothing}"), &format!("{file}:6:5 null-value"));
    }
}
