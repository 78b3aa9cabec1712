//! A settle step: the outcome of a call, who takes it, and what the step starts from.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use segue::model::class::{Base, On};
use segue::model::effect::Effect;
use segue::model::ids::ClassId;
use segue::model::json::fields_from_wire;
use segue::model::names::Sym;
use segue::model::schema::NamedType;
use segue::model::{Pack, Status, WhileOpen, Wrong, reason};

use super::carry::gate;
use super::contract::{admits, documents};
use super::instances::Instances;
use super::readings::read_answer;
use super::turn::{Call, Guard, OracleError, Taking, ends, finish, first, guard, refused, sym, take};
use super::view::{Made, Outcome, View};
use super::{Facts, Fields, Ids, OracleState, OracleStep, Turn};

/// An outcome as it arrives.
pub struct Heard<'a> {
    pub call: &'a str,
    pub status: Status,
    pub value: Option<&'a Json>,
    pub error: Option<&'a str>,
}

/// Takes an outcome.
pub fn settle(
    pack: &Pack,
    state: &OracleState,
    heard: &Heard<'_>,
    facts: &Facts,
    ids: &mut Ids,
) -> Result<OracleStep, OracleError> {
    let all = state.turns.iter().flat_map(|turn| turn.calls.iter().map(move |call| (turn, call)));
    let found = all.into_iter().find(|(_, call)| call.id == heard.call);
    let Some((turn, call)) = found else { return Ok(refused(pack, state, reason::STALE_OUTCOME)) };
    let outcome = outcome(pack, call, heard, facts);
    if turn.steps < pack.step_limit && is_made_again(pack, call, &outcome) {
        return Ok(made_again(pack, state, turn, call, &outcome, ids));
    }
    let gate = gate(pack, &turn.before);
    let bound = |fields: &Fields, instances: &Instances| {
        call.owners.iter().fold(fields.clone(), |fields, key| instances.bound(pack, &fields, key))
    };
    let now = bound(&state.fields, &state.instances);
    // What the turn let go stays gone, and what it closed stays closed.
    let instances = state.instances.back_to(pack, &turn.instances_before);
    let before = bound(&turn.before, &instances);
    let mut restored = before.clone();
    turn.decided.iter().for_each(|frame| restored.reset_frame(pack, frame));
    instances.count(pack, &mut restored);
    let others: Vec<Call> = turn.calls.iter().filter(|other| other.id != call.id).cloned().collect();
    let steps = turn.steps + 1;

    let mut passed: Vec<(ClassId, &[Effect], Option<Sym>, Base)> = Vec::new();
    let mut twice: Vec<ClassId> = Vec::new();
    for class in (0..pack.classes.len()).map(ClassId::at) {
        let declared = &pack.classes[class.index()];
        let look = |now| View {
            pack,
            facts,
            now,
            before: now,
            inputs: None,
            outcome: Some(&outcome),
            reason: None,
            answer: None,
            calls: &[],
            request: &[],
            entry: None,
        };
        if class == call.class {
            let rows = declared.settle.iter().filter(|row| row.on == call.site);
            let fits: Vec<_> = rows.filter(|row| look(&now).holds(&row.when)).collect();
            for row in fits {
                passed.push((class, &row.effects, None, Base::Selected));
            }
        }
        for trigger in &declared.triggers {
            let On::Outcome { port, ok, base } = trigger.on else { continue };
            let right_port = port.is_none_or(|port| port == call.port);
            let right_end = ok.is_none_or(|ok| ok == (outcome.status == Status::Ok));
            if !right_port || !right_end || !trigger.any.is_empty() {
                continue;
            }
            if guard(pack, &look(&now), class, trigger, declared.needs) == Guard::Passed {
                passed.push((class, &declared.effects, trigger.reason, base));
                break;
            }
        }
        if passed.iter().filter(|(passed, ..)| *passed == class).count() > 1 {
            twice.push(class);
        }
    }
    let boundary_effects = pack.classes[pack.boundary.index()].effects.as_slice();
    // Where other turns go on meanwhile nothing goes back.
    let fallen = if pack.while_open == WhileOpen::Allow { Base::Selected } else { Base::Before };
    let bare = |why: &str| (pack.boundary, boundary_effects, Some(sym(pack, why)), fallen);
    let classes: Vec<ClassId> = passed.iter().map(|(class, ..)| *class).collect();
    let (class, effects, why, base) = if steps > pack.step_limit {
        bare(reason::STEP_LIMIT)
    } else if let Some(class) = first(pack, &classes) {
        if twice.contains(&class) {
            bare(reason::AMBIGUOUS)
        } else {
            *passed.iter().find(|(passed, ..)| *passed == class).expect("it is one of them")
        }
    } else if classes.is_empty() {
        bare(reason::NO_TRANSITION)
    } else {
        bare(reason::AMBIGUOUS)
    };
    let taking = |class: ClassId, effects, reason, base: Base| {
        let from_before = base == Base::Before;
        Taking {
            class,
            effects,
            inputs: None,
            outcome: Some(&outcome),
            reason,
            before: if from_before { &before } else { &now },
            from: if from_before { restored.clone() } else { now.clone() },
            instances: if from_before { instances.clone() } else { state.instances.clone() },
            gate,
            carries: false,
            written: if from_before || class != turn.selected { BTreeSet::new() } else { turn.written.clone() },
            others: if from_before { vec![] } else { others.clone() },
        }
    };
    let mut failed = Vec::new();
    let mut base = base;
    let taken = match take(pack, &taking(class, effects, why, base), facts, ids) {
        Ok(taken) => taken,
        Err(broken) => {
            failed.push((class, broken));
            base = fallen;
            let why = Some(sym(pack, reason::VERIFICATION_FAILED));
            match take(pack, &taking(pack.boundary, boundary_effects, why, base), facts, ids) {
                Ok(taken) => taken,
                Err(broken) => {
                    failed.push((pack.boundary, broken));
                    return Err(OracleError(failed));
                }
            }
        }
    };
    let (others, mut closed) = match base {
        Base::Selected => (others.as_slice(), vec![]),
        Base::Before => (&[][..], others.iter().map(|call| call.id.clone()).collect()),
    };
    let mut turns = Vec::new();
    for of in &state.turns {
        let own = std::ptr::eq(of, turn);
        let standing = if own { others } else { of.calls.as_slice() };
        let (gone, calls): (Vec<_>, Vec<_>) = standing.iter().cloned().partition(|of| ends(&of.owners, &taken.closed));
        closed.extend(gone.into_iter().map(|call| call.id));
        if !own {
            turns.extend((!calls.is_empty()).then(|| Turn { calls, ..of.clone() }));
            continue;
        }
        closed.extend(taken.void.iter().cloned());
        let calls: Vec<Call> = calls.into_iter().chain(taken.open.clone()).collect();
        turns.extend((!calls.is_empty()).then(|| Turn {
            steps,
            calls,
            written: match base {
                Base::Selected => turn.written.union(&taken.written).copied().collect(),
                Base::Before => taken.written.clone(),
            },
            ..turn.clone()
        }));
    }
    let step = finish(pack, state, taken, turns, turn.selected, closed, vec![], failed);
    Ok(OracleStep { breach: outcome.breach, ..step })
}

