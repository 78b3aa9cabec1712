//! A session that is under way: each event is taken, written, and only then in force.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use crate::compose::{Cascade, CascadeError, cascade_with};
use crate::engine::{Env, Event, Scratch, Stage, ended, restore};
use crate::model::Pack;
use crate::model::ids::PortId;
use crate::model::json::{DataError, to_json};
use crate::model::names::Sym;
use crate::model::reason::STATUSES;
use crate::model::uses::PackAt;
use crate::registry::Registry;
use crate::state::{SCHEMA_VERSION, SessionState, Texts};

use super::record::{Entry, Head, Kept, Pending, Retention, Written};
use super::store::{Commit, Store, StoreError};

/// A session that is under way.
pub struct Live<'r, S> {
    registry: &'r Registry,
    store: S,
    head: Head,
    state: SessionState,
    pending: Vec<Pending>,
    /// The ports whose requests say what is known of the session.
    tells: Vec<(PackAt, PortId)>,
    /// Whether the event with which the pack ends the session gives up what was said.
    gives_up: bool,
    scratch: Scratch,
    texts: Texts,
}

/// Where a session stood: what [`Live::put_back`] goes back to.
#[derive(Debug, Clone)]
pub struct Point {
    revision: u64,
    turns: u64,
    context: Map<String, Json>,
    state: SessionState,
    pending: Vec<Pending>,
}

/// What is known of a session after an event: the head, at the revision before it, the calls that are open, and the turn of the event.
struct Next {
    head: Head,
    pending: Vec<Pending>,
    turn: u64,
}

/// A session that was taken up again.
pub struct Resumed<'r, S> {
    /// The session.
    pub live: Live<'r, S>,
    /// The invariants that its state broke and that were mended as they declare.
    pub repaired: Vec<(PackAt, Sym)>,
}

/// Why an event was not taken, or a session is not under way. What is kept is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// The store did not do what it was asked.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its state is not one of this pack, or not whole.
    #[error("session {id} cannot be taken up: {error}")]
    State {
        /// The session.
        id: String,
        /// What is wrong.
        error: DataError,
    },
    /// It has ended.
    #[error("session {id} has ended")]
    Ended {
        /// The session.
        id: String,
    },
    /// No step could be taken.
    #[error(transparent)]
    Step(#[from] CascadeError),
}

impl<'r, S: Store> Live<'r, S> {
    /// Opens a new session under an id that no other has, with what the host knows of it, such as the name of a database.
    ///
    /// # Errors
    /// [`SessionError::Store`].
    pub fn open(
        registry: &'r Registry,
        store: S,
        id: &str,
        context: Map<String, Json>,
        now: &str,
    ) -> Result<Self, SessionError> {
        Self::open_in(registry, store, id, SessionState::new(registry.pack()), context, now)
    }

    /// Opens a new session that begins in a state, as [`open`](Self::open) does. Of calls that are open in it no more is known than
    /// what stands there: they are not [`pending`](Self::pending).
    ///
    /// # Errors
    /// [`SessionError::Store`].
    pub fn open_in(
        registry: &'r Registry,
        store: S,
        id: &str,
        state: SessionState,
        context: Map<String, Json>,
        now: &str,
    ) -> Result<Self, SessionError> {
        let pack = registry.pack();
        let head = Head {
            id: id.to_owned(),
            pack: pack.names.text(pack.id).to_owned(),
            fingerprint: pack.fingerprint.clone(),
            schema_version: SCHEMA_VERSION,
            context,
            opened: now.to_owned(),
            touched: now.to_owned(),
            ended: None,
            turns: 0,
            revision: 0,
        };
        let saved = Some(state.to_json(pack).to_string());
        store.create(&Kept { head: head.clone(), state: saved, pending: Vec::new() })?;
        Ok(Self {
            registry,
            store,
            head,
            state,
            pending: Vec::new(),
            tells: Vec::new(),
            gives_up: false,
            scratch: Scratch::default(),
            texts: Texts::default(),
        })
    }

