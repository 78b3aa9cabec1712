//! Contracts of ports: JSON Schemas in files of their own, and which port is held to which.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::contract::{DIALECT, lead};
use crate::diag::{Code, Diagnostic, Diagnostics, quoted, suggest};
use crate::language;
use crate::model::{Contract, PortContract, Unused, UnusedKind};
use crate::source::{FileId, Span};
use crate::syntax::{Entry, Kind, Node, Table, data};

use super::cx::Cx;
use super::merge::Sections;
use super::paths::text_of;

/// The folder of a pack in which contracts lie.
const FOLDER: &str = "contracts";
/// The key under which a contract stands in the document of its file: no file of sections can have it.
pub(super) const MARK: &str = "\0contract";

/// The name of the contract in a file, where that is the file of one: `contracts/NAME.json`.
#[must_use]
pub fn contract_name(path: &str) -> Option<&str> {
    let (folder, file) = path.rsplit_once('/')?;
    let is_folder = folder.rsplit('/').next() == Some(FOLDER);
    file.strip_suffix(".json").filter(|_| is_folder)
}

/// The document of a file that is a contract.
pub(super) fn document(name: &str, file: FileId, text: &str, out: &Diagnostics) -> Option<Node> {
    let schema = data(file, text, out)?;
    let span = Span { file, start: 0, end: 0 };
    let table = |key: &str, value: Node| Node {
        span: value.span,
        kind: Kind::Table(Table::new([Entry { key: key.into(), key_span: span, value }])),
    };
    Some(table(MARK, table(name, schema)))
}

/// What a file that is a contract holds: its name and the schema.
pub(super) fn entry(document: &Table) -> Option<&Entry> {
    match document.get(MARK).map(|node| &node.kind) {
        Some(Kind::Table(named)) => named.iter().next(),
        _ => None,
    }
}

/// Reads the contracts of a pack.
pub(super) fn contracts(cx: &mut Cx<'_>, sections: &Sections<'_>) {
    for item in &sections.contracts {
        let Some(at) = cx.room(cx.contracts.len(), "contracts", item.key) else { break };
        cx.contract_names.insert(item.name.to_owned(), at);
        let name = cx.intern(item.name);
        let Ok(schema) = serde_json::from_str(cx.sources.slice(item.node.span)) else {
            cx.error_help(Code::WrongType, item.node.span, "this is no JSON", "write a JSON Schema");
            continue;
        };
        cx.contracts.push(Contract { name, schema: Arc::new(schema), node: item.node.clone(), span: item.node.span });
    }
    for item in &sections.contracts {
        dialect(cx, item.node);
        references(cx, sections, item.node, item.node);
    }
    let mut ways = Ways { cx, sections, seen: BTreeMap::new() };
    sections.contracts.iter().for_each(|item| ways.all(item.node, item.node));
}

fn dialect(cx: &Cx<'_>, schema: &Node) {
    match &schema.kind {
        Kind::Bool(_) => {}
        Kind::Table(table) => {
            if let Some(node) = table.get("$schema")
                && text_of(node).is_none_or(|text| text.trim_end_matches('#') != DIALECT)
            {
                let help = format!("write {DIALECT:?}, or leave it out");
                cx.error_help(Code::BadValue, node.span, "contracts are of the draft 2020-12", help);
            }
        }
        _ => {
            let message = "a contract is a JSON Schema: an object";
            cx.error_help(Code::WrongType, schema.span, message, "write `{ \"type\": \"object\", … }`");
        }
    }
}

/// How many references may follow each other.
const LONGEST_WAY: usize = 128;
/// Keywords whose schemas speak of the same value as the schema in which they stand.
const SAME_VALUE: &[&str] = &["allOf", "anyOf", "else", "if", "not", "oneOf", "then"];

/// Ways from schemas to others that speak of the same value: one that leads back never comes to an end.
struct Ways<'a, 'n> {
    cx: &'a Cx<'a>,
    sections: &'a Sections<'n>,
    /// The schemas that were come to, and whether the way goes on from them.
    seen: BTreeMap<Span, bool>,
}

impl<'n> Ways<'_, 'n> {
    /// From every schema in a contract.
    fn all(&mut self, root: &'n Node, node: &'n Node) {
        match &node.kind {
            Kind::List(items) => items.iter().for_each(|item| self.all(root, item)),
            Kind::Table(table) => {
                self.from(root, node, 0);
                table.iter().for_each(|entry| self.all(root, &entry.value));
            }
            _ => {}
        }
    }

    fn from(&mut self, root: &'n Node, node: &'n Node, length: usize) {
        let Kind::Table(table) = &node.kind else { return };
        if length > LONGEST_WAY || self.seen.contains_key(&node.span) {
            return;
        }
        self.seen.insert(node.span, true);
        for entry in table {
            if entry.key == "$ref"
                && let Some((root, to)) = text_of(&entry.value).and_then(|text| self.target(root, text))
            {
                if self.seen.get(&to.span) == Some(&true) {
                    let message = "the reference leads back to itself before it comes to a part of the value";
                    let help = "write out what is meant, or let it stand under `properties`, `items` or another keyword for parts";
                    self.cx.error_help(Code::LeadsBack, entry.value.span, message, help);
                }
                self.from(root, to, length + 1);
            } else if SAME_VALUE.contains(&entry.key.as_str()) {
                match &entry.value.kind {
                    Kind::List(items) => items.iter().for_each(|item| self.from(root, item, length + 1)),
                    _ => self.from(root, &entry.value, length + 1),
                }
            }
        }
        self.seen.insert(node.span, false);
    }

    /// What a reference leads to, and the contract in which that stands.
    fn target(&self, root: &'n Node, text: &str) -> Option<(&'n Node, &'n Node)> {
        let (file, pointer) = text.split_once('#').unwrap_or((text, ""));
        let name = file.strip_prefix("./").unwrap_or(file).strip_suffix(".json").unwrap_or(file);
        let root = match file {
            "" => root,
            _ => self.sections.contracts.iter().find(|of| of.name == name)?.node,
        };
        Some((root, lead(root, pointer).ok()?))
    }
}

