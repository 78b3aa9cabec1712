//! Replay: a script run on a registry, step by step, strictly by its scripted calls.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::diag::Diagnostic;
use crate::engine::{CallOut, Event, MessageOut, NumberedIds, Step, StepError, step};
use crate::model::ids::{ClassId, FrameSet, ModeId, PortId};
use crate::model::names::Sym;
use crate::registry::Registry;
use crate::source::Span;
use crate::state::SessionState;

use super::script::{Call, Happens, Reply, Script, env, script};
use super::turn::text_of;
use super::{Clock, Scenario, judge, show, transcript};

/// A way in which a scenario fails.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The turn, counted from 0; `None` for the scenario as a whole.
    pub turn: Option<usize>,
    /// Where the broken promise is written.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What was expected.
    pub expected: Option<String>,
    /// What came.
    pub actual: Option<String>,
    /// The next step.
    pub help: Option<String>,
    /// A difference of texts, line by line.
    pub diff: Option<String>,
}

impl Failure {
    /// A failure with a message only.
    #[must_use]
    pub fn new(turn: Option<usize>, span: Span, message: impl Into<String>) -> Self {
        Self { turn, span, message: message.into(), expected: None, actual: None, help: None, diff: None }
    }

    fn of(diagnostic: Diagnostic) -> Self {
        let span = diagnostic.primary.span;
        Self { help: diagnostic.help, ..Self::new(None, span, diagnostic.message) }
    }
}

/// What replaying a scenario came to.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// What it fails; empty = every expectation holds.
    pub failures: Vec<Failure>,
    /// Each turn in brief.
    pub turns: Vec<TurnResult>,
    /// What happened, as stable text; `None` when the scenario could not be run.
    pub transcript: Option<String>,
}

/// A turn in brief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnResult {
    /// The class of its last step; `None` when everything was refused.
    pub transition: Option<String>,
    /// The answer mode.
    pub answer_mode: Option<String>,
    /// All reasons given in the turn.
    pub reasons: Vec<String>,
}

/// A script that was run.
#[derive(Debug, Clone)]
pub struct Played {
    /// The turns, as far as asked for.
    pub turns: Vec<PlayedTurn>,
}

/// A turn that was run.
#[derive(Debug, Clone)]
pub struct PlayedTurn {
    /// Its steps, in order.
    pub steps: Vec<PlayedStep>,
    /// The state after it.
    pub state: SessionState,
    /// What went against the script.
    pub failures: Vec<Failure>,
}

/// A step that was taken, or could not be.
#[derive(Debug, Clone)]
pub struct PlayedStep {
    /// What it took.
    pub what: What,
    /// The state before it.
    pub before: SessionState,
    /// What came of it.
    pub result: Result<Step, StepError>,
}

/// What a step took.
#[derive(Debug, Clone)]
pub enum What {
    /// An input of the turn.
    Input {
        /// As a transcript writes it.
        shown: String,
        /// The text that the lexicon reads.
        text: Option<String>,
    },
    /// A scripted outcome.
    Outcome(Delivered),
}

/// A scripted outcome that was delivered.
#[derive(Debug, Clone)]
pub struct Delivered {
    /// The call.
    pub call: Arc<str>,
    /// Its port.
    pub port: PortId,
    /// How it ended.
    pub reply: Reply,
}

impl PlayedTurn {
    fn done(&self) -> impl DoubleEndedIterator<Item = &Step> {
        self.steps.iter().filter_map(|played| played.result.as_ref().ok())
    }

    /// The last step, but for calls that were made again.
    fn last(&self) -> Option<&Step> {
        self.done().rfind(|step| step.retried.is_none())
    }

    /// The class that took the last input.
    #[must_use]
    pub fn selected(&self) -> Option<ClassId> {
        self.last().and_then(|step| step.selected)
    }

    /// The class of the last step that somebody took.
    #[must_use]
    pub fn settled(&self) -> Option<ClassId> {
        self.last().and_then(|step| step.class)
    }

    /// The answer mode of the last step.
    #[must_use]
    pub fn answer(&self) -> Option<ModeId> {
        self.done().next_back().and_then(|step| step.answer)
    }

    /// Why the last step was refused.
    #[must_use]
    pub fn refused(&self) -> Option<Sym> {
        self.done().next_back().and_then(|step| step.refused)
    }

