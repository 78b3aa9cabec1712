//! Events at random, and sessions made of them.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use segue::engine::{Event, EventError, NumberedIds, Step, StepError};
use segue::model::ids::InputId;
use segue::model::{InputKind, Pack, Status};
use segue::registry::Registry;
use segue::state::{OpenCall, SessionState};

use super::corpus::Corpus;
use super::pair::engine_step;
use super::{Dice, say};

/// One step of a session as the engine took it.
pub struct Moment<'a> {
    pub registry: &'a Registry,
    pub before: &'a SessionState,
    pub event: &'a Event,
    pub turn: u32,
    /// The ids as they stood before the step.
    pub ids: &'a NumberedIds,
    pub result: &'a Result<Step, StepError>,
}

/// Where a session begins: with nothing, or where a scenario does; then what is said there comes with it.
pub fn beginning<'c>(registry: &Registry, corpus: &'c Corpus, dice: &mut Dice) -> (SessionState, &'c [(String, Json)]) {
    if corpus.stories.is_empty() || dice.chance(25) {
        return (SessionState::new(registry.pack()), &[]);
    }
    let story = dice.pick(&corpus.stories);
    let state = SessionState::from_frames(registry.pack(), &story.given);
    (state.expect("scenarios begin in states that fit"), &story.said)
}

/// Lets the engine run a session of random events and shows each step.
pub fn session(
    registry: &Registry,
    corpus: &Corpus,
    dice: &mut Dice,
    steps: usize,
    mut each: impl FnMut(&Moment<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let (mut state, said) = beginning(registry, corpus, dice);
    let mut ids = NumberedIds::default();
    let mut gone: Vec<Arc<str>> = Vec::new();
    let mut turn = 0;
    for _ in 0..steps {
        let event = event(registry, &state, &gone, said, dice, corpus);
        turn += u32::from(matches!(event, Event::Input { .. }));
        let earlier = ids.clone();
        let result = engine_step(registry, &state, &event, turn, &mut ids);
        each(&Moment { registry, before: &state, event: &event, turn, ids: &earlier, result: &result })?;
        if let Ok(step) = result {
            gone.extend(state.open_calls().iter().map(|call| call.id.clone()));
            gone.retain(|id| !step.state.open_calls().iter().any(|call| call.id == *id));
            state = step.state;
        }
    }
    Ok(())
}

/// An event at random that fits where a session stands; `gone` are calls that were open once, `said` what fits its story.
pub fn event(
    registry: &Registry,
    state: &SessionState,
    gone: &[Arc<str>],
    said: &[(String, Json)],
    dice: &mut Dice,
    corpus: &Corpus,
) -> Event {
    let open = state.open_calls();
    if !open.is_empty() && dice.chance(85) {
        let call = *dice.pick(&open);
        return outcome_event(registry.pack(), call, dice, corpus);
    }
    if !gone.is_empty() && dice.chance(5) {
        let call = dice.pick(gone).clone();
        return Event::Outcome { call, status: Status::Ok, value: None, error: None };
    }
    if !said.is_empty() && dice.chance(55) {
        let (text, signals) = dice.pick(said);
        return utterance(registry, text, signals);
    }
    if !corpus.said.is_empty() && dice.chance(40) {
        let (text, signals) = dice.pick(&corpus.said);
        return utterance(registry, text, signals);
    }
    input_event(registry, dice)
}

/// An outcome of an open call at random.
pub fn outcome_event(pack: &Pack, call: &OpenCall, dice: &mut Dice, corpus: &Corpus) -> Event {
    let status = match dice.below(16) {
        0 => Status::Failed,
        1 => Status::Timeout,
        2 => Status::Cancelled,
        _ => Status::Ok,
    };
    let port = &pack.ports[call.port.index()];
    let declared = port.answer(pack);
    let scripted = if dice.chance(80) { corpus.answer(pack.names.text(port.name), dice) } else { None };
    let mut value = scripted.unwrap_or_else(|| say::fields(pack, &declared, dice));
    if dice.chance(5) {
        value["surprise"] = Json::Bool(true);
    }
    let error = (status != Status::Ok).then(|| "down".into());
    Event::Outcome { call: call.id.clone(), status, value: (status == Status::Ok).then_some(value), error }
}

/// An input at random: mostly text, sometimes another event, sometimes with signals of the host.
pub fn input_event(registry: &Registry, dice: &mut Dice) -> Event {
    loop {
        match some_input(registry, dice) {
            Ok(event) => return event,
            // Documents are made without a look at contracts.
            Err(error) if error.to_string().contains("breaks the contract") => {}
            Err(error) => panic!("made to fit: {error}"),
        }
    }
}

fn some_input(registry: &Registry, dice: &mut Dice) -> Result<Event, EventError> {
    let pack = registry.pack();
    let texts: Vec<_> = pack.events.iter().filter(|event| event.text.is_some()).collect();
    let declared = if !texts.is_empty() && dice.chance(85) { *dice.pick(&texts) } else { dice.pick(&pack.events) };
    let mut payload = Map::new();
    for ((input, required), wire) in declared.fields.iter().zip(&declared.wire) {
        let name = pack.names.text(*wire);
        if Some(*input) == declared.text {
            payload.insert(name.into(), say::utterance(pack, dice).into());
        } else if *required || dice.chance(15) {
            payload.insert(name.into(), say::value(pack, &pack.inputs[input.index()].ty, dice));
        }
    }
    let mut signals = Map::new();
    if declared.text.is_some() && dice.chance(20) {
        let all: Vec<InputId> = (0..pack.inputs.len())
            .map(InputId::at)
            .filter(|input| pack.inputs[input.index()].kind == InputKind::Signal && registry.is_signal(*input))
            .collect();
        if !all.is_empty() {
            let input = &pack.inputs[dice.pick(&all).index()];
            signals.insert(pack.names.text(input.name).into(), say::value(pack, &input.ty, dice));
        }
    }
    let name = pack.names.text(declared.name);
    Event::input(registry, name, &Json::Object(payload), &Json::Object(signals))
}

/// An utterance, with signals and payload fields of the host.
pub fn utterance(registry: &Registry, text: &str, host: &Json) -> Event {
    let pack = registry.pack();
    let (mut payload, mut signals) = (Map::new(), Map::new());
    payload.insert("text".into(), text.into());
    for (name, value) in host.as_object().expect("an object") {
        let signal = pack.input(name).is_some_and(|input| registry.is_signal(input));
        if signal { &mut signals } else { &mut payload }.insert(name.clone(), value.clone());
    }
    Event::input(registry, "utterance", &Json::Object(payload), &Json::Object(signals)).expect("it fits")
}
