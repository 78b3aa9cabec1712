//! Metrics: what is counted over sessions.

use super::{DOC, Shape, Value, form, form_with, may, need};

const CLASSES: Value = Value::Some(&Value::Word);

/// A metric.
pub static METRIC: Shape = Shape::new(
    "metric",
    "a metric",
    "A number that `segue stats` counts over sessions. A class counts each time it takes a turn: its input, or an outcome from another class.",
    &[&[
        DOC,
        need("of", CLASSES, "The cases: each time one of these classes takes a turn."),
        may("are", CLASSES, "A rate: the cases that are one of these, which are among `of`."),
        may("followed_by", CLASSES, "A rate: the cases after which one of these comes, before the case ends."),
        may("average", CLASSES, "An average: how often one of these comes after a case, before it ends."),
        may("until", CLASSES, "A case ends with one of these too; it ends with the next case and with the session."),
    ]],
)
.forms(&[form("are"), form_with("followed_by", &["until"], &[]), form_with("average", &["until"], &[])]);
