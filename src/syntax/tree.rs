//! The tree under construction that all three readers share: keys once, dotted keys merged, depth and size bounded.

use std::collections::HashMap;
use std::sync::Arc;

use smallvec::SmallVec;
use smol_str::SmolStr;

use super::slip::Slip;
use super::{Entry, Kind, Limits, Node, Table};
use crate::diag::alike::sign;
use crate::diag::{Code, Diagnostic, Diagnostics, quoted};
use crate::source::{FileId, Span};

/// Findings about one text after which the rest is not reported.
const MOST_REPORTS: usize = 500;

/// A node of the [`Tree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Id(u32);

/// One part of a key, with its place.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub text: SmolStr,
    pub span: Span,
}

/// A key: one part mostly, several where it is dotted.
pub(super) type Key = SmallVec<[Part; 1]>;

/// How a table came to be, which decides what may be added to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// Written as a value: nothing may be added.
    Value,
    /// By dotted keys: more of them may follow.
    Dotted,
    /// On the way to a `[longer.header]`: its own header may follow.
    Passed,
    /// By a `[header]`: only longer headers may follow.
    Header,
}

/// The entries of a table so far.
#[expect(clippy::box_collection, reason = "nearly all tables are short, and each is moved")]
#[derive(Debug, Clone, Default)]
struct Entries {
    list: Vec<(SmolStr, Span, Id)>,
    /// Where each key is in the list; nothing while the list is short.
    by_key: Option<Box<HashMap<SmolStr, usize>>>,
}

impl Entries {
    /// As long a list is searched as it is.
    const SHORT: usize = 12;

    fn get(&self, key: &str) -> Option<(Span, Id)> {
        let found = match &self.by_key {
            None => self.list.iter().find(|(known, ..)| known == key),
            Some(by_key) => by_key.get(key).map(|at| &self.list[*at]),
        };
        found.map(|(_, span, id)| (*span, *id))
    }

    /// Where a key that is there stands in the list.
    fn position(&self, key: &str) -> usize {
        let found = match &self.by_key {
            None => self.list.iter().position(|(known, ..)| known == key),
            Some(by_key) => by_key.get(key).copied(),
        };
        found.unwrap_or_default()
    }

    /// Adds an entry; its key is new.
    fn add(&mut self, key: &SmolStr, span: Span, id: Id) {
        self.list.push((key.clone(), span, id));
        if self.list.len() > Self::SHORT {
            let by_key = self.by_key.get_or_insert_default();
            let new = self.list.iter().enumerate().skip(by_key.len());
            by_key.extend(new.map(|(at, (key, ..))| (key.clone(), at)));
        }
    }
}

#[derive(Debug, Clone)]
enum Raw {
    /// Nothing, and it has been reported.
    Bad,
    Leaf(Kind),
    List {
        items: Vec<Id>,
        of_headers: bool,
    },
    Table {
        entries: Entries,
        origin: Origin,
    },
    Alias(Id),
}

#[derive(Debug)]
struct Building {
    span: Span,
    depth: u32,
    /// Whether it is wanted more than once.
    shared: bool,
    raw: Raw,
}

/// The tree under construction, and the sink for what is wrong with it.
pub(super) struct Tree<'t> {
    pub file: FileId,
    pub text: &'t str,
    pub limits: Limits,
    out: &'t Diagnostics,
    reports: usize,
    nodes: Vec<Building>,
    /// Set once a limit is exceeded: there is no tree then.
    pub stopped: bool,
    /// Whether a null is a value like others, not a fault.
    pub nulls: bool,
    /// How messages call the text.
    pub what: &'static str,
    /// The last key that was given twice: its table, how many keys that had, and as the how manieth it was first given.
    again: Option<(Id, usize, usize)>,
    /// Where something was told that makes the rest of its line one that cannot be read.
    pub told_at: Option<usize>,
}

impl<'t> Tree<'t> {
    pub fn new(file: FileId, text: &'t str, limits: Limits, out: &'t Diagnostics) -> Self {
        Self {
            file,
            text,
            limits,
            out,
            reports: 0,
            nodes: Vec::new(),
            stopped: false,
            nulls: false,
            what: "file",
            again: None,
            told_at: None,
        }
    }

    pub fn span(&self, start: usize, end: usize) -> Span {
        super::span(self.file, start, end)
    }

    pub fn span_of(&self, id: Id) -> Span {
        self.nodes[id.0 as usize].span
    }

