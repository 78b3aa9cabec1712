//! What happens in a situation: which event, what its text says, which call has come to what.

use crate::lexicon::{Atom, expand};
use crate::maps::HashMap;
use crate::model::class::{By, On};
use crate::model::cond::Place;
use crate::model::effect::{Call, Effect, Expr, Verb};
use crate::model::ids::{ClassId, InputId, PortId};
use crate::model::lexicon::{Form, Many, Piece, RuleValue};
use crate::model::names::Sym;
use crate::model::value::Value;
use crate::model::{Pack, Status, walk};
use crate::registry::Registry;

use super::encode::Encoder;
use super::sat::{Lit, Sat};
use super::term::Term;

/// A call whose outcome can come.
#[derive(Debug, Clone)]
pub struct Site<'r> {
    /// The class that makes it.
    pub class: ClassId,
    /// The call as written.
    pub call: &'r Call,
}

/// The literals of what happens.
#[derive(Debug)]
pub struct Moment<'r> {
    /// By event: it happens.
    pub events: Vec<Lit>,
    /// Calls that are answered.
    pub sites: Vec<(Site<'r>, Lit)>,
    /// An outcome comes.
    pub outcome: Lit,
    /// By [`Status`].
    pub statuses: [Lit; 4],
    /// An answer has come that the checks of its port have seen.
    pub came: Lit,
    /// By trigger form: its words are in the text.
    pub forms: Vec<Lit>,
    /// An event with a text happens.
    pub text: Lit,
    signals: HashMap<InputId, usize>,
    ambiguous: HashMap<InputId, Lit>,
    partial: HashMap<InputId, Lit>,
}

/// All statuses, in order.
pub const STATUSES: [Status; 4] = [Status::Ok, Status::Failed, Status::Timeout, Status::Cancelled];

impl<'r> Moment<'r> {
    /// Exactly one thing happens.
    #[must_use]
    pub fn new(registry: &'r Registry, sat: &mut Sat) -> Self {
        let pack = registry.pack();
        let events: Vec<Lit> = pack.events.iter().map(|_| sat.fresh()).collect();
        let sites: Vec<(Site<'r>, Lit)> = sites(pack).into_iter().map(|site| (site, sat.fresh())).collect();
        let all: Vec<Lit> = events.iter().copied().chain(sites.iter().map(|(_, lit)| *lit)).collect();
        sat.one_of(&all);
        let outcome = sat.or(sites.iter().map(|(_, lit)| *lit));
        let statuses = [sat.likely(), sat.fresh(), sat.fresh(), sat.fresh()];
        sat.one_of(&statuses);
        let heard = pack.events.iter().zip(&events).filter(|(event, _)| event.text.is_some());
        let text = sat.or(heard.map(|(_, lit)| *lit));
        let forms = registry.forms.iter().map(|_| sat.fresh()).collect();
        let signals = pack.signal_inputs.iter().enumerate().map(|(at, input)| (*input, at)).collect();
        Self {
            events,
            sites,
            outcome,
            came: statuses[0],
            statuses,
            forms,
            text,
            signals,
            ambiguous: HashMap::default(),
            partial: HashMap::default(),
        }
    }

    /// The signal of the lexicon that fills an input.
    #[must_use]
    pub fn signal(&self, input: InputId) -> Option<usize> {
        self.signals.get(&input).copied()
    }
}

/// Each call of each class to a port that replies.
fn sites(pack: &Pack) -> Vec<Site<'_>> {
    let mut sites = Vec::new();
    if pack.step_limit <= 1 {
        return sites;
    }
    for (index, class) in pack.classes.iter().enumerate() {
        walk::effects(class, &mut |_, effect: &Effect| {
            if let Verb::Call(call) = &effect.verb
                && pack.ports[call.port.index()].replies
            {
                sites.push(Site { class: ClassId::at(index), call });
            }
        });
    }
    sites
}

