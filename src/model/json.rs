//! Values as JSON: how they pass between pack and host, where fields bear their wire names, and how they are saved, by their
//! own names. Reading is by type and loses nothing: what does not fit is an error that says where and why.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use rust_decimal::Decimal;
use serde_json::{Map, Value as Json};

use super::Pack;
use super::names::{Names, Sym};
use super::period::{self, Period};
use super::schema::{NamedType, Type};
use super::value::{RecordValue, Value};

/// How deep a document, and the keys that an open record does not know, may nest: what is kept must be read back from a saved session.
const DEEPEST: usize = 64;

/// Host data that does not fit its declared type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", place(path))]
pub struct DataError {
    /// Where: a dotted path from the value that was read.
    pub path: String,
    /// What is wrong, and what would be right.
    pub message: String,
    /// What kind of error it is.
    pub kind: Misfit,
}

/// A path before what is said of it; all of a value has none.
fn place(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("`{path}`: ") }
}

/// How host data does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Misfit {
    /// It is of another type than the one in these words.
    Type(String),
    /// It is written like a value of the type in these words, and there is no such value.
    NoValue(String),
    /// It is not there, or null, and it is mandatory.
    Missing,
    /// The declarations refuse it otherwise: the message says why.
    Refused,
}

impl DataError {
    /// An error at `path` that the declarations give.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), kind: Misfit::Refused }
    }

    /// What is mandatory is not there.
    pub fn missing(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind: Misfit::Missing, ..Self::new(path, message) }
    }

    /// The same error in what stands under a name.
    #[must_use]
    pub fn under(self, name: &str) -> Self {
        let path = if self.path.is_empty() { name.to_owned() } else { format!("{name}.{}", self.path) };
        Self { path, ..self }
    }

    /// Something else than what is expected.
    pub fn wrong_type(path: impl Into<String>, expected: String, found: impl fmt::Display) -> Self {
        let message = format!("expected {expected}, found {found}");
        Self { kind: Misfit::Type(expected), ..Self::new(path, message) }
    }

    /// A text that is no value of its type; `why` says what is impossible in it, where it has the right form.
    fn no_value(at: &str, pack: &Pack, ty: &Type, text: &str) -> Self {
        let (expected, why) = (describe(pack, ty), impossible(ty, text));
        match why {
            Some(why) => {
                let message = format!("`{text}` is not possible: {why}");
                Self { kind: Misfit::NoValue(expected), ..Self::new(at, message) }
            }
            None => Self::wrong_type(at, expected, shown(&Json::from(text))),
        }
    }
}

/// What is impossible in a text that has the form of a period or an instant.
#[must_use]
pub fn impossible(ty: &Type, text: &str) -> Option<String> {
    match ty {
        Type::Period => period::impossible(text),
        Type::Instant => period::impossible_instant(text),
        _ => None,
    }
}

/// Which names fields of records bear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// Their own: in a state, and wherever a pack speaks.
    Own,
    /// Their wire names: in what passes between pack and host.
    Wire,
}

impl Naming {
    /// The name of a field.
    #[must_use]
    pub fn of<'p>(self, pack: &'p Pack, field: &NamedType) -> &'p str {
        pack.names.text(match self {
            Naming::Own => field.name,
            Naming::Wire => field.wire,
        })
    }

    /// The other one: how a field is called elsewhere.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Naming::Own => Naming::Wire,
            Naming::Wire => Naming::Own,
        }
    }
}

/// A value of a type as it passes to the host.
#[must_use]
pub fn to_wire(pack: &Pack, ty: &Type, value: &Value) -> Json {
    match (ty, value) {
        (Type::Record(id), Value::Record(record)) => {
            let mut object = named_to_wire(pack, &pack.records[id.index()].fields, &record.fields);
            extra_to_json(record, &mut object);
            Json::Object(object)
        }
        (Type::List { of, .. } | Type::Set { of, .. }, Value::List(items)) => {
            Json::Array(items.iter().map(|item| to_wire(pack, of, item)).collect())
        }
        (Type::Map { of, .. }, Value::Map(entries)) => {
            let text = |key| scalar_text(&pack.names, key).into_owned();
            Json::Object(entries.iter().map(|(key, value)| (text(key), to_wire(pack, of, value))).collect())
        }
        _ => to_json(&pack.names, value),
    }
}

