//! Effects, one after the other, on a copy of the state; what cannot be done is a breach.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use segue::model::cond::Path;
use segue::model::effect::{Effect, Expr, Pick, Take, Verb};
use segue::model::ids::{FrameId, MessageId, Slot};
use segue::model::json::{named_to_wire, scalar_text, set_of};
use segue::model::names::Sym;
use segue::model::period::Period;
use segue::model::schema::{NamedType, Type};
use segue::model::value::{RecordValue, Value};
use segue::model::walk::slot_of;
use segue::model::{Message, Pack};

use super::contract::admits;
use super::instances::{Instances, Key, is_open, key_of, keyed, owners};
use super::view::{Made, View};
use super::{Fields, Ids};

/// A message that a step sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    pub message: MessageId,
    pub fields: Vec<(Sym, Value)>,
    pub text: Option<String>,
}

/// What a list of effects came to.
#[derive(Debug, Clone, Default)]
pub struct Done {
    pub state: Fields,
    pub written: BTreeSet<Slot>,
    pub cleared: BTreeSet<FrameId>,
    pub instances: Instances,
    /// For each call that is due the instances that it belongs to.
    owners: Vec<Vec<Key>>,
    /// Instances that were closed, and those that were bound before another was opened.
    pub closed: Vec<Key>,
    pub left: Vec<Key>,
    opened: BTreeSet<FrameId>,
    pub calls: Vec<Made>,
    pub sent: Vec<Sent>,
    /// The first thing that could not be done; nothing is done after it.
    pub breach: Option<String>,
}

/// Does effects. `view` is the state after carry; `readable` says which fields values may read; `earlier` what the turn
/// has written before.
pub fn perform(
    view: &View<'_>,
    instances: &Instances,
    effects: &[Effect],
    readable: &dyn Fn(Slot) -> bool,
    earlier: &BTreeSet<Slot>,
    ids: &mut Ids,
) -> Done {
    let pack = view.pack;
    let mut done = Done { state: view.now.clone(), instances: instances.clone(), ..Done::default() };
    let due: Vec<&Effect> = effects.iter().filter(|effect| view.holds(&effect.when)).collect();
    let own_before: BTreeSet<Slot> = earlier.clone();
    for effect in &due {
        if matches!(effect.verb, Verb::Call(_)) {
            done.owners.push(owners(pack, &done.state));
        }
        let mut read = Reader { view, readable, written: &own_before, ids: &mut *ids };
        write(pack, &effect.verb, &mut read, &mut done);
        if done.breach.is_some() {
            return done;
        }
    }
    pack.keyed.iter().for_each(|frame| done.instances.note(pack, *frame, &done.state));
    let after = done.state.clone();
    let written: BTreeSet<Slot> = earlier.union(&done.written).copied().collect();
    for effect in &due {
        let late = View { now: &after, ..*view };
        let mut read = Reader { view: &late, readable, written: &written, ids: &mut *ids };
        speak(pack, &effect.verb, &mut read, &mut done);
        if done.breach.is_some() {
            return done;
        }
    }
    done
}

struct Reader<'a> {
    view: &'a View<'a>,
    readable: &'a dyn Fn(Slot) -> bool,
    written: &'a BTreeSet<Slot>,
    ids: &'a mut Ids,
}

