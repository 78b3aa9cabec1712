//! The other sections of a pack: manifest, vocabulary, frames, events, ports, messages, answer modes, blocks.

use super::class::CONDITION;
use super::types::{ENUM, ENUM_DOC, KEY_OF_DOC, PAYLOAD_FIELD, PLAIN, TYPE_DOC};
use super::{COLUMN, DOC, FRAME_FIELD, NAMES, Names, Rest, Shape, TYPE, Value, form, may, need};

/// Values for an enum of the pack that is extended.
pub static ADDED: Shape = Shape::new(
    "added_values",
    "values that are added",
    "Values for an enum of the pack that this one extends.",
    &[&[need("add", Value::Some(&Value::Word), "The values.")]],
);

/// `[pack]`.
pub static MANIFEST: Shape = Shape::new(
    "manifest",
    "`[pack]`",
    "The manifest of the pack.",
    &[&[
        need("id", Value::Word, "The id of the pack."),
        need("title", Value::Word, "Its title, for people."),
        DOC,
        may("extends", Value::Word, "A pack in a folder beside this one: what it declares counts as this pack's own."),
        may("replace", NAMES, "What of it this pack declares anew: ids of classes, else section and name (`block.ask`)."),
        may("remove", NAMES, "What of it is left out."),
        need("aggregate", Value::Word, "The name of the session state in saved form."),
        need(
            "owner",
            Value::List(&Value::Name),
            "The owners: sub-states of the session. Each frame and class has one.",
        ),
        may("decide", NAMES, "Frames of which every class declares the fate; default none."),
        may(
            "precedence",
            Value::List(&NAMES),
            "Chains of class ids and groups, strongest first; transitive, without a cycle.",
        ),
        may(
            "while_open",
            Value::OneOf(&["cancel", "refuse", "allow"]),
            "What an event does while a call is open: `cancel` it (default), be refused, or let those of instances run on (`allow`).",
        ),
        may("step_limit", Value::Int(1, 10_000), "Most steps in one turn, default 16."),
        may(
            "ended",
            CONDITION,
            "When the session has come to its end: a condition on frames, for the host. Left out = the pack never ends it.",
        ),
    ]],
)
.split();

static DEPTHS: Rest = Rest { doc: "A depth: the frames that it carries.", names: Names::Declared, value: &NAMES };

/// `[carryover]` of the manifest.
pub static CARRYOVER: Shape = Shape::new(
    "carryover",
    "`[carryover]`",
    "What carryover is about. A pack without it writes no `carryover` in its classes.",
    &[&[
        need("universe", NAMES, "The frames that carryover is about."),
        may(
            "limit",
            Value::Word,
            "An enum field (`\"frame.field\"`) whose values are names of depths; left out = no limit.",
        ),
        need("depth", Value::Names(&DEPTHS), "Names of depths, each with the frames that it carries."),
        DOC,
    ]],
)
.split();

static COLUMNS: Rest = Rest { doc: "A column and its type.", names: Names::Declared, value: &Value::Table(&COLUMN) };
static TYPES: Rest = Rest { doc: "A name and its type.", names: Names::Declared, value: &Value::Table(&TYPE) };
static PAYLOAD: Rest =
    Rest { doc: "A name and its type.", names: Names::Declared, value: &Value::Table(&PAYLOAD_FIELD) };
static FRAME_FIELDS: Rest =
    Rest { doc: "A field and its type.", names: Names::Declared, value: &Value::Table(&FRAME_FIELD) };

const CASE: super::Key = may(
    "case",
    Value::OneOf(&["camel"]),
    "How the host calls fields that have no `wire`: `camel` makes `reasoning_id` `reasoningId`.",
);

/// A record type.
pub static RECORD: Shape = Shape::new(
    "record",
    "a record type",
    "A record: named fields, each with a type.",
    &[&[
        DOC,
        may("open", Value::Bool, "Keeps, carries and sends back keys that it does not know; default false."),
        CASE,
        need("field", Value::Names(&TYPES), "Its fields."),
    ]],
);

/// A relative period.
pub static RELATIVE: Shape = Shape::new(
    "relative",
    "a relative period",
    "A period that starts at the unit that holds today, moved by `offset` units, and is `length` units long.",
    &[&[
        need("unit", Value::OneOf(&["day", "week", "month", "quarter", "year"]), "The unit."),
        need(
            "offset",
            Value::Int(-100_000, 100_000),
            "By how many units the start is moved; 0 = the unit that holds today.",
        ),
        need("length", Value::Int(1, 100_000), "How many units it is long."),
        DOC,
    ]],
);

