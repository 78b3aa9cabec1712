//! Explaining a turn: which class took each event, and the first thing that ruled out every other candidate.

mod blame;
mod render;
pub mod words;

use crate::engine::{Bound, Candidate, Step, StepError, Verdict};
use crate::model::cond::Cond;
use crate::model::ids::ClassId;
use crate::model::uses::PackAt;
use crate::model::{InputKind, Pack};
use crate::registry::Registry;
use crate::scenario::{PlayedStep, What, show, transcript};
use crate::source::{SourceMap, Span};

use blame::{Tested, culprits, tested};

pub use render::{human, json};

/// The steps of a turn, explained.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// What was asked about: `scenarios/a.yaml, turn 2: …`.
    pub about: String,
    /// The steps, in order.
    pub steps: Vec<Explained>,
}

/// A step, explained.
#[derive(Debug, Clone)]
pub struct Explained {
    /// What it took.
    pub what: String,
    /// Whether it took the outcome of a call.
    pub settles: bool,
    /// Id and name of the class that took it.
    pub class: Option<(String, String)>,
    /// What set the class off.
    pub because: Option<String>,
    /// Why the event was refused, or no step could be taken.
    pub refused: Option<String>,
    /// What the answer broke that came as ok.
    pub breach: Option<String>,
    /// That the call is made again: `retry 1 of 2`.
    pub retried: Option<String>,
    /// The texts of the answer that were read as something else than they stand, or as nothing.
    pub read: Vec<String>,
    /// The reasons it gave.
    pub reasons: Vec<String>,
    /// What a class broke that was chosen and given up.
    pub gave_up: Vec<String>,
    /// Signals that were given or heard.
    pub said: Vec<String>,
    /// Frames that were carried.
    pub carried: Vec<String>,
    /// Frames that were dropped.
    pub dropped: Vec<String>,
    /// Calls that it made.
    pub calls: Vec<String>,
    /// The answer mode.
    pub answer: Option<String>,
    /// The candidates, strongest first; the chosen one among them.
    pub candidates: Vec<Line>,
}

/// A candidate.
#[derive(Debug, Clone)]
pub struct Line {
    /// The id of the class.
    pub class: String,
    /// Its name.
    pub name: String,
    /// What became of it: `chosen`, `not_triggered`, `requires`, `carryover_blocked`, `entry`, `outranked`, `unordered`,
    /// `refused`.
    pub verdict: &'static str,
    /// The first thing that ruled it out, or what set it off when it was chosen.
    pub because: String,
    /// Where that is written.
    pub place: Option<Place>,
    /// Every test of its guard.
    pub leaves: Vec<LeafLine>,
    /// Derived signals as they stood for it.
    pub derived: Vec<(String, String)>,
    /// The instances of keyed frames that were bound for it: `attempt r-1`, `attempt r-0 (closed)`.
    pub bound: Vec<String>,
}

/// One test of a guard.
#[derive(Debug, Clone)]
pub struct LeafLine {
    /// What was tested.
    pub path: String,
    /// What it was.
    pub was: String,
    /// What the test needs.
    pub needs: String,
    /// `passed`, `failed` or `unknown`.
    pub verdict: &'static str,
    /// Where it is written.
    pub place: Option<Place>,
}

/// A place in a file of the pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
}

/// Explains the steps of a turn. `sources` are the files of the pack.
#[must_use]
pub fn explain(registry: &Registry, sources: &SourceMap, about: String, steps: &[PlayedStep]) -> Explanation {
    let step = |played: &PlayedStep| {
        let own = registry.at(played.pack);
        Context { registry: own, all: registry.pack(), at: played.pack, pack: own.pack(), sources }.step(played)
    };
    Explanation { about, steps: steps.iter().map(step).collect() }
}

struct Context<'a> {
    /// The pack of the step.
    registry: &'a Registry,
    pack: &'a Pack,
    /// All that are put together, and which of them it is.
    all: &'a Pack,
    at: PackAt,
    sources: &'a SourceMap,
}

