//! Which texts of an answer the lexicon reads, and as what.

use crate::diag::{Code, Diagnostic, quoted};
use crate::language;
use crate::model::Reading;
use crate::model::ids::OutcomeId;
use crate::model::names::Sym;
use crate::model::schema::{NamedType, Type};
use crate::model::value::Value;
use crate::syntax::{Kind, Node, Table};

use super::cx::{Cx, lacks, poisoned};
use super::merge::{Sections, twice};
use super::types::scalar;

/// For each port its readings, once signals are known.
pub(super) fn readings(cx: &Cx<'_>, sections: &Sections<'_>) -> Vec<Vec<Reading>> {
    let mut all = vec![Vec::new(); cx.ports.len()];
    for (at, item) in sections.of("port").iter().enumerate().take(cx.ports.len()) {
        let Kind::Table(port) = &item.node.kind else { continue };
        let Some(node) = port.get("read") else { continue };
        let mut readings: Vec<Reading> = Vec::new();
        for node in cx.list(node, "readings").unwrap_or_default() {
            let Some(reading) = reading(cx, at, node) else { continue };
            match readings.iter().find(|known| known.values == reading.values) {
                Some(known) => {
                    let name = cx.text_of(cx.outcomes[reading.values.index()].name);
                    cx.out.push(twice("reading", &name, reading.span, known.span));
                }
                None => readings.push(reading),
            }
        }
        all[at] = readings;
    }
    all
}

fn reading(cx: &Cx<'_>, port: usize, node: &Node) -> Option<Reading> {
    let shape = &language::READING;
    let table = cx.table(node, shape.what)?;
    cx.allow(table, shape);
    let doc = cx.doc(table);
    let need = |key| cx.need(table, node.span, shape.what, key);
    let [values, asked, id, expects, by, unread] = ["values", "asked", "id", "expects", "as", "unread"].map(need);
    let values = field(cx, port, values?)?;
    let fields = asked_for(cx, port, asked?)?;
    let (id, key) = part(cx, &fields, id?)?;
    let (expects, words) = part(cx, &fields, expects?)?;
    let wrong = |node: &Node, message: String, help: &str| {
        cx.error_help(Code::WrongType, node.span, message, help);
    };
    let mut good = true;
    match &cx.outcomes[values.index()].ty {
        Type::Map { key: of, of: text, .. } if cx.same(of, &key) && matches!(**text, Type::Text) => {}
        ty if poisoned(ty) => good = false,
        ty => {
            let due = format!("a map from {} to text", cx.shown(&key));
            wrong(table.get("values")?, format!("expected {due}, found {}", cx.shown(ty)), "name a map of texts");
            good = false;
        }
    }
    if !matches!(words, Type::Enum(_)) {
        if !poisoned(&words) {
            let message = format!("expected an enum, found {}", cx.shown(&words));
            wrong(table.get("expects")?, message, "name the field that says what is expected");
        }
        good = false;
    }
    let unread_node = unread?;
    let unread = field(cx, port, unread_node)?;
    match &cx.outcomes[unread.index()].ty {
        Type::List { of, .. } | Type::Set { of, .. } if cx.same(&key, of) => {}
        ty if poisoned(ty) => good = false,
        ty => {
            let message = format!("expected a list or a set of keys, found {}", cx.shown(ty));
            wrong(unread_node, message, "name the field for what is not read");
            good = false;
        }
    }
    let by = signals(cx, by?, &words)?;
    good.then_some(Reading { values, asked: fields.argument, id, expects, by, unread, doc, span: node.span })
}

/// A field of the answer.
fn field(cx: &Cx<'_>, port: usize, node: &Node) -> Option<OutcomeId> {
    let name = cx.text(node)?;
    let response = &cx.ports[port].response;
    let found = response.iter().find(|(id, _)| cx.text_of(cx.outcomes[id.index()].name) == name);
    if found.is_none() {
        let known: Vec<String> = response.iter().map(|(id, _)| cx.text_of(cx.outcomes[id.index()].name)).collect();
        cx.out.push(lacks("the answer", "field", name, node.span, known.iter().map(String::as_str)));
    }
    found.map(|(id, _)| *id)
}

/// The records that say what was asked for.
struct Asked {
    argument: Sym,
    record: String,
    fields: Vec<NamedType>,
}

fn asked_for(cx: &Cx<'_>, port: usize, node: &Node) -> Option<Asked> {
    let name = cx.text(node)?;
    let request = &cx.ports[port].request;
    let Some(argument) = request.iter().find(|argument| cx.text_of(argument.name) == name) else {
        let known: Vec<String> = request.iter().map(|argument| cx.text_of(argument.name)).collect();
        cx.out.push(lacks("the request", "argument", name, node.span, known.iter().map(String::as_str)));
        return None;
    };
    match &argument.ty {
        Type::List { of, .. } if matches!(**of, Type::Record(_)) => {
            let Type::Record(id) = **of else { return None };
            let record = &cx.records[id.index()];
            let named = cx.text_of(record.name);
            Some(Asked { argument: argument.name, record: named, fields: record.fields.clone() })
        }
        ty => {
            if !poisoned(ty) {
                let message = format!("expected a list of records, found {}", cx.shown(ty));
                cx.error_help(Code::WrongType, node.span, message, "name the argument that says what is asked");
            }
            None
        }
    }
}

/// A field of those records, with its type.
fn part(cx: &Cx<'_>, asked: &Asked, node: &Node) -> Option<(Sym, Type)> {
    let name = cx.text(node)?;
    let found = asked.fields.iter().find(|field| cx.text_of(field.name) == name);
    if found.is_none() {
        let known: Vec<String> = asked.fields.iter().map(|field| cx.text_of(field.name)).collect();
        let of = format!("the record type {}", quoted(&asked.record));
        cx.out.push(lacks(&of, "field", name, node.span, known.iter().map(String::as_str)));
    }
    found.map(|field| (field.name, field.ty.clone()))
}

/// For each word the signal that reads what was said.
fn signals(cx: &Cx<'_>, node: &Node, words: &Type) -> Option<Vec<(Value, usize)>> {
    let table: &Table = cx.table(node, "words and signals")?;
    if table.is_empty() {
        cx.error_help(Code::SaysNothing, node.span, "nothing is read", "name a signal for a word, or take it out");
        return None;
    }
    let mut by = Vec::new();
    for entry in table {
        let word = cx.key(&entry.key, entry.key_span, words);
        let name = cx.text(&entry.value)?;
        let signal = cx.signal_slots.get(name).copied();
        let one = cx.input_names.get(name).map(|at| &cx.inputs[usize::from(*at)]);
        match (signal, one) {
            (Some(signal), Some(input)) if scalar(&input.ty) || poisoned(&input.ty) => {
                by.extend(word.map(|word| (word, signal)));
            }
            (Some(_), Some(input)) => {
                let message = format!("the signal {} is {}", quoted(name), cx.shown(&input.ty));
                let found = Diagnostic::error(Code::WrongType, entry.value.span, message);
                cx.out.push(found.also(input.span, "declared here").help("a text is read as one plain value"));
            }
            _ => cx.unknown("recognised signal", name, entry.value.span, cx.signal_slots.keys().map(String::as_str)),
        }
    }
    (by.len() == table.len()).then_some(by)
}
