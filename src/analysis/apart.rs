//! A first look at two takers, without clauses: they listen to different events, or ask for different values of one field.

use crate::model::cond::{Cond, Op, Operand, Place};
use crate::model::ids::EventId;
use crate::model::value::Value;
use crate::registry::Registry;

use super::guard::{Ordered, Taker};

/// What a taker surely asks for.
#[derive(Debug)]
pub struct Asks {
    on: Kind,
    /// Fields, in order, each with the values of which it must have one.
    values: Vec<(Ordered, Vec<Value>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Event(EventId),
    Outcome,
}

impl Asks {
    /// What a taker surely asks for.
    #[must_use]
    pub fn of(registry: &Registry, taker: Taker) -> Self {
        let on = taker.event(registry).map_or(Kind::Outcome, Kind::Event);
        let mut values = Vec::new();
        for cond in taker.conds(registry) {
            collect(registry, cond, &mut values);
        }
        values.sort_by_key(|(place, _)| *place);
        Self { on, values }
    }

    /// Whether no situation is asked for by both.
    #[must_use]
    pub fn apart(&self, other: &Self) -> bool {
        if self.on != other.on {
            return true;
        }
        self.values.iter().any(|(place, mine)| {
            let from = other.values.partition_point(|(known, _)| known < place);
            let theirs = other.values[from..].iter().take_while(|(known, _)| known == place);
            theirs.into_iter().any(|(_, theirs)| !mine.iter().any(|value| theirs.contains(value)))
        })
    }
}

fn collect(registry: &Registry, cond: &Cond, out: &mut Vec<(Ordered, Vec<Value>)>) {
    match cond {
        Cond::All(of) => of.iter().for_each(|cond| collect(registry, cond, out)),
        Cond::Test { path, op, .. } if path.steps.is_empty() && is_shared(registry, path.place) => match op {
            Op::Eq(Operand::Value(value)) => out.push((Ordered(path.place), vec![value.clone()])),
            Op::In(values) => out.push((Ordered(path.place), values.clone())),
            _ => {}
        },
        Cond::Test { .. } | Cond::Any(_) | Cond::Not(_) => {}
    }
}

/// Whether a place holds the same for everybody.
fn is_shared(registry: &Registry, place: Place) -> bool {
    match place {
        Place::Field(slot) => !registry.pack().is_bound(slot),
        Place::Outcome(_) | Place::Kept(_) => true,
        Place::OutcomeStatus | Place::OutcomeCall | Place::OutcomePort => true,
        Place::Input(input) => registry.late[input.index()].is_none(),
        _ => false,
    }
}
