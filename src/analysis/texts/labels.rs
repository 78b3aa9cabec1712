//! What the words of a signal's rules come to: whether its type can read them, what they mean, whether a part is missing.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::lexicon::{Atom, Meaning, Occurrence, Recognised, expand, fill, meaning, template_parts};
use crate::model::Pack;
use crate::model::lexicon::{Elem, Form, Many, RuleValue, Slot};
use crate::model::schema::Type;

use super::forms::{Automaton, Vocabulary};

/// How many combinations of the values of its parts one phrase is taken apart into.
const MAX_COMBINATIONS: usize = 512;

/// Whether something holds of an occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Surely {
    Yes,
    No,
    /// It depends on more than is looked at here.
    Perhaps,
}

/// What an occurrence comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label {
    /// Whether the type of the signal can read it.
    pub read: Surely,
    /// What it means, a number; `None` where that is not one thing.
    pub meaning: Option<u32>,
    /// Whether a part is missing.
    pub partial: bool,
    /// Whether the matcher surely sees every match.
    pub seen: bool,
    /// Its rule, where it matters what is said: of several values of the same words that of the first rule comes first.
    pub rule: usize,
}

/// The rules of a signal as one automaton, with what its ends come to.
#[derive(Debug)]
pub struct Rules {
    pub automaton: Automaton,
    pub labels: Vec<Label>,
}

impl Rules {
    /// `meanings`: what is said matters, not only whether something is.
    pub fn new(pack: &Pack, signal: usize, meanings: bool, vocabulary: &mut Vocabulary) -> Rules {
        let mut builder = Builder {
            pack,
            signal,
            exact: meanings,
            rule: 0,
            rules: Rules { automaton: Automaton::default(), labels: Vec::new() },
            meanings: Vec::new(),
        };
        for rule in 0..pack.lexicon.signals[signal].rules.len() {
            builder.rule = rule;
            builder.rule(rule, vocabulary);
        }
        builder.rules.automaton.finish();
        builder.rules
    }

    /// Whether every occurrence is one that the type can read.
    pub fn all_read(&self) -> bool {
        self.labels.iter().all(|label| label.read == Surely::Yes)
    }
}

struct Builder<'p> {
    pack: &'p Pack,
    signal: usize,
    exact: bool,
    /// The rule that is taken in.
    rule: usize,
    rules: Rules,
    meanings: Vec<Meaning>,
}

