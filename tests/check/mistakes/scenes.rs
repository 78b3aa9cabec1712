//! Mistakes in scenarios, each made out of what stands there.

use segue::model::Pack;
use segue::model::schema::Type;
use segue::syntax::{Format, Kind};

use super::body::{Doc, Site};
use super::edit::{Mistake, Want, bytes, in_place, key_alone, lines_of, removed, whole};
use super::pack::{appended, empty, slip, slips, swapped, twice};

/// All mistakes that can be made in a file of scenarios.
pub fn mistakes(pack: &Pack, doc: &Doc) -> Vec<Mistake> {
    let mut all = Vec::new();
    for site in &doc.sites {
        misspelt(doc, site, &mut all);
        names(doc, site, &mut all);
        values(pack, doc, site, &mut all);
        lacking(doc, site, &mut all);
        promises(pack, doc, site, &mut all);
        let mut plain = Vec::new();
        if !open(site) {
            swapped(doc, site, &mut plain);
            empty(doc, site, &mut plain);
        }
        twice(doc, site, &mut plain);
        slips(doc, site, &mut plain);
        all.extend(plain.into_iter().map(|mistake| Mistake { kind: renamed(mistake.kind), ..mistake }));
    }
    all
}

/// Places where almost anything may stand: values of the host and what the port's declaration leaves open.
fn open(site: &Site) -> bool {
    site.is_any(&[
        "**/returns/*/**",
        "**/with/**",
        "**/messages/**",
        "**/given/*/*/*/**",
        "**/state/*/*/*/**",
        "**/signals/*/*/**",
    ]) || site.is_any(&[
        "**/calls",
        "**/reasons",
        "**/carried",
        "**/dropped",
        "**/covers",
        "**/state/*/*",
        "**/turns/[]/*",
    ])
}

/// The kind of a mistake that can be made in any file, for scenarios.
fn renamed(kind: &'static str) -> &'static str {
    match kind {
        "key given twice" => "scenario: key given twice",
        "nothing where a value is due" => "scenario: nothing where a value is due",
        "bracket left out" => "scenario: bracket left out",
        "quote left out" => "scenario: quote left out",
        "lost line of a key" => "scenario: lost line of a key",
        "sign left out" => "scenario: sign left out",
        _ => "scenario: another type",
    }
}

fn misspelt(doc: &Doc, site: &Site, all: &mut Vec<Mistake>) {
    let Some(key) = site.key else { return };
    if !key_alone(doc, site) && !matches!(site.node.kind, Kind::List(_) | Kind::Table(_)) {
        return;
    }
    // A key that stands in several headers is not misspelt by one of them.
    let header = doc.text[..key.start as usize].rsplit('\n').next().is_some_and(|line| line.starts_with('['));
    if header && doc.text.lines().filter(|line| line.starts_with('[') && line.contains(doc.slice(key))).count() > 1 {
        return;
    }
    let kind = if site.is("scenarios") {
        "scenario: misspelt root"
    } else if site.is("scenarios/[]/*") {
        "scenario: misspelt key"
    } else if site.is_any(&["scenarios/[]/turns/[]/*", "scenarios/[]/turns/[]/events/[]/*"]) {
        "scenario: misspelt key of a turn"
    } else if site.is("**/expect/*") {
        "scenario: misspelt expectation"
    } else if site.is_any(&["**/expect/state/*", "**/expect/state/*/*", "**/given/*", "**/given/*/*"]) {
        "scenario: unknown frame or field"
    } else if site.is_any(&["scenarios/[]/turns/[]/calls/[]/*", "**/outcome/*"]) {
        "scenario: misspelt key of a call"
    } else if site.is("**/calls/[]/with/*") {
        "scenario: unknown argument"
    } else if site.is("scenarios/[]/env/*") {
        "scenario: misspelt key of the clock"
    } else if site.is("scenarios/[]/turns/[]/signals/*") {
        "scenario: unknown signal"
    } else {
        return;
    };
    let codes: &[&str] = &["unknown-key", "unknown-name", "missing-key"];
    let written = doc.slice(key);
    let to = match written.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')) {
        Some(inner) => format!("\"{}\"", slip(inner)),
        None => slip(written),
    };
    all.push(Mistake::new(kind, bytes(key), to).coded(codes));
}

fn names(doc: &Doc, site: &Site, all: &mut Vec<Mistake>) {
    let kind = if site.is_any(&["**/covers", "**/covers/[]"]) {
        "scenario: covers an unknown class"
    } else if site.is_any(&["**/expect/transition", "**/expect/selected", "**/expect/settled"]) {
        "scenario: unknown class"
    } else if site.is_any(&["**/expect/reason", "**/expect/reasons/[]", "**/expect/refused"]) {
        "scenario: unknown reason"
    } else if site.is("**/expect/answer_mode") {
        "scenario: unknown answer mode"
    } else if site.is_any(&["**/expect/carried/[]", "**/expect/dropped/[]"]) {
        "scenario: unknown frame"
    } else if site.is_any(&["**/calls/[]/port", "**/outcome/port", "**/expect/calls/[]"]) {
        "scenario: unknown port"
    } else if site.is_any(&["**/status"]) && !site.is("**/with/**") {
        "scenario: unknown status"
    } else {
        return;
    };
    if let Some(mistake) = extended(doc, site, kind) {
        all.push(mistake.coded(&["unknown-name", "unknown-value"]));
    }
}

