//! Values that stand for others of their type: all of a type that has few, the points of an ordered one, any others.

use jiff::ToSpan;
use jiff::civil::date;
use rust_decimal::Decimal;

use crate::model::Pack;
use crate::model::period::Period;
use crate::model::schema::Type;
use crate::model::value::Value;

use super::document::document;

/// Whether values of a type have no parts.
#[must_use]
pub fn scalar(ty: &Type) -> bool {
    !ty.is_collection() && !matches!(ty, Type::Record(_))
}

/// All values of a type that has few.
#[must_use]
pub fn finite(pack: &Pack, ty: &Type) -> Option<Vec<Value>> {
    match ty {
        Type::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
        Type::Enum(id) => Some(pack.enums[id.index()].values.iter().copied().map(Value::Sym).collect()),
        Type::Key(id) => Some(pack.tables[id.index()].rows.iter().map(|row| Value::Sym(row.key)).collect()),
        _ => None,
    }
}

/// The literals, and `count` further values between and beyond them where the type is ordered; each with the number of
/// places from which on it is needed.
pub(super) fn representatives(
    pack: &Pack,
    ty: &Type,
    literals: &[Value],
    thresholds: &[Value],
    count: usize,
) -> Vec<(Value, usize)> {
    let mut all: Vec<(Value, usize)> = match ty {
        Type::Int | Type::Decimal => thresholds.iter().map(|value| (value.clone(), 0)).collect(),
        _ => literals.iter().map(|value| (value.clone(), 0)).collect(),
    };
    match ty {
        Type::Int => {
            let points: Vec<i64> =
                thresholds.iter().filter_map(|v| if let Value::Int(v) = v { Some(*v) } else { None }).collect();
            for (low, high) in gaps(&points) {
                let start = match (low, high) {
                    (Some(low), _) => low.checked_add(1),
                    (None, Some(high)) => Some(high.saturating_sub(count as i64)),
                    (None, None) => Some(0),
                };
                let Some(start) = start else { continue };
                let end = high.unwrap_or(i64::MAX);
                let new = (0..count).filter_map(|at| start.checked_add(at as i64)).filter(|value| *value < end);
                all.extend(new.enumerate().map(|(at, value)| (Value::Int(value), at + 1)));
            }
        }
        Type::Decimal => {
            let points: Vec<Decimal> =
                thresholds.iter().filter_map(|v| if let Value::Decimal(v) = v { Some(*v) } else { None }).collect();
            for (low, high) in gaps(&points) {
                for at in 1..=count {
                    let step = Decimal::from(at as u64);
                    let value = match (low, high) {
                        (Some(low), Some(high)) => {
                            let part = (high - low).checked_mul(step).map(|of| of / Decimal::from(count as u64 + 1));
                            part.and_then(|part| low.checked_add(part)).filter(|value| *value > low && *value < high)
                        }
                        (Some(low), None) => low.checked_add(step),
                        (None, Some(high)) => high.checked_sub(step),
                        (None, None) => Some(step),
                    };
                    all.extend(value.map(|value| (Value::Decimal(value.normalize()), at)));
                }
            }
        }
        _ => {
            let mut number = 0;
            let mut found = 0;
            while found < count {
                number += 1;
                let value = nth(pack, ty, number);
                if !literals.contains(&value) {
                    found += 1;
                    all.push((value, found));
                }
            }
        }
    }
    all
}

/// The open intervals that points cut the line into.
fn gaps<T: Copy>(points: &[T]) -> Vec<(Option<T>, Option<T>)> {
    let mut bounds = vec![None];
    bounds.extend(points.iter().copied().map(Some));
    bounds.push(None);
    bounds.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

/// The values of a type that are compared for equality only, counted from 1.
fn nth(pack: &Pack, ty: &Type, number: usize) -> Value {
    let small = i64::try_from(number).unwrap_or(1);
    match ty {
        Type::Period => Value::Period(Period::Day(date(2021, 5, 9).saturating_add(small.days()))),
        Type::Instant => Value::Instant(
            format!("2021-05-{:02}T{:02}:{:02}:00Z", 1 + number / 1440 % 28, number / 60 % 24, number % 60).into(),
        ),
        Type::Id => Value::text(&format!("id-{number}")),
        Type::Document { contract } => document(pack, *contract, number),
        _ => Value::text(&format!("value {number}")),
    }
}

/// Some different values of a plain type.
#[must_use]
pub fn some_values(pack: &Pack, ty: &Type, count: usize) -> Vec<Value> {
    finite(pack, ty).unwrap_or_else(|| (1..=count).map(|number| nth(pack, ty, number)).collect())
}

/// Some value of a type: where nothing looks at it.
#[must_use]
pub fn any_value(pack: &Pack, ty: &Type) -> Value {
    match ty {
        Type::Int => Value::Int(0),
        Type::Decimal => Value::Decimal(Decimal::ZERO),
        Type::Record(id) => {
            let fields = pack.records[id.index()].fields.iter().filter(|field| !field.optional);
            let fields =
                fields.map(|field| (field.name, field.default.clone().unwrap_or_else(|| any_value(pack, &field.ty))));
            Value::Record(crate::model::value::RecordValue { fields: fields.collect(), extra: Vec::new() }.into())
        }
        Type::List { .. } | Type::Set { .. } => Value::List(Vec::new().into()),
        Type::Map { .. } => Value::Map(Vec::new().into()),
        ty => finite(pack, ty).and_then(|values| values.first().cloned()).unwrap_or_else(|| nth(pack, ty, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::testing::files;
    use crate::declare::{Options, declare};

    fn pack() -> Pack {
        declare(&files(), &Options::default()).pack.expect("a pack")
    }

    fn ints(thresholds: &[i64], count: usize) -> Vec<i64> {
        let thresholds: Vec<Value> = thresholds.iter().copied().map(Value::Int).collect();
        let mut found: Vec<i64> = representatives(&pack(), &Type::Int, &[], &thresholds, count)
            .into_iter()
            .map(|(value, _)| if let Value::Int(value) = value { value } else { panic!("a number") })
            .collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn numbers_are_cut_at_the_thresholds() {
        assert_eq!(ints(&[3], 1), [2, 3, 4]);
        assert_eq!(ints(&[3, 5], 2), [1, 2, 3, 4, 5, 6, 7], "one number only lies between");
        assert_eq!(ints(&[3, 4], 1), [2, 3, 4, 5], "nothing lies between");
        assert_eq!(ints(&[i64::MAX], 1), [i64::MAX - 1, i64::MAX]);
        assert_eq!(ints(&[i64::MIN], 1), [i64::MIN, i64::MIN + 1]);
        assert_eq!(ints(&[], 2), [0, 1]);
        let half = Value::Decimal(Decimal::new(5, 1));
        let found = representatives(&pack(), &Type::Decimal, &[], &[half.clone(), Value::Decimal(Decimal::ONE)], 1);
        let found: Vec<String> = found.iter().map(|(value, _)| format!("{value:?}")).collect();
        assert_eq!(found.len(), 5, "{found:?}");
    }

    #[test]
    fn further_values_are_none_of_the_literals() {
        let pack = pack();
        for ty in [Type::Text, Type::Id, Type::Period, Type::Instant, Type::Document { contract: None }] {
            let literals = [nth(&pack, &ty, 1), nth(&pack, &ty, 3)];
            let found = representatives(&pack, &ty, &literals, &[], 3);
            assert_eq!(found.len(), 5);
            for (at, (value, _)) in found.iter().enumerate() {
                assert!(found[..at].iter().all(|(other, _)| other != value), "{value:?} twice");
            }
        }
    }
}
