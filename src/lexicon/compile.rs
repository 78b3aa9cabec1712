//! Compiling a lexicon and its triggers into a matcher.

use std::sync::Arc;

use foldhash::fast::FixedState;
use indexmap::IndexMap;

use crate::diag::Code;
use crate::model::lexicon::{Elem, Form, Lexicon, Piece, RuleValue, Signal, TriggerForm};

use super::automata::Automata;
use super::expand::{Atom, MAX_VARIANTS, expand};
use super::matcher::{Matcher, RuleInfo, RuleKind, Target, TriggerInfo};
use super::pattern::{Pattern, PatternError};
use super::shape::{Grouped, Shape, Shapes, Step, small};

/// How many different word sequences one matcher may hold, after expansion.
pub const MAX_LITERALS: usize = 1 << 19;

/// How many slots one sequence of a phrase may have.
pub const MAX_SLOTS: usize = 8;

/// Which declaration an error is about, by its indexes in the [`Lexicon`] or in the list of triggers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A rule of a part.
    Part {
        /// The part.
        part: usize,
        /// The rule.
        rule: usize,
    },
    /// A rule of a signal.
    Signal {
        /// The signal.
        signal: usize,
        /// The rule.
        rule: usize,
    },
    /// A filler.
    Filler(usize),
    /// A command.
    Command(usize),
    /// A trigger.
    Trigger(usize),
}

/// Why a form cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileError {
    /// Which kind of finding it is.
    pub code: Code,
    /// Where it stands.
    pub which: Place,
    /// A lower-case sentence.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

struct Builder<'l> {
    lexicon: &'l Lexicon,
    literals: IndexMap<String, Vec<Target>, FixedState>,
    runs: IndexMap<String, u32, FixedState>,
    automata: &'l Automata,
    patterns: Vec<(Arc<Pattern>, Target)>,
    always: Vec<u32>,
    signal_shapes: Vec<Shape>,
    trigger_shapes: Vec<Shape>,
    errors: Vec<CompileError>,
    full: bool,
}

impl Matcher {
    /// Compiles a lexicon and the triggers of all classes.
    ///
    /// A phrase matches whole tokens in a row, never across the end of a sentence unless it holds one itself. A pattern
    /// sees the padded text ([`Normalised::padded`](super::Normalised::padded)): folded, one space between tokens, `.` as
    /// the token between sentences (so `.*` goes across them and `[^.]*` does not); it matches whole tokens, leftmost
    /// first, without overlap, at most [`MAX_PATTERN_MATCHES`](super::MAX_PATTERN_MATCHES) times.
    ///
    /// # Errors
    /// All of them, with every place and what to do: phrases that stand for more than [`MAX_VARIANTS`] sequences, slots where
    /// none may stand, patterns that cannot be read, are too large, test boundaries inside or ask for characters that
    /// folded text never holds, and lexicons with more than [`MAX_LITERALS`] sequences.
    pub fn compile(
        lexicon: &Lexicon,
        triggers: &[TriggerForm],
        automata: &Automata,
    ) -> Result<Matcher, Vec<CompileError>> {
        let mut builder = Builder {
            lexicon,
            literals: IndexMap::default(),
            runs: IndexMap::default(),
            automata,
            patterns: Vec::new(),
            always: Vec::new(),
            signal_shapes: Vec::new(),
            trigger_shapes: Vec::new(),
            errors: Vec::new(),
            full: false,
        };
        builder.add_lexicon();
        for (index, trigger) in triggers.iter().enumerate() {
            let target = Target::Trigger(small(index));
            builder.form(Place::Trigger(index), &trigger.form, target, &[]);
        }
        let commands = builder.commands();
        if builder.errors.is_empty() { builder.finish(triggers, commands) } else { Err(builder.errors) }
    }
}

