//! A transition class and its parts.

use super::{DOC, NAMES, Names, Rest, Shape, Value, form, form_with, may, need};

pub(super) const CONDITION: Value = Value::Table(&super::CONDITION);
pub(super) const CONDITION_ON_ENTRIES: Value = Value::Table(&super::ENTRY_CONDITION);
pub(super) const EFFECTS: Value = Value::List(&Value::Table(&super::EFFECT));

/// A transition class: a file with `id` at its root, or an item of `[[transition]]`.
pub static CLASS: Shape = Shape::new(
    "class",
    "a transition class",
    "A transition class. Every part is written; \"nothing\" is written out.",
    &[&[
        may("for_each", Value::Table(&FOR_EACH), "Writes the class once for each row of a table."),
        need("id", Value::Word, "The id of the class, unique in the pack."),
        need("name", Value::Word, "Its name: what it does, in words of the pack."),
        need("title", Value::Word, "Its title, for people."),
        need("owner", Value::Word, "*State owner*: the owner whose frames the class writes."),
        may("group", NAMES, "Names of groups that precedence chains may use."),
        may("touches", NAMES, "Frames of other owners that its `do` and `settle` write."),
        may("ignores", NAMES, "Said values that are left unread on purpose."),
        need("doc", Value::Word, "What the class is for."),
        need("trigger", Value::Some(&Value::Table(&TRIGGER)), "*Trigger*: what sets the class off."),
        may(
            "bind",
            Value::Names(&BINDS),
            "Which instance of a keyed frame it reaches: frame = a `$path` to its key, or `{ first = [ … ] }` of paths.",
        ),
        need("requires", CONDITION, "*Required prior state*: a condition on frames. `{}` = nothing is required."),
        may("unmet", Value::Table(&UNMET), "What is said when a trigger matched and only `requires` failed."),
        need("entry", CONDITION, "*Entry condition*: on frames, `input` or `outcome`, and `env`. `{}` = none."),
        may(
            "carryover",
            Value::Table(&CLASS_CARRYOVER),
            "What the class takes along of the frames of the universe. Left out only in a pack without a universe and without `decide`.",
        ),
        need("do", EFFECTS, "*State mutations*: effects, in order. `[]` = none."),
        may(
            "settle",
            Value::List(&Value::Table(&SETTLE_ROW)),
            "What is done when a call of the class comes back. `[]` = another class takes every outcome.",
        ),
        need("answer", Value::Table(&ANSWER), "*Expected answer mode*, in one of three forms: `mode`, `by`, `row`."),
        need(
            "never",
            Value::List(&CONDITION),
            "*Must not*: each item is a condition that no step of the class may end in. `[]` = none.",
        ),
    ]],
);

static BINDS: Rest =
    Rest { doc: "A keyed frame, and what the key of its instance is.", names: Names::Any, value: &Value::Computed };

/// `for_each` of a class.
pub static FOR_EACH: Shape = Shape::new(
    "for_each",
    "`for_each`",
    "The rows for which the class is written out; `{s.id}` and `{s.COLUMN}` are replaced in every text of the class.",
    &[&[
        need("table", Value::Word, "The table whose rows are taken."),
        need("as", Value::Word, "What a row is called in the texts: `s` in `{s.id}`."),
    ]],
);

/// `unmet` of a class.
pub static UNMET: Shape = Shape::new(
    "unmet",
    "`unmet`",
    "What is said when a trigger matched and only `requires` failed.",
    &[&[need("reason", Value::Word, "The reason that the boundary class then gives.")]],
);

/// A trigger of a class.
pub static TRIGGER: Shape = Shape::new(
    "trigger",
    "a trigger",
    "What sets the class off. A trigger on `boundary` has no other key.",
    &[&[
        need(
            "event",
            Value::Word,
            "An event, `outcome`, `PORT.ok`, `PORT.failed`, or `boundary`: what no other class takes.",
        ),
        may(
            "any",
            Value::Some(&Value::Table(&ALTERNATIVE)),
            "Alternatives of which one must match. Left out = the event alone is enough. Not on an outcome.",
        ),
        may("requires", CONDITION, "Adds to the class's `requires`."),
        may("entry", CONDITION, "Adds to the class's `entry`."),
        may(
            "base",
            Value::OneOfOrCell(&["selected", "before"]),
            "On an outcome, where it must be written: `selected` goes on from the select step, `before` from the state before the turn.",
        ),
        may("reason", Value::Word, "The reason that the class gives when this sets it off. Boundary class only."),
        may("examples", Value::List(&Value::Word), "Texts that set it off. Must be written on an event with a text."),
        may(
            "counterexamples",
            Value::List(&Value::Word),
            "Texts that look alike and do not set it off. Must be written on an event with a text.",
        ),
    ]],
)
.beside(&[("examples", "counterexamples"), ("counterexamples", "examples")]);

static SIGNALS: Rest = Rest { doc: "A signal and its value.", names: Names::Any, value: &Value::Literal };

