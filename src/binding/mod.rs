//! Who serves the ports of packs: `[chat.PACK.PORT]` in `segue.toml`; and what becomes of their sessions: `[session.PACK]`.

mod answer;
mod openai;
mod prompt;
mod saved;
mod session;

use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean, listed, quoted, suggest};
use crate::language;
use crate::registry::Registry;
use crate::source::Span;
use crate::syntax::{Field, Reader};

pub use answer::{AnswerSchema, of_port, schema};
pub use openai::{Asked, Lost, Model, OpenAi, Post, Response, Wire};
pub use prompt::Prompt;
pub use saved::Saved;
pub use session::{Session, Sessions, Unwritten};

/// After how many seconds a call has timed out, where it is not said.
const TIMEOUT: u64 = 30;
/// How often a model is asked again, where it is not said.
const RETRIES: u32 = 2;

/// All bindings of a workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bindings(Vec<Bound>);

/// A port that is bound.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Bound {
    pack: (String, Span),
    port: (String, Span),
    /// Who serves it, and what names that; `None` where it cannot be told.
    by: Option<(By, Span)>,
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
    /// Nobody: the arguments of a call are put into the context of the session.
    Context,
    /// What was last written of the session: fields of frames are the answer.
    Saved(Saved),
    /// A language model behind an endpoint.
    OpenAi {
        /// The model.
        of: OpenAi,
        /// Its prompts by name, each with the place where it is named.
        prompts: Vec<(String, Span)>,
    },
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
                let by = binding(field);
                let (pack, port) = ((pack.key.to_string(), pack.key_span), (port.key.to_string(), port.key_span));
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

    /// The files of outcomes, with the places that name them.
    pub fn scripts(&self) -> impl Iterator<Item = (&str, Span)> {
        self.0.iter().filter_map(|bound| match &bound.by {
            Some((By::Script(file), at)) => Some((file.as_str(), *at)),
            _ => None,
        })
    }

    /// For each port of a pack, and of those that it uses (`gate/port`), who serves it, where that is said.
    #[must_use]
    pub fn of(&self, pack_name: &str, registry: &Registry, out: &Diagnostics) -> Vec<Vec<Option<By>>> {
        let all = registry.pack();
        let mut served: Vec<Vec<Option<By>>> = all.all().map(|at| vec![None; all.at(at).ports.len()]).collect();
        for bound in self.0.iter().filter(|bound| bound.pack.0 == pack_name) {
            let (name, span) = &bound.port;
            let (at, own) = all.split(name);
            let pack = all.at(at);
            let Some(port) = pack.port(own) else {
                let names = all.all().flat_map(|at| {
                    let of = all.at(at);
                    of.ports.iter().map(move |port| all.qualified(at, of.names.text(port.name)))
                });
                let names: Vec<String> = names.collect();
                let found =
                    Diagnostic::error(Code::UnknownName, *span, format!("{} is no port of this pack", quoted(name)));
                out.push(found.help(match suggest(name, names.iter().map(String::as_str)) {
                    Some(near) => did_you_mean(name, near),
                    None => format!("ports are {}", listed(&names)),
                }));
                continue;
            };
            let replies = pack.ports[port.index()].replies;
            match &bound.by {
                Some((By::Context, at)) if replies => {
                    let message = format!("an outcome is due from the port {}, and a context gives none", quoted(name));
                    let help = "write `store = { FIELD = \"frame.field\" }` for what the answer is";
                    out.push(Diagnostic::error(Code::BadValue, *at, message).help(help));
                    continue;
                }
                Some((By::Context, _)) => {}
                Some(_) if !replies => {
                    let message = format!("no outcome comes from the port {}", quoted(name));
                    let help = "remove the table: nobody serves it; `store = \"context\"` keeps what it is told";
                    out.push(Diagnostic::error(Code::NoReply, *span, message).help(help));
                    continue;
                }
                _ => {}
            }
            if let Some(serve) = all.served(at, port) {
                let by = all.name_at(serve.by).unwrap_or_default();
                let message = format!("the port {} is served by the used pack {}", quoted(name), quoted(by));
                out.push(
                    Diagnostic::error(Code::BadValue, *span, message).help("remove the table: nobody else serves it"),
                );
                continue;
            }
            let mut by = bound.by.clone();
            if let Some((By::Saved(saved), place)) = &mut by {
                saved.find(pack, port, *place, out);
            }
            served[at.index()][port.index()] = by.map(|(by, _)| by);
        }
        served
    }
}

/// What stands in the table of a binding.
struct Written<'a> {
    forms: Vec<(&'static str, Field<'a>)>,
    beside: Vec<(&'static str, Field<'a>)>,
}

