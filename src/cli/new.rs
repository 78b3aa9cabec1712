//! `segue new`: begins packs, classes and scenarios.

use std::path::{Path, PathBuf};

use clap::Subcommand;

use crate::registry::Registry;
use crate::scaffold::{self, File, Scaffold};
use crate::source::SourceText;
use crate::syntax::Format;
use crate::workspace::{MARK, Problem, Workspace, files};

use super::PASSED;
use super::reading::loaded;
use super::terminal::Terminal;

/// Begin a pack, a transition class or a scenario: files that check and replay from the start.
///
/// Nothing is overwritten, and either all files are written or none.
///
/// Exit codes: 0 = the files were written, 2 = they were not.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// A small pack, with a scenario for each of its classes; in a folder that belongs to no workspace also segue.toml.
    Pack {
        /// Its name: letters, digits, `_` and `-`.
        name: String,
    },
    /// A transition class, with an event that sets it off and a scenario.
    Transition {
        /// Its id: letters, digits, `_` and `-`.
        id: String,
        /// The name of its pack [default: the pack that is meant].
        #[arg(long, value_name = "NAME")]
        pack: Option<String>,
    },
    /// A scenario of one turn.
    Scenario {
        /// The name of its file: letters, digits, `_` and `-`.
        name: String,
        /// The class that it is about [default: the first one that a new session can come to].
        #[arg(long, value_name = "CLASS")]
        covers: Option<String>,
        /// The name of its pack [default: the pack that is meant].
        #[arg(long, value_name = "NAME")]
        pack: Option<String>,
    },
}

/// Runs the verb.
pub fn run(args: &Args, terminal: &mut Terminal) -> u8 {
    match attempt(&args.what, terminal) {
        Ok(()) => PASSED,
        Err(problem) => terminal.not_run(&problem),
    }
}

fn attempt(what: &What, terminal: &mut Terminal) -> Result<(), Problem> {
    let here = files::here()?;
    let (workspace, scaffold) = match what {
        What::Pack { name } => {
            let (workspace, fresh) = match Workspace::of(&here) {
                Ok(workspace) => (workspace, false),
                // One that cannot be read is no reason to begin another one in it.
                Err(problem) if marked(&here) => return Err(problem),
                Err(_) => (Workspace::plain(&here), true),
            };
            let made = scaffold::pack(name, workspace.packs_folder(), workspace.scenarios_folder());
            let mut scaffold = made.map_err(Problem::new)?;
            if fresh {
                scaffold.files.insert(0, scaffold::workspace());
            }
            if let Ok(folder) = workspace.folder_of(name) {
                return Err(Problem::new(format!("there is a pack {name} already: {}", workspace.shown(&folder))));
            }
            (workspace, scaffold)
        }
        What::Transition { id, pack } => {
            let place = Place::of(&here, pack.as_deref(), terminal)?;
            let made = scaffold::transition(&place.registry, &place.texts, id, &place.folder, &place.scenarios);
            (place.workspace, made.map_err(Problem::new)?)
        }
        What::Scenario { name, covers, pack } => {
            let place = Place::of(&here, pack.as_deref(), terminal)?;
            let made = scaffold::scenario(&place.registry, name, covers.as_deref(), &place.scenarios);
            (place.workspace, made.map_err(Problem::new)?)
        }
    };
    write(&workspace, &scaffold, terminal)
}

fn marked(folder: &Path) -> bool {
    folder.ancestors().any(|folder| files::kind(&folder.join(MARK)) != files::Kind::Missing)
}

/// A pack that something is added to.
struct Place {
    workspace: Workspace,
    texts: Vec<SourceText>,
    registry: Registry,
    /// Its folder in the workspace.
    folder: String,
    /// The folder of its scenarios.
    scenarios: String,
}

impl Place {
    fn of(here: &Path, pack: Option<&str>, terminal: &mut Terminal) -> Result<Self, Problem> {
        let workspace = Workspace::of(here)?;
        let name = match pack {
            Some(name) => name.to_owned(),
            None => workspace.meant()?,
        };
        let folder = workspace.folder_of(&name)?;
        let texts = workspace.pack(&name)?;
        let (registry, _) = loaded(&texts, &name, terminal)?;
        let (folder, scenarios) = (workspace.shown(&folder), format!("{}/{name}", workspace.scenarios_folder()));
        Ok(Self { workspace, texts, registry, folder, scenarios })
    }
}

/// Of a file to be, a file or folder on its way that differs from what it is to be called only in its case: where case is nothing
/// they would be one.
fn twin(workspace: &Workspace, path: &str) -> Option<Problem> {
    let mut at = workspace.root().to_path_buf();
    for piece in path.split('/') {
        let lower = piece.to_lowercase();
        let beside = || files::folders(&at).into_iter().chain(files::files(&at));
        let twin = || beside().find(|other| other.to_lowercase() == lower);
        if let Some(other) = twin().filter(|_| !beside().any(|other| other == piece)) {
            let there = workspace.shown(&at.join(other));
            let message = format!("{path} would differ from {there}, which is there, only in its case");
            return Some(Problem::new(format!("{message}: take another name")));
        }
        at.push(piece);
    }
    None
}

fn write(workspace: &Workspace, scaffold: &Scaffold, terminal: &mut Terminal) -> Result<(), Problem> {
    if let Some(problem) = scaffold.files.iter().find_map(|file| twin(workspace, &file.path)) {
        return Err(problem);
    }
    let all: Vec<(PathBuf, String, String)> = scaffold
        .files
        .iter()
        .map(|file| (workspace.root().join(&file.path), file.path.clone(), with_schema(workspace, file)))
        .collect();
    files::create(&all)?;
    for (_, shown, _) in &all {
        terminal.out(&format!("wrote {shown}\n"));
    }
    terminal.out("\nnext:\n");
    for line in &scaffold.next {
        terminal.out(&format!("  {line}\n"));
    }
    Ok(())
}

/// The text of a file, with the comment that leads editors to its schema where the workspace keeps one.
pub(super) fn with_schema(workspace: &Workspace, file: &File) -> String {
    let schema = format!("schemas/{}.schema.json", file.kind);
    if files::kind(&workspace.root().join(&schema)) != files::Kind::File {
        return file.text.clone();
    }
    let up = "../".repeat(file.path.matches('/').count());
    match Format::of_path(&file.path) {
        Some(Format::Yaml) => format!("# yaml-language-server: $schema={up}{schema}\n{}", file.text),
        _ => format!("#:schema {up}{schema}\n{}", file.text),
    }
}
