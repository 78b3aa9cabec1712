//! Paths: from the pieces of a name to a place and its type, with the exact piece at fault when there is none.

use std::collections::BTreeMap;

use crate::diag::{Code, Diagnostic, quoted};
use crate::model::InputKind;
use crate::model::cond::{Path, Place, Step};
use crate::model::ids::{FrameId, InputId, KeptId, OutcomeId, PortId, RecordId, Slot};
use crate::model::schema::Type;
use crate::source::Span;
use crate::syntax::{Kind, Node};

use super::cx::{Cx, POISON, lacks, poisoned, unknown};
use super::types::scalar;

/// The heads that may be used somewhere, as bits.
pub(super) mod heads {
    pub(in super::super) const FRAMES: u16 = 1;
    pub(in super::super) const BEFORE: u16 = 2;
    pub(in super::super) const INPUT: u16 = 4;
    pub(in super::super) const OUTCOME: u16 = 8;
    pub(in super::super) const ANSWER: u16 = 16;
    pub(in super::super) const REASON: u16 = 32;
    pub(in super::super) const CALL: u16 = 64;
    pub(in super::super) const ENV: u16 = 128;
    pub(in super::super) const ALL: u16 = 255;
    /// `request` and `response`, which are heads in checks of ports only: elsewhere a frame may be called so.
    pub(in super::super) const ANSWERED: u16 = 256;
}

const HEADS: &[(&str, u16)] = &[
    ("before", heads::BEFORE),
    ("input", heads::INPUT),
    ("outcome", heads::OUTCOME),
    ("answer", heads::ANSWER),
    ("reason", heads::REASON),
    ("call", heads::CALL),
    ("env", heads::ENV),
    ("request", heads::ANSWERED),
    ("response", heads::ANSWERED),
];

/// Calls by id, with the ports they are made on.
pub(super) type Calls = BTreeMap<String, std::collections::BTreeSet<PortId>>;

/// What names mean at some place.
#[derive(Clone, Copy)]
pub(super) struct Scope<'s> {
    /// Which heads there are.
    pub heads: u16,
    /// The one port whose fields `outcome` has; `None` = any.
    pub port: Option<PortId>,
    /// The calls that `call` knows.
    pub calls: Option<&'s Calls>,
    /// Inside `exists`, `every`, `count`: the type of `key` and of `value`.
    pub entry: Option<(Option<&'s Type>, &'s Type)>,
    /// The place, for messages: "in `requires`".
    pub whose: &'static str,
}

impl<'s> Scope<'s> {
    pub fn new(heads: u16, whose: &'static str) -> Self {
        Self { heads, port: None, calls: None, entry: None, whose }
    }

    pub fn with_port(self, port: Option<PortId>) -> Self {
        Self { port, ..self }
    }

    pub fn with_calls(self, calls: &'s Calls) -> Self {
        Self { calls: Some(calls), ..self }
    }
}

/// How far a path has come.
#[derive(Debug, Clone)]
pub(super) enum At {
    Before,
    Frame {
        frame: FrameId,
        before: bool,
    },
    Input,
    Outcome,
    Kept,
    Answer,
    Call,
    CallOf(String),
    Env,
    Request,
    Response,
    Value {
        place: Place,
        steps: Vec<Step>,
        ty: Type,
    },
    /// Each record of a list.
    Each {
        place: Place,
        steps: Vec<Step>,
        record: RecordId,
        max: u32,
    },
}

/// What went wrong; `None` = it has been reported already.
pub(super) type Fault = Option<Box<Diagnostic>>;

fn fault<T>(diagnostic: Diagnostic) -> Result<T, Fault> {
    Err(Some(Box::new(diagnostic)))
}

fn value(place: Place, ty: Type) -> Result<At, Fault> {
    if poisoned(&ty) { Err(None) } else { Ok(At::Value { place, steps: Vec::new(), ty }) }
}

/// One piece of a path, with its place.
pub(super) struct Piece<'t> {
    pub text: &'t str,
    pub span: Span,
}

