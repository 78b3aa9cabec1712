//! The schemas beside the readers, on the examples of `docs/language.md` and `docs/scenarios.md`, changed in one place at a time:
//! what a schema refuses the readers refuse too, and the readers refuse no name of a key, no lack of a key and no word that a schema
//! lets pass, but for those that depend on what other files say.

use std::collections::{BTreeMap, BTreeSet};

use segue::declare::{Options, SourceText};
use segue::diag::{Code, Diagnostic};
use segue::language::{Key, SECTIONS, Shape, Value};
use segue::load::load;
use segue::registry::Registry;
use segue::scenario;
use segue::source::SourceMap;
use segue::syntax::Format;
use segue::workspace::Workspace;
use serde_json::{Value as Json, json};

use super::edit::{dotted, places, with, with_key, without};
use super::validator::{Validator, seen};

const LANGUAGE: &str = include_str!("../../../docs/language.md");
const SCENARIOS: &str = include_str!("../../../docs/scenarios.md");
/// A key, a name and a word that nothing knows.
const ODD: &str = "zz_odd";

/// The fenced blocks of a page: what stands behind the fence, and the text.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let inside = |(at, block): (usize, _)| (at % 2 == 1).then_some(block);
    let blocks = page.split("\n```").enumerate().filter_map(inside);
    blocks.map(|block: &str| block.split_once('\n').expect("a block has a first line")).collect()
}

/// The files of the example pack, as an editor sees them.
fn desk() -> BTreeMap<String, Json> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for (info, text) in blocks(LANGUAGE) {
        if let Some(name) = info.strip_prefix("toml file=") {
            files.entry(name.to_owned()).or_default().push_str(&format!("{text}\n"));
        }
    }
    assert!(files.len() > 8);
    files.into_iter().map(|(name, text)| (name, seen(Format::Toml, &text))).collect()
}

fn kind(document: &Json) -> &'static str {
    if document.get("id").is_some() { "transition" } else { "pack" }
}

/// What loading says of the pack with one file changed.
fn found(files: &BTreeMap<String, Json>, changed: &str, document: &Json) -> Vec<Diagnostic> {
    let text = |(name, whole): (&String, &Json)| {
        let whole = if name == changed { document } else { whole };
        let file = SourceText::new(format!("{name}.json"), whole.to_string());
        match name.split_once('/') {
            Some((folder, _)) if folder != "desk" => file.of_pack(folder),
            _ => file,
        }
    };
    let contracts =
        blocks(LANGUAGE).into_iter().filter_map(|(info, text)| Some((info.strip_prefix("json file=")?, text)));
    let contracts = contracts.map(|(name, text)| SourceText::new(name, text));
    let texts: Vec<SourceText> = files.iter().map(text).chain(contracts).collect();
    load(&texts, &Options::default()).diagnostics
}

/// Every value of the pack once: of places that differ in an index only the first. The files, the places and their values.
fn each(files: &BTreeMap<String, Json>, mut of: impl FnMut(usize, &str, &Json, &str, &Json)) {
    let mut seen = BTreeSet::new();
    // What the desk takes over of the pack that it extends is judged where that one is loaded by itself.
    for (name, document) in files.iter().filter(|(name, _)| !name.starts_with("counter/")) {
        for place in places(document).iter().filter(|place| !place.is_empty()) {
            let plain: Vec<&str> =
                place.split('/').map(|piece| if piece.parse::<usize>().is_ok() { "*" } else { piece }).collect();
            if seen.insert((kind(document), plain.join("/"))) {
                of(seen.len(), name, document, place, document.pointer(place).expect("a value"));
            }
        }
    }
    assert!(seen.len() > 500, "{}", seen.len());
}

#[test]
fn the_examples_keep_to_their_schemas() {
    let validator = Validator::new();
    for (name, document) in &desk() {
        assert_eq!(validator.faults(kind(document), document), "", "{name}");
    }
    let mut count = 0;
    for (info, text) in blocks(LANGUAGE) {
        if info.starts_with("yaml same-as=") {
            let document = seen(Format::Yaml, text);
            assert_eq!(validator.faults(kind(&document), &document), "", "{text}");
            count += 1;
        }
    }
    for (_, text) in blocks(SCENARIOS).iter().filter(|(info, _)| *info == "yaml") {
        assert_eq!(validator.faults("scenario", &seen(Format::Yaml, text)), "", "{text}");
        count += 1;
    }
    assert!(count > 5, "{count}");
}

/// In YAML `set.parcel: …` is one key to an editor: each table of the examples is written so in turn, and again with what is then
/// around it, up to three dots.
#[test]
fn keys_with_dots_are_right() {
    let validator = Validator::new();
    let mut count = 0;
    for (name, document) in &desk() {
        for place in places(document) {
            let (mut document, mut place) = (document.clone(), place);
            while let Some(other) = dotted(&document, &place) {
                assert_eq!(validator.faults(kind(&other), &other), "", "{name} {place}");
                count += 1;
                let Some((around, _)) = place.rsplit_once('/') else { break };
                (document, place) = (other, around.to_owned());
            }
        }
    }
    assert!(count > 300, "{count}");
}

