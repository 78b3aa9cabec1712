//! SQL texts and their trees.

use sqlparser::ast::{BinaryOperator, Expr, Query, Select, SetExpr, Statement};
use sqlparser::dialect::SQLiteDialect;
use sqlparser::parser::Parser;

/// The one query that a text is.
pub fn one_query(text: &str) -> Result<Query, String> {
    let mut statements = Parser::parse_sql(&SQLiteDialect {}, text).map_err(|error| error.to_string())?;
    match (statements.len(), statements.pop()) {
        (1, Some(Statement::Query(query))) => Ok(*query),
        (1, Some(_)) => Err("it is no query: only SELECT is".into()),
        (0, _) => Err("it is empty".into()),
        (count, _) => Err(format!("it is {count} statements, and one is due")),
    }
}

/// The tree of an expression.
pub fn expr(text: &str) -> Result<Expr, String> {
    let parser = Parser::new(&SQLiteDialect {}).try_with_sql(text);
    parser.and_then(|mut parser| parser.parse_expr()).map_err(|error| error.to_string())
}

/// The select that a query is, where it is one and no union of several.
pub fn select(query: &Query) -> Option<&Select> {
    match &*query.body {
        SetExpr::Select(select) => Some(select),
        _ => None,
    }
}

/// The same, to be changed.
pub fn select_mut(query: &mut Query) -> Option<&mut Select> {
    match &mut *query.body {
        SetExpr::Select(select) => Some(select),
        _ => None,
    }
}

/// An expression without the parentheses around it.
pub fn bare(expr: &Expr) -> &Expr {
    match expr {
        Expr::Nested(inner) => bare(inner),
        other => other,
    }
}

/// Conditions as one, all of which must hold.
pub fn joined(all: Vec<Expr>) -> Option<Expr> {
    let several = all.len() > 1;
    let wrapped = all.into_iter().map(|one| match one {
        // It binds less than AND does.
        Expr::BinaryOp { op: BinaryOperator::Or, .. } if several => Expr::Nested(Box::new(one)),
        other => other,
    });
    wrapped.reduce(|left, right| Expr::BinaryOp {
        left: Box::new(left),
        op: BinaryOperator::And,
        right: Box::new(right),
    })
}
