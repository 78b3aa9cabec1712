//! Sessions that are kept: taken up again after every event they are what they were, of two writers one is right, and a process that is
//! killed at any moment loses nothing that was committed (S1 IRW-REQ-03, IRW-REQ-05, IRW-REQ-06).
#![cfg(feature = "sqlite")]
#![expect(clippy::disallowed_methods, reason = "the test starts itself and writes files that are no stores")]

mod oracle;
mod support;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Arc, Barrier};

use jiff::civil::Date;
use segue::compose::cascade;
use segue::engine::{Env, Event, NumberedIds};
use segue::registry::Registry;
use segue::session::{Commit, Entry, Head, Kept, Live, Memory, Resumed, Retention, SessionError, Store, StoreError};
use segue::source::SourceText;
use segue::state::SessionState;
use segue::store::{Access, Sqlite};
use segue::workspace::Workspace;
use serde_json::{Map, Value as Json, json};
use support::corpus::Corpus;
use support::env::shipped;
use support::events::event;
use support::{Dice, loaded, main_files, main_pack};
use tempfile::TempDir;

fn env(ids: &mut NumberedIds) -> Env<'_> {
    Env {
        now: "2021-05-10T12:00:00Z".into(),
        today: Date::new(2021, 5, 10).expect("a day"),
        session_id: "s-1".into(),
        turn_id: "t-1".into(),
        ids,
        trace: false,
        probe: None,
    }
}

fn context() -> Map<String, Json> {
    Map::from_iter([("database".to_owned(), json!("ecommerce"))])
}

fn opened<'r, S: Store>(registry: &'r Registry, store: S, id: &str) -> Live<'r, S> {
    Live::open(registry, store, id, context(), "2021-05-10T12:00:00Z").expect("a new session")
}

fn resumed<'r, S: Store>(registry: &'r Registry, store: S, id: &str) -> Live<'r, S> {
    let Resumed { live, repaired } = Live::resume(registry, store, id, &mut env(&mut NumberedIds::default()))
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(repaired.is_empty());
    live
}

fn utterance(registry: &Registry, text: &str) -> Event {
    Event::input(registry, "utterance", &json!({ "text": text }), &json!({})).expect("an utterance")
}

/// A session at random, taken up again after each event, beside one that nothing keeps.
fn law(registry: &Registry, store: &dyn Store, seed: u64, corpus: &Corpus) {
    let id = format!("s-{seed}");
    let mut live = opened(registry, store, &id);
    let (mut dice, mut gone) = (Dice(seed), Vec::<Arc<str>>::new());
    let (mut ids, mut alone) = (NumberedIds::default(), NumberedIds::default());
    let mut state = SessionState::new(registry.pack());
    let mut taken = 0;
    for _ in 0..20 {
        let event = event(registry, &state, &gone, &[], &mut dice, corpus);
        let wanted = cascade(registry, &state, &event, &mut env(&mut alone));
        let done = live.take(&event, &mut env(&mut ids));
        match (wanted, done) {
            (Ok(wanted), Ok(done)) => {
                assert_eq!(done.state, wanted.state, "{seed}");
                taken += u64::from(done.refused().is_none());
                gone.extend(state.open_calls().iter().map(|call| call.id.clone()));
                state = wanted.state;
            }
            (Err(wanted), Err(SessionError::Step(error))) => assert_eq!(error, wanted, "{seed}"),
            (wanted, done) => panic!("{seed}: {wanted:?}\n{done:?}"),
        }
        live = resumed(registry, store, &id);
        assert_eq!(*live.state(), state, "{seed}");
        let written = (taken > 0).then(|| state.to_json(registry.pack()).to_string());
        assert!(written.is_none() || store.read(&id).expect("it").state == written, "the saved form: {seed}");
        let open: Vec<String> =
            state.host_calls(registry.pack()).into_iter().map(|(_, call)| call.id.to_string()).collect();
        assert_eq!(live.pending().iter().map(|pending| pending.call.clone()).collect::<Vec<_>>(), open, "{seed}");
    }
    let entries = store.entries(&id).expect("its entries");
    assert_eq!((live.head().revision, entries.len() as u64), (taken, taken), "each event is there once: {seed}");
    let turns = entries.iter().filter(|entry| entry.input["event"].is_string()).count() as u64;
    assert_eq!(live.head().turns, turns, "{seed}");
}

