//! One trigger form in a text: whether it matches, once it is known which signals are said where and what is filler.

use crate::maps::HashMap;
use crate::model::lexicon::TriggerForm;

use super::around::union;
use super::forms::{Automaton, Letter};
use super::numbered::Numbered;

/// What is known of a token and of the place after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Seen {
    /// The token is a filler or the end of a sentence.
    pub filler: bool,
    /// The token is in a recognised value.
    pub value: bool,
    /// The signals of which an occurrence ends after the token, one bit each.
    pub closed: u64,
    /// The signals of which an occurrence begins after the token.
    pub opened: u64,
}

/// Between two tokens.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Place {
    /// Nothing stands before that would rule a match out.
    clear: bool,
    threads: Vec<u32>,
    /// Slots that are being filled: the signal and the place after it.
    slots: Vec<(usize, u32)>,
    /// It has matched, and nothing stands after it that would rule that out.
    matched: bool,
}

/// A trigger in one question.
pub struct Trigger<'r> {
    automaton: &'r Automaton,
    whole: bool,
    starts: bool,
    places: Numbered<Place>,
    next: HashMap<(u32, usize, Seen), u32>,
}

impl<'r> Trigger<'r> {
    pub fn new(automaton: &'r Automaton, form: &TriggerForm) -> Self {
        Self {
            automaton,
            whole: form.whole,
            starts: form.starts,
            places: Numbered::default(),
            next: HashMap::default(),
        }
    }

    /// Where a text begins in which occurrences of these signals begin at once.
    pub fn begin(&mut self, opened: u64, signal: &dyn Fn(usize) -> Option<usize>) -> u32 {
        let place = Place { clear: true, threads: Vec::new(), slots: Vec::new(), matched: false };
        let place = self.arrive(place, opened, signal);
        self.places.number(place)
    }

    /// Whether the form has matched if the text ends here.
    pub fn matches(&self, place: u32) -> bool {
        self.places[place].matched
    }

    /// Whether the form has matched whatever follows.
    pub fn is_lost(&self, place: u32) -> bool {
        !self.whole && self.matches(place)
    }

    /// Whether the form cannot match any more, whatever follows.
    pub fn is_over(&self, place: u32) -> bool {
        let place = &self.places[place];
        !place.clear && !place.matched && place.threads.is_empty() && place.slots.is_empty()
    }

    /// Where a token leads. `signal` numbers the signals by the bits of `seen`.
    pub fn step(
        &mut self,
        place: u32,
        at: usize,
        letter: &Letter,
        seen: Seen,
        signal: &dyn Fn(usize) -> Option<usize>,
    ) -> u32 {
        if let Some(next) = self.next.get(&(place, at, seen)) {
            return *next;
        }
        let before = &self.places[place];
        let covered = (!self.starts || seen.filler) && (!self.whole || seen.filler || seen.value);
        let after = seen.filler || seen.value;
        let bit = |of: usize, bits: u64| signal(of).is_some_and(|at| bits >> at & 1 == 1);
        let mut threads = self.automaton.step(&before.threads, letter);
        let mut slots = Vec::new();
        for (of, to) in &before.slots {
            if bit(*of, seen.closed) {
                threads = union(&threads, self.automaton.after_slot(*to));
            } else {
                slots.push((*of, *to));
            }
        }
        let matched = before.matched && (!self.whole || after);
        let arrived = Place { clear: before.clear && covered, threads, slots, matched };
        let arrived = self.arrive(arrived, seen.opened, signal);
        let next = self.places.number(arrived);
        self.next.insert((place, at, seen), next);
        next
    }

    /// Begins the form at a place, ends it and opens its slots there.
    fn arrive(&self, mut place: Place, opened: u64, signal: &dyn Fn(usize) -> Option<usize>) -> Place {
        if !self.automaton.ends(&place.threads).is_empty() {
            place.matched = true;
            place.threads = self.automaton.open(&place.threads);
        }
        if place.clear {
            place.threads = union(&place.threads, &self.automaton.starts(true));
        }
        for (of, to) in self.automaton.slots(&place.threads) {
            if signal(of).is_some_and(|at| opened >> at & 1 == 1) && !place.slots.contains(&(of, to)) {
                place.slots.push((of, to));
            }
        }
        place.slots.sort_unstable();
        place
    }
}
