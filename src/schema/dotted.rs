//! Keys with dots: the ways that a key goes on into its value, as patterns.

use crate::diag::Code;
use crate::language::{CONDITION, Key, Names, Rest, Shape, Value};

/// Through how many tables with keys of their own a dotted key is followed; beyond that anything may stand.
const DEEP: usize = 1;

/// What stands at the end of a dotted key.
#[derive(Debug, Clone, Copy)]
pub(super) enum End {
    /// What stands under a key.
    Key(&'static Key),
    /// What stands under a key of the author's choice.
    Rest(&'static Rest),
    /// A value.
    Value(&'static Value),
    /// Anything.
    Anything,
}

/// A way to go on: a pattern for the rest of the key, and what stands at its end.
pub(super) type Way = (String, End);

/// The ways into a table by keys with at least one dot: whole patterns, without `^` and `$`.
pub(super) fn into_shape(shape: &'static Shape, keys: &[&'static Key]) -> Vec<Way> {
    if is_condition(shape) {
        let mut ways = vec![(r"not\..+".to_owned(), End::Anything)];
        push(&mut ways, &none_of(COMBINATORS), tested());
        return ways;
    }
    let mut ways = Vec::new();
    for key in keys {
        push(&mut ways, key.name, beyond(&key.value, DEEP));
    }
    if let Some(rest) = &shape.rest {
        let inner: Vec<&str> = keys.iter().filter(|key| goes_on(&key.value)).map(|key| key.name).collect();
        push(&mut ways, &piece(&inner), beyond(rest.value, DEEP));
    }
    ways
}

/// The same of a table of names.
pub(super) fn into_names(rest: &'static Rest) -> Vec<Way> {
    let mut ways = Vec::new();
    push(&mut ways, &piece(&[]), beyond(rest.value, DEEP));
    ways
}

/// Whether a dotted key may go on into a value.
pub(super) fn goes_on(value: &Value) -> bool {
    match value {
        Value::Table(_) | Value::Names(_) | Value::Computed | Value::Tested | Value::Literal => true,
        Value::Either(all) => all.iter().any(goes_on),
        _ => false,
    }
}

/// The pattern of names that are declared: letters, digits, `_` and `-`. Beyond ASCII everything passes.
pub(super) const NAME: &str = r"[^\x00-,./:-@\[-\^`{-\x7f]+";

fn push(ways: &mut Vec<Way>, head: &str, beyond: Vec<Way>) {
    ways.extend(beyond.into_iter().map(|(way, end)| (format!(r"{head}\.{way}"), end)));
}

/// The ways on from a value.
fn beyond(value: &'static Value, left: usize) -> Vec<Way> {
    if !goes_on(value) {
        return Vec::new();
    }
    let mut ways = Vec::new();
    match value {
        Value::Table(_) if left == 0 => ways.push((".+".to_owned(), End::Anything)),
        Value::Table(shape) if is_condition(shape) => {
            for key in shape.keys().filter(|key| COMBINATORS.contains(&key.name)) {
                ways.push((key.name.to_owned(), End::Key(key)));
            }
            ways.push((r"not\..+".to_owned(), End::Anything));
            ways.push((none_of(COMBINATORS), TESTED));
            push(&mut ways, &none_of(COMBINATORS), tested());
        }
        Value::Table(shape) => {
            for key in shape.keys() {
                ways.push((key.name.to_owned(), End::Key(key)));
                push(&mut ways, key.name, beyond(&key.value, left - 1));
            }
            if let Some(rest) = &shape.rest {
                names(&mut ways, rest, &shape.names(), left - 1);
            }
        }
        Value::Names(rest) => names(&mut ways, rest, &[], left),
        Value::Either(all) => ways.extend(all.iter().flat_map(|one| beyond(one, left))),
        Value::Tested => ways.extend(tested()),
        _ => ways.push((".+".to_owned(), End::Value(value))),
    }
    ways
}

/// Tests under which other things stand than a path is tested with.
const OTHER_TESTS: &[&str] =
    &["contains", "subset_of", "same_set", "disjoint", "covered_by", "exists", "every", "count", "differs"];

/// The ways on from what a path is tested with: further pieces, and tests.
fn tested() -> Vec<Way> {
    let (piece, others) = (none_of(OTHER_TESTS), OTHER_TESTS.join("|"));
    vec![(format!(r"(?:{piece}(?:\.|$))+"), TESTED), (format!(r"(?:.+\.)?(?:{others})(?:\..+)?"), End::Anything)]
}

fn names(ways: &mut Vec<Way>, rest: &'static Rest, words: &[&str], left: usize) {
    let piece = match rest.names {
        Names::Codes => {
            let all: Vec<&str> = Code::ALL.iter().flat_map(|code| [code.id(), code.slug()]).collect();
            format!("(?:{})", all.join("|"))
        }
        Names::Declared | Names::Any => piece(words),
    };
    ways.push((piece.clone(), End::Rest(rest)));
    push(ways, &piece, beyond(rest.value, left));
}

/// A piece of a key that is a name of the author's and none of some words.
fn piece(words: &[&str]) -> String {
    if words.is_empty() { r"[^.]+".to_owned() } else { none_of(words) }
}

/// Keys of a condition that are no heads of paths. All others go on to tests: which names there are the schema does not know.
const COMBINATORS: &[&str] = &["is", "any", "all", "not"];
const TESTED: End = End::Value(&Value::Tested);

fn is_condition(shape: &Shape) -> bool {
    std::ptr::eq(shape, &CONDITION)
}

/// A pattern of pieces that are none of some words, without looking ahead: not every engine can.
fn none_of(words: &[&str]) -> String {
    let mut heads: Vec<char> = words.iter().filter_map(|word| word.chars().next()).collect();
    heads.sort_unstable();
    heads.dedup();
    let listed: String = heads.iter().collect();
    let mut ways = vec![format!("[^.{listed}][^.]*")];
    for head in heads {
        let tails: Vec<&str> = words.iter().filter_map(|word| word.strip_prefix(head)).collect();
        let more: Vec<&str> = tails.iter().copied().filter(|tail| !tail.is_empty()).collect();
        let may_end = more.len() == tails.len();
        match (more.is_empty(), may_end) {
            (true, _) => ways.push(format!("{head}[^.]+")),
            (false, true) => ways.push(format!("{head}(?:{})?", none_of(&more))),
            (false, false) => ways.push(format!("{head}(?:{})", none_of(&more))),
        }
    }
    match ways.as_slice() {
        [one] => one.clone(),
        _ => format!("(?:{})", ways.join("|")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_that_are_none_of_some_words() {
        let words = ["any", "all", "not", "nothing", "is"];
        let pattern = regex::Regex::new(&format!("^{}$", none_of(&words))).expect("a pattern");
        for word in words {
            assert!(!pattern.is_match(word), "{word}");
        }
        for word in ["a", "an", "anyy", "al", "no", "noth", "nothin", "nothings", "i", "iss", "root", "ж", "[$input"] {
            assert!(pattern.is_match(word), "{word}");
        }
        assert!(!pattern.is_match("a.b") && !pattern.is_match(""));
    }
}
