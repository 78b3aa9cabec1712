//! A turn of a recorded dialogue: the event, the step, and the outcome of the call that it left open.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::compose::{Cascade, cascade};
use crate::diag::quoted;
use crate::engine::{Event, EventError, NumberedIds, Step, StepError, Verdict};
use crate::explain::{Explanation, explain};
use crate::model::class::{By, Class};
use crate::model::ids::{ClassId, InputId, PortId};
use crate::model::json::{DataError, Naming, fields_from_wire, scalar_text, to_wire};
use crate::model::lexicon::{Elem, Form};
use crate::model::recording::Recording;
use crate::model::uses::PackAt;
use crate::model::{Pack, Status};
use crate::registry::Registry;
use crate::scenario::{Clock, Delivered, Given, Reply, What, env, show, steps_of};
use crate::source::SourceMap;
use crate::state::SessionState;
use crate::syntax::Node;

use super::read::{At, json, object};
use super::{Fault, class_id};

/// How many calls of one turn are answered by `reply`; a turn that makes more goes on for ever.
const MOST_REPLIES: usize = 64;

/// A dialogue that is under way.
pub struct Dialogue<'a> {
    registry: &'a Registry,
    form: &'a Recording,
    given: Option<&'a Given>,
    clock: Clock,
    ids: NumberedIds,
    state: SessionState,
}

/// A turn that was stepped.
pub struct Stepped {
    event: Event,
    /// The signals that the record gave.
    pub signals: Json,
    before: SessionState,
    selected: Cascade,
    class: ClassId,
    settled: Vec<Settled>,
}

struct Settled {
    call: Arc<str>,
    pack: PackAt,
    port: PortId,
    value: Json,
    done: Cascade,
}

impl<'a> Dialogue<'a> {
    pub fn new(registry: &'a Registry, form: &'a Recording, given: Option<&'a Given>) -> Self {
        let (clock, state) = match given {
            Some(given) => (given.clock.clone(), given.state.clone()),
            None => (Clock::default(), SessionState::new(registry.pack())),
        };
        Self { registry, form, given, clock, ids: NumberedIds::default(), state }
    }

    /// Steps a turn. Of the record only the payload, the signals and the outcome are looked at.
    pub fn step(&mut self, at: &At<'_>, turn: &Node, next: Option<&Node>) -> Result<Stepped, Fault> {
        let form = self.form;
        if let Some(given) = self.given {
            self.state = given.state.clone();
            self.ids = NumberedIds::default();
        }
        let (event, signals) = self.event(at, turn)?;
        let before = self.state.clone();
        let said = |event: &Event| format!("«{}»", show::line(&said(self.registry.pack(), event)));
        let selected = self.take(at, turn, &before, &event)?;
        let mut class = self.class_of(at, turn, &selected)?;
        let mut settled: Vec<Settled> = Vec::new();
        while let Some((call, port, value)) = self.due(settled.last().map_or(&selected, |settled| &settled.done)) {
            if settled.len() == MOST_REPLIES {
                let class = class_id(self.registry.pack(), class);
                let message = format!("{class} on {} makes a call after {MOST_REPLIES} answers", said(&event));
                return Err(at.fault(turn, message));
            }
            let before = settled.last().map_or(&selected, |settled| &settled.done).state.clone();
            let one = self.settle(at, turn, &before, (call, PackAt::OUTERMOST, port), value)?;
            class = self.class_of(at, turn, &one.done)?;
            settled.push(one);
        }
        if let Some(way) = &form.outcome {
            let open = selected.state.host_calls(self.registry.pack());
            let [(pack, call)] = open.as_slice() else {
                let class = class_id(self.registry.pack(), class);
                let message = format!("the step of {class} on {} leaves {}", said(&event), self.calls(&selected.state));
                let why = format!("{message}, and the outcome `{way}` is that of one call");
                return Err(at.fault(turn, why));
            };
            let (call, pack, port) = (call.id.clone(), *pack, call.port);
            let value = Json::Object(self.outcome(at, turn, next, (pack, port))?);
            let one = self.settle(at, turn, &selected.state, (call, pack, port), value)?;
            class = self.class_of(at, turn, &one.done)?;
            if !one.done.state.host_calls(self.registry.pack()).is_empty() {
                let class = class_id(self.registry.pack(), class);
                let message = format!(
                    "after the outcome the step of {class} on {} leaves {}",
                    said(&event),
                    self.calls(&one.done.state)
                );
                return Err(at.fault(turn, format!("{message}, and a turn has one outcome")));
            }
            settled.push(one);
        }
        let last = settled.last().map_or(&selected, |settled| &settled.done);
        self.state = last.state.clone();
        Ok(Stepped { event, signals, before, selected, class, settled })
    }

