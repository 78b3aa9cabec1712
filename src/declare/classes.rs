//! Transition classes: every part is there, or the part that is missing is named.

use std::collections::BTreeMap;

use crate::diag::{Code, Diagnostic, listed, quoted, suggest};
use crate::language;
use crate::model::InputKind;
use crate::model::class::{Answer, Class, On, Settle, Trigger};
use crate::model::cond::{Cond, Path, Place};
use crate::model::effect::Expr;
use crate::model::ids::{FrameId, FrameSet, InputId, ModeId, PortId};
use crate::model::schema::Type;
use crate::model::walk::expr_paths;
use crate::source::Span;
use crate::syntax::{Entry, Field, Kind, Node, Table};

use super::cx::{Cx, poisoned};
use super::paths::{Calls, Scope, heads, text_of};
use super::triggers::{self, Around, guard_heads, items};
use super::words::Words;

/// How each mandatory part is called, and how it is written when there is nothing to say.
const MANDATORY: &[(&str, &str, &str)] = &[
    ("name", "name", "`name = \"…\"`"),
    ("title", "title", "`title = \"…\"`"),
    ("owner", "state owner", "`owner = \"…\"`, one of the manifest's owners"),
    ("doc", "doc", "`doc = \"…\"`: what the class is for"),
    ("trigger", "trigger", "`[[trigger]]` with an `event`"),
    ("requires", "required prior state", "`[requires]`, or `requires = {}` for none"),
    ("entry", "entry condition", "`[entry]`, or `entry = {}` for none"),
    ("do", "state mutations", "`[[do]]`, or `do = []` for none"),
    ("answer", "expected answer mode", "`[answer]` with `mode = \"…\"`"),
    ("never", "must not", "`[[never]]`, or `never = []` for none"),
];

pub(super) fn missing(cx: &Cx<'_>, span: Span, id: &str, part: &str, how: &str) {
    cx.error_help(
        Code::MissingPart,
        span,
        format!("class {} lacks its *{part}*", quoted(id)),
        format!("a transition class must declare its *{part}*: write {how}"),
    );
}

/// What is known of a class before its parts are resolved.
pub(super) struct Outline<'n> {
    pub id: &'n str,
    pub id_span: Span,
    pub table: &'n Table,
    pub boundary: bool,
    /// Whether another class has one as well: which of them is meant is not known.
    pub disputed: bool,
    /// What sets it off is not known: an event is missing or misspelt.
    pub open: bool,
    /// No class is the boundary, and this one gives reasons, as only the boundary does.
    pub reasons: bool,
    pub calls: Calls,
    pub groups: Vec<String>,
}

/// Reports keys that a class does not have, and puts what is misspelt right, so that it is read as what it was meant to be.
pub(super) fn set_right(cx: &Cx<'_>, classes: &mut [Node]) {
    for class in classes {
        let Kind::Table(table) = &mut class.kind else { continue };
        cx.allow(table, &language::CLASS);
        if table.iter().all(|entry| language::CLASS.has(&entry.key)) {
            continue;
        }
        let mut entries: Vec<Entry> = table.iter().cloned().collect();
        for at in 0..entries.len() {
            if !language::CLASS.has(&entries[at].key)
                && let Some(near) = suggest(&entries[at].key, language::CLASS.names())
                && !entries.iter().any(|entry| entry.key == near)
            {
                entries[at].key = near.into();
            }
        }
        *table = Table::new(entries);
    }
}

