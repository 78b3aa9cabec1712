//! The saved form of a session, and states that are written frame by frame.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};
use smallvec::SmallVec;
use smol_str::SmolStr;

use crate::model::effect::Verb;
use crate::model::ids::{ClassId, FrameId, FrameSet, KeptId, PortId, Slot, SlotSet};
use crate::model::json::{DataError, Naming, from_json, to_json};
use crate::model::names::Sym;
use crate::model::schema::Keyed;
use crate::model::value::Value;
use crate::model::{Pack, SAVED_KEYS, WhileOpen, walk};

use super::instances::{Instance, Store, keyed_frames};
use super::{Held, OpenCall, Owners, Sent, SessionState, Together, Turn, uses};

/// The version of the saved form.
pub const SCHEMA_VERSION: u64 = 1;

/// The highest revision that is read: whoever counts on from it never runs out of numbers.
const LAST_REVISION: u64 = i64::MAX as u64;

impl SessionState {
    /// A frame as JSON: the fields that are present, by name. Of a keyed frame its instances by their keys, the open ones
    /// first, those that have ended with `closed_as`.
    #[must_use]
    pub fn frame_json(&self, pack: &Pack, frame: FrameId) -> Json {
        let Some(keyed) = &pack.frames[frame.index()].keyed else { return frame_json(pack, &self.slots, frame) };
        let each = self.instances.of(keyed).iter();
        Json::Object(each.map(|of| (of.key.to_string(), Json::Object(instance_json(pack, keyed, of)))).collect())
    }

    /// The whole state as JSON, in the saved form: pack, fingerprint, schema version, revision, the aggregate under its
    /// literal names, and the turns that are under way.
    #[must_use]
    pub fn to_json(&self, pack: &Pack) -> Json {
        let mut saved = self.bare_json(pack);
        if let Some(used) = &self.used {
            uses::save(pack, used, &mut saved);
        }
        Json::Object(saved)
    }

    /// The saved form without what belongs to used packs.
    pub(super) fn bare_json(&self, pack: &Pack) -> Map<String, Json> {
        let mut saved = Map::new();
        saved.insert("schema_version".into(), SCHEMA_VERSION.into());
        saved.insert("pack".into(), pack.names.text(pack.id).into());
        saved.insert("fingerprint".into(), pack.fingerprint.as_str().into());
        saved.insert("revision".into(), self.revision.into());
        saved.insert(pack.names.text(pack.aggregate).into(), aggregate_json(pack, &self.slots, &self.instances));
        let mut turns = self.turns.iter().map(|turn| turn_json(pack, turn));
        if pack.while_open == WhileOpen::Allow {
            saved.insert("turns".into(), turns.collect());
        } else if let Some(turn) = turns.next() {
            saved.insert("turn".into(), turn);
        }
        saved
    }

    /// Reads the saved form. Nothing is defaulted into existence: each field that has a default must be there.
    ///
    /// # Errors
    /// A [`DataError`]: another pack, another registry, another schema version, a missing or unknown field, a value that
    /// does not fit.
    pub fn from_json(pack: &Pack, json: &Json) -> Result<Self, DataError> {
        let own = Self::bare_from_json(pack, json, pack.composed.is_some())?;
        match &pack.composed {
            Some(composed) => uses::restored(pack, composed, own, object(json, "")?),
            None => Ok(own),
        }
    }

