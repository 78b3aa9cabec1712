//! Doing: the ordered effects of a step on a copy of the state, then its calls and messages.

use crate::model::Pack;
use crate::model::effect::{Effect, Expr, Verb};
use crate::model::ids::{FrameId, KeptId, Slot, SlotSet};
use crate::model::json::{scalar_text, set_of};
use crate::model::names::Sym;
use crate::model::period::Period;
use crate::model::schema::{NamedType, Type};
use crate::model::value::{RecordValue, Value};

use super::eval::{Readable, View};
use super::event::IdSource;
use super::verify::Breach;
use super::{CallOut, MessageOut};

/// What the effects of a step made.
#[derive(Debug, Default)]
pub struct Done {
    pub slots: Vec<Value>,
    pub written: SlotSet,
    pub calls: Vec<CallOut>,
    pub kept: Vec<Vec<(KeptId, Value)>>,
    pub messages: Vec<MessageOut>,
}

/// Does `effects`. `view.now` is the state after carry: values and every `when` of state-writing items read it; calls and
/// messages read the state after the last effect. In values, not in a `when`, what is not `readable` is absent, unless
/// `with` reads what these effects have written.
///
/// # Errors
/// What cannot be done: a plain `$x` that is absent, a collection that overflows, a number that leaves its range.
pub fn perform<'a>(
    view: &View<'a>,
    readable: Option<Readable<'a>>,
    effects: &'a [Effect],
    written: SlotSet,
    ids: &mut dyn IdSource,
) -> Result<Done, Breach> {
    let pack = view.registry.pack();
    let mut done = Done { slots: view.now.to_vec(), written, ..Done::default() };
    let mut later: Vec<&'a Effect> = Vec::new();
    let mut fresh = |prefix: &str| Value::Text(ids.fresh(prefix));
    let values = View { readable, ..*view };
    for effect in effects {
        if !view.holds(&effect.when) {
            continue;
        }
        match &effect.verb {
            Verb::Call(_) | Verb::Emit { .. } => later.push(effect),
            verb => write(&values, pack, verb, effect, &mut done, &mut fresh)?,
        }
    }
    let slots = std::mem::take(&mut done.slots);
    let written = done.written.clone();
    let readable = readable.map(|readable| Readable { own: Some(&written), ..readable });
    let after = View { now: &slots, readable, ..*view };
    for effect in later {
        match &effect.verb {
            Verb::Call(call) => {
                let request = &pack.ports[call.port.index()].request;
                let mut with = given(&after, request, &call.with, effect, &mut fresh)?;
                with.iter_mut().for_each(|(_, value)| *value = composed(&after, value));
                let mut kept = Vec::new();
                for (id, expr) in &call.keep {
                    if let Some(value) = evaluate(&after, expr, &mut fresh)? {
                        kept.push((*id, fit(pack, &pack.kept[id.index()].1, value, effect)?));
                    }
                }
                let id = match fresh("call") {
                    Value::Text(id) => id,
                    _ => "".into(),
                };
                done.calls.push(CallOut { id, site: call.id, port: call.port, with });
                done.kept.push(kept);
            }
            Verb::Emit { message, with } => {
                let declared = &pack.messages[message.index()];
                let mut fields = declared.consts.clone();
                fields.extend(given(&after, &declared.fields, with, effect, &mut fresh)?);
                let text = declared.text.as_deref().map(|template| fill(pack, template, &fields));
                done.messages.push(MessageOut { message: *message, fields, text });
            }
            _ => {}
        }
    }
    done.slots = slots;
    Ok(done)
}

fn evaluate<'a>(
    view: &View<'a>,
    expr: &'a Expr,
    fresh: &mut dyn FnMut(&str) -> Value,
) -> Result<Option<Value>, Breach> {
    let value = view.value(expr, fresh).map_err(|path| Breach::absent(path.span))?;
    Ok(value.is_present().then_some(value))
}

