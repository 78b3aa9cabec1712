//! Everything that `segue check` says of one pack: what loading finds, what its scenarios get wrong, in one stable order.

mod findings;
mod ignores;
mod names;
mod scenarios;
mod settings;

pub use findings::Findings;
pub use settings::Settings;

use std::sync::Arc;

use crate::analysis;
use crate::check::lint;
use crate::declare::{Documents, Options};
use crate::diag::{Aspect, Code, Diagnostic, Diagnostics, quoted};
use crate::jobs::{Both, in_turn, joined};
use crate::lexicon::Automata;
use crate::load::{Means, Rest, load_documents};
use crate::registry::Registry;
use crate::source::{FileId, SourceMap, SourceText, Span};
use crate::syntax::{Format, parse};

/// What an audit is told besides the texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// Where the pack and its scenarios stand in a workspace; without it every scenario that is given belongs to the pack.
    pub place: Option<Place>,
    /// How much is asked for.
    pub scope: Scope,
    /// How bad findings are.
    pub settings: Settings,
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
    /// Whether there may be more of them: then no scenario is blamed for a pack that is not there.
    pub packs_unsure: bool,
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
    let automata = Automata::default();
    let load = || load_again(None, pack, Means { automata: &automata, both: &in_turn });
    whole(load, files(pack), None, (scenarios, &[]), config, &in_turn).0
}

/// [`audit`] of a pack of which the files are documents already.
#[must_use]
pub fn audit_documents(
    documents: Option<&Documents>,
    scenarios: &[SourceText],
    config: &Config,
    automata: &Automata,
) -> Audit {
    let before = documents.map_or(0, |documents| documents.sources.files().count());
    let load = || documents.map(|documents| Loaded::of(documents, Means { automata, both: &in_turn }));
    whole(load, before, None, (scenarios, &[]), config, &in_turn).0
}

/// An audit, and what it needs not be done again for while nothing has changed.
#[derive(Debug)]
pub struct Audited {
    pack: Vec<SourceText>,
    scenarios: Vec<SourceText>,
    config: Config,
    examined: Examined,
    read: Vec<scenarios::Read>,
    /// What it came to.
    pub audit: Audit,
}

/// [`audit`], in which `both` does what can be done at the same time, and nothing that was done `before` is done again: what depends
/// on nothing but texts and settings which are the same, and the `automata` that were built. What comes of it is the same in any case.
#[must_use]
pub fn audit_again(
    before: Option<&Arc<Audited>>,
    pack: &[SourceText],
    scenarios: &[SourceText],
    config: &Config,
    automata: &Automata,
    both: Both<'_>,
) -> Arc<Audited> {
    let read = before.map_or(&[][..], |before| &before.read);
    let same = before.filter(|before| before.pack == pack);
    if let Some(same) = same.filter(|same| same.scenarios == scenarios && same.config == *config) {
        return Arc::clone(same);
    }
    // Only files in which something else is written are read.
    let again = || before?.examined.loaded.documents.as_ref()?.again(&before?.pack, pack);
    let load = || load_again(again(), pack, Means { automata, both });
    let as_whole = |scope: Scope| scope != Scope::Scenarios;
    let known = same.filter(|before| as_whole(before.config.scope) == as_whole(config.scope));
    let known = known.map(|before| before.examined.clone());
    let (audit, examined, read) = whole(load, files(pack), known, (scenarios, read), config, both);
    let (pack, scenarios) = (pack.to_vec(), scenarios.to_vec());
    Arc::new(Audited { pack, scenarios, config: config.clone(), examined, read, audit })
}

/// What loading a pack came to.
#[derive(Debug, Default)]
struct Loaded {
    /// Where they may be wanted again.
    documents: Option<Documents>,
    sources: SourceMap,
    /// How many of them are of the pack itself; those of used packs follow.
    own: usize,
    errors: Vec<Diagnostic>,
    others: Vec<Diagnostic>,
    registry: Option<Registry>,
    /// Where there is no registry: what is sound.
    rest: Option<Rest>,
}

impl Loaded {
    fn of(documents: &Documents, means: Means<'_>) -> Self {
        let (found, registry, rest) = load_documents(documents, means);
        let (errors, others) = found.into_iter().partition(Diagnostic::is_error);
        let (sources, own) = (documents.sources.clone(), documents.own_files());
        Self { documents: None, sources, own, errors, others, registry, rest }
    }