    fn event(&self, at: &At<'_>, turn: &Node) -> Result<(Event, Json), Fault> {
        let pack = self.registry.pack();
        let form = self.form;
        let mut payload = Map::new();
        for (input, way) in &form.payload {
            if let Some(node) = at.find(turn, way)? {
                payload.insert(self.host_name(*input).to_owned(), json(node));
            }
        }
        let mut signals = Map::new();
        if let Some(way) = &form.signals
            && let Some(table) = at.object(turn, way)?
        {
            signals = object(table);
            signals.retain(|name, _| !form.omit.contains(name));
        }
        let signals = Json::Object(signals);
        let name = pack.names.text(pack.events[form.event.index()].name);
        match Event::input(self.registry, name, &Json::Object(payload), &signals) {
            Ok(event) => Ok((event, signals)),
            Err(EventError::Data(error)) => Err(self.misfit(at, turn, &error)),
            Err(error @ EventError::UnknownEvent { .. }) => Err(at.fault(turn, error.to_string())),
        }
    }

    /// How the host calls a payload field.
    fn host_name(&self, input: InputId) -> &str {
        let pack = self.registry.pack();
        let wire = pack.events[self.form.event.index()].wire_of(input);
        pack.names.text(wire.unwrap_or(pack.inputs[input.index()].name))
    }

    /// A payload field or a signal that does not fit, at its place in the record.
    fn misfit(&self, at: &At<'_>, turn: &Node, error: &DataError) -> Fault {
        let pack = self.registry.pack();
        let (first, rest) = error.path.split_once('.').unwrap_or((&error.path, ""));
        let field = |(input, _): &&(InputId, _)| self.host_name(*input) == first;
        let payload = self.form.payload.iter().find(field).map(|(_, way)| way.to_string());
        let signal = self.form.signals.as_ref().map(|way| format!("{way}.{first}"));
        let mut way = payload.clone().or(signal).unwrap_or_default();
        if !rest.is_empty() {
            way.push_str(&format!(".{rest}"));
        }
        let mut fault = at.fault(turn.at(&way), words(&way, error));
        let heard = pack.input(first).is_some_and(|input| self.registry.is_signal(input));
        if payload.is_none() && rest.is_empty() && !heard {
            fault.help = Some(format!("declare the signal, or write `omit = [\"{first}\"]` in the recording"));
        }
        fault
    }

    fn take(&mut self, at: &At<'_>, turn: &Node, state: &SessionState, event: &Event) -> Result<Cascade, Fault> {
        let number = at.turn.unwrap_or(1);
        cascade(self.registry, state, event, &mut env(&self.clock, number, &mut self.ids)).map_err(|error| {
            let all = self.registry.pack();
            let pack = all.at(error.at);
            let mut message = format!("no step: {error}");
            if let StepError::Boundary { failures } = &error.error {
                for failure in failures {
                    for breach in &failure.breaches {
                        let class = all.qualified(error.at, class_id(pack, failure.class));
                        message.push_str(&format!("\n  {class}: {}", show::breach(pack, failure.class, breach)));
                    }
                }
            }
            at.fault(turn, message)
        })
    }

