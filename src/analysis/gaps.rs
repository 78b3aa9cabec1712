//! Situations that fall between the rows of one table: outcomes that no settle row takes, and steps of which no row of the
//! answer holds, or more than one. Only what the engine has stepped, from an input on, is shown.

use crate::check::lint::untaken;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::engine::{Breach, Failure, StepError};
use crate::model::class::Answer;
use crate::model::cond::Cond;
use crate::model::effect::{Call, Effect, Verb};
use crate::model::ids::{ClassId, ModeId};
use crate::model::names::Sym;
use crate::model::walk;
use crate::registry::Registry;

use super::encode::{Encoder, Sight, Who};
use super::guard::Taker;
use super::led::Lead;
use super::sat::Lit;
use super::show;
use super::situation::Situation;
use super::smaller::smaller;
use super::stage::{Stage, led, staged};
use super::texts::Demand;
use super::witness::{Answer as Found, Pair, Seeker, Seen};

/// How many situations are tried to which no input is found that leads there.
const MOST_TRIES: usize = 4;

/// How a scenario is called that ends in a step without its answer, and until when it holds.
const UNANSWERED: &str = "a step without its answer";
const MENDED: &str = "until its rows are mended";

/// Looks for gaps, and reports them.
pub(super) fn check_with<'r>(seeker: &mut Seeker<'r>, registry: &'r Registry, diagnostics: &Diagnostics) {
    let pack = registry.pack();
    for class in (0..pack.classes.len()).map(ClassId::at) {
        let mut calls: Vec<(&Effect, &Call)> = Vec::new();
        walk::effects(&pack.classes[class.index()], &mut |_, effect| {
            if let Verb::Call(call) = &effect.verb {
                calls.push((effect, call));
            }
        });
        for (effect, call) in calls.into_iter().filter(|(_, call)| pack.ports[call.port.index()].replies) {
            if let Some(stage) = untaken_outcome(seeker, registry, class, call) {
                diagnostics.push(outcome(registry, class, effect, call, &stage));
            }
        }
        diagnostics.extend(unanswered(seeker, registry, class));
    }
}

/// An outcome of a call that nobody takes, although somebody takes others of the same status.
fn untaken_outcome(seeker: &mut Seeker<'_>, registry: &Registry, class: ClassId, call: &Call) -> Option<Stage> {
    let pack = registry.pack();
    let shown = untaken(pack, &pack.classes[class.index()], call);
    let sites = &seeker.encoder.moment.sites;
    let (_, site) = sites.iter().find(|(site, _)| site.class == class && site.call.id == call.id)?;
    let mut wanted = vec![*site];
    let mut listeners: Vec<Taker> = Vec::new();
    for of in (0..pack.classes.len()).map(ClassId::at) {
        let takers = seeker.takers(of, true).into_iter();
        listeners.extend(takers.filter(|taker| match taker {
            Taker::Row(of, row) => *of == class && pack.classes[of.index()].settle[*row].on == call.id,
            Taker::Trigger(..) => true,
        }));
    }
    for taker in &listeners {
        let passes = seeker.encoder.passes(*taker);
        wanted.push(!passes);
    }
    let first = *listeners.first()?;
    let statuses = registry.syms.statuses.iter().zip(seeker.encoder.moment.statuses);
    wanted.extend(statuses.filter(|(status, _)| shown.contains(status)).map(|(_, lit)| !lit));
    seeker.encoder.sat.solve(&wanted)?;
    let leads = leads_to_untaken(seeker, class, call, &listeners, &shown);
    if leads.is_empty() {
        return None;
    }
    let given_up = seeker.encoder.sat.fresh();
    wanted.push(given_up);
    for _ in 0..MOST_TRIES {
        let Some(model) = seeker.encoder.sat.solve(&wanted) else { break };
        let mut nobody = |tried: &Situation| is_untaken(registry, tried);
        let found = seeker.encoder.situation(&model, "");
        // The model tells nothing of what is asked from here on.
        let clause = seeker.differs_from(&model, first, first, &listeners, &Demand::default());
        if nobody(&found) {
            let small = smaller(registry, &found, &[], &mut nobody);
            if let Some(stage) = staged(seeker, registry, &small, &mut nobody) {
                return Some(stage);
            }
        }
        seeker.give_up(given_up, &clause);
    }
    leads.iter().find_map(|lead| led(seeker, registry, lead, &mut |tried| is_untaken(registry, tried)))
}

