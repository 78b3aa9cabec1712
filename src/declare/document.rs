//! One file of a pack, read.

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::{FileId, SourceText, Span};
use crate::syntax::{Format, Kind, Node, parse};

use super::{Documents, contracts};

/// One file as a document.
#[derive(Debug, Clone)]
pub(super) struct Document {
    /// What it holds; nothing where what is wrong moves other things to where they do not belong.
    pub node: Option<Node>,
    /// What is wrong with it.
    pub faults: Vec<Diagnostic>,
    /// The folder of the used pack that it is of.
    pub pack: Option<String>,
    /// Whether it is of a pack that this one extends.
    pub base: bool,
    /// Whether nothing is written in it.
    pub blank: bool,
}

impl Document {
    /// A file that is not looked at.
    pub fn absent() -> Self {
        Self { node: None, faults: Vec::new(), pack: Some(String::new()), base: false, blank: false }
    }

    pub fn read(id: FileId, file: &SourceText) -> Self {
        let pack = file.pack.clone();
        if let Some(fault) = &file.fault {
            return Self {
                node: None,
                faults: vec![Diagnostic::unreadable(id, fault)],
                pack,
                base: false,
                blank: false,
            };
        }
        let Some(format) = Format::of_path(&file.name) else {
            let span = Span { file: id, start: 0, end: 0 };
            let found = Diagnostic::error(Code::UnreadableFile, span, "the file is neither TOML nor YAML");
            return Self {
                node: None,
                faults: vec![found.help("name it `.toml`, `.yaml` or `.yml`")],
                pack,
                base: false,
                blank: false,
            };
        };
        let own = Diagnostics::new();
        let document = match contracts::contract_name(&file.name) {
            Some(name) => contracts::document(name, id, &file.text, &own),
            None => parse(id, &file.text, format, &own),
        };
        // Where nothing but single values is wrong the rest stands where it belongs.
        let faults: Vec<Diagnostic> = own.into_iter().collect();
        let placed = faults.iter().all(|found| matches!(found.code, Code::DuplicateKey | Code::NullValue));
        // One that holds comments may be there for later.
        let blank = file.text.trim_start_matches('\u{feff}').trim().is_empty();
        Self { node: document.filter(|_| placed), faults, pack, base: false, blank }
    }
}

impl Documents {
    /// What is told of files that declare nothing. A manifest that is missing is missed in the first of them.
    pub(super) fn blank(&self) -> impl Iterator<Item = Diagnostic> {
        let all = self.sources.files().zip(&self.read).filter(|(_, of)| of.pack.is_none() && of.blank);
        let has_manifest = |node: &Node| matches!(&node.kind, Kind::Table(table) if table.entry("pack").is_some());
        let missed = usize::from(!self.nodes().any(has_manifest));
        all.skip(missed).map(|(file, _)| {
            let found =
                Diagnostic::error(Code::SaysNothing, Span { file, start: 0, end: 0 }, "the file declares nothing");
            found.help("write what it is to declare, or delete the file")
        })
    }

    /// Whether nothing is written in a file.
    pub(super) fn is_blank(&self, file: FileId) -> bool {
        self.read.get(file.0 as usize).is_some_and(|document| document.blank)
    }
}
