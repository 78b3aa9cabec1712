//! "Did you mean", and how input is quoted in messages.

use super::alike;

/// Names longer than this are not compared.
const LONGEST_NAME: usize = 64;
/// Quoted input longer than this is cut.
const LONGEST_QUOTE: usize = 60;

/// The candidate most like `name`, if one is like enough: about one edit per three characters, case apart. Of equally
/// good candidates the first wins.
pub fn suggest<'c, S: AsRef<str> + ?Sized + 'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c S>,
) -> Option<&'c str> {
    let wanted = folded(unquoted(name))?;
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let candidate = candidate.as_ref();
        if alike::differ(name, candidate).is_some() {
            return Some(candidate);
        }
        let Some(chars) = folded(candidate) else { continue };
        let cutoff = wanted.len().max(chars.len()) / 3;
        if wanted.len().abs_diff(chars.len()) > cutoff {
            continue;
        }
        let distance = distance(&wanted, &chars);
        if distance <= cutoff && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// A name without the quotes that were written as a part of it.
fn unquoted(name: &str) -> &str {
    name.trim_matches(|c: char| matches!(alike::sign(c).unwrap_or(c), '"' | '\''))
}

/// The question whether a name that is like another was meant. Of two that look the same it says in which letter they differ.
#[must_use]
pub fn did_you_mean(name: &str, near: &str) -> String {
    let mut asked = format!("did you mean {}?", quoted(near));
    if unquoted(name) == near && name != near {
        asked.push_str(" The quotes are a part of what is written.");
    }
    if let Some((written, meant)) = alike::differ(name, near) {
        let named = |c: char| {
            let of = alike::script(c).map_or(String::new(), |script| format!(", {}", script.name()));
            format!("`{c}` (U+{:04X}{of})", u32::from(c))
        };
        asked.push_str(&format!(" They look the same: {} is written, {} is meant.", named(written), named(meant)));
    }
    asked
}

/// Lower case, with `-` and `_` the same; nothing for names too long to compare.
fn folded(name: &str) -> Option<Vec<char>> {
    let chars: Vec<char> = name.chars().take(LONGEST_NAME + 1).collect();
    if chars.is_empty() || chars.len() > LONGEST_NAME {
        return None;
    }
    Some(chars.into_iter().flat_map(char::to_lowercase).map(|c| if c == '-' { '_' } else { c }).collect())
}

/// Edits to get from one to the other: insert, delete, replace, swap two neighbours.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1; b.len() + 1];
        for (j, y) in b.iter().enumerate() {
            let replaced = last[j] + usize::from(x != y);
            row[j + 1] = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                row[j + 1] = row[j + 1].min(before_last[j - 1] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// Input in backticks on one line: control characters and what cannot be seen escaped, long text cut.
#[must_use]
pub fn quoted(input: &str) -> String {
    let mut quoted = String::from("`");
    for (at, c) in input.chars().enumerate() {
        if at == LONGEST_QUOTE {
            quoted.push('…');
            break;
        }
        if c.is_control() {
            quoted.extend(c.escape_default());
        } else if super::hidden::is_hidden(c) || super::hidden::is_wide_space(c) {
            quoted.push_str(&format!("<U+{:04X}>", u32::from(c)));
        } else {
            quoted.push(c);
        }
    }
    quoted.push('`');
    quoted
}

/// Names in backticks with commas, at most 30 of them.
pub fn listed<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    let mut names = names.into_iter();
    let shown: Vec<_> = names.by_ref().take(30).map(|n| quoted(n.as_ref())).collect();
    let rest = names.count();
    let shown = shown.join(", ");
    if rest > 0 { format!("{shown} and {rest} more") } else { shown }
}

/// Names that lead round to the first of them, with arrows; of a long way the beginning and the end.
#[must_use]
pub fn round<S: AsRef<str>>(names: &[S]) -> String {
    const SHOWN: usize = 12;
    let mut way: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    if way.len() > 2 * SHOWN {
        way.splice(SHOWN..way.len() - SHOWN, ["…"]);
    }
    way.extend(names.first().map(AsRef::as_ref));
    way.join(" → ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_near_names_only() {
        let names = ["carryover", "forbidden_carryover", "precedence", "запрет", "перенос"];
        assert_eq!(suggest("caryover", names), Some("carryover"));
        assert_eq!(suggest("forbidden-carryover", names), Some("forbidden_carryover"));
        assert_eq!(suggest("precednece", names), Some("precedence"));
        assert_eq!(suggest("Перенсо", names), Some("перенос"));
        assert_eq!(suggest("when", names), None);
        assert_eq!(suggest("", names), None);
        assert_eq!(suggest(&"x".repeat(10_000), names), None);
    }

    #[test]
    fn short_names_need_to_be_equal_but_for_case() {
        assert_eq!(suggest("T9", ["T1", "T2"]), None);
        assert_eq!(suggest("t2", ["T1", "T2"]), Some("T2"));
    }

    #[test]
    fn names_that_look_the_same_are_told_apart() {
        assert_eq!(suggest("Т3", ["T1", "T3"]), Some("T3"));
        assert_eq!(
            did_you_mean("Т3", "T3"),
            "did you mean `T3`? They look the same: `Т` (U+0422, Cyrillic) is written, `T` (U+0054, Latin) is meant."
        );
        assert_eq!(did_you_mean("T33", "T3"), "did you mean `T3`?");
    }

    #[test]
    fn the_first_of_equals_wins() {
        assert_eq!(suggest("bat", ["cat", "rat", "bar"]), Some("cat"));
        assert_eq!(suggest("bat", [String::from("rat"), String::from("cat")].iter()), Some("rat"));
    }

    #[test]
    fn quotes_stay_on_one_short_line() {
        assert_eq!(quoted("a\nb"), "`a\\nb`");
        assert_eq!(quoted(&"я".repeat(100)).chars().count(), LONGEST_QUOTE + 3);
        assert_eq!(listed(["a", "b"]), "`a`, `b`");
        assert_eq!(round(&["a", "b"]), "a → b → a");
        let long = round(&(0..100).map(|n| n.to_string()).collect::<Vec<_>>());
        assert!(long.starts_with("0 → 1 → ") && long.contains(" → … → ") && long.ends_with(" → 99 → 0"), "{long}");
        assert!(listed((0..38).map(|n| n.to_string())).ends_with("and 8 more"));
    }
}
