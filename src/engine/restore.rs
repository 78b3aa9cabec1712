//! Loading a saved session: reading it, then mending or refusing a state that breaks the invariants of its frames.

use std::sync::Arc;

use serde_json::Value as Json;
use smol_str::SmolStr;

use crate::model::ids::{FrameId, SlotSet};
use crate::model::json::{DataError, Naming};
use crate::model::names::Sym;
use crate::model::schema::{Field, Type};
use crate::model::uses::PackAt;
use crate::model::value::Value;
use crate::registry::Registry;
use crate::state::{Held, SessionState, Store, Together, Turn, keyed_frames, unbind};

use super::effects::{Start, perform};
use super::eval::{EnvView, View};
use super::event::Env;
use super::probe::Marks;
use super::verify::broken_frames;

/// A session that was loaded.
#[derive(Debug, Clone)]
pub struct Restored {
    /// Its state.
    pub state: SessionState,
    /// The invariants that it broke and that were mended as they declare, each once and with its pack, in the order mended.
    pub repaired: Vec<(PackAt, Sym)>,
}

/// Reads a saved session and enforces the invariants of its frames.
///
/// # Errors
/// A [`DataError`]: what [`SessionState::from_json`] refuses, and a state that breaks an invariant without a repair, or
/// still breaks one after all repairs.
pub fn restore(registry: &Registry, json: &Json, env: &mut Env<'_>) -> Result<Restored, DataError> {
    let state = SessionState::from_json(registry.pack(), json)?;
    enforce(registry, state, env)
}

/// Enforces the invariants of frames on a state that did not come from a step, and on the one that it falls back to.
///
/// # Errors
/// As [`restore`].
pub fn enforce(registry: &Registry, state: SessionState, env: &mut Env<'_>) -> Result<Restored, DataError> {
    let used = state.used.clone();
    let (mut state, own) = enforce_one(registry, state, env)?;
    let mut repaired: Vec<(PackAt, Sym)> = own.into_iter().map(|of| (PackAt::OUTERMOST, of)).collect();
    if let Some(used) = used {
        let mut states = Vec::with_capacity(used.states.len());
        for (at, state) in registry.pack().all().skip(1).zip(&used.states) {
            let (state, mended) = enforce_one(registry.at(at), state.clone(), env).map_err(|error| {
                let name = registry.pack().name_at(at).unwrap_or_default();
                DataError::new(format!("uses.{name}.{}", error.path), error.message)
            })?;
            states.push(state);
            repaired.extend(mended.into_iter().map(|of| (at, of)));
        }
        state.used = Some(Arc::new(Together { states, links: used.links.clone() }));
    }
    Ok(Restored { state, repaired })
}

fn enforce_one(
    registry: &Registry,
    mut state: SessionState,
    env: &mut Env<'_>,
) -> Result<(SessionState, Vec<Sym>), DataError> {
    let mut repaired = Vec::new();
    documents(registry, &state)?;
    let aggregate = registry.pack().names.text(registry.pack().aggregate);
    let held = Held { slots: state.slots, instances: state.instances };
    Held { slots: state.slots, instances: state.instances } = mend(registry, held, aggregate, env, &mut repaired)?;
    for turn in &mut state.turns {
        if let Some(before) = turn.before.clone() {
            let before = Some(mend(registry, before, "turn.before", env, &mut repaired)?);
            *turn = Arc::new(Turn { before, ..(**turn).clone() });
        }
    }
    Ok((state, repaired))
}

