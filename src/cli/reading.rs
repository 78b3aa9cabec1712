//! What several verbs read: packs, and documents that hold a state.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::declare::{Options, SourceText};
use crate::diag::{Diagnostic, Diagnostics};
use crate::load::{Loaded, load};
use crate::model::Pack;
use crate::model::names::Sym;
use crate::model::uses::PackAt;
use crate::registry::Registry;
use crate::source::SourceMap;
use crate::syntax::{self, Format, Node};
use crate::workspace::{Problem, Workspace, files};

use super::terminal::Terminal;

/// The place from which a workspace is looked for: the first of the paths, else the current folder.
pub fn start(paths: &[PathBuf], what: &str) -> Result<PathBuf, Problem> {
    match paths.first() {
        Some(first) if files::kind(first) == files::Kind::Missing => {
            Err(Problem::new(format!("nothing to {what}: no such file or folder: {}", first.display())))
        }
        Some(first) => Ok(first.clone()),
        None => files::here(),
    }
}

/// The workspace around a path. Where a pack is named there need not be one: then the current folder stands for it. One that there is
/// must be sound.
pub fn workspace(around: &Path, pack_named: bool) -> Result<Workspace, Problem> {
    match Workspace::open(around) {
        Err(_) if pack_named => Ok(Workspace::plain(&files::here()?)),
        opened => opened?.sound(),
    }
}

/// The pack in a folder, or else the pack of that name in the workspace; where none is named the one that is meant.
pub fn pack_in(
    workspace: &Workspace,
    pack: Option<&Path>,
    terminal: &mut Terminal,
) -> Result<(Registry, SourceMap), Problem> {
    let (name, texts) = texts_in(workspace, pack)?;
    loaded(&texts, &name, terminal)
}

/// The name and the texts of a pack as [`pack_in`] finds it.
pub fn texts_in(workspace: &Workspace, pack: Option<&Path>) -> Result<(String, Vec<SourceText>), Problem> {
    let name = match pack {
        Some(pack) => pack.to_string_lossy().into_owned(),
        None => workspace.meant()?,
    };
    let texts = match pack {
        Some(pack) if files::kind(pack) != files::Kind::Missing || name.contains(['/', '\\']) => {
            workspace.pack_at(&files::real(pack))?
        }
        _ => workspace.pack(&name)?,
    };
    Ok((name, texts))
}

/// The registry of a pack and its files; what is found in it is printed to standard error.
pub fn loaded(texts: &[SourceText], name: &str, terminal: &mut Terminal) -> Result<(Registry, SourceMap), Problem> {
    let loaded = load(texts, &Options::default());
    let registry = told(&loaded, name, terminal)?.clone();
    Ok((registry, loaded.sources))
}

/// Prints what was found in a pack to standard error. Its registry.
pub fn told<'l>(loaded: &'l Loaded, name: &str, terminal: &mut Terminal) -> Result<&'l Registry, Problem> {
    if !loaded.diagnostics.is_empty() {
        terminal.err(&crate::report::human(&loaded.sources, &loaded.diagnostics, terminal.color_err()));
    }
    loaded.registry.as_ref().ok_or_else(|| {
        let files = loaded.diagnostics.iter().filter(|found| found.is_error()).map(|found| found.primary.span.file);
        let mut files: Vec<&str> = files.map(|file| loaded.sources.name(file)).collect();
        files.dedup();
        // The cause may lie in a pack that it uses.
        let where_from = match files.as_slice() {
            [] => String::new(),
            [file] => format!(", in {file}"),
            [file, ..] => format!(", the first in {file}"),
        };
        let summary = crate::report::summary(&loaded.diagnostics);
        Problem::new(format!("the pack {name} does not load: {summary}{where_from}"))
    })
}

/// Prints what is wrong with a file to standard error and sums it up.
pub fn unread(sources: &SourceMap, problems: &[Diagnostic], file: &str, terminal: &mut Terminal) -> Problem {
    terminal.err(&crate::report::human(sources, problems, terminal.color_err()));
    Problem::new(format!("{file} cannot be read: {}", crate::report::summary(problems)))
}

/// Reads a YAML, TOML or JSON document as something; what is wrong with it is printed to standard error.
pub fn read<T>(
    path: &Path,
    shown: &str,
    terminal: &mut Terminal,
    of: impl FnOnce(&Node, &Diagnostics) -> Option<T>,
) -> Result<T, Problem> {
    let text = files::read(path, shown)?;
    if text.trim().is_empty() {
        return Err(Problem::new(format!("{shown}: is empty; a document is due here")));
    }
    let format = Format::of_path(shown)
        .ok_or_else(|| Problem::new(format!("{shown}: is no state file (*.json, *.yaml, *.yml, *.toml)")))?;
    let mut sources = SourceMap::default();
    let out = Diagnostics::new();
    let file = sources.add(shown, Arc::clone(&text));
    let node = syntax::parse(file, &text, format, &out).filter(|_| out.is_empty());
    match node.and_then(|node| of(&node, &out)) {
        Some(value) if out.is_empty() => Ok(value),
        _ => Err(unread(&sources, &out.into_sorted(), shown, terminal)),
    }
}

/// Says which invariants a state broke and how it was mended.
pub fn mended(pack: &Pack, repaired: &[(PackAt, Sym)], terminal: &mut Terminal) {
    for (at, invariant) in repaired {
        let name = pack.qualified(*at, pack.at(*at).names.text(*invariant));
        terminal.err(&format!("note: the state broke the invariant `{name}` and was mended as it declares\n"));
    }
}

/// The folder of one of the packs; `folder` is that of the outermost.
pub fn folder_at(workspace: &Workspace, folder: &Path, registry: &Registry, at: PackAt) -> Result<PathBuf, Problem> {
    let used = at.index().checked_sub(1).zip(registry.pack().composed.as_ref());
    let Some(name) = used.map(|(used, composed)| &composed.packs[used].folder) else { return Ok(folder.to_path_buf()) };
    let beside = folder.parent().unwrap_or(folder).join(name);
    match files::kind(&beside) {
        files::Kind::Folder => Ok(beside),
        _ => workspace.folder_of(name),
    }
}
