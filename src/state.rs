//! The session state: one dense row of values, the turn that is under way, and a revision. A value of a pack's schema.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use crate::model::effect::Verb;
use crate::model::ids::{ClassId, FrameId, FrameSet, KeptId, PortId, Slot, SlotSet};
use crate::model::json::{DataError, from_json, to_json};
use crate::model::names::Sym;
use crate::model::value::Value;
use crate::model::{Pack, SAVED_KEYS, walk};

/// The version of the saved form.
pub const SCHEMA_VERSION: u64 = 1;

/// The highest revision that is read: whoever counts on from it never runs out of numbers.
const LAST_REVISION: u64 = i64::MAX as u64;

/// What a session remembers (S3 `assistant_session_state`). Cheap to clone; a step makes a new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionState {
    pub(crate) slots: Arc<[Value]>,
    pub(crate) turn: Option<Arc<Turn>>,
    pub(crate) revision: u64,
}

/// A turn whose calls are not all answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Turn {
    pub id: Arc<str>,
    pub selected: ClassId,
    pub steps: u32,
    pub before: Arc<[Value]>,
    pub calls: Vec<OpenCall>,
    pub written: SlotSet,
    pub decided: FrameSet,
}

/// A call whose outcome has not arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCall {
    /// Its id, from the id source.
    pub id: Arc<str>,
    /// The class that made it.
    pub class: ClassId,
    /// The `id` under which the class wrote it.
    pub site: Sym,
    /// The port it went to.
    pub port: PortId,
    /// What it was told to keep.
    pub kept: Vec<(KeptId, Value)>,
}

impl SessionState {
    /// The state of a session that has just begun: every field at its default, no call open, revision 0.
    #[must_use]
    pub fn new(pack: &Pack) -> Self {
        Self { slots: pack.defaults().into(), turn: None, revision: 0 }
    }

    /// The value of a field.
    #[must_use]
    pub fn get(&self, slot: Slot) -> &Value {
        &self.slots[slot.index()]
    }

    /// All fields, in declared order.
    #[must_use]
    pub fn slots(&self) -> &[Value] {
        &self.slots
    }

    /// The calls whose outcomes have not arrived, in the order made.
    #[must_use]
    pub fn open_calls(&self) -> &[OpenCall] {
        self.turn.as_ref().map_or(&[], |turn| &turn.calls)
    }

    /// How many steps were committed.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// A frame as JSON: the fields that are present, by name.
    #[must_use]
    pub fn frame_json(&self, pack: &Pack, frame: FrameId) -> Json {
        frame_json(pack, &self.slots, frame)
    }

    /// The whole state as JSON, in the saved form: pack, fingerprint, schema version, revision, the aggregate under its
    /// literal names, and the turn that is under way.
    #[must_use]
    pub fn to_json(&self, pack: &Pack) -> Json {
        let mut saved = Map::new();
        saved.insert("schema_version".into(), SCHEMA_VERSION.into());
        saved.insert("pack".into(), pack.names.text(pack.id).into());
        saved.insert("fingerprint".into(), pack.fingerprint.as_str().into());
        saved.insert("revision".into(), self.revision.into());
        saved.insert(pack.names.text(pack.aggregate).into(), aggregate_json(pack, &self.slots));
        if let Some(turn) = &self.turn {
            saved.insert("turn".into(), turn_json(pack, turn));
        }
        Json::Object(saved)
    }

