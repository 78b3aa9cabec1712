//! Prompts: texts with `{field}` in them, filled from the arguments of a call.

use std::ops::Range;

use serde_json::Value as Json;

use crate::diag::{Code, Diagnostic, Diagnostics, listed, quoted, suggest};
use crate::engine::CallOut;
use crate::model::Pack;
use crate::model::ids::PortId;
use crate::model::json::{scalar_text, to_wire};
use crate::source::{FileId, Span};

/// A prompt of a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    port: PortId,
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Field(String),
}

impl Prompt {
    /// Reads a prompt. `{field}` is an argument of the port, `{{field}}` is written as `{field}`; any other brace is what it is.
    #[must_use]
    pub fn read(pack: &Pack, port: PortId, file: FileId, text: &str, out: &Diagnostics) -> Option<Self> {
        let place = |at: Range<usize>| Span {
            file,
            start: u32::try_from(at.start).unwrap_or(u32::MAX),
            end: u32::try_from(at.end).unwrap_or(u32::MAX),
        };
        if text.trim().is_empty() {
            let found = Diagnostic::error(Code::SaysNothing, place(0..0), "the prompt is empty");
            out.push(found.help("write what the model is to do"));
            return None;
        }
        let names: Vec<&str> =
            pack.ports[port.index()].request.iter().map(|field| pack.names.text(field.name)).collect();
        let (mut pieces, mut plain, mut at) = (Vec::new(), String::new(), 0);
        let known = out.len();
        while let Some(open) = text[at..].find('{').map(|found| at + found) {
            plain.push_str(&text[at..open]);
            let escaped = text[open..].starts_with("{{");
            let from = if escaped { open + 2 } else { open + 1 };
            let name = word(&text[from..]);
            let close = if escaped { "}}" } else { "}" };
            if name.is_empty() || !text[from + name.len()..].starts_with(close) {
                plain.push('{');
                at = open + 1;
                continue;
            }
            at = from + name.len() + close.len();
            if escaped {
                plain.push_str(&format!("{{{name}}}"));
            } else if names.contains(&name) {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
                pieces.push(Piece::Field(name.to_owned()));
            } else {
                let what = format!("{} is no argument of the port", quoted(name));
                let found = Diagnostic::error(Code::UnknownName, place(open..at), what);
                out.push(found.help(match suggest(name, names.iter().copied()) {
                    Some(near) => format!("did you mean `{{{near}}}`?"),
                    None if names.is_empty() => format!("write `{{{{{name}}}}}` where the text itself is meant"),
                    None => format!("arguments are {}; `{{{{{name}}}}}` is the text itself", listed(&names)),
                }));
            }
        }
        plain.push_str(&text[at..]);
        pieces.push(Piece::Text(plain));
        (out.len() == known).then_some(Self { port, pieces })
    }

    /// The prompt of a call; an argument that is absent is nothing, a collection is its JSON.
    #[must_use]
    pub fn fill(&self, pack: &Pack, call: &CallOut) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(plain) => text.push_str(plain),
                Piece::Field(name) => {
                    let value = call.with.iter().find(|(arg, _)| pack.names.text(*arg) == name);
                    let request = &pack.ports[self.port.index()].request;
                    let of = value.and_then(|value| Some((value, request.iter().find(|arg| arg.name == value.0)?)));
                    if let Some(((_, value), arg)) = of {
                        text.push_str(&match to_wire(pack, &arg.ty, value) {
                            all @ (Json::Array(_) | Json::Object(_)) => all.to_string().into(),
                            _ => scalar_text(&pack.names, value),
                        });
                    }
                }
            }
        }
        text
    }
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-')).unwrap_or(text.len());
    &text[..end]
}
