//! The program itself, run in a workspace of its own.
#![expect(clippy::disallowed_methods, reason = "workspaces are made and the program is started")]
#![allow(dead_code, reason = "each test program uses its part")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use snapbox::cmd::{Command, OutputAssert, cargo_bin};
use tempfile::TempDir;

/// A copy of the small pack's workspace.
pub struct Mini(TempDir);

impl Mini {
    pub fn new() -> Self {
        Self::of("mini")
    }

    /// A copy of another workspace of the tests.
    pub fn of(fixture: &str) -> Self {
        let own = Self(TempDir::new().expect("a folder"));
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(fixture), own.0.path());
        own
    }

    /// A folder of its own with nothing in it.
    pub fn empty() -> Self {
        Self(TempDir::new().expect("a folder"))
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    pub fn write(&self, below: &str, text: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(below).parent().expect("a folder")).expect("a folder");
        fs::write(self.path(below), text).expect("written");
    }

    pub fn edit(&self, below: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(below)).expect("a file");
        assert!(text.contains(from), "{from} in {below}");
        self.write(below, text.replace(from, to));
    }

    /// Runs the program in the workspace, in CI.
    pub fn run(&self, args: &[&str]) -> OutputAssert {
        self.command(args).env("CI", "true").assert()
    }

    /// Runs the program in the workspace, on a developer's machine.
    pub fn at_home(&self, args: &[&str]) -> OutputAssert {
        self.command(args).env_remove("CI").assert()
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let timeout = std::time::Duration::from_secs(60);
        Command::new(cargo_bin!("segue")).args(args).current_dir(self.0.path()).env("COLUMNS", "100").timeout(timeout)
    }

    /// Every file below the workspace with its text.
    pub fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut all = Vec::new();
        list(self.0.path(), &mut all);
        all.sort();
        all
    }
}

fn list(folder: &Path, all: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { list(&path, all) } else { all.push((path.clone(), fs::read(&path).expect("a file"))) }
    }
}

pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let to = to.join(path.file_name().expect("a name"));
        if path.is_dir() { copy(&path, &to) } else { fs::copy(&path, &to).map(|_| ()).expect("copied") }
    }
}

pub fn out(run: &OutputAssert) -> String {
    String::from_utf8(run.get_output().stdout.clone()).expect("UTF-8")
}

pub fn err(run: &OutputAssert) -> String {
    String::from_utf8(run.get_output().stderr.clone()).expect("UTF-8")
}

pub fn document(run: &OutputAssert) -> Value {
    serde_json::from_str(&out(run)).expect("one JSON document")
}

/// What a check finds, a line each: file, place, message and help.
pub fn told(mini: &Mini) -> Vec<String> {
    let document = document(&mini.run(&["check", "--format", "json"]).stderr_eq(""));
    let found = document["diagnostics"].as_array().expect("findings").iter().map(|found| {
        let start = &found["range"]["start"];
        let text = |key: &str| found[key].as_str().unwrap_or_default();
        let (line, column) = (&start["line"], &start["column"]);
        format!("{}:{line}:{column} {} -> {}", text("file"), text("message"), text("help"))
    });
    found.collect()
}
