//! The clarification pack: its parameters, its decisions, its log markers, and that no refusal is ever taken for consent.

use std::path::Path;
use std::sync::OnceLock;

use crate::support::env::{self, Session};
use segue::declare::Options;
use segue::engine::{Event, Step};
use segue::model::{Channel, Level, Status};
use segue::registry::Registry;
use segue::state::SessionState;
use segue::workspace::Workspace;
use serde_json::{Value as Json, json};

/// The pack with parameters.
fn pack(params: &[(&str, &str)]) -> Registry {
    env::shipped("clarification", params)
}

/// The pack as it is shipped.
fn shipped() -> &'static Registry {
    static SHIPPED: OnceLock<Registry> = OnceLock::new();
    SHIPPED.get_or_init(|| pack(&[]))
}

/// One classification, with how many questions were asked before it.
#[derive(Debug, Clone, Copy)]
struct Judged {
    confidence: &'static str,
    needs: Option<bool>,
    question: Option<&'static str>,
    asked: usize,
}

fn all() -> Vec<Judged> {
    let mut all = Vec::new();
    for confidence in ["0", "0.3", "0.5", "0.6", "0.75", "0.7500000001", "0.9", "1"] {
        for needs in [None, Some(false), Some(true)] {
            for question in [None, Some(""), Some("When?")] {
                all.extend((0..4).map(|asked| Judged { confidence, needs, question, asked }));
            }
        }
    }
    all
}

/// Asks a query, answers so many questions, and gives the classification: the step that it leads to.
fn decide<'r>(registry: &'r Registry, judged: Judged) -> Option<(Session<'r>, Step)> {
    let mut session = Session::new(registry);
    session.input("query", &json!({ "text": "show my spending" }));
    for _ in 0..judged.asked {
        session
            .outcome(json!({ "intent": "x", "confidence": 0.9, "needsClarification": true, "clarifyQuestion": "?" }));
        // Where no more questions are asked there is no such case.
        (session.at("session.phase") == "AWAITING_CLARIFICATION").then_some(())?;
        session.input("clarify", &json!({ "text": "that" }));
    }
    let confidence: serde_json::Number = judged.confidence.parse().expect("a number");
    let (needs, question) = (judged.needs, judged.question);
    let value =
        json!({ "intent": "x", "confidence": confidence, "needsClarification": needs, "clarifyQuestion": question });
    let step = session.outcome(value);
    Some((session, step))
}

fn decision(registry: &Registry, judged: Judged) -> Option<String> {
    decide(registry, judged).map(|(session, step)| session.class(&step))
}

/// S4: each classification is confirmed, clarified, or gone on with; exactly one of them.
#[test]
fn each_classification_leads_to_exactly_one_thing() {
    let mut met = std::collections::BTreeSet::new();
    for judged in all() {
        let Some((session, step)) = decide(shipped(), judged) else { continue };
        let messages = session.messages(&step);
        let shown = |name: &str| messages.iter().filter(|message| *message == name).count();
        let (confirm, clarify) = (shown("confirmation_dialog"), shown("clarification_dialog"));
        let search = session.calls(&step).iter().filter(|port| *port == "search").count();
        assert_eq!(confirm + clarify + search, 1, "{judged:?}: {messages:?}");
        let class = session.class(&step);
        let low = ["0", "0.3", "0.5", "0.6", "0.75"].contains(&judged.confidence);
        let asks = judged.needs == Some(true) && judged.question == Some("When?");
        let wanted = match (asks, judged.asked < 2, low) {
            (true, true, _) => "ASK_TO_CLARIFY",
            (true, false, _) => "PROCEED_ANYWAY",
            (false, _, true) => "ASK_TO_CONFIRM",
            (false, _, false) => "PROCEED",
        };
        assert_eq!(class, wanted, "{judged:?}");
        let surely = class == "PROCEED" && judged.needs != Some(true);
        if search == 1 {
            let wanted = if surely { "confirmed" } else { "limited" };
            assert_eq!(session.at("result.truth_mode"), wanted, "{judged:?}");
        }
        met.insert(class);
    }
    assert_eq!(met.len(), 4);
}