    /// Takes up a session that is kept. Its [`pending`](Self::pending) calls are to be made again: nobody knows what became of them.
    ///
    /// # Errors
    /// [`SessionError`]: there is none, it has ended, or its state is that of another pack, registry or version.
    pub fn resume(
        registry: &'r Registry,
        store: S,
        id: &str,
        env: &mut Env<'_>,
    ) -> Result<Resumed<'r, S>, SessionError> {
        let (head, json, pending) = read(&store, id)?;
        let restored = restore(registry, &json, env).map_err(wrong(id))?;
        let (state, tells, gives_up) = (restored.state, Vec::new(), false);
        let (scratch, texts) = (Scratch::default(), Texts::default());
        Ok(Resumed {
            live: Self { registry, store, head, state, pending, tells, gives_up, scratch, texts },
            repaired: restored.repaired,
        })
    }

    /// Lets the requests of these ports say what is known of the session: each argument of a call stands in the context from then on, in
    /// the same commit as the step that makes the call (S1 IRW-REQ-03, "Persist session metadata").
    #[must_use]
    pub fn told_by(self, tells: Vec<(PackAt, PortId)>) -> Self {
        Self { tells, ..self }
    }

    /// Lets the event after which the pack says that the session has come to its end (`ended` of its manifest) end it in the same commit, of
    /// which only what is known of it stays ([`Retention::Metadata`]): whoever dies then leaves nothing of what was said.
    #[must_use]
    pub fn gives_up(self, gives_up: bool) -> Self {
        Self { gives_up, ..self }
    }

    /// What is known of it.
    #[must_use]
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Its state.
    #[must_use]
    pub fn state(&self) -> &SessionState {
        &self.state
    }

    /// The calls that have not ended, in the order made.
    #[must_use]
    pub fn pending(&self) -> &[Pending] {
        &self.pending
    }

    /// The state that is written: where [`hold`](Self::hold) was asked for another one than that which is in force.
    ///
    /// # Errors
    /// [`SessionError`]: it cannot be read, or is none of this pack.
    pub fn written(&self) -> Result<SessionState, SessionError> {
        let (_, json, _) = read(&self.store, &self.head.id)?;
        SessionState::from_json(self.registry.pack(), &json).map_err(wrong(&self.head.id))
    }

    /// Takes an event: it is written before anything of it is in force. The calls and messages of what comes back may leave then. An
    /// event that is refused changes nothing, and is not written.
    ///
    /// # Errors
    /// [`SessionError`]; the session stands where it stood. After a [`StoreError::Conflict`] it is to be taken up anew; after
    /// [`SessionError::Ended`] another one has ended it.
    pub fn take(&mut self, event: &Event, env: &mut Env<'_>) -> Result<Cascade, SessionError> {
        let (done, next) = self.stepped(event, env)?;
        if let Some(Next { mut head, pending, turn }) = next {
            head.revision += 1;
            if self.gives_up && ended(self.registry, &done.state, env) {
                head.ended = Some(head.touched.clone());
                self.store.end(&head, Retention::Metadata).map_err(|error| self.refused(error))?;
                (self.head, self.state, self.pending) = (head, done.state.clone(), pending);
                return Ok(done);
            }
            let at = (head.revision, turn, &*head.touched);
            let entry = entry(self.registry, &mut self.texts, &done, event, at);
            self.commit(head, done.state.clone(), pending, entry)?;
        }
        Ok(done)
    }

    /// Takes an event without writing it: it is in force, and the next commit writes what has come of it, all but its entry in the log.
    /// For what a host does about a store that fails (S1 IRW-REQ-05, "State Synchronization Failures").
    ///
    /// # Errors
    /// [`SessionError::Step`]; the session stands where it stood. [`SessionError::Ended`].
    pub fn hold(&mut self, event: &Event, env: &mut Env<'_>) -> Result<Cascade, SessionError> {
        let (done, next) = self.stepped(event, env)?;
        if let Some(Next { head, pending, .. }) = next {
            (self.head, self.state, self.pending) = (head, done.state.clone(), pending);
        }
        Ok(done)
    }

    /// What an event comes to, and what is known of the session then; nothing where it is refused.
    fn stepped(&mut self, event: &Event, env: &mut Env<'_>) -> Result<(Cascade, Option<Next>), SessionError> {
        if self.head.ended.is_some() {
            return Err(SessionError::Ended { id: self.head.id.clone() });
        }
        let done = cascade_with(self.registry, &self.state, event, env, &mut self.scratch)?;
        if done.refused().is_some() {
            return Ok((done, None));
        }
        if let Some(probe) = &mut env.probe {
            probe.reached(Stage::Write);
        }
        let mut head = self.head.clone();
        env.now.as_ref().clone_into(&mut head.touched);
        let turn = match event {
            Event::Input { .. } => {
                head.turns += 1;
                head.turns
            }
            Event::Outcome { call, .. } => self.turn_of(call),
        };
        for (at, call) in done.calls(self.registry) {
            if self.tells.contains(&(at, call.port))
                && let Json::Object(known) = call.request(self.registry.pack().at(at))
            {
                head.context.extend(known);
            }
        }
        let pending = self.pending_after(&done, turn);
        Ok((done, Some(Next { head, pending, turn })))
    }

    /// Where it stands.
    #[must_use]
    pub fn point(&self) -> Point {
        let Head { revision, turns, ref context, .. } = self.head;
        Point { revision, turns, context: context.clone(), state: self.state.clone(), pending: self.pending.clone() }
    }

    /// Puts it back to where it stood, in a commit of its own; what was taken since stays in the log.
    ///
    /// # Errors
    /// [`SessionError::Store`]; the session stands where it stood then.
    pub fn put_back(&mut self, to: &Point, now: &str) -> Result<(), SessionError> {
        let mut head = self.head.clone();
        head.revision += 1;
        now.clone_into(&mut head.touched);
        (head.turns, head.context) = (to.turns, to.context.clone());
        let entry = Entry {
            revision: head.revision,
            turn: to.turns + 1,
            at: head.touched.clone(),
            input: json!({ "put_back": { "revision": to.revision } }),
            transition: None,
            answer_mode: None,
            reasons: Vec::new(),
            calls: Vec::new(),
            messages: Vec::new(),
        };
        self.commit(head, to.state.clone(), to.pending.clone(), entry)
    }

    /// Writes where it stands from now on; then it stands there.
    fn commit(
        &mut self,
        head: Head,
        state: SessionState,
        pending: Vec<Pending>,
        entry: Entry,
    ) -> Result<(), SessionError> {
        let saved = self.texts.of(self.registry.pack(), &state);
        let commit = Commit { head: &head, state: saved, entry, pending: &pending };
        self.store.commit(commit).map_err(|error| self.refused(error))?;
        (self.head, self.state, self.pending) = (head, state, pending);
        Ok(())
    }

    /// Ends it; what is kept of it is said.
    ///
    /// # Errors
    /// [`SessionError::Store`]; the session goes on then. [`SessionError::Ended`]: it has ended already.
    pub fn end(&mut self, retention: Retention, now: &str) -> Result<(), SessionError> {
        if self.head.ended.is_some() {
            return Err(SessionError::Ended { id: self.head.id.clone() });
        }
        let mut head = self.head.clone();
        head.revision += 1;
        now.clone_into(&mut head.touched);
        head.ended = Some(now.to_owned());
        self.store.end(&head, retention).map_err(|error| self.refused(error))?;
        self.head = head;
        Ok(())
    }

    /// Why nothing was written: of a session that another one has ended that is said, and not where it stands.
    fn refused(&self, error: StoreError) -> SessionError {
        let has_ended = || self.store.read(&self.head.id).is_ok_and(|kept| kept.head.ended.is_some());
        match error {
            StoreError::Conflict { id, .. } if has_ended() => SessionError::Ended { id },
            error => error.into(),
        }
    }

    fn turn_of(&self, call: &str) -> u64 {
        self.pending.iter().find(|pending| pending.call == call).map_or(self.head.turns, |pending| pending.turn)
    }

    /// The calls that are open after an event: those that were, and those that it made.
    fn pending_after(&self, done: &Cascade, turn: u64) -> Vec<Pending> {
        let pack = self.registry.pack();
        let name = |at: PackAt, port: Sym| pack.qualified(at, pack.at(at).names.text(port));
        let made: BTreeMap<&str, Json> =
            done.calls(self.registry).into_iter().map(|(at, call)| (&*call.id, call.request(pack.at(at)))).collect();
        let open = done.state.host_calls(pack);
        let each = open.into_iter().filter_map(|(at, call)| {
            if let Some(known) = self.pending.iter().find(|pending| *pending.call == *call.id) {
                return Some(known.clone());
            }
            let port = name(at, pack.at(at).ports[call.port.index()].name);
            Some(Pending { call: call.id.to_string(), port, turn, request: made.get(&*call.id)?.clone() })
        });
        each.collect()
    }
}

