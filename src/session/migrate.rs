//! Sessions of an earlier registry of a pack, carried over as the pack declares.

use serde_json::{Map, Value as Json, json};

use crate::engine::{Env, restore};
use crate::model::Pack;
use crate::model::ids::{FrameId, Slot};
use crate::model::json::{DataError, fields_from_wire, to_json};
use crate::model::migration::{Migration, Place};
use crate::registry::Registry;

use super::live::SessionError;
use super::record::{Entry, Head, Kept, Pending};

/// A session that was carried over: what is to be committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migrated {
    /// What is known of it from now on, at the next revision.
    pub head: Head,
    /// Its state in the saved form of this registry.
    pub state: String,
    /// The calls that have not ended: as they were.
    pub pending: Vec<Pending>,
    /// What the log says of it.
    pub entry: Entry,
    /// What has changed, in words.
    pub changes: Vec<String>,
}

/// Carries a session over to this registry, by the migration that its pack declares for the registry that it was saved under (S1
/// IRW-REQ-06). Nothing comes back where it is of this registry already. Nothing is written: a commit of what comes back does that,
/// and of two processes one is right.
///
/// # Errors
/// [`SessionError`]: it has ended, no migration is declared, or what comes of it is no session of this pack.
pub fn migrate(registry: &Registry, kept: &Kept, env: &mut Env<'_>) -> Result<Option<Migrated>, SessionError> {
    let Kept { head, state, pending } = kept;
    let Some(saved) = state.as_ref().filter(|_| head.ended.is_none()) else {
        return Err(SessionError::Ended { id: head.id.clone() });
    };
    let wrong = |error| SessionError::State { id: head.id.clone(), error };
    let mut saved: Map<String, Json> =
        serde_json::from_str(saved).map_err(|error| wrong(DataError::new("", error.to_string())))?;
    let pack = registry.pack();
    let mut done = Done::default();
    done.pack(pack, &mut saved, "").map_err(wrong)?;
    let used = pack.composed.iter().flat_map(|composed| &composed.packs);
    for used in used {
        if let Some(Json::Object(saved)) = saved.get_mut("uses").and_then(|uses| uses.get_mut(&used.name)) {
            done.pack(&used.pack, saved, &format!("{}/", used.name)).map_err(wrong)?;
        }
    }
    if done.by.is_empty() {
        restore(registry, &Json::Object(saved), env).map_err(wrong)?;
        return Ok(None);
    }
    let restored = restore(registry, &Json::Object(saved), env).map_err(wrong)?;
    for call in pending {
        fits(pack, call).map_err(wrong)?;
    }
    for (at, invariant) in &restored.repaired {
        let name = pack.qualified(*at, pack.at(*at).names.text(*invariant));
        done.changes.push(format!("was mended as the invariant {name} says"));
    }
    let mut next = head.clone();
    next.revision += 1;
    env.now.as_ref().clone_into(&mut next.touched);
    next.fingerprint.clone_from(&pack.fingerprint);
    let entry = Entry {
        revision: next.revision,
        turn: next.turns,
        at: next.touched.clone(),
        input: json!({ "migrated": { "from": head.fingerprint, "to": pack.fingerprint, "by": done.by } }),
        transition: None,
        answer_mode: None,
        reasons: Vec::new(),
        calls: Vec::new(),
        messages: Vec::new(),
    };
    let state = restored.state.to_json(pack).to_string();
    Ok(Some(Migrated { head: next, state, pending: pending.clone(), entry, changes: done.changes }))
}

/// A call that is open can be made again: its port takes what it was sent with.
fn fits(pack: &Pack, call: &Pending) -> Result<(), DataError> {
    let (at, name) = pack.split(&call.port);
    let own = pack.at(at);
    let lost = |message: String| DataError::new(format!("pending.{}", call.call), message);
    let port =
        own.port(name).ok_or_else(|| lost(format!("went to the port `{}`, which is no longer there", call.port)))?;
    match fields_from_wire(own, &own.ports[port.index()].request, false, &call.request) {
        Ok(_) => Ok(()),
        Err(error) => Err(lost(format!("can no longer be made to the port `{}`: {error}", call.port))),
    }
}

