//! Loading: files of a pack → declarations → checks → registry, with every finding of one run.

mod rest;

use crate::check::check;
use crate::declare::{Documents, Options, SourceText};
use crate::diag::{Diagnostic, Diagnostics};
use crate::lexicon::Matcher;
use crate::model::Pack;
use crate::registry::Registry;
use crate::source::{FileId, SourceMap, Span};

pub use rest::Rest;

/// What loading a pack came to.
#[derive(Debug)]
pub struct Loaded {
    /// The texts that were read, for showing findings.
    pub sources: SourceMap,
    /// All findings, in a stable order.
    pub diagnostics: Vec<Diagnostic>,
    /// The registry; only when no finding is an error.
    pub registry: Option<Registry>,
    /// Where there is none: what is sound of the pack, if that is a pack.
    pub rest: Option<Rest>,
}

/// Loads a pack from the texts of its files, in any order. Never fails early: every finding of one run is reported, and where
/// something is wrong all else is checked nevertheless.
#[must_use]
pub fn load(files: &[SourceText], options: &Options) -> Loaded {
    let documents = Documents::read(files, options);
    let (diagnostics, registry, rest) = load_documents(&documents);
    Loaded { sources: documents.sources, diagnostics, registry, rest }
}

/// Loads a pack from its documents: all findings, the registry where none is an error, and else what is sound of the pack.
#[must_use]
pub fn load_documents(documents: &Documents) -> (Vec<Diagnostic>, Option<Registry>, Option<Rest>) {
    let (diagnostics, pack) = documents.declared();
    let mut registry = None;
    if let Some(pack) = pack {
        let matcher = check(&pack, &diagnostics);
        if !diagnostics.has_errors() {
            registry = compiled(pack, matcher, &diagnostics);
        }
    }
    let rest = match registry {
        Some(_) => None,
        None => rest::rest(documents, &diagnostics),
    };
    (diagnostics.into_sorted(), registry, rest)
}

fn compiled(pack: Pack, matcher: Option<Matcher>, out: &Diagnostics) -> Option<Registry> {
    match Registry::compile_with(pack, matcher) {
        Ok(compiled) => Some(compiled),
        Err(errors) => {
            for error in errors {
                let span = error.span.unwrap_or(Span { file: FileId(0), start: 0, end: 0 });
                out.push(Diagnostic::error(error.code, span, error.message).help_opt(error.help));
            }
            None
        }
    }
}
