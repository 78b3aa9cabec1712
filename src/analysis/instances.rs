//! Instances of keyed frames, as somebody sees them who binds one: those bound by the same value are the same, those bound by
//! different values may be the same or not.

use crate::model::Pack;
use crate::model::class::{Class, On};
use crate::model::cond::{Cond, Op, Operand, Path, Place};
use crate::model::effect::{Effect, Expr, Verb};
use crate::model::ids::{ClassId, FrameId, Slot};
use crate::model::names::Sym;
use crate::model::schema::Keyed;
use crate::model::value::Value;
use crate::model::walk;

use super::encode::{Encoder, Sight, Who};
use super::sat::Lit;
use super::term::Term;

/// What an instance is bound by.
#[derive(Debug, Clone, PartialEq, Eq)]
enum By {
    /// The call whose outcome comes.
    Call,
    /// The first of these that is there; with the trigger that sees them, where others see other values.
    Places(Vec<Place>, Option<(ClassId, usize)>),
}

/// An instance that somebody sees.
#[derive(Debug)]
pub struct Seen {
    /// Its frame.
    pub frame: FrameId,
    by: By,
    /// The key that is looked for.
    pub key: Term,
    /// Whether there is an instance of that key.
    pub known: Lit,
    /// Whether it is open.
    pub open: Lit,
    /// How it has ended.
    pub ended: Term,
    /// The fields that are looked at.
    pub fields: Vec<(Slot, Term)>,
    /// Other instances of the frame, and whether they are looked for under the same key.
    same: Vec<(usize, Lit)>,
}

impl Seen {
    /// Whether it is the one that the call belongs to whose outcome comes.
    #[must_use]
    pub fn of_call(&self) -> bool {
        self.by == By::Call
    }
}

impl<'r> Encoder<'r> {
    /// What somebody sees of the bound instance of a keyed frame.
    pub(super) fn of_instance(&mut self, slot: Slot, who: Who) -> Term {
        let frame = self.pack.slots[slot.index()].frame;
        let (Some(keyed), Some(at)) = (self.pack.keyed_at(slot), self.seen(frame, who)) else {
            return Term::constant(&self.pack.slots[slot.index()].default);
        };
        let Seen { known, open, key, ended, fields, .. } = &self.instances[at];
        let flag = |lit: Lit| Term::plain(Lit::TRUE, vec![(Value::Bool(true), lit), (Value::Bool(false), !lit)]);
        if slot == keyed.known() {
            return flag(*known);
        }
        if slot == keyed.open() {
            return flag(*open);
        }
        if slot == keyed.ended() {
            return ended.clone();
        }
        if slot == keyed.key() {
            let (key, known) = (key.clone(), *known);
            return key.only_if(&mut self.sat, known);
        }
        if let Some((_, term)) = fields.iter().find(|(of, _)| *of == slot) {
            return term.clone();
        }
        let (known, field) = (*known, &self.pack.slots[slot.index()]);
        let present = if field.given || field.cleared.is_present() {
            known
        } else {
            let present = self.sat.fresh();
            self.sat.implies(&[present], &[known]);
            present
        };
        let term = match self.domains.known(Place::Field(slot)) {
            Some(cell) => self.build(cell, present),
            None => Term::Opaque(present),
        };
        for (other, same) in self.instances[at].same.clone() {
            let theirs = self.instances[other].fields.iter().find(|(of, _)| *of == slot).map(|(_, term)| term.clone());
            if let Some(theirs) = theirs {
                let alike = self.alike(&term, &theirs);
                self.sat.implies(&[same, known], &[alike]);
            }
        }
        self.instances[at].fields.push((slot, term.clone()));
        term
    }

    /// The instance that somebody sees, as a position; `None` where nothing is bound.
    fn seen(&mut self, frame: FrameId, who: Who) -> Option<usize> {
        let by = match who {
            Who::State | Who::Answer => return None,
            Who::Instance(at) => return (self.instances[at].frame == frame).then_some(at),
            Who::Outcome => By::Call,
            Who::Start(taker) | Who::After(taker) => return self.seen(frame, self.who(taker)),
            Who::Trigger(class, trigger) => {
                let bind = &self.pack.classes[class.index()].bind;
                let paths = paths(&bind.iter().find(|(of, _)| *of == frame)?.1);
                let shared = paths.iter().all(|path| self.is_shared(path));
                By::Places(paths.iter().map(|path| path.place).collect(), (!shared).then_some((class, trigger)))
            }
        };
        if let Some(at) = self.instances.iter().position(|seen| seen.frame == frame && seen.by == by) {
            return Some(at);
        }
        let key = match who {
            Who::Trigger(class, trigger) => {
                let sight = Sight { restricted: true, ..Sight::of(Who::Trigger(class, trigger)) };
                let pack = self.pack;
                let (_, expr) = pack.classes[class.index()].bind.iter().find(|(of, _)| *of == frame)?;
                let of: Vec<Term> = paths(expr).into_iter().map(|path| self.term(path, &sight)).collect();
                Some(Term::first(&mut self.sat, &of))
            }
            _ => None,
        };
        self.look(frame, by, key)
    }

