//! What the runs of one size come to, as a table for people and as JSON.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

/// What each side printed, run by run.
#[derive(Debug, Default)]
pub struct Runs {
    /// The hand-written limit.
    pub limit: Vec<Json>,
    /// This engine.
    pub segue: Vec<Json>,
}

impl Runs {
    /// What is wrong, one line a thing.
    #[must_use]
    pub fn wrong(&self) -> Vec<&str> {
        let lists = self.segue.first().and_then(|run| run["wrong"].as_array());
        lists.into_iter().flatten().filter_map(Json::as_str).collect()
    }

    /// Whether every answer and every final state is right.
    #[must_use]
    pub fn right(&self) -> bool {
        let all = |of: &str, right: &str| self.count(of) > 0 && self.count(of) == self.count(right);
        all("turns", "correct") && all("states", "states_correct")
    }

    /// How many times slower than the limit.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        median(&self.limit, "turns_per_s") / median(&self.segue, "turns_per_s")
    }

    /// One line a side, and where a turn's time goes.
    #[must_use]
    pub fn table(&self, size: usize) -> String {
        let mut text = format!(
            "\nN = {size}\n{:<8}{:>14}{:>12}{:>12}{:>8}{:>16}{:>16}\n",
            "", "turns/s", "p50", "p99", "ratio", "answers", "final states"
        );
        let limit = self.limit.first().map_or(0, |run| run["correct"].as_u64().unwrap_or(0));
        let of = |right: u64, all: u64| format!("{right} of {all}");
        let sides = [
            ("limit", &self.limit, 1.0, of(limit, self.count("turns")), String::new()),
            (
                "segue",
                &self.segue,
                self.ratio(),
                of(self.count("correct"), self.count("turns")),
                of(self.count("states_correct"), self.count("states")),
            ),
        ];
        for (name, runs, ratio, answers, states) in sides {
            let (rate, p50, p99) = (median(runs, "turns_per_s"), median(runs, "p50_ns"), median(runs, "p99_ns"));
            let _ =
                writeln!(text, "{name:<8}{rate:>14.0}{p50:>9.0} ns{p99:>9.0} ns{ratio:>8.2}{answers:>16}{states:>16}");
        }
        let turn = 1e9 / median(&self.segue, "turns_per_s");
        let event = median(&self.segue, "event_ns");
        let load = median(&self.segue, "load_ms");
        let _ = writeln!(
            text,
            "a turn of segue: {turn:.0} ns, of which {event:.0} ns make the event; the pack loads in {load:.0} ms"
        );
        text
    }

    /// The numbers for a machine.
    #[must_use]
    pub fn summary(&self) -> Json {
        json!({
            "ratio": (self.ratio() * 100.0).round() / 100.0,
            "turns": self.count("turns"), "correct": self.count("correct"),
            "states": self.count("states"), "states_correct": self.count("states_correct"),
        })
    }

    fn count(&self, key: &str) -> u64 {
        self.segue.first().and_then(|run| run[key].as_u64()).unwrap_or(0)
    }
}

fn median(runs: &[Json], key: &str) -> f64 {
    let mut values: Vec<f64> = runs.iter().filter_map(|run| run[key].as_f64()).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
