//! Several mistakes at once, in different files of a small pack and of the shipped ones: each is found, whatever else is wrong, and none
//! is made up.

use std::path::Path;

use serde_json::{Value as Json, json};

use segue::audit::{Config, audit};
use segue::declare::{Options, SourceText, declare};
use segue::report::short;

use segue::workspace::{Workspace, files};

use crate::support::packs::as_toml;
use crate::support::shipped::Shipped;
use crate::support::tiny::Tiny;

/// A class that takes a text and says so.
fn says(text: &str) -> Json {
    json!({ "trigger": [{ "event": "utterance", "any": [{ "phrase": text, "whole": true }], "examples": [text], "counterexamples": [] }] })
}

/// The pack: A, C and B in this order, and D beside them, which takes what A takes.
fn pack() -> Tiny {
    let reads = json!({ "do": [{ "emit": "say", "with": { "what": "$gate.note" } }] });
    let mut tiny = Tiny::new(&[("A", says("a")), ("B", says("b")), ("C", says("c")), ("D", says("a")), ("E", reads)]);
    tiny.chain = ["A", "C", "B", "Z"].map(str::to_owned).into();
    tiny.add(json!({ "param": { "most": { "type": "int", "default": 3 } } }));
    tiny
}

const SCENARIO: &str = "scenario: all\ncovers: [B, C, D, Z]\nturns:\n  - events: [{ utterance: { text: b } }]\n    expect: { transition: B }\n---\n";
const OTHER: &str = "scenario: A\ncovers: A\nturns:\n  - events: [{ utterance: { text: a } }]\n    expect: { state: { rot: { hits: 1 } } }\n";

/// What is found in the pack with some files written differently, by place and code.
fn found(edits: &[(&str, &str, &str)]) -> Vec<String> {
    let mut files = as_toml(&pack().documents());
    for (name, from, to) in edits {
        let file = files.iter_mut().find(|file| file.name == *name).expect("a file");
        assert!(file.text.contains(from), "{}", file.text);
        file.text = file.text.replacen(from, to, 1).into();
    }
    let scenarios =
        [SourceText::new("all.yaml", SCENARIO.trim_end_matches("---\n")), SourceText::new("of_a.yaml", OTHER)];
    let audit = audit(&files, &scenarios, &Config::default());
    let said = short(&audit.sources, &audit.diagnostics);
    let line = |line: &str| line.split("]: ").next().unwrap_or_default().to_owned() + "]";
    said.lines().map(line).collect()
}

/// What is wrong with the pack as it is: two classes that take one text, a value that may be absent, a parameter that nothing uses, a
/// frame that a scenario misspells.
const BEFORE: &[&str] = &[
    "A.toml:22:1: error[overlap]",
    "E.toml:21:8: error[not-present]",
    "more0.toml:1:8: warning[unused-parameter]",
    "of_a.yaml:5:24: error[unknown-name]",
];

/// Makes the edits, each by itself and all of them, and looks for what each gives and for what is wrong before, but for what
/// hangs on what is edited.
#[track_caller]
fn each_and_all(edits: &[(&str, &str, &str, &str)], hidden: &[&str]) {
    let before = found(&[]);
    assert!(BEFORE.iter().all(|wanted| before.iter().any(|found| found == wanted)), "{before:#?}");
    let plain: Vec<(&str, &str, &str)> = edits.iter().map(|(file, from, to, _)| (*file, *from, *to)).collect();
    let all = found(&plain);
    for (edit, (.., wanted)) in plain.iter().zip(edits) {
        assert!(all.iter().any(|found| found == wanted), "{wanted} is not among {all:#?}");
        let alone = found(&[*edit]);
        assert!(alone.iter().any(|found| found == wanted), "{wanted} is not among {alone:#?}");
    }
    for wanted in BEFORE {
        let is_hidden = hidden.contains(wanted);
        assert_eq!(all.iter().any(|found| found == wanted), !is_hidden, "{wanted}: {all:#?}");
    }
    let known = |found: &&String| before.contains(found) || edits.iter().any(|(.., wanted)| found == wanted);
    let made_up: Vec<&String> = all.iter().filter(|found| !known(found)).collect();
    assert!(made_up.is_empty(), "made up: {made_up:#?}");
}