/// A parameter.
pub static PARAM: Shape = Shape::new(
    "param",
    "a parameter",
    "A value that a load may change, used as `\"%name\"`.",
    &[&[
        may("type", PLAIN, TYPE_DOC),
        may("enum", ENUM, ENUM_DOC),
        may("key_of", Value::Word, KEY_OF_DOC),
        need("default", Value::Literal, "Its value where a load gives no other."),
        may("min", Value::Number, "The least it may be (int, decimal)."),
        may("max", Value::Number, "The most it may be (int, decimal)."),
        DOC,
    ]],
)
.forms(&[form("type"), form("enum"), form("key_of")]);

/// A table of the pack.
pub static TABLE: Shape = Shape::new(
    "table",
    "a table of the pack",
    "Rows that the pack knows, by their `id`.",
    &[&[
        DOC,
        may("column", Value::Names(&COLUMNS), "Its columns; the column `id` is the key and is not declared."),
        need("row", Value::List(&Value::Table(&ROW)), "Its rows."),
    ]],
);

/// A row of a table of the pack.
pub static ROW: Shape = Shape::new(
    "row",
    "a row",
    "A row: its `id`, and a value for each column that has no default and is not optional.",
    &[&[need("id", Value::Word, "The key of the row.")]],
)
.rest("A column and its value.", Names::Any, &Value::Literal);

/// A frame.
pub static FRAME: Shape = Shape::new(
    "frame",
    "a frame",
    "A part of what a session remembers.",
    &[&[
        need("owner", Value::Word, "Its owner, one of those of the manifest."),
        may("seed", Value::Word, "Its name in saved state; default its own."),
        DOC,
        may("keyed", Value::Table(&KEYED), "It has instances, each under a key."),
        need("field", Value::Names(&FRAME_FIELDS), "Its fields."),
        may("invariant", Value::List(&Value::Table(&FRAME_INVARIANT)), "What always holds of it."),
    ]],
);

/// What makes a frame keyed.
pub static KEYED: Shape = Shape::new(
    "keyed",
    "`keyed`",
    "The instances of a frame, each under a key.",
    &[&[
        need("prefix", Value::Name, "What the keys begin with."),
        need("max_open", Value::Int(1, 64), "How many may be open, 1 to 64."),
        need("keep_closed", Value::Int(0, 256), "How many closed ones are kept, 0 to 256."),
        need("closed_as", Value::Some(&Value::Word), "How one can end: the words for `close`."),
    ]],
);

const INVARIANT_ID: super::Key = need("id", Value::Name, "Its id, unique in the pack.");
const WHEN: super::Key = may("when", CONDITION, "Where this holds …");
const THEN: super::Key = need("then", CONDITION, "… this holds too.");

/// An invariant of a frame.
pub static FRAME_INVARIANT: Shape = Shape::new(
    "frame_invariant",
    "an invariant",
    "What always holds of the frame.",
    &[&[
        INVARIANT_ID,
        WHEN,
        THEN,
        may(
            "repair",
            super::class::EFFECTS,
            "Applied to a saved state that breaks it: only `set` and `clear`. Left out = such a state is refused.",
        ),
        DOC,
    ]],
);

/// An invariant of the pack.
pub static INVARIANT: Shape = Shape::new(
    "invariant",
    "an invariant",
    "What holds of every step; it may also speak of input, outcome, answer, reason, call and before.",
    &[&[INVARIANT_ID, WHEN, THEN, DOC]],
);

/// An event.
pub static EVENT: Shape = Shape::new(
    "event",
    "an event",
    "Something that can happen.",
    &[&[
        may("turn", Value::Word, "The key of a scenario turn; default the event's name."),
        may("text", Value::Word, "The payload field that the lexicon reads; such an event carries signals."),
        CASE,
        may("field", Value::Names(&PAYLOAD), "Its payload."),
        DOC,
    ]],
);

/// Which texts of an answer the lexicon reads.
pub static READING: Shape = Shape::new(
    "reading",
    "a reading of a port",
    "Texts in an answer that the lexicon reads, each as what the request has asked for under its key.",
    &[&[
        need("values", Value::Word, "The field of the answer that holds them: a map of texts."),
        need("asked", Value::Word, "The argument of the request that says what was asked for: a list of records."),
        need("id", Value::Word, "The field of its records that is the key of the text."),
        need("expects", Value::Word, "The enum field of its records that says what is expected."),
        need(
            "as",
            Value::Names(&SIGNALS),
            "For values of that enum the signal that reads the text; others are kept as they are.",
        ),
        need("unread", Value::Word, "The field of the answer that the keys of other texts go to: a list or a set."),
        DOC,
    ]],
);
static SIGNALS: Rest =
    Rest { doc: "A value of the enum, and the signal of the lexicon.", names: Names::Any, value: &Value::Word };

