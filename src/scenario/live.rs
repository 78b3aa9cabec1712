//! A conversation that is under way: told turn by turn, stepped as a replay steps it, each event written before it is in force, and
//! undone by whole turns.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Map, Value as Json};

use crate::diag::{Code, Diagnostic, Diagnostics, listed, quoted, suggest};
use crate::engine::{CallOut, Event, IdSource, NumberedIds, Probe, StepError, Unheld, ended};
use crate::model::Pack;
use crate::model::ids::PortId;
use crate::model::json::fields_from_wire;
use crate::model::names::Sym;
use crate::model::uses::PackAt;
use crate::registry::Registry;
use crate::session::{Live, Pending, Point, Resumed, Retention, SessionError, Store};
use crate::source::{FileId, Span};
use crate::state::SessionState;
use crate::syntax::{self, Field, Format, Node};

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
    live: Live<'r, &'r dyn Store>,
    /// Whether turns are counted by the session, else by what was told, as a replay counts them.
    lasts: bool,
    /// Whether events are taken without being written.
    holds: bool,
    probe: Option<Box<dyn Probe + 'r>>,
    /// The clock as it stood when it was last looked at, and who looks at it.
    clock: Clock,
    time: Option<Time<'r>>,
    /// Where the clock stood for events, other than at the start.
    pub(super) nows: Vec<String>,
}

/// The time as the host has it when it is asked; none where it cannot be told.
pub type Time<'r> = Box<dyn FnMut() -> Option<Timestamp> + 'r>;

/// Where a conversation is kept.
pub struct Keeping<'r> {
    /// The store.
    pub store: &'r dyn Store,
    /// The ports whose requests say what is known of the session.
    pub tells: Vec<(PackAt, PortId)>,
    /// Whether the event with which the pack ends the session gives up what was said ([`Live::gives_up`]).
    pub gives_up: bool,
    /// Whether it may be taken up again: then turns have the numbers that the session gives them, else those of a replay.
    pub lasts: bool,
}

/// Why an input was not taken. Nothing has happened then.
#[derive(Debug)]
pub enum Untaken {
    /// What is wrong with it; the places of the findings mean nothing.
    Input(Vec<Diagnostic>),
    /// It could not be written.
    Session(SessionError),
}

/// A turn that was told.
#[derive(Debug)]
pub struct Told {
    /// Its number, from 1.
    pub number: usize,
    /// What happened.
    pub played: PlayedTurn,
    /// Each call that was made in it to a port that replies, in order. Where a session was taken up, those that were open come first.
    pub calls: Vec<Made>,
    /// Its input, as a turn of a scenario writes it; null where it goes on from before the session was taken up.
    pub(super) said: Json,
    /// The first of the calls that was not asked about yet.
    next: usize,
    before: Point,
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
    /// A conversation that begins in a state, as a new session under the id of its clock. Without a source of ids they count, as in a
    /// replay.
    ///
    /// # Errors
    /// The session cannot be written.
    pub fn new(
        registry: &'r Registry,
        keeping: Keeping<'r>,
        start: Given,
        source: Option<Box<dyn IdSource>>,
    ) -> Result<Self, SessionError> {
        let Given { state, clock, .. } = &start;
        let Keeping { store, tells, gives_up, lasts } = keeping;
        let live = Live::open_in(registry, store, &clock.session_id, state.clone(), Map::new(), &clock.now)?;
        Ok(Self::of(registry, live.told_by(tells).gives_up(gives_up), lasts, start, source))
    }

    /// Takes up the session of the id of the clock. The calls that were open are [`due`](Self::due) anew, under their ids. With it the
    /// invariants that its state broke and that were mended.
    ///
    /// # Errors
    /// It cannot be taken up.
    pub fn resume(
        registry: &'r Registry,
        keeping: Keeping<'r>,
        clock: Clock,
        mut source: Box<dyn IdSource>,
    ) -> Result<(Self, Vec<(PackAt, Sym)>), SessionError> {
        let Keeping { store, tells, gives_up, lasts } = keeping;
        let mut env = env(&clock, 0, &mut *source);
        let Resumed { live, repaired } = Live::resume(registry, store, &clock.session_id, &mut env)?;
        let start = Given { state: live.state().clone(), clock, repaired: Vec::new() };
        let mut own = Self::of(registry, live.told_by(tells).gives_up(gives_up), lasts, start, Some(source));
        let calls: Vec<Made> = own.live.pending().iter().filter_map(|call| own.again(call)).collect();
        if !calls.is_empty() {
            own.open_turn(count(own.live.head().turns.max(1)), Json::Null);
            own.turns[0].calls = calls;
        }
        Ok((own, repaired))
    }

