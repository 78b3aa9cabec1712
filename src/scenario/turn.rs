//! One turn of a scenario: what happens, the scripted calls, and what is expected.

use serde_json::{Map, Value as Json};

use crate::diag::{Aspect, Code, Diagnostic, Diagnostics, did_you_mean, listed, quoted, suggest};
use crate::engine::Event;
use crate::language;
use crate::model::ids::{EventId, InputId, PortId};
use crate::model::json::{Naming, fields_from_wire, scalar_text};
use crate::model::reason::STATUSES;
use crate::model::schema::NamedType;
use crate::model::uses::PackAt;
use crate::model::{Pack, Status};
use crate::registry::Registry;
use crate::syntax::{Entry, Field, Kind, Node, Reader};

use super::script::{Call, CallName, Contract, Happens, Input, Reply, Turn, presence, qualified, unknown, want};
use super::{Spanned, expect, show, typed};

/// Reads a turn.
pub fn read(registry: &Registry, node: &Node, out: &Diagnostics) -> Option<Turn> {
    let reader = Reader::new(node, &language::TURN, out)?;
    if let Some(reply) = reader.optional("assistant") {
        let _ = reply.text();
    }
    let expect = reader.optional("expect").and_then(|field| expect::read(registry, field));
    let calls = match reader.optional("calls").and_then(Field::list) {
        Some(list) => list.filter_map(|item| call(registry, item)).collect(),
        None => Vec::new(),
    };
    let events = reader.optional("events");
    let inputs = match events {
        Some(field) => {
            let _ = reader.optional("signals");
            for (entry, _) in reader.rest() {
                unknown_key(registry.pack(), entry, out);
            }
            let list = field.list()?;
            if list.len() == 0 {
                out.push(Diagnostic::error(Code::BadValue, field.span(), "the turn holds no event").help("write one"));
            }
            list.filter_map(|item| {
                let reader = item.table(&language::INPUT)?;
                input(registry, &reader, item.node)
            })
            .collect()
        }
        None => input(registry, &reader, node).into_iter().collect(),
    };
    Some(Turn { span: node.span, inputs, calls, expect })
}

/// One event under its turn key, as a turn writes it, with nothing beside it: its key, its value as JSON, and the event.
pub fn input_of(registry: &Registry, node: &Node, out: &Diagnostics) -> Option<(String, Json, Event)> {
    let before = out.len();
    let turn = read(registry, node, out)?;
    let Kind::Table(table) = &node.kind else { return None };
    for entry in table.iter().filter(|entry| language::TURN.has(&entry.key)) {
        let message = format!("{} stands beside an event, and here is only one", quoted(&entry.key));
        out.push(
            Diagnostic::error(Code::OutOfPlace, entry.key_span, message).help("write an event by its turn key alone"),
        );
    }
    let (entry, [input]) = (table.iter().next()?, &turn.inputs[..]) else { return None };
    let Happens::Event(happens @ Event::Input { event, .. }) = &input.happens else { return None };
    let pack = registry.pack();
    let ty = |key: &str| {
        let input = pack.names.get(key).and_then(|key| pack.events[event.index()].called(key))?;
        Some(&pack.inputs[input.index()].ty)
    };
    let json = |key: &str, node: &Node| typed::json(pack, Naming::Wire, ty(key), node);
    let value = match &entry.value.kind {
        Kind::Table(table) => {
            Json::Object(table.iter().map(|of| (of.key.to_string(), json(&of.key, &of.value))).collect())
        }
        _ => typed::json(pack, Naming::Wire, None, &entry.value),
    };
    (out.len() == before).then(|| (entry.key.to_string(), value, happens.clone()))
}

