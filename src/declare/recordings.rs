//! Recordings: the section `[recording.NAME]`, checked when the events, the ports and the classes are known.

use crate::diag::{Code, Diagnostic, quoted};
use crate::language;
use crate::model::ids::{ClassId, EventId, InputId, PortId};
use crate::model::recording::{Expected, Label, Members, Recording};
use crate::model::value::Value;
use crate::syntax::{Field, Kind, Reader};

use super::classes::Outline;
use super::cx::{Cx, Item, lacks};
use super::merge::{Sections, twice};

/// All forms of recorded dialogues, by name.
pub(super) fn recordings(cx: &Cx<'_>, sections: &Sections<'_>, classes: &[Outline<'_>]) -> Vec<Recording> {
    sections.of("recording").iter().filter_map(|item| recording(cx, item, classes)).collect()
}

fn recording(cx: &Cx<'_>, item: &Item<'_>, classes: &[Outline<'_>]) -> Option<Recording> {
    cx.check_form("a recording", item.name, item.key);
    let reader = Field::new(item.node, cx.out).table(&language::RECORDING)?;
    let doc = reader.optional("doc").and_then(Field::text).unwrap_or_default().to_owned();
    let id = reader.required("id").and_then(members);
    let source = reader.optional("source").and_then(members);
    let turns = reader.optional("turns").and_then(members);
    let event = reader.required("event").and_then(|field| event(cx, field));
    let payload = match (reader.required("payload"), event) {
        (Some(field), Some(event)) => payload(cx, field, event),
        _ => Vec::new(),
    };
    let signals = reader.optional("signals").and_then(members);
    let omit = reader.optional("omit").map(|field| names(field)).unwrap_or_default();
    let outcome = reader.optional("outcome").and_then(members);
    let next = reader.optional("next").map(|field| next(cx, field)).unwrap_or_default();
    for (key, of) in [("omit", "signals"), ("next", "outcome")] {
        if !reader.has(of)
            && let Some(entry) = reader.entry(key)
        {
            let message = format!("a recording without `{of}` has no `{key}`");
            cx.error_help(Code::UnknownKey, entry.key_span, message, format!("add `{of}`, or leave `{key}` out"));
        }
    }
    if !reader.has("turns")
        && let Some(entry) = reader.entry("next")
    {
        let message = "a recording without `turns` has no `next`: a record is one turn";
        cx.error_help(Code::UnknownKey, entry.key_span, message, "add `turns`, or leave `next` out");
    }
    let replies = reader.optional("reply").map(|field| replies(cx, field)).unwrap_or_default();
    if reader.has("outcome")
        && let Some(entry) = reader.entry("reply")
    {
        let message = "a recording has `outcome` or `reply`: a call is answered once";
        cx.error_help(Code::UnknownKey, entry.key_span, message, "leave one of the two out");
    }
    let expected = reader.optional("expected").and_then(|field| expected(cx, field, classes));
    reader.finish();
    Some(Recording {
        name: item.name.to_owned(),
        doc,
        id: id?,
        source,
        turns,
        event: event?,
        payload,
        signals,
        omit,
        outcome,
        next,
        replies,
        expected,
        span: item.key,
    })
}

/// Names of members with dots between.
fn members(field: Field<'_>) -> Option<Members> {
    let text = field.word()?;
    match Members::read(text) {
        Some(members) => Some(members),
        None => field.refused(
            Code::BadPath,
            format!("{} is no path: a name in it is empty", quoted(text)),
            "write names of members with dots between, such as `signals.outcome`",
        ),
    }
}

/// The texts of a list.
fn names(field: Field<'_>) -> Vec<String> {
    field.list().into_iter().flatten().filter_map(Field::word).map(str::to_owned).collect()
}

fn event(cx: &Cx<'_>, field: Field<'_>) -> Option<EventId> {
    let name = field.word()?;
    let span = cx.inside(field.node, 0, name.len());
    cx.find("event", name, span, &cx.event_names).map(EventId)
}

/// Each payload field of the event with its place in the turn; those that the event demands must be there.
fn payload(cx: &Cx<'_>, field: Field<'_>, event: EventId) -> Vec<(InputId, Members)> {
    let declared = &cx.events[event.index()];
    let name = |input: &InputId| cx.text_of(cx.inputs[input.index()].name);
    let known: Vec<String> = declared.fields.iter().map(|(input, _)| name(input)).collect();
    let owner = format!("the event {}", quoted(&cx.text_of(declared.name)));
    let mut payload: Vec<(InputId, Members)> = Vec::new();
    let Some(entries) = field.entries() else { return payload };
    let mut misspelt = false;
    for (entry, value) in entries {
        match declared.fields.iter().find(|(input, _)| name(input) == entry.key) {
            Some((input, _)) => payload.extend(members(value).map(|members| (*input, members))),
            None => {
                misspelt = true;
                let known = known.iter().map(String::as_str);
                cx.out.push(lacks(&owner, "payload field", &entry.key, entry.key_span, known));
            }
        }
    }
    let Kind::Table(table) = &field.node.kind else { return payload };
    for (input, demanded) in &declared.fields {
        let key = name(input);
        if *demanded && !misspelt && table.get(&key).is_none() {
            let message = format!("{owner} demands the payload field {}", quoted(&key));
            let help = format!("say where it is in a turn: `{key} = \"…\"`");
            cx.error_help(Code::MissingKey, field.span(), message, help);
        }
    }
    payload
}

/// Members that are added to an outcome: fields of the answer of some port.
fn next(cx: &Cx<'_>, field: Field<'_>) -> Vec<(String, Members)> {
    let mut next = Vec::new();
    for (entry, value) in field.entries().into_iter().flatten() {
        if cx.find("field of an answer", &entry.key, entry.key_span, &cx.outcome_names).is_some() {
            next.extend(members(value).map(|members| (entry.key.to_string(), members)));
        }
    }
    next
}

/// What calls to some ports are answered: fields of the answer, by the pack's names.
fn replies(cx: &Cx<'_>, field: Field<'_>) -> Vec<(PortId, Vec<(usize, Value)>)> {
    let mut replies = Vec::new();
    for (entry, value) in field.entries().into_iter().flatten() {
        let Some(at) = cx.find("port", &entry.key, entry.key_span, &cx.port_names) else { continue };
        let port = &cx.ports[usize::from(at)];
        if !port.replies {
            let message = format!("the port {} has no answer", quoted(&entry.key));
            cx.error_help(Code::OutOfPlace, entry.key_span, message, "leave it out: nobody waits for it");
            continue;
        }
        let (owner, node) = (format!("the answer of {}", quoted(&entry.key)), value.node);
        let name = |at: usize| cx.text_of(cx.outcomes[port.response[at].0.index()].name);
        let known: Vec<String> = (0..port.response.len()).map(name).collect();
        let mut given = Vec::new();
        let mut misspelt = false;
        for (entry, value) in value.entries().into_iter().flatten() {
            match known.iter().position(|known| *known == entry.key) {
                Some(place) => {
                    let ty = cx.outcome_type(port.response[place].0);
                    given.extend(cx.literal(value.node, ty).map(|value| (place, value)));
                }
                None => {
                    misspelt = true;
                    let known = known.iter().map(String::as_str);
                    cx.out.push(lacks(&owner, "field", &entry.key, entry.key_span, known));
                }
            }
        }
        let Kind::Table(table) = &node.kind else { continue };
        for (place, (outcome, optional)) in port.response.iter().enumerate() {
            if !*optional && !misspelt && table.get(&known[place]).is_none() {
                cx.lacks_field(&known[place], &cx.outcomes[outcome.index()], node.span);
            }
        }
        replies.push((PortId(at), given));
    }
    replies
}

fn expected(cx: &Cx<'_>, field: Field<'_>, classes: &[Outline<'_>]) -> Option<Expected> {
    let reader: Reader<'_> = field.table(&language::EXPECTED)?;
    let class = reader.required("class").and_then(members);
    let accept = reader.optional("accept").and_then(members);
    let mut only = Vec::new();
    for (entry, value) in reader.optional("only").and_then(Field::entries).into_iter().flatten() {
        let values = some(cx, value, "a value", |field| field.word().map(str::to_owned));
        match Members::read(&entry.key) {
            Some(way) => only.push((way, values)),
            None => cx.error_help(
                Code::BadPath,
                entry.key_span,
                format!("{} is no path: a name in it is empty", quoted(&entry.key)),
                "write names of members with dots between",
            ),
        }
    }
    let mut labels: Vec<(String, Vec<ClassId>)> = Vec::new();
    for (entry, value) in reader.optional("label").and_then(Field::entries).into_iter().flatten() {
        cx.check_form("a label", &entry.key, entry.key_span);
        if let Some(class) = classes.iter().find(|class| class.id == entry.key) {
            let found = twice("label", &entry.key, entry.key_span, class.id_span);
            let message = format!("{} is a class, and its own label", quoted(&entry.key));
            cx.out.push(Diagnostic { message, ..found }.help("choose another name for the label"));
        }
        labels.push((entry.key.to_string(), some(cx, value, "a class", |field| class_of(cx, field, classes))));
    }
    let label = |field: Field<'_>| {
        let name = field.word()?;
        let named = labels.iter().position(|(label, _)| label == name).map(Label::Named);
        let class = || classes.iter().position(|class| class.id == name).map(|at| Label::Class(ClassId::at(at)));
        let found = named.or_else(class);
        if found.is_none() && !cx.unnamed.get() {
            let known = classes.iter().map(|class| class.id).chain(labels.iter().map(|(label, _)| label.as_str()));
            cx.unknown("class or label", name, cx.inside(field.node, 0, name.len()), known);
        }
        found
    };
    let strict = reader.optional("strict").map(|field| some(cx, field, "a label", label)).unwrap_or_default();
    let mut groups = Vec::new();
    for (entry, value) in reader.optional("group").and_then(Field::entries).into_iter().flatten() {
        cx.check_form("a group", &entry.key, entry.key_span);
        groups.push((entry.key.to_string(), some(cx, value, "a label", label)));
    }
    let by = reader.optional("by").and_then(Field::list);
    let by = by.into_iter().flatten().filter_map(members).collect();
    reader.finish();
    Some(Expected { class: class?, only, accept, strict, labels, groups, by })
}

/// A list that holds something.
pub(super) fn some<'a, T>(cx: &Cx<'_>, field: Field<'a>, what: &str, of: impl Fn(Field<'a>) -> Option<T>) -> Vec<T> {
    let Some(list) = field.list() else { return Vec::new() };
    if list.len() == 0 {
        cx.error_help(
            Code::SaysNothing,
            field.span(),
            "the list is empty",
            format!("name {what}, or leave the key out"),
        );
    }
    list.filter_map(of).collect()
}

/// The class that a text names.
pub(super) fn class_of(cx: &Cx<'_>, field: Field<'_>, classes: &[Outline<'_>]) -> Option<ClassId> {
    let name = field.word()?;
    let found = classes.iter().position(|class| class.id == name);
    if found.is_none() && !cx.unnamed.get() {
        let known = classes.iter().map(|class| class.id);
        cx.unknown("class", name, cx.inside(field.node, 0, name.len()), known);
    }
    found.map(ClassId::at)
}
