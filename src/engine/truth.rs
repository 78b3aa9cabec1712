//! What a condition comes to: Kleene logic, and each operator on a value that is there.

use std::borrow::Cow;

use crate::model::cond::{Cond, Op, Operand, Path};
use crate::model::effect::{Pick, Take, Taken};
use crate::model::value::{RecordValue, Value};

use super::eval::{Entry, View, map_get};

/// A truth value. A test on an absent value is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    False,
    Unknown,
    True,
}

impl From<bool> for Truth {
    fn from(truth: bool) -> Self {
        if truth { Truth::True } else { Truth::False }
    }
}

impl<'a> View<'a> {
    /// What a condition comes to.
    pub fn test(&self, cond: &'a Cond) -> Truth {
        match cond {
            Cond::All(of) => {
                let mut all = Truth::True;
                for cond in of {
                    match self.test(cond) {
                        Truth::False => return Truth::False,
                        Truth::Unknown => all = Truth::Unknown,
                        Truth::True => {}
                    }
                }
                all
            }
            Cond::Any(of) => {
                let mut any = Truth::False;
                for cond in of {
                    match self.test(cond) {
                        Truth::True => return Truth::True,
                        Truth::Unknown => any = Truth::Unknown,
                        Truth::False => {}
                    }
                }
                any
            }
            Cond::Not(cond) => match self.test(cond) {
                Truth::True => Truth::False,
                Truth::Unknown => Truth::Unknown,
                Truth::False => Truth::True,
            },
            Cond::Test { path, op, .. } => {
                let value = self.get(path);
                match op {
                    Op::Exists(cond) | Op::Every(cond) | Op::Count(cond, _) => self.entries(&value, path, cond, op),
                    _ => self.operator(&value, op),
                }
            }
        }
    }

    /// Whether a condition passes.
    pub fn holds(&self, cond: &'a Cond) -> bool {
        self.test(cond) == Truth::True
    }

    fn operator(&self, value: &Value, op: &'a Op) -> Truth {
        match op {
            Op::Present(wanted) => return Truth::from(value.is_present() == *wanted),
            Op::Differs(operand) => {
                let other = self.operand(operand);
                return Truth::from(!value.is_present() || !other.is_present() || *value != *other);
            }
            _ => {}
        }
        if !value.is_present() {
            return Truth::Unknown;
        }
        match op {
            Op::Eq(operand) => {
                let other = self.operand(operand);
                if other.is_present() { Truth::from(*value == *other) } else { Truth::Unknown }
            }
            Op::In(values) => Truth::from(values.contains(value)),
            Op::Order { pass, than } => match (value, than) {
                (Value::Int(a), Value::Int(b)) => Truth::from(pass.contains(&a.cmp(b))),
                (Value::Decimal(a), Value::Decimal(b)) => Truth::from(pass.contains(&a.cmp(b))),
                _ => Truth::Unknown,
            },
            Op::Empty(wanted) => Truth::from((size(value) == 0) == *wanted),
            Op::Size(op) => self.operator(&Value::Int(size(value) as i64), op),
            Op::Contains(operand) => {
                let other = self.operand(operand);
                if !other.is_present() {
                    return Truth::Unknown;
                }
                Truth::from(match value {
                    Value::List(items) => items.contains(&other),
                    Value::Map(entries) => map_get(entries, &other).is_present(),
                    _ => false,
                })
            }
            Op::SubsetOf(operands) | Op::CoveredBy(operands) => match self.items(operands) {
                Some(others) => Truth::from(items_of(value).iter().all(|item| others.contains(item))),
                None => Truth::Unknown,
            },
            Op::SameSet(operands) => match self.items(operands) {
                Some(others) => {
                    let items = items_of(value);
                    Truth::from(
                        items.iter().all(|item| others.contains(item))
                            && others.iter().all(|item| items.contains(item)),
                    )
                }
                None => Truth::Unknown,
            },
            Op::Disjoint(operands) => match self.items(operands) {
                Some(others) => Truth::from(!items_of(value).iter().any(|item| others.contains(item))),
                None => Truth::Unknown,
            },
            Op::Present(_) | Op::Differs(_) | Op::Exists(_) | Op::Every(_) | Op::Count(..) => Truth::Unknown,
        }
    }

