//! Reading `expect`: what a turn must come to.

use crate::diag::{Aspect, Code, Diagnostic, Diagnostics};
use crate::language;
use crate::model::Pack;
use crate::model::ids::{FrameSet, ModeId};
use crate::model::json::Naming;
use crate::model::names::Sym;
use crate::model::reason;
use crate::model::schema::Type;
use crate::registry::Registry;
use crate::source::Span;
use crate::syntax::{Field, Kind, Node};

use super::script::{Expect, Message, Wanted, class, class_at, no_such, qualified, state, unknown, want};
use super::{Spanned, turn, typed};

/// Reads the table under `expect`.
pub fn read(registry: &Registry, field: Field<'_>) -> Option<Expect> {
    let pack = registry.pack();
    let reader = field.table(&language::EXPECT)?;
    let out = reader.out();
    promises(field, out)?;
    let one_class = |field: Field<'_>| {
        let found = field.word().and_then(|id| class(pack, id, field.span(), out));
        found.map(|value| Spanned { value, span: field.span() })
    };
    let transition = reader.optional("transition").and_then(one_class);
    let selected = reader.optional("selected").and_then(one_class);
    let settled = reader.optional("settled").and_then(one_class);
    let expect = Expect {
        transition,
        selected,
        settled,
        reason: reader.optional("reason").and_then(|field| or_none(field, |field| one_reason(pack, field, out))),
        reasons: reader.optional("reasons").map(|field| {
            let all = field.one_or_many().filter_map(|field| one_reason(pack, field, out)).collect();
            Spanned { value: all, span: field.span() }
        }),
        answer_mode: reader.optional("answer_mode").and_then(|field| or_none(field, |field| mode(pack, field, out))),
        state: reader.optional("state").map_or_else(Vec::new, |field| {
            let mut all = Vec::new();
            state(pack, field.node, out, &mut |at, node, span| {
                let own = pack.at(at.pack);
                let wanted = want(own, Naming::Own, &own.slots[at.slot.index()].ty, node, out);
                let (pack, slot, key) = (at.pack, at.slot, at.key.map(str::to_owned));
                all.extend(wanted.map(|value| Spanned { value: Wanted { pack, slot, key, value }, span }));
            });
            all
        }),
        dropped: reader.optional("dropped").map(|field| frames(pack, field, out)),
        carried: reader.optional("carried").map(|field| frames(pack, field, out)),
        steps: reader.optional("steps").map(|field| {
            let one = |field: Field<'_>| class_at(pack, field.word()?, field.span(), out);
            Spanned { value: field.one_or_many().filter_map(one).collect(), span: field.span() }
        }),
        calls: reader.optional("calls").map(|field| {
            let all = field.one_or_many().filter_map(|field| turn::port(pack, field, out)).collect();
            Spanned { value: all, span: field.span() }
        }),
        messages: reader.optional("messages").map(|field| {
            let all = field.one_or_many().filter_map(|field| message(pack, field, out)).collect();
            Spanned { value: all, span: field.span() }
        }),
        refused: reader.optional("refused").and_then(|field| {
            let value = one_reason(pack, field, out)?;
            Some(Spanned { value, span: field.span() })
        }),
    };
    reader.finish();
    Some(expect)
}

/// What is wrong with an expectation whatever the pack declares; nothing where nothing is expected.
pub fn promises(field: Field<'_>, out: &Diagnostics) -> Option<()> {
    if empty(field.node) {
        return nothing(field, "the expectation is empty: it checks nothing", "say what must come of the turn", out);
    }
    let Kind::Table(table) = &field.node.kind else { return None };
    if let (Some(_), Some(other)) = (table.get("transition"), table.get("selected").or(table.get("settled"))) {
        let found = Diagnostic::error(Code::BadValue, other.span, "`transition` already says `selected` and `settled`");
        out.push(found.help("write either `transition`, or `selected` and `settled`"));
    }
    let state = table.get("state");
    let frames = match state.map(|node| &node.kind) {
        Some(Kind::Table(frames)) => frames.iter().map(|entry| &entry.value).collect(),
        _ => Vec::new(),
    };
    for part in state.into_iter().chain(frames).filter(|node| empty(node)) {
        let help = "name the fields that must have a value, or leave it out";
        nothing::<()>(Field::new(part, out), "nothing is expected of the state here", help, out);
    }
    Some(())
}

