//! Source texts and places in them. A span is a file and a byte range; lines and columns are worked out on demand.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

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

/// A file that was to be read: its name, its text, and why the text is not what the file holds, where it is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceText {
    /// Its name, with the ending that tells its format; messages show it.
    pub name: String,
    /// Its text; of a file with a fault, what can be shown of it. Whoever has the file shares it.
    pub text: Arc<str>,
    /// Why the file cannot be read.
    pub fault: Option<Fault>,
    /// The folder of the pack that it is of; nothing for a file of the pack that is meant, which may use others.
    pub pack: Option<String>,
}

impl SourceText {
    /// A text that was read.
    pub fn new(name: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), text: text.into(), fault: None, pack: None }
    }

    /// A file of which there is nothing to show.
    pub fn unread(name: impl Into<String>, message: impl Into<String>, help: &str) -> Self {
        let fault = Fault { at: 0..0, message: message.into(), help: help.to_owned() };
        Self { name: name.into(), text: Arc::default(), fault: Some(fault), pack: None }
    }

    /// The text in the bytes of a file. What is no UTF-8 is a fault at the first wrong byte.
    pub fn decoded(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        if let Some(encoding) = other_encoding(&bytes) {
            let unread = Self::unread(name, format!("the file is {encoding}, not UTF-8"), "save it as UTF-8");
            // What it says is known all the same, so that nobody is told that it is not there.
            let text = if encoding == UTF_16 { of_utf16(&bytes).into() } else { Arc::default() };
            return Self { text, ..unread };
        }
        let error = match String::from_utf8(bytes) {
            Ok(text) => return Self::new(name, text),
            Err(error) => error,
        };
        let at = error.utf8_error().valid_up_to();
        let wrong = error.as_bytes()[at];
        let message = format!("the file is not UTF-8: the byte 0x{wrong:02X} begins no character");
        // What is wrong is shown as U+FFFD; the bytes before it keep their places.
        let at = at..at + char::REPLACEMENT_CHARACTER.len_utf8();
        let fault = Fault { at, message, help: "save it as UTF-8".into() };
        let text = String::from_utf8_lossy(error.as_bytes()).into();
        Self { name: name.into(), text, fault: Some(fault), pack: None }
    }

    /// The same as a file of the used pack in this folder.
    #[must_use]
    pub fn of_pack(self, folder: &str) -> Self {
        Self { pack: Some(folder.to_owned()), ..self }
    }

    /// What stands for a used pack that is not there.
    #[must_use]
    pub fn no_pack(folder: &str, help: &str) -> Self {
        Self::unread("", "there is no such pack", help).of_pack(folder)
    }

    /// Whether this is no file, but stands for a used pack that is not there.
    #[must_use]
    pub fn is_missing_pack(&self) -> bool {
        self.pack.is_some() && self.name.is_empty()
    }
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The place in the text, in bytes; empty for the file as a whole.
    pub at: Range<usize>,
    /// What is wrong, as a lower-case fragment.
    pub message: String,
    /// What to do about it; may be empty.
    pub help: String,
}

/// How messages call the encoding.
const UTF_16: &str = "UTF-16";

/// The encoding of bytes that are plainly in another one than UTF-8: by their byte-order mark, or by the NUL in every other
/// byte that Latin letters and signs have in UTF-16.
fn other_encoding(bytes: &[u8]) -> Option<&'static str> {
    const LOOKED_AT: usize = 4096;
    match bytes {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => return Some("UTF-32"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => return Some(UTF_16),
        _ => {}
    }
    let head = &bytes[..bytes.len().min(LOOKED_AT)];
    let (even, odd): (Vec<usize>, Vec<usize>) = memchr::memchr_iter(0, head).partition(|at| at % 2 == 0);
    let (even, odd) = (even.len(), odd.len());
    let (few, many) = (even.min(odd), even.max(odd));
    (few == 0 && many > 1 && many * 16 > head.len()).then_some(UTF_16)
}

/// The text in bytes that are UTF-16, without its byte-order mark.
fn of_utf16(bytes: &[u8]) -> String {
    // The byte that is 0 in Latin letters and signs comes first where the larger one does.
    let is_big = match bytes {
        [0xfe, 0xff, ..] => true,
        [0xff, 0xfe, ..] => false,
        _ => bytes.iter().step_by(2).any(|byte| *byte == 0),
    };
    let units = bytes.chunks_exact(2).map(|pair| {
        let pair = [pair[0], pair[1]];
        if is_big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
    });
    let units: Vec<u16> = units.collect();
    String::from_utf16_lossy(&units).trim_start_matches('\u{feff}').to_owned()
}

