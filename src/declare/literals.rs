//! Literal values, read by the type that is due.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diag::{Code, Diagnostic, did_you_mean, listed, quoted, suggest};
use crate::model::json::impossible;
use crate::model::json::twice;
use crate::model::period::Period;
use crate::model::schema::{NamedType, Type};
use crate::model::value::{RecordValue, Value};
use crate::source::Span;
use crate::syntax::read::exact;
use crate::syntax::{Field, Kind, Node, Table};

use super::cx::{Cx, poisoned};

/// A text that stands for something else, or itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sigil<'t> {
    /// `$path`, without the `$`.
    Path(&'t str),
    /// `%parameter`, without the `%`.
    Param(&'t str),
    /// The text itself; `$$x` is `$x` and `%%x` is `%x`.
    Plain(&'t str),
}

/// What a text stands for. A lone `$` or one before a space or a digit is itself.
pub(super) fn sigil(text: &str) -> Sigil<'_> {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some('$'), Some('$')) | (Some('%'), Some('%')) => Sigil::Plain(&text[1..]),
        (Some('$'), Some(c)) if c.is_alphabetic() || c == '_' => Sigil::Path(&text[1..]),
        (Some('%'), Some(c)) if c.is_alphabetic() || c == '_' => Sigil::Param(&text[1..]),
        _ => Sigil::Plain(text),
    }
}

/// What a text stands for where it is a key: a path is written `[$path]` there, and `[$$path]` is the text `[$path]`.
pub(super) fn key_sigil(text: &str) -> (Sigil<'_>, Cow<'_, str>) {
    match text.strip_prefix('[') {
        Some(inner) if inner.starts_with("$$") => (Sigil::Plain(text), Cow::Owned(format!("[{}", &inner[1..]))),
        Some(inner) if inner.starts_with('$') => (sigil(inner), Cow::Borrowed(text)),
        _ => match sigil(text) {
            Sigil::Plain(plain) => (Sigil::Plain(plain), Cow::Borrowed(plain)),
            other => (other, Cow::Borrowed(text)),
        },
    }
}

