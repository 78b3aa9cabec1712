//! Periods: the `date_range` type. Absolute periods and symbolic ones, and how a symbolic one becomes an interval.

use std::fmt;

use jiff::civil::Date;
use jiff::{Span, ToSpan, Unit};

use super::names::{Names, Sym};

/// A period. Its text form is what files, state and messages show: `2020`, `2020-Q1`, `2020-03`, `2020-03-05`,
/// `2020-03-05/2020-03-20` (both days included), or the name of a relative period (`LAST_30_DAYS`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Period {
    /// A whole year.
    Year(i16),
    /// A quarter, 1 to 4, of a year.
    Quarter(i16, u8),
    /// A month, 1 to 12, of a year.
    Month(i16, u8),
    /// One day.
    Day(Date),
    /// From the first day to the last, both included.
    Range(Date, Date),
    /// A relative period of the pack, by name.
    Relative(Sym),
}

/// The calendar unit of a relative period. Weeks begin on Monday.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PeriodUnit {
    /// A day.
    Day,
    /// A week, from Monday.
    Week,
    /// A calendar month.
    Month,
    /// A calendar quarter.
    Quarter,
    /// A calendar year.
    Year,
}

/// What a relative period means: it starts at the start of the unit that holds today, moved by `offset` units, and is
/// `length` units long. `LAST_MONTH` is `{ unit = "month", offset = -1, length = 1 }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelativePeriod {
    /// The name, as it stands in state.
    pub name: Sym,
    /// The unit.
    pub unit: PeriodUnit,
    /// How many units before (negative) or after today's it starts.
    pub offset: i32,
    /// How many units it lasts, at least 1.
    pub length: u32,
}

impl RelativePeriod {
    /// The first and the last day, both included, seen from `today`; `None` where the calendar ends.
    #[must_use]
    pub fn interval(&self, today: Date) -> Option<(Date, Date)> {
        let start = match self.unit {
            PeriodUnit::Day => today,
            PeriodUnit::Week => today.checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days()).ok()?,
            PeriodUnit::Month => today.first_of_month(),
            PeriodUnit::Quarter => Date::new(today.year(), (today.month() - 1) / 3 * 3 + 1, 1).ok()?,
            PeriodUnit::Year => today.first_of_year(),
        };
        let first = start.checked_add(self.span(i64::from(self.offset))?).ok()?;
        let next = first.checked_add(self.span(i64::from(self.length))?).ok()?;
        Some((first, next.yesterday().ok()?))
    }

    fn span(&self, count: i64) -> Option<Span> {
        let (unit, count) = match self.unit {
            PeriodUnit::Day => (Unit::Day, count),
            PeriodUnit::Week => (Unit::Week, count),
            PeriodUnit::Month => (Unit::Month, count),
            PeriodUnit::Quarter => (Unit::Month, count.checked_mul(3)?),
            PeriodUnit::Year => (Unit::Year, count),
        };
        match unit {
            Unit::Day => Span::new().try_days(count).ok(),
            Unit::Week => Span::new().try_weeks(count).ok(),
            Unit::Month => Span::new().try_months(count).ok(),
            _ => Span::new().try_years(count).ok(),
        }
    }
}

impl Period {
    /// Reads the text form of a period. Relative names are those of `relative`. `None` when the text is no period, or no
    /// such day exists.
    #[must_use]
    pub fn parse(text: &str, names: &Names, relative: &[RelativePeriod]) -> Option<Self> {
        if let Some((first, last)) = text.split_once('/') {
            let (first, last) = (day(first)?, day(last)?);
            return (first <= last).then_some(Period::Range(first, last));
        }
        if let Some(absolute) = absolute(text) {
            return Some(absolute);
        }
        let sym = names.get(text)?;
        relative.iter().any(|r| r.name == sym).then_some(Period::Relative(sym))
    }

    /// Whether a text has the form of a name: where it is a period it is a relative one.
    #[must_use]
    pub fn is_name(text: &str) -> bool {
        text.starts_with(char::is_alphabetic) && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
    }

