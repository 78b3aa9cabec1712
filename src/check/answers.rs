//! The rows of an answer can each apply: no two of them say the same.

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::model::Pack;
use crate::model::class::{Answer, AnswerRow, Class};

/// Checks the answers of every class.
pub fn check(pack: &Pack, out: &Diagnostics) {
    for class in &pack.classes {
        let Answer::Rows(rows) = &class.answer else { continue };
        for (at, row) in rows.iter().enumerate() {
            if let Some(first) = rows[..at].iter().find(|(when, ..)| *when == row.0) {
                out.push(diagnostic(pack, class, first, row));
            }
        }
    }
}

/// Of two rows that hold together.
fn diagnostic(pack: &Pack, class: &Class, first: &AnswerRow, second: &AnswerRow) -> Diagnostic {
    let mode = |row: &AnswerRow| pack.names.text(pack.modes[row.1.index()].name);
    let (id, one, other) = (pack.names.text(class.id), mode(first), mode(second));
    let message = format!("two answer rows of `{id}` always hold together: `{one}` and `{other}`");
    let found = Diagnostic::error(Code::Contradiction, second.2, message).also(first.2, "the first of them");
    found.help("keep one of the rows; exactly one may hold")
}
