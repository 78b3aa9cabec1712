//! One slip of hand editing is one finding: at its place, with what to write instead, and nothing that only follows from it.

use crate::support;
use crate::support::shipped::Shipped;
use crate::support::tiny::Tiny;
use segue::audit::{Config, Scope, audit};
use segue::diag::Code;
use serde_json::{Value as Json, json};

/// What is found in a pack in which one thing is written differently is this and nothing else.
#[track_caller]
fn one(pack: &str, name: &str, from: &str, to: &str, wanted: &str) {
    assert_eq!(Shipped::of(pack).edited(name, from, to).told(), [wanted], "{to}");
}

const SB: &str = "step-back";

#[test]
fn an_anchor_and_its_aliases() {
    let file = "concepts.yaml";
    one(
        SB,
        file,
        "&partial",
        "&partail",
        "concepts.yaml:13:23 no alias names `&partail`, and `*partial`, which stands in 14 places, names no anchor -> write `&partial` here",
    );
    one(
        SB,
        file,
        "*complete",
        "*compete",
        "concepts.yaml:35:46 no anchor `&compete` stands above -> did you mean `*complete`?",
    );
    one(
        SB,
        file,
        "&partial ",
        "",
        "concepts.yaml:43:56 no anchor `&partial` stands above -> write `&partial` in front of the value that is meant. The alias stands in 14 places.",
    );
}

#[test]
fn what_a_class_binds() {
    let bind = "[bind]\nattempt = \"$input.reasoningId?\"\n";
    one(
        SB,
        "ANSWER.toml",
        "[bind]\n",
        "",
        "ANSWER.toml:20:1 `attempt` belongs to `[bind]`, whose header is missing -> write `[bind]` on a line of its own above this one",
    );
    for less in ["[bind]\n", ""] {
        one(
            SB,
            "ANSWER.toml",
            bind,
            less,
            "ANSWER.toml:2:6 `ANSWER` names fields of `attempt` in 12 places but binds no instance of it -> write `bind = { attempt = \"$input.…?\" }` in the class; without one only `open_count` and `only` are known",
        );
    }
}

#[test]
fn names_that_are_written_otherwise_where_they_are_declared() {
    one(
        SB,
        "state.toml",
        "verdict = [\"READY\"",
        "verdict = [\"ready\"",
        "blocks.toml:12:37 there is no value `READY` -> did you mean `ready`? The values are `ready`, `WAITING_FOR_INPUT`. It is named in 2 places: write that in each of them, or declare `READY`",
    );
    for torn in ["StepBackResul", "Result"] {
        let header = format!("[type.{torn}.field]");
        let wanted = format!(
            "state.toml:13:7 nothing else names `{torn}`, and `StepBackResult` lacks what stands here -> write `StepBackResult`"
        );
        one(SB, "state.toml", "[type.StepBackResult.field]", &header, &wanted);
    }
    one(
        SB,
        "ANSWER.toml",
        "\"ANSWER\"",
        "\"Answer\"",
        "ANSWER.toml:2:6 `Answer` is declared here and named nowhere; `ANSWER` is named in 57 places and declared nowhere -> write `ANSWER` here",
    );
    one(
        SB,
        "ANSWER.toml",
        "\"ANSWER\"",
        "\"ASK\"",
        "ANSWER.toml:2:6 class `ASK` is declared twice, and `ANSWER`, which is named in one place, nowhere -> write `ANSWER` here",
    );
}

#[test]
fn names_of_what_is_declared_elsewhere() {
    one(
        SB,
        "steps.yaml",
        "said: Show revenue",
        "sad: Show revenue",
        "steps.yaml:50:30 `sad` is no field of frame `attempt` -> did you mean `said`?",
    );
    one(
        SB,
        "RESUME.toml",
        "interpret.ok",
        "interpret.okay",
        "RESUME.toml:11:20 there is no outcome of a port `okay` -> known here: `ok`, `failed`",
    );
    one(
        SB,
        "pack.toml",
        "[pack]\n",
        "[pack]\nextends = \"step-back\"\n",
        "pack.toml:6:11 there is no pack `step-back` beside this one -> write the name of a folder beside that of this pack",
    );
}

#[test]
fn conditions_and_blocks_in_a_ring() {
    let conditions =
        "[condition.one]\nis = \"two\"\n[condition.two]\nis = \"three\"\n[condition.three]\nis = \"one\"\n";
    one(
        SB,
        "conditions.toml",
        "[condition.waits]",
        &format!("{conditions}[condition.waits]"),
        "conditions.toml:14:6 conditions in a ring: two → three → one → two -> a condition may use others, but not itself",
    );
    let blocks = "[block.one]\ndo = [ { use = \"two\" } ]\n[block.two]\ndo = [ { use = \"one\" } ]\n";
    one(
        SB,
        "blocks.toml",
        "[block.explain]",
        &format!("{blocks}[block.explain]"),
        "blocks.toml:3:16 blocks in a ring: two → one → two -> a block may use others, but not itself",
    );
}

#[test]
fn rows_of_an_answer_that_say_the_same() {
    one(
        "refinement",
        "REFINED.toml",
        "when = { turn.confidence = \"low\" }",
        "when = { turn.confidence = [\"high\", \"medium\"] }",
        "REFINED.toml:41:1 two answer rows of `REFINED` always hold together: `answered` and `answered_unsure` -> keep one of the rows; exactly one may hold",
    );
}

