//! The port that a person serves: the outcome of a call is typed, field by field or as a whole.

use serde_json::{Map, Value as Json};

use crate::diag::{listed, quoted, suggest};
use crate::model::Pack;
use crate::model::json::{Naming, describe, from_json};
use crate::model::reason::STATUSES;
use crate::model::schema::{NamedType, Type};
use crate::scenario::live::{OUTCOME, ending};
use crate::scenario::show;

use super::commands::{COMMANDS, Command, is_object};
use super::input::Line;
use super::serve::{Due, Ending};
use super::{Chat, told};

/// What a typed line comes to.
enum Typed {
    /// The value of the field; none where it is left out.
    Value(Option<Json>),
    /// What comes of the call as a whole.
    Ended(Ending),
}

/// How a call ends without an answer, as it is typed.
pub const ENDS: [&str; 4] = ["!failed WHY", "!timeout", "!cancelled", "!open"];

/// Whether a line has the form of an outcome: a JSON object, or one of the words that end a call.
pub fn ends_a_call(line: &str) -> bool {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let ends = |end: &str| match end.split_once(' ') {
        Some((end, _)) => word == end,
        None => word == end && rest.is_empty(),
    };
    ENDS.iter().any(|end| ends(end)) || line.starts_with('{') && is_object(line).is_ok()
}

