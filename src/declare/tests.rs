//! Whole packs: what comes of them, whatever the files and formats, and what is said of typical mistakes.

use super::testing::{files, files_with};
use super::*;
use crate::model::class::{Answer, By, On};
use crate::model::effect::Verb;
use crate::report::human;
use crate::syntax::{Entry, Format, Table, parse};

/// A snapshot without the expression that made it.
macro_rules! assert_snapshot {
    ($($what:expr),+) => { insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($($what),+) }) };
}

fn found(files: &[SourceText]) -> String {
    let declared = declare(files, &Options::default());
    assert_eq!(declared.pack.is_some(), !declared.diagnostics.has_errors());
    let found = declared.diagnostics.into_sorted();
    human(&declared.sources, &found, false)
}

fn pack(files: &[SourceText], params: &[(&str, &str)]) -> Pack {
    let params = params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let declared = declare(files, &Options { params });
    let all = declared.diagnostics.into_sorted();
    declared.pack.unwrap_or_else(|| panic!("{}", human(&declared.sources, &all, false)))
}

/// All of a pack, spans left out.
fn shape(pack: &Pack) -> String {
    let mut pack = pack.clone();
    let names: Vec<String> = std::mem::take(&mut pack.names).iter().map(str::to_owned).collect();
    let spans = regex::Regex::new(r"Span \{[^}]*\}").unwrap();
    spans.replace_all(&format!("{names:?} {pack:?}"), "@").into_owned()
}

/// A document as YAML in block style, everything in its order.
fn yaml(node: &Node, indent: usize) -> String {
    let pad = "  ".repeat(indent);
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    match &node.kind {
        Kind::Table(table) if !table.is_empty() => {
            let entries =
                table.iter().map(|entry| format!("\n{pad}{}: {}", quoted(&entry.key), yaml(&entry.value, indent + 1)));
            entries.collect()
        }
        Kind::List(items) if !items.is_empty() => {
            items.iter().map(|item| format!("\n{pad}- {}", yaml(item, indent + 1))).collect()
        }
        Kind::Table(_) => "{}".to_owned(),
        Kind::List(_) => "[]".to_owned(),
        Kind::Text(text) => quoted(text),
        Kind::Number(text) | Kind::Date(text) => text.to_string(),
        Kind::Bool(value) => value.to_string(),
        Kind::Null => "null".to_owned(),
    }
}

fn document(file: &SourceText) -> Node {
    let out = Diagnostics::new();
    parse(FileId(0), &file.text, Format::Toml, &out).expect("a document")
}

#[test]
fn a_small_pack_is_all_there() {
    let pack = pack(&files(), &[]);
    let text = |sym| pack.names.text(sym);
    assert_eq!(pack.classes.iter().map(|class| text(class.id)).collect::<Vec<_>>(), ["T2", "T10"]);
    assert_eq!(pack.boundary, ClassId(1));
    assert_eq!(*pack.precedes, [[false, true], [false, false]]);
    assert_eq!(
        pack.frames.iter().map(|frame| text(frame.name)).collect::<Vec<_>>(),
        ["gate", "object", "question", "root"]
    );
    let inputs: Vec<_> = pack.inputs.iter().map(|input| text(input.name)).collect();
    assert_eq!(
        inputs,
        ["ref", "text", "confidence", "day", "place", "command", "command_rest", "tag", "missing", "route"]
    );
    assert_eq!(pack.derived.iter().map(|d| inputs[d.input.index()]).collect::<Vec<_>>(), ["route", "missing"]);
    assert_eq!(pack.reasons.iter().map(|reason| text(*reason)).collect::<Vec<_>>(), ["execution_failed"]);
    assert_eq!(pack.kept.len(), 1);
    assert_eq!(pack.lexicon.signals.len(), 2);
    assert_eq!(pack.completions.len(), 1);
    let t2 = &pack.classes[0];
    assert_eq!(t2.triggers[0].any.len(), 3);
    assert!(matches!(t2.triggers[0].any[2].by, By::Ambiguous(_)));
    assert!(matches!(t2.effects[1].verb, Verb::Call(_)));
    assert_eq!(t2.settle[0].effects.len(), 2);
    assert!(!t2.settle[0].effects[1].when.is_true(), "the `when` inside of a block is kept");
    assert!(matches!(&t2.answer, Answer::By { rows, .. } if rows.len() == 2));
    assert!(matches!(pack.classes[1].triggers[0].on, On::Outcome { ok: Some(false), .. }));
    crate::registry::Registry::compile(pack).expect("it compiles");
}

