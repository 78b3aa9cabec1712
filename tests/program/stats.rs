//! Metrics over sessions: what `segue stats` counts, and what it refuses to count.

use std::path::Path;

use segue::declare::Options;
use segue::registry::Registry;
use segue::scenario::{self, play};
use segue::stats::Tally;
use segue::workspace::Workspace;
use serde_json::{Value, json};

use crate::program::{Mini, document, err, out};

const METRICS: &str = r#"
[metric.refused]
doc = "Questions that come to nothing."
of = ["T1"]
followed_by = ["T10"]
[metric.refusals]
doc = "Refusals after each question."
of = ["T1"]
average = ["T10"]
[metric.never]
doc = "What nobody has asked."
of = ["T10"]
are = ["T10"]
"#;

const ONE: &str = "
scenarios:
  - scenario: one
    turns:
      - user: Riga
        calls: [{ port: forecast, status: timeout, error: too late }]
      - user: what?
      - user: Oslo
        calls: [{ port: forecast, returns: { evidence: good } }]
  - scenario: two
    turns:
      - user: what?
";

fn mini() -> Mini {
    let mini = Mini::new();
    mini.write("transitions/mini/metrics.toml", METRICS);
    mini.write("saved/talk.yaml", ONE);
    mini
}

#[test]
fn cases_are_counted_once_and_end_with_the_session() {
    let mini = mini();
    let run = mini.run(&["stats", "saved", "--pack", "mini"]).code(0).stderr_eq("");
    let table = "mini: 2 sessions, 4 turns\n\n           value  counted  cases\nnever     100.0%        3      3\nrefusals    1.00        2      2\nrefused    50.0%        1      2\n";
    assert_eq!(out(&run), table);
}

/// The document in docs/cli.md is what the program prints.
#[test]
fn the_document() {
    let mini = mini();
    mini.write("transitions/mini/metrics.toml", METRICS.split_once("[metric.refusals]").expect("two metrics").0);
    let printed = document(&mini.run(&["stats", "--format", "json"]).code(0).stderr_eq(""));
    let page = include_str!("../../docs/cli.md");
    let page = page.split_once("## segue stats").expect("the section").1;
    let page = page.split_once("```json\n").expect("the document").1.split_once("```").expect("its end").0;
    assert_eq!(printed, serde_json::from_str::<Value>(page).expect("a document"));
}

#[test]
fn recorded_dialogues_are_sessions() {
    let mini = mini();
    let form =
        "[recording.talks]\nid = \"id\"\nturns = \"turns\"\nevent = \"utterance\"\npayload = { text = \"said\" }\n";
    mini.write("transitions/mini/recording.toml", form);
    let talk = r#"{"id":"a","turns":[{"said":"Riga"},{"said":"what?"},{"said":"and?"}]}"#;
    mini.write("talks.jsonl", format!("{talk}\n{talk}\n"));
    let run = mini.run(&["stats", "--recorded", "talks.jsonl", "--format", "json"]).code(0).stderr_eq("");
    let counted = document(&run);
    let of = |metric: &str| counted["packs"][0]["metrics"][metric]["counted"].clone();
    assert_eq!((of("refused"), of("refusals"), of("never")), (json!(2), json!(4), json!(4)));
    assert_eq!(counted["packs"][0]["sessions"], json!(2));
}

/// A pack that declares no metric is named: that it is not counted is no slip that nobody sees.
#[test]
fn packs_without_a_metric_are_named() {
    let mini = mini();
    mini.at_home(&["new", "pack", "other"]).code(0);
    let run = mini.run(&["stats"]).code(0).stderr_eq("");
    let told = out(&run);
    assert!(told.starts_with("mini: ") && told.ends_with("\n\nno metric is declared in other\n"), "{told}");
    let counted = document(&mini.run(&["stats", "--format", "json"]).code(0).stderr_eq(""));
    assert_eq!((&counted["packs"][0]["pack"], &counted["packs"][1]), (&json!("mini"), &Value::Null));
    assert_eq!(counted["without_metrics"], json!(["other"]));
}

