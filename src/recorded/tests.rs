//! Recorded dialogues on the small pack: which form a record has, how turns are stepped, what is scored, what is refused.

use serde_json::{Value, json};

use super::{Fault, Recorded, Replay, human, json as report};
use crate::declare::{Options, SourceText};
use crate::diag::Diagnostics;
use crate::load::load;
use crate::registry::Registry;
use crate::scenario::given_of;
use crate::source::SourceMap;
use crate::syntax::{self, Format};

const PACK: &str = include_str!("../../tests/fixtures/mini/transitions/mini/pack.toml");
const T1: &str = include_str!("../../tests/fixtures/mini/transitions/mini/T1.yaml");
const T10: &str = include_str!("../../tests/fixtures/mini/transitions/mini/T10.toml");

const PLAIN: &str = r#"
[recording.plain]
id = "id"
turns = "turns"
event = "utterance"
payload = { text = "said" }
[recording.plain.expected]
class = "label"
accept = "more.also"
strict = ["T10"]
label = { NONE = ["T10"], ANY = ["T1", "T10"] }
group = { ASKS = ["T1"], REST = ["NONE", "T10"] }
by = ["more.fit"]
"#;

const CALLS: &str = r#"
[recording.calls]
id = "call.id"
turns = "turns"
event = "utterance"
payload = { text = "said" }
signals = "heard"
omit = ["agent"]
outcome = "heard.found"
next = { note = "heard.before" }
[recording.calls.expected]
class = "label"
"#;

const REPLIES: &str = r#"
[recording.replies]
id = "id"
source = "from.where"
turns = "turns"
event = "utterance"
payload = { text = "said" }
reply = { forecast = { evidence = "good" } }
[recording.replies.expected]
class = "label"
only = { "more.sure" = ["yes", "quite"] }
label = { PLACE = ["T1"], REST = ["T10"] }
"#;

/// The small pack with two signals of the host, a longer answer, phrases, and some recordings.
fn pack(recordings: &str) -> (Registry, SourceMap) {
    pack_with(recordings, T10)
}

fn pack_with(recordings: &str, t10: &str) -> (Registry, SourceMap) {
    let hosts = "[signal.sure]\ntype = \"decimal\"\n[signal.seen]\nlist = { type = \"text\" }\nmax = 2\n[signal.found]\ntype = \"bool\"\n";
    let pack = PACK.replace(
        "response = { evidence = { enum = \"evidence\" } }",
        "response = { evidence = { enum = \"evidence\" }, note = { type = \"text\", optional = true } }",
    );
    let t1 = T1
        .replace(
            "any: [{ signal: place }]",
            "any: [{ signal: place }, { phrase: \"wie ist {place}\" }, { phrase: \"[so] {place}\", whole: true }]",
        )
        .replace("owner: talk", "owner: talk\nignores: [sure, seen, found]");
    let files = [
        ("pack.toml", format!("{pack}\n{hosts}")),
        ("T1.yaml", t1),
        ("T10.toml", t10.into()),
        ("r.toml", recordings.into()),
    ];
    let files = files.map(|(name, text)| SourceText::new(name, text));
    let loaded = load(&files, &Options::default());
    let shown = crate::report::human(&loaded.sources, &loaded.diagnostics, false);
    (loaded.registry.unwrap_or_else(|| panic!("{shown}")), loaded.sources)
}

fn replay(recordings: &str, misses: usize, lines: &[&str]) -> Result<Recorded, Fault> {
    let (registry, sources) = pack(recordings);
    let mut replay = Replay::new(&registry, &sources, None, misses);
    for (at, line) in lines.iter().enumerate() {
        replay.line(at + 1, line)?;
    }
    Ok(replay.finish())
}

fn fault(recordings: &str, lines: &[&str]) -> String {
    let fault = replay(recordings, 0, lines).expect_err(lines.last().expect("a line"));
    match &fault.help {
        Some(help) => format!("{fault} / {help}"),
        None => fault.to_string(),
    }
}

