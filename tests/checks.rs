//! The checks on whole packs: each finds what it is for, its repaired twin is clean, and the main pack passes.
#![expect(clippy::disallowed_methods, reason = "this test reads the pack's files")]

use segue::check::check;
use segue::declare::{Declared, Options, SourceText, declare};
use segue::diag::Diagnostics;
use segue::report::human;

fn main_pack() -> Vec<SourceText> {
    let mut files = Vec::new();
    for dir in ["transitions/assistant", "transitions/assistant/lexicon"] {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let text = std::fs::read_to_string(&path).unwrap();
                files.push(SourceText { name: path.display().to_string(), text });
            }
        }
    }
    files
}

/// What the checks find, rendered.
fn found(files: &[SourceText]) -> String {
    let Declared { sources, diagnostics, pack } = declare(files, &Options::default());
    let Some(pack) = pack else { panic!("{}", human(&sources, &diagnostics.into_sorted(), false)) };
    let out = Diagnostics::new();
    check(&pack, &out);
    human(&sources, &out.into_sorted(), false)
}

#[test]
fn the_main_pack_passes() {
    let found = found(&main_pack());
    assert!(found.is_empty(), "{found}");
}
