//! Overlaps: two classes that one situation enables and that precedence does not order, and the like within one class.

use std::cell::OnceCell;

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::engine::Step;
use crate::model::class::{Base, On};
use crate::model::ids::ClassId;
use crate::registry::Registry;

use super::guard::Taker;
use super::show::show;
use super::situation::Situation;
use super::witness::{Answer, Arena, Pair, Seeker, Seen, Witness, passed};

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
    overlaps_with(&mut Seeker::new(registry), registry)
}

fn overlaps_with(seeker: &mut Seeker<'_>, registry: &Registry) -> Vec<Finding> {
    let mut found = between(seeker, registry);
    found.extend(within(seeker, registry));
    found
}

/// Pairs of classes that precedence does not order.
fn between(seeker: &mut Seeker<'_>, registry: &Registry) -> Vec<Finding> {
    let arena = Arena::new(registry);
    let count = registry.pack().classes.len();
    let mut findings = Vec::new();
    for a in (0..count).map(ClassId::at) {
        for b in (a.index() + 1..count).map(ClassId::at) {
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
        let pair = Pair { a: seeker.takers(a, outcomes), b: seeker.takers(b, outcomes), without: Vec::new() };
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
/// what they say or start from, so that the order in which they are written decides.
fn within(seeker: &mut Seeker<'_>, registry: &Registry) -> Vec<Finding> {
    let pack = registry.pack();
    let arena = Arena::new(registry);
    let mut findings = Vec::new();
    for class in (0..pack.classes.len()).map(ClassId::at) {
        let outcomes = seeker.takers(class, true);
        let inputs = seeker.takers(class, false);
        for of in [&inputs, &outcomes] {
            for (at, one) in of.iter().enumerate() {
                for other in &of[at + 1..] {
                    let asked = match (one, other) {
                        (Taker::Trigger(_, a), Taker::Trigger(_, b)) => {
                            if saying(registry, class, *a) == saying(registry, class, *b) {
                                continue;
                            }
                            let before = of.iter().copied().filter(|taker| taker != one && taker < other);
                            let without = before.filter(|taker| matches!(taker, Taker::Trigger(..))).collect();
                            let pair = Pair { a: vec![*one], b: vec![*other], without };
                            let (a, b) = (*a, *b);
                            let variant = OnceCell::new();
                            seeker.seek(&pair, &mut |situation, _| {
                                let variant = variant.get_or_init(|| registry.without_trigger(class, a));
                                written_order(&arena, &Arena::new(variant), situation, class, (a, b))
                            })
                        }
                        (Taker::Row(_, a), Taker::Row(_, b)) => {
                            let settle = &pack.classes[class.index()].settle;
                            if settle[*a].on != settle[*b].on {
                                continue;
                            }
                            alone(seeker, &arena, *one, *other)
                        }
                        _ => alone(seeker, &arena, *one, *other),
                    };
                    let found = match asked {
                        Answer::No => continue,
                        Answer::Yes(witness) => Ok(witness),
                        Answer::Unknown(why) => Err(why),
                    };
                    findings.push(Finding { one: *one, other: *other, found });
                }
            }
        }
    }
    findings
}

fn alone(seeker: &mut Seeker<'_>, arena: &Arena<'_>, one: Taker, other: Taker) -> Answer {
    let pair = Pair { a: vec![one], b: vec![other], without: Vec::new() };
    seeker.seek(&pair, &mut |situation, takers| arena.unordered(situation, takers))
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
pub(super) fn check_with(seeker: &mut Seeker<'_>, registry: &Registry, diagnostics: &Diagnostics) {
    for finding in overlaps_with(seeker, registry) {
        diagnostics.push(report(registry, &finding));
    }
}

fn report(registry: &Registry, finding: &Finding) -> Diagnostic {
    let pack = registry.pack();
    let Finding { one, other, found } = finding;
    let name = |taker: &Taker| pack.names.text(pack.classes[taker.class().index()].id);
    let (a, b) = (name(one), name(other));
    let same = one.class() == other.class();
    let what = |taker: &Taker| match taker {
        Taker::Trigger(..) => "trigger",
        Taker::Row(..) => "settle row",
    };
    match found {
        Ok(witness) => {
            let (message, help) = if same {
                (
                    format!("a {} and a {} of class `{a}` can hold together", what(one), what(other)),
                    "let their conditions exclude each other".to_owned(),
                )
            } else {
                (
                    format!("`{a}` and `{b}` can take the same event, and precedence does not order them"),
                    format!(
                        "order them in `precedence`, such as [\"{a}\", \"{b}\"], or let an entry condition tell them apart"
                    ),
                )
            };
            Diagnostic::error(Code::Overlap, one.span(registry), message)
                .label(format!("this {} of `{a}` holds", what(one)))
                .also(other.span(registry), format!("so does this {} of `{b}`", what(other)))
                .help(format!("{help}; both hold for {}", show(registry, &witness.situation)))
        }
        Err(why) => {
            let message = if same {
                format!("whether a {} and a {} of class `{a}` can hold together is not known", what(one), what(other))
            } else {
                format!("whether `{a}` and `{b}` can take the same event is not known")
            };
            Diagnostic::warning(Code::OverlapUnknown, one.span(registry), message)
                .label(why.clone())
                .also(other.span(registry), "and this one")
                .help("let an entry condition tell them apart by a field of few values, or order them in `precedence`")
        }
    }
}
