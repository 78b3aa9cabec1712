//! The repository passes `cargo xtask tidy`.

#[test]
fn the_repository_is_tidy() {
    let findings = xtask::tidy::run(&xtask::tree::read(&xtask::root()));
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{}", lines.join("\n"));
}

/// The code map tells the same order as the list that is checked.
#[test]
fn the_code_map_has_the_layers() {
    let files = xtask::tree::read(&xtask::root());
    let map = files.iter().find(|file| file.path == "ARCHITECTURE.md").expect("the code map");
    let rows = map.text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    let told: Vec<&str> = rows.map(|(module, _)| module).take_while(|module| *module != "main").collect();
    assert_eq!(told, xtask::tidy::layers::LAYERS);
}