/// A check of a port.
pub static PORT_CHECK: Shape = Shape::new(
    "port_check",
    "a check of a port",
    "What holds between a request and its answer; an answer that breaks it is an outcome `failed`.",
    &[&[
        need("id", Value::Name, "Its id, unique in the port: what `outcome.breach` is where it is broken."),
        may("when", CONDITION, "Where this holds, on `request` and `response` …"),
        need("require", CONDITION, "… this holds too."),
        DOC,
    ]],
);

/// How often a call is made again.
pub static RETRY: Shape = Shape::new(
    "retry",
    "`retry`",
    "How often a call that went wrong is made again before anybody hears of it.",
    &[&[
        need("max", Value::Size(0, 16), "Most attempts after the first, 0 to 16, or `%parameter`."),
        need(
            "on",
            Value::Some(&Value::OneOf(&["timeout", "failed", "contract"])),
            "After what: no answer in time, a failure that the host tells, an answer that breaks the port's declaration.",
        ),
    ]],
);

/// The contracts of a port.
pub static PORT_CONTRACT: Shape = Shape::new(
    "port_contract",
    "`contract`",
    "JSON Schemas that a port is held to: `NAME` is the file `contracts/NAME.json` of the pack.",
    &[&[
        may("request", Value::Word, "What a request is held against before it leaves."),
        may("response", Value::Word, "What an answer is held against before it is read."),
    ]],
)
.some(&[&["request", "response"]]);

/// A port.
pub static PORT: Shape = Shape::new(
    "port",
    "a port",
    "Something that the host can be asked to do.",
    &[&[
        CASE,
        need("request", Value::Names(&TYPES), "Its arguments."),
        may("response", Value::Names(&PAYLOAD), "The fields of its answer. Not with `reply = \"none\"`."),
        may("reply", Value::OneOf(&["none"]), "No outcome will come."),
        may("conclusions_only", Value::Bool, "Its request holds no `narrative`, at any depth; default false."),
        may("contract", Value::Table(&PORT_CONTRACT), "The JSON Schemas that it is held to."),
        may("read", Value::List(&Value::Table(&READING)), "Which texts of its answers the lexicon reads."),
        may("check", Value::List(&Value::Table(&PORT_CHECK)), "What must hold between a request and its answer."),
        may("retry", Value::Table(&RETRY), "How often a call that went wrong is made again."),
        DOC,
    ]],
)
.forms(&[form("response"), form("reply")]);

static CONSTANTS: Rest = Rest { doc: "A constant and its value.", names: Names::Declared, value: &Value::Scalar };

/// A message.
pub static MESSAGE: Shape = Shape::new(
    "message",
    "a message",
    "Something that a step sends.",
    &[&[
        need("channel", Value::OneOf(&["ui", "stream", "log"]), "Where it goes."),
        may("level", Value::OneOf(&["debug", "info", "warning", "error"]), "Of a log message, which must have one."),
        CASE,
        may("const", Value::Names(&CONSTANTS), "What it always says; it stands before the fields."),
        may("field", Value::Names(&TYPES), "What it is given."),
        may("text", Value::Text, "A text for people; `{field}` is a field of the message."),
        DOC,
    ]],
);

/// An answer mode.
pub static ANSWER_MODE: Shape = Shape::new(
    "answer_mode",
    "an answer mode",
    "A kind of answer.",
    &[&[need("claims", Value::OneOf(&["confirmed", "limited", "nothing"]), "How much such an answer claims."), DOC]],
);

/// A named list of effects.
pub static BLOCK: Shape = Shape::new(
    "block",
    "a block",
    "A named list of effects, used as `{ use = \"name\" }`.",
    &[super::class::BLOCK_KEYS],
);

static PARAMS_OF: Rest =
    Rest { doc: "A parameter of the used pack and its value here.", names: Names::Any, value: &Value::Literal };

/// A pack that this one uses.
pub static USE: Shape = Shape::new(
    "use",
    "a used pack",
    "Another pack, brought in under a name of this one's choice.",
    &[&[
        need("pack", Value::Word, "The folder of the pack, beside the folder of this one."),
        may("param", Value::Names(&PARAMS_OF), "Parameters of the used pack and their values here."),
        DOC,
    ]],
);

static REPLIES: Rest = Rest {
    doc: "A message of the serving pack, and how the call ends when that is sent.",
    names: Names::Any,
    value: &Value::OneOf(&["ok", "failed", "timeout", "cancelled"]),
};

/// A port that a used pack serves.
pub static SERVE: Shape = Shape::new(
    "serve",
    "a served port",
    "A port of this pack, or of one that it uses, that a used pack serves in place of the host.",
    &[&[
        need("port", Value::Word, "The port; that of a used pack is written `name/port`."),
        need("by", Value::Word, "The used pack that serves it."),
        need("event", Value::Word, "The event of that pack that a call becomes."),
        may(
            "reply",
            Value::Names(&REPLIES),
            "Messages of that pack that end the call. Left out where the port sends no outcome.",
        ),
        DOC,
    ]],
);
