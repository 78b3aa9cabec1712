//! How findings look to people, and that carets stand under the text at fault.

use insta::assert_snapshot;
use segue::diag::{Code, Diagnostic, Diagnostics};
use segue::language::MANIFEST;
use segue::report;
use segue::source::{FileId, SourceMap, Span};
use segue::syntax::{Field, Format, Reader, parse};

fn parsed(name: &str, text: &str) -> String {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text);
    let out = Diagnostics::new();
    parse(file, text, Format::of_path(name).expect("a format"), &out);
    report::human(&sources, &out.into_sorted(), false)
}

/// The place of the nth occurrence of some text.
fn find(sources: &SourceMap, file: FileId, text: &str, nth: usize) -> Span {
    let at = sources.text(file).match_indices(text).nth(nth).expect("the text").0;
    let offset = |at: usize| u32::try_from(at).expect("a small file");
    Span { file, start: offset(at), end: offset(at + text.len()) }
}

/// One error at the first occurrence of some text.
fn pointed(text: &str, at: &str) -> String {
    let mut sources = SourceMap::default();
    let file = sources.add("f.yaml", text);
    let found = Diagnostic::error(Code::BadValue, find(&sources, file, at, 0), "this is wrong").label("here");
    report::human(&sources, &[found], false)
}

#[test]
fn a_repeated_key_with_cyrillic_before_it() {
    assert_snapshot!(parsed("пакет.yaml", "класс: Т3\nпорог: 1\nкласс: Т4\n"));
}

#[test]
fn a_null_in_a_flow_table() {
    assert_snapshot!(parsed("s.yaml", "turns:\n  - { user: помнишь, о чем говорили, expect: {} }\n"));
}

/// The help fits what is written: a key with its colon is no piece of a text.
#[test]
fn a_key_without_a_value_in_a_flow_table() {
    for value in ["null", "~", ""] {
        let report = parsed("s.yaml", &format!("call: {{ port: find, returns: {value} }}\n"));
        assert!(report.contains("help: write a value, or leave the key out"), "{report}");
    }
}

#[test]
fn a_name_of_any_length() {
    let report = parsed("s.yaml", &format!("a: *{}\n", "n".repeat(100_000)));
    assert!(report.contains("no anchor `&nnn") && report.len() < 2000, "{}", report.len());
}

#[test]
fn a_tab_that_indents() {
    assert_snapshot!(parsed("t.yaml", "when:\n\tстатус: да\n"));
}

#[test]
fn an_open_bracket() {
    assert_snapshot!(parsed("t.yaml", "список: [да,\nнет: 1\n"));
}

#[test]
fn several_errors_in_toml() {
    assert_snapshot!(parsed("t.toml", "'имя' = \nверсия = 1\nn = 010\nd = 2020-13-01\n[a]\nb = 1\na = [1, 2\n"));
}

#[test]
fn json_errors() {
    let texts = ["{\"a\": 1,}", "{'a': 1}", "[1, 2", "{\"ж\": \"x\ny\"}", "[01]", "{\"a\": 1} x"];
    assert_snapshot!(texts.map(|text| parsed("s.json", text)).concat());
}

#[test]
fn reading_a_table() {
    let text = "id: desk\nprecedense: 1\ntitle: 1.10\naggregate: [a]\nstep_limit: 010\nwhile_open: refuze\nзапас: 1\n";
    let mut sources = SourceMap::default();
    let file = sources.add("pack.yaml", text);
    let out = Diagnostics::new();
    let node = parse(file, text, Format::Yaml, &out).expect("a tree");
    let r = Reader::new(&node, &MANIFEST, &out).expect("a table");
    let _ = r.required("id").and_then(Field::text);
    let _ = (r.optional("precedence").and_then(Field::int), r.optional("decide"), r.optional("doc"));
    let _ = (r.optional("extends"), r.optional("replace"), r.optional("remove"), r.optional("ended"));
    let _ = r.required("title").and_then(Field::text);
    let _ = r.required("aggregate").and_then(Field::text);
    let _ = r.required("step_limit").and_then(Field::int);
    let _ = r.required("while_open").and_then(|f| f.one_of(&[("cancel", 1), ("refuse", 2)]));
    let _ = r.required_as("owner", "write `owner = [\"…\"]`, the sub-states of the session");
    r.finish();
    assert_snapshot!(report::human(&sources, &out.into_sorted(), false));
}

#[test]
fn carets_under_tabs_wide_and_combining_characters() {
    let texts = [
        ("a:\tзнач\t[х]\n", "[х]"),
        ("日本語: 値\n", "値"),
        ("й\u{306}ж\u{301}: ё\u{308}х\n", "ё\u{308}х"),
        ("😀: 👍 да\n", "да"),
        ("\u{feff}ключ: да\n", "ключ"),
        ("а: 1\r\nб: нет\r\nв: 2\r\n", "нет"),
    ];
    assert_snapshot!(texts.map(|(text, at)| pointed(text, at)).concat());
}

