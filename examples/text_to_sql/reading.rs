//! What a text asks for, read word by word by fixed rules. A word that no rule knows is an error: nothing is guessed.

use jiff::civil::Date;

use super::vocabulary::{COLUMNS, Column, TABLES, Table, Vocabulary};
use super::words::Words;

/// A condition on a column: an operator and what follows it, in SQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// The column.
    pub column: &'static Column,
    /// `=`, `<>`, `<`, `>`, `<=`, `>=`, `IN`, `NOT IN`, `LIKE`, `IS`.
    pub op: &'static str,
    /// What follows.
    pub value: String,
}

/// What rows are put in order or into groups by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// A column.
    Column(&'static Column),
    /// The rows of a table.
    Table(Table),
    /// The month or the year of a column, by its format.
    Part(&'static Column, &'static str, &'static str),
    /// How many rows of a table there are.
    Count(Table),
    /// What a measure comes to.
    Measure(Measure),
}

/// A number made of many rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measure {
    /// Of a column: the function, and the column.
    Of(&'static str, &'static Column),
    /// What was taken in.
    Revenue,
    /// How many pieces were sold.
    Sold,
}

/// What is done with the columns that are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// They alone are shown.
    Set,
    /// They are shown, too.
    Add,
    /// They are shown no longer.
    Drop,
}

/// A part that is taken away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All conditions, or those on one column.
    Filters(Option<&'static Column>),
    /// The order.
    Order,
    /// The limit.
    Limit,
    /// The groups.
    Groups,
}

/// What a text asks for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// What it is about, where it says so.
    pub subject: Option<Table>,
    /// Conditions.
    pub filters: Vec<Filter>,
    /// Tables of which there must be a row, or none.
    pub exists: Vec<(Table, bool)>,
    /// How many rows of a table there must be.
    pub having: Option<(Table, &'static str, u32)>,
    /// Columns, and what is done with them.
    pub columns: Vec<&'static Column>,
    /// What is done with them.
    pub manner: Option<Columns>,
    /// A table that is shown beside the subject.
    pub beside: Option<Table>,
    /// A table whose rows are asked for that belong to those of the query.
    pub follow: Option<Table>,
    /// Whether it asks how many there are.
    pub count: bool,
    /// A number that it asks for.
    pub measure: Option<Measure>,
    /// What is grouped by.
    pub groups: Vec<Key>,
    /// What is ordered by, and whether downwards.
    pub order: Vec<(Key, bool)>,
    /// Another direction of the order that there is: downwards, upwards, or the other one.
    pub turn: Option<Option<bool>>,
    /// How many rows.
    pub limit: Option<u32>,
    /// Whether no row stands there twice.
    pub distinct: bool,
    /// What is taken away.
    pub without: Vec<Part>,
    /// How words were taken that have one plain sense.
    pub remarks: Vec<String>,
    /// What was taken for granted: it may well be meant otherwise.
    pub notes: Vec<String>,
}

/// The query that is to be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Current {
    /// The table that it is about.
    pub table: Table,
    /// Whether it gives one number.
    pub number: bool,
    /// Whether it says in what order its rows come.
    pub ordered: bool,
    /// The table whose rows it sums up or counts, where it is joined to the one that it is about.
    pub summed: Option<Table>,
}

/// Reads a text: what a new query is to give, or what is to be changed of one on `current`.
///
/// # Errors
/// A word that is not known, or something that cannot be done.
pub fn read(text: &str, current: Option<Current>, vocabulary: &Vocabulary, today: Date) -> Result<Reading, String> {
    let words = Words::of(text);
    let number = current.is_some_and(|current| current.number);
    let ordered = current.is_some_and(|current| current.ordered);
    let summed = current.and_then(|current| current.summed);
    let current = current.map(|current| current.table);
    let mut reader = Reader {
        counts: number
            || contains(
                &words,
                "how many|count|number of|average|mean|sum|revenue|sales|turnover|spending|maximum|minimum",
            ),
        asks: words.peek_one("what is|what's|what was|what are|show the|show me the|give me the").is_some(),
        refines: current.is_some(),
        ordered,
        summed,
        periods: Vec::new(),
        top: false,
        registered: false,
        subject: None,
        mentioned: Vec::new(),
        via: None,
        reading: Reading::default(),
        pending: None,
        negated: false,
        singular: false,
        superlative: false,
        unknown: Vec::new(),
        words,
        vocabulary,
        today,
    };
    reader.survey(current);
    reader.run()?;
    reader.finish()
}

