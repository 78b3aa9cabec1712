//! Checking what is sound of a pack that has mistakes: one mistake does not hide the others, and none is made up.

use crate::check::check;
use crate::declare::{Documents, LeftOut, Rest as Sound};
use crate::diag::{Aspect, Code, Diagnostic, Diagnostics};
use crate::jobs::in_turn;
use crate::lexicon::Automata;
use crate::registry::Registry;
use crate::source::SourceMap;

use super::compiled;

/// How often something more is taken out before the rest is given up.
const ROUNDS: usize = 12;

/// Sections that decide what is heard in a text.
const WORDS: &[&str] = &["lexicon", "part", "ending", "signal", "command", "table", "enum", "derive", "file"];

/// What is sound of a pack. It is there to be checked, not to be run.
#[derive(Debug)]
pub struct Rest {
    /// The sound declarations, compiled.
    pub registry: Registry,
    /// What is not in it.
    pub left_out: LeftOut,
}

/// Takes what is wrong out of a pack until the rest is sound, and checks that. What is found in it is reported as far as it is
/// so in the whole pack. Where slips of the pack are put right nothing else need be wrong with it.
pub(super) fn rest(
    documents: &Documents,
    automata: &Automata,
    diagnostics: &Diagnostics,
    mended: bool,
) -> Option<Rest> {
    let mut sound = Sound::of(documents);
    let mut errors: Vec<Diagnostic> = diagnostics.clone().into_iter().collect();
    let sure = mended && !diagnostics.has_errors();
    for round in 0..ROUNDS {
        if !(sound.leave_out(&errors) || sure && round == 0) {
            return None;
        }
        let (found, pack) = sound.declared();
        errors = found;
        let Some(pack) = pack else { continue };
        let left_out = sound.left_out();
        let out = Diagnostics::new();
        let matcher = check(&pack, automata, &in_turn, &out);
        let registry = if out.has_errors() { None } else { compiled(pack, matcher, Vec::new(), &out) };
        errors = out.into_sorted();
        diagnostics.extend(errors.iter().filter(|found| left_out.admits(found, &documents.sources)).cloned());
        if let Some(registry) = registry {
            return Some(Rest { registry, left_out });
        }
    }
    None
}

/// A pack of which nothing is wrong but a pack that it uses.
pub(super) fn alone(registry: Registry, documents: &Documents) -> Rest {
    Rest { registry, left_out: LeftOut::of_used(documents) }
}

impl LeftOut {
    /// Whether a finding in the rest of a pack is one in the whole pack, whatever stands in what was taken out.
    #[must_use]
    pub fn admits(&self, found: &Diagnostic, sources: &SourceMap) -> bool {
        let has = |section: &str| self.sections.contains(section);
        let says = |word: &str| self.words.contains(word);
        let named = || sources.slice(found.primary.span).trim_matches(['"', '\'']);
        self.is_placed(found, sources)
            && match found.code {
                // Of one class.
                Code::NotOwner
                | Code::IdleTouches
                | Code::Contradiction
                | Code::MatchesEverything
                | Code::NoRequiredLiteral
                | Code::BadPattern
                | Code::BadPhrase
                | Code::TooLarge
                | Code::MatchesNothing
                | Code::PathAsText
                | Code::NearKeyword => true,
                Code::PreserveLost | Code::NotCarried | Code::OutsideCarryover => {
                    !has("pack.decide") && !has("carryover") && !has("file")
                }
                Code::IdleUnmet | Code::NeverHolds | Code::ReasonWithoutAnswer => self.keeps_meaning(),
                // What an invariant says of the state may be what makes it sure; what is kept comes from other classes.
                Code::NotPresent => {
                    let kept = found.message.contains("kept") || named().contains("kept");
                    !["invariant", "file", "carryover", "pack.decide"].into_iter().any(has) && !kept
                }
                Code::EndlessCalls => self.keeps_meaning() && !says("outcome") && !says("failed"),
                // Words that are not known any more may be what a text is heard as instead.
                Code::ExampleNotMatched | Code::CounterexampleMatched => !WORDS.iter().any(|section| has(section)),
                Code::LookupWithoutRow => !has("table") && !has("file"),
                // What names one may be what was taken out, and what refers to one may be another one that is wrong.
                Code::UnusedVocabulary if found.aspect == Aspect::Contract => false,
                Code::UnusedVocabulary
                | Code::UnusedParameter
                | Code::UnusedField
                | Code::NeverRead
                | Code::NeverWritten
                | Code::NeverOpened
                | Code::NeverClosedAs
                | Code::UnusedLexicon => {
                    let used = match named() {
                        "filler" => says("whole") || says("starts"),
                        "command" => says("command"),
                        name => says(name),
                    };
                    !(used || self.any_use || (self.any_name && has("file")))
                }
                Code::IdleWhileOpen => !has("frame") && !has("file") && !self.any_use,
                Code::UnhandledOutcome => {
                    let port = found.secondary.first().map_or("", |label| sources.slice(label.span));
                    !says(port) && !says("outcome") && !says("boundary") && !has("file")
                }
                // Which pairs are looked at has been decided by what was taken out.
                Code::Overlap | Code::OverlapUnknown => true,
                // Whether a link of precedence is needed hangs on all classes that it orders, and on those between.
                _ => false,
            }
    }
}