#[test]
fn a_mistake_in_a_class_hides_none_elsewhere() {
    each_and_all(&[("B.toml", "name = \"b\"", "nmae = \"b\"", "B.toml:4:1: error[unknown-key]")], &[]);
    each_and_all(
        &[("C.toml", "examples = [\"c\"]", "examples = [\"x\"]", "C.toml:25:13: error[example-not-matched]")],
        &[],
    );
    // A class that cannot be read at all, and it is the boundary.
    each_and_all(&[("Z.toml", "name = \"z\"", "name = \"z", "Z.toml:3:10: error[syntax-error]")], &[]);
}

#[test]
fn a_mistake_in_a_declaration_hides_none_that_does_not_hang_on_it() {
    each_and_all(&[("pack.toml", "type = \"bool\"", "type = \"bol\"", "pack.toml:109:8: error[unknown-name]")], &[]);
    let several = [
        ("B.toml", "name = \"b\"", "nmae = \"b\"", "B.toml:4:1: error[unknown-key]"),
        ("C.toml", "examples = [\"c\"]", "examples = [\"x\"]", "C.toml:25:13: error[example-not-matched]"),
        ("Z.toml", "mode = \"no\"", "mode = \"noo\"", "Z.toml:9:8: error[unknown-name]"),
        ("pack.toml", "unit = \"week\"", "unit = \"weak\"", "pack.toml:114:8: error[unknown-value]"),
    ];
    each_and_all(&several, &[]);
}

#[test]
fn what_may_be_so_only_because_of_a_mistake_is_not_said() {
    // Who precedes whom is not known.
    let chain = ("pack.toml", "\"A\"", "\"AAA\"", "pack.toml:86:16: error[unknown-name]");
    each_and_all(&[chain], &["A.toml:22:1: error[overlap]"]);
    // One of the two that overlap; and it may be meant to use the parameter.
    let event = ("A.toml", "event = \"utterance\"", "event = \"x\"", "A.toml:24:9: error[unknown-name]");
    each_and_all(&[event], &["A.toml:22:1: error[overlap]", "more0.toml:1:8: warning[unused-parameter]"]);
}

/// What is said of a mistake in the manifest or in a class: its place and message, and what to write instead.
fn said(edit: (&str, &str, &str)) -> Vec<String> {
    let mut files = as_toml(&pack().documents());
    let file = files.iter_mut().find(|file| file.name == edit.0).expect("a file");
    assert!(file.text.contains(edit.1), "{}", file.text);
    file.text = file.text.replacen(edit.1, edit.2, 1).into();
    let declared = declare(&files, &Options::default());
    let found = declared.diagnostics.into_sorted();
    found.into_iter().map(|found| format!("{} / {}", found.message, found.help.unwrap_or_default())).collect()
}

#[test]
fn a_chain_without_brackets_of_its_own_is_one_finding() {
    let found = said(("pack.toml", "[[\"A\", \"C\", \"B\", \"Z\"]]", "[\"A\", \"C\"]"));
    let wanted = "`precedence` is a list of chains, and this is a list of names / write the chain in brackets of its own: [[\"A\", \"C\"]]";
    assert_eq!(found, [wanted]);
}

#[test]
fn other_words_for_tests_are_known() {
    for (word, test) in [("min", "gte"), ("at_most", "lte"), ("\">=\"", "gte"), ("length", "size")] {
        let found = said(("B.toml", "[requires]", &format!("[requires]\nroot.hits = {{ {word} = 1 }}")));
        assert_eq!(found, [format!("unknown test `{}` / did you mean `{test}`?", word.trim_matches('"'))]);
    }
}

