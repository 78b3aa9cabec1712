//! Questions to the facts: what is surely there, what surely holds, what surely does not.

use std::borrow::Cow;
use std::rc::Rc;
use std::slice::from_ref;

use crate::model::cond::{Cond, Op, Operand, Path, Place, Step};
use crate::model::ids::PortId;
use crate::model::schema::{NamedType, Type};
use crate::model::value::Value;
use crate::model::{Derivation, InputKind, Pack, walk};

use super::known::{self, Known};
use super::{Facts, Kind, same};

impl Facts<'_> {
    /// Whether a value is surely there.
    pub fn is_present(&self, path: &Path) -> bool {
        if self.present.contains(path) {
            return true;
        }
        let Some((last, rest)) = path.steps.split_last() else { return self.place_present(&path.place) };
        let prefix = Path { steps: rest.to_vec(), ..path.clone() };
        let always = match last {
            Step::Lookup(_) => false,
            Step::Keys | Step::Each(_) => true,
            Step::Column(name) => match type_of(self.pack(), &prefix) {
                Some(Type::Key(table)) => {
                    let table = &self.pack().tables[table.index()];
                    table.column(*name).is_none_or(|column| mandatory(&table.columns[column]))
                }
                _ => false,
            },
            Step::Field(name) => match type_of(self.pack(), &prefix) {
                Some(Type::Record(record)) => {
                    let fields = &self.pack().records[record.index()].fields;
                    fields.iter().any(|field| field.name == *name && mandatory(field))
                }
                _ => false,
            },
        };
        always && self.is_present(&prefix)
    }

    fn place_present(&self, place: &Place) -> bool {
        match place {
            Place::Field(slot) | Place::Before(slot) => self.pack().slots[slot.index()].default.is_present(),
            Place::EnvToday | Place::EnvNow | Place::EnvTurn | Place::EnvSession | Place::CallPorts => true,
            Place::Ambiguous(_) | Place::Partial(_) => matches!(self.kind, Kind::Event(_)),
            Place::OutcomeStatus | Place::OutcomeCall | Place::OutcomePort => matches!(self.kind, Kind::Outcome(..)),
            Place::Reason => self.reason_sure,
            Place::Input(input) if matches!(self.kind, Kind::Event(_)) => match self.ground.derived[input.index()] {
                Some(Derivation::FirstOf(of)) => of.iter().any(|source| self.source_present(source)),
                Some(Derivation::Members { of, .. }) => self.source_present(of),
                Some(Derivation::Lookup { .. }) | None => false,
            },
            _ => false,
        }
    }

    /// Whether a derivation surely found a source: it is there, and the class may read it whatever the gate says.
    fn source_present(&self, source: &Path) -> bool {
        if let Some(slot) = walk::slot_of(source) {
            let frame = self.pack().slots[slot.index()].frame;
            if self.allowance.refusal(slot, false).is_some() || !self.allowance.uncut(frame) {
                return false;
            }
        }
        self.is_present(&same::path(source, &same::before))
    }

    /// Whether a value is surely not there.
    fn absent(&self, path: &Path) -> bool {
        let pack = self.pack();
        match (&self.kind, path.place) {
            (Kind::Event(event), Place::Input(input)) => {
                pack.inputs[input.index()].kind == InputKind::Payload
                    && !pack.events[event.index()].fields.iter().any(|(field, _)| *field == input)
            }
            (
                Kind::Event(_),
                Place::Outcome(_)
                | Place::OutcomeStatus
                | Place::OutcomeCall
                | Place::OutcomePort
                | Place::OutcomeError
                | Place::OutcomeBreach
                | Place::Kept(_),
            ) => true,
            (Kind::Outcome(..), Place::Input(_) | Place::Ambiguous(_) | Place::Candidates(_) | Place::Partial(_)) => {
                true
            }
            (Kind::Outcome(ports, ok), Place::Outcome(field)) => {
                let fields = |port: &PortId| pack.ports[port.index()].response.iter().any(|(of, _)| *of == field);
                *ok == Some(false) || !ports.iter().any(fields)
            }
            (_, Place::Reason) => self.reasons.is_empty(),
            _ => false,
        }
    }

    /// The values that a path can have, where they are known. A path with known values is present.
    pub(super) fn values(&self, path: &Path) -> Option<Cow<'_, [Value]>> {
        if path.place == Place::Reason && self.reason_sure {
            return Some(self.reasons.iter().map(|reason| Value::Sym(*reason)).collect());
        }
        let known = self.conds.iter().filter_map(|cond| match &cond.cond {
            Cond::Test { path: of, op: Op::Eq(Operand::Value(value)), .. } if of == path => Some(from_ref(value)),
            Cond::Test { path: of, op: Op::In(values), .. } if of == path => Some(&**values),
            _ => None,
        });
        known.min_by_key(|values| values.len()).map(Cow::Borrowed)
    }

    /// Whether a condition surely holds.
    pub fn holds(&self, cond: &Cond) -> bool {
        if let Cond::All(of) = cond {
            return of.iter().all(|cond| self.holds(cond));
        }
        let print = known::print(cond);
        if self.conds.iter().any(|known| known.is(cond, print)) {
            return true;
        }
        match cond {
            Cond::All(of) => of.iter().all(|cond| self.holds(cond)),
            Cond::Any(of) => of.iter().any(|cond| self.holds(cond)),
            Cond::Not(cond) => self.is_false(cond),
            Cond::Test { path, op, .. } => match op {
                Op::Present(true) => self.is_present(path),
                Op::Present(false) => self.absent(path),
                Op::Eq(Operand::Value(value)) => self.all_values(path, |of| of == value),
                Op::In(values) => self.all_values(path, |of| values.contains(of)),
                Op::Differs(Operand::Value(value)) => self.absent(path) || self.all_values(path, |of| of != value),
                _ => false,
            },
        }
    }

    fn all_values(&self, path: &Path, fits: impl Fn(&Value) -> bool) -> bool {
        self.values(path).is_some_and(|values| values.iter().all(fits))
    }

    /// Whether a condition is surely false, not merely unknown.
    fn is_false(&self, cond: &Cond) -> bool {
        let denied = |of: &Rc<Known>| matches!(&of.cond, Cond::Not(inner) if **inner == *cond);
        if self.conds.iter().any(denied) {
            return true;
        }
        match cond {
            Cond::All(of) => of.iter().any(|cond| self.is_false(cond)),
            Cond::Any(of) => of.iter().all(|cond| self.is_false(cond)),
            Cond::Not(cond) => self.holds(cond),
            Cond::Test { path, op, .. } => match op {
                Op::Present(true) => self.absent(path),
                Op::Present(false) => self.is_present(path),
                Op::Eq(Operand::Value(value)) => self.all_values(path, |of| of != value),
                Op::In(values) => self.all_values(path, |of| !values.contains(of)),
                Op::Differs(Operand::Value(value)) => self.all_values(path, |of| of == value),
                Op::Empty(wanted) => self.conds.iter().any(|cond| {
                    matches!(&cond.cond, Cond::Test { path: of, op: Op::Empty(known), .. } if of == path && known != wanted)
                }),
                _ => false,
            },
        }
    }

    /// Whether a condition surely does not hold: it is false or unknown.
    pub fn fails(&self, cond: &Cond) -> bool {
        match cond {
            Cond::All(of) => of.iter().any(|cond| self.fails(cond)),
            Cond::Any(of) => of.iter().all(|cond| self.fails(cond)),
            Cond::Not(of) => self.holds(of) || self.is_false(cond),
            Cond::Test { path, op, .. } => {
                let lost = self.absent(path) && !matches!(op, Op::Present(_) | Op::Differs(_));
                lost || self.other_value(path, op) || self.is_false(cond)
            }
        }
    }

    /// Whether a test asks for a value that the reason or the tag cannot have.
    fn other_value(&self, path: &Path, op: &Op) -> bool {
        let possible = |value: &Value| match (path.place, &self.only) {
            _ if !path.steps.is_empty() => true,
            (Place::Reason, _) => matches!(value, Value::Sym(reason) if self.reasons.contains(reason)),
            (Place::Input(input), Some((only, one))) if input == *only => one.as_ref() == Some(value),
            _ => true,
        };
        match op {
            Op::Eq(Operand::Value(value)) => !possible(value),
            Op::In(values) => !values.iter().any(possible),
            _ => false,
        }
    }
}

fn mandatory(of: &NamedType) -> bool {
    !of.optional || of.default.is_some()
}

/// The type of a path, where it has a declared one.
fn type_of<'p>(pack: &'p Pack, path: &Path) -> Option<&'p Type> {
    let mut ty = match path.place {
        Place::Field(slot) | Place::Before(slot) => &pack.slots[slot.index()].ty,
        Place::Input(input) => &pack.inputs[input.index()].ty,
        Place::Outcome(field) => &pack.outcomes[field.index()].ty,
        Place::Kept(kept) => &pack.kept[kept.index()].1,
        _ => return None,
    };
    for step in &path.steps {
        ty = match (step, ty) {
            (Step::Field(name), Type::Record(record)) => {
                &pack.records[record.index()].fields.iter().find(|field| field.name == *name)?.ty
            }
            (Step::Column(name), Type::Key(table)) => {
                let table = &pack.tables[table.index()];
                table.column(*name).map_or(ty, |column| &table.columns[column].ty)
            }
            (Step::Lookup(_), Type::Map { of, .. }) => of,
            _ => return None,
        };
    }
    Some(ty)
}
