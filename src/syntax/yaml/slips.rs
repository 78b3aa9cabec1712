//! Slips of hand editing in YAML, by the lines around the place at which the parser stumbles: indentation, signs of other formats,
//! what is left out.

use std::ops::Range;

use granit_parser::ErrorKind as E;

use crate::language;
use crate::syntax::slip::Slip;

/// How many lines above an error are looked at.
const MOST_LINES: usize = 2_000;

/// The slip that an error comes of. `bracket`: where the innermost one is that is open there.
pub(super) fn find(kind: &E, text: &str, at: usize, bracket: Option<usize>) -> Option<Slip> {
    let place = Place { kind, text, at, line: Line::at(text, at), in_flow: bracket.is_some() };
    place
        .tab()
        .or_else(|| place.bracket(bracket?))
        .or_else(|| place.quoted())
        .or_else(|| place.word())
        .or_else(|| place.entry())
        .or_else(|| place.margin())
        .or_else(|| place.first_line())
}

/// The keys below a key in the same table: those of the lines at its number of spaces.
pub(super) fn keys_below(text: &str, key: usize) -> Vec<&str> {
    let line = Line::at(text, key);
    let margin = key - line.start;
    if margin != line.margin() {
        return Vec::new();
    }
    let mut all = Vec::new();
    let rest = text[line.start..].split_inclusive('\n').skip(1).take(MOST_LINES);
    for written in rest {
        let line = Line { start: 0, written: written.trim_end_matches(['\r', '\n']) };
        if !line.says() {
            continue;
        }
        if line.margin() < margin || line.content() > margin && line.margin() == margin {
            break;
        }
        if line.margin() == margin
            && let Some((key, _)) = line.entry()
        {
            all.push(key);
        }
    }
    all
}

/// A line, and where in the text it begins.
#[derive(Clone, Copy)]
struct Line<'t> {
    start: usize,
    written: &'t str,
}

impl<'t> Line<'t> {
    fn at(text: &'t str, at: usize) -> Self {
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        Self { start, written: text[start..].lines().next().unwrap_or_default() }
    }

    /// The one above, the nearest first.
    fn above(self, text: &'t str) -> impl Iterator<Item = Self> {
        let before = |line: &Self| line.start.checked_sub(1).map(|end| Self::at(text, end));
        std::iter::successors(before(&self), before).take(MOST_LINES).filter(|line| line.says())
    }

    /// Whether something stands in it but a comment.
    fn says(self) -> bool {
        let code = self.written.trim();
        !code.is_empty() && !code.starts_with('#')
    }

    /// How many spaces it begins with.
    fn margin(self) -> usize {
        self.written.len() - self.written.trim_start_matches(' ').len()
    }

    fn code(self) -> &'t str {
        self.written[self.margin()..].trim_end()
    }

    /// Whether it is an item of a list.
    fn is_item(self) -> bool {
        self.code() == "-" || self.code().starts_with("- ")
    }

    /// Where what it holds begins, behind the dashes of items.
    fn content(self) -> usize {
        let mut at = self.margin();
        while let Some(rest) = self.written[at..].strip_prefix("- ") {
            at = self.written.len() - rest.trim_start_matches(' ').len();
        }
        at
    }

    /// The key that it begins with, behind the dashes of items, and what stands behind its colon.
    fn entry(self) -> Option<(&'t str, &'t str)> {
        let code = &self.written[self.content()..];
        let key = code.split(':').next().unwrap_or_default();
        let quoted = key.len() > 1 && key.starts_with(['"', '\'']) && key.ends_with(['"', '\'']);
        let word = !key.is_empty() && !key.contains([' ', '{', '[', '"', '\'', '#']);
        let rest = code.get(key.len() + 1..)?;
        ((quoted || word) && (rest.is_empty() || rest.starts_with([' ', '\r']))).then(|| (key, rest.trim()))
    }

    fn place(self, at: usize, length: usize) -> Range<usize> {
        self.start + at..self.start + at + length
    }
}

