//! Instances of keyed frames: all of a frame in one list, in the order of opening; which of them is bound stands in the fields.

use std::collections::BTreeMap;

use segue::model::Pack;
use segue::model::effect::Expr;
use segue::model::ids::{ClassId, FrameId};
use segue::model::names::Sym;
use segue::model::schema::Keyed;
use segue::model::value::Value;
use segue::state::SessionState;

use super::Fields;
use super::inputs::{Stand, source};
use super::view::Inputs;

/// An instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    pub frame: FrameId,
    pub key: String,
    /// How it ended, and as the how manieth.
    pub ended: Option<(Sym, u64)>,
    /// Its declared fields, in order.
    pub values: Vec<Value>,
}

/// All instances of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Instances {
    pub all: Vec<Instance>,
    ends: u64,
}

/// The frame and the key of an instance.
pub type Key = (FrameId, String);

pub fn keyed(pack: &Pack, frame: FrameId) -> &Keyed {
    pack.frames[frame.index()].keyed.as_ref().expect("a keyed frame")
}

impl Instances {
    /// Those that a session begins with.
    pub fn starting(pack: &Pack, state: &SessionState) -> Self {
        let mut found = Self::default();
        for frame in &pack.keyed {
            let all = state.instances(pack, *frame).expect("the frame is keyed");
            for of in all.closed.iter().chain(&all.open) {
                found.ends += 1;
                let ended = of.closed_as.map(|ended| (ended, found.ends));
                let (key, values) = (of.key.to_string(), of.values.to_vec());
                found.all.push(Instance { frame: *frame, key, ended, values });
            }
        }
        found
    }

    fn at(&mut self, key: &Key) -> Option<&mut Instance> {
        self.all.iter_mut().find(|of| (of.frame, &of.key) == (key.0, &key.1))
    }

    /// Those of a frame that are open.
    pub fn open(&self, frame: FrameId) -> Vec<&Instance> {
        self.all.iter().filter(|of| of.frame == frame && of.ended.is_none()).collect()
    }

    /// Those of a frame that have ended, in the order in which they did.
    pub fn closed(&self, frame: FrameId) -> Vec<&Instance> {
        let mut found: Vec<&Instance> = self.all.iter().filter(|of| of.frame == frame && of.ended.is_some()).collect();
        found.sort_by_key(|of| of.ended.map(|(_, at)| at));
        found
    }

    /// Lets go of those that no frame keeps.
    pub fn forget(&mut self, pack: &Pack) {
        for frame in &pack.keyed {
            while self.closed(*frame).len() > keyed(pack, *frame).keep_closed {
                let gone = self.closed(*frame)[0].key.clone();
                self.all.retain(|of| (of.frame, &of.key) != (*frame, &gone));
            }
        }
    }

    /// The fields with the instance of a key bound.
    pub fn bound(&self, pack: &Pack, fields: &Fields, key: &Key) -> Fields {
        let keyed = keyed(pack, key.0);
        let mut fields = fields.clone();
        for slot in keyed.fields().chain([keyed.key(), keyed.known(), keyed.open(), keyed.ended()]) {
            fields.reset(pack, slot);
        }
        if let Some(of) = self.all.iter().find(|of| (of.frame, &of.key) == (key.0, &key.1)) {
            for (slot, value) in keyed.fields().zip(&of.values) {
                fields.put(pack, slot, value.clone());
            }
            fields.put(pack, keyed.key(), Value::text(&of.key));
            fields.put(pack, keyed.known(), Value::Bool(true));
            fields.put(pack, keyed.open(), Value::Bool(of.ended.is_none()));
            fields.put(pack, keyed.ended(), of.ended.map_or(Value::Absent, |(ended, _)| Value::Sym(ended)));
        }
        fields
    }

    /// Writes what the bound instance holds by now.
    pub fn note(&mut self, pack: &Pack, frame: FrameId, fields: &Fields) {
        let keyed = keyed(pack, frame);
        let values: Vec<Value> = keyed.fields().map(|slot| fields.get(pack, slot)).collect();
        if let Some(key) = key_of(pack, frame, fields)
            && let Some(of) = self.at(&key)
        {
            of.values = values;
        }
    }