    /// The first and the last day, both included; `None` for a relative period that `relative` does not hold.
    #[must_use]
    pub fn interval(&self, today: Date, relative: &[RelativePeriod]) -> Option<(Date, Date)> {
        match *self {
            Period::Year(year) => Some((Date::new(year, 1, 1).ok()?, Date::new(year, 12, 31).ok()?)),
            Period::Quarter(year, quarter) => {
                let first = Date::new(year, (quarter as i8 - 1) * 3 + 1, 1).ok()?;
                Some((first, Date::new(year, quarter as i8 * 3, 1).ok()?.last_of_month()))
            }
            Period::Month(year, month) => {
                let first = Date::new(year, month as i8, 1).ok()?;
                Some((first, first.last_of_month()))
            }
            Period::Day(date) => Some((date, date)),
            Period::Range(first, last) => Some((first, last)),
            Period::Relative(name) => relative.iter().find(|r| r.name == name)?.interval(today),
        }
    }

    /// The period as text; see [`Period`].
    #[must_use]
    pub fn display<'a>(&'a self, names: &'a Names) -> impl fmt::Display + 'a {
        Shown { period: self, names }
    }
}

struct Shown<'a> {
    period: &'a Period,
    names: &'a Names,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self.period {
            Period::Year(year) => write!(f, "{year:04}"),
            Period::Quarter(year, quarter) => write!(f, "{year:04}-Q{quarter}"),
            Period::Month(year, month) => write!(f, "{year:04}-{month:02}"),
            Period::Day(date) => write!(f, "{date}"),
            Period::Range(first, last) => write!(f, "{first}/{last}"),
            Period::Relative(name) => f.write_str(self.names.text(name)),
        }
    }
}

