//! The main pack loads: every file of it is read, and nothing is found.

use std::path::Path;

use segue::declare::Options;
use segue::load::load;
use segue::report::human;
use segue::workspace::Workspace;

#[test]
fn the_main_pack_loads_without_findings() {
    let workspace = Workspace::of(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the repository is a workspace");
    let files = workspace.pack("assistant").expect("the main pack can be read");
    let loaded = load(&files, &Options::default());
    assert!(loaded.diagnostics.is_empty(), "{}", human(&loaded.sources, &loaded.diagnostics, false));
    let registry = loaded.registry.expect("a pack without errors");
    let pack = registry.pack();
    let ids: Vec<&str> = pack.classes.iter().map(|class| pack.names.text(class.id)).collect();
    assert_eq!(ids, ["T1", "T2", "T3", "T4", "T5", "T6", "T7", "T8", "T9", "T10"]);
    assert_eq!(pack.names.text(pack.classes[pack.boundary.index()].id), "T10");
}