/// The one thing that happens: an event of the pack under its turn key, or an outcome.
fn input(registry: &Registry, reader: &Reader<'_>, node: &Node) -> Option<Input> {
    let (pack, out) = (registry.pack(), reader.out());
    let signals = reader.optional("signals");
    let outcome = reader.optional("outcome");
    let mut events: Vec<(&Entry, EventId, Field<'_>)> = Vec::new();
    for (entry, field) in reader.rest() {
        let named = pack.events.iter().position(|event| pack.names.text(event.turn) == entry.key);
        match named {
            Some(index) => events.push((entry, EventId::at(index), field)),
            None => unknown_key(pack, entry, out),
        }
    }
    if let Some(field) = outcome {
        for (entry, ..) in &events {
            let message = format!("a turn with `outcome` cannot have {} too", quoted(&entry.key));
            out.push(Diagnostic::error(Code::BadValue, entry.key_span, message).help("make it a turn of its own"));
        }
        return by_hand(registry, field);
    }
    if let [_, (entry, ..), ..] = events.as_slice() {
        let message = format!("the turn has a second input {}", quoted(&entry.key));
        let found = Diagnostic::error(Code::BadValue, entry.key_span, message);
        out.push(found.help("write several inputs before a reply as `events: [ … ]`"));
        return None;
    }
    let Some((entry, event, field)) = events.into_iter().next() else {
        // An unknown key or a null was reported already: most likely it was meant to be what happens.
        let meant = |key: &str| !language::TURN.has(key) || matches!(key, "outcome" | "events");
        if !matches!(&node.kind, Kind::Table(table) if table.iter().any(|entry| meant(&entry.key))) {
            let known = listed(turn_keys(pack));
            let found = Diagnostic::error(Code::MissingKey, node.span, "the turn says nothing that happens");
            out.push(found.help(format!("write one of {known}, `outcome`, `events`")));
        }
        return None;
    };
    let declared = &pack.events[event.index()];
    let name = pack.names.text(declared.name);
    let called = |key: &str| pack.names.get(key).and_then(|key| declared.called(key));
    let before = out.len();
    let mut payload = Map::new();
    let mut given = Map::new();
    let mut shown = String::new();
    match (&field.node.kind, declared.text) {
        (Kind::Text(text), Some(input)) => {
            payload.insert(host_name(pack, declared, input).to_owned(), Json::from(text.as_str()));
            shown.push_str(&show::line(text));
        }
        (Kind::Table(table), _) => {
            for entry in table {
                let what = format!("field of event `{name}`");
                match (called(&entry.key), declared.meant(pack, &entry.key)) {
                    (Some(input), _) => {
                        let ty = &pack.inputs[input.index()].ty;
                        typed::fits(pack, Naming::Wire, ty, &entry.value, out);
                        let value = typed::json(pack, Naming::Wire, Some(ty), &entry.value);
                        payload.insert(entry.key.to_string(), value);
                    }
                    (None, Some(meant)) => typed::otherwise(&what, &entry.key, entry.key_span, meant, out),
                    (None, None) => {
                        let fields = declared.wire.iter().map(|wire| pack.names.text(*wire));
                        unknown(&what, &entry.key, entry.key_span, fields, out);
                    }
                }
            }
            shown.push_str(&show::json(&Json::Object(payload.clone())));
        }
        (_, Some(_)) => return field.wrong_type("a text, or a table of payload fields"),
        (_, None) => return field.wrong_type(&format!("the payload of event `{name}` (a table)")),
    }
    if let Some(signals) = signals {
        for (key, json) in beside(registry, std::slice::from_ref(declared), signals, out)? {
            let into = if called(key).is_some() { &mut payload } else { &mut given };
            into.insert(key.to_owned(), json);
        }
        shown.push_str(&format!("  signals {}", show::json(&typed::json(pack, Naming::Wire, None, signals.node))));
    }
    if out.len() > before {
        return None;
    }
    match Event::input(registry, name, &Json::Object(payload), &Json::Object(given)) {
        Ok(event) => Some(Input {
            span: node.span,
            text: text_of(pack, &event),
            shown: format!("{}: {shown}", entry.key),
            happens: Happens::Event(event),
        }),
        Err(crate::engine::EventError::Data(error)) => {
            let at = match signals {
                Some(signals) if names_key(signals.node, &error.path) => signals.node,
                _ => field.node,
            };
            typed::report(at, &error, out);
            None
        }
        Err(error) => field.bad(error.to_string(), "name an event of the pack"),
    }
}

/// What the host has found beside one of some events: signals, and what may be a field of the payload too. What is wrong with it is told.
pub fn beside<'n>(
    registry: &Registry,
    events: &[crate::model::Event],
    signals: Field<'n>,
    out: &Diagnostics,
) -> Option<Vec<(&'n str, Json)>> {
    const WHAT: &str = "signal of this pack that a host may give";
    let pack = registry.pack();
    let mut all = Vec::new();
    for (entry, value) in signals.entries()? {
        let field = pack.names.get(&entry.key).and_then(|key| events.iter().find_map(|event| event.called(key)));
        let Some(input) = field.or_else(|| pack.input(&entry.key).filter(|input| registry.is_signal(*input))) else {
            if let Some(meant) = events.iter().find_map(|event| event.meant(pack, &entry.key)) {
                typed::otherwise(WHAT, &entry.key, entry.key_span, meant, out);
                continue;
            }
            let inputs = (0..pack.inputs.len()).map(InputId::at);
            let name = |input: InputId| {
                let wire = events.iter().find_map(|event| event.wire_of(input));
                let signal = registry.is_signal(input).then(|| pack.inputs[input.index()].name);
                wire.or(signal).map(|name| pack.names.text(name))
            };
            unknown(WHAT, &entry.key, entry.key_span, inputs.filter_map(name), out);
            continue;
        };
        let ty = &pack.inputs[input.index()].ty;
        typed::fits(pack, Naming::Wire, ty, value.node, out);
        all.push((entry.key.as_str(), typed::json(pack, Naming::Wire, Some(ty), value.node)));
    }
    Some(all)
}

