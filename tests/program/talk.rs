//! A chat that goes on, on a store: lines in, a turn out.
#![expect(clippy::disallowed_methods, reason = "the program is started")]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};

use segue::session::{Kept, Store};
use segue::store::{Access, Sqlite};
use serde_json::Value as Json;
use snapbox::cmd::cargo_bin;

use crate::program::Mini;

/// Where sessions are kept, in the workspace.
pub const STORE: &str = "sessions.db";

/// A chat that goes on: lines in, a turn out.
pub struct Talk {
    child: Child,
    lines: ChildStdin,
    turns: BufReader<ChildStdout>,
    told: BufReader<ChildStderr>,
}

impl Talk {
    pub fn new(mini: &Mini, more: &[&str]) -> Self {
        let mut command = Command::new(cargo_bin!("segue"));
        command.args(["chat", "--format", "json", "--store", STORE]).args(more).current_dir(mini.path(""));
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = pipes.spawn().expect("started");
        let lines = child.stdin.take().expect("a pipe");
        let turns = BufReader::new(child.stdout.take().expect("a pipe"));
        let told = BufReader::new(child.stderr.take().expect("a pipe"));
        Self { child, lines, turns, told }
    }

    pub fn write(&mut self, line: &str) {
        writeln!(self.lines, "{line}").expect("written");
    }

    pub fn turn(&mut self) -> Json {
        let mut line = String::new();
        self.turns.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    pub fn say(&mut self, lines: &[&str]) -> Json {
        lines.iter().for_each(|line| self.write(line));
        self.turn()
    }

    /// The next line on standard error that begins so.
    pub fn told(&mut self, begins: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(self.told.read_line(&mut line).expect("a line") > 0, "nothing begins with {begins}");
            if line.starts_with(begins) {
                return line;
            }
        }
    }

    /// SIGKILL, on Unix.
    pub fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("gone");
    }

    /// No more lines come. The exit code, what else was printed, and what stands on standard error.
    pub fn end(mut self) -> (Option<i32>, String, String) {
        drop(self.lines);
        let (mut out, mut err) = (String::new(), String::new());
        self.turns.read_to_string(&mut out).expect("text");
        self.told.read_to_string(&mut err).expect("text");
        (self.child.wait().expect("gone").code(), out, err)
    }
}

pub fn store(mini: &Mini) -> Sqlite {
    Sqlite::open(&mini.path(STORE), Access::Existing).expect("a store")
}

/// The only session that there is.
pub fn only(mini: &Mini) -> Kept {
    let store = store(mini);
    let [head] = &store.list().expect("sessions")[..] else { panic!("one session") };
    store.read(&head.id).expect("a session")
}

/// Waits until something is there that the chat makes.
pub fn until(there: impl Fn() -> bool) {
    while !there() {
        std::thread::yield_now();
    }
}
