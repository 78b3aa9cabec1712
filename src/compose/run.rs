//! A cascade under way: the states of all packs on a copy, and which calls wait for which pack.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::engine::{CallOut, Env, Event, Scratch, Step, StepError, boundary_step, step_with};
use crate::model::names::Sym;
use crate::model::uses::{PackAt, Serve};
use crate::model::{Status, reason};
use crate::registry::Registry;
use crate::state::{Link, SessionState, Together};

use super::{Cascade, CascadeError, Cause, NO_REPLY, Taken, Undone};

/// Why a cascade came to nothing.
enum Trouble {
    /// The step of a pack.
    Step(PackAt, StepError),
    /// Too many steps; the last one would have been of this pack.
    Limit(PackAt),
}

/// How a call between packs ends.
struct Ends {
    status: Status,
    value: Option<Json>,
    error: Option<Arc<str>>,
}

impl Ends {
    fn failed(error: &str) -> Self {
        Self { status: Status::Failed, value: None, error: Some(error.into()) }
    }
}

pub(super) struct Run<'a, 'e, 'i> {
    registry: &'a Registry,
    /// The state before the outside event.
    start: &'a SessionState,
    env: &'e mut Env<'i>,
    scratch: &'e mut Scratch,
    /// Of each pack, the outermost first.
    states: Vec<SessionState>,
    links: Vec<Link>,
    /// The calls of which it is known how they end, before that is told to who made them.
    ending: Vec<Arc<str>>,
    taken: Vec<Taken>,
}

impl<'a, 'e, 'i> Run<'a, 'e, 'i> {
    pub fn new(
        registry: &'a Registry,
        start: &'a SessionState,
        env: &'e mut Env<'i>,
        scratch: &'e mut Scratch,
    ) -> Self {
        let (states, links, ending, taken) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut run = Self { registry, start, env, scratch, states, links, ending, taken };
        run.begin();
        run
    }

    /// Everything as it was before the outside event.
    fn begin(&mut self) {
        let pack = self.registry.pack();
        let own = |at| self.start.at(at).cloned().unwrap_or_else(|| SessionState::bare(pack.at(at)));
        self.states = pack.all().map(own).collect();
        self.states[0].used = None;
        self.links = self.start.used.as_ref().map_or_else(Vec::new, |used| used.links.clone());
        self.ending.clear();
        self.taken.clear();
    }

    /// Takes the outside event; where that comes to nothing, the boundary of the outermost pack takes it.
    pub fn outside(mut self, event: &Event) -> Result<Cascade, CascadeError> {
        let (at, event) = self.whose(event);
        let link = self.waiting(at, &event);
        let trouble = match self.take(at, Cause::Outside, &event, link, None) {
            Ok(()) => return Ok(self.finish(None)),
            Err(trouble) => trouble,
        };
        let steps = self.taken.len();
        let syms = &self.registry.syms;
        let (pack, why, error) = match trouble {
            Trouble::Limit(pack) => (pack, syms.step_limit, StepError::TooManySteps),
            Trouble::Step(pack, error) => (pack, syms.verification_failed, error),
        };
        // Its boundary has tried already, or the event is none that could be taken at all.
        if (steps == 0 && at.is_outermost()) || !matches!(error, StepError::Boundary { .. } | StepError::TooManySteps) {
            return Err(CascadeError { at: pack, error });
        }
        self.begin();
        let Some(event) = self.upward(at, event, why) else { return Err(CascadeError { at: pack, error }) };
        let failures = match error {
            StepError::Boundary { failures } => failures,
            _ => Vec::new(),
        };
        match self.take(PackAt::OUTERMOST, Cause::Outside, &event, None, Some(why)) {
            Ok(()) => Ok(self.finish(Some(Undone { at: pack, why, failures, steps }))),
            Err(Trouble::Step(at, error)) => Err(CascadeError { at, error }),
            Err(Trouble::Limit(at)) => Err(CascadeError { at, error: StepError::TooManySteps }),
        }
    }

    fn finish(mut self, undone: Option<Undone>) -> Cascade {
        let used = self.states.split_off(1);
        let own = self.states.swap_remove(0);
        let used = Some(Arc::new(Together { states: used, links: self.links }));
        Cascade { state: SessionState { used, ..own }, steps: self.taken, undone }
    }

    /// The pack that an outside event is for: an outcome finds it by its call. A call that a pack serves is not the host's to end.
    fn whose(&self, event: &Event) -> (PackAt, Event) {
        let Event::Outcome { call, status, value, error } = event else { return (PackAt::OUTERMOST, event.clone()) };
        if self.links.iter().any(|link| link.call == *call) {
            let (status, value, error) = (*status, value.clone(), error.clone());
            return (PackAt::OUTERMOST, Event::Outcome { call: "".into(), status, value, error });
        }
        let at = self.registry.pack().all().find(|at| self.is_open(*at, call));
        (at.unwrap_or_default(), event.clone())
    }

