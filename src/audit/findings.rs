//! The findings of several audits as one report.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use crate::diag::{Diagnostic, Diagnostics, Label};
use crate::source::{FileId, SourceMap, SourceText, Span};

use super::Audit;

/// The findings of several audits: a file that several of them read stands in it once, and so does what they all say of it.
#[derive(Debug, Default)]
pub struct Findings {
    sources: SourceMap,
    by_name: BTreeMap<String, FileId>,
    diagnostics: Diagnostics,
}

impl Findings {
    /// Takes in the findings of one more audit.
    pub fn add(&mut self, audit: &Audit) {
        self.add_all(&audit.sources, audit.diagnostics.iter().cloned());
    }

    /// Takes in findings in some texts.
    pub fn add_all(&mut self, sources: &SourceMap, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        let ids: Vec<FileId> = sources.files().map(|file| self.file(sources, file)).collect();
        let moved =
            |label: Label| Label { span: Span { file: ids[label.span.file.0 as usize], ..label.span }, ..label };
        self.diagnostics.extend(diagnostics.into_iter().map(|found| Diagnostic {
            primary: moved(found.primary),
            secondary: found.secondary.into_iter().map(moved).collect(),
            ..found
        }));
    }

    /// Takes in a file that cannot be read.
    pub fn add_unread(&mut self, read: &SourceText) {
        if let Some(fault) = &read.fault {
            let mut sources = SourceMap::default();
            let file = sources.add(&read.name, Arc::clone(&read.text));
            self.add_all(&sources, [Diagnostic::unreadable(file, fault)]);
        }
    }

    fn file(&mut self, sources: &SourceMap, file: FileId) -> FileId {
        let name = sources.name(file);
        match self.by_name.get(name) {
            Some(id) if self.sources.text(*id) == sources.text(file) => *id,
            _ => {
                let id = self.sources.share(sources, file);
                self.by_name.insert(name.to_owned(), id);
                id
            }
        }
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// The texts, and all findings in order: by file in the order in which the files came, then by place.
    #[must_use]
    pub fn sorted(self) -> (SourceMap, Vec<Diagnostic>) {
        let mut all = self.diagnostics.into_sorted();
        // What is wrong with a pack is found in those that use it as well. It is told as it is where most is known of it.
        all.sort_by_key(|found| std::cmp::Reverse((found.secondary.len(), found.help.as_ref().map(String::len))));
        let mut told = HashSet::new();
        all.retain(|found| told.insert((found.code, found.severity, found.primary.clone(), found.message.clone())));
        let sorted = Diagnostics::new();
        sorted.extend(all);
        (self.sources, sorted.into_sorted())
    }
}
