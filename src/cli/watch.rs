//! `--watch`: a verb runs again whenever something is saved that it reads.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::diag::listed;
use crate::syntax::Format;
use crate::workspace::{Problem, Workspace, files};

use super::terminal::Terminal;

/// An editor saves in several steps: this long after the last of them a run begins.
const QUIET: Duration = Duration::from_millis(5);
/// Who never stops saving does not put a run off for ever.
const MOST_STEPS: usize = 1_000;

/// What a verb reads.
pub struct Reads<'a> {
    /// The paths it was given.
    pub paths: &'a [PathBuf],
    /// The pack it was given.
    pub pack: Option<&'a Path>,
}

/// What has changed since the run before.
#[derive(Default)]
pub struct Changed {
    paths: BTreeSet<PathBuf>,
    /// Whether something has that is not told.
    untold: bool,
}

impl Changed {
    /// Nobody knows what.
    fn anything() -> Self {
        Self { paths: BTreeSet::new(), untold: true }
    }

    /// Whether a file may be another one now. Of paths only the names are compared, since links lead to a file by many of them. A folder
    /// that comes, goes or gets another name takes with it what lies in it.
    pub fn may_be(&self, file: &Path) -> bool {
        let is = |path: &PathBuf| path.file_name() == file.file_name() || is_folder(path);
        self.untold || self.paths.iter().any(is)
    }

    /// Takes in what an event tells, as far as it is read.
    fn add(&mut self, event: &notify::Result<Event>) {
        match event {
            Ok(event) if matches!(event.kind, EventKind::Access(_)) => {}
            Ok(event) if !event.need_rescan() => {
                self.paths.extend(event.paths.iter().filter(|path| is_read(path)).cloned());
            }
            _ => self.untold = true,
        }
    }

    fn is_nothing(&self) -> bool {
        !self.untold && self.paths.is_empty()
    }

    /// As messages show it.
    fn shown(&self, root: &Path) -> BTreeSet<String> {
        let shown = |path: &PathBuf| path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
        self.paths.iter().map(shown).chain(self.untold.then(|| "something".to_owned())).collect()
    }
}

/// Runs a verb, once or again after each change, and says why it could not be run; the exit code. `forms`: what a report must be
/// printed as to stand below another one, where this one is not.
pub fn run(
    again: Option<&Reads<'_>>,
    forms: Option<&str>,
    terminal: &mut Terminal,
    mut once: impl FnMut(&Changed, &mut Terminal) -> Result<u8, Problem>,
) -> u8 {
    let mut told = |changed: &Changed, terminal: &mut Terminal| {
        once(changed, terminal).unwrap_or_else(|problem| terminal.not_run(&problem))
    };
    let ran = match (again, forms) {
        (None, _) => return told(&Changed::anything(), terminal),
        (Some(_), Some(forms)) => {
            Err(Problem::new(format!("`--watch` prints one report after another: it goes with {forms}")))
        }
        (Some(reads), None) => watch(reads, terminal, &mut told),
    };
    ran.unwrap_or_else(|problem| terminal.not_run(&problem))
}

/// What is watched: the folder that paths are shown from, and folders, each with or without what lies below it.
struct Watched {
    root: PathBuf,
    folders: Vec<(PathBuf, RecursiveMode)>,
}

/// Runs `once` now and again after each change. It ends when nobody reads standard output any more, with the last exit code.
///
/// # Errors
/// There is no workspace to begin with, or the system does not tell of changes.
fn watch(
    reads: &Reads<'_>,
    terminal: &mut Terminal,
    mut once: impl FnMut(&Changed, &mut Terminal) -> u8,
) -> Result<u8, Problem> {
    let mut watched = folders(reads)?;
    let mut changed = Changed::anything();
    loop {
        // Watched before it is read: whatever is saved from here on leads to another run.
        let (_watcher, events) = begin(&watched)?;
        let code = once(&changed, terminal);
        terminal.out("\nwatching for changes, Ctrl-C ends it\n");
        if terminal.gone() {
            return Ok(code);
        }
        let Some(told) = changes(&events) else { return Ok(code) };
        terminal.out(&format!("\n==== changed: {}\n\n", listed(told.shown(&watched.root))));
        changed = told;
        // A workspace that cannot be read for the moment is watched where it was.
        watched = folders(reads).unwrap_or(watched);
    }
}

