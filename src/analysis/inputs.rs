//! Inputs as one candidate sees them: values that alternatives set, the tag, completed values, derived signals.

use std::collections::BTreeSet;

use crate::lexicon::{Atom, expand};
use crate::model::class::{By, Fate};
use crate::model::cond::{Operand, Place};
use crate::model::ids::{ClassId, FrameId, FrameSet, InputId, Slot};
use crate::model::json::parse_text;
use crate::model::lexicon::{Form as Words, Piece, RuleValue};
use crate::model::value::Value;
use crate::model::{Component, Derivation, InputKind};

use super::encode::{Encoder, Sight, Vague, Who};
use super::sat::Lit;
use super::term::{Entry, Form, Items, Term};

/// How many values that a partial value can become are looked at.
const MOST_COMPLETED: usize = 5_000;

impl<'r> Encoder<'r> {
    /// Whether the gate lets a frame through.
    pub fn lets(&mut self, frame: FrameId) -> Lit {
        if let Some(lit) = self.lets.get(&frame) {
            return *lit;
        }
        let Some(carryover) = &self.pack.carryover else { return Lit::FALSE };
        let lit = match carryover.limit {
            None => Lit::from(carryover.universe.has(frame)),
            Some(slot) => {
                let term = self.shared(Place::Field(slot));
                let frames = |value: &Value| match value {
                    Value::Sym(depth) => carryover
                        .depths
                        .iter()
                        .find(|(name, _)| name == depth)
                        .map_or(FrameSet::EMPTY, |(_, frames)| *frames),
                    _ => carryover.universe,
                };
                let mut open = Vec::new();
                if carryover.universe.has(frame) {
                    open.push(!term.present());
                }
                if let Term::Plain(plain) = &term {
                    open.extend(
                        plain.choices.iter().filter(|(value, _)| frames(value).has(frame)).map(|(_, lit)| *lit),
                    );
                }
                self.sat.or(open)
            }
        };
        self.lets.insert(frame, lit);
        lit
    }

    /// Whether derivations and completions of a class may read a field.
    pub(super) fn may_read(&mut self, class: ClassId, slot: Slot) -> Lit {
        let declared = &self.pack.classes[class.index()];
        let frame = self.pack.slots[slot.index()].frame;
        if declared.fate.iter().any(|(of, fate)| *of == frame && *fate != Fate::Use) {
            return Lit::FALSE;
        }
        if self.registry.outside.has(frame) {
            return Lit::TRUE;
        }
        let narrowed = declared.carry.fields.as_ref().is_some_and(|fields| !fields.has(slot))
            || declared.carry.forbid_fields.contains(&slot);
        if !declared.carry.frames.has(frame) || narrowed {
            return Lit::FALSE;
        }
        if class == self.pack.boundary { Lit::TRUE } else { self.lets(frame) }
    }

    /// The value of an input for a trigger of a class.
    pub(super) fn input(&mut self, class: ClassId, trigger: usize, input: InputId) -> Term {
        if self.registry.late[input.index()].is_none() {
            return self.given(input);
        }
        if let Some(term) = self.late.get(&(class, trigger, input)) {
            return term.clone();
        }
        let term = match self.pack.inputs[input.index()].kind {
            InputKind::Derived => self.derived(class, trigger, input),
            InputKind::Tag => self.tag(class, trigger),
            InputKind::Payload | InputKind::Signal | InputKind::Command => self.set_or_completed(class, trigger, input),
        };
        self.late.insert((class, trigger, input), term.clone());
        term
    }

    /// Whether an alternative of a trigger matches.
    pub fn alternative(&mut self, class: ClassId, trigger: usize, alternative: usize) -> Lit {
        match &self.pack.classes[class.index()].triggers[trigger].any[alternative].by {
            By::Words(_) => {
                let at = (class, trigger, alternative);
                let form = self.registry.forms.iter().position(|form| *form == at);
                form.map_or(Lit::FALSE, |form| self.moment.forms[form])
            }
            By::Ambiguous(input) => self.ambiguous(*input),
            By::Signal { input, is } => {
                let term = self.given(*input);
                if is.is_empty() {
                    let partial = self.partial(*input);
                    return self.sat.or([term.present(), partial]);
                }
                match &term {
                    Term::Plain(plain) => {
                        let of = plain.choices.iter().filter(|(value, _)| is.contains(value)).map(|(_, lit)| *lit);
                        self.sat.or(of.collect::<Vec<_>>())
                    }
                    Term::Items(items) => {
                        let mut found = Vec::new();
                        for value in is {
                            found.push(self.member(items, &Term::constant(value)));
                        }
                        self.sat.or(found)
                    }
                    Term::Record(_) | Term::Opaque(_) => Lit::FALSE,
                }
            }
        }
    }

