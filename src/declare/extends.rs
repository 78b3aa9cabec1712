//! A pack that extends another one: what that one declares counts as its own, but for what is replaced or removed.

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::{Code, Diagnostic, did_you_mean, quoted, suggest};
use crate::language::{self, SECTIONS, Value};
use crate::source::{FileId, Span};
use crate::syntax::{Entry, Kind, Node, Table};

use super::contracts::{MARK, entry};
use super::cx::Cx;
use super::merge::{Sections, id_of, is_class, named};
use super::paths::text_of;
use super::uses::{is_folder, not_beside, under};
use super::{Document, Documents};

/// Sections of settings: each key by itself is that of the pack or, where it has none, of the one that it extends.
const SETTINGS: [&str; 3] = ["pack", "carryover", "lexicon"];
/// What a manifest says of its own pack only.
const OWN: [&str; 6] = ["id", "title", "doc", "extends", "replace", "remove"];

/// How contracts are named under `replace` and `remove`.
const CONTRACT: &str = "contract";

/// What a pack takes over: a name as `replace` and `remove` write it, and where it is declared.
type Names = BTreeMap<String, Span>;

/// What a pack that extends another one says about that.
struct Extends<'d> {
    folder: &'d str,
    span: Span,
    /// What it declares anew, and what is left out.
    replace: Vec<(&'d str, Span)>,
    remove: Vec<(&'d str, Span)>,
    /// The settings that it makes itself, as `section.key`.
    settings: BTreeSet<String>,
    /// Enums of the other one to which it adds values.
    enlarged: BTreeSet<&'d str>,
    /// What it declares itself.
    declared: Names,
    /// Whether files of it cannot be read: what it declares anew may stand there.
    partial: bool,
}

impl Documents {
    /// The folder of the pack that this one extends.
    pub(super) fn extends(&self) -> Option<&str> {
        Extends::of(self).map(|extends| extends.folder)
    }

    /// The same with what the pack extends taken in.
    pub(super) fn extended(self) -> Self {
        self.extended_below(&mut Vec::new())
    }

    /// `above`: the folders of the packs that lead here.
    fn extended_below(self, above: &mut Vec<String>) -> Self {
        let Some(mut extends) = Extends::of(&self) else {
            // Which pack is extended may stand in a file that cannot be read.
            let unread = |(file, document): (FileId, &Document)| {
                document.pack.is_none()
                    && document.node.is_none()
                    && self.sources.text(file).lines().any(|line| line.trim_start().starts_with("extends"))
            };
            let rootless = self.rootless || self.sources.files().zip(&self.read).any(unread);
            return Self { rootless, ..self };
        };
        let base = match self.base_of(&extends, above) {
            Ok(base) => base,
            Err(found) => return Self { found: vec![found], rootless: true, ..self },
        };
        let mut found = base.found.clone();
        let mut theirs = Names::new();
        let mut enums = BTreeMap::new();
        for node in base.nodes() {
            names(node, &mut theirs);
            values(node, &mut enums);
        }
        extends.enlarged = extends.enlarged.iter().map(|name| meant(name, &enums)).collect();
        let twice = extends.enums_twice(&theirs);
        if !base.rootless {
            extends.judge(&theirs, &mut found);
        }
        self.nodes().for_each(|node| only_added(node, &mut found));
        let mut read = Vec::with_capacity(self.read.len());
        for (own, other) in self.read.iter().zip(&base.read) {
            read.push(match (&own.pack, &other.pack) {
                (None, _) => {
                    Document { node: own.node.as_ref().map(|node| with_values(node, &enums, &twice)), ..own.clone() }
                }
                (Some(_), None) => Document {
                    node: other.node.as_ref().and_then(|node| extends.taken_over(node)),
                    pack: None,
                    base: true,
                    ..other.clone()
                },
                (Some(_), Some(_)) => own.clone(),
            });
        }
        // Without a manifest it is no pack that something could be said of.
        let has_manifest = base.nodes().any(|node| !is_class(node) && under(node, "pack").is_some());
        let (folder, rootless) = (Some(extends.folder.to_owned()), base.rootless || !has_manifest);
        let Self { sources, read: plain, overrides, missing, .. } = self;
        Self { sources, read, plain: Some(plain), base: folder, rootless, found, overrides, missing }
    }

    /// The pack that is extended, with what it extends itself.
    fn base_of(&self, extends: &Extends<'_>, above: &mut Vec<String>) -> Result<Self, Diagnostic> {
        let (folder, span) = (extends.folder, extends.span);
        if !is_folder(folder) {
            return Err(not_beside(folder, span));
        }
        if let Some(first) = above.iter().position(|other| other == folder) {
            let way: Vec<&str> = above[first..].iter().map(String::as_str).chain([folder]).collect();
            let message = format!("a pack extends itself: {}", way.join(" → "));
            let found = Diagnostic::error(Code::LeadsBack, span, message);
            return Err(found.help("let one of them stand on its own"));
        }
        let base = self.plain(folder).map_err(|help| {
            let message = format!("there is no pack {} beside this one", quoted(folder));
            Diagnostic::error(Code::UnknownName, span, message).help(match help.as_str() {
                "" => "write the name of a folder beside that of this pack",
                help => help,
            })
        })?;
        above.push(folder.to_owned());
        Ok(base.extended_below(above))
    }
}

impl<'d> Extends<'d> {
    /// What the files of the pack say, as far as that can be read.
    fn of(documents: &'d Documents) -> Option<Self> {
        let manifest = |key: &str| documents.nodes().find_map(|node| under(under(node, "pack")?, key));
        let extends = manifest("extends")?;
        let folder = text_of(extends)?;
        let list = |key: &str| {
            let items = match manifest(key).map(|node| &node.kind) {
                Some(Kind::List(items)) => items,
                _ => return Vec::new(),
            };
            items.iter().filter_map(|item| Some((text_of(item)?, item.span))).collect::<Vec<_>>()
        };
        let (mut declared, mut settings, mut enlarged) = (Names::new(), BTreeSet::new(), BTreeSet::new());
        for node in documents.nodes() {
            names(node, &mut declared);
            for section in SETTINGS {
                if let Some(Kind::Table(table)) =
                    under(node, section).filter(|_| !is_class(node)).map(|node| &node.kind)
                {
                    settings.extend(table.iter().map(|entry| format!("{section}.{}", entry.key)));
                }
            }
            if let Some(Kind::Table(enums)) = under(node, "enum").map(|node| &node.kind) {
                enlarged
                    .extend(enums.iter().filter(|entry| added(&entry.value).is_some()).map(|entry| entry.key.as_str()));
            }
        }
        declared.retain(|name, _| !name.strip_prefix("enum.").is_some_and(|name| enlarged.contains(name)));
        let (replace, remove) = (list("replace"), list("remove"));
        let partial = documents.own().any(|document| !document.faults.is_empty());
        Some(Self { folder, span: extends.span, replace, remove, settings, enlarged, declared, partial })
    }

    /// Whether something of the other pack is not taken over.
    fn leaves(&self, name: &str) -> bool {
        self.remove.iter().any(|(said, _)| *said == name)
            || (self.partial && self.replace.iter().any(|(said, _)| *said == name))
            || self.declared.contains_key(name)
            || name.strip_prefix("enum.").is_some_and(|name| self.enlarged.contains(name))
    }

    /// The enums that both packs declare, and that are neither added to nor replaced: values are to be added most likely.
    fn enums_twice(&self, theirs: &Names) -> BTreeSet<String> {
        let replaced = |name: &String| self.replace.iter().any(|(said, _)| said == name);
        let both = self.declared.keys().filter(|name| theirs.contains_key(*name) && !replaced(name));
        both.filter_map(|name| name.strip_prefix("enum.")).map(str::to_owned).collect()
    }

    /// Finds names that are none, and what both packs declare.
    fn judge(&self, theirs: &Names, found: &mut Vec<Diagnostic>) {
        let folder = quoted(self.folder);
        for (name, span) in self.replace.iter().chain(&self.remove) {
            if !theirs.contains_key(*name) {
                let message = format!("{folder} declares no {}", quoted(name));
                let help = match suggest(name, theirs.keys().map(String::as_str)) {
                    Some(near) => did_you_mean(name, near),
                    None => {
                        "name a class by its id, anything else by its section and its name, such as `block.ask`".into()
                    }
                };
                found.push(Diagnostic::error(Code::UnknownName, *span, message).help(help));
            }
        }
        for (name, span) in &self.remove {
            if let Some((_, other)) = self.replace.iter().find(|(said, _)| said == name) {
                let message = format!("{} is removed and replaced", quoted(name));
                let both = Diagnostic::error(Code::Contradiction, *span, message).also(*other, "replaced here");
                found.push(both.help("keep one of the two"));
            }
        }
        for (name, span) in &self.replace {
            if theirs.contains_key(*name) && !self.declared.contains_key(*name) {
                let message = format!("{} is to be replaced, and this pack declares none", quoted(name));
                found.push(
                    Diagnostic::error(Code::UnknownName, *span, message).help("declare it, or write it under `remove`"),
                );
            }
        }
        for (name, span) in &self.declared {
            let Some(first) = theirs.get(name) else { continue };
            if !self.replace.iter().any(|(said, _)| said == name) {
                let message = format!("{folder}, which this pack extends, declares {} as well", quoted(name));
                let found_here = Diagnostic::error(Code::DuplicateName, *span, message).also(*first, "declared here");
                let replace = format!("write `replace = [\"{name}\"]` in the manifest, or rename one of the two");
                found.push(found_here.help(match name.strip_prefix("enum.") {
                    Some(name) => {
                        format!("to add values write `{name} = {{ add = [ … ] }}`; to have these alone {replace}")
                    }
                    None => replace,
                }));
            }
        }
    }

    /// Chains of precedence without the classes that are left out.
    fn shortened(&self, node: &Node) -> Node {
        let left_out = |node: &Node| text_of(node).is_some_and(|id| self.remove.iter().any(|(name, _)| *name == id));
        let kind = match &node.kind {
            Kind::List(items) => {
                let items = items.iter().filter(|item| !left_out(item)).map(|item| self.shortened(item));
                Kind::List(items.filter(|item| !matches!(&item.kind, Kind::List(chain) if chain.is_empty())).collect())
            }
            other => other.clone(),
        };
        Node { span: node.span, kind }
    }

    /// A document of the other pack without what is not taken over; nothing where nothing is left.
    fn taken_over(&self, node: &Node) -> Option<Node> {
        if is_class(node) {
            return (!self.leaves(id_of(node))).then(|| node.clone());
        }
        let Kind::Table(table) = &node.kind else { return Some(node.clone()) };
        if entry(table).is_some_and(|contract| self.leaves(&format!("{CONTRACT}.{}", contract.key))) {
            return None;
        }
        let sections = table.iter().map(|entry| {
            let section = section_of(entry);
            let kind = match &entry.value.kind {
                Kind::Table(entries) => {
                    let stays = |entry: &&Entry| {
                        let name = format!("{section}.{}", entry.key);
                        match SETTINGS.contains(&section) {
                            true => {
                                let own = section == "pack" && OWN.contains(&entry.key.as_str());
                                !own && !self.settings.contains(&name)
                            }
                            false => !self.leaves(&name),
                        }
                    };
                    let kept = entries.iter().filter(stays).cloned();
                    let kept = kept.map(|entry| match (section, entry.key.as_str()) {
                        ("pack", "precedence") => Entry { value: self.shortened(&entry.value), ..entry },
                        _ => entry,
                    });
                    Kind::Table(Table::new(kept.collect::<Vec<_>>()))
                }
                Kind::List(items) => {
                    let stays = |item: &&Node| !self.leaves(&listed(section, item));
                    Kind::List(items.iter().filter(stays).cloned().collect())
                }
                other => other.clone(),
            };
            Entry { value: Node { span: entry.value.span, kind }, ..entry.clone() }
        });
        let kind = Kind::Table(Table::new(sections.collect::<Vec<_>>()));
        Some(Node { span: node.span, kind })
    }
}

/// The section that an entry of a document is: a contract, which has a file of its own, is named like the rest.
fn section_of(entry: &Entry) -> &str {
    if entry.key == MARK { CONTRACT } else { &entry.key }
}

/// How an item of a list section is named.
fn listed(section: &str, item: &Node) -> String {
    match section {
        "transition" => id_of(item).to_owned(),
        "serve" => format!("serve.{}", under(item, "port").and_then(text_of).unwrap_or_default()),
        _ => format!("{section}.{}", id_of(item)),
    }
}

/// The names that a document declares, as `replace` and `remove` write them, and where.
fn names(node: &Node, into: &mut Names) {
    let place = |node: &Node, key: &str| under(node, key).map_or(node.span, |node| node.span);
    if is_class(node) {
        into.entry(id_of(node).to_owned()).or_insert(place(node, "id"));
        return;
    }
    let Kind::Table(table) = &node.kind else { return };
    for entry in table {
        let section = section_of(entry);
        let named = section == CONTRACT || named().any(|name| name == section);
        match &entry.value.kind {
            Kind::Table(entries) if named && !SETTINGS.contains(&section) => {
                for entry in entries {
                    into.entry(format!("{section}.{}", entry.key)).or_insert(entry.key_span);
                }
            }
            Kind::List(items)
                if SECTIONS.keys().any(|key| key.name == section && matches!(key.value, Value::List(_))) =>
            {
                for item in items.iter() {
                    let name = listed(section, item);
                    if !name.is_empty() && !name.ends_with('.') {
                        into.entry(name).or_insert(place(item, if section == "serve" { "port" } else { "id" }));
                    }
                }
            }
            _ => {}
        }
    }
}

/// The values of the enums of a document.
fn values<'n>(node: &'n Node, into: &mut BTreeMap<&'n str, &'n Node>) {
    if let Some(Kind::Table(enums)) = under(node, "enum").filter(|_| !is_class(node)).map(|node| &node.kind) {
        into.extend(enums.iter().map(|entry| (entry.key.as_str(), &entry.value)));
    }
}

