//! The comments of a YAML text: what begins with `#` between its words. The parser can tell them itself, but then all reading is a
//! third slower.

use std::ops::Range;

use granit_parser::{Parser, ScalarStyle, Scanner, StrInput, TokenType, options};

/// The comments up to the first fault.
pub(in crate::syntax) fn comments(text: &str) -> Vec<Range<usize>> {
    let mut events = Parser::new_from_str_with_options(text, options! { emit_unresolved_aliases: true });
    let fault = events.find_map(Result::err).map(|fault| fault.marker().byte_offset().unwrap_or(0));
    let mut found = between(text);
    found.retain(|comment| fault.is_none_or(|fault| comment.start < fault));
    found
}

/// What stands between words, up to where these cannot be told.
fn between(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut end = 0;
    for token in Scanner::new(StrInput::new(text)) {
        let (words, last) = match token.map(granit_parser::Token::into_parts) {
            Ok((_, TokenType::StreamEnd)) => (text.len()..text.len(), true),
            Ok((span, kind)) if has_words(&kind) => (span.byte_range().unwrap_or(end..end), false),
            Ok(_) => continue,
            Err(fault) => (fault.marker().byte_offset().unwrap_or(end)..text.len(), true),
        };
        if let Some(between) = text.get(end..words.start) {
            found.extend(between_words(text, end, end + between.len()));
        }
        if last {
            break;
        }
        end = words.end.max(end);
    }
    found
}

/// Whether a token says something, so that a `#` may be a part of it.
fn has_words(kind: &TokenType<'_>) -> bool {
    match kind {
        // An empty one has the place of its sign, and of the comment beside it.
        TokenType::Scalar(ScalarStyle::Literal | ScalarStyle::Folded, text) => !text.trim().is_empty(),
        TokenType::Scalar(..)
        | TokenType::Alias(_)
        | TokenType::Anchor(_)
        | TokenType::Tag(..)
        | TokenType::VersionDirective(..)
        | TokenType::TagDirective(..)
        | TokenType::ReservedDirective(..) => true,
        _ => false,
    }
}

/// The comments that begin in a range of a text in which nothing is said.
fn between_words(text: &str, start: usize, end: usize) -> impl Iterator<Item = Range<usize>> {
    let mut at = start;
    std::iter::from_fn(move || {
        loop {
            let sign = at + text.get(at..end)?.find('#')?;
            at = sign + 1;
            if text[..sign].ends_with([' ', '\t', '\n', '\r', '\u{feff}']) || sign == 0 {
                at = text[sign..].find(['\n', '\r']).map_or(text.len(), |length| sign + length);
                return Some(sign..at);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::comments;

    #[track_caller]
    fn found(text: &str) -> Vec<&str> {
        comments(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn beside_between_and_below_words() {
        assert_eq!(found("# only"), ["# only"]);
        assert_eq!(found("\u{feff}# первый\r\nа: б #в\r\n#\r\n\t# г\r\n"), ["# первый", "#в", "#", "# г"]);
        assert_eq!(found("a: [1, # in\n 2]\n? q # k\n: v\n"), ["# in", "# k"]);
        assert_eq!(found("%YAML 1.2 # d\n--- # e\na: 1\n... # end\n"), ["# d", "# e", "# end"]);
        // Beside the sign of a text of several lines, and below it.
        assert_eq!(found("a: | # head\n  text\n# below\nb: 1\n"), ["# head", "# below"]);
        for end in ["", "\n", "\r\n", "\n\n"] {
            assert_eq!(found(&format!("a: |+ # empty{end}")), ["# empty"]);
            assert_eq!(found(&format!("- >- # empty{end}")), ["# empty"]);
        }
    }

    #[test]
    fn signs_within_words_are_none() {
        assert_eq!(found("a#b: c#d\ne: 'f # g'\nh: \"i\n # j\"\n"), Vec::<&str>::new());
        assert_eq!(found("a: |\n  # text\n  # text\nb: >-\n  c\n  # text\n"), Vec::<&str>::new());
        assert_eq!(found("- &a#b x\n- *a#b\n- !c#d e # f\n"), ["# f"]);
    }

    #[test]
    fn those_above_the_fault() {
        assert_eq!(found("a: 1 # b\n# c\nd: [ # e\n"), ["# b", "# c"]);
        assert_eq!(found("a: 1 # b\nc: \"open # d\n# e\n"), ["# b"]);
        // What only the parser minds.
        assert_eq!(found("a: 1 # b\n- x # c\n"), ["# b"]);
    }
}
