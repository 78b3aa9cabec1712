//! `segue chat` where its store or its session is lost while it goes on: it says what has happened and what to do, and takes nothing that it
//! could not write. The times of what it writes are those of the clock (S1 IRW-REQ-03, IRW-REQ-05).
#![expect(clippy::disallowed_methods, reason = "files change under the program, and the clock is looked at")]

use crate::program::{Mini, err, out};
use crate::talk::{STORE, Talk, only, store, until};
use jiff::Timestamp;
use segue::declare::Options;
use segue::engine::{Event, NumberedIds};
use segue::load::load;
use segue::model::Status;
use segue::scenario::{self, Clock};
use segue::session::{Live, Memory, Retention, SessionError, Store, StoreError};
use segue::store::{Access, Sqlite};
use segue::workspace::Workspace;
use serde_json::json;

const GOOD: &str = "{\"evidence\": \"good\"}";

fn now() -> Timestamp {
    segue::workspace::now().expect("an instant")
}

/// Waits until the clock has gone on by more than what is written of it.
fn tick() {
    let from = now().as_millisecond();
    until(|| now().as_millisecond() > from + 1);
}

/// An instant as it is written: in UTC, to the millisecond, always with as many digits.
fn instant(text: &str) -> Timestamp {
    let form: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(form, "0000-00-00T00:00:00.000Z", "{text}");
    text.parse().expect("an instant")
}

/// Each event of a chat has its own time, also one that is taken back, and the end.
#[test]
fn each_event_has_the_time_at_which_it_was_taken() {
    let mini = Mini::new();
    mini.edit("transitions/mini/pack.toml", "id = \"mini\"", "id = \"mini\"\nended = { topic.city = \"oslo\" }");
    let before = now();
    let mut talk = Talk::new(&mini, &["--keep-content"]);
    talk.say(&["Riga", GOOD]);
    tick();
    talk.say(&["and?"]);
    tick();
    talk.write("/undo");
    talk.told("turn 2 is taken back");
    tick();
    talk.say(&["Oslo", GOOD]);
    let (code, _, told) = talk.end();
    assert!(code == Some(0) && told.contains(" has ended"), "{told}");
    let head = only(&mini).head;
    let entries = store(&mini).entries(&head.id).expect("its entries");
    let at: Vec<Timestamp> = entries.iter().map(|entry| instant(&entry.at)).collect();
    let [asked, answered, second, back, third, last] = at[..] else { panic!("six events: {at:?}") };
    assert!(asked <= answered && answered < second && second < back && back < third && third <= last, "{at:?}");
    let (opened, touched) = (instant(&head.opened), instant(&head.touched));
    let ended = instant(head.ended.as_deref().expect("it has ended"));
    assert!(before.as_millisecond() <= opened.as_millisecond() && opened <= asked, "{opened} {asked}");
    assert!(last <= ended && ended == touched && touched <= now(), "{last} {ended} {touched}");
    // Where the day is said the clock stands.
    let fixed = Mini::new();
    let args = ["chat", "--store", STORE, "--today", "2021-05-10"];
    fixed.command(&args).stdin(format!("Riga\n{GOOD}\nand?\n")).assert().code(0);
    let head = only(&fixed).head;
    let entries = store(&fixed).entries(&head.id).expect("its entries");
    assert!(entries.len() == 3 && entries.iter().all(|entry| entry.at == head.opened && entry.at == head.touched));
    assert_eq!(head.opened, "2021-05-10T00:00:00Z");
}

