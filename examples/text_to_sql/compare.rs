//! What changed from one query to another, in words, from the structure of both.

use std::fmt::Display;

use sqlparser::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, Ident, JoinConstraint,
    JoinOperator, LimitClause, OrderByKind, OrderBySort, Query, SelectItem, SelectItemQualifiedWildcardKind,
    TableFactor, TableWithJoins, Value, visit_expressions_mut,
};

use super::canonical::{canonical, conjuncts, is_select, only_table, table_name};
use super::sql::{joined, one_query, select, select_mut};

/// What is said of two queries that differ in their spelling at most.
pub const SAME: &str = "No change";

/// What changed, each change a sentence: `Added WHERE clause to filter users from last month`.
///
/// # Errors
/// One of the texts is no query.
pub fn compare(before: &str, after: &str) -> Result<String, String> {
    let read = |text: &str, which: &str| {
        let query = one_query(text).map_err(|why| format!("the query {which} cannot be read: {why}"));
        query.map(Shape::of)
    };
    let (before, after) = (read(before, "before")?, read(after, "after")?);
    let mut told = Vec::new();
    if after.inner.as_ref() == Some(&before.whole) {
        told.push(format!("Put the query before into a subquery: now {} of its rows", shown(&after.columns)));
    } else if before.simple && after.simple {
        changes(&before, &after, &mut told);
    } else if before.whole != after.whole {
        told.push("Changed the query as a whole".to_owned());
    }
    if told.is_empty() && before.whole != after.whole {
        told.push("Changed other parts of the query".to_owned());
    }
    Ok(if told.is_empty() { SAME.to_owned() } else { told.join("; ") })
}

/// A part of a query: what it is compared by, and how it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    key: String,
    shown: String,
}

/// A conjunct of a condition.
#[derive(Debug, Clone)]
struct Filter {
    part: Part,
    /// The column that it is about, where it is about one, and what it wants of it.
    about: Option<(String, String)>,
    /// A period in words, `from last month`, where it is one.
    period: Option<String>,
}

/// A table that is joined.
#[derive(Debug, Clone)]
struct Joined {
    table: String,
    kind: &'static str,
    on: String,
}

/// A query taken apart.
#[derive(Debug, Default)]
struct Shape {
    /// The whole of it in the one spelling.
    whole: String,
    /// Whether it is a single `SELECT`, so that all below says what is in it.
    simple: bool,
    /// Where it only shows something of one subquery, that.
    inner: Option<String>,
    table: String,
    others: Vec<String>,
    joins: Vec<Joined>,
    distinct: Option<String>,
    columns: Vec<Part>,
    filters: Vec<Filter>,
    groups: Vec<Part>,
    having: Vec<Filter>,
    order: Vec<Part>,
    limit: Option<String>,
    offset: Option<String>,
}

impl Shape {
    fn of(mut query: Query) -> Self {
        let inner = inner(&query).map(|inner| Self::of(inner).whole);
        canonical(&mut query);
        settle(&mut query);
        let mut shape = Self { whole: query.to_string(), simple: is_select(&query), inner, ..Self::default() };
        let Some(select) = select(&query) else { return shape };
        let only = only_table(select);
        let part = |of: &dyn Display, bare: String| Part { key: of.to_string(), shown: bare };
        let of_expr = |expr: &Expr| part(expr, unqualified(expr, only.as_deref()).to_string());
        let filter =
            |expr: &Expr| Filter { part: of_expr(expr), about: about(expr, only.as_deref()), period: period(expr) };
        let mut tables = select.from.iter();
        if let Some(TableWithJoins { relation, .. }) = tables.next() {
            shape.table = named(relation);
        }
        shape.others = tables.map(|other| named(&other.relation)).collect();
        shape.joins = select
            .from
            .iter()
            .flat_map(|from| &from.joins)
            .map(|join| join_of(&join.relation, &join.join_operator))
            .collect();
        shape.distinct = select.distinct.as_ref().map(ToString::to_string);
        shape.columns = select
            .projection
            .iter()
            .map(|item| match item {
                SelectItem::UnnamedExpr(expr) => of_expr(expr),
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                    let all = if only.is_some() { "all columns".to_owned() } else { format!("all of {name}") };
                    part(item, all)
                }
                SelectItem::Wildcard(_) => part(item, "all columns".into()),
                other => part(other, other.to_string()),
            })
            .collect();
        shape.filters = months(conjuncts(select.selection.as_ref()).iter().map(filter).collect());
        if let GroupByExpr::Expressions(all, _) = &select.group_by {
            shape.groups = all.iter().map(of_expr).collect();
        }
        shape.having = conjuncts(select.having.as_ref()).iter().map(filter).collect();
        if let Some(OrderByKind::Expressions(all)) = query.order_by.as_ref().map(|order| &order.kind) {
            shape.order = all
                .iter()
                .map(|by| {
                    let shown = unqualified(&by.expr, only.as_deref()).to_string();
                    let key = by.to_string();
                    let rest = key.strip_prefix(&by.expr.to_string()).unwrap_or_default().to_owned();
                    Part { shown: format!("{shown}{rest}"), key }
                })
                .collect();
        }
        if let Some(LimitClause::LimitOffset { limit, offset, .. }) = &query.limit_clause {
            shape.limit = limit.as_ref().map(ToString::to_string);
            shape.offset = offset.as_ref().map(|offset| offset.value.to_string());
        }
        shape
    }

    /// What is filtered, in words.
    fn rows(&self) -> &str {
        if self.table.is_empty() { "rows" } else { &self.table }
    }
}