    /// What is found in a pack that was loaded, whatever scenarios it has.
    fn examine(&self, scope: Scope) -> Vec<Diagnostic> {
        let open = Diagnostics::new();
        if let Some(registry) = self.registry.as_ref() {
            if scope != Scope::Scenarios {
                analysis::check(registry, &open);
            }
            lint::check(registry.pack(), registry.matcher(), &open);
        }
        if let Some(rest) = self.rest.as_ref().filter(|_| scope != Scope::Scenarios) {
            slips(rest, &self.sources, &open);
        }
        open.into_iter().collect()
    }
}

/// How many files texts are.
fn files(texts: &[SourceText]) -> usize {
    texts.iter().filter(|text| !text.is_missing_pack()).count()
}

/// Loads the pack of which these are the files, or of which the documents are known already.
fn load_again(known: Option<Documents>, pack: &[SourceText], means: Means<'_>) -> Option<Loaded> {
    let read = || Documents::read_by(pack, &Options::default(), means.both);
    (!pack.is_empty()).then(|| {
        let documents = known.unwrap_or_else(read);
        let loaded = Loaded::of(&documents, means);
        Loaded { documents: Some(documents), ..loaded }
    })
}

/// What an audit knows of a pack by itself.
#[derive(Debug, Clone)]
struct Examined {
    loaded: Arc<Loaded>,
    /// What was found in it beyond loading it.
    found: Vec<Diagnostic>,
}

/// An audit of a pack that `load` gives, in so many texts, unless it is known already, with scenarios of which some are read already.
fn whole(
    load: impl FnOnce() -> Option<Loaded> + Send,
    count: usize,
    known: Option<Examined>,
    (scenarios, read): (&[SourceText], &[scenarios::Read]),
    config: &Config,
    both: Both<'_>,
) -> (Audit, Examined, Vec<scenarios::Read>) {
    let (loaded, found) = known.map(|known| (known.loaded, known.found)).unzip();
    let load = || loaded.unwrap_or_else(|| Arc::new(load().unwrap_or_default()));
    let (loaded, read) = joined(both, load, || scenarios::read(scenarios, count, read, both));
    let mut sources = loaded.sources.clone();
    for one in &read {
        let id = sources.add(&one.file.name, Arc::clone(&one.file.text));
        debug_assert_eq!(id, one.id, "the files of the pack come first");
    }
    // What is to be said of a used pack beside its errors is said where that one is checked.
    let is_used = |file: FileId| (loaded.own..count).contains(&(file.0 as usize));
    let of_the_pack = || found.unwrap_or_else(|| loaded.examine(config.scope));
    let of_the_texts = || {
        let (fixed, open) = (Diagnostics::new(), Diagnostics::new());
        let known = scenarios::Known::new(loaded.registry.as_ref(), loaded.rest.as_ref());
        let shared = scenarios::check(&read, &known, config, &sources, &fixed);
        sources.files().filter(|file| !is_used(*file)).for_each(|file| letters(file, &sources, &open));
        (shared, fixed, open)
    };
    let (found, (shared, wrong, strange)) = joined(both, of_the_pack, of_the_texts);
    // What nothing runs with, which is shown as it is; and the rest, which settings and comments have a say in.
    let (fixed, open) = (Diagnostics::new(), Diagnostics::new());
    // What is to be said of a pack that is extended, and of nothing else, is said where that one is checked as well.
    let elsewhere = |found: &&Diagnostic| {
        std::iter::once(&found.primary).chain(&found.secondary).all(|label| is_used(label.span.file))
    };
    let (wrong, light): (Vec<_>, Vec<_>) = wrong.into_iter().partition(Diagnostic::is_error);
    let errors = names::told_once(loaded.errors.iter().cloned().chain(wrong).collect(), &sources, count);
    fixed.extend(errors.into_iter().chain(light.into_iter().filter(|found| !elsewhere(&found))));
    open.extend(loaded.others.iter().chain(&found).filter(|found| !elsewhere(found)).cloned().chain(strange));
    let of_pack = |file: FileId| (file.0 as usize) < count;
    let mut ignores = ignores::ignores(&sources, &open);
    let mut shown: Vec<Diagnostic> = Vec::new();
    for found in open.into_sorted() {
        if !ignores::ignored(&found, &mut ignores, &sources) {
            shown.push(found);
        }
    }
    // Where not everything was looked for an ignore may have something to ignore all the same.
    let whole = |file| match of_pack(file) {
        true => config.scope == Scope::Whole,
        false => !shared.contains(&file),
    };
    let late = Diagnostics::new();
    if loaded.registry.is_some() {
        ignores::unused(&ignores, |file| !is_used(file) && whole(file), &late);
    }
    let told = |found: &Diagnostic| config.scope != Scope::Scenarios || !of_pack(found.primary.span.file);
    let mut errors = fixed.into_sorted();
    let stuck = loaded.registry.as_ref().map(|registry| stuck(registry, &shown)).unwrap_or_default();
    shown.retain(|found| !explains(found, &mut errors) && !follows(found, &stuck));
    // A class that is wrong by its id is none that scenarios could be about.
    let wrong_ids: Vec<Span> = errors.iter().filter(|one| one.is_error()).map(|one| one.primary.span).collect();
    let unnamed = |found: &Diagnostic| found.code == Code::NoScenario && wrong_ids.contains(&found.primary.span);
    // Where a contract refuses what it should admit scenarios go other ways.
    let refused = errors.iter().any(|one| one.code == Code::AnswerBreaksPort && of_pack(one.primary.span.file));
    let astray = |found: &Diagnostic| found.code == Code::ClassNotReached && refused;
    errors.retain(|found| !follows(found, &stuck) && !unnamed(found) && !astray(found));
    let shown = shown.into_iter().chain(late).filter(told).filter_map(|found| config.settings.apply(found));
    let all = Diagnostics::new();
    all.extend(errors.into_iter().chain(shown));
    let registry = loaded.registry.clone();
    (Audit { sources, diagnostics: all.into_sorted(), registry }, Examined { loaded, found }, read)
}

