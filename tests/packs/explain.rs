//! Explanations in words, and the examples of the page on scenarios.

use segue::declare::{Options, SourceText};
use segue::diag::Diagnostics;
use segue::engine::Event;
use segue::explain::{explain, human};
use segue::load::{Loaded, load};
use segue::scenario::{self, Clock};
use segue::state::SessionState;
use segue::syntax::{Format, parse};
use serde_json::json;

const PACK: &str = include_str!("../fixtures/mini/transitions/mini/pack.toml");
const T1: &str = include_str!("../fixtures/mini/transitions/mini/T1.yaml");
const T10: &str = include_str!("../fixtures/mini/transitions/mini/T10.toml");

fn source(name: &str, text: impl Into<std::sync::Arc<str>>) -> SourceText {
    SourceText::new(name, text)
}

fn loaded(files: &[SourceText]) -> Loaded {
    let loaded = load(files, &Options::default());
    assert!(loaded.registry.is_some(), "{}", segue::report::human(&loaded.sources, &loaded.diagnostics, false));
    loaded
}

/// Every operator of conditions, each in a class of its own that fails on it.
const CONDITIONS: &[&str] = &[
    "requires: { topic.city: oslo }",
    "requires: { topic.city: [oslo, bergen] }",
    "requires: { topic.city: { not: riga } }",
    "requires: { topic.asked: { gt: 1, lte: 5 } }",
    "requires: { topic.asked: { lt: 1 } }",
    "requires: { topic.evidence: { present: true } }",
    "requires: { not: { topic.city: { present: true } } }",
    "requires: { topic.city: \"$topic.last\" }",
    "requires: { topic.city: { differs: riga } }",
    "requires: { topic.seen: { contains: oslo } }",
    "requires: { topic.seen: { empty: true } }",
    "requires: { topic.seen: { size: { gte: 3 } } }",
    "requires: { topic.seen: { subset_of: [oslo] } }",
    "requires: { topic.seen: { same_set: [oslo] } }",
    "requires: { topic.seen: { disjoint: [riga, oslo] } }",
    "requires: { topic.seen: { exists: { value: { in: [oslo, bergen] } } } }",
    "requires: { topic.seen: { every: { value: oslo } } }",
    "requires: { topic.seen: { count: { where: { value: riga }, gt: 1 } } }",
    "requires: { any: [{ topic.city: oslo }, { topic.asked: 7, topic.evidence: good }] }",
    "requires: { topic.asked: 1 }\nentry: { input.place: { present: false } }",
];

#[test]
fn conditions_in_words() {
    let mut files = vec![source("pack.toml", PACK.replace(
        "[event.utterance]",
        "[frame.topic.field.last]\ntype = \"id\"\noptional = true\n[frame.topic.field.seen]\nset = { type = \"id\" }\nmax = 4\ndefault = []\n[event.utterance]",
    ))];
    files.push(source("T10.toml", T10));
    let mut chain = vec!["\"T1\"".to_owned()];
    for (at, condition) in CONDITIONS.iter().enumerate() {
        let id = format!("C{at:02}");
        let mut class =
            T1.replace("id: T1", &format!("id: {id}")).replace("weather_of_a_city", &format!("case_{at:02}"));
        class = class.replace("    entry: { input.place: { present: true } }\n", "");
        class = class.replace("requires: {}\n", &format!("{condition}\n"));
        class = match condition.contains("entry") {
            true => class.replace("\nentry: {}\n", "\n"),
            false => class,
        };
        class = class
            .replace("depth: none, keep: [topic]", "depth: all, keep: []")
            .replace("$input.place", "$input.place?");
        class = class.replace("with: { city: \"$topic.city\" }", "with: { city: x }");
        chain.push(format!("\"{id}\""));
        files.push(source(&format!("{id}.yaml"), class));
    }
    chain.push("\"T10\"".into());
    files[0].text =
        files[0].text.replace("# No precedence", &format!("precedence = [[{}]] #", chain.join(", "))).into();
    files.push(source("T1.yaml", T1));
    let loaded = loaded(&files);
    let registry = loaded.registry.as_ref().expect("a registry");
    let mut sources = segue::source::SourceMap::default();
    let text = "topic: { city: riga, asked: 1, last: bergen, seen: [riga, tallinn] }";
    let file = sources.add("state.yaml", text);
    let out = Diagnostics::new();
    let node = parse(file, text, Format::Yaml, &out).expect("a document");
    let (state, _) = scenario::state_of(registry, &node, &Clock::default(), &out).expect("a state");
    let event = Event::input(registry, "utterance", &json!({ "text": "Riga" }), &json!({})).expect("an event");
    let steps = scenario::take(registry, &state, &event, "user: Riga".into(), &Clock::default());
    let explanation = explain(registry, &loaded.sources, "every operator".into(), &steps);
    insta::assert_snapshot!("conditions", human(&explanation, false));
    insta::assert_snapshot!("conditions_verbose", human(&explanation, true));
}

