//! Effects: `do` lists with one verb an item, and blocks written out in their place.

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::{Code, Diagnostic, listed, quoted, suggest};
use crate::language::EFFECT;
use crate::model::cond::Cond;
use crate::model::effect::{Call, Effect, Expr, Verb};
use crate::model::ids::{FrameId, KeptId, MessageId, PortId, Slot};
use crate::model::schema::{Frame, Type};
use crate::model::value::Value;
use crate::model::walk::may_be_left_out;
use crate::source::Span;
use crate::syntax::{Entry, Kind, Node, Table};

use super::conditions::{DEEPEST, MOST_INLINED, both};
use super::cx::{Cx, poisoned};
use super::paths::{Calls, Scope, Written, text_of};

/// The verbs: the keys that say what an effect does.
fn verbs() -> impl Iterator<Item = &'static str> {
    EFFECT.forms.iter().map(|form| form.key)
}

fn is_verb(key: &str) -> bool {
    verbs().any(|verb| verb == key)
}

/// What is done with a field: the verb's word, the value, the slot.
type Writer<'w, T> = &'w dyn Fn(&Node, Slot) -> Option<T>;

impl Cx<'_> {
    /// A list of effects.
    pub fn effects(&self, node: &Node, scope: &Scope<'_>) -> Vec<Effect> {
        let mut effects = Vec::new();
        self.effects_in(node, scope, &Cond::TRUE, &mut Vec::new(), &mut effects);
        effects
    }

    fn effects_in(&self, node: &Node, scope: &Scope<'_>, outer: &Cond, used: &mut Vec<String>, into: &mut Vec<Effect>) {
        for item in self.list(node, "effects").unwrap_or_default() {
            if let Some(table) = self.table(item, "an effect") {
                self.effect(item, table, scope, outer, used, into);
            }
        }
    }

    fn effect(
        &self,
        node: &Node,
        table: &Table,
        scope: &Scope<'_>,
        outer: &Cond,
        used: &mut Vec<String>,
        into: &mut Vec<Effect>,
    ) {
        let found: Vec<&Entry> = table.iter().filter(|entry| is_verb(&entry.key)).collect();
        // Beside a misspelt verb stand the keys that belong to it.
        let guess = || table.iter().find_map(|entry| suggest(&entry.key, verbs()));
        let meant = if found.is_empty() { guess() } else { None };
        let written = |verb: &str| match found.is_empty() {
            true => meant.is_none_or(|meant| meant == verb),
            false => found.iter().any(|entry| entry.key == verb),
        };
        let mut known = EFFECT.names_in(written);
        if found.is_empty() && meant.is_none() {
            known.retain(|key| *key == "when" || is_verb(key));
        }
        self.allow_only(table, EFFECT.what, &known);
        let verb = match found.as_slice() {
            [verb] => *verb,
            [] => {
                if table.iter().all(|entry| known.contains(&entry.key.as_str())) {
                    self.error_help(
                        Code::SaysNothing,
                        node.span,
                        "an effect that does nothing",
                        "write one of `set`, `clear`, `append`, `remove`, `increment`, `merge`, `open`, `close`, `emit`, `call`, `use`",
                    );
                }
                return;
            }
            [first, second, ..] => {
                let found = Diagnostic::error(Code::OneOfSeveral, second.key_span, "an effect has one verb");
                self.out.push(
                    found.also(first.key_span, "the first one").help("write a second item: effects are done in order"),
                );
                return;
            }
        };
        let when = match table.get("when") {
            Some(node) => both(outer, self.cond(node, scope)),
            None => outer.clone(),
        };
        if verb.key == "use" {
            self.block(&verb.value, scope, &when, used, into);
            return;
        }
        let span = if node.span.start == node.span.end { verb.key_span } else { node.span };
        for verb in self.verb(node, table, verb, scope) {
            into.push(Effect { when: when.clone(), verb, span });
        }
    }

    fn block(&self, node: &Node, scope: &Scope<'_>, when: &Cond, used: &mut Vec<String>, into: &mut Vec<Effect>) {
        let Some(name) = self.text(node) else { return };
        let Some(item) = self.blocks.get(name) else {
            return self.unknown("block", name, node.span, self.blocks.keys().copied());
        };
        if let Some(at) = used.iter().position(|known| known == name) {
            return self.ring("block", &used[at..], node.span);
        }
        let Kind::Table(table) = &item.node.kind else { return };
        let Some(list) = table.get("do") else { return };
        if !self.may_inline(used.len(), node.span) {
            return;
        }
        self.used.borrow_mut().insert(item.key);
        used.push(name.to_owned());
        self.effects_in(list, scope, when, used, into);
        used.pop();
    }

    fn verb(&self, node: &Node, table: &Table, entry: &Entry, scope: &Scope<'_>) -> Vec<Verb> {
        let value = &entry.value;
        let one = |verb: Option<Verb>| verb.into_iter().collect();
        match entry.key.as_str() {
            "set" => one(self
                .written(value, &|node, slot| self.expr(node, &self.slots[slot.index()].ty, scope))
                .map(Verb::Set)),
            "append" => one(self
                .written(value, &|node, slot| self.item_or_items(node, slot, scope, "append"))
                .map(Verb::Append)),
            "remove" => one(self
                .written(value, &|node, slot| self.item_or_items(node, slot, scope, "remove"))
                .map(Verb::Remove)),
            "increment" => one(self.written(value, &|node, slot| self.step_of(node, slot)).map(Verb::Increment)),
            "merge" => one(self.written(value, &|node, slot| self.merged(node, slot, scope)).map(Verb::Merge)),
            "clear" => self.cleared(value),
            "open" => one(self.opened(table, value, scope)),
            "close" => one(self.closed(table, value)),
            "emit" => one(self.emit(node, table, value, scope)),
            _ => one(self.call(node, table, value, scope)),
        }
    }

    /// `frame.field = value`, for one field or many.
    fn written<T>(&self, node: &Node, read: Writer<'_, T>) -> Option<Vec<(Slot, T)>> {
        let frames = self.table(node, "frames and their fields")?;
        let mut written = Vec::new();
        let mut good = true;
        for frame in frames {
            let Some(at) = self.find("frame", &frame.key, frame.key_span, &self.frame_names) else {
                good = false;
                continue;
            };
            let Some(fields) = self.table(&frame.value, "fields of a frame") else {
                good = false;
                continue;
            };
            for field in fields {
                let Some(slot) = self.slot_of(FrameId(at), &field.key) else {
                    self.out.push(self.no_field(FrameId(at), &field.key, field.key_span));
                    good = false;
                    continue;
                };
                if !self.writable(slot, field.key_span) {
                    good = false;
                    continue;
                }
                match read(&field.value, slot) {
                    Some(value) => written.push((slot, value)),
                    None => good = false,
                }
            }
        }
        if written.is_empty() && good {
            self.error_help(Code::SaysNothing, node.span, "no field is named", "write `frame.field = value`");
        }
        (good && !written.is_empty()).then_some(written)
    }

    /// Whether effects may write a field: not what the engine keeps of instances.
    fn writable(&self, slot: Slot, span: Span) -> bool {
        let field = &self.slots[slot.index()];
        let frame = &self.frames[field.frame.index()];
        let Some(keyed) = frame.keyed.as_ref().filter(|keyed| keyed.is_fact(slot)) else { return true };
        let message =
            format!("{} is a fact that the engine keeps: nothing writes it", quoted(&self.text_of(field.name)));
        let help = if slot == keyed.open() || slot == keyed.ended() {
            format!("write `close = \"{}\", as = \"…\"`", self.text_of(frame.name))
        } else {
            "leave it out".to_owned()
        };
        self.error_help(Code::OutOfPlace, span, message, help);
        false
    }

    /// A keyed frame by name.
    pub fn keyed_frame(&self, name: &str, span: Span) -> Option<FrameId> {
        let frame = FrameId(self.find("frame", name, span, &self.frame_names)?);
        if self.frames[frame.index()].keyed.is_none() {
            let message = format!("frame {} is not keyed: it has no instances", quoted(name));
            let found =
                Diagnostic::error(Code::BadValue, span, message).also(self.frames[frame.index()].span, "the frame");
            let known: Vec<&str> = self.keyed_names.iter().map(String::as_str).collect();
            self.out.push(match known.is_empty() {
                true => found.help("declare `keyed = { … }` in the frame"),
                false => found.help(format!("keyed frames are {}", listed(&known))),
            });
            return None;
        }
        Some(frame)
    }

    fn in_keyed(&self, slot: Slot) -> bool {
        self.frames[self.slots[slot.index()].frame.index()].keyed.is_some()
    }

    fn opened(&self, table: &Table, value: &Node, scope: &Scope<'_>) -> Option<Verb> {
        let frame = self.keyed_frame(self.text(value)?, value.span)?;
        let keyed = self.frames[frame.index()].keyed.clone()?;
        self.note_use("opened", &self.text_of(self.frames[frame.index()].name));
        let given = match table.get("with") {
            Some(node) => Some((node.span, self.table(node, "fields of the instance")?)),
            None => None,
        };
        let (mut with, mut good) = (Vec::new(), true);
        for entry in given.iter().flat_map(|(_, table)| table.iter()) {
            match self.slot_of(frame, &entry.key) {
                Some(slot) if !self.writable(slot, entry.key_span) => good = false,
                Some(slot) => {
                    let field = &self.slots[slot.index()];
                    let Some(expr) = self.expr(&entry.value, &field.ty, scope) else {
                        good = false;
                        continue;
                    };
                    if field.given && may_be_left_out(&expr) {
                        let message = format!("{} is mandatory, but this may leave it out", quoted(&entry.key));
                        let found = Diagnostic::error(Code::MissingArgument, entry.value.span, message)
                            .also(field.span, "declared here");
                        self.out.push(found.help("leave the `?` out, or declare the field `optional = true`"));
                        good = false;
                    }
                    with.push((slot, expr));
                }
                None => {
                    self.out.push(self.no_field(frame, &entry.key, entry.key_span));
                    good = false;
                }
            }
        }
        for slot in keyed.fields() {
            let field = &self.slots[slot.index()];
            let name = self.text_of(field.name);
            let there = given.iter().any(|(_, table)| table.entry(&name).is_some());
            if field.given && !there && !poisoned(&field.ty) {
                let message = format!("{} is mandatory, and the new instance is not given it", quoted(&name));
                let span = given.map_or(value.span, |(span, _)| span);
                let found = Diagnostic::error(Code::MissingArgument, span, message).also(field.span, "declared here");
                self.out.push(found.help(format!("add `with = {{ {name} = … }}`, or give the field a default")));
                good = false;
            }
        }
        with.sort_by_key(|(slot, _)| *slot);
        good.then_some(Verb::Open { frame, with })
    }

    fn closed(&self, table: &Table, value: &Node) -> Option<Verb> {
        let ended = self.need(table, value.span, "`close`", "as");
        let frame = self.keyed_frame(self.text(value)?, value.span)?;
        let Frame { keyed, name, .. } = &self.frames[frame.index()];
        match self.literal(ended?, &Type::Enum(keyed.as_ref()?.closed_as))? {
            Value::Sym(ended) => {
                self.note_use("closed", &self.text_of(*name));
                self.note_use("way to end", &format!("{} {}", self.text_of(*name), self.text_of(ended)));
                Some(Verb::Close { frame, ended })
            }
            _ => None,
        }
    }

    fn not_for(&self, node: &Node, verb: &str, slot: Slot, what: &str) {
        let field = &self.slots[slot.index()];
        let message =
            format!("`{verb}` is for {what}; {} is {}", quoted(&self.text_of(field.name)), self.shown(&field.ty));
        self.out.push(
            Diagnostic::error(Code::WrongType, node.span, message).also(field.span, "declared here").help("use `set`"),
        );
    }

    fn item_or_items(&self, node: &Node, slot: Slot, scope: &Scope<'_>, verb: &str) -> Option<Expr> {
        let ty = self.slots[slot.index()].ty.clone();
        if poisoned(&ty) {
            return None;
        }
        let (item, many) = match &ty {
            Type::List { of, .. } | Type::Set { of, .. } => (of, ty.clone()),
            Type::Map { key, max, .. } if verb == "remove" => (key, Type::Set { of: key.clone(), max: *max }),
            _ => {
                let what = if verb == "remove" { "lists, sets and maps" } else { "lists and sets" };
                self.not_for(node, verb, slot, what);
                return None;
            }
        };
        // A whole list or set is meant when one is written, or when the path leads to one.
        let whole =
            matches!(node.kind, Kind::List(_)) || self.type_of(node, scope).is_some_and(|ty| ty.is_collection());
        self.expr(node, if whole { &many } else { item }, scope)
    }

    fn step_of(&self, node: &Node, slot: Slot) -> Option<i64> {
        let ty = &self.slots[slot.index()].ty;
        if *ty != Type::Int {
            if !poisoned(ty) {
                self.not_for(node, "increment", slot, "whole numbers");
            }
            return None;
        }
        self.whole_number(node)
    }

    fn merged(&self, node: &Node, slot: Slot, scope: &Scope<'_>) -> Option<Expr> {
        let ty = self.slots[slot.index()].ty.clone();
        match (&ty, &node.kind) {
            (Type::Record(_), Kind::Table(table)) if table.get("first").is_none() => {
                self.record_expr(node, table, &ty, scope, true)
            }
            (Type::Map { .. } | Type::Record(_), _) => self.expr(node, &ty, scope),
            _ => {
                if !poisoned(&ty) {
                    self.not_for(node, "merge", slot, "maps and records");
                }
                None
            }
        }
    }

    fn cleared(&self, node: &Node) -> Vec<Verb> {
        let (mut frames, mut slots) = (Vec::new(), Vec::new());
        let items = self.list(node, "frames and fields").unwrap_or_default();
        for item in items.iter() {
            match self.frame_or_slot(item) {
                Some(Written::Frame(frame)) if self.frames[frame.index()].keyed.is_some() => {
                    let message = format!("{} is a keyed frame, which is not cleared", item.describe());
                    let help = "close its instance: `close = \"…\", as = \"…\"`; or name the fields to clear";
                    self.error_help(Code::BadValue, item.span, message, help);
                }
                Some(Written::Frame(frame)) => frames.push(frame),
                Some(Written::Slot(slot)) if !self.writable(slot, item.span) => {}
                Some(Written::Slot(slot)) if self.slots[slot.index()].given && self.in_keyed(slot) => {
                    let message = format!("{} is mandatory: every instance has a value of it", item.describe());
                    self.error_help(Code::BadValue, item.span, message, "set it, or declare it `optional = true`");
                }
                Some(Written::Slot(slot)) => slots.push(slot),
                None => {}
            }
        }
        if let Kind::List(items) = &node.kind
            && items.is_empty()
        {
            self.error_help(Code::SaysNothing, node.span, "nothing is cleared", "name a frame or a field");
        }
        let mut verbs = Vec::new();
        if !frames.is_empty() {
            verbs.push(Verb::ClearFrame(frames));
        }
        if !slots.is_empty() {
            verbs.push(Verb::ClearField(slots));
        }
        verbs
    }

    fn emit(&self, node: &Node, table: &Table, value: &Node, scope: &Scope<'_>) -> Option<Verb> {
        let name = self.text(value)?;
        let at = self.find("message", name, value.span, &self.message_names)?;
        let fields = self.messages[usize::from(at)].fields.clone();
        let with = self.arguments(node, table, value, &fields, scope)?;
        Some(Verb::Emit { message: MessageId(at), with })
    }

    fn arguments(
        &self,
        node: &Node,
        table: &Table,
        value: &Node,
        fields: &[crate::model::schema::NamedType],
        scope: &Scope<'_>,
    ) -> Option<Vec<(crate::model::names::Sym, Expr)>> {
        match table.get("with") {
            Some(with) => self.given(with, self.table(with, "arguments")?, fields, scope, false),
            None => {
                let _ = node;
                self.given(value, &Table::default(), fields, scope, false)
            }
        }
    }

    fn call(&self, node: &Node, table: &Table, value: &Node, scope: &Scope<'_>) -> Option<Verb> {
        let name = self.text(value)?;
        let id = self.need(table, value.span, "a call", "id").and_then(|node| self.word(node));
        let port = self.find("port", name, value.span, &self.port_names);
        let keep = match table.get("keep") {
            Some(keep) => self.keep(keep, scope),
            None => Some(Vec::new()),
        };
        let port = PortId(port?);
        let fields = self.ports[port.index()].request.clone();
        let with = self.arguments(node, table, value, &fields, scope);
        if let Some(keep) = table.entry("keep").filter(|_| !self.ports[port.index()].replies) {
            let message = format!("port `{name}` sends no reply, so nothing can be kept for it");
            self.error_help(Code::NoReply, keep.key_span, message, "leave `keep` out");
        }
        Some(Verb::Call(Call { id: self.intern(id?), port, with: with?, keep: keep? }))
    }

    fn keep(&self, node: &Node, scope: &Scope<'_>) -> Option<Vec<(KeptId, Expr)>> {
        let table = self.table(node, "what the call keeps")?;
        let mut kept = Vec::new();
        let mut good = true;
        for entry in table {
            let Some(at) = self.kept_names.get(entry.key.as_str()) else {
                good = false;
                continue;
            };
            match self.expr(&entry.value, self.kept_type(KeptId(*at)), scope) {
                Some(expr) => kept.push((KeptId(*at), expr)),
                None => good = false,
            }
        }
        good.then_some(kept)
    }
}

