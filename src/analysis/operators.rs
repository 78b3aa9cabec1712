//! Operators of conditions over symbolic values: equality, order, presence, sizes, members, sets, entries.

use crate::model::cond::{Op, Operand};
use crate::model::schema::Type;
use crate::model::value::Value;

use super::encode::{Encoder, Rails, Seen, Sight};
use super::sat::{Lit, Sat};
use super::term::{Form, Items, Plain, Term};

impl<'r> Encoder<'r> {
    pub(super) fn test(&mut self, term: &Term, ty: Option<&Type>, op: &'r Op, sight: &Sight) -> Rails {
        let present = term.present();
        match op {
            Op::Present(wanted) => {
                let yes = if *wanted { present } else { !present };
                return Rails { yes, no: !yes };
            }
            Op::Differs(operand) => {
                let other = self.operand(operand, sight);
                let same = self.equal(term, &other);
                return Rails { yes: !same, no: same };
            }
            _ => {}
        }
        if present == Lit::FALSE {
            return Rails { yes: Lit::FALSE, no: Lit::FALSE };
        }
        match (op, term) {
            (Op::Eq(operand), _) => {
                let other = self.operand(operand, sight);
                let yes = self.equal(term, &other);
                let both = self.sat.and([present, other.present()]);
                Rails { yes, no: self.sat.and([both, !yes]) }
            }
            (Op::In(values), Term::Plain(plain)) => self.among(plain, |value| values.contains(value)),
            (Op::Order { pass, than }, Term::Plain(plain)) => self.among(plain, |value| ordered(value, than, pass)),
            (Op::Empty(wanted), Term::Plain(plain)) => {
                self.among(plain, |value| matches!(value, Value::Text(text) if !text.is_empty()) != *wanted)
            }
            (_, Term::Items(items)) => {
                let rails = self.collected(items, ty, op, sight);
                self.unless_more(items, rails)
            }
            _ => self.free(present),
        }
    }

    /// Whether the plain value, where there is one, passes.
    fn among(&mut self, plain: &Plain, passes: impl Fn(&Value) -> bool) -> Rails {
        let (yes, no): (Vec<_>, Vec<_>) = plain.choices.iter().partition(|(value, _)| passes(value));
        Rails {
            yes: self.sat.or(yes.into_iter().map(|(_, lit)| *lit)),
            no: self.sat.or(no.into_iter().map(|(_, lit)| *lit)),
        }
    }

    /// A test that nothing is known of but that it is unknown where the value is absent.
    fn free(&mut self, present: Lit) -> Rails {
        let rails = Rails { yes: self.sat.fresh(), no: self.sat.fresh() };
        self.sat.clause(&[!rails.yes, !rails.no]);
        self.sat.implies(&[rails.yes], &[present]);
        self.sat.implies(&[rails.no], &[present]);
        rails
    }

    fn unless_more(&mut self, items: &Items, rails: Rails) -> Rails {
        if items.more == Lit::FALSE {
            return rails;
        }
        let free = self.free(items.present);
        let pick = |encoder: &mut Self, exact: Lit, free: Lit| {
            let (known, not) = (encoder.sat.and([exact, !items.more]), encoder.sat.and([free, items.more]));
            encoder.sat.or([known, not])
        };
        Rails { yes: pick(self, rails.yes, free.yes), no: pick(self, rails.no, free.no) }
    }

