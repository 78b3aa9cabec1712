//! A session that is under way: each event is taken, written, and only then in force.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use crate::compose::{Cascade, CascadeError, cascade_with};
use crate::engine::{Env, Event, Scratch, Stage, restore};
use crate::model::Pack;
use crate::model::json::{DataError, to_json};
use crate::model::names::Sym;
use crate::model::reason::STATUSES;
use crate::model::uses::PackAt;
use crate::registry::Registry;
use crate::state::{SCHEMA_VERSION, SessionState};

use super::record::{Entry, Head, Kept, Pending, Retention};
use super::store::{Commit, Store, StoreError};

/// A session that is under way.
pub struct Live<'r, S> {
    registry: &'r Registry,
    store: S,
    head: Head,
    state: SessionState,
    pending: Vec<Pending>,
    scratch: Scratch,
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
        let pack = registry.pack();
        let state = SessionState::new(pack);
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
        Ok(Self { registry, store, head, state, pending: Vec::new(), scratch: Scratch::default() })
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
        let Kept { head, state, pending } = store.read(id)?;
        let ended = || SessionError::Ended { id: id.to_owned() };
        let saved = state.filter(|_| head.ended.is_none()).ok_or_else(ended)?;
        let wrong = |error| SessionError::State { id: id.to_owned(), error };
        let json = serde_json::from_str(&saved).map_err(|error| wrong(DataError::new("", error.to_string())))?;
        let restored = restore(registry, &json, env).map_err(wrong)?;
        let live = Self { registry, store, head, state: restored.state, pending, scratch: Scratch::default() };
        Ok(Resumed { live, repaired: restored.repaired })
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

    /// Takes an event: it is written before anything of it is in force. The calls and messages of what comes back may leave then. An
    /// event that is refused changes nothing, and is not written.
    ///
    /// # Errors
    /// [`SessionError`]; the session stands where it stood. After a [`StoreError::Conflict`] it is to be taken up anew.
    pub fn take(&mut self, event: &Event, env: &mut Env<'_>) -> Result<Cascade, SessionError> {
        let pack = self.registry.pack();
        let done = cascade_with(self.registry, &self.state, event, env, &mut self.scratch)?;
        if done.refused().is_some() {
            return Ok(done);
        }
        if let Some(probe) = &mut env.probe {
            probe.reached(Stage::Write);
        }
        let mut head = self.head.clone();
        head.revision += 1;
        env.now.as_ref().clone_into(&mut head.touched);
        let turn = match event {
            Event::Input { .. } => {
                head.turns += 1;
                head.turns
            }
            Event::Outcome { call, .. } => self.turn_of(call),
        };
        let pending = self.pending_after(&done, turn);
        let entry = entry(self.registry, &done, event, (head.revision, turn, &head.touched));
        let state = done.state.to_json(pack).to_string();
        self.store.commit(Commit { head: &head, state: &state, entry: &entry, pending: &pending })?;
        self.state = done.state.clone();
        (self.head, self.pending) = (head, pending);
        Ok(done)
    }

    /// Ends it; what is kept of it is said.
    ///
    /// # Errors
    /// [`SessionError::Store`]; the session goes on then.
    pub fn end(&mut self, retention: Retention, now: &str) -> Result<(), SessionError> {
        if self.head.ended.is_some() {
            return Err(SessionError::Ended { id: self.head.id.clone() });
        }
        let mut head = self.head.clone();
        head.revision += 1;
        now.clone_into(&mut head.touched);
        head.ended = Some(now.to_owned());
        self.store.end(&head, retention)?;
        self.head = head;
        Ok(())
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

/// What an event came to, for the log of the session.
fn entry(registry: &Registry, done: &Cascade, event: &Event, (revision, turn, at): (u64, u64, &str)) -> Entry {
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
        let name = pack.qualified(at, of.names.text(of.messages[message.message.index()].name));
        json!({ "message": name, "with": message.body(of) })
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
            let mut told = json!({ "event": pack.names.text(declared.name), "with": with });
            if !signals.is_empty() {
                told["signals"] = Json::Object(signals);
            }
            told
        }
        Event::Outcome { call, status, value, error } => {
            let mut told = json!({ "call": &**call, "status": STATUSES[*status as usize] });
            if let Some(value) = value {
                told["value"] = value.clone();
            }
            if let Some(error) = error {
                told["error"] = (&**error).into();
            }
            json!({ "outcome": told })
        }
    }
}
