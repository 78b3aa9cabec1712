//! YAML 1.2 from granit's events: core schema, one document, aliases within bounds, no tags and no merge keys.

mod anchors;
mod comments;
mod errors;
mod odd;
mod slips;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, StructureStyle, options};
use smallvec::smallvec;

use anchors::Anchors;
pub(super) use comments::comments;

use super::slip::Slip;
use super::tree::{Id, Key, Origin, Part, Tree};
use super::{Kind, Node, scalar};
use crate::diag::{Code, Diagnostic, quoted};
use crate::source::Span;

pub(super) fn parse(tree: Tree<'_>) -> Option<Node> {
    let text = tree.text;
    let options = options! {
        emit_unresolved_aliases: true,
        flow_nesting_limit: tree.limits.max_depth,
        block_nesting_limit: tree.limits.max_depth,
    };
    let mut reader = Yaml { tree, open: Vec::new(), anchors: Anchors::default(), root: None, documents: 0 };
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, place) = match event {
            Ok(event) => event,
            Err(error) => {
                reader.anchors.report(&mut reader.tree);
                reader.syntax_error(&error);
                return None;
            }
        };
        let range = place.byte_range().unwrap_or(0..0);
        let tag = place.tag_span().and_then(|tag| tag.byte_range());
        let span = reader.tree.span(range.start, range.end);
        if !reader.event(event, span, tag) {
            break;
        }
        if reader.tree.stopped {
            return None;
        }
    }
    reader.finish()
}

/// An open list or table.
struct Frame {
    id: Id,
    is_table: bool,
    in_flow: bool,
    /// The place of its opening bracket.
    place: Span,
    /// The key that waits for its value; an empty one was wrong, and its value is dropped.
    key: Option<Key>,
    /// Where the last thing inside ended.
    end: u32,
}

struct Yaml<'t> {
    tree: Tree<'t>,
    open: Vec<Frame>,
    anchors: Anchors,
    root: Option<Id>,
    documents: usize,
}

