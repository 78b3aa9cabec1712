//! The door to files and the environment: nothing else in the library opens it.
#![expect(clippy::disallowed_methods, reason = "this is the door")]

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Problem;
use crate::syntax::{Format, Limits};

/// Folders inside each other, at most.
const DEEPEST: usize = 32;
/// How many files this process has written.
static WRITTEN: AtomicUsize = AtomicUsize::new(0);

/// Files below one folder, at most.
const MOST_FILES: usize = 100_000;

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Missing,
    /// A file.
    File,
    /// A folder.
    Folder,
    /// Something else: a socket, a device, a link that leads nowhere.
    Other,
}

/// What a path leads to; links are followed.
#[must_use]
pub fn kind(path: &Path) -> Kind {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => Kind::File,
        Ok(found) if found.is_dir() => Kind::Folder,
        Ok(_) => Kind::Other,
        Err(_) if fs::symlink_metadata(path).is_ok() => Kind::Other,
        Err(_) => Kind::Missing,
    }
}

/// Reads a text file. `shown` names it in messages.
///
/// # Errors
/// A file that is not there, is no plain file, is too large, or is not UTF-8.
pub fn read(path: &Path, shown: &str) -> Result<String, Problem> {
    let limit = Limits::default().max_bytes as u64;
    match kind(path) {
        Kind::File => {}
        Kind::Folder => return Err(Problem::new(format!("{shown}: is a folder, a file is due here"))),
        Kind::Missing => return Err(Problem::new(format!("{shown}: no such file"))),
        Kind::Other => return Err(Problem::new(format!("{shown}: is no plain file, or a link that leads nowhere"))),
    }
    let failed = |error: &std::io::Error| Problem::new(format!("{shown}: cannot be read: {}", reason(error)));
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|error| failed(&error))?;
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
    if bytes.len() as u64 > limit {
        return Err(Problem::new(format!("{shown}: is larger than the limit of {limit} bytes; split the file")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Problem::new(format!("{shown}: is not UTF-8: the first wrong byte is at offset {at}; save it as UTF-8"))
    })
}

/// The files below a folder, sorted by path. Names that begin with a dot, and folders in `skip`, are left out.
///
/// # Errors
/// A folder that cannot be listed, a link that leads back into its own folders, too many files or levels.
pub fn walk(folder: &Path, shown: &str, skip: &[&str]) -> Result<Vec<PathBuf>, Problem> {
    let mut files = Vec::new();
    let mut above = Vec::new();
    descend(folder, shown, skip, &mut above, &mut files)?;
    files.sort();
    Ok(files)
}

fn descend(
    folder: &Path,
    shown: &str,
    skip: &[&str],
    above: &mut Vec<PathBuf>,
    files: &mut Vec<PathBuf>,
) -> Result<(), Problem> {
    let failed = |error: &std::io::Error| Problem::new(format!("{shown}: cannot be listed: {}", reason(error)));
    let real = fs::canonicalize(folder).map_err(|error| failed(&error))?;
    if above.contains(&real) {
        return Err(Problem::new(format!("{shown}: the link leads back to a folder above it")));
    }
    if above.len() == DEEPEST {
        return Err(Problem::new(format!("{shown}: folders are nested more than {DEEPEST} deep")));
    }
    above.push(real);
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| failed(&error))? {
        entries.push(entry.map_err(|error| failed(&error))?.path());
    }
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let shown = format!("{shown}/{name}");
        if name.starts_with('.') {
            continue;
        }
        match kind(&path) {
            Kind::Folder if skip.contains(&name.as_str()) => {}
            Kind::Folder if Format::of_path(&name).is_some() => {
                return Err(Problem::new(format!("{shown}: is a folder, a file is due under such a name")));
            }
            Kind::Folder => descend(&path, &shown, skip, above, files)?,
            Kind::File | Kind::Other | Kind::Missing => files.push(path),
        }
        if files.len() > MOST_FILES {
            return Err(Problem::new(format!("{shown}: there are more than {MOST_FILES} files below this folder")));
        }
    }
    above.pop();
    Ok(())
}

/// The names of the folders in a folder, sorted; none where it cannot be listed.
#[must_use]
pub fn folders(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    names
}

/// Writes a file whole or not at all; its folder is made where it is missing. Who else writes it at the same time writes
/// it whole too: each writer has a file of its own beside it, hidden, until it is done.
///
/// # Errors
/// What the file system refuses.
pub fn write(path: &Path, shown: &str, text: &str) -> Result<(), Problem> {
    let failed = |error: std::io::Error| Problem::new(format!("{shown}: cannot be written: {}", reason(&error)));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let count = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let beside = path.with_file_name(format!(".segue-{}-{count}.tmp", std::process::id()));
    let written = fs::File::create(&beside)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&beside);
        failed(error)
    })
}

/// Removes a file; one that is not there is no error.
///
/// # Errors
/// What the file system refuses.
pub fn remove(path: &Path, shown: &str) -> Result<(), Problem> {
    if kind(path) == Kind::Missing {
        return Ok(()); // a file system that takes no changes would refuse even this
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Problem::new(format!("{shown}: cannot be removed: {}", reason(&error))))
        }
        _ => Ok(()),
    }
}

/// The folder the program was started in.
///
/// # Errors
/// It is gone or not readable.
pub fn here() -> Result<PathBuf, Problem> {
    std::env::current_dir().map_err(|error| Problem::new(format!("the current folder is unknown: {}", reason(&error))))
}

/// A path with its links followed, or as it is where it leads nowhere.
#[must_use]
pub fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Whether the environment says that this is a CI run, in which nothing is written.
#[must_use]
pub fn in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| !matches!(value.to_str(), Some("" | "0" | "false")))
}

pub(super) fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::PermissionDenied => "permission denied".into(),
        ErrorKind::NotFound => "it is not there".into(),
        ErrorKind::IsADirectory => "it is a folder".into(),
        kind => kind.to_string(),
    }
}
