//! Just enough Rust: tokens without comments and texts, test-only items cut out, and the paths that start at a given name.

/// An identifier or a punctuation character, and its line from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token<'t> {
    /// The identifier or the one character.
    pub text: &'t str,
    /// The line, from 1.
    pub line: usize,
}

/// The tokens of a file. Comments, texts, characters, numbers and lifetimes give none.
#[must_use]
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let (mut at, mut line, mut found) = (0, 1, Vec::new());
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'/') => at = end_of_line(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'*') => at = end_of_comment(bytes, at),
            b'"' => at = end_of_text(bytes, at),
            b'\'' => at = end_of_character(text, at),
            byte if is_word(byte) => {
                while at < bytes.len() && is_word(bytes[at]) {
                    at += 1;
                }
                let word = &text[start..at];
                match raw_text(bytes, at, word) {
                    Some(end) => at = end,
                    None if word.as_bytes()[0].is_ascii_digit() => {}
                    None => found.push(Token { text: word, line }),
                }
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            _ => {
                at += text[at..].chars().next().map_or(1, char::len_utf8);
                found.push(Token { text: &text[start..at], line });
            }
        }
        line += bytes[start..at].iter().filter(|byte| **byte == b'\n').count();
    }
    found
}

fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}

fn end_of_line(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length)
}

fn end_of_comment(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while at < bytes.len() {
        match &bytes[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => {
                (depth, at) = (depth - 1, at + 2);
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    at
}

fn end_of_text(bytes: &[u8], mut at: usize) -> usize {
    at += 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// A character with its quotes, or the quote of a lifetime alone.
fn end_of_character(text: &str, at: usize) -> usize {
    let mut rest = text[at + 1..].char_indices();
    match rest.next() {
        Some((_, '\\')) => text[at + 2..]
            .char_indices()
            .skip(1)
            .find(|(_, c)| *c == '\'')
            .map_or(text.len(), |(length, _)| at + 2 + length + 1),
        Some(_) => match rest.next() {
            Some((length, '\'')) => at + 1 + length + 1,
            _ => at + 1,
        },
        None => text.len(),
    }
}

/// The end of a text that a prefix such as `r` or `br` opens, with as many `#` as it has.
fn raw_text(bytes: &[u8], at: usize, word: &str) -> Option<usize> {
    if !matches!(word, "r" | "br" | "cr") {
        return None;
    }
    let hashes = bytes[at..].iter().take_while(|byte| **byte == b'#').count();
    if bytes.get(at + hashes) != Some(&b'"') {
        return None;
    }
    let mut end = vec![b'"'];
    end.resize(hashes + 1, b'#');
    let body = at + hashes + 1;
    let length = bytes[body..].windows(end.len()).position(|window| window == end);
    Some(length.map_or(bytes.len(), |length| body + length + end.len()))
}

/// The tokens that are compiled outside tests: an item under `#[cfg(test)]` is left out.
#[must_use]
pub fn without_tests<'t>(tokens: &[Token<'t>]) -> Vec<Token<'t>> {
    const MARK: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mut at, mut kept) = (0, Vec::new());
    while at < tokens.len() {
        if tokens[at..].len() >= MARK.len() && MARK.iter().zip(&tokens[at..]).all(|(mark, token)| *mark == token.text) {
            at = end_of_item(tokens, at + MARK.len());
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

fn end_of_item(tokens: &[Token<'_>], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while at < tokens.len() {
        match tokens[at].text {
            "{" | "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            ";" if depth == 0 => return at + 1,
            _ => {}
        }
        at += 1;
    }
    at
}

/// A path that starts at a given name: its parts after that name, and its line.
pub type PathAt<'t> = (Vec<&'t str>, usize);

/// All paths that start with `head::`, those in braces taken apart: `crate::{a, b::c}` is `a` and `b::c`.
#[must_use]
pub fn paths<'t>(tokens: &[Token<'t>], head: &str) -> Vec<PathAt<'t>> {
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let inner = at >= 2 && text_at(tokens, at - 1) == ":" && text_at(tokens, at - 2) == ":";
        if tokens[at].text == head && !inner && is_separator(tokens, at + 1) {
            tree(tokens, at + 3, &mut Vec::new(), &mut found);
        }
    }
    found
}

fn text_at<'t>(tokens: &[Token<'t>], at: usize) -> &'t str {
    tokens.get(at).map_or("", |token| token.text)
}

fn is_separator(tokens: &[Token<'_>], at: usize) -> bool {
    text_at(tokens, at) == ":" && text_at(tokens, at + 1) == ":"
}

/// Reads one branch of a use tree and gives the place after it.
fn tree<'t>(tokens: &[Token<'t>], mut at: usize, prefix: &mut Vec<&'t str>, found: &mut Vec<PathAt<'t>>) -> usize {
    let Some(first) = tokens.get(at) else { return at };
    let depth = prefix.len();
    if first.text == "{" {
        at += 1;
        while at < tokens.len() && text_at(tokens, at) != "}" {
            let next = tree(tokens, at, prefix, found);
            at = if text_at(tokens, next) == "," { next + 1 } else { next.max(at + 1) };
        }
        return at + 1;
    }
    loop {
        prefix.push(text_at(tokens, at));
        at += 1;
        if !is_separator(tokens, at) {
            break;
        }
        at += 2;
        if text_at(tokens, at) == "{" {
            at = tree(tokens, at, prefix, found);
            prefix.truncate(depth);
            return at;
        }
    }
    found.push((prefix.clone(), first.line));
    prefix.truncate(depth);
    if text_at(tokens, at) == "as" { at + 2 } else { at }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        let tokens = tokens(text);
        paths(&without_tests(&tokens), "crate")
            .into_iter()
            .map(|(path, line)| format!("{line} {}", path.join("::")))
            .collect()
    }

    #[test]
    fn paths_are_taken_apart() {
        let text =
            "use crate::{a, b::{self, c as d}, e::*};\nfn f<'a>(x: &'a str) -> crate::g::H { 'x'; b'\\''; crate::i() }";
        assert_eq!(of(text), ["1 a", "1 b::self", "1 b::c", "1 e::*", "2 g::H", "2 i"]);
    }

    #[test]
    fn comments_texts_and_tests_do_not_count() {
        let text = "// crate::a\n/* crate::b /* */ crate::c */ \"crate::d\" r#\"crate::\"e\"# '\"' crate::f;\n#[cfg(test)]\nmod tests { use crate::g; { } }\n#[cfg(test)]\nuse crate::h;\ncrate::i";
        assert_eq!(of(text), ["2 f", "7 i"]);
    }
}
