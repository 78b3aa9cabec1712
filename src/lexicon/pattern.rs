//! Patterns: regular expressions over folded text. Checked when compiled, built on first use.

use std::ops::Range;
use std::sync::OnceLock;

use icu_normalizer::ComposingNormalizerBorrowed;
use regex::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Capture, Class, Hir, HirKind, Look};

use super::fold::{may_stand_in_token, quick};
use super::normalise::fold_word;
use crate::diag::Code;

/// The longest pattern, in bytes.
pub const MAX_PATTERN: usize = 2_048;

/// How large a pattern may get: its characters and character ranges, each counted as often as repetitions repeat it.
pub const MAX_PATTERN_SIZE: usize = 20_000;

/// How often one pattern is looked for in one text; later matches are not seen.
pub const MAX_PATTERN_MATCHES: usize = 256;

/// How many literals may stand in for one part of a pattern as its prefilter.
const MAX_REQUIRED: usize = 32;

/// How many parts of one pattern are looked for before it is tried.
const MAX_PARTS: usize = 2;

/// A part beside the most telling one is looked for when its literals are at least so many characters long: shorter ones
/// stand in nearly every text.
const TELLING: usize = 3;

/// What is wrong with a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError {
    /// Which kind of finding it is.
    pub code: Code,
    /// The text at fault, in bytes within the pattern; `None` = all of it.
    pub at: Option<Range<usize>>,
    /// A lower-case sentence.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

fn error<T>(message: impl Into<String>, help: &str) -> Result<T, PatternError> {
    fault(Code::BadPattern, message, help)
}

fn fault<T>(code: Code, message: impl Into<String>, help: &str) -> Result<T, PatternError> {
    Err(PatternError { code, at: None, message: message.into(), help: Some(help.to_owned()) })
}

/// Whether a pattern can be used: what is wrong with it, else.
///
/// # Errors
/// It cannot be read, is too large, can match nothing, or asks for what folded text never holds.
pub fn check_pattern(pattern: &str) -> Result<(), PatternError> {
    Pattern::new(pattern).map(|_| ())
}

/// A checked pattern.
#[derive(Debug)]
pub struct Pattern {
    written: Box<str>,
    source: String,
    regex: OnceLock<Regex>,
    /// Of each of these sets of literals one stands in every match; empty if nothing is known to. At most [`MAX_PARTS`].
    pub(super) required: Vec<Vec<String>>,
}

impl Pattern {
    /// Checks a pattern. It may begin and end with `\b`, which changes nothing: it matches whole tokens only.
    pub(super) fn new(pattern: &str) -> Result<Self, PatternError> {
        if pattern.len() > MAX_PATTERN {
            let message = format!("the pattern is longer than {MAX_PATTERN} bytes");
            return fault(Code::TooLarge, message, "split it into several rules");
        }
        if pattern.starts_with(' ') || pattern.ends_with(' ') {
            return error("the pattern begins or ends with a space", "leave it out: a pattern matches whole words");
        }
        let composed = ComposingNormalizerBorrowed::new_nfc().normalize(pattern);
        let hir = match read(&composed) {
            Ok(hir) => hir,
            Err(found) => return unreadable(&found, composed == pattern),
        };
        if let Some(look) = hir.properties().look_set().iter().next() {
            return error(
                format!("`{}` inside a pattern", look_name(look)),
                match look {
                    Look::Start | Look::StartLF | Look::StartCRLF => {
                        "a pattern matches whole words; for the beginning of the text set `starts`"
                    }
                    Look::End | Look::EndLF | Look::EndCRLF => {
                        "a pattern matches whole words; for the whole text set `whole`"
                    }
                    _ => "a pattern begins and ends at word boundaries by itself; between words write one space",
                },
            );
        }
        let size = size(&hir);
        if size > MAX_PATTERN_SIZE {
            let help = "repeat less, or write `[а-я]` instead of a large class";
            return fault(Code::TooLarge, "the pattern is too large", help);
        }
        check_literals(&hir)?;
        if hir.properties().minimum_len().is_none_or(|length| length == 0) {
            let help = "make a part of it mandatory";
            return fault(Code::MatchesNothing, "the pattern can match nothing at all", help);
        }
        let required = required(&hir);
        Ok(Pattern { written: pattern.into(), source: format!(" (?:{hir}) "), regex: OnceLock::new(), required })
    }

    fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| {
            let mut builder = RegexBuilder::new(&self.source);
            builder.size_limit(usize::MAX).build().expect("a checked pattern without a size limit can be built")
        })
    }

    /// Calls `hit` with the start of the first token and the end of the last token of each match, leftmost first, without
    /// overlap, in bytes of `padded`, which begins and ends with a space.
    pub(super) fn find(&self, padded: &str, mut hit: impl FnMut(usize, usize)) {
        let regex = self.regex();
        let mut from = 0;
        for _ in 0..MAX_PATTERN_MATCHES {
            let Some(found) = regex.find_at(padded, from) else { return };
            hit(found.start() + 1, found.end() - 1);
            // The space after this match may be the space before the next one.
            from = found.end() - 1;
        }
    }

    /// The pattern as it is written.
    #[must_use]
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Whether it has to be tried on every text, because no word or sign must stand in what it matches.
    #[must_use]
    pub fn is_always_tried(&self) -> bool {
        self.required.is_empty()
    }

    /// Whether it takes any single word there is, whatever its letters and digits.
    #[must_use]
    pub fn takes_any_word(&self) -> bool {
        const WORDS: [&str; 8] = [" а ", " я ", " q ", " z ", " 7 ", " слово ", " word ", " 2020 "];
        let takes = |word: &str| {
            let mut whole = false;
            self.find(word, |from, to| whole |= (from, to) == (1, word.len() - 1));
            whole
        };
        // Where something must stand that is not in one of the words, that one is not taken: there is nothing to try.
        let may =
            |word: &str| self.required.iter().all(|set| set.iter().any(|literal| word.contains(literal.as_str())));
        WORDS.iter().all(|word| may(word)) && WORDS.iter().all(|word| takes(word))
    }
}

/// What the parser says. `same`: places in what it has read are places in the pattern.
/// What a pattern matches between the spaces around it, without the boundaries at its edges; nothing for one that
/// [`check_pattern`] refuses.
pub(crate) fn pattern_hir(pattern: &str) -> Option<Hir> {
    read(&ComposingNormalizerBorrowed::new_nfc().normalize(pattern)).ok()
}

fn read(composed: &str) -> Result<Hir, Box<regex_syntax::Error>> {
    let hir = ParserBuilder::new().nest_limit(64).build().parse(composed).map_err(Box::new)?;
    Ok(without_edge(without_edge(hir, true), false))
}

fn unreadable<T>(found: &regex_syntax::Error, same: bool) -> Result<T, PatternError> {
    let (kind, span) = match found {
        regex_syntax::Error::Parse(found) => (found.kind().to_string(), Some(found.span())),
        regex_syntax::Error::Translate(found) => (found.kind().to_string(), Some(found.span())),
        other => (other.to_string(), None),
    };
    let at = span.filter(|_| same).map(|span| span.start.offset..span.end.offset);
    let help = "write a regular expression; a sign that stands for itself has a `\\` before it".to_owned();
    let message = format!("the pattern cannot be read: {kind}");
    Err(PatternError { code: Code::BadPattern, at, message, help: Some(help) })
}

fn look_name(look: Look) -> &'static str {
    match look {
        Look::Start | Look::StartLF | Look::StartCRLF => "^",
        Look::End | Look::EndLF | Look::EndCRLF => "$",
        Look::WordAsciiNegate | Look::WordUnicodeNegate => "\\B",
        _ => "\\b",
    }
}

/// The pattern without the word boundaries at one edge.
fn without_edge(hir: Hir, left: bool) -> Hir {
    match hir.into_kind() {
        HirKind::Look(Look::WordUnicode | Look::WordAscii) => Hir::empty(),
        HirKind::Look(Look::WordStartUnicode | Look::WordStartAscii) if left => Hir::empty(),
        HirKind::Look(Look::WordEndUnicode | Look::WordEndAscii) if !left => Hir::empty(),
        HirKind::Concat(mut subs) => {
            let edge = if left { Some(subs.remove(0)) } else { subs.pop() };
            let edge = edge.map_or_else(Hir::empty, |edge| without_edge(edge, left));
            let gone = matches!(edge.kind(), HirKind::Empty);
            subs.insert(if left { 0 } else { subs.len() }, edge);
            let rest = Hir::concat(subs);
            if gone && matches!(rest.kind(), HirKind::Concat(_) | HirKind::Look(_)) {
                without_edge(rest, left)
            } else {
                rest
            }
        }
        HirKind::Alternation(subs) => Hir::alternation(subs.into_iter().map(|sub| without_edge(sub, left)).collect()),
        HirKind::Capture(capture) => {
            Hir::capture(Capture { sub: Box::new(without_edge(*capture.sub, left)), ..capture })
        }
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(class) => Hir::class(class),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Repetition(repetition) => Hir::repetition(repetition),
    }
}

