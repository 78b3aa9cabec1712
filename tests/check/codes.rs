//! `docs/codes` runs: each wrong example yields its one finding at its place, each right one yields none, and the table of
//! codes, their pages and the program agree. [The table](../docs/codes/README.md) says how a page is written.

#![expect(clippy::disallowed_methods, reason = "reads the pages and the workspace of their examples")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use segue::audit::{Findings, audit};
use segue::declare::Options;
use segue::diag::{Code, Diagnostic};
use segue::report;
use segue::source::SourceMap;
use segue::workspace::Workspace;

/// The small clean workspace over which the examples are laid.
const BASE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/codes");
/// Where the pages are.
const PAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/codes");

/// Files by their path from the root of a workspace.
type Files = BTreeMap<String, String>;

fn files_below(root: &Path, ending: &dyn Fn(&str) -> bool) -> Files {
    let mut files = Files::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(&at).expect("a readable folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
            if ending(&name) {
                files.insert(name, std::fs::read_to_string(&path).expect("a readable file"));
            }
        }
    }
    files
}

fn base() -> Files {
    files_below(Path::new(BASE), &|_| true)
}

/// A page of a code, read.
#[derive(Debug, Default)]
struct Page {
    /// The first line without its `# `.
    title: String,
    /// Whether words stand between the title and the first example.
    explained: bool,
    wrong: Vec<Block>,
    right: Vec<Block>,
}

/// A fenced block of an example.
#[derive(Debug, Clone)]
struct Block {
    file: Option<String>,
    /// The lines of the base's file that the block stands for, from the first to one past the last, from 0; `None` = all of it.
    lines: Option<std::ops::Range<usize>>,
    remove: Vec<String>,
    /// Where the finding stands: the file, line and column.
    at: Option<(String, usize, usize)>,
    text: String,
}

fn page(name: &str, text: &str) -> Page {
    let mut page = Page::default();
    let mut lines = text.lines().enumerate();
    page.title = lines.next().and_then(|(_, line)| line.strip_prefix("# ")).unwrap_or_default().to_owned();
    let mut section = "";
    while let Some((at, line)) = lines.next() {
        if let Some(title) = line.strip_prefix("## ") {
            section = match title {
                "Wrong" | "Right" => title,
                _ => panic!("{name}:{}: sections are `Wrong` and `Right`, not `{title}`", at + 1),
            };
        } else if let Some(info) = line.strip_prefix("```") {
            let text = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```");
            let text: String = text.flat_map(|line| [line, "\n"]).collect();
            let block = block(&format!("{name}:{}", at + 1), info, text);
            match section {
                "Wrong" => page.wrong.push(block),
                "Right" => page.right.push(block),
                _ => panic!("{name}:{}: an example stands below `## Wrong` or `## Right`", at + 1),
            }
        } else if section.is_empty() && !line.trim().is_empty() {
            page.explained = true;
        }
    }
    page
}

fn block(place: &str, info: &str, text: String) -> Block {
    let mut block = Block { file: None, lines: None, remove: Vec::new(), at: None, text };
    let number = |text: &str| text.parse::<usize>().unwrap_or_else(|_| panic!("{place}: `{text}` is no number"));
    for word in info.split_whitespace().skip(1) {
        match word.split_once('=') {
            Some(("file", path)) => block.file = Some(path.to_owned()),
            Some(("remove", path)) => block.remove.push(path.to_owned()),
            Some(("at", at)) => {
                let (at, column) = at.rsplit_once(':').expect("at=LINE:COLUMN");
                let (file, line) = match at.rsplit_once(':') {
                    Some((file, line)) => (file.to_owned(), line),
                    None => (block.file.clone().expect("file= before at="), at),
                };
                block.at = Some((file, number(line), number(column)));
            }
            Some(("lines", lines)) => {
                let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
                block.lines = Some(number(first) - 1..number(last));
            }
            Some(("after", line)) => block.lines = Some(number(line)..number(line)),
            _ => panic!("{place}: `{word}` is not one of file=, lines=, after=, at=, remove="),
        }
    }
    assert!(block.file.is_some() || !block.remove.is_empty(), "{place}: name a file: `file=PATH`, or `remove=PATH`");
    block
}

fn pages() -> BTreeMap<String, Page> {
    let texts = files_below(Path::new(PAGES), &|name| name.ends_with(".md") && name != "README.md");
    texts.iter().map(|(name, text)| (name.trim_end_matches(".md").to_owned(), page(name, text))).collect()
}

/// The base with the blocks of one section laid over it.
fn laid(name: &str, blocks: &[Block]) -> Files {
    let mut files = base();
    for block in blocks {
        for path in &block.remove {
            assert!(files.remove(path).is_some(), "{name}: the base has no {path} to remove");
        }
        let Some(file) = &block.file else { continue };
        let text = match &block.lines {
            None => block.text.clone(),
            Some(lines) => {
                let old = files.get(file).unwrap_or_else(|| panic!("{name}: the base has no {file}"));
                let old: Vec<&str> = old.split_inclusive('\n').collect();
                let (before, after) = (old.get(..lines.start), old.get(lines.end..));
                let (Some(before), Some(after)) = (before, after) else { panic!("{name}: {file} is shorter") };
                [before.concat(), block.text.clone(), after.concat()].concat()
            }
        };
        files.insert(file.clone(), text);
    }
    files
}

