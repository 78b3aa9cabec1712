//! `segue replay --recorded` on the program itself: files as they come, what is printed, and what cannot be run.
#![expect(clippy::disallowed_methods, reason = "a workspace loses its mark")]

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::program::{Mini, document, err, out};

const FORMS: &str = r#"
[recording.talks]
doc = "Talks about the weather."
id = "id"
turns = "turns"
event = "utterance"
payload = { text = "said" }

[recording.talks.expected]
class = "label"
accept = "also"
label = { NONE = ["T10"] }
group = { ASKS = ["T1"] }
by = ["fit"]

[recording.taps]
id = "id"
event = "tap"
payload = { city = "city" }
"#;

/// The records of the example in docs/cli.md.
const TALKS: [&str; 2] = [
    r#"{"id":"a","turns":[{"said":"Riga","label":"T1","fit":"direct"},{"said":"and in Bergen?","label":"T1","also":["NONE"]}]}"#,
    r#"{"id":"b","turns":[{"said":"hello","label":"NONE"},{"said":"thanks"}]}"#,
];

const JSON: [&str; 5] = ["replay", "--format", "json", "--recorded", "talks.jsonl"];

/// The small pack with recordings.
fn mini() -> Mini {
    let mini = Mini::new();
    mini.write("transitions/mini/recording.toml", FORMS);
    mini.write("talks.jsonl", TALKS.join("\n"));
    mini
}

fn packed(text: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_ref()).expect("packed");
    encoder.finish().expect("packed")
}

/// The document in docs/cli.md is what the program prints.
#[test]
fn the_document() {
    let run = mini().run(&[&JSON[..], &["--misses", "5"]].concat()).code(0).stderr_eq("");
    let mut found = document(&run);
    let explained = found["misses"][0]["explain"].take();
    let wanted = "line 1, dialogue a, turn 2: expected T1 (accepted NONE), came T10, leniently right\n\nuser: and in Bergen?\n  chosen   T10 (boundary)";
    assert!(explained.as_str().is_some_and(|text| text.starts_with(wanted)), "{explained}");
    found["misses"][0]["explain"] = json!("…");
    let page = include_str!("../../docs/cli.md");
    let section = page.split("\n## segue replay --recorded\n").nth(1).expect("a section");
    let shown = section.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let shown: Value = serde_json::from_str(shown).expect("JSON");
    assert_eq!(format!("{found:#}"), format!("{shown:#}"));
}

