//! Overlaps: two classes that one situation enables and that precedence does not order, and the like within one class.

use std::cell::OnceCell;

use crate::diag::Diagnostics;
use crate::engine::Step;
use crate::model::class::{Base, On};
use crate::model::ids::ClassId;
use crate::registry::Registry;

use super::arena::{Arena, passed};
use super::guard::Taker;
use super::situation::Situation;
use super::told;
use super::witness::{Answer, Pair, Seeker, Seen, Witness};

/// What a pair came to.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The first of the two, by class, then as written.
    pub one: Taker,
    /// The second.
    pub other: Taker,
    /// Overlap with its witness, or why it is not known.
    pub found: Result<Box<Witness>, String>,
}

/// All overlaps of a pack, and all pairs that could not be decided.
#[must_use]
pub fn overlaps(registry: &Registry) -> Vec<Finding> {
    overlaps_with(&mut Seeker::new(registry), registry, &[])
}

/// `shadowed`: classes that are not looked at.
fn overlaps_with(seeker: &mut Seeker<'_>, registry: &Registry, shadowed: &[bool]) -> Vec<Finding> {
    let classes = (0..registry.pack().classes.len()).filter(|class| shadowed.get(*class) != Some(&true));
    let classes: Vec<ClassId> = classes.map(ClassId::at).collect();
    let mut found = between(seeker, registry, &classes);
    found.extend(within(seeker, registry, &classes));
    found
}

/// Pairs of classes that precedence does not order.
fn between(seeker: &mut Seeker<'_>, registry: &Registry, classes: &[ClassId]) -> Vec<Finding> {
    let arena = Arena::new(registry);
    let mut findings = Vec::new();
    for (at, a) in classes.iter().copied().enumerate() {
        for b in classes[at + 1..].iter().copied() {
            if registry.precedes(a, b) || registry.precedes(b, a) {
                continue;
            }
            findings.extend(pair(seeker, &arena, a, b));
        }
    }
    findings
}

/// Whether two classes overlap under the precedence of a registry.
pub(super) fn pair(seeker: &mut Seeker<'_>, arena: &Arena<'_>, a: ClassId, b: ClassId) -> Option<Finding> {
    let mut unknown = None;
    for outcomes in [false, true] {
        let pair = Pair { a: seeker.takers(a, outcomes), b: seeker.takers(b, outcomes), ..Pair::default() };
        if pair.a.is_empty() || pair.b.is_empty() {
            continue;
        }
        let (one, other) = (pair.a[0], pair.b[0]);
        match seeker.seek(&pair, &mut |situation, takers| arena.unordered(situation, takers)) {
            Answer::No => {}
            Answer::Yes(witness) => {
                let (one, other) = witness.takers;
                return Some(Finding { one, other, found: Ok(witness) });
            }
            Answer::Unknown(why) => {
                unknown.get_or_insert(Finding { one, other, found: Err(why) });
            }
        }
    }
    unknown
}

/// Settle rows and outcome triggers of one class that hold together; triggers of one class that hold together and differ in
/// what they say or start from, so that the order in which they are written decides. Each is shown once, with the first that
/// holds together with it.
fn within(seeker: &mut Seeker<'_>, registry: &Registry, classes: &[ClassId]) -> Vec<Finding> {
    let arena = Arena::new(registry);
    let mut findings = Vec::new();
    for class in classes.iter().copied() {
        for outcomes in [false, true] {
            let of = seeker.takers(class, outcomes);
            for (at, other) in of.iter().enumerate() {
                let found = of[..at].iter().find_map(|one| apart(seeker, &arena, &of, *one, *other));
                findings.extend(found);
            }
        }
    }
    findings
}

/// Whether two takers of one class can hold together where that matters.
fn apart(seeker: &mut Seeker<'_>, arena: &Arena<'_>, of: &[Taker], one: Taker, other: Taker) -> Option<Finding> {
    let (registry, class) = (arena.registry, one.class());
    let without = match (one, other) {
        (Taker::Trigger(_, a), Taker::Trigger(_, b)) => {
            if saying(registry, class, a) == saying(registry, class, b) {
                return None;
            }
            let before = of.iter().copied().filter(|taker| *taker != one && *taker < other);
            before.filter(|taker| matches!(taker, Taker::Trigger(..))).collect()
        }
        (Taker::Row(_, a), Taker::Row(_, b)) => {
            let settle = &registry.pack().classes[class.index()].settle;
            if settle[a].on != settle[b].on {
                return None;
            }
            Vec::new()
        }
        _ => Vec::new(),
    };
    let pair = Pair { a: vec![one], b: vec![other], without, ..Pair::default() };
    let judge = Judge::new(arena, (one, other));
    let found = match seeker.seek(&pair, &mut |situation, _| judge.see(situation)) {
        Answer::No => return None,
        Answer::Yes(witness) => Ok(witness),
        Answer::Unknown(why) => Err(why),
    };
    Some(Finding { one, other, found })
}

