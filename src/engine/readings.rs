//! Texts of an answer that the lexicon reads, each as what the request has asked for under its key.

use crate::lexicon::{MAX_TEXT, Meaning, Normalised, Occurrence, Resolved, Scan, Scratch, meaning, resolve};
use crate::model::Reading;
use crate::model::ids::FrameSet;
use crate::model::json::{parse_text, scalar_text, set_of};
use crate::model::names::Sym;
use crate::model::schema::Type;
use crate::model::value::Value;

use super::eval::{Readable, View};
use super::recognise::complete;

/// What became of a text that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadText {
    /// Its key.
    pub key: Value,
    /// The text.
    pub said: Value,
    /// The value as text; `None` = it is no such value, and its key was put with the unread ones.
    pub value: Option<Value>,
}

/// Reads the texts of an answer in place. `None` when more keys are unread than their field may hold. What is read as it stands is not told.
pub(super) fn read(
    view: &View<'_>,
    reading: &Reading,
    sent: &[(Sym, Value)],
    answer: &mut [Value],
) -> Option<Vec<ReadText>> {
    let Value::Map(texts) = &answer[reading.values.index()] else { return Some(Vec::new()) };
    let asked = sent.iter().find(|(name, _)| *name == reading.asked).map(|(_, value)| value);
    let asked: &[Value] = match asked {
        Some(Value::List(asked)) => asked,
        _ => &[],
    };
    let (mut kept, mut unread, mut told) = (Vec::new(), Vec::new(), Vec::new());
    for (key, said) in texts.iter() {
        let Some(signal) = signal(reading, asked, key) else {
            kept.push((key.clone(), said.clone()));
            continue;
        };
        let value = match said {
            Value::Text(text) => whole(view, signal, text).map(|value| text_of(view, &value)),
            _ => None,
        };
        match &value {
            Some(value) => kept.push((key.clone(), value.clone())),
            None => unread.push(key.clone()),
        }
        if value.as_ref() != Some(said) {
            told.push(ReadText { key: key.clone(), said: said.clone(), value });
        }
    }
    let pack = view.registry.pack();
    if !unread.is_empty() {
        let at = reading.unread.index();
        let mut keys = match &answer[at] {
            Value::List(keys) => keys.to_vec(),
            _ => Vec::new(),
        };
        unread.retain(|key| !keys.contains(key));
        keys.extend(unread);
        let max = match &pack.outcomes[at].ty {
            Type::Set { max, .. } => {
                keys = set_of(keys);
                *max
            }
            Type::List { max, .. } => *max,
            _ => u32::MAX,
        };
        if keys.len() > max as usize {
            return None;
        }
        answer[at] = Value::List(keys.into());
    }
    answer[reading.values.index()] = Value::Map(kept.into());
    Some(told)
}

/// The signal that reads what was asked for under a key.
fn signal(reading: &Reading, asked: &[Value], key: &Value) -> Option<usize> {
    let record = asked.iter().find_map(|item| match item {
        Value::Record(record) if record.field(reading.id) == key => Some(record),
        _ => None,
    })?;
    let word = record.field(reading.expects);
    reading.by.iter().find(|(known, _)| known == word).map(|(_, signal)| *signal)
}

/// The value that a text as a whole is, for a signal: a value written out, or words for one beside which nothing but fillers stands.
fn whole(view: &View<'_>, signal: usize, text: &str) -> Option<Value> {
    let registry = view.registry;
    let pack = registry.pack();
    let input = pack.signal_inputs[signal];
    if let Some(value) = parse_text(pack, &pack.inputs[input.index()].ty, text) {
        return Some(value);
    }
    if text.len() > MAX_TEXT {
        return None;
    }
    let (mut normalised, mut scratch, mut scan) = (Normalised::default(), Scratch::default(), Scan::default());
    normalised.set(text);
    registry.scan_into(&normalised, &mut scratch, &mut scan);
    if !registry.says_only(&normalised, &scratch, &scan, signal) {
        return None;
    }
    let said = scan.signals.iter().filter(|said: &&Occurrence| said.signal == signal);
    let mut meanings: Vec<Meaning> = said.filter_map(|said| meaning(pack, said)).collect();
    match resolve(pack.lexicon.signals[signal].many, &meanings) {
        Resolved::One(at) => match meanings.swap_remove(at) {
            Meaning::Value(value) => Some(value),
            Meaning::Partial(pieces) => complete(&of_nobody(view), input, &pieces),
        },
        Resolved::Nothing | Resolved::All(_) | Resolved::Ambiguous(_) => None,
    }
}

/// What is seen by nobody in particular: the environment alone.
fn of_nobody<'v>(view: &View<'v>) -> View<'v> {
    let none = Readable { frames: FrameSet::EMPTY, fields: None, forbidden: &[], universe: FrameSet::EMPTY, own: None };
    View { readable: Some(none), ..*view }
}

fn text_of(view: &View<'_>, value: &Value) -> Value {
    Value::text(&scalar_text(&view.registry.pack().names, value))
}
