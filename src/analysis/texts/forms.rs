//! Forms as automata over tokens: phrases word by word, patterns by what a token does to them.

use std::collections::BTreeSet;

use crate::lexicon::fold_word;
use crate::maps::HashMap;
use crate::model::lexicon::{Elem, Form, Lexicon, Slot};

use super::characters::{Patterns, Row};

/// What the words and patterns of one question are numbered by.
#[derive(Debug, Default)]
pub struct Vocabulary {
    pub words: Vec<String>,
    index: HashMap<String, u32>,
    pub patterns: Patterns,
}

impl Vocabulary {
    pub fn word(&mut self, word: &str) -> u32 {
        if let Some(at) = self.index.get(word) {
            return *at;
        }
        let at = u32::try_from(self.words.len()).expect("a lexicon is bounded in size");
        self.words.push(word.to_owned());
        self.index.insert(word.to_owned(), at);
        at
    }

    pub fn known(&self, word: &str) -> Option<u32> {
        self.index.get(word).copied()
    }

    /// Whether the matcher surely sees every match of a form. A pattern that goes over several tokens may begin and end in
    /// several ways, and only one of them is taken.
    pub fn sees(&mut self, form: &Form) -> bool {
        match form {
            Form::Phrase(_) => true,
            Form::Pattern(pattern) => self.patterns.add(pattern).is_none_or(|at| self.patterns.is_of_one_token(at)),
        }
    }
}

/// One token of a text that is searched for, for all that are to be dealt with alike.
#[derive(Debug, Clone)]
pub struct Letter {
    pub text: String,
    pub word: Option<u32>,
    pub row: Row,
    /// It stands only at the very start of a text.
    pub first: bool,
    /// It ends a sentence.
    pub ends: bool,
}

/// A place in a form, between two tokens.
#[derive(Debug, Clone, Default)]
struct Node {
    words: Vec<(u32, u32)>,
    /// A recognised signal, then the node after it.
    pub slots: Vec<(usize, u32)>,
    /// A place of a pattern, by its number, and the nodes of all places of that pattern.
    pattern: Option<(u32, u32)>,
    empty: Vec<u32>,
    end: Option<u32>,
    /// The matcher may not see what is matched here.
    unsure: bool,
}

/// An occurrence of a pattern in a form: the node of each of its places, and the node after it.
#[derive(Debug, Clone)]
struct Instance {
    nodes: HashMap<u32, u32>,
    to: u32,
}

/// Several forms as one automaton. Each way to begin has a number, and so has each way to end.
#[derive(Debug, Clone, Default)]
pub struct Automaton {
    nodes: Vec<Node>,
    instances: Vec<Instance>,
    closures: Vec<Vec<u32>>,
    /// Where forms begin, and whether it is certain that the matcher sees all that they match.
    starts: Vec<(u32, bool)>,
    /// Where phrases without parts begin.
    start: Option<u32>,
    /// The node of each end.
    ends: HashMap<u32, u32>,
    /// What each word does: from where it leads where.
    by_word: HashMap<u32, Vec<(u32, u32)>>,
    /// The patterns that stand in it.
    pub patterns: BTreeSet<usize>,
}

impl Automaton {
    fn node(&mut self) -> u32 {
        self.nodes.push(Node::default());
        u32::try_from(self.nodes.len() - 1).expect("a lexicon is bounded in size")
    }

    /// Takes a form without parts in that ends in `end`.
    pub fn add(&mut self, form: &Form, end: u32, vocabulary: &mut Vocabulary, lexicon: &Lexicon) {
        let to = self.end(end);
        if let (Form::Phrase(_), Some(from)) = (form, self.start) {
            self.form(form, from, to, vocabulary, lexicon);
            return;
        }
        let from = self.node();
        let sure = self.form(form, from, to, vocabulary, lexicon);
        self.begin(from, sure);
        if let Form::Phrase(_) = form {
            self.start = Some(from);
        }
    }

    /// Takes a phrase in; `parts` says of each slot, in text order, by which forms it may be said.
    pub fn add_phrase(
        &mut self,
        elems: &[Elem],
        end: u32,
        vocabulary: &mut Vocabulary,
        lexicon: &Lexicon,
        parts: &dyn Fn(usize) -> Vec<Form>,
    ) {
        let to = self.end(end);
        let from = self.node();
        let sure = self.elems(elems, from, to, vocabulary, lexicon, parts, &mut 0);
        self.begin(from, sure);
    }

    /// Notes where the form that was taken in last begins.
    fn begin(&mut self, from: u32, sure: bool) {
        self.starts.push((from, sure));
        if !sure {
            self.nodes[from as usize..].iter_mut().for_each(|node| node.unsure = true);
        }
    }

