//! Migrations: how a saved session of an earlier registry is carried over.

use crate::source::Span;

use super::ids::{FrameId, Slot};
use super::value::Value;

/// How a session that was saved under an earlier registry becomes one of this registry (S1 IRW-REQ-06: a session outlives the program
/// that began it). Nothing of it changes what a step does, so it is no part of the pack's fingerprint.
#[derive(Debug, Clone)]
pub struct Migration {
    /// Its name.
    pub name: String,
    /// What it says, for people.
    pub doc: String,
    /// The fingerprints of the registries that it carries over from.
    pub from: Vec<String>,
    /// What has another name now: its name then, and what it is now.
    pub rename: Vec<(String, Place)>,
    /// Fields (`frame.field`) and frames that are no longer there.
    pub drop: Vec<String>,
    /// Fields that get a value, whatever was saved.
    pub set: Vec<(Slot, Value)>,
    /// Where it is written.
    pub span: Span,
}

/// A place in the state of this pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A whole frame.
    Frame(FrameId),
    /// A field.
    Field(Slot),
}
