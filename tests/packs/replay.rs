//! The corpus of scenarios under `cargo test`: the same files, the same expectations, the same snapshots as `segue replay`.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use segue::declare::Options;
use segue::load::load;
use segue::registry::Registry;
use segue::scenario::{self, Failure, Outcome};
use segue::source::SourceMap;
use segue::workspace::{Corpus, Workspace};

fn workspace(below: &str) -> Workspace {
    Workspace::of(&Path::new(env!("CARGO_MANIFEST_DIR")).join(below)).expect("a workspace")
}

fn registry(workspace: &Workspace, pack: &str) -> Registry {
    let loaded = load(&workspace.pack(pack).expect("the files of the pack"), &Options::default());
    loaded.registry.unwrap_or_else(|| panic!("{}", segue::report::human(&loaded.sources, &loaded.diagnostics, false)))
}

fn shown(sources: &SourceMap, failures: &[Failure]) -> String {
    let one = |failure: &Failure| {
        let at = sources.start(failure.span);
        let (file, message) = (sources.name(failure.span.file), &failure.message);
        format!("{file}:{}:{}: {message}: {:?} {:?}\n", at.line, at.column, failure.expected, failure.actual)
    };
    failures.iter().map(one).collect()
}

/// Every scenario of a workspace with what replaying it came to.
fn outcomes(workspace: &Workspace) -> (Corpus, Vec<Outcome>) {
    let corpus = workspace.corpus(&[]).expect("readable scenarios");
    assert!(!corpus.cases.is_empty(), "{}", corpus.looked);
    assert!(corpus.faulty.is_empty(), "{:?}", corpus.faulty);
    let mut packs: Vec<(&str, Registry)> = Vec::new();
    let mut outcomes = Vec::new();
    for case in &corpus.cases {
        let pack = case.pack.as_deref().expect("a pack");
        if !packs.iter().any(|(name, _)| *name == pack) {
            packs.push((pack, registry(workspace, pack)));
        }
        let (_, registry) = packs.iter().find(|(name, _)| *name == pack).expect("the pack");
        outcomes.push(scenario::replay(registry, &case.scenario));
    }
    (corpus, outcomes)
}

fn replay(below: &str) {
    let workspace = workspace(below);
    let (corpus, outcomes) = outcomes(&workspace);
    let mut wrong = String::new();
    for (case, outcome) in corpus.cases.iter().zip(&outcomes) {
        wrong.push_str(&shown(&corpus.sources, &outcome.failures));
        let Some(transcript) = &outcome.transcript else { continue };
        let name = case.snapshot.file_stem().expect("a name").to_string_lossy().into_owned();
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(case.snapshot.parent().expect("a folder"));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_description(&case.scenario.name);
        let compared = catch_unwind(AssertUnwindSafe(|| {
            settings.bind(|| insta::assert_snapshot!(name, transcript));
        }));
        if compared.is_err() {
            wrong.push_str(&format!(
                "{}: {}: the transcript differs from its snapshot\n",
                case.file, case.scenario.name
            ));
        }
    }
    for orphan in &corpus.orphans {
        wrong.push_str(&format!("{}: no scenario refers to this snapshot\n", orphan.shown));
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn the_corpus() {
    replay("");
}

#[test]
fn the_small_pack() {
    replay("tests/fixtures/mini");
}

#[test]
fn attempts_of_which_several_are_open_at_once() {
    replay("tests/fixtures/step-back");
}

#[test]
fn packs_that_use_packs() {
    replay("tests/fixtures/uses");
}

/// Replay is pure: a second run is the same to the letter.
#[test]
fn replay_is_deterministic() {
    let workspace = workspace("");
    let transcripts = || outcomes(&workspace).1.into_iter().map(|outcome| outcome.transcript).collect::<Vec<_>>();
    assert_eq!(transcripts(), transcripts());
}

/// FB-06: what the assistant said is no input. With every reply text replaced, everything else is the same.
#[test]
fn replies_are_read_by_nothing() {
    let workspace = workspace("");
    let (corpus, outcomes) = outcomes(&workspace);
    let mut replies = 0;
    let mut registries = BTreeMap::new();
    for (case, outcome) in corpus.cases.iter().zip(&outcomes) {
        let mut muted = case.scenario.clone();
        for turn in &mut muted.turns {
            replies += mute(turn);
        }
        let pack = case.pack.as_deref().expect("a pack");
        let registry = registries.entry(pack).or_insert_with(|| registry(&workspace, pack));
        let again = scenario::replay(registry, &muted);
        assert_eq!((&outcome.turns, &outcome.transcript), (&again.turns, &again.transcript), "{}", case.scenario.name);
    }
    assert!(replies > 3, "the corpus records replies");
}

fn mute(turn: &mut segue::syntax::Node) -> usize {
    use segue::syntax::{Entry, Kind, Table};
    let Kind::Table(table) = &turn.kind else { return 0 };
    let mut muted = 0;
    let entries = table.iter().cloned().map(|mut entry: Entry| {
        if entry.key == "assistant" {
            entry.value.kind = Kind::Text("…".into());
            muted += 1;
        }
        entry
    });
    let entries: Vec<Entry> = entries.collect();
    turn.kind = Kind::Table(Table::new(entries));
    muted
}