impl<'a> Written<'a> {
    fn of(reader: &Reader<'a>) -> Self {
        let of = |keys: &[&'static str]| keys.iter().filter_map(|key| Some((*key, reader.optional(key)?))).collect();
        Self {
            forms: of(&["human", "script", "command", "store", "openai"]),
            beside: of(&["timeout", "model", "key", "prompt", "system", "retries"]),
        }
    }

    fn beside(&self, name: &str) -> Option<Field<'a>> {
        self.beside.iter().find(|(key, _)| *key == name).map(|(_, field)| *field)
    }
}

/// Who serves a port, and what names it. Everything in the table is judged, whatever else in it is wrong.
fn binding(field: Field<'_>) -> Option<(By, Span)> {
    let reader = field.table(&language::BINDING)?;
    let out = reader.out();
    let written = Written::of(&reader);
    let known = out.len();
    reader.finish();
    let (form, main) = match written.forms.as_slice() {
        [one] => *one,
        [] => {
            if out.len() == known {
                let found = Diagnostic::error(Code::MissingKey, field.span(), "it is not said who serves the port");
                let help = "write `human = true`, `script = \"FILE\"`, `command = [\"PROGRAM\"]`, `store = …` or `openai = \"URL\"`";
                out.push(found.help(help));
            }
            return None;
        }
        [(first, _), (second, field), ..] => {
            let message = format!("`{first}` and `{second}` both say who serves the port");
            out.push(Diagnostic::error(Code::OneOfSeveral, field.span(), message).help("keep one of the two"));
            return None;
        }
    };
    for (key, beside) in &written.beside {
        if !language::BINDING.names_in(|key| key == form).contains(key) {
            let message = format!("`{key}` means nothing beside `{form}`");
            out.push(Diagnostic::error(Code::OutOfPlace, beside.span(), message).help("remove it"));
        }
    }
    let timeout = match written.beside("timeout") {
        Some(field) => number(field, 1, 3600, "timeout"),
        None => Some(TIMEOUT),
    };
    let by = match form {
        "human" => match main.bool()? {
            true => Some(By::Human),
            false => main.bad("somebody serves the port", "write `human = true`, or another form"),
        },
        "script" => main.word().map(|file| By::Script(file.to_owned())),
        "command" => {
            let words: Vec<String> = main.texts()?.into_iter().map(str::to_owned).collect();
            match words.first() {
                Some(program) if !program.trim().is_empty() => {
                    timeout.map(|timeout| By::Command(Command { words, timeout }))
                }
                _ => main.bad("no program is named", "write one, such as `command = [\"python3\", \"port.py\"]`"),
            }
        }
        "store" => saved::read(main),
        _ => openai(main, &written, timeout),
    };
    by.map(|by| (by, main.span()))
}

fn openai(main: Field<'_>, written: &Written<'_>, timeout: Option<u64>) -> Option<By> {
    let url = main.word().and_then(|url| match url.starts_with("http://") || url.starts_with("https://") {
        true => Some(url.to_owned()),
        false => main.bad(format!("{} is no base URL", quoted(url)), "write one such as `https://api.openai.com/v1`"),
    });
    let word = |key: &str| written.beside(key).and_then(Field::word).map(str::to_owned);
    let prompt_name = |key: &str| {
        let (name, span) = (word(key)?, written.beside(key)?.span());
        if name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-')) {
            return Some((name, span));
        }
        let message = format!("{} is no name of a prompt", quoted(&name));
        written.beside(key)?.refused(Code::BadName, message, "write NAME for the file `prompts/NAME.txt` of the pack")
    };
    for key in ["model", "prompt"] {
        if written.beside(key).is_none() {
            let message = format!("the binding lacks the key `{key}`");
            let _: Option<()> = main.refused(Code::MissingKey, message, &format!("add `{key} = \"…\"`"));
        }
    }
    let retries = match written.beside("retries") {
        Some(field) => number(field, 0, 10, "number of retries").and_then(|number| u32::try_from(number).ok()),
        None => Some(RETRIES),
    };
    let (model, key) = (word("model"), word("key"));
    let (prompt, system) = (prompt_name("prompt"), prompt_name("system"));
    let prompts = prompt.iter().chain(&system).cloned().collect();
    let (prompt, system) = (prompt.map(|(name, _)| name), system.map(|(name, _)| name));
    let whole = |key: &str, read: bool| read || written.beside(key).is_none();
    if !whole("key", key.is_some()) || !whole("system", system.is_some()) {
        return None;
    }
    let of = OpenAi { url: url?, model: model?, key, prompt: prompt?, system, timeout: timeout?, retries: retries? };
    Some(By::OpenAi { of, prompts })
}

fn number(field: Field<'_>, least: u64, most: u64, what: &str) -> Option<u64> {
    let given = field.int()?;
    match u64::try_from(given) {
        Ok(number) if (least..=most).contains(&number) => Some(number),
        _ => field.refused(
            Code::OutOfRange,
            format!("{given} is no {what}"),
            &format!("write a number from {least} to {most}"),
        ),
    }
}
