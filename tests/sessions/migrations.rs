//! Sessions of an earlier registry are carried over as their pack declares: what comes of one is what it would have come to under this
//! registry, with its open calls; and what cannot be carried over is refused by name.

use std::path::Path;

use crate::support::corpus::Corpus;
use crate::support::env::env;
use crate::support::events::event;
use crate::support::{Dice, load, loaded};
use segue::declare::Options;
use segue::engine::{Event, NumberedIds};
use segue::model::Status;
use segue::registry::Registry;
use segue::session::{Commit, Live, Memory, Migrated, Retention, SessionError, Store, StoreError, migrate};
use segue::source::SourceText;
use segue::store::{Access, Sqlite};
use segue::workspace::Workspace;
use serde_json::{Map, Value as Json, json};
use tempfile::TempDir;

const NOW: &str = "2021-05-10T12:00:00Z";

/// The small pack with changes: each text becomes another one wherever it stands.
fn files(changes: &[(&str, &str)], more: &str) -> Vec<SourceText> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/mini");
    let mut files = Workspace::of(&folder).and_then(|workspace| workspace.pack("mini")).expect("a pack");
    for (from, to) in changes {
        let hits: usize = files.iter().map(|file| file.text.matches(from).count()).sum();
        assert!(hits > 0, "{from}");
        files.iter_mut().for_each(|file| file.text = file.text.replace(from, to).into());
    }
    files.push(SourceText::new("later.toml", more));
    files
}

/// As it was: with a note that nobody needs any more.
fn earlier() -> Registry {
    loaded(&files(
        &[],
        "[frame.old_note]\nowner = \"talk\"\ndoc = \"Noted.\"\nfield = { text = { type = \"text\", default = \"-\" }, seen = { type = \"int\", default = 7, for_host = true } }\n",
    ))
}

/// As it is: `asked` is called `questions`, there is no note, there is a mood.
fn later(from: &str) -> Registry {
    loaded(&changed(from, MIGRATION))
}

const MIGRATION: &str = r#"
[migration.questions]
doc = "What was asked is counted under another name."
from = ["FROM"]
rename = [{ old = "topic.asked", new = "topic.questions" }]
drop = ["old_note"]
set = [{ field = "mood.now", value = "calm" }]
"#;

fn changed(from: &str, migration: &str) -> Vec<SourceText> {
    let mood = "[frame.mood]\nowner = \"talk\"\ndoc = \"How it goes.\"\nfield = { now = { type = \"text\", default = \"calm\", for_host = true }, swings = { type = \"int\", default = 3, for_host = true } }\n";
    let changes = [("asked: 1", "questions: 1"), ("asked = {", "questions = {")];
    files(&changes, &format!("{mood}{}", migration.replace("FROM", from)))
}

fn opened<'r, S: Store>(registry: &'r Registry, store: S, id: &str) -> Live<'r, S> {
    Live::open(registry, store, id, Map::new(), NOW).expect("a new session")
}

fn carried(registry: &Registry, store: &dyn Store, id: &str) -> Result<Option<Migrated>, SessionError> {
    migrate(registry, &store.read(id).expect("it"), &mut env(1, &mut NumberedIds::default()))
}

fn written(store: &dyn Store, done: &Migrated) -> Result<(), StoreError> {
    store.commit(Commit {
        head: &done.head,
        state: done.state.clone(),
        entry: done.entry.clone(),
        pending: &done.pending,
    })
}

