//! Doing: the ordered effects of a step on a copy of the state, then its calls and messages.

use std::borrow::Cow;
use std::sync::Arc;

use rust_decimal::Decimal;
use serde_json::Value as Json;
use smol_str::SmolStr;

use crate::model::Pack;
use crate::model::effect::{Effect, Expr, Verb};
use crate::model::ids::{FrameId, FrameSet, KeptId, Slot, SlotSet};
use crate::model::json::{named_to_wire, scalar_text, set_of, twice};
use crate::model::names::Sym;
use crate::model::period::Period;
use crate::model::schema::{NamedType, Type};
use crate::model::value::{RecordValue, Value};
use crate::state::{Owners, Store, bound, keyed_frames};

use super::eval::{Readable, View};
use super::event::IdSource;
use super::probe::{Marks, Stage};
use super::verify::Breach;
use super::{CallOut, MessageOut};

/// What the effects of a step made.
#[derive(Debug)]
pub struct Done {
    pub slots: Arc<[Value]>,
    pub written: SlotSet,
    pub calls: Vec<CallOut>,
    pub kept: Vec<Vec<(KeptId, Value)>>,
    /// For each call the instances that it belongs to; in a pack without keyed frames nothing.
    pub owners: Vec<Owners>,
    pub messages: Vec<MessageOut>,
    pub instances: Store,
    /// The instances that were closed.
    pub closed: Owners,
    /// The instances that were bound before another one of their frame was opened.
    pub left: Owners,
}

impl Done {
    /// Whether a call that belongs to these instances is closed with one of them.
    pub fn closes(&self, owners: &Owners) -> bool {
        owners.iter().any(|owner| self.closed.contains(owner))
    }
}

/// What effects start from.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    pub slots: &'a Arc<[Value]>,
    pub instances: &'a Store,
    /// Whether they mend a saved state, where an instance that has ended may be written too.
    pub mends: bool,
}

/// The new state under the hands of the effects that write it, and what they have written.
struct Draft<'d> {
    slots: &'d mut [Value],
    written: &'d mut SlotSet,
    instances: Store,
    mends: bool,
    /// Frames of which an instance was opened.
    opened: FrameSet,
    closed: Owners,
    left: Owners,
}

impl Draft<'_> {
    /// Refuses to change an instance that is not open.
    fn may_write(&self, pack: &Pack, slot: Slot, effect: &Effect) -> Result<(), Breach> {
        match pack.keyed_at(slot) {
            Some(keyed) if !self.mends && self.slots[keyed.open().index()] != Value::Bool(true) => {
                Err(Breach::not_open(effect.span))
            }
            _ => Ok(()),
        }
    }

    /// The instances that are bound and open.
    fn owners(&self, pack: &Pack) -> Owners {
        let each = pack.keyed.iter().filter_map(|frame| match bound(pack, *frame, self.slots) {
            Some((key, true)) => Some((*frame, key.clone())),
            _ => None,
        });
        each.collect()
    }
}

