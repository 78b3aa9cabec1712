//! Normalised text: the tokens of an utterance, folded, padded with single spaces, each with its place in the original.

use std::ops::Range;

use super::fold::{Kind, fold_into, folded_prefix, is_folded, kind, quick};

/// The longest text, in bytes of UTF-8, that is worth scanning. Normalising and scanning are linear and have no limit of
/// their own; whoever takes in texts refuses longer ones.
pub const MAX_TEXT: usize = 64 * 1024;

/// The token that stands for the end of a sentence or of a line.
pub const SENTENCE: &str = ".";

/// One token: where it stands in the original text and in the padded one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// First byte in the original text.
    pub start: u32,
    /// One past its last byte in the original text.
    pub end: u32,
    /// First byte in the padded text.
    pub at: u32,
    /// One past its last byte in the padded text, where its space stands.
    pub to: u32,
}

/// A text after normalisation (S3: signals and triggers are matched on it).
///
/// A token is a maximal run of letters, digits, combining marks and `_`, with single hyphens and apostrophes between
/// letters or digits (`что-то`, `2020-03`, `don't`) and single `.` `,` `:` `/` between digits (`05.03.2020`, `12:30`).
/// `/` directly before a letter at the very start of the text belongs to the first token (`/new`). `. ! ? ; …` and line
/// ends become one token `.`, however many there are; before the first word they vanish. All other punctuation and all
/// symbols separate tokens and vanish. Invisible characters (zero width, bidi controls, soft hyphens) are as if they were
/// not there. Tokens are NFC, case folded, with ё as е (й stays й), every dash as `-` and every apostrophe as `'`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Normalised {
    original: String,
    padded: String,
    tokens: Vec<Token>,
}

impl Normalised {
    /// Normalises a text. Linear in its length.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut normalised = Normalised::default();
        normalised.set(text);
        normalised
    }

    /// Replaces the text and keeps the buffers.
    pub fn set(&mut self, text: &str) {
        self.original.clear();
        self.original.push_str(text);
        self.padded.clear();
        self.padded.push(' ');
        self.tokens.clear();
        self.padded.reserve(text.len() + 1);
        tokenise(text, false, &mut self.padded, &mut self.tokens);
    }

    /// The text as it was given.
    #[must_use]
    pub fn original(&self) -> &str {
        &self.original
    }

    /// The folded tokens, one space before, between and after: ` мы это обсуждали . `. An empty text is one space.
    #[must_use]
    pub fn padded(&self) -> &str {
        &self.padded
    }

    /// The tokens, in order.
    #[must_use]
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The folded text of one token.
    #[must_use]
    pub fn word(&self, token: usize) -> &str {
        let token = &self.tokens[token];
        &self.padded[token.at as usize..token.to as usize]
    }

    /// The folded text of a range of tokens, single-spaced, without the outer spaces.
    #[must_use]
    pub fn words(&self, tokens: Range<usize>) -> &str {
        match (self.tokens.get(tokens.start), tokens.end.checked_sub(1).and_then(|last| self.tokens.get(last))) {
            (Some(first), Some(last)) if first.at <= last.to => &self.padded[first.at as usize..last.to as usize],
            _ => "",
        }
    }

    /// The byte range in the original text of a range of tokens that is not empty.
    #[must_use]
    pub fn span(&self, tokens: Range<usize>) -> (u32, u32) {
        (self.tokens[tokens.start].start, self.tokens[tokens.end - 1].end)
    }

    /// The index of the token whose first byte in the padded text is `at`.
    pub(crate) fn token_at(&self, at: usize) -> usize {
        self.tokens.partition_point(|token| (token.at as usize) < at)
    }
}

/// Folds one word of the lexicon the way texts are folded: characters only, white space and punctuation stay.
#[must_use]
pub fn fold_word(word: &str) -> String {
    if is_folded(word) {
        return word.to_owned();
    }
    let mut visible = String::with_capacity(word.len());
    visible.extend(word.chars().filter(|c| kind(*c) != Kind::Invisible));
    let mut folded = String::with_capacity(word.len());
    fold_into(&visible, &mut folded);
    folded
}