    /// Reads the saved form but for what belongs to used packs, which is there if it is `joined`.
    pub(super) fn bare_from_json(pack: &Pack, json: &Json, joined: bool) -> Result<Self, DataError> {
        let aggregate = pack.names.text(pack.aggregate);
        let saved = object(json, "")?;
        let many = pack.while_open == WhileOpen::Allow;
        let mut keys = SAVED_KEYS.to_vec();
        keys.retain(|key| *key != if many { "turn" } else { "turns" });
        keys.retain(|key| joined || !matches!(*key, "uses" | "links"));
        keys.insert(4, aggregate);
        let version = number(saved, "schema_version")?;
        if version != SCHEMA_VERSION {
            return Err(DataError::new("schema_version", format!("is {version}; this program reads {SCHEMA_VERSION}")));
        }
        let name = text(saved, "pack")?;
        if name != pack.names.text(pack.id) {
            let own = pack.names.text(pack.id);
            return Err(DataError::new("pack", format!("the session was saved under pack `{name}`, this is `{own}`")));
        }
        let fingerprint = text(saved, "fingerprint")?;
        if fingerprint != pack.fingerprint {
            let own = &pack.fingerprint;
            let mut message =
                format!("the session was saved under registry `{fingerprint}` of pack `{name}`, this is `{own}`");
            if let Some(way) = pack.migrations.iter().find(|way| way.from.iter().any(|from| from == fingerprint)) {
                message.push_str(&format!("; the migration `{}` carries it over: `segue sessions migrate`", way.name));
            }
            return Err(DataError::new("fingerprint", message));
        }
        known(saved, "", &keys)?;
        let revision = number(saved, "revision")?;
        if revision > LAST_REVISION {
            return Err(DataError::new(
                "revision",
                format!("is {revision}; no session has more than {LAST_REVISION} steps"),
            ));
        }
        let Held { slots, instances } = aggregate_from_json(pack, field(saved, aggregate, "")?, aggregate)?;
        let read = |json: &Json, at: &str| turn_from_json(pack, json, &instances, at).map(Arc::new);
        let turns = if many {
            let all = array(field(saved, "turns", "")?, "turns")?.iter().enumerate();
            all.map(|(index, json)| read(json, &format!("turns.{index}"))).collect::<Result<_, _>>()?
        } else {
            saved.get("turn").map(|json| read(json, "turn")).transpose()?.into_iter().collect()
        };
        Ok(Self { slots, instances, turns, revision, used: None })
    }

    /// A state from frames by short name, the rest at their defaults: how scenarios and hosts begin in the middle. Of a keyed
    /// frame the instances by their keys, in the order of opening; one that has ended has `closed_as`.
    ///
    /// # Errors
    /// A [`DataError`]: an unknown frame or field, or a value that does not fit.
    pub fn from_frames(pack: &Pack, json: &Json) -> Result<Self, DataError> {
        if pack.composed.is_none() {
            return Self::bare_from_frames(pack, json);
        }
        // Frames of used packs are named with their pack.
        let mut frames: Vec<Map<String, Json>> = pack.all().map(|_| Map::new()).collect();
        for (name, fields) in object(json, "")? {
            let (at, own) = pack.split(name);
            frames[at.index()].insert(own.to_owned(), fields.clone());
        }
        let states = pack.all().zip(frames).map(|(at, frames)| {
            Self::bare_from_frames(pack.at(at), &Json::Object(frames))
                .map_err(|error| DataError::new(pack.qualified(at, &error.path), error.message))
        });
        let mut states = states.collect::<Result<Vec<_>, _>>()?;
        let own = states.remove(0);
        Ok(Self { used: Some(Arc::new(Together { states, links: Vec::new() })), ..own })
    }

    fn bare_from_frames(pack: &Pack, json: &Json) -> Result<Self, DataError> {
        let mut slots = pack.defaults();
        let mut instances = Store::new(pack);
        for (name, fields) in object(json, "")? {
            let frame = pack.frame(name).ok_or_else(|| {
                let known: Vec<&str> = pack.frames.iter().map(|frame| pack.names.text(frame.name)).collect();
                DataError::new(name, format!("is no frame; frames are: {}", known.join(", ")))
            })?;
            if let Some(keyed) = &pack.frames[frame.index()].keyed {
                for (key, json) in object(fields, name)? {
                    let at = format!("{name}.{key}");
                    let fields = object(json, &at)?;
                    let instance = instance(pack, keyed, key, fields, false, &at)?;
                    add(&mut instances, keyed, instance, &at)?;
                }
                bounded(&instances, keyed, name)?;
                continue;
            }
            for (field, json) in object(fields, name)? {
                let at = format!("{name}.{field}");
                let slot = pack.field(frame, field).ok_or_else(|| {
                    let known: Vec<&str> = pack.frames[frame.index()]
                        .fields()
                        .map(|slot| pack.names.text(pack.slots[slot.index()].name))
                        .collect();
                    DataError::new(&at, format!("is no field of `{name}`; fields are: {}", known.join(", ")))
                })?;
                slots[slot.index()] = typed(pack, slot, json, &at)?;
            }
        }
        keyed_frames(pack).for_each(|keyed| instances.count(keyed, &mut slots));
        Ok(Self { slots: slots.into(), instances, turns: SmallVec::new(), revision: 0, used: None })
    }
}

