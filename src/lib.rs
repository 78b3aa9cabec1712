//! Segue: a declarative transition-registry engine for multi-turn assistants.

pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
pub mod declare;
pub mod diag;
pub mod engine;
pub mod lexicon;
pub mod load;
pub mod model;
pub mod registry;
pub mod report;
pub mod scenario;
pub mod source;
pub mod state;
pub mod syntax;
pub mod workspace;
