//! What a turn of a session that is kept costs, by the stages that S1 measures apart (IRW-REQ-07): a new query and then a refinement of
//! it in the refinement pack, with workflows that answer at once and a conversation that is ten turns long, in memory and on a disk.
#![expect(clippy::disallowed_methods, reason = "a whole turn is measured from outside")]

use std::path::Path;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use segue::declare::Options;
use segue::engine::{Env, Event, NumberedIds, Stage};
use segue::load::load;
use segue::model::Status;
use segue::registry::Registry;
use segue::session::{Live, Memory, Store};
use segue::store::{Access, Sqlite};
use segue::workspace::{Stopwatch, Workspace};
use serde_json::{Map, Value as Json, json};
use tempfile::TempDir;

/// So many turns a session takes before another one takes its place.
const TURNS: u64 = 200;
/// What S1 allows of a turn, in the order of [`figures`].
const BARS: [(&str, Duration); 5] = [
    ("turn", Duration::from_millis(5)),
    ("sync", Duration::from_millis(2)),
    ("intent", Duration::from_millis(1)),
    ("routing", Duration::from_millis(1)),
    ("enrichment", Duration::from_millis(1)),
];

/// A session, and how long its turns take.
struct Talk<'r, S> {
    registry: &'r Registry,
    live: Live<'r, S>,
    ids: NumberedIds,
    watch: Stopwatch,
}

impl<'r, S: Store> Talk<'r, S> {
    /// One whose history is full.
    fn new(registry: &'r Registry, store: S) -> Self {
        let live = Live::open(registry, store, "s-1", Map::new(), "2025-10-24T09:00:00Z").expect("a session");
        let mut talk = Self { registry, live, ids: NumberedIds::default(), watch: Stopwatch::default() };
        (0..10).for_each(|turn| talk.turn(turn));
        talk.watch.reset();
        talk
    }

    fn take(&mut self, event: &Event) {
        let mut env = Env {
            now: "2025-10-24T09:00:00Z".into(),
            today: jiff::civil::Date::constant(2025, 10, 24),
            session_id: "s-1".into(),
            turn_id: "t-1".into(),
            ids: &mut self.ids,
            trace: false,
            probe: Some(&mut self.watch),
        };
        self.live.take(event, &mut env).expect("the event is taken");
        self.watch.stop();
    }

    fn outcome(&mut self, value: Json) {
        let call = self.live.pending()[0].call.as_str().into();
        self.take(&Event::Outcome { call, status: Status::Ok, value: Some(value), error: None });
    }

    /// A turn and all that it sets off: every other one refines.
    fn turn(&mut self, number: u64) {
        let refines = number % 2 == 1;
        let text = if refines { "Only from last month" } else { "Show me all users who have placed an order" };
        let said = Event::input(self.registry, "utterance", &json!({ "text": text }), &json!({}));
        self.take(&said.expect("an utterance"));
        let query = "SELECT u.id, u.name, u.email FROM users u JOIN orders o ON o.user_id = u.id ORDER BY u.name";
        let explanation = "All users who have at least one order, by name.";
        self.outcome(json!({ "query": query, "explanation": explanation, "confidence": "high" }));
        if refines {
            self.outcome(json!({ "summary": "Added WHERE clause to filter orders from last month" }));
        }
    }
}

/// How long so many turns take, whole and by stage.
fn figures(registry: &Registry, store: &dyn Store, turns: u64) -> [Duration; 5] {
    let mut sum = [Duration::ZERO; 5];
    let mut taken = 0;
    while taken < turns {
        let mut talk = Talk::new(registry, store);
        let some = TURNS.min(turns - taken);
        let begun = Instant::now();
        (0..some).for_each(|turn| talk.turn(turn));
        let whole = begun.elapsed();
        let stages =
            [Stage::Write, Stage::Recognise, Stage::Choose, Stage::Answer].map(|stage| talk.watch.spent(stage));
        let all = [whole, stages[0], stages[1], stages[2], stages[3]];
        sum.iter_mut().zip(all).for_each(|(sum, one)| *sum += one);
        taken += some;
        store.delete("s-1").expect("it is there");
    }
    sum
}

fn sessions(bench: &mut Criterion) {
    let workspace = Workspace::of(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the repository is a workspace");
    let files = workspace.pack("refinement").expect("the pack can be read");
    let registry = load(&files, &Options::default()).registry.expect("the pack loads");
    let folder = TempDir::new().expect("a folder");
    let disk = Sqlite::open(&folder.path().join("sessions.db"), Access::Write).expect("a store");
    let stores: [(&str, &dyn Store); 2] = [("memory", &Memory::default()), ("sqlite", &disk)];
    for (name, store) in stores {
        let mut group = bench.benchmark_group(name);
        group.sample_size(20).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(3));
        for (at, (figure, _)) in BARS.iter().enumerate() {
            group.bench_function(*figure, |b| b.iter_custom(|turns| figures(&registry, store, turns)[at]));
        }
        group.finish();
        // Once more, all in one, beside what S1 allows.
        let turns = if name == "memory" { 4000 } else { 1000 };
        let found = figures(&registry, store, turns);
        for ((figure, allowed), found) in BARS.iter().zip(found) {
            let each = found.as_secs_f64() / turns as f64;
            let micros = each * 1e6;
            println!(
                "{name} {figure}: {micros:.1} us a turn, {:.0} times under {allowed:?}",
                allowed.as_secs_f64() / each
            );
        }
    }
}

criterion_group!(benches, sessions);
criterion_main!(benches);
