//! What paths choose for a check: packs with their scenarios, or scenarios with the packs they need.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use memchr::memmem;

use crate::audit::{Config, Place, Scope};
use crate::diag::suggest;
use crate::jobs::{self, Both, in_turn, joined};
use crate::scenario;
use crate::source::{FileId, SourceText};
use crate::syntax::Format;

use super::corpus::SNAPSHOTS;
use super::files::{self, Kind};
use super::{MARK, PackFiles, Problem, Workspace};

/// What is said of a file that is chosen as a scenario file and cannot be one.
const NO_SCENARIO_FILE: &str = "is no scenario file (*.yaml, *.yml, *.toml, *.json)";

/// What a check looks at.
#[derive(Debug, Default)]
pub struct Choice {
    /// Each pack by itself, sorted by name; scenarios of no pack that there is come last.
    pub chosen: Vec<Chosen>,
    /// Pack files that lie in no pack.
    pub stray: Vec<SourceText>,
    /// What was looked for and where, for a run that found nothing.
    pub looked: String,
}

/// A pack and scenarios of it: what [`audit`](crate::audit::audit) takes.
#[derive(Debug, Default)]
pub struct Chosen {
    /// The texts of the pack.
    pub pack: Vec<SourceText>,
    /// The scenario files.
    pub scenarios: Vec<SourceText>,
    /// How they are to be checked.
    pub config: Config,
}

/// What paths stand for.
#[derive(Debug, Default)]
struct Selected {
    /// Packs that are checked whole.
    packs: BTreeSet<String>,
    /// Scenario files that are checked by themselves.
    files: BTreeSet<PathBuf>,
    /// What cannot be looked through.
    lost: Vec<SourceText>,
    /// Pack files that lie in no pack.
    stray: Vec<SourceText>,
    looked: Vec<String>,
}

/// A scenario file.
struct Scenarios {
    text: SourceText,
    /// The packs that its scenarios name or lie in the folder of; `None` = one names none.
    packs: BTreeSet<Option<String>>,
    /// Whether it was chosen by itself.
    alone: bool,
}

impl Workspace {
    /// What `paths` stand for: a folder of a pack, or a file in it, for the whole pack with all of its scenarios; a scenario
    /// file, or a folder of them, for those. Another folder stands for what of this lies in it. Without a path it is the
    /// whole workspace.
    ///
    /// # Errors
    /// A path that is not there, or has nothing to do with packs and scenarios.
    pub fn choice(&self, paths: &[PathBuf]) -> Result<Choice, Problem> {
        self.choice_by(paths, &in_turn)
    }

    /// [`choice`](Self::choice), in which `both` reads files at the same time.
    ///
    /// # Errors
    /// The same.
    pub fn choice_by(&self, paths: &[PathBuf], both: Both<'_>) -> Result<Choice, Problem> {
        let mut selected = Selected::default();
        let all = [self.root.clone()];
        for path in if paths.is_empty() { &all } else { paths } {
            self.select(path, &mut selected)?;
        }
        let folders: Vec<PathBuf> = selected.packs.iter().filter_map(|pack| self.pack_folder(pack)).collect();
        let read = || PackFiles::read(self, &folders, both);
        let (texts, packs) = joined(both, || self.scenario_texts(&selected, both), read);
        let looked = selected.looked.join(", ");
        let known = self.packs();
        let home = |pack: &Option<String>| pack.clone().filter(|pack| known.contains(pack));
        let mut needed: BTreeSet<Option<String>> = selected.packs.iter().cloned().map(Some).collect();
        needed.extend(texts.iter().filter(|file| file.alone).flat_map(|file| file.packs.iter().map(home)));
        let stray = needed.remove(&None).then_some(None);
        let needed: Vec<Option<String>> = needed.into_iter().chain(stray).collect();
        // The scenarios of a pack may lie in a folder that has its former name.
        let homes: BTreeSet<&String> = texts.iter().flat_map(|file| &file.packs).flatten().collect();
        let lost: Vec<&str> = homes.iter().filter(|home| !known.contains(home)).map(|home| home.as_str()).collect();
        let near: Vec<&str> = lost.into_iter().filter_map(|lost| suggest(lost, &known)).collect();
        let renamed = |pack: &String| near.contains(&pack.as_str()) && !homes.contains(pack);
        let chosen = jobs::each(both, &needed, |_, pack| {
            let whole = pack.as_ref().is_some_and(|pack| selected.packs.contains(pack));
            let own = |file: &&Scenarios| file.packs.iter().any(|of| home(of) == *pack) && (whole || file.alone);
            let scenarios = texts.iter().filter(own).map(|file| file.text.clone()).collect();
            let folder = pack.as_deref().and_then(|pack| self.pack_folder(pack));
            let scope = match whole {
                true if self.scenarios_unsure || pack.as_ref().is_some_and(renamed) => Scope::Pack,
                true => Scope::Whole,
                false => Scope::Scenarios,
            };
            let place = Place { pack: pack.clone(), ..self.place_of(&known) };
            let config = Config { place: Some(place), scope, settings: self.settings().clone() };
            let pack = folder.map(|folder| packs.whole(&folder)).unwrap_or_default();
            Chosen { pack, scenarios, config }
        });
        Ok(Choice { chosen, stray: selected.stray, looked })
    }

