//! `segue chat` on a store: what it has said it has written. Sessions are taken up again after a kill, refused by name, and of two chats
//! on one session one is right (S1 IRW-REQ-03, IRW-REQ-05, IRW-REQ-06).
#![expect(clippy::disallowed_methods, reason = "the program is started, killed, and its files are changed under it")]

use std::process::Command;

use crate::program::{self, Mini, err, out};
use crate::talk::{STORE, Talk, only, store, until};
use segue::session::{Kept, Store, StoreError};
use segue::store::{Access, Sqlite};
use serde_json::{Value as Json, json};
use snapbox::cmd::{OutputAssert, cargo_bin};

fn chat(mini: &Mini, more: &[&str], lines: &str) -> OutputAssert {
    let args = [&["chat", "--format", "json", "--store", STORE], more].concat();
    mini.command(&args).stdin(lines.to_owned()).assert()
}

fn turns(run: &OutputAssert) -> Vec<Json> {
    out(run).lines().map(|line| serde_json::from_str(line).expect("a JSON object a line")).collect()
}

const GOOD: &str = "{\"evidence\": \"good\"}";

/// A name is that of a file, whatever it means to SQLite.
#[test]
fn a_store_has_the_name_that_was_given() {
    let mini = Mini::new();
    for name in ["file:a.db", "file:b?mode=memory", ":memory:"] {
        mini.command(&["chat", "--store", name]).stdin(format!("Riga\n{GOOD}\n")).assert().code(0);
        assert!(mini.path(name).is_file(), "{name}");
        let store = Sqlite::open(&mini.path(name), Access::Existing).expect("a store");
        assert_eq!(store.list().expect("sessions").len(), 1, "{name}");
    }
}

/// A workspace that is not sound is told also where the pack is named: nobody talks to a pack of which the ports are bound by accident.
#[test]
fn a_chat_does_not_begin_in_a_workspace_that_is_wrong() {
    let mini = Mini::new();
    let sound = std::fs::read_to_string(mini.path("segue.toml")).expect("the workspace has one");
    mini.write("segue.toml", format!("{sound}\n[session.mini]\nunwriten = \"lost\"\n"));
    for more in [&["--pack", "mini"][..], &["--pack", "transitions/mini"], &[]] {
        let run = chat(&mini, more, "Riga\n").code(2);
        assert!(err(&run).contains("did you mean `unwritten`?"), "{}", err(&run));
        assert!(!mini.path(STORE).exists());
    }
    let run = mini.command(&["sessions", "check", "--store", STORE]).assert().code(2);
    assert!(!err(&run).is_empty());
}

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

/// Chats that are killed one after the other, each while it takes what comes after the turns that it has told: what they have told is
/// there, nothing is there twice, and all of them together come to what a chat without a break comes to.
#[test]
fn many_kills_come_to_what_one_chat_comes_to() {
    let texts: Vec<&str> = ["Riga", "Oslo", "and?", "Oslo"].into_iter().cycle().take(24).collect();
    let asks = |text: &str| text != "and?";
    let lines = |from: usize, open: bool| {
        let mut lines: Vec<&str> = if open { vec![GOOD] } else { Vec::new() };
        for text in &texts[from..] {
            lines.push(text);
            lines.extend(asks(text).then_some(GOOD));
        }
        lines
    };
    let mini = Mini::new();
    chat(&mini, &[], "").code(0);
    let (store, id) = (store(&mini), only(&mini).head.id);
    let (mut kills, mut reads) = (0, [0, 1, 2, 0, 3].into_iter().cycle());
    loop {
        let Kept { head, pending, .. } = store.read(&id).expect("a session");
        let (turns, open) = (usize::try_from(head.turns).expect("a count"), !pending.is_empty());
        if turns == texts.len() && !open {
            break;
        }
        let mut talk = Talk::new(&mini, &["--session", &id]);
        talk.told("session ");
        for line in lines(turns, open) {
            talk.write(line);
        }
        let left = texts.len() - turns + usize::from(open);
        let told: Vec<Json> = (0..reads.next().expect("a number").min(left)).map(|_| talk.turn()).collect();
        talk.kill();
        kills += 1;
        let entries = store.entries(&id).expect("its entries");
        for turn in told {
            let number = turn["turn"].as_u64().expect("a number");
            let last = entries.iter().rfind(|entry| entry.turn == number).expect("a turn that was told is there");
            assert_eq!(
                (json!(last.transition), json!(last.answer_mode)),
                (turn["transition"].clone(), turn["answer_mode"].clone())
            );
        }
    }
    assert!(kills >= 8, "{kills}");
    let whole = Mini::new();
    chat(&whole, &[], &format!("{}\n", lines(0, false).join("\n"))).code(0);
    assert_eq!(told(&mini), told(&whole));
    assert_eq!(store.faults(), Ok(Vec::new()));
}

