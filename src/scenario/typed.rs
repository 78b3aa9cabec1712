//! Values of a scenario, read by the types of the pack, with the place of what does not fit.

use serde_json::{Map, Value as Json};

use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean, listed, quoted, suggest};
use crate::model::Pack;
use crate::model::json::{DataError, Misfit, Naming, describe, from_json, parse_text};
use crate::model::period::Period;
use crate::model::schema::{NamedType, Type};
use crate::model::value::Value;
use crate::source::Span;
use crate::syntax::{Field, Kind, Node};

use super::script::unknown;

/// Reads a node as a value of a type; all that does not fit is reported, each at its place.
pub fn value(pack: &Pack, naming: Naming, ty: &Type, node: &Node, out: &Diagnostics) -> Option<Value> {
    let before = out.len();
    fits(pack, naming, ty, node, out);
    if out.len() > before {
        return None;
    }
    match from_json(pack, naming, ty, &json(pack, naming, Some(ty), node)) {
        Ok(value) => Some(value),
        Err(error) => {
            report(node, &error, out);
            None
        }
    }
}

/// Reports what in a node does not fit a type: words that are no value, names that are not declared, other types. How much a
/// collection holds and whether a record is whole is left to the reading.
pub fn fits(pack: &Pack, naming: Naming, ty: &Type, node: &Node, out: &Diagnostics) {
    match (ty, &node.kind) {
        (_, Kind::Null) => {} // the parser has said so already
        (Type::Enum(_) | Type::Key(_), Kind::Text(text)) => {
            if parse_text(pack, ty, text).is_none() {
                no_value(pack, ty, text, node.span, out);
            }
        }
        (Type::Period, Kind::Text(text)) if Period::is_name(text) => {
            if parse_text(pack, ty, text).is_none() {
                let known = pack.relative.iter().map(|period| pack.names.text(period.name));
                let help = match suggest(text, known) {
                    Some(like) => did_you_mean(text, like),
                    None => {
                        "write a period such as 2020-03 or 2020-03-01/2020-03-15, or the name of a relative one".into()
                    }
                };
                let message = format!("{} is no period", quoted(text));
                out.push(Diagnostic::error(Code::UnknownName, node.span, message).help(help));
            }
        }
        (Type::Record(id), Kind::Table(_)) => {
            let record = &pack.records[id.index()];
            let what = format!("field of record `{}`", pack.names.text(record.name));
            named_fit(pack, naming, &what, &record.fields, record.open, node, out);
        }
        (Type::List { of, .. } | Type::Set { of, .. }, Kind::List(items)) => {
            items.iter().for_each(|item| fits(pack, naming, of, item, out));
        }
        (Type::Map { key, of, .. }, Kind::Table(table)) => {
            for entry in table {
                if parse_text(pack, key, &entry.key).is_none() {
                    no_value(pack, key, &entry.key, entry.key_span, out);
                }
                fits(pack, naming, of, &entry.value, out);
            }
        }
        _ => {
            if let Err(error) = from_json(pack, naming, ty, &json(pack, naming, Some(ty), node)) {
                report(node, &DataError { path: String::new(), ..error }, out);
            }
        }
    }
}

/// Reports what in a table of declared names does not fit them.
pub fn named_fit(
    pack: &Pack,
    naming: Naming,
    what: &str,
    fields: &[NamedType],
    open: bool,
    node: &Node,
    out: &Diagnostics,
) {
    let Kind::Table(table) = &node.kind else {
        let _: Option<()> = Field::new(node, out).wrong_type("a table");
        return;
    };
    for entry in table {
        let other = fields.iter().find(|field| naming.other().of(pack, field) == entry.key);
        match (named(pack, naming, fields, &entry.key), other) {
            (Some(ty), _) => fits(pack, naming, ty, &entry.value, out),
            (None, Some(field)) => otherwise(what, &entry.key, entry.key_span, naming.of(pack, field), out),
            (None, None) if open => {}
            (None, None) => {
                let names = fields.iter().map(|field| naming.of(pack, field));
                unknown(what, &entry.key, entry.key_span, names, out);
            }
        }
    }
}

/// Reports a name under which a field is known elsewhere, but not here.
pub fn otherwise(what: &str, name: &str, span: Span, here: &str, out: &Diagnostics) {
    let found = Diagnostic::error(Code::UnknownName, span, format!("{} is no {what}", quoted(name)));
    out.push(found.help(did_you_mean(name, here)));
}