impl<'r> Encoder<'r> {
    /// What the text says of each form: it is in a text, and the values that its phrase demands are said.
    pub(super) fn say_forms(&mut self) {
        for form in 0..self.registry.forms.len() {
            let (class, trigger, alternative) = self.registry.forms[form];
            let declared = &self.pack.classes[class.index()].triggers[trigger];
            let lit = self.moment.forms[form];
            let heard = match declared.on {
                On::Event(event) if self.pack.events[event.index()].text.is_some() => self.moment.text,
                _ => Lit::FALSE,
            };
            self.sat.implies(&[lit], &[heard]);
            let By::Words(words) = &declared.any[alternative].by else { continue };
            let Form::Phrase(elems) = &words.form else { continue };
            let Some(variants) = expand(elems, &self.pack.lexicon.endings) else { continue };
            let mut said: Vec<Vec<usize>> = Vec::new();
            for variant in variants {
                let mut signals: Vec<usize> = variant
                    .iter()
                    .filter_map(|atom| if let Atom::Signal(at) = atom { Some(*at) } else { None })
                    .collect();
                signals.sort_unstable();
                signals.dedup();
                if !said.contains(&signals) {
                    said.push(signals);
                }
            }
            if said.iter().any(Vec::is_empty) {
                continue;
            }
            let mut ways = Vec::new();
            for signals in said {
                let of: Vec<Lit> = signals.into_iter().map(|signal| self.said(signal)).collect();
                ways.push(self.sat.and(of));
            }
            self.sat.implies(&[lit], &ways);
        }
    }

    /// Whether something is said of a signal, by the host or the text.
    pub fn said(&mut self, signal: usize) -> Lit {
        let input = self.pack.signal_inputs[signal];
        let present = self.given(input).present();
        let (ambiguous, partial) = (self.ambiguous(input), self.partial(input));
        self.sat.or([present, ambiguous, partial])
    }

    /// Whether the text gives two values of a signal.
    pub fn ambiguous(&mut self, input: InputId) -> Lit {
        self.half_said(input);
        self.moment.ambiguous.get(&input).copied().unwrap_or(Lit::FALSE)
    }

    /// Whether the text gives a part of a value of a signal.
    pub fn partial(&mut self, input: InputId) -> Lit {
        self.half_said(input);
        self.moment.partial.get(&input).copied().unwrap_or(Lit::FALSE)
    }

    fn half_said(&mut self, input: InputId) {
        if self.moment.ambiguous.contains_key(&input) {
            return;
        }
        let Some(signal) = self.moment.signal(input) else { return };
        let declared = &self.pack.lexicon.signals[signal];
        let can_be = declared.many == Many::Ambiguous && says_two(declared);
        let ambiguous = if can_be { self.sat.fresh() } else { Lit::FALSE };
        let lacks = declared.many != Many::All && declared.rules.iter().any(|rule| lacks_a_part(self.pack, rule));
        let partial = if lacks { self.sat.fresh() } else { Lit::FALSE };
        self.moment.ambiguous.insert(input, ambiguous);
        self.moment.partial.insert(input, partial);
        let present = self.given(input).present();
        self.sat.at_most_one(&[present, ambiguous, partial]);
        let text = self.moment.text;
        self.sat.implies(&[ambiguous], &[text]);
        self.sat.implies(&[partial], &[text]);
    }

    /// The value of a payload field, a signal or a command: as the event gives it or the text says it, the same for all.
    pub fn given(&mut self, input: InputId) -> Term {
        let place = Place::Input(input);
        if let Some(term) = self.places.get(&place) {
            return term.clone();
        }
        let present = self.sat.fresh();
        let term = match self.domains.known(place) {
            Some(cell) => self.build(cell, present),
            None => Term::Opaque(present),
        };
        self.places.insert(place, term.clone());
        let signal = self.registry.is_signal(input);
        let command = self.pack.inputs[input.index()].kind == crate::model::InputKind::Command;
        let elsewhere = |event: &crate::model::Event| signal || (command && event.text.is_some());
        for (event, lit) in self.pack.events.iter().zip(self.moment.events.clone()) {
            let field = event.fields.iter().find(|(field, _)| *field == input);
            match field {
                Some((_, true)) => self.sat.implies(&[lit], &[present]),
                None if !elsewhere(event) => self.sat.implies(&[lit], &[!present]),
                _ => {}
            }
        }
        let outcome = self.moment.outcome;
        self.sat.implies(&[outcome], &[!present]);
        if command {
            // Its name and the rest of the text come together.
            let others = self.pack.inputs.iter().enumerate();
            let others = others.filter(|(_, other)| other.kind == crate::model::InputKind::Command);
            for other in others.map(|(at, _)| InputId::at(at)).filter(|other| *other != input).collect::<Vec<_>>() {
                let other = self.given(other).present();
                self.sat.implies(&[present], &[other]);
            }
        }
        term
    }

