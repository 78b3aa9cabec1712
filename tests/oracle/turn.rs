//! A step: who takes the event, what it makes of it, what becomes of the turn.

use std::collections::BTreeSet;

use segue::engine::Event;
use segue::model::class::{Alternative, By, Fate, On, Trigger};
use segue::model::effect::Effect;
use segue::model::ids::{ClassId, EventId, FrameSet, InputId, KeptId, PortId, Slot};
use segue::model::names::Sym;
use segue::model::value::Value;
use segue::model::{Pack, WhileOpen, reason};

use super::carry::{carry, dropped, effective, gate, may_read};
use super::effects::perform;
use super::inputs::{Stand, of_candidate, view};
use super::instances::{Instances, Key, at_rest, bind};
use super::recognise::{Given, longest_match, read};
use super::settle::{Heard, settle};
use super::verify::{answer, breaches, instance_breaches};
use super::view::{Inputs, Outcome, View};
use super::{Facts, Fields, Ids, OracleState, OracleStep, Turn};

/// A call whose outcome has not arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub id: String,
    pub class: ClassId,
    pub site: Sym,
    pub port: PortId,
    pub kept: Vec<(KeptId, Value)>,
    /// The instances that it belongs to.
    pub owners: Vec<Key>,
    /// The arguments that it was sent with.
    pub with: Vec<(Sym, Value)>,
    /// How often it was made.
    pub attempt: u32,
}

/// The boundary itself would have broken what it promises.
#[derive(Debug, Clone, PartialEq)]
pub struct OracleError(pub Vec<(ClassId, Vec<String>)>);

/// Takes one event.
pub fn step(
    pack: &Pack,
    state: &OracleState,
    event: &Event,
    facts: &Facts,
    ids: &mut Ids,
) -> Result<OracleStep, OracleError> {
    ids.hold(pack, state);
    match event {
        Event::Input { event, fields } => select(pack, state, *event, fields, facts, ids),
        Event::Outcome { call, status, value, error } => {
            let heard = Heard { call, status: *status, value: value.as_ref(), error: error.as_deref() };
            settle(pack, state, &heard, facts, ids)
        }
    }
}

/// A class that takes the event: what it does, from where, with what reason.
pub struct Taking<'a> {
    pub class: ClassId,
    pub effects: &'a [Effect],
    pub inputs: Option<Inputs>,
    pub outcome: Option<&'a Outcome>,
    pub reason: Option<Sym>,
    /// The state before the step.
    pub before: &'a Fields,
    /// The state that carry starts from, with what is bound.
    pub from: Fields,
    pub instances: Instances,
    /// The gate as it stood before the turn.
    pub gate: FrameSet,
    /// Whether the class carries: once a turn.
    pub carries: bool,
    /// What the turn has written.
    pub written: BTreeSet<Slot>,
    /// Calls of the turn that stay open, unless the step closes what they belong to.
    pub others: Vec<Call>,
}

/// What a class made of the event.
pub struct Taken {
    pub class: ClassId,
    pub reason: Option<Sym>,
    pub state: Fields,
    pub instances: Instances,
    /// The instances that were closed.
    pub closed: Vec<Key>,
    pub written: BTreeSet<Slot>,
    pub cleared: FrameSet,
    pub carried: FrameSet,
    pub dropped: FrameSet,
    pub calls: Vec<super::Made>,
    pub open: Vec<Call>,
    /// Calls that it made and closed again.
    pub void: Vec<String>,
    pub sent: Vec<super::Sent>,
    pub answer: Option<segue::model::ids::ModeId>,
}

