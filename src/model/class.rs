//! Transition classes: the unit of the registry (S3 "Transition Model", "Transition Invariants").

use crate::source::Span;

use super::cond::{Cond, Path};
use super::effect::{Effect, Expr};
use super::ids::{EventId, FrameId, FrameSet, InputId, ModeId, PortId, Slot, SlotSet};
use super::lexicon::TriggerForm;
use super::names::Sym;
use super::value::Value;

/// A transition class with every part that S3 demands.
#[derive(Debug, Clone)]
pub struct Class {
    /// Its id (`T2`).
    pub id: Sym,
    /// Its name (`root_followup_scope_change`).
    pub name: String,
    /// Its title for people.
    pub title: String,
    /// What it is for.
    pub doc: String,
    /// The sub-state that owns it \[state owner\].
    pub owner: Sym,
    /// Frames of other owners that it writes.
    pub touches: FrameSet,
    /// Names that precedence chains may use for it besides its id.
    pub groups: Vec<Sym>,
    /// What sets it off.
    pub triggers: Vec<Trigger>,
    /// Which instances of keyed frames it reaches when it takes an input, each by a value that is a key.
    pub bind: Vec<(FrameId, Expr)>,
    /// What the frames must be \[required prior state\].
    pub requires: Cond,
    /// The boundary's reason when a trigger matched and `requires` failed.
    pub unmet: Option<Sym>,
    /// Where that is written.
    pub unmet_span: Option<Span>,
    /// What must hold, input included \[entry condition\].
    pub entry: Cond,
    /// What survives and what may be read \[allowed carryover depth, forbidden carryover, must preserve\].
    pub carry: Carry,
    /// What becomes of each frame the manifest lists under `decide`.
    pub fate: Vec<(FrameId, Fate)>,
    /// Said values that the class leaves unread on purpose.
    pub ignores: Vec<InputId>,
    /// What it changes \[state mutations\].
    pub effects: Vec<Effect>,
    /// What it makes of the outcomes of its calls.
    pub settle: Vec<Settle>,
    /// What kind of answer is admissible \[expected answer mode\].
    pub answer: Answer,
    /// Where its answer is written.
    pub answer_span: Span,
    /// What must not be \[must not\]: one forbidden conjunction each.
    pub never: Vec<(Cond, Span)>,
    /// Frames of the declared depth that `requires`, `entry`, `preserve` or a plain `$` names: when the gate cuts one of
    /// them the class is ruled out with `carryover_blocked`.
    pub needs: FrameSet,
    /// The inputs that the class reads anywhere: a said value that it neither reads nor ignores is `unused_signal`.
    pub reads: Vec<InputId>,
    /// Where frames are named under `depth`, `keep`, `forbid` and `touches`, each with the key.
    pub named: Vec<(&'static str, FrameId, Span)>,
    /// Where the class begins.
    pub span: Span,
}

impl Class {
    /// Where a key (`depth`, `keep`, `forbid`, `touches`) names a frame; the class where it does not.
    #[must_use]
    pub fn names(&self, key: &str, frame: FrameId) -> Span {
        let named = self.named.iter().find(|(of, named, _)| *of == key && *named == frame);
        named.map_or(self.span, |(_, _, span)| *span)
    }
}

/// What sets a class off.
#[derive(Debug, Clone)]
pub struct Trigger {
    /// On what.
    pub on: On,
    /// Alternatives, one of which must match; empty = the event alone is enough.
    pub any: Vec<Alternative>,
    /// Adds to the class's `requires`.
    pub requires: Cond,
    /// Adds to the class's `entry`.
    pub entry: Cond,
    /// What the boundary says when this trigger of its own fired.
    pub reason: Option<Sym>,
    /// Utterances that must match.
    pub examples: Vec<(String, Span)>,
    /// Utterances that must not.
    pub counterexamples: Vec<(String, Span)>,
    /// Where it is written.
    pub span: Span,
}

/// The event of a trigger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// An input event of the pack.
    Event(EventId),
    /// The outcome of a call, of one port or of any.
    Outcome {
        /// The port; `None` = any.
        port: Option<PortId>,
        /// `PORT.ok` is true, `PORT.failed` (failed, timeout or cancelled) is false; `None` = both.
        ok: Option<bool>,
        /// What the step starts from.
        base: Base,
    },
    /// What no other class takes.
    Boundary,
}

/// What an outcome step starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// The state after the select step.
    Selected,
    /// The state before the turn.
    Before,
}

/// One alternative of a trigger.
#[derive(Debug, Clone)]
pub struct Alternative {
    /// What must be there.
    pub by: By,
    /// Its name, readable as `input.tag`.
    pub tag: Option<Sym>,
    /// Signals it sets when it matches; a signal of the host or of the text wins.
    pub sets: Vec<(InputId, Value)>,
    /// Where it is written.
    pub span: Span,
}

/// What an alternative looks at.
#[derive(Debug, Clone)]
pub enum By {
    /// The words of the text.
    Words(TriggerForm),
    /// A signal that is there, and where values are given has one of them (for a list or set: holds one of them).
    Signal {
        /// Which signal or payload field.
        input: InputId,
        /// The values; empty = any.
        is: Vec<Value>,
    },
    /// A signal that is ambiguous: the text gives two values.
    Ambiguous(InputId),
}

/// Carryover of a class.
#[derive(Debug, Clone)]
pub struct Carry {
    /// The name of the depth; `None` in a pack without a carryover universe.
    pub depth: Option<Sym>,
    /// The frames of the declared depth, forbidden ones taken out.
    pub frames: FrameSet,
    /// Frames that survive unread and are not cut by the gate.
    pub keep: FrameSet,
    /// Frames that must not survive.
    pub forbid: FrameSet,
    /// Fields that must not survive.
    pub forbid_fields: Vec<Slot>,
    /// With `fields`: what is carried of carried frames; `None` = all of it.
    pub fields: Option<SlotSet>,
    /// What must stay as it was.
    pub preserve: Vec<Preserve>,
}

/// A frame or a field that must be the same before and after the step.
#[derive(Debug, Clone)]
pub struct Preserve {
    /// The fields.
    pub slots: Vec<Slot>,
    /// Unless this holds.
    pub unless: Option<Cond>,
    /// With `equals`: it must equal this afterwards, instead of itself before.
    pub equals: Option<Path>,
    /// Where it is written.
    pub span: Span,
}

/// What becomes of a frame that each class must decide about (a pending clarification).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It stays; effects may write it, not read it.
    Keep,
    /// It is reset before `do`.
    Clear,
    /// Effects may read it and write it.
    Use,
}

/// What a class makes of an outcome.
#[derive(Debug, Clone)]
pub struct Settle {
    /// The `id` of the call.
    pub on: Sym,
    /// Which outcomes it takes.
    pub when: Cond,
    /// What it changes.
    pub effects: Vec<Effect>,
    /// Where it is written.
    pub span: Span,
}

/// A row of an answer: when it holds, the mode, and where it is written.
pub type AnswerRow = (Cond, ModeId, Span);

/// The answer mode of a class.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Always this one.
    Mode(ModeId),
    /// By the value of a field after the step.
    By {
        /// The field.
        slot: Slot,
        /// A mode for each value.
        rows: Vec<(Value, ModeId)>,
        /// Where it is written.
        span: Span,
    },
    /// The one row that holds after the step.
    Rows(Vec<AnswerRow>),
}