/// A file that was removed, moved away or replaced is noticed with the next event, which is not taken; one that is put back is the store as before.
#[cfg(unix)]
#[test]
fn a_store_that_is_gone_is_told() {
    let mini = Mini::new();
    let mut talk = Talk::new(&mini, &[]);
    talk.say(&["Riga", GOOD]);
    talk.told("session ");
    let before = only(&mini);
    let (here, away) = (mini.path(STORE), mini.path("away.db"));
    let gone = |talk: &mut Talk, why: &str| {
        // What is told of the second line comes next, should the first be taken.
        talk.write("Oslo");
        talk.write("/state topic");
        let line = talk.told("");
        let wanted = format!(
            "the store is gone: {why} while it was open: it is not taken; put it back and say it again, or begin with another file; \
             `/save FILE` keeps what was said here as a scenario\n"
        );
        assert!(line.starts_with("error: ") && line.ends_with(&wanted), "{line}");
        assert_eq!(talk.told("city "), "city  riga\n");
        talk.told("asked ");
    };
    std::fs::rename(&here, &away).expect("moved");
    gone(&mut talk, "its file was removed");
    // Another file takes its place, a store of others.
    let other = Mini::new();
    other.command(&["chat", "--store", STORE]).stdin(format!("Oslo\n{GOOD}\n")).assert().code(0);
    std::fs::copy(other.path(STORE), &here).expect("copied");
    let theirs = std::fs::read(&here).expect("a file");
    gone(&mut talk, "another file was put in the place of its file");
    assert_eq!(std::fs::read(&here).expect("a file"), theirs, "nothing is written into what others have put there");
    std::fs::rename(&away, &here).expect("put back");
    assert_eq!(only(&mini), before);
    assert_eq!(talk.say(&["Oslo", GOOD])["turn"], 2);
    talk.kill();
    let kept = only(&mini);
    assert_eq!((kept.head.turns, store(&mini).faults()), (2, Ok(Vec::new())));
}

/// What another process has made of the session meanwhile is said, with what to do.
#[test]
fn a_session_that_was_ended_or_taken_out_is_told() {
    let mini = Mini::new();
    for ends in [true, false] {
        let mut talk = Talk::new(&mini, &[]);
        let id = talk.say(&["Riga", GOOD])["sessionId"].as_str().expect("an id").to_owned();
        let others = store(&mini);
        if ends {
            let mut head = others.read(&id).expect("a session").head;
            (head.revision, head.ended) = (head.revision + 1, Some(head.touched.clone()));
            others.end(&head, Retention::Metadata).expect("ended");
        } else {
            others.delete(&id).expect("taken out");
        }
        for line in ["Oslo", "/undo"] {
            let not = if line == "Oslo" { "it is not taken" } else { "the turn is not taken back" };
            let why = match ends {
                true => {
                    format!("session {id} has ended: {not}; another process has ended it, and it takes nothing more")
                }
                false => format!("there is no session {id}: {not}; it was taken out of the store meanwhile"),
            };
            talk.write(line);
            let told = talk.told("error: ");
            assert!(
                told.ends_with(&format!("{why}: `/quit` leaves the chat; without `--session` another one begins\n")),
                "{told}"
            );
        }
        assert_eq!(talk.end().0, Some(1));
    }
}

/// What is said of a damaged store, behind what is wrong.
const HELP: &str = "; where it is none, name another one; else keep a copy of it, see what `segue sessions check` finds, and go on with a \
                    backup or with a new one\n";

/// What is damaged is told with what to do, and what is told can be done.
#[test]
fn what_is_damaged_is_told_with_what_to_do() {
    let mini = Mini::new();
    let run = mini.command(&["chat", "--store", STORE]).stdin(format!("Riga\n{GOOD}\n")).assert().code(0);
    let id = err(&run).trim_start_matches("session ").trim_end().to_owned();
    let file = rusqlite::Connection::open(mini.path(STORE)).expect("the file");
    file.execute_batch("UPDATE session SET state = 'nothing'").expect("damaged");
    drop(file);
    for args in [&["chat", "--session", &id][..], &["sessions", "show", &id], &["sessions", "export", &id]] {
        let told = err(&mini.command(&[args, &["--store", STORE]].concat()).assert().code(2));
        let wanted =
            format!("error: {STORE}: the store is damaged, or is none: a row of session {id} is not what was written");
        assert_eq!(told, format!("{wanted}{HELP}"), "{args:?}");
    }
    let told = out(&mini.run(&["sessions", "check", "--store", STORE]).code(1));
    let lines: Vec<&str> = told.lines().collect();
    let [fault, count, advice] = lines[..] else { panic!("{told}") };
    assert!(fault.starts_with(&format!("session {id}: the store is damaged")), "{told}");
    assert_eq!(count, "1 session, 0 compared with their packs, 1 wrong");
    assert!(advice.starts_with("keep a copy of the store") && advice.contains("`segue sessions delete ID`"), "{told}");
    mini.run(&["sessions", "delete", &id, "--store", STORE]).code(0);
    assert_eq!(
        out(&mini.run(&["sessions", "check", "--store", STORE]).code(0)),
        "0 sessions, 0 compared with their packs, 0 wrong\n"
    );
    // A file of something else is told so, too.
    mini.write("notes.db", "these are notes\n".repeat(99));
    for verb in [&["chat"][..], &["sessions", "list"], &["sessions", "check"], &["sessions", "delete", "x"]] {
        let told = err(&mini.command(&[verb, &["--store", "notes.db"]].concat()).assert().code(2));
        assert!(
            told.starts_with("error: notes.db: the store is damaged, or is none: ") && told.ends_with(HELP),
            "{told}"
        );
    }
}

