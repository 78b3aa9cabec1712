//! Conclusions from what is known: through derivations, through what ports answer, through invariants.

use crate::model::cond::{Cond, Op, Operand, Path, Place};
use crate::model::ids::{InputId, OutcomeId, PortId, Slot};
use crate::model::schema::Type;
use crate::model::value::Value;
use crate::model::{Derivation, walk};

use super::{Facts, Kind, Stage, bare, same};

impl Facts<'_> {
    /// Draws conclusions until nothing new comes.
    pub fn close(&mut self) {
        loop {
            let known = (self.present.len(), self.conds.len(), self.kind.clone());
            self.conclude_from_derived();
            self.conclude_from_outcome();
            self.conclude_from_invariants();
            self.conclude_from_instances();
            if known == (self.present.len(), self.conds.len(), self.kind.clone()) {
                self.closed = true;
                return;
            }
        }
    }

    fn conclude_from_derived(&mut self) {
        let inputs: Vec<InputId> = self
            .present
            .iter()
            .filter_map(|path| match path.place {
                Place::Input(input) if path.steps.is_empty() => Some(input),
                _ => None,
            })
            .collect();
        for input in inputs {
            let sources: Vec<&Path> = match self.ground.derived[input.index()] {
                Some(Derivation::Lookup { wher, .. }) => wher
                    .iter()
                    .filter_map(|(_, operand)| match operand {
                        Operand::Path(path) => Some(path),
                        Operand::Value(_) => None,
                    })
                    .collect(),
                Some(Derivation::Members { of, .. }) => vec![of],
                Some(Derivation::FirstOf(of)) if of.len() == 1 => of.iter().collect(),
                Some(Derivation::FirstOf(_)) | None => Vec::new(),
            };
            for source in sources {
                // The derivation read the state before the step; what survives carry is still so.
                self.add_present(&same::path(source, &same::before));
                let still =
                    self.stage != Stage::Done && walk::slot_of(source).is_none_or(|slot| self.allowance.survives(slot));
                if still {
                    self.add_present(source);
                }
            }
        }
    }

    fn conclude_from_outcome(&mut self) {
        let Kind::Outcome(ports, ok) = &self.kind else { return };
        let answered: Vec<OutcomeId> = self
            .present
            .iter()
            .filter_map(|path| match path.place {
                Place::Outcome(field) => Some(field),
                _ => None,
            })
            .collect();
        let status = self.values(&bare(Place::OutcomeStatus));
        let said_ok = status.is_some_and(|values| values.iter().all(|value| self.is_ok(value)));
        if *ok != Some(true) && !said_ok && answered.is_empty() {
            return;
        }
        let pack = self.pack();
        let fits = |port: &&PortId| {
            let response = &pack.ports[port.index()].response;
            answered.iter().all(|field| response.iter().any(|(of, _)| of == field))
        };
        let ports: Vec<PortId> = ports.iter().filter(fits).copied().collect();
        let sure = |port: PortId, field: OutcomeId| {
            let defaulted = pack.outcomes[field.index()].default.is_some();
            pack.ports[port.index()]
                .response
                .iter()
                .any(|(of, may_be_absent)| *of == field && (!may_be_absent || defaulted))
        };
        if let Some(first) = ports.first() {
            for (field, _) in &pack.ports[first.index()].response {
                if ports.iter().all(|port| sure(*port, *field)) {
                    self.add_present(&bare(Place::Outcome(*field)));
                }
            }
        }
        self.kind = Kind::Outcome(ports, Some(true));
    }

    fn is_ok(&self, value: &Value) -> bool {
        matches!(value, Value::Sym(status) if Some(*status) == self.ground.ok)
    }

    /// Where an instance is bound, all of it is there that every instance has.
    fn conclude_from_instances(&mut self) {
        let pack = self.pack();
        for keyed in pack.keyed.iter().filter_map(|frame| pack.frames[frame.index()].keyed.as_ref()) {
            let there = |slot| bare(Place::Field(slot));
            let bound = [keyed.key(), keyed.ended()].iter().any(|slot| self.is_present(&there(*slot)))
                || [keyed.known(), keyed.open()].iter().any(|slot| self.holds(&is_true(*slot)));
            if !bound {
                continue;
            }
            self.add_present(&there(keyed.key()));
            self.learn(&is_true(keyed.known()));
            for slot in keyed.fields() {
                let field = &pack.slots[slot.index()];
                if field.given || field.cleared.is_present() {
                    self.add_present(&there(slot));
                }
            }
        }
    }

    fn conclude_from_invariants(&mut self) {
        let ground = self.ground;
        for rule in &ground.rules {
            // In the middle of a step only a frame that came through carry as a whole keeps its invariants.
            let now = match self.stage {
                Stage::Start => true,
                Stage::Carried => rule.frame.is_some_and(|frame| self.allowance.whole(frame)),
                Stage::Done => false,
            };
            if now && self.holds(&rule.now.0) && !self.holds(&rule.now.1) {
                self.learn(&rule.now.1);
            }
            if self.stage != Stage::Start && self.holds(&rule.before.0) && !self.holds(&rule.before.1) {
                self.learn(&rule.before.1);
            }
        }
    }
}

/// That a field of type bool is true.
pub fn is_true(slot: Slot) -> Cond {
    let (path, op) = (bare(Place::Field(slot)), Op::Eq(Operand::Value(Value::Bool(true))));
    Cond::Test { span: path.span, path, ty: Type::Bool, op }
}

/// The values that are there when a condition is true, or when it is false. `None` = it never is, so all of them.
pub(super) fn proved(cond: &Cond, holds: bool) -> Option<Vec<Path>> {
    match (cond, holds) {
        (Cond::All(of), true) | (Cond::Any(of), false) => {
            let mut all = Vec::new();
            for cond in of {
                all.extend(proved(cond, holds)?);
            }
            Some(all)
        }
        (Cond::Any(of), true) | (Cond::All(of), false) => {
            let mut branches = of.iter().filter_map(|cond| proved(cond, holds));
            let first = with_prefixes(branches.next()?);
            Some(
                branches
                    .map(with_prefixes)
                    .fold(first, |both, branch| both.into_iter().filter(|path| branch.contains(path)).collect()),
            )
        }
        (Cond::Not(cond), holds) => proved(cond, !holds),
        (Cond::Test { path, op, .. }, holds) => Some(match (op, holds) {
            (Op::Present(wanted), holds) if *wanted == holds => vec![path.clone()],
            (Op::Present(_), _) | (Op::Differs(_), true) => Vec::new(),
            _ => {
                let operands = walk::operands(op).iter().filter_map(|operand| match operand {
                    Operand::Path(path) => Some(path.clone()),
                    Operand::Value(_) => None,
                });
                std::iter::once(path.clone()).chain(operands).collect()
            }
        }),
    }
}

fn with_prefixes(paths: Vec<Path>) -> Vec<Path> {
    let mut all = Vec::new();
    for path in paths {
        for steps in 0..=path.steps.len() {
            all.push(Path { steps: path.steps[..steps].to_vec(), ..path.clone() });
        }
    }
    all
}