impl Chat<'_, '_> {
    /// Asks a person for the outcome of a call.
    pub fn asked(&mut self, call: Due<'_>) -> Ending {
        let registry = self.registry.at(call.0);
        let pack = registry.pack();
        if !self.input.is_piped() {
            let shown = show::call_at(self.registry.pack(), call.0, call.1);
            self.note(&format!("   call     {shown}"));
            if !std::mem::replace(&mut self.advised, true) {
                self.note("   its outcome is asked for, field by field; `/help` says what else can be typed");
            }
            self.asked_of.push(call.1.id.clone());
        }
        'again: loop {
            let fields = &registry.response[call.1.port.index()];
            let mut answer = Map::new();
            for (at, field) in fields.iter().enumerate() {
                match self.field(call, at == 0, Some(field)) {
                    Typed::Value(value) => {
                        let name = pack.names.text(field.wire).to_owned();
                        answer.extend(value.map(|value| (name, value)));
                    }
                    Typed::Ended(ending) => return ending,
                }
            }
            if fields.is_empty() {
                match self.field(call, true, None) {
                    Typed::Value(_) => {}
                    Typed::Ended(ending) => return ending,
                }
            }
            match ending(self.registry, (call.0, call.1.port), &format!("{{\"returns\":{}}}", Json::Object(answer))) {
                Ok(reply) => return Ending::Reply(reply),
                Err(problems) => {
                    self.wrong(&told(&problems));
                    continue 'again;
                }
            }
        }
    }

    /// Asks until a line can be taken.
    fn field(&mut self, call: Due<'_>, first: bool, field: Option<&NamedType>) -> Typed {
        let pack = self.registry.pack().at(call.0);
        let port = self.port(call);
        let prompt = match field {
            Some(field) => format!("{port}.{}{}> ", pack.names.text(field.wire), offered(pack, field)),
            None => format!("{port} (Enter = done)> "),
        };
        loop {
            let line = match self.input.answer(&prompt) {
                Ok(Line::Text(line)) => line,
                Ok(Line::Unread(problem)) => {
                    self.wrong(&problem);
                    continue;
                }
                Ok(Line::Interrupted) => {
                    self.note("the call stays open");
                    return Typed::Ended(Ending::Open);
                }
                Ok(Line::End) if self.input.is_piped() => {
                    self.wrong(&format!("the input ends where the outcome of `{port}` is due: the call stays open"));
                    return Typed::Ended(Ending::Quit);
                }
                Ok(Line::End) => {
                    self.note(&format!("the call to `{port}` stays open"));
                    return Typed::Ended(Ending::Quit);
                }
                Err(problem) => {
                    self.wrong(&problem.message);
                    return Typed::Ended(Ending::Open);
                }
            };
            let mut line = line.trim();
            match line.strip_prefix('/') {
                // `//x` is the value `/x`.
                Some(rest) if rest.starts_with('/') => line = rest,
                Some(rest) => match self.meanwhile(call, rest) {
                    Some(ending) => return Typed::Ended(ending),
                    None => continue,
                },
                None => {}
            }
            match self.typed(call, line, first, field) {
                Ok(typed) => return typed,
                Err(problem) => self.wrong(&format!("{port}: {problem}")),
            }
        }
    }

    /// Does a command while an outcome is due. What comes of the call, where that is said by it: else it is asked for again.
    fn meanwhile(&mut self, call: Due<'_>, line: &str) -> Option<Ending> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let pack = self.registry.pack();
        let begins =
            |word: &str| pack.events.iter().any(|event| pack.names.text(event.turn) == word) || word == OUTCOME;
        match Command::find(word) {
            Some(Command::Chat) => {
                if let Some((command, rest)) = self.own(rest.trim()) {
                    return self.commanded_meanwhile(call, command, rest);
                }
            }
            _ if self.hears(word) => self.begins(call, word),
            Some(command) => return self.commanded_meanwhile(call, command, rest.trim()),
            None if !begins(word) => {
                let words = COMMANDS.iter().map(|command| command.word).filter(|word| *word != "event");
                let help = match suggest(word, words) {
                    Some(near) => format!("did you mean `/{near}`?"),
                    None => "`/help` lists what there is".to_owned(),
                };
                let typed = quoted(&format!("/{word}"));
                let value = quoted(&format!("//{word}"));
                self.wrong(&format!("{typed} is no command here; {help} ({value} is the value {typed})"));
            }
            None => self.begins(call, word),
        }
        None
    }

    /// Says that a word begins a turn, which has to wait.
    fn begins(&mut self, call: Due<'_>, word: &str) {
        let due = format!("the outcome of `{}` is due; `!open` leaves the call open", self.port(call));
        self.wrong(&format!("`/{word}` begins a turn, and {due} (`//{word}` is the value `/{word}`)"));
    }

    fn commanded_meanwhile(&mut self, call: Due<'_>, command: Command, rest: &str) -> Option<Ending> {
        match command {
            _ if self.is_followed(command, rest) => {}
            Command::Undo => return self.undo().then_some(Ending::Undone),
            Command::Quit => {
                let port = self.port(call);
                self.note(&format!("the call to `{port}` stays open"));
                return Some(Ending::Quit);
            }
            Command::Help => self.help_here(call),
            Command::Event => self.begins(call, "event"),
            command => _ = self.command(command, rest),
        }
        None
    }

    fn typed(&self, call: Due<'_>, line: &str, first: bool, field: Option<&NamedType>) -> Result<Typed, String> {
        let (registry, pack) = (self.registry, self.registry.pack().at(call.0));
        let whole = |text: &str| ending(registry, (call.0, call.1.port), text).map_err(|problems| told(&problems));
        if let Some(rest) = line.strip_prefix('!') {
            let (word, error) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            if word == "open" && error.is_empty() {
                return Ok(Typed::Ended(Ending::Open));
            }
            if word == STATUSES[0] || !STATUSES.contains(&word) {
                return Err(format!("{} ends no call; write one of {}", quoted(&format!("!{word}")), listed(ENDS)));
            }
            let mut end = Map::new();
            end.insert("status".into(), word.into());
            if !error.trim().is_empty() {
                end.insert("error".into(), error.trim().into());
            }
            return whole(&Json::Object(end).to_string()).map(|reply| Typed::Ended(Ending::Reply(reply)));
        }
        if first && line.starts_with('{') {
            is_object(line)?;
            // Who types can mend what the declaration does not admit; `!failed contract` says that it was broken.
            let whole = whole(&format!("{{\"returns\":{line}}}")).and_then(|reply| match &reply.contract {
                Some(broken) => Err(format!("this is no answer of the port: {}", broken.message)),
                None => Ok(Typed::Ended(Ending::Reply(reply))),
            });
            let Err(wrong) = whole else { return whole };
            // An object that is no whole answer may be the first field.
            let Some(field) = field.filter(|field| takes_object(&field.ty)) else { return Err(wrong) };
            let held = self.held(call, line, field);
            let object: Map<String, Json> = serde_json::from_str(line).unwrap_or_default();
            let fields = &registry.at(call.0).response[call.1.port.index()];
            let names_one = fields.iter().any(|field| object.contains_key(pack.names.text(field.wire)));
            return if held.is_err() && names_one { Err(wrong) } else { held };
        }
        match field {
            Some(field) => self.held(call, line, field),
            None if line.is_empty() => Ok(Typed::Value(None)),
            None => Err("the answer has no fields: an empty line says that it is done".into()),
        }
    }

    /// The value of a field, as it is typed.
    fn held(&self, call: Due<'_>, line: &str, field: &NamedType) -> Result<Typed, String> {
        let pack = self.registry.pack().at(call.0);
        let name = pack.names.text(field.wire);
        if line.is_empty() {
            return match field.optional || field.default.is_some() {
                true => Ok(Typed::Value(None)),
                false => Err(format!("`{name}` is mandatory: {} is due", describe(pack, &field.ty))),
            };
        }
        let json = value(pack, &field.ty, line).ok_or_else(|| format!("`{name}`: JSON is due"))?;
        let read = from_json(pack, Naming::Wire, &field.ty, &json);
        let held = &self.registry.at(call.0).contracts;
        match read.map(|value| held.misfit(pack, Naming::Wire, &field.ty, &value)) {
            Ok(None) => Ok(Typed::Value(Some(json))),
            Ok(Some(error)) | Err(error) => {
                let error = error.under(name);
                Err(format!("`{}`: {}", error.path, error.message))
            }
        }
    }
}