/// Whether nobody hears of an outcome, because the call has attempts left.
fn is_made_again(pack: &Pack, call: &Call, outcome: &Outcome) -> bool {
    let Some(retry) = &pack.ports[call.port.index()].retry else { return false };
    let wrong = match (outcome.status, &outcome.breach) {
        (Status::Timeout, _) => Wrong::Timeout,
        (Status::Failed, None) => Wrong::Failed,
        (Status::Failed, Some(_)) => Wrong::Contract,
        (Status::Ok | Status::Cancelled, _) => return false,
    };
    retry.on.contains(&wrong) && call.attempt <= retry.max
}

/// The same request under a new id; nothing else changes.
fn made_again(
    pack: &Pack,
    state: &OracleState,
    turn: &Turn,
    call: &Call,
    outcome: &Outcome,
    ids: &mut Ids,
) -> OracleStep {
    let id = ids.fresh("call");
    let again = Call { id: id.clone(), attempt: call.attempt + 1, ..call.clone() };
    let mut after = state.clone();
    after.revision += 1;
    for of in after.turns.iter_mut().filter(|of| **of == *turn) {
        of.steps += 1;
        for standing in of.calls.iter_mut().filter(|standing| standing.id == call.id) {
            *standing = again.clone();
        }
    }
    let (kept, owners, with) = (call.kept.clone(), call.owners.clone(), call.with.clone());
    let most = pack.ports[call.port.index()].retry.as_ref().map_or(0, |retry| retry.max);
    OracleStep {
        state: after,
        selected: Some(turn.selected),
        calls: vec![Made { id, site: call.site, port: call.port, with, kept, owners }],
        refused: None,
        reasons: vec![],
        breach: outcome.breach.clone(),
        retried: Some((call.attempt, most)),
        ..refused(pack, state, reason::STALE_OUTCOME)
    }
}

