//! Periods in words: `last month`, `in March 2026`, `since 2025-06-01`.

use jiff::civil::{Date, date};

use super::words::Words;

/// Bounds of a column with days, each an operator and an SQL expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Period {
    /// The bounds.
    pub bounds: Vec<(&'static str, String)>,
    /// How the words were taken.
    pub remark: Option<String>,
    /// What was taken for granted.
    pub note: Option<String>,
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// A stretch of days that has a name: its first day, and the first one after it.
type Stretch = (Date, Date);

impl Period {
    fn new(bounds: Vec<(&'static str, String)>) -> Self {
        Self { bounds, remark: None, note: None }
    }
}

/// Takes a period from where the words stand.
pub fn period(words: &mut Words, today: Date) -> Option<Period> {
    let from = words.place();
    let mut found = relative(words);
    if found.is_none() {
        words.back(from);
        found = absolute(words, today);
    }
    if found.is_none() {
        words.back(from);
    }
    found
}

fn relative(words: &mut Words) -> Option<Period> {
    if words.take("today") {
        return Some(Period::new(vec![("=", "DATE('now')".into())]));
    }
    if words.take("yesterday") {
        return Some(Period::new(vec![("=", "DATE('now', '-1 day')".into())]));
    }
    words.take("in the|from the|of the|during the|within the|over the|for the|since|in|from|of|during|for|the");
    if words.take("this") {
        let first = match words.take_one("week|month|year")? {
            "week" => "DATE('now', 'weekday 0', '-6 days')",
            "month" => "DATE('now', 'start of month')",
            _ => "DATE('now', 'start of year')",
        };
        return Some(Period::new(vec![(">=", first.into())]));
    }
    if !words.take("last|past|previous") {
        return None;
    }
    let count = words.number();
    let unit = words.take_one("day|days|week|weeks|month|months|quarter|quarters|year|years")?;
    let unit = unit.trim_end_matches('s');
    let number = count.unwrap_or(1);
    let (number, sql) = match unit {
        "week" => (number.checked_mul(7)?, "day"),
        "quarter" => (number.checked_mul(3)?, "month"),
        unit => (number, unit),
    };
    let plural = if number == 1 { "" } else { "s" };
    let mut period = Period::new(vec![(">=", format!("DATE('now', '-{number} {sql}{plural}')"))]);
    if count.is_none() {
        period.remark = Some(format!("`last {unit}` is the {unit} up to today"));
    }
    Some(period)
}

fn absolute(words: &mut Words, today: Date) -> Option<Period> {
    if words.take("between|from") {
        let from = words.place();
        if let Some((first, _)) = stretch(words, today, true).map(|(first, _)| first)
            && words.take("and|to|until|till")
            && let Some(((_, end), _)) = stretch(words, today, true)
        {
            return Some(Period::new(vec![(">=", format!("'{first}'")), ("<", format!("'{end}'"))]));
        }
        words.back(from - 1);
    }
    let how = words.take_one("since|after|before|until|till|in|from|of|during|for|on");
    let ((first, end), note) = stretch(words, today, how.is_some())?;
    let bounds = match how {
        Some("since") => vec![(">=", format!("'{first}'"))],
        Some("after") => vec![(">=", format!("'{end}'"))],
        Some("before") => vec![("<", format!("'{first}'"))],
        Some("until" | "till") => vec![("<", format!("'{end}'"))],
        _ if first.tomorrow().is_ok_and(|next| next == end) => vec![("=", format!("'{first}'"))],
        _ => vec![(">=", format!("'{first}'")), ("<", format!("'{end}'"))],
    };
    Some(Period { bounds, remark: None, note })
}

/// A day, a month or a year. A year by itself is a number like any other unless a word before it says that it is one.
fn stretch(words: &mut Words, today: Date, year_may_be: bool) -> Option<(Stretch, Option<String>)> {
    let from = words.place();
    if let Some(day) = words.next().and_then(|word| word.parse::<Date>().ok()) {
        return Some(((day, day.tomorrow().ok()?), None));
    }
    words.back(from);
    if let Some(name) = words.take_one(&MONTHS.join("|")).map(str::to_owned) {
        let month = i8::try_from(MONTHS.iter().position(|of| **of == name)? + 1).ok()?;
        let said = year(words);
        // The last one that has begun.
        let year = said.unwrap_or(if month > today.month() { today.year() - 1 } else { today.year() });
        let note = said.is_none().then(|| format!("`{name}` is that of {year}"));
        let end = if month == 12 { date(year + 1, 1, 1) } else { date(year, month + 1, 1) };
        return Some(((date(year, month, 1), end), note));
    }
    let year = year(words).filter(|_| year_may_be);
    match year {
        Some(year) => Some(((date(year, 1, 1), date(year + 1, 1, 1)), None)),
        None => {
            words.back(from);
            None
        }
    }
}

fn year(words: &mut Words) -> Option<i16> {
    let from = words.place();
    let year = words
        .next()
        .filter(|word| word.len() == 4)
        .and_then(|word| word.parse().ok())
        .filter(|year| (1900..=2100).contains(year));
    if year.is_none() {
        words.back(from);
    }
    year
}