impl Reader<'_> {
    fn path(&self, path: &Path) -> Value {
        use segue::model::cond::Place;
        let own = matches!(path.place, Place::Field(slot) if self.written.contains(&slot));
        if slot_of(path).is_some_and(|slot| !own && !(self.readable)(slot)) {
            return Value::Absent;
        }
        self.view.get(path)
    }

    /// The value of an expression, `Absent` where it may be; an error where a value that must be there is not.
    fn value(&mut self, expr: &Expr, ty: &Type) -> Result<Value, String> {
        let pack = self.view.pack;
        let value = match expr {
            Expr::Value(value) => value.clone(),
            Expr::Path { path, optional } => {
                let value = self.path(path);
                if !value.is_present() && !optional {
                    return Err("a value that must be there is absent".into());
                }
                value
            }
            Expr::First(of) => {
                let (last, others) = of.split_last().expect("loading refuses an empty list");
                for expr in others {
                    if let Ok(value) = self.value(expr, ty)
                        && value.is_present()
                    {
                        return Ok(value);
                    }
                }
                self.value(last, ty)?
            }
            Expr::Join { of, sep } => {
                let mut texts = Vec::new();
                for expr in of {
                    match self.value(expr, &Type::Text)? {
                        Value::Absent => {}
                        Value::List(items) => {
                            texts.extend(items.iter().map(|item| scalar_text(&pack.names, item).into_owned()))
                        }
                        value => texts.push(scalar_text(&pack.names, &value).into_owned()),
                    }
                }
                Value::text(&texts.join(sep))
            }
            Expr::NewId(prefix) => Value::text(&self.ids.fresh(prefix)),
            Expr::Record(of) => {
                let Type::Record(id) = ty else { return Err("a record where none may be".into()) };
                let mut record = RecordValue::default();
                for declared in &pack.records[id.index()].fields {
                    let given = match of.iter().find(|(name, _)| *name == declared.name) {
                        Some((_, expr)) => self.value(expr, &declared.ty)?,
                        None => Value::Absent,
                    };
                    let value = if given.is_present() { given } else { declared.default.clone().unwrap_or_default() };
                    if value.is_present() {
                        record.fields.push((declared.name, value));
                    }
                }
                Value::Record(record.into())
            }
            Expr::List(of) => {
                let item = ty.item().ok_or("a list where none may be")?;
                let mut items = Vec::new();
                for expr in of {
                    items.push(self.value(expr, item)?);
                }
                items.retain(Value::is_present);
                Value::List(items.into())
            }
            Expr::Map(of) => {
                let Type::Map { key: key_type, of: ty, .. } = ty else { return Err("a map where none may be".into()) };
                let mut entries = Vec::new();
                for (key, expr) in of {
                    let (key, value) = (self.value(key, key_type)?, self.value(expr, ty)?);
                    if key.is_present() && value.is_present() {
                        entries.retain(|(known, _)| *known != key);
                        entries.push((key, value));
                    }
                }
                entries.sort();
                Value::Map(entries.into())
            }
            Expr::Pick(pick) => match (self.path(&pick.from), pick.optional) {
                (Value::Absent, false) => return Err("a collection that must be there is absent".into()),
                (Value::Absent, true) => Value::Absent,
                (found, _) => self.picked(pick, &found),
            },
        };
        fitted(pack, ty, value)
    }
}

impl Reader<'_> {
    /// The entries that pass; of each what is taken. What `where` compares with is read as values are.
    fn picked(&self, pick: &Pick, found: &Value) -> Value {
        let (_, ty) = self.view.look(&pick.from);
        let (mut now, mut before) = (self.view.now.clone(), self.view.before.clone());
        for slot in (0..self.view.pack.slots.len()).map(Slot::at).filter(|slot| !(self.readable)(*slot)) {
            before.put(self.view.pack, slot, Value::Absent);
            if !self.written.contains(&slot) {
                now.put(self.view.pack, slot, Value::Absent);
            }
        }
        let (key_type, item_type) = match &ty {
            Some(Type::Map { key, of, .. }) => ((**key).clone(), (**of).clone()),
            Some(Type::List { of, .. } | Type::Set { of, .. }) => (Type::Int, (**of).clone()),
            _ => (Type::Text, Type::Text),
        };
        let take = |key: &Value, item: &Value| {
            let entry = Some((key, item, &key_type, &item_type));
            let view = View { entry, now: &now, before: &before, ..*self.view };
            if !view.holds(&pick.only) {
                return Value::Absent;
            }
            match &pick.take {
                None => item.clone(),
                Some(Take::Part(path)) => view.get(path),
                Some(Take::Record(parts)) => {
                    let all: Vec<_> = parts.iter().map(|part| (part, view.get(&part.path))).collect();
                    if all.iter().any(|(part, value)| part.needed && !value.is_present()) {
                        return Value::Absent;
                    }
                    let there = all.into_iter().filter(|(_, value)| value.is_present());
                    let fields = there.map(|(part, value)| (part.name, value)).collect();
                    Value::Record(RecordValue { fields, extra: vec![] }.into())
                }
            }
        };
        match found {
            Value::Map(entries) => {
                let all = entries.iter().map(|(key, item)| (key.clone(), take(key, item)));
                Value::Map(all.filter(|(_, item)| item.is_present()).collect())
            }
            Value::List(items) => {
                let all = items.iter().map(|item| take(&Value::Absent, item));
                Value::List(all.filter(Value::is_present).collect())
            }
            _ => Value::Absent,
        }
    }
}

