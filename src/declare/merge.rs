//! Many files as one pack: the entries of each section together, each name once.
//!
//! Nothing may depend on how a pack is split into files. So files are read in the order of their names, the entries of a
//! section whose order means nothing are taken by name (frames, enums, tables, signals, parts, …), classes by id in natural
//! order (`T2` before `T10`) and pack-wide invariants by id. What is written inside one entry keeps its order.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;

use crate::diag::{Aspect, Code, Diagnostic, Diagnostics, did_you_mean, listed, quoted, suggest};
use crate::language::{CLASS, SECTIONS, Shape, Value};
use crate::source::Span;
use crate::syntax::{Entry, Field, Kind, Node, Table};

use super::cx::Item;

/// Sections that hold settings or named declarations.
pub(super) fn named() -> impl Iterator<Item = &'static str> {
    SECTIONS.keys().filter(|key| !matches!(key.value, Value::List(_))).map(|key| key.name)
}

/// Sections that are lists.
fn lists() -> impl Iterator<Item = &'static str> {
    SECTIONS.keys().filter(|key| matches!(key.value, Value::List(_))).map(|key| key.name)
}

/// Those of them that change nothing of what a step does: they are no part of the fingerprint.
pub(super) const BESIDE: &[&str] = &["recording", "metric", "migration"];

/// The merged sections of a pack.
#[derive(Debug, Default)]
pub(super) struct Sections<'n> {
    named: BTreeMap<&'static str, Vec<Item<'n>>>,
    headers: BTreeMap<&'static str, Span>,
    /// Invariants of the pack, by id.
    pub invariants: Vec<&'n Node>,
    /// Contracts, by name.
    pub contracts: Vec<Item<'n>>,
    /// Ports that used packs serve, by port.
    pub serves: Vec<&'n Node>,
    /// Classes as written, `for_each` not yet applied.
    pub classes: Vec<&'n Node>,
    /// Any place, for what is missing altogether.
    pub place: Option<Span>,
}

impl<'n> Sections<'n> {
    /// The entries of a section, by name.
    pub fn of(&self, section: &str) -> &[Item<'n>] {
        self.named.get(section).map_or(&[], Vec::as_slice)
    }

    /// The value of one entry of a section.
    pub fn get(&self, section: &str, name: &str) -> Option<&'n Node> {
        self.item(section, name).map(|item| item.node)
    }

    /// The value of a setting; a misspelt one is read as what it was meant to be.
    pub fn setting(&self, section: &str, shape: &Shape, name: &str) -> Option<&'n Node> {
        let meant = |item: &&Item<'n>| !shape.has(item.name) && suggest(item.name, shape.names()) == Some(name);
        self.get(section, name).or_else(|| self.of(section).iter().find(meant).map(|item| item.node))
    }

    /// One entry of a section.
    pub fn item(&self, section: &str, name: &str) -> Option<Item<'n>> {
        let items = self.of(section);
        items.binary_search_by(|item| item.name.cmp(name)).ok().map(|at| items[at])
    }

    /// Where a section was first written.
    pub fn header(&self, section: &str) -> Option<Span> {
        self.headers.get(section).copied()
    }
}

/// Merges documents, which come in the order of their files' names.
pub(super) fn merge<'n>(documents: &[&'n Node], out: &Diagnostics) -> Sections<'n> {
    let mut sections = Sections::default();
    let mut first = BTreeMap::new();
    let mut empty = false;
    for document in documents.iter().copied() {
        let Kind::Table(table) = &document.kind else {
            sections.place.get_or_insert(document.span);
            Field::new(document, out).wrong_type::<()>("sections (a table)");
            continue;
        };
        if let Some(entry) = super::contracts::entry(table) {
            match first.entry(("contract", entry.key.as_str())) {
                Slot::Occupied(first) => out.push(twice("contract", &entry.key, entry.key_span, *first.get())),
                Slot::Vacant(slot) => {
                    slot.insert(entry.key_span);
                    sections.contracts.push(Item { name: &entry.key, key: entry.key_span, node: &entry.value });
                }
            }
            continue;
        }
        // What is missing is missed in a file that holds nothing, if there is one.
        let blank = table.is_empty() && !std::mem::replace(&mut empty, true);
        if blank || sections.place.is_none() {
            sections.place = Some(document.span);
        }
        if is_class(document) {
            sections.classes.push(document);
            continue;
        }
        for entry in table {
            section(&mut sections, &mut first, table, entry, out);
        }
    }
    for items in sections.named.values_mut() {
        items.sort_by(|a, b| a.name.cmp(b.name));
    }
    sections.contracts.sort_by(|a, b| a.name.cmp(b.name));
    sections.classes.sort_by(|a, b| natural(id_of(a), id_of(b)));
    sections.invariants.sort_by(|a, b| id_of(a).cmp(id_of(b)));
    sections.serves.sort_by(|a, b| text_under("port", a).cmp(text_under("port", b)));
    sections
}

