//! Sessions in a database of PostgreSQL, so that hosts on several machines may read and write them.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tokio_postgres::error::{DbError, Severity, SqlState};
use tokio_postgres::types::{FromSql, ToSql, Type};
use tokio_postgres::{Client, Config, Error, GenericClient, NoTls, Row};

use crate::session::{Commit, Entry, Head, Kept, Retention, Store, StoreError};

use super::Access;
use super::address::{Address, text_of};
use super::text::{self, NOTHING, elsewhere, head_of, log_of, missing, number, sealed, text};
use super::tls::Tls;

/// By this a schema says that it is such a store.
const APPLICATION: &str = "segue sessions";
/// The version of the tables.
const VERSION: i64 = 1;
/// Who makes the tables holds this lock: `Segu`.
const LOCK: i64 = 0x5365_6775;
/// So long another writer may hold a session before that is an error, unless [`Postgres::patience`] says otherwise.
const PATIENCE: Duration = Duration::from_secs(5);
/// So long each host may take to begin a connection, unless the URL says otherwise (`connect_timeout`).
const CONNECT: Duration = Duration::from_secs(5);
/// So long a statement may take, beyond the patience.
const LONGEST: Duration = Duration::from_secs(60);
/// So much later than the server itself it is given up here.
const LATER: Duration = Duration::from_secs(10);

/// Ids are ordered by their bytes, as in every store.
const TABLES: &str = r#"
    CREATE TABLE segue.store (application TEXT NOT NULL, version BIGINT NOT NULL);
    CREATE TABLE segue.session (
        id TEXT COLLATE "C" PRIMARY KEY, revision BIGINT NOT NULL, head TEXT NOT NULL, state TEXT, pending TEXT NOT NULL
    );
    CREATE TABLE segue.entry (
        session TEXT COLLATE "C" NOT NULL REFERENCES segue.session (id) ON DELETE CASCADE, revision BIGINT NOT NULL,
        entry TEXT NOT NULL, PRIMARY KEY (session, revision)
    );
"#;

/// What is to be known of a database before anything is done in it.
const LOOK: &str = "
    SELECT current_setting('server_encoding'), current_setting('transaction_read_only') = 'on',
        EXISTS (SELECT FROM pg_namespace WHERE nspname = 'segue'), coalesce(bool_or(relname = 'store'), false), count(relname)
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace AND nspname = 'segue'
";
/// Whether this role may change sessions.
const MAY_WRITE: &str = "
    SELECT bool_and(has_table_privilege('segue.' || name, needed))
    FROM (VALUES ('session', 'INSERT'), ('session', 'UPDATE'), ('session', 'DELETE'), ('entry', 'INSERT'), ('entry', 'DELETE'))
        AS those (name, needed)
";

/// Sessions in the schema `segue` of a database. A write is on the server's disk when it comes back (`synchronous_commit`). What is read
/// is what was written, or an error: each text is kept with its digest.
///
/// It has one connection, which its threads take in turn; one that was lost is made anew by the next operation. It blocks: a thread
/// that runs asynchronous tasks is no place for it.
pub struct Postgres {
    address: Address,
    access: Access,
    link: Mutex<Link>,
}

/// The connection, where there is one, and what drives it.
struct Link {
    client: Option<Client>,
    patience: Duration,
    runtime: Runtime,
}

/// What goes wrong within an operation.
enum Wrong {
    /// It is known what.
    Known(StoreError),
    /// The server, or the way to it, says it.
    Told(Error),
}

impl From<StoreError> for Wrong {
    fn from(error: StoreError) -> Self {
        Self::Known(error)
    }
}

impl From<Error> for Wrong {
    fn from(error: Error) -> Self {
        Self::Told(error)
    }
}

/// What an operation does; where the connection is lost meanwhile that is a question of what may have happened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    Looks,
    Changes,
}

/// Values, with their types: so a statement takes one way to the server and back.
type Values<'v> = [(&'v (dyn ToSql + Sync), Type)];