/// A text that is none, and a file that cannot be reached.
#[cfg(unix)]
#[test]
fn what_cannot_be_read_or_reached_is_told() {
    let mini = Mini::new();
    mini.command(&["chat", "--store", STORE]).stdin(format!("Riga\n{GOOD}\n")).assert().code(0);
    let id = only(&mini).head.id;
    let file = rusqlite::Connection::open(mini.path(STORE)).expect("the file");
    file.execute_batch("UPDATE session SET pending = CAST(x'ff22fe' AS TEXT)").expect("damaged");
    let store = Sqlite::open(&mini.path(STORE), Access::Existing).expect("a store");
    let Err(StoreError::Damaged { why }) = store.read(&id) else { panic!("it is read") };
    assert!(why.to_lowercase().contains("utf-8"), "{why}");
    // A folder that is not there.
    let far = "nowhere/sessions.db";
    let Err(StoreError::Failed { why }) = Sqlite::open(&mini.path(far), Access::Write) else { panic!("it is opened") };
    assert!(why.ends_with("its folder has to be there, and file and folder to be yours to read and write"), "{why}");
    let told = err(&mini.command(&["chat", "--store", far]).assert().code(2));
    assert!(
        told.starts_with(&format!("error: {far}: the store fails: ")) && told.contains("its folder has to be there"),
        "{told}"
    );
    assert!(!mini.path("nowhere").exists());
}

/// A first use that comes to nothing leaves nothing behind.
#[cfg(unix)]
#[test]
fn a_store_that_could_not_be_made_is_not_left_behind() {
    let mini = Mini::new();
    let program = snapbox::cmd::cargo_bin!("segue");
    // So many blocks of 512 bytes a file may have: none, less than a page, the first page and not the tables.
    for blocks in [0, 2, 9, 24] {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec '{}' chat --store {STORE}", program.display());
        let mut shell = std::process::Command::new("sh");
        let run = shell.args(["-c", &script]).current_dir(mini.path("")).stdin(std::process::Stdio::null()).output();
        let run = run.expect("run");
        assert_eq!(run.status.code(), Some(2), "{blocks}: {}", String::from_utf8_lossy(&run.stderr));
        let left = mini.files().into_iter().map(|(path, _)| path.display().to_string());
        assert_eq!(left.filter(|path| path.contains(STORE)).collect::<Vec<_>>(), [""; 0], "{blocks}");
    }
    // An empty file that was there before is none of ours.
    mini.write(STORE, "");
    mini.command(&["sessions", "list", "--store", STORE]).assert().code(2);
    assert!(mini.path(STORE).exists());
}