/// A word with more letters, in quotes or without.
fn extended(doc: &Doc, site: &Site, kind: &'static str) -> Option<Mistake> {
    appended(doc, site, "zz").map(|(at, to)| Mistake::new(kind, at, to))
}

fn values(pack: &Pack, doc: &Doc, site: &Site, all: &mut Vec<Mistake>) {
    let path: Vec<&str> = site.path.iter().map(String::as_str).collect();
    let (place, frame, field) = match path.as_slice() {
        [.., "given", frame, field] => ("given", *frame, *field),
        [.., "expect", "state", frame, field] => ("state", *frame, *field),
        _ => return,
    };
    let Some(slot) = pack.frame(frame).and_then(|frame| pack.field(frame, field)) else { return };
    let words = matches!(pack.slots[slot.index()].ty, Type::Enum(_) | Type::Key(_));
    if words && site.text().is_some() {
        let kind =
            if place == "given" { "scenario: unknown value of the start" } else { "scenario: unknown value expected" };
        all.extend(extended(doc, site, kind).map(|mistake| mistake.coded(&["unknown-value"])));
    }
}

fn lacking(doc: &Doc, site: &Site, all: &mut Vec<Mistake>) {
    let Some(parent) = doc.parent(site) else { return };
    let due = (parent.is("scenarios/[]") && ["scenario", "turns"].contains(&site.name()))
        || (parent.is("scenarios/[]/turns/[]")
            && site.name() == "user"
            && parent.entries().all(|entry| entry.key != "events"))
        || (parent.is("scenarios/[]/turns/[]/calls/[]") && site.name() == "port");
    let first = parent.entries().next().is_some_and(|entry| Some(entry.key_span) == site.key);
    // In a block of YAML the first key of an item bears its `- `.
    if !due || (doc.format == Format::Yaml && first && !in_place(doc, parent)) {
        return;
    }
    let Some(part) = whole(doc, site) else { return };
    let mut lines = lines_of(doc, parent);
    lines.extend(parent.entries().map(|entry| doc.line(entry.key_span.start as usize)));
    let mistake = removed("scenario: removed mandatory key", doc, part).found(Want::Lines(lines));
    all.push(mistake.coded(&["missing-key"]));
}

/// What is promised and not so.
fn promises(pack: &Pack, doc: &Doc, site: &Site, all: &mut Vec<Mistake>) {
    if site.is("**/expect") && in_place(doc, site) {
        let mistake = Mistake::new("scenario: empty expectation", bytes(site.node.span), "{}");
        all.push(mistake.coded(&["empty-expectation"]));
    }
    if site.is("**/returns/*")
        && in_place(doc, site)
        && site.text().is_none()
        && !matches!(site.node.kind, Kind::Table(_) | Kind::List(_))
    {
        return;
    }
    if site.is("scenarios/[]/scenario")
        && in_place(doc, site)
        && let Some(first) = doc.sites.iter().find(|other| other.is("scenarios/[]/scenario"))
        && first.node.span != site.node.span
    {
        let mistake = Mistake::new("scenario: name given twice", bytes(site.node.span), doc.slice(first.node.span));
        all.push(mistake.coded(&["duplicate-name"]).found(Want::Labelled));
    }
    // A class that no turn of the scenario expects is covered; a short scenario whose turns all say what takes them.
    if site.is("scenarios/[]/covers") && in_place(doc, site) {
        let scenario = doc.parent(site).expect("a scenario");
        let within: Vec<&Site> = doc
            .sites
            .iter()
            .filter(|other| {
                other.node.span.start >= scenario.node.span.start && other.node.span.end <= scenario.node.span.end
            })
            .collect();
        let named: Vec<&str> = within
            .iter()
            .filter(|other| other.is_any(&["**/transition", "**/selected", "**/settled"]))
            .filter_map(|other| other.text())
            .collect();
        let turns = within.iter().filter(|other| other.is("scenarios/[]/turns/[]")).count();
        let told = within.iter().filter(|other| other.is_any(&["**/expect/transition", "**/expect/selected"])).count();
        let other = pack.classes.iter().map(|class| pack.names.text(class.id)).find(|id| !named.contains(id));
        if let Some(id) = other.filter(|_| turns == told) {
            let mistake =
                Mistake::new("scenario: class that is not reached", bytes(site.node.span), format!("[\"{id}\"]"));
            all.push(mistake.coded(&["class-not-reached"]));
        }
    }
}
