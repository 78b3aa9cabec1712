//! Scenario files: read, and held against their pack where it loads. One is run only where what it covers is in doubt.

use std::collections::BTreeSet;

use crate::diag::{Code, Diagnostic, Diagnostics, listed, quoted, suggest};
use crate::registry::Registry;
use crate::scenario::lint::{families, lint};
use crate::scenario::{self, Scenario, script, snapshot};
use crate::source::{FileId, SourceMap, SourceText, Span};
use crate::syntax::Format;

use super::{Config, Place, Scope};

/// Checks scenario files. Files that hold scenarios of other packs come back.
pub(super) fn check(
    files: &[SourceText],
    registry: Option<&Registry>,
    config: &Config,
    sources: &mut SourceMap,
    out: &Diagnostics,
) -> Vec<FileId> {
    let mut shared = Vec::new();
    let mut sorted: Vec<&SourceText> = files.iter().collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.text.cmp(&b.text)));
    let mut about = BTreeSet::new();
    let mut taken = snapshot::Taken::default();
    let mut unread = false;
    for file in sorted {
        let id = sources.add(&file.name, &file.text);
        if let Some(fault) = &file.fault {
            unread = true;
            out.push(Diagnostic::unreadable(id, fault));
            continue;
        }
        let Some(format) = Format::of_path(&file.name) else {
            let found = Diagnostic::error(
                Code::UnreadableFile,
                Span { file: id, start: 0, end: 0 },
                "the file is neither YAML, TOML nor JSON",
            );
            out.push(found.help("name it `.yaml`, `.yml`, `.toml` or `.json`"));
            continue;
        };
        let parsed = scenario::parse(id, &file.text, format);
        unread |= !parsed.problems.is_empty();
        out.extend(parsed.problems);
        let (folder, own) = file.name.rsplit_once('/').unwrap_or(("", &file.name));
        let stem = own.rsplit_once('.').map_or(own, |(stem, _)| stem);
        let names: Vec<&str> = parsed.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
        for (scenario, snapshot) in parsed.scenarios.iter().zip(snapshot::names(stem, &names)) {
            out.extend(taken.take((folder, snapshot), &file.name, scenario.span));
            if let Some(place) = &config.place
                && !belongs(scenario, &file.name, place, out)
            {
                shared.push(id);
                continue;
            }
            match registry {
                Some(registry) => match script(registry, scenario) {
                    Ok(script) => about.extend(lint(registry, scenario, &script, out)),
                    Err(problems) => {
                        out.extend(problems);
                        about.extend(scenario.covers.iter().filter_map(|class| registry.pack().class(&class.value)));
                    }
                },
                None => out.extend(scenario.problems.iter().cloned()),
            }
        }
    }
    // A file that cannot be read may hold what is missing.
    if let Some(registry) = registry.filter(|_| config.scope == Scope::Whole && !unread) {
        families(registry, &about, out);
    }
    shared
}

/// Whether a scenario belongs to the pack; one that belongs to none that there is is reported.
fn belongs(scenario: &Scenario, file: &str, place: &Place, out: &Diagnostics) -> bool {
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
        let message = match own {
            Some(_) => format!("there is no pack {}", quoted(name)),
            None => format!("there is no pack {}, which is the folder of this scenario", quoted(name)),
        };
        let help = match suggest(name, known.clone()) {
            Some(near) if own.is_some() => format!("did you mean `{near}`?"),
            _ if place.packs.is_empty() => "there is none yet: `segue new pack NAME` begins one".to_owned(),
            _ => format!("write `pack: NAME`; there are {}", listed(known.collect::<Vec<_>>())),
        };
        out.push(Diagnostic::error(Code::UnknownName, span, message).help(help));
        return place.pack.is_none();
    }
    place.pack.as_deref() == Some(name)
}
