//! `segue chat`, driven through a pipe.
#![expect(clippy::disallowed_methods, reason = "these tests make workspaces and start the program")]

use std::fs;

use serde_json::Value;
use snapbox::cmd::OutputAssert;
use snapbox::{assert_data_eq, str};

use crate::program::{Mini, err, out};

const SURE: [&str; 4] = ["chat", "--numbered-ids", "--today", "2021-05-10"];

fn chat(mini: &Mini, more: &[&str], lines: &str) -> OutputAssert {
    mini.command(&[&SURE, more].concat()).stdin(lines.to_owned()).assert()
}

fn turns(run: &OutputAssert) -> Vec<Value> {
    out(run).lines().map(|line| serde_json::from_str(line).expect("a JSON object a line")).collect()
}

#[test]
fn a_conversation_for_people() {
    let lines = "Погода, рига\n{\"evidence\": \"good\"}\nа погода?\nOslo\n2\n";
    let run = chat(&Mini::new(), &[], lines).code(0).stderr_eq("");
    assert_data_eq!(
        out(&run),
        str![[r#"
1. user: Погода, рига
   class    T1 (weather_of_a_city)
   call     call-1 audit { city: riga }
   call     call-2 forecast { city: riga } → ok { evidence: good }
   answer   exact (confirmed)
2. user: а погода?
   class    T10 (boundary)
   reason   no_transition
   carried  topic
   message  sorry { reason: no_transition }
            Sorry: no_transition.
   answer   bounded (nothing)
3. user: Oslo
   class    T1 (weather_of_a_city), settled by T10 (boundary)
   reason   no_forecast
   call     call-3 audit { city: oslo }
   call     call-4 forecast { city: oslo } → ok { evidence: poor }
   message  sorry { reason: no_forecast }
            Sorry: no_forecast.
   answer   bounded (nothing)

"#]]
    );
}

#[test]
fn one_line_a_turn() {
    let lines = "Riga\n!timeout\n/tap oslo\n";
    let run = chat(&Mini::new(), &["--format", "json"], lines).code(0).stderr_eq("");
    assert_data_eq!(
        out(&run),
        str![[r#"
{"turn":1,"sessionId":"s-1","transition":"T10","answer_mode":"bounded","reasons":["no_forecast"],"carried":[],"dropped":[],"calls":[{"id":"call-1","port":"audit","with":{"city":"riga"},"status":null},{"id":"call-2","port":"forecast","with":{"city":"riga"},"status":"timeout"}],"messages":[{"message":"sorry","with":{"reason":"no_forecast"}}]}
{"turn":2,"sessionId":"s-1","transition":"T10","answer_mode":"bounded","reasons":["no_transition"],"carried":["topic"],"dropped":[],"calls":[],"messages":[{"message":"sorry","with":{"reason":"no_transition"}}]}

"#]]
    );
}

/// Ids of a conversation cannot be guessed: 128 bits each, other ones each time. All else is the same.
#[test]
fn ids_cannot_be_guessed() {
    let mini = Mini::new();
    let run = || {
        let run = mini.command(&["chat", "--format", "json"]).stdin("Riga\ngood\n").assert().code(0).stderr_eq("");
        turns(&run).remove(0)
    };
    let (mut first, mut second) = (run(), run());
    let mut seen = Vec::new();
    for turn in [&mut first, &mut second] {
        let session = turn["sessionId"].take().as_str().expect("an id").to_owned();
        assert!(session.len() == 36 && !seen.contains(&session), "{session}");
        seen.push(session);
        for call in turn["calls"].as_array_mut().expect("calls") {
            let id = call["id"].take();
            let digits = id.as_str().and_then(|id| id.strip_prefix("call-")).expect("an id").to_owned();
            assert!(digits.len() == 32 && digits.chars().all(|c| c.is_ascii_hexdigit()), "{digits}");
            assert!(!seen.contains(&digits));
            seen.push(digits);
        }
    }
    assert_eq!(seen.len(), 6);
    assert_eq!(first, second);
}

#[test]
fn calls_may_stay_open() {
    let lines =
        "Riga\n!open\n/state\n/outcome {\"port\": \"forecast\", \"returns\": {\"evidence\": \"good\"}}\n/state topic\n";
    let run = chat(&Mini::new(), &[], lines).code(0).stderr_eq("");
    assert_data_eq!(
        out(&run),
        str![[r#"
1. user: Riga
   class    T1 (weather_of_a_city)
   call     call-1 audit { city: riga }
   call     call-2 forecast { city: riga }
   open     call-2
topic  { city: riga, asked: 1 }
open calls: call-2 forecast
2. outcome: forecast ok { evidence: good }
   class    T1 (weather_of_a_city)
   answer   exact (confirmed)
city  riga
evidence  good
asked  1

"#]]
    );
}

#[test]
fn turns_are_taken_back_and_explained() {
    let lines = "Riga\ngood\nOslo\ngood\n/undo\n/state topic\n/why\n/undo\n/undo\n/why\n";
    let run = chat(&Mini::new(), &["--format", "json"], lines).code(1);
    assert_eq!(turns(&run).len(), 2, "commands print nothing on standard output");
    assert_data_eq!(
        err(&run),
        str![[r#"
turn 2 is taken back
city  riga
evidence  good
asked  1
turn 1

user: Riga
  said     place = riga «Riga»
  chosen   T1 (weather_of_a_city): signal place
  calls    call-1 audit { city: riga }, call-2 forecast { city: riga }

call-2 forecast → ok { evidence: good }
  chosen   T1 (weather_of_a_city): settle on ask
  answer   exact (confirmed)
  ruled out, strongest first:
  T10  boundary                       entry: outcome.status was ok, needs anything but ok; or outcome.evidence was good, needs poor (T10.toml:16)
turn 1 is taken back
error: line 9: there is no turn to take back
error: line 10: nothing has been said yet

"#]]
    );
}

#[test]
fn signals_of_the_host_and_texts_that_begin_with_a_slash() {
    let lines = "/signals {\"place\": \"oslo\"}\nhow is it there?\ngood\n//why not\n/user /why not\n";
    let run = chat(&Mini::new(), &["--format", "json"], lines).code(0).stderr_eq("");
    let classes: Vec<String> = turns(&run).iter().map(|turn| turn["transition"].to_string()).collect();
    assert_eq!(classes, [r#""T1""#, r#""T10""#, r#""T10""#]);
}

/// A line is what the user says, also where other events have a text.
#[test]
fn of_several_events_with_a_text_a_line_is_the_one_of_the_user() {
    let mini = Mini::new();
    let whisper =
        "[event.whisper]\ntext = \"low\"\nfield = { low = { type = \"text\" } }\ndoc = \"Said in a low voice.\"\n";
    mini.write("transitions/mini/whisper.toml", whisper);
    let run = chat(&mini, &["--format", "json"], "Riga\ngood\n/whisper Riga\n").code(0).stderr_eq("");
    let classes: Vec<String> = turns(&run).iter().map(|turn| turn["transition"].to_string()).collect();
    assert_eq!(classes, [r#""T1""#, r#""T10""#]);
    mini.run(&["explain", "--pack", "mini", "--say", "Riga"]).code(0);
    mini.edit("transitions/mini/pack.toml", "turn = \"user\"", "turn = \"said\"");
    let run = chat(&mini, &["--format", "json"], "Riga\n").code(1).stdout_eq("");
    assert_eq!(
        err(&run),
        "error: line 1: several events have a text, and none is written as `user`: write `/EVENT text` with one of `said`, `whisper`\n"
    );
}

#[test]
fn lines_that_are_not_understood() {
    for (lines, wanted) in [
        (
            "/stat\n",
            "error: line 1: `/stat` is no command and no event; did you mean `/state`? (`//stat` says `/stat`)\n",
        ),
        (
            "/tapp {}\n",
            "error: line 1: `/tapp` is no command and no event; did you mean `/tap`? (`//tapp` says `/tapp`)\n",
        ),
        ("/tap {\"cty\": \"riga\"}\n", "error: line 1: `cty` is no field of event `tap`; did you mean `city`?\n"),
        (
            "/tap {riga}\n",
            "error: line 1: `/tap`: a JSON object is due, and this is no JSON: key must be a string at line 1 column 2\n",
        ),
        (
            "/tap {\"city\": \"riga\", \"city\": \"oslo\"}\n",
            "error: line 1: key `city` is given twice; keep one of the two\n",
        ),
        ("/event tpa {}\n", "error: line 1: `tpa` is no event of this pack; did you mean `tap`?\n"),
        (
            "/signals {\"plac\": \"riga\"}\n",
            "error: line 1: `/signals`: `plac` is no signal of this pack that a host may give; did you mean `place`?\n",
        ),
        (
            "/signals {\"place\": [\"riga\"]}\n",
            "error: line 1: `/signals`: expected an id (a text), found `[\"riga\"]`; write an id (a text)\n",
        ),
        ("/state topics\n", "error: line 1: `topics` is no frame of this pack; did you mean `topic`?\n"),
        ("/undo now\n", "error: line 1: nothing follows `/undo`, and `now` does: it is not done\n"),
        ("/save a.json\n", "error: line 1: a.json: a scenario is saved as YAML: name it *.yaml\n"),
        ("/save a.yaml\n", "error: line 1: scenarios/mini/a.yaml: not written: nothing has been said yet\n"),
    ] {
        let mini = Mini::new();
        let before = mini.files();
        let run = chat(&mini, &["--format", "json"], lines).code(1).stdout_eq("");
        assert_eq!(err(&run), wanted);
        assert_eq!(mini.files(), before);
    }
}

/// A line that is no outcome is asked for again, and the end of the input leaves the call open.
#[test]
fn outcomes_that_are_none() {
    let lines = "Riga\nfair\n{\"evidence\": \"fair\"}\n{\"evidnce\": \"good\"}\n3\n\n!late\n!ok\n1\nOslo\n";
    let run = chat(&Mini::new(), &["--format", "json"], lines).code(1);
    assert_data_eq!(
        err(&run),
        str![[r#"
error: line 2: forecast: `evidence`: expected one of good, poor, found `"fair"`
error: line 3: forecast: this is no answer of the port: `evidence`: expected one of good, poor, found `"fair"`
error: line 4: forecast: this is no answer of the port: `evidence`: is missing
error: line 5: forecast: `evidence`: expected one of good, poor, found `"3"`
error: line 6: forecast: `evidence` is mandatory: one of good, poor is due
error: line 7: forecast: `!late` ends no call; write one of `!failed WHY`, `!timeout`, `!cancelled`, `!open`
error: line 8: forecast: `!ok` ends no call; write one of `!failed WHY`, `!timeout`, `!cancelled`, `!open`
error: line 11: the input ends where the outcome of `forecast` is due: the call stays open

"#]]
    );
    let modes: Vec<Value> = turns(&run).iter().map(|turn| turn["answer_mode"].clone()).collect();
    assert_eq!(modes, [Value::from("exact"), Value::Null]);
}

/// What is wide has a line of its own, and what is said of it stands where all else does.
#[test]
fn help() {
    let mini = Mini::new();
    let order = "[event.order]\nfield = { first_city = { type = \"id\" }, second_city = { type = \"id\", optional = true } }\n\
                 doc = \"\"\"\nTwo cities,\nin this order.\n\"\"\"\n";
    mini.write("transitions/mini/order.toml", order);
    let run = chat(&mini, &[], "/help\n").code(0).stderr_eq("");
    assert_data_eq!(
        out(&run),
        str![[r#"
a line is what the user says; `//x` says `/x`
  /state [FRAME]     what the session remembers
  /why [-v]          why the last turn went where it went; -v shows every test
  /undo              take the last turn back, calls and all
  /save FILE [NAME]  write the conversation as a scenario (*.yaml) with its snapshot
  /signals {…}       signals that the host gives with the next turn
  /event NAME {…}    an event by its name, with its payload
  /help              this list
  /quit              the end; a session that is kept can be taken up again
  /outcome {…}       the outcome of a call that was left open: { "call": …, "returns": {…} }
  /order {"first_city": …, ["second_city": …]}
                     Two cities,
                     in this order.
  /tap TEXT          The user tapped a city.
  /user TEXT         The user wrote something.
where the outcome of a call is due, `/help` says what can be typed there

"#]]
    );
}

#[test]
fn help_where_an_outcome_is_due() {
    let mini = Mini::new();
    let pack = "transitions/mini/pack.toml";
    let fields = "response = { evidence = { enum = \"evidence\", doc = \"How good.\" }, days = { list = { record = \"Day\" }, max = 9, optional = true } }\n";
    mini.edit(pack, "response = { evidence = { enum = \"evidence\" } }\n", fields);
    let day = "[type.Day]\nfield = { date = { type = \"text\", wire = \"on\" }, rain = { type = \"bool\", optional = true } }\n";
    mini.write("transitions/mini/day.toml", day);
    // A field of the same name is for something else in the answer of another port.
    let other = "[port.almanac]\nrequest = {}\nresponse = { evidence = { enum = \"evidence\", doc = \"Of old.\" } }\ndoc = \"\"\n";
    mini.write("transitions/mini/almanac.toml", other);
    let run = chat(&mini, &[], "Riga\n/help\ngood\n\n").code(0).stderr_eq("");
    assert_data_eq!(
        out(&run).split_once("1. user").expect("a turn").0,
        str![[r#"
the outcome of `forecast` is due
Asks the weather service.
a line for each field, one after the other:
  evidence  one of good, poor
            How good.
  days      [{"on": a text, ["rain": true or false]}, …]; an empty line leaves it out
or, at once (what stands in [ ] may be left out):
  {"evidence": …, ["days": …]}
    the whole answer, as JSON
  !failed WHY, !timeout, !cancelled, !open
    no answer; with `!open` the call stays open
`//x` is the value `/x`; commands are these, and then the outcome is asked for again:
  /state [FRAME]     what the session remembers
  /why [-v]          why the last turn went where it went; -v shows every test
  /save FILE [NAME]  write the conversation as a scenario (*.yaml) with its snapshot
  /signals {…}       signals that the host gives with the next turn
  /help              this list
  /undo              take this turn back, calls and all
  /quit              the end; the call stays open

"#]]
    );
}

/// Commands work where an outcome is due, and it is asked for again; what begins a turn does not.
#[test]
fn commands_where_an_outcome_is_due() {
    let lines = "Riga\n/state topic\n/why\n/tap oslo\n/outcome {}\n/udno\n/undo\n/state topic\nOslo\n!open\nRiga\n/quit\nOslo\n";
    let run = chat(&Mini::new(), &["--format", "json"], lines).code(1);
    let told: Vec<Value> = turns(&run).iter().map(|turn| turn["calls"][1].clone()).collect();
    assert_eq!(told.len(), 2, "the first turn was taken back, and nothing was heard after `/quit`");
    assert_eq!((&told[0]["id"], &told[0]["with"]["city"]), (&"call-2".into(), &"oslo".into()));
    assert_eq!((&told[1]["id"], &told[1]["status"]), (&"call-4".into(), &Value::Null));
    assert_data_eq!(
        err(&run),
        str![[r#"
city  riga
asked  1
turn 1

user: Riga
  said     place = riga «Riga»
  chosen   T1 (weather_of_a_city): signal place
  calls    call-1 audit { city: riga }, call-2 forecast { city: riga }
error: line 4: `/tap` begins a turn, and the outcome of `forecast` is due; `!open` leaves the call open (`//tap` is the value `/tap`)
error: line 5: `/outcome` begins a turn, and the outcome of `forecast` is due; `!open` leaves the call open (`//outcome` is the value `/outcome`)
error: line 6: `/udno` is no command here; did you mean `/undo`? (`//udno` is the value `/udno`)
turn 1 is taken back
asked  0
the call to `forecast` stays open

"#]]
    );
}

/// A value may begin with `/`, between fields as well as first; a command between fields loses nothing of those before.
#[test]
fn an_outcome_may_begin_with_a_slash() {
    let mini = Mini::new();
    let fields = "response = { evidence = { enum = \"evidence\" }, link = { type = \"text\" } }\n";
    mini.edit("transitions/mini/pack.toml", "response = { evidence = { enum = \"evidence\" } }\n", fields);
    let run = chat(&mini, &[], "Riga\n1\n/state topic\n//help\n").code(0).stderr_eq("");
    assert!(out(&run).contains("→ ok { evidence: good, link: /help }\n"), "{}", out(&run));
}

/// An object is the whole answer, or else the first field where that one takes an object.
#[test]
fn the_first_field_may_be_an_object() {
    let mini = Mini::new();
    let fields = "response = { days = { map = { key = { type = \"id\" }, value = { type = \"text\" } }, max = 9 }, evidence = { enum = \"evidence\" } }\n";
    mini.edit("transitions/mini/pack.toml", "response = { evidence = { enum = \"evidence\" } }\n", fields);
    let lines = "Riga\n{\"monday\": \"dry\"}\ngood\nOslo\n{\"days\": {}, \"evidence\": \"good\"}\nRiga\n{\"evidence\": 1}\n{\"monday\": 1}\n{}\ngood\n";
    let run = chat(&mini, &[], lines).code(1);
    for ended in ["{ days: { monday: dry }, evidence: good }", "{ days: {}, evidence: good }"] {
        assert!(out(&run).contains(&format!("→ ok {ended}\n")), "{}", out(&run));
    }
    let wanted = "error: line 7: forecast: this is no answer of the port: `days`: is missing\n\
                  error: line 8: forecast: `days.monday`: expected a text, found `1`\n";
    assert_eq!(err(&run), wanted);
}

/// What is written as an outcome is never taken as what the user says, and can be said all the same.
#[test]
fn an_outcome_that_nobody_asks_for_is_not_said() {
    let lines = "{\"evidence\": \"good\"}\n!timeout\n!failed it is late\nRiga\n!open\n{}\n/user {\"text\": \"{}\"}\n!open it\n{ hm\n";
    let run = chat(&Mini::new(), &["--format", "json"], lines).code(1);
    let refused = "this is written as the outcome of a call, and none is due: it is not taken";
    let says = "`/user {\"text\": …}` says it all the same";
    let wanted: String = [(1, ""), (2, ""), (3, ""), (6, "; `/outcome {…}` ends call-2 forecast")]
        .map(|(line, ends)| format!("error: line {line}: {refused}{ends}; {says}\n"))
        .concat();
    assert_eq!(err(&run), wanted);
    assert_eq!(turns(&run).len(), 4);
}

/// A line that is too long is passed over, be it said or an outcome, and the next one is heard.
#[test]
fn lines_that_are_too_long() {
    let long = "x".repeat(5 << 20);
    let lines = format!("Riga\n{long}\ngood\n{long}{long}\r\nOslo\npoor\n{long}");
    let run = chat(&Mini::new(), &["--format", "json"], &lines).code(1);
    let modes: Vec<Value> = turns(&run).iter().map(|turn| turn["answer_mode"].clone()).collect();
    assert_eq!(modes, ["exact", "bounded"]);
    let wanted: String = [2, 4, 7]
        .map(|line| {
            format!("error: line {line}: the line is longer than the limit of 1048576 bytes, and is not taken\n")
        })
        .concat();
    assert_eq!(err(&run), wanted);
    // As long as a line may be.
    let most = "\u{1}".repeat(1 << 20);
    let run = chat(&Mini::new(), &["--format", "json"], &format!("{most}\r\n{most}\n{most}")).code(1);
    let wanted: String = [1, 2, 3]
        .map(|line| format!("error: line {line}: no step: the text has 1048576 bytes, at most 65536 are read\n"))
        .concat();
    assert_eq!(err(&run), wanted);
}

#[test]
fn a_conversation_is_saved_and_replays() {
    let mini = Mini::new();
    mini.write("schemas/scenario.schema.json", "{}");
    let told = "Погода: Рига\ngood\n/signals {\"place\": \"oslo\"}\nу них: «всё» # да?\n!failed the service is down\nа погода?\n\
                Riga\n!open\n/outcome {\"port\": \"forecast\", \"status\": \"timeout\"}\n/undo\nOslo\n!open\n";
    let saved = "scenarios/mini/talk.yaml";
    let lines = format!("{told}/save {saved} a talk, saved: as it went\n/save {saved}\n");
    // With ids that nobody can guess, and the clock of the system.
    let run = mini.command(&["chat"]).stdin(lines).assert().code(1);
    let kept = "scenarios/mini/snapshots/talk__a_talk_saved_as_it_went.snap";
    assert!(out(&run).ends_with(&format!("wrote scenarios/mini/talk.yaml\nwrote {kept}\n")), "{}", out(&run));
    assert_eq!(err(&run), "error: line 14: scenarios/mini/talk.yaml: is there already, and nothing is overwritten\n");
    let text = fs::read_to_string(mini.path(saved)).expect("a file");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("env: ")).collect();
    assert_data_eq!(
        lines.join("\n"),
        str![[r#"
# yaml-language-server: $schema=../../schemas/scenario.schema.json
scenario: "a talk, saved: as it went"
covers: [T1, T10]
turns:
  - user: "Погода: Рига"
    calls:
      - { port: forecast, with: { city: riga }, returns: { evidence: good } }
    expect: { transition: T1, answer_mode: exact }
  - user: "у них: «всё» # да?"
    signals: { place: oslo }
    calls:
      - { port: forecast, with: { city: oslo }, status: failed, error: "the service is down" }
    expect: { selected: T1, settled: T10, reason: no_forecast, answer_mode: bounded }
  - user: а погода?
    expect: { transition: T10, reason: no_transition, answer_mode: bounded }
  - user: Riga
    calls:
      - { port: forecast, with: { city: riga }, open: true }
    expect: { transition: T1, answer_mode: { present: false } }
  - user: Oslo
    calls:
      - { port: forecast, with: { city: oslo }, open: true }
    expect: { transition: T1, answer_mode: { present: false } }
"#]]
    );
    mini.run(&["check", "--deny", "warnings", saved]).code(0);
    mini.run(&["fmt", "--check", saved]).code(0);
    // The snapshot is there, and it is the one that a replay keeps.
    mini.run(&["replay", saved]).code(0);
    mini.run(&["replay"]).code(0);
    let before = mini.files();
    fs::remove_file(mini.path(kept)).expect("removed");
    mini.at_home(&["replay", "--accept", saved]).code(0);
    assert_eq!(mini.files(), before);
}

/// A name alone lies with the scenarios of the pack, wherever the chat was started.
#[test]
fn a_conversation_is_saved_with_the_scenarios_of_its_pack() {
    let mini = Mini::new();
    let command = mini.command(&SURE).current_dir(mini.path("transitions"));
    let run = command.stdin("Riga\n/save talk.yaml\ngood\n").assert().code(0).stderr_eq("");
    let told = "wrote scenarios/mini/talk.yaml\nwrote scenarios/mini/snapshots/talk__talk.snap\n\
                the call to `forecast`, whose outcome is due, is written as one that stays open\n";
    assert!(out(&run).starts_with(told), "{}", out(&run));
    mini.run(&["replay", "scenarios/mini/talk.yaml"]).code(0);
}

/// Nothing is overwritten, neither the scenario nor its snapshot, nothing lies outside the workspace or where no scenario is looked
/// for, and folders that are made are told.
#[test]
fn where_nothing_is_saved() {
    let mini = Mini::new();
    mini.write("scenarios/mini/snapshots/kept__kept.snap", "somebody's");
    mini.write("scenarios/mini/file", "somebody's");
    let above = mini.path("").canonicalize().expect("a folder").parent().expect("a folder").join("x.yaml");
    let outside = "lies outside the workspace, and nothing is written there; a name without a folder lies with the scenarios of the pack";
    for (typed, wanted) in [
        ("weather.yaml", "scenarios/mini/weather.yaml: is there already, and nothing is overwritten"),
        ("kept.yaml", "scenarios/mini/snapshots/kept__kept.snap: is there already, and nothing is overwritten"),
        ("scenarios/mini/file/a/b.yaml", "scenarios/mini/file/a/b.yaml: cannot be written: not a directory"),
        ("../x.yaml", &format!("{}: {outside}", above.display())),
        (
            "scenarios/snapshots/x.yaml",
            "scenarios/snapshots/x.yaml: no scenario is looked for there: `snapshots` holds snapshots",
        ),
        ("x.yaml/y.yaml", "x.yaml/y.yaml: no scenario is looked for there: `x.yaml` is named like a file"),
        (".x.yaml", "scenarios/mini/.x.yaml: no scenario is looked for there: `.x.yaml` begins with a dot"),
    ] {
        let before = mini.files();
        let run = chat(&mini, &["--format", "json"], &format!("Riga\ngood\n/save {typed}\n")).code(1);
        assert_eq!(err(&run), format!("error: line 3: {wanted}\n"));
        assert_eq!(mini.files(), before);
        assert!(!above.exists());
    }
    let run = chat(&mini, &[], "Riga\ngood\n/save talks/new/x.yaml\n").code(0);
    let told = "made talks/new/snapshots/\nwrote talks/new/x.yaml\nwrote talks/new/snapshots/x__x.snap\n";
    assert!(out(&run).ends_with(told), "{}", out(&run));
    mini.run(&["replay", "talks/new/x.yaml"]).code(0);
}

/// Beside the scenarios of its pack a scenario says whose it is.
#[test]
fn a_conversation_is_saved_elsewhere() {
    let mini = Mini::new();
    let given = "topic: { city: oslo, evidence: good, asked: 3 }\n";
    mini.write("state.yaml", given);
    let more = ["--given", "state.yaml", "--pack", "transitions/mini"];
    let run = chat(&mini, &more, "Riga\n!timeout\n/save ./scenarios/nowhere/../../talk.yaml\n").code(0).stderr_eq("");
    assert!(out(&run).ends_with("made snapshots/\nwrote talk.yaml\nwrote snapshots/talk__talk.snap\n"));
    assert_data_eq!(
        fs::read_to_string(mini.path("talk.yaml")).expect("a file"),
        str![[r#"
scenario: talk
pack: mini
covers: [T1, T10]
env: { today: "2021-05-10" }
given:
  topic: { city: oslo, evidence: good, asked: 3 }
turns:
  - user: Riga
    calls:
      - { port: forecast, with: { city: riga }, status: timeout }
    expect: { selected: T1, settled: T10, reason: no_forecast, answer_mode: bounded }

"#]]
    );
    mini.run(&["replay", "talk.yaml"]).code(0);
}

#[test]
fn what_cannot_be_run() {
    let mini = Mini::new();
    for (args, wanted) in [
        (&["chat", "--pack", "mni"][..], "error: no pack `mni` in transitions/: there are `mini`\n"),
        (&["chat", "--today", "May"], "error: --today: `May` is no date; write 2021-05-10\n"),
        (&["chat", "--given", "none.yaml"], "error: none.yaml: no such file\n"),
    ] {
        let run = mini.command(args).stdin("Riga\n").assert().code(2).stdout_eq("");
        assert_eq!(err(&run), wanted);
    }
}

/// The small pack, whose forecast is asked again, and must be about the city that was asked for.
fn asked_again() -> Mini {
    let mini = Mini::new();
    let rules = "request = { city = { type = \"id\" } }\nresponse = { evidence = { enum = \"evidence\" }, city = { type = \"id\", optional = true } }\n\
                 retry = { max = 1, on = [\"timeout\", \"contract\"] }\n";
    let check = "doc = \"Asks the weather service.\"\n[[port.forecast.check]]\nid = \"of_the_city\"\n\
                 when = { response.city = { present = true } }\nrequire = { response.city = \"$request.city\" }\n";
    let pack = "transitions/mini/pack.toml";
    mini.edit(
        pack,
        "request = { city = { type = \"id\" } }\nresponse = { evidence = { enum = \"evidence\" } }\n",
        rules,
    );
    mini.edit(pack, "doc = \"Asks the weather service.\"\n", check);
    mini
}

#[test]
fn a_call_that_is_made_again_is_asked_about_again() {
    let mini = asked_again();
    let lines = "Riga\n{\"evidence\": \"good\", \"city\": \"oslo\"}\n{\"evidence\": \"good\"}\n/why\n\
                 Oslo\n!timeout\n{\"evidence\": \"good\", \"city\": \"riga\"}\n/save scenarios/mini/again.yaml\n";
    let run = chat(&mini, &["--format", "human"], lines).code(0).stderr_eq("");
    let told = out(&run);
    for line in [
        "   call     call-2 forecast { city: riga } → ok { evidence: good, city: oslo }; breach of_the_city\n",
        "   call     call-3 forecast { city: riga } (retry 1 of 1) → ok { evidence: good }\n",
        "  breach   of_the_city\n  again    retry 1 of 1\n",
        "   class    T1 (weather_of_a_city), settled by T10 (boundary)\n   reason   no_forecast\n",
        "   call     call-5 forecast { city: oslo } → timeout\n",
        "   call     call-6 forecast { city: oslo } (retry 1 of 1) → ok { evidence: good, city: riga }; breach of_the_city\n",
    ] {
        assert!(told.contains(line), "{line}{told}");
    }
    mini.run(&["replay", "scenarios/mini/again.yaml"]).code(0);
    let snapshots = mini.files().into_iter().filter(|(path, _)| path.to_string_lossy().contains("again"));
    let kept: String = snapshots.map(|(_, text)| String::from_utf8(text).expect("UTF-8")).collect();
    let step = "call-2 forecast → ok { evidence: good, city: oslo }\n   breach: of_the_city\n   retry 1 of 1\n   call: call-3 forecast { city: riga }\n";
    assert!(kept.contains(step), "{kept}");
    let run =
        chat(&mini, &["--format", "json"], "Oslo\n!timeout\n{\"evidence\": \"good\", \"city\": \"riga\"}\n").code(0);
    let calls = turns(&run)[0]["calls"].clone();
    assert_eq!((&calls[1]["retry"], &calls[1]["status"]), (&Value::Null, &"timeout".into()));
    assert_eq!((&calls[2]["retry"], &calls[2]["breach"]), (&1.into(), &"of_the_city".into()));
    assert_eq!(calls[1].get("breach"), None);
}

/// A text that is longer than what is read is told, and not shown whole.
#[test]
fn a_long_text_is_cut_where_it_is_shown() {
    let text = "x".repeat(100_000);
    let run = chat(&Mini::new(), &[], &format!("{text}\nand?\n")).code(1);
    assert_eq!(err(&run), "error: line 1: no step: the text has 100000 bytes, at most 65536 are read\n");
    let first = out(&run).lines().next().map(str::to_owned).expect("a line");
    assert!(first.starts_with("1. user: xxx") && first.ends_with("x…"), "{first}");
    assert!(out(&run).contains("\n2. user: and?\n") && out(&run).len() < 1000, "{}", out(&run));
    // So it is with whatever is typed and not understood.
    for line in [
        "/LONG",
        "/tap {\"city\": \"LONG\"}",
        "/tap {\"LONG\": 1}",
        "/event LONG {}",
        "/signals {\"LONG\": 1}",
        "/save LONG.yaml",
        "/save LONG",
        "/state LONG",
        "/chat LONG",
        "/undo LONG",
        "/outcome {\"call\": \"LONG\", \"returns\": {}}",
    ] {
        let run = chat(&Mini::new(), &[], &format!("{}\n", line.replace("LONG", &text)));
        let told = out(&run) + &err(&run);
        assert!(told.lines().all(|line| line.chars().count() < 500), "{line}: {} bytes", told.len());
    }
    for line in ["LONG", "/LONG", "!LONG", "{\"evidence\": \"LONG\"}", "{\"LONG\": 1}"] {
        let lines = format!("Riga\n{}\n!open\n", line.replace("LONG", &text));
        let told = err(&chat(&Mini::new(), &[], &lines).code(1));
        assert!(told.starts_with("error: line 2: ") && told.lines().all(|line| line.chars().count() < 500), "{line}");
    }
}
