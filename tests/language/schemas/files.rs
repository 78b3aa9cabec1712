//! The data files of the repository.

use std::path::{Path, PathBuf};

use segue::declare::contract_name;
use segue::schema::Kind;
use segue::syntax::Format;
use serde_json::json;

use super::edit::{places, with_key};
use super::validator::{Validator, seen};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

struct DataFile {
    path: String,
    format: Format,
    text: String,
}

/// Packs, scenarios and `segue.toml`, by path from the root.
fn data_files() -> Vec<DataFile> {
    fn walk(folder: &Path, into: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() { walk(&entry, into) } else { into.push(entry) }
        }
    }
    let mut paths = vec![Path::new(ROOT).join("segue.toml")];
    walk(&Path::new(ROOT).join("transitions"), &mut paths);
    walk(&Path::new(ROOT).join("scenarios"), &mut paths);
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.strip_prefix(ROOT).expect("below the root").to_str().expect("UTF-8").replace('\\', "/");
        // A contract is a schema of its own.
        let format = Format::of_path(&name).filter(|_| contract_name(&name).is_none())?;
        Some(DataFile { path: name, format, text: std::fs::read_to_string(&path).expect("a text") })
    };
    paths.into_iter().filter_map(read).collect()
}

/// The kind that the comment of a file names, or why it names none.
fn kind(file: &DataFile) -> Result<&'static str, String> {
    let sign = match file.format {
        Format::Toml => "#:schema ",
        _ => "# yaml-language-server: $schema=",
    };
    let first = file.text.lines().next().unwrap_or_default();
    let named = first.strip_prefix(sign).ok_or_else(|| format!("{}: the first line is not `{sign}…`", file.path))?;
    let up = "../".repeat(file.path.matches('/').count());
    let right = |kind: &&Kind| format!("{up}schemas/{}", kind.file()) == named;
    let found = Kind::ALL.iter().find(right).map(|kind| kind.name());
    found.ok_or_else(|| format!("{}: `{named}` is not the path of a schema from here", file.path))
}

#[test]
fn every_data_file_names_its_schema_and_keeps_to_it() {
    let validator = Validator::new();
    let mut wrong = Vec::new();
    let files = data_files();
    assert!(files.len() > 60, "{}", files.len());
    for file in &files {
        let document = seen(file.format, &file.text);
        let due = match file.path.split('/').next() {
            Some("segue.toml") => &["config"][..],
            Some("scenarios") => &["scenario"],
            _ if document.get("id").is_some() => &["transition"],
            _ => &["pack", "state", "lexicon"],
        };
        match kind(file) {
            Ok(kind) if due.contains(&kind) => {
                let faults = validator.faults(kind, &document);
                if !faults.is_empty() {
                    wrong.push(format!("{}: {faults}", file.path));
                }
            }
            Ok(kind) => wrong.push(format!("{}: `{kind}` is not its kind", file.path)),
            Err(why) => wrong.push(why),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Tables whose keys are names that the author chose, by their place: `*` = any one piece, `**` = any pieces.
const FREE: &[&str] = &[
    // Rows have a key for each column, defaults what their type says.
    "/table/*/row/*",
    "/**/default/**",
    "/**/default",
    // Values and their forms.
    "/signal/*/values",
    "/part/*/values",
    "/derive/*/where",
    "/message/*/const",
    "/recording/*/payload",
    "/recording/*/next",
    "/recording/*/reply/*",
    // Within a frame or another head of a condition there are its fields, and so on along the path.
    "/condition/*/*/**",
    "/pack/ended/*/**",
    "/**/when/*/**",
    "/**/then/*/**",
    "/**/requires/*/**",
    "/port/*/check/*/require/*/**",
    "/port/*/read/*/as",
    "/**/entry/*/**",
    "/**/unless/*/**",
    "/**/never/*/*/**",
    "/**/where/*/**",
    // What effects write, calls and messages are given.
    "/**/do/*/*/**",
    "/**/repair/*/*/**",
    // Signals that an alternative sets.
    "/**/any/*/set",
    // The values of the field that an answer goes by.
    "/answer/by/*/*",
    "/transition/*/answer/by/*/*",
    "/bind",
    // Parameters of the pack that is used.
    "/uses/*/param",
    "/carryover/fate",
    "/transition/*/carryover/fate",
    // Payload and signals of an input, fields of a state, arguments, answers, messages.
    "/**/turns/*/user/**",
    "/**/turns/*/select/**",
    "/**/turns/*/query/**",
    "/**/turns/*/confirm/**",
    "/**/turns/*/reject/**",
    "/**/turns/*/clarify/**",
    "/**/turns/*/skip/**",
    "/**/turns/*/abandon/**",
    "/**/turns/*/clear/**",
    "/**/turns/*/open/**",
    "/**/turns/*/new/**",
    "/**/turns/*/exit/**",
    "/**/turns/*/sync_failed/**",
    "/**/turns/*/question/**",
    "/**/turns/*/answer/**",
    "/**/turns/*/cancel/**",
    "/**/turns/*/reformulate/**",
    "/**/turns/*/signals/**",
    "/**/events/*/*/**",
    "/**/given/*/**",
    "/**/state/*/**",
    "/**/with/**",
    "/**/returns/**",
    "/**/messages/*/*/**",
];

fn is_free(pointer: &str) -> bool {
    fn fits(pattern: &[&str], pieces: &[&str]) -> bool {
        match (pattern, pieces) {
            ([], []) => true,
            (["**", rest @ ..], _) => (0..=pieces.len()).any(|skip| fits(rest, &pieces[skip..])),
            (["*", rest @ ..], [_, more @ ..]) => fits(rest, more),
            ([piece, rest @ ..], [first, more @ ..]) => piece == first && fits(rest, more),
            _ => false,
        }
    }
    let pieces: Vec<&str> = pointer.split('/').collect();
    FREE.iter().any(|pattern| fits(&pattern.split('/').collect::<Vec<_>>(), &pieces))
}

/// A key that nothing reads is planted in each table of each file in turn.
#[test]
fn a_key_that_nothing_reads_is_wrong_where_names_are_not_free() {
    let validator = Validator::new();
    let (mut refused, mut missed) = (0, Vec::new());
    for file in data_files() {
        let Ok(kind) = kind(&file) else { continue };
        let document = seen(file.format, &file.text);
        for place in places(&document) {
            // Of many scenarios in one file two are enough.
            let late = place.strip_prefix("/scenarios/").is_some_and(|rest| !rest.starts_with(['0', '1']));
            if late || !document.pointer(&place).is_some_and(|value| value.is_object()) {
                continue;
            }
            let planted = with_key(&document, &place, "zz_unknown", json!(1));
            if !validator.passes(kind, &planted) {
                refused += 1;
            } else if !is_free(&place) {
                missed.push(format!("{}: {place}", file.path));
            }
        }
    }
    assert!(missed.is_empty(), "{} of {refused}:\n{}", missed.len(), missed[..missed.len().min(40)].join("\n"));
    assert!(refused > 2000, "{refused}");
}
