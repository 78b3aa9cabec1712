//! The door to files and the environment: nothing else in the library opens it.
#![expect(clippy::disallowed_methods, reason = "this is the door")]

use std::ffi::OsString;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Problem;
use crate::diag::{hidden, suggest};
use crate::source::{SourceMap, SourceText, Span};
use crate::syntax::{Format, Limits};

/// Folders inside each other, at most.
const DEEPEST: usize = 32;
/// How the hidden file begins and ends that is written beside another one, and then takes its place.
const BESIDE: &str = ".segue-";
const BESIDE_END: &str = ".tmp";
/// How many files this process has written.
static WRITTEN: AtomicUsize = AtomicUsize::new(0);

/// Files and folders below one folder, at most: links can make a few folders look like very many.
const MOST_ENTRIES: usize = 100_000;

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

/// Which file it is that a path leads to, whatever stands in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity(u64, u64);

/// How many bytes are in the file that a path leads to; none where it leads to no file.
#[must_use]
pub fn size(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|found| found.len())
}

/// Which file it is that a path leads to; none where it leads nowhere.
#[must_use]
pub fn identity(path: &Path) -> Option<Identity> {
    let found = fs::metadata(path).ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        Some(Identity(found.dev(), found.ino()))
    }
    // Elsewhere a file that is open is neither removed nor replaced.
    #[cfg(not(unix))]
    found.is_file().then_some(Identity(0, 0))
}

/// Reads a text file. `shown` names it in messages.
///
/// # Errors
/// A file that is not there, is no plain file, is too large, or is not UTF-8.
pub fn read(path: &Path, shown: &str) -> Result<Arc<str>, Problem> {
    let read = source(path, shown);
    let Some(fault) = read.fault else { return Ok(read.text) };
    let mut place = shown.to_owned();
    if !fault.at.is_empty() {
        let mut sources = SourceMap::default();
        let at = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let file = sources.add(shown, Arc::clone(&read.text));
        let found = sources.start(Span { file, start: at(fault.at.start), end: at(fault.at.end) });
        place.push_str(&format!(":{}:{}", found.line, found.column));
    }
    let help = if fault.help.is_empty() { String::new() } else { format!("; {}", fault.help) };
    Err(Problem::new(format!("{place}: {}{help}", fault.message)))
}

/// Reads a text file; why it cannot be read is told with it. `shown` is its name.
#[must_use]
pub fn source(path: &Path, shown: &str) -> SourceText {
    match bytes(path) {
        Ok(bytes) => SourceText::decoded(shown, bytes),
        Err((message, help)) => SourceText::unread(shown, message, help),
    }
}

/// The bytes of a plain file of bounded size, or why there are none and what to do about it. Nothing else is even opened: a
/// pipe would wait for its writer.
fn bytes(path: &Path) -> Result<Vec<u8>, (String, &'static str)> {
    let limit = Limits::default().max_bytes as u64;
    match kind(path) {
        Kind::File => {}
        Kind::Folder => return Err(("this is a folder, a file is due here".into(), "rename or move the folder")),
        Kind::Missing => return Err(("no such file".into(), "")),
        Kind::Other if fs::metadata(path).is_ok() => {
            let message = "this is a pipe, a socket or a device, a plain file is due here";
            return Err((message.into(), "replace it by a plain file, or remove it"));
        }
        Kind::Other => return Err(("the link leads to nothing".into(), "remove the link, or let it lead to a file")),
    }
    let failed = |error: std::io::Error| (format!("the file cannot be read: {}", reason(&error)), remedy(&error));
    let file = fs::File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    let size = file.metadata().map_err(failed)?.len();
    // A file of the kernel has no size before it is read.
    if size <= limit {
        bytes.reserve_exact(usize::try_from(size + 1).unwrap_or_default());
        file.take(limit + 1).read_to_end(&mut bytes).map_err(failed)?;
    }
    if size.max(bytes.len() as u64) > limit {
        return Err((format!("the file is larger than the limit of {limit} bytes"), "split the file"));
    }
    Ok(bytes)
}