/// The metrics of used packs are counted in the sessions of who uses them, under their names there.
#[test]
fn metrics_of_used_packs_are_counted() {
    let uses = Mini::of("uses");
    uses.write(
        "saved/talk.yaml",
        "
scenarios:
  - scenario: passed
    turns:
      - user: why is the sky blue
        calls: [{ port: gate/classify, returns: { topic: fine } }, { port: find, returns: { found: true } }]
  - scenario: lost
    turns:
      - user: why
        calls: [{ port: gate/classify, status: timeout }]
",
    );
    let refused = uses.run(&["stats", "saved", "--pack", "desk"]).code(2);
    assert!(err(&refused).contains("no metric is declared in desk"), "{}", err(&refused));
    uses.write("transitions/vault/metrics.toml", "[metric.noted]\ndoc = \"d\"\nof = [\"NOTED\"]\nare = [\"NOTED\"]\n");
    let lost = "[metric.lost]\ndoc = \"d\"\nof = [\"NEW\"]\nfollowed_by = [\"REST\"]\n";
    uses.write("transitions/gatekeeper/metrics.toml", lost);
    let table = "desk: 2 sessions, 2 turns\n\n                   value  counted  cases\ngate/lost          50.0%        1      2\ngate/vault/noted  100.0%        2      2\n";
    assert_eq!(out(&uses.run(&["stats", "saved", "--pack", "desk"]).code(0).stderr_eq("")), table);
    uses.write("transitions/desk/metrics.toml", lost.replace("NEW", "ASK"));
    let counted = document(&uses.run(&["stats", "saved", "--pack", "desk", "--format", "json"]).code(0).stderr_eq(""));
    let metrics = counted["packs"][0]["metrics"].as_object().expect("metrics");
    let told: Vec<_> = metrics.iter().map(|(name, of)| (name.as_str(), of["counted"].clone())).collect();
    assert_eq!(told, [("lost", json!(1)), ("gate/lost", json!(1)), ("gate/vault/noted", json!(2))]);
}

#[test]
fn what_cannot_be_counted_is_said() {
    let mini = mini();
    mini.write("saved/cut.yaml", "scenario: cut off\nturns: [{ user: Riga }]\n");
    let run = mini.run(&["stats", "saved", "--pack", "mini", "--format", "json"]).code(2).stdout_eq("");
    assert!(err(&run).contains("saved/cut.yaml (cut off):2: the call is not scripted"), "{}", err(&run));
    mini.write("saved/cut.yaml", "scenario: cut off\nturnz: []\n");
    let run = mini.run(&["stats", "saved", "--pack", "mini"]).code(2).stdout_eq("");
    assert!(err(&run).contains("saved/cut.yaml (cut off) cannot be read"), "{}", err(&run));
    mini.write("transitions/mini/metrics.toml", "");
    let run = mini.run(&["stats"]).code(2).stdout_eq("");
    assert!(err(&run).contains("no metric is declared in mini"), "{}", err(&run));
    let form =
        "[recording.talks]\nid = \"id\"\nturns = \"turns\"\nevent = \"utterance\"\npayload = { text = \"said\" }\n";
    mini.write("transitions/mini/recording.toml", form);
    mini.write("talks.jsonl", "{\"id\":\"a\",\"turns\":[{\"said\":\"Riga\"}]}\n");
    let run = mini.run(&["stats", "--recorded", "talks.jsonl"]).code(2).stdout_eq("");
    assert!(err(&run).contains("no metric is declared in mini"), "{}", err(&run));
    let run = mini.run(&["stats", "nowhere"]).code(2).stdout_eq("");
    assert!(err(&run).contains("no such file or folder: nowhere"), "{}", err(&run));
}

/// A slip in a metric is told at its place.
#[test]
fn slips() {
    let mini = Mini::new();
    let slips = [
        ("of = [\"T01\"]\nare = [\"T1\"]\n", ":2:8: ", "there is no class `T01`"),
        ("of = [\"T1\"]\n", ":1:1: ", "a metric counts something"),
        ("of = [\"T1\"]\nare = [\"T1\"]\naverage = [\"T1\"]\n", ":4:1: ", "`are` stands here already"),
        ("of = [\"T1\"]\nare = [\"T1\"]\nuntil = [\"T10\"]\n", ":4:1: ", "has no `until`"),
        ("of = [\"T1\"]\nare = [\"T10\"]\n", ":3:8: ", "is not among the cases"),
        ("of = []\nare = [\"T10\"]\n", ":2:6: ", "the list is empty"),
    ];
    for (text, place, words) in slips {
        mini.write("transitions/mini/metrics.toml", format!("[metric.m]\n{text}"));
        let run = mini.run(&["check", "--format", "short"]).code(1);
        let told = out(&run);
        assert!(told.contains(&format!("metrics.toml{place}")) && told.contains(words), "{text}\n{told}");
        assert_eq!(told.lines().filter(|line| line.contains("metrics.toml:")).count(), 1, "{told}");
    }
}

