//! Scenarios.

use super::{Names, Rest, Shape, Value, may, need};

/// A file of scenarios.
pub static SCENARIOS: Shape = Shape::new(
    "scenarios",
    "a scenario file",
    "Scripted conversations with expectations.",
    &[&[need("scenarios", Value::Some(&Value::Table(&SCENARIO)), "The scenarios of the file.")]],
);

static FIELDS: Rest = Rest { doc: "A field and its value.", names: Names::Any, value: &Value::Literal };
static FRAMES: Rest = Rest { doc: "A frame and its fields.", names: Names::Any, value: &Value::Names(&FIELDS) };

/// A scenario.
pub static SCENARIO: Shape = Shape::new(
    "scenario",
    "a scenario",
    "A scripted conversation with expectations.",
    &[&[
        need("scenario", Value::Word, "Its name: what it shows; unique in its file."),
        may(
            "pack",
            Value::Word,
            "The name of its pack; left out = the first folder below `scenarios/` that the file lies in.",
        ),
        may("covers", Value::OneOrMany(&Value::Word), "The class, or the classes, that it is about."),
        may("env", Value::Table(&ENV), "The clock and the session."),
        may("given", Value::Names(&FRAMES), "Frame → field → value before the first turn; all else is at its default."),
        need("turns", Value::Some(&Value::Table(&TURN)), "The turns, at least one."),
    ]],
);

/// The clock and the session of a scenario.
pub static ENV: Shape = Shape::new(
    "env",
    "the env of a scenario",
    "The clock and the session.",
    &[&[
        may("today", Value::Date, "The day, such as `2021-05-10`; default 2020-01-01, or the day of `now`."),
        may("now", Value::Date, "The instant, such as `2021-05-10T09:30:00Z`; default midnight UTC of today."),
        may("session_id", Value::Word, "The id of the session; default `s-1`."),
    ]],
);

const SIGNALS: super::Key = may(
    "signals",
    Value::Names(&FIELDS),
    "What the host found besides: signals, and payload fields where the event is written as a plain text.",
);
const OUTCOME_KEY: super::Key = may(
    "outcome",
    Value::Table(&OUTCOME),
    "An outcome delivered by hand: of a call that was left open, or a stale one.",
);
const EVENT_DOC: &str = "An event (its `turn`, such as `user`): its payload, or its text.";
const EVENT: Value = Value::Either(&[Value::Text, Value::Names(&FIELDS)]);

/// A turn.
pub static TURN: Shape = Shape::new(
    "turn",
    "a turn",
    "One thing that happens and everything it sets off.",
    &[&[
        SIGNALS,
        OUTCOME_KEY,
        may("events", Value::Some(&Value::Table(&INPUT)), "Several inputs before a reply; each is a step of its own."),
        may("assistant", Value::Text, "A recorded reply, for people: nothing reads it."),
        may("expect", Value::Table(&EXPECT), "What must come of the turn."),
        may("calls", Value::List(&Value::Table(&CALL)), "Scripted outcomes, in the order in which the calls are made."),
    ]],
)
.rest(EVENT_DOC, Names::Any, &EVENT)
.some(&[&["outcome", "events"]]);

/// One of several inputs.
pub static INPUT: Shape =
    Shape::new("input", "an input", "One of several inputs before a reply.", &[&[SIGNALS, OUTCOME_KEY]])
        .rest(EVENT_DOC, Names::Any, &EVENT)
        .some(&[&["outcome"]]);

const STATUS: Value = Value::OneOf(&["ok", "failed", "timeout", "cancelled"]);
const REPLY: &[super::Key] = &[
    may("status", STATUS, "How it ended: `failed`, `timeout` or `cancelled` (or `ok`, for an answer without fields)."),
    may("returns", Value::Literal, "It ends ok, with this answer."),
    may("error", Value::Word, "What went wrong, for one that is not ok."),
];

/// How a call ends, by itself.
pub static ENDING: Shape =
    Shape::new("ending", "the end of a call", "How a call ends.", &[REPLY]).some(&[&["returns", "status"]]);