/// A session that goes on, as it is written.
fn read(store: &impl Store, id: &str) -> Result<(Head, Json, Vec<Pending>), SessionError> {
    let Kept { head, state, pending } = store.read(id)?;
    let saved = state.filter(|_| head.ended.is_none()).ok_or_else(|| SessionError::Ended { id: id.to_owned() })?;
    let json = serde_json::from_str(&saved).map_err(|error| wrong(id)(DataError::new("", error.to_string())))?;
    Ok((head, json, pending))
}

fn wrong(id: &str) -> impl Fn(DataError) -> SessionError {
    move |error| SessionError::State { id: id.to_owned(), error }
}

/// What an event came to, for the log of the session.
fn entry(
    registry: &Registry,
    texts: &mut Texts,
    done: &Cascade,
    event: &Event,
    (revision, turn, at): (u64, u64, &str),
) -> Entry {
    let pack = registry.pack();
    let mut reasons: Vec<String> = Vec::new();
    for taken in &done.steps {
        for reason in &taken.step.reasons {
            let reason = pack.qualified(taken.pack, pack.at(taken.pack).names.text(*reason));
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
    }
    let messages = done.messages().map(|(at, message)| {
        let of = pack.at(at);
        let declared = &of.messages[message.message.index()];
        let name = pack.qualified(at, of.names.text(declared.name));
        Written::new(texts.message(of, &name, &declared.fields, &message.fields))
    });
    Entry {
        revision,
        turn,
        at: at.to_owned(),
        input: told(pack, event),
        transition: done.class().map(|class| pack.names.text(pack.classes[class.index()].id).to_owned()),
        answer_mode: done.answer().map(|mode| pack.names.text(pack.modes[mode.index()].name).to_owned()),
        reasons,
        calls: done.calls(registry).into_iter().map(|(_, call)| call.id.to_string()).collect(),
        messages: messages.collect(),
    }
}

/// An event as the host gives it.
fn told(pack: &Pack, event: &Event) -> Json {
    let mut told = Map::new();
    match event {
        Event::Input { event, fields } => {
            let declared = &pack.events[event.index()];
            let (mut with, mut signals) = (Map::new(), Map::new());
            for (input, value) in fields {
                let json = to_json(&pack.names, value);
                match declared.fields.iter().position(|(field, _)| field == input) {
                    Some(at) => with.insert(pack.names.text(declared.wire[at]).to_owned(), json),
                    None => signals.insert(pack.names.text(pack.inputs[input.index()].name).to_owned(), json),
                };
            }
            told.insert("event".to_owned(), pack.names.text(declared.name).into());
            told.insert("with".to_owned(), with.into());
            if !signals.is_empty() {
                told.insert("signals".to_owned(), signals.into());
            }
        }
        Event::Outcome { call, status, value, error } => {
            let mut outcome = Map::new();
            outcome.insert("call".to_owned(), (&**call).into());
            outcome.insert("status".to_owned(), STATUSES[*status as usize].into());
            if let Some(value) = value {
                outcome.insert("value".to_owned(), value.clone());
            }
            if let Some(error) = error {
                outcome.insert("error".to_owned(), (&**error).into());
            }
            told.insert("outcome".to_owned(), outcome.into());
        }
    }
    Json::Object(told)
}
