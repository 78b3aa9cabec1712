//! A SAT solver with gates: literals, conjunctions, disjunctions, counting; the same gate twice is one literal.

use std::ops::Not;

use batsat::{BasicSolver, SolverInterface, lbool};

use crate::maps::HashMap;

/// A literal: a variable, or its negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(u32);

impl Lit {
    /// The literal that is always true.
    pub const TRUE: Lit = Lit(0);
    /// The literal that is always false.
    pub const FALSE: Lit = Lit(1);
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl From<bool> for Lit {
    fn from(truth: bool) -> Self {
        if truth { Lit::TRUE } else { Lit::FALSE }
    }
}

/// An assignment that satisfies all clauses.
#[derive(Debug, Clone)]
pub struct Model(Vec<bool>);

impl Model {
    /// Whether a literal holds.
    #[must_use]
    pub fn holds(&self, lit: Lit) -> bool {
        self.0[(lit.0 >> 1) as usize] == (lit.0 & 1 == 0)
    }
}

/// Clauses that grow, asked again and again under assumptions.
pub struct Sat {
    solver: BasicSolver,
    vars: u32,
    conjunctions: HashMap<Vec<Lit>, Lit>,
}

impl Default for Sat {
    fn default() -> Self {
        let mut sat = Self { solver: BasicSolver::default(), vars: 0, conjunctions: HashMap::default() };
        let truth = sat.fresh();
        sat.solver.add_clause_reuse(&mut vec![outer(truth)]);
        sat
    }
}

impl Sat {
    /// A new variable, preferred false.
    pub fn fresh(&mut self) -> Lit {
        self.var(lbool::FALSE)
    }

    /// A new variable, preferred true.
    pub fn likely(&mut self) -> Lit {
        self.var(lbool::TRUE)
    }

    fn var(&mut self, preferred: lbool) -> Lit {
        self.solver.new_var(preferred, true);
        self.vars += 1;
        Lit((self.vars - 1) << 1)
    }

    /// At least one of these holds.
    pub fn clause(&mut self, lits: &[Lit]) {
        if !lits.contains(&Lit::TRUE) {
            let mut clause: Vec<batsat::Lit> = lits.iter().map(|lit| outer(*lit)).collect();
            self.solver.add_clause_reuse(&mut clause);
        }
    }

    /// Where all of `of` hold, one of `then` holds.
    pub fn implies(&mut self, of: &[Lit], then: &[Lit]) {
        let clause: Vec<Lit> = of.iter().map(|lit| !*lit).chain(then.iter().copied()).collect();
        self.clause(&clause);
    }

    /// All of these.
    pub fn and(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        let mut of: Vec<Lit> = lits.into_iter().filter(|lit| *lit != Lit::TRUE).collect();
        of.sort_unstable();
        of.dedup();
        // A literal and its negation stand side by side.
        if of.contains(&Lit::FALSE) || of.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Lit::FALSE;
        }
        match of[..] {
            [] => return Lit::TRUE,
            [one] => return one,
            _ => {}
        }
        if let Some(gate) = self.conjunctions.get(&of) {
            return *gate;
        }
        let gate = self.fresh();
        let mut back = vec![gate];
        for lit in &of {
            self.clause(&[!gate, *lit]);
            back.push(!*lit);
        }
        self.clause(&back);
        self.conjunctions.insert(of, gate);
        gate
    }

    /// One of these.
    pub fn or(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        !self.and(lits.into_iter().map(|lit| !lit).collect::<Vec<_>>())
    }

    /// Exactly one of these holds.
    pub fn one_of(&mut self, lits: &[Lit]) {
        self.clause(lits);
        self.at_most_one(lits);
    }

    /// No two of these hold.
    pub fn at_most_one(&mut self, lits: &[Lit]) {
        if lits.len() <= 8 {
            for (at, a) in lits.iter().enumerate() {
                for b in &lits[..at] {
                    self.clause(&[!*a, !*b]);
                }
            }
            return;
        }
        // In halves: a further literal stands for the first half.
        let (first, second) = lits.split_at(lits.len() / 2);
        let half = self.fresh();
        for lit in first {
            self.clause(&[!*lit, half]);
        }
        for lit in second {
            self.clause(&[!*lit, !half]);
        }
        self.at_most_one(first);
        self.at_most_one(second);
    }