impl Postgres {
    /// Opens the store in the database that a URL names: `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. Where no password is in it, this
    /// one is taken.
    ///
    /// # Errors
    /// [`StoreError`]: the server cannot be reached or does not let in, what is in the schema `segue` is no store, or one of another
    /// version, or it may not be written.
    pub fn open(url: &str, password: Option<&str>, access: Access) -> Result<Self, StoreError> {
        let address = Address::of(url, password)?;
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| StoreError::Failed { why: error.to_string() })?;
        let link = Mutex::new(Link { client: None, patience: PATIENCE, runtime });
        let store = Self { address, access, link };
        store.work(Work::Looks, async |client| match (made(client).await?, access) {
            (Made::Store, Access::Read) => Ok(()),
            (Made::Store, _) => may_write(client).await,
            (Made::Nothing { .. }, Access::Write) => make(client).await,
            (Made::Nothing { .. }, _) => Err(Wrong::Known(none_there())),
        })?;
        Ok(store)
    }

    /// How long a write waits for another one that holds the session, before that is [`StoreError::Locked`]: five seconds unless it is
    /// said here.
    ///
    /// # Errors
    /// [`StoreError`]: the server cannot be reached.
    pub fn patience(&self, wait: Duration) -> Result<(), StoreError> {
        self.link().patience = wait;
        self.work(Work::Looks, async |client| Ok(client.batch_execute(&waits(wait)).await?))
    }

    fn link(&self) -> MutexGuard<'_, Link> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something on a connection that is there, or is made. It is done once: what may or may not have happened when the connection
    /// was lost is an error.
    fn work<T>(&self, work: Work, of: impl AsyncFnOnce(&mut Client) -> Result<T, Wrong>) -> Result<T, StoreError> {
        let mut link = self.link();
        let Link { client: kept, patience, runtime } = &mut *link;
        let client = kept.take();
        runtime.block_on(async {
            let mut client = match alive(client).await {
                Some(client) => client,
                None => self.connected(*patience).await?,
            };
            let done = timeout(longest(*patience).saturating_add(LATER), of(&mut client)).await;
            let lost = |why: &str| match work {
                Work::Looks => StoreError::Failed { why: format!("the connection was lost: {why}; try again") },
                Work::Changes => StoreError::Failed {
                    why: format!(
                        "the connection was lost: {why}; whether the change was written is not known: read the session again"
                    ),
                },
            };
            match done {
                Err(_) => Err(lost("the server did not answer")),
                Ok(Err(Wrong::Told(error))) if client.is_closed() || ends(&error) => Err(lost(&told(&error))),
                Ok(done) => {
                    *kept = Some(client);
                    done.map_err(|wrong| match wrong {
                        Wrong::Known(error) => error,
                        Wrong::Told(error) => failed(&error),
                    })
                }
            }
        })
    }

    /// A new connection, on which all is set as a store needs it.
    async fn connected(&self, patience: Duration) -> Result<Client, StoreError> {
        let config = &self.address.config;
        let hosts = config.get_hosts().len().max(config.get_hostaddrs().len());
        let each = config.get_connect_timeout().copied().unwrap_or(CONNECT).saturating_add(LATER);
        let all = each.saturating_mul(u32::try_from(hosts).unwrap_or(u32::MAX));
        let client = match timeout(all, connect(&self.address)).await {
            Ok(Ok(client)) => client,
            Ok(Err(Wrong::Known(error))) => return Err(error),
            Ok(Err(Wrong::Told(error))) => return Err(unreached(&self.address, &error)),
            Err(_) => {
                return Err(StoreError::Failed {
                    why: format!("{} does not answer as a server of PostgreSQL does", self.address),
                });
            }
        };
        // A server that is set to be quicker than sure is not, for these sessions; one that is set to be surer stays so.
        let mut set = "
            SET default_transaction_isolation = 'read committed'; SET search_path = pg_catalog; SET client_min_messages = warning;
            SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') <> 'remote_apply';
        "
        .to_owned();
        set.push_str(&waits(patience));
        if self.access == Access::Read {
            set.push_str("SET default_transaction_read_only = on;");
        }
        let found = async {
            client.batch_execute(&set).await?;
            // The tables of a server that has taken the place of another one, too.
            made(&client).await
        };
        match timeout(longest(patience).saturating_add(LATER), found).await {
            Ok(Ok(_)) => Ok(client),
            Ok(Err(Wrong::Known(error))) => Err(error),
            Ok(Err(Wrong::Told(error))) => Err(failed(&error)),
            Err(_) => Err(StoreError::Failed { why: format!("{} did not answer", self.address) }),
        }
    }
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres").field("address", &self.address.to_string()).field("access", &self.access).finish()
    }
}

/// Begins a connection.
async fn connect(address: &Address) -> Result<Client, Wrong> {
    let mut config: Config = address.config.clone();
    // A machine that has gone is noticed, unless the URL says how.
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(LONGEST);
    }
    Ok(match &address.tls {
        None => {
            let (client, connection) = config.connect(NoTls).await?;
            tokio::spawn(connection);
            client
        }
        Some(trust) => {
            let tls = Tls::new(trust).map_err(|why| StoreError::Failed { why: format!("`sslrootcert`: {why}") })?;
            let (client, connection) = config.connect(tls).await?;
            tokio::spawn(connection);
            client
        }
    })
}

