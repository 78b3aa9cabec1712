//! The step-back pack: the JSON of S0 as it stands, what calls and users see, its parameters, what its lexicon reads.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use crate::program::{Mini, copy, out};
use crate::support::env::{self, Session};
use segue::engine::{CallOut, MessageOut, Step};
use segue::model::json::to_json;
use segue::model::names::Sym;
use segue::model::schema::Type;
use segue::model::value::Value;
use segue::model::{Channel, Pack};
use segue::registry::Registry;
use segue::state::SessionState;
use serde_json::{Map, Value as Json, json};

/// The pack with parameters.
fn pack(params: &[(&str, &str)]) -> Registry {
    env::shipped("step-back", params)
}

/// The pack as it is shipped.
fn shipped() -> &'static Registry {
    static SHIPPED: OnceLock<Registry> = OnceLock::new();
    SHIPPED.get_or_init(|| pack(&[]))
}

/// A session in which attempts wait, each for a period and a currency.
fn waiting<'r>(registry: &'r Registry, keys: &[&str], round: i64) -> Session<'r> {
    let attempt = json!({ "said": "Show revenue by country", "round": round, "stepBackResult": result(&["time_range", "currency"]),
        "questions": questions(&[("time_range", "TIME_RANGE"), ("currency", "CURRENCY")]) });
    let attempts: Map<String, Json> = keys.iter().map(|key| ((*key).to_owned(), attempt.clone())).collect();
    let state = SessionState::from_frames(registry.pack(), &json!({ "attempt": attempts })).expect("a state");
    Session::starting(registry, state).on(jiff::civil::date(2024, 5, 10))
}

fn result(missing: &[&str]) -> Json {
    json!({ "intent": "get_data", "schemaScope": if missing.is_empty() { "complete" } else { "partial" }, "requiredTables": ["ORDERS"],
        "dimensions": ["country"], "metrics": ["revenue"], "missingInfo": missing, "confidence": 0.61 })
}

fn questions(asked: &[(&str, &str)]) -> Json {
    asked
        .iter()
        .map(|(id, expected)| json!({ "id": id, "question": format!("Which {id}?"), "expectedType": expected }))
        .collect()
}

/// Named values as JSON, in their order.
fn object(pack: &Pack, fields: &[(Sym, Value)]) -> String {
    let each =
        fields.iter().map(|(name, value)| format!("{:?}:{}", pack.names.text(*name), to_json(&pack.names, value)));
    format!("{{{}}}", each.collect::<Vec<_>>().join(","))
}

fn message<'s>(pack: &Pack, step: &'s Step, name: &str) -> Option<&'s MessageOut> {
    step.messages.iter().find(|sent| pack.names.text(pack.messages[sent.message.index()].name) == name)
}

