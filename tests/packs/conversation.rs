//! A conversation told turn by turn goes as a replay of it goes, is undone by whole turns, and is saved as a scenario that replays.
#![expect(clippy::disallowed_methods, reason = "a test reads the files of the repository")]

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use segue::declare::Options;
use segue::diag::Diagnostics;
use segue::engine::{IdSource, NumberedIds};
use segue::load::load;
use segue::registry::Registry;
use segue::scenario::live::{Conversation, Keeping, Untaken, ending};
use segue::scenario::{self, Clock, Given, Outcome, Scenario};
use segue::session::{Memory, Retention, Store};
use segue::source::FileId;
use segue::state::SessionState;
use segue::syntax::{self, Format, Kind, Node};
use segue::workspace::Workspace;
use serde_json::{Value as Json, json};

fn workspace() -> Workspace {
    Workspace::of(env!("CARGO_MANIFEST_DIR").as_ref()).expect("the repository is a workspace")
}

fn loaded(name: &str) -> Registry {
    let files = workspace().pack(name).expect("a pack");
    load(&files, &Options::default()).registry.expect("a pack without errors")
}

/// A document as JSON, digit for digit.
fn json_of(node: &Node) -> Json {
    match &node.kind {
        Kind::Null => Json::Null,
        Kind::Bool(flag) => Json::Bool(*flag),
        Kind::Number(text) => serde_json::from_str(text).expect("a number"),
        Kind::Date(text) | Kind::Text(text) => text.as_str().into(),
        Kind::List(items) => items.iter().map(json_of).collect(),
        Kind::Table(table) => table.iter().map(|entry| (entry.key.clone(), json_of(&entry.value))).collect(),
    }
}

/// Ids of which each is known beside the one that counting gives.
#[derive(Clone, Default)]
struct Strange(Rc<RefCell<Known>>);

#[derive(Default)]
struct Known {
    counting: NumberedIds,
    /// What counting gives, and what was given.
    given: Vec<(String, String)>,
}

impl Strange {
    /// A text with the ids that were given in place of those that counting gives.
    fn strange(&self, text: &str) -> String {
        let known = self.0.borrow();
        let strange = known.given.iter().find(|(counted, _)| counted == text);
        strange.map_or_else(|| text.to_owned(), |(_, id)| id.clone())
    }

    fn told(&self, json: &Json) -> Json {
        match json {
            Json::String(text) => self.strange(text).into(),
            Json::Array(items) => items.iter().map(|item| self.told(item)).collect(),
            Json::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), self.told(value))).collect(),
            other => other.clone(),
        }
    }
}

impl IdSource for Strange {
    fn fresh(&mut self, prefix: &str) -> Arc<str> {
        let mut known = self.0.borrow_mut();
        let counted = known.counting.fresh(prefix);
        let id = format!("{prefix}-{:032x}", known.given.len() * 7919 + 0xfeed_0000);
        known.given.push((counted.to_string(), id.clone()));
        id.into()
    }
}

fn given(registry: &Registry, frames: Option<&Json>, clock: Clock) -> Given {
    let pack = registry.pack();
    let state = match frames {
        Some(frames) => SessionState::from_frames(pack, frames).expect("a state"),
        None => SessionState::new(pack),
    };
    Given { state, clock, repaired: Vec::new() }
}

/// A conversation that nothing outlives.
fn begun<'r>(
    registry: &'r Registry,
    store: &'r Memory,
    start: Given,
    ids: Option<Box<dyn IdSource>>,
) -> Conversation<'r> {
    let keeping = Keeping { store, tells: Vec::new(), gives_up: false, lasts: false };
    Conversation::new(registry, keeping, start, ids).unwrap_or_else(|error| panic!("{error}"))
}

/// How a scripted call ends, as JSON; none = it stays open.
fn end_of(call: &Json) -> Option<Json> {
    if call["open"] == true {
        return None;
    }
    let keys = ["returns", "status", "error"];
    Some(Json::Object(keys.iter().filter_map(|key| Some(((*key).to_owned(), call.get(*key)?.clone()))).collect()))
}