    /// A value of an outcome.
    pub(super) fn outcome(&mut self, place: Place) -> Term {
        if let Place::Outcome(id) = place {
            return self.heard_of(id);
        }
        if let Some(term) = self.places.get(&place) {
            return term.clone();
        }
        let outcome = self.moment.outcome;
        let sites: Vec<(Sym, PortId, &'r Call, Lit)> =
            self.moment.sites.iter().map(|(site, lit)| (site.call.id, site.call.port, site.call, *lit)).collect();
        let names = |encoder: &mut Self, of: Vec<(Sym, Lit)>| {
            let of: Vec<(Lit, Term)> =
                of.into_iter().map(|(sym, lit)| (lit, Term::constant(&Value::Sym(sym)))).collect();
            Term::either(&mut encoder.sat, &of)
        };
        let term = match place {
            Place::OutcomeBreach => self.breach(),
            Place::OutcomeStatus => {
                let statuses = self.registry.syms.statuses.into_iter().zip(self.moment.statuses).collect();
                names(self, statuses).only_if(&mut self.sat, outcome)
            }
            Place::OutcomeCall => names(self, sites.iter().map(|(id, _, _, lit)| (*id, *lit)).collect()),
            Place::OutcomePort => {
                let ports = sites.iter().map(|(_, port, _, lit)| (self.pack.ports[port.index()].name, *lit)).collect();
                names(self, ports)
            }
            place => {
                let present = self.sat.fresh();
                self.sat.implies(&[present], &[outcome]);
                let term = match self.domains.known(place) {
                    Some(cell) => self.build(cell, present),
                    None => Term::Opaque(present),
                };
                let ok = self.moment.statuses[0];
                match place {
                    Place::Kept(id) => {
                        for (_, _, call, lit) in &sites {
                            match call.keep.iter().find(|(kept, _)| *kept == id) {
                                None => self.sat.implies(&[*lit], &[!present]),
                                Some((_, Expr::Value(value))) => {
                                    let same = self.equal(&term, &Term::constant(value));
                                    self.sat.implies(&[*lit], &[same]);
                                }
                                Some((_, Expr::Path { optional: false, .. } | Expr::NewId(_) | Expr::Join { .. })) => {
                                    self.sat.implies(&[*lit], &[present]);
                                }
                                Some(_) => {}
                            }
                        }
                    }
                    _ => self.sat.implies(&[present], &[!ok]),
                }
                term
            }
        };
        self.places.insert(place, term.clone());
        term
    }
}

/// Whether the rules of a signal can say two different things.
fn says_two(signal: &crate::model::lexicon::Signal) -> bool {
    let constant = |rule: &crate::model::lexicon::Rule| match &rule.value {
        RuleValue::Const(value) => Some(value.clone()),
        RuleValue::Template(_) | RuleValue::Matched => None,
    };
    let first = signal.rules.first().and_then(constant);
    signal.rules.iter().any(|rule| constant(rule).is_none() || constant(rule) != first)
}

/// Whether a rule can say less than its template asks for.
fn lacks_a_part(pack: &Pack, rule: &crate::model::lexicon::Rule) -> bool {
    let RuleValue::Template(pieces) = &rule.value else { return false };
    let Form::Phrase(elems) = &rule.form else {
        return pieces.iter().any(|piece| matches!(piece, Piece::Part(_)));
    };
    let Some(variants) = expand(elems, &pack.lexicon.endings) else { return true };
    variants.iter().any(|variant| {
        pieces.iter().any(|piece| match piece {
            Piece::Part(part) => !variant.contains(&Atom::Part(*part)),
            Piece::Text(_) => false,
        })
    })
}
