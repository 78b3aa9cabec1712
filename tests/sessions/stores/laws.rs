//! What holds of each store, whatever it is made of.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Arc, Barrier};

use segue::compose::cascade;
use segue::engine::{MessageOut, NumberedIds};
use segue::model::Pack;
use segue::model::uses::PackAt;
use segue::registry::Registry;
use segue::session::{Commit, Entry, Head, Kept, Live, Memory, Retention, SessionError, Store, StoreError};
use segue::source::SourceText;
use segue::state::SessionState;
use segue::store::Access;
use serde_json::json;

use super::{context, env, open, opened, resumed, utterance};
use crate::support::corpus::Corpus;
use crate::support::events::event;
use crate::support::{Dice, loaded, main_files, main_pack, small_pack};

/// A session at random, beside one that nothing keeps. After each event it is what it was when it is taken up again, and now and then it
/// goes on so.
pub fn law(registry: &Registry, store: &dyn Store, seed: u64, corpus: &Corpus) {
    let id = format!("s-{seed}");
    let mut live = opened(registry, store, &id);
    let (mut dice, mut gone) = (Dice(seed), Vec::<Arc<str>>::new());
    let (mut ids, mut alone) = (NumberedIds::default(), NumberedIds::default());
    let mut state = SessionState::new(registry.pack());
    let (mut taken, mut said) = (0, Vec::new());
    for _ in 0..20 {
        let event = event(registry, &state, &gone, &[], &mut dice, corpus);
        let wanted = cascade(registry, &state, &event, &mut env(&mut alone));
        let done = live.take(&event, &mut env(&mut ids));
        match (wanted, done) {
            (Ok(wanted), Ok(done)) => {
                assert_eq!(done.state, wanted.state, "{seed}");
                taken += u64::from(done.refused().is_none());
                let kept = done.messages().filter(|_| done.refused().is_none());
                said.extend(kept.map(|(at, message)| sent(registry.pack(), at, message)));
                gone.extend(state.open_calls().iter().map(|call| call.id.clone()));
                state = wanted.state;
            }
            (Err(wanted), Err(SessionError::Step(error))) => assert_eq!(error, wanted, "{seed}"),
            (wanted, done) => panic!("{seed}: {wanted:?}\n{done:?}"),
        }
        assert_eq!(*live.state(), state, "{seed}");
        let again = resumed(registry, store, &id);
        assert_eq!(
            (again.state(), again.head(), again.pending()),
            (live.state(), live.head(), live.pending()),
            "{seed}"
        );
        if dice.chance(60) {
            live = again;
        }
        let written = (taken > 0).then(|| state.to_json(registry.pack()).to_string());
        assert!(written.is_none() || store.read(&id).expect("it").state == written, "the saved form: {seed}");
        let open: Vec<String> =
            state.host_calls(registry.pack()).into_iter().map(|(_, call)| call.id.to_string()).collect();
        assert_eq!(live.pending().iter().map(|pending| pending.call.clone()).collect::<Vec<_>>(), open, "{seed}");
    }
    let entries = store.entries(&id).expect("its entries");
    assert_eq!((live.head().revision, entries.len() as u64), (taken, taken), "each event is there once: {seed}");
    let messages = entries.iter().flat_map(|entry| &entry.messages);
    assert_eq!(messages.map(|message| message.text().to_owned()).collect::<Vec<_>>(), said, "{seed}");
    let turns = entries.iter().filter(|entry| entry.input["event"].is_string()).count() as u64;
    assert_eq!(live.head().turns, turns, "{seed}");
}

/// A message as the log has it.
fn sent(pack: &Pack, at: PackAt, message: &MessageOut) -> String {
    let of = pack.at(at);
    let name = pack.qualified(at, of.names.text(of.messages[message.message.index()].name));
    json!({ "message": name, "with": message.body(of) }).to_string()
}

/// Sessions at random are what they were whenever they are taken up again, and a store keeps the same as one in memory.
pub fn a_session_that_is_taken_up_again_is_what_it_was(store: &dyn Store, seeds: u64) {
    let (registry, corpus, memory) = (main_pack(), Corpus::read(), Memory::default());
    for seed in 0..seeds {
        law(&registry, &memory, seed, &corpus);
        law(&registry, store, seed, &corpus);
    }
    let heads = store.list().expect("all sessions");
    assert_eq!(heads, memory.list().expect("all sessions"), "both keep the same");
    for head in heads {
        assert_eq!(store.entries(&head.id), memory.entries(&head.id));
        assert_eq!(store.read(&head.id), memory.read(&head.id));
        assert_eq!(head.context, context());
    }
    assert_eq!(faults(store), [""; 0]);
}

pub fn of_two_writers_one_is_right(store: &dyn Store) {
    let registry = main_pack();
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
}

pub fn what_is_kept_of_a_session_that_has_ended(store: &dyn Store) {
    let registry = main_pack();
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
}

