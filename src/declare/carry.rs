//! Carryover of a class: its depth, what it keeps, forbids and preserves, and the fate of frames to decide about.

use crate::diag::{Code, Diagnostic, quoted};
use crate::language::{CLASS_CARRYOVER, PRESERVE};
use crate::model::class::{Carry, Fate, Preserve};
use crate::model::cond::{Cond, Op};
use crate::model::ids::{FrameId, FrameSet, SlotSet};
use crate::source::Span;
use crate::syntax::{Entry, Field, Kind, Node, Table};

use super::classes::{Outline, missing};
use super::cx::Cx;
use super::literals::{Sigil, sigil};
use super::paths::{Scope, Written, heads, pieces};

/// Where a part of carryover names a frame.
type Named = Vec<(&'static str, FrameId, Span)>;

/// All of `[carryover]`, and where its parts name frames.
pub(super) fn carry(cx: &Cx<'_>, outline: &Outline<'_>) -> (Carry, Vec<(FrameId, Fate)>, Named) {
    let mut named = Named::new();
    let mut carry = Carry {
        depth: None,
        frames: FrameSet::EMPTY,
        keep: FrameSet::EMPTY,
        forbid: FrameSet::EMPTY,
        forbid_fields: Vec::new(),
        fields: None,
        preserve: Vec::new(),
    };
    let entry = outline.table.entry("carryover");
    let decides = !cx.decide.is_empty() || cx.undecided;
    let asked = cx.carryover.is_some() || decides;
    let Some(entry) = entry else {
        if asked && !cx.misspelt(outline.table, "carryover") {
            let how = if cx.carryover.is_some() {
                "`[carryover]` with `depth = \"…\"`, `keep`, `forbid`, `preserve`"
            } else {
                "`[carryover]` with `fate`"
            };
            missing(cx, outline.id_span, outline.id, "allowed carryover depth", how);
        }
        return (carry, Vec::new(), named);
    };
    if !asked && cx.partial.get() {
        return (carry, Vec::new(), named);
    }
    if !asked {
        let message = "the pack has no carryover universe, so its classes write no `carryover`";
        cx.error_help(
            Code::UnknownKey,
            entry.key_span,
            message,
            "leave it out, or declare `[carryover]` with a `universe` in the manifest",
        );
        return (carry, Vec::new(), named);
    }
    let Some(table) = cx.table(&entry.value, "`carryover`") else { return (carry, Vec::new(), named) };
    let senseless: &[&str] = match (cx.carryover.is_some(), !decides) {
        _ if cx.partial.get() => &[],
        (true, false) => &[],
        (true, true) => &["fate"],
        (false, _) => &["depth", "keep", "fields", "forbid", "preserve"],
    };
    let mut known = CLASS_CARRYOVER.names();
    known.retain(|key| !senseless.contains(key));
    cx.allow_only(table, CLASS_CARRYOVER.what, &known);
    if let Some(manifest) = &cx.carryover {
        let parts = [
            ("depth", "allowed carryover depth", "`[carryover] depth = \"…\"`"),
            ("keep", "kept frames", "`[carryover] keep = []`"),
            ("forbid", "forbidden carryover", "`[carryover] forbid = []`"),
            ("preserve", "must preserve", "`[carryover] preserve = []`"),
        ];
        for (key, part, how) in parts {
            if table.entry(key).is_none() && !cx.misspelt(table, key) {
                missing(cx, entry.key_span, outline.id, part, how);
            }
        }
        if let Some(node) = table.get("depth")
            && let Some(name) = cx.text(node)
        {
            let sym = cx.names.borrow().get(name);
            match manifest.depths.iter().find(|(depth, _)| Some(*depth) == sym) {
                Some((depth, frames)) => {
                    (carry.depth, carry.frames) = (Some(*depth), *frames);
                    named.extend(frames.iter().map(|frame| ("depth", frame, node.span)));
                }
                None => {
                    let known: Vec<String> = manifest.depths.iter().map(|(depth, _)| cx.text_of(*depth)).collect();
                    cx.unknown("depth", name, node.span, known.iter().map(String::as_str));
                }
            }
        }
        if let Some(node) = table.get("keep") {
            for item in cx.list(node, "frames").unwrap_or_default() {
                let Some(frame) = cx.frame(item) else { continue };
                if manifest.universe.has(frame) {
                    carry.keep.insert(frame);
                    named.push(("keep", frame, item.span));
                } else {
                    let message = format!("{} is outside of the carryover universe", item.describe());
                    cx.error_help(
                        Code::OutsideCarryover,
                        item.span,
                        message,
                        "such a frame is kept in any case: leave it out",
                    );
                }
            }
        }
        for item in table.get("forbid").and_then(|node| cx.list(node, "frames and fields")).unwrap_or_default() {
            match cx.frame_or_slot(item) {
                Some(Written::Frame(frame)) if cx.frames[frame.index()].keyed.is_some() => instances(cx, item),
                Some(Written::Slot(slot)) if cx.frames[cx.slots[slot.index()].frame.index()].keyed.is_some() => {
                    instances(cx, item);
                }
                Some(Written::Frame(frame)) => {
                    carry.forbid.insert(frame);
                    named.push(("forbid", frame, item.span));
                }
                Some(Written::Slot(slot)) => {
                    carry.forbid_fields.push(slot);
                    named.push(("forbid", cx.slots[slot.index()].frame, item.span));
                }
                None => {}
            }
        }
        if let Some(node) = table.get("fields") {
            let mut fields = SlotSet::default();
            for item in cx.list(node, "fields").unwrap_or_default() {
                let Some(slot) = cx.slot(item) else { continue };
                if !carry.frames.has(cx.slots[slot.index()].frame) && carry.depth.is_some() {
                    let message = format!("{} is not in the declared depth", item.describe());
                    cx.error_help(
                        Code::OutsideCarryover,
                        item.span,
                        message,
                        "`fields` narrows what the depth carries: leave it out",
                    );
                }
                fields.insert(slot);
            }
            carry.fields = Some(fields);
        }
        carry.frames = carry.frames.minus(carry.forbid);
        if let Some(node) = table.get("preserve") {
            let items = cx.list(node, "frames and fields").unwrap_or_default();
            carry.preserve = items.iter().filter_map(|item| preserve(cx, item)).collect();
        }
    }
    let fates = fates(cx, outline, table, entry.key_span);
    (carry, fates, named)
}

/// Reports instances under `forbid`.
fn instances(cx: &Cx<'_>, item: &Node) {
    let message = format!("{} belongs to a keyed frame, which is not carried", item.describe());
    cx.error_help(
        Code::OutsideCarryover,
        item.span,
        message,
        "leave it out: a class reaches the instance that it binds",
    );
}

fn fates(cx: &Cx<'_>, outline: &Outline<'_>, table: &Table, span: Span) -> Vec<(FrameId, Fate)> {
    let mut fates = Vec::new();
    if cx.decide.is_empty() {
        return fates;
    }
    let fate = table.get("fate").and_then(|node| cx.table(node, "frames and their fate"));
    let name_of = |frame: FrameId| cx.text_of(cx.frames[frame.index()].name);
    let names: Vec<String> = cx.decide.iter().map(|frame| name_of(*frame)).collect();
    let strange = |entry: &&Entry| !cx.undecided && !names.iter().any(|name| *name == entry.key);
    for entry in fate.into_iter().flatten().filter(strange) {
        cx.unknown("frame to decide about", &entry.key, entry.key_span, names.iter().map(String::as_str));
    }
    for (frame, name) in cx.decide.iter().zip(&names) {
        match fate.and_then(|fate| fate.get(name)) {
            Some(node) => {
                let words = [("keep", Fate::Keep), ("clear", Fate::Clear), ("use", Fate::Use)];
                fates.extend(Field::new(node, cx.out).one_of(&words).map(|fate| (*frame, fate)));
            }
            None if cx.misspelt(table, "fate") => {}
            None => {
                let how = format!("`[carryover] fate.{name} = \"keep\"`, `\"clear\"` or `\"use\"`");
                missing(cx, span, outline.id, &format!("fate of `{name}`"), &how);
            }
        }
    }
    fates
}

fn preserve(cx: &Cx<'_>, node: &Node) -> Option<Preserve> {
    let slots = |node: &Node| {
        Some(match cx.frame_or_slot(node)? {
            Written::Frame(frame) => cx.frames[frame.index()].fields().collect(),
            Written::Slot(slot) => vec![slot],
        })
    };
    let Kind::Table(table) = &node.kind else {
        return Some(Preserve { slots: slots(node)?, unless: None, equals: None, span: node.span });
    };
    cx.allow(table, &PRESERVE);
    let field = cx.need(table, node.span, "a `preserve` item", "field");
    let bits = heads::FRAMES | heads::BEFORE | heads::INPUT | heads::OUTCOME | heads::ENV;
    let scope = Scope::new(bits, "in `preserve`");
    let unless = match table.get("unless") {
        None => None,
        Some(node) if matches!(node.kind, Kind::Table(_)) => Some(cx.cond(node, &scope)),
        Some(node) => {
            let text = cx.bare(node)?;
            match cx.resolve(&pieces(text, &|from, to| cx.inside(node, from, to)), &scope, node.span) {
                Ok((path, ty)) => Some(Cond::Test { path, ty, op: Op::Present(true), span: node.span }),
                Err(fault) => {
                    cx.report(fault);
                    return None;
                }
            }
        }
    };
    let slots = slots(field?)?;
    let equals = match table.get("equals") {
        None => None,
        Some(node) => {
            let text = cx.word(node)?;
            let Sigil::Path(path) = sigil(text) else {
                cx.error_help(
                    Code::BadPath,
                    node.span,
                    format!("{} is not a path", quoted(text)),
                    format!("write \"${text}\""),
                );
                return None;
            };
            let [slot] = slots.as_slice() else {
                cx.error_help(Code::BadPath, node.span, "a whole frame cannot equal a value", "name a field");
                return None;
            };
            match cx.path_in(node, path, 1, &scope) {
                Ok((path, ty)) => {
                    let field = &cx.slots[slot.index()].ty;
                    if !cx.comparable(&ty, field) {
                        let message = format!("expected {}, found {}", cx.shown(field), cx.shown(&ty));
                        let found = Diagnostic::error(Code::WrongType, node.span, message)
                            .also(cx.slots[slot.index()].span, "the field that is preserved");
                        cx.out.push(found.help("compare it with a value of its own type"));
                    }
                    Some(path)
                }
                Err(fault) => {
                    cx.report(fault);
                    return None;
                }
            }
        }
    };
    Some(Preserve { slots, unless, equals, span: node.span })
}