/// S4, Configuration: of all decisions those change that the parameter is about, and no other.
#[test]
fn changing_one_parameter_changes_its_decision_only() {
    let shipped = shipped();
    let decided = |params: &[(&str, &str)]| {
        let changed = pack(params);
        let pairs = all().into_iter().map(|judged| (judged, decision(shipped, judged), decision(&changed, judged)));
        pairs.filter_map(|(judged, before, after)| Some((judged, before?, after?))).collect::<Vec<_>>()
    };
    let asks = |judged: &Judged| judged.needs == Some(true) && judged.question == Some("When?");

    let lower = decided(&[("confidence_threshold", "0.5")]);
    let between = |judged: &Judged| ["0.6", "0.75"].contains(&judged.confidence) && !asks(judged);
    assert!(lower.iter().any(|(judged, ..)| between(judged)));
    for (judged, before, after) in &lower {
        let wanted = if between(judged) { "PROCEED" } else { before };
        assert_eq!(after, wanted, "{judged:?}");
    }

    let fewer = decided(&[("max_clarifications", "1")]);
    assert!(fewer.iter().any(|(judged, ..)| asks(judged) && judged.asked == 1));
    for (judged, before, after) in &fewer {
        let wanted = if asks(judged) && judged.asked == 1 { "PROCEED_ANYWAY" } else { before };
        assert_eq!(after, wanted, "{judged:?}");
    }

    let none = decided(&[("max_clarifications", "0")]);
    for (judged, before, after) in &none {
        let wanted = if asks(judged) { "PROCEED_ANYWAY" } else { before };
        assert_eq!(after, wanted, "{judged:?}");
    }

    let more = decided(&[("max_clarifications", "3")]);
    assert!(more.iter().any(|(judged, ..)| asks(judged) && judged.asked == 2));
    for (judged, before, after) in &more {
        let wanted = if asks(judged) && judged.asked == 2 { "ASK_TO_CLARIFY" } else { before };
        assert_eq!(after, wanted, "{judged:?}");
    }

    let off = decided(&[("clarification", "false")]);
    let low = |judged: &Judged| ["0", "0.3", "0.5", "0.6", "0.75"].contains(&judged.confidence);
    assert!(off.iter().any(|(judged, ..)| asks(judged)));
    for (judged, before, after) in &off {
        let instead = if low(judged) { "ASK_TO_CONFIRM" } else { "PROCEED" };
        let wanted = if asks(judged) { instead } else { before };
        assert_eq!(after, wanted, "{judged:?}");
    }

    for other in [("searches", "false"), ("context_limit", "1"), ("history_limit", "1")] {
        for (judged, before, after) in decided(&[other]) {
            assert_eq!(before, after, "{other:?}: {judged:?}");
        }
    }
}