    /// Reads the saved form. Nothing is defaulted into existence: each field that has a default must be there.
    ///
    /// # Errors
    /// A [`DataError`]: another pack, another registry, another schema version, a missing or unknown field, a value that
    /// does not fit.
    pub fn from_json(pack: &Pack, json: &Json) -> Result<Self, DataError> {
        let aggregate = pack.names.text(pack.aggregate);
        let saved = object(json, "")?;
        let mut keys = SAVED_KEYS.to_vec();
        keys.insert(4, aggregate);
        known(saved, "", &keys)?;
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
            return Err(DataError::new(
                "fingerprint",
                format!("the session was saved under registry `{fingerprint}` of pack `{name}`, this is `{own}`"),
            ));
        }
        let revision = number(saved, "revision")?;
        if revision > LAST_REVISION {
            return Err(DataError::new(
                "revision",
                format!("is {revision}; no session has more than {LAST_REVISION} steps"),
            ));
        }
        let slots = aggregate_from_json(pack, field(saved, aggregate, "")?, aggregate)?;
        let turn = saved.get("turn").map(|json| turn_from_json(pack, json).map(Arc::new)).transpose()?;
        Ok(Self { slots: slots.into(), turn, revision })
    }

    /// A state from frames by short name, the rest at their defaults: how scenarios and hosts begin in the middle.
    ///
    /// # Errors
    /// A [`DataError`]: an unknown frame or field, or a value that does not fit.
    pub fn from_frames(pack: &Pack, json: &Json) -> Result<Self, DataError> {
        let mut slots = pack.defaults();
        for (name, fields) in object(json, "")? {
            let frame = pack.frame(name).ok_or_else(|| {
                let known: Vec<&str> = pack.frames.iter().map(|frame| pack.names.text(frame.name)).collect();
                DataError::new(name, format!("is no frame; frames are: {}", known.join(", ")))
            })?;
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
        Ok(Self { slots: slots.into(), turn: None, revision: 0 })
    }
}

