//! What `segue fmt` promises: the form does not change again, the meaning stays, comments stay at what they stand at.

mod scribble;

use std::sync::LazyLock;

use proptest::prelude::*;
use segue::diag::Diagnostics;
use segue::format::format;
use segue::report::human;
use segue::source::{SourceMap, SourceText};
use segue::syntax::{Format, Kind, Node, parse};
use segue::workspace::files;

use crate::support::{self, Dice};
use scribble::{Toml, Yaml};

/// The byte-order mark.
const MARK: char = '\u{feff}';

/// The canonical form of a text that has one.
fn formatted(name: &str, text: &str) -> String {
    let mut sources = SourceMap::default();
    let out = Diagnostics::new();
    let file = sources.add(name, text);
    let formatted = format(file, name, text, &out);
    let found = out.into_sorted();
    assert!(found.is_empty(), "{}\n{text}", human(&sources, &found, false));
    formatted.expect("a form")
}

/// What was formatted stays as it is.
fn is_final(name: &str, tidy: &str) {
    let again = formatted(name, tidy);
    let diff = similar::TextDiff::from_lines(tidy, &again).unified_diff().to_string();
    assert!(again == tidy, "{name}: not the same again:\n{diff}");
}

fn tree(name: &str, text: &str) -> Node {
    let mut sources = SourceMap::default();
    let out = Diagnostics::new();
    let file = sources.add(name, text);
    let node = parse(file, text, Format::of_path(name).expect("an ending"), &out);
    let found = out.into_sorted();
    assert!(found.is_empty(), "{}\n{text}", human(&sources, &found, false));
    node.expect("a tree")
}

/// The values without their places and without the order of keys.
fn value(node: &Node) -> serde_json::Value {
    match &node.kind {
        Kind::Null => unreachable!("nothing"),
        Kind::Bool(flag) => (*flag).into(),
        Kind::Number(text) | Kind::Date(text) | Kind::Text(text) => text.as_str().into(),
        Kind::List(items) => items.iter().map(value).collect::<Vec<_>>().into(),
        Kind::Table(table) => {
            let mut entries: Vec<_> = table.iter().map(|entry| (entry.key.to_string(), value(&entry.value))).collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            serde_json::Value::Object(entries.into_iter().collect())
        }
    }
}

/// Every file that people write in this repository.
fn shipped() -> &'static [SourceText] {
    static READ: LazyLock<Vec<SourceText>> = LazyLock::new(|| {
        let sources = support::workspace().sources(&[]).expect("the workspace can be read");
        assert!(sources.faults.is_empty() && sources.files.len() > 80, "{sources:?}");
        sources.files.iter().map(|(path, shown)| files::source(path, shown)).collect()
    });
    &READ
}

fn pack(name: &str) -> Vec<SourceText> {
    support::workspace().pack(name).expect("a pack")
}

fn fingerprint(files: &[SourceText]) -> String {
    support::loaded(files).pack().fingerprint.clone()
}

fn all_formatted(files: &[SourceText]) -> Vec<SourceText> {
    files.iter().map(|file| SourceText::new(&file.name, formatted(&file.name, &file.text))).collect()
}

/// Comments in their order.
fn comments(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.find("# ").map(|at| line[at..].trim_end())).collect()
}

/// Each comment that says that it stands above or behind a key does so.
fn comments_are_at_their_keys(text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    let key = |line: &str| {
        line.split(['=', '#']).next().unwrap_or_default().split('.').next().unwrap_or_default().trim().to_owned()
    };
    for (at, line) in lines.iter().enumerate() {
        let Some(from) = line.find("# ") else { continue };
        let comment: Vec<&str> = line[from..].split_whitespace().collect();
        match &comment[..] {
            ["#", _, "above", about @ ..] => {
                let next = lines[at..].iter().find(|line| !line.trim().is_empty() && !line.trim().starts_with('#'));
                let next = next.expect("something below");
                let about = about.join(" ");
                let is = if about.starts_with('[') {
                    next.starts_with(&about)
                } else {
                    key(next).trim_matches(['"', '\'']) == about
                };
                assert!(is, "{line}\n{next}\n\n{text}");
            }
            ["#", _, "behind", about @ ..] => {
                let about = about.join(" ");
                let before = line[..from].trim();
                // What has several lines ends with a bracket or quotes.
                let is = before.starts_with(&about)
                    || key(before).trim_matches(['"', '\'']) == about
                    || before.starts_with([']', '}'])
                    || before.ends_with("\"\"\"");
                assert!(is, "{line}\n\n{text}");
            }
            _ => {}
        }
    }
}

#[test]
fn shipped_files_have_their_form() {
    for file in shipped() {
        assert_eq!(formatted(&file.name, &file.text), *file.text, "{}: run `segue fmt`", file.name);
    }
}

