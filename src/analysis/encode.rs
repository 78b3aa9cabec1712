//! Conditions as clauses: each test as two literals, whether it is true and whether it is false, over symbolic values.

use crate::maps::HashMap;
use crate::model::Pack;
use crate::model::cond::{Cond, Path, Place};
use crate::model::ids::{ClassId, FrameId, InputId};
use crate::model::schema::Type;
use crate::model::value::Value;
use crate::registry::Registry;

use super::domain::Domains;
use super::gather::argument;
use super::guard::Taker;
use super::sat::{Lit, Sat};
use super::term::Term;

/// Whether something is true, and whether it is false; unknown is neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rails {
    /// It is true.
    pub yes: Lit,
    /// It is false.
    pub no: Lit,
}

/// What a condition sees.
#[derive(Debug, Clone)]
pub struct Sight {
    /// Whose inputs.
    pub of: Who,
    /// Whether values of frames are seen only where that candidate may read them.
    pub restricted: bool,
    /// The entry of a collection that is looked at.
    pub entry: Option<Seen>,
}

/// An entry of a collection, as conditions on entries see it.
#[derive(Debug, Clone)]
pub struct Seen {
    pub(super) key: Option<Term>,
    pub(super) value: Option<Term>,
    pub(super) key_type: Option<Type>,
    pub(super) value_type: Option<Type>,
}

/// Whose inputs a condition sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Who {
    /// Nobody's: a state alone.
    State,
    /// Nobody's, but that an instance of a keyed frame is bound, by its place among those that are seen.
    Instance(usize),
    /// A trigger of a class.
    Trigger(ClassId, usize),
    /// Those of an outcome.
    Outcome,
    /// An answer as it came, before anybody hears of it.
    Answer,
    /// Those of a step of somebody, and the state in which its effects begin.
    Start(Taker),
    /// The same, and the state that they leave.
    After(Taker),
}

impl Sight {
    /// What the guard of somebody sees: every frame.
    #[must_use]
    pub fn of(of: Who) -> Self {
        Self { of, restricted: false, entry: None }
    }
}

/// Why something is not told exactly, and the literal under which that matters.
#[derive(Debug, Clone)]
pub struct Vague {
    /// Holds where it matters.
    pub lit: Lit,
    /// What it is about, for people.
    pub why: String,
}

/// The clauses of one pack, which grow as they are asked for.
pub struct Encoder<'r> {
    /// The pack, compiled.
    pub registry: &'r Registry,
    /// The pack.
    pub pack: &'r Pack,
    /// The solver.
    pub sat: Sat,
    /// What each place can hold.
    pub domains: Domains<'r>,
    /// What is not told exactly.
    pub vague: Vec<Vague>,
    pub(super) places: HashMap<Place, Term>,
    pub(super) late: HashMap<(ClassId, usize, InputId), Term>,
    pub(super) steps: HashMap<(Taker, bool, Place), Term>,
    pub(super) lets: HashMap<FrameId, Lit>,
    pub(super) moment: super::moment::Moment<'r>,
    /// The instances of keyed frames that somebody sees.
    pub(super) instances: Vec<super::instances::Seen>,
    pub(super) passes: HashMap<super::guard::Taker, Lit>,
    pub(super) tests: HashMap<(*const Cond, Who), Rails>,
    /// Whether each partial value of an input becomes a value.
    pub(super) completes: HashMap<InputId, bool>,
    /// By whose step the outcome is led up to that is looked at, where it is one that comes right after a step.
    pub(super) lead: Option<Taker>,
    pub(super) leads: HashMap<(Taker, crate::model::names::Sym), super::led::Led<'r>>,
}

impl<'r> Encoder<'r> {
    /// The clauses that hold of every situation of a pack: its values are of their types, its states keep the invariants of
    /// frames. With `steps` all is told that steps depend on.
    #[must_use]
    pub fn new(registry: &'r Registry, steps: bool) -> Self {
        let pack = registry.pack();
        let mut sat = Sat::default();
        let moment = super::moment::Moment::new(registry, &mut sat);
        let mut encoder = Self {
            registry,
            pack,
            sat,
            domains: Domains::of(pack, steps),
            vague: Vec::new(),
            places: HashMap::default(),
            late: HashMap::default(),
            steps: HashMap::default(),
            lets: HashMap::default(),
            moment,
            instances: Vec::new(),
            passes: HashMap::default(),
            tests: HashMap::default(),
            completes: HashMap::default(),
            lead: None,
            leads: HashMap::default(),
        };
        encoder.say_forms();
        crate::state::keyed_frames(pack).for_each(|keyed| encoder.say_counts(keyed));
        // Those of keyed frames hold of each instance that is seen.
        encoder.say_checks();
        let keyed = |frame: FrameId| pack.frames[frame.index()].keyed.is_some();
        for invariant in pack.invariants.iter().filter(|of| of.frame.is_some_and(|frame| !keyed(frame))) {
            let when = encoder.cond(&invariant.when, &Sight::of(Who::State));
            let then = encoder.cond(&invariant.then, &Sight::of(Who::State));
            encoder.sat.implies(&[when.yes], &[then.yes]);
        }
        encoder
    }

    /// Whether a condition holds.
    pub fn holds(&mut self, cond: &'r Cond, sight: &Sight) -> Lit {
        self.cond(cond, sight).yes
    }