/// Named values as they pass to the host; a name that is not declared is that of a constant, and stands as it is.
#[must_use]
pub fn named_to_wire(pack: &Pack, declared: &[NamedType], values: &[(Sym, Value)]) -> Map<String, Json> {
    let wire = |(name, value): &(Sym, Value)| match declared.iter().find(|field| field.name == *name) {
        Some(field) => (pack.names.text(field.wire).to_owned(), to_wire(pack, &field.ty, value)),
        None => (pack.names.text(*name).to_owned(), to_json(&pack.names, value)),
    };
    values.iter().map(wire).collect()
}

fn extra_to_json(record: &RecordValue, object: &mut Map<String, Json>) {
    for (name, text) in &record.extra {
        object.insert(name.to_string(), document(text));
    }
}

/// What was kept as JSON text.
pub(crate) fn document(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or(Json::Null)
}

/// A value as JSON, fields by their own names; `Absent` is null, which saved data never holds.
#[must_use]
pub fn to_json(names: &Names, value: &Value) -> Json {
    match value {
        Value::Absent => Json::Null,
        Value::Bool(flag) => Json::Bool(*flag),
        Value::Int(number) => Json::from(*number),
        Value::Decimal(number) => serde_json::from_str(&number.to_string()).unwrap_or(Json::Null),
        Value::Sym(sym) => Json::from(names.text(*sym)),
        Value::Text(text) => Json::from(text.as_str()),
        Value::Instant(text) => Json::from(&**text),
        Value::Period(period) => Json::from(period.display(names).to_string()),
        Value::Document(text) => document(text),
        Value::List(items) => Json::Array(items.iter().map(|item| to_json(names, item)).collect()),
        Value::Record(record) => {
            let mut object = Map::new();
            for (name, value) in &record.fields {
                object.insert(names.text(*name).to_owned(), to_json(names, value));
            }
            extra_to_json(record, &mut object);
            Json::Object(object)
        }
        Value::Map(entries) => Json::Object(
            entries.iter().map(|(key, value)| (scalar_text(names, key).into_owned(), to_json(names, value))).collect(),
        ),
    }
}

/// A scalar as the text that people and templates see; a collection as its JSON.
#[must_use]
pub fn scalar_text<'v>(names: &'v Names, value: &'v Value) -> Cow<'v, str> {
    match value {
        Value::Sym(sym) => names.text(*sym).into(),
        Value::Text(text) => text.as_str().into(),
        Value::Instant(text) => (&**text).into(),
        Value::Int(number) => number.to_string().into(),
        Value::Decimal(number) => number.to_string().into(),
        Value::Bool(flag) => flag.to_string().into(),
        Value::Period(period) => period.display(names).to_string().into(),
        Value::Absent => "".into(),
        Value::Document(text) => (&**text).into(),
        Value::List(_) | Value::Record(_) | Value::Map(_) => to_json(names, value).to_string().into(),
    }
}

/// Reads JSON as a value of a type. A null is no value of any type; in a record it is a field that is left out.
///
/// # Errors
/// A [`DataError`] at the first place that does not fit.
pub fn from_json(pack: &Pack, naming: Naming, ty: &Type, json: &Json) -> Result<Value, DataError> {
    Reading { pack, naming }.read(ty, json, "")
}

/// Reads what a host gives as named fields: unknown keys, missing mandatory fields and wrong types are errors; a field with a
/// default that is left out gets it. A null is a field that is left out. With `open`, unknown keys are kept.
///
/// # Errors
/// A [`DataError`] at the first place that does not fit.
pub fn fields_from_wire(pack: &Pack, fields: &[NamedType], open: bool, json: &Json) -> Result<RecordValue, DataError> {
    Reading { pack, naming: Naming::Wire }.record(fields, open, json, "")
}

/// By which names JSON is read.
struct Reading<'p> {
    pack: &'p Pack,
    naming: Naming,
}

