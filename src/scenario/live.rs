//! A conversation that is under way: told turn by turn, stepped as a replay steps it, and undone by whole turns.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::compose::cascade;
use crate::diag::{Code, Diagnostic, Diagnostics, listed, quoted, suggest};
use crate::engine::{CallOut, Event, IdSource, NumberedIds, StepError, Unheld};
use crate::model::Pack;
use crate::model::ids::PortId;
use crate::model::uses::PackAt;
use crate::registry::Registry;
use crate::source::{FileId, Span};
use crate::state::SessionState;
use crate::syntax::{self, Format, Node};

use super::run::{Delivered, Failure, PlayedTurn, What, steps_of};
use super::script::{Call, Given, Happens, Reply, env};
use super::{Clock, judge, turn};

/// The key of a turn that delivers the outcome of a call by hand.
pub const OUTCOME: &str = "outcome";

/// A conversation that is under way.
pub struct Conversation<'r> {
    pub(super) registry: &'r Registry,
    pub(super) start: Given,
    pub(super) ids: Ids<'r>,
    pub(super) turns: Vec<Told>,
    state: SessionState,
}

/// A turn that was told.
#[derive(Debug)]
pub struct Told {
    /// What happened.
    pub played: PlayedTurn,
    /// Each call that was made in it to a port that replies, in order.
    pub calls: Vec<Made>,
    /// Its input, as a turn of a scenario writes it.
    pub(super) said: Json,
    /// The first of the calls that was not asked about yet.
    next: usize,
    before: SessionState,
    numbered: NumberedIds,
    issued: usize,
}

/// A call that was made.
#[derive(Debug)]
pub struct Made {
    /// The pack that made it.
    pub pack: PackAt,
    /// The call.
    pub call: CallOut,
    /// How it ended; `None` = it was left open, or closed before it was asked about.
    pub reply: Option<Reply>,
}

/// Ids of a source, each beside the one that counting would have given: that is what it is called when it is replayed. Neither
/// is one that the state holds.
pub(super) struct Ids<'r> {
    source: Option<Box<dyn IdSource>>,
    numbered: NumberedIds,
    pack: &'r Pack,
    /// The state before the event that is taken.
    held: SessionState,
    pub(super) issued: Vec<(Arc<str>, Arc<str>)>,
}

impl Ids<'_> {
    /// Whether they come from a source, that of the session as well.
    pub(super) fn are_drawn(&self) -> bool {
        self.source.is_some()
    }
}

impl IdSource for Ids<'_> {
    fn fresh(&mut self, prefix: &str) -> Arc<str> {
        let unheld =
            |source: &mut dyn IdSource| Unheld { source, pack: self.pack, held: &self.held, twice: None }.fresh(prefix);
        let counted = unheld(&mut self.numbered);
        let Some(source) = &mut self.source else { return counted };
        let id = unheld(&mut **source);
        self.issued.push((id.clone(), counted));
        id
    }
}

impl<'r> Conversation<'r> {
    /// A conversation that begins in a state. Without a source of ids they count, as in a replay.
    #[must_use]
    pub fn new(registry: &'r Registry, start: Given, source: Option<Box<dyn IdSource>>) -> Self {
        let state = start.state.clone();
        let (pack, held) = (registry.pack(), start.state.clone());
        let ids = Ids { source, numbered: NumberedIds::default(), pack, held, issued: Vec::new() };
        Self { registry, start, ids, turns: Vec::new(), state }
    }

    /// The state as it stands.
    #[must_use]
    pub fn state(&self) -> &SessionState {
        &self.state
    }

