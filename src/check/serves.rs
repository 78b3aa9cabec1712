//! Packs that are put together: who serves which port, and whether what crosses the border fits.

use std::sync::Arc;

use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean, listed, quoted, suggest};
use crate::model::class::{Class, On};
use crate::model::effect::Verb;
use crate::model::ids::{EventId, MessageId, PortId};
use crate::model::json::{Naming, describe, from_json, to_json};
use crate::model::schema::{NamedType, Type};
use crate::model::uses::{Composed, PackAt, Serve, Serving, Used};
use crate::model::{Pack, Status, walk};
use crate::source::Span;

/// A pack that is used: its name, its folder, and its declarations where it loads.
pub type UsedAs = (String, String, Option<Arc<Pack>>);

/// Puts a pack together with those that it uses. What is wrong with
/// what crosses the border is reported. Of what is wrong nothing is served.
pub fn composed(pack: &Pack, used: &[UsedAs], out: &Diagnostics) -> Option<Composed> {
    let mut packs: Vec<Used> = Vec::new();
    let mut serves = vec![vec![None; pack.ports.len()]];
    for (name, folder, of) in used {
        let Some(of) = of else { continue };
        let base = PackAt::used(packs.len());
        packs.push(Used { name: name.clone(), folder: folder.clone(), pack: Arc::clone(of) });
        match &of.composed {
            Some(inner) => {
                packs.extend(
                    inner.packs.iter().map(|used| Used { name: format!("{name}/{}", used.name), ..used.clone() }),
                );
                let moved = |serve: &Serve| Serve { by: PackAt(serve.by.0 + base.0), ..serve.clone() };
                serves.extend(inner.serves.iter().map(|of| of.iter().map(|serve| serve.as_ref().map(moved)).collect()));
            }
            None => serves.push(vec![None; of.ports.len()]),
        }
    }
    let whole = used.iter().all(|(.., of)| of.is_some());
    let mut linker = Linker { pack, packs: &packs, lost: used, serves: &mut serves, out };
    pack.serves.iter().for_each(|serving| linker.link(serving));
    (whole && !packs.is_empty()).then_some(Composed { packs, serves })
}

struct Linker<'a> {
    pack: &'a Pack,
    packs: &'a [Used],
    /// All that are used directly, with those that do not load.
    lost: &'a [UsedAs],
    serves: &'a mut Vec<Vec<Option<Serve>>>,
    out: &'a Diagnostics,
}

/// One of the packs, with what it is called in findings.
#[derive(Clone, Copy)]
struct Side<'a> {
    at: PackAt,
    pack: &'a Pack,
}

impl<'a> Linker<'a> {
    fn link(&mut self, serving: &Serving) {
        let caller = self.port(serving);
        let by = self.used(&serving.by.0, serving.by.1);
        let (Some((caller, port)), Some(by)) = (caller, by) else { return };
        let written = &serving.port;
        if caller.at == by.at {
            let message = format!("{} would serve a port of its own", quoted(&serving.by.0));
            let found = Diagnostic::error(Code::LeadsBack, serving.by.1, message);
            return self.out.push(found.help("name another used pack, or leave the port to the host"));
        }
        if let Some(first) = &self.serves[caller.at.index()][port.index()] {
            let message = format!("the port {} is served twice", quoted(&written.0));
            let found = Diagnostic::error(Code::DuplicateName, written.1, message);
            return self.out.push(found.also(first.span, "the used pack serves it already").help("remove this one"));
        }
        let before = self.out.len();
        let event = self.event(serving, by);
        if let Some(event) = event {
            self.request(serving, (caller, port), (by, event));
        }
        let replies = self.replies(serving, (caller, port), by);
        if let Some(event) = event.filter(|_| self.out.len() == before) {
            let serve = Serve { by: by.at, event, replies, span: serving.span };
            self.serves[caller.at.index()][port.index()] = Some(serve);
        }
    }

