//! What paths find, and conditions in Kleene's logic: `None` is unknown.

use std::collections::BTreeMap;

use segue::model::cond::{Cond, Op, Operand, Path, Place, Step};
use segue::model::ids::{InputId, KeptId, ModeId, OutcomeId};
use segue::model::names::Sym;
use segue::model::period::Period;
use segue::model::schema::Type;
use segue::model::value::Value;
use segue::model::{Pack, Status, reason};

use super::instances::Key;
use super::{Facts, Fields};

/// The inputs as one candidate sees them.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    pub values: BTreeMap<InputId, Value>,
    pub ambiguous: BTreeMap<InputId, Vec<Value>>,
    pub partial: BTreeMap<InputId, bool>,
}

/// An outcome as conditions see it.
#[derive(Debug, Clone)]
pub struct Outcome {
    pub call: Sym,
    pub port: Sym,
    pub status: Status,
    pub error: Option<String>,
    /// What an answer broke that came as ok.
    pub breach: Option<String>,
    pub fields: BTreeMap<OutcomeId, Value>,
    pub kept: BTreeMap<KeptId, Value>,
}

/// A call that a step makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    pub id: String,
    pub site: Sym,
    pub port: segue::model::ids::PortId,
    pub with: Vec<(Sym, Value)>,
    pub kept: Vec<(KeptId, Value)>,
    pub owners: Vec<Key>,
}

/// All that a condition or a value may look at.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub pack: &'a Pack,
    pub facts: &'a Facts,
    pub now: &'a Fields,
    pub before: &'a Fields,
    /// Absent in an outcome step.
    pub inputs: Option<&'a Inputs>,
    pub outcome: Option<&'a Outcome>,
    pub reason: Option<Sym>,
    pub answer: Option<ModeId>,
    pub calls: &'a [Made],
    /// The arguments of the call whose answer is checked.
    pub request: &'a [(Sym, Value)],
    /// The entry that `exists`, `every` and `count` look at.
    pub entry: Option<(&'a Value, &'a Value, &'a Type, &'a Type)>,
}

