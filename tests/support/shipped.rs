//! Copies of the shipped packs with their scenarios, in which something is written differently.

use segue::audit::{Audit, Config, audit};
use segue::declare::SourceText;
use segue::report::short;
use segue::workspace::files;

use super::workspace;

/// A pack with its scenarios; each file by its name in its own folder.
pub struct Shipped {
    /// The files of the pack, and of those that it uses.
    pub files: Vec<SourceText>,
    /// Its scenarios.
    pub scenarios: Vec<SourceText>,
}

impl Shipped {
    /// A copy of a pack.
    pub fn of(pack: &str) -> Self {
        let workspace = workspace();
        let folder = workspace.root().join("scenarios").join(pack);
        let scenarios = files::walk(&folder, "scenarios", &folder).files.into_iter();
        let scenarios = scenarios.filter(|path| path.extension().is_some_and(|end| end == "yaml")).map(|path| {
            let name = path.strip_prefix(&folder).expect("it lies there").to_string_lossy().into_owned();
            SourceText::new(name, files::read(&path, "a scenario").expect("it can be read"))
        });
        let prefix = format!("transitions/{pack}/");
        let mut files = workspace.pack(pack).expect("it can be read");
        files.iter_mut().for_each(|file| file.name = file.name.replacen(&prefix, "", 1));
        Self { files, scenarios: scenarios.collect() }
    }

    /// The same with other text in the first place of a file that holds some.
    #[must_use]
    pub fn edited(mut self, name: &str, from: &str, to: &str) -> Self {
        let mut all = self.files.iter_mut().chain(&mut self.scenarios);
        let file = all.find(|file| file.name == name).unwrap_or_else(|| panic!("no file {name}"));
        assert!(file.text.contains(from), "{from} in {name}");
        file.text = file.text.replacen(from, to, 1).into();
        self
    }

    /// All that is found.
    pub fn audit(&self) -> Audit {
        audit(&self.files, &self.scenarios, &Config::default())
    }

    /// What is found, a line each: place, code and message.
    pub fn short(&self) -> Vec<String> {
        let audit = self.audit();
        short(&audit.sources, &audit.diagnostics).lines().map(str::to_owned).collect()
    }

    /// What is found, a line each: place, message and what to write instead.
    pub fn told(&self) -> Vec<String> {
        let Audit { sources, diagnostics, .. } = self.audit();
        let told = diagnostics.iter().map(|found| {
            let (at, file) = (sources.start(found.primary.span), sources.name(found.primary.span.file));
            let help = found.help.as_deref().unwrap_or_default();
            format!("{file}:{}:{} {} -> {help}", at.line, at.column, found.message)
        });
        told.collect()
    }
}
