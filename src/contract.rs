//! Contracts of ports, compiled: JSON Schemas against which what crosses the border is held. Nothing is ever fetched.

#[cfg(not(feature = "contracts"))]
use serde_json::Value as Json;

use crate::model::Pack;
use crate::model::json::{DataError, Naming, document, to_json};
use crate::model::schema::Type;
use crate::model::value::Value;
use crate::source::Span;

/// The contracts of a pack, compiled once.
#[derive(Debug, Clone, Default)]
pub struct Contracts {
    #[cfg(feature = "contracts")]
    validators: Vec<jsonschema::Validator>,
    /// Whether some document of the pack is held to one.
    documents: bool,
}

/// How a value breaks a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Where in the value: a JSON Pointer.
    pub at: String,
    /// What is wrong there.
    pub message: String,
    /// The keyword that does not admit it, where that is known: the name of its contract, and a JSON Pointer in it.
    pub by: Option<(String, String)>,
}

/// A contract that cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadContract {
    /// Where.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

/// The dialect in which contracts are written.
pub const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

#[cfg(feature = "contracts")]
mod compiled {
    use jsonschema::error::ValidationErrorKind;
    use jsonschema::{Draft, Registry, Resource};
    use serde_json::Value as Json;

    use super::{BadContract, Broken, Contracts, place, some_document};
    use crate::model::{Contract, Pack};

    /// Keywords under which what holds of one member may depend on the others.
    const DEPENDING: [&str; 8] =
        ["if", "then", "else", "not", "anyOf", "oneOf", "dependentSchemas", "unevaluatedProperties"];

    /// Where contracts are taken to lie.
    const BASE: &str = "contract:///";

