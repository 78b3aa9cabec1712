//! Lines of YAML that are lost: the key of a block, or of the list that a whole file is.

use std::collections::BTreeSet;

use crate::diag::{Aspect, Code, Diagnostic, listed, quoted};
use crate::language::{SECTIONS, Value, list_key};
use crate::source::FileId;
use crate::syntax::{Format, Kind};

use super::Documents;
use super::mend::{Edit, Slip};
use super::slips::{by_file, is_list, is_table, meant, root, span, takes, under, unknown_name};

/// In so many places of a file is a line missed.
const MOST_PLACES: usize = 2;

/// A line that says something.
#[derive(Clone, Copy)]
struct Line<'t> {
    start: usize,
    text: &'t str,
}

impl<'t> Line<'t> {
    fn all(text: &'t str) -> Vec<Self> {
        let mut at = 0;
        let lines = text.split_inclusive('\n').map(|line| {
            at += line.len();
            Line { start: at - line.len(), text: line.trim_end() }
        });
        lines.filter(|line| !matches!(line.text.trim_start().chars().next(), None | Some('#'))).collect()
    }

    fn margin(self) -> usize {
        self.text.len() - self.text.trim_start_matches(' ').len()
    }

    fn is_item(self) -> bool {
        self.text[self.margin()..].starts_with("- ")
    }

    /// Where what it says begins, behind the dash of an item.
    fn content(self) -> usize {
        let behind = |at: usize| at + self.text[at..].len() - self.text[at..].trim_start_matches(' ').len();
        if self.is_item() { behind(self.margin() + 1) } else { self.margin() }
    }

    /// Its key, that of an item in braces included.
    fn key(self) -> Option<&'t str> {
        let code = self.text[self.content()..].trim_start_matches(['{', ' ']);
        let end = code.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')))?;
        (end > 0 && code[end..].starts_with([':', '.'])).then(|| &code[..end])
    }
}

/// Files that are a list, and blocks whose key is not there.
pub(super) fn lost_lines(documents: &Documents, found: &[Diagnostic]) -> Vec<Vec<Slip>> {
    let mut all = Vec::new();
    for (file, errors) in by_file(documents, found, Format::Yaml) {
        let lines = Line::all(documents.sources.text(file));
        if let Some(Kind::List(items)) = documents.node(file).map(|node| &node.kind) {
            all.extend(headless(file, &lines, items).map(|slip| vec![slip]));
            continue;
        }
        let mut places: Vec<usize> = Vec::new();
        for one in errors.iter().filter(|one| !matches!(one.code, Code::MissingPart | Code::MissingKey)) {
            let at = lines.partition_point(|line| line.start <= one.primary.span.start as usize);
            let Some(at) = at.checked_sub(1) else { continue };
            // What is wrong may be in the line, or the whole of what it stands in.
            places.extend([at].into_iter().chain(lines[..at].iter().rposition(|of| of.margin() < lines[at].margin())));
        }
        places.sort_unstable();
        places.dedup();
        let slips = places.into_iter().take(MOST_PLACES).map(|at| orphans(documents, file, &lines, at, found));
        all.extend(slips.filter(|slips| !slips.is_empty()));
    }
    all
}