#[test]
fn toml_and_yaml_and_any_split_and_order_are_one_pack() {
    let toml = files();
    let whole = pack(&toml, &[]);
    let documents: Vec<Node> = toml.iter().map(document).collect();
    let text = |name: &str, node: &Node| SourceText::new(name, yaml(node, 0));
    let as_yaml: Vec<SourceText> =
        toml.iter().zip(&documents).map(|(file, node)| text(&file.name.replace("toml", "yaml"), node)).collect();
    // One file, its classes as `[[transition]]`.
    let (mut entries, mut classes) = (Vec::new(), Vec::new());
    for node in documents {
        match &node.kind {
            Kind::Table(table) if table.get("id").is_none() => entries.extend(table.iter().cloned()),
            _ => classes.push(node),
        }
    }
    classes.reverse();
    let span = classes[0].span;
    let value = Node { span, kind: Kind::List(classes.into()) };
    entries.push(Entry { key: "transition".into(), key_span: span, value });
    let one = vec![text("all.yml", &Node { span, kind: Kind::Table(Table::new(entries)) })];
    let mut renamed = toml.clone();
    for (at, file) in renamed.iter_mut().enumerate() {
        file.name = format!("{}.toml", ["d", "c", "b", "a"][at]);
    }
    assert_eq!(shape(&pack(&renamed, &[])), shape(&whole));
    for other in [&as_yaml, &one] {
        let other = pack(other, &[]);
        assert_eq!(other.fingerprint, whole.fingerprint);
        assert_eq!(shape(&other), shape(&whole));
    }
}

#[test]
fn the_order_of_files_changes_nothing() {
    let broken = |mut files: Vec<SourceText>| {
        files[0].text =
            files[0].text.replace("city = \"Юг\"", "citi = \"Юг\"").replace("frame.object", "frame.objekt").into();
        files
    };
    let (whole, wrong) = (pack(&files(), &[]), found(&broken(files())));
    for turn in 0..4 {
        for reverse in [false, true] {
            let mut files = files();
            files.rotate_left(turn);
            if reverse {
                files.reverse();
            }
            assert_eq!(shape(&pack(&files, &[])), shape(&whole));
            let at = files.iter().position(|file| file.name == "pack.toml").unwrap();
            files.swap(0, at);
            assert_eq!(found(&broken(files)), wrong);
        }
    }
}

#[test]
fn parameters_are_read_like_literals_and_change_the_fingerprint() {
    let declared = pack(&files(), &[]);
    assert_eq!(pack(&files(), &[("threshold", "0.75")]).fingerprint, declared.fingerprint);
    let told = pack(&files(), &[("threshold", "0.5")]);
    assert_ne!(told.fingerprint, declared.fingerprint);
    assert_eq!(told.params[0].value, crate::model::value::Value::Decimal("0.5".parse().unwrap()));
    let params = [("threshold", "1.5"), ("treshold", "1"), ("threshold", "much")];
    let params = params.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let declared = declare(&files(), &Options { params });
    let all = declared.diagnostics.into_sorted();
    assert_snapshot!("parameters", human(&declared.sources, &all, false));
}

