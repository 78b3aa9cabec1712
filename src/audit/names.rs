//! Names that scenarios use and that nothing declares: what comes of one slip in the pack is told once.

use std::collections::{BTreeMap, BTreeSet};

use crate::declare::{meant, named_otherwise, places};
use crate::diag::{Aspect, Code, Diagnostic, Diagnostics, Label};
use crate::load::{missed_names, told_once as once};
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::{Format, parse};

/// The names that a finding says nothing bears. Scenarios are told them first, packs last.
fn unknown_names(found: &Diagnostic) -> Vec<&str> {
    let all = missed_names(found);
    let is_other = all.is_empty() && matches!(found.code, Code::UnknownName | Code::UnknownValue | Code::UnknownSlot)
        || found.code == Code::AnswerBreaksPort && found.message.contains("` is no field");
    let mut words = found.message.split('`').skip(1).step_by(2);
    match is_other {
        true => if found.message.starts_with('`') { words.next() } else { words.last() }.into_iter().collect(),
        false => all,
    }
}

/// Where a name stands, if it stands in one place of all files.
fn only_place(sources: &SourceMap, name: &str) -> Option<Span> {
    let mut all: Vec<Span> = Vec::new();
    for file in sources.files().filter(|file| sources.text(*file).contains(name)) {
        let format = Format::of_path(sources.name(file))?;
        let node = parse(file, sources.text(file), format, &Diagnostics::new())?;
        places(&node, name, &mut all);
    }
    match all.as_slice() {
        [place] => Some(*place),
        _ => None,
    }
}

/// The same findings, but that a name which is written otherwise where it is declared is told there, and one that the pack lacks for
/// itself as well is told in the pack. The files of the pack come before those of scenarios.
pub(super) fn told_once(found: Vec<Diagnostic>, sources: &SourceMap, files: usize) -> Vec<Diagnostic> {
    let of_pack = |file: FileId| (file.0 as usize) < files;
    let mut uses: BTreeMap<(String, Option<String>), Vec<usize>> = BTreeMap::new();
    for (at, one) in found.iter().enumerate() {
        for name in unknown_names(one) {
            uses.entry((name.to_owned(), meant(one).map(str::to_owned))).or_default().push(at);
        }
    }
    // What scenarios name of what the packs lack.
    let mut elsewhere: BTreeMap<usize, Vec<(Span, usize)>> = BTreeMap::new();
    let mut found: Vec<Option<Diagnostic>> = found.into_iter().map(Some).collect();
    for ((name, declared), places) in uses {
        let at = |place: &usize| found[*place].as_ref().map(|one| one.primary.span);
        let mut own: Vec<(Span, usize)> = places.iter().filter_map(|place| Some((at(place)?, *place))).collect();
        own.sort_unstable();
        // The files of the pack come first.
        let beside = own.split_off(own.partition_point(|(span, _)| of_pack(span.file)));
        if beside.is_empty() {
            continue;
        }
        let only = declared.as_deref().filter(|_| places.len() > 1).and_then(|declared| only_place(sources, declared));
        if let (Some(declared), Some(place)) = (&declared, only.filter(|place| of_pack(place.file))) {
            let all: Vec<Span> = own.iter().chain(&beside).map(|(span, _)| *span).collect();
            places.iter().for_each(|place| found[*place] = None);
            found.push(Some(named_otherwise(declared, place, &name, &all)));
        } else if let Some((_, told)) = own.first() {
            elsewhere.entry(*told).or_default().extend(beside);
        }
    }
    for (told, mut beside) in elsewhere {
        beside.sort_unstable();
        let label = match beside.len() {
            1 => "a scenario names it as well".to_owned(),
            count => format!("scenarios name it in {count} places, first here"),
        };
        found[told] = found[told].take().map(|told| told.also(beside[0].0, label));
        beside.iter().for_each(|(_, place)| found[*place] = None);
    }
    let mut found: Vec<Diagnostic> = found.into_iter().flatten().collect();
    // A value that an alias brings into an expectation as well.
    let is_answer = |one: &Diagnostic| one.code == Code::AnswerBreaksPort;
    let said: BTreeSet<(Span, String)> =
        found.iter().filter(|one| !is_answer(one)).map(|one| (one.primary.span, one.message.clone())).collect();
    found.retain(|one| !is_answer(one) || !said.contains(&(one.primary.span, one.message.clone())));
    let found = by_contract(found);
    let (mut packs, scenarios): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|found| of_pack(found.primary.span.file));
    packs.extend(once(scenarios, |_| ()));
    packs
}

/// In so many places it is the contract that is wrong, and not what is answered.
const REFUSED: usize = 3;

/// The same findings, but that what one keyword of a contract refuses in many scenarios is told there.
fn by_contract(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut refused: BTreeMap<Span, BTreeSet<Span>> = BTreeMap::new();
    let keyword = |one: &Diagnostic| match (one.code, one.aspect, one.secondary.first()) {
        (Code::AnswerBreaksPort, Aspect::Contract, Some(label)) => Some(label.span),
        _ => None,
    };
    for one in &found {
        if let Some(at) = keyword(one) {
            refused.entry(at).or_default().insert(one.primary.span);
        }
    }
    refused.retain(|_, places| places.len() >= REFUSED);
    let mut told = BTreeSet::new();
    let each = found.into_iter().filter_map(|one| {
        let Some((at, places)) = keyword(&one).and_then(|at| refused.get_key_value(&at)) else { return Some(one) };
        if !told.insert(*at) {
            return None;
        }
        let what = one.message.split_once(": ").map_or(one.message.as_str(), |(_, what)| what);
        let message = format!("the contract refuses what scenarios answer in {} places: {what}", places.len());
        let first = places.first().copied().unwrap_or(one.primary.span);
        let found = Diagnostic { primary: Label { span: *at, message: String::new() }, message, ..one };
        let found = Diagnostic { secondary: Vec::new(), ..found };
        Some(found.also(first, "the first of these places").help("mend the contract, or what is answered there"))
    });
    each.collect()
}
