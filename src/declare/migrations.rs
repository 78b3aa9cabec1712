//! Migrations: the section `[migration.NAME]`, checked when the frames are known.

use std::collections::BTreeMap;

use crate::diag::{Code, Diagnostic, quoted};
use crate::language;
use crate::model::ids::FrameId;
use crate::model::migration::{Migration, Place};
use crate::source::Span;
use crate::syntax::Field;

use super::cx::{Cx, Item};
use super::merge::Sections;
use super::paths::Written;

/// All migrations, by name. No two carry over from the same registry.
pub(super) fn migrations(cx: &Cx<'_>, sections: &Sections<'_>) -> Vec<Migration> {
    let mut from: BTreeMap<String, Span> = BTreeMap::new();
    sections.of("migration").iter().filter_map(|item| migration(cx, item, &mut from)).collect()
}

fn migration(cx: &Cx<'_>, item: &Item<'_>, known: &mut BTreeMap<String, Span>) -> Option<Migration> {
    cx.check_form("a migration", item.name, item.key);
    let reader = Field::new(item.node, cx.out).table(&language::MIGRATION)?;
    let doc = reader.optional("doc").and_then(Field::text).unwrap_or_default().to_owned();
    let mut from = Vec::new();
    for field in reader.required("from").into_iter().flat_map(Field::one_or_many) {
        let Some(text) = field.word() else { continue };
        if text.len() != 16 || !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            let message = format!("{} is no fingerprint of a registry", quoted(text));
            let help = "write the 16 hexadecimal digits that `segue sessions check` names";
            cx.error_help(Code::BadValue, field.span(), message, help);
        } else if let Some(first) = known.get(text) {
            let message = format!("a session saved under {} would be carried over twice", quoted(text));
            let found = Diagnostic::error(Code::DuplicateItem, field.span(), message).also(*first, "here, too");
            cx.out.push(found.help("leave one of the two out"));
        } else {
            known.insert(text.to_owned(), field.span());
            from.push(text.to_owned());
        }
    }
    let mut rename = Vec::new();
    for field in reader.optional("rename").and_then(Field::list).into_iter().flatten() {
        let Some(row) = field.table(&language::RENAMED) else { continue };
        let old = row.required("old").and_then(|field| path(cx, field));
        let new = row.required("new");
        if let (Some(old), Some(new)) = (old, new) {
            let place = match cx.frame_or_slot(new.node) {
                Some(Written::Slot(slot)) => Some(Place::Field(slot)),
                Some(Written::Frame(frame)) => Some(Place::Frame(frame)),
                None => None,
            };
            if let Some(place) = place {
                if old.contains('.') == matches!(place, Place::Frame(_)) {
                    let message = format!("{} is to become something of another kind", quoted(&old));
                    let help = "rename a field to a field (`frame.field`), or a frame to a frame";
                    cx.error_help(Code::BadValue, field.span(), message, help);
                }
                rename.push((old, place));
            }
        }
        row.finish();
    }
    let mut drop = Vec::new();
    for field in reader.optional("drop").and_then(Field::list).into_iter().flatten() {
        let Some(old) = path(cx, field) else { continue };
        let stands = match old.split_once('.') {
            Some((frame, name)) => {
                cx.frame_names.get(frame).is_some_and(|frame| cx.slot_of(FrameId(*frame), name).is_some())
            }
            None => cx.frame_names.contains_key(&old),
        };
        if stands {
            let message = format!("{} is declared here, so it cannot be dropped", quoted(&old));
            let help = "drop what is no longer declared; `set` gives a field another value";
            cx.error_help(Code::BadValue, field.span(), message, help);
        }
        drop.push(old);
    }
    let mut set = Vec::new();
    for field in reader.optional("set").and_then(Field::list).into_iter().flatten() {
        let Some(row) = field.table(&language::PUT) else { continue };
        let slot = row.required("field").and_then(|field| cx.slot(field.node));
        let value = row.required("value");
        if let (Some(slot), Some(value)) = (slot, value)
            && let Some(value) = cx.literal(value.node, &cx.slots[slot.index()].ty)
        {
            set.push((slot, value));
        }
        row.finish();
    }
    reader.finish();
    Some(Migration { name: item.name.to_owned(), doc, from, rename, drop, set, span: item.key })
}

/// A field or a frame by its name then: nothing is known of it but that it has the form of one.
fn path(cx: &Cx<'_>, field: Field<'_>) -> Option<String> {
    let text = field.word()?;
    let parts: Vec<&str> = text.split('.').collect();
    if parts.len() > 2 || parts.iter().any(|part| part.is_empty()) {
        let message = format!("{} is neither a field nor a frame", quoted(text));
        cx.error_help(Code::BadPath, field.span(), message, "write `frame.field`, or the name of a frame");
        return None;
    }
    Some(text.to_owned())
}
