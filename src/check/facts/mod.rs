//! What is known to hold at one moment of a step, and what follows from it. Sound, not complete: "not known" is no "no".

mod conclude;
mod known;
mod query;

use std::rc::Rc;

use crate::model::class::{Base, Class, On, Trigger};
use crate::model::cond::{Cond, Op, Path, Place, Step};
use crate::model::effect::{Call, Verb};
use crate::model::ids::{EventId, FrameId, InputId, KeptId, PortId, Slot, SlotSet};
use crate::model::names::Sym;
use crate::model::schema::Type;
use crate::model::value::Value;
use crate::model::{Derivation, Pack, walk};
use crate::source::{FileId, Span};

pub use conclude::is_true;

use super::allowance::Allowance;
use super::same;
use known::Known;

/// An invariant that speaks of the state alone.
struct Rule {
    frame: Option<FrameId>,
    now: (Cond, Cond),
    before: (Cond, Cond),
}

/// What the facts of every class of a pack rest on.
pub struct Ground<'a> {
    pub pack: &'a Pack,
    rules: Vec<Rule>,
    derived: Vec<Option<&'a Derivation>>,
    ok: Option<Sym>,
    /// For each port what every call of it surely keeps; `None` where nothing calls it.
    kept: Vec<Option<Vec<KeptId>>>,
    /// What the classes write that go on from the select step when an outcome comes.
    on_outcome: SlotSet,
}

impl<'a> Ground<'a> {
    /// Prepares a pack.
    pub fn of(pack: &'a Pack) -> Self {
        let mut rules = Vec::new();
        for invariant in &pack.invariants {
            let mut state_only = true;
            let mut own = true;
            for cond in [&invariant.when, &invariant.then] {
                walk::cond_paths(cond, &mut |path| match path.place {
                    Place::Field(slot) => own &= Some(pack.slots[slot.index()].frame) == invariant.frame,
                    Place::EntryKey | Place::EntryValue => {}
                    _ => state_only = false,
                });
            }
            if state_only {
                let now = (invariant.when.clone(), invariant.then.clone());
                let before = (same::cond(&now.0, &same::before), same::cond(&now.1, &same::before));
                rules.push(Rule { frame: invariant.frame.filter(|_| own), now, before });
            }
        }
        let mut derived = vec![None; pack.inputs.len()];
        for rule in &pack.derived {
            derived[rule.input.index()] = Some(&rule.rule);
        }
        let mut kept: Vec<Option<Vec<KeptId>>> = vec![None; pack.ports.len()];
        let mut on_outcome = SlotSet::default();
        for class in &pack.classes {
            let selected = |trigger: &Trigger| matches!(trigger.on, On::Outcome { base: Base::Selected, .. });
            let listens = class.triggers.iter().any(selected);
            walk::effects(class, &mut |_, effect| {
                if listens {
                    walk::targets(pack, &effect.verb, &mut |slot| on_outcome.insert(slot));
                }
                if let Verb::Call(call) = &effect.verb {
                    let here = surely_kept(call);
                    let known = &mut kept[call.port.index()];
                    *known = Some(match known.take() {
                        None => here,
                        Some(known) => known.into_iter().filter(|kept| here.contains(kept)).collect(),
                    });
                }
            });
        }
        Self { pack, rules, derived, ok: pack.names.get("ok"), kept, on_outcome }
    }

    /// What every call of one of these ports surely keeps.
    pub fn kept(&self, ports: &[PortId]) -> Vec<KeptId> {
        let mut each = ports.iter().filter_map(|port| self.kept[port.index()].as_ref());
        let first = each.next().cloned().unwrap_or_default();
        each.fold(first, |common, kept| common.into_iter().filter(|of| kept.contains(of)).collect())
    }

    /// Whether a class that takes outcomes and goes on from the select step writes a field.
    pub fn written_on_outcome(&self, slot: Slot) -> bool {
        self.on_outcome.has(slot)
    }
}

/// What a call surely keeps.
pub fn surely_kept(call: &Call) -> Vec<KeptId> {
    let sure = call.keep.iter().filter(|(_, expr)| !walk::may_be_left_out(expr));
    sure.map(|(name, _)| *name).collect()
}