/// The main pack with a word changed in one of its files.
fn changed(from: &str, to: &str) -> Registry {
    let mut files: Vec<SourceText> = main_files();
    let mut hits = 0;
    for file in &mut files {
        hits += file.text.matches(from).count();
        file.text = file.text.replace(from, to).into();
    }
    assert!(hits > 0, "{from}");
    loaded(&files)
}

pub fn a_session_is_taken_up_by_its_own_registry_alone(store: &dyn Store) {
    let registry = main_pack();
    let other = changed("step_limit = ", "step_limit = 1");
    let renamed = changed("id = \"assistant\"", "id = \"helper\"");
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
}

/// The name of the test below that is run as a process of its own, and the variables that tell it where the store is and who it is.
const CHILD: &str = "stores::laws::a_process_that_is_killed";
const STORE: &str = "SEGUE_TEST_STORE";
const SEED: &str = "SEGUE_TEST_SEED";

/// A store that says when a write begins.
struct Announcing<'s>(&'s dyn Store);

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

    fn faults(&self) -> Result<Vec<String>, StoreError> {
        self.0.faults()
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
    let (Ok(place), Ok(seed)) = (std::env::var(STORE), std::env::var(SEED)) else { return };
    let (registry, corpus) = (small_pack(), Corpus::default());
    let store = open(&place, Access::Write);
    let mut dice = Dice(seed.parse().expect("a number"));
    let mut lives = Vec::new();
    for id in ["a", "b", "c"] {
        lives.push(match store.read(id) {
            Ok(_) => resumed(&registry, Announcing(&*store), id),
            Err(_) => opened(&registry, Announcing(&*store), id),
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

fn child(place: &str, seed: u64) -> (Child, BufReader<ChildStdout>) {
    let program = std::env::current_exe().expect("this test");
    let mut command = Command::new(program);
    command.args(["--ignored", "--exact", CHILD, "--nocapture", "--test-threads=1"]);
    command.env(STORE, place).env(SEED, seed.to_string()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    let out = BufReader::new(child.stdout.take().expect("its output"));
    (child, out)
}

/// The faults of a store. That the server of the tests saves itself the way to the disk is none: processes end here, and no machine.
pub fn faults(store: &dyn Store) -> Vec<String> {
    let faults = store.faults().unwrap_or_else(|error| panic!("{error}"));
    faults.into_iter().filter(|fault| !fault.contains("fsync = off")).collect()
}

/// The revision at which a session stands; each up to it is in the log once, and the session can be taken up.
pub fn whole(registry: &Registry, store: &dyn Store, id: &str, context: &str) -> u64 {
    loop {
        let live = resumed(registry, store, id);
        let entries = store.entries(id).unwrap_or_else(|error| panic!("{context}: {error}"));
        // What a process has sent before it was killed may come in meanwhile.
        if store.read(id).as_ref().map(|kept| &kept.head) == Ok(live.head()) {
            let numbers: Vec<u64> = entries.iter().map(|entry| entry.revision).collect();
            assert_eq!(numbers, (1..=live.head().revision).collect::<Vec<_>>(), "{context}");
            return live.head().revision;
        }
    }
}

/// A process that is killed again and again loses nothing that it has told, and applies nothing twice.
pub fn a_killed_process_loses_nothing_and_applies_nothing_twice(place: &str, kills: u64) {
    let registry = small_pack();
    let (mut dice, mut inside) = (Dice(7), 0);
    for kill in 0..kills {
        let (mut child, mut out) = child(place, kill);
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
        let store = open(place, Access::Write);
        for (id, revision) in told {
            let stands = store.read(&id).expect("the session can be read").head.revision;
            assert!(
                stands >= revision,
                "kill {kill}: session {id} was told to stand at {revision}, stands at {stands}"
            );
        }
        for id in ["a", "b", "c"] {
            whole(&registry, &*store, id, &format!("kill {kill}, session {id}"));
        }
        if kill % 50 == 0 {
            assert_eq!(faults(&*store), [""; 0], "kill {kill}");
        }
    }
    assert!(inside >= kills / 8, "{inside} of {kills} kills fell inside a write");
}

/// The session and revision in a line, where it is a whole one.
fn commit_of(line: &str) -> Option<(String, u64)> {
    let (id, revision) = line.trim_end().split_once(' ')?;
    (id.len() == 1).then_some(())?;
    Some((id.to_owned(), revision.parse().ok()?))
}

/// Of many threads that take up one session each event is there once.
pub fn of_many_threads_with_one_session_each_event_is_there_once(place: &str) {
    let registry = main_pack();
    let store = open(place, Access::Write);
    opened(&registry, &*store, "s-1");
    let (barrier, threads, each) = (Barrier::new(4), 4, 25);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let store = open(place, Access::Existing);
                barrier.wait();
                for _ in 0..each {
                    loop {
                        let mut live = resumed(&registry, &*store, "s-1");
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
    assert_eq!(whole(&registry, &*store, "s-1", "threads"), threads * each);
    assert_eq!(store.read("s-1").expect("it").head.turns, threads * each);
}