/// An instance with these fields; where it is not `whole` fields that have a default may be left out.
fn instance(
    pack: &Pack,
    keyed: &Keyed,
    key: &str,
    fields: &Map<String, Json>,
    whole: bool,
    at: &str,
) -> Result<Instance, DataError> {
    let mut names: Vec<&str> = Vec::new();
    let mut values = Vec::new();
    for slot in keyed.fields() {
        let declared = &pack.slots[slot.index()];
        let name = pack.names.text(declared.name);
        names.push(name);
        values.push(match fields.get(name) {
            Some(json) => typed(pack, slot, json, &format!("{at}.{name}"))?,
            None if declared.given || (whole && declared.cleared.is_present()) => {
                return Err(DataError::missing(format!("{at}.{name}"), "is missing"));
            }
            None => declared.cleared.clone(),
        });
    }
    names.push("closed_as");
    known(fields, at, &names)?;
    let closed_as = match fields.get("closed_as") {
        Some(json) => match typed(pack, keyed.ended(), json, &format!("{at}.closed_as"))? {
            Value::Sym(ended) => Some(ended),
            _ => None,
        },
        None => None,
    };
    if key.is_empty() {
        return Err(DataError::new(at, "is an empty key"));
    }
    Ok(Instance { key: key.into(), closed_as, values: values.into() })
}

fn add(store: &mut Store, keyed: &Keyed, instance: Instance, at: &str) -> Result<(), DataError> {
    if store.of(keyed).find(&instance.key).is_some() {
        return Err(DataError::new(at, format!("is a second instance `{}`", instance.key)));
    }
    let all = store.of_mut(keyed);
    if instance.closed_as.is_some() {
        all.closed.push(instance)
    } else {
        all.open.push(instance)
    }
    Ok(())
}

/// Whether a keyed frame has no more instances than it may.
fn bounded(store: &Store, keyed: &Keyed, at: &str) -> Result<(), DataError> {
    let all = store.of(keyed);
    for (what, found, most) in
        [("open", all.open.len(), keyed.max_open), ("closed", all.closed.len(), keyed.keep_closed)]
    {
        if found > most {
            return Err(DataError::new(at, format!("has {found} {what} instances, at most {most} are kept")));
        }
    }
    Ok(())
}

fn instance_json(pack: &Pack, keyed: &Keyed, instance: &Instance) -> Map<String, Json> {
    let ended = instance.closed_as.map_or(Value::Absent, Value::Sym);
    let fields = keyed.fields().zip(&*instance.values);
    let all = std::iter::once((keyed.ended(), &ended)).chain(fields).filter(|(_, value)| value.is_present());
    all.map(|(slot, value)| (pack.names.text(pack.slots[slot.index()].name).to_owned(), to_json(&pack.names, value)))
        .collect()
}

/// The saved form of a keyed frame: lists, for the order of instances means something.
pub(super) fn saved_instances(pack: &Pack, keyed: &Keyed, store: &Store) -> Json {
    let all = store.of(keyed);
    let list = |of: &[Instance]| -> Vec<Json> {
        of.iter()
            .map(|instance| {
                let mut fields = Map::new();
                fields.insert("key".into(), instance.key.as_str().into());
                fields.extend(instance_json(pack, keyed, instance));
                Json::Object(fields)
            })
            .collect()
    };
    json!({ "open": list(&all.open), "closed": list(&all.closed) })
}

