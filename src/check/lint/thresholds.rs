//! Tests of order and size that can never hold, or that always do.

use std::cmp::Ordering;

use rust_decimal::Decimal;

use crate::diag::{Aspect, Code, Diagnostic, Diagnostics};
use crate::model::cond::{Cond, Op, Operand, Path};
use crate::model::schema::Type;
use crate::model::value::Value;
use crate::model::{Pack, walk};
use crate::source::Span;

use super::super::{same, show};

/// Numbers between two bounds, either of which may be missing. Of whole numbers the bounds belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Range {
    least: Option<(Decimal, bool)>,
    most: Option<(Decimal, bool)>,
    whole: bool,
}

impl Range {
    /// What passes an order against a number.
    fn of(pass: &[Ordering], than: Decimal, whole: bool) -> Self {
        let (equal, below) = (pass.contains(&Ordering::Equal), pass.contains(&Ordering::Less));
        let bound = match (whole && !equal, below) {
            (false, _) => (than, equal),
            (true, true) => (than - Decimal::ONE, true),
            (true, false) => (than + Decimal::ONE, true),
        };
        let (least, most) = if below { (None, Some(bound)) } else { (Some(bound), None) };
        Self { least, most, whole }
    }

    fn only(number: Decimal, whole: bool) -> Self {
        Self { least: Some((number, true)), most: Some((number, true)), whole }
    }

    fn and(self, other: Self) -> Self {
        let tighter = |a: Option<(Decimal, bool)>, b: Option<(Decimal, bool)>, low: bool| match (a, b) {
            (Some(a), Some(b)) if a.0 == b.0 => Some((a.0, a.1 && b.1)),
            (Some(a), Some(b)) => Some(if (a.0 > b.0) == low { a } else { b }),
            (a, b) => a.or(b),
        };
        let (least, most) = (tighter(self.least, other.least, true), tighter(self.most, other.most, false));
        Self { least, most, whole: self.whole }
    }

    fn is_empty(self) -> bool {
        match (self.least, self.most) {
            (Some((least, from)), Some((most, to))) => least > most || (least == most && !(from && to)),
            _ => false,
        }
    }
}

/// A number that is tested: a value, or the number of items of a collection.
struct Tested {
    /// What it is, without places, to find tests of the same number.
    of: (Path, Option<Cond>, bool),
    /// What it can be at all.
    can: Range,
    passes: Range,
    path: Path,
    span: Span,
}

pub fn check(pack: &Pack, out: &Diagnostics) {
    let see = |cond: &Cond| look(pack, cond, out);
    for class in &pack.classes {
        walk::conds(class, &mut |_, cond| see(cond));
    }
    for invariant in &pack.invariants {
        see(&invariant.when);
        see(&invariant.then);
    }
    pack.ended.iter().for_each(see);
}

/// Looks at each conjunction in a condition by itself.
fn look(pack: &Pack, cond: &Cond, out: &Diagnostics) {
    let mut seen: Vec<Tested> = Vec::new();
    for part in same::conjuncts(cond) {
        match part {
            Cond::Any(any) => any.iter().for_each(|cond| look(pack, cond, out)),
            Cond::Not(cond) => look(pack, cond, out),
            Cond::All(_) => {}
            Cond::Test { path, ty, op, span } => {
                if let Op::Exists(cond) | Op::Every(cond) | Op::Count(cond, _) = op {
                    look(pack, cond, out);
                }
                let Some(tested) = tested(path, ty, op, *span) else { continue };
                let name = show::path(pack, path);
                if tested.passes.and(tested.can).is_empty() {
                    out.push(alone(&tested, &name, "never", "").about(Aspect::NeverTrue));
                } else if tested.passes.and(tested.can) == tested.can {
                    out.push(alone(&tested, &name, "always", " whenever there is a value"));
                } else if let Some(first) =
                    seen.iter().find(|first| first.of == tested.of && first.passes.and(tested.passes).is_empty())
                {
                    let message = format!("the tests of `{name}` can never hold together");
                    out.push(
                        Diagnostic::warning(Code::NeverHolds, tested.span, message)
                            .about(Aspect::NeverTrue)
                            .also(first.span, "no number passes this one as well")
                            .help("correct one of the numbers, or write the tests as alternatives: `any = [ … ]`"),
                    );
                }
                seen.push(tested);
            }
        }
    }
}

fn alone(tested: &Tested, name: &str, how: &str, when: &str) -> Diagnostic {
    let most = tested.can.most.map_or_else(String::new, |(most, _)| format!(" and at most {most}"));
    let message = format!("this test {how} holds{when}: `{name}` has at least 0{most} items");
    let found = Diagnostic::warning(Code::NeverHolds, tested.span, message);
    found.help("correct the number, or take the test out").also(tested.path.span, "tested here")
}

fn tested(path: &Path, ty: &Type, op: &Op, span: Span) -> Option<Tested> {
    let plain = path.clone();
    let (inner, of, can) = match op {
        Op::Size(inner) => (&**inner, (plain, None, true), size_of(ty)),
        Op::Count(cond, inner) => (&**inner, (plain, Some((**cond).clone()), true), size_of(ty)),
        other => (other, (plain, None, false), Range { least: None, most: None, whole: *ty == Type::Int }),
    };
    let number = |value: &Value| match value {
        Value::Int(number) => Some(Decimal::from(*number)),
        Value::Decimal(number) => Some(*number),
        _ => None,
    };
    let passes = match inner {
        Op::Order { pass, than } => Range::of(pass, number(than)?, can.whole),
        Op::Eq(Operand::Value(value)) => Range::only(number(value)?, can.whole),
        _ => return None,
    };
    Some(Tested { of, can, passes, path: path.clone(), span })
}

/// How many items a collection may have.
fn size_of(ty: &Type) -> Range {
    let most = match ty {
        Type::List { max, .. } | Type::Set { max, .. } | Type::Map { max, .. } => Some((Decimal::from(*max), true)),
        _ => None,
    };
    Range { least: Some((Decimal::ZERO, true)), most, whole: true }
}
