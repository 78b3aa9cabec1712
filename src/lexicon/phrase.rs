//! Phrases: the notation in which forms and triggers are written, and its parser.

use std::ops::Range;

use crate::model::lexicon::{Elem, Slot};

use super::expand::{MAX_VARIANTS, may_be_empty, variants};
use super::fold::{Kind, kind};
use super::normalise::{SENTENCE, Token, tokenise};
use crate::diag::Code;

/// How deep brackets may nest.
pub const MAX_NESTING: usize = 6;

/// How many letters the stem of `stem~endings` has at least.
pub const MIN_STEM: usize = 4;

/// What is wrong with a phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhraseError {
    /// Which kind of finding it is.
    pub code: Code,
    /// The text at fault, in bytes within the phrase.
    pub at: Range<usize>,
    /// A lower-case sentence.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

/// Reads one phrase.
///
/// Words; `{name}` a slot; `[a|b]` may be left out; `(a|b)` one of them; `stem~set` a stem of at least [`MIN_STEM`]
/// letters with one ending of a named set. Alternatives are sequences; brackets nest up to [`MAX_NESTING`] deep. Words are
/// folded and punctuation vanishes as in a text, also in brackets (`помнишь[,] о чем`); at the edges of the phrase the end
/// of a sentence vanishes too, and inside it may, but need not, stand in the text (`ул. ленина`).
///
/// `resolve_slot` and `endings` look names up.
///
/// # Errors
/// With its place in the phrase: a name nobody knows, a bracket
/// without its partner, an alternative without words, a phrase that is empty or may match nothing, one that stands for
/// more than [`MAX_VARIANTS`] plain sequences (endings counted as one; [`super::Matcher::compile`] counts them all).
pub fn parse_phrase(
    text: &str,
    resolve_slot: impl Fn(&str) -> Option<Slot>,
    endings: impl Fn(&str) -> Option<usize>,
) -> Result<Vec<Elem>, PhraseError> {
    let mut parser = Parser { text, pos: 0, resolve_slot: &resolve_slot, endings: &endings };
    let (mut elems, _) = parser.sequence(None, 0)?;
    while elems.last().is_some_and(is_sentence_mark) {
        elems.pop();
    }
    let words = elems.iter().position(|elem| !is_sentence_mark(elem)).unwrap_or(elems.len());
    elems.drain(..words);
    if elems.is_empty() {
        return Err(error(0..text.len(), "the phrase has no words", Some("write the words that are to be heard")));
    }
    if may_be_empty(&elems) {
        let help = "keep at least one word outside of `[ ]`";
        let found = error(0..text.len(), "every word of the phrase may be left out", Some(help));
        return Err(PhraseError { code: Code::MatchesNothing, ..found });
    }
    if variants(&elems, |_| 1) > MAX_VARIANTS {
        let message = format!("too many variants: the phrase stands for more than {MAX_VARIANTS} sequences of words");
        let found = error(0..text.len(), message, Some("split it into several phrases"));
        return Err(PhraseError { code: Code::TooLarge, ..found });
    }
    Ok(elems)
}

/// Reads the forms of one value, a list of phrases.
///
/// # Errors
/// Those of [`parse_phrase`], all of them, each with the index of its phrase.
pub fn parse_forms<'t>(
    texts: impl IntoIterator<Item = &'t str>,
    resolve_slot: impl Fn(&str) -> Option<Slot>,
    endings: impl Fn(&str) -> Option<usize>,
) -> Result<Vec<Vec<Elem>>, Vec<(usize, PhraseError)>> {
    let mut forms = Vec::new();
    let mut errors = Vec::new();
    for (index, text) in texts.into_iter().enumerate() {
        match parse_phrase(text, &resolve_slot, &endings) {
            Ok(form) => forms.push(form),
            Err(error) => errors.push((index, error)),
        }
    }
    if errors.is_empty() { Ok(forms) } else { Err(errors) }
}

fn error(at: Range<usize>, message: impl Into<String>, help: Option<&str>) -> PhraseError {
    PhraseError { code: Code::BadPhrase, at, message: message.into(), help: help.map(str::to_owned) }
}

