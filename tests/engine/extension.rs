//! An eleventh class, a frame, a field, a language and a domain are data: the main pack grows them in memory, with no Rust.

use std::path::Path;

use segue::declare::{Options, SourceText};
use segue::load::load;
use segue::registry::Registry;
use segue::report::human;
use segue::scenario::{parse, replay};
use segue::source::FileId;
use segue::syntax::Format;
use segue::workspace::Workspace;

/// The files of the main pack, by name.
fn main_pack() -> Vec<SourceText> {
    let workspace = Workspace::of(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the repository is a workspace");
    workspace.pack("assistant").expect("the main pack can be read")
}

/// Replaces text in one file; it must stand there.
fn edit(files: &mut [SourceText], name: &str, old: &str, new: &str) {
    let file = files.iter_mut().find(|file| file.name.ends_with(name)).unwrap_or_else(|| panic!("no file {name}"));
    assert!(file.text.contains(old), "`{old}` does not stand in {name}");
    file.text = file.text.replacen(old, new, 1).into();
}

fn add(files: &mut Vec<SourceText>, name: &str, text: &str) {
    files.push(SourceText::new(format!("transitions/assistant/{name}"), text));
}

fn loaded(files: &[SourceText]) -> Registry {
    let loaded = load(files, &Options::default());
    let shown = human(&loaded.sources, &loaded.diagnostics, false);
    loaded.registry.unwrap_or_else(|| panic!("the pack does not load:\n{shown}"))
}

/// Replays scenarios and demands that each expectation holds.
fn passes(registry: &Registry, text: &str) {
    let parsed = parse(FileId(0), text, Format::Yaml);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    assert!(!parsed.scenarios.is_empty());
    for scenario in &parsed.scenarios {
        let outcome = replay(registry, scenario);
        assert!(outcome.failures.is_empty(), "{}: {:#?}", scenario.name, outcome.failures);
    }
}

#[test]
fn one_more_class_with_a_frame_of_its_own() {
    let mut files = main_pack();
    let classes = loaded(&files).pack().classes.len();
    edit(&mut files, "pack.toml", r#", "T10"]]"#, r#", "WATCH", "T10"]]"#);
    edit(&mut files, "pack.toml", r#""coverage_gate_state","#, r#""coverage_gate_state", "watch_state","#);
    add(
        &mut files,
        "watch.yaml",
        r#"
frame.watch:
  owner: watch_state
  doc: What the user wants to be told of.
  field:
    domain_id: { key_of: domain, optional: true }
    asked: { type: int, default: 0 }
signal.watch:
  enum: [on]
  doc: The user wants to be told.
  values: { on: [следи за этим, сообщи когда изменится, keep an eye on it] }
answer_mode.noted: { claims: nothing, doc: It is noted. }
"#,
    );
    add(
        &mut files,
        "WATCH.toml",
        r#"
id = "WATCH"
name = "watch_request"
title = "Watch the active root"
owner = "watch_state"
doc = "The user asks to be told when the answer to the active root question changes."
requires = { root.frame_status = "active" }
entry = { input.watch = { present = true } }
never = []
[unmet]
reason = "nothing_to_watch"
[[trigger]]
event = "utterance"
any = [ { signal = "watch" } ]
examples = ["следи за этим", "keep an eye on it"]
counterexamples = ["кто поставщик"]
[carryover]
depth = "root_only"
keep = ["object"]
forbid = ["meta"]
preserve = ["root", "object"]
fate.clarification = "keep"
[[do]]
set.watch = { domain_id = "$root.domain_id?" }
[[do]]
increment.watch.asked = 1
[answer]
mode = "noted"
"#,
    );
    edit(&mut files, "T10.toml", r#""no_transition"] }"#, r#""no_transition", "nothing_to_watch"] }"#);
    let registry = loaded(&files);
    assert_eq!(registry.pack().classes.len(), classes + 1);
    passes(
        &registry,
        r#"
scenarios:
  - scenario: the new class takes its words and keeps the root
    given: { root: { domain_id: inventory, root_route_id: stock_on_date, organization_scope: org-1, date_scope: 2020-02, frame_status: active } }
    turns:
      - user: "следи за этим"
        expect: { transition: WATCH, answer_mode: noted, state: { watch: { domain_id: inventory, asked: 1 }, root: { frame_status: active } } }
      - user: "Keep an eye on it!"
        expect: { transition: WATCH, state: { watch: { asked: 2 } } }
  - scenario: its unmet reason reaches the boundary
    turns:
      - user: "следи за этим"
        expect: { transition: T10, reason: nothing_to_watch, answer_mode: bounded }
"#,
    );
}

#[test]
fn a_field_a_domain_and_a_language() {
    let mut files = main_pack();
    // A field, written by the block that settles root outcomes.
    edit(
        &mut files,
        "state.toml",
        "[frame.root.field]\n",
        "[frame.root.field]\nlast_grade = { enum = \"evidence_grade\", optional = true }\n",
    );
    edit(
        &mut files,
        "blocks.toml",
        "{ set.root = { root_result_set_id",
        "{ set.root = { last_grade = \"$outcome.evidence_grade?\" } },\n  { set.root = { root_result_set_id",
    );
    // A domain with its route, in Russian, English and German.
    edit(
        &mut files,
        "tables.toml",
        "{ id = \"inventory\", title_ru",
        "{ id = \"staff\", title_ru = \"сотрудники\", title_en = \"staff\" },\n  { id = \"inventory\", title_ru",
    );
    edit(
        &mut files,
        "tables.toml",
        "{ id = \"stock_on_date\"",
        "{ id = \"staff_on_date\", level = \"root\", domain = \"staff\", needs = [\"date_scope\"] },\n  { id = \"stock_on_date\"",
    );
    edit(
        &mut files,
        "domains.toml",
        "inventory = [\n",
        "staff = [ \"сотрудник~noun_m\", \"персонал~noun_m\", \"staff\", \"headcount\", \"mitarbeiter\", \"belegschaft\" ]\ninventory = [\n  \"lagerbestand\", \"lagerbestände\",\n",
    );
    // A language: words for what there is already.
    edit(&mut files, "words.toml", "\"кто [ее|его", "\"wer ist der lieferant\", \"кто [ее|его");
    edit(&mut files, "words.toml", "\"по ней\", \"по нему\"", "\"dazu\", \"по ней\", \"по нему\"");
    edit(&mut files, "words.toml", "\"это много или мало\"", "\"ist das viel\", \"это много или мало\"");
    edit(&mut files, "dates.toml", "\"март~noun_m\"", "\"märz\", \"март~noun_m\"");
    let registry = loaded(&files);
    passes(
        &registry,
        r#"
scenarios:
  - scenario: a conversation in German about a new domain
    env: { today: 2021-05-10 }
    turns:
      - user: "Mitarbeiter im März 2020"
        expect: { transition: T1, answer_mode: exact_route, state: { root: { domain_id: staff, root_route_id: staff_on_date, date_scope: 2020-03, last_grade: strong } } }
        calls: [ { port: route_execute, with: { route: staff_on_date, date_scope: 2020-03 }, returns: { coverage_status: full, evidence_grade: strong, result_set_id: rs-1, answer_object_ref: a-1 } } ]
      - user: "Ist das viel?"
        expect: { transition: T8, answer_mode: meta }
        calls: [ { port: meta_answer, returns: {} } ]
      - user: "сколько сотрудников за апрель"
        expect: { transition: T2, answer_mode: exact_route, state: { root: { domain_id: staff, date_scope: 2020-04 } } }
        calls: [ { port: route_execute, with: { route: staff_on_date }, returns: { coverage_status: full, evidence_grade: strong, result_set_id: rs-2, answer_object_ref: a-2 } } ]
  - scenario: a short action in German
    given:
      root: { domain_id: inventory, root_route_id: stock_on_date, organization_scope: org-1, date_scope: 2020-02, root_result_set_id: rs-1, frame_status: active }
      object: { focus_object_ref: item-1, focus_object_kind: item, compatible_route_family: item, source_result_set_id: rs-1, frame_status: active }
    turns:
      - user: "Wer ist der Lieferant?"
        expect: { transition: T4, answer_mode: exact_item }
        calls: [ { port: route_execute, with: { route: item_supplier, object: item-1 }, returns: { coverage_status: full, evidence_grade: strong } } ]
"#,
    );
}
