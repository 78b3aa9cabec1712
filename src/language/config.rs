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
        may("session", Value::Names(&SESSIONS), "The sessions of packs in `segue chat`."),
    ]],
);

static CHAT: Rest =
    Rest { doc: "A pack, by its name, and its ports.", names: Names::Any, value: &Value::Names(&BINDINGS) };
static BINDINGS: Rest =
    Rest { doc: "A port of the pack, and who serves it.", names: Names::Any, value: &Value::Table(&BINDING) };

static SESSIONS: Rest =
    Rest { doc: "A pack, by its name, and its sessions.", names: Names::Any, value: &Value::Table(&SESSION) };
static BEGIN: Rest =
    Rest { doc: "An event by its turn key, and its payload.", names: Names::Any, value: &Value::Literal };
static SAVED: Rest = Rest {
    doc: "A field of the answer, and the field of a frame (`\"frame.field\"`) that it is.",
    names: Names::Any,
    value: &Value::Word,
};

/// The sessions of a pack in `segue chat`.
pub static SESSION: Shape = Shape::new(
    "session",
    "the sessions of a pack",
    "The sessions of a pack in `segue chat`.",
    &[&[
        may(
            "begin",
            Value::Names(&BEGIN),
            "What a new session takes first: one event, as a turn of a scenario writes it.",
        ),
        may(
            "unwritten",
            Value::Word,
            "The event that tells the pack that something could not be written; its one text, if any, says why.",
        ),
        may(
            "keep_content",
            Value::Bool,
            "Whether what was said is kept when the pack ends the session; default false: only what is known of it is.",
        ),
    ]],
);

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
        may(
            "store",
            Value::Either(&[Value::OneOf(&["context"]), Value::Names(&SAVED)]),
            "What is kept of the session: arguments are put into its `context`, or the answer is what was last written.",
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
    form("store"),
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