    /// All reasons of the turn, each once.
    #[must_use]
    pub fn reasons(&self) -> Vec<Sym> {
        let mut reasons = Vec::new();
        for reason in self.done().flat_map(|step| &step.reasons) {
            if !reasons.contains(reason) {
                reasons.push(*reason);
            }
        }
        reasons
    }

    /// Why the last step went where it went; else a remark of the turn, such as `unused_signal`.
    #[must_use]
    pub fn reason(&self, registry: &Registry) -> Option<Sym> {
        let remark = registry.syms.unused_signal;
        let last = self.last()?;
        last.reasons.iter().copied().find(|reason| *reason != remark).or_else(|| self.reasons().first().copied())
    }

    /// Frames dropped in the turn.
    #[must_use]
    pub fn dropped(&self) -> FrameSet {
        self.done().fold(FrameSet::EMPTY, |all, step| all.union(step.dropped))
    }

    /// Frames that the last input carried.
    #[must_use]
    pub fn carried(&self) -> FrameSet {
        let select = self.done().rev().find(|step| step.phase == crate::engine::Phase::Select);
        select.map_or(FrameSet::EMPTY, |step| step.carried)
    }

    /// Calls made in the turn.
    pub fn calls(&self) -> impl Iterator<Item = &CallOut> {
        self.done().flat_map(|step| &step.calls)
    }

    /// Messages sent in the turn.
    pub fn messages(&self) -> impl Iterator<Item = &MessageOut> {
        self.done().flat_map(|step| &step.messages)
    }
}

/// Replays a scenario and holds it against its expectations.
#[must_use]
pub fn replay(registry: &Registry, scenario: &Scenario) -> Outcome {
    let script = match script(registry, scenario) {
        Ok(script) => script,
        Err(found) => {
            let failures = found.into_iter().map(Failure::of).collect();
            return Outcome { failures, turns: Vec::new(), transcript: None };
        }
    };
    let pack = registry.pack();
    let played = play(registry, &script, usize::MAX);
    let mut failures = Vec::new();
    for (index, (turn, scripted)) in played.turns.iter().zip(&script.turns).enumerate() {
        let from = failures.len();
        failures.extend(turn.failures.iter().cloned());
        if let Some(expect) = &scripted.expect {
            judge::check(registry, index, turn, expect, &mut failures);
        }
        if let Some(broken) = scripted.calls.iter().find_map(|call| call.reply.as_ref()?.contract.as_ref()) {
            for failure in &mut failures[from..] {
                failure.help.get_or_insert_with(|| {
                    format!("a scripted answer breaks its port's declaration: {}", broken.message)
                });
            }
        }
    }
    let names = |syms: Vec<Sym>| syms.into_iter().map(|sym| pack.names.text(sym).to_owned()).collect();
    let turns = played
        .turns
        .iter()
        .map(|turn| TurnResult {
            transition: turn.settled().map(|class| show::class(pack, class).to_owned()),
            answer_mode: turn.answer().map(|mode| pack.names.text(pack.modes[mode.index()].name).to_owned()),
            reasons: names(turn.reasons()),
        })
        .collect();
    let transcript = transcript::write(registry, scenario, &script, &played);
    Outcome { failures, turns, transcript: Some(transcript) }
}

/// Runs the first `turns` turns of a script.
#[must_use]
pub fn play(registry: &Registry, script: &Script, turns: usize) -> Played {
    let mut runner = Runner { registry, script, ids: NumberedIds::default(), state: script.given.clone() };
    let count = script.turns.len().min(turns);
    Played { turns: (0..count).map(|index| runner.turn(index)).collect() }
}

/// Takes one event on a state, with its full trace.
#[must_use]
pub fn take(registry: &Registry, before: SessionState, event: &Event, shown: String, clock: &Clock) -> PlayedStep {
    let mut ids = NumberedIds::default();
    let result = step(registry, &before, event, &mut env(clock, 1, &mut ids));
    let text = text_of(registry.pack(), event);
    PlayedStep { what: What::Input { shown, text }, before, result }
}

struct Runner<'a> {
    registry: &'a Registry,
    script: &'a Script,
    ids: NumberedIds,
    state: SessionState,
}

