//! Files and folders under names that are not theirs: told once, with the name that is meant.

#![expect(clippy::disallowed_methods, reason = "files are renamed")]

use std::fs;

use segue::workspace::files;

use crate::program::{Mini, told};

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
        assert_eq!(told(&mini), [format!("{to}:{place} {wanted}")]);
    }
}

/// A pack under another name is told once, not at each of its scenarios and classes.
#[test]
fn a_pack_that_is_renamed() {
    let mini = Mini::new();
    fs::rename(mini.path("transitions/mini"), mini.path("transitions/minis")).expect("renamed");
    let found = told(&mini);
    let [one] = &found[..] else { panic!("{found:#?}") };
    assert!(one.starts_with("scenarios/mini/"), "{one}");
    assert!(one.contains(" there is no pack `mini`, which is the folder of this scenario and "), "{one}");
    assert!(one.ends_with(" more -> is the pack `minis` meant? Give the two folders one name"), "{one}");
}

/// A backup of a file that is there is nobody's business; one in its place is.
#[test]
fn backups() {
    let mini = Mini::new();
    let text = fs::read_to_string(mini.path("transitions/mini/T1.yaml")).expect("a file");
    for name in ["T1.yaml.bak", "T1.yaml.orig", "T1.yaml~", "notes.md", ".T1.yaml.swp"] {
        mini.write(&format!("transitions/mini/{name}"), &text);
    }
    assert_eq!(told(&mini), [""; 0]);
    for name in ["T1.yaml.bak", "T1.yaml.orig", "T1.yaml~"] {
        fs::remove_file(mini.path(&format!("transitions/mini/{name}"))).expect("removed");
    }
    fs::rename(mini.path("transitions/mini/T1.yaml"), mini.path("transitions/mini/T1.yaml.bak")).expect("renamed");
    let wanted = "transitions/mini/T1.yaml.bak:1:1 this is called like a backup of `T1.yaml`, which is not there -> name it `T1.yaml`: no file of this name is read; or keep it elsewhere";
    assert_eq!(told(&mini), [wanted]);
}

/// Files are found in the order of their paths, folder by folder, whatever the order in which a disk has them.
#[test]
fn files_are_found_in_one_order() {
    let mini = Mini::new();
    let names = ["b/a.toml", "a.toml", "b.toml", "b/c/a.toml", "Z.toml", "я.toml", "a/z.toml", "a-b.toml"];
    names.iter().for_each(|name| mini.write(&format!("found/{name}"), ""));
    let folder = mini.path("found");
    let found = files::walk(&folder, "found", &folder).files;
    let mut sorted = found.clone();
    sorted.sort();
    assert_eq!(found.len(), names.len());
    assert_eq!(found, sorted);
}
