//! Phrases and patterns against tokens, by trying everything.

use std::cell::RefCell;
use std::collections::BTreeMap;

use regex::Regex;
use segue::model::lexicon::{Elem, EndingSet, Form, Slot};

use super::text::Token;

/// One way to read a phrase: one past its last token, and what its slots took, in order.
pub type Reading<F> = (usize, Vec<(Slot, F)>);

/// What a slot may take at a token: for each way one past the last token, and what it is.
pub type Fills<'a, F> = dyn Fn(Slot, usize) -> Vec<(usize, F)> + 'a;

/// A match of a form: first token, one past the last, what the slots took.
pub type Match<F> = (usize, usize, Vec<(Slot, F)>);

/// All matches of a form anywhere in the text.
pub fn matches<F: Clone>(form: &Form, endings: &[EndingSet], tokens: &[Token], fills: &Fills<'_, F>) -> Vec<Match<F>> {
    match form {
        Form::Phrase(elems) => (0..tokens.len())
            .flat_map(|at| {
                let all = readings(elems, endings, tokens, at, fills);
                all.into_iter().filter(move |(end, _)| *end > at).map(move |(end, slots)| (at, end, slots))
            })
            .collect(),
        Form::Pattern(pattern) => pattern_matches(pattern, tokens).into_iter().map(|(a, b)| (a, b, vec![])).collect(),
    }
}

/// All ways to read the elements from a token on.
fn readings<F: Clone>(
    elems: &[Elem],
    endings: &[EndingSet],
    tokens: &[Token],
    at: usize,
    fills: &Fills<'_, F>,
) -> Vec<Reading<F>> {
    let Some((first, rest)) = elems.split_first() else { return vec![(at, vec![])] };
    let firsts: Vec<Reading<F>> = match first {
        Elem::Word(word) => here(tokens, at, |token| token == word),
        Elem::Stem { stem, endings: set } => here(tokens, at, |token| {
            token.strip_prefix(stem.as_str()).is_some_and(|ending| endings[*set].endings.iter().any(|e| e == ending))
        }),
        Elem::Slot(slot) => fills(*slot, at).into_iter().map(|(end, fill)| (end, vec![(*slot, fill)])).collect(),
        Elem::Choice { optional, of } => {
            let mut all: Vec<_> = of.iter().flat_map(|elems| readings(elems, endings, tokens, at, fills)).collect();
            if *optional {
                all.push((at, vec![]));
            }
            all
        }
    };
    firsts
        .into_iter()
        .flat_map(|(middle, taken)| {
            readings(rest, endings, tokens, middle, fills).into_iter().map(move |(end, more)| {
                let mut slots = taken.clone();
                slots.extend(more);
                (end, slots)
            })
        })
        .collect()
}

fn here<F>(tokens: &[Token], at: usize, fits: impl Fn(&str) -> bool) -> Vec<Reading<F>> {
    let fits = tokens.get(at).is_some_and(|token| fits(&token.word));
    if fits { vec![(at + 1, vec![])] } else { vec![] }
}

/// Where a pattern matches whole tokens: leftmost first, without overlap.
fn pattern_matches(pattern: &str, tokens: &[Token]) -> Vec<(usize, usize)> {
    let mut padded = String::from(" ");
    let mut starts = Vec::new();
    for token in tokens {
        starts.push(padded.len());
        padded.push_str(&token.word);
        padded.push(' ');
    }
    let regex = compiled(pattern);
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(hit) = regex.find_at(&padded, from) {
        let first = starts.iter().position(|at| *at == hit.start() + 1).expect("a match begins after a space");
        let end = starts.iter().position(|at| *at == hit.end()).unwrap_or(tokens.len());
        found.push((first, end));
        from = hit.end() - 1;
    }
    found
}

/// The pattern between the spaces around tokens. Compiling one takes longer than all else here, so it is done once.
fn compiled(pattern: &str) -> Regex {
    thread_local! {
        static KNOWN: RefCell<BTreeMap<String, Regex>> = const { RefCell::new(BTreeMap::new()) };
    }
    KNOWN.with(|known| {
        let mut known = known.borrow_mut();
        let make = || Regex::new(&format!(" (?:{pattern}) ")).expect("loading has checked the pattern");
        known.entry(pattern.to_owned()).or_insert_with(make).clone()
    })
}