fn instances_from_json(
    pack: &Pack,
    keyed: &Keyed,
    lists: &Map<String, Json>,
    at: &str,
    store: &mut Store,
) -> Result<(), DataError> {
    known(lists, at, &["open", "closed"])?;
    for list in ["open", "closed"] {
        let list_at = format!("{at}.{list}");
        for (index, json) in array(field(lists, list, &list_at)?, &list_at)?.iter().enumerate() {
            let at = format!("{list_at}.{index}");
            let mut fields = object(json, &at)?.clone();
            let key = match fields.shift_remove("key") {
                Some(Json::String(key)) => key,
                Some(_) => return Err(DataError::new(format!("{at}.key"), "expected a text")),
                None => return Err(DataError::new(format!("{at}.key"), "is missing")),
            };
            let instance = instance(pack, keyed, &key, &fields, true, &at)?;
            if instance.closed_as.is_some() != (list == "closed") {
                let wrong = if list == "open" { "is open and has ended" } else { "does not say how it ended" };
                return Err(DataError::new(format!("{at}.closed_as"), wrong));
            }
            add(store, keyed, instance, &at)?;
        }
    }
    bounded(store, keyed, at)
}

fn typed(pack: &Pack, slot: Slot, json: &Json, at: &str) -> Result<Value, DataError> {
    let read = from_json(pack, Naming::Own, &pack.slots[slot.index()].ty, json);
    read.map_err(|error| {
        let error = error.under(at);
        DataError::new(error.path, error.message)
    })
}

fn frame_json(pack: &Pack, slots: &[Value], frame: FrameId) -> Json {
    let mut fields = Map::new();
    for slot in pack.frames[frame.index()].fields() {
        let value = &slots[slot.index()];
        if value.is_present() {
            fields.insert(pack.names.text(pack.slots[slot.index()].name).into(), to_json(&pack.names, value));
        }
    }
    Json::Object(fields)
}

fn aggregate_json(pack: &Pack, slots: &[Value], instances: &Store) -> Json {
    let mut aggregate = Map::new();
    for owner in &pack.owners {
        let mut owned = Map::new();
        for (index, frame) in pack.frames.iter().enumerate() {
            if frame.owner != *owner {
                continue;
            }
            let fields = match &frame.keyed {
                Some(keyed) => saved_instances(pack, keyed, instances),
                None => frame_json(pack, slots, FrameId::at(index)),
            };
            match fields {
                Json::Object(fields) if frame.seed == *owner => owned.extend(fields),
                fields => {
                    owned.insert(pack.names.text(frame.seed).into(), fields);
                }
            }
        }
        aggregate.insert(pack.names.text(*owner).into(), Json::Object(owned));
    }
    Json::Object(aggregate)
}

fn aggregate_from_json(pack: &Pack, json: &Json, at: &str) -> Result<Held, DataError> {
    let mut slots = vec![Value::Absent; pack.slots.len()];
    let mut instances = Store::new(pack);
    let aggregate = object(json, at)?;
    let owners: Vec<&str> = pack.owners.iter().map(|owner| pack.names.text(*owner)).collect();
    known(aggregate, at, &owners)?;
    for owner in &pack.owners {
        let name = pack.names.text(*owner);
        let at = format!("{at}.{name}");
        let owned = object(field(aggregate, name, &at)?, &at)?;
        let mut allowed: Vec<&str> = Vec::new();
        for frame in pack.frames.iter().filter(|frame| frame.owner == *owner) {
            let inline = frame.seed == *owner;
            let seed = pack.names.text(frame.seed);
            let (fields, at) = if inline {
                (owned, at.clone())
            } else {
                allowed.push(seed);
                let at = format!("{at}.{seed}");
                (object(field(owned, seed, &at)?, &at)?, at)
            };
            if let Some(keyed) = &frame.keyed {
                frame.fields().for_each(|slot| slots[slot.index()] = pack.slots[slot.index()].default.clone());
                instances_from_json(pack, keyed, fields, &at, &mut instances)?;
                instances.count(keyed, &mut slots);
                continue;
            }
            let mut names: Vec<&str> = Vec::new();
            for slot in frame.fields() {
                let declared = &pack.slots[slot.index()];
                let name = pack.names.text(declared.name);
                names.push(name);
                let at = format!("{at}.{name}");
                match fields.get(name) {
                    Some(json) => slots[slot.index()] = typed(pack, slot, json, &at)?,
                    None if declared.default.is_present() => return Err(DataError::new(at, "is missing")),
                    None => {}
                }
            }
            if inline {
                allowed.extend(names);
            } else {
                known(fields, &at, &names)?;
            }
        }
        known(owned, &at, &allowed)?;
    }
    Ok(Held { slots: slots.into(), instances })
}

