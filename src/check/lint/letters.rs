//! Letters of another script within a word, and characters that cannot be seen: what an eye does not find in a file.

use crate::diag::alike::{Mixed, Script, mixed, script, words};
use crate::diag::{Code, Diagnostic, Diagnostics, hidden};
use crate::source::{FileId, Span};
use crate::syntax::{Entry, Kind, Node};

/// Looks through the text of a file; `root` gives its document, where it can be read.
pub fn check(file: FileId, text: &str, root: impl FnOnce() -> Option<Node>, out: &Diagnostics) {
    unseen(file, text, out);
    // Few files have a word of two scripts anywhere: the others are done.
    if lines(text).flat_map(runs).any(|run| words(run, false).any(|word| mixed(&run[word]).is_some()))
        && let Some(root) = root()
    {
        node(text, &root, false, out);
    }
}

/// The lines of a text that are not of ASCII alone.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain(std::iter::once(text.len()));
    ends.filter_map(move |end| text.get(std::mem::replace(&mut from, end + 1)..end)).filter(|line| !line.is_ascii())
}

/// The pieces of a text without signs and spaces of ASCII that may hold letters of two scripts.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let divides = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphabetic();
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            // Most of a text is of ASCII, and most of the rest of one script.
            let strange = from + bytes.get(from..)?.iter().position(|byte| !byte.is_ascii())?;
            let start = bytes[from..strange].iter().rposition(divides).map_or(from, |at| from + at + 1);
            let end = bytes[strange..].iter().position(divides).map_or(bytes.len(), |at| strange + at);
            from = end;
            if !bytes[start..end].iter().all(|byte| hidden::is_cyrillic_byte(*byte)) {
                return text.get(start..end);
            }
        }
    })
}

fn node(text: &str, at: &Node, pattern: bool, out: &Diagnostics) {
    match &at.kind {
        Kind::Text(_) => slice(text, at.span, pattern, out),
        Kind::List(items) => items.iter().for_each(|item| node(text, item, pattern, out)),
        Kind::Table(table) => {
            for Entry { key, key_span, value } in table {
                slice(text, *key_span, false, out);
                node(text, value, key == "pattern", out);
            }
        }
        _ => {}
    }
}

/// Words in what is written at a place.
fn slice(text: &str, span: Span, pattern: bool, out: &Diagnostics) {
    let Some(written) = text.get(span.start as usize..span.end as usize) else { return };
    for word in words(written, pattern || written.starts_with('"')) {
        let Some(mixed) = mixed(&written[word.clone()]) else { continue };
        if pattern && in_class(written, word.start) {
            continue;
        }
        let at = |byte: usize| span.start + u32::try_from(byte).unwrap_or(u32::MAX);
        let place = Span { start: at(word.start), end: at(word.end), ..span };
        out.push(diagnostic(&written[word], &mixed, place));
    }
}

/// Whether a place in a pattern is inside `[ ]`, where letters stand for themselves one by one.
fn in_class(pattern: &str, at: usize) -> bool {
    pattern[..at].rfind('[').is_some_and(|open| !pattern[open..at].contains(']'))
}

fn diagnostic(word: &str, mixed: &Mixed, place: Span) -> Diagnostic {
    let script_of = |c: char| script(c).map_or("", Script::name);
    let letters: Vec<String> =
        mixed.strange.iter().map(|c| format!("`{c}` (U+{:04X}, {})", u32::from(*c), script_of(*c))).collect();
    let message = format!("the {} word `{word}` holds {}", mixed.script.name(), letters.join(", "));
    let help = format!("write `{}`, all in {} letters", mixed.meant, mixed.script.name());
    Diagnostic::warning(Code::MixedScripts, place, message).label("looks right, and is another word").help(help)
}

/// Characters that cannot be seen, each run of them once.
fn unseen(file: FileId, text: &str, out: &Diagnostics) {
    let plain = |byte: &u8| byte.is_ascii() || hidden::is_cyrillic_byte(*byte);
    if !lines(text).any(|line| !line.as_bytes().iter().all(plain) && line.chars().any(hidden::is_hidden)) {
        return;
    }
    let mut chars = text.char_indices().peekable();
    let mut before = None;
    while let Some((at, c)) = chars.next() {
        let first = at == 0 && c == '\u{feff}';
        if !hidden::is_hidden(c) || first {
            before = Some(c).filter(|_| !first);
            continue;
        }
        let (mut run, mut end) = (vec![c], at + c.len_utf8());
        while let Some((at, c)) = chars.next_if(|(_, c)| hidden::is_hidden(*c)) {
            run.push(c);
            end = at + c.len_utf8();
        }
        let after = chars.peek().map(|(_, c)| *c);
        if run.iter().all(|c| belongs(*c, before, after)) {
            continue;
        }
        let offset = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        let place = Span { file, start: offset(at), end: offset(end) };
        let shown: Vec<String> = run.iter().take(4).map(|c| hidden::named(*c)).collect();
        let rest = if run.len() > 4 { format!(" and {} more", run.len() - 4) } else { String::new() };
        let (what, label) = if run.iter().any(|c| hidden::turns_direction(*c)) {
            ("changes how the line is shown", "the line is not what it looks like")
        } else {
            ("cannot be seen", "something stands here")
        };
        let message = format!("{}{rest} {what}", shown.join(", "));
        out.push(
            Diagnostic::warning(Code::InvisibleCharacter, place, message)
                .label(label)
                .help("delete it; where it is meant write it as an escape in double quotes, such as \"\\u200B\""),
        );
    }
}

/// Whether a joiner or a mark of direction has its place in the writing around it.
fn belongs(c: char, before: Option<char>, after: Option<char>) -> bool {
    let right_to_left =
        |c: char| matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}');
    let around = || before.into_iter().chain(after);
    match c {
        '\u{200c}' | '\u{200d}' => before.is_some_and(|c| c > '\u{52f}' && script(c).is_none() && !c.is_whitespace()),
        '\u{200e}' | '\u{200f}' | '\u{61c}' => around().any(right_to_left),
        '\u{e0020}'..='\u{e007f}' => before == Some('\u{1f3f4}'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The pieces that are looked at are those that are not all of ASCII and not all Cyrillic.
        #[test]
        fn runs_are_the_pieces_that_may_be_mixed(text in "[a-c1 .а-яё\u{2010}é中]{0,40}") {
            let pieces = text.split(|c: char| c.is_ascii() && !c.is_ascii_alphabetic());
            let mixed = |piece: &&str| {
                !piece.is_ascii() && !piece.bytes().all(hidden::is_cyrillic_byte)
            };
            let slow: Vec<&str> = pieces.filter(mixed).collect();
            prop_assert_eq!(runs(&text).collect::<Vec<_>>(), slow);
        }
    }

    #[test]
    fn joiners_have_their_place() {
        let found = |text: &str| {
            let out = Diagnostics::new();
            unseen(FileId(0), text, &out);
            out.len()
        };
        assert_eq!(found("\u{feff}a: b"), 0);
        assert_eq!(found("a: \u{feff}b\u{200b}\u{200b}c\u{ad}"), 3);
        assert_eq!(found("семья: 👨\u{200d}👩\u{200d}👧, می\u{200c}خواهم"), 0);
        assert_eq!(found("сло\u{200d}во \u{202e}abc\u{202c}"), 3);
    }
}
