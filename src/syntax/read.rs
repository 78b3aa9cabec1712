//! From nodes to typed declarations: every reader of a document goes through here, so all say the same about wrong input.
//!
//! A [`Reader`] reads one table and knows which keys it may have; a [`Field`] is one value on its way to a type. Both
//! hold the shared sink: what is wrong is reported once, at its place, and comes back as `None`. A null is reported by the
//! parser already, so here it is silent.
//!
//! ```
//! # use segue::{diag::Diagnostics, language, source::SourceMap, syntax::{Field, Format, Reader, parse}};
//! # let mut sources = SourceMap::default();
//! # let text = "table: colour\nas: c\n";
//! # let file = sources.add("t3.yaml", text);
//! let out = Diagnostics::new();
//! let root = parse(file, text, Format::Yaml, &out).unwrap();
//! let r = Reader::new(&root, &language::FOR_EACH, &out).unwrap();
//! let (table, alias) = (r.required("table").and_then(Field::text), r.required("as").and_then(Field::word));
//! r.finish();
//! assert_eq!((table, alias, out.len()), (Some("colour"), Some("c"), 0));
//! ```

use std::cell::RefCell;

use rust_decimal::Decimal;

use super::{Entry, Kind, Node, Table};
use crate::diag::{Aspect, Code, Diagnostic, Diagnostics, did_you_mean, listed, quoted, suggest};
use crate::language::Shape;
use crate::source::Span;

/// One table that is being read. Keys that its shape does not have are unknown, says [`Reader::finish`].
#[derive(Debug)]
pub struct Reader<'a> {
    node: &'a Node,
    table: &'a Table,
    shape: &'static Shape,
    out: &'a Diagnostics,
    asked: RefCell<Vec<&'static str>>,
}

impl<'a> Reader<'a> {
    /// Begins to read a table; anything else is a wrong type. `shape` says what it is called and which keys it may have.
    #[must_use]
    pub fn new(node: &'a Node, shape: &'static Shape, out: &'a Diagnostics) -> Option<Self> {
        let field = Field { node, out };
        match &node.kind {
            Kind::Table(table) => Some(Self { node, table, shape, out, asked: RefCell::default() }),
            _ => field.wrong_type(&format!("{} (a table)", shape.what)),
        }
    }