/// Inputs that may lead to an outcome of a call that none of these takes, and that has none of these statuses.
fn leads_to_untaken(
    seeker: &mut Seeker<'_>,
    class: ClassId,
    call: &Call,
    listeners: &[Taker],
    without: &[Sym],
) -> Vec<Lead> {
    let makers = seeker.takers(class, false);
    seeker.encoder.leads(&makers, call.id, &[], &mut |encoder| {
        let mut wanted: Vec<Lit> = listeners.iter().map(|taker| !encoder.passes(*taker)).collect();
        let statuses = encoder.registry.syms.statuses.iter().zip(encoder.moment.statuses);
        wanted.extend(statuses.filter(|(status, _)| without.contains(status)).map(|(_, lit)| !lit));
        wanted
    })
}

/// Inputs that may lead to an outcome after whose step by this taker no row of the answer holds, or `many`.
fn leads_to_unanswered<'r>(seeker: &mut Seeker<'r>, taker: Taker, rows: &'r [(Cond, ModeId)], many: bool) -> Vec<Lead> {
    let sites: Vec<(ClassId, Sym)> =
        seeker.encoder.moment.sites.iter().map(|(site, _)| (site.class, site.call.id)).collect();
    let mut found = Vec::new();
    for (class, call) in sites {
        let makers = seeker.takers(class, false);
        found.extend(seeker.encoder.leads(&makers, call, &[taker], &mut |encoder| {
            let passes = encoder.passes(taker);
            if passes == Lit::FALSE {
                return vec![passes];
            }
            let lits = row_lits(encoder, taker, rows);
            vec![passes, failure(encoder, &lits, many)]
        }));
    }
    found
}

/// Whether each row of an answer holds after the step of somebody.
fn row_lits<'r>(encoder: &mut Encoder<'r>, taker: Taker, rows: &'r [(Cond, ModeId)]) -> Vec<Lit> {
    let sight = Sight::of(Who::After(taker));
    rows.iter().map(|(when, _)| encoder.holds(when, &sight)).collect()
}

/// Whether none of these holds, or `many`.
fn failure(encoder: &mut Encoder<'_>, lits: &[Lit], many: bool) -> Lit {
    if many { encoder.sat.at_least(lits, 2)[1] } else { encoder.sat.and(lits.iter().map(|lit| !*lit)) }
}

fn is_untaken(registry: &Registry, tried: &Situation) -> bool {
    tried.step(registry).is_ok_and(|step| {
        step.class == Some(registry.pack().boundary) && step.reasons.first() == Some(&registry.syms.no_transition)
    })
}

/// Steps of a class after which no row of its answer holds, or more than one.
fn unanswered<'r>(seeker: &mut Seeker<'r>, registry: &'r Registry, class: ClassId) -> Vec<Diagnostic> {
    let declared = &registry.pack().classes[class.index()];
    let Answer::Rows(rows) = &declared.answer else { return Vec::new() };
    let takers: Vec<Taker> = [false, true].into_iter().flat_map(|outcomes| seeker.takers(class, outcomes)).collect();
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut shown = [false; 2];
    for taker in takers {
        let Some(also) = answers(seeker, taker) else { continue };
        let encoder = &mut seeker.encoder;
        let lits = row_lits(encoder, taker, rows);
        let (none, many) = (failure(encoder, &lits, false), failure(encoder, &lits, true));
        let wanted: Vec<Lit> =
            [encoder.passes(taker), encoder.sat.or([none, many])].into_iter().chain(also.clone()).collect();
        if encoder.sat.solve(&wanted).is_none() {
            continue;
        }
        for (many, lit) in [(false, none), (true, many)] {
            if shown[usize::from(many)] {
                continue;
            }
            let leads = taker.event(registry).is_none().then(|| leads_to_unanswered(seeker, taker, rows, many));
            if leads.as_ref().is_some_and(Vec::is_empty) {
                continue;
            }
            let also = also.iter().copied().chain([lit]).collect();
            let finding = failing(seeker, registry, taker, also, many).or_else(|| {
                let mut holds = |tried: &Situation| fails(registry, tried, class, many) == Seen::Confirmed;
                let stage = leads?.iter().find_map(|lead| led(seeker, registry, lead, &mut holds))?;
                Some(answer_finding(registry, taker, many, &show::staged(registry, UNANSWERED, &stage, MENDED)))
            });
            shown[usize::from(many)] = finding.is_some();
            found.extend(finding);
        }
    }
    found
}

