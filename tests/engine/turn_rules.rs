//! The rules of a turn, one test for each, named after the point of docs/semantics.md: what is accepted and what is not, on packs
//! of a few lines.

mod choosing;
mod conditions;
mod doing;
mod events;
mod following;
mod hearing;
mod outcomes;
mod verifying;
mod world;