/// The findings for the small pack with one text replaced, one case after another.
fn cases(cases: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (from, to) in cases {
        text.push_str(&format!("######## {from}\n    ==> {to}\n{}\n", found(&files_with(from, to))));
    }
    text
}

#[test]
fn misspelt_keys() {
    assert_snapshot!(cases(&[
        ("[answer_mode]", "[answer_modes]"),
        ("title = \"Склад\"", "titel = \"Склад\""),
        ("[requires]", "[require]"),
        ("seed = \"object_state\"", "sead = \"object_state\""),
        ("forbid = [\"object\"]", "forbit = [\"object\"]"),
        ("city = { type = \"text\" }", "city = { tipe = \"text\" }"),
        ("starts = true, tag", "start = true, tag"),
        ("call = \"execute\"\nid", "cal = \"execute\"\nid"),
        ("{ lt = 3 }", "{ ltt = 3 }"),
    ]));
}

#[test]
fn unknown_names() {
    assert_snapshot!(cases(&[
        ("forbid = [\"object\"]", "forbid = [\"objekt\"]"),
        ("set.root = { place", "set.rot = { place"),
        ("status = \"active\" }\n[[do]]", "statis = \"active\" }\n[[do]]"),
        ("status = \"active\" }\n[[do]]", "status = \"aktive\" }\n[[do]]"),
        ("\"$root.day?\" }\nkeep", "\"$root.dya?\" }\nkeep"),
        ("input.route = { present", "inptu.route = { present"),
        ("input.route = { present", "input.rute = { present"),
        ("\"$input.route.id\"", "\"$input.route.idd\""),
        ("is = \"open_root\"", "is = \"open_rot\""),
        ("use = \"settled\"", "use = \"setled\""),
        ("call = \"execute\"", "call = \"exekute\""),
        ("on = \"run\"", "on = \"ran\""),
        ("depth = \"root_only\"", "depth = \"rot_only\""),
        ("owner = \"navigation\"\ntouches", "owner = \"navigator\"\ntouches"),
        ("event = \"utterance\"\nany", "event = \"uterance\"\nany"),
        ("event = \"execute.failed\"", "event = \"execute.fail\""),
        ("outcome.eligible = [\"all\"", "outcome.eligibel = [\"all\""),
        ("mode = \"bounded\"", "mode = \"bound\""),
        ("key_of = \"place\"\nvalues", "key_of = \"plase\"\nvalues"),
        ("emit = \"refused\", with = { reason", "emit = \"refused\", with = { raeson"),
        ("[\"ask\", \"T10\"]", "[\"asks\", \"T10\"]"),
        ("{reason}", "{rason}"),
    ]));
}

#[test]
fn wrong_types_and_values() {
    assert_snapshot!(cases(&[
        ("{ input.missing = { empty = true } }", "{ input.missing = \"day\" }"),
        ("{ input.missing = { empty = true } }", "{ input.missing = [\"day\"] }"),
        ("{ root.asked = { lt = 3 } }", "{ root.status = { lt = 3 } }"),
        ("{ root.asked = { lt = 3 } }", "{ root.asked = 3.5 }"),
        ("{ root.asked = { lt = 3 } }", "{ root.asked = { lt = \"$root.asked\" } }"),
        ("{ root.asked = { lt = 3 } }", "{ root.lines = { exists = { value.note = \"x\" } } }"),
        ("{ root.asked = { lt = 3 } }", "{ root.place = \"$root.status\" }"),
        ("{ root.asked = { lt = 3 } }", "{ root = \"active\" }"),
        ("day = \"$input.day?\", status", "day = \"$input.place?\", status"),
        ("day = \"$input.day?\", status", "day = \"2020-13\", status"),
        ("city = \"Юг\", big = true", "city = 7, big = \"yes\""),
        ("needs = [\"day\"] }", "needs = [\"day\", \"day\"] }"),
        ("default = 0.75", "default = 1.75"),
        ("route = \"$input.route.id\"", "route = \"$input.route.id?\""),
        ("with = { route = \"$input.route.id\", day = \"$root.day?\" }", "with = { day = \"$root.day?\" }"),
        ("asked = { type = \"int\", default = 0 }", "asked = { type = \"int\" }"),
        ("asked = { type = \"int\", default = 0 }", "asked = { type = \"int\", default = 0, optional = true }"),
        ("place = { key_of = \"place\", optional = true }", "input = { key_of = \"place\", optional = true }"),
        ("forbid = [\"object\"]", "forbid = [\"$object\"]"),
    ]));
}