/// What `{ add = [ … ] }` adds.
pub(super) fn added(node: &Node) -> Option<&[Node]> {
    match under(node, "add").map(|node| &node.kind) {
        Some(Kind::List(items)) => Some(items),
        _ => None,
    }
}

/// Finds what else is said where values are added to an enum.
fn only_added(node: &Node, found: &mut Vec<Diagnostic>) {
    let Some(Kind::Table(enums)) = under(node, "enum").filter(|_| !is_class(node)).map(|node| &node.kind) else {
        return;
    };
    for entry in enums.iter().filter(|entry| added(&entry.value).is_some()) {
        let Kind::Table(table) = &entry.value.kind else { continue };
        for key in table.iter().filter(|key| !language::ADDED.has(&key.key)) {
            let message = format!("unknown key {} in {}", quoted(&key.key), language::ADDED.what);
            found.push(Diagnostic::error(Code::UnknownKey, key.key_span, message).help("the only key here is `add`"));
        }
    }
}

/// The enum that a name means.
fn meant<'n>(name: &'n str, theirs: &BTreeMap<&'n str, &Node>) -> &'n str {
    match theirs.contains_key(name) {
        true => name,
        false => suggest(name, theirs.keys().copied()).unwrap_or(name),
    }
}

/// A document in which enums that add to those of another pack, and those that both declare by mistake, hold the values of both.
fn with_values(node: &Node, theirs: &BTreeMap<&str, &Node>, twice: &BTreeSet<String>) -> Node {
    let Kind::Table(table) = &node.kind else { return node.clone() };
    let Some(Kind::Table(enums)) = table.get("enum").filter(|_| !is_class(node)).map(|node| &node.kind) else {
        return node.clone();
    };
    let both = |entry: &Entry| -> Vec<Entry> {
        let name = meant(&entry.key, theirs);
        let kind = match (theirs.get(name).map(|node| &node.kind), added(&entry.value), &entry.value.kind) {
            (Some(Kind::List(theirs)), Some(more), _) => Kind::List(theirs.iter().chain(more).cloned().collect()),
            (Some(Kind::List(theirs)), None, Kind::List(own)) if twice.contains(name) => {
                let is_known = |node: &&Node| theirs.iter().any(|other| text_of(other) == text_of(node));
                Kind::List(theirs.iter().chain(own.iter().filter(|node| !is_known(node))).cloned().collect())
            }
            _ => return vec![entry.clone()],
        };
        let value = Node { span: entry.value.span, kind };
        match entry.key == *name {
            true => vec![Entry { value, ..entry.clone() }],
            // A misspelt name is reported where enums are read, and what is meant has its values all the same.
            false => vec![entry.clone(), Entry { key: name.into(), value, ..entry.clone() }],
        }
    };
    let enums = Kind::Table(Table::new(enums.iter().flat_map(both).collect::<Vec<_>>()));
    let sections = table.iter().map(|entry| match entry.key == "enum" {
        true => Entry { value: Node { span: entry.value.span, kind: enums.clone() }, ..entry.clone() },
        false => entry.clone(),
    });
    Node { span: node.span, kind: Kind::Table(Table::new(sections.collect::<Vec<_>>())) }
}

/// `extends`, `replace` and `remove` as they are written; what they name is looked for where the other pack is taken in.
pub(super) fn written(cx: &Cx<'_>, sections: &Sections<'_>) {
    let extends = sections.setting("pack", &language::MANIFEST, "extends");
    extends.map(|node| cx.word(node));
    for key in ["replace", "remove"] {
        let Some(item) = sections.item("pack", key) else { continue };
        if extends.is_none() {
            let message = format!("a pack that extends none has nothing to {key}");
            cx.error_help(Code::UnknownKey, item.key, message, "add `extends = \"…\"`, or leave it out");
            continue;
        }
        for node in cx.list(item.node, "names of declarations").unwrap_or_default() {
            cx.word(node);
        }
    }
}
