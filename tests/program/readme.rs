//! README's tour is followed as it is written: its files are made, its commands run, and what it shows comes out.
#![allow(clippy::disallowed_methods, reason = "the tour makes files and runs the program")]

use std::path::Path;
use std::process::{Command, Output};

const README: &str = include_str!("../../README.md");

/// A fenced block: its info string and its text.
struct Block<'t> {
    info: &'t str,
    text: String,
}

impl Block<'_> {
    /// What stands after `key=` in the info string.
    fn says(&self, key: &str) -> Option<&str> {
        self.info.split_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }
}

fn blocks() -> Vec<Block<'static>> {
    let (mut found, mut open): (Vec<Block<'static>>, bool) = (Vec::new(), false);
    for line in README.lines() {
        match line.strip_prefix("```") {
            Some(info) => {
                open = !open;
                if open {
                    found.push(Block { info, text: String::new() });
                }
            }
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

fn segue(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_segue"));
    command.args(arguments.split_whitespace()).current_dir(folder).env_remove("CI");
    command.output().expect("the program runs")
}

fn tour() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("segue.toml"), "").expect("a file");
    for block in blocks() {
        if let Some(file) = block.says("file") {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, &block.text).expect("a file");
        }
    }
    folder
}

/// A text with each run of white space as one space: columns may move.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_tour_runs() {
    let folder = tour();
    let mut commands = 0;
    for block in blocks() {
        if block.info.starts_with("sh run") {
            for line in block.text.lines() {
                let output = segue(folder.path(), line.strip_prefix("segue ").expect("a command of segue"));
                let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
                assert!(output.status.success(), "{line}\n{out}{err}");
                if let Some(shows) = block.says("shows") {
                    let shown = blocks()
                        .into_iter()
                        .find(|block| block.info == format!("text {shows}"))
                        .expect("what it shows");
                    assert!(words(&out).contains(&words(&shown.text)), "{line}\n{out}");
                }
                commands += 1;
            }
        }
        if let Some(file) = block.says("snapshot") {
            let kept = std::fs::read_to_string(folder.path().join(file)).expect("a snapshot");
            assert!(kept.contains(&block.text), "{kept}");
        }
    }
    assert!(commands > 2);
}

#[test]
fn a_wrong_pack_is_told_as_shown() {
    let mut tried = 0;
    for block in blocks() {
        let (Some(file), Some(change)) = (block.says("error"), block.says("with")) else { continue };
        let folder = tour();
        let path = folder.path().join(file);
        let text = std::fs::read_to_string(&path).expect("a file");
        let (from, to) = change.split_once('/').expect("from/to");
        std::fs::write(&path, text.replacen(from, to, 1)).expect("a file");
        let output = segue(folder.path(), "replay");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.contains(file), "{err}");
        for line in block.text.lines() {
            assert!(err.contains(line), "{line}\n{err}");
        }
        tried += 1;
    }
    assert_eq!(tried, 1);
}

#[test]
fn the_two_commands_are_those_of_ci() {
    let ci = include_str!("../../.ci/run");
    assert!(README.contains("cargo run --release -- replay") && ci.contains("cargo run --release --locked -- replay"));
    assert!(
        README.contains("cargo test --workspace --features postgres ")
            && ci.contains("cargo test --workspace --features postgres --locked")
    );
}
