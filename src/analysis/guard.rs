//! Who can take a situation: triggers and settle rows, each with the literal under which it passes.

use std::collections::BTreeSet;

use crate::model::class::{By, On};
use crate::model::cond::{Cond, Path, Place};
use crate::model::ids::{ClassId, EventId};
use crate::model::walk;
use crate::registry::Registry;
use crate::source::Span;

use super::encode::{Encoder, Sight, Who};
use super::sat::Lit;

/// Somebody who can take a situation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Taker {
    /// A class, by one of its triggers.
    Trigger(ClassId, usize),
    /// A class, by one of its settle rows.
    Row(ClassId, usize),
}

impl Taker {
    /// Its class.
    #[must_use]
    pub fn class(self) -> ClassId {
        match self {
            Taker::Trigger(class, _) | Taker::Row(class, _) => class,
        }
    }

    /// The event that it listens to; `None` for outcomes.
    #[must_use]
    pub fn event(self, registry: &Registry) -> Option<EventId> {
        match self {
            Taker::Trigger(class, trigger) => match registry.pack().classes[class.index()].triggers[trigger].on {
                On::Event(event) => Some(event),
                On::Outcome { .. } | On::Boundary => None,
            },
            Taker::Row(..) => None,
        }
    }

    /// Where it is written.
    #[must_use]
    pub fn span(self, registry: &Registry) -> Span {
        let pack = registry.pack();
        match self {
            Taker::Trigger(class, trigger) => pack.classes[class.index()].triggers[trigger].span,
            Taker::Row(class, row) => pack.classes[class.index()].settle[row].span,
        }
    }

    /// The conditions that it tests.
    pub(super) fn conds(self, registry: &Registry) -> Vec<&Cond> {
        let pack = registry.pack();
        let class = &pack.classes[self.class().index()];
        match self {
            Taker::Trigger(_, trigger) => {
                let trigger = &class.triggers[trigger];
                vec![&class.requires, &trigger.requires, &class.entry, &trigger.entry]
            }
            Taker::Row(_, row) => vec![&class.settle[row].when],
        }
    }

    /// What its passing depends on, derivations followed to their sources.
    #[must_use]
    pub fn footprint(self, registry: &Registry) -> BTreeSet<Ordered> {
        let pack = registry.pack();
        let mut found = BTreeSet::new();
        let mut queue: Vec<Place> = Vec::new();
        for cond in self.conds(registry) {
            walk::cond_paths(cond, &mut |path: &Path| queue.push(path.place));
        }
        if let Taker::Trigger(class, trigger) = self {
            for alternative in &pack.classes[class.index()].triggers[trigger].any {
                match alternative.by {
                    By::Signal { input, .. } | By::Ambiguous(input) => queue.push(Place::Input(input)),
                    By::Words(_) => {}
                }
            }
            super::instances::bound_by(pack, &pack.classes[class.index()], &mut |place| queue.push(place));
            // The gate cuts what the class needs, and what its derivations read.
            let limit = pack.carryover.as_ref().and_then(|carryover| carryover.limit);
            queue.extend(limit.map(Place::Field));
        }
        while let Some(place) = queue.pop() {
            let place = match place {
                Place::Ambiguous(input) | Place::Partial(input) | Place::Candidates(input) => Place::Input(input),
                place => place,
            };
            if found.insert(Ordered(place))
                && let Place::Input(input) = place
            {
                queue.extend(walk::derived_sources(pack, input).into_iter().map(|path| path.place));
            }
        }
        found
    }
}

/// A place, ordered so that what is made of places does not depend on chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ordered(pub Place);

impl Ordered {
    fn key(self) -> (u8, u32) {
        match self.0 {
            Place::Field(slot) => (0, slot.0.into()),
            Place::Input(input) => (1, input.0.into()),
            Place::Outcome(id) => (2, id.0.into()),
            Place::Kept(id) => (3, id.0.into()),
            Place::OutcomeStatus => (4, 0),
            Place::OutcomeCall => (4, 1),
            Place::OutcomePort => (4, 2),
            Place::OutcomeError => (4, 3),
            Place::OutcomeBreach => (4, 4),
            Place::EnvToday => (5, 0),
            Place::EnvNow => (5, 1),
            Place::EnvTurn => (5, 2),
            Place::EnvSession => (5, 3),
            _ => (6, 0),
        }
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// All who can take some event or outcome, by class, then as written.
#[must_use]
pub fn takers(registry: &Registry) -> Vec<Taker> {
    let mut takers = Vec::new();
    for (index, class) in registry.pack().classes.iter().enumerate() {
        let id = ClassId::at(index);
        let triggers = class.triggers.iter().enumerate().filter(|(_, trigger)| trigger.on != On::Boundary);
        takers.extend(triggers.map(|(at, _)| Taker::Trigger(id, at)));
        takers.extend((0..class.settle.len()).map(|row| Taker::Row(id, row)));
    }
    takers
}

impl<'r> Encoder<'r> {
    /// Whether somebody passes.
    pub fn passes(&mut self, taker: Taker) -> Lit {
        if let Some(lit) = self.passes.get(&taker) {
            return *lit;
        }
        let pack = self.pack;
        let class = &pack.classes[taker.class().index()];
        let mut all = Vec::new();
        match taker {
            Taker::Row(id, row) => {
                let row = &class.settle[row];
                let sites = &self.moment.sites;
                let own = sites.iter().filter(|(site, _)| site.class == id && site.call.id == row.on);
                let own: Vec<Lit> = own.map(|(_, lit)| *lit).collect();
                all.push(self.sat.or(own));
                all.push(self.holds(&row.when, &Sight::of(Who::Outcome)));
            }
            Taker::Trigger(id, at) => {
                let trigger = &class.triggers[at];
                let sight = match trigger.on {
                    On::Event(event) => {
                        all.push(self.moment.events[event.index()]);
                        if !trigger.any.is_empty() {
                            let mut any = Vec::new();
                            for alternative in 0..trigger.any.len() {
                                any.push(self.alternative(id, at, alternative));
                            }
                            all.push(self.sat.or(any));
                        }
                        if id != pack.boundary {
                            for frame in class.needs.iter() {
                                all.push(self.lets(frame));
                            }
                        }
                        Sight::of(Who::Trigger(id, at))
                    }
                    On::Outcome { port, ok, .. } => {
                        let sites = self.moment.sites.iter();
                        let heard = sites.filter(|(site, _)| port.is_none_or(|port| port == site.call.port));
                        let heard: Vec<Lit> = heard.map(|(_, lit)| *lit).collect();
                        all.push(self.sat.or(heard));
                        match ok {
                            Some(true) => all.push(self.moment.statuses[0]),
                            Some(false) => all.push(!self.moment.statuses[0]),
                            None => {}
                        }
                        Sight::of(Who::Outcome)
                    }
                    On::Boundary => return Lit::FALSE,
                };
                for cond in [&class.requires, &trigger.requires, &class.entry, &trigger.entry] {
                    all.push(self.holds(cond, &sight));
                }
            }
        }
        let lit = self.sat.and(all);
        self.passes.insert(taker, lit);
        lit
    }

    /// Whether a class passes by one of these.
    pub fn any_passes(&mut self, takers: &[Taker]) -> Lit {
        let lits: Vec<Lit> = takers.iter().map(|taker| self.passes(*taker)).collect();
        self.sat.or(lits)
    }
}
