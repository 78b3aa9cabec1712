//! Every step is determined by what goes in, is taken whole or not at all, and survives being saved.

use std::cell::Cell;
use std::sync::Mutex;

use serde_json::json;

use segue::engine::{Event, NumberedIds, Phase, Step, restore};
use segue::model::ids::{ClassId, FrameId, InputId, Slot};
use segue::model::json::{Naming, fields_from_wire, from_json};
use segue::model::value::Value;
use segue::model::{InputKind, Pack};
use segue::registry::{Edge, Registry};
use segue::state::SessionState;

use super::{Met, for_seeds};
use crate::support::corpus::Corpus;
use crate::support::env::env;
use crate::support::events::{Moment, session};
use crate::support::packs::{as_toml, pack};
use crate::support::pair::{engine_step, fields_json, instances};
use crate::support::{Dice, load, main_pack, say};

/// Tries a law on sessions of the main pack and of random packs.
fn for_sessions(cases: u32, law: impl Fn(&Moment<'_>) -> Result<(), String>) {
    let registry = main_pack();
    let corpus = Corpus::read();
    for_seeds(cases, |seed| session(&registry, &corpus, &mut Dice(seed), 10, &law));
    for_seeds(cases, |seed| {
        let Ok(registry) = load(&as_toml(&pack(&mut Dice(seed)))) else { return Ok(()) };
        session(&registry, &Corpus::default(), &mut Dice(seed), 12, &law)
    });
}

/// Takes the event of a moment again, from a state.
fn again(moment: &Moment<'_>, state: &SessionState, event: &Event) -> Result<Step, segue::engine::StepError> {
    engine_step(moment.registry, state, event, moment.turn, &mut moment.ids.clone())
}

#[test]
fn the_same_inputs_give_the_same_step() {
    for_sessions(30, |moment| {
        let (first, second) =
            (format!("{:?}", moment.result), format!("{:?}", again(moment, moment.before, moment.event)));
        if first == second { Ok(()) } else { Err(format!("{first}\n{second}")) }
    });
}

#[test]
fn one_registry_serves_many_threads_at_once() {
    let registry = main_pack();
    let corpus = Corpus::read();
    let run = |seed: u64| {
        let mut seen = Vec::new();
        session(&registry, &corpus, &mut Dice(seed), 10, |moment| {
            seen.push(format!("{:?}", moment.result));
            Ok(())
        })
        .map(|()| seen)
    };
    let alone: Vec<_> = (0..4).map(run).collect();
    let together = Mutex::new(vec![Ok(vec![]); 4]);
    std::thread::scope(|scope| {
        for seed in 0..4_usize {
            let (run, together) = (&run, &together);
            scope.spawn(move || {
                let seen = run(seed as u64);
                together.lock().expect("no thread panics")[seed] = seen;
            });
        }
    });
    assert_eq!(alone, together.into_inner().expect("no thread panics"));
}

#[test]
fn what_is_refused_or_fails_changes_nothing() {
    let met = Met::default();
    for_sessions(25, |moment| {
        let Ok(step) = moment.result else { return Ok(()) };
        if step.refused.is_some() {
            met.count("refused");
            let nothing_done = step.calls.is_empty() && step.messages.is_empty() && step.closed.is_empty();
            if step.state != *moment.before || !nothing_done {
                return Err(format!("a refused event changed something: {step:?}"));
            }
        } else if step.state.revision() != moment.before.revision() + 1 {
            return Err("a step that was taken counts".into());
        }
        // What is reported as changed is what differs.
        let differs = |slot: &Slot| step.state.get(*slot) != moment.before.get(*slot);
        let slots: Vec<Slot> = (0..step.state.slots().len()).map(Slot::at).filter(differs).collect();
        let changed: Vec<Slot> = step.changes().map(|change| change.slot).collect();
        if slots != changed {
            return Err(format!("changed {slots:?}, reported {changed:?}"));
        }
        let pack = moment.registry.pack();
        let stood = instances(pack, moment.before);
        let same = stood.len() == instances(pack, &step.state).len()
            && instances(pack, &step.state).iter().all(|instance| stood.contains(instance));
        let told = step.instance_changes(pack);
        if same == told.is_empty() { Ok(()) } else { Err(format!("{stood:?}: {told:?}")) }
    });
    met.demand(&["refused"]);
}

#[test]
fn a_turn_whose_execution_failed_leaves_all_but_the_decided_frames_as_they_were() {
    let registry = main_pack();
    let corpus = Corpus::read();
    let pack = registry.pack();
    let met = Met::default();
    for_seeds(80, |seed| {
        let mut before: Option<SessionState> = None;
        session(&registry, &corpus, &mut Dice(seed), 12, |moment| {
            let Ok(step) = moment.result else { return Ok(()) };
            if step.phase == Phase::Select && step.refused.is_none() {
                before = Some(moment.before.clone());
            }
            let failed = step.reasons.first().is_some_and(|reason| pack.names.text(*reason) == "execution_failed");
            if !failed {
                return Ok(());
            }
            met.count("execution_failed");
            let before = before.as_ref().expect("an outcome follows an input");
            for frame in (0..pack.frames.len()).map(FrameId::at).filter(|frame| !pack.decide.contains(frame)) {
                let (was, is) = (before.frame_json(pack, frame), step.state.frame_json(pack, frame));
                if was != is {
                    return Err(format!("{was} became {is}"));
                }
            }
            Ok(())
        })
    });
    met.demand(&["execution_failed"]);
}

#[test]
fn a_saved_session_goes_on_as_if_it_had_not_been_saved() {
    let met = Met::default();
    for_sessions(40, |moment| {
        let pack = moment.registry.pack();
        let saved = serde_json::to_string(&moment.before.to_json(pack)).expect("it is JSON");
        let read = serde_json::from_str(&saved).expect("it is JSON");
        let mut ids = NumberedIds::default();
        let mut env = env(1, &mut ids);
        let restored = restore(moment.registry, &read, &mut env).map_err(|error| format!("{error}: {saved}"))?;
        if restored.state != *moment.before || !restored.repaired.is_empty() {
            return Err(format!("{:?}\n{:?}", restored.state, moment.before));
        }
        if !moment.before.open_calls().is_empty() {
            met.count("in the middle of a turn");
        }
        if pack.keyed.iter().any(|frame| moment.before.instances(pack, *frame).is_some_and(|all| !all.open.is_empty()))
        {
            met.count("with open instances");
        }
        if moment.before.to_json(pack).get("turns").and_then(|turns| turns.as_array()).is_some_and(|all| all.len() > 1)
        {
            met.count("calls of several turns");
        }
        let (first, second) =
            (format!("{:?}", moment.result), format!("{:?}", again(moment, &restored.state, moment.event)));
        if first == second { Ok(()) } else { Err(format!("{first}\n{second}")) }
    });
    met.demand(&["in the middle of a turn", "with open instances", "calls of several turns"]);
}

/// What a step does, but for what it remarks about signals that were left unread.
fn effect(pack: &Pack, step: &Step) -> String {
    format!(
        "{:?} {} {:?} {:?} {:?} {:?} {:?}",
        step.class,
        fields_json(pack, &step.state),
        instances(pack, &step.state),
        step.calls,
        step.messages,
        step.answer,
        step.state.open_calls()
    )
}

#[test]
fn a_signal_that_the_class_cannot_read_changes_nothing() {
    let met = Met::default();
    for_sessions(40, |moment| {
        let (Ok(step), Event::Input { event, fields }) = (moment.result, moment.event) else { return Ok(()) };
        let (pack, Some(class)) = (moment.registry.pack(), step.class) else { return Ok(()) };
        let text = pack.events[event.index()].text.is_some();
        let mut dice = Dice(u64::from(moment.turn));
        for input in (0..pack.inputs.len()).map(InputId::at) {
            let declared = &pack.inputs[input.index()];
            let unread = declared.kind == InputKind::Signal && !pack.classes[class.index()].reads.contains(&input);
            if !text || !unread || fields.iter().any(|(given, _)| *given == input) {
                continue;
            }
            let Ok(value) = from_json(pack, Naming::Wire, &declared.ty, &say::value(pack, &declared.ty, &mut dice))
            else {
                continue;
            };
            let mut more = fields.clone();
            more.push((input, value));
            let Ok(other) = again(moment, moment.before, &Event::Input { event: *event, fields: more }) else {
                continue;
            };
            // Another class may be chosen by it; this law is about what happens once a class is chosen.
            if other.class != step.class || other.reasons.first() != step.reasons.first() && class == pack.boundary {
                continue;
            }
            met.count("compared");
            let (one, two) = (effect(pack, step), effect(pack, &other));
            if one != two {
                return Err(format!("{}: {one}\n{two}", pack.names.text(declared.name)));
            }
        }
        Ok(())
    });
    assert!(met.times("compared") > 200, "{:?}", met.0);
}

/// What a call sends can be read again by the port's declaration, and says the same.
#[test]
fn what_is_sent_reads_back_as_what_was_meant() {
    let met = Met::default();
    for_sessions(60, |moment| {
        let (Ok(step), pack) = (moment.result, moment.registry.pack()) else { return Ok(()) };
        for call in &step.calls {
            let (request, sent) = (&pack.ports[call.port.index()].request, call.request(pack));
            let read = fields_from_wire(pack, request, false, &sent).map_err(|error| format!("{sent}: {error}"))?;
            if read.fields != call.with {
                return Err(format!("{sent} reads as {:?}, meant was {:?}", read.fields, call.with));
            }
            let own = |name: &String| request.iter().any(|arg| pack.names.text(arg.name) == name);
            let other = sent.as_object().is_some_and(|sent| !sent.keys().all(own));
            met.count(if other { "called otherwise" } else { "called as named" });
        }
        Ok(())
    });
    assert!(met.times("called otherwise") > 20 && met.times("called as named") > 50, "{:?}", met.0);
}

#[test]
fn a_frame_that_is_not_carried_changes_nothing() {
    let met = Met::default();
    for_sessions(60, |moment| {
        let (Ok(step), Event::Input { .. }) = (moment.result, moment.event) else { return Ok(()) };
        let (pack, Some(class)) = (moment.registry.pack(), step.class) else { return Ok(()) };
        let declared = &pack.classes[class.index()];
        let universe = pack.carryover.as_ref().expect("these packs have carryover").universe;
        let lost = universe.minus(step.carried).minus(declared.carry.keep);
        let mut dice = Dice(u64::from(moment.turn));
        for frame in lost.iter() {
            let Some(other_state) = with_another_frame(moment.registry, moment.before, frame, &mut dice) else {
                continue;
            };
            let Ok(other) = again(moment, &other_state, moment.event) else { continue };
            if other.class != step.class {
                continue;
            }
            met.count("compared");
            let (one, two) = (effect(pack, step), effect(pack, &other));
            if one != two {
                return Err(format!("{one}\n{two}"));
            }
        }
        Ok(())
    });
    assert!(met.times("compared") > 100, "{:?}", met.0);
}

#[test]
fn a_class_comes_next_only_where_an_edge_says_so() {
    let met = Met::default();
    let last = Cell::new(None);
    for_sessions(40, |moment| {
        let Ok(step) = moment.result else { return Ok(()) };
        let (Phase::Select, Some(class)) = (step.phase, step.class) else { return Ok(()) };
        // A session may begin in any state.
        let before = last.replace(Some(class)).filter(|_| moment.before.revision() > 0);
        let Some(before) = before else { return Ok(()) };
        let graph = moment.registry.graph();
        let node =
            |class: ClassId| graph.node_indices().find(|node| graph[*node] == class).expect("each class is a node");
        if !graph.edges_connecting(node(before), node(class)).any(|edge| *edge.weight() == Edge::Follows) {
            return Err(format!("{before:?} was followed by {class:?}: {:?}", moment.event));
        }
        met.count("followed");
        Ok(())
    });
    let registry = main_pack();
    let edges = registry.graph().edge_weights().filter(|edge| **edge == Edge::Follows).count();
    assert!(met.times("followed") > 100, "{:?}", met.0);
    assert!(edges < registry.pack().classes.len().pow(2), "some edge is ruled out in the main pack");
}

/// A state in which one frame holds something else; between two turns only.
fn with_another_frame(
    registry: &Registry,
    state: &SessionState,
    frame: FrameId,
    dice: &mut Dice,
) -> Option<SessionState> {
    let pack = registry.pack();
    if !state.open_calls().is_empty() {
        return None;
    }
    let mut frames = fields_json(pack, state);
    let mut fields = json!({});
    for slot in pack.frames[frame.index()].fields() {
        let declared = &pack.slots[slot.index()];
        let optional = declared.default == Value::Absent;
        if !optional || dice.chance(60) {
            fields[pack.names.text(declared.name)] = say::value(pack, &declared.ty, dice);
        }
    }
    frames[pack.names.text(pack.frames[frame.index()].name)] = fields;
    for keyed in &pack.keyed {
        frames[pack.names.text(pack.frames[keyed.index()].name)] = state.frame_json(pack, *keyed);
    }
    SessionState::from_frames(pack, &frames).ok()
}
