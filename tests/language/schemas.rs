//! The schemas for editors: the data files of the repository name theirs and keep to it, and what a schema calls wrong is wrong.

#![expect(clippy::disallowed_methods, reason = "a test reads the files of the repository")]

mod agree;
mod edit;
mod files;
mod validator;
