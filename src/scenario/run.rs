//! Replay: a script run on a registry, step by step, strictly by its scripted calls.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::compose::{Cascade, CascadeError, Cause, Taken, Undone, cascade};
use crate::diag::Diagnostic;
use crate::engine::{CallOut, Event, MessageOut, NumberedIds, Step, StepError};
use crate::model::Pack;
use crate::model::ids::{ClassId, FrameSet, ModeId, PortId};
use crate::model::names::Sym;
use crate::model::uses::PackAt;
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
    /// The pack that took it.
    pub pack: PackAt,
    /// What it took.
    pub what: What,
    /// The state of that pack before it.
    pub before: SessionState,
    /// What came of it.
    pub result: Result<Step, StepError>,
    /// The message that ended the call which the pack serves: its place among those of the step. It is not sent.
    pub reply: Option<usize>,
    /// Calls of used packs that were closed with calls of this one.
    pub closed: Vec<(PackAt, Arc<str>)>,
    /// What was taken back before it.
    pub undone: Option<Undone>,
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
    /// Something of another pack: a call as an event, or how a call has ended.
    Between {
        /// As a transcript writes it.
        shown: String,
        /// The text that the lexicon reads.
        text: Option<String>,
        /// Whether it is how a call has ended.
        settles: bool,
    },
}

/// A scripted outcome that was delivered.
#[derive(Debug, Clone)]
pub struct Delivered {
    /// The call.
    pub call: Arc<str>,
    /// The pack that made it.
    pub pack: PackAt,
    /// Its port.
    pub port: PortId,
    /// How it ended.
    pub reply: Reply,
}

impl What {
    /// As a transcript writes it.
    #[must_use]
    pub fn shown(&self, pack: &Pack) -> String {
        match self {
            What::Input { shown, .. } | What::Between { shown, .. } => shown.clone(),
            What::Outcome(of) => {
                format!("{} {} → {}", of.call, show::port(pack, of.pack, of.port), show::reply(&of.reply))
            }
        }
    }

    /// The text that the lexicon reads.
    #[must_use]
    pub fn heard(&self) -> Option<&str> {
        match self {
            What::Input { text, .. } | What::Between { text, .. } => text.as_deref(),
            What::Outcome(_) => None,
        }
    }
}

/// What an outside event came to, step by step.
#[must_use]
pub fn steps_of(
    registry: &Registry,
    what: What,
    before: &SessionState,
    result: Result<Cascade, CascadeError>,
) -> Vec<PlayedStep> {
    let (steps, mut undone) = match result {
        Ok(Cascade { steps, undone, .. }) => (steps, undone),
        Err(CascadeError { at, error }) => {
            let before = before.at(at).unwrap_or(before).clone();
            let (reply, closed, undone) = (None, Vec::new(), None);
            return vec![PlayedStep { pack: at, what, before, result: Err(error), reply, closed, undone }];
        }
    };
    let mut outside = Some(what);
    let each = steps.into_iter().map(|Taken { pack, cause, before, step, reply, closed }| {
        let what = outside.take().unwrap_or_else(|| between(registry, pack, &cause));
        PlayedStep { pack, what, before, result: Ok(step), reply, closed, undone: undone.take() }
    });
    each.collect()
}

/// What passes between packs, as a transcript writes it.
fn between(registry: &Registry, at: PackAt, cause: &Cause) -> What {
    let all = registry.pack();
    let pack = all.at(at);
    match cause {
        Cause::Outside => What::Between { shown: String::new(), text: None, settles: false },
        Cause::Entry { call, event, .. } => {
            let said = show::event(pack, event);
            What::Between { shown: format!("for {call}: {said}"), text: text_of(pack, event), settles: false }
        }
        Cause::Reply { call, from, status, value, error } => {
            let (status, value, error, contract) = (*status, value.clone(), error.clone(), None);
            let reply = show::reply(&Reply { status, value, error, contract });
            let shown = format!("{call} → {reply}, by {}", all.name_at(*from).unwrap_or_default());
            What::Between { shown, text: None, settles: true }
        }
    }
}

impl PlayedTurn {
    /// The steps of the outermost pack.
    fn done(&self) -> impl DoubleEndedIterator<Item = &Step> {
        self.steps.iter().filter(|played| played.pack.is_outermost()).filter_map(|played| played.result.as_ref().ok())
    }

    /// The steps of all packs, each with its pack.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = (&PlayedStep, &Step)> {
        self.steps.iter().filter_map(|played| Some((played, played.result.as_ref().ok()?)))
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

    /// Calls to the host that were made in the turn, each with its pack.
    #[must_use]
    pub fn calls(&self, registry: &Registry) -> Vec<(PackAt, &CallOut)> {
        let made = self.all().flat_map(|(played, step)| step.calls.iter().map(|call| (played.pack, call)));
        made.filter(|(at, call)| registry.pack().served(*at, call.port).is_none()).collect()
    }

