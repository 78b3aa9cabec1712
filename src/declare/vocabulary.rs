//! What the vocabulary of a pack is made of: enums, tables with their rows, records, relative periods, parameters.

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::{Code, Diagnostic, quoted};
use crate::language;
use crate::model::ids::EnumId;
use crate::model::period::{PeriodUnit, RelativePeriod};
use crate::model::reason;
use crate::model::schema::{Param, Record, Row, Table as Vocabulary, Type};
use crate::model::value::Value;
use crate::source::Span;
use crate::syntax::{Entry, Field, Kind, Node, Table};

use super::cx::{Cx, POISON, poisoned, whole};
use super::expand::has_rows;
use super::extends::added;
use super::merge::{Sections, twice};
use super::types::{Beside, Case};

/// Enums by name, then the names of tables and records, so that types can speak of them.
pub(super) fn names(cx: &mut Cx<'_>, sections: &Sections<'_>) {
    for item in sections.of("enum") {
        cx.check_form("an enum", item.name, item.key);
        let values = match added(item.node) {
            // Where the pack extends one that has it, it holds the values of both.
            Some(_) => {
                let message = format!("there is no enum {} to add to", quoted(item.name));
                cx.error_help(
                    Code::UnknownName,
                    item.key,
                    message,
                    "write all its values as a list: only to an enum of the pack that is extended can be added",
                );
                Vec::new()
            }
            None => cx.enum_values(item.node).unwrap_or_default(),
        };
        if let Some(EnumId(at)) = cx.add_enum(item.name, values, item.key) {
            cx.enum_names.insert(item.name.to_owned(), at);
        }
    }
    for item in sections.of("table") {
        cx.check_form("a table", item.name, item.key);
        let Some(at) = cx.room(cx.tables.len(), "tables", item.key) else { break };
        cx.table_names.insert(item.name.to_owned(), at);
        let rows = keys(cx, item.node);
        let name = cx.intern(item.name);
        cx.tables.push(Vocabulary { name, columns: Vec::new(), rows, span: item.key });
    }
    for item in sections.of("type") {
        cx.check_form("a record type", item.name, item.key);
        let Some(at) = cx.room(cx.records.len(), "record types", item.key) else { break };
        cx.record_names.insert(item.name.to_owned(), at);
        let name = cx.intern(item.name);
        cx.records.push(Record { name, fields: Vec::new(), open: false, span: item.key });
    }
    for item in sections.of("relative") {
        let period = relative(cx, item.node, item.name, item.key);
        // One that is wrong is named rightly all the same.
        let name = cx.intern(item.name);
        let stands = || RelativePeriod { name, unit: PeriodUnit::Day, offset: 0, length: 1 };
        cx.relative.push(period.unwrap_or_else(stands));
    }
}

/// The rows of a table with their keys only.
fn keys(cx: &Cx<'_>, node: &Node) -> Vec<Row> {
    let Some(table) = cx.table(node, "a table of the pack") else { return Vec::new() };
    cx.allow(table, &language::TABLE);
    cx.doc(table);
    let Some(rows) = cx.need(table, node.span, "a table of the pack", "row") else { return Vec::new() };
    let mut read: Vec<Row> = Vec::new();
    let mut seen = BTreeMap::new();
    let columns = table.get("column");
    let is_column =
        |key: &str| matches!(columns.map(|node| &node.kind), Some(Kind::Table(columns)) if columns.get(key).is_some());
    for node in cx.list(rows, "rows").unwrap_or_default() {
        let Some(row) = cx.table(node, "a row") else { continue };
        if row.get("id").is_none() {
            // Keys that are no columns are reported with the cells; a misspelt `id` is one of them.
            row.iter().filter(|entry| !is_column(&entry.key)).for_each(|entry| cx.flag_key(entry.key_span));
        }
        let Some(id) = cx.need(row, node.span, "a row", "id") else { continue };
        let Some(text) = cx.word(id) else { continue };
        let key = cx.intern(text);
        match seen.get(&key) {
            Some(first) => cx.out.push(twice("row", text, id.span, *first)),
            None => {
                seen.insert(key, id.span);
                read.push(Row { key, cells: Vec::new(), span: id.span });
            }
        }
    }
    read
}

fn relative(cx: &Cx<'_>, node: &Node, name: &str, key: Span) -> Option<RelativePeriod> {
    if !cx.check_form("a relative period", name, key) {
        return None;
    }
    let reader = Field::new(node, cx.out).table(&language::RELATIVE)?;
    let units = [
        ("day", PeriodUnit::Day),
        ("week", PeriodUnit::Week),
        ("month", PeriodUnit::Month),
        ("quarter", PeriodUnit::Quarter),
        ("year", PeriodUnit::Year),
    ];
    let unit = reader.required("unit").and_then(|field| field.one_of(&units));
    let offset = reader.required("offset");
    let length = reader.required("length");
    reader.optional("doc").map(Field::text);
    reader.finish();
    let number = |field: Field<'_>, least: i64| {
        let number = field.int()?;
        if (least..=100_000).contains(&number) {
            return Some(number);
        }
        field.refused(Code::OutOfRange, "the number is out of range", &format!("write a number from {least} to 100000"))
    };
    let offset = number(offset?, -100_000)?;
    let length = number(length?, 1)?;
    let name = cx.intern(name);
    Some(RelativePeriod { name, unit: unit?, offset: i32::try_from(offset).ok()?, length: u32::try_from(length).ok()? })
}