fn digits(text: &str, count: usize) -> Option<i16> {
    (text.len() == count && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

fn day(text: &str) -> Option<Date> {
    match absolute(text)? {
        Period::Day(date) => Some(date),
        _ => None,
    }
}

fn absolute(text: &str) -> Option<Period> {
    let mut pieces = text.split('-');
    let year = digits(pieces.next()?, 4)?;
    let Some(second) = pieces.next() else {
        return Some(Period::Year(year));
    };
    let third = pieces.next();
    if pieces.next().is_some() {
        return None;
    }
    if let Some(quarter) = second.strip_prefix('Q') {
        let quarter = digits(quarter, 1)?;
        return (third.is_none() && (1..=4).contains(&quarter)).then_some(Period::Quarter(year, quarter as u8));
    }
    let month = digits(second, 2)?;
    if !(1..=12).contains(&month) {
        return None;
    }
    match third {
        None => Some(Period::Month(year, month as u8)),
        Some(third) => Date::new(year, month as i8, digits(third, 2)? as i8).ok().map(Period::Day),
    }
}

/// Why a text is no period although it has the form of one: what in it there is not.
#[must_use]
pub fn impossible(text: &str) -> Option<String> {
    if let Some((first, last)) = text.split_once('/') {
        let end = |text: &str| impossible(text).filter(|_| text.len() == 10);
        return end(first)
            .or_else(|| end(last))
            .or_else(|| (day(first)? > day(last)?).then(|| "it ends before it begins".to_owned()));
    }
    let mut pieces = text.split('-');
    let year = digits(pieces.next()?, 4)?;
    let (second, third) = (pieces.next()?, pieces.next());
    if pieces.next().is_some() {
        return None;
    }
    if let Some(quarter) = second.strip_prefix('Q').and_then(|quarter| digits(quarter, 1)) {
        return (third.is_none() && !(1..=4).contains(&quarter)).then(|| format!("there is no quarter {quarter}"));
    }
    let month = digits(second, 2)?;
    if !(1..=12).contains(&month) {
        return Some(format!("there is no month {second}"));
    }
    let written = third.and_then(|third| digits(third, 2))?;
    let last = Date::new(year, month as i8, 1).ok()?.days_in_month();
    (!(1..=i16::from(last)).contains(&written)).then(|| format!("{year:04}-{second} has the days 01 to {last}"))
}

/// Why a text is no instant although it has the form of one.
#[must_use]
pub fn impossible_instant(text: &str) -> Option<String> {
    let (date, time) = text.split_once(['T', 't', ' '])?;
    if date.len() != 10 {
        return None;
    }
    if let Some(why) = impossible(date) {
        return Some(why);
    }
    day(date)?;
    let mut pieces = time.split(':');
    let (hour, minute) = (digits(pieces.next()?, 2)?, digits(pieces.next()?.get(..2)?, 2)?);
    let second = pieces.next().and_then(|second| digits(second.get(..2)?, 2)).unwrap_or(0);
    match () {
        () if hour > 23 => Some(format!("there is no hour {hour}")),
        () if minute > 59 => Some(format!("there is no minute {minute}")),
        () if second > 60 => Some(format!("there is no second {second}")),
        () if !time.ends_with(['Z', 'z']) && !time.contains(['+', '-']) => Some("it has no time zone".to_owned()),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_forms_round_trip_and_impossible_days_are_refused() {
        let mut names = Names::default();
        let last = names.intern("LAST_30_DAYS");
        let relative = [RelativePeriod { name: last, unit: PeriodUnit::Day, offset: -29, length: 30 }];
        for text in ["2020", "2020-Q1", "2020-03", "2020-02-29", "2020-03-05/2020-03-20", "LAST_30_DAYS"] {
            let period = Period::parse(text, &names, &relative).unwrap_or_else(|| panic!("{text} is a period"));
            assert_eq!(period.display(&names).to_string(), text);
        }
        let why = |text| impossible(text).unwrap_or_default();
        assert_eq!(why("2020-13"), "there is no month 13");
        assert_eq!(why("2020-00-10"), "there is no month 00");
        assert_eq!(why("2020-02-30"), "2020-02 has the days 01 to 29");
        assert_eq!(why("2020-Q5"), "there is no quarter 5");
        assert_eq!(why("2020-03-20/2020-03-05"), "it ends before it begins");
        assert_eq!(why("2020-03-20/2020-04-31"), "2020-04 has the days 01 to 30");
        let why = |text| impossible_instant(text).unwrap_or_default();
        assert_eq!(why("2020-02-30T10:00:00Z"), "2020-02 has the days 01 to 29");
        assert_eq!(why("2020-02-20T25:00:00Z"), "there is no hour 25");
        assert_eq!(why("2020-02-20T10:70:00Z"), "there is no minute 70");
        assert_eq!(why("2020-02-20T10:00:00"), "it has no time zone");
        for text in ["2020", "2020-03", "2020-03-05", "2020-3", "next", "20-03", "", "2020-03-05/2020-03-20"] {
            assert_eq!(impossible(text), None, "{text}");
        }
        for text in
            ["2020-13", "2020-03-35", "2019-02-29", "20-03", "2020-Q5", "", "2020-03-20/2020-03-05", "NEXT", "2020-3"]
        {
            assert_eq!(Period::parse(text, &names, &relative), None, "{text}");
        }
    }

    #[test]
    fn relative_periods_become_intervals() {
        let mut names = Names::default();
        let name = names.intern("R");
        let today = Date::new(2021, 5, 10).unwrap();
        let interval = |unit, offset, length| {
            let (a, b) = RelativePeriod { name, unit, offset, length }.interval(today).unwrap();
            format!("{a}/{b}")
        };
        assert_eq!(interval(PeriodUnit::Day, -29, 30), "2021-04-11/2021-05-10");
        assert_eq!(interval(PeriodUnit::Month, -1, 1), "2021-04-01/2021-04-30");
        assert_eq!(interval(PeriodUnit::Week, -1, 1), "2021-05-03/2021-05-09");
        assert_eq!(interval(PeriodUnit::Quarter, -1, 1), "2021-01-01/2021-03-31");
        assert_eq!(interval(PeriodUnit::Year, -1, 1), "2020-01-01/2020-12-31");
    }
}