fn turn_json(pack: &Pack, turn: &Turn) -> Json {
    let mut saved = turn_head(pack, turn);
    if let Some(before) = &turn.before {
        saved.insert("before".into(), aggregate_json(pack, &before.slots, &before.instances));
    }
    saved.extend(turn_rest(pack, turn));
    Json::Object(saved)
}

/// What is saved of a turn, before the state that it goes back to.
fn turn_head(pack: &Pack, turn: &Turn) -> Map<String, Json> {
    let selected = pack.names.text(pack.classes[turn.selected.index()].id);
    let head = [("id", (&*turn.id).into()), ("selected", selected.into()), ("steps", turn.steps.into())];
    head.map(|(key, value): (&str, Json)| (key.to_owned(), value)).into_iter().collect()
}

/// What is saved of a turn, after the state that it goes back to.
fn turn_rest(pack: &Pack, turn: &Turn) -> Map<String, Json> {
    let calls: Vec<Json> = turn.calls.iter().map(|call| call_json(pack, call)).collect();
    let written: Vec<Json> = turn.written.iter().map(|slot| Json::from(written_name(pack, slot).concat())).collect();
    let decided: Vec<Json> =
        turn.decided.iter().map(|frame| pack.names.text(pack.frames[frame.index()].name).into()).collect();
    let rest = [("calls", calls.into()), ("written", written.into()), ("decided", decided.into())];
    rest.map(|(key, value): (&str, Json)| (key.to_owned(), value)).into_iter().collect()
}

/// What is saved of a call that is open.
pub(super) fn call_json(pack: &Pack, call: &OpenCall) -> Json {
    let kept: Map<String, Json> = call
        .kept
        .iter()
        .map(|(id, value)| (pack.names.text(pack.kept[id.index()].0).to_owned(), to_json(&pack.names, value)))
        .collect();
    let mut saved = json!({
        "id": &*call.id,
        "class": pack.names.text(pack.classes[call.class.index()].id),
        "site": pack.names.text(call.site),
        "port": pack.names.text(pack.ports[call.port.index()].name),
    });
    saved["kept"] = Json::Object(kept);
    if !call.owners.is_empty() {
        let of = call
            .owners
            .iter()
            .map(|(frame, key)| (pack.names.text(pack.frames[frame.index()].name).to_owned(), key.as_str().into()));
        saved["instances"] = Json::Object(of.collect());
    }
    if let Some(sent) = &call.sent {
        let with =
            sent.with.iter().map(|(name, value)| (pack.names.text(*name).to_owned(), to_json(&pack.names, value)));
        saved["request"] = Json::Object(with.collect());
        saved["attempt"] = sent.attempt.into();
    }
    saved
}

/// The name of a slot that was written, in pieces.
pub(super) fn written_name(pack: &Pack, slot: Slot) -> [&str; 3] {
    let field = &pack.slots[slot.index()];
    [pack.names.text(pack.frames[field.frame.index()].name), ".", pack.names.text(field.name)]
}