    /// Reports a finding, unless there have been too many.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.reports += 1;
        if self.reports < MOST_REPORTS {
            self.out.push(diagnostic);
        } else if self.reports == MOST_REPORTS {
            let place = diagnostic.primary.span;
            let message = format!("more than {MOST_REPORTS} errors in this file, the rest is not shown");
            self.out.push(Diagnostic::error(Code::LimitExceeded, place, message).help("mend the first ones"));
        }
    }

    pub fn error(&mut self, code: Code, span: Span, message: impl Into<String>, help: &str) {
        let found = Diagnostic::error(code, span, message);
        self.report(if help.is_empty() { found } else { found.help(help) });
    }

    /// Reports that lists and tables are nested too deeply; there is no tree then.
    pub fn too_deep(&mut self, span: Span) {
        if !self.stopped {
            self.stopped = true;
            let message = format!("lists and tables are nested more than {} deep", self.limits.max_depth);
            self.error(Code::LimitExceeded, span, message, "write what is deep inside as a declaration of its own");
        }
    }

    fn add(&mut self, span: Span, depth: u32, raw: Raw) -> Id {
        if self.nodes.len() >= self.limits.max_nodes && !self.stopped {
            self.stopped = true;
            let message = format!("the {} holds more than {} values", self.what, self.limits.max_nodes);
            self.error(Code::LimitExceeded, span, message, "split it");
        }
        if depth as usize > self.limits.max_depth {
            self.too_deep(span);
        }
        let id = Id(u32::try_from(self.nodes.len()).expect("fewer nodes than bytes in a text"));
        self.nodes.push(Building { span, depth, shared: false, raw });
        id
    }

    /// Nothing, where something was wrong and has been reported.
    pub fn bad(&mut self, span: Span) -> Id {
        self.add(span, 0, Raw::Bad)
    }

    pub fn leaf(&mut self, span: Span, kind: Kind) -> Id {
        self.add(span, 0, Raw::Leaf(kind))
    }

    /// A list inside `parent`, which it is not yet put into.
    pub fn list(&mut self, span: Span, parent: Option<Id>) -> Id {
        let depth = self.below(parent);
        self.add(span, depth, Raw::List { items: Vec::new(), of_headers: false })
    }

    /// A table inside `parent`, which it is not yet put into.
    pub fn table(&mut self, span: Span, parent: Option<Id>, origin: Origin) -> Id {
        let depth = self.below(parent);
        self.add(span, depth, Raw::Table { entries: Entries::default(), origin })
    }

    /// A repetition of a finished node.
    pub fn alias(&mut self, span: Span, target: Id) -> Id {
        self.nodes[target.0 as usize].shared = true;
        self.add(span, 0, Raw::Alias(target))
    }

    fn below(&self, parent: Option<Id>) -> u32 {
        parent.map_or(1, |id| self.nodes[id.0 as usize].depth + 1)
    }

    /// Moves the end of a span, once it is known.
    pub fn end_at(&mut self, id: Id, end: u32) {
        let span = &mut self.nodes[id.0 as usize].span;
        span.end = end.max(span.start);
    }

    /// Whether a node is a null that is a fault and has not been reported yet.
    pub fn is_null(&self, id: Id) -> bool {
        if self.nulls {
            return false;
        }
        match &self.nodes[id.0 as usize].raw {
            Raw::Leaf(Kind::Null) => true,
            Raw::Alias(target) => matches!(self.nodes[target.0 as usize].raw, Raw::Leaf(Kind::Null)),
            _ => false,
        }
    }

    /// The first key of a table.
    pub fn first_key(&self, table: Id) -> Option<&str> {
        match &self.nodes[table.0 as usize].raw {
            Raw::Table { entries, .. } => entries.list.first().map(|(key, ..)| key.as_str()),
            _ => None,
        }
    }

    /// Whether a table has a key.
    pub fn has(&self, table: Id, key: &str) -> bool {
        matches!(&self.nodes[table.0 as usize].raw, Raw::Table { entries, .. } if entries.get(key).is_some())
    }

    pub fn push(&mut self, list: Id, item: Id) {
        if self.is_null(item) {
            let span = self.span_of(item);
            self.error(Code::NullValue, span, "a list item has no value", "write a value, or leave the item out");
        }
        if let Raw::List { items, .. } = &mut self.nodes[list.0 as usize].raw {
            items.push(item);
        }
    }

    /// Puts a value under a dotted key. `in_flow`: the table is written in braces on one line, where a comma ends a text.
    pub fn insert(&mut self, table: Id, path: &[Part], value: Id, in_flow: bool) {
        let Some((last, parents)) = path.split_last() else { return };
        if self.is_null(value) {
            if let Some(odd) = self.wide_colon(last.span).filter(|_| in_flow) {
                let found = odd.error(self);
                self.report(found);
                return;
            }
            let after = self.text.get(last.span.end as usize..).unwrap_or_default();
            if let Some((name, rest)) = last.text.split_once('=').filter(|_| in_flow) {
                let sign = last.span.start as usize + name.len();
                let help = format!("write `{}: {}`", name.trim(), if rest.is_empty() { "…" } else { rest.trim() });
                let at = self.span(sign, sign + 1);
                self.told_at = Some(sign);
                self.error(Code::SyntaxError, at, "`=` is not read as `:`", &help);
                let part = Part { text: name.trim().into(), span: last.span };
                let bad = self.bad(last.span);
                if !self.has(table, name.trim()) && parents.is_empty() {
                    self.put(table, &part, bad);
                }
                return;
            }
            let message = format!("{} has no value", quoted(&last.text));
            let comment = after.strip_prefix(':').unwrap_or(after).trim_start_matches(' ');
            let comment = comment.starts_with('#') && !comment.starts_with("# ");
            let comma = (in_flow || last.text.contains(' ')) && !after.trim_start().starts_with(':');
            // A dot of what stands in quotes is taken for one of the key.
            let start = path[0].span.start as usize;
            let written = self.text.get(start..last.span.end as usize).unwrap_or_default();
            let quote = written.find([' ']).filter(|at| written[at + 1..].starts_with(['"', '\'']) && in_flow && comma);
            if let Some(at) = quote {
                let help = format!("write `{}:{}`", &written[..at], &written[at..]);
                self.told_at = Some(start + at);
                self.error(Code::SyntaxError, self.span(start + at, start + at + 1), "a `:` is missing", &help);
                return;
            }
            let help = match () {
                () if comma => "quote the text: it holds a comma",
                () if comment => "quote the text: `#` begins a comment",
                () => "write a value, or leave the key out",
            };
            self.error(Code::NullValue, last.span, message, help);
        }
        let Some(table) = self.descend(table, parents) else { return };
        let Raw::Table { entries, .. } = &mut self.nodes[table.0 as usize].raw else { return };
        match entries.get(&last.text) {
            None => entries.add(&last.text, last.span, value),
            Some((first, _)) => {
                let at = entries.position(&last.text);
                let count = entries.list.len();
                // A block that is pasted again is one slip, however many keys it has.
                let pasted = self
                    .again
                    .replace((table, count, at))
                    .is_some_and(|(of, before, last)| of == table && before == count && last + 1 == at);
                if !pasted {
                    self.twice(last, first);
                }
            }
        }
    }

    /// The first sign in a key that is taken for the colon behind it.
    fn wide_colon(&self, key: Span) -> Option<Slip> {
        let written = self.text.get(key.start as usize..key.end as usize)?;
        let (at, c) = written.char_indices().find(|(_, c)| !c.is_ascii() && sign(*c) == Some(':'))?;
        Slip::odd(key.start as usize + at, c)
    }

    /// Follows a dotted key, making its tables.
    fn descend(&mut self, mut table: Id, parents: &[Part]) -> Option<Id> {
        for part in parents {
            if self.stopped {
                return None;
            }
            match self.find(table, part) {
                None => table = self.grow(table, part, Origin::Dotted),
                Some((first, id)) => match &mut self.nodes[id.0 as usize].raw {
                    Raw::Table { origin: origin @ (Origin::Dotted | Origin::Passed), .. } => {
                        *origin = Origin::Dotted;
                        table = id;
                    }
                    Raw::Bad => return None,
                    _ => {
                        self.closed(part, first, id);
                        return None;
                    }
                },
            }
        }
        Some(table)
    }

    fn find(&self, table: Id, part: &Part) -> Option<(Span, Id)> {
        match &self.nodes[table.0 as usize].raw {
            Raw::Table { entries, .. } => entries.get(&part.text),
            _ => None,
        }
    }

    fn grow(&mut self, table: Id, part: &Part, origin: Origin) -> Id {
        let id = self.table(part.span, Some(table), origin);
        self.put(table, part, id);
        id
    }

    fn put(&mut self, table: Id, part: &Part, value: Id) {
        if let Raw::Table { entries, .. } = &mut self.nodes[table.0 as usize].raw {
            entries.add(&part.text, part.span, value);
        }
    }

    /// Opens the table of a TOML header: `[a.b]`, or `[[a.b]]` with `many`. Something to go on with comes back in any case.
    pub fn header(&mut self, root: Id, path: &[Part], header: Span, many: bool) -> Id {
        let Some((last, parents)) = path.split_last() else { return self.table(header, None, Origin::Header) };
        let mut table = root;
        for part in parents {
            if self.stopped {
                return root;
            }
            table = match self.find(table, part) {
                None => self.grow(table, part, Origin::Passed),
                Some((first, id)) => match &self.nodes[id.0 as usize].raw {
                    Raw::Table { origin: Origin::Dotted | Origin::Passed | Origin::Header, .. } => id,
                    Raw::List { items, of_headers: true } => items.last().copied().unwrap_or(id),
                    _ => {
                        self.closed(part, first, id);
                        return self.table(header, None, Origin::Header);
                    }
                },
            };
        }
        let found = self.find(table, last);
        if many {
            let list = match found {
                None => {
                    let depth = self.below(Some(table));
                    let list = self.add(header, depth, Raw::List { items: Vec::new(), of_headers: true });
                    self.put(table, last, list);
                    list
                }
                Some((_, id)) if matches!(self.nodes[id.0 as usize].raw, Raw::List { of_headers: true, .. }) => id,
                Some((first, _)) => {
                    self.twice(last, first);
                    return self.table(header, None, Origin::Header);
                }
            };
            let item = self.table(header, Some(list), Origin::Header);
            self.push(list, item);
            return item;
        }
        let Some((first, id)) = found else {
            let id = self.grow(table, last, Origin::Header);
            self.nodes[id.0 as usize].span = header;
            return id;
        };
        let building = &mut self.nodes[id.0 as usize];
        match &mut building.raw {
            Raw::Table { origin: origin @ Origin::Passed, .. } => {
                *origin = Origin::Header;
                building.span = header;
                id
            }
            Raw::Table { origin: Origin::Dotted | Origin::Header, .. } => {
                self.twice(last, first);
                id
            }
            _ => {
                self.twice(last, first);
                self.table(header, None, Origin::Header)
            }
        }
    }

    fn twice(&mut self, part: &Part, first: Span) {
        let message = format!("key {} is given twice", quoted(&part.text));
        let found = Diagnostic::error(Code::DuplicateKey, part.span, message).label("given again here");
        self.report(found.also(first, "first given here").help("keep one of the two"));
    }

    fn closed(&mut self, part: &Part, first: Span, value: Id) {
        let what = match &self.nodes[value.0 as usize].raw {
            Raw::Table { .. } => "a table that is closed",
            Raw::List { .. } => "a list",
            _ => "a value",
        };
        let message = format!("key {} is given twice: it already is {what}", quoted(&part.text));
        let found = Diagnostic::error(Code::DuplicateKey, part.span, message).label("given again here");
        self.report(found.also(first, "first given here").help("write all of its keys in one place"));
    }

    /// The finished tree, unless a limit was exceeded.
    pub fn finish(mut self, root: Id) -> Option<Node> {
        if self.stopped {
            return None;
        }
        let nodes = std::mem::take(&mut self.nodes);
        let mut finish = Finish { nodes, limits: self.limits, repeated: 0, too_much: None };
        let node = finish.node(root, 0, None, false);
        if let Some(span) = finish.too_much {
            let message = format!("aliases add more than {} values, or nest too deeply", self.limits.max_alias_nodes);
            self.error(Code::LimitExceeded, span, message, "write the values out");
            return None;
        }
        Some(node)
    }
}

