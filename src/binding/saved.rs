//! Ports that are served by what is kept of the session: `store = …`.

use crate::check::fits;
use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean, listed, quoted, suggest};
use crate::model::Pack;
use crate::model::ids::{FrameId, PortId, Slot};
use crate::model::json::{describe, to_wire};
use crate::model::names::Sym;
use crate::model::value::Value;
use crate::source::Span;
use crate::state::SessionState;
use crate::syntax::{Field, Kind};

use serde_json::{Map, Value as Json};

use super::By;

/// An answer that is read from what was last written of the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// As it is said: a field of the answer, and a field of a frame.
    said: Vec<(Name, Name)>,
    /// Once the pack is known: the wire name of the field, and the field of the frame.
    fields: Vec<(Sym, Slot)>,
}

type Name = (String, Span);

/// `store = "context"`, or `store = { FIELD = "frame.field" }`.
pub(super) fn read(field: Field<'_>) -> Option<By> {
    if !matches!(field.node.kind, Kind::Table(_)) {
        return field.one_of(&[("context", By::Context)]);
    }
    let before = field.entries()?.len();
    let said: Vec<(Name, Name)> = field
        .entries()?
        .filter_map(|(entry, path)| {
            let name = (entry.key.to_string(), entry.key_span);
            Some((name, (path.word()?.to_owned(), path.span())))
        })
        .collect();
    (said.len() == before).then_some(By::Saved(Saved { said, fields: Vec::new() }))
}

/// The field of a frame.
fn slot(pack: &Pack, path: &str, place: Span, out: &Diagnostics) -> Option<Slot> {
    let refused = |message: String, help: String| {
        out.push(Diagnostic::error(Code::UnknownName, place, message).help(help));
        None
    };
    let Some((frame, field)) = path.split_once('.') else {
        return refused(format!("{} is no field of a frame", quoted(path)), "write `\"frame.field\"`".to_owned());
    };
    let plain = |frame: &FrameId| pack.frames[frame.index()].keyed.is_none();
    let Some(of) = pack.frame(frame).filter(plain) else {
        let frames = (0..pack.frames.len()).map(FrameId::at).filter(plain);
        let names: Vec<&str> = frames.map(|frame| pack.names.text(pack.frames[frame.index()].name)).collect();
        let help = match suggest(frame, names.iter().copied()) {
            Some(near) => did_you_mean(frame, near),
            None => format!("frames are {}", listed(&names)),
        };
        return match pack.frame(frame) {
            Some(_) => refused(format!("{} is a frame of instances, and none is meant here", quoted(frame)), help),
            None => refused(format!("{} is no frame of this pack", quoted(frame)), help),
        };
    };
    let Some(slot) = pack.field(of, field) else {
        let names: Vec<&str> =
            pack.frames[of.index()].fields().map(|slot| pack.names.text(pack.slots[slot.index()].name)).collect();
        let message = format!("{} is no field of the frame {}", quoted(field), quoted(frame));
        return refused(
            message,
            match suggest(field, names.iter().copied()) {
                Some(near) => did_you_mean(field, near),
                None => format!("its fields are {}", listed(&names)),
            },
        );
    };
    Some(slot)
}

impl Saved {
    /// Looks its names up in a pack. `place` is where it is written; what is wrong goes to `out`.
    pub(super) fn find(&mut self, pack: &Pack, port: PortId, place: Span, out: &Diagnostics) {
        let answer = pack.ports[port.index()].answer(pack);
        // Fields that are there under a name which is nearly theirs.
        let mut meant: Vec<&str> = Vec::new();
        for ((name, at), (path, place)) in &self.said {
            let declared = answer.iter().find(|field| pack.names.text(field.name) == name);
            let slot = slot(pack, path, *place, out);
            let Some(declared) = declared else {
                let names: Vec<&str> = answer.iter().map(|field| pack.names.text(field.name)).collect();
                let message = format!("{} is no field of the answer of this port", quoted(name));
                out.push(Diagnostic::error(Code::UnknownName, *at, message).help(
                    match suggest(name, names.iter().copied()) {
                        Some(near) => {
                            meant.push(near);
                            did_you_mean(name, near)
                        }
                        None => format!("its fields are {}", listed(&names)),
                    },
                ));
                continue;
            };
            let Some(slot) = slot else { continue };
            let ty = &pack.slots[slot.index()].ty;
            if !fits(pack, ty, pack, &declared.ty) {
                let message = format!(
                    "{} is {}, and {} is {}",
                    quoted(path),
                    describe(pack, ty),
                    quoted(name),
                    describe(pack, &declared.ty)
                );
                out.push(Diagnostic::error(Code::WrongType, *place, message).help("name a field of the same type"));
            }
            self.fields.push((declared.wire, slot));
        }
        let given = |name: &str| self.said.iter().any(|(field, _)| field.0 == name);
        for field in answer.iter().filter(|field| !field.optional && field.default.is_none()) {
            let name = pack.names.text(field.name);
            if !given(name) && !meant.contains(&name) {
                let message = format!("the answer of this port lacks its field {}", quoted(name));
                out.push(
                    Diagnostic::error(Code::MissingKey, place, message).help(format!("add `{name} = \"frame.field\"`")),
                );
            }
        }
    }

    /// The answer, of the state of the pack.
    #[must_use]
    pub fn answer(&self, pack: &Pack, state: &SessionState) -> Json {
        let mut answer = Map::new();
        for (wire, slot) in &self.fields {
            let value = state.get(*slot);
            if *value != Value::Absent {
                let json = to_wire(pack, &pack.slots[slot.index()].ty, value);
                answer.insert(pack.names.text(*wire).to_owned(), json);
            }
        }
        Json::Object(answer)
    }
}