impl Yaml<'_> {
    /// Takes one event; `false` ends the reading.
    fn event(&mut self, event: Event<'_>, span: Span, tag: Option<std::ops::Range<usize>>) -> bool {
        match event {
            Event::DocumentStart(_, version) => return self.document(span, version.map(|v| (v.major, v.minor))),
            Event::Scalar(text, style, anchor, tagged) => {
                self.no_tag(tag);
                self.scalar(&text, style, anchor, tagged.is_some(), span);
            }
            Event::SequenceStart(style, anchor, _) => {
                self.no_tag(tag);
                let span = self.since_dash(span, style);
                let id = self.tree.list(span, self.open.last().map(|frame| frame.id));
                self.begin(id, false, style, anchor, span);
            }
            Event::MappingStart(style, anchor, _) => {
                self.no_tag(tag);
                let id = self.tree.table(span, self.open.last().map(|frame| frame.id), Origin::Value);
                self.begin(id, true, style, anchor, span);
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(frame) = self.open.pop() {
                    let end = if span.start < span.end { span.end } else { frame.end };
                    self.tree.end_at(frame.id, end);
                    let span = self.tree.span_of(frame.id);
                    self.value(frame.id, span);
                }
            }
            Event::Alias(anchor) => self.alias(anchor, span),
            Event::UnresolvedAlias(name) => {
                self.tree.told_at = Some(span.start as usize);
                let meant = self.anchors.lost(&name, span);
                self.stand_for(meant, span);
            }
            _ => {}
        }
        true
    }

    fn document(&mut self, span: Span, version: Option<(u32, u32)>) -> bool {
        self.documents += 1;
        if self.documents > 1 {
            let help = "put it into a file of its own, or remove the `---`";
            self.tree.error(Code::UnsupportedYaml, span, "a second document in one file", help);
            return false;
        }
        if version.is_some_and(|version| version != (1, 2)) {
            self.tree.error(Code::UnsupportedYaml, span, "only YAML 1.2 is read", "remove the `%YAML` line");
        }
        true
    }

    fn no_tag(&mut self, tag: Option<std::ops::Range<usize>>) {
        if let Some(range) = tag {
            let message = format!("tags are not read, found {}", quoted(&self.tree.text[range.clone()]));
            let span = self.tree.span(range.start, range.end);
            self.tree.error(
                Code::UnsupportedYaml,
                span,
                message,
                "remove the tag, or quote the text if it begins with `!`",
            );
        }
    }

    /// A block list begins at its first dash; granit places an unindented one after it.
    fn since_dash(&self, mut span: Span, style: StructureStyle) -> Span {
        let text = self.tree.text;
        let start = span.start as usize;
        if style == StructureStyle::Block && !text[start..].starts_with("- ") {
            let before = text[..start].trim_end();
            if before.ends_with('-') {
                span.start = u32::try_from(before.len() - 1).unwrap_or(span.start);
            }
        }
        span
    }

    fn begin(&mut self, id: Id, is_table: bool, style: StructureStyle, anchor: usize, place: Span) {
        if anchor != 0 {
            self.anchors.add(anchor, id, &self.tree, place.start);
        }
        self.open.push(Frame {
            id,
            is_table,
            in_flow: style == StructureStyle::Flow,
            place,
            key: None,
            end: place.end,
        });
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, anchor: usize, tagged: bool, span: Span) {
        let plain = style == ScalarStyle::Plain && !tagged;
        let mut span = span;
        if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
            let written = &self.tree.text[span.start as usize..span.end as usize];
            span.end = span.start + u32::try_from(written.trim_end().len()).unwrap_or(0);
        }
        let empty = span.start == span.end;
        // An empty plain scalar comes as `~`.
        let text = if plain && empty { "" } else { text };
        if self.expects_key() {
            self.key(text, plain, span);
            return;
        }
        if let Some(odd) = odd::quotes(text).filter(|_| plain) {
            let at = self.tree.span(span.start as usize, span.start as usize + odd.len_utf8());
            let message = format!("`{odd}` (U+{:04X}) quotes nothing, it is a part of the text", u32::from(odd));
            let help = "write `\"` on either side of the text; one that is to begin so needs plain quotes around it";
            self.tree.error(Code::SyntaxError, at, message, help);
        }
        let kind = if plain { scalar::core(text) } else { Kind::Text(text.into()) };
        let id = self.tree.leaf(span, kind);
        if anchor != 0 {
            self.anchors.add(anchor, id, &self.tree, span.start);
        }
        self.value(id, span);
    }

    fn expects_key(&self) -> bool {
        self.open.last().is_some_and(|frame| frame.is_table && frame.key.is_none())
    }

    fn key(&mut self, text: &str, plain: bool, span: Span) {
        self.lost_dash(text, span);
        let parts = if plain { self.plain_key(text, span) } else { smallvec![Part { text: text.into(), span }] };
        if let Some(frame) = self.open.last_mut() {
            frame.key = Some(parts);
            frame.end = frame.end.max(span.end);
        }
    }

    /// The first key of a list item that comes again, and with it others: another item begins, and lacks its dash.
    fn lost_dash(&mut self, text: &str, span: Span) {
        let [.., list, item] = self.open.as_slice() else { return };
        let is_item = item.is_table && !list.is_table && !item.in_flow;
        if !is_item || self.tree.first_key(item.id) != Some(text) {
            return;
        }
        let again = slips::keys_below(self.tree.text, span.start as usize);
        if !again.iter().any(|key| self.tree.has(item.id, key)) {
            return;
        }
        let (list, id, end, first) = (list.id, item.id, item.end, item.place);
        self.tree.end_at(id, end);
        self.tree.push(list, id);
        let message = format!("{} is given twice: an item of the list lacks its `- `", quoted(text));
        let found = Diagnostic::error(Code::DuplicateKey, span, message).label("another item begins here");
        self.tree.report(found.also(first, "the item above begins here").help("write `- ` before it"));
        let next = self.tree.table(span, Some(list), Origin::Value);
        if let Some(item) = self.open.last_mut() {
            (item.id, item.place, item.end) = (next, span, span.end);
        }
    }

    /// The parts of an unquoted key; none if it is wrong.
    fn plain_key(&mut self, text: &str, span: Span) -> Key {
        if text.is_empty() {
            self.tree.error(
                Code::SyntaxError,
                span,
                "a key is missing before `:`",
                "write a key; an empty one needs quotes",
            );
            return Key::new();
        }
        if text.starts_with("//") {
            let slashes = self.tree.span(span.start as usize, span.start as usize + 2);
            self.tree.error(Code::SyntaxError, slashes, "`//` begins no comment", "write `#`");
            return Key::new();
        }
        if text == "<<" {
            let help = "write the keys out; quote `\"<<\"` if it is a key of yours";
            self.tree.error(Code::UnsupportedYaml, span, "merge keys are not read", help);
            return Key::new();
        }
        let written = &self.tree.text[span.start as usize..span.end as usize];
        if let Some(odd) = odd::after_colon(written, span.start as usize) {
            let found = odd.error(&self.tree);
            self.tree.report(found);
            return Key::new();
        }
        if written != text || !text.contains('.') {
            return smallvec![Part { text: text.into(), span }];
        }
        let mut parts = Key::new();
        let mut start = span.start as usize;
        for part in text.split('.') {
            let trimmed = part.trim();
            if trimmed.is_empty() || trimmed.len() != part.len() {
                let message = format!("a dot in an unquoted key nests, and {} lacks a part", quoted(text));
                self.tree.error(Code::SyntaxError, span, message, "quote the key if the dot belongs to it");
                return Key::new();
            }
            parts.push(Part { text: part.into(), span: self.tree.span(start, start + part.len()) });
            start += part.len() + 1;
        }
        if parts.len() > self.tree.limits.max_depth {
            self.tree.too_deep(span);
        }
        parts
    }

    fn alias(&mut self, anchor: usize, span: Span) {
        let target = self.anchors.named(anchor);
        self.stand_for(target, span);
    }

    /// An alias in the place of a value.
    fn stand_for(&mut self, target: Option<Id>, span: Span) {
        let id = match target {
            Some(target) if self.open.iter().any(|frame| frame.id == target) => {
                let help = "write the values out";
                self.tree.error(Code::UnsupportedYaml, span, "an alias stands inside its own anchor", help);
                self.tree.bad(span)
            }
            Some(target) => self.tree.alias(span, target),
            None => self.tree.bad(span),
        };
        self.value(id, span);
    }

    /// Takes a finished value to where it belongs.
    fn value(&mut self, id: Id, span: Span) {
        let Some(frame) = self.open.last_mut() else {
            self.root.get_or_insert(id);
            return;
        };
        frame.end = frame.end.max(span.end);
        if !frame.is_table {
            let list = frame.id;
            self.tree.push(list, id);
            return;
        }
        match frame.key.take() {
            Some(key) => {
                let (table, in_flow) = (frame.id, frame.in_flow);
                self.tree.insert(table, &key, id, in_flow);
            }
            None => {
                frame.key = Some(Key::new());
                self.tree.error(
                    Code::UnsupportedYaml,
                    span,
                    "a key must be text",
                    "write the key as one word or in quotes",
                );
            }
        }
    }

    fn syntax_error(&mut self, error: &granit_parser::ScanError) {
        let text = self.tree.text;
        let at = error.marker().byte_offset().unwrap_or(text.len()).min(text.len());
        let open = errors::left_open(error.kind(), text, at);
        if let Some(odd) = open.map_or_else(|| odd::find(text, at), |open| Slip::closing(text, open)) {
            let found = odd.error(&self.tree);
            self.tree.report(found);
            return;
        }
        if let Some(open) = open {
            let help = "close the quote on its line";
            let found =
                Diagnostic::error(Code::SyntaxError, self.tree.span(open, open + 1), "text without its closing quote");
            self.tree.report(found.also(self.tree.span(at, at), "the next quote is taken for its end").help(help));
            return;
        }
        if self.tree.told_at.is_some_and(|told| !text.get(told..at).unwrap_or_default().contains('\n')) {
            return;
        }
        let bracket = self.open.last().filter(|frame| frame.in_flow).map(|frame| frame.place.start as usize);
        if let Some(slip) = slips::find(error.kind(), text, at, bracket) {
            let found = slip.error(&self.tree);
            self.tree.report(found);
            return;
        }
        let (code, message, help) = errors::explain(error.kind(), self.tree.limits.max_depth);
        let width =
            text.get(at..).and_then(|rest| rest.chars().next()).filter(|c| !c.is_control()).map_or(0, char::len_utf8);
        let mut found = Diagnostic::error(code, self.tree.span(at, at + width), message);
        if let Some(bracket) = errors::open_bracket(error.kind(), text, at) {
            found = found
                .also(self.tree.span(bracket, bracket + 1), "this bracket is still open")
                .help("close the bracket");
            self.tree.report(found);
            return;
        }
        let names_bracket = matches!(
            error.kind(),
            ErrorKind::MismatchedFlowCollectionEnd { .. } | ErrorKind::UnclosedFlowCollection { .. }
        );
        if code == Code::SyntaxError
            && !names_bracket
            && let Some(frame) =
                self.open.iter().rev().find(|frame| frame.in_flow && frame.place.start < frame.place.end)
        {
            let bracket = if frame.is_table { "{" } else { "[" };
            found = found.also(frame.place, format!("this `{bracket}` is still open"));
        }
        self.tree.report(if help.is_empty() { found } else { found.help(help) });
    }

    fn finish(mut self) -> Option<Node> {
        self.anchors.report(&mut self.tree);
        let root = match self.root {
            Some(id) if !self.tree.is_null(id) => id,
            found => {
                if let Some(span) = found.map(|id| self.tree.span_of(id)).filter(|span| span.start < span.end) {
                    self.tree.error(
                        Code::NullValue,
                        span,
                        "the file holds no value",
                        "write keys, or leave the file empty",
                    );
                }
                let (_, start) = super::without_mark(self.tree.text);
                let span = self.tree.span(start, start);
                self.tree.table(span, None, Origin::Value)
            }
        };
        self.tree.finish(root)
    }
}