fn size(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(Class::Unicode(class)) => class.ranges().len().max(1),
        HirKind::Class(Class::Bytes(class)) => class.ranges().len().max(1),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1) as usize;
            size(&repetition.sub).saturating_mul(times)
        }
        HirKind::Capture(capture) => size(&capture.sub).saturating_add(1),
        HirKind::Concat(subs) | HirKind::Alternation(subs) => {
            subs.iter().fold(1, |sum, sub| sum.saturating_add(size(sub)))
        }
    }
}

/// Refuses characters that folded text never holds.
fn check_literals(hir: &Hir) -> Result<(), PatternError> {
    const FOLDED: &str = "patterns are matched against folded text: lower case, е instead of ё, `-` for every dash";
    match hir.kind() {
        HirKind::Literal(literal) => {
            let text = String::from_utf8_lossy(&literal.0);
            for c in text.chars().filter(|c| quick(*c) != Some(*c)) {
                let folded = fold_word(c.encode_utf8(&mut [0; 4]));
                if !folded.chars().eq([c]) {
                    let help =
                        if folded.is_empty() { FOLDED.to_owned() } else { format!("{FOLDED}; write `{folded}`") };
                    return error(format!("`{c}` never stands in the text that patterns see"), &help);
                }
                if c != ' ' && !may_stand_in_token(c) {
                    let help = "punctuation vanishes from folded text; the end of a sentence is ` .`";
                    return error(format!("`{c}` never stands in the text that patterns see"), help);
                }
            }
            if text.contains("  ") || text.contains(", ") || text.contains(": ") {
                let help = "words are separated by one space; punctuation after a word vanishes";
                return error(format!("`{text}` never stands in the text that patterns see"), help);
            }
            Ok(())
        }
        HirKind::Class(Class::Unicode(class)) => {
            let mut chars = class.ranges().iter().flat_map(|range| range.start()..=range.end()).take(512).peekable();
            let empty = chars.peek().is_none();
            let folds = |c: char| quick(c) == Some(c) || fold_word(c.encode_utf8(&mut [0; 4])).chars().eq([c]);
            if !empty && !chars.any(folds) {
                return error("none of the characters of a class stands in the text that patterns see", FOLDED);
            }
            Ok(())
        }
        HirKind::Repetition(repetition) => check_literals(&repetition.sub),
        HirKind::Capture(capture) => check_literals(&capture.sub),
        HirKind::Concat(subs) | HirKind::Alternation(subs) => subs.iter().try_for_each(check_literals),
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(Class::Bytes(_)) => Ok(()),
    }
}

/// Sets of literals, of each of which one stands in every match, the most telling set first.
fn required(hir: &Hir) -> Vec<Vec<String>> {
    match hir.kind() {
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) if !text.trim().is_empty() => vec![vec![text.to_owned()]],
            _ => Vec::new(),
        },
        HirKind::Class(Class::Unicode(class)) => {
            let chars: Vec<char> =
                class.ranges().iter().flat_map(|range| range.start()..=range.end()).take(5).collect();
            let few = (1..5).contains(&chars.len()) && !chars.contains(&' ');
            if few { vec![chars.iter().map(char::to_string).collect()] } else { Vec::new() }
        }
        HirKind::Repetition(repetition) if repetition.min > 0 => required(&repetition.sub),
        HirKind::Capture(capture) => required(&capture.sub),
        HirKind::Concat(subs) => {
            let shortest = |set: &Vec<String>| set.iter().map(|text| text.chars().count()).min().unwrap_or(0);
            let mut sets: Vec<Vec<String>> = subs.iter().flat_map(required).collect();
            sets.sort_by_key(|set| (std::cmp::Reverse(shortest(set)), set.len()));
            let telling = sets.iter().take(MAX_PARTS).filter(|set| shortest(set) >= TELLING).count();
            sets.truncate(telling.max(1));
            sets
        }
        HirKind::Alternation(subs) => {
            let best: Option<Vec<Vec<String>>> = subs.iter().map(|sub| required(sub).into_iter().next()).collect();
            let all = best.unwrap_or_default().concat();
            if (1..=MAX_REQUIRED).contains(&all.len()) { vec![all] } else { Vec::new() }
        }
        _ => Vec::new(),
    }
}
