//! The search: all that is asked at once, token by token; short texts and those first that do most of what is asked.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::around::Around;
use super::hearing::Way;
use super::question::Question;
use super::trigger::Seen;
use super::{Demand, Found, Texts};
use crate::maps::HashSet;

/// How many different beginnings of texts are looked at.
const MAX_PLACES: usize = 60_000;

/// How many texts are put to the matcher before the search gives up.
const MAX_TRIES: usize = 64;

/// How many tokens it may take to do one more thing that is asked.
const AHEAD: usize = 4;

/// Where the text stands, which commands it may still begin with (a bit for each that the question knows, and how many
/// tokens of it have been read), the fillers, the signals, the triggers.
type Place = Vec<u32>;

/// Nothing stands there yet.
const START: u32 = 0;
const AFTER_WORD: u32 = 1;
const AFTER_END: u32 = 2;

/// Searches for a text that answers a question. `before`: the command that it begins with.
pub fn search(texts: &Texts<'_>, demand: &Demand, question: Question<'_>, before: &str) -> Found {
    let around = question.fillers.map(Around::new);
    let mut search = Search {
        texts,
        demand,
        before,
        question,
        around,
        commands: vec![(0..texts.commands.len()).map(|spelling| (spelling, 0)).collect()],
        from: Vec::new(),
        places: Vec::new(),
        seen: HashSet::default(),
        queue: BinaryHeap::new(),
        tries: 0,
        found: None,
    };
    search.begin();
    search.run()
}

struct Search<'q, 'r> {
    texts: &'q Texts<'r>,
    demand: &'q Demand,
    before: &'q str,
    question: Question<'q>,
    around: Option<Around<'q>>,
    /// Beginnings of commands that a text may have: the spelling, and how much of it.
    commands: Vec<Vec<(usize, usize)>>,
    /// For each place that was reached the one before it and the token between.
    from: Vec<(usize, usize)>,
    places: Vec<Place>,
    seen: HashSet<Place>,
    /// Places to go on from: how far from the goal, counted in tokens, roughly; then as they were reached.
    queue: BinaryHeap<Reverse<(usize, usize)>>,
    tries: usize,
    found: Option<String>,
}

impl Search<'_, '_> {
    fn run(mut self) -> Found {
        while let Some(Reverse((_, at))) = self.queue.pop() {
            if let Some(text) = self.found {
                return Found::Text(text);
            }
            if self.places.len() > MAX_PLACES {
                return Found::Unknown(format!("more than {MAX_PLACES} beginnings of texts have to be looked at"));
            }
            if self.tries > MAX_TRIES {
                break;
            }
            for letter in 0..self.question.letters.len() {
                self.read(at, letter);
            }
        }
        match (self.found, self.tries) {
            (Some(text), _) => Found::Text(text),
            (None, 0) => Found::No,
            (None, _) => Found::Unknown(self.question.vague.unwrap_or_else(|| {
                "the words that would do it cannot be written so that the text holds just them".to_owned()
            })),
        }
    }

    fn begin(&mut self) {
        let ways: Vec<Vec<Way>> = self.question.hearings.iter_mut().map(|(_, hearing)| hearing.begin()).collect();
        let around = self.around.as_ref().map_or(0, Around::begin);
        let head = vec![START, 0, around];
        each(&ways, &mut |chosen| {
            let mut place = head.clone();
            place.extend(chosen.iter().map(|way| way.to));
            let opened = bits(chosen, |way| way.opened);
            let Question { hearings, triggers, .. } = &mut self.question;
            let signal = |of: usize| hearings.iter().position(|(signal, _)| *signal == of);
            for (trigger, _) in triggers {
                place.push(trigger.begin(opened, &signal));
            }
            reach(&mut self.seen, &mut self.places, &mut self.from, place, (usize::MAX, 0));
        });
        for at in 0..self.places.len() {
            self.try_out(at);
        }
    }

