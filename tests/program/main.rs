//! The program itself: every verb, as a process with files, streams and exit codes.

#[cfg(feature = "openai")]
mod endpoint;
#[path = "../support/program.rs"]
mod program;
#[cfg(feature = "sqlite")]
mod talk;

mod bound_ports;
mod chat;
mod chat_log;
#[cfg(feature = "sqlite")]
mod chat_lost;
#[cfg(feature = "sqlite")]
mod chat_store;
mod chat_times;
mod check_cli;
mod ci_doc;
mod cli;
mod extends;
mod field_bugs_check;
mod file_names;
mod fmt;
mod hostile_cli;
mod new;
#[cfg(feature = "openai")]
mod openai;
mod ports;
mod readme;
mod recorded_cli;
#[cfg(feature = "sqlite")]
mod sessions_cli;
mod stats;
#[cfg(unix)]
mod terminal;
#[cfg(feature = "openai")]
mod text_to_sql;
mod uses_hosts;
mod watch;