/// What is found in a shipped pack and its scenarios with some files written differently: place, code and message.
fn shipped(pack: &str, edits: &[(&str, &str, &str)]) -> Vec<String> {
    edits.iter().fold(Shipped::of(pack), |all, (name, from, to)| all.edited(name, from, to)).short()
}

#[test]
fn what_is_wrong_with_a_used_pack_is_not_told_of_the_scenarios_of_its_user() {
    let edit = ("transitions/clarification/ABANDON.toml", "signal = \"command\"", "signal = \"comand\"");
    let told = shipped("joined", &[edit]);
    assert!(matches!(&told[..], [one] if one.starts_with("transitions/clarification/ABANDON.toml:")), "{told:#?}");
}

#[test]
fn a_slip_in_a_shared_file_hides_nothing_of_scenarios() {
    let slip = ("T1.yaml", "answer_mode: exact_route", "answer_mode: exact_rout");
    let wanted = "T1.yaml:12:24: error[unknown-name]: `exact_rout` is no answer mode of this pack";
    let shared = [
        (
            "messages.toml",
            "channel",
            "chanel",
            "messages.toml:3:1: error[unknown-key]: unknown key `chanel` in a message",
        ),
        ("state.toml", "doc =", "docc =", "state.toml:32:1: error[unknown-key]: unknown key `docc` in a frame"),
        ("ports.toml", "doc =", "docc =", "ports.toml:5:1: error[unknown-key]: unknown key `docc` in a port"),
        (
            "lexicon/words.toml",
            "doc =",
            "docc =",
            "lexicon/words.toml:6:1: error[unknown-key]: unknown key `docc` in a signal",
        ),
        (
            "conditions.toml",
            "all = [",
            "alll = [",
            "conditions.toml:6:1: error[unknown-name]: there is no frame `alll`",
        ),
        (
            "answers.toml",
            "claims",
            "clams",
            "answers.toml:3:17: error[unknown-key]: unknown key `clams` in an answer mode",
        ),
        ("T1.toml", "doc =", "docc =", "T1.toml:8:1: error[unknown-key]: unknown key `docc` in a transition class"),
    ];
    for (file, from, to, told) in shared {
        assert_eq!(shipped("assistant", &[(file, from, to), slip]), [told, wanted]);
    }
}

#[test]
fn a_class_that_is_wrong_hides_nothing_of_scenarios_but_itself() {
    let slip = ("gate.yaml", "port: classify", "port: clasify");
    let wanted = "gate.yaml:9:21: error[unknown-name]: `clasify` is no port of this pack";
    for class in ["NEW_QUERY.toml", "GENERATE.toml", "COMPLETE.toml"] {
        let told = shipped("clarification", &[(class, "set.", "sett."), slip]);
        assert!(matches!(told.as_slice(), [own, last] if own.starts_with(class) && last == wanted), "{told:#?}");
    }
}

#[test]
fn what_is_wrong_with_a_scenario_whatever_its_pack_declares_is_told_without_it() {
    let broken = ("pack.toml", "aggregate = \"a", "aggregate = a");
    let first = "pack.toml:7:13: error[syntax-error]: missing opening quote";
    let edits = [
        ("answer_mode: ", "answer_mod: ", "12:11: error[unknown-key]: unknown key `answer_mod` in an expectation"),
        ("        expect:", "        expcet:", "10:9: error[unknown-key]: unknown key `expcet` in a turn"),
        ("        calls:", "        cals:", "19:9: error[unknown-key]: unknown key `cals` in a turn"),
        ("transition: T1\n", "transition: [T1]\n", "11:23: error[wrong-type]: expected text, found a list"),
        (
            "transition: T1\n",
            "transition: T1\n          settled: T2\n",
            "12:20: error[bad-value]: `transition` already says `selected` and `settled`",
        ),
        (
            "port: route_execute",
            "prt: route_execute",
            "20:13: error[unknown-key]: unknown key `prt` in a scripted call",
        ),
        ("returns: {", "status: okay #", "22:21: error[unknown-value]: `okay` is not allowed here"),
        ("      - user:", "      - assistant:", "9:9: error[missing-key]: the turn says nothing that happens"),
    ];
    for (from, to, wanted) in edits {
        let told = shipped("assistant", &[broken, ("T1.yaml", from, to)]);
        assert_eq!(told, [first.to_owned(), format!("T1.yaml:{wanted}")]);
        // With the pack it is the same.
        assert_eq!(shipped("assistant", &[("T1.yaml", from, to)])[..1], [format!("T1.yaml:{wanted}")]);
    }
}