impl Reading<'_> {
    fn read(&self, ty: &Type, json: &Json, at: &str) -> Result<Value, DataError> {
        let pack = self.pack;
        let wrong = || DataError::wrong_type(at, describe(pack, ty), shown(json));
        match ty {
            Type::Bool => json.as_bool().map(Value::Bool).ok_or_else(wrong),
            Type::Int => json.as_i64().map(Value::Int).ok_or_else(wrong),
            Type::Decimal => match json {
                Json::Number(number) => exact_decimal(&number.to_string()).map(Value::Decimal).ok_or_else(wrong),
                _ => Err(wrong()),
            },
            Type::Text | Type::Narrative | Type::Id => json.as_str().map(Value::text).ok_or_else(wrong),
            Type::Instant => {
                let text = json.as_str().ok_or_else(wrong)?;
                parse_text(pack, ty, text).ok_or_else(|| DataError::no_value(at, pack, ty, text))
            }
            Type::Period | Type::Enum(_) | Type::Key(_) => {
                let text = json.as_str().ok_or_else(wrong)?;
                parse_text(pack, ty, text).ok_or_else(|| DataError::no_value(at, pack, ty, text))
            }
            Type::Document { .. } => match json {
                Json::Null => Err(wrong()),
                json => Ok(Value::Document(kept(json, at)?)),
            },
            Type::Record(id) => {
                let declared = &pack.records[id.index()];
                Ok(Value::Record(Arc::new(self.record(&declared.fields, declared.open, json, at)?)))
            }
            Type::List { of, max, unique, .. } => {
                let items = self.items(of, json, at, &wrong)?;
                bounded(items.len(), *max, at)?;
                if let Some((field, value)) = unique.and_then(|field| Some((field, twice(field, &items)?))) {
                    let (field, value) = (self.called(of, field), scalar_text(&pack.names, value));
                    return Err(DataError::new(
                        at,
                        format!("two items bear the {field} `{value}`; each is there once"),
                    ));
                }
                Ok(Value::List(items.into()))
            }
            Type::Set { of, max } => {
                let items = self.items(of, json, at, &wrong)?;
                let set = set_of(items);
                bounded(set.len(), *max, at)?;
                Ok(Value::List(set.into()))
            }
            Type::Map { key, of, max } => {
                let object = json.as_object().ok_or_else(wrong)?;
                let mut entries = Vec::with_capacity(object.len());
                for (name, value) in object {
                    let inner = join(at, name);
                    let key = parse_text(pack, key, name).ok_or_else(|| {
                        DataError::new(&inner, format!("expected {} as the key", describe(pack, key)))
                    })?;
                    entries.push((key, self.read(of, value, &inner)?));
                }
                entries.sort();
                bounded(entries.len(), *max, at)?;
                Ok(Value::Map(entries.into()))
            }
        }
    }

    /// How a field of records is called.
    fn called(&self, of: &Type, field: Sym) -> &str {
        let fields = match of {
            Type::Record(id) => self.pack.records[id.index()].fields.as_slice(),
            _ => &[],
        };
        let found = fields.iter().find(|known| known.name == field);
        found.map_or_else(|| self.pack.names.text(field), |found| self.naming.of(self.pack, found))
    }

    fn items(&self, of: &Type, json: &Json, at: &str, wrong: &dyn Fn() -> DataError) -> Result<Vec<Value>, DataError> {
        let list = json.as_array().ok_or_else(wrong)?;
        list.iter().enumerate().map(|(index, item)| self.read(of, item, &join(at, &index.to_string()))).collect()
    }

    fn record(&self, fields: &[NamedType], open: bool, json: &Json, at: &str) -> Result<RecordValue, DataError> {
        let object = json.as_object().ok_or_else(|| DataError::wrong_type(at, "a record".to_owned(), shown(json)))?;
        let (pack, naming) = (self.pack, self.naming);
        let meant =
            |name: &str, meant| DataError::new(join(at, name), format!("is not declared; did you mean `{meant}`?"));
        let mut value = RecordValue::default();
        for field in fields {
            let name = naming.of(pack, field);
            match object.get(name).filter(|json| !json.is_null()) {
                Some(json) => value.fields.push((field.name, self.read(&field.ty, json, &join(at, name))?)),
                None => match &field.default {
                    Some(default) => value.fields.push((field.name, default.clone())),
                    None if field.optional => {}
                    None if field.name != field.wire && object.contains_key(naming.other().of(pack, field)) => {
                        return Err(meant(naming.other().of(pack, field), name));
                    }
                    None if object.contains_key(name) => {
                        return Err(DataError::missing(join(at, name), "is null, and it is mandatory"));
                    }
                    None => return Err(DataError::missing(join(at, name), "is missing")),
                },
            }
        }
        for (name, json) in object {
            if fields.iter().any(|field| naming.of(pack, field) == name) {
                continue;
            }
            if let Some(field) = fields.iter().find(|field| naming.other().of(pack, field) == name) {
                return Err(meant(name, naming.of(pack, field)));
            }
            if !open {
                let known: Vec<&str> = fields.iter().map(|field| naming.of(pack, field)).collect();
                return Err(DataError::new(
                    join(at, name),
                    format!("is not declared; known are: {}", known.join(", ")),
                ));
            }
            value.extra.push((name.as_str().into(), kept(json, &join(at, name))?));
        }
        Ok(value)
    }
}

