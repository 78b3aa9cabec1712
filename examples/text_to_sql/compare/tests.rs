//! Pairs of queries with what is said of them, and a law: who writes a query otherwise has changed nothing.

use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::{SAME, compare};

/// Two queries and what changed.
const PAIRS: &[(&str, &str, &str)] = &[
    // S1, Enrich refinement result.
    (
        "SELECT * FROM users;",
        "SELECT * FROM users WHERE created_at >= DATE('now', '-1 month');",
        "Added WHERE clause to filter users from last month",
    ),
    // Filters.
    (
        "SELECT * FROM users",
        "SELECT * FROM users WHERE city = 'Riga'",
        "Added WHERE clause to filter users by city = 'Riga'",
    ),
    (
        "SELECT * FROM orders",
        "SELECT * FROM orders WHERE total > 100 AND ordered_at >= DATE('now', 'start of month')",
        "Added WHERE clause to filter orders from this month and by total > 100",
    ),
    (
        "SELECT * FROM orders",
        "SELECT * FROM orders WHERE ordered_at < '2026-04-01' AND ordered_at >= '2026-03-01'",
        "Added WHERE clause to filter orders from March 2026",
    ),
    (
        "SELECT * FROM orders WHERE ordered_at < '2026-04-01' AND ordered_at >= '2026-03-01'",
        "SELECT * FROM orders WHERE ordered_at >= '2025-01-01' AND ordered_at < '2026-01-01'",
        "Changed filter on ordered_at from `from March 2026` to `from 2025`",
    ),
    (
        "SELECT * FROM orders WHERE status = 'paid'",
        "SELECT * FROM orders WHERE status = 'paid' AND total > 100",
        "Added filter by total > 100",
    ),
    (
        "SELECT * FROM orders WHERE status = 'paid' AND total > 100",
        "SELECT * FROM orders WHERE total > 50",
        "Changed filter on total from `> 100` to `> 50`; Removed filter by status = 'paid'",
    ),
    ("SELECT * FROM orders WHERE total > 9", "SELECT * FROM orders", "Removed WHERE clause, the filter by total > 9"),
    (
        "SELECT * FROM users WHERE city = 'Riga' OR city = 'Oslo'",
        "SELECT * FROM users WHERE city = 'Riga'",
        "Added filter by city = 'Riga'; Removed filter by city = 'Oslo' OR city = 'Riga'",
    ),
    (
        "SELECT * FROM users WHERE email IS NOT NULL",
        "SELECT * FROM users WHERE email IS NULL",
        "Changed filter on email from `IS NOT NULL` to `IS NULL`",
    ),
    (
        "SELECT * FROM users WHERE (a = 1 OR b = 2) AND c = 3",
        "SELECT * FROM users WHERE a = 1 OR b = 2 AND c = 3",
        "Added filter by a = 1 OR b = 2 AND c = 3; Removed filter by a = 1 OR b = 2; Removed filter by c = 3",
    ),
    // The value of a text is no spelling.
    (
        "SELECT * FROM users WHERE city = 'Riga'",
        "SELECT * FROM users WHERE city = 'riga'",
        "Changed filter on city from `= 'Riga'` to `= 'riga'`",
    ),
    // Columns.
    ("SELECT * FROM users", "SELECT name FROM users", "Changed columns from all columns to name"),
    ("SELECT name FROM users", "SELECT name, email FROM users", "Added column email"),
    ("SELECT name, city, email FROM users", "SELECT name FROM users", "Removed columns city, email"),
    ("SELECT name, city FROM users", "SELECT city, name FROM users", "Changed columns to city, name"),
    ("SELECT name, city FROM users", "SELECT name, email FROM users", "Added column email; Removed column city"),
    ("SELECT * FROM users", "SELECT COUNT(*) FROM users", "Changed columns from all columns to COUNT(*)"),
    ("SELECT city FROM users", "SELECT DISTINCT city FROM users", "Added DISTINCT"),
    ("SELECT DISTINCT city FROM users", "SELECT city FROM users", "Removed DISTINCT"),
    // Tables.
    ("SELECT * FROM users", "SELECT * FROM orders", "Changed the table from users to orders"),
    (
        "SELECT * FROM orders WHERE status = 'paid'",
        "SELECT orders.* FROM orders JOIN users ON users.id = orders.user_id WHERE orders.status = 'paid' AND users.city = 'Riga'",
        "Added JOIN with users on orders.user_id = users.id; Added filter by users.city = 'Riga'",
    ),
    (
        "SELECT u.name FROM users u JOIN orders o ON o.user_id = u.id",
        "SELECT u.name FROM users u LEFT JOIN orders o ON o.user_id = u.id",
        "Changed JOIN with orders to LEFT JOIN",
    ),
    (
        "SELECT u.name FROM users u JOIN orders o ON o.user_id = u.id",
        "SELECT u.name FROM users u JOIN orders o ON o.user_id = u.id AND o.total > 5",
        "Changed JOIN with orders: now on orders.total > 5 AND orders.user_id = users.id",
    ),
    (
        "SELECT users.name FROM users JOIN orders ON orders.user_id = users.id",
        "SELECT users.name FROM users",
        "Removed JOIN with orders",
    ),
    ("SELECT 1 FROM users", "SELECT 1 FROM users, orders", "Added table orders"),
    // Grouping, order, limits.
    (
        "SELECT city, COUNT(*) FROM users",
        "SELECT city, COUNT(*) FROM users GROUP BY city HAVING COUNT(*) > 2",
        "Added GROUP BY city; Added HAVING clause to filter groups by COUNT(*) > 2",
    ),
    (
        "SELECT city FROM users GROUP BY city HAVING COUNT(*) > 2",
        "SELECT city FROM users GROUP BY city HAVING COUNT(*) > 3",
        "Changed filter of groups on COUNT(*) from `> 2` to `> 3`",
    ),
    (
        "SELECT city FROM users GROUP BY city",
        "SELECT city FROM users GROUP BY country",
        "Changed GROUP BY from city to country",
    ),
    ("SELECT * FROM users", "SELECT * FROM users ORDER BY name, city DESC", "Added ORDER BY name, city DESC"),
    (
        "SELECT * FROM users ORDER BY name",
        "SELECT * FROM users ORDER BY name DESC",
        "Changed ORDER BY from name to name DESC",
    ),
    (
        "SELECT * FROM users ORDER BY name, city",
        "SELECT * FROM users ORDER BY city, name",
        "Changed ORDER BY from name, city to city, name",
    ),
    ("SELECT * FROM users ORDER BY name", "SELECT * FROM users", "Removed ORDER BY name"),
    ("SELECT * FROM users", "SELECT * FROM users LIMIT 3", "Added LIMIT 3"),
    (
        "SELECT * FROM users LIMIT 10",
        "SELECT * FROM users LIMIT 3 OFFSET 6",
        "Changed LIMIT from 10 to 3; Added OFFSET 6",
    ),
    ("SELECT * FROM users LIMIT 3", "SELECT * FROM users", "Removed LIMIT 3"),
    // Several at once, in the order in which they stand in a query.
    (
        "SELECT * FROM users WHERE city = 'Riga' LIMIT 9",
        "SELECT name FROM users WHERE city = 'Oslo' ORDER BY name",
        "Changed columns from all columns to name; Changed filter on city from `= 'Riga'` to `= 'Oslo'`; Added ORDER BY name; Removed LIMIT 9",
    ),
    (
        "SELECT DISTINCT city FROM users WHERE id > 3",
        "SELECT COUNT(*) FROM (SELECT DISTINCT u.city FROM users u WHERE u.id > 3)",
        "Put the query before into a subquery: now COUNT(*) of its rows",
    ),
    (
        "SELECT DISTINCT city FROM users",
        "SELECT COUNT(*) FROM (SELECT DISTINCT city FROM users) LIMIT 1",
        "Changed the table from users to a subquery; Changed columns from city to COUNT(*); Removed DISTINCT; Added LIMIT 1",
    ),
    (
        "SELECT * FROM orders",
        "SELECT * FROM orders WHERE ordered_at >= '99999-99-01' AND ordered_at < '2026-00-01'",
        "Added WHERE clause to filter orders by ordered_at < '2026-00-01' and by ordered_at >= '99999-99-01'",
    ),
    // What is not taken apart is not passed over.
    ("SELECT 1 UNION SELECT 2", "SELECT 1 UNION ALL SELECT 2", "Changed the query as a whole"),
    ("SELECT * FROM users", "SELECT * FROM users UNION SELECT * FROM users", "Changed the query as a whole"),
    (
        "WITH x AS (SELECT 1 AS a) SELECT * FROM x",
        "WITH x AS (SELECT 2 AS a) SELECT * FROM x",
        "Changed other parts of the query",
    ),
    (
        "SELECT name FROM (SELECT name FROM users WHERE id > 1) AS t",
        "SELECT name FROM (SELECT name FROM users WHERE id > 2) AS t",
        "Changed other parts of the query",
    ),
    // The same in another spelling.
    ("SELECT * FROM users;", "select\n  *\nfrom Users", SAME),
    ("SELECT * FROM users WHERE a = 1 AND b = 2", "SELECT * FROM users WHERE (b = 2) AND (1 = a)", SAME),
    (
        "SELECT * FROM users WHERE a <> 1 AND (b > 2 OR c < 3)",
        "SELECT * FROM users WHERE (3 > c OR b > 2) AND a != 1",
        SAME,
    ),
    ("SELECT name FROM users ORDER BY name ASC", "SELECT users.name AS n FROM users ORDER BY n", SAME),
    (
        "SELECT city, COUNT(*) FROM users GROUP BY city ORDER BY 2 DESC",
        "SELECT u.city, count(*) AS n FROM users AS u GROUP BY 1 ORDER BY n DESC",
        SAME,
    ),
    (
        "SELECT u.name FROM users u JOIN orders o ON o.user_id = u.id",
        "SELECT users.name FROM users INNER JOIN orders ON users.id = orders.user_id",
        SAME,
    ),
    (
        "SELECT a.name FROM users a JOIN users b ON a.city = b.city",
        "SELECT x.name FROM users AS x JOIN users AS y ON x.city = y.city",
        SAME,
    ),
    ("SELECT * FROM users LIMIT 4, 2", "SELECT * FROM users LIMIT 2 OFFSET 4", SAME),
    (
        "SELECT * FROM users WHERE id IN (SELECT user_id FROM orders WHERE total > 5)",
        "SELECT * FROM users u WHERE u.id IN (SELECT o.user_id FROM orders o WHERE 5 < o.total)",
        SAME,
    ),
];