/// Every `$ref` leads somewhere: into the contract itself, or into another one of the pack.
fn references(cx: &Cx<'_>, sections: &Sections<'_>, root: &Node, node: &Node) {
    each_reference(node, &mut |text, span| {
        let (file, pointer) = text.split_once('#').unwrap_or((text, ""));
        let into = if file.is_empty() {
            root
        } else {
            let name = file.strip_prefix("./").unwrap_or(file);
            let known =
                name.strip_suffix(".json").and_then(|name| sections.contracts.iter().find(|of| of.name == name));
            let Some(known) = known else {
                let names = || sections.contracts.iter().map(|of| format!("{}.json", of.name));
                let names: Vec<String> = names().collect();
                let message = format!("{} is no contract of this pack", quoted(file));
                let found = Diagnostic::error(Code::UnknownName, span, message);
                let help = match suggest(name, names.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "name a file beside this one, `OTHER.json`: nothing is fetched".to_owned(),
                };
                return cx.out.push(found.help(help));
            };
            known.node
        };
        if pointer.starts_with('/') && lead(into, pointer).is_err() {
            let message = format!("{} leads nowhere", quoted(text));
            cx.error_help(Code::UnknownName, span, message, "a pointer such as `#/$defs/NAME` leads to what is there");
        }
    });
}

/// Each `$ref` in a schema.
fn each_reference<'n>(node: &'n Node, see: &mut dyn FnMut(&'n str, Span)) {
    match &node.kind {
        Kind::List(items) => items.iter().for_each(|item| each_reference(item, see)),
        Kind::Table(table) => {
            for entry in table {
                match text_of(&entry.value) {
                    Some(text) if entry.key == "$ref" => see(text, entry.value.span),
                    _ if entry.key == "const" || entry.key == "enum" => {}
                    _ => each_reference(&entry.value, see),
                }
            }
        }
        _ => {}
    }
}

/// What a port is held to.
pub(super) fn of_port(cx: &Cx<'_>, port: &Table, replies: bool) -> PortContract {
    let shape = &language::PORT_CONTRACT;
    let Some(table) = port.get("contract").and_then(|node| cx.table(node, shape.what)) else {
        return PortContract::default();
    };
    cx.allow(table, shape);
    if let Some(entry) = table.entry("response").filter(|_| !replies) {
        let message = "`response` means nothing beside `reply = \"none\"`: no answer comes";
        cx.error_help(Code::OutOfPlace, entry.key_span, message, "leave it out");
    }
    let named = |key: &str| {
        let node = table.get(key)?;
        let name = cx.word(node)?;
        cx.find("contract", name, node.span, &cx.contract_names).map(usize::from)
    };
    let (request, response) = (named("request"), named("response"));
    if table.is_empty() {
        let span = port.entry("contract").map_or(Span { file: FileId(0), start: 0, end: 0 }, |entry| entry.key_span);
        cx.error_help(Code::SaysNothing, span, "no contract is named", "write `request = \"NAME\"`, or `response`");
    }
    PortContract { request, response }
}

/// Contracts that no port is held to and that none refers to which one is.
pub(super) fn unused(cx: &Cx<'_>, sections: &Sections<'_>) -> Vec<Unused> {
    let mut used: BTreeSet<&str> =
        sections.contracts.iter().map(|of| of.name).filter(|name| cx.is_used("contract", name)).collect();
    let mut open: Vec<&str> = used.iter().copied().collect();
    while let Some(name) = open.pop() {
        for of in sections.contracts.iter().filter(|of| of.name == name) {
            each_reference(of.node, &mut |text, _| {
                let file = text.split('#').next().unwrap_or_default();
                let name = file.strip_prefix("./").unwrap_or(file).trim_end_matches(".json");
                if let Some(other) = sections.contracts.iter().find(|of| of.name == name)
                    && used.insert(other.name)
                {
                    open.push(other.name);
                }
            });
        }
    }
    let idle = sections.contracts.iter().filter(|of| !used.contains(of.name));
    let unused = idle.map(|of| Unused {
        kind: UnusedKind::Contract,
        what: "the contract",
        name: of.name.to_owned(),
        span: of.key,
    });
    unused.collect()
}
