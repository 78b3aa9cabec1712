//! Interned names: every enum value, table key and declared name of a pack is one `u32` symbol.

use std::collections::HashMap;
use std::sync::Arc;

/// A name of one pack, valid only with that pack's [`Names`]. Order and equality are those of the table, not of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sym(pub u32);

/// The names of one pack, in order of first mention after sorting; append-only while the pack is built.
#[derive(Debug, Clone, Default)]
pub struct Names {
    texts: Vec<Arc<str>>,
    index: HashMap<Arc<str>, Sym>,
}

impl Names {
    /// The symbol of `text`, made if it is new.
    pub fn intern(&mut self, text: &str) -> Sym {
        if let Some(sym) = self.index.get(text) {
            return *sym;
        }
        let sym = Sym(u32::try_from(self.texts.len()).expect("a pack has fewer than four billion names"));
        let shared: Arc<str> = text.into();
        self.texts.push(shared.clone());
        self.index.insert(shared, sym);
        sym
    }

    /// The symbol of `text`, if the pack knows the name.
    #[must_use]
    pub fn get(&self, text: &str) -> Option<Sym> {
        self.index.get(text).copied()
    }

    /// All names, in the order of their symbols.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.texts.iter().map(AsRef::as_ref)
    }

    /// The text of a symbol of this pack.
    #[must_use]
    pub fn text(&self, sym: Sym) -> &str {
        &self.texts[sym.0 as usize]
    }
}
