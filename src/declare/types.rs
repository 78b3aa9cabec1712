//! Types as they are written, and the declarations that are made of them: enums, records, tables, parameters, periods.

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::{Code, Diagnostic, listed, quoted};
use crate::language::{COLUMN, FRAME_FIELD, ITEM, MAP, PAYLOAD_FIELD as PAYLOAD, TYPE};
use crate::model::ids::{EnumId, RecordId, TableId};
use crate::model::names::Sym;
use crate::model::schema::{Enum, NamedType, Type};
use crate::model::value::Value;
use crate::source::Span;
use crate::syntax::{Entry, Field, Kind, Node, Table};

use super::cx::{Cx, POISON, poisoned};

const PLAIN: &[(&str, Type)] = &[
    ("bool", Type::Bool),
    ("int", Type::Int),
    ("decimal", Type::Decimal),
    ("text", Type::Text),
    ("narrative", Type::Narrative),
    ("id", Type::Id),
    ("date_range", Type::Period),
    ("instant", Type::Instant),
    ("document", Type::Document { contract: None }),
];
/// The keys that say what a type is.
fn kinds() -> impl Iterator<Item = &'static str> {
    ITEM.forms.iter().map(|form| form.key)
}

/// What a field of an event is called in findings.
pub(super) const PAYLOAD_FIELD: &str = "a payload field";

/// What stands beside a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beside {
    /// `optional` or `default`; one of them must be there; also `set_once`.
    Frame,
    /// The same in a keyed frame, where a field with neither is given when an instance is opened.
    Keyed,
    /// `optional` or `default` or neither; and how the host calls it.
    Full,
    /// `optional` or `default` or neither.
    Column,
    /// `optional` only: absent values stay absent; and how the host calls it.
    Optional,
}

/// How the host calls fields of which it is not said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// By their names.
    AsNamed,
    /// By their names in camel case.
    Camel,
}

/// A name in camel case: each letter after `_` or `-` becomes a capital, those that lead stay.
fn camel(name: &str) -> String {
    let start = name.find(|c| c != '_' && c != '-').unwrap_or(name.len());
    let mut text = name[..start].to_owned();
    let mut up = false;
    for c in name[start..].chars() {
        match c {
            '_' | '-' => up = true,
            c if up => {
                text.extend(c.to_uppercase());
                up = false;
            }
            c => text.push(c),
        }
    }
    text
}

/// A type with what stands beside it. The default is read later, once all names are known.
pub(super) struct Typed<'n> {
    pub ty: Type,
    pub optional: bool,
    pub default: Option<&'n Node>,
    pub set_once: bool,
    pub for_host: bool,
    pub wire: Option<&'n Node>,
    pub doc: String,
}