const LABELLED: [&str; 4] = [
    r#"{"id":"a","turns":[
        {"said":"рига","label":"T1","more":{"fit":"direct"}},
        {"said":"hm","label":"T1","more":{"also":["NONE"],"fit":"near"}},
        {"said":"hm","label":"NONE","more":{"fit":"direct"}},
        {"said":"hm","label":null}]}"#,
    "",
    r#"{"id":7,"turns":[
        {"said":"Wie ist Oslo?","label":"T10","more":{"also":["T1"],"fit":null}},
        {"said":"so, рига","label":"NONE","more":{"also":["T1","ANY"]}}]}"#,
    r#"{"id":"c","turns":[{"said":"hm"}]}"#,
];

/// Every number of this was counted by hand.
#[test]
fn scores() {
    let recorded = replay(PLAIN, 0, &LABELLED).expect("a recording");
    let third = 1.0 / 3.0;
    let wanted = json!({
        "dialogues": 3, "turns": 7, "labelled": 5,
        "strict": 0.4, "lenient": 0.8, "macro_strict": third, "macro_lenient": 2.0 / 3.0,
        "dialogues_strict": 0.0, "dialogues_lenient": 0.5,
        "per_class": {
            "T1": { "n": 2, "strict": 0.5, "lenient": 1.0, "false_rate": 0.5 },
            "T10": { "n": 1, "strict": 0.0, "lenient": 0.0, "false_rate": 0.0 },
            "NONE": { "n": 2, "strict": 0.5, "lenient": 1.0, "false_rate": 0.0 },
        },
        "groups": {
            "ASKS": { "n": 2, "strict": 0.5, "lenient": 1.0 },
            "REST": { "n": 3, "strict": third, "lenient": 2.0 / 3.0 },
        },
        "by": { "more.fit": {
            "direct": {
                "n": 2, "strict": 1.0, "lenient": 1.0, "macro_strict": 1.0, "macro_lenient": 1.0,
                "per_class": {
                    "T1": { "n": 1, "strict": 1.0, "lenient": 1.0, "false_rate": 0.0 },
                    "NONE": { "n": 1, "strict": 1.0, "lenient": 1.0, "false_rate": 0.0 },
                },
                "groups": { "ASKS": { "n": 1, "strict": 1.0, "lenient": 1.0 }, "REST": { "n": 1, "strict": 1.0, "lenient": 1.0 } },
            },
            "near": {
                "n": 1, "strict": 0.0, "lenient": 1.0, "macro_strict": 0.0, "macro_lenient": 1.0,
                "per_class": { "T1": { "n": 1, "strict": 0.0, "lenient": 1.0, "false_rate": null } },
                "groups": { "ASKS": { "n": 1, "strict": 0.0, "lenient": 1.0 }, "REST": { "n": 0, "strict": null, "lenient": null } },
            },
        } },
        "confusion": { "T1": { "T1": 1, "T10": 1 }, "T10": { "T1": 1 }, "NONE": { "T1": 1, "T10": 1 } },
        "by_transition": { "T1": 3, "T10": 4 },
        // A phrase counts where it has a word of its own that must be there.
        "by_phrase": { "T1": 1, "T10": 0 },
        "misses": [],
    });
    let found = report(&recorded);
    assert_eq!(serde_json::to_string_pretty(&found).unwrap(), serde_json::to_string_pretty(&wanted).unwrap());
}

