//! Names that nothing declares: one that is missed in many places is told in the first of them, and so is what a whole file of
//! declarations that is not there leaves unknown.

use std::collections::{BTreeMap, BTreeSet};

use crate::declare::meant;
use crate::diag::{Code, Diagnostic, listed, quoted};
use crate::source::{FileId, SourceMap};

/// So many of the other places are shown.
const SHOWN: usize = 3;
/// So many names of a kind that are missed in so many places are missed for one reason.
const MANY: (usize, usize) = (4, 12);
/// What is said of several names.
const ANY: &str = " of any of these names: ";
/// What is said of a word of a phrase.
const CALLED: &str = "nothing is called `";
/// What is said of a place that a derived signal is to be found in.
const NOWHERE: &str = "` is nowhere: ";

/// What a finding misses: the kind of it, and its name.
fn missed(found: &Diagnostic) -> Option<(&str, &str)> {
    if !matches!(found.code, Code::UnknownName | Code::UnknownValue | Code::UnknownSlot) {
        return None;
    }
    let message = found.message.as_str();
    if let Some(of) = message.strip_prefix("there is no ") {
        let (kind, rest) = of.split_once(" `")?;
        // Some places take something else besides.
        let kind = kind.split_once(" or ").map_or(kind, |(kind, _)| kind);
        return Some((kind, rest.strip_suffix('`')?));
    }
    if let Some(of) = message.strip_prefix(CALLED) {
        return Some((CALLED, of.split('`').next()?));
    }
    if let Some((name, _)) = message.strip_prefix('`').and_then(|of| of.split_once(NOWHERE)) {
        return Some((NOWHERE, name));
    }
    match message.strip_prefix('`').and_then(|of| of.split_once("` is no ")) {
        Some((name, kind)) => Some((kind, name)),
        None => message.strip_suffix('`')?.rsplit_once(" `"),
    }
}

/// The names that a finding says nothing bears, of which there are several where a file of declarations may be missing.
#[must_use]
pub fn missed_names(found: &Diagnostic) -> Vec<&str> {
    match found.message.split_once(ANY) {
        Some((_, names)) if found.code == Code::UnknownName => names.split('`').skip(1).step_by(2).collect(),
        _ => missed(found).map(|(_, name)| name).into_iter().collect(),
    }
}

/// Whether the pack declares nothing of the kind of which a finding misses one.
fn has_none(found: &Diagnostic) -> bool {
    found.help.as_deref().is_some_and(|help| help.starts_with("the pack declares no "))
}

/// A name that is missed, and where.
type Missed<'f> = (&'f str, Vec<usize>);

/// The same findings, what is missed told once. `group`: what belongs together, such as the files of one pack.
#[must_use]
pub fn told_once<G: Ord + Copy>(found: Vec<Diagnostic>, group: impl Fn(&Diagnostic) -> G) -> Vec<Diagnostic> {
    let mut all: BTreeMap<G, BTreeMap<&str, BTreeMap<&str, Vec<usize>>>> = BTreeMap::new();
    let mut gone: BTreeSet<usize> = BTreeSet::new();
    for (at, one) in found.iter().enumerate() {
        let Some((kind, name)) = missed(one) else { continue };
        let places = all.entry(group(one)).or_default().entry(kind).or_default().entry(name).or_default();
        // Of what is found twice in one place the first.
        match places.iter().all(|at| found[*at].primary.span != one.primary.span) {
            true => places.push(at),
            false => _ = gone.insert(at),
        }
    }
    let mut told: BTreeMap<usize, Diagnostic> = BTreeMap::new();
    for (of, kinds) in &all {
        // Any class may be meant to be the boundary.
        if kinds.get("class").is_some_and(|names| names.values().any(|at| meant(&found[at[0]]).is_none())) {
            let open = found.iter().enumerate().filter(|(_, one)| one.code == Code::NoBoundary && group(one) == *of);
            gone.extend(open.map(|(at, _)| at));
        }
        for (kind, names) in kinds {
            let mut left: Vec<Missed<'_>> = Vec::new();
            for (name, places) in names {
                if follows(kind, name, places.len(), kinds) {
                    gone.extend(places);
                } else {
                    left.push((name, places.clone()));
                }
            }
            each_once(&found, kind, left, &mut gone, &mut told);
        }
    }
    let each = found.iter().enumerate();
    let each = each.filter_map(|(at, one)| told.remove(&at).or_else(|| (!gone.contains(&at)).then(|| one.clone())));
    each.collect()
}

/// Whether a name is missed because another declaration is.
fn follows(kind: &str, name: &str, count: usize, kinds: &BTreeMap<&str, BTreeMap<&str, Vec<usize>>>) -> bool {
    let loose = |kind: &str| matches!(kind, "value" | CALLED | NOWHERE);
    kinds.iter().filter(|(other, _)| **other != kind && !loose(other)).any(|(other, names)| match names.get(name) {
        // What is called the same is the same, mostly that which is named more often.
        Some(more) => loose(kind) || (more.len(), *other) > (count, kind),
        // A field of an answer is not known where its port is not.
        None => *other == "port" && matches!(kind, "no answer of a port has a field" | "field of an answer"),
    })
}