/// Does `effects`. `start` is the state after carry: values and every `when` of state-writing items read it; calls and
/// messages read the state after the last effect. In values, not in a `when`, what is not `readable` is absent, unless
/// `with` reads what these effects have written. Effects that write nothing leave `start` shared.
///
/// # Errors
/// What cannot be done: a plain `$x` that is absent, a collection that overflows, a number that leaves its range.
pub fn perform<'a>(
    view: &View<'a>,
    start: Start<'a>,
    readable: Option<Readable<'a>>,
    effects: &'a [Effect],
    mut written: SlotSet,
    ids: &mut dyn IdSource,
    marks: &mut Marks<'_>,
) -> Result<Done, Breach> {
    let pack = view.registry.pack();
    let view = View { now: start.slots, ..*view };
    let values = View { readable, ..view };
    let mut slots = start.slots.clone();
    let keyed = !pack.keyed.is_empty();
    let (mut instances, mut owners) = (start.instances.clone(), Vec::new());
    let (mut closed, mut left) = (Owners::new(), Owners::new());
    if keyed || effects.iter().any(|effect| effect.verb.writes()) {
        let mut draft = Draft {
            slots: Arc::make_mut(&mut slots),
            written: &mut written,
            instances,
            mends: start.mends,
            opened: FrameSet::EMPTY,
            closed,
            left,
        };
        for effect in effects {
            if effect.verb.writes() {
                if view.holds(&effect.when) {
                    write(&values, pack, effect, &mut draft, ids)?;
                }
            } else if keyed && matches!(effect.verb, Verb::Call(_)) && view.holds(&effect.when) {
                owners.push(draft.owners(pack));
            }
        }
        keyed_frames(pack).for_each(|keyed| draft.instances.keep(keyed, draft.slots));
        (instances, closed, left) = (draft.instances, draft.closed, draft.left);
    }
    marks.reached(Stage::Answer);
    let (mut calls, mut kept, mut messages) = (Vec::new(), Vec::new(), Vec::new());
    let readable = readable.map(|readable| Readable { own: Some(&written), ..readable });
    let after = View { now: &slots, readable, ..view };
    for effect in effects {
        match &effect.verb {
            Verb::Call(call) if view.holds(&effect.when) => {
                let request = &pack.ports[call.port.index()].request;
                let mut with = Vec::with_capacity(request.len());
                given(&after, request, &call.with, effect, ids, &mut with)?;
                with.iter_mut().for_each(|(_, value)| *value = composed(&after, value));
                let mut keep = Vec::new();
                for (id, expr) in &call.keep {
                    let value = evaluate(&after, expr, ids)?;
                    if value.is_present() {
                        keep.push((*id, fit(pack, &pack.kept[id.index()].1, value, effect)?.into_owned()));
                    }
                }
                if let Some(contract) = pack.ports[call.port.index()].contract.request {
                    let wire = Json::Object(named_to_wire(pack, request, &with));
                    if let Some(broken) = view.registry.contracts.broken(contract, &wire) {
                        return Err(Breach::Contract { port: call.port, broken, span: effect.span });
                    }
                }
                calls.push(CallOut { id: ids.fresh("call"), site: call.id, port: call.port, with });
                kept.push(keep);
            }
            Verb::Emit { message, with } if view.holds(&effect.when) => {
                let declared = &pack.messages[message.index()];
                let mut fields = Vec::with_capacity(declared.consts.len() + declared.fields.len());
                fields.extend_from_slice(&declared.consts);
                given(&after, &declared.fields, with, effect, ids, &mut fields)?;
                let text = declared.text.as_deref().map(|template| fill(pack, template, &fields));
                messages.push(MessageOut { message: *message, fields, text });
            }
            _ => {}
        }
    }
    Ok(Done { slots, written, calls, kept, owners, messages, instances, closed, left })
}

/// What a value comes to; absent when it is only read by `"$x?"` and is not there.
fn evaluate<'a>(view: &View<'a>, expr: &'a Expr, ids: &mut dyn IdSource) -> Result<Cow<'a, Value>, Breach> {
    view.value(expr, ids).map_err(|path| Breach::absent(path.span))
}

/// Adds what a call or a message is given, in declared order; what is not given takes its default.
fn given<'a>(
    view: &View<'a>,
    declared: &[NamedType],
    with: &'a [(Sym, Expr)],
    effect: &Effect,
    ids: &mut dyn IdSource,
    found: &mut Vec<(Sym, Value)>,
) -> Result<(), Breach> {
    for field in declared {
        let value = match with.iter().find(|(name, _)| *name == field.name) {
            Some((_, expr)) => evaluate(view, expr, ids)?,
            None => Cow::Owned(Value::Absent),
        };
        let value = fit_field(view.registry.pack(), field, value, effect)?;
        if value.is_present() {
            found.push((field.name, value.into_owned()));
        }
    }
    Ok(())
}

