//! What may have been meant where much is found: headers that are lost or of the wrong kind, and names that are written otherwise where
//! they are declared than where they are used.

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::{Aspect, Code, Diagnostic, listed, quoted, suggest};
use crate::language::{CLASS, SECTIONS, Value};
use crate::source::{FileId, Span};
use crate::syntax::{Entry, Format, Kind, Node};

use super::Documents;
use super::lost_lines::lost_lines;
use super::mend::{Edit, Slip};
use super::merge::is_class;

/// So many other declarations are tried as the rest of one that lacks something.
const MOST_TORN: usize = 4;

/// Looks for slips of one kind among findings: for each what may have been meant, of which one is taken.
pub(super) type Find = fn(&Documents, &[Diagnostic]) -> Vec<Vec<Slip>>;

/// All kinds, the one that moves most first.
pub(super) const KINDS: &[Find] = &[brackets, lost, lost_lines, torn, same, declarations, words, each_word];

/// A header of TOML.
struct Header<'t> {
    span: Span,
    path: Vec<&'t str>,
    many: bool,
}

impl Header<'_> {
    fn written(&self, many: bool) -> String {
        header(&self.path, many)
    }
}

fn header<S: AsRef<str>>(path: &[S], many: bool) -> String {
    let path: Vec<&str> = path.iter().map(AsRef::as_ref).collect();
    if many { format!("[[{}]]", path.join(".")) } else { format!("[{}]", path.join(".")) }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// The header on a line, where it is one of plain keys.
fn header_of(file: FileId, start: usize, line: &str) -> Option<Header<'_>> {
    let indent = line.len() - line.trim_start().len();
    let text = line.trim_start();
    let many = text.starts_with("[[");
    let inner = text.trim_start_matches('[');
    let open = text.len() - inner.len();
    let end = inner.find(']')?;
    let path: Vec<&str> = inner[..end].split('.').map(str::trim).collect();
    let plain = (1..=2).contains(&open) && path.iter().all(|key| !key.is_empty() && key.chars().all(is_word));
    let close = inner[end..].len() - inner[end..].trim_start_matches(']').len();
    let rest = inner[end + close..].trim_start();
    if !plain || close != open || !(rest.is_empty() || rest.starts_with('#')) {
        return None;
    }
    Some(Header { span: span(file, start + indent, start + indent + open + end + close), path, many })
}

pub(super) fn span(file: FileId, start: usize, end: usize) -> Span {
    let at = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
    Span { file, start: at(start), end: at(end) }
}

/// The lines of a file, each with the place where it begins.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}

fn headers<'d>(documents: &'d Documents, file: FileId) -> Vec<Header<'d>> {
    lines(documents.sources.text(file)).filter_map(|(start, line)| header_of(file, start, line)).collect()
}

/// The files of a format in which there are errors, with those; files that cannot be read as documents hold nothing to be put right.
pub(super) fn by_file<'f>(
    documents: &Documents,
    found: &'f [Diagnostic],
    format: Format,
) -> BTreeMap<FileId, Vec<&'f Diagnostic>> {
    let mut files: BTreeMap<FileId, Vec<&Diagnostic>> = BTreeMap::new();
    for one in found.iter().filter(|one| one.is_error()) {
        files.entry(one.primary.span.file).or_default().push(one);
    }
    files.retain(|file, _| {
        documents.node(*file).is_some() && Format::of_path(documents.sources.name(*file)) == Some(format)
    });
    files
}

pub(super) fn root(documents: &Documents, file: FileId) -> Value {
    Value::Table(if documents.node(file).is_some_and(is_class) { &CLASS } else { &SECTIONS })
}

/// What may stand under a path.
pub(super) fn under<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
    let Some((key, rest)) = path.split_first() else { return Some(value) };
    match value {
        Value::Table(shape) => {
            let own = shape.key(key).map(|key| &key.value);
            under(own.or(shape.rest.as_ref().map(|rest| rest.value))?, rest)
        }
        Value::Names(names) => under(names.value, rest),
        Value::List(of) | Value::Some(of) => under(of, path),
        _ => None,
    }
}

pub(super) fn is_list(value: &Value) -> bool {
    matches!(value, Value::List(of) | Value::Some(of) if is_table(of))
}

