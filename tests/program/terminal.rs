//! `segue chat` on a terminal: lines are edited, and those said before are called back.
#![expect(clippy::disallowed_methods, reason = "these tests make workspaces and start the program")]

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use nix::pty::{Winsize, openpty};
use snapbox::cmd::cargo_bin;

use crate::program::Mini;

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
        Self::of(&mini.path(""), "mini")
    }

    /// A chat with a pack of a workspace, on a screen so wide that no line is broken.
    fn of(workspace: &Path, pack: &str) -> Self {
        let size = Winsize { ws_row: 40, ws_col: 1000, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(&size, None).expect("a terminal");
        let side = || Stdio::from(pty.slave.try_clone().expect("its other side"));
        let child = Command::new(cargo_bin!("segue"))
            .args(["chat", "--numbered-ids", "--today", "2021-05-10", "--pack", pack])
            .current_dir(workspace)
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

    /// Types lines, and waits after each for what is asked for next or told.
    fn type_in(&mut self, lines: &[(&str, &str)]) {
        for (line, wanted) in lines {
            self.press(&[line, ENTER], wanted);
        }
    }

    /// Ends the chat.
    fn end(mut self) {
        self.keys.write_all(CTRL_D.as_bytes()).expect("pressed");
        let status = self.child.wait().expect("it ends");
        assert_eq!(status.code(), Some(0), "a slip on a terminal is no fault");
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
    // Where an outcome is due commands work as well, and Ctrl-D ends the chat.
    terminal.press(&["Oslo", ENTER], "forecast.evidence");
    terminal.press(&["/state topic", ENTER], "asked  3");
    terminal.press(&["/undo", ENTER], "turn 3 is taken back");
    terminal.press(&["Oslo", ENTER], "forecast.evidence");
    terminal.end();
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// S0, 5: a pause, an answer without its id and one with it, and an attempt that is cancelled for one in other words.
#[test]
fn the_examples_of_step_back_on_a_terminal() {
    let result = |scope: &str, missing: &str| {
        format!(
            r#"{{"intent": "get_data", "schemaScope": "{scope}", "requiredTables": ["ORDERS"], "dimensions": ["country"], "metrics": ["revenue"], "missingInfo": {missing}, "confidence": 0.61}}"#
        )
    };
    let questions = r#"[{"id": "time_range", "question": "Which time range should be used?", "expectedType": "TIME_RANGE"}, {"id": "currency", "question": "In which currency?", "expectedType": "CURRENCY"}]"#;
    let partial = result("partial", r#"["time_range", "currency"]"#);
    let complete = result("complete", "[]");
    let pause =
        format!(r#"{{"result": {partial}, "questions": {questions}, "explanation": "Two things are missing."}}"#);
    let ready = format!(r#"{{"result": {complete}, "explanation": "All is there."}}"#);
    let mut terminal = Terminal::of(repository(), "step-back");
    terminal.wait("Step-back with reasoning-ids.");
    terminal.type_in(&[
        ("Show revenue by country", "step_back.result"),
        (&partial, "step_back.questions"),
        (questions, "step_back.explanation"),
        ("Two things are missing.", "step_back.verdict (1 READY, 2 WAITING_FOR_INPUT, Enter = none)"),
        ("2", "message  waiting { status: WAITING_FOR_INPUT, reasoningId: r-1, questions: [{ id: time_range,"),
        (r#"/answer {"action": "ANSWER_CLARIFICATION", "message": "Last 30 days, USD"}"#, "reason   missing_id"),
        (
            r#"/answer {"reasoningId": "r-1", "action": "ANSWER_CLARIFICATION", "message": "Last 30 days, USD"}"#,
            "interpret.mappedAnswers (a map, as JSON)",
        ),
        (r#"{"time_range": "last 30 days", "currency": "dollars"}"#, "interpret.confidence"),
        ("0.94", "interpret.unmapped"),
        ("[]", "interpret.diagnostics"),
        ("", "answers: { currency: USD, time_range: LAST_30_DAYS }"),
        (&format!(r#"{{"result": {complete}}}"#), "message  ready"),
    ]);
    terminal.type_in(&[
        ("Show revenue by country", "step_back.result"),
        (&pause, "reasoningId: r-2"),
        (
            r#"/cancel {"reasoningId": "r-2", "action": "CANCEL_REASONING", "message": "Show revenue by country for last 30 days in USD"}"#,
            "step_back.result",
        ),
        (&ready, "message  ready"),
        (r#"/answer {"reasoningId": "r-2", "message": "Last 30 days, USD"}"#, "message  refused"),
    ]);
    terminal.end();
}

/// S4, "Usage Examples": a query of low confidence that is confirmed, and one that has to be clarified first.
#[test]
fn the_examples_of_clarification_on_a_terminal() {
    let mut terminal = Terminal::of(repository(), "clarification");
    terminal.wait("Interactive clarification flow.");
    terminal.type_in(&[
        ("show spending", "classify.intent"),
        ("aggregate", "classify.confidence"),
        ("0.68", "classify.needsClarification (true or false, Enter = none)"),
        ("", "classify.clarifyQuestion"),
        ("", "classify.intentLabel"),
        ("", "classify.details"),
        ("", "            - Confidence: 68%"),
        ("yes", "search.results_ref"),
        ("", "generate.answer"),
        ("It is 5000.", "generate.answer_ref"),
        ("", "answer   answered (confirmed)"),
        ("bkash transactions", "classify.intent"),
        (
            r#"{"intent": "listing", "confidence": 0.85, "needsClarification": true, "clarifyQuestion": "Which time period?"}"#,
            "🤔 Which time period?",
        ),
        (
            "last month",
            r#"{ text: "bkash transactions last month", context: ["User asked: bkash transactions", "User clarified: last month"],"#,
        ),
        (r#"{"intent": "listing", "confidence": 0.95}"#, "search.results_ref"),
        ("", "generate.answer"),
        (r#"{"answer": "Here they are."}"#, "answer   answered (confirmed)"),
    ]);
    terminal.end();
}

/// The three packs as one assistant: a question passes the gate, waits for what is missing, and runs its route. What each call asks stands in
/// front of its outcome once.
#[test]
fn the_joined_assistant_on_a_terminal() {
    let mut terminal = Terminal::of(repository(), "joined");
    terminal.wait("Business data assistant, with a gate and step-back.");
    terminal.type_in(&[
        ("show stock for March 2020 at Romashka", "gate/classify.intent"),
        ("/help", "S4, Intent Router"),
        (r#"{"intent": "listing", "confidence": 0.95}"#, "sb/step_back.result"),
        (
            r#"{"result": {"intent": "get_data", "schemaScope": "partial", "missingInfo": ["currency"], "confidence": 0.61}, "questions": [{"id": "currency", "question": "In which currency?", "expectedType": "CURRENCY"}], "explanation": "One thing is missing."}"#,
            "   call     call-4 sb/step_back → ok {",
        ),
        ("dollars", "sb/interpret.mappedAnswers"),
        (r#"{"mappedAnswers": {"currency": "dollars"}, "confidence": 0.9, "unmapped": []}"#, "answers: { currency: USD }"),
        (
            r#"{"result": {"intent": "get_data", "schemaScope": "complete", "missingInfo": [], "confidence": 0.9}}"#,
            "route_execute.coverage_status (1 full, 2 partial, 3 blocked)",
        ),
        ("/undo", "turn 2 is taken back"),
        ("/state clarification", "reasoning_id  r-1"),
    ]);
    terminal.end();
}
