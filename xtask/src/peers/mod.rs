//! `peers`: the benchmark in `../shared/peers`, answered by this engine and timed beside the hand-written limit.

pub mod host;
pub mod measure;
pub mod pack;
mod report;
mod run;
pub mod table;
pub mod words;

pub use run::run;