/// Ids, groups and calls of all classes; each id once.
pub(super) fn outlines<'n, 'a: 'n>(cx: &Cx<'a>, classes: &'n [Node]) -> Vec<Outline<'n>> {
    let mut outlines = Vec::new();
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    for node in classes {
        let Kind::Table(table) = &node.kind else { continue };
        // Without an id it is a class all the same.
        let id = cx.need(table, node.span, "a transition class", "id");
        let (text, id_span) = match id.and_then(|id| Some((cx.word(id)?, id.span))) {
            Some(id) => id,
            None => {
                cx.unnamed.set(true);
                ("", node.span)
            }
        };
        if let Some(first) = seen.get(text).filter(|_| !text.is_empty()) {
            let mut found = super::merge::twice("class", text, id_span, *first);
            if *first == id_span {
                found = found.help("a class with `for_each` needs a different id for each row: `id = \"…_{d.id}\"`");
            }
            cx.out.push(found);
            continue;
        }
        if !text.is_empty() {
            seen.insert(text, id_span);
            cx.check_name("a class", text, id_span);
        }
        let boundary = items(node, "trigger").iter().any(|trigger| match &trigger.kind {
            Kind::Table(table) => table.get("event").and_then(text_of) == Some("boundary"),
            _ => false,
        });
        let open = opens(cx, node);
        let mut written = cx.written_calls(table.get("do"));
        for settle in items(node, "settle") {
            if let Kind::Table(settle) = &settle.kind {
                written.extend(cx.written_calls(settle.get("do")));
            }
        }
        let mut ids: BTreeMap<&str, Span> = BTreeMap::new();
        for call in &written {
            match ids.get(call.id) {
                Some(first) => {
                    let found = super::merge::twice("call", call.id, call.id_span, *first);
                    let found = if *first == call.id_span {
                        found.help("a block that makes a call is used once in a class")
                    } else {
                        found.help("each call of a class has an id of its own")
                    };
                    cx.out.push(found);
                }
                None => {
                    ids.insert(call.id, call.id_span);
                    cx.check_name("a call", call.id, call.id_span);
                }
            }
        }
        let groups = items(node, "group").iter().filter_map(text_of).map(str::to_owned).collect();
        let calls = cx.calls_by_id(&written);
        let reasons = gives_reasons(node);
        let outline = Outline { id: text, id_span, table, boundary, disputed: false, open, reasons, calls, groups };
        outlines.push(outline);
    }
    // Where no class is the boundary one that gives reasons was meant to be.
    if !outlines.iter().any(|outline| outline.boundary || outline.open) {
        outlines.iter_mut().for_each(|outline| outline.open = outline.reasons);
    } else {
        outlines.iter_mut().for_each(|outline| outline.reasons = false);
    }
    let disputed = outlines.iter().filter(|outline| outline.boundary).count() > 1;
    outlines.iter_mut().for_each(|outline| outline.disputed = disputed && outline.boundary);
    outlines
}

/// Whether a class gives or reads reasons, as only the boundary may.
fn gives_reasons(class: &Node) -> bool {
    fn reads(node: &Node) -> bool {
        match &node.kind {
            Kind::Text(text) => text.strip_suffix('?').unwrap_or(text) == "$reason",
            Kind::List(items) => items.iter().any(reads),
            Kind::Table(table) => table.iter().any(|entry| reads(&entry.value)),
            _ => false,
        }
    }
    let gives = |trigger: &Node| matches!(&trigger.kind, Kind::Table(table) if table.get("reason").is_some());
    items(class, "trigger").iter().any(gives) || reads(class)
}

/// Whether some trigger of a class is on something that nobody declares.
fn opens(cx: &Cx<'_>, class: &Node) -> bool {
    let triggers = items(class, "trigger");
    let known = |node: &Node| {
        let Kind::Table(table) = &node.kind else { return false };
        let Some(event) = table.get("event").and_then(text_of) else { return false };
        let port = event.rsplit_once('.').map_or("", |(port, _)| port);
        matches!(event, "boundary" | "outcome")
            || cx.event_names.contains_key(event)
            || cx.port_names.contains_key(port)
    };
    triggers.is_empty() || !triggers.iter().all(known)
}

