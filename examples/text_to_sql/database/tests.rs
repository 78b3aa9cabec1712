//! What the database gives, and what it refuses.

use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;

use super::{Database, FOREIGN, MOST_ROWS, Rows, SCRIPTS, build};

fn shop() -> (TempDir, Database) {
    let folder = TempDir::new().expect("a folder");
    let shop = Database::open(folder.path(), "ecommerce").expect("it is built");
    (folder, shop)
}

fn one(shop: &mut Database, text: &str) -> serde_json::Value {
    let Rows { rows, .. } = shop.run(text).expect(text);
    rows[0][0].clone()
}

#[test]
fn rows_as_they_are() {
    let (_folder, mut shop) = shop();
    let rows = shop.run("SELECT id, name, email, 1.5 AS half, x'00ff' AS raw FROM users WHERE id = 7;").expect("rows");
    assert_eq!(
        rows.json(),
        json!({
            "columns": ["id", "name", "email", "half", "raw"],
            "rows": [[7, "Greta Lind", null, 1.5, "2 bytes"]],
            "more": false,
        })
    );
    let rows = shop.run("SELECT id FROM order_items").expect("rows");
    assert!(rows.more && rows.rows.len() == MOST_ROWS);
    let long = one(&mut shop, "SELECT printf('%.*c', 1000, 'ж')");
    assert_eq!(long.as_str().map(|text| text.chars().count()), Some(501));
}

/// The day is that of the script, however it is asked for, and everything else about dates is as ever.
#[test]
fn the_clock_stands() {
    let (_folder, mut shop) = shop();
    assert_eq!(shop.today(), "2026-03-15");
    for (asked, said) in [
        ("DATE('now')", json!("2026-03-15")),
        ("date()", json!("2026-03-15")),
        ("DATE('NOW', '-1 month')", json!("2026-02-15")),
        ("date('now', 'start of month')", json!("2026-03-01")),
        ("CURRENT_DATE", json!("2026-03-15")),
        ("CURRENT_TIMESTAMP", json!("2026-03-15 12:00:00")),
        ("datetime('now')", json!("2026-03-15 12:00:00")),
        ("strftime('%Y-%m')", json!("2026-03")),
        ("strftime('%Y', 'now', '-1 year')", json!("2025")),
        ("unixepoch('now') = unixepoch('2026-03-15 12:00:00')", json!(1)),
        ("date('2024-02-28', '+1 day')", json!("2024-02-29")),
        ("date('no day')", json!(null)),
    ] {
        assert_eq!(one(&mut shop, &format!("SELECT {asked}")), said, "{asked}");
    }
}

/// Each thing that a query must not do, and what is said of it.
#[test]
fn what_is_not_a_harmless_query_is_refused() {
    let (folder, mut shop) = shop();
    let outside = folder.path().join("outside.db");
    let attach = format!("ATTACH DATABASE '{}' AS outside", outside.display());
    for (text, why) in [
        ("DROP TABLE users", "the query is not run: it is no query: only SELECT is"),
        ("DELETE FROM users", "the query is not run: it is no query: only SELECT is"),
        ("INSERT INTO users VALUES (1)", "the query is not run: it is no query: only SELECT is"),
        ("PRAGMA query_only", "the query is not run: it is no query: only SELECT is"),
        ("PRAGMA query_only = OFF", "the query is not run: sql parser error: "),
        ("EXPLAIN SELECT 1", "the query is not run: it is no query: only SELECT is"),
        (&attach, "the query is not run: it is no query: only SELECT is"),
        ("SELECT 1; DROP TABLE users", "the query is not run: it is 2 statements, and one is due"),
        ("SELECT 1; SELECT 2", "the query is not run: it is 2 statements, and one is due"),
        ("-- nothing", "the query is not run: it is empty"),
        ("SELECT * FROM userz", "the database refuses the query: no such table: userz"),
        ("SELECT colour FROM users", "the database refuses the query: no such column: colour"),
        ("SELECT \"Riga\" FROM users", "the database refuses the query: no such column: \"Riga\""),
        ("SELECT * FROM pragma_table_info('users')", "the database refuses the query: not authorized"),
        ("SELECT load_extension('x')", "the database refuses the query: "),
        ("SELECT zeroblob(100000000)", "the database refuses the query: string or blob too big"),
    ] {
        let said = shop.run(text).expect_err(text);
        assert!(said.starts_with(why), "{text}: {said}");
    }
    // The parser is not the only guard.
    for text in
        ["DROP TABLE users", "DELETE FROM users", "PRAGMA query_only = OFF", &attach, "SELECT 1; DROP TABLE users"]
    {
        assert!(shop.rows(text).is_err(), "{text}");
    }
    assert!(!outside.exists());
    assert_eq!(one(&mut shop, "SELECT COUNT(*) FROM users"), json!(24));
}

