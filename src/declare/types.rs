//! Types as they are written, and the declarations that are made of them: enums, records, tables, parameters, periods.

use std::collections::BTreeSet;

use crate::diag::{Code, Diagnostic, listed, quoted};
use crate::model::ids::{EnumId, RecordId, TableId};
use crate::model::names::Sym;
use crate::model::period::{PeriodUnit, RelativePeriod};
use crate::model::schema::{Enum, NamedType, Record, Row, Table as Vocabulary, Type};
use crate::model::value::Value;
use crate::source::Span;
use crate::syntax::{Entry, Field, Kind, Node, Table};

use super::cx::{Cx, POISON, poisoned, whole};
use super::merge::{Sections, twice};

const PLAIN: &[(&str, Type)] = &[
    ("bool", Type::Bool),
    ("int", Type::Int),
    ("decimal", Type::Decimal),
    ("text", Type::Text),
    ("narrative", Type::Narrative),
    ("id", Type::Id),
    ("date_range", Type::Period),
    ("instant", Type::Instant),
];
const FORMS: &[&str] = &["type", "enum", "key_of", "record", "list", "set", "map"];
pub(super) const TYPE_KEYS: &[&str] = &["type", "enum", "key_of", "record", "list", "set", "map", "max", "evict"];

/// What a field of a message is called in findings.
pub(super) const MESSAGE_FIELD: &str = "a field of a message";

/// What stands beside a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beside {
    /// `optional` or `default`; one of them must be there; also `set_once`.
    Frame,
    /// `optional` or `default` or neither.
    Full,
    /// `optional` only: absent values stay absent.
    Optional,
}

/// A type with what stands beside it. The default is read later, once all names are known.
pub(super) struct Typed<'n> {
    pub ty: Type,
    pub optional: bool,
    pub default: Option<&'n Node>,
    pub set_once: bool,
    pub doc: String,
}

