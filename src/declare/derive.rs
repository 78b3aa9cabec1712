//! Derived signals: their types, what they are computed from, and the order in which they can be.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;

use crate::diag::{Code, Diagnostic, quoted, round};
use crate::language;
use crate::model::cond::{Operand, Path, Place, Step};
use crate::model::ids::{FrameId, InputId, TableId};
use crate::model::schema::Type;
use crate::model::value::Value;
use crate::model::{Derivation, Derived, InputKind};
use crate::syntax::{Kind, Node, Table};

use super::cx::{Cx, Item, POISON, poisoned};
use super::literals::{Sigil, sigil};
use super::merge::Sections;
use super::paths::{Scope, heads, pieces};

const FORMS: &[&str] = &["lookup", "lacking", "present", "first_of"];

fn scope<'s>() -> Scope<'s> {
    Scope::new(heads::FRAMES | heads::INPUT | heads::ENV, "in a derived signal")
}

/// Declares the names of derived signals, their types still unknown, then finds the types one after another.
pub(super) fn names(cx: &mut Cx<'_>, sections: &Sections<'_>) {
    let mut open: Vec<(Item<'_>, InputId)> = Vec::new();
    for item in sections.of("derive") {
        cx.check_name("a derived signal", item.name, item.key);
        let doc = match &item.node.kind {
            Kind::Table(table) => cx.doc(table),
            _ => String::new(),
        };
        if let Some(id) = cx.add_input(item.name, POISON, InputKind::Derived, doc, item.key) {
            open.push((*item, id));
        }
    }
    // What waits for a type is tried again once that is known; what is left stands in a ring or is wrong, and is reported later.
    let mut waiting: BTreeMap<InputId, Vec<usize>> = BTreeMap::new();
    for (at, (item, _)) in open.iter().enumerate() {
        for read in written_inputs(cx, item.node) {
            waiting.entry(read).or_default().push(at);
        }
    }
    let mut queue: VecDeque<usize> = (0..open.len()).collect();
    while let Some(at) = queue.pop_front() {
        let (item, id) = open[at];
        if poisoned(&cx.inputs[id.index()].ty)
            && let Some(ty) = type_of(cx, item.node)
        {
            cx.inputs[id.index()].ty = ty;
            queue.extend(waiting.get(&id).into_iter().flatten());
        }
    }
}

fn type_of(cx: &Cx<'_>, node: &Node) -> Option<Type> {
    let Kind::Table(table) = &node.kind else { return None };
    if let Some(Kind::Text(name)) = table.get("lookup").map(|node| &node.kind) {
        return cx.table_names.get(name.as_str()).map(|at| Type::Key(TableId(*at)));
    }
    if let Some(Kind::List(items)) = table.get("first_of").map(|node| &node.kind) {
        return items.iter().find_map(|item| cx.type_of(item, &scope()).filter(|ty| !poisoned(ty)));
    }
    let members = table.get("lacking").or_else(|| table.get("present"))?;
    let Kind::Table(members) = &members.kind else { return None };
    match cx.type_of(members.get("of")?, &scope())? {
        Type::Set { of, max } | Type::List { of, max, .. } => Some(Type::Set { of, max }),
        _ => None,
    }
}

/// How each derived signal is computed, each after those it reads.
pub(super) fn derived(cx: &Cx<'_>, sections: &Sections<'_>) -> Vec<Derived> {
    let mut all: Vec<Derived> = Vec::new();
    let mut reads: BTreeMap<InputId, BTreeSet<InputId>> = BTreeMap::new();
    for item in sections.of("derive") {
        let Some(id) = cx.input_names.get(item.name).map(|at| InputId(*at)) else { continue };
        if cx.inputs[id.index()].kind != InputKind::Derived {
            continue;
        }
        reads.insert(id, written_inputs(cx, item.node));
        if let Some(rule) = rule(cx, item) {
            reads.insert(id, read_by(&rule));
            all.push(Derived { input: id, rule });
        }
    }
    if let Some(ring) = ring(&reads) {
        let names: Vec<String> = ring.iter().map(|id| cx.text_of(cx.inputs[id.index()].name)).collect();
        let message = format!("derived signals in a ring: {}", round(&names));
        let span = cx.inputs[ring[0].index()].span;
        cx.error_help(Code::LeadsBack, span, message, "a derived signal may read others, but not itself");
        return Vec::new();
    }
    // Of those whose sources all stand before them the first by name comes next.
    let mut open: Vec<usize> = Vec::new();
    let mut waiting: BTreeMap<InputId, Vec<usize>> = BTreeMap::new();
    let mut ready: BTreeSet<usize> = BTreeSet::new();
    for (at, derived) in all.iter().enumerate() {
        let needs = reads[&derived.input].iter().filter(|id| cx.inputs[id.index()].kind == InputKind::Derived);
        open.push(needs.map(|id| waiting.entry(*id).or_default().push(at)).count());
        if open[at] == 0 {
            ready.insert(at);
        }
    }
    let mut order: Vec<usize> = Vec::new();
    while let Some(at) = ready.pop_first() {
        order.push(at);
        for next in waiting.get(&all[at].input).into_iter().flatten() {
            open[*next] -= 1;
            if open[*next] == 0 {
                ready.insert(*next);
            }
        }
    }
    let mut all: Vec<Option<Derived>> = all.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| all[at].take()).collect()
}

