//! `docs/language.md` runs: its examples make one pack that loads without a finding, hold every key that loading accepts,
//! and its wrong examples give the findings they name.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::env::env_on;
use segue::declare::{Options, SourceText};
use segue::diag::{Code, Diagnostic, Diagnostics};
use segue::engine::{self, Event, NumberedIds, Step};
use segue::load::{self, Loaded};
use segue::model::Status;
use segue::report;
use segue::source::SourceMap;
use segue::state::SessionState;
use segue::syntax::{Format, Kind, Node, parse};
use serde_json::json;

const DOC: &str = include_str!("../../docs/language.md");

/// A fenced block: its format, the rest of its info string as `key=value`, its text.
struct Block {
    format: &'static str,
    says: BTreeMap<&'static str, &'static str>,
    text: String,
}

fn blocks() -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut open = false;
    for line in DOC.lines() {
        match line.strip_prefix("```") {
            Some(info) if !open => {
                let mut words = info.split_whitespace();
                let format = words.next().unwrap_or("");
                let says = words.filter_map(|word| word.split_once('=')).collect();
                found.push(Block { format, says, text: String::new() });
                open = true;
            }
            Some(_) => open = false,
            None if open => {
                let text = &mut found.last_mut().expect("a block is open").text;
                text.push_str(line);
                text.push('\n');
            }
            None => {}
        }
    }
    found
}

/// The files of the example pack: blocks with one `file=` are one file.
fn files() -> BTreeMap<String, String> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for block in blocks() {
        if let Some(file) = block.says.get("file") {
            files.entry((*file).to_owned()).or_default().push_str(&block.text);
        }
    }
    files
}

fn load(files: &BTreeMap<String, String>) -> Loaded {
    // What does not lie in `desk/` is a pack that the desk uses.
    let text = |(name, text): (&String, &String)| {
        let file = SourceText::new(name.clone(), text.clone());
        match name.split_once('/') {
            Some((folder, _)) if folder != "desk" => file.of_pack(folder),
            _ => file,
        }
    };
    let texts: Vec<SourceText> = files.iter().map(text).collect();
    load::load(&texts, &Options::default())
}

fn fingerprint(files: &BTreeMap<String, String>) -> String {
    let Loaded { sources, diagnostics, registry, .. } = load(files);
    assert!(diagnostics.is_empty(), "{}", report::human(&sources, &diagnostics, false));
    registry.expect("a registry").pack().fingerprint.clone()
}

#[test]
fn the_examples_load_without_a_finding() {
    assert!(files().len() > 5);
    fingerprint(&files());
}

#[test]
fn every_block_is_run_or_says_why_not() {
    for block in blocks() {
        let runs = ["file", "same-as", "error"].iter().any(|key| block.says.contains_key(key));
        assert!(runs || block.format == "text", "a block that no test runs:\n{}", block.text);
    }
}

#[test]
fn yaml_and_toml_mean_the_same() {
    let toml = files();
    let mut compared = 0;
    for block in blocks() {
        let Some(file) = block.says.get("same-as") else { continue };
        let mut other = toml.clone();
        assert!(other.remove(*file).is_some(), "no example is called {file}");
        other.insert(format!("desk/again.{}", block.format), block.text);
        assert_eq!(fingerprint(&other), fingerprint(&toml), "{file}");
        compared += 1;
    }
    assert!(compared > 0);
}

#[test]
fn the_wrong_examples_give_the_findings_they_name() {
    let mut tried = 0;
    for block in blocks() {
        let Some(slug) = block.says.get("error") else { continue };
        let mut files = files();
        if let Some(file) = block.says.get("instead-of") {
            assert!(files.remove(*file).is_some(), "no example is called {file}");
        }
        files.insert(format!("desk/wrong.{}", block.format), block.text.clone());
        let Loaded { sources, diagnostics: found, .. } = load(&files);
        let slugs: BTreeSet<&str> = found.iter().map(|d| d.code.slug()).collect();
        assert_eq!(slugs, BTreeSet::from([*slug]), "{}\n{}", block.text, report::human(&sources, &found, false));
        assert!(found.iter().all(|d| sources.name(d.primary.span.file).starts_with("desk/wrong")), "{}", block.text);
        tried += 1;
    }
    assert!(tried > 3);
}

/// A key that nothing reads and that is like no other; a number follows it.
const PROBE: &str = "zzzzzzzzzzzzzzzz";