/// A path or a name as messages show it: what cannot be seen in it, or would move what stands around it, by its number.
#[must_use]
pub fn visible(name: &str) -> String {
    let mut shown = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_control() || hidden::is_hidden(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// What lies below a folder.
#[derive(Debug, Default)]
pub struct Found {
    /// The files, sorted by path.
    pub files: Vec<PathBuf>,
    /// What cannot be looked into, each under its shown name.
    pub faults: Vec<SourceText>,
    /// How many files and folders were come across.
    entries: usize,
}

/// The files below a folder. Names that begin with a dot are left out. A folder that cannot be listed, one that is named like a file, a
/// link that leads back to a folder above it or to one that is not below `within`, too many files or levels: each is a fault,
/// and all else is found all the same.
#[must_use]
pub fn walk(folder: &Path, shown: &str, within: &Path) -> Found {
    let mut found = Found::default();
    let holds_itself = |above: &Path| real(above).starts_with(real(folder));
    match folder.parent().filter(|above| is_link(folder) && holds_itself(above)) {
        Some(_) => found.faults.push(leads_back(shown)),
        None => descend(folder, shown, within, &mut Vec::new(), &mut found),
    }
    found
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink())
}

fn leads_back(shown: &str) -> SourceText {
    SourceText::unread(shown, "the link leads back to a folder above it", "remove the link")
}

/// Why a link to a folder is not followed, where it is not.
fn unfollowed(link: &Path, shown: &str, within: &Path, above: &[PathBuf]) -> Option<SourceText> {
    let target = real(link);
    if above.iter().any(|above| above.starts_with(&target)) || within.starts_with(&target) {
        return Some(leads_back(shown));
    }
    (!target.starts_with(within)).then(|| {
        let message = "the link leads to a folder elsewhere, which is not looked into";
        SourceText::unread(shown, message, "put the files here, or a link to each of them")
    })
}

fn descend(folder: &Path, shown: &str, within: &Path, above: &mut Vec<PathBuf>, found: &mut Found) {
    let mut fault = |message: String, help: &str| found.faults.push(SourceText::unread(shown, message, help));
    let listed = fs::canonicalize(folder).and_then(|real| Ok((real, fs::read_dir(folder)?)));
    let listed = listed.and_then(|(real, entries)| Ok((real, entries.collect::<std::io::Result<Vec<_>>>()?)));
    let (real, entries) = match listed {
        Ok(listed) => listed,
        Err(error) => return fault(format!("the folder cannot be listed: {}", reason(&error)), remedy(&error)),
    };
    if above.len() == DEEPEST {
        return fault(format!("folders are nested more than {DEEPEST} deep"), "move what lies in it further up");
    }
    above.push(real);
    // In the order of their names, which is that of the paths that come of it.
    let mut entries: Vec<(OsString, &fs::DirEntry)> = entries.iter().map(|entry| (entry.file_name(), entry)).collect();
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    for (name, entry) in &entries {
        let name = name.to_string_lossy();
        if name.starts_with('.') {
            continue;
        }
        let (path, kind) = (entry.path(), kind_of(entry));
        let shown = || format!("{shown}/{}", visible(&name));
        found.entries += 1;
        if found.entries > MOST_ENTRIES {
            if found.entries == MOST_ENTRIES + 1 {
                let message =
                    format!("more than {MOST_ENTRIES} files and folders lie before this one, the rest is not read");
                found.faults.push(SourceText::unread(shown(), message, "keep other files elsewhere"));
            }
            break;
        }
        match kind {
            Kind::Folder if Format::of_path(&name).is_some() => {
                let message = "this is a folder, a file is due under such a name";
                found.faults.push(SourceText::unread(shown(), message, "rename the folder"));
            }
            Kind::Folder => match is_link(&path).then(|| unfollowed(&path, &shown(), within, above)).flatten() {
                Some(fault) => found.faults.push(fault),
                None => descend(&path, &shown(), within, above, found),
            },
            Kind::File | Kind::Other | Kind::Missing => match meant_ending(&name) {
                None => match backup_of(&name).filter(|of| !entries.iter().any(|(name, _)| name == of)) {
                    Some(of) => {
                        let of = visible(of);
                        let message = format!("this is called like a backup of `{of}`, which is not there");
                        let help = format!("name it `{of}`: no file of this name is read; or keep it elsewhere");
                        found.faults.push(SourceText::unread(shown(), &message, &help));
                    }
                    None => found.files.push(path),
                },
                Some((ending, meant)) => {
                    let message = format!("no file is read whose name ends in `.{ending}`");
                    let stem = visible(&name[..name.len() - ending.len()]);
                    found.faults.push(SourceText::unread(shown(), &message, &format!("name it `{stem}{meant}`")));
                }
            },
        }
    }
    above.pop();
}

/// The name of the file that a backup is of, by what people call backups that they make themselves.
fn backup_of(name: &str) -> Option<&str> {
    let of = [".bak", ".old", ".orig"].iter().find_map(|end| name.strip_suffix(end))?;
    Format::of_path(of).map(|_| of)
}

/// The ending of a name that is nearly one of those that are read, and that one: its letters in another order, one of them missing, one too
/// many.
fn meant_ending(name: &str) -> Option<(&str, &'static str)> {
    if Format::of_path(name).is_some() {
        return None;
    }
    let (_, ending) = name.rsplit_once('.')?;
    if !(3..=5).contains(&ending.len()) || !ending.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    let near = ["toml", "yaml"].into_iter().find(|near| ending[..1].eq_ignore_ascii_case(&near[..1]))?;
    suggest(ending, [near]).map(|_| (ending, near))
}

/// What an entry of a folder leads to. Most say so themselves: only links are looked at.
fn kind_of(entry: &fs::DirEntry) -> Kind {
    match entry.file_type() {
        Ok(found) if found.is_file() => Kind::File,
        Ok(found) if found.is_dir() => Kind::Folder,
        _ => kind(&entry.path()),
    }
}

/// The names of the folders in a folder, sorted; none where it cannot be listed.
#[must_use]
pub fn folders(folder: &Path) -> Vec<String> {
    names(folder, |path| path.is_dir())
}

/// The names of what lies directly in a folder and is none, sorted; none where it cannot be listed.
#[must_use]
pub fn files(folder: &Path) -> Vec<String> {
    names(folder, |path| !path.is_dir())
}

fn names(folder: &Path, which: impl Fn(&Path) -> bool) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .filter(|entry| which(&entry.path()))
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
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| place(path, text, None)).map_err(|error| unwritten(shown, &reason(&error)))
}

