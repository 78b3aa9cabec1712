//! The refinement pack: its parameters, the JSON of its results and calls, its log texts, and that no order of turns, failures and
//! commands makes it forget or mix what it knows.

use std::path::Path;

use crate::support::Dice;
use jiff::civil::Date;
use segue::declare::Options;
use segue::engine::{Env, Event, NumberedIds, Step, StepError, step};
use segue::model::{Channel, Level, Status};
use segue::registry::Registry;
use segue::state::SessionState;
use segue::workspace::Workspace;
use serde_json::{Value as Json, json};

/// The pack with parameters.
fn pack(params: &[(&str, &str)]) -> Registry {
    let workspace = Workspace::of(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the repository is a workspace");
    let files = workspace.pack("refinement").expect("the pack");
    let params = params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let loaded = segue::load::load(&files, &Options { params });
    let found = segue::report::human(&loaded.sources, &loaded.diagnostics, false);
    loaded.registry.unwrap_or_else(|| panic!("{found}"))
}

struct Session<'r> {
    registry: &'r Registry,
    state: SessionState,
    ids: NumberedIds,
}

impl<'r> Session<'r> {
    fn new(registry: &'r Registry) -> Self {
        Session { registry, state: SessionState::new(registry.pack()), ids: NumberedIds::default() }
    }

    fn take(&mut self, event: &Event) -> Result<Step, StepError> {
        let mut env = Env {
            now: "2025-10-24T09:00:00Z".into(),
            today: Date::new(2025, 10, 24).expect("a day"),
            session_id: "abc-123".into(),
            turn_id: "t".into(),
            ids: &mut self.ids,
            trace: false,
            probe: None,
        };
        let step = step(self.registry, &self.state, event, &mut env)?;
        self.state = step.state.clone();
        Ok(step)
    }

    fn input(&mut self, event: &str, payload: Json, signals: &Json) -> Step {
        let event = Event::input(self.registry, event, &payload, signals).expect("an event");
        self.take(&event).expect("a step")
    }

    fn says(&mut self, text: &str) -> Step {
        self.input("utterance", json!({ "text": text }), &json!({}))
    }

    /// The outcome of the one open call: an answer, or else a failure.
    fn outcome(&mut self, value: Option<Json>) -> Step {
        let call = self.state.open_calls()[0].id.clone();
        let (status, error) = match value {
            Some(_) => (Status::Ok, None),
            None => (Status::Failed, Some("down".into())),
        };
        self.take(&Event::Outcome { call, status, value, error }).expect("a step")
    }

    fn query(&mut self, query: &str) -> Step {
        self.outcome(Some(json!({ "query": query, "confidence": "high" })))
    }

    /// The request of the call to a port in a step.
    fn request(&self, step: &Step, port: &str) -> Json {
        let pack = self.registry.pack();
        let named = |at: usize| pack.names.text(pack.ports[at].name) == port;
        let call =
            step.calls.iter().find(|call| named(call.port.index())).unwrap_or_else(|| panic!("no call of {port}"));
        call.request(pack)
    }

    /// The messages of a step by a name, as the host gets them.
    fn messages(&self, step: &Step, name: &str) -> Vec<Json> {
        let pack = self.registry.pack();
        let named = |at: usize| pack.names.text(pack.messages[at].name) == name;
        step.messages
            .iter()
            .filter(|message| named(message.message.index()))
            .map(|message| message.body(pack))
            .collect()
    }

    fn at(&self, path: &str) -> Json {
        let (frame, field) = path.split_once('.').expect("frame.field");
        let pack = self.registry.pack();
        let frame = self.state.frame_json(pack, pack.frame(frame).expect("a frame"));
        frame.get(field).cloned().unwrap_or(Json::Null)
    }
}

fn keys(of: &Json) -> Vec<&str> {
    of.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// A command with a text that it does not take changes nothing at all, whatever the host says of the intent, and the user is told; `/new` takes
/// its text, and what ends a sentence is none.
#[test]
fn a_command_that_takes_no_text() {
    let registry = pack(&[]);
    let mut session = Session::new(&registry);
    session.says("Show me all users");
    session.query("Q1");
    let frames = |session: &Session<'_>| {
        let pack = registry.pack();
        ["session", "dialog", "turn", "health", "settings"]
            .map(|frame| session.state.frame_json(pack, pack.frame(frame).expect("a frame")))
    };
    let before = frames(&session);
    for text in ["/clear the filter on status", "/quit now please", "/exit now", "/CLEAR: all", "/exit /new users"] {
        for signals in [json!({}), json!({ "intent": "new_query" }), json!({ "detector_error": "down" })] {
            let step = session.input("utterance", json!({ "text": text }), &signals);
            let [told] = session.messages(&step, "boundary").try_into().expect("one message");
            assert_eq!(told["reason"], "text_after_command", "{text}");
            assert!(told["hint"].as_str().is_some_and(|hint| hint.contains("take no text")), "{text}: {told}");
            assert!(step.calls.is_empty(), "{text}");
            assert_eq!(frames(&session), before, "{text}");
        }
    }
    let step = session.says("/new the filter on status");
    assert_eq!(session.request(&step, "generate")["question"], "the filter on status");
    session.query("Q2");
    session.says("/clear.");
    assert_eq!(session.at("dialog.current_query"), Json::Null);
    session.says(" /quit ");
    assert_eq!(session.at("session.status"), "ended");
}

