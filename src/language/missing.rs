//! Which key is missing where a list stands without one: told by the keys around it and by those of its items.

use super::{CLASS, SCENARIO, SCENARIOS, SCRIPT, SECTIONS, Shape, Value};

/// The key of a list of tables that stands in a table with the keys `beside` and whose items have the keys `inside`, where the keys say
/// so.
#[must_use]
pub fn list_key(beside: &[&str], inside: &[&str]) -> Option<&'static str> {
    key_of(beside, inside, &items)
}

/// The key of a table that stands in a table with the keys `beside` and that has the keys `inside`, where the keys say so.
#[must_use]
pub fn table_key(beside: &[&str], inside: &[&str]) -> Option<&'static str> {
    key_of(beside, inside, &|value| match value {
        Value::Table(shape) if inside.iter().all(|name| shape.has(name)) => Some(shape),
        _ => None,
    })
}

fn key_of(
    beside: &[&str],
    inside: &[&str],
    within: &dyn Fn(&'static Value) -> Option<&'static Shape>,
) -> Option<&'static str> {
    let mut seen: Vec<&'static Shape> = Vec::new();
    let mut best: Option<(usize, &'static str)> = None;
    let mut left: Vec<&'static Shape> = vec![&SECTIONS, &CLASS, &SCENARIOS, &SCENARIO, &SCRIPT];
    while let Some(shape) = left.pop() {
        if seen.iter().any(|known| known.name == shape.name) {
            continue;
        }
        seen.push(shape);
        for key in shape.keys() {
            tables(&key.value, &mut left);
        }
        if let Some(rest) = &shape.rest {
            tables(rest.value, &mut left);
        }
        if !beside.iter().all(|name| shape.has(name)) {
            continue;
        }
        for key in shape.keys().filter(|key| !beside.contains(&key.name)) {
            let Some(item) = within(&key.value) else { continue };
            let known = inside.iter().filter(|name| item.has(name)).count();
            // Keys of the author's choice say little, but for a list that must be there.
            let known = known + usize::from(item.rest.is_some() && key.needed && !beside.is_empty());
            // Of two that fit as well neither is told.
            match best {
                Some((most, name)) if known == most && name != key.name => best = Some((most, "")),
                Some((most, _)) if known <= most => {}
                _ if known > 0 => best = Some((known, key.name)),
                _ => {}
            }
        }
    }
    best.map(|(_, name)| name).filter(|name| !name.is_empty())
}

/// The table that the items of a list are.
fn items(value: &'static Value) -> Option<&'static Shape> {
    match value {
        Value::List(Value::Table(item)) | Value::Some(Value::Table(item)) => Some(item),
        Value::Either(ways) => ways.iter().find_map(items),
        _ => None,
    }
}

/// The tables that may stand in a value.
fn tables(value: &'static Value, into: &mut Vec<&'static Shape>) {
    match value {
        Value::Table(shape) => into.push(shape),
        Value::Names(rest) => tables(rest.value, into),
        Value::List(item) | Value::Some(item) | Value::OneOrMany(item) => tables(item, into),
        Value::Either(ways) => ways.iter().for_each(|way| tables(way, into)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{list_key, table_key};

    #[test]
    fn keys_that_are_missing() {
        let class = ["id", "name", "title", "owner", "doc"];
        assert_eq!(list_key(&class, &["event", "any", "examples"]), Some("trigger"));
        assert_eq!(list_key(&class, &["set", "call", "with"]), Some("do"));
        assert_eq!(list_key(&class, &["on", "when", "do"]), Some("settle"));
        assert_eq!(list_key(&["scenario", "covers"], &["user", "expect"]), Some("turns"));
        assert_eq!(list_key(&[], &["scenario", "turns"]), Some("scenarios"));
        assert_eq!(list_key(&["event"], &["phrase"]), Some("any"));
        assert_eq!(list_key(&["colour"], &["phrase"]), None);
        assert_eq!(list_key(&["scenario"], &["user"]), Some("turns"));
        assert_eq!(list_key(&class, &["lamp"]), Some("never"));
        assert_eq!(table_key(&class, &["depth", "keep"]), Some("carryover"));
        assert_eq!(table_key(&["calls"], &["transition", "answer_mode"]), Some("expect"));
        assert_eq!(table_key(&class, &["colour"]), None);
    }
}
