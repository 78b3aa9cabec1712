//! Letters of another script within a word, and characters that cannot be seen: what an eye does not find in a file.

use std::ops::Range;

use crate::diag::{Code, Diagnostic, Diagnostics, hidden};
use crate::source::{FileId, Span};
use crate::syntax::{Entry, Kind, Node};

/// A script whose letters are taken for those of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Cyrillic,
    Greek,
}

/// The scripts in the order of the columns of [`ALIKE`].
const SCRIPTS: [(Script, &str); 3] =
    [(Script::Latin, "Latin"), (Script::Cyrillic, "Cyrillic"), (Script::Greek, "Greek")];

/// Letters that look the same: Latin, Cyrillic, Greek; a space where there is none.
const ALIKE: &[[char; 3]] = &[
    ['a', 'а', 'α'],
    ['c', 'с', ' '],
    ['e', 'е', ' '],
    ['ë', 'ё', ' '],
    ['h', 'һ', ' '],
    ['i', 'і', ' '],
    ['ï', 'ї', ' '],
    ['j', 'ј', ' '],
    ['k', 'к', 'κ'],
    ['o', 'о', 'ο'],
    ['p', 'р', 'ρ'],
    ['s', 'ѕ', ' '],
    ['v', ' ', 'ν'],
    ['x', 'х', 'χ'],
    ['y', 'у', ' '],
    ['A', 'А', 'Α'],
    ['B', 'В', 'Β'],
    ['C', 'С', ' '],
    ['E', 'Е', 'Ε'],
    ['Ë', 'Ё', ' '],
    ['H', 'Н', 'Η'],
    ['I', 'І', 'Ι'],
    ['Ï', 'Ї', ' '],
    ['J', 'Ј', ' '],
    ['K', 'К', 'Κ'],
    ['M', 'М', 'Μ'],
    ['N', ' ', 'Ν'],
    ['O', 'О', 'Ο'],
    ['P', 'Р', 'Ρ'],
    ['S', 'Ѕ', ' '],
    ['T', 'Т', 'Τ'],
    ['X', 'Х', 'Χ'],
    ['Y', 'У', 'Υ'],
    ['Z', ' ', 'Ζ'],
    [' ', 'Г', 'Γ'],
    [' ', 'П', 'Π'],
    [' ', 'Ф', 'Φ'],
];

/// Looks through the text of a file; `root` is its document, where it could be read.
pub fn check(file: FileId, text: &str, root: Option<&Node>, out: &Diagnostics) {
    unseen(file, text, out);
    // Few files have a word of two scripts anywhere: the others are done.
    if let Some(root) = root.filter(|_| words(text, false).any(|word| mixed(&text[word]).is_some())) {
        node(text, root, false, out);
    }
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

/// The runs of letters in a text. `escapes`: a backslash and the letter after it are no part of a word.
fn words(text: &str, escapes: bool) -> impl Iterator<Item = Range<usize>> {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let mut word: Option<Range<usize>> = None;
        while let Some((at, c)) = chars.peek().copied() {
            let letter = c.is_alphabetic() || ('\u{300}'..='\u{36f}').contains(&c);
            if !letter && word.is_some() {
                break;
            }
            chars.next();
            if escapes && c == '\\' {
                chars.next();
            } else if letter {
                word.get_or_insert(at..at).end = at + c.len_utf8();
            }
        }
        word
    })
}

fn script(c: char) -> Option<Script> {
    match c {
        'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Some(Script::Latin),
        '\u{400}'..='\u{52f}' => Some(Script::Cyrillic),
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Some(Script::Greek),
        _ => None,
    }
}

/// The letter of another script that looks like this one.
fn alike(c: char, to: Script) -> Option<char> {
    let column = SCRIPTS.iter().position(|(script, _)| *script == to)?;
    ALIKE.iter().find(|row| row.contains(&c)).map(|row| row[column]).filter(|letter| *letter != ' ')
}

