//! A naive matcher to compare with: tokens and backtracking over the tree of each phrase. No automaton, no expansion.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::lexicon::{Elem, Form, Lexicon, Piece, RuleValue, Slot, TriggerForm};

use super::super::{Fired, Normalised, Occurrence, Recognised, Scan};

/// A recognised span: part or signal, first token, one past the last, rule or index.
type Entry = (usize, usize, usize, usize);

/// Every way in which some elements match from a token on: where they end and what their slots took.
type Readings = BTreeSet<(usize, Vec<Entry>)>;

struct Oracle<'o> {
    lexicon: &'o Lexicon,
    text: &'o Normalised,
    first: usize,
}

pub fn scan(lexicon: &Lexicon, triggers: &[TriggerForm], text: &Normalised) -> Scan {
    let mut oracle = Oracle { lexicon, text, first: 0 };
    let command = oracle.command();
    let parts = oracle.parts();
    let signals = oracle.signals(&parts);
    let fired = oracle.triggers(triggers, &signals);
    Scan { signals, fired, command }
}

/// The single-token patterns that the random lexicons use.
pub fn pattern_matches(pattern: &str, word: &str) -> bool {
    match pattern {
        "слов[оа]" => word == "слово" || word == "слова",
        "[аб]" => word == "а" || word == "б",
        r"\b[а-я]\b" => word.chars().count() == 1 && word != ".",
        other => panic!("{other}"),
    }
}