impl Cx<'_> {
    pub fn report(&self, fault: Fault) {
        if let Some(diagnostic) = fault {
            self.out.push(*diagnostic);
        }
    }

    /// The first piece of a path. `left`: it is the left side of a test.
    pub fn head(&self, piece: &Piece<'_>, scope: &Scope<'_>, left: bool) -> Result<At, Fault> {
        if let Some((key, of)) = scope.entry {
            match (piece.text, key) {
                ("key", Some(key)) => return value(Place::EntryKey, key.clone()),
                ("value", _) => return value(Place::EntryValue, of.clone()),
                _ if left => {
                    let message = format!("{} cannot be tested on the entries of a collection", quoted(piece.text));
                    let help = if key.is_some() { "begin with `key` or `value`" } else { "begin with `value`" };
                    return fault(Diagnostic::error(Code::UnknownName, piece.span, message).help(help));
                }
                _ => {}
            }
        }
        let is_one = |bit: u16| bit != heads::ANSWERED || scope.heads & bit != 0;
        if let Some((_, bit)) = HEADS.iter().find(|(head, bit)| *head == piece.text && is_one(*bit)) {
            if scope.heads & bit == 0 {
                let message = format!("`{}` cannot be used {}", piece.text, scope.whose);
                let found = Diagnostic::error(Code::OutOfPlace, piece.span, message);
                return fault(found.help(instead(piece.text, scope)));
            }
            return match *bit {
                heads::BEFORE => Ok(At::Before),
                heads::INPUT => Ok(At::Input),
                heads::OUTCOME => Ok(At::Outcome),
                heads::ANSWER => Ok(At::Answer),
                heads::REASON => value(Place::Reason, Type::Enum(self.words.reasons)),
                heads::CALL => Ok(At::Call),
                heads::ANSWERED if piece.text == "request" => Ok(At::Request),
                heads::ANSWERED => Ok(At::Response),
                _ => Ok(At::Env),
            };
        }
        if let Some(at) = self.frame_names.get(piece.text) {
            if scope.heads & heads::FRAMES == 0 {
                let message = format!("a frame cannot be used {}", scope.whose);
                return fault(Diagnostic::error(Code::OutOfPlace, piece.span, message).help(instead("", scope)));
            }
            return Ok(At::Frame { frame: FrameId(*at), before: false });
        }
        let known = HEADS.iter().filter(|(_, bit)| scope.heads & bit != 0).map(|(head, _)| *head);
        let frames = self.frame_names.keys().map(String::as_str).filter(|_| scope.heads & heads::FRAMES != 0);
        fault(unknown("frame", piece.text, piece.span, frames.chain(known)))
    }

    /// One piece further.
    pub fn step(&self, at: At, piece: &Piece<'_>, scope: &Scope<'_>) -> Result<At, Fault> {
        let (text, span) = (piece.text, piece.span);
        match at {
            At::Each { place, steps, record, max } => self.each(piece, place, steps, record, max),
            At::Before => match self.frame_names.get(text) {
                Some(frame) => Ok(At::Frame { frame: FrameId(*frame), before: true }),
                None => fault(unknown("frame", text, span, self.frame_names.keys().map(String::as_str))),
            },
            At::Frame { frame, before } => match self.slot_of(frame, text) {
                Some(slot) => {
                    let place = if before { Place::Before(slot) } else { Place::Field(slot) };
                    value(place, self.slots[slot.index()].ty.clone())
                }
                None => fault(self.no_field(frame, text, span)),
            },
            At::Input => match self.input_names.get(text) {
                Some(at) => value(Place::Input(InputId(*at)), self.input_type(InputId(*at)).clone()),
                None => fault(unknown("input", text, span, self.input_names.keys().map(String::as_str))),
            },
            At::Outcome => self.outcome(text, span, scope),
            At::Kept => match self.kept_names.get(text) {
                Some(at) => value(Place::Kept(KeptId(*at)), self.kept_type(KeptId(*at)).clone()),
                None => {
                    let found = unknown("kept value", text, span, self.kept_names.keys().map(String::as_str));
                    fault(found.help_opt(
                        self.kept_names.is_empty().then(|| format!("write `keep = {{ {text} = … }}` with the call")),
                    ))
                }
            },
            At::Answer => match text {
                "mode" => value(Place::AnswerMode, Type::Enum(self.words.modes)),
                "claims" => value(Place::AnswerClaims, Type::Enum(self.words.claims)),
                _ => fault(unknown("answer value", text, span, ["mode", "claims"])),
            },
            At::Call => {
                if text == "port" {
                    let of = Box::new(Type::Enum(self.words.ports));
                    return value(Place::CallPorts, Type::Set { of, max: u32::from(u16::MAX) });
                }
                let calls = scope.calls.unwrap_or(&self.calls);
                if calls.contains_key(text) {
                    return Ok(At::CallOf(text.to_owned()));
                }
                fault(unknown("call", text, span, calls.keys().map(String::as_str).chain(["port"])))
            }
            At::CallOf(call) => self.call_arg(&call, text, span, scope),
            At::Env => match text {
                "today" => value(Place::EnvToday, Type::Period),
                "now" => value(Place::EnvNow, Type::Instant),
                "turn_id" => value(Place::EnvTurn, Type::Id),
                "session_id" => value(Place::EnvSession, Type::Id),
                _ => fault(unknown("env value", text, span, ["today", "now", "turn_id", "session_id"])),
            },
            At::Request => self.request(text, span, scope),
            At::Response => self.response(text, span, scope),
            At::Value { place, steps, ty } => self.beyond(place, steps, ty, piece, scope),
        }
    }

    /// An argument of the call whose answer is checked.
    fn request(&self, text: &str, span: Span, scope: &Scope<'_>) -> Result<At, Fault> {
        let Some(port) = scope.port else { return Err(None) };
        let request = &self.ports[port.index()].request;
        let names: Vec<String> = request.iter().map(|arg| self.text_of(arg.name)).collect();
        match names.iter().position(|name| name == text) {
            Some(at) => value(Place::Request(port, request[at].name), request[at].ty.clone()),
            None => {
                let owner = format!("the request of port `{}`", self.text_of(self.ports[port.index()].name));
                fault(lacks(&owner, "argument", text, span, names.iter().map(String::as_str)))
            }
        }
    }

    /// A field of the answer that is checked.
    fn response(&self, text: &str, span: Span, scope: &Scope<'_>) -> Result<At, Fault> {
        let Some(port) = scope.port else { return Err(None) };
        let fields = self.ports[port.index()].response.iter().map(|(id, _)| *id);
        let named: Vec<(String, OutcomeId)> =
            fields.map(|id| (self.text_of(self.outcomes[id.index()].name), id)).collect();
        match named.iter().find(|(name, _)| name == text) {
            Some((_, id)) => value(Place::Outcome(*id), self.outcome_type(*id).clone()),
            None => {
                let owner = format!("the answer of port `{}`", self.text_of(self.ports[port.index()].name));
                fault(lacks(&owner, "field", text, span, named.iter().map(|(name, _)| name.as_str())))
            }
        }
    }

    /// The finding that a frame has no such field.
    pub fn no_field(&self, frame: FrameId, name: &str, span: Span) -> Diagnostic {
        let of = self.text_of(self.frames[frame.index()].name);
        let fields = self.field_names(frame);
        lacks(&format!("frame `{of}`"), "field", name, span, fields.iter().map(String::as_str))
            .also(self.frames[frame.index()].span, "the frame")
    }

    fn outcome(&self, text: &str, span: Span, scope: &Scope<'_>) -> Result<At, Fault> {
        match text {
            "status" => return value(Place::OutcomeStatus, Type::Enum(self.words.status)),
            "call" => return value(Place::OutcomeCall, Type::Enum(self.words.calls)),
            "port" => return value(Place::OutcomePort, Type::Enum(self.words.ports)),
            "error" => return value(Place::OutcomeError, Type::Text),
            "breach" => return value(Place::OutcomeBreach, Type::Enum(self.words.breaches)),
            "kept" => return Ok(At::Kept),
            _ => {}
        }
        let of_port: Option<Vec<OutcomeId>> =
            scope.port.map(|port| self.ports[port.index()].response.iter().map(|(id, _)| *id).collect());
        let at = self.outcome_names.get(text).map(|at| OutcomeId(*at));
        if let Some(id) = at.filter(|id| of_port.as_ref().is_none_or(|of| of.contains(id))) {
            return value(Place::Outcome(id), self.outcome_type(id).clone());
        }
        let reserved = ["status", "call", "port", "error", "breach", "kept"];
        let known =
            self.outcome_names.iter().filter(|(_, at)| of_port.as_ref().is_none_or(|of| of.contains(&OutcomeId(**at))));
        let names = known.map(|(name, _)| name.as_str()).chain(reserved);
        let owner = match scope.port {
            Some(port) => format!("the answer of port `{}`", self.text_of(self.ports[port.index()].name)),
            None => "no answer of a port".to_owned(),
        };
        let found = lacks(&owner, "field", text, span, names);
        let message = found.message.replace("no answer of a port has no field", "no answer of a port has a field");
        fault(Diagnostic { message, ..found })
    }

    fn call_arg(&self, call: &str, text: &str, span: Span, scope: &Scope<'_>) -> Result<At, Fault> {
        let id = self.intern(call);
        if text == "port" {
            return value(Place::CallPort(id), Type::Enum(self.words.ports));
        }
        let calls = scope.calls.unwrap_or(&self.calls);
        if calls.get(call).is_some_and(|ports| ports.is_empty()) {
            return Err(None); // the port of the call is unknown, and that has been said
        }
        let mut found: Option<Type> = None;
        let mut names = Vec::new();
        for port in calls.get(call).into_iter().flatten() {
            for arg in &self.ports[port.index()].request {
                let name = self.text_of(arg.name);
                if name != text {
                    names.push(name);
                } else if let Some(first) = found.as_ref().filter(|first| **first != arg.ty) {
                    if poisoned(first) || poisoned(&arg.ty) {
                        return Err(None);
                    }
                    let message = format!("{} is of different types in the calls `{call}`", quoted(text));
                    let diagnostic = Diagnostic::error(Code::WrongType, span, message).also(arg.span, "one of them");
                    return fault(diagnostic.help("give the calls different ids"));
                } else {
                    found = Some(arg.ty.clone());
                }
            }
        }
        names.push("port".to_owned());
        match found {
            Some(ty) => value(Place::CallArg(id, self.intern(text)), ty),
            None => fault(lacks(&format!("call `{call}`"), "argument", text, span, names.iter().map(String::as_str))),
        }
    }

    fn beyond(
        &self,
        place: Place,
        mut steps: Vec<Step>,
        ty: Type,
        piece: &Piece<'_>,
        scope: &Scope<'_>,
    ) -> Result<At, Fault> {
        let (text, span) = (piece.text, piece.span);
        if let (Place::Input(input), true) = (place, steps.is_empty()) {
            let (special, into) = match text {
                "ambiguous" => (Place::Ambiguous(input), Type::Bool),
                "partial" => (Place::Partial(input), Type::Bool),
                "candidates" => {
                    let of = Box::new(ty.item().unwrap_or(&ty).clone());
                    (Place::Candidates(input), Type::List { of, max: u32::from(u16::MAX), evict: false, unique: None })
                }
                _ => (place, POISON),
            };
            if !poisoned(&into) && self.inputs[input.index()].kind == InputKind::Signal {
                return value(special, into);
            }
        }
        let step = |mut steps: Vec<Step>, step: Step, ty: Type| {
            steps.push(step);
            if poisoned(&ty) { Err(None) } else { Ok(At::Value { place, steps, ty }) }
        };
        match &ty {
            Type::Key(id) => {
                let table = &self.tables[id.index()];
                let sym = self.names.borrow().get(text);
                if text == "id" {
                    let id = self.intern("id");
                    return step(steps, Step::Column(id), ty);
                }
                if let Some(column) = sym.and_then(|sym| table.column(sym)) {
                    let column = &table.columns[column];
                    return step(steps, Step::Column(column.name), column.ty.clone());
                }
                let columns: Vec<String> = table.columns.iter().map(|column| self.text_of(column.name)).collect();
                let owner = format!("table `{}`", self.text_of(table.name));
                fault(lacks(&owner, "column", text, span, columns.iter().map(String::as_str).chain(["id"])))
            }
            Type::Record(id) => {
                let record = &self.records[id.index()];
                let names: Vec<String> = record.fields.iter().map(|field| self.text_of(field.name)).collect();
                match names.iter().position(|name| name == text) {
                    Some(at) => step(steps, Step::Field(record.fields[at].name), record.fields[at].ty.clone()),
                    None => {
                        let owner = format!("record `{}`", self.text_of(record.name));
                        fault(lacks(&owner, "field", text, span, names.iter().map(String::as_str)))
                    }
                }
            }
            Type::List { of, max, .. } if text == "*" && matches!(**of, Type::Record(_)) => match **of {
                Type::Record(record) => Ok(At::Each { place, steps, record, max: *max }),
                _ => Err(None),
            },
            Type::Map { key, of, max } => {
                if text == "keys" {
                    return step(steps, Step::Keys, Type::Set { of: key.clone(), max: *max });
                }
                let inner = text.strip_prefix("[$").and_then(|text| text.strip_suffix(']'));
                // Keys within keys are resolved by recursion, so their depth is bounded.
                let inner = inner.filter(|inner| inner.matches('[').count() < 4);
                let Some(inner) = inner else {
                    let found =
                        Diagnostic::error(Code::BadPath, span, format!("{} does not lead into a map", quoted(text)));
                    return fault(found.help("a value under a key is `\"[$path]\"`; the keys are `keys`"));
                };
                let (path, found) = self.resolve(&pieces(inner, &|_, _| span), scope, span)?;
                if !self.comparable(&found, key) {
                    let message = format!("the keys of this map are {}, not {}", self.shown(key), self.shown(&found));
                    let help = "look it up under a path of that type";
                    return fault(Diagnostic::error(Code::WrongType, span, message).help(help));
                }
                steps.push(Step::Lookup(Box::new(path)));
                Ok(At::Value { place, steps, ty: (**of).clone() })
            }
            _ => {
                let message = format!("nothing leads on from {} to {}", self.shown(&ty), quoted(text));
                let help = match (place, steps.is_empty(), text) {
                    (Place::Input(_), true, "ambiguous" | "candidates" | "partial") => {
                        "only a signal of the lexicon or the host can be ambiguous or partial"
                    }
                    (_, _, "*") => "`*` stands for each record of a list",
                    _ if ty.item().is_some_and(|of| matches!(of, Type::Record(_))) => {
                        "`*` leads to a field of each record: `….*.field`"
                    }
                    _ => "only table keys, records and maps can be looked into",
                };
                fault(Diagnostic::error(Code::UnknownName, span, message).help(help))
            }
        }
    }

    /// From each record of a list to a field of it: the set of what it is in them.
    fn each(&self, piece: &Piece<'_>, place: Place, mut steps: Vec<Step>, id: RecordId, max: u32) -> Result<At, Fault> {
        let record = &self.records[id.index()];
        let names: Vec<String> = record.fields.iter().map(|field| self.text_of(field.name)).collect();
        let Some(field) = names.iter().position(|name| name == piece.text).map(|at| &record.fields[at]) else {
            let owner = format!("record `{}`", self.text_of(record.name));
            return fault(lacks(&owner, "field", piece.text, piece.span, names.iter().map(String::as_str)));
        };
        if poisoned(&field.ty) {
            return Err(None);
        }
        if !scalar(&field.ty) {
            let message = format!("{} is {}: there is no set of such", quoted(piece.text), self.shown(&field.ty));
            let found = Diagnostic::error(Code::WrongType, piece.span, message).also(field.span, "declared here");
            return fault(found.help("name a field with a plain value"));
        }
        steps.push(Step::Each(field.name));
        Ok(At::Value { place, steps, ty: Type::Set { of: Box::new(field.ty.clone()), max } })
    }

    /// All pieces of a path. `span` is the whole of it.
    pub fn resolve(&self, pieces: &[Piece<'_>], scope: &Scope<'_>, span: Span) -> Result<(Path, Type), Fault> {
        let Some((first, rest)) = pieces.split_first() else {
            return fault(Diagnostic::error(Code::BadPath, span, "an empty path").help("write `frame.field`"));
        };
        let mut at = self.head(first, scope, false)?;
        for piece in rest {
            at = self.step(at, piece, scope)?;
        }
        self.finish(at, span)
    }

    /// A path that has come to an end.
    pub fn finish(&self, at: At, span: Span) -> Result<(Path, Type), Fault> {
        let (what, help) = match at {
            At::Value { place, steps, ty } => return Ok((Path { place, steps, span }, ty)),
            At::Frame { frame, .. } => {
                let name = self.text_of(self.frames[frame.index()].name);
                (format!("`{name}` is a frame, not a value"), format!("name a field: `{name}.…`"))
            }
            At::Each { .. } => {
                ("each record of a list is no value".to_owned(), "name a field of them: `….*.field`".to_owned())
            }
            At::Before => ("`before` is not a value".to_owned(), "write `before.frame.field`".to_owned()),
            At::CallOf(call) => {
                (format!("`call.{call}` is not a value"), format!("write `call.{call}.port`, or an argument"))
            }
            At::Input => ("`input` is not a value".to_owned(), "write `input.name`".to_owned()),
            At::Outcome => ("`outcome` is not a value".to_owned(), "write `outcome.name`".to_owned()),
            At::Kept => ("`outcome.kept` is not a value".to_owned(), "write `outcome.kept.name`".to_owned()),
            At::Answer => ("`answer` is not a value".to_owned(), "write `answer.mode` or `answer.claims`".to_owned()),
            At::Call => ("`call` is not a value".to_owned(), "write `call.port`".to_owned()),
            At::Env => ("`env` is not a value".to_owned(), "write `env.today`".to_owned()),
            At::Request => ("`request` is not a value".to_owned(), "write `request.name`".to_owned()),
            At::Response => ("`response` is not a value".to_owned(), "write `response.name`".to_owned()),
        };
        fault(Diagnostic::error(Code::BadPath, span, what).help(help))
    }

    /// A path in a text node; `from` is where it begins in the text.
    pub fn path_in(&self, node: &Node, path: &str, from: usize, scope: &Scope<'_>) -> Result<(Path, Type), Fault> {
        let span = |start: usize, end: usize| self.inside(node, from + start, from + end);
        self.resolve(&pieces(path, &span), scope, node.span)
    }

    /// A place that takes a bare path; a `$` in front is an error.
    pub fn bare<'n>(&self, node: &'n Node) -> Option<&'n str> {
        let text = self.word(node)?;
        if text.starts_with('$') {
            let message = format!("{} is a path already", quoted(text));
            self.error_help(
                Code::BadPath,
                node.span,
                message,
                format!("leave the `$` out: \"{}\"", text.trim_start_matches('$')),
            );
            return None;
        }
        Some(text)
    }

    /// A bare path to a whole frame or to a field.
    pub fn frame_or_slot(&self, node: &Node) -> Option<Written> {
        let text = self.bare(node)?;
        let (frame, field) = text.split_once('.').map_or((text, None), |(frame, field)| (frame, Some(field)));
        let at = self.find("frame", frame, self.inside(node, 0, frame.len()), &self.frame_names)?;
        let Some(field) = field else { return Some(Written::Frame(FrameId(at))) };
        match self.slot_of(FrameId(at), field) {
            Some(slot) => Some(Written::Slot(slot)),
            None => {
                let span = self.inside(node, frame.len() + 1, text.len());
                self.out.push(self.no_field(FrameId(at), field, span));
                None
            }
        }
    }

    /// A bare path to a field, where a whole frame will not do.
    pub fn slot(&self, node: &Node) -> Option<Slot> {
        match self.frame_or_slot(node)? {
            Written::Slot(slot) => Some(slot),
            Written::Frame(_) => {
                self.error_help(
                    Code::BadPath,
                    node.span,
                    format!("{} is a frame", node.describe()),
                    "name one of its fields",
                );
                None
            }
        }
    }
}