    /// Whether everybody who takes an input sees the same at a path.
    fn is_shared(&self, path: &Path) -> bool {
        path.steps.is_empty()
            && match path.place {
                Place::Input(input) => self.registry.late[input.index()].is_none(),
                Place::Field(slot) => {
                    let frame = self.pack.slots[slot.index()].frame;
                    self.registry.outside.has(frame) && !self.pack.decide.contains(&frame)
                }
                Place::EnvTurn | Place::EnvSession => true,
                _ => false,
            }
    }

    /// One more instance that is looked at, under this key; without one under that of a call.
    fn look(&mut self, frame: FrameId, by: By, key: Option<Term>) -> Option<usize> {
        let pack = self.pack;
        let keyed = pack.frames[frame.index()].keyed.as_ref()?;
        let (known, open) = (self.sat.fresh(), self.sat.fresh());
        self.sat.implies(&[open], &[known]);
        let key = match key {
            Some(key) => {
                self.sat.implies(&[known], &[key.present()]);
                key
            }
            None => {
                // A call belongs to an instance that is open, or to none.
                self.sat.implies(&[known], &[open]);
                self.sat.implies(&[known], &[self.moment.outcome]);
                let sites: Vec<(Belongs, Lit)> = self
                    .moment
                    .sites
                    .iter()
                    .map(|(site, lit)| (belongs(pack, site.class, site.call.id, frame, 0), *lit))
                    .collect();
                for (belongs, lit) in sites {
                    match belongs {
                        Belongs::Never => self.sat.implies(&[lit], &[!known]),
                        Belongs::Always => self.sat.implies(&[lit], &[known]),
                        Belongs::Perhaps => {}
                    }
                }
                self.domains
                    .known(Place::Field(keyed.key()))
                    .map_or(Term::Opaque(known), |cell| self.build(cell, known))
            }
        };
        let ended = self.sat.and([known, !open]);
        let ended = match self.domains.known(Place::Field(keyed.ended())) {
            Some(cell) => self.build(cell, ended),
            None => Term::Opaque(ended),
        };
        let at = self.instances.len();
        let others: Vec<usize> = (0..at).filter(|other| self.instances[*other].frame == frame).collect();
        let mut same = Vec::new();
        let (none, one) = self.counted_open(keyed);
        for other in others {
            let Seen { key: their_key, known: their_known, open: their_open, ended: their_ended, .. } =
                &self.instances[other];
            let (their_key, their_known, their_open) = (their_key.clone(), *their_known, *their_open);
            let their_ended = their_ended.clone();
            let equal = self.equal(&key, &their_key);
            for (one, other) in [(known, their_known), (their_known, known), (open, their_open), (their_open, open)] {
                self.sat.implies(&[equal, one], &[other]);
            }
            let alike = self.alike(&ended, &their_ended);
            self.sat.implies(&[equal, known], &[alike]);
            self.sat.implies(&[!equal, open, their_open], &[!one]);
            self.instances[other].same.push((at, equal));
            same.push((other, equal));
        }
        self.sat.implies(&[open], &[!none]);
        let only = self.shared(Place::Field(keyed.only()));
        let is_only = self.equal(&key, &only);
        self.sat.implies(&[open, one], &[is_only]);
        self.sat.implies(&[is_only, one], &[open]);
        self.instances.push(Seen { frame, by, key, known, open, ended, fields: Vec::new(), same });
        for invariant in pack.invariants.iter().filter(|invariant| invariant.frame == Some(frame)) {
            let when = self.cond(&invariant.when, &Sight::of(Who::Instance(at)));
            let then = self.cond(&invariant.then, &Sight::of(Who::Instance(at)));
            self.sat.implies(&[when.yes], &[then.yes]);
        }
        Some(at)
    }

    /// Whether no instance of a frame is open, and whether exactly one is.
    fn counted_open(&mut self, keyed: &Keyed) -> (Lit, Lit) {
        let count = self.shared(Place::Field(keyed.open_count()));
        let Term::Plain(plain) = &count else { return (Lit::FALSE, Lit::FALSE) };
        let of = |wanted: usize| {
            let choice =
                plain.choices.iter().find(|(value, _)| *value == Value::Int(i64::try_from(wanted).unwrap_or(0)));
            choice.map_or(Lit::FALSE, |(_, lit)| *lit)
        };
        (of(0), of(1))
    }

