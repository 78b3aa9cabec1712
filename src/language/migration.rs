//! Migrations: how a saved session of an earlier registry is carried over.

use super::{DOC, Shape, Value, may, need};

/// A migration.
pub static MIGRATION: Shape = Shape::new(
    "migration",
    "a migration",
    "How a session that was saved under an earlier registry of this pack becomes one of this registry.",
    &[&[
        DOC,
        need("from", Value::Some(&Value::Word), "The fingerprints of the registries under which it was saved."),
        may("rename", Value::List(&Value::Table(&RENAMED)), "Fields and frames that have another name now."),
        may("drop", Value::List(&Value::Word), "Fields (`frame.field`) and frames that are no longer there."),
        may("set", Value::List(&Value::Table(&PUT)), "Fields that get a value, whatever was saved."),
    ]],
);

/// What is renamed.
pub static RENAMED: Shape = Shape::new(
    "renamed",
    "what is renamed",
    "A field or a frame under its name then, and under its name now.",
    &[&[
        need("old", Value::Word, "Its name then: `frame.field`, or a frame."),
        need("new", Value::Word, "Its name now: `frame.field`, or a frame."),
    ]],
);

/// A field that gets a value.
pub static PUT: Shape = Shape::new(
    "put",
    "a field that gets a value",
    "A field of this pack, and its value.",
    &[&[need("field", Value::Word, "The field: `frame.field`."), need("value", Value::Literal, "Its value.")]],
);
