//! Texts of an answer that the lexicon reads, each as what was asked for under its key.

use std::collections::BTreeMap;

use segue::model::cond::Place;
use segue::model::json::{parse_text, scalar_text, set_of};
use segue::model::names::Sym;
use segue::model::period::Period;
use segue::model::schema::Type;
use segue::model::value::Value;
use segue::model::{Component, Pack, Reading};

use super::Facts;
use super::recognise::{Said, complete, read};
use super::text::tokens;
use super::view::Outcome;

/// Reads the texts of an answer; an error where more keys are unread than may be.
pub fn read_answer(
    pack: &Pack,
    facts: &Facts,
    reading: &Reading,
    sent: &[(Sym, Value)],
    outcome: &mut Outcome,
) -> Result<(), String> {
    let Some(Value::Map(texts)) = outcome.fields.get(&reading.values).cloned() else { return Ok(()) };
    let mut expected: BTreeMap<Value, usize> = BTreeMap::new();
    for (name, value) in sent {
        let Value::List(items) = value else { continue };
        for item in items.iter().rev().filter(|_| *name == reading.asked) {
            let Value::Record(record) = item else { continue };
            let by = reading.by.iter().find(|(word, _)| word == record.field(reading.expects));
            match by {
                Some((_, signal)) => expected.insert(record.field(reading.id).clone(), *signal),
                None => expected.remove(record.field(reading.id)),
            };
        }
    }
    let mut unread = match outcome.fields.get(&reading.unread) {
        Some(Value::List(keys)) => keys.to_vec(),
        _ => vec![],
    };
    let before = unread.len();
    let mut kept = Vec::new();
    for (key, text) in texts.iter() {
        let Some(signal) = expected.get(key) else {
            kept.push((key.clone(), text.clone()));
            continue;
        };
        match value(pack, facts, *signal, &scalar_text(&pack.names, text)) {
            Some(value) => kept.push((key.clone(), Value::text(&scalar_text(&pack.names, &value)))),
            None if unread.contains(key) => {}
            None => unread.push(key.clone()),
        }
    }
    outcome.fields.insert(reading.values, Value::Map(kept.into()));
    if unread.len() > before {
        let most = match pack.outcomes[reading.unread.index()].ty {
            Type::Set { max, .. } | Type::List { max, .. } => max as usize,
            _ => return Err("no collection".into()),
        };
        if matches!(pack.outcomes[reading.unread.index()].ty, Type::Set { .. }) {
            unread = set_of(unread);
        }
        if unread.len() > most {
            return Err("too many are unread".into());
        }
        outcome.fields.insert(reading.unread, Value::List(unread.into()));
    }
    Ok(())
}

/// The one value that a text is as a whole.
fn value(pack: &Pack, facts: &Facts, signal: usize, text: &str) -> Option<Value> {
    let input = pack.signal_inputs[signal];
    let ty = &pack.inputs[input.index()].ty;
    if let Some(value) = parse_text(pack, ty, text) {
        return Some(value);
    }
    let given = read(pack, Some(text), &[]);
    if given.tokens.len() != tokens(text).len() {
        // It begins with a command.
        return None;
    }
    let of_it = |at: usize| given.occurrences.iter().any(|o| o.signal == signal && (o.start..o.end).contains(&at));
    let says_more = (0..given.tokens.len()).any(|at| !given.fillers[at] && given.tokens[at].word != "." && !of_it(at));
    if says_more || given.ambiguous.contains_key(&input) {
        return None;
    }
    match given.partial.get(&input) {
        Some(Said::Partial(pieces)) => {
            let filled: Option<Vec<String>> = pieces
                .iter()
                .map(|piece| match piece {
                    Ok(text) => Some(text.clone()),
                    Err(part) => today(pack, facts, input, *part),
                })
                .collect();
            parse_text(pack, ty, &complete(&filled?.into_iter().map(Ok).collect::<Vec<_>>())?)
        }
        _ => given.values.get(&input).cloned(),
    }
}

/// A missing part, where it may be taken of today: nothing else is seen.
fn today(pack: &Pack, facts: &Facts, input: segue::model::ids::InputId, part: usize) -> Option<String> {
    let completion = pack.completions.iter().find(|of| of.input == input && of.part == part)?;
    completion.from.iter().find(|path| path.place == Place::EnvToday)?;
    let (_, last) = Period::Day(facts.today).interval(facts.today, &pack.relative)?;
    Some(match completion.component {
        Component::Year => format!("{:04}", last.year()),
        Component::Month => format!("{:02}", last.month()),
    })
}
