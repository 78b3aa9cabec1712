//! Diagnostics as text and as documents: pure functions from findings to strings, one per format.

mod github;
mod human;
#[cfg(feature = "cli")]
pub(crate) mod junit;
mod sarif;

pub use github::{Annotated, github};
pub use human::human;
#[cfg(feature = "cli")]
pub use junit::junit;
pub use sarif::sarif;

use serde_json::{Value, json};

use crate::diag::{Code, Diagnostic, Label, Severity};
use crate::source::{LineColumn, SourceMap, Span};

/// The version of the shape of [`json()`].
pub const FORMAT_VERSION: u32 = 1;

/// One line per finding: `file:line:column: error[slug]: message`.
#[must_use]
pub fn short(sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for d in diagnostics {
        let (at, severity, slug) = (place(sources, d.primary.span), d.severity.word(), d.code.slug());
        text.push_str(&format!("{at}: {severity}[{slug}]: {}\n", d.message));
    }
    text
}

/// The page of a code, for people: without what only the test of its examples reads. Of an example its format and its file are
/// shown.
#[must_use]
pub fn page(code: Code) -> String {
    let mut text = String::new();
    for line in code.page().lines() {
        let mut words = line.split(' ');
        match words.next().filter(|word| word.len() > 3 && word.starts_with("```")) {
            Some(fence) => {
                let file = words.find_map(|word| word.strip_prefix("file=")).map(|file| format!(" {file}"));
                text.push_str(&format!("{fence}{}\n", file.unwrap_or_default()));
            }
            None => text.push_str(&format!("{line}\n")),
        }
    }
    text
}

/// `file:line:column`.
pub(crate) fn place(sources: &SourceMap, span: Span) -> String {
    let LineColumn { line, column } = sources.start(span);
    format!("{}:{line}:{column}", sources.name(span.file))
}

/// All findings for a machine. Lines and columns count from 1, columns in characters; an end is one past the last character.
#[must_use]
pub fn json(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Value {
    let related = |label: &Label| {
        let Label { span, message } = label;
        json!({ "message": message, "file": sources.name(span.file), "range": range(sources, *span) })
    };
    let all: Vec<Value> = diagnostics
        .iter()
        .map(|d| {
            json!({
                "code": d.code.id(),
                "slug": d.code.slug(),
                "severity": d.severity.word(),
                "message": d.message,
                "file": sources.name(d.primary.span.file),
                "range": range(sources, d.primary.span),
                "help": d.help,
                "related": d.secondary.iter().map(related).collect::<Vec<_>>(),
            })
        })
        .collect();
    let (errors, warnings) = (count(diagnostics, Severity::Error), count(diagnostics, Severity::Warning));
    json!({
        "format_version": FORMAT_VERSION,
        "diagnostics": all,
        "summary": { "errors": errors, "warnings": warnings },
    })
}

/// The closing line of a human report, such as `2 errors, 1 warning`; notes are counted where there are any.
#[must_use]
pub fn summary(diagnostics: &[Diagnostic]) -> String {
    let (errors, warnings, notes) = (
        count(diagnostics, Severity::Error),
        count(diagnostics, Severity::Warning),
        count(diagnostics, Severity::Note),
    );
    let mut text = format!("{}, {}", plural(errors, "error"), plural(warnings, "warning"));
    if notes > 0 {
        text.push_str(&format!(", {}", plural(notes, "note")));
    }
    text
}

/// A number and what is counted, in the plural where it is due.
#[must_use]
pub fn plural(n: usize, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}

/// How many findings are this bad.
#[must_use]
pub fn count(diagnostics: &[Diagnostic], severity: Severity) -> usize {
    diagnostics.iter().filter(|d| d.severity == severity).count()
}

fn range(sources: &SourceMap, span: Span) -> Value {
    let place = |at: LineColumn| json!({ "line": at.line, "column": at.column });
    let (start, end) = sources.range(span);
    json!({ "start": place(start), "end": place(end) })
}