/// In every table of the examples a key is planted that nothing reads, in all tables of one depth of one file at a time; the
/// findings say which keys those tables may have. Each of them must stand in some example of such a table.
#[test]
fn every_key_that_loading_accepts_is_in_an_example() {
    let files = files();
    let mut accepted: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut shown: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, text) in &files {
        let mut sources = SourceMap::default();
        let id = sources.add(name, text.as_str());
        let root = parse(id, text, Format::of_path(name).expect("a format"), &Diagnostics::new()).expect("a document");
        for depth in 0.. {
            let mut planted = Planted { depth, tables: Vec::new() };
            let text = planted.json(&root, 0);
            if planted.tables.is_empty() {
                break;
            }
            let mut tried = files.clone();
            tried.remove(name);
            tried.insert(format!("{name}.json"), text);
            for finding in load(&tried).diagnostics {
                let Some((kind, table, known)) = known_keys(&finding) else { continue };
                accepted.entry(kind.clone()).or_default().extend(known);
                shown.entry(kind).or_default().extend(planted.tables[table].iter().cloned());
            }
        }
    }
    assert!(accepted.len() > 30, "{:?}", accepted.keys());
    let missing: Vec<String> = accepted
        .iter()
        .map(|(kind, known)| (kind, known - &shown[kind]))
        .filter(|(_, missing)| !missing.is_empty())
        .map(|(kind, missing)| format!("{kind}: {missing:?}"))
        .collect();
    assert!(missing.is_empty(), "keys without an example:\n{}", missing.join("\n"));
}

/// The kind of table that a finding about a planted key speaks of, which of the planted tables it is, and the keys it may have.
fn known_keys(finding: &Diagnostic) -> Option<(String, usize, BTreeSet<String>)> {
    let message = finding.message.as_str();
    let (before, rest) = message.split_once(PROBE).filter(|_| finding.code == Code::UnknownKey)?;
    let (number, after) = rest.split_once('`')?;
    let kind = after.strip_prefix(" in ").unwrap_or(before.trim_end_matches(" `"));
    let help = finding.help.as_deref().expect("a list of keys");
    assert!(!help.contains(" more"), "a list that is cut: {help}");
    let known = help.split('`').skip(1).step_by(2).filter(|key| !key.contains(PROBE)).map(str::to_owned).collect();
    Some((kind.to_owned(), number.parse().expect("a number"), known))
}

/// A document as JSON, with a key planted in each table of one depth, and the keys of those tables.
struct Planted {
    depth: usize,
    tables: Vec<BTreeSet<String>>,
}

impl Planted {
    fn json(&mut self, node: &Node, depth: usize) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        match &node.kind {
            Kind::Null => "null".to_owned(),
            Kind::Bool(value) => value.to_string(),
            Kind::Number(number) => number.to_string(),
            Kind::Date(text) | Kind::Text(text) => quoted(text),
            Kind::List(list) => {
                let items: Vec<String> = list.iter().map(|item| self.json(item, depth)).collect();
                format!("[{}]", items.join(","))
            }
            Kind::Table(table) => {
                let mut entries = Vec::new();
                if depth == self.depth {
                    entries.push(format!("\"{PROBE}{}\":1", self.tables.len()));
                    self.tables.push(table.iter().map(|entry| entry.key.to_string()).collect());
                }
                for entry in table {
                    entries.push(format!("{}:{}", quoted(&entry.key), self.json(&entry.value, depth + 1)));
                }
                format!("{{{}}}", entries.join(","))
            }
        }
    }
}

