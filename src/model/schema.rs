//! What a pack's data look like: types, enums, tables, records, frames and their fields, parameters.

use crate::source::Span;

use super::cond::Cond;
use super::effect::Effect;
use super::ids::{EnumId, FrameId, RecordId, Slot, TableId};
use super::names::Sym;
use super::value::Value;

/// The type of a field, a signal, an argument or a table column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// `bool`.
    Bool,
    /// `int`: a whole number of 64 bits.
    Int,
    /// `decimal`: exact, at most 28 digits, read from its source text.
    Decimal,
    /// `text`.
    Text,
    /// `narrative`: prose for people. It goes into messages only; no condition may look at it.
    Narrative,
    /// `id`: an opaque id. Ids are compared, never looked into.
    Id,
    /// `date_range`: a [`Period`](super::period::Period).
    Period,
    /// `instant`: a point in time, RFC 3339.
    Instant,
    /// `document`: a JSON value that nothing looks into. It is kept, carried and sent back.
    Document {
        /// The contract that it is held to when it comes from the host, a position in [`Pack::contracts`](super::Pack::contracts).
        contract: Option<usize>,
    },
    /// `enum`: one of a closed list.
    Enum(EnumId),
    /// `key_of`: the key of a row of a table.
    Key(TableId),
    /// `record`: a record type.
    Record(RecordId),
    /// `list`: at most `max` items; with `evict` an append to a full list drops the oldest item.
    List {
        /// The type of each item.
        of: Box<Type>,
        /// The most items.
        max: u32,
        /// Whether an append to a full list drops the oldest item instead of failing.
        evict: bool,
        /// The field of its records of which no two items bear the same value.
        unique: Option<Sym>,
    },
    /// `set`: at most `max` items, sorted, without repetition.
    Set {
        /// The type of each item.
        of: Box<Type>,
        /// The most items.
        max: u32,
    },
    /// `map`: at most `max` entries, sorted by key.
    Map {
        /// The type of each key: text, id, enum or table key.
        key: Box<Type>,
        /// The type of each value.
        of: Box<Type>,
        /// The most entries.
        max: u32,
    },
}

impl Type {
    /// Whether the type is a list, a set or a map.
    #[must_use]
    pub fn is_collection(&self) -> bool {
        matches!(self, Type::List { .. } | Type::Set { .. } | Type::Map { .. })
    }

    /// Whether this type, or what is in it at any depth, is one of which `wanted` speaks.
    #[must_use]
    pub fn holds(&self, records: &[Record], wanted: &dyn Fn(&Type) -> bool) -> bool {
        let mut open = vec![self];
        let mut seen: Vec<RecordId> = Vec::new();
        while let Some(ty) = open.pop() {
            if wanted(ty) {
                return true;
            }
            match ty {
                Type::List { of, .. } | Type::Set { of, .. } => open.push(of),
                Type::Map { key, of, .. } => open.extend([&**key, &**of]),
                Type::Record(id) if !seen.contains(id) => {
                    seen.push(*id);
                    let fields = records.get(id.index()).map_or(&[][..], |record| &record.fields);
                    open.extend(fields.iter().map(|field| &field.ty));
                }
                _ => {}
            }
        }
        false
    }

    /// Whether the type is prose, which decides nothing.
    #[must_use]
    pub fn is_prose(&self) -> bool {
        *self == Type::Narrative
    }

    /// The item type of a list or a set.
    #[must_use]
    pub fn item(&self) -> Option<&Type> {
        match self {
            Type::List { of, .. } | Type::Set { of, .. } => Some(of),
            _ => None,
        }
    }
}

/// A closed list of values.
#[derive(Debug, Clone)]
pub struct Enum {
    /// Its name; an enum written in place is named after the field.
    pub name: Sym,
    /// Its values, in declared order.
    pub values: Vec<Sym>,
    /// Where it is written.
    pub span: Span,
}

/// A vocabulary with columns: domains, routes, actions.
#[derive(Debug, Clone)]
pub struct Table {
    /// Its name.
    pub name: Sym,
    /// Its columns after the key; the key is the column `id`.
    pub columns: Vec<NamedType>,
    /// Its rows, in declared order, each key once.
    pub rows: Vec<Row>,
    /// Where it is written.
    pub span: Span,
}

impl Table {
    /// The row under a key.
    #[must_use]
    pub fn row(&self, key: Sym) -> Option<&Row> {
        self.rows.iter().find(|row| row.key == key)
    }

    /// The position of a column.
    #[must_use]
    pub fn column(&self, name: Sym) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

/// A row of a table.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its key.
    pub key: Sym,
    /// A cell for each column; `Absent` where an optional column is left out.
    pub cells: Vec<Value>,
    /// Where it is written.
    pub span: Span,
}

/// A name with a type: a column, a payload field, an argument, a response field, a field of a message or a record.
#[derive(Debug, Clone)]
pub struct NamedType {
    /// Its name.
    pub name: Sym,
    /// How it is called in what passes between pack and host; its name unless declared otherwise.
    pub wire: Sym,
    /// Its type.
    pub ty: Type,
    /// Whether it may be absent.
    pub optional: bool,
    /// What it is when left out; never together with `optional`.
    pub default: Option<Value>,
    /// What it is for.
    pub doc: String,
    /// Where it is written.
    pub span: Span,
}

/// A record type. An open record keeps unknown fields and sends them back; no condition can look at them.
#[derive(Debug, Clone)]
pub struct Record {
    /// Its name.
    pub name: Sym,
    /// Its fields.
    pub fields: Vec<NamedType>,
    /// Whether unknown fields are kept.
    pub open: bool,
    /// Where it is written.
    pub span: Span,
}

