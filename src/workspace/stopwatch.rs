//! How long the stages of an event take, and the calls that it sets off, by the clock of the system.
#![expect(clippy::disallowed_methods, reason = "this is the door")]

use std::time::{Duration, Instant};

use crate::engine::{Probe, Stage};

/// Measures what an event comes to, stage by stage, and how long others are at work meanwhile (S1 IRW-REQ-07: "Total turn latency =
/// workflow overhead + generation/refinement time"). Where one of several turns ends it is read and begun anew.
///
/// ```
/// # use segue::engine::{Env, Event, NumberedIds, Stage, step};
/// # use segue::{declare::Options, load::load, state::SessionState, workspace::Workspace};
/// # use serde_json::json;
/// use segue::workspace::Stopwatch;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let files = Workspace::of(".".as_ref())?.pack("assistant")?;
/// # let registry = load(&files, &Options::default()).registry.expect("a pack without errors");
/// # let state = SessionState::new(registry.pack());
/// # let event = Event::input(&registry, "utterance", &json!({ "text": "hello" }), &json!({}))?;
/// # let mut ids = NumberedIds::default();
/// let mut watch = Stopwatch::default();
/// let mut env = Env {
/// #     now: "2021-05-10T12:00:00Z".into(),
/// #     today: jiff::civil::date(2021, 5, 10),
/// #     session_id: "s-1".into(),
/// #     turn_id: "t-1".into(),
/// #     ids: &mut ids,
/// #     trace: false,
///     // …
///     probe: Some(&mut watch),
/// };
/// step(&registry, &state, &event, &mut env)?;
/// watch.stop();
/// assert!(watch.spent(Stage::Choose) <= watch.own());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Stopwatch {
    /// By stage.
    spent: [Duration; STAGES],
    /// The stage that goes on, and since when.
    goes_on: Option<(Stage, Instant)>,
    /// The calls whose outcomes have not come, and since when.
    waiting: Vec<(String, Instant)>,
    /// How long calls took whose outcomes have come.
    calls: Vec<(String, Duration)>,
}

const STAGES: usize = Stage::Write as usize + 1;

impl Probe for Stopwatch {
    fn reached(&mut self, stage: Stage) {
        self.turned(Some(stage));
    }
}

impl Stopwatch {
    /// The event is taken: the stage that goes on ends.
    pub fn stop(&mut self) {
        self.turned(None);
    }

    fn turned(&mut self, to: Option<Stage>) {
        let now = Instant::now();
        if let Some((stage, since)) = self.goes_on.take() {
            self.spent[stage as usize] += now - since;
        }
        self.goes_on = to.map(|stage| (stage, now));
    }

    /// A call leaves.
    pub fn leaves(&mut self, call: &str) {
        self.waiting.push((call.to_owned(), Instant::now()));
    }

    /// Its outcome is there; of one that has not left nothing is known.
    pub fn comes_back(&mut self, call: &str) {
        if let Some(at) = self.waiting.iter().position(|(waiting, _)| waiting == call) {
            let (call, since) = self.waiting.remove(at);
            self.calls.push((call, since.elapsed()));
        }
    }

    /// How long a stage took so far.
    #[must_use]
    pub fn spent(&self, stage: Stage) -> Duration {
        self.spent[stage as usize]
    }

    /// How long all stages took.
    #[must_use]
    pub fn own(&self) -> Duration {
        self.spent.iter().sum()
    }

    /// How long each call took whose outcome has come, in the order in which they came.
    #[must_use]
    pub fn calls(&self) -> &[(String, Duration)] {
        &self.calls
    }

    /// Begins anew; calls that are waited for stay.
    pub fn reset(&mut self) {
        *self = Self { waiting: std::mem::take(&mut self.waiting), ..Self::default() };
    }
}
