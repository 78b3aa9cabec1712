//! `docs/transitions*.md`: the transition table of each pack and the scenarios of each class, written from the data files.

use std::collections::BTreeSet;
use std::path::Path;

use crate::tree::{self, TextFile};

mod page;
mod read;
mod short;

/// The directory of the packs.
const PACKS: &str = "transitions/";

/// The directory of their scenarios.
const SCENARIOS: &str = "scenarios/";

/// How the path of a page begins.
const PAGES: &str = "docs/transitions";

/// Writes the pages.
///
/// # Errors
/// Files that cannot be read as a pack or as scenarios, or a page that cannot be written; in words.
pub fn write(root: &Path) -> Result<String, String> {
    let pages = generate(&tree::read(root))?;
    for page in &pages {
        tree::write(root, &page.path, &page.text).map_err(|error| format!("{}: {error}", page.path))?;
    }
    Ok(format!("wrote {}", paths(&pages)))
}

/// Says whether the pages are up to date.
///
/// # Errors
/// A page that is missing or differs, with the first line that does, or one that is of no pack.
pub fn check(files: &[TextFile]) -> Result<String, String> {
    let due = generate(files)?;
    for page in &due {
        let kept = files.iter().find(|file| file.path == page.path).map_or("", |file| &file.text);
        if kept != page.text {
            let same = kept.lines().zip(page.text.lines()).take_while(|(a, b)| a == b).count();
            let path = &page.path;
            return Err(format!("{path} differs from the pack at line {}: run `cargo xtask transitions`", same + 1));
        }
    }
    let of_none = |file: &&TextFile| file.path.starts_with(PAGES) && due.iter().all(|page| page.path != file.path);
    match files.iter().find(of_none) {
        Some(file) => Err(format!("{} is the page of no pack: remove it", file.path)),
        None => Ok(format!("{}: up to date", paths(&due))),
    }
}

/// The page of each pack, by the name of the pack: `docs/transitions.md` for the pack that is meant where none is named,
/// `docs/transitions-NAME.md` for another.
///
/// # Errors
/// Files that cannot be read as a pack or as scenarios, in words.
pub fn generate(files: &[TextFile]) -> Result<Vec<TextFile>, String> {
    let meant = read::meant(files)?;
    let below = files.iter().filter_map(|file| file.path.strip_prefix(PACKS)?.split_once('/'));
    let names: BTreeSet<&str> = below.map(|(name, _)| name).collect();
    let one = |name: &str| {
        let pack = read::pack(files, &format!("{PACKS}{name}/"))?;
        let scenarios = read::scenarios(files, &format!("{SCENARIOS}{name}/"))?;
        let path = if name == meant { format!("{PAGES}.md") } else { format!("{PAGES}-{name}.md") };
        Ok(TextFile::new(&path, &page::page(&pack, &scenarios)))
    };
    names.into_iter().map(one).collect()
}

fn paths(pages: &[TextFile]) -> String {
    pages.iter().map(|page| page.path.as_str()).collect::<Vec<_>>().join(", ")
}