/// One finding for a slip that moves or renames much, at its place, with what to write; and none of what follows from it.
#[track_caller]
fn told_once(pack: &str, edit: (&str, &str, &str), wanted: &str) {
    // The line on which the slip is made.
    let (name, from, _) = edit;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("transitions").join(pack).join(name);
    let text = files::read(&path, "a file of a pack").expect("it can be read");
    let line = text[..text.find(from).expect("it stands there")].matches('\n').count() + 1;
    let wanted = &wanted.replace("LINE", &line.to_string());
    assert_eq!(&shipped(pack, &[edit]), std::slice::from_ref(wanted));
    // What else is wrong is found beside it.
    let (file, slip, at) = match pack {
        "assistant" => {
            ("derive.toml", ("doc =", "docc ="), "error[unknown-key]: unknown key `docc` in a derived signal")
        }
        _ => ("messages.toml", ("channel", "chanel"), "error[unknown-key]: unknown key `chanel` in a message"),
    };
    let both = shipped(pack, &[edit, (file, slip.0, slip.1)]);
    assert_eq!(both.len(), 2, "{both:#?}");
    assert!(both.iter().any(|found| found == wanted) && both.iter().any(|found| found.ends_with(at)), "{both:#?}");
}

#[test]
fn a_header_that_is_lost_is_told_once() {
    let never = "[[never]]                                    # S3: must not fall into generic chat\n";
    let lost = [
        ("T1.toml", "[[settle]]\n", "LINE:1", "`on`, `when`, `do` belong to `[[settle]]`"),
        ("T1.toml", "[carryover]\n", "LINE:1", "`depth`, `keep`, `forbid`, `preserve`, `fate` belong to `[carryover]`"),
        ("T1.toml", "[[trigger]]\n", "LINE:1", "`event`, `any`, `examples`, `counterexamples` belong to `[[trigger]]`"),
        ("T1.toml", "[entry]\n", "LINE:1", "`input`, `is` belong to `[entry]`"),
        ("T4.toml", "[requires]\n", "LINE:1", "`object` belongs to `[requires]`"),
        (
            "T4.toml",
            "[answer.by.coverage_gate.truth_mode]\n",
            "LINE:1",
            "`confirmed`, `limited`, `clarification_required`, `unsupported` belong to `[answer.by.coverage_gate.truth_mode]`",
        ),
        ("T4.toml", never, "LINE:1", "`answer` belongs to `[[never]]`"),
    ];
    for (file, header, at, message) in lost {
        let wanted = format!("{file}:{at}: error[unknown-key]: {message}, whose header is missing");
        told_once("assistant", (file, header, ""), &wanted);
    }
}

#[test]
fn a_header_with_the_wrong_brackets_is_told_once() {
    let wrong = [
        ("T1.toml", "[[do]]", "[do]", "LINE:1", "`do` is a list, and `[do]` begins a single table"),
        ("T4.toml", "[[never]]", "[never]", "LINE:1", "`never` is a list, and `[never]` begins a single table"),
        (
            "T4.toml",
            "[entry]",
            "[[entry]]",
            "LINE:1",
            "`entry` is a single table, and `[[entry]]` begins one of a list",
        ),
    ];
    for (file, from, to, at, message) in wrong {
        told_once("assistant", (file, from, to), &format!("{file}:{at}: error[wrong-type]: {message}"));
    }
}

