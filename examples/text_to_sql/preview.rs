//! Rows as a table for people.

use serde_json::Value as Json;

use super::database::Rows;

/// The most rows that are shown, and the most characters of a value.
const MOST: usize = 10;
const WIDEST: usize = 32;

/// A table of the first rows, and how many there are.
pub fn table(found: &Rows) -> String {
    let Rows { columns, rows, more } = found;
    let shown: Vec<Vec<String>> = rows.iter().take(MOST).map(|row| row.iter().map(cell).collect()).collect();
    let names: Vec<String> = columns.iter().map(|name| cut(name)).collect();
    let mut lines = Vec::new();
    if !shown.is_empty() {
        let widths: Vec<usize> = (0..names.len())
            .map(|at| std::iter::once(&names).chain(&shown).map(|row| row[at].chars().count()).max().unwrap_or(0))
            .collect();
        let numbers: Vec<bool> =
            (0..names.len()).map(|at| rows.iter().all(|row| row[at].is_number() || row[at].is_null())).collect();
        let line = |row: &[String]| {
            let cells = row.iter().enumerate().map(|(at, text)| {
                let blank = " ".repeat(widths[at] - text.chars().count());
                if numbers[at] { format!("{blank}{text}") } else { format!("{text}{blank}") }
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        lines.push(line(&names));
        lines.push(widths.iter().map(|width| "-".repeat(*width)).collect::<Vec<_>>().join("  "));
        lines.extend(shown.iter().map(|row| line(row)));
    }
    let count = rows.len();
    lines.push(match (count, more) {
        (0, _) => "no rows".to_owned(),
        (1, _) => "1 row".to_owned(),
        (_, true) => format!("… and more: the first {count} rows were taken"),
        _ if count > MOST => format!("… {count} rows in all"),
        _ => format!("{count} rows"),
    });
    lines.join("\n")
}

fn cell(value: &Json) -> String {
    match value {
        Json::Null => "NULL".into(),
        // As many digits as people read.
        Json::Number(number) => match number.as_f64().filter(|_| !number.is_i64()) {
            Some(float) => {
                let short = format!("{float:.4}");
                short.trim_end_matches('0').trim_end_matches('.').to_owned()
            }
            None => number.to_string(),
        },
        Json::String(text) => cut(text),
        other => cut(&other.to_string()),
    }
}

fn cut(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match plain.char_indices().nth(WIDEST) {
        Some(_) => plain.chars().take(WIDEST - 1).chain(std::iter::once('…')).collect(),
        None => plain,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(rows: Vec<Vec<Json>>, more: bool) -> String {
        table(&Rows { columns: vec!["id".into(), "name".into()], rows, more })
    }

    #[test]
    fn rows_stand_below_each_other() {
        let rows = vec![
            vec![json!(1), json!("Anna\nB")],
            vec![json!(10.25), json!(null)],
            vec![json!(1e-9), json!("ж".repeat(40))],
        ];
        let said = of(rows, false);
        let long = format!("{}…", "ж".repeat(31));
        let rule = "-".repeat(32);
        assert_eq!(said, format!("   id  name\n-----  {rule}\n    1  Anna B\n10.25  NULL\n    0  {long}\n3 rows"));
    }

    #[test]
    fn how_many_there_are() {
        let rows = |count: usize| vec![vec![json!(1), json!("a")]; count];
        assert_eq!(of(rows(0), false), "no rows");
        assert!(of(rows(1), false).ends_with("\n1 row"));
        assert!(of(rows(10), false).ends_with("\n10 rows"));
        let said = of(rows(12), false);
        assert!(said.ends_with("\n… 12 rows in all") && said.lines().count() == 13, "{said}");
        assert!(of(rows(50), true).ends_with("\n… and more: the first 50 rows were taken"));
    }
}
