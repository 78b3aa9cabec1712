//! The rows of an answer can each apply: no two of them say the same.

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::model::Pack;
use crate::model::class::{Answer, Class};
use crate::model::ids::ModeId;

use super::same;

/// Two rows that hold together.
struct Finding {
    first: ModeId,
    second: ModeId,
}

/// Checks the answers of every class.
pub fn check(pack: &Pack, out: &Diagnostics) {
    for class in &pack.classes {
        out.extend(findings(class).into_iter().map(|finding| diagnostic(pack, class, &finding)));
    }
}

fn findings(class: &Class) -> Vec<Finding> {
    let Answer::Rows(rows) = &class.answer else { return Vec::new() };
    let plain: Vec<_> = rows.iter().map(|(when, _)| same::cond(when, &same::as_is)).collect();
    let earlier = |row: usize| plain[..row].iter().position(|other| *other == plain[row]);
    (0..rows.len())
        .filter_map(|row| earlier(row).map(|first| Finding { first: rows[first].1, second: rows[row].1 }))
        .collect()
}

fn diagnostic(pack: &Pack, class: &Class, finding: &Finding) -> Diagnostic {
    let mode = |id: ModeId| pack.names.text(pack.modes[id.index()].name);
    let (id, first, second) = (pack.names.text(class.id), mode(finding.first), mode(finding.second));
    let message = format!("two answer rows of `{id}` always hold together: `{first}` and `{second}`");
    Diagnostic::error(Code::Contradiction, class.span, message).help("keep one of the rows; exactly one may hold")
}
