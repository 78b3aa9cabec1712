//! Expansion: a phrase as the plain sequences of words and slots that it stands for.

use std::hash::BuildHasher;

use smol_str::SmolStr;

use crate::maps::{HashSet, Hashes};
use crate::model::lexicon::{Elem, EndingSet, Slot};

use super::fold::is_folded;
use super::normalise::fold_word;

/// How many plain sequences one phrase may stand for, endings included.
pub const MAX_VARIANTS: usize = 4_096;

/// One element of an expanded phrase.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// One folded token.
    Word(SmolStr),
    /// A recognised part.
    Part(usize),
    /// A recognised signal.
    Signal(usize),
}

/// How many sequences a phrase stands for, repetitions counted; `endings` says how many endings a set has.
pub fn variants(elems: &[Elem], endings: impl Fn(usize) -> usize + Copy) -> usize {
    elems.iter().fold(1_usize, |product, elem| {
        product.saturating_mul(match elem {
            Elem::Word(_) | Elem::Slot(_) => 1,
            Elem::Stem { endings: set, .. } => endings(*set),
            Elem::Choice { optional, of } => {
                of.iter().fold(usize::from(*optional), |sum, sequence| sum.saturating_add(variants(sequence, endings)))
            }
        })
    })
}

/// Whether a phrase can stand for no words at all.
pub fn may_be_empty(elems: &[Elem]) -> bool {
    elems.iter().all(|elem| match elem {
        Elem::Word(_) | Elem::Stem { .. } | Elem::Slot(_) => false,
        Elem::Choice { optional, of } => *optional || of.iter().any(|sequence| may_be_empty(sequence)),
    })
}

/// Whether a phrase stands for at most [`MAX_VARIANTS`] sequences and no ending set is missing.
#[must_use]
pub fn fits(elems: &[Elem], endings: &[EndingSet]) -> bool {
    variants(elems, |set| endings.get(set).map_or(usize::MAX, |set| set.endings.len())) <= MAX_VARIANTS
}

/// The plain sequences of a phrase, each once, in the order written; an option is first taken, then left out. Empty ones
/// are left out. `None` when there are more than [`MAX_VARIANTS`] or an ending set is missing.
#[must_use]
pub fn expand(elems: &[Elem], endings: &[EndingSet]) -> Option<Vec<Vec<Atom>>> {
    if !fits(elems, endings) {
        return None;
    }
    let mut all: Vec<Vec<Atom>> = sequences(elems, endings);
    if let [one] = all.as_slice()
        && !one.is_empty()
    {
        return Some(all);
    }
    let mut seen: HashSet<&[Atom]> = HashSet::with_capacity_and_hasher(all.len(), Hashes::default());
    let new: Vec<bool> = all.iter().map(|sequence| !sequence.is_empty() && seen.insert(sequence)).collect();
    let mut new = new.into_iter();
    all.retain(|_| new.next() == Some(true));
    Some(all)
}

/// A number for each plain sequence of a phrase, in the same order, those that come again with it: [`print_of`] it. Empty ones are left
/// out. `None` as for [`expand`], which takes several times as long.
#[must_use]
pub fn prints(elems: &[Elem], endings: &[EndingSet]) -> Option<Vec<u64>> {
    if !fits(elems, endings) {
        return None;
    }
    let all = sequences::<Print>(elems, endings).into_iter();
    Some(all.filter(|one| *one != Print::default()).map(|one| one.sum).collect())
}

/// A number that is the same for the same sequence, and hardly ever for another one.
#[must_use]
pub fn print_of(sequence: &[Atom]) -> u64 {
    let mut print = Print::default();
    sequence.iter().for_each(|atom| print.push(atom));
    print.sum
}

/// What is made of a plain sequence.
trait Sequence: Default + Clone + PartialEq {
    fn push(&mut self, atom: &Atom);
    fn then(&self, tail: &Self) -> Self;
}

impl Sequence for Vec<Atom> {
    fn push(&mut self, atom: &Atom) {
        Vec::push(self, atom.clone());
    }

    fn then(&self, tail: &Self) -> Self {
        [self.as_slice(), tail].concat()
    }
}

/// A polynomial of the hashes of a sequence.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Print {
    sum: u64,
    /// What the sum is multiplied by where the sequence stands behind.
    power: u64,
}

impl Default for Print {
    fn default() -> Self {
        Self { sum: 0, power: 1 }
    }
}

impl Sequence for Print {
    fn push(&mut self, atom: &Atom) {
        const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
        *self = self.then(&Self { sum: Hashes::default().hash_one(atom), power: BASE });
    }

    fn then(&self, tail: &Self) -> Self {
        Self {
            sum: self.sum.wrapping_mul(tail.power).wrapping_add(tail.sum),
            power: self.power.wrapping_mul(tail.power),
        }
    }
}

fn sequences<S: Sequence>(elems: &[Elem], endings: &[EndingSet]) -> Vec<S> {
    let mut all = vec![S::default()];
    for elem in elems {
        match elem {
            Elem::Word(word) => push(&mut all, &Atom::Word(word.into())),
            Elem::Slot(Slot::Part(part)) => push(&mut all, &Atom::Part(*part)),
            Elem::Slot(Slot::Signal(signal)) => push(&mut all, &Atom::Signal(*signal)),
            Elem::Stem { stem, endings: set } => {
                let full = |ending: &String| {
                    let mut one = S::default();
                    one.push(&Atom::Word(joined(stem, ending)));
                    one
                };
                all = crossed(all, endings[*set].endings.iter().map(full).collect());
            }
            Elem::Choice { optional, of } => {
                let mut next: Vec<S> = of.iter().flat_map(|sequence| sequences(sequence, endings)).collect();
                if *optional {
                    next.push(S::default());
                }
                all = crossed(all, next);
            }
        }
    }
    all
}

fn push<S: Sequence>(all: &mut [S], atom: &Atom) {
    all.iter_mut().for_each(|sequence| sequence.push(atom));
}

/// A stem with an ending, folded.
fn joined(stem: &str, ending: &str) -> SmolStr {
    if is_folded(stem) && is_folded(ending) {
        return [stem, ending].into_iter().collect();
    }
    fold_word(&[stem, ending].concat()).into()
}

/// Each head with each tail.
fn crossed<S: Sequence>(heads: Vec<S>, tails: Vec<S>) -> Vec<S> {
    if *heads == [S::default()] {
        return tails;
    }
    heads.iter().flat_map(|head| tails.iter().map(|tail| head.then(tail))).collect()
}