/// FB-04, where it was met: a threshold of 0 and no questions at all are what they say; the defaults do not come back, and the text "0" is
/// no value of either.
#[test]
fn fb_04_zero_is_not_unset() {
    let zero = pack(&[("confidence_threshold", "0.0"), ("max_clarifications", "0")]);
    let first = |registry: &Registry, needs: bool| {
        let mut session = Session::new(registry);
        session.input("query", &json!({ "text": "расходы" }));
        let answer =
            json!({ "intent": "x", "confidence": 0.4, "needsClarification": needs, "clarifyQuestion": "When?" });
        let step = session.outcome(answer);
        session.class(&step)
    };
    assert_eq!(
        (first(shipped(), false).as_str(), first(shipped(), true).as_str()),
        ("ASK_TO_CONFIRM", "ASK_TO_CLARIFY")
    );
    assert_eq!((first(&zero, false).as_str(), first(&zero, true).as_str()), ("PROCEED", "PROCEED_ANYWAY"));
    // An integer 0 is the same threshold.
    assert_eq!(first(&pack(&[("confidence_threshold", "0")]), false), "PROCEED");

    let workspace = Workspace::of(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the repository is a workspace");
    let mut files = workspace.pack("clarification").expect("the pack");
    let manifest = files.iter_mut().find(|file| file.name.ends_with("pack.toml")).expect("the manifest");
    assert_eq!(manifest.text.matches("default = 2\n").count(), 1);
    manifest.text = manifest.text.replace("default = 2\n", "default = \"0\"\n").into();
    let loaded = segue::load::load(&files, &Options::default());
    assert!(loaded.registry.is_none());
    let found = segue::report::human(&loaded.sources, &loaded.diagnostics, false);
    assert!(found.contains("error[wrong-type]"), "{found}");
}

/// S4, Progressive Enhancement: with questions switched off what is missing is not asked about, and the result says so.
#[test]
fn without_clarification_the_result_is_limited() {
    let off = pack(&[("clarification", "false")]);
    let judged = Judged { confidence: "0.9", needs: Some(true), question: Some("When?"), asked: 0 };
    let (session, step) = decide(&off, judged).expect("a decision");
    assert_eq!(session.calls(&step), ["search"]);
    assert_eq!(session.at("result.truth_mode"), "limited");
    assert_eq!(session.at("result.because"), "clarification_off");
    assert!(!session.messages(&step).iter().any(|message| message == "log_no_question"));
}

/// Without a search of its own the flow ends with `passed`, in each way to go on, and is in IDLE again.
#[test]
fn without_a_search_the_query_is_handed_on() {
    let gate = pack(&[("searches", "false")]);
    let passed = |session: &Session<'_>, step: &Step| {
        let at = session.messages(step).iter().position(|name| name == "passed").expect("a message");
        assert_eq!(session.calls(step), [""; 0]);
        assert_eq!(session.at("session.phase"), "IDLE");
        assert_eq!(session.at("session.cumulative_query"), "");
        let names = &gate.pack().names;
        let fields = step.messages[at].fields.iter();
        let json = |value| segue::model::json::to_json(names, value);
        fields.map(|(name, value)| (names.text(*name).to_owned(), json(value))).collect::<serde_json::Map<_, _>>()
    };

    let mut session = Session::new(&gate);
    session.input("query", &json!({ "text": "show payments" }));
    let step = session.outcome(json!({ "intent": "listing", "confidence": 0.9 }));
    let fields = passed(&session, &step);
    let intent = json!({ "intent": "listing", "confidence": 0.9, "needsClarification": false });
    let wanted = json!({ "query": "show payments", "text": "show payments", "answers": [], "intent": intent, "truth_mode": "confirmed", "reason": "sure" });
    assert_eq!(Json::Object(fields), wanted);

    session.input("query", &json!({ "text": "bkash" }));
    session.outcome(
        json!({ "intent": "listing", "confidence": 0.9, "needsClarification": true, "clarifyQuestion": "When?" }),
    );
    session.input("clarify", &json!({ "text": "last month" }));
    let step = session.outcome(json!({ "intent": "listing", "confidence": 0.6 }));
    assert_eq!(session.class(&step), "ASK_TO_CONFIRM");
    let step = session.input("confirm", &json!({}));
    let fields = passed(&session, &step);
    assert_eq!(fields["query"], "bkash last month");
    assert_eq!(fields["text"], "bkash");
    assert_eq!(fields["answers"], json!([{ "question": "When?", "answer": "last month" }]));
    assert_eq!((&fields["truth_mode"], &fields["reason"]), (&json!("confirmed"), &json!("confirmed_by_user")));

    session.input("query", &json!({ "text": "bkash" }));
    let call = session.state.open_calls()[0].id.clone();
    let step = session.take(&Event::Outcome { call, status: Status::Failed, value: None, error: None });
    let fields = passed(&session, &step);
    assert!(fields.get("intent").is_none());
    assert_eq!((&fields["truth_mode"], &fields["reason"]), (&json!("limited"), &json!("classifier_failed")));
}

