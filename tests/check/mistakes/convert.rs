//! A document in another format: the same values in the same order, laid out as people lay files out.

use segue::syntax::{Kind, Node};

/// How deep tables stand on lines of their own; what lies deeper, and all in lists, is written in braces.
const BLOCKS: usize = 3;

/// As YAML.
pub fn yaml(root: &Node) -> String {
    let mut out = String::new();
    block(root, 0, &mut out);
    out
}

fn block(node: &Node, depth: usize, out: &mut String) {
    let Kind::Table(table) = &node.kind else { unreachable!("a table") };
    for entry in table {
        out.push_str(&"  ".repeat(depth));
        out.push_str(&key(&entry.key));
        out.push(':');
        match &entry.value.kind {
            Kind::Table(inner) if depth < BLOCKS && !inner.is_empty() => {
                out.push('\n');
                block(&entry.value, depth + 1, out);
            }
            Kind::List(items) if items.iter().any(|item| matches!(item.kind, Kind::Table(_))) => {
                out.push('\n');
                for item in items.iter() {
                    out.push_str(&"  ".repeat(depth + 1));
                    out.push_str("- ");
                    out.push_str(&flow(item));
                    out.push('\n');
                }
            }
            _ => {
                out.push(' ');
                out.push_str(&flow(&entry.value));
                out.push('\n');
            }
        }
    }
}

/// In braces, with all texts in quotes.
fn flow(node: &Node) -> String {
    match &node.kind {
        Kind::Null => "null".into(),
        Kind::Bool(flag) => flag.to_string(),
        Kind::Number(text) => text.to_string(),
        Kind::Date(text) | Kind::Text(text) => quoted(text),
        Kind::List(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Kind::Table(table) if table.is_empty() => "{}".into(),
        Kind::Table(table) => {
            let entries = table.iter().map(|entry| format!("{}: {}", key(&entry.key), flow(&entry.value)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

/// As TOML: what is no table first, then a header for each table and each table of a list.
pub fn toml(root: &Node) -> String {
    let mut out = String::new();
    headed(root, &mut Vec::new(), &mut out);
    out
}

fn headed(node: &Node, path: &mut Vec<String>, out: &mut String) {
    let Kind::Table(table) = &node.kind else { unreachable!("a table") };
    let below = |node: &Node| match &node.kind {
        Kind::Table(inner) => path.len() < BLOCKS && !inner.is_empty(),
        Kind::List(items) => {
            path.len() < BLOCKS && !items.is_empty() && items.iter().all(|item| matches!(item.kind, Kind::Table(_)))
        }
        _ => false,
    };
    for entry in table.iter().filter(|entry| !below(&entry.value)) {
        out.push_str(&format!("{} = {}\n", key(&entry.key), inline(&entry.value)));
    }
    let tables: Vec<_> = table.iter().filter(|entry| below(&entry.value)).collect();
    for entry in tables {
        path.push(key(&entry.key));
        match &entry.value.kind {
            Kind::List(items) => {
                for item in items.iter() {
                    out.push_str(&format!("\n[[{}]]\n", path.join(".")));
                    headed(item, path, out);
                }
            }
            _ => {
                out.push_str(&format!("\n[{}]\n", path.join(".")));
                headed(&entry.value, path, out);
            }
        }
        path.pop();
    }
}

fn inline(node: &Node) -> String {
    match &node.kind {
        Kind::List(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Kind::Table(table) => {
            let entries = table.iter().map(|entry| format!("{} = {}", key(&entry.key), inline(&entry.value)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        _ => flow(node),
    }
}

/// As JSON, an entry of the outer tables a line.
pub fn json(root: &Node) -> String {
    let mut out = String::new();
    lines(root, 0, &mut out);
    out.push('\n');
    out
}

fn lines(node: &Node, depth: usize, out: &mut String) {
    let margin = "  ".repeat(depth + 1);
    let (open, close) = if matches!(node.kind, Kind::List(_)) { ('[', ']') } else { ('{', '}') };
    let inner: Vec<(Option<&str>, &Node)> = match &node.kind {
        Kind::List(items) => items.iter().map(|item| (None, item)).collect(),
        Kind::Table(table) => table.iter().map(|entry| (Some(entry.key.as_str()), &entry.value)).collect(),
        _ => Vec::new(),
    };
    if inner.is_empty() || depth > BLOCKS + 3 {
        out.push_str(&closed(node));
        return;
    }
    out.push(open);
    for (at, (key, node)) in inner.into_iter().enumerate() {
        out.push_str(if at == 0 { "\n" } else { ",\n" });
        out.push_str(&margin);
        if let Some(key) = key {
            out.push_str(&format!("{}: ", quoted(key)));
        }
        lines(node, depth + 1, out);
    }
    out.push_str(&format!("\n{}{close}", "  ".repeat(depth)));
}

fn closed(node: &Node) -> String {
    match &node.kind {
        Kind::List(items) => format!("[{}]", items.iter().map(closed).collect::<Vec<_>>().join(", ")),
        Kind::Table(table) => {
            let entries = table.iter().map(|entry| format!("{}: {}", quoted(&entry.key), closed(&entry.value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        _ => flow(node),
    }
}

fn key(name: &str) -> String {
    let plain =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    let number = name.bytes().all(|byte| byte.is_ascii_digit());
    let word = ["true", "false", "null"].contains(&name);
    if plain && !number && !word { name.to_owned() } else { quoted(name) }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("text can be written")
}
