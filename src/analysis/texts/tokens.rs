//! The tokens that can stand in folded text, of finitely many kinds as far as patterns tell them apart; of each kind one is made.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::lexicon::{Kind, Normalised, fold_word, kind};
use crate::maps::{HashMap, HashSet};

use super::characters::{Patterns, Row, holds};

/// How many kinds of beginnings of tokens are looked at.
const MAX_BEGINNINGS: usize = 40_000;

/// Characters that tokens hold under conditions of their own.
const SPECIAL: [char; 9] = [' ', '-', '\'', '.', ',', ':', '/', '_', 'ё'];

/// How many characters stand for each kind of character.
const SAMPLES: usize = 8;

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

impl Patterns {
    /// One token of each kind that is none of `words`; the one that none of the patterns takes anything of comes first, if
    /// there is one. Nothing when there are too many kinds.
    pub fn kinds(&self, patterns: &BTreeSet<usize>, words: &[&str]) -> Option<Vec<Kindred>> {
        let all: HashSet<&str> = words.iter().copied().collect();
        // Words that no pattern takes anything of are told from other such tokens by one that is none of them.
        let taken: Vec<&str> = words.iter().copied().filter(|word| !self.row(patterns, word).is_empty()).collect();
        let trie = Trie::new(&taken);
        let symbols = self.symbols(patterns, &trie);
        let mut found: HashMap<(Row, bool), usize> = HashMap::default();
        let mut kinds: Vec<Kindred> = Vec::new();
        let start: Vec<(u32, Vec<u32>)> = self.places_of(patterns).map(|place| (place, self.closed(place))).collect();
        let start = Beginning { grammar: Grammar::Start, first: false, states: start, trie: Some(0) };
        let mut seen = HashSet::from_iter([start.clone()]);
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
