//! Events as hosts give them: by name as JSON, and by the place in a form.

use segue::engine::{Event, EventError, EventForm, HostValue};
use segue::registry::Registry;
use serde_json::{Value as Json, json};

use super::world::World;

const NAMES: [&str; 6] = ["text", "place", "period", "sure", "mood", "counts"];

fn registry() -> Registry {
    World::of(&[]).registry()
}

fn named(names: &[&str]) -> String {
    EventForm::new(&registry(), "utterance", names).expect_err("a form that cannot be").to_string()
}

fn given(values: &[HostValue<'_>]) -> Result<Event, EventError> {
    let registry = registry();
    let form = EventForm::new(&registry, "utterance", &NAMES).expect("a form");
    form.event(&registry, values.iter().copied())
}

#[test]
fn a_form_makes_the_event_that_names_make() {
    let counts = json!({ "north": 2 });
    let event = given(&[
        "x".into(),
        Some("south").into(),
        "2020-03".into(),
        "0.5".into(),
        None.into(),
        HostValue::from(&counts),
    ]);
    let signals = json!({ "place": "south", "period": "2020-03", "sure": 0.5, "counts": counts });
    assert_eq!(event, Event::input(&registry(), "utterance", &json!({ "text": "x" }), &signals));
}

#[test]
fn a_form_that_the_pack_does_not_admit_is_refused() {
    let unknown = EventForm::new(&registry(), "utterrance", &["text"]).expect_err("no such event").to_string();
    assert_eq!(unknown, "`utterrance` is no event of this pack; events are: tap, utterance");
    assert_eq!(
        named(&["text", "plaice"]),
        "`plaice`: is no field of event `utterance` and no signal that a host may give"
    );
    assert_eq!(named(&["text", "ref"]), "`ref`: is no field of event `utterance` and no signal that a host may give");
    assert_eq!(named(&["text", "when"]), "`when`: is no field of event `utterance` and no signal that a host may give");
    assert_eq!(named(&["text", "place", "text"]), "`text`: is named twice");
    assert_eq!(named(&["place"]), "`text`: is missing; event `utterance` demands it");
}

#[test]
fn values_that_do_not_fit_the_form_are_refused() {
    let none = HostValue::Json(&Json::Null);
    let wrong = |values: &[HostValue<'_>]| given(values).expect_err("a value that does not fit").to_string();
    assert_eq!(wrong(&[none; 6]), "`text`: is null; event `utterance` demands it");
    assert_eq!(wrong(&[HostValue::Nothing; 6]), "`text`: is missing; event `utterance` demands it");
    assert_eq!(wrong(&["x".into()]), "`utterance`: the form has 6 values, fewer were given");
    assert_eq!(wrong(&["x".into(); 7]), "`place`: expected a key of table `place` (north, south), found \"x\"");
    let seven = ["x".into(), none, none, none, none, none, none];
    assert_eq!(wrong(&seven), "`utterance`: the form has 6 values, more were given");
    let list = json!([1]);
    let counts = ["x".into(), none, none, none, none, HostValue::Json(&list)];
    assert!(wrong(&counts).starts_with("`counts`: expected "), "{}", wrong(&counts));
    let text = ["x".into(), none, none, none, none, "two".into()];
    assert!(wrong(&text).starts_with("`counts`: expected "), "a text is no map: {}", wrong(&text));
}