    /// The call that waits for what a call of a pack comes to.
    fn waiting(&self, at: PackAt, event: &Event) -> Option<Arc<str>> {
        let Event::Outcome { call, .. } = event else { return None };
        self.links.iter().find(|link| link.pack == at && link.calls.contains(call)).map(|link| link.call.clone())
    }

    /// The outside event as the outermost pack has it: an outcome of a used pack's call is one of the call that waits for it.
    fn upward(&self, at: PackAt, event: Event, why: Sym) -> Option<Event> {
        let mut at = at;
        let mut event = event;
        while !at.is_outermost() {
            let call = self.waiting(at, &event)?;
            at = self.links.iter().find(|link| link.call == call)?.caller;
            let error = Some(self.registry.pack().names.text(why).into());
            event = Event::Outcome { call, status: Status::Failed, value: None, error };
        }
        Some(event)
    }

    fn is_open(&self, at: PackAt, call: &str) -> bool {
        self.states[at.index()].open_calls().iter().any(|open| &*open.id == call)
    }

    /// Takes a step of a pack, and all that it sets off. `serving`: the call that waits for what it comes to. `forced`: its boundary
    /// takes it, for this reason.
    fn take(
        &mut self,
        at: PackAt,
        cause: Cause,
        event: &Event,
        serving: Option<Arc<str>>,
        forced: Option<Sym>,
    ) -> Result<(), Trouble> {
        let registry = self.registry.at(at);
        if self.taken.len() >= self.registry.pack().step_limit as usize {
            return Err(Trouble::Limit(at));
        }
        let before = self.states[at.index()].clone();
        let step = match forced {
            Some(why) => boundary_step(registry, &before, event, why, self.env, self.scratch),
            None => step_with(registry, &before, event, self.env, self.scratch),
        };
        let step = step.map_err(|error| Trouble::Step(at, error))?;
        self.states[at.index()] = step.state.clone();
        let mut closed = Vec::new();
        let lost = self.settle_links(at, event, &step, serving.as_ref(), &mut closed);
        let undecided = serving.as_ref().filter(|call| !self.ending.contains(call));
        let reply = undecided.and_then(|call| self.reply(at, call, &step));
        let (place, ends) = reply.map_or((None, None), |(place, ends)| (Some(place), Some(ends)));
        // The first message counts, although the calls of the step come before what it ends.
        self.ending.extend(serving.clone().filter(|_| ends.is_some()));
        let calls = step.calls.clone();
        let refused = step.refused;
        self.taken.push(Taken { pack: at, cause, before, step, reply: place, closed });
        for call in lost {
            self.answer(&call, Ends { status: Status::Cancelled, value: None, error: None })?;
        }
        let pack = self.registry.pack();
        for call in &calls {
            let Some(serve) = pack.served(at, call.port) else { continue };
            if !pack.at(at).ports[call.port.index()].replies || self.is_open(at, &call.id) {
                self.enter(at, call, serve)?;
            }
        }
        let Some(call) = serving else { return Ok(()) };
        let ended = match ends {
            Some(ends) => Some(ends),
            None if self.ending.contains(&call) => None,
            None => self
                .links
                .iter()
                .find(|link| link.call == call && link.calls.is_empty())
                .map(|_| Ends::failed(refused.map_or(NO_REPLY, |reason| registry.pack().names.text(reason)))),
        };
        match ended {
            Some(ends) => self.answer(&call, ends),
            None => Ok(()),
        }
    }

    /// Brings the links up to date with a step: its calls belong to the one that it serves; what it closed closes what was called
    /// for it, and goes to `closed`. The calls that nothing answers any more come back.
    fn settle_links(
        &mut self,
        at: PackAt,
        event: &Event,
        step: &Step,
        serving: Option<&Arc<str>>,
        closed: &mut Vec<(PackAt, Arc<str>)>,
    ) -> Vec<Arc<str>> {
        if let Event::Outcome { call, .. } = event
            && step.refused.is_none()
        {
            // Where the boundary took it in place of what serves the call, that one goes on with nothing.
            self.close_made_for(at, call, closed);
            for link in self.links.iter_mut().filter(|link| link.pack == at) {
                link.calls.retain(|open| open != call);
            }
        }
        for call in &step.closed {
            self.close_made_for(at, call, closed);
        }
        let mut lost = Vec::new();
        for link in self.links.iter_mut().filter(|link| link.pack == at) {
            let had = link.calls.len();
            link.calls.retain(|call| !step.closed.contains(call));
            if link.calls.is_empty() && had > 0 && Some(&link.call) != serving {
                lost.push(link.call.clone());
            }
        }
        let open: Vec<Arc<str>> =
            step.calls.iter().map(|call| call.id.clone()).filter(|call| self.is_open(at, call)).collect();
        if let Some(link) = self.links.iter_mut().find(|link| Some(&link.call) == serving) {
            link.calls.extend(open);
        }
        lost
    }

