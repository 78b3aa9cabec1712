//! `schemas/` is what the language is.

use xtask::schemas::{check, generate};
use xtask::tree::{self, TextFile};

#[test]
fn the_schemas_are_up_to_date() {
    if let Err(message) = check(&tree::read(&xtask::root())) {
        panic!("{message}");
    }
}

#[test]
fn a_schema_that_differs_or_is_missing_or_strange_is_named() {
    let due = generate();
    assert_eq!(check(&due), Ok("schemas/: up to date".to_owned()));
    let mut changed = due.clone();
    changed[0].text.push(' ');
    assert!(check(&changed).unwrap_err().starts_with("schemas/pack.schema.json differs"));
    assert!(check(&due[1..]).unwrap_err().starts_with("schemas/pack.schema.json differs"));
    let mut more = due;
    more.push(TextFile::new("schemas/old.schema.json", "{}"));
    assert_eq!(check(&more).unwrap_err(), "schemas/old.schema.json is the schema of nothing: remove it");
}
