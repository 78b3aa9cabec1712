//! Loading a saved session: reading it, then mending or refusing a state that breaks the invariants of its frames.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::model::ids::SlotSet;
use crate::model::json::DataError;
use crate::model::names::Sym;
use crate::model::value::Value;
use crate::registry::Registry;
use crate::state::{SessionState, Turn};

use super::effects::perform;
use super::eval::{EnvView, View};
use super::event::Env;
use super::verify::broken_frames;

/// A session that was loaded.
#[derive(Debug, Clone)]
pub struct Restored {
    /// Its state.
    pub state: SessionState,
    /// The invariants that it broke and that were mended as they declare, each once, in the order mended.
    pub repaired: Vec<Sym>,
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
pub fn enforce(registry: &Registry, mut state: SessionState, env: &mut Env<'_>) -> Result<Restored, DataError> {
    let mut repaired = Vec::new();
    let aggregate = registry.pack().names.text(registry.pack().aggregate);
    state.slots = mend(registry, state.slots, aggregate, env, &mut repaired)?;
    if let Some(turn) = &state.turn {
        let before = mend(registry, turn.before.clone(), "turn.before", env, &mut repaired)?;
        state.turn = Some(Arc::new(Turn { before, ..(**turn).clone() }));
    }
    Ok(Restored { state, repaired })
}

fn mend(
    registry: &Registry,
    mut slots: Arc<[Value]>,
    at: &str,
    env: &mut Env<'_>,
    repaired: &mut Vec<Sym>,
) -> Result<Arc<[Value]>, DataError> {
    let pack = registry.pack();
    let (shown, ids) = EnvView::of(env);
    let mut mended = Vec::new();
    // Each invariant is mended at most once, so the loop ends.
    loop {
        let view = View::plain(registry, &slots, &slots, &shown);
        let broken = broken_frames(&view);
        let Some(first) = broken.first() else { return Ok(slots) };
        let invariant = &pack.invariants[*first];
        let name = pack.names.text(invariant.id);
        if invariant.repair.is_empty() || mended.contains(&invariant.id) {
            return Err(DataError::new(at, format!("breaks the invariant `{name}`")));
        }
        let done = perform(&view, &slots, None, &invariant.repair, SlotSet::default(), ids)
            .map_err(|_| DataError::new(name, "cannot be repaired"))?;
        slots = done.slots;
        mended.push(invariant.id);
        if !repaired.contains(&invariant.id) {
            repaired.push(invariant.id);
        }
    }
}
