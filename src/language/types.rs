//! Types, as fields, columns, arguments, payload and signals have them.

use super::{Form, Key, Shape, Value, form, form_with, may, need};

/// The forms of a type.
pub(super) const FORMS: &[Form] = &[
    form_with("type", &["contract"], &[]),
    form("enum"),
    form("key_of"),
    form("record"),
    form_with("list", &["max", "evict", "unique"], &["max"]),
    form_with("set", &["max"], &["max"]),
    form_with("map", &["max"], &["max"]),
];

/// Plain types.
pub(super) const PLAIN: Value =
    Value::OneOf(&["bool", "int", "decimal", "text", "narrative", "id", "date_range", "instant", "document"]);
pub(super) const TYPE_DOC: &str = "A plain type. `decimal` is exact; `narrative` goes only into messages; a `date_range` is `2020`, `2020-Q1`, `2020-03`, \
     `2020-03-05`, `2020-03-01/2020-03-15` or a relative period; an `instant` is a point in time; \
     a `document` is any JSON that nothing looks into.";
pub(super) const ENUM: Value = Value::Either(&[Value::Word, Value::Some(&Value::Word)]);
pub(super) const ENUM_DOC: &str = "The name of an enum, or its values written in place.";
pub(super) const KEY_OF_DOC: &str = "The name of a table of the pack: the value is the `id` of one of its rows. Or of a keyed frame: the value is an id.";

/// The keys that make a type.
pub(super) static TYPE_KEYS: [Key; 11] = [
    may("type", PLAIN, TYPE_DOC),
    may(
        "contract",
        Value::Word,
        "The JSON Schema that a document is held to: `NAME` is the file `contracts/NAME.json` of the pack.",
    ),
    may("enum", ENUM, ENUM_DOC),
    may("key_of", Value::Word, KEY_OF_DOC),
    may("record", Value::Word, "The name of a record type (`[type.NAME]`)."),
    may("list", Value::Table(&ITEM), "A list; the type of its items."),
    may("set", Value::Table(&ITEM), "A set; the type of its items, which are plain values."),
    may("map", Value::Table(&MAP), "A map; the types of its keys and values."),
    may("max", Value::Size(1, 65_536), "How many items a list, set or map may hold, 1 to 65536, or `%parameter`."),
    may("evict", Value::OneOf(&["oldest"]), "A list that is full loses its oldest item instead of overflowing."),
    may("unique", Value::Word, "The field of the records in a list of which no two bear the same value."),
];

const OPTIONAL: Key = may("optional", Value::Bool, "The value may be absent. Not together with `default`.");
const DEFAULT: Key = may("default", Value::Literal, "The value where none is given. Not together with `optional`.");
const TYPE_OF_DOC: Key = may("doc", Value::Text, "What the value is, for people.");

const WIRE: Key =
    may("wire", Value::Word, "How the host calls it; default its name, in the `case` of the table that holds it.");

/// A type of a record's field, an argument or a field of a message, with what stands beside it.
pub static TYPE: Shape = Shape::new(
    "type",
    "a type",
    "A type. Without `optional` and `default` the value is mandatory.",
    &[&TYPE_KEYS, &[OPTIONAL, DEFAULT, WIRE, TYPE_OF_DOC]],
)
.forms(FORMS);

/// A type of a column, with what stands beside it.
pub static COLUMN: Shape = Shape::new(
    "column",
    "a type",
    "The type of a column. Without `optional` and `default` each row has a value.",
    &[&TYPE_KEYS, &[OPTIONAL, DEFAULT, TYPE_OF_DOC]],
)
.forms(FORMS);

/// A type of a frame's field, with what stands beside it.
pub static FRAME_FIELD: Shape = Shape::new(
    "frame_field",
    "a type",
    "The type of a field of a frame. `optional` or `default` must be written, but for what is given when an instance of a keyed frame is opened.",
    &[
        &TYPE_KEYS,
        &[
            OPTIONAL,
            DEFAULT,
            may("set_once", Value::Bool, "Once written it stays until the frame is cleared."),
            may("for_host", Value::Bool, "It is there for whoever holds the state: no class need read or write it."),
            TYPE_OF_DOC,
        ],
    ],
)
.forms(FORMS);

/// A type of a payload field or of a field of an answer, with what stands beside it.
pub static PAYLOAD_FIELD: Shape = Shape::new(
    "payload_field",
    "a type",
    "A type. Without `optional` the value is mandatory; there is no default: what is not given is absent.",
    &[&TYPE_KEYS, &[OPTIONAL, WIRE, TYPE_OF_DOC]],
)
.forms(FORMS);

/// The type of an item of a collection.
pub static ITEM: Shape = Shape::new("item", "the type of an item", "The type of an item.", &[&TYPE_KEYS]).forms(FORMS);

/// The types of a map.
pub static MAP: Shape = Shape::new(
    "map",
    "a map",
    "The types of the keys and values of a map.",
    &[&[
        need("key", Value::Table(&ITEM), "The type of the keys: text, id, enum or key_of."),
        need("value", Value::Table(&ITEM), "The type of the values."),
    ]],
);
