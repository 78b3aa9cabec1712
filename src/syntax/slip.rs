//! A slip of hand editing that an error of syntax comes of: where it stands, what is wrong with it, what to write.

use std::ops::Range;

use crate::diag::alike::{mistaken, sign};
use crate::diag::{Code, Diagnostic};

use super::tree::Tree;

/// Such a slip: its place in the text, what is wrong there, what to write, and another place that has to do with it.
pub(super) struct Slip {
    pub at: Range<usize>,
    pub message: String,
    pub help: String,
    pub also: Option<(Range<usize>, &'static str)>,
}

impl Slip {
    /// A slip at one place.
    pub fn new(at: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { at, message: message.into(), help: help.into(), also: None }
    }

    /// With another place, and what is there.
    pub fn also(self, at: Range<usize>, message: &'static str) -> Self {
        Self { also: Some((at, message)), ..self }
    }

    /// A character at a place, where it is taken for another.
    pub fn odd(at: usize, c: char) -> Option<Self> {
        let (message, help) = mistaken(c)?;
        Some(Self::new(at..at + c.len_utf8(), message, help))
    }

    /// The sign that was meant to close the text in quotes that begins at `open`, on its line.
    pub fn closing(text: &str, open: usize) -> Option<Self> {
        let line = text.get(open..)?.lines().next()?;
        let quote = line.chars().next()?;
        let (at, c) = line.char_indices().skip(1).find(|(_, c)| sign(*c) == Some('"'))?;
        let message = format!("`{c}` (U+{:04X}) does not close the text", u32::from(c));
        let at = open + at;
        Some(Self::new(at..at + c.len_utf8(), message, format!("write `{quote}`")))
    }

    /// The first escape by number from a place on, within its line, that names no character: `\uD800`, `\U00110000`.
    pub fn escape(text: &str, from: usize) -> Option<Self> {
        let line = text.get(from..)?.lines().next()?;
        let mut at = 0;
        while let Some(found) = line[at..].find('\\') {
            at += found;
            match Escape::at(&line[at..]) {
                Some(escape) if escape.character().is_none() => return Some(escape.slip(from + at, &line[at..])),
                Some(escape) => at += escape.length,
                None => at += 1 + line[at + 1..].chars().next().map_or(0, char::len_utf8),
            }
        }
        None
    }

    /// The error that it is.
    pub fn error(&self, tree: &Tree<'_>) -> Diagnostic {
        let place = |at: &Range<usize>| tree.span(at.start, at.end);
        let found = Diagnostic::error(Code::SyntaxError, place(&self.at), self.message.as_str());
        let found = match &self.also {
            Some((at, message)) => found.also(place(at), *message),
            None => found,
        };
        found.help(self.help.as_str())
    }
}

/// An escape by number.
struct Escape {
    number: u32,
    length: usize,
}

impl Escape {
    /// The one that a text begins with.
    fn at(text: &str) -> Option<Self> {
        let digits = match text.get(..2)? {
            "\\u" => 4,
            "\\U" => 8,
            _ => return None,
        };
        let written = text.get(2..2 + digits)?;
        let number = u32::from_str_radix(written, 16).ok().filter(|_| !written.starts_with('+'))?;
        Some(Self { number, length: 2 + digits })
    }

    fn character(&self) -> Option<char> {
        char::from_u32(self.number)
    }

    fn slip(&self, at: usize, line: &str) -> Slip {
        let written = &line[..self.length];
        let place = at..at + self.length;
        if self.number > 0xFFFF {
            let message = format!("`{written}` is no character: the numbers end with 10FFFF");
            return Slip::new(place, message, "write the character itself, or its number");
        }
        let message = format!("`{written}` is one half of a surrogate pair, not a character");
        let other = Self::at(&line[self.length..]).map(|other| other.number);
        let (high, low) = (0xD800..0xDC00, 0xDC00..0xE000);
        let whole = other.filter(|other| high.contains(&self.number) && low.contains(other));
        let whole = whole.map(|other| 0x10000 + ((self.number - 0xD800) << 10) + (other - 0xDC00));
        match whole.and_then(char::from_u32) {
            Some(c) => {
                let length = self.length * 2;
                Slip::new(at..at + length, message, format!("write `{c}` itself, or `\\U{:08X}`", u32::from(c)))
            }
            None => {
                Slip::new(place, message, "write the character itself, or all of its number, such as `\\U0001F600`")
            }
        }
    }
}
