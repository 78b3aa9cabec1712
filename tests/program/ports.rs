//! Ports that a chat binds in `segue.toml`: files of outcomes, programs.
#![expect(clippy::disallowed_methods, reason = "these tests make workspaces and start the program")]

use serde_json::Value;
use snapbox::cmd::OutputAssert;
use snapbox::{assert_data_eq, str};

use crate::program::{Mini, err, out};

const SURE: [&str; 5] = ["chat", "--numbered-ids", "--today", "2021-05-10", "--format"];

fn bound(binding: &str) -> Mini {
    let mini = Mini::new();
    mini.write("segue.toml", format!("[chat.mini.forecast]\n{binding}\n"));
    mini
}

fn chat(mini: &Mini, format: &str, lines: &str) -> OutputAssert {
    mini.command(&[&SURE[..], &[format]].concat()).stdin(lines.to_owned()).assert()
}

/// The answer modes of the turns.
fn modes(run: &OutputAssert) -> Vec<Value> {
    let turn = |line: &str| serde_json::from_str::<Value>(line).expect("a JSON object a line")["answer_mode"].clone();
    out(run).lines().map(turn).collect()
}

#[test]
fn outcomes_of_a_file() {
    let mini = bound("script = \"outcomes.yaml\"");
    let outcomes = "calls:\n  - { port: forecast, with: { city: riga }, returns: { evidence: good } }\n  \
                    - { port: forecast, status: timeout }\n  - { port: forecast, open: true }\n";
    mini.write("outcomes.yaml", outcomes);
    let run = chat(&mini, "human", "Riga\nOslo\n/undo\nOslo\nRiga\n").code(0).stderr_eq("");
    assert_data_eq!(
        out(&run),
        str![[r#"
1. user: Riga
   class    T1 (weather_of_a_city)
   call     call-1 audit { city: riga }
   call     call-2 forecast { city: riga } → ok { evidence: good }
   answer   exact (confirmed)
2. user: Oslo
   class    T1 (weather_of_a_city), settled by T10 (boundary)
   reason   no_forecast
   call     call-3 audit { city: oslo }
   call     call-4 forecast { city: oslo } → timeout
   message  sorry { reason: no_forecast }
            Sorry: no_forecast.
   answer   bounded (nothing)
turn 2 is taken back
2. user: Oslo
   class    T1 (weather_of_a_city), settled by T10 (boundary)
   reason   no_forecast
   call     call-3 audit { city: oslo }
   call     call-4 forecast { city: oslo } → timeout
   message  sorry { reason: no_forecast }
            Sorry: no_forecast.
   answer   bounded (nothing)
3. user: Riga
   class    T1 (weather_of_a_city)
   call     call-5 audit { city: riga }
   call     call-6 forecast { city: riga }
   open     call-6

"#]]
    );
    // Another call than the script expects, and one more than it holds.
    let run = chat(&mini, "json", "Oslo\nOslo\nOslo\nOslo\n").code(1);
    assert_eq!(
        err(&run),
        "error: line 1: argument city of call-2 forecast differs: expected riga, found oslo\n\
         error: line 4: the script holds no more outcomes of `forecast`: the call stays open\n"
    );
}

#[cfg(unix)]
#[test]
fn a_program_answers() {
    let mini = bound("command = [\"sh\", \"./port.sh\", \"good\"]");
    mini.write("port.sh", "cat > asked.json\nprintf '{\"evidence\": \"%s\"}' \"$1\"\n");
    let run = chat(&mini, "json", "Riga\n").code(0).stderr_eq("");
    assert_eq!(modes(&run), ["exact"]);
    let asked = std::fs::read_to_string(mini.path("asked.json")).expect("a file");
    assert_eq!(
        asked,
        "{\"port\":\"forecast\",\"call\":\"call-2\",\"session\":\"s-1\",\"turn\":1,\"with\":{\"city\":\"riga\"}}\n"
    );
}

/// Whatever a program does, the turn ends, and nothing of its answer is applied by halves.
#[cfg(unix)]
#[test]
fn programs_that_do_not_answer() {
    for (script, ended) in [
        (
            "printf '{\"evidence\": \"fair\"}'",
            "ok { evidence: fair }; it breaks the port's declaration: `evidence`: expected one of good, poor, found `\"fair\"`",
        ),
        (
            "printf '{\"evidence\": \"good\", \"sun\": 1}'",
            "ok { evidence: good, sun: 1 }; it breaks the port's declaration: `sun`: is not declared; known are: evidence",
        ),
        (
            "printf 'sunny'",
            "failed: its answer is none: a JSON object is due, and this is no JSON: expected value at line 1 column 1",
        ),
        ("printf '[1]'", "failed: its answer is none: a JSON object is due, such as {\"key\": \"value\"}"),
        (
            "printf '{\"evidence\": \"good\"} {}'",
            "failed: its answer is none: a JSON object is due, and this is no JSON: trailing characters at line 1 column 22",
        ),
        (
            "printf '{\"evidence\": \"poor\", \"evidence\": \"good\"}'",
            "failed: its answer is none: key `evidence` is given twice; keep one of the two",
        ),
        ("printf '\\377'", "failed: its output is not UTF-8"),
        (
            "",
            "failed: its answer is none: a JSON object is due, and this is no JSON: EOF while parsing a value at line 1 column 0",
        ),
        ("echo 'no such city' >&2; exit 3", "failed: no such city (exit code 3)"),
        ("kill -9 $$", "failed: it ended with a signal"),
        ("yes | head -c 3000000", "failed: it writes more than 1048576 bytes"),
        ("sleep 100", "timeout"),
        ("sleep 100 & sleep 100", "timeout"),
        ("exec >&- 2>&-; sleep 100", "timeout"),
    ] {
        let mini = bound("command = [\"sh\", \"port.sh\"]\ntimeout = 1");
        mini.write("port.sh", format!("{script}\n"));
        let run = chat(&mini, "human", "Riga\n/state topic\n").code(0).stderr_eq("");
        let text = out(&run);
        let call = text.lines().find_map(|line| line.split_once("forecast { city: riga } → ")).expect("the call");
        assert_eq!(call.1, ended, "{script}");
        assert!(text.contains("reason   no_forecast\n") && text.ends_with("asked  0\n"), "{script}: {text}");
    }
    let mini = bound("command = [\"./nowhere\"]");
    let run = chat(&mini, "human", "Riga\n").code(0);
    assert!(out(&run).contains("→ failed: the program cannot be started: it is not there\n"), "{}", out(&run));
}

/// What a program has started ends with it when the call has timed out.
#[cfg(target_os = "linux")]
#[test]
fn a_program_is_killed_with_its_group() {
    let mini = bound("command = [\"sh\", \"port.sh\"]\ntimeout = 1");
    mini.write("port.sh", "sleep 1000 & echo $! > pid\nwait\n");
    chat(&mini, "json", "Riga\n").code(0);
    let pid = std::fs::read_to_string(mini.path("pid")).expect("a file");
    let gone = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", pid.trim())).unwrap_or_default();
        status.is_empty() || status.contains("State:\tZ")
    };
    // Who is killed is gone soon, not at once.
    for _ in 0..500 {
        if gone() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("{} is still there", pid.trim());
}

#[test]
fn bindings_that_cannot_be() {
    let help = |binding: &str| {
        let mini = bound(binding);
        let run = chat(&mini, "json", "Riga\n").code(2).stdout_eq("");
        err(&run)
    };
    for (binding, wanted) in [
        ("", "it is not said who serves the port"),
        ("human = true\nscript = \"a.yaml\"", "`human` and `script` both say who serves the port"),
        ("scrpit = \"a.yaml\"", "did you mean `script`?"),
        ("human = true\ntimeout = 3", "`timeout` means nothing beside `human`"),
        ("command = []", "no program is named"),
        ("command = [\"\"]", "no program is named"),
        ("command = [\"sh\"]\ntimeout = 0", "0 is no timeout"),
        ("human = false", "somebody serves the port"),
        ("script = \"nowhere.yaml\"", "nowhere.yaml: no such file"),
    ] {
        let told = help(binding);
        assert!(told.contains(wanted), "{binding}: {told}");
    }
    let mini = Mini::new();
    mini.write("segue.toml", "[chat.mini.forcast]\nhuman = true\n");
    let told = err(&chat(&mini, "json", "Riga\n").code(2));
    assert!(told.contains("segue.toml:1:12") && told.contains("did you mean `forecast`?"), "{told}");
    mini.write("segue.toml", "[chat.mini.audit]\nhuman = true\n");
    let told = err(&chat(&mini, "json", "Riga\n").code(2));
    assert!(told.contains("no outcome comes from the port `audit`"), "{told}");
    mini.write("segue.toml", "[chat.mni.forecast]\nhuman = true\n");
    chat(&mini, "json", "Riga\ngood\n").code(0);
    let found = out(&mini.run(&["check", "--format", "short"]).code(1));
    assert!(found.contains("segue.toml:1:7: error[unknown-name]: there is no pack `mni`"), "{found}");
    let mini = bound("script = \"outcomes.yaml\"");
    mini.write("outcomes.yaml", "calls:\n  - { port: forecast, wth: {}, returns: { evidence: good } }\n");
    let told = err(&chat(&mini, "json", "Riga\n").code(2));
    assert!(told.contains("outcomes.yaml:2:23") && told.contains("did you mean `with`?"), "{told}");
}
