//! Mistakes in the files of a pack, each made out of what stands there.

use segue::model::Pack;
use segue::syntax::{Format, Kind};

use super::body::{Doc, Site};
use super::edit::{Mistake, Want, bytes, in_braces, in_place, key_alone, lines_of, removed, whole};
use super::{whole_pack, words};

/// Keys that are names of the author's choice: another name there is another declaration.
const DECLARES: &[&str] = &[
    "frame/*",
    "frame/*/field/*",
    "enum/*",
    "type/*",
    "type/*/field/*",
    "relative/*",
    "param/*",
    "table/*",
    "table/*/column/*",
    "condition/*",
    "event/*",
    "event/*/field/*",
    "ending/*",
    "part/*",
    "part/*/values/*",
    "signal/*",
    "signal/*/values/*",
    "derive/*",
    "port/*",
    "port/*/request/*",
    "port/*/response/*",
    "message/*",
    "message/*/field/*",
    "message/*/const/*",
    "answer_mode/*",
    "block/*",
    "command/*",
    "recording/*",
    "carryover/depth/*",
    "recording/*/expected/label/**",
    "recording/*/expected/group/**",
    "**/do/[]/keep/*",
    "**/default/**",
];

/// Where conditions stand.
pub const CONDITIONS: &[&str] = &[
    "condition/*",
    "transition/[]/requires",
    "transition/[]/entry",
    "transition/[]/trigger/[]/requires",
    "transition/[]/trigger/[]/entry",
    "transition/[]/answer/row/[]/when",
    "transition/[]/settle/[]/when",
    "transition/[]/never/[]",
    "transition/[]/carryover/preserve/[]/unless",
    "**/do/[]/when",
    "**/invariant/[]/when",
    "**/invariant/[]/then",
];

/// Where names are used, not declared.
const USES: &[&str] = &[
    "transition/**",
    "condition/**",
    "block/**",
    "invariant/**",
    "frame/*/invariant/**",
    "derive/*/**",
    "recording/**",
];

/// Parts of a class that others refer to: its name, its reasons, its calls.
const DECLARING_PARTS: &[&str] =
    &["transition/[]/id", "transition/[]/trigger/[]/reason", "transition/[]/unmet/reason", "transition/[]/do"];

/// Where effects stand.
pub const EFFECTS: &[&str] = &["**/do/[]", "frame/*/invariant/[]/repair/[]"];

/// Words of the language beside paths in a condition.
const TESTS: &[&str] = &[
    "any",
    "all",
    "not",
    "is",
    "in",
    "gt",
    "gte",
    "lt",
    "lte",
    "present",
    "empty",
    "size",
    "contains",
    "subset_of",
    "same_set",
    "disjoint",
    "covered_by",
    "exists",
    "every",
    "count",
    "differs",
    "where",
];

/// Each mandatory key with the tables that must have it.
const MANDATORY: &[(&str, &[&str])] = &[
    (
        "transition/[]",
        &["name", "title", "owner", "doc", "trigger", "requires", "entry", "carryover", "do", "answer", "never"],
    ),
    ("transition/[]/carryover", &["depth", "keep", "forbid", "preserve"]),
    ("transition/[]/trigger/[]", &["event"]),
    ("transition/[]/settle/[]", &["on", "do"]),
    ("transition/[]/answer/row/[]", &["mode"]),
    ("transition/[]/unmet", &["reason"]),
    ("pack", &["id", "title", "aggregate", "owner"]),
    ("carryover", &["universe", "depth"]),
    ("frame/*", &["owner", "field"]),
    ("frame/*/invariant/[]", &["id", "then"]),
    ("invariant/[]", &["id", "then"]),
    ("relative/*", &["unit", "offset", "length"]),
    ("table/*", &["column", "row"]),
    ("table/*/row/[]", &["id"]),
    ("type/*", &["field"]),
    ("message/*", &["channel"]),
    ("answer_mode/*", &["claims"]),
    ("block/*", &["do"]),
    ("recording/*", &["id", "event", "payload"]),
    ("recording/*/expected", &["class"]),
    ("**/map", &["key", "value"]),
];

/// Keys that say of which type something is.
const TYPES: &[&str] = &["type", "enum", "key_of", "record", "list", "set", "map"];

