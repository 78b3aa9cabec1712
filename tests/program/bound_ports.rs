//! Who serves ports, as `segue.toml` says it: what `segue chat` would refuse is found by `segue check`.

use crate::program::{self, Mini, told};

/// What is found with this `segue.toml`: file, place, message and help.
fn found(mini: &Mini, settings: &str) -> Vec<String> {
    mini.write("segue.toml", settings);
    told(mini)
}

#[test]
fn ports_and_scripts_that_are_not_there() {
    let mini = Mini::new();
    mini.write("outcomes.json", r#"{"calls": []}"#);
    let ok = "[chat.mini.forecast]\nscript = \"outcomes.json\"\n";
    assert_eq!(found(&mini, ok), [""; 0]);
    let port = ok.replace("forecast", "forecats");
    let wanted = ["segue.toml:1:12 `forecats` is no port of this pack -> did you mean `forecast`?"];
    assert_eq!(found(&mini, &port), wanted);
    let pack = ok.replace("mini", "mimi");
    assert_eq!(found(&mini, &pack), ["segue.toml:1:7 there is no pack `mimi` -> did you mean `mini`?"]);
    let script = ok.replace("outcomes", "outcome");
    let wanted = ["segue.toml:2:10 there is no file `outcome.json` -> did you mean `outcomes.json`?"];
    assert_eq!(found(&mini, &script), wanted);
    let wanted = ["segue.toml:2:10 `transitions` is no file -> name a file of outcomes"];
    assert_eq!(found(&mini, &ok.replace("outcomes.json", "transitions")), wanted);
    // The chat refuses the same.
    for wrong in [&port, &script] {
        mini.write("segue.toml", wrong);
        mini.run(&["chat"]).code(2);
    }
}

/// A file of outcomes is read as the chat would read it.
#[test]
fn outcomes_that_cannot_be_read() {
    let mini = Mini::new();
    mini.write("outcomes.json", r#"{"calls": [{"port": "forecats", "status": "failed"}]}"#);
    let [found] = &found(&mini, "[chat.mini.forecast]\nscript = \"outcomes.json\"\n")[..] else {
        panic!("one finding")
    };
    assert!(found.starts_with("outcomes.json:1:21 ") && found.ends_with(" -> did you mean `forecast`?"), "{found}");
}

/// The prompts of a model are there, and speak of what the port is asked.
#[test]
fn prompts_that_are_not_there_or_cannot_be_read() {
    let mini = Mini::new();
    let settings = "[chat.mini.forecast]\nopenai = \"http://localhost/v1\"\nmodel = \"m\"\nprompt = \"weather\"\n";
    let wanted = "segue.toml:4:10 there is no file `transitions/mini/prompts/weather.txt` -> write the prompt into it";
    assert_eq!(found(&mini, settings), [wanted]);
    mini.write("transitions/mini/prompts/weather.txt", "The weather of {city}.\n");
    assert_eq!(found(&mini, settings), [""; 0]);
    let misspelt = settings.replace("\"weather\"", "\"wether\"");
    let wanted = "segue.toml:4:10 there is no file `transitions/mini/prompts/wether.txt` -> did you mean `weather`?";
    assert_eq!(found(&mini, &misspelt), [wanted]);
    mini.write("transitions/mini/prompts/weather.txt", "The weather of {town}.\n");
    let wanted = "transitions/mini/prompts/weather.txt:1:16 `town` is no argument of the port -> arguments are `city`; `{{town}}` is the text itself";
    assert_eq!(found(&mini, settings), [wanted]);
}

/// Two slips on one line are both told.
#[test]
fn several_slips_on_one_line() {
    let mini = Mini::new();
    let two = |settings: &str, wanted: &[&str]| {
        let found = found(&mini, settings);
        let places: Vec<&str> = found.iter().map(|found| found.split(" -> ").next().unwrap_or_default()).collect();
        assert_eq!(places, wanted, "{settings}");
    };
    two(
        "chat.mini.forecats = { command = [], timeout = 0 }\n",
        &[
            "segue.toml:1:11 `forecats` is no port of this pack",
            "segue.toml:1:34 no program is named",
            "segue.toml:1:48 0 is no timeout",
        ],
    );
    two(
        "chat.mini.forecast = { openai = \"x\", model = \"m\", prompt = \"p q\", retries = 100, timeout = 0 }\n",
        &[
            "segue.toml:1:33 `x` is no base URL",
            "segue.toml:1:60 `p q` is no name of a prompt",
            "segue.toml:1:77 100 is no number of retries",
            "segue.toml:1:92 0 is no timeout",
        ],
    );
    two(
        "check.level = { unused-ignor = \"of\" }\n",
        &["segue.toml:1:17 there is no code `unused-ignor`", "segue.toml:1:32 `of` is not allowed here"],
    );
}

/// What is kept of a session may serve ports, and what becomes of it is said by names of the pack.
#[test]
fn what_is_kept_of_a_session() {
    let mini = Mini::new();
    mini.edit(
        "transitions/mini/pack.toml",
        "[signal.place]",
        "[event.lost] # segue: ignore[unused-vocabulary] the boundary takes it\nfield = { why = { type = \"text\" } }\n\
         doc = \"Nothing could be written.\"\n[signal.place]",
    );
    let good = "[chat.mini]\nforecast.store = { evidence = \"topic.evidence\" }\naudit.store = \"context\"\n\
                [session.mini]\nbegin = { tap = { city = \"riga\" } }\nunwritten = \"lost\"\nkeep_content = true\n";
    assert_eq!(found(&mini, good), [""; 0]);
    let one = |from: &str, to: &str, wanted: &[&str]| {
        assert!(good.contains(from), "{from}");
        assert_eq!(found(&mini, &good.replace(from, to)), wanted, "{to}");
        // The chat refuses the same.
        mini.run(&["chat"]).code(2);
    };
    one(
        "{ evidence = \"topic.evidence\" }",
        "\"context\"",
        &[
            "segue.toml:2:18 an outcome is due from the port `forecast`, and a context gives none -> write `store = { FIELD = \"frame.field\" }` for what the answer is",
        ],
    );
    one(
        "audit.store = \"context\"",
        "audit.store = { city = \"topic.city\" }",
        &[
            "segue.toml:3:1 no outcome comes from the port `audit` -> remove the table: nobody serves it; `store = \"context\"` keeps what it is told",
        ],
    );
    one("\"context\"", "\"contxt\"", &["segue.toml:3:15 `contxt` is not allowed here -> did you mean `context`?"]);
    one(
        "{ evidence = ",
        "{ evidense = ",
        &["segue.toml:2:20 `evidense` is no field of the answer of this port -> did you mean `evidence`?"],
    );
    one(
        "{ evidence = ",
        "{ weather = ",
        &[
            "segue.toml:2:18 the answer of this port lacks its field `evidence` -> add `evidence = \"frame.field\"`",
            "segue.toml:2:20 `weather` is no field of the answer of this port -> its fields are `evidence`",
        ],
    );
    one(
        "topic.evidence",
        "topik.evidence",
        &["segue.toml:2:31 `topik` is no frame of this pack -> did you mean `topic`?"],
    );
    one(
        "topic.evidence",
        "topic.evidense",
        &["segue.toml:2:31 `evidense` is no field of the frame `topic` -> did you mean `evidence`?"],
    );
    one("topic.evidence", "topic", &["segue.toml:2:31 `topic` is no field of a frame -> write `\"frame.field\"`"]);
    one(
        "topic.evidence",
        "topic.asked",
        &[
            "segue.toml:2:31 `topic.asked` is a whole number, and `evidence` is one of good, poor -> name a field of the same type",
        ],
    );
    one("{ tap =", "{ tip =", &["segue.toml:5:11 unknown key `tip` in a turn -> did you mean `tap`?"]);
    one(
        "city = \"riga\"",
        "sity = \"riga\"",
        &["segue.toml:5:19 `sity` is no field of event `tap` -> did you mean `city`?"],
    );
    one(
        "begin = { tap = ",
        "begin = { signals = {}, tap = ",
        &[
            "segue.toml:5:11 `signals` stands beside an event, and here is only one -> write an event by its turn key alone",
        ],
    );
    one("\"lost\"", "\"lots\"", &["segue.toml:6:13 `lots` is no event of this pack -> did you mean `lost`?"]);
    one(
        "\"lost\"",
        "\"utterance\"",
        &[
            "segue.toml:6:13 the event `utterance` is what is said: why nothing could be written would be taken for that -> name an event that the host alone sends, with one field of type `text`, or with none",
        ],
    );
    one(
        "\"lost\"",
        "\"tap\"",
        &[
            "segue.toml:6:13 the event `tap` needs more than a text that says why -> name an event with one field of type `text`, or with none",
        ],
    );
    one(
        "keep_content",
        "keep_contents",
        &["segue.toml:7:1 unknown key `keep_contents` in the sessions of a pack -> did you mean `keep_content`?"],
    );
    // A pack that there is not is found by a check alone.
    let wanted = ["segue.toml:4:10 there is no pack `mimi` -> did you mean `mini`?"];
    assert_eq!(found(&mini, &good.replace("[session.mini]", "[session.mimi]")), wanted);
}

/// A new session does not begin with its own end.
#[test]
fn a_session_does_not_begin_with_its_end() {
    let mini = Mini::empty();
    let pack = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("transitions/refinement");
    program::copy(&pack, &mini.path("transitions/refinement"));
    // The pack alone, without its scenarios, has other findings.
    let begins = |with: &str| {
        let found = found(&mini, &format!("[session.refinement]\nbegin = {with}\nunwritten = \"sync_failed\"\n"));
        found.into_iter().filter(|found| found.starts_with("segue.toml:")).collect::<Vec<_>>()
    };
    assert_eq!(begins("{ open = { database = \"ecommerce\" } }"), [""; 0]);
    assert_eq!(begins("{ user = \"Show me all users\" }"), [""; 0]);
    for (with, key) in [("{ exit = {} }", "exit"), ("{ user = \"/exit\" }", "user")] {
        let wanted = format!(
            "segue.toml:2:9 `{key}` ends the session that begins with it -> name an event after which the session goes on, or leave `begin` out"
        );
        assert_eq!(begins(with), [wanted]);
        mini.run(&["chat"]).code(2).stdout_eq("");
    }
}
