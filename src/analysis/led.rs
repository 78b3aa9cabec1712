//! The outcome that comes right after the step that makes its call: the same clauses once more, for an outcome that finds the state
//! which the step leaves. What cannot be so at all need not be looked for.

use crate::maps::HashMap;
use crate::model::class::{Base, On};
use crate::model::cond::{Cond, Place};
use crate::model::effect::{Effect, Verb};
use crate::model::ids::{ClassId, Slot};
use crate::model::names::Sym;

use super::encode::{Encoder, Rails, Sight, Who};
use super::guard::Taker;
use super::moment::Site;
use super::sat::{Lit, Sat};
use super::situation::Situation;
use super::term::Term;

/// An input by which a class may make a call, and an outcome to which that may come.
#[derive(Debug, Clone)]
pub struct Lead {
    /// What the input passes by.
    pub taker: Taker,
    /// What must hold for the input to lead there.
    pub wanted: Vec<Lit>,
    /// The outcome; its state is none that the step leaves.
    pub outcome: Situation,
}

/// What is known of the outcome of one call, right after the step that makes it.
#[derive(Debug)]
pub(super) struct Led<'r> {
    sites: Vec<(Site<'r>, Lit)>,
    statuses: [Lit; 4],
    outcome: Lit,
    answers: HashMap<Place, Term>,
    steps: HashMap<(Taker, bool, Place), Term>,
    passes: HashMap<Taker, Lit>,
    tests: HashMap<(*const Cond, Who), Rails>,
}

impl<'r> Led<'r> {
    fn new(sat: &mut Sat, all: &[(Site<'r>, Lit)], class: ClassId, call: Sym) -> Self {
        let is_it = |site: &Site<'_>| site.class == class && site.call.id == call;
        let sites = all.iter().map(|(site, _)| (site.clone(), Lit::from(is_it(site)))).collect();
        let statuses = [sat.likely(), sat.fresh(), sat.fresh(), sat.fresh()];
        sat.one_of(&statuses);
        Self {
            sites,
            statuses,
            outcome: Lit::TRUE,
            answers: HashMap::default(),
            steps: HashMap::default(),
            passes: HashMap::default(),
            tests: HashMap::default(),
        }
    }
}

impl<'r> Encoder<'r> {
    /// Inputs by which a class may make a call whose outcome then comes to what is asked: that there are no others is certain.
    pub fn leads(
        &mut self,
        takers: &[Taker],
        call: Sym,
        outcomes: &[Taker],
        ask: &mut dyn FnMut(&mut Self) -> Vec<Lit>,
    ) -> Vec<Lead> {
        let all = outcomes.iter().any(|taker| self.goes_back(*taker));
        let mut found = Vec::new();
        for taker in takers {
            let effects = self.effects(*taker);
            let Some(at) = effects.iter().position(|of| matches!(&of.verb, Verb::Call(of) if of.id == call)) else {
                continue;
            };
            // The call may belong to another instance than the one that is bound in the end.
            let opens = effects[at..].iter().any(|of: &Effect| matches!(of.verb, Verb::Open { .. }));
            let made = self.told(&effects[at].when, &Sight::of(Who::Start(*taker)));
            let mut wanted = vec![self.passes(*taker), made];
            wanted.extend(self.verified(*taker));
            let told = !all && !opens;
            wanted.extend(self.after_call(*taker, call, &mut |encoder| if told { ask(encoder) } else { Vec::new() }));
            if let Some(model) = self.sat.solve(&wanted) {
                let outcome = self.led_by(*taker, call, |encoder| encoder.situation(&model, ""));
                found.push(Lead { taker: *taker, wanted, outcome });
            }
        }
        found
    }

    /// That the step of somebody is none of those that its class may never make.
    fn verified(&mut self, taker: Taker) -> Vec<Lit> {
        let (class, sight) = (taker.class().index(), Sight::of(Who::After(taker)));
        let speaks = &self.registry.names_answer.never[class];
        let rows = self.pack.classes[class].never.iter().zip(speaks).filter(|(_, of_answer)| !**of_answer);
        rows.map(|((never, _), _)| never)
            .collect::<Vec<_>>()
            .into_iter()
            .map(|never| !self.told(never, &sight))
            .collect()
    }

    /// Whether the step of somebody who takes an outcome begins in another state than the one that the outcome finds.
    fn goes_back(&self, taker: Taker) -> bool {
        let Taker::Trigger(class, at) = taker else { return false };
        matches!(self.pack.classes[class.index()].triggers[at].on, On::Outcome { base: Base::Before, .. })
    }

    /// What is asked of the outcome of a call, right after the step of somebody that makes it.
    fn after_call(&mut self, taker: Taker, call: Sym, ask: &mut dyn FnMut(&mut Self) -> Vec<Lit>) -> Vec<Lit> {
        let is_new = !self.leads.contains_key(&(taker, call));
        self.led_by(taker, call, |encoder| {
            if is_new {
                encoder.say_checks();
            }
            ask(encoder)
        })
    }

    /// Does something while outcomes are those of a call, right after the step of somebody that makes it.
    fn led_by<T>(&mut self, taker: Taker, call: Sym, what: impl FnOnce(&mut Self) -> T) -> T {
        let mut led = self
            .leads
            .remove(&(taker, call))
            .unwrap_or_else(|| Led::new(&mut self.sat, &self.moment.sites, taker.class(), call));
        self.exchange(&mut led);
        self.lead = Some(taker);
        let done = what(self);
        self.lead = None;
        self.exchange(&mut led);
        self.leads.insert((taker, call), led);
        done
    }

    /// Puts what is known of one outcome in the place of what is known of the other.
    fn exchange(&mut self, led: &mut Led<'r>) {
        use std::mem::swap;
        swap(&mut self.moment.sites, &mut led.sites);
        swap(&mut self.moment.statuses, &mut led.statuses);
        swap(&mut self.moment.outcome, &mut led.outcome);
        swap(&mut self.steps, &mut led.steps);
        swap(&mut self.passes, &mut led.passes);
        swap(&mut self.tests, &mut led.tests);
        let own: HashMap<Place, Term> = self.places.extract_if(|place, _| is_answer(*place)).collect();
        self.places.extend(std::mem::replace(&mut led.answers, own));
    }

    /// What an outcome finds in a field, where it comes right after the step that makes its call.
    pub(super) fn found_by_outcome(&mut self, slot: Slot) -> Option<Term> {
        let lead = self.lead?;
        Some(self.in_step(lead, true, Place::Field(slot)))
    }
}

/// Whether a place holds something of an outcome.
fn is_answer(place: Place) -> bool {
    matches!(
        place,
        Place::Outcome(_)
            | Place::OutcomeStatus
            | Place::OutcomeCall
            | Place::OutcomePort
            | Place::OutcomeError
            | Place::OutcomeBreach
            | Place::Kept(_)
    )
}