    /// What a condition comes to.
    pub fn cond(&mut self, cond: &'r Cond, sight: &Sight) -> Rails {
        match cond {
            Cond::All(of) => {
                let of: Vec<Rails> = of.iter().map(|cond| self.cond(cond, sight)).collect();
                Rails {
                    yes: self.sat.and(of.iter().map(|rails| rails.yes)),
                    no: self.sat.or(of.iter().map(|rails| rails.no)),
                }
            }
            Cond::Any(of) => {
                let of: Vec<Rails> = of.iter().map(|cond| self.cond(cond, sight)).collect();
                Rails {
                    yes: self.sat.or(of.iter().map(|rails| rails.yes)),
                    no: self.sat.and(of.iter().map(|rails| rails.no)),
                }
            }
            Cond::Not(cond) => {
                let Rails { yes, no } = self.cond(cond, sight);
                Rails { yes: no, no: yes }
            }
            Cond::Test { path, op, .. } => {
                let key = (std::ptr::from_ref(cond), sight.of);
                if sight.entry.is_none()
                    && let Some(known) = self.tests.get(&key)
                {
                    return *known;
                }
                let (term, ty) = self.typed(path, sight);
                let rails = self.test(&term, ty.as_ref(), op, sight);
                if sight.entry.is_none() {
                    self.tests.insert(key, rails);
                }
                rails
            }
        }
    }

    /// The value at a path.
    pub fn term(&mut self, path: &'r Path, sight: &Sight) -> Term {
        self.typed(path, sight).0
    }

    fn typed(&mut self, path: &'r Path, sight: &Sight) -> (Term, Option<Type>) {
        let (mut term, mut ty) = match (path.place, &sight.entry) {
            (Place::EntryKey, Some(seen)) => (seen.key.clone().unwrap_or_else(Term::absent), seen.key_type.clone()),
            (Place::EntryValue, Some(seen)) => {
                (seen.value.clone().unwrap_or_else(Term::absent), seen.value_type.clone())
            }
            (place, _) => (self.place(place, sight), self.place_type(place)),
        };
        for step in &path.steps {
            (term, ty) = self.follow(&term, ty, step, sight);
        }
        (term, ty)
    }

    /// Whether the value of a place has literals.
    #[must_use]
    pub fn is_placed(&self, place: Place) -> bool {
        self.places.contains_key(&place)
    }

    /// The value of a place that has literals.
    #[must_use]
    pub fn placed(&self, place: Place) -> Option<&Term> {
        self.places.get(&place)
    }

    fn place_type(&self, place: Place) -> Option<Type> {
        let place = if let Place::Before(slot) = place { Place::Field(slot) } else { place };
        self.domains.known(place).map(|cell| self.domains.ty(cell).clone())
    }

    pub(super) fn place(&mut self, place: Place, sight: &Sight) -> Term {
        if let Who::Start(taker) | Who::After(taker) = sight.of {
            return self.in_step(taker, matches!(sight.of, Who::After(_)), place);
        }
        if let (Place::Field(slot), Who::Outcome) = (place, sight.of)
            && let Some(found) = self.found_by_outcome(slot)
        {
            return found;
        }
        match place {
            Place::Field(slot) if self.pack.is_bound(slot) => self.of_instance(slot, sight.of),
            Place::Field(slot) if sight.restricted => {
                let term = self.shared(place);
                let lit = match sight.of {
                    Who::Trigger(class, _) => self.may_read(class, slot),
                    _ => Lit::TRUE,
                };
                term.only_if(&mut self.sat, lit)
            }
            Place::Input(input) => match sight.of {
                Who::Trigger(class, trigger) => self.input(class, trigger, input),
                _ => Term::absent(),
            },
            Place::Ambiguous(input) | Place::Partial(input) => match sight.of {
                Who::Trigger(..) => {
                    let lit = match place {
                        Place::Ambiguous(_) => self.ambiguous(input),
                        _ => self.partial(input),
                    };
                    Term::plain(Lit::TRUE, vec![(Value::Bool(true), lit), (Value::Bool(false), !lit)])
                }
                _ => Term::absent(),
            },
            Place::Candidates(input) => match sight.of {
                Who::Trigger(..) => {
                    let said = self.ambiguous(input);
                    self.shared(place).only_if(&mut self.sat, said)
                }
                _ => Term::absent(),
            },
            Place::Outcome(id) if sight.of == Who::Answer => self.answered(id),
            Place::Outcome(_)
            | Place::OutcomeStatus
            | Place::OutcomeCall
            | Place::OutcomePort
            | Place::OutcomeError
            | Place::OutcomeBreach
            | Place::Kept(_) => match sight.of {
                Who::Outcome => self.outcome(place),
                _ => Term::absent(),
            },
            place => self.shared(place),
        }
    }

    /// The value of a place that is the same for everybody.
    pub(super) fn shared(&mut self, place: Place) -> Term {
        if let Some(term) = self.places.get(&place) {
            return term.clone();
        }
        let term = match self.domains.known(place) {
            Some(cell) => {
                let always = match place {
                    Place::Field(slot) => self.pack.slots[slot.index()].default.is_present(),
                    Place::Request(port, name) => argument(self.pack, port, name).is_some_and(|of| !of.optional),
                    Place::EnvToday | Place::EnvNow | Place::EnvTurn | Place::EnvSession | Place::Candidates(_) => true,
                    _ => false,
                };
                let present = if always { Lit::TRUE } else { self.sat.fresh() };
                self.build(cell, present)
            }
            None => Term::absent(),
        };
        self.places.insert(place, term.clone());
        term
    }
}
