//! Conditions as clauses: each test as two literals, whether it is true and whether it is false, over symbolic values.

use std::collections::HashMap;
use std::rc::Rc;

use crate::model::Pack;
use crate::model::cond::{Cond, Path, Place, Step};
use crate::model::ids::{ClassId, FrameId};
use crate::model::schema::Type;
use crate::model::value::Value;
use crate::registry::Registry;

use super::domain::{CellId, Domains, MOST_ENTRIES, Sub};
use super::guard::Taker;
use super::sat::{Lit, Sat};
use super::term::{Entry, Form, Items, Record, Term};
use super::values::{finite, some_values};

/// Whether something is true, and whether it is false; unknown is neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rails {
    /// It is true.
    pub yes: Lit,
    /// It is false.
    pub no: Lit,
}

/// What a condition sees.
#[derive(Debug, Clone)]
pub struct Sight {
    /// Whose inputs.
    pub of: Who,
    /// Whether values of frames are seen only where that candidate may read them.
    pub restricted: bool,
    /// The entry of a collection that is looked at.
    pub entry: Option<Seen>,
}

/// An entry of a collection, as conditions on entries see it.
#[derive(Debug, Clone)]
pub struct Seen {
    pub(super) key: Option<Term>,
    pub(super) value: Option<Term>,
    pub(super) key_type: Option<Type>,
    pub(super) value_type: Option<Type>,
}

/// Whose inputs a condition sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Who {
    /// Nobody's: a state alone.
    State,
    /// A trigger of a class.
    Trigger(ClassId, usize),
    /// Those of an outcome.
    Outcome,
    /// Those of a step of somebody, and the state in which its effects begin.
    Start(Taker),
    /// The same, and the state that they leave.
    After(Taker),
}

impl Sight {
    /// What the guard of somebody sees: every frame.
    #[must_use]
    pub fn of(of: Who) -> Self {
        Self { of, restricted: false, entry: None }
    }
}

/// Why something is not told exactly, and the literal under which that matters.
#[derive(Debug, Clone)]
pub struct Vague {
    /// Holds where it matters.
    pub lit: Lit,
    /// What it is about, for people.
    pub why: String,
}

/// The clauses of one pack, which grow as they are asked for.
pub struct Encoder<'r> {
    /// The pack, compiled.
    pub registry: &'r Registry,
    /// The pack.
    pub pack: &'r Pack,
    /// The solver.
    pub sat: Sat,
    /// What each place can hold.
    pub domains: Domains<'r>,
    /// What is not told exactly.
    pub vague: Vec<Vague>,
    pub(super) places: HashMap<Place, Term>,
    pub(super) late: HashMap<(ClassId, usize, crate::model::ids::InputId), Term>,
    pub(super) steps: HashMap<(Taker, bool, Place), Term>,
    pub(super) lets: HashMap<FrameId, Lit>,
    pub(super) moment: super::moment::Moment<'r>,
    pub(super) passes: HashMap<super::guard::Taker, Lit>,
    tests: HashMap<(*const Cond, Who), Rails>,
}

impl<'r> Encoder<'r> {
    /// The clauses that hold of every situation of a pack: its values are of their types, its states keep the invariants of
    /// frames.
    #[must_use]
    pub fn new(registry: &'r Registry) -> Self {
        let pack = registry.pack();
        let mut sat = Sat::default();
        let moment = super::moment::Moment::new(registry, &mut sat);
        let mut encoder = Self {
            registry,
            pack,
            sat,
            domains: Domains::of(pack),
            vague: Vec::new(),
            places: HashMap::new(),
            late: HashMap::new(),
            steps: HashMap::new(),
            lets: HashMap::new(),
            moment,
            passes: HashMap::new(),
            tests: HashMap::new(),
        };
        encoder.say_forms();
        for invariant in pack.invariants.iter().filter(|invariant| invariant.frame.is_some()) {
            let when = encoder.cond(&invariant.when, &Sight::of(Who::State));
            let then = encoder.cond(&invariant.then, &Sight::of(Who::State));
            encoder.sat.implies(&[when.yes], &[then.yes]);
        }
        encoder
    }

    /// Whether a condition holds.
    pub fn holds(&mut self, cond: &'r Cond, sight: &Sight) -> Lit {
        self.cond(cond, sight).yes
    }

