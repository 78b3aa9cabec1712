//! Triggers: what sets a class off.

use crate::diag::{Code, Diagnostic, quoted};
use crate::language;
use crate::model::class::{Alternative, Base, By, On, Trigger};
use crate::model::cond::Cond;
use crate::model::ids::{EventId, InputId, PortId};
use crate::model::lexicon::TriggerForm;
use crate::model::value::Value;
use crate::model::{InputKind, WhileOpen};
use crate::source::Span;
use crate::syntax::{Field, Kind, Node, Table};

use super::cx::Cx;
use super::paths::{Scope, heads, text_of};
use super::words::{Slots, Words};

/// What a trigger is on, before all of it is read.
pub(super) fn on(cx: &Cx<'_>, node: &Node) -> Option<On> {
    let base = Base::Selected;
    let text = cx.text(node)?;
    match text {
        "boundary" => return Some(On::Boundary),
        "outcome" => return Some(On::Outcome { port: None, ok: None, base }),
        _ => {}
    }
    if let Some(at) = cx.event_names.get(text) {
        cx.note_use("event", text);
        return Some(On::Event(EventId(*at)));
    }
    if let Some((port, status)) = text.rsplit_once('.') {
        let at = cx.find("port", port, cx.inside(node, 0, port.len()), &cx.port_names)?;
        let ok = match status {
            "ok" => Some(true),
            "failed" => Some(false),
            _ => {
                let span = cx.inside(node, port.len() + 1, text.len());
                cx.unknown("outcome of a port", status, span, ["ok", "failed"]);
                // Some outcome is meant.
                None
            }
        };
        if !cx.ports[usize::from(at)].replies {
            let message = format!("port `{port}` sends no reply");
            cx.error_help(Code::NoReply, node.span, message, "this trigger would never fire");
            return None;
        }
        return Some(On::Outcome { port: Some(PortId(at)), ok, base });
    }
    let known = cx.event_names.keys().map(String::as_str).chain(["outcome", "boundary"]);
    cx.unknown("event", text, node.span, known);
    None
}

/// What surrounds a trigger.
pub(super) struct Around<'c> {
    pub words: &'c Words,
    /// Whether the class is the boundary.
    pub boundary: bool,
    /// The class, for messages.
    pub class: &'c str,
}

