//! A text-to-SQL session: the real chat with the refinement pack, whose ports the example serves on its shop.
#![expect(clippy::disallowed_methods, reason = "these tests make workspaces and start programs")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::{Value, json};
use snapbox::cmd::{Command as Checked, OutputAssert};

use crate::endpoint::{Does, Server, good};
use crate::program::{self, Mini, err, out};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const SURE: [&str; 5] = ["chat", "--pack", "refinement", "--numbered-ids", "--log=off"];

/// What cargo tells the programs that it runs. Handed on to another cargo it would make that one build crates anew that look at it.
fn told_by_cargo() -> Vec<String> {
    let own = |name: &String| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()).filter(own).collect()
}

/// The program: tests do not build examples.
fn example() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let tests = std::env::current_exe().expect("this test");
        let profile = tests.ancestors().nth(2).expect("target/PROFILE/deps/this");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--locked", "--offline", "--example", "text_to_sql", "--target-dir"]);
        cargo.arg(profile.parent().expect("the target folder")).current_dir(ROOT);
        for name in told_by_cargo() {
            cargo.env_remove(name);
        }
        if profile.ends_with("release") {
            cargo.arg("--release");
        }
        if cfg!(feature = "postgres") {
            cargo.arg("--features=postgres"); // the library is there with it
        }
        assert!(cargo.status().expect("cargo").success(), "the example does not build");
        profile.join("examples").join(format!("text_to_sql{}", std::env::consts::EXE_SUFFIX))
    })
}

/// A workspace with the pack, bound to the example.
fn shop() -> Mini {
    let mini = Mini::empty();
    program::copy(&Path::new(ROOT).join("transitions/refinement"), &mini.path("transitions/refinement"));
    let command = json!([example(), "--databases", "databases"]);
    let bound =
        ["generate", "refine", "compare"].map(|port| format!("[chat.refinement.{port}]\ncommand = {command}\n"));
    mini.write("segue.toml", bound.concat());
    mini
}

fn chat(mini: &Mini, more: &[&str], lines: &str) -> OutputAssert {
    chat_with(by_rules(mini.command(&[&SURE, more].concat())), lines)
}

/// No endpoint is named.
fn by_rules(command: Checked) -> Checked {
    command.env_remove("TEXT_TO_SQL_OPENAI").env_remove("TEXT_TO_SQL_MODEL")
}