#[test]
fn two_labels_far_apart_and_another_file() {
    let mut sources = SourceMap::default();
    let lines: String = (0..100).map(|n| format!("строка_{n}: {n}\n")).collect();
    let one = sources.add("a/один.toml", lines.as_str());
    let two = sources.add("b/two.yaml", "frame: статус\nowner: root\n");
    let found = Diagnostic::error(Code::NotOwner, find(&sources, one, "строка_90", 0), "`T3` does not own `строка_90`")
        .label("changed here")
        .also(find(&sources, one, "строка_7", 0), "declared here")
        .also(find(&sources, two, "root", 0), "owned by `root`")
        .also(find(&sources, one, "строка_92", 0), "and this one")
        .help("let the owner change it");
    let warning = Diagnostic::warning(Code::BadPhrase, find(&sources, two, "статус", 0), "a warning");
    let note = Diagnostic::note(Code::BadPhrase, find(&sources, two, "frame: статус\nowner", 0), "over several lines")
        .label("from here");
    let found = [found, warning, note];
    assert_snapshot!("labels", report::human(&sources, &found, false));
    assert_snapshot!("labels_short", report::short(&sources, &found));
    assert_snapshot!("labels_json", format!("{:#}", report::json(&sources, &found)));
    assert_eq!(report::summary(&found), "1 error, 1 warning, 1 note");
}

#[test]
fn a_huge_line_is_cut() {
    let long = format!("начало: [{}, сюда, {}]\n", "ж, ".repeat(100_000), "ё, ".repeat(100_000));
    let shown = pointed(&long, "сюда");
    assert!(shown.len() < 2_000);
    assert_snapshot!(shown);
    let wide = format!("a: '{}'\n", "x".repeat(1_000_000));
    assert!(pointed(&wide, wide.trim_end().strip_prefix("a: ").expect("a prefix")).len() < 2_000);
}

#[test]
fn the_ends_of_files() {
    for text in ["", "a", "a\n", "a\r\n", "\r\n", "\u{feff}", "\n\n", "ж"] {
        let mut sources = SourceMap::default();
        let file = sources.add("f", text);
        for start in 0..=text.len() + 1 {
            for end in start..=text.len() + 1 {
                let offset = |at: usize| u32::try_from(at).expect("a small file");
                let span = Span { file, start: offset(start), end: offset(end) };
                let found = [Diagnostic::error(Code::BadValue, span, "m").label("l").also(span, "s")];
                assert!(report::human(&sources, &found, true).contains("bad-value"));
                assert!(report::short(&sources, &found).starts_with("f:"));
                assert_eq!(report::json(&sources, &found)["summary"]["errors"], 1);
            }
        }
    }
}

#[test]
fn color_is_an_option() {
    let mut sources = SourceMap::default();
    let file = sources.add("f", "x");
    let found = [Diagnostic::error(Code::BadValue, Span { file, start: 0, end: 1 }, "m")];
    assert!(report::human(&sources, &found, true).contains("\u{1b}["));
    assert!(!report::human(&sources, &found, false).contains('\u{1b}'));
}

/// A finding in one file with another place in a second, a warning and a note.
fn several() -> (SourceMap, Vec<Diagnostic>) {
    let mut sources = SourceMap::default();
    let one = sources.add("transitions/склад/a b.yaml", "\u{feff}класс: Т3, 50%\r\nпорог: 1\r\n");
    let two = sources.add("/tmp/b.toml", "a = \"列表\"\n\n  a = 2\n");
    let found = Diagnostic::error(Code::DuplicateKey, find(&sources, two, "a", 1), "key `a`: 50%\ngiven twice")
        .label("again")
        .also(find(&sources, one, "Т3", 0), "")
        .also(find(&sources, two, "列表", 0), "first, here")
        .help("keep one");
    let warning = Diagnostic::warning(Code::BadValue, find(&sources, one, "Т3, 50%\r\nпорог", 0), "over two lines");
    let note = Diagnostic::note(Code::BadValue, find(&sources, one, "порог", 0), "a note");
    (sources, vec![warning, note, found])
}

fn valid_sarif(document: &serde_json::Value) {
    let schema = include_str!("../fixtures/sarif/sarif-schema-2.1.0.json");
    let schema: serde_json::Value = serde_json::from_str(schema).expect("the schema is JSON");
    let id = schema["$id"].as_str().expect("an id").to_owned();
    assert_eq!(document["$schema"], id);
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.enable_format_assertions();
    compiler.add_resource(&id, schema).expect("the schema is taken");
    let schema = compiler.compile(&id, &mut schemas).expect("the schema compiles");
    if let Err(error) = schemas.validate(document, schema) {
        panic!("{error:#}\n{document:#}");
    }
}

