//! A trigger's regex as words of a pack: phrases where it only lists words, else a pattern over folded text.

use regex_syntax::hir::{Class, Hir, HirKind, Look};

/// How many spellings a phrase may list; what has more is a pattern.
const MAX_SPELLINGS: usize = 64;

/// What stands for any word in an example that is made up.
const LETTERS: std::ops::RangeInclusive<char> = 'a'..='z';

/// One alternative of a trigger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// The words.
    pub form: Form,
    /// Whether they begin the text.
    pub starts: bool,
    /// Whether nothing follows them.
    pub whole: bool,
    /// A text that holds them.
    pub example: String,
}

/// How words are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// As a phrase.
    Phrase(String),
    /// As a pattern.
    Pattern(String),
}

/// Translates a regex of the table, which is matched against a text in lower case with ё as е.
///
/// A pack matches whole words on text without punctuation, where one space stands between words. So a character class that
/// holds the space and no letter or digit (what the table writes for "not in a word") is the edge of a word, or the space
/// between two. An end of the regex without such a class may lie inside a word: the pattern goes on to the word's end.
/// Punctuation that may be left out before a space is left out.
///
/// # Errors
/// What cannot be said so, in words.
pub fn translate(regex: &str) -> Result<Vec<Words>, String> {
    let hir = regex_syntax::parse(regex).map_err(|error| format!("`{regex}` is no regex: {error}"))?;
    let said = match bare(&hir).kind() {
        HirKind::Alternation(branches) => branches.iter().map(branch).collect::<Result<_, _>>(),
        _ => branch(&hir).map(|words| vec![words]),
    };
    said.map_err(|why| format!("`{regex}` cannot be said in a pack: {why}"))
}

/// How a regex begins or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edge {
    /// At the beginning or the end of the text.
    Text,
    /// At the beginning or the end of a word.
    Word,
    /// Anywhere, inside a word too.
    Open,
}

fn branch(hir: &Hir) -> Result<Words, String> {
    let mut parts = match bare(hir).kind() {
        HirKind::Concat(parts) => parts.iter().map(|part| bare(part).clone()).collect(),
        _ => vec![bare(hir).clone()],
    };
    let first = parts.first().map_or(Edge::Open, |part| edge(part, Look::Start));
    if first != Edge::Open {
        parts.remove(0);
    }
    let last = parts.last().map_or(Edge::Open, |part| edge(part, Look::End));
    if last != Edge::Open {
        parts.pop();
    }
    let core = Hir::concat(parts);
    if core.properties().minimum_len().is_none_or(|length| length == 0) {
        return Err("it matches without a word".into());
    }
    let (starts, whole) = (first == Edge::Text, last == Edge::Text);
    if whole && !starts {
        return Err("it asks for the end of the text and not for its beginning".into());
    }
    let closed = first != Edge::Open && last != Edge::Open;
    if let Some(spellings) = spellings(&core).filter(|spellings| closed && spellings.iter().all(|text| plain(text))) {
        let mut each: Vec<String> = Vec::new();
        for text in spellings {
            let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            let text = words.collect::<Vec<_>>().join(" ");
            if !each.contains(&text) {
                each.push(text);
            }
        }
        let example = each[0].clone();
        let phrase = if each.len() == 1 { example.clone() } else { format!("({})", each.join("|")) };
        return Ok(Words { form: Form::Phrase(phrase), starts, whole, example });
    }
    let (mut pattern, mut example) = (String::new(), String::new());
    if first == Edge::Open {
        pattern.push_str("[^ ]*");
    }
    write(&core, false, &mut pattern)?;
    if last == Edge::Open {
        pattern.push_str("[^ ]*");
    }
    sample(&core, &mut example);
    Ok(Words { form: Form::Pattern(pattern), starts, whole, example })
}

/// A capture stands for what it holds.
fn bare(hir: &Hir) -> &Hir {
    match hir.kind() {
        HirKind::Capture(capture) => bare(&capture.sub),
        _ => hir,
    }
}