/// The subquery of which a query shows something and does nothing more with.
fn inner(query: &Query) -> Option<Query> {
    let outer = select(query)?;
    let [TableWithJoins { relation: TableFactor::Derived { subquery, .. }, joins }] = &outer.from[..] else {
        return None;
    };
    let mut bare = outer.clone();
    bare.projection.clear();
    bare.from.clear();
    let nothing_more = joins.is_empty()
        && bare.to_string().trim() == "SELECT"
        && query.order_by.is_none()
        && query.limit_clause.is_none();
    nothing_more.then(|| (**subquery).clone())
}

/// Puts into one order what has none, and leaves out what is said anyway.
fn settle(query: &mut Query) {
    if let Some(OrderByKind::Expressions(all)) = query.order_by.as_mut().map(|order| &mut order.kind) {
        for by in all {
            if by.options.sort == Some(OrderBySort::Asc) {
                by.options.sort = None;
            }
        }
    }
    if let Some(LimitClause::OffsetCommaLimit { offset, limit }) = &query.limit_clause {
        let offset = sqlparser::ast::Offset { value: offset.clone(), rows: sqlparser::ast::OffsetRows::None };
        query.limit_clause =
            Some(LimitClause::LimitOffset { limit: Some(limit.clone()), offset: Some(offset), limit_by: Vec::new() });
    }
    let Some(select) = select_mut(query) else { return };
    if let Some(sqlparser::ast::Distinct::All) = select.distinct {
        select.distinct = None;
    }
    select.selection = joined(conjuncts(select.selection.as_ref()));
    select.having = joined(conjuncts(select.having.as_ref()));
    if let GroupByExpr::Expressions(all, _) = &mut select.group_by {
        all.sort_by_key(ToString::to_string);
    }
    for join in select.from.iter_mut().flat_map(|from| &mut from.joins) {
        // `INNER` and `OUTER` say nothing more.
        join.join_operator = match std::mem::replace(&mut join.join_operator, JoinOperator::CrossApply) {
            JoinOperator::Inner(on) => JoinOperator::Join(on),
            JoinOperator::LeftOuter(on) => JoinOperator::Left(on),
            JoinOperator::RightOuter(on) => JoinOperator::Right(on),
            other => other,
        };
        if let JoinOperator::Join(JoinConstraint::On(on)) | JoinOperator::Left(JoinConstraint::On(on)) =
            &mut join.join_operator
        {
            *on = joined(conjuncts(Some(on))).unwrap_or_else(|| on.clone());
        }
    }
}

/// An expression without the table of its columns, where there is only one table.
fn unqualified(expr: &Expr, only: Option<&str>) -> Expr {
    let mut expr = expr.clone();
    let _ = visit_expressions_mut(&mut expr, |inner| {
        if let Expr::CompoundIdentifier(parts) = inner
            && let [table, column] = &parts[..]
            && only == Some(table.value.as_str())
        {
            *inner = Expr::Identifier(column.clone());
        }
        std::ops::ControlFlow::<()>::Continue(())
    });
    expr
}

