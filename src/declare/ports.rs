//! Events, ports, messages and answer modes, and the two flat namespaces `input` and `outcome`.

use crate::diag::{Code, Diagnostic, quoted};
use crate::language;
use crate::model::ids::{InputId, OutcomeId};
use crate::model::schema::Type;
use crate::model::value::Value;
use crate::model::{Channel, Claims, Event, Input, InputKind, Level, Message, Mode, Port, PortContract};
use crate::source::Span;
use crate::syntax::{Field, Node};

use super::cx::{Cx, Item, POISON, poisoned};
use super::literals::sigil;
use super::merge::Sections;
use super::types::{Beside, Case, PAYLOAD_FIELD, scalar};

/// Names under `outcome` that are the engine's.
const OUTCOME_WORDS: &[&str] = &["call", "port", "status", "error", "breach", "kept"];

impl Cx<'_> {
    /// A name under `input`; the same name means one type in the whole pack.
    pub fn add_input(&mut self, name: &str, ty: Type, kind: InputKind, doc: String, span: Span) -> Option<InputId> {
        if let Some(at) = self.input_names.get(name).copied() {
            let known = &mut self.inputs[usize::from(at)];
            let sources = (known.kind, kind);
            let agree = matches!(
                sources,
                (InputKind::Payload, InputKind::Payload | InputKind::Signal) | (InputKind::Signal, InputKind::Payload)
            );
            if !agree {
                let message = format!("the input {} is declared twice", quoted(name));
                let found =
                    Diagnostic::error(Code::DuplicateName, span, message).also(known.span, "first declared here");
                self.out.push(found.help(
                    "payload fields, signals, derived signals, `tag` and `command` share one namespace: rename one",
                ));
                return None;
            }
            if poisoned(&known.ty) {
                known.ty = ty;
            } else if known.ty != ty && !poisoned(&ty) {
                // Which of the two is meant nobody knows: nothing more is said about it.
                known.ty = POISON;
                if kind == InputKind::Signal {
                    known.kind = kind;
                }
                let first = known.span;
                let message = format!("the input {} is of two types", quoted(name));
                let found =
                    Diagnostic::error(Code::WrongType, span, message).also(first, "declared with another type here");
                self.out
                    .push(found.help("one name under `input` means one type in the whole pack: rename one of them"));
                return Some(InputId(at));
            }
            if kind == InputKind::Signal {
                (known.kind, known.doc, known.span) = (kind, doc, span);
            }
            return Some(InputId(at));
        }
        let at = self.room(self.inputs.len(), "inputs", span)?;
        let sym = self.intern(name);
        self.inputs.push(Input { name: sym, ty, kind, doc, span });
        self.input_names.insert(name.to_owned(), at);
        Some(InputId(at))
    }
}

/// Input events and their payload.
pub(super) fn events(cx: &mut Cx<'_>, sections: &Sections<'_>) {
    for item in sections.of("event") {
        let Some(at) = cx.room(cx.events.len(), "events", item.key) else { break };
        if item.name == "outcome" || item.name.contains('.') {
            let message = format!("{} cannot name an event", quoted(item.name));
            cx.error_help(Code::ReservedName, item.key, message, "choose another name");
        } else {
            cx.check_name("an event", item.name, item.key);
        }
        cx.event_names.insert(item.name.to_owned(), at);
        let name = cx.intern(item.name);
        let mut event = Event {
            name,
            fields: Vec::new(),
            wire: Vec::new(),
            text: None,
            turn: name,
            doc: String::new(),
            span: item.key,
        };
        if let Some(table) = cx.table(item.node, "an event") {
            cx.allow(table, &language::EVENT);
            event.doc = cx.doc(table);
            if let Some(turn) = table.get("turn").and_then(|node| cx.word(node)) {
                event.turn = cx.intern(turn);
            }
            let case = cx.case(table);
            let fields = table.get("field").map(|node| cx.fields(node, Beside::Optional, case, PAYLOAD_FIELD));
            for (field, _) in fields.unwrap_or_default() {
                let name = cx.text_of(field.name);
                if let Some(id) = cx.add_input(&name, field.ty, InputKind::Payload, field.doc, field.span) {
                    event.fields.push((id, !field.optional));
                    event.wire.push(field.wire);
                }
            }
            let text = table.get("text").map(|node| (node, cx.text(node)));
            let misspelt = cx.misspelt(table, "text") || cx.misspelt(table, "field");
            if misspelt || matches!(text, Some((_, None))) {
                cx.deaf.insert(at);
            }
            if let Some((node, Some(name))) = text {
                let found =
                    event.fields.iter().find(|(id, _)| cx.names.borrow().text(cx.inputs[id.index()].name) == name);
                match found.map(|(id, _)| *id) {
                    Some(id) if *cx.input_type(id) == Type::Text => event.text = Some(id),
                    Some(id) if poisoned(cx.input_type(id)) => _ = cx.deaf.insert(at),
                    Some(_) => {
                        cx.deaf.insert(at);
                        cx.error_help(
                            Code::WrongType,
                            node.span,
                            format!("{} is not of type text", quoted(name)),
                            "the lexicon reads a text",
                        );
                    }
                    None => {
                        cx.deaf.insert(at);
                        let names: Vec<String> =
                            event.fields.iter().map(|(id, _)| cx.text_of(cx.inputs[id.index()].name)).collect();
                        cx.out.push(super::cx::lacks(
                            "the event",
                            "field",
                            name,
                            node.span,
                            names.iter().map(String::as_str),
                        ));
                    }
                }
            }
        }
        if let Some(other) = cx.events.iter().find(|other| other.turn == event.turn) {
            let turn = cx.text_of(event.turn);
            let message = format!("two events are written as the turn {}", quoted(&turn));
            let found = Diagnostic::error(Code::DuplicateName, event.span, message).also(other.span, "the other one");
            cx.out.push(found.help("give one of them another `turn`"));
        }
        cx.events.push(event);
    }
}

