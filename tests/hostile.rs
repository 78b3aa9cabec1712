//! Hostile input: whatever lies in the files of a pack, there is an answer in words, in bounded time and space, and no file costs
//! more than its own findings.

mod oracle;
mod support;

use segue::declare::{Options, SourceText};
use segue::diag::{Code, Diagnostic};
use segue::load::{Loaded, load};
use segue::report;

use support::{file, workspace};

const PACKS: [&str; 2] = ["assistant", "booking"];

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
        for at in 0..files.len() {
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
    files[t1].text.push_str("\n[broken\n");
    files[t2].text = files[t2].text.replace("\nentry =", "\nentri =").replace("\n[entry", "\n[entri");
    files[t3].text = files[t3].text.replace("title = ", "title = 1 # ");
    files[state].text.push_str("\n[frame.extra]\nowner = \"nobody\"\n");
    let loaded = loading(&files);
    let all = shown(&loaded);
    for wanted in ["T1.toml", "T2.toml", "T3.toml", "state.toml"] {
        assert!(all.contains(&format!("/{wanted}:")), "{wanted}\n{all}");
    }
    assert!(all.contains("[syntax-error]") && all.contains("[wrong-type]") && !all.contains("nobody"), "{all}");
}