#[test]
fn picks_and_keys_that_are_paths() {
    let day = "day = \"$input.day?\", status";
    let written = |effect: &'static str| (day, effect);
    assert_snapshot!(cases(&[
        written("lines = { pick = \"$root.lines\" }, status"),
        written("lines = { pick = [], where = { value.count = 1 } }, status"),
        written("lines = { pick = \"$root.asked\", where = { value = 1 } }, status"),
        written("lines = { pick = \"$root.lines\", where = { count = 1 } }, status"),
        written("lines = { pick = \"$root.lines\", where = { key = 1 } }, status"),
        written("lines = { pick = \"$root.lines\", take = \"sku\" }, status"),
        written("lines = { pick = \"$root.lines\", take = \"value.skew\" }, status"),
        written("lines = { pick = \"$root.lines\", take = \"value.sku\" }, status"),
        written("lines = { pick = \"$root.counts\", where = { value = 1 } }, status"),
        written("lines = { pick = \"$root.lines\", when = { value.count = 1 } }, status"),
        written("counts = { \"[$root.day]\" = 1 }, status"),
        written("counts = { \"[$root.plase]\" = 1 }, status"),
        written("counts = { \"[$root.place]\" = 1 }, status"),
        written("counts = { \"[root.place]\" = 1 }, status"),
        written("counts = { \"$root.place\" = 1 }, status"),
        written("counts = { \"[$root.place\" = 1 }, status"),
    ]));
}

#[test]
fn sizes_that_are_parameters_and_numbers_as_percentages() {
    let size = "lines = { list = { record = \"Line\" }, max = 8";
    let text = "text = \"Нет: {reason}\"";
    assert_snapshot!(cases(&[
        (size, "lines = { list = { record = \"Line\" }, max = \"%threshold\""),
        (size, "lines = { list = { record = \"Line\" }, max = \"%treshold\""),
        (size, "lines = { list = { record = \"Line\" }, max = \"8\""),
        (size, "lines = { list = { record = \"Line\" }, max = \"$root.asked\""),
        (text, "text = \"{reason:percent}\""),
        (text, "text = \"{reason:permille}\""),
    ]));
    let most = "[param.most]\ntype = \"int\"\ndefault = 2\n[param.threshold]";
    let files: Vec<SourceText> = files_with("[param.threshold]", most)
        .into_iter()
        .map(|file| SourceText::new(&file.name, file.text.replace(size, &size.replace('8', "\"%most\""))))
        .collect();
    let most = |pack: &Pack| match &pack.slots[pack.field(pack.frame("root").unwrap(), "lines").unwrap().index()].ty {
        crate::model::schema::Type::List { max, .. } => *max,
        other => panic!("{other:?}"),
    };
    assert_eq!((most(&pack(&files, &[])), most(&pack(&files, &[("most", "5")]))), (2, 5));
    let params = vec![("most".to_owned(), "0".to_owned())];
    let declared = declare(&files, &Options { params });
    assert_snapshot!("no_size", human(&declared.sources, &declared.diagnostics.into_sorted(), false));
}

