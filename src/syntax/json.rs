//! Strict JSON (RFC 8259) with places. It stops at the first syntax error; repeated keys are all found.

use super::tree::{Id, Origin, Part, Tree};
use super::{Kind, Node, without_mark};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;

pub(super) fn parse(tree: Tree<'_>) -> Option<Node> {
    let (_, at) = without_mark(tree.text);
    let mut reader = Json { bytes: tree.text.as_bytes(), at, tree };
    reader.skip_space();
    let root = reader.value(None)?;
    reader.skip_space();
    if reader.at < reader.bytes.len() {
        let message = format!("unexpected {} after the value", reader.found());
        let help = format!("a JSON {} holds one value", reader.tree.what);
        return reader.fail(message, &help);
    }
    if reader.tree.is_null(root) {
        let span = reader.tree.span_of(root);
        reader.tree.error(Code::NullValue, span, "the file holds no value", "");
    }
    reader.tree.finish(root)
}

struct Json<'t> {
    tree: Tree<'t>,
    bytes: &'t [u8],
    at: usize,
}

impl Json<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn here(&self) -> Span {
        let next = self.tree.text[self.at..].chars().next().map_or(0, char::len_utf8);
        self.tree.span(self.at, self.at + next)
    }

    fn found(&self) -> String {
        match self.tree.text[self.at..].chars().next() {
            Some(c) => crate::diag::quoted(c.encode_utf8(&mut [0; 4])),
            None => format!("end of the {}", self.tree.what),
        }
    }

    fn fail<T>(&mut self, message: String, help: &str) -> Option<T> {
        let span = self.here();
        self.tree.error(Code::SyntaxError, span, message, help);
        None
    }

    /// Recursion is bounded: the tree stops at its greatest depth.
    fn value(&mut self, parent: Option<Id>) -> Option<Id> {
        let start = self.at;
        match self.peek() {
            Some(b'{') => self.table(parent),
            Some(b'[') => self.list(parent),
            Some(b'"') => {
                let text = self.string()?;
                let span = self.tree.span(start, self.at);
                self.leaf(span, Kind::Text(text.into()))
            }
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => {
                let rest = &self.bytes[start..];
                let len = rest.iter().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(rest.len());
                let kind = match &rest[..len] {
                    b"true" => Kind::Bool(true),
                    b"false" => Kind::Bool(false),
                    b"null" => Kind::Null,
                    _ => {
                        let message = format!("expected a value, found {}", self.found());
                        return self.fail(message, "text needs double quotes in JSON");
                    }
                };
                self.at += len;
                let span = self.tree.span(start, self.at);
                self.leaf(span, kind)
            }
        }
    }

    fn leaf(&mut self, span: Span, kind: Kind) -> Option<Id> {
        let id = self.tree.leaf(span, kind);
        (!self.tree.stopped).then_some(id)
    }

    fn list(&mut self, parent: Option<Id>) -> Option<Id> {
        let (open, list) = (self.here(), self.tree.list(self.here(), parent));
        self.at += 1;
        self.skip_space();
        if self.peek() != Some(b']') {
            loop {
                if self.tree.stopped {
                    return None;
                }
                let item = self.value(Some(list))?;
                self.tree.push(list, item);
                if !self.another(b']', "list", open)? {
                    break;
                }
            }
        }
        self.close(list)
    }

    fn table(&mut self, parent: Option<Id>) -> Option<Id> {
        let (open, table) = (self.here(), self.tree.table(self.here(), parent, Origin::Value));
        self.at += 1;
        self.skip_space();
        if self.peek() != Some(b'}') {
            loop {
                if self.tree.stopped {
                    return None;
                }
                let start = self.at;
                if self.peek() != Some(b'"') {
                    let message = format!("expected a key, found {}", self.found());
                    return self.fail(message, "keys need double quotes, and no comma follows the last one");
                }
                let text = self.string()?;
                let key = Part { text: text.into(), span: self.tree.span(start, self.at) };
                self.skip_space();
                if self.peek() != Some(b':') {
                    let message = format!("expected `:` after a key, found {}", self.found());
                    return self.fail(message, "");
                }
                self.at += 1;
                self.skip_space();
                let value = self.value(Some(table))?;
                self.tree.insert(table, &[key], value, false);
                if !self.another(b'}', "table", open)? {
                    break;
                }
            }
        }
        self.close(table)
    }

    /// Whether a comma follows, rather than the closing bracket.
    fn another(&mut self, close: u8, what: &str, open: Span) -> Option<bool> {
        self.skip_space();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.skip_space();
                Some(true)
            }
            Some(b) if b == close => Some(false),
            _ => {
                let message = format!("expected `,` or `{}`, found {}", close as char, self.found());
                let found = Diagnostic::error(Code::SyntaxError, self.here(), message);
                self.tree.report(found.also(open, format!("the {what} begins here")));
                None
            }
        }
    }

    fn close(&mut self, id: Id) -> Option<Id> {
        self.at += 1;
        self.tree.end_at(id, self.tree.span(0, self.at).end);
        (!self.tree.stopped).then_some(id)
    }

    fn number(&mut self) -> Option<Id> {
        let start = self.at;
        let rest = &self.bytes[start..];
        let len = rest.iter().position(|b| !(b.is_ascii_alphanumeric() || b"+-.".contains(b))).unwrap_or(rest.len());
        let text = &self.tree.text[start..start + len];
        let span = self.tree.span(start, start + len);
        if !is_number(text) {
            let message = format!("{} is not a number", crate::diag::quoted(text));
            self.tree.error(Code::SyntaxError, span, message, "text needs double quotes in JSON");
            return None;
        }
        let kind = Kind::Number(text.into());
        self.at += len;
        self.leaf(span, kind)
    }

    fn string(&mut self) -> Option<String> {
        let open = self.here();
        let mut text = String::new();
        self.at += 1;
        loop {
            let rest = &self.bytes[self.at..];
            let len = rest.iter().position(|b| matches!(b, b'"' | b'\\' | 0..0x20)).unwrap_or(rest.len());
            text.push_str(&self.tree.text[self.at..self.at + len]);
            self.at += len;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Some(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => {
                    return self.fail(
                        "a line break or control character inside text".into(),
                        "write it as an escape, such as `\\n`",
                    );
                }
                None => {
                    self.tree.error(Code::SyntaxError, open, "text without its closing quote", "");
                    return None;
                }
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let start = self.at;
        let c = match self.bytes.get(start + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            _ => {
                return self.fail(
                    "unknown escape".into(),
                    "escapes are `\\\"`, `\\\\`, `\\/`, `\\b`, `\\f`, `\\n`, `\\r`, `\\t`, `\\uXXXX`",
                );
            }
        };
        self.at += 2;
        Some(c)
    }

    fn unicode(&mut self) -> Option<char> {
        let unit = |at: usize| -> Option<u32> {
            let digits = self.bytes.get(at..at + 6)?;
            if &digits[..2] != b"\\u" || !digits[2..].iter().all(u8::is_ascii_hexdigit) {
                return None;
            }
            u32::from_str_radix(std::str::from_utf8(&digits[2..]).ok()?, 16).ok()
        };
        let high = unit(self.at);
        let low = unit(self.at + 6);
        let (c, len) = match (high, low) {
            (Some(high @ 0xd800..0xdc00), Some(low @ 0xdc00..0xe000)) => {
                (char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00)), 12)
            }
            (Some(one), _) => (char::from_u32(one), 6),
            (None, _) => (None, 6),
        };
        match c {
            Some(c) => {
                self.at += len;
                Some(c)
            }
            None if high.is_none() => self.fail("`\\u` needs four hexadecimal digits".into(), ""),
            None => self.fail("half of a surrogate pair".into(), "write both halves, such as `\\uD83D\\uDE00`"),
        }
    }
}

/// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
fn is_number(text: &str) -> bool {
    let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(w, f)| (w, Some(f)));
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(digits)
}