#[test]
fn a_name_that_is_misspelt_where_it_is_declared_is_told_once_there() {
    let renamed = |declared: &str, used: &str, places: usize| {
        format!(
            "error[unknown-name]: `{declared}` is declared here and named nowhere; `{used}` is named in {places} places and declared nowhere"
        )
    };
    let slips = [
        (
            "ports.toml",
            "response = { coverage_status",
            "response = { coverage_statu",
            format!("LINE:14: {}", renamed("coverage_statu", "coverage_status", 9)),
        ),
        (
            "conditions.toml",
            "condition.outcome_admissible",
            "condition.outcome_admisible",
            format!("LINE:12: {}", renamed("outcome_admisible", "outcome_admissible", 8)),
        ),
        (
            "blocks.toml",
            "[block.ask_root]",
            "[block.ask_rot]",
            format!("LINE:8: {}", renamed("ask_rot", "ask_root", 3)),
        ),
        (
            "T10.toml",
            "reason = \"execution_failed\"",
            "reason = \"execution_fialed\"",
            format!("LINE:10: {}", renamed("execution_fialed", "execution_failed", 11)),
        ),
        (
            "ports.toml",
            "[port.meta_answer]",
            "[port.meta_answr]",
            format!("LINE:7: {}", renamed("meta_answr", "meta_answer", 40)),
        ),
        ("T3.toml", "id = \"T3\"", "id = \"T33\"", format!("LINE:6: {}", renamed("T33", "T3", 2))),
        (
            "lexicon/dates.toml",
            "[relative.LAST_MONTH]",
            "[relative.LAST_MONHT]",
            format!("LINE:11: {}", renamed("LAST_MONHT", "LAST_MONTH", 4)),
        ),
        (
            "pack.toml",
            "universe = [\"root\", \"object\"",
            "universe = [\"root\", \"objct\"",
            "LINE:22: error[unknown-name]: there is no frame `objct`".to_owned(),
        ),
    ];
    for (file, from, to, wanted) in slips {
        told_once("assistant", (file, from, to), &format!("{file}:{wanted}"));
    }
    told_once(
        "clarification",
        ("ports.toml", "[port.classify]", "[port.clasify]"),
        &format!("ports.toml:LINE:7: {}", renamed("clasify", "classify", 15)),
    );
}

/// The small pack with a further file, and scenarios.
fn with_file(text: &str, scenario: &str) -> Vec<String> {
    let mut files = as_toml(&pack().documents());
    files.push(SourceText::new("more.yaml", text));
    let scenarios = [SourceText::new("s.yaml", scenario)];
    let audit = audit(&files, &scenarios, &Config::default());
    let said = short(&audit.sources, &audit.diagnostics);
    let of_these = said.lines().filter(|line| line.starts_with("more.yaml") || line.starts_with("s.yaml"));
    of_these.map(str::to_owned).collect()
}

