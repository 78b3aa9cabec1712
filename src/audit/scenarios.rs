//! Scenario files: read, and held against their pack where it loads. One is run only where what it covers is in doubt.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::declare::{self, LeftOut};
use crate::diag::{Aspect, Code, Diagnostic, Diagnostics, did_you_mean, listed, quoted, suggest};
use crate::jobs::{self, Both};
use crate::load::Rest;
use crate::model::ids::ClassId;
use crate::registry::Registry;
use crate::scenario::lint::{families, lint};
use crate::scenario::{self, Parsed, Scenario, script, snapshot};
use crate::source::{FileId, SourceMap, SourceText, Span};
use crate::syntax::{Format, Kind, Node};

use super::{Config, Place, Scope};

/// What scenarios are held against.
pub(super) struct Known<'r> {
    /// The pack, or what is sound of it.
    registry: Option<&'r Registry>,
    /// What is not in it.
    left_out: Option<&'r LeftOut>,
}

impl<'r> Known<'r> {
    pub fn new(registry: Option<&'r Registry>, rest: Option<&'r Rest>) -> Self {
        let left_out = rest.map(|rest| &rest.left_out);
        Self { registry: registry.or(rest.map(|rest| &rest.registry)), left_out }
    }

    /// Whether a finding in a scenario may be so only because something is left out.
    fn is_open(&self, found: &Diagnostic, scenario: &Scenario, sources: &SourceMap) -> bool {
        self.left_out.is_some_and(|left_out| {
            !left_out.is_placed(found, sources)
                // Another class may be what takes a turn, makes a call or gives a reason.
                || matches!(found.code, Code::ClassNotReached | Code::CallNobodyMakes)
                || (left_out.any_event && found.aspect == Aspect::TurnKey)
                || (!left_out.sections.is_empty() && found.aspect == Aspect::Reason)
                || scenario::named(scenario, found.primary.span).into_iter().any(|word| left_out.names(word))
                || (found.code == Code::UnknownName && left_out.names(sources.slice(found.primary.span)))
        })
    }

    /// Holds a scenario against the pack; the classes that it is about come back. What it comes to is not known where its file is not
    /// `whole`.
    fn judge(&self, scenario: &Scenario, whole: bool, sources: &SourceMap, out: &Diagnostics) -> Vec<ClassId> {
        let Some(registry) = self.registry else {
            out.extend(scenario.problems.iter().cloned());
            out.extend(scenario::faults(scenario));
            return Vec::new();
        };
        let pack = registry.pack();
        let found = Diagnostics::new();
        let about = match script(registry, scenario) {
            Ok(script) => lint(registry, scenario, &script, &found).into_iter().collect(),
            Err(problems) => {
                found.extend(problems);
                words(scenario).into_iter().filter_map(|word| pack.class(word)).collect()
            }
        };
        let own = |found: &Diagnostic| scenario.problems.contains(found);
        let known = |found: &Diagnostic| whole || !matches!(found.code, Code::ClassNotReached | Code::CallNobodyMakes);
        let found = found.into_iter().filter(known);
        out.extend(found.filter(|found| own(found) || !self.is_open(found, scenario, sources)));
        about
    }

    /// Says of which classes no scenario is.
    fn families(&self, about: &BTreeSet<ClassId>, sources: &SourceMap, out: &Diagnostics) {
        let Some(registry) = self.registry else { return };
        let found = Diagnostics::new();
        families(registry, about, &found);
        let holds = |found: &Diagnostic| self.left_out.is_none_or(|left_out| left_out.is_placed(found, sources));
        out.extend(found.into_iter().filter(holds));
    }
}

/// All words of a scenario that may be names.
fn words(scenario: &Scenario) -> BTreeSet<&str> {
    fn add<'n>(node: &'n Node, all: &mut BTreeSet<&'n str>) {
        match &node.kind {
            Kind::Text(text) => all.extend(declare::words(text)),
            Kind::List(items) => items.iter().for_each(|item| add(item, all)),
            Kind::Table(table) => {
                for entry in table {
                    all.extend(declare::words(&entry.key));
                    add(&entry.value, all);
                }
            }
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Date(_) => {}
        }
    }
    let mut all = BTreeSet::new();
    scenario.given.iter().chain(&scenario.turns).for_each(|node| add(node, &mut all));
    all.extend(scenario.covers.iter().map(|class| class.value.as_str()));
    all
}

/// A scenario file, read as far as it can be without its pack.
#[derive(Debug, Clone)]
pub(super) struct Read {
    pub file: SourceText,
    pub id: FileId,
    /// Its scenarios, where it is a file that may hold some.
    parsed: Option<Arc<Parsed>>,
}

/// Reads scenario files; so many files come before them. What was read before and is the same is not read again.
pub(super) fn read(files: &[SourceText], before: usize, known: &[Read], both: Both<'_>) -> Vec<Read> {
    let mut sorted: Vec<&SourceText> = files.iter().collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.text.cmp(&b.text)));
    jobs::each(both, &sorted, |at, file| {
        let id = FileId(u32::try_from(before + at).unwrap_or(u32::MAX));
        if let Some(known) = known.get(at).filter(|known| known.id == id && known.file == **file) {
            return known.clone();
        }
        let format = Format::of_path(&file.name).filter(|_| file.fault.is_none());
        let parsed = format.map(|format| Arc::new(scenario::parse(id, &file.text, format)));
        Read { file: (*file).clone(), id, parsed }
    })
}