#[test]
fn a_session_that_is_taken_up_again_is_what_it_was() {
    let (registry, corpus) = (main_pack(), Corpus::read());
    let folder = TempDir::new().expect("a folder");
    let memory = Memory::default();
    let sqlite = Sqlite::open(&folder.path().join("sessions.db"), Access::Write).expect("a store");
    // Frames with instances, and packs that use packs.
    for (from, name) in [(100, "booking"), (200, "joined")] {
        let (registry, corpus) = (shipped(name, &[]), Corpus::of(name));
        (from..from + 6).for_each(|seed| law(&registry, &Memory::default(), seed, &corpus));
    }
    for seed in 0..40 {
        law(&registry, &memory, seed, &corpus);
        law(&registry, &sqlite, seed, &corpus);
    }
    let heads = sqlite.list().expect("all sessions");
    assert_eq!(heads, memory.list().expect("all sessions"), "both keep the same");
    for head in heads {
        assert_eq!(sqlite.entries(&head.id), memory.entries(&head.id));
        assert_eq!(sqlite.read(&head.id), memory.read(&head.id));
        assert_eq!(head.context, context());
    }
    assert_eq!(sqlite.faults(), Ok(Vec::new()));
}

/// Tries something on both kinds of stores.
fn each_store(test: impl Fn(&dyn Store)) {
    let folder = TempDir::new().expect("a folder");
    test(&Memory::default());
    test(&Sqlite::open(&folder.path().join("sessions.db"), Access::Write).expect("a store"));
}

#[test]
fn of_two_writers_one_is_right() {
    let registry = main_pack();
    each_store(|store| {
        let mut first = opened(&registry, store, "s-1");
        let mut second = resumed(&registry, store, "s-1");
        let said = utterance(&registry, "show stock for March 2020 at Romashka");
        first.take(&said, &mut env(&mut NumberedIds::default())).expect("the first");
        let kept = store.read("s-1").expect("the session");
        let error = second.take(&said, &mut env(&mut NumberedIds::default())).expect_err("the second");
        let conflict = StoreError::Conflict { id: "s-1".into(), expected: 0, found: 1 };
        assert_eq!(error, SessionError::Store(conflict));
        assert_eq!((second.head().revision, store.read("s-1")), (0, Ok(kept)), "nothing has changed");
        assert!(second.end(Retention::Metadata, "later").is_err());
        let mut again = resumed(&registry, store, "s-1");
        assert_eq!(again.state(), first.state());
        assert_eq!(again.pending(), first.pending());
        again.take(&utterance(&registry, "hello"), &mut env(&mut NumberedIds::default())).expect("it goes on");
        assert_eq!(store.create(&store.read("s-1").expect("it")), Err(StoreError::Exists { id: "s-1".into() }));
    });
}

#[test]
fn what_is_kept_of_a_session_that_has_ended() {
    let registry = main_pack();
    each_store(|store| {
        for (id, retention) in [("gone", Retention::Metadata), ("kept", Retention::Content)] {
            let mut live = opened(&registry, store, id);
            let said = utterance(&registry, "show stock for March 2020 at Romashka");
            live.take(&said, &mut env(&mut NumberedIds::default())).expect("taken");
            live.end(retention, "2021-05-10T13:00:00Z").expect("ended");
            assert_eq!(live.end(retention, "later"), Err(SessionError::Ended { id: id.into() }));
            let kept = store.read(id).expect("what is known of it");
            assert_eq!((kept.head.turns, kept.head.ended.as_deref()), (1, Some("2021-05-10T13:00:00Z")));
            assert_eq!(kept.state.is_some(), retention == Retention::Content);
            assert_eq!(store.entries(id).expect("entries").len(), usize::from(retention == Retention::Content));
            let again = Live::resume(&registry, store, id, &mut env(&mut NumberedIds::default()));
            assert_eq!(again.err(), Some(SessionError::Ended { id: id.into() }));
            store.delete(id).expect("deleted");
            assert_eq!(store.delete(id), Err(StoreError::Missing { id: id.into() }));
            assert_eq!(store.entries(id), Err(StoreError::Missing { id: id.into() }));
        }
        assert_eq!(store.list(), Ok(Vec::new()));
    });
}