    /// A pack of the workspace, by its name, with all of its scenarios.
    ///
    /// # Errors
    /// There is no such pack.
    pub fn choice_named(&self, name: &str) -> Result<Choice, Problem> {
        self.choice(&[self.folder_of(name)?])
    }

    /// The pack in a folder, which need not be one of the workspace, with the scenarios in `paths`, wherever they lie.
    ///
    /// # Errors
    /// A path that is not there, or is no scenario file.
    pub fn choice_of(&self, folder: &Path, paths: &[PathBuf]) -> Result<Choice, Problem> {
        let mut selected = Selected::default();
        for path in paths {
            let (real, shown) = (files::real(path), self.shown(&files::real(path)));
            match files::kind(path) {
                Kind::File if Format::of_path(&shown).is_some() => _ = selected.files.insert(real),
                Kind::Folder => selected.add(self.walk(&real, &shown), &real),
                Kind::Missing => return Err(missing(path)),
                _ => return Err(Problem::new(format!("{shown}: {NO_SCENARIO_FILE}"))),
            }
            selected.looked.push(shown);
        }
        let read = selected.files.iter().map(|path| files::source(path, &self.shown(path)));
        let scenarios: Vec<SourceText> = read.chain(selected.lost).collect();
        if !paths.is_empty() && scenarios.is_empty() {
            let places = selected.looked.join(", ");
            let message = format!("nothing to check: no scenario file (*.yaml, *.yml, *.toml, *.json) in {places}");
            return Err(Problem::new(message));
        }
        let config = Config { scope: Scope::Pack, settings: self.settings().clone(), place: None };
        let pack = PackFiles::read(self, &[], &in_turn).whole(folder);
        let chosen = Chosen { pack, scenarios, config };
        Ok(Choice { chosen: vec![chosen], stray: Vec::new(), looked: self.shown(folder) })
    }

    /// The pack that a scenario file belongs to by the folder it lies in; `shown` is its name relative to the workspace.
    #[must_use]
    pub fn home(&self, shown: &str) -> Option<String> {
        self.place_of(&self.packs()).folder(shown).map(str::to_owned)
    }

    /// The place of no pack among these.
    fn place_of(&self, packs: &[String]) -> Place {
        Place { pack: None, packs: packs.to_vec(), packs_unsure: self.packs_unsure, scenarios: self.scenarios.clone() }
    }

    fn select(&self, path: &Path, selected: &mut Selected) -> Result<(), Problem> {
        let real = files::real(path);
        let kind = files::kind(path);
        if kind == Kind::Missing {
            return Err(missing(path));
        }
        if real == self.root.join(MARK) {
            return self.select(&self.root.clone(), selected);
        }
        let mut found = false;
        for pack in self.packs() {
            let folder = self.pack_folder(&pack).map(|folder| files::real(&folder));
            if folder.is_some_and(|folder| folder.starts_with(&real) || real.starts_with(&folder)) {
                selected.packs.insert(pack);
                found = true;
            }
        }
        for folder in &self.packs {
            let at = files::real(&self.root.join(folder));
            if at.starts_with(&real) {
                selected.looked.push(format!("{folder}/{}", or_missing(&at)));
                found = true;
            }
            for name in files::files(&at).into_iter().filter(|name| at.join(name).starts_with(&real)) {
                if matches!(Format::of_path(&name), Some(Format::Toml | Format::Yaml)) {
                    selected.stray.push(stray(&format!("{folder}/{name}"), &self.packs()));
                    found = true;
                }
            }
        }
        for folder in &self.scenarios {
            let own = self.root.join(folder);
            let at = files::real(&own);
            if at.starts_with(&real) {
                selected.looked.push(format!("{folder}/{}", or_missing(&at)));
                if files::kind(&own) != Kind::Missing {
                    selected.add(self.walk(&own, folder), &own);
                }
                found = true;
            } else if let Ok(inside) = real.strip_prefix(&at) {
                let (at, shown) = (own.join(inside), self.shown(&own.join(inside)));
                match kind {
                    Kind::Folder => selected.add(self.walk(&at, &shown), &at),
                    _ if Format::of_path(&shown).is_some() => _ = selected.files.insert(at),
                    _ => return Err(Problem::new(format!("{shown}: {NO_SCENARIO_FILE}"))),
                }
                selected.looked.push(if kind == Kind::Folder { format!("{shown}/") } else { shown });
                found = true;
            }
        }
        if found {
            return Ok(());
        }
        Err(self.elsewhere("check", &real, "; a pack elsewhere is named by `--pack`"))
    }

