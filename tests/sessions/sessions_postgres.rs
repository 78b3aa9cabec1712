//! Sessions on a server of PostgreSQL, which the tests start: the laws of every store hold there, a server that goes down in the middle
//! of its work loses nothing that was told, and what cannot be done is told and changes nothing (S1 IRW-REQ-03, IRW-REQ-05).
#![expect(clippy::disallowed_methods, reason = "tests start themselves and a server")]

#[cfg(feature = "cli")]
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier};
use std::time::Duration;

use crate::stores::many::{self, PART};
use crate::stores::server::{Server, Small, alone, calm};
use crate::stores::{self, env, laws, opened, resumed, utterance};
use crate::support::small_pack;
use segue::engine::NumberedIds;
use segue::registry::Registry;
use segue::session::{Live, Retention, SessionError, Store, StoreError};
use segue::store::{Access, Postgres};

/// Opens a store that must open.
fn store(url: &str) -> Postgres {
    Postgres::open(url, None, Access::Write).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(url: &str, access: Access) -> StoreError {
    Postgres::open(url, None, access).expect_err("it does not open")
}

fn says<S: Store>(registry: &Registry, live: &mut Live<'_, S>, text: &str) -> Result<(), SessionError> {
    live.take(&utterance(registry, text), &mut env(&mut NumberedIds::default())).map(|_| ())
}

/// What a store says of an event that it does not write.
fn unwritten<S: Store>(registry: &Registry, live: &mut Live<'_, S>) -> StoreError {
    match says(registry, live, "Riga") {
        Err(SessionError::Store(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// A word in what is told, and no password.
#[track_caller]
fn tells(error: &StoreError, words: &[&str]) {
    let told = format!("{error} {error:?}");
    for word in words {
        assert!(told.contains(word), "{word} in {told}");
    }
    assert!(!told.contains("s3cret") && !told.contains("hunter2"), "{told}");
}

#[test]
fn a_session_that_is_taken_up_again_is_what_it_was() {
    let Some(server) = calm() else { return };
    let store = store(&server.database("taken_up"));
    laws::a_session_that_is_taken_up_again_is_what_it_was(&store, 12);
}

#[test]
fn of_two_writers_one_is_right() {
    let Some(server) = calm() else { return };
    laws::of_two_writers_one_is_right(&store(&server.database("two_writers")));
}

#[test]
fn what_is_kept_of_a_session_that_has_ended() {
    let Some(server) = calm() else { return };
    laws::what_is_kept_of_a_session_that_has_ended(&store(&server.database("ended")));
    assert_eq!(server.sql("ended", "SELECT * FROM segue.entry"), Vec::<Vec<_>>::new());
}

#[test]
fn a_session_is_taken_up_by_its_own_registry_alone() {
    let Some(server) = calm() else { return };
    laws::a_session_is_taken_up_by_its_own_registry_alone(&store(&server.database("own")));
}

#[test]
fn a_killed_process_loses_nothing_and_applies_nothing_twice() {
    let Some(server) = calm() else { return };
    laws::a_killed_process_loses_nothing_and_applies_nothing_twice(&server.database("killed"), 40);
}

#[test]
fn of_many_threads_with_one_session_each_event_is_there_once() {
    let Some(server) = calm() else { return };
    laws::of_many_threads_with_one_session_each_event_is_there_once(&server.database("threads"));
}

#[test]
fn two_processes_that_are_killed_come_to_what_lonely_runs_come_to() {
    let Some(server) = calm() else { return };
    let url = server.database("many");
    let (turns, sessions) = many::two_processes_that_are_killed_come_to_what_lonely_runs_come_to(&PART, &url);
    assert!(sessions == 17 && turns >= 900, "{sessions} sessions, {turns} turns");
}

#[test]
fn of_many_that_begin_at_once_each_finds_the_store() {
    let Some(server) = calm() else { return };
    let (url, registry) = (server.database("begin"), small_pack());
    let barrier = Barrier::new(8);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (url, registry, barrier) = (&url, &registry, &barrier);
            scope.spawn(move || {
                barrier.wait();
                opened(registry, &store(url), &format!("s-{number}"));
            });
        }
    });
    assert_eq!(store(&url).list().map(|heads| heads.len()), Ok(8));
    assert_eq!(server.sql("begin", "SELECT count(*) FROM segue.store"), [[Some("1".to_owned())]]);
}

#[test]
fn what_is_no_store_is_named_and_left_alone() {
    let Some(server) = calm() else { return };
    let url = server.database("foreign_one");
    for access in [Access::Existing, Access::Read] {
        tells(&refused(&url, access), &["holds no sessions yet"]);
    }
    let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname = 'segue'";
    assert_eq!(server.sql("foreign_one", schemas), [[Some("0".to_owned())]], "and none is made");
    let tables =
        "SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = 'segue'";
    for make in ["CREATE TABLE segue.cat (name TEXT)", "CREATE TABLE segue.store (name TEXT)"] {
        server.sql("foreign_one", &format!("DROP SCHEMA IF EXISTS segue CASCADE; CREATE SCHEMA segue; {make}"));
        let before = server.sql("foreign_one", tables);
        for access in [Access::Write, Access::Existing, Access::Read] {
            let told = refused(&url, access);
            assert!(matches!(told, StoreError::Damaged { .. }), "{told:?}");
            tells(&told, &["the schema `segue`", "something else"]);
        }
        assert_eq!(server.sql("foreign_one", tables), before);
    }
    // An administrator may have made the schema.
    server.sql("foreign_one", "DROP SCHEMA segue CASCADE; CREATE SCHEMA segue");
    drop(store(&url));
    server.sql("foreign_one", "UPDATE segue.store SET application = 'cats'");
    assert!(matches!(refused(&url, Access::Write), StoreError::Damaged { .. }));
    server.sql("foreign_one", "UPDATE segue.store SET application = 'segue sessions', version = 7");
    assert_eq!(refused(&url, Access::Write), StoreError::Version { found: 7, known: 1 });
    server.sql("postgres", "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
    tells(&refused(&server.url("latin"), Access::Write), &["LATIN1", "ENCODING 'UTF8'"]);
}

#[test]
fn rows_that_are_not_what_was_written_are_told() {
    let Some(server) = calm() else { return };
    let (url, registry) = (server.database("damaged"), small_pack());
    let store = store(&url);
    let mut live = opened(&registry, &store, "s-1");
    for text in ["Riga", "Oslo", "Riga"] {
        says(&registry, &mut live, text).expect("taken");
    }
    opened(&registry, &store, "s-2");
    let right = (store.read("s-1"), store.entries("s-1"), store.list());
    let change =
        |column: &str| format!("UPDATE segue.session SET {column} = replace({column}, 's', 'z') WHERE id = 's-1'");
    let revision = "UPDATE segue.session SET revision = 9 WHERE id = 's-1'".to_owned();
    let entry = "UPDATE segue.entry SET entry = replace(entry, 'Oslo', 'Bonn') WHERE revision = 2".to_owned();
    let gap = "DELETE FROM segue.entry WHERE revision = 2".to_owned();
    let swapped =
        "UPDATE segue.session SET state = (SELECT state FROM segue.session WHERE id = 's-2') WHERE id = 's-1'";
    for (wrong, of_read) in [
        (change("head"), true),
        (change("state"), true),
        (change("pending"), true),
        (swapped.to_owned(), true),
        (revision, true),
        (entry, false),
        (gap, false),
    ] {
        let wrong = wrong.replace("replace(pending, 's', 'z')", "'[]' || pending");
        server.sql(
            "damaged",
            "CREATE TABLE keep_session AS TABLE segue.session; CREATE TABLE keep_entry AS TABLE segue.entry",
        );
        server.sql("damaged", &wrong);
        let told = if of_read { store.read("s-1").err() } else { store.entries("s-1").err() };
        let told = told.unwrap_or_else(|| panic!("{wrong}"));
        assert!(matches!(told, StoreError::Damaged { .. }), "{wrong}: {told:?}");
        tells(&told, &["session s-1"]);
        assert!(store.read("s-2").is_ok(), "the other one is whole");
        server.sql(
            "damaged",
            "DELETE FROM segue.session; INSERT INTO segue.session TABLE keep_session;
             INSERT INTO segue.entry TABLE keep_entry; DROP TABLE keep_session, keep_entry",
        );
        assert_eq!((store.read("s-1"), store.entries("s-1"), store.list()), right);
    }
    let faults = store.faults().expect("it can be looked through");
    assert!(faults.len() == 1 && faults[0].contains("fsync = off"), "as the server of the tests runs: {faults:?}");
    server.sql(
        "damaged",
        "ALTER TABLE segue.entry DROP CONSTRAINT entry_session_fkey; DELETE FROM segue.session WHERE id = 's-1'",
    );
    let faults = laws::faults(&store);
    assert!(faults.len() == 1 && faults[0].contains("the log of session s-1"), "{faults:?}");
    server.sql("damaged", "DROP TABLE segue.entry");
    assert!(matches!(store.entries("s-2"), Err(StoreError::Damaged { .. })));
}

#[test]
fn who_is_not_let_in_is_told_why() {
    let Some(server) = calm() else { return };
    let url = server.database("let_in");
    drop(store(&url));
    let port = server.port();
    tells(
        &refused(&server.url_of("owner", "hunter2", "let_in"), Access::Write),
        &["password authentication failed", "28P01", "may log in"],
    );
    tells(&refused(&server.url("nowhere"), Access::Write), &["\"nowhere\" does not exist", "CREATE DATABASE"]);
    let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
    let told = refused(&format!("postgres://owner:hunter2@127.0.0.1:{free}/let_in"), Access::Write);
    tells(&told, &[&format!("127.0.0.1:{free}"), "Connection refused", "has to run there"]);
    // The password may come by another way than the URL.
    let bare = format!("postgres://owner@127.0.0.1:{port}/let_in");
    tells(&refused(&bare, Access::Write), &["the server wants a password", "PGPASSWORD"]);
    assert!(Postgres::open(&bare, Some(stores::server::PASSWORD), Access::Existing).is_ok());
    let socket = server.folder().to_str().expect("a name").replace('/', "%2F");
    let socket = format!("postgres://owner@{socket}:{port}/let_in");
    let store = Postgres::open(&socket, Some(stores::server::PASSWORD), Access::Existing).expect("by the socket");
    assert!(!format!("{store:?}").contains("s3cret"));
}

#[test]
fn urls_that_are_none_are_told_without_their_passwords() {
    let cases: &[(&str, &[&str])] = &[
        ("sessions.db", &["no URL of PostgreSQL", "postgres://USER@HOST:PORT/DATABASE"]),
        ("postgres://u:hunter2@h:port/d", &["what its URL says of `port`"]),
        ("postgres://u:hunter2@h:5432/d?sslmod=disable", &["option `sslmod`", "sslmode"]),
        ("postgres://u:hunter2@h/d?sslmode=prefer", &["sslmode=prefer", "verify-full", "disable"]),
        ("postgres://u:hunter2@h/d?password=hunter2", &["`password` stands before the `?`"]),
        ("postgres://u:hunter2@hunter2@h/d", &["more than one `@`", "%40"]),
        ("postgres://u:hunter2@h/d?connect_timeout=soon", &["what its URL says of `connect_timeout`"]),
        ("postgres:///d", &["names no host"]),
        ("postgres://u@127.0.0.1/d?sslrootcert=no.such%20file", &["no.such file"]),
    ];
    for (url, words) in cases {
        tells(&refused(url, Access::Write), words);
    }
}

#[test]
fn what_may_not_be_written_is_told_and_read() {
    let Some(server) = calm() else { return };
    let (url, registry) = (server.database("may"), small_pack());
    let owner = store(&url);
    let mut live = opened(&registry, &owner, "s-1");
    says(&registry, &mut live, "Riga").expect("taken");
    let reader = Postgres::open(&url, None, Access::Read).expect("the same");
    assert_eq!(reader.read("s-1"), owner.read("s-1"));
    assert!(matches!(reader.delete("s-1"), Err(StoreError::ReadOnly { .. })));
    server.sql(
        "may",
        "CREATE ROLE guest LOGIN PASSWORD 'hunter2'; GRANT USAGE ON SCHEMA segue TO guest;
         GRANT SELECT ON ALL TABLES IN SCHEMA segue TO guest; CREATE ROLE stranger LOGIN PASSWORD 'hunter2'",
    );
    let guest = server.url_of("guest", "hunter2", "may");
    for access in [Access::Write, Access::Existing] {
        let told = refused(&guest, access);
        assert!(matches!(told, StoreError::ReadOnly { .. }), "{told:?}");
        tells(&told, &["GRANT"]);
    }
    assert_eq!(Postgres::open(&guest, None, Access::Read).expect("it may read").read("s-1"), owner.read("s-1"));
    tells(&refused(&server.url_of("stranger", "hunter2", "may"), Access::Read), &["permission denied", "GRANT"]);
    server.sql("postgres", "CREATE DATABASE not_yours");
    tells(&refused(&server.url_of("guest", "hunter2", "not_yours"), Access::Write), &["permission denied", "GRANT"]);
    server.sql("may", "GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA segue TO guest");
    let guest = Postgres::open(&guest, None, Access::Existing).expect("it may write");
    says(&registry, &mut resumed(&registry, &guest, "s-1"), "Oslo").expect("taken");
    // The database takes no writes any more.
    server.sql("may", "ALTER DATABASE may SET default_transaction_read_only = on");
    let told = refused(&url, Access::Existing);
    assert!(matches!(told, StoreError::ReadOnly { .. }), "{told:?}");
    assert_eq!(
        Postgres::open(&url, None, Access::Read).expect("it can be read").entries("s-1").map(|log| log.len()),
        Ok(2)
    );
}

/// Each refusal of the server is told as what it is, leaves all as it was, and the store goes on.
#[test]
fn what_the_server_refuses_is_told_and_changes_nothing() {
    let Some(server) = calm() else { return };
    let (url, registry) = (server.database("refuses"), small_pack());
    let store = store(&url);
    let mut live = opened(&registry, &store, "s-1");
    says(&registry, &mut live, "Riga").expect("taken");
    let other = server.session("refuses");
    // As if there were no room, and more of that kind, once the session has been changed.
    for (code, wanted) in [
        ("53100", "Full"),
        ("25006", "ReadOnly"),
        ("55P03", "Locked"),
        ("57014", "Locked"),
        ("40001", "Locked"),
        ("40P01", "Locked"),
        ("XX001", "Damaged"),
        ("53200", "Failed"),
    ] {
        other.sql(&format!(
            "CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = '{code}'; END $$;
             CREATE TRIGGER no AFTER INSERT ON segue.entry FOR EACH ROW EXECUTE FUNCTION no()"
        ));
        let before = (live.head().clone(), store.read("s-1"), store.entries("s-1"));
        let told = unwritten(&registry, &mut live);
        assert!(format!("{told:?}").starts_with(wanted), "{code}: {told:?}");
        tells(&told, &["not now", code]);
        assert_eq!((live.head().clone(), store.read("s-1"), store.entries("s-1")), before, "{code}");
        other.sql("DROP FUNCTION no CASCADE");
        says(&registry, &mut live, "Oslo").expect("it goes on");
    }
    // The connection is ended in the middle of a write.
    other.sql(
        "CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;
         CREATE TRIGGER no AFTER INSERT ON segue.entry FOR EACH ROW EXECUTE FUNCTION no()",
    );
    let before = store.entries("s-1");
    tells(&unwritten(&registry, &mut live), &["connection was lost", "not known", "read the session again"]);
    assert_eq!(store.entries("s-1"), before, "it was not written, as is seen by reading");
    other.sql("DROP FUNCTION no CASCADE");
    says(&registry, &mut live, "Oslo").expect("it goes on");
    laws::whole(&registry, &store, "s-1", "after all");
    // An id that the server cannot keep.
    let mut kept = store.read("s-1").expect("it");
    kept.head.id = "a\0b".into();
    tells(&store.create(&kept).expect_err("no text"), &["0x00"]);
}

#[test]
fn a_full_disk_is_told_and_what_was_committed_stays() {
    let Some(mut server) = Small::new() else { return };
    let (url, registry) = (server.url(), small_pack());
    let store = store(&url);
    let mut live = opened(&registry, &store, "s-1");
    says(&registry, &mut live, "Riga").expect("taken");
    server.fill();
    let error = (0..1000).find_map(|_| says(&registry, &mut live, "Riga").err()).expect("the disk is small");
    let SessionError::Store(told @ StoreError::Full { .. }) = &error else { panic!("{error:?}") };
    tells(told, &["No space left on device", "make room"]);
    let stands = laws::whole(&registry, &store, "s-1", "what was committed stays");
    assert_eq!(live.head().revision, stands);
    server.make_room();
    says(&registry, &mut live, "Oslo").expect("it goes on");
    assert_eq!(laws::whole(&registry, &store, "s-1", "with room again"), stands + 1);
}

#[test]
fn a_session_that_another_one_holds_is_told_as_soon_as_is_wished() {
    let Some(server) = calm() else { return };
    let (url, registry) = (server.database("held"), small_pack());
    let store = store(&url);
    let mut live = opened(&registry, &store, "s-1");
    let other = server.session("held");
    for hold in ["SELECT FROM segue.session FOR UPDATE", "LOCK TABLE segue.session IN SHARE MODE"] {
        other.sql(&format!("BEGIN; {hold}"));
        for wait in [0, 20] {
            store.patience(Duration::from_millis(wait)).expect("it is set");
            let before = (live.head().clone(), store.read("s-1"));
            let told = unwritten(&registry, &mut live);
            assert!(matches!(told, StoreError::Locked { .. }), "{told:?}");
            assert!(matches!(store.delete("s-1"), Err(StoreError::Locked { .. })));
            assert_eq!((live.head().clone(), store.read("s-1")), before, "it can be read meanwhile");
        }
        other.sql("ROLLBACK");
        says(&registry, &mut live, "Riga").expect("it goes on");
    }
}

/// The server says that it is on the disk when it is: whatever it is set to.
#[test]
fn a_server_that_is_quick_is_made_sure() {
    let Some(server) = calm() else { return };
    let (url, registry) = (server.database("sure"), small_pack());
    server.sql("sure", "ALTER DATABASE sure SET synchronous_commit = off");
    server.sql("sure", "ALTER DATABASE sure SET default_transaction_isolation = 'serializable'");
    let store = store(&url);
    let other = server.session("sure");
    other.sql(
        "CREATE TABLE seen (sure TEXT, level TEXT);
         CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.seen
             VALUES (current_setting('synchronous_commit'), current_setting('transaction_isolation')); RETURN NEW; END $$;
         CREATE TRIGGER look AFTER INSERT ON segue.entry FOR EACH ROW EXECUTE FUNCTION look()",
    );
    says(&registry, &mut opened(&registry, &store, "s-1"), "Riga").expect("taken");
    let seen = [Some("on".to_owned()), Some("read committed".to_owned())];
    assert_eq!(other.sql("SELECT * FROM seen"), [seen]);
}

/// What stands between a store and its server, and may lose what is sent: nothing, the answers, or the questions.
struct Between {
    port: u16,
    loses: Arc<AtomicU8>,
}

const NOTHING: u8 = 0;
const ANSWERS: u8 = 1;
const QUESTIONS: u8 = 2;

impl Between {
    fn new(server: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let (to, loses) = (server.port(), Arc::new(AtomicU8::new(NOTHING)));
        let shared = loses.clone();
        std::thread::spawn(move || {
            for one in listener.incoming() {
                let one = one.expect("a connection");
                let other = TcpStream::connect(("127.0.0.1", to)).expect("the server");
                for (from, to, loss) in [(&one, &other, QUESTIONS), (&other, &one, ANSWERS)] {
                    let (mut from, mut to) = (from.try_clone().expect("it"), to.try_clone().expect("it"));
                    let loses = shared.clone();
                    std::thread::spawn(move || {
                        let mut piece = [0; 65536];
                        while let Ok(1..) = from.read(&mut piece).map(|size| {
                            if loses.load(Ordering::SeqCst) == loss || to.write_all(&piece[..size]).is_err() {
                                return 0;
                            }
                            size
                        }) {}
                        let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
                    });
                }
            }
        });
        Self { port, loses }
    }
}

#[test]
fn an_event_whose_answer_is_lost_is_there_once() {
    let Some(server) = calm() else { return };
    let registry = small_pack();
    server.database("lost");
    let between = Between::new(&server);
    let url = server.url("lost").replace(&format!(":{}/", server.port()), &format!(":{}/", between.port));
    let store = store(&url);
    let mut live = opened(&registry, &store, "s-1");
    says(&registry, &mut live, "Riga").expect("taken");
    for (loses, written) in [(ANSWERS, true), (QUESTIONS, false), (ANSWERS, true)] {
        let before = live.head().revision;
        between.loses.store(loses, Ordering::SeqCst);
        tells(&unwritten(&registry, &mut live), &["connection was lost", "not known"]);
        between.loses.store(NOTHING, Ordering::SeqCst);
        assert_eq!(live.head().revision, before, "here it stands where it stood");
        let stands = store.read("s-1").expect("the next one connects anew").head.revision;
        assert_eq!(stands, before + u64::from(written));
        if written {
            let told = unwritten(&registry, &mut live);
            assert_eq!(told, StoreError::Conflict { id: "s-1".into(), expected: before, found: before + 1 });
            live = resumed(&registry, &store, "s-1");
        }
        says(&registry, &mut live, "Oslo").expect("it goes on");
        laws::whole(&registry, &store, "s-1", "lost");
    }
    assert_eq!(live.head().revision, 6);
}

#[test]
fn a_connection_is_safe_where_it_is_asked_to_be() {
    let Some(server) = calm() else { return };
    let Some(certificate) = server.certificate() else {
        return eprintln!("NOT RUN: TLS: there is no `openssl` to make a certificate");
    };
    let url = server.database("safe").replace("127.0.0.1", "localhost");
    let file = certificate.to_str().expect("a name");
    let safe = |url: &str| format!("{url}?sslmode=verify-full&sslrootcert={file}");
    let registry = small_pack();
    let store = store(&safe(&url));
    says(&registry, &mut opened(&registry, &store, "s-1"), "Riga").expect("taken");
    let kinds = "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'segue' AND datname = 'safe'";
    assert_eq!(server.sql("safe", kinds), [[Some("t".to_owned())]]);
    // The certificate is that of another name, or of nobody who is trusted, or none.
    tells(&refused(&safe(&url.replace("localhost", "127.0.0.1")), Access::Write), &["TLS handshake", "certificate"]);
    tells(
        &refused(&format!("{url}?sslmode=require"), Access::Write),
        &["TLS handshake", "certificate", "sslrootcert=FILE"],
    );
    let key = server.folder().join("openssl.cnf");
    tells(
        &refused(&format!("{url}?sslrootcert={}", key.display()), Access::Write),
        &["sslrootcert", "BEGIN CERTIFICATE"],
    );
}

#[test]
fn a_server_that_is_down_is_told_and_found_again() {
    let Some(server) = alone() else { return };
    let (url, registry) = (server.database("down"), small_pack());
    let store = store(&url);
    let mut live = opened(&registry, &store, "s-1");
    for mode in ["fast", "immediate"] {
        says(&registry, &mut live, "Riga").expect("taken");
        let before = (live.head().clone(), live.state().clone());
        server.stop(mode);
        for _ in 0..3 {
            tells(&unwritten(&registry, &mut live), &["no connection to 127.0.0.1", "Connection refused"]);
            tells(&store.read("s-1").expect_err("it is down"), &["Connection refused"]);
            assert_eq!((live.head().clone(), live.state().clone()), before);
        }
        tells(&refused(&url, Access::Existing), &["Connection refused"]);
        server.start();
        says(&registry, &mut live, "Oslo").expect("it goes on, on a new connection");
        // Down and up again while nothing was asked of it.
        server.stop(mode);
        server.start();
        says(&registry, &mut live, "Oslo").expect("it goes on");
        laws::whole(&registry, &store, "s-1", mode);
    }
    live.end(Retention::Content, "2021-05-10T13:00:00Z").expect("ended");
}

#[test]
fn a_server_that_is_killed_at_work_loses_nothing_that_it_has_told() {
    let Some(server) = alone() else { return };
    let (url, registry) = (server.database("at_work"), small_pack());
    let sessions: Vec<String> = (0..4).map(|number| format!("s-{number}")).collect();
    for id in &sessions {
        opened(&registry, &store(&url), id);
    }
    let (mut told, mut inside) = (BTreeMap::from_iter(sessions.iter().map(|id| (id.clone(), 0))), 0);
    for round in 0..6 {
        let (tell, hear) = channel::<(String, u64)>();
        let barrier = Barrier::new(sessions.len());
        std::thread::scope(|scope| {
            for id in &sessions {
                let (tell, url, registry, barrier) = (tell.clone(), &url, &registry, &barrier);
                scope.spawn(move || {
                    let store = store(url);
                    let mut live = resumed(registry, &store, id);
                    barrier.wait();
                    let error = loop {
                        match says(registry, &mut live, "Riga") {
                            Ok(()) => tell.send((id.clone(), live.head().revision)).expect("somebody hears"),
                            Err(error) => break error,
                        }
                    };
                    let SessionError::Store(error) = error else { panic!("{error}") };
                    assert!(matches!(error, StoreError::Failed { .. }), "{error:?}");
                    tells(&error, &["connection"]);
                });
            }
            drop(tell);
            for (id, revision) in hear.iter().take(40 + round * 7) {
                told.insert(id, revision);
            }
            match round % 2 {
                0 => server.crash(),
                _ => server.kill(),
            }
            for (id, revision) in hear {
                told.insert(id, revision);
            }
        });
        // After a kill it takes itself up again, and that is cut short here.
        server.crash();
        server.start();
        let store = store(&url);
        for (id, told) in &mut told {
            let stands = laws::whole(&registry, &store, id, &format!("round {round}, session {id}"));
            assert!(stands == *told || stands == *told + 1, "{id} was told to stand at {told}, stands at {stands}");
            inside += stands - *told;
            *told = stands;
        }
        assert_eq!(laws::faults(&store), [""; 0]);
    }
    println!("{told:?}; {inside} writes were done and not told");
}

#[cfg(feature = "cli")]
#[test]
fn a_chat_is_kept_on_a_server_and_looked_at_there() {
    use crate::program::{Mini, err, out};
    let Some(server) = calm() else { return };
    let (mini, url) = (Mini::new(), server.database("chats"));
    let chat = |args: &[&str], said: &str| {
        let args = [&["chat", "--pack", "mini", "--store", &url], args].concat();
        let run = mini.command(&args).stdin(said.to_owned()).assert().code(0);
        (out(&run), err(&run))
    };
    // Nothing is there yet, and nobody who looks makes it.
    let none = err(&mini.run(&["sessions", "list", "--store", &url]).code(2));
    assert!(none.contains("/chats: the store fails: its database holds no sessions yet"), "{none}");
    let (_, told) = chat(&[], "Riga\n!open\n");
    let id = told.lines().find_map(|line| line.strip_prefix("session ")).expect("its id").to_owned();
    let (_, told) = chat(&["--session", &id], "!open\n/quit\n");
    assert!(told.contains(&format!("session {id}")), "{told}");
    // The password need not stand on the command line.
    let bare = url.replace(":s3cret%40%2F%3F%3A%25%20x@", "@");
    assert_ne!(bare, url);
    let run = |args: &[&str]| {
        let args = [&["sessions"], args, &["--store", &bare]].concat();
        mini.command(&args).env("PGPASSWORD", stores::server::PASSWORD).assert()
    };
    let listed = out(&run(&["list"]).code(0));
    assert!(listed.starts_with(&format!("{id}  mini  1 turn  ")) && listed.ends_with("\n1 session\n"), "{listed}");
    assert!(out(&run(&["show", &id]).code(0)).contains("open     "), "its call is open");
    let checked = out(&run(&["check"]).code(1));
    assert!(checked.starts_with("the store: the server runs with fsync = off"), "{checked}");
    assert!(checked.contains("1 session, 1 compared with their packs, 1 wrong"), "{checked}");
    assert_eq!(out(&run(&["migrate"]).code(0)), "0 sessions carried over, 1 of this registry, 0 refused\n");
    assert_eq!(out(&run(&["delete", &id]).code(0)), format!("deleted {id}\n"));
    assert_eq!(out(&run(&["list"]).code(0)), "0 sessions\n");
    assert!(err(&run(&["show", &id]).code(1)).contains(&format!("/chats: there is no session {id}")));
    // What cannot be opened is told without the password.
    for url in
        [server.url_of("owner", "hunter2", "chats"), "postgres://owner:hunter2@127.0.0.1:1/x?sslmod=a".to_owned()]
    {
        for args in [&["sessions", "list", "--store", &url][..], &["chat", "--pack", "mini", "--store", &url]] {
            let told = err(&mini.run(args).code(2));
            assert!(told.contains("postgres://127.0.0.1:") && !told.contains("hunter2"), "{told}");
        }
    }
}
