//! What a text says, as the scanner has it; and simple texts to try before the search for one.

use crate::lexicon::{Atom, Meaning, Normalised, Resolved, Scratch, expand, meaning, resolve};
use crate::model::Pack;
use crate::model::class::By;
use crate::model::lexicon::{Form, RuleValue};
use crate::registry::Registry;

use super::guard::Taker;
use super::texts::{Demand, UNHEARD};

/// What a text says of one signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// Nothing.
    Nothing,
    /// One whole value, or a list of them.
    Whole,
    /// A value with a missing part.
    Partial,
    /// Two different values.
    Ambiguous,
}

/// What a text says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// The trigger forms whose words it holds.
    pub forms: Vec<usize>,
    /// By signal of the lexicon.
    pub signals: Vec<Says>,
    /// The command that it begins with.
    pub command: Option<usize>,
}

/// What a text says.
#[must_use]
pub fn hear(registry: &Registry, text: &str) -> Heard {
    let pack = registry.pack();
    let mut normalised = Normalised::default();
    normalised.set(text);
    let mut scan = crate::lexicon::Scan::default();
    registry.scan_into(&normalised, &mut Scratch::default(), &mut scan);
    let mut forms: Vec<usize> = scan.fired.iter().map(|fired| fired.trigger).collect();
    forms.dedup();
    let mut signals = vec![Says::Nothing; pack.lexicon.signals.len()];
    for (at, says) in signals.iter_mut().enumerate() {
        let of = scan.signals.iter().filter(|occurrence| occurrence.signal == at);
        let meanings: Vec<Meaning> = of.filter_map(|occurrence| meaning(pack, occurrence)).collect();
        *says = match resolve(pack.lexicon.signals[at].many, &meanings) {
            Resolved::Nothing => Says::Nothing,
            Resolved::One(at) if matches!(meanings[at], Meaning::Partial(_)) => Says::Partial,
            Resolved::One(_) | Resolved::All(_) => Says::Whole,
            Resolved::Ambiguous(_) => Says::Ambiguous,
        };
    }
    Heard { forms, signals, command: scan.command.map(|(command, _)| command) }
}

impl Heard {
    /// Whether a text that says this does what is asked.
    #[must_use]
    pub fn meets(&self, demand: &Demand) -> bool {
        self.command == demand.command
            && demand.matched.iter().all(|form| self.forms.contains(form))
            && !demand.unmatched.iter().any(|form| self.forms.contains(form))
            && demand.unsaid.iter().all(|signal| self.signals[*signal] == Says::Nothing)
            && demand.ambiguous.iter().all(|signal| self.signals[*signal] == Says::Ambiguous)
            && demand.partial.iter().all(|signal| self.signals[*signal] == Says::Partial)
    }
}

/// How many texts are tried.
const MOST_TRIES: usize = 200;
/// How many ways to say a part of a value are tried.
const WAYS_OF_PART: usize = 4;
/// How many ways to say one thing are tried.
const MOST_WAYS: usize = 12;

/// A text that does what is asked, out of examples, phrases and words of the lexicon as they are written; a word that nobody
/// knows, at either end, keeps forms from matching that nothing else may stand beside.
#[must_use]
pub fn simple(registry: &Registry, demand: &Demand) -> Option<String> {
    let meets = |text: &String| hear(registry, text).meets(demand);
    let tries = tries(registry, demand);
    let beside = |text: &String| [format!("{text} {UNHEARD}"), format!("{UNHEARD} {text}")];
    let found = tries.iter().find(|text| meets(text)).cloned();
    found.or_else(|| tries.iter().filter(|_| !demand.unmatched.is_empty()).flat_map(beside).find(meets))
}

/// Up to so many texts that do what is asked.
#[must_use]
pub fn several(registry: &Registry, demand: &Demand, most: usize) -> Vec<String> {
    let mut found = Vec::new();
    for text in tries(registry, demand) {
        if found.len() == most {
            break;
        }
        if !found.contains(&text) && hear(registry, &text).meets(demand) {
            found.push(text);
        }
    }
    found
}