fn named(factor: &TableFactor) -> String {
    table_name(factor).unwrap_or_else(|| "a subquery".into())
}

fn join_of(factor: &TableFactor, operator: &JoinOperator) -> Joined {
    let (kind, constraint) = match operator {
        JoinOperator::Join(on) => ("JOIN", Some(on)),
        JoinOperator::Left(on) => ("LEFT JOIN", Some(on)),
        JoinOperator::Right(on) => ("RIGHT JOIN", Some(on)),
        JoinOperator::FullOuter(on) => ("FULL JOIN", Some(on)),
        JoinOperator::CrossJoin(on) => ("CROSS JOIN", Some(on)),
        _ => ("JOIN", None),
    };
    let on = match constraint {
        Some(JoinConstraint::On(on)) => format!(" on {on}"),
        Some(JoinConstraint::Using(columns)) => format!(" using {}", list(columns)),
        _ => String::new(),
    };
    Joined { table: named(factor), kind, on }
}

fn list(all: &[impl Display]) -> String {
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn shown(all: &[Part]) -> String {
    all.iter().map(|part| part.shown.as_str()).collect::<Vec<_>>().join(", ")
}

/// The column that a conjunct is about, and what it wants of it.
fn about(expr: &Expr, only: Option<&str>) -> Option<(String, String)> {
    let of = |column: &Expr, rest: String| {
        let plain = matches!(column, Expr::CompoundIdentifier(_) | Expr::Identifier(_) | Expr::Function(_));
        plain.then(|| (unqualified(column, only).to_string(), rest))
    };
    let shown = |expr: &Expr| unqualified(expr, only).to_string();
    match expr {
        Expr::BinaryOp { left, op, right } if !matches!(op, BinaryOperator::Or) => {
            of(left, format!("{op} {}", shown(right)))
        }
        Expr::Between { expr: column, .. }
        | Expr::In { expr: column, .. }
        | Expr::Like { expr: column, .. }
        | Expr::IsNull(column)
        | Expr::IsNotNull(column) => {
            let (whole, column_shown) = (shown(expr), shown(column));
            of(column, whole.strip_prefix(&column_shown).unwrap_or(&whole).trim().to_owned())
        }
        _ => None,
    }
}

/// A conjunct that asks for rows from some time on, in words.
fn period(expr: &Expr) -> Option<String> {
    let Expr::BinaryOp { left, op, right } = expr else { return None };
    let now = arguments("DATE", right)?;
    let words = match now.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["now"] if *op == BinaryOperator::Eq => "from today".to_owned(),
        ["now", "-1 day" | "-1 days"] if *op == BinaryOperator::Eq => "from yesterday".to_owned(),
        ["now", back] if *op == BinaryOperator::GtEq => match back.strip_prefix("start of ") {
            Some(unit @ ("month" | "year")) => format!("from this {unit}"),
            Some(_) => return None,
            None => {
                let (count, unit) = back.strip_prefix('-')?.split_once(' ')?;
                let (count, unit) = (count.parse::<u32>().ok()?, unit.trim_end_matches('s'));
                match (count, unit) {
                    (7, "day") => "from last week".to_owned(),
                    (1, "day") => "since yesterday".to_owned(),
                    (1, "month" | "year") => format!("from last {unit}"),
                    (count, "day" | "month" | "year") => format!("from the last {count} {unit}s"),
                    _ => return None,
                }
            }
        },
        _ => return None,
    };
    // What is compared is a column, or the day of one.
    let column = matches!(**left, Expr::CompoundIdentifier(_)) || day_of(left).is_some();
    column.then_some(words)
}

/// The texts that a function of this name is given, all of them literals.
fn arguments(name: &str, expr: &Expr) -> Option<Vec<String>> {
    let Expr::Function(function) = expr else { return None };
    let FunctionArguments::List(list) = &function.args else { return None };
    if function.name.to_string() != name || function.over.is_some() || function.filter.is_some() {
        return None;
    }
    let text = |arg: &FunctionArg| match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value))) => match &value.value {
            Value::SingleQuotedString(text) => Some(text.to_lowercase()),
            _ => None,
        },
        _ => None,
    };
    list.args.iter().map(text).collect()
}

