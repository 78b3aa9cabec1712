//! Expansion: a phrase as the plain sequences of words and slots that it stands for.

use std::collections::BTreeSet;

use crate::model::lexicon::{Elem, EndingSet, Slot};

use super::normalise::fold_word;

/// How many plain sequences one phrase may stand for, endings included.
pub const MAX_VARIANTS: usize = 4_096;

/// One element of an expanded phrase.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Atom {
    /// One folded token.
    Word(String),
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

/// The plain sequences of a phrase, each once, in the order written; an option is first taken, then left out. Empty ones
/// are left out. `None` when there are more than [`MAX_VARIANTS`] or an ending set is missing.
#[must_use]
pub fn expand(elems: &[Elem], endings: &[EndingSet]) -> Option<Vec<Vec<Atom>>> {
    if variants(elems, |set| endings.get(set).map_or(usize::MAX, |set| set.endings.len())) > MAX_VARIANTS {
        return None;
    }
    let mut seen = BTreeSet::new();
    let mut all = sequences(elems, endings);
    all.retain(|sequence| !sequence.is_empty() && seen.insert(sequence.clone()));
    Some(all)
}

fn sequences(elems: &[Elem], endings: &[EndingSet]) -> Vec<Vec<Atom>> {
    let mut all = vec![Vec::new()];
    for elem in elems {
        let next: Vec<Vec<Atom>> = match elem {
            Elem::Word(word) => vec![vec![Atom::Word(word.clone())]],
            Elem::Slot(Slot::Part(part)) => vec![vec![Atom::Part(*part)]],
            Elem::Slot(Slot::Signal(signal)) => vec![vec![Atom::Signal(*signal)]],
            Elem::Stem { stem, endings: set } => {
                let full = |ending: &String| vec![Atom::Word(fold_word(&format!("{stem}{ending}")))];
                endings[*set].endings.iter().map(full).collect()
            }
            Elem::Choice { optional, of } => {
                let mut next: Vec<_> = of.iter().flat_map(|sequence| sequences(sequence, endings)).collect();
                if *optional {
                    next.push(Vec::new());
                }
                next
            }
        };
        all = all.iter().flat_map(|head| next.iter().map(|tail| head.iter().chain(tail).cloned().collect())).collect();
    }
    all
}
