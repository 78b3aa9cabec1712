//! The checked declarations: what a pack says, with every name resolved and every type known. The engine compiles them;
//! analyses and the reference evaluator read them as they are.

pub mod lexicon;
pub mod names;
pub mod period;
pub mod value;
