//! Queries from what was read: a new one, or one that is there with changes.

use sqlparser::ast::{
    BinaryOperator, Distinct, Expr, GroupByExpr, Ident, LimitClause, OrderByKind, Query, Select, SelectItem,
    visit_expressions, visit_expressions_mut,
};

use super::canonical::table_name;
use super::reading::{Columns, Current, Filter, Key, Measure, Part, Reading};
use super::sql::{bare, expr, joined, one_query, select, select_mut};
use super::vocabulary::{COLUMNS, Column, TABLES, Table, has};

/// What is told of a query that is not one of the demonstration's own kind.
pub const NOT_OURS: &str = "the demonstration refines only queries of one SELECT on the tables of the shop";

/// A new query.
///
/// # Errors
/// It is not said what about, or it cannot be made.
pub fn generate(reading: &Reading) -> Result<String, String> {
    let subject = reading.subject.ok_or("it does not say what to look for: users, orders, order items or products")?;
    make(one_query(&format!("SELECT * FROM {}", subject.name()))?, reading)
}

/// What a query is about.
///
/// # Errors
/// It is no query that can be refined.
pub fn current(query: &str) -> Result<Current, String> {
    let query = one_query(query)?;
    let select = select(&query).ok_or(NOT_OURS)?;
    let tables = tables(select)?;
    let table = tables.first().copied().ok_or(NOT_OURS)?;
    Ok(Current {
        table,
        number: matches!(&select.projection[..], [only] if is_number(only)) && !is_grouped(select),
        ordered: query.order_by.is_some(),
        summed: summed(select, &tables),
    })
}

/// The table whose rows are summed up or counted, where it is not the first one.
fn summed(select: &Select, tables: &[Table]) -> Option<Table> {
    let number = select.projection.iter().rfind(|item| is_number(item))?;
    let mut named = None;
    let _ = visit_expressions(number, |inner| {
        if let Expr::CompoundIdentifier(parts) = inner
            && let Some(first) = parts.first()
        {
            named = named.or(Table::of(&first.value.to_lowercase()));
        }
        std::ops::ControlFlow::<()>::Continue(())
    });
    // `COUNT(*)` counts the rows of the one of which there are the most.
    let mut many = tables.iter().zip(tables.iter().skip(1)).filter(|(one, other)| several(**one, **other));
    named.or(many.next_back().map(|(_, other)| *other)).filter(|table| tables.first() != Some(table))
}

/// A query with changes.
///
/// # Errors
/// It cannot be changed so.
pub fn refine(query: &str, reading: &Reading) -> Result<String, String> {
    let query = one_query(query)?;
    if *reading == (Reading { subject: reading.subject, follow: reading.follow, ..Reading::default() }) {
        let follow = reading.follow.ok_or("the demonstration does not see what is to be changed")?;
        return follow_up(query, follow);
    }
    if let Some(other) = reading.follow {
        return Err(format!(
            "the demonstration does not know what {} have to do with it; ask for {} alone",
            other.name(),
            other.name()
        ));
    }
    make(query, reading)
}

/// The tables of a select, the one it is about first.
fn tables(select: &Select) -> Result<Vec<Table>, String> {
    let [from] = &select.from[..] else { return Err(NOT_OURS.into()) };
    let all = std::iter::once(&from.relation).chain(from.joins.iter().map(|join| &join.relation));
    all.map(|factor| {
        let plain = matches!(factor, sqlparser::ast::TableFactor::Table { alias: None, .. });
        table_name(factor)
            .filter(|_| plain)
            .and_then(|name| Table::of(&name.to_lowercase()))
            .ok_or_else(|| NOT_OURS.to_owned())
    })
    .collect()
}

fn place(table: Table) -> usize {
    TABLES.iter().position(|of| *of == table).unwrap_or(0)
}

/// The tables on the way from one to another, without the first.
fn way(from: Table, to: Table) -> Vec<Table> {
    let (at, end) = (place(from), place(to));
    if at <= end {
        TABLES[at..=end].iter().skip(1).copied().collect()
    } else {
        TABLES[end..at].iter().rev().copied().collect()
    }
}