/// The texts that were read, by name.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    files: Vec<Arc<File>>,
}

#[derive(Debug)]
struct File {
    name: Box<str>,
    text: Arc<str>,
    /// Where each line starts, the first one included; looked for when a place is asked for.
    lines: OnceLock<Box<[u32]>>,
}

impl File {
    fn lines(&self) -> &[u32] {
        let starts = || memchr::memchr_iter(b'\n', self.text.as_bytes()).map(|at| offset(at + 1));
        self.lines.get_or_init(|| std::iter::once(0).chain(starts()).collect())
    }
}

impl SourceMap {
    /// Adds a file under the name that messages show. A leading byte-order mark stays in the text.
    pub fn add(&mut self, name: &str, text: impl Into<Arc<str>>) -> FileId {
        self.push(Arc::new(File { name: name.into(), text: text.into(), lines: OnceLock::new() }))
    }

    /// Adds a file of another map: the two share its text.
    pub fn share(&mut self, other: &Self, file: FileId) -> FileId {
        self.push(Arc::clone(&other.files[file.0 as usize]))
    }

    fn push(&mut self, file: Arc<File>) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).expect("fewer than four billion files"));
        self.files.push(file);
        id
    }

    /// All files, in the order in which they were added.
    pub fn files(&self) -> impl Iterator<Item = FileId> + use<> {
        (0..u32::try_from(self.files.len()).unwrap_or(u32::MAX)).map(FileId)
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

    /// Where a span starts and ends (one past its last character). A place between two characters, or at the end of a line, is shown
    /// as one character.
    #[must_use]
    pub fn range(&self, span: Span) -> (LineColumn, LineColumn) {
        let (start, end) = (self.start(span), self.locate(span.file, span.end));
        let next = LineColumn { column: start.column + 1, ..start };
        (start, if end > start { end } else { next })
    }

    fn locate(&self, file: FileId, at: u32) -> LineColumn {
        let text = self.text(file);
        let mut at = (at as usize).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let lines = self.files[file.0 as usize].lines();
        let line = lines.partition_point(|start| *start <= offset(at));
        let before = &text[lines[line - 1] as usize..at];
        // The mark at the very beginning is not shown.
        let before = if line == 1 { before.trim_start_matches('\u{feff}') } else { before };
        LineColumn { line, column: before.chars().count() + 1 }
    }
}

/// A byte offset as spans hold it. Texts past 4 GiB are refused before they are read, so nothing is lost.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(bytes: &[u8]) -> String {
        let read = SourceText::decoded("f.yaml", bytes.to_vec());
        let Some(fault) = read.fault else { return "none".into() };
        let mut sources = SourceMap::default();
        let file = sources.add(&read.name, Arc::clone(&read.text));
        let at = sources.start(Span { file, start: offset(fault.at.start), end: offset(fault.at.end) });
        format!("{}:{} {}", at.line, at.column, fault.message)
    }

    #[test]
    fn bytes_that_are_no_text() {
        assert_eq!(fault("ключ: да\r\n".as_bytes()), "none");
        assert_eq!(fault(b""), "none");
        assert_eq!(fault("а: б\nв: \u{fffd} г\n".as_bytes()), "none");
        let latin = [b"a: 1\nb\xd0\xb1: \xe9t\xe9\n".as_slice(), "имя".as_bytes()].concat();
        assert_eq!(fault(&latin), "2:5 the file is not UTF-8: the byte 0xE9 begins no character");
        assert_eq!(fault(b"a\xd0"), "1:2 the file is not UTF-8: the byte 0xD0 begins no character");
        // A surrogate and an overlong form are no UTF-8 either.
        assert!(fault(b"\xed\xa0\x80").starts_with("1:1 ") && fault(b"\xc0\x80").starts_with("1:1 "));
    }

    #[test]
    fn other_encodings_are_named() {
        let text = "ключ: да\nlist: [a, b]\n";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in
            [&little, &big, &[b"\xff\xfe".as_slice(), &little].concat(), &[b"\xfe\xff".as_slice(), &big].concat()]
        {
            assert_eq!(fault(bytes), "1:1 the file is UTF-16, not UTF-8");
            assert_eq!(SourceText::decoded("a.yaml", bytes.clone()).text, text.into());
        }
        let wide: Vec<u8> = "\u{feff}a".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
        assert_eq!(fault(&wide), "1:1 the file is UTF-32, not UTF-8");
        // A stray NUL is for the parser, which knows its place.
        assert_eq!(fault(b"a: 1\nb: \0\n"), "none");
    }
}
