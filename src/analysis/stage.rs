//! The outcome of a call, led up to: an input that makes a class make the call, so that what is shown can happen.

use crate::engine::{CallOut, Event};
use crate::model::cond::Place;
use crate::model::ids::{ClassId, Slot};
use crate::model::value::Value;
use crate::registry::Registry;

use super::led::Lead;
use super::sat::Lit;
use super::situation::Situation;
use super::smaller::smaller;
use super::term::Term;
use super::witness::{Answer, Pair, Seeker, Seen};

/// How many inputs are tried that may lead to one outcome.
const MOST_LEADS: usize = 12;

/// An input, the calls that it leads to, and the outcome of one of them.
#[derive(Debug, Clone)]
pub struct Stage {
    /// The input.
    pub first: Situation,
    /// The calls that are made.
    pub calls: Vec<CallOut>,
    /// The outcome, in the state that the input has led to.
    pub second: Situation,
}

/// An input after which this outcome is as it has to be.
pub fn staged(
    seeker: &mut Seeker<'_>,
    registry: &Registry,
    outcome: &Situation,
    holds: &mut dyn FnMut(&Situation) -> bool,
) -> Option<Stage> {
    let class = outcome.state.open_calls().first()?.class;
    let takers = seeker.takers(class, false);
    let like = alike(seeker, registry, outcome);
    let ways = if like.is_empty() { vec![Vec::new()] } else { vec![like, Vec::new()] };
    ways.into_iter().find_map(|also| {
        let pair = Pair { a: takers.clone(), b: takers.clone(), also, ..Pair::default() };
        sought(seeker, registry, &pair, outcome, holds)
    })
}

/// An input that leads to an outcome as it may.
pub fn led(
    seeker: &mut Seeker<'_>,
    registry: &Registry,
    lead: &Lead,
    holds: &mut dyn FnMut(&Situation) -> bool,
) -> Option<Stage> {
    let takers = vec![lead.taker];
    let pair = Pair { a: takers.clone(), b: takers, also: lead.wanted.clone(), ..Pair::default() };
    sought(seeker, registry, &pair, &lead.outcome, holds)
}

/// An input that passes by these, after which this outcome is as it has to be.
fn sought(
    seeker: &mut Seeker<'_>,
    registry: &Registry,
    pair: &Pair,
    outcome: &Situation,
    holds: &mut dyn FnMut(&Situation) -> bool,
) -> Option<Stage> {
    let class = outcome.state.open_calls().first()?.class;
    let (mut left, mut reached) = (MOST_LEADS, false);
    let mut lead = |first: &Situation| lead_to(registry, first, outcome).filter(|stage| holds(&stage.second));
    let answer = seeker.seek(pair, &mut |first, _| {
        if left == 0 {
            return Seen::Failed;
        }
        left -= 1;
        match lead(first) {
            Some(_) => {
                reached = true;
                Seen::Confirmed
            }
            None => taken_by(registry, first, class),
        }
    });
    let Answer::Yes(witness) = answer else { return None };
    if !reached {
        return None;
    }
    let (taker, _) = witness.takers;
    let first = smaller(registry, &witness.situation, &[taker], &mut |first| lead(first).is_some());
    lead(&first)
}

/// Which stronger class takes the input instead, or tries to.
fn taken_by(registry: &Registry, first: &Situation, class: ClassId) -> Seen {
    let Ok(step) = first.step(registry) else { return Seen::Otherwise };
    let mut tried = step.failures.iter().map(|failure| failure.class).chain(step.class);
    tried.find(|taken| registry.precedes(*taken, class)).map_or(Seen::Otherwise, Seen::Shadowed)
}

/// Steps the input, and puts the outcome behind it.
fn lead_to(registry: &Registry, first: &Situation, outcome: &Situation) -> Option<Stage> {
    let open = outcome.state.open_calls();
    let wanted = open.first()?;
    let step = first.step(registry).ok()?;
    if step.class != Some(wanted.class) {
        return None;
    }
    let made = step.calls.iter().find(|call| call.site == wanted.site)?;
    let mut event = outcome.event.clone();
    if let Event::Outcome { call, .. } = &mut event {
        *call = made.id.clone();
    }
    let second = Situation { state: step.state.clone(), event, ..first.clone() };
    Some(Stage { first: first.clone(), calls: step.calls, second })
}

/// That fields are as in this state.
fn alike(seeker: &mut Seeker<'_>, registry: &Registry, of: &Situation) -> Vec<Lit> {
    let defaults = registry.pack().defaults();
    let mut like = Vec::new();
    for (at, (value, default)) in of.state.slots().iter().zip(&defaults).enumerate() {
        let place = Place::Field(Slot::at(at));
        let Some(term) = seeker.encoder.placed(place).cloned() else { continue };
        if value != default && !matches!(value, Value::Map(_) | Value::Record(_) | Value::List(_)) {
            like.push(seeker.encoder.equal(&term, &Term::constant(value)));
        }
    }
    like.retain(|lit| *lit != Lit::TRUE);
    like
}
