//! Reading a pack and its scenarios as plain documents: what is written, before any checking.

use segue::declare::contract_name;
use segue::diag::Diagnostics;
use segue::report;
use segue::source::SourceMap;
use segue::syntax::{self, Format, Kind, Node, Table};
use segue::workspace::MARK;

use crate::tree::TextFile;

/// What the page tells of a pack.
#[derive(Debug)]
pub struct Pack {
    /// The section `[pack]`.
    pub manifest: Table,
    /// The section `[carryover]`.
    pub carryover: Table,
    /// Answer modes.
    pub modes: Vec<Table>,
    /// Named conditions, in the order of their files.
    pub conditions: Vec<(String, Table)>,
    /// Named lists of effects.
    pub blocks: Vec<(String, Table)>,
    /// Classes, by id.
    pub classes: Vec<Table>,
}

/// A scenario by name, with the classes that it covers.
#[derive(Debug)]
pub struct Scenario {
    /// Its file, from the root.
    pub file: String,
    /// Its name.
    pub name: String,
    /// The classes it says it covers.
    pub covers: Vec<String>,
    /// How many turns it has.
    pub turns: usize,
}

/// The name of the pack that is meant where none is named; empty where `segue.toml` does not say.
pub fn meant(files: &[TextFile]) -> Result<String, String> {
    Ok(documents(files, MARK)?.first().map_or("", |(_, document)| text(document, "pack")).to_owned())
}

/// Reads all files of a pack.
pub fn pack(files: &[TextFile], directory: &str) -> Result<Pack, String> {
    let mut pack = Pack {
        manifest: Table::default(),
        carryover: Table::default(),
        modes: Vec::new(),
        conditions: Vec::new(),
        blocks: Vec::new(),
        classes: Vec::new(),
    };
    for (_, document) in documents(files, directory)? {
        if document.get("id").is_some() {
            pack.classes.push(document);
            continue;
        }
        for entry in &document {
            match (entry.key.as_str(), &entry.value.kind) {
                ("pack", Kind::Table(table)) => pack.manifest = table.clone(),
                ("carryover", Kind::Table(table)) => pack.carryover = table.clone(),
                ("answer_mode", Kind::Table(table)) => pack.modes.push(table.clone()),
                ("condition", Kind::Table(table)) => pack.conditions.extend(named(table)),
                ("block", Kind::Table(table)) => pack.blocks.extend(named(table)),
                ("transition", Kind::List(list)) => pack.classes.extend(list.iter().filter_map(table).cloned()),
                _ => {}
            }
        }
    }
    pack.classes.sort_by_key(|class| natural(text(class, "id")));
    Ok(pack)
}

fn named(section: &Table) -> impl Iterator<Item = (String, Table)> {
    section.iter().filter_map(|entry| Some((entry.key.to_string(), table(&entry.value)?.clone())))
}

/// Reads all scenario files.
pub fn scenarios(files: &[TextFile], directory: &str) -> Result<Vec<Scenario>, String> {
    let mut found = Vec::new();
    for (file, document) in documents(files, directory)? {
        match document.get("scenarios").map(|node| &node.kind) {
            Some(Kind::List(list)) => found.extend(list.iter().filter_map(table).map(|one| scenario(&file, one))),
            _ => found.push(scenario(&file, &document)),
        }
    }
    Ok(found)
}

fn scenario(file: &str, table: &Table) -> Scenario {
    Scenario {
        file: file.to_owned(),
        name: text(table, "scenario").to_owned(),
        covers: table.get("covers").map(texts).unwrap_or_default(),
        turns: table.get("turns").map_or(0, |node| items(node).len()),
    }
}

/// The documents of a directory and those below it, by path.
fn documents(files: &[TextFile], directory: &str) -> Result<Vec<(String, Table)>, String> {
    let (mut sources, out, mut found) = (SourceMap::default(), Diagnostics::new(), Vec::new());
    // A contract declares nothing.
    let declares = |file: &&TextFile| file.path.starts_with(directory) && contract_name(&file.path).is_none();
    for file in files.iter().filter(declares) {
        let Some(format) = Format::of_path(&file.path) else { continue };
        let id = sources.add(&file.path, file.text.as_str());
        if let Some(Node { kind: Kind::Table(table), .. }) = syntax::parse(id, &file.text, format, &out) {
            found.push((file.path.clone(), table));
        }
    }
    let diagnostics = out.into_sorted();
    if diagnostics.is_empty() { Ok(found) } else { Err(report::short(&sources, &diagnostics)) }
}

/// `T10` after `T9`: the letters, then the number.
fn natural(id: &str) -> (String, u64, String) {
    let (name, number) = id.split_at(id.find(|c: char| c.is_ascii_digit()).unwrap_or(id.len()));
    (name.to_owned(), number.parse().unwrap_or(u64::MAX), id.to_owned())
}

/// A node as a table.
pub fn table(node: &Node) -> Option<&Table> {
    match &node.kind {
        Kind::Table(table) => Some(table),
        _ => None,
    }
}

/// The table under a key.
pub fn section<'t>(of: &'t Table, key: &str) -> Option<&'t Table> {
    of.get(key).and_then(table)
}

/// The items of a list; a single value counts as one.
pub fn items(node: &Node) -> &[Node] {
    match &node.kind {
        Kind::List(list) => list,
        _ => std::slice::from_ref(node),
    }
}

/// The text under a key; empty where there is none.
pub fn text<'t>(of: &'t Table, key: &str) -> &'t str {
    match of.get(key).map(|node| &node.kind) {
        Some(Kind::Text(text)) => text,
        _ => "",
    }
}

/// The texts of a list, or one text.
pub fn texts(node: &Node) -> Vec<String> {
    items(node)
        .iter()
        .filter_map(|item| if let Kind::Text(text) = &item.kind { Some(text.to_string()) } else { None })
        .collect()
}
