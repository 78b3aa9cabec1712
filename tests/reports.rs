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
    let one = sources.add("a/один.toml", &lines);
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
