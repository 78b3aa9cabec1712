//! Diagnostics for people: the lines at fault with carets, after the manner of rustc.
//!
//! Only an excerpt goes to the renderer: the labelled lines and what lies between them, long lines cut around the labels.
//! So a report stays small whatever the file holds.

use std::collections::BTreeMap;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::diag::{Diagnostic, Label, Severity, hidden};
use crate::source::{FileId, LineColumn, SourceMap, Span};

/// Labels further apart than this, in lines, are shown as two excerpts.
const FAR_APART: usize = 40;
/// Lines longer than this, in characters, are cut.
const LONGEST_LINE: usize = 160;
/// What joins the parts of an emoji.
const JOINER: char = '\u{200d}';
/// How much of a long line stays before its first label.
const LEAD: usize = 40;

/// Of more findings in one file than this the others are only counted.
const MOST_SHOWN: usize = 100;

/// The findings with excerpts and carets, each closed by an empty line; `color` adds terminal styles. Of very many findings in one
/// file the first are shown, the worst before others, and the rest is counted.
#[must_use]
pub fn human(sources: &SourceMap, diagnostics: &[Diagnostic], color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut by_file: BTreeMap<FileId, Vec<usize>> = BTreeMap::new();
    for (at, d) in diagnostics.iter().enumerate() {
        by_file.entry(d.primary.span.file).or_default().push(at);
    }
    let mut text = String::new();
    let mut shown: Vec<usize> = Vec::new();
    let mut more: BTreeMap<FileId, usize> = BTreeMap::new();
    for (file, mut all) in by_file {
        all.sort_by_key(|at| diagnostics[*at].severity);
        if all.len() > MOST_SHOWN {
            more.insert(file, all.len() - MOST_SHOWN);
        }
        shown.extend(all.into_iter().take(MOST_SHOWN));
    }
    shown.sort_unstable();
    for at in shown {
        let d = &diagnostics[at];
        let excerpts = excerpts(sources, d);
        let places: Vec<_> = excerpts.iter().map(|excerpt| (excerpt.name, excerpt.at)).collect();
        text.push_str(&placed(renderer.render(&[group(excerpts, d)]), &places));
        text.push_str("\n\n");
    }
    for (file, count) in more {
        text.push_str(&format!("{count} more findings in {} are not shown here\n\n", sources.name(file)));
    }
    text
}

/// A report with the right columns above its excerpts: the renderer counts in what is shown of a line.
fn placed(mut report: String, places: &[(&str, LineColumn)]) -> String {
    // Below the message, which may name places itself.
    let mut from = report.find('\n').unwrap_or(0);
    for (name, LineColumn { line, column }) in places {
        let before = format!("{name}:{line}:");
        let Some(at) = report[from..].find(&before).map(|at| from + at + before.len()) else { continue };
        let digits = report[at..].bytes().take_while(u8::is_ascii_digit).count();
        report.replace_range(at..at + digits, &column.to_string());
        from = at;
    }
    report
}

fn group<'a>(excerpts: Vec<Excerpt<'a>>, d: &'a Diagnostic) -> Group<'a> {
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = Group::with_title(level.primary_title(d.message.as_str()).id(d.code.slug()));
    for excerpt in excerpts {
        group = match excerpt.text.as_str() {
            "" => group.element(Origin::path(excerpt.name).line(1).char_column(1)),
            _ => group.element(excerpt.snippet()),
        };
    }
    match &d.help {
        Some(help) => group.element(Level::HELP.message(help.as_str())),
        None => group,
    }
}

/// Some lines of one file, with the labels on them.
struct Excerpt<'a> {
    name: &'a str,
    /// The place that stands above it.
    at: LineColumn,
    first_line: usize,
    text: String,
    marks: Vec<(std::ops::Range<usize>, bool, &'a str)>,
}

impl<'a> Excerpt<'a> {
    fn snippet(self) -> Snippet<'a, Annotation<'a>> {
        let marks = self.marks.into_iter().map(|(range, primary, message)| {
            let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            kind.span(range).label((!message.is_empty()).then_some(message))
        });
        Snippet::source(self.text).path(self.name).line_start(self.first_line).annotations(marks)
    }
}

/// A label on one line: a span over several lines keeps the part on its first.
struct Mark<'a> {
    file: FileId,
    at: LineColumn,
    line: usize,
    line_start: usize,
    start: usize,
    end: usize,
    primary: bool,
    message: &'a str,
}