#[test]
fn the_order_of_keys_is_found_again() {
    let mut dice = Dice(1);
    for file in shipped().iter().filter(|file| file.name.ends_with(".toml")) {
        let root = tree(&file.name, &file.text);
        let again = formatted(&file.name, &Toml::write(&mut dice, true, &root));
        // Where the writer has the choice the order differs; in the parts of a class and of what is declared it is the same.
        let Kind::Table(table) = &tree(&file.name, &again).kind else { unreachable!("a table") };
        if table.get("id").is_none() {
            continue;
        }
        let keys = |table: &segue::syntax::Table| table.iter().map(|entry| entry.key.to_string()).collect::<Vec<_>>();
        let listed: Vec<String> = segue::language::CLASS.names().into_iter().map(str::to_owned).collect();
        let (headers, plain): (Vec<String>, Vec<String>) = keys(table).into_iter().partition(|key| {
            again.lines().any(|line| {
                line.trim_start_matches('[').starts_with(&format!("{key}]"))
                    || line.trim_start_matches('[').starts_with(&format!("{key}.")) && line.starts_with('[')
            })
        });
        for part in [headers, plain] {
            let ranks: Vec<usize> =
                part.iter().map(|key| listed.iter().position(|other| other == key).expect("a part")).collect();
            assert!(ranks.is_sorted(), "{part:?}\n{again}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..ProptestConfig::default() })]

    /// Shipped packs in an untidy hand: what comes of them means the same, stays as it is, and holds every comment where it belongs.
    #[test]
    fn an_untidy_pack_is_tidied(seed in any::<u64>(), which in 0usize..2, shuffle in any::<bool>()) {
        let mut dice = Dice(seed);
        let untidy: Vec<SourceText> = pack(["assistant", "booking"][which]).iter().map(|file| {
            let mut text = Toml::write(&mut dice, shuffle, &tree(&file.name, &file.text));
            if dice.chance(20) {
                text.insert(0, MARK);
            }
            SourceText::new(&file.name, text)
        }).collect();
        let tidy = all_formatted(&untidy);
        prop_assert_eq!(fingerprint(&untidy), fingerprint(&tidy));
        for (before, after) in untidy.iter().zip(&tidy) {
            is_final(&after.name, &after.text);
            let sorted = |text: &str| { let mut all: Vec<String> = comments(text).into_iter().map(str::to_owned).collect(); all.sort(); all };
            prop_assert_eq!(sorted(&before.text), sorted(&after.text));
            comments_are_at_their_keys(&after.text);
            let clean = !after.text.contains(['\r', MARK, '\t']);
            prop_assert!(clean, "{}", after.text);
            prop_assert!(after.text.ends_with('\n') && !after.text.ends_with("\n\n") && !after.text.starts_with('\n'));
            let pinned = before.text.trim_start_matches(MARK).starts_with("#:schema");
            prop_assert_eq!(after.text.starts_with("#:schema"), pinned);
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// The same for YAML, where nothing is moved.
    #[test]
    fn untidy_yaml_is_tidied(seed in any::<u64>(), at in any::<prop::sample::Index>()) {
        let mut dice = Dice(seed);
        let file = at.get(shipped());
        let name = "file.yaml";
        let untidy = Yaml::write(&mut dice, &tree(&file.name, &file.text));
        let tidy = formatted(name, &untidy);
        prop_assert_eq!(value(&tree(name, &untidy)), value(&tree(name, &tidy)));
        is_final(name, &tidy);
        prop_assert_eq!(comments(&untidy).len(), comments(&tidy).len());
        prop_assert!(!tidy.contains('\r'));
    }

    /// Random packs in both formats.
    #[test]
    fn random_packs_mean_the_same(seed in any::<u64>(), yaml in any::<bool>()) {
        let mut dice = Dice(seed);
        let documents = support::packs::pack(&mut dice);
        let files = if yaml { support::packs::as_yaml(&documents) } else { support::packs::as_toml(&documents) };
        let tidy = all_formatted(&files);
        prop_assert_eq!(fingerprint(&files), fingerprint(&tidy));
        prop_assert_eq!(&all_formatted(&tidy), &tidy);
    }

    /// Whatever the text, nothing panics, and what has a form has it for good.
    #[test]
    fn any_text_has_a_form_or_findings(text in "[a-c\\[\\]{}='\"#.,:\\-|> \n\t]{0,60}") {
        for name in ["x.toml", "x.yaml", "x.json", "segue.toml"] {
            let mut sources = SourceMap::default();
            let out = Diagnostics::new();
            let file = sources.add(name, text.as_str());
            match format(file, name, &text, &out) {
                Some(tidy) => {
                    prop_assert!(out.is_empty());
                    is_final(name, &tidy);
                    prop_assert_eq!(value(&tree(name, &text)), value(&tree(name, &tidy)));
                }
                None => {
                    let found = out.into_sorted();
                    prop_assert!(!found.is_empty());
                    prop_assert!(found.iter().all(|found| !found.message.contains("canonical form")), "{}: {:?}", name, found);
                }
            }
        }
    }
}
