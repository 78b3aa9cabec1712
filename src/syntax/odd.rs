//! A character that only looks like the one that is due, where it stands and what to write.

use std::ops::Range;

use crate::diag::alike::{mistaken, sign};
use crate::diag::{Code, Diagnostic};

use super::tree::Tree;

/// Such a character: its place in the text, what is wrong with it, what to write.
pub(super) struct Odd {
    pub at: Range<usize>,
    pub message: String,
    pub help: String,
}

impl Odd {
    /// A character at a place, where it is taken for another.
    pub fn new(at: usize, c: char) -> Option<Self> {
        let (message, help) = mistaken(c)?;
        Some(Self { at: at..at + c.len_utf8(), message, help })
    }

    /// The sign that was meant to close the text in quotes that begins at `open`, on its line.
    pub fn closing(text: &str, open: usize) -> Option<Self> {
        let line = text.get(open..)?.lines().next()?;
        let quote = line.chars().next()?;
        let (at, c) = line.char_indices().skip(1).find(|(_, c)| sign(*c) == Some('"'))?;
        let message = format!("`{c}` (U+{:04X}) does not close the text", u32::from(c));
        let at = open + at;
        Some(Self { at: at..at + c.len_utf8(), message, help: format!("write `{quote}`") })
    }

    /// The error that it is.
    pub fn error(&self, tree: &Tree<'_>) -> Diagnostic {
        let place = tree.span(self.at.start, self.at.end);
        Diagnostic::error(Code::SyntaxError, place, self.message.as_str()).help(self.help.as_str())
    }
}
