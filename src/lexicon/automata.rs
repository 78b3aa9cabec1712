//! Automata of words that were built once and serve again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use aho_corasick::StartKind;
use aho_corasick::dfa::DFA;
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::nfa::noncontiguous;

use super::pattern::{Pattern, PatternError};

/// Up to so many sequences the automaton of the literals is the kind that takes most memory and least time.
const FEW_LITERALS: usize = 1_000;

/// How many automata are remembered: those of the packs of a workspace, and of some of their versions.
const MOST: usize = 64;

/// How many patterns are.
const MOST_PATTERNS: usize = 4_096;

/// The automaton of all literals.
#[derive(Debug)]
pub(super) enum Words {
    /// One step a byte; large.
    Few(DFA),
    /// Small enough for any lexicon.
    Many(NFA),
    /// Soonest built.
    Plain(Sorted),
}

/// Sequences of whole words in the order of their letters, and an automaton of all else, which are pieces of patterns.
#[derive(Debug)]
pub(super) struct Sorted {
    literals: Arc<[String]>,
    order: Vec<u32>,
    pub pieces: Option<noncontiguous::NFA>,
    /// The literals that are pieces, in the order in which the automaton has them.
    pub piece: Vec<u32>,
}

impl Sorted {
    fn new(literals: &Arc<[String]>) -> Result<Self, String> {
        let all = 0..u32::try_from(literals.len()).map_err(|error| error.to_string())?;
        let text = |at: &u32| literals[*at as usize].as_str();
        let (mut order, piece): (Vec<u32>, Vec<u32>) =
            all.partition(|at| text(at).len() > 1 && text(at).starts_with(' ') && text(at).ends_with(' '));
        order.sort_unstable_by(|a, b| text(a).cmp(text(b)));
        let pieces = (!piece.is_empty()).then(|| noncontiguous::NFA::new(piece.iter().map(text)));
        let pieces = pieces.transpose().map_err(|error| error.to_string())?;
        Ok(Self { literals: Arc::clone(literals), order, pieces, piece })
    }

    /// The sequences of words that a text begins with, of which `word` is the first word, in spaces.
    pub fn beginning<'s>(&'s self, text: &'s str, word: &'s str) -> impl Iterator<Item = usize> + 's {
        let literal = |at: &u32| self.literals[*at as usize].as_str();
        let from = self.order.partition_point(|at| literal(at) < word);
        let begin = self.order[from..].iter().take_while(move |at| literal(at).starts_with(word));
        begin.filter(move |at| text.starts_with(literal(at))).map(|at| *at as usize)
    }
}

impl Words {
    fn new(literals: &Arc<[String]>, plain: bool) -> Result<Self, String> {
        if plain {
            return Sorted::new(literals).map(Words::Plain);
        }
        let built = match literals.len() {
            0..=FEW_LITERALS => DFA::builder().start_kind(StartKind::Unanchored).build(&**literals).map(Words::Few),
            _ => NFA::new(&**literals).map(Words::Many),
        };
        built.map_err(|error| error.to_string())
    }
}

type Built = OnceLock<Result<Arc<Words>, String>>;

/// An automaton that may be built already, and the words that it finds.
type Known = (Arc<[String]>, Arc<Built>);

/// Automata of words by the words they find, and patterns. Packs that have the same words, and the same pack loaded again, share one:
/// building it is most of what compiling a lexicon costs. What comes of it is the same as without. Clones share what they remember.
#[derive(Debug, Clone, Default)]
pub struct Automata {
    plain: bool,
    known: Arc<Mutex<Vec<Known>>>,
    patterns: Arc<Mutex<HashMap<String, Arc<Pattern>>>>,
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

    /// The pattern that is written so.
    pub(super) fn pattern(&self, written: &str) -> Result<Arc<Pattern>, PatternError> {
        let known = || self.patterns.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pattern) = known().get(written) {
            return Ok(Arc::clone(pattern));
        }
        let new = Arc::new(Pattern::new(written)?);
        let mut known = known();
        if known.len() == MOST_PATTERNS {
            known.clear();
        }
        Ok(Arc::clone(known.entry(written.to_owned()).or_insert(new)))
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
        let pattern = |written: &str| automata.pattern(written).expect("a pattern");
        assert!(Arc::ptr_eq(&pattern("a+"), &pattern("a+")) && !Arc::ptr_eq(&pattern("a+"), &pattern("aa*")));
        assert_eq!(automata.pattern("(").err(), Pattern::new("(").err());
        for n in 0..=MOST {
            of(&[&n.to_string()]);
        }
        assert!(!Arc::ptr_eq(&first, &of(&[" a ", " b "])), "the oldest ones are forgotten");
        assert_eq!(automata.known.lock().expect("nobody panicked").len(), MOST);
    }
}
