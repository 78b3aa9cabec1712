//! Values of a scenario, read by the types of the pack, with the place of what does not fit.

use serde_json::{Map, Value as Json};

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::model::Pack;
use crate::model::json::{DataError, from_json};
use crate::model::schema::{NamedType, Type};
use crate::model::value::Value;
use crate::syntax::{Field, Kind, Node};

/// Reads a node as a value of a type; what does not fit is reported at its place.
pub fn value(pack: &Pack, ty: &Type, node: &Node, out: &Diagnostics) -> Option<Value> {
    match from_json(pack, ty, &json(pack, Some(ty), node)) {
        Ok(value) => Some(value),
        Err(error) => {
            report(node, &error, out);
            None
        }
    }
}

/// Reports host data that does not fit at the place its path leads to.
pub fn report(node: &Node, error: &DataError, out: &Diagnostics) {
    let place = node.at(&error.path);
    if place.kind == Kind::Null {
        return; // the parser has said so already
    }
    let help = match &place.kind {
        Kind::Number(text) | Kind::Date(text) if error.message.contains("text") => {
            Some(format!("quote it: \"{text}\""))
        }
        _ => None,
    };
    let (start, message) = (place.span, &error.message);
    let shown = if message.starts_with("expected") { message.clone() } else { format!("`{}` {message}", error.path) };
    out.push(Diagnostic::error(Code::BadValue, start, shown).help_opt(help));
}

/// A node as JSON: numbers and dates keep their source text where a type that is written as text is due.
pub fn json(pack: &Pack, ty: Option<&Type>, node: &Node) -> Json {
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
            Json::Array(items.iter().map(|item| json(pack, of, item)).collect())
        }
        Kind::Table(table) => {
            let mut object = Map::new();
            for entry in table {
                let of = match ty {
                    Some(Type::Record(id)) => named(pack, &pack.records[id.index()].fields, &entry.key),
                    Some(Type::Map { of, .. }) => Some(&**of),
                    _ => None,
                };
                object.insert(entry.key.clone(), json(pack, of, &entry.value));
            }
            Json::Object(object)
        }
    }
}

/// A table as JSON whose entries have the types of `fields`.
pub fn fields_json(pack: &Pack, fields: &[NamedType], node: &Node) -> Json {
    let Kind::Table(table) = &node.kind else { return json(pack, None, node) };
    let entries = table
        .iter()
        .map(|entry| (entry.key.clone(), json(pack, named(pack, fields, &entry.key), &entry.value)))
        .collect();
    Json::Object(entries)
}

fn named<'p>(pack: &Pack, fields: &'p [NamedType], name: &str) -> Option<&'p Type> {
    fields.iter().find(|field| pack.names.text(field.name) == name).map(|field| &field.ty)
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