/// The text of an event that the lexicon reads.
pub fn text_of(pack: &Pack, event: &Event) -> Option<String> {
    let Event::Input { event, fields } = event else { return None };
    let input = pack.events[event.index()].text?;
    fields.iter().find(|(field, _)| *field == input).map(|(_, value)| scalar_text(&pack.names, value).into_owned())
}

/// How the host calls a payload field or a signal.
pub fn host_name<'p>(pack: &'p Pack, event: &crate::model::Event, input: InputId) -> &'p str {
    pack.names.text(event.wire_of(input).unwrap_or(pack.inputs[input.index()].name))
}

fn names_key(node: &Node, path: &str) -> bool {
    let key = path.split('.').next().unwrap_or_default();
    matches!(&node.kind, Kind::Table(table) if table.get(key).is_some())
}

fn turn_keys(pack: &Pack) -> Vec<&str> {
    pack.events.iter().map(|event| pack.names.text(event.turn)).collect()
}

fn unknown_key(pack: &Pack, entry: &Entry, out: &Diagnostics) {
    if language::TURN.has(&entry.key) {
        let message = format!("{} cannot stand inside `events`", quoted(&entry.key));
        let found = Diagnostic::error(Code::UnknownKey, entry.key_span, message);
        out.push(found.help("write it beside `events`, or make it a turn of its own"));
        return;
    }
    let mut known = turn_keys(pack);
    known.extend(language::TURN.names());
    let help = match suggest(&entry.key, known.iter().copied()) {
        Some(like) => did_you_mean(&entry.key, like),
        None => format!("the keys here are {}", listed(&known)),
    };
    let message = format!("unknown key {} in a turn", quoted(&entry.key));
    out.push(Diagnostic::error(Code::UnknownKey, entry.key_span, message).about(Aspect::TurnKey).help(help));
}

/// `outcome: { call or port, status, returns, error }`.
fn by_hand(registry: &Registry, field: Field<'_>) -> Option<Input> {
    let pack = registry.pack();
    let reader = field.table(&language::OUTCOME)?;
    let call = reader.optional("call").and_then(|field| field.word());
    let named = reader.has("port");
    let port = reader.optional("port").and_then(|field| port(pack, field, reader.out()));
    let reply = reply(registry, port, &reader);
    reader.finish();
    let of = match (call, port) {
        (Some(id), _) => CallName::Id(id.into()),
        (None, Some((at, port))) => CallName::Port(at, port),
        // One that is none has been reported.
        (None, None) if named || field.node.kind == Kind::Null => return None,
        (None, None) => return field.bad("the outcome names no call", "write `call: call-1`, or `port: …`"),
    };
    let name = match &of {
        CallName::Id(id) => id.to_string(),
        CallName::Port(at, port) => show::port(pack, *at, *port),
    };
    let reply = reply?;
    let shown = format!("outcome: {name} {}", show::reply(&reply));
    Some(Input { span: field.span(), shown, text: None, happens: Happens::Outcome { of, reply } })
}

