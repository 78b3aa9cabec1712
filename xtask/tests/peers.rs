//! The benchmark's table as a pack: every answer and every final state is right.

use std::path::Path;

use segue::registry::Registry;
use xtask::peers::{host, table};

#[expect(clippy::disallowed_methods, reason = "the benchmark lies beside the repository")]
fn read(name: &str) -> Option<String> {
    std::fs::read_to_string(Path::new(&xtask::root()).join("../shared/peers").join(name)).ok()
}

#[test]
fn the_engine_answers_as_the_reference_does() {
    let (Some(transitions), Some(turns)) = (read("transitions-10.json"), read("turns-10.json")) else {
        eprintln!("skipped: ../shared/peers is not there");
        return;
    };
    let transitions: table::Table = table::read("transitions-10.json", &transitions).unwrap();
    let turns: table::Turns = table::read("turns-10.json", &turns).unwrap();
    let registry: Registry = host::registry(&transitions, &turns).unwrap_or_else(|why| panic!("{why}"));
    let checked = host::check(&registry, &turns);
    assert!(checked.wrong.is_empty(), "{}", checked.wrong.join("\n"));
    assert_eq!((checked.turns, checked.correct), (541, 541));
    assert_eq!((checked.states, checked.states_correct), (60, 60));
}
