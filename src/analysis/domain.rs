//! Which values have to be looked at: for each place where a value stands, representatives of all that it can hold.
//!
//! Places whose values are compared with each other share their values: the literals that any of them is compared with, what
//! lies between and beyond thresholds, and as many further values as there are places, so that all of them can differ.

use crate::maps::HashMap;
use crate::model::Pack;
use crate::model::cond::{Cond, Op, Operand, Place};
use crate::model::names::Sym;
use crate::model::schema::Type;
use crate::model::value::Value;

use super::values::{finite, representatives, scalar};

/// One way from a value into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sub {
    /// A field of a record.
    Field(Sym),
    /// Any item of a list or a set.
    Item,
    /// Any key of a map.
    Key,
    /// Any value of a map.
    Value,
}

/// A place where values stand, all entries of a collection alike.
pub type CellId = usize;

/// The most entries of a collection that are told apart.
pub const MOST_ENTRIES: usize = 100;
/// The most values of one place that are told apart, for places in collections within collections.
const MOST_VALUES: usize = 400;

#[derive(Debug)]
pub(super) struct Cell<'p> {
    pub(super) ty: Type,
    pub(super) subs: Vec<(Sub, CellId)>,
    pub(super) parent: Option<CellId>,
    /// The different conditions on its entries.
    pub(super) tests: Vec<&'p Cond>,
    /// One more than the largest number that its size, or a count of its entries, is compared with.
    pub(super) size: usize,
    /// How many times it is compared with another collection.
    pub(super) relations: usize,
    pub(super) literals: Vec<Value>,
    pub(super) thresholds: Vec<Value>,
    /// Its place among those that share their values.
    pub(super) rank: usize,
    /// It can hold more different values than are told apart.
    pub(super) is_cut: bool,
}

/// All places that conditions look at, and what each can hold.
#[derive(Debug)]
pub struct Domains<'p> {
    pub(super) pack: &'p Pack,
    /// Whether all is looked at that steps depend on.
    pub(super) steps: bool,
    pub(super) roots: HashMap<Place, CellId>,
    pub(super) cells: Vec<Cell<'p>>,
    pub(super) leader: Vec<CellId>,
    /// Of how many instances a place may have to be told apart, for fields of keyed frames.
    pub(super) copies: HashMap<CellId, usize>,
    /// By leader: the values that all places of the class share, and for each how many places come before it is needed.
    values: HashMap<CellId, Vec<(Value, usize)>>,
}

impl<'p> Domains<'p> {
    /// The places that the guards, invariants and derivations of a pack look at; with `steps` also those that decide which effects are
    /// done, and whether a step may be.
    #[must_use]
    pub fn of(pack: &'p Pack, steps: bool) -> Self {
        let (roots, cells, leader) = (HashMap::default(), Vec::new(), Vec::new());
        let (copies, values) = (HashMap::default(), HashMap::default());
        let mut domains = Self { pack, steps, roots, cells, leader, copies, values };
        domains.gather();
        domains.finish();
        domains
    }

    /// The place that a path starts from, where conditions look at it.
    #[must_use]
    pub fn known(&self, place: Place) -> Option<CellId> {
        self.roots.get(&place).copied()
    }

    /// A place inside another, where conditions look at it.
    #[must_use]
    pub fn sub(&self, cell: CellId, sub: Sub) -> Option<CellId> {
        self.cells[cell].subs.iter().find(|(known, _)| *known == sub).map(|(_, cell)| *cell)
    }

    /// The type of a place.
    #[must_use]
    pub fn ty(&self, cell: CellId) -> &Type {
        &self.cells[cell].ty
    }

    /// Whether the values are looked at on which a condition depends.
    #[must_use]
    pub fn tell(&self, cond: &Cond) -> bool {
        match cond {
            _ if self.steps => true,
            Cond::All(of) | Cond::Any(of) => of.iter().all(|cond| self.tell(cond)),
            Cond::Not(cond) => self.tell(cond),
            Cond::Test { path, op, .. } => {
                let place = if let Place::Before(slot) = path.place { Place::Field(slot) } else { path.place };
                path.steps.is_empty() && self.known(place).is_some_and(|cell| self.tells(cell, op))
            }
        }
    }