/// Leftmost, then longest, without overlap; the same place more than once may stay.
fn resolve<T>(mut all: Vec<(usize, usize, T)>) -> Vec<(usize, usize, T)> {
    let mut kept: Vec<(usize, usize, T)> = Vec::new();
    while let Some((start, end)) =
        all.iter().map(|(start, end, _)| (*start, *end)).min_by_key(|(s, e)| (*s, Reverse(*e)))
    {
        let (here, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(|(s, e, _)| (*s, *e) == (start, end));
        kept.extend(here);
        all = rest.into_iter().filter(|(s, e, _)| *e <= start || *s >= end).collect();
    }
    kept
}

impl Oracle<'_> {
    fn len(&self) -> usize {
        self.text.tokens().len()
    }

    fn command(&mut self) -> Option<(usize, std::ops::Range<usize>)> {
        let words: Vec<&str> = (0..self.len()).map(|token| self.text.word(token)).collect();
        let mut best: Option<(usize, usize)> = None;
        for (index, (_, spellings)) in self.lexicon.commands.iter().enumerate() {
            for spelling in spellings {
                let spelling: Vec<&str> = spelling.split(' ').collect();
                if words.starts_with(&spelling) && best.is_none_or(|(_, length)| spelling.len() > length) {
                    best = Some((index, spelling.len()));
                }
            }
        }
        let (index, length) = best?;
        self.first = length;
        let original = self.text.original();
        let mut start = self.text.tokens()[length - 1].end as usize;
        let end = original.trim_end().len().max(start);
        let parts = |at: usize| {
            let mut chars = original[at..].chars();
            match (chars.next(), chars.next()) {
                (Some('-'), Some(next)) => next.is_whitespace(),
                (Some(c), _) => c.is_whitespace() || [',', ';', ':', '.', '!', '?', '…', '—', '–'].contains(&c),
                (None, _) => false,
            }
        };
        while start < end && parts(start) {
            start += original[start..].chars().next().unwrap().len_utf8();
        }
        if start == end {
            (self.first, start) = (length, original.len());
        }
        Some((index, start..end.max(start)))
    }

    fn readings(&self, elems: &[Elem], at: usize, chart: &[Entry]) -> Readings {
        let Some((elem, rest)) = elems.split_first() else { return Readings::from([(at, Vec::new())]) };
        let word = (at < self.len()).then(|| self.text.word(at));
        let one = |matches: bool| if matches { Readings::from([(at + 1, Vec::new())]) } else { Readings::new() };
        let heads = match elem {
            Elem::Word(expected) => one(word == Some(expected)),
            Elem::Stem { stem, endings } => {
                let endings = &self.lexicon.endings[*endings].endings;
                one(word
                    .and_then(|word| word.strip_prefix(stem.as_str()))
                    .is_some_and(|tail| endings.iter().any(|e| e == tail)))
            }
            Elem::Slot(Slot::Part(slot) | Slot::Signal(slot)) => chart
                .iter()
                .filter(|(of, start, ..)| of == slot && *start == at)
                .map(|entry| (entry.2, vec![*entry]))
                .collect(),
            Elem::Choice { optional, of } => {
                let mut all: Readings = of.iter().flat_map(|sequence| self.readings(sequence, at, chart)).collect();
                if *optional {
                    all.insert((at, Vec::new()));
                }
                all
            }
        };
        let mut all = Readings::new();
        for (end, head) in heads {
            for (end, tail) in self.readings(rest, end, chart) {
                all.insert((end, [head.clone(), tail].concat()));
            }
        }
        all
    }

    /// All places where a form matches: first token, one past the last, what its slots took.
    fn places(&self, form: &Form, chart: &[Entry]) -> Vec<(usize, usize, Vec<Entry>)> {
        let mut all = Vec::new();
        for start in self.first..self.len() {
            match form {
                Form::Phrase(elems) => {
                    all.extend(self.readings(elems, start, chart).into_iter().map(|(end, slots)| (start, end, slots)));
                }
                Form::Pattern(pattern) if pattern_matches(pattern, self.text.word(start)) => {
                    all.push((start, start + 1, Vec::new()));
                }
                Form::Pattern(_) => {}
            }
        }
        all
    }

    fn part_text(&self, (part, start, end, rule): Entry) -> Arc<str> {
        match &self.lexicon.parts[part].rules[rule].value {
            Some(value) => value.as_str().into(),
            None => self.text.words(start..end).into(),
        }
    }

    fn parts(&self) -> Vec<Entry> {
        let mut all: Vec<Entry> = Vec::new();
        for (part, declared) in self.lexicon.parts.iter().enumerate() {
            for (rule, declared) in declared.rules.iter().enumerate() {
                for (start, end, _) in self.places(&declared.form, &[]) {
                    let entry = (part, start, end, rule);
                    let same = |other: &Entry| {
                        (other.0, other.1, other.2) == (part, start, end)
                            && self.part_text(*other) == self.part_text(entry)
                    };
                    if !all.iter().any(same) {
                        all.push(entry);
                    }
                }
            }
        }
        all
    }

    fn value(&self, value: &RuleValue, span: (u32, u32), slots: &[Entry]) -> (Recognised, Vec<Option<Entry>>) {
        match value {
            RuleValue::Const(_) => (Recognised::Const, Vec::new()),
            RuleValue::Matched => {
                (Recognised::Matched(self.text.original()[span.0 as usize..span.1 as usize].into()), Vec::new())
            }
            RuleValue::Template(pieces) => {
                let mut left: Vec<Entry> = slots.to_vec();
                let mut took = Vec::new();
                for piece in pieces {
                    let Piece::Part(part) = piece else { continue };
                    let found = left.iter().position(|slot| slot.0 == *part);
                    took.push(found.map(|at| left[at]));
                    let others = left.iter().filter(|slot| slot.0 == *part).count();
                    if let Some(at) = found.filter(|_| others > 1) {
                        left.remove(at);
                    }
                }
                let texts = took.iter().map(|entry| entry.map(|entry| self.part_text(entry))).collect();
                (Recognised::Template(texts), took)
            }
        }
    }

    fn signals(&self, parts: &[Entry]) -> Vec<Occurrence> {
        let mut all = Vec::new();
        for (signal, declared) in self.lexicon.signals.iter().enumerate() {
            let mut found = Vec::new();
            for (rule, declared) in declared.rules.iter().enumerate() {
                for (start, end, slots) in self.places(&declared.form, parts) {
                    let (value, took) = self.value(&declared.value, self.text.span(start..end), &slots);
                    found.push((start, end, (rule, took, value)));
                }
            }
            let mut kept = resolve(found);
            kept.sort_by(|a, b| (a.0, a.1, a.2.0, &a.2.1).cmp(&(b.0, b.1, b.2.0, &b.2.1)));
            let mut occurrences: Vec<Occurrence> = Vec::new();
            for (start, end, (rule, _, value)) in kept {
                let tokens = (u32::try_from(start).unwrap(), u32::try_from(end).unwrap());
                let same = |other: &Occurrence| {
                    let same_rule = match (&declared.rules[other.rule].value, &declared.rules[rule].value) {
                        (RuleValue::Const(a), RuleValue::Const(b)) => a == b,
                        (RuleValue::Template(a), RuleValue::Template(b)) => a == b,
                        (RuleValue::Matched, RuleValue::Matched) => true,
                        _ => false,
                    };
                    other.tokens == tokens && same_rule && other.value == value
                };
                if !occurrences.iter().any(same) {
                    occurrences.push(Occurrence { signal, rule, value, span: self.text.span(start..end), tokens });
                }
            }
            all.extend(occurrences);
        }
        all.sort_by_key(|occurrence| (occurrence.tokens, occurrence.signal));
        all
    }

    fn triggers(&self, triggers: &[TriggerForm], signals: &[Occurrence]) -> Vec<Fired> {
        let covered = |token: usize, (start, end): (usize, usize)| (start..end).contains(&token);
        let fillers: Vec<(usize, usize)> = self
            .lexicon
            .fillers
            .iter()
            .flat_map(|filler| self.places(&Form::Phrase(filler.clone()), &[]))
            .map(|(start, end, _)| (start, end))
            .collect();
        let filler = |token: usize| self.text.word(token) == "." || fillers.iter().any(|place| covered(token, *place));
        let said = |token: usize| signals.iter().any(|of| (of.tokens.0..of.tokens.1).contains(&(token as u32)));
        let mut chart: Vec<Entry> = Vec::new();
        for (index, of) in signals.iter().enumerate() {
            let entry = (of.signal, of.tokens.0 as usize, of.tokens.1 as usize, index);
            if !chart.iter().any(|other| (other.0, other.1, other.2) == (entry.0, entry.1, entry.2)) {
                chart.push(entry);
            }
        }
        let mut all = Vec::new();
        for (trigger, declared) in triggers.iter().enumerate() {
            let mut places = self.places(&declared.form, &chart);
            places.retain(|(start, end, _)| {
                let starts = (self.first..*start).all(filler);
                let mut around = (self.first..*start).chain(*end..self.len());
                let whole = around.all(|token| filler(token) || said(token));
                (!declared.starts || starts) && (!declared.whole || whole)
            });
            let indexes = |slots: &[Entry]| slots.iter().map(|slot| u32::try_from(slot.3).unwrap()).collect::<Vec<_>>();
            let mut kept: Vec<_> =
                resolve(places).into_iter().map(|(start, end, slots)| (start, end, indexes(&slots))).collect();
            kept.sort();
            kept.dedup_by_key(|(start, end, _)| (*start, *end));
            all.extend(kept.into_iter().map(|(start, end, slots)| Fired {
                trigger,
                span: self.text.span(start..end),
                tokens: (u32::try_from(start).unwrap(), u32::try_from(end).unwrap()),
                slots,
            }));
        }
        all
    }
}