fn write<'a>(
    view: &View<'a>,
    pack: &Pack,
    effect: &'a Effect,
    draft: &mut Draft<'_>,
    ids: &mut dyn IdSource,
) -> Result<(), Breach> {
    match &effect.verb {
        Verb::Set(fields) => {
            for (slot, expr) in fields {
                let value = evaluate(view, expr, ids)?;
                if value.is_present() {
                    let value = fit(pack, &pack.slots[slot.index()].ty, value, effect)?;
                    put(view, pack, *slot, value, effect, draft)?;
                }
            }
        }
        Verb::ClearFrame(frames) => {
            for slot in frames.iter().flat_map(|frame: &FrameId| pack.frames[frame.index()].fields()) {
                clear(pack, slot, draft);
            }
        }
        Verb::ClearField(slots) => {
            for slot in slots {
                draft.may_write(pack, *slot, effect)?;
                clear(pack, *slot, draft);
            }
        }
        Verb::Open { frame, with } => open(view, pack, *frame, with, effect, draft, ids)?,
        Verb::Close { frame, ended } => close(pack, *frame, *ended, effect, draft)?,
        Verb::Append(fields) => {
            for (slot, expr) in fields {
                let value = evaluate(view, expr, ids)?;
                if value.is_present() {
                    let ty = &pack.slots[slot.index()].ty;
                    let mut items = items_of(&draft.slots[slot.index()]);
                    for item in many(&value) {
                        let item = Cow::Borrowed(item);
                        items.push(match ty.item() {
                            Some(of) => fit(pack, of, item, effect)?.into_owned(),
                            None => item.into_owned(),
                        });
                    }
                    put(view, pack, *slot, Cow::Owned(bounded(ty, items, effect)?), effect, draft)?;
                }
            }
        }
        Verb::Remove(fields) => {
            for (slot, expr) in fields {
                let value = evaluate(view, expr, ids)?;
                if value.is_present() {
                    let of = match &pack.slots[slot.index()].ty {
                        Type::List { of, .. } | Type::Set { of, .. } | Type::Map { key: of, .. } => of,
                        _ => continue,
                    };
                    let gone = many(&value).iter().map(|item| fit(pack, of, Cow::Borrowed(item), effect));
                    let gone = gone.collect::<Result<Vec<_>, _>>()?;
                    let stays = |item: &Value| gone.iter().all(|gone| **gone != *item);
                    let rest = match &draft.slots[slot.index()] {
                        Value::List(items) => Value::List(items.iter().filter(|item| stays(item)).cloned().collect()),
                        Value::Map(entries) => {
                            Value::Map(entries.iter().filter(|(key, _)| stays(key)).cloned().collect())
                        }
                        _ => continue,
                    };
                    put(view, pack, *slot, Cow::Owned(rest), effect, draft)?;
                }
            }
        }
        Verb::Increment(fields) => {
            for (slot, by) in fields {
                let Value::Int(number) = draft.slots[slot.index()] else { continue };
                let sum = number.checked_add(*by).ok_or(Breach::overflow(effect.span))?;
                put(view, pack, *slot, Cow::Owned(Value::Int(sum)), effect, draft)?;
            }
        }
        Verb::Merge(fields) => {
            for (slot, expr) in fields {
                let value = evaluate(view, expr, ids)?;
                if value.is_present() {
                    let merged =
                        merged(pack, &pack.slots[slot.index()].ty, &draft.slots[slot.index()], value.into_owned());
                    let value = fit(pack, &pack.slots[slot.index()].ty, Cow::Owned(merged), effect)?;
                    put(view, pack, *slot, value, effect, draft)?;
                }
            }
        }
        Verb::Call(_) | Verb::Emit { .. } => {}
    }
    Ok(())
}