/// Texts that say one after the other what is asked.
fn tries(registry: &Registry, demand: &Demand) -> Vec<String> {
    let pack = registry.pack();
    let mut pieces: Vec<Vec<String>> = Vec::new();
    // What begins a text comes first.
    for starts in [true, false] {
        for form in demand.matched.iter().filter(|form| begins(registry, **form) == starts) {
            pieces.push(ways_of_form(registry, *form));
        }
    }
    for signal in &demand.ambiguous {
        let ways = ways_of_signal(pack, *signal, false);
        let pairs = ways.windows(2).map(|pair| format!("{}. {}", pair[0], pair[1]));
        let apart = ways.first().zip(ways.last()).map(|(first, last)| format!("{first}. {last}"));
        pieces.push(apart.into_iter().chain(pairs).collect());
    }
    for signal in &demand.partial {
        pieces.push(ways_of_signal(pack, *signal, true));
    }
    let command = demand.command.and_then(|command| pack.lexicon.commands[command].1.first());
    let total: usize = pieces.iter().fold(1, |total, ways| total.saturating_mul(ways.len()));
    let tries = (0..total.min(MOST_TRIES)).map(|number| {
        let mut rest = number;
        let mut said = Vec::new();
        for ways in &pieces {
            said.push(ways[rest % ways.len()].as_str());
            rest /= ways.len();
        }
        let said = said.join(". ");
        command.map_or(said.clone(), |command| format!("{command} {said}").trim().to_owned())
    });
    tries.collect()
}

/// Texts in words of the pack that may set these off, the shortest first.
#[must_use]
pub fn natural(registry: &Registry, takers: &[Taker]) -> Vec<String> {
    let pack = registry.pack();
    let mut pieces: Vec<Vec<String>> = Vec::new();
    for taker in takers {
        let Taker::Trigger(class, at) = taker else { continue };
        let trigger = &pack.classes[class.index()].triggers[*at];
        let mut ways: Vec<String> = trigger.examples.iter().map(|(text, _)| text.clone()).collect();
        for (alternative, declared) in trigger.any.iter().enumerate() {
            let signal = |input| pack.signal_inputs.iter().position(|of| *of == input);
            match &declared.by {
                By::Words(_) => {
                    let of = (*class, *at, alternative);
                    let form = registry.forms.iter().position(|form| *form == of);
                    ways.extend(form.into_iter().flat_map(|form| ways_of_form(registry, form)));
                }
                By::Signal { input, .. } => {
                    ways.extend(signal(*input).into_iter().flat_map(|signal| spoken_signal(registry, signal)));
                }
                By::Ambiguous(input) => {
                    let said = signal(*input).map_or_else(Vec::new, |signal| spoken_signal(registry, signal));
                    ways.extend(said.windows(2).map(|pair| format!("{}. {}", pair[0], pair[1])));
                }
            }
        }
        shortest_first(&mut ways);
        pieces.push(ways);
    }
    let mut found: Vec<String> = pieces.concat();
    for (at, one) in pieces.iter().enumerate() {
        for (before, other) in pieces.iter().enumerate().filter(|(before, _)| *before != at) {
            let few = MOST_TRIES / pieces.len() / MOST_WAYS;
            for one in one.iter().take(MOST_WAYS) {
                for other in other.iter().take(few) {
                    found.extend(joined(other, one));
                    found.push(format!("{one} {other}"));
                    if before < at {
                        found.push(format!("{other}. {one}"));
                    }
                }
            }
        }
    }
    shortest_first(&mut found);
    found
}

