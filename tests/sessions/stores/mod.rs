//! Stores of every kind: opened by their names, and what holds of each.

#![expect(clippy::disallowed_methods, reason = "processes, threads and a server are started")]

pub mod laws;
#[cfg(unix)]
pub mod many;
#[cfg(feature = "postgres")]
pub mod server;

use std::path::Path;

use segue::engine::{Env, Event, NumberedIds};
use segue::registry::Registry;
use segue::session::{Live, Resumed, Store};
use segue::store::{Access, Sqlite};
use serde_json::{Map, Value as Json, json};

use crate::support;

/// Opens the store of this name, a file or a URL: so another process can be told which one.
pub fn open(place: &str, access: Access) -> Box<dyn Store> {
    #[cfg(feature = "postgres")]
    if place.starts_with("postgres://") {
        return Box::new(segue::store::Postgres::open(place, None, access).unwrap_or_else(|error| panic!("{error}")));
    }
    Box::new(Sqlite::open(Path::new(place), access).unwrap_or_else(|error| panic!("{place}: {error}")))
}

pub fn env(ids: &mut NumberedIds) -> Env<'_> {
    support::env::env(1, ids)
}

pub fn context() -> Map<String, Json> {
    Map::from_iter([("database".to_owned(), json!("ecommerce"))])
}

pub fn opened<'r, S: Store>(registry: &'r Registry, store: S, id: &str) -> Live<'r, S> {
    Live::open(registry, store, id, context(), "2021-05-10T12:00:00Z").expect("a new session")
}

pub fn resumed<'r, S: Store>(registry: &'r Registry, store: S, id: &str) -> Live<'r, S> {
    let Resumed { live, repaired } = Live::resume(registry, store, id, &mut env(&mut NumberedIds::default()))
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(repaired.is_empty());
    live
}

pub fn utterance(registry: &Registry, text: &str) -> Event {
    Event::input(registry, "utterance", &json!({ "text": text }), &json!({})).expect("an utterance")
}