/// Parameters with their values; overrides are read like literals.
pub(super) fn params(cx: &mut Cx<'_>, sections: &Sections<'_>, overrides: &[(String, Node)]) {
    for item in sections.of("param") {
        let good = cx.check_name("a parameter", item.name, item.key);
        let Some(at) = cx.room(cx.params.len(), "parameters", item.key) else { break };
        cx.param_names.insert(item.name.to_owned(), at);
        let param = param(cx, item.node, item.name, item.key, good, overrides);
        cx.params.push(param);
    }
    for (name, node) in overrides {
        if !cx.param_names.contains_key(name) {
            cx.unknown("parameter", name, node.span, cx.param_names.keys().map(String::as_str));
        }
    }
}

fn param(cx: &Cx<'_>, node: &Node, name: &str, key: Span, good: bool, overrides: &[(String, Node)]) -> Param {
    let sym = cx.intern(name);
    let mut param = Param { name: sym, ty: POISON, value: Value::Absent, doc: String::new(), span: key };
    let Some(table) = cx.table(node, "a parameter") else { return param };
    cx.allow(table, &language::PARAM);
    param.doc = cx.doc(table);
    let entries: Vec<Entry> = table.iter().filter(|entry| entry.key != "max").cloned().collect();
    let ty = cx.read_type(&Table::new(entries), node.span, name);
    let default = cx.need(table, node.span, "a parameter", "default");
    if !good || ty.is_collection() || matches!(ty, Type::Record(_) | Type::Document { .. }) {
        return param;
    }
    let numeric = matches!(ty, Type::Int | Type::Decimal);
    let bound = |key: &str| {
        let entry = table.entry(key)?;
        if !numeric {
            if !poisoned(&ty) {
                cx.error_help(
                    Code::UnknownKey,
                    entry.key_span,
                    format!("`{key}` is for int and decimal only"),
                    "leave it out",
                );
            }
            return None;
        }
        cx.literal(&entry.value, &ty).map(|value| (value, whole(entry)))
    };
    let (min, max) = (bound("min"), bound("max"));
    let read = |node: &Node| {
        let value = cx.literal(node, &ty)?;
        for (limit, low, word) in [(&min, true, "least"), (&max, false, "most")] {
            let Some((limit, span)) = limit else { continue };
            if (low && value < *limit) || (!low && value > *limit) {
                let message = format!("parameter `{name}` is {}: out of range", shown(&value));
                let found = Diagnostic::error(Code::ParameterRange, node.span, message);
                cx.out.push(
                    found
                        .also(*span, format!("the {word} it may be"))
                        .help(format!("write {} at {word}", shown(limit))),
                );
            }
        }
        Some(value)
    };
    let declared = default.and_then(read);
    let told = overrides.iter().rfind(|(told, _)| told == name).map(|(_, node)| read(node));
    param.value = told.unwrap_or(declared).unwrap_or(Value::Absent);
    param.ty = if param.value.is_present() { ty } else { POISON };
    param
}

fn shown(value: &Value) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Decimal(number) => number.to_string(),
        _ => "another value".to_owned(),
    }
}

/// Records, then the columns and cells of tables: all names of types are known by now.
pub(super) fn bodies(cx: &mut Cx<'_>, sections: &Sections<'_>) {
    let mut defaults = Vec::new();
    for (at, item) in sections.of("type").iter().enumerate().take(cx.records.len()) {
        let Some(table) = cx.table(item.node, "a record type") else { continue };
        cx.allow(table, &language::RECORD);
        cx.doc(table);
        cx.records[at].open = cx.flag(table, "open");
        let Some(fields) = cx.need(table, item.node.span, "a record type", "field") else { continue };
        let fields = cx.fields(fields, Beside::Full, cx.case(table), "a field of a record");
        cx.records[at].fields = fields.iter().map(|(field, _)| field.clone()).collect();
        defaults.push((at, fields));
    }
    endless_records(cx);
    let mut columns = Vec::new();
    for (at, item) in sections.of("table").iter().enumerate().take(cx.tables.len()) {
        let Kind::Table(table) = &item.node.kind else { continue };
        let fields = match table.get("column") {
            Some(node) => cx.fields(node, Beside::Column, Case::AsNamed, "a column"),
            None => Vec::new(),
        };
        if let Some((id, _)) = fields.iter().find(|(field, _)| cx.names.borrow().text(field.name) == "id") {
            cx.error_help(
                Code::ReservedName,
                id.span,
                "the column `id` is the key and is not declared",
                "leave it out",
            );
        }
        cx.tables[at].columns = fields.iter().map(|(field, _)| field.clone()).collect();
        columns.push((at, fields));
    }
    for (at, fields) in defaults {
        let fields = cx.with_defaults(fields);
        cx.records[at].fields = fields;
    }
    for (at, fields) in columns {
        let fields = cx.with_defaults(fields);
        cx.tables[at].columns = fields;
        cells(cx, sections, at);
    }
}