/// Ports, and the names under `outcome`.
pub(super) fn ports(cx: &mut Cx<'_>, sections: &Sections<'_>) {
    for item in sections.of("port") {
        let Some(at) = cx.room(cx.ports.len(), "ports", item.key) else { break };
        if let Some(event) = cx.event_names.get(item.name) {
            let message = format!("{} is an event and a port", quoted(item.name));
            let found = Diagnostic::error(Code::DuplicateName, item.key, message)
                .also(cx.events[usize::from(*event)].span, "the event");
            cx.out.push(found.help("rename one of them"));
        }
        cx.check_name("a port", item.name, item.key);
        cx.port_names.insert(item.name.to_owned(), at);
        let name = cx.intern(item.name);
        let mut port = Port {
            name,
            request: Vec::new(),
            response: Vec::new(),
            wire: Vec::new(),
            docs: Vec::new(),
            conclusions_only: false,
            replies: true,
            readings: Vec::new(),
            checks: Vec::new(),
            retry: None,
            contract: PortContract::default(),
            doc: String::new(),
            span: item.key,
        };
        if let Some(table) = cx.table(item.node, "a port") {
            cx.allow(table, &language::PORT);
            port.doc = cx.doc(table);
            let case = cx.case(table);
            port.conclusions_only = cx.flag(table, "conclusions_only");
            if let Some(node) = table.get("reply") {
                port.replies = Field::new(node, cx.out).one_of(&[("none", false)]).unwrap_or(true);
            }
            if let Some(node) = cx.need(table, item.key, "a port", "request") {
                let fields = cx.fields(node, Beside::Full, case, "an argument");
                port.request = cx.with_defaults(fields);
                if let Some(arg) = port.request.iter().find(|arg| cx.names.borrow().text(arg.name) == "port") {
                    let message = "`port` is the engine's word for the port of a call";
                    cx.error_help(Code::ReservedName, arg.span, message, "choose another name");
                }
            }
            match (table.entry("response"), port.replies) {
                (Some(entry), false) => {
                    let message = "a port with `reply = \"none\"` has no response";
                    cx.error_help(Code::UnknownKey, entry.key_span, message, "leave out one of the two");
                }
                (None, true) if cx.misspelt(table, "response") => {}
                (None, true) => {
                    cx.error_help(
                        Code::MissingKey,
                        item.key,
                        "a port lacks the key `response`",
                        "write `response = { … }`, or `reply = \"none\"` where no outcome will come",
                    );
                }
                (Some(entry), true) => response(cx, &mut port, &entry.value, case),
                (None, false) => {}
            }
            for key in ["read", "check", "retry"] {
                if let Some(entry) = table.entry(key).filter(|_| !port.replies) {
                    let message = format!("`{key}` means nothing beside `reply = \"none\"`: no outcome comes");
                    cx.error_help(Code::OutOfPlace, entry.key_span, message, "leave out one of the two");
                }
            }
            port.contract = super::contracts::of_port(cx, table, port.replies);
            port.retry = table.get("retry").and_then(|node| super::port_rules::retry(cx, node));
        }
        cx.ports.push(port);
    }
}