/// Keys whose values are words of the language.
const WORDS: &[&str] = &[
    "signal/*/many",
    "answer_mode/*/claims",
    "port/*/reply",
    "pack/while_open",
    "message/*/channel",
    "message/*/level",
    "relative/*/unit",
    "transition/[]/trigger/[]/base",
    "transition/[]/carryover/fate/*",
    "**/evict",
    "**/field/*/type",
    "**/request/*/type",
    "**/response/*/type",
    "**/column/*/type",
    "signal/*/type",
];

/// All mistakes that can be made in a file of a pack.
pub fn mistakes(pack: &Pack, doc: &Doc) -> Vec<Mistake> {
    let mut all = Vec::new();
    for site in &doc.sites {
        let from = all.len();
        misspelt(doc, site, &mut all);
        lacking(doc, site, &mut all);
        wrong_words(doc, site, &mut all);
        swapped(doc, site, &mut all);
        empty(doc, site, &mut all);
        twice(doc, site, &mut all);
        named_twice(doc, site, &mut all);
        references(doc, site, &mut all);
        texts(doc, site, &mut all);
        reserved(site, &mut all);
        slips(doc, site, &mut all);
        whole_pack::wrong(pack, doc, site, &mut all);
        words::wrong(pack, doc, site, &mut all);
        classes(pack, doc, site, &mut all);
        // What refers to a declaration that cannot be read, or to a class without a name, may be found as well.
        if !site.is_any(USES) || site.is_any(DECLARING_PARTS) {
            all[from..].iter_mut().for_each(|mistake| mistake.many = !mistake.alone);
        }
    }
    all
}

/// The place in which a place lies that is one of these.
pub fn under<'d>(doc: &'d Doc, site: &'d Site, patterns: &[&str]) -> Option<&'d Site> {
    let mut at = site;
    loop {
        if at.is_any(patterns) {
            return Some(at);
        }
        at = doc.parent(at)?;
    }
}

/// A name with a slip in it.
pub fn slip(name: &str) -> String {
    let mut chars: Vec<char> = name.chars().collect();
    match chars.len() {
        0..4 => return format!("{name}z"),
        _ if chars[1] != chars[2] => chars.swap(1, 2),
        _ => _ = chars.remove(1),
    }
    chars.into_iter().collect()
}

fn misspelt(doc: &Doc, site: &Site, all: &mut Vec<Mistake>) {
    let Some(key) = site.key else { return };
    if site.is_any(DECLARES) || doc.parent(site).is_some_and(|parent| under(doc, parent, &["**/default"]).is_some()) {
        return;
    }
    let parent = doc.parent(site).expect("a key stands in a table");
    // Of a key that stands in several places, as in `set.a.b` and `set.a.c`, each stands for itself.
    if matches!(&site.node.kind, Kind::Table(_))
        && !in_place(doc, site)
        && !key_alone(doc, site)
        && doc.format == Format::Toml
    {
        let header = doc.slice(site.node.span).starts_with('[');
        if header && site.path.len() == 1 {
            return;
        }
    }
    let name = site.name();
    let condition = under(doc, parent, CONDITIONS).is_some();
    let effect = under(doc, parent, EFFECTS).is_some();
    let kind = if condition && TESTS.contains(&name) {
        "misspelt test of a condition"
    } else if condition {
        "misspelt path of a condition"
    } else if parent.is_any(EFFECTS) {
        "misspelt verb of an effect"
    } else if effect {
        "misspelt key of an effect"
    } else if site.path.len() == 1 {
        "misspelt section"
    } else if parent.is("transition/[]") {
        "misspelt part of a class"
    } else if site.is("transition/[]/answer/**") {
        "misspelt key of an answer"
    } else if site.is("transition/[]/trigger/**") {
        "misspelt key of a trigger"
    } else if site.is("transition/[]/**") {
        "misspelt key of carryover or settle"
    } else if site.is_any(&["signal/**", "part/**", "lexicon/**"]) {
        "misspelt key of the lexicon"
    } else if site.is_any(&["**/field/*/**", "**/request/*/**", "**/response/*/**", "**/column/*/**", "param/**"]) {
        "misspelt key of a type"
    } else if site.is_any(&["pack/*", "carryover/*"]) {
        "misspelt key of the manifest"
    } else if site.is("table/*/row/[]/*") {
        "misspelt column of a row"
    } else {
        "misspelt key of a declaration"
    };
    let written = doc.slice(key);
    let to = match written.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')) {
        Some(inner) => format!("\"{}\"", slip(inner)),
        None => slip(written),
    };
    all.push(Mistake::new(kind, bytes(key), to).coded(&[
        "unknown-key",
        "unknown-name",
        "unknown-value",
        "wrong-type",
        "missing-part",
        "missing-key",
        "missing-argument",
    ]));
}

