//! The fingerprint: a stable digest of what is declared, blind to files, formats, spacing and the order of keys.

use crate::syntax::{Kind, Node};

use super::merge::{BESIDE, Sections, named};

/// FNV-1a over 64 bits: small, stable for ever, and no secret depends on it.
struct Digest(u64);

impl Digest {
    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn number(&mut self, number: usize) {
        self.bytes(&(number as u64).to_le_bytes());
    }

    /// A text with its length, so that no two sequences of texts run together.
    fn text(&mut self, tag: u8, text: &str) {
        self.bytes(&[tag]);
        self.number(text.len());
        self.bytes(text.as_bytes());
    }

    fn node(&mut self, node: &Node) {
        match &node.kind {
            Kind::Null => self.bytes(b"0"),
            Kind::Bool(value) => self.bytes(if *value { b"+" } else { b"-" }),
            Kind::Number(text) => self.text(b'n', &text.replace('_', "")),
            // A TOML date and a YAML text mean the same where a date is due, and elsewhere a date is refused.
            Kind::Date(text) | Kind::Text(text) => self.text(b's', text),
            Kind::List(items) => {
                self.bytes(b"l");
                self.number(items.len());
                items.iter().for_each(|item| self.node(item));
            }
            Kind::Table(table) => {
                let mut entries: Vec<_> = table.iter().collect();
                entries.sort_by(|a, b| a.key.cmp(&b.key));
                self.bytes(b"t");
                self.number(entries.len());
                for entry in entries {
                    self.text(b'k', &entry.key);
                    self.node(&entry.value);
                }
            }
        }
    }
}

/// 16 hexadecimal digits over the merged documents and the parameters that were set otherwise than declared.
pub(super) fn fingerprint(sections: &Sections<'_>, classes: &[Node], overrides: &[(String, String)]) -> String {
    let mut digest = Digest(0xcbf2_9ce4_8422_2325);
    for section in named().filter(|section| !BESIDE.contains(section)) {
        let items = sections.of(section);
        if items.is_empty() {
            continue;
        }
        digest.text(b'S', section);
        digest.number(items.len());
        for item in items {
            digest.text(b'k', item.name);
            digest.node(item.node);
        }
    }
    digest.text(b'S', "invariant");
    sections.invariants.iter().for_each(|node| digest.node(node));
    digest.text(b'S', "transition");
    classes.iter().for_each(|node| digest.node(node));
    digest.text(b'S', "override");
    for (name, value) in overrides {
        digest.text(b'k', name);
        digest.text(b's', value);
    }
    format!("{:016x}", digest.0)
}