/// Opens an instance: each field as it is given, else as declared. From here on it is the bound one.
fn open<'a>(
    view: &View<'a>,
    pack: &Pack,
    frame: FrameId,
    with: &'a [(Slot, Expr)],
    effect: &Effect,
    draft: &mut Draft<'_>,
    ids: &mut dyn IdSource,
) -> Result<(), Breach> {
    let Some(keyed) = &pack.frames[frame.index()].keyed else { return Ok(()) };
    let key = SmolStr::from(ids.fresh(&keyed.prefix));
    let mut fields: Vec<Value> = keyed.fields().map(|slot| pack.slots[slot.index()].cleared.clone()).collect();
    for (slot, expr) in with {
        let value = evaluate(view, expr, ids)?;
        if value.is_present() {
            let value = fit(pack, &pack.slots[slot.index()].ty, value, effect)?;
            fields[usize::from(slot.0 - keyed.fields.start)] = value.into_owned();
        }
    }
    // What the one bound before holds by now is kept with it.
    draft.instances.keep(keyed, draft.slots);
    draft.left.extend(bound(pack, frame, draft.slots).map(|(key, _)| (frame, key.clone())));
    for (slot, value) in keyed.fields().zip(fields) {
        draft.slots[slot.index()] = value;
    }
    draft.slots[keyed.key().index()] = Value::Text(key);
    draft.slots[keyed.known().index()] = Value::Bool(true);
    draft.slots[keyed.open().index()] = Value::Bool(true);
    draft.slots[keyed.ended().index()] = Value::Absent;
    draft.instances.keep(keyed, draft.slots);
    draft.instances.count(keyed, draft.slots);
    draft.opened.insert(frame);
    pack.frames[frame.index()].fields().for_each(|slot| draft.written.insert(slot));
    Ok(())
}

/// Ends the bound instance. It can still be read in this step.
fn close(pack: &Pack, frame: FrameId, ended: Sym, effect: &Effect, draft: &mut Draft<'_>) -> Result<(), Breach> {
    let Some(keyed) = &pack.frames[frame.index()].keyed else { return Ok(()) };
    let Some((key, true)) = bound(pack, frame, draft.slots) else { return Err(Breach::not_open(effect.span)) };
    draft.closed.push((frame, key.clone()));
    draft.slots[keyed.open().index()] = Value::Bool(false);
    draft.slots[keyed.ended().index()] = Value::Sym(ended);
    draft.instances.keep(keyed, draft.slots);
    draft.instances.count(keyed, draft.slots);
    for slot in [keyed.open(), keyed.ended(), keyed.open_count(), keyed.only()] {
        draft.written.insert(slot);
    }
    Ok(())
}

fn put(
    view: &View<'_>,
    pack: &Pack,
    slot: Slot,
    value: Cow<'_, Value>,
    effect: &Effect,
    draft: &mut Draft<'_>,
) -> Result<(), Breach> {
    draft.may_write(pack, slot, effect)?;
    let field = &pack.slots[slot.index()];
    let stands = &mut draft.slots[slot.index()];
    // Of an instance that was just opened nothing stood there before.
    if field.set_once && !draft.opened.has(field.frame) {
        let stood = &view.now[slot.index()];
        if *stood != field.cleared && *stood == *stands && *stood != *value {
            return Err(Breach::set_once(effect.span, slot));
        }
    }
    *stands = value.into_owned();
    draft.written.insert(slot);
    Ok(())
}

fn clear(pack: &Pack, slot: Slot, draft: &mut Draft<'_>) {
    draft.slots[slot.index()] = pack.slots[slot.index()].cleared.clone();
    draft.written.insert(slot);
}

fn items_of(list: &Value) -> Vec<Value> {
    match list {
        Value::List(items) => items.to_vec(),
        _ => Vec::new(),
    }
}

/// A list or set stands for its items: loading reads a single item and a whole collection apart.
fn many(value: &Value) -> &[Value] {
    match value {
        Value::List(items) => items,
        value => std::slice::from_ref(value),
    }
}

fn merged(pack: &Pack, ty: &Type, old: &Value, new: Value) -> Value {
    match (old, new) {
        (Value::Map(old), Value::Map(new)) => {
            let mut entries: Vec<(Value, Value)> =
                old.iter().filter(|(key, _)| !new.iter().any(|(other, _)| other == key)).cloned().collect();
            entries.extend(new.iter().cloned());
            entries.sort();
            Value::Map(entries.into())
        }
        (Value::Record(old), Value::Record(new)) => {
            let declared: Vec<Sym> = match ty {
                Type::Record(id) => pack.records[id.index()].fields.iter().map(|field| field.name).collect(),
                _ => Vec::new(),
            };
            let mut record = RecordValue::default();
            for name in declared {
                let value = if new.field(name).is_present() { new.field(name) } else { old.field(name) };
                if value.is_present() {
                    record.fields.push((name, value.clone()));
                }
            }
            record.extra = old.extra_with(&new);
            Value::Record(record.into())
        }
        (_, new) => new,
    }
}