/// Whether one row of a table has several of its neighbour.
fn several(from: Table, to: Table) -> bool {
    matches!(
        (from, to),
        (Table::Users, Table::Orders) | (Table::Orders, Table::Items) | (Table::Products, Table::Items)
    )
}

/// The condition on which two neighbours are joined.
fn link(one: Table, other: Table) -> &'static str {
    if place(one) < place(other) { one.link() } else { other.link() }
}

/// What names columns: with their table where there are several.
struct Names {
    qualified: bool,
    reached: Vec<Table>,
}

impl Names {
    fn column(&self, column: &Column) -> String {
        if self.qualified { format!("{}.{}", column.table.name(), column.name) } else { column.name.to_owned() }
    }

    fn measure(&self, measure: &Measure) -> (String, &'static str) {
        match measure {
            Measure::Of(function, column) => {
                let word = match *function {
                    "AVG" => "average",
                    "SUM" => "sum",
                    "MAX" => "maximum",
                    _ => "minimum",
                };
                (format!("{function}({})", self.column(column)), word)
            }
            // Of orders as wholes, or of the pieces where products are looked at.
            Measure::Revenue if self.reached.contains(&Table::Items) => {
                ("SUM(order_items.quantity * order_items.price)".into(), "revenue")
            }
            Measure::Revenue => (if self.qualified { "SUM(orders.total)" } else { "SUM(total)" }.into(), "revenue"),
            Measure::Sold => {
                (if self.qualified { "SUM(order_items.quantity)" } else { "SUM(quantity)" }.into(), "sold")
            }
        }
    }

    /// How many rows of a table there are in a group.
    fn count(&self, table: Table) -> String {
        let farther = self.reached.iter().any(|of| place(*of) > place(table) && several(Table::Orders, *of))
            && table != Table::Items;
        if farther { format!("COUNT(DISTINCT {}.id)", table.name()) } else { "COUNT(*)".into() }
    }

    fn key(&self, key: &Key) -> String {
        match key {
            Key::Column(column) => self.column(column),
            Key::Table(table) => format!("{}.id", table.name()),
            Key::Part(column, format, _) => format!("strftime('{format}', {})", self.column(column)),
            Key::Count(table) => self.count(*table),
            Key::Measure(measure) => self.measure(measure).0,
        }
    }
}

/// The tables that a reading needs.
fn needed(reading: &Reading) -> Vec<Table> {
    let mut all: Vec<Table> = reading.filters.iter().map(|filter| filter.column.table).collect();
    if reading.manner != Some(Columns::Drop) {
        all.extend(reading.columns.iter().map(|column| column.table));
    }
    all.extend(reading.having.map(|(table, ..)| table));
    all.extend(reading.beside);
    let keys = reading.groups.iter().chain(reading.order.iter().map(|(key, _)| key));
    let mut measures: Vec<&Measure> = reading.measure.iter().collect();
    for key in keys {
        match key {
            Key::Column(column) | Key::Part(column, ..) => all.push(column.table),
            Key::Table(table) | Key::Count(table) => all.push(*table),
            Key::Measure(measure) => measures.push(measure),
        }
    }
    for measure in measures {
        all.push(match measure {
            Measure::Of(_, column) => column.table,
            Measure::Revenue if all.contains(&Table::Products) => Table::Items,
            Measure::Revenue => Table::Orders,
            Measure::Sold => Table::Items,
        });
    }
    all
}

