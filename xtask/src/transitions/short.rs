//! Short forms of what a class declares: conditions, triggers and effects as they are said in one line.

use segue::language::TEST;
use segue::syntax::{Kind, Node, Table};

use super::read::{items, section, table, text, texts};

/// A value as TOML would have it.
pub fn value(node: &Node) -> String {
    match &node.kind {
        Kind::Null => "nothing".to_owned(),
        Kind::Bool(value) => value.to_string(),
        Kind::Number(text) | Kind::Date(text) => text.to_string(),
        Kind::Text(text) => format!("{text:?}"),
        Kind::List(list) => format!("[{}]", list.iter().map(value).collect::<Vec<_>>().join(", ")),
        Kind::Table(table) => {
            let entries = table.iter().map(|entry| format!("{} = {}", entry.key, value(&entry.value)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

/// The parts of a condition, all of which must hold.
pub fn condition(of: &Table) -> Vec<String> {
    let mut parts = Vec::new();
    tests("", of, &mut parts);
    parts
}

fn tests(path: &str, of: &Table, parts: &mut Vec<String>) {
    for entry in of {
        let here = if path.is_empty() { entry.key.to_string() } else { format!("{path}.{}", entry.key) };
        match (path, entry.key.as_str(), &entry.value.kind) {
            ("", "any" | "all", Kind::List(list)) => parts.push(format!("{} [ {} ]", entry.key, all(list).join(" | "))),
            ("", "not", Kind::Table(inner)) => parts.push(format!("not ( {} )", condition(inner).join(", "))),
            ("", "is", Kind::Text(name)) => parts.push(format!("is {name}")),
            (_, _, Kind::Table(inner)) if inner.iter().any(|entry| TEST.has(&entry.key)) => {
                parts.extend(inner.iter().map(|test| format!("{here} {}", one_test(&test.key, &test.value))));
            }
            (_, _, Kind::Table(inner)) => tests(&here, inner, parts),
            (_, _, Kind::List(_)) => parts.push(format!("{here} in {}", value(&entry.value))),
            _ => parts.push(format!("{here} = {}", value(&entry.value))),
        }
    }
}

fn all(list: &[Node]) -> Vec<String> {
    list.iter().filter_map(table).map(|inner| condition(inner).join(", ")).collect()
}

fn one_test(key: &str, node: &Node) -> String {
    match (key, &node.kind) {
        ("present", Kind::Bool(true)) => "is present".to_owned(),
        ("present", Kind::Bool(false)) => "is absent".to_owned(),
        ("empty", Kind::Bool(true)) => "is empty".to_owned(),
        ("empty", Kind::Bool(false)) => "is not empty".to_owned(),
        ("differs", _) => format!("differs from {}", value(node)),
        _ => format!("{key} {}", value(node)),
    }
}

/// One alternative of a trigger.
pub fn alternative(of: &Table) -> String {
    let mut parts = Vec::new();
    for entry in of {
        let said = value(&entry.value);
        parts.push(match (entry.key.as_str(), &entry.value.kind) {
            (_, Kind::Bool(true)) => entry.key.to_string(),
            ("signal", _) => text(of, "signal").to_owned(),
            ("is", Kind::List(_)) => format!("in {said}"),
            ("is", _) => format!("= {said}"),
            (key, _) => format!("{key} {said}"),
        });
    }
    parts.join(" ")
}

/// Effects in their order; neighbours under one `when` are put together.
pub fn effects(list: &[Node]) -> Vec<String> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for item in list.iter().filter_map(table) {
        let when = section(item, "when").map(|when| condition(when).join(", ")).unwrap_or_default();
        let does: Vec<String> = item.iter().filter_map(|entry| effect(&entry.key, &entry.value, item)).collect();
        match found.last_mut() {
            Some((last, all)) if *last == when => all.extend(does),
            _ => found.push((when, does)),
        }
    }
    let line = |(when, does): (String, Vec<String>)| {
        let does = does.join("; ");
        if when.is_empty() { does } else { format!("when `{when}`: {does}") }
    };
    found.into_iter().map(line).collect()
}

fn effect(key: &str, node: &Node, item: &Table) -> Option<String> {
    Some(match (key, &node.kind) {
        ("clear", _) => format!("clear `{}`", texts(node).join("`, `")),
        ("call", _) => format!("call `{}` as `{}`", text(item, "call"), text(item, "id")),
        ("emit" | "use", Kind::Text(name)) => format!("{key} `{name}`"),
        ("set" | "append" | "remove" | "increment" | "merge", Kind::Table(frames)) => {
            let written = frames.iter().map(|frame| match table(&frame.value) {
                Some(fields) => {
                    let fields: Vec<&str> = fields.iter().map(|field| field.key.as_str()).collect();
                    format!("`{}`: {}", frame.key, fields.join(", "))
                }
                None => format!("`{}`", frame.key),
            });
            format!("{key} {}", written.collect::<Vec<_>>().join(", "))
        }
        _ => return None,
    })
}

/// An entry of `preserve`: a place, and under what condition it is kept.
pub fn preserved(node: &Node) -> String {
    let Some(entry) = table(node) else { return texts(node).join(", ") };
    let mut said = text(entry, "field").to_owned();
    if let Some(unless) = entry.get("unless") {
        let unless = table(unless).map_or_else(|| texts(unless).join(", "), |inner| condition(inner).join(", "));
        said.push_str(&format!(" unless {unless}"));
    }
    if let Some(equals) = entry.get("equals") {
        said.push_str(&format!(" = {}", texts(equals).join("")));
    }
    said
}

/// The answer modes of a class: one, by a field, or by rows.
pub fn answers(of: &Table) -> Vec<String> {
    if of.get("mode").is_some() {
        return vec![format!("`{}`", text(of, "mode"))];
    }
    let rows = of.get("row").map(items).unwrap_or_default().iter().filter_map(table);
    let mut found: Vec<String> = rows
        .map(|row| {
            let when = section(row, "when").map(condition).unwrap_or_default();
            format!("`{}` when `{}`", text(row, "mode"), when.join(", "))
        })
        .collect();
    for frame in section(of, "by").into_iter().flatten() {
        for field in table(&frame.value).into_iter().flatten() {
            let modes = table(&field.value).into_iter().flatten();
            let path = format!("{}.{}", frame.key, field.key);
            found.extend(modes.map(|mode| format!("`{}` when `{path} = {:?}`", texts(&mode.value).join(""), mode.key)));
        }
    }
    found
}