/// The derived inputs that a declaration names, whatever else is wrong with it.
fn written_inputs(cx: &Cx<'_>, node: &Node) -> BTreeSet<InputId> {
    let mut found = BTreeSet::new();
    let mut queue = vec![node];
    while let Some(node) = queue.pop() {
        match &node.kind {
            Kind::Text(text) => {
                let name = text.strip_prefix("$input.").map(|rest| rest.split(['.', '?', '[']).next().unwrap_or(rest));
                found.extend(name.and_then(|name| cx.input_names.get(name)).map(|at| InputId(*at)));
            }
            Kind::List(items) => queue.extend(items.iter()),
            Kind::Table(table) => queue.extend(table.iter().map(|entry| &entry.value)),
            _ => {}
        }
    }
    found
}

fn read_by(rule: &Derivation) -> BTreeSet<InputId> {
    fn inputs(path: &Path, into: &mut BTreeSet<InputId>) {
        if let Place::Input(id) | Place::Ambiguous(id) | Place::Candidates(id) | Place::Partial(id) = path.place {
            into.insert(id);
        }
        for step in &path.steps {
            if let Step::Lookup(path) = step {
                inputs(path, into);
            }
        }
    }
    let mut into = BTreeSet::new();
    match rule {
        Derivation::Lookup { wher, .. } => {
            for (_, operand) in wher {
                if let Operand::Path(path) = operand {
                    inputs(path, &mut into);
                }
            }
        }
        Derivation::Members { of, at, maps, .. } => {
            inputs(of, &mut into);
            at.iter().flat_map(|(_, paths)| paths).chain(maps).for_each(|path| inputs(path, &mut into));
        }
        Derivation::FirstOf(paths) => paths.iter().for_each(|path| inputs(path, &mut into)),
    }
    into
}

/// The shortest ring round the first that stands in one.
fn ring(reads: &BTreeMap<InputId, BTreeSet<InputId>>) -> Option<Vec<InputId>> {
    let edges = reads.iter().flat_map(|(from, to)| to.iter().map(|to| (*from, *to, ())));
    let graph: DiGraphMap<InputId, ()> = DiGraphMap::from_edges(edges);
    let rings = kosaraju_scc(&graph).into_iter().filter(|part| part.len() > 1 || graph.contains_edge(part[0], part[0]));
    let start = rings.flatten().min()?;
    let mut came: BTreeMap<InputId, InputId> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        for next in reads.get(&at).into_iter().flatten() {
            if *next == start {
                let mut ring = vec![at];
                while let Some(from) = came.get(ring.last().unwrap_or(&start)) {
                    ring.push(*from);
                }
                ring.reverse();
                return Some(ring);
            }
            if !came.contains_key(next) {
                came.insert(*next, at);
                queue.push_back(*next);
            }
        }
    }
    None
}

