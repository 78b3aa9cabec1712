//! Names that scenarios use and that nothing declares: what comes of one slip in the pack is told once.

use std::collections::BTreeMap;

use crate::declare::{meant, named_otherwise, places};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::{Format, parse};

/// The name that a finding says nothing bears. Scenarios are told it first, packs last.
fn unknown_name(found: &Diagnostic) -> Option<&str> {
    let is = matches!(found.code, Code::UnknownName | Code::UnknownValue | Code::UnknownSlot)
        || found.code == Code::AnswerBreaksPort && found.message.contains("` is no field");
    let mut words = found.message.split('`').skip(1).step_by(2);
    is.then(|| if found.message.starts_with('`') { words.next() } else { words.last() }).flatten()
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
        if let Some(name) = unknown_name(one) {
            uses.entry((name.to_owned(), meant(one).map(str::to_owned))).or_default().push(at);
        }
    }
    let mut found: Vec<Option<Diagnostic>> = found.into_iter().map(Some).collect();
    for ((name, declared), places) in uses {
        let at = |place: &usize| found[*place].as_ref().map(|one| one.primary.span);
        let mut own: Vec<(Span, usize)> = places.iter().filter_map(|place| Some((at(place)?, *place))).collect();
        own.sort_unstable();
        // The files of the pack come first.
        let beside = own.split_off(own.partition_point(|(span, _)| of_pack(span.file)));
        let Some((first, _)) = beside.first().copied() else { continue };
        let only = declared.as_deref().filter(|_| places.len() > 1).and_then(|declared| only_place(sources, declared));
        if let (Some(declared), Some(place)) = (&declared, only.filter(|place| of_pack(place.file))) {
            let all: Vec<Span> = own.iter().chain(&beside).map(|(span, _)| *span).collect();
            places.iter().for_each(|place| found[*place] = None);
            found.push(Some(named_otherwise(declared, place, &name, &all)));
        } else if let Some((_, told)) = own.first() {
            let label = match beside.len() {
                1 => "a scenario names it as well".to_owned(),
                count => format!("scenarios name it in {count} places, first here"),
            };
            found[*told] = found[*told].take().map(|told| told.also(first, label));
            beside.iter().for_each(|(_, place)| found[*place] = None);
        }
    }
    found.into_iter().flatten().collect()
}