/// Tells names of one kind, each once or all of them at once.
fn each_once(
    found: &[Diagnostic],
    kind: &str,
    mut names: Vec<Missed<'_>>,
    gone: &mut BTreeSet<usize>,
    told: &mut BTreeMap<usize, Diagnostic>,
) {
    let near = |(_, places): &&Missed<'_>| meant(&found[places[0]]).is_some();
    let (sure, places) = names.iter().filter(|one| !near(one)).fold((0, 0), |(n, all), of| (n + 1, all + of.1.len()));
    let none = || names.iter().any(|(_, places)| has_none(&found[places[0]]));
    if sure > 1
        && (none() || sure >= MANY.0 && places >= MANY.1)
        && found[names[0].1[0]].message.starts_with("there is")
    {
        names.retain(|one| !near(&one) || one.1.len() > 1);
        names.sort_by_key(|(_, places)| places[0]);
        let places: Vec<usize> = names.iter().flat_map(|(_, places)| places).copied().collect();
        let others: Vec<usize> = names[1..].iter().map(|(_, places)| places[0]).collect();
        let message = format!("there is no {kind}{ANY}{}", listed(names.iter().map(|(name, _)| name)));
        let help =
            format!("they are named in {} places: declare them; a file that does so may be missing", places.len());
        told.insert(places[0], Diagnostic { message, ..with(found, places[0], &others).help(help) });
        gone.extend(places);
        return;
    }
    for one in &names {
        let (name, [first, others @ ..]) = (one.0, one.1.as_slice()) else { continue };
        if others.is_empty() {
            continue;
        }
        let count = others.len() + 1;
        let help = found[*first].help.as_deref().unwrap_or_default();
        let help = match near(&one) {
            true => {
                let end = if help.ends_with(['?', '.']) { "" } else { "." };
                format!(
                    "{help}{end} It is named in {count} places: write that in each of them, or declare {}",
                    quoted(name)
                )
            }
            false => format!("{} is named in {count} places: declare it, or write another name; {help}", quoted(name)),
        };
        told.insert(*first, with(found, *first, others).help(help.trim_end_matches("; ")));
        gone.extend(&one.1);
    }
}

/// One of several findings with the places of others.
fn with(found: &[Diagnostic], first: usize, others: &[usize]) -> Diagnostic {
    let places = others.iter().map(|at| found[*at].primary.span);
    places.take(SHOWN).fold(found[first].clone(), |told, place| told.also(place, "named here"))
}

/// Whether much is missing: what else is found may be so because of that.
#[must_use]
pub fn lacks_much(found: &[Diagnostic]) -> bool {
    found.iter().any(|one| one.message.contains(ANY) || one.code == Code::NoManifest)
}

/// Findings in a pack that extends another one, in which there are some: what is wrong with that one is told as it is by itself, and
/// nothing that follows from it.
#[must_use]
pub fn above(found: Vec<Diagnostic>, base: &[Diagnostic]) -> Vec<Diagnostic> {
    let names: BTreeSet<(&str, &str)> = base.iter().filter_map(missed).collect();
    let known = |one: &Diagnostic| {
        let same = |of: &Diagnostic| {
            of.primary.span == one.primary.span
                && (of.code == Code::NoManifest || (of.code, &of.message) == (one.code, &one.message))
        };
        missed(one).is_some_and(|of| names.contains(&of)) || base.iter().any(same)
    };
    found.into_iter().filter(|one| !known(one)).collect()
}

/// The same findings, but that what two files declare twice between them is told once, in the one that is called like a copy of the other.
#[must_use]
pub fn copies(found: Vec<Diagnostic>, sources: &SourceMap) -> Vec<Diagnostic> {
    let files = |one: &Diagnostic| {
        let other = one.secondary.first().filter(|_| one.code == Code::DuplicateName)?.span.file;
        let (file, stem) = (one.primary.span.file, |file| stem(sources.name(file)));
        let is_copy = |a: FileId, b: FileId| stem(a).strip_prefix(stem(b)).is_some_and(says_copy);
        match () {
            () if is_copy(other, file) => Some((other, file)),
            () if is_copy(file, other) => Some((file, other)),
            () => None,
        }
    };
    let mut told: BTreeMap<(FileId, FileId), Vec<usize>> = BTreeMap::new();
    for (at, one) in found.iter().enumerate() {
        if let Some(pair) = files(one) {
            told.entry(pair).or_default().push(at);
        }
    }
    let mut first: BTreeMap<usize, Diagnostic> = BTreeMap::new();
    for ((copy, of), places) in &told {
        let one = &found[places[0]];
        let labels = [Some(&one.primary), one.secondary.first()];
        let at = |file: FileId| labels.iter().flatten().map(|label| label.span).find(|span| span.file == file);
        let (Some(here), Some(there)) = (at(*copy), at(*of)) else { continue };
        let names = if places.len() == 1 { "a name".to_owned() } else { format!("{} names", places.len()) };
        let other = quoted(sources.name(*of).rsplit('/').next().unwrap_or_default());
        let message = format!("this file declares {names} that {other} declares: it is called like a copy of that one");
        let found = Diagnostic::error(Code::DuplicateName, here, message).also(there, "the first of them there");
        first.insert(places[0], found.help("take one of the two files out of the folder; every file in it is read"));
    }
    let gone: BTreeSet<usize> = told.into_values().flatten().collect();
    let each = found.into_iter().enumerate();
    each.filter_map(|(at, one)| first.remove(&at).or_else(|| (!gone.contains(&at)).then_some(one))).collect()
}

/// Whether so ends the name of a file that somebody, or a program, has made as a copy: `T1 (2)`, `T1 copy`, `T1.bak`, `T1_old`.
fn says_copy(end: &str) -> bool {
    let word = end.trim_start_matches([' ', '.', '-', '_', '(']).to_lowercase();
    let spaced = end.starts_with([' ', '.', '(']);
    spaced || (word != end && ["copy", "old", "bak", "backup", "orig"].contains(&&*word))
}

/// The name of a file without its folder and its ending.
fn stem(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}
