//! The documents: how they are read, formatted, described to editors and to people.

#[path = "../oracle/mod.rs"]
mod oracle;
#[path = "../support/mod.rs"]
mod support;

mod field_bugs_syntax;
mod format;
mod language_doc;
mod schemas;
mod syntax_properties;