/// Writes a text file that is there anew, whole or not at all. It keeps its mode; where a link leads to it the link stays.
///
/// # Errors
/// The file is not there or read-only, or what the file system refuses.
pub fn rewrite(path: &Path, shown: &str, text: &str) -> Result<(), Problem> {
    let found = fs::canonicalize(path).and_then(|real| Ok((fs::metadata(&real)?.permissions(), real)));
    let (mode, real) = found.map_err(|error| unwritten(shown, &reason(&error)))?;
    // The folder would let it be replaced all the same.
    if mode.readonly() {
        return Err(unwritten(shown, "it is read-only"));
    }
    place(&real, text, Some(mode)).map_err(|error| unwritten(shown, &reason(&error)))
}

/// Writes files that are not there yet, all or none, and makes their folders. Each has its path, the name that messages show, and its text.
/// The folders that were made, each below the one before it.
///
/// # Errors
/// One of them is there already, or what the file system refuses; what was written and made till then is taken away again.
pub fn create(all: &[(PathBuf, String, String)]) -> Result<Vec<PathBuf>, Problem> {
    let there = |shown: &str| Problem::new(format!("{shown}: is there already, and nothing is overwritten"));
    if let Some((_, shown, _)) = all.iter().find(|(path, ..)| kind(path) != Kind::Missing) {
        return Err(there(shown));
    }
    let mut folders: Vec<PathBuf> = Vec::new();
    for (at, (path, shown, text)) in all.iter().enumerate() {
        let missing = |folder: &&Path| !folder.as_os_str().is_empty() && kind(folder) == Kind::Missing;
        let above: Vec<&Path> = path.ancestors().skip(1).take_while(missing).collect();
        let made = above.into_iter().rev().try_for_each(|folder| {
            fs::create_dir(folder).map(|()| folders.push(folder.to_path_buf())).or_else(|error| match error.kind() {
                ErrorKind::AlreadyExists => Ok(()),
                _ => Err(error),
            })
        });
        let written = made
            .and_then(|()| fs::File::create_new(path))
            .map(|mut file| file.write_all(text.as_bytes()).inspect_err(|_| _ = fs::remove_file(path)));
        let error = match written {
            Ok(Ok(())) => continue,
            Ok(Err(error)) | Err(error) => error,
        };
        for (path, ..) in &all[..at] {
            let _ = fs::remove_file(path);
        }
        // One into which somebody else has put something stays.
        for folder in folders.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
        return Err(match error.kind() {
            ErrorKind::AlreadyExists => there(shown),
            _ => unwritten(shown, &reason(&error)),
        });
    }
    Ok(folders)
}