/// What sets the step off.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// An input event.
    Event(EventId),
    /// The outcome of a call of one of these ports; whether it is ok, where that is known.
    Outcome(Vec<PortId>, Option<bool>),
    /// Anything: the boundary takes what is left.
    Any,
}

type Map = fn(&Place) -> Place;

/// Which state `frame.field` means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stage {
    /// The state before the step, so the same as `before`.
    Start,
    /// The state after carry.
    Carried,
    /// The state after the last effect.
    Done,
}

/// Facts at one moment.
#[derive(Clone)]
pub struct Facts<'a> {
    ground: &'a Ground<'a>,
    allowance: &'a Allowance<'a>,
    pub kind: Kind,
    stage: Stage,
    /// The reasons the boundary may have, and whether it has one.
    reasons: Vec<Sym>,
    reason_sure: bool,
    /// The one value that an input can have, if any: the tag of the alternative that matched.
    only: Option<(InputId, Option<Value>)>,
    present: Vec<Path>,
    conds: Vec<Rc<Known>>,
    /// Nothing new follows.
    closed: bool,
}

impl PartialEq for Facts<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
            && self.reasons == other.reasons
            && self.only == other.only
            && self.present == other.present
            && self.conds == other.conds
    }
}

/// A path that is a start only.
pub fn bare(place: Place) -> Path {
    Path { place, steps: Vec::new(), span: Span { file: FileId(0), start: 0, end: 0 } }
}

impl<'a> Facts<'a> {
    /// What is known before anything is.
    pub fn new(ground: &'a Ground<'a>, allowance: &'a Allowance<'a>, kind: Kind) -> Self {
        Self {
            ground,
            allowance,
            kind,
            stage: Stage::Start,
            reasons: Vec::new(),
            reason_sure: false,
            only: None,
            present: Vec::new(),
            conds: Vec::new(),
            closed: false,
        }
    }

    /// The reasons that the step may have.
    pub fn with_reasons(mut self, reasons: Vec<Sym>, sure: bool) -> Self {
        self.reasons = reasons;
        self.reason_sure = sure;
        self
    }