    /// Adds an open instance.
    pub fn add(&mut self, frame: FrameId, key: String, values: Vec<Value>) {
        self.all.push(Instance { frame, key, ended: None, values });
    }

    /// Ends an instance.
    pub fn end(&mut self, key: &Key, ended: Sym) {
        self.ends += 1;
        let at = self.ends;
        self.at(key).expect("it is bound").ended = Some((ended, at));
    }

    /// The facts of frames, which do not depend on what is bound.
    pub fn count(&self, pack: &Pack, fields: &mut Fields) {
        for frame in &pack.keyed {
            let (keyed, open) = (keyed(pack, *frame), self.open(*frame));
            fields.put(pack, keyed.open_count(), Value::Int(i64::try_from(open.len()).expect("few")));
            let only = if open.len() == 1 { Value::text(&open[0].key) } else { Value::Absent };
            fields.put(pack, keyed.only(), only);
        }
    }

    /// Those of before, where those that have ended since stay ended.
    pub fn back_to(&self, pack: &Pack, before: &Self) -> Self {
        let mut all = before.clone();
        all.ends = self.ends;
        let stood: Vec<Instance> = before.all.iter().filter(|of| of.ended.is_none()).cloned().collect();
        for old in stood {
            match self.all.iter().find(|of| (of.frame, &of.key) == (old.frame, &old.key)) {
                Some(now) if now.ended.is_none() => {}
                Some(now) => {
                    all.ends += 1;
                    let ended = now.ended.map(|(ended, _)| (ended, all.ends));
                    *all.at(&(old.frame, old.key)).expect("it stood there") = Instance { ended, ..now.clone() };
                }
                None => all.all.retain(|of| (of.frame, &of.key) != (old.frame, &old.key)),
            }
        }
        all.forget(pack);
        all
    }
}

/// The instance of a frame that is bound.
pub fn key_of(pack: &Pack, frame: FrameId, fields: &Fields) -> Option<Key> {
    match fields.get(pack, keyed(pack, frame).key()) {
        Value::Text(key) => Some((frame, key.to_string())),
        _ => None,
    }
}

/// Whether the instance of a frame that is bound is open.
pub fn is_open(pack: &Pack, frame: FrameId, fields: &Fields) -> bool {
    fields.get(pack, keyed(pack, frame).open()) == Value::Bool(true)
}

/// The instances that are bound and open.
pub fn owners(pack: &Pack, fields: &Fields) -> Vec<Key> {
    let open = pack.keyed.iter().filter(|frame| is_open(pack, **frame, fields));
    open.filter_map(|frame| key_of(pack, *frame, fields)).collect()
}

/// Fields with nothing bound.
pub fn at_rest(pack: &Pack, fields: &Fields) -> Fields {
    let mut fields = fields.clone();
    for frame in &pack.keyed {
        let keyed = keyed(pack, *frame);
        for slot in keyed.fields().chain([keyed.key(), keyed.known(), keyed.open(), keyed.ended()]) {
            fields.reset(pack, slot);
        }
    }
    fields
}

/// The fields as a class sees them that takes an input.
pub fn bind(stand: &Stand<'_>, instances: &Instances, class: ClassId, inputs: &Inputs) -> Fields {
    let mut fields = stand.state.clone();
    for (frame, expr) in &stand.pack.classes[class.index()].bind {
        let each: BTreeMap<usize, &Expr> = match expr {
            Expr::First(of) => of.iter().enumerate().collect(),
            one => BTreeMap::from([(0, one)]),
        };
        let found = each.values().find_map(|expr| match expr {
            Expr::Path { path, .. } => Some(source(stand, inputs, path)).filter(Value::is_present),
            _ => None,
        });
        if let Some(Value::Text(key)) = found {
            fields = instances.bound(stand.pack, &fields, &(*frame, key.to_string()));
        }
    }
    fields
}