/// What was done so far.
#[derive(Default)]
struct Done {
    /// The migrations, by name.
    by: Vec<String>,
    changes: Vec<String>,
}

impl Done {
    fn note(&mut self, change: String) {
        if !self.changes.contains(&change) {
            self.changes.push(change);
        }
    }

    /// One pack of a saved session.
    fn pack(&mut self, pack: &Pack, saved: &mut Map<String, Json>, prefix: &str) -> Result<(), DataError> {
        let fingerprint = saved.get("fingerprint").and_then(Json::as_str).unwrap_or_default();
        if fingerprint == pack.fingerprint {
            return Ok(());
        }
        let declared = pack.migrations.iter().find(|migration| migration.from.iter().any(|from| from == fingerprint));
        let Some(migration) = declared else {
            let message = format!(
                "{prefix}the session was saved under registry `{fingerprint}`, this is `{}`, and no migration of the pack carries it over",
                pack.fingerprint
            );
            return Err(DataError::new("fingerprint", message));
        };
        self.by.push(format!("{prefix}{}", migration.name));
        let aggregate = pack.names.text(pack.aggregate);
        if let Some(Json::Object(state)) = saved.get_mut(aggregate) {
            self.state(pack, migration, state, prefix);
        }
        let turns = match saved.get_mut("turns") {
            Some(Json::Array(turns)) => turns.iter_mut().collect(),
            _ => saved.get_mut("turn").into_iter().collect::<Vec<_>>(),
        };
        for turn in turns {
            if let Some(Json::Object(before)) = turn.get_mut("before") {
                self.state(pack, migration, before, prefix);
            }
            for key in ["written", "decided"] {
                if let Some(Json::Array(names)) = turn.get_mut(key) {
                    let now = names.iter().filter_map(|name| renamed(pack, migration, name.as_str()?)).map(Json::from);
                    *names = now.collect();
                }
            }
        }
        saved.insert("fingerprint".into(), pack.fingerprint.as_str().into());
        Ok(())
    }

    /// A state: what is renamed is taken out before anything is put anywhere, so that two names may change places.
    fn state(&mut self, pack: &Pack, migration: &Migration, state: &mut Map<String, Json>, prefix: &str) {
        let mut taken: Vec<(Place, Vec<Option<Json>>)> = Vec::new();
        for (old, new) in &migration.rename {
            let found = take(pack, state, old);
            if found.iter().any(Option::is_some) {
                self.note(format!("{prefix}{old} is {prefix}{} now", name(pack, *new)));
                taken.push((*new, found));
            }
        }
        for old in &migration.drop {
            if take(pack, state, old).iter().any(Option::is_some) {
                self.note(format!("{prefix}{old} was dropped"));
            }
        }
        for (place, found) in taken {
            match place {
                Place::Frame(frame) => {
                    if let Some(whole) = found.into_iter().flatten().next() {
                        put_frame(pack, state, frame, whole);
                    }
                }
                Place::Field(slot) => {
                    let of = records(pack, state, pack.slots[slot.index()].frame);
                    for (record, value) in of.into_iter().zip(found) {
                        record.extend(value.map(|value| (field(pack, slot).to_owned(), value)));
                    }
                }
            }
        }
        for index in 0..pack.frames.len() {
            let frame = FrameId::at(index);
            for slot in pack.frames[index].fields() {
                let declared = &pack.slots[slot.index()];
                let default = if pack.frames[index].keyed.is_some() { &declared.cleared } else { &declared.default };
                let set = migration.set.iter().find(|(of, _)| *of == slot).map(|(_, value)| value);
                let value = set.or_else(|| default.is_present().then_some(default));
                let (Some(value), at) = (value, name(pack, Place::Field(slot))) else { continue };
                for record in records(pack, state, frame) {
                    let json = to_json(&pack.names, value);
                    match record.get(field(pack, slot)) {
                        Some(had) if set.is_none() || *had == json => continue,
                        _ if set.is_some() => self.note(format!("{prefix}{at} was set to {json}")),
                        _ => self.note(format!("{prefix}{at} is new, and at its default {json}")),
                    }
                    record.insert(field(pack, slot).to_owned(), json);
                }
            }
        }
    }
}

