//! Faults met in the field, at the layer of documents: FB-12, FB-13, FB-14.

use segue::diag::{Code, Diagnostic, Diagnostics};
use segue::language::FOR_EACH;
use segue::report;
use segue::source::SourceMap;
use segue::syntax::{Field, Format, Kind, Node, Reader, parse};

fn read(format: Format, text: &str) -> (Option<Node>, SourceMap, Vec<Diagnostic>) {
    let mut sources = SourceMap::default();
    let file = sources.add("input", text);
    let out = Diagnostics::new();
    let node = parse(file, text, format, &out);
    (node, sources, out.into_sorted())
}

/// The lines of the two places of each repeated key.
fn repeated(format: Format, text: &str) -> Vec<(usize, usize)> {
    let (_, sources, found) = read(format, text);
    found
        .iter()
        .map(|d| {
            assert_eq!(d.code, Code::DuplicateKey);
            (sources.start(d.secondary[0].span).line, sources.start(d.primary.span).line)
        })
        .collect()
}

#[test]
fn fb_12_a_key_given_twice() {
    let yaml = "id: T3\nforbidden_carryover: [meta]\ncarryover: object_only\nforbidden_carryover: []\n";
    assert_eq!(repeated(Format::Yaml, yaml), [(2, 4)]);
    assert_eq!(repeated(Format::Toml, "id = 'T3'\ncarryover = 'all'\nid = 'T4'\n"), [(1, 3)]);
    assert_eq!(repeated(Format::Toml, "a.b = 1\n[a]\nb = 2\n"), [(1, 2), (1, 3)]);
    assert_eq!(repeated(Format::Toml, "[a]\nb = 1\n[c]\n[a]\n"), [(1, 4)]);
    assert_eq!(repeated(Format::Json, "{\"id\": 1,\n \"x\": 2,\n \"id\": 3}"), [(1, 3)]);
    let large: String = (0..20_000).map(|n| format!("key_{n}: {n}\n")).collect();
    assert_eq!(repeated(Format::Yaml, &format!("{large}key_0: 1\nkey_19999: 1\n")), [(1, 20_001), (20_000, 20_002)]);
}

#[test]
fn fb_13_words_are_words() {
    let text = "lexicon: { deny: [no, n, off, нет], affirm: [yes, y, on, да], country: [no, se] }\nframe_status: on\n";
    let (node, _, found) = read(Format::Yaml, text);
    assert_eq!(found, []);
    let node = node.expect("a tree");
    let out = Diagnostics::new();
    assert_eq!(Field::new(node.at("frame_status"), &out).text(), Some("on"));
    let texts = |path| Field::new(node.at(path), &out).texts().expect("texts");
    assert_eq!(texts("lexicon.deny"), ["no", "n", "off", "нет"]);
    assert_eq!(texts("lexicon.affirm"), ["yes", "y", "on", "да"]);
    assert_eq!(texts("lexicon.country"), ["no", "se"]);
    assert!(out.is_empty());
}

/// Reads one value as text, as a whole number, as a decimal and as a date; `-` where that is an error.
fn as_types(value: &str) -> [String; 4] {
    let (node, ..) = read(Format::Yaml, &format!("v: {value}\n"));
    let node = node.expect("a tree");
    let show = |read: &dyn Fn(Field<'_>) -> Option<String>| {
        let out = Diagnostics::new();
        let shown = read(Field::new(node.at("v"), &out));
        assert!(shown.is_some() != out.has_errors(), "{value}: a value or an error, never both or neither");
        shown.unwrap_or("-".into())
    };
    [
        show(&|f| f.text().map(str::to_owned)),
        show(&|f| f.int().map(|n| n.to_string())),
        show(&|f| f.decimal().map(|n| n.to_string())),
        show(&|f| f.date().map(str::to_owned)),
    ]
}

#[test]
fn fb_13_nothing_is_converted_silently() {
    assert_eq!(as_types("1.10"), ["-", "-", "1.10", "-"]);
    assert_eq!(as_types("'1.10'"), ["1.10", "-", "-", "1.10"]);
    assert_eq!(as_types("010"), ["-", "-", "10", "-"]);
    assert_eq!(as_types("1e3"), ["-", "-", "1000", "-"]);
    assert_eq!(as_types("12:30"), ["12:30", "-", "-", "12:30"]);
    assert_eq!(as_types("2020-03"), ["2020-03", "-", "-", "2020-03"]);
    assert_eq!(as_types("true"), ["-", "-", "-", "-"]);
    assert_eq!(as_types("42"), ["-", "42", "42", "-"]);
    for null in ["~", "null", ""] {
        let (node, _, found) = read(Format::Yaml, &format!("as: {null}\n"));
        assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), [Code::NullValue]);
        // Reported once: readers say nothing more about it.
        let (node, out) = (node.expect("a tree"), Diagnostics::new());
        let r = Reader::new(&node, &FOR_EACH, &out).expect("a table");
        assert!(r.required("as").is_none() && r.optional("as").is_none() && out.is_empty());
    }
}

