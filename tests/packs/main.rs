//! The packs of the repository: what they load, say and keep, and the sources that asked for it.

#[path = "../oracle/mod.rs"]
mod oracle;
#[path = "../support/program.rs"]
mod program;
#[path = "../support/mod.rs"]
mod support;

mod booking;
mod clarification;
mod conversation;
mod explain;
mod joined;
mod main_pack;
mod prose;
mod recorded;
mod refinement;
mod replay;
mod requirements;
mod step_back_pack;
