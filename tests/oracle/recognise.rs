//! What a text says: values of signals, the command it begins with, and which alternatives of triggers match its words.

use std::collections::{BTreeMap, BTreeSet};

use segue::model::ids::InputId;
use segue::model::json::parse_text;
use segue::model::lexicon::{Form, Many, Piece, RuleValue, Slot, TriggerForm};
use segue::model::value::Value;
use segue::model::{InputKind, Pack};

use super::phrase::{Match, matches};
use super::text::{Token, tokens};

/// A value as the text says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// Said whole.
    Whole(Value),
    /// Said in part: the pieces of a template, `Err` for a part that is missing.
    Partial(Vec<Result<String, usize>>),
}

/// What an event gives before any candidate is looked at.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// Values that are there for every candidate.
    pub values: BTreeMap<InputId, Value>,
    /// Signals of which the text gave two values, with these in text order.
    pub ambiguous: BTreeMap<InputId, Vec<Said>>,
    /// Signals of which the text gave a part, with what it gave.
    pub partial: BTreeMap<InputId, Said>,
    /// Signals that were said, by the text or by the host.
    pub said: BTreeSet<InputId>,
    /// The tokens that triggers look at.
    pub tokens: Vec<Token>,
    /// For each token whether it belongs to a filler.
    pub fillers: Vec<bool>,
    /// Recognised values in these tokens.
    pub occurrences: Vec<Occurrence>,
}

/// A value of a signal at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    pub signal: usize,
    pub start: usize,
    pub end: usize,
    pub said: Said,
}

/// An occurrence before its value is read: `None` for what the signal's type cannot read.
struct Raw {
    start: usize,
    end: usize,
    said: Option<Said>,
    /// What tells two values of the same words apart.
    tells: String,
}

/// Reads an event: payload, host signals, text.
pub fn read(pack: &Pack, text: Option<&str>, fields: &[(InputId, Value)]) -> Given {
    let mut given = Given::default();
    if let Some(text) = text {
        read_text(pack, text, &mut given);
    }
    // What the host gives wins over what the text gives.
    for (input, value) in fields {
        given.ambiguous.remove(input);
        given.partial.remove(input);
        given.values.insert(*input, value.clone());
        if pack.inputs[input.index()].kind == InputKind::Signal {
            given.said.insert(*input);
        }
    }
    given
}

fn read_text(pack: &Pack, text: &str, given: &mut Given) {
    let (command, rest) = command(pack, text);
    if let Some(name) = command {
        set_kind(pack, given, "command", Value::Sym(name));
        set_kind(pack, given, "command_rest", Value::text(rest));
    }
    given.tokens = tokens(rest);
    given.fillers = fillers(pack, &given.tokens);
    given.occurrences = occurrences(pack, rest, &given.tokens);
    for (signal, declared) in pack.lexicon.signals.iter().enumerate() {
        let input = pack.signal_inputs[signal];
        let mut said: Vec<Said> = Vec::new();
        for occurrence in given.occurrences.iter().filter(|occurrence| occurrence.signal == signal) {
            // Said again it is no second value; it is the last one.
            if declared.many == Many::Last {
                said.retain(|earlier| *earlier != occurrence.said);
            }
            if !said.contains(&occurrence.said) {
                said.push(occurrence.said.clone());
            }
        }
        if said.is_empty() {
            continue;
        }
        given.said.insert(input);
        match declared.many {
            Many::Ambiguous if said.len() > 1 => {
                given.ambiguous.insert(input, said);
                continue;
            }
            Many::Ambiguous | Many::All => {}
            Many::First => said.truncate(1),
            Many::Last => drop(said.drain(..said.len() - 1)),
        }
        let partial = said.iter().find(|said| matches!(said, Said::Partial(_)));
        if let Some(partial) = partial {
            given.partial.insert(input, partial.clone());
        } else {
            let ty = &pack.inputs[input.index()].ty;
            let values = said.into_iter().filter_map(|said| match said {
                Said::Whole(value) => Some(value),
                Said::Partial(_) => None,
            });
            given.values.insert(input, together(ty, values.collect()));
        }
    }
}