fn unwritten(shown: &str, reason: &str) -> Problem {
    Problem::new(format!("{shown}: cannot be written: {reason}"))
}

/// How often a file is written beside its place before that is given up.
const TRIES: usize = 3;

fn place(path: &Path, text: &str, mode: Option<fs::Permissions>) -> std::io::Result<()> {
    for _ in 1..TRIES {
        match place_once(path, text, mode.clone()) {
            // Swept away before it was locked.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            placed => return placed,
        }
    }
    place_once(path, text, mode)
}

fn place_once(path: &Path, text: &str, mode: Option<fs::Permissions>) -> std::io::Result<()> {
    let count = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let beside = path.with_file_name(format!("{BESIDE}{}-{count}{BESIDE_END}", std::process::id()));
    let written = fs::File::create(&beside).and_then(|mut file| {
        // While it is locked it is in use. A file system without locks has nothing swept.
        let _ = file.lock();
        file.write_all(text.as_bytes())?;
        mode.map_or(Ok(()), |mode| fs::set_permissions(&beside, mode))?;
        fs::rename(&beside, path)
    });
    written.inspect_err(|_| _ = fs::remove_file(&beside))
}

/// Removes the files that writers have left beside those in a folder, since they were killed: files of such a name that no process
/// has locked. What cannot be removed stays.
pub fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let numbers = |name: &str| name.split('-').all(|number| number.parse::<u32>().is_ok());
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let of_a_writer = name.strip_prefix(BESIDE).and_then(|name| name.strip_suffix(BESIDE_END)).is_some_and(numbers);
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let open = (of_a_writer && is_file).then(|| fs::OpenOptions::new().write(true).open(entry.path()));
        if let Some(Ok(file)) = open
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Adds text at the end of a file, which need not be there yet.
///
/// # Errors
/// What the file system refuses.
pub fn append(path: &Path, text: &str) -> Result<(), Problem> {
    let open = fs::OpenOptions::new().create(true).append(true).open(path);
    let written = open.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| Problem::new(format!("{}: cannot be written: {}", path.display(), reason(&error))))
}

/// The file for the summary of a job, in a workflow of GitHub.
#[must_use]
pub fn step_summary() -> Option<PathBuf> {
    std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// A folder as seen from the root of the repository, empty or ending in `/`; only a workflow of GitHub says where that is.
#[must_use]
pub fn below_repository(folder: &Path) -> String {
    let root = std::env::var_os("GITHUB_WORKSPACE").map(|root| real(Path::new(&root)));
    let below = root.and_then(|root| folder.strip_prefix(root).map(Path::to_path_buf).ok()).unwrap_or_default();
    below.components().map(|piece| format!("{}/", piece.as_os_str().to_string_lossy())).collect()
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

/// The password for a server of PostgreSQL that the environment holds (`PGPASSWORD`), so that it need not stand on a command line.
#[cfg(feature = "postgres")]
#[must_use]
pub fn password() -> Option<String> {
    std::env::var("PGPASSWORD").ok().filter(|password| !password.is_empty())
}

/// What to do about an error, where there is something.
fn remedy(error: &std::io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::PermissionDenied => "give yourself the right to read it",
        _ => "",
    }
}

pub(super) fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::PermissionDenied => "permission denied".into(),
        ErrorKind::NotFound => "it is not there".into(),
        ErrorKind::IsADirectory => "it is a folder".into(),
        kind => kind.to_string(),
    }
}