/// A frame of the session state.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Its short name, used in files and traces (`root`).
    pub name: Sym,
    /// Its name in the source text and in saved state (`root_frame_state`).
    pub seed: Sym,
    /// The sub-state of the aggregate that owns it (`address_navigation_state`).
    pub owner: Sym,
    /// What it is for.
    pub doc: String,
    /// Its fields, a contiguous run of slots; in a keyed frame its facts stand behind them.
    pub slots: std::ops::Range<u16>,
    /// What is said of its instances, in a keyed frame.
    pub keyed: Option<Keyed>,
    /// Where it is written.
    pub span: Span,
}

impl Frame {
    /// The fields of the frame, in declared order.
    pub fn fields(&self) -> impl Iterator<Item = Slot> + use<> {
        self.slots.clone().map(Slot)
    }
}

/// A keyed frame: instances, each under a key, of which a step reaches the one that it binds or opens. Its slots hold the
/// instance that is bound; at rest none is.
#[derive(Debug, Clone)]
pub struct Keyed {
    /// Its place among the keyed frames of the pack.
    pub at: usize,
    /// What its keys begin with.
    pub prefix: String,
    /// The most instances that may be open after a step.
    pub max_open: usize,
    /// How many closed ones are kept, those closed last.
    pub keep_closed: usize,
    /// How an instance can end.
    pub closed_as: EnumId,
    /// The declared fields; the facts follow them.
    pub fields: std::ops::Range<u16>,
}

/// The facts of a keyed frame, in the order of their slots: what the engine keeps beside the declared fields.
pub const FACTS: [&str; 6] = ["key", "known", "open", "closed_as", "open_count", "only"];

impl Keyed {
    /// The declared fields.
    pub fn fields(&self) -> impl Iterator<Item = Slot> + use<> {
        self.fields.clone().map(Slot)
    }

    /// The key of the bound instance.
    #[must_use]
    pub fn key(&self) -> Slot {
        Slot(self.fields.end)
    }

    /// Whether an instance is bound.
    #[must_use]
    pub fn known(&self) -> Slot {
        Slot(self.fields.end + 1)
    }

    /// Whether the bound instance is open.
    #[must_use]
    pub fn open(&self) -> Slot {
        Slot(self.fields.end + 2)
    }

    /// How the bound instance has ended.
    #[must_use]
    pub fn ended(&self) -> Slot {
        Slot(self.fields.end + 3)
    }

    /// How many instances of the frame are open.
    #[must_use]
    pub fn open_count(&self) -> Slot {
        Slot(self.fields.end + 4)
    }

    /// The key of the one open instance, where there is exactly one.
    #[must_use]
    pub fn only(&self) -> Slot {
        Slot(self.fields.end + 5)
    }

    /// Whether a slot of the frame is a fact, which the engine alone writes.
    #[must_use]
    pub fn is_fact(&self, slot: Slot) -> bool {
        slot.0 >= self.fields.end
    }

    /// Whether what a slot of the frame holds depends on which instance is bound.
    #[must_use]
    pub fn is_bound(&self, slot: Slot) -> bool {
        slot < self.open_count()
    }
}

/// A field of a frame: one slot of the state.
#[derive(Debug, Clone)]
pub struct Field {
    /// Its name.
    pub name: Sym,
    /// Its frame.
    pub frame: FrameId,
    /// Its type.
    pub ty: Type,
    /// What it holds when a session begins; `Absent` for an optional field, and in a keyed frame, where nothing is bound then.
    pub default: Value,
    /// What `clear` restores, and what a new instance of a keyed frame holds; but for keyed frames the same as `default`.
    pub cleared: Value,
    /// It is given when an instance is opened: every instance has a value, though no default is declared.
    pub given: bool,
    /// Once written it does not change until the frame is cleared.
    pub set_once: bool,
    /// It is there for whoever holds the state: no class need read or write it.
    pub for_host: bool,
    /// What it is for.
    pub doc: String,
    /// Where it is written.
    pub span: Span,
}

/// A number or a word that a pack lets its user set.
#[derive(Debug, Clone)]
pub struct Param {
    /// Its name, used as `%name`.
    pub name: Sym,
    /// Its type.
    pub ty: Type,
    /// Its value: the declared default, or what the load was told.
    pub value: Value,
    /// What it is for.
    pub doc: String,
    /// Where it is written.
    pub span: Span,
}

/// A statement about the state, tested after every step: whenever `when` holds, `then` holds.
#[derive(Debug, Clone)]
pub struct Invariant {
    /// Its name.
    pub id: Sym,
    /// The frame it belongs to; `None` for one of the whole pack.
    pub frame: Option<FrameId>,
    /// When it speaks.
    pub when: Cond,
    /// What must hold then.
    pub then: Cond,
    /// What mends a saved state that breaks it; empty = such a state is refused.
    pub repair: Vec<Effect>,
    /// What it is for.
    pub doc: String,
    /// Where it is written.
    pub span: Span,
}

/// What may be carried from one turn to the next.
#[derive(Debug, Clone)]
pub struct Carryover {
    /// The frames it is about; all others are touched only by `do`.
    pub universe: super::ids::FrameSet,
    /// Each depth and the frames it stands for, in declared order.
    pub depths: Vec<(Sym, super::ids::FrameSet)>,
    /// Where each depth is written.
    pub spans: Vec<Span>,
    /// The enum field that limits it, whose values are names of depths; absent = no limit.
    pub limit: Option<Slot>,
}
