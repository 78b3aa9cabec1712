//! Slips that have many findings: each is put right in a copy of the text, and where what is found without it is less the slip is told
//! once, at its place, and all else is judged as if it had not been made.

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::model::Pack;
use crate::source::{FileId, SourceText, Span};
use crate::syntax::{Entry, Kind, Node, Table};

use super::{Document, Documents, slips};

/// How often a pack is read anew to see what is found without a slip.
const MOST_TRIALS: usize = 24;
/// A pack with more text than this is taken as it is written.
const MOST_TEXT: usize = 1 << 20;

/// Other text for a place of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edit {
    pub at: Span,
    pub text: String,
}

/// What may have been meant.
#[derive(Debug, Clone)]
pub(super) struct Slip {
    /// What is written instead.
    pub edits: Vec<Edit>,
    /// What is told of it.
    pub told: Vec<Diagnostic>,
    /// How many findings it must have beyond those that are told of it.
    pub spares: usize,
    /// Whether nothing may be found that was not found before: what is meant is guessed word by word.
    pub guessed: bool,
}

/// A pack of which some slips are put right.
#[derive(Debug)]
pub struct Mended {
    /// The files, with the places of what was written.
    pub documents: Documents,
    /// What is told of the slips.
    pub told: Vec<Diagnostic>,
    /// What is found besides.
    pub found: Diagnostics,
    /// The pack, where there is nothing.
    pub pack: Option<Pack>,
}

impl Documents {
    /// Puts right what can be; `None` where nothing can.
    pub(super) fn mended(&self, found: &Diagnostics) -> Option<Mended> {
        let size: usize = self.sources.files().map(|file| self.sources.text(file).len()).sum();
        if size > MOST_TEXT {
            return None;
        }
        let mut edits: Vec<Edit> = Vec::new();
        let mut told: Vec<Diagnostic> = Vec::new();
        let mut last: Option<Mended> = None;
        let mut found = found.clone().into_sorted();
        let mut trials = MOST_TRIALS;
        'slips: loop {
            let now = last.as_ref().map_or(self, |last| &last.documents);
            for kind in slips::KINDS {
                for slips in kind(now, &found) {
                    let mut best: Option<(usize, Vec<Edit>, &Slip, Mended)> = None;
                    for slip in &slips {
                        // What was tried before that holds all the same.
                        let Some(left) = trials.checked_sub(1) else { break };
                        let Some(all) = together(&edits, &slip.edits) else { continue };
                        trials = left;
                        let documents = self.edited(&all);
                        let (rest, pack) = documents.as_written();
                        let rest_found = rest.clone().into_sorted();
                        let mut new = rest_found.iter().filter(|one| !found.contains(one));
                        // Of a file that is no document any more less is found because less is looked for.
                        let broken = |one: &Diagnostic| matches!(one.code, Code::SyntaxError | Code::DuplicateKey);
                        let worse = if slip.guessed { new.next().is_some() } else { new.any(broken) };
                        if rest_found.len() + slip.told.len() + slip.spares > found.len() || worse {
                            continue;
                        }
                        if best.as_ref().is_none_or(|(least, ..)| rest_found.len() < *least) {
                            let mended = Mended { documents, told: Vec::new(), found: rest, pack };
                            best = Some((rest_found.len(), all, slip, mended));
                        }
                    }
                    if let Some((_, all, slip, mended)) = best {
                        edits = all;
                        told.extend(slip.told.iter().cloned());
                        found = mended.found.clone().into_sorted();
                        last = Some(mended);
                        continue 'slips;
                    }
                }
            }
            break;
        }
        last.map(|last| Mended { told, ..last })
    }

    /// The same with other text in some places; what is read of it stands where it is written in these files.
    fn edited(&self, edits: &[Edit]) -> Self {
        let plain = self.plain.as_ref().unwrap_or(&self.read);
        let read = self.sources.files().zip(plain).map(|(file, document)| {
            let own: Vec<&Edit> = edits.iter().filter(|edit| edit.at.file == file).collect();
            match own.is_empty() {
                true => document.clone(),
                false => Document { pack: document.pack.clone(), ..self.read_anew(file, &own) },
            }
        });
        let (sources, overrides, missing) = (self.sources.clone(), self.overrides.clone(), self.missing.clone());
        Self::plainly(sources, read.collect(), overrides, missing).extended()
    }

    fn read_anew(&self, file: FileId, edits: &[&Edit]) -> Document {
        let written = self.sources.text(file);
        let mut text = String::with_capacity(written.len());
        let mut places = Places::default();
        let mut at = 0;
        for Edit { at: place, text: instead } in edits {
            text.push_str(&written[at..place.start as usize]);
            places.0.push((offset(text.len()), offset(text.len() + instead.len()), place.start, place.end));
            text.push_str(instead);
            at = place.end as usize;
        }
        text.push_str(&written[at..]);
        let document = Document::read(file, &SourceText::new(self.sources.name(file), text));
        let moved = |found: Diagnostic| {
            let mut found = found;
            found.primary.span = places.written(found.primary.span);
            found.secondary.iter_mut().for_each(|label| label.span = places.written(label.span));
            found
        };
        let node = document.node.map(|node| places.node(&node));
        Document { node, faults: document.faults.into_iter().map(moved).collect(), ..document }
    }
}

/// Both, in order; `None` where two of them are about one place.
fn together(edits: &[Edit], more: &[Edit]) -> Option<Vec<Edit>> {
    let mut all: Vec<Edit> = edits.iter().chain(more).cloned().collect();
    all.sort();
    all.dedup();
    let meets = |pair: &[Edit]| {
        pair[0].at.file == pair[1].at.file && pair[1].at.start < pair[0].at.end.max(pair[0].at.start + 1)
    };
    (!more.is_empty() && !all.windows(2).any(meets)).then_some(all)
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Where places of a text with edits are in the text that is written: for each edit its place in both.
#[derive(Debug, Default)]
struct Places(Vec<(u32, u32, u32, u32)>);

impl Places {
    fn offset(&self, at: u32) -> u32 {
        let before = self.0.iter().rev().find(|(start, ..)| *start < at);
        match before {
            None => at,
            Some((start, end, from, to)) if at < *end => (from + (at - start)).min(*to),
            Some((_, end, _, to)) => to + (at - end),
        }
    }

    fn written(&self, span: Span) -> Span {
        let start = self.offset(span.start);
        Span { start, end: self.offset(span.end).max(start), ..span }
    }

    fn node(&self, node: &Node) -> Node {
        let kind = match &node.kind {
            Kind::List(items) => Kind::List(items.iter().map(|item| self.node(item)).collect()),
            Kind::Table(table) => {
                let entries = table.iter().map(|entry| Entry {
                    key: entry.key.clone(),
                    key_span: self.written(entry.key_span),
                    value: self.node(&entry.value),
                });
                Kind::Table(Table::new(entries.collect::<Vec<_>>()))
            }
            other => other.clone(),
        };
        Node { span: self.written(node.span), kind }
    }
}
