//! Character folding: what one character of a text becomes, and what kind of character it is for the tokeniser.

use icu_normalizer::properties::CanonicalCombiningClassMapBorrowed;
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

/// What a character means to the tokeniser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A letter, a digit or `_`.
    Word,
    /// A combining mark: continues a word, never begins one.
    Mark,
    /// A dash of any length: part of a word between two letters or digits.
    Dash,
    /// An apostrophe: part of a word between two letters or digits.
    Apostrophe,
    /// `.`: part of a word between two digits, else the end of a sentence.
    Point,
    /// `,` `:` `/`: part of a word between two digits, else a gap.
    Joint,
    /// `!` `?` `;` `…` and line ends.
    End,
    /// Invisible: zero width, bidi control, soft hyphen, variation selector. As if it were not there.
    Invisible,
    /// White space.
    Space,
    /// Anything else: quotes, brackets, symbols, emoji.
    Gap,
}

const CYRILLIC_IE: char = 'е';
const DIAERESIS: char = '\u{308}';

/// The kind of a character.
pub(crate) fn kind(c: char) -> Kind {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '\u{400}'..='\u{481}' => Kind::Word,
        ' ' | '\t' | '\u{b}' | '\u{c}' => Kind::Space,
        '.' | '\u{ff0e}' => Kind::Point,
        ',' | ':' | '/' => Kind::Joint,
        // U+037E is canonically a semicolon.
        '!' | '?' | ';' | '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' | '…' | '\u{37e}' => Kind::End,
        '\u{203c}' | '\u{203d}' | '\u{2047}'..='\u{2049}' | '\u{3002}' | '\u{ff01}' | '\u{ff1f}' | '\u{ff1b}' => {
            Kind::End
        }
        '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => Kind::Dash,
        '\'' | '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2bc}' | '\u{2032}' | '\u{ff07}' => Kind::Apostrophe,
        c if c.is_ascii() => Kind::Gap,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' => Kind::Invisible,
        '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' => Kind::Invisible,
        '\u{e0000}'..='\u{e0fff}' => Kind::Invisible,
        c if c.is_whitespace() => Kind::Space,
        c if CanonicalCombiningClassMapBorrowed::new().get_u8(c) != 0 => Kind::Mark,
        c if c.is_alphanumeric() => Kind::Word,
        _ => Kind::Gap,
    }
}

/// Whether a word may hold the character between two letters or digits, or anywhere.
pub(crate) fn may_stand_in_token(c: char) -> bool {
    matches!(kind(c), Kind::Word | Kind::Mark) || matches!(c, '-' | '\'' | '.' | ',' | ':' | '/')
}

/// The folding of a letter or digit that needs no look at its neighbours: ASCII and Russian, unless a mark follows.
pub(crate) fn quick(c: char) -> Option<char> {
    match c {
        'a'..='z' | '0'..='9' | '_' | 'а'..='я' => Some(c),
        'A'..='Z' => Some(c.to_ascii_lowercase()),
        'А'..='Я' => char::from_u32(c as u32 + 0x20),
        'ё' | 'Ё' => Some(CYRILLIC_IE),
        _ => None,
    }
}

/// How many bytes at the beginning of a text are letters and digits that [`quick`] leaves as they are.
pub(crate) fn folded_prefix(text: &[u8]) -> usize {
    let mut rest = text;
    loop {
        rest = match rest {
            [b'a'..=b'z' | b'0'..=b'9' | b'_', rest @ ..] => rest,
            // The two bytes of а to п, and of р to я.
            [0xd0, 0xb0..=0xbf, rest @ ..] | [0xd1, 0x80..=0x8f, rest @ ..] => rest,
            _ => return text.len() - rest.len(),
        };
    }
}

/// Whether a text is letters and digits alone that [`quick`] leaves as they are.
pub(crate) fn is_folded(text: &str) -> bool {
    folded_prefix(text.as_bytes()) == text.len()
}

/// Folds the characters of one word and appends them: canonical composition, full case folding, ё to е.
///
/// Case folding is "lower case of the upper case of the lower case", which is Unicode's full case folding but for a
/// handful of letters of Cherokee: ß and ẞ become ss, the ligature ﬁ becomes fi, ς becomes σ, İ becomes i and a dot.
/// Dotless ı stays. Folding a folded word changes nothing.
pub(crate) fn fold_into(word: &str, out: &mut String) {
    if word.chars().all(|c| quick(c).is_some()) {
        out.extend(word.chars().filter_map(quick));
        return;
    }
    let classes = CanonicalCombiningClassMapBorrowed::new();
    let decomposer = DecomposingNormalizerBorrowed::new_nfd();
    let mut folded = String::with_capacity(word.len() + 8);
    let mut after_ie = false;
    for c in decomposer.normalize_iter(word.chars()) {
        if c == DIAERESIS && after_ie {
            continue;
        }
        if c == 'ı' {
            folded.push(c);
        } else {
            for c in c.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase) {
                folded.push(fold_mark(c));
            }
        }
        if classes.get_u8(c) == 0 {
            after_ie = matches!(c, 'е' | 'Е');
        }
    }
    out.push_str(&ComposingNormalizerBorrowed::new_nfc().normalize(&folded));
}

fn fold_mark(c: char) -> char {
    match kind(c) {
        Kind::Dash => '-',
        Kind::Apostrophe => '\'',
        _ => c,
    }
}
