//! `for_each`: one written class as one class for each row of a table, done on the document before anything is read.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::diag::{Code, Diagnostic, Diagnostics, quoted};
use crate::language;
use crate::source::Span;
use crate::syntax::{Entry, Field, Kind, Node, Table};

use super::cx::unknown;
use super::merge::{Sections, id_of, natural};

/// How many values all expanded classes may hold together.
const MOST_VALUES: usize = 2_000_000;

/// The classes of a pack, each `for_each` written out, by id in natural order.
pub(super) fn expand(sections: &Sections<'_>, out: &Diagnostics) -> Vec<Node> {
    let mut classes = Vec::new();
    let mut room = MOST_VALUES;
    for class in &sections.classes {
        match &class.kind {
            Kind::Table(table) => match table.entry("for_each") {
                Some(entry) => rows(sections, class, table, entry, &mut room, &mut classes, out),
                None => classes.push((*class).clone()),
            },
            _ => {
                Field::new(class, out).wrong_type::<()>("a transition class (a table)");
            }
        }
    }
    classes.sort_by(|a, b| natural(id_of(a), id_of(b)));
    classes
}

/// Whether a class is written once for each row of a table.
pub(super) fn has_rows(class: &Node) -> bool {
    matches!(&class.kind, Kind::Table(table) if table.entry("for_each").is_some())
}

fn rows(
    sections: &Sections<'_>,
    class: &Node,
    table: &Table,
    entry: &Entry,
    room: &mut usize,
    classes: &mut Vec<Node>,
    out: &Diagnostics,
) {
    let Some(reader) = Field::new(&entry.value, out).table(&language::FOR_EACH) else { return };
    let source = reader.required("table");
    let alias = reader.required("as").and_then(Field::word);
    reader.finish();
    let (Some(source), Some(alias)) = (source, alias) else { return };
    let Some(name) = source.text() else { return };
    let Some(vocabulary) = sections.get("table", name) else {
        out.push(unknown("table", name, source.span(), sections.of("table").iter().map(|item| item.name)));
        return;
    };
    let Kind::Table(vocabulary) = &vocabulary.kind else { return };
    let columns: Vec<&Entry> = match vocabulary.get("column").map(|node| &node.kind) {
        Some(Kind::Table(columns)) => columns.iter().collect(),
        _ => Vec::new(),
    };
    let Some(Kind::List(rows)) = vocabulary.get("row").map(|node| &node.kind) else { return };
    for row in rows.iter() {
        let Kind::Table(row) = &row.kind else { continue };
        let mut cells: BTreeMap<String, Option<&str>> = BTreeMap::new();
        cells.insert("id".to_owned(), row.get("id").and_then(scalar));
        for column in &columns {
            let default = match &column.value.kind {
                Kind::Table(column) => column.get("default"),
                _ => None,
            };
            cells.insert(column.key.to_string(), row.get(&column.key).or(default).and_then(scalar));
        }
        let mut writer = Writer { alias, cells: &cells, room, out };
        let entries = table.iter().filter(|entry| entry.key != "for_each");
        let entries: Vec<Entry> = entries.map(|entry| writer.entry(entry)).collect();
        classes.push(Node { span: class.span, kind: Kind::Table(Table::new(entries)) });
        if *room == 0 {
            let message = format!("`for_each` writes out more than {MOST_VALUES} values");
            out.push(Diagnostic::error(Code::LimitExceeded, entry.key_span, message).help("shorten the table"));
            return;
        }
    }
}

/// What may be put into a text.
fn scalar(node: &Node) -> Option<&str> {
    match &node.kind {
        Kind::Text(text) | Kind::Number(text) | Kind::Date(text) => Some(text),
        Kind::Bool(true) => Some("true"),
        Kind::Bool(false) => Some("false"),
        _ => None,
    }
}

struct Writer<'w> {
    alias: &'w str,
    cells: &'w BTreeMap<String, Option<&'w str>>,
    room: &'w mut usize,
    out: &'w Diagnostics,
}

impl Writer<'_> {
    fn entry(&mut self, entry: &Entry) -> Entry {
        Entry { key: self.text(&entry.key, entry.key_span), key_span: entry.key_span, value: self.node(&entry.value) }
    }

    fn node(&mut self, node: &Node) -> Node {
        *self.room = self.room.saturating_sub(1);
        if *self.room == 0 {
            return Node { span: node.span, kind: Kind::Null };
        }
        let kind = match &node.kind {
            Kind::Text(text) => Kind::Text(self.text(text, node.span)),
            Kind::List(items) => Kind::List(items.iter().map(|item| self.node(item)).collect()),
            Kind::Table(table) => {
                let entries: Vec<Entry> = table.iter().map(|entry| self.entry(entry)).collect();
                Kind::Table(Table::new(entries))
            }
            other => other.clone(),
        };
        Node { span: node.span, kind }
    }

    /// Puts the row's cells into a text: `{d.column}`.
    fn text(&self, text: &SmolStr, span: Span) -> SmolStr {
        let open = format!("{{{}.", self.alias);
        if !text.contains(&open) {
            return text.clone();
        }
        let mut written = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find(&open) {
            let after = &rest[at + open.len()..];
            let Some(end) = after.find('}') else { break };
            written.push_str(&rest[..at]);
            let column = &after[..end];
            match self.cells.get(column) {
                Some(Some(cell)) => written.push_str(cell),
                Some(None) => {
                    let message = format!("a row has nothing to put here for the column {}", quoted(column));
                    let found = Diagnostic::error(Code::BadValue, span, message);
                    self.out.push(found.help("only text, numbers and truth values can be put into a text"));
                    written.push('…');
                }
                None => {
                    self.out.push(unknown("column", column, span, self.cells.keys().map(String::as_str)));
                    written.push('…');
                }
            }
            rest = &after[end + 1..];
        }
        written.push_str(rest);
        written.into()
    }
}
