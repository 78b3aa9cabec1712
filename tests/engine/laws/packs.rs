//! What a pack means depends on neither the format of its files, nor their order, nor how it is split over them.

use serde_json::{Map, Value as Json};

use segue::declare::SourceText;
use segue::engine::{Event, NumberedIds};
use segue::model::Pack;
use segue::model::json::to_wire;
use segue::registry::Registry;
use segue::state::SessionState;

use super::{Met, for_seeds};
use crate::support::corpus::Corpus;
use crate::support::events::session;
use crate::support::packs::{Documents, as_toml, as_yaml, joined, pack};
use crate::support::pair::{engine_step, frames_json, shown};
use crate::support::{Dice, load, loaded, main_files};

/// Runs one session through two registries: the events are made for the first.
fn same(one: &Registry, other: &Registry, corpus: &Corpus, seed: u64) -> Result<(), String> {
    let (pack, twin) = (one.pack(), other.pack());
    if pack.fingerprint != twin.fingerprint {
        return Err(format!("fingerprints {} and {}", pack.fingerprint, twin.fingerprint));
    }
    let mut state: Option<SessionState> = None;
    let mut ids = NumberedIds::default();
    session(one, corpus, &mut Dice(seed), 10, |moment| {
        let begin =
            || SessionState::from_frames(twin, &frames_json(pack, moment.before)).expect("the frames are the same");
        let before = state.take().unwrap_or_else(begin);
        let taken = engine_step(other, &before, &translated(moment.event, pack, other), moment.turn, &mut ids);
        let (a, b) = match (moment.result, &taken) {
            (Ok(a), Ok(b)) => (shown(pack, a), shown(twin, b)),
            (Err(_), Err(_)) => {
                state = Some(before);
                return Ok(());
            }
            (a, b) => return Err(format!("{a:?}\n{b:?}")),
        };
        state = taken.ok().map(|step| step.state);
        if a == b { Ok(()) } else { Err(format!("{a:#?}\n{b:#?}")) }
    })
}

/// An event of one registry as an event of another.
fn translated(event: &Event, pack: &Pack, other: &Registry) -> Event {
    let Event::Input { event, fields } = event else { return event.clone() };
    let declared = &pack.events[event.index()];
    let (mut payload, mut signals) = (Map::new(), Map::new());
    for (input, value) in fields {
        let (known, wire) = (&pack.inputs[input.index()], declared.wire_of(*input));
        let name = pack.names.text(wire.unwrap_or(known.name)).to_owned();
        if wire.is_some() { &mut payload } else { &mut signals }.insert(name, to_wire(pack, &known.ty, value));
    }
    let name = pack.names.text(declared.name);
    Event::input(other, name, &Json::Object(payload), &Json::Object(signals)).expect("the declarations are the same")
}

#[test]
fn toml_and_yaml_one_file_and_many_are_the_same_pack() {
    let met = Met::default();
    for_seeds(40, |seed| {
        let documents = pack(&mut Dice(seed));
        let toml = load(&as_toml(&documents));
        let yaml = load(&as_yaml(&documents));
        let one = load(&as_toml(&joined(&documents)));
        let mixed: Vec<SourceText> = as_toml(&documents)
            .into_iter()
            .zip(as_yaml(&documents))
            .enumerate()
            .map(|(at, (toml, yaml))| if at % 2 == 0 { toml } else { yaml })
            .collect();
        let mixed = load(&mixed);
        match (toml, yaml, one, mixed) {
            (Ok(toml), Ok(yaml), Ok(one), Ok(mixed)) => {
                met.count("loaded");
                same(&toml, &yaml, &Corpus::default(), seed)?;
                same(&toml, &one, &Corpus::default(), seed)?;
                same(&toml, &mixed, &Corpus::default(), seed)
            }
            (Err(_), Err(_), Err(_), Err(_)) => Ok(()),
            (toml, yaml, one, mixed) => Err(format!(
                "TOML {:?}\nYAML {:?}\none {:?}\nmixed {:?}",
                toml.err(),
                yaml.err(),
                one.err(),
                mixed.err()
            )),
        }
    });
    assert!(met.times("loaded") >= 25, "{:?}", met.0);
}

#[test]
fn the_order_of_files_does_not_matter() {
    let registry = loaded(&main_files());
    let corpus = Corpus::read();
    for_seeds(4, |seed| {
        let mut files = main_files();
        let mut dice = Dice(seed);
        for at in (1..files.len()).rev() {
            files.swap(at, dice.below(at + 1));
        }
        // Loading sorts by name, so the names change too.
        for (at, file) in files.iter_mut().enumerate() {
            let ending = file.name.rsplit('.').next().expect("a name with an ending").to_owned();
            file.name = format!("{at:03}.{ending}");
        }
        same(&registry, &loaded(&files), &corpus, seed)
    });
}

#[test]
fn the_main_pack_in_yaml_and_in_one_file_is_the_main_pack() {
    let registry = loaded(&main_files());
    let corpus = Corpus::read();
    let documents: Documents = main_files()
        .into_iter()
        .map(|file| {
            let value: toml::Value = toml::from_str(&file.text).expect("the main pack is TOML");
            (file.name.trim_end_matches(".toml").replace('/', "_"), json_of(value))
        })
        .collect();
    let yaml = loaded(&as_yaml(&documents));
    let mut all = Json::Object(Map::new());
    let mut classes = Vec::new();
    for (_, document) in documents {
        if document.get("id").is_some() { classes.push(document) } else { merge(&mut all, document) }
    }
    classes.reverse();
    merge(&mut all, serde_json::json!({ "transition": classes }));
    let one = loaded(&as_toml(&vec![("all".into(), all)]));
    for seed in 0..10 {
        same(&registry, &yaml, &corpus, seed).unwrap_or_else(|difference| panic!("{difference}"));
        same(&registry, &one, &corpus, seed).unwrap_or_else(|difference| panic!("{difference}"));
    }
}

fn json_of(value: toml::Value) -> Json {
    match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(flag) => flag.into(),
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(items) => items.into_iter().map(json_of).collect(),
        toml::Value::Table(table) => table.into_iter().map(|(key, value)| (key, json_of(value))).collect(),
    }
}

/// Puts a document into another: tables grow together, lists one after the other.
fn merge(into: &mut Json, from: Json) {
    match (into, from) {
        (Json::Object(into), Json::Object(from)) => {
            for (key, value) in from {
                match into.get_mut(&key) {
                    Some(known) => merge(known, value),
                    None => drop(into.insert(key, value)),
                }
            }
        }
        (Json::Array(into), Json::Array(from)) => into.extend(from),
        (into, from) => panic!("{from} would replace {into}"),
    }
}
