//! How values, calls, messages and frames are written in transcripts and failures: on one line, the same on every run.

use serde_json::Value as Json;

use crate::compose::Undone;
use crate::contract::Broken;
use crate::engine::{Breach, CallOut, Event, InstanceChange, MessageOut, ReadText, Retried, Said};
use crate::model::class::{Alternative, By};
use crate::model::ids::{ClassId, FrameSet, PortId, Slot};
use crate::model::json::{scalar_text, to_json, to_wire};
use crate::model::lexicon::{self, Elem, Form};
use crate::model::reason::STATUSES;
use crate::model::schema::Type;
use crate::model::uses::PackAt;
use crate::model::value::Value;
use crate::model::{Claims, Pack};

use super::script::Reply;

/// How an absent value is written.
const ABSENT: &str = "–";

/// A value on one line; a dash when absent.
#[must_use]
pub fn value(pack: &Pack, value: &Value) -> String {
    match value {
        Value::Absent => ABSENT.into(),
        value => json(&to_json(&pack.names, value)),
    }
}

/// A value on one line as it passes to the host; a dash when absent.
#[must_use]
pub fn wire(pack: &Pack, ty: &Type, value: &Value) -> String {
    match value {
        Value::Absent => ABSENT.into(),
        value => json(&to_wire(pack, ty, value)),
    }
}

/// JSON on one line, with the quotes left out where nothing can be mistaken.
#[must_use]
pub fn json(json: &Json) -> String {
    let mut shown = String::new();
    add_json(&mut shown, json);
    shown
}

fn add_json(shown: &mut String, json: &Json) {
    match json {
        Json::String(text) => add_word(shown, text),
        Json::Array(items) => {
            shown.push('[');
            for (place, item) in items.iter().enumerate() {
                shown.push_str(if place > 0 { ", " } else { "" });
                add_json(shown, item);
            }
            shown.push(']');
        }
        Json::Object(fields) if fields.is_empty() => shown.push_str("{}"),
        Json::Object(fields) => {
            for (place, (key, value)) in fields.iter().enumerate() {
                shown.push_str(if place > 0 { ", " } else { "{ " });
                add_word(shown, key);
                shown.push_str(": ");
                add_json(shown, value);
            }
            shown.push_str(" }");
        }
        other => shown.push_str(&other.to_string()),
    }
}

/// A text as it is where it is one plain word that reads as a text, else in quotes.
fn add_word(shown: &mut String, text: &str) {
    let plain = !text.is_empty()
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':'))
        && !matches!(text, "true" | "false" | "null")
        && text.parse::<f64>().is_err();
    let period = text.len() == 4 && text.bytes().all(|b| b.is_ascii_digit());
    if plain || period {
        shown.push_str(text);
    } else {
        shown.push('"');
        shown.push_str(&line(text).replace('"', "\\\""));
        shown.push('"');
    }
}

/// A text on one line: line breaks and other control characters are escaped.
#[must_use]
pub fn line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

/// The id of a class.
#[must_use]
pub fn class(pack: &Pack, class: ClassId) -> &str {
    pack.names.text(pack.classes[class.index()].id)
}

/// `frame.field`.
#[must_use]
pub fn slot(pack: &Pack, slot: Slot) -> String {
    let field = &pack.slots[slot.index()];
    format!("{}.{}", pack.names.text(pack.frames[field.frame.index()].name), pack.names.text(field.name))
}

/// `frame.field`, or `frame[key].field` of an instance.
#[must_use]
pub fn slot_of(pack: &Pack, at: Slot, key: Option<&str>) -> String {
    let field = &pack.slots[at.index()];
    let frame = pack.names.text(pack.frames[field.frame.index()].name);
    match key {
        Some(key) => format!("{frame}[{key}].{}", pack.names.text(field.name)),
        None => slot(pack, at),
    }
}

/// What a step did with an instance, a line for each thing: `opened attempt r-1`, `attempt[r-1].round: 1 → 2`.
#[must_use]
pub fn instance(pack: &Pack, change: &InstanceChange<'_>) -> Vec<String> {
    let frame = pack.names.text(pack.frames[change.frame.index()].name);
    let mut lines = Vec::new();
    if change.opened {
        lines.push(format!("opened {frame} {}", change.key));
    }
    for field in &change.fields {
        let (old, new) = (value(pack, field.old), value(pack, field.new));
        lines.push(format!("{}: {old} → {new}", slot_of(pack, field.slot, Some(change.key))));
    }
    if let Some(ended) = change.ended {
        lines.push(format!("closed {frame} {} as {}", change.key, pack.names.text(ended)));
    }
    if change.gone {
        lines.push(format!("forgotten {frame} {}", change.key));
    }
    lines
}

