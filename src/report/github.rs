//! Findings as commands of a GitHub workflow, which shows them in the files that changed.

use super::{place, plural, short, summary};
use crate::diag::{Diagnostic, Severity};
use crate::source::SourceMap;

/// How many annotations GitHub shows of one step.
const SHOWN: usize = 10;
/// How long a job summary may be, in bytes: GitHub refuses one of a mebibyte.
const LONGEST: usize = 900_000;

/// What goes to the log of a step, and what to its summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotated {
    /// For standard output: the worst findings as commands, the rest as plain lines.
    pub log: String,
    /// For the job summary, in Markdown; empty where all findings are annotations.
    pub summary: String,
}

/// The worst findings as annotations, the rest in a summary. `below` is put before paths: the folder of the workspace as
/// seen from the root of the repository, empty or ending in `/`.
#[must_use]
pub fn github(sources: &SourceMap, diagnostics: &[Diagnostic], below: &str) -> Annotated {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|found| found.severity);
    let (shown, rest) = sorted.split_at(sorted.len().min(SHOWN));
    let mut log: String = shown.iter().map(|found| command(sources, found, below)).collect();
    let rest: Vec<Diagnostic> = rest.iter().map(|found| (*found).clone()).collect();
    let mut text = String::new();
    if !rest.is_empty() {
        log.push_str(&short(sources, &rest));
        text = format!("### segue check: {}\n\n", summary(diagnostics));
        text.push_str(&format!("The first {SHOWN} are annotations of this step. The rest:\n\n"));
        let mut written = 0;
        for found in &rest {
            let line = item(sources, found, below);
            if text.len() + line.len() > LONGEST {
                break;
            }
            text.push_str(&line);
            written += 1;
        }
        if written < rest.len() {
            text.push_str(&format!("\n{} more: see the log.\n", plural(rest.len() - written, "finding")));
        }
    }
    Annotated { log, summary: text }
}

fn command(sources: &SourceMap, found: &Diagnostic, below: &str) -> String {
    let word = match found.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let (start, end) = sources.range(found.primary.span);
    let file = property(&path(below, sources.name(found.primary.span.file)));
    let mut at = format!("file={file},line={}", start.line);
    // GitHub takes columns only for a place on one line.
    if start.line == end.line {
        at.push_str(&format!(",col={},endLine={},endColumn={}", start.column, end.line, end.column));
    } else {
        at.push_str(&format!(",endLine={}", end.line));
    }
    let title = property(&format!("{} {}", found.code.id(), found.code.slug()));
    format!("::{word} {at},title={title}::{}\n", data(&told(sources, found)))
}

/// The message with the other places and the help, a line each.
fn told(sources: &SourceMap, found: &Diagnostic) -> String {
    let mut text = found.message.clone();
    for label in &found.secondary {
        let words = if label.message.is_empty() { "see here" } else { &label.message };
        text.push_str(&format!("\n{}: {words}", place(sources, label.span)));
    }
    if let Some(words) = &found.help {
        text.push_str(&format!("\nhelp: {words}"));
    }
    text
}

/// A finding in the summary.
fn item(sources: &SourceMap, found: &Diagnostic, below: &str) -> String {
    let at = path(below, &place(sources, found.primary.span));
    let said = markdown(&told(sources, found));
    format!("- **{}** `{}` {}: {said}\n", found.severity.word(), found.code.slug(), markdown(&at))
}

/// A path as seen from the root of the repository.
fn path(below: &str, name: &str) -> String {
    if name.starts_with('/') { name.to_owned() } else { format!("{below}{name}") }
}

/// A text that Markdown shows as it is, on lines of one item. What stands in `backticks` stays so.
fn markdown(text: &str) -> String {
    let mut shown = String::new();
    for (at, piece) in text.split('`').enumerate() {
        if at > 0 {
            shown.push('`');
        }
        for c in piece.chars() {
            match c {
                '\n' => shown.push_str("<br>"),
                '<' if at % 2 == 0 => shown.push_str("&lt;"),
                '&' if at % 2 == 0 => shown.push_str("&amp;"),
                '\\' | '*' | '_' | '[' | ']' | '|' | '#' if at % 2 == 0 => shown.extend(['\\', c]),
                '\r' => {}
                c => shown.push(c),
            }
        }
    }
    shown
}

/// A message of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
