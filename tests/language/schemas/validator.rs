//! A validator of others, and documents as an editor sees them.

use std::collections::BTreeMap;

use boon::{Compiler, ErrorKind, SchemaIndex, Schemas, ValidationError};
use segue::schema::{Kind, schema};
use segue::syntax::Format;
use serde_json::{Map, Value as Json};

/// The schemas of all kinds of files.
pub struct Validator {
    schemas: Schemas,
    by_kind: BTreeMap<&'static str, SchemaIndex>,
}

impl Validator {
    pub fn new() -> Self {
        let (mut schemas, mut by_kind) = (Schemas::new(), BTreeMap::new());
        for kind in Kind::ALL {
            let mut compiler = Compiler::new();
            let url = format!("urn:segue:schema:{}", kind.name());
            let schema = schema(*kind);
            assert_eq!(schema["$id"], url.as_str());
            compiler.add_resource(&url, schema).expect("a schema with an id");
            let index = compiler.compile(&url, &mut schemas).expect("a schema");
            by_kind.insert(kind.name(), index);
        }
        Self { schemas, by_kind }
    }

    /// What is wrong with a document, in words; empty = nothing.
    pub fn faults(&self, kind: &str, document: &Json) -> String {
        match self.schemas.validate(document, self.by_kind[kind]) {
            Ok(()) => String::new(),
            Err(error) => format!("{error:#}"),
        }
    }

    /// Whether nothing is wrong with a document.
    pub fn passes(&self, kind: &str, document: &Json) -> bool {
        self.schemas.validate(document, self.by_kind[kind]).is_ok()
    }

    /// The words that may stand at a place, where one of others stands there.
    pub fn words_at(&self, kind: &str, document: &Json, pointer: &str) -> Vec<String> {
        let mut words = Vec::new();
        if let Err(error) = self.schemas.validate(document, self.by_kind[kind]) {
            wanted(&error, pointer, &mut words);
        }
        words.sort();
        words.dedup();
        words
    }
}

fn wanted(error: &ValidationError<'_, '_>, pointer: &str, words: &mut Vec<String>) {
    if let ErrorKind::Enum { want } = &error.kind
        && error.instance_location.to_string() == pointer
    {
        words.extend(want.iter().filter_map(Json::as_str).map(str::to_owned));
    }
    error.causes.iter().for_each(|cause| wanted(cause, pointer, words));
}

/// A document as the plug-in of an editor sees it: in TOML dotted keys nest and dates are texts, in YAML keys keep their dots.
pub fn seen(format: Format, text: &str) -> Json {
    match format {
        Format::Toml => from_toml(toml::from_str(text).expect("TOML")),
        Format::Yaml => from_yaml(serde_yaml::from_str(text).expect("YAML")),
        Format::Json => serde_json::from_str(text).expect("JSON"),
    }
}

fn from_toml(value: toml::Value) -> Json {
    match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(value) => value.into(),
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(items) => items.into_iter().map(from_toml).collect(),
        toml::Value::Table(table) => {
            let members: Map<String, Json> = table.into_iter().map(|(key, value)| (key, from_toml(value))).collect();
            Json::Object(members)
        }
    }
}

fn from_yaml(value: serde_yaml::Value) -> Json {
    match value {
        serde_yaml::Value::Sequence(items) => items.into_iter().map(from_yaml).collect(),
        serde_yaml::Value::Mapping(table) => {
            let key = |key: serde_yaml::Value| match key {
                serde_yaml::Value::String(text) => text,
                other => serde_yaml::to_string(&other).expect("a key").trim().to_owned(),
            };
            let members: Map<String, Json> = table.into_iter().map(|(k, value)| (key(k), from_yaml(value))).collect();
            Json::Object(members)
        }
        plain => serde_json::to_value(plain).expect("a plain value"),
    }
}
