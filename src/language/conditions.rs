//! Conditions: combinators, heads of paths, tests.

use super::{Key, Names, Rest, Shape, Value, may, need};

/// Values under names of the author's: fields of a frame, inputs, fields of an outcome, arguments of a call.
static TESTS: Rest = Rest { doc: "What it is tested with.", names: Names::Any, value: &Value::Tested };
static FRAMES: Rest = Rest { doc: "A frame and tests of its fields.", names: Names::Any, value: &Value::Names(&TESTS) };

/// A condition: all that stands in it must hold.
pub static CONDITION: Shape = Shape::new(
    "condition",
    "a condition",
    "A condition, read as AND: combinators (`any`, `all`, `not`, `is`), and paths with a test. Empty = always true.",
    &[&[
        may("is", Value::Word, "A named condition (`[condition.NAME]`) that must hold."),
        may("any", Value::Some(&Value::Table(&CONDITION)), "At least one of these conditions holds."),
        may("all", Value::List(&Value::Table(&CONDITION)), "Each of these conditions holds."),
        may("not", Value::Table(&CONDITION), "This condition does not hold."),
        may("before", Value::Names(&FRAMES), "Frames as they were before the step: `before.FRAME.FIELD`."),
        may(
            "input",
            Value::Names(&TESTS),
            "What the event says: payload fields, signals, derived signals, `tag`, `command`, `command_rest`.",
        ),
        may(
            "outcome",
            Value::Names(&TESTS),
            "What a call came to: fields of the answer, and `call`, `port`, `status`, `error`, `kept`.",
        ),
        may("answer", Value::Names(&TESTS), "The answer of the step: `mode`, `claims`."),
        may("reason", Value::Tested, "The reason that the boundary class gives."),
        may(
            "call",
            Value::Names(&TESTS),
            "The calls of the step: `call.port` (the ports, a set), `call.ID.port`, `call.ID.ARGUMENT`.",
        ),
        may("env", Value::Names(&TESTS), "`today`, `now`, `turn_id`, `session_id`."),
        may("key", Value::Tested, "In a condition that is used on entries: the key of the entry."),
        may("value", Value::Tested, "In a condition that is used on entries: the item, or the value under the key."),
    ]],
)
.rest("A frame and tests of its fields: `frame.field = …`.", Names::Any, &Value::Names(&TESTS));

/// A condition on the entries of a collection.
pub static ENTRY_CONDITION: Shape = Shape::new(
    "entry_condition",
    "a condition",
    "A condition on an entry of a list, a set or a map: `key` and `value` are tested.",
    &[&[
        may("is", Value::Word, "A named condition (`[condition.NAME]`) that must hold of the entry."),
        may("any", Value::Some(&Value::Table(&ENTRY_CONDITION)), "At least one of these conditions holds."),
        may("all", Value::List(&Value::Table(&ENTRY_CONDITION)), "Each of these conditions holds."),
        may("not", Value::Table(&ENTRY_CONDITION), "This condition does not hold."),
        may("key", Value::Tested, "The key of an entry of a map."),
        may("value", Value::Tested, "The item, or the value of an entry of a map."),
    ]],
);

/// What people write for a test, and the test that is meant.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("!=", "not"),
    ("<", "lt"),
    ("<=", "lte"),
    (">", "gt"),
    (">=", "gte"),
    ("above", "gt"),
    ("any_of", "in"),
    ("at_least", "gte"),
    ("at_most", "lte"),
    ("below", "lt"),
    ("ge", "gte"),
    ("greater_than", "gt"),
    ("le", "lte"),
    ("len", "size"),
    ("length", "size"),
    ("less_than", "lt"),
    ("max", "lte"),
    ("maximum", "lte"),
    ("min", "gte"),
    ("minimum", "gte"),
    ("ne", "not"),
    ("one_of", "in"),
];

/// The test that is meant by a word that is none, where that is known.
#[must_use]
pub fn meant_test(word: &str) -> Option<&'static str> {
    OTHER_WORDS.iter().find(|(other, _)| *other == word).map(|(_, test)| *test)
}

/// Orders, for numbers of items.
const ORDERS: &[Key] = &[
    may("gt", Value::Number, "Greater than this number or `%parameter`."),
    may("gte", Value::Number, "This number or `%parameter`, or greater."),
    may("lt", Value::Number, "Less than this number or `%parameter`."),
    may("lte", Value::Number, "This number or `%parameter`, or less."),
];

const ORDER_NAMES: &[&str] = &["gt", "gte", "lt", "lte"];

/// What a number of items is held against.
pub static NUMBER: Shape =
    Shape::new("number", "a number of items", "What a number of items is held against.", &[ORDERS])
        .some(&[ORDER_NAMES]);

/// Which entries are counted, and what their number is held against.
pub static COUNT: Shape = Shape::new(
    "count",
    "a number of items",
    "How many entries pass a condition: `where` and at least one of `gt`, `gte`, `lt`, `lte`.",
    &[&[need("where", Value::Table(&ENTRY_CONDITION), "Which entries are counted.")], ORDERS],
)
.some(&[ORDER_NAMES]);

/// Tests of a value. Beside them further pieces of the path may stand.
pub static TEST: Shape = Shape::new(
    "test",
    "a test",
    "Tests of a value, read as AND. A test on an absent value is unknown, and only true passes.",
    &[&[
        may("not", Value::Tested, "The inner test is false: a value, a list of values, or a table of tests."),
        may(
            "in",
            Value::Either(&[Value::Some(&Value::Scalar), Value::Path]),
            "One of these values, or an item of the list or set at a `$path`.",
        ),
        may("gt", Value::Number, "Greater than this number or `%parameter` (int, decimal)."),
        may("gte", Value::Number, "This number or `%parameter`, or greater (int, decimal)."),
        may("lt", Value::Number, "Less than this number or `%parameter` (int, decimal)."),
        may("lte", Value::Number, "This number or `%parameter`, or less (int, decimal)."),
        may("present", Value::Bool, "Whether there is a value; never unknown."),
        may("empty", Value::Bool, "Whether the collection or the text holds nothing."),
        may("size", Value::Either(&[Value::Number, Value::Table(&NUMBER)]), "The number of items."),
        may("contains", Value::Literal, "A list or set holds the item, a map the key."),
        may("subset_of", Value::Sets, "Each item is one of these: a list of values, or a `$path`."),
        may("same_set", Value::Sets, "The same items, in whatever order: a list of values, or a `$path`."),
        may("disjoint", Value::Sets, "No item in common with these: a list of values, or a `$path`."),
        may(
            "covered_by",
            Value::Sets,
            "Each item is in one of these sets: a list of values, a `$path`, or a list of those.",
        ),
        may("exists", Value::Table(&ENTRY_CONDITION), "Some entry passes this condition (on `key` and `value`)."),
        may("every", Value::Table(&ENTRY_CONDITION), "Each entry passes this condition (on `key` and `value`)."),
        may("count", Value::Table(&COUNT), "How many entries pass a condition."),
        may("differs", Value::Literal, "Absent, or not equal to this value, `$path` or `%parameter`."),
    ]],
)
.rest("On along the path: a field of a record, a column, the key of a map, and its tests.", Names::Any, &Value::Tested);