    fn of(
        registry: &'r Registry,
        live: Live<'r, &'r dyn Store>,
        lasts: bool,
        start: Given,
        source: Option<Box<dyn IdSource>>,
    ) -> Self {
        let (pack, held) = (registry.pack(), start.state.clone());
        let ids = Ids { source, numbered: NumberedIds::default(), pack, held, issued: Vec::new() };
        let clock = start.clock.clone();
        let (turns, nows) = (Vec::new(), Vec::new());
        Self { registry, start, ids, turns, live, lasts, holds: false, probe: None, clock, time: None, nows }
    }

    /// A call that was open when the session was taken up, as it was made.
    fn again(&self, pending: &Pending) -> Option<Made> {
        let pack = self.registry.pack();
        let (at, open) = self.state().host_calls(pack).into_iter().find(|(_, open)| *open.id == *pending.call)?;
        let request = &pack.at(at).ports[open.port.index()].request;
        let with = fields_from_wire(pack.at(at), request, false, &pending.request).ok()?.fields;
        let call = CallOut { id: open.id.clone(), site: open.site, port: open.port, with };
        Some(Made { pack: at, call, reply: None })
    }

    /// From now on this is told which stages are reached.
    pub fn watch(&mut self, probe: Box<dyn Probe + 'r>) {
        self.probe = Some(probe);
    }

    /// From now on each event has the time that this says. Else the clock stands where it stood at the start, as in a replay.
    pub fn tell_time(&mut self, time: Time<'r>) {
        self.time = Some(time);
    }

    /// Looks at the clock.
    fn look(&mut self) {
        if let Some(now) = self.time.as_mut().and_then(|time| time()) {
            self.clock = Clock { session_id: std::mem::take(&mut self.clock.session_id), ..Clock::at(now) };
        }
    }

    /// The state as it stands.
    #[must_use]
    pub fn state(&self) -> &SessionState {
        self.live.state()
    }

    /// The clock, as it stood for the last event, and the session.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
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
    /// [`Untaken`].
    pub fn begin(&mut self, key: &str, value: &str, signals: Option<&str>) -> Result<(), Untaken> {
        let registry = self.registry;
        known_key(registry.pack(), key).map_err(Untaken::Input)?;
        let mut text = format!("{{{}:{value}", Json::from(key));
        if let Some(signals) = signals {
            text.push_str(&format!(",\"signals\":{signals}"));
        }
        text.push('}');
        let (turn, said) = parsed(&text, |node, out| turn::read(registry, node, out)).map_err(Untaken::Input)?;
        let Some(input) = turn.inputs.into_iter().next() else { return Err(Untaken::Input(Vec::new())) };
        let event = match &input.happens {
            Happens::Event(event) => event.clone(),
            Happens::Outcome { of, reply } => outcome(of.id(self.state()), reply),
        };
        let turns = self.live.head().turns;
        let number = match event {
            _ if !self.lasts => self.turns.len() + 1,
            Event::Input { .. } => count(turns + 1),
            Event::Outcome { .. } => count(turns.max(1)),
        };
        self.open_turn(number, said);
        self.take(What::Input { shown: input.shown, text: input.text }, &event).map_err(|error| {
            self.close_turn();
            Untaken::Session(error)
        })
    }

    fn open_turn(&mut self, number: usize, said: Json) {
        self.turns.push(Told {
            number,
            played: PlayedTurn { steps: Vec::new(), state: self.state().clone(), failures: Vec::new() },
            calls: Vec::new(),
            said,
            next: 0,
            before: self.live.point(),
            numbered: self.ids.numbered.clone(),
            issued: self.ids.issued.len(),
        });
    }

    /// Takes the last turn out, and lets ids count as they did before it.
    fn close_turn(&mut self) {
        let Some(told) = self.turns.pop() else { return };
        self.ids.numbered = told.numbered;
        self.ids.issued.truncate(told.issued);
    }

    /// The call whose outcome is due, with its pack: the first one of the turn that is open and was not asked about.
    #[must_use]
    pub fn due(&self) -> Option<(PackAt, &CallOut)> {
        let told = self.turns.last()?;
        let made = &told.calls[self.next(told)?];
        Some((made.pack, &made.call))
    }

    fn next(&self, told: &Told) -> Option<usize> {
        let calls = self.state().host_calls(self.registry.pack());
        let open = |made: &Made| calls.iter().any(|(_, open)| open.id == made.call.id);
        (told.next..told.calls.len()).find(|at| open(&told.calls[*at]))
    }

    /// Ends the call that is due.
    ///
    /// # Errors
    /// It could not be written; the call is due as before.
    pub fn answer(&mut self, reply: Reply) -> Result<(), SessionError> {
        let Some((pack, call, port)) = self.due().map(|(at, call)| (at, call.id.clone(), call.port)) else {
            return Ok(());
        };
        let at = self.turns.last().and_then(|told| self.next(told));
        let event = outcome(call.clone(), &reply);
        self.take(What::Outcome(Delivered { call, pack, port, reply: reply.clone() }), &event)?;
        self.pass(at, Some(reply));
        Ok(())
    }

