//! `segue sessions` on the program itself.
#![expect(clippy::disallowed_methods, reason = "files change under the program")]

use crate::program::{Mini, err, out};
use jiff::civil::Date;
use segue::declare::Options;
use segue::engine::{Env, Event, NumberedIds};
use segue::registry::Registry;
use segue::session::{Live, Retention, Store};
use segue::store::{Access, Sqlite};
use segue::workspace::Workspace;
use serde_json::{Map, Value as Json, json};

const STORE: &str = "sessions.db";

/// Two sessions of the small pack: one waits for a forecast, one has ended.
fn kept(mini: &Mini) -> Registry {
    let files = Workspace::of(&mini.path("")).and_then(|workspace| workspace.pack("mini")).expect("a pack");
    let registry = segue::load::load(&files, &Options::default()).registry.expect("it loads");
    let store = Sqlite::open(&mini.path(STORE), Access::Write).expect("a store");
    let mut ids = NumberedIds::default();
    let mut env = Env {
        now: "2021-05-10T12:00:00Z".into(),
        today: Date::constant(2021, 5, 10),
        session_id: "s-1".into(),
        turn_id: "t-1".into(),
        ids: &mut ids,
        trace: false,
        probe: None,
    };
    let context = Map::from_iter([("database".to_owned(), json!("ecommerce"))]);
    for id in ["waits", "over"] {
        let mut live = Live::open(&registry, &store, id, context.clone(), &env.now).expect("a session");
        let said = Event::input(&registry, "utterance", &json!({ "text": "Riga" }), &json!({})).expect("an event");
        live.take(&said, &mut env).expect("taken");
        if id == "over" {
            live.end(Retention::Metadata, "2021-05-10T13:00:00Z").expect("ended");
        }
    }
    registry
}

#[test]
fn what_sessions_there_are() {
    let mini = Mini::new();
    kept(&mini);
    insta::assert_snapshot!(out(&mini.run(&["sessions", "list", "--store", STORE]).code(0)));
    insta::assert_snapshot!(out(&mini.run(&["sessions", "show", "waits", "--store", STORE]).code(0)));
    insta::assert_snapshot!(out(&mini.run(&["sessions", "show", "over", "--store", STORE]).code(0)));
    let shown: Json = serde_json::from_str(&out(&mini.run(&["sessions", "export", "waits", "--store", STORE]).code(0)))
        .expect("one document");
    assert_eq!(shown["session"]["context"], json!({ "database": "ecommerce" }));
    assert_eq!((shown["state"]["pack"].as_str(), shown["entries"].as_array().map(Vec::len)), (Some("mini"), Some(1)));
    for verb in [&["list"][..], &["show", "waits"], &["check"], &["delete", "waits"]] {
        let args = [&["sessions"], verb, &["--store", STORE, "--format", "json"]].concat();
        let document: Json = serde_json::from_str(&out(&mini.run(&args).code(0))).expect("one document");
        assert!(document.is_object(), "{verb:?}");
    }
}

#[test]
fn sessions_are_compared_with_their_pack() {
    let mini = Mini::new();
    kept(&mini);
    let check = ["sessions", "check", "--store", STORE];
    assert_eq!(out(&mini.run(&check).code(0)), "2 sessions, 1 compared with their packs, 0 wrong\n");
    // Its folder is called otherwise: a pack is known by its id.
    std::fs::rename(mini.path("transitions/mini"), mini.path("transitions/other")).expect("renamed");
    assert_eq!(out(&mini.run(&check).code(0)), "2 sessions, 1 compared with their packs, 0 wrong\n");
    std::fs::rename(mini.path("transitions/other"), mini.path("transitions/mini")).expect("renamed");
    // The pack has moved on, then it is gone.
    mini.edit("transitions/mini/pack.toml", "id = \"mini\"", "id = \"mini\"\nstep_limit = 9");
    let told = out(&mini.run(&check).code(1));
    assert!(told.contains("session waits: `fingerprint`: the session was saved under registry"), "{told}");
    std::fs::remove_dir_all(mini.path("transitions/mini")).expect("removed");
    let told = out(&mini.run(&check).code(0));
    assert!(told.starts_with("no pack mini here: its sessions are not compared with it\n"), "{told}");
}

#[test]
fn what_is_not_there_and_what_is_no_store() {
    let mini = Mini::new();
    kept(&mini);
    for verb in ["show", "export", "delete"] {
        let run = mini.run(&["sessions", verb, "nobody", "--store", STORE]).code(1);
        assert!(err(&run).contains("sessions.db: there is no session nobody"), "{}", err(&run));
    }
    let run = mini.run(&["sessions", "list", "--store", "other.db"]).code(2);
    assert!(err(&run).contains("other.db: no such file, so no session"), "{}", err(&run));
    assert!(!mini.path("other.db").exists(), "looking makes no file");
    mini.write("other.db", "these are no sessions, but the notes of somebody\n".repeat(60));
    for verb in [&["list"][..], &["delete", "x"]] {
        let run = mini.run(&[&["sessions"], verb, &["--store", "other.db"]].concat()).code(2);
        assert!(err(&run).contains("the store is damaged, or is none"), "{}", err(&run));
    }
    let run = mini.run(&["sessions", "delete", "waits", "--store", STORE]).code(0);
    assert_eq!(out(&run), "deleted waits\n");
    let store = Sqlite::open(&mini.path(STORE), Access::Read).expect("the store");
    assert_eq!(store.list().expect("heads").len(), 1);
}

/// The first user who may not write what others own.
#[cfg(unix)]
const NOBODY: u32 = 65_534;

