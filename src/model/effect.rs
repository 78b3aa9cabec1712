//! Effects: the ordered list of things a step does, and the values it writes.

use crate::source::Span;

use super::cond::{Cond, Path};
use super::ids::{FrameId, KeptId, MessageId, PortId, Slot};
use super::names::Sym;
use super::value::Value;

/// A value that a step computes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr {
    /// A literal, or a parameter's value.
    Value(Value),
    /// `$path`, or with `optional` `$path?`, which leaves the target as it is (or the argument out) when absent.
    Path {
        /// Where the value is found.
        path: Path,
        /// Whether it may be absent.
        optional: bool,
    },
    /// The first of these that is present.
    First(Vec<Expr>),
    /// The texts of these, with a separator between them; absent ones are left out.
    Join {
        /// What is joined: texts, or lists of texts.
        of: Vec<Expr>,
        /// What stands between.
        sep: String,
    },
    /// A fresh id from the id source, with this prefix.
    NewId(String),
    /// A record, field by field.
    Record(Vec<(Sym, Expr)>),
    /// A list or set, item by item; absent optional items are left out.
    List(Vec<Expr>),
    /// A map, entry by entry: the key is a literal or a path.
    Map(Vec<(Expr, Expr)>),
    /// The entries of a collection that pass a condition, or a part of each.
    Pick(Box<Pick>),
}

/// Which entries of a collection are taken, and what of them. The result is a collection of the same form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pick {
    /// The collection.
    pub from: Path,
    /// Whether it may be absent: then the pick is absent too.
    pub optional: bool,
    /// Which entries are taken: a condition on `key` and `value`.
    pub only: Cond,
    /// What of an entry is taken; an entry that lacks it is left out. `None` = all of it.
    pub take: Option<Take>,
}

/// What is taken of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Take {
    /// A part of it, from `value` on.
    Part(Path),
    /// A record made of parts of it, in the order in which its type declares them.
    Record(Vec<Taken>),
}

/// A field of a record that is made of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The field.
    pub name: Sym,
    /// What of the entry it is, from `value` on.
    pub path: Path,
    /// Whether an entry without it is left out.
    pub needed: bool,
}

impl Take {
    /// The parts that are taken.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let (one, many) = match self {
            Take::Part(path) => (Some(path), &[][..]),
            Take::Record(parts) => (None, parts.as_slice()),
        };
        one.into_iter().chain(many.iter().map(|part| &part.path))
    }
}

/// One item of a `do` list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// When it is done; read before any effect.
    pub when: Cond,
    /// What is done.
    pub verb: Verb,
    /// Where it is written.
    pub span: Span,
}

/// What an effect does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verb {
    /// Writes fields.
    Set(Vec<(Slot, Expr)>),
    /// Restores whole frames to their defaults.
    ClearFrame(Vec<FrameId>),
    /// Restores fields to their defaults.
    ClearField(Vec<Slot>),
    /// Adds an item to a list or set, or each item of a list or set of the same type.
    Append(Vec<(Slot, Expr)>),
    /// Takes an item, or each item of a list or set, out of a list or set; keys out of a map.
    Remove(Vec<(Slot, Expr)>),
    /// Adds a literal to a whole number; a number that leaves 64 bits fails verification.
    Increment(Vec<(Slot, i64)>),
    /// Puts the entries of a map into a map, or the fields of a record into a record; the new value wins.
    Merge(Vec<(Slot, Expr)>),
    /// Opens an instance of a keyed frame, with these fields, and binds it.
    Open {
        /// The frame.
        frame: FrameId,
        /// The fields that are given.
        with: Vec<(Slot, Expr)>,
    },
    /// Ends the bound instance of a keyed frame.
    Close {
        /// The frame.
        frame: FrameId,
        /// How it ends.
        ended: Sym,
    },
    /// Calls a port.
    Call(Call),
    /// Sends a message.
    Emit {
        /// Which message.
        message: MessageId,
        /// Its fields, by name.
        with: Vec<(Sym, Expr)>,
    },
}

/// A call as a class writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The name by which the class's `settle` rows, `never` and invariants speak of it.
    pub id: Sym,
    /// The port.
    pub port: PortId,
    /// The arguments, by name.
    pub with: Vec<(Sym, Expr)>,
    /// What is kept for the outcome.
    pub keep: Vec<(KeptId, Expr)>,
}

impl Verb {
    /// Whether it writes the state; calls and messages leave it alone.
    #[must_use]
    pub fn writes(&self) -> bool {
        !matches!(self, Verb::Call(_) | Verb::Emit { .. })
    }
}
