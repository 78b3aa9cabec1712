//! Shapes as schemas.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use crate::diag::Code;
use crate::language::{FIRST, Form, JOIN, Key, NEW_ID, Names, PICK, Rest, Shape, TEST, Value};

use super::dotted::{self, End, NAME, goes_on};

/// Collects the definitions that a schema needs.
#[derive(Debug, Default)]
pub(super) struct Writer {
    definitions: BTreeMap<String, Json>,
}

/// What a table is made of.
struct Object {
    keys: Vec<&'static Key>,
    rest: Option<&'static Rest>,
    ways: Vec<dotted::Way>,
}

impl Writer {
    /// The definitions so far.
    pub fn definitions(self) -> Json {
        Json::Object(self.definitions.into_iter().collect())
    }

    /// The schema of a file: a table of this shape, or of some keys of it.
    pub fn root(&mut self, shape: &'static Shape, only: Option<&[&str]>) -> Json {
        self.shape(shape, only)
    }

    fn shape(&mut self, shape: &'static Shape, only: Option<&[&str]>) -> Json {
        let keys: Vec<&Key> = shape.keys().filter(|key| only.is_none_or(|only| only.contains(&key.name))).collect();
        let ways = dotted::into_shape(shape, &keys);
        let mut schema = self.object(shape.doc, &Object { keys, rest: shape.rest.as_ref(), ways });
        let mut all = Vec::new();
        if !shape.split {
            let (nested, plain): (Vec<&Key>, Vec<&Key>) =
                shape.keys().filter(|key| key.needed).partition(|key| goes_on(&key.value));
            if !plain.is_empty() {
                let names: Vec<&str> = plain.iter().map(|key| key.name).collect();
                schema.insert("required".to_owned(), json!(names));
            }
            for key in nested {
                // A key that is written with dots is there as well.
                let none = json!({ "propertyNames": { "not": { "pattern": format!(r"^{}\.", key.name) } } });
                all.push(json!({ "if": none, "then": { "required": [key.name] } }));
            }
        }
        self.forms(shape, &mut schema);
        for some in shape.some {
            let others: Vec<&str> = shape.names().into_iter().filter(|key| !some.contains(key)).collect();
            if others.is_empty() {
                schema.insert("minProperties".to_owned(), json!(1));
            } else if shape.rest.is_some() {
                all.push(json!({ "not": { "propertyNames": { "enum": others } } }));
            } else {
                let some: Vec<Json> = some.iter().map(|key| there(shape, key)).collect();
                all.push(json!({ "anyOf": some }));
            }
        }
        if !all.is_empty() {
            schema.insert("allOf".to_owned(), json!(all));
        }
        Json::Object(schema)
    }

    /// Exactly one form, and keys that only stand beside their form.
    fn forms(&self, shape: &'static Shape, schema: &mut Map<String, Json>) {
        let mut dependencies: BTreeMap<&str, Vec<Json>> = BTreeMap::new();
        if !shape.forms.is_empty() {
            let one: Vec<Json> = shape.forms.iter().map(|form| there(shape, form.key)).collect();
            schema.insert("oneOf".to_owned(), json!(one));
        }
        let with: Vec<&str> = shape.forms.iter().flat_map(|form| form.with.iter().copied()).collect();
        for key in with {
            let of: Vec<&Form> = shape.forms.iter().filter(|form| form.with.contains(&key)).collect();
            let beside: Vec<Json> = of.iter().map(|form| there(shape, form.key)).collect();
            let beside = if let [one] = beside.as_slice() { one.clone() } else { json!({ "anyOf": beside }) };
            dependencies.entry(key).or_insert_with(|| vec![beside]);
        }
        for form in shape.forms {
            for key in form.needs {
                dependencies.entry(form.key).or_default().push(there(shape, key));
            }
        }
        for (key, other) in shape.beside {
            dependencies.entry(key).or_default().push(there(shape, other));
        }
        if !dependencies.is_empty() {
            let all = dependencies.into_iter().map(|(key, mut all)| {
                (key.to_owned(), if all.len() == 1 { all.remove(0) } else { json!({ "allOf": all }) })
            });
            schema.insert("dependencies".to_owned(), Json::Object(all.collect()));
        }
    }