#[test]
fn a_line_of_yaml_that_is_lost_is_told_once() {
    let class = "transition:\n  - id: M\n    name: more\n    title: t\n    owner: own\n    doc: d\n    trigger:\n      - event: utterance\n        any: [{ phrase: more }]\n        examples: [more]\n        counterexamples: []\n    requires: {}\n    entry:\n      gate.note: { present: true }\n    carryover:\n      depth: none\n      keep: []\n      forbid: []\n      preserve: []\n    do:\n      - { emit: say, with: { what: x } }\n    answer: { mode: yes }\n    never: []\n";
    let class = class.replace("mode: yes", "mode: \"yes\"");
    let scenario = "scenarios:\n  - scenario: s\n    covers: M\n    turns:\n      - events: [{ utterance: { text: more } }]\n        expect: { transition: Z }\n";
    let whole = with_file(&class, scenario);
    let errors = |said: Vec<String>| said.into_iter().filter(|line| line.contains("error")).collect::<Vec<_>>();
    let before = errors(whole);
    let lost = |text: &str, line: &str| {
        assert_eq!(text.matches(line).count(), 1, "{line}");
        text.replace(line, "")
    };
    let own = |said: Vec<String>| errors(said).into_iter().filter(|line| !before.contains(line)).collect::<Vec<_>>();
    assert_eq!(
        own(with_file(&lost(&class, "transition:\n"), scenario)),
        ["more.yaml:1:5: error[wrong-type]: a list without its key: `transition:` is missing"]
    );
    assert_eq!(
        own(with_file(&lost(&class, "    carryover:\n"), scenario)),
        [
            "more.yaml:15:7: error[unknown-key]: `depth`, `keep`, `forbid`, `preserve` belong to `carryover:`, whose line is missing"
        ]
    );
    assert_eq!(
        own(with_file(&class, &lost(scenario, "scenarios:\n"))),
        ["s.yaml:1:5: error[wrong-type]: a list of scenarios without its key: `scenarios` is missing"]
    );
}

/// In two scenarios, and where it is declared; nothing else of the pack names it.
#[test]
fn a_name_that_only_scenarios_use_is_told_where_it_is_declared() {
    let said = |uses: [&str; 2]| {
        let mut tiny = pack();
        tiny.add(json!({ "frame": { "host": { "owner": "own", "doc": "d", "field": { "case_sttaus": { "type": "text", "optional": true, "for_host": true } } } } }));
        let scenarios = uses.map(|name| {
            let text = format!("scenario: {name}\ncovers: B\ngiven: {{ host: {{ {name}: x }} }}\nturns:\n  - events: [{{ utterance: {{ text: b }} }}]\n    expect: {{ transition: B }}\n");
            SourceText::new(format!("of_{}_{}.yaml", name.len(), name), text)
        });
        let mut scenarios = scenarios.to_vec();
        scenarios[1].name = format!("more_{}", scenarios[1].name);
        let audit = audit(&as_toml(&tiny.documents()), &scenarios, &Config::default());
        let said = short(&audit.sources, &audit.diagnostics);
        said.lines().filter(|line| line.contains("case_st")).map(str::to_owned).collect::<Vec<_>>()
    };
    let once = said(["case_status", "case_status"]);
    assert_eq!(once.len(), 1, "{once:#?}");
    assert!(once[0].starts_with("more1.toml:"), "{once:#?}");
    assert!(
        once[0].ends_with(
            "`case_sttaus` is declared here and named nowhere; `case_status` is named in 2 places and declared nowhere"
        ),
        "{once:#?}"
    );
    // One scenario that names it rightly says that it is the other one which is wrong.
    let other = said(["case_status", "case_sttaus"]);
    assert_eq!(other.len(), 1, "{other:#?}");
    assert!(other[0].starts_with("of_11_case_status.yaml:"), "{other:#?}");
}

#[test]
fn what_the_pack_lacks_for_itself_is_not_told_at_each_use_in_scenarios() {
    let ports = "[port.classify]";
    let found = shipped("clarification", &[("ports.toml", ports, "[port.other]")]);
    let uses: Vec<&String> = found.iter().filter(|line| line.contains("`classify`")).collect();
    assert!(!uses.is_empty() && uses.iter().all(|line| !line.contains("yaml")), "{found:#?}");
}

