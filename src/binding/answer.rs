//! The JSON Schema of a port's answer, in the subset that endpoints with structured output take.

use serde_json::{Map, Value as Json, json};

use crate::model::Pack;
use crate::model::ids::PortId;
use crate::model::schema::{NamedType, Type};

/// A schema, and whether it keeps to the strict subset: every object closed and every field of it there.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerSchema {
    /// The schema.
    pub schema: Json,
    /// Whether it is strict.
    pub strict: bool,
}

/// The schema of the answers of a port: its contract, where it is held to one.
#[must_use]
pub fn of_port(pack: &Pack, port: PortId) -> AnswerSchema {
    let declared = &pack.ports[port.index()];
    match declared.contract.response {
        Some(contract) => AnswerSchema { schema: bundled(pack, contract), strict: false },
        None => schema(pack, &declared.answer(pack)),
    }
}

/// A contract with those that it refers to, in one schema.
fn bundled(pack: &Pack, contract: usize) -> Json {
    let mut schema = (*pack.contracts[contract].schema).clone();
    let mut others = Vec::new();
    embed(pack, &mut schema, None, &mut others);
    let mut defs = Map::new();
    let mut next = 0;
    while let Some(at) = others.get(next).copied() {
        next += 1;
        let name = pack.names.text(pack.contracts[at].name);
        let mut other = (*pack.contracts[at].schema).clone();
        embed(pack, &mut other, Some(name), &mut others);
        defs.insert(embedded(name), other);
    }
    if let (false, Json::Object(schema)) = (defs.is_empty(), &mut schema) {
        match schema.entry("$defs").or_insert_with(|| json!({})) {
            Json::Object(own) => own.extend(defs),
            own => *own = Json::Object(defs),
        }
    }
    schema
}

/// How a contract is called among the definitions of another one.
fn embedded(name: &str) -> String {
    format!("{name}.json")
}

/// Lets references lead to where things stand in the one schema. `own`: the contract, where it is not the one that holds the others.
fn embed(pack: &Pack, schema: &mut Json, own: Option<&str>, others: &mut Vec<usize>) {
    match schema {
        Json::Array(items) => items.iter_mut().for_each(|item| embed(pack, item, own, others)),
        Json::Object(fields) => {
            fields.retain(|key, value| !matches!(key.as_str(), "$schema" | "$id") || !value.is_string());
            for (key, value) in fields {
                let Json::String(to) = &*value else {
                    embed(pack, value, own, others);
                    continue;
                };
                if key != "$ref" {
                    continue;
                }
                let (file, pointer) = to.split_once('#').unwrap_or((to, ""));
                let name = file.strip_prefix("./").unwrap_or(file).trim_end_matches(".json");
                let of = if file.is_empty() { own } else { Some(name) };
                let Some(of) = of else { continue };
                let at = pack.contracts.iter().position(|contract| pack.names.text(contract.name) == of);
                others.extend(at.filter(|at| !others.contains(at)));
                let way = embedded(of).replace('~', "~0").replace('/', "~1");
                *value = format!("#/$defs/{way}{pointer}").into();
            }
        }
        _ => {}
    }
}

/// The schema of an answer with these fields, by their wire names. A field that may be absent is null.
#[must_use]
pub fn schema(pack: &Pack, fields: &[NamedType]) -> AnswerSchema {
    let mut strict = true;
    let schema = object(pack, fields, false, &mut strict);
    AnswerSchema { schema, strict }
}

fn object(pack: &Pack, fields: &[NamedType], open: bool, strict: &mut bool) -> Json {
    *strict &= !open;
    let mut properties = Map::new();
    for field in fields {
        let mut ty = of(pack, &field.ty, strict);
        if field.optional || field.default.is_some() {
            ty = json!({ "anyOf": [ty, { "type": "null" }] });
        }
        if let (false, Json::Object(ty)) = (field.doc.is_empty(), &mut ty) {
            ty.insert("description".into(), field.doc.as_str().into());
        }
        properties.insert(pack.names.text(field.wire).to_owned(), ty);
    }
    let required: Vec<&str> = fields.iter().map(|field| pack.names.text(field.wire)).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": open })
}