    /// Leaves the call that is due open: its outcome may come later, by hand.
    pub fn leave_open(&mut self) {
        let at = self.turns.last().and_then(|told| self.next(told));
        self.pass(at, None);
    }

    fn pass(&mut self, at: Option<usize>, reply: Option<Reply>) {
        if let (Some(at), Some(told)) = (at, self.turns.last_mut()) {
            told.calls[at].reply = reply;
            told.next = at + 1;
        }
    }

    /// Takes the last turn back, in a commit of its own. Its number; none where there is no turn that was told here.
    ///
    /// # Errors
    /// It could not be written; the turn stands.
    pub fn undo(&mut self) -> Result<Option<usize>, SessionError> {
        let Some(told) = self.turns.last().filter(|told| !told.goes_on()) else { return Ok(None) };
        let (number, before) = (told.number, told.before.clone());
        self.look();
        self.live.put_back(&before, &self.clock.now)?;
        self.close_turn();
        Ok(Some(number))
    }

    /// From now on events are taken without being written, or written again: for what a host does about a store that fails.
    pub fn hold(&mut self, holds: bool) {
        self.holds = holds;
    }

    /// The state that is written.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn written_state(&self) -> Result<SessionState, SessionError> {
        self.live.written()
    }

    /// Whether the pack says that the session has come to its end.
    pub fn has_ended(&mut self) -> bool {
        let number = self.turns.last().map_or(0, |told| told.number);
        self.look();
        ended(self.registry, self.live.state(), &mut env(&self.clock, number, &mut self.ids))
    }

    /// Ends the session, where its last event has not; what is kept of it is said.
    ///
    /// # Errors
    /// It could not be written; the session goes on.
    pub fn end(&mut self, retention: Retention) -> Result<(), SessionError> {
        if self.live.head().ended.is_some() {
            return Ok(());
        }
        self.look();
        self.live.end(retention, &self.clock.now)
    }

    fn take(&mut self, what: What, event: &Event) -> Result<(), SessionError> {
        let pack = self.registry.pack();
        let before = self.state().clone();
        self.ids.held = before.clone();
        let number = self.turns.last().map_or(0, |told| told.number);
        self.look();
        if self.clock.now != self.start.clock.now && self.nows.last() != Some(&self.clock.now) {
            self.nows.push(self.clock.now.clone());
        }
        let mut env = env(&self.clock, number, &mut self.ids);
        env.probe = match &mut self.probe {
            Some(probe) => Some(&mut **probe),
            None => None,
        };
        let taken = if self.holds { self.live.hold(event, &mut env) } else { self.live.take(event, &mut env) };
        let result = match taken {
            Ok(done) => Ok(done),
            Err(SessionError::Step(error)) => Err(error),
            Err(error) => return Err(error),
        };
        let Some(told) = self.turns.last_mut() else { return Ok(()) };
        if let Ok(done) = &result {
            told.played.state = done.state.clone();
            let made = done.calls(self.registry).into_iter();
            let made = made.filter(|(at, call)| pack.at(*at).ports[call.port.index()].replies);
            told.calls.extend(made.map(|(pack, call)| Made { pack, call: call.clone(), reply: None }));
        }
        told.played.steps.extend(steps_of(self.registry, what, &before, result));
        Ok(())
    }
}

fn count(turns: u64) -> usize {
    usize::try_from(turns).unwrap_or(usize::MAX)
}

impl Told {
    /// Whether it goes on from before the session was taken up.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.said.is_null()
    }

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
    let out = Diagnostics::new();
    let node = syntax::data(FileId(0), text, &out).filter(|_| out.is_empty());
    let reply = node.and_then(|node| turn::ending(registry, port, &node, &out)).filter(|_| out.is_empty());
    let mut reply = reply.ok_or_else(|| out.into_sorted())?;
    // Programs and models write a null where a field is left out.
    if let Some(Json::Object(fields)) = &mut reply.value {
        fields.retain(|_, value| !value.is_null());
    }
    Ok(reply)
}

/// What is wrong with signals that a host gives with some input, a JSON text; the places of the findings mean nothing. What only one of
/// the inputs does not take is told with that one.
#[must_use]
pub fn faults_of_signals(registry: &Registry, text: &str) -> Vec<Diagnostic> {
    let events = &registry.pack().events;
    let read = parsed(text, |node, out| turn::beside(registry, events, Field::new(node, out), out).map(|_| ()));
    read.err().unwrap_or_default()
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