fn typed(pack: &Pack, slot: Slot, json: &Json, at: &str) -> Result<Value, DataError> {
    from_json(pack, &pack.slots[slot.index()].ty, json).map_err(|error| {
        let path = if error.path.is_empty() { at.to_owned() } else { format!("{at}.{}", error.path) };
        DataError::new(path, error.message)
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

fn aggregate_json(pack: &Pack, slots: &[Value]) -> Json {
    let mut aggregate = Map::new();
    for owner in &pack.owners {
        let mut owned = Map::new();
        for (index, frame) in pack.frames.iter().enumerate() {
            if frame.owner != *owner {
                continue;
            }
            let fields = frame_json(pack, slots, FrameId::at(index));
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

fn aggregate_from_json(pack: &Pack, json: &Json, at: &str) -> Result<Vec<Value>, DataError> {
    let mut slots = vec![Value::Absent; pack.slots.len()];
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
    Ok(slots)
}

fn turn_json(pack: &Pack, turn: &Turn) -> Json {
    let names = |set: FrameSet| -> Vec<&str> {
        set.iter().map(|frame| pack.names.text(pack.frames[frame.index()].name)).collect()
    };
    let calls: Vec<Json> = turn
        .calls
        .iter()
        .map(|call| {
            let kept: Map<String, Json> = call
                .kept
                .iter()
                .map(|(id, value)| (pack.names.text(pack.kept[id.index()].0).to_owned(), to_json(&pack.names, value)))
                .collect();
            json!({
                "id": &*call.id,
                "class": pack.names.text(pack.classes[call.class.index()].id),
                "site": pack.names.text(call.site),
                "port": pack.names.text(pack.ports[call.port.index()].name),
                "kept": kept,
            })
        })
        .collect();
    let written: Vec<String> = turn
        .written
        .iter()
        .map(|slot| {
            let field = &pack.slots[slot.index()];
            format!("{}.{}", pack.names.text(pack.frames[field.frame.index()].name), pack.names.text(field.name))
        })
        .collect();
    json!({
        "id": &*turn.id,
        "selected": pack.names.text(pack.classes[turn.selected.index()].id),
        "steps": turn.steps,
        "before": aggregate_json(pack, &turn.before),
        "calls": calls,
        "written": written,
        "decided": names(turn.decided),
    })
}

fn turn_from_json(pack: &Pack, json: &Json) -> Result<Turn, DataError> {
    let saved = object(json, "turn")?;
    known(saved, "turn", &["id", "selected", "steps", "before", "calls", "written", "decided"])?;
    let class = |name: &str, at: &str| {
        pack.class(name).ok_or_else(|| DataError::new(at, format!("`{name}` is no class of this pack")))
    };
    let mut calls = Vec::new();
    for (index, json) in array(field(saved, "calls", "turn")?, "turn.calls")?.iter().enumerate() {
        let at = format!("turn.calls.{index}");
        let call = object(json, &at)?;
        known(call, &at, &["id", "class", "site", "port", "kept"])?;
        let port = text(call, "port")?;
        let site = text(call, "site")?;
        let mut kept = Vec::new();
        for (name, json) in object(field(call, "kept", &at)?, &at)? {
            let at = format!("{at}.kept.{name}");
            let sym = pack.names.get(name);
            let index = pack.kept.iter().position(|(kept, _)| Some(*kept) == sym);
            let index = index.ok_or_else(|| DataError::new(&at, "is kept by no call of this pack"))?;
            let value = from_json(pack, &pack.kept[index].1, json).map_err(|e| DataError::new(&at, e.message))?;
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
        calls.push(OpenCall { id: text(call, "id")?.into(), class, site, port, kept });
    }
    if calls.is_empty() {
        return Err(DataError::new("turn.calls", "is empty; a turn without an open call is over, so leave `turn` out"));
    }
    let mut written = SlotSet::default();
    for json in array(field(saved, "written", "turn")?, "turn.written")? {
        let path = json.as_str().unwrap_or_default();
        let slot = path
            .split_once('.')
            .and_then(|(frame, field)| pack.field(pack.frame(frame)?, field))
            .ok_or_else(|| DataError::new("turn.written", format!("`{path}` is no field of this pack")))?;
        written.insert(slot);
    }
    let mut decided = FrameSet::EMPTY;
    for json in array(field(saved, "decided", "turn")?, "turn.decided")? {
        let name = json.as_str().unwrap_or_default();
        let frame = pack.frame(name).filter(|frame| pack.decide.contains(frame));
        let none = || DataError::new("turn.decided", format!("`{name}` is no frame under `decide` of this pack"));
        decided.insert(frame.ok_or_else(none)?);
    }
    Ok(Turn {
        id: text(saved, "id")?.into(),
        selected: class(text(saved, "selected")?, "turn.selected")?,
        steps: u32::try_from(number(saved, "steps")?).map_err(|_| DataError::new("turn.steps", "is too large"))?,
        before: aggregate_from_json(pack, field(saved, "before", "turn")?, "turn.before")?.into(),
        calls,
        written,
        decided,
    })
}

/// Whether a class has a call of this name to this port.
fn makes(pack: &Pack, class: ClassId, site: Sym, port: PortId) -> bool {
    let mut found = false;
    walk::effects(&pack.classes[class.index()], &mut |_, effect| {
        found |= matches!(&effect.verb, Verb::Call(call) if call.id == site && call.port == port);
    });
    found
}

fn object<'a>(json: &'a Json, at: &str) -> Result<&'a Map<String, Json>, DataError> {
    json.as_object().ok_or_else(|| DataError::new(at, "expected an object"))
}

fn array<'a>(json: &'a Json, at: &str) -> Result<&'a Vec<Json>, DataError> {
    json.as_array().ok_or_else(|| DataError::new(at, "expected a list"))
}

fn field<'a>(object: &'a Map<String, Json>, name: &str, at: &str) -> Result<&'a Json, DataError> {
    object.get(name).ok_or_else(|| DataError::new(if at.is_empty() { name } else { at }, "is missing"))
}

fn text<'a>(object: &'a Map<String, Json>, name: &str) -> Result<&'a str, DataError> {
    field(object, name, name)?.as_str().ok_or_else(|| DataError::new(name, "expected a text"))
}

fn number(object: &Map<String, Json>, name: &str) -> Result<u64, DataError> {
    field(object, name, name)?.as_u64().ok_or_else(|| DataError::new(name, "expected a whole number"))
}

fn known(object: &Map<String, Json>, at: &str, names: &[&str]) -> Result<(), DataError> {
    match object.keys().find(|key| !names.contains(&key.as_str())) {
        Some(key) => {
            let path = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
            Err(DataError::new(path, format!("is unknown; known are: {}", names.join(", "))))
        }
        None => Ok(()),
    }
}
