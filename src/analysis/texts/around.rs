//! What may stand around a trigger: which tokens are covered by fillers. It is guessed token by token, and each guess is held
//! to account.

use super::forms::{Automaton, Letter};
use super::numbered::Numbered;
use crate::maps::HashMap;

/// Between two tokens.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
struct Place {
    /// Fillers that may yet come to something.
    threads: Vec<u32>,
    /// Of these one must: a token was said to be covered.
    owed: Option<Vec<u32>>,
    /// What must come to nothing: a token was said not to be covered.
    forbidden: Vec<u32>,
}

/// The fillers in one question.
pub struct Around<'r> {
    fillers: &'r Automaton,
    places: Numbered<Place>,
    ways: HashMap<(u32, usize), Vec<(u32, bool)>>,
    starts: Vec<u32>,
}

impl<'r> Around<'r> {
    pub fn new(fillers: &'r Automaton) -> Self {
        let starts = fillers.starts(true);
        let mut around = Self { fillers, places: Numbered::default(), ways: HashMap::default(), starts };
        around.places.number(Place::default());
        around
    }

    /// Where every text begins.
    pub fn begin(&self) -> u32 {
        0
    }

    pub fn may_end(&self, place: u32) -> bool {
        self.places[place].owed.is_none()
    }

    /// The ways on over a token, and whether it is a filler or the end of a sentence there.
    pub fn ways(&mut self, place: u32, at: usize, letter: &Letter) -> &[(u32, bool)] {
        if !self.ways.contains_key(&(place, at)) {
            let ways = self.work_out(place, letter);
            self.ways.insert((place, at), ways);
        }
        &self.ways[&(place, at)]
    }

    fn work_out(&mut self, place: u32, letter: &Letter) -> Vec<(u32, bool)> {
        let Place { threads, owed, forbidden } = self.places[place].clone();
        let threads = union(&threads, &self.starts);
        let mut ways = Vec::new();
        if letter.ends {
            ways.extend(self.on(&threads, owed.as_deref(), &forbidden, letter).map(|to| (to, true)));
            return ways;
        }
        let owes = owed.clone().unwrap_or_else(|| threads.clone());
        ways.extend(self.on(&threads, Some(&owes), &forbidden, letter).map(|to| (to, true)));
        if owed.is_none() {
            ways.extend(self.on(&[], None, &union(&threads, &forbidden), letter).map(|to| (to, false)));
        }
        ways
    }

    fn on(&mut self, threads: &[u32], owed: Option<&[u32]>, forbidden: &[u32], letter: &Letter) -> Option<u32> {
        let fillers = self.fillers;
        let forbidden = fillers.step(forbidden, letter);
        if !fillers.ends(&forbidden).is_empty() {
            return None;
        }
        let threads = fillers.open(&fillers.step(threads, letter));
        let owed = match owed {
            None => None,
            Some(owed) => {
                let owed = fillers.step(owed, letter);
                match fillers.ends(&owed).is_empty() {
                    true if owed.is_empty() => return None,
                    true => Some(owed),
                    false => None,
                }
            }
        };
        Some(self.places.number(Place { threads, owed, forbidden }))
    }
}

/// Two sorted sets as one.
pub fn union(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut all: Vec<u32> = a.iter().chain(b).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}