/// Fits a value into a type that loading has found to admit it: a scalar becomes text where text is due, a set is sorted,
/// fields of records take their defaults, bounds are kept.
fn fit<'v>(pack: &Pack, ty: &Type, value: Cow<'v, Value>, effect: &Effect) -> Result<Cow<'v, Value>, Breach> {
    match &*value {
        Value::Absent | Value::Text(_) => Ok(value),
        value if matches!(ty, Type::Text | Type::Narrative) => {
            Ok(Cow::Owned(Value::text(&scalar_text(&pack.names, value))))
        }
        found @ (Value::List(_) | Value::Map(_) | Value::Record(_)) => {
            Ok(fit_each(pack, ty, found, effect)?.map_or(value, Cow::Owned))
        }
        _ => Ok(value),
    }
}

/// A collection or a record with what is in it fitted; `None` where it fits as it is, or its type says nothing of what is in it.
fn fit_each(pack: &Pack, ty: &Type, value: &Value, effect: &Effect) -> Result<Option<Value>, Breach> {
    // Whether what was looked at so far fits as it is.
    let mut same = true;
    let mut fitted = |ty: &Type, value: &Value| {
        let value = fit(pack, ty, Cow::Borrowed(value), effect)?;
        same &= matches!(value, Cow::Borrowed(_));
        Ok(value.into_owned())
    };
    let made = match (ty, value) {
        (Type::List { of, .. } | Type::Set { of, .. }, Value::List(items)) => {
            let all = items.iter().map(|item| fitted(of, item)).collect::<Result<_, _>>()?;
            let made = bounded(ty, all, effect)?;
            same &= matches!((ty, &made), (Type::List { .. }, Value::List(all)) if all.len() == items.len());
            made
        }
        (Type::Map { of, max, .. }, Value::Map(entries)) => {
            if entries.len() > *max as usize {
                return Err(Breach::too_many(effect.span));
            }
            let entries = entries.iter().map(|(key, value)| Ok((key.clone(), fitted(of, value)?)));
            Value::Map(entries.collect::<Result<_, _>>()?)
        }
        (Type::Record(id), Value::Record(record)) => {
            let mut fields = Vec::with_capacity(record.fields.len());
            for field in &pack.records[id.index()].fields {
                let value = fit_field(pack, field, Cow::Borrowed(record.field(field.name)), effect)?;
                if value.is_present() {
                    same &= matches!(value, Cow::Borrowed(_));
                    fields.push((field.name, value.into_owned()));
                }
            }
            // A default is borrowed as well.
            same &= fields.iter().map(|(name, _)| name).eq(record.fields.iter().map(|(name, _)| name));
            Value::Record(RecordValue { fields, extra: record.extra.clone() }.into())
        }
        _ => return Ok(None),
    };
    Ok((!same).then_some(made))
}

/// A named value as its declaration holds it; the default where there is none, absent where there may be none.
fn fit_field<'v>(
    pack: &Pack,
    field: &'v NamedType,
    value: Cow<'v, Value>,
    effect: &Effect,
) -> Result<Cow<'v, Value>, Breach> {
    if value.is_present() {
        return fit(pack, &field.ty, value, effect);
    }
    match &field.default {
        _ if field.optional => Ok(value),
        Some(default) => Ok(Cow::Borrowed(default)),
        None => Err(Breach::missing_field(effect.span)),
    }
}