/// A port that the host serves, by its name: `gate/port` for one of a used pack.
pub fn port(pack: &Pack, field: Field<'_>, out: &Diagnostics) -> Option<(PackAt, PortId)> {
    let written = field.word()?;
    let (at, name) = pack.split(written);
    let Some(found) = pack.at(at).port(name) else {
        let names = qualified(pack, |pack| pack.ports.iter().map(|port| port.name).collect());
        unknown("port of this pack", written, field.span(), names.iter().map(String::as_str), out);
        return None;
    };
    if let Some(serve) = pack.served(at, found) {
        let by = pack.name_at(serve.by).unwrap_or_default();
        let message = format!("the port {} is served by {}, so the host is never asked", quoted(written), quoted(by));
        return field.bad(message, &format!("write what the ports of {} come to, such as `{by}/PORT`", quoted(by)));
    }
    Some((at, found))
}

/// `returns`, or `status` with `error`: how a call ends, with what, and what went wrong. `returns` alone means ok.
pub fn end<'n>(reader: &Reader<'n>) -> Option<(Status, Option<Field<'n>>, Option<&'n str>)> {
    const WORDS: [(&str, Status); 4] = [
        (STATUSES[0], Status::Ok),
        (STATUSES[1], Status::Failed),
        (STATUSES[2], Status::Timeout),
        (STATUSES[3], Status::Cancelled),
    ];
    let given = reader.optional("returns");
    let status = reader.optional("status");
    let error = reader.optional("error");
    let status = match status {
        Some(field) => field.one_of(&WORDS)?,
        None if given.is_some() => Status::Ok,
        // A null was reported already.
        None if ["returns", "status", "open"].iter().any(|key| reader.has(key)) => return None,
        None => {
            let found = Diagnostic::error(Code::MissingKey, reader.span(), "it is not said how the call ends");
            reader.out().push(
                found.help("write `returns: { … }`, `status: failed`, `timeout` or `cancelled`, or `open: true`"),
            );
            return None;
        }
    };
    if status != Status::Ok
        && let Some(field) = given
    {
        return field.bad("a call that is not ok returns nothing", "leave it out, or write `status: ok`");
    }
    if status == Status::Ok
        && let Some(field) = error
    {
        return field.bad("a call that is ok has no error", "leave it out, or write `status: failed`");
    }
    let error = match error {
        Some(field) => Some(field.word()?),
        None => None,
    };
    Some((status, given, error))
}

/// How an answer that is told by hand, `outcome: { … }`, breaks the declaration of its port, where it does.
pub fn held(registry: &Registry, port: (PackAt, PortId), node: &Node) -> Option<Contract> {
    // What is wrong with it otherwise has been told.
    let out = Diagnostics::new();
    let reader = Reader::new(node, &language::OUTCOME, &out)?;
    reply(registry, Some(port), &reader)?.contract
}

