//! Tests of the document layer: what each format means, and what its errors say.

use super::*;
use crate::report;
use crate::source::SourceMap;

const ALL: [Format; 3] = [Format::Toml, Format::Yaml, Format::Json];

fn read(format: Format, text: &str) -> (Option<Node>, SourceMap, Vec<Diagnostic>) {
    let mut sources = SourceMap::default();
    let name = format!("f.{}", format.name().to_lowercase());
    let file = sources.add(&name, text);
    let out = Diagnostics::new();
    let node = parse(file, text, format, &out);
    (node, sources, out.into_sorted())
}

/// The findings, one a line, each as `line:column slug message`.
fn findings(format: Format, text: &str) -> String {
    let (_, sources, found) = read(format, text);
    report::short(&sources, &found)
}

/// A tree in a notation that shows kinds, reading without errors.
fn shown(format: Format, text: &str) -> String {
    let (node, sources, found) = read(format, text);
    assert!(found.is_empty(), "{}", report::human(&sources, &found, false));
    show(&node.expect("a tree"))
}

fn show(node: &Node) -> String {
    let all = |items: Vec<String>| items.join(" ");
    match &node.kind {
        Kind::Null => "null".into(),
        Kind::Bool(value) => value.to_string(),
        Kind::Number(text) => format!("#{text}"),
        Kind::Date(text) => format!("@{text}"),
        Kind::Text(text) => format!("{text:?}"),
        Kind::List(items) => format!("[{}]", all(items.iter().map(show).collect())),
        Kind::Table(table) => {
            format!("{{{}}}", all(table.iter().map(|e| format!("{}:{}", e.key, show(&e.value))).collect()))
        }
    }
}

/// Every key and scalar slice: the text at each span.
fn slices(sources: &SourceMap, node: &Node, into: &mut Vec<String>) {
    match &node.kind {
        Kind::List(items) => items.iter().for_each(|item| slices(sources, item, into)),
        Kind::Table(table) => {
            for entry in table {
                into.push(sources.slice(entry.key_span).to_owned());
                slices(sources, &entry.value, into);
            }
        }
        _ => into.push(sources.slice(node.span).to_owned()),
    }
}

#[test]
fn all_formats_mean_the_same() {
    let toml = "id = 'T3'\nset.root.a = 1\nset.root.b = 1.10\n[when]\nlist = [true, 'нет']\n[when.deep]\nx = {y.z = 'q'}\n[[step]]\nn = 1\n[[step]]\nn = 2\n";
    let yaml = "id: T3\nset.root.a: 1\nset.root.b: 1.10\nwhen:\n  list: [true, нет]\n  deep:\n    x: {y.z: q}\nstep:\n- n: 1\n- n: 2\n";
    let json = r#"{"id": "T3", "set": {"root": {"a": 1, "b": 1.10}}, "when": {"list": [true, "нет"], "deep": {"x": {"y": {"z": "q"}}}}, "step": [{"n": 1}, {"n": 2}]}"#;
    let wanted =
        r##"{id:"T3" set:{root:{a:#1 b:#1.10}} when:{list:[true "нет"] deep:{x:{y:{z:"q"}}}} step:[{n:#1} {n:#2}]}"##;
    assert_eq!(shown(Format::Toml, toml), wanted);
    assert_eq!(shown(Format::Yaml, yaml), wanted);
    assert_eq!(shown(Format::Json, json), wanted);
}