    /// The value of a key that must be there.
    pub fn required(&self, key: &'static str) -> Option<Field<'a>> {
        self.required_as(key, &format!("add the key `{key}`"))
    }

    /// The value of a key that must be there; `help` says what to write where it is missing.
    pub fn required_as(&self, key: &'static str, help: &str) -> Option<Field<'a>> {
        let field = self.optional_or_null(key);
        if field.is_none() {
            let message = format!("{} lacks the key `{key}`", self.shape.what);
            self.out.push(Diagnostic::error(Code::MissingKey, self.node.span, message).help(help));
        }
        field.filter(|field| field.node.kind != Kind::Null)
    }

    /// The value of a key that may be missing.
    pub fn optional(&self, key: &'static str) -> Option<Field<'a>> {
        self.optional_or_null(key).filter(|field| field.node.kind != Kind::Null)
    }

    fn optional_or_null(&self, key: &'static str) -> Option<Field<'a>> {
        self.ask(key);
        self.table.get(key).or_else(|| self.meant(key)).map(|node| Field { node, out: self.out })
    }

    /// The value of a misspelt key, which [`Reader::finish`] reports, is read as what it was meant to be.
    fn meant(&self, key: &str) -> Option<&'a Node> {
        if self.shape.rest.is_some() {
            return None; // it may be a name of the author's choice
        }
        let near = |entry: &&Entry| !self.shape.has(&entry.key) && suggest(&entry.key, self.shape.names()) == Some(key);
        self.table.iter().find(near).map(|entry| &entry.value)
    }

    /// The entry of a key, for messages about the key itself. It counts as asked for.
    pub fn entry(&self, key: &'static str) -> Option<&'a Entry> {
        self.ask(key);
        self.table.entry(key)
    }

    fn ask(&self, key: &'static str) {
        debug_assert!(self.shape.has(key), "`{key}` is no key of {}", self.shape.what);
        self.asked.borrow_mut().push(key);
    }

    /// Whether a key is given. It does not count as asked for.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.table.get(key).is_some()
    }

    /// The entries under keys not asked for so far, for tables that are open. Do not call [`Reader::finish`] after it.
    pub fn rest(&self) -> impl Iterator<Item = (&'a Entry, Field<'a>)> {
        let asked = self.asked.borrow().clone();
        let out = self.out;
        let rest = self.table.iter().filter(move |entry| !asked.contains(&entry.key.as_str()));
        rest.map(move |entry| (entry, Field { node: &entry.value, out }))
    }

    /// Ends the reading: every key that the shape does not have is unknown.
    pub fn finish(self) {
        let mut known = self.shape.names();
        let asked = self.asked.into_inner();
        debug_assert!(known.iter().all(|key| asked.contains(key)), "{} has a key that nothing reads", self.shape.what);
        for entry in self.table {
            if known.contains(&entry.key.as_str()) {
                continue;
            }
            let message = format!("unknown key {} in {}", quoted(&entry.key), self.shape.what);
            let help = match suggest(&entry.key, known.iter().copied()) {
                Some(name) => did_you_mean(&entry.key, name),
                None => {
                    known.sort_unstable();
                    known.dedup();
                    format!("the keys here are {}", listed(&known))
                }
            };
            self.out
                .push(Diagnostic::error(Code::UnknownKey, entry.key_span, message).about(Aspect::Stranger).help(help));
        }
    }

    /// The place of the whole table.
    #[must_use]
    pub fn span(&self) -> Span {
        self.node.span
    }

    /// The sink.
    #[must_use]
    pub fn out(&self) -> &'a Diagnostics {
        self.out
    }
}

/// A value on its way to a type. Methods take it by value, so that they chain: `r.required("id").and_then(Field::text)`.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    /// The value.
    pub node: &'a Node,
    out: &'a Diagnostics,
}

impl<'a> Field<'a> {
    /// A value and the sink for what is wrong with it.
    #[must_use]
    pub fn new(node: &'a Node, out: &'a Diagnostics) -> Self {
        Self { node, out }
    }

    /// The place of the value.
    #[must_use]
    pub fn span(self) -> Span {
        self.node.span
    }

    /// Reports "expected …, found …" and gives nothing. `expected` carries its article, such as "a list".
    pub fn wrong_type<T>(self, expected: &str) -> Option<T> {
        if self.node.kind != Kind::Null {
            let message = format!("expected {expected}, found {}", self.node.describe());
            let help = match &self.node.kind {
                Kind::Text(text) if expected.ends_with("number") || expected == "a decimal" => match exact(text) {
                    Some(_) => format!("leave the quotes out: {text}"),
                    None => format!("write {expected}, without quotes"),
                },
                Kind::Table(_) if expected.ends_with("(a list)") || expected == "a list" => {
                    "write a list of it, in brackets: `[{ … }]`; or, on lines of their own in YAML, `- ` before its first key".to_owned()
                }
                _ if expected.ends_with("(a list)") || expected == "a list" => "write a list: `[ … ]`".to_owned(),
                _ if expected.ends_with("(a table)") || expected == "a table" => "write a table: `{ … }`".to_owned(),
                _ => format!("write {expected}"),
            };
            self.out.push(Diagnostic::error(Code::WrongType, self.node.span, message).help(help));
        }
        None
    }

    /// Reports that the value is not allowed here and gives nothing.
    pub fn bad<T>(self, message: impl Into<String>, help: &str) -> Option<T> {
        self.refused(Code::BadValue, message, help)
    }

    /// Reports what is wrong with the value, as a kind of its own, and gives nothing.
    pub fn refused<T>(self, code: Code, message: impl Into<String>, help: &str) -> Option<T> {
        self.out.push(Diagnostic::error(code, self.node.span, message).help(help));
        None
    }

