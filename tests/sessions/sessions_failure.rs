//! What goes wrong for real around sessions that are kept: processes that end in the middle of a write, disks without room or that may
//! not be written, files that are locked or damaged, clocks that go backwards (S1 IRW-REQ-03, IRW-REQ-05).
#![expect(clippy::disallowed_methods, reason = "the test starts itself, and spoils files")]

use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Barrier;
use std::time::Duration;

use crate::support::{self, Dice, main_pack, small_pack};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use segue::engine::{Env, Event, NumberedIds};
use segue::model::Status;
use segue::registry::Registry;
use segue::session::{Entry, Kept, Live, Memory, SessionError, Store, StoreError};
use segue::store::{Access, Sqlite};
use serde_json::{Map, Value as Json, json};
use tempfile::TempDir;

const NOW: &str = "2021-05-10T12:00:00Z";

fn env<'i>(now: &str, ids: &'i mut NumberedIds) -> Env<'i> {
    Env { now: now.to_owned().into(), ..support::env::env(1, ids) }
}

fn opened<'r, S: Store>(registry: &'r Registry, store: S, id: &str) -> Live<'r, S> {
    Live::open(registry, store, id, Map::new(), NOW).expect("a new session")
}

fn resumed<'r, S: Store>(registry: &'r Registry, store: S, id: &str) -> Live<'r, S> {
    let taken = Live::resume(registry, store, id, &mut env(NOW, &mut NumberedIds::default()));
    taken.unwrap_or_else(|error| panic!("{error}")).live
}

fn says<S: Store>(registry: &Registry, live: &mut Live<'_, S>, text: &str) -> Result<(), SessionError> {
    let said = Event::input(registry, "utterance", &json!({ "text": text }), &json!({})).expect("an utterance");
    live.take(&said, &mut env(NOW, &mut NumberedIds::default())).map(|_| ())
}

/// Each event is there once, in order, and the state can be taken up.
fn whole<'r>(registry: &'r Registry, store: &'r Sqlite, id: &str) -> Live<'r, &'r Sqlite> {
    let live = resumed(registry, store, id);
    let numbers: Vec<u64> = store.entries(id).expect("entries").iter().map(|entry| entry.revision).collect();
    assert_eq!(numbers, (1..=live.head().revision).collect::<Vec<_>>(), "{id}");
    assert_eq!(store.faults(), Ok(Vec::new()));
    live
}

/// Says so even where the output of tests that pass is not shown.
fn not_run(what: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "NOT RUN: {what}: {why}");
}

/// What the tests below that run as processes of their own are told: the store, what to do, and a number.
const STORE: &str = "SEGUE_TEST_STORE";
const TASK: &str = "SEGUE_TEST_TASK";
const BYTES: &str = "SEGUE_TEST_BYTES";
const CHILD: &str = "sessions_failure::a_process_in_trouble";

/// This test as a process of its own, started by a program that sees to it that it is in trouble.
fn child(through: &[&str], path: &Path, task: &str, bytes: u64) -> Output {
    let me = std::env::current_exe().expect("this test");
    let mut command = match through {
        [] => Command::new(&me),
        [program, args @ ..] => {
            let mut command = Command::new(program);
            command.args(args).arg(&me);
            command
        }
    };
    command.args(["--ignored", "--exact", CHILD, "--nocapture", "--test-threads=1"]);
    command.env(STORE, path).env(TASK, task).env(BYTES, bytes.to_string()).stdin(Stdio::null());
    command.output().expect("it starts")
}

