//! The texts of the repository. The one place here that reads files.
#![expect(clippy::disallowed_methods, reason = "chores work on the files of the repository")]

use std::path::Path;

/// A text file by its path from the root, with `/` between the parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFile {
    /// The path from the root.
    pub path: String,
    /// All of its text.
    pub text: String,
}

impl TextFile {
    /// A file that need not exist.
    #[must_use]
    pub fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }
}

/// All text files under the root, by path. Build output, `.git` and pending snapshots are left out, and what is not UTF-8.
#[must_use]
pub fn read(root: &Path) -> Vec<TextFile> {
    let mut files = Vec::new();
    walk(root, "", &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn walk(directory: &Path, prefix: &str, files: &mut Vec<TextFile>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if name == ".git" || (name == "target" && is_directory) || name.ends_with(".snap.new") {
            continue;
        }
        if is_directory {
            walk(&entry.path(), &path, files);
        } else if let Ok(text) = std::fs::read_to_string(entry.path()) {
            files.push(TextFile { path, text });
        }
    }
}

/// Writes a file under the root.
pub(crate) fn write(root: &Path, path: &str, text: &str) -> std::io::Result<()> {
    std::fs::write(root.join(path), text)
}
