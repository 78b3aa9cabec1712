//! The rules by which a text is read: each takes words from where they stand, or says that it is not its turn.

use super::super::dates::period;
use super::super::vocabulary::{COLUMNS, Column, Kind, Table, column};
use super::{Columns, Key, Measure, Part, Reader};

/// Words that change nothing.
const FILLERS: &str = "show|me|us|all|every|the|list|of|please|give|find|get|display|fetch|tell|see|which|what|what's|\
            whose|who|where|that|is|are|was|were|be|do|does|did|have|has|had|in|from|for|with|and|but|only|just|\
            too|also|them|those|these|they|their|its|it|this|ones|one|now|then|there|a|an|i|want|need|\
            would like|to|can|could|you|let|rows|results|result|records|live|lives|living|located|based|come|\
            comes|came|made|place|placed|still|any|on|at|about|how about|what about|same|meant|i'd like|instead|\
            again|by|he|she|his|her|him|as well|well|euro|euros|eur|dollars|each|so";

const MORE: &str = "more than|greater than|higher than|larger than|bigger than|over|above|exceeding|exceeds|>";
const LESS: &str = "less than|fewer than|lower than|smaller than|under|below|<";
const AT_LEAST: &str = "at least|not less than|no less than|>=";
const AT_MOST: &str = "at most|up to|no more than|not more than|<=";
const EXACTLY: &str = "exactly|equal to|equals|=";