#[test]
fn quoted_keys_are_literal() {
    assert_eq!(shown(Format::Toml, "'a.b' = 1\nc.\"d.e\" = 2"), "{a.b:#1 c:{d.e:#2}}");
    assert_eq!(shown(Format::Yaml, "'a.b': 1\n\"<<\": 2"), "{a.b:#1 <<:#2}");
    assert_eq!(shown(Format::Json, r#"{"a.b": 1}"#), "{a.b:#1}");
}

#[test]
fn empty_files_are_empty_tables() {
    for text in ["", "\n", "# только комментарий\n", "\u{feff}"] {
        assert_eq!(shown(Format::Toml, text), "{}");
        assert_eq!(shown(Format::Yaml, text), "{}");
    }
    assert_eq!(shown(Format::Yaml, "---\n...\n"), "{}");
    assert!(findings(Format::Json, "").contains("expected a value, found end of the file"));
}

#[test]
fn dates_and_numbers_keep_their_text() {
    let toml =
        "a = 2020-03-01\nb = 2020-03-01T10:00:00+03:00\nc = 12:30\nd = 0x1F\ne = inf\nf = 1_000\ng = -nan\nh = 1e3";
    let wanted = "{a:@2020-03-01 b:@2020-03-01T10:00:00+03:00 c:@12:30 d:#0x1F e:#inf f:#1_000 g:#-nan h:#1e3}";
    assert_eq!(shown(Format::Toml, toml), wanted);
    assert_eq!(shown(Format::Yaml, "a: 2020-03-01\nd: 0x1F\ne: .inf"), "{a:\"2020-03-01\" d:#0x1F e:#.inf}");
}

#[test]
fn toml_1_1_inline_tables() {
    assert_eq!(shown(Format::Toml, "a = {\n  b = 1,\n  # c\n  c = [1,\n 2,],\n}\n"), "{a:{b:#1 c:[#1 #2]}}");
    assert_eq!(shown(Format::Toml, r#"a = "\e[0m\x41""#), "{a:\"\\u{1b}[0mA\"}");
}

#[test]
fn json_strings() {
    assert_eq!(shown(Format::Json, r#"["\uD83D\uDE00", "\u0416\/\n", "\uFFFF"]"#), "[\"😀\" \"Ж/\\n\" \"\\u{ffff}\"]");
    for text in [r#""\uD83D""#, r#""\uDE00""#, r#""\uD83Dx""#, r#""\uD83D\u0041""#] {
        assert!(findings(Format::Json, text).contains("half of a surrogate pair"), "{text}");
    }
}

#[test]
fn spans_point_into_the_original_text() {
    let cases = [
        (
            Format::Yaml,
            "\u{feff}имя: 'знач 😀'\r\nв.г: 1.10 # c\r\nlist:\r\n- да\r\n- |\r\n  один\r\n  два\r\nx: {й: ё}\r\n",
        ),
        (
            Format::Toml,
            "\u{feff}'имя' = 'знач 😀'\r\n'в'.'г' = 1.10 # c\r\nlist = [\r\n'да',\r\n'''один\r\n  два''']\r\nx = {'й' = 'ё'}\r\n",
        ),
        (
            Format::Json,
            "\u{feff}{\"имя\": \"знач 😀\",\r\n\"в\": {\"г\": 1.10},\r\n\"list\": [\"да\", \"один\\n  два\"], \"x\": {\"й\":\"ё\"}}\r\n",
        ),
    ];
    for (format, text) in cases {
        let (node, sources, found) = read(format, text);
        assert!(found.is_empty(), "{}", report::human(&sources, &found, false));
        let mut all = Vec::new();
        slices(&sources, &node.expect("a tree"), &mut all);
        let bare: Vec<String> =
            all.iter().map(|s| s.trim_matches(['\'', '"']).replace("\r\n", "\n").replace("\\n", "\n")).collect();
        assert_eq!(
            bare,
            ["имя", "знач 😀", "в", "г", "1.10", "list", "да", "один\n  два", "x", "й", "ё"],
            "{format:?}"
        );
    }
}

#[test]
fn line_ends_within_texts_are_one_whatever_the_file_has() {
    let text = "a = \"\"\"\none\ntwo \\\n  three\"\"\"\nb = '''\none\ntwo'''\nc = \"\\r\\n\"\n";
    let of = |text: &str| {
        let (node, _, found) = read(Format::Toml, text);
        assert!(found.is_empty());
        ["a", "b", "c"].map(|key| node.as_ref().expect("a tree").at(key).kind.clone())
    };
    let said = ["one\ntwo three", "one\ntwo", "\r\n"].map(|text| Kind::Text(text.into()));
    assert_eq!(of(text), said);
    assert_eq!(of(&text.replace('\n', "\r\n")), said);
}

#[test]
fn table_and_list_spans() {
    let at = |format, text, key: &str| {
        let (node, sources, _) = read(format, text);
        let Some(Node { kind: Kind::Table(table), .. }) = node else { panic!("a table") };
        sources.slice(table.get(key).expect("the key").span).to_owned()
    };
    assert_eq!(at(Format::Yaml, "a:\n  b: 1\n  c: [x, y]\n\nd: 1\n", "a"), "b: 1\n  c: [x, y]");
    assert_eq!(at(Format::Yaml, "a:\n- b\n- \"c\"\n\n# x\nd: 1\n", "a"), "- b\n- \"c\"");
    assert_eq!(at(Format::Yaml, "a: {b: 1,\n c: 2}\n", "a"), "{b: 1,\n c: 2}");
    assert_eq!(at(Format::Toml, "a = {b = 1}\n", "a"), "{b = 1}");
    assert_eq!(at(Format::Toml, "[a]\nb = 1\n", "a"), "[a]");
    assert_eq!(at(Format::Json, "{\"a\": [1, 2] }", "a"), "[1, 2]");
}

#[test]
fn every_repeated_key_is_found() {
    let check = |format, text: &str, wanted: &[&str]| {
        let (node, sources, found) = read(format, text);
        assert!(node.is_some());
        let places: Vec<String> = found
            .iter()
            .map(|d| {
                assert_eq!(d.code, Code::DuplicateKey, "{}", d.message);
                let (first, again) = (sources.start(d.secondary[0].span), sources.start(d.primary.span));
                format!("{}:{} {}:{}", first.line, first.column, again.line, again.column)
            })
            .collect();
        assert_eq!(places, wanted, "{text}");
    };
    check(Format::Yaml, "a: 1\nb: 2\na: 3\nc: {d: 1, d: 2}\n'b': 4\n", &["1:1 3:1", "4:5 4:11", "2:1 5:1"]);
    check(Format::Yaml, "a.b: 1\na: {b: 2}\n", &["1:1 2:1"]);
    check(Format::Yaml, "a: {b: 2}\na.b: 1\n", &["1:1 2:1"]);
    check(Format::Yaml, "a.b: 1\na.b: 2\na.b.c: 1\n", &["1:3 2:3", "1:3 3:3"]);
    check(Format::Toml, "a = 1\na = 2\nb = {c = 1, c = 2}\n", &["1:1 2:1", "3:6 3:13"]);
    check(Format::Toml, "a.b = 1\n[a]\nb = 2\n", &["1:1 2:2", "1:3 3:1"]);
    check(Format::Toml, "[a]\nx = 1\n[b]\n[a]\nx = 1\n", &["1:2 4:2", "2:1 5:1"]);
    check(Format::Toml, "a = [1]\n[[a]]\nx = 1\n[[b]]\n[b]\n", &["1:1 2:3", "4:3 5:2"]);
    check(Format::Toml, "a = {b = 1}\na.c = 2\n[a.d]\n", &["1:1 2:1", "1:1 3:2"]);
    check(Format::Toml, "[x.y]\nz = 1\n[x]\ny.w = 1\n", &["1:4 4:1"]);
    check(Format::Json, "{\"a\": 1,\n\"a\": 2, \"\\u0061\": 3}", &["1:2 2:1", "1:2 2:9"]);
}

#[test]
fn what_toml_allows_to_be_added() {
    assert_eq!(shown(Format::Toml, "[a.b]\nx = 1\n[a]\ny = 2\n[a.c]\n"), "{a:{b:{x:#1} y:#2 c:{}}}");
    assert_eq!(shown(Format::Toml, "[f]\na.c = 1\na.t.s = 2\n[f.a.x]\ny = 3\n"), "{f:{a:{c:#1 t:{s:#2} x:{y:#3}}}}");
    assert_eq!(shown(Format::Toml, "[[a]]\n[a.b]\nx = 1\n[[a]]\n[[a.c]]\n[[a.c]]\n"), "{a:[{b:{x:#1}} {c:[{} {}]}]}");
}

#[test]
fn yaml_that_is_not_read() {
    let check = |text, wanted: &[&str]| {
        let all = findings(Format::Yaml, text);
        for part in wanted {
            assert!(all.contains(part), "{text:?} gave\n{all}");
        }
        assert_eq!(all.lines().count(), wanted.len(), "{text:?} gave\n{all}");
    };
    check("a: !x 1\nb: !!str\n", &["1:4: error[unsupported-yaml]: tags are not read, found `!x`", "2:4: "]);
    check("a: {<<: {b: 1}}\n", &["1:5: error[unsupported-yaml]: merge keys"]);
    check("a: 1\n---\nb: 2\n", &["2:1: error[unsupported-yaml]: a second document"]);
    check("? [a]\n: 1\n? {b: 1}\n: 2\n", &["1:3: error[unsupported-yaml]: a key must be text", "3:3: "]);
    check("a: &a [*a]\n", &["1:8: error[unsupported-yaml]: an alias stands inside"]);
    check("a: *b\n", &["1:4: error[unknown-name]: no anchor `&b`"]);
    check("%YAML 1.1\n---\na: 1\n", &["only YAML 1.2"]);
    check("a..b: 1\n.c: 2\nd. e: 3\n", &["1:1: error[syntax-error]: a dot", "2:1: ", "3:1: "]);
    check("a:\n\tb: 1\n", &["2:1: error[syntax-error]: a tab cannot indent"]);
}

#[test]
fn nulls_are_errors_at_the_key() {
    let check = |format, text, wanted: &[&str], help: &str| {
        let (_, sources, found) = read(format, text);
        let all: Vec<_> = found.iter().map(|d| (d.code, sources.slice(d.primary.span))).collect();
        assert_eq!(all, wanted.iter().map(|w| (Code::NullValue, *w)).collect::<Vec<_>>(), "{text}");
        assert!(found.iter().all(|d| d.help.as_deref().unwrap_or("").contains(help)), "{found:?}");
    };
    check(Format::Yaml, "{ user: помнишь, о чем говорили, expect: {} }", &["о чем говорили"], "quote the text");
    check(Format::Yaml, "a:\nb: ~\nc: null\nd: Null\n", &["a", "b", "c", "d"], "leave the key out");
    check(Format::Yaml, "a:\n- x\n- ~\n-\n", &["~", ""], "leave the item out");
    check(Format::Yaml, "a: &n\nb: *n\n", &["a", "b"], "leave the key out");
    check(Format::Yaml, "~\n", &["~"], "");
    check(Format::Json, "{\"a\": null, \"b\": [null]}", &["\"a\"", "null"], "leave the");
}

#[test]
fn several_toml_errors_in_one_pass() {
    let all = findings(Format::Toml, "a = \nб = 1\nc = 010\nd = 2020-13-40\ne = yes\nf = 1\nf = 2\n");
    for line in 1..=5 {
        assert!(all.contains(&format!("f.toml:{line}:")), "{all}");
    }
    assert!(all.contains("f.toml:7:1: error[duplicate-key]"), "{all}");
}

#[test]
fn aliases_are_read_within_bounds() {
    assert_eq!(
        shown(Format::Yaml, "a: &x {k: [1, 2]}\nb: *x\nc: [*x]"),
        "{a:{k:[#1 #2]} b:{k:[#1 #2]} c:[{k:[#1 #2]}]}"
    );
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for n in 1..12 {
        let before = format!("*a{}", n - 1);
        bomb.push_str(&format!("a{n}: &a{n} [{}]\n", vec![before; 10].join(", ")));
    }
    let all = findings(Format::Yaml, &bomb);
    assert!(all.contains("error[limit-exceeded]: aliases add more than 10000 values"), "{all}");
    let mut deep = String::from("a0: &a0 [x]\n");
    for n in 1..200 {
        deep.push_str(&format!("a{n}: &a{n} [*a{}]\n", n - 1));
    }
    assert!(findings(Format::Yaml, &deep).contains("error[limit-exceeded]"));
}

#[test]
fn nul_and_size_limits() {
    for format in ALL {
        assert!(findings(format, "a\0").contains(":1:2: error[syntax-error]: a NUL character"));
        let out = Diagnostics::new();
        let limits = Limits { max_bytes: 3, ..Limits::default() };
        assert_eq!(parse_within(FileId(0), "[1, 2]", format, &limits, &out), None);
        assert!(out.into_sorted()[0].message.contains("6 bytes"));
    }
    let out = Diagnostics::new();
    let limits = Limits { max_nodes: 10, ..Limits::default() };
    let list = format!("[{}1]", "1, ".repeat(20));
    for (format, text) in
        [(Format::Json, list.clone()), (Format::Yaml, list.clone()), (Format::Toml, format!("a = {list}"))]
    {
        assert_eq!(parse_within(FileId(0), &text, format, &limits, &out), None);
    }
    assert_eq!(out.len(), 3);
}

#[test]
fn formats_by_name() {
    assert_eq!(Format::of_path("a/b.yml"), Some(Format::Yaml));
    assert_eq!(Format::of_path("b.toml"), Some(Format::Toml));
    assert_eq!(Format::of_path("b.json"), Some(Format::Json));
    assert_eq!(Format::of_path("a/.toml"), None);
    assert_eq!(Format::of_path("toml"), None);
}

#[test]
fn large_tables_find_their_keys() {
    let mut text: String = (0..500).map(|n| format!("k{n}: {n}\n")).collect();
    let (node, ..) = read(Format::Yaml, &text);
    let Some(Node { kind: Kind::Table(table), .. }) = node else { panic!("a table") };
    for n in 0..500 {
        assert_eq!(table.get(&format!("k{n}")).map(|node| &node.kind), Some(&Kind::Number(n.to_string().into())));
    }
    assert_eq!(table.get("k500"), None);
    text.push_str("k7: 1\n");
    assert!(findings(Format::Yaml, &text).contains("f.yaml:501:1: error[duplicate-key]"));
}

/// The one finding in a text: its place, its message and its help.
#[track_caller]
fn one(format: Format, text: &str) -> String {
    let (_, sources, found) = read(format, text);
    assert_eq!(found.len(), 1, "{text:?}\n{}", report::human(&sources, &found, false));
    let (start, end) = sources.range(found[0].primary.span);
    assert!(start.line == end.line && start.column < end.column, "{text:?}: {start:?} {end:?}");
    let help = found[0].help.as_deref().expect("what to write");
    format!("{}:{} {}; {help}", start.line, start.column, found[0].message)
}

/// Signs, spaces and letters that only look like others are named, and so is what to write.
#[test]
fn characters_that_are_taken_for_others() {
    let space = "U+00A0 (no-break space) is not read as a space; write a plain space";
    let quote =
        |c: char| format!("`{c}` (U+{:04X}) is not read as `\"`; write `\"` on either side of the text", u32::from(c));
    for (text, wanted) in [
        ("a\u{a0}= 1\nb = 2\n", format!("1:2 {space}")),
        ("\u{a0}a = 1\n", format!("1:1 {space}")),
        ("a =\u{a0}{\u{a0}b = 1 }\n", format!("1:4 {space}")),
        ("a = [\n  1,\u{a0}2\n]\n", format!("2:5 {space}")),
        ("[a]\u{a0}\nb = 1\n", format!("1:4 {space}")),
        ("a =\u{3000}1\n", "1:4 U+3000 (ideographic space) is not read as a space; write a plain space".to_owned()),
        ("a\u{200b}b = 1\n", "1:2 U+200B (zero width space) cannot be seen; delete it".to_owned()),
        ("a = 1\n\u{feff}b = 1\n", "2:1 U+FEFF (byte-order mark) cannot be seen; delete it".to_owned()),
        ("a = “x”\n", format!("1:5 {}", quote('“'))),
        ("a = ‘x y’\n", format!("1:5 {}", quote('‘'))),
        ("a = { b = «да» }\n", format!("1:11 {}", quote('«'))),
        ("a = [“x”, “y”]\n", format!("1:6 {}", quote('“'))),
        ("a = “x\"\n", format!("1:5 {}", quote('“'))),
        ("a = \"x”\nb = 1\n", "1:7 `”` (U+201D) does not close the text; write `\"`".to_owned()),
        ("a ＝ 1\n", "1:3 `＝` (U+FF1D) is not read as `=`; write `=`".to_owned()),
        ("a = [1，2]\n", "1:7 `，` (U+FF0C) is not read as `,`; write `,`".to_owned()),
        ("a–b = 1\n", "1:2 `–` (U+2013) is not read as `-`; write `-`".to_owned()),
        ("оwner = 1\n", "1:1 `о` (U+043E) is no Latin letter; write `owner`, all in Latin letters".to_owned()),
        ("[trigger.сlass]\n", "1:10 `с` (U+0441) is no Latin letter; write `class`, all in Latin letters".to_owned()),
        ("ownér = 1\n", "1:4 a key with other characters than A to Z, digits, `_` and `-`; `é` (U+00E9) needs quotes: write \"ownér\"".to_owned()),
        ("имя = 1\n", "1:1 a key with other characters than A to Z, digits, `_` and `-`; `и` (U+0438) needs quotes: write \"имя\"".to_owned()),
    ] {
        assert_eq!(one(Format::Toml, text), wanted, "{text:?}");
    }
    for (text, wanted) in [
        ("a:\u{a0}b\nc: d\n", format!("1:3 {space}")),
        ("a: b\nc:\u{a0}{ d: e }\n", format!("2:3 {space}")),
        ("a:\n  -\u{a0}b: c\n    d: e\n", format!("2:4 {space}")),
        ("a:\u{200b} b\nc: d\n", "1:3 U+200B (zero width space) cannot be seen; delete it".to_owned()),
        ("a：b\nc: d\n", "1:2 `：` (U+FF1A) is not read as `:`; write `:`".to_owned()),
        ("a: { b：c }\n", "1:7 `：` (U+FF1A) is not read as `:`; write `:`".to_owned()),
        ("a: [\"x\"，\"y\"]\n", "1:8 `，` (U+FF0C) is not read as `,`; write `,`".to_owned()),
        ("a:\n  – b: c\n    d: e\n", "2:3 `–` (U+2013) is not read as `-`; write `-`".to_owned()),
        ("a: [\"x”]\nb: [\"y\"]\n", "1:7 `”` (U+201D) does not close the text; write `\"`".to_owned()),
    ] {
        assert_eq!(one(Format::Yaml, text), wanted, "{text:?}");
    }
    // In texts and comments they are what they are.
    assert_eq!(findings(Format::Toml, "a = \"“x”\u{a0}— ＝\" # “y”\n\"имя\" = 'ё：'\n"), "");
    assert_eq!(findings(Format::Yaml, "a: “x”, you：see\u{a0}— ok\nимя: [говорит “ё”] # ，\n"), "");
}

/// What is missing at the end of a line or of the text is shown there, one character wide.
#[test]
fn places_of_what_is_missing() {
    for (text, wanted) in [
        ("a =\n", "1:4 a value is missing; write a value, or leave the key out"),
        ("a =", "1:4 a value is missing; write a value, or leave the key out"),
        ("a = { b = }\n", "1:11 a value is missing; write a value, or leave the key out"),
        ("a = = 1\n", "1:5 extra `=`; write `=` once"),
        ("a\nb = 1\n", "1:2 a key without a value; write `key = value`"),
        ("[a\nb = 1\n", "1:1 `[a` is no header; write `[a]`"),
        (
            "a = 2021-13-40\n",
            "1:5 invalid date, expected month between 01 and 12; write a date such as 2021-05-10, or quote the text",
        ),
    ] {
        assert_eq!(one(Format::Toml, text), wanted, "{text:?}");
    }
}

/// Line ends that are none are told of once.
#[test]
fn a_carriage_return_alone_ends_no_line() {
    let help = "save the file with line ends of Unix (LF) or of Windows (CRLF)";
    for format in [Format::Toml, Format::Yaml, Format::Json] {
        let text = match format {
            Format::Toml => "# имя\ra = 1\rb = \rc = 3\r",
            Format::Yaml => "# имя\ra: 1\rb: [\rc: 3\r",
            Format::Json => "{\"имя\":\r1,\r\"a\": 2,}\r",
        };
        let column = text.chars().position(|c| c == '\r').expect("one") + 1;
        assert_eq!(one(format, text), format!("1:{column} a carriage return alone ends a line; {help}"));
    }
}

#[test]
fn quotes_of_prose_are_none_of_yaml() {
    for (text, at) in [("a: “REST”\n", '“'), ("a: ‘REST’\n", '‘'), ("a: „and off“\n", '„'), ("a: ”AGAIN”\n", '”')]
    {
        let wanted = format!(
            "f.yaml:1:4: error[syntax-error]: `{at}` (U+{:04X}) quotes nothing, it is a part of the text\n",
            u32::from(at)
        );
        assert_eq!(findings(Format::Yaml, text), wanted, "{text}");
    }
    // They may be what is said.
    for text in
        ["a: '“and off”'\n", "a: say “off” and “on”\n", "a: “off” again\n", "a: «and off»\n", "a: “off” and “on”\n"]
    {
        assert_eq!(findings(Format::Yaml, text), "", "{text}");
    }
}
