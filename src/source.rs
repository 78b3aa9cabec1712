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
    files: Vec<(Arc<str>, Arc<str>)>,
}

impl SourceMap {
    /// Adds a file under the name that messages show. A leading byte-order mark stays in the text.
    pub fn add(&mut self, name: &str, text: &str) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).expect("fewer than four billion files"));
        self.files.push((name.into(), text.into()));
        id
    }

    /// The name of a file.
    #[must_use]
    pub fn name(&self, file: FileId) -> &str {
        &self.files[file.0 as usize].0
    }

    /// The whole text of a file.
    #[must_use]
    pub fn text(&self, file: FileId) -> &str {
        &self.files[file.0 as usize].1
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

    fn locate(&self, file: FileId, offset: u32) -> LineColumn {
        let text = self.text(file);
        let mut offset = (offset as usize).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        LineColumn {
            line: before.bytes().filter(|b| *b == b'\n').count() + 1,
            column: before[line_start..].trim_start_matches('\u{feff}').chars().count() + 1,
        }
    }
}