/// What a step of one of the packs did with an instance.
#[must_use]
pub fn instance_at(pack: &Pack, at: PackAt, change: &InstanceChange<'_>) -> Vec<String> {
    let own = pack.at(at);
    let lines = instance(own, change);
    let Some(name) = pack.name_at(at) else { return lines };
    let frame = own.names.text(own.frames[change.frame.index()].name);
    lines.into_iter().map(|line| line.replacen(frame, &format!("{name}/{frame}"), 1)).collect()
}

/// What was taken back, in words.
#[must_use]
pub fn undone(pack: &Pack, undone: &Undone) -> String {
    let steps = if undone.steps == 1 { "1 step".to_owned() } else { format!("{} steps", undone.steps) };
    let at = pack.name_at(undone.at).map_or_else(String::new, |name| format!(" in {name}"));
    format!("taken back: {steps}, {}{at}", pack.names.text(undone.why))
}

/// Frames, in declared order.
#[must_use]
pub fn frames(pack: &Pack, set: FrameSet) -> String {
    set.iter().map(|frame| pack.names.text(pack.frames[frame.index()].name)).collect::<Vec<_>>().join(", ")
}

/// A port of one of the packs.
#[must_use]
pub fn port(pack: &Pack, at: PackAt, port: PortId) -> String {
    let own = pack.at(at);
    pack.qualified(at, own.names.text(own.ports[port.index()].name))
}

/// A call of one of the packs: `call-2 gate/classify { text: hello }`.
#[must_use]
pub fn call_at(pack: &Pack, at: PackAt, out: &CallOut) -> String {
    let shown = call(pack.at(at), out);
    match (pack.name_at(at), shown.split_once(' ')) {
        (Some(name), Some((id, rest))) => format!("{id} {name}/{rest}"),
        _ => shown,
    }
}

/// A message of one of the packs.
#[must_use]
pub fn message_at(pack: &Pack, at: PackAt, sent: &MessageOut) -> String {
    pack.qualified(at, &message(pack.at(at), sent))
}

/// Frames of one of the packs.
#[must_use]
pub fn frames_at(pack: &Pack, at: PackAt, set: FrameSet) -> String {
    let own = pack.at(at);
    let named = set.iter().map(|frame| pack.qualified(at, own.names.text(own.frames[frame.index()].name)));
    named.collect::<Vec<_>>().join(", ")
}

/// An event with its payload: `question { text: hello }`.
#[must_use]
pub fn event(pack: &Pack, event: &Event) -> String {
    let Event::Input { event, fields } = event else { return String::new() };
    let declared = &pack.events[event.index()];
    let shown: Vec<String> = fields
        .iter()
        .map(|(input, given)| {
            let of = &pack.inputs[input.index()];
            let wire = declared.wire_of(*input).unwrap_or(of.name);
            format!("{}: {}", pack.names.text(wire), json(&to_wire(pack, &of.ty, given)))
        })
        .collect();
    let name = pack.names.text(declared.name);
    if shown.is_empty() { name.to_owned() } else { format!("{name} {{ {} }}", shown.join(", ")) }
}

/// `call-1 route_execute`.
#[must_use]
pub fn call_name(pack: &Pack, call: &CallOut) -> String {
    format!("{} {}", call.id, pack.names.text(pack.ports[call.port.index()].name))
}

/// `call-1 route_execute { route: stock_on_date }`.
#[must_use]
pub fn call(pack: &Pack, call: &CallOut) -> String {
    let name = call_name(pack, call);
    if call.with.is_empty() { name } else { format!("{name} {}", json(&call.request(pack))) }
}

/// `boundary { reason: no_root }`, with the text after it when it has one.
#[must_use]
pub fn message(pack: &Pack, message: &MessageOut) -> String {
    let mut shown = pack.names.text(pack.messages[message.message.index()].name).to_owned();
    if !message.fields.is_empty() {
        shown.push_str(&format!(" {}", json(&message.body(pack))));
    }
    if let Some(text) = &message.text {
        shown.push_str(&format!(" «{}»", line(text)));
    }
    shown
}

/// How a call ends: `ok { coverage_status: full }`, `failed: out of reach`.
#[must_use]
pub fn reply(reply: &Reply) -> String {
    let mut shown = STATUSES[reply.status as usize].to_owned();
    if let Some(value) = &reply.value {
        shown.push_str(&format!(" {}", json(value)));
    }
    if let Some(error) = &reply.error {
        shown.push_str(&format!(": {}", line(error)));
    }
    if let Some(contract) = &reply.contract {
        shown.push_str(&format!("; it breaks the port's declaration: {}", line(&contract.message)));
    }
    shown
}

/// `currency: dollars → USD`; `currency: soon → unread`.
#[must_use]
pub fn read_text(pack: &Pack, read: &ReadText) -> String {
    let text = |value: &Value| line(&scalar_text(&pack.names, value));
    let value = read.value.as_ref().map_or_else(|| "unread".to_owned(), text);
    format!("{}: {} → {value}", text(&read.key), text(&read.said))
}