#[test]
fn what_is_carried_over_is_what_it_would_have_come_to() {
    let old = earlier();
    let new = later(&old.pack().fingerprint);
    let folder = TempDir::new().expect("a folder");
    let sqlite = Sqlite::open(&folder.path().join("x.db"), Access::Write).expect("a store");
    let memory = Memory::default();
    let (corpus, mut open) = (Corpus::default(), 0);
    for seed in 0..40 {
        let store: &dyn Store = if seed % 2 == 0 { &sqlite } else { &memory };
        let (id, other) = (format!("s-{seed}"), format!("n-{seed}"));
        let (mut was, mut is) = (opened(&old, store, &id), opened(&new, store, &other));
        let (mut ids, mut others) = (NumberedIds::default(), NumberedIds::default());
        let mut dice = Dice(seed);
        for turn in 0..3 + u32::try_from(seed).expect("small") % 9 {
            let event = event(&old, was.state(), &[], &[], &mut dice, &corpus);
            let same = same_in(&old, &new, &event);
            was.take(&event, &mut env(turn, &mut ids)).expect("taken");
            is.take(&same, &mut env(turn, &mut others)).expect("taken");
        }
        open += usize::from(!was.pending().is_empty());
        let told = Live::resume(&new, store, &id, &mut env(1, &mut ids)).err().expect("another registry").to_string();
        assert!(told.contains("`questions`") && told.contains("segue sessions migrate"), "{told}");
        let done = carried(&new, store, &id).expect("it is carried over").expect("it is another registry");
        written(store, &done).expect("nobody else is there");
        let live = Live::resume(&new, store, &id, &mut env(1, &mut ids)).expect("it is taken up").live;
        assert_eq!(live.state(), is.state(), "{seed}");
        assert_eq!(live.pending(), is.pending(), "{seed}");
        assert_eq!((live.head().turns, live.head().revision), (is.head().turns, is.head().revision + 1));
        let log = store.entries(&id).expect("its log");
        assert_eq!(log.last().map(|entry| entry.input["migrated"]["by"].clone()), Some(json!(["questions"])));
        let swings = "mood.swings is new, and at its default 3".to_owned();
        let wanted =
            ["topic.asked is topic.questions now", "old_note was dropped", "mood.now was set to \"calm\"", &swings];
        assert_eq!(done.changes, wanted);
        // It goes on with the calls that it had, and once is enough.
        let (mut live, mut is) = (live, is);
        while let Some(pending) = live.pending().first() {
            let outcome =
                Event::Outcome { call: pending.call.as_str().into(), status: Status::Failed, value: None, error: None };
            live.take(&outcome, &mut env(90, &mut ids)).expect("taken");
            is.take(&outcome, &mut env(90, &mut others)).expect("taken");
        }
        assert_eq!(live.state(), is.state(), "{seed}");
        assert_eq!(carried(&new, store, &id), Ok(None));
        // Who read it before comes too late.
        assert!(matches!(written(store, &done), Err(StoreError::Conflict { .. })));
    }
    assert!(open > 5, "some had calls under way: {open}");
}

/// An event of one registry as one of another: both have the same inputs.
fn same_in(old: &Registry, new: &Registry, event: &Event) -> Event {
    let Event::Input { event, fields } = event else { return event.clone() };
    let (was, is) = (old.pack(), new.pack());
    let named = |name| is.event(was.names.text(name)).expect("the same event");
    let input =
        |of: &segue::model::ids::InputId| is.input(was.names.text(was.inputs[of.index()].name)).expect("an input");
    let value = |value: &segue::model::value::Value| {
        let json = segue::model::json::to_json(&was.names, value);
        json.as_str().map_or_else(|| panic!("{json}"), segue::model::value::Value::text)
    };
    let fields = fields.iter().map(|(of, given)| (input(of), value(given))).collect();
    Event::Input { event: named(was.events[event.index()].name), fields }
}

#[test]
fn what_cannot_be_carried_over_is_refused_by_name() {
    let old = earlier();
    let fingerprint = &old.pack().fingerprint;
    let store = Memory::default();
    let mut live = opened(&old, &store, "s-1");
    let said = Event::input(&old, "utterance", &json!({ "text": "Riga" }), &json!({})).expect("an event");
    live.take(&said, &mut env(1, &mut NumberedIds::default())).expect("taken");
    assert!(!live.pending().is_empty());
    let kept = store.read("s-1").expect("it");
    let told = |migration: &str| {
        let registry = loaded(&changed(fingerprint, migration));
        let error = carried(&registry, &store, "s-1").expect_err("refused").to_string();
        assert_eq!(store.read("s-1").as_ref(), Ok(&kept), "nothing is written");
        error
    };
    let none = told("");
    assert!(none.contains(fingerprint.as_str()) && none.contains("no migration"), "{none}");
    let elsewhere = told("[migration.x]\nfrom = [\"0123456789abcdef\"]\n");
    assert!(elsewhere.contains("no migration"), "{elsewhere}");
    // What is neither renamed nor dropped is no part of this pack.
    let left =
        told("[migration.x]\nfrom = [\"FROM\"]\nrename = [{ old = \"topic.asked\", new = \"topic.questions\" }]\n");
    assert!(left.contains("old_note") && left.contains("unknown"), "{left}");
    // A value of another type.
    let wrong = told(
        "[migration.x]\nfrom = [\"FROM\"]\nrename = [{ old = \"topic.asked\", new = \"mood.now\" }]\ndrop = [\"old_note\"]\n",
    );
    assert!(wrong.contains("mood.now"), "{wrong}");
    // A call that is under way and can no longer be made.
    let files = files(
        &[("[port.forecast]\n", "[port.forecast]\nretry = { max = 1, on = [\"failed\"] }\n")],
        &format!("[migration.x]\nfrom = [\"{fingerprint}\"]\ndrop = [\"old_note\"]\n"),
    );
    let registry = loaded(&files);
    let error = carried(&registry, &store, "s-1").expect_err("refused").to_string();
    assert!(error.contains("turn.calls.0") && error.contains("is missing"), "{error}");
    // One that has ended is none.
    live.end(Retention::Content, NOW).expect("ended");
    assert_eq!(carried(&registry, &store, "s-1"), Err(SessionError::Ended { id: "s-1".into() }));
}