impl<'a> Context<'a> {
    fn step(&self, played: &PlayedStep) -> Explained {
        let what = played.what.shown(self.all);
        let settles = match &played.what {
            What::Input { .. } => false,
            What::Outcome(_) => true,
            What::Between { settles, .. } => *settles,
        };
        let mut explained = Explained {
            what,
            settles,
            class: None,
            because: None,
            refused: None,
            breach: None,
            retried: None,
            read: Vec::new(),
            reasons: Vec::new(),
            gave_up: Vec::new(),
            said: Vec::new(),
            carried: Vec::new(),
            dropped: Vec::new(),
            calls: Vec::new(),
            answer: None,
            candidates: Vec::new(),
        };
        match &played.result {
            Ok(step) => self.taken(step, played, played.what.heard(), &mut explained),
            Err(error) => {
                explained.refused = Some(error.to_string());
                if let StepError::Boundary { failures } = error {
                    explained.gave_up = self.gave_up(failures);
                }
            }
        }
        if let Some(undone) = &played.undone {
            let of = Self { pack: self.all.at(undone.at), at: undone.at, ..*self };
            explained.gave_up.insert(0, show::undone(self.all, undone));
            explained.gave_up.splice(1..1, of.gave_up(&undone.failures));
        }
        explained
    }

    /// The id of a class.
    fn class(&self, class: ClassId) -> String {
        self.all.qualified(self.at, show::class(self.pack, class))
    }

    fn gave_up(&self, failures: &[crate::engine::Failure]) -> Vec<String> {
        let broke = |failure: &crate::engine::Failure| {
            let class = self.class(failure.class);
            let breaches: Vec<String> =
                failure.breaches.iter().map(|breach| show::breach(self.pack, failure.class, breach)).collect();
            format!("{class}: {}", breaches.join("; "))
        };
        failures.iter().map(broke).collect()
    }

    fn taken(&self, step: &Step, played: &PlayedStep, heard: Option<&str>, explained: &mut Explained) {
        let pack = self.pack;
        let word = |sym| pack.names.text(sym).to_owned();
        let frames = |set: crate::model::ids::FrameSet| {
            let named = set.iter().map(|frame| self.all.qualified(self.at, &word(pack.frames[frame.index()].name)));
            named.collect::<Vec<_>>()
        };
        explained.class = step.class.map(|class| (self.class(class), pack.classes[class.index()].name.clone()));
        explained.refused = step.refused.map(word);
        explained.breach = step.breach.map(word);
        explained.retried = step.retried.map(show::retried);
        explained.read = step.read.iter().map(|read| show::read_text(pack, read)).collect();
        explained.reasons = step.reasons.iter().map(|reason| word(*reason)).collect();
        explained.gave_up = self.gave_up(&step.failures);
        explained.carried = frames(step.carried);
        explained.dropped = frames(step.dropped);
        explained.calls = step.calls.iter().map(|call| show::call_at(self.all, self.at, call)).collect();
        explained.answer = step.answer.map(|mode| {
            let mode = &pack.modes[mode.index()];
            format!("{} ({})", pack.names.text(mode.name), show::claims(mode.claims))
        });
        let Some(trace) = &step.trace else { return };
        explained.said = trace.said.iter().map(|said| show::said(pack, said, heard)).collect();
        let chosen = trace.candidates.iter().find(|candidate| candidate.verdict == Verdict::Chosen);
        explained.because = match chosen {
            Some(chosen) => Some(transcript::trigger(pack, chosen)),
            None => (step.class == Some(pack.boundary)).then(|| "nothing else takes it".into()),
        };
        explained.candidates = trace.candidates.iter().map(|candidate| self.line(candidate, played, step)).collect();
    }