fn contains(words: &Words, phrases: &str) -> bool {
    let all = format!(" {} ", words.rest().join(" "));
    phrases.split('|').any(|phrase| all.contains(&format!(" {phrase} ")))
}

struct Reader<'v> {
    words: Words,
    vocabulary: &'v Vocabulary,
    today: Date,
    /// Whether something is counted or summed up somewhere.
    counts: bool,
    /// Whether it begins by asking for a value.
    asks: bool,
    /// Whether it changes a query.
    refines: bool,
    /// Whether the query that it changes has an order.
    ordered: bool,
    /// The table whose rows that query sums up.
    summed: Option<Table>,
    /// The places of the conditions that are periods of which it is not said what they are of.
    periods: Vec<usize>,
    /// Whether it asks for the top of something.
    top: bool,
    /// Whether the next period is said to be that of the users.
    registered: bool,
    subject: Option<Table>,
    /// The tables that are mentioned.
    mentioned: Vec<Table>,
    /// The table that a verb speaks of: who ordered, what was sold.
    via: Option<Table>,
    reading: Reading,
    /// A column that was named last, and nothing was said of it yet.
    pending: Option<&'static Column>,
    negated: bool,
    /// Whether the subject is one row.
    singular: bool,
    /// Whether a superlative without a number stands there.
    superlative: bool,
    unknown: Vec<String>,
}