    /// The names of the contracts that a schema refers to.
    fn references<'s>(schema: &'s Json, into: &mut Vec<&'s str>) {
        match schema {
            Json::Array(items) => items.iter().for_each(|item| references(item, into)),
            Json::Object(fields) => {
                for (key, value) in fields {
                    match value {
                        Json::String(text) if key == "$ref" => {
                            let file = text.split('#').next().unwrap_or_default();
                            into.extend(file.strip_prefix("./").unwrap_or(file).strip_suffix(".json"));
                        }
                        value => references(value, into),
                    }
                }
            }
            _ => {}
        }
    }

    impl Contracts {
        /// Compiles the contracts of a pack.
        ///
        /// # Errors
        /// Schemas that are none, and references that lead nowhere.
        pub fn compile(pack: &Pack) -> Result<Self, Vec<BadContract>> {
            if pack.contracts.is_empty() {
                return Ok(Self::default());
            }
            let name = |contract: &Contract| format!("{BASE}{}.json", pack.names.text(contract.name));
            let lost = |error: &dyn std::fmt::Display| {
                let span = pack.contracts[0].node.span;
                vec![BadContract { span, message: format!("the contracts cannot be read: {error}"), help: None }]
            };
            let mut registry = Registry::new();
            for contract in &pack.contracts {
                let resource = Resource::from_contents((*contract.schema).clone());
                registry = registry.add(name(contract), resource).map_err(|error| lost(&error))?;
            }
            let registry = registry.prepare().map_err(|error| lost(&error))?;
            let (mut validators, mut bad) = (Vec::new(), Vec::new());
            for (at, contract) in pack.contracts.iter().enumerate() {
                let options = jsonschema::options()
                    .with_draft(Draft::Draft202012)
                    .with_registry(&registry)
                    .with_base_uri(name(contract))
                    .should_validate_formats(true);
                match options.build(&contract.schema) {
                    Ok(validator) => validators.push(validator),
                    Err(error) => {
                        let found = BadContract {
                            span: place(&contract.node, &error.instance_path().to_string()).span,
                            message: format!("the contract is no JSON Schema: {error}"),
                            help: Some("write a schema of the draft 2020-12".into()),
                        };
                        bad.push((at, found));
                    }
                }
            }
            if bad.is_empty() {
                return Ok(Self { validators, documents: some_document(pack) });
            }
            // A contract that refers to one that is none is not built either: its own place says nothing.
            let is_bad = |name: &str| bad.iter().any(|(at, _)| pack.names.text(pack.contracts[*at].name) == name);
            let through = |at: usize| {
                let own = pack.names.text(pack.contracts[at].name);
                let mut refers = Vec::new();
                references(&pack.contracts[at].schema, &mut refers);
                refers.into_iter().any(|name| name != own && is_bad(name))
            };
            let first: Vec<bool> = bad.iter().map(|(at, _)| !through(*at)).collect();
            let ring = !first.contains(&true);
            Err(bad.into_iter().zip(first).filter(|(_, first)| *first || ring).map(|((_, found), _)| found).collect())
        }

        /// How a value breaks a contract, where it does.
        #[must_use]
        pub fn broken(&self, contract: usize, value: &Json) -> Option<Broken> {
            let error = self.validators.get(contract)?.validate(value).err()?;
            let by = error.absolute_keyword_location().and_then(|place| {
                let (file, pointer) = place.as_str().strip_prefix(BASE)?.split_once('#')?;
                Some((file.strip_suffix(".json")?.to_owned(), pointer.to_owned()))
            });
            Some(Broken { at: error.instance_path().to_string(), message: error.to_string(), by })
        }

        /// Whether what an object has, or lacks, as this member breaks a contract, whatever else the object holds.
        #[must_use]
        pub fn refuses(&self, contract: usize, object: &Json, member: &str) -> bool {
            let Some(validator) = self.validators.get(contract) else { return false };
            let member = format!("/{}", member.replace('~', "~0").replace('/', "~1"));
            validator.iter_errors(object).any(|error| {
                let path = error.evaluation_path().to_string();
                if path.split('/').any(|keyword| DEPENDING.contains(&keyword)) {
                    return false;
                }
                let mut at = error.instance_path().to_string();
                if let ValidationErrorKind::Required { property: Json::String(name) } = error.kind() {
                    at.push_str(&format!("/{}", name.replace('~', "~0").replace('/', "~1")));
                }
                at.strip_prefix(&member).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        }
    }
}

/// Whether some document of a pack is held to a contract.
#[cfg(feature = "contracts")]
fn some_document(pack: &Pack) -> bool {
    let fields = pack.slots.iter().map(|field| &field.ty).chain(pack.inputs.iter().map(|input| &input.ty));
    let asked = pack.ports.iter().flat_map(|port| &port.request).map(|field| &field.ty);
    let told = pack.outcomes.iter().map(|field| &field.ty);
    let held = |ty: &Type| matches!(ty, Type::Document { contract: Some(_) });
    fields.chain(asked).chain(told).any(|ty| ty.holds(&pack.records, &held))
}

impl Contracts {
    /// How a value that came from outside breaks a contract that a document in it is held to, where it does.
    #[must_use]
    pub fn misfit(&self, pack: &Pack, naming: Naming, ty: &Type, value: &Value) -> Option<DataError> {
        if !self.documents {
            return None;
        }
        match (ty, value) {
            (Type::Document { contract: Some(contract) }, Value::Document(text)) => {
                let broken = self.broken(*contract, &document(text))?;
                let name = pack.names.text(pack.contracts[*contract].name);
                let place = if broken.at.is_empty() { String::new() } else { format!(" at `{}`", broken.at) };
                Some(DataError::new("", format!("breaks the contract `{name}`{place}: {}", broken.message)))
            }
            (Type::List { of, .. }, Value::List(items)) => items
                .iter()
                .enumerate()
                .find_map(|(at, item)| Some(self.misfit(pack, naming, of, item)?.under(&at.to_string()))),
            (Type::Map { of, .. }, Value::Map(entries)) => entries.iter().find_map(|(key, value)| {
                let name = to_json(&pack.names, key);
                Some(self.misfit(pack, naming, of, value)?.under(name.as_str().unwrap_or_default()))
            }),
            (Type::Record(id), Value::Record(record)) => pack.records[id.index()].fields.iter().find_map(|field| {
                let found = self.misfit(pack, naming, &field.ty, record.field(field.name))?;
                Some(found.under(naming.of(pack, field)))
            }),
            _ => None,
        }
    }
}

#[cfg(not(feature = "contracts"))]
impl Contracts {
    /// Without the feature no pack has contracts.
    ///
    /// # Errors
    /// A pack that has some: which feature is missing.
    pub fn compile(pack: &Pack) -> Result<Self, Vec<BadContract>> {
        let Some(first) = pack.contracts.first() else { return Ok(Self::default()) };
        Err(vec![BadContract {
            span: place(&first.node, "").span,
            message:
                "this program cannot hold anything against a contract: it was built without the feature `contracts`"
                    .into(),
            help: Some("build it with `--features contracts`".into()),
        }])
    }

    /// How a value breaks a contract: there are none.
    #[must_use]
    pub fn broken(&self, _contract: usize, _value: &Json) -> Option<Broken> {
        None
    }

    /// Whether what an object has, or lacks, as this member breaks a contract: there are none.
    #[must_use]
    pub fn refuses(&self, _contract: usize, _object: &Json, _member: &str) -> bool {
        false
    }
}

impl Broken {
    /// Where the keyword stands that does not admit a value.
    #[must_use]
    pub fn keyword(&self, pack: &Pack) -> Option<Span> {
        let (name, pointer) = self.by.as_ref()?;
        let contract = pack.contracts.iter().find(|of| pack.names.text(of.name) == name)?;
        Some(place(&contract.node, pointer).span)
    }
}

/// What a JSON Pointer leads to, or the last node on the way.
#[must_use]
pub fn place<'n>(node: &'n crate::syntax::Node, pointer: &str) -> &'n crate::syntax::Node {
    lead(node, pointer).unwrap_or_else(|last| last)
}