fn cells(cx: &mut Cx<'_>, sections: &Sections<'_>, at: usize) {
    let Some(Kind::Table(table)) = sections.of("table").get(at).map(|item| &item.node.kind) else { return };
    let Some(Kind::List(rows)) = table.get("row").map(|node| &node.kind) else { return };
    let columns = cx.tables[at].columns.clone();
    let names: Vec<String> = columns.iter().map(|column| cx.text_of(column.name)).collect();
    let known: Vec<&str> = language::ROW.names().into_iter().chain(names.iter().map(String::as_str)).collect();
    for node in rows.iter() {
        let Kind::Table(row) = &node.kind else { continue };
        cx.allow_only(row, language::ROW.what, &known);
        let mut cells = Vec::new();
        for (column, name) in columns.iter().zip(&names) {
            cells.push(match row.get(name).or_else(|| cx.meant(row, name)) {
                Some(node) => cx.literal(node, &column.ty).unwrap_or_default(),
                None => match &column.default {
                    Some(default) => default.clone(),
                    None => {
                        if !column.optional {
                            let message = format!("a row lacks the column {}", quoted(name));
                            let span = row.entry("id").map_or(node.span, |id| id.value.span);
                            let found =
                                Diagnostic::error(Code::MissingKey, span, message).also(column.span, "declared here");
                            cx.out.push(found.help("write a value, or make the column `optional = true`"));
                        }
                        Value::Absent
                    }
                },
            });
        }
        let Some(span) = row.get("id").or_else(|| cx.meant(row, "id")).map(|id| id.span) else { continue };
        if let Some(row) = cx.tables[at].rows.iter_mut().find(|row| row.span == span) {
            row.cells = cells;
        }
    }
    let width = columns.len();
    for row in &mut cx.tables[at].rows {
        row.cells.resize(width, Value::Absent);
    }
}

/// A record that holds itself would have no end: reported once for each record on such a cycle.
fn endless_records(cx: &mut Cx<'_>) {
    fn held(ty: &Type, into: &mut Vec<usize>) {
        match ty {
            Type::Record(id) => into.push(id.index()),
            Type::List { of, .. } | Type::Set { of, .. } | Type::Map { of, .. } => held(of, into),
            _ => {}
        }
    }
    let mut edges: Vec<Vec<usize>> = Vec::new();
    for record in &cx.records {
        let mut into = Vec::new();
        record.fields.iter().for_each(|field| held(&field.ty, &mut into));
        edges.push(into);
    }
    let mut endless = Vec::new();
    for start in 0..edges.len() {
        let mut seen = vec![false; edges.len()];
        let mut queue = edges[start].clone();
        while let Some(at) = queue.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                queue.extend(&edges[at]);
            }
        }
        if seen[start] {
            endless.push(start);
        }
    }
    for at in endless {
        let name = cx.text_of(cx.records[at].name);
        let message = format!("the record type {} holds itself", quoted(&name));
        cx.error_help(Code::LeadsBack, cx.records[at].span, message, "keep an id in place of the record");
        for field in &mut cx.records[at].fields {
            field.ty = POISON;
        }
    }
}

/// All words that stand as values and may become names, in the order of the alphabet: sets are sorted by symbol, so a set is shown in an order
/// that no other declaration changes.
pub(super) fn all_words(cx: &Cx<'_>, documents: &[&Node], sections: &Sections<'_>, classes: &[Node]) {
    let engine = reason::ALL.iter().chain(&reason::STATUSES).chain(&reason::CLAIMS).chain([
        &reason::CONTRACT,
        &reason::TYPE,
        &reason::SCHEMA,
    ]);
    let mut words: Vec<&str> = engine.copied().collect();
    // The other classes stand in the documents as they are.
    let rows = sections.classes.iter().filter(|class| has_rows(class));
    let rows: BTreeSet<Span> = rows.map(|class| class.span).collect();
    let written_out = classes.iter().filter(|class| rows.contains(&class.span));
    documents.iter().copied().chain(written_out).for_each(|node| words_of(node, &mut words));
    words.sort_unstable();
    words.dedup();
    words.into_iter().for_each(|word| _ = cx.intern(word));
}

fn words_of<'n>(node: &'n Node, words: &mut Vec<&'n str>) {
    match &node.kind {
        Kind::Text(text) if !text.is_empty() && !text.contains(char::is_whitespace) => words.push(text),
        Kind::List(items) => items.iter().for_each(|item| words_of(item, words)),
        Kind::Table(table) => {
            for entry in table {
                words_of(&entry.value, words);
            }
        }
        _ => {}
    }
}
