//! Anchors, and the aliases that name them: one that names none is told once, however often it stands.

use indexmap::IndexMap;

use crate::diag::{Code, Diagnostic, quoted, suggest};
use crate::source::Span;
use crate::syntax::tree::{Id, Tree};

/// So many of the other places are shown.
const SHOWN: usize = 3;

/// An anchor as it is written.
#[derive(Debug)]
struct Anchor {
    name: String,
    span: Span,
    id: Id,
    used: bool,
}

/// An alias whose name no anchor above it bears.
#[derive(Debug)]
struct Lost {
    places: Vec<Span>,
    /// The anchor that is nearly called so.
    near: Option<usize>,
}

/// What anchors there are so far, and which aliases name none.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    all: Vec<Anchor>,
    /// By the parser's number of an anchor.
    known: IndexMap<usize, Id>,
    lost: IndexMap<String, Lost>,
}

impl Anchors {
    /// A value under an anchor; `start`: where the value begins.
    pub fn add(&mut self, anchor: usize, id: Id, tree: &Tree<'_>, start: u32) {
        self.known.insert(anchor, id);
        let before = tree.text[..start as usize].trim_end();
        let from = before.rfind('&').map_or(before.len(), |sign| sign + 1);
        let name = &before[from..];
        if !name.is_empty() && !name.contains(char::is_whitespace) {
            let span = tree.span(from - 1, before.len());
            self.all.push(Anchor { name: name.to_owned(), span, id, used: false });
        }
    }

    /// The value that an alias stands for.
    pub fn named(&mut self, anchor: usize) -> Option<Id> {
        let id = self.known.get(&anchor).copied()?;
        self.all.iter_mut().filter(|anchor| anchor.id == id).for_each(|anchor| anchor.used = true);
        Some(id)
    }

    /// An alias that names no anchor; the value of the one that it was surely meant to name.
    pub fn lost(&mut self, name: &str, span: Span) -> Option<Id> {
        let near = suggest(name, self.all.iter().map(|anchor| anchor.name.as_str()));
        // Of two of one name the last counts.
        let near = near.and_then(|near| self.all.iter().rposition(|anchor| anchor.name == near));
        self.lost.entry(name.to_owned()).or_insert_with(|| Lost { places: Vec::new(), near }).places.push(span);
        near.map(|near| self.all[near].id)
    }

    /// Tells of aliases that name nothing.
    pub fn report(&mut self, tree: &mut Tree<'_>) {
        for (name, Lost { places, near }) in std::mem::take(&mut self.lost) {
            let (first, count) = (places[0], places.len());
            let near = near.map(|near| &self.all[near]);
            let message = format!("no anchor {} stands above", quoted(&format!("&{name}")));
            let found = Diagnostic::error(Code::UnknownName, first, message);
            let often = if count > 1 { format!(" The alias stands in {count} places.") } else { String::new() };
            let found = places[1..].iter().take(SHOWN).fold(found, |found, place| found.also(*place, "named here"));
            let below = || self.all.iter().find(|anchor| anchor.name == name);
            tree.report(match near {
                Some(near) if !near.used && count > 1 => {
                    let message = format!(
                        "no alias names {}, and `*{name}`, which stands in {count} places, names no anchor",
                        quoted(&format!("&{}", near.name))
                    );
                    let found = Diagnostic::error(Code::UnknownName, near.span, message);
                    found.also(first, "the first of these places").help(format!("write `&{name}` here"))
                }
                Some(near) => found.help(format!("did you mean `*{}`?{often}", near.name)),
                None => match below() {
                    Some(anchor) => found.also(anchor.span, "the anchor stands here").help(format!(
                        "give the value here, `&{name}` in front of it, and write `*{name}` further below"
                    )),
                    None if count > 1 => {
                        found.help(format!("write `&{name}` in front of the value that is meant.{often}"))
                    }
                    None => found.help("quote the text if it begins with `*`"),
                },
            });
        }
    }
}