/// The heads a class's own effects may use, by what sets it off.
fn effect_heads(triggers: &[On], boundary: bool) -> u16 {
    let mut bits = heads::FRAMES | heads::BEFORE | heads::ENV;
    for on in triggers {
        match on {
            On::Event(_) => bits |= heads::INPUT,
            On::Outcome { .. } => bits |= heads::OUTCOME,
            On::Boundary => bits |= heads::INPUT | heads::OUTCOME,
        }
    }
    if boundary {
        bits |= heads::REASON;
    }
    bits
}

/// The one port on whose outcomes a class is set off, if it is one.
fn only_port(triggers: &[On]) -> Option<PortId> {
    let mut ports = triggers.iter().filter_map(|on| match on {
        On::Outcome { port, .. } => Some(*port),
        On::Boundary => Some(None),
        On::Event(_) => None,
    });
    let first = ports.next()??;
    ports.all(|port| port == Some(first)).then_some(first)
}

/// The scope of the effects of a class; also used to find the types of what its calls keep.
pub(super) fn effect_scope<'s>(cx: &Cx<'_>, outline: &Outline<'_>) -> Scope<'s> {
    let mut triggers = Vec::new();
    if let Some(Kind::List(list)) = outline.table.get("trigger").map(|node| &node.kind) {
        for trigger in list.iter() {
            let Kind::Table(trigger) = &trigger.kind else { continue };
            let Some(event) = trigger.get("event").and_then(text_of) else { continue };
            if let Some(at) = cx.event_names.get(event) {
                triggers.push(On::Event(crate::model::ids::EventId(*at)));
            } else if event == "boundary" {
                triggers.push(On::Boundary);
            } else {
                let port = event.rsplit_once('.').and_then(|(port, _)| cx.port_names.get(port)).map(|at| PortId(*at));
                triggers.push(On::Outcome { port, ok: None, base: crate::model::class::Base::Selected });
            }
        }
    }
    let bits = if outline.open { heads::ALL } else { effect_heads(&triggers, outline.boundary) };
    Scope::new(bits, "in effects of this class").with_port(only_port(&triggers))
}

/// The scope of the settle rows of a call.
pub(super) fn settle_scope<'s>(port: Option<PortId>) -> Scope<'s> {
    let bits = heads::FRAMES | heads::BEFORE | heads::OUTCOME | heads::ENV;
    Scope::new(bits, "in an outcome step: there is no input then").with_port(port)
}

/// A part of a class that stands in another part, and in which: in TOML a line below a header is the header's.
fn strayed<'n>(class: &Table, key: &str) -> Option<(&'n str, Span)> {
    ["unmet", "trigger", "carryover", "do", "settle", "answer"].into_iter().find_map(|of| {
        let inside = |node: &Node| match &node.kind {
            Kind::Table(table) => table.entry(key).map(|entry| entry.key_span),
            _ => None,
        };
        let found = match &class.get(of)?.kind {
            // A settle row has a `do` of its own.
            Kind::List(items) if (of, key) != ("settle", "do") => {
                // Where several have it they have it as their own.
                let mut places = items.iter().filter_map(inside);
                places.next().filter(|_| places.next().is_none())
            }
            _ => inside(class.get(of)?),
        };
        found.map(|place| (of, place))
    })
}

