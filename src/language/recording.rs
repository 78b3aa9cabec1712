//! Forms of recorded dialogues.

use super::{DOC, Names, Rest, Shape, Value, may, need};

static MEMBERS: Rest = Rest { doc: "Where it is in the turn.", names: Names::Any, value: &Value::Word };
static CLASSES: Rest = Rest {
    doc: "A label that is no class, and the classes that are right.",
    names: Names::Declared,
    value: &SOME_NAMES,
};
static LABELS: Rest =
    Rest { doc: "A name, and labels that are also scored as one.", names: Names::Declared, value: &SOME_NAMES };
static REPLIES: Rest =
    Rest { doc: "A port, and what its calls are answered.", names: Names::Declared, value: &Value::Names(&ANSWER) };
static ANSWER: Rest = Rest { doc: "A field of the answer.", names: Names::Any, value: &Value::Literal };
static ONLY: Rest =
    Rest { doc: "A text of the turn, and its values in what is scored.", names: Names::Any, value: &SOME_NAMES };
const SOME_NAMES: Value = Value::Some(&Value::Word);

/// A form of recorded dialogues.
pub static RECORDING: Shape = Shape::new(
    "recording",
    "a recording",
    "A form of recorded dialogues, one JSON record a line. Ways through a record are names of members with dots between.",
    &[&[
        DOC,
        need("id", Value::Word, "Where a record says how the dialogue is called."),
        may("source", Value::Word, "Where a record says which source it comes from; the scores are also given by source."),
        may("turns", Value::Word, "The list of its turns; left out = the record is a dialogue of one turn."),
        need("event", Value::Word, "The event that each turn is."),
        need("payload", Value::Names(&MEMBERS), "Payload field of that event ← where it is in the turn."),
        may("signals", Value::Word, "An object of the turn whose members are signals of the host."),
        may("omit", Value::List(&Value::Word), "Members of `signals` that are no signals."),
        may(
            "outcome",
            Value::Word,
            "An object of the turn: the outcome (ok) of the one call that the step leaves open.",
        ),
        may("reply", Value::Names(&REPLIES), "Instead of `outcome`: what each call to a port is answered (ok), always the same."),
        may("next", Value::Names(&MEMBERS), "Members added to the outcome from the next turn of the dialogue."),
        may(
            "expected",
            Value::Table(&EXPECTED),
            "What the class of a turn is held against; left out = nothing is scored.",
        ),
    ]],
)
.beside(&[("omit", "signals"), ("next", "outcome"), ("next", "turns")]);

/// What a recording expects.
pub static EXPECTED: Shape = Shape::new(
    "expected",
    "what a recording expects",
    "What the class of a turn is held against.",
    &[&[
        need("class", Value::Word, "Where the label of the turn is; null or missing there = counted and not scored."),
        may(
            "only",
            Value::Names(&ONLY),
            "Texts of the turn with the values that are scored; other turns are counted and not scored.",
        ),
        may("accept", Value::Word, "A list of labels that count as right in the lenient score."),
        may("strict", SOME_NAMES, "Labels for which `accept` does not count."),
        may("label", Value::Names(&CLASSES), "Labels that are no class, with the classes that are right."),
        may("group", Value::Names(&LABELS), "Labels that are also scored as one."),
        may("by", Value::List(&Value::Word), "Texts of the turn; the scores are also given for each of their values."),
    ]],
);
