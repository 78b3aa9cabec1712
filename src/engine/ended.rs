//! Whether a pack says that a session has come to its end.

use crate::registry::Registry;
use crate::state::SessionState;

use super::eval::{EnvView, View};
use super::event::Env;

/// Whether the session has come to its end, as the pack says it (`ended` of its manifest) and with no call open. For the host: a step
/// does not look at it (S1 IRW-REQ-06, Termination).
#[must_use]
pub fn ended(registry: &Registry, state: &SessionState, env: &mut Env<'_>) -> bool {
    let Some(cond) = registry.pack().ended.as_ref().filter(|_| state.host_calls(registry.pack()).is_empty()) else {
        return false;
    };
    let (shown, ..) = EnvView::of(env);
    View::plain(registry, state.slots(), state.slots(), &shown).holds(cond)
}