/// A class with all its parts.
pub(super) fn class(cx: &Cx<'_>, outline: &Outline<'_>, words: &Words) -> Option<Class> {
    let Outline { id, id_span, table, calls, .. } = outline;
    // What sets an open class off may be meant to be the boundary.
    let boundary = outline.boundary || outline.open;
    for (key, part, how) in MANDATORY {
        if table.entry(key).is_none() && !cx.misspelt(table, key) {
            match strayed(table, key) {
                None => missing(cx, *id_span, id, part, how),
                Some((of, place)) => {
                    let help = format!(
                        "here {} belongs to `{of}`; below a `[header]` everything is the header's, so write it above the first one",
                        quoted(key)
                    );
                    cx.error_help(Code::MissingPart, place, format!("class {} lacks its *{part}*", quoted(id)), help);
                }
            }
        }
    }
    let text = |key: &str| table.get(key).and_then(|node| cx.word(node)).unwrap_or_default().to_owned();
    let around = Around { words, boundary, class: id };
    let trigger_nodes =
        table.get("trigger").and_then(|node| cx.list(node, "triggers: `[[trigger]]`")).unwrap_or_default();
    if let Some(Node { kind: Kind::List(list), span }) = table.get("trigger")
        && list.is_empty()
    {
        cx.error_help(
            Code::MissingPart,
            *span,
            format!("class {} has no trigger", quoted(id)),
            "write `[[trigger]]` with an `event`",
        );
    }
    let triggers: Vec<_> = trigger_nodes.iter().filter_map(|node| triggers::trigger(cx, node, &around)).collect();
    let mut guard = if outline.open { heads::ALL } else { heads::FRAMES | heads::ENV };
    for trigger in &triggers {
        guard |= guard_heads(trigger.on).0;
    }
    let bind = bind(cx, table, &triggers);
    let requires = match table.get("requires") {
        Some(node) => cx.cond(node, &Scope::new(heads::FRAMES, "in `requires`: it speaks of frames only")),
        None => Cond::TRUE,
    };
    let ons: Vec<On> = triggers.iter().map(|trigger| trigger.on).collect();
    let entry = match table.get("entry") {
        Some(node) => {
            cx.cond(node, &Scope::new(guard, "in the entry condition of this class").with_port(only_port(&ons)))
        }
        None => Cond::TRUE,
    };
    if outline.boundary && !outline.disputed {
        for key in ["requires", "entry"] {
            if let Some(entry) =
                table.entry(key).filter(|entry| !matches!(&entry.value.kind, Kind::Table(table) if table.is_empty()))
            {
                let message =
                    format!("the boundary class takes what no other class takes, so its own `{key}` is empty");
                cx.error_help(
                    Code::Boundary,
                    entry.key_span,
                    message,
                    format!("write `{key} = {{}}`, and put conditions into its triggers"),
                );
            }
        }
    }
    let unmet = table.get("unmet").and_then(|node| {
        let reader = Field::new(node, cx.out).table(&language::UNMET)?;
        let reason = reader.required("reason").and_then(Field::word);
        reader.finish();
        reason.map(|reason| cx.intern(reason))
    });
    let (carry, fate, mut named) = super::carry::carry(cx, outline);
    let scope = effect_scope(cx, outline);
    let effects = table.get("do").map(|node| cx.effects(node, &scope)).unwrap_or_default();
    let settle = settle(cx, outline);
    let answer = table.get("answer").and_then(|node| answer(cx, node, boundary, calls));
    let never_scope = Scope::new(
        if boundary { heads::ALL } else { heads::ALL & !heads::REASON },
        "in `never` of a class that is not the boundary",
    );
    let bad_never = |node: &Node, message: String, help: &str| {
        if node.kind != Kind::Null {
            cx.error_help(Code::BadNever, node.span, message, help);
        }
    };
    let never_nodes: &[Node] = match table.get("never") {
        Some(Node { kind: Kind::List(rows), .. }) => rows,
        Some(node) => {
            let message = format!("`never` is {}, not a list of conditions", node.describe());
            bad_never(node, message, "write `[[never]]` and a condition below it, or `never = []` for none");
            &[]
        }
        None => &[],
    };
    let never = never_nodes.iter().filter_map(|node| {
        match &node.kind {
            Kind::Table(table) if table.is_empty() => {
                bad_never(node, "this forbids every step".to_owned(), "write a condition, or `never = []` for none");
            }
            Kind::Table(_) => {}
            _ => {
                let message = format!("{} is no condition", node.describe());
                bad_never(node, message, "write what must not be: `{ frame.field = { present = false } }`");
                return None;
            }
        }
        Some((cx.cond(node, &never_scope.with_calls(calls)), node.span))
    });
    let never = never.collect();
    let owner = table.get("owner").and_then(|node| cx.owner(node));
    let mut touches = FrameSet::EMPTY;
    for node in table.get("touches").and_then(|node| cx.list(node, "frames")).unwrap_or_default() {
        if let Some(frame) = cx.frame(node) {
            touches.insert(frame);
            named.push(("touches", frame, node.span));
        }
    }
    let ignores = table.get("ignores").and_then(|node| cx.list(node, "inputs")).unwrap_or_default();
    let ignores = ignores.iter().filter_map(|node| {
        let name = cx.text(node)?;
        cx.find("input", name, node.span, &cx.input_names).map(InputId)
    });
    let ignores = ignores.collect();
    let groups = table.get("group").and_then(|node| cx.list(node, "names of groups")).unwrap_or_default();
    let groups = groups.iter().filter_map(|node| cx.word(node)).map(|group| cx.intern(group)).collect();
    Some(Class {
        id: cx.intern(id),
        name: text("name"),
        title: text("title"),
        doc: text("doc"),
        owner: cx.intern(&owner.unwrap_or_default()),
        touches,
        groups,
        triggers,
        bind,
        requires,
        unmet,
        unmet_span: table.entry("unmet").map(|entry| entry.key_span),
        entry,
        carry,
        fate,
        ignores,
        effects,
        settle,
        answer: answer?,
        answer_span: table.entry("answer").map_or(*id_span, |entry| entry.key_span),
        never,
        needs: FrameSet::EMPTY,
        reads: Vec::new(),
        named,
        span: *id_span,
    })
}

