//! The files that people write: those of packs and scenarios, and `segue.toml`.

use std::path::{Path, PathBuf};

use super::{MARK, Problem, Workspace, files};
use crate::source::SourceText;
use crate::syntax::Format;

/// Files that paths select.
#[derive(Debug, Default)]
pub struct Sources {
    /// The files, sorted by path, each with the name that messages show.
    pub files: Vec<(PathBuf, String)>,
    /// What cannot be looked into.
    pub faults: Vec<SourceText>,
    /// Where they were looked for.
    pub looked: Vec<String>,
}

impl Workspace {
    /// The files in `paths`, files or folders, that packs, scenarios and workspaces are made of; without a path those of the workspace.
    /// A folder that holds folders of the workspace stands for those: what else lies in it is of another kind.
    ///
    /// # Errors
    /// A path that is not there, has the wrong ending, or has nothing to do with packs and scenarios.
    pub fn sources(&self, paths: &[PathBuf]) -> Result<Sources, Problem> {
        let mut sources = Sources::default();
        let own: Vec<PathBuf> = self.packs.iter().chain(&self.scenarios).map(|folder| self.root.join(folder)).collect();
        if paths.is_empty() {
            self.whole(&self.root, &own, &mut sources);
        }
        for path in paths {
            let real = files::real(path);
            let (kind, shown) = (files::kind(path), self.shown(&real));
            if kind != files::Kind::Missing && !self.is_about(&real) {
                return Err(self.elsewhere("format", &real, "; a file elsewhere is formatted as standard input"));
            }
            match kind {
                files::Kind::File if Format::of_path(&shown).is_some() => sources.files.push((path.clone(), shown)),
                files::Kind::File => {
                    return Err(Problem::new(format!("{shown}: is neither TOML, YAML nor JSON by its name")));
                }
                files::Kind::Folder => self.whole(&real, &own, &mut sources),
                files::Kind::Missing => {
                    return Err(Problem::new(format!("no such file or folder: {}", path.display())));
                }
                files::Kind::Other => return Err(Problem::new(format!("{shown}: is neither a file nor a folder"))),
            }
        }
        sources.files.sort();
        sources.files.dedup();
        sources.looked.dedup();
        Ok(sources)
    }

    /// Whether a path, with its links followed, is one of packs, scenarios and `segue.toml`, or a folder that holds some of these.
    fn is_about(&self, real: &Path) -> bool {
        let folders = self.packs.iter().chain(&self.scenarios).map(|folder| self.root.join(folder));
        let packs = self.packs().into_iter().filter_map(|pack| self.pack_folder(&pack));
        let mut own = folders.chain(packs).chain([self.root.join(MARK)]).map(|own| files::real(&own));
        own.any(|own| own.starts_with(real) || real.starts_with(&own))
    }

    fn whole(&self, folder: &Path, own: &[PathBuf], sources: &mut Sources) {
        let mark = self.root.join(MARK);
        if mark.parent() == Some(folder) && files::kind(&mark) != files::Kind::Missing {
            sources.files.push((mark, MARK.to_owned()));
        }
        let inside: Vec<&PathBuf> = own.iter().filter(|own| own.starts_with(folder) && *own != folder).collect();
        let folders = if inside.is_empty() { vec![folder] } else { inside.into_iter().map(PathBuf::as_path).collect() };
        for folder in folders {
            let shown = self.shown(folder);
            if files::kind(folder) == files::Kind::Missing {
                sources.looked.push(format!("{shown}/ (it does not exist)"));
                continue;
            }
            let found = self.walk(folder, &shown);
            sources.faults.extend(found.faults);
            for file in found.files {
                let shown = self.shown(&file);
                if Format::of_path(&shown).is_some() {
                    sources.files.push((file, shown));
                }
            }
            sources.looked.push(format!("{shown}/"));
        }
    }
}
