//! Reads a TOML text into a [`Document`]: toml_edit says what stands where, and which white space and comments stand around it.

use std::ops::Range;

use toml_edit::{RawString, Table, TomlError};

use super::document::{Behind, Block, Document, Entry, Item, Items, Key, Line, Piece, Value, is_told};

/// Reads a text that holds no carriage return and no byte-order mark.
///
/// # Errors
/// What toml_edit says of it.
pub(super) fn read(text: &str) -> Result<Document, TomlError> {
    let parsed = toml_edit::Document::parse(text)?;
    let mut reader = Reader { text, statements: Vec::new() };
    reader.table(parsed.as_table(), &mut Vec::new(), false);
    // Dotted keys of one table stand together in toml_edit's tree, and so do tables of one name: the text has them as they were written.
    reader.statements.sort_by_key(Statement::at);
    let trailing = reader.raw(Some(parsed.trailing())).to_owned();
    Ok(assemble(reader.statements, &trailing))
}

/// A header or a key with its value, before it is known which comments around it are its own.
struct Statement<'t> {
    /// Where its key or its bracket stands.
    at: usize,
    /// The white space and the comments before it.
    before: &'t str,
    what: What,
}

enum What {
    Header(Block),
    Entry(Entry),
}

impl Statement<'_> {
    fn at(&self) -> usize {
        self.at
    }
}

struct Reader<'t> {
    text: &'t str,
    statements: Vec<Statement<'t>>,
}

impl<'t> Reader<'t> {
    fn slice(&self, span: Option<Range<usize>>) -> &'t str {
        span.and_then(|span| self.text.get(span)).unwrap_or_default()
    }

    fn raw(&self, raw: Option<&RawString>) -> &'t str {
        self.slice(raw.and_then(RawString::span))
    }

    fn key(&self, key: &toml_edit::Key) -> Key {
        let written = self.slice(key.span());
        Key { name: key.get().to_owned(), text: plainly_quoted(written).unwrap_or_else(|| written.to_owned()) }
    }

    fn table(&mut self, table: &Table, path: &mut Vec<Piece>, many: bool) {
        if !path.is_empty() && !table.is_dotted() && !table.is_implicit() {
            let block = Block {
                path: path.clone(),
                many,
                before: Vec::new(),
                behind: behind(self.raw(table.decor().suffix())),
                below: Vec::new(),
                entries: Vec::new(),
            };
            let at = table.span().map_or(0, |span| span.start);
            self.statements.push(Statement { at, before: self.raw(table.decor().prefix()), what: What::Header(block) });
        }
        if !table.is_dotted() {
            for (keys, value) in table.get_values() {
                let Some(last) = keys.last() else { continue };
                let entry = Entry {
                    before: Vec::new(),
                    key: keys.iter().map(|key| self.key(key)).collect(),
                    value: self.value(value, keys.last().map(|key| key.get())),
                    behind: behind(self.raw(value.decor().suffix())),
                    below: Vec::new(),
                };
                self.statements.push(Statement {
                    at: value.span().map_or(0, |span| span.start),
                    before: self.raw(last.leaf_decor().prefix()),
                    what: What::Entry(entry),
                });
            }
        }
        for (name, item) in table {
            let text = table.key(name).map_or_else(|| name.to_owned(), |key| self.key(key).text);
            let piece = |item| Piece { name: name.to_owned(), text: text.clone(), item };
            match item {
                toml_edit::Item::Table(inner) => {
                    path.push(piece(None));
                    self.table(inner, path, false);
                    path.pop();
                }
                toml_edit::Item::ArrayOfTables(tables) => {
                    for (at, inner) in tables.iter().enumerate() {
                        path.push(piece(Some(at)));
                        self.table(inner, path, true);
                        path.pop();
                    }
                }
                toml_edit::Item::None | toml_edit::Item::Value(_) => {}
            }
        }
    }

    /// The value under a key, or in a list under it.
    fn value(&self, value: &toml_edit::Value, key: Option<&str>) -> Value {
        match value {
            toml_edit::Value::Array(array) => {
                let mut gaps = Gaps::default();
                for item in array.iter() {
                    gaps.before(self.raw(item.decor().prefix()));
                    gaps.item(Vec::new(), self.value(item, key));
                    gaps.after(self.raw(item.decor().suffix()));
                }
                Value::List(gaps.close(self.raw(Some(array.trailing()))))
            }
            toml_edit::Value::InlineTable(table) => {
                let mut gaps = Gaps::default();
                let mut values = table.get_values();
                values.sort_by_key(|(_, value)| value.span().map_or(0, |span| span.start));
                for (keys, value) in values {
                    gaps.before(self.raw(keys.last().and_then(|key| key.leaf_decor().prefix())));
                    let inner = self.value(value, keys.last().map(|key| key.get()));
                    gaps.item(keys.iter().map(|key| self.key(key)).collect(), inner);
                    gaps.after(self.raw(value.decor().suffix()));
                }
                Value::Table(gaps.close(self.raw(Some(table.trailing()))))
            }
            _ => {
                let written = self.slice(value.span());
                // A pattern in single quotes says that backslashes are meant: the next edit may need one.
                let quoted = if key == Some("pattern") { None } else { plainly_quoted(written) };
                Value::Scalar(quoted.unwrap_or_else(|| written.to_owned()))
            }
        }
    }
}

