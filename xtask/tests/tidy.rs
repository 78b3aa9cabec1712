//! The repository passes `cargo xtask tidy`.

#[test]
fn the_repository_is_tidy() {
    let findings = xtask::tidy::run(&xtask::tree::read(&xtask::root()));
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{}", lines.join("\n"));
}