    fn side(&self, at: PackAt) -> Side<'a> {
        let pack = match at.index().checked_sub(1) {
            Some(used) => &self.packs[used].pack,
            None => self.pack,
        };
        Side { at, pack }
    }

    /// A used pack by its name. One that does not load has been reported.
    fn used(&self, name: &str, span: Span) -> Option<Side<'a>> {
        if let Some(at) = self.packs.iter().position(|used| used.name == name) {
            return Some(self.side(PackAt::used(at)));
        }
        let first = name.split('/').next().unwrap_or_default();
        if !self.lost.iter().any(|(lost, _, of)| lost == first && of.is_none()) {
            let known: Vec<&str> = self.packs.iter().map(|used| used.name.as_str()).collect();
            let known: Vec<&str> = known
                .into_iter()
                .chain(self.lost.iter().filter(|lost| lost.2.is_none()).map(|lost| lost.0.as_str()))
                .collect();
            self.unknown("used pack", name, span, &known);
        }
        None
    }

    fn port(&self, serving: &Serving) -> Option<(Side<'a>, PortId)> {
        let (written, span) = &serving.port;
        let (side, name) = match written.rsplit_once('/') {
            Some((of, name)) => (self.used(of, *span)?, name),
            None => (self.side(PackAt::OUTERMOST), written.as_str()),
        };
        let found = side.pack.port(name);
        if found.is_none() {
            let names: Vec<&str> = side.pack.ports.iter().map(|port| side.pack.names.text(port.name)).collect();
            self.unknown("port", name, *span, &names);
        }
        Some((side, found?))
    }

    fn event(&self, serving: &Serving, by: Side<'_>) -> Option<EventId> {
        let found = by.pack.event(&serving.event.0);
        if found.is_none() {
            let names: Vec<&str> = by.pack.events.iter().map(|event| by.pack.names.text(event.name)).collect();
            self.unknown("event of the used pack", &serving.event.0, serving.event.1, &names);
        }
        found
    }

    fn unknown(&self, kind: &str, name: &str, span: Span, known: &[&str]) {
        let found = Diagnostic::error(Code::UnknownName, span, format!("there is no {kind} {}", quoted(name)));
        self.out.push(match suggest(name, known.iter().copied()) {
            Some(near) => found.help(did_you_mean(name, near)),
            None if known.is_empty() => found.help(format!("there is no {kind} at all")),
            None => found.help(format!("known here: {}", listed(known))),
        });
    }

    /// What a call gives must be what the event takes.
    fn request(&self, serving: &Serving, (caller, port): (Side<'_>, PortId), (by, event): (Side<'_>, EventId)) {
        let declared = &caller.pack.ports[port.index()];
        let request = &declared.request;
        let held = |ty: &Type| matches!(ty, Type::Document { contract: Some(_) });
        let fields = by.pack.event_fields(event);
        let (port, event) = (quoted(&serving.port.0), quoted(&serving.event.0));
        for arg in request {
            let name = caller.pack.crossing(arg);
            let Some(field) = fields.iter().find(|field| by.pack.crossing(field) == name) else {
                let message = format!("the event {event} has no field {}, which calls of {port} give", quoted(name));
                let names: Vec<&str> = fields.iter().map(|field| by.pack.crossing(field)).collect();
                let help = match suggest(name, names.iter().copied()) {
                    Some(near) => did_you_mean(name, near),
                    None => "declare the field in the event, or take the argument out of the request".to_owned(),
                };
                let found =
                    Diagnostic::error(Code::UnknownName, serving.event.1, message).also(arg.span, "the argument");
                self.out.push(found.help(help));
                continue;
            };
            if !fits(caller.pack, &arg.ty, by.pack, &field.ty) {
                let message = format!(
                    "the argument {} is {}, and the event {event} takes {}",
                    quoted(name),
                    describe(caller.pack, &arg.ty),
                    describe(by.pack, &field.ty)
                );
                let found = Diagnostic::error(Code::WrongType, serving.event.1, message);
                let found = found.also(arg.span, "the argument").also(field.span, "the field of the event");
                self.out.push(found.help("give both one type: each value of the first must be one of the second"));
            } else if !declared.replies && field.ty.holds(&by.pack.records, &held) {
                let message = format!(
                    "the event {event} holds {} to a contract, and nobody hears of a call that breaks it",
                    quoted(name)
                );
                let found = Diagnostic::error(Code::WrongType, serving.event.1, message);
                let found =
                    found.also(field.span, "held to a contract").also(declared.span, "no outcome comes from this port");
                self.out.push(found.help("take `contract` out of the field, or let the port answer"));
            }
        }
        for field in fields.iter().filter(|field| !field.optional) {
            let name = by.pack.crossing(field);
            let given = request.iter().find(|arg| caller.pack.crossing(arg) == name);
            if given.is_some_and(|arg| !arg.optional) {
                continue;
            }
            let message = format!("the event {event} demands {}, which a call of {port} may lack", quoted(name));
            let mut found = Diagnostic::error(Code::MissingArgument, serving.event.1, message);
            found = found.also(field.span, "mandatory here");
            if let Some(arg) = given {
                found = found.also(arg.span, "optional here");
            }
            self.out.push(found.help("make it a mandatory argument of the port, or optional in the event"));
        }
    }

    /// What a message says must be what the port answers.
    fn replies(&self, serving: &Serving, (caller, port): (Side<'_>, PortId), by: Side<'_>) -> Vec<(MessageId, Status)> {
        let declared = &caller.pack.ports[port.index()];
        let port = quoted(&serving.port.0);
        match (declared.replies, serving.reply) {
            (false, Some(span)) => {
                let found = Diagnostic::error(Code::NoReply, span, format!("no outcome comes from the port {port}"));
                self.out.push(found.also(declared.span, "it says `reply = \"none\"`").help("leave `reply` out"));
                return Vec::new();
            }
            (true, None) => {
                let message = format!("it is not said which messages end a call of {port}");
                let found = Diagnostic::error(Code::MissingKey, serving.span, message);
                self.out.push(found.help("write `reply = { MESSAGE = \"ok\" }` with messages of the used pack"));
                return Vec::new();
            }
            (true, Some(span)) if serving.replies.is_empty() => {
                let found = Diagnostic::error(Code::SaysNothing, span, format!("no message ends a call of {port}"));
                self.out.push(found.help("name messages of the used pack: `reply = { MESSAGE = \"ok\" }`"));
                return Vec::new();
            }
            _ => {}
        }
        let mut replies = Vec::new();
        for (name, span, status) in &serving.replies {
            let Some(message) = by.pack.message(name) else {
                let names: Vec<&str> = by.pack.messages.iter().map(|of| by.pack.names.text(of.name)).collect();
                self.unknown("message of the used pack", name, *span, &names);
                continue;
            };
            if *status == Status::Ok {
                self.answers(caller.pack, declared, by.pack, message, *span);
            }
            replies.push((message, *status));
        }
        if let Some(event) = by.pack.event(&serving.event.0)
            && let Some(span) = serving.reply
            && replies.len() == serving.replies.len()
            && !may_reply(by.pack, event, &replies)
        {
            let message = format!("no class of {} ever sends any of these messages", quoted(&serving.by.0));
            let found = Diagnostic::error(Code::NoReply, span, message);
            let found = found.also(by.pack.events[event.index()].span, "what a call becomes");
            self.out.push(
                found.help("name messages that a class which takes the event sends, at once or after its own calls"),
            );
        }
        replies
    }

    fn answers(&self, caller: &Pack, port: &crate::model::Port, by: &Pack, message: MessageId, span: Span) {
        let sent = &by.messages[message.index()];
        let (message, of) = (quoted(by.names.text(sent.name)), quoted(caller.names.text(port.name)));
        for wanted in &port.answer(caller) {
            let name = caller.crossing(wanted);
            let field = sent.fields.iter().find(|field| by.crossing(field) == name);
            let constant = sent.consts.iter().find(|(constant, _)| by.names.text(*constant) == name);
            let fits = match (field, constant) {
                (Some(field), _) if field.optional && !wanted.optional => false,
                (Some(field), _) => {
                    if !fits(by, &field.ty, caller, &wanted.ty) {
                        let text = format!(
                            "the field {} of the message {message} is {}, and the port {of} answers {}",
                            quoted(name),
                            describe(by, &field.ty),
                            describe(caller, &wanted.ty)
                        );
                        let found = Diagnostic::error(Code::WrongType, span, text).also(field.span, "the field");
                        self.out.push(
                            found
                                .also(wanted.span, "what the port answers")
                                .help("give both one type: each value of the first must be one of the second"),
                        );
                    }
                    true
                }
                (None, Some((_, value))) => {
                    let json = to_json(&by.names, value);
                    if from_json(caller, Naming::Wire, &wanted.ty, &json).is_err() {
                        let text = format!(
                            "the constant {} of the message {message} is {json}, and the port {of} answers {}",
                            quoted(name),
                            describe(caller, &wanted.ty)
                        );
                        let found = Diagnostic::error(Code::WrongType, span, text).also(sent.span, "the message");
                        self.out.push(found.also(wanted.span, "what the port answers").help("give both one type"));
                    }
                    true
                }
                (None, None) => wanted.optional,
            };
            if !fits {
                let text = format!("the message {message} may lack {}, which the port {of} answers", quoted(name));
                let found = Diagnostic::error(Code::MissingArgument, span, text).also(wanted.span, "mandatory here");
                let found = found.also(field.map_or(sent.span, |field| field.span), "the message");
                self.out.push(found.help("make it a mandatory field of the message, or optional in the response"));
            }
        }
    }
}

