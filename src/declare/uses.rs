//! Packs that are used and the ports that they serve, as far as they are written in this pack.

use memchr::memmem;

use crate::diag::{Code, Diagnostic, quoted};
use crate::language;
use crate::model::Status;
use crate::model::reason::STATUSES;
use crate::model::uses::Serving;
use crate::source::{SourceText, Span};
use crate::syntax::{Field, Kind, Node};

use super::cx::Cx;
use super::merge::Sections;
use super::paths::text_of;
use super::{Documents, Options};

/// A used pack, as it is written.
#[derive(Debug, Clone)]
pub struct Use {
    /// Its name here, and where that stands.
    pub name: (String, Span),
    /// Its folder, and where that stands.
    pub pack: (String, Span),
    /// Parameters that it is loaded with.
    pub params: Vec<(String, Node)>,
}

impl Documents {
    /// The packs that the pack uses, as far as that can be read.
    #[must_use]
    pub fn uses(&self) -> Vec<Use> {
        let mut found: Vec<Use> = Vec::new();
        for node in self.nodes() {
            let Some(Kind::Table(uses)) = under(node, "uses").map(|node| &node.kind) else { continue };
            for entry in uses {
                let Some(pack) = under(&entry.value, "pack") else { continue };
                let Some(folder) = text_of(pack).filter(|folder| is_folder(folder)) else { continue };
                if found.iter().any(|of| of.name.0 == entry.key) {
                    continue; // said where sections are merged
                }
                let params = match under(&entry.value, "param").map(|node| &node.kind) {
                    Some(Kind::Table(table)) => {
                        table.iter().map(|entry| (entry.key.to_string(), entry.value.clone())).collect()
                    }
                    _ => Vec::new(),
                };
                found.push(Use {
                    name: (entry.key.to_string(), entry.key_span),
                    pack: (folder.to_owned(), pack.span),
                    params,
                });
            }
        }
        found.sort_by(|a, b| a.name.0.cmp(&b.name.0));
        found
    }
}

/// The folders of the packs that a pack uses or extends, by the texts of its files; each once.
#[must_use]
pub fn used_folders(files: &[SourceText]) -> Vec<String> {
    // Most packs use none, and are read but once.
    let may =
        |file: &&SourceText| file.fault.is_none() && ["uses", "extends"].iter().any(|key| may_hold(&file.text, key));
    let files: Vec<SourceText> =
        files.iter().filter(may).map(|file| SourceText { pack: None, ..file.clone() }).collect();
    if files.is_empty() {
        return Vec::new();
    }
    let documents = Documents::read(&files, &Options::default());
    let mut folders: Vec<String> = documents.uses().into_iter().map(|of| of.pack.0).collect();
    folders.extend(documents.extends().map(str::to_owned));
    folders.sort();
    folders.dedup();
    folders
}

/// Whether a word may stand as a key in a text: not as a piece of another word, and with what follows a key behind it.
fn may_hold(text: &str, key: &str) -> bool {
    memmem::find_iter(text.as_bytes(), key).any(|at| {
        let alone = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
        let behind = text[at + key.len()..].trim_start_matches(['"', '\'']).trim_start();
        alone && behind.starts_with(['.', ']', ':', '='])
    })
}

/// Whether a text names a folder beside another one.
pub(super) fn is_folder(text: &str) -> bool {
    !text.is_empty() && !text.contains(['/', '\\']) && text != "." && text != ".."
}

/// What stands under a key of a table.
pub(super) fn under<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    match &node.kind {
        Kind::Table(table) => table.get(key),
        _ => None,
    }
}

/// Checks `uses` as it is written, and reads `serve`.
pub(super) fn serves(cx: &Cx<'_>, sections: &Sections<'_>) -> Vec<Serving> {
    for item in sections.of("uses") {
        cx.check_form("a used pack", item.name, item.key);
        let Some(table) = cx.table(item.node, "a used pack") else { continue };
        cx.allow(table, &language::USE);
        cx.doc(table);
        if let Some(params) = table.get("param") {
            cx.table(params, "parameters and their values");
        }
        let Some(node) = cx.need(table, item.key, "a used pack", "pack") else { continue };
        if let Some(folder) = cx.word(node).filter(|folder| !is_folder(folder)) {
            cx.out.push(not_beside(folder, node.span));
        }
    }
    let mut serves: Vec<Serving> = Vec::new();
    for serving in sections.serves.iter().filter_map(|node| serving(cx, node)) {
        match serves.iter().find(|other| other.port.0 == serving.port.0) {
            Some(first) => {
                let message = format!("the port {} is served twice", quoted(&serving.port.0));
                let found = Diagnostic::error(Code::DuplicateName, serving.port.1, message);
                cx.out.push(found.also(first.port.1, "served here already").help("keep one of the two"));
            }
            None => serves.push(serving),
        }
    }
    serves
}

/// A text that names no folder beside another one.
pub(super) fn not_beside(folder: &str, span: Span) -> Diagnostic {
    let message = format!("{} is no folder beside that of this pack", quoted(folder));
    let found = Diagnostic::error(Code::BadValue, span, message);
    found.help("write the name of the folder alone, such as `clarification`")
}

fn serving(cx: &Cx<'_>, node: &Node) -> Option<Serving> {
    const WORDS: [(&str, Status); 4] = [
        (STATUSES[0], Status::Ok),
        (STATUSES[1], Status::Failed),
        (STATUSES[2], Status::Timeout),
        (STATUSES[3], Status::Cancelled),
    ];
    let table = cx.table(node, "a served port")?;
    cx.allow(table, &language::SERVE);
    cx.doc(table);
    let word = |key| {
        let node = cx.need(table, node.span, "a served port", key)?;
        cx.word(node).map(|word| (word.to_owned(), node.span))
    };
    let (port, by, event) = (word("port"), word("by"), word("event"));
    let reply = table.entry("reply");
    let mut replies = Vec::new();
    for entry in reply.and_then(|entry| cx.table(&entry.value, "messages and how the call ends")).into_iter().flatten()
    {
        if let Some(status) = Field::new(&entry.value, cx.out).one_of(&WORDS) {
            replies.push((entry.key.to_string(), entry.key_span, status));
        }
    }
    let reply = reply.map(|entry| entry.key_span).or_else(|| cx.meant(table, "reply").map(|node| node.span));
    Some(Serving { port: port?, by: by?, event: event?, replies, reply, span: node.span })
}