#[test]
fn sarif_is_what_its_schema_says() {
    let (sources, found) = several();
    let document = report::sarif(&sources, &found, "my packs/");
    valid_sarif(&document);
    valid_sarif(&report::sarif(&sources, &[], ""));
    let mut run = document["runs"][0].clone();
    let rules = run["tool"]["driver"]["rules"].as_array_mut().expect("rules");
    for rule in rules {
        let page = rule["help"]["markdown"].as_str().expect("a page");
        assert!(page.starts_with(&format!("# {} ", rule["id"].as_str().expect("an id"))));
        rule["help"]["markdown"] = "…".into();
    }
    run["tool"]["driver"]["semanticVersion"] = "…".into();
    assert_snapshot!("sarif", format!("{run:#}"));
    // A broken document is refused.
    let mut broken = document;
    broken["runs"][0]["results"][0]["level"] = "fatal".into();
    assert!(std::panic::catch_unwind(|| valid_sarif(&broken)).is_err());
}

/// Lines put in before a finding change nothing of its fingerprint; another finding has another one.
#[test]
fn fingerprints_are_stable() {
    let prints = |text: &str| -> Vec<String> {
        let mut sources = SourceMap::default();
        let file = sources.add("f.yaml", text);
        let marks = text.match_indices("bad").count();
        let found: Vec<Diagnostic> = (0..marks)
            .map(|nth| Diagnostic::error(Code::BadValue, find(&sources, file, "bad", nth), format!("finding {nth}")))
            .collect();
        let document = report::sarif(&sources, &found, "");
        let results = document["runs"][0]["results"].as_array().expect("results").clone();
        results
            .iter()
            .map(|result| result["partialFingerprints"]["segue/v1"].as_str().expect("one").to_owned())
            .collect()
    };
    let before = prints("a: bad\nb: bad\n  a: bad\n");
    assert_eq!(before.len(), 3);
    assert_eq!(before[0].trim_end_matches(":1"), before[2].trim_end_matches(":2"));
    assert_ne!(before[0], before[1]);
    assert_eq!(prints("# more\n\n   a:   bad\r\nb: bad\r\n  a: bad\n"), before);
}

#[test]
fn github_shows_ten_and_the_rest_is_in_the_summary() {
    let (sources, found) = several();
    let annotated = report::github(&sources, &found, "my packs/");
    assert_eq!(annotated.summary, "");
    assert_snapshot!("github", annotated.log);
    let many: Vec<Diagnostic> = found.iter().cycle().take(33).cloned().collect();
    let annotated = report::github(&sources, &many, "");
    let commands: Vec<&str> = annotated.log.lines().filter(|line| line.starts_with("::")).collect();
    // Eleven of them are errors.
    assert_eq!((commands.len(), annotated.log.lines().count()), (10, 34));
    assert!(commands.iter().all(|line| line.starts_with("::error ")), "{commands:?}");
    assert_snapshot!("github_summary", annotated.summary.lines().take(9).collect::<Vec<_>>().join("\n"));
    assert_eq!(annotated.summary.lines().filter(|line| line.starts_with("- ")).count(), 23);
    let very_many: Vec<Diagnostic> = found.iter().cycle().take(30_000).cloned().collect();
    let summary = report::github(&sources, &very_many, "").summary;
    assert!(summary.len() < 1 << 20 && summary.ends_with(" findings more: see the log.\n"), "{}", summary.len());
}

#[test]
fn junit_has_a_case_for_each_file() {
    let (mut sources, mut found) = several();
    sources.add("segue.toml", "");
    let odd = sources.add("odd.yaml", "a: \u{1b}[31m\u{1}<&>]]>\n");
    found.push(Diagnostic::error(Code::BadValue, find(&sources, odd, "<", 0), "a \u{1}<&>\"]]>"));
    let document = report::junit(&sources, &found, false).expect("a document");
    assert_snapshot!("junit", document);
    let read = quick_junit::Report::deserialize_from_str(&document).expect("JUnit");
    assert_eq!((read.tests, read.failures, read.errors), (4, 2, 0));
    let denied = report::junit(&sources, &found, true).expect("a document");
    assert_eq!(quick_junit::Report::deserialize_from_str(&denied).expect("JUnit").failures, 3);
}

/// What would move or hide text on a terminal is shown as what it is, and carets stay under the text at fault.
#[test]
fn characters_that_would_hide_are_shown() {
    let texts = [
        ("a: \u{202e}знач\u{202c} [х]\n", "[х]"),
        ("a: до\u{200b}\u{feff}\u{2060}м [х]\n", "[х]"),
        ("a: \u{1b}[31mred\u{7} [х]\n", "[х]"),
        ("a: 👩\u{200d}👩\u{200d}👧 [х]\n", "[х]"),
        ("a: \u{85}\u{2028}\u{ad} [х]\n", "[х]"),
        ("a: 1\rb: [х]", "[х]"),
        ("a: e\u{301}\u{302} 値 [х]", "[х]"),
    ];
    let shown = texts.map(|(text, at)| pointed(text, at)).concat();
    let raw = [
        '\u{202e}', '\u{202c}', '\u{200b}', '\u{feff}', '\u{2060}', '\u{1b}', '\u{7}', '\u{85}', '\u{2028}', '\u{ad}',
        '\r',
    ];
    assert!(!shown.contains(raw), "{shown:?}");
    assert_snapshot!(shown);
}
