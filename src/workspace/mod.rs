//! The workspace: where packs, scenarios and snapshots lie, and the only way to them.

mod choice;
mod corpus;
#[cfg(feature = "cli")]
mod drawn;
pub mod files;
#[cfg(feature = "openai")]
mod http;
mod lines;
mod mark;
mod packs;
#[cfg(feature = "cli")]
mod process;
mod sources;
mod stopwatch;

use std::path::{Component, Path, PathBuf};

use crate::audit::Settings;
use crate::binding::{Bindings, Sessions};
use crate::diag::listed;

pub use choice::{Choice, Chosen};
pub use corpus::{Case, Corpus, FaultyFile, Orphan, SNAPSHOTS, snapshots_of};
#[cfg(feature = "cli")]
pub use drawn::{DrawnIds, now};
#[cfg(feature = "openai")]
pub use http::{Http, secret};
pub use lines::{Lines, lines};
pub use mark::Opened;
pub use packs::PackFiles;
#[cfg(feature = "cli")]
pub use process::{Ended, Unended, run};
pub use sources::Sources;
pub use stopwatch::Stopwatch;

/// The file that makes a folder a workspace.
pub const MARK: &str = "segue.toml";

/// Why something cannot be read or written, in words for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    /// The words: the path first.
    pub message: String,
}

impl Problem {
    /// A problem in these words.
    pub fn new(message: impl Into<String>) -> Self {
        // Paths stand in it, and in a path may stand anything.
        let lines: Vec<String> = message.into().split('\n').map(files::visible).collect();
        Self { message: lines.join("\n") }
    }
}

/// A folder with packs and scenarios.
#[derive(Debug, Clone)]
pub struct Workspace {
    root: PathBuf,
    packs: Vec<String>,
    scenarios: Vec<String>,
    pack: Option<String>,
    settings: Settings,
    bindings: Bindings,
    sessions: Sessions,
    /// Whether there may be packs, and scenarios, in folders that are not known.
    packs_unsure: bool,
    scenarios_unsure: bool,
}

impl Workspace {
    /// The workspace of a path: the nearest folder upward with `segue.toml`.
    ///
    /// # Errors
    /// There is none, or its `segue.toml` cannot be read.
    pub fn of(path: &Path) -> Result<Self, Problem> {
        Self::open(path)?.sound()
    }

    /// The workspace of a path, with what is wrong in its `segue.toml`.
    ///
    /// # Errors
    /// There is no `segue.toml`.
    pub fn open(path: &Path) -> Result<Opened, Problem> {
        let start = files::real(path);
        let mut folder = Some(start.as_path());
        while let Some(at) = folder {
            if files::kind(&at.join(MARK)) != files::Kind::Missing {
                return Ok(Opened::read(at));
            }
            folder = at.parent();
        }
        Err(Problem::new(format!("no {MARK} in {} or any folder above it", start.display())))
    }

    /// A workspace without a `segue.toml`: the usual folders under `root`.
    #[must_use]
    pub fn plain(root: &Path) -> Self {
        Self {
            root: files::real(root),
            packs: vec!["transitions".into()],
            scenarios: vec!["scenarios".into()],
            pack: None,
            settings: Settings::default(),
            bindings: Bindings::default(),
            sessions: Sessions::default(),
            packs_unsure: false,
            scenarios_unsure: false,
        }
    }

    /// The settings of a check.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Who serves the ports of its packs in a chat.
    #[must_use]
    pub fn bindings(&self) -> &Bindings {
        &self.bindings
    }

    /// What becomes of the sessions of its packs in a chat.
    #[must_use]
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// The folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder that new packs are put into, relative to the workspace.
    #[must_use]
    pub fn packs_folder(&self) -> &str {
        self.packs.first().map_or("transitions", String::as_str)
    }

    /// The folder that new scenarios are put into, each in the folder of its pack, relative to the workspace.
    #[must_use]
    pub fn scenarios_folder(&self) -> &str {
        self.scenarios.first().map_or("scenarios", String::as_str)
    }

    /// The folders that hold packs, and those that hold scenarios.
    #[must_use]
    pub fn folders(&self) -> Vec<PathBuf> {
        self.packs.iter().chain(&self.scenarios).map(|folder| self.root.join(folder)).collect()
    }

    /// A path as messages show it: relative to the workspace, with `/`.
    #[must_use]
    pub fn shown(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.root).unwrap_or(path);
        let pieces: Vec<String> =
            inside.components().map(|piece| files::visible(&piece.as_os_str().to_string_lossy())).collect();
        match inside.components().next() {
            None => ".".into(),
            Some(Component::RootDir | Component::Prefix(_)) => files::visible(&inside.to_string_lossy()),
            Some(_) => pieces.join("/"),
        }
    }

    /// What lies below a folder, under the name that messages show. A link may lead to another folder of the packs, or of the
    /// scenarios, but not out of these.
    fn walk(&self, folder: &Path, shown: &str) -> files::Found {
        let real = files::real(folder);
        let mut roots = self.folders().into_iter().map(|root| files::real(&root));
        let within = roots.find(|root| real.starts_with(root)).unwrap_or(real);
        files::walk(folder, shown, &within)
    }

    /// The names of the packs, sorted.
    #[must_use]
    pub fn packs(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.packs.iter().flat_map(|folder| files::folders(&self.root.join(folder))).collect();
        names.sort();
        names.dedup();
        names
    }

    /// The pack that is meant where none is named: the `pack` of `segue.toml`, else the only one there is.
    ///
    /// # Errors
    /// There are several and `segue.toml` does not say which, or there is none.
    pub fn meant(&self) -> Result<String, Problem> {
        if let Some(name) = &self.pack {
            return Ok(name.clone());
        }
        let mut packs = self.packs();
        match packs.len() {
            1 => Ok(packs.remove(0)),
            0 => Err(Problem::new("no pack is named, and there is none in the workspace: write `--pack FOLDER`")),
            _ => Err(Problem::new(format!(
                "no pack is named, and there are {}: write `--pack FOLDER`, or `pack = \"{}\"` in {MARK}",
                listed(&packs),
                packs[0]
            ))),
        }
    }

    /// The folder of a pack, by its name.
    ///
    /// # Errors
    /// There is no such pack.
    pub fn folder_of(&self, name: &str) -> Result<PathBuf, Problem> {
        match self.pack_folder(name) {
            Some(folder) => Ok(folder),
            None => {
                let looked = self.packs.iter().map(|folder| format!("{folder}/")).collect::<Vec<_>>().join(", ");
                let known = self.packs();
                let known =
                    if known.is_empty() { "there is none".into() } else { format!("there are {}", listed(&known)) };
                Err(Problem::new(format!("no pack `{name}` in {looked}: {known}")))
            }
        }
    }

    /// The folder of a pack, by its name.
    fn pack_folder(&self, name: &str) -> Option<PathBuf> {
        let plain = !name.is_empty() && !name.contains(['/', '\\']) && name != "." && name != "..";
        let mut folders = self.packs.iter().map(|folder| self.root.join(folder).join(name));
        folders.find(|folder| plain && files::kind(folder) == files::Kind::Folder)
    }
}