    /// Closes the calls that were made for a call of a pack, which is no longer open.
    fn close_made_for(&mut self, at: PackAt, call: &str, closed: &mut Vec<(PackAt, Arc<str>)>) {
        let made = self.links.iter().position(|link| link.caller == at && &*link.call == call);
        let Some(link) = made.map(|made| self.links.remove(made)) else { return };
        for call in link.calls {
            self.states[link.pack.index()].close_call(&call);
            self.close_made_for(link.pack, &call, closed);
            closed.push((link.pack, call));
        }
    }

    /// A call becomes an event of the pack that serves it.
    fn enter(&mut self, at: PackAt, call: &CallOut, serve: &Serve) -> Result<(), Trouble> {
        let (caller, by) = (self.registry.at(at).pack(), self.registry.at(serve.by));
        let replies = caller.ports[call.port.index()].replies;
        let payload = call.request(caller);
        let name = by.pack().names.text(by.pack().events[serve.event.index()].name);
        let event = Event::input(by, name, &payload, &Json::Object(Map::new()));
        if replies {
            let (call, pack) = (call.id.clone(), serve.by);
            self.links.push(Link { caller: at, call, pack, calls: Vec::new() });
        }
        let entered = match event {
            Ok(event) => {
                let cause = Cause::Entry { caller: at, call: call.id.clone(), event: event.clone() };
                let before = self.taken.len();
                match self.take(serve.by, cause, &event, replies.then(|| call.id.clone()), None) {
                    Err(Trouble::Step(_, StepError::TextTooLong { .. })) if self.taken.len() == before => None,
                    taken => Some(taken),
                }
            }
            Err(_) => None,
        };
        match entered {
            Some(taken) => taken,
            // What is longer than is read at once is nothing that the pack takes.
            None if replies => self.answer(&call.id, Ends::failed(reason::CONTRACT)),
            None => Ok(()),
        }
    }

    /// The message of a step that ends the call which it serves.
    fn reply(&self, at: PackAt, call: &Arc<str>, step: &Step) -> Option<(usize, Ends)> {
        let link = self.links.iter().find(|link| link.call == *call)?;
        let all = self.registry.pack();
        let caller = all.at(link.caller);
        let waiting = self.states[link.caller.index()].open_calls().into_iter().find(|open| open.id == *call)?.port;
        let serve = all.served(link.caller, waiting)?;
        let pack = all.at(at);
        let (place, sent, status) = step.messages.iter().enumerate().find_map(|(place, sent)| {
            let (_, status) = serve.replies.iter().find(|(message, _)| *message == sent.message)?;
            Some((place, sent, *status))
        })?;
        let body = sent.body(pack);
        if status != Status::Ok {
            let error = match body.get("error") {
                Some(Json::String(error)) => error.clone(),
                Some(error) => error.to_string(),
                None => pack.names.text(pack.messages[sent.message.index()].name).to_owned(),
            };
            return Some((place, Ends { status, value: None, error: Some(error.into()) }));
        }
        let mut value = Map::new();
        for field in caller.ports[waiting.index()].answer(caller) {
            let name = caller.crossing(&field);
            if let Some(given) = body.get(name) {
                value.insert(name.to_owned(), given.clone());
            }
        }
        Some((place, Ends { status, value: Some(Json::Object(value)), error: None }))
    }

    /// Ends a call that a pack serves, where it is still open.
    fn answer(&mut self, call: &Arc<str>, ends: Ends) -> Result<(), Trouble> {
        let Some(at) = self.links.iter().position(|link| link.call == *call) else { return Ok(()) };
        let Link { caller, pack: from, calls, .. } = self.links.remove(at);
        // What the serving pack still has under way goes on, for nobody.
        drop(calls);
        let Ends { status, value, error } = ends;
        let event = Event::Outcome { call: call.clone(), status, value: value.clone(), error: error.clone() };
        let cause = Cause::Reply { from, call: call.clone(), status, value, error };
        let serving = self.waiting(caller, &event);
        self.take(caller, cause, &event, serving, None)
    }
}