/// A list that is all of a file.
fn headless(file: FileId, lines: &[Line<'_>], items: &[crate::syntax::Node]) -> Option<Slip> {
    let keys = items.iter().filter_map(|item| if let Kind::Table(table) = &item.kind { Some(table) } else { None });
    let keys: BTreeSet<&str> = keys.flatten().map(|entry| entry.key.as_str()).collect();
    let inside: Vec<&str> = keys.into_iter().collect();
    let name = list_key(&[], &inside).filter(|name| SECTIONS.has(name))?;
    let first = lines.iter().find(|line| line.is_item())?;
    let message = format!("a list without its key: `{name}:` is missing");
    let told = Diagnostic::error(Code::WrongType, items.first()?.span, message);
    let told = vec![told.help(format!("write `{name}:` on a line above it"))];
    let at = span(file, first.start, first.start);
    Some(Slip { edits: vec![Edit { at, text: format!("{name}:\n") }], told, spares: 0, guessed: true })
}

/// What a line, and those that stand below it at the same margin, may belong to.
fn orphans(documents: &Documents, file: FileId, lines: &[Line<'_>], at: usize, found: &[Diagnostic]) -> Vec<Slip> {
    let line = lines[at];
    let (Some(key), margin) = (line.key(), line.margin()) else { return Vec::new() };
    let root = root(documents, file);
    let unknown: BTreeSet<&str> = found.iter().filter_map(unknown_name).collect();
    let open = open(&lines[..at], margin);
    let inner = inner(&lines[at..]);
    let mut slips = Vec::new();
    // What is like no other name is taken to be what it says.
    let alone = matches!(found, [one] if one.aspect == Aspect::Stranger && meant(one).is_none());
    for (deep, (parent, _)) in open.iter().enumerate() {
        let path: Vec<&str> = open[deep + 1..].iter().rev().map(|(_, key)| *key).collect();
        let beside = beside(lines, at, *parent);
        let names: Vec<&str> = match under(&root, &path) {
            Some(Value::List(Value::Table(shape)) | Value::Table(shape)) => shape.names(),
            Some(Value::Names(_)) => unknown.iter().copied().collect(),
            _ => continue,
        };
        for name in names.into_iter().filter(|name| !beside.contains(name)) {
            let path: Vec<&str> = path.iter().copied().chain([name]).collect();
            let fits = under(&root, &path).is_some_and(|value| {
                takes(value, key) && if line.is_item() { is_list(value) } else { is_table(value) }
            });
            let within: Vec<&str> = path.iter().copied().chain([key]).collect();
            let holds = |value: &Value| inner.iter().all(|key| takes(value, key));
            if !fits || !line.is_item() && !under(&root, &within).is_none_or(holds) {
                continue;
            }
            let block: Vec<&str> = match line.is_item() {
                true => Vec::new(),
                false => lines[at..]
                    .iter()
                    .take_while(|of| of.margin() >= margin)
                    .filter(|of| of.margin() == margin)
                    .filter_map(|of| of.key())
                    .collect(),
            };
            let message = match block.as_slice() {
                [] => format!("this list belongs to {}, whose line is missing", quoted(&format!("{name}:"))),
                [one] => format!("{} belongs to `{name}:`, whose line is missing", quoted(one)),
                many => format!("{} belong to `{name}:`, whose line is missing", listed(many)),
            };
            let begin = line.start + line.content();
            let place = if block.is_empty() {
                span(file, line.start + margin, line.start + margin + 1)
            } else {
                span(file, begin, begin + key.len())
            };
            let told = Diagnostic::error(Code::UnknownKey, place, message);
            let spaces = match parent {
                0 => String::new(),
                1 => ", after 1 space".to_owned(),
                parent => format!(", after {parent} spaces"),
            };
            let told = vec![told.help(format!("write `{name}:` on a line of its own above this one{spaces}"))];
            let text = format!("{}{name}:\n", " ".repeat(*parent));
            let edits = vec![Edit { at: span(file, line.start, line.start), text }];
            slips.push(Slip { edits, told, spares: usize::from(!alone), guessed: true });
        }
    }
    slips
}

/// The keys in the table that the first line begins.
fn inner<'t>(lines: &[Line<'t>]) -> Vec<&'t str> {
    let deeper = lines[1..].iter().take_while(|line| line.margin() > lines[0].margin());
    let Some(first) = deeper.clone().next() else { return Vec::new() };
    deeper.filter(|line| line.margin() == first.margin() && !line.is_item()).filter_map(|line| line.key()).collect()
}

/// The keys that a line at some margin lies under, with their margins, the deepest first.
fn open<'t>(above: &[Line<'t>], margin: usize) -> Vec<(usize, &'t str)> {
    let mut open = Vec::new();
    let mut least = margin;
    for line in above.iter().rev() {
        if line.content() < least
            && let Some(key) = line.key()
        {
            open.push((line.content(), key));
            least = line.content();
        }
        if line.is_item() && line.margin() < least {
            // Its list may stand at the margin of its key.
            least = line.margin() + 1;
        }
    }
    if margin > 0 && open.is_empty() {
        open.push((0, ""));
    }
    open
}

/// The keys of the table at a margin in which a line lies.
fn beside<'t>(lines: &[Line<'t>], at: usize, margin: usize) -> Vec<&'t str> {
    let mut all = Vec::new();
    for line in lines[..at].iter().rev() {
        all.extend(line.key().filter(|_| line.content() == margin));
        if line.margin() < margin {
            break;
        }
    }
    let below =
        lines[at..].iter().take_while(|line| line.margin() >= margin && !(line.is_item() && line.margin() == margin));
    all.extend(below.filter(|line| line.content() == margin).filter_map(|line| line.key()));
    all
}