/// What nothing looks into, as the text that is kept of it.
fn kept(json: &Json, at: &str) -> Result<Arc<str>, DataError> {
    match deeper(json, DEEPEST) {
        true => Err(DataError::new(at, format!("is nested more than {DEEPEST} deep"))),
        false => Ok(json.to_string().into()),
    }
}

/// Whether lists and objects stand in each other more than so many deep.
fn deeper(json: &Json, most: usize) -> bool {
    let Some(rest) = most.checked_sub(1) else { return json.is_array() || json.is_object() };
    match json {
        Json::Array(items) => items.iter().any(|item| deeper(item, rest)),
        Json::Object(fields) => fields.values().any(|field| deeper(field, rest)),
        _ => false,
    }
}

/// Reads a text as a scalar of a type: how map keys, enum values, periods and recognised words become values.
#[must_use]
pub fn parse_text(pack: &Pack, ty: &Type, text: &str) -> Option<Value> {
    match ty {
        Type::Text | Type::Narrative | Type::Id => Some(Value::text(text)),
        Type::Enum(id) => {
            let sym = pack.names.get(text)?;
            pack.enums[id.index()].values.contains(&sym).then_some(Value::Sym(sym))
        }
        Type::Key(id) => {
            let sym = pack.names.get(text)?;
            pack.tables[id.index()].row(sym).is_some().then_some(Value::Sym(sym))
        }
        Type::Period => Period::parse(text, &pack.names, &pack.relative).map(Value::Period),
        Type::Int => text.parse().ok().map(Value::Int),
        Type::Decimal => exact_decimal(text).map(Value::Decimal),
        Type::Bool => text.parse().ok().map(Value::Bool),
        Type::Instant => jiff::Timestamp::from_str(text).ok().map(|_| Value::Instant(text.into())),
        Type::Document { .. } | Type::Record(_) | Type::List { .. } | Type::Set { .. } | Type::Map { .. } => None,
    }
}

/// A decimal from its text, digit for digit; `None` when it has more digits than can be held exactly.
#[must_use]
pub fn exact_decimal(text: &str) -> Option<Decimal> {
    match Decimal::from_str_exact(text) {
        Ok(number) => Some(number.normalize()),
        Err(_) => Decimal::from_scientific(text).ok().map(|number| number.normalize()),
    }
}