    /// What is said of a path that has nothing to do with packs and scenarios.
    pub(super) fn elsewhere(&self, what: &str, real: &Path, otherwise: &str) -> Problem {
        let folders = self.packs.iter().chain(&self.scenarios).map(|folder| format!("{folder}/"));
        let (folders, shown) = (folders.collect::<Vec<_>>().join(", "), self.shown(real));
        Problem::new(format!("nothing to {what}: {shown} is in none of {folders}{otherwise}"))
    }

    /// The scenario files that may take part, and what cannot be looked through.
    fn scenario_texts(&self, selected: &Selected, both: Both<'_>) -> Vec<Scenarios> {
        let mut all = Selected { files: selected.files.clone(), lost: selected.lost.clone(), ..Selected::default() };
        if !selected.packs.is_empty() {
            for folder in &self.scenarios {
                let own = self.root.join(folder);
                if files::kind(&own) == Kind::Folder {
                    all.add(self.walk(&own, folder), &own);
                }
            }
        }
        let place = self.place_of(&self.packs());
        let of = |text: SourceText, alone| Scenarios { packs: homes(&place, &text), text, alone };
        let paths: Vec<&PathBuf> = all.files.iter().collect();
        let mut read = jobs::each(both, &paths, |_, path| {
            of(files::source(path, &self.shown(path)), selected.files.contains(*path))
        });
        let alone = |text: &SourceText| selected.lost.contains(text);
        read.extend(all.lost.into_iter().map(|text| (alone(&text), text)).map(|(alone, text)| of(text, alone)));
        read
    }
}

impl Selected {
    /// Adds the scenario files that were found below a folder.
    fn add(&mut self, found: files::Found, folder: &Path) {
        let is_scenario = |path: &PathBuf| {
            let below = path.strip_prefix(folder).unwrap_or(path);
            let kept = below.components().any(|piece| piece.as_os_str() == SNAPSHOTS);
            !kept && Format::of_path(&path.to_string_lossy()).is_some()
        };
        self.files.extend(found.files.into_iter().filter(is_scenario));
        let new = found.faults.into_iter().filter(|fault| !self.lost.contains(fault)).collect::<Vec<_>>();
        self.lost.extend(new);
    }
}

/// The packs that the scenarios of a file belong to. A file that names none belongs to that of its folder.
fn homes(place: &Place, file: &SourceText) -> BTreeSet<Option<String>> {
    // A folder that cannot be looked through may be that of the pack.
    let folder = match file.fault {
        Some(_) => place.folder(&format!("{}/", file.name)).map(str::to_owned),
        None => place.folder(&file.name).map(str::to_owned),
    };
    // Nothing is read twice that need not be: without the key no scenario names a pack.
    let format = Format::of_path(&file.name).filter(|_| file.fault.is_none() && may_name_pack(&file.text));
    let scenarios = format.map(|format| scenario::parse(FileId(0), &file.text, format).scenarios);
    let own =
        scenarios.into_iter().flatten().map(|scenario| scenario.pack.map(|pack| pack.value).or_else(|| folder.clone()));
    let packs: BTreeSet<_> = own.collect();
    if packs.is_empty() { BTreeSet::from([folder]) } else { packs }
}

/// Whether the word `pack` may be a key in a text: what comes behind it, quotes and blanks aside, is the sign of one or a comment.
fn may_name_pack(text: &str) -> bool {
    const WORD: &str = "pack";
    let behind = |at: usize| {
        let rest = text[at + WORD.len()..].trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\''));
        rest.starts_with([':', '=', '#'])
    };
    memmem::find_iter(text.as_bytes(), WORD).any(behind)
}

/// A file beside the folders of packs: nothing reads it.
fn stray(shown: &str, packs: &[String]) -> SourceText {
    let (above, _) = shown.rsplit_once('/').unwrap_or_default();
    let pack = packs.first().map_or("NAME", String::as_str);
    let help = format!("put it into the folder of its pack, such as `{above}/{pack}/`");
    SourceText::unread(shown, "the file lies in no pack, so nothing reads it", &help)
}

fn missing(path: &Path) -> Problem {
    Problem::new(format!("nothing to check: no such file or folder: {}", path.display()))
}

fn or_missing(folder: &Path) -> &'static str {
    if files::kind(folder) == Kind::Missing { " (it does not exist)" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_key_of_a_pack_may_stand() {
        for text in [
            "pack: a",
            "pack : a",
            "\"pack\": a",
            "'pack' = 1",
            "pack # of it\n: a",
            "x:\n  pack\n  : a",
            "packs: 1\npack= 2",
        ] {
            assert!(may_name_pack(text), "{text}");
        }
        for text in ["", "pack", "the pack of it", "packs: a", "unpack it", "covers: T1"] {
            assert!(!may_name_pack(text), "{text}");
        }
    }
}