/// The folders that hold what is read.
fn folders(reads: &Reads<'_>) -> Result<Watched, Problem> {
    let here = files::here()?;
    let workspace = match Workspace::open(reads.paths.first().unwrap_or(&here)) {
        Ok(opened) => opened.workspace,
        Err(_) if reads.pack.is_some() => Workspace::plain(&here),
        Err(problem) => return Err(problem),
    };
    let root = workspace.root().to_path_buf();
    let mut deep: BTreeSet<PathBuf> = workspace.folders().into_iter().collect();
    let mut flat = BTreeSet::from([root.clone()]);
    for path in reads.paths.iter().map(PathBuf::as_path).chain(reads.pack) {
        let real = files::real(path);
        match files::kind(&real) {
            files::Kind::Folder if real != root => _ = deep.insert(real),
            files::Kind::Missing if Some(path) != reads.pack => {
                return Err(Problem::new(format!("nothing to watch: no such file or folder: {}", path.display())));
            }
            files::Kind::File => flat.extend(real.parent().map(Path::to_path_buf)),
            _ => {}
        }
    }
    // A folder that is not there yet begins in the one above it.
    for folder in &deep {
        flat.extend(folder.parent().map(Path::to_path_buf));
    }
    let deep = deep.into_iter().map(|folder| (folder, RecursiveMode::Recursive));
    let flat = flat.into_iter().map(|folder| (folder, RecursiveMode::NonRecursive));
    let all = flat.chain(deep).filter(|(folder, _)| files::kind(folder) == files::Kind::Folder);
    Ok(Watched { root, folders: all.collect() })
}

fn begin(watched: &Watched) -> Result<(RecommendedWatcher, Receiver<notify::Result<Event>>), Problem> {
    let failed = |error: notify::Error| Problem::new(format!("changes cannot be watched: {error}"));
    let (sender, events) = mpsc::channel();
    let mut watcher = notify::recommended_watcher(sender).map_err(failed)?;
    for (folder, mode) in &watched.folders {
        match watcher.watch(folder, *mode) {
            // One that went in between is watched from above.
            Err(_) if files::kind(folder) == files::Kind::Missing => {}
            other => other.map_err(failed)?,
        }
    }
    Ok((watcher, events))
}

/// Waits for a change and for what follows on its heels; nothing where no more will be told.
fn changes(events: &Receiver<notify::Result<Event>>) -> Option<Changed> {
    let mut changed = Changed::default();
    while changed.is_nothing() {
        changed.add(&events.recv().ok()?);
    }
    for _ in 0..MOST_STEPS {
        let Ok(event) = events.recv_timeout(QUIET) else { break };
        changed.add(&event);
    }
    Some(changed)
}

/// Files with the endings that are read, and folders, as which names without an ending count. Editors keep their own files beside those.
fn is_read(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let read = Format::of_path(&name).is_some() || name.ends_with(".snap") || is_folder(path);
    read && !name.starts_with('.')
}

fn is_folder(path: &Path) -> bool {
    path.file_name().is_some_and(|name| !name.to_string_lossy().contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_editors_keep_beside_files_is_not_read() {
        for name in ["a/T1.toml", "a/x.YAML", "s/snapshots/x.snap", "segue.toml", "a/folder"] {
            assert!(is_read(Path::new(name)), "{name}");
        }
        for name in ["a/.T1.toml.swp", "a/T1.toml~", "a/.#T1.toml", "a/x.snap.new", "a/.segue-1-2.tmp", "a/x.md"] {
            assert!(!is_read(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn what_may_have_changed() {
        let changed = |paths: &[&str]| Changed { paths: paths.iter().map(PathBuf::from).collect(), untold: false };
        let snapshot = Path::new("/w/scenarios/snapshots/a.snap");
        assert!(changed(&["/link/a.snap"]).may_be(snapshot) && changed(&["/w/scenarios"]).may_be(snapshot));
        assert!(!changed(&["/w/scenarios/snapshots/b.snap", "/w/T1.toml"]).may_be(snapshot));
        assert!(Changed::anything().may_be(snapshot) && changed(&[]).is_nothing());
    }
}
