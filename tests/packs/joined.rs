//! One assistant of three packs: whatever happens the packs agree on what is asked, a session can be saved and read back at any moment, and
//! of two answers at the same time exactly one wins.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, OnceLock};

use crate::program::{Mini, copy, out};
use crate::support::env::env;
use segue::compose::{Cascade, cascade};
use segue::engine::{Event, NumberedIds, restore};
use segue::model::Status;
use segue::model::ids::ClassId;
use segue::model::uses::PackAt;
use segue::registry::Registry;
use segue::state::SessionState;
use segue::workspace::Workspace;
use serde_json::{Value as Json, json};

fn registry() -> &'static Registry {
    static LOADED: OnceLock<Registry> = OnceLock::new();
    LOADED.get_or_init(|| {
        let workspace = Workspace::of(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the repository is a workspace");
        let loaded = segue::load::load(&workspace.pack("joined").expect("the pack"), &Default::default());
        let found = segue::report::human(&loaded.sources, &loaded.diagnostics, false);
        loaded.registry.unwrap_or_else(|| panic!("{found}"))
    })
}

struct Session {
    state: SessionState,
    ids: NumberedIds,
}

impl Session {
    fn new() -> Self {
        Self { state: SessionState::new(registry().pack()), ids: NumberedIds::default() }
    }

    fn take(&mut self, event: &Event) -> Cascade {
        let done = cascade(registry(), &self.state, event, &mut env(1, &mut self.ids)).expect("a cascade");
        self.state = done.state.clone();
        done
    }

    fn input(&mut self, event: &str, payload: &Json) -> Cascade {
        self.take(&Event::input(registry(), event, payload, &json!({})).expect("an event"))
    }

    fn say(&mut self, text: &str) -> Cascade {
        self.input("utterance", &json!({ "text": text }))
    }

    /// The call that the host has to answer next, and its port.
    fn open(&self) -> Option<(std::sync::Arc<str>, String)> {
        let pack = registry().pack();
        let (at, call) = self.state.host_calls(pack).into_iter().next()?;
        let of = pack.at(at);
        Some((call.id.clone(), pack.qualified(at, of.names.text(of.ports[call.port.index()].name))))
    }

    /// What answers that call.
    #[track_caller]
    fn ok(&mut self, port: &str, value: Json) -> Cascade {
        let (call, waits) = self.open().expect("an open call");
        assert_eq!(waits, port);
        self.take(&Event::Outcome { call, status: Status::Ok, value: Some(value), error: None })
    }

    fn saved(&self) -> Json {
        self.state.to_json(registry().pack())
    }

    fn frame(&self, pack: &str, frame: &str) -> Json {
        let all = registry().pack();
        let at = all.all().find(|at| all.qualified(*at, "") == pack).expect("a pack");
        let of = all.at(at);
        self.state.at(at).expect("a state").frame_json(of, of.frame(frame).expect("a frame"))
    }
}

/// The frames of the step-back pack in a saved session.
fn step_back(saved: &Json) -> &Json {
    &saved["uses"]["sb"]["step_back_session"]["step_back_state"]
}

/// The classes of the steps, by name.
fn classes(done: &Cascade) -> Vec<String> {
    let pack = registry().pack();
    let name = |at: PackAt, class: ClassId| {
        let of = pack.at(at);
        pack.qualified(at, of.names.text(of.classes[class.index()].id))
    };
    done.steps.iter().filter_map(|taken| taken.step.class.map(|class| name(taken.pack, class))).collect()
}

fn result(missing: &[&str]) -> Json {
    let scope = if missing.is_empty() { "complete" } else { "partial" };
    json!({ "intent": "get_data", "schemaScope": scope, "missingInfo": missing, "confidence": 0.8 })
}

fn questions(missing: &[&str]) -> Json {
    missing.iter().map(|id| json!({ "id": id, "question": "Which?", "expectedType": "CURRENCY" })).collect()
}

/// A session in which step-back waits for a currency, under `r-1`.
fn waiting() -> Session {
    let mut session = Session::new();
    session.say("какие были продажи за март 2020 по Ромашке");
    session.ok("gate/classify", json!({ "intent": "sales", "confidence": 0.9 }));
    session.ok(
        "sb/step_back",
        json!({ "result": result(&["currency"]), "questions": questions(&["currency"]), "explanation": "x" }),
    );
    assert_eq!(session.frame("", "clarification")["reasoning_id"], "r-1");
    session
}

