//! The clock of a database: in its queries `now` is the day that it was made for, so that the same query finds the same rows on any day.

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::Value;
use rusqlite::{Connection, Result, params_from_iter};

/// The functions that know what time it is, each with the place of its first time; none where it has no arguments.
const FUNCTIONS: [(&str, Option<usize>); 10] = [
    ("date", Some(0)),
    ("time", Some(0)),
    ("datetime", Some(0)),
    ("julianday", Some(0)),
    ("unixepoch", Some(0)),
    ("strftime", Some(1)),
    ("timediff", Some(0)),
    ("current_date", None),
    ("current_time", None),
    ("current_timestamp", None),
];

/// Lets the clock of a connection stand at noon of a day, in UTC.
pub fn stop(connection: &Connection, today: &str) -> Result<()> {
    let noon = format!("{today} 12:00:00");
    for (name, first) in FUNCTIONS {
        // Another connection has the functions as they are.
        let plain = Connection::open_in_memory()?;
        let noon = noon.clone();
        let of = match name {
            "current_date" => "date",
            "current_time" => "time",
            "current_timestamp" => "datetime",
            other => other,
        };
        let call = move |context: &mut Context<'_>| -> Result<Value> {
            let mut arguments = Vec::new();
            for at in 0..context.len() {
                arguments.push(match context.get::<Value>(at)? {
                    Value::Text(text) if text.eq_ignore_ascii_case("now") => Value::Text(noon.clone()),
                    other => other,
                });
            }
            if arguments.len() == first.unwrap_or(0) {
                arguments.push(Value::Text(noon.clone()));
            }
            let marks = vec!["?"; arguments.len()].join(", ");
            plain.query_one(&format!("SELECT {of}({marks})"), params_from_iter(arguments), |row| row.get(0))
        };
        let arguments = if first.is_some() { -1 } else { 0 };
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS | FunctionFlags::SQLITE_DETERMINISTIC;
        connection.create_scalar_function(name, arguments, flags, call)?;
    }
    Ok(())
}