#[test]
fn wrong_places() {
    assert_snapshot!(cases(&[
        ("[requires]\n", "[requires]\ninput.place = \"north\"\n"),
        ("when = { outcome.eligible = [", "when = { input.place = \"north\", outcome.eligible = ["),
        ("then = { root.place = { present = true } }", "then = { input.place = { present = true } }"),
        (
            "reason = \"execution_failed\"\n\n[[trigger]]\nevent = \"boundary\"",
            "\n[[trigger]]\nevent = \"boundary\"\nreason = \"x\""
        ),
        ("requires = {}", "requires = { root.status = \"active\" }"),
        ("[[never]]\nroot.place = { present = false }", "[[never]]\nreason = \"busy\""),
        (
            "[derive.route]",
            "[derive.a]\nfirst_of = [\"$input.b\"]\n[derive.b]\nfirst_of = [\"$input.a\"]\n[derive.route]"
        ),
        ("[condition.open_root]\n", "[condition.open_root]\nis = \"open_root\"\n"),
        ("do = [ { set.gate", "do = [ { use = \"settled\" }, { set.gate"),
        ("with = { reason = \"$reason\" } }", "with = { reason = \"$reason\" }, clear = [\"root\"] }"),
        ("{ signal = \"day\" }", "{ signal = \"day\", phrase = \"день\" }"),
        ("{ signal = \"day\" }", "{ signal = \"ref\" }"),
    ]));
}

/// A metric counts one thing, and a case that is looked at by itself has no end.
#[test]
fn metrics_that_say_too_much() {
    let told = |rest: &str| {
        let mut files = files();
        files.push(SourceText::new("metrics.toml", format!("[metric.m]\nof = [\"T2\"]\nare = [\"T2\"]\n{rest}\n")));
        let found = declare(&files, &Options::default()).diagnostics.into_sorted();
        found.iter().map(|one| format!("{}: {}", one.code.slug(), one.message)).collect::<Vec<_>>()
    };
    assert_eq!(told(""), [""; 0]);
    let two = "one-of-several: a metric counts one thing, and `are` stands here already";
    assert_eq!(told("followed_by = [\"T2\"]"), [two]);
    let end = "out-of-place: a metric with `are` has no `until`: it looks at the cases themselves";
    assert_eq!(told("until = [\"T2\"]"), [end]);
}

#[test]
fn missing_parts() {
    let mut bare = files();
    bare[2].text = "id = \"T2\"\n".into();
    assert_snapshot!("a_bare_class", found(&bare));
    assert_snapshot!(cases(&[
        ("depth = \"root_only\"\n", ""),
        ("fate.question = \"clear\"\n", ""),
        ("examples = [\"остатки на юге\"]\n", ""),
        (
            "[[settle]]\non = \"run\"\nwhen = { outcome.eligible = [\"all\", \"root_only\"] }\ndo = [ { use = \"settled\" } ]\n",
            ""
        ),
        ("base = \"before\"\n", ""),
        ("owner = [\"navigation\", \"gate\"]\n", ""),
    ]));
}

/// An outcome comes of a port that replies alone.
#[test]
fn a_class_whose_calls_get_no_reply_needs_no_settle_rows() {
    let noting = |settle: &str, port: &str| {
        let mut files = files();
        let declared = "\n[port.note]\nrequest = {}\nreply = \"none\"\ndoc = \"It is noted.\"\n";
        files[0].text = format!("{}{declared}", files[0].text).into();
        let call = format!("{settle}do = [ {{ call = \"{port}\", id = \"n\", with = {{}} }}, {{ emit");
        files[3].text = files[3].text.replacen("do = [ { emit", &call, 1).into();
        found(&files)
    };
    assert_eq!(noting("", "note"), "");
    assert_eq!(noting("settle = []\n", "note"), "");
    let waits = noting("", "execute");
    assert!(waits.contains("class `T10` lacks its *settle rows*"), "{waits}");
}

