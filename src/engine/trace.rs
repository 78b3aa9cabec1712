//! The full trace of a step: what was recognised, each candidate, and the first thing that ruled it out.

use smol_str::SmolStr;

use crate::model::Pack;
use crate::model::class::Class;
use crate::model::cond::{Cond, Path};
use crate::model::ids::{ClassId, FrameId, FrameSet, InputId};
use crate::model::value::Value;
use crate::source::Span;
use crate::state::bound;

use super::eval::View;
use super::truth::Truth;

/// The full trace of a step.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// The normalised text, as it was matched.
    pub text: Option<String>,
    /// Signals with their values, given by the host or found in the text.
    pub said: Vec<Said>,
    /// Each class that listens to the event, strongest first.
    pub candidates: Vec<Candidate>,
}

/// A signal of the event.
#[derive(Debug, Clone)]
pub struct Said {
    /// Which input.
    pub input: InputId,
    /// Its value; of a partial value its text with the missing parts in braces, of an ambiguous signal the list of what was said.
    pub value: Value,
    /// Where in the original text, in bytes; `None` when the host gave it.
    pub span: Option<(u32, u32)>,
    /// Whether a value of the host was preferred to it.
    pub overruled: bool,
    /// Whether the text gave two values.
    pub ambiguous: bool,
    /// Whether a part of it is missing.
    pub partial: bool,
}

/// A class that listens to the event.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The class.
    pub class: ClassId,
    /// Which of its triggers the verdict is about.
    pub trigger: usize,
    /// The alternatives of that trigger that matched.
    pub matched: Vec<usize>,
    /// The settle row, when the verdict is about one.
    pub row: Option<usize>,
    /// What became of it.
    pub verdict: Verdict,
    /// Every leaf of its guard, with what it came to.
    pub leaves: Vec<Leaf>,
    /// Derived signals as they stood for it.
    pub derived: Vec<(InputId, Value)>,
    /// The instances of keyed frames that are bound for it.
    pub bound: Vec<Bound>,
}

/// An instance of a keyed frame that is bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// The frame.
    pub frame: FrameId,
    /// The key of the instance.
    pub key: SmolStr,
    /// Whether it is open.
    pub open: bool,
}

impl Bound {
    /// All that are bound in some fields.
    pub(super) fn all(pack: &Pack, slots: &[Value]) -> Vec<Self> {
        let each = pack.keyed.iter().filter_map(|frame| {
            let (key, open) = bound(pack, *frame, slots)?;
            Some(Self { frame: *frame, key: key.clone(), open })
        });
        each.collect()
    }
}

/// What became of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// It took the event.
    Chosen,
    /// No alternative of its triggers matched.
    NotTriggered,
    /// A required prior state is not there.
    Requires,
    /// The gate cuts these frames, which it needs.
    CarryoverBlocked(FrameSet),
    /// The entry condition, or the row's `when`, does not hold.
    Entry,
    /// Another class precedes it.
    Outranked(ClassId),
    /// Another class could take the event as well, and no precedence orders the two.
    Unordered(ClassId),
    /// It was chosen, but the step would have broken what it promises.
    Refused,
}

/// One test of a guard.
#[derive(Debug, Clone)]
pub struct Leaf {
    /// Where it is written.
    pub span: Span,
    /// What was tested.
    pub path: Path,
    /// What it was.
    pub actual: Value,
    /// What it had to equal, when that is a value known only now.
    pub other: Option<Value>,
    /// Whether it passed.
    pub passed: bool,
    /// Whether it was unknown: the value was absent.
    pub unknown: bool,
    /// Whether it stands under `not`, so that it had to fail.
    pub negated: bool,
}

/// The leaves of a condition, in the order written.
pub fn leaves<'a>(view: &View<'a>, cond: &'a Cond, negated: bool, out: &mut Vec<Leaf>) {
    match cond {
        Cond::All(of) | Cond::Any(of) => of.iter().for_each(|cond| leaves(view, cond, negated, out)),
        Cond::Not(cond) => leaves(view, cond, !negated, out),
        Cond::Test { path, op, span, .. } => {
            use crate::model::cond::{Op, Operand};
            let truth = view.test(cond);
            let other = match op {
                Op::Eq(Operand::Path(other)) | Op::Differs(Operand::Path(other)) => Some(view.get(other).into_owned()),
                _ => None,
            };
            out.push(Leaf {
                span: *span,
                path: path.clone(),
                actual: view.get(path).into_owned(),
                other,
                passed: if negated { truth == Truth::False } else { truth == Truth::True },
                unknown: truth == Truth::Unknown,
                negated,
            });
        }
    }
}

/// All leaves of the guard of one trigger of a class.
pub fn guard_leaves<'a>(view: &View<'a>, class: &'a Class, trigger: usize) -> Vec<Leaf> {
    let mut out = Vec::new();
    let trigger = &class.triggers[trigger];
    for cond in [&class.requires, &trigger.requires, &class.entry, &trigger.entry] {
        leaves(view, cond, false, &mut out);
    }
    out
}
