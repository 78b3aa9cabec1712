//! `schemas/`: the JSON Schemas for editors, written from the shapes of the language.

use std::path::Path;

use segue::schema::{Kind, document};

use crate::tree::{self, TextFile};

/// Where they are.
const FOLDER: &str = "schemas/";

/// Writes the schemas.
///
/// # Errors
/// A schema that cannot be written; in words.
pub fn write(root: &Path) -> Result<String, String> {
    let due = generate();
    for schema in &due {
        tree::write(root, &schema.path, &schema.text).map_err(|error| format!("{}: {error}", schema.path))?;
    }
    Ok(format!("wrote {} schemas to {FOLDER}", due.len()))
}

/// Says whether the schemas are up to date.
///
/// # Errors
/// A schema that is missing or differs, or a file there that is none.
pub fn check(files: &[TextFile]) -> Result<String, String> {
    let due = generate();
    for schema in &due {
        if !files.contains(schema) {
            return Err(format!("{} differs from the language: run `cargo xtask schemas`", schema.path));
        }
    }
    let strange = |file: &&TextFile| file.path.starts_with(FOLDER) && due.iter().all(|schema| schema.path != file.path);
    match files.iter().find(strange) {
        Some(file) => Err(format!("{} is the schema of nothing: remove it", file.path)),
        None => Ok(format!("{FOLDER}: up to date")),
    }
}

/// The schema of each kind of file.
#[must_use]
pub fn generate() -> Vec<TextFile> {
    let one = |kind: &Kind| TextFile::new(&format!("{FOLDER}{}", kind.file()), &document(*kind));
    Kind::ALL.iter().map(one).collect()
}