/// A word of letters of two scripts that is meant to be of one.
struct Mixed {
    /// The word as it should be.
    meant: String,
    /// Its script.
    script: Script,
    /// The letters that are of another one.
    strange: Vec<char>,
}

/// What is wrong with a word, where all letters of another script look like those of the one it is meant in: a word such as
/// a stem of one script with an ending of another is meant as it is.
fn mixed(word: &str) -> Option<Mixed> {
    if word.is_ascii() {
        return None;
    }
    let count = |of: Script| word.chars().filter(|c| script(*c) == Some(of)).count();
    let counts = SCRIPTS.map(|(script, _)| (count(script), script));
    if counts.iter().filter(|(count, _)| *count > 0).count() < 2 || is_stem_and_ending(word) {
        return None;
    }
    let meant_in = |to: Script| {
        let letter = |c: char| match script(c) {
            Some(own) if own != to => alike(c, to),
            _ => Some(c),
        };
        word.chars().map(letter).collect::<Option<String>>()
    };
    // Of two that are possible the one with more letters of its own; of equals the one that is not Latin.
    let possible = counts.into_iter().filter(|(count, _)| *count > 0);
    let possible = possible.filter_map(|(count, script)| Some((count, script, meant_in(script)?)));
    let (_, to, meant) = possible.max_by_key(|(count, script, _)| (*count, *script != Script::Latin))?;
    let mut strange: Vec<char> = Vec::new();
    for c in word.chars().filter(|c| script(*c).is_some_and(|own| own != to)) {
        if !strange.contains(&c) {
            strange.push(c);
        }
    }
    Some(Mixed { meant, script: to, strange })
}

/// Whether a word begins in one script and ends in another, with two letters of each at least.
fn is_stem_and_ending(word: &str) -> bool {
    let scripts: Vec<Script> = word.chars().filter_map(script).collect();
    let runs: Vec<usize> = scripts.chunk_by(|a, b| a == b).map(<[Script]>::len).collect();
    matches!(runs.as_slice(), [first, last] if *first > 1 && *last > 1)
}

fn diagnostic(word: &str, mixed: &Mixed, place: Span) -> Diagnostic {
    let name = |of: Script| SCRIPTS.iter().find(|(script, _)| *script == of).map_or("", |(_, name)| *name);
    let letters: Vec<String> = mixed
        .strange
        .iter()
        .map(|c| format!("`{c}` (U+{:04X}, {})", u32::from(*c), script(*c).map_or("", name)))
        .collect();
    let message = format!("the {} word `{word}` holds {}", name(mixed.script), letters.join(", "));
    Diagnostic::warning(Code::MixedScripts, place, message).label("looks right, and is another word").help(format!(
        "write `{}`, all in {} letters",
        mixed.meant,
        name(mixed.script)
    ))
}

/// Characters that cannot be seen, each run of them once.
fn unseen(file: FileId, text: &str, out: &Diagnostics) {
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
    use super::*;

    #[test]
    fn words_of_two_scripts_are_set_right() {
        let meant = |word: &str| mixed(word).map(|mixed| mixed.meant);
        assert_eq!(meant("cклад"), Some("склад".into()));
        assert_eq!(meant("остaтки"), Some("остатки".into()));
        assert_eq!(meant("stоck"), Some("stock".into()));
        assert_eq!(meant("Ηоme"), Some("Home".into()));
        for word in ["склад", "stock", "pdfка", "usbшный", "naïve", "μm", "ёлка"] {
            assert_eq!(meant(word), None, "{word}");
        }
    }

    #[test]
    fn words_end_at_what_is_no_letter() {
        let of = |text: &'static str, escapes| words(text, escapes).map(|word| &text[word]).collect::<Vec<_>>();
        assert_eq!(of("а (на|for) стем~noun 2020-й", false), ["а", "на", "for", "стем", "noun", "й"]);
        assert_eq!(of(r#""\tда""#, true), ["да"]);
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