/// A value as its type holds it: scalars as text where a text is due, sets sorted, nothing too long.
fn fitted(pack: &Pack, ty: &Type, value: Value) -> Result<Value, String> {
    let bounded = |len: usize, max: u32| if len > max as usize { Err("too many entries".to_owned()) } else { Ok(()) };
    match (ty, value) {
        (_, Value::Absent) => Ok(Value::Absent),
        (Type::Text | Type::Narrative, value @ (Value::List(_) | Value::Record(_) | Value::Map(_))) => Ok(value),
        (Type::Text | Type::Narrative, value) => Ok(Value::text(&scalar_text(&pack.names, &value))),
        (Type::Set { max, .. }, Value::List(items)) => {
            let items = set_of(items.to_vec());
            bounded(items.len(), *max)?;
            Ok(Value::List(items.into()))
        }
        (Type::List { of, max, unique, .. }, Value::List(items)) => {
            bounded(items.len(), *max)?;
            let items: Vec<Value> =
                items.iter().map(|item| fitted(pack, of, item.clone())).collect::<Result<_, _>>()?;
            borne_once(*unique, &items)?;
            Ok(Value::List(items.into()))
        }
        (Type::Record(id), Value::Record(old)) => {
            let mut record = RecordValue { fields: vec![], extra: old.extra.clone() };
            for declared in &pack.records[id.index()].fields {
                let value = match fitted(pack, &declared.ty, old.field(declared.name).clone())? {
                    Value::Absent => declared.default.clone().unwrap_or_default(),
                    value => value,
                };
                record.fields.extend(value.is_present().then_some((declared.name, value)));
            }
            Ok(Value::Record(record.into()))
        }
        (Type::Map { max, .. }, Value::Map(entries)) => {
            bounded(entries.len(), *max)?;
            Ok(Value::Map(entries))
        }
        (_, value) => Ok(value),
    }
}

/// Refuses records of which two bear the same value in a field that tells them apart.
fn borne_once(field: Option<Sym>, items: &[Value]) -> Result<(), String> {
    let Some(field) = field else { return Ok(()) };
    let mut seen: Vec<&Value> = vec![];
    for item in items {
        if let Value::Record(record) = item {
            let value = record.field(field);
            if value.is_present() && seen.contains(&value) {
                return Err("two items bear the same".into());
            }
            seen.push(value);
        }
    }
    Ok(())
}

