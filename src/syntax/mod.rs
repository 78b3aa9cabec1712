//! One spanned document for TOML, YAML and JSON. All three mean the same; nothing is converted without being asked for.

mod conflict;
pub mod flow;
mod foreign;
mod json;
pub mod read;
mod scalar;
mod slip;
mod toml;
mod tree;
mod yaml;

use std::ops::Range;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::diag::{Code, Diagnostic, Diagnostics, quoted};
use crate::source::{FileId, Span};

pub use read::{Field, Reader};

/// The format of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// TOML 1.1.
    Toml,
    /// YAML 1.2, core schema, one document, no tags and no merge keys.
    Yaml,
    /// JSON as in RFC 8259.
    Json,
}

impl Format {
    /// The format that a file name ends in: `.toml`, `.yaml`, `.yml` or `.json`, in either case.
    #[must_use]
    pub fn of_path(name: &str) -> Option<Self> {
        let (stem, ending) = name.rsplit_once('.')?;
        if stem.is_empty() || stem.ends_with(['/', '\\']) {
            return None;
        }
        match ending.to_ascii_lowercase().as_str() {
            "toml" => Some(Self::Toml),
            "yaml" | "yml" => Some(Self::Yaml),
            "json" => Some(Self::Json),
            _ => None,
        }
    }

    /// The name that messages show.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Toml => "TOML",
            Self::Yaml => "YAML",
            Self::Json => "JSON",
        }
    }
}

/// How large a text may be. All limits are checked before any recursion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one text; at most 4 GiB.
    pub max_bytes: usize,
    /// Lists and tables inside each other, the root included.
    pub max_depth: usize,
    /// Values of one text.
    pub max_nodes: usize,
    /// Values that YAML aliases may add to those written out.
    pub max_alias_nodes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_bytes: 8 << 20, max_depth: 64, max_nodes: 1_000_000, max_alias_nodes: 10_000 }
    }
}

/// A value and where it stands. A clone is cheap: it shares what is inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The place: a scalar with its quotes, a list or table with its brackets, a TOML `[header]`, or all of a YAML block.
    pub span: Span,
    /// The value.
    pub kind: Kind,
}

/// What a value is, before any declared type is applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// No value. Reported already, so readers stay silent about it; but in [`data`] a value as good as others.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as it is written, such as `1.10`, `0x1F`, `.inf`.
    Number(SmolStr),
    /// A TOML date, time or date-time as it is written.
    Date(SmolStr),
    /// Text, with quotes and escapes undone.
    Text(SmolStr),
    /// A list.
    List(Arc<[Node]>),
    /// A table.
    Table(Table),
}

impl Node {
    /// The node that a dotted path leads to (`topic.legs.0`), or the last one on the way.
    #[must_use]
    pub fn at(&self, path: &str) -> &Self {
        let mut at = self;
        for piece in path.split('.') {
            let next = match &at.kind {
                Kind::Table(table) => table.get(piece),
                Kind::List(items) => piece.parse::<usize>().ok().and_then(|index| items.get(index)),
                _ => None,
            };
            match next {
                Some(next) => at = next,
                None => break,
            }
        }
        at
    }

    /// What stands here, for "found …" in messages: "text `foo`", "a list".
    #[must_use]
    pub fn describe(&self) -> String {
        match &self.kind {
            Kind::Null => "nothing".to_owned(),
            Kind::Bool(value) => format!("`{value}`"),
            Kind::Number(text) => format!("number {}", quoted(text)),
            Kind::Date(text) => format!("date {}", quoted(text)),
            Kind::Text(text) => format!("text {}", quoted(text)),
            Kind::List(_) => "a list".to_owned(),
            Kind::Table(_) => "a table".to_owned(),
        }
    }
}

/// The entries of a table in source order, each key once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    entries: Arc<[Entry]>,
    /// Positions of the entries in the order of their keys; nothing while a plain search is as good.
    by_key: Option<Arc<[u32]>>,
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The key, with quotes undone; one part of a dotted key.
    pub key: SmolStr,
    /// The place of the key where it was first written.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

