//! TOML 1.1 from the events of the toml crate's parser. Syntax errors do not end the reading.

mod errors;
mod odd;
mod runaway;
mod slips;

use std::borrow::Cow;
use std::ops::Range;

use smol_str::SmolStr;
use toml::value::Datetime;
use toml_parser::decoder::ScalarKind;
use toml_parser::lexer::TokenKind;
use toml_parser::parser::{Event, EventKind, RecursionGuard, ValidateWhitespace, parse_document};
use toml_parser::{ErrorSink, ParseError, Raw, Source};

use runaway::{Kind as Open, Runaway};

use super::slip::Slip;
use super::tree::{Id, Key, Origin, Part, Tree};
use super::{Kind, Node, without_mark};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;

pub(super) fn comments(text: &str) -> Vec<Range<usize>> {
    let comments = Source::new(text).lex().filter(|token| token.kind() == TokenKind::Comment);
    comments.map(|token| token.span().start()..token.span().end()).collect()
}

/// The parts of a text that stand below a header that cannot be read: their keys seem to be those of another table.
pub(super) fn headless(text: &str, found: &[Diagnostic]) -> Vec<Range<usize>> {
    let faults = found.iter().filter(|found| found.code == Code::SyntaxError);
    let below = |fault: &Diagnostic| {
        let at = fault.primary.span.start as usize;
        let line = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
        let written = text[line..].lines().next().unwrap_or_default();
        let header = written.trim_start().starts_with('[') || slips::meant_header(written).is_some();
        let rest = header.then_some(&text[at..])?;
        let first = at + rest.find('\n')?;
        let end = text[first..].find("\n[").map_or(text.len(), |end| first + end);
        Some(first..end)
    };
    faults.filter_map(below).collect()
}

pub(super) fn parse(mut tree: Tree<'_>) -> Option<Node> {
    // The lexer skips one byte-order mark itself: skipping it here as well would let a second one through.
    let (_, offset) = without_mark(tree.text);
    let depth = u32::try_from(tree.limits.max_depth).unwrap_or(u32::MAX);
    let mut text = Cow::Borrowed(tree.text);
    let (mut events, mut errors) = read(&text, depth);
    for _ in 0..MOST_RUNAWAYS {
        errors.sort();
        if errors.too_deep().is_some() || text.len() > LONGEST_MENDED {
            break;
        }
        let source = Source::new(&text);
        let open = runaway::find(source, &events, &errors.kept).or_else(|| runaway::endless(source, &events));
        let Some(open) = open else { break };
        let found = left_open(&tree, &open);
        tree.report(found);
        text = runaway::without(&text, open.entry).into();
        (events, errors) = read(&text, depth);
    }
    let source = Source::new(&text);
    let root = tree.table(tree.span(offset, tree.text.len()), None, Origin::Value);
    let mut reader = Toml {
        tree,
        source,
        errors,
        root,
        current: root,
        open: Vec::new(),
        path: Key::new(),
        waiting: Key::new(),
        header: None,
    };
    for event in &events {
        reader.event(event);
        if reader.tree.stopped {
            break;
        }
    }
    reader.finish()
}

/// The events of a text and the errors of reading it.
fn read(text: &str, depth: u32) -> (Vec<Event>, Errors) {
    let source = Source::new(text);
    let tokens = source.lex().into_vec();
    let mut events: Vec<Event> = Vec::with_capacity(tokens.len());
    let mut errors = Errors::default();
    let mut whitespace = ValidateWhitespace::new(&mut events, source);
    let mut guard = RecursionGuard::new(&mut whitespace, depth);
    parse_document(&tokens, &mut guard, &mut errors);
    (events, errors)
}

/// What is left open, and where it must have been closed.
fn left_open(tree: &Tree<'_>, open: &Runaway) -> Diagnostic {
    if let Some(odd) = Slip::closing(tree.text, open.place.start).filter(|_| open.kind == Open::Quote) {
        return odd.error(tree);
    }
    let (message, help) = match open.kind {
        Open::Quote => (
            "text without its closing quote".to_owned(),
            "close the quote; text over several lines needs three quotes on either side".to_owned(),
        ),
        Open::Quotes(quotes) => (
            format!("text that begins with `{quotes}` has no end"),
            format!("close it with `{quotes}`; text on one line needs one quote on either side"),
        ),
        Open::Bracket(sign) => {
            let close = if sign == '{' { '}' } else { ']' };
            (format!("`{sign}` has no `{close}`"), format!("close it with `{close}`"))
        }
        Open::Sign => ("a key without a value".to_owned(), "write `key = value`".to_owned()),
    };
    let found = Diagnostic::error(Code::SyntaxError, tree.span(open.place.start, open.place.end), message).help(help);
    match open.next {
        Some(next) if open.taken => found.also(tree.span(next, next + 3), "the next quotes are taken for its end"),
        Some(next) if open.kind != Open::Sign => found.also(tree.span(next, next), "here something else begins"),
        _ => found,
    }
}

