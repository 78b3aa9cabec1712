//! Hostile input: whatever lies in the files of a pack, there is an answer in words, in bounded time and space, and no file costs
//! more than its own findings.

use segue::declare::{Options, SourceText};
use segue::diag::{Code, Diagnostic};
use segue::load::{Loaded, load};
use segue::report;

use crate::support::tiny::Tiny;
use crate::support::{file, workspace};
use serde_json::{Value as Json, json};

const PACKS: [&str; 6] = ["assistant", "booking", "clarification", "joined", "refinement", "step-back"];

fn loading(files: &[SourceText]) -> Loaded {
    load(files, &Options::default())
}

fn shown(loaded: &Loaded) -> String {
    report::short(&loaded.sources, &loaded.diagnostics)
}

fn codes(loaded: &Loaded) -> Vec<Code> {
    loaded.diagnostics.iter().map(|found: &Diagnostic| found.code).collect()
}

/// What the others say of a file that cannot be read is no mistake of theirs.
#[test]
fn an_unreadable_file_costs_its_own_findings_only() {
    for pack in PACKS {
        let files = workspace().pack(pack).expect("the pack");
        // Files of packs that this one uses or extends have their turn as theirs.
        for at in (0..files.len()).filter(|at| files[*at].name.contains(pack)) {
            let mut broken = files.clone();
            let wanted = if at % 4 == 0 {
                broken[at] = file(&files[at].name, "[[[\n");
                Code::SyntaxError
            } else {
                broken[at] = SourceText::unread(files[at].name.clone(), "permission denied", "");
                Code::UnreadableFile
            };
            let loaded = loading(&broken);
            assert!(loaded.registry.is_none());
            assert!(!codes(&loaded).is_empty());
            assert!(codes(&loaded).iter().all(|code| *code == wanted), "{}\n{}", files[at].name, shown(&loaded));
        }
        // Nothing is left at all.
        let none: Vec<_> = files.iter().map(|file| SourceText::unread(file.name.clone(), "gone", "")).collect();
        assert_eq!(codes(&loading(&none)), vec![Code::UnreadableFile; files.len()]);
    }
}

/// What is surely wrong in the other files is said in the same run.
#[test]
fn a_broken_file_hides_no_mistake_in_another() {
    let mut files = workspace().pack("assistant").expect("the pack");
    let at = |name: &str| files.iter().position(|file| file.name.ends_with(name)).expect("the file");
    let (t1, t2, t3, state) = (at("T1.toml"), at("T2.toml"), at("T3.toml"), at("state.toml"));
    files[t1].text = format!("{}\n[broken\n", files[t1].text).into();
    files[t2].text = files[t2].text.replace("\nentry =", "\nentri =").replace("\n[entry", "\n[entri").into();
    files[t3].text = files[t3].text.replace("title = ", "title = 1 # ").into();
    let extra = "\n[frame.extra]\nowner = \"nobody\"\n";
    files[state].text = format!("{}{extra}", files[state].text).into();
    let loaded = loading(&files);
    let all = shown(&loaded);
    for wanted in ["T1.toml", "T2.toml", "T3.toml", "state.toml"] {
        assert!(all.contains(&format!("/{wanted}:")), "{wanted}\n{all}");
    }
    assert!(
        all.contains("[syntax-error]") && all.contains("[wrong-type]") && all.contains("no owner `nobody`"),
        "{all}"
    );
}

/// Nesting is refused where it begins to be too deep, in each format and each way to nest.
#[test]
fn nesting_without_end() {
    const DEEP: usize = 20_000;
    let nested = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(DEEP), close.repeat(DEEP));
    let steps = |line: &str| (0..2_000).map(|at| format!("{}{line}\n", " ".repeat(at))).collect::<String>();
    for (name, text) in [
        ("x.yaml", nested("[", "", "]")),
        ("x.yaml", nested("{a: ", "1", "}")),
        ("x.yaml", nested("- ", "a", "")),
        ("x.yaml", nested("? ", "a", "")),
        ("x.yaml", steps("-")),
        ("x.yaml", steps("a:")),
        ("x.yaml", format!("{}: 1\n", ["a"; 200].join("."))),
        ("x.yaml", format!("condition: {{ x: {} }}", nested("{not: ", "{}", "}"))),
        ("x.yaml", format!("condition: {{ x: {} }}", nested("{all: [", "{}", "]}"))),
        ("x.toml", format!("a = {}\n", nested("[", "", "]"))),
        ("x.toml", format!("a = {}\n", nested("{a = ", "1", "}"))),
        ("x.toml", format!("condition.x = {}\n", nested("{any = [", "", "]}"))),
        ("x.toml", "a = [\n".repeat(DEEP)),
        ("x.toml", format!("{} = 1\n", vec!["a"; DEEP].join("."))),
        ("x.toml", format!("[{}]\n", vec!["a"; DEEP].join("."))),
    ] {
        let loaded = loading(&[file(name, &text)]);
        let all = shown(&loaded);
        assert!(codes(&loaded) == [Code::LimitExceeded] && all.contains("deep"), "{:?} {all}", &text[..20]);
        assert!(report::human(&loaded.sources, &loaded.diagnostics, false).len() < 1_000);
    }
    let long = format!("{}: 1\n", vec!["a"; DEEP].join("."));
    assert_eq!(codes(&loading(&[file("x.yaml", &long)])), [Code::SyntaxError], "a key of one line is short in YAML");
}