/// What a call or a message is given, in declared order; what is not given takes its default.
fn given<'a>(
    view: &View<'a>,
    declared: &[NamedType],
    with: &'a [(Sym, Expr)],
    effect: &Effect,
    fresh: &mut dyn FnMut(&str) -> Value,
) -> Result<Vec<(Sym, Value)>, Breach> {
    let mut found = Vec::with_capacity(declared.len());
    for field in declared {
        let value = match with.iter().find(|(name, _)| *name == field.name) {
            Some((_, expr)) => evaluate(view, expr, fresh)?,
            None => None,
        };
        if let Some(value) = fit_field(view.registry.pack(), field, value, effect)? {
            found.push((field.name, value));
        }
    }
    Ok(found)
}

fn write<'a>(
    view: &View<'a>,
    pack: &Pack,
    verb: &'a Verb,
    effect: &Effect,
    done: &mut Done,
    fresh: &mut dyn FnMut(&str) -> Value,
) -> Result<(), Breach> {
    match verb {
        Verb::Set(fields) => {
            for (slot, expr) in fields {
                if let Some(value) = evaluate(view, expr, fresh)? {
                    let value = fit(pack, &pack.slots[slot.index()].ty, value, effect)?;
                    put(view, pack, *slot, value, effect, done)?;
                }
            }
        }
        Verb::ClearFrame(frames) => {
            for slot in frames.iter().flat_map(|frame: &FrameId| pack.frames[frame.index()].fields()) {
                clear(pack, slot, done);
            }
        }
        Verb::ClearField(slots) => slots.iter().for_each(|slot| clear(pack, *slot, done)),
        Verb::Append(fields) => {
            for (slot, expr) in fields {
                if let Some(value) = evaluate(view, expr, fresh)? {
                    let ty = &pack.slots[slot.index()].ty;
                    let mut items = items_of(&done.slots[slot.index()]);
                    for item in many(value) {
                        items.push(match ty.item() {
                            Some(of) => fit(pack, of, item, effect)?,
                            None => item,
                        });
                    }
                    put(view, pack, *slot, bounded(ty, items, effect)?, effect, done)?;
                }
            }
        }
        Verb::Remove(fields) => {
            for (slot, expr) in fields {
                if let Some(value) = evaluate(view, expr, fresh)? {
                    let of = match &pack.slots[slot.index()].ty {
                        Type::List { of, .. } | Type::Set { of, .. } | Type::Map { key: of, .. } => of,
                        _ => continue,
                    };
                    let gone = many(value).into_iter().map(|item| fit(pack, of, item, effect));
                    let gone = gone.collect::<Result<Vec<_>, _>>()?;
                    let rest = match &done.slots[slot.index()] {
                        Value::List(items) => {
                            Value::List(items.iter().filter(|item| !gone.contains(item)).cloned().collect())
                        }
                        Value::Map(entries) => {
                            Value::Map(entries.iter().filter(|(key, _)| !gone.contains(key)).cloned().collect())
                        }
                        _ => continue,
                    };
                    put(view, pack, *slot, rest, effect, done)?;
                }
            }
        }
        Verb::Increment(fields) => {
            for (slot, by) in fields {
                let Value::Int(number) = done.slots[slot.index()] else { continue };
                let sum = number.checked_add(*by).ok_or(Breach::overflow(effect.span))?;
                put(view, pack, *slot, Value::Int(sum), effect, done)?;
            }
        }
        Verb::Merge(fields) => {
            for (slot, expr) in fields {
                if let Some(value) = evaluate(view, expr, fresh)? {
                    let merged = merged(pack, &pack.slots[slot.index()].ty, &done.slots[slot.index()], value);
                    let value = fit(pack, &pack.slots[slot.index()].ty, merged, effect)?;
                    put(view, pack, *slot, value, effect, done)?;
                }
            }
        }
        Verb::Call(_) | Verb::Emit { .. } => {}
    }
    Ok(())
}