/// What was said and is given up is not left over in the file, nor in those that the store keeps beside it.
#[test]
fn what_is_given_up_is_in_no_file() {
    let (registry, folder) = (small_pack(), TempDir::new().expect("a folder"));
    let store = Sqlite::open(&folder.path().join("s.db"), Access::Write).expect("a store");
    let holds = |word: &str| {
        let files = fs::read_dir(&folder).expect("a folder").map(|file| file.expect("a file").path());
        let texts = files.map(|file| fs::read(file).expect("a file that can be read"));
        texts.filter(|text| text.windows(word.len()).any(|piece| piece == word.as_bytes())).count()
    };
    let mut ids = NumberedIds::default();
    for (id, word, retention) in [("s-1", "zebra", Retention::Metadata), ("s-2", "quagga", Retention::Content)] {
        let mut live = opened(&registry, &store, id);
        for turn in 0..30 {
            let text = format!("Riga {word} {}", word.repeat(turn * 20));
            live.take(&utterance(&registry, &text), &mut env(&mut ids)).expect("the event is taken");
        }
        assert!(holds(word) > 0, "it is kept while the session is under way");
        live.end(retention, "2021-05-10T13:00:00Z").expect("the session ends");
        if retention == Retention::Content {
            assert!(holds(word) > 0, "it is kept as was asked");
            store.delete(id).expect("the session is deleted");
        }
        assert_eq!(holds(word), 0, "{word} is left over");
    }
}

/// The main pack with a word changed in one of its files.
fn changed(from: &str, to: &str) -> Registry {
    let mut files: Vec<SourceText> = main_files();
    let mut hits = 0;
    for file in &mut files {
        hits += file.text.matches(from).count();
        file.text = file.text.replace(from, to);
    }
    assert!(hits > 0, "{from}");
    loaded(&files)
}

#[test]
fn fb_17_a_session_is_taken_up_by_its_own_registry_alone() {
    let registry = main_pack();
    let other = changed("step_limit = ", "step_limit = 1");
    let renamed = changed("id = \"assistant\"", "id = \"helper\"");
    each_store(|store| {
        opened(&registry, store, "s-1");
        let refused = |registry: &Registry| {
            let error = Live::resume(registry, store, "s-1", &mut env(&mut NumberedIds::default())).err();
            error.expect("refused").to_string()
        };
        let own = &registry.pack().fingerprint;
        let told = refused(&other);
        assert!(told.contains(own.as_str()) && told.contains(&other.pack().fingerprint), "{told}");
        let told = refused(&renamed);
        assert!(told.contains("`assistant`") && told.contains("`helper`"), "{told}");
        // From the future, and with a field that is not there.
        for (from, to, wanted) in [
            ("\"schema_version\":1", "\"schema_version\":99", "is 99; this program reads 1"),
            ("\"revision\":0,", "", "revision"),
        ] {
            let mut kept = store.read("s-1").expect("it");
            kept.head.id = format!("s-{wanted}");
            kept.state = kept.state.map(|state| state.replacen(from, to, 1));
            store.create(&kept).expect("another one");
            let error = Live::resume(&registry, store, &kept.head.id, &mut env(&mut NumberedIds::default())).err();
            let told = error.expect("refused").to_string();
            assert!(told.contains(wanted), "{told}");
        }
    });
}

#[test]
fn files_that_are_no_stores_are_named_and_left_alone() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("x.db");
    let refused = |access: Access| Sqlite::open(&path, access).err();
    assert!(matches!(refused(Access::Existing), Some(StoreError::Failed { .. })), "there is none");
    assert!(!path.exists(), "and none is made");
    fs::write(&path, "these are the notes of somebody, and no database at all\n".repeat(40)).expect("written");
    for access in [Access::Write, Access::Existing, Access::Read] {
        assert!(matches!(refused(access), Some(StoreError::Damaged { .. })), "{access:?}");
    }
    fs::write(&path, "").expect("written");
    assert!(matches!(refused(Access::Existing), Some(StoreError::Damaged { .. })));
    let foreign = rusqlite::Connection::open(&path).expect("a database");
    foreign.execute_batch("CREATE TABLE cat (name TEXT)").expect("a table");
    assert!(matches!(refused(Access::Write), Some(StoreError::Damaged { .. })));
    drop(foreign);
    fs::remove_file(&path).expect("removed");
    drop(Sqlite::open(&path, Access::Write).expect("a store"));
    let newer = rusqlite::Connection::open(&path).expect("the store");
    newer.pragma_update(None, "user_version", 7).expect("a version");
    assert_eq!(refused(Access::Write), Some(StoreError::Version { found: 7, known: 2 }));
}

