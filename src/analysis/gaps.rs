//! Situations that fall between the rows of one table: outcomes that no settle row takes, and steps of which no row of the
//! answer holds, or more than one. Only what the engine has stepped, from an input on, is shown.

use crate::check::lint::untaken;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::engine::{Breach, Failure, StepError};
use crate::model::class::{Answer, AnswerRow};
use crate::model::effect::{Call, Effect, Verb};
use crate::model::ids::ClassId;
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

/// Looks for gaps, and reports them. What `guards` cannot refute is looked at with all that steps depend on.
pub(super) fn check_with<'r>(guards: &mut Seeker<'r>, registry: &'r Registry, diagnostics: &Diagnostics) {
    let pack = registry.pack();
    let mut steps: Option<Seeker<'r>> = None;
    let mut with_steps = || Seeker::of_steps(registry);
    for class in (0..pack.classes.len()).map(ClassId::at) {
        let mut calls: Vec<(&Effect, &Call)> = Vec::new();
        walk::effects(&pack.classes[class.index()], &mut |_, effect| {
            if let Verb::Call(call) = &effect.verb {
                calls.push((effect, call));
            }
        });
        for (effect, call) in calls.into_iter().filter(|(_, call)| pack.ports[call.port.index()].replies) {
            if Untaken::of(guards, registry, class, call).is_none() {
                continue;
            }
            let seeker = steps.get_or_insert_with(&mut with_steps);
            let found = Untaken::of(seeker, registry, class, call);
            if let Some(stage) = found.and_then(|found| found.stage(seeker, registry)) {
                diagnostics.push(outcome(registry, class, effect, call, &stage));
            }
        }
        let Answer::Rows(rows) = &pack.classes[class.index()].answer else { continue };
        for many in [false, true] {
            let takers = [false, true].into_iter().flat_map(|outcomes| guards.takers(class, outcomes));
            let found = takers.collect::<Vec<_>>().into_iter().find_map(|taker| {
                Unanswered::of(guards, registry, taker, rows, many)?;
                let seeker = steps.get_or_insert_with(&mut with_steps);
                Unanswered::of(seeker, registry, taker, rows, many)?.finding(seeker, registry)
            });
            diagnostics.extend(found);
        }
    }
}

/// Outcomes of a call that may be taken by nobody, although somebody takes others of the same status.
struct Untaken {
    /// What holds of them, in some state.
    wanted: Vec<Lit>,
    /// Who could take them.
    listeners: Vec<Taker>,
    /// Inputs that may lead to them.
    leads: Vec<Lead>,
}

impl Untaken {
    fn of(seeker: &mut Seeker<'_>, registry: &Registry, class: ClassId, call: &Call) -> Option<Self> {
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
        if listeners.is_empty() {
            return None;
        }
        for taker in &listeners {
            let passes = seeker.encoder.passes(*taker);
            wanted.push(!passes);
        }
        let statuses = registry.syms.statuses.iter().zip(seeker.encoder.moment.statuses);
        wanted.extend(statuses.filter(|(status, _)| shown.contains(status)).map(|(_, lit)| !lit));
        seeker.encoder.sat.solve(&wanted)?;
        let leads = leads_to_untaken(seeker, class, call, &listeners, &shown);
        (!leads.is_empty()).then_some(Self { wanted, listeners, leads })
    }

    /// One of them, with an input that leads to it.
    fn stage(mut self, seeker: &mut Seeker<'_>, registry: &Registry) -> Option<Stage> {
        let given_up = seeker.encoder.sat.fresh();
        self.wanted.push(given_up);
        let first = self.listeners[0];
        for _ in 0..MOST_TRIES {
            let Some(model) = seeker.encoder.sat.solve(&self.wanted) else { break };
            let mut nobody = |tried: &Situation| is_untaken(registry, tried);
            let found = seeker.encoder.situation(&model, "");
            // The model tells nothing of what is asked from here on.
            let clause = seeker.differs_from(&model, first, first, &self.listeners, &Demand::default());
            if nobody(&found) {
                let small = smaller(registry, &found, &[], &mut nobody);
                if let Some(stage) = staged(seeker, registry, &small, &mut nobody) {
                    return Some(stage);
                }
            }
            seeker.give_up(given_up, &clause);
        }
        self.leads.iter().find_map(|lead| led(seeker, registry, lead, &mut |tried| is_untaken(registry, tried)))
    }
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
fn leads_to_unanswered<'r>(seeker: &mut Seeker<'r>, taker: Taker, rows: &'r [AnswerRow], many: bool) -> Vec<Lead> {
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
fn row_lits<'r>(encoder: &mut Encoder<'r>, taker: Taker, rows: &'r [AnswerRow]) -> Vec<Lit> {
    let sight = Sight::of(Who::After(taker));
    rows.iter().map(|(when, ..)| encoder.holds(when, &sight)).collect()
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

/// Steps of somebody after which no row of the answer of the class may hold, or `many`.
struct Unanswered {
    taker: Taker,
    many: bool,
    /// What holds of them besides that they are taken.
    also: Vec<Lit>,
    /// Inputs that may lead to them, where they take outcomes.
    leads: Option<Vec<Lead>>,
}

impl Unanswered {
    fn of<'r>(
        seeker: &mut Seeker<'r>,
        registry: &Registry,
        taker: Taker,
        rows: &'r [AnswerRow],
        many: bool,
    ) -> Option<Self> {
        let mut also = answers(seeker, taker)?;
        let encoder = &mut seeker.encoder;
        let lits = row_lits(encoder, taker, rows);
        also.push(failure(encoder, &lits, many));
        let wanted: Vec<Lit> = also.iter().copied().chain([encoder.passes(taker)]).collect();
        encoder.sat.solve(&wanted)?;
        let leads = taker.event(registry).is_none().then(|| leads_to_unanswered(seeker, taker, rows, many));
        let refuted = leads.as_ref().is_some_and(Vec::is_empty);
        (!refuted).then_some(Self { taker, many, also, leads })
    }

    /// One of them, as a finding.
    fn finding(self, seeker: &mut Seeker<'_>, registry: &Registry) -> Option<Diagnostic> {
        let Self { taker, many, also, leads } = self;
        let see = |tried: &Situation| fails(registry, tried, taker.class(), many);
        let mut holds = |tried: &Situation| see(tried) == Seen::Confirmed;
        let pair = Pair { a: vec![taker], b: vec![taker], also, ..Pair::default() };
        let mut stage = None;
        if let Found::Yes(witness) = seeker.seek(&pair, &mut |tried, _| see(tried)) {
            let small = smaller(registry, &witness.situation, &[taker], &mut holds);
            if small.state.open_calls().is_empty() {
                let shown = show::scenario(registry, UNANSWERED, &small, MENDED);
                return Some(answer_finding(registry, taker, many, &shown));
            }
            stage = staged(seeker, registry, &small, &mut holds);
        }
        let stage = stage.or_else(|| leads?.iter().find_map(|lead| led(seeker, registry, lead, &mut holds)))?;
        Some(answer_finding(registry, taker, many, &show::staged(registry, UNANSWERED, &stage, MENDED)))
    }
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
            also.push(!encoder.told(&effect.when, &Sight::of(Who::Start(taker))));
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