/// The end of a sentence inside a phrase: it may stand in the text.
fn sentence_mark() -> Elem {
    Elem::Choice { optional: true, of: vec![vec![Elem::Word(SENTENCE.to_owned())]] }
}

fn is_sentence_mark(elem: &Elem) -> bool {
    matches!(elem, Elem::Choice { optional: true, of } if matches!(of.as_slice(), [only]
        if matches!(only.as_slice(), [Elem::Word(word)] if word == SENTENCE)))
}

struct Parser<'p, S, E> {
    text: &'p str,
    pos: usize,
    resolve_slot: &'p S,
    endings: &'p E,
}

impl<S: Fn(&str) -> Option<Slot>, E: Fn(&str) -> Option<usize>> Parser<'_, S, E> {
    fn peek(&self) -> Option<char> {
        self.text[self.pos..].chars().next()
    }

    fn touches_word_before(&self, at: usize) -> bool {
        self.text[..at].chars().next_back().is_some_and(|c| matches!(kind(c), Kind::Word | Kind::Mark))
    }

    fn touches_word_after(&self, at: usize) -> bool {
        self.text[at..].chars().next().is_some_and(|c| kind(c) == Kind::Word)
    }

    /// Elements up to the end of the alternative, and whether there was any text at all. `opened`: where the bracket
    /// around it stands and what closes it.
    fn sequence(&mut self, opened: Option<(usize, char)>, depth: usize) -> Result<(Vec<Elem>, bool), PhraseError> {
        let mut elems = Vec::new();
        let mut any = false;
        while let Some(c) = self.peek() {
            let here = self.pos..self.pos + c.len_utf8();
            match c {
                '{' => elems.push(self.slot()?),
                '[' | '(' => elems.extend(self.choice(depth)?),
                '|' if opened.is_some() => return Ok((elems, any)),
                '|' => {
                    let help = Some("write the alternatives in brackets: `(one|other)`");
                    return Err(error(here, "`|` stands outside of brackets", help));
                }
                ']' | ')' | '}' => match opened {
                    Some((_, closer)) if closer == c => return Ok((elems, any)),
                    Some((from, closer)) if c != '}' => {
                        let message = format!("`{c}` where `{closer}` is expected");
                        return Err(error(
                            from..here.end,
                            message,
                            Some("close brackets in the order in which they were opened"),
                        ));
                    }
                    _ => {
                        return Err(error(
                            here,
                            format!("`{c}` closes nothing"),
                            Some("take it out, or open a bracket before it"),
                        ));
                    }
                },
                '~' => {
                    let help = Some("write `~` directly after the stem: `stem~endings`");
                    return Err(error(here, "`~` without a stem before it", help));
                }
                '*' | '\\' => {
                    let help = if c == '*' { "for endings write `stem~endings`" } else { "use a pattern instead" };
                    return Err(error(here, format!("`{c}` means nothing in a phrase"), Some(help)));
                }
                _ => {
                    any |= !self.words(&mut elems)?;
                    continue;
                }
            }
            any = true;
        }
        match opened {
            Some((from, closer)) => {
                Err(error(from..self.text.len(), "the bracket is not closed", Some(&format!("add `{closer}`"))))
            }
            None => Ok((elems, any)),
        }
    }

    /// `{name}`.
    fn slot(&mut self) -> Result<Elem, PhraseError> {
        let start = self.pos;
        let Some(length) = self.text[start..].find('}') else {
            return Err(error(start..self.text.len(), "the bracket is not closed", Some("add `}`")));
        };
        let end = start + length + 1;
        let name = self.text[start + 1..end - 1].trim();
        let at = start..end;
        if name.is_empty() {
            return Err(error(at, "the slot has no name", Some("write `{name}`")));
        }
        if self.touches_word_before(start) || self.touches_word_after(end) {
            return Err(error(at, "a slot stands for whole words", Some("put a space between it and the word")));
        }
        let Some(slot) = (self.resolve_slot)(name) else {
            let found = error(
                at,
                format!("nothing is called `{name}` here"),
                Some("a rule names parts of a value, a trigger signals: declare it, or take it out"),
            );
            return Err(PhraseError { code: Code::UnknownSlot, ..found });
        };
        self.pos = end;
        Ok(Elem::Slot(slot))
    }

    /// `[a|b]` or `(a|b)`; `None` if all of it is punctuation that vanishes.
    fn choice(&mut self, depth: usize) -> Result<Option<Elem>, PhraseError> {
        let start = self.pos;
        let mut optional = self.text[start..].starts_with('[');
        let closer = if optional { ']' } else { ')' };
        if depth >= MAX_NESTING {
            let message = format!("brackets nest more than {MAX_NESTING} deep");
            return Err(error(start..start + 1, message, Some("split it into several phrases")));
        }
        let mut of = Vec::new();
        loop {
            self.pos += 1;
            let from = self.pos;
            let (elems, any) = self.sequence(Some((start, closer)), depth + 1)?;
            if !any {
                let at = from..self.pos.max(from + 1).min(self.text.len());
                let help = "leave the extra `|` out; what may be left out stands in `[ ]`";
                return Err(error(at, "an alternative has no words", Some(help)));
            }
            if elems.iter().all(is_sentence_mark) {
                optional = true;
            } else {
                of.push(elems);
            }
            if self.peek() == Some(closer) {
                break;
            }
        }
        self.pos += 1;
        if of.is_empty() {
            return Ok(None);
        }
        if self.touches_word_before(start) || self.touches_word_after(self.pos) {
            let help = "put a space between it and the word; for endings write `stem~endings`";
            return Err(error(start..self.pos, "a bracket holds whole words", Some(help)));
        }
        Ok(Some(Elem::Choice { optional, of }))
    }

    /// A stretch without notation, and the ending set after it if there is one. Says whether it was white space only.
    fn words(&mut self, elems: &mut Vec<Elem>) -> Result<bool, PhraseError> {
        let start = self.pos;
        let length = self.text[start..].find(['[', ']', '(', ')', '{', '}', '|', '~', '*', '\\']);
        let end = length.map_or(self.text.len(), |length| start + length);
        self.pos = end;
        let run = &self.text[start..end];
        let (mut padded, mut tokens) = (String::new(), Vec::<Token>::new());
        tokenise(run, start > 0, &mut padded, &mut tokens);
        let word = |token: &Token| padded[token.at as usize..token.to as usize].to_owned();
        let stem = if self.peek() == Some('~') && self.touches_word_before(end) { tokens.pop() } else { None };
        for token in &tokens {
            match word(token) {
                mark if mark == SENTENCE => elems.push(sentence_mark()),
                word => elems.push(Elem::Word(word)),
            }
        }
        if let Some(token) = stem {
            let at = start + token.start as usize..end;
            elems.push(self.stem(word(&token), at)?);
        }
        Ok(run.chars().all(char::is_whitespace))
    }

    /// `~set` after a stem.
    fn stem(&mut self, stem: String, at: Range<usize>) -> Result<Elem, PhraseError> {
        let from = self.pos + 1;
        let length = self.text[from..].find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'));
        let end = length.map_or(self.text.len(), |length| from + length);
        let name = &self.text[from..end];
        if name.is_empty() {
            return Err(error(self.pos..from, "`~` without the name of an ending set", Some("write `stem~set`")));
        }
        if stem.chars().filter(|c| c.is_alphabetic()).count() < MIN_STEM {
            let message = format!("a stem has at least {MIN_STEM} letters");
            return Err(error(at, message, Some("write the forms out: `(one|other)`")));
        }
        let Some(endings) = (self.endings)(name) else {
            let found = error(
                from..end,
                format!("no ending set is called `{name}`"),
                Some("declare it under `[ending]`, or write the forms out"),
            );
            return Err(PhraseError { code: Code::UnknownSlot, ..found });
        };
        self.pos = end;
        Ok(Elem::Stem { stem, endings })
    }
}