/// A call as it is written, before anything is resolved.
#[derive(Debug, Clone, Copy)]
pub(super) struct WrittenCall<'n> {
    pub id: &'n str,
    pub id_span: Span,
    pub port: &'n str,
    pub keep: Option<&'n Node>,
}

impl<'a> Cx<'a> {
    /// The calls of a list of effects, those of blocks included, in order.
    pub fn written_calls<'n>(&self, node: Option<&'n Node>) -> Vec<WrittenCall<'n>>
    where
        'a: 'n,
    {
        let (mut calls, mut room) = (Vec::new(), MOST_INLINED);
        self.calls_in(node, &mut Vec::new(), &mut room, &mut calls);
        calls
    }

    fn calls_in<'n>(
        &self,
        node: Option<&'n Node>,
        used: &mut Vec<&'n str>,
        room: &mut usize,
        into: &mut Vec<WrittenCall<'n>>,
    ) where
        'a: 'n,
    {
        let Some(Node { kind: Kind::List(items), .. }) = node else { return };
        for item in items.iter() {
            let Kind::Table(table) = &item.kind else { continue };
            // A call whose verb is misspelt is still a call: `settle` may speak of it.
            let verb = |key: &str| table.get(key).is_some();
            let port = match table.get("call") {
                Some(port) => text_of(port),
                None => Some("").filter(|_| verb("id") && !verbs().any(verb)),
            };
            if let Some(port) = port {
                let misspelt = |entry: &&Entry| !EFFECT.has(&entry.key) && suggest(&entry.key, ["id"]).is_some();
                let meant = || table.iter().find(misspelt).map(|entry| &entry.value);
                if let Some(id) = table.get("id").or_else(meant)
                    && let Some(text) = text_of(id)
                {
                    into.push(WrittenCall { id: text, id_span: id.span, port, keep: table.get("keep") });
                }
            } else if let Some(name) = table.get("use").and_then(text_of)
                && !used.contains(&name)
                && used.len() < DEEPEST
                && *room > 0
                && let Some(block) = self.blocks.get(name)
                && let Kind::Table(table) = &block.node.kind
            {
                *room -= 1;
                used.push(name);
                self.calls_in(table.get("do"), used, room, into);
                used.pop();
            }
        }
    }

    /// Whether a list of effects uses a block that is not there or holds no list: which calls it makes is not known.
    pub fn uses_lost_blocks(&self, node: Option<&Node>) -> bool {
        let (mut seen, mut due) = (BTreeSet::new(), vec![node]);
        while let Some(node) = due.pop() {
            let Some(Node { kind: Kind::List(items), .. }) = node else { return true };
            for name in items.iter().filter_map(|item| match &item.kind {
                Kind::Table(table) => table.get("use").and_then(text_of),
                _ => None,
            }) {
                if !seen.insert(name) {
                    continue;
                }
                match self.blocks.get(name).map(|block| &block.node.kind) {
                    Some(Kind::Table(table)) => due.push(table.get("do")),
                    _ => return true,
                }
            }
        }
        false
    }

    /// Calls by id, from written ones; ports that nobody declares are left out.
    pub fn calls_by_id(&self, written: &[WrittenCall<'_>]) -> Calls {
        let mut calls: Calls = BTreeMap::new();
        for call in written {
            let ports: &mut BTreeSet<PortId> = calls.entry(call.id.to_owned()).or_default();
            ports.extend(self.port_names.get(call.port).map(|at| PortId(*at)));
        }
        calls
    }
}