/// An outcome against its port's declaration: an answer that breaks it is `failed` with error `contract`.
fn outcome(pack: &Pack, call: &Call, heard: &Heard<'_>, facts: &Facts) -> Outcome {
    let port = &pack.ports[call.port.index()];
    let mut outcome = Outcome {
        call: call.site,
        port: port.name,
        status: heard.status,
        error: heard.error.map(str::to_owned),
        breach: None,
        fields: std::collections::BTreeMap::new(),
        kept: call.kept.iter().cloned().collect(),
    };
    if heard.status != Status::Ok {
        return outcome;
    }
    outcome.error = None;
    let declared: Vec<NamedType> = (port.response.iter().zip(&port.wire))
        .map(|((id, optional), wire)| NamedType {
            optional: *optional,
            wire: *wire,
            ..pack.outcomes[id.index()].clone()
        })
        .collect();
    let nothing = Json::Object(serde_json::Map::new());
    let value = heard.value.unwrap_or(&nothing);
    if port.contract.response.is_some_and(|contract| !admits(pack, contract, value)) {
        outcome.breach = Some("schema".into());
    }
    match fields_from_wire(pack, &declared, false, value) {
        Ok(record) => {
            for (id, _) in &port.response {
                let value = record.field(pack.outcomes[id.index()].name);
                if value.is_present() {
                    outcome.fields.insert(*id, value.clone());
                }
            }
            let fits = |field: &NamedType| match value.get(pack.names.text(field.wire)) {
                None | Some(Json::Null) => true,
                Some(value) => documents(pack, &field.ty, value),
            };
            if !declared.iter().all(fits) {
                outcome.breach.get_or_insert_with(|| "schema".into());
            }
        }
        Err(_) => _ = outcome.breach.get_or_insert_with(|| "type".into()),
    }
    for reading in port.readings.iter().filter(|_| outcome.breach.is_none()).collect::<Vec<_>>() {
        if read_answer(pack, facts, reading, &call.with, &mut outcome).is_err() {
            outcome.breach = Some("type".into());
            break;
        }
    }
    let nothing = Fields::default();
    for check in &port.checks {
        let view = View {
            pack,
            facts,
            now: &nothing,
            before: &nothing,
            inputs: None,
            outcome: Some(&outcome),
            reason: None,
            answer: None,
            calls: &[],
            request: &call.with,
            entry: None,
        };
        if outcome.breach.is_none() && view.holds(&check.when) && !view.holds(&check.require) {
            outcome.breach = Some(pack.names.text(check.id).to_owned());
        }
    }
    if outcome.breach.is_some() {
        outcome.status = Status::Failed;
        outcome.error = Some(reason::CONTRACT.into());
        outcome.fields.clear();
    }
    outcome
}