impl Builder<'_> {
    fn error(&mut self, which: Place, message: impl Into<String>, help: Option<&str>) {
        let (message, help) = (message.into(), help.map(str::to_owned));
        self.errors.push(CompileError { code: Code::TooLarge, which, message, help });
    }

    fn add_lexicon(&mut self) {
        for (part, declared) in self.lexicon.parts.iter().enumerate() {
            for (rule, declared) in declared.rules.iter().enumerate() {
                let target = Target::Part { part: small(part), rule: small(rule) };
                self.form(Place::Part { part, rule }, &declared.form, target, &[]);
            }
        }
        for (signal, declared) in self.lexicon.signals.iter().enumerate() {
            for (rule, declared) in declared.rules.iter().enumerate() {
                let target = Target::Signal { signal: small(signal), rule: small(rule) };
                let mentions = template_parts(&declared.value);
                self.form(Place::Signal { signal, rule }, &declared.form, target, &mentions);
            }
        }
        for (index, filler) in self.lexicon.fillers.iter().enumerate() {
            self.phrase(Place::Filler(index), filler, Target::Filler, &[]);
        }
    }

    fn form(&mut self, which: Place, form: &Form, target: Target, mentions: &[usize]) {
        match form {
            Form::Phrase(elems) => self.phrase(which, elems, target, mentions),
            Form::Pattern(pattern) => match self.automata.pattern(pattern) {
                Ok(pattern) => self.pattern(which, pattern, target),
                Err(PatternError { code, message, help, .. }) => {
                    self.errors.push(CompileError { code, which, message, help });
                }
            },
        }
    }

    fn pattern(&mut self, which: Place, pattern: Arc<Pattern>, target: Target) {
        let index = small(self.patterns.len());
        for (set, literals) in (0..).zip(&pattern.required) {
            for literal in literals {
                self.literal(which, literal.clone(), Target::Pattern { pattern: index, set });
            }
        }
        if pattern.is_always_tried() {
            self.always.push(index);
        }
        self.patterns.push((pattern, target));
    }

    fn literal(&mut self, which: Place, text: String, target: Target) {
        if self.literals.len() >= MAX_LITERALS && !self.literals.contains_key(&text) {
            if !self.full {
                self.full = true;
                self.error(which, format!("the lexicon stands for more than {MAX_LITERALS} sequences of words"), None);
            }
            return;
        }
        self.literals.entry(text).or_default().push(target);
    }

    fn phrase(&mut self, which: Place, elems: &[Elem], target: Target, mentions: &[usize]) {
        let Some(sequences) = expand(elems, &self.lexicon.endings) else {
            let message =
                format!("too many variants: the phrase stands for more than {MAX_VARIANTS} sequences of words");
            return self.error(which, message, Some("split it into several phrases"));
        };
        if sequences.is_empty() {
            return self.error(which, "the phrase has no words", None);
        }
        for sequence in sequences {
            if let Err((message, help)) = self.sequence(which, &sequence, target, mentions) {
                return self.error(which, message, help);
            }
        }
    }

    fn sequence(
        &mut self,
        which: Place,
        sequence: &[Atom],
        target: Target,
        mentions: &[usize],
    ) -> Result<(), (String, Option<&'static str>)> {
        let word = |atom: &Atom| if let Atom::Word(word) = atom { word.len() + 1 } else { 0 };
        let literal = |words: &[Atom]| {
            let mut text = String::with_capacity(1 + words.iter().map(word).sum::<usize>());
            text.push(' ');
            for word in words {
                if let Atom::Word(word) = word {
                    text.push_str(word);
                    text.push(' ');
                }
            }
            text
        };
        if sequence.iter().all(|atom| matches!(atom, Atom::Word(_))) {
            self.literal(which, literal(sequence), target);
            return Ok(());
        }
        let mut steps = Vec::new();
        let mut slots = Vec::new();
        for chunk in sequence.chunk_by(|a, b| matches!((a, b), (Atom::Word(_), Atom::Word(_)))) {
            let slot = match (&chunk[0], target) {
                (Atom::Word(_), _) => {
                    steps.push(Step::Run(self.run(which, literal(chunk))));
                    continue;
                }
                (Atom::Part(part), Target::Signal { .. }) if *part < self.lexicon.parts.len() => *part,
                (Atom::Signal(signal), Target::Trigger(_)) if *signal < self.lexicon.signals.len() => *signal,
                (_, Target::Signal { .. }) => return Err(("only a part can stand here as a slot".into(), None)),
                (_, Target::Trigger(_)) => return Err(("only a signal can stand here as a slot".into(), None)),
                _ => return Err(("no slot can stand here".into(), Some("write the words out"))),
            };
            slots.push(slot);
            steps.push(Step::Slot(small(slot)));
        }
        if slots.len() > MAX_SLOTS {
            return Err((format!("the phrase has more than {MAX_SLOTS} slots"), None));
        }
        let shape = |owner, fill| Shape { owner, steps: steps.into(), fill };
        match target {
            Target::Trigger(trigger) => self.trigger_shapes.push(shape((trigger, 0), Box::default())),
            Target::Signal { signal, rule } => {
                self.signal_shapes.push(shape((signal, rule), fill(mentions, &slots)));
            }
            _ => {}
        }
        Ok(())
    }

    fn run(&mut self, which: Place, text: String) -> u32 {
        if let Some(index) = self.runs.get(&text) {
            return *index;
        }
        let index = small(self.runs.len());
        self.runs.insert(text.clone(), index);
        self.literal(which, text, Target::Run(index));
        index
    }

    fn commands(&mut self) -> Vec<(String, usize)> {
        let mut commands = Vec::new();
        for (index, (_, spellings)) in self.lexicon.commands.iter().enumerate() {
            for spelling in spellings {
                if spelling.trim().is_empty() {
                    self.error(Place::Command(index), "the command has an empty spelling", None);
                }
                commands.push((format!(" {} ", spelling.trim()), index));
            }
        }
        // A stable sort: of equal spellings the one declared first is found.
        commands.sort_by_key(|(spelling, _)| std::cmp::Reverse(spelling.len()));
        commands
    }

    fn finish(self, triggers: &[TriggerForm], commands: Vec<(String, usize)>) -> Result<Matcher, Vec<CompileError>> {
        let literal_tokens = self.literals.keys().map(|literal| tokens_of(literal)).collect();
        let (literals, targets): (Vec<String>, Vec<Vec<Target>>) = self.literals.into_iter().unzip();
        // Building fails only beyond two billion states; the literals are bounded well below that.
        let automaton = (!literals.is_empty()).then(|| self.automata.of(literals)).transpose().map_err(|error| {
            let message = format!("the lexicon is too large: {error}");
            vec![CompileError { code: Code::TooLarge, which: Place::Filler(0), message, help: None }]
        })?;
        let runs: Vec<&str> = self.runs.keys().map(String::as_str).collect();
        let signals = self.lexicon.signals.len();
        Ok(Matcher {
            automaton,
            signal_shapes: index_shapes(self.signal_shapes, &runs, self.lexicon.parts.len()),
            trigger_shapes: index_shapes(self.trigger_shapes, &runs, signals),
            run_tokens: runs.iter().map(|run| tokens_of(run)).collect(),
            literal_tokens,
            targets: Grouped::new(targets),
            patterns: self.patterns,
            always: self.always,
            parts: self
                .lexicon
                .parts
                .iter()
                .map(|part| part.rules.iter().map(|rule| rule.value.as_deref().map(Arc::from)).collect())
                .collect(),
            rules: self.lexicon.signals.iter().map(rule_infos).collect(),
            triggers: triggers.iter().map(|form| TriggerInfo { whole: form.whole, starts: form.starts }).collect(),
            commands,
        })
    }
}