fn edge(hir: &Hir, text: Look) -> Edge {
    match bare(hir).kind() {
        HirKind::Look(look) if *look == text => Edge::Text,
        HirKind::Look(Look::WordAscii | Look::WordUnicode) => Edge::Word,
        _ if boundary(hir, text) => Edge::Word,
        _ => Edge::Open,
    }
}

/// `(?:^|[^a-z])`, `(?:[^a-z]|$)`, or the class alone.
fn boundary(hir: &Hir, text: Look) -> bool {
    match bare(hir).kind() {
        HirKind::Alternation(sides) => {
            let is_text = |side: &Hir| matches!(bare(side).kind(), HirKind::Look(look) if *look == text);
            sides.len() == 2 && sides.iter().any(is_text) && sides.iter().any(separator)
        }
        _ => separator(hir),
    }
}

/// A class that holds the space and nothing that words are made of.
fn separator(hir: &Hir) -> bool {
    let HirKind::Class(Class::Unicode(class)) = bare(hir).kind() else { return false };
    let holds = |c: char| class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&c));
    holds(' ') && !LETTERS.chain('0'..='9').chain('а'..='я').any(holds)
}

/// All texts that match, in order; `None` if they are too many.
fn spellings(hir: &Hir) -> Option<Vec<String>> {
    match hir.kind() {
        HirKind::Empty => Some(vec![String::new()]),
        HirKind::Literal(literal) => Some(vec![String::from_utf8(literal.0.to_vec()).ok()?]),
        HirKind::Class(Class::Unicode(class)) => {
            let chars = || class.ranges().iter().flat_map(|range| range.start()..=range.end());
            (chars().take(MAX_SPELLINGS + 1).count() <= MAX_SPELLINGS).then(|| chars().map(String::from).collect())
        }
        HirKind::Class(Class::Bytes(_)) | HirKind::Look(_) => None,
        HirKind::Capture(capture) => spellings(&capture.sub),
        HirKind::Repetition(repetition) => {
            let once = spellings(&repetition.sub)?;
            let max = repetition.max.filter(|max| *max as usize <= MAX_SPELLINGS)?;
            let mut all = Vec::new();
            let mut times = vec![String::new()];
            for count in 0..=max {
                if count >= repetition.min {
                    all.extend(times.iter().cloned());
                }
                if count < max {
                    times = joined(&times, &once)?;
                }
            }
            (all.len() <= MAX_SPELLINGS).then_some(all)
        }
        HirKind::Concat(parts) => {
            parts.iter().try_fold(vec![String::new()], |before, part| joined(&before, &spellings(part)?))
        }
        HirKind::Alternation(branches) => {
            let each: Option<Vec<_>> = branches.iter().map(spellings).collect();
            let all = each?.concat();
            (all.len() <= MAX_SPELLINGS).then_some(all)
        }
    }
}

fn joined(before: &[String], after: &[String]) -> Option<Vec<String>> {
    let many = before.len() * after.len();
    (many <= MAX_SPELLINGS).then(|| before.iter().flat_map(|a| after.iter().map(move |b| format!("{a}{b}"))).collect())
}

/// Whether a spelling is words as a folded text can hold them, with one space between, and commas at most before it.
fn plain(text: &str) -> bool {
    text.replace(", ", " ").split(' ').all(|word| !word.is_empty() && word.chars().all(is_folded))
}

fn is_folded(c: char) -> bool {
    c.is_alphanumeric() && c != 'ё' && c.to_lowercase().eq([c])
}

