//! Words that do not belong in the repository: paths of one machine, and marks of unfinished work in code.

use super::{Finding, line_of};
use crate::tree::TextFile;

/// Where absolute paths of one machine begin. Written in halves, so that this file passes its own check.
const MACHINE: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/fa", "rm/"),
    concat!("/tm", "p/bash"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
];

/// Marks of unfinished work in Rust files, comments included.
const UNFINISHED: &[&str] =
    &[concat!("to", "do!("), concat!("unimpl", "emented!("), concat!("db", "g!("), concat!("FIX", "ME")];

/// Checks every file, lock files aside.
pub fn check(files: &[TextFile], findings: &mut Vec<Finding>) {
    for file in files.iter().filter(|file| !file.path.ends_with(".lock")) {
        for word in MACHINE {
            for at in positions(&file.text, word).filter(|at| starts_path(&file.text, *at)) {
                findings.push(Finding::new(
                    file,
                    line_of(&file.text, at),
                    format!("`{word}` is a path of one machine"),
                ));
            }
        }
        for word in UNFINISHED.iter().filter(|_| file.path.ends_with(".rs")) {
            for at in positions(&file.text, word) {
                findings.push(Finding::new(file, line_of(&file.text, at), format!("`{word}` marks unfinished work")));
            }
        }
    }
}

fn positions(text: &str, word: &str) -> impl Iterator<Item = usize> {
    text.match_indices(word).map(|(at, _)| at)
}

/// Whether an absolute path starts here, and not a part of a longer one (`docs/home/`).
fn starts_path(text: &str, at: usize) -> bool {
    !text[..at]
        .ends_with(|before: char| before.is_alphanumeric() || matches!(before, '.' | '_' | '-' | '~' | '}' | ')'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_words_are_found() {
        let text = format!("//! A.\n// see {}main\n{}x)\n// docs{}y", MACHINE[0], UNFINISHED[2], MACHINE[4]);
        let mut findings = Vec::new();
        check(&[TextFile::new("a.rs", &text), TextFile::new("a.md", UNFINISHED[3])], &mut findings);
        assert_eq!(findings.iter().map(|finding| finding.line).collect::<Vec<_>>(), [2, 3]);
    }
}
