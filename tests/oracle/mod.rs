//! A naive reference evaluator: an interpreter of the checked declarations, written for clarity, that shares nothing with
//! the engine but these declarations.

#![allow(dead_code, reason = "each test program uses its part")]

mod carry;
mod contract;
mod effects;
mod inputs;
pub mod instances;
mod phrase;
mod readings;
mod recognise;
mod settle;
mod text;
mod turn;
mod verify;
mod view;

use std::collections::{BTreeMap, BTreeSet};

use segue::model::Pack;
use segue::model::ids::{ClassId, FrameId, FrameSet, InputId, ModeId, Slot};
use segue::model::names::Sym;
use segue::model::value::Value;

pub use effects::Sent;
pub use instances::Instances;
pub use turn::{Call, step};
pub use view::Made;

/// The frames: what is present, by frame and field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fields(pub BTreeMap<(String, String), Value>);

impl Fields {
    /// Every field at its default.
    pub fn new(pack: &Pack) -> Self {
        let mut fields = Self::default();
        for slot in 0..pack.slots.len() {
            fields.reset(pack, Slot::at(slot));
        }
        fields
    }

    fn key(pack: &Pack, slot: Slot) -> (String, String) {
        let field = &pack.slots[slot.index()];
        let frame = &pack.frames[field.frame.index()];
        (pack.names.text(frame.name).to_owned(), pack.names.text(field.name).to_owned())
    }

    /// The value of a field.
    pub fn get(&self, pack: &Pack, slot: Slot) -> Value {
        self.0.get(&Self::key(pack, slot)).cloned().unwrap_or_default()
    }

    /// Writes a field.
    pub fn put(&mut self, pack: &Pack, slot: Slot, value: Value) {
        if value.is_present() {
            self.0.insert(Self::key(pack, slot), value);
        } else {
            self.0.remove(&Self::key(pack, slot));
        }
    }

    /// What `clear` gives a field.
    pub fn clear(&mut self, pack: &Pack, slot: Slot) {
        self.put(pack, slot, pack.slots[slot.index()].cleared.clone());
    }

    /// Restores a field to its default.
    pub fn reset(&mut self, pack: &Pack, slot: Slot) {
        self.put(pack, slot, pack.slots[slot.index()].default.clone());
    }

    /// Restores a frame to its defaults.
    pub fn reset_frame(&mut self, pack: &Pack, frame: FrameId) {
        for slot in pack.frames[frame.index()].fields() {
            self.reset(pack, slot);
        }
    }
}

/// The state of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OracleState {
    /// Nothing is bound in them.
    pub fields: Fields,
    pub instances: Instances,
    /// Those that are under way, in the order in which they began.
    pub turns: Vec<Turn>,
    pub revision: u64,
}

impl OracleState {
    /// The state of a session that has just begun.
    pub fn new(pack: &Pack) -> Self {
        Self { fields: Fields::new(pack), instances: Instances::default(), turns: vec![], revision: 0 }
    }
}

/// A turn whose calls are not all answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    pub selected: ClassId,
    pub steps: u32,
    pub before: Fields,
    pub instances_before: Instances,
    pub calls: Vec<Call>,
    pub written: BTreeSet<Slot>,
    pub decided: FrameSet,
}

/// What a step needs to know of the world.
#[derive(Debug, Clone)]
pub struct Facts {
    pub now: String,
    pub today: jiff::civil::Date,
    pub session_id: String,
    pub turn_id: String,
}

/// Ids that count from 1 for each prefix, without those that the state holds before the step.
#[derive(Debug, Clone, Default)]
pub struct Ids {
    counts: BTreeMap<String, u64>,
    held: BTreeSet<String>,
}

impl Ids {
    /// A fresh id.
    pub fn fresh(&mut self, prefix: &str) -> String {
        let prefix = prefix.trim_end_matches('-');
        let count = self.counts.entry(prefix.to_owned()).or_default();
        loop {
            *count += 1;
            let id = format!("{prefix}-{count}");
            if !self.held.contains(&id) {
                return id;
            }
        }
    }

    /// Notes what a state holds: keys of instances, in it and in those that its turns go back to, and open calls.
    fn hold(&mut self, pack: &Pack, state: &OracleState) {
        let goes_back = pack.while_open != segue::model::WhileOpen::Allow;
        let earlier = state.turns.iter().map(|turn| &turn.instances_before).filter(|_| goes_back);
        let keys = earlier.chain([&state.instances]).flat_map(|instances| &instances.all).map(|of| of.key.clone());
        let calls = state.turns.iter().flat_map(|turn| &turn.calls).map(|call| call.id.clone());
        self.held = keys.chain(calls).collect();
    }
}

/// What a step made of an event.
#[derive(Debug, Clone, PartialEq)]
pub struct OracleStep {
    pub state: OracleState,
    pub class: Option<ClassId>,
    pub selected: Option<ClassId>,
    pub refused: Option<Sym>,
    pub reasons: Vec<Sym>,
    pub carried: FrameSet,
    pub dropped: FrameSet,
    pub calls: Vec<Made>,
    pub closed: Vec<String>,
    pub messages: Vec<Sent>,
    pub answer: Option<ModeId>,
    /// What the answer broke that came as ok.
    pub breach: Option<String>,
    /// How often the call has been made again, and how often it may be.
    pub retried: Option<(u32, u32)>,
    pub unused: Vec<InputId>,
    /// What classes broke that were chosen but not committed.
    pub failed: Vec<(ClassId, Vec<String>)>,
}