#[test]
fn scores_for_people() {
    let recorded = replay(PLAIN, 0, &LABELLED).expect("a recording");
    insta::assert_snapshot!(human(&recorded), @r"
    plain: 3 dialogues, 7 turns, 5 labelled

                n  strict  lenient  false
    T1          2   50.0%   100.0%  50.0%
    T10         1    0.0%     0.0%   0.0%
    NONE        2   50.0%   100.0%   0.0%
    all         5   40.0%    80.0%
    mean            33.3%    66.7%
    group ASKS  2   50.0%   100.0%
    group REST  3   33.3%    66.7%
    dialogues   2    0.0%    50.0%

    by more.fit  n  strict  lenient  mean strict  mean lenient
    direct       2  100.0%   100.0%       100.0%        100.0%
    near         1    0.0%   100.0%         0.0%        100.0%

    expected (rows), and the class that took the turn (columns)
          T1  T10
    T1     1    1
    T10    1    .
    NONE   1    1

         turns  by words
    T1       3         1
    T10      4         0
    ");
}

#[test]
fn nothing_is_scored_without_labels() {
    let form = "[recording.quiet]\nid = \"id\"\nevent = \"utterance\"\npayload = { text = \"said\" }\n";
    let lines =
        [r#"{"id":"a","said":"Riga","label":17}"#, r#"{"id":"b","said":"hm"}"#, " \t\r", r#"{"said":"","id":"b"}"#];
    let recorded = replay(form, 0, &lines).expect("a recording");
    let wanted = json!({ "dialogues": 3, "turns": 3, "by_transition": { "T1": 1, "T10": 2 }, "by_phrase": { "T1": 0, "T10": 0 } });
    assert_eq!(report(&recorded), wanted);
    assert_eq!(
        human(&recorded),
        "quiet: 3 dialogues, 3 turns\n\n     turns  by words\nT1       1         0\nT10      2         0\n"
    );
    let fault = replay(form, 1, &lines).expect_err("nothing can be missed").to_string();
    assert_eq!(fault, "1:1: nothing can be missed: the recording `quiet` has no `expected`");
    // Labels that no turn has are no scores either.
    let recorded = replay(PLAIN, 1, &[r#"{"id":"a","turns":[{"said":"x"}]}"#]).expect("a recording");
    let scores = report(&recorded);
    assert_eq!(
        (&scores["labelled"], &scores["strict"], &scores["macro_strict"]),
        (&json!(0), &Value::Null, &Value::Null)
    );
    assert_eq!((&scores["per_class"], &scores["dialogues_strict"]), (&json!({}), &Value::Null));
    assert!(
        human(&recorded)
            .ends_with(", 0 labelled\n\n     turns  by words\nT1       0         0\nT10      1         0\n")
    );
}

/// The outcome ends the turn; what the next turn adds to it is there but for the last one. Nulls are left out.
#[test]
fn outcomes() {
    let lines = [r#"{"call":{"id":"a"},"turns":[
            {"said":"Riga","label":"T1","heard":{"sure":null,"seen":["x"],"agent":[1],"found":null}},
            {"said":"Oslo","label":"T10","heard":{"found":{"evidence":"poor","note":null}}}]}"#];
    // `found` is a signal of the pack as well: here it is null, so it is none, and there is no outcome.
    assert!(fault(CALLS, &lines).contains("turn 1: `heard.found` is missing: the call has no outcome"));
    let form = CALLS.replace("[\"agent\"]", "[\"agent\", \"found\", \"before\"]");
    let lines = [r#"{"call":{"id":"a"},"turns":[
            {"said":"Riga","label":"T1","heard":{"sure":0.10,"seen":["x"],"agent":[1],"found":{"evidence":"good"}}},
            {"said":"Oslo","label":"T1","heard":{"found":{"evidence":"poor","note":null},"before":"dry"}}]}"#];
    let recorded = replay(&form, 9, &lines).expect("a recording");
    assert_eq!(recorded.by_transition, [1, 1]);
    let [miss] = recorded.misses.as_slice() else { panic!("one miss") };
    assert_eq!((miss.turn, miss.class.as_str(), miss.lenient), (2, "T10", false));
    let text = crate::explain::human(&miss.explanation, false);
    assert!(text.contains("call-4 forecast → ok { evidence: poor, note: null }\n  chosen   T10"), "{text}");
    let lines = [lines[0].replace("\"T1\"", "\"T10\"")];
    let recorded = replay(&form, 1, &[&lines[0]]).expect("a recording");
    let text = crate::explain::human(&recorded.misses[0].explanation, false);
    assert!(text.contains("call-2 forecast → ok { evidence: good, note: dry }\n  chosen   T1"), "{text}");
    assert_eq!(report(&recorded)["misses"][0]["signals"].to_string(), r#"{"sure":0.10,"seen":["x"]}"#);
    let wanted = "line 1, dialogue a, turn 1: expected T10, came T1, leniently wrong\nsignals { sure: 0.10, seen: [x] }\n\nuser: Riga\n";
    assert!(human(&recorded).starts_with(wanted), "{}", human(&recorded));
}

/// Calls are answered always the same; turns that are not among those that are scored may have any label; and every number of
/// this was counted by hand.
#[test]
fn replies_and_sources() {
    let lines = [
        r#"{"id":"a","from":{"where":"x"},"turns":[
            {"said":"рига","label":"PLACE","more":{"sure":"yes"}}, {"said":"hm","label":"PLACE","more":{"sure":"quite"}},
            {"said":"hm","label":"REST","more":{"sure":"yes"}}, {"said":"рига","label":"NOBODY","more":{"sure":"no"}},
            {"said":"hm","label":"NOBODY"}]}"#,
        r#"{"id":"b","from":{"where":"y"},"turns":[{"said":"oslo","label":"REST","more":{"sure":"yes"}}]}"#,
        r#"{"id":"c","from":{"where":null},"turns":[{"said":"oslo","label":"PLACE","more":{"sure":"yes"}}]}"#,
    ];
    let recorded = replay(REPLIES, 9, &lines).expect("a recording");
    let document = report(&recorded);
    let third = 2.0 / 3.0;
    let wanted = json!({
        // T1 took one of two turns that were a place, and nothing else; T10 took that other one beside its own.
        "x": { "turns": 3, "accuracy": third, "macro_f1": third, "f1": { "PLACE": third, "REST": third } },
        "y": { "turns": 1, "accuracy": 0.0, "macro_f1": 0.0, "f1": { "REST": 0.0 } },
    });
    assert_eq!(document["sources"], wanted);
    assert_eq!((&document["turns"], &document["labelled"]), (&json!(7), &json!(5)));
    assert_eq!(document["by_transition"], json!({ "T1": 4, "T10": 3 }));
    let text = human(&recorded);
    assert!(
        text.contains("\nsource  n  accuracy  mean F1\nx       3     66.7%    66.7%\ny       1      0.0%     0.0%\n"),
        "{text}"
    );
    let last = crate::explain::human(&recorded.misses[1].explanation, false);
    assert!(last.contains("forecast → ok { evidence: good }\n  chosen   T1"), "{last}");
    let lines = [r#"{"id":"a","from":{"where":1},"turns":[{"said":"hm","label":"NOBODY","more":{"sure":"yes"}}]}"#];
    assert!(
        fault(REPLIES, &lines).contains("`from.where`: expected a text, found number `1`"),
        "{}",
        fault(REPLIES, &lines)
    );
    let lines = [r#"{"id":"a","turns":[{"said":"hm","label":"NOBODY","more":{"sure":"yes"}}]}"#];
    assert!(fault(REPLIES, &lines).contains("`NOBODY` is no class and no label of the recording"));
}

/// A class that makes its call anew whatever it is answered does not keep a replay going for ever.
#[test]
fn answers_that_never_end() {
    let t10 = format!("{T10}\n[[do]]\ncall = \"forecast\"\nid = \"again\"\nwith = {{ city = \"riga\" }}\n");
    let t10 = t10.replace("never = []\n", "never = []\nsettle = []\n");
    let (at, rest) = t10.split_once("\n[answer]\nmode = \"bounded\"\n").expect("the answer");
    let t10 = format!("{at}{rest}\n[answer]\nmode = \"bounded\"\n");
    let (registry, sources) = pack_with(&REPLIES.replace("\"good\" }", "\"poor\" }"), &t10);
    let mut replay = Replay::new(&registry, &sources, None, 0);
    let fault = replay.line(1, r#"{"id":"a","turns":[{"said":"рига"}]}"#).expect_err("it never ends");
    assert!(fault.message.contains("T10 on «рига» makes a call after 64 answers"), "{fault}");
}

#[test]
fn each_turn_begins_in_a_given_state() {
    let (registry, sources) = pack(PLAIN);
    let given = |text: &str, format: Format| {
        let (mut sources, out) = (SourceMap::default(), Diagnostics::new());
        let file = sources.add("given", text);
        let given = syntax::parse(file, text, format, &out).and_then(|node| given_of(&registry, &node, &out));
        let found = out.into_sorted();
        given.filter(|_| found.is_empty()).ok_or_else(|| crate::report::short(&sources, &found))
    };
    let frames = given("topic: { city: oslo, asked: 4 }", Format::Yaml).expect("frames");
    let scenario = "scenario: x\ngiven: { topic: { city: oslo, asked: 4 } }\nenv: { now: 2021-05-10T09:30:00Z }\nturns: [{ user: x }]";
    let scenario = given(scenario, Format::Yaml).expect("a scenario");
    let saved = given(&frames.state.to_json(registry.pack()).to_string(), Format::Json).expect("a saved session");
    assert_eq!((&frames.state, &frames.state), (&scenario.state, &saved.state));
    assert_eq!(
        (scenario.clock.today.to_string().as_str(), scenario.clock.now.as_str()),
        ("2021-05-10", "2021-05-10T09:30:00Z")
    );
    let mut replay = Replay::new(&registry, &sources, Some(&frames), 9);
    let turn = r#"{"said":"Riga","label":"T10"}"#;
    replay.line(1, &format!(r#"{{"id":"a","turns":[{turn},{turn}]}}"#)).expect("a dialogue");
    let recorded = replay.finish();
    for miss in &recorded.misses {
        assert_eq!(miss.explanation.steps[0].calls, ["call-1 audit { city: riga }", "call-2 forecast { city: riga }"]);
    }
    assert_eq!(recorded.misses.len(), 2);
    for (text, wanted) in [
        ("topic: { city: 17 }", "given:1:16: error[wrong-type]: expected an id (a text)"),
        ("topics: {}", "given:1:1: error[unknown-name]: `topics` is no frame"),
        ("topic: { citty: x }", "given:1:10: error[unknown-name]: `citty` is no field"),
        ("[1]", "given:1:1: error[wrong-type]: expected a state (a table), found a list"),
        ("scenario: x\nturn: []", "error[unknown-key]: unknown key `turn` in a scenario"),
        ("scenarios: []", "the file holds no scenario"),
        (
            "scenarios: [{ scenario: a, turns: [{ user: x }] }, { scenario: b, turns: [{ user: x }] }]",
            "the file holds 2 scenarios: which one is meant is not said",
        ),
        ("schema_version: 1\npack: other", "error"),
    ] {
        let found = given(text, Format::Yaml).expect_err(text);
        assert!(found.contains(wanted), "{text}\n{found}");
    }
}

#[test]
fn forms() {
    let plain = r#"{"id":"a","turns":[{"said":"x"}]}"#;
    let two = format!("{PLAIN}\n{CALLS}");
    assert_eq!(
        fault(&two, &["", plain]),
        "2:1: more than one recording of the pack `mini` fits the record:\n  calls: fits\n  plain: fits / \
         a record must show which form it has, by `turns` and by what `payload` names"
    );
    let tap = "[recording.taps]\nid = \"id\"\nevent = \"tap\"\npayload = { city = \"where.city\" }\n";
    assert_eq!(
        fault(&format!("{PLAIN}\n{tap}"), &[r#"{"id":"a","turns":[{"text":"x"}],"where":"x"}"#]),
        "1:1: no recording of the pack `mini` fits the record:\n  plain: the first turn has no `said` (for the payload field \
         `text`)\n  taps: the record has no `where.city` (for the payload field `city`) / a form fits where its `turns` is a \
         list and the first turn has all that `payload` names"
    );
    for (record, wanted) in [
        (r#"{"id":"a","turns":[]}"#, "plain: its list of turns `turns` is empty, so no turn shows the form"),
        (r#"{"id":"a","turns":{}}"#, "plain: `turns` is no list"),
        (r#"{"id":"a"}"#, "plain: the record has no list `turns`"),
    ] {
        assert!(fault(PLAIN, &[record]).contains(wanted), "{}", fault(PLAIN, &[record]));
    }
    assert!(fault("", &[plain]).starts_with("1:1: the pack `mini` declares no recording / say in a section"));
    // A null is there: what it is worth is seen when the turn is stepped.
    assert!(
        fault(PLAIN, &[r#"{"id":"a","turns":[{"said":null}]}"#])
            .contains("`said`: is null; event `utterance` demands it")
    );
    let recorded = replay(&format!("{PLAIN}\n{tap}"), 0, &[r#"{"id":"a","where":{"city":"riga"}}"#]).expect("a tap");
    assert_eq!((recorded.form.as_str(), recorded.by_transition), ("taps", vec![0, 1]));
}

#[test]
fn what_is_no_record() {
    for (line, wanted) in [
        ("{", "1:2: the record is no JSON: expected a key, found end of the line"),
        ("{\"id\":\"é\" 1}", "1:11: the record is no JSON: expected `,` or `}`, found `1`"),
        ("{} {}", "1:4: the record is no JSON: unexpected `{` after the value"),
        ("[1]", "1:1: the record is no object: found a list / one JSON object stands on each line"),
        ("null", "1:1: the record"),
        ("\"x\"", "1:1: the record is no object: found text `x`"),
        (
            "{\"id\":\"a\",\"id\":\"b\"}",
            "1:11: the record cannot be read: key `id` is given twice / keep one of the two",
        ),
        (
            "{\"id\":\"a\",\"turns\":[{\"said\":\"x\",\"z\":{\"k\":1,\"k\":1}}]}",
            "1:43: the record cannot be read: key `k`",
        ),
        ("{\"id\":\"\\ud800\"}", "1:8: the record is no JSON: half of a surrogate pair"),
    ] {
        assert!(fault(PLAIN, &[line]).starts_with(wanted), "{line}\n{}", fault(PLAIN, &[line]));
    }
    let deep = format!("{}1{}", "{\"a\":".repeat(70), "}".repeat(70));
    assert!(fault(PLAIN, &[&deep]).contains("nested more than 64 deep"));
}

#[test]
fn records_that_do_not_keep_to_their_form() {
    let first = r#"{"id":"a","turns":[{"said":"hm"}]}"#;
    for (record, wanted) in [
        (
            r#"{"turns":[{"said":"x"}]}"#,
            "2:1: `id` is missing: the dialogue has no name / the form of the recording says",
        ),
        (r#"{"id":["x"],"turns":[]}"#, "2:7: `id`: expected a text, found a list"),
        (r#"{"id":"b"}"#, "2:1: dialogue `b`: `turns` is missing: the dialogue has no turns"),
        (r#"{"id":"b","turns":"x"}"#, "2:19: dialogue `b`: `turns`: expected a list of turns, found text `x`"),
        (r#"{"id":"b","turns":["x"]}"#, "2:20: dialogue `b`, turn 1: the turn: expected an object, found text `x`"),
        (r#"{"id":"b","turns":[{"said":"x"},{"sad":"x"}]}"#, "2:33: dialogue `b`, turn 2: `said`: is missing; event"),
        (r#"{"id":"b","turns":[{"said":5}]}"#, "2:28: dialogue `b`, turn 1: `said`: expected a text, found `5`"),
        (
            r#"{"id":"b","turns":[{"said":"x","label":"T3"}]}"#,
            "2:40: dialogue `b`, turn 1: `T3` is no class and no label",
        ),
        (r#"{"id":"b","turns":[{"said":"x","label":"NON"}]}"#, "no label of the recording / did you mean `NONE`?"),
        (
            r#"{"id":"b","turns":[{"said":"x","label":1}]}"#,
            "2:40: dialogue `b`, turn 1: `label`: expected a text, found number `1`",
        ),
        (
            r#"{"id":"b","turns":[{"said":"x","label":"T1","more":3}]}"#,
            "2:52: dialogue `b`, turn 1: `more`: expected an object",
        ),
        (
            r#"{"id":"b","turns":[{"said":"x","label":"T1","more":{"also":"T1"}}]}"#,
            "`more.also`: expected a list of labels, found text `T1`",
        ),
        (
            r#"{"id":"b","turns":[{"said":"x","label":"T1","more":{"also":[null]}}]}"#,
            "`more.also`: expected a text, found null",
        ),
        (
            r#"{"id":"b","turns":[{"said":"x","label":"T1","more":{"fit":{}}}]}"#,
            "`more.fit`: expected a text, found an object",
        ),
    ] {
        let found = fault(PLAIN, &[first, record]);
        assert!(found.contains(wanted), "{record}\n{found}");
    }
    // What is no label is no matter where there is no label.
    replay(PLAIN, 0, &[r#"{"id":"b","turns":[{"said":"x","more":{"also":3}}]}"#]).expect("not looked at");
    let long = format!(r#"{{"id":"b","turns":[{{"said":"{}"}}]}}"#, "x".repeat(70_000));
    let found = fault(PLAIN, &[&long]);
    assert!(found.starts_with("1:20: dialogue `b`, turn 1: no step: the text has 70000 bytes, at most"), "{found}");
}

#[test]
fn signals_and_outcomes_that_do_not_fit() {
    let form = CALLS.replace("[\"agent\"]", "[\"found\", \"before\"]");
    let turn = |said: &str, heard: &str| {
        format!(
            r#"{{"call":{{"id":"b"}},"turns":[{{"said":"{said}","heard":{heard}}},{{"said":"Riga","heard":{{"before":17,"found":{{"evidence":"good"}}}}}}]}}"#
        )
    };
    for (said, heard, wanted) in [
        ("Riga", r#"{"sure":"x"}"#, r#"1:60: dialogue `b`, turn 1: `heard.sure`: expected a number, found `"x"`"#),
        ("Riga", r#"{"seen":["x",1]}"#, "`heard.seen.1`: expected a text, found `1`"),
        ("Riga", r#"{"seen":["x",null]}"#, "`heard.seen.1`: expected a text, found `null`"),
        ("Riga", r#"{"seen":["x","y","z"]}"#, "`heard.seen`: holds 3 entries, at most 2 are allowed"),
        (
            "Riga",
            r#"{"agent":null}"#,
            "`heard.agent`: is no signal of this pack that a host may give / declare the signal, or write `omit = [\"agent\"]`",
        ),
        ("Riga", "[]", "`heard`: expected an object, found a list"),
        ("Riga", "{}", "`heard.found` is missing: the call has no outcome"),
        ("Riga", r#"{"found":"good"}"#, "`heard.found`: expected an object, found text `good`"),
        ("Riga", r#"{"found":{}}"#, "`heard.found.evidence`: is missing; that is no answer of port `forecast`"),
        (
            "Riga",
            r#"{"found":{"evidence":null}}"#,
            "`heard.found.evidence`: is null, and it is mandatory; that is no answer",
        ),
        (
            "Riga",
            r#"{"found":{"evidence":"bad"}}"#,
            "`heard.found.evidence`: expected one of good, poor, found `\"bad\"`",
        ),
        (
            "Riga",
            r#"{"found":{"evidence":"good"}}"#,
            "turn 1: `heard.before`: expected a text, found `17`; that is no answer",
        ),
        (
            "Riga",
            r#"{"found":{"evidence":"good","note":"n"}}"#,
            "`heard.found.note` is given, and `heard.before` of the next turn would be too",
        ),
        (
            "hm",
            r#"{"found":{"evidence":"good"}}"#,
            "the step of T10 on «hm» leaves no call open, and the outcome `heard.found` is that of one call",
        ),
    ] {
        let found = fault(&form, &[&turn(said, heard)]);
        assert!(found.contains(wanted), "{heard}\n{found}");
    }
    let last = r#"{"call":{"id":"b"},"turns":[{"said":"Riga","heard":{"found":{"evidence":"good","x":1}}}]}"#;
    let wanted =
        "1:84: dialogue `b`, turn 1: `heard.found.x`: is not declared; known are: evidence, note; that is no answer";
    assert!(fault(&form, &[last]).starts_with(wanted), "{}", fault(&form, &[last]));
}

/// Texts in any script, of any shape, go through as they are.
#[test]
fn odd_texts() {
    let said = ["", " ", "\u{0}", "🦀 e\u{301}", "\u{202e}abc", "РИГА\u{2028}", "ﬁ", "İ", "a\\\"b", "\u{fdd0}"];
    let turns: Vec<Value> = said.iter().map(|said| json!({ "said": said, "label": "ANY" })).collect();
    let first = format!("\u{feff}{}", json!({ "id": "\u{202e}\n", "turns": turns }));
    let recorded =
        replay(PLAIN, 9, &[&first, &json!({ "turns": turns, "id": 1.50 }).to_string()]).expect("a recording");
    let scores = report(&recorded);
    assert_eq!(
        (&scores["turns"], &scores["strict"], &scores["by_transition"]["T1"]),
        (&json!(20), &json!(1.0), &json!(2))
    );
}

/// Whatever bytes are changed in a record, it is replayed or refused at a place in it.
#[test]
fn changed_records() {
    let (registry, sources) = pack(&CALLS.replace("[\"agent\"]", "[\"found\", \"before\"]"));
    let record = r#"{"call":{"id":"b"},"turns":[{"said":"Рига","label":"T1","heard":{"sure":0.5,"found":{"evidence":"good"}}},
        {"said":"Oslo","label":null,"heard":{"before":"x","seen":["y"],"found":{"evidence":"poor"}}}]}"#;
    let starts: Vec<usize> = record.char_indices().map(|(at, _)| at).collect();
    let pieces = ["", "null", "{}", "[]", "\"", "1e999", "true", ",", "}", "\\u0000", "T10", "é"];
    let (mut read, mut refused) = (0, 0);
    for (nth, from) in starts.iter().enumerate() {
        for length in [0, 1, 2, 5, 9] {
            let to = starts.get(nth + length).copied().unwrap_or(record.len());
            for piece in pieces {
                let changed = format!("{}{piece}{}", &record[..*from], &record[to..]).replace('\n', " ");
                let mut replay = Replay::new(&registry, &sources, None, 1);
                match replay.line(1, &changed) {
                    Ok(()) => read += 1,
                    Err(fault) => {
                        refused += 1;
                        assert!(fault.line == 1 && fault.column <= changed.chars().count() + 1, "{changed}\n{fault}");
                    }
                }
            }
        }
    }
    assert!(read > 100 && refused > 1000, "{read} read, {refused} refused");
}

/// What a record expects changes nothing of what its turns do.
#[test]
fn labels_are_not_looked_at_before_the_step() {
    let went = |lines: &[String]| {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let recorded = replay(PLAIN, 0, &lines).expect("a recording");
        (recorded.by_transition, recorded.by_phrase)
    };
    let labelled: Vec<String> = LABELLED.iter().map(|line| (*line).to_owned()).collect();
    let others: Vec<String> =
        labelled.iter().map(|line| line.replace("\"T1\"", "\"ANY\"").replace("NONE", "T10")).collect();
    let bare: Vec<String> = labelled.iter().map(|line| line.replace("label", "x").replace("more", "y")).collect();
    assert_ne!(labelled, others);
    assert_eq!((went(&labelled), went(&labelled)), (went(&others), went(&bare)));
}

/// A rate that is not quite all of it does not read as all of it.
#[test]
fn rounding() {
    let turn = r#"{"said":"hm","label":"NONE"}"#;
    let turns = vec![turn; 2999].join(",");
    let recorded = replay(PLAIN, 0, &[&format!(r#"{{"id":"a","turns":[{{"said":"hm","label":"T1"}},{turns}]}}"#)]);
    let text = human(&recorded.expect("a recording"));
    assert!(text.contains("\nall         3000   99.9%    99.9%\n"), "{text}");
}