/// In TOML a line below a header is the header's: whoever writes a part there is told so where it stands.
#[test]
fn parts_that_stand_in_another_part() {
    for (header, within) in [("[[trigger]]\n", "trigger"), ("[carryover]\n", "carryover"), ("[[settle]]\n", "settle")] {
        let mut stray = files();
        let text = &mut stray[2].text;
        let (at, end) = (text.find("[requires]").expect("a part"), text.find("[entry]").expect("the next"));
        let rest = format!("{}{}", &text[..at], &text[end..]);
        *text = rest.replacen(header, &format!("{header}requires = {{}}\n"), 1).into();
        let found = found(&stray);
        assert!(found.contains("class `T2` lacks its *required prior state*"), "{found}");
        assert!(found.contains(&format!("help: here `requires` belongs to `{within}`;")), "{found}");
        assert!(found.contains("| requires = {}\n"), "{found}");
    }
}

#[test]
fn examples_may_be_empty_where_no_words_set_the_trigger_off() {
    let words = "examples = [\"остатки на юге\"]\ncounterexamples = [\"спасибо\"]";
    let empty = words.replace("[\"остатки на юге\"]", "[]");
    assert_snapshot!("no_examples_for_words", found(&files_with(words, &empty)));
    let mut host = files_with(words, &empty);
    let any = "any = [ { phrase = \"остатки [на] {place}\", starts = true, tag = \"stock\" }, { signal = \"day\" }, { signal = \"place\", ambiguous = true } ]";
    assert!(host[2].text.contains(any), "the pack has these alternatives");
    host[2].text = host[2].text.replace(any, "any = [ { signal = \"confidence\", tag = \"stock\" } ]").into();
    assert_eq!(pack(&host, &[]).classes[0].triggers[0].examples, []);
}

#[test]
fn twice_and_round() {
    let mut again = files();
    again.push(SourceText::new("T2b.toml", again[2].text.clone()));
    again.push(SourceText::new("more.yaml", "enum:\n  status: [a]\n"));
    assert_snapshot!("declared_twice", found(&again));
    assert_snapshot!(cases(&[
        ("[\"ask\", \"T10\"]", "[\"T10\", \"ask\"]"),
        ("event = \"utterance\"\nany", "event = \"boundary\"\n[[trigger]]\nevent = \"utterance\"\nany"),
        ("event = \"boundary\"", "event = \"select\""),
        (
            "[[do]]\nwhen = { input.missing",
            "[[do]]\ncall = \"execute\"\nid = \"run\"\nwith = { route = \"$input.route.id\" }\n[[do]]\nwhen = { input.missing"
        ),
        (
            "response = { eligible = { enum = \"eligible\" }, result",
            "response = { status = { type = \"text\" }, result"
        ),
        (
            "field = { ref = { type = \"id\" } }\n\n[ending]",
            "field = { ref = { type = \"id\" }, day = { type = \"text\" } }\n\n[ending]"
        ),
    ]));
}

#[test]
fn words() {
    assert_snapshot!(cases(&[
        ("south = [\"юге\"", "south = [\"север\""),
        ("\"04\" = [\"апрел~noun\"", "\"04\" = [\"марта\""),
        ("complete.year = [\"$root.day\", \"$env.today\"]\n", ""),
        ("complete.year = [\"$root.day\"", "complete.year = [\"$root.place\""),
        ("phrase = \"{month} {year}\"", "phrase = \"{month} {yaer}\""),
        ("phrase = \"остатки [на] {place}\"", "phrase = \"остатки [на {place}\""),
        ("phrase = \"остатки [на] {place}\"", "phrase = \"остатки {confidence}\""),
        ("север~noun", "север~nuon"),
        ("pattern = '20[0-9]{2}'", "pattern = '20[0-9'"),
        ("place = \"south\", needs", "place = \"north\", needs"),
        ("anchor = [\"day\", \"place\"]", "anchor = [\"day\", \"place\", \"colour\"]"),
    ]));
}

