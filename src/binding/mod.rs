//! Who serves the ports of packs: `[chat.PACK.PORT]` in `segue.toml`.

use crate::diag::{Code, Diagnostic, Diagnostics, listed, quoted, suggest};
use crate::language;
use crate::registry::Registry;
use crate::source::Span;
use crate::syntax::Field;

/// After how many seconds a call has timed out, where it is not said.
const TIMEOUT: u64 = 30;

/// All bindings of a workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bindings(Vec<Bound>);

/// A port that is bound.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Bound {
    pack: (String, Span),
    port: (String, Span),
    by: By,
}

/// Who serves a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// Whoever chats.
    Human,
    /// A file of outcomes, relative to the workspace.
    Script(String),
    /// A program, run for each call.
    Command(Command),
}

/// A program that serves a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// After how many seconds a call has timed out.
    pub timeout: u64,
}

impl Bindings {
    /// Reads the table under `chat`. What is wrong with it goes to the sink of the field.
    #[must_use]
    pub fn read(field: Field<'_>) -> Self {
        let mut all = Vec::new();
        for (pack, ports) in field.entries().into_iter().flatten() {
            for (port, field) in ports.entries().into_iter().flatten() {
                let Some(by) = binding(field) else { continue };
                let (pack, port) = ((pack.key.clone(), pack.key_span), (port.key.clone(), port.key_span));
                all.push(Bound { pack, port, by });
            }
        }
        Self(all)
    }

    /// The packs whose ports are bound, with the first place of each.
    #[must_use]
    pub fn packs(&self) -> Vec<(&str, Span)> {
        let mut packs: Vec<(&str, Span)> = Vec::new();
        for bound in &self.0 {
            if !packs.iter().any(|(name, _)| *name == bound.pack.0) {
                packs.push((&bound.pack.0, bound.pack.1));
            }
        }
        packs
    }

    /// For each port of a pack who serves it, where that is said.
    #[must_use]
    pub fn of(&self, pack_name: &str, registry: &Registry, out: &Diagnostics) -> Vec<Option<By>> {
        let pack = registry.pack();
        let mut served = vec![None; pack.ports.len()];
        for bound in self.0.iter().filter(|bound| bound.pack.0 == pack_name) {
            let (name, span) = &bound.port;
            let Some(port) = pack.port(name) else {
                let names: Vec<&str> = pack.ports.iter().map(|port| pack.names.text(port.name)).collect();
                let found =
                    Diagnostic::error(Code::UnknownName, *span, format!("{} is no port of this pack", quoted(name)));
                out.push(found.help(match suggest(name, names.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("ports are {}", listed(&names)),
                }));
                continue;
            };
            if !pack.ports[port.index()].replies {
                let message = format!("no outcome comes from the port {}", quoted(name));
                out.push(Diagnostic::error(Code::NoReply, *span, message).help("remove the table: nobody serves it"));
                continue;
            }
            served[port.index()] = Some(bound.by.clone());
        }
        served
    }
}

fn binding(field: Field<'_>) -> Option<By> {
    let reader = field.table(&language::BINDING)?;
    let out = reader.out();
    let human = reader.optional("human");
    let script = reader.optional("script");
    let command = reader.optional("command");
    let timeout = reader.optional("timeout");
    let forms: Vec<(&str, Field<'_>)> = [("human", human), ("script", script), ("command", command)]
        .into_iter()
        .filter_map(|(key, field)| Some((key, field?)))
        .collect();
    let known = out.len();
    reader.finish();
    let (form, field) = match forms.as_slice() {
        [one] => *one,
        [] => {
            if out.len() == known {
                let found = Diagnostic::error(Code::MissingKey, field.span(), "it is not said who serves the port");
                out.push(found.help("write `human = true`, `script = \"FILE\"` or `command = [\"PROGRAM\"]`"));
            }
            return None;
        }
        [(first, _), (second, field), ..] => {
            let message = format!("`{first}` and `{second}` both say who serves the port");
            out.push(Diagnostic::error(Code::OneOfSeveral, field.span(), message).help("keep one of the two"));
            return None;
        }
    };
    if let Some(beside) = timeout.filter(|_| !language::BINDING.names_in(|key| key == form).contains(&"timeout")) {
        let message = format!("`timeout` means nothing beside `{form}`");
        out.push(Diagnostic::error(Code::OutOfPlace, beside.span(), message).help("remove it"));
    }
    let timeout = match timeout {
        Some(field) => seconds(field)?,
        None => TIMEOUT,
    };
    match form {
        "human" => match field.bool()? {
            true => Some(By::Human),
            false => field.bad("somebody serves the port", "write `human = true`, or another form"),
        },
        "script" => field.word().map(|file| By::Script(file.to_owned())),
        _ => {
            let words: Vec<String> = field.texts()?.into_iter().map(str::to_owned).collect();
            match words.first() {
                Some(program) if !program.trim().is_empty() => Some(By::Command(Command { words, timeout })),
                _ => field.bad("no program is named", "write one, such as `command = [\"python3\", \"port.py\"]`"),
            }
        }
    }
}

fn seconds(field: Field<'_>) -> Option<u64> {
    let within = field.int()?;
    match u64::try_from(within) {
        Ok(seconds @ 1..=3600) => Some(seconds),
        _ => field.refused(Code::OutOfRange, format!("{within} is no timeout"), "write seconds, 1 to 3600"),
    }
}
