//! Patterns, character by character, and what whole tokens do to them: every token that can stand in folded text falls into
//! one of finitely many kinds, and of each kind one token is made.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use regex_syntax::hir::{Class, Hir, HirKind};

use crate::lexicon::{Kind, Normalised, fold_word, kind, pattern_hir};

/// How many kinds of beginnings of tokens are looked at.
const MAX_BEGINNINGS: usize = 40_000;

/// Characters that tokens hold under conditions of their own.
const SPECIAL: [char; 9] = [' ', '-', '\'', '.', ',', ':', '/', '_', 'ё'];

/// How many characters stand for each kind of character.
const SAMPLES: usize = 8;

/// A state of a pattern's automaton.
#[derive(Debug)]
enum State {
    /// One character of a class, then another state.
    Char(u32, u32),
    Split(Vec<u32>),
    /// The pattern has matched.
    End,
}

/// What a token does to the patterns: for each place between tokens at which a pattern can stand, the places at which it can
/// stand after the token, and whether it can end there. Places without a way on are left out.
pub type Row = Vec<(u32, Vec<u32>, bool)>;

/// A token that stands for all that do the same to the patterns and are none of the words.
#[derive(Debug, Clone)]
pub struct Kindred {
    pub text: String,
    pub row: Row,
    /// It stands only at the very start of a text.
    pub first: bool,
}

/// The classes that hold some characters, and the character itself where it is the only one of its kind.
type Group = (Vec<u32>, Option<char>);

/// The patterns of one question.
#[derive(Debug, Default)]
pub struct Patterns {
    states: Vec<State>,
    classes: Vec<Vec<(char, char)>>,
    class_index: HashMap<Vec<(char, char)>, u32>,
    known: HashMap<String, usize>,
    /// For each pattern the places between tokens, its start first.
    places: Vec<Vec<u32>>,
    /// For each pattern the classes of characters that it names.
    named: Vec<BTreeSet<u32>>,
    /// For each place the state that it is.
    place_states: Vec<u32>,
    place_of_state: HashMap<u32, u32>,
    /// By state: what it comes to without a character.
    closures: Vec<Vec<u32>>,
}

impl Patterns {
    /// Takes a pattern in and says which one it is; nothing where it cannot be read.
    pub fn add(&mut self, pattern: &str) -> Option<usize> {
        if let Some(at) = self.known.get(pattern) {
            return Some(*at);
        }
        let hir = pattern_hir(pattern)?;
        let from = self.states.len();
        let end = self.push(State::End);
        let start = self.build(&hir, end);
        self.closures.resize(self.states.len(), Vec::new());
        for state in from..self.states.len() {
            self.closures[state] = self.closure(u32::try_from(state).ok()?);
        }
        let space = |classes: &[Vec<(char, char)>], class: u32| holds(&classes[class as usize], ' ');
        let mut states = vec![start];
        for state in &self.states[from..] {
            if let State::Char(class, to) = state
                && space(&self.classes, *class)
                && !states.contains(to)
            {
                states.push(*to);
            }
        }
        let mut places = Vec::new();
        for state in states {
            let place = u32::try_from(self.place_states.len()).ok()?;
            self.place_states.push(state);
            self.place_of_state.insert(state, place);
            places.push(place);
        }
        self.places.push(places);
        let named = self.states[from..].iter();
        self.named
            .push(named.filter_map(|state| if let State::Char(of, _) = state { Some(*of) } else { None }).collect());
        self.known.insert(pattern.to_owned(), self.places.len() - 1);
        Some(self.places.len() - 1)
    }

    /// The places of a pattern between tokens, its start first.
    pub fn places(&self, pattern: usize) -> &[u32] {
        &self.places[pattern]
    }

    /// Whether a pattern matches single tokens only.
    pub fn is_of_one_token(&self, pattern: usize) -> bool {
        self.places[pattern].len() == 1
    }

    fn push(&mut self, state: State) -> u32 {
        self.states.push(state);
        u32::try_from(self.states.len() - 1).expect("patterns are bounded in size")
    }

    fn class(&mut self, ranges: Vec<(char, char)>) -> u32 {
        let next = u32::try_from(self.classes.len()).expect("patterns are bounded in size");
        let (classes, index) = (&mut self.classes, &mut self.class_index);
        *index.entry(ranges).or_insert_with_key(|ranges| {
            classes.push(ranges.clone());
            next
        })
    }

