//! The packs that scenarios need, loaded at the same time, and kept by who runs them again and again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::declare::{Documents, Options};
use crate::jobs::Job;
use crate::lexicon::Automata;
use crate::load::{self, Means, load_documents};
use crate::registry::Registry;
use crate::source::SourceText;
use crate::workspace::{Case, Corpus, PackFiles, Problem, Workspace};

use super::parallel::Workers;
use super::reading::{texts_in, told};
use super::terminal::Terminal;

/// A pack that was loaded.
pub struct Loaded {
    pub pack: Arc<Pack>,
    pub registry: Registry,
}

impl Loaded {
    /// Whether the scenario is one of this pack.
    pub fn takes(&self, case: &Case) -> bool {
        self.pack.of.name.is_none() || self.pack.of.name == case.pack
    }
}

/// What loading a pack came to.
pub struct Pack {
    of: Arc<Wanted>,
    documents: Documents,
    came_to: load::Loaded,
}

impl Pack {
    /// Loads it. What it was `before` is not read again.
    fn load(of: &Arc<Wanted>, before: Option<&Arc<Self>>, means: Means<'_>) -> Arc<Self> {
        let again = before.and_then(|before| before.documents.again(&before.of.texts, &of.texts));
        let documents = again.unwrap_or_else(|| Documents::read_by(&of.texts, &Options::default(), means.both));
        let (diagnostics, registry, rest) = load_documents(&documents, means);
        let sources = documents.sources.clone();
        Arc::new(Self { of: Arc::clone(of), documents, came_to: load::Loaded { sources, diagnostics, registry, rest } })
    }
}

/// A pack that is needed: its name, unless it serves all scenarios, what messages call it, and its texts.
#[derive(PartialEq, Eq)]
struct Wanted {
    name: Option<String>,
    called: String,
    texts: Vec<SourceText>,
}

/// Who loads packs, and what is kept from one time to the next.
pub struct Loader<'w> {
    workers: &'w Workers,
    known: Vec<Arc<Pack>>,
    /// Those of the time before.
    gone: Vec<Arc<Pack>>,
    automata: Automata,
}

impl<'w> Loader<'w> {
    pub fn new(workers: &'w Workers) -> Self {
        Self { workers, known: Vec::new(), gone: Vec::new(), automata: Automata::plain() }
    }

    /// Takes apart what is needed no more, while something else is done.
    pub fn tidy(&mut self) {
        let gone = std::mem::take(&mut self.gone);
        self.workers.aside(move || drop(gone));
    }

    /// The packs that the selected scenarios need, loaded, unless they are known as they are. What is wrong with them goes to standard
    /// error.
    pub fn load(
        &mut self,
        pack: Option<&Path>,
        workspace: &Workspace,
        corpus: &Corpus,
        terminal: &mut Terminal,
    ) -> Result<Vec<Loaded>, Problem> {
        let mut all = Vec::new();
        let lacking = wanted(pack, workspace, corpus, self.workers, &mut all).err();
        let both = |one: Job<'_>, other: Job<'_>| self.workers.both(one, other);
        let means = Means { automata: &self.automata, both: &both };
        let known = self.workers.map(&all, |of| {
            let before = self.known.iter().find(|pack| pack.of.name == of.name);
            before.filter(|before| before.of == *of).cloned().unwrap_or_else(|| Pack::load(of, before, means))
        });
        self.gone = std::mem::replace(&mut self.known, known);
        let mut packs = Vec::new();
        for pack in &self.known {
            let registry = told(&pack.came_to, &pack.of.called, terminal)?.clone();
            packs.push(Loaded { pack: Arc::clone(pack), registry });
        }
        lacking.map_or(Ok(packs), Err)
    }
}

/// Lists the packs that the selected scenarios need, up to the first that there is not.
fn wanted(
    pack: Option<&Path>,
    workspace: &Workspace,
    corpus: &Corpus,
    workers: &Workers,
    all: &mut Vec<Arc<Wanted>>,
) -> Result<(), Problem> {
    if let Some(folder) = pack {
        let (called, texts) = texts_in(workspace, Some(folder))?;
        all.push(Arc::new(Wanted { name: None, called, texts }));
        return Ok(());
    }
    let names: BTreeSet<&str> = corpus.cases.iter().filter_map(|case| case.pack.as_deref()).collect();
    let folders: Vec<PathBuf> = names.into_iter().filter_map(|name| workspace.folder_of(name).ok()).collect();
    let packs = PackFiles::read(workspace, &folders, &|one, other| workers.both(one, other));
    for case in &corpus.cases {
        let Some(name) = &case.pack else {
            let at = corpus.sources.start(case.scenario.span);
            return Err(Problem::new(format!(
                "{}:{}: the scenario names no pack and lies in no folder that does; write `pack: NAME`",
                case.file, at.line
            )));
        };
        if all.iter().any(|pack| pack.name.as_ref() == Some(name)) {
            continue;
        }
        let texts =
            workspace.folder_of(name).and_then(|folder| packs.pack(&folder)).map_err(|problem| {
                match workspace.packs().contains(name) {
                    true => problem,
                    false => Problem::new(format!("{}: {problem}", case.file)),
                }
            })?;
        all.push(Arc::new(Wanted { name: Some(name.clone()), called: name.clone(), texts }));
    }
    Ok(())
}