/// FB-19: two answers to one reasoning-id at the same time. The host keeps one state for a session, and exactly one of them is taken.
#[test]
fn fb_19_of_two_answers_at_the_same_time_exactly_one_wins() {
    let session = Mutex::new(waiting());
    let seen = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for text in ["USD", "EUR"] {
            let (session, seen) = (&session, &seen);
            scope.spawn(move || {
                let mut session = session.lock().expect("no thread panics");
                let done = session.input("reply", &json!({ "reasoningId": "r-1", "message": text }));
                let refused = done.refused().map(|why| registry().pack().names.text(why).to_owned());
                seen.lock().expect("no thread panics").push((classes(&done), refused));
            });
        }
    });
    let mut seen = seen.into_inner().expect("no thread panics");
    seen.sort();
    assert_eq!(
        seen,
        [(vec![], Some("busy".to_owned())), (vec!["T7_STEP_BACK".to_owned(), "sb/ANSWER".to_owned()], None)]
    );
    // And after it has been read, and the route has run, the id is dead.
    let mut session = session.into_inner().expect("no thread panics");
    session.ok("sb/interpret", json!({ "mappedAnswers": { "currency": "USD" }, "unmapped": [], "confidence": 0.9 }));
    session.ok("sb/resume", json!({ "result": result(&[]) }));
    session.ok("route_execute", json!({ "coverage_status": "full", "evidence_grade": "strong" }));
    let before = session.saved();
    let late = session.input("reply", &json!({ "reasoningId": "r-1", "message": "EUR" }));
    assert_eq!(classes(&late), ["STALE", "sb/REFUSE"]);
    let mut after = session.saved();
    after["revision"] = before["revision"].clone();
    after["uses"]["sb"]["revision"] = before["uses"]["sb"]["revision"].clone();
    assert_eq!(after, before);
}

/// What a user may do, and what comes of calls, in any order.
fn anything(session: &Session, dice: &mut impl FnMut(usize) -> usize) -> Event {
    const LINES: &[&str] = &[
        "покажи остатки за март 2020 по Ромашке",
        "какие были продажи за март 2020 по Ромашке",
        "покажи закупки по Васильку",
        "долги по Васильку",
        "show the payments for March 2020 at Romashka",
        "покажи цены",
        "а за апрель 2020",
        "по Ромашке",
        "за 35 марта 2020",
        "а что по платежам",
        "да",
        "нет",
        "нет, за май 2020",
        "нет, покажи продажи за май 2020 по Ромашке",
        "может быть",
        "по складам",
        "неважно",
        "отмена",
        "в долларах",
        "в рублях за апрель 2020",
        "спасибо",
        "это много или мало",
        "мы это обсуждали?",
        "кто поставщик",
        "по ней",
        "?!",
        "",
        "/new",
    ];
    if let Some((call, port)) = session.open()
        && dice(12) > 0
    {
        let bad = [Status::Failed, Status::Timeout, Status::Cancelled];
        let status = bad.get(dice(25)).copied().unwrap_or(Status::Ok);
        let missing: &[&str] = [&[][..], &[], &["currency"], &["currency", "rate"]][dice(4)];
        let value = match port.as_str() {
            "gate/classify" => {
                let confidence = [0.5, 0.75, 0.9, 0.9, 1.0, 2.0][dice(6)];
                json!({ "intent": "x", "confidence": confidence, "needsClarification": dice(4) == 0, "clarifyQuestion": "Which?" })
            }
            "sb/step_back" => {
                json!({ "result": result(missing), "questions": questions(missing), "explanation": "x" })
            }
            "sb/resume" => {
                let missing = if dice(3) == 0 { &["unit"][..] } else { &[] };
                json!({ "result": result(missing), "questions": questions(missing) })
            }
            "sb/interpret" => {
                let asked = step_back(&session.saved())["reasoning_state"]["open"][0]["questions"].clone();
                let mapped: serde_json::Map<String, Json> = asked.as_array().map_or_else(Default::default, |asked| {
                    let said = |one: &Json| (one["id"].as_str().expect("an id").to_owned(), json!("USD"));
                    asked.iter().take(1 + dice(2)).map(said).collect()
                });
                let id = |one: &Json| one["id"].as_str().expect("an id").to_owned();
                let left = asked.as_array().into_iter().flatten().map(id).filter(|id| !mapped.contains_key(id));
                json!({ "unmapped": left.collect::<Vec<_>>(), "mappedAnswers": mapped, "confidence": 0.9 })
            }
            "meta_answer" => json!({ "text": "x" }),
            _ => {
                let coverage = ["full", "full", "full", "partial", "blocked"][dice(5)];
                json!({ "coverage_status": coverage, "evidence_grade": "strong", "result_set_id": "rs-1", "answer_object_ref": "a-1",
                    "missing_anchors": if dice(2) == 0 { json!(["date_scope"]) } else { Json::Null } })
            }
        };
        let value = (status == Status::Ok && dice(30) > 0).then_some(value);
        return Event::Outcome { call, status, value, error: None };
    }
    let line = LINES[dice(LINES.len())];
    let id = [session.frame("", "clarification")["reasoning_id"].clone(), json!("r-1"), Json::Null][dice(3)].clone();
    let (event, payload) = match dice(12) {
        0 | 1 => ("reply", json!({ "reasoningId": id, "message": line })),
        2 if dice(2) == 0 => ("cancel", json!({ "reasoningId": id })),
        3 if dice(2) == 0 => ("reformulate", json!({ "reasoningId": id, "message": line })),
        4 => ("select", json!({ "object_ref": "row-1", "object_kind": "item" })),
        _ => ("utterance", json!({ "text": line })),
    };
    Event::input(registry(), event, &payload, &json!({})).expect("an event")
}

