//! `segue.toml`: what makes a folder a workspace, and what in it leads nowhere.

use std::path::{Component, Path};
use std::sync::Arc;

use crate::audit::Settings;
use crate::binding::{Bindings, Sessions};
use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean, listed, quoted, suggest};
use crate::language;
use crate::source::{SourceMap, Span};
use crate::syntax::{self, Field, Format, Reader};

use super::files::Kind;
use super::{MARK, Problem, Workspace, files};

/// A workspace whose `segue.toml` was read as far as it goes.
#[derive(Debug)]
pub struct Opened {
    /// The workspace; what is wrong with a key is left at its usual value.
    pub workspace: Workspace,
    /// The text of `segue.toml`.
    pub sources: SourceMap,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
    /// What is written in it as it must be, and leads nowhere or to two places. Only a check is told: a verb that needs
    /// such a thing says so itself.
    pub doubts: Vec<Diagnostic>,
}

/// A folder that `segue.toml` names, and where.
type Named = (String, Span);

impl Opened {
    /// Reads the `segue.toml` in a folder.
    pub(super) fn read(root: &Path) -> Self {
        let mut own = Workspace::plain(root);
        let mut sources = SourceMap::default();
        let read = files::source(&own.root.join(MARK), MARK);
        let file = sources.add(MARK, Arc::clone(&read.text));
        if let Some(fault) = &read.fault {
            (own.packs_unsure, own.scenarios_unsure) = (true, true);
            let diagnostics = vec![Diagnostic::unreadable(file, fault)];
            return Self { workspace: own, sources, diagnostics, doubts: Vec::new() };
        }
        let (out, doubts) = (Diagnostics::new(), Diagnostics::new());
        let node = syntax::parse(file, &read.text, Format::Toml, &out);
        if let Some(reader) = node.as_ref().and_then(|node| Reader::new(node, &language::WORKSPACE, &out)) {
            let packs = folders(&reader, "packs", "transitions");
            let scenarios = folders(&reader, "scenarios", "scenarios");
            for (named, folders, unsure) in [
                (&packs, &mut own.packs, &mut own.packs_unsure),
                (&scenarios, &mut own.scenarios, &mut own.scenarios_unsure),
            ] {
                let Some((named, whole)) = named else { continue };
                let known = doubts.len();
                let once = there(&own.root, named, &doubts);
                *unsure = !whole || doubts.len() > known;
                if !named.is_empty() {
                    *folders = once;
                }
            }
            own.twice(packs.iter().flat_map(|(named, _)| named), &doubts);
            let pack = reader.optional("pack").and_then(|field| Some((field.word()?, field.span())));
            if let Some((name, span)) = pack {
                own.pack = Some(name.to_owned());
                own.known_pack(name, span, "leave the key out", &doubts);
            }
            own.settings = reader.optional("check").map(Settings::read).unwrap_or_default();
            own.bindings = reader.optional("chat").map(Bindings::read).unwrap_or_default();
            own.sessions = reader.optional("session").map(Sessions::read).unwrap_or_default();
            for (name, span) in own.bindings.packs().into_iter().chain(own.sessions.packs()) {
                own.known_pack(name, span, "remove the table", &doubts);
            }
            own.bindings.scripts().for_each(|(file, span)| own.known_script(file, span, &doubts));
            reader.finish();
        } else {
            (own.packs_unsure, own.scenarios_unsure) = (true, true);
        }
        Self { workspace: own, sources, diagnostics: out.into_sorted(), doubts: doubts.into_sorted() }
    }

    /// The workspace, where nothing is wrong with its `segue.toml`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn sound(self) -> Result<Workspace, Problem> {
        let Self { workspace, sources, diagnostics, .. } = self;
        if diagnostics.is_empty() {
            return Ok(workspace);
        }
        files::read(&workspace.root.join(MARK), MARK)?;
        let mut text = String::new();
        for found in diagnostics {
            text.push_str(&crate::report::short(&sources, std::slice::from_ref(&found)));
            if let Some(help) = &found.help {
                text.push_str(&format!("  help: {help}\n"));
            }
        }
        Err(Problem::new(text.trim_end()))
    }
}

