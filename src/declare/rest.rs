//! What is left of a pack when all that is wrong is taken out, so that the rest can be checked in the same run.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::diag::{Aspect, Code, Diagnostic, Diagnostics};
use crate::model::Pack;
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::{Entry, Format, Kind, Node, Table, parse};

use super::manifest::Member;
use super::merge::{BESIDE, id_of, is_class};
use super::paths::text_of;
use super::{Documents, Loaded, load};

/// The boundary of a pack that has none.
const BOUNDARY: &str = "no_boundary";

/// Sections whose entries are written out where they are named.
const WRITTEN_OUT: &[&str] =
    &["block", "command", "condition", "derive", "message", "part", "port", "signal", "table", "type"];

/// Sections of which an entry that is taken out changes nothing for those that do not name it.
const HARMLESS: &[&str] = &[
    "answer_mode",
    "block",
    "condition",
    "event",
    "frame",
    "message",
    "metric",
    "migration",
    "pack",
    "param",
    "port",
    "recording",
    "relative",
    "serve",
    "transition",
    "type",
    "uses",
];

/// Mistakes in which all that is meant to be used is named.
const NAMED: &[Code] = &[
    Code::BadPattern,
    Code::Contradiction,
    Code::CounterexampleMatched,
    Code::DuplicateItem,
    Code::DuplicateKey,
    Code::DuplicateName,
    Code::EndlessCalls,
    Code::ExampleNotMatched,
    Code::IdleTouches,
    Code::NotCarried,
    Code::NotOwner,
    Code::NotPresent,
    Code::OutOfRange,
    Code::OutsideCarryover,
    Code::PrecedenceCycle,
    Code::PreserveLost,
    Code::SyntaxError,
    Code::TwoBoundaries,
    Code::TwoValues,
];

/// The sound part of a pack.
#[derive(Debug)]
pub struct Rest<'d> {
    of: &'d Documents,
    nodes: Vec<Node>,
    left_out: LeftOut,
    /// Whether something has been taken out.
    begun: bool,
    mended: bool,
}

/// What was taken out of a pack because it is wrong: what is found in the rest may be so only because of that.
#[derive(Debug, Clone, Default)]
pub struct LeftOut {
    /// Of which sections: `transition`, `frame`, `invariant`, `pack.precedence`; `file` where that is not known.
    pub sections: BTreeSet<String>,
    /// All words in it and in what it is made of.
    pub words: BTreeSet<String>,
    /// The names that it declares.
    pub names: BTreeSet<String>,
    /// Whether it may declare any name.
    pub any_name: bool,
    /// Whether it may be meant to use anything, by whatever name: something is missing, or named by a name that is like no other.
    pub any_use: bool,
    /// Whether an event is named that nothing declares: turns of scenarios are called like events.
    pub any_event: bool,
    /// The place that stands for the boundary, where that was taken out.
    pub boundary: Option<Span>,
    /// What the boundary that was taken out is called.
    boundary_id: Option<String>,
    /// For each class of the rest whether one that was taken out precedes it.
    pub shadowed: Vec<bool>,
    /// The classes, for precedence.
    ghosts: Vec<Member>,
}

/// One step on the way to a value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Key(String),
    Item(usize),
}

impl<'d> Rest<'d> {
    /// All of a pack but the files that cannot be read.
    #[must_use]
    pub fn of(of: &'d Documents) -> Self {
        let mut left_out = LeftOut::of_used(of);
        for file in of.sources.files().filter(|file| of.node(*file).is_none() && !of.is_used(*file)) {
            let text = of.sources.text(file);
            // Nothing is known of it: it may declare anything.
            left_out.any_name |= text.is_empty();
            if of.sources.name(file) != super::OUTSIDE {
                left_out.file(text, Format::of_path(of.sources.name(file)));
            }
        }
        Self { of, nodes: of.nodes().cloned().collect(), left_out, begun: false, mended: false }
    }