    fn end(&mut self, end: u32) -> u32 {
        if let Some(node) = self.ends.get(&end) {
            return *node;
        }
        let node = self.node();
        self.nodes[node as usize].end = Some(end);
        self.ends.insert(end, node);
        node
    }

    fn form(&mut self, form: &Form, from: u32, to: u32, vocabulary: &mut Vocabulary, lexicon: &Lexicon) -> bool {
        match form {
            Form::Phrase(elems) => self.elems(elems, from, to, vocabulary, lexicon, &|_| Vec::new(), &mut 0),
            Form::Pattern(pattern) => {
                let Some(at) = vocabulary.patterns.add(pattern) else { return true };
                self.patterns.insert(at);
                let places = vocabulary.patterns.places(at).to_vec();
                let instance = u32::try_from(self.instances.len()).expect("a lexicon is bounded in size");
                let mut nodes = HashMap::default();
                for place in &places {
                    let node = self.node();
                    self.nodes[node as usize].pattern = Some((*place, instance));
                    nodes.insert(*place, node);
                }
                self.nodes[from as usize].empty.push(nodes[&places[0]]);
                self.instances.push(Instance { nodes, to });
                vocabulary.patterns.is_of_one_token(at)
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn elems(
        &mut self,
        elems: &[Elem],
        from: u32,
        to: u32,
        vocabulary: &mut Vocabulary,
        lexicon: &Lexicon,
        parts: &dyn Fn(usize) -> Vec<Form>,
        met: &mut usize,
    ) -> bool {
        let mut sure = true;
        let mut at = from;
        for (index, elem) in elems.iter().enumerate() {
            let next = if index + 1 == elems.len() { to } else { self.node() };
            match elem {
                Elem::Word(word) => {
                    let word = vocabulary.word(word);
                    self.nodes[at as usize].words.push((word, next));
                }
                Elem::Stem { stem, endings } => {
                    for ending in &lexicon.endings[*endings].endings {
                        let word = vocabulary.word(&fold_word(&format!("{stem}{ending}")));
                        self.nodes[at as usize].words.push((word, next));
                    }
                }
                Elem::Slot(Slot::Signal(signal)) => self.nodes[at as usize].slots.push((*signal, next)),
                Elem::Slot(Slot::Part(_)) => {
                    let forms = parts(*met);
                    *met += 1;
                    for form in forms {
                        sure &= self.form(&form, at, next, vocabulary, lexicon);
                    }
                }
                Elem::Choice { optional, of } => {
                    if *optional {
                        self.nodes[at as usize].empty.push(next);
                    }
                    for sequence in of {
                        let inner = self.node();
                        self.nodes[at as usize].empty.push(inner);
                        sure &= self.elems(sequence, inner, next, vocabulary, lexicon, parts, met);
                    }
                }
            }
            at = next;
        }
        if elems.is_empty() {
            self.nodes[from as usize].empty.push(to);
        }
        sure
    }

    /// To be called when all forms are in.
    pub fn finish(&mut self) {
        self.nodes.iter_mut().for_each(|node| node.words.sort_unstable());
        self.closures = (0..self.nodes.len())
            .map(|node| {
                let mut all = BTreeSet::new();
                let mut left = vec![u32::try_from(node).expect("a lexicon is bounded in size")];
                while let Some(node) = left.pop() {
                    if all.insert(node) {
                        left.extend(&self.nodes[node as usize].empty);
                    }
                }
                all.retain(|node| {
                    let node = &self.nodes[*node as usize];
                    !node.words.is_empty() || !node.slots.is_empty() || node.pattern.is_some() || node.end.is_some()
                });
                all.into_iter().collect()
            })
            .collect();
        for (at, node) in (0..).zip(&self.nodes) {
            for (word, to) in &node.words {
                self.by_word.entry(*word).or_default().push((at, *to));
            }
        }
    }

    /// The places at which forms begin; all, or only those of forms of which the matcher surely sees every match.
    pub fn starts(&self, all: bool) -> Vec<u32> {
        self.join(self.starts.iter().filter(|(_, sure)| all || *sure).map(|(node, _)| *node))
    }

    /// What some places come to without a token.
    fn join(&self, nodes: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut all: Vec<u32> = nodes.into_iter().flat_map(|node| &self.closures[node as usize]).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Where a token leads from some places.
    pub fn step(&self, places: &[u32], letter: &Letter) -> Vec<u32> {
        let mut to = Vec::new();
        for place in places {
            let node = &self.nodes[*place as usize];
            if let Some(word) = letter.word {
                let from = node.words.partition_point(|(of, _)| *of < word);
                to.extend(node.words[from..].iter().take_while(|(of, _)| *of == word).map(|(_, to)| *to));
            }
            if let Some((place, instance)) = node.pattern
                && let Ok(at) = letter.row.binary_search_by_key(&place, |(place, ..)| *place)
            {
                let (_, places, ends) = &letter.row[at];
                let instance = &self.instances[instance as usize];
                to.extend(places.iter().filter_map(|place| instance.nodes.get(place)));
                to.extend(ends.then_some(instance.to));
            }
        }
        self.join(to)
    }

    /// The slots that may be filled at some places: the signal, and the place after it.
    pub fn slots(&self, places: &[u32]) -> impl Iterator<Item = (usize, u32)> {
        places.iter().flat_map(|place| self.nodes[*place as usize].slots.iter().copied())
    }

    /// What the place after a slot comes to.
    pub fn after_slot(&self, place: u32) -> &[u32] {
        &self.closures[place as usize]
    }

    /// The ends that some places are.
    pub fn ends(&self, places: &[u32]) -> Vec<u32> {
        let mut ends: Vec<u32> = places.iter().filter_map(|place| self.nodes[*place as usize].end).collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// Whether the matcher surely sees every match.
    pub fn sees_all(&self) -> bool {
        self.starts.iter().all(|(_, sure)| *sure)
    }

    /// The places of forms of which the matcher surely sees every match.
    pub fn sure(&self, places: &[u32]) -> Vec<u32> {
        places.iter().copied().filter(|place| !self.nodes[*place as usize].unsure).collect()
    }

    /// The places that are no ends.
    pub fn open(&self, places: &[u32]) -> Vec<u32> {
        places.iter().copied().filter(|place| self.nodes[*place as usize].end.is_none()).collect()
    }

    /// The words that stand in it.
    pub fn words(&self) -> impl Iterator<Item = u32> {
        self.by_word.keys().copied()
    }

    /// The signals that fill its slots.
    pub fn signals(&self) -> BTreeSet<usize> {
        self.nodes.iter().flat_map(|node| node.slots.iter().map(|(signal, _)| *signal)).collect()
    }

    /// The words that stand in one match with one of these, or with a pattern.
    pub fn words_beside(&self, known: &BTreeSet<u32>) -> BTreeSet<u32> {
        let index = |at: usize| u32::try_from(at).expect("a lexicon is bounded in size");
        // Steps from node to node: the word that is read, if it is one, and whether it is known.
        let mut steps: Vec<(u32, u32, Option<u32>, bool)> = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            let at = index(at);
            steps.extend(node.words.iter().map(|(word, to)| (at, *to, Some(*word), known.contains(word))));
            steps.extend(node.slots.iter().map(|(_, to)| (at, *to, None, false)));
            steps.extend(node.empty.iter().map(|to| (at, *to, None, false)));
            if let Some((_, instance)) = node.pattern {
                steps.push((at, self.instances[instance as usize].to, None, true));
            }
        }
        let spread = |forward: bool| {
            let ends = |step: &(u32, u32, Option<u32>, bool)| if forward { (step.0, step.1) } else { (step.1, step.0) };
            let mut next: HashMap<u32, Vec<u32>> = HashMap::default();
            steps.iter().map(ends).for_each(|(from, to)| next.entry(from).or_default().push(to));
            let mut left: Vec<u32> = steps.iter().filter(|step| step.3).map(|step| ends(step).1).collect();
            let mut seen: BTreeSet<u32> = left.iter().copied().collect();
            while let Some(node) = left.pop() {
                for to in next.get(&node).into_iter().flatten() {
                    if seen.insert(*to) {
                        left.push(*to);
                    }
                }
            }
            seen
        };
        let (after, before) = (spread(true), spread(false));
        let beside = steps.iter().filter(|(from, to, ..)| after.contains(from) || before.contains(to));
        beside.filter_map(|(_, _, word, _)| *word).collect()
    }

    /// All that a word does in it: what tells it from other words.
    pub fn effect(&self, word: u32) -> &[(u32, u32)] {
        self.by_word.get(&word).map_or(&[], Vec::as_slice)
    }

    /// Whether some text made of these tokens can be matched; `filled` says of which signals slots can be filled.
    pub fn can_end(&self, letters: &[Letter], filled: &dyn Fn(usize) -> bool) -> bool {
        let mut seen: BTreeSet<u32> = self.starts(true).into_iter().collect();
        let mut left: Vec<u32> = seen.iter().copied().collect();
        while let Some(place) = left.pop() {
            if self.nodes[place as usize].end.is_some() {
                return true;
            }
            let slots: Vec<u32> = self
                .slots(&[place])
                .filter(|(signal, _)| filled(*signal))
                .flat_map(|(_, to)| self.after_slot(to))
                .copied()
                .collect();
            let steps = letters.iter().flat_map(|letter| self.step(&[place], letter));
            for next in slots.into_iter().chain(steps) {
                if seen.insert(next) {
                    left.push(next);
                }
            }
        }
        false
    }
}
