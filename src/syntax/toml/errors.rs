//! What TOML syntax errors mean and what to write instead. An error not listed here keeps the parser's own words.

use toml_parser::{Expected, ParseError};

use crate::diag::quoted;

/// The parser's words for a second `=`: what it says about the rest of the line is of no use.
pub(super) const EXTRA_SIGN: &str = "extra `=`";
/// The parser's words for a key that needs quotes.
pub(super) const ODD_KEY: &str = "invalid unquoted key";

/// Whether a value is due at a place and nothing that could be one stands there.
pub(super) fn lacks_value(text: &str, at: usize) -> bool {
    let due = text.get(..at).is_some_and(|before| before.trim_end_matches([' ', '\t']).ends_with('='));
    due && text[at..]
        .trim_start_matches([' ', '\t'])
        .chars()
        .next()
        .is_none_or(|c| matches!(c, '}' | ']' | ',' | '\r' | '\n'))
}

/// The message and the help for an error at some text, which may be empty. `lacks_value`: a value is due there, and none stands there.
pub(super) fn explain(error: &ParseError, written: &str, lacks_value: bool) -> (String, Option<String>) {
    let expected: Vec<String> = error.expected().unwrap_or_default().iter().filter_map(expected).collect();
    let wants = |sign| error.expected().unwrap_or_default().contains(&Expected::Literal(sign));
    let (message, help) = match error.description() {
        "string values must be quoted" if written.is_empty() => {
            ("a value is missing", "write a value, or leave the key out")
        }
        "string values must be quoted" | "invalid boolean" => {
            let help = format!("quote it: \"{}\"", written.escape_debug());
            return ("text needs quotes".to_owned(), (written.len() < 80).then_some(help));
        }
        "unquoted keys cannot be empty" => ("a key is missing", "write a key; an empty one needs quotes"),
        ODD_KEY => ("a key with other characters than A to Z, digits, `_` and `-`", "quote the key"),
        "key with no value" => ("a key without a value", "write `key = value`"),
        "missing inline table opening" => ("`}` closes nothing", "open the table with `{`, or remove the bracket"),
        "missing array opening" => ("`]` closes nothing", "open the list with `[`, or remove the bracket"),
        "missing comma between key-value pairs" => ("a comma is missing before this", "write `,` between two entries"),
        "missing comma between array elements" => ("a comma is missing before this", "write `,` between two items"),
        "unexpected key or value" => ("more text after the value", "begin a new line"),
        "unexpected leading zero" => {
            ("a number that begins with a zero", "leave the zero out, or quote it if it is text")
        }
        "missing escaped value" => {
            ("unknown escape in double quotes", "write `\\\\` for a backslash, or use single quotes")
        }
        "invalid literal string"
        | "invalid basic string"
        | "invalid multi-line literal string"
        | "invalid multi-line basic string"
            if lacks_value =>
        {
            ("a value is missing", "write a value, or leave the key out")
        }
        "invalid literal string"
        | "invalid basic string"
        | "invalid multi-line literal string"
        | "invalid multi-line basic string"
            if wants("'") || wants("\"") =>
        {
            (
                "text without its closing quote",
                "close the quote; text over several lines needs three quotes on either side",
            )
        }
        "too few unicode value digits" => ("an escape lacks hexadecimal digits", "write `\\uXXXX` or `\\UXXXXXXXX`"),
        "extra comma in inline table" | "extra comma in array" => {
            ("a comma without a value before it", "remove the comma")
        }
        EXTRA_SIGN => (EXTRA_SIGN, "write `=` once"),
        other if other.starts_with("invalid date") => (other, "write a date such as 2021-05-10, or quote the text"),
        other => {
            let help = if expected.is_empty() { None } else { Some(format!("write {}", expected.join(" or "))) };
            return (other.to_owned(), help);
        }
    };
    (message.to_owned(), Some(help.to_owned()))
}

/// The whole of a key that needs quotes, and the letter for which it does.
pub(super) fn key<'t>(error: &ParseError, text: &'t str) -> Option<(&'t str, char)> {
    const LONGEST: usize = 80;
    let at = error.unexpected().filter(|_| error.description() == ODD_KEY)?;
    let strange = text.get(at.start()..)?.chars().next().filter(|c| c.is_alphanumeric() && !c.is_ascii())?;
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let start = at.start() - (text[..at.start()].len() - text[..at.start()].trim_end_matches(part).len());
    let end = text[at.start()..].find(|c: char| !part(c)).map_or(text.len(), |end| at.start() + end);
    let key = &text[start..end];
    (key.len() < LONGEST).then_some((key, strange))
}

fn expected(expected: &Expected) -> Option<String> {
    match expected {
        Expected::Literal("\n") => Some("a new line".to_owned()),
        Expected::Literal(text) => Some(quoted(text)),
        Expected::Description(text) => Some((*text).to_owned()),
        _ => None,
    }
}
