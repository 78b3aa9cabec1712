//! Each Rust file opens with one line that says what lives there, and is short enough to read in one sitting.

use super::Finding;
use crate::tree::TextFile;

/// The most lines of a Rust file.
pub const MAX_LINES: usize = 700;

/// Checks the heads and sizes of Rust files.
pub fn check(files: &[TextFile], findings: &mut Vec<Finding>) {
    for file in files.iter().filter(|file| file.path.ends_with(".rs")) {
        if !file.text.starts_with("//! ") {
            findings.push(Finding::new(file, 1, "a Rust file opens with one `//!` line that says what lives there"));
        }
        let lines = file.text.lines().count();
        if lines > MAX_LINES {
            findings.push(Finding::new(
                file,
                MAX_LINES + 1,
                format!("{lines} lines, more than {MAX_LINES}: split the file"),
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headless_and_long_files_are_found() {
        let long = format!("//! Long.\n{}", "// line\n".repeat(MAX_LINES));
        let files =
            [TextFile::new("a.rs", "use x;"), TextFile::new("b.rs", &long), TextFile::new("c.rs", "//! Good.\n")];
        let mut findings = Vec::new();
        check(&files, &mut findings);
        assert_eq!(
            findings.iter().map(|f| (f.file.as_str(), f.line)).collect::<Vec<_>>(),
            [("a.rs", 1), ("b.rs", 701)]
        );
    }
}