    fn collected(&mut self, items: &Items, ty: Option<&Type>, op: &'r Op, sight: &Sight) -> Rails {
        let present = items.present;
        match op {
            Op::Empty(wanted) => {
                let some = self.sat.or(items.entries.iter().map(|entry| entry.there));
                let is = if *wanted { !some } else { some };
                self.known(present, is)
            }
            Op::Size(op) => {
                let lits: Vec<Lit> = items.entries.iter().map(|entry| entry.there).collect();
                let is = self.counted(&lits, op);
                self.known(present, is)
            }
            Op::Contains(operand) => {
                let other = self.operand(operand, sight);
                let is = self.member(items, &other);
                let both = self.sat.and([present, other.present()]);
                self.known(both, is)
            }
            Op::SubsetOf(of) | Op::CoveredBy(of) | Op::SameSet(of) | Op::Disjoint(of) => {
                let (others, all_present) = self.others(of, sight);
                let mut passing = Vec::new();
                for entry in &items.entries {
                    let Some(member) = entry.member() else { continue };
                    let within = self.within(member, &others);
                    let good = if matches!(op, Op::Disjoint(_)) { !within } else { within };
                    passing.push(self.sat.or([!entry.there, good]));
                }
                if matches!(op, Op::SameSet(_)) {
                    for (there, other) in &others {
                        let within = self.member(items, other);
                        passing.push(self.sat.or([!*there, within]));
                    }
                }
                let is = self.sat.and(passing);
                let both = self.sat.and([present, all_present]);
                self.known(both, is)
            }
            Op::Exists(cond) | Op::Every(cond) | Op::Count(cond, _) => {
                let (key_type, value_type) = match ty {
                    Some(Type::Map { key, of, .. }) => (Some((**key).clone()), Some((**of).clone())),
                    Some(Type::List { of, .. } | Type::Set { of, .. }) => (None, Some((**of).clone())),
                    _ => (None, None),
                };
                let mut found = Vec::new();
                for entry in &items.entries {
                    let seen = Seen {
                        key: entry.key.clone(),
                        value: entry.value.clone(),
                        key_type: key_type.clone(),
                        value_type: value_type.clone(),
                    };
                    let inner = Sight { entry: Some(seen), ..sight.clone() };
                    let rails = self.cond(cond, &inner);
                    found.push((entry.there, rails));
                }
                let yes: Vec<Lit> = found.iter().map(|(there, rails)| self.sat.and([*there, rails.yes])).collect();
                let no: Vec<Lit> = found.iter().map(|(there, rails)| self.sat.and([*there, rails.no])).collect();
                let all = |sat: &mut Sat, lit: fn(&Rails) -> Lit| {
                    let of: Vec<Lit> = found.iter().map(|(there, rails)| sat.or([!*there, lit(rails)])).collect();
                    sat.and(of.into_iter().chain([present]))
                };
                match op {
                    Op::Exists(_) => Rails { yes: self.sat.or(yes), no: all(&mut self.sat, |rails| rails.no) },
                    Op::Every(_) => Rails { yes: all(&mut self.sat, |rails| rails.yes), no: self.sat.or(no) },
                    Op::Count(_, op) => {
                        let sure: Vec<Lit> =
                            found.iter().map(|(there, rails)| self.sat.or([!*there, rails.yes, rails.no])).collect();
                        let sure = self.sat.and(sure.into_iter().chain([present]));
                        let is = self.counted(&yes, op);
                        self.known(sure, is)
                    }
                    _ => self.free(present),
                }
            }
            _ => self.free(present),
        }
    }

    fn known(&mut self, sure: Lit, is: Lit) -> Rails {
        Rails { yes: self.sat.and([sure, is]), no: self.sat.and([sure, !is]) }
    }

    /// Whether the number of these that hold passes.
    fn counted(&mut self, lits: &[Lit], op: &Op) -> Lit {
        let (than, pass): (i64, &[std::cmp::Ordering]) = match op {
            Op::Eq(Operand::Value(Value::Int(than))) => (*than, &[std::cmp::Ordering::Equal]),
            Op::Order { pass, than: Value::Int(than) } => (*than, pass),
            _ => return self.sat.fresh(),
        };
        let most = usize::try_from(than.saturating_add(1).max(0)).unwrap_or(usize::MAX).min(lits.len());
        let at_least = self.sat.at_least(lits, most);
        let mut passing = Vec::new();
        for count in 0..=most {
            let counted = i64::try_from(count).unwrap_or(i64::MAX);
            if pass.contains(&counted.cmp(&than)) {
                let low = if count == 0 { Lit::TRUE } else { at_least[count - 1] };
                let high = at_least.get(count).map_or(Lit::TRUE, |more| !*more);
                passing.push(self.sat.and([low, high]));
            }
        }
        self.sat.or(passing)
    }

    fn operand(&mut self, operand: &'r Operand, sight: &Sight) -> Term {
        match operand {
            Operand::Value(value) => Term::constant(value),
            Operand::Path(path) => self.term(path, sight),
        }
    }

    /// The items of all operands, each with whether it is there, and whether all operands are.
    fn others(&mut self, of: &'r [Operand], sight: &Sight) -> (Vec<(Lit, Term)>, Lit) {
        let (mut items, mut present) = (Vec::new(), Vec::new());
        for operand in of {
            let term = self.operand(operand, sight);
            present.push(term.present());
            match &term {
                Term::Items(of) => {
                    let of = of.entries.iter().filter_map(|entry| Some((entry.there, entry.member()?.clone())));
                    items.extend(of);
                }
                term => items.push((Lit::TRUE, term.clone())),
            }
        }
        (items, self.sat.and(present))
    }