pub(super) fn is_table(value: &Value) -> bool {
    matches!(value, Value::Table(_) | Value::Names(_))
}

/// Whether a table, or a list of them, may hold a key.
pub(super) fn takes(value: &Value, key: &str) -> bool {
    match value {
        Value::Table(shape) => shape.has(key) || shape.rest.is_some(),
        Value::Names(_) => true,
        Value::List(of) | Value::Some(of) => takes(of, key),
        _ => false,
    }
}

fn follow<'n>(node: &'n Node, path: &[&str]) -> Option<&'n Node> {
    path.iter().try_fold(node, |node, key| match &node.kind {
        Kind::Table(table) => table.get(key),
        _ => None,
    })
}

/// `[do]` where `[[do]]` is due, and the other way round.
fn brackets(documents: &Documents, found: &[Diagnostic]) -> Vec<Vec<Slip>> {
    let mut all = Vec::new();
    for (file, found) in by_file(documents, found, Format::Toml) {
        let root = root(documents, file);
        let headers = headers(documents, file);
        let mut seen: BTreeSet<&[&str]> = BTreeSet::new();
        for head in &headers {
            let many = match under(&root, &head.path) {
                Some(value) if is_list(value) => true,
                Some(value) if is_table(value) => false,
                _ => continue,
            };
            let here =
                |one: &&&Diagnostic| headers.iter().any(|of| of.path == head.path && holds(of.span, one.primary.span));
            if many == head.many || found.iter().find(here).is_none() || !seen.insert(&head.path) {
                continue;
            }
            let wrong = headers.iter().filter(|of| of.path == head.path && of.many == head.many);
            let edits = wrong.map(|of| Edit { at: of.span, text: of.written(many) }).collect();
            let key = quoted(head.path.last().unwrap_or(&""));
            let message = if many {
                format!("{key} is a list, and {} begins a single table", quoted(&head.written(false)))
            } else {
                format!("{key} is a single table, and {} begins one of a list", quoted(&head.written(true)))
            };
            let told = Diagnostic::error(Code::WrongType, head.span, message);
            let told = vec![told.help(format!("write `{}`", head.written(many)))];
            all.push(vec![Slip { edits, told, spares: 0, guessed: false }]);
        }
    }
    all
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}

/// Keys that stand below another header than theirs, which is not there.
fn lost(documents: &Documents, found: &[Diagnostic]) -> Vec<Vec<Slip>> {
    let mut all = Vec::new();
    for (file, errors) in by_file(documents, found, Format::Toml) {
        let text = documents.sources.text(file);
        let starts_line = |span: Span| {
            let before = &text[..span.start as usize];
            let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
            line.trim().is_empty() && span.end > span.start && text[span.start as usize..].starts_with(is_word)
        };
        // What is declared twice stands where it belongs.
        let keys = errors.iter().filter(|one| one.code != Code::DuplicateName).map(|one| one.primary.span);
        let keys: Vec<Span> = keys.filter(|span| starts_line(*span)).collect();
        let Some(first) = keys.iter().min_by_key(|span| span.start).copied() else { continue };
        let key = documents.sources.slice(first);
        let headers = headers(documents, file);
        let above = headers.iter().rfind(|head| head.span.start < first.start);
        let below = headers.iter().find(|head| head.span.start > first.start).map_or(u32::MAX, |head| head.span.start);
        let mut named: Vec<&str> = Vec::new();
        for span in keys.iter().filter(|span| (first.start..below).contains(&span.start)) {
            let name = documents.sources.slice(*span);
            if !named.contains(&name) {
                named.push(name);
            }
        }
        // What is like no other name is taken to be what it says.
        let alone = matches!(found, [one] if one.aspect == Aspect::Stranger && meant(one).is_none());
        let slips = candidates(documents, file, above, key, found).into_iter().map(|lines| {
            let verb = if named.len() == 1 { "belongs" } else { "belong" };
            let message = format!("{} {verb} to {}, whose header is missing", listed(&named), quoted(&lines));
            let told = Diagnostic::error(Code::UnknownKey, first, message);
            let told = vec![told.help(format!("write `{lines}` on a line of its own above this one"))];
            let at = Span { end: first.start, ..first };
            let edits = vec![Edit { at, text: format!("{lines}\n") }];
            Slip { edits, told, spares: usize::from(!alone), guessed: alone }
        });
        all.push(slips.collect());
    }
    all
}

