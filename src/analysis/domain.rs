//! Which values have to be looked at: for each place where a value stands, representatives of all that it can hold.
//!
//! Places whose values are compared with each other share their values: the literals that any of them is compared with, what
//! lies between and beyond thresholds, and as many further values as there are places, so that all of them can differ.

use std::collections::HashMap;

use crate::model::class::{Answer, Class};
use crate::model::cond::{Cond, Op, Operand, Path, Place, Step};
use crate::model::effect::{Expr, Verb};
use crate::model::names::Sym;
use crate::model::schema::Type;
use crate::model::value::Value;
use crate::model::{Derivation, Pack, walk};

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
struct Cell<'p> {
    ty: Type,
    subs: Vec<(Sub, CellId)>,
    parent: Option<CellId>,
    /// The different conditions on its entries.
    tests: Vec<&'p Cond>,
    /// One more than the largest number that its size, or a count of its entries, is compared with.
    size: usize,
    /// How many times it is compared with another collection.
    relations: usize,
    literals: Vec<Value>,
    thresholds: Vec<Value>,
    /// Its place among those that share their values.
    rank: usize,
    /// It can hold more different values than are told apart.
    is_cut: bool,
}

/// All places that conditions look at, and what each can hold.
#[derive(Debug)]
pub struct Domains<'p> {
    pack: &'p Pack,
    roots: HashMap<Place, CellId>,
    cells: Vec<Cell<'p>>,
    leader: Vec<CellId>,
    /// By leader: the values that all places of the class share, and for each how many places come before it is needed.
    values: HashMap<CellId, Vec<(Value, usize)>>,
}

/// Where a path leads.
#[derive(Debug, Clone)]
enum At {
    Cell(CellId),
    /// The keys of this map.
    Keys(CellId),
    /// A column of a table.
    Column(Vec<Value>, Type),
    /// Nowhere that is looked at.
    Nowhere,
}

/// The cells of the key and of the value of an entry.
type Entry = Option<(At, At)>;