    /// What a condition comes to.
    pub fn cond(&mut self, cond: &'r Cond, sight: &Sight) -> Rails {
        match cond {
            Cond::All(of) => {
                let of: Vec<Rails> = of.iter().map(|cond| self.cond(cond, sight)).collect();
                Rails {
                    yes: self.sat.and(of.iter().map(|rails| rails.yes)),
                    no: self.sat.or(of.iter().map(|rails| rails.no)),
                }
            }
            Cond::Any(of) => {
                let of: Vec<Rails> = of.iter().map(|cond| self.cond(cond, sight)).collect();
                Rails {
                    yes: self.sat.or(of.iter().map(|rails| rails.yes)),
                    no: self.sat.and(of.iter().map(|rails| rails.no)),
                }
            }
            Cond::Not(cond) => {
                let Rails { yes, no } = self.cond(cond, sight);
                Rails { yes: no, no: yes }
            }
            Cond::Test { path, op, .. } => {
                let key = (std::ptr::from_ref(cond), sight.of);
                if sight.entry.is_none()
                    && let Some(known) = self.tests.get(&key)
                {
                    return *known;
                }
                let (term, ty) = self.typed(path, sight);
                let rails = self.test(&term, ty.as_ref(), op, sight);
                if sight.entry.is_none() {
                    self.tests.insert(key, rails);
                }
                rails
            }
        }
    }

    /// The value at a path.
    pub fn term(&mut self, path: &'r Path, sight: &Sight) -> Term {
        self.typed(path, sight).0
    }

    fn typed(&mut self, path: &'r Path, sight: &Sight) -> (Term, Option<Type>) {
        let (mut term, mut ty) = match (path.place, &sight.entry) {
            (Place::EntryKey, Some(seen)) => (seen.key.clone().unwrap_or_else(Term::absent), seen.key_type.clone()),
            (Place::EntryValue, Some(seen)) => {
                (seen.value.clone().unwrap_or_else(Term::absent), seen.value_type.clone())
            }
            (place, _) => (self.place(place, sight), self.place_type(place)),
        };
        for step in &path.steps {
            (term, ty) = self.follow(&term, ty, step, sight);
        }
        (term, ty)
    }

    /// Whether the value of a place has literals.
    #[must_use]
    pub fn is_placed(&self, place: Place) -> bool {
        self.places.contains_key(&place)
    }

    /// The value of a place that has literals.
    #[must_use]
    pub fn placed(&self, place: Place) -> Option<&Term> {
        self.places.get(&place)
    }

    fn place_type(&self, place: Place) -> Option<Type> {
        let place = if let Place::Before(slot) = place { Place::Field(slot) } else { place };
        self.domains.known(place).map(|cell| self.domains.ty(cell).clone())
    }

    pub(super) fn place(&mut self, place: Place, sight: &Sight) -> Term {
        if let Who::Start(taker) | Who::After(taker) = sight.of {
            return self.in_step(taker, matches!(sight.of, Who::After(_)), place);
        }
        match place {
            Place::Field(slot) if sight.restricted => {
                let term = self.shared(place);
                let lit = match sight.of {
                    Who::Trigger(class, _) => self.may_read(class, slot),
                    Who::State | Who::Outcome | Who::Start(_) | Who::After(_) => Lit::TRUE,
                };
                term.only_if(&mut self.sat, lit)
            }
            Place::Input(input) => match sight.of {
                Who::Trigger(class, trigger) => self.input(class, trigger, input),
                Who::State | Who::Outcome | Who::Start(_) | Who::After(_) => Term::absent(),
            },
            Place::Ambiguous(input) | Place::Partial(input) => match sight.of {
                Who::Trigger(..) => {
                    let lit = match place {
                        Place::Ambiguous(_) => self.ambiguous(input),
                        _ => self.partial(input),
                    };
                    Term::plain(Lit::TRUE, vec![(Value::Bool(true), lit), (Value::Bool(false), !lit)])
                }
                Who::State | Who::Outcome | Who::Start(_) | Who::After(_) => Term::absent(),
            },
            Place::Candidates(input) => match sight.of {
                Who::Trigger(..) => {
                    let said = self.ambiguous(input);
                    self.shared(place).only_if(&mut self.sat, said)
                }
                Who::State | Who::Outcome | Who::Start(_) | Who::After(_) => Term::absent(),
            },
            Place::Outcome(_)
            | Place::OutcomeStatus
            | Place::OutcomeCall
            | Place::OutcomePort
            | Place::OutcomeError
            | Place::Kept(_) => match sight.of {
                Who::Outcome => self.outcome(place),
                Who::State | Who::Trigger(..) | Who::Start(_) | Who::After(_) => Term::absent(),
            },
            place => self.shared(place),
        }
    }