fn lacking(doc: &Doc, site: &Site, all: &mut Vec<Mistake>) {
    let Some(parent) = doc.parent(site) else { return };
    let typed = parent.is_any(&["**/field/*", "**/request/*", "**/response/*", "**/column/*"]);
    let collection = parent.entries().any(|entry| ["list", "set", "map"].contains(&entry.key.as_str()));
    let kind = if MANDATORY.iter().any(|(table, keys)| parent.is(table) && keys.contains(&site.name())) {
        if parent.is("transition/[]") { "removed part of a class" } else { "removed mandatory key" }
    } else if (typed && TYPES.contains(&site.name())) || (collection && site.name() == "max" && typed) {
        "removed type"
    } else if parent.is("transition/[]/answer/by/*/*") {
        "removed answer of a value"
    } else {
        return;
    };
    if parent.entries().count() < 2 && doc.format == Format::Yaml && !in_place(doc, parent) {
        return;
    }
    let Some(part) = whole(doc, site) else { return };
    let mut lines = lines_of(doc, parent);
    // A class is where its id is.
    if parent.is("transition/[]") {
        lines = parent
            .entries()
            .filter(|entry| entry.key == "id")
            .map(|id| doc.line(id.value.span.start as usize))
            .collect();
    }
    // A table that is written in pieces is where one of them is.
    if !in_place(doc, parent) {
        lines.extend(parent.entries().map(|entry| doc.line(entry.key_span.start as usize)));
    }
    all.push(removed(kind, doc, part).found(Want::Lines(lines)).coded(&[
        "missing-key",
        "missing-part",
        "wrong-type",
        "bad-value",
    ]));
}

/// Puts letters before the closing quote, or behind a text without quotes.
pub fn appended(doc: &Doc, site: &Site, more: &str) -> Option<(std::ops::Range<usize>, String)> {
    let (Some(text), true) = (site.text(), in_place(doc, site)) else { return None };
    let source = doc.slice(site.node.span);
    if text.is_empty() || source.contains("\"\"\"") {
        return None;
    }
    let mut at = site.node.span.end as usize;
    at -= usize::from(source.ends_with(['"', '\'']));
    Some((at..at, more.to_owned()))
}

fn wrong_words(doc: &Doc, site: &Site, all: &mut Vec<Mistake>) {
    if site.is_any(WORDS)
        && let Some((at, to)) = appended(doc, site, "x")
    {
        all.push(Mistake::new("wrong word of the language", at, to).coded(&["unknown-value", "unknown-name"]));
    }
    if let (Kind::Number(_), "max" | "step_limit" | "length") = (&site.node.kind, site.name()) {
        for number in ["0", "-1", "700000", "1.5"] {
            let codes: &[&str] = &["out-of-range", "wrong-type"];
            all.push(Mistake::new("number out of range", bytes(site.node.span), number).coded(codes));
        }
    }
}

pub fn swapped(doc: &Doc, site: &Site, all: &mut Vec<Mistake>) {
    if site.parent.is_none() || !in_place(doc, site) {
        return;
    }
    let (kind, to) = match &site.node.kind {
        Kind::Text(_) => ("number where text is due", "17"),
        Kind::Bool(_) => ("text where true or false is due", "\"maybe\""),
        Kind::Number(_) => ("text where a number is due", "\"many\""),
        Kind::List(_) => ("number where a list is due", "17"),
        Kind::Table(_) => ("number where a table is due", "17"),
        _ => return,
    };
    all.push(Mistake::new(kind, bytes(site.node.span), to));
    let table = match doc.format {
        Format::Toml => "{ zz = 1 }",
        _ => "{ zz: 1 }",
    };
    let scalar = !matches!(site.node.kind, Kind::List(_) | Kind::Table(_));
    let kind = if scalar { "table where a scalar is due" } else { "text where a list or a table is due" };
    // In a condition a text is a value to compare with.
    if scalar || under(doc, site, CONDITIONS).is_none() {
        let to = if scalar { table } else { "\"some words\"" };
        all.push(Mistake::new(kind, bytes(site.node.span), to));
    }
}