/// The column of `DATE(column)`.
fn day_of(expr: &Expr) -> Option<&[Ident]> {
    let Expr::Function(function) = expr else { return None };
    let FunctionArguments::List(list) = &function.args else { return None };
    match &list.args[..] {
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::CompoundIdentifier(parts)))]
            if function.name.to_string() == "DATE" =>
        {
            Some(parts)
        }
        _ => None,
    }
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Two conjuncts that cut a month or a year out of a column are one.
fn months(mut filters: Vec<Filter>) -> Vec<Filter> {
    let bound = |filter: &Filter, op: &str| {
        let (column, wants) = filter.about.as_ref()?;
        let day = wants.strip_prefix(op)?.strip_prefix(" '")?.strip_suffix('\'')?;
        let (year, rest) = day.split_once('-')?;
        let (month, date) = rest.split_once('-')?;
        let number = |text: &str| text.parse::<u16>().ok().map(u32::from);
        (date == "01").then_some((column.clone(), number(year)?, number(month)?))
    };
    let mut at = 0;
    while at < filters.len() {
        let found = bound(&filters[at], ">=").and_then(|(column, year, month)| {
            (0..filters.len()).find_map(|other| {
                let (of, to_year, to_month) = bound(&filters[other], "<")?;
                let words = match ((to_year * 12 + to_month).checked_sub(year * 12 + month)?, month) {
                    (1, _) => format!("from {} {year}", MONTHS.get(month.checked_sub(1)? as usize)?),
                    (12, 1) => format!("from {year}"),
                    _ => return None,
                };
                (of == column).then_some((other, column.clone(), words))
            })
        });
        if let Some((other, column, words)) = found {
            let key = format!("{} AND {}", filters[at].part.key, filters[other].part.key);
            let shown = format!("{} AND {}", filters[at].part.shown, filters[other].part.shown);
            filters[at] =
                Filter { part: Part { key, shown }, about: Some((column, words.clone())), period: Some(words) };
            filters.remove(other);
            at -= usize::from(other < at);
        }
        at += 1;
    }
    filters
}

impl Filter {
    /// As it follows `filter users`.
    fn phrase(&self) -> String {
        self.period.clone().unwrap_or_else(|| format!("by {}", self.part.shown))
    }

    /// What it wants of its column.
    fn wants(&self) -> String {
        match (&self.period, &self.about) {
            (Some(period), _) => period.clone(),
            (None, Some((_, wants))) => wants.clone(),
            (None, None) => self.part.shown.clone(),
        }
    }
}

fn changes(before: &Shape, after: &Shape, told: &mut Vec<String>) {
    tables(before, after, told);
    columns(&before.columns, &after.columns, told);
    match (&before.distinct, &after.distinct) {
        (None, Some(distinct)) => told.push(format!("Added {distinct}")),
        (Some(distinct), None) => told.push(format!("Removed {distinct}")),
        (Some(one), Some(other)) if one != other => told.push(format!("Changed {one} to {other}")),
        _ => {}
    }
    let to_filter = format!("WHERE clause to filter {}", after.rows());
    filters(&before.filters, &after.filters, ("WHERE clause", &to_filter, "filter"), told);
    clause("GROUP BY", &before.groups, &after.groups, told);
    let to_keep = "HAVING clause to filter groups";
    filters(&before.having, &after.having, ("HAVING clause", to_keep, "filter of groups"), told);
    clause("ORDER BY", &before.order, &after.order, told);
    number("LIMIT", before.limit.as_ref(), after.limit.as_ref(), told);
    number("OFFSET", before.offset.as_ref(), after.offset.as_ref(), told);
}

fn tables(before: &Shape, after: &Shape, told: &mut Vec<String>) {
    if before.table != after.table {
        told.push(format!("Changed the table from {} to {}", before.rows(), after.rows()));
    }
    for table in after.others.iter().filter(|table| !before.others.contains(table)) {
        told.push(format!("Added table {table}"));
    }
    for table in before.others.iter().filter(|table| !after.others.contains(table)) {
        told.push(format!("Removed table {table}"));
    }
    for join in &after.joins {
        let Joined { table, kind, on } = join;
        match before.joins.iter().find(|of| of.table == *table) {
            None => told.push(format!("Added {kind} with {table}{on}")),
            Some(was) if was.kind != *kind => told.push(format!("Changed {} with {table} to {kind}", was.kind)),
            Some(was) if was.on != *on => told.push(format!("Changed {kind} with {table}: now{on}")),
            Some(_) => {}
        }
    }
    for Joined { table, kind, .. } in
        before.joins.iter().filter(|of| !after.joins.iter().any(|join| join.table == of.table))
    {
        told.push(format!("Removed {kind} with {table}"));
    }
}