/// The five metrics of S4 over its scenarios, counted once more from nothing but the classes of the steps.
#[test]
fn the_five_metrics_are_what_a_plain_count_says() {
    let workspace = Workspace::of(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the repository is a workspace");
    let files = workspace.pack("clarification").expect("the pack");
    let registry: Registry = segue::load::load(&files, &Options::default()).registry.expect("a pack without errors");
    let corpus = workspace.corpus(&[workspace.root().join("scenarios/clarification")]).expect("its scenarios");
    let pack = registry.pack();
    let mut tally = Tally::new(&registry);
    let mut sessions: Vec<Vec<&str>> = Vec::new();
    for case in &corpus.cases {
        let script = scenario::script(&registry, &case.scenario).expect("a sound scenario");
        let played = play(&registry, &script, usize::MAX);
        tally.played(&played);
        let mut classes = Vec::new();
        for turn in &played.turns {
            let mut turn: Vec<&str> = turn
                .steps
                .iter()
                .filter_map(|step| step.result.as_ref().ok()?.class)
                .map(|class| pack.names.text(pack.classes[class.index()].id))
                .collect();
            turn.dedup();
            classes.extend(turn);
        }
        sessions.push(classes);
    }
    let query = |class: &&&str| ["NEW_QUERY", "REPHRASE"].contains(*class);
    let queries = sessions.iter().flatten().filter(query).count();
    // What happens from one query to the next.
    let mut spans: Vec<Vec<&str>> = Vec::new();
    for session in &sessions {
        let mut open: Option<Vec<&str>> = None;
        for class in session {
            if query(&class) {
                spans.extend(open.replace(Vec::new()));
            } else if let Some(open) = &mut open {
                open.push(class);
            }
        }
        spans.extend(open);
    }
    let with = |class: &str| spans.iter().filter(|span| span.contains(&class)).count();
    let rounds = spans.iter().flatten().filter(|class| **class == "ASK_TO_CLARIFY").count();
    let count = |classes: &[&str]| sessions.iter().flatten().filter(|class| classes.contains(class)).count();
    let mut successes = 0;
    for session in &sessions {
        for (at, _) in session.iter().enumerate().filter(|(_, class)| **class == "RESPOND") {
            let verdict = session[at + 1..].iter().find(|class| {
                ["PROCEED", "ASK_TO_CONFIRM", "ASK_TO_CLARIFY", "PROCEED_ANYWAY", "FALL_BACK"].contains(class)
            });
            successes += usize::from(verdict.is_some_and(|class| ["PROCEED", "ASK_TO_CONFIRM"].contains(class)));
        }
    }
    let told = tally.json();
    let of = |metric: &str| (told["metrics"][metric]["counted"].clone(), told["metrics"][metric]["cases"].clone());
    assert_eq!(spans.len(), queries);
    assert_eq!(of("clarification_rate"), (json!(with("ASK_TO_CLARIFY")), json!(queries)));
    assert_eq!(of("confirmation_rate"), (json!(with("ASK_TO_CONFIRM")), json!(queries)));
    assert_eq!(of("average_iterations"), (json!(rounds), json!(queries)));
    let answers = count(&["CONFIRM", "REJECT", "REPHRASE", "AMEND"]);
    assert_eq!(of("rejection_rate"), (json!(count(&["REJECT", "REPHRASE"])), json!(answers)));
    assert_eq!(of("reclassification_success"), (json!(successes), json!(count(&["RESPOND"]))));
    assert!([queries, rounds, answers, successes].iter().all(|count| *count > 5), "the scenarios say too little");
}
