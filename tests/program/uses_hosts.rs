//! Packs that use packs where hosts meet them: check, scenarios, explanations, chat, recorded dialogues.
#![expect(clippy::disallowed_methods, reason = "these tests make workspaces and start the program")]

use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

use crate::program::{Mini, err, out};

fn workspace() -> Mini {
    Mini::of("uses")
}

#[test]
fn the_packs_and_their_scenarios_are_clean() {
    let uses = workspace();
    assert_data_eq!(
        out(&uses.run(&["check", "--deny", "warnings"]).code(0)),
        str![[r#"
3 packs, 3 scenario files: 0 errors, 0 warnings

"#]]
    );
    let run = uses.run(&["replay"]).code(0);
    assert!(out(&run).ends_with("10 scenarios, 10 passed, 0 failed, 15 turns\n"), "{}", out(&run));
}

#[test]
fn a_pack_that_is_not_there_is_found_beside_those_that_are() {
    let uses = workspace();
    uses.edit("transitions/desk/pack.toml", "pack = \"gatekeeper\"", "pack = \"gatekeper\"");
    let run = uses.run(&["check", "--format", "short", "transitions/desk"]).code(1);
    assert_data_eq!(
        out(&run),
        str![[r#"
transitions/desk/pack.toml:9:8: error[unknown-name]: there is no pack `gatekeper` beside this one

"#]]
    );
    let run = uses.run(&["check", "transitions/desk"]).code(1);
    assert!(out(&run).contains("= help: did you mean `gatekeeper`?"), "{}", out(&run));
}

#[test]
fn an_error_in_a_used_pack_is_told_once() {
    let uses = workspace();
    uses.edit("transitions/vault/pack.toml", "max = 4", "max = \"four\"");
    let run = uses.run(&["check", "--format", "short"]).code(1);
    let errors: Vec<String> = out(&run).lines().filter(|line| line.contains("error[")).map(str::to_owned).collect();
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert!(errors[0].starts_with("transitions/vault/pack.toml:13:"), "{errors:#?}");
    let run = uses.run(&["replay", "--pack", "desk", "scenarios/desk"]).code(2);
    assert!(err(&run).contains("transitions/vault/pack.toml:13:"), "{}", err(&run));
}

#[test]
fn scenarios_speak_of_used_packs_by_their_names() {
    let uses = workspace();
    let scenario = |turn: &str| format!("scenario: x\npack: desk\ncovers: ASK\nturns:\n  - {turn}\n");
    let found = |turn: &str| {
        uses.write("scenarios/desk/x.yaml", scenario(turn));
        let run = uses.run(&["check", "--format", "short", "scenarios/desk/x.yaml"]).code(1);
        out(&run)
    };
    let calls = |call: &str| format!("{{ user: why, expect: {{ transition: ASK }}, calls: [{call}] }}");
    assert!(found(&calls("{ port: gate/classfy, open: true }")).contains("`gate/classfy` is no port of this pack"));
    let served = found(&calls("{ port: screen, returns: { verdict: passed } }"));
    assert!(served.contains("the port `screen` is served by `gate`, so the host is never asked"), "{served}");
    let state = "{ user: why, expect: { state: { gate/taly: { seen: 1 } } } }";
    assert!(found(state).contains("`gate/taly` is no frame"), "{}", found(state));
    let message = "{ user: why, expect: { messages: [gate/shwn] } }";
    assert!(found(message).contains("`gate/shwn` is no message"), "{}", found(message));
    let steps = "{ user: why, expect: { steps: [ASK, gate/NWE] } }";
    assert!(found(steps).contains("`gate/NWE` is no class"), "{}", found(steps));
    let wrong = "{ user: why, calls: [{ port: gate/classify, open: true }], expect: { steps: [ASK, gate/NEW], state: { gate/tally: { seen: 2 } } } }";
    uses.write("scenarios/desk/x.yaml", scenario(wrong));
    let run = uses.run(&["replay", "scenarios/desk/x.yaml"]).code(1);
    let said = out(&run);
    assert!(said.contains("steps differs") && said.contains("ASK, gate/NEW, gate/vault/NOTED"), "{said}");
    assert!(said.contains("state gate/tally.seen differs"), "{said}");
    let unscripted = "{ user: why, expect: { transition: ASK } }";
    uses.write("scenarios/desk/x.yaml", scenario(unscripted));
    let run = uses.run(&["replay", "scenarios/desk/x.yaml"]).code(1);
    assert!(out(&run).contains("the call is not scripted: call-3 gate/classify { text: why }"), "{}", out(&run));
}

#[test]
fn a_turn_through_several_packs_is_explained() {
    let uses = workspace();
    let run = uses.run(&["explain", "scenarios/desk/questions.yaml:1"]).code(0);
    let text = out(&run);
    for part in
        ["for call-1: question { text: \"why is the sky blue\" }", "gate/NEW", "gate/vault/NOTED", "call-1 → ok"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let run = uses.run(&["explain", "scenarios/desk/questions.yaml:1", "--format", "json"]).code(0);
    let json: Value = serde_json::from_str(&out(&run)).expect("JSON");
    let classes: Vec<&str> =
        json["steps"].as_array().expect("steps").iter().filter_map(|step| step["class"].as_str()).collect();
    assert_eq!(classes, ["ASK", "gate/NEW", "gate/vault/NOTED", "gate/NEW", "ASK", "ASK"], "{json:#}");
}

#[test]
fn a_chat_asks_for_what_no_pack_serves() {
    let uses = workspace();
    let sure = ["chat", "--pack", "desk", "--numbered-ids", "--today", "2021-05-10"];
    let lines = "why\nfine\ntrue\nmay I\ndoubtful\n/state gate/tally\n/why\n/save scenarios/desk/talk.yaml\n";
    let run = uses.command(&sure).stdin(lines).assert().code(0);
    let text = out(&run);
    assert!(text.contains("call     call-3 gate/classify { text: why } → ok { topic: fine }"), "{text}");
    assert!(text.contains("message  gate/shown { hint: \"say more\" }"), "{text}");
    assert!(text.contains("answer   question (nothing)") && text.contains("seen  2"), "{text}");
    assert!(text.contains("gate/vault/ASKED"), "{text}");
    // What was saved replays.
    uses.run(&["replay", "scenarios/desk/talk.yaml"]).code(0);
    let json = [&sure[..], &["--format", "json"]].concat();
    let run = uses.command(&json).stdin("why\nfine\ntrue\n").assert().code(0);
    let turn: Value = serde_json::from_str(out(&run).trim()).expect("a line of JSON");
    assert_eq!(turn["transition"], "ASK");
    let ports: Vec<&Value> = turn["calls"].as_array().expect("calls").iter().map(|call| &call["port"]).collect();
    assert_eq!(ports, [&json!("gate/classify"), &json!("find")]);
}

#[test]
fn ports_of_used_packs_are_bound_by_their_names() {
    let uses = workspace();
    let mark = "packs = [\"transitions\"]\nscenarios = [\"scenarios\"]\n";
    uses.write(
        "calls.yaml",
        "calls:\n  - { port: gate/classify, returns: { topic: fine } }\n  - { port: find, returns: { found: true } }\n",
    );
    let bound = "[chat.desk]\n\"gate/classify\" = { script = \"calls.yaml\" }\nfind = { script = \"calls.yaml\" }\n";
    uses.write("segue.toml", format!("{mark}{bound}"));
    let run = uses.command(&["chat", "--pack", "desk", "--numbered-ids"]).stdin("why\n").assert().code(0);
    assert!(out(&run).contains("answer   exact (confirmed)"), "{}", out(&run));
    uses.write("segue.toml", format!("{mark}[chat.desk]\nscreen = {{ human = true }}\n"));
    let run = uses.command(&["chat", "--pack", "desk"]).stdin("why\n").assert().code(2);
    assert!(err(&run).contains("the port `screen` is served by the used pack `gate`"), "{}", err(&run));
    uses.write("segue.toml", format!("{mark}[chat.desk]\n\"gate/clasify\" = {{ human = true }}\n"));
    let run = uses.command(&["chat", "--pack", "desk"]).stdin("why\n").assert().code(2);
    assert!(err(&run).contains("did you mean `gate/classify`?"), "{}", err(&run));
}

#[test]
fn recorded_dialogues_are_stepped_through_all_packs() {
    let uses = workspace();
    let form = "\n[recording.talk]\nid = \"id\"\nevent = \"utterance\"\npayload = { text = \"said\" }\n\n[recording.talk.expected]\nclass = \"label\"\n";
    let text = std::fs::read_to_string(uses.path("transitions/desk/pack.toml")).expect("a file");
    uses.write("transitions/desk/pack.toml", format!("{text}{form}"));
    uses.write("talk.jsonl", "{\"id\":\"a\",\"said\":\"why\",\"label\":\"ASK\"}\n");
    let run = uses.run(&["replay", "--recorded", "talk.jsonl", "--pack", "desk"]).code(0);
    assert!(out(&run).contains("ASK"), "{}", out(&run));
}
