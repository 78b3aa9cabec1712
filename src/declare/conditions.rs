//! Conditions: maps of paths and tests, read against the types of what they test.

use std::cmp::Ordering;

use crate::diag::{Code, Diagnostic, listed, quoted, suggest};
use crate::language::{COUNT, NUMBER, Shape, TEST, meant_test};
use crate::model::cond::{Cond, Op, Operand, Path};
use crate::model::schema::Type;
use crate::source::Span;
use crate::syntax::{Entry, Field, Kind, Node, Table};

use super::cx::{Cx, poisoned, whole};
use super::literals::{Sigil, sigil};
use super::paths::{At, Piece, Scope, pieces};
use super::types::scalar;

/// How many conditions and effects may be written out of named ones.
pub(super) const MOST_INLINED: usize = 20_000;
/// So often no pack of this repository writes any out, by far.
const OFTEN: usize = 5_000;
/// How deep named conditions and blocks may stand in each other.
pub(super) const DEEPEST: usize = 32;

const LESS: &[Ordering] = &[Ordering::Less];
const AT_MOST: &[Ordering] = &[Ordering::Less, Ordering::Equal];
const GREATER: &[Ordering] = &[Ordering::Greater];
const AT_LEAST: &[Ordering] = &[Ordering::Greater, Ordering::Equal];

fn ordering(op: &str) -> Option<&'static [Ordering]> {
    match op {
        "gt" => Some(GREATER),
        "gte" => Some(AT_LEAST),
        "lt" => Some(LESS),
        "lte" => Some(AT_MOST),
        _ => None,
    }
}

/// Several conditions of which each must hold; one alone is itself.
fn all(mut of: Vec<Cond>) -> Cond {
    if of.len() == 1 { of.remove(0) } else { Cond::All(of) }
}

/// Both conditions.
pub(super) fn both(a: &Cond, b: Cond) -> Cond {
    match (a.is_true(), b.is_true()) {
        (true, _) => b,
        (_, true) => a.clone(),
        _ => Cond::All(vec![a.clone(), b]),
    }
}

/// What is being tested.
struct Tested {
    path: Path,
    ty: Type,
}