/// All that `segue check` finds in a workspace, and whether its pack loads.
fn check(files: &Files) -> (SourceMap, Vec<Diagnostic>, bool) {
    let folder = tempfile::TempDir::new().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("written");
    }
    let opened = Workspace::open(folder.path()).expect("a workspace");
    let mut findings = Findings::default();
    findings.add_all(&opened.sources, opened.diagnostics);
    let mut loads = true;
    for chosen in opened.workspace.choice(&[]).expect("packs and scenarios").chosen {
        let audit = audit(&chosen.pack, &chosen.scenarios, &chosen.config);
        loads &= audit.registry.is_some();
        findings.add(&audit);
    }
    let (sources, found) = findings.sorted();
    (sources, found, loads)
}

fn code(slug: &str) -> Option<Code> {
    Code::ALL.iter().copied().find(|code| code.slug() == slug)
}

#[test]
fn the_base_is_clean_and_does_what_its_scenarios_say() {
    let (sources, found, _) = check(&base());
    assert!(found.is_empty(), "{}", report::human(&sources, &found, false));
    let workspace = Workspace::of(Path::new(BASE)).expect("a workspace");
    let registry = segue::load::load(&workspace.pack("desk").expect("the pack"), &Options::default()).registry;
    let registry = registry.expect("a pack that loads");
    let corpus = workspace.corpus(&[]).expect("readable scenarios");
    assert!(corpus.faulty.is_empty() && corpus.cases.len() > 4, "{:?}", corpus.faulty);
    for case in &corpus.cases {
        let failures = segue::scenario::replay(&registry, &case.scenario).failures;
        assert!(failures.is_empty(), "{failures:?}");
    }
}

#[test]
fn each_wrong_example_yields_its_one_finding_and_each_right_one_none() {
    let mut said = String::new();
    for (name, page) in pages() {
        let Some(code) = code(&name) else { continue };
        let (sources, found, _) = check(&laid(&name, &page.wrong));
        let places: Vec<_> = page.wrong.iter().filter_map(|block| block.at.as_ref()).collect();
        let [(file, line, column)] = places.as_slice() else {
            writeln!(said, "{name}: one block below `## Wrong` says where the finding stands, with at=LINE:COLUMN")
                .unwrap();
            continue;
        };
        let exact = match found.as_slice() {
            [only] => {
                let at = sources.start(only.primary.span);
                only.code == code
                    && sources.name(only.primary.span.file) == file
                    && (at.line, at.column) == (*line, *column)
            }
            _ => false,
        };
        if !exact {
            let shown = report::human(&sources, &found, false);
            writeln!(
                said,
                "{name}: wrong should yield {} at {file}:{line}:{column} and nothing else:\n{shown}",
                code.id()
            )
            .unwrap();
        }
        if let [only] = found.as_slice()
            && only.help.is_none()
        {
            writeln!(said, "{name}: the finding has no next step").unwrap();
        }
        let (sources, found, _) = check(&laid(&name, &page.right));
        if !found.is_empty() || page.right.is_empty() {
            writeln!(said, "{name}: right should yield nothing:\n{}", report::human(&sources, &found, false)).unwrap();
        }
    }
    assert!(said.is_empty(), "{said}");
}

/// A level may be changed, and a comment may ignore, where the pack loads with the finding.
#[test]
fn the_level_of_a_code_is_fixed_where_nothing_loads_with_it() {
    // Of these a pack loads, but not the scenarios or the settings.
    let beside = [Code::UnknownCode, Code::FixedLevel, Code::EmptyExpectation];
    for (name, page) in pages() {
        let Some(code) = code(&name).filter(|code| !beside.contains(code)) else {
            continue;
        };
        let (_, _, loads) = check(&laid(&name, &page.wrong));
        assert_eq!(loads, code.is_adjustable(), "{name}: see `ADJUSTABLE` in src/diag/codes.rs");
    }
}

#[test]
fn the_table_the_pages_and_the_program_agree() {
    let pages = pages();
    let mut table = String::from("| id | code | what it says |\n|---|---|---|\n");
    for code in Code::ALL {
        writeln!(table, "| {} | [{slug}]({slug}.md) | {} |", code.id(), code.about(), slug = code.slug()).unwrap();
        let page = pages.get(code.slug()).unwrap_or_else(|| panic!("docs/codes/{}.md is missing", code.slug()));
        assert_eq!(page.title, format!("{} {}", code.id(), code.slug()), "docs/codes/{}.md", code.slug());
        assert!(page.explained, "docs/codes/{}.md says nothing before its examples", code.slug());
    }
    let known: BTreeSet<&str> = Code::ALL.iter().map(|code| code.slug()).collect();
    for name in pages.keys() {
        assert!(known.contains(name.as_str()), "docs/codes/{name}.md is the page of no code");
    }
    let readme = std::fs::read_to_string(Path::new(PAGES).join("README.md")).expect("docs/codes/README.md");
    assert!(readme.contains(&table), "the table of docs/codes/README.md should be:\n\n{table}");
}