impl Runner<'_> {
    fn turn(&mut self, index: usize) -> PlayedTurn {
        let script = self.script;
        let scripted = &script.turns[index];
        let mut turn = PlayedTurn { steps: Vec::new(), state: self.state.clone(), failures: Vec::new() };
        let mut calls: VecDeque<&Call> = scripted.calls.iter().collect();
        let mut waiting: VecDeque<Delivered> = VecDeque::new();
        for (at, input) in scripted.inputs.iter().enumerate() {
            // Calls of an input that another one follows before the reply stay open.
            let last = at + 1 == scripted.inputs.len();
            let event = match &input.happens {
                Happens::Event(event) => event.clone(),
                Happens::Outcome { of, reply } => self.outcome(of.id(&self.state), reply),
            };
            let what = What::Input { shown: input.shown.clone(), text: input.text.clone() };
            self.take(index, what, &event, input.span, &mut turn);
            if last {
                self.match_calls(index, input.span, &mut calls, &mut waiting, &mut turn);
            }
        }
        while let Some(next) = waiting.pop_front() {
            if !self.state.open_calls().iter().any(|open| open.id == next.call) {
                continue; // closed in the meantime: its outcome would be stale
            }
            let event = self.outcome(next.call.clone(), &next.reply);
            self.take(index, What::Outcome(next), &event, scripted.span, &mut turn);
            self.match_calls(index, scripted.span, &mut calls, &mut waiting, &mut turn);
        }
        let pack = self.registry.pack();
        for call in calls {
            let port = pack.names.text(pack.ports[call.port.index()].name);
            let message = format!("nobody called `{port}`: the scripted outcome was not asked for");
            turn.failures.push(Failure::new(Some(index), call.span, message));
        }
        turn.state = self.state.clone();
        turn
    }

    fn outcome(&self, call: Arc<str>, reply: &Reply) -> Event {
        Event::Outcome { call, status: reply.status, value: reply.value.clone(), error: reply.error.clone() }
    }

    fn take(&mut self, index: usize, what: What, event: &Event, span: Span, turn: &mut PlayedTurn) {
        let pack = self.registry.pack();
        let before = self.state.clone();
        let mut env = env(&self.script.clock, index + 1, &mut self.ids);
        let result = step(self.registry, &before, event, &mut env);
        match &result {
            Ok(step) => self.state = step.state.clone(),
            Err(StepError::Boundary { failures }) => {
                for failure in failures {
                    for breach in &failure.breaches {
                        let class = show::class(pack, failure.class);
                        let message = format!("no step: {class}: {}", show::breach(pack, failure.class, breach));
                        turn.failures.push(Failure::new(Some(index), span, message));
                    }
                }
            }
            Err(error) => turn.failures.push(Failure::new(Some(index), span, format!("no step: {error}"))),
        }
        turn.steps.push(PlayedStep { what, before, result });
    }

    /// Matches the calls that the last step made with the script, in order.
    fn match_calls(
        &self,
        index: usize,
        span: Span,
        calls: &mut VecDeque<&Call>,
        waiting: &mut VecDeque<Delivered>,
        turn: &mut PlayedTurn,
    ) {
        let pack = self.registry.pack();
        let Some(Ok(step)) = turn.steps.last().map(|played| &played.result) else { return };
        for call in &step.calls {
            let replies = pack.ports[call.port.index()].replies;
            match calls.front().copied() {
                Some(script) if script.port == call.port => {
                    calls.pop_front();
                    judge::check_call(pack, index, call, script, &mut turn.failures);
                    if let Some(reply) = &script.reply {
                        let (call, port) = (call.id.clone(), call.port);
                        waiting.push_back(Delivered { call, port, reply: reply.clone() });
                    }
                }
                // A call that expects no answer needs no script.
                _ if !replies => {}
                next => {
                    let mut failure = Failure::new(
                        Some(index),
                        next.map_or(span, |next| next.span),
                        format!("the call is not scripted: {}", show::call(pack, call)),
                    );
                    let port = |port: PortId| pack.names.text(pack.ports[port.index()].name).to_owned();
                    match next {
                        Some(next) => {
                            failure.expected = Some(port(next.port));
                            failure.actual = Some(port(call.port));
                        }
                        None => {
                            let help = format!("add `calls: [ {{ port: {}, returns: {{ … }} }} ]`", port(call.port));
                            failure.help = Some(help);
                        }
                    }
                    turn.failures.push(failure);
                }
            }
        }
    }
}
