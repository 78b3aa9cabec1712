//! Conditions that speak of another moment, and their conjuncts.

use crate::model::cond::{Cond, Op, Operand, Path, Place, Step};

/// A path with each start of a path mapped.
pub fn path(of: &Path, map: &dyn Fn(&Place) -> Place) -> Path {
    let steps = of
        .steps
        .iter()
        .map(|step| match step {
            Step::Lookup(key) => Step::Lookup(Box::new(path(key, map))),
            other => other.clone(),
        })
        .collect();
    Path { place: map(&of.place), steps, span: of.span }
}

/// A condition with each start of a path mapped.
pub fn cond(of: &Cond, map: &dyn Fn(&Place) -> Place) -> Cond {
    match of {
        Cond::All(of) => Cond::All(of.iter().map(|of| cond(of, map)).collect()),
        Cond::Any(of) => Cond::Any(of.iter().map(|of| cond(of, map)).collect()),
        Cond::Not(of) => Cond::Not(Box::new(cond(of, map))),
        Cond::Test { path: of, ty, op, span } => {
            Cond::Test { path: path(of, map), ty: ty.clone(), op: self::op(op, map), span: *span }
        }
    }
}

fn op(of: &Op, map: &dyn Fn(&Place) -> Place) -> Op {
    let one = |operand: &Operand| match operand {
        Operand::Path(of) => Operand::Path(path(of, map)),
        Operand::Value(value) => Operand::Value(value.clone()),
    };
    let many = |of: &[Operand]| of.iter().map(one).collect();
    match of {
        Op::Eq(of) => Op::Eq(one(of)),
        Op::Differs(of) => Op::Differs(one(of)),
        Op::Contains(of) => Op::Contains(one(of)),
        Op::SubsetOf(of) => Op::SubsetOf(many(of)),
        Op::SameSet(of) => Op::SameSet(many(of)),
        Op::Disjoint(of) => Op::Disjoint(many(of)),
        Op::CoveredBy(of) => Op::CoveredBy(many(of)),
        Op::Size(of) => Op::Size(Box::new(op(of, map))),
        Op::Exists(of) => Op::Exists(Box::new(cond(of, map))),
        Op::Every(of) => Op::Every(Box::new(cond(of, map))),
        Op::Count(of, test) => Op::Count(Box::new(cond(of, map)), Box::new(op(test, map))),
        Op::In(_) | Op::Order { .. } | Op::Present(_) | Op::Empty(_) => of.clone(),
    }
}

/// The mapping from the state as it is to the state before the step.
pub fn before(place: &Place) -> Place {
    match place {
        Place::Field(slot) => Place::Before(*slot),
        other => *other,
    }
}

/// The conditions that all hold when `of` holds, nested conjunctions taken apart.
pub fn conjuncts(of: &Cond) -> Vec<&Cond> {
    match of {
        Cond::All(of) => of.iter().flat_map(conjuncts).collect(),
        other => vec![other],
    }
}

/// Whether each conjunct of `weaker` also stands in `stronger`.
pub fn follows(weaker: &Cond, stronger: &Cond) -> bool {
    let stronger = conjuncts(stronger);
    conjuncts(weaker).into_iter().all(|of| stronger.contains(&of))
}