impl Cx<'_> {
    /// A literal or a parameter.
    pub fn literal(&self, node: &Node, ty: &Type) -> Option<Value> {
        if poisoned(ty) || node.kind == Kind::Null {
            return None;
        }
        if let Kind::Text(text) = &node.kind {
            match sigil(text) {
                Sigil::Param(name) => return self.param_as(node, name, ty),
                Sigil::Path(_) => {
                    let message = format!("{} is a reference; here a value must be written out", quoted(text));
                    self.error_help(
                        Code::BadPath,
                        node.span,
                        message,
                        format!("for the text itself write \"${text}\""),
                    );
                    return None;
                }
                Sigil::Plain(text)
                    if ty.is_collection()
                        || matches!(
                            ty,
                            Type::Bool | Type::Int | Type::Decimal | Type::Record(_) | Type::Document { .. }
                        ) =>
                {
                    let _ = text;
                }
                Sigil::Plain(text) => return self.word_as(text, node.span, ty),
            }
        }
        let field = Field::new(node, self.out);
        match ty {
            Type::Document { .. } => {
                let message = "a document comes from the host: a pack never writes one out";
                self.error_help(Code::WrongType, node.span, message, "give a `$path` to a document");
                None
            }
            Type::Bool => field.bool().map(Value::Bool),
            Type::Int => field.int().map(Value::Int),
            Type::Decimal => field.decimal().map(Value::Decimal),
            Type::Text | Type::Narrative | Type::Id | Type::Enum(_) | Type::Key(_) => {
                field.text().and_then(|text| self.word_as(text, node.span, ty))
            }
            Type::Period => match &node.kind {
                Kind::Number(text) | Kind::Date(text) => self.word_as(text, node.span, ty),
                _ => field.wrong_type("a period, such as `2020-03`"),
            },
            Type::Instant => match &node.kind {
                Kind::Date(text) => self.word_as(text, node.span, ty),
                _ => field.wrong_type("a point in time, such as `2020-03-01T12:00:00Z`"),
            },
            Type::Record(_) => self.record(node, ty),
            Type::List { of, max, unique, .. } => {
                let nodes = self.list(node, "a list")?;
                let items = self.items(nodes, of, *max, node.span)?;
                if let Some(value) = unique.and_then(|field| twice(field, &items)) {
                    let message = format!("two items bear {}; each is there once", quoted(&self.plain(value)));
                    self.out.push(Diagnostic::error(Code::DuplicateItem, node.span, message).help("keep one"));
                    return None;
                }
                Some(Value::List(items.into()))
            }
            Type::Set { of, max } => {
                let nodes = self.list(node, "a set")?;
                let items = self.items(nodes, of, *max, node.span)?;
                self.set(items, nodes)
            }
            Type::Map { key, of, max } => {
                let table = self.table(node, "a map")?;
                let mut entries = BTreeMap::new();
                let mut good = true;
                for entry in table {
                    let key = self.key(&entry.key, entry.key_span, key);
                    let value = self.literal(&entry.value, of);
                    let (Some(key), Some(value)) = (key, value) else {
                        good = false;
                        continue;
                    };
                    // A parameter may be what another key says.
                    if let Some((first, _)) = entries.insert(key, (entry.key_span, value)) {
                        let message = format!("{} is the key of another entry too", quoted(&entry.key));
                        let found = Diagnostic::error(Code::DuplicateKey, entry.key_span, message);
                        self.out.push(found.also(first, "first here").help("keep one"));
                        good = false;
                    }
                }
                self.check_max(table.len(), *max, node.span);
                good.then(|| Value::Map(entries.into_iter().map(|(key, (_, value))| (key, value)).collect()))
            }
        }
    }

    fn items(&self, nodes: &[Node], of: &Type, max: u32, span: Span) -> Option<Vec<Value>> {
        self.check_max(nodes.len(), max, span);
        let items: Vec<Option<Value>> = nodes.iter().map(|item| self.literal(item, of)).collect();
        items.into_iter().collect()
    }

    fn check_max(&self, len: usize, max: u32, span: Span) {
        if len > max as usize {
            self.error_help(
                Code::OutOfRange,
                span,
                format!("{len} items where at most {max} are allowed"),
                "leave some out, or raise `max`",
            );
        }
    }

    /// A set: sorted, each item once.
    pub fn set(&self, items: Vec<Value>, nodes: &[Node]) -> Option<Value> {
        let mut first: BTreeMap<Value, Span> = BTreeMap::new();
        let mut good = true;
        for (item, node) in items.into_iter().zip(nodes) {
            if let Some(before) = first.get(&item) {
                let found = Diagnostic::error(Code::DuplicateItem, node.span, "the same item stands twice in a set");
                self.out.push(found.also(*before, "first here").help("keep one"));
                good = false;
            } else {
                first.insert(item, node.span);
            }
        }
        good.then(|| Value::List(first.into_keys().collect()))
    }

    fn record(&self, node: &Node, ty: &Type) -> Option<Value> {
        let Type::Record(id) = ty else { return None };
        let table = self.table(node, "a record")?;
        let record = &self.records[id.index()];
        let known: Vec<String> = record.fields.iter().map(|field| self.text_of(field.name)).collect();
        self.known_fields(table, &known);
        let mut fields = Vec::new();
        let mut good = table.iter().all(|entry| known.iter().any(|known| *known == entry.key));
        for field in &record.fields {
            let name = self.text_of(field.name);
            match (table.get(&name), &field.default) {
                (Some(node), _) => match self.literal(node, &field.ty) {
                    Some(value) => fields.push((field.name, value)),
                    None => good = false,
                },
                (None, Some(default)) => fields.push((field.name, default.clone())),
                (None, None) if field.optional => {}
                (None, None) if self.misspelt(table, &name) => good = false,
                (None, None) => {
                    self.lacks_field(&name, field, node.span);
                    good = false;
                }
            }
        }
        good.then(|| Value::Record(Arc::new(RecordValue { fields, extra: Vec::new() })))
    }

    /// A mandatory field that is not given.
    pub fn lacks_field(&self, name: &str, field: &NamedType, span: Span) {
        let found =
            Diagnostic::error(Code::MissingArgument, span, format!("the mandatory {} is not given", quoted(name)));
        self.out.push(
            found.also(field.span, "declared here").help(format!("give `{name}`, or declare it `optional = true`")),
        );
    }

    /// Reports keys that name no field.
    pub fn known_fields(&self, table: &Table, known: &[String]) {
        for entry in table {
            if !known.iter().any(|known| *known == entry.key) {
                self.unknown("field", &entry.key, entry.key_span, known.iter().map(String::as_str));
                self.flag_key(entry.key_span);
            }
        }
    }

    /// A literal or a parameter where it is a key.
    pub fn key(&self, text: &str, span: Span, ty: &Type) -> Option<Value> {
        match key_sigil(text) {
            (Sigil::Param(name), _) => self.param_as(&Node { span, kind: Kind::Text(text.into()) }, name, ty),
            (Sigil::Path(_), _) => {
                let message = format!("{} is a reference; here a value must be written out", quoted(text));
                let help = format!("for the text itself write \"{}\"", text.replacen('$', "$$", 1));
                self.error_help(Code::BadPath, span, message, help);
                None
            }
            (Sigil::Plain(_), text) => self.plain_key(&text, span, ty),
        }
    }

    /// A value out of text where the text is a key.
    fn plain_key(&self, text: &str, span: Span, ty: &Type) -> Option<Value> {
        match ty {
            Type::Bool => match text {
                "true" => Some(Value::Bool(true)),
                "false" => Some(Value::Bool(false)),
                _ => {
                    self.error_help(
                        Code::WrongType,
                        span,
                        format!("{} is no truth value", quoted(text)),
                        "write `true` or `false`",
                    );
                    None
                }
            },
            Type::Int | Type::Decimal => {
                let node = Node { span, kind: Kind::Number(text.into()) };
                self.literal(&node, ty)
            }
            _ if poisoned(ty) => None,
            Type::Document { .. } | Type::Record(_) | Type::List { .. } | Type::Set { .. } | Type::Map { .. } => {
                let message = format!("expected {}, found text", self.shown(ty));
                self.error_help(Code::WrongType, span, message, "a key can only be a plain value");
                None
            }
            _ => self.word_as(text, span, ty),
        }
    }

    /// A value out of text by a type whose values are texts.
    fn word_as(&self, text: &str, span: Span, ty: &Type) -> Option<Value> {
        match ty {
            Type::Enum(id) => {
                let values = self.values_of(*id);
                let sym = self.names.borrow().get(text).filter(|sym| values.contains(sym));
                match sym {
                    Some(sym) => Some(Value::Sym(sym)),
                    None => {
                        self.no_value("value", text, span, values.iter().map(|value| self.text_of(*value)).collect())
                    }
                }
            }
            Type::Key(id) => {
                let table = &self.tables[id.index()];
                let sym = self.names.borrow().get(text).filter(|sym| table.row(*sym).is_some());
                match sym {
                    Some(sym) => Some(Value::Sym(sym)),
                    None => {
                        let kind = format!("row of table `{}`", self.text_of(table.name));
                        self.no_value(&kind, text, span, table.rows.iter().map(|row| self.text_of(row.key)).collect())
                    }
                }
            }
            Type::Period => {
                let period = Period::parse(text, &self.names.borrow(), &self.relative);
                if period.is_some() {
                    self.note_use("relative period", text);
                } else {
                    let names = self.names.borrow();
                    let relative: Vec<&str> = self.relative.iter().map(|period| names.text(period.name)).collect();
                    let help = match suggest(text, relative.iter().copied()) {
                        Some(near) => did_you_mean(text, near),
                        None if impossible(ty, text).is_some() => "write a period that there is".to_owned(),
                        None => "write `2020`, `2020-Q1`, `2020-03`, `2020-03-05`, `2020-03-01/2020-03-15` or the name of a relative period".to_owned(),
                    };
                    // It may be declared in a file that cannot be read.
                    let code = if Period::is_name(text) { Code::UnknownName } else { Code::BadValue };
                    self.error_help(code, span, no_such(ty, text, "period"), help);
                }
                period.map(Value::Period)
            }
            Type::Instant => {
                if text.parse::<jiff::Timestamp>().is_err() {
                    self.error_help(
                        Code::BadValue,
                        span,
                        no_such(ty, text, "point in time"),
                        "write it as in RFC 3339: `2020-03-01T12:00:00Z`",
                    );
                    return None;
                }
                Some(Value::Instant(text.into()))
            }
            _ => Some(Value::text(text)),
        }
    }

    fn no_value(&self, kind: &str, text: &str, span: Span, known: Vec<String>) -> Option<Value> {
        let help = match suggest(text, &known) {
            Some(near) => format!("{} The values are {}", did_you_mean(text, near), listed(&known)),
            None => format!("the values are {}", listed(&known)),
        };
        self.error_help(Code::UnknownValue, span, format!("there is no {kind} {}", quoted(text)), help);
        None
    }

    /// The value of a parameter, where a type is due.
    pub fn param_as(&self, node: &Node, name: &str, ty: &Type) -> Option<Value> {
        let at = self.find("parameter", name, self.inside(node, 1, 1 + name.len()), &self.param_names)?;
        let param = self.params.get(usize::from(at))?;
        if poisoned(&param.ty) || poisoned(ty) {
            return None;
        }
        match (&param.value, ty) {
            (Value::Int(number), Type::Decimal) => return Some(Value::Decimal((*number).into())),
            (value, _) if self.same(&param.ty, ty) => return Some(value.clone()),
            (value, Type::Text) => return Some(Value::text(&self.plain(value))),
            _ => {}
        }
        let message = format!("expected {}, found a parameter that is {}", self.shown(ty), self.shown(&param.ty));
        let found = Diagnostic::error(Code::WrongType, node.span, message).also(param.span, "declared here");
        self.out.push(found.help("use a parameter of that type, or write the value out"));
        None
    }

    /// A plain value as text.
    fn plain(&self, value: &Value) -> String {
        let names = self.names.borrow();
        match value {
            Value::Bool(value) => value.to_string(),
            Value::Int(value) => value.to_string(),
            Value::Decimal(value) => value.to_string(),
            Value::Sym(sym) => names.text(*sym).to_owned(),
            Value::Period(period) => period.display(&names).to_string(),
            Value::Text(text) => text.to_string(),
            Value::Instant(text) => text.to_string(),
            _ => String::new(),
        }
    }
}

/// What is said of a text that is no value of its type.
fn no_such(ty: &Type, text: &str, what: &str) -> String {
    let why = impossible(ty, text).map(|why| format!(": {why}")).unwrap_or_default();
    format!("{} is no {what}{why}", quoted(text))
}

/// The text of an override as a node, so that it is read like any literal.
pub(super) fn told(text: &str, span: Span) -> Node {
    let kind = match text {
        "true" => Kind::Bool(true),
        "false" => Kind::Bool(false),
        _ if exact(text).is_some() => Kind::Number(text.into()),
        _ => Kind::Text(text.into()),
    };
    Node { span, kind }
}
