//! `segue.toml`.

use super::{Names, Rest, Shape, Value, form, form_with, may};

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
        may("chat", Value::Names(&CHAT), "Who serves the ports of packs in `segue chat`."),
    ]],
);

static CHAT: Rest =
    Rest { doc: "A pack, by its name, and its ports.", names: Names::Any, value: &Value::Names(&BINDINGS) };
static BINDINGS: Rest =
    Rest { doc: "A port of the pack, and who serves it.", names: Names::Any, value: &Value::Table(&BINDING) };

/// Who serves a port in `segue chat`.
pub static BINDING: Shape = Shape::new(
    "binding",
    "the binding of a port",
    "Who serves a port in `segue chat`.",
    &[&[
        may("human", Value::True, "Whoever chats types the outcomes; so it is where nothing is written."),
        may(
            "script",
            Value::Word,
            "A file of outcomes, relative to the workspace: the port takes those that are its own, in order.",
        ),
        may(
            "command",
            Value::Some(&Value::Text),
            "A program and its arguments, run for each call: one JSON object comes in, the answer goes out.",
        ),
        may(
            "openai",
            Value::Word,
            "A language model: the base URL of an endpoint that speaks OpenAI's chat completions.",
        ),
        may("model", Value::Word, "The model."),
        may("key", Value::Word, "The environment variable that holds the key, where one is needed."),
        may("prompt", Value::Name, "The prompt: the file `prompts/NAME.txt` of the pack, with `{argument}` in it."),
        may("system", Value::Name, "The prompt that comes before it, as that of the system."),
        may("retries", Value::Int(0, 10), "How often it is asked again when it is busy or fails; default 2."),
        may("timeout", Value::Int(1, 3600), "After how many seconds a call has timed out; default 30."),
    ]],
)
.forms(&[
    form("human"),
    form("script"),
    form_with("command", &["timeout"], &[]),
    form_with("openai", &["model", "key", "prompt", "system", "retries", "timeout"], &["model", "prompt"]),
]);

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