/// Tells a scenario as a conversation.
fn tell<'r>(
    registry: &'r Registry,
    store: &'r Memory,
    told: &Json,
    read: &Scenario,
    ids: &Strange,
) -> Conversation<'r> {
    let session_id = "s-0123456789abcdef0123456789abcdef".to_owned();
    let start = given(registry, told.get("given"), Clock { session_id, ..read.env.clone() });
    let mut conversation = begun(registry, store, start, Some(Box::new(ids.clone())));
    for turn in told["turns"].as_array().expect("turns") {
        let beside = ["signals", "calls", "expect", "assistant"];
        let (key, value) = turn
            .as_object()
            .expect("a turn")
            .iter()
            .find(|(key, _)| !beside.contains(&key.as_str()))
            .expect("an input");
        let (value, signals) = (ids.told(value).to_string(), turn.get("signals").map(|s| ids.told(s).to_string()));
        conversation.begin(key, &value, signals.as_deref()).unwrap_or_else(|found| panic!("{key}: {value}: {found:?}"));
        let mut scripted: Vec<&Json> = turn.get("calls").and_then(Json::as_array).into_iter().flatten().collect();
        while let Some((of, call)) = conversation.due() {
            let pack = registry.pack().at(of);
            let port = registry.pack().qualified(of, pack.names.text(pack.ports[call.port.index()].name));
            let at = scripted.iter().position(|call| call["port"] == port).expect("a scripted call");
            match end_of(scripted.remove(at)) {
                Some(end) => {
                    let reply = ending(registry, (of, call.port), &ids.told(&end).to_string()).expect("an end");
                    conversation.answer(reply).expect("taken");
                }
                None => conversation.leave_open(),
            }
        }
    }
    conversation
}

fn replayed(registry: &Registry, text: &str) -> Outcome {
    let parsed = scenario::parse(FileId(0), text, Format::Yaml);
    assert!(parsed.problems.is_empty(), "{text}\n{:?}", parsed.problems);
    scenario::replay(registry, &parsed.scenarios[0])
}

/// What happened, without the lines that say how the scenario is called and what it covers.
fn happened(outcome: &Outcome) -> String {
    let transcript = outcome.transcript.as_deref().expect("a transcript");
    let lines = transcript.lines().skip(1).filter(|line| !line.starts_with("covers "));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn each_scenario_can_be_told_and_saved() {
    let workspace = workspace();
    let mut told = 0;
    for name in workspace.packs() {
        let registry = loaded(&name);
        let folder = workspace.root().join("scenarios").join(&name);
        let mut files: Vec<_> =
            std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
        files.sort();
        for file in files.into_iter().filter(|file| file.extension().is_some_and(|ending| ending == "yaml")) {
            let text = std::fs::read_to_string(&file).expect("a file");
            let out = Diagnostics::new();
            let document = json_of(&syntax::parse(FileId(0), &text, Format::Yaml, &out).expect("YAML"));
            let all = document
                .get("scenarios")
                .map_or_else(|| vec![document.clone()], |all| all.as_array().expect("a list").clone());
            let parsed = scenario::parse(FileId(0), &text, Format::Yaml);
            for (document, read) in all.iter().zip(&parsed.scenarios) {
                // Of several inputs before a reply a chat knows nothing, and it does not begin with what must be mended.
                let apart =
                    document["turns"].as_array().expect("turns").iter().any(|turn| turn.get("events").is_some());
                let original = scenario::replay(&registry, read);
                if apart || original.transcript.as_ref().is_some_and(|text| text.contains("\nrepaired ")) {
                    continue;
                }
                let ids = Strange::default();
                let store = Memory::default();
                let conversation = tell(&registry, &store, document, read, &ids);
                let written =
                    conversation.written(&read.name, None).unwrap_or_else(|why| panic!("{}: {why}", read.name));
                let saved = written.text;
                assert!(!ids.0.borrow().given.iter().any(|(_, id)| saved.contains(id)), "{saved}");
                let again = replayed(&registry, &saved);
                assert!(again.failures.is_empty(), "{saved}\n{:?}", again.failures);
                // A session whose ids are drawn has a drawn id of its own, which is kept as that of a replay.
                let wanted = happened(&original).replace(&read.env.session_id, "s-1");
                assert_eq!(happened(&again), wanted, "{saved}");
                assert_eq!(again.transcript, Some(written.transcript), "{saved}");
                told += 1;
            }
        }
    }
    assert!(told > 200, "{told}");
}

/// What is given holds the ids that counting would give first: neither a replay nor a chat gives one of them again.
#[test]
fn what_is_given_keeps_its_ids_to_itself() {
    let registry = loaded("step-back");
    let text = std::fs::read_to_string(workspace().root().join("scenarios/step-back/concepts.yaml")).expect("a file");
    let document = json_of(&syntax::parse(FileId(0), &text, Format::Yaml, &Diagnostics::new()).expect("YAML"));
    let asks = &document["scenarios"][0]["turns"][0];
    let stores: [Memory; 3] = Default::default();
    let again = |at: usize, start: Given, ids: Option<Box<dyn IdSource>>| {
        let mut conversation = begun(&registry, &stores[at], start, ids);
        conversation.begin("question", &asks["question"].to_string(), None).expect("an input");
        let (at, call) = conversation.due().expect("a call");
        let reply = ending(&registry, (at, call.port), &json!({ "returns": asks["calls"][0]["returns"] }).to_string());
        conversation.answer(reply.expect("an end")).expect("taken");
        conversation
    };
    let first = again(0, given(&registry, None, Clock::default()), None);
    let start = || Given { state: first.state().clone(), ..given(&registry, None, Clock::default()) };
    for (at, ids) in [(1, None), (2, Some(Box::new(Strange::default()) as Box<dyn IdSource>))] {
        let second = again(at, start(), ids);
        let frame = registry.pack().frame("attempt").expect("a keyed frame");
        assert_eq!(second.state().instances(registry.pack(), frame).expect("instances").open.len(), 2);
        let saved = second.written("twice", None).expect("a scenario").text;
        let replayed = replayed(&registry, &saved);
        assert!(replayed.failures.is_empty(), "{saved}\n{:?}", replayed.failures);
    }
}

#[test]
fn a_turn_is_undone_whole() {
    let registry = loaded("assistant");
    let start = given(&registry, None, Clock::default());
    let store = Memory::default();
    let mut conversation = begun(&registry, &store, start, None);
    assert_eq!(conversation.undo(), Ok(None));
    let say = |conversation: &mut Conversation<'_>, text: &str| {
        conversation.begin("user", &Json::from(text).to_string(), None).expect("an input");
        while let Some((at, call)) = conversation.due() {
            let answer = json!({ "returns": { "coverage_status": "full", "evidence_grade": "strong" } });
            let reply = ending(&registry, (at, call.port), &answer.to_string()).expect("an end");
            conversation.answer(reply).expect("taken");
        }
    };
    say(&mut conversation, "show stock for March 2020 at Romashka");
    let (before, calls) = (conversation.state().clone(), ids_of(&conversation));
    say(&mut conversation, "and for April 2020");
    let (after, second) = (conversation.state().clone(), ids_of(&conversation));
    assert_ne!(before, after);
    assert_eq!(conversation.undo(), Ok(Some(2)));
    assert_eq!(*conversation.state(), before);
    assert_eq!(ids_of(&conversation), calls);
    // What is said then goes as it went before.
    say(&mut conversation, "and for April 2020");
    assert_eq!((conversation.state(), ids_of(&conversation)), (&after, second));
}