pub fn take(pack: &Pack, taking: &Taking<'_>, facts: &Facts, ids: &mut Ids) -> Result<Taken, Vec<String>> {
    let class = taking.class;
    let frames = effective(pack, class, taking.gate);
    let carried_state = if taking.carries { carry(pack, class, frames, &taking.from) } else { taking.from.clone() };
    let base = View {
        pack,
        facts,
        now: &carried_state,
        before: taking.before,
        inputs: taking.inputs.as_ref(),
        outcome: taking.outcome,
        reason: taking.reason,
        answer: None,
        calls: &[],
        request: &[],
        entry: None,
    };
    // Carryover does not cut in a settle step: what stands may be read.
    let readable = |slot: Slot| !taking.carries || may_read(pack, class, frames, slot);
    let done = perform(&base, &taking.instances, taking.effects, &readable, &taking.written, ids);
    let waits = done.calls.iter().filter(|call| pack.ports[call.port.index()].replies);
    let (void, open): (Vec<_>, Vec<_>) = waits.partition(|call| ends(&call.owners, &done.closed));
    let void = void.iter().map(|call| call.id.clone()).collect();
    let call = |of: &super::Made| {
        let (kept, owners, with) = (of.kept.clone(), of.owners.clone(), of.with.clone());
        Call { id: of.id.clone(), class, site: of.site, port: of.port, kept, owners, with, attempt: 1 }
    };
    let open: Vec<Call> = open.into_iter().map(call).collect();
    let written: BTreeSet<Slot> = taking.written.union(&done.written).copied().collect();
    let mut after = View { now: &done.state, calls: &done.calls, ..base };
    if let Some(why) = done.breach {
        return Err(vec![why]);
    }
    if open.is_empty() && taking.others.iter().all(|call| ends(&call.owners, &done.closed)) {
        match answer(&after, class) {
            Ok(mode) => after.answer = Some(mode),
            Err(count) => return Err(vec![format!("{count} answer rows apply")]),
        }
    }
    let mut broken = breaches(&after, class, &written);
    broken.extend(instance_breaches(&after, &done));
    if !broken.is_empty() {
        return Err(broken);
    }
    let answer = after.answer;
    let fates = &pack.classes[class.index()].fate;
    let let_go = fates.iter().filter(|(_, fate)| taking.carries && *fate == Fate::Clear).map(|(frame, _)| *frame);
    Ok(Taken {
        class,
        reason: taking.reason,
        written,
        cleared: let_go.collect(),
        carried: if taking.carries { frames } else { FrameSet::EMPTY },
        dropped: if taking.carries { dropped(pack, class, frames, taking.before) } else { FrameSet::EMPTY },
        answer,
        state: at_rest(pack, &done.state),
        instances: {
            let mut instances = done.instances;
            instances.forget(pack);
            instances
        },
        closed: done.closed,
        calls: done.calls,
        open,
        void,
        sent: done.sent,
    })
}

/// Whether a call that belongs to these ends with one of those that were closed.
pub fn ends(owners: &[Key], closed: &[Key]) -> bool {
    owners.iter().any(|owner| closed.contains(owner))
}

pub fn sym(pack: &Pack, name: &str) -> Sym {
    pack.names.get(name).expect("loading interns the engine's names")
}

pub fn refused(pack: &Pack, state: &OracleState, why: &str) -> OracleStep {
    OracleStep {
        state: state.clone(),
        class: None,
        selected: None,
        refused: Some(sym(pack, why)),
        reasons: vec![sym(pack, why)],
        carried: FrameSet::EMPTY,
        dropped: FrameSet::EMPTY,
        calls: vec![],
        closed: vec![],
        messages: vec![],
        answer: None,
        breach: None,
        retried: None,
        unused: vec![],
        failed: vec![],
    }
}

/// What a guard came to.
#[derive(PartialEq)]
pub enum Guard {
    Passed,
    Requires,
    Blocked,
    Entry,
}

pub fn guard(pack: &Pack, view: &View<'_>, class: ClassId, trigger: &Trigger, frames: FrameSet) -> Guard {
    let declared = &pack.classes[class.index()];
    if !view.holds(&declared.requires) || !view.holds(&trigger.requires) {
        Guard::Requires
    } else if !declared.needs.is_subset(frames) {
        Guard::Blocked
    } else if !view.holds(&declared.entry) || !view.holds(&trigger.entry) {
        Guard::Entry
    } else {
        Guard::Passed
    }
}

/// The reason that a class which did not pass gives: of its triggers the one that got furthest speaks for it.
fn ruled_out(pack: &Pack, class: ClassId, verdicts: &[Guard]) -> Option<Sym> {
    if verdicts.contains(&Guard::Blocked) {
        Some(sym(pack, reason::CARRYOVER_BLOCKED))
    } else if verdicts.contains(&Guard::Requires) {
        pack.classes[class.index()].unmet
    } else {
        None
    }
}

/// Of classes that could take the event the one that precedes every other.
pub fn first(pack: &Pack, classes: &[ClassId]) -> Option<ClassId> {
    let precedes = |a: ClassId, b: ClassId| pack.precedes[a.index()][b.index()];
    classes.iter().copied().find(|a| classes.iter().all(|b| a == b || precedes(*a, *b)))
}