    /// Messages sent in the turn, each with its pack.
    pub fn messages(&self) -> impl Iterator<Item = (PackAt, &MessageOut)> {
        self.all().flat_map(|(played, step)| {
            let sent = step.messages.iter().enumerate().filter(|(at, _)| Some(*at) != played.reply);
            sent.map(|(_, message)| (played.pack, message))
        })
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

/// Takes one event on a state, with its full trace: its steps.
#[must_use]
pub fn take(
    registry: &Registry,
    before: &SessionState,
    event: &Event,
    shown: String,
    clock: &Clock,
) -> Vec<PlayedStep> {
    let mut ids = NumberedIds::default();
    let result = cascade(registry, before, event, &mut env(clock, 1, &mut ids));
    let text = text_of(registry.pack(), event);
    steps_of(registry, What::Input { shown, text }, before, result)
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
            let made = self.take(index, what, &event, input.span, &mut turn);
            if last {
                self.match_calls(index, input.span, &made, &mut calls, &mut waiting, &mut turn);
            }
        }
        while let Some(next) = waiting.pop_front() {
            let open = self.state.host_calls(self.registry.pack());
            if !open.iter().any(|(_, open)| open.id == next.call) {
                continue; // closed in the meantime: its outcome would be stale
            }
            let event = self.outcome(next.call.clone(), &next.reply);
            let made = self.take(index, What::Outcome(next), &event, scripted.span, &mut turn);
            self.match_calls(index, scripted.span, &made, &mut calls, &mut waiting, &mut turn);
        }
        let pack = self.registry.pack();
        for call in calls {
            let port = show::port(pack, call.pack, call.port);
            let message = format!("nobody called `{port}`: the scripted outcome was not asked for");
            turn.failures.push(Failure::new(Some(index), call.span, message));
        }
        turn.state = self.state.clone();
        turn
    }

    fn outcome(&self, call: Arc<str>, reply: &Reply) -> Event {
        Event::Outcome { call, status: reply.status, value: reply.value.clone(), error: reply.error.clone() }
    }

    /// Takes an outside event; the calls to the host that are to be made come back.
    fn take(
        &mut self,
        index: usize,
        what: What,
        event: &Event,
        span: Span,
        turn: &mut PlayedTurn,
    ) -> Vec<(PackAt, CallOut)> {
        let before = self.state.clone();
        let mut env = env(&self.script.clock, index + 1, &mut self.ids);
        let result = cascade(self.registry, &before, event, &mut env);
        let mut made = Vec::new();
        match &result {
            Ok(done) => {
                self.state = done.state.clone();
                made = done.calls(self.registry).into_iter().map(|(at, call)| (at, call.clone())).collect();
            }
            Err(CascadeError { at, error: StepError::Boundary { failures } }) => {
                let pack = self.registry.pack();
                for failure in failures {
                    for breach in &failure.breaches {
                        let own = pack.at(*at);
                        let class = pack.qualified(*at, show::class(own, failure.class));
                        let message = format!("no step: {class}: {}", show::breach(own, failure.class, breach));
                        turn.failures.push(Failure::new(Some(index), span, message));
                    }
                }
            }
            Err(error) => turn.failures.push(Failure::new(Some(index), span, format!("no step: {error}"))),
        }
        turn.steps.extend(steps_of(self.registry, what, &before, result));
        made
    }

    /// Matches the calls that are to be made with the script, in order.
    fn match_calls(
        &self,
        index: usize,
        span: Span,
        made: &[(PackAt, CallOut)],
        calls: &mut VecDeque<&Call>,
        waiting: &mut VecDeque<Delivered>,
        turn: &mut PlayedTurn,
    ) {
        let pack = self.registry.pack();
        for (at, call) in made {
            let (at, own) = (*at, pack.at(*at));
            let replies = own.ports[call.port.index()].replies;
            match calls.front().copied() {
                Some(script) if (script.pack, script.port) == (at, call.port) => {
                    calls.pop_front();
                    judge::check_call(pack, index, call, script, &mut turn.failures);
                    if let Some(reply) = &script.reply {
                        let (call, port) = (call.id.clone(), call.port);
                        waiting.push_back(Delivered { call, pack: at, port, reply: reply.clone() });
                    }
                }
                // A call that expects no answer needs no script.
                _ if !replies => {}
                next => {
                    let mut failure = Failure::new(
                        Some(index),
                        next.map_or(span, |next| next.span),
                        format!("the call is not scripted: {}", show::call_at(pack, at, call)),
                    );
                    match next {
                        Some(next) => {
                            failure.expected = Some(show::port(pack, next.pack, next.port));
                            failure.actual = Some(show::port(pack, at, call.port));
                        }
                        None => {
                            let port = show::port(pack, at, call.port);
                            let help = format!("add `calls: [ {{ port: {port}, returns: {{ … }} }} ]`");
                            failure.help = Some(help);
                        }
                    }
                    turn.failures.push(failure);
                }
            }
        }
    }
}
