//! The search for a situation: a model of the clauses, made concrete, stepped by the engine; what does not hold is learnt.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

use crate::engine::{Step, Trace, Verdict};
use crate::model::InputKind;
use crate::model::class::{By, On};
use crate::model::cond::Place;
use crate::model::ids::{ClassId, InputId};
use crate::registry::Registry;

use super::apart::Asks;
use super::encode::Encoder;
use super::guard::{Ordered, Taker, takers};
use super::heard::{several, simple};
use super::sat::{Lit, Model};
use super::situation::Situation;
use super::term::Term;
use super::texts::{Demand, Found, Texts};

/// How many models of one question are tried that the engine does not confirm.
const MOST_MODELS: usize = 40;
/// How many texts are tried for one model.
const MOST_TEXTS: usize = 30;
/// How many situations in which the boundary itself fails are tried before one of them is taken.
const MOST_FAILURES: usize = 4;
/// How many turns one question takes, those included in which something is learnt.
const MOST_TURNS: usize = 400;

/// A situation that the engine has stepped.
#[derive(Debug, Clone)]
pub struct Witness {
    /// What was stepped.
    pub situation: Situation,
    /// Who passed.
    pub takers: (Taker, Taker),
}

/// What a question came to.
#[derive(Debug, Clone)]
pub enum Answer {
    /// There is no such situation.
    No,
    /// There is this one.
    Yes(Box<Witness>),
    /// It could not be decided, for this reason.
    Unknown(String),
}

/// Two that are asked about: each passes by one of its takers.
#[derive(Debug, Clone)]
pub struct Pair {
    /// The takers of the one.
    pub a: Vec<Taker>,
    /// The takers of the other.
    pub b: Vec<Taker>,
    /// Takers that must not pass.
    pub without: Vec<Taker>,
}

/// What the engine makes of a situation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// What was looked for.
    Confirmed,
    /// What was looked for, but then the boundary failed.
    Failed,
    /// This class passes and is stronger.
    Shadowed(ClassId),
    /// Something else.
    Otherwise,
}

/// Clauses, texts found and classes, for questions about one pack.
pub struct Seeker<'r> {
    /// The clauses.
    pub encoder: Encoder<'r>,
    by_class: Vec<Vec<Taker>>,
    texts: HashMap<Demand, Found>,
    search: Option<Texts<'r>>,
    footprints: HashMap<Taker, BTreeSet<Ordered>>,
    asks: HashMap<Taker, Asks>,
}

impl<'r> Seeker<'r> {
    /// For questions about a pack.
    #[must_use]
    pub fn new(registry: &'r Registry) -> Self {
        let mut by_class = vec![Vec::new(); registry.pack().classes.len()];
        let mut asks = HashMap::new();
        for taker in takers(registry) {
            by_class[taker.class().index()].push(taker);
            asks.insert(taker, Asks::of(registry, taker));
        }
        let (texts, search, footprints) = (HashMap::new(), None, HashMap::new());
        Self { encoder: Encoder::new(registry), by_class, texts, search, footprints, asks }
    }

    /// The takers of a class, of input events or of outcomes.
    #[must_use]
    pub fn takers(&self, class: ClassId, outcomes: bool) -> Vec<Taker> {
        let of = self.by_class[class.index()].iter().copied();
        of.filter(|taker| taker.event(self.encoder.registry).is_none() == outcomes).collect()
    }