#[test]
fn what_does_not_end_is_stopped() {
    let (_folder, mut shop) = shop();
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n";
    let said = shop.run(endless).expect_err("it never ends");
    assert_eq!(said, "the query was stopped: it takes more than 5000000 steps of the database");
    // It does not hinder the next one.
    assert_eq!(one(&mut shop, "SELECT COUNT(*) FROM orders"), json!(54));
}

#[test]
fn it_is_built_where_it_is_not_there() {
    let folder = TempDir::new().expect("a folder");
    let below = folder.path().join("a/b");
    let said = Database::open(&below, "warehouse").err();
    assert_eq!(said.as_deref(), Some("there is no database `warehouse`; there is ecommerce"));
    assert!(!below.exists());
    // A session that nobody has opened is on `default`.
    Database::open(&below, "default").expect("it is built");
    let file = below.join("ecommerce.db");
    let first = std::fs::read(&file).expect("a file");
    // What is there is taken as it is; what was built from another script is built anew.
    Database::open(&below, "ecommerce").expect("it is there");
    assert_eq!(std::fs::read(&file).expect("a file"), first);
    let older = Connection::open(&file).expect("it opens");
    older.execute_batch("PRAGMA user_version = 1; DROP TABLE order_items").expect("it is another one");
    older.close().expect("it closes");
    Database::open(&below, "ecommerce").expect("it is built anew");
    assert_eq!(std::fs::read(&file).expect("a file"), first);
    assert_eq!(std::fs::read_dir(&below).expect("a folder").count(), 1);
}

/// What somebody else has put there is refused, and stays as it is to the byte.
#[test]
fn a_file_of_somebody_else_is_left_alone() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("ecommerce.db");
    let refused = |what: &str| {
        let before = std::fs::read(&file).expect("a file");
        let said = Database::open(folder.path(), "default").err().expect(what);
        assert!(said.contains("ecommerce.db cannot be built: a file of this name is there"), "{what}: {said}");
        assert!(said.ends_with("name another folder with `--databases`"), "{what}: {said}");
        assert_eq!(std::fs::read(&file).expect("a file"), before, "{what}");
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1, "{what}");
        std::fs::remove_file(&file).expect("it is taken away");
    };
    let own = Connection::open(&file).expect("it opens");
    own.execute_batch("CREATE TABLE precious (x); PRAGMA user_version = 7").expect("a table");
    own.close().expect("it closes");
    refused("a database");
    std::fs::write(&file, "notes of my own").expect("written");
    refused("a text");
    std::fs::write(&file, "").expect("written");
    refused("an empty file");
    std::fs::create_dir(&file).expect("a folder");
    assert!(Database::open(folder.path(), "default").is_err());
    assert!(file.is_dir());
}

/// Whoever puts a file there while it is built keeps it.
#[test]
fn what_comes_while_it_is_built_is_not_written_over() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("ecommerce.db");
    std::fs::write(&file, "mine").expect("written");
    let said = build(&file, SCRIPTS[0].1, false);
    assert_eq!(said, Err(FOREIGN.into()));
    assert_eq!(std::fs::read(&file).expect("a file"), b"mine");
    std::fs::remove_file(&file).expect("it is taken away");
    Database::open(folder.path(), "default").expect("it is built");
    assert_eq!(build(&file, SCRIPTS[0].1, false), Ok(()), "another call has built the same");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

/// The parts of the script fit each other.
#[test]
fn the_content_holds_together() {
    let (_folder, mut shop) = shop();
    let sums = "SELECT COUNT(*) FROM orders o WHERE o.total <> (SELECT ROUND(SUM(i.quantity * i.price), 2) FROM order_items i WHERE i.order_id = o.id)";
    assert_eq!(one(&mut shop, sums), json!(0));
    let early = "SELECT COUNT(*) FROM orders o JOIN users u ON u.id = o.user_id WHERE o.ordered_at < u.created_at OR o.ordered_at > DATE('now')";
    assert_eq!(one(&mut shop, early), json!(0));
    for table in ["users", "orders"] {
        let column = if table == "users" { "created_at" } else { "ordered_at" };
        let last = format!("SELECT COUNT(*) FROM {table} WHERE {column} >= DATE('now', '-1 month')");
        assert!(one(&mut shop, &last).as_i64() > Some(2), "{table}");
    }
}