/// The name of a field or a frame now, by its name then; nothing where it was dropped.
fn renamed(pack: &Pack, migration: &Migration, old: &str) -> Option<String> {
    let (frame, field) = match old.split_once('.') {
        Some((frame, field)) => (frame, Some(field)),
        None => (old, None),
    };
    if migration.drop.iter().any(|gone| gone == old || gone == frame) {
        return None;
    }
    let now = |old: &str| migration.rename.iter().find(|(of, _)| of == old).map(|(_, new)| name(pack, *new));
    now(old).or_else(|| Some(format!("{}.{}", now(frame)?, field?))).or_else(|| Some(old.to_owned()))
}

fn name(pack: &Pack, place: Place) -> String {
    let frame = |frame: FrameId| pack.names.text(pack.frames[frame.index()].name);
    match place {
        Place::Frame(of) => frame(of).to_owned(),
        Place::Field(slot) => format!("{}.{}", frame(pack.slots[slot.index()].frame), field(pack, slot)),
    }
}

fn field(pack: &Pack, slot: Slot) -> &str {
    pack.names.text(pack.slots[slot.index()].name)
}

/// What a state holds of an owner.
fn owned<'s>(state: &'s mut Map<String, Json>, owner: &str) -> Option<&'s mut Map<String, Json>> {
    state.entry(owner).or_insert_with(|| json!({})).as_object_mut()
}

/// What is saved of a frame of this pack: one record, or of a keyed frame one for each instance. It is there from now on.
fn records<'s>(pack: &Pack, state: &'s mut Map<String, Json>, frame: FrameId) -> Vec<&'s mut Map<String, Json>> {
    let declared = &pack.frames[frame.index()];
    let Some(owned) = owned(state, pack.names.text(declared.owner)) else { return Vec::new() };
    if declared.seed == declared.owner && declared.keyed.is_none() {
        return vec![owned];
    }
    let saved = match declared.seed == declared.owner {
        true => owned,
        false => {
            let empty = if declared.keyed.is_some() { json!({ "open": [], "closed": [] }) } else { json!({}) };
            match owned.entry(pack.names.text(declared.seed)).or_insert(empty).as_object_mut() {
                Some(saved) => saved,
                None => return Vec::new(),
            }
        }
    };
    if declared.keyed.is_none() {
        return vec![saved];
    }
    let lists = saved.values_mut().filter_map(Json::as_array_mut);
    lists.flatten().filter_map(Json::as_object_mut).collect()
}

/// Takes out what was saved of a field or a frame, by its name then: of a field one value for each record.
fn take(pack: &Pack, state: &mut Map<String, Json>, old: &str) -> Vec<Option<Json>> {
    let (frame, field) = match old.split_once('.') {
        Some((frame, field)) => (frame, Some(field)),
        None => (old, None),
    };
    match (pack.frame(frame), field) {
        (Some(of), Some(field)) => {
            records(pack, state, of).into_iter().map(|record| record.shift_remove(field)).collect()
        }
        // A frame that is no longer declared stands somewhere under its name in saved form.
        (of, field) => {
            let frame = of.map_or(frame, |of| pack.names.text(pack.frames[of.index()].seed));
            let mut holders = state.values_mut().filter_map(Json::as_object_mut);
            let Some(holder) = holders.find(|owned| owned.get(frame).is_some_and(Json::is_object)) else {
                return Vec::new();
            };
            match field {
                None => vec![holder.shift_remove(frame)],
                Some(field) => {
                    let saved = holder.get_mut(frame).and_then(Json::as_object_mut);
                    saved.map(|saved| saved.shift_remove(field)).into_iter().collect()
                }
            }
        }
    }
}

/// Puts what was saved of a frame where this pack has it.
fn put_frame(pack: &Pack, state: &mut Map<String, Json>, frame: FrameId, saved: Json) {
    let declared = &pack.frames[frame.index()];
    let Some(owned) = owned(state, pack.names.text(declared.owner)) else { return };
    match saved {
        Json::Object(fields) if declared.seed == declared.owner => owned.extend(fields),
        saved => _ = owned.insert(pack.names.text(declared.seed).to_owned(), saved),
    }
}
