//! What can be done in a chat besides talking: `/state`, `/why`, `/undo`, `/save` and the like, and events that are no text.

use serde::de::IgnoredAny;
use serde_json::{Value as Json, json};

use crate::diag::{did_you_mean, listed, quoted, suggest};
use crate::explain::{explain, human};
use crate::model::ids::{FrameId, InputId};
use crate::model::names::Sym;
use crate::model::schema::Type;
use crate::model::uses::PackAt;
use crate::model::{Event, Pack};
use crate::scenario::{live, show};
use crate::state::OpenCall;

use super::{After, Chat, told};

/// A command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    State,
    Why,
    Undo,
    Save,
    Signals,
    Event,
    Help,
    Quit,
    /// One of the others, by a word that the pack hears as its own.
    Chat,
}

/// What is said of a command.
pub struct About {
    /// The command.
    pub command: Command,
    /// Its word.
    pub word: &'static str,
    /// What may follow it.
    pub rest: &'static str,
    /// What it does.
    pub what: &'static str,
}

const fn about(command: Command, word: &'static str, rest: &'static str, what: &'static str) -> About {
    About { command, word, rest, what }
}

/// The commands.
pub const COMMANDS: [About; 9] = [
    about(Command::State, "state", "[FRAME]", "what the session remembers"),
    about(Command::Why, "why", "[-v]", "why the last turn went where it went; -v shows every test"),
    about(Command::Undo, "undo", "", "take the last turn back, calls and all"),
    about(Command::Save, "save", "FILE [NAME]", "write the conversation as a scenario (*.yaml) with its snapshot"),
    about(Command::Signals, "signals", "{…}", "signals that the host gives with the next turn"),
    about(Command::Event, "event", "NAME {…}", "an event by its name, with its payload"),
    about(Command::Help, "help", "", "this list"),
    about(Command::Quit, "quit", "", "the end; a session that is kept can be taken up again"),
    about(Command::Chat, "chat", "COMMAND", "one of these commands, where the pack hears its word as one of its own"),
];

impl Command {
    /// The command of a word.
    pub fn find(word: &str) -> Option<Self> {
        COMMANDS.iter().find(|about| about.word == word).map(|about| about.command)
    }
}

impl Chat<'_, '_> {
    /// Does what a command says; what follows it is `rest`.
    pub fn command(&mut self, command: Command, rest: &str) -> After {
        if self.is_followed(command, rest) {
            return After::More;
        }
        match command {
            Command::State => self.state(rest),
            Command::Why => self.why(rest),
            Command::Undo => _ = self.undo(),
            Command::Save => {
                if let Err(problem) = self.save(rest) {
                    self.wrong(&problem.message);
                }
            }
            Command::Signals => match is_object(rest).map(|()| live::faults_of_signals(self.registry, rest)) {
                Ok(faults) if faults.is_empty() => self.signals = Some(rest.to_owned()),
                Ok(faults) => self.wrong(&format!("`/signals`: {}", told(&faults))),
                Err(problem) => self.wrong(&format!("`/signals`: {problem}")),
            },
            Command::Event => return self.named(rest),
            Command::Help => self.help(),
            Command::Quit => return After::Quit,
            Command::Chat => {
                if let Some((command, rest)) = self.own(rest) {
                    return self.command(command, rest);
                }
            }
        }
        After::More
    }

