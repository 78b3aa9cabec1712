//! The lexicon: parts, signals, rules, and derived signals.

use super::types::{FORMS, TYPE_KEYS};
use super::{DOC, Names, Rest, Shape, Value, form, form_with, may, need};

static FORMS_OF_VALUES: Rest = Rest {
    doc: "The canonical value, and the phrases that stand for it.",
    names: Names::Any,
    value: &Value::List(&Value::Word),
};
const VALUES_DOC: &str = "Canonical value → phrases that stand for it.";

/// A piece of a value.
pub static PART: Shape = Shape::new(
    "part",
    "a part",
    "A piece of a value, used in rules as `{name}`; no transition sees it.",
    &[&[
        DOC,
        may("values", Value::Names(&FORMS_OF_VALUES), VALUES_DOC),
        may("pattern", Value::Word, "A regular expression; the matched text is the value."),
    ]],
)
.some(&[&["values", "pattern"]]);

/// A signal.
pub static SIGNAL: Shape = Shape::new(
    "signal",
    "a signal",
    "Something that can be heard in a text, or that the host gives (then it has neither `values` nor `rule`). A type, and how it is said.",
    &[
        &TYPE_KEYS,
        &[
            may(
                "many",
                Value::OneOf(&["ambiguous", "first", "last", "all"]),
                "What several values in one text mean; default `ambiguous`. `all` is for list and set types.",
            ),
            DOC,
            may("values", Value::Names(&FORMS_OF_VALUES), VALUES_DOC),
            may("rule", Value::List(&Value::Table(&RULE)), "Ways to say it that are made of parts or are patterns."),
            may("complete", Value::Table(&COMPLETE), "Where a part comes from that the text leaves out (date_range only)."),
        ],
    ],
)
.forms(FORMS);

/// A rule of a signal.
pub static RULE: Shape = Shape::new(
    "rule",
    "a rule",
    "A phrase or a pattern, and the value that it stands for.",
    &[&[
        may("phrase", Value::Word, "Words; `[a|b]` may be left out; `(a|b)` alternatives; `{part}`; `stem~endings`."),
        may("pattern", Value::Word, "A regular expression over the folded text; it matches whole words."),
        may(
            "value",
            Value::Literal,
            "The value; `{part}` in it is what the part stands for. Left out = the matched text.",
        ),
    ]],
)
.forms(&[form("phrase"), form("pattern")]);

/// `complete` of a signal.
pub static COMPLETE: Shape = Shape::new(
    "complete",
    "`complete`",
    "Where a part comes from that the text leaves out.",
    &[&[
        may("year", Value::List(&Value::Path), "Paths; the year is taken of the first that is there."),
        may("month", Value::List(&Value::Path), "Paths; the month is taken of the first that is there."),
    ]],
);

/// `[lexicon]`.
pub static LEXICON: Shape = Shape::new(
    "lexicon",
    "`[lexicon]`",
    "Words of the whole lexicon.",
    &[&[may("filler", Value::List(&Value::Word), "Phrases that a `whole` trigger skips.")]],
)
.split();

static COLUMNS: Rest = Rest { doc: "A column, and the value it must have.", names: Names::Any, value: &Value::Scalar };

/// A derived signal.
pub static DERIVED: Shape = Shape::new(
    "derived",
    "a derived signal",
    "A value computed for each candidate class: one of `lookup`, `lacking`, `present`, `first_of`. What the class may not read counts as absent.",
    &[&[
        may("lookup", Value::Word, "A table: the key of its one row that fits `where`, else absent."),
        may("where", Value::Names(&COLUMNS), "Columns (`id` too) and what they must be: a value or a `$path`."),
        may("lacking", Value::Table(&MEMBERS), "Members of `of` that are not there under that name in any place of `in`."),
        may("present", Value::Table(&MEMBERS), "Members of `of` that are there under that name in a place of `in`."),
        may("first_of", Value::List(&Value::Path), "Paths: the first that has a value."),
        DOC,
    ]],
)
.forms(&[form_with("lookup", &["where"], &["where"]), form("lacking"), form("present"), form("first_of")],
);

/// `lacking` and `present`.
pub static MEMBERS: Shape = Shape::new(
    "members",
    "`lacking` or `present`",
    "Members of a set, and where they are looked for.",
    &[&[
        need("of", Value::Path, "The `$path` of a set or list of enum values or table keys."),
        need(
            "in",
            Value::List(&Value::Word),
            "Where they are looked for: `input`, names of frames, a `$path` to a map.",
        ),
    ]],
);
