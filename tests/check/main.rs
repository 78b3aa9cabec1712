//! What is found in packs and scenarios, what is proved of them, and that no file stops it.

#[path = "../oracle/mod.rs"]
mod oracle;
#[path = "../support/mod.rs"]
mod support;

mod again;
mod checks;
mod codes;
mod fuzz;
mod gaps;
mod hostile;
mod limits;
mod mistakes;
mod mutants;
mod one_finding;
mod overlap_brute;
mod overlap_keyed;
mod overlap_planted;
mod precedence;
mod reports;
mod several;
mod slips;
mod step_back;
mod uses_load;
mod witnesses;
