//! What recognised words stand for: a value of the signal's type, a part of one, or nothing the type can read.

use crate::model::Pack;
use crate::model::json::parse_text;
use crate::model::lexicon::{Many, Piece, RuleValue};
use crate::model::value::Value;

use super::matcher::{Occurrence, Recognised};

/// What one occurrence in a text stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meaning {
    /// A whole value.
    Value(Value),
    /// A value with a missing part ("March" without a year), piece by piece of its template.
    Partial(Vec<PartialPiece>),
}

/// A piece of a partial value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartialPiece {
    /// Text that is there.
    Known(String),
    /// A part that the words did not say, an index into the lexicon's parts.
    Missing(usize),
}

/// What the occurrences of one signal come to. Numbers are positions among the meanings that were given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// Nothing was said.
    Nothing,
    /// One thing was said.
    One(usize),
    /// Each different thing that was said, in text order.
    All(Vec<usize>),
    /// Different things were said, and only one can be meant; each of them, in text order.
    Ambiguous(Vec<usize>),
}

/// What an occurrence stands for; `None` when its text is no value of the signal's type (month 13, 31 April 2020). A partial
/// value is never refused here: which value it becomes depends on who completes it.
#[must_use]
pub fn meaning(pack: &Pack, occurrence: &Occurrence) -> Option<Meaning> {
    let signal = pack.lexicon.signals.get(occurrence.signal)?;
    let ty = &pack.inputs[pack.signal_inputs[occurrence.signal].index()].ty;
    let ty = if signal.many == Many::All { ty.item().unwrap_or(ty) } else { ty };
    match (&occurrence.value, &signal.rules.get(occurrence.rule)?.value) {
        (Recognised::Const, RuleValue::Const(value)) => Some(Meaning::Value(value.clone())),
        (Recognised::Matched(text), _) => parse_text(pack, ty, text).map(Meaning::Value),
        (Recognised::Template(parts), RuleValue::Template(template)) => {
            let mut parts = parts.iter();
            let pieces: Vec<PartialPiece> = template
                .iter()
                .map(|piece| match piece {
                    Piece::Text(text) => PartialPiece::Known(text.clone()),
                    Piece::Part(part) => match parts.next() {
                        Some(Some(text)) => PartialPiece::Known(text.to_string()),
                        _ => PartialPiece::Missing(*part),
                    },
                })
                .collect();
            if pieces.iter().any(|piece| matches!(piece, PartialPiece::Missing(_))) {
                return Some(Meaning::Partial(pieces));
            }
            parse_text(pack, ty, &shown(pack, &pieces)).map(Meaning::Value)
        }
        _ => None,
    }
}

/// A partial value as text, with its missing parts in braces: `{year}-03`.
#[must_use]
pub fn shown(pack: &Pack, pieces: &[PartialPiece]) -> String {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            PartialPiece::Known(known) => text.push_str(known),
            PartialPiece::Missing(part) => {
                text.push('{');
                text.push_str(&pack.lexicon.parts[*part].name);
                text.push('}');
            }
        }
    }
    text
}

/// What the occurrences of one signal come to, by its `many`. Meanings stand in text order.
#[must_use]
pub fn resolve(many: Many, meanings: &[Meaning]) -> Resolved {
    if meanings.is_empty() {
        return Resolved::Nothing;
    }
    match many {
        Many::First => Resolved::One(0),
        Many::Last => Resolved::One(meanings.len() - 1),
        Many::All | Many::Ambiguous => {
            let different: Vec<usize> =
                (0..meanings.len()).filter(|at| !meanings[..*at].contains(&meanings[*at])).collect();
            match (many, different.len()) {
                (Many::All, _) => Resolved::All(different),
                (_, 1) => Resolved::One(0),
                _ => Resolved::Ambiguous(different),
            }
        }
    }
}
