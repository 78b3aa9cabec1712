//! Conditions: Kleene logic, and every operator on values that are there and that are not.

use serde_json::{Value as Json, json};

use super::world::World;

/// Whether an entry condition holds in a state.
fn holds(condition: &str, frames: &Json, signals: &Json) -> bool {
    let class = format!("entry = {{ {condition} }}\n");
    let world = World::of(&[("A", &class)]);
    world.begin(frames.clone()).hear("a", signals.clone()).who() == "A"
}

fn table(frames: &Json, signals: &Json, rows: &[(&str, bool)]) {
    for (condition, expected) in rows {
        assert_eq!(holds(condition, frames, signals), *expected, "{condition} in {frames} {signals}");
    }
}

#[test]
fn conditions_on_absent_values_are_unknown_and_not_does_not_help() {
    table(
        &json!({}),
        &json!({}),
        &[
            ("root.place = \"south\"", false),
            ("root.place = { not = \"south\" }", false),
            ("not = { root.place = \"south\" }", false),
            ("root.place = { differs = \"south\" }", true),
            ("root.place = { present = false }", true),
            ("root.place = { present = true }", false),
            ("not = { root.place = { present = true } }", true),
            ("any = [ { root.place = \"south\" }, { root.status = \"none\" } ]", true),
            ("not = { all = [ { root.place = \"south\" }, { root.status = \"active\" } ] }", true),
            ("not = { any = [ { root.place = \"south\" }, { root.status = \"active\" } ] }", false),
            ("seen.anchors = { empty = true }", false),
            ("root.notes = { empty = true }", true),
        ],
    );
}

#[test]
fn conditions_on_scalars() {
    let frames =
        json!({ "root": { "place": "south", "n": 3, "born": "мир" }, "seen": { "text": "мир", "other": "x" } });
    table(
        &frames,
        &json!({ "sure": 0.75, "place": "south" }),
        &[
            ("root.place = [\"north\", \"south\"]", true),
            ("root.place = { in = [\"north\"] }", false),
            ("root.place = { not = [\"north\"] }", true),
            ("root.place = \"$input.place\"", true),
            ("root.place.big = true", true),
            ("root.place.needs = { empty = true }", true),
            ("root.n = { gt = 2, lte = 3 }", true),
            ("root.n = { lt = 3 }", false),
            ("root.n = { gte = 4 }", false),
            ("input.sure = { gt = \"%threshold\" }", false),
            ("input.sure = { lte = \"%threshold\" }", true),
            ("seen.text = \"$root.born\"", true),
            ("seen.text = { differs = \"$seen.other\" }", true),
            ("seen.text = { differs = \"$input.text\" }", true),
            ("root.born = { empty = false }", true),
        ],
    );
    assert!(
        !holds("seen.text = \"$root.born\"", &json!({ "seen": { "text": "x" } }), &json!({})),
        "against an absent one"
    );
}

#[test]
fn conditions_on_collections() {
    let frames = json!({ "root": { "notes": ["a", "b", "b"], "marks": ["b", "a"], "tries": { "north": 2 }, "lines": [{ "sku": "s", "amount": 2 }, { "sku": "t", "amount": 5, "note": "n" }] } });
    table(
        &frames,
        &json!({ "place": "north", "counts": { "north": 1, "south": 0 }, "set_a": ["place"] }),
        &[
            ("root.notes = { contains = \"b\" }", true),
            ("root.notes = { size = { gt = 2 } }", true),
            ("root.tries = { contains = \"north\" }", true),
            ("root.tries.\"[$input.place]\" = { gte = 2 }", true),
            ("input.counts.\"[$root.place]\" = 0", false),
            ("root.tries.keys = { subset_of = [\"north\"] }", true),
            ("root.marks = { same_set = [\"a\", \"b\"] }", true),
            ("root.marks = { subset_of = [\"a\"] }", false),
            ("root.marks = { disjoint = [\"c\"] }", true),
            ("root.marks = { covered_by = [[\"a\"], [\"b\", \"c\"]] }", true),
            ("seen.anchors = { subset_of = \"$input.set_a\" }", false),
            ("input.set_a = { disjoint = \"$seen.anchors\" }", false),
            ("root.lines = { exists = { value.amount = { gt = 4 } } }", true),
            ("root.lines = { every = { value.amount = { gt = 2 } } }", false),
            ("root.lines = { count = { where = { value.amount = { gte = 2 } }, gte = 2 } }", true),
            ("root.tries = { exists = { key = \"north\", value = 2 } }", true),
            ("root.lines = { exists = { value.note = \"n\" } }", true),
            ("root.lines = { every = { value.note = \"n\" } }", false),
            ("not = { root.lines = { every = { value.note = \"n\" } } }", false),
            ("root.lines = { count = { where = { value.note = \"n\" }, gte = 1 } }", false),
        ],
    );
    table(
        &json!({}),
        &json!({}),
        &[
            ("root.lines = { every = { value.amount = 9 } }", true),
            ("root.lines = { exists = { value.amount = 9 } }", false),
            ("input.rows = { every = { value.amount = 9 } }", false),
            ("root.marks = { subset_of = [\"a\"] }", true),
        ],
    );
}

#[test]
fn conditions_take_parameters_of_the_load() {
    let class = "entry = { input.sure = { gt = \"%threshold\" } }\n";
    let world = || World::of(&[("A", class)]);
    assert_eq!(world().begin(json!({})).hear("a", json!({ "sure": 0.8 })).who(), "A");
    assert_eq!(
        world().param("threshold", "0.9").begin(json!({})).hear("a", json!({ "sure": 0.8 })).who(),
        "Z no_transition"
    );
    assert!(world().param("threshold", "high").refused().contains("threshold"));
}

#[test]
fn conditions_have_names() {
    let class = "entry = { is = \"ready\" }\n";
    let more = "[condition.ready]\nany = [ { root.status = \"active\" }, { input.sure = { present = true } } ]\n";
    let world = World::of(&[("A", class)]).more(more);
    assert_eq!(world.begin(json!({})).say("a").who(), "Z no_transition");
    assert_eq!(world.begin(json!({ "root": { "status": "active" } })).say("a").who(), "A");
}
