//! Stores of sessions that outlive the process (S1 IRW-REQ-03, IRW-REQ-06).

mod sqlite;

pub use sqlite::{Access, Sqlite};