    /// The first open call that the form has a reply to, with the answer as the host would give it.
    fn due(&self, done: &Cascade) -> Option<(Arc<str>, PortId, Json)> {
        let pack = self.registry.pack();
        let open = done.state.host_calls(pack).into_iter().filter(|(at, _)| *at == PackAt::OUTERMOST);
        open.into_iter().find_map(|(_, call)| {
            let (port, fields) = self.form.replies.iter().find(|(port, _)| *port == call.port)?;
            let declared = &self.registry.response[port.index()];
            let fields = fields.iter().map(|(place, value)| {
                let field = &declared[*place];
                (Naming::Wire.of(pack, field).to_owned(), to_wire(pack, &field.ty, value))
            });
            Some((call.id.clone(), *port, Json::Object(fields.collect())))
        })
    }

    /// Takes the outcome of a call.
    fn settle(
        &mut self,
        at: &At<'_>,
        turn: &Node,
        state: &SessionState,
        (call, pack, port): (Arc<str>, PackAt, PortId),
        value: Json,
    ) -> Result<Settled, Fault> {
        let outcome =
            Event::Outcome { call: call.clone(), status: Status::Ok, value: Some(value.clone()), error: None };
        let done = self.take(at, turn, state, &outcome)?;
        Ok(Settled { call, pack, port, value, done })
    }

    fn class_of(&self, at: &At<'_>, turn: &Node, done: &Cascade) -> Result<ClassId, Fault> {
        // An outcome may be taken by a used pack alone.
        done.class().ok_or_else(|| {
            let pack = self.registry.pack();
            let step = done.outermost().next_back();
            if let Some(step) = step.filter(|step| step.retried.is_some()) {
                let breach = step.breach.map_or("the port's declaration", |breach| pack.names.text(breach));
                let message = format!("the outcome breaks {}, and the call would be made again", quoted(breach));
                let help = "a recorded turn has one outcome: one that the port admits";
                return Fault { help: Some(help.into()), ..at.fault(turn, message) };
            }
            let why = done.refused().map_or("no reason", |reason| pack.names.text(reason));
            let message = format!("the event is refused ({why}): a call of the turn before is open");
            let help = "declare where the turn's `outcome` is, or a `reply`, so that no call stays open";
            Fault { help: Some(help.into()), ..at.fault(turn, message) }
        })
    }

    fn calls(&self, state: &SessionState) -> String {
        let pack = self.registry.pack();
        let calls = state.host_calls(pack);
        let names: Vec<String> = calls.iter().map(|(at, call)| show::port(pack, *at, call.port)).collect();
        match names.as_slice() {
            [] => "no call open".into(),
            [one] => format!("a call to {one} open"),
            all => format!("{} calls open ({})", all.len(), all.join(", ")),
        }
    }

    /// The outcome of the call, with what the next turn adds to it; it must be an answer of the port.
    fn outcome(
        &self,
        at: &At<'_>,
        turn: &Node,
        next: Option<&Node>,
        (of, port): (PackAt, PortId),
    ) -> Result<Map<String, Json>, Fault> {
        let registry = self.registry.at(of);
        let pack = registry.pack();
        let form = self.form;
        let Some(way) = &form.outcome else { return Ok(Map::new()) };
        let Some(table) = at.object(turn, way)? else {
            return Err(at.fault(turn, format!("`{way}` is missing: the call has no outcome")));
        };
        let mut value = object(table);
        let declared = &self.registry.response[port.index()];
        // The pack names a field of the answer; the outcome is what the host gives.
        let called = |name: &str| match declared.iter().find(|field| Naming::Own.of(pack, field) == name) {
            Some(field) => Naming::Wire.of(pack, field).to_owned(),
            None => name.to_owned(),
        };
        for (name, from) in &form.next {
            let Some(next) = next else { break };
            let Some(node) = at.find(next, from)? else { continue };
            let name = called(name);
            if value.insert(name.clone(), json(node)).is_some() {
                let message = format!("`{way}.{name}` is given, and `{from}` of the next turn would be too");
                return Err(at.fault(turn.at(&format!("{way}.{name}")), message));
            }
        }
        let declared = &registry.response[port.index()];
        match fields_from_wire(pack, declared, false, &Json::Object(value.clone())) {
            Ok(_) => Ok(value),
            Err(error) => {
                let (first, rest) = error.path.split_once('.').unwrap_or((&error.path, ""));
                let (node, from) = match (next, form.next.iter().find(|(name, _)| called(name) == first)) {
                    (Some(next), Some((_, from))) => (next, from.to_string()),
                    _ => (turn, format!("{way}.{first}")),
                };
                let from = if rest.is_empty() { from } else { format!("{from}.{rest}") };
                let name = show::port(self.registry.pack(), of, port);
                let message = format!("{}; that is no answer of port `{name}`", words(&from, &error));
                Err(at.fault(node.at(&from), message))
            }
        }
    }
}