/// What a user who may write neither the file nor its folder is told of the sessions in it.
#[cfg(unix)]
#[test]
fn a_store_where_nothing_can_be_written_is_read() {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Output};

    let mini = Mini::new();
    kept(&mini);
    let wanted = out(&mini.run(&["sessions", "list", "--store", STORE]).code(0));
    let files = || fs::read_dir(mini.path("")).expect("the folder").count();
    let before = files();
    let may = |below: &str, mode: u32| {
        fs::set_permissions(mini.path(below), Permissions::from_mode(mode)).expect("permissions");
    };
    may(STORE, 0o444);
    may("", 0o555);
    // Whoever may write everywhere looks as somebody else.
    let as_other = fs::write(mini.path("probe"), "").is_ok();
    let run = |args: &[&str]| -> std::io::Result<Output> {
        let mut command = Command::new(snapbox::cmd::cargo_bin!("segue"));
        if as_other {
            command.uid(NOBODY).gid(NOBODY);
        }
        command.args(args).current_dir(mini.path("")).output()
    };
    if as_other {
        fs::remove_file(mini.path("probe")).expect("removed");
    }
    let told = match run(&["--version"]) {
        Ok(ran) if ran.status.success() => Some(run(&["sessions", "list", "--store", STORE]).expect("it runs")),
        _ => None,
    };
    let after = files();
    may("", 0o755);
    let Some(told) = told else {
        eprintln!("not tested: the program cannot be run as a user who may not write here");
        return;
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!((told.status.code(), text(&told.stdout), text(&told.stderr)), (Some(0), wanted, String::new()));
    assert_eq!(after, before, "looking writes nothing");
}

#[test]
fn sessions_of_an_earlier_registry_are_carried_over() {
    let mini = Mini::new();
    let was = kept(&mini).pack().fingerprint.clone();
    mini.edit("transitions/mini/pack.toml", "id = \"mini\"", "id = \"mini\"\nstep_limit = 9");
    let check = ["sessions", "check", "--store", STORE];
    let migrate = ["sessions", "migrate", "--store", STORE];
    let told = out(&mini.run(&migrate).code(1));
    assert!(told.starts_with("waits: refused: ") && told.contains(&was) && told.contains("no migration"), "{told}");
    mini.write(
        "transitions/mini/later.toml",
        format!("[migration.later]\nfrom = [\"{was}\"]\nset = [{{ field = \"topic.asked\", value = 5 }}]\n"),
    );
    let dry = [&migrate[..], &["--dry-run"]].concat();
    let would = "waits: topic.asked was set to 5\n1 session would be carried over, 0 of this registry, 0 refused\n";
    assert_eq!(out(&mini.run(&dry).code(0)), would);
    mini.run(&check).code(1);
    let one = |id: &'static str| [&migrate[..], &["--session", id, "--format", "json"]].concat();
    mini.run(&one("nobody")).code(1);
    let told = out(&mini.run(&one("over")).code(1));
    assert!(told.contains("has ended"), "{told}");
    let done: Json = serde_json::from_str(&out(&mini.run(&one("waits")).code(0))).expect("one document");
    assert_eq!(done["migrated"], json!([{ "session": "waits", "changes": ["topic.asked was set to 5"] }]));
    assert_eq!(out(&mini.run(&check).code(0)), "2 sessions, 1 compared with their packs, 0 wrong\n");
    let again = out(&mini.run(&migrate).code(0));
    assert_eq!(again, "0 sessions carried over, 1 of this registry, 0 refused\n");
    let shown: Json = serde_json::from_str(&out(&mini.run(&["sessions", "export", "waits", "--store", STORE]).code(0)))
        .expect("one document");
    assert_eq!(shown["state"]["session"]["talk"]["topic"]["asked"], json!(5));
    assert_eq!(shown["pending"].as_array().map(Vec::len), Some(1), "the call is open as before");
}

/// People are shown what fits a line; a document holds all of it.
#[test]
fn what_is_long_is_cut_for_people_alone() {
    let mini = Mini::new();
    let (long, store) = (format!("Riga {}", "x".repeat(5000)), ["--store", STORE]);
    let lines = format!("{long}\n{{\"evidence\": \"good\"}}\n!failed\nOslo\n!failed no idea\n");
    let args = [&["chat"][..], &store].concat();
    mini.command(&args).stdin(lines).assert().code(1);
    let of = |args: &[&str]| out(&mini.run(&[&["sessions"], args, &store].concat()).code(0));
    let listed: Json = serde_json::from_str(&of(&["list", "--format", "json"])).expect("one document");
    let id = listed["sessions"][0]["id"].as_str().expect("an id").to_owned();
    let shown = of(&["show", &id]);
    assert!(shown.lines().all(|line| line.chars().count() < 250), "{shown}");
    let begins = |line: &str, begin: &str| {
        line.starts_with("turn ") && line.split("  ").nth(2).is_some_and(|at| at.starts_with(begin))
    };
    for (number, (begin, end)) in [
        ("utterance {\"text\":\"Riga xxxx", "x…"),
        ("call-", " ended: ok {\"evidence\":\"good\"}"),
        ("utterance {\"text\":\"Oslo\"}", "Oslo\"}"),
        ("call-", " ended: failed, no idea"),
    ]
    .into_iter()
    .enumerate()
    {
        let line = shown.lines().filter(|line| line.starts_with("turn ")).nth(number).expect("an event");
        assert!(begins(line, begin) && line.ends_with(end), "{line}");
    }
    for args in [&["show", &*id, "--format", "json"][..], &["export", &id]] {
        assert!(of(args).contains(&long), "{args:?}");
    }
}
