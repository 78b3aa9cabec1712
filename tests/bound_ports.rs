//! Who serves ports, as `segue.toml` says it: what `segue chat` would refuse is found by `segue check`.

#[path = "support/program.rs"]
mod program;

use program::{Mini, told};

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
