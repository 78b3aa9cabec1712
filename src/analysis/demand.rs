//! What a model asks of a text, and what is learnt where no text does it.

use std::collections::BTreeSet;

use crate::model::InputKind;
use crate::model::class::{By, On};
use crate::model::cond::Place;
use crate::model::ids::InputId;

use super::guard::{Ordered, Taker};
use super::heard::simple;
use super::sat::{Lit, Model};
use super::term::Term;
use super::texts::{Demand, Found, Texts};
use super::witness::Seeker;

impl Seeker<'_> {
    /// What a model asks of a text.
    pub(super) fn demand(&mut self, model: &Model, chosen: &[Taker], blockers: &[Taker], strict: bool) -> Demand {
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
    pub(super) fn places(&mut self, chosen: &[Taker], blockers: &[Taker]) -> Vec<Place> {
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

    pub(super) fn text(&mut self, demand: &Demand) -> Found {
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
    pub(super) fn refutation(&mut self, demand: &Demand) -> Vec<Lit> {
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
    pub(super) fn learn(&mut self, mut demand: Demand) {
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

    pub(super) fn give_up(&mut self, given_up: Lit, clause: &[Lit]) {
        let clause: Vec<Lit> = clause.iter().copied().chain([!given_up]).collect();
        self.encoder.sat.clause(&clause);
    }

    /// That something which these depend on is not as in this model.
    pub(super) fn differs_from(
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
        for seen in &self.encoder.instances {
            literals(&Term::Opaque(seen.known), model, &mut clause);
            literals(&Term::Opaque(seen.open), model, &mut clause);
            let fields = seen.fields.iter().map(|(_, term)| term);
            [&seen.key, &seen.ended].into_iter().chain(fields).for_each(|term| literals(term, model, &mut clause));
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