fn rule(cx: &Cx<'_>, item: &Item<'_>) -> Option<Derivation> {
    let table = cx.table(item.node, "a derived signal")?;
    cx.allow(table, &language::DERIVED);
    let forms: Vec<_> = table.iter().filter(|entry| FORMS.contains(&entry.key.as_str())).collect();
    let form = match forms.as_slice() {
        [form] => *form,
        _ => {
            let message = format!("the derived signal {} needs one way to compute it", quoted(item.name));
            cx.error_help(
                Code::MissingKey,
                item.key,
                message,
                "write one of `lookup`, `lacking`, `present`, `first_of`",
            );
            return None;
        }
    };
    if let Some(entry) = table.entry("where").filter(|_| form.key != "lookup") {
        cx.error_help(Code::UnknownKey, entry.key_span, "`where` belongs to `lookup`", "leave it out");
    }
    match form.key.as_str() {
        "lookup" => lookup(cx, item, table, &form.value),
        "first_of" => {
            let mut paths: Vec<Path> = Vec::new();
            let mut first: Option<Type> = None;
            let mut good = true;
            for node in cx.list(&form.value, "sources")? {
                let Some((path, ty)) = reference(cx, node) else {
                    good = false;
                    continue;
                };
                match &first {
                    Some(first) if !cx.comparable(first, &ty) => {
                        let message = format!("the first source is {}, this is {}", cx.shown(first), cx.shown(&ty));
                        cx.error_help(Code::WrongType, node.span, message, "all sources have one type");
                        good = false;
                    }
                    _ => {
                        first.get_or_insert(ty);
                    }
                }
                paths.push(path);
            }
            good.then_some(Derivation::FirstOf(paths))
        }
        word => members(cx, &form.value, word == "lacking"),
    }
}

/// A `$path` and nothing else.
pub(super) fn reference(cx: &Cx<'_>, node: &Node) -> Option<(Path, Type)> {
    let text = cx.text(node)?;
    let Sigil::Path(path) = sigil(text) else {
        cx.error_help(
            Code::BadPath,
            node.span,
            format!("{} is not a path", quoted(text)),
            format!("write \"${text}\""),
        );
        return None;
    };
    let path = path.strip_suffix('?').unwrap_or(path);
    let found = cx.resolve(&pieces(path, &|from, to| cx.inside(node, 1 + from, 1 + to)), &scope(), node.span);
    found.map_err(|fault| cx.report(fault)).ok()
}

fn lookup(cx: &Cx<'_>, item: &Item<'_>, table: &Table, node: &Node) -> Option<Derivation> {
    let name = cx.text(node)?;
    let at = TableId(cx.find("table", name, node.span, &cx.table_names)?);
    let vocabulary = &cx.tables[at.index()];
    let wher = cx.need(table, item.key, "a lookup", "where").and_then(|node| cx.table(node, "columns"))?;
    let columns: Vec<String> = vocabulary.columns.iter().map(|column| cx.text_of(column.name)).collect();
    let mut conditions = Vec::new();
    let mut good = true;
    for entry in wher {
        let column = columns.iter().position(|column| *column == entry.key);
        if column.is_none() && entry.key != "id" {
            let kind = format!("column of table `{name}`");
            cx.unknown(&kind, &entry.key, entry.key_span, columns.iter().map(String::as_str).chain(["id"]));
            good = false;
            continue;
        }
        let ty = column.map_or(Type::Key(at), |column| vocabulary.columns[column].ty.clone());
        if !super::types::scalar(&ty) {
            let message = format!("a lookup compares plain values; this column is {}", cx.shown(&ty));
            cx.error_help(Code::WrongType, entry.key_span, message, "look up by another column");
            good = false;
            continue;
        }
        let is_path = matches!(&entry.value.kind, Kind::Text(text) if matches!(sigil(text), Sigil::Path(_)));
        let operand = if is_path {
            reference(cx, &entry.value).and_then(|(path, found)| {
                if cx.comparable(&found, &ty) {
                    return Some(Operand::Path(path));
                }
                let message = format!("the column is {}, this is {}", cx.shown(&ty), cx.shown(&found));
                let found = Diagnostic::error(Code::WrongType, entry.value.span, message);
                let found = match column {
                    Some(column) => found.also(vocabulary.columns[column].span, "the column"),
                    None => found,
                };
                cx.out.push(found.help("compare the column with a value of its own type"));
                None
            })
        } else {
            cx.literal(&entry.value, &ty).map(Operand::Value)
        };
        match operand {
            Some(operand) => conditions.push((column, operand)),
            None => good = false,
        }
    }
    if !good {
        return None;
    }
    ambiguous(cx, item, at, &conditions);
    Some(Derivation::Lookup { table: at, wher: conditions })
}

