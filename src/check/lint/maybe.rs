//! What a condition may come to when only some of what it looks at is known.

use crate::model::cond::{Cond, Op, Path};

/// What is known of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fact {
    /// It is true.
    True,
    /// It is false.
    False,
    /// What it looks at is absent.
    Unknown,
    /// Nothing is known of it.
    Open,
}

/// Whether a condition may hold.
pub fn may_hold(cond: &Cond, of: &dyn Fn(&Path, &Op) -> Fact) -> bool {
    match cond {
        Cond::All(all) => all.iter().all(|cond| may_hold(cond, of)),
        Cond::Any(any) => any.iter().any(|cond| may_hold(cond, of)),
        Cond::Not(cond) => may_fail(cond, of),
        Cond::Test { path, op, .. } => matches!(of(path, op), Fact::True | Fact::Open),
    }
}

/// Whether a condition may be false, which is more than that it does not hold.
fn may_fail(cond: &Cond, of: &dyn Fn(&Path, &Op) -> Fact) -> bool {
    match cond {
        Cond::All(all) => all.iter().any(|cond| may_fail(cond, of)),
        Cond::Any(any) => any.iter().all(|cond| may_fail(cond, of)),
        Cond::Not(cond) => may_hold(cond, of),
        Cond::Test { path, op, .. } => matches!(of(path, op), Fact::False | Fact::Open),
    }
}

/// What a test on an absent value comes to.
pub fn absent(op: &Op) -> Fact {
    match op {
        Op::Present(wanted) => truth(!wanted),
        Op::Differs(_) => Fact::True,
        _ => Fact::Unknown,
    }
}

/// What a test of a plain value comes to.
pub fn equals(op: &Op, is: &dyn Fn(&crate::model::value::Value) -> bool) -> Fact {
    use crate::model::cond::Operand;
    match op {
        Op::Present(wanted) => truth(*wanted),
        Op::Eq(Operand::Value(value)) => truth(is(value)),
        Op::Differs(Operand::Value(value)) => truth(!is(value)),
        Op::In(values) => truth(values.iter().any(is)),
        _ => Fact::Open,
    }
}

fn truth(holds: bool) -> Fact {
    if holds { Fact::True } else { Fact::False }
}