    /// Whether the values of a place are looked at on which a test depends.
    fn tells(&self, cell: CellId, op: &Op) -> bool {
        let of = &self.cells[cell];
        match op {
            Op::Present(_) => true,
            _ if finite(self.pack, &of.ty).is_some() => {
                matches!(op, Op::In(_) | Op::Eq(Operand::Value(_)) | Op::Differs(Operand::Value(_)))
            }
            Op::Order { than, .. } => of.thresholds.contains(than),
            Op::Eq(Operand::Value(value)) | Op::Differs(Operand::Value(value)) => of.literals.contains(value),
            _ => false,
        }
    }

    /// Whether the entries of a list are told apart by what they are only: neither counted nor in an order that is seen.
    #[must_use]
    pub fn is_bag(&self, cell: CellId) -> bool {
        let of = &self.cells[cell];
        let plain = of.ty.item().is_some_and(scalar);
        match of.ty {
            Type::Set { .. } => plain,
            Type::List { .. } => plain && of.size == 0 && of.relations == 0,
            _ => false,
        }
    }

    /// Whether a place can hold more different values than are told apart.
    #[must_use]
    pub fn is_cut(&self, cell: CellId) -> bool {
        self.cells[cell].is_cut
    }

    /// How many entries of a collection have to be told apart.
    #[must_use]
    pub fn entries(&self, cell: CellId) -> usize {
        let of = &self.cells[cell];
        (of.tests.len() + of.size + of.relations).max(1)
    }

    /// The values that a plain place can hold.
    #[must_use]
    pub fn values(&self, cell: CellId) -> Vec<Value> {
        let of = &self.cells[cell];
        if let Some(values) = finite(self.pack, &of.ty) {
            return values;
        }
        let shared = self.values.get(&self.leader_of(cell)).map_or(&[] as &[_], Vec::as_slice);
        shared.iter().filter(|(_, rank)| *rank <= of.rank).map(|(value, _)| value.clone()).collect()
    }

    /// How many values of a place may have to differ: one, or one for each entry that is told apart of the collections that it
    /// stands in.
    fn instances(&self, cell: CellId) -> usize {
        let mut count = 1;
        let mut at = cell;
        while let Some(parent) = self.cells[at].parent {
            let of = &self.cells[parent];
            if of.ty.is_collection() {
                let entries = if self.is_bag(parent) { 1 + of.size + of.relations } else { self.entries(parent) };
                count = entries.min(MOST_ENTRIES).saturating_mul(count);
            }
            at = parent;
        }
        self.copies.get(&at).copied().unwrap_or(1).saturating_mul(count)
    }

    pub(super) fn leader_of(&self, mut cell: CellId) -> CellId {
        while self.leader[cell] != cell {
            cell = self.leader[cell];
        }
        cell
    }

    fn finish(&mut self) {
        let mut groups: indexmap::IndexMap<CellId, Vec<CellId>> = indexmap::IndexMap::new();
        for cell in 0..self.cells.len() {
            let ty = &self.cells[cell].ty;
            if scalar(ty) && finite(self.pack, ty).is_none() {
                groups.entry(self.leader_of(cell)).or_default().push(cell);
            }
        }
        for (leader, mut group) in groups {
            // Single places first: each takes up to one more new value than the one before. Entries can take any.
            group.sort_by_key(|cell| self.instances(*cell));
            let mut count = 0;
            for cell in &group {
                count += self.instances(*cell);
                self.cells[*cell].rank = count;
            }
            let all = count;
            count = all.min(MOST_VALUES);
            for cell in &group {
                self.cells[*cell].is_cut = all > count;
            }
            for cell in &group {
                if self.cells[*cell].parent.is_some() {
                    self.cells[*cell].rank = count;
                }
            }
            let ty = self.cells[leader].ty.clone();
            let mut literals: Vec<Value> = group.iter().flat_map(|cell| self.cells[*cell].literals.clone()).collect();
            let mut thresholds: Vec<Value> =
                group.iter().flat_map(|cell| self.cells[*cell].thresholds.clone()).collect();
            literals.sort();
            literals.dedup();
            thresholds.extend(literals.iter().cloned());
            thresholds.sort();
            thresholds.dedup();
            let values = representatives(self.pack, &ty, &literals, &thresholds, count);
            self.values.insert(leader, values);
        }
    }
}
