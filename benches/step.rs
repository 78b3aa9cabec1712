//! What a step costs: typical turns of the main pack, a whole turn with its outcome, and loading the pack.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, criterion_group, criterion_main};
use segue::declare::Options;
use segue::engine::{Env, Event, NumberedIds, Scratch, Step, step_with};
use segue::load::load;
use segue::model::Status;
use segue::registry::Registry;
use segue::state::SessionState;
use segue::workspace::Workspace;
use serde_json::{Value as Json, json};

/// Utterances by the class that takes them from the state of [`given`].
const TURNS: [(&str, &str); 9] = [
    ("T2", "а на март 2020"),
    ("T4", "кто поставщик"),
    ("T5", "а эта кому ушла"),
    ("T6", "а что по продажам"),
    ("T8", "это много или мало"),
    ("T9", "помнишь, о чем говорили"),
    ("T10_small_talk", "спасибо"),
    ("T10_noise", "расскажи что-нибудь о погоде на завтра"),
    ("T6_long", "покажи, пожалуйста, продажи по организации Василёк за последние 30 дней"),
];

fn given() -> Json {
    json!({
        "root": { "domain_id": "inventory", "root_route_id": "stock_on_date", "organization_scope": "org-1",
            "date_scope": "2020-02", "root_result_set_id": "rs-1", "frame_status": "active" },
        "object": { "focus_object_ref": "item-1", "focus_object_kind": "item", "compatible_route_family": "item",
            "source_result_set_id": "rs-1", "temporal_ceiling": "2020-02", "last_route_id": "item_supplier",
            "frame_status": "active" },
        "answer_context": { "grounded": true, "answer_object_ref": "a-1", "coverage_status": "full", "truth_mode": "confirmed" },
    })
}

/// What a host keeps from step to step.
#[derive(Default)]
struct Kept {
    ids: NumberedIds,
    scratch: Scratch,
}

fn take(registry: &Registry, state: &SessionState, event: &Event, kept: &mut Kept, trace: bool) -> Step {
    let mut env = Env {
        now: "2020-04-15T00:00:00Z".into(),
        today: jiff::civil::Date::constant(2020, 4, 15),
        session_id: "s-1".into(),
        turn_id: "t-1".into(),
        ids: &mut kept.ids,
        trace,
        probe: None,
    };
    step_with(registry, state, event, &mut env, &mut kept.scratch).expect("the main pack answers")
}

fn steps(bench: &mut Criterion) {
    let workspace = Workspace::of(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the repository is a workspace");
    let files = workspace.pack("assistant").expect("the main pack can be read");
    let registry = load(&files, &Options::default()).registry.expect("the main pack loads");
    let state = SessionState::from_frames(registry.pack(), &given()).expect("the state fits");
    let none = json!({});
    let mut kept = Kept::default();

    let mut group = bench.benchmark_group("select");
    for (name, text) in TURNS {
        let event = Event::input(&registry, "utterance", &json!({ "text": text }), &none).expect("an utterance");
        group.bench_function(name, |b| b.iter(|| black_box(take(&registry, &state, &event, &mut kept, false))));
    }
    group.finish();

    let event =
        Event::input(&registry, "utterance", &json!({ "text": "а на март 2020" }), &none).expect("an utterance");
    bench.bench_function("select_traced", |b| b.iter(|| black_box(take(&registry, &state, &event, &mut kept, true))));
    bench.bench_function("turn", |b| {
        b.iter(|| {
            let selected = take(&registry, &state, &event, &mut kept, false);
            let outcome = Event::Outcome {
                call: selected.calls[0].id.clone(),
                status: Status::Ok,
                value: Some(json!({ "coverage_status": "full", "evidence_grade": "strong", "result_set_id": "rs-2" })),
                error: None,
            };
            black_box(take(&registry, &selected.state, &outcome, &mut kept, false))
        });
    });
    bench.bench_function("load", |b| b.iter(|| black_box(load(&files, &Options::default()))));
}

criterion_group!(benches, steps);
criterion_main!(benches);
