//! Symbolic values as they are made and looked into: what a place can hold, a field of a record, a column of a table.

use std::rc::Rc;

use crate::model::cond::{Place, Step};
use crate::model::period::Period;
use crate::model::schema::Type;
use crate::model::value::Value;

use super::domain::{CellId, MOST_ENTRIES, Sub};
use super::encode::{Encoder, Sight, Vague};
use super::sat::Lit;
use super::term::{Entry, Form, Items, Record, Term};
use super::values::{finite, some_values};

impl<'r> Encoder<'r> {
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
                let values =
                    values.into_iter().filter(|value| !today || matches!(value, Value::Period(Period::Day(_))));
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

    pub(super) fn follow(
        &mut self,
        term: &Term,
        ty: Option<Type>,
        step: &'r Step,
        sight: &Sight,
    ) -> (Term, Option<Type>) {
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
            // Of the fields of all records together nothing is told but that they are there when the list is.
            (Step::Each(_), term) => (Term::Opaque(term.present()), None),
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
