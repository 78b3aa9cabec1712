//! The session state: one dense row of values, the instances of keyed frames, the turns that are under way, and a revision. A
//! value of a pack's schema.

mod instances;
mod saved;
mod text;
mod uses;

use std::sync::Arc;

use smallvec::SmallVec;
use smol_str::SmolStr;

use crate::model::Pack;
use crate::model::ids::{ClassId, FrameId, FrameSet, KeptId, PortId, Slot, SlotSet};
use crate::model::names::Sym;
use crate::model::uses::PackAt;
use crate::model::value::Value;

pub use instances::{Instance, Instances};
pub use saved::SCHEMA_VERSION;

pub(crate) use instances::{Store, bound, keyed_frames, unbind};
pub(crate) use text::Texts;

/// What a session remembers (S3 `assistant_session_state`). Cheap to clone; a step makes a new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionState {
    /// All fields; no instance is bound in them.
    pub(crate) slots: Arc<[Value]>,
    pub(crate) instances: Store,
    /// In the order in which they began; more than one only in a pack that allows it.
    pub(crate) turns: SmallVec<[Arc<Turn>; 1]>,
    pub(crate) revision: u64,
    /// What there is of used packs, in a pack that uses some.
    pub(crate) used: Option<Arc<Together>>,
}

/// The states of used packs, and the calls that wait for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Together {
    /// As the pack lists them; each by itself.
    pub states: Vec<SessionState>,
    /// In the order in which the calls were made.
    pub links: Vec<Link>,
}

/// A call between packs that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// The pack that called.
    pub caller: PackAt,
    /// The call.
    pub call: Arc<str>,
    /// The pack that serves it.
    pub pack: PackAt,
    /// The calls that are open there for it.
    pub calls: Vec<Arc<str>>,
}

/// A turn whose calls are not all answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Turn {
    pub id: Arc<str>,
    pub selected: ClassId,
    pub steps: u32,
    /// What stood before the turn; nothing in a pack where turns go on beside each other, which never goes back to it.
    pub before: Option<Held>,
    pub calls: Vec<OpenCall>,
    pub written: SlotSet,
    pub decided: FrameSet,
}

/// What a session held at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Held {
    pub slots: Arc<[Value]>,
    pub instances: Store,
}

/// The instances that a call belongs to; none where it belongs to its turn.
pub type Owners = SmallVec<[(FrameId, SmolStr); 1]>;

/// A call whose outcome has not arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCall {
    /// Its id, from the id source.
    pub id: Arc<str>,
    /// The class that made it.
    pub class: ClassId,
    /// The `id` under which the class wrote it.
    pub site: Sym,
    /// The port it went to.
    pub port: PortId,
    /// What it was told to keep.
    pub kept: Vec<(KeptId, Value)>,
    /// The instances of keyed frames that it belongs to.
    pub owners: Owners,
    /// What it was sent with, where its port asks for it again.
    pub sent: Option<Arc<Sent>>,
}

/// What a call was sent with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The arguments that were present.
    pub with: Vec<(Sym, Value)>,
    /// Which attempt it is, from 1.
    pub attempt: u32,
}

impl SessionState {
    /// The state of a session that has just begun: every field at its default, no instance, no call open, revision 0.
    #[must_use]
    pub fn new(pack: &Pack) -> Self {
        let used = pack.composed.as_ref().map(|composed| {
            let states = composed.packs.iter().map(|used| Self::bare(&used.pack)).collect();
            Arc::new(Together { states, links: Vec::new() })
        });
        Self { used, ..Self::bare(pack) }
    }

    /// The same without what belongs to packs that it uses.
    pub(crate) fn bare(pack: &Pack) -> Self {
        let (slots, instances) = (pack.defaults().into(), Store::new(pack));
        Self { slots, instances, turns: SmallVec::new(), revision: 0, used: None }
    }