    /// Looks for a situation in which both pass and `see` says that the engine says so.
    pub fn seek(&mut self, pair: &Pair, see: &mut dyn FnMut(&Situation, (Taker, Taker)) -> Seen) -> Answer {
        let apart = |one: &Taker, other: &Taker| self.asks[one].apart(&self.asks[other]);
        if pair.a.iter().all(|one| pair.b.iter().all(|other| apart(one, other))) {
            return Answer::No;
        }
        let a = self.encoder.any_passes(&pair.a);
        let b = self.encoder.any_passes(&pair.b);
        let mut wanted = vec![a, b];
        for taker in &pair.without {
            wanted.push(!self.encoder.passes(*taker));
        }
        self.prepare(pair.a.iter().chain(&pair.b));
        if self.encoder.sat.solve(&wanted).is_none() {
            return Answer::No;
        }
        // What is ruled out under this literal is so for want of a text or a witness, not for want of a situation.
        let given_up = self.encoder.sat.fresh();
        let mut unsure: Option<String> = None;
        let mut almost: Option<Witness> = None;
        let mut blockers: Vec<Taker> = Vec::new();
        let (mut strict, mut exact, mut tried, mut failures) = (false, true, 0, 0);
        for _ in 0..MOST_TURNS {
            let mut assumed = wanted.clone();
            assumed.push(given_up);
            if exact {
                assumed.extend(self.encoder.vague.iter().map(|vague| !vague.lit));
            }
            let Some(model) = self.encoder.sat.solve(&assumed) else {
                if exact && !self.encoder.vague.is_empty() {
                    exact = false;
                    continue;
                }
                if self.encoder.sat.solve(&wanted).is_none() {
                    return Answer::No;
                }
                break;
            };
            let passing = |of: &[Taker], encoder: &mut Encoder<'r>| {
                of.iter().copied().find(|taker| model.holds(encoder.passes(*taker)))
            };
            let (Some(one), Some(other)) = (passing(&pair.a, &mut self.encoder), passing(&pair.b, &mut self.encoder))
            else {
                break;
            };
            let demand = self.demand(&model, &[one, other], &blockers, strict);
            let text = match self.text(&demand) {
                Found::Text(text) => text,
                Found::No => {
                    self.learn(demand);
                    continue;
                }
                Found::Unknown(why) => {
                    unsure.get_or_insert(why);
                    let clause = self.refutation(&demand);
                    self.give_up(given_up, &clause);
                    continue;
                }
            };
            let situation = self.encoder.situation(&model, &text);
            match see(&situation, (one, other)) {
                Seen::Confirmed => {
                    return Answer::Yes(Box::new(Witness { situation, takers: (one, other) }));
                }
                Seen::Shadowed(class) => {
                    let stronger = self.takers(class, one.event(self.encoder.registry).is_none());
                    let new: Vec<Taker> = stronger.into_iter().filter(|taker| !blockers.contains(taker)).collect();
                    if !new.is_empty() {
                        for taker in &new {
                            wanted.push(!self.encoder.passes(*taker));
                        }
                        self.prepare(&new);
                        blockers.extend(new);
                        continue;
                    }
                }
                Seen::Failed => {
                    almost.get_or_insert(Witness { situation, takers: (one, other) });
                    failures += 1;
                    if failures > MOST_FAILURES {
                        break;
                    }
                }
                Seen::Otherwise => {}
            }
            if strict && (!demand.partial.is_empty() || demand.matched.len() > 1) {
                // Which part is said, and which alternative is the longest, no demand says.
                for text in several(self.encoder.registry, &demand, MOST_TEXTS) {
                    let situation = self.encoder.situation(&model, &text);
                    if see(&situation, (one, other)) == Seen::Confirmed {
                        return Answer::Yes(Box::new(Witness { situation, takers: (one, other) }));
                    }
                }
            }
            if !strict && failures == 0 {
                strict = true;
                continue;
            }
            tried += 1;
            if tried > MOST_MODELS {
                break;
            }
            let vague = self.encoder.vague.iter().find(|vague| model.holds(vague.lit)).map(|vague| vague.why.clone());
            unsure.get_or_insert_with(|| {
                vague.unwrap_or_else(|| "what the text says of a value is not told exactly".into())
            });
            let clause = self.differs_from(&model, one, other, &blockers, &demand);
            self.give_up(given_up, &clause);
        }
        match almost {
            Some(witness) => Answer::Yes(Box::new(witness)),
            None => Answer::Unknown(unsure.unwrap_or_else(|| "the search was given up".into())),
        }
    }

    /// Makes literals for what a text says of the signals that these depend on.
    fn prepare<'t>(&mut self, of: impl IntoIterator<Item = &'t Taker>) {
        let registry = self.encoder.registry;
        for taker in of {
            let footprint = self.footprints.entry(*taker).or_insert_with(|| taker.footprint(registry));
            for Ordered(place) in footprint.iter() {
                if let Place::Input(input) = place
                    && self.encoder.moment.signal(*input).is_some()
                {
                    self.encoder.ambiguous(*input);
                }
            }
        }
    }

    /// What a model asks of a text.
    fn demand(&mut self, model: &Model, chosen: &[Taker], blockers: &[Taker], strict: bool) -> Demand {
        let registry = self.encoder.registry;
        let pack = self.encoder.pack;
        let mut demand = Demand { command: self.command(model), ..Demand::default() };
        let event = chosen[0].event(registry);
        let hears = event.is_some_and(|event| pack.events[event.index()].text.is_some());
        if !hears {
            return Demand::default();
        }
        for (taker, is_blocker) in
            chosen.iter().map(|taker| (*taker, false)).chain(blockers.iter().map(|of| (*of, true)))
        {
            let Taker::Trigger(class, at) = taker else { continue };
            let trigger = &pack.classes[class.index()].triggers[at];
            if trigger.on != On::Event(event.unwrap_or(crate::model::ids::EventId(0))) {
                continue;
            }
            let matched: Vec<usize> = (0..trigger.any.len())
                .filter(|alternative| {
                    let lit = self.encoder.alternative(class, at, *alternative);
                    model.holds(lit)
                })
                .collect();
            let words = |alternative: &usize| matches!(trigger.any[*alternative].by, By::Words(_));
            let form = |alternative: usize| registry.forms.iter().position(|form| *form == (class, at, alternative));
            let every = strict || is_blocker || uses_matches(trigger);
            if every {
                for alternative in (0..trigger.any.len()).filter(words) {
                    let to = if matched.contains(&alternative) { &mut demand.matched } else { &mut demand.unmatched };
                    to.extend(form(alternative));
                }
            } else if matched.iter().all(words) {
                demand.matched.extend(matched.first().and_then(|alternative| form(*alternative)));
            }
        }
        for place in self.places(chosen, blockers) {
            let Place::Input(input) = place else { continue };
            let Some(signal) = self.encoder.moment.signal(input) else { continue };
            if pack.lexicon.signals[signal].rules.is_empty() {
                continue;
            }
            let (ambiguous, partial) = (self.encoder.ambiguous(input), self.encoder.partial(input));
            if model.holds(ambiguous) {
                demand.ambiguous.push(signal);
            } else if model.holds(partial) {
                demand.partial.push(signal);
            } else if !model.holds(self.encoder.given(input).present()) {
                demand.unsaid.push(signal);
            }
        }
        for of in [&mut demand.matched, &mut demand.unmatched, &mut demand.unsaid, &mut demand.ambiguous] {
            of.sort_unstable();
            of.dedup();
        }
        demand
    }

    /// The places that these depend on, in order.
    fn places(&mut self, chosen: &[Taker], blockers: &[Taker]) -> Vec<Place> {
        let registry = self.encoder.registry;
        let mut all = BTreeSet::new();
        for taker in chosen.iter().chain(blockers) {
            let of = self.footprints.entry(*taker).or_insert_with(|| taker.footprint(registry));
            all.extend(of.iter().copied());
        }
        all.into_iter().map(|Ordered(place)| place).filter(|place| self.is_encoded(*place)).collect()
    }

    fn is_encoded(&self, place: Place) -> bool {
        self.encoder.is_placed(place)
    }

    fn text(&mut self, demand: &Demand) -> Found {
        if let Some(known) = self.texts.get(demand) {
            return known.clone();
        }
        let registry = self.encoder.registry;
        let found = match simple(registry, demand) {
            Some(text) => Found::Text(text),
            None => self.search.get_or_insert_with(|| Texts::new(registry)).find(demand),
        };
        self.texts.insert(demand.clone(), found.clone());
        found
    }

    /// That not all of a demand is wanted.
    fn refutation(&mut self, demand: &Demand) -> Vec<Lit> {
        let mut clause: Vec<Lit> = demand.matched.iter().map(|form| !self.encoder.moment.forms[*form]).collect();
        clause.extend(demand.unmatched.iter().map(|form| self.encoder.moment.forms[*form]));
        for signal in &demand.unsaid {
            clause.push(self.encoder.said(*signal));
        }
        for signal in &demand.ambiguous {
            clause.push(!self.encoder.ambiguous(self.encoder.pack.signal_inputs[*signal]));
        }
        for signal in &demand.partial {
            clause.push(!self.encoder.partial(self.encoder.pack.signal_inputs[*signal]));
        }
        clause.extend(demand.command.and_then(|command| self.is_command(command)).map(|lit| !lit));
        clause
    }

    /// Whether the text begins with a command.
    fn is_command(&self, command: usize) -> Option<Lit> {
        let pack = self.encoder.pack;
        let name = crate::model::value::Value::Sym(pack.lexicon.commands.get(command)?.0);
        let inputs = (0..pack.inputs.len()).map(InputId::at);
        inputs.filter_map(|input| self.encoder.placed(Place::Input(input))).find_map(|term| match term {
            Term::Plain(plain) => plain.choices.iter().find(|(value, _)| *value == name).map(|(_, lit)| *lit),
            _ => None,
        })
    }

    /// Learns that no text does what was asked: as little of it as still cannot be done.
    fn learn(&mut self, mut demand: Demand) {
        let lists: [fn(&mut Demand) -> &mut Vec<usize>; 5] =
            [|d| &mut d.unmatched, |d| &mut d.unsaid, |d| &mut d.partial, |d| &mut d.ambiguous, |d| &mut d.matched];
        for list in lists {
            let mut less = demand.clone();
            list(&mut less).clear();
            if self.text(&less) == Found::No {
                demand = less;
                continue;
            }
            let mut at = 0;
            while at < list(&mut demand).len() && list(&mut demand).len() > 1 {
                let mut less = demand.clone();
                list(&mut less).remove(at);
                if self.text(&less) == Found::No { demand = less } else { at += 1 }
            }
        }
        let clause = self.refutation(&demand);
        self.encoder.sat.clause(&clause);
    }

    fn give_up(&mut self, given_up: Lit, clause: &[Lit]) {
        let clause: Vec<Lit> = clause.iter().copied().chain([!given_up]).collect();
        self.encoder.sat.clause(&clause);
    }

    /// That something which these depend on is not as in this model.
    fn differs_from(
        &mut self,
        model: &Model,
        one: Taker,
        other: Taker,
        blockers: &[Taker],
        demand: &Demand,
    ) -> Vec<Lit> {
        let mut clause = self.refutation(demand);
        for place in self.places(&[one, other], blockers) {
            if let Some(term) = self.encoder.placed(place) {
                literals(term, model, &mut clause);
            }
        }
        clause.extend(self.encoder.moment.events.iter().filter(|lit| model.holds(**lit)).map(|lit| !*lit));
        clause.extend(self.encoder.moment.sites.iter().filter(|(_, lit)| model.holds(*lit)).map(|(_, lit)| !*lit));
        clause.extend(self.encoder.moment.statuses.iter().filter(|lit| model.holds(**lit)).map(|lit| !*lit));
        clause
    }

    /// The command that a model wants.
    fn command(&self, model: &Model) -> Option<usize> {
        let pack = self.encoder.pack;
        let named = |input: &crate::model::Input| {
            input.kind == InputKind::Command && !matches!(input.ty, crate::model::schema::Type::Text)
        };
        let input = pack.inputs.iter().position(named)?;
        let chosen = self.encoder.placed(Place::Input(InputId::at(input)))?.chosen(model)?;
        pack.lexicon.commands.iter().position(|(name, _)| *chosen == crate::model::value::Value::Sym(*name))
    }
}