    /// Reads a token after a place.
    fn read(&mut self, at: usize, index: usize) {
        let place = self.places[at].clone();
        let letter = &self.question.letters[index];
        let inside = !self.before.is_empty();
        let start = place[0] == START;
        if (letter.first && (!start || inside)) || (letter.ends && (place[0] == AFTER_END || (start && !inside))) {
            return;
        }
        let word = letter.word;
        let Some(command) = self.command(place[1], start, word) else { return };
        let letter = &self.question.letters[index];
        let state = if letter.ends { AFTER_END } else { AFTER_WORD };
        let fillers: Vec<(u32, bool)> = match &mut self.around {
            Some(around) => around.ways(place[2], index, letter).to_vec(),
            None => vec![(0, false)],
        };
        if fillers.is_empty() {
            return;
        }
        let Question { letters, hearings, triggers, loose, .. } = &mut self.question;
        let letter = &letters[index];
        let mut ways = Vec::with_capacity(hearings.len());
        let mut value = false;
        for ((_, hearing), from) in hearings.iter_mut().zip(&place[3..]) {
            value |= hearing.is_open(*from);
            let on = hearing.ways(*from, index, letter);
            if on.is_empty() {
                return;
            }
            ways.push(on.to_vec());
        }
        let before = self.places.len();
        let signal = |of: usize| hearings.iter().position(|(signal, _)| *signal == of);
        let from = &place[3 + hearings.len()..];
        let values = if *loose && !value { vec![true, false] } else { vec![value] };
        for ((around, filler), value) in fillers.iter().flat_map(|way| values.iter().map(move |value| (*way, *value))) {
            each(&ways, &mut |chosen| {
                let seen = Seen {
                    filler,
                    value,
                    closed: bits(chosen, |way| way.closed),
                    opened: bits(chosen, |way| way.opened),
                };
                let mut next = vec![state, command, around];
                next.extend(chosen.iter().map(|way| way.to));
                for ((trigger, matched), from) in triggers.iter_mut().zip(from) {
                    let to = trigger.step(*from, index, letter, seen, &signal);
                    if if *matched { trigger.is_over(to) } else { trigger.is_lost(to) } {
                        return;
                    }
                    next.push(to);
                }
                reach(&mut self.seen, &mut self.places, &mut self.from, next, (at, index));
            });
        }
        for at in before..self.places.len() {
            self.try_out(at);
        }
    }

    /// What is left of the commands that the text may begin with; nothing when it does begin with one.
    fn command(&mut self, at: u32, start: bool, word: Option<u32>) -> Option<u32> {
        if !self.before.is_empty() || (at == 0 && !start) {
            return Some(0);
        }
        let mut left = Vec::new();
        for (spelling, read) in &self.commands[at as usize] {
            let words = &self.texts.commands[*spelling];
            if words.get(*read).copied() == word && word.is_some() {
                if read + 1 == words.len() {
                    return None;
                }
                left.push((*spelling, read + 1));
            }
        }
        if left.is_empty() {
            return Some(0);
        }
        let known = self.commands.iter().skip(1).position(|of| *of == left).map(|at| at + 1);
        let at = known.unwrap_or_else(|| {
            self.commands.push(left);
            self.commands.len() - 1
        });
        u32::try_from(at).ok()
    }

    /// Puts the text that leads to a place to the matcher, if it may end there; to be gone on from, else.
    fn try_out(&mut self, at: usize) {
        let place = &self.places[at];
        let Question { hearings, triggers, letters, .. } = &self.question;
        let heard = hearings.iter().zip(&place[3..]).filter(|((_, hearing), at)| !hearing.may_end(**at)).count();
        let around = self.around.as_ref().filter(|around| !around.may_end(place[2])).iter().count();
        let matched = triggers.iter().zip(&place[3 + hearings.len()..]);
        let matched = matched.filter(|((of, wanted), at)| of.matches(**at) != *wanted).count();
        let mut tokens = Vec::new();
        let mut last = at;
        while self.from[last].0 != usize::MAX {
            tokens.push(&letters[self.from[last].1]);
            last = self.from[last].0;
        }
        self.queue.push(Reverse((tokens.len() + AHEAD * (heard + around + matched), at)));
        if self.found.is_some() || heard + around + matched > 0 {
            return;
        }
        let mut text = self.before.to_owned();
        for token in tokens.into_iter().rev() {
            // The end of a sentence stands directly after a word, but not after a command.
            let touches = token.ends && text != self.before;
            if !(text.is_empty() || touches) {
                text.push(' ');
            }
            text.push_str(&token.text);
        }
        self.tries += 1;
        if self.texts.does(&text, self.demand) {
            self.found = Some(text);
        }
    }
}

fn reach(
    seen: &mut HashSet<Place>,
    places: &mut Vec<Place>,
    from: &mut Vec<(usize, usize)>,
    place: Place,
    by: (usize, usize),
) {
    if seen.insert(place.clone()) {
        places.push(place);
        from.push(by);
    }
}

fn bits(ways: &[Way], of: impl Fn(&Way) -> bool) -> u64 {
    ways.iter().enumerate().fold(0, |bits, (at, way)| bits | u64::from(of(way)) << at)
}

/// Calls `take` with each choice of one way for each signal.
fn each(ways: &[Vec<Way>], take: &mut dyn FnMut(&[Way])) {
    fn choose(ways: &[Vec<Way>], chosen: &mut Vec<Way>, take: &mut dyn FnMut(&[Way])) {
        match ways.split_first() {
            None => take(chosen),
            Some((first, rest)) => {
                for way in first {
                    chosen.push(*way);
                    choose(rest, chosen, take);
                    chosen.pop();
                }
            }
        }
    }
    choose(ways, &mut Vec::with_capacity(ways.len()), take);
}