    /// Takes out the declarations in which the errors lie, each the smallest that can do without. `false` where that is not
    /// possible, or nothing was taken out.
    pub fn leave_out(&mut self, errors: &[Diagnostic]) -> bool {
        let mut units: BTreeSet<(usize, Vec<Step>)> = BTreeSet::new();
        // Files that cannot be read are out from the beginning.
        let first = !std::mem::replace(&mut self.begun, true);
        let mut changed = first && !self.left_out.sections.is_empty();
        let is_blank =
            |error: &Diagnostic| error.code == Code::SaysNothing && self.of.is_blank(error.primary.span.file);
        if errors.iter().any(is_blank) {
            // Anything may be meant to be declared there.
            changed |= self.left_out.sections.insert("file".to_owned());
            (self.left_out.any_name, self.left_out.any_use) = (true, true);
        }
        for error in errors.iter().filter(|error| error.is_error() && !is_blank(error)) {
            let span = error.primary.span;
            let way = self.way(span);
            let precedence = [Step::Key("pack".to_owned()), Step::Key("precedence".to_owned())];
            // What is wrong later is so because of what was taken out, and names it; and precedence names classes only.
            if first && !way.as_ref().is_some_and(|(_, way)| way.starts_with(&precedence)) {
                self.left_out.blame(error);
            }
            if error.code == Code::NoBoundary {
                // Where none was taken out any class may be missing.
                self.left_out.any_name |= first;
                if !self.add_boundary(span) {
                    return false;
                }
                changed = true;
            } else if self.nodes.iter().any(|node| node.span.file == span.file) {
                let Some((at, way)) = way else { return false };
                match unit(&self.nodes[at], &way) {
                    Some(unit) => _ = units.insert((at, unit)),
                    None if way.first() == Some(&Step::Key("pack".into())) && self.mend(at, &way) => changed = true,
                    None => return false,
                }
            }
        }
        // The last one first, so that the places of the others stay.
        for (at, way) in units.into_iter().rev() {
            let Some(taken) = self.nodes.get(at).and_then(|node| follow(node, &way)) else { continue };
            self.left_out.take(&self.nodes[at], taken, &way, self.of);
            changed = true;
            if way.is_empty() {
                self.nodes.remove(at);
            } else {
                self.nodes[at] = without(&self.nodes[at], &way);
            }
        }
        changed
    }

    /// Reads what is left. No finding of it is one of the pack.
    #[must_use]
    pub fn declared(&mut self) -> (Vec<Diagnostic>, Option<Pack>) {
        let out = Diagnostics::new();
        let kind = (false, Some(self.left_out.ghosts.as_slice()));
        let nodes: Vec<&Node> = self.nodes.iter().collect();
        let Loaded { pack, partial, shadowed } = load(&self.of.sources, &nodes, &self.of.overrides, kind, &out);
        self.left_out.shadowed = shadowed;
        (out.into_sorted(), pack.filter(|_| !partial))
    }

    /// What was taken out, with all that is written out in it.
    #[must_use]
    pub fn left_out(&self) -> LeftOut {
        let mut left_out = self.left_out.clone();
        left_out.close(self.of);
        left_out
    }

    /// The deepest value in which a place lies.
    fn way(&self, span: Span) -> Option<(usize, Vec<Step>)> {
        let begin = Span { end: span.start, ..span };
        for place in [span, begin] {
            for (at, node) in self.nodes.iter().enumerate().filter(|(_, node)| node.span.file == span.file) {
                if let Some(mut way) = find(node, place) {
                    way.reverse();
                    return Some((at, way));
                }
            }
        }
        // A key that is given twice stands in no document: it is of what begins last before it.
        let mut last: Option<(u32, usize, Vec<Step>)> = None;
        for (at, node) in self.nodes.iter().enumerate().filter(|(_, node)| node.span.file == span.file) {
            each(node, &mut Vec::new(), &mut |start, way| {
                if start <= span.start && last.as_ref().is_none_or(|(before, ..)| *before <= start) {
                    last = Some((start, at, way.to_vec()));
                }
            });
        }
        last.map(|(_, at, way)| (at, way))
    }

