//! The packs that scenarios need, loaded at the same time, and kept by who runs them again and again.

use std::path::Path;
use std::sync::Arc;

use crate::declare::Options;
use crate::lexicon::Automata;
use crate::load::{self, load_sharing};
use crate::registry::Registry;
use crate::source::SourceText;
use crate::workspace::{Case, Corpus, Problem, Workspace};

use super::parallel;
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
    came_to: load::Loaded,
}

/// A pack that is needed: its name, unless it serves all scenarios, what messages call it, and its texts.
#[derive(PartialEq, Eq)]
struct Wanted {
    name: Option<String>,
    called: String,
    texts: Vec<SourceText>,
}

/// The packs that the selected scenarios need, loaded, unless they are `known` as they are; these are known from then on. What is wrong
/// with them goes to standard error.
pub fn packs(
    pack: Option<&Path>,
    workspace: &Workspace,
    corpus: &Corpus,
    known: &mut Vec<Arc<Pack>>,
    terminal: &mut Terminal,
) -> Result<Vec<Loaded>, Problem> {
    let mut all = Vec::new();
    let lacking = wanted(pack, workspace, corpus, &mut all).err();
    let automata = Automata::default();
    *known = parallel::map(&all, parallel::usual(), |of| match known.iter().find(|pack| pack.of == *of) {
        Some(pack) => Arc::clone(pack),
        None => Arc::new(Pack { of: Arc::clone(of), came_to: load_sharing(&of.texts, &Options::default(), &automata) }),
    });
    let mut packs = Vec::new();
    for pack in known {
        let registry = told(&pack.came_to, &pack.of.called, terminal)?.clone();
        packs.push(Loaded { pack: Arc::clone(pack), registry });
    }
    lacking.map_or(Ok(packs), Err)
}

/// Lists the packs that the selected scenarios need, up to the first that there is not.
fn wanted(
    pack: Option<&Path>,
    workspace: &Workspace,
    corpus: &Corpus,
    all: &mut Vec<Arc<Wanted>>,
) -> Result<(), Problem> {
    if let Some(folder) = pack {
        let (called, texts) = texts_in(workspace, Some(folder))?;
        all.push(Arc::new(Wanted { name: None, called, texts }));
        return Ok(());
    }
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
        let texts = workspace.pack(name).map_err(|problem| match workspace.packs().contains(name) {
            true => problem,
            false => Problem::new(format!("{}: {problem}", case.file)),
        })?;
        all.push(Arc::new(Wanted { name: Some(name.clone()), called: name.clone(), texts }));
    }
    Ok(())
}
