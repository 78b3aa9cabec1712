//! Copies of packs and scenarios, and whether a mistake in one is found.

use std::path::Path;
use std::sync::LazyLock;

use segue::audit::{Config, audit_documents};
use segue::check::check;
use segue::declare::{Documents, Options, SourceText};
use segue::diag::{Code, Diagnostic, Diagnostics};
use segue::jobs::in_turn;
use segue::lexicon::Automata;
use segue::load::{Means, load_documents};
use segue::registry::Registry;
use segue::report::human;
use segue::scenario::{lint::lint, parse, script};
use segue::source::{FileId, SourceMap, Span};
use segue::syntax::Format;
use segue::workspace::{Workspace, files};

use super::body::Doc;
use super::edit::{Mistake, Want};
use super::{pack, renamed, scenes};

/// Most mistakes leave the words as they are.
pub static AUTOMATA: LazyLock<Automata> = LazyLock::new(Automata::plain);

/// Findings of one mistake that still belong together.
const TOGETHER: usize = 3;

/// A copy of a pack, or of its scenarios, in one format.
pub struct Copy {
    /// What it is.
    pub name: String,
    /// Its files.
    pub docs: Vec<Doc>,
    /// The pack without mistakes.
    registry: Registry,
    /// The files of the pack.
    pub documents: Documents,
    /// The scenarios of the pack, where the mistakes are made in the pack.
    pub beside: Vec<SourceText>,
    scenarios: bool,
}