fn chat_with(command: Checked, lines: &str) -> OutputAssert {
    let unset = ["TEXT_TO_SQL_KEY", "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
    unset.iter().fold(command, |command, name| command.env_remove(name)).stdin(lines.to_owned()).assert()
}

fn turns(run: &OutputAssert) -> Vec<Value> {
    out(run).lines().map(|line| serde_json::from_str(line).expect("a JSON object a line")).collect()
}

/// The message for people of a turn.
fn message(turn: &Value) -> &Value {
    &turn["messages"][0]["with"]
}

/// S1's own dialogue, and what follows from it: IRW-REQ-01, handle new query turn and handle refinement turn.
#[test]
fn the_dialogue_of_the_source() {
    let lines = "/open ecommerce\nShow me all users\nOnly from last month\nOrder them by name\n/clear\nShow me all orders\nHow about orders above 1,000?\n";
    let run = chat(&shop(), &[], lines).code(0).stderr_eq("");
    insta::assert_snapshot!(out(&run));
}

/// IRW-REQ-03, handle failed turn gracefully: what is not understood is a failed turn, never a query that was made up; the next refinement
/// starts from the last query that succeeded.
#[test]
fn failed_turns() {
    let lines = "What is the weather?\nShow me all products with a price above 100\nOnly the shiny ones\nOnly electronics\n\
                 покажи заказы за март\n/new users\n/open warehouse\n";
    let run = chat(&shop(), &["--format", "json"], lines).code(0);
    let told: Vec<String> = turns(&run)
        .iter()
        .map(|turn| {
            let message = message(turn);
            let word = |field: &str| message[field].as_str().unwrap_or("-").to_owned();
            let last = turn["calls"][0]["with"]["currentQuery"].as_str().unwrap_or("-");
            format!(
                "{} | {} | {} | from {last} | {}",
                turn["transition"],
                word("query"),
                word("message"),
                word("refinementSummary")
            )
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"));
    assert_eq!(message(&turns(&run)[2])["canRetry"], true);
}

/// What the words leave open is not called sure, and what nothing can come of is told.
#[test]
fn what_is_not_sure_is_told() {
    let lines = "top 3 products\nShow all products with a price above 100\nOnly those with a price under 50\n\
                 /new users from Riga\nTheir revenue last month\n";
    let run = chat(&shop(), &["--format", "json"], lines).code(0);
    let turns = turns(&run);
    let (word, said) =
        (|at: usize, field: &str| message(&turns[at])[field].as_str().unwrap_or("-").to_owned(), "Taken for granted: ");
    assert!(word(0, "message").starts_with("it does not say top by what"), "{}", out(&run));
    assert_eq!((word(0, "query").as_str(), word(1, "confidence").as_str()), ("-", "high"));
    assert_eq!(word(2, "confidence"), "medium");
    assert!(word(2, "explanation").ends_with(" No row can be both: `price > 100` and `price < 50`."), "{}", out(&run));
    assert_eq!(word(4, "confidence"), "medium");
    assert!(
        word(4, "query").contains("WHERE users.city = 'Riga' AND orders.ordered_at >= DATE('now', '-1 month')"),
        "{}",
        out(&run)
    );
    assert!(
        word(4, "explanation").ends_with(&format!("{said}the period is that of ordered_at in orders.")),
        "{}",
        out(&run)
    );
}

/// Which rows come first is not sure where no order is given.
#[test]
fn rows_without_an_order_are_not_sure() {
    let lines =
        "/new first 5 users\nOrder them by name\n/new first 5 users by name\n/new Show me all users\nOnly 3 of them\n";
    let run = chat(&shop(), &["--format", "json"], lines).code(0);
    let said: Vec<(String, String, bool)> = turns(&run)
        .iter()
        .map(|turn| {
            let word = |field: &str| message(turn)[field].as_str().unwrap_or("-").to_owned();
            let told =
                word("explanation").ends_with(" Taken for granted: which rows come first, for no order is given.");
            (word("query"), word("queryConfidence"), told)
        })
        .collect();
    let wanted = [
        ("SELECT * FROM users LIMIT 5;", "medium", true),
        ("SELECT * FROM users ORDER BY name LIMIT 5;", "high", false),
        ("SELECT * FROM users ORDER BY name LIMIT 5;", "high", false),
        ("SELECT * FROM users;", "high", false),
        ("SELECT * FROM users LIMIT 3;", "medium", true),
    ];
    assert_eq!(said, wanted.map(|(query, sure, told)| (query.to_owned(), sure.to_owned(), told)));
}

/// Of a fragment nobody knows whether it refines: where nothing comes of that it is said how to ask anew.
#[test]
fn an_unsure_refinement_that_fails_says_how_to_ask_anew() {
    let hint = "            It was not sure that this refines the query before: `/new` in front of it asks anew.\n";
    let said = out(&chat(&shop(), &[], "Show me all users\nweather\nOnly the shiny ones\n").code(0));
    let turns: Vec<&str> = said.split("user: ").collect();
    assert!(
        turns[2].starts_with("weather\n") && turns[2].contains("            failed: ") && turns[2].contains(hint),
        "{said}"
    );
    assert!(turns[3].contains("            failed: ") && !turns[3].contains("/new"), "{said}");
}

/// A file of the user that has the name of the database is neither read nor written over.
#[test]
fn a_file_of_the_user_is_left_alone() {
    let shop = shop();
    shop.write("databases/ecommerce.db", "notes of my own");
    let run = chat(&shop, &["--format", "json"], "Show me all users\n").code(0);
    let told = message(&turns(&run)[0])["message"].clone();
    assert!(
        told.as_str().is_some_and(|told| told.contains("a file of this name is there that this program has not built")),
        "{told}"
    );
    assert_eq!(std::fs::read_to_string(shop.path("databases/ecommerce.db")).expect("it is there"), "notes of my own");
}

#[test]
fn another_database_than_there_is() {
    let run = chat(&shop(), &["--format", "json"], "/open warehouse\nShow me all users\n").code(0);
    let turns = turns(&run);
    assert_eq!(message(&turns[1])["message"], "there is no database `warehouse`; there is ecommerce (exit code 1)");
}

/// What a host gets: the rows as values, in the result and in what comes back to the workflow.
#[test]
fn rows_are_in_the_details() {
    let run =
        chat(&shop(), &["--format", "json"], "How many users are there?\nby country\nOnly the first 2 rows\n").code(0);
    let turns = turns(&run);
    let details = |turn: &Value| message(turn)["details"].clone();
    assert_eq!(
        details(&turns[0]),
        json!({ "columns": ["COUNT(*)"], "rows": [[24]], "more": false, "database": "default" })
    );
    assert_eq!(turns[1]["calls"][0]["with"]["previousResults"]["details"], details(&turns[0]));
    assert_eq!(details(&turns[2])["rows"], json!([["Estonia", 3], ["Finland", 3]]));
    let summaries: Vec<&Value> = turns[1..].iter().map(|turn| &message(turn)["refinementSummary"]).collect();
    assert_eq!(summaries, ["Added column country; Added GROUP BY country", "Added LIMIT 2"]);
    assert!(message(&turns[0])["explanation"].as_str().is_some_and(|said| said.starts_with("Demonstration: ")));
}

fn model(server: &Server, lines: &str) -> Vec<Value> {
    let shop = shop();
    let command = shop.command(&[&SURE[..], &["--format", "json"]].concat());
    let command = command.env("TEXT_TO_SQL_OPENAI", format!("http://127.0.0.1:{}/v1", server.port));
    turns(&chat_with(command.env("TEXT_TO_SQL_MODEL", "small"), lines).code(0))
}

/// Where an endpoint is named the model makes the query. It is told the tables and never a row.
#[test]
fn a_model_makes_the_query() {
    let first = json!({ "query": "SELECT name FROM users WHERE city = 'Tartu'", "explanation": "One of Tartu.", "confidence": "high", "details": null, "preview": null });
    let second = json!({ "query": "SELECT name, city FROM users WHERE city = 'Tartu' LIMIT 1;", "explanation": null, "confidence": "low" });
    let server = Server::new(vec![good(&first.to_string()), good(&second.to_string())]);
    let turns = model(&server, "Who lives in Tartu?\nAlso show their city\n");
    let (one, other) = (message(&turns[0]), message(&turns[1]));
    assert_eq!(
        (&one["query"], &one["explanation"], &one["confidence"]),
        (&first["query"], &first["explanation"], &json!("high"))
    );
    assert_eq!(one["details"]["rows"], json!([["Irma Saar"]]));
    assert_eq!(other["details"]["rows"], json!([["Irma Saar", "Tartu"]]));
    assert_eq!((&other["confidence"], &other["explanation"]), (&json!("low"), &Value::Null));
    assert_eq!(other["refinementSummary"], "Added column city; Added LIMIT 1");
    let came = server.requests();
    let asked: Vec<String> = came.iter().map(|came| came.body["messages"].to_string()).collect();
    assert_eq!(asked.len(), 2);
    for asked in &asked {
        assert!(asked.contains("CREATE TABLE users") && asked.contains("2026-03-15"), "{asked}");
        assert!(!asked.contains("Irma Saar"), "{asked}");
    }
    assert!(asked[0].contains("Who lives in Tartu?") && asked[0].contains("database default"), "{}", asked[0]);
    for part in ["Who lives in Tartu?", "SELECT name FROM users WHERE city = 'Tartu'", "Also show their city"] {
        assert!(asked[1].contains(part), "{}", asked[1]);
    }
    assert_eq!(came[0].body["response_format"]["json_schema"]["name"], "generate");
}

/// Whatever the model writes, nothing but one query that ends is run, and the reason is told.
#[test]
fn what_is_not_a_harmless_query_is_a_failed_turn() {
    let answer = |query: &str| good(&json!({ "query": query, "confidence": "high" }).to_string());
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n";
    let greedy = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(DISTINCT printf('%.*c', 60000, 'x') || i) FROM n";
    let cases = [
        ("DROP TABLE users", "the query is not run: it is no query: only SELECT is"),
        ("ATTACH DATABASE 'x.db' AS x", "the query is not run: it is no query: only SELECT is"),
        ("PRAGMA table_info(users)", "the query is not run: "),
        ("SELECT 1; DELETE FROM users", "the query is not run: it is 2 statements, and one is due"),
        ("SELECT * FROM pragma_table_info('users')", "the database refuses the query: not authorized"),
        ("SELECT colour FROM users", "the database refuses the query: no such column: colour"),
        (endless, "the query was stopped: it takes more than 5000000 steps of the database"),
        (greedy, "the database refuses the query: out of memory"),
    ];
    let mut does: Vec<Does> = cases.iter().map(|(query, _)| answer(query)).collect();
    does.push(good("{\"answer\": 42}"));
    does.push(good("42"));
    does.push(Does::Answers(401, "", json!({ "error": { "message": "no such key" } }).to_string()));
    does.push(answer("SELECT COUNT(*) FROM users"));
    let server = Server::new(does);
    let turns = model(&server, &"/new Show me all users\n".repeat(cases.len() + 4));
    for (turn, (query, why)) in turns.iter().zip(cases) {
        let said = message(turn)["message"].as_str().expect("it has failed");
        assert!(said.starts_with(why), "{query}: {said}");
        assert_eq!(turn["transition"], "TURN_FAILED");
    }
    let told: Vec<&Value> = turns[cases.len()..].iter().map(|turn| &message(turn)["message"]).collect();
    assert_eq!(told[0], "the model answers with no query (exit code 1)");
    assert_eq!(told[1], "the model answers with no JSON object (exit code 1)");
    assert_eq!(told[2], "the endpoint answers 401: no such key (exit code 1)");
    // The database is as it was.
    assert_eq!(message(&turns[cases.len() + 3])["details"]["rows"], json!([[24]]));
}

/// The page shows what comes out.
#[test]
fn the_page_is_true() {
    let page = include_str!("../../docs/text-to-sql.md");
    let shown = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a transcript");
    let lines: Vec<&str> = shown.lines().filter_map(|line| line.split_once(". user: ").map(|(_, said)| said)).collect();
    let run = chat(&shop(), &[], &(lines.join("\n") + "\n")).code(0);
    let said = out(&run);
    let mut rest = said.lines();
    for line in shown.lines().filter(|line| *line != "…") {
        assert!(rest.any(|told| told == line), "{line}\n{said}");
    }
    assert_eq!(lines.len(), 4);
}

/// The repository's own workspace binds the ports, by way of cargo: `segue chat --pack transitions/refinement`. Here the program that
/// cargo would build is there already.
#[test]
fn the_workspace_of_the_repository() {
    let settings = std::fs::read_to_string(Path::new(ROOT).join("segue.toml")).expect("the settings");
    let by_cargo = r#"["cargo", "run", "--quiet", "--locked", "--example", "text_to_sql"]"#;
    assert_eq!(settings.matches(by_cargo).count(), 3);
    let mini = Mini::empty();
    mini.write("segue.toml", settings.replace(by_cargo, &json!([example()]).to_string()));
    for folder in ["transitions", "scenarios"] {
        program::copy(&Path::new(ROOT).join(folder), &mini.path(folder));
    }
    let command = mini.command(&["chat", "--pack", "transitions/refinement", "--numbered-ids"]);
    let run = chat_with(by_rules(command), "Show me all users\nOnly from last month\n").code(0);
    let said = out(&run);
    assert!(said.contains("\n            Added WHERE clause to filter users from last month\n"), "{said}{}", err(&run));
    assert!(said.contains("\n            4 rows\n"), "{said}");
}