/// Which instances a class binds when it takes an input.
fn bind(cx: &Cx<'_>, table: &Table, triggers: &[Trigger]) -> Vec<(FrameId, Expr)> {
    let Some(entry) = table.entry("bind") else { return Vec::new() };
    let Some(table) = cx.table(&entry.value, "keyed frames and keys") else { return Vec::new() };
    let inputs = |trigger: &Trigger| !matches!(trigger.on, On::Outcome { .. });
    if !triggers.is_empty() && !triggers.iter().any(inputs) {
        let message = "a class that only takes outcomes binds nothing by itself";
        let help = "leave it out: an outcome step is bound to the instance that its call belongs to";
        cx.error_help(Code::OutOfPlace, entry.key_span, message, help);
    }
    let scope = Scope::new(heads::FRAMES | heads::INPUT | heads::ENV, "in `bind`");
    let mut bind = Vec::new();
    for entry in table {
        let frame = cx.keyed_frame(&entry.key, entry.key_span);
        let node = &entry.value;
        let Some(expr) = cx.expr(node, &Type::Id, &scope) else { continue };
        let of_paths = match &expr {
            Expr::Path { .. } => true,
            Expr::First(of) => of.iter().all(|expr| matches!(expr, Expr::Path { .. })),
            _ => false,
        };
        if !of_paths {
            let help = "write a path, `\"$input.x?\"`, or `{ first = [ … ] }` of paths";
            cx.error_help(Code::BadValue, node.span, "an instance is named by a path", help);
            continue;
        }
        let mut good = true;
        expr_paths(&expr, &mut |_, path| good &= binds_by(cx, path));
        bind.extend(frame.filter(|_| good).map(|frame| (frame, expr)));
    }
    bind.sort_by_key(|(frame, _)| *frame);
    bind
}