#[test]
fn what_changed() {
    for (before, after, said) in PAIRS {
        assert_eq!(compare(before, after).as_deref(), Ok(*said), "{before}\n{after}");
    }
}

#[test]
fn what_is_no_query_is_not_compared() {
    for (text, why) in [
        ("DROP TABLE users", "it is no query"),
        ("SELECT 1; SELECT 2", "it is 2 statements"),
        (" ", "it is empty"),
        ("SELECT FROM WHERE", "sql parser error"),
    ] {
        let said = compare("SELECT 1", text).expect_err(text);
        assert!(said.starts_with("the query after cannot be read: ") && said.contains(why), "{said}");
        let said = compare(text, "SELECT 1").expect_err(text);
        assert!(said.starts_with("the query before cannot be read: ") && said.contains(why), "{said}");
    }
}

/// A query in parts, each of which may be written in several ways.
#[derive(Debug, Clone)]
struct Drawn {
    joined: bool,
    distinct: bool,
    columns: Vec<usize>,
    filters: Vec<usize>,
    grouped: bool,
    order: Vec<usize>,
    limit: Option<u32>,
}

const COLUMNS: [&str; 4] = ["id", "name", "city", "created_at"];
/// Conditions on a column of users, each in two spellings; `@` is where the table may stand.
const FILTERS: [(&str, &str); 7] = [
    ("@city = 'Riga'", "'Riga' = @city"),
    ("@id > 3", "3 < @id"),
    ("@name <> 'Anna'", "@name != 'Anna'"),
    ("@created_at >= DATE('now', '-1 month')", "DATE('now', '-1 month') <= @created_at"),
    ("(@city = 'Oslo' OR @id < 9)", "(9 > @id OR @city = 'Oslo')"),
    ("@name LIKE 'A%'", "(@name LIKE 'A%')"),
    ("@city IN ('Riga', 'Oslo')", "@city IN ('Riga', 'Oslo')"),
];