/// Items as a list or a set of at most so many.
fn bounded(ty: &Type, items: Vec<Value>, effect: &Effect) -> Result<Value, Breach> {
    match ty {
        Type::List { max, evict, unique, .. } => {
            let over = items.len().saturating_sub(*max as usize);
            if over > 0 && !evict {
                return Err(Breach::too_many(effect.span));
            }
            let items = &items[over..];
            if unique.is_some_and(|field| twice(field, items).is_some()) {
                return Err(Breach::twice(effect.span));
            }
            Ok(Value::List(items.into()))
        }
        Type::Set { max, .. } => {
            let items = set_of(items);
            if items.len() > *max as usize {
                return Err(Breach::too_many(effect.span));
            }
            Ok(Value::List(items.into()))
        }
        _ => Ok(Value::List(items.into())),
    }
}

/// A value as a call sends it: a relative period, wherever it stands in the value, is the interval it means today.
fn composed(view: &View<'_>, value: &Value) -> Value {
    match value {
        Value::Period(period @ Period::Relative(_)) => {
            let Value::Period(Period::Day(today)) = view.env.today else { return value.clone() };
            match period.interval(today, &view.registry.pack().relative) {
                Some((first, last)) => Value::Period(Period::Range(first, last)),
                None => value.clone(),
            }
        }
        Value::List(items) => Value::List(items.iter().map(|item| composed(view, item)).collect()),
        Value::Map(entries) => {
            Value::Map(entries.iter().map(|(key, value)| (key.clone(), composed(view, value))).collect())
        }
        Value::Record(record) => {
            let fields = record.fields.iter().map(|(name, value)| (*name, composed(view, value))).collect();
            Value::Record(RecordValue { fields, extra: record.extra.clone() }.into())
        }
        value => value.clone(),
    }
}

/// A number times a hundred, exactly.
fn hundredfold(number: Decimal) -> String {
    let (digits, scale) = (number.mantissa(), number.scale());
    match scale.checked_sub(2) {
        Some(scale) => Decimal::from_i128_with_scale(digits, scale).normalize().to_string(),
        None => (digits * 10_i128.pow(2 - scale)).to_string(),
    }
}

/// The text of a message: `{field}` is its value as people see it, `{field:percent}` a hundredfold. Of several lines one that has fields,
/// none of which is there, is left out.
pub fn fill(pack: &Pack, template: &str, fields: &[(Sym, Value)]) -> String {
    let lines: Vec<(String, bool)> = template.split('\n').map(|line| fill_line(pack, line, fields)).collect();
    let several = lines.len() > 1;
    let kept: Vec<String> = lines.into_iter().filter(|(_, empty)| !(several && *empty)).map(|(line, _)| line).collect();
    kept.join("\n")
}

/// A line of a text, and whether it has fields and none of them is there.
fn fill_line(pack: &Pack, template: &str, fields: &[(Sym, Value)]) -> (String, bool) {
    let (mut text, mut named, mut there) = (String::new(), false, false);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((name, after)) = after.split_once('}') else {
            text.push('{');
            rest = after;
            continue;
        };
        let (name, percent) = name.strip_suffix(":percent").map_or((name, false), |name| (name, true));
        let found = fields.iter().find(|(field, _)| pack.names.text(*field) == name);
        (named, there) = (true, there || found.is_some());
        match found {
            Some((_, Value::Int(number))) if percent => text.push_str(&format!("{}%", hundredfold((*number).into()))),
            Some((_, Value::Decimal(number))) if percent => text.push_str(&format!("{}%", hundredfold(*number))),
            Some((_, value)) => text.push_str(&scalar_text(&pack.names, value)),
            None => {}
        }
        rest = after;
    }
    text.push_str(rest);
    (text, named && !there)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_is_exact() {
        let number = |text: &str| hundredfold(Decimal::from_str_exact(text).expect("a decimal"));
        for (given, shown) in [
            ("0.7", "70"),
            ("0.70", "70"),
            ("0.685", "68.5"),
            ("0.075", "7.5"),
            ("1", "100"),
            ("0", "0"),
            ("-0.05", "-5"),
            ("0.0000000001", "0.00000001"),
            ("79228162514264337593543950335", "7922816251426433759354395033500"),
        ] {
            assert_eq!(number(given), shown, "{given}");
        }
    }
}
