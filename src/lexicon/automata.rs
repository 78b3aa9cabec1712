//! Automata of words that were built once and serve again.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use aho_corasick::StartKind;
use aho_corasick::dfa::DFA;
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::nfa::noncontiguous;

/// Up to so many sequences the automaton of the literals is the kind that takes most memory and least time.
const FEW_LITERALS: usize = 1_000;

/// How many automata are remembered: those of the packs of a workspace, and of some of their versions.
const MOST: usize = 64;

/// The automaton of all literals.
#[derive(Debug)]
pub(super) enum Words {
    /// One step a byte; large.
    Few(DFA),
    /// Small enough for any lexicon.
    Many(NFA),
    /// What the others are made of: soonest built.
    Plain(noncontiguous::NFA),
}

impl Words {
    fn new(literals: &[String], plain: bool) -> Result<Self, String> {
        let built = match literals.len() {
            _ if plain => noncontiguous::NFA::new(literals).map(Words::Plain),
            0..=FEW_LITERALS => DFA::builder().start_kind(StartKind::Unanchored).build(literals).map(Words::Few),
            _ => NFA::new(literals).map(Words::Many),
        };
        built.map_err(|error| error.to_string())
    }
}

type Built = OnceLock<Result<Arc<Words>, String>>;

/// An automaton that may be built already, and the words that it finds.
type Known = (Arc<[String]>, Arc<Built>);

/// Automata of words by the words they find. Packs that have the same words, and the same pack loaded again, share one: building it
/// is most of what compiling a lexicon costs. What comes of it is the same as without. Clones share what they remember.
#[derive(Debug, Clone, Default)]
pub struct Automata {
    plain: bool,
    known: Arc<Mutex<Vec<Known>>>,
}

impl Automata {
    /// For who looks at a pack and is done with it: they are built sooner, and search more slowly.
    #[must_use]
    pub fn plain() -> Self {
        Self { plain: true, ..Self::default() }
    }

    /// The automaton that finds these, which are different from each other.
    pub(super) fn of(&self, literals: Vec<String>) -> Result<Arc<Words>, String> {
        let (literals, built) = self.place_of(literals);
        built.get_or_init(|| Words::new(&literals, self.plain).map(Arc::new)).clone()
    }

    /// Where the automaton is, or is to be. Whoever comes second waits for it without holding up the others.
    fn place_of(&self, literals: Vec<String>) -> Known {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, built)) = known.iter().find(|(of, _)| **of == *literals) {
            return (Arc::clone(of), Arc::clone(built));
        }
        if known.len() == MOST {
            known.remove(0);
        }
        let new: Known = (literals.into(), Arc::default());
        known.push(new.clone());
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_share_an_automaton() {
        let automata = Automata::default();
        let of =
            |words: &[&str]| automata.of(words.iter().map(|word| (*word).to_owned()).collect()).expect("few words");
        let (first, again, other) = (of(&[" a ", " b "]), of(&[" a ", " b "]), of(&[" b ", " a "]));
        assert!(Arc::ptr_eq(&first, &again) && !Arc::ptr_eq(&first, &other), "the order counts as well");
        for n in 0..=MOST {
            of(&[&n.to_string()]);
        }
        assert!(!Arc::ptr_eq(&first, &of(&[" a ", " b "])), "the oldest ones are forgotten");
        assert_eq!(automata.known.lock().expect("nobody panicked").len(), MOST);
    }
}