/// What is open above a line: a list or a table, at a number of spaces, and the line that says so.
struct Open<'t> {
    margin: usize,
    is_list: bool,
    line: Line<'t>,
}

struct Place<'t> {
    kind: &'t E,
    text: &'t str,
    at: usize,
    line: Line<'t>,
    in_flow: bool,
}

impl<'t> Place<'t> {
    /// A tab where spaces are due. Text without quotes goes on over lines, so that the tab may stand below the error.
    fn tab(&self) -> Option<Slip> {
        let said = matches!(
            self.kind,
            E::TabInBlockIndentation
                | E::TabInIndentation
                | E::TabNotAllowed
                | E::TabInPlainScalar
                | E::TabAtBlockScalarStart
        );
        let indents = |line: Line<'_>| {
            let blank = line.written.len() - line.written.trim_start_matches([' ', '\t']).len();
            line.written[..blank].find('\t').filter(|_| line.says())
        };
        let below = self.text[self.line.start..].split_inclusive('\n').scan(self.line.start, |start, line| {
            *start += line.len();
            Some(Line::at(self.text, *start - line.len()))
        });
        let lines = if said { MOST_LINES } else { 1 };
        for line in below.take(lines) {
            if let Some(at) = indents(line).filter(|_| said || !self.in_flow) {
                return Some(Slip::new(line.place(at, 1), "a tab cannot indent", "indent with spaces"));
            }
            if said && let Some(at) = line.written.find('\t') {
                let help = "write a space, or quote the text";
                return Some(Slip::new(line.place(at, 1), "a tab inside unquoted text", help));
            }
        }
        None
    }

    /// A bracket that is still open in a line below that begins another entry, or a comma that is missing between brackets.
    fn bracket(&self, open: usize) -> Option<Slip> {
        let first = Line::at(self.text, open);
        let sign = self.text[open..].chars().next().filter(|sign| matches!(sign, '{' | '['))?;
        if first.start < self.line.start {
            let outside =
                |line: &Line<'_>| line.margin() <= first.margin() && (line.entry().is_some() || line.is_item());
            let lines = self.text[first.start..].split_inclusive('\n').scan(first.start, |start, line| {
                *start += line.len();
                Some(Line::at(self.text, *start - line.len()))
            });
            let next = lines.skip(1).take_while(|line| line.start <= self.line.start).find(outside)?;
            let close = if sign == '{' { '}' } else { ']' };
            let slip =
                Slip::new(open..open + 1, format!("`{sign}` has no `{close}`"), format!("close it with `{close}`"));
            return Some(slip.also(next.place(next.margin(), 1), "here something else begins"));
        }
        let parts = matches!(
            self.kind,
            E::ExpectedFlowMappingSeparator
                | E::UnexpectedEofFlowMapping
                | E::ExpectedFlowSequenceSeparator
                | E::UnexpectedEofFlowSequence
                | E::InvalidTrailingDoubleQuotedScalar
                | E::InvalidTrailingSingleQuotedScalar
        );
        let rest = self.text[self.at..].lines().next().unwrap_or_default();
        let help = "write `,` between two entries; text that holds a comma, a colon or a bracket needs quotes";
        let missing = "a comma is missing before this";
        let before = &self.text[self.line.start..self.at];
        if parts && rest.starts_with(':') {
            // The colon of an entry whose key was taken for more of the text before it.
            let key = &before[before.trim_end_matches(is_word).len()..];
            let gap = before[..before.len() - key.len()].trim_end();
            let at = self.at - key.len();
            if key.is_empty() || gap.len() + key.len() == before.len() {
                return None;
            }
            return Some(match gap.strip_suffix(';') {
                Some(_) => {
                    let sign = self.line.start + gap.len() - 1;
                    Slip::new(sign..sign + 1, "`;` does not part entries", "write `,`")
                }
                None => Slip::new(at..self.at, missing, help),
            });
        }
        let word = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
        let entry = sign == '[' || rest[word.len()..].trim_start().starts_with(':');
        let begins = before.ends_with(' ') && (!word.is_empty() && entry || rest.starts_with(['"', '\'', '{', '[']));
        (parts && begins).then(|| Slip::new(self.at..self.at + word.len().max(1), missing, help))
    }

    /// What is wrong within a text in quotes, or behind one.
    fn quoted(&self) -> Option<Slip> {
        match self.kind {
            E::InvalidLowSurrogateHexEscape
            | E::InvalidLowSurrogate
            | E::MissingLowSurrogate
            | E::UnpairedLowSurrogate
            | E::InvalidUnicodeEscape => Slip::escape(self.text, self.at),
            E::UnknownQuotedScalarEscape | E::InvalidQuotedScalarHexEscape => {
                let rest = self.text[self.at..].lines().next()?;
                let (at, length) = bad_escape(rest)?;
                let place = self.at + at..self.at + at + length;
                Some(match self.kind {
                    E::UnknownQuotedScalarEscape => {
                        let message = format!("`{}` is no escape", &rest[at..at + length]);
                        Slip::new(place, message, "write `\\\\` for a backslash, or put the text in single quotes")
                    }
                    _ => Slip::new(
                        place,
                        "an escape lacks hexadecimal digits",
                        "write `\\xXX`, `\\uXXXX` or `\\UXXXXXXXX`",
                    ),
                })
            }
            E::InvalidTrailingSingleQuotedScalar | E::InvalidTrailingDoubleQuotedScalar => {
                let before = self.text[..self.at].trim_end_matches([' ', '\t']);
                let rest = self.text[self.at..].lines().next().unwrap_or_default().trim_end();
                let place = self.at..self.at + rest.chars().next().map_or(0, char::len_utf8);
                let inside = before.len() == self.at && rest.starts_with(char::is_alphanumeric);
                let (message, help) = match rest {
                    "," => ("a comma behind the value", "remove it: an entry ends with its line"),
                    _ if rest.starts_with("//") => ("`//` begins no comment", "write `#`"),
                    _ if inside && before.ends_with('\'') => (
                        "more text follows a closing quote",
                        "write `''` for a single quote inside the text, or put it in double quotes",
                    ),
                    _ if inside => (
                        "more text follows a closing quote",
                        "write `\\\"` for a quote inside the text, or put all of it in single quotes",
                    ),
                    _ => return None,
                };
                Some(Slip::new(place, message, help))
            }
            _ => None,
        }
    }

    /// A line that is to be an entry, and lacks what makes it one.
    fn word(&self) -> Option<Slip> {
        if !matches!(self.kind, E::SimpleKeyExpected | E::InvalidSimpleKey | E::MappingKeyNotAllowed) {
            return None;
        }
        let line = self.line;
        let begin = line.content();
        let code = line.written[begin..].trim_end();
        if code.starts_with("//") {
            return Some(Slip::new(line.place(begin, 2), "`//` begins no comment", "write `#`"));
        }
        if let Some(header) = code.strip_prefix('[').and_then(|code| code.strip_suffix(']')) {
            let name = header.trim_matches(['[', ']']);
            if !name.is_empty() && name.chars().all(|c| is_word(c) || c == '.') {
                let message = format!("`{code}` is a header of TOML");
                return Some(Slip::new(line.place(begin, code.len()), message, format!("write `{name}:`")));
            }
        }
        if code.starts_with(['{', '[']) {
            return self.item_without_dash();
        }
        let word = &code[..code.find(|c| !is_word(c)).unwrap_or(code.len())];
        let rest = &code[word.len()..];
        if word.is_empty() || word.starts_with('-') {
            return None;
        }
        if let Some(behind) = rest.strip_prefix(':') {
            let place = line.place(begin + word.len(), 1);
            return Some(Slip::new(place, "`:` needs a space after it", format!("write `{word}: {behind}`")));
        }
        let value = rest.trim_start();
        if let Some(value) = value.strip_prefix('=') {
            let place = line.place(line.written.trim_end().len() - value.len() - 1, 1);
            return Some(Slip::new(place, "`=` is not read as `:`", format!("write `{word}: {}`", value.trim_start())));
        }
        let help = if value.is_empty() { format!("write `{word}:`") } else { format!("write `{word}: {value}`") };
        let help = format!("{help}, or indent the text under its key");
        Some(Slip::new(line.place(begin, word.len()), "expected `key: value`", help))
    }

    /// `key { … }` and `key: text: more`, where a colon further on is told.
    fn entry(&self) -> Option<Slip> {
        if !matches!(self.kind, E::MappingValueNotAllowed | E::InvalidColonPlacement) || self.in_flow {
            return None;
        }
        let line = self.line;
        let begin = line.content();
        let code = line.written[begin..].trim_end();
        let word = &code[..code.find(|c| !is_word(c)).unwrap_or(code.len())];
        let value = code[word.len()..].trim_start();
        if !word.is_empty() && value.starts_with(['{', '[']) {
            let place = line.place(begin + word.len(), 0);
            return Some(Slip::new(place, "a `:` is missing", format!("write `{word}: {}`", shortened(value))));
        }
        let (key, value) = line.entry()?;
        (self.at - line.start > begin + key.len()).then(|| {
            let help = format!("quote the text: it holds a colon: `{key}: \"{}\"`", shortened(value));
            Slip::new(self.at..self.at + 1, "`:` cannot stand inside unquoted text", help)
        })
    }

    /// A list item that begins with a bracket, and has no dash before it.
    fn item_without_dash(&self) -> Option<Slip> {
        let margin = self.line.margin();
        let list = self.open().into_iter().find(|open| open.is_list && open.margin + 2 == margin)?;
        let place = self.line.place(margin, 1);
        let slip = Slip::new(place, "a list item without its `- `", "write `- ` before it");
        Some(slip.also(list.line.place(list.margin, 1), "an item of the list"))
    }

    /// A line that stands at the wrong number of spaces.
    fn margin(&self) -> Option<Slip> {
        let line = self.line;
        let margin = line.margin();
        // Where a colon cannot stand the line has been taken for more of the text above.
        let misplaced = matches!(
            self.kind,
            E::ExpectedBlockMappingKey
                | E::ExpectedBlockSequenceEntry
                | E::BlockSequenceEntryNotAllowed
                | E::MappingValueNotAllowed
                | E::InvalidColonPlacement
                | E::InvalidIndentation
        );
        if !misplaced || self.in_flow {
            return None;
        }
        let open = self.open();
        if self.line.code().starts_with(['{', '[']) {
            return self.item_without_dash();
        }
        if line.is_item() {
            return self.item(&open);
        }
        if let Some(above) = line.above(self.text).next()
            && above.margin() == margin
            && dash_alone(above)
        {
            return Some(no_space(above));
        }
        if dash_alone(line) {
            return Some(no_space(line));
        }
        let (key, _) = line.entry()?;
        if let Some(slip) = self.colon_above() {
            return Some(slip);
        }
        let near = open.iter().filter(|open| !open.is_list).min_by_key(|open| open.margin.abs_diff(margin))?;
        if near.margin == margin {
            return None;
        }
        if dash_alone(near.line) {
            return Some(no_space(near.line));
        }
        let place = line.place(margin, key.len());
        let (beside, _) = near.line.entry().unwrap_or_default();
        let label = (near.line.place(near.margin, beside.len()), "a key above");
        let block = self.block();
        if margin > near.margin
            && let Some(missing) = language::table_key(&self.beside(near.margin), &block)
        {
            let message = format!("a table without its key: `{missing}:` is missing");
            let help = format!("write `{missing}:` on a line above it, after {}", spaces(near.margin));
            return Some(Slip::new(place, message, help).also(label.0, label.1));
        }
        let way = if margin > near.margin { "further" } else { "less" };
        let message = format!("`{key}` is indented {way} than `{beside}`");
        let lost = if margin > near.margin && block.len() > 1 {
            "; or the key that it belongs to on a line above it"
        } else {
            ""
        };
        let help = format!("write it below `{beside}`, after {}{lost}", spaces(near.margin));
        Some(Slip::new(place, message, help).also(label.0, label.1))
    }

    /// A file of which the first line stands further right than a later one.
    fn first_line(&self) -> Option<Slip> {
        let first = self.line.above(self.text).last()?;
        let (margin, (key, _), (later, _)) = (first.margin(), first.entry()?, self.line.entry()?);
        let ended = matches!(self.kind, E::ExpectedDocumentStart | E::InvalidDocumentEnd);
        if !ended || margin == 0 || self.line.margin() > 0 {
            return None;
        }
        let message = format!("the file begins after {}, and `{later}` stands after none", spaces(margin));
        let help = format!("write the key that `{key}` belongs to on a line above it, or take the spaces away");
        let slip = Slip::new(first.place(margin, key.len()), message, help);
        Some(slip.also(self.line.place(0, later.len()), "here"))
    }

    /// The line above, where its own colon is missing, so that what follows is taken for more of its text.
    fn colon_above(&self) -> Option<Slip> {
        if !matches!(self.kind, E::MappingValueNotAllowed | E::InvalidColonPlacement) {
            return None;
        }
        let above = self.line.above(self.text).next()?;
        let begin = above.content();
        let code = above.written[begin..].trim_end();
        let word = &code[..code.find(|c| !is_word(c)).unwrap_or(code.len())];
        if word.is_empty() || code.contains(':') {
            return None;
        }
        let value = code[word.len()..].trim_start();
        let value = if value.is_empty() { String::new() } else { format!(" {}", shortened(value)) };
        let help = format!("write `{word}:{value}`, or see to the indentation where more of the text above is meant");
        let slip = Slip::new(above.place(begin, code.len()), "this line has no `:`", help);
        Some(slip.also(self.at..self.at + 1, "so this `:` cannot stand here"))
    }

    /// An item of a list at the wrong number of spaces, or without a key for its list.
    fn item(&self, open: &[Open<'t>]) -> Option<Slip> {
        let line = self.line;
        let margin = line.margin();
        let place = line.place(margin, 1);
        if let Some(above) = line.above(self.text).next()
            && above.margin() == margin
            && dash_alone(above)
        {
            return Some(no_space(above));
        }
        let deepest = open.first()?;
        let list = open.iter().filter(|open| open.is_list).min_by_key(|open| open.margin.abs_diff(margin));
        if let Some(list) =
            list.filter(|list| list.margin != margin && margin <= deepest.margin && list.margin.abs_diff(margin) < 2)
        {
            let help = format!("write `- ` after {}", spaces(list.margin));
            let slip = Slip::new(place, "the item does not stand below the others of its list", help);
            return Some(slip.also(list.line.place(list.margin, 1), "an item of the list"));
        }
        if let Some(slip) = self.colon_above() {
            return Some(slip);
        }
        let table = open.iter().find(|open| !open.is_list)?;
        let key = table.line.entry().map_or(0, |(key, _)| key.len());
        let slip = match language::list_key(&self.beside(table.margin), &self.inside()) {
            _ if table.margin == margin => {
                let help = "take `- ` away, or write the key of the list on a line above it";
                Slip::new(place, "an item of a list among keys", help)
            }
            Some(missing) => {
                let help = format!("write `{missing}:` on a line above it, after {}", spaces(table.margin));
                Slip::new(place, format!("a list without its key: `{missing}:` is missing"), help)
            }
            None => {
                let help = "write the key of the list on a line above it, or take `- ` away";
                Slip::new(place, "a list without its key", help)
            }
        };
        Some(slip.also(table.line.place(table.margin, key), "a key above"))
    }

    /// The keys above in the table at some number of spaces.
    fn beside(&self, margin: usize) -> Vec<&'t str> {
        let mut all = Vec::new();
        for line in self.line.above(self.text) {
            if line.content() == margin
                && let Some((key, _)) = line.entry()
            {
                all.push(first_part(key));
            }
            if line.margin() < margin {
                break;
            }
        }
        all
    }

    /// The keys of the table that begins here.
    fn block(&self) -> Vec<&'t str> {
        let margin = self.line.margin();
        let mut at = self.line.start;
        let lines = self.text[at..].split_inclusive('\n').map(|line| {
            at += line.len();
            Line::at(self.text, at - line.len())
        });
        let lines = lines.take(MOST_LINES).filter(|line| line.says()).take_while(|line| line.margin() >= margin);
        let own = lines.filter(|line| line.margin() == margin);
        own.filter_map(|line| line.entry().map(|(key, _)| first_part(key))).collect()
    }

    /// The keys of the items of the list that begins here.
    fn inside(&self) -> Vec<&'t str> {
        let (margin, content) = (self.line.margin(), self.line.content());
        let mut all = Vec::new();
        let lines = self.text[self.line.start..].split_inclusive('\n').scan(self.line.start, |start, line| {
            *start += line.len();
            Some(Line::at(self.text, *start - line.len()))
        });
        for line in lines.take(MOST_LINES).filter(|line| line.says()) {
            if line.margin() < margin || (line.margin() == margin && !line.is_item()) {
                break;
            }
            if line.content() != content {
                continue;
            }
            match line.written[content..].strip_prefix('{') {
                Some(inside) => {
                    let keys = inside.split(':').filter_map(|before| before.rsplit([' ', ',', '{']).next());
                    all.extend(keys.filter(|key| key.starts_with(is_word)).map(first_part));
                }
                None => all.extend(line.entry().map(|(key, _)| first_part(key))),
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The lists and tables that are open above the line, by their spaces, the deepest first.
    fn open(&self) -> Vec<Open<'t>> {
        let mut all: Vec<Open<'t>> = Vec::new();
        let mut least = usize::MAX;
        for line in self.line.above(self.text) {
            let (margin, content) = (line.margin(), line.content());
            if margin >= least {
                continue;
            }
            if content < least && line.entry().is_some() {
                all.push(Open { margin: content, is_list: false, line });
            }
            if line.is_item() {
                all.push(Open { margin, is_list: true, line });
            }
            least = margin;
            if margin == 0 {
                break;
            }
        }
        all
    }
}