#[test]
fn fb_13_numbers_as_text_say_what_to_write() {
    let (node, ..) = read(Format::Yaml, "version: 1.10\n");
    let (node, out) = (node.expect("a tree"), Diagnostics::new());
    assert_eq!(Field::new(node.at("version"), &out).text(), None);
    let found = &out.into_sorted()[0];
    assert_eq!(
        (found.message.as_str(), found.help.as_deref()),
        ("expected text, found number `1.10`", Some("quote it: \"1.10\""))
    );
}

/// One error about a limit, with a place on the first lines, and no tree.
fn too_deep(format: Format, text: &str) {
    let (node, sources, found) = read(format, text);
    assert!(node.is_none() || !found.is_empty());
    assert!(!found.is_empty() && found.len() <= 2, "{} findings", found.len());
    assert_eq!(found[0].code, Code::LimitExceeded, "{}", report::short(&sources, &found));
    assert!(found[0].message.contains("more than 64 deep"), "{}", found[0].message);
    assert!(report::human(&sources, &found, false).len() < 4_000);
}

#[test]
fn fb_14_deep_nesting() {
    const N: usize = 20_000;
    let lists = format!("{}{}", "[".repeat(N), "]".repeat(N));
    too_deep(Format::Yaml, &lists);
    too_deep(Format::Json, &lists);
    too_deep(Format::Toml, &format!("a = {lists}"));
    // Brackets at the start of a line are a header, and a wrong one.
    let (_, _, found) = read(Format::Toml, &format!("{lists}\n"));
    assert!(!found.is_empty() && found.len() <= 4, "{found:?}");
    for open in [true, false] {
        let close = if open { String::new() } else { "}".repeat(N) };
        too_deep(Format::Yaml, &format!("when: {}1{close}", "{ not: ".repeat(N)));
        too_deep(Format::Json, &format!("{}1{close}", "{\"not\": ".repeat(N)));
        too_deep(Format::Toml, &format!("when = {}1{close}", "{ not = ".repeat(N)));
    }
    too_deep(Format::Yaml, &"- ".repeat(N));
    too_deep(Format::Yaml, &"? ".repeat(N));
    too_deep(Format::Yaml, &format!("{}: 1", vec!["a"; 500].join(".")));
    too_deep(Format::Yaml, &(0..300).map(|n| format!("{}a:\n", " ".repeat(n))).collect::<String>());
    let dotted = vec!["a"; N].join(".");
    too_deep(Format::Toml, &format!("{dotted} = 1"));
    too_deep(Format::Toml, &format!("[{dotted}]"));
    too_deep(Format::Toml, &format!("[[{dotted}]]"));
    too_deep(Format::Toml, &format!("x = {{{dotted} = 1}}"));
}

#[test]
fn fb_14_brackets_in_text_and_comments_do_not_count() {
    let deep = "[{".repeat(20_000);
    for (format, text) in [
        (Format::Yaml, format!("a: '{deep}' # {deep}\n")),
        (Format::Toml, format!("a = '{deep}' # {deep}\n")),
        (Format::Json, format!("{{\"a\": \"{deep}\"}}")),
    ] {
        let (node, _, found) = read(format, &text);
        assert_eq!(found, []);
        let Some(Kind::Table(table)) = node.map(|n| n.kind) else { panic!("a table") };
        assert_eq!(table.get("a").map(|n| &n.kind), Some(&Kind::Text(deep.as_str().into())));
    }
}

#[test]
fn fb_14_depth_within_the_limit_is_read() {
    for format in [Format::Yaml, Format::Json] {
        let (node, _, found) = read(format, &format!("{}{}", "[".repeat(64), "]".repeat(64)));
        assert!(node.is_some() && found.is_empty(), "{found:?}");
    }
    let (node, _, found) = read(Format::Toml, &format!("a = {}{}", "[".repeat(63), "]".repeat(63)));
    assert!(node.is_some() && found.is_empty(), "{found:?}");
}
