//! The declared lexicon: what words mean. Phrases are parsed here-after; matching is the lexicon module's work.

use crate::source::Span;

use super::names::Sym;
use super::value::Value;

/// One element of a phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Elem {
    /// A word, normalised.
    Word(String),
    /// `stem~set`: the stem followed by one ending of a named set; an index into [`Lexicon::endings`].
    Stem {
        /// The stem, normalised, at least four letters.
        stem: String,
        /// Which ending set.
        endings: usize,
    },
    /// `{name}`: a recognised value.
    Slot(Slot),
    /// `[a|b]` (may be left out) or `(a|b)` (one of them must stand there). Each alternative is a sequence.
    Choice {
        /// Whether it may be left out.
        optional: bool,
        /// The alternatives.
        of: Vec<Vec<Elem>>,
    },
}

/// What a `{name}` in a phrase stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Slot {
    /// A part, an index into [`Lexicon::parts`]. Only in the rules of signals.
    Part(usize),
    /// A recognised signal, an index into [`Lexicon::signals`]. Only in triggers.
    Signal(usize),
}

/// How a rule or a trigger finds its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// A phrase, at word boundaries.
    Phrase(Vec<Elem>),
    /// A regular expression over the normalised text. It matches whole words only: what it matches begins and ends at a
    /// word boundary.
    Pattern(String),
}

/// A named set of endings; an empty ending stands for the bare stem.
#[derive(Debug, Clone)]
pub struct EndingSet {
    /// The name after `~`.
    pub name: String,
    /// The endings, normalised.
    pub endings: Vec<String>,
}

/// A piece of a value (the name of a month is a part of a period). No transition sees it.
#[derive(Debug, Clone)]
pub struct Part {
    /// Its name, used as `{name}` in rules and in value templates.
    pub name: String,
    /// What it is recognised by.
    pub rules: Vec<PartRule>,
}

/// One way to say a part.
#[derive(Debug, Clone)]
pub struct PartRule {
    /// The words. Holds no slots.
    pub form: Form,
    /// What it contributes to a template; `None` = the matched text itself (a pattern such as a year).
    pub value: Option<String>,
    /// Where it is written.
    pub span: Span,
}

/// A signal that the lexicon recognises.
#[derive(Debug, Clone)]
pub struct Signal {
    /// Its name in `input`.
    pub name: Sym,
    /// What two different values in one text mean.
    pub many: Many,
    /// What it is recognised by.
    pub rules: Vec<Rule>,
}

/// What two different values of one signal in one text mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Many {
    /// The signal is absent and its candidates are kept.
    #[default]
    Ambiguous,
    /// The one said first.
    First,
    /// The one said last.
    Last,
    /// A list of all, in the order said, without repetition. The signal's type is a list or a set.
    All,
}

/// One way to say a value of a signal.
#[derive(Debug, Clone)]
pub struct Rule {
    /// The words.
    pub form: Form,
    /// The value they stand for.
    pub value: RuleValue,
    /// Where it is written.
    pub span: Span,
}

/// What a rule's words stand for.
#[derive(Debug, Clone)]
pub enum RuleValue {
    /// This value.
    Const(Value),
    /// A text made of literal pieces and parts, read by the signal's type once each part is known. A part that the
    /// form does not hold makes the value partial: it is completed per candidate.
    Template(Vec<Piece>),
    /// The matched text itself, in its original spelling.
    Matched,
}

/// One piece of a value template.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Piece {
    /// Literal text.
    Text(String),
    /// The value of a part, an index into [`Lexicon::parts`].
    Part(usize),
}

/// The whole lexicon of a pack, all languages together.
#[derive(Debug, Clone, Default)]
pub struct Lexicon {
    /// Ending sets.
    pub endings: Vec<EndingSet>,
    /// Parts.
    pub parts: Vec<Part>,
    /// Signals, in declared order.
    pub signals: Vec<Signal>,
    /// Words that a `whole` trigger may skip, as phrases without slots.
    pub fillers: Vec<Vec<Elem>>,
    /// Commands: a name and the spellings that stand at the very start of a text (`/new`), normalised.
    pub commands: Vec<(Sym, Vec<String>)>,
}

/// A trigger alternative that matches words.
#[derive(Debug, Clone)]
pub struct TriggerForm {
    /// The words.
    pub form: Form,
    /// Nothing else may stand in the text but fillers and recognised values.
    pub whole: bool,
    /// The match begins the text (fillers aside).
    pub starts: bool,
}