/// The classes in which a condition never holds, in quotes.
fn stuck(registry: &Registry, found: &[Diagnostic]) -> Vec<String> {
    let pack = registry.pack();
    let never = found.iter().filter(|found| found.aspect == Aspect::NeverTrue);
    let never = never.map(|found| found.primary.span);
    let class = |at: Span| {
        let above = pack.classes.iter().filter(|class| class.span.file == at.file && class.span.start <= at.start);
        above.max_by_key(|class| class.span.start)
    };
    never.filter_map(class).map(|class| quoted(pack.names.text(class.id))).collect()
}

/// Whether a finding may be so only because conditions of these classes never hold: what would come after one is not reached either.
fn follows(found: &Diagnostic, stuck: &[String]) -> bool {
    match found.code {
        Code::ClassNotReached => !stuck.is_empty(),
        Code::RedundantPrecedence => stuck.iter().any(|class| found.message.contains(class.as_str())),
        _ => false,
    }
}

/// Whether a finding about characters is why an error is found at the same place: then it is told with that.
fn explains(found: &Diagnostic, errors: &mut [Diagnostic]) -> bool {
    if !matches!(found.code, Code::MixedScripts | Code::InvisibleCharacter) {
        return false;
    }
    let at = found.primary.span;
    let meets = |error: &&mut Diagnostic| {
        let of = error.primary.span;
        of.file == at.file && of.start < at.end && at.start < of.end
    };
    let Some(error) = errors.iter_mut().find(meets) else { return false };
    // An error of syntax is at the character itself, and names it.
    if error.code != Code::SyntaxError {
        let help = error.help.as_deref().map_or_else(String::new, |help| format!("; {help}"));
        error.help = Some(format!("{}{help}", found.message));
    }
    true
}

/// What else is found in the sound part of a pack.
fn slips(rest: &Rest, sources: &SourceMap, out: &Diagnostics) {
    let found = Diagnostics::new();
    let Rest { registry, left_out } = rest;
    if left_out.keeps_meaning() {
        analysis::check_rest(registry, &left_out.shadowed, &found);
    }
    lint::check(registry.pack(), registry.matcher(), &found);
    out.extend(found.into_iter().filter(|found| left_out.admits(found, sources)));
}

/// Letters of another script and characters that cannot be seen, in one file.
fn letters(file: FileId, sources: &SourceMap, out: &Diagnostics) {
    let text = sources.text(file);
    // What is wrong with the document has been said.
    let read = || parse(file, text, Format::of_path(sources.name(file))?, &Diagnostics::new());
    lint::letters(file, text, read, out);
}