    /// The state from which a piece of a pattern is read, with `next` after it.
    fn build(&mut self, hir: &Hir, next: u32) -> u32 {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => next,
            HirKind::Literal(literal) => {
                let text = String::from_utf8_lossy(&literal.0).into_owned();
                text.chars().rev().fold(next, |next, c| {
                    let class = self.class(vec![(c, c)]);
                    self.push(State::Char(class, next))
                })
            }
            HirKind::Class(class) => {
                let ranges = match class {
                    Class::Unicode(class) => class.ranges().iter().map(|range| (range.start(), range.end())).collect(),
                    Class::Bytes(class) => class
                        .ranges()
                        .iter()
                        .map(|range| (char::from(range.start()), char::from(range.end())))
                        .collect(),
                };
                let class = self.class(ranges);
                self.push(State::Char(class, next))
            }
            HirKind::Repetition(repetition) => {
                let mut at = match repetition.max {
                    None => {
                        let again = self.push(State::Split(Vec::new()));
                        let once = self.build(&repetition.sub, again);
                        self.states[again as usize] = State::Split(vec![once, next]);
                        again
                    }
                    Some(max) => (repetition.min..max).fold(next, |at, _| {
                        let once = self.build(&repetition.sub, at);
                        self.push(State::Split(vec![once, next]))
                    }),
                };
                for _ in 0..repetition.min {
                    at = self.build(&repetition.sub, at);
                }
                at
            }
            HirKind::Capture(capture) => self.build(&capture.sub, next),
            HirKind::Concat(subs) => subs.iter().rev().fold(next, |next, sub| self.build(sub, next)),
            HirKind::Alternation(subs) => {
                let all = subs.iter().map(|sub| self.build(sub, next)).collect();
                self.push(State::Split(all))
            }
        }
    }

    fn closure(&self, state: u32) -> Vec<u32> {
        let mut all = BTreeSet::new();
        let mut seen = HashSet::new();
        let mut left = vec![state];
        while let Some(state) = left.pop() {
            if seen.insert(state) {
                match &self.states[state as usize] {
                    State::Split(of) => left.extend(of),
                    State::Char(..) | State::End => {
                        all.insert(state);
                    }
                }
            }
        }
        all.into_iter().collect()
    }

    fn closed(&self, place: u32) -> Vec<u32> {
        self.closures[self.place_states[place as usize] as usize].clone()
    }

    /// Reads one character; `takes` says which classes hold it.
    fn read(&self, states: &[u32], takes: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut next: Vec<u32> = Vec::new();
        for state in states {
            if let State::Char(class, to) = self.states[*state as usize]
                && takes(class)
            {
                next.extend(&self.closures[to as usize]);
            }
        }
        next.sort_unstable();
        next.dedup();
        next
    }

    /// What the space after a token makes of the states in which it left a place.
    fn close(&self, place: u32, states: &[u32]) -> Option<(u32, Vec<u32>, bool)> {
        let mut to = Vec::new();
        let mut ends = false;
        for state in states {
            match self.states[*state as usize] {
                State::End => ends = true,
                State::Char(class, next) if holds(&self.classes[class as usize], ' ') => {
                    to.extend(self.place_of_state.get(&next));
                }
                _ => {}
            }
        }
        to.sort_unstable();
        to.dedup();
        (ends || !to.is_empty()).then_some((place, to, ends))
    }

    fn places_of(&self, patterns: &BTreeSet<usize>) -> impl Iterator<Item = u32> {
        patterns.iter().flat_map(|pattern| self.places[*pattern].iter().copied())
    }

    /// What a token does to some patterns.
    pub fn row(&self, patterns: &BTreeSet<usize>, token: &str) -> Row {
        let mut row = Row::new();
        for place in self.places_of(patterns) {
            let mut states = self.closed(place);
            for c in token.chars() {
                states = self.read(&states, |class| holds(&self.classes[class as usize], c));
                if states.is_empty() {
                    break;
                }
            }
            row.extend(self.close(place, &states));
        }
        row
    }

    /// One token of each kind that is none of `words`; the one that none of the patterns takes anything of comes first, if
    /// there is one. Nothing when there are too many kinds.
    pub fn kinds(&self, patterns: &BTreeSet<usize>, words: &[&str]) -> Option<Vec<Kindred>> {
        let all: HashSet<&str> = words.iter().copied().collect();
        // Words that no pattern takes anything of are told from other such tokens by one that is none of them.
        let taken: Vec<&str> = words.iter().copied().filter(|word| !self.row(patterns, word).is_empty()).collect();
        let trie = Trie::new(&taken);
        let symbols = self.symbols(patterns, &trie);
        let mut found: HashMap<(Row, bool), usize> = HashMap::new();
        let mut kinds: Vec<Kindred> = Vec::new();
        let start: Vec<(u32, Vec<u32>)> = self.places_of(patterns).map(|place| (place, self.closed(place))).collect();
        let start = Beginning { grammar: Grammar::Start, first: false, states: start, trie: Some(0) };
        let mut seen = HashSet::from([start.clone()]);
        let mut queue = VecDeque::from([(start, String::new())]);
        while let Some((beginning, text)) = queue.pop_front() {
            if seen.len() > MAX_BEGINNINGS {
                return None;
            }
            if beginning.grammar.may_end() && beginning.trie.is_none_or(|at| !trie.is_word(at)) {
                let row: Row =
                    beginning.states.iter().filter_map(|(place, states)| self.close(*place, states)).collect();
                found.entry((row.clone(), beginning.first)).or_insert_with(|| {
                    // A word that no pattern takes anything of gives way to a token like it.
                    let taken = row.is_empty() && all.contains(text.as_str());
                    let text = if taken { unlike(&text, &symbols, &all) } else { text.clone() };
                    kinds.push(Kindred { text, row, first: beginning.first });
                    kinds.len() - 1
                });
            }
            if beginning.states.is_empty() {
                // Whatever follows, no pattern takes it: the shortest end that makes a token of its own will do.
                if let Entry::Vacant(vacant) = found.entry((Row::new(), beginning.first)) {
                    let ends = ["х", "x", "0", "хм", "цц", "0х", "хцх", "хцхц"];
                    let mut texts = ends.iter().map(|end| format!("{text}{end}"));
                    let fresh = texts.find(|text| is_token(text, beginning.first) && !all.contains(text.as_str()));
                    if let Some(text) = fresh {
                        vacant.insert(kinds.len());
                        kinds.push(Kindred { text, row: Row::new(), first: beginning.first });
                    }
                }
                continue;
            }
            for symbol in &symbols {
                let Some((grammar, slash)) = beginning.grammar.next(symbol.of) else { continue };
                let c = symbol.samples[0];
                let takes = |class| symbol.classes.contains(&class);
                let states = beginning.states.iter().map(|(place, states)| (*place, self.read(states, takes)));
                let states: Vec<(u32, Vec<u32>)> = states.filter(|(_, states)| !states.is_empty()).collect();
                let next = Beginning {
                    grammar,
                    first: beginning.first || slash,
                    trie: if states.is_empty() { None } else { beginning.trie.and_then(|at| trie.next(at, c)) },
                    states,
                };
                if seen.insert(next.clone()) {
                    queue.push_back((next, format!("{text}{c}")));
                }
            }
        }
        kinds.retain(|kind| !(kind.first && kind.row.is_empty()));
        kinds.sort_by_key(|kind| (!kind.row.is_empty(), kind.first));
        Some(kinds)
    }

    /// All characters that can stand in tokens, those together that no pattern, no word and no rule of tokens tells apart.
    fn symbols(&self, patterns: &BTreeSet<usize>, trie: &Trie) -> Vec<Symbol> {
        let mut bounds: BTreeSet<u32> = BTreeSet::from([0, 0xd800, 0xe000, 0x11_0000]);
        let own: BTreeSet<char> = SPECIAL.iter().copied().chain(trie.chars()).collect();
        let named: BTreeSet<u32> = patterns.iter().flat_map(|pattern| &self.named[*pattern]).copied().collect();
        let ranges =
            named.iter().flat_map(|class| &self.classes[*class as usize]).copied().chain(own.iter().map(|c| (*c, *c)));
        for (from, to) in ranges {
            bounds.insert(u32::from(from));
            bounds.insert(u32::from(to) + 1);
        }
        let bounds: Vec<u32> = bounds.into_iter().collect();
        let mut groups: BTreeMap<Group, Vec<(u32, u32)>> = BTreeMap::new();
        for pair in bounds.windows(2) {
            let Some(c) = char::from_u32(pair[0]) else { continue };
            let classes: Vec<u32> =
                named.iter().copied().filter(|class| holds(&self.classes[*class as usize], c)).collect();
            groups.entry((classes, own.contains(&c).then_some(c))).or_default().push((pair[0], pair[1]));
        }
        let mut symbols = Vec::new();
        for ((classes, own), ranges) in groups {
            if let Some(c) = own
                && let Some(of) = Sign::special(c)
            {
                symbols.push(Symbol { of, classes, samples: vec![c] });
                continue;
            }
            let mut samples: [Vec<char>; 3] = Default::default();
            let wanted = [SAMPLES, SAMPLES, 1];
            'ranges: for (from, to) in &ranges {
                for c in (*from..*to).filter_map(char::from_u32) {
                    let at = match Sign::of(c) {
                        Some(Sign::Letter) => 0,
                        Some(Sign::Digit) => 1,
                        Some(Sign::Mark) => 2,
                        _ => continue,
                    };
                    if samples[at].len() < wanted[at] && fold_word(c.encode_utf8(&mut [0; 4])).chars().eq([c]) {
                        samples[at].push(c);
                        if samples.iter().zip(wanted).all(|(of, wanted)| of.len() >= wanted) {
                            break 'ranges;
                        }
                    }
                }
            }
            for (of, samples) in [Sign::Letter, Sign::Digit, Sign::Mark].into_iter().zip(samples) {
                if !samples.is_empty() {
                    symbols.push(Symbol { of, classes: classes.clone(), samples });
                }
            }
        }
        symbols
    }
}