/// What the engine is asked about two takers.
pub(super) struct Judge<'a> {
    arena: &'a Arena<'a>,
    takers: (Taker, Taker),
    /// The registry without the first of two triggers.
    variant: OnceCell<Registry>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(arena: &'a Arena<'a>, takers: (Taker, Taker)) -> Self {
        Self { arena, takers, variant: OnceCell::new() }
    }

    /// Whether the two hold together in a situation, and nothing says which is meant.
    pub(super) fn see(&self, situation: &Situation) -> Seen {
        match self.takers {
            (Taker::Trigger(class, a), Taker::Trigger(of, b)) if class == of => {
                let variant = self.variant.get_or_init(|| self.arena.registry.without_trigger(class, a));
                written_order(self.arena, &Arena::new(variant), situation, class, (a, b))
            }
            takers => self.arena.unordered(situation, takers),
        }
    }
}

/// What a trigger gives a step besides the effects of its class.
fn saying(
    registry: &Registry,
    class: ClassId,
    trigger: usize,
) -> (Option<On>, Option<crate::model::names::Sym>, Option<Base>) {
    let trigger = &registry.pack().classes[class.index()].triggers[trigger];
    match trigger.on {
        On::Outcome { base, .. } => (None, trigger.reason, Some(base)),
        On::Event(_) | On::Boundary => (Some(trigger.on), trigger.reason, None),
    }
}

/// Whether the engine takes the first trigger, and without it the second.
fn written_order(
    arena: &Arena<'_>,
    variant: &Arena<'_>,
    situation: &Situation,
    class: ClassId,
    (first, second): (usize, usize),
) -> Seen {
    let mut failed = false;
    for (arena, wanted) in [(arena, first), (variant, second)] {
        let Some((Step { trace: Some(trace), .. }, boundary_failed)) = arena.step(situation) else {
            return Seen::Otherwise;
        };
        failed |= boundary_failed;
        for candidate in trace.candidates.iter().filter(|candidate| passed(&candidate.verdict)) {
            if candidate.class != class && arena.registry.precedes(candidate.class, class) {
                return Seen::Shadowed(candidate.class);
            }
        }
        let own = trace.candidates.iter().find(|candidate| candidate.class == class && candidate.row.is_none());
        if !own.is_some_and(|own| passed(&own.verdict) && own.trigger == wanted) {
            return Seen::Otherwise;
        }
    }
    if failed { Seen::Failed } else { Seen::Confirmed }
}

/// Looks for overlaps and reports them: an error with a witness that the engine has stepped, a warning where it is not known.
pub(super) fn check_with(seeker: &mut Seeker<'_>, registry: &Registry, shadowed: &[bool], diagnostics: &Diagnostics) {
    let mut findings = overlaps_with(seeker, registry, shadowed);
    // A class that was forgotten in precedence is one slip, however many others it meets.
    let chains = &registry.pack().chains;
    let in_chain = |class: ClassId| chains.iter().any(|(from, to, _)| *from == class || *to == class);
    for class in (0..registry.pack().classes.len()).map(ClassId::at).filter(|class| !in_chain(*class)) {
        let of_class = |finding: &Finding| {
            let (one, other) = (finding.one.class(), finding.other.class());
            one != other && (one == class || other == class) && finding.found.is_ok()
        };
        if findings.iter().filter(|finding| of_class(finding)).count() > 1 {
            let (own, rest): (Vec<_>, Vec<_>) = findings.into_iter().partition(of_class);
            findings = rest;
            let own = own.into_iter().filter_map(|Finding { one, other, found }| Some((one, other, found.ok()?)));
            diagnostics.push(told::loose(seeker, registry, class, own.collect()));
        }
    }
    for finding in findings {
        diagnostics.push(told::overlap(seeker, registry, finding));
    }
}