    /// Text. A number, date or truth value needs quotes to be one.
    pub fn text(self) -> Option<&'a str> {
        let written = match &self.node.kind {
            Kind::Text(text) => return Some(text),
            Kind::Bool(value) => value.to_string(),
            Kind::Number(text) | Kind::Date(text) => text.to_string(),
            Kind::Null | Kind::List(_) | Kind::Table(_) => return self.wrong_type("text"),
        };
        let message = format!("expected text, found {}", self.node.describe());
        let help = format!("quote it: \"{written}\"");
        self.out.push(Diagnostic::error(Code::WrongType, self.node.span, message).help(help));
        None
    }

    /// Text that is not empty.
    pub fn word(self) -> Option<&'a str> {
        let text = self.text()?;
        if text.trim().is_empty() {
            self.refused(Code::SaysNothing, "the text is empty", "write some text, or leave the key out")
        } else {
            Some(text)
        }
    }

    /// A date, time or date-time: a TOML literal or text, as written. The declared type checks it.
    pub fn date(self) -> Option<&'a str> {
        match &self.node.kind {
            Kind::Date(text) | Kind::Text(text) => Some(text),
            _ => self.wrong_type("a date"),
        }
    }

    /// `true` or `false`.
    pub fn bool(self) -> Option<bool> {
        match &self.node.kind {
            Kind::Bool(value) => Some(*value),
            Kind::Text(text)
                if matches!(
                    text.to_lowercase().as_str(),
                    "yes" | "no" | "on" | "off" | "true" | "false" | "y" | "n"
                ) =>
            {
                let message = format!("expected `true` or `false`, found {}", self.node.describe());
                let help = "write `true` or `false`, without quotes";
                self.out.push(Diagnostic::error(Code::WrongType, self.node.span, message).help(help));
                None
            }
            _ => self.wrong_type("`true` or `false`"),
        }
    }

    /// A whole number. `0x`, `0o`, `0b` and, as in TOML, `_` between digits are read; `010` and `1.0` are errors.
    pub fn int(self) -> Option<i64> {
        let Kind::Number(text) = &self.node.kind else { return self.wrong_type("a whole number") };
        let digits = text.replace('_', "");
        let unsigned = digits.strip_prefix(['+', '-']).unwrap_or(&digits);
        let radix = match unsigned.get(..2) {
            Some("0x") => 16,
            Some("0o") => 8,
            Some("0b") => 2,
            _ => 10,
        };
        if radix != 10 {
            return match i64::from_str_radix(&unsigned[2..], radix) {
                Ok(value) => Some(value),
                Err(_) => self.refused(
                    Code::OutOfRange,
                    format!("{} is too large", quoted(text)),
                    "whole numbers have 64 bits",
                ),
            };
        }
        if !unsigned.bytes().all(|b| b.is_ascii_digit()) {
            return self.wrong_type("a whole number");
        }
        if unsigned.len() > 1 && unsigned.starts_with('0') {
            return self
                .bad(format!("{} begins with a zero", quoted(text)), "leave the zero out, or quote it if it is text");
        }
        match digits.parse() {
            Ok(value) => Some(value),
            Err(_) => {
                self.refused(Code::OutOfRange, format!("{} is too large", quoted(text)), "whole numbers have 64 bits")
            }
        }
    }

    /// A decimal, exactly as written: never through a float. `1e3` is read, `.inf` and more than 28 digits are errors.
    pub fn decimal(self) -> Option<Decimal> {
        let Kind::Number(text) = &self.node.kind else { return self.wrong_type("a decimal") };
        match exact(&text.replace('_', "")) {
            Some(value) => Some(value),
            None => self.refused(
                Code::OutOfRange,
                format!("{} is no exact decimal", quoted(text)),
                "write at most 28 digits, such as `1.10`",
            ),
        }
    }

    /// The items of a list.
    pub fn list(self) -> Option<impl ExactSizeIterator<Item = Field<'a>>> {
        let Kind::List(items) = &self.node.kind else { return self.wrong_type("a list") };
        let out = self.out;
        Some(items.iter().map(move |node| Field { node, out }))
    }

    /// The items of a list, or the one value that stands in its place.
    pub fn one_or_many(self) -> impl Iterator<Item = Field<'a>> {
        let items = match &self.node.kind {
            Kind::List(items) => &**items,
            Kind::Null => &[],
            _ => std::slice::from_ref(self.node),
        };
        let out = self.out;
        items.iter().map(move |node| Field { node, out })
    }

    /// The texts of a list; wrong items are reported and left out.
    pub fn texts(self) -> Option<Vec<&'a str>> {
        Some(self.list()?.filter_map(Field::text).collect())
    }

    /// A table with known keys.
    #[must_use]
    pub fn table(self, shape: &'static Shape) -> Option<Reader<'a>> {
        Reader::new(self.node, shape, self.out)
    }

    /// A table whose keys are names of the author's choice, in source order.
    pub fn entries(self) -> Option<impl ExactSizeIterator<Item = (&'a Entry, Field<'a>)>> {
        let Kind::Table(table) = &self.node.kind else { return self.wrong_type("a table") };
        let out = self.out;
        Some(table.iter().map(move |entry| (entry, Field { node: &entry.value, out })))
    }

    /// One of some words, each with what it stands for.
    pub fn one_of<T: Clone>(self, words: &[(&str, T)]) -> Option<T> {
        let text = self.text()?;
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
            return Some(value.clone());
        }
        let help = match suggest(text, words.iter().map(|(word, _)| *word)) {
            Some(word) => did_you_mean(text, word),
            None => format!("write one of {}", listed(words.iter().map(|(word, _)| word))),
        };
        self.refused(Code::UnknownValue, format!("{} is not allowed here", quoted(text)), &help)
    }
}