#[test]
fn keys_with_dots_are_wrong_where_nested_ones_are() {
    let validator = Validator::new();
    let document = desk().remove("desk/AGAIN.toml").expect("a class");
    for (key, value) in [
        ("unmet.raeson", json!("x")),
        ("unmet.reason", json!(17)),
        ("carryover.dept", json!("none")),
        ("carryover.fate.question", json!("kept")),
        ("for_each.table.x", json!("x")),
        ("for_each.tabel", json!("x")),
        ("name.x", json!("x")),
        ("zz.x", json!("x")),
        ("requires.parcel.rounds", json!({ "lt": true })),
        ("entry.any", json!("x")),
    ] {
        let changed = with_key(&document, "", key, value);
        assert!(!validator.passes("transition", &changed), "{key}");
    }
}

/// Another value, of another type than most.
fn others(at: usize) -> Json {
    let all = [json!(17), json!(ODD), json!([]), json!({}), json!(true), json!([[ODD]]), json!({ ODD: { "x": 1 } })];
    all[at % all.len()].clone()
}

#[test]
fn what_a_schema_refuses_loading_refuses() {
    let (validator, files) = (Validator::new(), desk());
    assert_eq!(found(&files, "", &json!({})), []);
    let (mut refused, mut wrong) = (0, Vec::new());
    each(&files, |at, name, document, place, old| {
        let new = others(at);
        let changed = with(document, place, new.clone());
        if at % 2 == 1 && new != *old && !validator.passes(kind(document), &changed) {
            refused += 1;
            if found(&files, name, &changed).is_empty() {
                wrong.push(format!("{name} {place} {new}: {}", validator.faults(kind(document), &changed)));
            }
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(refused > 120, "{refused}");
}

/// Parts whose lack only the rest of the pack can tell, by the end of their place.
const NEEDED_BY_OTHERS: &[&str] = &[
    // There are calls, there is a universe, there is `decide`, the event has a text, it is an outcome, it is the log.
    "/settle",
    "/carryover",
    "/fate",
    "/fate/question",
    "/base",
    "/level",
    // A mode for each value of the field.
    "/found/yes",
    "/found/no",
    // Something else means nothing without it.
    "/event/utterance/text",
    "/values",
    "/rule",
    // Settings may stand in another file.
    "/pack/id",
    "/pack/title",
    "/pack/aggregate",
    "/pack/owner",
    // What is taken over does not fit.
    "/pack/remove",
    "/carryover/universe",
    "/carryover/depth",
    // The event demands the field, the column has no default.
    "/payload/text",
    "/column/express/default",
    "/row/0/title",
    "/row/0/needs",
    // The port sends an outcome.
    "/serve/0/reply",
];

#[test]
fn what_a_schema_does_not_miss_loading_does_not_miss() {
    let (validator, files) = (Validator::new(), desk());
    let (mut needed, mut wrong) = (0, Vec::new());
    each(&files, |at, name, document, place, _| {
        let item = place.rsplit('/').next().is_some_and(|piece| piece.parse::<usize>().is_ok());
        if item || at % 2 == 0 {
            return;
        }
        let changed = without(document, place);
        let findings = found(&files, name, &changed);
        let lacks = |found: &&Diagnostic| matches!(found.code, Code::MissingKey | Code::MissingPart);
        match (validator.passes(kind(document), &changed), findings.iter().find(lacks)) {
            (true, Some(found)) if !NEEDED_BY_OTHERS.iter().any(|end| place.ends_with(end)) => {
                wrong.push(format!("{name} {place} is needed: {}", found.message));
            }
            (false, _) if findings.is_empty() => wrong.push(format!("{name} {place} is not needed")),
            (false, _) => needed += 1,
            (true, _) => {}
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(needed > 30, "{needed}");
}

#[test]
fn a_key_that_loading_does_not_know_the_schema_does_not_know() {
    let (validator, files) = (Validator::new(), desk());
    let (mut unknown, mut wrong) = (0, Vec::new());
    each(&files, |_, name, document, place, old| {
        if !old.is_object() {
            return;
        }
        let changed = with_key(document, place, ODD, json!(1));
        let findings = found(&files, name, &changed);
        let names = |found: &&Diagnostic| found.code == Code::UnknownKey && found.message.contains(ODD);
        // Tests and columns stand beside names that the pack has chosen.
        let by_name =
            |found: &Diagnostic| found.message.starts_with("unknown test") || found.message.ends_with(" in a row");
        match (validator.passes(kind(document), &changed), findings.iter().find(names)) {
            (true, Some(found)) if !by_name(found) => wrong.push(format!("{name} {place}: {}", found.message)),
            (false, _) if findings.is_empty() => wrong.push(format!("{name} {place}: refused, and known")),
            (_, Some(_)) => unknown += 1,
            _ => {}
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(unknown > 60, "{unknown}");
}

/// Where a schema lists words loading lists the same ones.
#[test]
fn the_words_are_the_same() {
    let (validator, files) = (Validator::new(), desk());
    let (mut lists, mut wrong) = (BTreeSet::new(), Vec::new());
    each(&files, |_, name, document, place, old| {
        if !old.is_string() {
            return;
        }
        let changed = with(document, place, json!(ODD));
        let words = validator.words_at(kind(document), &changed, place);
        if words.is_empty() {
            return;
        }
        let findings = found(&files, name, &changed);
        let said = findings.iter().filter_map(|found| found.help.as_deref()).map(|help| {
            let mut said: Vec<String> = help.split('`').skip(1).step_by(2).map(str::to_owned).collect();
            said.sort();
            said
        });
        if !said.into_iter().any(|said| said == words) {
            wrong.push(format!("{name} {place}: {words:?}, loading says {findings:?}"));
        }
        lists.insert(words);
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let mut listed = BTreeSet::new();
    words_of(&SECTIONS, &mut BTreeSet::new(), &mut listed);
    assert_eq!(lists, listed, "a list of words is in no example");
}

/// The lists of words that shapes hold.
fn words_of(shape: &'static Shape, seen: &mut BTreeSet<&'static str>, into: &mut BTreeSet<Vec<String>>) {
    fn value(of: &'static Value, seen: &mut BTreeSet<&'static str>, into: &mut BTreeSet<Vec<String>>) {
        match of {
            Value::OneOf(words) | Value::OneOfOrCell(words) => {
                let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
                words.sort();
                into.insert(words);
            }
            Value::Table(shape) => words_of(shape, seen, into),
            Value::Names(rest) => value(rest.value, seen, into),
            Value::List(of) | Value::Some(of) | Value::OneOrMany(of) => value(of, seen, into),
            Value::Either(all) => all.iter().for_each(|of| value(of, seen, into)),
            _ => {}
        }
    }
    if seen.insert(shape.name) {
        shape.keys().for_each(|Key { value: of, .. }| value(of, seen, into));
        shape.rest.iter().for_each(|rest| value(rest.value, seen, into));
    }
}

/// What reading says of a document as a file of scenarios of the small pack.
fn read(registry: &Registry, document: &Json) -> Vec<Diagnostic> {
    let text = document.to_string();
    let file = SourceMap::default().add("x.json", text.as_str());
    let parsed = scenario::parse(file, &text, Format::Json);
    let mut findings = parsed.problems;
    for scenario in &parsed.scenarios {
        findings.extend(scenario::script(registry, scenario).err().into_iter().flatten());
    }
    findings
}

#[test]
fn scenarios_and_their_schema_agree() {
    let validator = Validator::new();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/mini");
    let pack = Workspace::of(&root).and_then(|workspace| workspace.pack("mini")).expect("the small pack");
    let registry = load(&pack, &Options::default()).registry.expect("a registry");
    let (mut refused, mut wrong) = (0, Vec::new());
    for (_, text) in blocks(SCENARIOS).iter().filter(|(info, _)| *info == "yaml") {
        let document = seen(Format::Yaml, text);
        assert_eq!(read(&registry, &document), []);
        for place in places(&document).iter().filter(|place| !place.is_empty()) {
            let old = document.pointer(place).expect("a value");
            let mut tried: Vec<(String, Json)> = vec![("left out".to_owned(), without(&document, place))];
            tried.extend((0..7).map(|at| (others(at).to_string(), with(&document, place, others(at)))));
            if old.is_object() {
                tried.push((ODD.to_owned(), with_key(&document, place, ODD, json!(1))));
            }
            for (how, changed) in tried {
                let findings = read(&registry, &changed);
                let passes = validator.passes("scenario", &changed);
                refused += usize::from(!passes);
                if !passes && findings.is_empty() {
                    wrong.push(format!("{place} {how}: {}", validator.faults("scenario", &changed)));
                }
                // Keys of turns are events of the pack, which demand fields; and a port may be one that never replies.
                let a_key = |found: &&Diagnostic| match found.code {
                    Code::UnknownKey => !found.message.ends_with("in a turn"),
                    Code::MissingKey => {
                        !["how the call ends", "demands it"].iter().any(|said| found.message.contains(said))
                    }
                    _ => false,
                };
                if let Some(found) = findings.iter().find(a_key).filter(|_| passes) {
                    wrong.push(format!("{place} {how}: {}", found.message));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {refused}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(refused > 500, "{refused}");
}