    /// How many instances of a frame may be open, and that the only one is there where exactly one is.
    pub(super) fn say_counts(&mut self, keyed: &Keyed) {
        let (_, one) = self.counted_open(keyed);
        let Term::Plain(plain) = self.shared(Place::Field(keyed.open_count())) else { return };
        let possible = 0..=i64::try_from(keyed.max_open).unwrap_or(i64::MAX);
        for (value, lit) in &plain.choices {
            if !matches!(value, Value::Int(open) if possible.contains(open)) {
                self.sat.clause(&[!*lit]);
            }
        }
        let only = self.shared(Place::Field(keyed.only())).present();
        self.sat.implies(&[only], &[one]);
        self.sat.implies(&[one], &[only]);
    }
}

/// The paths that an instance is bound by, in order.
fn paths(expr: &Expr) -> Vec<&Path> {
    let mut found = Vec::new();
    match expr {
        Expr::Path { path, .. } => found.push(path),
        Expr::First(of) => found.extend(of.iter().flat_map(paths)),
        _ => {}
    }
    found
}

/// Whether a call belongs to an instance of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Belongs {
    Never,
    Perhaps,
    Always,
}

/// How deep calls made from outcomes of calls are followed.
const DEEPEST: usize = 8;

/// Whether the call that a class makes under an id belongs to an instance of a frame.
fn belongs(pack: &Pack, id: ClassId, call: Sym, frame: FrameId, depth: usize) -> Belongs {
    let class = &pack.classes[id.index()];
    let place =
        |effects: &[Effect]| effects.iter().position(|effect| matches!(&effect.verb, Verb::Call(of) if of.id == call));
    if let Some(at) = place(&class.effects) {
        return along(&class.effects[..at], frame, begins(pack, id, class, frame));
    }
    for row in &class.settle {
        if let Some(at) = place(&row.effects) {
            let begins = if depth < DEEPEST { belongs(pack, id, row.on, frame, depth + 1) } else { Belongs::Perhaps };
            return along(&row.effects[..at], frame, begins);
        }
    }
    Belongs::Perhaps
}

/// Whether an open instance of a frame is bound when the effects of a class begin.
fn begins(pack: &Pack, id: ClassId, class: &Class, frame: FrameId) -> Belongs {
    let outcomes = id == pack.boundary || class.triggers.iter().any(|of| matches!(of.on, On::Outcome { .. }));
    let bound = class.bind.iter().any(|(of, _)| *of == frame);
    let Some(keyed) = &pack.frames[frame.index()].keyed else { return Belongs::Never };
    match (outcomes, bound) {
        (true, _) => Belongs::Perhaps,
        (false, false) => Belongs::Never,
        (false, true) if demands_open(&class.requires, keyed.open()) => Belongs::Always,
        (false, true) => Belongs::Perhaps,
    }
}

/// Whether an open instance of a frame is bound after some effects.
fn along(effects: &[Effect], frame: FrameId, begins: Belongs) -> Belongs {
    effects.iter().fold(begins, |known, effect| {
        let sure = effect.when.is_true();
        match effect.verb {
            Verb::Open { frame: of, .. } if of == frame && sure => Belongs::Always,
            Verb::Open { frame: of, .. } if of == frame && known == Belongs::Never => Belongs::Perhaps,
            Verb::Close { frame: of, .. } if of == frame && sure => Belongs::Never,
            Verb::Close { frame: of, .. } if of == frame && known == Belongs::Always => Belongs::Perhaps,
            _ => known,
        }
    })
}

/// Whether a condition surely asks for a field to be true.
fn demands_open(cond: &Cond, open: Slot) -> bool {
    match cond {
        Cond::All(of) => of.iter().any(|cond| demands_open(cond, open)),
        Cond::Test { path, op: Op::Eq(Operand::Value(Value::Bool(true))), .. } => {
            path.place == Place::Field(open) && path.steps.is_empty()
        }
        _ => false,
    }
}

/// What decides which instances a class binds: the places its keys come from, and what is known of its frames besides.
pub(super) fn bound_by(pack: &Pack, class: &Class, see: &mut dyn FnMut(Place)) {
    for (frame, expr) in &class.bind {
        walk::expr_paths(expr, &mut |_, path| see(path.place));
        if let Some(keyed) = &pack.frames[frame.index()].keyed {
            see(Place::Field(keyed.open_count()));
            see(Place::Field(keyed.only()));
        }
    }
}