fn reply(registry: &Registry, port: Option<(PackAt, PortId)>, reader: &Reader<'_>) -> Option<Reply> {
    let registry = port.map_or(registry, |(at, _)| registry.at(at));
    let pack = registry.pack();
    let (status, given, error) = end(reader)?;
    let mut contract = None;
    let value = given.map(|field| match port {
        Some((_, port)) => {
            let fields = &registry.response[port.index()];
            let json = typed::fields_json(pack, Naming::Wire, fields, field.node);
            let read = fields_from_wire(pack, fields, false, &json);
            if let Ok(record) = &read {
                let misfit = |field: &NamedType| {
                    let value = record.field(field.name);
                    let error = registry.contracts.misfit(pack, Naming::Wire, &field.ty, value)?;
                    Some(error.under(Naming::Wire.of(pack, field)))
                };
                if let Some(error) = fields.iter().find_map(misfit) {
                    let found = Diagnostics::new();
                    typed::report(field.node, &error, &found);
                    contract = Some(Contract { message: error.to_string(), found: found.into_sorted() });
                }
            }
            if let Err(error) = read {
                let found = Diagnostics::new();
                typed::named_fit(
                    pack,
                    Naming::Wire,
                    "field of an answer of this port",
                    fields,
                    false,
                    field.node,
                    &found,
                );
                if found.is_empty() {
                    typed::report(field.node, &error, &found);
                }
                contract = Some(Contract { message: error.to_string(), found: found.into_sorted() });
            }
            let against = |held| registry.contracts.broken(held, &json);
            if let Some(broken) = pack.ports[port.index()].contract.response.and_then(against) {
                let message = show::contract(&broken);
                let at = crate::contract::place(field.node, &broken.at).span;
                let found =
                    Diagnostic::error(Code::BadValue, at, format!("the contract does not admit this: {message}"))
                        .help("write what it admits, or mend the contract");
                let found = match broken.keyword(pack) {
                    Some(keyword) => found.about(Aspect::Contract).also(keyword, "the contract says so here"),
                    None => found,
                };
                contract.get_or_insert(Contract { message, found: vec![found] });
            }
            json
        }
        None => typed::json(pack, Naming::Wire, None, field.node),
    });
    Some(Reply { status, value, error: error.map(Into::into), contract })
}

/// How a call to a port ends: a table with `returns`, or `status` and `error`.
pub fn ending(registry: &Registry, port: (PackAt, PortId), node: &Node, out: &Diagnostics) -> Option<Reply> {
    let reader = Reader::new(node, &language::ENDING, out)?;
    let reply = reply(registry, Some(port), &reader);
    reader.finish();
    reply
}

/// A scripted call.
pub fn call(registry: &Registry, field: Field<'_>) -> Option<Call> {
    let reader = field.table(&language::CALL)?;
    let out = reader.out();
    let port = reader.required("port").and_then(|field| port(registry.pack(), field, out));
    let pack = registry.at(port.map_or(PackAt::OUTERMOST, |(at, _)| at)).pack();
    let with = reader.optional("with");
    let open = reader.optional("open").and_then(Field::bool) == Some(true);
    let silent = port.is_some_and(|(_, port)| !pack.ports[port.index()].replies);
    let says = ["returns", "status", "error"].iter().any(|key| reader.has(key));
    let reply = if open || (silent && !says) {
        let _ = (reader.optional("returns"), reader.optional("status"), reader.optional("error"));
        if says {
            return field.bad("a call that stays open does not end", "leave out `open`, or what it returns");
        }
        None
    } else {
        let reply = reply(registry, port, &reader);
        if silent {
            return field.bad("no outcome comes from this port", "leave out how the call ends");
        }
        Some(reply)
    };
    reader.finish();
    let (at, port) = port?;
    let mut wanted = Vec::new();
    if let Some(with) = with {
        let request = &pack.ports[port.index()].request;
        for (entry, field) in with.entries()? {
            const WHAT: &str = "argument of this port";
            let Some(arg) = request.iter().find(|arg| Naming::Wire.of(pack, arg) == entry.key) else {
                if let Some(meant) = request.iter().find(|arg| Naming::Own.of(pack, arg) == entry.key) {
                    typed::otherwise(WHAT, &entry.key, entry.key_span, Naming::Wire.of(pack, meant), out);
                    continue;
                }
                let names = request.iter().map(|arg| Naming::Wire.of(pack, arg));
                unknown(WHAT, &entry.key, entry.key_span, names, out);
                continue;
            };
            if let Some(value) = want(pack, Naming::Wire, &arg.ty, field.node, out) {
                wanted.push(Spanned { value: (arg.name, value), span: entry.key_span });
            }
        }
    }
    let reply = match reply {
        Some(reply) => Some(reply?),
        None => None,
    };
    Some(Call { span: field.span(), pack: at, port, with: wanted, reply })
}

/// Whether a node says `{ present: false }`.
pub fn says_absent(node: &Node) -> bool {
    presence(node) == Some(false)
}