/// A step of somebody after which no row of the answer holds, or many.
fn failing(
    seeker: &mut Seeker<'_>,
    registry: &Registry,
    taker: Taker,
    also: Vec<Lit>,
    many: bool,
) -> Option<Diagnostic> {
    let pair = Pair { a: vec![taker], b: vec![taker], also, ..Pair::default() };
    let see = |tried: &Situation| fails(registry, tried, taker.class(), many);
    let Found::Yes(witness) = seeker.seek(&pair, &mut |tried, _| see(tried)) else { return None };
    let mut holds = |tried: &Situation| see(tried) == Seen::Confirmed;
    let small = smaller(registry, &witness.situation, &[taker], &mut holds);
    let shown = match small.state.open_calls().first() {
        None => show::scenario(registry, UNANSWERED, &small, MENDED),
        Some(_) => show::staged(registry, UNANSWERED, &staged(seeker, registry, &small, &mut holds)?, MENDED),
    };
    Some(answer_finding(registry, taker, many, &shown))
}

/// What must hold for the step of somebody to answer: it makes no call that is waited for. Nothing where it always does.
fn answers(seeker: &mut Seeker<'_>, taker: Taker) -> Option<Vec<Lit>> {
    let encoder = &mut seeker.encoder;
    let mut also = Vec::new();
    for effect in encoder.effects(taker) {
        if matches!(&effect.verb, Verb::Call(call) if encoder.pack.ports[call.port.index()].replies) {
            if effect.when.is_true() {
                return None;
            }
            also.push(!encoder.holds(&effect.when, &Sight::of(Who::Start(taker))));
        }
    }
    Some(also)
}

/// Whether the class is chosen, and no row of its answer holds then, or many.
fn fails(registry: &Registry, tried: &Situation, class: ClassId, many: bool) -> Seen {
    let of = |failures: &[Failure]| {
        let breaches = failures.iter().filter(|failure| failure.class == class).flat_map(|failure| &failure.breaches);
        breaches.into_iter().any(|breach| matches!(breach, Breach::Answer { rows } if (*rows > 1) == many))
    };
    match tried.step(registry) {
        Ok(step) if of(&step.failures) => Seen::Confirmed,
        Ok(step) => match step.class.filter(|taken| registry.precedes(*taken, class)) {
            Some(stronger) => Seen::Shadowed(stronger),
            None => Seen::Otherwise,
        },
        Err(StepError::Boundary { failures }) if of(&failures) => Seen::Confirmed,
        Err(_) => Seen::Otherwise,
    }
}

fn outcome(registry: &Registry, class: ClassId, effect: &Effect, call: &Call, stage: &Stage) -> Diagnostic {
    let pack = registry.pack();
    let (id, of) = (pack.names.text(call.id), pack.names.text(pack.classes[class.index()].id));
    let shown = show::staged(registry, "an outcome that nobody takes", stage, "the turn is undone");
    Diagnostic::warning(
        Code::UnhandledOutcome,
        effect.span,
        format!("nobody takes some outcomes of the call `{id}` of `{of}`"),
    )
    .label("the boundary would undo the turn")
    .help(format!(
        "write a `[[settle]]` row with `on = \"{id}\"` for what no row takes\nnobody takes it here:\n{shown}"
    ))
}

fn answer_finding(registry: &Registry, taker: Taker, many: bool, shown: &str) -> Diagnostic {
    let pack = registry.pack();
    let declared = &pack.classes[taker.class().index()];
    let id = pack.names.text(declared.id);
    let (message, label, help) = if many {
        (
            format!("two rows of the answer of `{id}` can hold together"),
            "exactly one row may hold",
            "let the rows exclude each other",
        )
    } else {
        (format!("no row of the answer of `{id}` may hold"), "one row has to hold", "add a row for what is left")
    };
    Diagnostic::error(Code::NoSingleAnswer, declared.answer_span, message)
        .label(label)
        .also(taker.span(registry), "after what is set off by this")
        .help(format!("{help}; until then the boundary takes it\nit is so here:\n{shown}"))
}
