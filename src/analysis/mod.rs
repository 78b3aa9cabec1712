//! What is established over all states and events that a pack admits: proofs, and witnesses that the engine has stepped.

pub mod texts;