/// A text in single quotes in double ones, where it means the same without an escape.
fn plainly_quoted(written: &str) -> Option<String> {
    let inner = written.strip_prefix('\'')?.strip_suffix('\'')?;
    let plain = !inner.contains(['\\', '"', '\'', '\n']);
    plain.then(|| format!("\"{inner}\""))
}

/// Sorts what stands between the items of a list or table out.
#[derive(Default)]
struct Gaps {
    out: Items,
    gap: String,
}

impl Gaps {
    fn before(&mut self, text: &str) {
        self.gap.push_str(text);
    }

    fn after(&mut self, text: &str) {
        self.gap.push_str(text);
    }

    /// Ends the gap: what stood on the line of the item before it is that item's.
    fn split(&mut self) -> (Vec<Line>, bool) {
        let gap = std::mem::take(&mut self.gap);
        let (first, rest) = match gap.split_once('\n') {
            Some((first, rest)) => (first.to_owned(), Some(rest)),
            None => (gap, None),
        };
        let comment = behind(&first);
        match self.out.items.last_mut() {
            Some(item) => item.behind = comment,
            None => self.out.behind = comment,
        }
        self.out.broken |= rest.is_some();
        (rest.map(lines).unwrap_or_default(), rest.is_some())
    }

    fn item(&mut self, key: Vec<Key>, value: Value) {
        let (before, starts) = self.split();
        self.out.items.push(Item { before, starts, key, value, behind: None });
    }

    fn close(mut self, trailing: &str) -> Items {
        self.gap.push_str(trailing);
        self.out.end = self.split().0;
        if let Some(first) = self.out.items.first_mut() {
            first.starts = true;
            strip_start(&mut first.before);
        } else {
            strip_start(&mut self.out.end);
            self.out.broken = !self.out.end.is_empty() || self.out.behind.is_some();
        }
        strip_end(&mut self.out.end);
        self.out
    }
}

/// The comment in what stands between something and the end of its line.
fn behind(text: &str) -> Option<Behind> {
    let at = text.find('#')?;
    let space = &text[..at];
    let spaces = if space.contains('\t') { 1 } else { space.len().max(1) };
    Some(Behind { spaces, text: text[at..].trim_end().to_owned() })
}

/// The lines of white space and comments; what stands behind the last line end is only indentation.
fn lines(text: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut rest = text.split('\n').peekable();
    while let Some(line) = rest.next() {
        let line = line.trim();
        if !line.is_empty() {
            lines.push(Line::Comment(line.to_owned()));
        } else if rest.peek().is_some() && lines.last() != Some(&Line::Blank) {
            lines.push(Line::Blank);
        }
    }
    lines
}

fn strip_start(lines: &mut Vec<Line>) {
    if lines.first() == Some(&Line::Blank) {
        lines.remove(0);
    }
}

fn strip_end(lines: &mut Vec<Line>) {
    if lines.last() == Some(&Line::Blank) {
        lines.pop();
    }
}

/// Puts statements together and gives each the comments that are its own: those right above it, and those right below it that an
/// empty line parts from what follows.
fn assemble(statements: Vec<Statement<'_>>, trailing: &str) -> Document {
    let root = Block {
        path: Vec::new(),
        many: false,
        before: Vec::new(),
        behind: None,
        below: Vec::new(),
        entries: Vec::new(),
    };
    let mut document = Document { blocks: vec![root], ..Document::default() };
    let mut first = true;
    for statement in statements {
        let gap = lines(statement.before);
        let before = if std::mem::take(&mut first) { head(&mut document, gap) } else { below(&mut document, gap) };
        match statement.what {
            What::Header(block) => document.blocks.push(Block { before, ..block }),
            What::Entry(entry) => {
                if let Some(block) = document.blocks.last_mut() {
                    block.entries.push(Entry { before, ..entry });
                }
            }
        }
    }
    let mut gap = lines(trailing);
    // Here there is no indentation to leave out: an empty line at the end is none either.
    strip_end(&mut gap);
    document.tail = if first {
        strip_start(&mut gap);
        gap
    } else if gap.contains(&Line::Blank) {
        below(&mut document, gap)
    } else {
        gap.push(Line::Blank);
        below(&mut document, gap);
        Vec::new()
    };
    document
}

/// What stands before the first statement: a comment that an empty line parts from it heads the file, and so does `#:schema …`,
/// which editors look for at the top.
fn head(document: &mut Document, mut gap: Vec<Line>) -> Vec<Line> {
    strip_start(&mut gap);
    let pinned = gap.iter().take_while(|line| matches!(line, Line::Comment(text) if text.starts_with("#:"))).count();
    let end = gap.iter().rposition(|line| *line == Line::Blank).map_or(pinned, |blank| blank + 1);
    let rest = gap.split_off(end.max(pinned).min(told(&gap)));
    document.head = gap;
    rest
}

/// Where the lines that are the next statement's begin at the latest: at a comment that speaks of it whatever stands between.
fn told(gap: &[Line]) -> usize {
    let is_told = |line: &Line| matches!(line, Line::Comment(text) if is_told(text));
    gap.iter().position(is_told).unwrap_or(gap.len())
}

/// What stands between two statements: the first lines are the first one's where an empty line follows them.
fn below(document: &mut Document, mut gap: Vec<Line>) -> Vec<Line> {
    let Some(blank) = gap.iter().position(|line| *line == Line::Blank) else { return gap };
    let rest = gap.split_off(blank.min(told(&gap)));
    if let Some(block) = document.blocks.last_mut() {
        match block.entries.last_mut() {
            Some(entry) => entry.below = gap,
            None => block.below = gap,
        }
    }
    rest
}