    fn set_or_completed(&mut self, class: ClassId, trigger: usize, input: InputId) -> Term {
        let given = self.given(input);
        let half = {
            let (ambiguous, partial) = (self.ambiguous(input), self.partial(input));
            self.sat.or([ambiguous, partial])
        };
        let pack = self.pack;
        let any = &pack.classes[class.index()].triggers[trigger].any;
        let mut choices = vec![(given.present(), given.clone())];
        let mut unset = self.sat.and([!given.present(), !half]);
        for (at, alternative) in any.iter().enumerate() {
            if let Some((_, value)) = alternative.sets.iter().find(|(set, _)| *set == input) {
                let matched = self.alternative(class, trigger, at);
                let set = self.sat.and([matched, unset]);
                choices.push((set, Term::constant(value)));
                unset = self.sat.and([unset, !set]);
            }
        }
        let partial = self.partial(input);
        if partial != Lit::FALSE {
            let completed = self.completed(class, trigger, input, partial);
            choices.push((completed.present(), completed));
        }
        Term::either(&mut self.sat, &choices)
    }

    /// What a partial value becomes: some value, where a source of a missing part is there.
    fn completed(&mut self, class: ClassId, trigger: usize, input: InputId, partial: Lit) -> Term {
        let pack = self.pack;
        let sight = Sight { restricted: true, ..Sight::of(Who::Trigger(class, trigger)) };
        let mut ways = Vec::new();
        for completion in pack.completions.iter().filter(|completion| completion.input == input) {
            let sources: Vec<Lit> = completion.from.iter().map(|path| self.term(path, &sight).present()).collect();
            ways.push(self.sat.or(sources));
        }
        let can = self.sat.or(ways.iter().copied());
        let must = self.sat.and(ways.iter().copied());
        let present = self.sat.likely();
        self.sat.implies(&[present], &[partial]);
        self.sat.implies(&[present], &[can]);
        // The text may say what no source makes a value of: the 31st of April.
        let hard = if self.always_completed(input) { Lit::FALSE } else { self.sat.fresh() };
        if hard != Lit::FALSE {
            let name = pack.names.text(pack.inputs[input.index()].name);
            self.vague
                .push(Vague { lit: hard, why: format!("a part of a value of `{name}` that cannot be completed") });
        }
        self.sat.implies(&[partial, must], &[present, hard]);
        match self.domains.known(Place::Input(input)) {
            Some(cell) => self.build(cell, present),
            None => Term::Opaque(present),
        }
    }

    /// Whether each partial value that a text can say becomes a value with any year and month.
    fn always_completed(&mut self, input: InputId) -> bool {
        if let Some(known) = self.completes.get(&input) {
            return *known;
        }
        let known = self.completes_always(input);
        self.completes.insert(input, known);
        known
    }

    fn completes_always(&self, input: InputId) -> bool {
        let pack = self.pack;
        let Some(signal) = self.moment.signal(input) else { return false };
        pack.lexicon.signals[signal].rules.iter().all(|rule| {
            let (RuleValue::Template(template), Words::Phrase(elems)) = (&rule.value, &rule.form) else {
                return matches!(rule.value, RuleValue::Const(_) | RuleValue::Matched);
            };
            let Some(variants) = expand(elems, &pack.lexicon.endings) else { return false };
            let parts =
                template.iter().filter_map(|piece| if let Piece::Part(part) = piece { Some(*part) } else { None });
            let lacking =
                |variant: &Vec<Atom>| parts.clone().filter(|part| !variant.contains(&Atom::Part(*part))).collect();
            // Many ways to say it lack the same.
            let lacking: BTreeSet<Vec<usize>> = variants.iter().map(lacking).collect();
            lacking.iter().all(|lacking| lacking.is_empty() || self.becomes_values(input, template, lacking))
        })
    }

