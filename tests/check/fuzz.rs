//! Fuzzing in small: whatever the bytes of any file, loading and checking come to an end in words; and what is checked runs without a
//! fault of types.

use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::{Config as Runs, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use segue::audit::{Audit, Config, audit};
use segue::declare::Options;
use segue::diag::Diagnostics;
use segue::engine::{NumberedIds, StepError, restore};
use segue::format::format;
use segue::load::load;
use segue::recorded::Replay;
use segue::registry::Registry;
use segue::source::{SourceMap, SourceText};
use segue::state::SessionState;
use segue::syntax::{Format, parse};
use segue::workspace::{Workspace, files};
use segue::{report, scenario};

use crate::support::corpus::Corpus;
use crate::support::events::session;
use crate::support::packs::{as_toml, as_yaml, pack};
use crate::support::{Dice, loaded};

/// A pack and its scenarios.
#[derive(Clone)]
struct Files {
    pack: Vec<SourceText>,
    scenarios: Vec<SourceText>,
}

fn files_of(root: &str, pack: &str) -> Files {
    let workspace = Workspace::of(&Path::new(env!("CARGO_MANIFEST_DIR")).join(root)).expect("a workspace");
    let folder = workspace.root().join("scenarios").join(pack);
    let scenarios = files::walk(&folder, &format!("scenarios/{pack}"), &folder).files.into_iter().filter_map(|path| {
        let name = workspace.shown(&path);
        Format::of_path(&name).map(|_| files::source(&path, &name))
    });
    Files { pack: workspace.pack(pack).expect("the pack"), scenarios: scenarios.collect() }
}

/// `SEGUE_FUZZ=20 cargo test --release --test check fuzz` tries twenty times as many cases.
#[expect(clippy::disallowed_methods, reason = "how long it is searched is said from outside")]
fn many() -> u32 {
    std::env::var("SEGUE_FUZZ").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// Tries something on some seeds, the same on every run.
fn for_seeds(cases: u32, law: impl Fn(&mut Dice) -> Result<(), String>) {
    let runs = Runs { cases, failure_persistence: None, max_shrink_iters: 0, ..Runs::default() };
    let mut runner = TestRunner::new_with_rng(runs, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let tried = runner.run(&any::<u64>(), |seed| law(&mut Dice(seed)).map_err(TestCaseError::fail));
    if let Err(error) = tried {
        panic!("{error}");
    }
}

/// All that is said of some files, in every form; each place lies in its text.
fn checked(files: &Files) -> Audit {
    let audit = audit(&files.pack, &files.scenarios, &Config::default());
    let found = &audit.diagnostics;
    for label in found.iter().flat_map(|found| found.secondary.iter().chain([&found.primary])) {
        let (start, end) = (label.span.start as usize, label.span.end as usize);
        let text = audit.sources.text(label.span.file);
        assert!(
            text.get(start..end).is_some(),
            "{start}..{end} in {}: {}",
            audit.sources.name(label.span.file),
            label.message
        );
    }
    assert!(report::human(&audit.sources, found, false).lines().count() >= found.len().min(100));
    assert_eq!(report::short(&audit.sources, found).lines().count(), found.len());
    let _ = report::json(&audit.sources, found);
    let _ = report::sarif(&audit.sources, found, "");
    let _ = report::github(&audit.sources, found, "");
    report::junit(&audit.sources, found, true).expect("it is XML");
    audit
}

/// Lets a pack that loads run, and holds what comes of it against the types.
fn runs(registry: &Registry, dice: &mut Dice, corpus: &Corpus) -> Result<(), String> {
    let pack = registry.pack();
    session(registry, corpus, dice, 6, |moment| match moment.result {
        Ok(step) => {
            let saved = step.state.to_json(pack);
            let mut ids = NumberedIds::default();
            let mut env = scenario::env(&scenario::Clock::default(), 1, &mut ids);
            match restore(registry, &saved, &mut env) {
                Ok(read) if read.state == step.state || !read.repaired.is_empty() => Ok(()),
                Ok(read) => Err(format!("{saved} was read back as {}", read.state.to_json(pack))),
                Err(error) => Err(format!("{saved} cannot be read back: {error}")),
            }
        }
        Err(StepError::Boundary { .. } | StepError::TextTooLong { .. }) => Ok(()),
        Err(error) => Err(error.to_string()),
    })
}

/// A text with one or a few mutations; often no UTF-8 any more.
fn mutated(text: &str, dice: &mut Dice) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + dice.below(3) {
        if bytes.is_empty() {
            return bytes;
        }
        let at = dice.below(bytes.len());
        let lines = |bytes: &[u8]| bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
        match dice.below(9) {
            0 => bytes[at] ^= 1 << dice.below(8),
            1 => bytes.truncate(at),
            2 => drop(bytes.remove(at)),
            3 => bytes.insert(at, *dice.pick(b"[]{}()\"'`:=,.#&*!|>-\\\0\t\r\n 0a$?~\xff\xd0")),
            4 => {
                let mut all = lines(&bytes);
                let at = dice.below(all.len());
                all.remove(at);
                bytes = all.concat();
            }
            5 => {
                let mut all = lines(&bytes);
                let line = dice.pick(&all).clone();
                all.insert(dice.below(all.len() + 1), line);
                bytes = all.concat();
            }
            6 => {
                let mut all = lines(&bytes);
                let (one, other) = (dice.below(all.len()), dice.below(all.len()));
                all.swap(one, other);
                bytes = all.concat();
            }
            7 => bytes = swapped(&bytes, dice),
            _ => {
                let word: &[u8] = dice.pick::<&[u8]>(&[
                    b"true",
                    b"-1",
                    b"99999999999999999999",
                    b"nan",
                    b"''",
                    b"[]",
                    b"{}",
                    b"T1",
                    b"\xe2\x80\xae",
                    b"\xef\xbb\xbf",
                ]);
                bytes.splice(at..at, word.iter().copied());
            }
        }
    }
    bytes
}

/// Two words of a text in each other's place.
fn swapped(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let mut words: Vec<std::ops::Range<usize>> = Vec::new();
    for (at, byte) in bytes.iter().enumerate() {
        match words.last_mut() {
            Some(word) if is_word(*byte) && word.end == at => word.end = at + 1,
            _ if is_word(*byte) => words.push(at..at + 1),
            _ => {}
        }
    }
    if words.len() < 2 {
        return bytes.to_vec();
    }
    let (a, b) = (dice.below(words.len()), dice.below(words.len()));
    let (first, second) = (words[a.min(b)].clone(), words[a.max(b)].clone());
    if first == second {
        return bytes.to_vec();
    }
    let parts = [
        &bytes[..first.start],
        &bytes[second.clone()],
        &bytes[first.end..second.start],
        &bytes[first],
        &bytes[second.end..],
    ];
    parts.concat()
}

/// A pack or a scenario with a mutated file is read to its end; one that still loads runs.
fn a_mutant(files: &Files, corpus: &Corpus, dice: &mut Dice) -> Result<(), String> {
    let mut mutant = files.clone();
    let all = if dice.chance(70) || mutant.scenarios.is_empty() { &mut mutant.pack } else { &mut mutant.scenarios };
    let at = dice.below(all.len());
    all[at] = SourceText::decoded(all[at].name.clone(), mutated(&all[at].text, dice));
    match checked(&mutant).registry {
        Some(registry) => runs(&registry, dice, corpus),
        None => Ok(()),
    }
}

#[test]
fn mutants_of_small_packs() {
    let small = [files_of("tests/fixtures/codes", "desk"), files_of("tests/fixtures/mini", "mini")];
    for_seeds(150 * many(), |dice| a_mutant(dice.pick(&small), &Corpus::default(), dice));
}

#[test]
fn mutants_of_the_shipped_packs() {
    let (assistant, booking) = (files_of("", "assistant"), files_of("", "booking"));
    for_seeds(10 * many(), |dice| a_mutant(&assistant, &Corpus::default(), dice));
    for_seeds(6 * many(), |dice| a_mutant(&booking, &Corpus::default(), dice));
}

/// Each file cut at every so many bytes: the end of a file may be anywhere.
#[test]
fn files_that_are_cut_short() {
    let files = files_of("tests/fixtures/codes", "desk");
    for (at, text) in files.pack.iter().map(|file| file.text.clone()).enumerate() {
        for end in (0..text.len()).step_by(61) {
            let mut cut = files.clone();
            cut.pack[at] = SourceText::decoded(files.pack[at].name.clone(), text.as_bytes()[..end].to_vec());
            let loaded = load(&cut.pack, &Options::default());
            let _ = report::human(&loaded.sources, &loaded.diagnostics, true);
        }
    }
    for file in files_of("", "assistant").pack.iter().chain(&files_of("", "booking").scenarios) {
        for end in (0..file.text.len()).step_by(997) {
            let read = SourceText::decoded(file.name.clone(), file.text.as_bytes()[..end].to_vec());
            let (mut sources, out) = (SourceMap::default(), Diagnostics::new());
            let id = sources.add(&read.name, &*read.text);
            parse(id, &read.text, Format::of_path(&file.name).expect("a format"), &out);
            let _ = report::human(&sources, &out.into_sorted(), false);
        }
    }
}

/// A state document is read against the pack, or refused in words.
#[test]
fn mutants_of_state_documents() {
    let registry = loaded(&files_of("tests/fixtures/codes", "desk").pack);
    let saved =
        serde_json::to_string_pretty(&SessionState::new(registry.pack()).to_json(registry.pack())).expect("JSON");
    for_seeds(200 * many(), |dice| {
        let name = *dice.pick(&["state.json", "state.yaml"]);
        let read = SourceText::decoded(name, mutated(&saved, dice));
        let (mut sources, out) = (SourceMap::default(), Diagnostics::new());
        let file = sources.add(name, &*read.text);
        let format = Format::of_path(name).expect("a format");
        let given = parse(file, &read.text, format, &out).and_then(|node| scenario::given_of(&registry, &node, &out));
        let found = out.into_sorted();
        let _ = report::human(&sources, &found, false);
        if given.is_some() || !found.is_empty() { Ok(()) } else { Err(format!("nothing is said of {:?}", read.text)) }
    });
}

/// Lines of recordings are stepped or refused.
#[test]
fn mutants_of_recordings() {
    let registry = loaded(&files_of("", "booking").pack);
    let sources = SourceMap::default();
    let line = r#"{"dialogue_id": "d1", "services": ["a"], "turns": [{"speaker": "USER", "utterance": "book it", "frames": []}]}"#;
    for_seeds(300, |dice| {
        let mutant = String::from_utf8_lossy(&mutated(line, dice)).into_owned();
        let mut replay = Replay::new(&registry, &sources, None, 1);
        let _: Result<(), _> = replay.line(1, &mutant).map_err(|fault| fault.to_string());
        let _ = replay.finish();
        Ok(())
    });
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a workspace is made")]
fn mutants_of_the_workspace_file() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let mark = folder.path().join("segue.toml");
    let text = "packs = [\"transitions\"]\nscenarios = [\"scenarios\"]\npack = \"a\"\n[check]\ndeny = \"warnings\"\n[check.level]\nunused-ignore = \"note\"\n";
    for_seeds(200, |dice| {
        std::fs::write(&mark, mutated(text, dice)).expect("written");
        if let Ok(opened) = Workspace::open(folder.path()) {
            let _ = report::human(&opened.sources, &opened.diagnostics, false);
        }
        Ok(())
    });
}

/// What is checked runs without a fault of types, whatever happens; and what loads at random passes through all that `check` says.
#[test]
fn what_is_checked_runs() {
    for_seeds(40 * many(), |dice| {
        let documents = pack(dice);
        let files = Files {
            pack: if dice.chance(50) { as_toml(&documents) } else { as_yaml(&documents) },
            scenarios: Vec::new(),
        };
        let registry = load(&files.pack, &Options::default()).registry;
        let audited = checked(&files).registry;
        if registry.is_some() != audited.is_some() {
            return Err("a pack that loads passes the audit, as far as errors go".into());
        }
        registry.map_or(Ok(()), |registry| runs(&registry, dice, &Corpus::default()))
    });
}

proptest! {
    #![proptest_config(Runs { cases: 64, failure_persistence: None, ..Runs::default() })]

    /// Any bytes at all, under any name.
    #[test]
    fn any_bytes_are_a_file_or_a_finding(bytes in prop::collection::vec(any::<u8>(), 0..200), of in 0..4_usize) {
        let name = ["x.toml", "x.yaml", "x.json", "x"][of];
        let read = SourceText::decoded(name, bytes);
        let files = Files { pack: vec![read.clone()], scenarios: vec![read.clone()] };
        prop_assert!(!checked(&files).diagnostics.is_empty());
        let (mut sources, out) = (SourceMap::default(), Diagnostics::new());
        let file = sources.add(name, &*read.text);
        let _ = format(file, name, &read.text, &out);
    }
}
