//! Symbolic values: which values something can have, each with the literal under which it has it.

use std::rc::Rc;

use crate::model::names::Sym;
use crate::model::value::Value;

use super::sat::{Lit, Model, Sat};

/// A value that is known only once a situation is chosen.
#[derive(Debug, Clone)]
pub enum Term {
    /// A plain value.
    Plain(Rc<Plain>),
    /// A record.
    Record(Rc<Record>),
    /// A list, a set or a map.
    Items(Rc<Items>),
    /// Something of which only the presence is known.
    Opaque(Lit),
}

/// A plain value: where it is present exactly one of the choices holds.
#[derive(Debug, Clone)]
pub struct Plain {
    /// Whether there is a value.
    pub present: Lit,
    /// The values.
    pub choices: Vec<(Value, Lit)>,
}

/// A record. The literals of fields imply nothing of the record's own.
#[derive(Debug, Clone)]
pub struct Record {
    /// Whether there is a value.
    pub present: Lit,
    /// The fields that are looked at.
    pub fields: Vec<(Sym, Term)>,
    /// Whether it may hold more than declared.
    pub open: bool,
}

/// A collection.
#[derive(Debug, Clone)]
pub struct Items {
    /// Whether there is a value.
    pub present: Lit,
    /// The entries that it may hold.
    pub entries: Vec<Entry>,
    /// What it is.
    pub form: Form,
    /// Whether it holds more than the entries say.
    pub more: Lit,
}

/// What a collection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A set; its entries have different values. Lists of which neither order nor number matters are told alike.
    Bag,
    /// A list: an entry is there only where the one before is.
    List,
    /// A map; its entries have different keys.
    Map,
}

/// An entry of a collection.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Whether it is there.
    pub there: Lit,
    /// Its key.
    pub key: Option<Term>,
    /// Its value, or the item; `None` where nothing looks at it.
    pub value: Option<Term>,
}

impl Entry {
    /// What membership is about: the key of a map, else the item.
    #[must_use]
    pub fn member(&self) -> Option<&Term> {
        self.key.as_ref().or(self.value.as_ref())
    }
}

impl Term {
    /// What is never there.
    #[must_use]
    pub fn absent() -> Self {
        Term::Plain(Rc::new(Plain { present: Lit::FALSE, choices: Vec::new() }))
    }

    /// A plain value that is always the same.
    #[must_use]
    pub fn constant(value: &Value) -> Self {
        match value {
            Value::Absent => Self::absent(),
            Value::List(items) => {
                let entries = items
                    .iter()
                    .map(|item| Entry { there: Lit::TRUE, key: None, value: Some(Self::constant(item)) })
                    .collect();
                Term::Items(Rc::new(Items { present: Lit::TRUE, entries, form: Form::List, more: Lit::FALSE }))
            }
            Value::Map(_) | Value::Record(_) => Term::Opaque(Lit::TRUE),
            value => Self::plain(Lit::TRUE, vec![(value.clone(), Lit::TRUE)]),
        }
    }

    /// A plain value.
    #[must_use]
    pub fn plain(present: Lit, choices: Vec<(Value, Lit)>) -> Self {
        Term::Plain(Rc::new(Plain { present, choices }))
    }

    /// Whether there is a value.
    #[must_use]
    pub fn present(&self) -> Lit {
        match self {
            Term::Plain(plain) => plain.present,
            Term::Record(record) => record.present,
            Term::Items(items) => items.present,
            Term::Opaque(present) => *present,
        }
    }

    /// The same, and absent where the literal does not hold.
    #[must_use]
    pub fn only_if(&self, sat: &mut Sat, lit: Lit) -> Self {
        if lit == Lit::TRUE {
            return self.clone();
        }
        if lit == Lit::FALSE {
            return Self::absent();
        }
        match self {
            Term::Plain(plain) => Term::plain(
                sat.and([plain.present, lit]),
                plain.choices.iter().map(|(value, choice)| (value.clone(), sat.and([*choice, lit]))).collect(),
            ),
            Term::Record(record) => {
                Term::Record(Rc::new(Record { present: sat.and([record.present, lit]), ..(**record).clone() }))
            }
            Term::Items(items) => Term::Items(Rc::new(Items {
                present: sat.and([items.present, lit]),
                entries: items
                    .entries
                    .iter()
                    .map(|entry| Entry { there: sat.and([entry.there, lit]), ..entry.clone() })
                    .collect(),
                form: items.form,
                more: sat.and([items.more, lit]),
            })),
            Term::Opaque(present) => Term::Opaque(sat.and([*present, lit])),
        }
    }

    /// The one of these whose literal holds: at most one does. Absent where none does.
    #[must_use]
    pub fn either(sat: &mut Sat, of: &[(Lit, Term)]) -> Self {
        let of: Vec<Term> = of.iter().map(|(lit, term)| term.only_if(sat, *lit)).collect();
        let of: Vec<&Term> = of.iter().filter(|term| term.present() != Lit::FALSE).collect();
        match of[..] {
            [] => return Self::absent(),
            [one] => return one.clone(),
            _ => {}
        }
        let present = sat.or(of.iter().map(|term| term.present()).collect::<Vec<_>>());
        if of.iter().all(|term| matches!(term, Term::Plain(_))) {
            let mut choices: Vec<(Value, Vec<Lit>)> = Vec::new();
            for term in of {
                let Term::Plain(plain) = term else { continue };
                for (value, lit) in &plain.choices {
                    match choices.iter_mut().find(|(known, _)| known == value) {
                        Some((_, lits)) => lits.push(*lit),
                        None => choices.push((value.clone(), vec![*lit])),
                    }
                }
            }
            let choices = choices.into_iter().map(|(value, lits)| (value, sat.or(lits))).collect();
            return Term::plain(present, choices);
        }
        let items: Vec<&Items> =
            of.iter().filter_map(|term| if let Term::Items(items) = term { Some(&**items) } else { None }).collect();
        // Where there is no entry it does not matter of what.
        let mut forms = items.iter().filter(|items| !items.entries.is_empty()).map(|items| items.form);
        let first = forms.next().unwrap_or(Form::Bag);
        if items.len() == of.len() && forms.all(|form| form == first) {
            let entries = items.iter().flat_map(|items| items.entries.iter().cloned()).collect();
            let more = sat.or(items.iter().map(|items| items.more));
            // Entries of several lists, of which one counts: their order is no longer seen.
            let form = if first == Form::List { Form::Bag } else { first };
            return Term::Items(Rc::new(Items { present, entries, form, more }));
        }
        Term::Opaque(present)
    }

    /// The first of these that is present.
    #[must_use]
    pub fn first(sat: &mut Sat, of: &[Term]) -> Self {
        let mut none = Lit::TRUE;
        let mut choices = Vec::new();
        for term in of {
            choices.push((none, term.clone()));
            none = sat.and([none, !term.present()]);
        }
        Self::either(sat, &choices)
    }

    /// The plain value that it has under a model.
    #[must_use]
    pub fn chosen(&self, model: &Model) -> Option<&Value> {
        let Term::Plain(plain) = self else { return None };
        if !model.holds(plain.present) {
            return None;
        }
        plain.choices.iter().find(|(_, lit)| model.holds(*lit)).map(|(value, _)| value)
    }
}
