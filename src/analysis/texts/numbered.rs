//! Different things, each with a number, in the order in which they were met.

use std::hash::Hash;
use std::ops::Index;

/// Different things, each with a number.
#[derive(Debug)]
pub struct Numbered<T> {
    all: Vec<T>,
    index: HashMap<T, u32>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { all: Vec::new(), index: HashMap::default() }
    }
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    /// The number of one of them.
    pub fn number(&mut self, one: T) -> u32 {
        if let Some(at) = self.index.get(&one) {
            return *at;
        }
        let at = u32::try_from(self.all.len()).expect("the search is bounded");
        self.all.push(one.clone());
        self.index.insert(one, at);
        at
    }
}

impl<T> Index<u32> for Numbered<T> {
    type Output = T;

    fn index(&self, at: u32) -> &T {
        &self.all[at as usize]
    }
}
use crate::maps::HashMap;