/// How many words stand between spaces.
fn tokens_of(words: &str) -> u32 {
    let begins = |pair: &[u8]| pair[0] == b' ' && pair[1] != b' ';
    let bytes = words.as_bytes();
    let first = bytes.first().is_some_and(|byte| *byte != b' ');
    small(usize::from(first) + bytes.windows(2).filter(|pair| begins(pair)).count())
}

/// The parts that a template mentions, in order.
pub(crate) fn template_parts(value: &RuleValue) -> Vec<usize> {
    match value {
        RuleValue::Template(pieces) => pieces
            .iter()
            .filter_map(|piece| match piece {
                Piece::Part(part) => Some(*part),
                Piece::Text(_) => None,
            })
            .collect(),
        RuleValue::Const(_) | RuleValue::Matched => Vec::new(),
    }
}

/// Which slot fills each mention of a part: the n-th mention takes the n-th slot of that part, or the last one.
pub(crate) fn fill(mentions: &[usize], slots: &[usize]) -> Box<[Option<u8>]> {
    mentions
        .iter()
        .enumerate()
        .map(|(index, part)| {
            let nth = mentions[..index].iter().filter(|other| *other == part).count();
            let mut of_part = slots.iter().enumerate().filter(|(_, slot)| *slot == part).map(|(at, _)| at);
            let last = of_part.clone().next_back();
            of_part.nth(nth).or(last).and_then(|at| u8::try_from(at).ok())
        })
        .collect()
}

fn index_shapes(all: Vec<Shape>, runs: &[&str], slots: usize) -> Shapes {
    let mut by_run = vec![Vec::new(); runs.len()];
    let mut by_slot = vec![Vec::new(); slots];
    for (index, shape) in all.iter().enumerate() {
        let anchor = shape.steps.iter().filter_map(|step| match step {
            Step::Run(run) => Some(*run as usize),
            Step::Slot(_) => None,
        });
        match (anchor.max_by_key(|run| (runs[*run].len(), std::cmp::Reverse(*run))), shape.steps[0]) {
            (Some(run), _) => by_run[run].push(small(index)),
            (None, Step::Slot(slot)) => by_slot[slot as usize].push(small(index)),
            (None, Step::Run(_)) => {}
        }
    }
    Shapes { all, by_run: Grouped::new(by_run), by_slot: Grouped::new(by_slot) }
}

fn rule_infos(signal: &Signal) -> Vec<RuleInfo> {
    let mut values: IndexMap<&crate::model::value::Value, usize> = IndexMap::new();
    let mut templates: IndexMap<&[Piece], usize> = IndexMap::new();
    let mut matched = None;
    let mut infos = Vec::with_capacity(signal.rules.len());
    for (index, rule) in signal.rules.iter().enumerate() {
        let same = match &rule.value {
            RuleValue::Const(value) => *values.entry(value).or_insert(index),
            RuleValue::Template(pieces) => *templates.entry(pieces).or_insert(index),
            RuleValue::Matched => *matched.get_or_insert(index),
        };
        let kind = match &rule.value {
            RuleValue::Const(_) => RuleKind::Const,
            RuleValue::Template(_) => RuleKind::Template(small(template_parts(&rule.value).len())),
            RuleValue::Matched => RuleKind::Matched,
        };
        infos.push(RuleInfo { same: small(same), kind });
    }
    infos
}