/// The values of a signal as one value of its type.
pub fn together(ty: &segue::model::schema::Type, mut values: Vec<Value>) -> Value {
    use segue::model::schema::Type;
    match ty {
        Type::Set { .. } => Value::List(segue::model::json::set_of(values).into()),
        Type::List { .. } => Value::List(values.into()),
        _ => {
            if values.is_empty() {
                Value::Absent
            } else {
                values.swap_remove(0)
            }
        }
    }
}

fn set_kind(pack: &Pack, given: &mut Given, name: &str, value: Value) {
    let input =
        pack.inputs.iter().position(|input| input.kind == InputKind::Command && pack.names.text(input.name) == name);
    if let Some(input) = input {
        given.values.insert(InputId::at(input), value);
    }
}

/// The command that the text begins with, and the text after it.
fn command<'t>(pack: &Pack, text: &'t str) -> (Option<segue::model::names::Sym>, &'t str) {
    let all = tokens(text);
    let mut best: Option<(usize, segue::model::names::Sym)> = None;
    for (name, spellings) in &pack.lexicon.commands {
        for spelling in spellings {
            let words: Vec<&str> = spelling.split(' ').collect();
            let fits = all.len() >= words.len() && words.iter().zip(&all).all(|(word, token)| *word == token.word);
            if fits && best.is_none_or(|(longest, _)| words.len() > longest) {
                best = Some((words.len(), *name));
            }
        }
    }
    match best {
        Some((count, name)) => {
            let rest: Vec<char> = text[all[count - 1].end..].chars().collect();
            let parts = |at: usize| match rest[at] {
                ',' | ';' | ':' | '.' | '!' | '?' | '…' | '—' | '–' => true,
                '-' => rest.get(at + 1).is_some_and(|next| next.is_whitespace()),
                c => c.is_whitespace(),
            };
            let skipped = (0..rest.len()).take_while(|at| parts(*at)).count();
            let left: usize = rest[skipped..].iter().map(|c| c.len_utf8()).sum();
            (Some(name), text[text.len() - left..].trim_end())
        }
        None => (None, text),
    }
}

/// The recognised values: of each signal the leftmost, of those that begin together the longest.
fn occurrences(pack: &Pack, text: &str, tokens: &[Token]) -> Vec<Occurrence> {
    let lexicon = &pack.lexicon;
    let parts: Vec<Vec<(usize, usize, String)>> =
        lexicon.parts.iter().map(|part| part_occurrences(pack, part, tokens)).collect();
    let fills = |slot: Slot, at: usize| match slot {
        Slot::Part(part) => {
            parts[part].iter().filter(|(start, ..)| *start == at).map(|(_, end, v)| (*end, v.clone())).collect()
        }
        Slot::Signal(_) => vec![],
    };
    let mut kept = Vec::new();
    for (signal, declared) in lexicon.signals.iter().enumerate() {
        let mut all: Vec<Raw> = Vec::new();
        for rule in &declared.rules {
            for found in matches(&rule.form, &lexicon.endings, tokens, &fills) {
                all.push(occurrence(pack, text, tokens, signal, &rule.value, &found));
            }
        }
        let mut from = 0;
        while let Some(start) = all.iter().map(|o| o.start).filter(|start| *start >= from).min() {
            let end = all.iter().filter(|o| o.start == start).map(|o| o.end).max().expect("one begins here");
            let mut told: Vec<String> = Vec::new();
            for occurrence in all.iter().filter(|o| o.start == start && o.end == end) {
                if !told.contains(&occurrence.tells) {
                    told.push(occurrence.tells.clone());
                    // What cannot be read has kept shorter readings away, and then it is gone.
                    let said = occurrence.said.clone();
                    kept.extend(said.map(|said| Occurrence { signal, start, end, said }));
                }
            }
            from = end;
        }
    }
    kept
}

fn part_occurrences(pack: &Pack, part: &segue::model::lexicon::Part, tokens: &[Token]) -> Vec<(usize, usize, String)> {
    let mut found = Vec::new();
    for rule in &part.rules {
        let no_slots = |_: Slot, _: usize| Vec::<(usize, ())>::new();
        for (start, end, _) in matches(&rule.form, &pack.lexicon.endings, tokens, &no_slots) {
            let value = rule.value.clone().unwrap_or_else(|| words(tokens, start, end));
            found.push((start, end, value));
        }
    }
    found
}

