//! The instances of keyed frames: those that are open and the last that were closed, each with its values.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::model::Pack;
use crate::model::ids::FrameId;
use crate::model::names::Sym;
use crate::model::schema::Keyed;
use crate::model::value::Value;

/// An instance of a keyed frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// Its key, from the id source.
    pub key: SmolStr,
    /// How it ended; `None` while it is open.
    pub closed_as: Option<Sym>,
    /// Its fields, in declared order.
    pub values: Arc<[Value]>,
}

/// The instances of one keyed frame.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Instances {
    /// Those that are open, in the order of opening.
    pub open: Vec<Instance>,
    /// Those that were closed and are still known, in the order of closing.
    pub closed: Vec<Instance>,
}

impl Instances {
    /// The instance of a key.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<&Instance> {
        self.iter().find(|instance| instance.key == key)
    }

    /// All of them, the open ones first.
    pub fn iter(&self) -> impl Iterator<Item = &Instance> {
        self.open.iter().chain(&self.closed)
    }
}

/// The instances of all keyed frames of a pack; in a pack without any it takes no room.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Store(Option<Arc<Vec<Instances>>>);

static NONE: Instances = Instances { open: Vec::new(), closed: Vec::new() };

impl Store {
    /// That of a session that has just begun.
    pub fn new(pack: &Pack) -> Self {
        Self((!pack.keyed.is_empty()).then(|| Arc::new(vec![Instances::default(); pack.keyed.len()])))
    }

    /// The instances of a keyed frame.
    pub fn of(&self, keyed: &Keyed) -> &Instances {
        self.0.as_ref().and_then(|all| all.get(keyed.at)).unwrap_or(&NONE)
    }

    /// The instances of a keyed frame, to be changed.
    pub fn of_mut(&mut self, keyed: &Keyed) -> &mut Instances {
        let all = Arc::make_mut(self.0.get_or_insert_default());
        if all.len() <= keyed.at {
            all.resize(keyed.at + 1, Instances::default());
        }
        &mut all[keyed.at]
    }

    /// Puts the instance of a key into the slots of its frame; where there is none nothing is bound.
    pub fn bind(&self, pack: &Pack, keyed: &Keyed, key: &str, slots: &mut [Value]) {
        let Some(instance) = self.of(keyed).find(key) else { return unbind_frame(pack, keyed, slots) };
        for (slot, value) in keyed.fields().zip(&*instance.values) {
            slots[slot.index()] = value.clone();
        }
        slots[keyed.key().index()] = Value::Text(instance.key.clone());
        slots[keyed.known().index()] = Value::Bool(true);
        slots[keyed.open().index()] = Value::Bool(instance.closed_as.is_none());
        slots[keyed.ended().index()] = instance.closed_as.map_or(Value::Absent, Value::Sym);
    }

    /// Takes what the slots hold of the bound instance, which may be new or have ended.
    pub fn keep(&mut self, keyed: &Keyed, slots: &[Value]) {
        let Value::Text(key) = &slots[keyed.key().index()] else { return };
        let values = &slots[usize::from(keyed.fields.start)..usize::from(keyed.fields.end)];
        let closed_as = match slots[keyed.ended().index()] {
            Value::Sym(ended) => Some(ended),
            _ => None,
        };
        let same = |known: &Instance| known.closed_as == closed_as && *known.values == *values;
        if self.of(keyed).find(key).is_some_and(same) {
            return;
        }
        let instance = Instance { key: key.clone(), closed_as, values: values.into() };
        let all = self.of_mut(keyed);
        let stands = all.open.iter().position(|known| known.key == *key);
        match (stands, closed_as) {
            (Some(at), None) => all.open[at] = instance,
            (None, None) => all.open.push(instance),
            (at, Some(_)) => {
                at.map(|at| all.open.remove(at));
                match all.closed.iter_mut().find(|known| known.key == *key) {
                    Some(known) => *known = instance,
                    None => all.closed.push(instance),
                }
            }
        }
    }

    /// Lets go of those that were closed longest ago, beyond what each frame keeps.
    pub fn prune(&mut self, pack: &Pack) {
        for keyed in keyed_frames(pack) {
            let over = self.of(keyed).closed.len().saturating_sub(keyed.keep_closed);
            if over > 0 {
                self.of_mut(keyed).closed.drain(..over);
            }
        }
    }

    /// Writes how many instances of a frame are open, and the key of the only one.
    pub fn count(&self, keyed: &Keyed, slots: &mut [Value]) {
        let open = &self.of(keyed).open;
        slots[keyed.open_count().index()] = Value::Int(i64::try_from(open.len()).unwrap_or(i64::MAX));
        slots[keyed.only().index()] = match open.as_slice() {
            [only] => Value::Text(only.key.clone()),
            _ => Value::Absent,
        };
    }

    /// This as it was at an earlier time, but for the instances that have ended since: they stay so.
    pub fn before(&self, pack: &Pack, earlier: &Self) -> Self {
        let mut store = earlier.clone();
        for keyed in keyed_frames(pack) {
            let now = self.of(keyed);
            let ended = |instance: &Instance| !now.open.iter().any(|other| other.key == instance.key);
            let keys: Vec<SmolStr> =
                earlier.of(keyed).open.iter().filter(|instance| ended(instance)).map(|of| of.key.clone()).collect();
            for key in keys {
                let all = store.of_mut(keyed);
                all.open.retain(|instance| instance.key != key);
                all.closed.extend(now.closed.iter().find(|instance| instance.key == key).cloned());
            }
        }
        store.prune(pack);
        store
    }
}

/// The keyed frames of a pack.
pub(crate) fn keyed_frames(pack: &Pack) -> impl Iterator<Item = &Keyed> {
    pack.keyed.iter().filter_map(|frame| pack.frames[frame.index()].keyed.as_ref())
}

fn unbind_frame(pack: &Pack, keyed: &Keyed, slots: &mut [Value]) {
    for slot in keyed.fields().chain([keyed.key(), keyed.known(), keyed.open(), keyed.ended()]) {
        slots[slot.index()] = pack.slots[slot.index()].default.clone();
    }
}

/// Slots in which no instance is bound; they are copied only where one was.
pub(crate) fn unbind(pack: &Pack, slots: &mut Arc<[Value]>) {
    for keyed in keyed_frames(pack) {
        if slots[keyed.key().index()].is_present() {
            unbind_frame(pack, keyed, Arc::make_mut(slots));
        }
    }
}

/// The key of the instance of a frame that is bound in some slots, and whether it is open.
pub(crate) fn bound<'s>(pack: &Pack, frame: FrameId, slots: &'s [Value]) -> Option<(&'s SmolStr, bool)> {
    let keyed = pack.frames[frame.index()].keyed.as_ref()?;
    match &slots[keyed.key().index()] {
        Value::Text(key) => Some((key, slots[keyed.open().index()] == Value::Bool(true))),
        _ => None,
    }
}