/// Whether a schema refers to another place.
fn refers(schema: &Map<String, Json>) -> bool {
    schema.iter().any(|(key, value)| key == "$ref" || refers_in(value))
}

fn refers_in(value: &Json) -> bool {
    match value {
        Json::Object(fields) => refers(fields),
        Json::Array(items) => items.iter().any(refers_in),
        _ => false,
    }
}

fn of(pack: &Pack, ty: &Type, strict: &mut bool) -> Json {
    match ty {
        Type::Bool => json!({ "type": "boolean" }),
        Type::Int => json!({ "type": "integer" }),
        Type::Decimal => json!({ "type": "number" }),
        Type::Text | Type::Narrative | Type::Id => json!({ "type": "string" }),
        Type::Period => {
            json!({ "type": "string", "description": "a period, such as 2020-03 or 2020-03-01/2020-03-15" })
        }
        Type::Instant => json!({ "type": "string", "description": "an instant, such as 2020-03-01T12:00:00Z" }),
        Type::Document { contract } => {
            *strict = false;
            match contract.map(|at| (*pack.contracts[at].schema).clone()) {
                // What refers to elsewhere leads nowhere from here.
                Some(Json::Object(mut schema)) if !refers(&schema) => {
                    schema.retain(|key, _| !matches!(key.as_str(), "$schema" | "$id"));
                    schema.into()
                }
                _ => json!({}),
            }
        }
        Type::Enum(id) => {
            let values = pack.enums[id.index()].values.iter().map(|value| pack.names.text(*value));
            json!({ "type": "string", "enum": values.collect::<Vec<_>>() })
        }
        Type::Key(id) => {
            let keys = pack.tables[id.index()].rows.iter().map(|row| pack.names.text(row.key));
            json!({ "type": "string", "enum": keys.collect::<Vec<_>>() })
        }
        Type::Record(id) => {
            let record = &pack.records[id.index()];
            object(pack, &record.fields, record.open, strict)
        }
        Type::List { of: item, max, .. } | Type::Set { of: item, max } => {
            json!({ "type": "array", "items": of(pack, item, strict), "maxItems": max })
        }
        Type::Map { of: value, .. } => {
            *strict = false;
            json!({ "type": "object", "additionalProperties": of(pack, value, strict) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::testing::files;
    use crate::declare::{Options, declare};
    use crate::model::ids::RecordId;

    #[test]
    fn types_as_schemas() {
        let pack = declare(&files(), &Options::default()).pack.expect("a pack");
        let mut strict = true;
        let mut of = |ty: &Type| of(&pack, ty, &mut strict);
        let line = pack.records.iter().position(|record| pack.names.text(record.name) == "Line").expect("a record");
        let list = Type::List { of: Box::new(Type::Record(RecordId::at(line))), max: 3, evict: false, unique: None };
        let nullable = |ty: &str| json!({ "anyOf": [{ "type": ty }, { "type": "null" }] });
        assert_eq!(
            of(&list),
            json!({
                "type": "array",
                "maxItems": 3,
                "items": {
                    "type": "object",
                    "properties": { "sku": { "type": "string" }, "count": nullable("integer"), "note": nullable("string") },
                    "required": ["sku", "count", "note"],
                    "additionalProperties": false,
                },
            })
        );
        assert!(strict);
        let map = Type::Map { key: Box::new(Type::Text), of: Box::new(Type::Decimal), max: 3 };
        let mut strict = true;
        assert_eq!(
            super::of(&pack, &map, &mut strict),
            json!({ "type": "object", "additionalProperties": { "type": "number" } })
        );
        assert!(!strict, "keys that are not known are not strict");
    }
}
