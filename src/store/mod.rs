//! Stores of sessions that outlive the process (S1 IRW-REQ-03, IRW-REQ-06).

#[cfg(feature = "postgres")]
mod address;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;
mod text;
#[cfg(feature = "postgres")]
mod tls;

#[cfg(feature = "postgres")]
pub use postgres::Postgres;
#[cfg(feature = "sqlite")]
pub use sqlite::Sqlite;

/// What a store is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To write; the store is made where there is none.
    Write,
    /// To read and write what is there.
    Existing,
    /// To read what is there.
    Read,
}