    fn pack(&self) -> &'a Pack {
        self.ground.pack
    }

    /// Takes a condition for true.
    pub fn assume(&mut self, cond: &Cond) {
        self.assume_all(&[cond], &[]);
    }

    /// Takes conditions for true and values for present.
    pub fn assume_all(&mut self, conds: &[&Cond], present: &[Path]) {
        if conds.iter().all(|cond| cond.is_true()) && present.is_empty() && self.closed {
            return;
        }
        conds.iter().for_each(|cond| self.learn(cond));
        present.iter().for_each(|path| self.add_present(path));
        self.close();
    }

    /// An input has this value or none.
    pub fn assume_only(&mut self, input: InputId, value: Option<Value>) {
        self.only = Some((input, value));
    }

    /// Takes a value for present.
    pub fn assume_present(&mut self, path: &Path) {
        self.assume_all(&[], std::slice::from_ref(path));
    }

    /// Takes it that a path has this value.
    pub fn assume_value(&mut self, path: &Path, ty: &Type, values: Vec<Value>) {
        let op = Op::In(values);
        self.assume(&Cond::Test { path: path.clone(), ty: ty.clone(), op, span: path.span });
    }

    /// Takes a condition for true; nothing is concluded until [`close`](Self::close).
    pub fn learn(&mut self, cond: &Cond) {
        let mut state = false;
        walk::cond_paths(cond, &mut |path| state |= walk::slot_of(path).is_some());
        self.hold(cond);
        for map in self.others().iter().filter(|_| state) {
            self.hold(&same::cond(cond, map));
        }
    }

    fn hold(&mut self, cond: &Cond) {
        for conjunct in same::conjuncts(cond) {
            let print = known::print(conjunct);
            if !self.conds.iter().any(|known| known.is(conjunct, print)) {
                self.conds.push(Rc::new(Known::of(conjunct.clone())));
                for path in conclude::proved(conjunct, true).unwrap_or_default() {
                    self.add_present(&path);
                }
            }
        }
    }

    /// At the start the state is the same as the one before the step, so that what holds of one holds of the other.
    fn others(&self) -> &'static [Map] {
        const OTHERS: [Map; 2] = [same::before, now];
        if self.stage == Stage::Start { &OTHERS } else { &[] }
    }

    /// Takes a value for present; nothing is concluded until [`close`](Self::close).
    pub fn add_present(&mut self, path: &Path) {
        for steps in 0..=path.steps.len() {
            let prefix = Path { steps: path.steps[..steps].to_vec(), ..path.clone() };
            if let Some(Step::Lookup(key)) = prefix.steps.last() {
                self.add_present(key);
            }
            if walk::slot_of(path).is_some() || steps > 0 {
                self.others().iter().for_each(|map| self.there(same::path(&prefix, map)));
            }
            self.there(prefix);
        }
    }

    fn there(&mut self, path: Path) {
        if !self.present.contains(&path) {
            self.present.push(path);
        }
    }

    /// The facts after carry.
    pub fn carried(mut self, class: &Class) -> Self {
        let allowance = self.allowance;
        let pack = self.pack();
        let stays = |slot: Slot| {
            let frame = pack.slots[slot.index()].frame;
            allowance.survives(slot) && (allowance.uncut(frame) || class.needs.has(frame))
        };
        self.keep_if(&|slot, _| stays(slot));
        self.stage = Stage::Carried;
        self.closed = false;
        self.close();
        self
    }

    /// The facts at the start of the step that an outcome sets off later: what is known of the state alone.
    pub fn later(&self, kind: Kind, disturbed: &dyn Fn(Slot) -> bool) -> Self {
        let mut later = Self::new(self.ground, self.allowance, kind);
        let state_only = |path: &Path| match path.place {
            Place::Field(slot) => !disturbed(slot),
            Place::EntryKey | Place::EntryValue => true,
            _ => false,
        };
        for cond in &self.conds {
            let mut stays = true;
            walk::cond_paths(&cond.cond, &mut |path| stays &= state_only(path));
            if stays {
                later.learn(&cond.cond);
            }
        }
        for path in &self.present {
            let mut stays = true;
            walk::path_paths(path, &mut |path| stays &= state_only(path));
            if stays {
                later.add_present(path);
            }
        }
        later.close();
        later
    }

    /// Forgets what is known of fields that do not pass. The test is told whether it is about a bare presence.
    fn keep_if(&mut self, stays: &dyn Fn(Slot, bool) -> bool) {
        let fits = |path: &Path, bare: bool| match path.place {
            Place::Field(slot) => stays(slot, bare),
            _ => true,
        };
        self.conds.retain(|cond| cond.slots.iter().all(|slot| stays(slot, false)));
        self.present.retain(|path| {
            let mut all = true;
            let bare = path.steps.is_empty();
            walk::path_paths(path, &mut |path| all &= fits(path, bare));
            all
        });
    }

    /// The facts when the step starts from another state than the one its guards saw.
    pub fn elsewhere(&self) -> Self {
        let mut other = Self::new(self.ground, self.allowance, self.kind.clone());
        other.reasons.clone_from(&self.reasons);
        other.reason_sure = self.reason_sure;
        other.only.clone_from(&self.only);
        let still = |path: &Path| !matches!(path.place, Place::Field(_) | Place::Before(_));
        for cond in &self.conds {
            let mut stays = true;
            walk::cond_paths(&cond.cond, &mut |path| stays &= still(path));
            if stays {
                other.learn(&cond.cond);
            }
        }
        for path in &self.present {
            let mut stays = true;
            walk::path_paths(path, &mut |path| stays &= still(path));
            if stays {
                other.add_present(path);
            }
        }
        other.close();
        other
    }

    /// The type of a field.
    pub fn slot_type(&self, slot: Slot) -> &'a Type {
        &self.pack().slots[slot.index()].ty
    }

    /// The pack.
    pub fn ground_pack(&self) -> &'a Pack {
        self.ground.pack
    }

    /// Nothing is drawn any more from what is known of the state: effects have begun.
    pub fn begin_effects(&mut self) {
        self.stage = Stage::Done;
    }

    /// A field was given another value, which is there.
    pub fn changed(&mut self, slot: Slot) {
        self.keep_if(&|of, bare| of != slot || bare);
    }

    /// A field may have no value now.
    pub fn lost(&mut self, slot: Slot) {
        self.keep_if(&|of, _| of != slot);
    }
}

/// From the state before the step to the state as it is.
fn now(place: &Place) -> Place {
    match place {
        Place::Before(slot) => Place::Field(*slot),
        other => *other,
    }
}
