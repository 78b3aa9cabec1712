//! Queries in one spelling: names in lower case, tables by their own names and not by aliases, every column with its table.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, Function, GroupByExpr, Ident, ObjectName, ObjectNamePart, OrderByKind, Query, Select,
    SelectItem, SelectItemQualifiedWildcardKind, SetExpr, TableFactor, UnaryOperator, Value, VisitMut, VisitorMut,
};

use super::sql::{bare, select_mut};

/// Brings a query into the one spelling. Where its `SELECT` has one table, that is the table of every column that names none.
pub fn canonical(query: &mut Query) {
    let mut spelling = Spelling::default();
    let _ = query.visit(&mut spelling);
    resolve_outputs(query);
}

/// The conjuncts of a condition, each in the one spelling, sorted and without those that are said twice.
pub fn conjuncts(condition: Option<&Expr>) -> Vec<Expr> {
    let mut all = Vec::new();
    if let Some(condition) = condition {
        split(condition, &BinaryOperator::And, &mut all);
    }
    all.sort_by_key(ToString::to_string);
    all.dedup();
    all
}

fn split(expr: &Expr, by: &BinaryOperator, all: &mut Vec<Expr>) {
    match bare(expr) {
        Expr::BinaryOp { left, op, right } if op == by => {
            split(left, by, all);
            split(right, by, all);
        }
        other => all.push(other.clone()),
    }
}

/// The table that a `FROM` is, where it is one by itself.
pub fn only_table(select: &Select) -> Option<String> {
    match select.from.as_slice() {
        [only] if only.joins.is_empty() => table_name(&only.relation),
        _ => None,
    }
}

/// The name of a table that is named.
pub fn table_name(factor: &TableFactor) -> Option<String> {
    match factor {
        TableFactor::Table { name, .. } => Some(name.to_string()),
        _ => None,
    }
}

/// What a `SELECT` calls its tables.
#[derive(Debug, Default)]
struct Scope {
    /// Aliases and names, in lower case, and what each is called in the one spelling.
    names: BTreeMap<String, String>,
    /// The table of columns that name none.
    only: Option<String>,
    /// Whether this is a query whose only select is still to come.
    awaits: bool,
}

#[derive(Debug, Default)]
struct Spelling {
    scopes: Vec<Scope>,
}

fn lower(ident: &mut Ident) {
    ident.value = ident.value.to_lowercase();
    let plain = ident.value.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let begins = ident.value.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    ident.quote_style = if plain && begins { None } else { Some('"') };
}

fn lower_all(name: &mut ObjectName) {
    for part in &mut name.0 {
        if let ObjectNamePart::Identifier(ident) = part {
            lower(ident);
        }
    }
}

/// Takes the aliases out of a `FROM`. A table that stands there again gets a number.
fn scope(select: &mut Select) -> Scope {
    let mut scope = Scope::default();
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let factors = select.from.iter_mut().flat_map(|from| {
        std::iter::once(&mut from.relation).chain(from.joins.iter_mut().map(|join| &mut join.relation))
    });
    for factor in factors {
        let (called, alias) = match factor {
            TableFactor::Table { name, alias, .. } => {
                lower_all(name);
                (name.to_string(), alias)
            }
            TableFactor::Derived { alias, .. } => ("subquery".to_owned(), alias),
            _ => continue,
        };
        let count = seen.entry(called.clone()).or_insert(0);
        *count += 1;
        let own = if *count == 1 { called.clone() } else { format!("{called}_{count}") };
        if let Some(alias) = alias {
            scope.names.insert(alias.name.value.to_lowercase(), own.clone());
        } else {
            scope.names.insert(called.clone(), own.clone());
        }
        // A table is called by its name, so it needs no alias unless it is there again.
        if own == called && called != "subquery" {
            *alias = None;
        } else if let Some(alias) = alias {
            alias.name = Ident::new(&own);
            alias.explicit = true;
        }
    }
    scope.only = only_table(select);
    scope
}