    /// The clock and the session.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.start.clock
    }

    /// The turns so far.
    #[must_use]
    pub fn turns(&self) -> &[Told] {
        &self.turns
    }

    /// Begins a turn: an input under its turn key or `outcome`, with its value and the signals of the host as JSON texts. What
    /// it sets off stands in the last turn; calls may be [`due`](Self::due).
    ///
    /// # Errors
    /// What is wrong with the input; nothing has happened then. The places of the findings mean nothing.
    pub fn begin(&mut self, key: &str, value: &str, signals: Option<&str>) -> Result<(), Vec<Diagnostic>> {
        let registry = self.registry;
        known_key(registry.pack(), key)?;
        let mut text = format!("{{{}:{value}", Json::from(key));
        if let Some(signals) = signals {
            text.push_str(&format!(",\"signals\":{signals}"));
        }
        text.push('}');
        let (turn, said) = parsed(&text, |node, out| turn::read(registry, node, out))?;
        let Some(input) = turn.inputs.into_iter().next() else { return Err(Vec::new()) };
        let event = match &input.happens {
            Happens::Event(event) => event.clone(),
            Happens::Outcome { of, reply } => outcome(of.id(&self.state), reply),
        };
        let state = &self.state;
        self.turns.push(Told {
            played: PlayedTurn { steps: Vec::new(), state: state.clone(), failures: Vec::new() },
            calls: Vec::new(),
            said,
            next: 0,
            before: state.clone(),
            numbered: self.ids.numbered.clone(),
            issued: self.ids.issued.len(),
        });
        self.take(What::Input { shown: input.shown, text: input.text }, &event);
        Ok(())
    }

    /// The call whose outcome is due, with its pack: the first one of the turn that is open and was not asked about.
    #[must_use]
    pub fn due(&self) -> Option<(PackAt, &CallOut)> {
        let told = self.turns.last()?;
        let made = &told.calls[self.next(told)?];
        Some((made.pack, &made.call))
    }

    fn next(&self, told: &Told) -> Option<usize> {
        let calls = self.state.host_calls(self.registry.pack());
        let open = |made: &Made| calls.iter().any(|(_, open)| open.id == made.call.id);
        (told.next..told.calls.len()).find(|at| open(&told.calls[*at]))
    }

    /// Ends the call that is due.
    pub fn answer(&mut self, reply: Reply) {
        let Some((pack, call, port)) = self.due().map(|(at, call)| (at, call.id.clone(), call.port)) else { return };
        let event = outcome(call.clone(), &reply);
        self.pass(Some(reply.clone()));
        self.take(What::Outcome(Delivered { call, pack, port, reply }), &event);
    }

    /// Leaves the call that is due open: its outcome may come later, by hand.
    pub fn leave_open(&mut self) {
        self.pass(None);
    }

    fn pass(&mut self, reply: Option<Reply>) {
        let Some(at) = self.turns.last().and_then(|told| self.next(told)) else { return };
        if let Some(told) = self.turns.last_mut() {
            told.calls[at].reply = reply;
            told.next = at + 1;
        }
    }

    /// Takes the last turn back; `false` = there is none.
    pub fn undo(&mut self) -> bool {
        let Some(told) = self.turns.pop() else { return false };
        self.state = told.before;
        self.ids.numbered = told.numbered;
        self.ids.issued.truncate(told.issued);
        true
    }

    fn take(&mut self, what: What, event: &Event) {
        let pack = self.registry.pack();
        let before = self.state.clone();
        self.ids.held = before.clone();
        let mut env = env(&self.start.clock, self.turns.len(), &mut self.ids);
        let result = cascade(self.registry, &before, event, &mut env);
        let Some(told) = self.turns.last_mut() else { return };
        if let Ok(done) = &result {
            self.state = done.state.clone();
            told.played.state = done.state.clone();
            let made = done.calls(self.registry).into_iter();
            let made = made.filter(|(at, call)| pack.at(*at).ports[call.port.index()].replies);
            told.calls.extend(made.map(|(pack, call)| Made { pack, call: call.clone(), reply: None }));
        }
        told.played.steps.extend(steps_of(self.registry, what, &before, result));
    }
}

impl Told {
    /// Why a step of the turn could not be taken at all.
    #[must_use]
    pub fn error(&self) -> Option<(PackAt, &StepError)> {
        self.played.steps.iter().find_map(|step| Some((step.pack, step.result.as_ref().err()?)))
    }
}

fn outcome(call: Arc<str>, reply: &Reply) -> Event {
    Event::Outcome { call, status: reply.status, value: reply.value.clone(), error: reply.error.clone() }
}

/// What a call has other than a scripted one must have, in words.
#[must_use]
pub fn differences(registry: &Registry, call: &CallOut, script: &Call) -> Vec<String> {
    let mut failures = Vec::new();
    judge::check_call(registry.pack(), 0, call, script, &mut failures);
    let told = |failure: &Failure| match (&failure.expected, &failure.actual) {
        (Some(expected), Some(actual)) => format!("{}: expected {expected}, found {actual}", failure.message),
        _ => failure.message.clone(),
    };
    failures.iter().map(told).collect()
}

/// How a call to a port ends, from a JSON text: `returns`, or `status` and `error`, as a scripted call has them.
///
/// # Errors
/// What is wrong with it; the places of the findings mean nothing. An answer that breaks the declaration of its port is none:
/// [`Reply::contract`] says so.
pub fn ending(registry: &Registry, port: (PackAt, PortId), text: &str) -> Result<Reply, Vec<Diagnostic>> {
    parsed(text, |node, out| turn::ending(registry, port, node, out)).map(|(reply, _)| reply)
}

fn parsed<T>(text: &str, read: impl FnOnce(&Node, &Diagnostics) -> Option<T>) -> Result<(T, Json), Vec<Diagnostic>> {
    let out = Diagnostics::new();
    let node = syntax::parse(FileId(0), text, Format::Json, &out).filter(|_| out.is_empty());
    let read = node.and_then(|node| read(&node, &out)).filter(|_| out.is_empty());
    match (read, serde_json::from_str(text)) {
        (Some(read), Ok(json)) => Ok((read, json)),
        _ => Err(out.into_sorted()),
    }
}

fn known_key(pack: &Pack, key: &str) -> Result<(), Vec<Diagnostic>> {
    let keys: Vec<&str> =
        pack.events.iter().map(|event| pack.names.text(event.turn)).chain(std::iter::once(OUTCOME)).collect();
    if keys.contains(&key) {
        return Ok(());
    }
    let nowhere = Span { file: FileId(0), start: 0, end: 0 };
    let found = Diagnostic::error(Code::UnknownKey, nowhere, format!("{} is no input of this pack", quoted(key)));
    Err(vec![found.help(match suggest(key, keys.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("inputs are {}", listed(&keys)),
    })])
}