/// The value that two of these records bear in a field, where it is one that may stand once.
#[must_use]
pub fn twice(field: Sym, items: &[Value]) -> Option<&Value> {
    let mut borne: Vec<&Value> = items
        .iter()
        .filter_map(|item| match item {
            Value::Record(record) => Some(record.field(field)).filter(|value| value.is_present()),
            _ => None,
        })
        .collect();
    borne.sort();
    borne.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// The items of a set: sorted, each once.
#[must_use]
pub fn set_of(mut items: Vec<Value>) -> Vec<Value> {
    items.sort();
    items.dedup();
    items
}

/// A type in words, for messages: `one of full, partial, blocked`.
#[must_use]
pub fn describe(pack: &Pack, ty: &Type) -> String {
    let named = |syms: &mut dyn Iterator<Item = Sym>| {
        let all: Vec<&str> = syms.map(|sym| pack.names.text(sym)).collect();
        if all.len() > 12 { format!("{}, …", all[..12].join(", ")) } else { all.join(", ") }
    };
    match ty {
        Type::Bool => "true or false".into(),
        Type::Int => "a whole number".into(),
        Type::Decimal => "a number".into(),
        Type::Text | Type::Narrative => "a text".into(),
        Type::Id => "an id (a text)".into(),
        Type::Period => "a period such as 2020-03 or 2020-03-01/2020-03-15".into(),
        Type::Instant => "an instant such as 2020-03-01T12:00:00Z".into(),
        Type::Document { .. } => "a document (any JSON but null)".into(),
        Type::Enum(id) => format!("one of {}", named(&mut pack.enums[id.index()].values.iter().copied())),
        Type::Key(id) => {
            let table = &pack.tables[id.index()];
            format!(
                "a key of table `{}` ({})",
                pack.names.text(table.name),
                named(&mut table.rows.iter().map(|row| row.key))
            )
        }
        Type::Record(id) => format!("a record `{}`", pack.names.text(pack.records[id.index()].name)),
        Type::List { .. } => "a list".into(),
        Type::Set { .. } => "a list without repetition".into(),
        Type::Map { .. } => "a map".into(),
    }
}

fn bounded(len: usize, max: u32, at: &str) -> Result<(), DataError> {
    if len > max as usize {
        return Err(DataError::new(at, format!("holds {len} entries, at most {max} are allowed")));
    }
    Ok(())
}

fn shown(json: &Json) -> impl fmt::Display {
    let text = json.to_string();
    match text.char_indices().nth(60) {
        Some((cut, _)) => format!("`{}…`", &text[..cut]),
        None => format!("`{text}`"),
    }
}

fn join(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::declare::testing::files;
    use crate::declare::{Options, declare};

    /// The record `Line` of the small pack: an id, a number with a default, an optional text.
    fn line(json: &Json) -> Result<String, String> {
        let pack = declare(&files(), &Options::default()).pack.expect("a pack");
        let at = pack.records.iter().position(|record| pack.names.text(record.name) == "Line").expect("a record");
        let ty = Type::Record(super::super::ids::RecordId::at(at));
        let value = from_json(&pack, Naming::Own, &ty, json).map_err(|error| error.to_string())?;
        Ok(to_json(&pack.names, &value).to_string())
    }

    #[test]
    fn a_null_is_a_field_that_is_left_out() {
        let whole = json!({ "sku": "a", "count": null, "note": null });
        assert_eq!(line(&whole), Ok(r#"{"sku":"a","count":0}"#.into()));
        assert_eq!(line(&whole), line(&json!({ "sku": "a" })));
        assert_eq!(line(&json!({ "sku": null })), Err("`sku`: is null, and it is mandatory".into()));
        assert_eq!(line(&json!({})), Err("`sku`: is missing".into()));
        assert_eq!(
            line(&json!({ "sku": "a", "size": null })),
            Err("`size`: is not declared; known are: sku, count, note".into())
        );
        assert_eq!(line(&Json::Null), Err("expected a record, found `null`".into()));
    }

    #[test]
    fn an_item_is_never_null() {
        let pack = declare(&files(), &Options::default()).pack.expect("a pack");
        let slot = |name: &str| {
            let slot = pack.field(pack.frame("root").expect("a frame"), name).expect("a field");
            &pack.slots[slot.index()].ty
        };
        let error =
            |name: &str, json: Json| from_json(&pack, Naming::Own, slot(name), &json).expect_err(name).to_string();
        assert_eq!(error("lines", json!([null])), "`0`: expected a record, found `null`");
        assert_eq!(error("counts", json!({ "north": null })), "`north`: expected a whole number, found `null`");
        assert_eq!(error("asked", Json::Null), "expected a whole number, found `null`");
    }

    #[test]
    fn an_open_record_keeps_a_null_that_it_does_not_know() {
        let mut files = files();
        files[0].text = files[0].text.replace("[type.Line]", "[type.Line]\nopen = true").into();
        let pack = declare(&files, &Options::default()).pack.expect("a pack");
        let value = fields_from_wire(&pack, &pack.records[0].fields, true, &json!({ "sku": "a", "x": null }))
            .expect("a record");
        assert_eq!(value.extra, [("x".into(), "null".into())]);
    }
}