/// S4, Batch Context, and the history of the chat: both keep the last so many turns.
#[test]
fn limits_keep_the_last_turns() {
    let short = pack(&[("context_limit", "2"), ("history_limit", "3"), ("max_clarifications", "8")]);
    let mut session = Session::new(&short);
    session.input("query", &json!({ "text": "payments" }));
    for n in 1..=4 {
        let question = format!("question {n}");
        session.outcome(
            json!({ "intent": "x", "confidence": 0.9, "needsClarification": true, "clarifyQuestion": question }),
        );
        session.input("clarify", &json!({ "text": format!("answer {n}") }));
    }
    let texts = |path: &str, key: &str| -> Vec<Json> {
        session.at(path).as_array().expect("a list").iter().map(|turn| turn[key].clone()).collect()
    };
    assert_eq!(texts("session.current_conversation", "text"), ["question 4", "answer 4"]);
    assert_eq!(session.at("session.context"), json!(["User clarified: answer 3", "User clarified: answer 4"]));
    assert_eq!(texts("chat.chat_history", "content"), ["answer 3", "question 4", "answer 4"]);
    // What is searched for forgets nothing.
    assert_eq!(session.at("session.cumulative_query"), "payments answer 1 answer 2 answer 3 answer 4");
}

/// The texts and levels that S4 gives, literally.
#[test]
fn the_log_markers_are_those_of_the_source() {
    let pack = shipped().pack();
    for (level, text) in [
        (Level::Info, "Entering confirmation mode"),
        (Level::Info, "Entering clarification mode"),
        (Level::Info, "User confirmed query"),
        (Level::Info, "User rejected query"),
        (Level::Info, "Re-classifying with cumulative query"),
        (Level::Warning, "Max clarification iterations reached"),
        (Level::Warning, "Could not classify intent"),
    ] {
        let found = pack.messages.iter().filter(|message| message.text.as_deref() == Some(text));
        let levels: Vec<Channel> =
            found.map(|message| message.channel).filter(|channel| *channel != Channel::Ui).collect();
        assert_eq!(levels, [Channel::Log(level)], "{text}");
    }
    // No line of the log holds what the user wrote.
    let logs = pack.messages.iter().filter(|message| matches!(message.channel, Channel::Log(_)));
    assert!(logs.clone().count() >= 7);
    logs.for_each(|message| assert!(message.fields.is_empty(), "{}", pack.names.text(message.name)));
}

/// A session with an open confirmation dialog.
fn confirming() -> SessionState {
    let mut session = Session::new(shipped());
    session.input("query", &json!({ "text": "show spending" }));
    session.outcome(json!({ "intent": "aggregate", "confidence": 0.6 }));
    assert_eq!(session.at("session.phase"), "AWAITING_CONFIRMATION");
    session.state
}

fn reply(open: &SessionState, text: &str) -> (String, Vec<String>, Json) {
    let mut session = Session::starting(shipped(), open.clone());
    let step = session.input("utterance", &json!({ "text": text }));
    (session.class(&step), session.calls(&step), session.at("session.phase"))
}

const CONSENT: &[&str] = &[
    "yes",
    "Yeah",
    "yep",
    "sure",
    "ok",
    "of course",
    "exactly",
    "that's right",
    "go ahead",
    "correct",
    "sounds good",
    "да",
    "ага",
    "конечно",
    "верно",
    "всё верно",
    "именно так",
    "хорошо",
    "давай",
    "согласен",
    "подтверждаю",
];
const REFUSAL: &[&str] = &[
    "no",
    "nope",
    "not that",
    "don't",
    "wrong",
    "never",
    "not really",
    "нет",
    "неа",
    "не то",
    "не так",
    "не надо",
    "неверно",
    "ни в коем случае",
    "ни за что",
];