/// The state-writing verbs.
fn write(pack: &Pack, verb: &Verb, read: &mut Reader<'_>, done: &mut Done) {
    let ty = |slot: Slot| pack.slots[slot.index()].ty.clone();
    match verb {
        Verb::Set(of) => {
            for (slot, expr) in of {
                let value = read.value(expr, &ty(*slot));
                put(read.view, done, *slot, value);
                if done.breach.is_some() {
                    return;
                }
            }
        }
        Verb::ClearFrame(frames) => {
            for frame in frames {
                done.state.reset_frame(pack, *frame);
                done.written.extend(pack.frames[frame.index()].fields());
                done.cleared.insert(*frame);
            }
        }
        Verb::ClearField(slots) => {
            for slot in slots {
                if !may_write(pack, *slot, done) {
                    return;
                }
                done.state.clear(pack, *slot);
                done.written.insert(*slot);
            }
        }
        Verb::Append(of) => {
            for (slot, expr) in of {
                let value = read.value(expr, &appended(&ty(*slot), expr)).and_then(|value| match value {
                    Value::Absent => Ok(Value::Absent),
                    value => append(&ty(*slot), &done.state.get(pack, *slot), value),
                });
                put(read.view, done, *slot, value);
                if done.breach.is_some() {
                    return;
                }
            }
        }
        Verb::Remove(of) => {
            for (slot, expr) in of {
                let value = read.value(expr, &appended(&ty(*slot), expr));
                let value = value.map(|value| remove(&done.state.get(pack, *slot), &value));
                put(read.view, done, *slot, value);
                if done.breach.is_some() {
                    return;
                }
            }
        }
        Verb::Increment(of) => {
            for (slot, by) in of {
                let value = match done.state.get(pack, *slot) {
                    Value::Int(old) => old.checked_add(*by).map(Value::Int).ok_or("it leaves 64 bits".to_owned()),
                    _ => Ok(Value::Absent),
                };
                put(read.view, done, *slot, value);
                if done.breach.is_some() {
                    return;
                }
            }
        }
        Verb::Merge(of) => {
            for (slot, expr) in of {
                let value = read.value(expr, &ty(*slot));
                let value = value.and_then(|value| merge(pack, &ty(*slot), &done.state.get(pack, *slot), value));
                put(read.view, done, *slot, value);
                if done.breach.is_some() {
                    return;
                }
            }
        }
        Verb::Open { frame, with } => open(pack, *frame, with, read, done),
        Verb::Close { frame, ended } => match key_of(pack, *frame, &done.state) {
            Some(key) if is_open(pack, *frame, &done.state) => {
                done.instances.note(pack, *frame, &done.state);
                done.instances.end(&key, *ended);
                done.state = done.instances.bound(pack, &done.state, &key);
                done.instances.count(pack, &mut done.state);
                let keyed = keyed(pack, *frame);
                done.written.extend([keyed.open(), keyed.ended(), keyed.open_count(), keyed.only()]);
                done.closed.push(key);
            }
            _ => done.breach = Some("nothing open is bound".into()),
        },
        Verb::Call(_) | Verb::Emit { .. } => {}
    }
}

/// Opens an instance and binds it.
fn open(pack: &Pack, frame: FrameId, with: &[(Slot, Expr)], read: &mut Reader<'_>, done: &mut Done) {
    let keyed = keyed(pack, frame);
    let key = read.ids.fresh(&keyed.prefix);
    let mut values: Vec<Value> = keyed.fields().map(|slot| pack.slots[slot.index()].cleared.clone()).collect();
    for (slot, expr) in with {
        let at = keyed.fields().position(|of| of == *slot).expect("a field of the frame");
        match read.value(expr, &pack.slots[slot.index()].ty) {
            Ok(Value::Absent) => {}
            Ok(value) => values[at] = value,
            Err(why) => {
                done.breach = Some(why);
                return;
            }
        }
    }
    done.instances.note(pack, frame, &done.state);
    done.left.extend(key_of(pack, frame, &done.state));
    done.instances.add(frame, key.clone(), values);
    done.state = done.instances.bound(pack, &done.state, &(frame, key));
    done.instances.count(pack, &mut done.state);
    done.opened.insert(frame);
    done.written.extend(pack.frames[frame.index()].fields());
}

/// Whether a field may be written: of an instance only while it is open.
fn may_write(pack: &Pack, slot: Slot, done: &mut Done) -> bool {
    let frame = pack.slots[slot.index()].frame;
    let may = pack.frames[frame.index()].keyed.is_none() || is_open(pack, frame, &done.state);
    if !may {
        done.breach = Some("nothing open is bound".into());
    }
    may
}

fn put(view: &View<'_>, done: &mut Done, slot: Slot, value: Result<Value, String>) {
    let pack = view.pack;
    match value {
        Ok(Value::Absent) => {}
        Ok(value) => {
            if !may_write(pack, slot, done) {
                return;
            }
            let declared = &pack.slots[slot.index()];
            // What stood before the effects and still stands may not be replaced.
            let stood = view.now.get(pack, slot);
            let stands = stood != declared.cleared && done.state.get(pack, slot) == stood;
            if declared.set_once && !done.opened.contains(&declared.frame) && stands && stood != value {
                done.breach = Some("a field that is set once".into());
                return;
            }
            done.state.put(pack, slot, value);
            done.written.insert(slot);
        }
        Err(why) => done.breach = Some(why),
    }
}