/// What passes between pack and host bears the names that the page says, in the order that it says.
#[test]
fn the_wire_names_are_as_the_page_shows_them() {
    let mut files = files();
    files.insert("desk/RETURN.toml".into(), RETURN.into());
    let order = files.get_mut("desk/pack.toml").expect("the manifest");
    *order = order.replace("[\"ANSWER\",", "[\"RETURN\", \"ANSWER\",");
    let Loaded { sources, diagnostics, registry, .. } = load(&files);
    assert!(diagnostics.is_empty(), "{}", report::human(&sources, &diagnostics, false));
    let registry = registry.expect("a registry");
    let pack = registry.pack();
    let mut ids = NumberedIds::default();
    let mut env = env_on(jiff::civil::date(2024, 5, 10), 1, &mut ids);
    let items = json!([{ "id": "i-1", "lineNote": "torn", "weight": 1.5 }]);
    let given = |payload| Event::input(&registry, "send_back", &payload, &json!({}));
    let error = given(json!({ "parcel_number": "ab1234", "items": items })).expect_err("a name of the pack");
    assert_eq!(error.to_string(), "`parcel_number`: is no field of event `send_back`; did you mean `parcelNumber`?");
    let error = given(json!({ "parcelNumber": "ab1234", "items": [{ "id": "i-1", "weight_kg": 1 }] }));
    assert_eq!(
        error.expect_err("a name of the pack").to_string(),
        "`items.0.weight_kg`: is not declared; did you mean `weight`?"
    );
    let event = given(json!({ "parcelNumber": "ab1234", "items": items })).expect("an event");
    let asked = engine::step(&registry, &SessionState::new(pack), &event, &mut env).expect("a step");
    let request = json!({ "parcel": "ab1234", "items": items });
    assert_eq!(asked.calls[0].request(pack).to_string(), request.to_string());
    let outcome =
        |value| Event::Outcome { call: asked.calls[0].id.clone(), status: Status::Ok, value: Some(value), error: None };
    let told = engine::step(&registry, &asked.state, &outcome(json!({ "reference": "ret-7" })), &mut env);
    let told = told.expect("a step");
    let shown = told.messages[0].body(pack).to_string();
    assert!(DOC.lines().any(|line| line == shown), "{shown}");
    assert_eq!(told.messages[0].text.as_deref(), Some("Your return ret-7 is noted."));
    let broken = engine::step(&registry, &asked.state, &outcome(json!({ "return_id": "ret-7" })), &mut env);
    assert_eq!(broken.expect("a step").class, pack.class("REST"), "an answer by the names of the pack is none");
}

const RETURN: &str = r#"
id = "RETURN"
name = "send_back"
title = "Something is sent back"
owner = "topic_state"
doc = "Has a label printed."
trigger = [ { event = "send_back" } ]
requires = {}
entry = {}
carryover = { depth = "none", keep = ["parcel", "price"], forbid = [], preserve = [], fate = { question = "keep" } }
do = [ { call = "returns", id = "label", with = { parcel_number = "$input.parcel_number", items = "$input.items" } } ]
settle = [ { on = "label", when = { outcome.status = "ok" }, do = [
  { emit = "coming_back", with = { return_id = "$outcome.return_id", items = [ { id = "i-1", line_note = "torn", weight_kg = 1.5 } ] } },
] } ]
answer = { mode = "sorry" }
never = []
"#;

/// The example pack answers: the lookup's outcome ends the turn, although `audit` never replies.
#[test]
fn the_example_pack_runs() {
    let registry = load(&files()).registry.expect("a registry");
    let pack = registry.pack();
    let mut ids = NumberedIds::default();
    let mut take = |state: &SessionState, event: &Event| {
        let mut env = env_on(jiff::civil::date(2024, 5, 10), 1, &mut ids);
        engine::step(&registry, state, event, &mut env).expect("a step")
    };
    let say =
        |text: &str| Event::input(&registry, "utterance", &json!({ "text": text }), &json!({})).expect("an event");
    let class = |step: &Step| step.class.map(|class| pack.names.text(pack.classes[class.index()].id));
    let mode = |step: &Step| step.answer.map(|mode| pack.names.text(pack.modes[mode.index()].name));

    let asked = take(&SessionState::new(pack), &say("Where is AB1234?"));
    assert_eq!((class(&asked), mode(&asked)), (Some("FIND"), None));
    assert_eq!(asked.calls.len(), 2);
    assert_eq!(asked.state.open_calls().len(), 1, "nobody waits for `audit`");

    let outcome = Event::Outcome {
        call: asked.calls[0].id.clone(),
        status: Status::Ok,
        value: Some(json!({ "found": "yes", "amount": 3.5 })),
        error: None,
    };
    let told = take(&asked.state, &outcome);
    assert_eq!((class(&told), mode(&told)), (Some("FIND"), Some("fact")));
    assert!(told.state.open_calls().is_empty());

    let again = take(&told.state, &say("and for march"));
    assert_eq!(class(&again), Some("AGAIN"));
    let parcel = again.state.frame_json(pack, pack.frame("parcel").expect("a frame"));
    assert_eq!(parcel["number"], "AB1234");
    assert_eq!(parcel["period"], "2024-03");

    let lost = take(&again.state, &say("what a day"));
    assert_eq!((class(&lost), mode(&lost)), (Some("REST"), Some("sorry")));
    assert_eq!(lost.closed.len(), 1);
}
