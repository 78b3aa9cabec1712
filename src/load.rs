//! Loading: files of a pack → declarations → checks → registry, with every finding of one run.

use crate::check::check;
use crate::declare::{Declared, Options, SourceText, declare};
use crate::diag::Diagnostic;
use crate::registry::Registry;
use crate::source::{FileId, SourceMap, Span};

/// What loading a pack came to.
#[derive(Debug)]
pub struct Loaded {
    /// The texts that were read, for showing findings.
    pub sources: SourceMap,
    /// All findings, in a stable order.
    pub diagnostics: Vec<Diagnostic>,
    /// The registry; only when no finding is an error.
    pub registry: Option<Registry>,
}

/// Loads a pack from the texts of its files, in any order. Never fails early: every finding of one run is reported.
#[must_use]
pub fn load(files: &[SourceText], options: &Options) -> Loaded {
    let Declared { sources, diagnostics, pack } = declare(files, options);
    let mut registry = None;
    if let Some(pack) = pack {
        check(&pack, &diagnostics);
        if !diagnostics.has_errors() {
            match Registry::compile(pack) {
                Ok(compiled) => registry = Some(compiled),
                Err(errors) => {
                    for error in errors {
                        let span = error.span.unwrap_or(Span { file: FileId(0), start: 0, end: 0 });
                        diagnostics.push(Diagnostic::error(error.code, span, error.message).help_opt(error.help));
                    }
                }
            }
        }
    }
    Loaded { sources, diagnostics: diagnostics.into_sorted(), registry }
}