impl View<'_> {
    /// The value under a path; `Absent` when there is none.
    pub fn get(&self, path: &Path) -> Value {
        self.look(path).0
    }

    /// The value under a path, and its type where it has one of its own.
    pub fn look(&self, path: &Path) -> (Value, Option<Type>) {
        let (mut value, mut ty) = self.place(&path.place);
        for step in &path.steps {
            (value, ty) = self.step(&value, ty.as_ref(), step);
        }
        (value, ty)
    }

    fn place(&self, place: &Place) -> (Value, Option<Type>) {
        let pack = self.pack;
        let text = |text: &str| (Value::text(text), Some(Type::Text));
        let sym = |sym: Sym| (Value::Sym(sym), None);
        let name = |name: &str| (pack.names.get(name).map_or(Value::Absent, Value::Sym), None);
        let absent = (Value::Absent, None);
        match *place {
            Place::Field(slot) => (self.now.get(pack, slot), Some(pack.slots[slot.index()].ty.clone())),
            Place::Before(slot) => (self.before.get(pack, slot), Some(pack.slots[slot.index()].ty.clone())),
            Place::Input(input) => {
                let value = self.inputs.and_then(|inputs| inputs.values.get(&input));
                (value.cloned().unwrap_or_default(), Some(pack.inputs[input.index()].ty.clone()))
            }
            Place::Ambiguous(input) => match self.inputs {
                Some(inputs) => (Value::Bool(inputs.ambiguous.contains_key(&input)), None),
                None => absent,
            },
            Place::Candidates(input) => match self.inputs.and_then(|inputs| inputs.ambiguous.get(&input)) {
                Some(values) => (Value::List(values.clone().into()), None),
                None => absent,
            },
            Place::Partial(input) => match self.inputs {
                Some(inputs) => (Value::Bool(inputs.partial.contains_key(&input)), None),
                None => absent,
            },
            Place::Outcome(id) => {
                let value = self.outcome.and_then(|outcome| outcome.fields.get(&id));
                (value.cloned().unwrap_or_default(), Some(pack.outcomes[id.index()].ty.clone()))
            }
            Place::OutcomeStatus => self.outcome.map_or(absent, |outcome| name(status_name(outcome.status))),
            Place::OutcomeCall => self.outcome.map_or(absent, |outcome| sym(outcome.call)),
            Place::OutcomePort => self.outcome.map_or(absent, |outcome| sym(outcome.port)),
            Place::OutcomeError => self.outcome.and_then(|outcome| outcome.error.as_deref()).map_or(absent, text),
            Place::OutcomeBreach => self.outcome.and_then(|outcome| outcome.breach.as_deref()).map_or(absent, name),
            Place::Request(port, argument) => {
                let declared = pack.ports[port.index()].request.iter().find(|declared| declared.name == argument);
                let value = self.request.iter().find(|(known, _)| *known == argument).map(|(_, value)| value.clone());
                (value.unwrap_or_default(), declared.map(|declared| declared.ty.clone()))
            }
            Place::Kept(id) => {
                let value = self.outcome.and_then(|outcome| outcome.kept.get(&id));
                (value.cloned().unwrap_or_default(), Some(pack.kept[id.index()].1.clone()))
            }
            Place::AnswerMode => self.answer.map_or(absent, |mode| sym(pack.modes[mode.index()].name)),
            Place::AnswerClaims => {
                self.answer.map_or(absent, |mode| name(reason::CLAIMS[pack.modes[mode.index()].claims as usize]))
            }
            Place::Reason => self.reason.map_or(absent, sym),
            Place::CallPorts => {
                let ports = self.calls.iter().map(|call| Value::Sym(pack.ports[call.port.index()].name)).collect();
                (Value::List(segue::model::json::set_of(ports).into()), None)
            }
            Place::CallPort(site) => {
                let call = self.calls.iter().find(|call| call.site == site);
                call.map_or(absent, |call| sym(pack.ports[call.port.index()].name))
            }
            Place::CallArg(site, arg) => {
                let call = self.calls.iter().find(|call| call.site == site);
                let found = call.and_then(|call| call.with.iter().find(|(name, _)| *name == arg));
                let ty = call.and_then(|call| {
                    let declared = &pack.ports[call.port.index()].request;
                    declared.iter().find(|declared| declared.name == arg).map(|declared| declared.ty.clone())
                });
                found.map_or(absent, |(_, value)| (value.clone(), ty))
            }
            Place::EnvToday => (Value::Period(Period::Day(self.facts.today)), Some(Type::Period)),
            Place::EnvNow => (Value::Instant(self.facts.now.as_str().into()), Some(Type::Instant)),
            Place::EnvTurn => text(&self.facts.turn_id),
            Place::EnvSession => text(&self.facts.session_id),
            Place::EntryKey => self.entry.map_or(absent, |(key, _, ty, _)| (key.clone(), Some(ty.clone()))),
            Place::EntryValue => self.entry.map_or(absent, |(_, value, _, ty)| (value.clone(), Some(ty.clone()))),
        }
    }

    fn step(&self, value: &Value, ty: Option<&Type>, step: &Step) -> (Value, Option<Type>) {
        let pack = self.pack;
        match (step, value, ty) {
            (Step::Field(name), value, Some(Type::Record(record))) => {
                let declared = pack.records[record.index()].fields.iter().find(|field| field.name == *name);
                let value = match value {
                    Value::Record(record) => record.field(*name).clone(),
                    _ => Value::Absent,
                };
                (value, declared.map(|field| field.ty.clone()))
            }
            (Step::Column(name), value, Some(Type::Key(table))) => {
                if pack.names.text(*name) == "id" {
                    return (value.clone(), ty.cloned());
                }
                let table = &pack.tables[table.index()];
                let column = table.column(*name).expect("loading has resolved the column");
                let row = match value {
                    Value::Sym(key) => table.row(*key),
                    _ => None,
                };
                (row.map_or(Value::Absent, |row| row.cells[column].clone()), Some(table.columns[column].ty.clone()))
            }
            (Step::Lookup(key), Value::Map(entries), Some(Type::Map { of, .. })) => {
                let key = self.get(key);
                let found = entries.iter().find(|(known, _)| *known == key);
                (found.map_or(Value::Absent, |(_, value)| value.clone()), Some((**of).clone()))
            }
            (Step::Lookup(_), _, Some(Type::Map { of, .. })) => (Value::Absent, Some((**of).clone())),
            (Step::Keys, Value::Map(entries), _) => {
                (Value::List(entries.iter().map(|(key, _)| key.clone()).collect()), None)
            }
            (Step::Each(name), Value::List(records), _) => {
                let mut fields = vec![];
                for record in records.iter() {
                    if let Value::Record(record) = record
                        && let Some((_, field)) = record.fields.iter().find(|(known, _)| known == name)
                    {
                        fields.push(field.clone());
                    }
                }
                fields.sort();
                fields.dedup();
                (Value::List(fields.into()), None)
            }
            _ => (Value::Absent, None),
        }
    }

    /// Whether a condition is true: unknown is not.
    pub fn holds(&self, cond: &Cond) -> bool {
        self.truth(cond) == Some(true)
    }

    /// Kleene's truth of a condition.
    pub fn truth(&self, cond: &Cond) -> Option<bool> {
        match cond {
            Cond::All(of) => all(of.iter().map(|cond| self.truth(cond))),
            Cond::Any(of) => any(of.iter().map(|cond| self.truth(cond))),
            Cond::Not(cond) => self.truth(cond).map(|truth| !truth),
            Cond::Test { path, ty, op, .. } => self.test(&self.get(path), Some(ty), op),
        }
    }

    fn test(&self, value: &Value, ty: Option<&Type>, op: &Op) -> Option<bool> {
        if let Op::Present(wanted) = op {
            return Some(value.is_present() == *wanted);
        }
        if let Op::Differs(other) = op {
            return Some(!value.is_present() || *value != self.operand(other));
        }
        if !value.is_present() {
            return None;
        }
        match op {
            Op::Present(_) | Op::Differs(_) => unreachable!("tested above"),
            Op::Eq(other) => {
                let other = self.operand(other);
                other.is_present().then(|| *value == other)
            }
            Op::In(values) => Some(values.contains(value)),
            Op::Order { pass, than } => Some(pass.contains(&compare(value, than)?)),
            Op::Empty(wanted) => Some((size(value)? == 0) == *wanted),
            Op::Size(op) => self.test(&Value::Int(size(value)?), Some(&Type::Int), op),
            Op::Contains(item) => {
                let item = self.operand(item);
                item.is_present().then(|| match value {
                    Value::Map(entries) => entries.iter().any(|(key, _)| *key == item),
                    value => items(value).contains(&item),
                })
            }
            Op::SubsetOf(other) => {
                let other = self.items_of(other)?;
                Some(items(value).iter().all(|item| other.contains(item)))
            }
            Op::SameSet(other) => {
                let (other, own) = (self.items_of(other)?, items(value));
                Some(own.iter().all(|item| other.contains(item)) && other.iter().all(|item| own.contains(item)))
            }
            Op::Disjoint(other) => {
                let other = self.items_of(other)?;
                Some(!items(value).iter().any(|item| other.contains(item)))
            }
            Op::CoveredBy(others) => {
                let others = self.items_of(others)?;
                Some(items(value).iter().all(|item| others.contains(item)))
            }
            Op::Exists(cond) => any(self.entries(value, ty, cond)),
            Op::Every(cond) => all(self.entries(value, ty, cond)),
            Op::Count(cond, op) => {
                let count = self.entries(value, ty, cond).filter(|truth| *truth == Some(true)).count();
                self.test(&Value::Int(i64::try_from(count).expect("few entries")), Some(&Type::Int), op)
            }
        }
    }

    fn entries(&self, value: &Value, ty: Option<&Type>, cond: &Cond) -> impl Iterator<Item = Option<bool>> {
        let of_entry = |key: &Value, item: &Value| {
            let (key_type, item_type) = match ty {
                Some(Type::Map { key, of, .. }) => (key.as_ref(), of.as_ref()),
                Some(Type::List { of, .. } | Type::Set { of, .. }) => (&Type::Int, of.as_ref()),
                _ => unreachable!("entries are those of a collection"),
            };
            View { entry: Some((key, item, key_type, item_type)), ..*self }.truth(cond)
        };
        let truths: Vec<Option<bool>> = match value {
            Value::Map(entries) => entries.iter().map(|(key, item)| of_entry(key, item)).collect(),
            value => items(value).iter().map(|item| of_entry(&Value::Absent, item)).collect(),
        };
        truths.into_iter()
    }

    fn operand(&self, operand: &Operand) -> Value {
        match operand {
            Operand::Value(value) => value.clone(),
            Operand::Path(path) => self.get(path),
        }
    }

    /// The items of several operands together; unknown when one of them is absent.
    fn items_of(&self, operands: &[Operand]) -> Option<Vec<Value>> {
        let mut found = Vec::new();
        for operand in operands {
            let value = self.operand(operand);
            if !value.is_present() {
                return None;
            }
            found.extend(items(&value));
        }
        Some(found)
    }
}