/// `-x`
fn dash_alone(line: Line<'_>) -> bool {
    let rest = line.code().strip_prefix('-').unwrap_or_default();
    rest.starts_with(|c: char| c.is_alphabetic() || matches!(c, '{' | '[' | '"' | '\''))
}

fn no_space(line: Line<'_>) -> Slip {
    Slip::new(line.place(line.margin(), 1), "`-` needs a space after it", "write `- ` before the item")
}

/// Of a dotted key the part that stands in its table.
fn first_part(key: &str) -> &str {
    key.split('.').next().unwrap_or(key)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

fn spaces(count: usize) -> String {
    match count {
        0 => "no space".to_owned(),
        1 => "1 space".to_owned(),
        count => format!("{count} spaces"),
    }
}

/// A text that fits into a help.
fn shortened(text: &str) -> &str {
    if text.chars().count() < 60 { text } else { "…" }
}

/// The first escape in double quotes that is none, or lacks digits.
fn bad_escape(text: &str) -> Option<(usize, usize)> {
    let mut at = 0;
    while let Some(found) = text[at..].find('\\') {
        at += found;
        let sign = text[at + 1..].chars().next()?;
        let digits = match sign {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ if "0abtnvfre \t\"/\\N_LP\r".contains(sign) => 0,
            _ => return Some((at, 1 + sign.len_utf8())),
        };
        let written = text[at + 2..].bytes().take(digits).take_while(u8::is_ascii_hexdigit).count();
        if sign.is_ascii_alphabetic() && written < digits {
            return Some((at, 2 + written));
        }
        at += 1 + sign.len_utf8() + written;
    }
    None
}
