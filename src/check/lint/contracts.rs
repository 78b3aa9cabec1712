//! Fields that a port declares and that its contract can never admit, and words of contracts that are nearly those of JSON Schema.

use serde_json::Value as Json;

use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean, quoted, suggest};
use crate::model::Pack;
use crate::model::schema::{NamedType, Type};
use crate::syntax::{Kind, Node};

/// How deep records are looked into.
const DEEPEST: usize = 16;

/// Keywords under which schemas stand by name.
const BY_NAME: &[&str] = &["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];
/// Keywords under which data stands, or names.
const DATA: &[&str] =
    &["const", "default", "dependentRequired", "enum", "example", "examples", "required", "$vocabulary"];
/// The other keywords of the draft 2020-12.
const OTHERS: &[&str] = &[
    "$anchor",
    "$comment",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$ref",
    "$schema",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "deprecated",
    "description",
    "else",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "prefixItems",
    "propertyNames",
    "readOnly",
    "then",
    "title",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "writeOnly",
];

/// A word that is none of JSON Schema says nothing, so one that is nearly one of them checks nothing of what it is meant to.
fn keywords(node: &Node, out: &Diagnostics) {
    match &node.kind {
        Kind::List(items) => items.iter().for_each(|item| keywords(item, out)),
        Kind::Table(table) => {
            let all = || BY_NAME.iter().chain(DATA).chain(OTHERS).copied();
            for entry in table {
                let key = entry.key.as_str();
                match &entry.value.kind {
                    Kind::Table(schemas) if BY_NAME.contains(&key) => {
                        schemas.iter().for_each(|schema| keywords(&schema.value, out));
                    }
                    _ if DATA.contains(&key) => {}
                    _ if all().any(|known| known == key) => keywords(&entry.value, out),
                    // Words of one's own are allowed.
                    _ if key.starts_with("x-") => {}
                    _ => {
                        if let Some(near) = suggest(key, all()).filter(|near| table.get(near).is_none()) {
                            let message = format!("{} is no word of JSON Schema, so it says nothing", quoted(key));
                            let found = Diagnostic::warning(Code::NearKeyword, entry.key_span, message);
                            out.push(found.help(did_you_mean(key, near)));
                        }
                    }
                }
            }
        }
        _ => {}
    }
}

pub fn check(pack: &Pack, out: &Diagnostics) {
    pack.contracts.iter().for_each(|contract| keywords(&contract.node, out));
    for port in &pack.ports {
        let sides = [(port.contract.request, port.request.clone()), (port.contract.response, port.answer(pack))];
        for (contract, fields) in sides {
            let Some(contract) = contract else { continue };
            let look = Look { pack, contract, out };
            look.fields(contract, &pack.contracts[contract].schema, &fields, 0);
        }
    }
}

struct Look<'a> {
    pack: &'a Pack,
    /// The contract that the port names.
    contract: usize,
    out: &'a Diagnostics,
}

impl Look<'_> {
    /// `at`: the contract in which the schema stands.
    fn fields(&self, at: usize, schema: &Json, fields: &[NamedType], depth: usize) {
        let Some((at, schema)) = self.resolved(at, schema, 0).filter(|_| depth < DEEPEST) else { return };
        let properties = schema.get("properties").and_then(Json::as_object);
        let closed = schema.get("additionalProperties") == Some(&Json::Bool(false))
            && schema.get("patternProperties").is_none_or(|of| of.as_object().is_some_and(serde_json::Map::is_empty));
        for field in fields {
            let wire = self.pack.names.text(field.wire);
            match properties.and_then(|of| of.get(wire)) {
                Some(Json::Bool(false)) => self.report(at, field, wire),
                None if closed => self.report(at, field, wire),
                Some(inner) => self.value(at, inner, &field.ty, depth),
                None => {}
            }
        }
    }

    fn value(&self, at: usize, schema: &Json, ty: &Type, depth: usize) {
        match ty {
            Type::Record(id) => self.fields(at, schema, &self.pack.records[id.index()].fields, depth + 1),
            Type::List { of, .. } | Type::Set { of, .. } => {
                if let Some((at, schema)) = self.resolved(at, schema, 0)
                    && let Some(items) = schema.get("items")
                {
                    self.value(at, items, of, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// What a schema that is nothing but a reference stands for. One that says more beside it says what the reference says as well.
    fn resolved<'s>(&'s self, at: usize, schema: &'s Json, seen: usize) -> Option<(usize, &'s Json)> {
        let Some(Json::String(to)) = schema.get("$ref") else { return Some((at, schema)) };
        if schema.as_object().is_some_and(|of| of.len() > 1) || seen > DEEPEST {
            return None;
        }
        let (file, pointer) = to.split_once('#').unwrap_or((to, ""));
        let name = file.strip_prefix("./").unwrap_or(file).trim_end_matches(".json");
        let named = |of: &crate::model::Contract| self.pack.names.text(of.name) == name;
        let at = if file.is_empty() { at } else { self.pack.contracts.iter().position(named)? };
        self.resolved(at, self.pack.contracts[at].schema.pointer(pointer)?, seen + 1)
    }

    fn report(&self, at: usize, field: &NamedType, wire: &str) {
        let contract = &self.pack.contracts[self.contract];
        let name = self.pack.names.text(contract.name);
        let called =
            if self.pack.names.text(field.name) == wire { String::new() } else { format!(" as {}", quoted(wire)) };
        let message = format!(
            "{} can never pass{called}: the contract {} does not admit it",
            quoted(self.pack.names.text(field.name)),
            quoted(name)
        );
        self.out.push(
            Diagnostic::warning(Code::FieldNotInContract, field.span, message)
                .also(self.pack.contracts[at].span, "`additionalProperties` is false here, or the field is")
                .help(format!("add {} to the `properties` of the contract, or take the field out", quoted(wire))),
        );
    }
}