#[test]
fn for_people() {
    let mini = mini();
    let run = mini.run(&["replay", "--recorded", "talks.jsonl"]).code(0).stderr_eq("");
    insta::assert_snapshot!("recorded", out(&run));
    let run = mini.run(&["replay", "--recorded", "talks.jsonl", "--misses", "1"]).code(0).stderr_eq("");
    insta::assert_snapshot!("recorded_misses", out(&run));
    mini.write("taps.jsonl", r#"{"id":"a","city":"riga"}"#);
    let run = mini.run(&["replay", "--recorded", "taps.jsonl"]).code(0).stderr_eq("");
    assert_eq!(
        out(&run),
        "taps: 1 dialogue, 1 turn\n\n     turns  by words\nT1       0         0\nT10      1         0\n"
    );
    let run = mini.run(&["replay", "--recorded", "taps.jsonl", "--misses", "1"]).code(2).stdout_eq("");
    assert!(err(&run).contains("taps.jsonl:1:1: nothing can be missed: the recording `taps` has no `expected`"));
}

/// However a file is packed, whatever ends its lines and whatever its name, the same comes of it, and again.
#[test]
fn files_as_they_come() {
    let mini = mini();
    let wanted = out(&mini.run(&JSON).code(0));
    let [a, b] = TALKS;
    let files: [(&str, Vec<u8>); 9] = [
        ("a line break at the end", format!("{a}\n{b}\n").into()),
        ("CRLF", format!("{a}\r\n{b}\r\n").into()),
        ("blank lines", format!("\n \t\n{a}\n\r\n\n{b}\n\n \n").into()),
        ("a byte-order mark", format!("\u{feff}{a}\n{b}").into()),
        ("packed", packed(format!("{a}\n{b}\n"))),
        ("packed in two", [packed(format!("{a}\n")), packed(b)].concat()),
        (
            "packed in three, in the middle of a line",
            [packed(a), packed("\n"), packed(&b[..9]), packed(&b[9..])].concat(),
        ),
        ("packed, with an empty member", [packed(""), packed(format!("{a}\n{b}"))].concat()),
        ("spaces in JSON", format!("{}\n\t{b}  ", a.replace(':', " : ").replace(',', "\t,\r")).into()),
    ];
    for (what, bytes) in files {
        mini.write("talks.jsonl", bytes);
        // Blank lines move the records, so lines are not compared.
        let run = mini.run(&JSON).code(0).stderr_eq("");
        assert_eq!(out(&run), wanted, "{what}");
    }
    assert_eq!(out(&mini.run(&JSON).code(0)), wanted);
    mini.write("talks.yaml.gz.txt", packed(TALKS.join("\n")));
    let run = mini.run(&["replay", "--recorded", "talks.yaml.gz.txt", "--format", "json"]).code(0);
    assert_eq!(out(&run), wanted);
}

#[test]
fn files_that_cannot_be_read() {
    let mini = mini();
    let [a, b] = TALKS;
    let whole = packed(format!("{a}\n{b}\n{}", "x".repeat(9000)));
    let mut spoilt = whole.clone();
    let middle = spoilt.len() / 2;
    spoilt[middle..].iter_mut().for_each(|byte| *byte = !*byte);
    let mut wrong_sum = packed(format!("{a}\n{b}\n"));
    let end = wrong_sum.len();
    wrong_sum[end - 6] ^= 1;
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (Vec::new(), "talks.jsonl: holds no record; one JSON object stands on each line"),
        (b"\n \r\n\n".to_vec(), "talks.jsonl: holds no record"),
        (packed(""), "talks.jsonl: holds no record"),
        (
            format!("{a}\n\n{{\"id\":\n{b}").into(),
            "talks.jsonl:3:7: the record is no JSON: expected a value, found end of the line",
        ),
        (format!("{a}\n{b}]").into(), "talks.jsonl:2:71: the record is no JSON: unexpected `]` after the value"),
        (format!("{a}\r{b}").into(), "talks.jsonl:1:121: the record is no JSON: unexpected `{` after the value"),
        (format!("{a}\n[]").into(), "talks.jsonl:2:1: the record is no object: found a list"),
        (
            [a.as_bytes(), b"\n{\"id\":\"\xd1\x80\xff\"}"].concat(),
            "talks.jsonl:2:9: the line is not UTF-8: the byte 0xff begins no character",
        ),
        (TALKS.join("\n").encode_utf16().flat_map(u16::to_le_bytes).collect(), "talks.jsonl:1:2: the record"),
        (whole[..whole.len() - 9].to_vec(), "the gzip file ends too early: it is cut short"),
        (whole[..7].to_vec(), "talks.jsonl:1: the gzip file ends too early"),
        (spoilt, "talks.jsonl:"),
        (wrong_sum, "the gzip file is damaged (corrupt gzip stream does not have a matching checksum)"),
        (
            [packed(format!("{a}\n")), b"and more that is not packed".to_vec()].concat(),
            "the gzip file is damaged (invalid gzip header)",
        ),
        (
            [packed(format!("{a}\n")), b"more".to_vec()].concat(),
            "the gzip file ends too early: it is cut short, or what follows it is no gzip",
        ),
        (
            format!("{a}\n{}", " ".repeat((8 << 20) + 1)).into(),
            "talks.jsonl:2: the line is longer than the limit of 8388608 bytes; one record stands on one line",
        ),
        (packed(vec![b'x'; 9 << 20]), "talks.jsonl:1: the line is longer than the limit"),
        (format!("{a}\n{b}").replace("thanks", "\u{0}").into(), "talks.jsonl:2:"),
    ];
    for (bytes, wanted) in cases {
        mini.write("talks.jsonl", bytes);
        let run = mini.run(&JSON).code(2).stdout_eq("");
        assert!(err(&run).starts_with("error: ") && err(&run).contains(wanted), "{wanted}\n{}", err(&run));
    }
    for (file, wanted) in [
        ("nowhere.jsonl", "error: nowhere.jsonl: no such file\n"),
        ("scenarios", "error: scenarios: is a folder, a file is due here\n"),
        ("-", "error: -: no such file\n"),
    ] {
        let run = mini.run(&["replay", "--recorded", file]).code(2).stdout_eq("");
        assert_eq!(err(&run), wanted);
    }
    // A line that is just as long as it may be is one.
    mini.write("talks.jsonl", format!("{a}\n{b}{}\n", " ".repeat((8 << 20) - b.len())));
    mini.run(&JSON).code(0);
}

