//! Whether two texts say the same: what formatting promises, looked at each time.

use toml_parser::Source;
use toml_parser::lexer::TokenKind;

use crate::syntax::{Format, Kind, Node};

/// Whether two trees hold the same values under the same keys, in whatever order the keys stand.
pub(super) fn values(a: &Node, b: &Node) -> bool {
    match (&a.kind, &b.kind) {
        (Kind::List(a), Kind::List(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| values(a, b)),
        (Kind::Table(a), Kind::Table(b)) => {
            a.len() == b.len()
                && a.iter().all(|entry| b.get(&entry.key).is_some_and(|other| values(&entry.value, other)))
        }
        (a, b) => a == b,
    }
}

/// Whether two texts hold the same comments, in whatever order.
pub(super) fn comments(a: &str, b: &str, format: Format) -> bool {
    let of = |text: &str| -> Vec<String> {
        match format {
            Format::Toml => {
                let source = Source::new(text);
                let comments = source.lex().filter(|token| token.kind() == TokenKind::Comment);
                let mut texts: Vec<String> = comments
                    .filter_map(|token| source.get(token))
                    .map(|raw| raw.as_str().trim_end().to_owned())
                    .collect();
                texts.sort();
                texts
            }
            // Nothing is moved there: all that may differ is white space and quotes.
            Format::Yaml | Format::Json => {
                vec![text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '"' | '\'')).collect()]
            }
        }
    };
    of(a) == of(b)
}
