//! The program itself: exit codes, what is written and what is not, and what stands on which stream.
#![expect(clippy::disallowed_methods, reason = "these tests make workspaces and start the program")]

use std::fs;
use std::path::Path;

use snapbox::cmd::cargo_bin;
use snapbox::{assert_data_eq, str};

use crate::program::{Mini, copy, document, err, out};

const WEATHER: &str = "scenarios/mini/weather.yaml";
const RIGA: &str = "scenarios/mini/snapshots/weather__рига_a_city_that_is_named_is_asked_for.snap";

#[test]
fn a_green_run() {
    Mini::new()
        .run(&["replay"])
        .code(0)
        .stdout_eq(str![[r#"
3 scenarios, 3 passed, 0 failed, 7 turns

"#]])
        .stderr_eq("");
}

#[test]
fn the_document() {
    let run = Mini::new().run(&["replay", "--format", "json"]).code(0).stderr_eq("");
    let document = document(&run);
    let totals = ["scenarios", "passed", "failed", "turns"].map(|key| document[key].as_u64());
    assert_eq!(totals, [Some(3), Some(3), Some(0), Some(7)]);
    assert_eq!(document["by_transition"].to_string(), r#"{"T1":2,"T10":4}"#);
    let first = &document["results"][1];
    assert_eq!(first["file"], WEATHER);
    assert_eq!(first["name"], "Рига: a city that is named is asked for");
    assert_eq!(first["status"], "passed");
    assert_eq!(
        first["turns"].to_string(),
        r#"[{"transition":"T1","answer_mode":"exact","reasons":[]},{"transition":"T10","answer_mode":"bounded","reasons":["no_transition"]}]"#
    );
    let keys: Vec<&String> = document.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["scenarios", "passed", "failed", "turns", "by_transition", "results"]);
}

/// FB-06: what the assistant said is no input.
#[test]
fn replies_are_read_by_nothing() {
    let mini = Mini::new();
    let document = |mini: &Mini| out(&mini.run(&["replay", "--format", "json"]).code(0));
    let before = document(&mini);
    for reply in ["В Риге дождь.", "Не знаю.", "Nothing to say."] {
        mini.edit(WEATHER, reply, "…");
    }
    assert_eq!(document(&mini), before);
}

#[test]
fn a_broken_expectation() {
    let mini = Mini::new();
    mini.edit(WEATHER, "transition: T1, answer_mode: exact", "transition: T10, answer_mode: bounded");
    mini.edit(WEATHER, "settled: T10, reason: no_forecast", "transition: T1");
    mini.edit(WEATHER, "selected: T1, transition: T1", "transition: T1");
    mini.run(&["replay"]).code(1).stdout_eq(str![[r#"
FAIL scenarios/mini/weather.yaml: Рига: a city that is named is asked for
  scenarios/mini/weather.yaml:8:31: turn 1: transition differs
    expected  T10
    actual    T1
  scenarios/mini/weather.yaml:8:49: turn 1: answer mode differs
    expected  bounded
    actual    exact
    see why: `segue explain scenarios/mini/weather.yaml:1 --turn 1`

FAIL scenarios/mini/weather.yaml: a forecast that fails leaves the city as it was
  scenarios/mini/weather.yaml:21:31: turn 1: transition differs
    expected  T1
    actual    T1 selected, T10 settled
    help: they differ, so write both: `selected: T1`, `settled: T10`
    see why: `segue explain scenarios/mini/weather.yaml:2 --turn 1`

3 scenarios, 1 passed, 2 failed, 7 turns

"#]]);
    let failure = &document(&mini.run(&["replay", "--format", "json"]).code(1))["results"][1]["failures"][0];
    assert_eq!((&failure["line"], &failure["expected"], &failure["actual"]), (&8.into(), &"T10".into(), &"T1".into()));
}

/// FB-08: a run that checked nothing never passes.
#[test]
fn nothing_to_replay() {
    let mini = Mini::new();
    fs::create_dir(mini.path("empty")).expect("a folder");
    mini.write("texts/a.txt", "scenario: x");
    mini.write("texts/b.md", "");
    for (args, wanted) in [
        (
            &["replay", "empty"][..],
            "error: nothing to replay: no scenario file (*.yaml, *.yml, *.toml, *.json) in empty/\n",
        ),
        (&["replay", "nowhere"], "error: nothing to replay: no such file or folder: nowhere\n"),
        (&["replay", "scenarios", "nowhere"], "error: nothing to replay: no such file or folder: nowhere\n"),
        (
            &["replay", "--filter", "снег"],
            "error: nothing to replay: `снег` is in no name or file of 3 scenarios in scenarios/\n",
        ),
        (
            &["replay", "texts"],
            "error: nothing to replay: no scenario file (*.yaml, *.yml, *.toml, *.json) in texts/; 2 files there end otherwise\n",
        ),
        (&["replay", "texts/a.txt"], "error: texts/a.txt: is no scenario file (*.yaml, *.yml, *.toml, *.json)\n"),
    ] {
        let run = mini.run(args).code(2).stdout_eq("");
        assert_data_eq!(err(&run), wanted.to_owned());
    }
    fs::remove_dir_all(mini.path("scenarios")).expect("removed");
    let run = mini.run(&["replay"]).code(2);
    assert_eq!(
        err(&run),
        "error: nothing to replay: no scenario file (*.yaml, *.yml, *.toml, *.json) in scenarios/ (it does not exist)\n"
    );
}

/// FB-09: snapshots that no scenario refers to fail the run, and in CI nothing is written.
#[test]
fn orphan_snapshots() {
    let mini = Mini::new();
    mini.edit(WEATHER, "a forecast that fails leaves the city as it was", "a forecast that fails changes nothing");
    fs::remove_file(mini.path("scenarios/mini/events.toml")).expect("removed");
    let before = mini.files();
    let run = mini.run(&["replay"]).code(1);
    assert_eq!(mini.files(), before, "nothing is written in CI");
    let text = out(&run);
    for orphan in ["weather__a_forecast_that_fails_leaves_the_city_as_it_was", "events__two_messages_before_a_reply"] {
        let line = text.lines().find(|line| line.contains(orphan)).expect("the orphan is named");
        assert!(line.ends_with("no scenario refers to this snapshot"), "{line}");
    }
    assert!(
        text.contains(
            "there is no snapshot scenarios/mini/snapshots/weather__a_forecast_that_fails_changes_nothing.snap"
        )
    );
    assert!(text.ends_with("2 scenarios, 1 passed, 1 failed, 3 turns, 2 unreferenced snapshots\n"), "{text}");
    let document = document(&mini.run(&["replay", "--format", "json"]).code(1));
    assert_eq!(document["unreferenced_snapshots"].as_array().map(Vec::len), Some(2));
    // A part of the scenarios says nothing about the others' snapshots.
    mini.run(&["replay", WEATHER, "--filter", "Рига"]).code(0);
    mini.run(&["replay", "--filter", "Рига"]).code(0);
    mini.run(&["replay", "--accept"])
        .code(2)
        .stdout_eq("")
        .stderr_eq("error: `--accept` writes snapshots, and with CI set nothing is written\n");
    assert_eq!(mini.files(), before);
    mini.at_home(&["replay", "--accept"]).code(0);
    mini.run(&["replay"]).code(0);
}

#[test]
fn snapshots_are_kept_as_insta_keeps_them() {
    let mini = Mini::new();
    mini.edit(WEATHER, "user: погода, рига", "user: рига");
    let run = mini.at_home(&["replay"]).code(1);
    assert!(out(&run).contains("-1. user: погода, рига\n    +1. user: рига\n"), "{}", out(&run));
    let pending = mini.path(&format!("{RIGA}.new"));
    let text = fs::read_to_string(&pending).expect("a pending snapshot");
    assert!(text.starts_with("---\nsource: \"scenarios/mini/weather.yaml\"\ndescription: \"Рига: "), "{text}");
    // What fails an expectation is not accepted.
    mini.edit(WEATHER, "T1, answer_mode: exact", "T1, answer_mode: bounded");
    let run = mini.at_home(&["replay", "--accept"]).code(1);
    assert!(out(&run).contains("help: not accepted: an expectation of the scenario fails"), "{}", out(&run));
    assert!(fs::read_to_string(mini.path(RIGA)).expect("the snapshot").contains("погода, рига"));
    mini.edit(WEATHER, "T1, answer_mode: bounded", "T1, answer_mode: exact");
    mini.at_home(&["replay", "--accept"]).code(0);
    assert!(!pending.exists());
    mini.run(&["replay"]).code(0);
    // The header is for people.
    mini.edit(RIGA, "registry: ", "registry: 00");
    mini.run(&["replay"]).code(0);
}

#[test]
fn replay_is_strict() {
    let mini = Mini::new();
    let one = |turn: &str| format!("scenario: x\nturns:\n  - {turn}\n");
    for (turn, wanted) in [
        ("{ user: рига }", "the call is not scripted: call-2 forecast { city: riga }"),
        ("{ user: hello, calls: [{ port: forecast, open: true }] }", "nobody called `forecast`"),
        (
            "{ user: рига, calls: [{ port: forecast, with: { city: oslo }, open: true }] }",
            "argument city of call-2 forecast differs",
        ),
        ("{ user: рига, calls: [{ port: forecast, with: { cty: oslo }, open: true }] }", "did you mean `city`?"),
        ("{ user: рига, expect: {}, calls: [{ port: forecast, open: true }] }", "the expectation is empty"),
        ("{ user: hello, expect: { answer_mod: exact } }", "did you mean `answer_mode`?"),
        ("{ user: hello, expct: { answer_mode: exact } }", "did you mean `expect`?"),
        (
            "{ user: hello, expect: { transition: T1, settled: T10 } }",
            "`transition` already says `selected` and `settled`",
        ),
        ("{ user: hello, expect: { transition: T2 } }", "is no class of this pack"),
        ("{ user: hello, expect: { state: { topic: { town: x } } } }", "`town` is no field of frame `topic`"),
        ("{ user: hello, expect: { state: { topic: { asked: two } } } }", "expected a whole number, found `\"two\"`"),
        ("{ user: 5 }", "expected a text, or a table of payload fields, found number `5`"),
        ("{ user: hello, signals: { plce: riga } }", "`plce` is no signal of this pack"),
        ("{ usr: hello }", "did you mean `user`?"),
        ("{ events: [{ events: [{ user: hello }] }] }", "`events` cannot stand inside `events`"),
        ("{ expect: { transition: T10 } }", "the turn says nothing that happens"),
        ("{ tap: {} }", "`city` is missing; event `tap` demands it"),
        ("{ user: hello, tap: { city: x } }", "the turn has a second input `tap`"),
        ("{ user: рига, calls: [{ port: forecast }] }", "it is not said how the call ends"),
        (
            "{ user: рига, calls: [{ port: forecast, status: failed, returns: {} }] }",
            "a call that is not ok returns nothing",
        ),
        (
            "{ user: рига, calls: [{ port: forecast, returns: { evidence: fine } }], expect: { settled: T1 } }",
            "a scripted answer breaks its port's declaration",
        ),
        ("{ user: hello, expect: { messages: [] } }", "messages differs"),
        ("{ user: hello, expect: { messages: [{ sorry: { reason: busy } }] } }", "message differs"),
        ("{ user: hello, expect: { refused: busy } }", "refused differs"),
    ] {
        mini.write("scenarios/mini/x.yaml", one(turn));
        let run = mini.run(&["replay", "scenarios/mini/x.yaml"]).code(1);
        assert!(out(&run).contains(wanted), "{turn}\n{}", out(&run));
    }
    mini.write(
        "scenarios/mini/x.yaml",
        "scenario: x\ngiven: { topic: { evidence: good } }\nturns: [{ user: hello }]\n",
    );
    let run = mini.run(&["replay", "scenarios/mini/x.yaml"]).code(1);
    assert!(out(&run).contains("x.yaml:2:8: the state breaks the invariant `evidence_has_a_city`"), "{}", out(&run));
}

/// FB-14 and the like: whatever lies in a file, there is an answer in words.
#[test]
fn odd_scenario_files() {
    let mini = Mini::new();
    let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    for (name, text, wanted) in [
        ("deep.yaml", deep.as_bytes(), "nested"),
        ("deep.json", deep.as_bytes(), "nested"),
        ("deep.toml", format!("scenario = {deep}").as_bytes(), "nested"),
        ("empty.yaml", b"", ""),
        ("list.yaml", b"- a\n", "expected a scenario"),
        ("none.yaml", b"scenarios: []\n", "the file holds no scenario"),
        ("nameless.yaml", b"turns: []\n", "lacks the key `scenario`"),
        ("broken.yaml", b"scenario: [\n", ""),
    ] {
        let path = format!("scenarios/mini/{name}");
        mini.write(&path, text);
        let run = mini.run(&["replay", &path]).code(2);
        assert!(out(&run).contains(&format!("ERROR {path}")) && out(&run).contains(wanted), "{name}\n{}", out(&run));
        assert!(err(&run).len() < 2000 && out(&run).len() < 4000, "{name}");
        fs::remove_file(mini.path(&path)).expect("removed");
    }
    mini.write(
        "scenarios/mini/twice.yaml",
        "scenarios:\n- { scenario: a, turns: [{ user: x }] }\n- { scenario: a, turns: [{ user: x }] }\n",
    );
    let run = mini.run(&["replay", "scenarios/mini/twice.yaml"]).code(1);
    assert!(out(&run).contains("twice.yaml:3:15: the scenario `a` is written twice in this file"), "{}", out(&run));
    fs::remove_file(mini.path("scenarios/mini/twice.yaml")).expect("removed");

    mini.write("scenarios/mini/latin.yaml", b"scenario: \xff\xfe\n");
    let run = mini.run(&["replay"]).code(2);
    let wanted = "ERROR scenarios/mini/latin.yaml\n  scenarios/mini/latin.yaml:1:11: the file is not UTF-8: the byte 0xFF begins no character\n    help: save it as UTF-8\n\n4 scenarios, 3 passed, 1 failed, 7 turns\n";
    assert_eq!(out(&run), wanted);
    fs::remove_file(mini.path("scenarios/mini/latin.yaml")).expect("removed");

    fs::create_dir(mini.path("scenarios/mini/folder.yaml")).expect("a folder");
    let run = mini.run(&["replay"]).code(2);
    assert!(out(&run).contains("scenarios/mini/folder.yaml:1:1: this is a folder"), "{}", out(&run));
    fs::remove_dir(mini.path("scenarios/mini/folder.yaml")).expect("removed");

    mini.write("scenarios/mini/large.yaml", vec![b'#'; 9 << 20]);
    let run = mini.run(&["replay"]).code(2);
    assert!(out(&run).contains("scenarios/mini/large.yaml:1:1: the file is larger than the limit"), "{}", out(&run));
    fs::remove_file(mini.path("scenarios/mini/large.yaml")).expect("removed");

    mini.write("scenarios/other/x.yaml", "scenario: x\nturns: [{ user: x }]\n");
    let run = mini.run(&["replay"]).code(2);
    assert!(
        err(&run).contains("scenarios/other/x.yaml: no pack `other` in transitions/: there are `mini`"),
        "{}",
        err(&run)
    );
}

#[cfg(unix)]
#[test]
fn links_that_lead_round() {
    let mini = Mini::new();
    std::os::unix::fs::symlink("..", mini.path("scenarios/mini/up")).expect("a link");
    let run = mini.run(&["replay"]).code(2);
    assert!(out(&run).contains("scenarios/mini/up:1:1: the link leads back to a folder above it"), "{}", out(&run));
    fs::remove_file(mini.path("scenarios/mini/up")).expect("removed");
    std::os::unix::fs::symlink("nowhere", mini.path("scenarios/mini/gone.yaml")).expect("a link");
    let run = mini.run(&["replay"]).code(2);
    assert!(out(&run).contains("scenarios/mini/gone.yaml:1:1: the link leads to nothing"), "{}", out(&run));
}

#[test]
fn a_pack_that_does_not_load() {
    let mini = Mini::new();
    mini.edit("transitions/mini/T10.toml", "mode = \"bounded\"", "mode = \"bonded\"");
    for format in ["human", "json"] {
        let run = mini.run(&["replay", "--format", format]).code(2).stdout_eq("");
        assert!(err(&run).contains("T10.toml:") && err(&run).contains("did you mean `bounded`?"), "{}", err(&run));
        assert!(
            err(&run)
                .ends_with("error: the pack mini does not load: 1 error, 0 warnings, in transitions/mini/T10.toml\n"),
            "{}",
            err(&run)
        );
    }
    mini.write("segue.toml", "pakcs = [\"transitions\"]\n");
    let run = mini.run(&["replay"]).code(2);
    assert!(err(&run).contains("segue.toml:1:1: error[unknown-key]: unknown key `pakcs`"), "{}", err(&run));
    fs::remove_file(mini.path("segue.toml")).expect("removed");
    let run = mini.run(&["replay"]).code(2);
    assert!(err(&run).contains("no segue.toml in "), "{}", err(&run));
}

#[test]
fn another_pack_and_jobs() {
    let mini = Mini::new();
    for jobs in ["1", "8"] {
        mini.run(&["replay", "--pack", "transitions/mini", "--jobs", jobs, "scenarios"]).code(0);
    }
    mini.run(&["replay", "--pack", "mini"]).code(0);
    let run = mini.run(&["replay", "--pack", "minni"]).code(2).stdout_eq("");
    assert!(err(&run).contains("no pack `minni` in transitions/: there are `mini`"), "{}", err(&run));
    mini.run(&["replay", "--jobs", "0"]).code(2);
    mini.run(&["replay", "--formt", "json"]).code(2).stdout_eq("");
    mini.run(&[]).code(2);
    fs::remove_file(mini.path("segue.toml")).expect("removed");
    mini.run(&["replay", "--pack", "transitions/mini", "scenarios"]).code(0);
}

#[test]
fn explain_a_turn() {
    let mini = Mini::new();
    mini.run(&["explain", "scenarios/mini/weather.yaml:2", "--turn", "1"]).code(0).stderr_eq("").stdout_eq(str![[r#"
scenarios/mini/weather.yaml, turn 1 of 1: a forecast that fails leaves the city as it was

user: Riga
  said     place = riga «Riga»
  chosen   T1 (weather_of_a_city): signal place
  calls    call-1 audit { city: riga }, call-2 forecast { city: riga }

call-2 forecast → timeout: too late
  chosen   T10 (boundary): outcome trigger 2 on outcome
  reason   no_forecast
  answer   bounded (nothing)
  ruled out, strongest first:
  T1   weather_of_a_city [settle on ask] when: outcome.evidence was no value, needs good (T1.yaml:22)

"#]]);
    let run = mini.run(&["explain", WEATHER, "--scenario", "Рига", "-v"]).code(0);
    assert!(out(&run).contains("turn 2 of 2"), "{}", out(&run));
    let run = mini.run(&["explain", WEATHER, "--scenario", "Рига", "--format", "json"]).code(0);
    let document = document(&run);
    assert_eq!(document["steps"][0]["class"], "T10");
    assert_eq!(document["steps"][0]["candidates"][0]["verdict"], "not_triggered");
    for (args, wanted) in [
        (&["explain", WEATHER][..], "has 2 scenarios: say which"),
        (&["explain", "scenarios/mini/weather.yaml:3"], "there is no scenario 3"),
        (&["explain", "scenarios/mini/weather.yaml:1", "--turn", "9"], "there is no turn 9"),
        (&["explain", WEATHER, "--scenario", "Риги"], "no scenario `Риги`"),
        (&["explain", "nowhere.yaml"], "no such file: nowhere.yaml"),
        (&["explain", "scenarios"], "is a folder"),
        (&["explain", "scenarios/mini/weather.yaml:1", "--scenario", "forecast"], "both say which scenario"),
        (&["explain"], "nothing to explain: write a scenario file, or `--pack FOLDER` with `--say TEXT`"),
    ] {
        let run = mini.run(args).code(2).stdout_eq("");
        assert!(err(&run).contains(wanted), "{args:?}\n{}", err(&run));
    }
}

/// Where no pack is named the one of `segue.toml` is meant, else the only one.
#[test]
fn the_pack_that_is_meant() {
    let mini = Mini::new();
    let say = ["explain", "--say", "x"];
    mini.run(&say).code(0);
    copy(&mini.path("transitions/mini"), &mini.path("transitions/other"));
    let run = mini.run(&say).code(2).stdout_eq("");
    let wanted =
        "no pack is named, and there are `mini`, `other`: write `--pack FOLDER`, or `pack = \"mini\"` in segue.toml";
    assert!(err(&run).contains(wanted), "{}", err(&run));
    mini.write("segue.toml", "pack = \"other\"\n");
    mini.run(&say).code(0);
    mini.write("segue.toml", "pack = \"othr\"\n");
    let run = mini.run(&say).code(2).stdout_eq("");
    assert!(err(&run).contains("no pack `othr` in transitions/: there are `mini`, `other`"), "{}", err(&run));
    mini.write("segue.toml", "pack = [\"other\"]\n");
    let run = mini.run(&say).code(2).stdout_eq("");
    assert!(err(&run).contains("segue.toml:1:8: error[wrong-type]: expected text, found a list"), "{}", err(&run));
    fs::remove_dir_all(mini.path("transitions")).expect("removed");
    mini.write("segue.toml", "");
    let run = mini.run(&say).code(2).stdout_eq("");
    assert!(err(&run).contains("no pack is named, and there is none in the workspace"), "{}", err(&run));
}

#[test]
fn explain_an_event_on_a_state() {
    let mini = Mini::new();
    mini.write("state.yaml", "topic: { city: oslo, asked: 2 }\n");
    mini.run(&["explain", "--pack", "mini", "--state", "state.yaml", "--say", "Рига и Осло"]).code(0).stdout_eq(str![
        [r#"
pack Weather, of one city at a time, state state.yaml

utterance: Рига и Осло
  said     place = [riga, oslo] «Рига», ambiguous
  chosen   T10 (boundary): nothing else takes it
  reason   no_transition
  carried  topic
  answer   bounded (nothing)
  ruled out, strongest first:
  T1   weather_of_a_city              not triggered

"#]
    ]);
    let run =
        mini.run(&["explain", "--pack", "transitions/mini", "--event", "tap", "--input", r#"{"city":"x"}"#]).code(0);
    assert!(out(&run).contains("tap: { city: x }"), "{}", out(&run));
    let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    mini.write("deep.json", &deep);
    mini.write("deep.toml", format!("a = {deep}"));
    mini.write("wrong.yaml", "topic: { asked: many }\n");
    mini.write("saved.json", r#"{ "schema_version": 99, "pack": "mini" }"#);
    for (args, wanted) in [
        (&["--state", "deep.json"][..], "deep.json:1:"),
        (&["--state", "deep.toml"], "deep.toml:1:"),
        (&["--state", "wrong.yaml"], "wrong.yaml:1:17"),
        (&["--state", "saved.json"], "is 99; this program reads 1"),
        (&["--state", "none.json"], "none.json: no such file"),
        (&["--input", "{"], "--input: is no JSON"),
        (&["--input", "[]"], "a JSON object is due"),
        (&["--signals", r#"{"plce": "riga"}"#], "`plce`: is no signal of this pack"),
        (&["--event", "shout"], "`shout` is no event of this pack"),
        (&["--event", "tap"], "event `tap` has no text"),
        (&["--today", "tomorrow"], "`tomorrow` is no date"),
        (&["--today", "2020-01-01T10:00"], "`2020-01-01T10:00` is no date"),
        (&["--input", r#"{"text": "y"}"#], "--say and --input both give `text`"),
        (&["--input", r#"{"a": 1, "a": 2}"#], "--input:1:10: key `a` is given twice"),
    ] {
        let mut all = vec!["explain", "--pack", "mini", "--say", "x"];
        all.extend(args);
        let run = mini.run(&all).code(2).stdout_eq("");
        assert!(err(&run).contains(wanted), "{args:?}\n{}", err(&run));
        assert!(err(&run).len() < 4000, "{args:?}");
    }
}

/// An explanation fits one screen, whatever the turn.
#[test]
fn explanations_fit_a_screen() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mini = Mini::new();
    let mut seen = 0;
    for name in ["blocked-then-recover", "drilldown", "timeout-and-retry"] {
        let file = root.join(format!("scenarios/assistant/journeys/{name}.yaml")).display().to_string();
        for turn in 1..=6 {
            let run = mini.run(&["explain", &format!("{file}:1"), "--turn", &turn.to_string()]).code(0);
            let lines = out(&run).lines().count();
            assert!(lines <= 40, "{name}, turn {turn}: {lines} lines\n{}", out(&run));
            seen += 1;
        }
    }
    assert_eq!(seen, 18);
}

#[test]
fn help() {
    let mini = Mini::new();
    insta::assert_snapshot!("help", out(&mini.run(&["--help"]).code(0).stderr_eq("")));
    for verb in ["check", "replay", "explain", "chat", "stats"] {
        let run = mini.run(&[verb, "--help"]).code(0).stderr_eq("");
        insta::assert_snapshot!(format!("help_{verb}"), out(&run));
    }
}

/// Whoever reads may stop reading.
#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_fault() {
    use std::process::Stdio;
    let mini = Mini::new();
    let mut child = std::process::Command::new(cargo_bin!("segue"))
        .args(["replay", "--format", "json"])
        .current_dir(mini.path(""))
        .env("CI", "true")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// A report that does not arrive is no pass.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_fault() {
    let mini = Mini::new();
    for args in
        [&["replay"][..], &["replay", "--format", "json"], &["explain", "--pack", "mini", "--say", "x"], &["--help"]]
    {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
        let output = std::process::Command::new(cargo_bin!("segue"))
            .args(args)
            .current_dir(mini.path(""))
            .stdout(full)
            .output()
            .expect("ended");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text.starts_with("error: standard output cannot be written: "), "{args:?}\n{text}");
    }
}

/// What cannot be kept or read fails its scenario and the run; the others are reported all the same.
#[test]
fn snapshots_that_cannot_be_written_or_read() {
    let mini = Mini::new();
    fs::remove_file(mini.path(RIGA)).expect("removed");
    fs::create_dir(mini.path(RIGA)).expect("a folder");
    for args in [&["replay"][..], &["replay", "--accept"]] {
        let run = mini.at_home(args).code(2);
        assert!(out(&run).contains(&format!("{RIGA}: ")) && out(&run).contains("it is a folder") == (args.len() == 2));
        assert!(out(&run).ends_with("3 scenarios, 2 passed, 1 failed, 7 turns\n"), "{}", out(&run));
    }
    let document = document(&mini.run(&["replay", "--format", "json"]).code(2).stderr_eq(""));
    assert_eq!(document["results"][1]["status"], "failed");
    fs::remove_dir(mini.path(RIGA)).expect("removed");
    fs::create_dir_all(mini.path(&format!("{RIGA}.new"))).expect("a folder");
    let run = mini.at_home(&["replay"]).code(1);
    assert!(out(&run).contains(".snap.new: cannot be written: "), "{}", out(&run));
    fs::remove_dir(mini.path(&format!("{RIGA}.new"))).expect("removed");
    mini.at_home(&["replay", "--accept"]).code(0);
    mini.run(&["replay"]).code(0);
}

/// However many accept at once, each snapshot is whole, and nothing else is left behind.
#[test]
fn snapshots_are_written_by_many_at_once() {
    let mini = Mini::new();
    let many: String = (0..200).map(|n| format!("- {{ scenario: s{n}, turns: [{{ user: hm }}] }}\n")).collect();
    mini.write("scenarios/mini/many.yaml", format!("scenarios:\n{many}"));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| mini.at_home(&["replay", "--accept"]).code(0));
        }
    });
    mini.run(&["replay"]).code(0);
    let names = mini.files().into_iter().map(|(path, _)| path.display().to_string());
    assert_eq!(names.filter(|name| name.ends_with(".tmp")).count(), 0);
}

/// What a writer has left behind that was killed goes with the next one; what is in use, or of another name, stays.
#[test]
fn what_killed_writers_leave_is_swept_away() {
    let mini = Mini::new();
    for folder in ["scenarios/mini/snapshots", "transitions/mini"] {
        for name in ["1-0", "2-17", "of-mine"] {
            mini.write(&format!("{folder}/.segue-{name}.tmp"), "half a fi");
        }
    }
    let left = || {
        let names = mini.files().into_iter().map(|(path, _)| path.display().to_string().replace('\\', "/"));
        names
            .filter(|name| name.ends_with(".tmp"))
            .map(|name| name.replace(&*mini.path("").to_string_lossy(), ""))
            .collect::<Vec<_>>()
    };
    let used = fs::File::open(mini.path("scenarios/mini/snapshots/.segue-2-17.tmp")).expect("a file");
    used.lock().expect("a lock");
    mini.at_home(&["replay"]).code(0);
    mini.run(&["fmt", "--check"]);
    assert_eq!(left().len(), 6, "who writes nothing removes nothing");
    mini.at_home(&["replay", "--accept"]).code(0);
    mini.run(&["fmt", "transitions"]).code(0);
    let stay = [
        "scenarios/mini/snapshots/.segue-2-17.tmp",
        "scenarios/mini/snapshots/.segue-of-mine.tmp",
        "transitions/mini/.segue-of-mine.tmp",
    ];
    assert_eq!(left(), stay);
    drop(used);
    mini.at_home(&["replay", "--accept"]).code(0);
    assert_eq!(left(), stay[1..]);
}

/// A file whose name nearly says what it is is not left out in silence.
#[test]
fn endings_of_files() {
    let mini = Mini::new();
    fs::rename(mini.path("transitions/mini/T1.yaml"), mini.path("transitions/mini/T1.YAML")).expect("renamed");
    fs::rename(mini.path(WEATHER), mini.path("scenarios/mini/weather.YML")).expect("renamed");
    mini.run(&["replay"]).code(0).stdout_eq("3 scenarios, 3 passed, 0 failed, 7 turns\n");
    mini.write("transitions/mini/more.json", "{}");
    let run = mini.run(&["replay"]).code(2);
    let wanted = "error[unreadable-file]: a pack is not written in JSON\n--> transitions/mini/more.json:1:1\n";
    assert!(err(&run).starts_with(wanted), "{}", err(&run));
}

#[test]
fn odd_workspaces() {
    let mini = Mini::new();
    for (text, wanted) in [
        (
            "scenarios = []",
            "segue.toml:1:13: error[bad-value]: no folder is named\n  help: write one, such as `scenarios",
        ),
        ("packs = [\"..\"]", "the folder is outside the workspace\n  help: write a path below it"),
    ] {
        mini.write("segue.toml", text);
        let run = mini.run(&["replay"]).code(2).stdout_eq("");
        assert!(err(&run).contains(wanted), "{text}\n{}", err(&run));
    }
    fs::remove_file(mini.path("segue.toml")).expect("removed");
    fs::create_dir(mini.path("segue.toml")).expect("a folder");
    let run = mini.run(&["replay"]).code(2).stdout_eq("");
    assert_eq!(err(&run), "error: segue.toml: this is a folder, a file is due here; rename or move the folder\n");
    fs::remove_dir(mini.path("segue.toml")).expect("removed");
    mini.write("segue.toml", "");
    mini.write("scenarios/mini/dot.yaml", "scenario: x\npack: .\nturns: [{ user: x }]\n");
    let run = mini.run(&["replay"]).code(2).stdout_eq("");
    assert!(err(&run).contains("scenarios/mini/dot.yaml: no pack `.` in transitions/"), "{}", err(&run));
}

#[test]
fn a_replay_as_junit() {
    let mini = Mini::new();
    let junit = |run: &snapbox::cmd::OutputAssert| quick_junit::Report::deserialize_from_str(&out(run)).expect("JUnit");
    let green = junit(&mini.run(&["replay", "--format", "junit"]).code(0).stderr_eq(""));
    assert_eq!((green.tests, green.failures, green.errors), (3, 0, 0));
    let first = &green.test_suites[0].test_cases[1];
    assert_eq!(first.classname.as_ref().map(|name| name.as_str()), Some(WEATHER));
    assert_eq!(first.name.as_str(), "Рига: a city that is named is asked for");
    mini.edit(WEATHER, "transition: T1, answer_mode: exact", "transition: T10, answer_mode: bounded");
    mini.write("scenarios/mini/broken.yaml", "scenario: [");
    mini.write("scenarios/mini/snapshots/old__gone.snap", "");
    let run = mini.run(&["replay", "--format", "junit"]).code(2).stderr_eq("");
    let red = junit(&run);
    assert_eq!((red.tests, red.failures, red.errors), (5, 2, 1), "{}", out(&run));
    assert!(out(&run).contains("scenarios/mini/weather.yaml:8:31: turn 1: transition differs"), "{}", out(&run));
    let refused = mini.run(&["replay", "--recorded", "x.jsonl", "--format", "junit"]).code(2).stdout_eq("");
    assert!(err(&refused).contains("is for scenarios"), "{}", err(&refused));
}

#[test]
fn a_schema_is_printed_and_nothing_else() {
    let mini = Mini::new();
    for kind in ["pack", "state", "lexicon", "transition", "scenario", "config"] {
        let run = mini.run(&["schema", "--kind", kind]).code(0).stderr_eq("");
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("schemas/{kind}.schema.json"));
        assert_eq!(out(&run), fs::read_to_string(kept).expect("a schema"), "{kind}");
    }
    let wrong = mini.run(&["schema", "--kind", "scenaro"]).code(2).stdout_eq("");
    assert!(err(&wrong).contains("a similar value exists: 'scenario'"), "{}", err(&wrong));
}