fn empty(node: &Node) -> bool {
    matches!(&node.kind, Kind::Table(table) if table.is_empty())
}

/// Reports an expectation that checks nothing.
fn nothing<T>(field: Field<'_>, message: &str, help: &str, out: &Diagnostics) -> Option<T> {
    out.push(Diagnostic::error(Code::EmptyExpectation, field.span(), message).help(help));
    None
}

fn or_none<T>(field: Field<'_>, read: impl Fn(Field<'_>) -> Option<T>) -> Option<Spanned<Option<T>>> {
    let value = if turn::says_absent(field.node) { None } else { Some(read(field)?) };
    Some(Spanned { value, span: field.span() })
}

fn one_reason(pack: &Pack, field: Field<'_>, out: &Diagnostics) -> Option<Sym> {
    let name = field.word()?;
    let known = || pack.reasons.iter().map(|sym| pack.names.text(*sym)).chain(reason::ALL);
    if known().any(|known| known == name) {
        return pack.names.get(name);
    }
    out.push(no_such("reason of this pack", name, field.span(), known()).about(Aspect::Reason));
    None
}

fn mode(pack: &Pack, field: Field<'_>, out: &Diagnostics) -> Option<ModeId> {
    let name = field.word()?;
    let found = pack.mode(name);
    if found.is_none() {
        let names = pack.modes.iter().map(|mode| pack.names.text(mode.name));
        unknown("answer mode of this pack", name, field.span(), names, out);
    }
    found
}

fn frames(pack: &Pack, field: Field<'_>, out: &Diagnostics) -> Spanned<FrameSet> {
    let mut set = FrameSet::EMPTY;
    for field in field.one_or_many() {
        let Some(name) = field.word() else { continue };
        match pack.frame(name) {
            Some(frame) => set.insert(frame),
            None => {
                let names = pack.frames.iter().map(|frame| pack.names.text(frame.name));
                unknown("frame", name, field.span(), names, out);
            }
        }
    }
    Spanned { value: set, span: field.span() }
}

/// `name`, or `{ name: { field: value } }`.
fn message(all: &Pack, field: Field<'_>, out: &Diagnostics) -> Option<Spanned<Message>> {
    let named = |written: &str, span: Span| {
        let (at, name) = all.split(written);
        let found = all.at(at).message(name);
        if found.is_none() {
            let names = qualified(all, |pack| pack.messages.iter().map(|message| message.name).collect());
            unknown("message of this pack", written, span, names.iter().map(String::as_str), out);
        }
        Some((at, found?))
    };
    let span = field.span();
    let Kind::Table(table) = &field.node.kind else {
        let (at, message) = named(field.word()?, span)?;
        return Some(Spanned { value: Message { pack: at, message, fields: Vec::new() }, span });
    };
    let mut entries = table.iter();
    let (Some(entry), None) = (entries.next(), entries.next()) else {
        return field.bad("one message is due here", "write `{ name: { field: value } }`");
    };
    let (at, message) = named(&entry.key, entry.key_span)?;
    let pack = all.at(at);
    let declared = &pack.messages[message.index()];
    let mut fields = Vec::new();
    for (entry, field) in Field::new(&entry.value, out).entries()? {
        const WHAT: &str = "field of this message";
        let name = pack.names.get(&entry.key);
        let constant =
            declared.consts.iter().find(|(known, _)| Some(*known) == name).map(|(name, _)| (*name, &Type::Text));
        let of = declared.fields.iter().find(|field| Some(field.wire) == name).map(|field| (field.name, &field.ty));
        let Some((name, ty)) = of.or(constant) else {
            if let Some(meant) = declared.fields.iter().find(|field| Some(field.name) == name) {
                typed::otherwise(WHAT, &entry.key, entry.key_span, pack.names.text(meant.wire), out);
                continue;
            }
            let names =
                declared.fields.iter().map(|field| field.wire).chain(declared.consts.iter().map(|(name, _)| *name));
            unknown(WHAT, &entry.key, entry.key_span, names.map(|name| pack.names.text(name)), out);
            continue;
        };
        fields.extend(want(pack, Naming::Wire, ty, field.node, out).map(|value| (name, value)));
    }
    Some(Spanned { value: Message { pack: at, message, fields }, span })
}
