//! Slips of hand editing in TOML, by the line and the place at which the parser stumbles: most are what other formats would allow.

use toml_parser::ParseError;

use super::errors::{EXTRA_SIGN, ODD_KEY};
use crate::syntax::slip::Slip;

/// The slip that an error comes of. All else that is wrong with its line comes of it, too.
pub(super) fn find(error: &ParseError, text: &str) -> Option<Slip> {
    let at = error.unexpected().or(error.context())?.start();
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let place = Place { error, start, line, at: (at - start).min(line.len()) };
    place
        .comment()
        .or_else(|| place.header())
        .or_else(|| place.entry())
        .or_else(|| place.value())
        .or_else(|| place.behind())
}

/// An error in its line.
struct Place<'t> {
    error: &'t ParseError,
    /// Where the line begins in the text, and where in the line the error is.
    start: usize,
    line: &'t str,
    at: usize,
}

impl Place<'_> {
    fn is(&self, words: &str) -> bool {
        self.error.description() == words
    }

    fn rest(&self) -> &str {
        &self.line[self.at..]
    }

    fn slip(&self, at: usize, length: usize, message: impl Into<String>, help: impl Into<String>) -> Option<Slip> {
        Some(Slip::new(self.start + at..self.start + at + length, message, help))
    }

    /// `// …`, as in other languages.
    fn comment(&self) -> Option<Slip> {
        self.rest().starts_with("//").then_some(())?;
        self.slip(self.at, 2, "`//` begins no comment", "write `#`")
    }

    /// `[header` and the like, and the header of YAML.
    fn header(&self) -> Option<Slip> {
        let code = self.line.trim();
        let name = meant_header(code)?;
        let begin = self.line.len() - self.line.trim_start().len();
        if code.ends_with(':') && !code.starts_with(['[', '(']) {
            let message = "a `:` makes no header";
            return self.slip(self.at, 1, message, format!("write `[{name}]`, or `[[{name}]]` for an item of a list"));
        }
        let many = code.starts_with("[[") || code.ends_with("]]");
        let whole = if many { format!("[[{name}]]") } else { format!("[{name}]") };
        self.slip(begin, code.len(), format!("`{code}` is no header"), format!("write `{whole}`"))
    }

    /// An entry as YAML would have it, or one that lacks its `=`.
    fn entry(&self) -> Option<Slip> {
        let code = self.line.trim_start();
        let begin = self.line.len() - code.len();
        if code.starts_with("- ") && self.line[..self.at].trim() == "-" {
            let help = "remove it: the items of a list stand in `[ … ]`, tables of a list below `[[name]]`";
            return self.slip(begin, 1, "a `-` makes no item of a list", help);
        }
        let before = &self.line[..self.at];
        if self.is(ODD_KEY) && self.rest().starts_with(':') && before.ends_with(key) {
            let name = last_key(before);
            return self.slip(self.at, 1, "`:` is not read as `=`", format!("write `{name} = …`"));
        }
        if self.is("extra assignment between key-value pairs") && before.ends_with('=') {
            return self.slip(self.at, 1, EXTRA_SIGN, "write `=` once");
        }
        let value = self.rest().trim_end();
        let is_value = value.starts_with(['"', '\'', '[', '{', '-', '+'])
            || value.starts_with(|c: char| c.is_ascii_digit())
            || matches!(value, "true" | "false");
        let closed = balanced(value);
        if self.is("key with no value") && is_value && closed && before.trim_end().ends_with(key) {
            let name = before.trim();
            let help =
                if value.len() < 60 { format!("write `{name} = {value}`") } else { format!("write `{name} = …`") };
            return self.slip(self.at, 0, "a `=` is missing", help);
        }
        None
    }

    /// A value that is none in TOML.
    fn value(&self) -> Option<Slip> {
        let before = self.line[..self.at].trim_end();
        if let Some((at, number)) = comma_in_number(self.line)
            && at <= self.at
        {
            let (whole, behind) = number.split_once(',')?;
            let thousands = number.split(',').skip(1).all(|part| part.len() == 3);
            let help = if thousands {
                format!("write `{}`, or `{}` if it is a decimal", number.replace(',', ""), number.replacen(',', ".", 1))
            } else {
                format!("write `{whole}.{behind}`: decimals have a point")
            };
            return self.slip(at, number.len(), format!("`{number}` is no number"), help);
        }
        if !before.ends_with(['=', ',', '[']) {
            return None;
        }
        let rest = self.rest();
        let word = rest.split([',', '}', ']', '#', ' ', ';', '\t']).next().unwrap_or_default();
        if word.is_empty() {
            return None;
        }
        let behind = rest[word.len()..].trim_start();
        let ends = behind.is_empty() || behind.starts_with([',', '}', ']', '#']);
        match word.to_ascii_lowercase().as_str() {
            lower @ ("true" | "false") if ends && lower != word => {
                return self.slip(
                    self.at,
                    word.len(),
                    format!("`{word}` is no truth value"),
                    format!("write `{lower}`"),
                );
            }
            "yes" | "on" | "no" | "off" if ends => {
                let meant = word.eq_ignore_ascii_case("yes") || word.eq_ignore_ascii_case("on");
                let help = format!("write `{meant}`, or quote it if it is text: \"{word}\"");
                return self.slip(self.at, word.len(), format!("`{word}` is no truth value"), help);
            }
            "null" | "nil" | "none" | "undefined" | "~" if ends => {
                return self.slip(
                    self.at,
                    word.len(),
                    format!("`{word}` is no value"),
                    "leave the key out, or quote the text",
                );
            }
            _ => {}
        }
        if self.error.description().starts_with("invalid date") && is_month(word) && ends {
            let message = format!("`{word}` is no date: a date has a day");
            return self.slip(self.at, word.len(), message, format!("quote it: \"{word}\""));
        }
        // A value, and then a key: what stands between them parts no entries.
        let plain = self.is("string values must be quoted") && matches!(word, "true" | "false")
            || self.is("string values must be quoted") && word.parse::<f64>().is_ok();
        let next = behind.strip_prefix(';').unwrap_or(behind).trim_start();
        let name = next.split(['=', ' ', ',', '}', ']']).next().unwrap_or_default();
        let is_entry = !name.is_empty() && next[name.len()..].trim_start().starts_with('=');
        if plain && is_entry {
            let at = self.line.len() - self.line[self.at..].len() + word.len();
            return if behind.starts_with(';') {
                self.slip(at, 1, "`;` does not part entries", "write `,`")
            } else {
                let at = self.line.len() - next.len();
                self.slip(at, name.len(), "a comma is missing before this", "write `,` between two entries")
            };
        }
        if self.is("string values must be quoted")
            && behind.starts_with('=')
            && word.chars().all(|c| key(c) || c == '.')
        {
            let lacks = rest.matches('}').count() > rest.matches('{').count();
            return if lacks {
                self.slip(self.at, 0, "`}` has no `{`", "write `{` here")
            } else {
                self.slip(
                    self.line.len() - behind.len(),
                    1,
                    EXTRA_SIGN,
                    "write `=` once, or a table: `{ key = value }`",
                )
            };
        }
        if rest.starts_with('(') {
            return self.slip(self.at, 1, "no value begins with `(`", "write `[ … ]` for a list, `{ … }` for a table");
        }
        None
    }

    /// What stands behind a value.
    fn behind(&self) -> Option<Slip> {
        if !self.is("unexpected key or value") {
            return None;
        }
        let rest = self.rest();
        let first = rest.chars().next()?;
        let only = rest[first.len_utf8()..].trim_start();
        let last = only.is_empty() || only.starts_with('#');
        let before = self.line[..self.at].chars().next_back()?;
        if self.line[..self.at].ends_with("\"\"") || self.line[..self.at].ends_with("''") {
            let help = "write one quote on either side of the text, or three for a text of several lines";
            return self.slip(self.at, first.len_utf8(), "more text follows a closing quote", help);
        }
        match first {
            ',' | ';' if last => {
                self.slip(self.at, 1, format!("a `{first}` behind the value"), "remove it: an entry ends with its line")
            }
            '}' | ']' => self.slip(self.at, 1, format!("`{first}` closes nothing"), "remove it"),
            _ if before == '\'' && first.is_alphanumeric() => {
                let help = "write the text in double quotes, since it holds a single one";
                self.slip(self.at, first.len_utf8(), "more text follows a closing quote", help)
            }
            _ if before == '"' && (first.is_alphanumeric() || first == '"') && rest.contains('"') && rest.len() > 1 => {
                let help = "write `\\\"` for a quote inside the text, or put all of it in single quotes";
                self.slip(self.at, first.len_utf8(), "more text follows a closing quote", help)
            }
            _ => None,
        }
    }
}

