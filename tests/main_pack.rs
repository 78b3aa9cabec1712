//! The main pack loads: every file of it is read, and nothing is found.
#![expect(clippy::disallowed_methods, reason = "this test reads the pack's files")]

use segue::declare::{Options, SourceText, declare};
use segue::report::human;

#[test]
fn the_main_pack_loads_without_findings() {
    let mut files = Vec::new();
    for dir in ["transitions/assistant", "transitions/assistant/lexicon"] {
        for entry in std::fs::read_dir(dir).expect("the folder is there") {
            let path = entry.expect("it can be listed").path();
            if path.is_file() {
                let text = std::fs::read_to_string(&path).expect("it is text");
                files.push(SourceText { name: path.display().to_string(), text });
            }
        }
    }
    let declared = declare(&files, &Options::default());
    let found = declared.diagnostics.into_sorted();
    assert!(found.is_empty(), "{}", human(&declared.sources, &found, false));
    let pack = declared.pack.expect("a pack without errors");
    let ids: Vec<&str> = pack.classes.iter().map(|class| pack.names.text(class.id)).collect();
    assert_eq!(ids, ["T1", "T2", "T3", "T4", "T5", "T6", "T7", "T8", "T9", "T10"]);
    assert_eq!(pack.names.text(pack.classes[pack.boundary.index()].id), "T10");
    let compiled = segue::registry::Registry::compile(pack);
    assert!(compiled.is_ok(), "{:?}", compiled.err());
}