fn make(mut query: Query, reading: &Reading) -> Result<String, String> {
    if query.with.is_some() {
        return Err(NOT_OURS.into());
    }
    let mut reached = tables(select(&query).ok_or(NOT_OURS)?)?;
    let main = *reached.first().ok_or(NOT_OURS)?;
    let mut manifold = reached.iter().zip(reached.iter().skip(1)).any(|(one, other)| several(*one, *other));
    let mut joins = String::new();
    for table in needed(reading) {
        let mut from = main;
        for next in way(main, table) {
            if !reached.contains(&next) {
                joins.push_str(&format!(" JOIN {} ON {}", next.name(), link(from, next)));
                manifold |= several(from, next);
                reached.push(next);
            }
            from = next;
        }
    }
    for Filter { column, op, .. } in &reading.filters {
        let way = way(main, column.table);
        let many = std::iter::once(&main).chain(&way).zip(&way).any(|(one, other)| several(*one, *other));
        if many && matches!(*op, "<>" | "NOT IN" | "NOT LIKE") {
            return Err(format!(
                "one of the {} has several {}: the demonstration cannot leave out by these",
                main.name(),
                column.table.name()
            ));
        }
    }
    let names = Names { qualified: reached.len() > 1, reached: reached.clone() };
    let others = select(&query).map_or(0, |select| select.from[0].joins.len());
    if names.qualified && others == 0 {
        qualify(&mut query, main);
    }
    if !joins.is_empty() {
        let joined = one_query(&format!("SELECT 1 FROM {}{joins}", main.name()))?;
        let more = select(&joined).map(|select| select.from[0].joins.clone()).unwrap_or_default();
        if let Some(select) = select_mut(&mut query) {
            select.from[0].joins.extend(more);
        }
    }
    for part in &reading.without {
        take_away(&mut query, *part)?;
    }
    if let Some(select) = select_mut(&mut query) {
        filter(select, reading, main, &names)?;
    }
    let wrapped = columns(&mut query, reading, main, &names, manifold)?;
    order(&mut query, reading, &names)?;
    if let Some(limit) = reading.limit {
        query.limit_clause = Some(LimitClause::LimitOffset {
            limit: Some(expr(&limit.to_string())?),
            offset: None,
            limit_by: Vec::new(),
        });
    }
    Ok(if wrapped { format!("SELECT COUNT(*) FROM ({query});") } else { format!("{query};") })
}

/// Gives every column its table.
fn qualify(query: &mut Query, main: Table) {
    let _ = visit_expressions_mut(query, |inner| {
        if let Expr::Identifier(ident) = inner
            && has(main, &ident.value)
        {
            *inner = Expr::CompoundIdentifier(vec![Ident::new(main.name()), ident.clone()]);
        }
        std::ops::ControlFlow::<()>::Continue(())
    });
    let Some(select) = select_mut(query) else { return };
    for item in &mut select.projection {
        if matches!(item, SelectItem::Wildcard(_))
            && let Ok(mut all) = items(&format!("{}.*", main.name()))
        {
            *item = all.remove(0);
        }
    }
}

/// Items of a `SELECT`.
fn items(text: &str) -> Result<Vec<SelectItem>, String> {
    let query = one_query(&format!("SELECT {text}"))?;
    Ok(select(&query).map(|select| select.projection.clone()).unwrap_or_default())
}

fn take_away(query: &mut Query, part: Part) -> Result<(), String> {
    match part {
        Part::Order if query.order_by.is_none() => return Err("there is no order to be taken away".into()),
        Part::Limit if query.limit_clause.is_none() => return Err("there is no limit to be taken away".into()),
        Part::Order => query.order_by = None,
        Part::Limit => query.limit_clause = None,
        Part::Groups => return Err("the demonstration does not take groups apart; ask anew".into()),
        Part::Filters(of) => {
            let select = select_mut(query).ok_or(NOT_OURS)?;
            let all = conditions(select.selection.take());
            let count = all.len();
            let kept: Vec<Expr> = all
                .into_iter()
                .filter(|one| of.is_some_and(|column| about(one).is_none_or(|(name, _)| name != column.name)))
                .collect();
            if kept.len() == count {
                return Err("there is no such filter to be taken away".into());
            }
            select.selection = joined(kept);
        }
    }
    Ok(())
}

/// The conjuncts of a condition, as they stand.
pub fn conditions(condition: Option<Expr>) -> Vec<Expr> {
    match condition {
        None => Vec::new(),
        Some(Expr::BinaryOp { left, op: BinaryOperator::And, right }) => {
            let mut all = conditions(Some(*left));
            all.extend(conditions(Some(*right)));
            all
        }
        Some(other) => vec![other],
    }
}