pub fn empty(doc: &Doc, site: &Site, all: &mut Vec<Mistake>) {
    if doc.format != Format::Yaml || !in_place(doc, site) {
        return;
    }
    let to = ["~", "null", ""][site.node.span.start as usize % 3];
    let to = if site.key.is_none() && to.is_empty() { "~" } else { to };
    all.push(Mistake::new("nothing where a value is due", bytes(site.node.span), to).coded(&["null-value"]));
}

pub fn twice(doc: &Doc, site: &Site, all: &mut Vec<Mistake>) {
    if key_alone(doc, site) && in_place(doc, site) {
        let key = site.key.expect("it is alone");
        let copy = &doc.text[key.start as usize..site.node.span.end as usize];
        let end = site.node.span.end as usize;
        let mistake = if in_braces(doc, site) {
            Mistake::new("key given twice", end..end, format!(", {copy}"))
        } else {
            let line = end + doc.text[end..].find('\n').unwrap_or(doc.text.len() - end);
            let start = key.start as usize;
            let margin = start - doc.text[..start].rfind('\n').map_or(0, |at| at + 1);
            Mistake::new("key given twice", line..line, format!("\n{}{copy}", " ".repeat(margin)))
        };
        all.push(mistake.coded(&["duplicate-key"]));
    }
}

/// Another one of a list is called like the first.
fn named_twice(doc: &Doc, site: &Site, all: &mut Vec<Mistake>) {
    let named = site.is_any(&["table/*/row/[]/id", "**/invariant/[]/id", "**/do/[]/id"]);
    if named
        && in_place(doc, site)
        && let Some(first) = doc.sites.iter().find(|other| other.path == site.path && other.text().is_some())
        && first.node.span != site.node.span
        && first.text() != site.text()
    {
        let mistake = Mistake::new("name given twice", bytes(site.node.span), doc.slice(first.node.span));
        all.push(mistake.coded(&["duplicate-name"]).found(Want::Labelled));
    }
}

/// The names that stand in a place and refer to something, each with the bytes of its end in the text.
fn references(doc: &Doc, site: &Site, all: &mut Vec<Mistake>) {
    let Some(text) = site.text() else { return };
    let kind = if text.starts_with('$') && text.len() > 1 && !text.contains(' ') {
        "broken path"
    } else if text.starts_with('%') {
        "unknown parameter"
    } else if site.name() == "is" && under(doc, site, CONDITIONS).is_some() {
        "unknown condition"
    } else if site.is("**/do/[]/use") {
        "unknown block"
    } else if site.is("**/do/[]/emit") {
        "unknown message"
    } else if site.is("**/do/[]/call") {
        "unknown port"
    } else if site.is_any(&["transition/[]/trigger/[]/event", "recording/*/event"]) {
        "unknown event"
    } else if site.is("transition/[]/trigger/[]/any/[]/signal") {
        "unknown signal"
    } else if site.is_any(&[
        "transition/[]/answer/mode",
        "transition/[]/answer/row/[]/mode",
        "transition/[]/answer/by/*/*/*",
    ]) {
        "unknown answer mode"
    } else if site.is_any(&["pack/precedence/[]/[]"]) {
        "unknown class in precedence"
    } else if site.is_any(&["**/owner"]) && !site.is("pack/owner") {
        "unknown owner"
    } else if site.is("transition/[]/carryover/depth") {
        "unknown depth"
    } else if site.is("transition/[]/settle/[]/on") {
        "unknown call"
    } else if site.is_any(&["**/key_of", "derive/*/lookup", "**/record"])
        || (site.is("**/enum") && site.path.first().is_some_and(|first| first != "enum"))
    {
        "unknown enum, table or record"
    } else if site.is_any(&[
        "carryover/universe/[]",
        "carryover/depth/*/[]",
        "pack/decide/[]",
        "transition/[]/touches/[]",
        "transition/[]/carryover/keep/[]",
        "transition/[]/carryover/forbid/[]",
        "transition/[]/carryover/preserve/[]",
        "transition/[]/carryover/preserve/[]/field",
        "transition/[]/carryover/fields/[]",
        "**/do/[]/clear/[]",
        "carryover/limit",
    ]) {
        "unknown frame or field"
    } else if site.is("transition/[]/ignores/[]") {
        "unknown signal"
    } else {
        return;
    };
    let Some((at, to)) = appended(doc, site, if text.ends_with('?') { "" } else { "zz" }) else { return };
    let at = if to.is_empty() { at.start - 1..at.start - 1 } else { at };
    let codes: &[&str] = &["unknown-name", "bad-value", "wrong-type", "duplicate-name"];
    all.push(Mistake::new(kind, at, "zz").coded(codes));
}