    fn within(&mut self, term: &Term, others: &[(Lit, Term)]) -> Lit {
        let mut same = Vec::new();
        for (there, other) in others {
            let equal = self.equal(term, other);
            same.push(self.sat.and([*there, equal]));
        }
        self.sat.or(same)
    }

    pub(super) fn member(&mut self, items: &Items, other: &Term) -> Lit {
        let of: Vec<(Lit, Term)> =
            items.entries.iter().filter_map(|entry| Some((entry.there, entry.member()?.clone()))).collect();
        self.within(other, &of)
    }

    /// Whether both are there and equal.
    pub fn equal(&mut self, a: &Term, b: &Term) -> Lit {
        let both = self.sat.and([a.present(), b.present()]);
        if both == Lit::FALSE {
            return Lit::FALSE;
        }
        match (a, b) {
            (Term::Plain(a), Term::Plain(b)) => {
                let mut same = Vec::new();
                // Both mostly come in one order: the next is looked for from where the last one was found.
                let mut from = 0;
                for (value, lit) in &a.choices {
                    let (before, after) = b.choices.split_at(from);
                    let mut others = after.iter().chain(before);
                    if let Some(ahead) = others.position(|(other, _)| other == value) {
                        from = (from + ahead) % b.choices.len();
                        same.push(self.sat.and([*lit, b.choices[from].1]));
                    }
                }
                self.sat.or(same)
            }
            (Term::Record(a), Term::Record(b)) if !a.open && !b.open => {
                let mut same = vec![both];
                for (name, field) in &a.fields {
                    if let Some((_, other)) = b.fields.iter().find(|(other, _)| other == name) {
                        same.push(self.alike(field, other));
                    }
                }
                self.sat.and(same)
            }
            (Term::Items(a), Term::Items(b)) if a.form == b.form && a.more == Lit::FALSE && b.more == Lit::FALSE => {
                let same = self.same_items(a, b);
                self.sat.and([both, same])
            }
            _ => {
                let free = self.sat.fresh();
                self.sat.implies(&[free], &[both]);
                free
            }
        }
    }

    /// Both absent, or equal.
    pub(super) fn alike(&mut self, a: &Term, b: &Term) -> Lit {
        let neither = self.sat.and([!a.present(), !b.present()]);
        let equal = self.equal(a, b);
        self.sat.or([neither, equal])
    }

    fn same_items(&mut self, a: &Items, b: &Items) -> Lit {
        if a.form == Form::List {
            let mut same = Vec::new();
            for at in 0..a.entries.len().max(b.entries.len()) {
                same.push(match (a.entries.get(at), b.entries.get(at)) {
                    (Some(a), Some(b)) => {
                        let equal = match (&a.value, &b.value) {
                            (Some(a), Some(b)) => self.equal(a, b),
                            _ => Lit::TRUE,
                        };
                        let both = self.sat.and([a.there, b.there, equal]);
                        let neither = self.sat.and([!a.there, !b.there]);
                        self.sat.or([both, neither])
                    }
                    (Some(only), None) | (None, Some(only)) => !only.there,
                    (None, None) => Lit::TRUE,
                });
            }
            return self.sat.and(same);
        }
        let mut same = Vec::new();
        for (from, to) in [(a, b), (b, a)] {
            for entry in &from.entries {
                let Some(member) = entry.member() else { continue };
                let mut hits = Vec::new();
                for other in &to.entries {
                    let Some(known) = other.member() else { continue };
                    let mut equal = self.equal(member, known);
                    if let (Form::Map, Some(value), Some(known)) = (from.form, &entry.value, &other.value) {
                        let values = self.equal(value, known);
                        equal = self.sat.and([equal, values]);
                    }
                    hits.push(self.sat.and([other.there, equal]));
                }
                let hit = self.sat.or(hits);
                same.push(self.sat.or([!entry.there, hit]));
            }
        }
        self.sat.and(same)
    }
}

/// Whether a number is ordered so against another.
fn ordered(value: &Value, than: &Value, pass: &[std::cmp::Ordering]) -> bool {
    match (value, than) {
        (Value::Int(a), Value::Int(b)) => pass.contains(&a.cmp(b)),
        (Value::Decimal(a), Value::Decimal(b)) => pass.contains(&a.cmp(b)),
        _ => false,
    }
}