/// What a JSON Pointer leads to.
///
/// # Errors
/// It leads nowhere: the last node on the way.
pub fn lead<'n>(
    node: &'n crate::syntax::Node,
    pointer: &str,
) -> Result<&'n crate::syntax::Node, &'n crate::syntax::Node> {
    use crate::syntax::Kind;
    let mut at = node;
    for piece in pointer.split('/').skip(1) {
        let piece = piece.replace("~1", "/").replace("~0", "~");
        let next = match &at.kind {
            Kind::Table(table) => table.get(&piece),
            Kind::List(items) => piece.parse::<usize>().ok().and_then(|at| items.get(at)),
            _ => None,
        };
        at = next.ok_or(at)?;
    }
    Ok(at)
}

#[cfg(test)]
#[cfg(not(feature = "contracts"))]
mod tests {
    use crate::declare::testing::files;
    use crate::declare::{Options, SourceText};
    use crate::diag::Code;
    use crate::load::load;

    /// Nothing is passed that could not be held to what its pack asks for.
    #[test]
    fn without_the_feature_a_pack_with_contracts_does_not_load() {
        let mut files = files();
        assert!(load(&files, &Options::default()).registry.is_some());
        files.push(SourceText::new("contracts/asked.json", "{ \"type\": \"object\" }"));
        let loaded = load(&files, &Options::default());
        assert!(loaded.registry.is_none());
        let found: Vec<_> = loaded.diagnostics.iter().filter(|found| found.code != Code::UnusedVocabulary).collect();
        let [found] = found.as_slice() else { panic!("{found:?}") };
        assert!(found.message.contains("it was built without the feature `contracts`"), "{found:?}");
        assert_eq!(found.help.as_deref(), Some("build it with `--features contracts`"));
    }
}