#[test]
fn every_plain_consent_confirms_and_every_plain_refusal_rejects() {
    let open = confirming();
    for (texts, class) in [(CONSENT, "CONFIRM"), (REFUSAL, "REJECT")] {
        for text in texts {
            for text in [
                (*text).to_owned(),
                text.to_uppercase(),
                format!("  {text}!"),
                format!("{text}, please"),
                format!("ну {text}"),
                format!("{text}, спасибо"),
                format!("{text}... {text}"),
            ] {
                assert_eq!(reply(&open, &text).0, class, "{text}");
            }
        }
    }
}

/// A refusal that contains a consent is not a consent, whichever stands first and whatever stands between.
#[test]
fn a_consent_beside_a_refusal_is_never_a_consent() {
    let open = confirming();
    for yes in CONSENT {
        for no in REFUSAL {
            for text in [
                format!("{yes} {no}"),
                format!("{yes}, {no}"),
                format!("{no} {yes}"),
                format!("{no}, {yes}"),
                format!("{yes}, but {no}"),
                format!("{yes}, но {no}"),
                format!("ну {yes} {no}, не то"),
                format!("{no}, {yes}, {no}"),
                format!("{yes}. {no}. {yes}."),
            ] {
                let (class, calls, phase) = reply(&open, &text);
                assert!(["REJECT", "REPHRASE", "ASK_AGAIN"].contains(&class.as_str()), "{text}: {class}");
                assert!(!calls.contains(&"search".to_owned()), "{text}");
                assert_ne!(phase, "SEARCHING", "{text}");
            }
        }
        for text in [
            format!("not {yes}"),
            format!("не {yes}"),
            format!("{yes} not"),
            format!("isn't {yes}"),
            format!("{yes}?? hardly"),
            format!("{yes}, if it is March"),
            format!("{yes}, если за март"),
            format!("maybe {yes}"),
            format!("{yes}, наверное"),
        ] {
            let (class, calls, _) = reply(&open, &text);
            assert_ne!(class, "CONFIRM", "{text}");
            assert!(!calls.contains(&"search".to_owned()), "{text}");
        }
    }
}

/// A `no` with a correction is both: the rejection, and a new query.
#[test]
fn a_refusal_with_a_correction_is_a_rejection_and_a_new_query() {
    let open = confirming();
    for no in [
        "no",
        "Nope",
        "not that",
        "wrong",
        "нет",
        "Неа",
        "не то",
        "да нет",
        "ну нет",
        "yes, but no",
        "not yes",
        "actually, no",
        "но нет",
        "не да",
    ] {
        for (between, correction) in
            [(", ", "payments of last month"), (". ", "Платежи за март"), (" — ", "Q3 2024"), (" ", "доходы")]
        {
            let text = format!("{no}{between}{correction}");
            let mut session = Session::starting(shipped(), open.clone());
            let step = session.input("utterance", &json!({ "text": text }));
            assert_eq!(session.class(&step), "REPHRASE", "{text}");
            assert!(session.messages(&step).contains(&"log_rejected".to_owned()), "{text}");
            assert_eq!(session.calls(&step), ["classify"], "{text}");
            assert_eq!(session.at("session.original_query"), correction, "{text}");
            assert_eq!(session.at("session.pending_query"), Json::Null, "{text}");
        }
    }
}