/// Writes a regex as a pattern. `more`: something follows that is not empty.
fn write(hir: &Hir, more: bool, out: &mut String) -> Result<(), String> {
    match hir.kind() {
        _ if separator(hir) => out.push(' '),
        HirKind::Empty => out.push_str("(?:)"),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).map_err(|_| "it matches bytes that are no text".to_owned())?;
            out.push_str(&regex_syntax::escape(text));
        }
        HirKind::Class(Class::Unicode(class)) => out.push_str(&class_text(class)),
        HirKind::Class(Class::Bytes(_)) => return Err("it matches bytes that are no text".into()),
        HirKind::Look(_) => return Err("it asks for the edge of the text or of a word in its middle".into()),
        HirKind::Capture(capture) => write(&capture.sub, more, out)?,
        HirKind::Repetition(repetition) => {
            let grouped =
                !matches!(bare(&repetition.sub).kind(), HirKind::Class(_)) && !one_char(bare(&repetition.sub));
            out.push_str(if grouped { "(?:" } else { "" });
            write(&repetition.sub, more, out)?;
            out.push_str(if grouped { ")" } else { "" });
            match (repetition.min, repetition.max) {
                (0, None) => out.push('*'),
                (1, None) => out.push('+'),
                (0, Some(1)) => out.push('?'),
                (min, None) => out.push_str(&format!("{{{min},}}")),
                (min, Some(max)) if min == max => out.push_str(&format!("{{{min}}}")),
                (min, Some(max)) => out.push_str(&format!("{{{min},{max}}}")),
            }
        }
        HirKind::Concat(parts) => {
            for (at, part) in parts.iter().enumerate() {
                let rest = &parts[at + 1..];
                let more = more || rest.iter().any(|part| part.properties().minimum_len().is_some_and(|len| len > 0));
                if !vanishes(part, rest) {
                    let grouped = matches!(bare(part).kind(), HirKind::Alternation(_)) && !gap(part, more);
                    out.push_str(if grouped { "(?:" } else { "" });
                    write(part, more, out)?;
                    out.push_str(if grouped { ")" } else { "" });
                }
            }
        }
        // Where something follows, the end of the text does not come in question.
        HirKind::Alternation(_) if gap(hir, more) => out.push(' '),
        HirKind::Alternation(branches) => {
            for (at, branch) in branches.iter().enumerate() {
                out.push_str(if at > 0 { "|" } else { "" });
                write(branch, more, out)?;
            }
        }
    }
    Ok(())
}

/// The end of a word in the middle of a regex.
fn gap(hir: &Hir, more: bool) -> bool {
    more && boundary(hir, Look::End)
}

/// Punctuation that may be left out before a space: folded text has none there.
fn vanishes(hir: &Hir, rest: &[Hir]) -> bool {
    let HirKind::Repetition(repetition) = bare(hir).kind() else { return false };
    let HirKind::Literal(mark) = bare(&repetition.sub).kind() else { return false };
    let before_space = match rest.first().map(|next| bare(next).kind()) {
        Some(HirKind::Literal(next)) => next.0.first() == Some(&b' '),
        _ => false,
    };
    repetition.min == 0 && mark.0.iter().all(u8::is_ascii_punctuation) && before_space
}

fn one_char(hir: &Hir) -> bool {
    matches!(hir.kind(), HirKind::Literal(literal) if std::str::from_utf8(&literal.0).is_ok_and(|text| text.chars().count() == 1))
}

fn class_text(class: &regex_syntax::hir::ClassUnicode) -> String {
    let mut inverse = class.clone();
    inverse.negate();
    if inverse.ranges() == [regex_syntax::hir::ClassUnicodeRange::new('\n', '\n')] {
        return ".".into();
    }
    let negated = class.ranges().last().is_some_and(|range| range.end() == char::MAX);
    let mut text = String::from(if negated { "[^" } else { "[" });
    for range in if negated { inverse.ranges() } else { class.ranges() } {
        let char = |c: char| regex_syntax::escape(c.encode_utf8(&mut [0; 4]));
        text.push_str(&char(range.start()));
        if range.start() != range.end() {
            text.push('-');
            text.push_str(&char(range.end()));
        }
    }
    text + "]"
}

