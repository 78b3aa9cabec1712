//! The corpus: the scenarios that paths select, their packs and their snapshots.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diag::Diagnostic;
use crate::jobs::{self, Both, in_turn};
use crate::scenario::{self, Parsed, Scenario, snapshot};
use crate::source::{FileId, SourceMap, SourceText};
use crate::syntax::Format;

use super::{Problem, Workspace, files};

/// The folder beside scenario files that holds their snapshots.
pub const SNAPSHOTS: &str = "snapshots";

/// The paths of the snapshots of the scenarios in a file, by their names.
#[must_use]
pub fn snapshots_of(file: &Path, names: &[&str]) -> Vec<PathBuf> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let folder = file.parent().unwrap_or(Path::new("")).join(SNAPSHOTS);
    snapshot::names(&stem, names).iter().map(|name| folder.join(format!("{name}.snap"))).collect()
}

/// The scenarios that paths select.
#[derive(Debug, Default)]
pub struct Corpus {
    /// The texts of the scenario files.
    pub sources: SourceMap,
    /// The scenarios, by file and place.
    pub cases: Vec<Case>,
    /// Files in which nothing can be run.
    pub faulty: Vec<FaultyFile>,
    /// Snapshots below wholly selected folders that no scenario refers to.
    pub orphans: Vec<Orphan>,
    /// What was looked for and where, for a run that selected nothing.
    pub looked: String,
    /// The files by the ids that spans speak of, as they were read.
    read: BTreeMap<FileId, (SourceText, Option<Parsed>)>,
}

/// A scenario with its place.
#[derive(Debug)]
pub struct Case {
    /// The scenario.
    pub scenario: Scenario,
    /// Its file, as messages show it.
    pub file: String,
    /// Which one it is in its file, from 1.
    pub nth: usize,
    /// The name of its pack: its own `pack`, else the first folder below the scenarios.
    pub pack: Option<String>,
    /// The path of its snapshot.
    pub snapshot: PathBuf,
}

/// A file in which nothing can be run.
#[derive(Debug)]
pub struct FaultyFile {
    /// The file, as messages show it.
    pub file: String,
    /// What is wrong with it.
    pub problems: Vec<Diagnostic>,
}

/// A snapshot that no scenario refers to.
#[derive(Debug)]
pub struct Orphan {
    /// Its path.
    pub path: PathBuf,
    /// Its path as messages show it.
    pub shown: String,
}

impl Workspace {
    /// The scenarios in `paths`, files or folders; without a path those of the workspace.
    ///
    /// # Errors
    /// A path that is not there, has the wrong ending, or cannot be read.
    pub fn corpus(&self, paths: &[PathBuf]) -> Result<Corpus, Problem> {
        self.corpus_again(paths, &Corpus::default(), &in_turn)
    }

    /// [`corpus`](Self::corpus), in which `both` reads files at the same time, and none is read that is `before` as it is.
    ///
    /// # Errors
    /// The same.
    pub fn corpus_again(&self, paths: &[PathBuf], before: &Corpus, both: Both<'_>) -> Result<Corpus, Problem> {
        let mut corpus = Corpus::default();
        let mut selected: Vec<PathBuf> = Vec::new();
        let mut kept: Vec<PathBuf> = Vec::new();
        let mut looked: Vec<String> = Vec::new();
        let mut others = 0;
        let usual: Vec<PathBuf> = self.scenarios.iter().map(|folder| self.root.join(folder)).collect();
        // The workspace itself stands for its scenarios: what else lies in it is none.
        let itself = |path: &PathBuf| files::real(path) == self.root;
        let paths: Vec<PathBuf> =
            paths.iter().flat_map(|path| if itself(path) { usual.clone() } else { vec![path.clone()] }).collect();
        let chosen = !paths.is_empty();
        for path in if chosen { &paths } else { &usual } {
            let real = files::real(path);
            let shown = self.shown(&real);
            match files::kind(path) {
                files::Kind::File if Format::of_path(&shown).is_some() => {
                    looked.push(shown);
                    selected.push(real);
                }
                files::Kind::File => {
                    let message = format!("{shown}: is no scenario file (*.yaml, *.yml, *.toml, *.json)");
                    return Err(Problem::new(message));
                }
                files::Kind::Folder => {
                    let found = self.walk(&real, &shown);
                    for file in found.files {
                        let beside = file.strip_prefix(&real).unwrap_or(&file);
                        if beside.components().any(|piece| piece.as_os_str() == SNAPSHOTS) {
                            kept.push(file);
                        } else if Format::of_path(&file.to_string_lossy()).is_some() {
                            selected.push(file);
                        } else {
                            others += 1;
                        }
                    }
                    for fault in &found.faults {
                        corpus.unread(fault);
                    }
                    looked.push(format!("{shown}/"));
                }
                files::Kind::Missing if !chosen || usual.contains(path) => {
                    looked.push(format!("{shown}/ (it does not exist)"))
                }
                files::Kind::Missing => {
                    return Err(Problem::new(format!("nothing to replay: no such file or folder: {}", path.display())));
                }
                files::Kind::Other => return Err(Problem::new(format!("{shown}: is neither a file nor a folder"))),
            }
        }
        selected.sort();
        selected.dedup();
        let first = corpus.sources.files().count();
        let read = jobs::each(both, &selected, |at, path| {
            let file = files::source(path, &self.shown(path));
            let id = FileId(u32::try_from(first + at).unwrap_or(u32::MAX));
            let format = Format::of_path(&file.name).filter(|_| file.fault.is_none());
            let parsed = match before.read.get(&id) {
                Some((same, parsed)) if *same == file => parsed.clone(),
                _ => format.map(|format| scenario::parse(id, &file.text, format)),
            };
            (id, (file, parsed))
        });
        for (path, (_, (file, parsed))) in selected.iter().zip(&read) {
            self.add(path, file, parsed.clone(), &mut corpus);
        }
        corpus.read = read.into_iter().collect();
        corpus.faulty.sort_by(|a, b| a.file.cmp(&b.file));
        let mut taken = snapshot::Taken::default();
        for case in &mut corpus.cases {
            let shared = taken.take(case.snapshot.clone(), &case.file, case.scenario.span);
            case.scenario.problems.extend(shared);
        }
        self.orphans(kept, &mut corpus);
        let places = looked.join(", ");
        corpus.looked = format!("no scenario file (*.yaml, *.yml, *.toml, *.json) in {places}");
        match others {
            0 => {}
            1 => corpus.looked.push_str("; 1 file there ends otherwise"),
            _ => corpus.looked.push_str(&format!("; {others} files there end otherwise")),
        }
        if !corpus.cases.is_empty() {
            corpus.looked = format!("{} scenarios in {places}", corpus.cases.len());
        }
        Ok(corpus)
    }