/// The column that a conjunct is about, and whether it bounds it from below or above, or (none) says what it is.
fn about(condition: &Expr) -> Option<(String, Option<bool>)> {
    let name = |column: &Expr| match bare(column) {
        Expr::Identifier(ident) => Some(ident.value.to_lowercase()),
        Expr::CompoundIdentifier(parts) => parts.last().map(|part| part.value.to_lowercase()),
        _ => None,
    };
    match bare(condition) {
        Expr::BinaryOp { left, op, .. } => {
            let kind = match op {
                BinaryOperator::Gt | BinaryOperator::GtEq => Some(true),
                BinaryOperator::Lt | BinaryOperator::LtEq => Some(false),
                _ => None,
            };
            Some((name(left)?, kind))
        }
        Expr::In { expr, .. } | Expr::Like { expr, .. } | Expr::IsNull(expr) | Expr::IsNotNull(expr) => {
            Some((name(expr)?, None))
        }
        _ => None,
    }
}

/// Puts conditions in: what is said of a column takes the place of what was said of it, a bound that of the same kind of bound.
fn filter(select: &mut Select, reading: &Reading, main: Table, names: &Names) -> Result<(), String> {
    let mut all = conditions(select.selection.take());
    let period = |filter: &Filter| filter.column.kind == super::vocabulary::Kind::Date;
    for new in &reading.filters {
        all.retain(|old| {
            let Some((name, kind)) = about(old).filter(|(name, _)| name == new.column.name) else { return true };
            debug_assert_eq!(name, new.column.name);
            let of = match new.op {
                ">" | ">=" => Some(true),
                "<" | "<=" => Some(false),
                _ => None,
            };
            !(period(new) || kind.is_none() || of.is_none() || kind == of)
        });
    }
    for Filter { column, op, value } in &reading.filters {
        all.push(expr(&format!("{} {op} {value}", names.column(column)))?);
    }
    for (table, there) in &reading.exists {
        let id = if names.qualified { format!("{}.id", main.name()) } else { "id".to_owned() };
        let inner = match (main, table) {
            (Table::Users, Table::Orders) => "SELECT user_id FROM orders",
            (Table::Products, Table::Items | Table::Orders) => "SELECT product_id FROM order_items",
            (Table::Orders, Table::Items) => "SELECT order_id FROM order_items",
            _ => {
                return Err(format!(
                    "the demonstration does not know what {} without {} are",
                    main.name(),
                    table.name()
                ));
            }
        };
        let not = if *there { "" } else { "NOT " };
        all.push(expr(&format!("{id} {not}IN ({inner})"))?);
    }
    select.selection = joined(all);
    Ok(())
}

fn is_grouped(select: &Select) -> bool {
    !matches!(&select.group_by, GroupByExpr::Expressions(all, _) if all.is_empty())
}

fn is_number(item: &SelectItem) -> bool {
    let (SelectItem::UnnamedExpr(inner) | SelectItem::ExprWithAlias { expr: inner, .. }) = item else { return false };
    matches!(inner, Expr::Function(_))
}

