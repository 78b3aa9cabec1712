//! Numbers as people read them: shares, percentages, tables.

/// A share of a whole, or an average; of nothing there is none.
#[must_use]
pub fn share(of: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| of as f64 / whole as f64)
}

/// A share as people read it, a dash where there is none. Only what is all or nothing reads as 100 or 0.
#[must_use]
pub fn percent(share: Option<f64>) -> String {
    match share {
        None => "–".into(),
        Some(share) if share > 0.0 && share < 1.0 => format!("{:.1}%", (share * 100.0).clamp(0.1, 99.9)),
        Some(share) => format!("{:.1}%", share * 100.0),
    }
}

/// A count of things, such as `2 turns`.
#[must_use]
pub fn plural(count: u64, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// A row of a table.
#[must_use]
pub fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

/// Rows with their cells below each other: the first column to the left, the others to the right.
#[must_use]
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
            if at == 0 {
                line.push_str(&format!("{cell:<width$}"));
            } else {
                line.push_str(&format!("  {cell:>width$}"));
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
