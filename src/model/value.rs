//! Values: what a field, a signal or an argument holds. Cheap to clone: symbols, numbers, short texts in place and shared
//! pointers only.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rust_decimal::Decimal;
use smallvec::SmallVec;
use smol_str::SmolStr;

use super::names::Sym;
use super::period::Period;

/// One value of a session, an event or a call. `Absent` stands for "no value"; `[]`, `""`, 0 and false are present.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Value {
    /// No value.
    #[default]
    Absent,
    /// true or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// An exact decimal number.
    Decimal(Decimal),
    /// A value of a closed enum, or the key of a row of a table.
    Sym(Sym),
    /// Free text, a narrative, or an id that the host or the id source made. Up to 23 bytes stand in place, so that the ids
    /// and words that most fields hold are copied without touching memory elsewhere.
    Text(SmolStr),
    /// A period: absolute (`2020-03`) or symbolic (`LAST_30_DAYS`).
    Period(Period),
    /// A point in time, as RFC 3339 text.
    Instant(Arc<str>),
    /// A document, as JSON text.
    Document(Arc<str>),
    /// The items of a list in order, or of a set sorted and without repetition.
    List(Arc<[Value]>),
    /// The fields of a record.
    Record(Arc<RecordValue>),
    /// The entries of a map, sorted by key.
    Map(Arc<[(Value, Value)]>),
}

/// The fields of a record. In which order unknown ones stand makes no other record.
#[derive(Debug, Clone, Default)]
pub struct RecordValue {
    /// The declared fields that are present, in declared order.
    pub fields: Vec<(Sym, Value)>,
    /// The unknown fields of an open record as JSON text, in the order in which they came: kept and sent back, never looked at.
    pub extra: Vec<(Arc<str>, Arc<str>)>,
}

impl RecordValue {
    /// The unknown fields of this record, then those that only `later` has; of those that both have the ones of `later`.
    #[must_use]
    pub fn extra_with(&self, later: &Self) -> Vec<(Arc<str>, Arc<str>)> {
        let of = |record: &Self, name: &str| record.extra.iter().find(|(key, _)| **key == *name).cloned();
        let own = self.extra.iter().map(|mine| of(later, &mine.0).unwrap_or_else(|| mine.clone()));
        let new = later.extra.iter().filter(|(key, _)| of(self, key).is_none()).cloned();
        own.chain(new).collect()
    }

    /// The unknown fields by name.
    fn sorted(&self) -> SmallVec<[&(Arc<str>, Arc<str>); 8]> {
        let mut sorted: SmallVec<[_; 8]> = self.extra.iter().collect();
        sorted.sort();
        sorted
    }

    /// The value of a declared field; absent when it is not there.
    #[must_use]
    pub fn field(&self, name: Sym) -> &Value {
        self.fields.iter().find(|(field, _)| *field == name).map_or(&Value::Absent, |(_, value)| value)
    }
}

impl PartialEq for RecordValue {
    fn eq(&self, other: &Self) -> bool {
        let alike = || self.extra.len() == other.extra.len() && self.sorted() == other.sorted();
        self.fields == other.fields && (self.extra == other.extra || alike())
    }
}

impl Eq for RecordValue {}

impl Ord for RecordValue {
    fn cmp(&self, other: &Self) -> Ordering {
        self.fields.cmp(&other.fields).then_with(|| self.sorted().cmp(&other.sorted()))
    }
}

impl PartialOrd for RecordValue {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for RecordValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.fields, self.sorted()).hash(state);
    }
}

impl Value {
    /// Whether there is a value.
    #[must_use]
    pub fn is_present(&self) -> bool {
        !matches!(self, Value::Absent)
    }

    /// A text value.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Value::Text(text.into())
    }
}
