//! The search for a situation: a model of the clauses, made concrete, stepped by the engine; what does not hold is learnt.

use std::collections::BTreeSet;

use crate::maps::HashMap;
use crate::model::cond::{Path, Place};
use crate::model::ids::ClassId;
use crate::model::schema::Type;
use crate::model::{InputKind, walk};
use crate::registry::Registry;

use super::apart::Asks;
use super::encode::Encoder;
use super::guard::{Ordered, Taker, takers};
use super::heard::several;
use super::sat::Lit;
use super::situation::Situation;
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
#[derive(Debug, Clone, Default)]
pub struct Pair {
    /// The takers of the one.
    pub a: Vec<Taker>,
    /// The takers of the other.
    pub b: Vec<Taker>,
    /// Takers that must not pass.
    pub without: Vec<Taker>,
    /// What must hold besides.
    pub also: Vec<Lit>,
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
    pub(super) by_class: Vec<Vec<Taker>>,
    pub(super) texts: HashMap<Demand, Found>,
    pub(super) search: Option<Texts<'r>>,
    pub(super) footprints: HashMap<Taker, BTreeSet<Ordered>>,
    pub(super) asks: HashMap<Taker, Asks>,
}

impl<'r> Seeker<'r> {
    /// For questions about who takes what.
    #[must_use]
    pub fn new(registry: &'r Registry) -> Self {
        Self::with(Encoder::new(registry, false))
    }

    /// For questions about steps as well.
    #[must_use]
    pub fn of_steps(registry: &'r Registry) -> Self {
        Self::with(Encoder::new(registry, true))
    }

    fn with(encoder: Encoder<'r>) -> Self {
        let registry = encoder.registry;
        let mut by_class = vec![Vec::new(); registry.pack().classes.len()];
        let mut asks = HashMap::default();
        for taker in takers(registry) {
            by_class[taker.class().index()].push(taker);
            asks.insert(taker, Asks::of(registry, taker));
        }
        let (texts, search, footprints) = (HashMap::default(), None, HashMap::default());
        Self { encoder, by_class, texts, search, footprints, asks }
    }

    /// The takers of a class, of input events or of outcomes.
    #[must_use]
    pub fn takers(&self, class: ClassId, outcomes: bool) -> Vec<Taker> {
        let of = self.by_class[class.index()].iter().copied();
        of.filter(|taker| taker.event(self.encoder.registry).is_none() == outcomes).collect()
    }

    /// Whether some situation may enable two classes, whatever precedence says. That there is none is certain.
    pub fn may_meet(&mut self, a: ClassId, b: ClassId) -> bool {
        [false, true].into_iter().any(|outcomes| {
            let (a, b) = (self.takers(a, outcomes), self.takers(b, outcomes));
            let apart = |one: &Taker, other: &Taker| self.asks[one].apart(&self.asks[other]);
            if a.iter().all(|one| b.iter().all(|other| apart(one, other))) {
                return false;
            }
            let wanted = [self.encoder.any_passes(&a), self.encoder.any_passes(&b)];
            self.encoder.sat.solve(&wanted).is_some()
        })
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
        wanted.extend(&pair.also);
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
            unsure.get_or_insert_with(|| vague.unwrap_or_else(|| self.not_told(&[one, other])));
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

    /// What of the guards of these is not told exactly.
    fn not_told(&self, takers: &[Taker]) -> String {
        let pack = self.encoder.pack;
        let mut why = "what the text says of a value is not told exactly";
        let mut see = |path: &Path| {
            why = match path.place {
                Place::Candidates(_) => "the values in `.candidates` are not told exactly",
                Place::Input(input) if pack.completions.iter().any(|of| of.input == input) => {
                    "what a partial value is completed to is not told exactly"
                }
                Place::Input(input) => match pack.inputs[input.index()].kind {
                    InputKind::Tag => "which alternative is the longest depends on the words of a slot or a pattern",
                    InputKind::Command if matches!(pack.inputs[input.index()].ty, Type::Text) => {
                        "the rest of a command is not told exactly"
                    }
                    _ if pack.events.iter().any(|event| event.text == Some(input)) => {
                        "the text itself is compared, and only its words are told"
                    }
                    _ => why,
                },
                _ => why,
            };
        };
        for taker in takers {
            for cond in taker.conds(self.encoder.registry) {
                walk::cond_paths(cond, &mut see);
            }
        }
        why.into()
    }
}
