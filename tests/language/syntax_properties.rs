//! Properties of the document layer: what is written is read back, oracles agree, nothing panics, spans stay inside the text.

use proptest::prelude::*;
use segue::diag::{Code, Diagnostic, Diagnostics};
use segue::report;
use segue::source::{SourceMap, Span};
use segue::syntax::{Format, Kind, Node, parse};
use serde_json::{Map, Value};

const ALL: [Format; 3] = [Format::Toml, Format::Yaml, Format::Json];

fn read(format: Format, text: &str) -> (Option<Node>, SourceMap, Vec<Diagnostic>) {
    let mut sources = SourceMap::default();
    let file = sources.add("input", text);
    let out = Diagnostics::new();
    let node = parse(file, text, format, &out);
    (node, sources, out.into_sorted())
}

fn value(node: &Node) -> Value {
    match &node.kind {
        Kind::Null => Value::Null,
        Kind::Bool(value) => Value::Bool(*value),
        Kind::Number(text) => match text.parse::<i64>() {
            Ok(whole) => whole.into(),
            Err(_) => text.parse::<f64>().expect("a number").into(),
        },
        Kind::Date(text) | Kind::Text(text) => Value::String(text.to_string()),
        Kind::List(items) => Value::Array(items.iter().map(value).collect()),
        Kind::Table(table) => Value::Object(table.iter().map(|e| (e.key.to_string(), value(&e.value))).collect()),
    }
}

// The writers do not take a `serde_json::Value` as it is: its numbers may hold their source text.
fn to_toml(value: &Value) -> toml::Value {
    match value {
        Value::Null => unreachable!("no null is made"),
        Value::Bool(value) => (*value).into(),
        Value::Number(n) => n.as_i64().map_or_else(|| n.as_f64().expect("a float").into(), toml::Value::from),
        Value::String(text) => text.clone().into(),
        Value::Array(items) => items.iter().map(to_toml).collect::<Vec<_>>().into(),
        Value::Object(map) => {
            toml::Value::Table(map.iter().map(|(key, value)| (key.clone(), to_toml(value))).collect())
        }
    }
}

fn to_yaml(value: &Value) -> serde_yaml::Value {
    match value {
        Value::Null => unreachable!("no null is made"),
        Value::Bool(value) => (*value).into(),
        Value::Number(n) => n.as_i64().map_or_else(|| n.as_f64().expect("a float").into(), serde_yaml::Value::from),
        Value::String(text) => text.clone().into(),
        Value::Array(items) => items.iter().map(to_yaml).collect::<Vec<_>>().into(),
        Value::Object(map) => {
            map.iter().map(|(key, value)| (key.clone().into(), to_yaml(value))).collect::<serde_yaml::Mapping>().into()
        }
    }
}

/// Texts that writers must quote, and ordinary ones. U+0085, U+2028 and U+2029 are left out: the YAML writer takes them for
/// line breaks, as YAML 1.1 did.
fn text() -> impl Strategy<Value = String> {
    let odd = [
        "",
        " ",
        "no",
        "on",
        "~",
        "null",
        "true",
        "1.10",
        "010",
        "0x1F",
        "1e3",
        "12:30",
        "2020-03-01",
        "a: b",
        "a, b",
        "# x",
        "- x",
        "[",
        "{",
        "&a",
        "*a",
        "!t",
        "|",
        ">",
        "%",
        "@",
        "`",
        "'",
        "\"",
        "\\",
        "a\nb",
        "a\r\nb\n",
        "\t",
        " x ",
        "ё",
        "й\u{306}",
        "日本",
        "😀",
        "\u{feff}",
        "\u{85}",
        "\u{2028}",
        "\u{7f}",
        "\u{1}",
        "a.b",
        "<<",
        "=",
        "---",
        "...",
        "нет, не то",
    ];
    prop_oneof![prop::sample::select(odd.to_vec()).prop_map(String::from), "[a-zа-я_ .:,-]{0,12}", any::<String>()]
        .prop_map(|text| text.replace(['\0', '\u{85}', '\u{2028}', '\u{2029}'], ""))
}

/// Keys that mean the same unquoted: writers of YAML know nothing of dots that nest, nor of the ban on `<<`.
fn key() -> impl Strategy<Value = String> {
    text().prop_map(|text| text.replace('.', "·").replace("<<", "«"))
}

fn tree() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        (-1e6..1e6f64).prop_map(Value::from),
        text().prop_map(Value::String),
    ];
    let inner = leaf.prop_recursive(4, 40, 6, |inner| {
        let table = prop::collection::vec((key(), inner.clone()), 0..6);
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(Value::Array),
            table.prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    });
    prop::collection::vec((key(), inner), 0..6)
        .prop_map(|entries| Value::Object(entries.into_iter().collect::<Map<_, _>>()))
}