/// How a value breaks a contract.
#[must_use]
pub fn contract(broken: &Broken) -> String {
    let message = line(&broken.message);
    if broken.at.is_empty() { message } else { format!("`{}`: {message}", broken.at) }
}

/// `retry 1 of 2`.
#[must_use]
pub fn retried(retried: Retried) -> String {
    format!("retry {} of {}", retried.attempt, retried.of)
}

/// What a step would have broken, in words.
#[must_use]
pub fn breach(pack: &Pack, class: ClassId, breach: &Breach) -> String {
    let declared = &pack.classes[class.index()];
    let by_field = match breach {
        Breach::Effect { slot: Some(at), .. } => format!(" ({})", slot(pack, *at)),
        _ => String::new(),
    };
    match breach {
        Breach::Preserve { slot: at, .. } => format!("preserve: {} would have changed", slot(pack, *at)),
        Breach::Forbid { slot: at } => format!("forbid: {} would have survived", slot(pack, *at)),
        Breach::Never { row, .. } => {
            format!("never, row {} of {}: its condition would have held", row + 1, declared.never.len())
        }
        Breach::Invariant { id, .. } => format!("invariant {} would have been broken", pack.names.text(*id)),
        Breach::Contract { port, broken, .. } => {
            let port = pack.names.text(pack.ports[port.index()].name);
            format!("a call to `{port}` breaks its contract: {}", contract(broken))
        }
        Breach::TooManyOpen { frame } => {
            let frame = &pack.frames[frame.index()];
            let most = frame.keyed.as_ref().map_or(0, |keyed| keyed.max_open);
            format!("more than {most} instances of {} would be open", pack.names.text(frame.name))
        }
        Breach::Answer { rows: 0 } => "no answer row applies".into(),
        Breach::Answer { rows } => format!("{rows} answer rows apply, one must"),
        Breach::Effect { why, .. } => format!("an effect cannot be done: {why}{by_field}"),
    }
}

/// What an answer claims.
#[must_use]
pub fn claims(claims: Claims) -> &'static str {
    crate::model::reason::CLAIMS[claims as usize]
}

/// A signal that was given or heard, with its words in the text: `date_scope = 2020-03 «март 2020»`.
#[must_use]
pub fn said(pack: &Pack, said: &Said, text: Option<&str>) -> String {
    let mut shown = format!("{} = {}", pack.names.text(pack.inputs[said.input.index()].name), value(pack, &said.value));
    let words = said.span.and_then(|(start, end)| text?.get(start as usize..end as usize));
    if let Some(words) = words {
        shown.push_str(&format!(" «{}»", line(words)));
    }
    if said.ambiguous {
        shown.push_str(", ambiguous");
    }
    if said.partial {
        shown.push_str(", partial");
    }
    if said.span.is_none() {
        shown.push_str(", from the host");
    }
    if said.overruled {
        shown.push_str(", overruled by the host");
    }
    shown
}

/// An alternative of a trigger as its author wrote it: `phrase «а (на|за) {date_scope}»`.
#[must_use]
pub fn alternative(pack: &Pack, alternative: &Alternative) -> String {
    let mut shown = match &alternative.by {
        By::Words(words) => {
            let mut shown = match &words.form {
                Form::Phrase(elems) => format!("phrase «{}»", phrase(pack, elems)),
                Form::Pattern(pattern) => format!("pattern /{}/", line(pattern)),
            };
            if words.whole {
                shown.push_str(" whole");
            }
            if words.starts {
                shown.push_str(" at the start");
            }
            shown
        }
        By::Ambiguous(input) => format!("signal {} ambiguous", pack.names.text(pack.inputs[input.index()].name)),
        By::Signal { input, is } => {
            let name = pack.names.text(pack.inputs[input.index()].name);
            let is: Vec<String> = is.iter().map(|of| value(pack, of)).collect();
            if is.is_empty() { format!("signal {name}") } else { format!("signal {name} = {}", is.join("|")) }
        }
    };
    if let Some(tag) = alternative.tag {
        shown.push_str(&format!(" #{}", pack.names.text(tag)));
    }
    shown
}

/// The elements of a phrase as they are written.
fn phrase(pack: &Pack, elems: &[Elem]) -> String {
    let of = |elem: &Elem| match elem {
        Elem::Word(word) => word.clone(),
        Elem::Stem { stem, endings } => format!("{stem}~{}", pack.lexicon.endings[*endings].name),
        Elem::Slot(lexicon::Slot::Part(part)) => format!("{{{}}}", pack.lexicon.parts[*part].name),
        Elem::Slot(lexicon::Slot::Signal(signal)) => {
            format!("{{{}}}", pack.names.text(pack.lexicon.signals[*signal].name))
        }
        Elem::Choice { optional, of } => {
            let all: Vec<String> = of.iter().map(|elems| phrase(pack, elems)).collect();
            if *optional { format!("[{}]", all.join("|")) } else { format!("({})", all.join("|")) }
        }
    };
    elems.iter().map(of).collect::<Vec<_>>().join(" ")
}
