//! What a step leaves, as far as it is told without stepping: for the rows of an answer, which look at the state after the step.

use crate::model::class::{Fate, On};
use crate::model::cond::{Cond, Path, Place};
use crate::model::effect::{Effect, Expr, Verb};
use crate::model::ids::{Slot, SlotSet};
use crate::model::value::Value;
use crate::model::walk;

use super::domain::CellId;
use super::encode::{Encoder, Sight, Who};
use super::guard::Taker;
use super::sat::Lit;
use super::term::Term;
use super::values::finite;

impl<'r> Encoder<'r> {
    /// The effects of the step of somebody.
    pub fn effects(&self, taker: Taker) -> &'r [Effect] {
        let class = &self.pack.classes[taker.class().index()];
        match taker {
            Taker::Trigger(..) => &class.effects,
            Taker::Row(_, row) => &class.settle[row].effects,
        }
    }

    /// Whether a condition on a step holds; anything where not all values are looked at that it depends on.
    pub(super) fn told(&mut self, cond: &'r Cond, sight: &Sight) -> Lit {
        if self.domains.tell(cond) { self.holds(cond, sight) } else { self.sat.fresh() }
    }

    /// The value of a place in the step of somebody: before its effects, carryover done, or after them. What cannot be told
    /// can be anything.
    pub(super) fn in_step(&mut self, taker: Taker, done: bool, place: Place) -> Term {
        if let Some(term) = self.steps.get(&(taker, done, place)) {
            return term.clone();
        }
        let term = match place {
            Place::Field(slot) if done => self.field_after(taker, slot),
            Place::Field(slot) => self.untouched(taker, slot),
            Place::Before(slot) if self.lead.is_some_and(|lead| lead != taker) => self.anything(slot),
            Place::Before(slot) => self.place(Place::Field(slot), &Sight::of(self.who(taker))),
            Place::Reason => {
                let reason = match taker {
                    Taker::Trigger(class, at) => self.pack.classes[class.index()].triggers[at].reason,
                    Taker::Row(..) => None,
                };
                reason.map_or_else(Term::absent, |reason| Term::constant(&Value::Sym(reason)))
            }
            Place::AnswerMode | Place::AnswerClaims | Place::CallPorts | Place::CallPort(_) | Place::CallArg(..) => {
                Term::Opaque(self.sat.fresh())
            }
            place => self.place(place, &Sight::of(self.who(taker))),
        };
        self.steps.insert((taker, done, place), term.clone());
        term
    }

    /// Whose inputs, and whose instances, the step of somebody sees.
    pub(super) fn who(&self, taker: Taker) -> Who {
        match taker {
            Taker::Trigger(class, at) if taker.event(self.registry).is_some() => Who::Trigger(class, at),
            _ => Who::Outcome,
        }
    }

    /// What the effects make of a field, one after the other.
    fn field_after(&mut self, taker: Taker, slot: Slot) -> Term {
        let mut value = self.untouched(taker, slot);
        let mut written = SlotSet::default();
        for effect in self.effects(taker) {
            let mut writes = false;
            walk::targets(self.pack, &effect.verb, &mut |target| writes |= target == slot);
            if writes {
                let done = self.told(&effect.when, &Sight::of(Who::Start(taker)));
                let new = self.made(taker, slot, &effect.verb, &value, &written);
                value = Term::either(&mut self.sat, &[(done, new), (!done, value)]);
            }
            walk::targets(self.pack, &effect.verb, &mut |target| written.insert(target));
        }
        value
    }

    /// What an effect makes of a field.
    fn made(&mut self, taker: Taker, slot: Slot, verb: &'r Verb, now: &Term, written: &SlotSet) -> Term {
        let expr = match verb {
            Verb::ClearFrame(_) | Verb::ClearField(_) => {
                return Term::constant(&self.pack.slots[slot.index()].cleared);
            }
            Verb::Open { with, .. } => match (self.pack.keyed_at(slot), with.iter().find(|(to, _)| *to == slot)) {
                (Some(keyed), _) if slot == keyed.known() || slot == keyed.open() => {
                    return Term::constant(&Value::Bool(true));
                }
                (Some(keyed), _) if slot == keyed.ended() => return Term::absent(),
                (Some(keyed), None) if !keyed.is_fact(slot) => {
                    return Term::constant(&self.pack.slots[slot.index()].cleared);
                }
                (_, given) => given.map(|(_, expr)| expr).filter(|expr| matches!(expr, Expr::Value(_))),
            },
            Verb::Close { ended, .. } => match self.pack.keyed_at(slot) {
                Some(keyed) if slot == keyed.open() => return Term::constant(&Value::Bool(false)),
                Some(keyed) if slot == keyed.ended() => return Term::constant(&Value::Sym(*ended)),
                _ => None,
            },
            Verb::Set(of) => of.iter().find(|(to, _)| *to == slot).map(|(_, expr)| expr),
            _ => None,
        };
        match expr {
            Some(Expr::Value(value)) => Term::constant(value),
            Some(Expr::Path { path, optional })
                if !matches!(path.place, Place::Field(of) if written.has(of)) && self.is_known(path, slot) =>
            {
                let new = self.term(path, &Sight::of(Who::Start(taker)));
                if *optional { Term::first(&mut self.sat, &[new, now.clone()]) } else { new }
            }
            _ => self.anything(slot),
        }
    }

    /// Whether it is told what a path comes to, in values that the field is looked at for.
    fn is_known(&self, path: &Path, slot: Slot) -> bool {
        let place = if let Place::Before(slot) = path.place { Place::Field(slot) } else { path.place };
        let Some(from) = self.domains.known(place) else { return false };
        let alike = |to: CellId| self.domains.leader_of(from) == self.domains.leader_of(to);
        finite(self.pack, &self.pack.slots[slot.index()].ty).is_some()
            || (path.steps.is_empty() && self.domains.known(Place::Field(slot)).is_some_and(alike))
    }

    fn default(&self, slot: Slot) -> Term {
        Term::constant(&self.pack.slots[slot.index()].default)
    }

    fn anything(&mut self, slot: Slot) -> Term {
        let present = if self.pack.slots[slot.index()].default.is_present() { Lit::TRUE } else { self.sat.fresh() };
        match self.domains.known(Place::Field(slot)) {
            Some(cell) => self.build(cell, present),
            None => Term::Opaque(present),
        }
    }

    /// What carryover leaves of a field.
    fn untouched(&mut self, taker: Taker, slot: Slot) -> Term {
        let now = self.place(Place::Field(slot), &Sight::of(self.who(taker)));
        let Taker::Trigger(class, at) = taker else { return now };
        let declared = &self.pack.classes[class.index()];
        if !matches!(declared.triggers[at].on, On::Event(_)) {
            return now;
        }
        let frame = self.pack.slots[slot.index()].frame;
        let begins = self.default(slot);
        if declared.fate.iter().any(|(of, fate)| *of == frame && *fate == Fate::Clear) {
            return begins;
        }
        let universe = self.pack.carryover.as_ref().is_some_and(|carryover| carryover.universe.has(frame));
        if !universe {
            return now;
        }
        if declared.carry.forbid_fields.contains(&slot) {
            return begins;
        }
        if declared.carry.keep.has(frame) {
            return now;
        }
        let narrowed = declared.carry.fields.as_ref().is_some_and(|fields| !fields.has(slot));
        if narrowed || !declared.carry.frames.has(frame) {
            return begins;
        }
        let lets = if class == self.pack.boundary { Lit::TRUE } else { self.lets(frame) };
        Term::either(&mut self.sat, &[(lets, now), (!lets, begins)])
    }
}
