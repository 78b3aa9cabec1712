//! `segue chat` on a store: what it has said it has written. Sessions are taken up again after a kill, refused by name, and of two chats
//! on one session one is right (S1 IRW-REQ-03, IRW-REQ-05, IRW-REQ-06).
#![cfg(all(feature = "cli", feature = "sqlite"))]
#![expect(clippy::disallowed_methods, reason = "the program is started, killed, and its files are changed under it")]

#[path = "support/program.rs"]
mod program;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};

use program::{Mini, err, out};
use segue::session::{Kept, Store, StoreError};
use segue::store::{Access, Sqlite};
use serde_json::{Value as Json, json};
use snapbox::cmd::{OutputAssert, cargo_bin};

const STORE: &str = "sessions.db";

/// A chat that goes on: lines in, a turn out.
struct Talk {
    child: Child,
    lines: ChildStdin,
    turns: BufReader<ChildStdout>,
    told: BufReader<ChildStderr>,
}

impl Talk {
    fn new(mini: &Mini, more: &[&str]) -> Self {
        let mut command = Command::new(cargo_bin!("segue"));
        command.args(["chat", "--format", "json", "--store", STORE]).args(more).current_dir(mini.path(""));
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = pipes.spawn().expect("started");
        let lines = child.stdin.take().expect("a pipe");
        let turns = BufReader::new(child.stdout.take().expect("a pipe"));
        let told = BufReader::new(child.stderr.take().expect("a pipe"));
        Self { child, lines, turns, told }
    }

    fn write(&mut self, line: &str) {
        writeln!(self.lines, "{line}").expect("written");
    }

    fn turn(&mut self) -> Json {
        let mut line = String::new();
        self.turns.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    fn say(&mut self, lines: &[&str]) -> Json {
        lines.iter().for_each(|line| self.write(line));
        self.turn()
    }

    /// The next line on standard error that begins so.
    fn told(&mut self, begins: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(self.told.read_line(&mut line).expect("a line") > 0, "nothing begins with {begins}");
            if line.starts_with(begins) {
                return line;
            }
        }
    }

    /// SIGKILL, on Unix.
    fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("gone");
    }

    /// No more lines come. The exit code, what else was printed, and what stands on standard error.
    fn end(mut self) -> (Option<i32>, String, String) {
        drop(self.lines);
        let (mut out, mut err) = (String::new(), String::new());
        self.turns.read_to_string(&mut out).expect("text");
        self.told.read_to_string(&mut err).expect("text");
        (self.child.wait().expect("gone").code(), out, err)
    }
}

fn store(mini: &Mini) -> Sqlite {
    Sqlite::open(&mini.path(STORE), Access::Existing).expect("a store")
}

/// The only session that there is.
fn only(mini: &Mini) -> Kept {
    let store = store(mini);
    let [head] = &store.list().expect("sessions")[..] else { panic!("one session") };
    store.read(&head.id).expect("a session")
}

fn chat(mini: &Mini, more: &[&str], lines: &str) -> OutputAssert {
    let args = [&["chat", "--format", "json", "--store", STORE], more].concat();
    mini.command(&args).stdin(lines.to_owned()).assert()
}

fn turns(run: &OutputAssert) -> Vec<Json> {
    out(run).lines().map(|line| serde_json::from_str(line).expect("a JSON object a line")).collect()
}

const GOOD: &str = "{\"evidence\": \"good\"}";

#[test]
fn a_session_has_a_uuid_and_goes_on_where_it_stood() {
    let mini = Mini::new();
    let run = chat(&mini, &[], &format!("Riga\n{GOOD}\n")).code(0);
    let id = only(&mini).head.id;
    assert!(id.len() == 36 && id.split('-').map(str::len).eq([8, 4, 4, 4, 12]), "{id}");
    assert_eq!(err(&run), format!("session {id}\n"));
    assert_eq!((&turns(&run)[0]["sessionId"], &turns(&run)[0]["turn"]), (&json!(id), &json!(1)));
    let run = chat(&mini, &["--session", &id], &format!("/state topic\nand?\nOslo\n{GOOD}\n")).code(0);
    assert_eq!(err(&run), format!("session {id}\ncity  riga\nevidence  good\nasked  1\n"));
    let told: Vec<(Json, Json)> =
        turns(&run).iter().map(|turn| (turn["turn"].clone(), turn["transition"].clone())).collect();
    assert_eq!(told, [(json!(2), json!("T10")), (json!(3), json!("T1"))]);
    // The end of the input is none of the session.
    let kept = only(&mini);
    assert_eq!((kept.head.turns, kept.head.ended, kept.pending), (3, None, Vec::new()));
}