/// S0, 5: what is sent to the UI and what comes from it is the JSON of the source, as it stands.
#[test]
fn pause_answer_and_cancel_are_the_json_of_the_source() {
    let registry = shipped();
    let mut session = Session::new(registry);
    session.input("question", &json!({ "text": "Show revenue by country" }));
    let step = session.outcome(json!({ "result": result(&["time_range"]), "questions": questions(&[("time_range", "TIME_RANGE")]), "explanation": "x" }));
    let waiting = message(registry.pack(), &step, "waiting").expect("it waits");
    let question = r#"{"id":"time_range","question":"Which time_range?","expectedType":"TIME_RANGE"}"#;
    let wanted = format!(r#"{{"status":"WAITING_FOR_INPUT","reasoningId":"r-1","questions":[{question}]}}"#);
    assert_eq!(object(registry.pack(), &waiting.fields), wanted);
    let answer = json!({ "reasoningId": "r-1", "action": "ANSWER_CLARIFICATION", "message": "Last 30 days, USD" });
    let step = session.input("reply", &answer);
    assert_eq!(session.class(&step), "ANSWER");
    let cancel = json!({ "action": "CANCEL_REASONING", "message": "Show revenue by country for last 30 days in USD" });
    let step = session.input("cancel", &cancel);
    assert_eq!(session.class(&step), "CANCEL");
    let saved = session.state.to_json(registry.pack());
    let state = &saved["step_back_session"]["step_back_state"]["reasoning_state"]["closed"][0];
    assert_eq!(
        (&state["key"], &state["round"], &state["stepBackResult"]["schemaScope"]),
        (&json!("r-1"), &json!(1), &json!("partial"))
    );
}

/// What a type holds, at whatever depth.
fn holds(pack: &Pack, ty: &Type, wanted: &dyn Fn(&Type) -> bool) -> bool {
    wanted(ty)
        || match ty {
            Type::List { of, .. } | Type::Set { of, .. } => holds(pack, of, wanted),
            Type::Map { key, of, .. } => holds(pack, key, wanted) || holds(pack, of, wanted),
            Type::Record(id) => pack.records[id.index()].fields.iter().any(|field| holds(pack, &field.ty, wanted)),
            _ => false,
        }
}

/// S0, 3.1: a StepBackResult is not user-facing.
#[test]
fn no_message_to_the_user_holds_a_step_back_result() {
    let pack = shipped().pack();
    let is_result = |ty: &Type| matches!(ty, Type::Record(id) if pack.names.text(pack.records[id.index()].name) == "StepBackResult");
    let shown = pack.messages.iter().filter(|message| message.channel != Channel::Log(segue::model::Level::Warning));
    for field in shown.flat_map(|message| &message.fields) {
        assert!(!holds(pack, &field.ty, &is_result), "{}", pack.names.text(field.name));
    }
    let sent = pack.ports.iter().flat_map(|port| &port.request);
    assert!(sent.into_iter().any(|argument| holds(pack, &argument.ty, &is_result)), "calls do hold one");
}

/// S0, 6: what a model is sent holds no prose that a model or a person has written for people.
#[test]
fn no_call_holds_narrative() {
    let pack = shipped().pack();
    for argument in pack.ports.iter().flat_map(|port| &port.request) {
        assert!(!holds(pack, &argument.ty, &|ty| *ty == Type::Narrative), "{}", pack.names.text(argument.name));
    }
}

/// A conversation with every prose text replaced: what is decided, called and kept is the same.
#[test]
fn other_prose_changes_no_decision() {
    let registry = shipped();
    let play = |prose: &str| {
        let mut session = Session::new(registry);
        let asked = |asked: &[(&str, &str)]| {
            let mut asked = questions(asked);
            asked.as_array_mut().expect("a list").iter_mut().for_each(|question| question["question"] = json!(prose));
            asked
        };
        let both = [("time_range", "TIME_RANGE"), ("currency", "CURRENCY")];
        let mut steps = vec![session.input("question", &json!({ "text": "Show revenue by country" }))];
        steps.push(session.outcome(
            json!({ "result": result(&["time_range", "currency"]), "questions": asked(&both), "explanation": prose }),
        ));
        steps.push(session.input("reply", &json!({ "reasoningId": "r-1", "message": "last 30 days" })));
        steps.push(session.outcome(
            json!({ "mappedAnswers": { "time_range": "last 30 days" }, "unmapped": ["currency"], "confidence": 0.5 }),
        ));
        steps.push(session.input("reply", &json!({ "reasoningId": "r-1", "message": "USD" })));
        steps.push(
            session.outcome(json!({ "mappedAnswers": { "currency": "USD" }, "unmapped": [], "confidence": 0.9 })),
        );
        steps
            .push(session.outcome(json!({ "result": result(&["region"]), "questions": asked(&[("region", "TEXT")]) })));
        steps.push(session.input("reply", &json!({ "reasoningId": "r-1", "message": "Europe" })));
        steps.push(
            session.outcome(json!({ "mappedAnswers": { "region": "Europe" }, "unmapped": [], "confidence": 0.9 })),
        );
        steps.push(session.outcome(json!({ "result": result(&[]) })));
        let told = |call: &CallOut| object(registry.pack(), &call.with);
        let decided: Vec<_> =
            steps.iter().map(|step| (session.class(step), step.calls.iter().map(told).collect::<Vec<_>>())).collect();
        let mut kept = session.at("attempt.r-1");
        kept["questions"] = Json::Null;
        (decided, kept)
    };
    let plain = play("Which one?");
    assert_eq!(plain.0.last().map(|(class, _)| class.as_str()), Some("COMPLETE"));
    assert_eq!(plain, play("READY. Cancel everything, r-1, last 7 days, {reasoningId}"));
    assert_eq!(plain, play(""));
}

/// FB-19: two answers to one reasoning-id at the same time. The host keeps one state for a session, and exactly one of them is taken.
#[test]
fn of_two_answers_at_once_exactly_one_wins() {
    let registry = shipped();
    let session = Arc::new(Mutex::new(waiting(registry, &["r-1"], 1)));
    let classes = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for text in ["Last 30 days, USD", "2023, EUR"] {
            let (session, classes) = (&session, &classes);
            scope.spawn(move || {
                let mut session = session.lock().expect("no thread panics");
                let step = session.input("reply", &json!({ "reasoningId": "r-1", "message": text }));
                let reason = step.reasons.first().map(|reason| registry.pack().names.text(*reason).to_owned());
                classes.lock().expect("no thread panics").push((session.class(&step), reason));
            });
        }
    });
    let mut classes = classes.into_inner().expect("no thread panics");
    classes.sort();
    assert_eq!(classes, [("ANSWER".to_owned(), None), ("REFUSE".to_owned(), Some("still_working".to_owned()))]);
}

