//! The fingerprint: a stable digest of what is declared, blind to files, formats, spacing and the order of keys.

use crate::digest::Digest;
use crate::syntax::{Kind, Node};

use super::merge::{BESIDE, Sections, named};

/// Takes a value in: what it means, not how it is written.
fn value(digest: &mut Digest, node: &Node) {
    match &node.kind {
        Kind::Null => digest.bytes(b"0"),
        Kind::Bool(value) => digest.bytes(if *value { b"+" } else { b"-" }),
        Kind::Number(text) => digest.text(b'n', &text.replace('_', "")),
        // A TOML date and a YAML text mean the same where a date is due, and elsewhere a date is refused.
        Kind::Date(text) | Kind::Text(text) => digest.text(b's', text),
        Kind::List(items) => {
            digest.bytes(b"l");
            digest.number(items.len());
            items.iter().for_each(|item| value(digest, item));
        }
        Kind::Table(table) => {
            let mut entries: Vec<_> = table.iter().collect();
            entries.sort_by(|a, b| a.key.cmp(&b.key));
            digest.bytes(b"t");
            digest.number(entries.len());
            for entry in entries {
                digest.text(b'k', &entry.key);
                value(digest, &entry.value);
            }
        }
    }
}

/// 16 hexadecimal digits over the merged documents and the parameters that were set otherwise than declared.
pub(super) fn fingerprint(sections: &Sections<'_>, classes: &[Node], overrides: &[(String, String)]) -> String {
    let mut digest = Digest::default();
    for section in named().filter(|section| !BESIDE.contains(section)) {
        let items = sections.of(section);
        if items.is_empty() {
            continue;
        }
        digest.text(b'S', section);
        digest.number(items.len());
        for item in items {
            digest.text(b'k', item.name);
            value(&mut digest, item.node);
        }
    }
    digest.text(b'S', "invariant");
    sections.invariants.iter().for_each(|node| value(&mut digest, node));
    digest.text(b'S', "transition");
    classes.iter().for_each(|node| value(&mut digest, node));
    if !sections.serves.is_empty() {
        digest.text(b'S', "serve");
        sections.serves.iter().for_each(|node| value(&mut digest, node));
    }
    if !sections.contracts.is_empty() {
        digest.text(b'S', "contract");
        for item in &sections.contracts {
            digest.text(b'k', item.name);
            value(&mut digest, item.node);
        }
    }
    digest.text(b'S', "override");
    for (name, told) in overrides {
        digest.text(b'k', name);
        digest.text(b's', told);
    }
    digest.hex()
}

/// The fingerprint of a pack with those of the packs that it uses, each under its name.
#[must_use]
pub fn together<'u>(own: &str, used: impl Iterator<Item = (&'u str, &'u str)>) -> String {
    let mut digest = Digest::default();
    digest.text(b'S', own);
    for (name, fingerprint) in used {
        digest.text(b'k', name);
        digest.text(b's', fingerprint);
    }
    digest.hex()
}