fn columns(before: &[Part], after: &[Part], told: &mut Vec<String>) {
    let lacking = |of: &[Part], from: &[Part]| -> Vec<Part> {
        of.iter().filter(|part| !from.iter().any(|other| other.key == part.key)).cloned().collect()
    };
    let (added, removed) = (lacking(after, before), lacking(before, after));
    let word = |all: &[Part]| if all.len() == 1 { "column" } else { "columns" };
    let keys = |all: &[Part]| all.iter().map(|part| part.key.clone()).collect::<Vec<_>>();
    match (added.is_empty(), removed.is_empty()) {
        (true, true) if keys(before) != keys(after) => told.push(format!("Changed columns to {}", shown(after))),
        (true, true) => {}
        // All of one table, and then all of another.
        _ if shown(before) == shown(after) => {}
        _ if added.len() == after.len() || removed.len() == before.len() => {
            told.push(format!("Changed columns from {} to {}", shown(before), shown(after)));
        }
        _ => {
            if !added.is_empty() {
                told.push(format!("Added {} {}", word(&added), shown(&added)));
            }
            if !removed.is_empty() {
                told.push(format!("Removed {} {}", word(&removed), shown(&removed)));
            }
        }
    }
}

/// Conjuncts of `WHERE` or `HAVING`: its name, what is said where there was none, and what one of several is called.
fn filters(before: &[Filter], after: &[Filter], (clause, opened, one): (&str, &str, &str), told: &mut Vec<String>) {
    let lacking = |of: &[Filter], from: &[Filter]| -> Vec<Filter> {
        of.iter().filter(|filter| !from.iter().any(|other| other.part.key == filter.part.key)).cloned().collect()
    };
    let phrases = |all: &[Filter]| all.iter().map(Filter::phrase).collect::<Vec<_>>().join(" and ");
    let (mut added, mut removed) = (lacking(after, before), lacking(before, after));
    if before.is_empty() && !after.is_empty() {
        told.push(format!("Added {opened} {}", phrases(after)));
        return;
    }
    if after.is_empty() && !before.is_empty() {
        told.push(format!("Removed {clause}, the filter {}", phrases(before)));
        return;
    }
    // What is asked of a column now in place of something else.
    added.retain(|now| {
        let column = now.about.as_ref().map(|(column, _)| column);
        let was =
            removed.iter().position(|was| column.is_some() && was.about.as_ref().map(|(column, _)| column) == column);
        if let (Some(at), Some(column)) = (was, column) {
            let was = removed.remove(at);
            told.push(format!("Changed {one} on {column} from `{}` to `{}`", was.wants(), now.wants()));
        }
        was.is_none()
    });
    for filter in added {
        told.push(format!("Added {one} {}", filter.phrase()));
    }
    for filter in removed {
        told.push(format!("Removed {one} {}", filter.phrase()));
    }
}

fn clause(name: &str, before: &[Part], after: &[Part], told: &mut Vec<String>) {
    let keys = |all: &[Part]| all.iter().map(|part| part.key.clone()).collect::<Vec<_>>();
    match (before.is_empty(), after.is_empty()) {
        (true, false) => told.push(format!("Added {name} {}", shown(after))),
        (false, true) => told.push(format!("Removed {name} {}", shown(before))),
        _ if keys(before) != keys(after) => {
            told.push(format!("Changed {name} from {} to {}", shown(before), shown(after)));
        }
        _ => {}
    }
}

fn number(name: &str, before: Option<&String>, after: Option<&String>, told: &mut Vec<String>) {
    match (before, after) {
        (None, Some(now)) => told.push(format!("Added {name} {now}")),
        (Some(was), None) => told.push(format!("Removed {name} {was}")),
        (Some(was), Some(now)) if was != now => told.push(format!("Changed {name} from {was} to {now}")),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