    fn object(&mut self, doc: &str, object: &Object) -> Map<String, Json> {
        let mut schema = Map::new();
        schema.insert("description".to_owned(), json!(doc));
        schema.insert("type".to_owned(), json!("object"));
        if !object.keys.is_empty() {
            let properties = object.keys.iter().map(|key| (key.name.to_owned(), self.key(key)));
            let properties: Map<String, Json> = properties.collect();
            schema.insert("properties".to_owned(), Json::Object(properties));
        }
        let mut patterns = Map::new();
        let mut others = json!(false);
        if let Some(rest) = object.rest {
            match rest.names {
                Names::Declared => _ = patterns.insert(format!("^{NAME}$"), self.rest(rest)),
                Names::Any => others = self.rest(rest),
                Names::Codes => _ = schema.insert("properties".to_owned(), self.codes(rest)),
            }
        }
        // Ways with the same end are one pattern.
        let mut ends: Vec<(Json, Vec<&str>)> = Vec::new();
        for (way, end) in &object.ways {
            let end = self.end(*end);
            match ends.iter_mut().find(|(known, _)| *known == end) {
                Some((_, ways)) => ways.push(way),
                None => ends.push((end, vec![way])),
            }
        }
        for (end, ways) in ends {
            let pattern =
                if let [one] = ways.as_slice() { format!("^{one}$") } else { format!("^(?:{})$", ways.join("|")) };
            patterns.insert(pattern, end);
        }
        if !patterns.is_empty() {
            schema.insert("patternProperties".to_owned(), Json::Object(patterns));
        }
        schema.insert("additionalProperties".to_owned(), others);
        schema
    }

    fn key(&mut self, key: &'static Key) -> Json {
        let value = self.value(&key.value);
        described(key.doc, value)
    }

    fn rest(&mut self, rest: &'static Rest) -> Json {
        let value = self.value(rest.value);
        described(rest.doc, value)
    }

    /// Every code by its id and by its name; where its level is fixed only that one.
    fn codes(&mut self, rest: &'static Rest) -> Json {
        let mut properties = Map::new();
        for code in Code::ALL {
            let level = if code.is_adjustable() { self.value(rest.value) } else { json!({ "enum": ["error"] }) };
            for name in [code.id(), code.slug()] {
                properties.insert(name.to_owned(), described(code.about(), level.clone()));
            }
        }
        Json::Object(properties)
    }

    fn end(&mut self, end: End) -> Json {
        match end {
            End::Key(key) => self.key(key),
            End::Rest(rest) => self.rest(rest),
            End::Value(value) => self.value(value),
            End::Anything => json!({}),
        }
    }

    fn names(&mut self, rest: &'static Rest) -> Json {
        let ways = dotted::into_names(rest);
        let mut schema = self.object("", &Object { keys: Vec::new(), rest: Some(rest), ways });
        schema.remove("description");
        Json::Object(schema)
    }