    /// Puts texts where the manifest lacks them. They are shown nowhere.
    fn mend(&mut self, at: usize, way: &[Step]) -> bool {
        const TEXTS: [&str; 3] = ["id", "title", "aggregate"];
        let wrong = match way.get(1) {
            Some(Step::Key(key)) => TEXTS.contains(&key.as_str()),
            _ => true,
        };
        let Kind::Table(root) = &self.nodes[at].kind else { return false };
        let Some(pack) = root.entry("pack") else { return false };
        let Kind::Table(settings) = &pack.value.kind else { return false };
        if !wrong || std::mem::replace(&mut self.mended, true) || settings.entry("owner").is_none() {
            return false;
        }
        let place = pack.key_span;
        let kept = settings.iter().filter(|entry| !TEXTS.contains(&entry.key.as_str())).cloned();
        let texts = TEXTS.map(|key| Entry {
            key: key.into(),
            key_span: place,
            value: Node { span: place, kind: Kind::Text("left_out".into()) },
        });
        let settings =
            Node { span: pack.value.span, kind: Kind::Table(Table::new(kept.chain(texts).collect::<Vec<_>>())) };
        let entries = root.iter().map(|entry| match entry.key.as_str() {
            "pack" => Entry { value: settings.clone(), ..entry.clone() },
            _ => entry.clone(),
        });
        self.nodes[at] = Node { span: self.nodes[at].span, kind: Kind::Table(Table::new(entries.collect::<Vec<_>>())) };
        self.left_out.sections.insert("pack".to_owned());
        true
    }

    /// Puts a class in place of the boundary.
    fn add_boundary(&mut self, place: Span) -> bool {
        let found = |way: &[&str]| {
            let way: Vec<Step> = way.iter().map(|key| Step::Key((*key).to_owned())).collect();
            self.nodes.iter().filter(|node| !is_class(node)).find_map(|node| follow(node, &way))
        };
        let key = |way: &[&str]| match found(way).map(|node| &node.kind) {
            Some(Kind::Table(table)) => table.iter().next().map(|entry| entry.key.clone()),
            _ => None,
        };
        let texts = |way: &[&str]| match found(way).map(|node| &node.kind) {
            Some(Kind::List(items)) => items.iter().filter_map(text_of).map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        let (Some(mode), Some(owner)) = (key(&["answer_mode"]), texts(&["pack", "owner"]).into_iter().next()) else {
            return false;
        };
        let mut carryover: Vec<String> =
            texts(&["pack", "decide"]).iter().map(|frame| format!("fate.{frame} = 'keep'")).collect();
        if found(&["carryover"]).is_some() {
            let Some(depth) = key(&["carryover", "depth"]) else { return false };
            carryover.push(format!("depth = '{depth}', keep = [], forbid = [], preserve = []"));
        }
        let carryover = match carryover.as_slice() {
            [] => String::new(),
            parts => format!("carryover = {{ {} }}\n", parts.join(", ")),
        };
        if self.left_out.boundary.replace(place).is_some() {
            return false;
        }
        let id = self.left_out.boundary_id.as_deref().unwrap_or(BOUNDARY);
        let text = format!(
            "id = '{id}'\nname = 'b'\ntitle = 'b'\ndoc = 'b'\nowner = '{owner}'\ntrigger = [{{ event = 'boundary' }}]\n\
             requires = {{}}\nentry = {{}}\ndo = []\n{carryover}answer = {{ mode = '{mode}' }}\nnever = []\n"
        );
        let Some(mut class) = parse(place.file, &text, Format::Toml, &Diagnostics::new()) else { return false };
        moved(&mut class, place);
        self.nodes.push(class);
        self.left_out.sections.insert("transition".to_owned());
        self.left_out.words.insert("boundary".to_owned());
        true
    }
}

impl LeftOut {
    /// What goes with the packs that are used: what bears their names.
    #[must_use]
    pub fn of_used(documents: &Documents) -> Self {
        Self { names: documents.uses().into_iter().map(|of| of.name.0).collect(), ..Self::default() }
    }