impl<'p> Domains<'p> {
    /// The places that the guards, invariants and derivations of a pack look at.
    #[must_use]
    pub fn of(pack: &'p Pack) -> Self {
        let mut domains =
            Self { pack, roots: HashMap::new(), cells: Vec::new(), leader: Vec::new(), values: HashMap::new() };
        for class in &pack.classes {
            domains.cond(&class.requires, &None);
            domains.cond(&class.entry, &None);
            for trigger in &class.triggers {
                domains.cond(&trigger.requires, &None);
                domains.cond(&trigger.entry, &None);
                domains.alternatives(&trigger.any);
            }
            for row in &class.settle {
                domains.cond(&row.when, &None);
            }
            walk::effects(class, &mut |_, effect| domains.kept(effect));
            domains.answer(class);
        }
        for invariant in pack.invariants.iter().filter(|invariant| invariant.frame.is_some()) {
            domains.cond(&invariant.when, &None);
            domains.cond(&invariant.then, &None);
        }
        for derived in &pack.derived {
            domains.derivation(derived.input, &derived.rule);
        }
        for completion in &pack.completions {
            for path in &completion.from {
                domains.at(path, &None);
            }
        }
        if let Some(limit) = pack.carryover.as_ref().and_then(|carryover| carryover.limit) {
            domains.root(Place::Field(limit));
        }
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

    fn root(&mut self, place: Place) -> At {
        let place = if let Place::Before(slot) = place { Place::Field(slot) } else { place };
        if let Some(cell) = self.roots.get(&place) {
            return At::Cell(*cell);
        }
        let Some(ty) = place_type(self.pack, place) else { return At::Nowhere };
        let cell = self.new_cell(ty, None);
        self.roots.insert(place, cell);
        At::Cell(cell)
    }

    fn new_cell(&mut self, ty: Type, parent: Option<CellId>) -> CellId {
        self.cells.push(Cell {
            ty,
            subs: Vec::new(),
            parent,
            tests: Vec::new(),
            size: 0,
            relations: 0,
            literals: Vec::new(),
            thresholds: Vec::new(),
            rank: 0,
            is_cut: false,
        });
        self.leader.push(self.cells.len() - 1);
        self.cells.len() - 1
    }

    fn enter(&mut self, cell: CellId, sub: Sub) -> At {
        if let Some(known) = self.sub(cell, sub) {
            return At::Cell(known);
        }
        let ty = match (&self.cells[cell].ty, sub) {
            (Type::Record(id), Sub::Field(name)) => {
                let fields = &self.pack.records[id.index()].fields;
                fields.iter().find(|field| field.name == name).map(|field| field.ty.clone())
            }
            (Type::List { of, .. } | Type::Set { of, .. }, Sub::Item) => Some((**of).clone()),
            (Type::Map { key, .. }, Sub::Key) => Some((**key).clone()),
            (Type::Map { of, .. }, Sub::Value) => Some((**of).clone()),
            _ => None,
        };
        let Some(ty) = ty else { return At::Nowhere };
        let new = self.new_cell(ty, Some(cell));
        self.cells[cell].subs.push((sub, new));
        At::Cell(new)
    }

    fn at(&mut self, path: &'p Path, entry: &Entry) -> At {
        let mut at = match (path.place, entry) {
            (Place::EntryKey, Some((key, _))) => key.clone(),
            (Place::EntryValue, Some((_, value))) => value.clone(),
            (place, _) => self.root(place),
        };
        for step in &path.steps {
            at = match (step, at) {
                (Step::Field(name), At::Cell(cell)) => self.enter(cell, Sub::Field(*name)),
                (Step::Column(name), At::Cell(cell)) => match self.cells[cell].ty {
                    Type::Key(table) => {
                        let table = &self.pack.tables[table.index()];
                        match table.column(*name) {
                            Some(column) => At::Column(
                                table.rows.iter().map(|row| row.cells[column].clone()).collect(),
                                table.columns[column].ty.clone(),
                            ),
                            None => At::Cell(cell),
                        }
                    }
                    _ => At::Nowhere,
                },
                (Step::Column(name), At::Column(keys, Type::Key(id))) => {
                    let table = &self.pack.tables[id.index()];
                    match table.column(*name) {
                        Some(column) => At::Column(
                            table.rows.iter().map(|row| row.cells[column].clone()).collect(),
                            table.columns[column].ty.clone(),
                        ),
                        None => At::Column(keys, Type::Key(id)),
                    }
                }
                (Step::Lookup(key), At::Cell(cell)) => {
                    let key = self.at(key, entry);
                    let own = self.enter(cell, Sub::Key);
                    self.relate(&own, &key);
                    self.enter(cell, Sub::Value)
                }
                (Step::Keys, At::Cell(cell)) => {
                    self.enter(cell, Sub::Key);
                    At::Keys(cell)
                }
                _ => At::Nowhere,
            };
        }
        at
    }

    /// Where the items of a collection stand; of a map its keys.
    fn items(&mut self, at: &At) -> At {
        match at {
            At::Keys(cell) => self.enter(*cell, Sub::Key),
            At::Cell(cell) => match self.cells[*cell].ty {
                Type::Map { .. } => self.enter(*cell, Sub::Key),
                Type::List { .. } | Type::Set { .. } => self.enter(*cell, Sub::Item),
                _ => at.clone(),
            },
            At::Column(values, ty) => {
                let items = values.iter().flat_map(|value| match value {
                    Value::List(items) => items.to_vec(),
                    _ => Vec::new(),
                });
                At::Column(items.collect(), ty.item().cloned().unwrap_or(Type::Text))
            }
            At::Nowhere => At::Nowhere,
        }
    }

    /// Values of these two places are compared.
    fn relate(&mut self, a: &At, b: &At) {
        match (a, b) {
            (At::Cell(a), At::Cell(b)) => self.relate_cells(*a, *b),
            (At::Cell(_) | At::Keys(_), At::Column(values, _)) => {
                for value in values {
                    self.literal(a, value);
                }
            }
            (At::Column(..), At::Cell(_) | At::Keys(_)) => self.relate(b, a),
            (At::Keys(_), At::Cell(_)) | (At::Cell(_), At::Keys(_)) | (At::Keys(_), At::Keys(_)) => {
                let (a, b) = (self.items(a), self.items(b));
                self.relate(&a, &b);
            }
            (At::Column(..), At::Column(..)) | (At::Nowhere, _) | (_, At::Nowhere) => {}
        }
    }

    fn relate_cells(&mut self, a: CellId, b: CellId) {
        let ty = self.cells[a].ty.clone();
        let subs: Vec<Sub> = match &ty {
            Type::Record(id) => {
                self.pack.records[id.index()].fields.iter().map(|field| Sub::Field(field.name)).collect()
            }
            Type::List { .. } | Type::Set { .. } => vec![Sub::Item],
            Type::Map { .. } => vec![Sub::Key, Sub::Value],
            _ => {
                let (a, b) = (self.leader_of(a), self.leader_of(b));
                self.leader[a] = b;
                return;
            }
        };
        self.cells[a].relations += 1;
        self.cells[b].relations += 1;
        for sub in subs {
            if let (At::Cell(a), At::Cell(b)) = (self.enter(a, sub), self.enter(b, sub)) {
                self.relate_cells(a, b);
            }
        }
    }

    fn leader_of(&self, mut cell: CellId) -> CellId {
        while self.leader[cell] != cell {
            cell = self.leader[cell];
        }
        cell
    }

    fn literal(&mut self, at: &At, value: &Value) {
        match (at, value) {
            (At::Cell(_) | At::Keys(_), Value::List(items)) => {
                let item = self.items(at);
                for value in items.iter() {
                    self.literal(&item, value);
                }
            }
            (At::Cell(cell), value) if value.is_present() => self.cells[*cell].literals.push(value.clone()),
            _ => {}
        }
    }

    fn operand(&mut self, at: &At, operand: &'p Operand, entry: &Entry) {
        match operand {
            Operand::Value(value) => self.literal(at, value),
            Operand::Path(path) => {
                let other = self.at(path, entry);
                self.relate(at, &other);
            }
        }
    }

    fn alternatives(&mut self, any: &'p [crate::model::class::Alternative]) {
        use crate::model::class::By;
        for alternative in any {
            for (input, value) in &alternative.sets {
                let at = self.root(Place::Input(*input));
                self.literal(&at, value);
            }
            match &alternative.by {
                By::Signal { input, is } => {
                    let at = self.root(Place::Input(*input));
                    let at = if is.is_empty() { At::Nowhere } else { self.items(&at) };
                    for value in is {
                        self.literal(&at, value);
                    }
                }
                By::Ambiguous(_) | By::Words(_) => {}
            }
        }
    }

    /// What a call keeps as a plain value comes back as just that.
    fn kept(&mut self, effect: &'p crate::model::effect::Effect) {
        if let Verb::Call(call) = &effect.verb {
            for (kept, expr) in &call.keep {
                if let (Expr::Value(value), Some(cell)) = (expr, self.known(Place::Kept(*kept))) {
                    self.literal(&At::Cell(cell), value);
                }
            }
        }
    }

    /// What the rows of an answer look at, and what effects write there.
    fn answer(&mut self, class: &'p Class) {
        let Answer::Rows(rows) = &class.answer else { return };
        let mut looked_at: Vec<Place> = Vec::new();
        for (when, _) in rows {
            self.cond(when, &None);
            walk::cond_paths(when, &mut |path: &Path| looked_at.push(path.place));
        }
        walk::effects(class, &mut |_, effect| {
            let mut writes = false;
            walk::targets(self.pack, &effect.verb, &mut |slot| writes |= looked_at.contains(&Place::Field(slot)));
            let waits = matches!(&effect.verb, Verb::Call(call) if self.pack.ports[call.port.index()].replies);
            if writes || waits {
                self.cond(&effect.when, &None);
            }
            let Verb::Set(of) = &effect.verb else { return };
            for (slot, expr) in of.iter().filter(|(slot, _)| looked_at.contains(&Place::Field(*slot))) {
                let at = self.root(Place::Field(*slot));
                match expr {
                    Expr::Value(value) => self.literal(&at, value),
                    Expr::Path { path, .. } => {
                        let from = self.at(path, &None);
                        self.relate(&at, &from);
                    }
                    _ => {}
                }
            }
        });
    }

    fn derivation(&mut self, input: crate::model::ids::InputId, rule: &'p Derivation) {
        let own = self.root(Place::Input(input));
        match rule {
            Derivation::Lookup { table, wher } => {
                let table = &self.pack.tables[table.index()];
                for (column, operand) in wher {
                    if let Operand::Path(path) = operand {
                        let at = self.at(path, &None);
                        for row in &table.rows {
                            if let Some(column) = column {
                                self.literal(&at, &row.cells[*column]);
                            }
                        }
                    }
                }
            }
            Derivation::Members { of, at, maps, .. } => {
                self.at(of, &None);
                for (_, paths) in at {
                    for path in paths {
                        self.at(path, &None);
                    }
                }
                for path in maps {
                    let at = self.at(path, &None);
                    self.items(&at);
                }
            }
            Derivation::FirstOf(paths) => {
                for path in paths {
                    let at = self.at(path, &None);
                    self.relate(&own, &at);
                }
            }
        }
    }

    fn cond(&mut self, cond: &'p Cond, entry: &Entry) {
        match cond {
            Cond::All(of) | Cond::Any(of) => of.iter().for_each(|cond| self.cond(cond, entry)),
            Cond::Not(cond) => self.cond(cond, entry),
            Cond::Test { path, op, .. } => {
                let at = self.at(path, entry);
                self.test(&at, op, entry);
            }
        }
    }

    fn test(&mut self, at: &At, op: &'p Op, entry: &Entry) {
        match op {
            Op::Eq(operand) | Op::Differs(operand) => self.operand(at, operand, entry),
            Op::In(values) => values.iter().for_each(|value| self.literal(at, value)),
            Op::Order { than, .. } => {
                if let At::Cell(cell) = at {
                    self.cells[*cell].thresholds.push(than.clone());
                }
            }
            Op::Present(_) => {}
            Op::Empty(_) => {
                if let At::Cell(cell) = at {
                    match self.cells[*cell].ty {
                        Type::Text => self.literal(at, &Value::text("")),
                        _ => {
                            self.items(at);
                        }
                    }
                }
            }
            Op::Size(op) => {
                self.items(at);
                self.sized(at, op);
            }
            Op::Contains(operand) => {
                let item = self.items(at);
                self.operand(&item, operand, entry);
                self.held(at);
            }
            Op::SubsetOf(of) | Op::SameSet(of) | Op::Disjoint(of) | Op::CoveredBy(of) => {
                let item = self.items(at);
                for operand in of {
                    match operand {
                        Operand::Value(value) => self.literal(at, value),
                        Operand::Path(path) => {
                            let other = self.at(path, entry);
                            let others = self.items(&other);
                            self.relate(&item, &others);
                            self.held(&other);
                        }
                    }
                }
                self.held(at);
            }
            Op::Exists(cond) | Op::Every(cond) => self.entry_cond(at, cond),
            Op::Count(cond, op) => {
                self.entry_cond(at, cond);
                self.sized(at, op);
            }
        }
    }

    /// The collection needs a further entry that its tests can tell apart.
    fn held(&mut self, at: &At) {
        if let At::Cell(cell) | At::Keys(cell) = at
            && !self.is_plain_bag(*cell)
        {
            self.cells[*cell].size = self.cells[*cell].size.max(1);
        }
    }

    fn is_plain_bag(&self, cell: CellId) -> bool {
        self.cells[cell].ty.item().is_some_and(scalar)
    }

    fn sized(&mut self, at: &At, op: &Op) {
        let than = match op {
            Op::Eq(Operand::Value(Value::Int(than))) | Op::Order { than: Value::Int(than), .. } => *than,
            _ => 0,
        };
        if let At::Cell(cell) | At::Keys(cell) = at {
            let size = usize::try_from(than.max(0)).unwrap_or(usize::MAX).saturating_add(1);
            self.cells[*cell].size = self.cells[*cell].size.max(size);
        }
    }

    fn entry_cond(&mut self, at: &At, cond: &'p Cond) {
        let entry = match at {
            At::Cell(cell) => match self.cells[*cell].ty {
                Type::Map { .. } => (self.enter(*cell, Sub::Key), self.enter(*cell, Sub::Value)),
                _ => (At::Nowhere, self.enter(*cell, Sub::Item)),
            },
            At::Keys(_) | At::Column(..) => (At::Nowhere, self.items(at)),
            At::Nowhere => (At::Nowhere, At::Nowhere),
        };
        if let At::Cell(cell) | At::Keys(cell) = at
            && !self.cells[*cell].tests.contains(&cond)
        {
            self.cells[*cell].tests.push(cond);
        }
        self.cond(cond, &Some(entry));
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
        count
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
            let values = representatives(&ty, &literals, &thresholds, count);
            self.values.insert(leader, values);
        }
    }
}

/// The type of what a path starts from.
fn place_type(pack: &Pack, place: Place) -> Option<Type> {
    Some(match place {
        Place::Field(slot) => pack.slots[slot.index()].ty.clone(),
        Place::Input(input) => pack.inputs[input.index()].ty.clone(),
        Place::Candidates(input) => {
            Type::List { of: Box::new(pack.inputs[input.index()].ty.clone()), max: 64, evict: false }
        }
        Place::Outcome(id) => pack.outcomes[id.index()].ty.clone(),
        Place::Kept(id) => pack.kept[id.index()].1.clone(),
        Place::OutcomeError => Type::Text,
        Place::EnvTurn | Place::EnvSession => Type::Id,
        Place::EnvToday => Type::Period,
        Place::EnvNow => Type::Instant,
        _ => return None,
    })
}