fn texts(doc: &Doc, site: &Site, all: &mut Vec<Mistake>) {
    let lexical = site.is_any(&["signal/**/pattern", "part/*/pattern", "transition/[]/trigger/[]/any/[]/pattern"]);
    if lexical {
        let slips = ["(", "[", "(?=a)", "{5,2}", "[z-a]", "(?P<a"];
        let slip = slips[site.node.span.start as usize % slips.len()];
        all.extend(
            appended(doc, site, slip).map(|(at, to)| Mistake::new("bad pattern", at, to).coded(&["bad-pattern"])),
        );
    }
    let phrase = site.is_any(&[
        "signal/*/rule/[]/phrase",
        "signal/*/values/*/[]",
        "part/*/values/*/[]",
        "transition/[]/trigger/[]/any/[]/phrase",
        "lexicon/filler/[]",
    ]);
    if phrase {
        let slips = [" [", " (a|", " {nope}", " ]", "~nope", " [a|]"];
        let slip = slips[site.node.span.start as usize % slips.len()];
        let codes: &[&str] = &["bad-phrase", "unknown-slot"];
        all.extend(appended(doc, site, slip).map(|(at, to)| Mistake::new("bad phrase", at, to).coded(codes)));
    }
    if site.is("transition/[]/trigger/[]/examples/[]") {
        let mistake = Mistake::new("example that does not match", bytes(site.node.span), "\"qqq zzz\"");
        all.push(mistake.coded(&["example-not-matched"]));
    }
    if site.is("transition/[]/trigger/[]/counterexamples/[]") {
        let list = doc.parent(site).and_then(|list| doc.parent(list)).expect("a trigger");
        let examples = list.entries().find(|entry| entry.key == "examples").map(|entry| &entry.value);
        if let Some(Kind::List(items)) = examples.map(|node| &node.kind)
            && let Some(first) = items.first()
        {
            let mistake = Mistake::new("counterexample that matches", bytes(site.node.span), doc.slice(first.span));
            all.push(mistake.coded(&["counterexample-matched"]));
        }
    }
}

fn reserved(site: &Site, all: &mut Vec<Mistake>) {
    const NAMES: [&str; 8] = ["input", "before", "reason", "value", "not", "call", "boundary", "present"];
    let Some(key) = site.key else { return };
    if site.is_any(&["frame/*", "frame/*/field/*", "signal/*", "derive/*", "param/*"]) {
        let name = NAMES[key.start as usize % NAMES.len()];
        all.push(Mistake::new("reserved name", bytes(key), name).coded(&["reserved-name"]).many());
    }
}

pub fn slips(doc: &Doc, site: &Site, all: &mut Vec<Mistake>) {
    if !in_place(doc, site) {
        all.extend(lost_line(doc, site));
        return;
    }
    let source = doc.slice(site.node.span);
    let (kind, last) = match &site.node.kind {
        Kind::Text(_) if source.ends_with(['"', '\'']) && !source.ends_with("\"\"\"") => ("quote left out", 1),
        Kind::List(_) | Kind::Table(_) if !source.contains('\n') => ("bracket left out", 1),
        _ => return,
    };
    let end = site.node.span.end as usize;
    all.push(
        Mistake::new(kind, end - last..end, "")
            .coded(&["syntax-error", "duplicate-key", "null-value"])
            .found(Want::Labelled),
    );
    if let Some(key) = site.key
        && key_alone(doc, site)
        && !in_braces(doc, site)
    {
        let sign = key.end as usize + doc.text[key.end as usize..].find(['=', ':']).expect("a sign");
        all.push(
            Mistake::new("sign left out", sign..sign + 1, "")
                .coded(&["syntax-error", "wrong-type", "unknown-key", "unknown-name", "unknown-value"])
                .found(Want::Labelled),
        );
    }
}

