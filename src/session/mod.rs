//! Sessions that are kept: what a store keeps of one, and how an event is taken through one, as a whole or not at all (S1 IRW-REQ-03,
//! IRW-REQ-06).

mod live;
mod memory;
mod migrate;
mod record;
mod store;

pub use live::{Live, Point, Resumed, SessionError};
pub use memory::Memory;
pub use migrate::{Migrated, migrate};
pub use record::{Entry, Head, Kept, Pending, Retention, Written};
pub use store::{Commit, Store, StoreError};

#[cfg(doctest)]
#[doc = include_str!("../../docs/sessions.md")]
struct Page;