    /// The value of a place that is the same for everybody.
    pub(super) fn shared(&mut self, place: Place) -> Term {
        if let Some(term) = self.places.get(&place) {
            return term.clone();
        }
        let term = match self.domains.known(place) {
            Some(cell) => {
                let always = match place {
                    Place::Field(slot) => self.pack.slots[slot.index()].default.is_present(),
                    Place::EnvToday | Place::EnvNow | Place::EnvTurn | Place::EnvSession | Place::Candidates(_) => true,
                    _ => false,
                };
                let present = if always { Lit::TRUE } else { self.sat.fresh() };
                self.build(cell, present)
            }
            None => Term::absent(),
        };
        self.places.insert(place, term.clone());
        term
    }

    /// A value that can be whatever its place can hold.
    pub(super) fn build(&mut self, cell: CellId, present: Lit) -> Term {
        let ty = self.domains.ty(cell).clone();
        match &ty {
            Type::Record(id) => {
                let declared = &self.pack.records[id.index()];
                let mut fields = Vec::new();
                for field in &declared.fields {
                    if let Some(sub) = self.domains.sub(cell, Sub::Field(field.name)) {
                        let there = if field.optional { self.sat.fresh() } else { Lit::TRUE };
                        fields.push((field.name, self.build(sub, there)));
                    }
                }
                Term::Record(Rc::new(Record { present, fields, open: declared.open }))
            }
            Type::List { max, .. } | Type::Set { max, .. } | Type::Map { max, .. } => {
                self.collection(cell, &ty, *max as usize, present)
            }
            _ if self.domains.is_cut(cell) => {
                let why = "values in collections within collections are not all told apart";
                self.vague.push(Vague { lit: present, why: why.into() });
                Term::Opaque(present)
            }
            _ => {
                let values = self.domains.values(cell);
                let today = self.domains.known(Place::EnvToday) == Some(cell);
                let values = values
                    .into_iter()
                    .filter(|value| !today || matches!(value, Value::Period(crate::model::period::Period::Day(_))));
                let choices: Vec<(Value, Lit)> = values.map(|value| (value, self.sat.fresh())).collect();
                let mut lits: Vec<Lit> = choices.iter().map(|(_, lit)| *lit).collect();
                lits.push(!present);
                self.sat.one_of(&lits);
                Term::plain(present, choices)
            }
        }
    }

    fn collection(&mut self, cell: CellId, ty: &Type, max: usize, present: Lit) -> Term {
        let wanted = self.domains.entries(cell);
        // How many entries it can have where they are told apart by a value that each has by itself.
        let mut told = None;
        let (form, mut entries) = match ty {
            Type::Map { key, .. } => {
                let value = self.domains.sub(cell, Sub::Value);
                let keys = self.distinct(cell, Sub::Key, key);
                told = Some((finite(self.pack, key).is_some(), keys.len()));
                let mut entries = Vec::new();
                for key in keys {
                    let there = self.sat.fresh();
                    let value = value.map(|value| self.build(value, Lit::TRUE));
                    entries.push(Entry { there, key: Some(Term::constant(&key)), value });
                }
                (Form::Map, entries)
            }
            Type::List { of, .. } | Type::Set { of, .. } if self.domains.is_bag(cell) => {
                let values = self.distinct(cell, Sub::Item, of);
                told = Some((finite(self.pack, of).is_some(), values.len()));
                let entry = |value: &Value, there| Entry { there, key: None, value: Some(Term::constant(value)) };
                (Form::Bag, values.iter().map(|value| entry(value, self.sat.fresh())).collect())
            }
            _ => {
                let count = wanted.min(max).min(MOST_ENTRIES);
                let item = self.domains.sub(cell, Sub::Item);
                let mut entries: Vec<Entry> = Vec::new();
                for _ in 0..count {
                    let there = self.sat.fresh();
                    if let Some(before) = entries.last() {
                        self.sat.implies(&[there], &[before.there]);
                    }
                    let value = item.map(|item| self.build(item, Lit::TRUE));
                    entries.push(Entry { there, key: None, value });
                }
                (Form::List, entries)
            }
        };
        let (all, count) = told.unwrap_or((false, entries.len()));
        let mut more = Lit::FALSE;
        if !all && wanted > count && max > count {
            more = self.sat.fresh();
            let why = format!("a collection is told apart up to {count} entries only");
            self.vague.push(Vague { lit: more, why });
        }
        for entry in &mut entries {
            self.sat.implies(&[entry.there], &[present]);
        }
        if entries.len() > max {
            let lits: Vec<Lit> = entries.iter().map(|entry| entry.there).collect();
            let counts = self.sat.at_least(&lits, max + 1);
            self.sat.clause(&[!counts[max]]);
        }
        self.sat.implies(&[more], &[present]);
        Term::Items(Rc::new(Items { present, entries, form, more }))
    }