impl Reader<'_> {
    /// What the text is about: the first table that it mentions, else that of what it says.
    fn survey(&mut self, current: Option<Table>) {
        let from = self.words.place();
        let (mut hinted, mut verb) = (None, false);
        while !self.words.done() {
            if self.sorting_verb() {
                continue;
            }
            if let Some((table, single)) = self.table_here() {
                self.singular |= self.mentioned.is_empty() && single;
                self.mentioned.push(table);
            } else if self.words.take("ordered|bought|purchased|sold|never ordered|never bought") {
                verb = true;
            } else if self.words.take("revenue|sales|turnover|spending") {
                hinted = hinted.or(Some(Table::Orders));
            } else {
                // A value or a column says it where it is only of one table; what an order is made of repeats what is elsewhere.
                let values = self.vocabulary.at(self.words.rest());
                let named = COLUMNS.iter().filter(|column| self.words.peek_one(column.words).is_some());
                let mut tables: Vec<Table> = match values.is_empty() {
                    true => named.map(|column| column.table).filter(|table| *table != Table::Items).collect(),
                    false => values.iter().map(|(_, _, column)| column.table).collect(),
                };
                tables.dedup();
                hinted = hinted.or(if tables.len() == 1 { tables.pop() } else { None });
                self.words.skip(1);
            }
        }
        self.words.back(from);
        self.reading.subject = self.mentioned.first().copied().or(hinted.filter(|_| current.is_none()));
        self.subject = current.or(self.reading.subject);
        self.singular |=
            contains(&self.words, "which has|who has|which one|which is|who is|who spent|which spent|has spent");
        if verb && !matches!(self.subject, Some(Table::Orders)) {
            self.via = Some(Table::Orders);
        }
    }

    fn run(&mut self) -> Result<(), String> {
        while !self.words.done() {
            let known = self.words.take("please")
                || self.removal()
                || self.existence()
                || self.sorting()?
                || self.grouping()?
                || self.periods()?
                || self.comparison()?
                || self.superlatives()?
                || self.measures()
                || self.limits()
                || self.values()
                || self.names()
                || self.columns()
                || self.tables()
                || self.small();
            if !known {
                let word = self.words.next_raw().unwrap_or_default();
                self.unknown.push(word);
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Reading, String> {
        if !self.unknown.is_empty() {
            let all: Vec<String> = self.unknown.iter().map(|word| format!("`{word}`")).collect();
            return Err(format!("the demonstration does not understand {}", all.join(", ")));
        }
        if self.negated {
            return Err("the demonstration does not understand what is not wanted".into());
        }
        // Who ordered at all, where nothing is said of what, or when.
        let told = |column: &Column| Some(column.table) != self.subject && column.table != Table::Users;
        let far = self.reading.filters.iter().any(|filter| told(filter.column));
        if let (Some(_), false, true, Some(subject)) = (self.via, far, self.reading.exists.is_empty(), self.subject) {
            let bought = if subject == Table::Users { Table::Orders } else { Table::Items };
            let measured = self.reading.order.iter().any(|(key, _)| matches!(key, Key::Count(_) | Key::Measure(_)));
            self.reading.exists.extend((!measured).then_some((bought, true)));
        }
        if self.superlative && self.singular && self.reading.limit.is_none() {
            self.reading.limit = Some(1);
        }
        if self.reading.count && self.reading.measure.is_some() {
            return Err("the demonstration counts or sums up, not both at once".into());
        }
        let ordered = self.ordered && !self.reading.without.contains(&Part::Order);
        if self.top && self.reading.order.is_empty() && !ordered {
            return Err(
                "it does not say top by what: add `by revenue`, `by price`, or what else they are ranked by".into()
            );
        }
        self.date_of_sums();
        Ok(self.reading)
    }

    /// Where something is summed up or counted, a period is that of its rows.
    fn date_of_sums(&mut self) {
        let reading = &self.reading;
        let of = |measure: &Measure| match measure {
            Measure::Of(_, column) => column.table,
            Measure::Revenue | Measure::Sold => Table::Orders,
        };
        let key = reading.order.iter().find_map(|(key, _)| match key {
            Key::Count(table) => Some(*table),
            Key::Measure(measure) => Some(of(measure)),
            _ => None,
        });
        let said = reading.measure.as_ref().map(of).or(key).or(reading.having.map(|(table, ..)| table));
        let before = self.summed.filter(|_| !reading.count);
        let Some(date) = said.or(before).and_then(Table::date) else { return };
        for at in std::mem::take(&mut self.periods) {
            let filter = &mut self.reading.filters[at];
            if filter.column != date {
                filter.column = date;
                let note = format!("the period is that of {} in {}", date.name, date.table.name());
                if !self.reading.notes.contains(&note) {
                    self.reading.notes.push(note);
                }
            }
        }
    }

    /// The table that is named here.
    fn table_here(&mut self) -> Option<(Table, bool)> {
        let found = TABLES.into_iter().flat_map(|table| {
            let (one, several) = table.words();
            let of = |words: &'static str, single| self.words.peek_one(words).map(|phrase| (phrase, table, single));
            [of(several, false), of(one, true)]
        });
        let (phrase, table, single) = found.flatten().max_by_key(|(phrase, ..)| phrase.split(' ').count())?;
        self.words.skip(phrase.split(' ').count());
        Some((table, single))
    }

    /// The column that is named here: that of the subject, else of a table that is mentioned, else the first one.
    fn column_here(&mut self) -> Option<&'static Column> {
        let here: Vec<(&str, &'static Column)> =
            COLUMNS.iter().filter_map(|column| Some((self.words.peek_one(column.words)?, column))).collect();
        let longest = here.iter().map(|(phrase, _)| phrase.split(' ').count()).max()?;
        let fitting =
            || here.iter().filter(|(phrase, _)| phrase.split(' ').count() == longest).map(|(_, column)| *column);
        let found = self.nearest(fitting)?;
        self.words.skip(longest);
        Some(found)
    }

    fn nearest<I: Iterator<Item = &'static Column>>(&self, all: impl Fn() -> I) -> Option<&'static Column> {
        let mut preferred = self.subject.into_iter().chain(self.mentioned.iter().copied());
        let preferred = preferred.find_map(|table| all().find(|column| column.table == table));
        let distance = |column: &&Column| {
            let at = |table: Table| TABLES.iter().position(|of| *of == table).unwrap_or(0);
            self.subject.map_or(0, |subject| at(subject).abs_diff(at(column.table)))
        };
        preferred.or_else(|| all().min_by_key(distance))
    }

    /// The column of days that is meant.
    fn date(&self) -> Result<&'static Column, String> {
        let table = self.via.or(self.subject);
        let table = table.ok_or("it does not say what to look for: users, orders, order items or products")?;
        table.date().ok_or_else(|| format!("{} have no date; say `sold last month`, or ask for orders", table.name()))
    }

    fn filter(&mut self, column: &'static Column, op: &'static str, value: String) {
        self.reading.filters.push(Filter { column, op, value });
        self.pending = None;
    }

    /// Takes back that a column is to be shown: something else is said of it.
    fn pending_column(&mut self) -> Option<&'static Column> {
        let column = self.pending.take()?;
        if self.reading.columns.last() == Some(&column) {
            self.reading.columns.pop();
        }
        Some(column)
    }
}

mod rules;
#[cfg(test)]
mod tests;