/// S1, IRW-REQ-02 and IRW-REQ-04: exactly the fields that S1 names go to the workflows and come out, and the two confidences beside.
#[test]
fn the_wire_is_that_of_the_source() {
    let registry = pack(&[]);
    let mut session = Session::new(&registry);
    session.input("open", json!({ "database": "ecommerce" }), &json!({}));
    let step = session.says("Show me all users");
    assert_eq!(session.request(&step, "generate"), json!({ "question": "Show me all users", "database": "ecommerce" }));
    let step = session.outcome(Some(json!({ "query": "Q1", "explanation": "...", "confidence": "high" })));
    let [result] = session.messages(&step, "result").try_into().expect("one result");
    assert_eq!(
        keys(&result),
        [
            "query",
            "explanation",
            "confidence",
            "queryConfidence",
            "intentConfidence",
            "intent",
            "turnNumber",
            "sessionId",
            "conversationContext",
        ]
    );
    let metadata =
        json!({ "sessionId": "abc-123", "database": "ecommerce", "turnCount": 1, "epoch": 0, "status": "active" });
    assert_eq!(session.request(&step, "persist"), metadata);
    let step = session.says("Only from last month");
    assert_eq!(
        session.request(&step, "refine"),
        json!({
            "originalQuestion": "Show me all users", "currentQuery": "Q1", "feedback": "Only from last month",
            "previousResults": { "query": "Q1", "explanation": "...", "confidence": "high" },
        })
    );
    let step = session.query("Q2");
    assert_eq!(session.request(&step, "compare"), json!({ "before": "Q1", "after": "Q2" }));
    let step = session.outcome(Some(json!({ "summary": "Added WHERE clause" })));
    let [result] = session.messages(&step, "result").try_into().expect("one result");
    assert_eq!(result["refinementSummary"], "Added WHERE clause");
    assert_eq!(result["conversationContext"].as_array().map(Vec::len), Some(1));
    session.says("Only from last week");
    let step = session.outcome(None);
    let [failed] = session.messages(&step, "failed").try_into().expect("one failure");
    assert_eq!(
        keys(&failed),
        [
            "error",
            "message",
            "canRetry",
            "intent",
            "intentConfidence",
            "turnNumber",
            "sessionId",
            "conversationContext"
        ]
    );
    assert_eq!(
        (&failed["error"], &failed["message"], &failed["canRetry"]),
        (&json!(true), &json!("down"), &json!(true))
    );
}

/// S1, IRW-REQ-05, literally, and what may be logged of what the user wrote: ambiguous cases for analysis, nothing else.
#[test]
fn the_log_is_that_of_the_source() {
    let registry = pack(&[]);
    let pack = registry.pack();
    let text = |text: &str| pack.messages.iter().find(|message| message.text.as_deref() == Some(text));
    let ambiguous = text("Ambiguous intent detected").expect("the warning");
    assert_eq!(ambiguous.channel, Channel::Log(Level::Warning));
    let mut session = Session::new(&registry);
    let mut steps = vec![session.says("Show me all secrets")];
    steps.push(session.query("Q1"));
    steps.push(session.says("Only those of my secret"));
    steps.push(session.outcome(None));
    let logged = steps
        .iter()
        .flat_map(|step| &step.messages)
        .filter(|message| matches!(pack.messages[message.message.index()].channel, Channel::Log(_)));
    let logged: Vec<String> = logged.map(|message| format!("{:?} {}", message.text, message.body(pack))).collect();
    assert!(logged.len() >= 2 && logged.iter().all(|line| !line.contains("secret")), "{logged:?}");
    let step = session.says("secret");
    let [told] = session.messages(&step, "log_ambiguous").try_into().expect("one warning");
    assert_eq!(told, json!({ "input": "secret", "intent": "refinement", "reason": "ambiguous" }));
}