    /// The command after `/chat`, and what follows it; that there is none is told.
    pub fn own<'l>(&mut self, rest: &'l str) -> Option<(Command, &'l str)> {
        let (word, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let found = Command::find(word).filter(|command| *command != Command::Chat);
        if found.is_none() {
            let words = COMMANDS.iter().map(|about| about.word).filter(|word| *word != "chat").collect::<Vec<_>>();
            let help = match suggest(word, words.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("commands are {}", listed(&words)),
            };
            self.wrong(&format!("{} is no command; {help}", quoted(word)));
        }
        found.map(|command| (command, rest.trim()))
    }

    /// How a command is typed: behind `chat` where the pack hears its word.
    pub fn word(&self, word: &str) -> String {
        if self.hears(word) { format!("chat {word}") } else { word.to_owned() }
    }

    /// Takes the last turn back; whether it is.
    pub fn undo(&mut self) -> bool {
        match self.conversation.undo() {
            Ok(Some(number)) => {
                self.taken = self.marks.pop().unwrap_or_default();
                self.note(&format!("turn {number} is taken back"));
                return true;
            }
            Ok(None) => self.wrong("there is no turn to take back"),
            Err(error) => self.not_written(&error, "the turn is not taken back"),
        }
        false
    }

    /// Whether something follows a command that nothing follows; then that is told.
    pub fn is_followed(&mut self, command: Command, rest: &str) -> bool {
        let alone = COMMANDS.iter().find(|about| about.command == command && about.rest.is_empty());
        let Some(about) = alone.filter(|_| !rest.is_empty()) else { return false };
        let (typed, rest) = (quoted(&format!("/{}", about.word)), quoted(rest));
        self.wrong(&format!("nothing follows {typed}, and {rest} does: it is not done"));
        true
    }

    /// An input under its turn key: `/select {…}`, `/cancel`, `/user text`.
    pub fn event(&mut self, key: &str, rest: &str) -> After {
        let pack = self.registry.pack();
        let event = pack.events.iter().find(|event| pack.names.text(event.turn) == key);
        if event.is_none() && key != live::OUTCOME {
            let words = COMMANDS.iter().map(|about| about.word);
            let keys = pack.events.iter().map(|event| pack.names.text(event.turn));
            let help = match suggest(key, words.chain(keys).chain([live::OUTCOME])) {
                Some(near) => format!("did you mean `/{near}`?"),
                None => "`/help` lists what there is".to_owned(),
            };
            let typed = quoted(&format!("/{key}"));
            let said = quoted(&format!("//{key}"));
            self.wrong(&format!("{typed} is no command and no event; {help} ({said} says {typed})"));
            return After::More;
        }
        self.take(key, event, rest)
    }

    /// `/event NAME {…}`.
    fn named(&mut self, rest: &str) -> After {
        let (name, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let pack = self.registry.pack();
        match pack.event(name) {
            Some(event) => {
                let event = &pack.events[event.index()];
                self.take(pack.names.text(event.turn), Some(event), rest.trim())
            }
            None => {
                let names: Vec<&str> = pack.events.iter().map(|event| pack.names.text(event.name)).collect();
                let help = match suggest(name, names.iter().copied()) {
                    Some(near) => did_you_mean(name, near),
                    None => format!("events are {}", listed(&names)),
                };
                self.wrong(&format!("{} is no event of this pack; {help}", quoted(name)));
                After::More
            }
        }
    }

    /// An input; what follows its key is its payload, or the text that is all of it.
    fn take(&mut self, key: &str, event: Option<&Event>, rest: &str) -> After {
        let pack = self.registry.pack();
        let wrong = match event {
            _ if rest.starts_with('{') => match is_object(rest) {
                Ok(()) => return self.turn(key, rest),
                Err(problem) => problem,
            },
            Some(event) if event.text.is_some() => return self.turn(key, &Json::from(rest).to_string()),
            Some(_) if rest.is_empty() => return self.turn(key, "{}"),
            Some(event) => match one_text(pack, event) {
                Some(field) => return self.turn(key, &json!({ field: rest }).to_string()),
                None => format!("its payload is due, {}", payload(pack, event)),
            },
            None => "a JSON object is due, such as {\"call\": \"…\", \"returns\": {}}".to_owned(),
        };
        self.wrong(&format!("`/{key}`: {wrong}"));
        After::More
    }

    fn state(&mut self, rest: &str) {
        let pack = self.registry.pack();
        let state = self.conversation.state();
        let mut lines = Vec::new();
        if rest.is_empty() {
            for at in pack.all() {
                let (own, Some(state)) = (pack.at(at), state.at(at)) else { continue };
                for (index, frame) in own.frames.iter().enumerate() {
                    let held = state.frame_json(own, FrameId::at(index));
                    let name = pack.qualified(at, own.names.text(frame.name));
                    lines.push(format!("{name}  {}", show::json(&held)));
                }
            }
            let open = state.host_calls(pack);
            if !open.is_empty() {
                let shown =
                    |(at, call): &(PackAt, &OpenCall)| format!("{} {}", call.id, show::port(pack, *at, call.port));
                lines.push(format!("open calls: {}", open.iter().map(shown).collect::<Vec<_>>().join(", ")));
            }
        } else if let (at, Some(frame)) = frame_of(pack, rest)
            && let Some(state) = state.at(at)
        {
            match state.frame_json(pack.at(at), frame) {
                Json::Object(fields) if !fields.is_empty() => {
                    lines.extend(fields.iter().map(|(name, value)| format!("{name}  {}", show::json(value))));
                }
                _ => lines.push("nothing".to_owned()),
            }
        } else {
            let of = |at| {
                let own = pack.at(at);
                own.frames.iter().map(move |frame| pack.qualified(at, own.names.text(frame.name)))
            };
            let names: Vec<String> = pack.all().flat_map(of).collect();
            let help = match suggest(rest, names.iter().map(String::as_str)) {
                Some(near) => did_you_mean(rest, near),
                None => format!("frames are {}", listed(&names)),
            };
            self.wrong(&format!("{} is no frame of this pack; {help}", quoted(rest)));
            return;
        }
        self.note(&lines.join("\n"));
    }

    fn why(&mut self, rest: &str) {
        let Some(told) = self.conversation.turns().last() else {
            self.wrong("nothing has been said yet");
            return;
        };
        let about = format!("turn {}", told.number);
        let explanation = explain(self.registry, self.sources, about, &told.played.steps);
        match rest {
            "" | "-v" => self.note(&human(&explanation, rest == "-v")),
            _ => self.wrong("`/why` takes `-v` or nothing"),
        }
    }
}

/// A frame of one of the packs, by its name.
fn frame_of(all: &Pack, name: &str) -> (PackAt, Option<FrameId>) {
    let (at, own) = all.split(name);
    (at, all.at(at).frame(own))
}

/// The one field of an event, where it has no other and that one is a text.
fn one_text<'p>(pack: &'p Pack, event: &Event) -> Option<&'p str> {
    let ([(field, _)], [wire]) = (event.fields.as_slice(), event.wire.as_slice()) else { return None };
    let input = &pack.inputs[field.index()];
    matches!(input.ty, Type::Text | Type::Id).then(|| pack.names.text(*wire))
}

/// What may follow the key of an event.
pub fn payload(pack: &Pack, event: &Event) -> String {
    if event.text.is_some() || one_text(pack, event).is_some() {
        return "TEXT".into();
    }
    let name = |((_, must), wire): (&(InputId, bool), &Sym)| {
        let name = pack.names.text(*wire);
        if *must { format!("\"{name}\": …") } else { format!("[\"{name}\": …]") }
    };
    let fields: Vec<String> = event.fields.iter().zip(&event.wire).map(name).collect();
    if fields.is_empty() { String::new() } else { format!("{{{}}}", fields.join(", ")) }
}

/// Whether a text is a JSON object.
pub fn is_object(text: &str) -> Result<(), String> {
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) if text.trim_start().starts_with('{') => Ok(()),
        Ok(_) => Err("a JSON object is due, such as {\"key\": \"value\"}".into()),
        Err(error) => Err(format!("a JSON object is due, and this is no JSON: {error}")),
    }
}
