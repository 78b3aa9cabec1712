//! Segue: a declarative transition-registry engine for multi-turn assistants.

pub mod diag;
pub mod lexicon;
pub mod model;
pub mod report;
pub mod source;
pub mod syntax;
