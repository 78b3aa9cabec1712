//! The files of packs, with those of the packs that they use.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{Problem, Workspace, files};
use crate::declare::{contract_name, used_folders};
use crate::diag::{did_you_mean, listed, suggest};
use crate::jobs::{self, Both};
use crate::source::SourceText;
use crate::syntax::Format;

/// What is said of a folder that should hold a pack.
const NO_PACK_FILE: &str = "no pack file (*.toml, *.yaml, *.yml) in this folder";

/// Files of packs: those of a folder that was read are not read again where another pack uses it.
#[derive(Debug)]
pub struct PackFiles<'w> {
    workspace: &'w Workspace,
    read: BTreeMap<PathBuf, Vec<SourceText>>,
}

impl<'w> PackFiles<'w> {
    /// Reads the files in folders of packs, in which `both` reads some of them at the same time.
    #[must_use]
    pub fn read(workspace: &'w Workspace, folders: &[PathBuf], both: Both<'_>) -> Self {
        let texts = jobs::each(both, folders, |_, folder| workspace.pack_files(folder));
        Self { workspace, read: folders.iter().cloned().zip(texts).collect() }
    }

    /// The texts of the pack in a folder, with those of the packs that it uses.
    ///
    /// # Errors
    /// It is no folder, or holds no pack file. A file that cannot be read is one with a fault.
    pub fn pack(&self, folder: &Path) -> Result<Vec<SourceText>, Problem> {
        let shown = self.workspace.shown(folder);
        if files::kind(folder) != files::Kind::Folder {
            return Err(Problem::new(format!("{shown}: no such folder, so no pack")));
        }
        let texts = self.of(folder);
        if texts.is_empty() {
            return Err(Problem::new(format!("{shown}: {NO_PACK_FILE}")));
        }
        Ok(self.with_used(folder, texts))
    }

    /// [`pack`](Self::pack), in which a folder without one is a fault of its own.
    #[must_use]
    pub fn whole(&self, folder: &Path) -> Vec<SourceText> {
        self.with_used(folder, self.of_or_fault(folder))
    }

    /// The files of a pack with those of the packs that it uses, and that these use: each lies beside the one that uses it, or
    /// is one of the workspace.
    fn with_used(&self, folder: &Path, own: Vec<SourceText>) -> Vec<SourceText> {
        let mut known: BTreeSet<String> = BTreeSet::new();
        let mut open = vec![(folder.to_path_buf(), used_folders(&own))];
        let mut all = own;
        while let Some((folder, uses)) = open.pop() {
            let beside = folder.parent().unwrap_or(&folder);
            for name in uses {
                if !known.insert(name.clone()) {
                    continue;
                }
                let near = Some(beside.join(&name)).filter(|at| files::kind(at) == files::Kind::Folder);
                let Some(at) = near.or_else(|| self.workspace.pack_folder(&name)) else {
                    let packs = files::folders(beside);
                    let help = match suggest(&name, packs.iter().map(String::as_str)) {
                        Some(like) => did_you_mean(&name, like),
                        None => format!("there are {}", listed(&packs)),
                    };
                    all.push(SourceText::no_pack(&name, &help));
                    continue;
                };
                let texts = self.of_or_fault(&at);
                open.push((at, used_folders(&texts)));
                all.extend(texts.into_iter().map(|text| text.of_pack(&name)));
            }
        }
        all
    }

    fn of_or_fault(&self, folder: &Path) -> Vec<SourceText> {
        let texts = self.of(folder);
        let none =
            || vec![SourceText::unread(self.workspace.shown(folder), NO_PACK_FILE, "write one, or remove the folder")];
        if texts.is_empty() { none() } else { texts }
    }

    fn of(&self, folder: &Path) -> Vec<SourceText> {
        self.read.get(folder).cloned().unwrap_or_else(|| self.workspace.pack_files(folder))
    }
}

impl Workspace {
    /// The texts of a pack, by its name.
    ///
    /// # Errors
    /// There is no such pack, or it holds no pack file.
    pub fn pack(&self, name: &str) -> Result<Vec<SourceText>, Problem> {
        self.pack_at(&self.folder_of(name)?)
    }

    /// The texts of the pack in a folder.
    ///
    /// # Errors
    /// It is no folder, or holds no pack file. A file that cannot be read is one with a fault.
    pub fn pack_at(&self, folder: &Path) -> Result<Vec<SourceText>, Problem> {
        PackFiles::read(self, &[], &jobs::in_turn).pack(folder)
    }

    /// The files of the pack in a folder, as far as it can be looked through.
    fn pack_files(&self, folder: &Path) -> Vec<SourceText> {
        let shown = self.shown(folder);
        let mut texts = Vec::new();
        let found = self.walk(folder, &shown);
        texts.extend(found.faults);
        for path in found.files {
            let name = self.shown(&path);
            match Format::of_path(&name) {
                Some(Format::Toml | Format::Yaml) => texts.push(files::source(&path, &name)),
                Some(Format::Json) if contract_name(&name).is_some() => texts.push(files::source(&path, &name)),
                Some(Format::Json) => {
                    let help = "write it in TOML or YAML, or keep it elsewhere; a contract lies in `contracts/`";
                    texts.push(SourceText::unread(name, "a pack is not written in JSON", help));
                }
                None => {}
            }
        }
        texts
    }
}