/// What is wrong with a record names its line, its column, the dialogue and the turn, and nothing of a document is printed.
#[test]
fn records_that_do_not_fit() {
    let mini = mini();
    for (last, wanted) in [
        (
            r#"{"id":"c","turns":[{"said":"x"},{"said":["x"]}]}"#,
            "error: talks.jsonl:3:41: dialogue `c`, turn 2: `said`: expected a text, found `[\"x\"]`\n",
        ),
        (
            r#"{"id":"c","turns":[{"said":"x","label":"T01"}]}"#,
            "3:40: dialogue `c`, turn 1: `T01` is no class and no label of the recording\n  help: did you mean `T1`?\n",
        ),
        (r#"{"id":"c","city":"riga"}"#, "3:1: dialogue `c`: `turns` is missing: the dialogue has no turns\n"),
        (
            r#"{"id":"c","id":"c"}"#,
            "3:11: the record cannot be read: key `id` is given twice\n  help: keep one of the two\n",
        ),
    ] {
        mini.write("talks.jsonl", format!("{}\n{last}", TALKS.join("\n")));
        for format in ["json", "human"] {
            let run = mini.run(&["replay", "--format", format, "--recorded", "talks.jsonl"]).code(2).stdout_eq("");
            assert!(err(&run).ends_with(wanted), "{wanted}\n{}", err(&run));
        }
    }
    mini.write("talks.jsonl", r#"{"id":"c","turns":[{"said":"x"}],"city":"riga"}"#);
    let run = mini.run(&JSON).code(2).stdout_eq("");
    let wanted =
        "talks.jsonl:1:1: more than one recording of the pack `mini` fits the record:\n  talks: fits\n  taps: fits\n";
    assert!(err(&run).contains(wanted), "{}", err(&run));
    mini.write("talks.jsonl", r#"{"id":"c","turns":[{"text":"x"}]}"#);
    let run = mini.run(&JSON).code(2).stdout_eq("");
    let wanted = "no recording of the pack `mini` fits the record:\n  talks: the first turn has no `said` (for the payload field `text`)\n  \
                  taps: the record has no `city` (for the payload field `city`)\n  help: a form fits where";
    assert!(err(&run).contains(wanted), "{}", err(&run));
    mini.write("transitions/mini/recording.toml", "");
    let run = mini.run(&JSON).code(2).stdout_eq("");
    assert!(err(&run).contains("the pack `mini` declares no recording\n  help: say in a section"), "{}", err(&run));
    mini.write("transitions/mini/recording.toml", FORMS.replace("utterance", "uterance"));
    let run = mini.run(&JSON).code(2).stdout_eq("");
    assert!(err(&run).contains("there is no event `uterance`") && err(&run).contains("the pack mini does not load"));
}

#[test]
fn packs_and_states() {
    let mini = mini();
    let wanted = out(&mini.run(&JSON).code(0));
    // A pack by its name or its folder, in a workspace or outside of one.
    for pack in ["mini", "transitions/mini", mini.path("transitions/mini").to_str().expect("a path")] {
        assert_eq!(out(&mini.run(&[&JSON[..], &["--pack", pack]].concat()).code(0)), wanted);
    }
    let other = Mini::new();
    let (file, pack) = (mini.path("talks.jsonl"), mini.path("transitions/mini"));
    let far = ["replay", "--format", "json", "--recorded", file.to_str().expect("a path")];
    let with_pack = [&far[..], &["--pack", pack.to_str().expect("a path")]].concat();
    assert_eq!(out(&other.run(&with_pack).code(0)), wanted);
    assert!(err(&other.run(&far).code(2)).contains(":1:1: the pack `mini` declares no recording"));
    std::fs::remove_file(other.path("segue.toml")).expect("removed");
    assert_eq!(out(&other.run(&with_pack).code(0)), wanted);
    assert!(err(&other.run(&far).code(2)).contains("no segue.toml in"));
    let run = mini.run(&[&JSON[..], &["--pack", "nowhere"]].concat()).code(2).stdout_eq("");
    assert!(err(&run).contains("no pack `nowhere` in transitions/: there are `mini`"), "{}", err(&run));
    let run = mini.run(&[&JSON[..], &["--pack", "no/where"]].concat()).code(2).stdout_eq("");
    assert!(err(&run).contains("no/where: no such folder, so no pack"), "{}", err(&run));

    // A state in each of its forms.
    mini.write("frames.toml", "topic.city = \"oslo\"\n");
    mini.write("mended.yaml", "topic: { evidence: good }\n");
    let doc = "doc = \"Evidence is about a city.\"";
    mini.edit("transitions/mini/pack.toml", doc, &format!("repair = [{{ clear = [\"topic.evidence\"] }}]\n{doc}"));
    mini.write(
        "one.yaml",
        "scenario: x\ngiven: { topic: { city: oslo } }\nenv: { today: 2021-05-10 }\nturns: [{ user: x }]\n",
    );
    let given = |state: &str| mini.run(&[&JSON[..], &["--given", state]].concat());
    for state in ["frames.toml", "one.yaml", "mended.yaml"] {
        assert_eq!(document(&given(state).code(0))["by_transition"], json!({ "T1": 1, "T10": 3 }));
    }
    assert_eq!(
        err(&given("mended.yaml").code(0)),
        "note: the state broke the invariant `evidence_has_a_city` and was mended as it declares\n"
    );
    mini.write("frames.yaml", "topic: { city: 7 }\n");
    mini.write("state.txt", "topic: {}\n");
    mini.write("cut.yaml", "\n");
    for (state, wanted) in [
        ("frames.yaml", "--> frames.yaml:1:16\n"),
        ("scenarios/mini/weather.yaml", "the file holds 2 scenarios: which one is meant is not said"),
        ("state.txt", "error: state.txt: is no state file (*.json, *.yaml, *.yml, *.toml)"),
        ("cut.yaml", "error: cut.yaml: is empty; a document is due here"),
        ("nowhere.yaml", "error: nowhere.yaml: no such file"),
        ("talks.jsonl", "error: talks.jsonl: is no state file"),
    ] {
        let run = given(state).code(2).stdout_eq("");
        assert!(err(&run).contains(wanted), "{state}\n{}", err(&run));
    }
}

#[test]
fn arguments_that_do_not_go_together() {
    let mini = mini();
    for more in [
        &["scenarios"][..],
        &["--accept"],
        &["--filter", "x"],
        &["--jobs", "2"],
        &["--misses", "0"],
        &["--misses", "x"],
    ] {
        let run = mini.run(&[&JSON[..], more].concat()).code(2).stdout_eq("");
        let wanted = if more[0] == "--misses" { "invalid value" } else { "cannot be used with" };
        assert!(err(&run).contains(wanted), "{more:?}\n{}", err(&run));
    }
    for alone in [&["--given", "x.yaml"], &["--misses", "3"]] {
        let run = mini.run(&[&["replay"][..], alone].concat()).code(2).stdout_eq("");
        assert!(err(&run).contains("required") && err(&run).contains("--recorded <FILE>"), "{}", err(&run));
    }
    let before = mini.files();
    mini.at_home(&JSON).code(0);
    assert!(before == mini.files(), "nothing is written");
}
