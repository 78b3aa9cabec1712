//! A situation made concrete: a state, an event and an environment, built out of a model and stepped by the engine.

use std::sync::Arc;

use jiff::civil::{Date, date};
use serde_json::{Map, Value as Json};
use smol_str::SmolStr;

use crate::engine::{Env, Event, NumberedIds, Step, StepError, step};
use crate::model::cond::Place;
use crate::model::ids::{FrameId, FrameSet, InputId, PortId, SlotSet};
use crate::model::json::{set_of, to_wire};
use crate::model::names::Sym;
use crate::model::period::Period;
use crate::model::schema::Type;
use crate::model::value::{RecordValue, Value};
use crate::model::{InputKind, Status, WhileOpen};
use crate::registry::Registry;
use crate::state::{Held, Instance, OpenCall, Owners, Sent, SessionState, Store, Turn};

use super::answered::broken;
use super::encode::Encoder;
use super::moment::STATUSES;
use super::sat::Model;
use super::term::{Form, Term};
use super::values::any_value;

/// A state, an event and an environment.
#[derive(Debug, Clone)]
pub struct Situation {
    /// The state of the session.
    pub state: SessionState,
    /// What happens.
    pub event: Event,
    /// `env.today`.
    pub today: Date,
    /// `env.now`.
    pub now: Arc<str>,
    /// `env.turn_id`.
    pub turn: Arc<str>,
    /// `env.session_id`.
    pub session: Arc<str>,
}

impl Situation {
    /// Steps it, with a trace.
    ///
    /// # Errors
    /// As the engine's step.
    pub fn step(&self, registry: &Registry) -> Result<Step, StepError> {
        let mut ids = NumberedIds::default();
        step(registry, &self.state, &self.event, &mut self.env(&mut ids))
    }

    /// Its environment.
    pub(super) fn env<'i>(&self, ids: &'i mut NumberedIds) -> Env<'i> {
        Env {
            now: self.now.clone(),
            today: self.today,
            session_id: self.session.clone(),
            turn_id: self.turn.clone(),
            ids,
            trace: true,
            probe: None,
        }
    }
}

impl<'r> Encoder<'r> {
    /// The situation that a model describes, with this text where the event has one.
    pub fn situation(&self, model: &Model, text: &str) -> Situation {
        let pack = self.pack;
        let mut slots = pack.defaults();
        for (index, slot) in slots.iter_mut().enumerate() {
            let place = Place::Field(crate::model::ids::Slot::at(index));
            if let Some(term) = self.places.get(&place) {
                *slot = self.value(term, &pack.slots[index].ty, model);
            }
        }
        let mut instances = Store::new(pack);
        for frame in &pack.keyed {
            self.fill_instances(*frame, model, &mut instances, &mut slots);
        }
        let env =
            |place: Place| self.places.get(&place).map(|term| self.value(term, &Type::Text, model)).unwrap_or_default();
        let text_of = |value: Value, other: &str| match value {
            Value::Text(text) => Arc::from(text.as_str()),
            Value::Instant(text) => text,
            _ => Arc::from(other),
        };
        let today = match env(Place::EnvToday) {
            Value::Period(Period::Day(day)) => day,
            _ => date(2021, 5, 10),
        };
        let mut state = SessionState { slots: slots.into(), instances, ..SessionState::new(pack) };
        let site = self.moment.sites.iter().find(|(_, lit)| model.holds(*lit));
        let event = match site {
            Some((site, _)) => {
                let mut kept = Vec::new();
                for (id, _) in &site.call.keep {
                    if let Some(term) = self.places.get(&Place::Kept(*id)) {
                        let value = self.value(term, &pack.kept[id.index()].1, model);
                        if value.is_present() {
                            kept.push((*id, value));
                        }
                    }
                }
                let mut owners = Owners::new();
                for frame in &pack.keyed {
                    let seen = self.instances.iter().find(|seen| seen.frame == *frame && seen.of_call());
                    let key = seen.filter(|seen| model.holds(seen.known)).map(|seen| self.key_of(&seen.key, model));
                    owners.extend(key.map(|key| (*frame, key)));
                }
                let call = OpenCall {
                    id: "call-1".into(),
                    class: site.class,
                    site: site.call.id,
                    port: site.call.port,
                    kept,
                    owners,
                    sent: self.sent(site.call.port, model),
                };
                state.turns.push(Arc::new(Turn {
                    id: "turn-1".into(),
                    selected: site.class,
                    steps: 1,
                    before: (pack.while_open != WhileOpen::Allow)
                        .then(|| Held { slots: state.slots.clone(), instances: state.instances.clone() }),
                    calls: vec![call],
                    written: SlotSet::default(),
                    decided: FrameSet::EMPTY,
                }));
                self.outcome_event(model, site.call.port)
            }
            None => self.input_event(model, text),
        };
        Situation {
            state,
            event,
            today,
            now: text_of(env(Place::EnvNow), "2021-05-10T12:00:00Z"),
            turn: text_of(env(Place::EnvTurn), "turn-1"),
            session: text_of(env(Place::EnvSession), "session-1"),
        }
    }

