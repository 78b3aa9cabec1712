//! Packs that extend others: what is taken over, replaced, removed and added, and what is wrong about it.

use crate::program::{Mini, out};

/// A pack that says no in its own words, knows a further kind of evidence, and forgets the audit.
const POLITE: &str = r#"
[pack]
id = "polite"
title = "Weather, politely"
extends = "mini"
replace = ["message.sorry", "T1"]

[enum]
evidence = { add = ["hearsay"] }

[message.sorry]
channel = "ui"
field = { reason = { type = "text" } }
text = "I am very sorry: {reason}."
doc = "Says no, politely."

[[transition]]
id = "T1"
name = "weather_of_a_city"
title = "The weather of a city"
owner = "talk"
doc = "The user names a city."
requires = {}
entry = {}
carryover = { depth = "none", keep = ["topic"], forbid = [], preserve = [] }
do = [
  { set.topic = { city = "$input.place" } },
  { clear = ["topic.evidence"] },
  { call = "audit", id = "note", with = { city = "$topic.city" } },
  { call = "forecast", id = "ask", with = { city = "$topic.city" } },
]
settle = [ { on = "ask", when = { outcome.evidence = ["good", "hearsay"] }, do = [ { set.topic.evidence = "$outcome.evidence" } ] } ]
answer = { mode = "exact" }
never = []
[[transition.trigger]]
event = "utterance"
any = [ { signal = "place" } ]
entry = { input.place = { present = true } }
examples = ["weather in Oslo"]
counterexamples = ["weather"]
"#;

const TALK: &str = "
scenario: rain by hearsay, and no politely
covers: [T1]
turns:
  - user: Riga
    expect: { transition: T1, answer_mode: exact, state: { topic: { city: riga, evidence: hearsay, asked: 0 } } }
    calls: [ { port: forecast, returns: { evidence: hearsay } } ]
  - user: what?
    expect: { transition: T10, answer_mode: bounded, messages: [ { sorry: { reason: no_transition } } ] }
";

fn polite(text: &str) -> Mini {
    let mini = Mini::new();
    mini.write("transitions/polite/pack.toml", text);
    mini.write("scenarios/polite/talk.yaml", TALK);
    mini
}

/// What `check` finds, a line each.
fn found(mini: &Mini) -> Vec<String> {
    let run = mini.run(&["check", "--format", "short"]);
    out(&run).lines().filter(|line| line.contains(": error") || line.contains(": warning")).map(str::to_owned).collect()
}

/// What is found with one text of the polite pack replaced.
fn edited(from: &str, to: &str) -> Vec<String> {
    assert_eq!(POLITE.matches(from).count(), 1, "`{from}` stands there once");
    found(&polite(&POLITE.replace(from, to)))
}

#[track_caller]
fn one(found: &[String], words: &[&str]) {
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(words.iter().all(|words| found[0].contains(words)), "{found:#?}");
}

#[test]
fn what_is_not_replaced_is_that_of_the_other_pack() {
    let mini = polite(POLITE);
    mini.at_home(&["replay", "scenarios/polite", "--accept"]).code(0);
    mini.run(&["replay"]).code(0);
    assert_eq!(found(&mini), [""; 0]);
    // The pack that is extended is as it was.
    mini.edit("scenarios/polite/talk.yaml", "covers: [T1]", "pack: mini\ncovers: [T1]");
    let run = mini.run(&["replay", "scenarios/polite/talk.yaml"]).code(1);
    assert!(out(&run).contains("evidence"), "{}", out(&run));
}

#[test]
fn what_is_wrong_is_told_where_it_is() {
    let file = "transitions/polite/pack.toml:";
    one(
        &edited("extends = \"mini\"", "extends = \"minni\""),
        &[file, "5:11", "there is no pack `minni` beside this one"],
    );
    one(&edited("extends = \"mini\"", "extends = \"../mini\""), &[file, "5:11", "is no folder beside"]);
    one(
        &edited("\"message.sorry\", \"T1\"]", "\"message.sory\", \"message.sorry\", \"T1\"]"),
        &[file, "6:12", "`mini` declares no `message.sory`"],
    );
    one(
        &edited("\"message.sorry\", \"T1\"]", "\"message.sorry\", \"T1\", \"port.audit\"]"),
        &[file, "6:35", "`port.audit` is to be replaced, and this pack declares none"],
    );
    one(&edited("\"message.sorry\", \"T1\"]", "\"message.sorry\"]"), &[file, "18:6", "declares `T1` as well"]);
    // Who forgets `add` is told of that, and of nothing that comes of it.
    let bare = edited("evidence = { add = [\"hearsay\"] }", "evidence = [\"hearsay\"]");
    one(&bare, &[file, "9:1", "declares `enum.evidence` as well"]);
    one(&edited("evidence = { add", "evidense = { add"), &[file, "there is no enum `evidense` to add to"]);
    one(&edited("replace =", "remove = [\"T1\"]\nreplace ="), &[file, "is removed and replaced"]);
}

#[test]
fn a_pack_extends_no_pack_that_leads_back_to_it_and_none_that_it_uses() {
    let mini = polite(POLITE);
    mini.edit("transitions/mini/pack.toml", "id = \"mini\"", "id = \"mini\"\nextends = \"polite\"");
    let told = found(&mini);
    assert!(told.iter().any(|line| line.contains("extends itself")), "{told:#?}");
    let told = edited("[enum]\n", "[uses.base]\npack = \"mini\"\n[enum]\n");
    one(&told, &["transitions/polite/pack.toml:9:8", "`mini` is extended and used"]);
}

#[test]
fn a_chain_of_three_and_what_is_removed() {
    let mini = polite(POLITE);
    let third = "[pack]\nid = 'third'\ntitle = 'Third'\nextends = 'polite'\nremove = ['T1']\nreplace = ['enum.evidence']\n[enum]\nevidence = ['good', 'poor']\n";
    mini.write("transitions/third/pack.toml", third);
    let told = found(&mini);
    // With T1 nothing takes a city, and nothing calls: that is all there is to say, in its own file or none.
    assert!(
        told.iter().all(|line| !line.contains("transitions/mini/") && !line.contains("transitions/polite/")),
        "{told:#?}"
    );
}

/// A slip in the pack that is extended is told once, and its warnings are its own.
#[test]
fn slips_of_the_other_pack() {
    let mini = polite(POLITE);
    mini.edit("transitions/mini/T10.toml", "reason = \"no_forecast\"", "raeson = \"no_forecast\"");
    one(&found(&mini), &["transitions/mini/T10.toml", "unknown key `raeson`"]);
    let mini = polite(POLITE);
    mini.edit("transitions/mini/pack.toml", "[enum]\n", "[condition.idle]\ntopic.asked = 1\n[enum]\n");
    one(&found(&mini), &["transitions/mini/pack.toml", "idle"]);
}