impl Cx<'_> {
    /// A declared type with what stands beside it.
    pub fn typed<'n>(&self, name: &str, entry: &'n Entry, beside: Beside, what: &str) -> Typed<'n> {
        let poison = Typed { ty: POISON, optional: true, default: None, set_once: false, doc: String::new() };
        let Some(table) = self.table(&entry.value, &format!("{what}: a type")) else { return poison };
        let mut known: Vec<&str> = TYPE_KEYS.to_vec();
        known.extend(["optional", "doc"]);
        if beside != Beside::Optional {
            known.push("default");
        }
        if beside == Beside::Frame {
            known.push("set_once");
        }
        if beside == Beside::Optional
            && let Some(default) = table.entry("default")
        {
            let message = format!("{what} has no default");
            self.error_help(
                Code::UnknownKey,
                default.key_span,
                message,
                "write `optional = true`: a value that is not given is absent",
            );
            known.push("default");
        }
        self.allow(table, "a type", &known);
        let optional = self.flag(table, "optional");
        let default = table.get("default").filter(|node| beside != Beside::Optional && node.kind != Kind::Null);
        if let (true, Some(entry)) = (optional, table.entry("default").filter(|_| default.is_some())) {
            let found = Diagnostic::error(
                Code::BadValue,
                entry.key_span,
                format!("{} has a default and is optional", quoted(name)),
            );
            self.out.push(found.help("keep one: a value with a default is never absent"));
        }
        if beside == Beside::Frame && !optional && table.entry("default").is_none() && !table.is_empty() {
            let message = format!("the field {} has neither `optional` nor `default`", quoted(name));
            self.error_help(
                Code::MissingKey,
                entry.key_span,
                message,
                "write `optional = true`, or `default = …`: what the field is before anything is written",
            );
        }
        Typed {
            ty: self.read_type(table, entry.value.span, name),
            optional,
            default,
            set_once: beside == Beside::Frame && self.flag(table, "set_once"),
            doc: self.doc(table),
        }
    }

    /// A type from the keys of its table; other keys are left to the caller.
    pub fn read_type(&self, table: &Table, span: Span, name: &str) -> Type {
        let forms: Vec<&Entry> = table.iter().filter(|entry| FORMS.contains(&entry.key.as_str())).collect();
        let form = match forms.as_slice() {
            [form] => *form,
            [] => {
                self.error_help(
                    Code::MissingKey,
                    span,
                    format!("{} has no type", quoted(name)),
                    "write one of `type`, `enum`, `key_of`, `record`, `list`, `set`, `map`",
                );
                return POISON;
            }
            [first, second, ..] => {
                let message = format!("{} has two types", quoted(name));
                let found =
                    Diagnostic::error(Code::BadValue, second.key_span, message).also(first.key_span, "the first one");
                self.out.push(found.help("keep one of them"));
                return POISON;
            }
        };
        let collection = matches!(form.key.as_str(), "list" | "set" | "map");
        for (key, allowed) in [("max", collection), ("evict", form.key == "list")] {
            if let Some(entry) = table.entry(key).filter(|_| !allowed) {
                let message = format!("`{key}` means nothing beside `{}`", form.key);
                self.error_help(Code::UnknownKey, entry.key_span, message, "leave it out");
            }
        }
        let max = if collection { self.max(table, span) } else { 0 };
        self.of_form(form, name, max, self.evict(table)).unwrap_or(POISON)
    }

    fn max(&self, table: &Table, span: Span) -> u32 {
        let Some(node) = self.need(table, span, "a collection", "max") else { return u32::MAX };
        match Field::new(node, self.out).int() {
            Some(max) if (1..=65_536).contains(&max) => u32::try_from(max).unwrap_or(u32::MAX),
            Some(_) => {
                self.error_help(Code::BadValue, node.span, "`max` is out of range", "write a number from 1 to 65536");
                u32::MAX
            }
            None => u32::MAX,
        }
    }

    fn evict(&self, table: &Table) -> bool {
        let word = table.get("evict").and_then(|node| Field::new(node, self.out).one_of(&[("oldest", true)]));
        word.unwrap_or(false)
    }

    fn of_form(&self, form: &Entry, name: &str, max: u32, evict: bool) -> Option<Type> {
        let node = &form.value;
        match form.key.as_str() {
            "type" => {
                let text = self.text(node)?;
                if let Some((_, ty)) = PLAIN.iter().find(|(word, _)| *word == text) {
                    return Some(ty.clone());
                }
                let near = super::cx::unknown("type", text, node.span, PLAIN.iter().map(|(word, _)| *word));
                let help = match text {
                    "string" | "str" => Some("text is `type = \"text\"`"),
                    "date" => {
                        Some("a day or period is `type = \"date_range\"`, a point in time is `type = \"instant\"`")
                    }
                    "number" | "float" => {
                        Some("an exact number is `type = \"decimal\"`, a whole one is `type = \"int\"`")
                    }
                    "enum" | "list" | "set" | "map" | "record" | "key_of" => {
                        Some("write it as the key: `{ list = { type = \"text\" }, max = 8 }`")
                    }
                    _ => None,
                };
                self.out.push(near.help_opt(help.map(str::to_owned)));
                None
            }
            "enum" => match &node.kind {
                Kind::List(_) => self.values_in_place(node, name).map(Type::Enum),
                _ => {
                    let text = self.text(node)?;
                    self.find("enum", text, node.span, &self.enum_names).map(|at| Type::Enum(EnumId(at)))
                }
            },
            "key_of" => {
                let text = self.text(node)?;
                self.find("table", text, node.span, &self.table_names).map(|at| Type::Key(TableId(at)))
            }
            "record" => {
                let text = self.text(node)?;
                self.find("record type", text, node.span, &self.record_names).map(|at| Type::Record(RecordId(at)))
            }
            "list" => Some(Type::List { of: Box::new(self.inner(node, name)), max, evict }),
            "set" => {
                let of = self.inner(node, name);
                if of.is_collection() && !poisoned(&of) || matches!(of, Type::Record(_) | Type::Narrative) {
                    self.error_help(Code::BadValue, node.span, "the items of a set are plain values", "write a `list`");
                    return None;
                }
                Some(Type::Set { of: Box::new(of), max })
            }
            _ => {
                let table = self.table(node, "a map: `{ key = …, value = … }`")?;
                self.allow(table, "a map", &["key", "value"]);
                let key = self.need(table, node.span, "a map", "key").map_or(POISON, |node| self.inner(node, name));
                let of = self.need(table, node.span, "a map", "value").map_or(POISON, |node| self.inner(node, name));
                let plain = matches!(key, Type::Text | Type::Id | Type::Enum(_) | Type::Key(_));
                if !plain && !poisoned(&key) {
                    self.error_help(
                        Code::BadValue,
                        node.span,
                        "a map cannot have keys of this type",
                        "keys are of type text, id, enum or key_of",
                    );
                    return None;
                }
                Some(Type::Map { key: Box::new(key), of: Box::new(of), max })
            }
        }
    }

    fn inner(&self, node: &Node, name: &str) -> Type {
        let Some(table) = self.table(node, "a type") else { return POISON };
        self.allow(table, "the type of an item", TYPE_KEYS);
        self.read_type(table, node.span, name)
    }

    /// An enum from its list of values. One written in place with the values of another is that other one.
    fn values_in_place(&self, node: &Node, name: &str) -> Option<EnumId> {
        let values = self.enum_values(node)?;
        if let Some(at) = self.enums.borrow().iter().position(|known| known.values == values) {
            return Some(EnumId::at(at));
        }
        self.add_enum(name, values, node.span)
    }

    /// One more enum.
    pub fn add_enum(&self, name: &str, values: Vec<Sym>, span: Span) -> Option<EnumId> {
        let at = self.room(self.enums.borrow().len(), "enums", span)?;
        let name = self.intern(name);
        self.enums.borrow_mut().push(Enum { name, values, span });
        Some(EnumId(at))
    }

    fn enum_values(&self, node: &Node) -> Option<Vec<Sym>> {
        let items = self.list(node, "the values of an enum")?;
        if items.is_empty() {
            self.error_help(Code::BadValue, node.span, "an enum without values", "list its values");
            return None;
        }
        let mut values: Vec<Sym> = Vec::new();
        let mut seen: BTreeSet<Sym> = BTreeSet::new();
        for item in items {
            let Some(text) = self.word(item) else { continue };
            let sym = self.intern(text);
            if seen.insert(sym) {
                values.push(sym);
            } else {
                self.error_help(
                    Code::DuplicateName,
                    item.span,
                    format!("the value {} stands twice", quoted(text)),
                    "keep one",
                );
            }
        }
        Some(values)
    }

    /// Named fields with their types; the defaults come back unread.
    pub fn fields<'n>(&self, node: &'n Node, beside: Beside, what: &str) -> Vec<(NamedType, Option<&'n Node>)> {
        let Some(table) = self.table(node, &format!("{what}s")) else { return Vec::new() };
        let mut fields = Vec::new();
        for entry in table {
            // No path leads into a message, so its fields may bear any name.
            let good = match what {
                MESSAGE_FIELD => self.check_form(what, &entry.key, entry.key_span),
                _ => self.check_name(what, &entry.key, entry.key_span),
            };
            let typed = self.typed(&entry.key, entry, beside, what);
            let name = self.intern(&entry.key);
            let ty = if good { typed.ty } else { POISON };
            let optional = typed.optional;
            fields.push((
                NamedType { name, ty, optional, default: None, doc: typed.doc, span: entry.key_span },
                typed.default,
            ));
        }
        fields
    }

    /// Reads the defaults that were left unread.
    pub fn with_defaults(&self, fields: Vec<(NamedType, Option<&Node>)>) -> Vec<NamedType> {
        fields
            .into_iter()
            .map(|(mut field, default)| {
                field.default = default.and_then(|node| self.literal(node, &field.ty));
                field
            })
            .collect()
    }
}