    fn line(&self, candidate: &Candidate, played: &PlayedStep, step: &Step) -> Line {
        let pack = self.pack;
        let class = &pack.classes[candidate.class.index()];
        let (first, second) = self.conditions(candidate);
        let all: Vec<&Cond> = first.iter().chain(&second).copied().collect();
        let mut place = None;
        let (verdict, because) = match &candidate.verdict {
            Verdict::Chosen => ("chosen", transcript::trigger(pack, candidate)),
            Verdict::NotTriggered => ("not_triggered", "not triggered".into()),
            Verdict::Requires => {
                let found = culprits(&[], &first, &candidate.leaves);
                place = found.first().and_then(|tested| self.place(tested.leaf.span));
                ("requires", format!("requires: {}", self.at_fault(&found)))
            }
            Verdict::Entry => {
                let found = culprits(&first, &second, &candidate.leaves);
                place = found.first().and_then(|tested| self.place(tested.leaf.span));
                let word = if candidate.row.is_some() { "when" } else { "entry" };
                ("entry", format!("{word}: {}", self.at_fault(&found)))
            }
            Verdict::CarryoverBlocked(cut) => {
                let gate = pack.carryover.as_ref().and_then(|carryover| carryover.limit).map(|slot| {
                    format!(", {} was {}", show::slot(pack, slot), words::was(pack, played.before.get(slot)))
                });
                place = self.place(class.span);
                let needs = show::frames(pack, *cut);
                ("carryover_blocked", format!("carryover blocked: needs {needs}{}", gate.unwrap_or_default()))
            }
            Verdict::Outranked(by) => ("outranked", format!("outranked by {}", self.class(*by))),
            Verdict::Unordered(other) => {
                let other = self.class(*other);
                ("unordered", format!("ambiguous: no precedence between it and {other}"))
            }
            Verdict::Refused => {
                let failure = step.failures.iter().find(|failure| failure.class == candidate.class);
                let broke = failure.and_then(|failure| failure.breaches.first());
                let broke = broke.map(|breach| show::breach(pack, candidate.class, breach)).unwrap_or_default();
                ("refused", format!("chosen, then given up: {broke}"))
            }
        };
        let row = match candidate.row {
            Some(_) => format!(" [{}]", transcript::trigger(pack, candidate)),
            None if step.class == Some(candidate.class) => " [its own triggers]".into(),
            None => String::new(),
        };
        Line {
            class: self.class(candidate.class),
            name: format!("{}{}", class.name, if verdict == "chosen" { "" } else { row.as_str() }),
            verdict,
            because,
            place,
            leaves: tested(&all, &candidate.leaves).into_iter().map(|tested| self.leaf(tested)).collect(),
            derived: candidate
                .derived
                .iter()
                .filter(|(input, _)| pack.inputs[input.index()].kind == InputKind::Derived)
                .map(|(input, value)| {
                    (pack.names.text(pack.inputs[input.index()].name).to_owned(), show::value(pack, value))
                })
                .collect(),
            bound: candidate.bound.iter().map(|bound| self.bound(bound)).collect(),
        }
    }

    fn bound(&self, bound: &Bound) -> String {
        let frame = self.pack.names.text(self.pack.frames[bound.frame.index()].name);
        format!("{frame} {}{}", bound.key, if bound.open { "" } else { " (closed)" })
    }

    /// The conditions of a candidate in the order of its leaves: those of `requires`, then those of `entry` or the row.
    fn conditions(&self, candidate: &Candidate) -> (Vec<&Cond>, Vec<&Cond>) {
        let class = &self.registry.pack().classes[candidate.class.index()];
        match candidate.row {
            Some(row) => (Vec::new(), vec![&class.settle[row].when]),
            None => match class.triggers.get(candidate.trigger) {
                Some(trigger) => (vec![&class.requires, &trigger.requires], vec![&class.entry, &trigger.entry]),
                None => (Vec::new(), Vec::new()),
            },
        }
    }

    fn at_fault(&self, found: &[Tested<'_>]) -> String {
        const SHOWN: usize = 3;
        let mut all: Vec<String> = found
            .iter()
            .map(|tested| {
                let leaf = self.leaf(*tested);
                format!("{} was {}, needs {}", leaf.path, leaf.was, leaf.needs)
            })
            .collect();
        all.dedup();
        let more = all.len().saturating_sub(SHOWN);
        let shown = all[..all.len().min(SHOWN)].join("; or ");
        match more {
            0 => shown,
            more => format!("{shown}; or {more} more"),
        }
    }

    fn leaf(&self, tested: Tested<'_>) -> LeafLine {
        let leaf = tested.leaf;
        LeafLine {
            path: words::path(self.pack, &leaf.path),
            was: words::was(self.pack, &leaf.actual),
            needs: words::needs(self.pack, tested.op, leaf.other.as_ref(), leaf.negated),
            verdict: match (leaf.passed, leaf.unknown) {
                (true, _) => "passed",
                (false, true) => "unknown",
                (false, false) => "failed",
            },
            place: self.place(leaf.span),
        }
    }

    fn place(&self, span: Span) -> Option<Place> {
        Some(Place { file: self.sources.name(span.file).to_owned(), line: self.sources.start(span).line })
    }
}