/// What is shown. Whether the query is to be counted as a whole.
fn columns(query: &mut Query, reading: &Reading, main: Table, names: &Names, manifold: bool) -> Result<bool, String> {
    let limited = query.limit_clause.is_some();
    let select = select_mut(query).ok_or(NOT_OURS)?;
    let was_grouped = is_grouped(select);
    let was_number = matches!(&select.projection[..], [only] if is_number(only)) && !was_grouped;
    let ranked = reading.order.iter().map(|(key, _)| key).find(|key| match key {
        Key::Count(table) => *table != main,
        Key::Measure(_) => true,
        _ => false,
    });
    if !reading.groups.is_empty() {
        return grouped(select, reading, names).map(|()| false);
    }
    if was_grouped
        && (reading.measure.is_some() || !reading.columns.is_empty() || ranked.is_some() || reading.having.is_some())
    {
        return Err("the demonstration does not change what groups show; ask anew".into());
    }
    if ranked.is_some() || reading.having.is_some() {
        let (number, called) = match (ranked, &reading.having) {
            (Some(Key::Measure(measure)), _) => names.measure(measure),
            (Some(Key::Count(table)), _) | (_, Some((table, ..))) => {
                (names.count(*table), if *table == Table::Orders { "orders_placed" } else { "number" })
            }
            _ => return Err(NOT_OURS.into()),
        };
        let shown: Vec<String> = reading.columns.iter().map(|column| names.column(column)).collect();
        let shown = if shown.is_empty() { format!("{}.*", main.name()) } else { shown.join(", ") };
        select.projection = items(&format!("{shown}, {number} AS {called}"))?;
        select.group_by = GroupByExpr::Expressions(vec![expr(&format!("{}.id", main.name()))?], Vec::new());
        if let Some((_, op, count)) = reading.having {
            select.having = Some(expr(&format!("{number} {op} {count}"))?);
        }
        return Ok(reading.count);
    }
    if let Some(measure) = &reading.measure {
        if limited {
            return Err("the demonstration does not sum up a part of the rows; take the limit away first".into());
        }
        if let Measure::Of(_, column) = measure
            && names.reached.iter().any(|table| {
                way(column.table, *table)
                    .iter()
                    .scan(column.table, |from, next| {
                        let many = several(*from, *next);
                        *from = *next;
                        Some(many)
                    })
                    .any(|many| many)
            })
        {
            return Err("the demonstration would count some rows several times".into());
        }
        select.projection = items(&names.measure(measure).0)?;
        query.order_by = None;
        return Ok(false);
    }
    if reading.count {
        let distinct = select.distinct.is_some();
        if limited || was_grouped || distinct {
            return Ok(true);
        }
        let what = match &reading.columns[..] {
            [] if manifold => format!("COUNT(DISTINCT {}.id)", main.name()),
            [] => "COUNT(*)".to_owned(),
            [column] => format!("COUNT(DISTINCT {})", names.column(column)),
            _ => return Err("the demonstration counts one thing at a time".into()),
        };
        select.projection = items(&what)?;
        query.order_by = None;
        return Ok(false);
    }
    if was_number && !reading.columns.is_empty() {
        // What was counted is listed.
        select.projection = items("*")?;
    }
    listed(select, reading, main, names)?;
    if (reading.distinct || manifold && reading.beside.is_none()) && !was_number && !was_grouped {
        select.distinct = Some(Distinct::Distinct);
    }
    Ok(false)
}

fn listed(select: &mut Select, reading: &Reading, main: Table, names: &Names) -> Result<(), String> {
    let wanted: Vec<String> = reading.columns.iter().map(|column| names.column(column)).collect();
    match reading.manner {
        _ if wanted.is_empty() => {}
        Some(Columns::Add) => {
            let all = select
                .projection
                .iter()
                .any(|item| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..)));
            for (column, text) in reading.columns.iter().zip(&wanted) {
                let there =
                    select.projection.iter().any(|item| item.to_string() == *text) || all && column.table == main;
                if !there {
                    select.projection.extend(items(text)?);
                }
            }
        }
        Some(Columns::Drop) => {
            let mut kept = Vec::new();
            for item in &select.projection {
                match item {
                    SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..) => {
                        kept.extend(
                            COLUMNS.iter().filter(|column| column.table == main).map(|column| names.column(column)),
                        );
                    }
                    other => kept.push(other.to_string()),
                }
            }
            kept.retain(|column| !wanted.contains(column));
            if kept.is_empty() {
                return Err("no column would be left".into());
            }
            select.projection = items(&kept.join(", "))?;
        }
        _ => select.projection = items(&wanted.join(", "))?,
    }
    if let Some(beside) = reading.beside {
        select.projection.extend(items(&format!("{}.*", beside.name()))?);
    }
    Ok(())
}