#[test]
fn a_thousand_candidates_fit_a_screen() {
    let mut files = vec![source("pack.toml", PACK), source("T1.yaml", T1), source("T10.toml", T10)];
    let mut chain = vec!["\"T1\"".to_owned()];
    for at in 0..200 {
        let id = format!("C{at}");
        let (signal, example) = match at % 2 {
            0 => ("any: [{ signal: place }]", "Riga"),
            _ => ("any: [{ phrase: \"тишина\" }]", "тишина"),
        };
        let class = T1.replace("id: T1", &format!("id: {id}")).replace("any: [{ signal: place }]", signal);
        let class = class.lines().filter(|line| !line.contains("examples:")).collect::<Vec<_>>().join("\n");
        let class = class.replace("requires: {}", "requires: { topic.asked: { gt: 5 } }").replace(
            "    entry: { input.place: { present: true } }",
            &format!(
                "    entry: {{ input.place: {{ present: true }} }}\n    examples: [{example}]\n    counterexamples: []"
            ),
        );
        chain.push(format!("\"{id}\""));
        files.push(source(&format!("{id}.yaml"), class));
    }
    chain.push("\"T10\"".into());
    files[0].text =
        files[0].text.replace("# No precedence", &format!("precedence = [[{}]] #", chain.join(", "))).into();
    let loaded = loaded(&files);
    let registry = loaded.registry.as_ref().expect("a registry");
    let event = Event::input(registry, "utterance", &json!({ "text": "Riga" }), &json!({})).expect("an event");
    let steps =
        scenario::take(registry, &SessionState::new(registry.pack()), &event, "user: Riga".into(), &Clock::default());
    let text = human(&explain(registry, &loaded.sources, "many".into(), &steps), false);
    assert!(text.lines().count() <= 40 && text.contains("more that were triggered"), "{text}");
    assert!(text.contains("not triggered: C1, C3") && text.contains("and 88 more"), "{text}");
}

/// Each example of the page runs as it says.
#[test]
fn the_page_on_scenarios() {
    let page = include_str!("../../docs/scenarios.md");
    let loaded = loaded(&[source("pack.toml", PACK), source("T1.yaml", T1), source("T10.toml", T10)]);
    let registry = loaded.registry.as_ref().expect("a registry");
    let mut ran = 0;
    for block in page.split("```yaml\n").skip(1) {
        let text = block.split("```").next().expect("the block");
        let mut sources = segue::source::SourceMap::default();
        let file = sources.add("docs/scenarios.md", text);
        let parsed = scenario::parse(file, text, Format::Yaml);
        assert!(parsed.problems.is_empty(), "{}", segue::report::human(&sources, &parsed.problems, false));
        for scenario in parsed.scenarios {
            let failures = scenario::replay(registry, &scenario).failures;
            assert!(failures.is_empty(), "{}: {failures:?}", scenario.name);
            ran += 1;
        }
    }
    assert_eq!(ran, 6);
}
