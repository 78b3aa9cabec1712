//! Sessions in one file: SQLite, so that several processes may read and write it, and a killed one loses nothing that was committed.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row, Transaction, TransactionBehavior, params};

use crate::session::{Commit, Entry, Head, Kept, Retention, Store, StoreError};
use crate::workspace::files;

use super::Access;
use super::text::{self, NOTHING, elsewhere, log_of, missing, number, of_text, sealed, text};

/// By this number a file says that it is such a store: `Segu`.
const APPLICATION: i64 = 0x5365_6775;
/// The version of the tables.
const VERSION: i64 = 2;
/// How the name of the log ends that is written ahead.
const LOG: &str = "-wal";
/// Bytes in a page: a file that has no more holds no tables.
const PAGE: u64 = 4096;
/// So long another process may hold the file before that is an error, unless [`Sqlite::patience`] says otherwise.
const PATIENCE: Duration = Duration::from_secs(5);

const TABLES: &str = "
    CREATE TABLE session (
        id TEXT PRIMARY KEY, revision INTEGER NOT NULL, head TEXT NOT NULL, state TEXT, pending TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE entry (
        session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE, revision INTEGER NOT NULL, entry TEXT NOT NULL,
        PRIMARY KEY (session, revision)
    ) STRICT, WITHOUT ROWID;
";

/// Sessions in one file. A write is on the disk when it comes back: write-ahead log, `synchronous = FULL`. What is read is what was
/// written, or an error: each text is kept with its digest.
#[derive(Debug)]
pub struct Sqlite {
    connection: Mutex<Connection>,
    /// Where its file lies, and which one that was when it was opened.
    path: PathBuf,
    file: Option<files::Identity>,
}

impl Sqlite {
    /// Opens the file.
    ///
    /// # Errors
    /// [`StoreError`]: it cannot be opened, is no store, or is one of another version.
    pub fn open(path: &Path, access: Access) -> Result<Self, StoreError> {
        let missing = files::kind(path) == files::Kind::Missing;
        Self::reached(path, access).inspect_err(|error| {
            // What was made to no avail is taken away again, unless another process is about to make a store of it.
            let all = [path.to_path_buf(), beside(path, LOG), beside(path, "-shm")];
            let [size, log, _] = all.each_ref().map(|file| files::size(file).unwrap_or_default());
            if missing && !matches!(error, StoreError::Locked { .. }) && size <= PAGE && log == 0 {
                for file in &all {
                    let _ = files::remove(file, "");
                }
            }
        })
    }

    fn reached(path: &Path, access: Access) -> Result<Self, StoreError> {
        // A name is the name of a file, also one that means something else to SQLite, such as `:memory:`.
        let path = &Path::new(".").join(path);
        let flags = match access {
            Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
            Access::Existing => OpenFlags::SQLITE_OPEN_READ_WRITE,
            Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
        };
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let (mut connection, fresh) = match connected(path.as_os_str(), flags) {
            // Where nothing can be written beside it, and nobody is at work, it is read as it lies there.
            Err(StoreError::ReadOnly { .. } | StoreError::Failed { .. }) if access == Access::Read && !logs(path) => {
                connected(unchanged(path).as_ref(), flags | OpenFlags::SQLITE_OPEN_URI)?
            }
            connected => connected?,
        };
        if fresh && access == Access::Write {
            connection.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
            // Another process may have been first.
            if made(&change)? {
                change.execute_batch(TABLES).map_err(failed)?;
                change.pragma_update(None, "application_id", APPLICATION).map_err(failed)?;
                change.pragma_update(None, "user_version", VERSION).map_err(failed)?;
            }
            change.commit().map_err(failed)?;
        } else if fresh {
            return Err(StoreError::Damaged { why: "it is empty".into() });
        }
        connection.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
        connection.pragma_update(None, "foreign_keys", true).map_err(failed)?;
        // What is given up is not there any more, nor between what is.
        connection.pragma_update_and_check(None, "secure_delete", true, |_| Ok(())).map_err(failed)?;
        Ok(Self { connection: Mutex::new(connection), path: files::real(path), file: files::identity(path) })
    }

    /// How long a write waits for another process that holds the file, before that is [`StoreError::Locked`]: five seconds unless it is
    /// said here.
    ///
    /// # Errors
    /// [`StoreError`]: the file cannot be reached.
    pub fn patience(&self, wait: Duration) -> Result<(), StoreError> {
        self.connection().busy_timeout(wait).map_err(failed)
    }

    /// Lets the file grow to so many bytes, and not beyond: more is [`StoreError::Full`], as on a disk without room. It holds for as
    /// long as this store is open.
    ///
    /// # Errors
    /// [`StoreError`]: the file cannot be reached.
    pub fn limit(&self, bytes: u64) -> Result<(), StoreError> {
        let connection = self.connection();
        let page: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0)).map_err(failed)?;
        let pages = i64::try_from(bytes).unwrap_or(i64::MAX) / page.max(1);
        connection.pragma_update_and_check(None, "max_page_count", pages.max(1), |_| Ok(())).map_err(failed)
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether its file lies where it lay. SQLite goes on with one that was removed, and nobody would ever read what it writes.
    fn there(&self) -> Result<(), StoreError> {
        match files::identity(&self.path) {
            None => Err(StoreError::Gone { why: "its file was removed while it was open".into() }),
            found if found != self.file => {
                Err(StoreError::Gone { why: "another file was put in the place of its file while it was open".into() })
            }
            _ => Ok(()),
        }
    }

    /// Takes what was given up out of the log that is written ahead as well. Who reads meanwhile puts that off until the next time, or
    /// until the last one closes the file; so does a disk that fails, for what was done is done.
    fn forget(&self) {
        let connection = self.connection();
        let wait = connection.pragma_query_value(None, "busy_timeout", |row| row.get::<_, u32>(0));
        let Ok(wait) = wait else { return };
        let _ = connection.busy_timeout(Duration::ZERO);
        let _ = connection.pragma_update_and_check(None, "wal_checkpoint", "TRUNCATE", |_| Ok(()));
        let _ = connection.busy_timeout(Duration::from_millis(wait.into()));
    }

    /// A change that is whole or none.
    fn change<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        // Before: what belongs to another file is not written beside it. After: what was written is where it is looked for.
        self.there()?;
        let mut connection = self.connection();
        let change = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let done = work(&change)?;
        change.commit().map_err(failed)?;
        self.there()?;
        Ok(done)
    }
}

