//! Declarations that are renamed or deleted while something still refers to them.

use std::collections::BTreeSet;

use super::body::{Doc, Site};
use super::edit::{Mistake, Want, bytes, removed, whole};

/// Mistakes that need the whole pack: what is declared and used elsewhere is deleted, or bears another name.
pub fn deletions(docs: &[Doc]) -> Vec<Mistake> {
    let used: BTreeSet<&str> = docs.iter().flat_map(|doc| &doc.sites).flat_map(words).collect();
    let mut all = Vec::new();
    for (at, doc) in docs.iter().enumerate() {
        for site in &doc.sites {
            let Some(name) = declared(site) else { continue };
            // A signal that is a payload field as well is still there without its own declaration.
            let shared = site.is("signal/*")
                && docs
                    .iter()
                    .flat_map(|doc| &doc.sites)
                    .any(|other| other.is("event/*/field/*") && other.name() == name);
            if !used.contains(name) || shared {
                continue;
            }
            if let Some(part) = whole(doc, site) {
                let lone = doc.parent(site).is_some_and(|parent| parent.entries().count() == 1);
                if !lone {
                    let mut mistake = removed("deleted declaration", doc, part).found(Want::Refers(name.to_owned()));
                    mistake.doc = at;
                    all.push(mistake);
                }
            }
            let place = site.key.expect("a declaration has a name");
            // A name that stands in several headers is not renamed by one of them.
            if doc.text.matches(&format!(".{name}.")).count() + doc.text.matches(&format!(".{name}]")).count() > 1 {
                continue;
            }
            let to = match doc.slice(place).strip_suffix('"') {
                Some(text) => format!("{text}zz\""),
                None => format!("{}zz", doc.slice(place)),
            };
            let mut mistake =
                Mistake::new("renamed declaration", bytes(place), to).found(Want::Refers(name.to_owned()));
            mistake.doc = at;
            all.push(mistake);
        }
    }
    all
}

/// Words that refer to something, so far as they can be told from others.
fn words(site: &Site) -> Vec<&str> {
    let Some(text) = site.text() else { return Vec::new() };
    let refers = text.starts_with(['$', '%'])
        || site.is_any(&[
            "**/is",
            "**/use",
            "**/emit",
            "**/call",
            "**/signal",
            "**/mode",
            "transition/[]/answer/by/*/*/*",
            "**/key_of",
            "derive/*/lookup",
            "**/record",
            "**/enum",
            "transition/[]/trigger/[]/event",
            "transition/[]/carryover/depth",
            "**/phrase",
            "signal/*/rule/[]/value",
        ]);
    if !refers {
        return Vec::new();
    }
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect()
}

/// The name of a declaration.
fn declared(site: &Site) -> Option<&str> {
    const DECLARATIONS: &[&str] = &[
        "condition/*",
        "block/*",
        "message/*",
        "port/*",
        "signal/*",
        "derive/*",
        "answer_mode/*",
        "table/*",
        "enum/*",
        "type/*",
        "part/*",
        "relative/*",
        "param/*",
        "frame/*",
        "frame/*/field/*",
        "carryover/depth/*",
        "event/*",
    ];
    site.is_any(DECLARATIONS).then(|| site.name())
}
