//! Sessions that are kept: in memory, in files, on servers, over kills, faults and migrations.
#![cfg(feature = "sqlite")]

#[path = "../oracle/mod.rs"]
mod oracle;
#[cfg(all(feature = "postgres", unix))]
#[path = "../support/program.rs"]
mod program;
mod stores;
#[path = "../support/mod.rs"]
mod support;

mod migrations;
mod sessions;
#[cfg(unix)]
mod sessions_failure;
#[cfg(unix)]
mod sessions_many;
#[cfg(all(feature = "postgres", unix))]
mod sessions_postgres;
