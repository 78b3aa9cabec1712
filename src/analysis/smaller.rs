//! A witness made small: the text in words of the pack, everything left out that does not matter, stepped again after each try.

use std::sync::Arc;

use jiff::civil::date;
use serde_json::Value as Json;
use smol_str::SmolStr;

use crate::engine::{Event, NumberedIds, enforce};
use crate::model::ids::{InputId, Slot};
use crate::model::schema::Keyed;
use crate::model::value::{RecordValue, Value};
use crate::registry::Registry;
use crate::state::{Store, keyed_frames};

use super::guard::Taker;
use super::heard::{natural, spoken_signal};
use super::situation::Situation;

/// How often all is gone through again where something has become less.
const ROUNDS: usize = 3;

/// A situation in which the same holds and in which less is said.
pub fn smaller(
    registry: &Registry,
    from: &Situation,
    takers: &[Taker],
    holds: &mut dyn FnMut(&Situation) -> bool,
) -> Situation {
    let mut small = Smaller { registry, best: from.clone(), holds };
    small.environment();
    small.event(takers);
    for _ in 0..ROUNDS {
        let before = small.best.state.clone();
        small.state();
        if before == small.best.state {
            break;
        }
    }
    small.event(&[]);
    small.best
}

struct Smaller<'a> {
    registry: &'a Registry,
    best: Situation,
    holds: &'a mut dyn FnMut(&Situation) -> bool,
}