#[test]
fn symbols_stand_in_the_order_of_the_alphabet() {
    let pack = pack(&files(), &[]);
    // The engine's own enums, such as `input.command`, are made of keys and stand behind.
    let declared = pack.enums.iter().filter(|declared| !pack.names.text(declared.name).contains('.'));
    let values = declared.flat_map(|declared| &declared.values);
    let keys = pack.tables.iter().flat_map(|table| table.rows.iter().map(|row| &row.key));
    let mut syms: Vec<_> = values.chain(keys).copied().collect();
    syms.sort();
    let texts: Vec<&str> = syms.iter().map(|sym| pack.names.text(*sym)).collect();
    assert!(texts.len() > 4 && texts.is_sorted(), "{texts:?}");
}

#[test]
fn recordings() {
    use crate::model::recording::Label::{Class, Named};
    let pack = pack(&files(), &[]);
    let told = &pack.recordings[0];
    let shown = |ways: &[&crate::model::recording::Members]| ways.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(shown(&[&told.id, &told.next[0].1]), ["call.id", "heard.result"]);
    let expected = told.expected.as_ref().expect("what is expected");
    assert_eq!(expected.strict, [Class(ClassId(1)), Named(0)]);
    assert_eq!(expected.labels, [("NONE".to_owned(), vec![ClassId(1)])]);
    assert_eq!(expected.groups, [("ALL".to_owned(), vec![Class(ClassId(1)), Named(0)])]);
    // It changes nothing of what a step does.
    for (from, to) in [
        ("omit = [\"agent\"]\n", ""),
        (
            "[recording.told]",
            "[recording.heard]\nid = \"id\"\nevent = \"select\"\npayload = { ref = \"ref\" }\n[recording.told]",
        ),
    ] {
        let other = self::pack(&files_with(from, to), &[]);
        assert_eq!(other.fingerprint, pack.fingerprint);
        assert_ne!(format!("{:?}", other.recordings), format!("{:?}", pack.recordings));
    }
    let told = "outcome = \"answer\"\nnext = { result = \"heard.result\" }\n";
    assert_snapshot!(cases(&[
        ("[recording.told]", "[recordings.told]"),
        ("[recording.told]", "[recording.\"told it\"]"),
        ("id = \"call.id\"\n", ""),
        ("id = \"call.id\"\n", "id = \"call..id\"\n"),
        ("turns = \"turns\"\n", "turn = \"turns\"\n"),
        ("turns = \"turns\"\n", ""),
        ("event = \"utterance\"\npayload", "event = \"utterence\"\npayload"),
        ("event = \"utterance\"\npayload", "event = \"select\"\npayload"),
        ("payload = { text = \"said\" }\nsignals = \"heard\"", "payload = {}"),
        ("payload = { text = \"said\" }\n", "payload = { text = 1, ref = \"ref\" }\n"),
        ("outcome = \"answer\"\n", ""),
        ("next = { result", "next = { reslut"),
        ("class = \"label\"\n", ""),
        ("label = { NONE = [\"T10\"] }", "label = { T2 = [\"T10\"], NONE = [\"T3\"] }"),
        ("label = { NONE = [\"T10\"] }", "label = { NONE = [], \"N ONE\" = [\"T2\"] }"),
        ("strict = [\"T10\", \"NONE\"]", "strict = []"),
        ("group = { ALL = [\"T10\", \"NONE\"] }", "groups = { ALL = [\"T2\"] }"),
        ("group = { ALL = [\"T10\", \"NONE\"] }", "group = { ALL = [\"T2\", \"NON\"] }"),
        ("by = [\"fit\"]", "by = \"fit\""),
        ("turns = \"turns\"\n", "turns = \"turns\"\nsource = \"a.\"\n"),
        ("outcome = \"answer\"\n", "outcome = \"answer\"\nreply = { execute = { eligible = \"full\" } }\n"),
        (told, "reply = { execute = { eligble = \"full\" }, exekute = {} }\n"),
        (told, "reply = { execute = { result = 7 } }\n"),
        (told, "reply = { execute = { eligible = \"wide\", result = \"$root.day\" } }\n"),
        ("class = \"label\"\n", "class = \"label\"\nonly = { \"a..b\" = [\"x\"], fit = [] }\n"),
    ]));
}

