//! `segue chat` on a terminal: lines are edited, and those said before are called back.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "these tests make workspaces and start the program")]

#[path = "support/program.rs"]
mod program;

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use nix::pty::{Winsize, openpty};
use snapbox::cmd::cargo_bin;

use program::Mini;

/// The keys of a terminal that are no letters.
const UP: &str = "\u{1b}[A";
const LEFT: &str = "\u{1b}[D";
const ENTER: &str = "\r";
const BACKSPACE: &str = "\u{7f}";
const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";

/// The program on a terminal of its own.
struct Terminal {
    child: Child,
    keys: File,
    shown: Receiver<Vec<u8>>,
    seen: String,
}

impl Terminal {
    fn new(mini: &Mini) -> Self {
        let size = Winsize { ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(&size, None).expect("a terminal");
        let side = || Stdio::from(pty.slave.try_clone().expect("its other side"));
        let child = Command::new(cargo_bin!("segue"))
            .args(["chat", "--numbered-ids", "--today", "2021-05-10"])
            .current_dir(mini.path(""))
            .env("TERM", "xterm")
            .env("NO_COLOR", "1")
            .stdin(side())
            .stdout(side())
            .stderr(side())
            .spawn()
            .expect("started");
        let keys = File::from(pty.master);
        let mut screen = keys.try_clone().expect("a screen");
        let (sender, shown) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // A terminal whose other side is gone cannot be read.
            while let Ok(read @ 1..) = screen.read(&mut bytes) {
                if sender.send(bytes[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { child, keys, shown, seen: String::new() }
    }

    /// Presses keys, and waits for a text on the screen and for the next prompt.
    fn press(&mut self, keys: &[&str], wanted: &str) {
        self.seen.clear();
        self.keys.write_all(keys.concat().as_bytes()).expect("pressed");
        self.wait(wanted);
    }

    fn wait(&mut self, wanted: &str) {
        loop {
            let after = self.seen.find(wanted).map(|at| without_escapes(&self.seen[at..]));
            // The line that is being edited is the prompt alone: what is pressed now is read by the editor.
            if after.is_some_and(|text| {
                text.rsplit(['\r', '\n']).find(|line| !line.is_empty()).is_some_and(|line| line.ends_with("> "))
            }) {
                return;
            }
            let more = self.shown.recv_timeout(Duration::from_secs(60));
            let more = more.unwrap_or_else(|_| panic!("{wanted:?} never comes: {}", self.seen.escape_debug()));
            self.seen.push_str(&String::from_utf8_lossy(&more));
        }
    }
}

fn without_escapes(text: &str) -> String {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => _ = chars.by_ref().find(|c| c.is_ascii_alphabetic()),
            c => plain.push(c),
        }
    }
    plain
}

#[test]
fn a_conversation_on_a_terminal() {
    let mini = Mini::new();
    let mut terminal = Terminal::new(&mini);
    terminal.wait("Weather, of one city at a time.");
    // A slip is mended, letter by letter; the outcome of the call is chosen by its number.
    terminal.press(&["Рuгa", BACKSPACE, "а", LEFT, LEFT, BACKSPACE, "и", ENTER], "forecast.evidence");
    terminal.press(&["3", ENTER], "expected one of good, poor");
    terminal.press(&["1", ENTER], "exact (confirmed)");
    // The line before is called back and changed.
    terminal.press(&[UP, "!", ENTER], "forecast.evidence");
    terminal.press(&[CTRL_C], "the call stays open");
    // Ctrl-C ends nothing, and what was answered is not called back.
    terminal.press(&[CTRL_C], "Ctrl-D or `/quit` ends the chat");
    terminal.press(&["/state topic", ENTER], "asked  2");
    terminal.press(&[UP, UP, ENTER], "forecast.evidence");
    terminal.press(&["!timeout", ENTER], "no_forecast");
    terminal.press(&["/undo", ENTER], "turn 3 is taken back");
    terminal.keys.write_all(CTRL_D.as_bytes()).expect("pressed");
    let status = terminal.child.wait().expect("it ends");
    assert_eq!(status.code(), Some(0), "a slip on a terminal is no fault");
}