    /// The values that are told apart of the keys of a map, or of the items of a set.
    fn distinct(&self, cell: CellId, sub: Sub, ty: &Type) -> Vec<Value> {
        match self.domains.sub(cell, sub) {
            Some(of) => self.domains.values(of),
            None => some_values(self.pack, ty, self.domains.entries(cell).min(MOST_ENTRIES)),
        }
    }

    fn follow(&mut self, term: &Term, ty: Option<Type>, step: &'r Step, sight: &Sight) -> (Term, Option<Type>) {
        match (step, term) {
            (Step::Field(name), Term::Record(record)) => {
                let declared = match ty {
                    Some(Type::Record(id)) => {
                        let fields = &self.pack.records[id.index()].fields;
                        fields.iter().find(|field| field.name == *name).map(|field| field.ty.clone())
                    }
                    _ => None,
                };
                let field = record.fields.iter().find(|(known, _)| known == name).map(|(_, term)| term.clone());
                let field = field.unwrap_or_else(Term::absent).only_if(&mut self.sat, record.present);
                (field, declared)
            }
            (Step::Column(name), Term::Plain(plain)) => {
                let Some(Type::Key(id)) = ty else { return (Term::absent(), None) };
                let table = &self.pack.tables[id.index()];
                let Some(column) = table.column(*name) else { return (term.clone(), ty) };
                let cells: Vec<(Lit, Value)> = plain
                    .choices
                    .iter()
                    .filter_map(|(value, lit)| match value {
                        Value::Sym(key) => Some((*lit, table.row(*key)?.cells[column].clone())),
                        _ => None,
                    })
                    .collect();
                let declared = table.columns[column].ty.clone();
                (self.column(&cells), Some(declared))
            }
            (Step::Lookup(path), Term::Items(items)) if items.form == Form::Map => {
                let key = self.term(path, sight);
                let mut found = Vec::new();
                for entry in &items.entries {
                    let same = match &entry.key {
                        Some(own) => self.equal(own, &key),
                        None => Lit::FALSE,
                    };
                    let hit = self.sat.and([entry.there, same]);
                    if let Some(value) = &entry.value {
                        found.push((hit, value.clone()));
                    }
                }
                let of = match ty {
                    Some(Type::Map { of, .. }) => Some(*of),
                    _ => None,
                };
                (Term::either(&mut self.sat, &found), of)
            }
            (Step::Keys, Term::Items(items)) if items.form == Form::Map => {
                let entries =
                    items.entries.iter().map(|entry| Entry { there: entry.there, key: None, value: entry.key.clone() });
                let items = Items { entries: entries.collect(), form: Form::Bag, ..(**items).clone() };
                (Term::Items(Rc::new(items)), None)
            }
            (_, Term::Opaque(_)) => {
                let present = self.sat.fresh();
                self.sat.implies(&[present], &[term.present()]);
                (Term::Opaque(present), None)
            }
            _ => (Term::absent(), None),
        }
    }

    /// The cell of the row whose literal holds.
    fn column(&mut self, cells: &[(Lit, Value)]) -> Term {
        if cells.iter().any(|(_, cell)| matches!(cell, Value::List(_))) {
            let lists: Vec<(Lit, Vec<Value>)> = cells
                .iter()
                .filter_map(
                    |(lit, cell)| if let Value::List(items) = cell { Some((*lit, items.to_vec())) } else { None },
                )
                .collect();
            let present = self.sat.or(lists.iter().map(|(lit, _)| *lit));
            let mut entries: Vec<(Value, Vec<Lit>)> = Vec::new();
            let mut twice = false;
            for (lit, items) in &lists {
                for (at, item) in items.iter().enumerate() {
                    twice |= items[..at].contains(item);
                    match entries.iter_mut().find(|(known, _)| known == item) {
                        Some((_, lits)) => lits.push(*lit),
                        None => entries.push((item.clone(), vec![*lit])),
                    }
                }
            }
            if twice {
                return Term::Opaque(present);
            }
            let entries = entries
                .into_iter()
                .map(|(item, lits)| Entry { there: self.sat.or(lits), key: None, value: Some(Term::constant(&item)) })
                .collect();
            return Term::Items(Rc::new(Items { present, entries, form: Form::Bag, more: Lit::FALSE }));
        }
        let of: Vec<(Lit, Term)> = cells.iter().map(|(lit, cell)| (*lit, Term::constant(cell))).collect();
        Term::either(&mut self.sat, &of)
    }
}