    /// What a call was sent with, at its last attempt: nobody hears of the others.
    fn sent(&self, port: PortId, model: &Model) -> Option<Arc<Sent>> {
        let declared = &self.pack.ports[port.index()];
        let mut with = Vec::new();
        for argument in &declared.request {
            let value = match self.places.get(&Place::Request(port, argument.name)) {
                Some(term) => self.value(term, &argument.ty, model),
                None if argument.optional => Value::Absent,
                None => argument.default.clone().unwrap_or_else(|| any_value(self.pack, &argument.ty)),
            };
            if value.is_present() {
                with.push((argument.name, value));
            }
        }
        let attempt = declared.retry.as_ref().map_or(0, |retry| retry.max) + 1;
        declared.keeps_request().then(|| Arc::new(Sent { with, attempt }))
    }

    fn key_of(&self, key: &Term, model: &Model) -> SmolStr {
        match self.value(key, &Type::Id, model) {
            Value::Text(key) => key,
            _ => SmolStr::default(),
        }
    }

    /// The instances of a frame that a model describes, and as many more as are open.
    fn fill_instances(&self, frame: FrameId, model: &Model, store: &mut Store, slots: &mut [Value]) {
        let pack = self.pack;
        let Some(keyed) = &pack.frames[frame.index()].keyed else { return };
        let wanted = match &slots[keyed.open_count().index()] {
            Value::Int(open) => usize::try_from(*open).unwrap_or(0),
            _ => 0,
        };
        let only = slots[keyed.only().index()].clone();
        slots[keyed.open_count().index()] = Value::Int(0);
        let fresh = |key: SmolStr| {
            let fields = keyed.fields().map(|slot| {
                let field = &pack.slots[slot.index()];
                if field.given { any_value(pack, &field.ty) } else { field.cleared.clone() }
            });
            Instance { key, closed_as: None, values: fields.collect() }
        };
        let mut found: Vec<Instance> = Vec::new();
        for seen in self.instances.iter().filter(|seen| seen.frame == frame && model.holds(seen.known)) {
            let key = self.key_of(&seen.key, model);
            let at = found.iter().position(|of| of.key == key).unwrap_or_else(|| {
                found.push(fresh(key));
                found.len() - 1
            });
            if !model.holds(seen.open) {
                let ty = &pack.slots[keyed.ended().index()].ty;
                let ended = match self.value(&seen.ended, ty, model) {
                    Value::Absent => any_value(pack, ty),
                    ended => ended,
                };
                found[at].closed_as = if let Value::Sym(ended) = ended { Some(ended) } else { None };
            }
            let mut values = found[at].values.to_vec();
            for (slot, term) in &seen.fields {
                let value = self.value(term, &pack.slots[slot.index()].ty, model);
                values[usize::from(slot.0 - keyed.fields.start)] = value;
            }
            found[at].values = values.into();
        }
        let mut open = found.iter().filter(|of| of.closed_as.is_none()).count();
        let mut count = 0;
        while open < wanted {
            count += 1;
            let key = match &only {
                Value::Text(only) if wanted == 1 => only.clone(),
                _ => SmolStr::from(format!("{}-other-{count}", keyed.prefix)),
            };
            found.push(fresh(key));
            open += 1;
        }
        for instance in found {
            let all = store.of_mut(keyed);
            if instance.closed_as.is_some() { all.closed.push(instance) } else { all.open.push(instance) }
        }
        store.count(keyed, slots);
    }