impl Smaller<'_> {
    fn take(&mut self, tried: Situation) -> bool {
        let better = (self.holds)(&tried);
        if better {
            self.best = tried;
        }
        better
    }

    /// The day, the instant and the names with which scenarios begin.
    fn environment(&mut self) {
        let usual = |situation: &Situation| Situation {
            now: format!("{}T00:00:00Z", situation.today).into(),
            turn: "t-1".into(),
            session: "s-1".into(),
            ..situation.clone()
        };
        let all = usual(&Situation { today: date(2020, 1, 1), ..self.best.clone() });
        if !self.take(all) {
            let rest = usual(&self.best);
            self.take(rest);
        }
    }

    fn event(&mut self, takers: &[Taker]) {
        match self.best.event.clone() {
            Event::Input { event, .. } => {
                self.signals(event);
                let declared = &self.registry.pack().events[event.index()];
                if let Some(text) = declared.text {
                    self.say_signals(text);
                    self.say_less(text, takers);
                    self.signals(event);
                }
                self.values_of_event();
            }
            Event::Outcome { .. } => self.outcome(),
        }
    }

    /// Leaves out what the host gives and nobody needs.
    fn signals(&mut self, event: crate::model::ids::EventId) {
        let declared = &self.registry.pack().events[event.index()];
        let Event::Input { fields, .. } = self.best.event.clone() else { return };
        for (input, _) in fields {
            let must = declared.fields.iter().any(|(field, must)| *field == input && *must);
            if !must && declared.text != Some(input) {
                let tried = self.without(input);
                self.take(tried);
            }
        }
    }

    fn without(&self, input: InputId) -> Situation {
        let mut tried = self.best.clone();
        if let Event::Input { fields, .. } = &mut tried.event {
            fields.retain(|(field, _)| *field != input);
        }
        tried
    }

    fn said(&self, text: InputId) -> Option<String> {
        let Event::Input { fields, .. } = &self.best.event else { return None };
        fields.iter().find(|(input, _)| *input == text).and_then(|(_, value)| match value {
            Value::Text(text) => Some(text.to_string()),
            _ => None,
        })
    }

    fn saying(mut tried: Situation, text: InputId, said: &str) -> Situation {
        if let Event::Input { fields, .. } = &mut tried.event {
            for (_, value) in fields.iter_mut().filter(|(input, _)| *input == text) {
                *value = Value::text(said);
            }
        }
        tried
    }

    /// Lets the text say what the host gave.
    fn say_signals(&mut self, text: InputId) {
        let Event::Input { fields, .. } = self.best.event.clone() else { return };
        for (input, _) in fields {
            let Some(signal) = self.registry.pack().signal_inputs.iter().position(|of| *of == input) else { continue };
            let Some(said) = self.said(text) else { continue };
            for way in spoken_signal(self.registry, signal) {
                let ways = [way.clone(), format!("{said} {way}"), format!("{way} {said}"), format!("{said}. {way}")];
                let taken = ways.iter().any(|way| {
                    let tried = Self::saying(self.without(input), text, way.trim());
                    self.take(tried)
                });
                if taken {
                    break;
                }
            }
        }
    }

    /// The shortest of the texts in words of the pack that does it; else as few words of the text as do.
    fn say_less(&mut self, text: InputId, takers: &[Taker]) {
        let texts = std::iter::once(String::new()).chain(natural(self.registry, takers));
        for said in texts {
            let tried = Self::saying(self.best.clone(), text, &said);
            if self.take(tried) {
                return;
            }
        }
        if takers.is_empty() {
            return;
        }
        let mut at = 0;
        while let Some(said) = self.said(text) {
            let words: Vec<&str> = said.split_whitespace().collect();
            if at >= words.len() {
                break;
            }
            let rest: Vec<&str> = words[..at].iter().chain(&words[at + 1..]).copied().collect();
            let tried = Self::saying(self.best.clone(), text, &rest.join(" "));
            if !self.take(tried) {
                at += 1;
            }
        }
    }

    fn values_of_event(&mut self) {
        let Event::Input { fields, .. } = self.best.event.clone() else { return };
        for (input, value) in fields {
            let set = move |tried: &mut Situation, value: Value| {
                if let Event::Input { fields, .. } = &mut tried.event {
                    fields.iter_mut().filter(|(of, _)| *of == input).for_each(|(_, own)| *own = value.clone());
                }
            };
            self.lessen(value, &set);
        }
    }

    /// Leaves out what a port answers and nobody needs; what a port must answer stays.
    fn outcome(&mut self) {
        let Event::Outcome { value, error, .. } = self.best.event.clone() else { return };
        let port = self.best.state.open_calls().first().map(|call| call.port);
        if error.is_some() {
            let mut tried = self.best.clone();
            if let Event::Outcome { error, .. } = &mut tried.event {
                *error = None;
            }
            self.take(tried);
        }
        let (Some(Json::Object(answered)), Some(port)) = (value, port) else { return };
        let pack = self.registry.pack();
        let port = &pack.ports[port.index()];
        for ((_, optional), wire) in port.response.iter().zip(&port.wire) {
            let name = pack.names.text(*wire);
            if *optional && answered.contains_key(name) {
                let mut tried = self.best.clone();
                if let Event::Outcome { value: Some(Json::Object(answered)), .. } = &mut tried.event {
                    answered.remove(name);
                }
                self.take(tried);
            }
        }
    }

    /// Puts frames, then fields, then what fields hold back to what they begin with.
    fn state(&mut self) {
        let pack = self.registry.pack();
        let defaults = pack.defaults();
        self.instances();
        for frame in pack.frames.iter().filter(|frame| frame.keyed.is_none()) {
            let mut slots = self.best.state.slots.to_vec();
            for slot in frame.fields() {
                slots[slot.index()] = defaults[slot.index()].clone();
            }
            self.take_state(slots);
        }
        for (at, default) in defaults.iter().enumerate() {
            let value = self.best.state.slots[at].clone();
            if value == *default || pack.keyed_at(Slot::at(at)).is_some() {
                continue;
            }
            let mut slots = self.best.state.slots.to_vec();
            slots[at] = default.clone();
            if !self.take_state(slots) {
                let set = move |tried: &mut Situation, value: Value| {
                    let mut slots = tried.state.slots.to_vec();
                    slots[at] = value;
                    put(tried, slots);
                };
                self.lessen(value, &set);
            }
        }
    }

    /// Fewer instances, and in those that stay what a new one holds.
    fn instances(&mut self) {
        let pack = self.registry.pack();
        for keyed in keyed_frames(pack) {
            let keys: Vec<SmolStr> = self.best.state.instances.of(keyed).iter().map(|of| of.key.clone()).collect();
            for key in keys {
                let mut without = self.best.state.instances.clone();
                let all = without.of_mut(keyed);
                all.open.retain(|of| of.key != key);
                all.closed.retain(|of| of.key != key);
                if self.take_instances(keyed, without) {
                    continue;
                }
                for (at, slot) in keyed.fields().enumerate() {
                    let cleared = &pack.slots[slot.index()].cleared;
                    let mut usual = self.best.state.instances.clone();
                    let all = usual.of_mut(keyed);
                    for of in all.open.iter_mut().chain(&mut all.closed).filter(|of| of.key == key) {
                        let mut values = of.values.to_vec();
                        values[at] = cleared.clone();
                        of.values = values.into();
                    }
                    if !pack.slots[slot.index()].given {
                        self.take_instances(keyed, usual);
                    }
                }
            }
        }
    }

    fn take_instances(&mut self, keyed: &Keyed, instances: Store) -> bool {
        let open = |key: &str| instances.of(keyed).open.iter().any(|of| of.key == key);
        let frame = self.registry.pack().slots[keyed.key().index()].frame;
        let mut owners = self.best.state.turns.iter().flat_map(|turn| &turn.calls).flat_map(|call| &call.owners);
        if instances == self.best.state.instances || owners.any(|(of, key)| *of == frame && !open(key)) {
            return false;
        }
        let mut tried = self.best.clone();
        let mut slots = tried.state.slots.to_vec();
        instances.count(keyed, &mut slots);
        tried.state.instances = instances;
        put(&mut tried, slots);
        self.stands(&tried) && self.take(tried)
    }

    fn take_state(&mut self, slots: Vec<Value>) -> bool {
        if slots[..] == self.best.state.slots[..] {
            return false;
        }
        let mut tried = self.best.clone();
        put(&mut tried, slots);
        self.stands(&tried) && self.take(tried)
    }

    /// Whether a session may be in this state.
    fn stands(&self, tried: &Situation) -> bool {
        let mut ids = NumberedIds::default();
        let restored = enforce(self.registry, tried.state.clone(), &mut tried.env(&mut ids));
        restored.is_ok_and(|restored| restored.repaired.is_empty())
    }

    /// Fewer entries, fewer fields of records.
    fn lessen(&mut self, mut value: Value, set: &dyn Fn(&mut Situation, Value)) {
        loop {
            let smaller = less(&value).into_iter().find(|smaller| {
                let mut tried = self.best.clone();
                set(&mut tried, smaller.clone());
                self.stands(&tried) && self.take(tried)
            });
            match smaller {
                Some(smaller) => value = smaller,
                None => break,
            }
        }
    }
}

fn put(tried: &mut Situation, slots: Vec<Value>) {
    tried.state.slots = slots.into();
    for turn in &mut tried.state.turns {
        if let Some(before) = &mut Arc::make_mut(turn).before {
            (before.slots, before.instances) = (tried.state.slots.clone(), tried.state.instances.clone());
        }
    }
}

/// The same value with one thing less, in each way; a record keeps what must be in it, so that only whole entries go.
fn less(value: &Value) -> Vec<Value> {
    match value {
        Value::List(items) => fewer(items).map(|items| Value::List(items.into())).collect(),
        Value::Map(entries) => fewer(entries).map(|entries| Value::Map(entries.into())).collect(),
        Value::Record(record) => record
            .fields
            .iter()
            .enumerate()
            .flat_map(|(at, (name, value))| {
                less(value).into_iter().map(move |value| {
                    let mut fields = record.fields.clone();
                    fields[at] = (*name, value);
                    Value::Record(RecordValue { fields, extra: record.extra.clone() }.into())
                })
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn fewer<T: Clone>(items: &[T]) -> impl Iterator<Item = Vec<T>> {
    (0..items.len()).map(|at| {
        let mut fewer = items.to_vec();
        fewer.remove(at);
        fewer
    })
}