/// Two rows that could both fit are an error at load: rows that agree in each column that is compared with a path.
fn ambiguous(cx: &Cx<'_>, item: &Item<'_>, table: TableId, conditions: &[(Option<usize>, Operand)]) {
    let table = &cx.tables[table.index()];
    if conditions.iter().any(|(column, _)| column.is_none()) {
        return;
    }
    let mut first: BTreeMap<Vec<Value>, usize> = BTreeMap::new();
    for (at, row) in table.rows.iter().enumerate() {
        let cell =
            |column: &Option<usize>| column.and_then(|column| row.cells.get(column)).cloned().unwrap_or_default();
        let fits = conditions.iter().all(|(column, operand)| match operand {
            Operand::Value(value) => cell(column) == *value,
            Operand::Path(_) => cell(column).is_present(),
        });
        if !fits {
            continue;
        }
        let key: Vec<Value> = conditions
            .iter()
            .filter(|(_, operand)| matches!(operand, Operand::Path(_)))
            .map(|(column, _)| cell(column))
            .collect();
        if let Some(other) = first.get(&key) {
            let (a, b) = (&table.rows[*other], row);
            let message = format!(
                "the rows {} and {} of table `{}` can both fit {}",
                quoted(&cx.text_of(a.key)),
                quoted(&cx.text_of(b.key)),
                cx.text_of(table.name),
                quoted(item.name)
            );
            let found = Diagnostic::error(Code::AmbiguousLookup, item.key, message);
            cx.out.push(
                found
                    .also(a.span, "this row fits")
                    .also(b.span, "and so does this one")
                    .help("compare a further column, or let the rows differ in one that is compared"),
            );
            return;
        }
        first.insert(key, at);
    }
}

fn members(cx: &Cx<'_>, node: &Node, lacking: bool) -> Option<Derivation> {
    let word = if lacking { "`lacking`" } else { "`present`" };
    let table = cx.table(node, word)?;
    cx.allow_only(table, word, &language::MEMBERS.names());
    let of_node = cx.need(table, node.span, word, "of");
    let places = cx.need(table, node.span, word, "in").and_then(|node| cx.list(node, "places"));
    let of_node = of_node?;
    let (of, ty) = reference(cx, of_node)?;
    let values: Vec<Value> = match ty.item() {
        Some(Type::Enum(id)) => cx.values_of(*id).into_iter().map(Value::Sym).collect(),
        Some(Type::Key(id)) => cx.tables[id.index()].rows.iter().map(|row| Value::Sym(row.key)).collect(),
        _ => {
            let message =
                format!("the names come from a set or list of enum values or table keys; this is {}", cx.shown(&ty));
            let help = "name a field or a signal that is such a set, or the column of a table that is";
            cx.error_help(Code::WrongType, of_node.span, message, help);
            return None;
        }
    };
    let mut at: Vec<(Value, Vec<Path>)> = values.into_iter().map(|value| (value, Vec::new())).collect();
    let mut maps = Vec::new();
    let mut good = true;
    for node in places? {
        let Some(text) = cx.text(node) else {
            good = false;
            continue;
        };
        if text.starts_with('$') {
            match reference(cx, node) {
                Some((path, Type::Map { key, .. })) if ty.item().is_some_and(|item| cx.comparable(&key, item)) => {
                    maps.push(path);
                }
                Some((_, found)) => {
                    let message =
                        format!("a path here leads to a map whose keys are such names; this is {}", cx.shown(&found));
                    cx.error_help(Code::WrongType, node.span, message, "for a frame write its name, without `$`");
                    good = false;
                }
                None => good = false,
            }
            continue;
        }
        let frame = cx.frame_names.get(text).map(|at| FrameId(*at));
        if frame.is_none() && text != "input" {
            let known = ["input"].into_iter().chain(cx.frame_names.keys().map(String::as_str));
            cx.unknown("frame", text, node.span, known);
            good = false;
            continue;
        }
        for (value, paths) in &mut at {
            let Value::Sym(sym) = value else { continue };
            let name = cx.text_of(*sym);
            let place = match frame {
                Some(frame) => cx.slot_of(frame, &name).map(Place::Field),
                None => cx.input_names.get(&name).map(|at| Place::Input(InputId(*at))),
            };
            paths.extend(place.map(|place| Path { place, steps: Vec::new(), span: node.span }));
        }
    }
    if good && maps.is_empty() {
        for (value, _) in at.iter().filter(|(_, paths)| paths.is_empty()) {
            let Value::Sym(sym) = value else { continue };
            let message = format!("{} is nowhere: no place under `in` has that name", quoted(&cx.text_of(*sym)));
            cx.error_help(
                Code::UnknownName,
                node.span,
                message,
                "declare a signal or a field of that name, or add a place",
            );
            good = false;
        }
    }
    good.then_some(Derivation::Members { of, at, maps, lacking })
}
