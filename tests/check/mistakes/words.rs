//! Words that the pack declares and a condition or an effect gets wrong: values of enums, keys of tables, answer modes.

use segue::model::Pack;
use segue::model::schema::Type;

use super::body::{Doc, Site};
use super::edit::Mistake;
use super::pack::{CONDITIONS, EFFECTS, appended, under};

/// A word in a condition or an effect, by what it is a value of.
pub fn wrong(pack: &Pack, doc: &Doc, site: &Site, all: &mut Vec<Mistake>) {
    if site.text().is_none_or(|text| text.starts_with(['$', '%'])) {
        return;
    }
    let condition = under(doc, site, CONDITIONS).is_some();
    if !condition && under(doc, site, EFFECTS).is_none() {
        return;
    }
    let path: Vec<&str> =
        site.path.iter().map(String::as_str).filter(|piece| !["[]", "not", "in"].contains(piece)).collect();
    let kind = match (path.as_slice(), condition) {
        ([.., "answer", "mode"], true) => "wrong answer mode in a condition",
        // The value that a row of a table has is of the type of its column.
        ([.., frame, field], _) => match type_of(pack, frame, field) {
            Some(Type::Enum(_)) if condition => "wrong enum value in a condition",
            Some(Type::Enum(_)) => "wrong enum value in an effect",
            Some(Type::Key(_)) => "wrong key of a table",
            _ => return,
        },
        _ => return,
    };
    if let Some((at, to)) = appended(doc, site, "zz") {
        all.push(Mistake::new(kind, at, to).coded(&["unknown-value", "unknown-name"]));
    }
}

/// The type of a field of a frame, of what is read of a turn, or of an argument of a call.
fn type_of<'p>(pack: &'p Pack, around: &str, name: &str) -> Option<&'p Type> {
    if around == "input" {
        return pack.input(name).map(|input| &pack.inputs[input.index()].ty);
    }
    if around == "with" {
        let ports = pack.ports.iter().flat_map(|port| &port.request);
        return ports.into_iter().find(|argument| pack.names.text(argument.name) == name).map(|argument| &argument.ty);
    }
    let frame = pack.frame(around)?;
    pack.field(frame, name).map(|slot| &pack.slots[slot.index()].ty)
}
