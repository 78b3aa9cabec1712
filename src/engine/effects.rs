//! Doing: the ordered effects of a step on a copy of the state, then its calls and messages.

use crate::model::Pack;
use crate::model::effect::{Effect, Expr, Verb};
use crate::model::ids::{FrameId, KeptId, Slot, SlotSet};
use crate::model::json::{scalar_text, set_of};
use crate::model::names::Sym;
use crate::model::schema::Type;
use crate::model::value::{RecordValue, Value};

use super::eval::View;
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
/// messages read the state after the last effect.
///
/// # Errors
/// What cannot be done: a plain `$x` that is absent, a collection that overflows, a number that leaves its range.
pub fn perform<'a>(
    view: &View<'a>,
    effects: &'a [Effect],
    written: SlotSet,
    ids: &mut dyn IdSource,
) -> Result<Done, Breach> {
    let pack = view.registry.pack();
    let mut done = Done { slots: view.now.to_vec(), written, ..Done::default() };
    let mut later: Vec<&'a Effect> = Vec::new();
    let mut fresh = |prefix: &str| Value::Text(ids.fresh(prefix));
    for effect in effects {
        if !view.holds(&effect.when) {
            continue;
        }
        match &effect.verb {
            Verb::Call(_) | Verb::Emit { .. } => later.push(effect),
            verb => write(view, pack, verb, effect, &mut done, &mut fresh)?,
        }
    }
    let slots = std::mem::take(&mut done.slots);
    let after = View { now: &slots, ..*view };
    for effect in later {
        match &effect.verb {
            Verb::Call(call) => {
                let request = &pack.ports[call.port.index()].request;
                let mut with = Vec::new();
                for (name, expr) in &call.with {
                    let declared = request.iter().find(|arg| arg.name == *name);
                    if let Some(value) = evaluate(&after, expr, &mut fresh)? {
                        let value = match declared {
                            Some(arg) => compose(&after, fit(pack, &arg.ty, value, effect)?),
                            None => value,
                        };
                        with.push((*name, value));
                    }
                }
                for arg in request {
                    if let Some(default) = &arg.default
                        && !with.iter().any(|(name, _)| *name == arg.name)
                    {
                        with.push((arg.name, default.clone()));
                    }
                }
                let mut kept = Vec::new();
                for (id, expr) in &call.keep {
                    if let Some(value) = evaluate(&after, expr, &mut fresh)? {
                        kept.push((*id, value));
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
                for field in &declared.fields {
                    let given = with.iter().find(|(name, _)| *name == field.name);
                    let value = match given {
                        Some((_, expr)) => evaluate(&after, expr, &mut fresh)?,
                        None => None,
                    };
                    match value.or_else(|| field.default.clone()) {
                        Some(value) => fields.push((field.name, fit(pack, &field.ty, value, effect)?)),
                        None if field.optional => {}
                        None => return Err(Breach::missing_field(effect.span)),
                    }
                }
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
                    let list = appended(&pack.slots[slot.index()].ty, &done.slots[slot.index()], value);
                    let value = fit(pack, &pack.slots[slot.index()].ty, list, effect)?;
                    put(view, pack, *slot, value, effect, done)?;
                }
            }
        }
        Verb::Remove(fields) => {
            for (slot, expr) in fields {
                if let Some(value) = evaluate(view, expr, fresh)? {
                    let gone = match &value {
                        Value::List(items) => items.to_vec(),
                        value => vec![value.clone()],
                    };
                    let rest = match &done.slots[slot.index()] {
                        Value::List(items) => {
                            Value::List(items.iter().filter(|item| !gone.contains(item)).cloned().collect())
                        }
                        Value::Map(entries) => {
                            Value::Map(entries.iter().filter(|(key, _)| !gone.contains(key)).cloned().collect())
                        }
                        other => other.clone(),
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
    if field.set_once && *stood != field.default && *stood != value {
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

fn appended(ty: &Type, old: &Value, value: Value) -> Value {
    let mut items = match old {
        Value::List(items) => items.to_vec(),
        _ => Vec::new(),
    };
    match value {
        Value::List(more) if ty.item().is_some_and(|item| !item.is_collection()) => items.extend(more.iter().cloned()),
        value => items.push(value),
    }
    Value::List(items.into())
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
/// bounds are kept.
fn fit(pack: &Pack, ty: &Type, value: Value, effect: &Effect) -> Result<Value, Breach> {
    match (ty, value) {
        (Type::Text | Type::Narrative, value @ (Value::Text(_) | Value::Absent)) => Ok(value),
        (Type::Text | Type::Narrative, value) => Ok(Value::text(&scalar_text(&pack.names, &value))),
        (Type::Set { max, .. }, Value::List(items)) => {
            let items = set_of(items.to_vec());
            if items.len() > *max as usize {
                return Err(Breach::too_many(effect.span, *max));
            }
            Ok(Value::List(items.into()))
        }
        (Type::List { max, evict, .. }, Value::List(items)) => {
            let over = items.len().saturating_sub(*max as usize);
            if over == 0 {
                Ok(Value::List(items))
            } else if *evict {
                Ok(Value::List(items[over..].into()))
            } else {
                Err(Breach::too_many(effect.span, *max))
            }
        }
        (Type::Map { max, .. }, Value::Map(entries)) if entries.len() > *max as usize => {
            Err(Breach::too_many(effect.span, *max))
        }
        (_, value) => Ok(value),
    }
}

/// A relative period becomes an interval when a call is composed.
fn compose(view: &View<'_>, value: Value) -> Value {
    use crate::model::period::Period;
    match (&value, &view.env.today) {
        (Value::Period(period @ Period::Relative(_)), Value::Period(Period::Day(today))) => {
            match period.interval(*today, &view.registry.pack().relative) {
                Some((first, last)) => Value::Period(Period::Range(first, last)),
                None => value,
            }
        }
        _ => value,
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