impl Builder<'_> {
    fn rule(&mut self, index: usize, vocabulary: &mut Vocabulary) {
        let lexicon = &self.pack.lexicon;
        let rule = &lexicon.signals[self.signal].rules[index];
        match &rule.value {
            RuleValue::Const(value) => {
                let meaning = self.meaning(Meaning::Value(value.clone()));
                self.add(
                    &rule.form,
                    Label { read: Surely::Yes, meaning, partial: false, seen: true, rule: 0 },
                    vocabulary,
                );
            }
            RuleValue::Matched => {
                let read = if self.reads_all() { Surely::Yes } else { Surely::Perhaps };
                self.add(&rule.form, Label { read, meaning: None, partial: false, seen: true, rule: 0 }, vocabulary);
            }
            RuleValue::Template(_) => {
                let Form::Phrase(elems) = &rule.form else {
                    let label = self.said(index, &[], &[]);
                    return self.add(&rule.form, label, vocabulary);
                };
                for (slots, sequences) in self.by_slots(elems) {
                    self.template(index, &slots, &sequences, vocabulary);
                }
            }
        }
    }

    /// The sequences that a phrase stands for, those with the same parts together.
    fn by_slots(&self, elems: &[Elem]) -> BTreeMap<Vec<usize>, Vec<Vec<Atom>>> {
        let mut by_slots: BTreeMap<Vec<usize>, Vec<Vec<Atom>>> = BTreeMap::new();
        for sequence in expand(elems, &self.pack.lexicon.endings).unwrap_or_default() {
            let slots = sequence.iter().filter_map(|atom| if let Atom::Part(part) = atom { Some(*part) } else { None });
            by_slots.entry(slots.collect()).or_default().push(sequence);
        }
        by_slots
    }

    /// The sequences of a template that have the same slots.
    fn template(&mut self, rule: usize, slots: &[usize], sequences: &[Vec<Atom>], vocabulary: &mut Vocabulary) {
        let fills = self.fills(rule, slots);
        // A slot that the template does not mention may hold anything.
        let mentioned = |slot: usize| fills.iter().flatten().any(|fill| usize::from(*fill) == slot);
        let values = slots.iter().enumerate();
        let values: Vec<Vec<Option<String>>> =
            values.map(|(slot, part)| if mentioned(slot) { self.values(*part) } else { vec![None] }).collect();
        let known = (0..slots.len()).all(|slot| !mentioned(slot) || values[slot].iter().all(Option::is_some));
        let count = values.iter().fold(1_usize, |count, values| count.saturating_mul(values.len()));
        let missing = fills.contains(&None);
        let alike = if missing || self.reads_all() { Surely::Yes } else { Surely::Perhaps };
        if !known || count > MAX_COMBINATIONS || (alike == Surely::Yes && !self.exact) {
            let label = Label { read: alike, meaning: None, partial: missing, seen: true, rule: 0 };
            let any = vec![None; slots.len()];
            return self.sequences(sequences, slots, &any, label, vocabulary);
        }
        let mut combinations: Vec<Vec<Option<String>>> = vec![Vec::new()];
        for values in &values {
            combinations = combinations
                .iter()
                .flat_map(|head| values.iter().map(|value| head.iter().chain([value]).cloned().collect()))
                .collect();
        }
        let labels: Vec<Label> = combinations.iter().map(|values| self.said(rule, slots, values)).collect();
        if !self.exact && labels.windows(2).all(|pair| pair[0] == pair[1]) {
            let any = vec![None; slots.len()];
            return labels
                .first()
                .into_iter()
                .for_each(|label| self.sequences(sequences, slots, &any, *label, vocabulary));
        }
        for (values, label) in combinations.iter().zip(labels) {
            self.sequences(sequences, slots, values, label, vocabulary);
        }
    }

    /// Takes sequences in whose slots hold these values, or any where none is given.
    fn sequences(
        &mut self,
        sequences: &[Vec<Atom>],
        slots: &[usize],
        values: &[Option<String>],
        label: Label,
        vocabulary: &mut Vocabulary,
    ) {
        let lexicon = &self.pack.lexicon;
        let mut all = slots.iter().flat_map(|part| &lexicon.parts[*part].rules);
        let seen = all.all(|rule| vocabulary.sees(&rule.form));
        let end = self.label(Label { seen, ..label });
        let forms = |slot: usize| {
            let rules = lexicon.parts[slots[slot]].rules.iter();
            let rules = rules.filter(|rule| values[slot].is_none() || values[slot] == rule.value);
            rules.map(|rule| rule.form.clone()).collect()
        };
        for sequence in sequences {
            let elems: Vec<Elem> = sequence
                .iter()
                .map(|atom| match atom {
                    Atom::Word(word) => Elem::Word(word.to_string()),
                    Atom::Part(part) => Elem::Slot(Slot::Part(*part)),
                    Atom::Signal(signal) => Elem::Slot(Slot::Signal(*signal)),
                })
                .collect();
            if slots.is_empty() {
                self.rules.automaton.add(&Form::Phrase(elems), end, vocabulary, lexicon);
            } else {
                self.rules.automaton.add_phrase(&elems, end, vocabulary, lexicon, &forms);
            }
        }
    }

    /// Takes a form in that always comes to the same.
    fn add(&mut self, form: &Form, label: Label, vocabulary: &mut Vocabulary) {
        match form {
            Form::Phrase(elems) if has_parts(elems) => {
                for (slots, sequences) in self.by_slots(elems) {
                    let any = vec![None; slots.len()];
                    self.sequences(&sequences, &slots, &any, label, vocabulary);
                }
            }
            form => {
                let end = self.label(Label { seen: vocabulary.sees(form), ..label });
                self.rules.automaton.add(form, end, vocabulary, &self.pack.lexicon);
            }
        }
    }

    fn label(&mut self, label: Label) -> u32 {
        let label = if self.exact { Label { rule: self.rule, ..label } } else { Label { meaning: None, ..label } };
        let labels = &mut self.rules.labels;
        let at = labels.iter().position(|other| *other == label).unwrap_or_else(|| {
            labels.push(label);
            labels.len() - 1
        });
        u32::try_from(at).expect("a lexicon is bounded in size")
    }

    fn meaning(&mut self, meaning: Meaning) -> Option<u32> {
        if !self.exact {
            return None;
        }
        let at = self.meanings.iter().position(|other| *other == meaning).unwrap_or_else(|| {
            self.meanings.push(meaning);
            self.meanings.len() - 1
        });
        u32::try_from(at).ok()
    }

    /// The values that a part can have, each once; `None` for the matched text.
    fn values(&self, part: usize) -> Vec<Option<String>> {
        let mut values = Vec::new();
        for rule in &self.pack.lexicon.parts[part].rules {
            if !values.contains(&rule.value) {
                values.push(rule.value.clone());
            }
        }
        values
    }

    fn fills(&self, rule: usize, slots: &[usize]) -> Vec<Option<u8>> {
        let value = &self.pack.lexicon.signals[self.signal].rules[rule].value;
        fill(&template_parts(value), slots).into_vec()
    }

    /// What a template comes to with these values in its slots.
    fn said(&mut self, rule: usize, slots: &[usize], values: &[Option<String>]) -> Label {
        let fills = self.fills(rule, slots);
        let partial = fills.contains(&None);
        let text = |slot: &u8| values[usize::from(*slot)].as_deref().map(Arc::from);
        let value = Recognised::Template(fills.iter().map(|fill| fill.as_ref().and_then(text)).collect());
        let occurrence = Occurrence { signal: self.signal, rule, value, span: (0, 0), tokens: (0, 0) };
        match meaning(self.pack, &occurrence) {
            Some(meaning) => Label { read: Surely::Yes, meaning: self.meaning(meaning), partial, seen: true, rule: 0 },
            None => Label { read: Surely::No, meaning: None, partial: false, seen: true, rule: 0 },
        }
    }

    /// Whether the type reads any text.
    fn reads_all(&self) -> bool {
        let input = self.pack.signal_inputs[self.signal];
        let ty = &self.pack.inputs[input.index()].ty;
        let all = self.pack.lexicon.signals[self.signal].many == Many::All;
        let ty = if all { ty.item().unwrap_or(ty) } else { ty };
        matches!(ty, Type::Text | Type::Narrative | Type::Id)
    }
}

fn has_parts(elems: &[Elem]) -> bool {
    elems.iter().any(|elem| match elem {
        Elem::Slot(Slot::Part(_)) => true,
        Elem::Choice { of, .. } => of.iter().any(|sequence| has_parts(sequence)),
        Elem::Word(_) | Elem::Stem { .. } | Elem::Slot(Slot::Signal(_)) => false,
    })
}
