//! A situation in words: what happens, and what the state holds beyond its defaults.

use crate::engine::Event;
use crate::model::json::to_json;
use crate::model::value::Value;
use crate::registry::Registry;

use super::situation::Situation;

/// A situation in words.
#[must_use]
pub fn show(registry: &Registry, situation: &Situation) -> String {
    let pack = registry.pack();
    let json = |value: &Value| to_json(&pack.names, value).to_string();
    let mut text = match &situation.event {
        Event::Input { event, fields } => {
            let declared = &pack.events[event.index()];
            let said = fields.iter().find(|(input, _)| declared.text == Some(*input));
            let mut text = format!("`{}`", pack.names.text(declared.turn));
            if let Some((_, Value::Text(said))) = said {
                text = format!("`{}: {said}`", pack.names.text(declared.turn));
            }
            let given = fields.iter().filter(|(input, _)| declared.text != Some(*input));
            let given: Vec<String> = given
                .map(|(input, value)| format!("{} = {}", pack.names.text(pack.inputs[input.index()].name), json(value)))
                .collect();
            if !given.is_empty() {
                text.push_str(&format!(" with `{}`", given.join(", ")));
            }
            text
        }
        Event::Outcome { status, value, error, .. } => {
            let call = situation.state.open_calls().first();
            let site = call.map_or("", |call| pack.names.text(call.site));
            let class = call.map_or("", |call| pack.names.text(pack.classes[call.class.index()].id));
            let status = pack.names.text(registry.syms.statuses[*status as usize]);
            let mut text = format!("the outcome `{status}` of call `{site}` of `{class}`");
            if let Some(value) = value {
                text.push_str(&format!(" with `{value}`"));
            }
            if let Some(error) = error {
                text.push_str(&format!(" with error `{error}`"));
            }
            for (kept, value) in call.iter().flat_map(|call| &call.kept) {
                text.push_str(&format!(", kept `{} = {}`", pack.names.text(pack.kept[kept.index()].0), json(value)));
            }
            text
        }
    };
    let defaults = pack.defaults();
    let mut held = Vec::new();
    for (at, (value, default)) in situation.state.slots().iter().zip(&defaults).enumerate() {
        if value != default {
            let field = &pack.slots[at];
            let frame = pack.names.text(pack.frames[field.frame.index()].name);
            let shown = if value.is_present() { json(value) } else { "nothing".into() };
            held.push(format!("{frame}.{} = {shown}", pack.names.text(field.name)));
        }
    }
    if held.is_empty() {
        text.push_str(" in a new session");
    } else {
        text.push_str(&format!(" where `{}`", held.join(", ")));
    }
    text
}