/// What a user may do, and what comes of calls, in any order.
fn anything(session: &Session<'_>, dice: &mut impl FnMut(usize) -> usize) -> Event {
    const LINES: &[&str] = &[
        "yes",
        "да",
        "no",
        "нет",
        "не да",
        "maybe",
        "нет, за март",
        "да, за март",
        "show payments",
        "покажи остатки",
        "",
        "?!",
        "skip",
        "неважно",
        "cancel",
        "отмена",
        "/new",
        "/new show data",
        "no problem",
        "да или нет",
        "last month",
    ];
    let open = session.state.open_calls();
    if !open.is_empty() && dice(3) > 0 {
        let bad = [Status::Failed, Status::Timeout, Status::Cancelled];
        let status = bad.get(dice(20)).copied().unwrap_or(Status::Ok);
        let pack = session.registry.pack();
        let value = match pack.names.text(pack.ports[open[0].port.index()].name) {
            "classify" => {
                let confidence = [0.5, 0.75, 0.76, 0.9, 1.0, 0.0, -1.0, 1.5][dice(8)];
                let question = [json!(null), json!(""), json!("When?"), json!("What?"), json!("Who?")][dice(5)].clone();
                json!({ "intent": "x", "confidence": confidence, "needsClarification": dice(3) > 0, "clarifyQuestion": question })
            }
            "search" => json!({ "results_ref": "r-1" }),
            _ => json!({ "answer": "Here." }),
        };
        let value = (status == Status::Ok && dice(20) > 0).then_some(value);
        return Event::Outcome { call: open[0].id.clone(), status, value, error: None };
    }
    let line = json!({ "text": LINES[dice(LINES.len())] });
    let asked = session.at("session.phase") == "AWAITING_CLARIFICATION";
    let (event, payload) = match dice(12) {
        0 => ("query", line),
        _ if asked && dice(3) > 0 => ("clarify", json!({ "text": "last month" })),
        1 => ("clarify", line),
        2 => ("reject", if dice(2) == 0 { json!({}) } else { line }),
        3 => ("confirm", json!({})),
        4 => ("skip", json!({})),
        5 => (["abandon", "clear"][dice(2)], json!({})),
        _ => ("utterance", line),
    };
    Event::input(session.registry, event, &payload, &json!({})).expect("an event")
}

/// Whatever happens: nothing hangs, nothing is searched for without a reason, and no promise of a class is broken.
#[test]
fn no_order_of_events_leads_astray() {
    for searches in ["true", "false"] {
        let registry = pack(&[("searches", searches)]);
        let mut seed = 0x2545_f491_4f6c_dd1d_u64;
        let mut dice = |bound: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            usize::try_from(seed % bound as u64).expect("a small number")
        };
        let mut met = std::collections::BTreeMap::<String, usize>::new();
        for _ in 0..150 {
            let mut session = Session::new(&registry);
            for _ in 0..40 {
                let event = anything(&session, &mut dice);
                let step = session.take(&event);
                let class = session.class(&step);
                let names = &registry.pack().names;
                for reason in &step.reasons {
                    let bad = ["verification_failed", "ambiguous", "step_limit", "unused_signal"];
                    assert!(!bad.contains(&names.text(*reason)), "{class}: {event:?} {:?}", step.failures);
                }
                let phase = session.at("session.phase");
                let phase = phase.as_str().expect("a phase");
                let at_work = ["CLASSIFYING", "RECLASSIFYING", "SEARCHING", "GENERATING"].contains(&phase);
                assert_eq!(session.state.open_calls().len(), usize::from(at_work), "{class}: {phase} after {event:?}");
                assert_eq!(step.answer.is_some(), !at_work, "{class}");
                assert!(session.at("session.asked").as_i64() <= Some(2), "{class}");
                if phase == "IDLE" {
                    assert_eq!(session.at("session.cumulative_query"), "", "{class}");
                    assert_eq!(session.at("session.current_conversation"), json!([]), "{class}");
                }
                if session.calls(&step).contains(&"search".to_owned()) {
                    assert_eq!(searches, "true");
                    let may = ["PROCEED", "PROCEED_ANYWAY", "CONFIRM", "SKIP", "FALL_BACK", "REPEAT", "REST"];
                    assert!(may.contains(&class.as_str()), "{class}");
                }
                *met.entry(class).or_default() += 1;
            }
        }
        let at_rest = ["GENERATE", "COMPLETE"];
        for class in registry.pack().classes.iter().map(|class| registry.pack().names.text(class.id)) {
            let due = searches == "true" || !at_rest.contains(&class);
            assert_eq!(met.contains_key(class), due, "{class}: {met:?}");
        }
    }
}