/// The fields of an answer: how the host calls each, and what it is for.
fn response(cx: &mut Cx<'_>, port: &mut Port, node: &Node, case: Case) {
    for (field, _) in cx.fields(node, Beside::Optional, case, "a field of an answer") {
        let name = cx.text_of(field.name);
        if OUTCOME_WORDS.contains(&name.as_str()) {
            let message = format!("`outcome.{name}` is the engine's");
            cx.error_help(Code::ReservedName, field.span, message, "choose another name");
            continue;
        }
        if let Some(at) = cx.outcome_names.get(&name).copied() {
            let known = &cx.outcomes[usize::from(at)];
            if known.ty != field.ty && !poisoned(&known.ty) && !poisoned(&field.ty) {
                let message = format!("the outcome field {} is of two types", quoted(&name));
                let found = Diagnostic::error(Code::WrongType, field.span, message)
                    .also(known.span, "declared with another type here");
                cx.out
                    .push(found.help("one name under `outcome` means one type in the whole pack: rename one of them"));
                cx.outcomes[usize::from(at)].ty = POISON;
            }
            port.response.push((OutcomeId(at), field.optional));
            port.wire.push(field.wire);
            port.docs.push(field.doc);
            cx.outcomes[usize::from(at)].optional |= field.optional;
            continue;
        }
        let Some(at) = cx.room(cx.outcomes.len(), "outcome fields", field.span) else { break };
        port.response.push((OutcomeId(at), field.optional));
        port.wire.push(field.wire);
        port.docs.push(field.doc.clone());
        cx.outcome_names.insert(name, at);
        cx.outcomes.push(field);
    }
}

/// Messages.
pub(super) fn messages(cx: &mut Cx<'_>, sections: &Sections<'_>) {
    for item in sections.of("message") {
        let Some(at) = cx.room(cx.messages.len(), "messages", item.key) else { break };
        cx.check_form("a message", item.name, item.key);
        cx.message_names.insert(item.name.to_owned(), at);
        let message = message(cx, item);
        cx.messages.push(message);
    }
}

fn message(cx: &Cx<'_>, item: &Item<'_>) -> Message {
    let mut message = Message {
        name: cx.intern(item.name),
        channel: Channel::Ui,
        consts: Vec::new(),
        fields: Vec::new(),
        text: None,
        doc: String::new(),
        span: item.key,
    };
    let Some(table) = cx.table(item.node, "a message") else { return message };
    cx.allow(table, &language::MESSAGE);
    message.doc = cx.doc(table);
    let channels = [("ui", Channel::Ui), ("stream", Channel::Stream), ("log", Channel::Log(Level::Info))];
    if let Some(channel) = cx.need(table, item.key, "a message", "channel") {
        message.channel = Field::new(channel, cx.out).one_of(&channels).unwrap_or(Channel::Ui);
        let log = matches!(message.channel, Channel::Log(_));
        match table.entry("level") {
            Some(entry) if log => {
                let levels = [
                    ("debug", Level::Debug),
                    ("info", Level::Info),
                    ("warning", Level::Warning),
                    ("error", Level::Error),
                ];
                if let Some(level) = Field::new(&entry.value, cx.out).one_of(&levels) {
                    message.channel = Channel::Log(level);
                }
            }
            Some(entry) => {
                cx.error_help(
                    Code::UnknownKey,
                    entry.key_span,
                    "only messages to the log have a level",
                    "leave it out",
                );
            }
            None if log && !cx.misspelt(table, "level") => {
                cx.error_help(
                    Code::MissingKey,
                    item.key,
                    "a log message lacks the key `level`",
                    "write debug, info, warning or error",
                );
            }
            None => {}
        }
    }
    if let Some(node) = table.get("field") {
        message.fields = cx.with_defaults(cx.fields(node, Beside::Full, cx.case(table), "a field of a message"));
    }
    if let Some(consts) = table.get("const").and_then(|node| cx.table(node, "constants")) {
        for entry in consts {
            cx.check_form("a constant", &entry.key, entry.key_span);
            let name = cx.intern(&entry.key);
            if let Some(field) = message.fields.iter().find(|field| field.name == name || field.wire == name) {
                cx.out.push(super::merge::twice("field", &entry.key, entry.key_span, field.span));
            }
            if let Some(value) = constant(cx, &entry.value) {
                message.consts.push((name, value));
            }
        }
    }
    if let Some(node) = table.get("text")
        && let Some(text) = cx.text(node)
    {
        template(cx, node, text, &message);
        message.text = Some(text.to_owned());
    }
    message
}

/// A constant has the type that it shows.
fn constant(cx: &Cx<'_>, node: &Node) -> Option<Value> {
    use crate::syntax::Kind;
    let ty = match &node.kind {
        Kind::Bool(_) => Type::Bool,
        Kind::Number(text) if text.contains(['.', 'e', 'E']) => Type::Decimal,
        Kind::Number(_) => Type::Int,
        Kind::Text(text) => match sigil(text) {
            super::literals::Sigil::Param(name) => {
                cx.param_names.get(name).map_or(Type::Text, |at| cx.params[usize::from(*at)].ty.clone())
            }
            _ => Type::Text,
        },
        _ => return cx.wrong(node, "text, a number or a truth value"),
    };
    cx.literal(node, &ty)
}