/// A token that differs from a word in its last character, of the same kind, and is none of the words; the word itself where
/// there is none.
fn unlike(word: &str, symbols: &[Symbol], words: &HashSet<&str>) -> String {
    let last = word.chars().next_back().unwrap_or('x');
    let stem = &word[..word.len() - last.len_utf8()];
    let like = symbols.iter().find(|symbol| symbol.samples.contains(&last));
    let texts = like.into_iter().flat_map(|symbol| &symbol.samples).map(|c| format!("{stem}{c}"));
    texts.into_iter().find(|text| !words.contains(text.as_str())).unwrap_or_else(|| word.to_owned())
}

fn holds(ranges: &[(char, char)], c: char) -> bool {
    let at = ranges.partition_point(|(_, to)| *to < c);
    ranges.get(at).is_some_and(|(from, _)| *from <= c)
}

/// Whether a text is one token, at the start of a text or anywhere.
pub fn is_token(text: &str, first: bool) -> bool {
    let padded = if first { text.to_owned() } else { format!("x {text}") };
    Normalised::new(&padded).padded() == format!(" {padded} ")
}

/// What a character is to the rules of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Letter,
    Digit,
    Mark,
    /// `-` and `'`.
    Dash,
    /// `.` `,` `:`.
    Point,
    Slash,
    Underscore,
}

