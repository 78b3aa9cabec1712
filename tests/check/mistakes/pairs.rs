//! Two mistakes at once, in two files: what each of them gives is found beside the other, and nothing else is.

use std::collections::BTreeSet;

use segue::audit::{Audit, Config, audit_documents};
use segue::declare::SourceText;
use segue::diag::{Code, Diagnostic};

use super::edit::Mistake;
use super::judge::AUTOMATA;
use super::judge::Copy;

/// A finding without what it suggests: its code, its place, and what it says.
type Found = (&'static str, String, u32, String);

/// What hangs on all classes: with one of them taken out it is not said.
const OF_ALL: &[Code] = &[
    Code::RedundantPrecedence,
    Code::ClassNotReached,
    Code::CallNobodyMakes,
    Code::NoScenario,
    Code::UnhandledOutcome,
    Code::Overlap,
    Code::OverlapUnknown,
];

/// What is found in a copy with some mistakes, in its pack and in its scenarios.
pub fn audited(copy: &Copy, mistakes: &[&Mistake]) -> Audit {
    let edited = mistakes.iter().map(|mistake| {
        let doc = &copy.docs[mistake.doc];
        SourceText::new(doc.name.as_str(), mistake.applied(&doc.text))
    });
    let documents = copy.documents.with(&edited.collect::<Vec<_>>());
    audit_documents(Some(&documents), &copy.beside[..4], &Config::default(), &AUTOMATA)
}

fn found(audit: &Audit) -> BTreeSet<Found> {
    let named = |d: &Diagnostic| {
        let span = d.primary.span;
        (d.code.slug(), audit.sources.name(span.file).to_owned(), span.start, d.message.clone())
    };
    audit.diagnostics.iter().map(named).collect()
}

/// What two mistakes give, against what each gives. Nothing may be found only beside the other; how many findings of one are not
/// found beside the other comes back, of how many.
pub fn judge(copy: &Copy, one: &Mistake, other: &Mistake) -> Result<(usize, usize), String> {
    let alone = [found(&audited(copy, &[one])), found(&audited(copy, &[other]))];
    let both = found(&audited(copy, &[one, other]));
    let fail = |why: &str, what: Vec<&Found>| {
        let told = |of: &Mistake| {
            let doc = &copy.docs[of.doc];
            format!("{} in {}:{} -> {:?}", of.kind, doc.name, of.lines(&doc.text).0, of.to)
        };
        let what: Vec<String> = what.iter().map(|found| format!("    {found:?}\n")).collect();
        Err(format!("{}: {why}:\n  {}\n  {}\n{}", copy.name, told(one), told(other), what.concat()))
    };
    let new: Vec<&Found> = both.iter().filter(|found| alone.iter().all(|alone| !alone.contains(*found))).collect();
    if !new.is_empty() {
        return fail("found only beside the other", new);
    }
    let of_all = |found: &Found| OF_ALL.iter().any(|code| code.slug() == found.0);
    let lost: Vec<&Found> = alone.iter().flatten().filter(|found| !both.contains(*found) && !of_all(found)).collect();
    // A class does not hang on another, but for what its file cannot be read for.
    let whole = |alone: &BTreeSet<Found>| {
        !alone.iter().any(|found| found.0 == "syntax-error" || found.0 == "duplicate-key" || found.0 == "null-value")
    };
    let class = |of: &Mistake| copy.docs[of.doc].sites.first().is_some_and(|root| root.is("transition/[]"));
    if !lost.is_empty() && class(one) && class(other) && alone.iter().all(whole) {
        return fail("not found beside the other", lost);
    }
    Ok((lost.len(), alone.iter().map(BTreeSet::len).sum()))
}
