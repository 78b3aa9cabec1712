//! Each link of a Markdown file to a file of the repository, and to a heading of one, leads somewhere.

use super::{Finding, line_of};
use crate::tree::TextFile;

/// Checks the links of all Markdown files.
pub fn check(files: &[TextFile], findings: &mut Vec<Finding>) {
    for file in files.iter().filter(|file| file.path.ends_with(".md")) {
        let prose = without_code(&file.text);
        for (at, _) in prose.match_indices("](") {
            let target = prose[at + 2..].split([')', '\n', ' ']).next().unwrap_or_default();
            if let Some(problem) = broken(files, file, target) {
                findings.push(Finding::new(file, line_of(&prose, at), problem));
            }
        }
    }
}

fn broken(files: &[TextFile], from: &TextFile, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let path = if path.is_empty() { from.path.clone() } else { resolved(&from.path, path) };
    let inside = format!("{}/", path.trim_end_matches('/'));
    match files.iter().find(|file| file.path == path) {
        None if files.iter().any(|file| file.path.starts_with(&inside)) => None,
        None => Some(format!("the link leads to `{path}`, which does not exist")),
        Some(file)
            if !heading.is_empty() && path.ends_with(".md") && !headings(&file.text).iter().any(|h| h == heading) =>
        {
            Some(format!("`{path}` has no heading `#{heading}`"))
        }
        Some(_) => None,
    }
}

/// A relative target seen from the file that names it.
fn resolved(from: &str, target: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// The anchors of all headings, as GitHub writes them.
fn headings(text: &str) -> Vec<String> {
    let prose = without_code(text);
    let lines = text.lines().zip(prose.lines()).filter(|(_, kept)| kept.starts_with('#')).map(|(line, _)| line);
    lines.map(|line| anchor(line.trim_start_matches('#').trim())).collect()
}

fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The text with fenced blocks and code spans blanked, byte for byte.
fn without_code(text: &str) -> String {
    let (mut fenced, mut prose) = (false, String::with_capacity(text.len()));
    for line in text.split_inclusive('\n') {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        let mut span = false;
        for c in line.chars() {
            span ^= c == '`' && !fence && !fenced;
            if c == '\n' || !(fence || fenced || span || c == '`') {
                prose.push(c);
            } else {
                prose.extend(std::iter::repeat_n(' ', c.len_utf8()));
            }
        }
    }
    prose
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_links_are_found() {
        let text = "# The `one` way\n[a](../src/a.rs) [b](b.md#the-one-way) [c](#the-one-way) [d](https://x.example/) [e](../src)\n\
                    [f](f.md) `[g](g.md)` [h](b.md#nowhere)\n```\n[i](i.md)\n```\n";
        let files = [TextFile::new("docs/a.md", text), TextFile::new("docs/b.md", text), TextFile::new("src/a.rs", "")];
        let mut findings = Vec::new();
        check(&files, &mut findings);
        assert_eq!(findings.len(), 4, "{findings:?}");
        assert!(findings.iter().all(|finding| finding.line == 3));
    }
}
