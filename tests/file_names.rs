//! Files and folders under names that are not theirs: told once, with the name that is meant.

#![expect(clippy::disallowed_methods, reason = "files are renamed")]

#[path = "support/program.rs"]
mod program;

use std::fs;

use program::{Mini, document};

/// What is found: file, place, message and help.
fn found(mini: &Mini) -> Vec<String> {
    let document = document(&mini.run(&["check", "--format", "json"]).stderr_eq(""));
    let found = document["diagnostics"].as_array().expect("findings").iter().map(|found| {
        let start = &found["range"]["start"];
        let text = |key: &str| found[key].as_str().unwrap_or_default();
        let (line, column) = (&start["line"], &start["column"]);
        format!("{}:{line}:{column} {} -> {}", text("file"), text("message"), text("help"))
    });
    found.collect()
}

const TOML: &str =
    "this is TOML under the name of a YAML file -> rename the file so that it ends with `.toml`, or write YAML";
const YAML: &str =
    "this is YAML under the name of a TOML file -> rename the file so that it ends with `.yaml`, or write TOML";

#[test]
fn one_format_under_the_name_of_the_other() {
    for (from, to, place, wanted) in [
        ("transitions/mini/T10.toml", "transitions/mini/T10.yaml", "1:1", TOML),
        ("transitions/mini/pack.toml", "transitions/mini/pack.yml", "2:1", TOML),
        ("transitions/mini/T1.yaml", "transitions/mini/T1.toml", "1:1", YAML),
        ("scenarios/mini/weather.yaml", "scenarios/mini/weather.toml", "1:1", YAML),
    ] {
        let mini = Mini::new();
        fs::rename(mini.path(from), mini.path(to)).expect("renamed");
        assert_eq!(found(&mini), [format!("{to}:{place} {wanted}")]);
    }
}

/// A pack under another name is told once, not at each of its scenarios and classes.
#[test]
fn a_pack_that_is_renamed() {
    let mini = Mini::new();
    fs::rename(mini.path("transitions/mini"), mini.path("transitions/minis")).expect("renamed");
    let found = found(&mini);
    let [one] = &found[..] else { panic!("{found:#?}") };
    assert!(one.starts_with("scenarios/mini/"), "{one}");
    assert!(one.contains(" there is no pack `mini`, which is the folder of this scenario and "), "{one}");
    assert!(one.ends_with(" more -> is the pack `minis` meant? Give the two folders one name"), "{one}");
}