/// The type of what is appended or removed: an item, or a whole collection.
fn appended(ty: &Type, expr: &Expr) -> Type {
    match (ty, expr) {
        (Type::List { .. } | Type::Set { .. }, Expr::List(_) | Expr::Pick(_)) => ty.clone(),
        (Type::List { of, .. } | Type::Set { of, .. }, Expr::Record(_) | Expr::Map(_) | Expr::Join { .. }) => {
            (**of).clone()
        }
        (Type::List { of, .. } | Type::Set { of, .. }, _) if !of.is_collection() && !matches!(**of, Type::Text) => {
            Type::Id
        }
        (Type::List { of, .. } | Type::Set { of, .. }, _) => (**of).clone(),
        (ty, _) => ty.clone(),
    }
}

fn append(ty: &Type, old: &Value, new: Value) -> Result<Value, String> {
    let mut items = match old {
        Value::List(items) => items.to_vec(),
        _ => vec![],
    };
    match new {
        Value::List(more) => items.extend(more.iter().cloned()),
        item => items.push(item),
    }
    match ty {
        Type::Set { max, .. } => {
            let items = set_of(items);
            if items.len() > *max as usize { Err("too many entries".into()) } else { Ok(Value::List(items.into())) }
        }
        Type::List { max, evict, unique, .. } => {
            let over = items.len().saturating_sub(*max as usize);
            if over > 0 && !evict {
                return Err("too many entries".into());
            }
            items.drain(..over);
            borne_once(*unique, &items)?;
            Ok(Value::List(items.into()))
        }
        _ => Err("not a list".into()),
    }
}

fn remove(old: &Value, gone: &Value) -> Value {
    let gone = match gone {
        Value::List(items) => items.to_vec(),
        item => vec![item.clone()],
    };
    match old {
        Value::List(items) => Value::List(items.iter().filter(|item| !gone.contains(item)).cloned().collect()),
        Value::Map(entries) => Value::Map(entries.iter().filter(|(key, _)| !gone.contains(key)).cloned().collect()),
        other => other.clone(),
    }
}

fn merge(pack: &Pack, ty: &Type, old: &Value, new: Value) -> Result<Value, String> {
    match (old, new) {
        (_, Value::Absent) => Ok(Value::Absent),
        (Value::Map(old), Value::Map(new)) => {
            let mut entries: std::collections::BTreeMap<Value, Value> = old.iter().cloned().collect();
            entries.extend(new.iter().cloned());
            fitted(pack, ty, Value::Map(entries.into_iter().collect()))
        }
        (Value::Record(old), Value::Record(new)) => {
            let Type::Record(id) = ty else { return Err("not a record".into()) };
            let mut unknown: serde_json::Map<String, serde_json::Value> = serde_json::Map::new();
            for (name, text) in old.extra.iter().chain(&new.extra) {
                unknown.insert(name.to_string(), serde_json::from_str(text).expect("JSON"));
            }
            let extra = unknown.into_iter().map(|(name, json)| (name.into(), json.to_string().into())).collect();
            let mut record = RecordValue { fields: vec![], extra };
            for declared in &pack.records[id.index()].fields {
                let value = [new.field(declared.name), old.field(declared.name)].into_iter().find(|v| v.is_present());
                record.fields.extend(value.map(|value| (declared.name, value.clone())));
            }
            Ok(Value::Record(record.into()))
        }
        (_, new) => Ok(new),
    }
}

