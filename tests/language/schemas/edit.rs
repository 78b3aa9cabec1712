//! Places in documents, and documents with one of them changed.

use serde_json::Value as Json;

/// The pointers to all values of a document, itself first.
pub fn places(document: &Json) -> Vec<String> {
    fn walk(value: &Json, at: &str, into: &mut Vec<String>) {
        into.push(at.to_owned());
        match value {
            Json::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    walk(item, &format!("{at}/{index}"), into);
                }
            }
            Json::Object(members) => {
                for (key, member) in members {
                    walk(member, &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), into);
                }
            }
            _ => {}
        }
    }
    let mut all = Vec::new();
    walk(document, "", &mut all);
    all
}

/// The document with the table at a place written with dots in the table around it, as YAML may have it; none where it is empty or has
/// keys that would be read otherwise.
pub fn dotted(document: &Json, pointer: &str) -> Option<Json> {
    let (of, last) = pointer.rsplit_once('/')?;
    let members = document.pointer(pointer)?.as_object().filter(|members| !members.is_empty())?;
    let plain = |key: &str| !key.contains(['.', '[', '~', '/']);
    if !plain(last) || !members.keys().all(|key| plain(key)) || !document.pointer(of)?.is_object() {
        return None;
    }
    let mut other = without(document, pointer);
    let around = other.pointer_mut(of)?.as_object_mut()?;
    around.extend(members.iter().map(|(key, value)| (format!("{last}.{key}"), value.clone())));
    Some(other)
}

/// The document with another value at a place.
pub fn with(document: &Json, pointer: &str, value: Json) -> Json {
    let mut other = document.clone();
    *other.pointer_mut(pointer).expect("a place") = value;
    other
}

/// The document with one more key in the table at a place.
pub fn with_key(document: &Json, pointer: &str, key: &str, value: Json) -> Json {
    let mut other = document.clone();
    other.pointer_mut(pointer).and_then(Json::as_object_mut).expect("a table").insert(key.to_owned(), value);
    other
}

/// The document without the value at a place.
pub fn without(document: &Json, pointer: &str) -> Json {
    let mut other = document.clone();
    let (of, last) = pointer.rsplit_once('/').expect("not the document itself");
    let last = last.replace("~1", "/").replace("~0", "~");
    match other.pointer_mut(of) {
        Some(Json::Object(members)) => _ = members.shift_remove(&last),
        Some(Json::Array(items)) => _ = items.remove(last.parse::<usize>().expect("an index")),
        _ => unreachable!("a place in a table or a list"),
    }
    other
}