impl Reader<'_> {
    pub(super) fn removal(&mut self) -> bool {
        let from = self.words.place();
        if !self.words.take("remove|drop|without|undo|clear|forget|no|hide|leave out") {
            return false;
        }
        self.words.take("the|any|that|this|a|an");
        let part = if self.words.take("filter|filters|condition|conditions") {
            Part::Filters(None)
        } else if self.words.take("limit|limits") {
            Part::Limit
        } else if self.words.take("sorting|ordering|order") && !self.words.take("by") {
            Part::Order
        } else if self.words.take("grouping|groups") {
            Part::Groups
        } else if self.words.take("date filter|period|date condition") {
            match self.date() {
                Ok(date) => Part::Filters(Some(date)),
                Err(_) => return self.nothing(from),
            }
        } else {
            match self.column_here() {
                Some(column) if self.words.take("filter|condition") => Part::Filters(Some(column)),
                Some(column) if column.name == "email" && self.subject == Some(Table::Users) && !self.drops(from) => {
                    self.filter(column, "IS", "NULL".into());
                    return true;
                }
                Some(column) => {
                    self.reading.columns.push(column);
                    self.reading.manner = Some(Columns::Drop);
                    return true;
                }
                None => return self.nothing(from),
            }
        };
        self.reading.without.push(part);
        true
    }

    /// Whether the words at a place order something to be taken away.
    pub(super) fn drops(&mut self, place: usize) -> bool {
        let here = self.words.place();
        self.words.back(place);
        let drops = self.words.take("remove|drop|hide|leave out");
        self.words.back(here);
        drops
    }

    pub(super) fn nothing(&mut self, place: usize) -> bool {
        self.words.back(place);
        false
    }

    /// Users without orders, who have an email, and their orders.
    pub(super) fn existence(&mut self) -> bool {
        let from = self.words.place();
        let nobody = "never ordered anything|never bought anything|never ordered|never bought|have not ordered|\
            have not bought|haven't ordered|did not order|didn't order|ordered nothing|bought nothing";
        if self.subject == Some(Table::Users) && self.words.take(nobody) {
            self.words.take("anything");
            self.via = None;
            self.reading.exists.push((Table::Orders, false));
            return true;
        }
        if self.subject == Some(Table::Products)
            && self.words.take("never sold|never ordered|not sold|never been sold|never been ordered|unsold")
        {
            self.via = None;
            self.reading.exists.push((Table::Items, false));
            return true;
        }
        if self.subject == Some(Table::Products) && self.words.take("out of stock|sold out") {
            self.filter(&COLUMNS[16], "=", "0".into());
            return true;
        }
        if self.subject == Some(Table::Products) && self.words.take("in stock|available") {
            self.filter(&COLUMNS[16], ">", "0".into());
            return true;
        }
        if self.words.take("and their|with their|and its|with its|together with their|along with their") {
            if let Some((table, _)) = self.table_here().filter(|(table, _)| Some(*table) != self.subject) {
                self.reading.beside = Some(table);
                return true;
            }
            return self.nothing(from);
        }
        let there = match self
            .words
            .take_one("with no|have no|has no|having no|without any|without|no|with any|have any|with|have|has|having")
        {
            Some(phrase) => !phrase.contains("no") && !phrase.starts_with("without"),
            None => return false,
        };
        if let Some((table, _)) = self.table_here().filter(|(table, _)| Some(*table) != self.subject) {
            self.reading.exists.push((table, there));
            return true;
        }
        let one = self.words.take("a|an|any");
        if let Some(column) = self.column_here().filter(|column| column.name == "email")
            && (one || !there)
        {
            self.filter(column, if there { "IS NOT" } else { "IS" }, "NULL".into());
            return true;
        }
        self.nothing(from)
    }

    pub(super) fn sorting_verb(&mut self) -> bool {
        let from = self.words.place();
        if !self.words.take("sort|sorted|order|ordered|rank|ranked|arrange|arranged|reorder|sorting|ordering") {
            return false;
        }
        let orders = self.words.place() - from;
        self.words.take("it|them|these|those|the result|the results|the list|this|that|all");
        let told =
            self.words.peek_one("by|alphabetically|in|from|descending|ascending").is_some() || self.words.take("first");
        if !told && orders > 0 {
            return self.nothing(from);
        }
        if self.words.peek_one("in|from").is_some()
            && self
                .words
                .peek_one(
                    "in ascending|in descending|in reverse|in alphabetical|in increasing|in decreasing|from high|\
            from low",
                )
                .is_none()
        {
            return self.nothing(from);
        }
        true
    }

    pub(super) fn sorting(&mut self) -> Result<bool, String> {
        if self.sorting_verb() {
            if self.words.take("by") {
                loop {
                    let key = self
                        .key()?
                        .ok_or_else(|| format!("it cannot be sorted by `{}`", self.words.next().unwrap_or_default()))?;
                    let down = self.direction().flatten();
                    let count = matches!(key, Key::Count(_) | Key::Measure(_));
                    self.reading.order.push((key, down.unwrap_or(count)));
                    let here = self.words.place();
                    if !(self.words.take("and then by|then by|and by|and then|then|and") && self.key_follows()) {
                        self.words.back(here);
                        return Ok(true);
                    }
                }
            }
            return Ok(true);
        }
        if self.words.take("alphabetically|in alphabetical order|by alphabet") {
            let name =
                self.nearest(|| COLUMNS.iter().filter(|column| column.name == "name" || column.name == "status"));
            self.reading.order.extend(name.map(|column| (Key::Column(column), false)));
            return Ok(true);
        }
        match self.direction() {
            Some(down) => {
                match self.reading.order.last_mut() {
                    Some((_, was)) => *was = down.unwrap_or(!*was),
                    None => self.reading.turn = Some(down),
                }
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// Downwards, upwards, or (none) the other way round.
    pub(super) fn direction(&mut self) -> Option<Option<bool>> {
        let down = "desc|descending|in descending order|decreasing|in decreasing order|downwards|newest first|\
            latest first|highest first|largest first|biggest first|most expensive first|from high to low|\
            from the highest|most first";
        let up = "asc|ascending|in ascending order|increasing|in increasing order|upwards|oldest first|earliest first|\
            lowest first|smallest first|cheapest first|from low to high|from the lowest";
        // `newest first` by itself says by what as well.
        let own = "newest first|latest first|oldest first|earliest first|cheapest first|most expensive first";
        if self.reading.order.is_empty() && self.words.peek_one(own).is_some() {
            return None;
        }
        if self.words.take(down) {
            Some(Some(true))
        } else if self.words.take(up) {
            Some(Some(false))
        } else {
            self.words.take("in reverse order|reversed|reverse|the other way round|in reverse").then_some(None)
        }
    }

    pub(super) fn key_follows(&mut self) -> bool {
        let here = self.words.place();
        let follows = self.key().is_ok_and(|key| key.is_some());
        self.words.back(here);
        follows
    }

    /// What something is sorted or grouped by.
    pub(super) fn key(&mut self) -> Result<Option<Key>, String> {
        self.words.take("the|their|its|each");
        if self.words.take("date|time|day|age") {
            return self.date().map(|column| Some(Key::Column(column)));
        }
        if self.words.take("number of|count of") {
            let table = self.table_here().map(|(table, _)| table);
            return Ok(table.map(Key::Count));
        }
        if self.words.take("revenue|sales|turnover|spending|total spent|money spent") {
            return Ok(Some(Key::Measure(Measure::Revenue)));
        }
        if let Some(column) = self.column_here() {
            return Ok(Some(Key::Column(column)));
        }
        if let Some(unit) = self.words.take_one("month|year") {
            let format = if unit == "month" { "%Y-%m" } else { "%Y" };
            return self.date().map(|column| Some(Key::Part(column, format, unit)));
        }
        if self.words.take("count|number") {
            return Ok(self.subject.map(Key::Count));
        }
        Ok(self.table_here().map(|(table, _)| Key::Table(table)))
    }

    pub(super) fn grouping(&mut self) -> Result<bool, String> {
        let from = self.words.place();
        let sure = self.words.take(
            "per|for each|for every|by each|grouped by|group by|group them by|group it by|group these by|\
            group those by|broken down by|split by|in each|did each|each",
        );
        // `count them by city`; `products by price` only says how they are sorted.
        if !sure && !self.words.take("by") {
            return Ok(false);
        }
        match self.key()? {
            Some(Key::Count(_) | Key::Measure(_)) if sure => {
                Err("it cannot be grouped by a number that is made of groups".into())
            }
            Some(key) if sure || self.counts && !matches!(key, Key::Count(_) | Key::Measure(_)) => {
                self.reading.groups.push(key);
                Ok(true)
            }
            Some(Key::Table(_)) | None => Ok(self.nothing(from)),
            Some(key) => {
                let down = self.direction().flatten();
                let count = matches!(key, Key::Count(_) | Key::Measure(_));
                // `top 5 customers by revenue`
                self.reading.order.push((key, down.unwrap_or(count || self.top)));
                Ok(true)
            }
        }
    }

    pub(super) fn periods(&mut self) -> Result<bool, String> {
        let from = self.words.place();
        if self.words.take("registered|signed up|joined|created|who joined") {
            self.via = self.via.filter(|_| self.subject != Some(Table::Users));
            self.registered = self.subject == Some(Table::Users);
            return Ok(true);
        }
        if self.subject != Some(Table::Orders) && self.words.take("ordered|bought|purchased|sold") {
            return Ok(true);
        }
        // `last 5 orders` is no period.
        let Some(found) = period(&mut self.words, self.today) else { return Ok(self.nothing(from)) };
        let column = match self.pending {
            Some(column) if column.kind == Kind::Date => self.pending_column(),
            _ => None,
        };
        let told = column.is_some() || std::mem::take(&mut self.registered);
        let column = column.map_or_else(|| self.date(), Ok)?;
        let negated = std::mem::take(&mut self.negated);
        if negated {
            return Err("the demonstration does not leave out a period; say what period is wanted".into());
        }
        for (op, value) in found.bounds {
            self.periods.extend((!told).then_some(self.reading.filters.len()));
            self.filter(column, op, value);
        }
        self.reading.remarks.extend(found.remark);
        self.reading.notes.extend(found.note);
        Ok(true)
    }

    pub(super) fn comparison(&mut self) -> Result<bool, String> {
        let from = self.words.place();
        if self.words.take("between") {
            let (low, and, high) = (self.words.decimal(), self.words.take("and"), self.words.decimal());
            let (Some(low), true, Some(high)) = (low, and, high) else { return Ok(self.nothing(from)) };
            let column = self.amount()?;
            self.filter(column, ">=", low);
            self.filter(column, "<=", high);
            return Ok(true);
        }
        let cheaper = self.words.take_one("cheaper than|more expensive than|dearer than");
        let op = match cheaper {
            Some("cheaper than") => "<",
            Some(_) => ">",
            None if self.words.take(AT_LEAST) => ">=",
            None if self.words.take(AT_MOST) => "<=",
            None if self.words.take(MORE) => ">",
            None if self.words.take(LESS) => "<",
            None if self.words.take(EXACTLY) => "=",
            None => return Ok(false),
        };
        let Some(number) = self.words.decimal() else { return Ok(self.nothing(from)) };
        if self.words.peek_one("rows|results|records|of them|of these|of those").is_some() {
            return Ok(self.nothing(from));
        }
        let op = if std::mem::take(&mut self.negated) { opposite(op) } else { op };
        self.words.take("euros|euro|eur|dollars|pieces");
        if let Some((table, _)) = self.table_here() {
            if Some(table) == self.subject && self.mentioned.first() == Some(&table) {
                return Err(format!("a number of {} needs something that has them", table.name()));
            }
            let number = number.parse().map_err(|_| format!("`{number}` is no number of {}", table.name()))?;
            self.reading.having = Some((table, op, number));
            return Ok(true);
        }
        let column = if self.words.take("in stock") { &COLUMNS[16] } else { self.amount()? };
        self.filter(column, op, number);
        Ok(true)
    }

    /// The column that a number is compared with.
    pub(super) fn amount(&mut self) -> Result<&'static Column, String> {
        if let Some(column) = self.pending.filter(|column| column.kind == Kind::Number) {
            self.pending_column();
            return Ok(column);
        }
        let column = self.subject.and_then(Table::amount).ok_or("it does not say which number is compared")?;
        self.reading.notes.push(format!("the number is compared with {}", column.name));
        Ok(column)
    }

    pub(super) fn superlatives(&mut self) -> Result<bool, String> {
        let from = self.words.place();
        let newest = self.words.take("newest|latest|most recent|youngest");
        if newest || self.words.take("oldest|earliest") {
            let date = self.date()?;
            return Ok(self.superlative(Key::Column(date), newest));
        }
        let expensive = self.words.take("most expensive|priciest|dearest");
        if expensive || self.words.take("cheapest|least expensive") {
            let column = self.subject.and_then(Table::amount).ok_or("it does not say of what the price is")?;
            return Ok(self.superlative(Key::Column(column), expensive));
        }
        if self.words.take("best-selling|best selling|most sold|most popular|bestselling") {
            return Ok(self.superlative(Key::Measure(Measure::Sold), true));
        }
        let much = self.words.take("highest|largest|biggest|greatest|maximum|max");
        if much || self.words.take("lowest|smallest|minimum|min") {
            let column = self.column_here();
            // `what is the highest price`, but `which order has the highest total`
            if let Some(column) = column.filter(|_| self.asks && !self.singular) {
                self.reading.measure = Some(Measure::Of(if much { "MAX" } else { "MIN" }, column));
                return Ok(true);
            }
            let Some(column) = column.or_else(|| self.subject.and_then(Table::amount)) else {
                return Ok(self.nothing(from));
            };
            return Ok(self.superlative(Key::Column(column), much));
        }
        if self.words.take("spent the most|spent most|has spent the most") {
            return Ok(self.superlative(Key::Measure(Measure::Revenue), true));
        }
        let most = self.words.take("the most|most");
        if most || self.words.take("the fewest|fewest|the least|least") {
            return match self.table_here() {
                Some((table, _)) if Some(table) != self.subject => Ok(self.superlative(Key::Count(table), most)),
                _ if !self.reading.columns.is_empty() && self.words.done() => {
                    // `which city has the most`
                    let groups = std::mem::take(&mut self.reading.columns);
                    self.reading.groups.extend(groups.into_iter().map(Key::Column));
                    self.reading.count = true;
                    self.pending = None;
                    self.reading.limit = Some(1);
                    let counted = self.subject.ok_or("it does not say most of what")?;
                    Ok(self.superlative(Key::Count(counted), most))
                }
                _ => Ok(self.nothing(from)),
            };
        }
        Ok(false)
    }

    pub(super) fn superlative(&mut self, key: Key, down: bool) -> bool {
        self.reading.order.push((key, down));
        if !self.words.take("first") {
            if let Some(limit) = self.words.number() {
                self.reading.limit = Some(limit);
            }
            self.superlative = true;
            // `which one is the oldest` asks for one row whatever the subject is.
            self.singular |= self.mentioned.is_empty();
        }
        true
    }

    pub(super) fn measures(&mut self) -> bool {
        if self.words.take("how many|number of|count of|count") {
            self.reading.count = true;
            return true;
        }
        if self.words.take("total revenue|total sales|total turnover|total spending|revenue|sales|turnover|spending") {
            self.reading.measure = Some(Measure::Revenue);
            return true;
        }
        let from = self.words.place();
        let function = match self.words.take_one("average|avg|mean|sum of|sum|total") {
            Some("sum of" | "sum" | "total") => "SUM",
            Some(_) => "AVG",
            None => return false,
        };
        self.words.take("of the|of|the");
        let column = self.column_here().or_else(|| {
            // `the average order` is that of its total.
            let (table, _) = self.table_here()?;
            self.words.take("value|amount");
            table.amount().filter(|_| function == "AVG")
        });
        match column.filter(|column| column.kind == Kind::Number && column.name != "id") {
            Some(column) => {
                self.reading.measure = Some(Measure::Of(function, column));
                true
            }
            None => self.nothing(from),
        }
    }

    pub(super) fn limits(&mut self) -> bool {
        let from = self.words.place();
        let last = self.words.take("last");
        let top = !last && self.words.peek_one("top").is_some();
        let said = last
            || self.words.take(
                "limit it to|limit them to|limit this to|limit to|limit|top|the first|first|only the first|\
            just the first|only|just|at most",
            );
        let Some(number) = self.words.number() else { return self.nothing(from) };
        let counted = self.words.peek_one("of them|of these|of those|rows|results|records").is_some();
        self.words.take("of them|of these|of those|rows|results|records");
        let here = self.words.place();
        let table = self.table_here().is_some();
        self.words.back(here);
        let superlative = "newest|latest|most recent|oldest|earliest|cheapest|most expensive|best-selling|best selling|highest|\
            largest|biggest|smallest|lowest|most popular|most sold";
        let ends = self.words.done() || self.words.peek_one("only|please|by|with|from|of").is_some();
        let follows = table || self.words.peek_one(superlative).is_some();
        // A number alone may be anything.
        // So may one that can be a year.
        let ends = ends && !(1900..=2100).contains(&number);
        if !(said && ends || counted || follows) {
            return self.nothing(from);
        }
        if last {
            let Ok(date) = self.date() else { return self.nothing(from) };
            self.reading.order.push((Key::Column(date), true));
        }
        self.top |= top;
        self.reading.limit = Some(number);
        true
    }

    pub(super) fn values(&mut self) -> bool {
        if self.words.take(
            "not from|not in|not|except for|except|excluding|other than|but not|isn't|are not|is not|without the|\
            without",
        ) {
            self.negated = true;
            return true;
        }
        let Some((length, value, column)) = self.value_here() else { return false };
        self.words.skip(length);
        let mut all = vec![literal(&value)];
        loop {
            let here = self.words.place();
            let said = self.words.take_one("or from|and from|or in|and in|or|and|nor");
            match self.value_here().filter(|(_, _, of)| *of == column) {
                Some((length, value, _)) => {
                    self.words.skip(length);
                    all.push(literal(&value));
                    if said.is_some_and(|said| said.starts_with("and")) && !self.negated {
                        self.reading.notes.push("`and` between values means any of them".into());
                    }
                }
                None => {
                    self.words.back(here);
                    break;
                }
            }
        }
        if self.pending == Some(column) {
            self.pending_column();
        }
        let negated = std::mem::take(&mut self.negated);
        let (op, value) = match (&all[..], negated) {
            ([one], false) => ("=", one.clone()),
            ([one], true) => ("<>", one.clone()),
            (_, false) => ("IN", format!("({})", all.join(", "))),
            (_, true) => ("NOT IN", format!("({})", all.join(", "))),
        };
        self.filter(column, op, value);
        true
    }

    /// A value that stands in the database. In quotes it may be anything of the column that was named before.
    pub(super) fn value_here(&mut self) -> Option<(usize, String, &'static Column)> {
        let first = self.words.rest().first()?;
        if first.starts_with('"') {
            let pending = self.pending.filter(|column| column.kind == Kind::Text);
            let column = pending.or_else(|| self.subject.and_then(|table| column(table, "name")))?;
            let here = self.words.place();
            let raw = self.words.next_raw()?;
            self.words.back(here);
            return Some((1, raw, column));
        }
        let found = self.vocabulary.at(self.words.rest());
        let column = self.nearest(|| found.iter().map(|(_, _, column)| *column))?;
        let (length, value, _) = found.iter().find(|(_, _, of)| *of == column)?;
        Some((*length, (*value).to_owned(), column))
    }

    /// `named Anna`, `whose name starts with A`
    pub(super) fn names(&mut self) -> bool {
        let from = self.words.place();
        let named = self.words.take("named|called");
        let (before, after) = if self.words.take("contains|containing|contain") {
            ("%", "%")
        } else if self.words.take("starts with|starting with|start with|begins with|beginning with") {
            ("", "%")
        } else if self.words.take("ends with|ending with|ending in|ends in") {
            ("%", "")
        } else if named {
            ("%", "%")
        } else {
            return false;
        };
        let pending = self.pending.filter(|column| column.kind == Kind::Text);
        let column = pending.or_else(|| self.subject.and_then(|table| column(table, "name")));
        let (Some(column), Some(text)) = (column, self.words.next_raw()) else { return self.nothing(from) };
        if pending.is_some() {
            self.pending_column();
        }
        let escaped = text.replace(['%', '_'], "");
        let op = if std::mem::take(&mut self.negated) { "NOT LIKE" } else { "LIKE" };
        self.filter(column, op, literal(&format!("{before}{escaped}{after}")));
        true
    }

    pub(super) fn columns(&mut self) -> bool {
        let from = self.words.place();
        let added =
            self.words.take("also|add|include|as well as|plus|and also|also show|with their|with the|together with");
        self.words.take("show|the|their|its|his|her|column|columns");
        let distinct = self.words.take("distinct|unique|different");
        let Some(column) =
            self.column_here().or_else(|| self.words.take("date|dates").then(|| self.date().ok()).flatten())
        else {
            self.words.back(from);
            return false;
        };
        self.words.take("column|columns");
        self.reading.distinct |= distinct;
        if self.reading.manner.is_none() {
            self.reading.manner = Some(if added || self.words.peek_one("too|as well|also").is_some() {
                Columns::Add
            } else {
                Columns::Set
            });
        }
        self.reading.columns.push(column);
        self.pending = Some(column);
        true
    }

    pub(super) fn tables(&mut self) -> bool {
        let before = self.words.before();
        let from = self.words.place();
        let Some((table, _)) = self.table_here() else { return false };
        self.pending = None;
        if Some(table) == self.subject {
            return true;
        }
        match before.as_deref() {
            // `orders of users` are those of any.
            Some("of" | "by" | "from" | "for") => true,
            Some(word) if self.refines && word != "and" => {
                self.reading.follow = Some(table);
                true
            }
            _ => self.nothing(from),
        }
    }

    pub(super) fn small(&mut self) -> bool {
        if self.words.take("distinct|unique|different|without duplicates") {
            self.reading.distinct = true;
            return true;
        }
        self.words.take(FILLERS)
    }
}

/// A text as SQL writes it.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn opposite(op: &'static str) -> &'static str {
    match op {
        ">" => "<=",
        "<" => ">=",
        ">=" => "<",
        "<=" => ">",
        _ => "<>",
    }
}
