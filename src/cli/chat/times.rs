//! How long the stages of a turn took, and its calls (S1 IRW-REQ-07).

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use crate::engine::{Probe, Stage};
use crate::workspace::Stopwatch;

use super::Chat;
use super::serve::{Due, Ending};

/// A stopwatch that the conversation starts and the chat reads.
#[derive(Clone, Default)]
pub struct Shared(Rc<RefCell<Stopwatch>>);

impl Probe for Shared {
    fn reached(&mut self, stage: Stage) {
        self.0.borrow_mut().reached(stage);
    }
}

/// The stages, by the names that S1 has for what it measures.
const STAGES: [(&str, Stage); 5] = [
    ("intent", Stage::Recognise),
    ("routing", Stage::Choose),
    ("state", Stage::Change),
    ("enrichment", Stage::Answer),
    ("sync", Stage::Write),
];

impl Shared {
    /// A turn begins.
    pub fn reset(&self) {
        self.0.borrow_mut().reset();
    }

    /// An event is taken.
    pub fn stop(&self) {
        self.0.borrow_mut().stop();
    }

    /// A call leaves.
    pub fn leaves(&self, call: &str) {
        self.0.borrow_mut().leaves(call);
    }

    /// Its outcome is there.
    pub fn comes_back(&self, call: &str) {
        self.0.borrow_mut().comes_back(call);
    }

    /// In microseconds.
    fn json(&self) -> Json {
        let watch = self.0.borrow();
        let mut times = Map::new();
        for (name, stage) in STAGES {
            times.insert(name.to_owned(), micros(watch.spent(stage)));
        }
        let calls = watch.calls().iter().map(|(call, took)| (call.clone(), micros(*took)));
        times.insert("calls".to_owned(), Json::Object(calls.collect()));
        Json::Object(times)
    }

    /// For people.
    fn line(&self) -> String {
        let watch = self.0.borrow();
        let millis = |took: Duration| format!("{:.3} ms", took.as_secs_f64() * 1000.0);
        let mut shown: Vec<String> =
            STAGES.iter().map(|(name, stage)| format!("{name} {}", millis(watch.spent(*stage)))).collect();
        shown.extend(watch.calls().iter().map(|(call, took)| format!("{call} {}", millis(*took))));
        format!("times: {}", shown.join(", "))
    }
}

fn micros(took: Duration) -> Json {
    json!(u64::try_from(took.as_micros()).unwrap_or(u64::MAX))
}

impl Chat<'_, '_> {
    /// The event that was taken is over.
    pub fn stop(&self) {
        if let Some(times) = &self.times {
            times.stop();
        }
    }

    /// How the call that is due ends, and how long that takes.
    pub fn timed(&mut self, call: Due<'_>) -> Ending {
        if let Some(times) = &self.times {
            times.leaves(&call.1.id);
        }
        let ending = self.ask(call);
        if let (Some(times), Ending::Reply(_)) = (&self.times, &ending) {
            times.comes_back(&call.1.id);
        }
        ending
    }

    /// The times of the turn, for its line of JSON.
    pub fn times_json(&self) -> Option<Json> {
        self.times.as_ref().map(Shared::json)
    }

    /// Says the times of the turn, where they stand on no line of JSON.
    pub fn show_times(&mut self) {
        if let Some(times) = self.times.as_ref().filter(|_| !self.json) {
            let line = times.line();
            self.terminal.err(&format!("{line}\n"));
        }
    }
}