fn drawn() -> impl Strategy<Value = Drawn> {
    let some = |max: usize, of: usize| subsequence((0..of).collect::<Vec<_>>(), 0..=max);
    let filters = some(4, FILTERS.len());
    let limit = prop::option::of(1..20_u32);
    (any::<bool>(), any::<bool>(), some(3, COLUMNS.len()), filters, any::<bool>(), some(2, COLUMNS.len()), limit)
        .prop_map(|(joined, distinct, columns, filters, grouped, order, limit)| Drawn {
            joined,
            distinct,
            columns,
            filters,
            grouped,
            order,
            limit,
        })
}

/// How it is written.
#[derive(Debug, Clone)]
struct Manner {
    alias: Option<&'static str>,
    upper: bool,
    space: &'static str,
    other: Vec<bool>,
    reversed: bool,
    named: bool,
    asc: bool,
    end: &'static str,
}

fn manner() -> impl Strategy<Value = Manner> {
    let alias = select(vec![None, Some("u"), Some("People")]);
    let space = select(vec![" ", "\n", "  ", "\t", " /* so */ "]);
    let other = prop::collection::vec(any::<bool>(), FILTERS.len());
    (alias, any::<bool>(), space, other, any::<bool>(), any::<bool>(), any::<bool>(), select(vec!["", ";", " ;"]))
        .prop_map(|(alias, upper, space, other, reversed, named, asc, end)| Manner {
            alias,
            upper,
            space,
            other,
            reversed,
            named,
            asc,
            end,
        })
}