#[test]
fn a_head_that_is_misspelt_is_told_once_there() {
    let section = "lexicon/replies.toml:LINE:2: error[unknown-key]: unknown section `signl`";
    told_once("clarification", ("lexicon/replies.toml", "[signal.reply]", "[signl.reply]"), section);
    let wanted =
        "state.toml:LINE:8: error[unknown-name]: nothing else names `reslt`, and `result` lacks what stands here";
    for (from, to) in [("[frame.result]", "[frame.reslt]"), ("[frame.result.field]", "[frame.reslt.field]")] {
        told_once("clarification", ("state.toml", from, to), wanted);
    }
}

#[test]
fn a_class_that_precedence_forgets_is_one_finding() {
    let told = shipped("assistant", &[("pack.toml", ", \"T5\"", "")]);
    let overlaps: Vec<&String> = told.iter().filter(|found| found.contains("[overlap]")).collect();
    assert_eq!(overlaps.len(), 1, "{told:#?}");
    assert!(overlaps[0].contains("`T5` stands in no chain of precedence and can take the same event as "), "{told:#?}");
}

/// What is found in a shipped pack of which some files are gone or written anew: place, code and message.
fn without(pack: &str, gone: &[&str], anew: &[(&str, &str)]) -> Vec<String> {
    let mut files =
        Workspace::of(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("a workspace").pack(pack).expect("read");
    let prefix = format!("transitions/{pack}/");
    files.iter_mut().for_each(|file| file.name = file.name.replacen(&prefix, "", 1));
    files.retain(|file| !gone.contains(&file.name.as_str()));
    for (name, text) in anew {
        let file = files.iter_mut().find(|file| file.name == *name).expect("a file");
        file.text = (*text).into();
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(pack);
    let scenarios = files::walk(&folder, "scenarios", &folder).files;
    let scenarios = scenarios.iter().filter(|path| path.extension().is_some_and(|end| end == "yaml"));
    let scenarios: Vec<SourceText> = scenarios
        .map(|path| SourceText::new(path.to_string_lossy(), files::read(path, "a scenario").expect("it can be read")))
        .collect();
    let audit = audit(&files, &scenarios, &Config::default());
    short(&audit.sources, &audit.diagnostics).lines().map(str::to_owned).collect()
}

#[test]
fn what_a_file_that_is_gone_declared_is_missed_in_one_place() {
    let gone = [
        ("assistant", "T5.toml", "there is no class or group `T5`"),
        ("clarification", "CONFIRM.toml", "there is no class `CONFIRM`"),
        ("clarification", "REST.toml", "there is no class or group `REST`"),
        ("assistant", "tables.toml", "there is no table of any of these names: `route`"),
        ("assistant", "answers.toml", "there is no answer mode of any of these names: `exact_route`"),
        ("assistant", "blocks.toml", "there is no block of any of these names: `question_dropped`"),
        ("assistant", "derive.toml", "there is no input of any of these names: `root_route`"),
        ("booking", "ports.toml", "there is no port of any of these names: `run`"),
        ("joined", "transitions/assistant/T5.toml", "there is no class or group `T5`"),
        ("joined", "transitions/assistant/pack.toml", "the pack has no manifest"),
    ];
    for (pack, file, wanted) in gone {
        let told = without(pack, &[file], &[]);
        assert!(matches!(&told[..], [one] if one.contains(wanted)), "{pack}/{file}: {told:#?}");
    }
    // Frames, and the enums and records that their fields are of.
    for (pack, count) in [("assistant", 2), ("clarification", 3), ("step-back", 3), ("joined", 0)] {
        let told = without(pack, &["state.toml"], &[]);
        assert!(count == 0 || told.len() == count, "{pack}: {told:#?}");
        assert!(told.len() < 12, "{pack}: {told:#?}");
    }
}

#[test]
fn a_file_that_declares_nothing_is_told_and_not_what_it_was_to_declare() {
    let empty = [("assistant", "T5.toml"), ("assistant", "state.toml"), ("clarification", "ports.toml")];
    for (pack, file) in empty.into_iter().chain([("joined", "transitions/assistant/T5.toml")]) {
        for text in ["", "\n", "\u{feff} \r\n"] {
            let told = without(pack, &[], &[(file, text)]);
            assert_eq!(told, [format!("{file}:1:1: error[says-nothing]: the file declares nothing")]);
        }
    }
    let told = without("assistant", &[], &[("pack.toml", "")]);
    assert_eq!(told, ["pack.toml:1:1: error[no-manifest]: the pack has no manifest"]);
}

#[test]
fn a_class_with_the_id_of_another_one_is_told_where_it_is() {
    for (pack, file, id, other) in
        [("assistant", "T5.toml", "T5", "T6"), ("clarification", "CONFIRM.toml", "CONFIRM", "REJECT")]
    {
        let told = shipped(pack, &[(file, &format!("id = \"{id}\""), &format!("id = \"{other}\""))]);
        let wanted = format!("class `{other}` is declared twice, and `{id}`, which is named in ");
        assert!(matches!(&told[..], [one] if one.starts_with(file) && one.contains(&wanted)), "{told:#?}");
    }
}

#[test]
fn quotes_that_are_a_part_of_a_name_are_told() {
    let told = said(("B.toml", "owner = \"own\"", "owner = \"“own”\""));
    assert_eq!(told, ["there is no owner `“own”` / did you mean `own`? The quotes are a part of what is written."]);
}

/// Whatever the turn is to end in, and where its outcome is told by hand: it is what the port answers.
#[test]
fn an_answer_that_breaks_its_port_is_told_where_it_is_not_what_the_scenario_is_about() {
    let wanted = |place: &str, message: &str| [format!("{place}: error[answer-breaks-port]: {message}")];
    let answer = "            returns: { coverage_status: full, evidence_grade: strong, grounding_status: grounded, result_set_id: rs-1";
    let edit = ("T1.yaml", answer, &*answer.replace("full", "ful"));
    let value = wanted("T1.yaml:22:41", "`ful` is no value of `coverage_status`");
    assert_eq!(shipped("assistant", &[edit]), value);
    assert_eq!(shipped("assistant", &[edit, ("T1.yaml", "transition: T1", "selected: T1")]), value);
    let by_hand = "{ port: search, returns: { results_ref: r-1 } }";
    for (from, to, place, message) in [
        ("results_ref", "result", "25:45", "`result` is no field of an answer of this port"),
        ("r-1", "[1]", "25:58", "expected an id, found a list"),
    ] {
        let told = shipped("clarification", &[("interruptions.yaml", by_hand, &by_hand.replace(from, to))]);
        assert_eq!(told.len(), 1, "{told:#?}");
        let place = format!("interruptions.yaml:{place}: error[answer-breaks-port]: ");
        assert!(told[0].starts_with(&place), "{told:#?} {message}");
    }
}

#[test]
fn a_path_without_its_sign_is_told() {
    let told = shipped("clarification", &[("AMEND.toml", "text = \"$session.cumu", "text = \"session.cumu")]);
    let wanted = "warning[path-as-text]: `session.cumulative_query` is a text, and spells a path";
    assert!(matches!(&told[..], [one] if one.ends_with(wanted)), "{told:#?}");
    // What leads nowhere is a text.
    let told = shipped("clarification", &[("AMEND.toml", "text = \"$session.cumu", "text = \"session.cumul.")]);
    assert!(told.is_empty(), "{told:#?}");
}

#[test]
fn a_misspelt_word_of_a_contract_is_told() {
    for (from, to) in [("\"type\"", "\"tpye\""), ("\"additionalProperties\"", "\"additionalPropertes\"")] {
        let told = shipped("step-back", &[("contracts/answers.json", from, to)]);
        let wanted = format!("warning[near-keyword]: `{}` is no word of JSON Schema", to.trim_matches('"'));
        assert!(matches!(&told[..], [one] if one.contains(&wanted)), "{told:#?}");
    }
}
