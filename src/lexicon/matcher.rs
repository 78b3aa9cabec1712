//! The compiled matcher and what it finds.

use std::ops::Range;
use std::sync::Arc;

use super::automata::Words;
use super::pattern::Pattern;
use super::shape::{Grouped, Shapes};

/// A lexicon and its triggers, compiled: all words in one automaton, patterns behind their literals.
///
/// Made by [`Matcher::compile`], used by [`Matcher::scan`]; immutable and shareable.
#[derive(Debug, Clone)]
pub struct Matcher {
    pub(super) automaton: Option<Arc<Words>>,
    /// By literal of the automaton: of how many whole tokens it is; of no account for a piece of a pattern.
    pub(super) literal_tokens: Vec<u32>,
    /// By literal of the automaton: what it belongs to.
    pub(super) targets: Grouped<Target>,
    pub(super) patterns: Vec<(Arc<Pattern>, Target)>,
    /// Patterns without a literal to look for.
    pub(super) always: Vec<u32>,
    /// How many tokens each run has.
    pub(super) run_tokens: Vec<u32>,
    pub(super) signal_shapes: Shapes,
    pub(super) trigger_shapes: Shapes,
    /// By part and rule: the value, or `None` for the matched text.
    pub(super) parts: Vec<Vec<Option<Arc<str>>>>,
    /// By signal and rule.
    pub(super) rules: Vec<Vec<RuleInfo>>,
    pub(super) triggers: Vec<TriggerInfo>,
    /// Padded spellings and the command they stand for, longest first.
    pub(super) commands: Vec<(String, usize)>,
}

impl Matcher {
    /// The patterns of its rules and triggers.
    pub fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.patterns.iter().map(|(pattern, _)| &**pattern)
    }
}

/// What a literal or a pattern belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Part {
        part: u32,
        rule: u32,
    },
    Signal {
        signal: u32,
        rule: u32,
    },
    Trigger(u32),
    Filler,
    Run(u32),
    /// The literal is one of a set of which one stands in every match of this pattern.
    Pattern {
        pattern: u32,
        /// Which of the pattern's sets.
        set: u8,
    },
}

#[derive(Debug, Clone)]
pub(super) struct RuleInfo {
    /// The first rule of the signal that stands for the same value (for a template: has the same pieces).
    pub same: u32,
    pub kind: RuleKind,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum RuleKind {
    Const,
    /// How many times the template mentions a part.
    Template(u32),
    Matched,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct TriggerInfo {
    pub whole: bool,
    pub starts: bool,
}

/// What one text holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scan {
    /// Recognised values, by first token, then last token, signal and rule. Those of one signal do not overlap, but for
    /// different values of the very same tokens.
    pub signals: Vec<Occurrence>,
    /// Matches of triggers, by trigger, then place. Those of one trigger do not overlap.
    pub fired: Vec<Fired>,
    /// The command that the text begins with: its index in [`crate::model::lexicon::Lexicon::commands`] and the bytes of
    /// the original text after it, without white space around. `signals` and `fired` are those of this rest.
    pub command: Option<(usize, Range<usize>)>,
}

impl Scan {
    /// Forgets what was found and keeps the buffers.
    pub(super) fn clear(&mut self) {
        self.signals.clear();
        self.fired.clear();
        self.command = None;
    }
}

/// A value of a signal, said at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// Index in [`crate::model::lexicon::Lexicon::signals`].
    pub signal: usize,
    /// Which of its rules.
    pub rule: usize,
    /// What was said.
    pub value: Recognised,
    /// Bytes of the original text.
    pub span: (u32, u32),
    /// Token range.
    pub tokens: (u32, u32),
}

/// What a rule makes of a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recognised {
    /// The constant of the rule.
    Const,
    /// The value of each part that the rule's template mentions, in the order of its pieces; `None` where the words did
    /// not say it. A part that the template mentions twice takes the first and the second slot of that part in the
    /// phrase, or the last one there is.
    Template(Vec<Option<Arc<str>>>),
    /// The matched text in its original spelling.
    Matched(Arc<str>),
}

/// A match of a trigger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fired {
    /// Index in the list of triggers that was compiled.
    pub trigger: usize,
    /// Bytes of the original text.
    pub span: (u32, u32),
    /// Token range.
    pub tokens: (u32, u32),
    /// For each slot of the phrase, in order, which of [`Scan::signals`] it took (of several values of the same tokens
    /// the first).
    pub slots: Vec<u32>,
}