/// The reason of the bare boundary: that of the strongest class that has one, of several the first by id; else
/// `no_transition`.
fn unmet(pack: &Pack, had: &[(ClassId, Sym)]) -> Sym {
    let precedes = |a: ClassId, b: ClassId| pack.precedes[a.index()][b.index()];
    let strongest = had.iter().find(|(class, _)| !had.iter().any(|(other, _)| precedes(*other, *class)));
    strongest.map_or_else(|| sym(pack, reason::NO_TRANSITION), |(_, reason)| *reason)
}

fn select(
    pack: &Pack,
    state: &OracleState,
    event: EventId,
    fields: &[(InputId, Value)],
    facts: &Facts,
    ids: &mut Ids,
) -> Result<OracleStep, OracleError> {
    if !state.turns.is_empty() && pack.while_open == WhileOpen::Refuse {
        return Ok(refused(pack, state, reason::BUSY));
    }
    let declared = &pack.events[event.index()];
    let text = declared.text.and_then(|input| fields.iter().find(|(field, _)| *field == input));
    let text = text.and_then(|(_, value)| match value {
        Value::Text(text) => Some(text.as_ref()),
        _ => None,
    });
    let given = read(pack, text, fields);
    let gate = gate(pack, &state.fields);

    let mut passed: Vec<(ClassId, (Inputs, Fields), Option<Sym>)> = Vec::new();
    let mut had: Vec<(ClassId, Sym)> = Vec::new();
    for class in (0..pack.classes.len()).map(ClassId::at) {
        let frames = effective(pack, class, gate);
        let stand = Stand { pack, facts, state: &state.fields, class, frames };
        let mut out = Vec::new();
        let mut passes = false;
        for trigger in pack.classes[class.index()].triggers.iter().filter(|trigger| trigger.on == On::Event(event)) {
            let Some(inputs) = triggered(&stand, &given, trigger) else { continue };
            let bound = bind(&stand, &state.instances, class, &inputs);
            let stand = Stand { state: &bound, ..stand };
            let inputs = triggered(&stand, &given, trigger).expect("it has matched");
            match guard(pack, &view(&stand, &inputs), class, trigger, frames) {
                Guard::Passed => {
                    passed.push((class, (inputs, bound.clone()), trigger.reason));
                    passes = true;
                    break;
                }
                verdict => out.push(verdict),
            }
        }
        if !passes {
            had.extend(ruled_out(pack, class, &out).map(|reason| (class, reason)));
        }
    }
    let classes: Vec<ClassId> = passed.iter().map(|(class, ..)| *class).collect();
    let boundary = Stand { pack, facts, state: &state.fields, class: pack.boundary, frames: FrameSet::EMPTY };
    let boundary = Stand { frames: effective(pack, pack.boundary, gate), ..boundary };
    let bare = || {
        let bound = bind(&boundary, &state.instances, pack.boundary, &of_candidate(&boundary, &given, None, &[]));
        let inputs = of_candidate(&Stand { state: &bound, ..boundary }, &given, None, &[]);
        (inputs, bound)
    };
    let (class, seen, why) = match first(pack, &classes) {
        Some(class) => passed.into_iter().find(|(passed, ..)| *passed == class).expect("it is one of them"),
        None if classes.is_empty() => (pack.boundary, bare(), Some(unmet(pack, &had))),
        None => (pack.boundary, bare(), Some(sym(pack, reason::AMBIGUOUS))),
    };
    let mut failed = Vec::new();
    fn taking<'a>(
        pack: &'a Pack,
        state: &OracleState,
        gate: FrameSet,
        class: ClassId,
        (inputs, bound): &'a (Inputs, Fields),
        reason: Option<Sym>,
    ) -> Taking<'a> {
        Taking {
            class,
            effects: &pack.classes[class.index()].effects,
            inputs: Some(inputs.clone()),
            outcome: None,
            reason,
            before: bound,
            from: bound.clone(),
            instances: state.instances.clone(),
            gate,
            carries: true,
            written: BTreeSet::new(),
            others: vec![],
        }
    }
    let taken = match take(pack, &taking(pack, state, gate, class, &seen, why), facts, ids) {
        Ok(taken) => taken,
        Err(broken) => {
            failed.push((class, broken));
            let why = Some(sym(pack, reason::VERIFICATION_FAILED));
            match take(pack, &taking(pack, state, gate, pack.boundary, &bare(), why), facts, ids) {
                Ok(taken) => taken,
                Err(broken) => {
                    failed.push((pack.boundary, broken));
                    return Err(OracleError(failed));
                }
            }
        }
    };
    // An input ends the calls of earlier turns, but where those of instances may run on.
    let runs_on = |call: &Call| {
        pack.while_open == WhileOpen::Allow && !call.owners.is_empty() && !ends(&call.owners, &taken.closed)
    };
    let (mut turns, mut closed) = (Vec::new(), Vec::new());
    for turn in &state.turns {
        let (calls, gone): (Vec<_>, Vec<_>) = turn.calls.iter().cloned().partition(&runs_on);
        closed.extend(gone.into_iter().map(|call| call.id));
        if !calls.is_empty() {
            turns.push(Turn { calls, ..turn.clone() });
        }
    }
    closed.extend(taken.void.iter().cloned());
    if !taken.open.is_empty() {
        turns.push(Turn {
            selected: taken.class,
            steps: 1,
            before: state.fields.clone(),
            instances_before: state.instances.clone(),
            calls: taken.open.clone(),
            written: taken.written.clone(),
            decided: taken.cleared,
        });
    }
    let reads = &pack.classes[taken.class.index()].reads;
    let ignores = &pack.classes[taken.class.index()].ignores;
    let unused: Vec<InputId> = given
        .said
        .iter()
        .filter(|input| taken.class != pack.boundary && !reads.contains(input) && !ignores.contains(input))
        .copied()
        .collect();
    let selected = taken.class;
    Ok(finish(pack, state, taken, turns, selected, closed, unused, failed))
}

