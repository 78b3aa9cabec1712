//! Sessions that are kept: taken up again after every event they are what they were, of two writers one is right, and a process that is
//! killed at any moment loses nothing that was committed (S1 IRW-REQ-03, IRW-REQ-05, IRW-REQ-06).
#![expect(clippy::disallowed_methods, reason = "tests start themselves and write files that are no stores")]

use std::fs;

use crate::stores::{self, env, laws, opened, utterance};
use crate::support::corpus::Corpus;
use crate::support::env::shipped;
use crate::support::{main_pack, small_pack};
use segue::engine::NumberedIds;
use segue::session::{Memory, Retention, SessionError, Store, StoreError};
use segue::store::{Access, Sqlite};
use tempfile::TempDir;

/// Tries something on a store in a file.
fn in_a_file(test: impl Fn(&str)) {
    let folder = TempDir::new().expect("a folder");
    test(folder.path().join("sessions.db").to_str().expect("a name"));
}

/// Tries something on both kinds of stores.
fn each_store(test: impl Fn(&dyn Store)) {
    test(&Memory::default());
    in_a_file(|place| test(&*stores::open(place, Access::Write)));
}

#[test]
fn a_session_that_is_taken_up_again_is_what_it_was() {
    // Frames with instances, and packs that use packs.
    for (from, name) in [(100, "booking"), (200, "joined"), (300, "refinement")] {
        let (registry, corpus) = (shipped(name, &[]), Corpus::of(name));
        (from..from + 6).for_each(|seed| laws::law(&registry, &Memory::default(), seed, &corpus));
    }
    in_a_file(|place| laws::a_session_that_is_taken_up_again_is_what_it_was(&*stores::open(place, Access::Write), 40));
}

#[test]
fn of_two_writers_one_is_right() {
    each_store(laws::of_two_writers_one_is_right);
}

#[test]
fn what_is_kept_of_a_session_that_has_ended() {
    each_store(laws::what_is_kept_of_a_session_that_has_ended);
}

#[test]
fn fb_17_a_session_is_taken_up_by_its_own_registry_alone() {
    each_store(laws::a_session_is_taken_up_by_its_own_registry_alone);
}

#[test]
fn a_killed_process_loses_nothing_and_applies_nothing_twice() {
    in_a_file(|place| laws::a_killed_process_loses_nothing_and_applies_nothing_twice(place, 200));
}

#[test]
fn of_many_threads_with_one_session_each_event_is_there_once() {
    in_a_file(laws::of_many_threads_with_one_session_each_event_is_there_once);
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