    /// Whether all that is left means what it means in the whole pack: nothing was taken out that decides what is heard in a text,
    /// which states there are or which class precedes which.
    #[must_use]
    pub fn keeps_meaning(&self) -> bool {
        self.sections.iter().all(|section| HARMLESS.contains(&section.as_str()))
    }

    /// What was meant where something is wrong.
    fn blame(&mut self, error: &Diagnostic) {
        let meant = error.help.as_deref().and_then(|help| help.strip_prefix("did you mean `")?.split('`').next());
        match meant {
            Some(name) => self.words.extend(words(name).map(str::to_owned)),
            None => self.any_use |= !NAMED.contains(&error.code),
        }
        self.any_event |= error.aspect == Aspect::Event;
    }

    /// A file that cannot be read.
    fn file(&mut self, text: &str, format: Option<Format>) {
        let words: BTreeSet<String> = words(text).map(str::to_owned).collect();
        let head = text.lines().take_while(|line| !line.starts_with('['));
        let id = head.filter_map(|line| line.strip_prefix("id")).find_map(|rest| {
            let sign = if format == Some(Format::Toml) { '=' } else { ':' };
            rest.trim_start().strip_prefix(sign).and_then(|value| self::words(value).next())
        });
        self.any_name |= words.is_empty() || words.contains("for_each");
        self.names.extend(words.iter().cloned());
        self.words.extend(words);
        match id {
            Some(id) if !self.words.contains("group") => {
                self.sections.insert("transition".to_owned());
                if self.words.contains("boundary") && text.contains("event") {
                    self.boundary_id.get_or_insert_with(|| id.to_owned());
                }
                self.ghosts.push(Member { id: id.to_owned(), groups: Vec::new(), span: nowhere() });
            }
            _ => _ = self.sections.insert("file".to_owned()),
        }
    }

    /// Remembers what is taken out of a document.
    fn take(&mut self, root: &Node, taken: &Node, way: &[Step], all: &Documents) {
        let key = |at: usize| match way.get(at) {
            Some(Step::Key(key)) => key.as_str(),
            _ => "",
        };
        let mut own = BTreeSet::new();
        way.iter().for_each(|step| {
            if let Step::Key(key) = step {
                own.insert(key.clone());
            }
        });
        words_in(taken, &mut own);
        let class = is_class(root) || key(0) == "transition";
        match (key(0), key(2)) {
            _ if class => _ = self.sections.insert("transition".to_owned()),
            ("pack", _) => _ = self.sections.insert(format!("pack.{}", key(1))),
            (_, "invariant") => _ = self.sections.insert("invariant".to_owned()),
            (section, _) => {
                self.sections.insert(section.to_owned());
                if section == "frame" && own.contains("invariant") {
                    self.sections.insert("invariant".to_owned());
                }
            }
        }
        if class {
            self.class(taken, all, &mut own);
        } else {
            self.declared(root, taken, way);
        }
        self.words.extend(own);
    }

    /// The names by which what is taken out can be spoken of where nothing else of it is named.
    fn declared(&mut self, root: &Node, taken: &Node, way: &[Step]) {
        let key = |at: usize| match way.get(at) {
            Some(Step::Key(key)) => key.as_str(),
            _ => "",
        };
        let text = |node: &Node, key: &str| match &node.kind {
            Kind::Table(table) => table.get(key).and_then(text_of).map(str::to_owned),
            _ => None,
        };
        // Nothing else names a recording, a metric or a migration.
        if BESIDE.contains(&key(0)) {
            return;
        }
        match way.last() {
            Some(Step::Key(name)) => _ = self.names.insert(name.clone()),
            _ => self.names.extend(text(taken, "id")),
        }
        match key(0) {
            // A turn of a scenario is called as its event, or as the event says.
            "event" => {
                self.names.insert(key(1).to_owned());
                self.names.extend(follow(root, &way[..2.min(way.len())]).and_then(|event| text(event, "turn")));
            }
            "table" => {
                let rows = super::triggers::items(taken, "row").iter();
                self.names.extend(rows.filter_map(|row| text(row, "id")));
            }
            _ => {}
        }
        // Of a whole section all of its names.
        if let (1, Kind::Table(table)) = (way.len(), &taken.kind) {
            self.names.extend(table.iter().map(|entry| entry.key.to_string()));
        }
    }