/// Two texts as one where the first ends in the words with which the second begins.
fn joined(first: &str, second: &str) -> Option<String> {
    let (first, second): (Vec<&str>, Vec<&str>) = (first.split(' ').collect(), second.split(' ').collect());
    let shared = (1..first.len().min(second.len())).rev().find(|count| first.ends_with(&second[..*count]))?;
    Some([&first[..], &second[shared..]].concat().join(" "))
}

fn shortest_first(texts: &mut Vec<String>) {
    texts.sort_by_cached_key(|text| (text.split_whitespace().count(), text.chars().count(), text.clone()));
    texts.dedup();
}

/// Ways to say a signal as a whole.
#[must_use]
pub fn spoken_signal(registry: &Registry, signal: usize) -> Vec<String> {
    ways_of_signal(registry.pack(), signal, false)
}

fn begins(registry: &Registry, form: usize) -> bool {
    let (class, trigger, alternative) = registry.forms[form];
    match &registry.pack().classes[class.index()].triggers[trigger].any[alternative].by {
        By::Words(words) => words.starts || words.whole,
        By::Signal { .. } | By::Ambiguous(_) => false,
    }
}

fn ways_of_form(registry: &Registry, form: usize) -> Vec<String> {
    let pack = registry.pack();
    let (class, trigger, alternative) = registry.forms[form];
    let declared = &pack.classes[class.index()].triggers[trigger];
    let By::Words(words) = &declared.any[alternative].by else { return Vec::new() };
    let mut ways = Vec::new();
    if let Form::Phrase(elems) = &words.form {
        let variants = expand(elems, &pack.lexicon.endings).unwrap_or_default();
        for atoms in variants.iter().take(MOST_WAYS) {
            ways.extend(spoken(pack, atoms));
        }
    }
    let examples = declared.examples.iter().map(|(text, _)| text.clone());
    ways.extend(examples.filter(|text| hear(registry, text).forms.contains(&form)));
    ways
}

/// Ways to say a signal: different values first.
fn ways_of_signal(pack: &Pack, signal: usize, partial: bool) -> Vec<String> {
    let mut ways = Vec::new();
    for rule in &pack.lexicon.signals[signal].rules {
        let Form::Phrase(elems) = &rule.form else { continue };
        let variants = expand(elems, &pack.lexicon.endings).unwrap_or_default();
        let lacks = |atoms: &[Atom]| match &rule.value {
            RuleValue::Template(pieces) => pieces.iter().any(|piece| match piece {
                crate::model::lexicon::Piece::Part(part) => !atoms.contains(&Atom::Part(*part)),
                crate::model::lexicon::Piece::Text(_) => false,
            }),
            RuleValue::Const(_) | RuleValue::Matched => false,
        };
        let found = variants.iter().filter(|atoms| lacks(atoms) == partial);
        ways.extend(found.take(1).flat_map(|atoms| spoken(pack, atoms)));
        if ways.len() > MOST_WAYS {
            break;
        }
    }
    ways
}

/// A sequence of words and slots, spoken: each slot by the first way to say it, then by the second, and so on.
fn spoken(pack: &Pack, atoms: &[Atom]) -> Vec<String> {
    let mut found = Vec::new();
    for nth in 0..WAYS_OF_PART {
        let words: Option<Vec<String>> = atoms
            .iter()
            .map(|atom| match atom {
                Atom::Word(word) => Some(word.to_string()),
                Atom::Part(part) => pack.lexicon.parts[*part]
                    .rules
                    .iter()
                    .filter_map(|rule| match &rule.form {
                        Form::Phrase(elems) => {
                            let variants = expand(elems, &pack.lexicon.endings)?;
                            spoken(pack, variants.first()?).into_iter().next()
                        }
                        Form::Pattern(_) => None,
                    })
                    .nth(nth),
                Atom::Signal(signal) => {
                    let ways = ways_of_signal(pack, *signal, false);
                    ways.get(nth).or_else(|| ways.first()).cloned()
                }
            })
            .collect();
        found.extend(words.map(|words| words.join(" ")));
    }
    found.dedup();
    found
}
