//! What a merge leaves in a text where two sides disagree: lines with markers, between which both sides stand.

use std::ops::Range;

use memchr::memmem;

use crate::diag::{Code, Diagnostic};
use crate::source::{FileId, Span};

/// A conflict, or what is left of one: the places of its markers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Conflict {
    begin: Option<Range<usize>>,
    middle: Option<Range<usize>>,
    end: Option<Range<usize>>,
}

impl Conflict {
    /// Whether all of its markers are there: then no text that is meant looks like it.
    pub fn is_whole(&self) -> bool {
        self.begin.is_some() && self.middle.is_some() && self.end.is_some()
    }

    /// The error that it is.
    pub fn error(&self, file: FileId) -> Diagnostic {
        let place = |at: &Range<usize>| -> Span { super::span(file, at.start, at.end) };
        let mut markers = [&self.begin, &self.middle, &self.end].into_iter().flatten();
        let first = markers.next().map_or_else(|| super::span(file, 0, 0), place);
        if !self.is_whole() {
            let message = "a marker of a merge conflict is left over";
            let found = Diagnostic::error(Code::SyntaxError, first, message);
            let found = markers.fold(found, |found, marker| found.also(place(marker), "here, too"));
            return found.help("delete the line, and see that only one of the two sides is left");
        }
        let found = Diagnostic::error(Code::SyntaxError, first, "a merge conflict is not resolved");
        let words = ["the other side begins here", "it ends here"];
        let found = markers.zip(words).fold(found, |found, (marker, words)| found.also(place(marker), words));
        found.help("leave what is meant of the two sides, and delete the lines with the markers")
    }
}

/// The conflicts in a text, in order.
pub(super) fn find(text: &str) -> Vec<Conflict> {
    let mut all: Vec<Conflict> = Vec::new();
    let holds = |marker: &[u8]| memmem::find(text.as_bytes(), marker).is_some();
    if !holds(b"<<<<<<<") && !holds(b">>>>>>>") {
        return all;
    }
    let mut open: Option<Conflict> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let written = line.trim_end();
        let place = Some(start..start + written.len());
        start += line.len();
        let is = |sign: &str| written.strip_prefix(sign).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
        if is("<<<<<<<") {
            all.extend(open.take().filter(|open| open.begin.is_some()));
            open = Some(Conflict { begin: place, ..Conflict::default() });
        } else if written == "=======" {
            open.get_or_insert_default().middle = place;
        } else if is(">>>>>>>") {
            all.push(Conflict { end: place, ..open.take().unwrap_or_default() });
        }
    }
    all.extend(open.filter(|open| open.begin.is_some()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Vec<bool> {
        find(text).iter().map(Conflict::is_whole).collect()
    }

    #[test]
    fn conflicts_by_their_markers() {
        let one = "<<<<<<< HEAD\na\n||||||| base\n=======\nb\n>>>>>>> other\n";
        assert_eq!(whole(one), [true]);
        assert_eq!(whole(&one.repeat(2).replace('\n', "\r\n")), [true, true]);
        assert_eq!(whole("a\n=======\nb\n>>>>>>> other\n"), [false]);
        assert_eq!(whole("<<<<<<< HEAD\na\n"), [false]);
        assert_eq!(whole("a\n=======\n"), [false; 0], "a line of `=` alone may be anything");
        assert_eq!(whole("  <<<<<<< HEAD\n>>>>>>>>\n"), [false; 0]);
    }
}