    fn class(&mut self, class: &Node, all: &Documents, words: &mut BTreeSet<String>) {
        let classes = match &class.kind {
            Kind::List(items) => &**items,
            _ => std::slice::from_ref(class),
        };
        for class in classes {
            let Kind::Table(table) = &class.kind else { continue };
            let groups = super::triggers::items(class, "group").iter().filter_map(text_of).map(str::to_owned).collect();
            self.ghosts.push(Member { id: id_of(class).to_owned(), groups, span: class.span });
            self.names.insert(id_of(class).to_owned());
            let is_boundary = |trigger: &Node| match &trigger.kind {
                Kind::Table(table) => table.get("event").and_then(text_of) == Some("boundary"),
                _ => false,
            };
            if !id_of(class).is_empty() && super::triggers::items(class, "trigger").iter().any(is_boundary) {
                self.boundary_id.get_or_insert_with(|| id_of(class).to_owned());
            }
            reasons(class, &mut self.names);
            let Some(each) = table.get("for_each") else { continue };
            self.any_name = true;
            let Kind::Table(each) = &each.kind else { continue };
            let Some(name) = each.get("table").and_then(text_of) else { continue };
            for document in all.nodes() {
                let way = [Step::Key("table".into()), Step::Key(name.to_owned())];
                follow(document, &way).into_iter().for_each(|table| words_in(table, words));
            }
        }
    }

    /// Adds the words of what is written out where it is named.
    fn close(&mut self, documents: &Documents) {
        let mut open = true;
        let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
        while std::mem::take(&mut open) {
            for document in documents.nodes() {
                for section in WRITTEN_OUT {
                    let Some(Kind::Table(table)) =
                        follow(document, &[Step::Key((*section).to_owned())]).map(|node| &node.kind)
                    else {
                        continue;
                    };
                    for entry in table {
                        if self.words.contains(entry.key.as_str()) && seen.insert((section, &entry.key)) {
                            words_in(&entry.value, &mut self.words);
                            open = true;
                        }
                    }
                }
            }
        }
    }

    /// Whether a text names anything that was taken out.
    #[must_use]
    pub fn names(&self, text: &str) -> bool {
        self.any_name || words(text).any(|word| self.names.contains(word))
    }

    /// Whether all places of a finding are places of the pack.
    #[must_use]
    pub fn is_placed(&self, found: &Diagnostic, sources: &SourceMap) -> bool {
        let files = sources.files().count();
        let mut places = std::iter::once(&found.primary).chain(&found.secondary).map(|label| label.span);
        places.all(|span| (span.file.0 as usize) < files && Some(span) != self.boundary)
    }
}

fn nowhere() -> Span {
    Span { file: FileId(0), start: 0, end: 0 }
}

/// The words of a text that may be names.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').filter(|word| !word.is_empty())
}

fn words_in(node: &Node, all: &mut BTreeSet<String>) {
    match &node.kind {
        Kind::Text(text) => all.extend(words(text).map(str::to_owned)),
        Kind::List(items) => items.iter().for_each(|item| words_in(item, all)),
        Kind::Table(table) => {
            for entry in table {
                all.extend(words(&entry.key).map(str::to_owned));
                words_in(&entry.value, all);
            }
        }
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Date(_) => {}
    }
}

/// The reasons that a class names.
fn reasons(node: &Node, all: &mut BTreeSet<String>) {
    match &node.kind {
        Kind::List(items) => items.iter().for_each(|item| reasons(item, all)),
        Kind::Table(table) => {
            for entry in table {
                if entry.key == "reason" {
                    all.extend(text_of(&entry.value).map(str::to_owned));
                }
                reasons(&entry.value, all);
            }
        }
        _ => {}
    }
}

