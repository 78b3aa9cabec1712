//! Documents that stand for others: as small as the contract that they are held to admits, as far as its plain words say.

use serde_json::{Map, Value as Json, json};

use crate::model::Pack;
use crate::model::value::Value;

/// How deep a schema is followed.
const DEEPEST: usize = 16;
/// The most items and characters that are made because a schema asks for so many.
const MOST: u64 = 64;

/// A document.
pub(super) fn document(pack: &Pack, contract: Option<usize>, number: usize) -> Value {
    let json = match contract {
        Some(at) => example(pack, at, &pack.contracts[at].schema, 0),
        None => json!({ "document": number }),
    };
    Value::Document(json.to_string().into())
}

fn example(pack: &Pack, at: usize, schema: &Json, depth: usize) -> Json {
    let Some(words) = schema.as_object().filter(|_| depth < DEEPEST) else { return json!({}) };
    let first = |key: &str| words.get(key).and_then(|all| all.get(0));
    if let Some(given) =
        [words.get("const"), words.get("default"), first("enum"), first("examples")].into_iter().flatten().next()
    {
        return given.clone();
    }
    if let Some(Json::String(to)) = words.get("$ref") {
        return referred(pack, at, to).map_or_else(|| json!({}), |(at, schema)| example(pack, at, schema, depth + 1));
    }
    if let Some(one) = ["allOf", "anyOf", "oneOf"].into_iter().find_map(first) {
        return example(pack, at, one, depth + 1);
    }
    let least = |key: &str| words.get(key).and_then(Json::as_u64).unwrap_or(0).min(MOST) as usize;
    let ty = words.get("type").map(|ty| ty.get(0).unwrap_or(ty)).and_then(Json::as_str);
    match ty {
        Some("string") => "x".repeat(least("minLength")).into(),
        Some("integer" | "number") => words.get("minimum").cloned().unwrap_or_else(|| json!(0)),
        Some("boolean") => json!(false),
        Some("array") => {
            let item = words.get("items").map_or_else(|| json!({}), |items| example(pack, at, items, depth + 1));
            vec![item; least("minItems")].into()
        }
        _ => {
            let mut object = Map::new();
            for name in words.get("required").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str) {
                let inner = words.get("properties").and_then(|all| all.get(name));
                object.insert(
                    name.to_owned(),
                    inner.map_or_else(|| json!({}), |inner| example(pack, at, inner, depth + 1)),
                );
            }
            object.into()
        }
    }
}

/// Where a reference leads: the contract, and the schema in it.
fn referred<'p>(pack: &'p Pack, at: usize, to: &str) -> Option<(usize, &'p Json)> {
    let (file, pointer) = to.split_once('#').unwrap_or((to, ""));
    let name = file.strip_prefix("./").unwrap_or(file).trim_end_matches(".json");
    let named = || pack.contracts.iter().position(|of| pack.names.text(of.name) == name);
    let at = if file.is_empty() { at } else { named()? };
    pack.contracts[at].schema.pointer(pointer).map(|schema| (at, schema))
}