/// Enums by name, then the names of tables and records, so that types can speak of them.
pub(super) fn names(cx: &mut Cx<'_>, sections: &Sections<'_>) {
    for item in sections.of("enum") {
        cx.check_form("an enum", item.name, item.key);
        let values = cx.enum_values(item.node).unwrap_or_default();
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
        if let Some(period) = relative(cx, item.node, item.name, item.key) {
            cx.relative.push(period);
        }
    }
}

/// The rows of a table with their keys only.
fn keys(cx: &Cx<'_>, node: &Node) -> Vec<Row> {
    let Some(table) = cx.table(node, "a table of the pack") else { return Vec::new() };
    cx.allow(table, "a table of the pack", &["column", "row", "doc"]);
    let Some(rows) = cx.need(table, node.span, "a table of the pack", "row") else { return Vec::new() };
    let mut read: Vec<Row> = Vec::new();
    let mut seen = std::collections::BTreeMap::new();
    for node in cx.list(rows, "rows").unwrap_or_default() {
        let Some(row) = cx.table(node, "a row") else { continue };
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
    let reader = Field::new(node, cx.out).table("a relative period")?;
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
        field.bad("the number is out of range", &format!("write a number from {least} to 100000"))
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

fn param(
    cx: &Cx<'_>,
    node: &Node,
    name: &str,
    key: Span,
    good: bool,
    overrides: &[(String, Node)],
) -> crate::model::schema::Param {
    let sym = cx.intern(name);
    let mut param =
        crate::model::schema::Param { name: sym, ty: POISON, value: Value::Absent, doc: String::new(), span: key };
    let Some(table) = cx.table(node, "a parameter") else { return param };
    cx.allow(table, "a parameter", &["type", "enum", "key_of", "default", "min", "max", "doc"]);
    param.doc = cx.doc(table);
    let entries = table.iter().filter(|entry| entry.key != "max").cloned().collect();
    let ty = cx.read_type(&Table::new(entries), node.span, name);
    let default = cx.need(table, node.span, "a parameter", "default");
    if !good || ty.is_collection() || matches!(ty, Type::Record(_)) {
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
        cx.allow(table, "a record type", &["open", "field", "doc"]);
        cx.records[at].open = cx.flag(table, "open");
        let Some(fields) = cx.need(table, item.node.span, "a record type", "field") else { continue };
        let fields = cx.fields(fields, Beside::Full, "a field of a record");
        cx.records[at].fields = fields.iter().map(|(field, _)| field.clone()).collect();
        defaults.push((at, fields));
    }
    endless_records(cx);
    let mut columns = Vec::new();
    for (at, item) in sections.of("table").iter().enumerate().take(cx.tables.len()) {
        let Kind::Table(table) = &item.node.kind else { continue };
        let fields = match table.get("column") {
            Some(node) => cx.fields(node, Beside::Full, "a column"),
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
    let known: Vec<&str> = std::iter::once("id").chain(names.iter().map(String::as_str)).collect();
    for node in rows {
        let Kind::Table(row) = &node.kind else { continue };
        cx.allow(row, "a row", &known);
        let mut cells = Vec::new();
        for (column, name) in columns.iter().zip(&names) {
            cells.push(match row.get(name) {
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
        let Some(span) = row.get("id").map(|id| id.span) else { continue };
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
        cx.error_help(Code::BadValue, cx.records[at].span, message, "keep an id in place of the record");
        for field in &mut cx.records[at].fields {
            field.ty = POISON;
        }
    }
}

impl Cx<'_> {
    /// A type as it is written, for messages.
    pub fn shown(&self, ty: &Type) -> String {
        let names = self.names.borrow();
        match ty {
            Type::Enum(id) => {
                let enums = self.enums.borrow();
                let Some(known) = enums.get(id.index()) else { return "a value".to_owned() };
                format!("one of {}", listed(known.values.iter().map(|value| names.text(*value))))
            }
            Type::Key(id) => format!("a key of {}", quoted(names.text(self.tables[id.index()].name))),
            Type::Record(id) => format!("a record {}", quoted(names.text(self.records[id.index()].name))),
            Type::List { of, .. } => format!("a list of items, each {}", self.shown(of)),
            Type::Set { of, .. } => format!("a set of items, each {}", self.shown(of)),
            Type::Map { .. } => "a map".to_owned(),
            plain => {
                let word = PLAIN.iter().find(|(_, ty)| ty == plain).map_or("value", |(word, _)| word);
                let article = if word.starts_with(['i', 'o', 'a', 'e', 'u']) { "an" } else { "a" };
                match word {
                    "text" | "narrative" => word.to_owned(),
                    "bool" => "`true` or `false`".to_owned(),
                    _ => format!("{article} `{word}`"),
                }
            }
        }
    }

    /// The values of an enum.
    pub fn values_of(&self, id: EnumId) -> Vec<Sym> {
        self.enums.borrow().get(id.index()).map(|known| known.values.clone()).unwrap_or_default()
    }

    fn within(&self, a: EnumId, b: EnumId) -> bool {
        let (a, b) = (self.values_of(a), self.values_of(b));
        a.iter().all(|value| b.contains(value))
    }

    /// Whether a value of one type may be given where another is due. Text takes any plain value, as its text.
    pub fn fits(&self, from: &Type, to: &Type) -> bool {
        self.same(from, to)
            || match to {
                Type::Text => scalar(from),
                Type::Narrative => scalar(from) || *from == Type::Narrative,
                _ => false,
            }
    }

    /// Whether each value of one type is one of another, as it is.
    pub fn same(&self, from: &Type, to: &Type) -> bool {
        if poisoned(from) || poisoned(to) || from == to {
            return true;
        }
        match (from, to) {
            (Type::Enum(a), Type::Enum(b)) => self.within(*a, *b),
            (Type::List { of: a, .. }, Type::List { of: b, .. })
            | (Type::Set { of: a, .. }, Type::List { of: b, .. } | Type::Set { of: b, .. }) => self.same(a, b),
            (Type::Map { key: j, of: a, .. }, Type::Map { key: k, of: b, .. }) => self.same(j, k) && self.same(a, b),
            _ => false,
        }
    }

    /// Whether two types can have a value in common.
    pub fn comparable(&self, a: &Type, b: &Type) -> bool {
        if poisoned(a) || poisoned(b) || a == b {
            return true;
        }
        match (a, b) {
            (Type::Enum(a), Type::Enum(b)) => {
                let (a, b) = (self.values_of(*a), self.values_of(*b));
                a.iter().any(|value| b.contains(value))
            }
            (
                Type::List { of: a, .. } | Type::Set { of: a, .. },
                Type::List { of: b, .. } | Type::Set { of: b, .. },
            ) => self.comparable(a, b),
            (Type::Map { key: j, of: a, .. }, Type::Map { key: k, of: b, .. }) => {
                self.comparable(j, k) && self.comparable(a, b)
            }
            _ => false,
        }
    }
}

/// Whether values of a type have one plain text form.
pub(super) fn scalar(ty: &Type) -> bool {
    !ty.is_collection() && !matches!(ty, Type::Record(_) | Type::Narrative)
}