/// All places of a node become one.
fn moved(node: &mut Node, place: Span) {
    node.span = place;
    match &mut node.kind {
        Kind::List(items) => Arc::make_mut(items).iter_mut().for_each(|item| moved(item, place)),
        Kind::Table(table) => {
            let entries = table.iter().cloned().map(|mut entry| {
                entry.key_span = place;
                moved(&mut entry.value, place);
                entry
            });
            *table = Table::new(entries.collect::<Vec<_>>());
        }
        _ => {}
    }
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The steps to what holds a place, the last one first: nothing is written down on the way to what does not.
fn find(node: &Node, place: Span) -> Option<Vec<Step>> {
    let step = |mut way: Vec<Step>, step: Step| {
        way.push(step);
        way
    };
    let found = match &node.kind {
        Kind::Table(table) => table.iter().find_map(|entry| {
            let found = if holds(entry.key_span, place) { Some(Vec::new()) } else { find(&entry.value, place) };
            found.map(|way| step(way, Step::Key(entry.key.to_string())))
        }),
        Kind::List(items) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(at, item)| find(item, place).map(|way| step(way, Step::Item(at))))
        }
        _ => None,
    };
    found.or_else(|| holds(node.span, place).then(Vec::new))
}

fn each(node: &Node, way: &mut Vec<Step>, see: &mut dyn FnMut(u32, &[Step])) {
    see(node.span.start, way);
    match &node.kind {
        Kind::Table(table) => {
            for entry in table {
                way.push(Step::Key(entry.key.to_string()));
                see(entry.key_span.start, way);
                each(&entry.value, way, see);
                way.pop();
            }
        }
        Kind::List(items) => {
            for (at, item) in items.iter().enumerate() {
                way.push(Step::Item(at));
                each(item, way, see);
                way.pop();
            }
        }
        _ => {}
    }
}

fn follow<'n>(node: &'n Node, way: &[Step]) -> Option<&'n Node> {
    way.iter().try_fold(node, |node, step| match (&node.kind, step) {
        (Kind::Table(table), Step::Key(key)) => table.get(key),
        (Kind::List(items), Step::Item(at)) => items.get(*at),
        _ => None,
    })
}

/// A node without what a way leads to.
fn without(node: &Node, way: &[Step]) -> Node {
    let (step, rest) = way.split_first().expect("a way of some length");
    let kind = match (&node.kind, step) {
        (Kind::Table(table), Step::Key(key)) => {
            let entries = table.iter().filter(|entry| entry.key != *key || !rest.is_empty()).map(|entry| {
                match entry.key == *key {
                    true => Entry { value: without(&entry.value, rest), ..entry.clone() },
                    false => entry.clone(),
                }
            });
            Kind::Table(Table::new(entries.collect::<Vec<_>>()))
        }
        (Kind::List(items), Step::Item(at)) => {
            let items = items.iter().enumerate().filter(|(place, _)| place != at || !rest.is_empty());
            let items = items.map(|(place, item)| if place == *at { without(item, rest) } else { item.clone() });
            Kind::List(items.collect())
        }
        (kind, _) => kind.clone(),
    };
    Node { span: node.span, kind }
}

/// The smallest declaration that a way leads into and that a pack can do without.
fn unit(root: &Node, way: &[Step]) -> Option<Vec<Step>> {
    if is_class(root) {
        return Some(Vec::new());
    }
    let key = |at: usize| match way.get(at) {
        Some(Step::Key(key)) => key.as_str(),
        _ => "",
    };
    let length = match (key(0), key(1), key(2)) {
        ("", ..) => return None,
        ("pack", "" | "id" | "title" | "aggregate" | "owner", _) => return None,
        ("carryover", "depth", name) if !name.is_empty() => 3,
        ("carryover", ..) => return None,
        ("frame", _, "field" | "invariant")
        | ("event", _, "field")
        | ("table", _, "row")
        | ("signal" | "part", _, "rule") => 4,
        _ => 2,
    };
    // What holds the declaration is at fault itself where the way ends before it.
    let whole = if way.len() < length { 2 } else { length };
    Some(way[..whole.min(way.len())].to_vec())
}