/// The name in a line that is to be a header, and nothing else.
pub(super) fn meant_header(line: &str) -> Option<&str> {
    let code = line.trim();
    let name = code.trim_matches(['[', ']', '(', ')', ':']).trim();
    let is_name = !name.is_empty() && name.chars().all(|c| key(c) || matches!(c, '.' | '"' | '\''));
    (is_name && name != code).then_some(name)
}

fn key(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// The key that a text ends in, with its dots.
fn last_key(before: &str) -> &str {
    let part = |c: char| key(c) || c == '.';
    &before[before.trim_end_matches(part).len()..]
}

/// Whether as many brackets and quotes are opened as are closed.
fn balanced(value: &str) -> bool {
    let count = |sign: char| value.matches(sign).count();
    count('{') == count('}') && count('[') == count(']') && count('"') % 2 == 0
}

/// `= 0,5`: a number with commas, which is all of a value.
fn comma_in_number(line: &str) -> Option<(usize, &str)> {
    line.match_indices('=').find_map(|(sign, _)| {
        let rest = line[sign + 1..].trim_start();
        let at = line.len() - rest.len();
        let length =
            rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, ',' | '.' | '-' | '+'))).unwrap_or(rest.len());
        let number = rest[..length].trim_end_matches(',');
        let parts = number.trim_start_matches(['-', '+']).split(',');
        let good = number.contains(',') && parts.clone().all(|part| part.starts_with(|c: char| c.is_ascii_digit()));
        let behind = rest[length..].trim_start();
        let ends = behind.is_empty() || behind.starts_with([',', '}', ']', '#']) || rest[..length].len() > number.len();
        (good && ends).then_some((at, number))
    })
}

/// `2020-03`
fn is_month(word: &str) -> bool {
    let good = |text: &str, length: usize| text.len() == length && text.bytes().all(|b| b.is_ascii_digit());
    word.split_once('-').is_some_and(|(year, month)| {
        good(year, 4) && good(month, 2) && (1..=12).contains(&month.parse::<u8>().unwrap_or(0))
    })
}