/// Opens a file, and whether nothing is in it.
fn connected(path: &OsStr, flags: OpenFlags) -> Result<(Connection, bool), StoreError> {
    let connection = Connection::open_with_flags(Path::new(path), flags).map_err(failed)?;
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    // SQLite opens to read what it may not write.
    if flags.contains(OpenFlags::SQLITE_OPEN_READ_WRITE) && connection.is_readonly(rusqlite::MAIN_DB).map_err(failed)? {
        return Err(StoreError::ReadOnly { why: "its file may only be read".into() });
    }
    let fresh = made(&connection)?;
    Ok((connection, fresh))
}

/// A file that SQLite keeps beside a file.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Whether the log that is written ahead stands beside a file.
fn logs(path: &Path) -> bool {
    files::kind(&beside(path, LOG)) != files::Kind::Missing
}

/// A file as something that nobody changes.
fn unchanged(path: &Path) -> String {
    let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{path}?immutable=1")
}

/// Whether a file has just been made: nothing is in it. One that holds something else is no store.
fn made(connection: &Connection) -> Result<bool, StoreError> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).map_err(failed);
    match (number("application_id")?, number("user_version")?, number("schema_version")?) {
        (APPLICATION, VERSION, _) => Ok(false),
        (APPLICATION, found, _) => Err(StoreError::Version { found, known: VERSION }),
        (0, 0, 0) => Ok(true),
        _ => Err(StoreError::Damaged { why: "it is a database of something else".into() }),
    }
}

impl Store for Sqlite {
    fn create(&self, session: &Kept) -> Result<(), StoreError> {
        let Kept { head, state, pending } = session;
        self.change(|change| {
            let sql = "INSERT INTO session (id, revision, head, state, pending) VALUES (?1, ?2, ?3, ?4, ?5)
                       ON CONFLICT (id) DO NOTHING";
            let state = state.as_ref().map(|state| sealed(&head.id, state.clone()));
            let values =
                params![head.id, number(head.revision)?, text(&head.id, head)?, state, text(&head.id, pending)?];
            match change.prepare_cached(sql).and_then(|mut insert| insert.execute(values)).map_err(failed)? {
                0 => Err(StoreError::Exists { id: head.id.clone() }),
                _ => Ok(()),
            }
        })
    }

    fn read(&self, id: &str) -> Result<Kept, StoreError> {
        kept(&self.connection(), id)
    }

    fn commit(&self, commit: Commit<'_>) -> Result<(), StoreError> {
        let Commit { head, state, entry, pending } = commit;
        self.change(|change| {
            follow(
                change,
                head,
                "state = ?4, pending = ?5",
                params![sealed(&head.id, state), text(&head.id, &pending)?],
            )?;
            let sql = "INSERT INTO entry (session, revision, entry) VALUES (?1, ?2, ?3)";
            let values = params![head.id, number(entry.revision)?, text(&head.id, &entry)?];
            change.prepare_cached(sql).and_then(|mut insert| insert.execute(values)).map_err(failed)?;
            Ok(())
        })
    }