    /// Takes up a file that was read, and what its scenarios are where it can be.
    fn add(&self, path: &Path, file: &SourceText, parsed: Option<Parsed>, corpus: &mut Corpus) {
        let shown = file.name.clone();
        let Some(parsed) = parsed else { return corpus.unread(file) };
        corpus.sources.add(&shown, Arc::clone(&file.text));
        if !parsed.problems.is_empty() {
            corpus.faulty.push(FaultyFile { file: shown, problems: parsed.problems });
            return;
        }
        let names: Vec<&str> = parsed.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
        let snapshots = snapshots_of(path, &names);
        for (nth, (scenario, snapshot)) in (1..).zip(parsed.scenarios.into_iter().zip(snapshots)) {
            let own = scenario.pack.as_ref().map(|pack| pack.value.clone());
            let pack = own.or_else(|| self.folder_pack(path));
            corpus.cases.push(Case { scenario, file: shown.clone(), nth, pack, snapshot });
        }
    }

    /// The first folder below the scenarios that a file lies in.
    fn folder_pack(&self, path: &Path) -> Option<String> {
        let inside = self.scenarios.iter().find_map(|folder| path.strip_prefix(self.root.join(folder)).ok())?;
        let mut pieces = inside.components();
        let first = pieces.next()?.as_os_str().to_string_lossy().into_owned();
        pieces.next().map(|_| first)
    }

    fn orphans(&self, mut found: Vec<PathBuf>, corpus: &mut Corpus) {
        found.sort();
        found.dedup();
        let known: BTreeSet<PathBuf> = corpus.cases.iter().map(|case| case.snapshot.clone()).collect();
        for path in found {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let folder = path.parent().unwrap_or(Path::new(""));
            let kept = name.ends_with(".snap") || name.ends_with(".snap.new");
            if !kept || folder.file_name().is_none_or(|folder| folder != SNAPSHOTS) {
                continue;
            }
            let snap = folder.join(name.trim_end_matches(".new"));
            let used = known.contains(&snap);
            // The scenarios of a faulty file are unknown, so its snapshots are left alone.
            let unknown = corpus.faulty.iter().any(|faulty| {
                let file = self.root.join(&faulty.file);
                let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                file.parent().map(|beside| beside.join(SNAPSHOTS)).as_deref() == Some(folder)
                    && name.starts_with(&format!("{}__", snapshot::short(&stem)))
            });
            if !used && !unknown {
                corpus.orphans.push(Orphan { shown: self.shown(&path), path });
            }
        }
    }
}

impl Corpus {
    /// Takes up a file or folder that cannot be read.
    fn unread(&mut self, read: &SourceText) {
        let Some(fault) = &read.fault else { return };
        let file = self.sources.add(&read.name, Arc::clone(&read.text));
        let problems = vec![Diagnostic::unreadable(file, fault)];
        self.faulty.push(FaultyFile { file: read.name.clone(), problems });
    }
}