/// A trigger; what is wrong with it is reported, what is right comes back.
pub(super) fn trigger(cx: &Cx<'_>, node: &Node, around: &Around<'_>) -> Option<Trigger> {
    let table = cx.table(node, "a trigger")?;
    cx.allow(table, &language::TRIGGER);
    let on = on(cx, cx.need(table, node.span, "a trigger", "event")?)?;
    let mut trigger = Trigger {
        on,
        any: Vec::new(),
        requires: Cond::TRUE,
        entry: Cond::TRUE,
        reason: None,
        examples: Vec::new(),
        counterexamples: Vec::new(),
        span: node.span,
    };
    let refuse = |keys: &[&str], why: &str, help: &str| {
        for key in keys {
            if let Some(entry) = table.entry(key) {
                cx.error_help(Code::Boundary, entry.key_span, format!("`{key}` means nothing {why}"), help);
            }
        }
    };
    let refused = |keys: &[&str], why: &str, help: &str| {
        for key in keys {
            if let Some(entry) = table.entry(key) {
                cx.error_help(Code::UnknownKey, entry.key_span, format!("`{key}` means nothing {why}"), help);
            }
        }
    };
    let text = match on {
        On::Boundary => {
            refuse(
                &["any", "requires", "entry", "reason", "base", "examples", "counterexamples"],
                "on the boundary trigger",
                "it takes what no other class takes, with the engine's reason: leave this out",
            );
            return Some(trigger);
        }
        On::Outcome { port, ok, .. } => {
            refused(&["any", "examples", "counterexamples"], "on an outcome", "write conditions in `entry`");
            let words = [("before", Base::Before), ("selected", Base::Selected)];
            let base = match table.get("base") {
                Some(node) => match Field::new(node, cx.out).one_of(&words) {
                    Some(Base::Before) if cx.while_open == WhileOpen::Allow => {
                        let message = "with `while_open = \"allow\"` other turns go on meanwhile, so no step starts from before its turn";
                        cx.error_help(Code::BadValue, node.span, message, "write `base = \"selected\"`");
                        Base::Selected
                    }
                    base => base.unwrap_or(Base::Selected),
                },
                None if cx.misspelt(table, "base") => Base::Selected,
                None => {
                    let message = "a trigger on an outcome lacks the key `base`";
                    cx.error_help(
                        Code::MissingKey,
                        node.span,
                        message,
                        "write `base = \"selected\"` to go on from the select step, `base = \"before\"` for the state before the turn",
                    );
                    Base::Selected
                }
            };
            trigger.on = On::Outcome { port, ok, base };
            false
        }
        On::Event(event) => {
            refused(&["base"], "on an event", "it is for outcomes: leave it out");
            cx.events[event.index()].text.is_some() || cx.deaf.contains(&event.0)
        }
    };
    let (bits, port) = guard_heads(trigger.on);
    if let Some(node) = table.get("requires") {
        trigger.requires = cx.cond(node, &Scope::new(heads::FRAMES, "in `requires`: it speaks of frames only"));
    }
    if let Some(node) = table.get("entry") {
        trigger.entry = cx.cond(node, &Scope::new(bits, "in the entry condition of this trigger").with_port(port));
    }
    if let Some(entry) = table.entry("reason") {
        if around.boundary {
            trigger.reason = cx.word(&entry.value).map(|reason| cx.intern(reason));
        } else {
            let message = "only triggers of the boundary class give a reason";
            cx.error_help(
                Code::Boundary,
                entry.key_span,
                message,
                "leave it out, or write `[unmet] reason = …` for the class",
            );
        }
    }
    if let (On::Event(event), Some(node)) = (on, table.get("any")) {
        let items = cx.list(node, "alternatives").unwrap_or_default();
        if items.is_empty() && matches!(node.kind, Kind::List(_)) {
            cx.error_help(
                Code::SaysNothing,
                node.span,
                "none of no alternatives matches",
                "leave `any` out: then the event alone is enough",
            );
        }
        trigger.any = items.iter().filter_map(|node| alternative(cx, node, event, text, around)).collect();
    }
    examples(cx, node, table, text, around, &mut trigger);
    Some(trigger)
}

/// What an entry condition may look at where a class is set off so.
pub(super) fn guard_heads(on: On) -> (u16, Option<PortId>) {
    match on {
        On::Event(_) => (heads::FRAMES | heads::INPUT | heads::ENV, None),
        On::Outcome { port, .. } => (heads::FRAMES | heads::OUTCOME | heads::ENV, port),
        On::Boundary => (heads::FRAMES, None),
    }
}

fn examples(cx: &Cx<'_>, node: &Node, table: &Table, text: bool, around: &Around<'_>, trigger: &mut Trigger) {
    let read = |key: &str| -> Vec<(String, Span)> {
        let Some(entry) = table.entry(key) else {
            if text && !cx.misspelt(table, key) {
                let message = format!("class {} lacks `{key}` on a trigger that reads a text", quoted(around.class));
                let help = if key == "examples" {
                    "a transition class must show what sets it off: write `examples = [\"…\"]`"
                } else {
                    "a transition class must show what does not set it off: write `counterexamples = [\"…\"]`"
                };
                cx.error_help(Code::MissingPart, node.span, message, help);
            }
            return Vec::new();
        };
        if !text {
            if matches!(trigger.on, On::Event(_)) {
                let message = format!("`{key}` means nothing on an event without a text");
                cx.error_help(Code::UnknownKey, entry.key_span, message, "leave it out");
            }
            return Vec::new();
        }
        let items = cx.list(&entry.value, "texts").unwrap_or_default();
        items.iter().filter_map(|node| cx.word(node).map(|text| (text.to_owned(), node.span))).collect()
    };
    let (examples, counterexamples) = (read("examples"), read("counterexamples"));
    if let Some(entry) = table.entry("examples")
        && matches!(&entry.value.kind, Kind::List(items) if items.is_empty())
        && trigger.any.iter().any(|alternative| hears_words(cx, trigger.on, alternative))
    {
        let message = format!("class {} shows no text that sets it off", quoted(around.class));
        let help = "write one; only a trigger on signals that the host alone gives has no examples";
        cx.error_help(Code::MissingPart, entry.value.span, message, help);
    }
    trigger.examples = examples;
    trigger.counterexamples = counterexamples;
}

