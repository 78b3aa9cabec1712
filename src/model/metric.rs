//! Metrics: what is counted over sessions.

use crate::source::Span;

use super::ids::ClassId;

/// A number that is counted over sessions, by the classes that take their turns (S4, "Key Metrics"). Nothing of it changes
/// what a step does, so it is no part of the pack's fingerprint.
#[derive(Debug, Clone)]
pub struct Metric {
    /// Its name.
    pub name: String,
    /// What it says, for people.
    pub doc: String,
    /// The cases: each time one of these classes takes a turn.
    pub of: Vec<ClassId>,
    /// What is counted of them.
    pub counts: Counts,
    /// Classes with which a case ends, besides the next case and the end of the session.
    pub until: Vec<ClassId>,
    /// Where it is written.
    pub span: Span,
}

/// What is counted of the cases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Counts {
    /// The share of cases that are one of these classes.
    Are(Vec<ClassId>),
    /// The share of cases after which one of these classes comes before the case ends.
    FollowedBy(Vec<ClassId>),
    /// How often one of these classes comes after a case before it ends, on average.
    Average(Vec<ClassId>),
}
