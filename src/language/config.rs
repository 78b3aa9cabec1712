//! `segue.toml`.

use super::{Names, Rest, Shape, Value, may};

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
        may("check", Value::Table(&CHECK), "Settings of `segue check`."),
    ]],
);

/// Settings of `segue check`.
pub static CHECK: Shape = Shape::new(
    "check",
    "the settings of `segue check`",
    "Settings of `segue check`.",
    &[&[
        may("deny", Value::OneOf(&["warnings"]), "What fails a check besides errors; default nothing."),
        may("level", Value::Names(&LEVELS), "How bad findings are, by their code."),
    ]],
);

/// How bad findings are, by code.
pub static LEVELS: Rest = Rest {
    doc: "A code, by its name or its id, and how bad it is.",
    names: Names::Codes,
    value: &Value::OneOf(&["error", "warning", "note", "off"]),
};