fn check_spans(node: &Node, sources: &SourceMap) {
    check_span(node.span, sources);
    match &node.kind {
        Kind::List(items) => items.iter().for_each(|item| check_spans(item, sources)),
        Kind::Table(table) => {
            for entry in table {
                check_span(entry.key_span, sources);
                check_spans(&entry.value, sources);
            }
        }
        _ => {}
    }
}

fn check_span(span: Span, sources: &SourceMap) {
    let text = sources.text(span.file);
    let (start, end) = (span.start as usize, span.end as usize);
    assert!(start <= end && text.get(start..end).is_some(), "{span:?} of {text:?}");
}

/// Reading gives in-bounds places, and the reports can be made.
fn check_all(format: Format, text: &str) -> Vec<Diagnostic> {
    let (node, sources, found) = read(format, text);
    if let Some(node) = &node {
        check_spans(node, &sources);
    }
    assert!(node.is_some() || !found.is_empty(), "nothing read and nothing said: {text:?}");
    for d in &found {
        check_span(d.primary.span, &sources);
        d.secondary.iter().for_each(|label| check_span(label.span, &sources));
    }
    assert_eq!(report::short(&sources, &found).lines().count(), found.len());
    assert!(report::human(&sources, &found, true).len() >= found.len());
    assert_eq!(report::json(&sources, &found)["summary"]["errors"], found.len());
    found
}

fn soup(parts: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(parts), 0..24).prop_map(|parts| parts.concat())
}

const TOML: &[&str] = &[
    "a",
    "b",
    "c",
    ".",
    " = ",
    "=",
    "1",
    "'x'",
    "\"y\"",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    ", ",
    ",",
    "\n",
    "\n",
    "\r\n",
    " ",
    "# c\n",
    "true",
    "2020-01-01",
    "0x1",
    "1.5",
    "'''",
    "\"\"\"",
    "\\",
    "ж",
    "\u{feff}",
    "\t",
    "a = 1\n",
    "[a]\n",
    "[a.b]\n",
    "[[a]]\n",
    "a.b = 1\n",
    "b.a = {c = 1}\n",
    "c = [1, 2]\n",
];
const YAML: &[&str] = &[
    "a",
    "b",
    ": ",
    ":",
    "- ",
    "-",
    "? ",
    "\n",
    "\n",
    "\n  ",
    "\n    ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "'",
    "\"",
    "|",
    ">",
    "&x ",
    "*x",
    "!t ",
    "<<",
    "#",
    " #",
    "---",
    "...",
    "%",
    "~",
    "1",
    "ж",
    "😀",
    "\t",
    "\r\n",
    "\u{feff}",
    ".",
    "@",
    "`",
    "\\",
    "a: 1\n",
    "b:\n  - c\n",
    "\u{85}",
    "\u{2028}",
];
const JSON: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"a\"",
    "\"b\"",
    "\"\\u00e9\"",
    "\"\\uD83D\\uDE00\"",
    "\"\\uD83D\"",
    "\"\\x\"",
    "1",
    "-",
    "0",
    "01",
    ".",
    "e",
    "+",
    "1.5e3",
    "true",
    "false",
    "null",
    "nul",
    " ",
    "\n",
    "\t",
    "\"",
    "\\",
    "ж",
    "'",
    "/",
    "\u{1}",
    "{\"a\":1}",
    "[1,2]",
    "\u{feff}",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(wanted in tree()) {
        let written = [
            (Format::Toml, toml::to_string(&to_toml(&wanted)).expect("TOML")),
            (Format::Yaml, serde_yaml::to_string(&to_yaml(&wanted)).expect("YAML")),
            (Format::Json, serde_json::to_string_pretty(&wanted).expect("JSON")),
        ];
        for (format, text) in written {
            let (node, sources, found) = read(format, &text);
            prop_assert!(found.is_empty(), "{}", report::human(&sources, &found, false));
            let node = node.expect("a tree");
            check_spans(&node, &sources);
            prop_assert_eq!(value(&node), wanted.clone(), "{:?}", text);
        }
    }

    #[test]
    fn json_is_what_serde_json_takes(text in soup(JSON)) {
        let found = check_all(Format::Json, &text);
        let ours = !found.iter().any(|d| d.code == Code::SyntaxError);
        // We skip a byte-order mark.
        let bare = text.strip_prefix('\u{feff}').unwrap_or(&text);
        prop_assert_eq!(ours, serde_json::from_str::<Value>(bare).is_ok(), "{:?}", text);
    }

    #[test]
    fn toml_is_what_the_toml_crate_takes(text in soup(TOML)) {
        let found = check_all(Format::Toml, &text);
        prop_assert_eq!(found.is_empty(), toml::de::DeTable::parse(&text).is_ok(), "{:?} {:?}", text, found);
    }

    #[test]
    fn any_yaml_is_read_or_refused(text in soup(YAML)) {
        check_all(Format::Yaml, &text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        for format in ALL {
            check_all(format, &text);
        }
    }
}