impl Table {
    /// A table of entries in source order; of equal keys the first counts.
    #[must_use]
    pub fn new(entries: impl Into<Arc<[Entry]>>) -> Self {
        const SEARCHED_PLAINLY: usize = 12;
        let entries = entries.into();
        let by_key = (entries.len() > SEARCHED_PLAINLY).then(|| {
            let mut by_key: Vec<u32> =
                (0..u32::try_from(entries.len()).expect("fewer entries than bytes in a text")).collect();
            by_key.sort_by(|a, b| entries[*a as usize].key.cmp(&entries[*b as usize].key));
            by_key.into()
        });
        Self { entries, by_key }
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// A key with its place and its value.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        let Some(by_key) = &self.by_key else {
            return self.entries.iter().find(|entry| entry.key == key);
        };
        let at = by_key.partition_point(|at| self.entries[*at as usize].key.as_str() < key);
        by_key.get(at).map(|at| &self.entries[*at as usize]).filter(|entry| entry.key == key)
    }

    /// The entries in source order.
    pub fn iter(&self) -> std::slice::Iter<'_, Entry> {
        self.entries.iter()
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl<'t> IntoIterator for &'t Table {
    type Item = &'t Entry;
    type IntoIter = std::slice::Iter<'t, Entry>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Reads a text with the default [`Limits`]. All that is wrong goes to `out`; a tree comes back whenever there is one to go on with.
pub fn parse(file: FileId, text: &str, format: Format, out: &Diagnostics) -> Option<Node> {
    parse_within(file, text, format, &Limits::default(), out)
}

/// Reads a line of JSON as programs write it, where a null is a value ([`Kind::Null`]) and not a fault; else as [`parse`]
/// does.
pub fn data(file: FileId, text: &str, out: &Diagnostics) -> Option<Node> {
    let mut tree = tree(file, text, &Limits::default(), out)?;
    (tree.nulls, tree.what) = (true, "line");
    json::parse(tree)
}

/// Reads a text within other limits.
pub fn parse_within(file: FileId, text: &str, format: Format, limits: &Limits, out: &Diagnostics) -> Option<Node> {
    let own = Diagnostics::new();
    let root = read_within(file, text, format, limits, &own);
    let found: Vec<Diagnostic> = own.into_iter().collect();
    let conflicts = conflict::find(text);
    let broken = found.iter().any(|found| found.code == Code::SyntaxError);
    if conflicts.iter().any(|conflict| conflict.is_whole() || broken) {
        out.extend(conflicts.iter().map(|conflict| conflict.error(file)));
        return None;
    }
    if let Some(found) = foreign::find(file, text, format, limits, broken) {
        out.push(found);
        return None;
    }
    let echoes = if format == Format::Toml { toml::headless(text, &found) } else { Vec::new() };
    let echo = |found: &Diagnostic| {
        found.code == Code::DuplicateKey
            && echoes.iter().any(|part| part.contains(&(found.primary.span.start as usize)))
    };
    out.extend(found.into_iter().filter(|found| !echo(found)));
    root
}

fn read_within(file: FileId, text: &str, format: Format, limits: &Limits, out: &Diagnostics) -> Option<Node> {
    let tree = tree(file, text, limits, out)?;
    // Lines are counted by their line feeds: of a file without any no place could be named.
    if let Some(at) = lone_return(text) {
        let found = Diagnostic::error(Code::SyntaxError, span(file, at, at + 1), "a carriage return alone ends a line");
        out.push(found.help("save the file with line ends of Unix (LF) or of Windows (CRLF)"));
        return None;
    }
    match format {
        Format::Toml => toml::parse(tree),
        Format::Yaml => yaml::parse(tree),
        Format::Json => json::parse(tree),
    }
}

/// The comments of a text, each with its sign, in bytes. Of a text that cannot be read those that come before the fault; JSON has
/// none.
#[must_use]
pub fn comments(text: &str, format: Format) -> Vec<Range<usize>> {
    match format {
        Format::Toml => toml::comments(text),
        Format::Yaml => yaml::comments(text),
        Format::Json => Vec::new(),
    }
}

/// The tree to be, where the text is one that may be read.
fn tree<'t>(file: FileId, text: &'t str, limits: &Limits, out: &'t Diagnostics) -> Option<tree::Tree<'t>> {
    let place = |start: usize, end: usize| span(file, start, end);
    if text.len() > limits.max_bytes || u32::try_from(text.len()).is_err() {
        let message = format!("the file has {} bytes, more than the limit of {}", text.len(), limits.max_bytes);
        out.push(Diagnostic::error(Code::LimitExceeded, place(0, 0), message).help("split the file"));
        return None;
    }
    if let Some(at) = memchr::memchr(0, text.as_bytes()) {
        let found = Diagnostic::error(Code::SyntaxError, place(at, at + 1), "a NUL character is not allowed");
        out.push(found.help("save the file as UTF-8 text"));
        return None;
    }
    Some(tree::Tree::new(file, text, *limits, out))
}

/// The first carriage return that no line feed follows.
fn lone_return(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'\r', bytes).find(|at| bytes.get(at + 1) != Some(&b'\n'))
}

fn span(file: FileId, start: usize, end: usize) -> Span {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span { file, start: offset(start), end: offset(end) }
}

/// The text after a byte-order mark, and how many bytes the mark takes.
fn without_mark(text: &str) -> (&str, usize) {
    text.strip_prefix('\u{feff}').map_or((text, 0), |rest| (rest, text.len() - rest.len()))
}

#[cfg(test)]
mod tests;