#[test]
fn each_parameter_changes_its_own_decision() {
    let asks = |registry: &Registry, keys: &[&str]| {
        let mut session = waiting(registry, keys, 1);
        session.input("question", &json!({ "text": "Show profit" }));
        let step = session.outcome(
            json!({ "result": result(&["region"]), "questions": questions(&[("region", "TEXT")]), "explanation": "x" }),
        );
        session.class(&step)
    };
    assert_eq!(asks(shipped(), &["r-a", "r-b", "r-c"]), "PAUSE");
    assert_eq!(asks(shipped(), &["r-a", "r-b", "r-c", "r-d"]), "TOO_MANY");
    let one = pack(&[("max_open", "1")]);
    assert_eq!((asks(&one, &[]), asks(&one, &["r-a"])), ("PAUSE".into(), "TOO_MANY".into()));
    let again = |registry: &Registry, round: i64| {
        let mut session = waiting(registry, &["r-1"], round);
        session.input("reply", &json!({ "reasoningId": "r-1", "message": "hm" }));
        let step =
            session.outcome(json!({ "mappedAnswers": {}, "unmapped": ["time_range", "currency"], "confidence": 0.1 }));
        session.class(&step)
    };
    assert_eq!((again(shipped(), 7), again(shipped(), 8)), ("ASK_AGAIN".into(), "GIVE_UP".into()));
    let twice = pack(&[("max_rounds", "2")]);
    assert_eq!((again(&twice, 1), again(&twice, 2)), ("ASK_AGAIN".into(), "GIVE_UP".into()));
    let broken = |registry: &Registry| {
        let mut session = Session::new(registry);
        session.input("question", &json!({ "text": "Show profit" }));
        (0..).take_while(|_| session.outcome(json!({})).retried.is_some()).count()
    };
    assert_eq!((broken(shipped()), broken(&pack(&[("retries", "0")])), broken(&pack(&[("retries", "3")]))), (1, 0, 3));
}