#[test]
fn for_each_row_a_class() {
    let text = super::testing::T2
        .replace("id = \"T2\"", "id = \"T2_{d.id}\"\nfor_each = { table = \"place\", as = \"d\" }")
        .replace("остатки [на] {place}", "{d.city} [на] {place}")
        .replace("остатки на юге", "{d.city} на юге");
    let mut each = files();
    each[2].text = text.clone().into();
    each[0].text = each[0].text.replace("[\"T2\", \"T10\"], ", "").into();
    let pack = pack(&each, &[]);
    let ids: Vec<&str> = pack.classes.iter().map(|class| pack.names.text(class.id)).collect();
    assert_eq!(ids, ["T2_north", "T2_south", "T10"]);
    assert_eq!(pack.classes[1].triggers[0].examples[0].0, "Юг на юге");
    each[2].text = text.replace("T2_{d.id}", "T2").replace("{d.city} на юге", "{d.citi}").into();
    assert_snapshot!("for_each", found(&each));
}

#[test]
fn nothing_at_all_is_a_finding_too() {
    assert_snapshot!("no_files", found(&[]));
    assert_snapshot!("no_format", found(&[SourceText::new("pack.txt", String::new())]));
    assert_snapshot!("empty_file", found(&[SourceText::new("pack.toml", String::new())]));
}

mod torn {
    use super::*;
    use proptest::prelude::*;

    /// Some pieces of the language to put where they do not belong.
    const PIECES: &[&str] = &[
        "\"$input.day\"",
        "\"%threshold\"",
        "{}",
        "[]",
        "7",
        "true",
        "\"\"",
        "\"$\"",
        "\"root\"",
        "\"root.place\"",
        "{ present = true }",
        "\"$root.counts.[$input.place]?\"",
        "{ first = [] }",
        "[[]]",
        "\"я\"",
        "2020-03-05",
        "{ type = \"int\" }",
        "-1",
        "\"$before.root\"",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        /// Whatever one does to a pack, it is read without a panic, and there is a pack exactly when there is no error.
        #[test]
        fn any_tear_is_a_finding_or_a_pack(file in 0..4_usize, cut in any::<prop::sample::Index>(), len in 0..40_usize, piece in prop::sample::select(PIECES), value in any::<bool>()) {
            let mut files = files();
            let text = &mut files[file].text;
            if value {
                // One value is replaced by something else.
                let places: Vec<usize> = text.match_indices("= ").map(|(at, _)| at + 2).collect();
                let from = places[cut.index(places.len())];
                let rest = &text[from..];
                let end = match rest.as_bytes()[0] {
                    b'"' => rest[1..].find('"').map_or(rest.len(), |at| at + 2),
                    b'{' | b'[' => rest.find('\n').unwrap_or(rest.len()),
                    _ => rest.find([' ', ',', '\n']).unwrap_or(rest.len()),
                };
                *text = [&text[..from], piece, &rest[end..]].concat().into();
            } else {
                let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
                let at = cut.index(starts.len());
                let (from, to) = (starts[at], starts.get(at + len).copied().unwrap_or(text.len()));
                *text = [&text[..from], &text[to..]].concat().into();
            }
            let rendered = found(&files);
            prop_assert!(!rendered.contains("the type of this cannot be told"), "{}", rendered);
            let declared = declare(&files, &Options::default());
            if let Some(pack) = declared.pack {
                let again = declare(&files, &Options::default()).pack.expect("the same again");
                prop_assert_eq!(pack.fingerprint, again.fingerprint);
            }
        }
    }
}
