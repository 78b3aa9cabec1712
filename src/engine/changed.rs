//! What a step changed: fields, and instances of keyed frames.

use crate::model::Pack;
use crate::model::ids::{FrameId, Slot};
use crate::model::names::Sym;
use crate::model::schema::Keyed;
use crate::model::value::Value;
use crate::state::Instance;

use super::Step;

/// A field that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change<'s> {
    /// Which field.
    pub slot: Slot,
    /// What it was.
    pub old: &'s Value,
    /// What it is.
    pub new: &'s Value,
}

/// An instance of a keyed frame that a step opened, changed or closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstanceChange<'s> {
    /// The frame.
    pub frame: FrameId,
    /// The key of the instance.
    pub key: &'s str,
    /// Whether the step opened it.
    pub opened: bool,
    /// How the step ended it.
    pub ended: Option<Sym>,
    /// Whether it is not known any more: too many closed ones are kept, or the turn that opened it was undone.
    pub gone: bool,
    /// Its fields that changed, in declared order; of a new one those that are present.
    pub fields: Vec<Change<'s>>,
}

impl Step {
    /// Fields that the step changed, in declared order; what stands in instances is not among them.
    pub fn changes(&self) -> impl Iterator<Item = Change<'_>> {
        let fields = self.before.iter().zip(self.state.slots()).enumerate();
        fields.filter(|(_, (old, new))| old != new).map(|(at, (old, new))| Change { slot: Slot::at(at), old, new })
    }

    /// Instances that the step changed, frame by frame: those known before first, new ones behind them.
    #[must_use]
    pub fn instance_changes(&self, pack: &Pack) -> Vec<InstanceChange<'_>> {
        let mut changes = Vec::new();
        for frame in &pack.keyed {
            let Some(keyed) = &pack.frames[frame.index()].keyed else { continue };
            let (before, after) = (self.before_instances.of(keyed), self.state.instances.of(keyed));
            for old in before.iter() {
                let new = after.find(&old.key);
                let change = InstanceChange {
                    frame: *frame,
                    key: &old.key,
                    opened: false,
                    ended: new.and_then(|new| new.closed_as.filter(|_| old.closed_as.is_none())),
                    gone: new.is_none(),
                    fields: new.map(|new| fields(keyed, Some(old), new)).unwrap_or_default(),
                };
                if change.ended.is_some() || change.gone || !change.fields.is_empty() {
                    changes.push(change);
                }
            }
            for new in after.iter().filter(|new| before.find(&new.key).is_none()) {
                changes.push(InstanceChange {
                    frame: *frame,
                    key: &new.key,
                    opened: true,
                    ended: new.closed_as,
                    gone: false,
                    fields: fields(keyed, None, new),
                });
            }
        }
        changes
    }
}

fn fields<'s>(keyed: &Keyed, old: Option<&'s Instance>, new: &'s Instance) -> Vec<Change<'s>> {
    let old = |at: usize| old.map_or(&Value::Absent, |old| &old.values[at]);
    let each = keyed.fields().zip(&*new.values).enumerate().map(|(at, (slot, new))| Change { slot, old: old(at), new });
    each.filter(|change| change.old != change.new).collect()
}
