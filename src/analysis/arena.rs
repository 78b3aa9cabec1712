//! Where situations are stepped, and what the engine makes of them.

use std::cell::OnceCell;

use crate::engine::{Candidate, Step, Trace, Verdict};
use crate::registry::Registry;

use super::guard::Taker;
use super::situation::Situation;
use super::witness::Seen;

/// Whether a verdict says that the class passed.
#[must_use]
pub fn passed(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Chosen | Verdict::Outranked(_) | Verdict::Unordered(_) | Verdict::Refused)
}

/// Where situations are stepped: a registry, and the same with a boundary that never fails.
pub struct Arena<'a> {
    /// The registry.
    pub registry: &'a Registry,
    idle: OnceCell<Registry>,
}

impl<'a> Arena<'a> {
    /// For a registry.
    #[must_use]
    pub fn new(registry: &'a Registry) -> Self {
        Self { registry, idle: OnceCell::new() }
    }

    /// The step of a situation, and whether the boundary has failed in it: then the step is what the engine does where the
    /// boundary holds.
    #[must_use]
    pub fn step(&self, situation: &Situation) -> Option<(Step, bool)> {
        match situation.step(self.registry) {
            Ok(step) => Some((step, false)),
            Err(_) => {
                let idle = self.idle.get_or_init(|| self.registry.with_idle_boundary());
                situation.step(idle).ok().map(|step| (step, true))
            }
        }
    }

    /// Whether the engine says that two pass and neither precedes the other.
    #[must_use]
    pub fn unordered(&self, situation: &Situation, (one, other): (Taker, Taker)) -> Seen {
        let Some((Step { trace: Some(trace), reasons, .. }, failed)) = self.step(situation) else {
            return Seen::Otherwise;
        };
        for candidate in trace.candidates.iter().filter(|candidate| passed(&candidate.verdict)) {
            let class = candidate.class;
            let stronger = |than: Taker| class != than.class() && self.registry.precedes(class, than.class());
            if stronger(one) || stronger(other) {
                return Seen::Shadowed(class);
            }
        }
        if !(is_unordered(&trace, one) && is_unordered(&trace, other)) {
            return Seen::Otherwise;
        }
        if !failed && reasons.contains(&self.registry.syms.ambiguous) { Seen::Confirmed } else { Seen::Failed }
    }

    /// The triggers by which the classes of these have passed.
    #[must_use]
    pub fn actual(&self, situation: &Situation, (one, other): (Taker, Taker)) -> (Taker, Taker) {
        let step = self.step(situation).map(|(step, _)| step);
        let trace = step.and_then(|step| step.trace);
        let of = |taker: Taker| match (taker, &trace) {
            (Taker::Trigger(class, at), Some(trace)) if one.class() != other.class() => {
                let candidate = trace.candidates.iter().find(|candidate| is_of(candidate, taker));
                Taker::Trigger(class, candidate.map_or(at, |candidate| candidate.trigger))
            }
            _ => taker,
        };
        (of(one), of(other))
    }
}

fn is_unordered(trace: &Trace, taker: Taker) -> bool {
    let mut of = trace.candidates.iter().filter(|candidate| is_of(candidate, taker));
    of.any(|candidate| matches!(candidate.verdict, Verdict::Unordered(_)))
}

fn is_of(candidate: &Candidate, taker: Taker) -> bool {
    match taker {
        Taker::Row(class, row) => candidate.class == class && candidate.row == Some(row),
        Taker::Trigger(class, _) => candidate.class == class && candidate.row.is_none(),
    }
}
