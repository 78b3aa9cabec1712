//! Effects, and ways to compute a value.

use super::{Names, Rest, Shape, Value, form, form_with, may, need};

/// Values under names of the author's: fields, arguments, kept values.
pub(super) static COMPUTED: Rest = Rest { doc: "The value.", names: Names::Any, value: &Value::Computed };
static FRAMES: Rest = Rest { doc: "A frame and its fields.", names: Names::Any, value: &Value::Names(&COMPUTED) };
static STEPS: Rest = Rest { doc: "By how much.", names: Names::Any, value: &Value::Number };
static FRAME_STEPS: Rest = Rest { doc: "A frame and its fields.", names: Names::Any, value: &Value::Names(&STEPS) };
const WRITTEN: Value = Value::Names(&FRAMES);

/// One item of a `do` list.
pub static EFFECT: Shape = Shape::new(
    "effect",
    "an effect",
    "One effect: one verb, and `when` it is done. Effects are done in order.",
    &[&[
        may("when", super::class::CONDITION, "Only where this holds."),
        may("set", WRITTEN, "Writes fields: `set.frame.field = value`, or `set.frame = { field = value, … }`."),
        may("clear", Value::Some(&Value::Word), "Sets frames, or fields (`\"frame.field\"`), back to their defaults."),
        may("append", WRITTEN, "Adds an item, or all items of a list, to a list or set."),
        may("remove", WRITTEN, "Takes an item, or all items of a list, out of a list or set; keys out of a map."),
        may("increment", Value::Names(&FRAME_STEPS), "Adds a whole number to an int field."),
        may("merge", WRITTEN, "Writes some entries of a map, or some fields of a record, and leaves the others."),
        may("open", Value::Word, "Opens an instance of a keyed frame and binds it."),
        may("close", Value::Word, "Ends the bound instance of a keyed frame. It needs `as`."),
        may("as", Value::Word, "How the instance ends: one of `closed_as` of the frame."),
        may("emit", Value::Word, "Sends a message (`[message.NAME]`)."),
        may("call", Value::Word, "Makes a call to a port (`[port.NAME]`). It needs an `id`."),
        may("id", Value::Word, "The name of the call, unique in its class: `settle` and `call.ID` speak of it."),
        may(
            "with",
            Value::Names(&COMPUTED),
            "The arguments of the call, or the fields of the message or of the instance.",
        ),
        may("keep", Value::Names(&COMPUTED), "What comes back with the outcome of the call, as `outcome.kept.NAME`."),
        may("use", Value::Word, "Does the effects of a block (`[block.NAME]`)."),
    ]],
)
.forms(&[
    form("set"),
    form("clear"),
    form("append"),
    form("remove"),
    form("increment"),
    form("merge"),
    form_with("open", &["with"], &[]),
    form_with("close", &["as"], &["as"]),
    form_with("emit", &["with"], &[]),
    form_with("call", &["id", "with", "keep"], &["id"]),
    form("use"),
]);

/// `{ first = [ … ] }`.
pub static FIRST: Shape = Shape::new(
    "first",
    "`first`",
    "The first of these values that is there.",
    &[&[need(
        "first",
        Value::Some(&Value::Computed),
        "The values, in order; a `$path?` that is absent is passed over.",
    )]],
);

/// `{ join = [ … ] }`.
pub static JOIN: Shape = Shape::new(
    "join",
    "`join`",
    "Texts as one text.",
    &[&[
        need("join", Value::List(&Value::Computed), "The texts; a `$path?` that is absent is left out."),
        may("sep", Value::Text, "What stands between them; one space where it is left out."),
    ]],
);

/// `{ new_id = "…" }`.
pub static NEW_ID: Shape = Shape::new(
    "new_id",
    "`new_id`",
    "A new id.",
    &[&[need("new_id", Value::Text, "What the id begins with: letters, digits, `_` and `-`.")]],
);

static TAKEN: Rest =
    Rest { doc: "A field of the record, and what of the entry it is.", names: Names::Any, value: &Value::Word };

/// `{ pick = "$path", where = …, take = "…" }`.
pub static PICK: Shape = Shape::new(
    "pick",
    "`pick`",
    "Entries of a list, a set or a map. One of `where` and `take` may be left out.",
    &[&[
        need("pick", Value::Text, "The `$path` of the collection."),
        may("where", super::class::CONDITION_ON_ENTRIES, "Which entries are taken (tests on `key` and `value`)."),
        may(
            "take",
            Value::Either(&[Value::Word, Value::Names(&TAKEN)]),
            "What is taken of each: `value`, or on from there, such as `value.place`; or a record of such parts.",
        ),
    ]],
)
.some(&[&["where", "take"]]);