/// Whether which alternatives match is seen in values: a tag, or something that they set.
fn uses_matches(trigger: &crate::model::class::Trigger) -> bool {
    trigger.any.iter().any(|alternative| alternative.tag.is_some() || !alternative.sets.is_empty())
}

/// The negations of all literals that say what a term is under a model.
fn literals(term: &Term, model: &Model, out: &mut Vec<Lit>) {
    let mut add = |lit: Lit| {
        if lit != Lit::TRUE && lit != Lit::FALSE {
            out.push(if model.holds(lit) { !lit } else { lit });
        }
    };
    match term {
        Term::Plain(plain) => {
            add(plain.present);
            plain.choices.iter().filter(|(_, lit)| model.holds(*lit)).for_each(|(_, lit)| add(*lit));
        }
        Term::Record(record) => {
            add(record.present);
            record.fields.iter().for_each(|(_, field)| literals(field, model, out));
        }
        Term::Items(items) => {
            add(items.present);
            for entry in &items.entries {
                add(entry.there);
            }
            for entry in items.entries.iter().filter(|entry| model.holds(entry.there)) {
                entry.key.iter().chain(&entry.value).for_each(|part| literals(part, model, out));
            }
        }
        Term::Opaque(present) => add(*present),
    }
}

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
}

fn is_unordered(trace: &Trace, taker: Taker) -> bool {
    trace.candidates.iter().any(|candidate| {
        let same = match taker {
            Taker::Row(class, row) => candidate.class == class && candidate.row == Some(row),
            Taker::Trigger(class, _) => candidate.class == class && candidate.row.is_none(),
        };
        same && matches!(candidate.verdict, Verdict::Unordered(_))
    })
}