/// Refuses documents that break the contracts that they are held to.
fn documents(registry: &Registry, state: &SessionState) -> Result<(), DataError> {
    let pack = registry.pack();
    let fits = |ty: &Type, value: &Value, at: &dyn Fn() -> String| {
        let broken = registry.contracts.misfit(pack, Naming::Own, ty, value);
        broken.map_or(Ok(()), |error| Err(error.under(&at())))
    };
    let name = |slot: &Field| {
        format!("{}.{}", pack.names.text(pack.frames[slot.frame.index()].name), pack.names.text(slot.name))
    };
    let whole = |slots: &[Value], instances: &Store| {
        for (slot, value) in pack.slots.iter().zip(slots) {
            fits(&slot.ty, value, &|| name(slot))?;
        }
        for keyed in keyed_frames(pack) {
            for instance in instances.of(keyed).iter() {
                for (slot, value) in keyed.fields().map(|slot| &pack.slots[slot.index()]).zip(instance.values.iter()) {
                    fits(&slot.ty, value, &|| format!("{}[{}]", name(slot), instance.key))?;
                }
            }
        }
        Ok(())
    };
    whole(&state.slots, &state.instances)?;
    for turn in &state.turns {
        if let Some(before) = &turn.before {
            whole(&before.slots, &before.instances)?;
        }
        for call in &turn.calls {
            for (kept, value) in &call.kept {
                let (kept, ty) = &pack.kept[kept.index()];
                fits(ty, value, &|| format!("turn.calls.kept.{}", pack.names.text(*kept)))?;
            }
            let sent = call.sent.iter().flat_map(|sent| &sent.with);
            for (arg, value) in sent {
                let declared = pack.ports[call.port.index()].request.iter().find(|declared| declared.name == *arg);
                let Some(declared) = declared else { continue };
                fits(&declared.ty, value, &|| format!("turn.calls.request.{}", pack.names.text(*arg)))?;
            }
        }
    }
    Ok(())
}

/// Mends a state with nothing bound, then with each instance of a keyed frame.
fn mend(
    registry: &Registry,
    held: Held,
    at: &str,
    env: &mut Env<'_>,
    repaired: &mut Vec<Sym>,
) -> Result<Held, DataError> {
    let pack = registry.pack();
    let Held { mut slots, mut instances } = mend_one(registry, held, None, at, env, repaired)?;
    for frame in &pack.keyed {
        let Some(keyed) = &pack.frames[frame.index()].keyed else { continue };
        let keys: Vec<SmolStr> = instances.of(keyed).iter().map(|instance| instance.key.clone()).collect();
        for key in keys {
            instances.bind(pack, keyed, &key, Arc::make_mut(&mut slots));
            let name = pack.names.text(pack.frames[frame.index()].name);
            let held = Held { slots, instances };
            let mended = mend_one(registry, held, Some(*frame), &format!("{at}.{name}.{key}"), env, repaired)?;
            Held { slots, instances } = mended;
            unbind(pack, &mut slots);
        }
    }
    // What mends an instance may write other frames too.
    if pack.keyed.is_empty() {
        return Ok(Held { slots, instances });
    }
    mend_one(registry, Held { slots, instances }, None, at, env, repaired)
}

fn mend_one(
    registry: &Registry,
    Held { mut slots, mut instances }: Held,
    of: Option<FrameId>,
    at: &str,
    env: &mut Env<'_>,
    repaired: &mut Vec<Sym>,
) -> Result<Held, DataError> {
    let pack = registry.pack();
    let (shown, ids, _) = EnvView::of(env);
    let mut mended = Vec::new();
    // Each invariant is mended at most once, so the loop ends.
    loop {
        let view = View::plain(registry, &slots, &slots, &shown);
        let broken = broken_frames(&view, of);
        let Some(first) = broken.first() else { return Ok(Held { slots, instances }) };
        let invariant = &pack.invariants[*first];
        let name = pack.names.text(invariant.id);
        if invariant.repair.is_empty() || mended.contains(&invariant.id) {
            return Err(DataError::new(at, format!("breaks the invariant `{name}`")));
        }
        let start = Start { slots: &slots, instances: &instances, mends: true };
        let done = perform(&view, start, None, &invariant.repair, SlotSet::default(), ids, &mut Marks::default())
            .map_err(|_| DataError::new(name, "cannot be repaired"))?;
        (slots, instances) = (done.slots, done.instances);
        mended.push(invariant.id);
        if !repaired.contains(&invariant.id) {
            repaired.push(invariant.id);
        }
    }
}
