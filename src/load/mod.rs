//! Loading: files of a pack → declarations → checks → registry, with every finding of one run.

mod rest;
mod uses;

use crate::check::check;
use crate::declare::{Documents, Mended, Options, SourceText};
use crate::diag::{Diagnostic, Diagnostics};
use crate::lexicon::{Automata, Matcher};
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
    load_sharing(files, options, &Automata::default())
}

/// [`load`], in which what `automata` remember is not built again.
#[must_use]
pub fn load_sharing(files: &[SourceText], options: &Options, automata: &Automata) -> Loaded {
    let documents = Documents::read(files, options);
    let (diagnostics, registry, rest) = load_documents(&documents, automata);
    Loaded { sources: documents.sources, diagnostics, registry, rest }
}

/// Loads a pack from its documents: all findings, the registry where none is an error, and else what is sound of the pack. What
/// `automata` remember is not built again.
#[must_use]
pub fn load_documents(documents: &Documents, automata: &Automata) -> (Vec<Diagnostic>, Option<Registry>, Option<Rest>) {
    let (declared, pack, mended) = documents.declared_or_mended();
    if let Some(Mended { documents, told, found, .. }) = mended {
        let rest = rest::rest(&documents, automata, &found, true);
        found.extend(told);
        uses::load(&documents, automata, &[], &found);
        return (found.into_sorted(), None, rest);
    }
    let diagnostics = Diagnostics::new();
    let (mut own, registry) = whole(documents, automata, (declared, pack), &[], &diagnostics);
    if registry.is_some() {
        return (diagnostics.into_sorted(), registry, None);
    }
    // What is wrong with a used pack takes nothing out of this one.
    let rest = match own.take() {
        Some(registry) => Some(rest::alone(registry, documents)),
        None => rest::rest(documents, automata, &diagnostics, false),
    };
    (diagnostics.into_sorted(), None, rest)
}

/// Loads a pack that is used by others.
fn load_inside(documents: &Documents, automata: &Automata, above: &[String]) -> (Vec<Diagnostic>, Option<Registry>) {
    let diagnostics = Diagnostics::new();
    let (_, registry) = whole(documents, automata, documents.declared(), above, &diagnostics);
    (diagnostics.into_sorted(), registry)
}

/// Loads a pack, as it is declared, with those that it uses. Where only these are wrong it comes back by itself, first.
fn whole(
    documents: &Documents,
    automata: &Automata,
    (found, pack): (Diagnostics, Option<Pack>),
    above: &[String],
    out: &Diagnostics,
) -> (Option<Registry>, Option<Registry>) {
    let matcher = pack.as_ref().and_then(|pack| check(pack, automata, &found));
    let sound = !found.has_errors();
    out.extend(found);
    let used = uses::load(documents, automata, above, out);
    let Some(mut pack) = pack else { return (None, None) };
    let border = Diagnostics::new();
    let registries = uses::together_with(&mut pack, used, &border);
    let joins = !border.has_errors();
    out.extend(border);
    if !sound || !joins {
        return (None, None);
    }
    match compiled(pack, matcher, registries, out) {
        Some(registry) if out.has_errors() => (Some(registry), None),
        registry => (None, registry),
    }
}

fn compiled(pack: Pack, matcher: Option<Matcher>, used: Vec<Registry>, out: &Diagnostics) -> Option<Registry> {
    match Registry::compile_with(pack, matcher) {
        Ok(compiled) => Some(compiled.using(used)),
        Err(errors) => {
            for error in errors {
                let span = error.span.unwrap_or(Span { file: FileId(0), start: 0, end: 0 });
                out.push(Diagnostic::error(error.code, span, error.message).help_opt(error.help));
            }
            None
        }
    }
}