fn written(query: &Drawn, manner: &Manner) -> String {
    let table = manner.alias.unwrap_or("users");
    // With a second table every column says where it is from.
    let qualified = query.joined || manner.alias.is_some();
    let of = |column: &str| if qualified { format!("{table}.{column}") } else { column.to_owned() };
    let mut words = vec!["SELECT".to_owned()];
    if query.distinct {
        words.push("DISTINCT".into());
    }
    let mut columns: Vec<String> = query
        .columns
        .iter()
        .enumerate()
        .map(|(at, column)| {
            let column = of(COLUMNS[*column]);
            if manner.named { format!("{column} AS c{at}") } else { column }
        })
        .collect();
    if columns.is_empty() {
        columns.push(if query.joined { format!("{table}.*") } else { "*".into() });
    }
    words.push(columns.join(", "));
    words.push("FROM users".into());
    words.extend(manner.alias.map(|alias| if manner.named { format!("AS {alias}") } else { alias.to_owned() }));
    if query.joined {
        let sides = if manner.reversed {
            format!("{table}.id = orders.user_id")
        } else {
            format!("orders.user_id = {table}.id")
        };
        words.push(format!("{} orders ON {sides}", if manner.named { "INNER JOIN" } else { "JOIN" }));
    }
    let mut filters: Vec<String> = query
        .filters
        .iter()
        .map(|at| {
            let (one, other) = FILTERS[*at];
            let prefix = if qualified { format!("{table}.") } else { String::new() };
            let text = if manner.other[*at] { other } else { one };
            text.replace('@', &prefix)
        })
        .collect();
    if manner.reversed {
        filters.reverse();
    }
    if !filters.is_empty() {
        words.push(format!("WHERE {}", filters.join(" AND ")));
    }
    if query.grouped && !query.columns.is_empty() {
        let named = |at: usize, column: usize| if manner.asc { (at + 1).to_string() } else { of(COLUMNS[column]) };
        let mut groups: Vec<String> = query.columns.iter().enumerate().map(|(at, column)| named(at, *column)).collect();
        if manner.reversed {
            groups.reverse();
        }
        words.push(format!("GROUP BY {}", groups.join(", ")));
    }
    if !query.order.is_empty() {
        let order = query.order.iter().enumerate().map(|(at, column)| match (at, manner.asc) {
            (0, true) => format!("{} ASC", of(COLUMNS[*column])),
            (0, false) => of(COLUMNS[*column]),
            _ => format!("{} DESC", of(COLUMNS[*column])),
        });
        words.push(format!("ORDER BY {}", order.collect::<Vec<_>>().join(", ")));
    }
    words.extend(query.limit.map(|limit| format!("LIMIT {limit}")));
    let mut text = words.join(manner.space) + manner.end;
    if manner.upper {
        // All but what stands in quotes.
        let pieces = text.split('\'').enumerate();
        text = pieces
            .map(|(at, piece)| if at % 2 == 0 { piece.to_uppercase() } else { piece.to_owned() })
            .collect::<Vec<_>>()
            .join("'");
    }
    text
}

proptest! {
    /// However a query is written, nothing has changed.
    #[test]
    fn another_spelling_is_no_change(query in drawn(), one in manner(), other in manner()) {
        let (before, after) = (written(&query, &one), written(&query, &other));
        prop_assert_eq!(compare(&before, &after), Ok(SAME.to_owned()), "{}\n{}", before, after);
    }

    /// Of two queries that are not the same something is said, and the same however they are written.
    #[test]
    fn a_change_is_told(one in drawn(), other in drawn(), as_one in manner(), as_other in manner()) {
        let plain = Manner { alias: None, upper: false, space: " ", other: vec![false; FILTERS.len()], reversed: false, named: false, asc: false, end: "" };
        let said = compare(&written(&one, &plain), &written(&other, &plain));
        prop_assert_eq!(said == Ok(SAME.to_owned()), written(&one, &plain) == written(&other, &plain));
        prop_assert_eq!(compare(&written(&one, &as_one), &written(&other, &as_other)), said);
    }
}