/// The headers that a key may be meant to stand below.
fn candidates(
    documents: &Documents,
    file: FileId,
    above: Option<&Header<'_>>,
    key: &str,
    found: &[Diagnostic],
) -> Vec<String> {
    let Some(node) = documents.node(file) else { return Vec::new() };
    let mut all: Vec<String> = Vec::new();
    let mut add = |path: &[&str], many: bool| {
        let written = header(path, many);
        if !all.contains(&written) {
            all.push(written);
        }
    };
    let root = root(documents, file);
    let Value::Table(shape) = root else { return all };
    let of_class = is_class(node);
    let open = |path: &[&str]| match under(&root, path) {
        Some(value) if !takes(value, key) => None,
        Some(value) if is_list(value) => Some(true),
        Some(value) if is_table(value) => follow(node, path).is_none().then_some(false),
        _ => None,
    };
    for name in shape.names() {
        let elsewhere = || documents.nodes().any(|node| !is_class(node) && follow(node, &[name]).is_some());
        if let Some(many) = open(&[name])
            && (of_class || many || !elsewhere())
        {
            add(&[name], many);
        }
    }
    if of_class {
        // Headers of other classes below which it stands.
        for other in documents.sources.files().filter(|other| *other != file && !documents.is_used(*other)) {
            let Some(node) = documents.node(other).filter(|node| is_class(node)) else { continue };
            for head in headers(documents, other).iter().filter(|head| head.path.len() > 1 && !head.many) {
                let stands = matches!(follow(node, &head.path).map(|node| &node.kind), Some(Kind::Table(table)) if table.get(key).is_some());
                if stands && open(&head.path).is_some() {
                    add(&head.path, false);
                }
            }
        }
    } else if let Some(above) = above {
        let inner: Vec<&str> = match under(&root, &above.path) {
            Some(Value::Table(shape)) => shape.names(),
            _ => Vec::new(),
        };
        for name in inner {
            let mut path = above.path.clone();
            path.push(name);
            if let Some(many) = open(&path) {
                add(&path, many);
            }
        }
        let unknown: BTreeSet<&str> = found.iter().filter_map(|one| unknown_name(one)).collect();
        for name in unknown {
            let path = [above.path[0], name];
            if let Some(many) = open(&path) {
                add(&path, many);
            }
        }
    }
    all
}

/// The name that a finding says nothing bears.
pub(super) fn unknown_name(found: &Diagnostic) -> Option<&str> {
    let is = matches!(found.code, Code::UnknownName | Code::UnknownValue | Code::UnknownSlot);
    is.then(|| found.message.rsplit('`').nth(1)).flatten()
}

/// What a finding asks whether it was meant.
#[must_use]
pub fn meant(found: &Diagnostic) -> Option<&str> {
    found.help.as_deref()?.strip_prefix("did you mean `")?.split('`').next()
}

/// The places of a whole word in a text.
fn words_at<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| !text[..*at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word))
}

/// Every whole word of a file written otherwise.
fn renamed(documents: &Documents, file: FileId, from: &str, to: &str) -> Vec<Edit> {
    let text = documents.sources.text(file);
    let edit = |at| Edit { at: span(file, at, at + from.len()), text: to.to_owned() };
    words_at(text, from).map(edit).collect()
}

/// Adds the keys and texts of a document in which a name stands, but for texts that are for people alone.
pub fn places(node: &Node, name: &str, all: &mut Vec<Span>) {
    match &node.kind {
        Kind::Text(text) => all.extend(super::words(text).any(|word| word == name).then_some(node.span)),
        Kind::List(items) => items.iter().for_each(|item| places(item, name, all)),
        Kind::Table(table) => {
            for entry in table {
                all.extend(super::words(&entry.key).any(|word| word == name).then_some(entry.key_span));
                // What is written for people names nothing.
                if !matches!(entry.key.as_str(), "doc" | "title") {
                    places(&entry.value, name, all);
                }
            }
        }
        _ => {}
    }
}