impl Sign {
    fn special(c: char) -> Option<Sign> {
        Some(match c {
            '-' | '\'' => Sign::Dash,
            '.' | ',' | ':' => Sign::Point,
            '/' => Sign::Slash,
            '_' => Sign::Underscore,
            _ => return None,
        })
    }

    fn of(c: char) -> Option<Sign> {
        match kind(c) {
            Kind::Word if c == '_' => Some(Sign::Underscore),
            Kind::Word if c.is_numeric() => Some(Sign::Digit),
            Kind::Word => Some(Sign::Letter),
            Kind::Mark => Some(Sign::Mark),
            _ => None,
        }
    }
}

#[derive(Debug)]
struct Symbol {
    of: Sign,
    /// The classes that hold its characters.
    classes: Vec<u32>,
    samples: Vec<char>,
}

/// How far a token has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Grammar {
    Start,
    Word,
    Digit,
    Joined,
    JoinedDigits,
    Slash,
}

impl Grammar {
    fn may_end(self) -> bool {
        matches!(self, Grammar::Word | Grammar::Digit)
    }

    /// Where a character leads, and whether it is the `/` at the start of a text.
    fn next(self, sign: Sign) -> Option<(Grammar, bool)> {
        use Grammar::{Digit, Joined, JoinedDigits, Slash, Start, Word};
        let next = match (self, sign) {
            (Start, Sign::Slash) => return Some((Slash, true)),
            (Slash, Sign::Letter) | (Start | Word | Digit | Joined, Sign::Letter | Sign::Underscore) => Word,
            (Start | Word | Digit | Joined | JoinedDigits, Sign::Digit) => Digit,
            (Word | Digit, Sign::Mark) => Word,
            (Word | Digit, Sign::Dash) => Joined,
            (Digit, Sign::Point | Sign::Slash) => JoinedDigits,
            _ => return None,
        };
        Some((next, false))
    }
}

/// A beginning of a token, as far as it matters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Beginning {
    grammar: Grammar,
    first: bool,
    states: Vec<(u32, Vec<u32>)>,
    trie: Option<usize>,
}

/// Words, letter by letter.
struct Trie {
    nodes: Vec<(BTreeMap<char, usize>, bool)>,
}

impl Trie {
    fn new(words: &[&str]) -> Trie {
        let mut trie = Trie { nodes: vec![(BTreeMap::new(), false)] };
        for word in words {
            let mut at = 0;
            for c in word.chars() {
                let next = trie.nodes.len();
                at = *trie.nodes[at].0.entry(c).or_insert(next);
                if at == next {
                    trie.nodes.push((BTreeMap::new(), false));
                }
            }
            trie.nodes[at].1 = true;
        }
        trie
    }

    fn next(&self, at: usize, c: char) -> Option<usize> {
        self.nodes[at].0.get(&c).copied()
    }

    fn is_word(&self, at: usize) -> bool {
        self.nodes[at].1
    }

    fn chars(&self) -> BTreeSet<char> {
        self.nodes.iter().flat_map(|(next, _)| next.keys().copied()).collect()
    }
}
