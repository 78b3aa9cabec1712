//! The workspace: where packs, scenarios and snapshots lie, and the only way to them.

mod choice;
mod corpus;
pub mod files;
mod lines;
mod sources;

use std::path::{Component, Path, PathBuf};

use crate::audit::Settings;
use crate::diag::{Diagnostic, Diagnostics, listed};
use crate::language;
use crate::source::{SourceMap, SourceText};
use crate::syntax::{self, Field, Format, Reader};

pub use choice::{Choice, Chosen};
pub use corpus::{Case, Corpus, FaultyFile, Orphan};
pub use lines::{Lines, lines};
pub use sources::Sources;

/// The file that makes a folder a workspace.
pub const MARK: &str = "segue.toml";

/// What is said of a folder that should hold a pack.
const NO_PACK_FILE: &str = "no pack file (*.toml, *.yaml, *.yml) in this folder";

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
        Self { message: message.into() }
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
}

/// A workspace whose `segue.toml` was read as far as it goes.
#[derive(Debug)]
pub struct Opened {
    /// The workspace; what is wrong with a key is left at its usual value.
    pub workspace: Workspace,
    /// The text of `segue.toml`.
    pub sources: SourceMap,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
}

impl Workspace {
    /// The workspace of a path: the nearest folder upward with `segue.toml`.
    ///
    /// # Errors
    /// There is none, or its `segue.toml` cannot be read.
    pub fn of(path: &Path) -> Result<Self, Problem> {
        let Opened { workspace, sources, diagnostics } = Self::open(path)?;
        if diagnostics.is_empty() {
            return Ok(workspace);
        }
        let mut text = String::new();
        for found in diagnostics {
            text.push_str(&crate::report::short(&sources, std::slice::from_ref(&found)));
            if let Some(help) = &found.help {
                text.push_str(&format!("  help: {help}\n"));
            }
        }
        Err(Problem::new(text.trim_end()))
    }

    /// The workspace of a path, with what is wrong in its `segue.toml`.
    ///
    /// # Errors
    /// There is no `segue.toml`, or it cannot be read.
    pub fn open(path: &Path) -> Result<Opened, Problem> {
        let start = files::real(path);
        let mut folder = Some(start.as_path());
        while let Some(at) = folder {
            if files::kind(&at.join(MARK)) != files::Kind::Missing {
                return Self::read(at);
            }
            folder = at.parent();
        }
        Err(Problem::new(format!("no {MARK} in {} or any folder above it", start.display())))
    }

    /// A workspace without a `segue.toml`: the usual folders under `root`.
    #[must_use]
    pub fn plain(root: &Path) -> Self {
        let (packs, scenarios) = (vec!["transitions".into()], vec!["scenarios".into()]);
        Self { root: files::real(root), packs, scenarios, pack: None, settings: Settings::default() }
    }

    fn read(root: &Path) -> Result<Opened, Problem> {
        let mut own = Self::plain(root);
        let text = files::read(&root.join(MARK), MARK)?;
        let mut sources = SourceMap::default();
        let out = Diagnostics::new();
        let file = sources.add(MARK, &text);
        if let Some(node) = syntax::parse(file, &text, Format::Toml, &out)
            && let Some(reader) = Reader::new(&node, &language::WORKSPACE, &out)
        {
            let lists = [("packs", "transitions", &mut own.packs), ("scenarios", "scenarios", &mut own.scenarios)];
            for (key, usual, folders) in lists {
                if let Some(field) = reader.optional(key) {
                    let before = out.len();
                    let named: Vec<String> = field.list().into_iter().flatten().filter_map(folder).collect();
                    if named.is_empty() && out.len() == before {
                        let help = format!("write one, such as `{key} = [\"{usual}\"]`, or leave the key out");
                        let _: Option<()> = field.bad("no folder is named", &help);
                    } else if !named.is_empty() {
                        *folders = named;
                    }
                }
            }
            own.pack = reader.optional("pack").and_then(Field::word).map(str::to_owned);
            own.settings = reader.optional("check").map(Settings::read).unwrap_or_default();
            reader.finish();
        }
        Ok(Opened { workspace: own, sources, diagnostics: out.into_sorted() })
    }

    /// The settings of a check.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
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
            inside.components().map(|piece| piece.as_os_str().to_string_lossy().into_owned()).collect();
        match inside.components().next() {
            None => ".".into(),
            Some(Component::RootDir | Component::Prefix(_)) => inside.display().to_string(),
            Some(_) => pieces.join("/"),
        }
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

    /// The texts of a pack, by its name.
    ///
    /// # Errors
    /// There is no such pack, or it holds no pack file.
    pub fn pack(&self, name: &str) -> Result<Vec<SourceText>, Problem> {
        self.pack_at(&self.folder_of(name)?)
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

    /// The texts of the pack in a folder.
    ///
    /// # Errors
    /// It is no folder, or holds no pack file. A file that cannot be read is one with a fault.
    pub fn pack_at(&self, folder: &Path) -> Result<Vec<SourceText>, Problem> {
        let shown = self.shown(folder);
        if files::kind(folder) != files::Kind::Folder {
            return Err(Problem::new(format!("{shown}: no such folder, so no pack")));
        }
        let texts = self.pack_files(folder);
        if texts.is_empty() {
            return Err(Problem::new(format!("{shown}: {NO_PACK_FILE}")));
        }
        Ok(texts)
    }

    /// The files of the pack in a folder, as far as it can be looked through.
    fn pack_files(&self, folder: &Path) -> Vec<SourceText> {
        let shown = self.shown(folder);
        let mut texts = Vec::new();
        let found = files::walk(folder, &shown);
        texts.extend(found.faults);
        for path in found.files {
            let name = self.shown(&path);
            match Format::of_path(&name) {
                Some(Format::Toml | Format::Yaml) => texts.push(files::source(&path, &name)),
                Some(Format::Json) => {
                    let help = "write it in TOML or YAML, or keep it elsewhere";
                    texts.push(SourceText::unread(name, "a pack is not written in JSON", help));
                }
                None => {}
            }
        }
        texts
    }
}

/// A folder inside the workspace.
fn folder(field: Field<'_>) -> Option<String> {
    let text = field.word()?;
    let inside = Path::new(text).components().all(|piece| matches!(piece, Component::Normal(_)));
    if !inside {
        return field.bad("the folder is outside the workspace", "write a path below it, such as `transitions`");
    }
    Some(text.trim_end_matches('/').to_owned())
}