/// Where a name stands, if it stands in one place of all files.
fn only_place(documents: &Documents, name: &str) -> Option<Span> {
    let mut all = Vec::new();
    documents.nodes().for_each(|node| places(node, name, &mut all));
    match all.as_slice() {
        [place] => Some(*place),
        _ => None,
    }
}

/// Two names for one declaration, each of which lacks what stands under the other: the one that stands nowhere else is not meant.
fn torn(documents: &Documents, found: &[Diagnostic]) -> Vec<Vec<Slip>> {
    let mut all = Vec::new();
    for one in found.iter().filter(|one| one.code == Code::MissingKey) {
        let place = one.primary.span;
        let Some(Kind::Table(root)) = documents.node(place.file).map(|node| &node.kind) else { continue };
        for section in root.iter() {
            let Kind::Table(entries) = &section.value.kind else { continue };
            let is = |entry: &&Entry| entry.key_span == place || entry.value.span == place;
            let Some(lacking) = entries.iter().find(is) else { continue };
            let others = || entries.iter().filter(|entry| entry.key != lacking.key);
            let near = |name: &str| suggest(name, others().map(|entry| entry.key.as_str()));
            let mut slips = Vec::new();
            if let Some(place) = only_place(documents, &lacking.key)
                && let Some(other) = near(&lacking.key).and_then(|near| entries.entry(near))
            {
                slips.push(meant_for(documents, place, &lacking.key, other));
            }
            let is_near = |entry: &&Entry| near(&lacking.key) == Some(entry.key.as_str());
            for other in others().filter(is_near).chain(others().filter(|entry| !is_near(entry))).take(MOST_TORN) {
                if let Some(place) = only_place(documents, &other.key) {
                    slips.push(meant_for(documents, place, &other.key, lacking));
                }
            }
            all.push(slips);
        }
    }
    all
}

/// A name that stands in one place, for which that of another declaration is meant.
fn meant_for(documents: &Documents, place: Span, name: &str, other: &Entry) -> Slip {
    let meant = &other.key;
    let message = format!("nothing else names {}, and {} lacks what stands here", quoted(name), quoted(meant));
    let told = Diagnostic::error(Code::UnknownName, place, message);
    let told = vec![told.also(other.key_span, "the rest of it stands here").help(format!("write `{meant}`"))];
    Slip { edits: renamed(documents, place.file, name, meant), told, spares: 1, guessed: false }
}

/// Two declarations of one name, one of which is meant to bear a name that nothing declares.
fn same(documents: &Documents, found: &[Diagnostic]) -> Vec<Vec<Slip>> {
    let mut all = Vec::new();
    for one in found.iter().filter(|one| one.code == Code::DuplicateName) {
        let (Some(kind), Some(first)) = (one.message.split(" `").next(), one.secondary.first()) else { continue };
        let Some(taken) = one.message.rsplit('`').nth(1) else { continue };
        let lacking = found.iter().filter(|other| {
            let of = other.message.strip_prefix("there is no ").and_then(|of| of.strip_prefix(kind));
            other.code == Code::UnknownName && of.is_some_and(|of| of.starts_with(" `") || of.starts_with(" or "))
        });
        let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
        lacking.filter_map(unknown_name).for_each(|name| *uses.entry(name).or_default() += 1);
        let mut slips = Vec::new();
        for (name, count) in uses {
            // A file is mostly called like what it declares.
            let called = |span: Span| {
                let file = documents.sources.name(span.file).rsplit('/').next().unwrap_or_default();
                file.split('.').next() == Some(name)
            };
            let mut places = [one.primary.span, first.span];
            places.sort_by_key(|place| !called(*place));
            for (at, other) in [(0, 1), (1, 0)] {
                let (place, other) = (places[at], places[other]);
                let start = place.start as usize;
                let Some(from) = words_at(documents.sources.slice(place), taken).next() else { continue };
                let at = span(place.file, start + from, start + from + taken.len());
                let message = format!(
                    "{kind} {} is declared twice, and {}, which is named in {}, nowhere",
                    quoted(taken),
                    quoted(name),
                    if count == 1 { "one place".to_owned() } else { format!("{count} places") }
                );
                let told = Diagnostic::error(Code::DuplicateName, place, message).also(other, "declared here, too");
                let told = vec![told.help(format!("write `{name}` here"))];
                let edits = vec![Edit { at, text: name.to_owned() }];
                slips.push(Slip { edits, told, spares: 0, guessed: true });
            }
        }
        all.push(slips);
    }
    all
}

