//! Which leaves of a condition made it fail: worked out from what each leaf came to.

use crate::engine::Leaf;
use crate::model::cond::{Cond, Op};

/// A leaf of a condition and its test.
#[derive(Debug, Clone, Copy)]
pub struct Tested<'a> {
    /// What it came to.
    pub leaf: &'a Leaf,
    /// The test.
    pub op: &'a Op,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Truth {
    False,
    Unknown,
    True,
}

/// A condition with the truth of each of its parts.
enum Tree<'a> {
    Leaf(Tested<'a>, Truth),
    All(Vec<Tree<'a>>),
    Any(Vec<Tree<'a>>),
    Not(Box<Tree<'a>>),
}

/// The leaves of conditions that stand one after the other, each with its test, in the order in which they were traced.
#[must_use]
pub fn tested<'a>(conds: &[&'a Cond], leaves: &'a [Leaf]) -> Vec<Tested<'a>> {
    let mut rest = leaves.iter();
    let mut all = Vec::new();
    for cond in conds {
        collect(&tree(cond, &mut rest), &mut all);
    }
    all
}

/// The leaves that make the first failing one of `conds` fail: of parts that must all hold the first that does not, of
/// alternatives each. `skip` conditions before them have leaves in the same list.
#[must_use]
pub fn culprits<'a>(skip: &[&'a Cond], conds: &[&'a Cond], leaves: &'a [Leaf]) -> Vec<Tested<'a>> {
    let mut rest = leaves.iter();
    for cond in skip {
        tree(cond, &mut rest);
    }
    let trees: Vec<Tree<'a>> = conds.iter().map(|cond| tree(cond, &mut rest)).collect();
    let mut found = Vec::new();
    blame(&Tree::All(trees), true, &mut found);
    found
}

fn tree<'a>(cond: &'a Cond, leaves: &mut std::slice::Iter<'a, Leaf>) -> Tree<'a> {
    match cond {
        Cond::All(of) => Tree::All(of.iter().map(|cond| tree(cond, leaves)).collect()),
        Cond::Any(of) => Tree::Any(of.iter().map(|cond| tree(cond, leaves)).collect()),
        Cond::Not(cond) => Tree::Not(Box::new(tree(cond, leaves))),
        Cond::Test { op, .. } => match leaves.next() {
            Some(leaf) => {
                let truth = match (leaf.unknown, leaf.passed == leaf.negated) {
                    (true, _) => Truth::Unknown,
                    (false, true) => Truth::False,
                    (false, false) => Truth::True,
                };
                Tree::Leaf(Tested { leaf, op }, truth)
            }
            None => Tree::All(Vec::new()),
        },
    }
}

fn truth(tree: &Tree<'_>) -> Truth {
    let of = |trees: &[Tree<'_>], decides: Truth, otherwise: Truth| {
        let truths: Vec<Truth> = trees.iter().map(truth).collect();
        match () {
            () if truths.contains(&decides) => decides,
            () if truths.contains(&Truth::Unknown) => Truth::Unknown,
            () => otherwise,
        }
    };
    match tree {
        Tree::Leaf(_, truth) => *truth,
        Tree::All(trees) => of(trees, Truth::False, Truth::True),
        Tree::Any(trees) => of(trees, Truth::True, Truth::False),
        Tree::Not(tree) => match truth(tree) {
            Truth::False => Truth::True,
            Truth::Unknown => Truth::Unknown,
            Truth::True => Truth::False,
        },
    }
}

fn blame<'a>(tree: &Tree<'a>, want: bool, found: &mut Vec<Tested<'a>>) {
    let met = |tree: &Tree<'a>| truth(tree) == if want { Truth::True } else { Truth::False };
    match (tree, want) {
        (Tree::Leaf(tested, _), _) => found.push(*tested),
        (Tree::Not(tree), want) => blame(tree, !want, found),
        // All must hold, or none may: the first that is at fault.
        (Tree::All(trees), true) | (Tree::Any(trees), false) => {
            if let Some(first) = trees.iter().find(|tree| !met(tree)) {
                blame(first, want, found);
            }
        }
        // One would have been enough: each is at fault.
        (Tree::All(trees), false) | (Tree::Any(trees), true) => trees.iter().for_each(|tree| blame(tree, want, found)),
    }
}

fn collect<'a>(tree: &Tree<'a>, all: &mut Vec<Tested<'a>>) {
    match tree {
        Tree::Leaf(tested, _) => all.push(*tested),
        Tree::All(trees) | Tree::Any(trees) => trees.iter().for_each(|tree| collect(tree, all)),
        Tree::Not(tree) => collect(tree, all),
    }
}