fn turn_from_json(pack: &Pack, json: &Json, instances: &Store, at: &str) -> Result<Turn, DataError> {
    let saved = object(json, at)?;
    let goes_back = pack.while_open != WhileOpen::Allow;
    let mut keys = vec!["id", "selected", "steps", "before", "calls", "written", "decided"];
    keys.retain(|key| goes_back || *key != "before");
    known(saved, at, &keys)?;
    let part = |key: &str| format!("{at}.{key}");
    let class = |name: &str, at: &str| {
        pack.class(name).ok_or_else(|| DataError::new(at, format!("`{name}` is no class of this pack")))
    };
    let mut calls = Vec::new();
    for (index, json) in array(field(saved, "calls", at)?, &part("calls"))?.iter().enumerate() {
        let at = format!("{at}.calls.{index}");
        let call = object(json, &at)?;
        let port = text(call, "port")?;
        let asks = pack.port(port).is_some_and(|port| pack.ports[port.index()].keeps_request());
        let mut keys = vec!["id", "class", "site", "port", "kept", "instances"];
        keys.extend(["request", "attempt"].into_iter().filter(|_| asks));
        known(call, &at, &keys)?;
        let site = text(call, "site")?;
        let mut kept = Vec::new();
        for (name, json) in object(field(call, "kept", &at)?, &at)? {
            let at = format!("{at}.kept.{name}");
            let sym = pack.names.get(name);
            let index = pack.kept.iter().position(|(kept, _)| Some(*kept) == sym);
            let index = index.ok_or_else(|| DataError::new(&at, "is kept by no call of this pack"))?;
            let value =
                from_json(pack, Naming::Own, &pack.kept[index].1, json).map_err(|e| DataError::new(&at, e.message))?;
            kept.push((KeptId::at(index), value));
        }
        let name = text(call, "class")?;
        let class = class(name, &at)?;
        let port = pack.port(port).ok_or_else(|| DataError::new(&at, format!("`{port}` is no port of this pack")))?;
        let made = pack.names.get(site).filter(|site| makes(pack, class, *site, port));
        let site = made.ok_or_else(|| {
            let port = pack.names.text(pack.ports[port.index()].name);
            DataError::new(&at, format!("`{name}` makes no call `{site}` to `{port}`"))
        })?;
        let owners = match call.get("instances") {
            Some(json) => owners_from_json(pack, json, instances, &format!("{at}.instances"))?,
            None => Owners::new(),
        };
        let sent = if asks { Some(Arc::new(sent_from_json(pack, call, port, &at)?)) } else { None };
        calls.push(OpenCall { id: text(call, "id")?.into(), class, site, port, kept, owners, sent });
    }
    if calls.is_empty() {
        let message = "is empty; a turn without an open call is over, so leave `turn` out";
        return Err(DataError::new(part("calls"), message.replace("`turn`", &format!("`{at}`"))));
    }
    let mut written = SlotSet::default();
    for json in array(field(saved, "written", at)?, &part("written"))? {
        let path = json.as_str().unwrap_or_default();
        let slot = path
            .split_once('.')
            .and_then(|(frame, field)| pack.field(pack.frame(frame)?, field))
            .ok_or_else(|| DataError::new(part("written"), format!("`{path}` is no field of this pack")))?;
        written.insert(slot);
    }
    let mut decided = FrameSet::EMPTY;
    for json in array(field(saved, "decided", at)?, &part("decided"))? {
        let name = json.as_str().unwrap_or_default();
        let frame = pack.frame(name).filter(|frame| pack.decide.contains(frame));
        let none = || DataError::new(part("decided"), format!("`{name}` is no frame under `decide` of this pack"));
        decided.insert(frame.ok_or_else(none)?);
    }
    let before = match goes_back {
        true => Some(aggregate_from_json(pack, field(saved, "before", at)?, &part("before"))?),
        false => None,
    };
    Ok(Turn {
        id: text(saved, "id")?.into(),
        selected: class(text(saved, "selected")?, &part("selected"))?,
        steps: u32::try_from(number(saved, "steps")?).map_err(|_| DataError::new(part("steps"), "is too large"))?,
        before,
        calls,
        written,
        decided,
    })
}

