//! Reasons that the engine itself gives; every other reason is named by the pack.

/// Nothing took the event.
pub const NO_TRANSITION: &str = "no_transition";
/// Two candidates that precedence does not order.
pub const AMBIGUOUS: &str = "ambiguous";
/// The gate cuts a frame that the class needs.
pub const CARRYOVER_BLOCKED: &str = "carryover_blocked";
/// The step would have broken `preserve`, `forbid`, `never`, an invariant, a type or the answer rule.
pub const VERIFICATION_FAILED: &str = "verification_failed";
/// The turn took more steps than the manifest allows.
pub const STEP_LIMIT: &str = "step_limit";
/// An input while calls are open, in a pack that refuses it.
pub const BUSY: &str = "busy";
/// An outcome whose call is unknown or closed.
pub const STALE_OUTCOME: &str = "stale_outcome";
/// A said value that the chosen class neither reads nor ignores.
pub const UNUSED_SIGNAL: &str = "unused_signal";

/// All of them; loading interns each.
pub const ALL: [&str; 8] =
    [NO_TRANSITION, AMBIGUOUS, CARRYOVER_BLOCKED, VERIFICATION_FAILED, STEP_LIMIT, BUSY, STALE_OUTCOME, UNUSED_SIGNAL];

/// The statuses of an outcome, in the order of [`Status`](crate::model::Status); loading interns each.
pub const STATUSES: [&str; 4] = ["ok", "failed", "timeout", "cancelled"];
/// What answers claim, in the order of [`Claims`](crate::model::Claims); loading interns each.
pub const CLAIMS: [&str; 3] = ["nothing", "limited", "confirmed"];
/// The error of an outcome that broke its port's declaration.
pub const CONTRACT: &str = "contract";
/// What an answer breaks that is not of the declared type.
pub const TYPE: &str = "type";
/// What an answer breaks that its port's contract does not admit.
pub const SCHEMA: &str = "schema";
