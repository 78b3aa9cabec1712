//! A quote or a bracket that is not closed: where it was meant to end, so that it gives one finding and not one for each line below it.

use std::ops::Range;

use toml_parser::parser::{Event, EventKind};
use toml_parser::{ParseError, Source};

/// What takes in all that follows it, and the entry that it stands in.
pub(super) struct Runaway {
    /// What was left open.
    pub kind: Kind,
    /// Where it begins.
    pub place: Range<usize>,
    /// The first thing below that cannot belong to it.
    pub next: Option<usize>,
    /// Whether other quotes are taken for its end: then `next` is where they stand.
    pub taken: bool,
    /// The entry, which is not read.
    pub entry: Range<usize>,
}

/// What was left open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A quote on one line.
    Quote,
    /// Three quotes.
    Quotes(&'static str),
    /// A bracket, by its sign.
    Bracket(char),
    /// A key with brackets behind it, but no `=`.
    Sign,
}

/// A text in three quotes that runs to the end of the file: it is no error of the parser.
pub(super) fn endless(source: Source<'_>, events: &[Event]) -> Option<Runaway> {
    let text = source.input();
    let last = events.iter().rfind(|event| event.kind() == EventKind::Scalar)?.span();
    let written = &text[last.start()..last.end()];
    let quotes = open_quotes(written)?;
    let closed = written.len() >= 2 * quotes.len() && written.ends_with(quotes);
    (!closed).then(|| endless_at(text, quotes, last.start()))
}

fn endless_at(text: &str, quotes: &'static str, at: usize) -> Runaway {
    let start = entry_start(text, at);
    let end = entry_end(text, start, line_end(text, at));
    let next = (end < text.len()).then(|| end + margin(text, end));
    let place = at..at + quotes.len();
    Runaway { kind: Kind::Quotes(quotes), place, next, taken: false, entry: start..end }
}

/// The first error that comes of something left open; `errors` in the order of their places.
pub(super) fn find(source: Source<'_>, events: &[Event], errors: &[ParseError]) -> Option<Runaway> {
    let text = source.input();
    errors.iter().find_map(|error| {
        let at = error.unexpected().or(error.context())?.start();
        let bracket = error.context().filter(|context| context.len() == 1 && context.start() < at);
        let from = bracket.map_or(at, |bracket| bracket.start());
        let start = entry_start(text, from);
        let found = |kind, place: Range<usize>, after: usize| {
            let end = entry_end(text, start, after);
            let next = (end < text.len()).then_some(end);
            Some(Runaway { kind, place, next, taken: false, entry: start..end })
        };
        let many = events.iter().filter(|event| event.kind() == EventKind::Scalar).find_map(|event| {
            let span = event.span().start()..event.span().end();
            let quotes = open_quotes(&text[span.clone()])?;
            (span.end == at && error.description() == "unexpected key or value").then_some((quotes, span))
        });
        if let Some((quotes, span)) = many {
            // It has an end where other quotes come first, which most likely open another text.
            let taken = Some(span.end - quotes.len());
            return Some(Runaway { next: taken, taken: true, ..endless_at(text, quotes, span.start) });
        }
        let scalars = events.iter().filter(|event| event.kind() == EventKind::Scalar);
        let mut near = scalars.map(|event| event.span().start()..event.span().end());
        if let Some(quote) =
            near.find(|span| span.start >= start && span.start <= at && is_open_text(&text[span.clone()]))
        {
            let after = quote.end;
            return found(Kind::Quote, quote, after);
        }
        let line = line_start(text, at);
        if let Some(bracket) = bracket
            && (at >= text.trim_end().len()
                || (line > bracket.start() && begins(text, line) && margin(text, line) <= margin(text, start)))
        {
            let sign = text[bracket.start()..].chars().next()?;
            let end = if at >= text.trim_end().len() { text.len() } else { line };
            let next = (end < text.len()).then_some(line + margin(text, line));
            let place = bracket.start()..bracket.end();
            return Some(Runaway { kind: Kind::Bracket(sign), place, next, taken: false, entry: start..end });
        }
        let rest = text[at..].lines().next().unwrap_or_default();
        let opened = |open: char, close: char| rest.matches(open).count() > rest.matches(close).count();
        if error.description() == "key with no value" && (opened('{', '}') || opened('[', ']')) {
            return found(Kind::Sign, at..at, line_end(text, at));
        }
        None
    })
}

/// Whether this is a text in quotes on one line that is not closed.
fn is_open_text(written: &str) -> bool {
    let Some(quote) = written.chars().next().filter(|quote| matches!(quote, '"' | '\'')) else { return false };
    let many = written.starts_with("\"\"\"") || written.starts_with("'''");
    !many && (written.len() < 2 || !written.ends_with(quote))
}

/// The three quotes that a text of several lines begins with.
fn open_quotes(written: &str) -> Option<&'static str> {
    let open = |quotes: &&str| written.starts_with(*quotes) && written.contains('\n');
    ["\"\"\"", "'''"].into_iter().find(open)
}

/// Whether the first line of a text has a double quote without its other half.
pub(super) fn lacks_quote(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    let plain = !line.contains("\"\"\"") && !line.contains(['\'', '\\', '#']);
    plain && line.matches('"').count() % 2 == 1
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at.min(text.len())].rfind('\n').map_or(0, |end| end + 1)
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end)
}

fn margin(text: &str, line: usize) -> usize {
    let rest = &text[line..];
    rest.len() - rest.trim_start_matches([' ', '\t']).len()
}

/// Whether a line begins an entry: `key =`, `key.key =` or a header.
fn begins(text: &str, line: usize) -> bool {
    let written = text[line..line_end(text, line)].trim();
    let key = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '\'');
    if let Some(header) = written.strip_prefix('[') {
        let name = header.trim_start_matches('[').split(']').next().unwrap_or_default();
        let bare = name.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        return bare && header.contains(']') && name.chars().all(|c| key(c) || c == ' ');
    }
    written.split_once('=').is_some_and(|(before, _)| {
        let before = before.trim_end();
        !before.is_empty() && before.chars().all(key)
    })
}

fn entry_start(text: &str, at: usize) -> usize {
    let mut line = line_start(text, at);
    while line > 0 && !begins(text, line) {
        line = line_start(text, line - 1);
    }
    line
}

/// The line after `from` that begins another entry and stands no deeper than the one at `start`.
fn entry_end(text: &str, start: usize, from: usize) -> usize {
    let mut line = line_end(text, from) + 1;
    while line < text.len() {
        if begins(text, line) && margin(text, line) <= margin(text, start) {
            return line;
        }
        line = line_end(text, line) + 1;
    }
    text.len()
}

/// The text with spaces in place of some bytes; lines stay lines.
pub(super) fn without(text: &str, part: Range<usize>) -> String {
    let blank = text[part.clone()].chars().flat_map(|c| {
        let sign = if matches!(c, '\n' | '\r') { c } else { ' ' };
        std::iter::repeat_n(sign, c.len_utf8())
    });
    let blank: String = blank.collect();
    format!("{}{blank}{}", &text[..part.start], &text[part.end..])
}