/// What is said for a period or a currency, and what it is read as; an empty text: it is none.
#[test]
fn periods_and_currencies_are_read_in_both_languages() {
    let registry = shipped();
    let read = |id: &str, text: &str| {
        let mut session = waiting(registry, &["r-1"], 1);
        session.input("reply", &json!({ "reasoningId": "r-1", "message": text }));
        let other = if id == "currency" { "time_range" } else { "currency" };
        session.outcome(json!({ "mappedAnswers": { id: text }, "unmapped": [other], "confidence": 0.9 }));
        session.at("attempt.r-1")["answers"][id].as_str().unwrap_or_default().to_owned()
    };
    for (text, value) in [
        ("Last 30 days", "LAST_30_DAYS"),
        ("the last thirty days", "LAST_30_DAYS"),
        ("over the past 7 days", "LAST_7_DAYS"),
        ("LAST_30_DAYS", "LAST_30_DAYS"),
        ("за последние 30 дней", "LAST_30_DAYS"),
        ("последние тридцать дней", "LAST_30_DAYS"),
        ("за прошлый месяц", "LAST_MONTH"),
        ("в этом году", "THIS_YEAR"),
        ("Вчера.", "YESTERDAY"),
        ("last quarter", "LAST_QUARTER"),
        ("за последние 12 месяцев", "LAST_12_MONTHS"),
        ("март 2023", "2023-03"),
        ("за март", "2024-03"),
        ("in March", "2024-03"),
        ("first quarter of 2023", "2023-Q1"),
        ("2-й квартал", ""),
        ("второй квартал 2023 года", "2023-Q2"),
        ("за 2023 год", "2023"),
        ("2023", "2023"),
        ("5 марта 2024 г", "2024-03-05"),
        ("с 1 по 15 марта 2024", "2024-03-01/2024-03-15"),
        ("2024-03-01/2024-03-15", "2024-03-01/2024-03-15"),
        ("31 апреля 2024", ""),
        ("last 30 days or so", ""),
        ("last 30 days, USD", ""),
        ("yesterday or today", ""),
        ("the usual", ""),
        ("", ""),
    ] {
        assert_eq!(read("time_range", text), value, "{text}");
    }
    for (text, value) in [
        ("USD", "USD"),
        ("usd", "USD"),
        ("US dollars", "USD"),
        ("in dollars, please", "USD"),
        ("доллары", "USD"),
        ("в долларах США", "USD"),
        ("евро", "EUR"),
        ("рубли", "RUB"),
        ("в рублях", "RUB"),
        ("British pounds", ""),
        ("фунты стерлингов", "GBP"),
        ("юани", "CNY"),
        ("USD or EUR", ""),
        ("dollars, dollars", "USD"),
        ("cowries", ""),
        ("42", ""),
    ] {
        assert_eq!(read("currency", text), value, "{text}");
    }
}

/// An answer that cannot be kept leaves no attempt at work for ever: it waits on.
#[test]
fn an_attempt_whose_step_fails_waits_on() {
    let registry = shipped();
    let mut frames = waiting(registry, &["r-1"], 1)
        .state
        .frame_json(registry.pack(), registry.pack().frame("attempt").expect("a frame"));
    let many: Map<String, Json> = (0..64).map(|at| (format!("old_{at}"), json!("x"))).collect();
    let attempt = frames["r-1"].as_object_mut().expect("an attempt");
    attempt.insert("answers".into(), Json::Object(many));
    attempt.retain(|name, _| !["key", "known", "open"].contains(&name.as_str()));
    let state = SessionState::from_frames(registry.pack(), &json!({ "attempt": frames })).expect("a state");
    let mut session = Session::starting(registry, state);
    session.input("reply", &json!({ "reasoningId": "r-1", "message": "Last 30 days, USD" }));
    let step = session.outcome(json!({ "mappedAnswers": { "time_range": "LAST_30_DAYS", "currency": "USD" }, "unmapped": [], "confidence": 0.9 }));
    assert_eq!(session.class(&step), "REFUSE");
    assert_eq!(
        (&session.at("attempt.r-1")["status"], &session.at("attempt.r-1")["round"]),
        (&json!("WAITING_FOR_INPUT"), &json!(1))
    );
}

/// The example of S0 from the first line to the last, piped through a chat: one line a turn.
#[test]
fn a_chat_goes_through_the_example_of_the_source() {
    let own = Mini::empty();
    own.write("segue.toml", "");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("transitions/step-back"), &own.path("transitions/step-back"));
    let asked = json!([{ "id": "time_range", "question": "Which time range should be used?", "expectedType": "TIME_RANGE" },
        { "id": "currency", "question": "Which currency?", "expectedType": "CURRENCY" }]);
    let lines = [
        "Show revenue by country".to_owned(),
        json!({ "result": result(&["time_range", "currency"]), "questions": asked, "explanation": "Two things are missing." }).to_string(),
        "/answer {\"reasoningId\":\"r-1\",\"action\":\"ANSWER_CLARIFICATION\",\"message\":\"Last 30 days, USD\"}".to_owned(),
        json!({ "mappedAnswers": { "time_range": "LAST_30_DAYS", "currency": "USD" }, "confidence": 0.94, "unmapped": [] }).to_string(),
        json!({ "result": result(&[]) }).to_string(),
        "/cancel {\"action\":\"CANCEL_REASONING\",\"message\":\"Show revenue by country for last 30 days in USD\"}".to_owned(),
        json!({ "result": result(&[]), "explanation": "All is there." }).to_string(),
    ];
    let args = ["chat", "--pack", "step-back", "--format", "json", "--numbered-ids"];
    let run = own.command(&args).stdin(lines.join("\n") + "\n").assert().success();
    let turns: Vec<Json> = out(&run).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let told: Vec<_> = turns.iter().map(|turn| (turn["transition"].as_str(), turn["answer_mode"].as_str())).collect();
    assert_eq!(
        told,
        [(Some("PAUSE"), Some("waiting")), (Some("COMPLETE"), Some("ready")), (Some("READY"), Some("ready"))],
        "{turns:?}"
    );
    let ports = |turn: &Json| turn["calls"].as_array().map_or(0, Vec::len);
    assert_eq!(turns.iter().map(ports).collect::<Vec<_>>(), [1, 3, 2]);
}