/// A number's source text as a decimal, if it fits exactly.
#[must_use]
pub fn exact(text: &str) -> Option<Decimal> {
    let text = text.strip_prefix('+').unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (sign, unsigned) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let scale = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
    let significant = digits.trim_start_matches('0');
    if significant.is_empty() {
        return Some(Decimal::ZERO);
    }
    if significant.len() > 29 || scale.unsigned_abs() > 56 {
        return None;
    }
    let mut value: i128 = format!("{sign}{significant}").parse().ok()?;
    let mut scale = scale;
    while scale < 0 {
        value = value.checked_mul(10)?;
        scale += 1;
    }
    while scale > 28 && value % 10 == 0 {
        value /= 10;
        scale -= 1;
    }
    Decimal::try_from_i128_with_scale(value, u32::try_from(scale).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{FOR_EACH, ROW, SETTLE_ROW};
    use crate::source::SourceMap;
    use crate::syntax::{Format, parse};

    /// Reads `v: …` and gives what the closure makes of it, with the findings as `message / help`.
    fn on<T>(yaml: &str, read: impl FnOnce(Field<'_>) -> T) -> (T, Vec<String>) {
        let text = format!("v: {yaml}\n");
        let file = SourceMap::default().add("f", text.as_str());
        let out = Diagnostics::new();
        let node = parse(file, &text, Format::Yaml, &out).expect("a tree");
        assert!(out.is_empty(), "{out:?}");
        let value = read(Field::new(node.at("v"), &out));
        let found = out.clone().into_sorted();
        (value, found.into_iter().map(|d| format!("{} / {}", d.message, d.help.unwrap_or_default())).collect())
    }

    #[test]
    fn whole_numbers() {
        for (text, wanted) in
            [("0", 0), ("-7", -7), ("+5", 5), ("0x1F", 31), ("0o17", 15), ("9223372036854775807", i64::MAX)]
        {
            assert_eq!(on(text, |f| f.int()), (Some(wanted), vec![]));
        }
        for text in ["1.0", "1e3", ".inf", "'1'", "[1]", "true"] {
            let (value, found) = on(text, |f| f.int());
            assert!(value.is_none() && found[0].starts_with("expected a whole number, found "), "{found:?}");
        }
        for text in ["9223372036854775808", "0xFFFFFFFFFFFFFFFFF", "-010"] {
            let (value, found) = on(text, |f| f.int());
            assert!(value.is_none() && found.len() == 1, "{found:?}");
        }
    }

    #[test]
    fn decimals_are_exact() {
        for (text, wanted) in [
            ("1.10", "1.10"),
            ("-0.1", "-0.1"),
            ("1e3", "1000"),
            ("1.5E-7", "0.00000015"),
            (".5", "0.5"),
            ("5.", "5"),
            ("0e99", "0"),
            ("79228162514264337593543950335", "79228162514264337593543950335"),
            ("0.1000000000000000000000000001", "0.1000000000000000000000000001"),
        ] {
            let (value, found) = on(text, |f| f.decimal());
            assert_eq!((value.map(|d| d.to_string()).as_deref(), found), (Some(wanted), vec![]));
        }
        for text in ["79228162514264337593543950336", "1e29", "1e-29", "1e999999999999", ".inf", ".nan", "0x1F"] {
            let (value, found) = on(text, |f| f.decimal());
            assert!(value.is_none() && found[0].contains("is no exact decimal"), "{text} {value:?} {found:?}");
        }
    }

    #[test]
    fn wrong_types_say_what_was_found() {
        let check = |yaml, read: &dyn Fn(Field<'_>) -> bool, wanted: &str| {
            assert_eq!(on(yaml, read), (false, vec![wanted.to_owned()]));
        };
        check("foo", &|f| f.list().is_some(), "expected a list, found text `foo` / write a list: `[ … ]`");
        let wanted = "expected `for_each` (a table), found a list / write a table: `{ … }`";
        check("[a]", &|f| f.table(&FOR_EACH).is_some(), wanted);
        check("1", &|f| f.entries().is_some(), "expected a table, found number `1` / write a table: `{ … }`");
        check("2020", &|f| f.text().is_some(), "expected text, found number `2020` / quote it: \"2020\"");
        check("true", &|f| f.text().is_some(), "expected text, found `true` / quote it: \"true\"");
        check(
            "on",
            &|f| f.bool().is_some(),
            "expected `true` or `false`, found text `on` / write `true` or `false`, without quotes",
        );
        check("''", &|f| f.word().is_some(), "the text is empty / write some text, or leave the key out");
        let words = [("ask", 1), ("tell", 2)];
        check("tel", &|f| f.one_of(&words).is_some(), "`tel` is not allowed here / did you mean `tell`?");
        check("x", &|f| f.one_of(&words).is_some(), "`x` is not allowed here / write one of `ask`, `tell`");
    }

    #[test]
    fn lists_and_tables() {
        let texts = |f: Field<'_>| f.texts().map(|all| all.into_iter().map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(on("[a, 1, b]", texts).0, Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(on("[a, b]", |f| f.one_or_many().filter_map(Field::text).count()), (2, vec![]));
        assert_eq!(on("a", |f| f.one_or_many().filter_map(Field::text).count()), (1, vec![]));
        let keys =
            |f: Field<'_>| f.entries().map(|all| all.map(|(entry, _)| entry.key.to_string()).collect::<Vec<_>>());
        assert_eq!(on("{b: 1, a: 2}", keys).0, Some(vec!["b".to_owned(), "a".to_owned()]));
    }

    #[test]
    fn keys_not_asked_for_are_unknown() {
        let (_, found) = on("{ona: 1, zzz: 2, when: 3}", |f| {
            let r = f.table(&SETTLE_ROW).expect("a table");
            assert!(r.has("zzz") && r.entry("when").is_some());
            assert!(r.optional("on").is_some(), "a misspelt key is read as what it was meant to be");
            assert!(r.required("do").is_none());
            r.finish();
        });
        assert_eq!(
            found,
            [
                "a settle row lacks the key `do` / add the key `do`",
                "unknown key `ona` in a settle row / did you mean `on`?",
                "unknown key `zzz` in a settle row / the keys here are `do`, `on`, `when`",
            ]
        );
        let (rest, _) = on("{id: 1, x: 2, y: 3}", |f| {
            let r = f.table(&ROW).expect("a table");
            let _ = r.optional("id");
            r.rest().map(|(entry, _)| entry.key.clone()).collect::<Vec<_>>()
        });
        assert_eq!(rest, ["x", "y"]);
    }
}