    /// Whether texts of which these parts are completed are values, whatever is said of the others.
    fn becomes_values(&self, input: InputId, template: &[Piece], lacking: &[usize]) -> bool {
        let pack = self.pack;
        // What each piece can be: the text itself, what a part is said to be, or any component of a period.
        let mut texts = vec![String::new()];
        for piece in template {
            let next: Vec<String> = match piece {
                Piece::Text(text) => vec![text.clone()],
                Piece::Part(part) if lacking.contains(part) => {
                    let completion = pack
                        .completions
                        .iter()
                        .find(|completion| completion.input == input && completion.part == *part);
                    match completion.map(|completion| completion.component) {
                        Some(Component::Year) => ["1900", "2020", "2021"].map(str::to_owned).to_vec(),
                        Some(Component::Month) => (1..=12).map(|month| format!("{month:02}")).collect(),
                        None => return false,
                    }
                }
                Piece::Part(part) => {
                    let values = pack.lexicon.parts[*part].rules.iter().map(|rule| rule.value.clone());
                    // Much is said in several ways.
                    match values.collect::<Option<BTreeSet<String>>>() {
                        Some(values) => values.into_iter().collect(),
                        None => return false,
                    }
                }
            };
            if texts.len() * next.len() > MOST_COMPLETED {
                return false;
            }
            texts = texts.iter().flat_map(|text| next.iter().map(move |next| [text.as_str(), next].concat())).collect();
        }
        texts.iter().all(|text| parse_text(pack, &pack.inputs[input.index()].ty, text).is_some())
    }

    /// How many words an alternative takes at least, and at most.
    fn length(&self, class: ClassId, trigger: usize, alternative: usize) -> (usize, usize) {
        match &self.pack.classes[class.index()].triggers[trigger].any[alternative].by {
            By::Signal { .. } | By::Ambiguous(_) => (0, 0),
            By::Words(words) => self.length_of(&words.form, true),
        }
    }

    /// How many words a form takes; what stands for a signal in it is looked into where it may hold one.
    fn length_of(&self, form: &Words, signals: bool) -> (usize, usize) {
        let lexicon = &self.pack.lexicon;
        let Words::Phrase(elems) = form else { return (1, usize::MAX) };
        let Some(variants) = expand(elems, &lexicon.endings) else { return (1, usize::MAX) };
        let of_atom = |atom: &Atom| match atom {
            Atom::Word(_) => (1, 1),
            Atom::Part(part) => widest(lexicon.parts[*part].rules.iter().map(|rule| self.length_of(&rule.form, false))),
            Atom::Signal(signal) if signals => {
                widest(lexicon.signals[*signal].rules.iter().map(|rule| self.length_of(&rule.form, false)))
            }
            Atom::Signal(_) => (1, usize::MAX),
        };
        widest(variants.iter().map(|variant| {
            let lengths = variant.iter().map(of_atom);
            lengths.fold((0_usize, 0_usize), |(least, most), (a, b)| (least + a, most.saturating_add(b)))
        }))
    }

    /// The tag of the longest alternative that matched; which that is, is known as far as their words have fixed numbers.
    fn tag(&mut self, class: ClassId, trigger: usize) -> Term {
        let pack = self.pack;
        let any = &pack.classes[class.index()].triggers[trigger].any;
        let matched: Vec<Lit> = (0..any.len()).map(|at| self.alternative(class, trigger, at)).collect();
        let lengths: Vec<(usize, usize)> = (0..any.len()).map(|at| self.length(class, trigger, at)).collect();
        // Whether one surely takes as many words as another.
        let alike = |a: usize, b: usize| lengths[a] == lengths[b] && lengths[a].0 == lengths[a].1;
        let mut tags: Vec<crate::model::names::Sym> = any.iter().filter_map(|of| of.tag).collect();
        tags.sort_unstable();
        tags.dedup();
        let choices: Vec<(Value, Lit)> = tags.iter().map(|tag| (Value::Sym(*tag), self.sat.fresh())).collect();
        let lits: Vec<Lit> = choices.iter().map(|(_, lit)| *lit).collect();
        self.sat.at_most_one(&lits);
        let present = self.sat.or(lits);
        for (tag, (_, lit)) in tags.iter().zip(&choices) {
            let mut ways = Vec::new();
            for at in (0..any.len()).filter(|at| any[*at].tag == Some(*tag)) {
                let stronger = (0..any.len()).filter(|other| {
                    let differs = any[*other].tag.is_some_and(|other| other != *tag);
                    lengths[*other].0 > lengths[at].1 || differs && alike(at, *other)
                });
                let none: Vec<Lit> = stronger.map(|other| !matched[other]).chain([matched[at]]).collect();
                ways.push(self.sat.and(none));
            }
            self.sat.implies(&[*lit], &ways);
        }
        for at in 0..any.len() {
            let rivals = (0..any.len()).filter(|other| {
                let differs = *other != at && any[*other].tag != any[at].tag;
                let yields = any[at].tag.is_some() && any[*other].tag.is_none() && alike(at, *other);
                differs && lengths[*other].1 >= lengths[at].0 && !yields
            });
            let mut alone: Vec<Lit> = rivals.map(|other| !matched[other]).collect();
            alone.push(matched[at]);
            let tag = tags.iter().position(|tag| Some(*tag) == any[at].tag);
            self.sat.implies(&alone, &[tag.map_or(!present, |tag| choices[tag].1)]);
        }
        Term::plain(present, choices)
    }

