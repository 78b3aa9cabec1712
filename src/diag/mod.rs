//! Diagnostics as data: a code, a severity, a message, labelled places and a next step. Rendering is in `report`.

pub mod alike;
mod codes;
pub mod hidden;
mod suggest;

use std::cell::RefCell;

pub use codes::Code;
pub use suggest::{did_you_mean, listed, quoted, round, suggest};

use crate::source::{Fault, FileId, Span};

/// How bad a finding is. The worst comes first in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing may run on this input.
    Error,
    /// Worth a look; the input still works.
    Warning,
    /// For information only.
    Note,
}

impl Severity {
    /// All of them, the worst first.
    pub const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Note];

    /// The word that messages show.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A place and a few words about it; the words may be empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is to be said there, as a lower-case fragment.
    pub message: String,
}

/// What a finding is about, where more than its code counts in what is made of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Aspect {
    /// What its code says.
    #[default]
    Plain,
    /// A key that nothing reads at any time, not one that means nothing here.
    Stranger,
    /// A condition that can never hold, not one that always does.
    NeverTrue,
    /// A contract of a port.
    Contract,
    /// An event that is not there.
    Event,
    /// A value of the limit of carryover that is no depth.
    Depth,
    /// A key that no turn of a scenario has.
    TurnKey,
    /// A reason that no class gives.
    Reason,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// Which kind of finding this is.
    pub code: Code,
    /// What it is about, where the code does not say it.
    pub aspect: Aspect,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong: a lower-case fragment, input in `backticks`.
    pub message: String,
    /// The place at fault.
    pub primary: Label,
    /// Other places that explain it, in any file.
    pub secondary: Vec<Label>,
    /// The edit that mends it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A finding of any severity.
    #[must_use]
    pub fn new(severity: Severity, code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            aspect: Aspect::default(),
            severity,
            message: message.into(),
            primary: Label { span, message: String::new() },
            secondary: Vec::new(),
            help: None,
        }
    }

    /// An error at a place.
    #[must_use]
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, span, message)
    }

    /// A warning at a place.
    #[must_use]
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, span, message)
    }

    /// A note at a place.
    #[must_use]
    pub fn note(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, span, message)
    }

    /// A file that cannot be read.
    #[must_use]
    pub fn unreadable(file: FileId, fault: &Fault) -> Self {
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let span = Span { file, start: offset(fault.at.start), end: offset(fault.at.end) };
        let found = Self::error(Code::UnreadableFile, span, fault.message.as_str());
        if fault.help.is_empty() { found } else { found.help(fault.help.as_str()) }
    }

    /// Whether it is an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// What it is about, where its code does not say it.
    #[must_use]
    pub fn about(self, aspect: Aspect) -> Self {
        Self { aspect, ..self }
    }

    /// The words under the caret of the primary place.
    #[must_use]
    pub fn label(mut self, message: impl Into<String>) -> Self {
        self.primary.message = message.into();
        self
    }

    /// A further place, in this file or another.
    #[must_use]
    pub fn also(mut self, span: Span, message: impl Into<String>) -> Self {
        self.secondary.push(Label { span, message: message.into() });
        self
    }

    /// The next step.
    #[must_use]
    pub fn help(mut self, message: impl Into<String>) -> Self {
        self.help = Some(message.into());
        self
    }

    /// The next step, where there is one.
    #[must_use]
    pub fn help_opt(mut self, message: Option<String>) -> Self {
        self.help = message.or(self.help);
        self
    }
}

/// The sink for findings. It is written through a shared reference, so that readers of nested tables can hold the same one.
#[derive(Debug, Clone, Default)]
pub struct Diagnostics(RefCell<Vec<Diagnostic>>);

impl Diagnostics {
    /// An empty sink.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding.
    pub fn push(&self, diagnostic: Diagnostic) {
        self.0.borrow_mut().push(diagnostic);
    }

    /// Adds many findings.
    pub fn extend(&self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        // Collected first: the iterator may itself read this sink.
        let more: Vec<_> = diagnostics.into_iter().collect();
        self.0.borrow_mut().extend(more);
    }

    /// Whether anything so far is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.0.borrow().iter().any(Diagnostic::is_error)
    }

    /// Whether there is a finding of a code so far.
    #[must_use]
    pub fn has(&self, code: Code) -> bool {
        self.0.borrow().iter().any(|d| d.code == code)
    }

    /// How many findings there are, repeats included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.borrow().len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// The findings in a total order (file, place, code, message, the rest), exact repeats once.
    #[must_use]
    pub fn into_sorted(self) -> Vec<Diagnostic> {
        let mut all = self.0.into_inner();
        all.sort_by(|a, b| order(a).cmp(&order(b)));
        all.dedup();
        all
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    /// The findings in the order in which they were pushed.
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_inner().into_iter()
    }
}

type Order<'a> = ((u32, u32, Code, &'a str), (u32, Severity, &'a str, &'a [Label], Option<&'a str>));

fn order(d: &Diagnostic) -> Order<'_> {
    let span = d.primary.span;
    (
        (span.file.0, span.start, d.code, &d.message),
        (span.end, d.severity, &d.primary.message, &d.secondary, d.help.as_deref()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(file: u32, start: u32) -> Span {
        Span { file: FileId(file), start, end: start + 1 }
    }

    #[test]
    fn sorted_by_place_then_code_and_without_repeats() {
        let sink = Diagnostics::new();
        sink.push(Diagnostic::error(Code::BadValue, at(1, 0), "d"));
        sink.push(Diagnostic::error(Code::BadValue, at(0, 7), "c"));
        sink.push(Diagnostic::warning(Code::UnknownKey, at(0, 7), "b").label("l").also(at(1, 1), "x").help("h"));
        sink.push(Diagnostic::error(Code::BadValue, at(0, 2), "a"));
        sink.push(Diagnostic::error(Code::BadValue, at(0, 2), "a"));
        assert_eq!(sink.len(), 5);
        assert!(sink.has_errors());
        let messages: Vec<_> = sink.into_sorted().into_iter().map(|d| d.message).collect();
        assert_eq!(messages, ["a", "b", "c", "d"]);
    }

    #[test]
    fn warnings_are_no_errors() {
        let sink = Diagnostics::new();
        assert!(sink.is_empty());
        sink.extend([
            Diagnostic::warning(Code::BadValue, at(0, 0), "w"),
            Diagnostic::note(Code::BadValue, at(0, 0), "n"),
        ]);
        assert!(!sink.has_errors());
        assert!(Severity::Error < Severity::Warning && Severity::Warning < Severity::Note);
    }
}
