//! Repository chores as functions, so that tests run them too.

use std::path::{Path, PathBuf};

pub mod peers;
pub mod schemas;
pub mod tidy;
pub mod transitions;
pub mod tree;

/// The root of the repository.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository").to_path_buf()
}
