//! `segue.toml`.

use super::{Shape, Value, may};

/// The file that makes a folder a workspace.
pub static WORKSPACE: Shape = Shape::new(
    "workspace",
    "the workspace",
    "The file that makes a folder a workspace. It may be empty.",
    &[&[
        may("packs", Value::Some(&Value::Word), "Folders that hold packs, one a folder; default `transitions`."),
        may(
            "scenarios",
            Value::Some(&Value::Word),
            "Folders that hold scenarios; the first folder in them names the pack. Default `scenarios`.",
        ),
        may("pack", Value::Word, "The pack that is meant where none is named; left out = the only one there is."),
    ]],
);