/// An outcome by hand.
pub static OUTCOME: Shape = Shape::new(
    "outcome",
    "an outcome",
    "The outcome of a call, delivered by hand: which call, and how it ends.",
    &[
        &[
            may("call", Value::Word, "The id of the call, such as `call-1`."),
            may("port", Value::Word, "The port: the first open call to it."),
        ],
        REPLY,
    ],
)
.some(&[&["call", "port"], &["returns", "status"]]);

static WANTED: Rest = Rest {
    doc: "The value that it must have; `{ present: false }` = none, `{ present: true }` = any.",
    names: Names::Any,
    value: &Value::Literal,
};

/// A scripted call.
pub static CALL: Shape = Shape::new(
    "call",
    "a scripted call",
    "A call that must be made, and how it ends.",
    &[
        &[
            need("port", Value::Word, "The port."),
            may("with", Value::Names(&WANTED), "Arguments it must have; others may be there."),
        ],
        REPLY,
        &[may("open", Value::Bool, "`true`: nothing comes before the next input.")],
    ],
);

/// A file of outcomes.
pub static SCRIPT: Shape = Shape::new(
    "script",
    "a file of outcomes",
    "Outcomes for the ports that it is bound to.",
    &[&[need("calls", Value::Some(&Value::Table(&CALL)), "Outcomes; each port takes its own, in this order.")]],
);

static WANTED_FRAMES: Rest = Rest { doc: "A frame and its fields.", names: Names::Any, value: &Value::Names(&WANTED) };
static WANTED_MESSAGE: Rest =
    Rest { doc: "The message and fields that it must have.", names: Names::Any, value: &Value::Names(&WANTED) };
static ABSENT: Shape = Shape::new(
    "absent",
    "`{ present: false }`",
    "There is none.",
    &[&[need("present", Value::Bool, "`false`: there is none.")]],
);
const OR_NONE: Value = Value::Either(&[Value::Word, Value::Table(&ABSENT)]);

/// An expectation.
pub static EXPECT: Shape = Shape::new(
    "expect",
    "an expectation",
    "What must come of the turn: at least one of these.",
    &[&[
        may("transition", Value::Word, "The class that took the input and whose step was the last."),
        may("selected", Value::Word, "The class that took the input, where the last step is of another."),
        may("settled", Value::Word, "The class of the last step, where another took the input."),
        may("reason", OR_NONE, "The reason of the last step; `{ present: false }` = it gave none."),
        may("reasons", Value::OneOrMany(&Value::Word), "All reasons of the turn, remarks such as `unused_signal` included."),
        may("answer_mode", OR_NONE, "The answer mode; `{ present: false }` = there is no answer, for a call is open."),
        may(
            "state",
            Value::Names(&WANTED_FRAMES),
            "Frame → field → value after the turn; `{ present: false }` = no value, `{ present: true }` = any.",
        ),
        may("dropped", Value::OneOrMany(&Value::Word), "The frames that were reset, exactly, in any order."),
        may("carried", Value::OneOrMany(&Value::Word), "The frames that the input carried, exactly, in any order."),
        may(
            "steps",
            Value::OneOrMany(&Value::Word),
            "The classes of all steps of the turn, in order, exactly; those of used packs are written `name/CLASS`.",
        ),
        may("calls", Value::OneOrMany(&Value::Word), "The ports called in the turn, in order, exactly; `[]` = none."),
        may(
            "messages",
            Value::OneOrMany(&Value::Either(&[Value::Word, Value::Names(&WANTED_MESSAGE)])),
            "Messages in this order, each a name or `{ name: { field: value } }`; others may stand between; `[]` = none at all.",
        ),
        may("refused", Value::Word, "Why the input was refused: `busy`, `stale_outcome`."),
    ]],
)
.some(&[&[
    "transition", "selected", "settled", "reason", "reasons", "answer_mode", "state", "dropped", "carried", "steps",
    "calls", "messages", "refused",
]]);
