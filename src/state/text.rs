//! What is written of a session, as text: its saved form, which is that of [`SessionState::to_json`], and its messages, without a tree in
//! between. What a session has written before and still holds is not written out again.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::model::ids::{FrameId, RecordId};
use crate::model::json::{to_json, to_wire};
use crate::model::names::{Names, Sym};
use crate::model::schema::{NamedType, Type};
use crate::model::value::{RecordValue, Value};
use crate::model::{Pack, WhileOpen};

use super::saved::{SCHEMA_VERSION, call_json, saved_instances, written_name};
use super::{Held, SessionState, Turn, uses};

/// The texts of the records that a session holds.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// By the address of the record.
    known: BTreeMap<usize, Known>,
    /// How long the saved form was.
    length: usize,
}

#[derive(Debug)]
struct Known {
    /// The record is held here so that no other comes to lie there.
    held: Arc<RecordValue>,
    /// As it is saved.
    saved: Option<Box<str>>,
    /// As it passes to the host, by the address of the pack and the type.
    sent: Vec<(usize, RecordId, Box<str>)>,
}

impl Texts {
    /// The saved form of a state.
    pub fn of(&mut self, pack: &Pack, state: &SessionState) -> String {
        // What nothing else holds will not be written again.
        self.known.retain(|_, known| Arc::strong_count(&known.held) > 1);
        let mut out = String::with_capacity(self.length + self.length / 4 + 1024);
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
        self.length = out.len();
        out
    }

    /// A message as the host gets it: `{"message", "with"}`. `declared`: its fields.
    pub fn message(&mut self, pack: &Pack, name: &str, declared: &[NamedType], values: &[(Sym, Value)]) -> String {
        let mut out = String::with_capacity(256);
        out.push('{');
        key(&mut out, false, "message");
        string(&mut out, name);
        key(&mut out, true, "with");
        out.push('{');
        for (place, (name, value)) in values.iter().enumerate() {
            match declared.iter().find(|field| field.name == *name) {
                Some(field) => {
                    key(&mut out, place > 0, pack.names.text(field.wire));
                    self.wire(&mut out, pack, &field.ty, value);
                }
                None => {
                    key(&mut out, place > 0, pack.names.text(*name));
                    self.value(&mut out, &pack.names, value);
                }
            }
        }
        out.push_str("}}");
        out
    }

    /// The state of one pack, but for the brace at the end.
    fn bare(&mut self, out: &mut String, pack: &Pack, state: &SessionState) {
        let _ = write!(out, "{{\"schema_version\":{SCHEMA_VERSION},\"pack\":");
        string(out, pack.names.text(pack.id));
        out.push_str(",\"fingerprint\":");
        string(out, &pack.fingerprint);
        let _ = write!(out, ",\"revision\":{}", state.revision);
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
        out.push_str("{\"id\":");
        string(out, &turn.id);
        out.push_str(",\"selected\":");
        string(out, pack.names.text(pack.classes[turn.selected.index()].id));
        let _ = write!(out, ",\"steps\":{}", turn.steps);
        if let Some(before) = &turn.before {
            out.push_str(",\"before\":");
            self.aggregate(out, pack, before);
        }
        out.push_str(",\"calls\":[");
        for (place, call) in turn.calls.iter().enumerate() {
            out.push_str(if place > 0 { "," } else { "" });
            out.push_str(&call_json(pack, call).to_string());
        }
        out.push_str("],\"written\":[");
        for (place, slot) in turn.written.iter().enumerate() {
            out.push_str(if place > 0 { "," } else { "" });
            string(out, &written_name(pack, slot).concat());
        }
        out.push_str("],\"decided\":[");
        for (place, frame) in turn.decided.iter().enumerate() {
            out.push_str(if place > 0 { "," } else { "" });
            string(out, pack.names.text(pack.frames[frame.index()].name));
        }
        out.push_str("]}");
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
                let saved = &mut self.known_of(record).saved;
                out.push_str(saved.get_or_insert_with(|| to_json(names, value).to_string().into()));
            }
            Value::Sym(sym) => string(out, names.text(*sym)),
            Value::Text(text) => string(out, text),
            Value::Instant(text) => string(out, text),
            Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            // A text takes all that is written.
            Value::Int(number) => _ = write!(out, "{number}"),
            _ => out.push_str(&to_json(names, value).to_string()),
        }
    }

    /// A value of a type as it passes to the host.
    fn wire(&mut self, out: &mut String, pack: &Pack, ty: &Type, value: &Value) {
        match (ty, value) {
            (Type::List { of, .. } | Type::Set { of, .. }, Value::List(items)) => {
                out.push('[');
                for (place, item) in items.iter().enumerate() {
                    out.push_str(if place > 0 { "," } else { "" });
                    self.wire(out, pack, of, item);
                }
                out.push(']');
            }
            (Type::Record(id), Value::Record(record)) => {
                let (at, sent) = (std::ptr::from_ref(pack).addr(), &mut self.known_of(record).sent);
                if let Some((.., text)) = sent.iter().find(|(pack, ty, _)| (*pack, *ty) == (at, *id)) {
                    return out.push_str(text);
                }
                let text = to_wire(pack, ty, value).to_string();
                out.push_str(&text);
                sent.push((at, *id, text.into()));
            }
            (Type::Map { .. }, _) => out.push_str(&to_wire(pack, ty, value).to_string()),
            _ => self.value(out, &pack.names, value),
        }
    }

    fn known_of(&mut self, record: &Arc<RecordValue>) -> &mut Known {
        let new = || Known { held: Arc::clone(record), saved: None, sent: Vec::new() };
        self.known.entry(Arc::as_ptr(record).addr()).or_insert_with(new)
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