/// The instances that a call belongs to: they are open.
fn owners_from_json(pack: &Pack, json: &Json, instances: &Store, at: &str) -> Result<Owners, DataError> {
    let mut owners = Owners::new();
    for (name, key) in object(json, at)? {
        let at = format!("{at}.{name}");
        let frame = pack.frame(name);
        let keyed = frame.and_then(|frame| pack.frames[frame.index()].keyed.as_ref());
        let (Some(frame), Some(keyed)) = (frame, keyed) else {
            return Err(DataError::new(at, "is no keyed frame of this pack"));
        };
        let key = key.as_str().ok_or_else(|| DataError::new(&at, "expected a text"))?;
        if !instances.of(keyed).open.iter().any(|instance| instance.key == key) {
            return Err(DataError::new(at, format!("`{key}` is no open instance")));
        }
        owners.push((frame, SmolStr::from(key)));
    }
    owners.sort_by_key(|(frame, _)| *frame);
    Ok(owners)
}

/// What a call was sent with, and which attempt it is.
fn sent_from_json(pack: &Pack, call: &Map<String, Json>, port: PortId, at: &str) -> Result<Sent, DataError> {
    let declared = &pack.ports[port.index()];
    let at_request = format!("{at}.request");
    let request = object(field(call, "request", &at_request)?, &at_request)?;
    let names: Vec<&str> = declared.request.iter().map(|arg| pack.names.text(arg.name)).collect();
    known(request, &at_request, &names)?;
    let mut with = Vec::new();
    for (arg, name) in declared.request.iter().zip(names) {
        let at = format!("{at_request}.{name}");
        match request.get(name) {
            Some(json) => {
                let value = from_json(pack, Naming::Own, &arg.ty, json);
                with.push((arg.name, value.map_err(|error| DataError::new(at, error.message))?));
            }
            None if arg.optional => {}
            None => return Err(DataError::new(at, "is missing")),
        }
    }
    let attempt = number(call, "attempt")?;
    let most = declared.retry.as_ref().map_or(0, |retry| retry.max) + 1;
    match u32::try_from(attempt) {
        Ok(attempt) if (1..=most).contains(&attempt) => Ok(Sent { with, attempt }),
        _ => Err(DataError::new(format!("{at}.attempt"), format!("is {attempt}; there are at most {most}"))),
    }
}

/// Whether a class has a call of this name to this port.
fn makes(pack: &Pack, class: ClassId, site: Sym, port: PortId) -> bool {
    let mut found = false;
    walk::effects(&pack.classes[class.index()], &mut |_, effect| {
        found |= matches!(&effect.verb, Verb::Call(call) if call.id == site && call.port == port);
    });
    found
}

pub(super) fn object<'a>(json: &'a Json, at: &str) -> Result<&'a Map<String, Json>, DataError> {
    json.as_object().ok_or_else(|| DataError::new(at, "expected an object"))
}

pub(super) fn array<'a>(json: &'a Json, at: &str) -> Result<&'a Vec<Json>, DataError> {
    json.as_array().ok_or_else(|| DataError::new(at, "expected a list"))
}

pub(super) fn field<'a>(object: &'a Map<String, Json>, name: &str, at: &str) -> Result<&'a Json, DataError> {
    object.get(name).ok_or_else(|| DataError::new(if at.is_empty() { name } else { at }, "is missing"))
}

pub(super) fn text<'a>(object: &'a Map<String, Json>, name: &str) -> Result<&'a str, DataError> {
    field(object, name, name)?.as_str().ok_or_else(|| DataError::new(name, "expected a text"))
}

fn number(object: &Map<String, Json>, name: &str) -> Result<u64, DataError> {
    field(object, name, name)?.as_u64().ok_or_else(|| DataError::new(name, "expected a whole number"))
}

pub(super) fn known(object: &Map<String, Json>, at: &str, names: &[&str]) -> Result<(), DataError> {
    match object.keys().find(|key| !names.contains(&key.as_str())) {
        Some(key) => {
            let path = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
            Err(DataError::new(path, format!("is unknown; known are: {}", names.join(", "))))
        }
        None => Ok(()),
    }
}