fn put(view: &View<'_>, pack: &Pack, slot: Slot, value: Value, effect: &Effect, done: &mut Done) -> Result<(), Breach> {
    let field = &pack.slots[slot.index()];
    let stood = &view.now[slot.index()];
    let stands = *stood != field.default && *stood == done.slots[slot.index()];
    if field.set_once && stands && *stood != value {
        return Err(Breach::set_once(effect.span, slot));
    }
    done.slots[slot.index()] = value;
    done.written.insert(slot);
    Ok(())
}

fn clear(pack: &Pack, slot: Slot, done: &mut Done) {
    done.slots[slot.index()] = pack.slots[slot.index()].default.clone();
    done.written.insert(slot);
}

fn items_of(list: &Value) -> Vec<Value> {
    match list {
        Value::List(items) => items.to_vec(),
        _ => Vec::new(),
    }
}

/// A list or set stands for its items: loading reads a single item and a whole collection apart.
fn many(value: Value) -> Vec<Value> {
    match value {
        Value::List(items) => items.to_vec(),
        value => vec![value],
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
            record.extra =
                old.extra.iter().filter(|(key, _)| !new.extra.iter().any(|(k, _)| k == key)).cloned().collect();
            record.extra.extend(new.extra.iter().cloned());
            record.extra.sort();
            Value::Record(record.into())
        }
        (_, new) => new,
    }
}

/// Fits a value into a type that loading has found to admit it: a scalar becomes text where text is due, a set is sorted,
/// fields of records take their defaults, bounds are kept.
fn fit(pack: &Pack, ty: &Type, value: Value, effect: &Effect) -> Result<Value, Breach> {
    match (ty, value) {
        (Type::Text | Type::Narrative, value @ (Value::Text(_) | Value::Absent)) => Ok(value),
        (Type::Text | Type::Narrative, value) => Ok(Value::text(&scalar_text(&pack.names, &value))),
        (Type::List { of, .. } | Type::Set { of, .. }, Value::List(items)) => {
            let items = items.iter().map(|item| fit(pack, of, item.clone(), effect)).collect::<Result<_, _>>()?;
            bounded(ty, items, effect)
        }
        (Type::Map { of, max, .. }, Value::Map(entries)) => {
            if entries.len() > *max as usize {
                return Err(Breach::too_many(effect.span));
            }
            let fitted = entries.iter().map(|(key, value)| Ok((key.clone(), fit(pack, of, value.clone(), effect)?)));
            Ok(Value::Map(fitted.collect::<Result<_, _>>()?))
        }
        (Type::Record(id), Value::Record(record)) => {
            let mut fields = Vec::new();
            for field in &pack.records[id.index()].fields {
                let value = Some(record.field(field.name).clone()).filter(Value::is_present);
                if let Some(value) = fit_field(pack, field, value, effect)? {
                    fields.push((field.name, value));
                }
            }
            Ok(Value::Record(RecordValue { fields, extra: record.extra.clone() }.into()))
        }
        (_, value) => Ok(value),
    }
}

/// A named value as its declaration holds it; the default where there is none.
fn fit_field(pack: &Pack, field: &NamedType, value: Option<Value>, effect: &Effect) -> Result<Option<Value>, Breach> {
    match value {
        Some(value) => fit(pack, &field.ty, value, effect).map(Some),
        None if field.optional => Ok(None),
        None => field.default.clone().map(Some).ok_or(Breach::missing_field(effect.span)),
    }
}

/// Items as a list or a set of at most so many.
fn bounded(ty: &Type, items: Vec<Value>, effect: &Effect) -> Result<Value, Breach> {
    match ty {
        Type::List { max, evict, .. } => {
            let over = items.len().saturating_sub(*max as usize);
            if over > 0 && !evict {
                return Err(Breach::too_many(effect.span));
            }
            Ok(Value::List(items[over..].into()))
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

fn fill(pack: &Pack, template: &str, fields: &[(Sym, Value)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((name, after)) = after.split_once('}') else {
            text.push('{');
            rest = after;
            continue;
        };
        if let Some((_, value)) = fields.iter().find(|(field, _)| pack.names.text(*field) == name) {
            text.push_str(&scalar_text(&pack.names, value));
        }
        rest = after;
    }
    text.push_str(rest);
    text
}