impl Workspace {
    /// A pack that lies in two of the folders: the one in the second is never read.
    fn twice<'n>(&self, named: impl Iterator<Item = &'n Named>, out: &Diagnostics) {
        let mut known: Vec<(String, &Named)> = Vec::new();
        for place in named {
            for pack in files::folders(&self.root.join(&place.0)) {
                match known.iter().find(|(other, at)| *other == pack && at.0 != place.0) {
                    Some((_, first)) => {
                        let (pack, of) = (quoted(&pack), quoted(&first.0));
                        let message = format!("the pack {pack} lies in {of} as well, and only that one is read");
                        let found = Diagnostic::error(Code::DuplicateName, place.1, message);
                        out.push(found.also(first.1, "the first of the two").help("rename one of the two folders"));
                    }
                    None => known.push((pack, place)),
                }
            }
        }
    }

    /// A file of outcomes has to be there, and to be one that can be read.
    fn known_script(&self, file: &str, span: Span, out: &Diagnostics) {
        let at = self.root.join(file);
        let found = match files::kind(&at) {
            Kind::File if Format::of_path(file).is_some() => return,
            Kind::File => {
                let message = format!("{} is neither JSON, YAML nor TOML", quoted(file));
                Diagnostic::error(Code::BadValue, span, message)
                    .help("name a file `*.json`, `*.yaml`, `*.yml` or `*.toml`")
            }
            Kind::Missing => {
                let (above, last) = file.rsplit_once('/').map_or(("", file), |(above, last)| (above, last));
                let beside = files::files(&self.root.join(above));
                let found = Diagnostic::error(Code::UnknownName, span, format!("there is no file {}", quoted(file)));
                found.help(match suggest(last, &beside) {
                    Some(near) if above.is_empty() => did_you_mean(file, near),
                    Some(near) => did_you_mean(file, &format!("{above}/{near}")),
                    None => "name a file of outcomes, by its path below the workspace".to_owned(),
                })
            }
            Kind::Folder | Kind::Other => {
                let found = Diagnostic::error(Code::BadValue, span, format!("{} is no file", quoted(file)));
                found.help("name a file of outcomes")
            }
        };
        out.push(found);
    }

    /// A pack that is named has to be there; else `remedy` is what to do where there is none at all.
    fn known_pack(&self, name: &str, span: Span, remedy: &str, out: &Diagnostics) {
        let packs = self.packs();
        if self.packs_unsure || packs.iter().any(|pack| pack == name) {
            return;
        }
        let found = Diagnostic::error(Code::UnknownName, span, format!("there is no pack {}", quoted(name)));
        out.push(found.help(match suggest(name, &packs) {
            Some(near) => did_you_mean(name, near),
            None if packs.is_empty() => format!("{remedy}; `segue new pack NAME` begins a pack"),
            None => format!("name one that there is: {}", listed(&packs)),
        }));
    }
}

/// The folders under a key, and whether all of them could be read.
fn folders(reader: &Reader<'_>, key: &'static str, usual: &str) -> Option<(Vec<Named>, bool)> {
    let field = reader.optional(key)?;
    let before = reader.out().len();
    let named: Vec<Named> =
        field.list().into_iter().flatten().filter_map(|item| Some((folder(item)?, item.span()))).collect();
    if named.is_empty() && reader.out().len() == before {
        let help = format!("write one, such as `{key} = [\"{usual}\"]`, or leave the key out");
        let _: Option<()> = field.bad("no folder is named", &help);
    }
    Some((named, reader.out().len() == before))
}

/// A folder inside the workspace.
fn folder(field: Field<'_>) -> Option<String> {
    let text = field.word()?;
    let mut pieces: Vec<&str> = Vec::new();
    for piece in Path::new(text).components() {
        match piece {
            Component::CurDir => {}
            Component::Normal(name) => pieces.extend(name.to_str()),
            _ => {
                return field
                    .bad("the folder is outside the workspace", "write a path below it, such as `transitions`");
            }
        }
    }
    if pieces.is_empty() {
        return field.bad("the folder is the workspace itself", "write a path below it, such as `transitions`");
    }
    Some(pieces.join("/"))
}

/// The folders, each once; what is wrong with them is told.
fn there(root: &Path, named: &[Named], out: &Diagnostics) -> Vec<String> {
    let mut once: Vec<&Named> = Vec::new();
    for place in named {
        let (folder, span) = place;
        if let Some((_, first)) = once.iter().find(|(known, _)| known == folder) {
            let found = Diagnostic::error(Code::DuplicateItem, *span, format!("{} is named twice", quoted(folder)));
            out.push(found.also(*first, "first named here").help("remove one of the two"));
            continue;
        }
        once.push(place);
        let at = root.join(folder);
        match files::kind(&at) {
            Kind::Folder => {}
            Kind::Missing => {
                let beside = files::folders(at.parent().unwrap_or(root));
                let last = folder.rsplit('/').next().unwrap_or(folder);
                let before = &folder[..folder.len() - last.len()];
                let found =
                    Diagnostic::error(Code::UnknownName, *span, format!("there is no folder {}", quoted(folder)));
                out.push(found.help(match suggest(last, &beside) {
                    Some(near) => did_you_mean(folder, &format!("{before}{near}")),
                    None => "make the folder, or name one that there is".to_owned(),
                }));
            }
            Kind::File | Kind::Other => {
                let found = Diagnostic::error(Code::BadValue, *span, format!("{} is no folder", quoted(folder)));
                out.push(found.help("name the folder itself"));
            }
        }
    }
    once.into_iter().map(|(folder, _)| folder.clone()).collect()
}