/// A name that is used in several places, and written otherwise where it is declared.
fn declarations(documents: &Documents, found: &[Diagnostic]) -> Vec<Vec<Slip>> {
    let mut uses: BTreeMap<(&str, &str), Vec<Span>> = BTreeMap::new();
    for one in found {
        let name = match one.aspect {
            Aspect::Depth => one.message.split('`').nth(1),
            _ => unknown_name(one),
        };
        if let (Some(name), Some(declared)) = (name, meant(one)) {
            uses.entry((name, declared)).or_default().push(one.primary.span);
        }
    }
    let several = uses.into_iter().filter(|(_, places)| places.len() > 1);
    let slips = several.filter_map(|((name, declared), places)| {
        let place = only_place(documents, declared)?;
        let told = vec![named_otherwise(declared, place, name, &places)];
        let edits = renamed(documents, place.file, declared, name);
        Some(vec![Slip { edits, told, spares: places.len() - 1, guessed: false }])
    });
    slips.collect()
}

/// What is told of a name that is written otherwise where it is declared than in all these places.
#[must_use]
pub fn named_otherwise(declared: &str, place: Span, name: &str, uses: &[Span]) -> Diagnostic {
    let message = format!(
        "{} is declared here and named nowhere; {} is named in {} places and declared nowhere",
        quoted(declared),
        quoted(name),
        uses.len()
    );
    let found = Diagnostic::error(Code::UnknownName, place, message);
    let found = uses.iter().take(1).fold(found, |found, first| found.also(*first, "the first of these places"));
    found.help(format!("write `{name}` here"))
}

/// The edits that write what a finding says was meant.
fn corrected(documents: &Documents, found: &Diagnostic) -> Option<Vec<Edit>> {
    let near = meant(found)?;
    let place = found.primary.span;
    if !matches!(found.code, Code::UnknownKey | Code::UnknownName | Code::UnknownValue | Code::UnknownSlot) {
        return None;
    }
    documents.node(place.file)?;
    let name = found.message.rsplit('`').nth(1)?;
    let name = match found.code {
        // A key is named before what it is in.
        Code::UnknownKey => documents.sources.slice(place),
        _ => name,
    };
    let text = documents.sources.text(place.file);
    let (start, end) = (place.start as usize, place.end as usize);
    let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
    let whole = text[line..].lines().next().unwrap_or_default();
    if let Some(head) = header_of(place.file, line, whole).filter(|head| holds(head.span, place)) {
        // A table that is written below several headers is misspelt in each.
        let depth = text[line..start].matches('.').count();
        let same = |of: &Header<'_>| of.path.len() > depth && of.path[..=depth] == head.path[..=depth];
        let all = headers(documents, place.file);
        let edits = all.iter().filter(|of| same(of)).map(|of| {
            let mut path = of.path.clone();
            path[depth] = near;
            Edit { at: of.span, text: header(&path, of.many) }
        });
        return Some(edits.collect());
    }
    let mut at = words_at(&text[start..end], name);
    let (from, None) = (at.next()?, at.next()) else { return None };
    Some(vec![Edit { at: span(place.file, start + from, start + from + name.len()), text: near.to_owned() }])
}

/// All words that are like the ones that were meant, at once.
fn words(documents: &Documents, found: &[Diagnostic]) -> Vec<Vec<Slip>> {
    let mut slip = Slip { edits: Vec::new(), told: Vec::new(), spares: 0, guessed: true };
    for one in found {
        if let Some(edits) = corrected(documents, one) {
            slip.edits.extend(edits);
            slip.told.push(one.clone());
        }
    }
    if slip.told.is_empty() { Vec::new() } else { vec![vec![slip]] }
}

/// Each of them by itself.
fn each_word(documents: &Documents, found: &[Diagnostic]) -> Vec<Vec<Slip>> {
    let each = found.iter().filter_map(|one| {
        let edits = corrected(documents, one)?;
        Some(vec![Slip { edits, told: vec![one.clone()], spares: 0, guessed: true }])
    });
    each.collect()
}
