//! The database: built from its script where it is not there yet, and read by queries that can do no harm.
#![expect(clippy::disallowed_methods, reason = "the database is a file")]

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use jiff::civil::Date;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use serde_json::{Value as Json, json};

use super::clock;
use super::sql::one_query;

/// The scripts of all databases, by name.
const SCRIPTS: [(&str, &str); 1] = [("ecommerce", include_str!("ecommerce.sql"))];
/// What a session is on that was opened with none.
const DEFAULT: &str = "default";
/// The most rows that are taken of a result, and the most characters of a text in it.
pub const MOST_ROWS: usize = 50;
const MOST_CHARACTERS: usize = 500;
/// After how many instructions a query is stopped.
const MOST_STEPS: u32 = 5_000_000;
/// How often it is looked how many there were.
const STEPS: u32 = 1_000;
/// The most bytes that SQLite may hold, and those of one value.
const MOST_MEMORY: u32 = 64 * 1024 * 1024;
const MOST_BYTES: i32 = 64 * 1024;

/// A database that is open for reading.
pub struct Database {
    connection: Connection,
    script: &'static str,
    today: String,
}

/// What a query gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, at most [`MOST_ROWS`].
    pub rows: Vec<Vec<Json>>,
    /// Whether there are more.
    pub more: bool,
}

impl Rows {
    /// As it goes into an answer.
    pub fn json(&self) -> Json {
        json!({ "columns": self.columns, "rows": self.rows, "more": self.more })
    }
}

impl Database {
    /// Opens a database that lies in a folder; where it does not, or was built from another script, it is built first.
    ///
    /// # Errors
    /// There is no such database, it cannot be built or read, or a file that was not built here has its name.
    pub fn open(folder: &Path, name: &str) -> Result<Self, String> {
        let name = if name == DEFAULT { SCRIPTS[0].0 } else { name };
        let Some((name, script)) = SCRIPTS.into_iter().find(|(of, _)| *of == name) else {
            let known: Vec<&str> = SCRIPTS.iter().map(|(name, _)| *name).collect();
            return Err(format!("there is no database `{name}`; there is {}", known.join(", ")));
        };
        let path = folder.join(format!("{name}.db"));
        let cannot = |why: String| format!("the database {} cannot be built: {why}", path.display());
        match found(&path, script) {
            Found::Database => {}
            Found::Nothing => build(&path, script, false).map_err(cannot)?,
            Found::Older => build(&path, script, true).map_err(cannot)?,
            Found::Foreign => return Err(cannot(FOREIGN.into())),
        }
        Self::read(&path, script).map_err(|why| format!("the database {} cannot be read: {why}", path.display()))
    }

    fn read(path: &Path, script: &'static str) -> rusqlite::Result<Self> {
        let mut connection =
            Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        let today: String = connection.query_one("SELECT today FROM shop", [], |row| row.get(0))?;
        clock::stop(&connection, &today)?;
        // "x" is the name of a column and never a text; the schema runs no code.
        for (config, on) in [
            (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
            (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
            (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        ] {
            connection.set_db_config(config, on)?;
        }
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MOST_BYTES)?;
        connection.set_limit(Limit::SQLITE_LIMIT_COLUMN, 100)?;
        connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
        connection.execute_batch(&format!(
            "PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA hard_heap_limit = {MOST_MEMORY};"
        ))?;
        connection.authorizer(Some(may))?;
        Ok(Self { connection, script, today })
    }

    /// The day on which its clock stands.
    pub fn today(&self) -> &str {
        &self.today
    }

    /// The same as a date.
    ///
    /// # Errors
    /// The script says no day.
    pub fn day(&self) -> Result<Date, String> {
        self.today.parse().map_err(|_| format!("`{}` is no day", self.today))
    }

    /// The script that it was built from, as far as it declares tables.
    pub fn tables(&self) -> &str {
        let end = self.script.find("INSERT INTO users").unwrap_or(self.script.len());
        self.script[..end].trim_end()
    }

    /// The texts that a column holds, each once.
    ///
    /// # Errors
    /// There is no such column.
    pub fn texts(&self, table: &str, column: &str) -> Result<Vec<String>, String> {
        let all = format!("SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL ORDER BY {column}");
        let mut statement = self.connection.prepare(&all).map_err(|error| error.to_string())?;
        let texts = statement.query_map([], |row| row.get(0)).and_then(Iterator::collect);
        texts.map_err(|error| error.to_string())
    }

    /// Runs one query, for a bounded number of rows and of steps.
    ///
    /// # Errors
    /// It is no query, it is several statements, it would do anything but read, it fails (in the words of the database), or takes too long.
    pub fn run(&mut self, text: &str) -> Result<Rows, String> {
        one_query(text).map_err(|why| format!("the query is not run: {why}"))?;
        let mut steps = 0;
        let counted = move || {
            steps += STEPS;
            steps > MOST_STEPS
        };
        let every = i32::try_from(STEPS).unwrap_or(i32::MAX);
        self.connection.progress_handler(every, Some(counted)).map_err(|error| error.to_string())?;
        self.rows(text).map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => {
                format!("the query was stopped: it takes more than {MOST_STEPS} steps of the database")
            }
            _ => words(error),
        })
    }