/// In YAML: the line is lost on which a key stands whose value stands on the lines below it.
fn lost_line(doc: &Doc, site: &Site) -> Option<Mistake> {
    let key = site.key.filter(|_| doc.format == Format::Yaml && key_alone(doc, site) && !in_braces(doc, site))?;
    let start = doc.text[..key.start as usize].rfind('\n').map_or(0, |end| end + 1);
    let end = start + doc.text[start..].find('\n')? + 1;
    let below =
        doc.text[..site.node.span.start as usize].matches('\n').count() > doc.text[..start].matches('\n').count();
    // Elsewhere what is left may mean something: a section that another one stands above becomes a part of that one.
    const PARTS: [&str; 6] = ["trigger", "carryover", "do", "settle", "answer", "turns"];
    let told = site.path.len() == 1 && start == 0 || PARTS.iter().any(|part| site.is(&format!("*/[]/{part}")));
    let mistake = Mistake::new("lost line of a key", start..end, "").found(Want::Labelled);
    let mistake = if site.path.len() == 1 { mistake.many() } else { mistake };
    (below && told).then_some(mistake)
}

/// Mistakes that need to know what a class may do.
fn classes(pack: &Pack, doc: &Doc, site: &Site, all: &mut Vec<Mistake>) {
    if !site.is("transition/[]") || site.key.is_some() {
        return;
    }
    let named = |key: &str| site.entries().find(|entry| entry.key == key);
    let Some(id) = named("id").and_then(|entry| match &entry.value.kind {
        Kind::Text(id) => Some(id.as_str()),
        _ => None,
    }) else {
        return;
    };
    let class = &pack.classes[pack.class(id).expect("the class").index()];
    let name = |frame: segue::model::ids::FrameId| pack.names.text(pack.frames[frame.index()].name);
    let universe = pack.carryover.as_ref().expect("the packs carry").universe;
    let first = |part: &str| named(part).map(|entry| entry.value.span.start as usize);
    let insert = |kind: &'static str, part: &str, toml: String, yaml: String| {
        let at = first(part)?;
        let line = doc.text[..at].rfind('\n').map_or(0, |at| at + 1);
        match doc.format {
            Format::Toml if doc.text[line..].starts_with("[[") => {
                Some(Mistake::new(kind, line..line, format!("[[{part}]]\n{toml}\n\n")))
            }
            Format::Yaml if doc.text[line..].trim_start().starts_with("- ") => {
                Some(Mistake::new(kind, line..line, format!("  - {{ {yaml} }}\n")))
            }
            _ => None,
        }
    };
    for (at, frame) in pack.frames.iter().enumerate() {
        let frame_id = segue::model::ids::FrameId::at(at);
        let frame_name = name(frame_id);
        if frame.owner != class.owner && !class.touches.has(frame_id) {
            let mistake = insert(
                "write outside the owner",
                "do",
                format!("clear = [\"{frame_name}\"]"),
                format!("clear: [\"{frame_name}\"]"),
            );
            all.extend(mistake.map(|mistake| mistake.coded(&["not-owner"])));
        }
        if universe.has(frame_id) && !class.carry.frames.has(frame_id) {
            let field = pack.names.text(pack.slots[frame.fields().next().expect("a field").index()].name);
            let mistake = insert(
                "read outside the carryover",
                "do",
                format!("set.{frame_name} = {{ {field} = \"${frame_name}.{field}?\" }}"),
                format!("set: {{ {frame_name}: {{ {field}: \"${frame_name}.{field}?\" }} }}"),
            );
            all.extend(mistake.map(|mistake| mistake.coded(&["not-carried"])));
        }
    }
    let boundary = pack.boundary.index() == pack.class(id).expect("the class").index();
    if !boundary {
        let mistake = insert("two boundaries", "trigger", "event = \"boundary\"".into(), "event: \"boundary\"".into());
        all.extend(mistake.map(|mistake| mistake.coded(&["two-boundaries"]).found(Want::Labelled)));
    }
    for other in pack.classes.iter().map(|class| pack.names.text(class.id)).filter(|other| *other != id) {
        let span = named("id").expect("it has one").value.span;
        let mistake = Mistake::new("class id given twice", bytes(span), format!("\"{other}\""));
        all.push(mistake.coded(&["duplicate-name"]).found(Want::Labelled));
    }
}
