//! What a chat logs: the pack's log messages and steps, with the ids of the session and the turn, and no texts unless asked.
#![expect(clippy::disallowed_methods, reason = "these tests make workspaces and start the program")]

use snapbox::cmd::OutputAssert;
use snapbox::{assert_data_eq, str};

use crate::program::{Mini, copy, err, out};

const MESSAGE: &str = r#"
[message.slow]
channel = "log"
level = "warning"
const = { kind = "weather" }
field = { reason = { type = "text" }, asked = { type = "int" }, city = { type = "id", optional = true } }
text = "No forecast of {city} ({reason}), asked {asked} times"
doc = "Nothing was found out."
"#;

/// The small pack, whose boundary logs.
fn logging() -> Mini {
    let mini = Mini::new();
    mini.write("transitions/mini/log.toml", MESSAGE);
    let emit = "[[do]]\nemit = \"slow\"\nwith = { reason = \"$reason\", asked = \"$topic.asked\", city = \"$topic.city?\" }\n\n";
    mini.edit("transitions/mini/T10.toml", "[answer]", &format!("{emit}[answer]"));
    mini
}

fn chat(mini: &Mini, more: &[&str]) -> OutputAssert {
    let sure = ["chat", "--numbered-ids", "--today", "2021-05-10", "--format", "json"];
    mini.command(&[&sure, more].concat()).stdin("Riga\ngood\nTell me a secret\n").env_remove("RUST_LOG").assert()
}

#[test]
fn log_messages_without_texts() {
    let run = chat(&logging(), &[]).code(0);
    assert_data_eq!(
        err(&run),
        str![[r#"
 WARN segue::message: No forecast of riga (…), asked 1 times session="s-1" turn="t-2" name="slow" fields="{/"kind/":/"weather/",/"asked/":1,/"city/":/"riga/"}"

"#]]
    );
    assert_eq!(out(&run).lines().count(), 2);
}

#[test]
fn texts_where_they_are_asked_for() {
    let run = chat(&logging(), &["--log-text"]).code(0);
    assert!(err(&run).contains("No forecast of riga (no_transition), asked 1 times"), "{}", err(&run));
}

#[test]
fn steps_in_brief() {
    let run = chat(&logging(), &["--log", "segue::step=debug"]).code(0);
    assert_data_eq!(
        err(&run),
        str![[r#"
DEBUG segue::step: step session="s-1" turn="t-1" phase="select" class="T1" selected="T1" reasons="" carried="" dropped="" calls="audit forecast" revision=1
DEBUG segue::step: step session="s-1" turn="t-1" phase="settle" class="T1" selected="T1" reasons="" carried="" dropped="" calls="" answer="exact" revision=2
DEBUG segue::step: step session="s-1" turn="t-2" phase="select" class="T10" selected="T10" reasons="no_transition" carried="topic" dropped="" calls="" answer="bounded" revision=3

"#]]
    );
}

/// Whatever is asked for, what the user has said stands in no line unless texts are asked for.
#[test]
fn what_the_user_says_is_not_logged() {
    for level in ["trace", "debug", "info", "off"] {
        let told = err(&chat(&logging(), &["--log", level]).code(0));
        assert!(!told.to_lowercase().contains("secret"), "{told}");
        assert_eq!(told.is_empty(), level == "off", "{told}");
    }
    for (levels, wanted) in [
        ("wran", "`wran` is no level; did you mean `warn`?"),
        ("warn,inof", "`inof` is no level; did you mean `info`?"),
        ("segue::mesage", "`segue::mesage` is no level; did you mean `segue::message`?"),
        ("segue::stpe=debug", "`segue::stpe` is no target; did you mean `segue::step`?"),
        (
            "loudly",
            "`loudly` is no level; levels are `off`, `error`, `warn`, `info`, `debug`, `trace`; a target stands before one: \
             `segue::step=debug`",
        ),
    ] {
        let told = err(&chat(&logging(), &["--log", levels]).code(2));
        assert!(
            told.starts_with(&format!("error: invalid value '{levels}' for '--log <LEVEL>': {wanted}\n")),
            "{told}"
        );
    }
    // What others log may be asked for, and a target of ours alone.
    for levels in ["rustls=debug,warn", "segue::message", "WARN", "segue=off"] {
        chat(&logging(), &["--log", levels]).code(0);
    }
    let run = chat(&logging(), &["--log", "loud=quiet"]).code(2);
    assert!(err(&run).contains("invalid value 'loud=quiet' for '--log <LEVEL>'"), "{}", err(&run));
}

/// The log markers of the clarification flow, literally.
#[test]
fn markers_of_the_clarification_flow() {
    let mini = Mini::empty();
    copy(
        &std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("transitions/clarification"),
        &mini.path("transitions/clarification"),
    );
    mini.write("segue.toml", "");
    let run = mini
        .command(&["chat", "--numbered-ids", "--format", "json", "--log", "info"])
        .stdin("/query show my spending\n!failed down\n!failed down\n")
        .assert()
        .code(0);
    let line = err(&run).lines().find(|line| line.contains("Could not classify intent")).map(str::to_owned);
    let line = line.unwrap_or_else(|| panic!("{}", err(&run)));
    assert!(line.starts_with(" WARN segue::message: Could not classify intent session=\"s-1\" turn=\"t-1\""), "{line}");
    assert!(!err(&run).contains("spending"), "{}", err(&run));
}

/// S1, Terminate session, `Optional: Log conversation summary for analytics`: where it is asked for, and with what was said only where texts are.
#[test]
fn the_summary_of_a_session_that_ends() {
    let told = |summary: bool, more: &[&str]| {
        let mini = Mini::empty();
        copy(
            &std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("transitions/refinement"),
            &mini.path("transitions/refinement"),
        );
        mini.write("segue.toml", "");
        if summary {
            mini.edit(
                "transitions/refinement/pack.toml",
                "[param.log_summary]\ntype = \"bool\"\ndefault = false",
                "[param.log_summary]\ntype = \"bool\"\ndefault = true",
            );
        }
        let args = [&["chat", "--numbered-ids", "--format", "json", "--log", "info"], more].concat();
        let lines = "/open ecommerce\nShow me all users\n{\"query\": \"SELECT 1\", \"confidence\": \"high\"}\n/exit\n";
        let run = mini.command(&args).stdin(lines).env_remove("RUST_LOG").assert().code(0);
        let lines: Vec<String> =
            err(&run).lines().filter(|line| line.contains("name=\"log_summary\"")).map(str::to_owned).collect();
        lines
    };
    assert_eq!(told(false, &[]), [""; 0]);
    let begins =
        " INFO segue::message: Session s-1 on … ended after 1 turns session=\"s-1\" turn=\"t-3\" name=\"log_summary\" ";
    let [line] = &told(true, &[])[..] else { panic!("one summary") };
    assert!(line.starts_with(begins) && !line.contains("users"), "{line}");
    let [line] = &told(true, &["--log-text"])[..] else { panic!("one summary") };
    assert!(line.starts_with(&begins.replace('…', "ecommerce")) && line.contains("Show me all users"), "{line}");
}
