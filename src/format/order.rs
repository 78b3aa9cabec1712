//! The canonical order of keys and tables: the order in which the language lists them. Where order has meaning, or is the writer's
//! own (names, conditions, sections), it stays.

use indexmap::IndexMap;

use super::document::{Block, Document, Entry, Item, Items, Key, Line, Piece, Value};
use crate::language::{self, Shape};

/// What the keys of a table are.
#[derive(Clone, Copy)]
enum Level {
    /// Those of a kind of table.
    Keys(&'static Shape),
    /// The writer's own.
    Names(&'static language::Value),
    /// Unknown; nothing in it is moved.
    Free,
}

/// Puts keys and tables in their order. `workspace`: the document is a `segue.toml`.
pub(super) fn order(document: &mut Document, workspace: bool) {
    let level = Level::Keys(kind(document, workspace));
    for block in &mut document.blocks {
        let level = block.path.iter().fold(level, |level, piece| level.below(&piece.name));
        sort(&mut block.entries, level);
        for entry in &mut block.entries {
            value(&mut entry.value, below(level, &entry.key));
        }
    }
    let blocks = std::mem::take(&mut document.blocks);
    document.blocks = tables(blocks, 0, level);
}

/// What the root of a document is.
fn kind(document: &Document, workspace: bool) -> &'static Shape {
    let has = |name: &str| {
        document.blocks.iter().any(|block| match block.path.first() {
            Some(piece) => piece.name == name,
            None => block.entries.iter().any(|entry| entry.key[0].name == name),
        })
    };
    match () {
        () if workspace => &language::WORKSPACE,
        () if has("scenarios") => &language::SCENARIOS,
        () if has("scenario") => &language::SCENARIO,
        () if has("id") => &language::CLASS,
        () => &language::SECTIONS,
    }
}

impl Level {
    /// What a table is under a key.
    fn below(self, name: &str) -> Self {
        match self {
            Self::Keys(shape) => match shape.keys().find(|key| key.name == name) {
                Some(key) => Self::of(&key.value),
                None => shape.rest.as_ref().map_or(Self::Free, |rest| Self::of(rest.value)),
            },
            Self::Names(value) => Self::of(value),
            Self::Free => Self::Free,
        }
    }

    /// What a table is where this may stand, be it as an item of a list.
    fn of(value: &'static language::Value) -> Self {
        match value {
            language::Value::Table(shape) => Self::Keys(shape),
            language::Value::Names(rest) => Self::Names(rest.value),
            language::Value::List(value) | language::Value::Some(value) | language::Value::OneOrMany(value) => {
                Self::of(value)
            }
            language::Value::Either(of) => {
                of.iter().map(Self::of).find(|level| !matches!(level, Self::Free)).unwrap_or(Self::Free)
            }
            _ => Self::Free,
        }
    }

    /// The place of a key; none where the order is the writer's.
    fn rank(self, name: &str) -> Option<usize> {
        let Self::Keys(shape) = self else { return None };
        let is = |other: &'static Shape| std::ptr::eq(shape, other);
        // A condition is read in the order in which it was thought, and a file in that of its sections.
        let written = [&language::CONDITION, &language::ENTRY_CONDITION, &language::TEST, &language::SECTIONS];
        if written.into_iter().any(is) {
            return None;
        }
        // What happens comes before all that is said of it.
        let event_first = is(&language::TURN) || is(&language::INPUT);
        Some(match shape.keys().position(|key| key.name == name) {
            Some(at) => at + 1,
            None if event_first => 0,
            None => usize::MAX,
        })
    }
}

fn below(level: Level, key: &[Key]) -> Level {
    key.iter().fold(level, |level, part| level.below(&part.name))
}

/// The places of the parts of a dotted key, each in its table, up to where the order is the writer's.
fn ranks(level: Level, key: &[Key]) -> Vec<usize> {
    let mut at = level;
    let ranks = key.iter().map_while(|part| {
        let rank = at.rank(&part.name);
        at = at.below(&part.name);
        rank
    });
    ranks.collect()
}

fn sort(entries: &mut [Entry], level: Level) {
    entries.sort_by_cached_key(|entry| ranks(level, &entry.key));
}

fn value(of: &mut Value, level: Level) {
    match of {
        Value::Scalar(_) => {}
        Value::List(items) => items.items.iter_mut().for_each(|item| value(&mut item.value, level)),
        Value::Table(items) => table(items, level),
    }
}

fn table(items: &mut Items, level: Level) {
    items.items.sort_by_cached_key(|item| ranks(level, &item.key));
    if let Some(first) = items.items.first_mut() {
        first.starts = true;
        first.before.drain(..usize::from(first.before.first() == Some(&Line::Blank)));
    }
    for Item { key, value: inner, .. } in &mut items.items {
        value(inner, below(level, key));
    }
}

/// The tables below one, in order: itself, then each table in it with all that lies in that.
fn tables(blocks: Vec<Block>, depth: usize, level: Level) -> Vec<Block> {
    if let Level::Free = level {
        return blocks;
    }
    let mut ordered = Vec::new();
    let mut groups: IndexMap<Vec<Piece>, Vec<Block>> = IndexMap::new();
    for block in blocks {
        if block.path.len() == depth {
            ordered.push(block);
            continue;
        }
        let path = &block.path[depth..];
        groups.entry(path[..unit(path, level)].to_vec()).or_default().push(block);
    }
    groups.sort_by_cached_key(|path, _| level.rank(&path[0].name));
    for (path, blocks) in groups {
        let inner = path.iter().fold(level, |level, piece| level.below(&piece.name));
        ordered.extend(tables(blocks, depth + path.len(), inner));
    }
    ordered
}

/// How many pieces of a path name what stays where it is as one: in a file of sections that is a named thing, not all things of
/// its section.
fn unit(path: &[Piece], level: Level) -> usize {
    let sections = matches!(level, Level::Keys(shape) if std::ptr::eq(shape, &language::SECTIONS));
    match level.below(&path[0].name) {
        Level::Names(_) if sections => path.len().min(2),
        _ => 1,
    }
}
