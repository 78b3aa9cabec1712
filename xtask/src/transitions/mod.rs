//! `docs/transitions.md`: the transition table of the main pack and the scenarios of each class, written from the data files.

use std::path::Path;

use crate::tree::{self, TextFile};

mod page;
mod read;
mod short;

/// The page, from the root.
pub const PAGE: &str = "docs/transitions.md";

/// The directory of the pack.
const PACK: &str = "transitions/assistant/";

/// The directory of its scenarios.
const SCENARIOS: &str = "scenarios/assistant/";

/// Writes the page.
///
/// # Errors
/// Files that cannot be read as a pack or as scenarios, or a page that cannot be written; in words.
pub fn write(root: &Path) -> Result<String, String> {
    let text = generate(&tree::read(root))?;
    tree::write(root, PAGE, &text).map_err(|error| format!("{PAGE}: {error}"))?;
    Ok(format!("wrote {PAGE}"))
}

/// Says whether the page is up to date.
///
/// # Errors
/// A page that is missing or differs, with the first line that does.
pub fn check(root: &Path) -> Result<String, String> {
    let files = tree::read(root);
    let due = generate(&files)?;
    let page = files.iter().find(|file| file.path == PAGE).map_or("", |file| &file.text);
    if page == due {
        return Ok(format!("{PAGE} is up to date"));
    }
    let same = page.lines().zip(due.lines()).take_while(|(a, b)| a == b).count();
    Err(format!("{PAGE} differs from the pack at line {}: run `cargo xtask transitions`", same + 1))
}

/// The text of the page.
///
/// # Errors
/// Files that cannot be read as a pack or as scenarios, in words.
pub fn generate(files: &[TextFile]) -> Result<String, String> {
    let pack = read::pack(files, PACK)?;
    let scenarios = read::scenarios(files, SCENARIOS)?;
    Ok(page::page(&pack, &scenarios))
}