#[test]
fn a_store_that_is_damaged_says_so() {
    let (registry, folder) = (main_pack(), TempDir::new().expect("a folder"));
    let path = folder.path().join("x.db");
    {
        let store = Sqlite::open(&path, Access::Write).expect("a store");
        for id in 0..50 {
            opened(&registry, &store, &format!("s-{id}"));
        }
    }
    let mut bytes = fs::read(&path).expect("the file");
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4096].fill(0xA5);
    fs::write(&path, bytes).expect("written");
    let store = Sqlite::open(&path, Access::Read).expect("its head is whole");
    let told = store.faults();
    assert!(
        matches!(&told, Ok(faults) if !faults.is_empty()) || matches!(told, Err(StoreError::Damaged { .. })),
        "{told:?}"
    );
}

#[test]
fn what_may_not_be_written_is_told_and_stays() {
    let (registry, folder) = (main_pack(), TempDir::new().expect("a folder"));
    let path = folder.path().join("x.db");
    let writer = Sqlite::open(&path, Access::Write).expect("a store");
    let mut live = opened(&registry, &writer, "s-1");
    let reader = Sqlite::open(&path, Access::Read).expect("the same");
    assert_eq!(reader.read("s-1"), writer.read("s-1"), "who writes does not lock out who reads");
    assert!(matches!(reader.delete("s-1"), Err(StoreError::ReadOnly { .. })));
    // A disk without room for more.
    let said = utterance(&registry, "show stock for March 2020 at Romashka");
    writer.limit(1).expect("a limit");
    let mut told = None;
    for _ in 0..200 {
        if let Err(error) = live.take(&said, &mut env(&mut NumberedIds::default())) {
            told = Some(error);
            break;
        }
    }
    assert!(matches!(told, Some(SessionError::Store(StoreError::Full { .. }))), "{told:?}");
    let kept = writer.read("s-1").expect("it can be read");
    assert_eq!((kept.head.revision, &kept.head), (live.head().revision, live.head()), "what was committed stays");
}

/// A pack that is loaded in no time: most of what a process does with it is writing.
fn small_pack() -> Registry {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/mini");
    loaded(&Workspace::of(&folder).and_then(|workspace| workspace.pack("mini")).expect("a pack"))
}

/// The name of the test below that is run as a process of its own, and the variables that tell it where the store is and who it is.
const CHILD: &str = "a_process_that_is_killed";
const STORE: &str = "SEGUE_TEST_STORE";
const SEED: &str = "SEGUE_TEST_SEED";

/// A store that says when a write begins.
struct Announcing<'s>(&'s Sqlite);

impl Store for Announcing<'_> {
    fn commit(&self, commit: Commit<'_>) -> Result<(), StoreError> {
        say("> writes");
        self.0.commit(commit)
    }

    fn create(&self, session: &Kept) -> Result<(), StoreError> {
        self.0.create(session)
    }

    fn read(&self, id: &str) -> Result<Kept, StoreError> {
        self.0.read(id)
    }

    fn entries(&self, id: &str) -> Result<Vec<Entry>, StoreError> {
        self.0.entries(id)
    }

    fn list(&self) -> Result<Vec<Head>, StoreError> {
        self.0.list()
    }

    fn end(&self, head: &Head, retention: Retention) -> Result<(), StoreError> {
        self.0.end(head, retention)
    }

    fn delete(&self, id: &str) -> Result<(), StoreError> {
        self.0.delete(id)
    }
}

fn say(line: &str) {
    let mut out = std::io::stdout();
    out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush()).expect("somebody reads");
}

/// Writes without end, in three sessions, and says before each commit that it writes, and after it where the session stands.
#[test]
#[ignore = "runs as a process of its own, which another test kills"]
fn a_process_that_is_killed() {
    let (Ok(path), Ok(seed)) = (std::env::var(STORE), std::env::var(SEED)) else { return };
    let (registry, corpus) = (small_pack(), Corpus::default());
    let store = Sqlite::open(Path::new(&path), Access::Write).expect("the store");
    let mut dice = Dice(seed.parse().expect("a number"));
    let mut lives = Vec::new();
    for id in ["a", "b", "c"] {
        lives.push(match store.read(id) {
            Ok(_) => resumed(&registry, Announcing(&store), id),
            Err(_) => opened(&registry, Announcing(&store), id),
        });
    }
    say("\nready");
    loop {
        let at = dice.below(lives.len());
        let live = &mut lives[at];
        let event = event(&registry, live.state(), &[], &[], &mut dice, &corpus);
        let before = live.head().revision;
        let mut ids = NumberedIds::default();
        if live.take(&event, &mut env(&mut ids)).is_ok() && live.head().revision > before {
            say(&format!("{} {}", live.head().id, live.head().revision));
        }
    }
}