/// An error of host data, with the way to its place in the record.
fn words(way: &str, error: &DataError) -> String {
    format!("`{way}`: {}", error.message)
}

/// What an event says: its text, or else its payload.
fn said(pack: &Pack, event: &Event) -> String {
    let Event::Input { event, fields } = event else { return String::new() };
    let declared = &pack.events[event.index()];
    let text = declared.text.and_then(|input| fields.iter().find(|(field, _)| *field == input));
    if let Some((_, value)) = text {
        return scalar_text(&pack.names, value).into_owned();
    }
    let payload = fields.iter().filter_map(|(field, value)| {
        let name = pack.names.text(declared.wire_of(*field)?);
        Some(format!("{name}: {}", show::wire(pack, &pack.inputs[field.index()].ty, value)))
    });
    payload.collect::<Vec<_>>().join(", ")
}

impl Stepped {
    /// The class of the turn: that of its last step.
    pub fn class(&self) -> ClassId {
        self.class
    }

    /// Its steps in all packs, in order.
    pub fn steps(&self) -> impl Iterator<Item = (PackAt, &Step)> {
        let all = std::iter::once(&self.selected).chain(self.settled.iter().map(|settled| &settled.done));
        all.flat_map(|done| &done.steps).map(|taken| (taken.pack, &taken.step))
    }

    /// What the user said.
    pub fn text(&self, pack: &Pack) -> String {
        said(pack, &self.event)
    }

    /// Whether the class of the turn selected it, and words of its own set it off.
    pub fn by_words(&self, pack: &Pack) -> bool {
        let Some(trace) = self.selected.outermost().next().and_then(|step| step.trace.as_ref()) else { return false };
        let chosen = trace.candidates.iter().find(|candidate| candidate.verdict == Verdict::Chosen);
        chosen.is_some_and(|chosen| {
            let class: &Class = &pack.classes[chosen.class.index()];
            chosen.class == self.class
                && chosen.matched.iter().any(|at| match &class.triggers[chosen.trigger].any[*at].by {
                    By::Words(words) => match &words.form {
                        Form::Pattern(_) => true,
                        Form::Phrase(elems) => own_words(elems),
                    },
                    By::Signal { .. } | By::Ambiguous(_) => false,
                })
        })
    }

    /// Why the steps of the turn went where they went.
    pub fn explain(&self, registry: &Registry, sources: &SourceMap, form: &Recording, about: String) -> Explanation {
        let pack = registry.pack();
        let text = said(pack, &self.event);
        let key = pack.names.text(pack.events[form.event.index()].turn);
        let shown = format!("{key}: {}", show::line(&text));
        let what = What::Input { shown, text: Some(text) };
        let mut steps = steps_of(registry, what, &self.before, Ok(self.selected.clone()));
        let mut before = &self.selected.state;
        for settled in &self.settled {
            let reply = Reply { status: Status::Ok, value: Some(settled.value.clone()), error: None, contract: None };
            let (call, pack, port) = (settled.call.clone(), settled.pack, settled.port);
            let what = What::Outcome(Delivered { call, pack, port, reply });
            steps.extend(steps_of(registry, what, before, Ok(settled.done.clone())));
            before = &settled.done.state;
        }
        explain(registry, sources, about, &steps)
    }
}

/// Whether a phrase needs words that are no value of a signal.
fn own_words(elems: &[Elem]) -> bool {
    elems.iter().any(|elem| match elem {
        Elem::Word(_) | Elem::Stem { .. } => true,
        Elem::Slot(_) => false,
        Elem::Choice { optional, of } => !optional && of.iter().all(|elems| own_words(elems)),
    })
}