/// Calls and messages, which read the state after the last effect.
fn speak(pack: &Pack, verb: &Verb, read: &mut Reader<'_>, done: &mut Done) {
    match verb {
        Verb::Call(call) => {
            let declared = &pack.ports[call.port.index()].request;
            let with = named(read, declared, &call.with, done);
            let today = read.view.facts.today;
            let with: Vec<_> = with.into_iter().map(|(name, value)| (name, absolute(pack, today, value))).collect();
            let mut kept = Vec::new();
            for (id, expr) in &call.keep {
                match read.value(expr, &pack.kept[id.index()].1) {
                    Ok(Value::Absent) => {}
                    Ok(value) => kept.push((*id, value)),
                    Err(why) => {
                        done.breach = Some(why);
                        return;
                    }
                }
            }
            if done.breach.is_some() {
                return;
            }
            let wire = Json::Object(named_to_wire(pack, declared, &with));
            if pack.ports[call.port.index()].contract.request.is_some_and(|contract| !admits(pack, contract, &wire)) {
                done.breach = Some("the contract does not admit the request".into());
                return;
            }
            let id = read.ids.fresh("call");
            let owners = done.owners.remove(0);
            done.calls.push(Made { id, site: call.id, port: call.port, with, kept, owners });
        }
        Verb::Emit { message, with } => {
            let declared = &pack.messages[message.index()];
            let given = named(read, &declared.fields, with, done);
            let mut fields = declared.consts.clone();
            fields.extend(given);
            let text = declared.text.as_ref().map(|text| {
                let mut text = without_empty_lines(pack, text, declared, &fields);
                for field in &declared.fields {
                    let value = fields.iter().find(|(name, _)| *name == field.name);
                    let shown = value.map(|(_, value)| scalar_text(&pack.names, value)).unwrap_or_default();
                    let name = pack.names.text(field.name);
                    if text.contains(&format!("{{{name}:percent}}")) {
                        text = text.replace(&format!("{{{name}:percent}}"), &format!("{}%", shifted(&shown)));
                    }
                    text = text.replace(&format!("{{{name}}}"), &shown);
                }
                text
            });
            done.sent.push(Sent { message: *message, fields, text });
        }
        _ => {}
    }
}

/// A template without the lines that name fields of which none is there.
fn without_empty_lines(pack: &Pack, text: &str, declared: &Message, fields: &[(Sym, Value)]) -> String {
    if !text.contains('\n') {
        return text.to_owned();
    }
    let is_named = |line: &str, name: Sym| {
        let name = pack.names.text(name);
        line.contains(&format!("{{{name}}}")) || line.contains(&format!("{{{name}:percent}}"))
    };
    let kept = text.split('\n').filter(|line| {
        let mut named = declared.fields.iter().map(|field| field.name).filter(|name| is_named(line, *name)).peekable();
        named.peek().is_none() || named.any(|name| fields.iter().any(|(of, _)| *of == name))
    });
    kept.collect::<Vec<_>>().join("\n")
}

/// Arguments in declared order; one left out takes its default.
fn named(read: &mut Reader<'_>, declared: &[NamedType], given: &[(Sym, Expr)], done: &mut Done) -> Vec<(Sym, Value)> {
    let mut found = Vec::new();
    for field in declared {
        let value = match given.iter().find(|(name, _)| *name == field.name) {
            Some((_, expr)) => read.value(expr, &field.ty),
            None => Ok(Value::Absent),
        };
        match value {
            Ok(Value::Absent) => match &field.default {
                Some(default) => found.push((field.name, default.clone())),
                None if field.optional => {}
                None => done.breach = Some("an argument that must be there is absent".into()),
            },
            Ok(value) => found.push((field.name, value)),
            Err(why) => done.breach = Some(why),
        }
        if done.breach.is_some() {
            break;
        }
    }
    found
}

/// A relative period as the interval it means today.
fn absolute(pack: &Pack, today: jiff::civil::Date, value: Value) -> Value {
    match value {
        Value::Period(period @ Period::Relative(_)) => match period.interval(today, &pack.relative) {
            Some((first, last)) => Value::Period(Period::Range(first, last)),
            None => Value::Period(period),
        },
        Value::List(items) => Value::List(items.iter().map(|item| absolute(pack, today, item.clone())).collect()),
        Value::Record(record) => {
            let mut record = (*record).clone();
            for (_, value) in &mut record.fields {
                *value = absolute(pack, today, value.clone());
            }
            Value::Record(record.into())
        }
        Value::Map(entries) => {
            Value::Map(entries.iter().map(|(key, value)| (key.clone(), absolute(pack, today, value.clone()))).collect())
        }
        value => value,
    }
}

/// The digits of a number with the point two places further right.
fn shifted(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("-", digits));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let part = format!("{part:0<2}");
    let all = format!("{whole}{}", &part[..2]);
    let (all, rest) = (all.trim_start_matches('0'), part[2..].trim_end_matches('0'));
    let all = if all.is_empty() { "0" } else { all };
    if rest.is_empty() { format!("{sign}{all}") } else { format!("{sign}{all}.{rest}") }
}