/// Whatever happens: no promise of a class is broken, nothing runs that has not passed, and as soon as no call is out the three packs agree on
/// what is asked. A session that is saved and read back is the same.
#[test]
fn no_order_of_events_leads_astray() {
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut dice = |bound: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % bound as u64).expect("a small number")
    };
    let mut met = BTreeMap::<String, usize>::new();
    for _ in 0..120 {
        let mut session = Session::new();
        for _ in 0..60 {
            let event = anything(&session, &mut dice);
            let before = session.saved();
            let done = session.take(&event);
            let told = || format!("{event:?}\n{:?}\n{before:#}", classes(&done));
            for taken in &done.steps {
                let names = &registry().pack().at(taken.pack).names;
                for reason in &taken.step.reasons {
                    let bad = ["verification_failed", "ambiguous", "step_limit", "unused_signal"];
                    assert!(!bad.contains(&names.text(*reason)), "{:?} {}", taken.step.failures, told());
                }
            }
            assert!(done.undone.is_none(), "{}", told());
            classes(&done).into_iter().for_each(|class| *met.entry(class).or_default() += 1);
            let saved = session.saved();
            let mut ids = NumberedIds::default();
            let restored = restore(registry(), &saved, &mut env(1, &mut ids)).expect("a session");
            assert_eq!((&restored.state, restored.repaired.len()), (&session.state, 0), "{}", told());
            if session.open().is_some() {
                continue;
            }
            let asks = session.frame("", "clarification");
            let open = |frame: &str| -> Vec<Json> {
                let open = step_back(&saved)[frame]["open"].as_array().expect("instances");
                open.iter().map(|one| one["key"].clone()).collect()
            };
            let id: Vec<Json> = asks.get("reasoning_id").into_iter().cloned().collect();
            assert_eq!(open("reasoning_state"), id, "{}", told());
            assert_eq!(open("thought"), [Json::Null; 0], "{}", told());
            let dialog = match asks["clarification_kind"].as_str() {
                Some("unconfirmed") => "AWAITING_CONFIRMATION",
                Some("unclear") => "AWAITING_CLARIFICATION",
                _ => "IDLE",
            };
            assert_eq!(session.frame("gate/", "session")["phase"], dialog, "{}", told());
            assert!(asks.get("clarification_kind").is_none() || asks["round"].as_i64() > Some(0), "{}", told());
        }
    }
    for class in &registry().pack().classes {
        let id = registry().pack().names.text(class.id);
        assert!(met.contains_key(id), "{id}: {met:?}");
    }
}

/// A conversation through a pipe: what is said goes to the one assistant, what the two packs call for is answered by the lines between.
#[test]
fn a_chat_goes_through_all_three() {
    let own = Mini::empty();
    own.write("segue.toml", "");
    for pack in ["assistant", "clarification", "step-back", "joined"] {
        let folder = format!("transitions/{pack}");
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join(&folder), &own.path(&folder));
    }
    let good = json!({ "coverage_status": "full", "evidence_grade": "strong", "answer_object_ref": "a-1" });
    let lines = [
        "какие были продажи за март 2020 по Ромашке".to_owned(),
        json!({ "intent": "sales", "confidence": 0.6 }).to_string(),
        "да".to_owned(),
        json!({ "result": result(&["currency"]), "questions": questions(&["currency"]), "explanation": "x" })
            .to_string(),
        "спасибо".to_owned(),
        "в долларах".to_owned(),
        json!({ "mappedAnswers": { "currency": "dollars" }, "confidence": 0.9, "unmapped": [] }).to_string(),
        json!({ "result": result(&[]) }).to_string(),
        good.to_string(),
        "/answer {\"reasoningId\":\"r-1\",\"action\":\"ANSWER_CLARIFICATION\",\"message\":\"EUR\"}".to_owned(),
    ];
    let args = ["chat", "--pack", "joined", "--format", "json", "--numbered-ids"];
    let run = own.command(&args).stdin(lines.join("\n") + "\n").assert().success();
    let turns: Vec<Json> = out(&run).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let told: Vec<_> = turns.iter().map(|turn| (turn["transition"].as_str(), turn["answer_mode"].as_str())).collect();
    assert_eq!(
        told,
        [
            (Some("T1"), Some("clarification")),
            (Some("T7_GATE"), Some("clarification")),
            (Some("T10"), Some("chat")),
            (Some("T7_STEP_BACK"), Some("exact_route")),
            (Some("STALE"), Some("refused")),
        ],
        "{turns:?}"
    );
    let ports: Vec<_> = turns[3]["calls"].as_array().expect("calls").iter().map(|call| call["port"].clone()).collect();
    assert_eq!(ports, ["sb/interpret", "sb/resume", "sb/proceed", "route_execute"]);
}
