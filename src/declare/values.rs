//! Values that effects write: literals, paths, parameters and the few ways to compute one.

use crate::diag::{Code, Diagnostic, quoted};
use crate::language;
use crate::model::cond::{Cond, Path};
use crate::model::effect::{Expr, Pick, Take, Taken};
use crate::model::names::Sym;
use crate::model::schema::{NamedType, Type};
use crate::model::value::Value;
use crate::model::walk::may_be_left_out;
use crate::source::Span;
use crate::syntax::{Kind, Node, Table};

use super::cx::{Cx, poisoned};
use super::literals::{Sigil, key_sigil, sigil};
use super::paths::Scope;

const COMPUTED: &[&str] = &["first", "join", "new_id", "pick"];

impl Cx<'_> {
    /// A value where a type is due.
    pub fn expr(&self, node: &Node, ty: &Type, scope: &Scope<'_>) -> Option<Expr> {
        match &node.kind {
            Kind::Null => None,
            Kind::Text(text) => match sigil(text) {
                Sigil::Path(path) => self.path_expr(node, path, ty, scope),
                _ => {
                    self.see_unmarked(node, text, ty, scope);
                    self.literal(node, ty).map(Expr::Value)
                }
            },
            Kind::Table(table) if COMPUTED.iter().any(|key| table.get(key).is_some()) => {
                self.computed(node, table, ty, scope)
            }
            _ if poisoned(ty) => None,
            Kind::Table(table) => match ty {
                Type::Record(_) => self.record_expr(node, table, ty, scope, false),
                Type::Map { key, of, .. } => {
                    let mut entries = Vec::new();
                    let mut good = true;
                    for entry in table {
                        let key = self.entry_key(&entry.key, entry.key_span, key, scope);
                        match (key, self.expr(&entry.value, of, scope)) {
                            (Some(key), Some(value)) => entries.push((key, value)),
                            _ => good = false,
                        }
                    }
                    let literal = |expr: &Expr| matches!(expr, Expr::Value(_));
                    if good && entries.iter().all(|(key, expr)| literal(key) && literal(expr)) {
                        return self.literal(node, ty).map(Expr::Value);
                    }
                    good.then_some(Expr::Map(entries))
                }
                _ => self.wrong(node, &self.shown(ty)),
            },
            Kind::List(items) => match ty {
                Type::List { of, .. } | Type::Set { of, .. } => {
                    let values: Vec<_> = items.iter().map(|item| self.expr(item, of, scope)).collect();
                    let values = values.into_iter().collect::<Option<Vec<_>>>()?;
                    if values.iter().all(|expr| matches!(expr, Expr::Value(_))) {
                        return self.literal(node, ty).map(Expr::Value);
                    }
                    Some(Expr::List(values))
                }
                _ => self.wrong(node, &self.shown(ty)),
            },
            _ => self.literal(node, ty).map(Expr::Value),
        }
    }

    /// Remembers a text that spells a path which leads to a value of the type that is due.
    pub fn see_unmarked(&self, node: &Node, text: &str, ty: &Type, scope: &Scope<'_>) {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '?');
        if matches!(ty, Type::Text | Type::Id)
            && text.contains('.')
            && text.chars().all(is_word)
            && let Ok((_, found)) = self.path_in(node, may_lack(text).0, 0, scope)
            && self.fits(&found, ty)
        {
            self.unmarked.borrow_mut().insert((node.span, text.to_owned()));
        }
    }

    /// The key of an entry of a map: a literal, a parameter, or a path written as `"[$path]"`.
    fn entry_key(&self, text: &str, span: Span, ty: &Type, scope: &Scope<'_>) -> Option<Expr> {
        let (Sigil::Path(path), _) = key_sigil(text) else { return self.key(text, span, ty).map(Expr::Value) };
        let Some(path) = path.strip_suffix(']').filter(|_| text.starts_with('[')) else {
            let mut help = format!("write \"[${}]\"", path.trim_end_matches(']'));
            if matches!(ty, Type::Text | Type::Id) {
                help += &format!("; for the text itself write \"{}\"", text.replacen('$', "$$", 1));
            }
            self.error_help(Code::BadPath, span, format!("{} is no path that is a key", quoted(text)), help);
            return None;
        };
        let node = Node { span, kind: Kind::Text(text.into()) };
        let (path, optional) = may_lack(path);
        let (path, found) = self.found(&node, path, 2, scope)?;
        // A key is looked up as it is: an id is not written into a map of texts.
        if !self.same(&found, ty) {
            self.mismatch(span, &found, ty);
            return None;
        }
        (!poisoned(ty)).then_some(Expr::Path { path, optional })
    }

    fn path_expr(&self, node: &Node, path: &str, ty: &Type, scope: &Scope<'_>) -> Option<Expr> {
        let (path, optional) = may_lack(path);
        let (path, found) = self.found(node, path, 1, scope)?;
        if !self.fits(&found, ty) {
            self.mismatch(node.span, &found, ty);
            return None;
        }
        (!poisoned(ty)).then_some(Expr::Path { path, optional })
    }

    /// What a path leads to, with its type; where it leads nowhere that is reported.
    fn found(&self, node: &Node, path: &str, skip: usize, scope: &Scope<'_>) -> Option<(Path, Type)> {
        self.path_in(node, path, skip, scope).map_err(|fault| self.report(fault)).ok()
    }

    fn mismatch(&self, span: Span, found: &Type, ty: &Type) {
        let found_text = match (found, ty) {
            (Type::Enum(a), Type::Enum(b)) => {
                let known = self.values_of(*b);
                let names = self.names.borrow();
                let more: Vec<_> = self
                    .values_of(*a)
                    .into_iter()
                    .filter(|value| !known.contains(value))
                    .map(|v| names.text(v).to_owned())
                    .collect();
                format!("a value that may also be {}", crate::diag::listed(&more))
            }
            _ => self.shown(found),
        };
        let message = format!("expected {}, found {found_text}", self.shown(ty));
        let prose = |ty: &Type| ty.is_prose() || ty.item().is_some_and(Type::is_prose);
        if prose(found) && !prose(ty) {
            let help = "prose goes into messages and into fields of type `narrative`: give a typed value";
            return self.error_help(Code::ProseDecides, span, message, help);
        }
        let help = match (found, ty) {
            (Type::Enum(_), Type::Enum(_)) => "declare the target with these values too, or give a narrower value",
            _ => "give a value of that type, or declare the target as what this is",
        };
        self.error_help(Code::WrongType, span, message, help);
    }

    fn computed(&self, node: &Node, table: &Table, ty: &Type, scope: &Scope<'_>) -> Option<Expr> {
        if let Some(first) = table.get("first") {
            self.allow(table, &language::FIRST);
            let items = self.list(first, "values")?;
            if items.is_empty() {
                self.error_help(Code::SaysNothing, first.span, "the first of nothing", "list the values");
                return None;
            }
            let of: Vec<_> = items.iter().map(|item| self.expr(item, ty, scope)).collect();
            return of.into_iter().collect::<Option<Vec<_>>>().map(Expr::First);
        }
        if let Some(join) = table.get("join") {
            self.allow(table, &language::JOIN);
            let sep = table.get("sep").map_or(Some(" "), |node| self.text(node))?.to_owned();
            let items = self.list(join, "values")?;
            let due = if ty.is_prose() { Type::Narrative } else { Type::Text };
            let of: Vec<_> = items.iter().map(|item| self.joined(item, &due, scope)).collect();
            if !matches!(ty, Type::Text | Type::Narrative) && !poisoned(ty) {
                self.mismatch(node.span, &Type::Text, ty);
                return None;
            }
            return of.into_iter().collect::<Option<Vec<_>>>().map(|of| Expr::Join { of, sep });
        }
        if table.get("pick").is_some() {
            let (pick, found) = self.pick(node, table, scope, Some(ty))?;
            if !self.fits(&found, ty) {
                self.mismatch(node.span, &found, ty);
                return None;
            }
            return (!poisoned(ty)).then(|| Expr::Pick(Box::new(pick)));
        }
        self.allow(table, &language::NEW_ID);
        let prefix = self.text(table.get("new_id")?)?;
        self.check_form("an id", prefix, node.span).then_some(())?;
        if !matches!(ty, Type::Id | Type::Text) && !poisoned(ty) {
            self.mismatch(node.span, &Type::Id, ty);
            return None;
        }
        Some(Expr::NewId(prefix.to_owned()))
    }

    /// Which entries of a collection are taken, and the type of what comes of it. `due`: the type that is due, where that is known.
    fn pick(&self, node: &Node, table: &Table, scope: &Scope<'_>, due: Option<&Type>) -> Option<(Pick, Type)> {
        self.allow(table, &language::PICK);
        let from = table.get("pick")?;
        let path = match &from.kind {
            Kind::Text(text) => match sigil(text) {
                Sigil::Path(path) => Some(path),
                _ => None,
            },
            _ => None,
        };
        let Some(path) = path else {
            let help = "write a path: `pick = \"$frame.field?\"`";
            self.error_help(Code::BadPath, from.span, "entries are picked from a list, a set or a map", help);
            return None;
        };
        let (path, optional) = may_lack(path);
        let (path, ty) = self.found(from, path, 1, scope)?;
        let (key, of) = match &ty {
            Type::Map { key, of, .. } => (Some(&**key), &**of),
            Type::List { of, .. } | Type::Set { of, .. } => (None, &**of),
            _ => {
                let message = format!("entries are picked from a list, a set or a map; this is {}", self.shown(&ty));
                self.error_help(Code::WrongType, from.span, message, "name a collection");
                return None;
            }
        };
        if table.iter().count() == 1 {
            let help = "add `where = { … }`, `take = \"value.…\"`, or both";
            self.error_help(Code::MissingKey, node.span, "a pick that takes everything", help);
            return None;
        }
        let inner = Scope { entry: Some((key, of)), ..*scope };
        let only = table.get("where").map_or(Cond::TRUE, |node| self.cond(node, &inner));
        let (take, taken) = match table.get("take") {
            Some(Node { span, kind: Kind::Table(table) }) => {
                let of = match due {
                    Some(Type::Map { of, .. } | Type::List { of, .. } | Type::Set { of, .. }) => Some(&**of),
                    _ => None,
                };
                self.taken(*span, table, of, &inner).map(|(parts, ty)| (Some(Take::Record(parts)), ty))?
            }
            Some(take) => self.take(take, &inner).map(|(path, ty)| (Some(Take::Part(path)), ty))?,
            None => (None, of.clone()),
        };
        let of = Box::new(taken);
        let picked = match ty {
            Type::Map { key, max, .. } => Type::Map { key, of, max },
            Type::Set { max, .. } => Type::Set { of, max },
            Type::List { max, evict, .. } => Type::List { of, max, evict, unique: None },
            other => other,
        };
        Some((Pick { from: path, optional, only, take }, picked))
    }

    /// What of an entry is taken: a bare path that begins with `value`.
    fn take(&self, node: &Node, scope: &Scope<'_>) -> Option<(Path, Type)> {
        let text = self.bare(node)?;
        if text != "value" && !text.starts_with("value.") && !text.starts_with("value[") {
            let message = format!("{} is no part of an entry", quoted(text));
            self.error_help(Code::BadPath, node.span, message, "begin with `value`: `take = \"value.…\"`");
            return None;
        }
        self.found(node, text, 0, scope)
    }

    /// A record made of parts of an entry: a bare path for each of its fields.
    fn taken(&self, span: Span, table: &Table, due: Option<&Type>, scope: &Scope<'_>) -> Option<(Vec<Taken>, Type)> {
        let Some(ty @ Type::Record(id)) = due else {
            if !due.is_some_and(poisoned) {
                let (message, help) = match due {
                    Some(due) => (
                        format!("a record is taken of each entry where {} is due", self.shown(due)),
                        "take one part of it: `take = \"value.…\"`",
                    ),
                    None => (
                        "a record is taken of each entry, and nothing here says of which type".to_owned(),
                        "write it where a collection of records is due",
                    ),
                };
                self.error_help(Code::WrongType, span, message, help);
            }
            return None;
        };
        let fields = &self.records[id.index()].fields;
        let names: Vec<String> = fields.iter().map(|field| self.text_of(field.name)).collect();
        self.known_fields(table, &names);
        let mut good = table.iter().all(|entry| names.iter().any(|name| *name == entry.key));
        let mut parts = Vec::new();
        for (field, name) in fields.iter().zip(&names) {
            let needed = !field.optional && field.default.is_none();
            match table.get(name) {
                Some(node) => match self.take(node, scope) {
                    Some((path, found)) if self.fits(&found, &field.ty) => {
                        parts.push(Taken { name: field.name, path, needed });
                    }
                    Some((_, found)) => {
                        self.mismatch(node.span, &found, &field.ty);
                        good = false;
                    }
                    None => good = false,
                },
                None if !needed => {}
                None if self.misspelt(table, name) => good = false,
                None => {
                    self.lacks_field(name, field, span);
                    good = false;
                }
            }
        }
        good.then(|| (parts, ty.clone()))
    }

    /// A text to join, or a list of texts; prose where prose is due.
    fn joined(&self, node: &Node, due: &Type, scope: &Scope<'_>) -> Option<Expr> {
        if let Kind::Text(text) = &node.kind
            && let Sigil::Path(path) = sigil(text)
        {
            let (path, optional) = may_lack(path);
            let (path, found) = self.found(node, path, 1, scope)?;
            if !self.fits(found.item().unwrap_or(&found), due) {
                self.mismatch(node.span, &found, due);
                return None;
            }
            return Some(Expr::Path { path, optional });
        }
        self.expr(node, &Type::Text, scope)
    }

    /// A record field by field. `partial`: only some fields, as `merge` takes them.
    pub fn record_expr(&self, node: &Node, table: &Table, ty: &Type, scope: &Scope<'_>, partial: bool) -> Option<Expr> {
        let Type::Record(id) = ty else { return None };
        let fields = self.records[id.index()].fields.clone();
        let given = self.given(node, table, &fields, scope, partial)?;
        let literal = given.iter().all(|(_, expr)| matches!(expr, Expr::Value(_)));
        if literal && !partial {
            return self.literal(node, ty).map(Expr::Value);
        }
        Some(Expr::Record(given))
    }

    /// What a record, a call or a message is given, by name, in declared order; defaults are filled in when it is done.
    pub fn given(
        &self,
        node: &Node,
        table: &Table,
        fields: &[NamedType],
        scope: &Scope<'_>,
        partial: bool,
    ) -> Option<Vec<(Sym, Expr)>> {
        let mut given = Vec::new();
        let mut good = true;
        let names: Vec<String> = fields.iter().map(|field| self.text_of(field.name)).collect();
        self.known_fields(table, &names);
        for (field, name) in fields.iter().zip(&names) {
            match table.entry(name) {
                Some(entry) => match self.expr(&entry.value, &field.ty, scope) {
                    Some(expr) => {
                        if !partial && may_be_left_out(&expr) && !field.optional && field.default.is_none() {
                            let message = format!("{} is mandatory, but this may leave it out", quoted(name));
                            let found = Diagnostic::error(Code::MissingArgument, entry.value.span, message)
                                .also(field.span, "declared here");
                            self.out.push(found.help("leave the `?` out, or declare the field `optional = true`"));
                            good = false;
                        }
                        given.push((field.name, expr));
                    }
                    None => good = false,
                },
                None if partial || field.optional || field.default.is_some() => {}
                None if self.misspelt(table, name) => good = false,
                None => {
                    self.lacks_field(name, field, node.span);
                    good = false;
                }
            }
        }
        good &= table.iter().all(|entry| names.iter().any(|name| *name == entry.key));
        good.then_some(given)
    }

    /// The type of a value that declares none: what a call keeps. `None` = not known, or not yet.
    pub fn type_of(&self, node: &Node, scope: &Scope<'_>) -> Option<Type> {
        match &node.kind {
            Kind::Bool(_) => Some(Type::Bool),
            Kind::Number(text) => {
                Some(if text.contains(['.', 'e', 'E']) && !text.starts_with("0x") { Type::Decimal } else { Type::Int })
            }
            Kind::Text(text) => match sigil(text) {
                Sigil::Path(path) => self.path_in(node, may_lack(path).0, 1, scope).ok().map(|(_, ty)| ty),
                Sigil::Param(name) => self.param_names.get(name).map(|at| self.params[usize::from(*at)].ty.clone()),
                Sigil::Plain(_) => Some(Type::Text),
            },
            Kind::Table(table) if table.get("pick").is_some() => self.pick(node, table, scope, None).map(|(_, ty)| ty),
            Kind::Table(table) => match (table.get("first"), table.get("join"), table.get("new_id")) {
                (Some(Node { kind: Kind::List(items), .. }), _, _) => {
                    items.iter().find_map(|item| self.type_of(item, scope))
                }
                (None, Some(_), _) => Some(Type::Text),
                (None, None, Some(_)) => Some(Type::Id),
                _ => None,
            },
            _ => None,
        }
    }

    /// A whole number that is written out.
    pub fn whole_number(&self, node: &Node) -> Option<i64> {
        match self.literal(node, &Type::Int)? {
            Value::Int(number) => Some(number),
            _ => None,
        }
    }
}

/// A path in a value, and whether a `?` says that what it leads to may be absent.
fn may_lack(path: &str) -> (&str, bool) {
    path.strip_suffix('?').map_or((path, false), |path| (path, true))
}