impl VisitorMut for Spelling {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        self.scopes.push(Scope { awaits: is_select(query), ..Scope::default() });
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.scopes.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        let scope = scope(select);
        select.projection.iter_mut().for_each(|item| wildcard(item, &scope));
        self.scopes.push(scope);
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, _: &mut Select) -> ControlFlow<()> {
        let scope = self.scopes.pop().unwrap_or_default();
        // What orders the rows comes after the select, and speaks of its tables.
        if let Some(query) = self.scopes.last_mut().filter(|query| query.awaits) {
            *query = scope;
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(ident) => {
                lower(ident);
                if let Some(only) = self.scopes.last().and_then(|scope| scope.only.as_ref()) {
                    *expr = Expr::CompoundIdentifier(vec![Ident::new(only), ident.clone()]);
                }
            }
            Expr::CompoundIdentifier(parts) => {
                parts.iter_mut().for_each(lower);
                if let [table, _] = &mut parts[..]
                    && let Some(own) = self.scopes.iter().rev().find_map(|scope| scope.names.get(&table.value))
                {
                    *table = Ident::new(own);
                }
            }
            Expr::Function(function) => upper(function),
            Expr::BinaryOp { left, op, right } => {
                // A column stands on the left, of two columns the first by name.
                let column = |side: &Expr| matches!(bare(side), Expr::Identifier(_) | Expr::CompoundIdentifier(_));
                let swap = column(right) && (!column(left) || left.to_string() > right.to_string());
                if let Some(turned) = turned(op).filter(|_| swap) {
                    std::mem::swap(left, right);
                    *op = turned;
                }
                if matches!(op, BinaryOperator::And | BinaryOperator::Or) {
                    *expr = sorted(expr);
                }
            }
            Expr::UnaryOp { op: UnaryOperator::Plus, expr: inner } => *expr = (**inner).clone(),
            Expr::Nested(inner) => {
                let inner = bare(inner);
                if !matches!(
                    inner,
                    Expr::BinaryOp { .. } | Expr::UnaryOp { .. } | Expr::Between { .. } | Expr::Like { .. }
                ) {
                    *expr = inner.clone();
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// A chain of AND or OR with its parts in order.
fn sorted(expr: &Expr) -> Expr {
    let Expr::BinaryOp { op, .. } = expr else { return expr.clone() };
    let mut parts = Vec::new();
    split(expr, op, &mut parts);
    parts.sort_by_key(ToString::to_string);
    parts.dedup();
    // An OR within an AND keeps its parentheses; an AND within an OR needs none.
    let wrapped = parts.into_iter().map(|part| match &part {
        Expr::BinaryOp { op: BinaryOperator::Or, .. } => Expr::Nested(Box::new(part)),
        _ => part,
    });
    let chain =
        wrapped.reduce(|left, right| Expr::BinaryOp { left: Box::new(left), op: op.clone(), right: Box::new(right) });
    chain.unwrap_or_else(|| expr.clone())
}

/// The comparison with its sides changed over.
fn turned(op: &BinaryOperator) -> Option<BinaryOperator> {
    Some(match op {
        BinaryOperator::Eq => BinaryOperator::Eq,
        BinaryOperator::NotEq => BinaryOperator::NotEq,
        BinaryOperator::Lt => BinaryOperator::Gt,
        BinaryOperator::Gt => BinaryOperator::Lt,
        BinaryOperator::LtEq => BinaryOperator::GtEq,
        BinaryOperator::GtEq => BinaryOperator::LtEq,
        _ => return None,
    })
}

fn upper(function: &mut Function) {
    for part in &mut function.name.0 {
        if let ObjectNamePart::Identifier(ident) = part {
            ident.value = ident.value.to_uppercase();
            ident.quote_style = None;
        }
    }
}

fn wildcard(item: &mut SelectItem, scope: &Scope) {
    match item {
        SelectItem::Wildcard(options) => {
            if let Some(only) = &scope.only {
                let kind = SelectItemQualifiedWildcardKind::ObjectName(vec![Ident::new(only)].into());
                *item = SelectItem::QualifiedWildcard(kind, options.clone());
            }
        }
        SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
            lower_all(name);
            if let Some(own) = scope.names.get(&name.to_string()) {
                *name = vec![Ident::new(own)].into();
            }
        }
        SelectItem::ExprWithAlias { alias, .. } => lower(alias),
        _ => {}
    }
}

/// What orders, groups and is kept by the name of a column of the result, or by its number, gets the column itself; then those names
/// are gone.
fn resolve_outputs(query: &mut Query) {
    let Some(select) = select_mut(query) else { return };
    let only = only_table(select);
    let mut named: Vec<(String, Expr)> = Vec::new();
    let mut numbered = Vec::new();
    for item in &mut select.projection {
        let expr = match item {
            SelectItem::ExprWithAlias { expr, alias } => {
                named.push((alias.value.clone(), expr.clone()));
                let expr = expr.clone();
                *item = SelectItem::UnnamedExpr(expr.clone());
                Some(expr)
            }
            SelectItem::UnnamedExpr(expr) => Some(expr.clone()),
            _ => None,
        };
        numbered.push(expr);
    }
    let meant = |expr: &Expr| match bare(expr) {
        Expr::Identifier(ident) => named.iter().find(|(name, _)| *name == ident.value).map(|(_, of)| of.clone()),
        Expr::CompoundIdentifier(parts) if only.as_ref() == parts.first().map(|part| &part.value) => {
            let name = parts.get(1)?;
            named.iter().find(|(of, _)| *of == name.value).map(|(_, of)| of.clone())
        }
        Expr::Value(value) => match &value.value {
            Value::Number(number, _) => numbered.get(number.parse::<usize>().ok()?.checked_sub(1)?)?.clone(),
            _ => None,
        },
        _ => None,
    };
    if let GroupByExpr::Expressions(all, _) = &mut select.group_by {
        for expr in all {
            *expr = meant(expr).unwrap_or_else(|| bare(expr).clone());
        }
    }
    if let Some(having) = &mut select.having {
        let _ = sqlparser::ast::visit_expressions_mut(having, |expr| {
            if !matches!(expr, Expr::Value(_))
                && let Some(of) = meant(expr)
            {
                *expr = of;
            }
            ControlFlow::<()>::Continue(())
        });
    }
    let order = query.order_by.as_mut().map(|order| &mut order.kind);
    if let Some(OrderByKind::Expressions(all)) = order {
        for by in all {
            by.expr = meant(&by.expr).unwrap_or_else(|| bare(&by.expr).clone());
        }
    }
}

/// Whether a query is a single `SELECT`.
pub fn is_select(query: &Query) -> bool {
    matches!(*query.body, SetExpr::Select(_))
}