/// A text that a regex matches: the first of what may stand, the least that must.
fn sample(hir: &Hir, out: &mut String) {
    match hir.kind() {
        _ if separator(hir) || gap(hir, true) => out.push(' '),
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(Class::Bytes(_)) => {}
        HirKind::Literal(literal) => out.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(Class::Unicode(class)) => {
            let mut chars = class.ranges().iter().flat_map(|range| range.start()..=range.end()).take(4096);
            out.extend(chars.find(|c| c.is_alphanumeric() && is_folded(*c)));
        }
        HirKind::Capture(capture) => sample(&capture.sub, out),
        HirKind::Repetition(repetition) => (0..repetition.min).for_each(|_| sample(&repetition.sub, out)),
        HirKind::Concat(parts) => parts.iter().for_each(|part| sample(part, out)),
        HirKind::Alternation(branches) => sample(&branches[0], out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrase(text: &str) -> Form {
        Form::Phrase(text.into())
    }

    fn pattern(text: &str) -> Form {
        Form::Pattern(text.into())
    }

    /// `B` and `E` are the edges of a word, `GAP` is words between.
    fn said(short: &str) -> Result<Vec<Words>, String> {
        let separator = "[^a-zа-я0-9]";
        let regex = short.replace("GAP", &format!("(?:.*{separator})?"));
        translate(&regex.replace('B', &format!("(?:^|{separator})")).replace('E', &format!("(?:{separator}|$)")))
    }

    fn forms(short: &str) -> Vec<Form> {
        said(short).unwrap().into_iter().map(|words| words.form).collect()
    }

    #[test]
    fn words_between_separators_are_phrases() {
        assert_eq!(forms("B(?:about it|по ней)E"), [phrase("(about it|по ней)")]);
        assert_eq!(forms(r"\bhello\b"), [phrase("hello")]);
        assert_eq!(forms("Bwho (?:is |was )?itE"), [phrase("(who it|who is it|who was it)")]);
        assert_eq!(forms("Bwell,? thenE"), [phrase("well then")]);
        assert_eq!(forms("Bgr[ae]yE"), [phrase("(gray|grey)")]);
    }

    #[test]
    fn the_beginning_of_the_text_is_kept() {
        let words = said("^and forE").unwrap();
        assert_eq!(words, [Words { form: phrase("and for"), starts: true, whole: false, example: "and for".into() }]);
        let words = said("^yes$").unwrap();
        assert_eq!(words, [Words { form: phrase("yes"), starts: true, whole: true, example: "yes".into() }]);
        let words = said("^so|BorE").unwrap();
        assert_eq!(words.iter().map(|words| words.starts).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn what_is_no_list_of_words_is_a_pattern() {
        let gap = "B(?:show|list)EGAP(?:lamp[a-z]*|bulb)E";
        let words = said(gap).unwrap();
        assert_eq!(words[0].form, pattern("(?:show|list) (?:.* )?(?:lamp[a-z]*|bulb)"));
        assert_eq!(words[0].example, "show lamp");
        let words = said("Bin (?:may|june) 20[0-9][0-9]E").unwrap();
        assert_eq!(words[0].form, pattern("in (?:may|june) 20[0-9][0-9]"));
        assert_eq!(words[0].example, "in may 2000");
        assert_eq!(forms("Bwell,? t[a-z]+E"), [pattern("well t[a-z]+")]);
    }

    #[test]
    fn an_open_end_goes_on_to_the_end_of_the_word() {
        assert_eq!(forms("Bltd [a-z0-9]+"), [pattern("ltd [0-9a-z]+[^ ]*")]);
        assert_eq!(forms("lamp"), [pattern("[^ ]*lamp[^ ]*")]);
        assert_eq!(forms("^lamp"), [pattern("lamp[^ ]*")]);
    }

    #[test]
    fn what_cannot_be_said_is_refused() {
        for (regex, why) in [
            ("lamp(", "is no regex"),
            ("Ba$", "the end of the text"),
            (r"a\b.b", "in its middle"),
            ("[a-z]*", "without a word"),
            ("", "without a word"),
        ] {
            let message = said(regex).unwrap_err();
            assert!(message.starts_with('`') && message.contains(why), "{message}");
        }
    }
}