/// An alternative of a trigger.
pub static ALTERNATIVE: Shape = Shape::new(
    "alternative",
    "an alternative",
    "One of `phrase`, `pattern`, `signal`.",
    &[&[
        may(
            "phrase",
            Value::Word,
            "Words; `[a|b]` may be left out; `(a|b)` alternatives; `{signal}`; `stem~endings`. It matches at word boundaries, anywhere.",
        ),
        may("pattern", Value::Word, "A regular expression over the folded text; it matches whole words."),
        may("signal", Value::Word, "A signal or payload field that is there."),
        may(
            "is",
            Value::OneOrMany(&Value::Scalar),
            "The signal has one of these values; a list or set holds one of them.",
        ),
        may("ambiguous", Value::True, "The text gives two values of the signal."),
        may("whole", Value::Bool, "Nothing else stands in the text but fillers and recognised values."),
        may("starts", Value::Bool, "It stands at the start of the text."),
        may("tag", Value::Word, "Readable as `input.tag` when this alternative matched."),
        may("set", Value::Names(&SIGNALS), "Signals that this alternative sets."),
    ]],
)
.forms(&[
        form_with("phrase", &["whole", "starts"], &[]),
        form_with("pattern", &["whole", "starts"], &[]),
        form_with("signal", &["is", "ambiguous"], &[]),
    ],
);

static FATES: Rest = Rest {
    doc: "A frame that every class decides about, and its fate.",
    names: Names::Any,
    value: &Value::OneOfOrCell(&["keep", "clear", "use"]),
};

/// `carryover` of a class.
pub static CLASS_CARRYOVER: Shape = Shape::new(
    "class_carryover",
    "`carryover`",
    "What the class takes along. In a pack with a universe `depth`, `keep`, `forbid` and `preserve` are written.",
    &[&[
        may("depth", Value::Word, "*Allowed carryover depth*: a name under `depth` of the manifest."),
        may("keep", NAMES, "Frames of the universe that survive and are not read."),
        may("fields", NAMES, "Narrows: of the carried frames only these fields (`\"frame.field\"`)."),
        may("forbid", NAMES, "*Forbidden carryover*: frames or fields that must not be carried."),
        may(
            "preserve",
            Value::List(&Value::Either(&[Value::Word, Value::Table(&PRESERVE)])),
            "*Must preserve*: frames or fields that the step leaves as they were.",
        ),
        may("fate", Value::Names(&FATES), "The fate of each frame under `decide` of the manifest: keep, clear or use."),
    ]],
)
.beside(&[("depth", "keep"), ("keep", "forbid"), ("forbid", "preserve"), ("preserve", "depth"), ("fields", "depth")]);

/// A `preserve` item with conditions.
pub static PRESERVE: Shape = Shape::new(
    "preserve",
    "a `preserve` item",
    "What must be preserved, unless something holds, or as another value.",
    &[&[
        need("field", Value::Word, "The frame, or the field (`\"frame.field\"`)."),
        may(
            "unless",
            Value::Either(&[Value::Word, CONDITION]),
            "Not where this is: a path that has a value (`\"input.period\"`), or a condition.",
        ),
        may("equals", Value::Word, "The `$path` whose value the field must have, instead of its own of before."),
    ]],
);

/// What is done when a call comes back.
pub static SETTLE_ROW: Shape = Shape::new(
    "settle_row",
    "a settle row",
    "What is done when a call comes back.",
    &[&[
        need("on", Value::Word, "The id of the call."),
        may("when", CONDITION, "Which outcomes: a condition on `outcome` and frames. Left out = all."),
        need("do", EFFECTS, "Effects, in order. `[]` = nothing but to answer."),
    ]],
);

static MODES: Rest =
    Rest { doc: "A value of the field, and the answer mode for it.", names: Names::Any, value: &Value::Word };
static BY_FIELD: Rest = Rest { doc: "A field and its values.", names: Names::Any, value: &Value::Names(&MODES) };
static BY_FRAME: Rest =
    Rest { doc: "A frame and one of its fields.", names: Names::Any, value: &Value::Names(&BY_FIELD) };

/// What kind of answer is admissible.
pub static ANSWER: Shape = Shape::new(
    "answer",
    "`answer`",
    "What kind of answer is admissible: one of `mode`, `by`, `row`.",
    &[&[
        may("mode", Value::Word, "Always this answer mode."),
        may(
            "by",
            Value::Names(&BY_FRAME),
            "By the value of a field: `by.FRAME.FIELD = { VALUE = \"mode\", … }`, all its values.",
        ),
        may("row", Value::List(&Value::Table(&ANSWER_ROW)), "Rows of which exactly one must hold."),
    ]],
)
.forms(&[form("mode"), form("by"), form("row")]);

/// A row of an answer.
pub static ANSWER_ROW: Shape = Shape::new(
    "answer_row",
    "an answer row",
    "A condition and the answer mode where it holds.",
    &[&[
        need("when", CONDITION, "When this row holds."),
        need("mode", Value::Word, "The answer mode (`[answer_mode]`)."),
    ]],
);

/// A named list of effects.
pub(super) const BLOCK_KEYS: &[super::Key] =
    &[DOC, need("do", EFFECTS, "The effects, in order; they may use other blocks.")];
