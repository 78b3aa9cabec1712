//! What is declared and named by nothing: found while names are resolved, reported by `segue check`.

use crate::language;
use crate::model::class::{By, Class};
use crate::model::schema::Type;
use crate::model::{Input, InputKind, Unused, UnusedKind, WhileOpen};
use crate::syntax::{Kind, Node};

use super::cx::Cx;
use super::merge::Sections;
use super::paths::{Scope, heads, text_of};

/// Sections whose entries are there to be named, with what names of them are looked up as and how one is called.
const NAMED: &[(&str, &str, &str, UnusedKind)] = &[
    ("enum", "enum", "the enum", UnusedKind::Vocabulary),
    ("type", "record type", "the record type", UnusedKind::Vocabulary),
    ("table", "table", "the table", UnusedKind::Vocabulary),
    ("port", "port", "the port", UnusedKind::Vocabulary),
    ("message", "message", "the message", UnusedKind::Vocabulary),
    ("answer_mode", "answer mode", "the answer mode", UnusedKind::Vocabulary),
    ("event", "event", "the event", UnusedKind::Vocabulary),
    ("param", "parameter", "the parameter", UnusedKind::Parameter),
    ("part", "part", "the part", UnusedKind::Lexicon),
    ("ending", "set of endings", "the set of endings", UnusedKind::Lexicon),
];

/// Named conditions and blocks that nothing uses. They are read by themselves, so that they are checked as well.
pub(super) fn inlined(cx: &Cx<'_>) -> Vec<Unused> {
    let scope = Scope::new(heads::ALL, "here");
    let mut unused = Vec::new();
    let mut add = |what, name: &str, span| {
        unused.push(Unused { kind: UnusedKind::Vocabulary, what, name: name.to_owned(), span });
    };
    let idle = |key| !cx.used.borrow().contains(key);
    let conditions: Vec<_> = cx.conditions.values().filter(|item| idle(&item.key)).collect();
    let blocks: Vec<_> = cx.blocks.values().filter(|item| idle(&item.key)).collect();
    for item in conditions {
        add("the condition", item.name, item.key);
        cx.cond(item.node, &scope);
    }
    for item in cx.blocks.values() {
        let Some(table) = cx.table(item.node, "a block") else { continue };
        cx.allow(table, &language::BLOCK);
        cx.doc(table);
        if let Some(list) = cx.need(table, item.key, "a block", "do")
            && blocks.iter().any(|idle| idle.key == item.key)
        {
            add("the block", item.name, item.key);
            cx.effects(list, &scope);
        }
    }
    let unmarked = cx.unmarked.borrow();
    unused.extend(unmarked.iter().map(|(span, text)| Unused {
        kind: UnusedKind::Unmarked,
        what: "the text",
        name: text.clone(),
        span: *span,
    }));
    unused
}

/// Other declarations that are there to be named.
pub(super) fn named(cx: &Cx<'_>, sections: &Sections<'_>, classes: &[Class]) -> Vec<Unused> {
    for class in &sections.classes {
        // Written out before names are resolved.
        if let Kind::Table(class) = &class.kind
            && let Some(Node { kind: Kind::Table(each), .. }) = class.get("for_each")
            && let Some(table) = each.get("table").and_then(text_of)
        {
            cx.note_use("table", table);
        }
    }
    let mut unused = Vec::new();
    for (section, kind, what, of) in NAMED {
        for item in sections.of(section) {
            if !cx.is_used(kind, item.name) {
                unused.push(Unused { kind: *of, what, name: item.name.to_owned(), span: item.key });
            }
        }
    }
    unused.extend(relative(cx, sections));
    unused.extend(super::contracts::unused(cx, sections));
    unused.extend(instances(cx, sections));
    let alternatives = classes.iter().flat_map(|class| &class.triggers).flat_map(|trigger| &trigger.any);
    let skips = |by: &By| matches!(by, By::Words(form) if form.whole || form.starts);
    if let Some(item) = sections.item("lexicon", "filler")
        && !alternatives.map(|alternative| &alternative.by).any(skips)
        && cx.ports.iter().all(|port| port.readings.is_empty())
    {
        let (what, name) = ("the list", "filler".to_owned());
        unused.push(Unused { kind: UnusedKind::Lexicon, what, name, span: item.key });
    }
    unused
}

/// Relative periods that nothing names, in a pack in which no host can name one: in an event, an answer or a signal without words.
fn relative(cx: &Cx<'_>, sections: &Sections<'_>) -> Vec<Unused> {
    let open: Vec<_> =
        sections.of("relative").iter().filter(|item| !cx.is_used("relative period", item.name)).collect();
    if open.is_empty() {
        return Vec::new();
    }
    let worded = |name: &str| {
        sections.item("signal", name).is_some_and(|signal| match &signal.node.kind {
            Kind::Table(table) => table.get("values").or_else(|| table.get("rule")).is_some(),
            _ => false,
        })
    };
    let told = |input: &&Input| match input.kind {
        InputKind::Payload => true,
        InputKind::Signal => !worded(&cx.text_of(input.name)),
        InputKind::Derived | InputKind::Command | InputKind::Tag => false,
    };
    let types = cx.inputs.iter().filter(told).map(|input| &input.ty).chain(cx.outcomes.iter().map(|field| &field.ty));
    if types.into_iter().any(|ty| ty.holds(&cx.records, &|ty| *ty == Type::Period)) {
        return Vec::new();
    }
    // What words stand for is put together where they are heard.
    let spoken = |name: &str| {
        let mut places = Vec::new();
        let words = sections.of("signal").iter().chain(sections.of("part"));
        words.for_each(|item| super::slips::places(item.node, name, &mut places));
        !places.is_empty()
    };
    let (kind, what) = (UnusedKind::Vocabulary, "the relative period");
    let idle = open.into_iter().filter(|item| !spoken(item.name));
    idle.map(|item| Unused { kind, what, name: item.name.to_owned(), span: item.key }).collect()
}

/// Keyed frames of which nothing is opened or closed, ways to end that no `close` names, and `while_open` that lets nothing run on.
fn instances(cx: &Cx<'_>, sections: &Sections<'_>) -> Vec<Unused> {
    let mut unused = Vec::new();
    let mut keyed = false;
    for item in sections.of("frame") {
        let Kind::Table(frame) = &item.node.kind else { continue };
        let Some(Kind::Table(of)) = frame.get("keyed").map(|node| &node.kind) else { continue };
        keyed = true;
        let mut add = |kind, what, name: &str, span| unused.push(Unused { kind, what, name: name.to_owned(), span });
        if !cx.is_used("opened", item.name) {
            add(UnusedKind::Keyed, "the frame", item.name, item.key);
        } else if !cx.is_used("closed", item.name) {
            add(UnusedKind::Ending, "the frame", item.name, item.key);
        } else if let Some(Kind::List(words)) = of.get("closed_as").map(|node| &node.kind) {
            for node in words.iter() {
                if let Some(word) = text_of(node)
                    && !cx.is_used("way to end", &format!("{} {word}", item.name))
                {
                    add(UnusedKind::Ending, "the way to end", &format!("{}.{word}", item.name), node.span);
                }
            }
        }
    }
    if let Some(node) = sections.setting("pack", &language::MANIFEST, "while_open")
        && cx.while_open == WhileOpen::Allow
        && !keyed
    {
        let (what, name) = ("the setting", "while_open".to_owned());
        unused.push(Unused { kind: UnusedKind::WhileOpen, what, name, span: node.span });
    }
    unused
}