/// S1, IRW-REQ-03 and IRW-REQ-06: what each parameter changes.
#[test]
fn parameters() {
    let changed =
        pack(&[("max_turns", "3"), ("default_database", "stock"), ("keep_content", "true"), ("log_summary", "true")]);
    let shipped = pack(&[]);
    for (registry, kept, database, content) in [(&changed, 3, "stock", true), (&shipped, 10, "default", false)] {
        let mut session = Session::new(registry);
        for n in 1..=12 {
            let step = session.says("Show me all users");
            assert_eq!(session.request(&step, "generate")["database"], database);
            session.query(&format!("Q{n}"));
        }
        let turns = session.at("dialog.turns");
        let numbers: Vec<u64> =
            turns.as_array().expect("a list").iter().filter_map(|turn| turn["turn_number"].as_u64()).collect();
        assert_eq!(numbers, (13 - kept..=12).collect::<Vec<_>>());
        let step = session.input("exit", json!({}), &json!({}));
        assert_eq!(session.messages(&step, "log_summary").len(), usize::from(content));
        assert_eq!(session.at("dialog.current_query") == "Q12", content);
        assert_eq!(session.at("session.turn_count"), 12);
    }
}

/// What the conversation should hold, kept beside it in the plainest way.
#[derive(Debug, Clone, Default)]
struct Model {
    epoch: u64,
    count: u64,
    /// The question of the chain and the last query that succeeded.
    current: Option<(String, String)>,
    turns: Vec<u64>,
}

/// Whatever comes in whatever order, turn numbers, history, question, query and result are those of a model that only counts.
#[test]
fn no_order_of_turns_leads_astray() {
    let registry = pack(&[]);
    let mut dice = Dice(17);
    let (mut refined, mut failed) = (0, 0);
    for _ in 0..60 {
        let mut session = Session::new(&registry);
        let mut model = Model::default();
        for turn in 0..40 {
            let told = [
                json!({}),
                json!({}),
                json!({ "intent": "refinement", "intent_confidence": "low" }),
                json!({ "detector_error": "x" }),
            ];
            let signals = dice.pick(&told).clone();
            let text = *dice.pick(&[
                "Show me all users",
                "Only these",
                "at least 3",
                "/new sort them",
                "/new",
                "/clear",
                "?!",
                "/x",
            ]);
            let step = session.input("utterance", json!({ "text": text }), &signals);
            match text {
                "/clear" => model = Model { epoch: model.epoch + 1, ..Model::default() },
                "/new" => model.current = None,
                "?!" | "/x" => {}
                _ => {
                    let question = text.strip_prefix("/new ").unwrap_or(text);
                    let refines = step.calls.iter().any(|call| {
                        registry.pack().names.text(registry.pack().ports[call.port.index()].name) == "refine"
                    });
                    let new =
                        text.starts_with("/new") || signals.get("detector_error").is_some() || model.current.is_none();
                    assert_eq!(
                        refines,
                        !new && (text != "Show me all users" || signals.get("intent").is_some()),
                        "{text} {signals}"
                    );
                    // A second text, while the first is at work, is refused and changes nothing.
                    if dice.chance(20) {
                        let event = Event::input(&registry, "utterance", &json!({ "text": "/clear" }), &json!({}))
                            .expect("an event");
                        let refused = session.take(&event).expect("a step");
                        assert!(refused.class.is_none());
                    }
                    let query = format!("Q{turn}");
                    let good = dice.chance(70);
                    if good {
                        session.query(&query);
                        if refines {
                            session.outcome(dice.chance(50).then(|| json!({ "summary": "changed" })));
                        }
                    } else {
                        session.outcome(None);
                    }
                    model.count += 1;
                    model.turns.push(model.count);
                    let root = model.current.take();
                    model.current = match (good, refines, root) {
                        (true, true, Some((root, _))) => Some((root, query)),
                        (true, _, _) => Some((question.to_owned(), query)),
                        (false, _, root) => root,
                    };
                    refined += u64::from(refines && good);
                    failed += u64::from(!good);
                }
            }
            let turns = session.at("dialog.turns");
            let numbers =
                turns.as_array().expect("a list").iter().map(|turn| turn["turn_number"].as_u64().expect("a number"));
            assert!(numbers.eq(model.turns.iter().copied().skip(model.turns.len().saturating_sub(10))), "{model:?}");
            let (root, query) = model.current.clone().unzip();
            assert_eq!(session.at("dialog.original_question"), json!(root));
            assert_eq!(session.at("dialog.current_query"), json!(query));
            assert_eq!(session.at("dialog.current_result").get("query").cloned().unwrap_or_default(), json!(query));
            assert_eq!(
                (session.at("session.turn_count"), session.at("session.epoch")),
                (json!(model.count), json!(model.epoch))
            );
        }
    }
    assert!(refined > 100 && failed > 100, "{refined} refined, {failed} failed");
}
