//! Where a step stands is told to a probe, and the step is the same with and without (S1 IRW-REQ-07).

use std::sync::Arc;
use std::time::Duration;

use crate::support::Dice;
use crate::support::corpus::Corpus;
use crate::support::env::{env, shipped};
use crate::support::events::event;
use segue::compose::cascade;
use segue::engine::{Env, Event, NumberedIds, Probe, Stage};
use segue::session::{Live, Memory};
use segue::state::SessionState;
use segue::workspace::Stopwatch;
use serde_json::{Map, json};

/// Notes what it is told.
#[derive(Default)]
struct Noted(Vec<Stage>);

impl Probe for Noted {
    fn reached(&mut self, stage: Stage) {
        self.0.push(stage);
    }
}

/// What a step that its first taker takes is told as.
const STEP: [Stage; 5] = [Stage::Recognise, Stage::Choose, Stage::Change, Stage::Answer, Stage::Change];

#[test]
fn a_step_is_the_same_with_and_without_a_probe() {
    let (mut plain, mut refused, mut several) = (0, 0, 0);
    for name in ["assistant", "refinement", "joined"] {
        let registry = shipped(name, &[]);
        let corpus = Corpus::of(name);
        for seed in 0..30 {
            let (mut dice, mut gone) = (Dice(seed), Vec::<Arc<str>>::new());
            let (mut ids, mut others) = (NumberedIds::default(), NumberedIds::default());
            let mut state = SessionState::new(registry.pack());
            for turn in 0..12 {
                let event = event(&registry, &state, &gone, &[], &mut dice, &corpus);
                let mut noted = Noted::default();
                let without = cascade(&registry, &state, &event, &mut env(turn, &mut ids));
                let mut watched = Env { probe: Some(&mut noted), ..env(turn, &mut others) };
                let with = cascade(&registry, &state, &event, &mut watched);
                assert_eq!(format!("{without:?}"), format!("{with:?}"), "{name} {seed}");
                let Ok(done) = without else { continue };
                let Noted(stages) = noted;
                let steps = done.steps.len();
                let told = stages.iter().filter(|stage| **stage == Stage::Recognise).count();
                assert!(told >= steps && stages[0] == Stage::Recognise, "{name} {seed}: {stages:?}");
                if done.refused().is_some() {
                    assert_eq!(stages, [Stage::Recognise], "{name} {seed}");
                    refused += 1;
                } else if done.undone.is_none()
                    && done.steps.iter().all(|taken| taken.step.failures.is_empty() && taken.step.class.is_some())
                {
                    let takes = |taken: &segue::compose::Taken| taken.step.refused.is_none();
                    assert_eq!(stages, STEP.repeat(done.steps.iter().filter(|taken| takes(taken)).count()));
                    (plain, several) = (plain + 1, several + usize::from(steps > 1));
                }
                gone.extend(state.open_calls().iter().map(|call| call.id.clone()));
                state = done.state;
            }
        }
    }
    assert!(plain > 300 && refused > 10 && several > 10, "{plain} {refused} {several}");
}

#[test]
fn what_is_written_is_told_as_such() {
    let registry = shipped("refinement", &[]);
    let (store, mut ids, mut noted) = (Memory::default(), NumberedIds::default(), Noted::default());
    let mut live = Live::open(&registry, &store, "s-1", Map::new(), "2021-05-10T12:00:00Z").expect("a session");
    let said = Event::input(&registry, "utterance", &json!({ "text": "Show me all users" }), &json!({}));
    let said = said.expect("an utterance");
    live.take(&said, &mut Env { probe: Some(&mut noted), ..env(1, &mut ids) }).expect("taken");
    assert_eq!(noted.0, [&STEP[..], &[Stage::Write]].concat());
    // The workflow is at work: the pack refuses what comes meanwhile, and nothing is written.
    noted.0.clear();
    let done = live.take(&said, &mut Env { probe: Some(&mut noted), ..env(2, &mut ids) }).expect("refused");
    assert!(done.refused().is_some());
    assert_eq!(noted.0, [Stage::Recognise]);
}

#[test]
fn a_stopwatch_knows_stages_and_calls_apart() {
    let registry = shipped("refinement", &[]);
    let (mut ids, mut watch) = (NumberedIds::default(), Stopwatch::default());
    let said = Event::input(&registry, "utterance", &json!({ "text": "Show me all users" }), &json!({}));
    let state = SessionState::new(registry.pack());
    let mut watched = Env { probe: Some(&mut watch), ..env(1, &mut ids) };
    let done = cascade(&registry, &state, &said.expect("an utterance"), &mut watched).expect("taken");
    watch.stop();
    let stages = [Stage::Recognise, Stage::Choose, Stage::Change, Stage::Answer, Stage::Write];
    assert_eq!(watch.own(), stages.iter().map(|stage| watch.spent(*stage)).sum::<Duration>());
    assert_eq!(watch.spent(Stage::Write), Duration::ZERO, "nothing was written");
    assert!(watch.own() > Duration::ZERO);
    // What is at rest takes no time.
    let own = watch.own();
    watch.stop();
    assert_eq!(watch.own(), own);
    let [(_, call)] = done.calls(&registry)[..] else { panic!("one call") };
    watch.leaves(&call.id);
    watch.leaves("another");
    watch.comes_back("nobody");
    watch.comes_back(&call.id);
    let back: Vec<&str> = watch.calls().iter().map(|(call, _)| &**call).collect();
    assert_eq!(back, [&*call.id]);
    watch.reset();
    assert_eq!((watch.own(), watch.calls().len()), (Duration::ZERO, 0));
    watch.comes_back("another");
    assert_eq!(watch.calls().len(), 1, "a call that is waited for stays so");
}