fn ids_of(conversation: &Conversation<'_>) -> Vec<String> {
    let calls = conversation.turns().iter().flat_map(|told| &told.calls);
    calls.map(|made| made.call.id.to_string()).collect()
}

#[test]
fn what_cannot_be_taken_changes_nothing() {
    let registry = loaded("assistant");
    let store = Memory::default();
    let mut conversation = begun(&registry, &store, given(&registry, None, Clock::default()), None);
    let before = conversation.state().clone();
    let wrong = |key: &str, value: &str, signals: Option<&str>, conversation: &mut Conversation<'_>| {
        let Err(Untaken::Input(found)) = conversation.begin(key, value, signals) else { panic!("{key} is taken") };
        format!("{}; {}", found[0].message, found[0].help.as_deref().unwrap_or_default())
    };
    assert_eq!(wrong("usr", "\"hm\"", None, &mut conversation), "`usr` is no input of this pack; did you mean `user`?");
    assert_eq!(
        wrong("user", "\"hm\"", Some("{\"date_scop\":\"2020\"}"), &mut conversation),
        "`date_scop` is no signal of this pack that a host may give; did you mean `date_scope`?"
    );
    assert!(wrong("expect", "{}", None, &mut conversation).starts_with("`expect` is no input of this pack"));
    assert_eq!((conversation.turns().len(), conversation.state()), (0, &before));
    assert_eq!(conversation.written("x", None), Err("nothing has been said yet".into()));
}

