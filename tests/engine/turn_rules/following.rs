//! Which class can come next: follow edges rule out only what no turn can leave.

use segue::registry::{Edge, Registry};
use serde_json::json;

use super::world::{World, carry};

/// The classes that can come after one, by id.
fn after(registry: &Registry, id: &str) -> Vec<String> {
    let (pack, graph) = (registry.pack(), registry.graph());
    let from = graph.node_indices().find(|node| Some(graph[*node]) == pack.class(id)).expect("a class of the world");
    let edges = graph.edges(from).filter(|edge| *edge.weight() == Edge::Follows);
    let mut next: Vec<String> = edges
        .map(|edge| pack.names.text(pack.classes[graph[petgraph::visit::EdgeRef::target(&edge)].index()].id).to_owned())
        .collect();
    next.sort();
    next
}

fn needs(status: &str) -> String {
    format!("requires = {{ root.status = \"{status}\" }}\n")
}

#[test]
fn follow_edges_know_what_is_written_reset_and_required() {
    let opens = "do = [ { set.root.status = \"active\" } ]\n".to_owned();
    let keeps = needs("active") + &carry("full", "");
    let drops = needs("active") + &carry("none", "");
    let closes = needs("active") + "do = [ { clear = [\"root.place\"] }, { set.root.status = \"closed\" } ]\n";
    let reopens = needs("closed");
    let placed = "requires = { root.place = \"south\" }\n";
    let world = [("O", &*opens), ("K", &*keeps), ("D", &*drops), ("C", &*closes), ("R", &*reopens), ("P", placed)];
    let registry = World::of(&world).registry();
    assert_eq!(after(&registry, "O"), ["C", "D", "K", "O", "P", "Z"]);
    assert_eq!(after(&registry, "K"), ["C", "D", "K", "O", "P", "Z"], "what is required and carried stays");
    assert_eq!(after(&registry, "D"), ["O", "Z"]);
    assert_eq!(after(&registry, "C"), ["O", "R", "Z"]);
    assert_eq!(after(&registry, "Z"), ["C", "D", "K", "O", "P", "R", "Z"]);
}

#[test]
fn follow_edges_of_a_class_that_calls_hold_both_ways_it_can_end() {
    let calls = |status: &str| {
        format!(
            "requires = {{ root.status = [\"none\"] }}\ndo = [ {{ set.root.status = \"{status}\" }}, {{ call = \"fetch\", id = \"f\", with = {{ what = \"w\" }} }} ]\nsettle = [ {{ on = \"f\", when = {{ outcome.grade = \"good\" }}, do = [ {{ set.gate.grade = \"good\" }} ] }} ]\n"
        )
    };
    let (opens, active, closed, none) = (calls("active"), needs("active"), needs("closed"), needs("none"));
    let bad = "requires = { gate.grade = \"bad\" }\n";
    let world = World::of(&[("A", &opens), ("B", &active), ("C", &closed), ("N", &none), ("X", bad)]);
    let registry = world.registry();
    assert_eq!(
        after(&registry, "A"),
        ["A", "B", "N", "X", "Z"],
        "active where it went well, none where it did not, never closed"
    );
    let mut session = world.begin(json!({}));
    session.say("a");
    session.fail("call-1");
    assert_eq!(session.say("n").who(), "N");
    session.say("a");
    assert_eq!(session.say("b").who(), "B", "an input that closes the call finds what the class wrote");
}

#[test]
fn follow_edges_of_a_class_that_takes_outcomes_know_only_what_it_writes() {
    let asks = "do = [ { set.root.status = \"active\" }, { call = \"fetch\", id = \"f\", with = { what = \"w\" } } ]\nsettle = []\n";
    let takes = format!(
        "trigger = [ {{ event = \"fetch.ok\", base = \"selected\" }} ]\ndo = [ {{ set.gate.grade = \"good\" }} ]\n{}\n",
        carry("none", "")
    );
    let (active, bad) = (needs("active"), "requires = { gate.grade = \"bad\" }\n");
    let world = World::of(&[("A", asks), ("T", &takes), ("B", &active), ("X", bad)]);
    let registry = world.registry();
    assert_eq!(after(&registry, "T"), ["A", "B", "T", "Z"], "no carrying in a settle step, so the root may be active");
    let mut session = world.begin(json!({}));
    session.say("a");
    assert_eq!(session.answer("call-1", json!({ "grade": "bad" })).who(), "T");
    assert_eq!(session.say("b").who(), "B");
}
