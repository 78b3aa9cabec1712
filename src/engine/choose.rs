//! Choosing: the guard of each candidate, precedence between those that pass, and the boundary's reason when none does.

use crate::model::class::Class;
use crate::model::ids::{ClassId, FrameSet};
use crate::model::names::Sym;
use crate::model::value::Value;
use crate::registry::Registry;

use super::eval::View;
use super::trace::Verdict;

/// A class that listens to the event and whose trigger matched.
#[derive(Debug, Clone)]
pub struct Considered {
    pub class: ClassId,
    pub trigger: usize,
    /// The settle row, for a class that waits for the outcome.
    pub row: Option<usize>,
    pub verdict: Verdict,
}

/// How the candidates came out.
#[derive(Debug, Clone, Copy)]
pub enum Choice {
    /// An index into the candidates.
    Take(usize),
    /// None passes; the boundary takes it, with this reason.
    Nobody(Sym),
    /// Two pass that precedence does not order.
    Unordered,
}

/// The frames that the gate lets through, as it stands.
pub fn limit(registry: &Registry, slots: &[Value]) -> FrameSet {
    let pack = registry.pack();
    let Some(carryover) = &pack.carryover else { return FrameSet::EMPTY };
    let Some(slot) = carryover.limit else { return carryover.universe };
    match &slots[slot.index()] {
        Value::Sym(depth) => {
            carryover.depths.iter().find(|(name, _)| name == depth).map_or(FrameSet::EMPTY, |(_, frames)| *frames)
        }
        _ => carryover.universe,
    }
}

/// The frames that a class carries: declared depth ∩ limit − forbidden. The boundary is never cut.
pub fn effective(registry: &Registry, class: ClassId, limit: FrameSet) -> FrameSet {
    let pack = registry.pack();
    let declared = &pack.classes[class.index()];
    if class == pack.boundary { declared.carry.frames } else { declared.carry.frames.intersection(limit) }
}

/// The verdict on one trigger of a class, on the state as it stands: `requires`, then carryover (`cut` are the frames it
/// needs and the gate cuts), then `entry`. `Chosen` stands for "passes".
pub fn guard<'a>(view: &View<'a>, class: &'a Class, trigger: usize, cut: FrameSet) -> Verdict {
    let trigger = &class.triggers[trigger];
    if !view.holds(&class.requires) || !view.holds(&trigger.requires) {
        Verdict::Requires
    } else if !cut.is_empty() {
        Verdict::CarryoverBlocked(cut)
    } else if view.holds(&class.entry) && view.holds(&trigger.entry) {
        Verdict::Chosen
    } else {
        Verdict::Entry
    }
}

/// Chooses the candidate that precedes every other that passes, and marks the others.
pub fn choose(registry: &Registry, candidates: &mut [Considered]) -> Choice {
    let passing: Vec<usize> = (0..candidates.len()).filter(|at| candidates[*at].verdict == Verdict::Chosen).collect();
    if passing.is_empty() {
        return Choice::Nobody(reason_of(registry, candidates));
    }
    let winner = passing.iter().copied().find(|at| {
        passing.iter().all(|other| other == at || registry.precedes(candidates[*at].class, candidates[*other].class))
    });
    match winner {
        Some(winner) => {
            let class = candidates[winner].class;
            for other in passing {
                if other != winner {
                    candidates[other].verdict = Verdict::Outranked(class);
                }
            }
            Choice::Take(winner)
        }
        None => {
            let classes: Vec<ClassId> = passing.iter().map(|at| candidates[*at].class).collect();
            for at in &passing {
                let own = candidates[*at].class;
                let rivals = classes.iter().filter(|class| **class != own && !registry.precedes(own, **class));
                candidates[*at].verdict = Verdict::Unordered(rivals.min().copied().unwrap_or(own));
            }
            Choice::Unordered
        }
    }
}

/// The boundary's reason when nobody passes: of the strongest class whose trigger matched and that has one,
/// `carryover_blocked` or its `unmet` reason, of several the first by id; else `no_transition`.
fn reason_of(registry: &Registry, candidates: &[Considered]) -> Sym {
    let pack = registry.pack();
    let given = candidates.iter().filter_map(|candidate| match candidate.verdict {
        Verdict::CarryoverBlocked(_) => Some((candidate.class, registry.syms.carryover_blocked)),
        Verdict::Requires => pack.classes[candidate.class.index()].unmet.map(|reason| (candidate.class, reason)),
        _ => None,
    });
    let given: Vec<(ClassId, Sym)> = given.collect();
    let strongest = given.iter().filter(|(class, _)| !given.iter().any(|(other, _)| registry.precedes(*other, *class)));
    strongest.min_by_key(|(class, _)| *class).map_or(registry.syms.no_transition, |(_, reason)| *reason)
}

/// Adds what came of one trigger of a class. Of several the one that passes first speaks for the class, else the one that
/// has most to say.
pub fn consider(candidates: &mut Vec<Considered>, found: Considered) {
    let earlier = candidates.iter_mut().find(|known| known.class == found.class && known.row.is_none());
    match earlier {
        None => candidates.push(found),
        Some(known) if weight(&found.verdict) > weight(&known.verdict) => *known = found,
        Some(_) => {}
    }
}

/// Whether a class that precedes this one has passed: whatever becomes of this one, it is not chosen, and it stands in
/// nobody's way.
pub fn outranked(registry: &Registry, candidates: &[Considered], class: ClassId) -> bool {
    let stronger = |known: &&Considered| registry.precedes(known.class, class);
    candidates.iter().filter(stronger).any(|known| known.verdict == Verdict::Chosen)
}

/// Whether a trigger of a class has passed, so that its later ones need not be looked at.
pub fn has_passed(candidates: &[Considered], class: ClassId) -> bool {
    candidates.iter().any(|known| known.class == class && known.row.is_none() && known.verdict == Verdict::Chosen)
}

fn weight(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Chosen => 3,
        Verdict::CarryoverBlocked(_) => 2,
        Verdict::Requires => 1,
        _ => 0,
    }
}