fn child(path: &Path, seed: u64) -> (Child, BufReader<ChildStdout>) {
    let program = std::env::current_exe().expect("this test");
    let mut command = Command::new(program);
    command.args(["--ignored", "--exact", CHILD, "--nocapture", "--test-threads=1"]);
    command.env(STORE, path).env(SEED, seed.to_string()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    let out = BufReader::new(child.stdout.take().expect("its output"));
    (child, out)
}

/// The revisions of a session, each of which must be there once.
fn whole(entries: &[Entry], revision: u64, context: &str) {
    let numbers: Vec<u64> = entries.iter().map(|entry| entry.revision).collect();
    assert_eq!(numbers, (1..=revision).collect::<Vec<_>>(), "{context}");
}

#[test]
fn a_killed_process_loses_nothing_and_applies_nothing_twice() {
    const KILLS: u64 = 200;
    let (registry, folder) = (small_pack(), TempDir::new().expect("a folder"));
    let path = folder.path().join("sessions.db");
    let (mut dice, mut inside) = (Dice(7), 0);
    for kill in 0..KILLS {
        let (mut child, mut out) = child(&path, kill);
        let mut line = String::new();
        while line != "ready\n" {
            line.clear();
            assert!(out.read_line(&mut line).expect("its output") > 0, "it ended by itself: kill {kill}");
        }
        // So many commits are told, then it is killed: while it takes an event, or writes one.
        let mut told: Vec<(String, u64)> = Vec::new();
        for _ in 0..dice.below(6) {
            line.clear();
            out.read_line(&mut line).expect("its output");
            told.extend(commit_of(&line));
        }
        for _ in 0..dice.below(4000) {
            std::hint::spin_loop();
        }
        child.kill().expect("it runs");
        child.wait().expect("it has ended");
        let mut last = line;
        for line in out.lines().map_while(Result::ok) {
            told.extend(commit_of(&line));
            last = line;
        }
        inside += u64::from(last.starts_with('>'));
        let store = Sqlite::open(&path, Access::Write).expect("the store can be read");
        for (id, revision) in told {
            let stands = store.read(&id).expect("the session can be read").head.revision;
            assert!(
                stands >= revision,
                "kill {kill}: session {id} was told to stand at {revision}, stands at {stands}"
            );
        }
        for id in ["a", "b", "c"] {
            let live = resumed(&registry, &store, id);
            whole(
                &store.entries(id).expect("its entries"),
                live.head().revision,
                &format!("kill {kill}, session {id}"),
            );
        }
        if kill % 50 == 0 {
            assert_eq!(store.faults(), Ok(Vec::new()), "kill {kill}");
        }
    }
    assert!(inside >= KILLS / 8, "{inside} of {KILLS} kills fell inside a write");
}

/// The session and revision in a line, where it is a whole one.
fn commit_of(line: &str) -> Option<(String, u64)> {
    let (id, revision) = line.trim_end().split_once(' ')?;
    (id.len() == 1).then_some(())?;
    Some((id.to_owned(), revision.parse().ok()?))
}

#[test]
fn of_many_threads_with_one_session_each_event_is_there_once() {
    let (registry, folder) = (main_pack(), TempDir::new().expect("a folder"));
    let path = folder.path().join("sessions.db");
    let store = Sqlite::open(&path, Access::Write).expect("a store");
    opened(&registry, &store, "s-1");
    let (barrier, threads, each) = (Barrier::new(4), 4, 25);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let store = Sqlite::open(&path, Access::Existing).expect("the store");
                barrier.wait();
                for _ in 0..each {
                    loop {
                        let mut live = resumed(&registry, &store, "s-1");
                        let mut ids = NumberedIds::default();
                        match live.take(&utterance(&registry, "hello"), &mut env(&mut ids)) {
                            Ok(_) => break,
                            Err(SessionError::Store(StoreError::Conflict { .. })) => {}
                            Err(error) => panic!("{error}"),
                        }
                    }
                }
            });
        }
    });
    let live = resumed(&registry, &store, "s-1");
    assert_eq!((live.head().turns, live.head().revision), (threads * each, threads * each));
    whole(&store.entries("s-1").expect("entries"), threads * each, "threads");
}
