//! Steps: the rules of a turn and its laws, each compared with the reference evaluator.

#[path = "../oracle/mod.rs"]
mod oracle;
#[path = "../support/mod.rs"]
mod support;

#[cfg(feature = "contracts")]
mod contracts;
mod engine_rules;
mod extension;
mod field_bugs;
mod kept;
mod keyed_rules;
mod laws;
mod port_reads;
mod port_rules;
mod probe;
mod proofs;
mod saved;
mod texts;
mod turn_rules;
mod uses_laws;
mod uses_rules;