    fn entries(&self, id: &str) -> Result<Vec<Entry>, StoreError> {
        let mut connection = self.connection();
        // Head and entries as they stand at one moment.
        let look = connection.transaction().map_err(failed)?;
        let Kept { head, state, .. } = kept(&look, id)?;
        let sql = "SELECT entry FROM entry WHERE session = ?1 ORDER BY revision";
        let mut select = look.prepare_cached(sql).map_err(failed)?;
        let rows = select.query_map([id], |row| row.get::<_, String>(0)).map_err(failed)?;
        log_of(&head, state.is_some(), rows.map(|row| row.map_err(failed)))
    }

    fn list(&self) -> Result<Vec<Head>, StoreError> {
        let connection = self.connection();
        let mut select = connection.prepare_cached("SELECT id, head FROM session ORDER BY id").map_err(failed)?;
        let columns = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?));
        let rows = select.query_map([], columns).map_err(failed)?;
        rows.map(|row| row.map_err(failed).and_then(|(id, head)| of_text(&id, &head))).collect()
    }

    fn end(&self, head: &Head, retention: Retention) -> Result<(), StoreError> {
        self.change(|change| match retention {
            Retention::Content => follow(change, head, "pending = pending", params![]),
            Retention::Metadata => {
                follow(change, head, "state = NULL, pending = ?4", params![text(&head.id, &NOTHING)?])?;
                change.execute("DELETE FROM entry WHERE session = ?1", [&head.id]).map_err(failed)?;
                Ok(())
            }
        })?;
        self.forget();
        Ok(())
    }

    fn delete(&self, id: &str) -> Result<(), StoreError> {
        self.change(|change| match change.execute("DELETE FROM session WHERE id = ?1", [id]).map_err(failed)? {
            0 => Err(missing(id)),
            _ => Ok(()),
        })?;
        self.forget();
        Ok(())
    }

    fn faults(&self) -> Result<Vec<String>, StoreError> {
        let connection = self.connection();
        let mut look = connection.prepare("PRAGMA integrity_check").map_err(failed)?;
        let found = look.query_map([], |row| row.get::<_, String>(0)).map_err(failed)?;
        let found = found.collect::<Result<Vec<String>, _>>().map_err(failed)?;
        Ok(found.into_iter().filter(|line| line != "ok").collect())
    }
}

/// Changes a session that stands at the revision before that of `head`. `set` names its values from `?4` on.
fn follow(change: &Transaction<'_>, head: &Head, set: &str, values: &[&dyn rusqlite::ToSql]) -> Result<(), StoreError> {
    let revision = number(head.revision)?;
    let sql = format!("UPDATE session SET revision = ?2, head = ?3, {set} WHERE id = ?1 AND revision = ?2 - 1");
    let mut update = change.prepare_cached(&sql).map_err(failed)?;
    let text = text(&head.id, head)?;
    let mut all: Vec<&dyn rusqlite::ToSql> = vec![&head.id, &revision, &text];
    all.extend(values);
    if update.execute(&all[..]).map_err(failed)? == 1 {
        return Ok(());
    }
    let sql = "SELECT revision FROM session WHERE id = ?1";
    let found: Option<i64> = change.query_row(sql, [&head.id], |row| row.get(0)).optional().map_err(failed)?;
    Err(elsewhere(head, found))
}

fn kept(connection: &Connection, id: &str) -> Result<Kept, StoreError> {
    let sql = "SELECT revision, head, state, pending FROM session WHERE id = ?1";
    let columns = |row: &Row<'_>| -> rusqlite::Result<text::Row> {
        Ok(text::Row { revision: row.get(0)?, head: row.get(1)?, state: row.get(2)?, pending: row.get(3)? })
    };
    let mut select = connection.prepare_cached(sql).map_err(failed)?;
    text::Row::kept(select.query_row([id], columns).optional().map_err(failed)?, id)
}

#[expect(clippy::needless_pass_by_value, reason = "an error is mapped")]
fn failed(error: rusqlite::Error) -> StoreError {
    use rusqlite::Error::{FromSqlConversionFailure, InvalidColumnType, Utf8Error};
    let why = error.to_string();
    if matches!(error, FromSqlConversionFailure(..) | InvalidColumnType(..) | Utf8Error(..)) {
        return StoreError::Damaged { why };
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Locked { why },
        Some(ErrorCode::DiskFull) => StoreError::Full { why },
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StoreError::ReadOnly { why },
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Damaged { why },
        Some(ErrorCode::CannotOpen) => StoreError::Failed {
            why: format!("{why}; its folder has to be there, and file and folder to be yours to read and write"),
        },
        _ => StoreError::Failed { why },
    }
}
