//! Characters that are taken for others: letters of another script, signs and spaces that only look like those of a keyboard.

use std::ops::Range;

use super::hidden;

/// A script whose letters are taken for those of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// As in English.
    Latin,
    /// As in Russian.
    Cyrillic,
    /// As in Greek.
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

impl Script {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        SCRIPTS.iter().find(|(script, _)| *script == self).map_or("", |(_, name)| *name)
    }
}

/// Signs that look like one of ASCII, which comes last.
const SIGNS: &[(&str, char)] = &[
    (
        "\u{201c}\u{201d}\u{201e}\u{201f}\u{ab}\u{bb}\u{2018}\u{2019}\u{201a}\u{201b}\u{2039}\u{203a}\u{2033}\u{2032}\u{ff02}\u{ff07}\u{300c}\u{300d}",
        '"',
    ),
    ("\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2015}\u{2212}", '-'),
    ("\u{a789}\u{2236}\u{fe55}", ':'),
    ("\u{3001}\u{201a}\u{fe50}", ','),
    ("\u{3010}", '['),
    ("\u{3011}", ']'),
];

/// The sign of ASCII that another one is taken for; of quotes the double one.
#[must_use]
pub fn sign(c: char) -> Option<char> {
    let listed = SIGNS.iter().find(|(signs, _)| signs.contains(c)).map(|(_, sign)| *sign);
    // The wide forms stand in the order of ASCII.
    let wide = || match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).filter(char::is_ascii_punctuation),
        _ => None,
    };
    listed.or_else(wide)
}

/// What is wrong with a character that is taken for a space or a sign of ASCII, or cannot be seen, and what to write.
#[must_use]
pub fn mistaken(c: char) -> Option<(String, String)> {
    if hidden::is_wide_space(c) {
        return Some((format!("{} is not read as a space", hidden::named(c)), "write a plain space".to_owned()));
    }
    if hidden::is_hidden(c) {
        return Some((format!("{} cannot be seen", hidden::named(c)), "delete it".to_owned()));
    }
    let sign = sign(c)?;
    let message = format!("`{c}` (U+{:04X}) is not read as `{sign}`", u32::from(c));
    let help = if sign == '"' { "write `\"` on either side of the text".to_owned() } else { format!("write `{sign}`") };
    Some((message, help))
}

/// The runs of letters in a text. `escapes`: a backslash and the letter after it are no part of a word.
pub fn words(text: &str, escapes: bool) -> impl Iterator<Item = Range<usize>> {
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

/// The script of a letter.
#[must_use]
pub fn script(c: char) -> Option<Script> {
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

/// The first letters in which two names differ that look the same.
#[must_use]
pub fn differ(name: &str, other: &str) -> Option<(char, char)> {
    if (name.is_ascii() && other.is_ascii()) || name.chars().count() != other.chars().count() {
        return None;
    }
    let mut first = None;
    for (a, b) in name.chars().zip(other.chars()).filter(|(a, b)| a != b) {
        if script(b).is_none_or(|to| alike(a, to) != Some(b)) {
            return None;
        }
        first.get_or_insert((a, b));
    }
    first
}

/// A word of letters of two scripts that is meant to be of one.
#[derive(Debug)]
pub struct Mixed {
    /// The word as it should be.
    pub meant: String,
    /// Its script.
    pub script: Script,
    /// The letters that are of another one.
    pub strange: Vec<char>,
}

/// What is wrong with a word, where all letters of another script look like those of the one it is meant in: a word such as
/// a stem of one script with an ending of another is meant as it is.
pub fn mixed(word: &str) -> Option<Mixed> {
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
    fn signs_that_look_like_others() {
        let all = |text: &str| text.chars().map(|c| sign(c).unwrap_or(' ')).collect::<String>();
        assert_eq!(all("“”«»‘’＂"), "\"\"\"\"\"\"\"");
        assert_eq!(all("：，［］｛｝＝－–—−"), ":,[]{}=----");
        assert_eq!(all("aяé1Ａ"), "     ");
        let said = |c: char| mistaken(c).map(|(message, help)| format!("{message}; {help}")).unwrap_or_default();
        assert_eq!(said('\u{a0}'), "U+00A0 (no-break space) is not read as a space; write a plain space");
        assert_eq!(said('：'), "`：` (U+FF1A) is not read as `:`; write `:`");
        assert_eq!(said(' '), "");
    }
}
