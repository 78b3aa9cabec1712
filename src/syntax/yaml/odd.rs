//! Characters that only look like the signs and spaces of YAML, where a sign or a space is due: most likely an error comes of them.

use crate::diag::alike::sign;
use crate::diag::hidden::is_hidden;
use crate::syntax::slip::Slip;

/// How many lines above an error are looked at.
const LINES_ABOVE: usize = 3;

/// The quotes of prose on either side of a text that has no others: they are meant as those of YAML.
pub(super) fn quotes(text: &str) -> Option<char> {
    // Angular ones are those of the text.
    let is_quote = |c: &char| !matches!(c, '«' | '»') && sign(*c).is_some_and(|sign| matches!(sign, '"' | '\''));
    let first = text.chars().next().filter(|first| !first.is_ascii() && !first.is_alphanumeric())?;
    let last = text.chars().next_back()?;
    let inner = text.strip_prefix(first)?.strip_suffix(last)?;
    (is_quote(&first) && is_quote(&last) && !inner.chars().any(|c| is_quote(&c))).then_some(first)
}

/// Such a character at an error, or in the lines above it.
pub(super) fn find(text: &str, at: usize) -> Option<Slip> {
    let mut start = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
    for above in 0..=LINES_ABOVE {
        let line = text[start..].lines().next().unwrap_or_default();
        if let Some((place, c)) = in_line(line, above == 0) {
            return Slip::odd(start + place, c);
        }
        let end = start.checked_sub(1)?;
        start = text[..end].rfind('\n').map_or(0, |before| before + 1);
    }
    None
}

/// A space behind a colon that is not read as one, so that a key goes on behind the colon.
pub(super) fn after_colon(key: &str, start: usize) -> Option<Slip> {
    if key.is_ascii() {
        return None;
    }
    let (at, c) = key.char_indices().find(|(at, c)| key[..*at].ends_with(':') && is_odd_space(*c))?;
    Slip::odd(start + at, c)
}

fn is_odd_space(c: char) -> bool {
    !c.is_ascii() && (c.is_whitespace() || is_hidden(c))
}

/// Whether a text may be a key that has its colon behind it.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
}

/// The first of them in a line. `near`: the error is in this line, so that signs inside of it count too.
fn in_line(line: &str, near: bool) -> Option<(usize, char)> {
    let odd_space = |c: char| is_odd_space(c) && c != '\u{feff}';
    let content = line.len() - line.trim_start_matches(' ').len();
    let mut signs = line[content..].char_indices().map(|(at, c)| (content + at, c)).peekable();
    let (first_at, first) = *signs.peek()?;
    let second = line[first_at + first.len_utf8()..].chars().next();
    if odd_space(first) || (!first.is_ascii() && sign(first) == Some('-') && second != Some(first)) {
        return Some((first_at, first));
    }
    let mut quote = None;
    let mut open = 0_usize;
    let mut before = ' ';
    let mut colon = false;
    for (at, c) in signs {
        match (quote, c) {
            (Some(with), _) if c == with && before != '\\' => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if !before.is_alphanumeric() => quote = Some(c),
            (None, '#') if before == ' ' => return None,
            (None, '[' | '{') => open += 1,
            (None, ']' | '}') => open = open.saturating_sub(1),
            (None, _) if odd_space(c) && (before == ':' || (before == '-' && at == first_at + 1)) => {
                return Some((at, c));
            }
            (None, _) if !c.is_ascii() && (near || is_word(&line[content..at])) => match sign(c) {
                Some(':') if !colon || open > 0 => return Some((at, c)),
                Some(',' | '[' | ']' | '{' | '}') if open > 0 || before == ':' => return Some((at, c)),
                _ => {}
            },
            _ => {}
        }
        colon |= c == ':';
        before = c;
    }
    None
}