    fn derived(&mut self, class: ClassId, trigger: usize, input: InputId) -> Term {
        let pack = self.pack;
        let Some(derived) = pack.derived.iter().find(|derived| derived.input == input) else { return Term::absent() };
        let sight = Sight { restricted: true, ..Sight::of(Who::Trigger(class, trigger)) };
        match &derived.rule {
            Derivation::FirstOf(paths) => {
                let of: Vec<Term> = paths.iter().map(|path| self.term(path, &sight)).collect();
                Term::first(&mut self.sat, &of)
            }
            Derivation::Lookup { table, wher } => {
                let table = &pack.tables[table.index()];
                let wanted: Vec<(Option<usize>, Term)> = wher
                    .iter()
                    .map(|(column, operand)| {
                        let term = match operand {
                            Operand::Value(value) => Term::constant(value),
                            Operand::Path(path) => self.term(path, &sight),
                        };
                        (*column, term)
                    })
                    .collect();
                let mut fits = Vec::new();
                for row in &table.rows {
                    let mut all = Vec::new();
                    for (column, term) in &wanted {
                        let cell = column.map_or(Value::Sym(row.key), |column| row.cells[column].clone());
                        all.push(self.equal(term, &Term::constant(&cell)));
                    }
                    fits.push((row.key, self.sat.and(all)));
                }
                let mut found = Vec::new();
                for (at, (key, fit)) in fits.iter().enumerate().filter(|(_, (_, fit))| *fit != Lit::FALSE) {
                    // Two rows that fit are none; loading refuses tables where that can be, but for keys of one value.
                    let others = fits.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, (_, fit))| !*fit);
                    let only: Vec<Lit> = others.chain([*fit]).collect();
                    found.push((self.sat.and(only), Term::constant(&Value::Sym(*key))));
                }
                Term::either(&mut self.sat, &found)
            }
            Derivation::Members { of, at, maps, lacking } => {
                let of = self.term(of, &sight);
                let Term::Items(items) = &of else {
                    return if of.present() == Lit::FALSE { Term::absent() } else { Term::Opaque(of.present()) };
                };
                let maps: Vec<Term> = maps.iter().map(|path| self.term(path, &sight)).collect();
                let mut members = Vec::new();
                for (value, paths) in at {
                    let constant = Term::constant(value);
                    let held = self.member(items, &constant);
                    if held == Lit::FALSE {
                        continue;
                    }
                    let mut there: Vec<Lit> = paths.iter().map(|path| self.term(path, &sight).present()).collect();
                    for map in &maps {
                        if let Term::Items(map) = map {
                            there.push(self.member(map, &constant));
                        }
                    }
                    let there = self.sat.or(there);
                    let wanted = if *lacking { !there } else { there };
                    let there = self.sat.and([held, wanted]);
                    members.push(Entry { there, key: None, value: Some(constant) });
                }
                let items = Items { present: items.present, entries: members, form: Form::Bag, more: items.more };
                Term::Items(items.into())
            }
        }
    }
}

/// From the least to the most of these.
fn widest(of: impl Iterator<Item = (usize, usize)>) -> (usize, usize) {
    let all = of.reduce(|(least, most), (a, b)| (least.min(a), most.max(b)));
    all.unwrap_or((1, usize::MAX))
}
