//! Serves the ports `generate`, `refine` and `compare` of the refinement pack on a small shop: one call comes on standard input, as a
//! line of JSON, and its answer goes out. See docs/text-to-sql.md.
#![expect(clippy::disallowed_methods, reason = "the program is started with arguments")]

mod canonical;
mod clock;
mod compare;
mod contradiction;
mod database;
mod dates;
mod making;
mod model;
mod preview;
mod reading;
mod sql;
mod unordered;
mod vocabulary;
mod words;

use std::io::{Write, read_to_string, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value as Json, json};

use database::Database;
use reading::{Reading, read};
use vocabulary::Vocabulary;

/// Where databases are built, unless it is said.
const FOLDER: &str = "target/text-to-sql";

fn main() -> ExitCode {
    let served = folder().and_then(|folder| {
        let call = read_to_string(stdin()).map_err(|error| format!("the call cannot be read: {error}"))?;
        serve(&call, &folder)
    });
    match served.and_then(|answer| writeln!(stdout(), "{answer}").map_err(|error| error.to_string())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            // The last line is the reason.
            let _ = writeln!(std::io::stderr(), "{}", why.split_whitespace().collect::<Vec<_>>().join(" "));
            ExitCode::FAILURE
        }
    }
}

/// The folder of the databases: `--databases FOLDER`.
fn folder() -> Result<PathBuf, String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Ok(FOLDER.into()),
        ["--databases", folder] => Ok(folder.into()),
        _ => Err("usage: text_to_sql [--databases FOLDER]".into()),
    }
}

/// The answer to a call.
fn serve(call: &str, folder: &Path) -> Result<Json, String> {
    let call: Json = serde_json::from_str(call).map_err(|error| format!("the call is no JSON: {error}"))?;
    let with = &call["with"];
    let text = |field: &str| with[field].as_str().ok_or_else(|| format!("the call has no `{field}`"));
    match call["port"].as_str() {
        Some("compare") => Ok(json!({ "summary": compare::compare(text("before")?, text("after")?)? })),
        Some("generate") => {
            let name = text("database")?;
            let mut shop = Database::open(folder, name)?;
            let question = text("question")?;
            answer(&mut shop, name, "generate", with, |vocabulary, shop| {
                let reading = read(question, None, vocabulary, shop.day()?)?;
                making::generate(&reading).map(|query| (query, reading))
            })
        }
        Some("refine") => {
            // What was said of the query before says where it was made.
            let name = with["previousResults"]["details"]["database"].as_str().unwrap_or("default");
            let mut shop = Database::open(folder, name)?;
            let (query, feedback) = (text("currentQuery")?, text("feedback")?);
            answer(&mut shop, name, "refine", with, |vocabulary, shop| {
                let reading = read(feedback, Some(making::current(query)?), vocabulary, shop.day()?)?;
                making::refine(query, &reading).map(|query| (query, reading))
            })
        }
        Some(other) => Err(format!("the port `{other}` is none that is served here: compare, generate, refine")),
        None => Err("the call has no `port`".into()),
    }
}

/// A query, made by the model where there is one and by the rules where there is none, with what it gives.
fn answer(
    shop: &mut Database,
    name: &str,
    port: &str,
    with: &Json,
    by_rules: impl FnOnce(&Vocabulary, &Database) -> Result<(String, Reading), String>,
) -> Result<Json, String> {
    let (query, explanation, confidence) = match model::named()? {
        Some(endpoint) => {
            let said = model::ask(endpoint, port, with, shop)?;
            let query = said["query"]
                .as_str()
                .filter(|query| !query.trim().is_empty())
                .ok_or("the model answers with no query")?;
            (query.to_owned(), said["explanation"].clone(), said["confidence"].clone())
        }
        None => {
            let (query, reading) = by_rules(&Vocabulary::read(shop)?, shop)?;
            let mut told = format!(
                "Demonstration: made by fixed rules, not by a language model. In this database today is {}.",
                shop.today()
            );
            for remark in &reading.remarks {
                told.push_str(&format!(" Here {remark}."));
            }
            for note in &reading.notes {
                told.push_str(&format!(" Taken for granted: {note}."));
            }
            let open = unordered::unordered(&query);
            if open {
                told.push_str(" Taken for granted: which rows come first, for no order is given.");
            }
            let nothing = contradiction::contradiction(&query);
            if let Some((one, other)) = &nothing {
                told.push_str(&format!(" No row can be both: `{one}` and `{other}`."));
            }
            let sure = reading.notes.is_empty() && nothing.is_none() && !open;
            (query, told.into(), if sure { "high" } else { "medium" }.into())
        }
    };
    let rows = shop.run(&query)?;
    let preview = preview::table(&rows);
    let mut details = rows.json();
    details["database"] = name.into();
    let mut answer = json!({ "query": query, "confidence": confidence, "details": details, "preview": preview });
    if !explanation.is_null() {
        answer["explanation"] = explanation;
    }
    Ok(answer)
}