/// Whether the words of a text can make an alternative match.
fn hears_words(cx: &Cx<'_>, on: On, alternative: &Alternative) -> bool {
    match &alternative.by {
        By::Words(_) => true,
        By::Signal { input, .. } | By::Ambiguous(input) => {
            let known = &cx.inputs[input.index()];
            match known.kind {
                InputKind::Command => true,
                InputKind::Payload => matches!(on, On::Event(event) if cx.events[event.index()].text == Some(*input)),
                InputKind::Signal => cx.signal_slots.contains_key(&*cx.text_of(known.name)),
                InputKind::Derived | InputKind::Tag => false,
            }
        }
    }
}

fn alternative(cx: &Cx<'_>, node: &Node, event: EventId, text: bool, around: &Around<'_>) -> Option<Alternative> {
    let table = cx.table(node, "an alternative")?;
    let (phrase, pattern, signal) = (table.entry("phrase"), table.entry("pattern"), table.entry("signal"));
    let known = language::ALTERNATIVE.names_in(|form| table.get(form).is_some());
    cx.allow_only(table, language::ALTERNATIVE.what, &known);
    let words = phrase.or(pattern);
    let by = match (words, signal) {
        (Some(words), None) => {
            if !text {
                let name = cx.text_of(cx.events[event.index()].name);
                let message = format!("the event {} has no text to look at", quoted(&name));
                cx.error_help(
                    Code::TriggerCannotSee,
                    words.key_span,
                    message,
                    "declare `text` for the event, or test a signal",
                );
                return None;
            }
            let form = cx.form(table, around.words, Slots::Signals);
            let (whole, starts) = (cx.flag(table, "whole"), cx.flag(table, "starts"));
            form.map(|form| By::Words(TriggerForm { form, whole, starts }))
        }
        (None, Some(signal)) => by_signal(cx, table, &signal.value, event, text),
        (Some(words), Some(signal)) => {
            let found = Diagnostic::error(
                Code::OneOfSeveral,
                signal.key_span,
                "an alternative looks at words or at a signal, not both",
            );
            cx.out.push(
                found.also(words.key_span, "the words").help("write two alternatives, or put the signal into `entry`"),
            );
            None
        }
        (None, None) if ["phrase", "pattern", "signal"].iter().any(|key| cx.misspelt(table, key)) => None,
        (None, None) => {
            cx.error_help(
                Code::MissingKey,
                node.span,
                "an alternative without anything to look at",
                "write `phrase`, `pattern` or `signal`",
            );
            None
        }
    };
    let tag = table.get("tag").and_then(|node| cx.word(node)).map(|tag| cx.intern(tag));
    let sets = match table.get("set") {
        Some(node) => sets(cx, node)?,
        None => Vec::new(),
    };
    Some(Alternative { by: by?, tag, sets, span: node.span })
}

