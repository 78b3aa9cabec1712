//! Source texts and places in them. A span is a file and a byte range; lines and columns are worked out on demand.

use std::sync::Arc;

/// A file of one [`SourceMap`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A byte range of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A line and a column, both from 1; the column counts characters, not bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// The texts that were read, by name.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    files: Vec<File>,
}

#[derive(Debug, Clone)]
struct File {
    name: Arc<str>,
    text: Arc<str>,
    /// Where each line starts, the first one included.
    lines: Arc<[u32]>,
}

impl SourceMap {
    /// Adds a file under the name that messages show. A leading byte-order mark stays in the text.
    pub fn add(&mut self, name: &str, text: &str) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).expect("fewer than four billion files"));
        let starts = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| offset(at + 1));
        let lines = std::iter::once(0).chain(starts).collect();
        self.files.push(File { name: name.into(), text: text.into(), lines });
        id
    }

    /// The name of a file.
    #[must_use]
    pub fn name(&self, file: FileId) -> &str {
        &self.files[file.0 as usize].name
    }

    /// The whole text of a file.
    #[must_use]
    pub fn text(&self, file: FileId) -> &str {
        &self.files[file.0 as usize].text
    }

    /// The text at a place.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text(span.file).get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Where a span starts.
    #[must_use]
    pub fn start(&self, span: Span) -> LineColumn {
        self.locate(span.file, span.start)
    }

    /// Where a span ends (one past its last character).
    #[must_use]
    pub fn end(&self, span: Span) -> LineColumn {
        self.locate(span.file, span.end)
    }

    fn locate(&self, file: FileId, at: u32) -> LineColumn {
        let text = self.text(file);
        let mut at = (at as usize).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let lines = &self.files[file.0 as usize].lines;
        let line = lines.partition_point(|start| *start <= offset(at));
        let before = &text[lines[line - 1] as usize..at];
        LineColumn { line, column: before.trim_start_matches('\u{feff}').chars().count() + 1 }
    }
}

/// A byte offset as spans hold it. Texts past 4 GiB are refused before they are read, so nothing is lost.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