/// A spelling of the lexicon as its tokens, single-spaced: how a command is to be declared.
#[must_use]
pub fn fold_text(text: &str) -> String {
    let normalised = Normalised::new(text);
    normalised.words(0..normalised.tokens.len()).to_owned()
}

/// A token that may go on.
struct Open {
    /// Where it starts in the padded text.
    at: usize,
    /// Its bytes in the original.
    span: Range<usize>,
    /// Whether it needs the slow folding.
    slow: bool,
}

/// Appends the tokens of a text. `keep_first_end`: the end of a sentence before the first word is a token too.
pub(super) fn tokenise(text: &str, keep_first_end: bool, padded: &mut String, tokens: &mut Vec<Token>) {
    let mut open: Option<Open> = None;
    let mut untouched = true;
    let mut at = 0;
    loop {
        let start = at;
        // Words are mostly letters that are folded already, and these are taken at once.
        at += folded_prefix(&text.as_bytes()[at..]);
        if at > start {
            open.get_or_insert(Open { at: padded.len(), span: start..at, slow: false }).span.end = at;
            padded.push_str(&text[start..at]);
            untouched = false;
        }
        let start = at;
        let Some(c) = text[at..].chars().next() else { break };
        at += c.len_utf8();
        if let Some(folded) = quick(c) {
            open.get_or_insert(Open { at: padded.len(), span: start..at, slow: false }).span.end = at;
            padded.push(folded);
            untouched = false;
            continue;
        }
        let kind = kind(c);
        let before = |open: &Open| text[..open.span.end].chars().next_back();
        let joins = match (&open, kind) {
            (_, Kind::Invisible) => continue,
            (_, Kind::Word) | (Some(_), Kind::Mark) => true,
            (Some(open), Kind::Dash | Kind::Apostrophe) => word_follows(&text[at..]) && before(open).is_some_and(inner),
            (Some(open), Kind::Point | Kind::Joint) => {
                before(open).is_some_and(char::is_numeric) && digit_follows(&text[at..])
            }
            (None, Kind::Joint) => c == '/' && untouched && letter_follows(&text[at..]),
            _ => false,
        };
        if joins {
            let open = open.get_or_insert(Open { at: padded.len(), span: start..at, slow: false });
            open.span.end = at;
            padded.push(match kind {
                Kind::Dash => '-',
                Kind::Apostrophe => '\'',
                Kind::Point => '.',
                _ => c,
            });
            open.slow |= matches!(kind, Kind::Word | Kind::Mark);
            untouched = false;
            continue;
        }
        if let Some(token) = open.take() {
            close(token, padded, tokens);
        }
        if matches!(kind, Kind::Point | Kind::End) {
            let follows =
                tokens.last().map_or(keep_first_end, |last| &padded[last.at as usize..last.to as usize] != ".");
            if follows {
                let from = padded.len();
                padded.push('.');
                close(Open { at: from, span: start..at, slow: false }, padded, tokens);
            }
        }
        untouched &= kind == Kind::Space || matches!(c, '\n' | '\r');
    }
    if let Some(token) = open {
        close(token, padded, tokens);
    }
}

fn close(token: Open, padded: &mut String, tokens: &mut Vec<Token>) {
    let Open { at, span, slow } = token;
    if slow {
        let raw = padded.split_off(at);
        fold_into(&raw, padded);
    }
    let offset = |value: usize| u32::try_from(value).expect("a text is shorter than four gigabytes");
    tokens.push(Token { start: offset(span.start), end: offset(span.end), at: offset(at), to: offset(padded.len()) });
    padded.push(' ');
}

fn inner(before: char) -> bool {
    matches!(kind(before), Kind::Word | Kind::Mark)
}

fn first_visible(rest: &str) -> Option<char> {
    rest.chars().find(|c| kind(*c) != Kind::Invisible)
}

fn word_follows(rest: &str) -> bool {
    first_visible(rest).is_some_and(|c| kind(c) == Kind::Word)
}

fn digit_follows(rest: &str) -> bool {
    first_visible(rest).is_some_and(char::is_numeric)
}

fn letter_follows(rest: &str) -> bool {
    first_visible(rest).is_some_and(char::is_alphabetic)
}
