//! Queries that leave open which rows come first.

use super::sql::one_query;

/// Whether a query gives some of its rows, and no order says which.
pub fn unordered(query: &str) -> bool {
    one_query(query).is_ok_and(|query| query.limit_clause.is_some() && query.order_by.is_none())
}

#[cfg(test)]
mod tests {
    use super::unordered;

    #[test]
    fn what_leaves_open_which_rows_come_first() {
        for (query, open) in [
            ("SELECT * FROM users LIMIT 5", true),
            ("SELECT * FROM users WHERE city = 'Riga' LIMIT 5 OFFSET 2", true),
            ("SELECT * FROM users ORDER BY name LIMIT 5", false),
            ("SELECT * FROM users", false),
            ("SELECT COUNT(*) FROM (SELECT * FROM users LIMIT 5)", false),
        ] {
            assert_eq!(unordered(query), open, "{query}");
        }
    }
}
