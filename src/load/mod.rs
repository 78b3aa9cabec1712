//! Loading: files of a pack → declarations → checks → registry, with every finding of one run.

mod once;
mod rest;
mod uses;

use crate::check::check;
use crate::declare::{Documents, Mended, Options, SourceText};
use crate::diag::{Diagnostic, Diagnostics};
use crate::jobs::{Both, in_turn, joined};
use crate::lexicon::{Automata, Matcher};
use crate::model::Pack;
use crate::registry::Registry;
use crate::source::{FileId, SourceMap, Span};

pub use once::{missed_names, told_once};
pub use rest::Rest;
use uses::Used;

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
    load_by(files, options, Means { automata: &Automata::default(), both: &in_turn })
}

/// What a load works with. What comes of it is the same with any.
#[derive(Clone, Copy)]
pub struct Means<'m> {
    /// What they remember is not built again.
    pub automata: &'m Automata,
    /// What can be done at the same time.
    pub both: Both<'m>,
}

/// [`load`] by these means.
#[must_use]
pub fn load_by(files: &[SourceText], options: &Options, means: Means<'_>) -> Loaded {
    let documents = Documents::read_by(files, options, means.both);
    let (diagnostics, registry, rest) = load_documents(&documents, means);
    Loaded { sources: documents.sources, diagnostics, registry, rest }
}

/// Loads a pack from its documents: all findings, the registry where none is an error, and else what is sound of the pack.
#[must_use]
pub fn load_documents(documents: &Documents, means: Means<'_>) -> (Vec<Diagnostic>, Option<Registry>, Option<Rest>) {
    let (found, registry, rest) = load_each(documents, means);
    if registry.is_some() {
        return (found, registry, rest);
    }
    let folder = |found: &Diagnostic| documents.folder(found.primary.span.file);
    let base = documents.alone().map_or_else(Vec::new, |base| load_each(&base, means).0);
    let base: Vec<Diagnostic> = base.into_iter().filter(Diagnostic::is_error).collect();
    let below = once::told_once(base.clone(), folder);
    let found = match once::lacks_much(&below) {
        true => documents.certain().into_sorted(),
        false => found,
    };
    let all = Diagnostics::new();
    all.extend(once::copies(once::told_once(once::above(found, &base), folder), &documents.sources));
    all.extend(below);
    (all.into_sorted(), None, rest)
}

/// The same, with what is wrong told at each place.
fn load_each(documents: &Documents, means: Means<'_>) -> (Vec<Diagnostic>, Option<Registry>, Option<Rest>) {
    let own = || {
        let (found, pack, mended) = documents.declared_or_mended();
        (mended, Own::checked(found, pack, means))
    };
    let ((mended, own), used) = joined(means.both, own, || Used::load(documents, means, &[]));
    if let Some(Mended { documents: better, told, found, .. }) = mended {
        let rest = rest::rest(&better, means.automata, &found, true);
        found.extend(told);
        found.extend(Used::load(&better, means, &[]).found);
        return (found.into_sorted(), None, rest);
    }
    let diagnostics = Diagnostics::new();
    let (mut own, registry) = whole(own, used, &diagnostics);
    if registry.is_some() {
        return (diagnostics.into_sorted(), registry, None);
    }
    // What is wrong with a used pack takes nothing out of this one.
    let rest = match own.take() {
        Some(registry) => Some(rest::alone(registry, documents)),
        None => rest::rest(documents, means.automata, &diagnostics, false),
    };
    (diagnostics.into_sorted(), None, rest)
}

/// Loads a pack that is used by others.
fn load_inside(documents: &Documents, means: Means<'_>, above: &[String]) -> (Vec<Diagnostic>, Option<Registry>) {
    let own = || {
        let (found, pack) = documents.declared();
        Own::checked(found, pack, means)
    };
    let (own, used) = joined(means.both, own, || Used::load(documents, means, above));
    let diagnostics = Diagnostics::new();
    let (_, registry) = whole(own, used, &diagnostics);
    (diagnostics.into_sorted(), registry)
}

/// A pack by itself, as it is declared.
struct Own {
    pack: Option<Pack>,
    matcher: Option<Matcher>,
    found: Diagnostics,
}

impl Own {
    fn checked(found: Diagnostics, pack: Option<Pack>, means: Means<'_>) -> Self {
        let matcher = pack.as_ref().and_then(|pack| check(pack, means.automata, means.both, &found));
        Self { pack, matcher, found }
    }
}

/// Puts a pack together with those that it uses. Where only these are wrong it comes back by itself, first.
fn whole(own: Own, used: Used, out: &Diagnostics) -> (Option<Registry>, Option<Registry>) {
    let Own { pack, matcher, found } = own;
    let sound = !found.has_errors();
    out.extend(found);
    out.extend(used.found);
    let Some(mut pack) = pack else { return (None, None) };
    let border = Diagnostics::new();
    let registries = uses::together_with(&mut pack, used.packs, &border);
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
