//! `--watch` on the program itself: it runs again after each save, whatever becomes of the files.
#![expect(clippy::disallowed_methods, reason = "the program is started, and files change under it")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use snapbox::cmd::cargo_bin;

#[path = "support/program.rs"]
mod program;

use program::{Mini, err};

/// So long nothing takes unless it hangs.
const DEADLINE: Duration = Duration::from_secs(60);
const T1: &str = "transitions/mini/T1.yaml";
const WEATHER: &str = "scenarios/mini/weather.yaml";

/// The running program and the lines that it prints.
struct Watching {
    program: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(mini: &Mini, args: &[&str]) -> Self {
        let mut command = Command::new(cargo_bin!("segue"));
        command.args(args).current_dir(mini.path("")).env("CI", "true").stdout(Stdio::piped()).stderr(Stdio::null());
        let mut program = command.spawn().expect("the program starts");
        let out = BufReader::new(program.stdout.take().expect("its output"));
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self { program, lines }
    }

    /// All that a run prints.
    fn run(&self) -> String {
        let mut run = String::new();
        loop {
            let line = self.lines.recv_timeout(DEADLINE).unwrap_or_else(|_| panic!("no run ended after:\n{run}"));
            if line.starts_with("watching for changes") {
                return run;
            }
            run.push_str(&line);
            run.push('\n');
        }
    }

    /// Runs until one prints some text: a save may be told of in more than one piece.
    fn until(&self, wanted: &str) -> String {
        loop {
            let run = self.run();
            if run.contains(wanted) {
                return run;
            }
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// As many editors do it: a new file beside, then the name goes over.
fn saved(mini: &Mini, below: &str, text: &str) {
    let beside: PathBuf = mini.path(&format!("{below}~"));
    fs::write(&beside, text).expect("written");
    fs::rename(&beside, mini.path(below)).expect("renamed");
}

#[test]
fn check_runs_again_after_each_save() {
    let mini = Mini::new();
    let good = fs::read_to_string(mini.path(T1)).expect("the class");
    let watching = Watching::start(&mini, &["check", "--watch"]);
    watching.until("0 errors");
    // Broken, mended by a rename, gone, back.
    mini.write(T1, good.replace("title:", "titel:"));
    let run = watching.until("unknown-key");
    assert!(run.contains("==== changed: `transitions/mini/T1.yaml`") && run.contains("did you mean `title`?"), "{run}");
    mini.write(T1, b"\xff\xfe");
    watching.until("the file is UTF-16, not UTF-8");
    saved(&mini, T1, &good);
    watching.until("0 errors");
    fs::remove_file(mini.path(T1)).expect("removed");
    watching.until("did you mean `T10`?");
    mini.write(T1, &good);
    watching.until("0 errors");
    // A new folder with a file in it, then without.
    mini.write("transitions/mini/more/T1.toml", "id = 1\n");
    watching.until("transitions/mini/more/T1.toml");
    fs::remove_dir_all(mini.path("transitions/mini/more")).expect("removed");
    watching.until("0 errors");
    // The workspace itself may go and come back.
    fs::rename(mini.path("segue.toml"), mini.path("segue.off")).expect("renamed");
    assert!(!watching.run().contains("error"), "the message stands on standard error");
    mini.write("segue.toml", "");
    watching.until("0 errors");
}

#[test]
fn replay_runs_again_after_each_save() {
    let mini = Mini::new();
    let good = fs::read_to_string(mini.path(WEATHER)).expect("the scenarios");
    let watching = Watching::start(&mini, &["replay", "--watch"]);
    watching.until("0 failed");
    saved(&mini, WEATHER, &good.replacen("transition: T1", "transition: T10", 1));
    watching.until("1 failed");
    mini.write("transitions/mini/T10.toml", "");
    watching.run();
    mini.write(WEATHER, &good);
    watching.run();
    let fresh = Mini::new();
    fs::copy(fresh.path("transitions/mini/T10.toml"), mini.path("transitions/mini/T10.toml")).expect("copied");
    watching.until("0 failed");
}

/// A machine reads one document; and what writes snapshots does not run by itself.
#[test]
fn what_watching_does_not_go_with() {
    let mini = Mini::new();
    for args in [
        &["check", "--watch", "--format", "json"][..],
        &["replay", "--watch", "--format", "json"],
        &["replay", "--watch", "--accept"],
        &["check", "--watch", "nowhere"],
    ] {
        let run = mini.run(args).code(2).stdout_eq("");
        assert!(!err(&run).is_empty(), "{args:?}");
    }
}
