//! A single mistake: what is written differently, and where it must be found.

use std::ops::Range;

use segue::source::Span;
use segue::syntax::{Format, Kind};

use super::body::{Doc, Site, line};

/// One mistake in one file.
#[derive(Debug, Clone)]
pub struct Mistake {
    /// What kind of mistake it is.
    pub kind: &'static str,
    /// The file, by its place in the copy.
    pub doc: usize,
    /// The part of the file's text that is written differently.
    pub from: Range<usize>,
    /// What stands there instead.
    pub to: String,
    /// Where it must be found.
    pub want: Want,
    /// Slugs of which one must be among the codes found there; none = any will do.
    pub codes: &'static [&'static str],
    /// Whether all that refers to what was there is found as well.
    pub many: bool,
    /// Whether nothing else is found with it.
    pub alone: bool,
}

/// Where a mistake must be found.
#[derive(Debug, Clone)]
pub enum Want {
    /// On a line that was written differently.
    Edited,
    /// On a line that was written differently; a further label of a finding may be what points there.
    Labelled,
    /// On one of these lines of the file, which the edit does not move.
    Lines(Vec<usize>),
    /// On a line of any file that holds this text.
    Refers(String),
}

impl Mistake {
    /// A mistake in place of a part of the text.
    pub fn new(kind: &'static str, from: Range<usize>, to: impl Into<String>) -> Self {
        Self { kind, doc: 0, from, to: to.into(), want: Want::Edited, codes: &[], many: false, alone: false }
    }

    /// It is found with one of these codes.
    pub fn coded(self, codes: &'static [&'static str]) -> Self {
        Self { codes, ..self }
    }

    /// Nothing else is found with it.
    pub fn alone(self) -> Self {
        Self { alone: true, ..self }
    }

    /// All that refers to what was there is found as well.
    pub fn many(self) -> Self {
        Self { many: true, ..self }
    }

    /// It is found elsewhere than where it was made.
    pub fn found(self, want: Want) -> Self {
        let many = self.many || matches!(want, Want::Refers(_));
        Self { want, many, ..self }
    }

    /// The text with the mistake.
    pub fn applied(&self, text: &str) -> String {
        format!("{}{}{}", &text[..self.from.start], self.to, &text[self.from.end..])
    }

    /// The lines that were written differently, in the text with the mistake.
    pub fn lines(&self, text: &str) -> (usize, usize) {
        let written = self.to.trim_start_matches('\n');
        let first = line(text, self.from.start) + (self.to.len() - written.len());
        (first, first + written.trim_end_matches('\n').matches('\n').count())
    }
}

/// The bytes of a place.
pub fn bytes(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

/// Whether a value is written in one place: a scalar on one line, a list or table in its brackets.
pub fn in_place(doc: &Doc, site: &Site) -> bool {
    let text = doc.slice(site.node.span);
    let starts_line = site.node.span.start == 0 || doc.text.as_bytes()[site.node.span.start as usize - 1] == b'\n';
    match &site.node.kind {
        Kind::Table(_) => text.starts_with('{') && text.ends_with('}'),
        Kind::List(_) => text.starts_with('[') && text.ends_with(']') && !starts_line,
        _ => !text.contains('\n') && !text.is_empty() && site.parent.is_some(),
    }
}

/// Whether a key is written alone, with its value behind it: no part of `a.b`, no header.
pub fn key_alone(doc: &Doc, site: &Site) -> bool {
    let Some(key) = site.key else { return false };
    let (before, after) = (&doc.text[..key.start as usize], &doc.text[key.end as usize..]);
    let before = before.trim_end_matches([' ', '\t']).chars().next_back();
    let after = after.trim_start_matches([' ', '\t']).chars().next();
    let value_follows = site.node.span.start >= key.end;
    matches!(before, None | Some('\n' | '{' | ',')) && matches!(after, Some('=' | ':')) && value_follows
}

/// Whether a key stands in braces, where commas part the entries.
pub fn in_braces(doc: &Doc, site: &Site) -> bool {
    let start = site.key.map_or(site.node.span.start, |key| key.start) as usize;
    !matches!(doc.text[..start].trim_end_matches([' ', '\t']).chars().next_back(), None | Some('\n'))
        || doc.parent(site).is_some_and(|parent| in_place(doc, parent))
}

/// The part of the text that a key and its value, or an item of a list, take up, with the comma that goes with them.
pub fn whole(doc: &Doc, site: &Site) -> Option<Range<usize>> {
    let start = match site.key {
        Some(key) if key_alone(doc, site) => key.start as usize,
        Some(_) => return header_region(doc, site),
        None => site.node.span.start as usize,
    };
    if !in_place(doc, site) {
        let block = doc.format == Format::Yaml && site.key.is_some() && !in_braces(doc, site);
        return if block { Some(start..end_of_block(doc, start)) } else { header_region(doc, site) };
    }
    let end = site.node.span.end as usize;
    if !in_braces(doc, site) {
        return site.key.is_some().then_some(start..end);
    }
    let after = &doc.text[end..];
    let trimmed = after.trim_start_matches([' ', '\t', '\n']);
    if trimmed.starts_with(',') {
        return Some(start..end + (after.len() - trimmed.len()) + 1);
    }
    let before = doc.text[..start].trim_end_matches([' ', '\t', '\n']);
    Some(if before.ends_with(',') { before.len() - 1..end } else { start..end })
}

/// In YAML: up to the first line that stands no deeper.
fn end_of_block(doc: &Doc, start: usize) -> usize {
    let margin = start - doc.text[..start].rfind('\n').map_or(0, |at| at + 1);
    let mut end = start;
    for (at, line) in doc.text[start..].split_inclusive('\n').enumerate() {
        let deep = line.len() - line.trim_start_matches(' ').len();
        if at > 0 && deep <= margin && !line.trim().is_empty() {
            break;
        }
        end += line.len();
    }
    start + doc.text[start..end].trim_end().len()
}

/// In TOML: a table with all below its header, up to the next header that is not one of its own.
fn header_region(doc: &Doc, site: &Site) -> Option<Range<usize>> {
    if doc.format != Format::Toml || !matches!(site.node.kind, Kind::Table(_)) {
        return None;
    }
    let header = doc.slice(site.node.span);
    let start = site.node.span.start as usize;
    let at_line = start == 0 || doc.text.as_bytes()[start - 1] == b'\n';
    if !header.starts_with('[') || !at_line {
        return None;
    }
    let own = format!("{}.", header.trim_matches(['[', ']']));
    let mut end = start;
    for (at, line) in doc.text[start..].split_inclusive('\n').enumerate() {
        if at > 0 && line.starts_with('[') && !line.trim_start_matches('[').starts_with(&own) {
            break;
        }
        end += line.len();
    }
    Some(start..start + doc.text[start..end].trim_end().len())
}

/// Takes a part of the text out and keeps its lines, so that nothing else moves.
pub fn removed(kind: &'static str, doc: &Doc, part: Range<usize>) -> Mistake {
    let lines = doc.text[part.clone()].matches('\n').count();
    Mistake::new(kind, part, "\n".repeat(lines))
}

/// The lines of the table that a place is: that of its key and that where it begins.
pub fn lines_of(doc: &Doc, site: &Site) -> Vec<usize> {
    let mut lines: Vec<usize> = site.key.iter().map(|key| doc.line(key.start as usize)).collect();
    lines.push(doc.line(site.node.span.start as usize));
    lines
}