/// Whether each `{field}` of a text is one, and can be written in the form that is asked for.
fn template(cx: &Cx<'_>, node: &Node, text: &str, message: &Message) {
    let names: Vec<String> = message.fields.iter().map(|field| cx.text_of(field.name)).collect();
    let mut from = 0;
    while let Some(open) = text[from..].find('{').map(|at| from + at) {
        let Some(close) = text[open..].find('}').map(|at| open + at) else {
            let span = cx.inside(node, open, text.len());
            cx.error_help(Code::BadValue, span, "the bracket is not closed", "add `}`");
            return;
        };
        let (name, form) = match text[open + 1..close].split_once(':') {
            Some((name, form)) => (name, Some(form)),
            None => (&text[open + 1..close], None),
        };
        let span = cx.inside(node, open, close + 1);
        if let Some(form) = form.filter(|form| *form != "percent") {
            let at = cx.inside(node, close - form.len(), close);
            cx.error_help(
                Code::BadValue,
                at,
                format!("{} is no form of a number", quoted(form)),
                "write `{field:percent}`",
            );
        }
        match names.iter().position(|known| known == name) {
            Some(at) if form == Some("percent") => {
                let ty = &message.fields[at].ty;
                if !matches!(ty, Type::Int | Type::Decimal) && !poisoned(ty) {
                    let message = format!("{} cannot be written as a percentage", cx.shown(ty));
                    cx.error_help(Code::WrongType, span, message, "leave `:percent` out, or put a number here");
                }
            }
            None => cx.out.push(super::cx::lacks("the message", "field", name, span, names.iter().map(String::as_str))),
            Some(at) => {
                let ty = &message.fields[at].ty;
                if !scalar(ty) && *ty != Type::Narrative && ty.item().is_none_or(|of| !scalar(of)) && !poisoned(ty) {
                    cx.error_help(
                        Code::WrongType,
                        span,
                        format!("{} has no plain text", cx.shown(ty)),
                        "put a field of a plain type here",
                    );
                }
            }
        }
        from = close + 1;
    }
}

/// Answer modes.
pub(super) fn modes(cx: &mut Cx<'_>, sections: &Sections<'_>) {
    for item in sections.of("answer_mode") {
        let Some(at) = cx.room(cx.modes.len(), "answer modes", item.key) else { break };
        cx.check_form("an answer mode", item.name, item.key);
        cx.mode_names.insert(item.name.to_owned(), at);
        let mut mode = Mode { name: cx.intern(item.name), claims: Claims::Nothing, doc: String::new(), span: item.key };
        if let Some(reader) = Field::new(item.node, cx.out).table(&language::ANSWER_MODE) {
            let words = [("confirmed", Claims::Confirmed), ("limited", Claims::Limited), ("nothing", Claims::Nothing)];
            mode.claims = reader.required("claims").and_then(|field| field.one_of(&words)).unwrap_or(Claims::Nothing);
            mode.doc = reader.optional("doc").and_then(Field::text).unwrap_or_default().to_owned();
            reader.finish();
        }
        cx.modes.push(mode);
    }
}

/// The enums of the engine's words and of what the pack names, for paths to such values.
pub(super) fn words(cx: &mut Cx<'_>, place: Span, calls: &[String], reasons: &[String], breaches: Vec<String>) {
    use crate::model::reason;
    let make = |cx: &Cx<'_>, name: &str, values: Vec<String>| {
        let values = values.iter().map(|value| cx.intern(value)).collect();
        cx.add_enum(name, values, place).unwrap_or(match POISON {
            Type::Enum(id) => id,
            _ => unreachable!("the poison is an enum"),
        })
    };
    let texts = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    cx.words.status = make(cx, "outcome.status", texts(&reason::STATUSES));
    cx.words.claims = make(cx, "answer.claims", texts(&reason::CLAIMS));
    cx.words.modes = make(cx, "answer.mode", cx.mode_names.keys().cloned().collect());
    cx.words.ports = make(cx, "call.port", cx.port_names.keys().cloned().collect());
    cx.words.calls = make(cx, "outcome.call", calls.to_vec());
    let all =
        texts(&reason::ALL).into_iter().chain(reasons.iter().filter(|r| !reason::ALL.contains(&r.as_str())).cloned());
    cx.words.reasons = make(cx, "reason", all.collect());
    cx.words.breaches = make(cx, "outcome.breach", breaches);
}