impl Cx<'_> {
    /// A condition. What is wrong is reported; what is right comes back all the same.
    pub fn cond(&self, node: &Node, scope: &Scope<'_>) -> Cond {
        self.cond_in(node, scope, &mut Vec::new())
    }

    fn cond_in(&self, node: &Node, scope: &Scope<'_>, named: &mut Vec<String>) -> Cond {
        let Some(table) = self.table(node, "a condition") else { return Cond::TRUE };
        let mut parts = Vec::new();
        for entry in table {
            match entry.key.as_str() {
                "any" | "all" => {
                    let Some(items) = self.list(&entry.value, "conditions") else { continue };
                    let of: Vec<Cond> = items.iter().map(|item| self.cond_in(item, scope, named)).collect();
                    if entry.key == "any" && items.is_empty() {
                        self.error_help(
                            Code::SaysNothing,
                            entry.value.span,
                            "`any` of nothing never holds",
                            "list the alternatives, or leave `any` out",
                        );
                    }
                    parts.push(if entry.key == "any" { Cond::Any(of) } else { Cond::All(of) });
                }
                "not" => parts.push(Cond::Not(Box::new(self.cond_in(&entry.value, scope, named)))),
                "is" => parts.extend(self.named(&entry.value, scope, named)),
                // What is written out very often and wrong each time is wrong once.
                _ if self.inlined.get() > OFTEN && self.wrong.borrow().contains(&entry.key_span) => {}
                _ => {
                    let piece = Piece { text: &entry.key, span: entry.key_span };
                    match self.head(&piece, scope, true) {
                        Ok(at) => self.descend(at, entry, scope, named, &mut parts),
                        Err(fault) => {
                            self.wrong.borrow_mut().insert(entry.key_span);
                            self.report(fault.map(|found| Box::new(self.combinator(entry, *found))));
                        }
                    }
                }
            }
        }
        all(parts)
    }

    /// A head that is unknown may be a misspelt combinator.
    fn combinator(&self, entry: &Entry, found: Diagnostic) -> Diagnostic {
        if TEST.has(&entry.key) {
            return Diagnostic::error(
                Code::BadPath,
                entry.key_span,
                format!("the test `{}` stands without a path", entry.key),
            )
            .help("write what is tested first: `frame.field = { … }`");
        }
        if found.help.as_ref().is_some_and(|help| help.starts_with("did you mean")) {
            return found;
        }
        match suggest(&entry.key, ["any", "all", "not", "is"]) {
            Some(near) => found.help(format!("did you mean `{near}`?")),
            None => found,
        }
    }

    fn named(&self, node: &Node, scope: &Scope<'_>, named: &mut Vec<String>) -> Option<Cond> {
        let name = self.text(node)?;
        let Some(item) = self.conditions.get(name) else {
            self.unknown("condition", name, node.span, self.conditions.keys().copied());
            return None;
        };
        if let Some(at) = named.iter().position(|known| known == name) {
            self.ring("condition", &named[at..], node.span);
            return None;
        }
        if !self.may_inline(named.len(), node.span) {
            return None;
        }
        self.used.borrow_mut().insert(item.key);
        named.push(name.to_owned());
        let cond = self.cond_in(item.node, scope, named);
        named.pop();
        Some(cond)
    }

    /// Whether one more named condition or block may be written out here.
    pub fn may_inline(&self, depth: usize, span: Span) -> bool {
        let count = self.inlined.get() + 1;
        self.inlined.set(count);
        if depth >= DEEPEST || count > MOST_INLINED {
            let first = self.wrong.borrow_mut().insert(span);
            let told = match depth >= DEEPEST {
                true => Some((
                    format!("named conditions or blocks stand more than {DEEPEST} deep in each other"),
                    "write what the innermost ones say where they are used",
                )),
                false => (count == MOST_INLINED + 1).then(|| {
                    let most = format!("{},{:03}", MOST_INLINED / 1000, MOST_INLINED % 1000);
                    (
                        format!("named conditions and blocks of this pack are written out more than {most} times"),
                        "one that stands twice in another doubles it each time: let each use what it needs once",
                    )
                }),
            };
            if let Some((message, help)) = told.filter(|_| first) {
                self.error_help(Code::LimitExceeded, span, message, help);
            }
            return false;
        }
        true
    }

    /// From a piece of a path onward: further pieces, or tests.
    fn descend(&self, at: At, entry: &Entry, scope: &Scope<'_>, named: &mut Vec<String>, parts: &mut Vec<Cond>) {
        let span = whole(entry);
        let Kind::Table(table) = &entry.value.kind else {
            match self.finish(at, entry.key_span) {
                Ok((path, ty)) => {
                    let tested = Tested { path, ty };
                    if self.may_be_tested(&tested) {
                        parts.extend(self.short(&tested, &entry.value, scope, span));
                    }
                }
                Err(fault) => self.report(fault),
            }
            return;
        };
        let mut ops = Vec::new();
        for inner in table {
            if TEST.has(&inner.key) && !self.holds(&at, &inner.key) {
                ops.push(inner);
                continue;
            }
            let mut next = Ok(at.clone());
            for piece in pieces(&inner.key, &|_, _| inner.key_span) {
                next = next.and_then(|at| self.step(at, &piece, scope));
            }
            match next {
                Ok(next) => self.descend(next, inner, scope, named, parts),
                Err(fault) => self.report(fault.map(|found| Box::new(self.operator(&at, inner, *found)))),
            }
        }
        if table.is_empty() {
            let message = "no test stands here";
            self.error_help(Code::SaysNothing, span, message, "write a value, or a test such as `{ present = true }`");
        }
        if ops.is_empty() {
            return;
        }
        match self.finish(at, entry.key_span) {
            Ok((path, ty)) => {
                let tested = Tested { path, ty };
                if self.may_be_tested(&tested) {
                    for op in ops {
                        parts.extend(self.test(&tested, op, scope, named));
                    }
                }
            }
            Err(fault) => self.report(fault),
        }
    }

    /// Whether a piece that reads like a test is a name here: of a field, a column, an argument.
    fn holds(&self, at: &At, name: &str) -> bool {
        let Some(sym) = self.names.borrow().get(name) else { return false };
        match at {
            At::Value { ty: Type::Record(id), .. } | At::Each { record: id, .. } => {
                self.records[id.index()].fields.iter().any(|field| field.name == sym)
            }
            At::Value { ty: Type::Key(id), .. } => self.tables[id.index()].column(sym).is_some(),
            At::Outcome => self.outcome_names.contains_key(name),
            At::CallOf(_) => true,
            _ => false,
        }
    }

    /// A piece that leads nowhere may be a misspelt test.
    fn operator(&self, at: &At, entry: &Entry, found: Diagnostic) -> Diagnostic {
        let At::Value { ty, .. } = at else { return found };
        let leads_on = matches!(ty, Type::Key(_) | Type::Record(_) | Type::Map { .. });
        let meant = meant_test(&entry.key).filter(|_| !leads_on);
        let near = meant.or_else(|| suggest(&entry.key, TEST.names()));
        match near {
            Some(near) if !found.help.as_ref().is_some_and(|help| help.starts_with("did you mean")) => {
                Diagnostic::error(Code::UnknownKey, entry.key_span, format!("unknown test {}", quoted(&entry.key)))
                    .help(format!("did you mean `{near}`?"))
            }
            None if !leads_on => {
                Diagnostic::error(Code::UnknownKey, entry.key_span, format!("unknown test {}", quoted(&entry.key)))
                    .help(format!("the tests are {}", listed(TEST.names())))
            }
            _ => found,
        }
    }

    fn may_be_tested(&self, tested: &Tested) -> bool {
        if tested.ty.is_prose() || tested.ty.item().is_some_and(Type::is_prose) {
            self.error_help(
                Code::ProseDecides,
                tested.path.span,
                "no condition may look at a `narrative`",
                "test a typed field; prose goes into messages only",
            );
            return false;
        }
        true
    }

    /// Whether whole values of a type are compared: not what nothing looks into, and nothing that holds prose.
    fn may_be_compared(&self, ty: &Type, span: Span) -> bool {
        if ty.holds(&self.records, &Type::is_prose) {
            let message = format!("{} holds prose, so it is not compared as a whole", self.shown(ty));
            self.error_help(Code::ProseDecides, span, message, "test its typed fields");
            return false;
        }
        if ty.holds(&self.records, &|ty| matches!(ty, Type::Document { .. })) {
            let message = "no condition looks into a document";
            self.error_help(Code::WrongType, span, message, "test whether it is there: `{ present = true }`");
            return false;
        }
        true
    }

    fn tested(&self, tested: &Tested, op: Op, span: Span) -> Cond {
        Cond::Test { path: tested.path.clone(), ty: tested.ty.clone(), op, span }
    }

    /// `x = value` and `x = [values]`.
    fn short(&self, tested: &Tested, node: &Node, scope: &Scope<'_>, span: Span) -> Option<Cond> {
        match &node.kind {
            Kind::Null => None,
            _ if matches!(tested.ty, Type::Document { .. }) => {
                self.may_be_compared(&tested.ty, node.span);
                None
            }
            Kind::List(_) => self.one_of(tested, node).map(|op| self.tested(tested, op, span)),
            _ => {
                if !self.may_be_compared(&tested.ty, node.span) {
                    return None;
                }
                if let Some(help) = whole_value(&tested.ty, node) {
                    let message = format!("{} cannot equal one plain value", self.shown(&tested.ty));
                    self.error_help(Code::WrongType, node.span, message, help);
                    return None;
                }
                self.operand(&tested.ty, node, scope).map(|operand| self.tested(tested, Op::Eq(operand), span))
            }
        }
    }

    fn one_of(&self, tested: &Tested, node: &Node) -> Option<Op> {
        if !scalar(&tested.ty) {
            let help = match tested.ty {
                Type::List { .. } | Type::Set { .. } => {
                    "write `{ same_set = [ … ] }` for the same items, `{ contains = … }` for one of them"
                }
                Type::Map { .. } => "write `{ contains = \"key\" }`",
                _ => "test one of its fields",
            };
            self.error_help(Code::WrongType, node.span, "a list of values is for plain values only", help);
            return None;
        }
        let items = self.list(node, "values")?;
        if items.is_empty() {
            self.error_help(Code::SaysNothing, node.span, "one of no values never holds", "list the values");
        }
        let values: Vec<_> = items.iter().map(|item| self.literal(item, &tested.ty)).collect();
        values.into_iter().collect::<Option<Vec<_>>>().map(Op::In)
    }

    /// `in = "$path"`: it is an item of what stands there, so that collection is tested for holding it.
    fn item_of(&self, tested: &Tested, node: &Node, path: &str, scope: &Scope<'_>, span: Span) -> Option<Cond> {
        if !scalar(&tested.ty) {
            let message = format!("{} is no item of a collection", self.shown(&tested.ty));
            self.error_help(Code::WrongType, node.span, message, "test a plain value, or write `subset_of`");
            return None;
        }
        if let Some(path) = path.strip_suffix('?') {
            let message = "`?` means nothing in a condition: a test on an absent value is unknown";
            self.error_help(Code::BadPath, node.span, message, format!("write \"${path}\""));
            return None;
        }
        let (holder, found) = self.path_in(node, path, 1, scope).map_err(|fault| self.report(fault)).ok()?;
        let Some(of) = found.item() else {
            if !poisoned(&found) {
                let message = format!("`in` looks for an item of a list or a set; this is {}", self.shown(&found));
                let help = match found {
                    Type::Map { .. } => "name its keys: `in = \"$….keys\"`",
                    _ => "write `=` to compare with one value",
                };
                self.error_help(Code::WrongType, node.span, message, help);
            }
            return None;
        };
        if !self.comparable(of, &tested.ty) {
            let message = format!("its items are {}, and none is ever {}", self.shown(of), self.shown(&tested.ty));
            self.error_help(Code::WrongType, node.span, message, "compare values of one type");
            return None;
        }
        let op = Op::Contains(Operand::Path(tested.path.clone()));
        Some(Cond::Test { path: holder, ty: found, op, span })
    }

    /// A literal, a parameter or another path, where a type is due.
    fn operand(&self, ty: &Type, node: &Node, scope: &Scope<'_>) -> Option<Operand> {
        if let Kind::Text(text) = &node.kind {
            if let Sigil::Path(path) = sigil(text) {
                return self.other(ty, node, path, scope);
            }
            self.see_unmarked(node, text, ty, scope);
        }
        self.literal(node, ty).map(Operand::Value)
    }

    fn other(&self, ty: &Type, node: &Node, path: &str, scope: &Scope<'_>) -> Option<Operand> {
        if let Some(path) = path.strip_suffix('?') {
            let message = "`?` means nothing in a condition: a test on an absent value is unknown";
            self.error_help(Code::BadPath, node.span, message, format!("write \"${path}\""));
            return None;
        }
        match self.path_in(node, path, 1, scope) {
            Ok((path, found)) => {
                if self.comparable(&found, ty) && !found.is_prose() {
                    return Some(Operand::Path(path));
                }
                let message = format!("this is {}, which never equals {}", self.shown(&found), self.shown(ty));
                self.error_help(Code::WrongType, node.span, message, "compare values of one type");
                None
            }
            Err(fault) => {
                self.report(fault);
                None
            }
        }
    }

    fn test(&self, tested: &Tested, entry: &Entry, scope: &Scope<'_>, named: &mut Vec<String>) -> Option<Cond> {
        let (node, span, ty) = (&entry.value, whole(entry), &tested.ty);
        if node.kind == Kind::Null || poisoned(ty) {
            return None;
        }
        if matches!(ty, Type::Document { .. }) && !matches!(entry.key.as_str(), "not" | "present") {
            self.may_be_compared(ty, entry.key_span);
            return None;
        }
        let op = match entry.key.as_str() {
            "not" => {
                return match &node.kind {
                    Kind::Table(table) => {
                        let tests = self.tests(tested, table, scope, named)?;
                        Some(Cond::Not(Box::new(all(tests))))
                    }
                    _ => self.short(tested, node, scope, span).map(|cond| Cond::Not(Box::new(cond))),
                };
            }
            "in" => {
                if let Kind::Text(text) = &node.kind
                    && let Sigil::Path(path) = sigil(text)
                {
                    return self.item_of(tested, node, path, scope, span);
                }
                self.one_of(tested, node)?
            }
            "gt" | "gte" | "lt" | "lte" => {
                if !matches!(ty, Type::Int | Type::Decimal) {
                    let message = format!("`{}` is for numbers; this is {}", entry.key, self.shown(ty));
                    self.error_help(Code::WrongType, entry.key_span, message, "use `=`, `in` or `not`");
                    return None;
                }
                self.order(&entry.key, node, ty)?
            }
            "present" => Op::Present(Field::new(node, self.out).bool()?),
            "empty" => {
                if !ty.is_collection() && *ty != Type::Text {
                    let message = format!("{} is never empty", self.shown(ty));
                    self.error_help(Code::WrongType, entry.key_span, message, "use `present`");
                    return None;
                }
                Op::Empty(Field::new(node, self.out).bool()?)
            }
            "size" => {
                if !self.collection(ty, entry) {
                    return None;
                }
                return self.counts(tested, node, span, &NUMBER, &|op| Op::Size(Box::new(op)));
            }
            "contains" => {
                let of = match ty {
                    Type::Map { key, .. } => key,
                    Type::List { of, .. } | Type::Set { of, .. } => of,
                    _ => {
                        self.collection(ty, entry);
                        return None;
                    }
                };
                if !self.may_be_compared(of, node.span) {
                    return None;
                }
                Op::Contains(self.operand(of, node, scope)?)
            }
            "subset_of" | "same_set" | "disjoint" | "covered_by" => self.relation(ty, entry, scope)?,
            "exists" | "every" | "count" => return self.entries(tested, entry, scope, named),
            _ => {
                if !self.may_be_compared(ty, node.span) {
                    return None;
                }
                if let Some(help) = whole_value(ty, node) {
                    let message = format!("{} cannot equal one plain value", self.shown(ty));
                    self.error_help(Code::WrongType, node.span, message, help);
                    return None;
                }
                Op::Differs(self.operand(ty, node, scope)?)
            }
        };
        Some(self.tested(tested, op, span))
    }

    /// Tests in a table of operators only.
    fn tests(&self, tested: &Tested, table: &Table, scope: &Scope<'_>, named: &mut Vec<String>) -> Option<Vec<Cond>> {
        self.allow(table, &TEST);
        if table.is_empty() {
            let help = "write a value, or a test such as `{ present = true }`";
            self.error_help(Code::SaysNothing, tested.path.span, "no test stands here", help);
        }
        let mut tests = Vec::new();
        for entry in table.iter().filter(|entry| TEST.has(&entry.key)) {
            tests.push(self.test(tested, entry, scope, named)?);
        }
        Some(tests)
    }

    fn collection(&self, ty: &Type, entry: &Entry) -> bool {
        if !ty.is_collection() {
            let message = format!("`{}` is for lists, sets and maps; this is {}", entry.key, self.shown(ty));
            self.error_help(Code::WrongType, entry.key_span, message, "use `=`, `in` or `not`");
        }
        ty.is_collection()
    }

    fn order(&self, op: &str, node: &Node, ty: &Type) -> Option<Op> {
        let pass = ordering(op)?;
        if let Kind::Text(text) = &node.kind
            && let Sigil::Path(_) = sigil(text)
        {
            let message = "order is tested against a number or a parameter only";
            self.error_help(Code::BadValue, node.span, message, "write a number, or \"%parameter\"");
            return None;
        }
        Some(Op::Order { pass, than: self.literal(node, ty)? })
    }

    /// A number, or a table of orders, of a size or a count.
    fn counts(&self, tested: &Tested, node: &Node, span: Span, shape: &Shape, wrap: &dyn Fn(Op) -> Op) -> Option<Cond> {
        let Kind::Table(table) = &node.kind else {
            let value = self.literal(node, &Type::Int)?;
            return Some(self.tested(tested, wrap(Op::Eq(Operand::Value(value))), span));
        };
        self.allow(table, shape);
        let mut tests = Vec::new();
        for entry in table.iter().filter(|entry| ordering(&entry.key).is_some()) {
            let op = self.order(&entry.key, &entry.value, &Type::Int)?;
            tests.push(self.tested(tested, wrap(op), span));
        }
        if tests.is_empty() {
            self.error_help(Code::MissingKey, node.span, "no number to compare with", "add `gt`, `gte`, `lt` or `lte`");
            return None;
        }
        Some(all(tests))
    }

    /// A relation of sets. Each operand is a whole collection: a literal list is one operand.
    fn relation(&self, ty: &Type, entry: &Entry, scope: &Scope<'_>) -> Option<Op> {
        let of = match ty {
            Type::List { of, .. } | Type::Set { of, .. } => of,
            _ => {
                let message = format!("`{}` is for lists and sets; this is {}", entry.key, self.shown(ty));
                let help = if matches!(ty, Type::Map { .. }) { "test its `keys`" } else { "use `=`, `in` or `not`" };
                self.error_help(Code::WrongType, entry.key_span, message, help);
                return None;
            }
        };
        if !self.may_be_compared(of, entry.value.span) {
            return None;
        }
        let set = Type::Set { of: of.clone(), max: u32::MAX };
        let one = |node: &Node| self.operand(&set, node, scope);
        let is_path = |node: &Node| matches!(&node.kind, Kind::Text(text) if matches!(sigil(text), Sigil::Path(_)));
        let node = &entry.value;
        let operands = match &node.kind {
            Kind::List(items)
                if entry.key == "covered_by"
                    && items.iter().any(|item| is_path(item) || matches!(item.kind, Kind::List(_))) =>
            {
                items.iter().map(one).collect::<Option<Vec<_>>>()?
            }
            _ => vec![one(node)?],
        };
        Some(match entry.key.as_str() {
            "subset_of" => Op::SubsetOf(operands),
            "same_set" => Op::SameSet(operands),
            "disjoint" => Op::Disjoint(operands),
            _ => Op::CoveredBy(operands),
        })
    }

    fn entries(&self, tested: &Tested, entry: &Entry, scope: &Scope<'_>, named: &mut Vec<String>) -> Option<Cond> {
        let (key, of) = match &tested.ty {
            Type::Map { key, of, .. } => (Some(&**key), &**of),
            Type::List { of, .. } | Type::Set { of, .. } => (None, &**of),
            ty => {
                self.collection(ty, entry);
                return None;
            }
        };
        let inner = Scope { entry: Some((key, of)), ..*scope };
        let span = whole(entry);
        if entry.key != "count" {
            let cond = Box::new(self.cond_in(&entry.value, &inner, named));
            let op = if entry.key == "exists" { Op::Exists(cond) } else { Op::Every(cond) };
            return Some(self.tested(tested, op, span));
        }
        let table = self.table(&entry.value, "a count: `{ where = …, gt = 1 }`")?;
        let wher = self.need(table, entry.value.span, "a count", "where")?;
        let cond = self.cond_in(wher, &inner, named);
        self.counts(tested, &entry.value, span, &COUNT, &|op| Op::Count(Box::new(cond.clone()), Box::new(op)))
    }
}

/// Why a collection or a record is not compared with a plain value, if `node` is one.
fn whole_value(ty: &Type, node: &Node) -> Option<&'static str> {
    let path = matches!(&node.kind, Kind::Text(text) if matches!(sigil(text), Sigil::Path(_) | Sigil::Param(_)));
    if path {
        return None;
    }
    match ty {
        Type::List { .. } | Type::Set { .. } if !matches!(node.kind, Kind::List(_)) => {
            Some("for one of its items write `{ contains = … }`")
        }
        Type::Map { .. } => Some("for one of its keys write `{ contains = … }`"),
        Type::Record(_) => Some("test one of its fields"),
        _ => None,
    }
}
