//! Scenarios without their pack: what is wrong with one whatever the pack declares, and which names of it lead to a place.

use crate::declare;
use crate::diag::{Aspect, Code, Diagnostic, Diagnostics, did_you_mean, quoted, suggest};
use crate::language::{self, Rest, Shape, Value};
use crate::source::Span;
use crate::syntax::{Entry, Field, Kind, Node, Table};

use super::{Scenario, expect, turn};

static TURN: Value = Value::Table(&language::TURN);

/// What is wrong with the turns of a scenario, and with what is given before them, whatever its pack declares.
#[must_use]
pub fn faults(scenario: &Scenario) -> Vec<Diagnostic> {
    let out = Diagnostics::new();
    if let Some((node, given)) = scenario.given.as_ref().zip(language::SCENARIO.key("given")) {
        judge(node, &given.value, &out);
    }
    scenario.turns.iter().for_each(|turn| judge(turn, &TURN, &out));
    out.into_sorted()
}

/// The names of the pack that lead to a place in a scenario, and those that stand there.
#[must_use]
pub fn named(scenario: &Scenario, place: Span) -> Vec<&str> {
    let mut all = Vec::new();
    let given = scenario.given.iter().zip(language::SCENARIO.key("given").map(|key| &key.value));
    let turns = scenario.turns.iter().map(|turn| (turn, &TURN));
    for (node, value) in given.chain(turns) {
        way(node, value, place, &mut all);
    }
    let covers = scenario.covers.iter().filter(|class| holds(class.span, place));
    all.extend(covers.map(|class| class.value.as_str()));
    all
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}

/// What may stand under a key of a table, and whether the key is a word of the language.
fn under(shape: &'static Shape, key: &str) -> Option<(&'static Value, bool)> {
    let own = shape.key(key).map(|key| (&key.value, true));
    own.or(shape.rest.as_ref().map(|rest| (rest.value, false)))
}

/// That of several forms which a value is written in.
fn written<'v>(node: &Node, value: &'v Value) -> &'v Value {
    let Value::Either(forms) = value else { return value };
    let is = |form: &&Value| match form {
        Value::Table(_) | Value::Names(_) => matches!(node.kind, Kind::Table(_)),
        _ => !matches!(node.kind, Kind::Table(_)),
    };
    forms.iter().find(is).unwrap_or(value)
}

/// Whether a place stands in a value; what it holds through an alias stands elsewhere in the text. The names that lead there come along.
fn way<'n>(node: &'n Node, value: &Value, place: Span, all: &mut Vec<&'n str>) -> bool {
    let value = written(node, value);
    let mut found = holds(node.span, place);
    match &node.kind {
        Kind::List(items) => {
            let of = match value {
                Value::List(of) | Value::Some(of) | Value::OneOrMany(of) => of,
                _ => &Value::Literal,
            };
            for item in items.iter() {
                found |= way(item, of, place, all);
            }
        }
        Kind::Table(table) => {
            let value = if let Value::OneOrMany(of) = value { written(node, of) } else { value };
            if node.span == place {
                // What a table lacks depends on what it speaks of.
                let texts = table.iter().filter_map(|entry| match &entry.value.kind {
                    Kind::Text(text) => Some(text),
                    _ => None,
                });
                all.extend(texts.flat_map(|text| declare::words(text)));
            }
            for entry in table {
                let (of, own) = match value {
                    Value::Table(shape) => match under(shape, &entry.key) {
                        Some(known) => known,
                        None => continue,
                    },
                    Value::Names(Rest { value, .. }) => (*value, false),
                    // Values are the author's all the way down.
                    _ => (&Value::Literal, false),
                };
                let before = all.len();
                if !own {
                    all.extend(declare::words(&entry.key));
                }
                if way(&entry.value, of, place, all) || holds(entry.key_span, place) {
                    found = true;
                } else {
                    all.truncate(before);
                }
            }
        }
        Kind::Text(text) if found => all.extend(declare::words(text)),
        _ => {}
    }
    found
}

fn judge(node: &Node, value: &'static Value, out: &Diagnostics) {
    let field = Field::new(node, out);
    match written(node, value) {
        Value::Text => _ = field.text(),
        Value::Word => _ = field.word(),
        Value::Bool => _ = field.bool(),
        Value::OneOf(words) => {
            let words: Vec<(&str, ())> = words.iter().map(|word| (*word, ())).collect();
            let _ = field.one_of(&words);
        }
        Value::List(of) | Value::Some(of) => {
            field.list().into_iter().flatten().for_each(|item| judge(item.node, of, out));
        }
        Value::OneOrMany(of) => field.one_or_many().for_each(|item| judge(item.node, of, out)),
        Value::Names(rest) => {
            field.entries().into_iter().flatten().for_each(|(_, value)| judge(value.node, rest.value, out));
        }
        Value::Table(shape) => table(field, shape, out),
        _ => {}
    }
}

fn table(field: Field<'_>, shape: &'static Shape, out: &Diagnostics) {
    let Some(reader) = field.table(shape) else { return };
    let Kind::Table(table) = &field.node.kind else { return };
    match shape.name {
        "expect" if expect::promises(field, out).is_none() => return,
        // Whether no outcome comes from a port is not known.
        "call" if ["returns", "status", "error"].iter().any(|key| reader.has(key)) => _ = turn::end(&reader),
        "outcome" => _ = turn::end(&reader),
        "turn" if table.iter().all(|entry| shape.has(&entry.key) && !["outcome", "events"].contains(&&*entry.key)) => {
            let found = Diagnostic::error(Code::MissingKey, field.span(), "the turn says nothing that happens");
            out.push(found.help("write an event, `outcome` or `events`"));
        }
        _ => {}
    }
    for key in shape.keys() {
        let node = if key.needed { reader.required(key.name) } else { reader.optional(key.name) };
        node.into_iter().for_each(|field| judge(field.node, &key.value, out));
    }
    if shape.rest.is_none() {
        return reader.finish();
    }
    for (entry, field) in reader.rest() {
        let help = match misspelt(entry, shape, table) {
            Some(near) => {
                judge(field.node, &near.value, out);
                did_you_mean(&entry.key, near.name)
            }
            None if matches!(field.node.kind, Kind::List(_)) => "only `events` and `calls` are lists".to_owned(),
            None => continue,
        };
        let message = format!("unknown key {} in a turn", quoted(&entry.key));
        out.push(Diagnostic::error(Code::UnknownKey, entry.key_span, message).about(Aspect::TurnKey).help(help));
    }
}

/// The key of a table that a key of the author's choice was surely meant to be: it is written almost like it, and what stands
/// under it belongs there.
fn misspelt(entry: &Entry, shape: &'static Shape, table: &Table) -> Option<&'static language::Key> {
    let near = shape.key(suggest(&entry.key, shape.names())?)?;
    let own = match (&near.value, &entry.value.kind) {
        (Value::Table(shape), Kind::Table(inner)) => {
            inner.iter().next().is_some() && inner.iter().all(|entry| shape.has(&entry.key))
        }
        (Value::List(_) | Value::Some(_) | Value::OneOrMany(_), Kind::List(_)) => true,
        _ => false,
    };
    Some(near).filter(|near| own && table.get(near.name).is_none())
}