fn excerpts<'a>(sources: &'a SourceMap, d: &'a Diagnostic) -> Vec<Excerpt<'a>> {
    let first = mark(sources, &d.primary, true);
    let mut marks: Vec<Mark<'a>> = d.secondary.iter().map(|label| mark(sources, label, false)).collect();
    marks.insert(0, first);
    // The file of the primary label comes first, the others in the order in which they were named.
    let mut files: Vec<FileId> = Vec::new();
    for mark in &marks {
        if !files.contains(&mark.file) {
            files.push(mark.file);
        }
    }
    let mut all = Vec::new();
    for file in files {
        let mut here: Vec<&Mark<'a>> = marks.iter().filter(|m| m.file == file).collect();
        here.sort_by_key(|m| m.line);
        let mut runs: Vec<Vec<&Mark<'a>>> = Vec::new();
        for mark in here {
            match runs.last_mut() {
                Some(run) if mark.line - run[run.len() - 1].line <= FAR_APART => run.push(mark),
                _ => runs.push(vec![mark]),
            }
        }
        runs.sort_by_key(|run| !run.iter().any(|m| m.primary));
        all.extend(runs.iter().map(|run| excerpt(sources, file, run)));
    }
    all
}

fn mark<'a>(sources: &SourceMap, label: &'a Label, primary: bool) -> Mark<'a> {
    let Span { file, start, end } = label.span;
    let text = sources.text(file);
    let start = floor(text, start as usize);
    let end = floor(text, end as usize).max(start);
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = line_end(text, start);
    let at = sources.start(label.span);
    let line = at.line;
    let start = start.min(line_end);
    Mark { file, at, line, line_start, start, end: end.clamp(start, line_end), primary, message: &label.message }
}

fn excerpt<'a>(sources: &'a SourceMap, file: FileId, marks: &[&Mark<'a>]) -> Excerpt<'a> {
    let text = sources.text(file);
    let at = marks.iter().find(|mark| mark.primary).unwrap_or(&marks[0]).at;
    // Of an empty file there is nothing to show.
    let mut excerpt =
        Excerpt { name: sources.name(file), at, first_line: marks[0].line, text: String::new(), marks: Vec::new() };
    if text.is_empty() {
        return excerpt;
    }
    let mut line_start = marks[0].line_start;
    for line in marks[0].line..=marks[marks.len() - 1].line {
        let end = line_end(text, line_start);
        let here: Vec<&&Mark<'a>> = marks.iter().filter(|m| m.line == line).collect();
        let focus = here.iter().map(|m| m.start).min().unwrap_or(line_start);
        let kept = window(text, line_start, end, focus);
        if kept.start > skip_mark(text, line_start) {
            excerpt.text.push('…');
        }
        let base = excerpt.text.len();
        let line = Line::new(&text[kept.clone()]);
        excerpt.text.push_str(&line.shown);
        for mark in here {
            let place = |at: usize| base + line.place(at.clamp(kept.start, kept.end) - kept.start);
            excerpt.marks.push((place(mark.start)..place(mark.end), mark.primary, mark.message));
        }
        if kept.end < end {
            excerpt.text.push('…');
        }
        excerpt.text.push('\n');
        line_start = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
    }
    excerpt.marks.sort_by_key(|(range, primary, _)| (!primary, range.start));
    excerpt
}

/// A line as it is shown: what would be hidden, or hide other things, by its number.
struct Line {
    shown: String,
    /// Where what was written out stands in the line, and how much longer the line has become up to there.
    longer: Vec<(usize, usize)>,
}

impl Line {
    fn new(text: &str) -> Self {
        let mut line = Self { shown: String::with_capacity(text.len()), longer: Vec::new() };
        for (at, c) in text.char_indices() {
            // The renderer shows the controls of ASCII itself, and takes tabs for spaces.
            let unseen = hidden::is_hidden(c) && c != JOINER || hidden::is_wide_space(c);
            if unseen || c.is_control() && !c.is_ascii() {
                line.shown.push_str(&format!("<U+{:04X}>", u32::from(c)));
                line.longer.push((at, line.shown.len() - at - c.len_utf8()));
            } else {
                line.shown.push(c);
            }
        }
        line
    }

    /// Where a place of the line is shown.
    fn place(&self, at: usize) -> usize {
        let before = self.longer.partition_point(|(place, _)| *place < at);
        at + before.checked_sub(1).map_or(0, |last| self.longer[last].1)
    }
}

/// The part of a line that is shown: all of a short line, else some characters round `focus`.
fn window(text: &str, start: usize, end: usize, focus: usize) -> std::ops::Range<usize> {
    let start = skip_mark(text, start);
    let focus = focus.max(start);
    if text[start..end].chars().nth(LONGEST_LINE).is_none() {
        return start..end;
    }
    let from = text[start..focus].char_indices().rev().nth(LEAD - 1).map_or(start, |(at, _)| start + at);
    let to = text[from..end].char_indices().nth(LONGEST_LINE).map_or(end, |(at, _)| from + at);
    from..to
}

/// Past a byte-order mark at the very start.
fn skip_mark(text: &str, start: usize) -> usize {
    if start == 0 && text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { start }
}

/// The end of the line that holds `at`, without its line break.
fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |found| at + found);
    if end > 0 && end < text.len() && text.as_bytes()[end - 1] == b'\r' { end - 1 } else { end }
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
