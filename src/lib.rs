//! Segue: a declarative transition-registry engine for multi-turn assistants.

pub mod model;
pub mod source;
