//! Normalisation as docs/language.md describes it: tokens of letters and digits, folded; the end of a sentence is `.`.

use icu_normalizer::ComposingNormalizerBorrowed;

/// One token: its folded text and its bytes in the original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub word: String,
    pub start: usize,
    pub end: usize,
}

/// The tokens of a text, in order.
pub fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<(usize, char)> = text.char_indices().filter(|(_, c)| !invisible(*c)).collect();
    let mut found: Vec<Token> = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    for (index, (at, c)) in chars.iter().copied().enumerate() {
        let before = index.checked_sub(1).map(|index| chars[index].1);
        let after = chars.get(index + 1).map(|(_, c)| *c);
        let inside = match open {
            Some(_) => {
                word(c)
                    || mark(c)
                    || (dash(c) || apostrophe(c))
                        && before.is_some_and(|c| word(c) || mark(c))
                        && after.is_some_and(word)
                    || matches!(c, '.' | ',' | ':' | '/')
                        && before.is_some_and(char::is_numeric)
                        && after.is_some_and(char::is_numeric)
            }
            None => {
                let first = text[..at].chars().all(|c| c.is_whitespace() || invisible(c));
                word(c) || c == '/' && first && after.is_some_and(char::is_alphabetic)
            }
        };
        if inside {
            let end = at + c.len_utf8();
            open = Some(open.map_or((at, end), |(start, _)| (start, end)));
            continue;
        }
        close(text, open.take(), &mut found);
        let sentence_may_end = found.last().is_some_and(|last| last.word != ".");
        if ends_sentence(c) && sentence_may_end {
            found.push(Token { word: ".".into(), start: at, end: at + c.len_utf8() });
        }
    }
    close(text, open, &mut found);
    found
}

fn close(text: &str, open: Option<(usize, usize)>, found: &mut Vec<Token>) {
    if let Some((start, end)) = open {
        found.push(Token { word: fold(&text[start..end]), start, end });
    }
}

/// One word, folded: composed, lower case, ё as е, every dash as `-`, every apostrophe as `'`.
pub fn fold(word: &str) -> String {
    let composer = ComposingNormalizerBorrowed::new_nfc();
    let mut folded = String::new();
    for c in composer.normalize(word).chars().filter(|c| !invisible(*c)) {
        match c {
            'ё' | 'Ё' => folded.push('е'),
            'ı' => folded.push(c),
            c if dash(c) => folded.push('-'),
            c if apostrophe(c) => folded.push('\''),
            c => folded.extend(c.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase)),
        }
    }
    composer.normalize(&folded).into_owned()
}

fn word(c: char) -> bool {
    c.is_alphanumeric() && !mark(c) || c == '_'
}

fn mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

fn dash(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

fn apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2018}' | '\u{2019}' | '\u{2bc}')
}

fn ends_sentence(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | ';' | '…' | '\n' | '\r')
}

fn invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{feff}')
}
