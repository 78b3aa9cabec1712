//! A copy of a pack or of its scenarios in one format, as texts with the trees that were read out of them.

use segue::declare::SourceText;
use segue::diag::Diagnostics;
use segue::source::{SourceMap, Span};
use segue::syntax::{Entry, Format, Kind, Node, parse};

/// A file and what it holds.
pub struct Doc {
    /// Its name, relative to its pack or to the scenarios of it.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Its format.
    pub format: Format,
    /// All places in it, the root first, each after the one that it lies in.
    pub sites: Vec<Site>,
}

/// A place in a document: a value with the way to it.
#[derive(Debug, Clone)]
pub struct Site {
    /// The way to it; an item of a list is `[]`. A file with one class or one scenario
    /// reads as if it stood in a list.
    pub path: Vec<String>,
    /// The place of its key, where it has one.
    pub key: Option<Span>,
    /// The value.
    pub node: Node,
    /// The place that it lies in.
    pub parent: Option<usize>,
}

impl Site {
    /// The key that it stands under.
    pub fn name(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }

    /// Whether the way to it is such a one: `*` is any one piece, `**` any number of them.
    pub fn is(&self, pattern: &str) -> bool {
        let pattern: Vec<&str> = pattern.split('/').collect();
        fits(&self.path, &pattern)
    }

    /// Whether the way to it is one of these.
    pub fn is_any(&self, patterns: &[&str]) -> bool {
        patterns.iter().any(|pattern| self.is(pattern))
    }

    /// The text that stands here.
    pub fn text(&self) -> Option<&str> {
        match &self.node.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The entries of the table that stands here.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        let table = match &self.node.kind {
            Kind::Table(table) => Some(table),
            _ => None,
        };
        table.into_iter().flatten()
    }
}

fn fits(path: &[String], pattern: &[&str]) -> bool {
    match (path, pattern) {
        (_, ["**", rest @ ..]) => (0..=path.len()).any(|from| fits(&path[from..], rest)),
        ([], []) => true,
        ([first, path @ ..], [piece, pattern @ ..]) => (*piece == "*" || first == piece) && fits(path, pattern),
        _ => false,
    }
}

impl Doc {
    /// Reads a text that has nothing wrong.
    pub fn read(name: &str, text: &str) -> Self {
        let format = Format::of_path(name).expect("a format");
        let out = Diagnostics::new();
        let root = parse(SourceMap::default().add(name, text), text, format, &out).expect("a tree");
        assert!(out.is_empty(), "{name}: {out:?}");
        let has = |key: &str| matches!(&root.kind, Kind::Table(table) if table.get(key).is_some());
        let list = if has("id") { Some("transition") } else { has("scenario").then_some("scenarios") };
        let path = list.map_or_else(Vec::new, |list| vec![list.to_owned(), "[]".to_owned()]);
        let mut doc = Self { name: name.to_owned(), text: text.to_owned(), format, sites: Vec::new() };
        doc.add(Site { path, key: None, node: root, parent: None });
        doc
    }

    fn add(&mut self, site: Site) {
        let at = self.sites.len();
        let (path, node) = (site.path.clone(), site.node.clone());
        self.sites.push(site);
        let below = |piece: &str| path.iter().cloned().chain([piece.to_owned()]).collect();
        match node.kind {
            Kind::Table(table) => {
                for entry in &table {
                    let (path, key) = (below(&entry.key), Some(entry.key_span));
                    self.add(Site { path, key, node: entry.value.clone(), parent: Some(at) });
                }
            }
            Kind::List(items) => {
                for node in items.iter() {
                    self.add(Site { path: below("[]"), key: None, node: node.clone(), parent: Some(at) });
                }
            }
            _ => {}
        }
    }

    /// The place that a place lies in.
    pub fn parent(&self, site: &Site) -> Option<&Site> {
        site.parent.map(|at| &self.sites[at])
    }

    /// The text of a place.
    pub fn slice(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// The line of a byte, from 1.
    pub fn line(&self, at: usize) -> usize {
        line(&self.text, at)
    }

    /// The file as a pack is made of.
    pub fn file(&self) -> SourceText {
        SourceText::new(self.name.as_str(), self.text.as_str())
    }

    /// The same in another format.
    pub fn in_format(&self, format: Format) -> Self {
        if format == self.format {
            return Self::read(&self.name, &self.text);
        }
        let (stem, _) = self.name.rsplit_once('.').expect("an ending");
        let root = &self.sites[0].node;
        let (ending, text) = match format {
            Format::Yaml => ("yaml", super::convert::yaml(root)),
            Format::Toml => ("toml", super::convert::toml(root)),
            Format::Json => ("json", super::convert::json(root)),
        };
        Self::read(&format!("{stem}.{ending}"), &text)
    }
}

/// The line of a byte, from 1.
pub fn line(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1
}
