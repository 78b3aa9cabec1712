//! What must hold of all shapes.

use std::collections::BTreeMap;

use super::*;

/// Every shape that a pack, a scenario file or `segue.toml` leads to, by name.
fn shapes() -> BTreeMap<&'static str, &'static Shape> {
    let mut found = BTreeMap::new();
    for root in [&SECTIONS, &CLASS, &SCENARIOS, &WORKSPACE] {
        walk(root, &mut found);
    }
    found
}

fn walk(shape: &'static Shape, found: &mut BTreeMap<&'static str, &'static Shape>) {
    if let Some(known) = found.insert(shape.name, shape) {
        assert!(std::ptr::eq(known, shape), "two shapes are called {}", shape.name);
        return;
    }
    shape.keys().for_each(|key| value(&key.value, found));
    shape.rest.iter().for_each(|rest| value(rest.value, found));
}

fn value(of: &'static Value, found: &mut BTreeMap<&'static str, &'static Shape>) {
    match of {
        Value::Table(shape) => walk(shape, found),
        Value::Names(rest) => value(rest.value, found),
        Value::List(of) | Value::Some(of) | Value::OneOrMany(of) => value(of, found),
        Value::Either(all) => all.iter().for_each(|of| value(of, found)),
        Value::Computed => [&FIRST, &JOIN, &NEW_ID, &PICK].into_iter().for_each(|shape| walk(shape, found)),
        Value::Tested => walk(&TEST, found),
        _ => {}
    }
}

#[test]
fn every_key_and_form_is_sound() {
    let shapes = shapes();
    assert!(shapes.len() > 50, "{}", shapes.len());
    for shape in shapes.values() {
        let names = shape.names();
        for (at, name) in names.iter().enumerate() {
            assert!(!names[..at].contains(name), "{} has `{name}` twice", shape.name);
        }
        for form in shape.forms {
            assert!(shape.has(form.key), "{}: {}", shape.name, form.key);
            assert!(form.with.iter().all(|key| shape.has(key)), "{}: {}", shape.name, form.key);
            assert!(form.needs.iter().all(|key| form.with.contains(key)), "{}: {}", shape.name, form.key);
        }
        let beside = shape.beside.iter().flat_map(|(key, other)| [*key, *other]);
        for name in beside.chain(shape.some.iter().copied().flatten().copied()) {
            assert!(shape.has(name), "{}: {name}", shape.name);
        }
        for text in shape.keys().map(|key| key.doc).chain([shape.doc]) {
            assert!(!text.is_empty() && text.ends_with(['.', '…']) && !text.contains('\n'), "{}: {text}", shape.name);
        }
    }
}

#[test]
fn a_form_leaves_out_what_belongs_to_others() {
    let names = |form: &str| ALTERNATIVE.names_in(|key| key == form);
    assert_eq!(names("signal"), ["signal", "is", "ambiguous", "tag", "set"]);
    assert_eq!(names("pattern"), ["pattern", "whole", "starts", "tag", "set"]);
    assert_eq!(names("nothing"), ALTERNATIVE.names());
}
