//! Conditions put back into words: paths as authors write them, tests as what they need.

use std::cmp::Ordering;

use crate::model::Pack;
use crate::model::cond::{Cond, Op, Operand};
use crate::model::value::Value;
use crate::scenario::show;

pub use crate::check::path;

/// A value that a test found: `no value` when absent.
#[must_use]
pub fn was(pack: &Pack, value: &Value) -> String {
    if value.is_present() { show::value(pack, value) } else { "no value".into() }
}

/// What a test needs: `active`, `one of a, b`, `no value`. `other` is the value of the field it compares with.
#[must_use]
pub fn needs(pack: &Pack, op: &Op, other: Option<&Value>, negated: bool) -> String {
    if negated {
        return match op {
            Op::Present(present) => presence(!present).into(),
            Op::Empty(empty) => emptiness(!empty).into(),
            op => format!("anything but {}", needs(pack, op, other, false)),
        };
    }
    let operand = |operand: &Operand| match operand {
        Operand::Value(value) => show::value(pack, value),
        Operand::Path(at) => match other {
            Some(other) => format!("the same as {} ({})", path(pack, at), was(pack, other)),
            None => format!("the same as {}", path(pack, at)),
        },
    };
    let all = |of: &[Operand]| {
        let shown: Vec<String> = of
            .iter()
            .map(|one| match one {
                Operand::Value(value) => show::value(pack, value),
                Operand::Path(at) => path(pack, at),
            })
            .collect();
        shown.join(", ")
    };
    match op {
        Op::Eq(to) => operand(to),
        Op::Differs(from) => format!("no value, or another than {}", operand(from).trim_start_matches("the same as ")),
        Op::In(values) => {
            format!("one of {}", values.iter().map(|value| show::value(pack, value)).collect::<Vec<_>>().join(", "))
        }
        Op::Order { pass, than } => {
            let word = match (pass.contains(&Ordering::Less), pass.contains(&Ordering::Greater), pass.len()) {
                (true, _, 1) => "less than",
                (_, true, 1) => "more than",
                (true, ..) => "at most",
                (_, true, _) => "at least",
                _ => "exactly",
            };
            format!("{word} {}", show::value(pack, than))
        }
        Op::Present(present) => presence(*present).into(),
        Op::Empty(empty) => emptiness(*empty).into(),
        Op::Size(size) => format!("a size of {}", needs(pack, size, None, false)),
        Op::Contains(item) => format!("to hold {}", operand(item).trim_start_matches("the same as ")),
        Op::SubsetOf(of) => format!("nothing outside {}", all(of)),
        Op::SameSet(of) => format!("the items of {}", all(of)),
        Op::Disjoint(of) => format!("nothing in common with {}", all(of)),
        Op::CoveredBy(of) => format!("each item in {}", all(of)),
        Op::Exists(cond) => format!("an entry with {}", condition(pack, cond)),
        Op::Every(cond) => format!("only entries with {}", condition(pack, cond)),
        Op::Count(cond, count) => {
            format!("{} entries with {}", needs(pack, count, None, false), condition(pack, cond))
        }
    }
}

fn presence(present: bool) -> &'static str {
    if present { "a value" } else { "no value" }
}

fn emptiness(empty: bool) -> &'static str {
    if empty { "nothing in it" } else { "something in it" }
}

/// A whole condition in words.
#[must_use]
pub fn condition(pack: &Pack, cond: &Cond) -> String {
    let join = |of: &[Cond], word: &str| {
        let all: Vec<String> = of
            .iter()
            .map(|cond| match cond {
                Cond::All(of) | Cond::Any(of) if of.len() > 1 => format!("({})", condition(pack, cond)),
                cond => condition(pack, cond),
            })
            .collect();
        all.join(word)
    };
    match cond {
        Cond::All(of) if of.is_empty() => "anything".into(),
        Cond::Any(of) if of.is_empty() => "nothing".into(),
        Cond::All(of) => join(of, " and "),
        Cond::Any(of) => join(of, " or "),
        Cond::Not(cond) => format!("not ({})", condition(pack, cond)),
        Cond::Test { path: at, op, .. } => format!("{}: {}", path(pack, at), needs(pack, op, None, false)),
    }
}