struct Finish {
    nodes: Vec<Building>,
    limits: Limits,
    repeated: usize,
    too_much: Option<Span>,
}

impl Finish {
    /// Recursion is bounded by `max_depth`: written-out nodes by [`Tree::add`], repeated ones here.
    /// `kept`: it is in one that is wanted more than once.
    fn node(&mut self, id: Id, depth: usize, alias: Option<Span>, kept: bool) -> Node {
        let Building { span, raw, shared, .. } = &mut self.nodes[id.0 as usize];
        let (span, kept) = (*span, kept || *shared);
        if let Some(place) = alias {
            self.repeated += 1;
            if self.repeated > self.limits.max_alias_nodes || depth > self.limits.max_depth {
                self.too_much.get_or_insert(place);
            }
        }
        if self.too_much.is_some() {
            return Node { span, kind: Kind::Null };
        }
        let raw = if kept { raw.clone() } else { std::mem::replace(raw, Raw::Bad) };
        let kind = match raw {
            Raw::Bad => Kind::Null,
            Raw::Leaf(kind) => kind,
            Raw::Alias(target) => return self.node(target, depth, alias.or(Some(span)), kept),
            Raw::List { items, .. } => {
                Kind::List(items.into_iter().map(|id| self.node(id, depth + 1, alias, kept)).collect())
            }
            Raw::Table { entries, .. } => {
                let entry = |(key, key_span, id)| Entry { key, key_span, value: self.node(id, depth + 1, alias, kept) };
                Kind::Table(Table::new(entries.list.into_iter().map(entry).collect::<Arc<[Entry]>>()))
            }
        };
        Node { span, kind }
    }
}