/// Groups, each with a number.
fn grouped(select: &mut Select, reading: &Reading, names: &Names) -> Result<(), String> {
    let number = match (&reading.measure, &select.projection[..]) {
        (Some(measure), _) => {
            let (number, called) = names.measure(measure);
            format!("{number} AS {called}")
        }
        (None, [only]) if !reading.count && is_number(only) => only.to_string(),
        _ => "COUNT(*) AS number".to_owned(),
    };
    let mut shown = Vec::new();
    let mut keys = Vec::new();
    for key in &reading.groups {
        let text = names.key(key);
        match key {
            Key::Table(table) => {
                shown.push(text.clone());
                if has(*table, "name") {
                    shown.push(format!("{}.name", table.name()));
                }
            }
            Key::Part(_, _, unit) => shown.push(format!("{text} AS {unit}")),
            _ => shown.push(text.clone()),
        }
        keys.push(expr(&text)?);
    }
    select.projection = items(&format!("{}, {number}", shown.join(", ")))?;
    select.group_by = GroupByExpr::Expressions(keys, Vec::new());
    select.distinct = None;
    Ok(())
}

fn order(query: &mut Query, reading: &Reading, names: &Names) -> Result<(), String> {
    if let Some(select) = select(query)
        && let GroupByExpr::Expressions(groups, _) = &select.group_by
        && !groups.is_empty()
    {
        let whole = groups.iter().any(|group| group.to_string() == format!("{}.id", names.reached[0].name()));
        for (key, _) in &reading.order {
            let there = !matches!(key, Key::Column(_) | Key::Part(..))
                || groups.iter().any(|group| group.to_string() == names.key(key));
            let own = whole && matches!(key, Key::Column(column) if Some(&column.table) == names.reached.first());
            if !there && !own {
                return Err(format!("groups have no {}", names.key(key)));
            }
        }
    }
    if !reading.order.is_empty() {
        let texts =
            reading.order.iter().map(|(key, down)| format!("{}{}", names.key(key), if *down { " DESC" } else { "" }));
        let text = texts.collect::<Vec<_>>().join(", ");
        query.order_by = one_query(&format!("SELECT 1 ORDER BY {text}"))?.order_by;
    }
    if let Some(turn) = reading.turn {
        let Some(OrderByKind::Expressions(all)) = query.order_by.as_mut().map(|order| &mut order.kind) else {
            return Err("there is no order yet: say what it is to be sorted by".into());
        };
        for by in all {
            let down = by.options.sort == Some(sqlparser::ast::OrderBySort::Desc);
            by.options.sort = turn.unwrap_or(!down).then_some(sqlparser::ast::OrderBySort::Desc);
        }
    }
    Ok(())
}

/// The rows of a neighbour that belong to those of a query.
fn follow_up(mut query: Query, to: Table) -> Result<String, String> {
    let main = *tables(select(&query).ok_or(NOT_OURS)?)?.first().ok_or(NOT_OURS)?;
    let (own, theirs) = match (main, to) {
        (Table::Users, Table::Orders) => ("user_id", "id"),
        (Table::Orders, Table::Users) => ("id", "user_id"),
        (Table::Orders, Table::Items) => ("order_id", "id"),
        (Table::Items, Table::Orders) => ("id", "order_id"),
        (Table::Items, Table::Products) => ("id", "product_id"),
        (Table::Products, Table::Items) => ("product_id", "id"),
        _ => {
            return Err(format!(
                "the demonstration goes from {} to {} in steps: ask for what lies between",
                main.name(),
                to.name()
            ));
        }
    };
    let select = select_mut(&mut query).ok_or(NOT_OURS)?;
    if is_grouped(select) || select.projection.iter().any(is_number) {
        return Err(format!("the rows are {} no longer: ask anew", main.name()));
    }
    let prefix = if select.from[0].joins.is_empty() { String::new() } else { format!("{}.", main.name()) };
    select.projection = items(&format!("{prefix}{theirs}"))?;
    Ok(format!("SELECT * FROM {} WHERE {own} IN ({query});", to.name()))
}
