//! Patterns, character by character, and what whole tokens do to them.

use std::collections::BTreeSet;

use regex_syntax::hir::{Class, Hir, HirKind};

use crate::lexicon::pattern_hir;
use crate::maps::{HashMap, HashSet};

/// A state of a pattern's automaton.
#[derive(Debug)]
pub(super) enum State {
    /// One character of a class, then another state.
    Char(u32, u32),
    Split(Vec<u32>),
    /// The pattern has matched.
    End,
}

/// What a token does to the patterns: for each place between tokens at which a pattern can stand, the places at which it can
/// stand after the token, and whether it can end there. Places without a way on are left out.
pub type Row = Vec<(u32, Vec<u32>, bool)>;

/// The patterns of one question.
#[derive(Debug, Default)]
pub struct Patterns {
    pub(super) states: Vec<State>,
    pub(super) classes: Vec<Vec<(char, char)>>,
    class_index: HashMap<Vec<(char, char)>, u32>,
    known: HashMap<String, usize>,
    /// For each pattern the places between tokens, its start first.
    places: Vec<Vec<u32>>,
    /// For each pattern the classes of characters that it names.
    pub(super) named: Vec<BTreeSet<u32>>,
    /// For each place the state that it is.
    place_states: Vec<u32>,
    place_of_state: HashMap<u32, u32>,
    /// By state: what it comes to without a character.
    closures: Vec<Vec<u32>>,
}

impl Patterns {
    /// Takes a pattern in and says which one it is; nothing where it cannot be read.
    pub fn add(&mut self, pattern: &str) -> Option<usize> {
        if let Some(at) = self.known.get(pattern) {
            return Some(*at);
        }
        let hir = pattern_hir(pattern)?;
        let from = self.states.len();
        let end = self.push(State::End);
        let start = self.build(&hir, end);
        self.closures.resize(self.states.len(), Vec::new());
        for state in from..self.states.len() {
            self.closures[state] = self.closure(u32::try_from(state).ok()?);
        }
        let space = |classes: &[Vec<(char, char)>], class: u32| holds(&classes[class as usize], ' ');
        let mut states = vec![start];
        for state in &self.states[from..] {
            if let State::Char(class, to) = state
                && space(&self.classes, *class)
                && !states.contains(to)
            {
                states.push(*to);
            }
        }
        let mut places = Vec::new();
        for state in states {
            let place = u32::try_from(self.place_states.len()).ok()?;
            self.place_states.push(state);
            self.place_of_state.insert(state, place);
            places.push(place);
        }
        self.places.push(places);
        let named = self.states[from..].iter();
        self.named
            .push(named.filter_map(|state| if let State::Char(of, _) = state { Some(*of) } else { None }).collect());
        self.known.insert(pattern.to_owned(), self.places.len() - 1);
        Some(self.places.len() - 1)
    }

    /// The places of a pattern between tokens, its start first.
    pub fn places(&self, pattern: usize) -> &[u32] {
        &self.places[pattern]
    }

    /// Whether a pattern matches single tokens only.
    pub fn is_of_one_token(&self, pattern: usize) -> bool {
        self.places[pattern].len() == 1
    }

    fn push(&mut self, state: State) -> u32 {
        self.states.push(state);
        u32::try_from(self.states.len() - 1).expect("patterns are bounded in size")
    }

    fn class(&mut self, ranges: Vec<(char, char)>) -> u32 {
        let next = u32::try_from(self.classes.len()).expect("patterns are bounded in size");
        let (classes, index) = (&mut self.classes, &mut self.class_index);
        *index.entry(ranges).or_insert_with_key(|ranges| {
            classes.push(ranges.clone());
            next
        })
    }

