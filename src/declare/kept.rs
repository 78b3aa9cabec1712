//! What calls keep for their outcomes: names under `outcome.kept` and their types.

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::{Code, Diagnostic, quoted};
use crate::source::Span;
use crate::syntax::{Kind, Node};

use super::classes::{self, Outline};
use super::cx::{self, Cx};
use super::literals;
use super::paths::{Scope, text_of};

/// The names under `outcome.kept` that stand somewhere in a value.
fn kept_in(node: &Node, names: &BTreeMap<String, u16>, found: &mut dyn FnMut(usize)) {
    const BEFORE: &str = "outcome.kept.";
    match &node.kind {
        Kind::Text(text) => {
            for (at, _) in text.match_indices(BEFORE) {
                let rest = &text[at + BEFORE.len()..];
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').unwrap_or(rest.len());
                names.get(&rest[..end]).into_iter().for_each(|at| found(usize::from(*at)));
            }
        }
        Kind::List(items) => items.iter().for_each(|item| kept_in(item, names, found)),
        Kind::Table(table) => table.iter().for_each(|entry| kept_in(&entry.value, names, found)),
        _ => {}
    }
}

/// The names under `outcome.kept`, their types found from what the calls keep. A call made from an outcome may keep what
/// an earlier one kept, so types are found in rounds.
pub(super) fn kept(cx: &mut Cx<'_>, outlines: &[Outline<'_>]) {
    let mut open: BTreeMap<String, Vec<(Span, &Node, Scope<'_>)>> = BTreeMap::new();
    for outline in outlines {
        let mut lists = vec![(outline.table.get("do"), classes::effect_scope(cx, outline))];
        if let Some(Kind::List(rows)) = outline.table.get("settle").map(|node| &node.kind) {
            for row in rows.iter() {
                let Kind::Table(row) = &row.kind else { continue };
                let port = row
                    .get("on")
                    .and_then(text_of)
                    .and_then(|on| outline.calls.get(on))
                    .and_then(|ports| ports.first());
                lists.push((row.get("do"), classes::settle_scope(port.copied())));
            }
        }
        for (list, scope) in lists {
            for call in cx.written_calls(list) {
                let Some(Kind::Table(keep)) = call.keep.map(|node| &node.kind) else { continue };
                for entry in keep {
                    cx.check_name("a kept value", &entry.key, entry.key_span);
                    open.entry(entry.key.to_string()).or_default().push((entry.key_span, &entry.value, scope));
                }
            }
        }
    }
    for (name, places) in &open {
        let Some(at) = cx.room(cx.kept.len(), "kept values", places[0].0) else { return };
        let sym = cx.intern(name);
        cx.kept.push((sym, cx::POISON, places[0].0));
        cx.kept_names.insert(name.clone(), at);
    }
    let places: Vec<_> = open.values().collect();
    // For each name those that are kept out of it.
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); places.len()];
    for (at, places) in places.iter().enumerate() {
        places.iter().for_each(|(_, node, _)| kept_in(node, &cx.kept_names, &mut |from| after[from].push(at)));
    }
    // By round, then in the order of the names. In a later round only what has another chance is looked at.
    let mut queue: BTreeSet<(usize, usize)> = (0..places.len()).map(|at| (0, at)).collect();
    while let Some((round, at)) = queue.pop_first() {
        if !cx::poisoned(&cx.kept[at].1) {
            continue;
        }
        if let Some((span, ty)) = places[at].iter().find_map(|(span, node, scope)| {
            let ty = cx.type_of(node, scope).filter(|ty| !cx::poisoned(ty))?;
            Some((*span, ty))
        }) {
            (cx.kept[at].1, cx.kept[at].2) = (ty, span);
            queue.extend(after[at].iter().map(|next| (round + usize::from(*next <= at), *next)));
        }
    }
    for (at, (name, places)) in open.iter().enumerate() {
        let (_, ty, first) = cx.kept[at].clone();
        for (span, node, scope) in places {
            match cx.type_of(node, scope) {
                Some(found) if found == ty || cx::poisoned(&found) => {}
                Some(_) => {
                    let message = format!("the kept value {} is of two types", quoted(name));
                    let found =
                        Diagnostic::error(Code::WrongType, *span, message).also(first, "kept with another type here");
                    cx.out
                        .push(found.help(
                            "one name under `outcome.kept` means one type in the whole pack: rename one of them",
                        ));
                }
                None => {
                    let is_path = matches!(&node.kind, Kind::Text(_)) || cx::poisoned(&ty);
                    if let Kind::Text(text) = &node.kind
                        && let literals::Sigil::Param(name) = literals::sigil(text)
                    {
                        cx.find("parameter", name, node.span, &cx.param_names);
                    } else if !matches!(node.kind, Kind::Text(_)) && is_path && !cx.partial.get() {
                        let help = match node.kind {
                            Kind::Date(_) => "quote it: a date of TOML is no value here",
                            _ => "keep a `\"$path\"`, a parameter or a plain value",
                        };
                        let message = format!("the type of the kept value {} cannot be told", quoted(name));
                        cx.error_help(Code::BadValue, node.span, message, help);
                    } else if let Kind::Text(text) = &node.kind
                        && let literals::Sigil::Path(path) = literals::sigil(text)
                    {
                        let path = path.strip_suffix('?').unwrap_or(path);
                        if let Err(fault) = cx.path_in(node, path, 1, scope) {
                            cx.report(fault);
                        }
                    }
                }
            }
        }
    }
}
