//! Segue: a declarative transition-registry engine for multi-turn assistants.
//!
//! A pack is loaded once; its registry is shared by all sessions. Each event goes through [`engine::step`], which is pure: the
//! host keeps the state that comes back, makes the calls, and comes back with their outcomes. A pack may use others:
//! [`compose::cascade`] takes an event through all of them, and through a pack by itself just as well.
//!
//! ```
//! use segue::engine::{Env, Event, NumberedIds, step};
//! use segue::model::Status;
//! use segue::{declare::Options, load::load, state::SessionState, workspace::Workspace};
//! use serde_json::json;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let files = Workspace::of(".".as_ref())?.pack("assistant")?;
//! let registry = load(&files, &Options::default()).registry.expect("a pack without errors");
//! let pack = registry.pack();
//!
//! let mut ids = NumberedIds::default();
//! let mut env = Env {
//!     now: "2021-05-10T12:00:00Z".into(),
//!     today: jiff::civil::date(2021, 5, 10),
//!     session_id: "s-1".into(),
//!     turn_id: "t-1".into(),
//!     ids: &mut ids,
//!     trace: false,
//!     probe: None,
//! };
//!
//! // The user says something: the select step says which class it is and what to call.
//! let said = json!({ "text": "show stock for March 2020 at Romashka" });
//! let event = Event::input(&registry, "utterance", &said, &json!({}))?;
//! let asked = step(&registry, &SessionState::new(pack), &event, &mut env)?;
//! assert_eq!(pack.names.text(pack.classes[asked.class.unwrap().index()].id), "T1");
//! assert_eq!(pack.names.text(pack.ports[asked.calls[0].port.index()].name), "route_execute");
//!
//! // The host makes the call. Its outcome ends the turn: now there is an answer mode.
//! let outcome = Event::Outcome {
//!     call: asked.calls[0].id.clone(),
//!     status: Status::Ok,
//!     value: Some(json!({ "coverage_status": "partial", "evidence_grade": "strong" })),
//!     error: None,
//! };
//! let told = step(&registry, &asked.state, &outcome, &mut env)?;
//! assert_eq!(pack.names.text(pack.modes[told.answer.unwrap().index()].name), "limited");
//!
//! // The state is saved and read back as JSON.
//! let saved = told.state.to_json(pack);
//! assert_eq!(segue::engine::restore(&registry, &saved, &mut env)?.state, told.state);
//! # Ok(())
//! # }
//! ```

pub mod analysis;
pub mod audit;
pub mod binding;
pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
pub mod compose;
pub mod contract;
pub mod declare;
pub mod diag;
mod digest;
pub mod engine;
pub mod explain;
#[cfg(feature = "cli")]
pub mod format;
pub mod jobs;
pub mod language;
pub mod lexicon;
pub mod load;
mod maps;
pub mod model;
pub mod recorded;
pub mod registry;
pub mod report;
#[cfg(feature = "cli")]
pub mod scaffold;
pub mod scenario;
pub mod schema;
pub mod session;
pub mod source;
pub mod state;
pub mod stats;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub mod store;
pub mod syntax;
#[cfg(feature = "tracing")]
pub mod telemetry;
pub mod workspace;
