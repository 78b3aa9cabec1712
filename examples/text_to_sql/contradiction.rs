//! Conditions that no row can meet together.

use std::cmp::Ordering;

use sqlparser::ast::{BinaryOperator, Expr, Value};

use super::making::conditions;
use super::sql::{bare, one_query, select};

/// A number or a text that stands in a condition.
enum Literal {
    Number(f64),
    Text(String),
}

impl Literal {
    fn of(expr: &Expr) -> Option<Self> {
        match bare(expr) {
            Expr::Value(value) => match &value.value {
                Value::Number(digits, _) => digits.parse().ok().map(Self::Number),
                Value::SingleQuotedString(text) => Some(Self::Text(text.clone())),
                _ => None,
            },
            _ => None,
        }
    }

    fn against(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => one.partial_cmp(other),
            (Self::Text(one), Self::Text(other)) => Some(one.cmp(other)),
            _ => None,
        }
    }
}

/// What a condition lets through of a column: nothing below, nothing above, each with whether the bound itself is let through.
struct Bounds {
    column: String,
    value: Literal,
    below: Option<bool>,
    above: Option<bool>,
}

fn bounds(condition: &Expr) -> Option<Bounds> {
    let Expr::BinaryOp { left, op, right } = bare(condition) else { return None };
    if !matches!(bare(left), Expr::Identifier(_) | Expr::CompoundIdentifier(_)) {
        return None;
    }
    let (below, above) = match op {
        BinaryOperator::Gt => (Some(false), None),
        BinaryOperator::GtEq => (Some(true), None),
        BinaryOperator::Lt => (None, Some(false)),
        BinaryOperator::LtEq => (None, Some(true)),
        BinaryOperator::Eq => (Some(true), Some(true)),
        _ => return None,
    };
    Some(Bounds { column: bare(left).to_string().to_lowercase(), value: Literal::of(right)?, below, above })
}

/// Two conditions of a query that no row can meet both, such as `price > 100` and `price < 50`; they alone are compared that bound a
/// column by a number or a text.
pub fn contradiction(query: &str) -> Option<(String, String)> {
    let query = one_query(query).ok()?;
    let all = conditions(select(&query)?.selection.clone());
    let told: Vec<(&Expr, Bounds)> = all.iter().filter_map(|one| Some((one, bounds(one)?))).collect();
    let excluded = |low: &Bounds, high: &Bounds| {
        let (Some(from), Some(to)) = (low.below, high.above) else { return false };
        let order = low.value.against(&high.value);
        low.column == high.column
            && (order == Some(Ordering::Greater) || order == Some(Ordering::Equal) && !(from && to))
    };
    let pairs = told.iter().enumerate().flat_map(|(at, one)| told[at + 1..].iter().map(move |other| (one, other)));
    let mut both = pairs.filter(|((_, one), (_, other))| excluded(one, other) || excluded(other, one));
    both.next().map(|((one, _), (other, _))| (one.to_string(), other.to_string()))
}

#[cfg(test)]
mod tests {
    use super::contradiction;

    #[test]
    fn what_no_row_can_be() {
        for (conditions, both) in [
            ("price > 100 AND price < 50", Some(("price > 100", "price < 50"))),
            ("price < 50 AND stock > 0 AND price >= 50", Some(("price < 50", "price >= 50"))),
            ("(price <= 9.5) AND price > 10", Some(("(price <= 9.5)", "price > 10"))),
            ("price = 5 AND price = 6", Some(("price = 5", "price = 6"))),
            ("products.price > 100 AND products.price = 7", Some(("products.price > 100", "products.price = 7"))),
            (
                "ordered_at >= '2026-01-01' AND ordered_at < '2025-01-01'",
                Some(("ordered_at >= '2026-01-01'", "ordered_at < '2025-01-01'")),
            ),
            ("price >= 50 AND price <= 50", None),
            ("price > 9 AND price < 10", None),
            ("price > 100 OR price < 50", None),
            ("price > 100 AND stock < 50", None),
            ("price > 100 AND (price < 50 OR stock = 1)", None),
            ("products.price > 100 AND order_items.price < 50", None),
            ("ordered_at >= DATE('now') AND ordered_at < '2025-01-01'", None),
            ("price > 100 AND price < stock", None),
        ] {
            let said = contradiction(&format!("SELECT * FROM products WHERE {conditions}"));
            assert_eq!(said.as_ref().map(|(one, other)| (one.as_str(), other.as_str())), both, "{conditions}");
        }
        assert_eq!(contradiction("SELECT * FROM products"), None);
    }
}