    /// The state from which a piece of a pattern is read, with `next` after it.
    fn build(&mut self, hir: &Hir, next: u32) -> u32 {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => next,
            HirKind::Literal(literal) => {
                let text = String::from_utf8_lossy(&literal.0).into_owned();
                text.chars().rev().fold(next, |next, c| {
                    let class = self.class(vec![(c, c)]);
                    self.push(State::Char(class, next))
                })
            }
            HirKind::Class(class) => {
                let ranges = match class {
                    Class::Unicode(class) => class.ranges().iter().map(|range| (range.start(), range.end())).collect(),
                    Class::Bytes(class) => class
                        .ranges()
                        .iter()
                        .map(|range| (char::from(range.start()), char::from(range.end())))
                        .collect(),
                };
                let class = self.class(ranges);
                self.push(State::Char(class, next))
            }
            HirKind::Repetition(repetition) => {
                let mut at = match repetition.max {
                    None => {
                        let again = self.push(State::Split(Vec::new()));
                        let once = self.build(&repetition.sub, again);
                        self.states[again as usize] = State::Split(vec![once, next]);
                        again
                    }
                    Some(max) => (repetition.min..max).fold(next, |at, _| {
                        let once = self.build(&repetition.sub, at);
                        self.push(State::Split(vec![once, next]))
                    }),
                };
                for _ in 0..repetition.min {
                    at = self.build(&repetition.sub, at);
                }
                at
            }
            HirKind::Capture(capture) => self.build(&capture.sub, next),
            HirKind::Concat(subs) => subs.iter().rev().fold(next, |next, sub| self.build(sub, next)),
            HirKind::Alternation(subs) => {
                let all = subs.iter().map(|sub| self.build(sub, next)).collect();
                self.push(State::Split(all))
            }
        }
    }

    pub(super) fn closure(&self, state: u32) -> Vec<u32> {
        let mut all = BTreeSet::new();
        let mut seen = HashSet::default();
        let mut left = vec![state];
        while let Some(state) = left.pop() {
            if seen.insert(state) {
                match &self.states[state as usize] {
                    State::Split(of) => left.extend(of),
                    State::Char(..) | State::End => {
                        all.insert(state);
                    }
                }
            }
        }
        all.into_iter().collect()
    }

    pub(super) fn closed(&self, place: u32) -> Vec<u32> {
        self.closures[self.place_states[place as usize] as usize].clone()
    }

    /// Reads one character; `takes` says which classes hold it.
    pub(super) fn read(&self, states: &[u32], takes: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut next: Vec<u32> = Vec::new();
        for state in states {
            if let State::Char(class, to) = self.states[*state as usize]
                && takes(class)
            {
                next.extend(&self.closures[to as usize]);
            }
        }
        next.sort_unstable();
        next.dedup();
        next
    }

    /// What the space after a token makes of the states in which it left a place.
    pub(super) fn close(&self, place: u32, states: &[u32]) -> Option<(u32, Vec<u32>, bool)> {
        let mut to = Vec::new();
        let mut ends = false;
        for state in states {
            match self.states[*state as usize] {
                State::End => ends = true,
                State::Char(class, next) if holds(&self.classes[class as usize], ' ') => {
                    to.extend(self.place_of_state.get(&next));
                }
                _ => {}
            }
        }
        to.sort_unstable();
        to.dedup();
        (ends || !to.is_empty()).then_some((place, to, ends))
    }

    pub(super) fn places_of(&self, patterns: &BTreeSet<usize>) -> impl Iterator<Item = u32> {
        patterns.iter().flat_map(|pattern| self.places[*pattern].iter().copied())
    }

    /// What a token does to some patterns.
    pub fn row(&self, patterns: &BTreeSet<usize>, token: &str) -> Row {
        let mut row = Row::new();
        for place in self.places_of(patterns) {
            let mut states = self.closed(place);
            for c in token.chars() {
                states = self.read(&states, |class| holds(&self.classes[class as usize], c));
                if states.is_empty() {
                    break;
                }
            }
            row.extend(self.close(place, &states));
        }
        row
    }
}

/// Whether sorted ranges hold a character.
pub(super) fn holds(ranges: &[(char, char)], c: char) -> bool {
    let at = ranges.partition_point(|(_, to)| *to < c);
    ranges.get(at).is_some_and(|(from, _)| *from <= c)
}
