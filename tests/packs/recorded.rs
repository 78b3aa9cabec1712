//! The packs on dialogues that others have recorded. The data lie beside the repository; where they do not, nothing is run.

use std::path::{Path, PathBuf};

use segue::declare::Options;
use segue::load::load;
use segue::recorded::{Replay, json};
use segue::scenario::{Given, given_of};
use segue::workspace::{Workspace, files, lines};
use segue::{diag::Diagnostics, report, source::SourceMap, syntax};
use serde_json::Value;

/// A file of the data, if it is there; says so where it is not.
fn data(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(name);
    let there = files::kind(&path) == files::Kind::File;
    if !there {
        println!("skipped: there is no ../shared/data/{name}");
    }
    there.then_some(path)
}

/// What a pack makes of a file of the data, as `segue replay --recorded --format json` says it. `given` is a state in YAML.
fn recorded(pack: &str, name: &str, given: Option<&str>) -> Option<Value> {
    let path = data(name)?;
    let workspace = Workspace::of(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the repository is a workspace");
    let loaded = load(&workspace.pack(pack).expect("a pack"), &Options::default());
    let registry =
        loaded.registry.unwrap_or_else(|| panic!("{}", report::human(&loaded.sources, &loaded.diagnostics, false)));
    let given = given.map(|text| state(&registry, text));
    let mut lines = lines(&path, name).expect("it can be opened");
    let mut replay = Replay::new(&registry, &loaded.sources, given.as_ref(), 0);
    while let Some((number, line)) = lines.next_line().expect("a line") {
        replay.line(number, line).unwrap_or_else(|fault| panic!("{name}:{fault}"));
    }
    Some(json(&replay.finish()))
}

fn state(registry: &segue::registry::Registry, text: &str) -> Given {
    let (mut sources, out) = (SourceMap::default(), Diagnostics::new());
    let file = sources.add("given", text);
    let node = syntax::parse(file, text, syntax::Format::Yaml, &out).expect("a document");
    let given = given_of(registry, &node, &out);
    let found = out.into_sorted();
    given.filter(|_| found.is_empty()).unwrap_or_else(|| panic!("{}", report::human(&sources, &found, false)))
}

fn counts(document: &Value, key: &str) -> Vec<(String, u64)> {
    let object = document[key].as_object().expect("counts");
    object.iter().map(|(class, count)| (class.clone(), count.as_u64().expect("a count"))).collect()
}

/// Hotel, restaurant and train talk in Russian: no class of follow-ups is set off by its own words.
#[test]
fn the_background_stays_silent() {
    let Some(found) = recorded("assistant", "russian-dev.jsonl.gz", None) else { return };
    assert_eq!((&found["dialogues"], &found["turns"]), (&300.into(), &2294.into()));
    assert_eq!(counts(&found, "by_transition").iter().map(|(_, count)| count).sum::<u64>(), 2294);
    for (class, count) in counts(&found, "by_phrase") {
        let follows = ["T2", "T4", "T5", "T8", "T9"].contains(&class.as_str());
        assert!(!follows || count == 0, "{class} fired {count} times by its words alone");
    }
}

/// Single turns, in a new session: each is read, and what is scored adds up.
#[test]
fn single_turns_are_read() {
    let Some(found) = recorded("assistant", "cast-dev.jsonl.gz", None) else { return };
    assert_eq!((&found["dialogues"], &found["turns"], &found["labelled"]), (&113.into(), &113.into(), &49.into()));
    let per_class = found["per_class"].as_object().expect("labels");
    let sum: u64 = per_class.values().map(|label| label["n"].as_u64().expect("a count")).sum();
    assert_eq!(sum, 49);
    let confusion = found["confusion"].as_object().expect("labels");
    assert!(per_class.keys().eq(confusion.keys()));
    for (label, took) in confusion {
        let took: u64 = took.as_object().expect("classes").values().map(|count| count.as_u64().expect("a count")).sum();
        assert_eq!(per_class[label]["n"], took, "{label}");
    }
}

/// The same again, and in a state that an answer has left.
#[test]
fn a_given_state_begins_each_turn() {
    let state = "{ root: { domain_id: inventory, frame_status: active, date_scope: 2020-03 } }";
    let (Some(fresh), Some(given)) =
        (recorded("assistant", "cast-dev.jsonl.gz", None), recorded("assistant", "cast-dev.jsonl.gz", Some(state)))
    else {
        return;
    };
    assert_eq!(given["labelled"], fresh["labelled"]);
    assert_eq!(recorded("assistant", "cast-dev.jsonl.gz", Some(state)), Some(given));
}

/// A state in which every class that follows something up could fire: root and object active, a grounded answer, no clarification.
const TALKED: &str = r#"
living_mode: { living_mode: address_data, mode_reason: root_query, mode_source: utterance, mode_entry_turn_id: t-0 }
root: { domain_id: inventory, root_route_id: stock_on_date, organization_scope: org-1, date_scope: "2020-02", root_result_set_id: rs-0, root_answer_object_ref: a-0, frame_status: active }
object: { focus_object_ref: item-7, focus_object_kind: item, source_result_set_id: rs-0, compatible_route_family: item, temporal_ceiling: "2020-02", frame_status: active, last_route_id: item_supplier }
coverage_gate: { coverage_status: full, evidence_grade: strong, grounding_status: grounded, truth_mode: confirmed, carryover_eligibility: full }
answer_context: { grounded: true, answer_object_ref: a-0, domain_id: inventory, route_id: stock_on_date, organization_scope: org-1, date_scope: "2020-02", coverage_status: full, truth_mode: confirmed }
"#;

/// The same talk where everything could be followed up: each follow-up class fires on less than one text in a hundred.
#[test]
fn the_background_stays_silent_where_all_is_active() {
    let Some(found) = recorded("assistant", "russian-dev.jsonl.gz", Some(TALKED)) else { return };
    let few = |(class, count): &(String, u64)| assert!(count * 100 < 2294, "{class} fired {count} times");
    let follows = |(class, _): &(String, u64)| ["T4", "T5", "T8", "T9"].contains(&class.as_str());
    counts(&found, "by_transition").iter().filter(|entry| follows(entry)).for_each(few);
    counts(&found, "by_phrase").iter().filter(|(class, _)| class == "T2").for_each(few);
}

/// Questions about an answer, in the words of others: most are heard, and hardly another text is taken for one.
#[test]
fn questions_about_an_answer_are_heard() {
    let Some(found) = recorded("assistant", "cast-dev.jsonl.gz", Some(TALKED)) else { return };
    let meta = &found["per_class"]["T8"];
    let rate = |key: &str| meta[key].as_f64().expect("a rate");
    assert!(rate("strict") > 0.5 && rate("false_rate") < 0.05, "{meta}");
}

/// Booking dialogues: the classes that are expected, with their means, and the two classes that need memory and wording.
#[test]
fn the_booking_pack_holds_its_bars() {
    let Some(found) = recorded("booking", "sgd-dev.jsonl.gz", None) else { return };
    assert_eq!((&found["dialogues"], &found["turns"], &found["labelled"]), (&300.into(), &2858.into(), &2858.into()));
    let score = |value: &Value| value.as_f64().expect("a score");
    for (key, bar) in [("strict", 0.99), ("macro_strict", 0.99), ("macro_lenient", 0.99), ("dialogues_lenient", 0.98)] {
        assert!(score(&found[key]) >= bar, "{key}: {}", found[key]);
    }
    for (class, label) in found["per_class"].as_object().expect("labels") {
        assert!(score(&label["strict"]) >= 0.98, "{class}: {label}");
    }
    for class in ["T8", "T9"] {
        assert_eq!(found["by_transition"][class], 0, "nobody asks for {class} in these dialogues");
    }
}

/// Conversations about queries and calendars: what is new and what refines, by the wording alone and whether a query exists.
#[test]
fn the_refinement_pack_holds_its_bars() {
    let Some(found) = recorded("refinement", "intents-dev.jsonl.gz", None) else { return };
    assert_eq!((&found["dialogues"], &found["turns"], &found["labelled"]), (&616.into(), &2394.into(), &1519.into()));
    for (source, turns, bar) in [("cosql", 293, 0.93), ("smcalflow", 835, 0.83), ("sparc", 391, 0.98)] {
        let source = &found["sources"][source];
        assert_eq!(source["turns"], turns);
        assert!(source["macro_f1"].as_f64().expect("a score") >= bar, "{source}");
    }
}
