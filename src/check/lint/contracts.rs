//! Fields that a port declares and that its contract can never admit.

use serde_json::Value as Json;

use crate::diag::{Code, Diagnostic, Diagnostics, quoted};
use crate::model::Pack;
use crate::model::schema::{NamedType, Type};

/// How deep records are looked into.
const DEEPEST: usize = 16;

pub fn check(pack: &Pack, out: &Diagnostics) {
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
