//! The rows of an answer can each apply: possible values only, and none of them twice.

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::model::Pack;
use crate::model::class::{Answer, Class};
use crate::model::ids::{ModeId, Slot};
use crate::model::schema::Type;
use crate::model::value::Value;
use crate::source::Span;

use super::{same, show};

/// What is wrong with an answer.
enum Finding<'a> {
    Impossible { slot: Slot, value: &'a Value, at: Span },
    Twice { slot: Slot, value: &'a Value, at: Span },
    SameRow { first: ModeId, second: ModeId },
}

/// Checks the answers of every class.
pub fn check(pack: &Pack, out: &Diagnostics) {
    for class in &pack.classes {
        out.extend(findings(pack, class).into_iter().map(|finding| diagnostic(pack, class, &finding)));
    }
}

fn findings<'a>(pack: &Pack, class: &'a Class) -> Vec<Finding<'a>> {
    let mut found = Vec::new();
    match &class.answer {
        Answer::Mode(_) => {}
        Answer::By { slot, rows, span } => {
            let ty = &pack.slots[slot.index()].ty;
            for (at, (value, _)) in rows.iter().enumerate() {
                if !possible(pack, ty, value) {
                    found.push(Finding::Impossible { slot: *slot, value, at: *span });
                }
                if rows[..at].iter().any(|(other, _)| other == value) {
                    found.push(Finding::Twice { slot: *slot, value, at: *span });
                }
            }
        }
        Answer::Rows(rows) => {
            let plain: Vec<_> = rows.iter().map(|(when, _)| same::cond(when, &same::as_is)).collect();
            for (second, when) in plain.iter().enumerate() {
                if let Some(first) = plain[..second].iter().position(|other| other == when) {
                    found.push(Finding::SameRow { first: rows[first].1, second: rows[second].1 });
                }
            }
        }
    }
    found
}

fn possible(pack: &Pack, ty: &Type, value: &Value) -> bool {
    match (ty, value) {
        (Type::Enum(of), Value::Sym(value)) => pack.enums[of.index()].values.contains(value),
        (Type::Key(of), Value::Sym(value)) => pack.tables[of.index()].row(*value).is_some(),
        (Type::Enum(_) | Type::Key(_), _) => false,
        (Type::Bool, value) => matches!(value, Value::Bool(_)),
        _ => true,
    }
}

fn diagnostic(pack: &Pack, class: &Class, finding: &Finding) -> Diagnostic {
    let shown = |value: &Value| match value {
        Value::Sym(sym) => pack.names.text(*sym).to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Decimal(value) => value.to_string(),
        Value::Text(text) => text.to_string(),
        _ => "this value".into(),
    };
    let field = |slot: Slot| pack.slots[slot.index()].span;
    match finding {
        Finding::Impossible { slot, value, at } => {
            let (name, value) = (show::slot(pack, *slot), shown(value));
            Diagnostic::error(Code::BadValue, *at, format!("`{name}` is never `{value}`"))
                .also(field(*slot), format!("`{name}` is declared here"))
                .help("take the row out, or name a value of the field")
        }
        Finding::Twice { slot, value, at } => {
            let (name, value) = (show::slot(pack, *slot), shown(value));
            Diagnostic::error(Code::Contradiction, *at, format!("`{value}` of `{name}` has two answer modes"))
                .help("keep one row for each value")
        }
        Finding::SameRow { first, second } => {
            let mode = |id: &ModeId| pack.names.text(pack.modes[id.index()].name);
            let (first, second) = (mode(first), mode(second));
            let id = pack.names.text(class.id);
            Diagnostic::error(
                Code::Contradiction,
                class.span,
                format!("two answer rows of `{id}` hold together: `{first}` and `{second}`"),
            )
            .help("keep one of the rows; exactly one may hold")
        }
    }
}