    /// What may stand as a value.
    fn value(&mut self, value: &'static Value) -> Json {
        match value {
            Value::Text => json!({ "type": "string" }),
            Value::Word => json!({ "type": "string", "pattern": r"\S" }),
            Value::Name => json!({ "type": "string", "pattern": format!("^{NAME}$") }),
            Value::Path => json!({ "type": "string", "pattern": r"^\$" }),
            Value::OneOf(words) => json!({ "enum": words }),
            Value::OneOfOrCell(words) => {
                json!({ "anyOf": [{ "enum": words }, { "type": "string", "pattern": r"\{" }] })
            }
            Value::Bool => json!({ "type": "boolean" }),
            Value::True => json!({ "enum": [true] }),
            Value::Int(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
            Value::Size(least, most) => {
                json!({ "type": ["integer", "string"], "minimum": least, "maximum": most, "pattern": "^[%{]" })
            }
            Value::Number => json!({ "type": ["number", "string"], "pattern": "^[%{]" }),
            Value::Date => json!({ "type": "string", "pattern": "^[0-9]{4}-" }),
            Value::Scalar => json!({ "type": ["string", "number", "boolean"] }),
            Value::Literal => self.defined("literal", Self::literal),
            Value::Computed => self.defined("value", Self::computed),
            Value::Tested => self.defined("tested", Self::tested),
            Value::Sets => json!({ "type": ["string", "array"], "items": self.value(&Value::Literal) }),
            Value::Table(shape) => self.defined(shape.name, |writer| writer.shape(shape, None)),
            Value::Names(rest) => match rest.value {
                Value::Table(shape) => self.defined(&format!("{}.names", shape.name), |writer| writer.names(rest)),
                _ => self.names(rest),
            },
            Value::List(of) => json!({ "type": "array", "items": self.value(of) }),
            Value::Some(of) => json!({ "type": "array", "minItems": 1, "items": self.value(of) }),
            Value::OneOrMany(of) => {
                let one = self.value(of);
                json!({ "anyOf": [one, { "type": "array", "items": one }] })
            }
            Value::Either(all) => {
                let all: Vec<Json> = all.iter().map(|one| self.value(one)).collect();
                json!({ "anyOf": all })
            }
        }
    }

    /// A reference to a definition, which is written when it is first asked for.
    fn defined(&mut self, name: &str, write: impl FnOnce(&mut Self) -> Json) -> Json {
        if !self.definitions.contains_key(name) {
            self.definitions.insert(name.to_owned(), Json::Null);
            let schema = write(self);
            self.definitions.insert(name.to_owned(), schema);
        }
        json!({ "$ref": format!("#/definitions/{name}") })
    }

    fn literal(&mut self) -> Json {
        let inner = json!({ "$ref": "#/definitions/literal" });
        json!({ "description": "A value that is written out. `$$x` is the text `$x`, also as the key of a map.", "type": ANY, "items": inner, "additionalProperties": inner })
    }

    /// A value, or one of the ways to compute one, each of which is told by its key.
    fn computed(&mut self) -> Json {
        let inner = json!({ "$ref": "#/definitions/value" });
        let (mut properties, mut dependencies) = (Map::new(), Map::new());
        for shape in [&FIRST, &JOIN, &NEW_ID, &PICK] {
            let reference = self.defined(shape.name, |writer| writer.shape(shape, None));
            properties.insert(shape.name.to_owned(), json!({ "description": shape.doc }));
            dependencies.insert(shape.name.to_owned(), reference);
        }
        json!({
            "description": "A value: a literal, `$path` (it must be there), `$path?` (left as it is, or left out, when it is not), \
                `%parameter`, a table, a list, or one of `first`, `join`, `new_id`, `pick`. `$$x` is the text `$x`, also as the key of a map.",
            "type": ANY,
            "items": inner,
            "properties": properties,
            "additionalProperties": inner,
            "dependencies": dependencies,
        })
    }

    /// A plain value, a list of them, or a table of tests.
    fn tested(&mut self) -> Json {
        let mut schema = self.shape(&TEST, None);
        schema["description"] = json!(
            "A value (equal to it), a list of values (one of them), or a table of tests. `$path` compares with another value, \
                `%name` with a parameter."
        );
        schema["type"] = json!(ANY);
        schema["items"] = self.value(&Value::Scalar);
        schema["minItems"] = json!(1);
        schema["minProperties"] = json!(1);
        schema
    }
}

/// Every type but null: a key without a value is an error.
const ANY: [&str; 5] = ["string", "number", "boolean", "array", "object"];

/// A schema with a description of its own. Beside `$ref` nothing counts, so a reference is wrapped.
fn described(doc: &str, value: Json) -> Json {
    let mut schema = Map::new();
    schema.insert("description".to_owned(), json!(doc));
    match value {
        Json::Object(value) if !value.contains_key("$ref") => schema.extend(value),
        value => _ = schema.insert("allOf".to_owned(), json!([value])),
    }
    Json::Object(schema)
}

/// That a key is there, with dots or without.
fn there(shape: &Shape, name: &str) -> Json {
    if shape.keys().any(|key| key.name == name && goes_on(&key.value)) {
        json!({ "not": { "propertyNames": { "not": { "pattern": format!(r"^{name}(?:\.|$)") } } } })
    } else {
        json!({ "required": [name] })
    }
}
