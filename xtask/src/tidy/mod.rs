//! `tidy`: what must hold of the repository and no compiler says. Pure functions over texts; `tree` reads them.

use std::fmt;

use crate::tree::TextFile;

pub mod files;
pub mod layers;
pub mod links;
pub mod rust;
pub mod words;

/// Something that is not as it must be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file, from the root.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong and what to do.
    pub message: String,
}

impl Finding {
    fn new(file: &TextFile, line: usize, message: impl Into<String>) -> Self {
        Self { file: file.path.clone(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

/// All checks over all files, sorted by place.
#[must_use]
pub fn run(files: &[TextFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    layers::check(files, &mut findings);
    files::check(files, &mut findings);
    words::check(files, &mut findings);
    links::check(files, &mut findings);
    findings.sort();
    findings
}

/// The line of a byte offset, from 1.
fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1
}