fn by_signal(cx: &Cx<'_>, table: &Table, node: &Node, event: EventId, text: bool) -> Option<By> {
    let name = cx.text(node)?;
    let input = InputId(cx.find("input", name, node.span, &cx.input_names)?);
    let known = &cx.inputs[input.index()];
    let of_event = cx.events[event.index()].fields.iter().any(|(id, _)| *id == input);
    let event_name = || quoted(&cx.text_of(cx.events[event.index()].name));
    match known.kind {
        InputKind::Signal if text || of_event => {}
        InputKind::Command if text => {}
        InputKind::Signal | InputKind::Command => {
            let message = format!("the event {} carries no signals: it has no text", event_name());
            cx.error_help(Code::TriggerCannotSee, node.span, message, "test one of its payload fields");
            return None;
        }
        InputKind::Payload if of_event => {}
        InputKind::Payload => {
            let found = Diagnostic::error(
                Code::TriggerCannotSee,
                node.span,
                format!("{} is no field of the event {}", quoted(name), event_name()),
            );
            cx.out.push(found.also(known.span, "declared here"));
            return None;
        }
        InputKind::Derived | InputKind::Tag => {
            let message = format!("{} is worked out after triggers are matched", quoted(name));
            cx.error_help(Code::TriggerCannotSee, node.span, message, "test it in `entry`");
            return None;
        }
    }
    if let Some(entry) = table.entry("ambiguous") {
        if known.kind != InputKind::Signal {
            let message = format!("{} is no signal, so it is never ambiguous", quoted(name));
            cx.error_help(Code::TriggerCannotSee, entry.key_span, message, "leave `ambiguous` out");
            return None;
        }
        if let Some(is) = table.entry("is") {
            let found = Diagnostic::error(Code::OneOfSeveral, is.key_span, "an ambiguous signal has no value to test");
            cx.out
                .push(found.also(entry.key_span, "ambiguous here").help("keep one of them, or write two alternatives"));
            return None;
        }
        if !Field::new(&entry.value, cx.out).bool()? {
            cx.error_help(
                Code::SaysNothing,
                entry.value.span,
                "this is the same as leaving it out",
                "write `ambiguous = true`, or leave it out",
            );
        }
        return Some(By::Ambiguous(input));
    }
    let ty = known.ty.item().unwrap_or(&known.ty);
    let is = match table.get("is") {
        None => Some(Vec::new()),
        Some(Node { kind: Kind::List(items), .. }) => {
            let values: Vec<Option<Value>> = items.iter().map(|item| cx.literal(item, ty)).collect();
            values.into_iter().collect()
        }
        Some(node) => cx.literal(node, ty).map(|value| vec![value]),
    };
    Some(By::Signal { input, is: is? })
}

fn sets(cx: &Cx<'_>, node: &Node) -> Option<Vec<(InputId, Value)>> {
    let mut sets = Vec::new();
    let mut good = true;
    for entry in cx.table(node, "signals and their values")? {
        let found = cx.find("signal", &entry.key, entry.key_span, &cx.input_names).map(InputId);
        match found {
            Some(input) if cx.inputs[input.index()].kind != InputKind::Signal => {
                let message = format!("{} is not a signal", quoted(&entry.key));
                let found = Diagnostic::error(Code::BadValue, entry.key_span, message)
                    .also(cx.inputs[input.index()].span, "declared here");
                cx.out.push(found.help("declare a `[signal.…]` that only triggers and the host set"));
                good = false;
            }
            Some(input) => match cx.literal(&entry.value, cx.input_type(input)) {
                Some(value) => sets.push((input, value)),
                None => good = false,
            },
            None => good = false,
        }
    }
    good.then_some(sets)
}

/// Each tag in the triggers of the classes, with its place.
pub(super) fn tags(classes: &[Node]) -> Vec<(String, Span)> {
    let mut tags = Vec::new();
    for trigger in classes.iter().flat_map(|class| items(class, "trigger")) {
        for alternative in items(trigger, "any") {
            if let Kind::Table(table) = &alternative.kind
                && let Some(node) = table.get("tag")
                && let Some(text) = text_of(node)
            {
                tags.push((text.to_owned(), node.span));
            }
        }
    }
    tags
}

/// The items of a list under a key, if both are there.
pub(super) fn items<'n>(node: &'n Node, key: &str) -> &'n [Node] {
    match &node.kind {
        Kind::Table(table) => match table.get(key).map(|node| &node.kind) {
            Some(Kind::List(items)) => items,
            _ => &[],
        },
        _ => &[],
    }
}