/// What somebody has written into a store that moves what stands around it is shown by its number.
#[test]
fn what_cannot_be_seen_is_shown() {
    let mini = Mini::new();
    let id = "a\u{202e}b\u{1b}[2J\nc";
    let made = Mini::new();
    made.command(&["chat", "--store", STORE]).stdin(format!("Riga\n{GOOD}\n")).assert().code(0);
    let mut kept = only(&made);
    kept.head.id = id.to_owned();
    kept.head.pack = "mi\u{200b}ni".to_owned();
    kept.head.context.insert("database".into(), json!("x".repeat(4000)));
    let store = Sqlite::open(&mini.path(STORE), Access::Write).expect("a store");
    (kept.head.revision, kept.pending) = (0, Vec::new());
    store.create(&kept).expect("written");
    let shown = "a\\u{202e}b\\u{1b}[2J\\u{a}c";
    let odd = |text: &str| text.chars().any(|c| c != '\n' && (c.is_control() || matches!(c, '\u{202e}' | '\u{200b}')));
    for (args, code) in [
        (&["list"][..], 0),
        (&["show", id], 0),
        (&["check"], 0),
        (&["delete", id], 0),
        (&["delete", id], 1),
        (&["show", id], 1),
    ] {
        let run = mini.command(&[&["sessions"], args, &["--store", STORE]].concat()).assert().code(code);
        let told = out(&run) + &err(&run);
        assert!(!odd(&told) && told.lines().all(|line| line.chars().count() < 400), "{args:?}: {told}");
        assert!(args[0] == "check" || told.contains(shown), "{args:?}: {told}");
    }
    let told = err(&mini.command(&["chat", "--store", STORE, "--session", id]).assert().code(2));
    assert!(!odd(&told) && told.contains(shown), "{told}");
}

/// The event with which a pack ends a session and the end of the session are one commit: no process that dies leaves what was said behind
/// it. Where it cannot be written neither is in force.
#[test]
fn the_last_event_gives_up_what_was_said() {
    let mini = Mini::new();
    mini.edit("transitions/mini/pack.toml", "id = \"mini\"", "id = \"mini\"\nended = { topic.city = \"oslo\" }");
    let files = Workspace::of(&mini.path("")).and_then(|of| of.pack("mini")).expect("a pack");
    let registry = load(&files, &Options::default()).registry.expect("it loads");
    let sqlite = Sqlite::open(&mini.path(STORE), Access::Write).expect("a store");
    sqlite.patience(std::time::Duration::ZERO).expect("set");
    let memory = Memory::default();
    let (clock, mut ids) = (Clock::on(jiff::civil::date(2021, 5, 10)), NumberedIds::default());
    let mut env = scenario::env(&clock, 1, &mut ids);
    let (in_memory, in_a_file) = ((&memory as &dyn Store, false), (&sqlite as &dyn Store, true));
    for (store, is_file) in [in_memory, in_a_file] {
        for gives_up in [true, false] {
            let id = format!("s-{gives_up}");
            let live = Live::open(&registry, store, &id, serde_json::Map::new(), &clock.now).expect("a session");
            let mut live = live.gives_up(gives_up);
            let said = Event::input(&registry, "utterance", &json!({ "text": "Oslo" }), &json!({})).expect("an event");
            live.take(&said, &mut env).expect("taken");
            assert_eq!((live.pending().len(), live.head().ended.as_deref()), (1, None), "a call is open");
            let call = live.pending()[0].call.as_str().into();
            let value = Some(json!({ "evidence": "good" }));
            let good = Event::Outcome { call, status: Status::Ok, value, error: None };
            let before = (store.read(&id), live.head().clone());
            if is_file {
                let other = rusqlite::Connection::open(mini.path(STORE)).expect("the file");
                other.execute_batch("BEGIN IMMEDIATE").expect("held");
                let lost = live.take(&good, &mut env).map(|_| ());
                assert!(matches!(lost, Err(SessionError::Store(StoreError::Locked { .. }))), "{lost:?}");
                other.execute_batch("ROLLBACK").expect("let go");
                assert_eq!((store.read(&id), live.head().clone()), before);
            }
            let done = live.take(&good, &mut env).expect("taken");
            assert_eq!((&done.state, done.answer().is_some()), (live.state(), true));
            let kept = store.read(&id).expect("a session");
            let entries = store.entries(&id).expect("its entries").len();
            assert_eq!((kept.head.revision, kept.head.turns, kept.pending), (2, 1, Vec::new()));
            if gives_up {
                assert_eq!((kept.head.ended.as_deref(), kept.state, entries), (Some(&*clock.now), None, 0));
                let ended = SessionError::Ended { id: id.clone() };
                assert_eq!(live.take(&said, &mut env).err(), Some(ended.clone()));
                assert_eq!(live.hold(&said, &mut env).err(), Some(ended));
            } else {
                assert_eq!((kept.head.ended, kept.state.is_some(), entries), (None, true, 2));
            }
        }
    }
}