fn all(truths: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let truths: Vec<Option<bool>> = truths.collect();
    if truths.contains(&Some(false)) {
        Some(false)
    } else if truths.contains(&None) {
        None
    } else {
        Some(true)
    }
}

fn any(truths: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    all(truths.map(|truth| truth.map(|truth| !truth))).map(|truth| !truth)
}

fn items(value: &Value) -> Vec<Value> {
    match value {
        Value::List(items) => items.to_vec(),
        Value::Map(entries) => entries.iter().map(|(key, _)| key.clone()).collect(),
        Value::Absent => vec![],
        scalar => vec![scalar.clone()],
    }
}

fn size(value: &Value) -> Option<i64> {
    let count = match value {
        Value::List(items) => items.len(),
        Value::Map(entries) => entries.len(),
        Value::Text(text) => text.chars().count(),
        _ => return None,
    };
    i64::try_from(count).ok()
}

fn compare(value: &Value, than: &Value) -> Option<std::cmp::Ordering> {
    match (value, than) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Decimal(a), Value::Decimal(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

/// The name of a status.
pub fn status_name(status: Status) -> &'static str {
    match status {
        Status::Ok => "ok",
        Status::Failed => "failed",
        Status::Timeout => "timeout",
        Status::Cancelled => "cancelled",
    }
}