    /// For each number from 1 to `most` whether at least so many of these hold.
    pub fn at_least(&mut self, lits: &[Lit], most: usize) -> Vec<Lit> {
        let mut so_far = vec![Lit::FALSE; most];
        for lit in lits {
            let mut next = Vec::with_capacity(most);
            for count in 0..most {
                let before = if count == 0 { Lit::TRUE } else { so_far[count - 1] };
                let now = self.and([*lit, before]);
                next.push(self.or([so_far[count], now]));
            }
            so_far = next;
        }
        so_far
    }

    /// An assignment under which these hold; `None` when there is none.
    pub fn solve(&mut self, assumptions: &[Lit]) -> Option<Model> {
        let assumptions: Vec<batsat::Lit> = assumptions.iter().map(|lit| outer(*lit)).collect();
        if self.solver.solve_limited(&assumptions) != lbool::TRUE {
            return None;
        }
        let value = |var: u32| self.solver.value_lit(outer(Lit(var << 1))) == lbool::TRUE;
        Some(Model((0..self.vars).map(value).collect()))
    }
}

fn outer(lit: Lit) -> batsat::Lit {
    batsat::Lit::new(batsat::Var::unsafe_from_idx(lit.0 >> 1), lit.0 & 1 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every assignment of some variables that the clauses admit, as bits.
    fn models(sat: &mut Sat, of: &[Lit]) -> Vec<u32> {
        let assumed = |bits: u32| -> Vec<Lit> {
            of.iter().enumerate().map(|(at, lit)| if bits >> at & 1 == 1 { *lit } else { !*lit }).collect()
        };
        (0..1 << of.len()).filter(|bits| sat.solve(&assumed(*bits)).is_some()).collect()
    }

    #[test]
    fn gates_mean_what_they_say() {
        let mut sat = Sat::default();
        let of: Vec<Lit> = (0..4).map(|_| sat.fresh()).collect();
        let (all, some) = (sat.and(of.clone()), sat.or(of.clone()));
        assert_eq!(sat.and(of.iter().rev().copied()), all, "the same gate is one literal");
        let at_least = sat.at_least(&of, 3);
        for bits in 0..16_u32 {
            let assumed: Vec<Lit> =
                of.iter().enumerate().map(|(at, lit)| if bits >> at & 1 == 1 { *lit } else { !*lit }).collect();
            let model = sat.solve(&assumed).expect("nothing forbids it");
            assert_eq!(model.holds(all), bits == 15, "{bits:b}");
            assert_eq!(model.holds(some), bits != 0, "{bits:b}");
            for (at, lit) in at_least.iter().enumerate() {
                assert_eq!(model.holds(*lit), bits.count_ones() as usize > at, "{bits:b}, {}", at + 1);
            }
        }
        assert_eq!(sat.and([of[0], !of[0]]), Lit::FALSE);
        assert_eq!(sat.or([of[0], Lit::TRUE]), Lit::TRUE);
        assert_eq!(sat.and([]), Lit::TRUE);
    }

    #[test]
    fn one_of_many_is_exactly_one() {
        for count in [1, 3, 9, 13] {
            let mut sat = Sat::default();
            let of: Vec<Lit> = (0..count).map(|_| sat.fresh()).collect();
            sat.one_of(&of);
            let found = models(&mut sat, &of);
            assert!(found.iter().all(|bits| bits.count_ones() == 1), "{count}");
            assert_eq!(found.len(), count);
        }
    }

    #[test]
    fn what_cannot_be_has_no_model_until_the_assumption_is_dropped() {
        let mut sat = Sat::default();
        let (a, b) = (sat.fresh(), sat.likely());
        sat.implies(&[a], &[b]);
        assert!(sat.solve(&[a, !b]).is_none());
        assert!(sat.solve(&[a]).is_some_and(|model| model.holds(b)));
    }
}
