//! `segue chat --times`: each turn tells its stages and its calls apart (S1 IRW-REQ-07).

use crate::program::{Mini, err, out};
use serde_json::{Map, Value as Json};

/// A turn whose call is answered by hand.
const LINES: &str = "Riga\ngood\ngood night\n";

fn lines(text: &str) -> Vec<Json> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn each_turn_tells_its_stages_and_its_calls_apart() {
    let mini = Mini::new();
    let told = mini.command(&["chat", "--numbered-ids", "--format", "json", "--times"]).stdin(LINES).assert().code(0);
    let turns = lines(&out(&told));
    let times = |turn: usize| turns[turn]["times"].as_object().cloned().expect("times");
    for turn in 0..2 {
        let times: Map<String, Json> = times(turn);
        let stages: Vec<&str> = times.keys().map(String::as_str).collect();
        assert_eq!(stages, ["intent", "routing", "state", "enrichment", "sync", "calls"]);
        assert!(times.iter().all(|(name, took)| name == "calls" || took.is_u64()), "{times:?}");
    }
    let calls = |turn: usize| times(turn)["calls"].as_object().expect("calls").keys().cloned().collect::<Vec<_>>();
    assert_eq!((calls(0), calls(1)), (vec!["call-2".to_owned()], Vec::new()), "each turn has its own");
    // What is not asked for is not there, and nothing else is another.
    let plain = mini.command(&["chat", "--numbered-ids", "--format", "json"]).stdin(LINES).assert().code(0);
    let mut without = turns.clone();
    without.iter_mut().for_each(|turn| _ = turn.as_object_mut().expect("an object").shift_remove("times"));
    assert_eq!(lines(&out(&plain)), without);
    let people = mini.command(&["chat", "--numbered-ids", "--times"]).stdin(LINES).assert().code(0);
    let told = err(&people);
    let shown: Vec<&str> = told.lines().filter(|line| line.starts_with("times: intent ")).collect();
    assert!(shown.len() == 2 && shown[0].contains(", call-2 ") && !shown[1].contains("call-"), "{told}");
}