fn words(tokens: &[Token], start: usize, end: usize) -> String {
    tokens[start..end].iter().map(|token| token.word.as_str()).collect::<Vec<_>>().join(" ")
}

fn occurrence(
    pack: &Pack,
    text: &str,
    tokens: &[Token],
    signal: usize,
    value: &RuleValue,
    (start, end, slots): &Match<String>,
) -> Raw {
    let ty = &pack.inputs[pack.signal_inputs[signal].index()].ty;
    let ty = ty.item().unwrap_or(ty);
    let (said, tells) = match value {
        RuleValue::Const(value) => (Some(Said::Whole(value.clone())), format!("{value:?}")),
        RuleValue::Matched => {
            let original = &text[tokens[*start].start..tokens[end - 1].end];
            (parse_text(pack, ty, original).map(Said::Whole), String::new())
        }
        RuleValue::Template(pieces) => {
            let mut mentions: BTreeMap<usize, usize> = BTreeMap::new();
            let filled: Vec<Result<String, usize>> = pieces
                .iter()
                .map(|piece| match piece {
                    Piece::Text(text) => Ok(text.clone()),
                    Piece::Part(part) => {
                        // The n-th mention takes the n-th slot of that part, or the last one.
                        let mention = mentions.entry(*part).or_default();
                        *mention += 1;
                        let of_part: Vec<&String> = slots
                            .iter()
                            .filter(|(slot, _)| *slot == Slot::Part(*part))
                            .map(|(_, value)| value)
                            .collect();
                        let index = (*mention).min(of_part.len());
                        index.checked_sub(1).map(|index| of_part[index].clone()).ok_or(*part)
                    }
                })
                .collect();
            let tells = format!("{filled:?}");
            let said = match complete(&filled) {
                Some(text) => parse_text(pack, ty, &text).map(Said::Whole),
                None => Some(Said::Partial(filled)),
            };
            (said, tells)
        }
    };
    Raw { start: *start, end: *end, said, tells }
}

/// The text of a template of which every part is known.
pub fn complete(pieces: &[Result<String, usize>]) -> Option<String> {
    pieces
        .iter()
        .map(|piece| piece.as_ref().ok().map(String::as_str))
        .collect::<Option<Vec<_>>>()
        .map(|all| all.concat())
}

fn fillers(pack: &Pack, tokens: &[Token]) -> Vec<bool> {
    let no_slots = |_: Slot, _: usize| Vec::<(usize, ())>::new();
    let mut found = vec![false; tokens.len()];
    for elems in &pack.lexicon.fillers {
        for (start, end, _) in matches(&Form::Phrase(elems.clone()), &pack.lexicon.endings, tokens, &no_slots) {
            found[start..end].fill(true);
        }
    }
    found
}

/// How many tokens the longest match of a trigger's words takes; `None` when they do not match.
pub fn longest_match(pack: &Pack, given: &Given, trigger: &TriggerForm) -> Option<usize> {
    let fills = |slot: Slot, at: usize| match slot {
        Slot::Signal(signal) => given
            .occurrences
            .iter()
            .filter(|occurrence| occurrence.signal == signal && occurrence.start == at)
            .map(|occurrence| (occurrence.end, ()))
            .collect(),
        Slot::Part(_) => vec![],
    };
    let tokens = &given.tokens;
    let mut value = vec![false; tokens.len()];
    for occurrence in &given.occurrences {
        value[occurrence.start..occurrence.end].fill(true);
    }
    let skipped = |at: usize| given.fillers[at] || tokens[at].word == ".";
    let found = matches(&trigger.form, &pack.lexicon.endings, tokens, &fills);
    let fitting = found.iter().filter(|(start, end, _)| {
        let outside = (0..*start).chain(*end..tokens.len());
        (!trigger.starts || (0..*start).all(skipped))
            && (!trigger.whole || outside.into_iter().all(|at| skipped(at) || value[at]))
    });
    fitting.map(|(start, end, _)| end - start).max()
}