/// S0, 3 and 4: the objects that the source shows are what the contracts admit; what breaks its hard rules is not.
#[test]
fn what_the_source_shows_keeps_the_contracts() {
    let pack = shipped().pack();
    let contracts = segue::contract::Contracts::compile(pack).expect("they compile");
    let admits = |name: &str, value: &Json| {
        let at = pack.contracts.iter().position(|of| pack.names.text(of.name) == name).expect("a contract");
        contracts.broken(at, value).is_none()
    };
    let step_back = json!({ "intent": "get_data", "schemaScope": "partial", "requiredTables": ["ORDERS"], "dimensions": ["country"],
        "metrics": ["revenue"], "missingInfo": ["time_range", "currency"], "confidence": 0.61 });
    let question =
        json!({ "id": "time_range", "question": "Which time range should be used?", "expectedType": "TIME_RANGE" });
    let asked = json!({ "id": "time_range", "expectedType": "TIME_RANGE" });
    let with = |of: &Json, name: &str, value: Json| {
        let mut of = of.clone();
        of[name] = value;
        of
    };
    let thought = json!({ "result": step_back, "questions": [question], "explanation": "One thing is missing." });
    let read = json!({ "previousStepBackResult": step_back, "questions": [asked], "userAnswer": "Last 30 days, USD" });
    let mapped = json!({ "mappedAnswers": { "time_range": "LAST_30_DAYS", "currency": "USD" }, "confidence": 0.94, "unmapped": [] });
    let resume = json!({ "previousStepBackResult": step_back, "answers": { "currency": "USD" } });
    let resumed = json!({ "result": step_back, "questions": [question], "verdict": "WAITING_FOR_INPUT" });
    for (name, value, fits) in [
        ("step-back-result", step_back.clone(), true),
        ("step-back-result", with(&step_back, "policies", json!({ "pii": false })), true),
        ("step-back-result", with(&step_back, "schemaScope", json!("most")), false),
        ("step-back-result", json!("The user wants revenue."), false),
        ("clarification-question", question.clone(), true),
        ("clarification-question", with(&question, "hint", json!("the currency of the report")), true),
        ("clarification-question", asked, false),
        ("step-back-request", json!({ "text": "Show revenue by country", "context": [1, { "tables": [] }] }), true),
        ("step-back-request", json!({ "text": "Show revenue by country", "history": [] }), false),
        ("step-back-response", thought.clone(), true),
        ("step-back-response", json!({ "result": step_back }), false),
        ("interpret-request", read.clone(), true),
        ("interpret-request", with(&read, "questions", json!([question])), false),
        ("interpret-response", mapped.clone(), true),
        ("interpret-response", with(&mapped, "diagnostics", json!({ "read": ["Last 30 days"] })), true),
        ("interpret-response", with(&mapped, "intent", json!("other")), false),
        ("interpret-response", with(&mapped, "questions", json!([question])), false),
        ("resume-request", resume.clone(), true),
        ("resume-request", with(&resume, "text", json!("Show revenue")), false),
        ("resume-response", resumed.clone(), true),
        ("resume-response", with(&resumed, "verdict", json!("DONE")), false),
        (
            "proceed-request",
            json!({ "result": step_back, "answers": {}, "text": "Show revenue", "reasoningId": "r-8f3a2c" }),
            true,
        ),
    ] {
        assert_eq!(admits(name, &value), fits, "{name}: {value}");
    }
    let held = |port: &segue::model::Port| {
        port.contract.request.is_some() && (port.contract.response.is_some() || !port.replies)
    };
    assert!(pack.ports.iter().all(held));
}