fn shown(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// From here on no file of this process grows beyond so many bytes. Who tries is ended by the system, in the middle of the write.
fn limit(bytes: u64) {
    let (_, most) = getrlimit(Resource::RLIMIT_FSIZE).expect("the limit");
    setrlimit(Resource::RLIMIT_CORE, 0, 0).expect("no memory image");
    setrlimit(Resource::RLIMIT_FSIZE, bytes.min(most), most).expect("a limit");
}

#[test]
#[ignore = "runs as a process of its own, which ends in the middle of a write"]
fn a_process_in_trouble() {
    let (Ok(path), Ok(task), Ok(bytes)) = (std::env::var(STORE), std::env::var(TASK), std::env::var(BYTES)) else {
        return;
    };
    let (path, bytes) = (Path::new(&path), bytes.parse::<u64>().expect("a number"));
    let registry = small_pack();
    match &*task {
        // The log that is written ahead grows by so many bytes.
        "commit" => {
            let store = Sqlite::open(path, Access::Existing).expect("the store");
            let mut live = resumed(&registry, &store, "s-1");
            limit(bytes);
            says(&registry, &mut live, "Oslo").expect("it is written");
            limit(u64::MAX);
            println!("\nwritten {}", live.head().revision);
        }
        // What was committed is brought from the log into the file, whose end is out of reach.
        "close" => {
            let store = Sqlite::open(path, Access::Existing).expect("the store");
            for id in ["s-1", "s-9"] {
                let mut live = resumed(&registry, &store, id);
                says(&registry, &mut live, "Oslo").expect("it is written");
                println!("\nwritten {}", live.head().revision);
            }
            limit(bytes);
            drop(store);
            limit(u64::MAX);
            println!("\nclosed");
        }
        // The system refuses the write and lets the process live.
        "refused" => {
            let store = Sqlite::open(path, Access::Existing).expect("the store");
            let mut live = resumed(&registry, &store, "s-1");
            let before = (live.head().clone(), live.state().clone(), store.read("s-1"));
            limit(bytes);
            let error = says(&registry, &mut live, "Oslo").expect_err("no room");
            limit(u64::MAX);
            assert!(
                matches!(error, SessionError::Store(StoreError::Full { .. } | StoreError::Failed { .. })),
                "{error:?}"
            );
            assert_eq!((live.head().clone(), live.state().clone(), store.read("s-1")), before);
            says(&registry, &mut live, "Oslo").expect("there is room again");
            println!("\nrefused: {error}");
        }
        // The disk is full.
        "fill" => {
            let ballast = path.with_file_name("ballast");
            fs::write(&ballast, vec![7; 128 * 1024]).expect("something in the way");
            let store = Sqlite::open(path, Access::Write).expect("a store");
            let mut live = opened(&registry, &store, "s-1");
            let error = (0..1000).find_map(|_| says(&registry, &mut live, "Riga").err()).expect("the disk is small");
            let SessionError::Store(StoreError::Full { .. }) = &error else { panic!("{error:?}") };
            let kept = store.read("s-1").expect("it can be read");
            assert_eq!(&kept.head, live.head(), "what was committed stays");
            assert_eq!(store.entries("s-1").expect("its entries").len() as u64, live.head().revision);
            fs::remove_file(&ballast).expect("room is made");
            says(&registry, &mut live, "Riga").expect("it goes on");
            whole(&registry, &store, "s-1");
            println!("\nfull at {}: {error}", live.head().revision);
        }
        // The disk may only be read.
        "read" => {
            for access in [Access::Write, Access::Existing] {
                let taken = Sqlite::open(path, access).and_then(|store| {
                    let error =
                        says(&registry, &mut resumed(&registry, &store, "s-1"), "Riga").expect_err("not written");
                    let SessionError::Store(error) = error else { panic!("{error}") };
                    Err::<(), _>(error)
                });
                let error = taken.expect_err("it may not be written");
                assert!(matches!(error, StoreError::ReadOnly { .. }), "{access:?}: {error:?}");
            }
            let store = Sqlite::open(path, Access::Read).expect("it can be read");
            println!("\nread only, at {}", whole(&registry, &store, "s-1").head().revision);
        }
        task => panic!("{task} is no task"),
    }
}

/// A store of a few sessions, closed: all of it is in one file.
fn made(path: &Path, sessions: usize) -> Registry {
    let registry = small_pack();
    let store = Sqlite::open(path, Access::Write).expect("a store");
    for id in 0..sessions {
        let mut live = opened(&registry, &store, &format!("s-{id}"));
        for text in ["Riga", "Oslo", "Riga"] {
            says(&registry, &mut live, text).expect("taken");
        }
    }
    registry
}

#[test]
fn a_process_that_ends_within_a_write_leaves_all_of_it_or_nothing() {
    let folder = TempDir::new().expect("a folder");
    let (base, path) = (folder.path().join("base.db"), folder.path().join("x.db"));
    let registry = made(&base, 3);
    let (mut inside, mut at, mut kept) = (0, 0, 0);
    loop {
        fs::copy(&base, &path).expect("a copy");
        let output = child(&[], &path, "commit", at);
        let written = shown(&output).contains("written 4");
        assert_eq!(output.status.signal().is_none(), written, "{}", shown(&output));
        let store = Sqlite::open(&path, Access::Existing).expect("the store can be read");
        let revision = whole(&registry, &store, "s-1").head().revision;
        assert!(revision == 3 || revision == 4, "{revision}");
        assert!(!written || revision == 4, "what was told is there");
        whole(&registry, &store, "s-0");
        says(&registry, &mut resumed(&registry, &store, "s-1"), "Riga").expect("it goes on");
        drop(store);
        for beside in ["x.db-wal", "x.db-shm"] {
            let _ = fs::remove_file(folder.path().join(beside));
        }
        if written {
            break;
        }
        assert_eq!(output.status.signal(), Some(nix::libc::SIGXFSZ), "{}", shown(&output));
        inside += 1;
        kept += u64::from(revision == 4);
        // Within each header and each page of the log.
        at += if at < 100 { 31 } else { 257 };
    }
    assert!(inside >= 20, "{inside} processes ended within the write");
    assert!(kept < inside, "some writes were not whole");
}

#[test]
fn a_process_that_ends_while_the_log_is_brought_in_loses_nothing() {
    let folder = TempDir::new().expect("a folder");
    let (base, path) = (folder.path().join("base.db"), folder.path().join("x.db"));
    let registry = made(&base, 120);
    let size = fs::metadata(&base).expect("the file").len();
    let (mut inside, mut at) = (0, 64 * 1024);
    assert!(size > at * 2, "{size}");
    while at < size {
        fs::copy(&base, &path).expect("a copy");
        let output = child(&[], &path, "close", at);
        let told = shown(&output);
        assert_eq!(told.matches("written 4").count(), 2, "{told}");
        assert_eq!(output.status.signal(), (!told.contains("closed")).then_some(nix::libc::SIGXFSZ), "{told}");
        inside += u64::from(!told.contains("closed"));
        let store = Sqlite::open(&path, Access::Existing).expect("the store can be read");
        for (id, revision) in [("s-1", 4), ("s-9", 4), ("s-0", 3), ("s-119", 3)] {
            assert_eq!(whole(&registry, &store, id).head().revision, revision, "{id}, {at} of {size} bytes");
        }
        drop(store);
        for beside in ["x.db-wal", "x.db-shm"] {
            let _ = fs::remove_file(folder.path().join(beside));
        }
        at += 4096 * 5 + 700;
    }
    assert!(inside >= 3, "{inside} processes ended while the log was brought in");
}

#[test]
fn a_write_that_the_system_refuses_leaves_all_as_it_was() {
    let folder = TempDir::new().expect("a folder");
    let (base, path) = (folder.path().join("base.db"), folder.path().join("x.db"));
    made(&base, 3);
    for at in [0, 1, 32, 40, 1000, 4200, 8000] {
        fs::copy(&base, &path).expect("a copy");
        let output = child(&["sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh"], &path, "refused", at);
        assert!(output.status.success() && shown(&output).contains("\nrefused: "), "{at}: {}", shown(&output));
        for beside in ["x.db-wal", "x.db-shm"] {
            let _ = fs::remove_file(folder.path().join(beside));
        }
    }
}

/// Whether this user may have a disk of his own for a while.
fn may_mount() -> bool {
    let tried = Command::new("unshare").args(["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).output();
    tried.is_ok_and(|output| output.status.success())
}

#[test]
fn a_full_disk_is_told_and_what_was_committed_stays() {
    if !may_mount() {
        return not_run("a full disk", "`unshare -rm mount -t tmpfs` is not allowed here");
    }
    let folder = TempDir::new().expect("a folder");
    let disk = folder.path().to_str().expect("a name");
    let script = "mount -t tmpfs -o size=600k none \"$1\" && shift && exec \"$@\"";
    let output = child(&["unshare", "-rm", "sh", "-c", script, "sh", disk], &folder.path().join("x.db"), "fill", 0);
    assert!(output.status.success() && shown(&output).contains("\nfull at "), "{}", shown(&output));
}

#[test]
fn a_disk_that_may_only_be_read_is_told_and_read() {
    if !may_mount() {
        return not_run("a disk that may only be read", "`unshare -rm mount` is not allowed here");
    }
    let folder = TempDir::new().expect("a folder");
    let (disk, path) = (folder.path().to_str().expect("a name"), folder.path().join("x.db"));
    made(&path, 3);
    let script = "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && shift && exec \"$@\"";
    let output = child(&["unshare", "-rm", "sh", "-c", script, "sh", disk], &path, "read", 0);
    assert!(output.status.success() && shown(&output).contains("\nread only, at 3"), "{}", shown(&output));
}

#[test]
fn a_store_that_another_one_holds_is_told_as_soon_as_is_wished() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("x.db");
    let registry = made(&path, 1);
    let store = Sqlite::open(&path, Access::Existing).expect("the store");
    store.patience(Duration::ZERO).expect("it waits for nobody");
    let mut live = resumed(&registry, &store, "s-0");
    let other = rusqlite::Connection::open(&path).expect("the same file");
    other.execute_batch("BEGIN EXCLUSIVE").expect("it is held");
    let before = (live.head().clone(), live.state().clone(), store.read("s-0"));
    for _ in 0..3 {
        let error = says(&registry, &mut live, "Riga").expect_err("it is held");
        assert!(matches!(error, SessionError::Store(StoreError::Locked { .. })), "{error:?}");
        assert!(matches!(store.delete("s-0"), Err(StoreError::Locked { .. })));
        assert_eq!((live.head().clone(), live.state().clone(), store.read("s-0")), before, "it can be read meanwhile");
    }
    other.execute_batch("ROLLBACK").expect("it is let go");
    says(&registry, &mut live, "Riga").expect("it goes on");
    assert_eq!(whole(&registry, &store, "s-0").head().revision, before.0.revision + 1);
}

/// All that a store says of the sessions that it should hold.
type Told = Vec<(String, Result<Kept, StoreError>, Result<Vec<Entry>, StoreError>)>;

fn told(store: &Sqlite, ids: &[String]) -> Told {
    ids.iter().map(|id| (id.clone(), store.read(id), store.entries(id))).collect()
}

#[test]
fn a_flipped_bit_is_told_or_does_no_harm() {
    let folder = TempDir::new().expect("a folder");
    let (base, path) = (folder.path().join("base.db"), folder.path().join("x.db"));
    let registry = made(&base, 6);
    let ids: Vec<String> = (0..6).map(|id| format!("s-{id}")).collect();
    let store = Sqlite::open(&base, Access::Read).expect("the store");
    let (heads, right) = (store.list().expect("all sessions"), told(&store, &ids));
    drop(store);
    let bytes = fs::read(&base).expect("the file");
    let mut dice = Dice(5);
    let places = (0..100).chain((0..700).map(|_| dice.below(bytes.len()))).collect::<Vec<_>>();
    let (mut at_once, mut later, mut harmless) = (0, 0, 0);
    for at in places {
        let mut spoilt = bytes.clone();
        spoilt[at] ^= 1 << dice.below(8);
        fs::write(&path, &spoilt).expect("written");
        let context = format!("byte {at}: {} became {}", bytes[at], spoilt[at]);
        let looked = catch_unwind(AssertUnwindSafe(|| {
            let access = if at % 2 == 0 { Access::Read } else { Access::Existing };
            let Ok(store) = Sqlite::open(&path, access) else { return (1, 0, 0) };
            let sound = store.faults() == Ok(Vec::new());
            let (list, found) = (store.list(), told(&store, &ids));
            let mut wrong = usize::from(!sound);
            match &list {
                Ok(list) if sound => assert_eq!(*list, heads, "{context}"),
                Ok(list) => assert!(list.iter().all(|head| heads.contains(head)), "{context}"),
                Err(_) => wrong += 1,
            }
            for ((id, kept, entries), (_, right, log)) in found.iter().zip(&right) {
                // What is read is what was written.
                wrong += usize::from(kept.is_err()) + usize::from(entries.is_err());
                assert!(kept.is_err() || kept == right, "{context}: {id}");
                assert!(entries.is_err() || entries == log, "{context}: {id}");
                let missing = matches!(kept, Err(StoreError::Missing { .. }));
                assert!(!(sound && missing), "{context}: {id} is missed, and nobody says why");
                if kept.is_ok() && access == Access::Existing {
                    // It goes on, or says why not.
                    let _ = says(&registry, &mut resumed(&registry, &store, id), "Oslo");
                }
            }
            (0, usize::from(wrong > 0), usize::from(wrong == 0))
        }));
        let (open, read, none) = looked.unwrap_or_else(|_| panic!("{context}"));
        (at_once, later, harmless) = (at_once + open, later + read, harmless + none);
        for beside in ["x.db-wal", "x.db-shm", "x.db-journal"] {
            let _ = fs::remove_file(folder.path().join(beside));
        }
    }
    assert!(at_once > 5 && later > 200 && harmless > 20, "{at_once} {later} {harmless}");
}

#[test]
fn a_clock_that_goes_backwards_harms_no_session() {
    let (registry, folder) = (main_pack(), TempDir::new().expect("a folder"));
    let sqlite = Sqlite::open(&folder.path().join("x.db"), Access::Write).expect("a store");
    let memory = Memory::default();
    let said = ["show stock for March 2020 at Romashka", "hello", "thanks", "and for April 2020"];
    let run = |store: &dyn Store, hours: [u32; 4]| {
        let mut ids = NumberedIds::default();
        let _ = store.delete("s-1");
        opened(&registry, store, "s-1");
        for (text, hour) in said.iter().zip(hours) {
            // Who takes it up may have another clock, too.
            let mut live = resumed(&registry, store, "s-1");
            let now = format!("2021-05-10T{hour:02}:00:00Z");
            let said = Event::input(&registry, "utterance", &json!({ "text": text }), &json!({})).expect("an event");
            let mut env = env(&now, &mut ids);
            live.take(&said, &mut env).expect("taken");
            while let Some(pending) = live.pending().first() {
                let (call, value) = (pending.call.as_str().into(), Some(json!({ "coverage_status": "full" })));
                live.take(&Event::Outcome { call, status: Status::Ok, value, error: None }, &mut env).expect("taken");
            }
            assert_eq!(live.head().touched, now);
        }
        let (kept, entries) = (store.read("s-1").expect("it"), store.entries("s-1").expect("its entries"));
        let state: Json = serde_json::from_str(&kept.state.expect("a state")).expect("JSON");
        let inputs =
            entries.iter().map(|entry| (entry.revision, entry.turn, entry.input.clone(), entry.messages.clone()));
        (kept.head.turns, kept.head.revision, state, kept.pending, inputs.collect::<Vec<_>>())
    };
    let stores: [&dyn Store; 2] = [&sqlite, &memory];
    for store in stores {
        let forwards = run(store, [9, 10, 11, 12]);
        assert_eq!(run(store, [12, 3, 23, 0]), forwards);
        assert!(forwards.4.len() > 4, "calls were answered");
    }
}

#[test]
fn fb_07_two_sessions_of_one_registry_in_one_store_know_nothing_of_each_other() {
    let (registry, folder) = (main_pack(), TempDir::new().expect("a folder"));
    let path = folder.path().join("x.db");
    drop(Sqlite::open(&path, Access::Write).expect("a store"));
    let scripts = [
        ("a", ["show stock for March 2020 at Romashka", "and for April 2020", "hello", "show stock"]),
        ("b", ["and for April 2020", "what did we talk about", "show stock", "who is the supplier"]),
    ];
    let play = |store: &dyn Store, id: &str, script: &[&str]| {
        let (mut live, mut ids) = (opened(&registry, store, id), NumberedIds::default());
        for round in 0..5 {
            for text in script {
                let said =
                    Event::input(&registry, "utterance", &json!({ "text": text }), &json!({})).expect("an event");
                live.take(&said, &mut env(NOW, &mut ids)).expect("taken");
                while let Some(pending) = live.pending().first() {
                    let call = pending.call.as_str().into();
                    let value = json!({ "coverage_status": "full", "result_set_id": format!("{id}-{round}") });
                    let outcome = Event::Outcome { call, status: Status::Ok, value: Some(value), error: None };
                    live.take(&outcome, &mut env(NOW, &mut ids)).expect("taken");
                }
                live = resumed(&registry, store, id);
            }
        }
    };
    let lonely = Memory::default();
    scripts.iter().for_each(|(id, script)| play(&lonely, id, script));
    let barrier = Barrier::new(2);
    std::thread::scope(|scope| {
        for (id, script) in &scripts {
            let (path, barrier, play) = (&path, &barrier, &play);
            scope.spawn(move || {
                let store = Sqlite::open(path, Access::Existing).expect("the store");
                barrier.wait();
                play(&store, id, script);
            });
        }
    });
    let store = Sqlite::open(&path, Access::Read).expect("the store");
    for (id, _) in &scripts {
        assert_eq!(store.entries(id), lonely.entries(id), "{id}");
        assert_eq!(store.read(id), lonely.read(id), "{id}");
    }
    let b = serde_json::to_string(&store.entries("b").expect("its log")).expect("JSON");
    assert!(!b.contains("Romashka") && !b.contains("2020-03") && !b.contains("\"a-"), "{b}");
    assert_ne!(store.read("a").expect("a").state, store.read("b").expect("b").state);
}
