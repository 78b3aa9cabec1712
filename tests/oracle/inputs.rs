//! Inputs as one candidate sees them: what its trigger sets, partial values completed, signals derived.

use std::collections::BTreeMap;

use segue::model::class::Fate;
use segue::model::cond::{Operand, Path};
use segue::model::ids::{ClassId, FrameSet, InputId, Slot};
use segue::model::json::{parse_text, set_of};
use segue::model::schema::Type;
use segue::model::value::Value;
use segue::model::walk::slot_of;
use segue::model::{Component, Derivation, Pack};

use super::carry::may_read;
use super::recognise::{Given, Said, complete};
use super::view::{Inputs, View};
use super::{Facts, Fields};

/// Where a candidate stands.
#[derive(Clone, Copy)]
pub struct Stand<'a> {
    pub pack: &'a Pack,
    pub facts: &'a Facts,
    pub state: &'a Fields,
    pub class: ClassId,
    /// What the class carries under the gate.
    pub frames: FrameSet,
}

/// The inputs of a candidate. `sets` and `tag` come from the alternative that matched.
pub fn of_candidate(stand: &Stand<'_>, given: &Given, tag: Option<Value>, sets: &[(InputId, Value)]) -> Inputs {
    let pack = stand.pack;
    let mut inputs = Inputs {
        values: given.values.clone(),
        ambiguous: BTreeMap::new(),
        partial: given.partial.keys().map(|input| (*input, true)).collect(),
    };
    if let (Some(tag), Some(input)) = (tag, pack.input("tag")) {
        inputs.values.insert(input, tag);
    }
    for (input, value) in sets {
        let said = given.said.contains(input) || given.values.contains_key(input);
        if !said {
            inputs.values.entry(*input).or_insert_with(|| value.clone());
        }
    }
    for (input, said) in &given.partial {
        let ty = &pack.inputs[input.index()].ty;
        if let Some(value) = meant(stand, &inputs, *input, ty, said) {
            inputs.values.insert(*input, value);
        }
    }
    for (input, said) in &given.ambiguous {
        let ty = &pack.inputs[input.index()].ty;
        let mut values: Vec<Value> = Vec::new();
        for value in said.iter().filter_map(|said| meant(stand, &inputs, *input, ty, said)) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        inputs.ambiguous.insert(*input, values);
    }
    for derived in &pack.derived {
        let ty = &pack.inputs[derived.input.index()].ty;
        let value = derive(stand, &inputs, &derived.rule, ty);
        if value.is_present() {
            inputs.values.insert(derived.input, value);
        }
    }
    inputs
}

/// A path as a derivation or a completion reads it: what the class may not read is absent.
pub fn source(stand: &Stand<'_>, inputs: &Inputs, path: &Path) -> Value {
    let readable = |slot: Slot| {
        let frame = stand.pack.slots[slot.index()].frame;
        let mut fates = stand.pack.classes[stand.class.index()].fate.iter();
        let may_use = fates.find(|(decided, _)| *decided == frame).is_none_or(|(_, fate)| *fate == Fate::Use);
        may_use && may_read(stand.pack, stand.class, stand.frames, slot)
    };
    if slot_of(path).is_some_and(|slot| !readable(slot)) {
        return Value::Absent;
    }
    view(stand, inputs).get(path)
}

/// The event and the state as a candidate's guard sees them.
pub fn view<'a>(stand: &Stand<'a>, inputs: &'a Inputs) -> View<'a> {
    View {
        pack: stand.pack,
        facts: stand.facts,
        now: stand.state,
        before: stand.state,
        inputs: Some(inputs),
        outcome: None,
        reason: None,
        answer: None,
        calls: &[],
        request: &[],
        entry: None,
    }
}

/// What was said as a value, completed where it has to be.
fn meant(stand: &Stand<'_>, inputs: &Inputs, input: InputId, ty: &Type, said: &Said) -> Option<Value> {
    match said {
        Said::Whole(value) => Some(value.clone()),
        Said::Partial(pieces) => completed(stand, inputs, input, ty, pieces),
    }
}

fn completed(
    stand: &Stand<'_>,
    inputs: &Inputs,
    input: InputId,
    ty: &Type,
    pieces: &[Result<String, usize>],
) -> Option<Value> {
    let filled: Vec<Result<String, usize>> = pieces
        .iter()
        .map(|piece| match piece {
            Ok(text) => Ok(text.clone()),
            Err(part) => component(stand, inputs, input, *part).ok_or(*part),
        })
        .collect();
    parse_text(stand.pack, ty, &complete(&filled)?)
}

fn component(stand: &Stand<'_>, inputs: &Inputs, input: InputId, part: usize) -> Option<String> {
    let pack = stand.pack;
    let completion = pack.completions.iter().find(|completion| completion.input == input && completion.part == part)?;
    let period = completion.from.iter().find_map(|path| match source(stand, inputs, path) {
        Value::Period(period) => Some(period),
        _ => None,
    })?;
    let (_, last) = period.interval(stand.facts.today, &pack.relative)?;
    Some(match completion.component {
        Component::Year => format!("{:04}", last.year()),
        Component::Month => format!("{:02}", last.month()),
    })
}

fn derive(stand: &Stand<'_>, inputs: &Inputs, rule: &Derivation, ty: &Type) -> Value {
    match rule {
        Derivation::Lookup { table, wher } => {
            let wanted: Vec<(Option<usize>, Value)> = wher
                .iter()
                .map(|(column, operand)| {
                    let value = match operand {
                        Operand::Value(value) => value.clone(),
                        Operand::Path(path) => source(stand, inputs, path),
                    };
                    (*column, value)
                })
                .collect();
            let rows = &stand.pack.tables[table.index()].rows;
            let mut fitting = rows.iter().filter(|row| {
                wanted.iter().all(|(column, value)| {
                    let cell = column.map_or(Value::Sym(row.key), |column| row.cells[column].clone());
                    value.is_present() && cell == *value
                })
            });
            match (fitting.next(), fitting.next()) {
                (Some(row), None) => Value::Sym(row.key),
                _ => Value::Absent,
            }
        }
        Derivation::Members { of, at, maps, lacking } => {
            let Value::List(members) = source(stand, inputs, of) else { return Value::Absent };
            let there = |member: &Value| {
                let places = at.iter().filter(|(name, _)| name == member).flat_map(|(_, paths)| paths);
                let mut places = places.map(|path| source(stand, inputs, path));
                places.any(|value| value.is_present())
                    || maps.iter().any(|path| match source(stand, inputs, path) {
                        Value::Map(entries) => entries.iter().any(|(key, _)| key == member),
                        _ => false,
                    })
            };
            let found: Vec<Value> = members.iter().filter(|member| there(member) != *lacking).cloned().collect();
            Value::List(if matches!(ty, Type::Set { .. }) { set_of(found) } else { found }.into())
        }
        Derivation::FirstOf(paths) => {
            let mut values = paths.iter().map(|path| source(stand, inputs, path));
            values.find(Value::is_present).unwrap_or_default()
        }
    }
}