/// Where the file cannot grow any more what does not fit is told and not taken; what was told to be taken is there.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_grow_is_told() {
    let mini = Mini::new();
    let lines = format!("Riga\n{GOOD}\n").repeat(60);
    mini.write("lines.txt", lines);
    let program = cargo_bin!("segue");
    let script = format!(
        "trap '' XFSZ; ulimit -f 160; exec '{}' chat --format json --store {STORE} <lines.txt",
        program.display()
    );
    let mut shell = Command::new("sh");
    let run = shell.args(["-c", &script]).current_dir(mini.path("")).output().expect("run");
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert_eq!(run.status.code(), Some(1), "{err}");
    assert!(err.contains("the store ") && err.contains(": it is not taken\n"), "{err}");
    let Kept { head, state, .. } = only(&mini);
    let told: Vec<Json> = out.lines().map(|line| serde_json::from_str(line).expect("a turn")).collect();
    assert!(!told.is_empty() && told.len() < 60, "{}", told.len());
    assert_eq!(told.last().map(|turn| turn["turn"].clone()), Some(json!(head.turns)));
    assert_eq!((state.is_some(), store(&mini).faults()), (true, Ok(Vec::new())));
}

/// What was said in this chat is saved as a scenario that begins where the session stood.
#[test]
fn what_was_said_in_this_chat_is_saved() {
    let mini = Mini::new();
    chat(&mini, &[], &format!("Riga\n{GOOD}\n")).code(0);
    let id = only(&mini).head.id;
    let lines = format!("Oslo\n{GOOD}\n/undo\nand?\n/save later.yaml\nRiga\n!open\n");
    chat(&mini, &["--session", &id], &lines).code(0);
    let saved = std::fs::read_to_string(mini.path("scenarios/mini/later.yaml")).expect("a scenario");
    assert!(saved.contains("given:\n  topic: { city: riga, evidence: good, asked: 1 }\n"), "{saved}");
    assert!(!saved.contains("Oslo") && !saved.contains(&id), "{saved}");
    mini.run(&["replay", "scenarios/mini/later.yaml"]).code(0);
    // Nothing is saved that began in the middle of a turn.
    let run = chat(&mini, &["--session", &id], &format!("{GOOD}\n/save middle.yaml\n")).code(1);
    assert!(err(&run).contains("it began in the middle of a turn, and no scenario begins so"), "{}", err(&run));
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
    refused(&["--session", "x"], "there is no session x; `segue sessions list` says which there are");
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
    refused(&args, &format!("session {id} has ended; leave `--session` out to begin another one"));
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

const REFINEMENT: &str = r#"
[chat.refinement.generate]
command = ["sh", "generate.sh"]
[chat.refinement.refine]
command = ["sh", "generate.sh"]
[chat.refinement.compare]
command = ["echo", "{\"summary\": \"compared\"}"]
[chat.refinement.persist]
store = "context"
[chat.refinement.recover.store]
turn_count = "session.turn_count"
original_question = "dialog.original_question"
current_query = "dialog.current_query"
current_result = "dialog.current_result"
turns = "dialog.turns"
[session.refinement]
begin = { open = { database = "ecommerce" } }
unwritten = "sync_failed"
"#;

/// It says when it is asked, and waits for the word to go on, where it is told to wait.
const GENERATE: &str = "cat > asked.json
if [ -e wait ]; then mv wait waits; until [ -e go ]; do sleep 0.01; done; rm go waits; fi
echo '{\"query\": \"SELECT 1\", \"confidence\": \"high\"}'
";

/// The refinement pack, by a path, with workflows that are programs.
fn refinement() -> Mini {
    let mini = Mini::empty();
    program::copy(
        &std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("transitions/refinement"),
        &mini.path("transitions/refinement"),
    );
    mini.write("segue.toml", REFINEMENT);
    mini.write("generate.sh", GENERATE);
    mini
}

const PACK: [&str; 2] = ["--pack", "transitions/refinement"];

/// The one message of a turn for people, and what it holds.
fn message(turn: &Json) -> (&str, &Json) {
    let [message] = &turn["messages"].as_array().expect("messages")[..] else { panic!("one message: {turn}") };
    (message["message"].as_str().expect("a name"), &message["with"])
}

/// S1, Session Lifecycle: a session is opened with its database, cleared by `/clear` and ended by `/exit`; its metadata stay.
#[test]
fn a_session_lives_as_the_source_says() {
    let mini = refinement();
    let lines = "Show me all users\nOnly from last month\n/new Only active ones\n/clear\n/exit\nnever said\n";
    let run = chat(&mini, &PACK, lines).code(0);
    let turns = turns(&run);
    let classes: Vec<&str> = turns.iter().filter_map(|turn| turn["transition"].as_str()).collect();
    assert_eq!(classes, ["OPEN", "GENERATED", "REFINED", "GENERATED", "CLEAR", "EXIT"]);
    let id = only(&mini).head.id;
    assert_eq!(message(&turns[2]).1["sessionId"], json!(id));
    let (notice, with) = message(&turns[4]);
    assert_eq!((notice, &with["kind"], &with["sessionId"]), ("notice", &json!("cleared"), &json!(id)));
    // What the pack has persisted is known of the session; what was said in it is not any more.
    let Kept { head, state, .. } = only(&mini);
    assert_eq!(
        Json::Object(head.context),
        json!({ "sessionId": id, "database": "ecommerce", "turnCount": 0, "epoch": 1, "status": "ended" })
    );
    assert!(head.ended.is_some() && state.is_none() && store(&mini).entries(&id).expect("a session").is_empty());
    // The event that ends it and its end are one commit: one for each input, and for each outcome of the queries.
    assert_eq!((head.turns, head.revision), (6, 10));
    assert!(err(&run).ends_with(&format!("session {id} has ended\n")), "{}", err(&run));
    // Log messages are on standard error.
    let log = [&PACK[..], &["--log", "info"]].concat();
    let run = chat(&mini, &log, "Show me all users\nusers of Riga\n").code(0);
    assert!(err(&run).contains("WARN segue::message: Ambiguous intent detected"), "{}", err(&run));
    assert!(err(&run).contains("INFO segue::message: Turn 1 of "), "{}", err(&run));
    assert!(!out(&run).contains("Ambiguous intent"), "{}", out(&run));
}

#[test]
fn the_content_is_kept_where_that_is_said() {
    for by_flag in [true, false] {
        let mini = refinement();
        if !by_flag {
            mini.write("segue.toml", format!("{REFINEMENT}keep_content = true\n"));
        }
        let args = if by_flag { [&PACK[..], &["--keep-content"]].concat() } else { PACK.to_vec() };
        chat(&mini, &args, "Show me all users\n/quit\n").code(0);
        let Kept { head, state, .. } = only(&mini);
        assert!(head.ended.is_some() && state.is_some());
        let entries = store(&mini).entries(&head.id).expect("its entries");
        assert_eq!(entries.last().and_then(|entry| entry.transition.as_deref()), Some("EXIT"));
    }
}

/// Commands of the chat do not stand in the way of those of the pack: what the pack hears is said to it.
#[test]
fn what_the_pack_hears_is_said_to_it() {
    let mini = refinement();
    let lines = "/chat state session\n/state session\n/help\n/clear {}\n/chat quit\n";
    let run = chat(&mini, &PACK, lines).code(0);
    let told = err(&run);
    assert_eq!(told.matches("database  ecommerce\n").count(), 2, "{told}");
    assert!(
        told.contains("  /chat quit ") && told.contains("  /exit, /quit ") && told.contains("  /state [FRAME] "),
        "{told}"
    );
    assert_eq!(turns(&run).len(), 2, "the event `clear`, and the session that was opened");
    assert_eq!(only(&mini).head.ended, None, "the chat was left, and the session goes on");
    let id = only(&mini).head.id;
    let args = [&PACK[..], &["--session", &id]].concat();
    let run = chat(&mini, &args, "/chat chat\n/chat stat\n/quit\n").code(1);
    assert_eq!(turns(&run)[0]["transition"], "EXIT");
    assert!(err(&run).contains("line 1: `chat` is no command; "), "{}", err(&run));
    assert!(err(&run).contains("line 2: `stat` is no command; did you mean `state`?"), "{}", err(&run));
    assert!(only(&mini).head.ended.is_some());
}

/// A chat that is killed between the end that the pack says and that of the session: the session ends when it is taken up.
#[test]
fn an_end_that_was_not_written_is_written_then() {
    let mini = refinement();
    let run = chat(&mini, &PACK, "Show me all users\n").code(0);
    let id = turns(&run)[0]["sessionId"].as_str().expect("an id").to_owned();
    let files = segue::workspace::Workspace::of(&mini.path("")).and_then(|of| of.pack("refinement")).expect("a pack");
    let registry = segue::load::load(&files, &segue::declare::Options::default()).registry.expect("it loads");
    let store = store(&mini);
    let mut ids = segue::engine::NumberedIds::default();
    let mut env = segue::scenario::env(&segue::scenario::Clock::default(), 9, &mut ids);
    let mut live = segue::session::Live::resume(&registry, &store, &id, &mut env).expect("a session").live;
    let exit = segue::engine::Event::input(&registry, "exit", &json!({}), &json!({})).expect("an event");
    live.take(&exit, &mut env).expect("taken");
    let args = [&PACK[..], &["--session", &id]].concat();
    let run = chat(&mini, &args, "never said\n").code(0).stdout_eq("");
    assert!(err(&run).ends_with(&format!("session {id} has ended\n")), "{}", err(&run));
    assert!(only(&mini).head.ended.is_some() && only(&mini).state.is_none());
}

/// S1, State Synchronization Failures: the outcome of a turn cannot be written. It is told, the pack logs it and recovers what was last saved,
/// and when the store can be written again all goes on from there.
#[cfg(unix)]
#[test]
fn what_was_last_saved_is_recovered() {
    let mini = refinement();
    let mut talk = Talk::new(&mini, &PACK);
    talk.turn();
    talk.say(&["Show me all users"]);
    let id = only(&mini).head.id;
    mini.write("wait", "");
    talk.write("Only from last month");
    until(|| mini.path("waits").exists());
    let other = rusqlite::Connection::open(mini.path(STORE)).expect("the file");
    other.execute_batch("BEGIN IMMEDIATE").expect("held");
    let before = only(&mini);
    mini.write("go", "");
    let failed = talk.turn();
    let line = talk.told("error: ");
    assert!(
        line.contains("the store is locked by another process")
            && line.ends_with("the outcome of `refine` is not taken\n"),
        "{line}"
    );
    let (name, with) = message(&failed);
    assert_eq!((name, &with["canRetry"]), ("failed", &json!(true)));
    assert!(with["message"].as_str().expect("why").contains("the store is locked"), "{with}");
    let recovered = talk.turn();
    assert_eq!((&recovered["transition"], &message(&recovered).1["kind"]), (&json!("RECOVERED"), &json!("recovered")));
    assert!(talk.told("ERROR segue::message: State synchronization failed").contains(&id));
    assert_eq!(only(&mini), before, "nothing was written meanwhile");
    other.execute_batch("ROLLBACK").expect("let go");
    // What is said again goes on from the query that was last saved.
    let again = talk.say(&["Only from last month"]);
    assert_eq!((&again["transition"], &message(&again).1["turnNumber"]), (&json!("REFINED"), &json!(2)));
    let asked: Json = serde_json::from_slice(&std::fs::read(mini.path("asked.json")).expect("a call")).expect("JSON");
    assert_eq!(asked["with"]["currentQuery"], "SELECT 1");
    talk.kill();
    let state: Json = serde_json::from_str(&only(&mini).state.expect("a state")).expect("JSON");
    let turns = state.pointer("/conversation_session_state/dialog_state/conversation_state/turns");
    assert_eq!(turns.and_then(Json::as_array).map(Vec::len), Some(2), "{state}");
}

/// Nothing can be recovered: the conversation is reset, and the user is told.
#[cfg(unix)]
#[test]
fn what_cannot_be_recovered_is_reset() {
    let mini = refinement();
    let mut talk = Talk::new(&mini, &PACK);
    talk.turn();
    talk.say(&["Show me all users"]);
    let id = only(&mini).head.id;
    mini.write("wait", "");
    talk.write("Only from last month");
    until(|| mini.path("waits").exists());
    // Somebody takes the session out meanwhile.
    store(&mini).delete(&id).expect("taken out");
    mini.write("go", "");
    assert_eq!(message(&talk.turn()).0, "failed");
    let reset = talk.turn();
    assert_eq!(
        (&reset["transition"], &message(&reset).1["kind"]),
        (&json!("UNRECOVERED"), &json!("conversation_reset"))
    );
    talk.told("ERROR segue::message: Conversation state could not be recovered and was reset");
    // It goes on not to be written, and says so; whatever is said begins anew.
    talk.write("/state dialog");
    assert_eq!(talk.told("turns "), "turns  []\n");
    let again = talk.say(&["Show me all users"]);
    assert_eq!(message(&again).1["kind"], "conversation_reset");
    let (code, _, err) = talk.end();
    assert_eq!(code, Some(1));
    assert!(err.contains(&format!("line 4: there is no session {id}: it is not taken")), "{err}");
}

/// A store that is damaged under the chat: nothing can be written, and what is written cannot be read.
#[cfg(unix)]
#[test]
fn a_damaged_store_is_told_and_the_conversation_reset() {
    let mini = refinement();
    let mut talk = Talk::new(&mini, &PACK);
    talk.turn();
    talk.say(&["Show me all users"]);
    mini.write("wait", "");
    talk.write("Only from last month");
    until(|| mini.path("waits").exists());
    let other = rusqlite::Connection::open(mini.path(STORE)).expect("the file");
    other.execute_batch("ALTER TABLE entry RENAME TO gone; UPDATE session SET state = 'nothing';").expect("damaged");
    mini.write("go", "");
    assert_eq!(message(&talk.turn()).0, "failed");
    assert_eq!(message(&talk.turn()).1["kind"], "conversation_reset");
    let line = talk.told("error: ");
    assert!(line.contains("no such table") && line.ends_with("the outcome of `refine` is not taken\n"), "{line}");
    talk.told("ERROR segue::message: Conversation state could not be recovered and was reset");
    talk.kill();
}

/// Where nothing says which event tells the pack, the outcome that could not be written stays due, and the session stands as before.
#[cfg(unix)]
#[test]
fn without_such_an_event_the_call_stays_open() {
    let mini = refinement();
    mini.edit("segue.toml", "unwritten = \"sync_failed\"\n", "");
    let mut talk = Talk::new(&mini, &PACK);
    talk.turn();
    mini.write("wait", "");
    talk.write("Show me all users");
    until(|| mini.path("waits").exists());
    let other = rusqlite::Connection::open(mini.path(STORE)).expect("the file");
    other.execute_batch("BEGIN IMMEDIATE").expect("held");
    mini.write("go", "");
    let open = talk.turn();
    assert_eq!(
        (&open["transition"], &open["answer_mode"], &open["calls"][0]["status"]),
        (&json!("NEW_QUERY"), &Json::Null, &Json::Null)
    );
    assert!(talk.told("error: ").ends_with("the outcome of `generate` is not taken, and the call stays open\n"));
    other.execute_batch("ROLLBACK").expect("let go");
    let given = "/outcome {\"port\": \"generate\", \"returns\": {\"query\": \"SELECT 2\", \"confidence\": \"high\"}}";
    assert_eq!(talk.say(&[given])["transition"], "GENERATED");
    talk.kill();
    assert_eq!(only(&mini).pending, []);
}
