//! Overlaps and links of precedence of the shipped packs: nothing overlaps, and every link is needed.

use segue::analysis::{overlap, redundant};
use segue::declare::{Options, SourceText};
use segue::load::load;
use segue::registry::Registry;
use segue::workspace::Workspace;

const PACKS: [&str; 2] = ["assistant", "booking"];

fn files(pack: &str) -> Vec<SourceText> {
    Workspace::of(".".as_ref()).expect("a workspace").pack(pack).expect("a pack")
}

fn registry(files: &[SourceText]) -> Registry {
    load(files, &Options::default()).registry.expect("a pack without errors")
}

#[test]
fn nothing_overlaps_in_the_shipped_packs_and_nothing_is_unknown() {
    for pack in PACKS.iter().chain(&["clarification", "step-back", "joined"]) {
        let found = overlap::overlaps(&registry(&files(pack)));
        assert!(found.is_empty(), "{pack}: {found:?}");
    }
}

#[test]
fn each_link_of_the_shipped_packs_is_needed() {
    for pack in PACKS {
        let registry = registry(&files(pack));
        let links = redundant::links(&registry);
        assert_eq!(links.len(), registry.pack().classes.len() - 1, "{pack}: one chain over all classes");
        for link in links {
            assert!(
                link.needed.as_ref().is_some_and(|finding| finding.found.is_ok()),
                "{pack}: {:?}: {:?}",
                link.joins,
                link.needed
            );
        }
    }
}

#[test]
fn a_copy_without_any_one_link_has_an_overlap() {
    for pack in PACKS {
        let files = files(pack);
        let count = registry(&files).pack().classes.len();
        for link in 1..count {
            let mut copy = files.clone();
            let manifest = copy.iter_mut().find(|file| file.name.ends_with("pack.toml")).expect("a manifest");
            let (before, rest) = manifest.text.split_once("precedence = [[").expect("one chain");
            let (chain, after) = rest.split_once("]]").expect("one chain");
            let names: Vec<&str> = chain.split(", ").collect();
            let (stronger, weaker) = names.split_at(link);
            manifest.text =
                format!("{before}precedence = [[{}], [{}]]{after}", stronger.join(", "), weaker.join(", ")).into();
            let found = overlap::overlaps(&registry(&copy));
            assert!(found.iter().any(|finding| finding.found.is_ok()), "{pack} without link {link}: {found:?}");
            assert!(found.iter().all(|finding| finding.found.is_ok()), "{pack} without link {link}: {found:?}");
        }
    }
}
