//! `--watch` on the program itself: it runs again after each save, whatever becomes of the files.
#![expect(clippy::disallowed_methods, reason = "the program is started, and files change under it")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use snapbox::cmd::cargo_bin;

use crate::program::{self, Mini, err, out};

/// So long nothing takes unless it hangs.
const DEADLINE: Duration = Duration::from_secs(60);
const T1: &str = "transitions/mini/T1.yaml";
const WEATHER: &str = "scenarios/mini/weather.yaml";

/// The running program, the lines that it prints, and what it has written to standard error.
struct Watching {
    program: Child,
    lines: Receiver<String>,
    errors: Arc<Mutex<String>>,
}

impl Watching {
    fn start(mini: &Mini, args: &[&str]) -> Self {
        let mut command = Command::new(cargo_bin!("segue"));
        command.args(args).current_dir(mini.path("")).env("CI", "true").stdout(Stdio::piped()).stderr(Stdio::piped());
        command.env("COLUMNS", "100");
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
        let errors = Arc::new(Mutex::new(String::new()));
        let (kept, mut err) = (Arc::clone(&errors), BufReader::new(program.stderr.take().expect("its errors")));
        std::thread::spawn(move || {
            let mut line = String::new();
            while err.read_line(&mut line).is_ok_and(|read| read > 0) {
                kept.lock().expect("text").push_str(&std::mem::take(&mut line));
            }
        });
        Self { program, lines, errors }
    }

    /// Runs until one says, on both streams, what the program says that runs once.
    fn agrees(&self, mini: &Mini, verb: &str, after: &str) {
        let once = mini.run(&[verb]);
        let (wanted, told) = (format!("{}\n", out(&once)), err(&once));
        let mut last = String::new();
        while last.split_once("\n\n").is_none_or(|(_, report)| report != wanted) {
            let line = |text: &str| text.lines().map(|line| format!("  {line}\n")).collect::<String>();
            let why = || format!("{verb} after {after}: due is\n{}and this came last\n{}", line(&wanted), line(&last));
            last = self.next().unwrap_or_else(|| panic!("{}", why()));
        }
        let end = Instant::now() + DEADLINE;
        while !self.errors.lock().expect("text").ends_with(&told) {
            assert!(Instant::now() < end, "{verb} after {after}: nothing tells\n{told}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// All that the next run prints, unless there is none.
    fn next(&self) -> Option<String> {
        let mut run = String::new();
        loop {
            let line = self.lines.recv_timeout(DEADLINE).ok()?;
            if line.starts_with("watching for changes") {
                return Some(run);
            }
            run.push_str(&line);
            run.push('\n');
        }
    }

    /// All that a run prints.
    fn run(&self) -> String {
        self.next().expect("a run ends")
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

/// What is kept from one run to the next changes no word of a report.
#[test]
fn a_run_says_what_a_run_by_itself_says() {
    let mini = Mini::new();
    for folder in ["transitions", "scenarios"] {
        program::copy(&mini.path(&format!("{folder}/mini")), &mini.path(&format!("{folder}/other")));
    }
    // Two packs that stand on the first: what changes there changes them.
    let one = "scenario: one\ncovers: T1\nturns: [{ user: Riga, expect: { transition: T1 } }]\n";
    let whole = fs::read_to_string(mini.path("transitions/mini/pack.toml")).expect("the manifest");
    let (grown, used) = ("transitions/grown/pack.toml", "transitions/user/pack.toml");
    let extends = "[pack]\nid = \"grown\"\ntitle = \"Grown\"\nextends = \"mini\"\n";
    let uses = format!("{whole}\n[uses.inner]\npack = \"mini\"\n");
    program::copy(&mini.path("transitions/mini"), &mini.path("transitions/user"));
    mini.write(grown, extends);
    mini.write(used, &uses);
    mini.write("scenarios/grown/one.yaml", one);
    mini.write("scenarios/user/one.yaml", one);
    let of = |file: &str| fs::read_to_string(mini.path(file)).expect("a file");
    let (class, other, weather) = ("transitions/mini/T1.yaml", "transitions/other/T1.yaml", WEATHER);
    let snapshot = "scenarios/other/snapshots/weather__a_forecast_that_fails_leaves_the_city_as_it_was.snap";
    let (good, told, kept) = (of(class), of(weather), of(snapshot));
    let slipped = good.replace("погода: рига", "погoда: рига");
    let shifted = format!("# a line more\n{}", told.replace("answer_mode: exact", "answer_mode: bounded"));
    let edits: &[(&str, Option<&str>)] = &[
        // A comment; a mistake in one pack, then the same in the other, then one after the other mended.
        (class, Some(&format!("# a line more\n{good}"))),
        (class, Some(&good.replace("title:", "titel:"))),
        (other, Some(&good.replace("title:", "titel:"))),
        (class, Some(&good)),
        // A warning beside the error.
        (class, Some(&slipped)),
        (other, Some(&good)),
        // What the warning comes to is said elsewhere.
        ("segue.toml", Some("[check]\nlevel = { mixed-scripts = \"error\" }\n")),
        ("segue.toml", Some("[check]\nlevel = { mixed-scripts = \"off\" }\n")),
        ("segue.toml", Some("")),
        (class, Some(&good)),
        // Scenarios: one fails at a place, the place moves, a file more comes first, which goes again.
        (weather, Some(&told.replace("answer_mode: exact", "answer_mode: bounded"))),
        (weather, Some(&shifted)),
        ("scenarios/mini/a.yaml", Some(&one.replace("scenario: one", "scenario: one more"))),
        (weather, Some("scenarios: [")),
        ("scenarios/mini/a.yaml", None),
        (weather, Some(&told)),
        // A snapshot is held against what was played before it changed.
        (snapshot, Some(&kept.replace("oslo", "riga"))),
        (snapshot, None),
        (snapshot, Some(&kept)),
        // One that changed while nothing could be played is read when something can be.
        (other, Some(&good.replace("title:", "titel:"))),
        (snapshot, Some(&kept.replace("oslo", "riga"))),
        (other, Some(&good)),
        ("segue.toml", Some("[[[")),
        (snapshot, Some(&kept)),
        ("segue.toml", Some("")),
        // What stands on a pack changes by itself, goes wrong, names what is not there.
        (grown, Some(&extends.replace("Grown", "Grown up"))),
        (grown, Some(&extends.replace("mini", "mimi"))),
        (grown, Some(extends)),
        (used, Some(&uses.replace("\"mini\"", "\"mimi\""))),
        (used, Some(&whole)),
        (used, Some(&uses)),
        // A file goes and comes back.
        (class, None),
        (class, Some(&good)),
        (other, None),
        (other, Some(&good)),
    ];
    for verb in ["check", "replay"] {
        let watching = Watching::start(&mini, &[verb, "--watch"]);
        watching.run();
        for (at, (file, text)) in edits.iter().enumerate() {
            match text {
                Some(text) => mini.write(file, text),
                None => fs::remove_file(mini.path(file)).expect("removed"),
            }
            watching.agrees(&mini, verb, &format!("edit {at}, {file}"));
        }
    }
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
    // With a folder all goes that lies in it.
    let (kept, aside) = (mini.path("scenarios/mini/snapshots"), mini.path("scenarios/mini/aside"));
    fs::rename(&kept, &aside).expect("renamed");
    watching.until("there is no snapshot");
    fs::rename(&aside, &kept).expect("renamed");
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