/// Checks scenario files. Files that hold scenarios of other packs come back.
pub(super) fn check(
    files: &[Read],
    known: &Known<'_>,
    config: &Config,
    sources: &SourceMap,
    out: &Diagnostics,
) -> Vec<FileId> {
    let mut shared = Vec::new();
    let mut about = BTreeSet::new();
    let mut taken = snapshot::Taken::default();
    let mut unread = false;
    let mut homeless = BTreeMap::new();
    for Read { file, id, parsed } in files {
        let id = *id;
        if let Some(fault) = &file.fault {
            unread = true;
            out.push(Diagnostic::unreadable(id, fault));
            continue;
        }
        let Some(parsed) = parsed else {
            let found = Diagnostic::error(
                Code::UnreadableFile,
                Span { file: id, start: 0, end: 0 },
                "the file is neither YAML, TOML nor JSON",
            );
            out.push(found.help("name it `.yaml`, `.yml`, `.toml` or `.json`"));
            continue;
        };
        unread |= !parsed.problems.is_empty();
        out.extend(parsed.problems.iter().cloned());
        let (folder, own) = file.name.rsplit_once('/').unwrap_or(("", &file.name));
        let stem = own.rsplit_once('.').map_or(own, |(stem, _)| stem);
        let names: Vec<&str> = parsed.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
        for (scenario, snapshot) in parsed.scenarios.iter().zip(snapshot::names(stem, &names)) {
            out.extend(taken.take((folder, snapshot), &file.name, scenario.span));
            if let Some(place) = &config.place
                && !belongs(scenario, &file.name, place, &mut homeless, out)
            {
                shared.push(id);
                continue;
            }
            let whole = parsed.problems.is_empty();
            about.extend(known.judge(scenario, whole, sources, out));
        }
    }
    if let Some(place) = &config.place {
        homeless.into_iter().for_each(|(folder, of)| out.push(without_pack(folder, &of, &place.packs)));
    }
    // A file that cannot be read may hold what is missing.
    if config.scope == Scope::Whole && !unread {
        known.families(&about, sources, out);
    }
    shared
}

/// What is said of the scenarios in a folder of which there is no pack: once for all of them, at the first.
fn without_pack(folder: &str, scenarios: &[Span], packs: &[String]) -> Diagnostic {
    let which = match scenarios.len() {
        1 => "this scenario".to_owned(),
        count => format!("this scenario and {} more", count - 1),
    };
    let message = format!("there is no pack {}, which is the folder of {which}", quoted(folder));
    let first = scenarios.iter().copied().min().unwrap_or(Span { file: FileId(0), start: 0, end: 0 });
    Diagnostic::error(Code::UnknownName, first, message).help(match suggest(folder, packs.iter().map(String::as_str)) {
        Some(near) => format!("is the pack {} meant? Give the two folders one name", quoted(near)),
        None if packs.is_empty() => "there is none yet: `segue new pack NAME` begins one".to_owned(),
        None => format!("write `pack: NAME`, or give the folder the name of its pack; there are {}", listed(packs)),
    })
}

/// Whether a scenario belongs to the pack; one that belongs to none that there is is reported, or is one of the `homeless` if its folder
/// should be the pack.
fn belongs<'s>(
    scenario: &'s Scenario,
    file: &'s str,
    place: &Place,
    homeless: &mut BTreeMap<&'s str, Vec<Span>>,
    out: &Diagnostics,
) -> bool {
    let own = scenario.pack.as_ref().map(|pack| (pack.value.as_str(), pack.span));
    let named = own.or_else(|| place.folder(file).map(|name| (name, scenario.span)));
    let Some((name, span)) = named else {
        let message = "the scenario names no pack and lies in no folder that does";
        out.push(Diagnostic::error(Code::MissingKey, scenario.span, message).help("write `pack: NAME`"));
        return place.pack.is_none();
    };
    let known = place.packs.iter().map(String::as_str);
    if !place.packs.iter().any(|pack| pack == name) {
        if place.packs_unsure {
            return place.pack.is_none();
        }
        if own.is_none() {
            homeless.entry(name).or_default().push(span);
            return place.pack.is_none();
        }
        let message = format!("there is no pack {}", quoted(name));
        let help = match suggest(name, known.clone()) {
            Some(near) => did_you_mean(name, near),
            _ if place.packs.is_empty() => "there is none yet: `segue new pack NAME` begins one".to_owned(),
            _ => format!("write `pack: NAME`; there are {}", listed(known.collect::<Vec<_>>())),
        };
        out.push(Diagnostic::error(Code::UnknownName, span, message).help(help));
        return place.pack.is_none();
    }
    place.pack.as_deref() == Some(name)
}
