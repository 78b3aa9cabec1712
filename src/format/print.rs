//! Writes a [`Document`] with canonical spacing.

use super::document::{Behind, Block, Document, Entry, Item, Items, Key, Line, Piece, Value, is_told};

/// A list on one line that would be longer than this is broken, and items are filled in up to it. Longer lines are the writer's own.
const WIDTH: usize = 140;
/// How much deeper the items of a broken list stand than the line that opens it.
const STEP: usize = 2;

/// The text of a document.
pub(super) fn print(document: &Document) -> String {
    let mut printer = Printer { out: String::new(), parted: false };
    printer.lines(&document.head, 0);
    let mut last: Option<&Block> = None;
    for block in &document.blocks {
        if !block.path.is_empty() {
            printer.header(block, last);
        }
        for (at, entry) in block.entries.iter().enumerate() {
            // No empty line between a header and its first key, unless comments of the header's own stand there.
            printer.before(if at == 0 { without_blank(&entry.before) } else { &entry.before });
            printer.entry(entry);
        }
        if !block.path.is_empty() || !block.entries.is_empty() {
            last = Some(block);
        }
    }
    printer.lines(&document.tail, 0);
    printer.out
}

/// Whether a table goes on with what the one before it began, so that both may stand close: the next of the same list, a part of
/// it, another one of the same section; and `unmet`, which is about `requires`.
fn goes_on(before: &[Piece], path: &[Piece]) -> bool {
    let names = |path: &[Piece]| path.iter().map(|piece| piece.name.clone()).collect::<Vec<_>>();
    let (before, path) = (names(before), names(path));
    before[..1] == path[..1] || (before == ["requires"] && path == ["unmet"])
}

fn without_blank(lines: &[Line]) -> &[Line] {
    match lines {
        [Line::Blank, rest @ ..] => rest,
        _ => lines,
    }
}

struct Printer {
    out: String,
    /// Whether an empty line has to follow: the comments that were written last belong to what stands above them.
    parted: bool,
}

impl Printer {
    /// What stands before a statement.
    fn before(&mut self, lines: &[Line]) {
        if std::mem::take(&mut self.parted) && lines.first() != Some(&Line::Blank) {
            self.out.push('\n');
        }
        self.lines(lines, 0);
    }

    /// Comments that belong to what stands above them.
    fn below(&mut self, lines: &[Line]) {
        self.lines(lines, 0);
        self.parted = !lines.is_empty();
    }

    fn lines(&mut self, lines: &[Line], indent: usize) {
        for line in lines {
            if let Line::Comment(text) = line {
                self.indent(indent);
                self.out.push_str(text);
            }
            self.out.push('\n');
        }
    }

    fn indent(&mut self, indent: usize) {
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    fn behind(&mut self, behind: Option<&Behind>) {
        if let Some(comment) = behind {
            self.indent(comment.spaces);
            self.out.push_str(&comment.text);
        }
    }

    fn header(&mut self, block: &Block, last: Option<&Block>) {
        let close = last.is_some_and(|last| !last.path.is_empty() && goes_on(&last.path, &block.path));
        let own = without_blank(&block.before);
        let blank = last.is_some() && (!close || self.parted || own.len() < block.before.len());
        if blank {
            self.out.push('\n');
        }
        self.parted = false;
        self.lines(own, 0);
        let path: Vec<&str> = block.path.iter().map(|piece| piece.text.as_str()).collect();
        let (open, close) = if block.many { ("[[", "]]") } else { ("[", "]") };
        self.out.push_str(&format!("{open}{}{close}", path.join(".")));
        self.behind(block.behind.as_ref());
        self.out.push('\n');
        self.below(&block.below);
    }

    fn key(&mut self, key: &[Key]) {
        let parts: Vec<&str> = key.iter().map(|part| part.text.as_str()).collect();
        self.out.push_str(&parts.join("."));
        self.out.push_str(" = ");
    }

    fn entry(&mut self, entry: &Entry) {
        let start = self.out.len();
        self.key(&entry.key);
        let value = self.out.len();
        self.value(&entry.value);
        if let Value::List(items) = &entry.value
            && !items.broken
            && items.items.len() > 1
            // What ignores a finding on this line has to stay on it.
            && !entry.behind.as_ref().is_some_and(|behind| is_told(&behind.text))
            && self.out[start..].chars().count() > WIDTH
        {
            self.out.truncate(value);
            self.broken(items, ("[", "]"), &fill(items));
        }
        self.behind(entry.behind.as_ref());
        self.out.push('\n');
        self.below(&entry.below);
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Scalar(text) => self.out.push_str(text),
            Value::List(items) => {
                let tables = items.items.iter().all(|item| matches!(item.value, Value::Table(_)));
                self.items(items, ("[", "]"), tables);
            }
            Value::Table(items) => self.items(items, ("{", "}"), true),
        }
    }

    fn items(&mut self, items: &Items, brackets: (&str, &str), spaced: bool) {
        if items.broken {
            let starts: Vec<bool> = items.items.iter().map(|item| item.starts).collect();
            return self.broken(items, brackets, &starts);
        }
        let space = if spaced && !items.items.is_empty() { " " } else { "" };
        self.out.push_str(brackets.0);
        self.out.push_str(space);
        for (at, item) in items.items.iter().enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            self.item(item);
        }
        self.out.push_str(space);
        self.out.push_str(brackets.1);
    }

    /// Items on lines of their own, `starts` telling which begin one.
    fn broken(&mut self, items: &Items, brackets: (&str, &str), starts: &[bool]) {
        let line = self.out.rfind('\n').map_or(0, |at| at + 1);
        let outer = self.out[line..].len() - self.out[line..].trim_start_matches(' ').len();
        let inner = outer + STEP;
        self.out.push_str(brackets.0);
        self.behind(items.behind.as_ref());
        let mut commented = false;
        for (item, starts) in items.items.iter().zip(starts) {
            // A comment ends its line, wherever its item has been moved to.
            if *starts || commented {
                self.out.push('\n');
                self.lines(&item.before, inner);
                self.indent(inner);
            } else {
                self.out.push(' ');
            }
            self.item(item);
            self.out.push(',');
            self.behind(item.behind.as_ref());
            commented = item.behind.is_some();
        }
        self.out.push('\n');
        self.lines(&items.end, inner);
        self.indent(outer);
        self.out.push_str(brackets.1);
    }

    fn item(&mut self, item: &Item) {
        if !item.key.is_empty() {
            self.key(&item.key);
        }
        self.value(&item.value);
    }
}

/// Which items of a list that is broken start a line: each table and list, and plain values where the line is full.
fn fill(items: &Items) -> Vec<bool> {
    let mut used = 0;
    let plain = items.items.iter().all(|item| matches!(item.value, Value::Scalar(_)));
    let mut starts = Vec::new();
    for item in &items.items {
        let length = match &item.value {
            Value::Scalar(text) => text.chars().count() + 2,
            _ => 0,
        };
        let start = starts.is_empty() || !plain || used + length > WIDTH;
        used = if start { STEP + length } else { used + length };
        starts.push(start);
    }
    starts
}