    fn outcome_event(&self, model: &Model, of: PortId) -> Event {
        let pack = self.pack;
        let at = self.moment.statuses.iter().position(|lit| model.holds(*lit)).unwrap_or(0);
        let status = STATUSES[at];
        let mut fields = Map::new();
        let port = &pack.ports[of.index()];
        for ((id, optional), wire) in port.response.iter().zip(&port.wire) {
            let declared = &pack.outcomes[id.index()];
            let value = match self.places.get(&Place::Outcome(*id)) {
                Some(term) => self.value(term, &declared.ty, model),
                None if *optional => Value::Absent,
                None => any_value(pack, &declared.ty),
            };
            if value.is_present() {
                fields.insert(pack.names.text(*wire).into(), to_wire(pack, &declared.ty, &value));
            }
        }
        let error = match self.places.get(&Place::OutcomeError).map(|term| self.value(term, &Type::Text, model)) {
            Some(Value::Text(text)) => Some(Arc::from(text.as_str())),
            _ => None,
        };
        let ends = |status: Status, value: Option<Json>, error: Option<Arc<str>>| Event::Outcome {
            call: "call-1".into(),
            status,
            value,
            error,
        };
        // What is broken came as ok.
        let breach = self.places.get(&Place::OutcomeBreach).and_then(|term| term.chosen(model));
        match breach {
            Some(Value::Sym(breach)) if self.is_engines(*breach) => {
                ends(Status::Ok, Some(broken(self.registry, of, *breach).unwrap_or(Json::Null)), None)
            }
            Some(_) => ends(Status::Ok, Some(Json::Object(fields)), None),
            None => ends(status, (status == Status::Ok).then_some(Json::Object(fields)), error),
        }
    }

    /// Whether a breach is none of a check.
    fn is_engines(&self, breach: Sym) -> bool {
        [self.registry.syms.type_breach, self.registry.syms.schema_breach].contains(&breach)
    }

    fn input_event(&self, model: &Model, text: &str) -> Event {
        let pack = self.pack;
        let at = self.moment.events.iter().position(|lit| model.holds(*lit)).unwrap_or(0);
        let declared = &pack.events[at];
        let mut fields = Vec::new();
        for (index, input) in pack.inputs.iter().enumerate() {
            let id = InputId::at(index);
            let mandatory = declared.fields.iter().any(|(field, must)| *field == id && *must);
            let given = declared.fields.iter().any(|(field, _)| *field == id) || input.kind == InputKind::Signal;
            let value = match self.places.get(&Place::Input(id)) {
                _ if declared.text == Some(id) => {
                    let there = self.places.get(&Place::Input(id)).is_none_or(|term| model.holds(term.present()));
                    if there { Value::text(text) } else { Value::Absent }
                }
                Some(term) if given => self.value(term, &input.ty, model),
                None if mandatory => any_value(pack, &input.ty),
                _ => Value::Absent,
            };
            if value.is_present() {
                fields.push((id, value));
            }
        }
        Event::Input { event: crate::model::ids::EventId::at(at), fields }
    }

    /// The value that a term has under a model.
    pub fn value(&self, term: &Term, ty: &Type, model: &Model) -> Value {
        if !model.holds(term.present()) {
            return Value::Absent;
        }
        match (term, ty) {
            (Term::Plain(_), _) => term.chosen(model).cloned().unwrap_or_default(),
            (Term::Record(record), Type::Record(id)) => {
                let mut made = RecordValue::default();
                for declared in &self.pack.records[id.index()].fields {
                    let known = record.fields.iter().find(|(name, _)| *name == declared.name);
                    let value = match known {
                        Some((_, term)) => self.value(term, &declared.ty, model),
                        None if declared.optional => Value::Absent,
                        None => declared.default.clone().unwrap_or_else(|| any_value(self.pack, &declared.ty)),
                    };
                    if value.is_present() {
                        made.fields.push((declared.name, value));
                    }
                }
                Value::Record(made.into())
            }
            (Term::Items(items), Type::Map { key, of, .. }) => {
                let mut entries: Vec<(Value, Value)> = Vec::new();
                for entry in items.entries.iter().filter(|entry| model.holds(entry.there)) {
                    let key = entry.key.as_ref().map(|term| self.value(term, key, model));
                    let value = match &entry.value {
                        Some(term) => self.value(term, of, model),
                        None => any_value(self.pack, of),
                    };
                    entries.extend(key.map(|key| (key, value)));
                }
                entries.sort();
                Value::Map(entries.into())
            }
            (Term::Items(items), Type::List { of, .. } | Type::Set { of, .. }) => {
                let there = items.entries.iter().filter(|entry| model.holds(entry.there));
                let of = there.map(|entry| match &entry.value {
                    Some(term) => self.value(term, of, model),
                    None => any_value(self.pack, of),
                });
                let values: Vec<Value> = of.collect();
                let sorted = items.form == Form::Bag && matches!(ty, Type::Set { .. });
                Value::List(if sorted { set_of(values) } else { values }.into())
            }
            _ => any_value(self.pack, ty),
        }
    }
}