impl Cx<'_> {
    /// A declared type with what stands beside it.
    pub fn typed<'n>(&self, name: &str, entry: &'n Entry, beside: Beside, what: &str) -> Typed<'n> {
        let poison = Typed {
            ty: POISON,
            optional: true,
            default: None,
            set_once: false,
            for_host: false,
            wire: None,
            doc: String::new(),
        };
        let Some(table) = self.table(&entry.value, &format!("{what}: a type")) else { return poison };
        let shape = match beside {
            Beside::Frame | Beside::Keyed => &FRAME_FIELD,
            Beside::Full => &TYPE,
            Beside::Column => &COLUMN,
            Beside::Optional => &PAYLOAD,
        };
        let mut known = shape.names();
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
        self.allow_only(table, shape.what, &known);
        // What is neither true nor false is not held against those that leave the value out.
        let optional = self.flag(table, "optional")
            || table.get("optional").is_some_and(|node| !matches!(node.kind, Kind::Bool(_)));
        let default = table.get("default").filter(|node| beside != Beside::Optional && node.kind != Kind::Null);
        if let (true, Some(entry)) = (optional, table.entry("default").filter(|_| default.is_some())) {
            let found = Diagnostic::error(
                Code::OneOfSeveral,
                entry.key_span,
                format!("{} has a default and is optional", quoted(name)),
            );
            self.out.push(found.help("keep one: a value with a default is never absent"));
        }
        if beside == Beside::Frame && !optional && table.entry("default").is_none() && !table.is_empty() {
            let message = format!("the field {} has neither `optional` nor `default`", quoted(name));
            self.error_help(
                Code::NoStartValue,
                entry.key_span,
                message,
                "write `optional = true`, or `default = …`: what the field is before anything is written",
            );
        }
        Typed {
            ty: self.read_type(table, entry.value.span, name),
            optional,
            default,
            set_once: matches!(beside, Beside::Frame | Beside::Keyed) && self.flag(table, "set_once"),
            for_host: matches!(beside, Beside::Frame | Beside::Keyed) && self.flag(table, "for_host"),
            wire: table.get("wire").filter(|_| matches!(beside, Beside::Full | Beside::Optional)),
            doc: self.doc(table),
        }
    }

    /// A type from the keys of its table; other keys are left to the caller.
    pub fn read_type(&self, table: &Table, span: Span, name: &str) -> Type {
        let forms: Vec<&Entry> = table.iter().filter(|entry| kinds().any(|form| form == entry.key)).collect();
        let form = match forms.as_slice() {
            [form] => *form,
            [] => {
                if kinds().any(|form| self.misspelt(table, form)) {
                    return POISON;
                }
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
                let found = Diagnostic::error(Code::OneOfSeveral, second.key_span, message)
                    .also(first.key_span, "the first one");
                self.out.push(found.help("keep one of them"));
                return POISON;
            }
        };
        let collection = matches!(form.key.as_str(), "list" | "set" | "map");
        for (key, allowed) in [("max", collection), ("evict", form.key == "list"), ("unique", form.key == "list")] {
            if let Some(entry) = table.entry(key).filter(|_| !allowed) {
                let message = format!("`{key}` means nothing beside `{}`", form.key);
                self.error_help(Code::UnknownKey, entry.key_span, message, "leave it out");
            }
        }
        let max = if collection { self.max(table, span) } else { 0 };
        let mut ty = self.of_form(form, name, max, self.evict(table)).unwrap_or(POISON);
        if let Some(entry) = table.entry("contract") {
            ty = self.held_to(ty, entry);
        }
        if let (Type::List { of, unique, .. }, Some(node)) = (&mut ty, table.get("unique")) {
            *unique = self.text(node).map(|field| self.intern(field));
            match (&**of, &*unique) {
                (Type::Record(id), Some(field)) => self.unique.borrow_mut().push((*id, *field, node.span)),
                (of, Some(_)) if !poisoned(of) => {
                    let message = format!("`unique` names a field of records; each item is {}", self.shown(of));
                    self.error_help(Code::WrongType, node.span, message, "leave it out, or write a `set`");
                }
                _ => {}
            }
        }
        ty
    }

    /// A document that is held to a contract.
    fn held_to(&self, ty: Type, entry: &Entry) -> Type {
        match ty {
            Type::Document { .. } => {
                let name = self.word(&entry.value);
                let at = name.and_then(|name| self.find("contract", name, entry.value.span, &self.contract_names));
                at.map_or(POISON, |at| Type::Document { contract: Some(at.into()) })
            }
            ty if poisoned(&ty) => ty,
            ty => {
                let message = format!(
                    "`contract` means nothing here: a document is held to one, and this is {}",
                    self.shown(&ty)
                );
                self.error_help(Code::UnknownKey, entry.key_span, message, "leave it out");
                ty
            }
        }
    }

    /// Each `unique` names a field of its records that can be compared. Asked once all records are known.
    pub fn check_unique(&self) {
        for (record, name, span) in self.unique.take() {
            let record = &self.records[record.index()];
            match record.fields.iter().find(|field| field.name == name) {
                Some(field) if scalar(&field.ty) || poisoned(&field.ty) => {}
                Some(field) => {
                    let message = format!("{} is {}", quoted(&self.text_of(name)), self.shown(&field.ty));
                    let found = Diagnostic::error(Code::WrongType, span, message).also(field.span, "declared here");
                    self.out.push(found.help("name a field with a plain value"));
                }
                None => {
                    let known: Vec<String> = record.fields.iter().map(|field| self.text_of(field.name)).collect();
                    let of = format!("the record type {}", quoted(&self.text_of(record.name)));
                    let known = known.iter().map(String::as_str);
                    self.out.push(super::cx::lacks(&of, "field", &self.text_of(name), span, known));
                }
            }
        }
    }

    fn max(&self, table: &Table, span: Span) -> u32 {
        let Some(node) = self.need(table, span, "a collection", "max") else { return u32::MAX };
        match self.literal(node, &Type::Int) {
            Some(Value::Int(max)) if (1..=65_536).contains(&max) => u32::try_from(max).unwrap_or(u32::MAX),
            Some(_) => {
                let help = match node.kind {
                    Kind::Text(_) => "give the parameter a value from 1 to 65536, with `min = 1, max = 65536`",
                    _ => "write a number from 1 to 65536",
                };
                self.error_help(Code::OutOfRange, node.span, "`max` is out of range", help);
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
                if self.keyed_names.contains(text) {
                    return Some(Type::Id);
                }
                if let Some(at) = self.table_names.get(text) {
                    self.note_use("table", text);
                    return Some(Type::Key(TableId(*at)));
                }
                let known = self.table_names.keys().chain(&self.keyed_names).map(String::as_str);
                self.unknown("table", text, node.span, known);
                None
            }
            "record" => {
                let text = self.text(node)?;
                self.find("record type", text, node.span, &self.record_names).map(|at| Type::Record(RecordId(at)))
            }
            "list" => Some(Type::List { of: Box::new(self.inner(node, name)), max, evict, unique: None }),
            "set" => {
                let of = self.inner(node, name);
                if !scalar(&of) && !poisoned(&of) {
                    self.error_help(
                        Code::WrongType,
                        node.span,
                        "the items of a set are plain values",
                        "write a `list`",
                    );
                    return None;
                }
                Some(Type::Set { of: Box::new(of), max })
            }
            _ => {
                let table = self.table(node, "a map: `{ key = …, value = … }`")?;
                self.allow(table, &MAP);
                let key = self.need(table, node.span, "a map", "key").map_or(POISON, |node| self.inner(node, name));
                let of = self.need(table, node.span, "a map", "value").map_or(POISON, |node| self.inner(node, name));
                let plain = matches!(key, Type::Text | Type::Id | Type::Enum(_) | Type::Key(_));
                if !plain && !poisoned(&key) {
                    self.error_help(
                        Code::WrongType,
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
        self.allow(table, &ITEM);
        self.read_type(table, node.span, name)
    }

    /// An enum from its list of values. One written in place with the values of another is that other one.
    pub fn values_in_place(&self, node: &Node, name: &str) -> Option<EnumId> {
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

    /// The values of an enum, in their order.
    pub fn enum_values(&self, node: &Node) -> Option<Vec<Sym>> {
        let items = self.list(node, "the values of an enum")?;
        if items.is_empty() {
            self.error_help(Code::SaysNothing, node.span, "an enum without values", "list its values");
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
                let first = items.iter().find(|node| super::paths::text_of(node) == Some(text));
                let message = format!("the value {} stands twice", quoted(text));
                let found = Diagnostic::error(Code::DuplicateName, item.span, message);
                let first = first.map_or(item.span, |node| node.span);
                self.out.push(found.also(first, "it stands here already").help("keep one of them"));
            }
        }
        Some(values)
    }

    /// Whether the fields of a table are called in camel case by the host.
    pub fn case(&self, table: &Table) -> Case {
        let camel = table.get("case").and_then(|node| Field::new(node, self.out).one_of(&[("camel", Case::Camel)]));
        camel.unwrap_or(Case::AsNamed)
    }

    /// How the host calls a field; none where it is not said, or not well.
    fn wire(&self, node: &Node) -> Option<Sym> {
        let name = self.word(node)?;
        if name == "present" {
            let message = "`present` is a word of the language: a host cannot call a field so";
            self.error_help(Code::ReservedName, node.span, message, "choose another name");
            return None;
        }
        if let Some(at) = name.find(|c: char| c == '.' || c.is_whitespace() || c.is_control()) {
            let message = format!("{} cannot name a field for the host", quoted(name));
            let end = at + name[at..].chars().next().map_or(1, char::len_utf8);
            self.error_help(Code::BadName, self.inside(node, at, end), message, "leave out dots and white space");
            return None;
        }
        Some(self.intern(name))
    }

    /// Named fields with their types; the defaults come back unread.
    pub fn fields<'n>(
        &self,
        node: &'n Node,
        beside: Beside,
        case: Case,
        what: &str,
    ) -> Vec<(NamedType, Option<&'n Node>)> {
        let Some(table) = self.table(node, &format!("{what}s")) else { return Vec::new() };
        let mut fields: Vec<(NamedType, Option<&'n Node>)> = Vec::new();
        let mut called: BTreeMap<Sym, Span> = BTreeMap::new();
        for entry in table {
            let good = match what {
                PAYLOAD_FIELD => self.check_name(what, &entry.key, entry.key_span),
                _ => self.check_inside(what, &entry.key, entry.key_span),
            };
            let typed = self.typed(&entry.key, entry, beside, what);
            let name = self.intern(&entry.key);
            let ty = if good { typed.ty } else { POISON };
            let optional = typed.optional;
            let said = typed.wire.and_then(|node| self.wire(node));
            let wire = said.unwrap_or_else(|| match case {
                Case::AsNamed => name,
                Case::Camel => self.intern(&camel(&entry.key)),
            });
            let place = typed.wire.map_or(entry.key_span, |node| node.span);
            if let Some(first) = called.insert(wire, place) {
                let message = format!("the host calls two fields {}", quoted(&self.text_of(wire)));
                let found = Diagnostic::error(Code::DuplicateName, place, message).also(first, "the other one");
                self.out.push(found.help("give one of them another `wire`"));
            }
            fields.push((
                NamedType { name, wire, ty, optional, default: None, doc: typed.doc, span: entry.key_span },
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
                // A default that is none is not held against those that leave the value out.
                field.optional |= default.is_some() && field.default.is_none();
                field
            })
            .collect()
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
            Type::Document { contract: None } => "a document".to_owned(),
            Type::Document { contract: Some(at) } => {
                let name = self.contracts.get(*at).map_or("", |contract| names.text(contract.name));
                format!("a document that is held to {}", quoted(name))
            }
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
            // What is held to a contract is a document like any other.
            (Type::Document { .. }, Type::Document { contract: None }) => true,
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
    !ty.is_collection() && !matches!(ty, Type::Record(_) | Type::Narrative | Type::Document { .. })
}