    /// What one of the packs that are put together remembers.
    #[must_use]
    pub fn at(&self, at: PackAt) -> Option<&SessionState> {
        match at.index().checked_sub(1) {
            Some(used) => self.used.as_ref()?.states.get(used),
            None => Some(self),
        }
    }

    /// The calls of all packs whose outcomes the host has to bring: those that no used pack serves.
    #[must_use]
    pub fn host_calls(&self, pack: &Pack) -> Vec<(PackAt, &OpenCall)> {
        let all = pack.all().flat_map(|at| {
            let calls = self.at(at).map(SessionState::open_calls).unwrap_or_default();
            calls.into_iter().map(move |call| (at, call))
        });
        all.filter(|(at, call)| pack.served(*at, call.port).is_none()).collect()
    }

    /// Puts values into fields of one of the packs that are put together.
    pub(crate) fn put(&mut self, at: PackAt, values: impl Iterator<Item = (Slot, Value)>) {
        let mut values = values.peekable();
        if values.peek().is_none() {
            return;
        }
        let slots = match at.index().checked_sub(1) {
            None => &mut self.slots,
            Some(used) => match &mut self.used {
                Some(all) => &mut Arc::make_mut(all).states[used].slots,
                None => return,
            },
        };
        let slots = Arc::make_mut(slots);
        values.for_each(|(slot, value)| slots[slot.index()] = value);
    }

    /// Closes an open call.
    pub(crate) fn close_call(&mut self, id: &str) {
        for turn in &mut self.turns {
            if turn.calls.iter().any(|call| &*call.id == id) {
                Arc::make_mut(turn).calls.retain(|call| &*call.id != id);
            }
        }
        self.turns.retain(|turn| !turn.calls.is_empty());
    }

    /// The value of a field. Of a keyed frame no instance is bound here: [`SessionState::of_instance`] looks at one.
    #[must_use]
    pub fn get(&self, slot: Slot) -> &Value {
        &self.slots[slot.index()]
    }

    /// The value of a field, or of a fact, of the instance of a keyed frame under this key. Where there is no such instance,
    /// it is what stands where nothing is bound.
    #[must_use]
    pub fn of_instance(&self, pack: &Pack, slot: Slot, key: &str) -> Value {
        let Some(keyed) = pack.keyed_at(slot) else { return self.get(slot).clone() };
        let mut slots = self.slots.to_vec();
        self.instances.bind(pack, keyed, key, &mut slots);
        slots.swap_remove(slot.index())
    }

    /// The instances of a keyed frame.
    #[must_use]
    pub fn instances(&self, pack: &Pack, frame: FrameId) -> Option<&Instances> {
        pack.frames[frame.index()].keyed.as_ref().map(|keyed| self.instances.of(keyed))
    }

    /// Whether an id is one of this state: that of an open call or the key of a known instance; of used packs as well, and of the
    /// states to which turns under way may go back.
    pub(crate) fn holds(&self, pack: &Pack, id: &str) -> bool {
        let known = |instances: &Store| keyed_frames(pack).any(|keyed| instances.of(keyed).find(id).is_some());
        let under_way = |turn: &Arc<Turn>| {
            turn.calls.iter().any(|call| &*call.id == id)
                || turn.before.as_ref().is_some_and(|held| known(&held.instances))
        };
        let mut used = self.used.iter().flat_map(|used| used.states.iter().zip(pack.all().skip(1)));
        known(&self.instances)
            || self.turns.iter().any(under_way)
            || used.any(|(state, at)| state.holds(pack.at(at), id))
    }

    /// All fields, in declared order.
    #[must_use]
    pub fn slots(&self) -> &[Value] {
        &self.slots
    }

    /// The calls whose outcomes have not arrived, in the order made, those of earlier turns first.
    #[must_use]
    pub fn open_calls(&self) -> SmallVec<[&OpenCall; 2]> {
        self.turns.iter().flat_map(|turn| &turn.calls).collect()
    }

    /// How many steps were committed.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }
}