/// A chat that is killed has written every turn that it has told, and where a call was open it is made again under its id.
#[test]
fn a_killed_chat_loses_nothing_that_it_has_told() {
    let mini = Mini::new();
    let mut talk = Talk::new(&mini, &[]);
    let first = talk.say(&["Riga", GOOD]);
    let id = first["sessionId"].as_str().expect("an id").to_owned();
    talk.kill();
    let mut talk = Talk::new(&mini, &["--session", &id]);
    talk.write("Oslo");
    // The call is written before its outcome is asked for.
    let store = store(&mini);
    let pending = loop {
        match &store.read(&id).expect("a session").pending[..] {
            [pending] => break pending.clone(),
            _ => std::thread::yield_now(),
        }
    };
    talk.kill();
    assert_eq!((&*pending.port, pending.turn, &pending.request), ("forecast", 2, &json!({ "city": "oslo" })));
    let mut talk = Talk::new(&mini, &["--session", &id]);
    let again = talk.say(&[GOOD]);
    assert_eq!(
        again["calls"],
        json!([{ "id": pending.call, "port": "forecast", "with": { "city": "oslo" }, "status": "ok" }])
    );
    assert_eq!(
        (&again["turn"], &again["transition"], &again["answer_mode"]),
        (&json!(2), &json!("T1"), &json!("exact"))
    );
    let third = talk.say(&["and?"]);
    assert_eq!(third["turn"], 3);
    talk.kill();
    // What was written is what a chat without a break has written.
    let whole = Mini::new();
    chat(&whole, &[], &format!("Riga\n{GOOD}\nOslo\n{GOOD}\nand?\n")).code(0);
    assert_eq!(told(&mini), told(&whole));
    assert_eq!(store.faults(), Ok(Vec::new()));
}

/// What stands in the log of the only session, and its state, without ids and times.
fn told(mini: &Mini) -> (Vec<Json>, Json) {
    let (store, kept) = (store(mini), only(mini));
    let entries = store.entries(&kept.head.id).expect("its entries");
    let each = entries.iter().map(|entry| {
        let mut input = entry.input.clone();
        if let Some(call) = input.pointer_mut("/outcome/call") {
            *call = Json::Null;
        }
        json!([entry.revision, entry.turn, input, entry.transition, entry.answer_mode, entry.reasons, entry.messages])
    });
    (each.collect(), serde_json::from_str(&kept.state.expect("a state")).expect("JSON"))
}

/// A turn that is taken back is taken back in the store, by a commit of its own.
#[test]
fn a_turn_is_taken_back_in_the_store() {
    let mini = Mini::new();
    let lines = format!("Riga\n{GOOD}\nOslo\n{GOOD}\n/undo\nOslo\n/undo\n/undo\n/undo\n");
    let run = chat(&mini, &[], &lines).code(1);
    let id = only(&mini).head.id;
    assert_eq!(
        err(&run),
        format!(
            "session {id}\nturn 2 is taken back\nturn 2 is taken back\nturn 1 is taken back\nerror: line 9: there is no turn to take back\n"
        )
    );
    let kept = only(&mini);
    assert_eq!((kept.head.turns, kept.pending.len()), (0, 0));
    let inputs: Vec<Json> = store(&mini).entries(&id).expect("its entries").into_iter().map(|of| of.input).collect();
    assert_eq!(inputs.last(), Some(&json!({ "put_back": { "revision": 0 } })));
    // Turns of before it was taken up are none of this chat.
    let run = chat(&mini, &["--session", &id], "/undo\n").code(1);
    assert!(err(&run).ends_with("error: line 1: there is no turn to take back\n"), "{}", err(&run));
}