/// What stands in a pack very many times costs no more than its length.
#[test]
fn very_many_of_everything() {
    const MANY: usize = 4_000;
    let lines = |line: &dyn Fn(usize) -> String| (0..MANY).map(line).collect::<String>();
    for text in [
        lines(&|n| format!("k{n} = 1\n")),
        lines(&|_| "k = 1\n".to_owned()),
        lines(&|_| "k k k\n".to_owned()),
        format!("[enum]\n{}", lines(&|n| format!("k{n} = ['a']\n"))),
        format!("[enum]\nx = [{}]\n", lines(&|n| format!("'k{n}', "))),
        format!("[enum]\nx = [{}]\n", lines(&|_| "'k', ".to_owned())),
        format!("[frame]\n{}", lines(&|n| format!("k{n} = {{}}\n"))),
        format!("[param]\n{}", lines(&|n| format!("k{n} = {{ type = 'int', default = 1 }}\n"))),
        format!("[event]\n{}", lines(&|n| format!("k{n} = {{ doc = 'd' }}\n"))),
        format!("[table.t]\ncolumn.a.type = 'int'\nrow = [{}]\n", lines(&|n| format!("{{ id = 'k{n}', a = {n} }}, "))),
        format!("[signal.s]\ntype = 'text'\n[signal.s.values]\n{}", lines(&|n| format!("k{n} = ['word{n}']\n"))),
        format!("[derive]\n{}", lines(&|n| format!("k{n} = {{ first_of = ['$input.k{}'] }}\n", n + 1))),
        format!("[derive]\n{}", lines(&|n| format!("k{n} = {{ first_of = ['$input.k{}'] }}\n", (n + 1) % MANY))),
        format!("[condition]\n{}", lines(&|n| format!("c{n} = {{ not = 'c{}' }}\n", n + 1))),
        format!("[block]\n{}", lines(&|n| format!("b{n} = {{ do = [{{ use = 'b{}' }}] }}\n", n + 1))),
        lines(&|n| format!("[[transition]]\nid = 'K{n}'\n")),
        lines(&|n| format!("[[invariant]]\nid = 'i{n}'\n")),
    ] {
        let loaded = loading(&[file("x.toml", &text)]);
        assert!(!loaded.diagnostics.is_empty() && loaded.registry.is_none(), "{:?}", &text[..40]);
        let human = report::human(&loaded.sources, &loaded.diagnostics, false);
        assert!(human.len() < 100_000, "{:?}: {} bytes", &text[..40], human.len());
        if loaded.diagnostics.len() > 100 {
            let rest = format!("{} more findings in x.toml are not shown here", loaded.diagnostics.len() - 100);
            assert!(human.ends_with(&format!("{rest}\n\n")), "{rest}");
        }
    }
}

/// One long line is one long line: what is shown of it is short.
#[test]
fn one_line_of_many_megabytes() {
    let long = "ж".repeat(1 << 20);
    for (name, text) in [
        ("x.yaml", format!("a: '{long}'\n")),
        ("x.yaml", format!("a: '{long}\n")),
        ("x.yaml", format!("{long}: 1\n")),
        ("x.yaml", long.clone()),
        ("x.toml", format!("a = '{long}'\n")),
        ("x.toml", format!("'{long}' = 1\n")),
        ("x.toml", format!("a = {long}\n")),
        ("x.toml", format!("a = {}\n", "9".repeat(2 << 20))),
        ("x.toml", format!("[param.p]\ntype = 'decimal'\ndefault = 0.{}\n", "9".repeat(2 << 20))),
    ] {
        let loaded = loading(&[file(name, &text)]);
        assert!(!loaded.diagnostics.is_empty());
        assert!(report::human(&loaded.sources, &loaded.diagnostics, true).len() < 20_000, "{:?}", &text[..8]);
        assert!(report::json(&loaded.sources, &loaded.diagnostics).to_string().len() < 20_000, "{:?}", &text[..8]);
    }
}

/// Conditions and blocks in which each uses the one before twice: what a pack of these comes to.
fn doubled(times: usize, innermost: &Json) -> Loaded {
    let mut conditions = json!({ "c0": innermost });
    let mut blocks = json!({ "b0": { "doc": "d", "do": [{ "when": innermost, "set": { "gate": { "n": 1 } } }] } });
    for at in 1..=times {
        let (cond, block) = (format!("c{}", at - 1), format!("b{}", at - 1));
        conditions[format!("c{at}")] = json!({ "all": [{ "is": cond }, { "is": cond }] });
        blocks[format!("b{at}")] = json!({ "doc": "d", "do": [{ "use": block }, { "use": block }] });
    }
    let class = json!({ "requires": { "is": format!("c{times}") }, "do": [{ "use": format!("b{times}") }] });
    let mut tiny = Tiny::new(&[("A", class)]);
    tiny.add(json!({ "condition": conditions, "block": blocks }));
    loading(&tiny.files())
}

/// What a few lines write out very often is bounded, and told once; what is wrong in them is wrong once.
#[test]
fn conditions_and_blocks_that_are_written_out_very_often() {
    let holds = json!({ "root": { "hits": { "gte": 1 } } });
    let loaded = doubled(10, &holds);
    assert!(loaded.registry.is_some(), "{}", shown(&loaded));
    let loaded = doubled(16, &holds);
    let [found] = &loaded.diagnostics[..] else { panic!("{}", shown(&loaded)) };
    assert_eq!(found.code, Code::LimitExceeded);
    assert_eq!(found.message, "named conditions and blocks of this pack are written out more than 20,000 times");
    let loaded = doubled(12, &json!({ "nowhere": { "hits": 1 } }));
    let [found] = &loaded.diagnostics[..] else { panic!("{}", shown(&loaded)) };
    assert_eq!((found.code, found.message.as_str()), (Code::UnknownName, "there is no frame `nowhere`"));
}