/// The connection, where it still is one. What the server has said of its end meanwhile is heard here.
async fn alive(client: Option<Client>) -> Option<Client> {
    for _ in 0..4 {
        tokio::task::yield_now().await;
    }
    client.filter(|client| !client.is_closed())
}

/// How long a statement may take.
fn longest(patience: Duration) -> Duration {
    patience.saturating_add(LONGEST)
}

/// How long is waited, in words of the server. There nothing means for ever.
fn waits(patience: Duration) -> String {
    let most = |wait: Duration| i32::try_from(wait.as_millis().max(1)).unwrap_or(i32::MAX);
    let (lock, whole) = (most(patience), most(longest(patience)));
    format!("SET lock_timeout = {lock}; SET statement_timeout = {whole};")
}

/// What is in the schema.
enum Made {
    Store,
    /// Nothing yet.
    Nothing {
        /// Whether there is a schema.
        schema: bool,
    },
}

/// What is in the schema. One that holds something else is no store.
async fn made(client: &impl GenericClient) -> Result<Made, Wrong> {
    let row = client.query_typed_one(LOOK, &[]).await?;
    let encoding: String = column(&row, 0)?;
    if encoding != "UTF8" {
        let why = format!("its database is in {encoding}; make one with ENCODING 'UTF8'");
        return Err(StoreError::Failed { why }.into());
    }
    let (schema, store, tables): (bool, bool, i64) = (column(&row, 2)?, column(&row, 3)?, column(&row, 4)?);
    if tables == 0 {
        return Ok(Made::Nothing { schema });
    }
    let other = || StoreError::Damaged { why: "the schema `segue` of its database holds something else".into() };
    if !store {
        return Err(other().into());
    }
    let rows = client.query_typed("SELECT application::text, version::bigint FROM segue.store", &[]).await;
    let rows = rows.map_err(|error| match error.code() {
        Some(code) if *code != SqlState::INSUFFICIENT_PRIVILEGE && !ends(&error) => Wrong::Known(other()),
        _ => Wrong::Told(error),
    })?;
    let [row] = rows.as_slice() else { return Err(other().into()) };
    match (column::<String>(row, 0)?, column::<i64>(row, 1)?) {
        (application, VERSION) if application == APPLICATION => Ok(Made::Store),
        (application, found) if application == APPLICATION => Err(StoreError::Version { found, known: VERSION }.into()),
        _ => Err(other().into()),
    }
}

fn none_there() -> StoreError {
    StoreError::Failed { why: "its database holds no sessions yet".into() }
}

/// Makes the tables, unless another one has just done so.
async fn make(client: &mut Client) -> Result<(), Wrong> {
    let change = client.transaction().await?;
    change.execute_typed("SELECT pg_advisory_xact_lock($1)", &[(&LOCK, Type::INT8)]).await?;
    if let Made::Nothing { schema } = made(&change).await? {
        if !schema {
            change.batch_execute("CREATE SCHEMA segue").await?;
        }
        change.batch_execute(TABLES).await?;
        let values: &Values<'_> = &[(&APPLICATION, Type::TEXT), (&VERSION, Type::INT8)];
        change.execute_typed("INSERT INTO segue.store (application, version) VALUES ($1, $2)", values).await?;
    }
    Ok(change.commit().await?)
}

/// That sessions may be changed.
async fn may_write(client: &Client) -> Result<(), Wrong> {
    if column(&client.query_typed_one(LOOK, &[]).await?, 1)? {
        let why = "the server only lets it be read: it is a standby, or `default_transaction_read_only` is on";
        return Err(StoreError::ReadOnly { why: why.into() }.into());
    }
    if column(&client.query_typed_one(MAY_WRITE, &[]).await?, 0)? {
        return Ok(());
    }
    let why = "its role needs INSERT, UPDATE and DELETE on segue.session, INSERT and DELETE on segue.entry (GRANT)";
    Err(StoreError::ReadOnly { why: why.into() }.into())
}

