//! What `segue check` and `segue replay` cost for the repository's packs and scenarios, their texts in memory.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, criterion_group, criterion_main};
use segue::audit::{audit, audit_again};
use segue::declare::Options;
use segue::jobs::Job;
use segue::lexicon::Automata;
use segue::load::load;
use segue::registry::Registry;
use segue::scenario::replay;
use segue::workspace::Workspace;

/// At the same time, as the command line does it.
fn together(one: Job<'_>, other: Job<'_>) {
    std::thread::scope(|scope| {
        scope.spawn(other);
        one();
    });
}

fn audits(bench: &mut Criterion) {
    let workspace = Workspace::of(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the repository is a workspace");
    let chosen = workspace.choice(&[]).expect("its files can be read").chosen;
    for one in &chosen {
        let found = audit(&one.pack, &one.scenarios, &one.config).diagnostics;
        assert!(found.is_empty(), "the repository's files are clean");
    }
    bench.bench_function("audit", |b| {
        b.iter(|| {
            for one in &chosen {
                black_box(audit(&one.pack, &one.scenarios, &one.config));
            }
        });
    });
    bench.bench_function("audit_on_threads", |b| {
        b.iter(|| {
            std::thread::scope(|scope| {
                for one in &chosen {
                    scope.spawn(|| {
                        black_box(audit_again(
                            None,
                            &one.pack,
                            &one.scenarios,
                            &one.config,
                            &Automata::plain(),
                            &together,
                        ))
                    });
                }
            });
        });
    });
}

fn loads_and_replays(bench: &mut Criterion) {
    let workspace = Workspace::of(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the repository is a workspace");
    let mut registries: Vec<(String, Registry)> = Vec::new();
    for name in workspace.packs() {
        let files = workspace.pack(&name).expect("the pack can be read");
        bench.bench_function(&format!("load_{name}"), |b| b.iter(|| black_box(load(&files, &Options::default()))));
        registries.push((name, load(&files, &Options::default()).registry.expect("the pack loads")));
    }
    let corpus = workspace.corpus(&[]).expect("the scenarios can be read");
    let cases: Vec<_> = corpus
        .cases
        .iter()
        .filter_map(|case| {
            let (_, registry) = registries.iter().find(|(name, _)| Some(name) == case.pack.as_ref())?;
            Some((registry, &case.scenario))
        })
        .collect();
    assert_eq!(cases.len(), corpus.cases.len(), "each scenario names a pack");
    bench.bench_function("replay_all", |b| {
        b.iter(|| {
            for (registry, scenario) in &cases {
                black_box(replay(registry, scenario));
            }
        });
    });
}

criterion_group!(benches, audits, loads_and_replays);
criterion_main!(benches);
