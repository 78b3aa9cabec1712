//! Mistakes that a pack as a whole suffers from: chains of precedence, the boundary, a file that lost what says what it is.

use segue::model::Pack;
use segue::syntax::{Format, Kind};

use super::body::{Doc, Site};
use super::edit::{Mistake, Want, bytes, in_place, lines_of, removed, whole};

/// All of them in one place.
pub fn wrong(pack: &Pack, doc: &Doc, site: &Site, all: &mut Vec<Mistake>) {
    order(doc, site, all);
    unnamed(doc, site, all);
    boundary(pack, doc, site, all);
    forbidden(pack, doc, site, all);
}

/// A frame that a class carries or keeps stands under `forbid` as well.
fn forbidden(pack: &Pack, doc: &Doc, site: &Site, all: &mut Vec<Mistake>) {
    if !site.is("transition/[]/carryover/forbid") || !in_place(doc, site) {
        return;
    }
    let Kind::List(items) = &site.node.kind else { return };
    let class = doc.parent(site).and_then(|carryover| doc.parent(carryover)).expect("it stands in a class");
    let id = class.entries().find_map(|entry| (entry.key == "id").then_some(&entry.value.kind));
    let Some(Kind::Text(id)) = id else { return };
    let carry = &pack.classes[pack.class(id).expect("a class").index()].carry;
    let at = site.node.span.end as usize - 1;
    for frame in carry.frames.union(carry.keep).iter() {
        let name = pack.names.text(pack.frames[frame.index()].name);
        let to = if items.is_empty() { format!("\"{name}\"") } else { format!(", \"{name}\"") };
        all.push(Mistake::new("forbidden frame that is carried", at..at, to).alone().coded(&["contradiction"]));
    }
}

/// A file that lost what says what it is: a class its `id`, the manifest all that stands in it.
fn unnamed(doc: &Doc, site: &Site, all: &mut Vec<Mistake>) {
    if site.is("transition/[]/id")
        && let Some(part) = whole(doc, site)
    {
        let class = doc.parent(site).expect("a class");
        let lines = [lines_of(doc, class), vec![1, 2]].concat();
        let mistake = removed("class without its id", doc, part).found(Want::Lines(lines)).alone();
        all.push(mistake.coded(&["missing-key"]));
    }
    if site.parent.is_none() && site.entries().any(|entry| entry.key == "pack") {
        for to in ["", "\n", "# the manifest\n"] {
            let mistake = Mistake::new("emptied file of the manifest", 0..doc.text.len(), to);
            let mistake = mistake.found(Want::Lines(vec![1])).alone();
            all.push(mistake.coded(&["no-manifest"]));
        }
    }
}

/// Chains of precedence that go round: a class stands in its chain once more, or a chain of its own says the opposite; and a chain
/// that names a class too many.
fn order(doc: &Doc, site: &Site, all: &mut Vec<Mistake>) {
    if !site.is("pack/precedence/[]") || !in_place(doc, site) {
        return;
    }
    let Kind::List(links) = &site.node.kind else { return };
    let end = site.node.span.end as usize;
    for (at, later) in links.iter().enumerate() {
        let after = later.span.end as usize;
        let unknown = format!(", \"T{}\"", 50 + at);
        all.push(Mistake::new("class too many in precedence", after..after, unknown).coded(&["unknown-name"]));
        for earlier in &links[..at] {
            let (first, last) = (doc.slice(earlier.span), doc.slice(later.span));
            let again = Mistake::new("precedence cycle", after..after, format!(", {first}"));
            let opposite = Mistake::new("precedence cycle", end..end, format!(", [{last}, {first}]"));
            all.extend([again, opposite].map(|mistake| mistake.coded(&["precedence-cycle"])));
        }
    }
}

/// A pack of which no class is the boundary: its trigger is taken out, or says something else. It is found where the pack is.
fn boundary(pack: &Pack, doc: &Doc, site: &Site, all: &mut Vec<Mistake>) {
    const KIND: &str = "no boundary";
    let event = |site: &Site| site.is("transition/[]/trigger/[]/event") && site.text() == Some("boundary");
    if event(site) && in_place(doc, site) {
        for event in &pack.events {
            let to = format!("\"{}\"", pack.names.text(event.name));
            let mistake = Mistake::new(KIND, bytes(site.node.span), to);
            all.push(mistake.found(Want::Refers("pack".to_owned())).coded(&["no-boundary"]));
        }
        for to in ["\"boundry\"", "\"Boundary\"", "\"fallback\"", "\"default\""] {
            all.push(Mistake::new(KIND, bytes(site.node.span), to).coded(&["unknown-name"]));
        }
    }
    // In YAML the item would be there all the same, and hold nothing.
    if doc.format == Format::Toml
        && site.is("transition/[]/trigger/[]")
        && site.entries().any(|entry| matches!(&entry.value.kind, Kind::Text(text) if text == "boundary"))
        && let Some(part) = whole(doc, site)
    {
        all.push(removed(KIND, doc, part).found(Want::Refers("pack".to_owned())).coded(&["no-boundary"]));
    }
}
