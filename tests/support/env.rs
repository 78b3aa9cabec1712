//! What steps of tests know of the world, and sessions of one pack that take steps.

#![allow(dead_code, reason = "each test program uses its part")]

use std::path::Path;

use jiff::civil::{Date, date};
use segue::declare::Options;
use segue::engine::{Env, Event, IdSource, NumberedIds, Step, step};
use segue::model::Status;
use segue::registry::Registry;
use segue::report::human;
use segue::state::SessionState;
use segue::workspace::Workspace;
use serde_json::{Value as Json, json};

/// The day on which sessions take place, unless a test says otherwise.
pub const TODAY: Date = date(2021, 5, 10);

/// The environment of a step in a turn of the session `s-1`.
pub fn env(turn: u32, ids: &mut dyn IdSource) -> Env<'_> {
    env_on(TODAY, turn, ids)
}

/// The same on another day.
pub fn env_on(today: Date, turn: u32, ids: &mut dyn IdSource) -> Env<'_> {
    Env {
        now: format!("{today}T12:00:00Z").into(),
        today,
        session_id: "s-1".into(),
        turn_id: format!("t-{turn}").into(),
        ids,
        trace: false,
        probe: None,
    }
}

/// A pack of the repository, with parameters.
pub fn shipped(pack: &str, params: &[(&str, &str)]) -> Registry {
    let workspace = Workspace::of(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the repository is a workspace");
    let params = params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let loaded = segue::load::load(&workspace.pack(pack).expect("the pack"), &Options { params });
    let found = human(&loaded.sources, &loaded.diagnostics, false);
    loaded.registry.unwrap_or_else(|| panic!("{found}"))
}

/// A session of a pack.
pub struct Session<'r> {
    pub registry: &'r Registry,
    pub state: SessionState,
    today: Date,
    ids: NumberedIds,
}

impl<'r> Session<'r> {
    /// One that has just begun.
    pub fn new(registry: &'r Registry) -> Self {
        Self::starting(registry, SessionState::new(registry.pack()))
    }

    /// One that begins in a state.
    pub fn starting(registry: &'r Registry, state: SessionState) -> Self {
        Self { registry, state, today: TODAY, ids: NumberedIds::default() }
    }

    /// The same on another day.
    pub fn on(self, today: Date) -> Self {
        Self { today, ..self }
    }

    /// Takes an event.
    pub fn take(&mut self, event: &Event) -> Step {
        let mut env = env_on(self.today, 1, &mut self.ids);
        let step = step(self.registry, &self.state, event, &mut env).expect("a step");
        self.state = step.state.clone();
        step
    }

    /// Takes an input.
    pub fn input(&mut self, event: &str, payload: &Json) -> Step {
        let event = Event::input(self.registry, event, payload, &json!({})).expect("an event");
        self.take(&event)
    }

    /// Takes the outcome (ok) of the call that was made last.
    pub fn outcome(&mut self, value: Json) -> Step {
        let call = self.state.open_calls().last().expect("a call is open").id.clone();
        self.take(&Event::Outcome { call, status: Status::Ok, value: Some(value), error: None })
    }

    /// The class of a step.
    pub fn class(&self, step: &Step) -> String {
        let pack = self.registry.pack();
        pack.names.text(pack.classes[step.class.expect("a class").index()].id).to_owned()
    }

    /// The messages of a step, by name.
    pub fn messages(&self, step: &Step) -> Vec<String> {
        let pack = self.registry.pack();
        let name = |at: usize| pack.names.text(pack.messages[at].name).to_owned();
        step.messages.iter().map(|message| name(message.message.index())).collect()
    }

    /// The ports that a step calls.
    pub fn calls(&self, step: &Step) -> Vec<String> {
        let pack = self.registry.pack();
        step.calls.iter().map(|call| pack.names.text(pack.ports[call.port.index()].name).to_owned()).collect()
    }

    /// What stands in a field; of a keyed frame the instance under a key.
    pub fn at(&self, path: &str) -> Json {
        let (frame, field) = path.split_once('.').expect("frame.field");
        let pack = self.registry.pack();
        let frame = self.state.frame_json(pack, pack.frame(frame).expect("a frame"));
        frame.get(field).cloned().unwrap_or(Json::Null)
    }
}
