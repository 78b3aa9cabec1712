//! A walk through the conditions of a pack that gathers, for each place, what its values are compared with.

use crate::model::class::{Alternative, Answer, By, Class};
use crate::model::cond::{Cond, Op, Operand, Path, Place, Step};
use crate::model::effect::{Effect, Expr, Verb};
use crate::model::ids::{InputId, PortId};
use crate::model::names::Sym;
use crate::model::schema::{NamedType, Type};
use crate::model::value::Value;
use crate::model::{Derivation, Pack, reason, walk};

use super::domain::{Cell, CellId, Domains, Sub};
use super::values::scalar;

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
    /// Looks at the guards, invariants and derivations of the pack.
    pub(super) fn gather(&mut self) {
        let pack = self.pack;
        for class in &pack.classes {
            self.cond(&class.requires, &None);
            self.cond(&class.entry, &None);
            for trigger in &class.triggers {
                self.cond(&trigger.requires, &None);
                self.cond(&trigger.entry, &None);
                self.alternatives(&trigger.any);
            }
            for row in &class.settle {
                self.cond(&row.when, &None);
            }
            walk::effects(class, &mut |_, effect| {
                self.kept(effect);
                if self.steps {
                    self.cond(&effect.when, &None);
                }
            });
            self.answer(class);
            if self.steps {
                class.never.iter().for_each(|(never, _)| self.cond(never, &None));
            }
        }
        for invariant in pack.invariants.iter().filter(|invariant| invariant.frame.is_some()) {
            self.cond(&invariant.when, &None);
            self.cond(&invariant.then, &None);
        }
        for derived in &pack.derived {
            self.derivation(derived.input, &derived.rule);
        }
        for completion in &pack.completions {
            for path in &completion.from {
                self.at(path, &None);
            }
        }
        for check in pack.ports.iter().flat_map(|port| &port.checks) {
            self.cond(&check.when, &None);
            self.cond(&check.require, &None);
        }
        if self.known(Place::OutcomeBreach).is_some()
            && let Some(error) = self.known(Place::OutcomeError)
        {
            self.literal(&At::Cell(error), &Value::text(reason::CONTRACT));
        }
        if let Some(limit) = pack.carryover.as_ref().and_then(|carryover| carryover.limit) {
            self.root(Place::Field(limit));
        }
        self.keyed();
    }

    /// What keys of instances are compared with, and how many instances may be open.
    fn keyed(&mut self) {
        let pack = self.pack;
        for frame in &pack.keyed {
            let Some(keyed) = &pack.frames[frame.index()].keyed else { continue };
            let binds = || pack.classes.iter().flat_map(|class| &class.bind).filter(|(of, _)| of == frame);
            let key = self.root(Place::Field(keyed.key()));
            let only = self.root(Place::Field(keyed.only()));
            self.relate(&only, &key);
            for (_, expr) in binds() {
                walk::expr_paths(expr, &mut |_, path| {
                    let by = self.at(path, &None);
                    self.relate(&by, &key);
                });
            }
            let count = self.root(Place::Field(keyed.open_count()));
            for open in [0, 1, 2, i64::try_from(keyed.max_open).unwrap_or(i64::MAX)] {
                self.literal(&count, &Value::Int(open));
            }
            // Each class may bind another, and so may a call.
            let copies = binds().count() + 1;
            let bound = pack.frames[frame.index()].fields().filter(|slot| keyed.is_bound(*slot));
            let cells = bound.filter_map(|slot| self.roots.get(&Place::Field(slot)));
            self.copies.extend(cells.map(|cell| (*cell, copies)));
        }
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

    fn alternatives(&mut self, any: &'p [Alternative]) {
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
    fn kept(&mut self, effect: &'p Effect) {
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
        for (when, ..) in rows {
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

    fn derivation(&mut self, input: InputId, rule: &'p Derivation) {
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
        // Each place counts, also of those that say the same: of one an entry may have to pass that fails in another.
        if let At::Cell(cell) | At::Keys(cell) = at
            && !self.cells[*cell].tests.iter().any(|known| std::ptr::eq(*known, cond))
        {
            self.cells[*cell].tests.push(cond);
        }
        self.cond(cond, &Some(entry));
    }
}

/// The type of what a path starts from.
fn place_type(pack: &Pack, place: Place) -> Option<Type> {
    Some(match place {
        Place::Field(slot) => pack.slots[slot.index()].ty.clone(),
        Place::Input(input) => pack.inputs[input.index()].ty.clone(),
        Place::Candidates(input) => {
            Type::List { of: Box::new(pack.inputs[input.index()].ty.clone()), max: 64, evict: false, unique: None }
        }
        Place::Outcome(id) => pack.outcomes[id.index()].ty.clone(),
        Place::Kept(id) => pack.kept[id.index()].1.clone(),
        Place::OutcomeError => Type::Text,
        Place::OutcomeBreach => Type::Enum(pack.breaches),
        Place::Request(port, name) => argument(pack, port, name)?.ty.clone(),
        Place::EnvTurn | Place::EnvSession => Type::Id,
        Place::EnvToday => Type::Period,
        Place::EnvNow => Type::Instant,
        _ => return None,
    })
}

/// An argument of a port.
pub(super) fn argument(pack: &Pack, port: PortId, name: Sym) -> Option<&NamedType> {
    pack.ports[port.index()].request.iter().find(|argument| argument.name == name)
}