/// Whether a value of the type may be a JSON object.
fn takes_object(ty: &Type) -> bool {
    matches!(ty, Type::Record(_) | Type::Map { .. } | Type::Document { .. })
}

/// The values to choose from, where they are few: ` (1 good, 2 poor)`.
fn offered(pack: &Pack, field: &NamedType) -> String {
    const SHOWN: usize = 12;
    let values = choices(pack, &field.ty);
    let mut all: Vec<String> =
        values.iter().take(SHOWN).enumerate().map(|(at, value)| format!("{} {value}", at + 1)).collect();
    if values.len() > SHOWN {
        all.push("…".into());
    }
    if all.is_empty() {
        all.push(match &field.ty {
            Type::Record(_) | Type::List { .. } | Type::Set { .. } | Type::Map { .. } => {
                format!("{}, as JSON", describe(pack, &field.ty))
            }
            ty => describe(pack, ty),
        });
    }
    if field.optional || field.default.is_some() {
        all.push("Enter = none".into());
    }
    format!(" ({})", all.join(", "))
}

/// The values of a type that has a closed list of them.
fn choices<'p>(pack: &'p Pack, ty: &Type) -> Vec<&'p str> {
    match ty {
        Type::Enum(id) => pack.enums[id.index()].values.iter().map(|value| pack.names.text(*value)).collect(),
        Type::Key(id) => pack.tables[id.index()].rows.iter().map(|row| pack.names.text(row.key)).collect(),
        _ => Vec::new(),
    }
}

/// A typed text as JSON of a type: a choice may be given by its number, a text in quotes is read as JSON.
fn value(pack: &Pack, ty: &Type, line: &str) -> Option<Json> {
    let numbered = line.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let choices = choices(pack, ty);
    match ty {
        Type::Enum(_) | Type::Key(_) if !choices.contains(&line) => {
            Some(numbered.and_then(|at| choices.get(at)).map_or_else(|| Json::from(line), |value| Json::from(*value)))
        }
        Type::Bool => Some(match line {
            "yes" | "y" | "true" => true.into(),
            "no" | "n" | "false" => false.into(),
            other => other.into(),
        }),
        Type::Int | Type::Decimal => Some(serde_json::from_str(line).unwrap_or_else(|_| Json::from(line))),
        Type::Document { .. } | Type::Record(_) | Type::List { .. } | Type::Set { .. } | Type::Map { .. } => {
            serde_json::from_str(line).ok()
        }
        _ if line.starts_with('"') => Some(serde_json::from_str(line).unwrap_or_else(|_| Json::from(line))),
        _ => Some(line.into()),
    }
}