/// Reports a word that is no value of an enum or of a table.
fn no_value(pack: &Pack, ty: &Type, text: &str, span: Span, out: &Diagnostics) {
    let (what, known): (String, Vec<&str>) = match ty {
        Type::Enum(id) => {
            let known = &pack.enums[id.index()];
            let values = known.values.iter().map(|value| pack.names.text(*value)).collect();
            (format!("value of `{}`", pack.names.text(known.name)), values)
        }
        Type::Key(id) => {
            let known = &pack.tables[id.index()];
            let rows = known.rows.iter().map(|row| pack.names.text(row.key)).collect();
            (format!("row of table `{}`", pack.names.text(known.name)), rows)
        }
        _ => (describe(pack, ty), Vec::new()),
    };
    let help = match suggest(text, known.iter().copied()) {
        Some(like) => did_you_mean(text, like),
        None if known.is_empty() => format!("write {what}"),
        None => format!("known are {}", listed(&known)),
    };
    out.push(Diagnostic::error(Code::UnknownValue, span, format!("{} is no {what}", quoted(text))).help(help));
}

/// Reports host data that does not fit at the place its path leads to.
pub fn report(node: &Node, error: &DataError, out: &Diagnostics) {
    let place = node.at(&error.path);
    if place.kind == Kind::Null {
        return; // the parser has said so already
    }
    let (message, path) = (&error.message, quoted(&error.path));
    let place_of = |code, message: String| Diagnostic::error(code, place.span, message);
    let found = match &error.kind {
        Misfit::Type(expected) => {
            let help = match &place.kind {
                Kind::Number(text) | Kind::Date(text) if expected.contains("text") => format!("quote it: \"{text}\""),
                _ => format!("write {expected}"),
            };
            place_of(Code::WrongType, message.clone()).help(help)
        }
        Misfit::NoValue(expected) => place_of(Code::BadValue, message.clone()).help(format!("write {expected}")),
        Misfit::Missing => place_of(Code::MissingKey, format!("{path} {message}")).help(format!("add {path}")),
        Misfit::Refused => {
            let what = if error.path.is_empty() { "the value".to_owned() } else { path };
            place_of(Code::BadValue, format!("{what} {message}")).help("give a value that its declaration allows")
        }
    };
    out.push(found);
}

/// A node as JSON: numbers and dates keep their source text where a type that is written as text is due.
pub fn json(pack: &Pack, naming: Naming, ty: Option<&Type>, node: &Node) -> Json {
    match &node.kind {
        Kind::Null => Json::Null,
        Kind::Bool(flag) => Json::Bool(*flag),
        Kind::Number(text) => match ty {
            Some(Type::Period) => Json::from(text.as_str()),
            _ => number(node, text),
        },
        Kind::Date(text) | Kind::Text(text) => Json::from(text.as_str()),
        Kind::List(items) => {
            let of = ty.and_then(Type::item);
            Json::Array(items.iter().map(|item| json(pack, naming, of, item)).collect())
        }
        Kind::Table(table) => {
            let mut object = Map::new();
            for entry in table {
                let of = match ty {
                    Some(Type::Record(id)) => named(pack, naming, &pack.records[id.index()].fields, &entry.key),
                    Some(Type::Map { of, .. }) => Some(&**of),
                    _ => None,
                };
                object.insert(entry.key.to_string(), json(pack, naming, of, &entry.value));
            }
            Json::Object(object)
        }
    }
}

/// A table as JSON whose entries have the types of `fields`.
pub fn fields_json(pack: &Pack, naming: Naming, fields: &[NamedType], node: &Node) -> Json {
    let Kind::Table(table) = &node.kind else { return json(pack, naming, None, node) };
    let entries = table
        .iter()
        .map(|entry| (entry.key.to_string(), json(pack, naming, named(pack, naming, fields, &entry.key), &entry.value)))
        .collect();
    Json::Object(entries)
}

fn named<'p>(pack: &Pack, naming: Naming, fields: &'p [NamedType], name: &str) -> Option<&'p Type> {
    fields.iter().find(|field| naming.of(pack, field) == name).map(|field| &field.ty)
}

fn number(node: &Node, text: &str) -> Json {
    let quiet = Diagnostics::new();
    let field = Field::new(node, &quiet);
    if let Some(whole) = field.int() {
        return Json::from(whole);
    }
    match field.decimal().map(|exact| exact.to_string()) {
        Some(exact) => serde_json::from_str(&exact).unwrap_or_else(|_| Json::from(text)),
        // What is no exact number stays text, which no numeric type takes.
        None => Json::from(text),
    }
}