impl Store for Postgres {
    fn create(&self, session: &Kept) -> Result<(), StoreError> {
        let Kept { head, state, pending } = session;
        let sql = "INSERT INTO segue.session (id, revision, head, state, pending) VALUES ($1, $2, $3, $4, $5)
                   ON CONFLICT (id) DO NOTHING";
        let state = state.as_ref().map(|state| sealed(&head.id, state.clone()));
        let (revision, pending, known) = (number(head.revision)?, text(&head.id, pending)?, text(&head.id, head)?);
        let values: &Values<'_> = &[
            (&head.id, Type::TEXT),
            (&revision, Type::INT8),
            (&known, Type::TEXT),
            (&state, Type::TEXT),
            (&pending, Type::TEXT),
        ];
        self.work(Work::Changes, async |client| match client.execute_typed(sql, values).await? {
            0 => Err(StoreError::Exists { id: head.id.clone() }.into()),
            _ => Ok(()),
        })
    }

    fn read(&self, id: &str) -> Result<Kept, StoreError> {
        let sql = "SELECT revision, head, state, pending FROM segue.session WHERE id = $1";
        let row = self.work(Work::Looks, async |client| {
            Ok(match client.query_typed_opt(sql, &[(&id, Type::TEXT)]).await? {
                Some(row) => Some(text::Row {
                    revision: column(&row, 0)?,
                    head: column(&row, 1)?,
                    state: column(&row, 2)?,
                    pending: column(&row, 3)?,
                }),
                None => None,
            })
        })?;
        text::Row::kept(row, id)
    }

    fn commit(&self, commit: Commit<'_>) -> Result<(), StoreError> {
        let Commit { head, state, entry, pending } = commit;
        let (state, pending) = (sealed(&head.id, state), text(&head.id, &pending)?);
        let (at, entry) = (number(entry.revision)?, text(&head.id, &entry)?);
        let values: &Values<'_> =
            &[(&state, Type::TEXT), (&pending, Type::TEXT), (&at, Type::INT8), (&entry, Type::TEXT)];
        let also = "INSERT INTO segue.entry (session, revision, entry) SELECT id, $6, $7 FROM moved";
        self.follow(head, "state = $4, pending = $5", also, values)
    }

    fn entries(&self, id: &str) -> Result<Vec<Entry>, StoreError> {
        // Head and entries as they stand at one moment.
        let sql = "SELECT session.revision, head, state IS NOT NULL, entry
                   FROM segue.session LEFT JOIN segue.entry ON session = id WHERE id = $1 ORDER BY entry.revision";
        let rows = self.work(Work::Looks, async |client| Ok(client.query_typed(sql, &[(&id, Type::TEXT)]).await?))?;
        let first = rows.first().ok_or_else(|| missing(id))?;
        let head = head_of(id, column(first, 0)?, column(first, 1)?)?;
        // A session without entries has one row, and no entry in it.
        let entries = rows.iter().filter_map(|row| column::<Option<&str>>(row, 3).transpose());
        log_of(&head, column(first, 2)?, entries)
    }

    fn list(&self) -> Result<Vec<Head>, StoreError> {
        let sql = "SELECT id, revision, head FROM segue.session ORDER BY id";
        let rows = self.work(Work::Looks, async |client| Ok(client.query_typed(sql, &[]).await?))?;
        rows.iter().map(|row| head_of(column(row, 0)?, column(row, 1)?, column(row, 2)?)).collect()
    }

    fn end(&self, head: &Head, retention: Retention) -> Result<(), StoreError> {
        let pending = text(&head.id, &NOTHING)?;
        match retention {
            Retention::Content => self.follow(head, "pending = pending", "SELECT FROM moved", &[]),
            Retention::Metadata => {
                let also = "DELETE FROM segue.entry WHERE session IN (SELECT id FROM moved)";
                self.follow(head, "state = NULL, pending = $4", also, &[(&pending, Type::TEXT)])
            }
        }
    }

    fn delete(&self, id: &str) -> Result<(), StoreError> {
        let sql = "DELETE FROM segue.session WHERE id = $1";
        self.work(Work::Changes, async |client| match client.execute_typed(sql, &[(&id, Type::TEXT)]).await? {
            0 => Err(missing(id).into()),
            _ => Ok(()),
        })
    }

    fn faults(&self) -> Result<Vec<String>, StoreError> {
        let sql = "
            SELECT 'the log of session ' || session || ' is there without the session'
                FROM (SELECT DISTINCT session FROM segue.entry) AS logs
                WHERE NOT EXISTS (SELECT FROM segue.session WHERE id = session)
            UNION ALL SELECT checksum_failures || ' pages of its database were not what was written, says the server'
                FROM pg_stat_database WHERE datname = current_database() AND checksum_failures > 0
            UNION ALL SELECT 'the server runs with fsync = off: what was committed may be lost when its machine goes down; set it to on'
                WHERE current_setting('fsync') = 'off'
        ";
        let rows = self.work(Work::Looks, async |client| Ok(client.query_typed(sql, &[]).await?))?;
        rows.iter().map(|row| column(row, 0)).collect()
    }
}

