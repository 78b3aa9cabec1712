//! Snapshots: kept transcripts, in the form of insta's `.snap` files, and how a transcript is held against one.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use icu_normalizer::ComposingNormalizerBorrowed;
use similar::TextDiff;

use crate::diag::{Code, Diagnostic};
use crate::source::Span;

/// Slugs are cut after this many bytes: file systems take 255 for a whole name.
const LONGEST: usize = 150;
/// So are the stems of scenario files.
const LONGEST_STEM: usize = 75;

/// The text of a snapshot file. The header is for people; comparison ignores it.
#[must_use]
pub fn file(source: &str, description: &str, fingerprint: &str, transcript: &str) -> String {
    let source = serde_json::Value::from(source);
    let description = serde_json::Value::from(description);
    format!("---\nsource: {source}\ndescription: {description}\nregistry: {fingerprint}\n---\n{transcript}")
}

/// The transcript in a snapshot file: what follows the header.
#[must_use]
pub fn contents(file: &str) -> String {
    let text = file.replace("\r\n", "\n");
    let body = text.strip_prefix("---\n").and_then(|rest| {
        let end = if rest.starts_with("---\n") { Some(0) } else { rest.find("\n---\n").map(|at| at + 1) };
        end.map(|at| rest[at + 4..].to_owned())
    });
    body.unwrap_or(text)
}

/// Whether a snapshot file holds this transcript; blank lines at either end do not count, as with insta.
#[must_use]
pub fn matches(file: &str, transcript: &str) -> bool {
    let trim = |text: &str| text.trim_start_matches(['\n', '\r']).trim_end().to_owned();
    trim(&contents(file)) == trim(transcript)
}

/// The lines that differ, with three lines round them; `-` is the snapshot, `+` the transcript.
#[must_use]
pub fn diff(file: &str, transcript: &str) -> String {
    let old = format!("{}\n", contents(file).trim());
    let new = format!("{}\n", transcript.trim());
    TextDiff::from_lines(old.as_str(), new.as_str()).unified_diff().context_radius(3).to_string()
}

/// The names of the snapshots of one file's scenarios, without the ending: `<stem>__<slug>`. Names that come out alike
/// get a digest of the scenario's name, so that each has its own whatever the order.
#[must_use]
pub fn names(stem: &str, scenarios: &[&str]) -> Vec<String> {
    let stem = short(stem);
    let slugs: Vec<(String, bool)> = scenarios.iter().map(|name| slug(name)).collect();
    let name = |index: usize| {
        let (slug, whole) = &slugs[index];
        let shared = slugs.iter().enumerate().any(|(at, (other, _))| at != index && other == slug);
        if *whole && !shared {
            format!("{stem}__{slug}")
        } else {
            format!("{stem}__{slug}_{:08x}", digest(scenarios[index]))
        }
    };
    (0..slugs.len()).map(name).collect()
}

/// The names of snapshots that scenarios have taken, by their folder and name, or their path.
#[derive(Debug)]
pub struct Taken<K>(BTreeMap<K, (String, Span)>);

impl<K> Default for Taken<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord> Taken<K> {
    /// Takes a snapshot for the scenario at a place of a file. Where a scenario of another file has it already that is an error.
    pub fn take(&mut self, snapshot: K, file: &str, scenario: Span) -> Option<Diagnostic> {
        match self.0.entry(snapshot) {
            Entry::Vacant(slot) => {
                slot.insert((file.to_owned(), scenario));
                None
            }
            Entry::Occupied(slot) if slot.get().0 == file => None,
            Entry::Occupied(slot) => {
                let (other, first) = slot.get();
                let message = format!("the scenario and one in {other} would share a snapshot");
                let found = Diagnostic::error(Code::DuplicateName, scenario, message);
                Some(found.also(*first, "the other one").help("rename one of the files or scenarios"))
            }
        }
    }
}

/// The stem of a scenario file as the names of its snapshots begin; one that is cut gets a digest.
#[must_use]
pub fn short(stem: &str) -> String {
    if stem.len() <= LONGEST_STEM {
        return stem.to_owned();
    }
    format!("{}_{:08x}", &stem[..stem.floor_char_boundary(LONGEST_STEM)], digest(stem))
}

/// Letters and digits of any script, lower case, with `_` for all else; and whether nothing had to be cut.
fn slug(name: &str) -> (String, bool) {
    let composed = ComposingNormalizerBorrowed::new_nfc().normalize(name);
    let mut slug = String::new();
    for c in composed.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.ends_with('_') && !slug.is_empty() {
            slug.push('_');
        }
    }
    let whole = slug.trim_end_matches('_');
    let end = whole.floor_char_boundary(LONGEST);
    (whole[..end].trim_end_matches('_').to_owned(), end == whole.len() && end > 0)
}

/// FNV-1a: short, and the same everywhere and for ever.
fn digest(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_readable_and_unique() {
        let long = "ы".repeat(300);
        let names = names("T2", &["а на март 2020: the period!", "A, b", "a b", "???", "", &long]);
        assert_eq!(names[0], "T2__а_на_март_2020_the_period");
        assert!(names[1].starts_with("T2__a_b_") && names[1] != names[2], "{names:?}");
        assert!(names.iter().all(|name| name.len() < 200 && !name.contains(['/', '.', ' '])), "{names:?}");
        let mut once = names.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), names.len());
    }

    #[test]
    fn names_fit_a_file_system() {
        let (stem, slug) = ("ж".repeat(125), "ы".repeat(300));
        let names = [names(&stem, &[&slug])[0].clone(), names(&format!("{stem}x"), &[&slug])[0].clone()];
        assert!(names.iter().all(|name| name.len() + ".snap.new".len() <= 255), "{names:?}");
        assert!(names.iter().all(|name| name.starts_with(&"ж".repeat(37))) && names[0] != names[1], "{names:?}");
    }

    #[test]
    fn the_header_is_left_out_of_comparison() {
        let file = file("scenarios/a.yaml", "a: \"b\"", "0123", "one\ntwo\n");
        assert!(matches(&file, "one\ntwo"));
        assert!(matches(&file.replace('\n', "\r\n"), "one\ntwo\n"));
        assert!(!matches(&file, "one\n two"));
        assert_eq!(contents("no header"), "no header");
        assert_eq!(diff(&file, "one\nthree\n"), "@@ -1,2 +1,2 @@\n one\n-two\n+three\n");
    }
}