#[test]
fn sessions_are_refused_by_name() {
    let mini = Mini::new();
    let refused = |args: &[&str], wanted: &str| {
        let run = chat(&mini, args, "").code(2).stdout_eq("");
        assert_eq!(err(&run), format!("error: {STORE}: {wanted}\n"));
    };
    refused(&["--session", "x"], "no such file, so no session");
    assert!(!mini.path(STORE).exists(), "nothing is made to be read");
    chat(&mini, &[], &format!("Riga\n{GOOD}\n")).code(0);
    let id = only(&mini).head.id;
    let args = ["--session", &*id];
    refused(&["--session", "x"], "there is no session x");
    // Another pack, and the pack as it is not any more.
    let pack = std::fs::read_to_string(mini.path("transitions/mini/pack.toml")).expect("a pack");
    mini.edit("transitions/mini/pack.toml", "id = \"mini\"", "id = \"other\"");
    let run = chat(&mini, &args, "").code(2).stdout_eq("");
    assert!(err(&run).contains("the session was saved under pack `mini`, this is `other`"), "{}", err(&run));
    mini.write("transitions/mini/pack.toml", pack.replace("в риге", "из риги"));
    let run = chat(&mini, &args, "").code(2).stdout_eq("");
    assert!(err(&run).contains("the session was saved under registry `"), "{}", err(&run));
    mini.write("transitions/mini/pack.toml", pack);
    let store = store(&mini);
    let mut head = store.read(&id).expect("a session").head;
    head.revision += 1;
    head.ended = Some(head.touched.clone());
    store.end(&head, segue::session::Retention::Content).expect("ended");
    refused(&args, &format!("session {id} has ended"));
    // A file of something else is not touched.
    mini.write("notes.txt", "no store");
    let run = mini.command(&["chat", "--store", "notes.txt"]).assert().code(2).stdout_eq("");
    assert!(err(&run).contains("the store is damaged, or is none"), "{}", err(&run));
    assert_eq!(std::fs::read_to_string(mini.path("notes.txt")).expect("a file"), "no store");
    mini.command(&["chat", "--session", &id]).assert().code(2);
    mini.command(&["chat", "--store", STORE, "--numbered-ids"]).assert().code(2);
}

/// Two chats on one session: of two that go on with it exactly one does, the other is told and stands as before.
#[test]
fn of_two_chats_one_wins() {
    let mini = Mini::new();
    chat(&mini, &[], &format!("Riga\n{GOOD}\n")).code(0);
    let id = only(&mini).head.id;
    let (mut one, mut two) = (Talk::new(&mini, &["--session", &id]), Talk::new(&mini, &["--session", &id]));
    // Both have it where it stood.
    two.told("session ");
    assert_eq!(one.say(&["Oslo", GOOD])["turn"], 2);
    two.write("Oslo");
    two.write("/state topic");
    let (code, told, err) = two.end();
    assert_eq!((code, &*told), (Some(1), ""));
    let wanted = format!(
        "error: line 1: session {id} stands at revision 4, not at 2: another process has gone on with it: it is not taken; \
         `--session {id}` takes it up as it stands there\ncity  riga\nevidence  good\nasked  1\n"
    );
    assert_eq!(err, wanted);
    assert_eq!(one.say(&["and?"])["turn"], 3);
    let entries = store(&mini).entries(&id).expect("its entries");
    assert_eq!(entries.iter().map(|entry| entry.revision).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
}

/// A store that cannot be written: nothing of what was said is in force, and the chat goes on where it stands when it can be again.
#[test]
fn nothing_is_in_force_that_could_not_be_written() {
    let mini = Mini::new();
    let mut talk = Talk::new(&mini, &[]);
    talk.say(&["Riga", GOOD]);
    let id = only(&mini).head.id;
    let before = only(&mini);
    // Another process holds the file, longer than is waited.
    let other = rusqlite::Connection::open(mini.path(STORE)).expect("the file");
    other.execute_batch("BEGIN IMMEDIATE").expect("held");
    talk.write("Oslo");
    let line = talk.told("error: ");
    assert!(line.starts_with("error: line 3: the store is locked by another process: "), "{line}");
    assert!(line.ends_with(": it is not taken\n"), "{line}");
    other.execute_batch("ROLLBACK").expect("let go");
    assert_eq!(only(&mini), before);
    assert_eq!(talk.say(&["Oslo", GOOD])["turn"], 2);
    assert_eq!(store(&mini).read("x"), Err(StoreError::Missing { id: "x".into() }));
    assert_eq!(only(&mini).head.id, id);
    talk.kill();
}