/// The inputs of a candidate when one of the trigger's alternatives matches.
fn triggered(stand: &Stand<'_>, given: &Given, trigger: &Trigger) -> Option<Inputs> {
    if trigger.any.is_empty() {
        return Some(of_candidate(stand, given, None, &[]));
    }
    // Each alternative that matches, with how many tokens its words take.
    let matching: Vec<(&Alternative, usize)> = trigger
        .any
        .iter()
        .filter_map(|alternative| {
            let matches = match &alternative.by {
                By::Words(form) => return longest_match(stand.pack, given, form).map(|length| (alternative, length)),
                By::Ambiguous(input) => given.ambiguous.contains_key(input),
                By::Signal { input, is } => match given.values.get(input) {
                    None => is.is_empty() && given.partial.contains_key(input),
                    Some(_) if is.is_empty() => true,
                    Some(Value::List(items)) => items.iter().any(|item| is.contains(item)),
                    Some(value) => is.contains(value),
                },
            };
            matches.then_some((alternative, 0))
        })
        .collect();
    let longest = matching.iter().map(|(_, length)| *length).max()?;
    let tags: BTreeSet<Sym> = matching
        .iter()
        .filter(|(_, length)| *length == longest)
        .filter_map(|(alternative, _)| alternative.tag)
        .collect();
    let tag = if tags.len() == 1 { tags.first().copied().map(Value::Sym) } else { None };
    let sets: Vec<(InputId, Value)> = matching.iter().flat_map(|(alternative, _)| alternative.sets.clone()).collect();
    Some(of_candidate(stand, given, tag, &sets))
}

#[expect(clippy::too_many_arguments, reason = "the pieces of one step")]
pub fn finish(
    pack: &Pack,
    state: &OracleState,
    taken: Taken,
    turns: Vec<Turn>,
    selected: ClassId,
    closed: Vec<String>,
    unused: Vec<InputId>,
    failed: Vec<(ClassId, Vec<String>)>,
) -> OracleStep {
    let mut reasons: Vec<Sym> = taken.reason.into_iter().collect();
    if !unused.is_empty() {
        reasons.push(sym(pack, reason::UNUSED_SIGNAL));
    }
    OracleStep {
        state: OracleState { fields: taken.state, instances: taken.instances, turns, revision: state.revision + 1 },
        class: Some(taken.class),
        selected: Some(selected),
        refused: None,
        reasons,
        carried: taken.carried,
        dropped: taken.dropped,
        calls: taken.calls,
        closed,
        messages: taken.sent,
        answer: taken.answer,
        breach: None,
        retried: None,
        unused,
        failed,
    }
}