#[test]
fn migrations_are_checked_when_the_pack_is_loaded() {
    let refused = |migration: &str, wanted: &[&str]| {
        let told = load(&changed("0123456789abcdef", migration)).expect_err("refused");
        assert!(wanted.iter().all(|wanted| told.contains(wanted)), "{migration}\n{told}");
    };
    refused("[migration.x]\ndoc = \"d\"\n", &["from"]);
    refused("[migration.x]\nfrom = [\"yesterday\"]\n", &["`yesterday` is no fingerprint", "16 hexadecimal digits"]);
    refused("[migration.x]\nfrom = [\"FROM\"]\n[migration.y]\nfrom = [\"FROM\"]\n", &["carried over twice"]);
    refused("[migration.x]\nfrom = [\"FROM\"]\ndrop = [\"topic.city\"]\n", &["`topic.city` is declared here"]);
    refused("[migration.x]\nfrom = [\"FROM\"]\ndrop = [\"a.b.c\"]\n", &["neither a field nor a frame"]);
    refused(
        "[migration.x]\nfrom = [\"FROM\"]\nrename = [{ old = \"a.b\", new = \"topic.cities\" }]\n",
        &["cities", "city"],
    );
    refused("[migration.x]\nfrom = [\"FROM\"]\nrename = [{ old = \"a.b\", new = \"topic\" }]\n", &["another kind"]);
    refused("[migration.x]\nfrom = [\"FROM\"]\nset = [{ field = \"mood.swings\", value = \"many\" }]\n", &["many"]);
    refused("[migration.x]\nfrom = [\"FROM\"]\nset = [{ field = \"moood.swings\", value = 1 }]\n", &["moood", "mood"]);
    refused("[migration.x]\nfrom = [\"FROM\"]\nrenamed = []\n", &["renamed", "rename"]);
    // It changes nothing of what a step does.
    let fingerprint = |migration: &str| loaded(&changed("0123456789abcdef", migration)).pack().fingerprint.clone();
    assert_eq!(fingerprint(""), fingerprint(MIGRATION));
    let none = segue::load::load(&changed("0123456789abcdef", MIGRATION), &Options::default());
    assert!(none.registry.is_some_and(|registry| registry.pack().migrations.len() == 1));
}

#[test]
fn instances_and_names_that_change_places_are_carried_over() {
    let frames = |first: &str, second: &str| {
        format!(
            "[frame.pair]\nowner = \"talk\"\ndoc = \"Two.\"\nfield = {{ {first} = {{ type = \"int\", default = 1, for_host = true }}, {second} = {{ type = \"int\", default = 2, for_host = true }} }}\n"
        )
    };
    let old = loaded(&files(&[], &frames("left", "right")));
    let migration = format!(
        "[migration.swap]\nfrom = [\"{}\"]\nrename = [{{ old = \"pair.left\", new = \"pair.right\" }}, {{ old = \"pair.right\", new = \"pair.left\" }}]\n",
        old.pack().fingerprint
    );
    let new = loaded(&files(
        &[("title = \"Weather, of one city at a time\"", "title = \"Weather\"")],
        &format!("{}{migration}", frames("left", "right")),
    ));
    let store = Memory::default();
    opened(&old, &store, "s-1");
    let done = carried(&new, &store, "s-1");
    if old.pack().fingerprint == new.pack().fingerprint {
        return assert_eq!(done, Ok(None));
    }
    let done = done.expect("carried over").expect("another registry");
    let state: Json = serde_json::from_str(&done.state).expect("JSON");
    assert_eq!(state["session"]["talk"]["pair"], json!({ "left": 2, "right": 1 }));
}