/// Whether a document is one class. One whose `id` is missing or misspelt is still a class.
pub(super) fn is_class(document: &Node) -> bool {
    let Kind::Table(table) = &document.kind else { return false };
    let parts = table.iter().filter(|entry| CLASS.has(&entry.key) && !SECTIONS.has(&entry.key)).count();
    table.entry("id").is_some() || (parts > 2 && parts * 2 > table.iter().count())
}

/// `first`: where each name of each section was declared first.
fn section<'n>(
    sections: &mut Sections<'n>,
    first: &mut BTreeMap<(&'static str, &'n str), Span>,
    table: &'n Table,
    entry: &'n Entry,
    out: &Diagnostics,
) {
    let mut key = entry.key.as_str();
    if !SECTIONS.has(key)
        && let Some(near) = suggest(key, SECTIONS.names())
    {
        // Read as what it is meant to be, so that not every name in it is unknown too.
        let found = Diagnostic::error(Code::UnknownKey, entry.key_span, format!("unknown section {}", quoted(key)));
        out.push(found.help(did_you_mean(key, near)));
        key = near;
    }
    if let Some(name) = named().find(|name| *name == key) {
        sections.headers.entry(name).or_insert(entry.key_span);
        let items = sections.named.entry(name).or_default();
        let Kind::Table(entries) = &entry.value.kind else {
            Field::new(&entry.value, out).wrong_type::<()>("a table");
            return;
        };
        for entry in entries {
            match first.entry((name, &entry.key)) {
                Slot::Occupied(first) => out.push(twice(name, &entry.key, entry.key_span, *first.get())),
                Slot::Vacant(slot) => {
                    slot.insert(entry.key_span);
                    items.push(Item { name: &entry.key, key: entry.key_span, node: &entry.value });
                }
            }
        }
    } else if lists().any(|name| name == key) {
        let Kind::List(items) = &entry.value.kind else {
            let what = match key {
                "invariant" => "invariants (a list: `[[invariant]]`)",
                "serve" => "served ports (a list: `[[serve]]`)",
                _ => "classes (a list: `[[transition]]`)",
            };
            Field::new(&entry.value, out).wrong_type::<()>(what);
            return;
        };
        let list = match key {
            "invariant" => &mut sections.invariants,
            "serve" => &mut sections.serves,
            _ => &mut sections.classes,
        };
        list.extend(items.iter().filter(|item| item.kind != Kind::Null));
    } else {
        let message = format!("unknown section {}", quoted(key));
        let found = Diagnostic::error(Code::UnknownKey, entry.key_span, message).about(Aspect::Stranger);
        let class_part = ["name", "title", "owner", "trigger", "requires", "entry", "do", "settle", "answer", "never"];
        out.push(if class_part.contains(&key) && table.entry("pack").is_none() {
            found.help("a file that holds one transition class has its `id` at the root")
        } else {
            found.help(format!("the sections are {}", listed(named().chain(lists()))))
        });
    }
}

/// A name that is declared twice.
pub(super) fn twice(kind: &str, name: &str, again: Span, first: Span) -> Diagnostic {
    let message = format!("{kind} {} is declared twice", quoted(name));
    Diagnostic::error(Code::DuplicateName, again, message)
        .label("declared again here")
        .also(first, "first declared here")
        .help("keep one of the two, or rename one")
}

/// The text under `id`, empty where there is none.
pub(super) fn id_of(node: &Node) -> &str {
    text_under("id", node)
}

fn text_under<'n>(key: &str, node: &'n Node) -> &'n str {
    match &node.kind {
        Kind::Table(table) => match table.get(key).map(|value| &value.kind) {
            Some(Kind::Text(text)) => text,
            _ => "",
        },
        _ => "",
    }
}

/// Natural order: runs of digits by their number, the rest by characters.
pub(super) fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let (x, y) = (run(left), run(right));
        if x.is_empty() || y.is_empty() {
            return x.len().cmp(&y.len()).then_with(|| a.cmp(b));
        }
        let digits = |t: &str| t.as_bytes()[0].is_ascii_digit();
        let order = if digits(x) && digits(y) {
            let (x, y) = (x.trim_start_matches('0'), y.trim_start_matches('0'));
            x.len().cmp(&y.len()).then_with(|| x.cmp(y))
        } else {
            x.cmp(y)
        };
        if order != Ordering::Equal {
            return order;
        }
        (left, right) = (&left[x.len()..], &right[y.len()..]);
    }
}

/// The leading digits, or all up to the next digit.
fn run(text: &str) -> &str {
    let digit = text.as_bytes().first().is_some_and(u8::is_ascii_digit);
    let end = text.bytes().position(|b| b.is_ascii_digit() != digit).unwrap_or(text.len());
    &text[..end]
}