impl Postgres {
    /// Changes a session that stands at the revision before that of `head`, and what belongs to it, in one statement: that is one
    /// transaction, and one way to the server and back. `set` names its values from `$4` on, and `also` goes on with them.
    fn follow(&self, head: &Head, set: &str, also: &str, values: &Values<'_>) -> Result<(), StoreError> {
        let (revision, known) = (number(head.revision)?, text(&head.id, head)?);
        let sql = format!(
            "WITH moved AS (
                UPDATE segue.session SET revision = $2, head = $3, {set} WHERE id = $1 AND revision = $2 - 1 RETURNING id
            ), also AS ({also}) SELECT FROM moved"
        );
        let mut all: Vec<(&(dyn ToSql + Sync), Type)> =
            vec![(&head.id, Type::TEXT), (&revision, Type::INT8), (&known, Type::TEXT)];
        all.extend_from_slice(values);
        self.work(Work::Changes, async |client| {
            if client.execute_typed(&sql, &all).await? == 1 {
                return Ok(());
            }
            let sql = "SELECT revision FROM segue.session WHERE id = $1";
            let found = client.query_typed_opt(sql, &[(&head.id, Type::TEXT)]).await?;
            let found = found.map(|row| column(&row, 0)).transpose()?;
            Err(elsewhere(head, found).into())
        })
    }
}

/// A value of a row. One of another type was not written by this program.
fn column<'r, T: FromSql<'r>>(row: &'r Row, at: usize) -> Result<T, StoreError> {
    row.try_get(at).map_err(|error| StoreError::Damaged { why: text_of(&error) })
}

/// Whether an error ends the connection.
fn ends(error: &Error) -> bool {
    let fatal = |told: &DbError| matches!(told.parsed_severity(), Some(Severity::Fatal | Severity::Panic));
    error.as_db_error().is_none_or(fatal)
}

/// What the server says, without what it quotes of the sessions; or else what the driver says.
fn told(error: &Error) -> String {
    match error.as_db_error() {
        Some(told) => format!("{} (SQLSTATE {})", told.message(), told.code().code()),
        None => text_of(error),
    }
}

/// What an error of the server is to who asked for something.
fn failed(error: &Error) -> StoreError {
    let why = told(error);
    let Some(code) = error.code() else { return StoreError::Failed { why } };
    match *code {
        SqlState::LOCK_NOT_AVAILABLE
        | SqlState::QUERY_CANCELED
        | SqlState::T_R_SERIALIZATION_FAILURE
        | SqlState::T_R_DEADLOCK_DETECTED => StoreError::Locked { why },
        SqlState::DISK_FULL => StoreError::Full { why },
        SqlState::READ_ONLY_SQL_TRANSACTION => StoreError::ReadOnly { why },
        SqlState::DATA_CORRUPTED
        | SqlState::INDEX_CORRUPTED
        | SqlState::UNDEFINED_TABLE
        | SqlState::UNDEFINED_COLUMN => StoreError::Damaged { why },
        SqlState::INSUFFICIENT_PRIVILEGE => StoreError::Failed {
            why: format!("{why}; its role needs rights to the schema `segue` and its tables (GRANT)"),
        },
        _ => StoreError::Failed { why },
    }
}

/// Why there is no connection, and what to do.
fn unreached(address: &Address, error: &Error) -> StoreError {
    let why = told(error);
    let hint = match error.code() {
        Some(&(SqlState::INVALID_PASSWORD | SqlState::INVALID_AUTHORIZATION_SPECIFICATION)) => {
            "; user and password have to be those of a role that may log in"
        }
        Some(&SqlState::UNDEFINED_DATABASE) => "; make it first (CREATE DATABASE)",
        Some(&SqlState::TOO_MANY_CONNECTIONS) => "; close others, or raise `max_connections`",
        Some(&SqlState::CANNOT_CONNECT_NOW) => "; try again in a moment",
        Some(_) => "",
        None if why.contains("password missing") => {
            "; the server wants a password: it stands in the URL, or the program takes it from `PGPASSWORD`"
        }
        None if why.contains("TLS") => {
            "; `sslrootcert=FILE` says whose certificates are trusted, `sslmode=disable` goes without TLS"
        }
        None => "; the server has to run there, and to take connections from here",
    };
    StoreError::Failed { why: format!("no connection to {address}: {why}{hint}") }
}
