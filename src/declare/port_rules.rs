//! What ports promise beyond types: checks between a request and its answer, and retries.

use crate::diag::{Code, Diagnostic, quoted};
use crate::language;
use crate::model::cond::Cond;
use crate::model::ids::PortId;
use crate::model::schema::Type;
use crate::model::value::Value;
use crate::model::{PortCheck, Retry, Wrong, reason};
use crate::source::Span;
use crate::syntax::{Field, Kind, Node, Table};

use super::cx::Cx;
use super::merge::{Sections, twice};
use super::paths::{Scope, heads, text_of};

/// Words that `outcome.breach` can be beside the ids of checks.
const OWN: &[&str] = &[reason::TYPE, reason::SCHEMA];
/// The most attempts after the first.
const MOST_RETRIES: i64 = 16;

/// What may be retried after.
const WRONG: &[(&str, Wrong)] =
    &[("timeout", Wrong::Timeout), ("failed", Wrong::Failed), ("contract", Wrong::Contract)];

/// What `outcome.breach` can be: the engine's words, and the ids of all checks.
pub(super) fn breaches(sections: &Sections<'_>) -> Vec<String> {
    let mut found: Vec<String> = OWN.iter().map(|word| (*word).to_owned()).collect();
    for item in sections.of("port") {
        let Kind::Table(port) = &item.node.kind else { continue };
        for check in listed(port) {
            if let Kind::Table(table) = &check.kind
                && let Some(id) = table.get("id").and_then(text_of)
                && !found.iter().any(|known| known == id)
            {
                found.push(id.to_owned());
            }
        }
    }
    found
}

fn listed(port: &Table) -> &[Node] {
    match port.get("check").map(|node| &node.kind) {
        Some(Kind::List(checks)) => checks,
        _ => &[],
    }
}

/// For each port its checks, once every name is known.
pub(super) fn checks(cx: &Cx<'_>, sections: &Sections<'_>) -> Vec<Vec<PortCheck>> {
    let mut all = vec![Vec::new(); cx.ports.len()];
    for (at, item) in sections.of("port").iter().enumerate().take(cx.ports.len()) {
        let Kind::Table(port) = &item.node.kind else { continue };
        let Some(node) = port.get("check") else { continue };
        let mut checks: Vec<PortCheck> = Vec::new();
        for node in cx.list(node, "checks").unwrap_or_default() {
            let Some(check) = check(cx, PortId::at(at), node) else { continue };
            match checks.iter().find(|known| known.id == check.id) {
                Some(known) => cx.out.push(twice("check", &cx.text_of(check.id), check.span, known.span)),
                None => checks.push(check),
            }
        }
        all[at] = checks;
    }
    all
}

fn check(cx: &Cx<'_>, port: PortId, node: &Node) -> Option<PortCheck> {
    let shape = &language::PORT_CHECK;
    let table = cx.table(node, shape.what)?;
    cx.allow(table, shape);
    let scope = Scope::new(heads::ANSWERED, "in a check of a port").with_port(Some(port));
    let id = cx.need(table, node.span, shape.what, "id");
    let when = table.get("when").map_or(Cond::TRUE, |node| cx.cond(node, &scope));
    let require = cx.need(table, node.span, shape.what, "require").map(|node| cx.cond(node, &scope));
    let (doc, id) = (cx.doc(table), id?);
    let name = cx.word(id)?;
    if OWN.contains(&name) {
        let message = format!("`outcome.breach` is {} where the engine says so", quoted(name));
        cx.error_help(Code::ReservedName, id.span, message, "choose another name");
        return None;
    }
    if !cx.check_form("a check", name, id.span) {
        return None;
    }
    Some(PortCheck { id: cx.intern(name), when, require: require?, doc, span: id.span })
}

/// `retry` of a port.
pub(super) fn retry(cx: &Cx<'_>, node: &Node) -> Option<Retry> {
    let shape = &language::RETRY;
    let table = cx.table(node, shape.what)?;
    cx.allow(table, shape);
    let max = cx.need(table, node.span, shape.what, "max").and_then(|node| attempts(cx, node));
    let mut on: Vec<Wrong> = Vec::new();
    let named = cx.need(table, node.span, shape.what, "on")?;
    let words = cx.list(named, "`timeout`, `failed`, `contract`")?;
    if words.is_empty() {
        cx.error_help(Code::SaysNothing, named.span, "after nothing nothing is made again", "list what is retried");
    }
    let mut seen: Vec<(Wrong, Span)> = Vec::new();
    for word in words {
        let Some(wrong) = Field::new(word, cx.out).one_of(WRONG) else { continue };
        match seen.iter().find(|(known, _)| *known == wrong) {
            Some((_, first)) => {
                let message = format!("{} stands here twice", quoted(text_of(word).unwrap_or_default()));
                let found = Diagnostic::error(Code::DuplicateItem, word.span, message);
                cx.out.push(found.also(*first, "the first one").help("leave one of them out"));
            }
            None => {
                seen.push((wrong, word.span));
                on.push(wrong);
            }
        }
    }
    Some(Retry { max: max?, on })
}

fn attempts(cx: &Cx<'_>, node: &Node) -> Option<u32> {
    match cx.literal(node, &Type::Int)? {
        Value::Int(max) if (0..=MOST_RETRIES).contains(&max) => u32::try_from(max).ok(),
        _ => {
            let help = match node.kind {
                Kind::Text(_) => format!("give the parameter a value from 0 to {MOST_RETRIES}, with `min` and `max`"),
                _ => format!("write a number from 0 to {MOST_RETRIES}"),
            };
            cx.error_help(Code::OutOfRange, node.span, "`max` is out of range", help);
            None
        }
    }
}