/// A frame or a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    Frame(FrameId),
    Slot(Slot),
}

fn instead(head: &str, scope: &Scope<'_>) -> String {
    let help = match head {
        "input" if scope.heads & heads::OUTCOME != 0 => {
            "what an outcome needs of the input travels with the call: `keep = { name = \"$input.…\" }`, then `outcome.kept.name`"
        }
        "input" if scope.whose.contains("`requires`") => "what the input must be stands in `entry`",
        "outcome" => "outcomes are there in `settle` and in classes with an outcome trigger",
        "reason" => "a reason is there in the boundary class",
        _ => {
            let there = HEADS.iter().filter(|(_, bit)| scope.heads & bit != 0).map(|(head, _)| *head);
            let frames = Some("frames").filter(|_| scope.heads & heads::FRAMES != 0);
            let there: Vec<&str> = frames.into_iter().chain(there).collect();
            return format!("here one can speak of {}", there.join(", "));
        }
    };
    help.to_owned()
}

/// The pieces between dots; a `[…]` holds dots of its own and may follow a piece directly.
pub(super) fn pieces<'t>(path: &'t str, span: &dyn Fn(usize, usize) -> Span) -> Vec<Piece<'t>> {
    let mut pieces = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    let mut cut = |from: usize, to: usize| pieces.push(Piece { text: &path[from..to], span: span(from, to) });
    for (at, c) in path.char_indices() {
        match c {
            '[' => {
                if depth == 0 && at > start {
                    cut(start, at);
                    start = at;
                }
                depth += 1;
            }
            ']' => depth = depth.saturating_sub(1),
            '.' if depth == 0 => {
                cut(start, at);
                start = at + 1;
            }
            _ => {}
        }
    }
    cut(start, path.len());
    pieces
}

/// The text of a node, if it is one.
pub(super) fn text_of(node: &Node) -> Option<&str> {
    match &node.kind {
        Kind::Text(text) => Some(text),
        _ => None,
    }
}
