//! Statistics: what the metrics of a pack, and of the packs that it uses, come to over sessions (S4, "Key Metrics").

pub mod numbers;

use serde_json::{Map, Value, json as value};

use crate::engine::{Phase, Step};
use crate::model::Pack;
use crate::model::ids::ClassId;
use crate::model::metric::{Counts, Metric};
use crate::model::uses::PackAt;
use crate::registry::Registry;
use crate::scenario::{Played, PlayedTurn};

use numbers::{percent, plural, row, share, table};

/// The metrics of a pack, counted session by session.
#[derive(Debug, Clone)]
pub struct Tally<'r> {
    pack: &'r Pack,
    sessions: u64,
    turns: u64,
    /// Of each pack, the outermost first.
    packs: Vec<OfPack<'r>>,
}

/// What the metrics of one of the packs that are put together have come to.
#[derive(Debug, Clone)]
struct OfPack<'r> {
    metrics: &'r [Metric],
    counted: Vec<Counted>,
    /// The class that took the last step of the turn in this pack.
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
        let of = |at| {
            let metrics = pack.at(at).metrics.as_slice();
            OfPack { metrics, counted: vec![Counted::default(); metrics.len()], last: None }
        };
        Self { pack, sessions: 0, turns: 0, packs: pack.all().map(of).collect() }
    }

    /// Whether there is anything to count: the pack, or one that it uses, declares a metric.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.packs.iter().any(|of| !of.metrics.is_empty())
    }

    /// The pack whose metrics are counted.
    #[must_use]
    pub fn pack(&self) -> &'r Pack {
        self.pack
    }

    /// Begins a session; the one before it has ended.
    pub fn session(&mut self) {
        self.sessions += 1;
        for counted in self.packs.iter_mut().flat_map(|of| &mut of.counted) {
            counted.open = None;
        }
    }

    /// Begins a turn of the session.
    pub fn turn(&mut self) {
        self.turns += 1;
        self.packs.iter_mut().for_each(|of| of.last = None);
    }

    /// Counts a step that one of the packs has taken in the turn. A class counts each time it takes the turn: its input, or an
    /// outcome from another class.
    pub fn step(&mut self, at: PackAt, step: &Step) {
        let (Some(class), Some(of)) = (step.class, self.packs.get_mut(at.index())) else { return };
        let takes = step.phase == Phase::Select || of.last != Some(class);
        of.last = Some(class);
        if !takes {
            return;
        }
        for (metric, counted) in of.metrics.iter().zip(&mut of.counted) {
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
            let taken = steps.iter().filter_map(|step| Some((step.pack, step.result.as_ref().ok()?)));
            taken.for_each(|(at, step)| self.step(at, step));
        }
    }

    /// The metrics with their names, those of used packs as `NAME/METRIC`, and what they have come to.
    fn all(&self) -> impl Iterator<Item = (String, &Metric, Counted)> {
        let pack = self.pack;
        pack.all().zip(&self.packs).flat_map(move |(at, of)| {
            let name = move |metric: &Metric| pack.qualified(at, &metric.name);
            of.metrics.iter().zip(&of.counted).map(move |(metric, counted)| (name(metric), metric, *counted))
        })
    }

    /// As one JSON object: counts are whole numbers, `value` is a share between 0 and 1 or an average, null where there is
    /// no case.
    #[must_use]
    pub fn json(&self) -> Value {
        let metrics = self.all().map(|(name, metric, counted)| {
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
            (name, of)
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
        for (name, metric, counted) in self.all() {
            let of = share(counted.counted, counted.cases);
            let value = match (&metric.counts, of) {
                (Counts::Average(_), Some(average)) => format!("{average:.2}"),
                _ => percent(of),
            };
            rows.push(row([&name, &value, &counted.counted.to_string(), &counted.cases.to_string()]));
        }
        text.push_str(&table(&rows));
        text
    }
}
