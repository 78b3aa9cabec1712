//! Statistics: what the metrics of a pack come to over sessions (S4, "Key Metrics").

pub mod numbers;

use serde_json::{Map, Value, json as value};

use crate::engine::{Phase, Step};
use crate::model::Pack;
use crate::model::ids::ClassId;
use crate::model::metric::Counts;
use crate::registry::Registry;
use crate::scenario::{Played, PlayedTurn};

use numbers::{percent, plural, row, share, table};

/// The metrics of a pack, counted session by session.
#[derive(Debug, Clone)]
pub struct Tally<'r> {
    pack: &'r Pack,
    sessions: u64,
    turns: u64,
    counted: Vec<Counted>,
    /// The class that took the last step of the turn.
    last: Option<ClassId>,
}

/// What one metric has come to.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    cases: u64,
    counted: u64,
    /// A case that has not ended, and whether it was counted.
    open: Option<bool>,
}

impl<'r> Tally<'r> {
    /// Nothing counted yet.
    #[must_use]
    pub fn new(registry: &'r Registry) -> Self {
        let pack = registry.pack();
        Self { pack, sessions: 0, turns: 0, counted: vec![Counted::default(); pack.metrics.len()], last: None }
    }

    /// The pack whose metrics are counted.
    #[must_use]
    pub fn pack(&self) -> &'r Pack {
        self.pack
    }

    /// Begins a session; the one before it has ended.
    pub fn session(&mut self) {
        self.sessions += 1;
        for counted in &mut self.counted {
            counted.open = None;
        }
    }

    /// Begins a turn of the session.
    pub fn turn(&mut self) {
        self.turns += 1;
        self.last = None;
    }

    /// Counts a step of the turn. A class counts each time it takes the turn: its input, or an outcome from another class.
    pub fn step(&mut self, step: &Step) {
        let Some(class) = step.class else { return };
        let takes = step.phase == Phase::Select || self.last != Some(class);
        self.last = Some(class);
        if !takes {
            return;
        }
        for (metric, counted) in self.pack.metrics.iter().zip(&mut self.counted) {
            if let Some(before) = counted.open {
                match &metric.counts {
                    Counts::FollowedBy(classes) if classes.contains(&class) && !before => {
                        counted.counted += 1;
                        counted.open = Some(true);
                    }
                    Counts::Average(classes) if classes.contains(&class) => counted.counted += 1,
                    _ => {}
                }
                if metric.until.contains(&class) {
                    counted.open = None;
                }
            }
            if metric.of.contains(&class) {
                counted.cases += 1;
                counted.open = Some(false);
                if matches!(&metric.counts, Counts::Are(classes) if classes.contains(&class)) {
                    counted.counted += 1;
                }
            }
        }
    }

    /// Counts a session that was played.
    pub fn played(&mut self, played: &Played) {
        self.session();
        for PlayedTurn { steps, .. } in &played.turns {
            self.turn();
            let own = steps.iter().filter(|step| step.pack.is_outermost());
            own.filter_map(|step| step.result.as_ref().ok()).for_each(|step| self.step(step));
        }
    }

    /// As one JSON object: counts are whole numbers, `value` is a share between 0 and 1 or an average, null where there is
    /// no case.
    #[must_use]
    pub fn json(&self) -> Value {
        let metrics = self.pack.metrics.iter().zip(&self.counted).map(|(metric, counted)| {
            let kind = match metric.counts {
                Counts::Average(_) => "average",
                Counts::Are(_) | Counts::FollowedBy(_) => "rate",
            };
            let of = value!({
                "doc": metric.doc,
                "kind": kind,
                "value": share(counted.counted, counted.cases),
                "counted": counted.counted,
                "cases": counted.cases,
            });
            (metric.name.clone(), of)
        });
        value!({
            "pack": self.pack.names.text(self.pack.id),
            "sessions": self.sessions,
            "turns": self.turns,
            "metrics": metrics.collect::<Map<_, _>>(),
        })
    }

    /// As a table for people.
    #[must_use]
    pub fn human(&self) -> String {
        let (sessions, turns) = (plural(self.sessions, "session"), plural(self.turns, "turn"));
        let mut text = format!("{}: {sessions}, {turns}\n\n", self.pack.names.text(self.pack.id));
        let mut rows = vec![row(["", "value", "counted", "cases"])];
        for (metric, counted) in self.pack.metrics.iter().zip(&self.counted) {
            let of = share(counted.counted, counted.cases);
            let value = match (&metric.counts, of) {
                (Counts::Average(_), Some(average)) => format!("{average:.2}"),
                _ => percent(of),
            };
            rows.push(row([&metric.name, &value, &counted.counted.to_string(), &counted.cases.to_string()]));
        }
        text.push_str(&table(&rows));
        text
    }
}
