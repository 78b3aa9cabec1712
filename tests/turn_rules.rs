//! The rules of a turn, one test for each, named after the point of docs/semantics.md: what is accepted and what is not, on packs
//! of a few lines.

#[path = "turn_rules/choosing.rs"]
mod choosing;
#[path = "turn_rules/conditions.rs"]
mod conditions;
#[path = "turn_rules/doing.rs"]
mod doing;
#[path = "support/env.rs"]
mod env;
#[path = "turn_rules/events.rs"]
mod events;
#[path = "turn_rules/following.rs"]
mod following;
#[path = "turn_rules/hearing.rs"]
mod hearing;
#[path = "turn_rules/outcomes.rs"]
mod outcomes;
#[path = "turn_rules/verifying.rs"]
mod verifying;
#[path = "turn_rules/world.rs"]
mod world;