/// Each event has the time that the host says, to the millisecond; a conversation is saved at the one at which it began, whatever the
/// times are that stand in calls and in the state.
#[test]
fn the_clock_is_looked_at_for_each_event() {
    let registry = loaded("clarification");
    let first: Timestamp = "2021-05-10T23:59:00Z".parse().expect("an instant");
    let told = |step: SignedDuration| {
        let store = Memory::default();
        let keeping = Keeping { store: &store, tells: Vec::new(), gives_up: false, lasts: true };
        let start = given(&registry, None, Clock::at(first));
        let mut conversation = Conversation::new(&registry, keeping, start, None).expect("a session");
        let mut now = first;
        conversation.tell_time(Box::new(move || {
            now += step;
            Some(now)
        }));
        let say = |conversation: &mut Conversation<'_>, text: &str| {
            conversation.begin("query", &json!({ "text": text }).to_string(), None).expect("an input");
            while let Some((at, call)) = conversation.due() {
                let reply = ending(&registry, (at, call.port), "{\"status\":\"failed\",\"error\":\"down\"}");
                conversation.answer(reply.expect("an end")).expect("taken");
            }
        };
        say(&mut conversation, "show my spending");
        say(&mut conversation, "show it again");
        let written = conversation.written("later", None);
        let entries = store.entries("s-1").expect("its entries");
        assert_eq!(conversation.undo(), Ok(Some(2)));
        let undone = store.entries("s-1").expect("its entries");
        conversation.end(Retention::Content).expect("it ends");
        let head = store.read("s-1").expect("a session").head;
        let mut all: Vec<String> = entries.iter().chain(undone.last()).map(|entry| entry.at.clone()).collect();
        all.extend([head.opened, head.touched, head.ended.expect("it has ended")]);
        (all, written)
    };
    let (times, written) = told(SignedDuration::from_millis(1500));
    let (events, ends) = times.split_at(times.len() - 3);
    let wanted: Vec<String> =
        (1..=events.len()).map(|at| format!("{:.3}", first + SignedDuration::from_millis(1500) * at as i32)).collect();
    assert!(events.len() > 4 && events == wanted, "{events:?}");
    assert_eq!(
        (&*ends[0], ends[1] > events[events.len() - 1], ends[1] == ends[2]),
        ("2021-05-10T23:59:00.000Z", true, true)
    );
    let written = written.expect("a scenario");
    assert!(
        written.text.contains("env: { today: \"2021-05-10\", now: \"2021-05-10T23:59:00.000Z\" }"),
        "{}",
        written.text
    );
    assert!(events.iter().all(|at| !written.text.contains(at)), "{}", written.text);
    assert!(replayed(&registry, &written.text).failures.is_empty(), "{}", written.text);
}

/// A scenario has one day: what a conversation has made of another one is not saved as if it had been made of the first.
#[test]
fn a_conversation_past_midnight_is_saved_where_the_day_does_not_matter() {
    let registry = loaded("assistant");
    let saved = |said: &str| {
        let store = Memory::default();
        let start = given(&registry, None, Clock::at("2021-12-31T23:59:00Z".parse().expect("an instant")));
        let mut conversation = begun(&registry, &store, start, None);
        let mut days = ["2021-12-31T23:59:30Z", "2022-01-01T00:00:00Z"].into_iter();
        conversation.tell_time(Box::new(move || days.next().map(|now| now.parse().expect("an instant"))));
        for text in ["hm", said] {
            conversation.begin("user", &Json::from(text).to_string(), None).expect("an input");
            while conversation.due().is_some() {
                conversation.leave_open();
            }
        }
        conversation.written("midnight", None).map(|_| ())
    };
    assert_eq!(saved("hm"), Ok(()));
    let why = "turn 2 goes another way when it is replayed; the day has changed meanwhile, and a scenario has one";
    assert_eq!(saved("show stock for May at Romashka"), Err(why.to_owned()));
}

/// A null that a workflow has answered is no value of a scenario: where it stands is told.
#[test]
fn an_answer_with_a_null_is_not_saved() {
    let registry = loaded("refinement");
    let store = Memory::default();
    let mut conversation = begun(&registry, &store, given(&registry, None, Clock::default()), None);
    let say = |conversation: &mut Conversation<'_>, details: Json| {
        conversation.begin("user", "\"/new Show me all users\"", None).expect("an input");
        let (at, call) = conversation.due().expect("a call");
        let answer = json!({ "returns": { "query": "SELECT 1", "explanation": null, "confidence": "high", "details": details } });
        let reply = ending(&registry, (at, call.port), &answer.to_string()).expect("an end");
        conversation.answer(reply).expect("taken");
        conversation.written("nulls", None).map(|written| written.text)
    };
    let text = say(&mut conversation, json!({ "rows": [[1, 2]] }))
        .expect("a field that is left out is none that holds a null");
    assert!(replayed(&registry, &text).failures.is_empty(), "{text}");
    let why = "the answer of `generate` in turn 2 holds a null, `details.rows[0][1]`, and no scenario holds one: let it be left out there, \
               or let a text stand for it; `/undo` takes the turn back";
    assert_eq!(say(&mut conversation, json!({ "rows": [[1, null]], "more": false })), Err(why.to_owned()));
    assert_eq!(conversation.undo(), Ok(Some(2)));
    assert_eq!(conversation.written("nulls", None).map(|written| written.text), Ok(text));
}