/// Whether a path is known before anything is bound; reported where it is not.
fn binds_by(cx: &Cx<'_>, path: &Path) -> bool {
    let (what, help) = match path.place {
        Place::Input(input) if cx.inputs[input.index()].kind == InputKind::Derived => {
            ("a derived signal is worked out after the instance is bound", "name what it is derived from")
        }
        Place::Field(slot) => match &cx.frames[cx.slots[slot.index()].frame.index()].keyed {
            Some(keyed) if keyed.is_bound(slot) => {
                ("an instance is not found through another one", "of a keyed frame only `only` is known before")
            }
            _ => return true,
        },
        _ => return true,
    };
    cx.error_help(Code::OutOfPlace, path.span, what, help);
    false
}

fn settle(cx: &Cx<'_>, outline: &Outline<'_>) -> Vec<Settle> {
    let entry = outline.table.entry("settle");
    // Of a port that is not known nothing can be said.
    let waits = outline.calls.values().flatten().any(|port| cx.ports[port.index()].replies);
    let Some(entry) = entry else {
        if waits && !cx.misspelt(outline.table, "settle") {
            missing(
                cx,
                outline.id_span,
                outline.id,
                "settle rows",
                "`[[settle]]` for its calls, or `settle = []` where the boundary or another class takes every outcome",
            );
        }
        return Vec::new();
    };
    let rows = cx.list(&entry.value, "settle rows: `[[settle]]`").unwrap_or_default();
    if outline.calls.is_empty() && rows.is_empty() && !cx.uses_lost_blocks(outline.table.get("do")) {
        cx.error_help(Code::UnknownKey, entry.key_span, "a class without calls has no `settle`", "leave it out");
    }
    let mut settle = Vec::new();
    for node in rows {
        let Some(table) = cx.table(node, "a settle row") else { continue };
        cx.allow(table, &language::SETTLE_ROW);
        let on = cx.need(table, node.span, "a settle row", "on").and_then(|node| Some((node, cx.text(node)?)));
        let mut port = None;
        let mut known = true;
        if let Some((node, name)) = on {
            match outline.calls.get(name) {
                Some(ports) => {
                    port = ports.first().copied();
                    known = port.is_some();
                    if let Some(port) = port.filter(|port| !cx.ports[port.index()].replies) {
                        let message = format!(
                            "port `{}` sends no reply, so nothing settles",
                            cx.text_of(cx.ports[port.index()].name)
                        );
                        cx.error_help(Code::NoReply, node.span, message, "leave the row out");
                    }
                }
                None => {
                    let names = outline.calls.keys().map(String::as_str);
                    cx.out.push(super::cx::lacks("this class", "call", name, node.span, names));
                    known = false;
                }
            }
        }
        let list = cx.need(table, node.span, "a settle row", "do");
        // Without a known call nothing under `outcome` can be judged.
        if !known {
            continue;
        }
        let scope = settle_scope(port);
        let when = table.get("when").map_or(Cond::TRUE, |node| cx.cond(node, &scope));
        let effects = list.map(|node| cx.effects(node, &scope)).unwrap_or_default();
        if let Some((_, name)) = on {
            settle.push(Settle { on: cx.intern(name), when, effects, span: node.span });
        }
    }
    settle
}

fn answer(cx: &Cx<'_>, node: &Node, boundary: bool, calls: &Calls) -> Option<Answer> {
    let table = cx.table(node, "`answer`")?;
    cx.allow(table, &language::ANSWER);
    let forms: Vec<_> = table.iter().filter(|entry| language::ANSWER.has(&entry.key)).collect();
    let form = match forms.as_slice() {
        [form] => *form,
        [] => {
            if table.is_empty() {
                cx.error_help(
                    Code::MissingPart,
                    node.span,
                    "an answer without a mode",
                    "write one of `mode`, `by`, `row`",
                );
            }
            return None;
        }
        [first, second, ..] => {
            let found = Diagnostic::error(Code::OneOfSeveral, second.key_span, "an answer has one form")
                .also(first.key_span, "the first one");
            cx.out.push(found.help("keep one of `mode`, `by`, `row`"));
            return None;
        }
    };
    match form.key.as_str() {
        "mode" => mode(cx, &form.value).map(Answer::Mode),
        "by" => by(cx, &form.value),
        _ => {
            let bits =
                if boundary { heads::ALL & !heads::ANSWER } else { heads::ALL & !heads::ANSWER & !heads::REASON };
            let scope = Scope::new(bits, "in an answer row").with_calls(calls);
            let mut rows = Vec::new();
            for node in cx.list(&form.value, "answer rows")? {
                let Some(row) = cx.table(node, "an answer row") else { continue };
                cx.allow(row, &language::ANSWER_ROW);
                let when = cx.need(row, node.span, "an answer row", "when").map(|node| cx.cond(node, &scope));
                let mode = cx.need(row, node.span, "an answer row", "mode").and_then(|node| mode(cx, node));
                if let (Some(when), Some(mode)) = (when, mode) {
                    rows.push((when, mode, node.span));
                }
            }
            Some(Answer::Rows(rows))
        }
    }
}

