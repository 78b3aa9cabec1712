//! The saved form of a session as text: that of [`SessionState::to_json`], written without the tree in between. What a session has
//! written before and still holds is not written out again.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::model::ids::FrameId;
use crate::model::json::to_json;
use crate::model::names::Names;
use crate::model::value::{RecordValue, Value};
use crate::model::{Pack, WhileOpen};

use super::saved::{SCHEMA_VERSION, saved_instances, turn_head, turn_rest};
use super::{Held, SessionState, Turn, uses};

/// The texts of the records that a session holds.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// By the address of the record, which is held here so that no other comes to lie there.
    known: BTreeMap<usize, Known>,
    round: u64,
}

#[derive(Debug)]
struct Known {
    _held: Arc<RecordValue>,
    text: Box<str>,
    /// When it was written last.
    round: u64,
}

impl Texts {
    /// The saved form of a state.
    pub fn of(&mut self, pack: &Pack, state: &SessionState) -> String {
        self.round += 1;
        let mut out = String::with_capacity(1024);
        self.bare(&mut out, pack, state);
        if let Some(used) = &state.used {
            out.push_str(",\"uses\":{");
            for (place, (at, state)) in pack.all().skip(1).zip(&used.states).enumerate() {
                key(&mut out, place > 0, pack.name_at(at).unwrap_or_default());
                self.bare(&mut out, pack.at(at), state);
                out.push('}');
            }
            out.push_str("},\"links\":");
            out.push_str(&uses::links_json(pack, used).to_string());
        }
        out.push('}');
        let round = self.round;
        self.known.retain(|_, known| known.round == round);
        out
    }

    /// The state of one pack, but for the brace at the end.
    fn bare(&mut self, out: &mut String, pack: &Pack, state: &SessionState) {
        out.push_str(&format!("{{\"schema_version\":{SCHEMA_VERSION},\"pack\":"));
        string(out, pack.names.text(pack.id));
        out.push_str(",\"fingerprint\":");
        string(out, &pack.fingerprint);
        out.push_str(&format!(",\"revision\":{}", state.revision));
        key(out, true, pack.names.text(pack.aggregate));
        self.aggregate(out, pack, &Held { slots: state.slots.clone(), instances: state.instances.clone() });
        if pack.while_open == WhileOpen::Allow {
            out.push_str(",\"turns\":[");
            for (place, turn) in state.turns.iter().enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                self.turn(out, pack, turn);
            }
            out.push(']');
        } else if let Some(turn) = state.turns.first() {
            out.push_str(",\"turn\":");
            self.turn(out, pack, turn);
        }
    }

    fn turn(&mut self, out: &mut String, pack: &Pack, turn: &Turn) {
        out.push('{');
        members(out, false, &turn_head(pack, turn));
        if let Some(before) = &turn.before {
            out.push_str(",\"before\":");
            self.aggregate(out, pack, before);
        }
        members(out, true, &turn_rest(pack, turn));
        out.push('}');
    }

    fn aggregate(&mut self, out: &mut String, pack: &Pack, held: &Held) {
        out.push('{');
        for (place, owner) in pack.owners.iter().enumerate() {
            key(out, place > 0, pack.names.text(*owner));
            out.push('{');
            let mut more = false;
            for (index, frame) in pack.frames.iter().enumerate().filter(|(_, frame)| frame.owner == *owner) {
                let inline = frame.seed == *owner;
                if !inline {
                    key(out, more, pack.names.text(frame.seed));
                    out.push('{');
                }
                let behind = inline && more;
                let written = match &frame.keyed {
                    Some(keyed) => match saved_instances(pack, keyed, &held.instances) {
                        Json::Object(lists) => members(out, behind, &lists),
                        _ => false,
                    },
                    None => self.frame(out, pack, held, FrameId::at(index), behind),
                };
                if !inline {
                    out.push('}');
                }
                more |= written || !inline;
            }
            out.push('}');
        }
        out.push('}');
    }

    /// The fields of a frame; whether there are any.
    fn frame(&mut self, out: &mut String, pack: &Pack, held: &Held, frame: FrameId, behind: bool) -> bool {
        let mut more = behind;
        for slot in pack.frames[frame.index()].fields() {
            let value = &held.slots[slot.index()];
            if value.is_present() {
                key(out, more, pack.names.text(pack.slots[slot.index()].name));
                self.value(out, &pack.names, value);
                more = true;
            }
        }
        more
    }

    fn value(&mut self, out: &mut String, names: &Names, value: &Value) {
        match value {
            Value::List(items) => {
                out.push('[');
                for (place, item) in items.iter().enumerate() {
                    out.push_str(if place > 0 { "," } else { "" });
                    self.value(out, names, item);
                }
                out.push(']');
            }
            Value::Record(record) => {
                let address = Arc::as_ptr(record).addr();
                let round = self.round;
                let known = self.known.entry(address).or_insert_with(|| Known {
                    _held: record.clone(),
                    text: to_json(names, value).to_string().into(),
                    round,
                });
                known.round = round;
                out.push_str(&known.text);
            }
            Value::Sym(sym) => string(out, names.text(*sym)),
            Value::Text(text) => string(out, text),
            Value::Instant(text) => string(out, text),
            Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Value::Int(number) => out.push_str(&number.to_string()),
            _ => out.push_str(&to_json(names, value).to_string()),
        }
    }
}

/// A key, behind another member or not.
fn key(out: &mut String, behind: bool, name: &str) {
    out.push_str(if behind { "," } else { "" });
    string(out, name);
    out.push(':');
}

/// Members of an object; whether there are any, here or before.
fn members(out: &mut String, behind: bool, of: &Map<String, Json>) -> bool {
    let mut more = behind;
    for (name, value) in of {
        key(out, more, name);
        out.push_str(&value.to_string());
        more = true;
    }
    more
}

/// A JSON string. Most texts hold nothing that is escaped.
fn string(out: &mut String, text: &str) {
    if text.bytes().all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        out.push_str(&Json::from(text).to_string());
    }
}
