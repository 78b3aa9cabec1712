//! `docs/transitions.md` is what the pack and its scenarios say.

use xtask::transitions;
use xtask::tree::TextFile;

#[test]
fn the_page_is_up_to_date() {
    if let Err(message) = transitions::check(&xtask::root()) {
        panic!("{message}");
    }
}

#[test]
fn a_changed_class_changes_the_page() {
    let mut files = xtask::tree::read(&xtask::root());
    let before = transitions::generate(&files).unwrap();
    let class = files.iter_mut().find(|file| file.path == "transitions/assistant/T1.toml").unwrap();
    class.text = class.text.replace("depth = \"", "depth = \"x_");
    assert_ne!(transitions::generate(&files).unwrap(), before);
}

#[test]
fn a_broken_file_is_named() {
    let files = [TextFile::new("transitions/assistant/pack.toml", "[pack\n")];
    assert!(transitions::generate(&files).unwrap_err().starts_with("transitions/assistant/pack.toml:1:"));
}