fn mode(cx: &Cx<'_>, node: &Node) -> Option<ModeId> {
    let name = cx.text(node)?;
    cx.find("answer mode", name, node.span, &cx.mode_names).map(ModeId)
}

/// Reports values of the field that answers go by for which no mode is written.
fn unanswered(cx: &Cx<'_>, field: &Entry, ty: &Type) {
    let Kind::Table(table) = &field.value.kind else { return };
    let values: Vec<String> = match ty {
        _ if poisoned(ty) => return,
        Type::Bool => ["true", "false"].map(str::to_owned).into(),
        Type::Enum(id) => cx.values_of(*id).into_iter().map(|value| cx.text_of(value)).collect(),
        Type::Key(id) => cx.tables[id.index()].rows.iter().map(|row| cx.text_of(row.key)).collect(),
        _ => return,
    };
    let meant =
        |value: &str| table.get(value).is_some() || table.iter().any(|entry| suggest(&entry.key, [value]).is_some());
    let open: Vec<String> = values.into_iter().filter(|value| !meant(value)).collect();
    if !open.is_empty() {
        let message = format!("the answer gives no mode where {} is {}", quoted(&field.key), listed(&open));
        let help = format!("each value of the field has a mode: add {}", listed(&open));
        cx.error_help(Code::MissingKey, field.key_span, message, help);
    }
}

/// `by.frame.field = { value = mode }`.
fn by(cx: &Cx<'_>, node: &Node) -> Option<Answer> {
    let only = |node: &Node, what: &str| {
        let table = cx.table(node, what)?;
        if table.len() != 1 {
            cx.error_help(
                Code::BadValue,
                node.span,
                format!("expected one {what}"),
                "write `by.frame.field = { value = \"mode\" }`",
            );
            return None;
        }
        table.iter().next().cloned()
    };
    let frame = only(node, "frame")?;
    let at = FrameId(cx.find("frame", &frame.key, frame.key_span, &cx.frame_names)?);
    let field = only(&frame.value, "field")?;
    let Some(slot) = cx.slot_of(at, &field.key) else {
        cx.out.push(cx.no_field(at, &field.key, field.key_span));
        return None;
    };
    let ty = &cx.slots[slot.index()].ty;
    if !matches!(ty, Type::Enum(_) | Type::Bool | Type::Key(_)) && !poisoned(ty) {
        let message = format!("an answer goes by a field with few values; this is {}", cx.shown(ty));
        cx.error_help(Code::WrongType, field.key_span, message, "use an enum, or write `row`");
        return None;
    }
    let mut rows = Vec::new();
    for entry in cx.table(&field.value, "values and their modes")? {
        let value = cx.key(&entry.key, entry.key_span, ty);
        if let (Some(value), Some(mode)) = (value, mode(cx, &entry.value)) {
            rows.push((value, mode));
        }
    }
    unanswered(cx, &field, ty);
    Some(Answer::By { slot, rows, span: field.key_span })
}