    /// The entries of a collection that pass, or a part of each; one that lacks the part is left out.
    pub fn picked(&self, pick: &Pick, value: &Value) -> Value {
        let (key_type, value_type) = self.entry_types(&pick.from);
        let one = |key: Option<&Value>, value: &Value| {
            let view = View { entry: Some(Entry { key, value, key_type, value_type }), ..*self };
            let taken = || match &pick.take {
                None => value.clone(),
                Some(Take::Part(path)) => view.get(path).into_owned(),
                Some(Take::Record(parts)) => view.record_of(parts),
            };
            view.holds(&pick.only).then(taken).filter(Value::is_present)
        };
        match value {
            Value::List(items) => Value::List(items.iter().filter_map(|item| one(None, item)).collect()),
            Value::Map(entries) => {
                let picked = entries.iter().filter_map(|(key, value)| Some((key.clone(), one(Some(key), value)?)));
                Value::Map(picked.collect())
            }
            _ => Value::Absent,
        }
    }

    /// A record of parts of the entry; absent where one is that must be there.
    fn record_of(&self, parts: &'a [Taken]) -> Value {
        let mut record = RecordValue::default();
        for part in parts {
            match self.get(&part.path).into_owned() {
                Value::Absent if part.needed => return Value::Absent,
                Value::Absent => {}
                value => record.fields.push((part.name, value)),
            }
        }
        Value::Record(record.into())
    }

    fn entries(&self, value: &Value, path: &'a Path, cond: &'a Cond, op: &Op) -> Truth {
        let (key_type, value_type) = self.entry_types(path);
        let one = |key: Option<&Value>, value: &Value| {
            let view = View { entry: Some(Entry { key, value, key_type, value_type }), ..*self };
            view.test(cond)
        };
        let truths: Vec<Truth> = match value {
            Value::List(items) => items.iter().map(|item| one(None, item)).collect(),
            Value::Map(entries) => entries.iter().map(|(key, value)| one(Some(key), value)).collect(),
            _ => return Truth::Unknown,
        };
        let yes = truths.iter().filter(|truth| **truth == Truth::True).count();
        let unknown = truths.contains(&Truth::Unknown);
        match op {
            Op::Exists(_) if yes > 0 => Truth::True,
            Op::Exists(_) => {
                if unknown {
                    Truth::Unknown
                } else {
                    Truth::False
                }
            }
            Op::Every(_) if truths.contains(&Truth::False) => Truth::False,
            Op::Every(_) => {
                if unknown {
                    Truth::Unknown
                } else {
                    Truth::True
                }
            }
            // A count with an entry of unknown truth is unknown.
            Op::Count(_, _) if unknown => Truth::Unknown,
            Op::Count(_, op) => self.operator(&Value::Int(yes as i64), op),
            _ => Truth::Unknown,
        }
    }

    fn operand(&self, operand: &'a Operand) -> Cow<'a, Value> {
        match operand {
            Operand::Value(value) => Cow::Borrowed(value),
            Operand::Path(path) => self.get(path),
        }
    }

    /// The operands as one list of items; a collection stands for its items. `None` when one is absent.
    fn items(&self, operands: &'a [Operand]) -> Option<Vec<Value>> {
        let mut items = Vec::new();
        for operand in operands {
            let value = self.operand(operand);
            match &*value {
                Value::Absent => return None,
                Value::List(_) | Value::Map(_) => items.extend(items_of(&value)),
                value => items.push(value.clone()),
            }
        }
        Some(items)
    }
}

/// The types of the key and of the value of an entry of a collection.
/// The number of items of a collection, or of characters of a text.
fn size(value: &Value) -> usize {
    match value {
        Value::List(items) => items.len(),
        Value::Map(entries) => entries.len(),
        Value::Text(text) => text.chars().count(),
        _ => 0,
    }
}

/// The items of a list or set, the keys of a map.
fn items_of(value: &Value) -> Vec<Value> {
    match value {
        Value::List(items) => items.to_vec(),
        Value::Map(entries) => entries.iter().map(|(key, _)| key.clone()).collect(),
        _ => Vec::new(),
    }
}