/// How many entries with something left open are set aside in one text, and how long it may be.
const MOST_RUNAWAYS: usize = 20;
const LONGEST_MENDED: usize = 1 << 20;
/// More errors than this are only counted.
const MOST_ERRORS: usize = 5_000;
/// How the parser's words for its depth limit begin.
const TOO_DEEP: &str = "cannot recurse further";

/// The errors of the parser and of decoding, within bounds.
#[derive(Default)]
struct Errors {
    kept: Vec<ParseError>,
    count: usize,
}

impl Errors {
    fn sort(&mut self) {
        self.kept.sort_by_key(|error| error.unexpected().map_or(0, |span| span.start()));
    }

    fn too_deep(&self) -> Option<&ParseError> {
        self.kept.iter().find(|error| error.description().starts_with(TOO_DEEP))
    }
}

impl ErrorSink for Errors {
    fn report_error(&mut self, error: ParseError) {
        self.count += 1;
        if self.kept.len() < MOST_ERRORS || error.description().starts_with(TOO_DEEP) {
            self.kept.push(error);
        }
    }
}

/// An open array or inline table.
struct Frame {
    id: Id,
    is_table: bool,
    /// The key that waits for its value.
    key: Key,
}

struct Toml<'t> {
    tree: Tree<'t>,
    source: Source<'t>,
    /// The bytes before the source.
    errors: Errors,
    root: Id,
    /// The table of the last header.
    current: Id,
    open: Vec<Frame>,
    /// The parts of the key that is being read.
    path: Key,
    /// The key outside of all brackets that waits for its value.
    waiting: Key,
    header: Option<(Span, bool)>,
}

