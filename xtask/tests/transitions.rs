//! `docs/transitions*.md` are what the packs and their scenarios say.

use xtask::transitions::{check, generate};
use xtask::tree::{self, TextFile};

#[test]
fn the_pages_are_up_to_date() {
    if let Err(message) = check(&tree::read(&xtask::root())) {
        panic!("{message}");
    }
}

/// The pack that is meant has the plain name, the others are named.
#[test]
fn each_pack_has_a_page() {
    let pages = generate(&tree::read(&xtask::root())).unwrap();
    let heads: Vec<(&str, &str)> =
        pages.iter().map(|page| (page.path.as_str(), page.text.lines().next().unwrap())).collect();
    let wanted = [
        ("docs/transitions.md", "# The transition table of `assistant`"),
        ("docs/transitions-booking.md", "# The transition table of `booking`"),
        ("docs/transitions-clarification.md", "# The transition table of `clarification`"),
        ("docs/transitions-joined.md", "# The transition table of `joined`"),
        ("docs/transitions-refinement.md", "# The transition table of `refinement`"),
        ("docs/transitions-step-back.md", "# The transition table of `step-back`"),
    ];
    assert_eq!(heads, wanted);
}

#[test]
fn a_changed_class_changes_the_page() {
    let mut files = tree::read(&xtask::root());
    let class = files.iter_mut().find(|file| file.path == "transitions/booking/T1.toml").unwrap();
    class.text = class.text.replace("depth = \"", "depth = \"x_");
    let wrong = check(&files).unwrap_err();
    assert!(wrong.starts_with("docs/transitions-booking.md differs from the pack at line "), "{wrong}");
}

#[test]
fn a_page_of_no_pack_is_named() {
    let mut files = tree::read(&xtask::root());
    files.push(TextFile::new("docs/transitions-gone.md", ""));
    assert_eq!(check(&files).unwrap_err(), "docs/transitions-gone.md is the page of no pack: remove it");
}

#[test]
fn a_broken_file_is_named() {
    let files = [TextFile::new("transitions/assistant/pack.toml", "[pack\n")];
    assert!(generate(&files).unwrap_err().starts_with("transitions/assistant/pack.toml:1:"));
}
