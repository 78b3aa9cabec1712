//! `segue check`, the program itself: what it looks at, what it says, and its exit codes.
#![expect(clippy::disallowed_methods, reason = "these tests make workspaces and start the program")]

use std::fs;

use snapbox::{assert_data_eq, str};

use crate::program::{Mini, document, err, out};

const PACK: &str = "transitions/mini/pack.toml";
const T1: &str = "transitions/mini/T1.yaml";
const WEATHER: &str = "scenarios/mini/weather.yaml";

/// The findings of a run with `args`, in the short form.
fn short(mini: &Mini, args: &[&str], code: i32) -> Vec<String> {
    let args = [&["check", "--format", "short"], args].concat();
    let run = mini.run(&args).code(code).stderr_eq("");
    out(&run).lines().map(str::to_owned).collect()
}

#[test]
fn a_clean_workspace() {
    let mini = Mini::new();
    mini.run(&["check", "--deny", "warnings"])
        .code(0)
        .stderr_eq("")
        .stdout_eq("1 pack, 2 scenario files: 0 errors, 0 warnings\n");
    assert!(short(&mini, &[], 0).is_empty());
    let document = document(&mini.run(&["check", "--format", "json"]).code(0).stderr_eq(""));
    assert_eq!(document.to_string(), r#"{"format_version":1,"diagnostics":[],"summary":{"errors":0,"warnings":0}}"#);
}

#[test]
fn every_file_in_one_run() {
    let mini = Mini::new();
    mini.edit(T1, "owner:", "ownr:");
    mini.edit(PACK, "[frame.", "[fame.");
    mini.edit(WEATHER, "covers:", "cover:");
    mini.write("scenarios/mini/broken.yaml", "scenario: [");
    let found = short(&mini, &[], 1);
    for part in [
        "transitions/mini/T1.yaml:4:1: error[unknown-key]: ",
        "transitions/mini/pack.toml:16:2: error[unknown-key]: ",
        "scenarios/mini/weather.yaml:3:5: error[unknown-key]: ",
        "scenarios/mini/broken.yaml:1:11: error[syntax-error]: ",
    ] {
        assert!(found.iter().any(|line| line.starts_with(part)), "{part} in\n{}", found.join("\n"));
    }
    assert_eq!(found.len(), 5, "{}", found.join("\n"));
    let code = |args: &[&str]| mini.run(args).code(1).stderr_eq("");
    let document = document(&code(&["check", "--format", "json"]));
    assert_eq!(document["summary"].to_string(), r#"{"errors":5,"warnings":0}"#);
    let first = &document["diagnostics"][0];
    let keys: Vec<&String> = first.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["code", "slug", "severity", "message", "file", "range", "help", "related"]);
    assert_eq!(first["range"]["end"]["column"].as_u64(), first["range"]["start"]["column"].as_u64().map(|at| at + 4));
    assert!(out(&code(&["check"])).ends_with("\n1 pack, 3 scenario files: 5 errors, 0 warnings\n"));
}

/// What a path stands for.
#[test]
fn paths() {
    let mini = Mini::new();
    mini.write("transitions/other/pack.toml", "[pak]\n");
    mini.write("scenarios/mini/sub/one.yaml", "scenario: one\nturns: []\n");
    mini.write("scenarios/two.yaml", "scenario: two\npack: mini\nturns: []\n");
    mini.write("scenarios/three.yaml", "scenario: three\npack: mimi\nturns: []\n");
    mini.write("elsewhere/four.yaml", "scenario: four\nturns: []\n");
    let files = |args: &[&str]| {
        let mut files: Vec<String> =
            short(&mini, args, 1).iter().map(|line| line.split(':').next().unwrap_or("").to_owned()).collect();
        files.dedup();
        files.join(" ")
    };
    let (one, two, three, other) =
        ("scenarios/mini/sub/one.yaml", "scenarios/two.yaml", "scenarios/three.yaml", "transitions/other/pack.toml");
    let all = format!("{one} {two} {other} {three}");
    for args in [&[][..], &["."], &["segue.toml"], &["transitions", "scenarios"]] {
        assert_eq!(files(args), all, "{args:?}");
    }
    let pack = format!("{one} {two}");
    for args in [&["transitions/mini"][..], &["transitions/mini/T1.yaml"], &["--pack", "mini"]] {
        assert_eq!(files(args), pack, "{args:?}");
    }
    assert_eq!(files(&["transitions"]), format!("{pack} {other}"));
    assert_eq!(files(&["scenarios"]), format!("{one} {two} {three}"));
    assert_eq!(files(&["scenarios/mini"]), one);
    assert_eq!(files(&[one, three]), format!("{one} {three}"));
    assert_eq!(files(&["--pack", "mini", "elsewhere"]), "elsewhere/four.yaml");
    assert_eq!(files(&["--pack", "transitions/other"]), other);
    assert!(short(&mini, &[WEATHER], 0).is_empty());
    let refused = mini.run(&["check", "elsewhere"]).code(2).stdout_eq("");
    assert_data_eq!(
        err(&refused),
        "error: nothing to check: elsewhere is in none of transitions/, scenarios/; a pack elsewhere is named by `--pack`\n"
    );
}

/// FB-08: a run that found nothing to check never passes.
#[test]
fn nothing_to_check() {
    let mini = Mini::new();
    let refused = |args: &[&str], wanted: &str| {
        let run = mini.run(&[&["check"], args].concat()).code(2).stdout_eq("");
        assert_eq!(err(&run), format!("error: nothing to check: {wanted}\n"));
    };
    refused(&["nowhere"], "no such file or folder: nowhere");
    refused(&["scenarios", "nowhere"], "no such file or folder: nowhere");
    fs::create_dir(mini.path("scenarios/empty")).expect("a folder");
    let none = "no pack and no scenario file (*.yaml, *.yml, *.toml, *.json) in";
    refused(&["scenarios/empty"], &format!("{none} scenarios/empty/"));
    refused(
        &["--pack", "mini", "scenarios/empty"],
        "no scenario file (*.yaml, *.yml, *.toml, *.json) in scenarios/empty",
    );
    fs::remove_dir_all(mini.path("scenarios")).expect("removed");
    fs::remove_dir_all(mini.path("transitions")).expect("removed");
    refused(&[], &format!("{none} transitions/ (it does not exist), scenarios/ (it does not exist)"));
}

/// What cannot be read is a finding of its own, and the rest is checked.
#[test]
fn what_cannot_be_read() {
    let mini = Mini::new();
    mini.write("scenarios/mini/latin.yaml", b"scenario: caf\xe9\n");
    mini.write("transitions/mini/more.toml", b"# \xd0\x9f\n[frame.x]\n# \xff\n");
    mini.write("transitions/mini/x.json", "{}");
    fs::create_dir(mini.path("transitions/mini/folder.yaml")).expect("a folder");
    mini.edit(T1, "owner:", "ownr:");
    mini.edit(WEATHER, "covers:", "cover:");
    assert_data_eq!(
        short(&mini, &[], 1).join("\n"),
        str![[r#"
transitions/mini/T1.yaml:4:1: error[unknown-key]: unknown key `ownr` in a transition class
transitions/mini/folder.yaml:1:1: error[unreadable-file]: this is a folder, a file is due under such a name
transitions/mini/more.toml:3:3: error[unreadable-file]: the file is not UTF-8: the byte 0xFF begins no character
transitions/mini/x.json:1:1: error[unreadable-file]: a pack is not written in JSON
scenarios/mini/latin.yaml:1:14: error[unreadable-file]: the file is not UTF-8: the byte 0xE9 begins no character
scenarios/mini/weather.yaml:3:5: error[unknown-key]: unknown key `cover` in a scenario
scenarios/mini/weather.yaml:16:5: error[unknown-key]: unknown key `cover` in a scenario
"#]]
    );
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_back() {
    let mini = Mini::new();
    std::os::unix::fs::symlink(mini.path("transitions"), mini.path("transitions/mini/loop")).expect("a link");
    std::os::unix::fs::symlink(mini.path("nowhere"), mini.path("scenarios/mini/gone.yaml")).expect("a link");
    assert_data_eq!(
        short(&mini, &[], 1).join("\n"),
        str![[r#"
transitions/mini/loop:1:1: error[unreadable-file]: the link leads back to a folder above it
scenarios/mini/gone.yaml:1:1: error[unreadable-file]: the link leads to nothing
"#]]
    );
}

/// A link to a folder is one finding at the link where it leads back or out, and nothing below it is read.
#[cfg(unix)]
#[test]
fn links_to_folders() {
    let mini = Mini::new();
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, mini.path(at)).expect("a link");
    let back = "error[unreadable-file]: the link leads back to a folder above it";
    let elsewhere = "error[unreadable-file]: the link leads to a folder elsewhere, which is not looked into";
    link("../..", "transitions/mini/root");
    link("..", "transitions/mini/packs");
    link(".", "transitions/mini/itself");
    link("../../scenarios", "transitions/mini/scenes");
    let other = Mini::empty();
    link(&other.path("").to_string_lossy(), "transitions/mini/other");
    link("/", "transitions/mini/system");
    link("../../transitions", "scenarios/mini/classes");
    link("../..", "scenarios/mini/root");
    link("..", "transitions/all");
    let found = short(&mini, &[], 1);
    let wanted = [
        ("transitions/all", back),
        ("transitions/mini/itself", back),
        ("transitions/mini/other", elsewhere),
        ("transitions/mini/packs", back),
        ("transitions/mini/root", back),
        ("transitions/mini/scenes", elsewhere),
        ("transitions/mini/system", back),
        ("scenarios/mini/classes", elsewhere),
        ("scenarios/mini/root", back),
    ];
    let wanted: Vec<String> = wanted.iter().map(|(at, message)| format!("{at}:1:1: {message}")).collect();
    assert_eq!(found, wanted);
    for (at, _) in wanted.iter().filter_map(|line| line.split_once(':')) {
        fs::remove_file(mini.path(at)).expect("removed");
    }
    // A folder that packs share is read, as is a pack that lies elsewhere.
    mini.write("transitions/shared/more.toml", "[enum]\ncolour = 1\n");
    link("../shared", "transitions/mini/shared");
    let found = short(&mini, &["transitions/mini"], 1);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("transitions/mini/shared/more.toml:2:10: error[wrong-type]"), "{found:?}");
    fs::remove_file(mini.path("transitions/mini/shared")).expect("removed");
    fs::remove_dir_all(mini.path("transitions/shared")).expect("removed");
    fs::rename(mini.path("transitions/mini"), mini.path("elsewhere")).expect("moved");
    link("../elsewhere", "transitions/mini");
    assert!(short(&mini, &[], 0).is_empty());
}

/// Names in `segue.toml` that lead nowhere, or to two places: one finding at the name, and nobody else is blamed for it.
#[test]
fn settings_that_lead_nowhere() {
    let mini = Mini::new();
    let found = |text: &str, wanted: &[(&str, &str)]| {
        mini.write("segue.toml", text);
        let run = mini.run(&["check", "--format", "json"]).code(1).stderr_eq("");
        let document = document(&run);
        let found: Vec<(String, String)> = document["diagnostics"]
            .as_array()
            .expect("findings")
            .iter()
            .map(|found| {
                assert_eq!(found["file"], "segue.toml", "{found}");
                let start = &found["range"]["start"];
                let message = found["message"].as_str().expect("a message");
                (
                    format!("{}:{}: {message}", start["line"], start["column"]),
                    found["help"].as_str().expect("a help").to_owned(),
                )
            })
            .collect();
        let wanted: Vec<(String, String)> = wanted.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        assert_eq!(found, wanted, "{text}");
    };
    found("pack = \"nosuch\"\n", &[("1:8: there is no pack `nosuch`", "name one that there is: `mini`")]);
    found("pack = \"mimi\"\n", &[("1:8: there is no pack `mimi`", "did you mean `mini`?")]);
    found(
        "packs = [\"nosuch\"]\n",
        &[("1:10: there is no folder `nosuch`", "make the folder, or name one that there is")],
    );
    found(
        "pack = \"mini\"\npacks = [\"transition\"]\n",
        &[("2:10: there is no folder `transition`", "did you mean `transitions`?")],
    );
    found("scenarios = [\"scenarois\"]\n", &[("1:14: there is no folder `scenarois`", "did you mean `scenarios`?")]);
    found(
        "packs = [\"transitions\", \"segue.toml\"]\n",
        &[("1:25: `segue.toml` is no folder", "name the folder itself")],
    );
    found(
        "packs = [\"transitions\", \"transitions\"]\n",
        &[("1:25: `transitions` is named twice", "remove one of the two")],
    );
    mini.write("more/mini/pack.toml", "[pak]\n");
    found(
        "packs = [\"transitions\", \"more\"]\n",
        &[(
            "1:25: the pack `mini` lies in `transitions` as well, and only that one is read",
            "rename one of the two folders",
        )],
    );
    // What is not there is no fault of other verbs.
    mini.write("segue.toml", "packs = [\"transitions\", \"later\"]\nscenarios = [\"scenarios\"]\n");
    mini.run(&["replay"]).code(0);
}

/// A `segue.toml` that cannot be read is a finding, and everything is where it usually is; other verbs do not run.
#[test]
fn settings_that_cannot_be_read() {
    let mini = Mini::new();
    let holds = |place: &str, wanted: &str| {
        assert_eq!(short(&mini, &[], 1), [format!("segue.toml:{place}: error[unreadable-file]: {wanted}")]);
        let run = mini.run(&["replay"]).code(2).stdout_eq("");
        assert!(err(&run).starts_with("error: segue.toml:") && err(&run).contains(wanted), "{}", err(&run));
    };
    mini.write("segue.toml", b"# caf\xe9\n");
    holds("1:6", "the file is not UTF-8: the byte 0xE9 begins no character");
    fs::remove_file(mini.path("segue.toml")).expect("removed");
    fs::create_dir(mini.path("segue.toml")).expect("a folder");
    holds("1:1", "this is a folder, a file is due here");
}

/// A file that lies beside the folders of packs is read by nobody.
#[test]
fn a_file_in_no_pack() {
    let mini = Mini::new();
    mini.write("transitions/T2.yaml", "id: T2\n");
    mini.write("transitions/README.md", "# Packs\n");
    let found = ["transitions/T2.yaml:1:1: error[unreadable-file]: the file lies in no pack, so nothing reads it"];
    for args in [&[][..], &["transitions"], &["transitions/T2.yaml"]] {
        assert_eq!(short(&mini, args, 1), found, "{args:?}");
    }
    assert!(short(&mini, &["transitions/mini"], 0).is_empty());
    let text = out(&mini.run(&["check"]).code(1));
    assert!(text.contains("help: put it into the folder of its pack, such as `transitions/mini/`"), "{text}");
}

/// Two files whose scenarios would have one snapshot.
#[test]
fn a_snapshot_for_two() {
    let mini = Mini::new();
    let text = fs::read_to_string(mini.path(WEATHER)).expect("a file");
    mini.write("scenarios/mini/weather.yml", &text);
    let found = short(&mini, &[], 1);
    assert!(!found.is_empty());
    for line in &found {
        assert!(line.starts_with("scenarios/mini/weather.yml:"), "{line}");
        let wanted =
            "error[duplicate-name]: the scenario and one in scenarios/mini/weather.yaml would share a snapshot";
        assert!(line.ends_with(wanted), "{line}");
    }
    fs::rename(mini.path("scenarios/mini/weather.yml"), mini.path("scenarios/mini/other.yml")).expect("renamed");
    assert!(short(&mini, &[], 0).is_empty());
}

/// What is wrong with `segue.toml` is found like anything else, and the rest is checked.
#[test]
fn settings() {
    let mini = Mini::new();
    mini.write("segue.toml", "packs = 1\nscenarios = [\"../x\"]\n[check]\ndeny = \"warning\"\nlevl = {}\nlevel.SG001 = \"off\"\nlevel.bad-ignor = \"off\"\n");
    mini.edit(T1, "owner:", "ownr:");
    assert_data_eq!(
        short(&mini, &[], 1).join("\n"),
        str![[r#"
segue.toml:1:9: error[wrong-type]: expected a list, found number `1`
segue.toml:2:14: error[bad-value]: the folder is outside the workspace
segue.toml:4:8: error[unknown-value]: `warning` is not allowed here
segue.toml:5:1: error[unknown-key]: unknown key `levl` in the settings of `segue check`
segue.toml:6:7: error[fixed-level]: the level of `SG001` is fixed
segue.toml:7:7: error[unknown-code]: there is no code `bad-ignor`
transitions/mini/T1.yaml:4:1: error[unknown-key]: unknown key `ownr` in a transition class
"#]]
    );
    mini.write("segue.toml", "[check\n");
    assert_data_eq!(
        short(&mini, &[], 1).join("\n"),
        str![[r#"
segue.toml:1:1: error[syntax-error]: `[check` is no header
transitions/mini/T1.yaml:4:1: error[unknown-key]: unknown key `ownr` in a transition class
"#]]
    );
    let run = mini.run(&["replay"]).code(2).stdout_eq("");
    assert!(err(&run).starts_with("error: segue.toml:1:1: error[syntax-error]: "), "{}", err(&run));
}

#[test]
fn levels_and_ignores() {
    let mini = Mini::new();
    mini.edit(T1, "owner:", "# segue: ignore[bad-ignore] for later\nowner:");
    mini.edit(WEATHER, "scenarios:", "# segue: ignore later\nscenarios:");
    let found = [
        "transitions/mini/T1.yaml:4:17: warning[unused-ignore]: nothing is found here that `bad-ignore` would ignore",
        "scenarios/mini/weather.yaml:1:10: warning[bad-ignore]: the comment `ignore later` is not understood",
    ];
    assert_eq!(short(&mini, &[], 0), found);
    assert_eq!(short(&mini, &["--deny", "warnings"], 1), found);
    // Of the pack nothing but errors is shown where scenarios are asked for.
    assert_eq!(short(&mini, &["scenarios"], 0), found[1..]);
    mini.write("segue.toml", "[check]\ndeny = \"warnings\"\n");
    assert_eq!(short(&mini, &[], 1), found);
    mini.write("segue.toml", "[check]\nlevel = { unused-ignore = \"off\", SG505 = \"error\" }\n");
    assert_eq!(short(&mini, &[], 1), [found[1].replace("warning", "error")]);
    mini.write("segue.toml", "[check.level]\nbad-ignore = \"note\"\nunused-ignore = \"note\"\n");
    assert_eq!(short(&mini, &["--deny", "warnings"], 0), found.map(|line| line.replace("warning", "note")));
    assert!(
        out(&mini.run(&["check"]).code(0)).ends_with("\n1 pack, 2 scenario files: 0 errors, 0 warnings, 2 notes\n")
    );
}

#[test]
fn the_page_of_a_code() {
    let mini = Mini::new();
    let page = out(&mini.run(&["explain", "SG503"]).code(0).stderr_eq(""));
    assert!(page.starts_with("# SG503 unused-ignore\n\nAn `ignore` comment"), "{page}");
    assert!(page.contains("\n## Wrong\n\n```toml transitions/desk/more.toml\n# segue: ignore"), "{page}");
    for name in ["unused-ignore", "sg503", "UNUSED_IGNORE"] {
        assert_eq!(out(&mini.run(&["explain", name]).code(0)), page, "{name}");
    }
    for (name, help) in [
        ("SG5003", "did you mean `SG003`?"),
        ("unused-ignor", "did you mean `unused-ignore`?"),
        ("weather", "write the id or the name of a code, such as `SG002` or `unknown-key`, or a scenario file"),
    ] {
        let refused = mini.run(&["explain", name]).code(2).stdout_eq("");
        assert_eq!(err(&refused), format!("error: there is no code `{name}`, and no such file; {help}\n"));
    }
    mini.write("unused-ignore", "");
    assert!(err(&mini.run(&["explain", "unused-ignore"]).code(2)).contains("is no scenario file"));
}

/// Each machine form is one document on standard output, and says the same.
#[test]
fn one_document() {
    let mini = Mini::new();
    let run = |format: &str, code: i32| out(&mini.run(&["check", "--format", format]).code(code).stderr_eq(""));
    let cases = |text: &str| quick_junit::Report::deserialize_from_str(text).expect("JUnit");
    assert_eq!((cases(&run("junit", 0)).tests, cases(&run("junit", 0)).failures), (6, 0));
    let sarif = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("one document")["runs"][0].clone();
    assert_eq!(sarif(&run("sarif", 0))["results"].to_string(), "[]");
    mini.edit(T1, "owner:", "# segue: ignore[bad-ignore] for later\nownr:");
    mini.edit(WEATHER, "covers:", "cover:");
    mini.write("scenarios/mini/latin.yaml", b"scenario: caf\xe9\n");
    let results = sarif(&run("sarif", 1))["results"].clone();
    let places: Vec<String> = results
        .as_array()
        .expect("results")
        .iter()
        .map(|result| {
            let place = &result["locations"][0]["physicalLocation"];
            let (file, region) = (place["artifactLocation"]["uri"].as_str().expect("a path"), &place["region"]);
            format!(
                "{file}:{}:{}: {}",
                region["startLine"],
                region["startColumn"],
                result["level"].as_str().expect("a level")
            )
        })
        .collect();
    let short: Vec<String> =
        short(&mini, &[], 1).iter().map(|line| line.split_once('[').expect("a code").0.to_owned()).collect();
    assert_eq!(places, short);
    let junit = cases(&run("junit", 1));
    assert_eq!((junit.tests, junit.failures), (7, 3));
    let document = document(&mini.run(&["check", "--format", "json"]).code(1));
    assert_eq!(document["diagnostics"].as_array().map(Vec::len), Some(short.len()));
    for format in ["json", "sarif", "junit", "github", "short"] {
        assert_eq!(out(&mini.run(&["check", "--format", format, "nowhere"]).code(2)), "", "{format}");
    }
}

/// In a workflow of GitHub: ten annotations, the worst first; the rest goes to the summary; paths begin at the repository.
#[test]
fn annotations() {
    let mini = Mini::new();
    let wrong: String = (0..12).map(|nth| format!("x{nth}: 1\n")).collect();
    mini.write(
        "scenarios/mini/more.yaml",
        format!(
            "# segue: ignore later\nscenario: more\n{wrong}turns: [{{ user: x, expect: {{ transition: T10 }} }}]\n"
        ),
    );
    let summary = mini.path("summary.md");
    fs::write(&summary, "# Before\n").expect("written");
    let repository = mini.path("").parent().expect("a folder").to_path_buf();
    let below = mini.path("").file_name().expect("a name").to_string_lossy().into_owned();
    let run = mini
        .command(&["check", "--format", "github"])
        .env("CI", "true")
        .env("GITHUB_STEP_SUMMARY", &summary)
        .env("GITHUB_WORKSPACE", &repository)
        .assert()
        .code(1)
        .stderr_eq("");
    let text = out(&run);
    let lines: Vec<&str> = text.lines().collect();
    let wanted = format!(
        "::error file={below}/scenarios/mini/more.yaml,line=3,col=1,endLine=3,endColumn=3,title=SG002 unknown-key::unknown key `x0` in a scenario%0Ahelp: the keys here are"
    );
    assert!(lines[0].starts_with(&wanted), "{}", lines[0]);
    assert!(lines[..10].iter().all(|line| line.starts_with("::error ")), "{text}");
    assert!(lines[10..12].iter().all(|line| line.starts_with("scenarios/mini/more.yaml:1")), "{text}");
    assert!(lines[12].contains(": warning[bad-ignore]: "), "{text}");
    assert_eq!(lines[13..], ["1 pack, 3 scenario files: 12 errors, 1 warning"]);
    let summary = fs::read_to_string(&summary).expect("a summary");
    assert!(summary.starts_with("# Before\n### segue check: 12 errors, 1 warning\n"), "{summary}");
    assert_eq!(summary.lines().filter(|line| line.starts_with("- **")).count(), 3, "{summary}");
    // Without that file all is in the log.
    let run = mini
        .command(&["check", "--format", "github"])
        .env_remove("GITHUB_STEP_SUMMARY")
        .env_remove("GITHUB_WORKSPACE")
        .assert()
        .code(1);
    assert!(out(&run).starts_with("::error file=scenarios/mini/more.yaml,line=3,"), "{}", out(&run));
}

/// Columns and carets stand under the text at fault whatever comes before it: Cyrillic, wide and combining characters, tabs, a
/// byte-order mark, line breaks of Windows.
#[test]
fn carets() {
    let mini = Mini::new();
    let turns = "turns: [{ user: x, expect: { transition: T10 } }]";
    let file =
        |name: &str, text: &str| mini.write(&format!("scenarios/mini/{name}.yaml"), text.replace("TURNS", turns));
    file("bom", "\u{feff}scenarioo: имя\r\nscenario: первый\r\nTURNS\r\n");
    file("combining", "{ scenario: \"e\u{301}\u{323} и\u{306}\", covrs: T1, TURNS }\n");
    file("flow", "{ scenario: \"имя й 列表 👩‍👩‍👧\", covrs: T1, TURNS }\n");
    file("tab", "scenario: tab\t# \tcomment\nenv:\t{ today:\t2021-13-01 }\nTURNS\n");
    let run = mini.run(&["check", "scenarios"]).code(1).stderr_eq("");
    assert_data_eq!(
        out(&run),
        str![[r#"
error[unknown-key]: unknown key `scenarioo` in a scenario
 --> scenarios/mini/bom.yaml:1:1
  |
1 | scenarioo: имя
  | ^^^^^^^^^
  |
  = help: did you mean `scenario`?

error[unknown-key]: unknown key `covrs` in a scenario
 --> scenarios/mini/combining.yaml:1:23
  |
1 | { scenario: "ẹ́ й", covrs: T1, turns: [{ user: x, expect: { transition: T10 } }] }
  |                    ^^^^^
  |
  = help: did you mean `covers`?

error[unknown-key]: unknown key `covrs` in a scenario
 --> scenarios/mini/flow.yaml:1:31
  |
1 | { scenario: "имя й 列表 👩👩👧", covrs: T1, turns: [{ user: x, expect: { transition: T10 } }] }
  |                                  ^^^^^
  |
  = help: did you mean `covers`?

error[bad-value]: `2021-13-01` is no date
 --> scenarios/mini/tab.yaml:2:15
  |
2 | env:    { today:    2021-13-01 }
  |                     ^^^^^^^^^^
  |
  = help: write one such as 2021-05-10

1 pack, 6 scenario files: 4 errors, 0 warnings

"#]]
    );
    let document = document(&mini.run(&["check", "scenarios", "--format", "json"]).code(1));
    let places: Vec<String> = document["diagnostics"]
        .as_array()
        .expect("findings")
        .iter()
        .map(|found| format!("{} {}", found["file"].as_str().expect("a file"), found["range"]))
        .collect();
    assert_data_eq!(
        places.join("\n"),
        str![[r#"
scenarios/mini/bom.yaml {"start":{"line":1,"column":1},"end":{"line":1,"column":10}}
scenarios/mini/combining.yaml {"start":{"line":1,"column":23},"end":{"line":1,"column":28}}
scenarios/mini/flow.yaml {"start":{"line":1,"column":31},"end":{"line":1,"column":36}}
scenarios/mini/tab.yaml {"start":{"line":2,"column":15},"end":{"line":2,"column":25}}
"#]]
    );
}

/// A file of relative periods that cannot be read, or is wrong, costs its own findings only: what names a period of it is not told.
#[test]
fn what_names_a_period_of_a_file_that_is_broken_is_not_told() {
    const PERIODS: &str = "transitions/mini/periods.toml";
    let good = "[relative.SOON]\nunit = \"week\"\noffset = 1\nlength = 1\n";
    let mini = Mini::new();
    mini.edit(PACK, "asked = {", "when = { type = \"date_range\", default = \"SOON\", for_host = true }\nasked = {");
    mini.edit(WEATHER, "{ city: oslo, evidence", "{ city: oslo, when: SOON, evidence");
    mini.write(PERIODS, good);
    assert!(short(&mini, &[], 0).is_empty());
    for (text, wanted) in [
        (format!("{good}= = x\n").into_bytes(), "5:1: error[syntax-error]: "),
        (good.replace("week", "wek").into_bytes(), "2:8: error[unknown-value]: `wek` is not allowed here"),
        (b"\xff\xfe\x80".to_vec(), "1:1: error[unreadable-file]: "),
        (
            good.replace("SOON", "SOOM").into_bytes(),
            "1:11: error[unknown-name]: `SOOM` is declared here and named nowhere",
        ),
    ] {
        mini.write(PERIODS, text);
        let found = short(&mini, &[], 1);
        assert!(found.iter().all(|found| found.starts_with(PERIODS)), "{found:#?}");
        assert!(found[0].starts_with(&format!("{PERIODS}:{wanted}")), "{found:#?}");
    }
    // What is no period whatever stands there is told.
    mini.write(PERIODS, good);
    mini.edit(WEATHER, "when: SOON", "when: SOOON");
    assert_eq!(short(&mini, &[], 1), [format!("{WEATHER}:17:41: error[unknown-name]: `SOOON` is no period")]);
}

/// Days, hours and the like that there are not are told as such, and nulls once.
#[test]
fn values_that_there_are_not() {
    let field = "when = { type = \"KIND\", optional = true, for_host = true }\nasked = {";
    for (kind, value, why) in [
        ("date_range", "2020-13", "bad-value]: `2020-13` is not possible: there is no month 13"),
        ("date_range", "2020-02-30", "bad-value]: `2020-02-30` is not possible: 2020-02 has the days 01 to 29"),
        ("instant", "2020-02-20T25:00:00Z", "bad-value]: `2020-02-20T25:00:00Z` is not possible: there is no hour 25"),
        ("date_range", "soon", "unknown-name]: `soon` is no period"),
    ] {
        let mini = Mini::new();
        mini.edit(PACK, "asked = {", &field.replace("KIND", kind));
        mini.edit(WEATHER, "{ city: oslo, evidence", &format!("{{ city: oslo, when: {value}, evidence"));
        assert_eq!(short(&mini, &[], 1), [format!("{WEATHER}:17:41: error[{why}")]);
    }
    for (from, to, place) in [
        ("- user: а погода?", "- outcome: null", "12:9: error[null-value]: `outcome` has no value"),
        ("returns: { evidence: good }", "returns: null", "11:53: error[null-value]: `returns` has no value"),
        ("status: timeout", "status: null", "22:35: error[null-value]: `status` has no value"),
    ] {
        let mini = Mini::new();
        mini.edit(WEATHER, from, to);
        assert_eq!(short(&mini, &[], 1), [format!("{WEATHER}:{place}")]);
    }
}

/// What a name holds moves nothing on the terminal, and breaks no form.
#[cfg(unix)]
#[test]
fn names_of_files_with_control_characters() {
    let mini = Mini::new();
    mini.write("scenarios/mini/a\u{1b}[31m\nb.yaml", "scenario: [");
    let name = "scenarios/mini/a\\u{1b}[31m\\u{a}b.yaml";
    assert_eq!(short(&mini, &[], 1), [format!("{name}:1:11: error[syntax-error]: `[` has no `]`")]);
    for form in ["human", "short", "json", "sarif", "github", "junit"] {
        let told = out(&mini.run(&["check", "--format", form]).code(1).stderr_eq(""));
        assert!(!told.contains('\u{1b}') && !told.contains("\nb.yaml"), "{form}: {told}");
    }
    let told = err(&mini.run(&["fmt"]).code(2));
    assert!(told.contains(name) && !told.contains('\u{1b}'), "{told}");
    let told = err(&mini.run(&["check", "no\u{1b}[31m"]).code(2));
    assert!(told.contains("no\\u{1b}[31m"), "{told}");
}

/// What a condition that never holds keeps a conversation from is not told beside it.
#[test]
fn what_never_holds_is_told_alone() {
    let mini = Mini::new();
    mini.edit("transitions/mini/T1.yaml", "entry: {}", "entry: { topic.asked: { gt: 5, lt: 3 } }");
    let told = out(&mini.run(&["check", "--format", "short"]));
    let found: Vec<&str> = told.lines().filter(|line| line.contains(": warning") || line.contains(": error")).collect();
    let [one] = &found[..] else { panic!("{told}") };
    assert!(one.starts_with("transitions/mini/T1.yaml:13:"), "{told}");
    assert!(one.ends_with("warning[never-holds]: the tests of `topic.asked` can never hold together"), "{told}");
}