    fn rows(&self, text: &str) -> rusqlite::Result<Rows> {
        // What follows a first statement is an error here, too.
        let mut statement = self.connection.prepare(text)?;
        if !statement.readonly() {
            return Err(rusqlite::Error::SqliteFailure(
                rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_READONLY),
                Some("it does not only read".into()),
            ));
        }
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut found = Rows { rows: Vec::new(), more: false, columns };
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if found.rows.len() == MOST_ROWS {
                found.more = true;
                break;
            }
            let values = (0..found.columns.len()).map(|at| row.get_ref(at).map(value));
            found.rows.push(values.collect::<rusqlite::Result<_>>()?);
        }
        Ok(found)
    }
}

/// What the database says of an error, without what was asked.
fn words(error: rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqlInputError { msg, .. } | rusqlite::Error::SqliteFailure(_, Some(msg)) => {
            format!("the database refuses the query: {msg}")
        }
        other => format!("the database refuses the query: {other}"),
    }
}

/// What a query may do: read, and nothing else.
fn may(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => Authorization::Allow,
        AuthAction::Function { function_name } if !function_name.eq_ignore_ascii_case("load_extension") => {
            Authorization::Allow
        }
        _ => Authorization::Deny,
    }
}

fn value(value: ValueRef<'_>) -> Json {
    match value {
        ValueRef::Null => Json::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => {
            serde_json::Number::from_f64(number).map_or_else(|| number.to_string().into(), Json::Number)
        }
        ValueRef::Text(text) => {
            let text = String::from_utf8_lossy(text);
            match text.char_indices().nth(MOST_CHARACTERS) {
                Some((end, _)) => format!("{}…", &text[..end]).into(),
                None => text.into(),
            }
        }
        ValueRef::Blob(bytes) => format!("{} bytes", bytes.len()).into(),
    }
}

/// A number that another script would not have.
fn mark(script: &str) -> i32 {
    script.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)).cast_signed()
}

/// What every database that is built here says of itself, as `PRAGMA application_id`: `SGUE`.
const OWN: i32 = 0x5347_5545;
/// What is told where a file of somebody else has the name.
const FOREIGN: &str = "a file of this name is there that this program has not built, and it is left as it is; move it away, or \
    name another folder with `--databases`";

/// What lies in the place of a database.
enum Found {
    /// It.
    Database,
    /// One that was built here, from another script.
    Older,
    /// Something else.
    Foreign,
    /// Nothing.
    Nothing,
}

fn found(path: &Path, script: &str) -> Found {
    if fs::symlink_metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return Found::Nothing;
    }
    let says = || {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let number = |name: &str| connection.query_one(&format!("PRAGMA {name}"), [], |row| row.get::<_, i32>(0));
        Ok::<_, rusqlite::Error>((number("user_version")?, number("application_id")?))
    };
    match says() {
        Ok((version, _)) if version == mark(script) => Found::Database,
        Ok((_, OWN)) => Found::Older,
        _ => Found::Foreign,
    }
}

/// Builds it beside its place, and puts it there whole; what lies there is written over only if that is said. Of several that do so at once
/// one wins.
fn build(path: &Path, script: &str, over: bool) -> Result<(), String> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let beside = tempfile::Builder::new().prefix("building-").suffix(".tmp").tempfile_in(folder);
    let beside = beside.map_err(|error| error.to_string())?.into_temp_path();
    let marks = format!("PRAGMA user_version = {}; PRAGMA application_id = {OWN};", mark(script));
    let built = Connection::open(&beside).and_then(|connection| {
        connection.execute_batch(&format!("BEGIN;\n{script}\n{marks}\nCOMMIT;"))?;
        connection.close().map_err(|(_, error)| error)
    });
    built.map_err(|error| error.to_string())?;
    let placed = if over { beside.persist(path) } else { beside.persist_noclobber(path) };
    match placed {
        Ok(()) => Ok(()),
        // Somebody was faster.
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => match found(path, script) {
            Found::Database => Ok(()),
            _ => Err(FOREIGN.into()),
        },
        Err(error) => Err(error.error.to_string()),
    }
}

#[cfg(test)]
mod tests;
