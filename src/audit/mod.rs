//! Everything that `segue check` says of one pack: what loading finds, what its scenarios get wrong, in one stable order.

mod findings;
mod scenarios;

pub use findings::Findings;

use crate::declare::Options;
use crate::diag::{Diagnostic, Diagnostics};
use crate::load::{Loaded, load};
use crate::registry::Registry;
use crate::source::{SourceMap, SourceText};

/// What an audit is told besides the texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// Where the pack and its scenarios stand in a workspace; without it every scenario that is given belongs to the pack.
    pub place: Option<Place>,
    /// How much is asked for.
    pub scope: Scope,
}

/// How much an audit is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scope {
    /// The pack, and its scenarios, which are all there are.
    #[default]
    Whole,
    /// The pack by itself, or with some of its scenarios: nothing is said of scenarios that are missing.
    Pack,
    /// The scenarios that are given. Of the pack only its errors are shown: with them no scenario can be judged.
    Scenarios,
}

/// A pack among others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The name of the pack; `None` where the scenarios name none that there is.
    pub pack: Option<String>,
    /// The names of all packs of the workspace.
    pub packs: Vec<String>,
    /// The folders that scenarios lie in: the first folder in them names the pack of a scenario that names none itself.
    pub scenarios: Vec<String>,
}

impl Place {
    /// The pack that a scenario file belongs to by the folder it lies in.
    #[must_use]
    pub fn folder<'n>(&self, file: &'n str) -> Option<&'n str> {
        let below = self.scenarios.iter().find_map(|folder| file.strip_prefix(folder.as_str())?.strip_prefix('/'))?;
        below.split_once('/').map(|(first, _)| first)
    }
}

/// What an audit came to.
#[derive(Debug, Default)]
pub struct Audit {
    /// The texts that were read, by the ids that spans speak of.
    pub sources: SourceMap,
    /// All findings, in a stable order, each once.
    pub diagnostics: Vec<Diagnostic>,
    /// The compiled pack, when it loads.
    pub registry: Option<Registry>,
}

/// Checks a pack with its scenarios, each in any order of the files. Nothing fails early: a broken file costs the findings
/// of that file, and where the pack does not load the scenarios are still read. Without a pack file nothing is loaded, and
/// scenarios are read as far as they can be without a pack.
#[must_use]
pub fn audit(pack: &[SourceText], scenarios: &[SourceText], config: &Config) -> Audit {
    let out = Diagnostics::new();
    let mut sources = SourceMap::default();
    let mut registry = None;
    if !pack.is_empty() {
        let Loaded { sources: read, diagnostics, registry: loaded } = load(pack, &Options::default());
        (sources, registry) = (read, loaded);
        let told = |found: &Diagnostic| config.scope != Scope::Scenarios || found.is_error();
        out.extend(diagnostics.into_iter().filter(told));
    }
    scenarios::check(scenarios, registry.as_ref(), config, &mut sources, &out);
    Audit { sources, diagnostics: out.into_sorted(), registry }
}