fn workspace() -> Workspace {
    Workspace::of(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the repository is a workspace")
}

/// The files of scenarios of a pack: names and texts.
fn scenarios_of(pack: &str) -> Vec<(String, String)> {
    let folder = workspace().root().join("scenarios").join(pack);
    let files = files::walk(&folder, "scenarios", &folder).files.into_iter();
    let files = files.filter(|path| path.components().all(|piece| piece.as_os_str() != "snapshots"));
    let named =
        |path: &std::path::PathBuf| path.strip_prefix(&folder).expect("it lies there").to_string_lossy().into_owned();
    files.map(|path| (named(&path), files::read(&path, "a scenario").expect("it can be read").to_string())).collect()
}

impl Copy {
    /// A copy of a pack.
    pub fn of_pack(pack: &str, format: Format) -> Self {
        let prefix = format!("transitions/{pack}/");
        let files = workspace().pack(pack).expect("it can be read");
        let read = |file: &SourceText| {
            Doc::read(file.name.strip_prefix(&prefix).unwrap_or(&file.name), &file.text).in_format(format)
        };
        let docs: Vec<Doc> = files.iter().map(read).collect();
        let files: Vec<SourceText> = docs.iter().map(Doc::file).collect();
        let documents = Documents::read(&files, &Options::default());
        let (found, registry, _) = load_documents(&documents, Means { automata: &AUTOMATA, both: &in_turn });
        assert!(found.is_empty(), "{}", human(&documents.sources, &found, false));
        let registry = registry.expect("it loads");
        let beside = scenarios_of(pack).into_iter().map(|(name, text)| SourceText::new(name, text)).collect();
        Self { name: format!("{pack} in {}", format.name()), docs, registry, documents, beside, scenarios: false }
    }

    /// A copy of the scenarios of a pack.
    pub fn of_scenarios(pack: &str, format: Format) -> Self {
        let copy = Self::of_pack(pack, Format::Toml);
        let docs = scenarios_of(pack).iter().map(|(name, text)| Doc::read(name, text).in_format(format)).collect();
        Self { name: format!("scenarios of {pack} in {}", format.name()), docs, scenarios: true, ..copy }
    }

    /// What everything that a step depends on comes to.
    pub fn fingerprint(&self) -> &str {
        &self.registry.pack().fingerprint
    }

    /// All that is found in it without a mistake, in words.
    pub fn findings(&self) -> String {
        let scenarios: Vec<SourceText> = self.docs.iter().map(Doc::file).collect();
        let found = audit_documents(Some(&self.documents), &scenarios, &Config::default(), &AUTOMATA);
        human(&found.sources, &found.diagnostics, false)
    }

    /// All mistakes that can be made in it.
    pub fn mistakes_of_pack(&self) -> Vec<Mistake> {
        let mut all = self.each(pack::mistakes);
        all.extend(renamed::deletions(&self.docs));
        all
    }

    /// All mistakes that can be made in its scenarios.
    pub fn mistakes_of_scenarios(&self) -> Vec<Mistake> {
        self.each(scenes::mistakes)
    }

    fn each(&self, made: impl Fn(&segue::model::Pack, &Doc) -> Vec<Mistake>) -> Vec<Mistake> {
        let of = |(at, doc): (usize, &Doc)| {
            let made = made(self.registry.pack(), doc);
            made.into_iter().map(move |mistake| Mistake { doc: at, ..mistake }).collect::<Vec<_>>()
        };
        self.docs.iter().enumerate().flat_map(of).collect()
    }

    /// Makes a mistake and looks for it; in a pack with all that an audit does, or only as far as loading goes.
    pub fn judge(&self, mistake: &Mistake, audited: bool) -> Result<(), String> {
        let doc = &self.docs[mistake.doc];
        let text = mistake.applied(&doc.text);
        if self.scenarios {
            let (sources, found) = self.scenario(&doc.name, &text, doc.format);
            return self.judged(mistake, doc, &sources, &found);
        }
        let documents = self.documents.with(&[SourceText::new(doc.name.as_str(), text)]);
        if audited {
            let audit = audit_documents(Some(&documents), &self.beside[..2], &Config::default(), &AUTOMATA);
            let found: Vec<Diagnostic> = audit.diagnostics.into_iter().filter(|d| d.code != Code::NoScenario).collect();
            return self.judged(mistake, doc, &audit.sources, &found);
        }
        let (found, pack) = documents.declared();
        if let Some(pack) = pack {
            let matcher = check(&pack, &AUTOMATA, &in_turn, &found);
            if let Some(Err(errors)) = (!found.has_errors()).then(|| Registry::compile_with(pack, matcher)) {
                let nowhere = Span { file: FileId(0), start: 0, end: 0 };
                found.extend(errors.into_iter().map(|error| {
                    Diagnostic::error(error.code, error.span.unwrap_or(nowhere), error.message).help_opt(error.help)
                }));
            }
        }
        self.judged(mistake, doc, &documents.sources, &found.into_sorted())
    }

    /// What is found in one file of scenarios; the pack is not loaded anew.
    fn scenario(&self, name: &str, text: &str, format: Format) -> (SourceMap, Vec<Diagnostic>) {
        let mut sources = SourceMap::default();
        let out = Diagnostics::new();
        let parsed = parse(sources.add(name, text), text, format);
        out.extend(parsed.problems);
        for scenario in &parsed.scenarios {
            match script(&self.registry, scenario) {
                Ok(script) => _ = lint(&self.registry, scenario, &script, &out),
                Err(found) => out.extend(found),
            }
        }
        (sources, out.into_sorted())
    }

    fn judged(&self, mistake: &Mistake, doc: &Doc, sources: &SourceMap, found: &[Diagnostic]) -> Result<(), String> {
        let (first, last) = mistake.lines(&doc.text);
        let fail = |why: &str| {
            let text = mistake.applied(&doc.text);
            let line = text.lines().nth(first - 1).unwrap_or_default();
            let shown = human(sources, &found[..found.len().min(4)], false);
            let head = format!("{}: {why}: {} in {}:{first}", self.name, mistake.kind, doc.name);
            let cut = |text: &str| text.chars().take(60).collect::<String>();
            let edit = format!("{:?} -> {:?}", cut(&doc.text[mistake.from.clone()]), cut(&mistake.to));
            Err(format!("{head}: {edit}\n  | {}\n{shown}", line.chars().take(400).collect::<String>()))
        };
        if found.is_empty() {
            return fail("it is not found");
        }
        let place = |span: Span| (sources.name(span.file), sources.start(span).line);
        let here = |span: Span| place(span).0 == doc.name && (first..=last).contains(&place(span).1);
        let at = |d: &Diagnostic| match &mistake.want {
            Want::Edited => here(d.primary.span),
            Want::Labelled => here(d.primary.span) || d.secondary.iter().any(|label| here(label.span)),
            Want::Lines(lines) => place(d.primary.span).0 == doc.name && lines.contains(&place(d.primary.span).1),
            Want::Refers(word) => std::iter::once(&d.primary).chain(&d.secondary).any(|label| {
                let line = sources.text(label.span.file).lines().nth(sources.start(label.span).line - 1);
                let mut words = line.unwrap_or_default().split(|c: char| !c.is_alphanumeric() && c != '_');
                words.any(|piece| piece == word)
            }),
        };
        if !found.iter().any(at) {
            return fail("it is found elsewhere");
        }
        if !mistake.codes.is_empty() && !found.iter().any(|d| at(d) && mistake.codes.contains(&d.code.slug())) {
            return fail("it is found as something else");
        }
        if found.iter().any(|d| d.help.is_none()) {
            return fail("what to write instead is not said");
        }
        // A misspelt key is no missing one; but a section in one of its many headers takes the table that the others have apart.
        let coded = |codes: &[Code]| found.iter().filter(|d| codes.contains(&d.code)).count();
        if mistake.kind.contains("misspelt")
            && mistake.kind != "misspelt section"
            && coded(&[Code::UnknownKey]) > 0
            && coded(&[Code::MissingKey, Code::MissingPart]) > 0
        {
            return fail("it is found as a key too many and as one too few");
        }
        if found.len() > TOGETHER && !mistake.many || found.len() > 1 && mistake.alone {
            return fail(&format!("there are {} findings", found.len()));
        }
        Ok(())
    }
}