impl Toml<'_> {
    fn span(&self, span: toml_parser::Span) -> Span {
        self.tree.span(span.start(), span.end())
    }

    fn event(&mut self, event: &Event) {
        let span = self.span(event.span());
        match event.kind() {
            EventKind::StdTableOpen | EventKind::ArrayTableOpen => {
                self.open.clear();
                self.path.clear();
                self.waiting.clear();
                self.header = Some((span, event.kind() == EventKind::ArrayTableOpen));
            }
            EventKind::StdTableClose | EventKind::ArrayTableClose => self.header_end(span),
            EventKind::SimpleKey => self.key(event, span),
            EventKind::KeyValSep => {
                let key = std::mem::take(&mut self.path);
                match self.open.last_mut() {
                    Some(frame) => frame.key = key,
                    None => self.waiting = key,
                }
            }
            EventKind::Scalar => {
                let kind = self.scalar(event);
                let id = match kind {
                    Some(kind) => self.tree.leaf(span, kind),
                    None => self.tree.bad(span),
                };
                self.value(id);
            }
            EventKind::ArrayOpen | EventKind::InlineTableOpen => {
                let is_table = event.kind() == EventKind::InlineTableOpen;
                let parent = Some(self.open.last().map_or(self.current, |frame| frame.id));
                let id =
                    if is_table { self.tree.table(span, parent, Origin::Value) } else { self.tree.list(span, parent) };
                self.open.push(Frame { id, is_table, key: Key::new() });
            }
            EventKind::ArrayClose | EventKind::InlineTableClose => {
                let is_table = event.kind() == EventKind::InlineTableClose;
                if self.open.last().is_some_and(|frame| frame.is_table == is_table)
                    && let Some(frame) = self.open.pop()
                {
                    self.path.clear();
                    self.tree.end_at(frame.id, span.end);
                    self.value(frame.id);
                }
            }
            EventKind::ValueSep => {
                if let Some(frame) = self.open.last_mut() {
                    frame.key.clear();
                    self.path.clear();
                }
            }
            EventKind::Newline if self.open.is_empty() => {
                self.path.clear();
                self.waiting.clear();
            }
            EventKind::KeySep | EventKind::Whitespace | EventKind::Comment | EventKind::Newline | EventKind::Error => {}
        }
    }

    fn key(&mut self, event: &Event, span: Span) {
        let mut text = Cow::Borrowed("");
        if let Some(raw) = self.source.get(event) {
            raw.decode_key(&mut text, &mut self.errors);
        }
        if self.path.len() >= self.tree.limits.max_depth {
            self.tree.too_deep(span);
            return;
        }
        self.path.push(Part { text: SmolStr::new(text), span });
    }

    fn header_end(&mut self, close: Span) {
        let path = std::mem::take(&mut self.path);
        if let Some((mut header, many)) = self.header.take() {
            header.end = close.end;
            self.current = self.tree.header(self.root, &path, header, many);
        }
    }

    fn value(&mut self, id: Id) {
        match self.open.last_mut() {
            Some(frame) if frame.is_table => {
                let (table, key) = (frame.id, std::mem::take(&mut frame.key));
                self.tree.insert(table, &key, id, false);
            }
            Some(frame) => {
                let list = frame.id;
                self.tree.push(list, id);
            }
            None => {
                let key = std::mem::take(&mut self.waiting);
                self.tree.insert(self.current, &key, id, false);
            }
        }
    }

    /// The value of a scalar; nothing if it is wrong, which is then among the errors.
    fn scalar(&mut self, event: &Event) -> Option<Kind> {
        let raw = self.source.get(event)?;
        let before = self.errors.count;
        let mut text = Cow::Borrowed("");
        let kind = raw.decode_scalar(&mut text, &mut self.errors);
        // A line end is one whatever the machine that the file was written on, as in YAML.
        if kind == ScalarKind::String && raw.as_str().contains("\r\n") {
            let plain = raw.as_str().replace("\r\n", "\n");
            let mut unix = String::new();
            _ = Raw::new_unchecked(&plain, event.encoding(), event.span()).decode_scalar(&mut unix, &mut ());
            text = unix.into();
        }
        let written = || raw.as_str().into();
        let kind = match kind {
            ScalarKind::String => Kind::Text(SmolStr::new(text)),
            ScalarKind::Boolean(value) => Kind::Bool(value),
            ScalarKind::Integer(_) | ScalarKind::Float => Kind::Number(written()),
            ScalarKind::DateTime => {
                if self.errors.count == before
                    && let Err(error) = text.parse::<Datetime>()
                {
                    self.errors.report_error(ParseError::new(error.to_string()).with_unexpected(event.span()));
                }
                Kind::Date(written())
            }
        };
        (self.errors.count == before).then_some(kind)
    }

    fn finish(mut self) -> Option<Node> {
        self.errors.sort();
        // Past the limit the parser skips, and what it says about the rest is of no use.
        if let Some(error) = self.errors.too_deep() {
            let place = self.span(error.unexpected().unwrap_or_default());
            self.tree.too_deep(place);
            return None;
        }
        let mut quoted = None;
        let odd = if self.errors.kept.is_empty() { Vec::new() } else { odd::find(self.source) };
        let mut told = None;
        for error in std::mem::take(&mut self.errors.kept) {
            // Where a quote is missing all else on the line is read inside out: one finding is enough.
            let at = error.unexpected().or(error.context()).map_or(0, |span| span.start());
            let line = self.source.input()[..at].rfind('\n').map_or(0, |end| end + 1);
            let end = self.source.input()[at..].find('\n').map_or(self.source.input().len(), |end| at + end);
            if let Some(odd) = odd.iter().find(|odd| (line..=end).contains(&odd.at.start)) {
                if told.replace(line) != Some(line) {
                    let found = odd.error(&self.tree);
                    self.tree.report(found);
                }
                continue;
            }
            if told == Some(line) {
                continue;
            }
            let slip = slips::find(&error, self.source.input()).or_else(|| self.escape(&error));
            if let Some(slip) = slip {
                told = Some(line);
                let found = slip.error(&self.tree);
                self.tree.report(found);
                continue;
            }
            // What such an error leaves of its line is not read as it is meant.
            if matches!(error.description(), errors::EXTRA_SIGN | errors::ODD_KEY) {
                told = Some(line);
            }
            let unpaired = runaway::lacks_quote(&self.source.input()[line..]);
            if unpaired && quoted == Some(line) {
                continue;
            }
            let mut found = self.explain(&error);
            if unpaired {
                quoted = Some(line);
                found = found.help("a quote is missing on this line: close each text that is opened");
            }
            self.tree.report(found);
        }
        self.tree.finish(self.root)
    }

    /// An escape that names no character.
    fn escape(&self, error: &ParseError) -> Option<Slip> {
        let at = error.unexpected().filter(|_| error.description() == "invalid value")?.start();
        let text = self.source.input();
        let escape = text[..at].rfind('\\')?;
        Slip::escape(text, escape).filter(|slip| slip.at.contains(&at))
    }

    fn explain(&self, error: &ParseError) -> Diagnostic {
        let place = error.unexpected().or(error.context()).unwrap_or_default();
        let written = self.source.input().get(place.start()..place.end()).unwrap_or_default();
        let (message, mut help) =
            errors::explain(error, written, errors::lacks_value(self.source.input(), place.start()));
        if let Some((key, strange)) = errors::key(error, self.source.input()) {
            help = Some(format!("`{strange}` (U+{:04X}) needs quotes: write \"{key}\"", u32::from(strange)));
        }
        let found = Diagnostic::error(Code::SyntaxError, self.span(place), message).help_opt(help);
        match error.context() {
            // Only an opening bracket says more than the place itself.
            Some(context) if context.end() <= place.start() && context.len() == 1 => {
                found.also(self.span(context), "opened here")
            }
            _ => found,
        }
    }
}