/// A scripted answer which breaks its port, and which an alias brings into a state as well: that is told where it counts most.
#[test]
fn an_answer_that_an_alias_brings_elsewhere_too() {
    let told = Shipped::of(SB).edited("concepts.yaml", "schemaScope: partial", "schemaScope: partal").short();
    assert_eq!(told, ["concepts.yaml:13:65: error[unknown-value]: `partal` is no value of `schema_scope`"]);
    let told = Shipped::of(SB).edited("concepts.yaml", "schemaScope: complete", "schemaScope: compete").short();
    assert_eq!(told, ["concepts.yaml:33:66: error[unknown-value]: `compete` is no value of `schema_scope`"]);
}

#[test]
fn a_contract_that_contradicts_the_pack() {
    let file = "contracts/step-back-result.json";
    one(
        SB,
        file,
        "\"partial\"",
        "\"partal\"",
        "contracts/step-back-result.json:16:15 the contract refuses what scenarios answer in 10 places: `/result/schemaScope`: \"partial\" is not one of \"partal\" or \"complete\" -> mend the contract, or what is answered there",
    );
    one(
        SB,
        "contracts/step-back-response.json",
        "\"required\": [",
        "\"required\": [ \"reslt\",",
        "contracts/step-back-response.json:5:15 the contract refuses what scenarios answer in 22 places: \"reslt\" is a required property -> mend the contract, or what is answered there",
    );
    one(
        SB,
        "contracts/answers.json",
        "\"type\": \"object\",",
        "\"$ref\": \"answers.json\",",
        "contracts/answers.json:4:11 the reference leads back to itself before it comes to a part of the value -> write out what is meant, or let it stand under `properties`, `items` or another keyword for parts",
    );
}

/// An outcome that is told by hand is held to the port of the call that it names.
#[test]
fn an_answer_to_a_call_that_is_named_by_its_id() {
    one(
        "clarification",
        "interruptions.yaml",
        "call: call-2, returns: { intent: aggregate",
        "call: call-2, returns: { intnt: aggregate",
        "interruptions.yaml:50:45 `intnt` is no field of an answer of this port -> did you mean `intent`?",
    );
}

/// A copy of a file beside it declares all again.
#[test]
fn a_file_that_is_copied() {
    for (of, copy, wanted) in [
        (
            "state.toml",
            "state copy.toml",
            "state copy.toml:5:1 this file declares 9 names that `state.toml` declares: it is called like a copy of that one",
        ),
        (
            "READY.toml",
            "READY.bak.toml",
            "READY.bak.toml:2:6 this file declares a name that `READY.toml` declares: it is called like a copy of that one",
        ),
    ] {
        let mut pack = Shipped::of(SB);
        let text = pack.files.iter().find(|file| file.name == of).expect("a file").text.clone();
        pack.files.push(support::file(copy, &text));
        assert_eq!(
            pack.told(),
            [format!("{wanted} -> take one of the two files out of the folder; every file in it is read")]
        );
    }
}

#[test]
fn a_manifest_that_cannot_be_read() {
    one(
        "joined",
        "pack.toml",
        "\"T7\", \"T7_GATE\"",
        "\"T7\" \"T7_GATE\"",
        "pack.toml:14:21 a comma is missing before this -> write `,` between two items",
    );
}

#[test]
fn a_depth_that_is_misspelt_where_it_is_declared() {
    one(
        "assistant",
        "pack.toml",
        "depth = { full =",
        "depth = { ful =",
        "pack.toml:26:11 `ful` is declared here and named nowhere; `full` is named in 2 places and declared nowhere -> write `full` here",
    );
}

#[test]
fn a_key_in_braces_without_its_colon() {
    one(
        SB,
        "steps.yaml",
        "message: \"Delete the orders\"",
        "message \"Delete the.orders\"",
        "steps.yaml:79:49 a `:` is missing -> write `message: \"Delete the.orders\"`",
    );
}

/// A relative period that nothing names, where no host can name one.
#[test]
fn a_relative_period_that_nothing_names() {
    let idle = "the relative period `LAST_WEEK` is used nowhere";
    let found = |more: Json| {
        let mut tiny = Tiny::new(&[("A", json!({}))]);
        tiny.add(more);
        let audit = audit(&tiny.files(), &[], &Config { scope: Scope::Pack, ..Config::default() });
        audit.diagnostics.iter().any(|found| found.code == Code::UnusedVocabulary && found.message == idle)
    };
    assert!(found(json!({})));
    let period = json!({ "type": "date_range", "doc": "d", "rule": [{ "phrase": "last week", "value": "LAST_WEEK" }] });
    assert!(!found(json!({ "signal": { "period": period } })), "words stand for it");
    assert!(!found(json!({ "signal": { "period": { "type": "date_range", "doc": "d" } } })), "the host may give it");
    let answer = json!({ "request": {}, "response": { "when": { "type": "date_range" } }, "doc": "d" });
    assert!(!found(json!({ "port": { "ask": answer } })), "an answer may hold it");
}
