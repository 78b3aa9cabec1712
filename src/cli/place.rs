//! Where sessions are kept: a file, or a server of PostgreSQL.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};

use crate::session::{Store, StoreError};
use crate::store::{Access, Sqlite};
use crate::workspace::{Problem, files};

use super::advice;

/// What `--store` names. What is shown of a URL holds no password.
#[derive(Clone)]
pub enum Place {
    /// A file.
    File(PathBuf),
    /// A server, by its URL.
    Server(String),
    /// What has the form of a URL and is none of PostgreSQL: how it begins.
    Unknown(String),
}

impl Place {
    /// What is written behind `--store`.
    pub fn parser() -> impl TypedValueParser<Value = Self> {
        OsStringValueParser::new().map(Self::of)
    }

    /// A URL, or else any name is that of a file.
    fn of(text: OsString) -> Self {
        let Some((scheme, rest)) = text.to_str().and_then(|text| text.split_once("://")) else {
            return Self::File(text.into());
        };
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        match scheme.to_ascii_lowercase().as_str() {
            "postgres" | "postgresql" => Self::Server(format!("postgres://{rest}")),
            "" => Self::File(text.into()),
            scheme if scheme.bytes().all(letter) => Self::Unknown(scheme.to_owned()),
            _ => Self::File(text.into()),
        }
    }

    /// The sessions there. Only who writes may make the store.
    pub fn open(&self, access: Access) -> Result<Box<dyn Store>, Problem> {
        let opened: Result<Box<dyn Store>, StoreError> = match self {
            Self::Unknown(scheme) => {
                return Err(Problem::new(format!(
                    "{self}: there is no such kind of store: name a server of PostgreSQL (postgres://USER@HOST:PORT/DATABASE) or a file, \
                     one with such a name as `./{scheme}://…`"
                )));
            }
            Self::File(file) if file.as_os_str().is_empty() => {
                return Err(Problem::new("`--store` names nothing: name a file, or a server of PostgreSQL"));
            }
            Self::File(file) => match files::kind(file) {
                files::Kind::Missing if access != Access::Write => {
                    return Err(Problem::new(format!("{self}: no such file, so no session")));
                }
                files::Kind::File | files::Kind::Missing => {
                    Sqlite::open(file, access).map(|store| Box::new(store) as Box<dyn Store>)
                }
                _ => return Err(Problem::new(format!("{self}: is no file"))),
            },
            Self::Server(url) => server(url, access),
        };
        opened.map_err(|error| advice::unused(self, error))
    }
}

/// The sessions on a server.
#[cfg(feature = "postgres")]
fn server(url: &str, access: Access) -> Result<Box<dyn Store>, StoreError> {
    let password = files::password();
    crate::store::Postgres::open(url, password.as_deref(), access).map(|store| Box::new(store) as Box<dyn Store>)
}

#[cfg(not(feature = "postgres"))]
fn server(_: &str, _: Access) -> Result<Box<dyn Store>, StoreError> {
    let why = "this program was built without PostgreSQL: build it with `--features postgres`, or name a file";
    Err(StoreError::Failed { why: why.to_owned() })
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => file.display().fmt(f),
            Self::Unknown(scheme) => write!(f, "{scheme}://…"),
            Self::Server(url) => {
                // What stands before the last `@`, or behind the `?`, may hold a password; so may a port that is none.
                let shown = url.rsplit(['@']).next().unwrap_or_default();
                let shown = shown.strip_prefix("postgres://").unwrap_or(shown);
                let shown = shown.split('?').next().unwrap_or_default();
                let host = shown.split('/').next().unwrap_or_default();
                let port = host.rsplit_once(':').map_or("", |(_, port)| port);
                let plain = port.bytes().all(|byte| byte.is_ascii_digit() || byte == b']');
                write!(f, "postgres://{}", if plain { shown } else { "…" })
            }
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn what_a_store_is_called() {
        for (text, shown) in [
            ("postgres://u:hunter2@db.example:5432/app?sslmode=disable", "postgres://db.example:5432/app"),
            ("postgresql://u:hunter2@h1:1,h2:2/app", "postgres://h1:1,h2:2/app"),
            ("Postgres://u:hunter2@h/app", "postgres://h/app"),
            ("postgres://u:hunter2@hunter2@[::1]:5432", "postgres://[::1]:5432"),
            ("postgres://u:hunter2?x@h/app", "postgres://h/app"),
            ("postgres://u:hunter2/app", "postgres://…"),
            ("postgres://h/app?user=u&password=hunter2", "postgres://h/app"),
            ("MySQL://u:hunter2@h/app", "mysql://…"),
            ("sessions.db", "sessions.db"),
            ("./mysql://x", "./mysql://x"),
            ("://x", "://x"),
        ] {
            let place = Place::of(text.into());
            assert_eq!((place.to_string(), format!("{place:?}")), (shown.to_owned(), shown.to_owned()), "{text}");
        }
    }
}