/// Whether some class that may have to do with an event sends one of these messages.
fn may_reply(pack: &Pack, event: EventId, replies: &[(MessageId, Status)]) -> bool {
    let takes = |class: &Class| {
        class.triggers.iter().any(|trigger| match trigger.on {
            On::Event(on) => on == event,
            On::Outcome { .. } | On::Boundary => true,
        })
    };
    pack.classes.iter().filter(|class| takes(class)).any(|class| {
        let mut sends = false;
        walk::effects(class, &mut |_, effect| {
            if let Verb::Emit { message, .. } = &effect.verb {
                sends |= replies.iter().any(|(reply, _)| reply == message);
            }
        });
        sends
    })
}

/// Whether each value of one type, as JSON, is one of the other.
#[must_use]
pub fn fits(from: &Pack, ty: &Type, to: &Pack, wanted: &Type) -> bool {
    match (ty, wanted) {
        (Type::Bool, Type::Bool)
        | (Type::Int, Type::Int | Type::Decimal)
        | (Type::Decimal, Type::Decimal)
        | (Type::Period, Type::Period)
        | (Type::Instant, Type::Instant | Type::Text | Type::Narrative)
        | (Type::Text | Type::Id, Type::Text | Type::Id | Type::Narrative)
        | (Type::Enum(_) | Type::Key(_), Type::Text | Type::Id | Type::Narrative)
        // What a contract of the other pack does not admit is found when it is given, as where it comes from the host.
        | (Type::Document { .. }, Type::Document { .. })
        // What is prose stays prose.
        | (Type::Narrative, Type::Narrative) => true,
        (Type::Enum(_) | Type::Key(_), Type::Enum(_) | Type::Key(_)) => {
            let known = words(to, wanted);
            words(from, ty).iter().all(|word| known.contains(word))
        }
        (Type::List { of, max, .. }, Type::List { of: wanted, max: most, .. })
        | (Type::Set { of, max }, Type::Set { of: wanted, max: most } | Type::List { of: wanted, max: most, .. }) => {
            max <= most && fits(from, of, to, wanted)
        }
        (Type::Map { key, of, max }, Type::Map { key: name, of: wanted, max: most }) => {
            max <= most && fits(from, key, to, name) && fits(from, of, to, wanted)
        }
        (Type::Record(id), Type::Record(wanted)) => {
            let (given, wanted) = (&from.records[id.index()], &to.records[wanted.index()]);
            let name = |field: &NamedType| from.crossing(field);
            let of = |name: &str| wanted.fields.iter().find(|field| to.crossing(field) == name);
            (wanted.open || !given.open)
                && given.fields.iter().all(|field| match of(name(field)) {
                    Some(other) => fits(from, &field.ty, to, &other.ty),
                    None => wanted.open,
                })
                && wanted.fields.iter().all(|other| {
                    let given = given.fields.iter().find(|field| name(field) == to.crossing(other));
                    other.optional || other.default.is_some() || given.is_some_and(|field| !field.optional)
                })
        }
        _ => false,
    }
}

/// The words of a closed type.
fn words<'p>(pack: &'p Pack, ty: &Type) -> Vec<&'p str> {
    match ty {
        Type::Enum(id) => pack.enums[id.index()].values.iter().map(|word| pack.names.text(*word)).collect(),
        Type::Key(id) => pack.tables[id.index()].rows.iter().map(|row| pack.names.text(row.key)).collect(),
        _ => Vec::new(),
    }
}
