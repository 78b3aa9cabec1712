//! The lexicon at work: normalising texts, reading phrases, recognising signals and matching triggers in one pass.

mod automata;
mod compile;
mod expand;
mod fold;
mod matcher;
mod meaning;
mod normalise;
mod pattern;
mod phrase;
mod scan;
mod shape;
#[cfg(test)]
mod tests;

pub use automata::Automata;
pub use compile::{CompileError, MAX_LITERALS, MAX_SLOTS, Place};
pub(crate) use compile::{fill, template_parts};
pub use expand::{Atom, MAX_VARIANTS, expand, fits, may_be_empty, print_of, prints};
pub(crate) use fold::{Kind, kind};
pub use matcher::{Fired, Matcher, Occurrence, Recognised, Scan};
pub use meaning::{Meaning, PartialPiece, Resolved, meaning, resolve, shown};
pub use normalise::{MAX_TEXT, Normalised, SENTENCE, Token, fold_text, fold_word};
pub(crate) use pattern::pattern_hir;
pub use pattern::{MAX_PATTERN, MAX_PATTERN_MATCHES, MAX_PATTERN_SIZE, Pattern, PatternError, check_pattern};
pub use phrase::{MAX_NESTING, MIN_STEM, PhraseError, parse_forms, parse_phrase};
pub use scan::Scratch;
pub use shape::MAX_SEARCH;
