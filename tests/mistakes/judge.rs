//! Copies of packs and scenarios, and whether a mistake in one is found.

use std::path::Path;

use segue::audit::{Config, audit};
use segue::declare::{Options, SourceText};
use segue::diag::{Diagnostic, Diagnostics};
use segue::load::load;
use segue::registry::Registry;
use segue::report::human;
use segue::scenario::{lint::lint, parse, script};
use segue::source::{SourceMap, Span};
use segue::syntax::Format;
use segue::workspace::{Workspace, files};

use super::body::Doc;
use super::edit::{Mistake, Want};
use super::{pack, scenes};

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
    files: Vec<SourceText>,
    scenarios: bool,
}

fn workspace() -> Workspace {
    Workspace::of(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the repository is a workspace")
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
        let loaded = load(&files, &Options::default());
        assert!(loaded.diagnostics.is_empty(), "{}", human(&loaded.sources, &loaded.diagnostics, false));
        let registry = loaded.registry.expect("it loads");
        Self { name: format!("{pack} in {}", format.name()), docs, registry, files, scenarios: false }
    }

    /// A copy of the scenarios of a pack.
    pub fn of_scenarios(pack: &str, format: Format) -> Self {
        let copy = Self::of_pack(pack, Format::Toml);
        let folder = workspace().root().join("scenarios").join(pack);
        let mut docs = Vec::new();
        for path in files::walk(&folder, "scenarios", &folder).files {
            if path.components().any(|piece| piece.as_os_str() == "snapshots") {
                continue;
            }
            let text = files::read(&path, "a scenario").expect("it can be read");
            let name = path.strip_prefix(&folder).expect("it lies there").to_string_lossy().into_owned();
            docs.push(Doc::read(&name, &text).in_format(format));
        }
        Self { name: format!("scenarios of {pack} in {}", format.name()), docs, scenarios: true, ..copy }
    }

    /// What everything that a step depends on comes to.
    pub fn fingerprint(&self) -> &str {
        &self.registry.pack().fingerprint
    }

    /// All that is found in it without a mistake, in words.
    pub fn findings(&self) -> String {
        let scenarios: Vec<SourceText> = self.docs.iter().map(Doc::file).collect();
        let found = audit(&self.files, &scenarios, &Config::default());
        human(&found.sources, &found.diagnostics, false)
    }

    /// All mistakes that can be made in it.
    pub fn mistakes_of_pack(&self) -> Vec<Mistake> {
        let mut all = self.each(pack::mistakes);
        all.extend(pack::deletions(&self.docs));
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

    /// Makes a mistake and looks for it.
    pub fn judge(&self, mistake: &Mistake) -> Result<(), String> {
        let doc = &self.docs[mistake.doc];
        let text = mistake.applied(&doc.text);
        if self.scenarios {
            let (sources, found) = self.scenario(&doc.name, &text, doc.format);
            return self.judged(mistake, doc, &sources, &found);
        }
        let mut files = self.files.clone();
        files[mistake.doc].text = text;
        let loaded = load(&files, &Options::default());
        self.judged(mistake, doc, &loaded.sources, &loaded.diagnostics)
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
        if found.len() > TOGETHER && !mistake.many {
            return fail(&format!("there are {} findings", found.len()));
        }
        Ok(())
    }
}
