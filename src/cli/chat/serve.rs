//! Who ends the calls of a chat: the person, a file of outcomes, a program, a language model.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

#[cfg(feature = "openai")]
use crate::binding::{Asked, Model, Prompt};
use crate::binding::{By, Command, OpenAi, Saved, Session};
#[cfg(feature = "openai")]
use crate::cli::reading::unread;
use crate::cli::reading::{folder_at, read};
use crate::cli::terminal::Terminal;
use crate::diag::Diagnostics;
use crate::engine::CallOut;
use crate::model::Status;
use crate::model::ids::PortId;
use crate::model::uses::PackAt;
use crate::registry::Registry;
use crate::scenario::live::{differences, ending};
use crate::scenario::{Call, Reply, outcomes, show};
#[cfg(feature = "openai")]
use crate::source::SourceMap;
#[cfg(feature = "openai")]
use crate::workspace::{Http, files, secret};
use crate::workspace::{Problem, Unended, Workspace, run};

use super::{Chat, told};

/// Who serves a port.
#[derive(Clone)]
pub enum Server {
    /// Whoever chats.
    Human,
    /// Outcomes of a file: those of this port, in order.
    Script(Rc<Vec<Call>>),
    /// A program.
    Command(Command),
    /// What was last written of the session.
    Saved(Rc<Saved>),
    /// A language model.
    #[cfg(feature = "openai")]
    Model(Rc<Model>),
}

/// What comes of a call that is due.
pub enum Ending {
    /// This outcome.
    Reply(Reply),
    /// Nothing yet: it stays open.
    Open,
    /// The turn that made it was taken back.
    Undone,
    /// The chat ends, and it stays open.
    Quit,
}

/// A call with the pack that made it.
pub type Due<'c> = (PackAt, &'c CallOut);

/// Who serves the ports of a pack, and of those that it uses.
pub struct Servers {
    /// Each of them, by pack and port.
    pub all: Vec<Vec<Server>>,
    /// The ports whose requests say what is known of the session.
    pub tells: Vec<(PackAt, PortId)>,
    /// What becomes of the session.
    pub session: Session,
}

/// Who serves the ports, as `segue.toml` says it.
pub fn servers(
    workspace: &Workspace,
    (name, folder): (&str, &Path),
    registry: &Registry,
    terminal: &mut Terminal,
) -> Result<Servers, Problem> {
    let out = Diagnostics::new();
    let bound = workspace.bindings().of(name, registry, &out);
    let session = workspace.sessions().of(name, registry, &out);
    if !out.is_empty() {
        let opened = Workspace::open(workspace.root())?;
        terminal.err(&crate::report::human(&opened.sources, &out.into_sorted(), terminal.color_err()));
        return Err(Problem::new(format!("{name} cannot be talked with as segue.toml says")));
    }
    let (mut all, mut tells) = (Vec::new(), Vec::new());
    for (pack, bound) in registry.pack().all().zip(bound) {
        let own = folder_at(workspace, folder, registry, pack)?;
        let mut servers = Vec::new();
        for (at, served) in bound.into_iter().enumerate() {
            let port = PortId::at(at);
            servers.push(match served {
                None | Some(By::Human) => Server::Human,
                Some(By::Script(file)) => {
                    let path = workspace.root().join(&file);
                    let calls = read(&path, &file, terminal, |node, out| outcomes(registry, node, out))?;
                    let own = calls.into_iter().filter(|call| (call.pack, call.port) == (pack, port));
                    Server::Script(Rc::new(own.collect()))
                }
                Some(By::Command(command)) => Server::Command(command),
                // Nobody is asked.
                Some(By::Context) => {
                    tells.push((pack, port));
                    Server::Human
                }
                Some(By::Saved(saved)) => Server::Saved(Rc::new(saved)),
                Some(By::OpenAi { of, .. }) => model(workspace, &own, registry.at(pack), port, of, terminal)?,
            });
        }
        all.push(servers);
    }
    Ok(Servers { all, tells, session })
}

#[cfg(not(feature = "openai"))]
fn model(_: &Workspace, _: &Path, _: &Registry, _: PortId, of: OpenAi, _: &mut Terminal) -> Result<Server, Problem> {
    Err(Problem::new(format!(
        "segue.toml: the model `{}` cannot be asked: this program was built without the feature `openai`",
        of.model
    )))
}

/// A model with its prompts, from `prompts/` of the pack, and its key, from the environment.
#[cfg(feature = "openai")]
fn model(
    workspace: &Workspace,
    folder: &Path,
    registry: &Registry,
    port: PortId,
    of: OpenAi,
    terminal: &mut Terminal,
) -> Result<Server, Problem> {
    let mut prompt = |name: &str| {
        let path = folder.join("prompts").join(format!("{name}.txt"));
        let shown = workspace.shown(&path);
        let text = files::read(&path, &shown)?;
        let (mut sources, out) = (SourceMap::default(), Diagnostics::new());
        let prompt = Prompt::read(registry.pack(), port, sources.add(&shown, Arc::clone(&text)), &text, &out);
        prompt.ok_or_else(|| unread(&sources, &out.into_sorted(), &shown, terminal))
    };
    let main = prompt(&of.prompt)?;
    let system = of.system.as_deref().map(&mut prompt).transpose()?;
    let key = of.key.as_deref().map(secret).transpose()?;
    Ok(Server::Model(Rc::new(Model::new(of, key, main, system, registry, port))))
}

impl Chat<'_, '_> {
    /// How the call that is due ends.
    pub fn ask(&mut self, call: Due<'_>) -> Ending {
        Ending::Reply(match self.servers[call.0.index()][call.1.port.index()].clone() {
            Server::Human => return self.asked(call),
            Server::Script(calls) => return self.scripted(call, &calls).map_or(Ending::Open, Ending::Reply),
            Server::Command(command) => self.commanded(call, &command),
            Server::Saved(saved) => self.remembered(call, &saved),
            #[cfg(feature = "openai")]
            Server::Model(model) => match model.ask(self.registry.pack().at(call.0), call.1, &mut Http::new()) {
                Asked::Text(text) => self.answered(call, text.trim()),
                Asked::Failed(why) => failed(&why),
                Asked::Timeout => timed_out(),
            },
        })
    }

    /// The next outcome of a file. One that there is no more leaves the call open.
    fn scripted(&mut self, call: Due<'_>, calls: &[Call]) -> Option<Reply> {
        let name = self.port(call);
        let taken = &mut self.taken[call.0.index()][call.1.port.index()];
        let Some(next) = calls.get(*taken) else {
            self.wrong(&format!("the script holds no more outcomes of `{name}`: the call stays open"));
            return None;
        };
        *taken += 1;
        for difference in differences(self.registry, call.1, next) {
            self.wrong(&difference);
        }
        next.reply.clone()
    }

    /// What was last written of the session.
    fn remembered(&self, call: Due<'_>, saved: &Saved) -> Reply {
        let pack = self.registry.pack().at(call.0);
        match self.conversation.written_state() {
            Ok(state) => match state.at(call.0) {
                Some(state) => self.answered(call, &saved.answer(pack, state).to_string()),
                None => failed("nothing is written of this pack"),
            },
            Err(error) => failed(&error.to_string()),
        }
    }

    fn commanded(&self, call: Due<'_>, command: &Command) -> Reply {
        let pack = self.registry.pack().at(call.0);
        let clock = self.conversation.clock();
        let input = json!({
            "port": self.port(call),
            "call": &*call.1.id,
            "session": &clock.session_id,
            "turn": self.conversation.turns().last().map(|told| told.number),
            "with": call.1.request(pack),
        });
        let within = Duration::from_secs(command.timeout);
        let ended = match run(&command.words, self.workspace.root(), &format!("{input}\n"), within) {
            Ok(ended) => ended,
            Err(Unended::Timeout(_)) => return timed_out(),
            Err(problem) => return failed(&problem.to_string()),
        };
        if ended.code != Some(0) {
            let said = String::from_utf8_lossy(&ended.err);
            let said = said.lines().map(str::trim).rfind(|line| !line.is_empty());
            let how = ended.code.map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
            return failed(&said.map_or_else(|| format!("it ended with {how}"), |said| format!("{said} ({how})")));
        }
        match String::from_utf8(ended.out) {
            Ok(text) => self.answered(call, &text),
            Err(_) => failed("its output is not UTF-8"),
        }
    }

    /// The answer in a text: a JSON object.
    pub fn answered(&self, call: Due<'_>, text: &str) -> Reply {
        if let Err(problem) = super::commands::is_object(text) {
            return failed(&format!("its answer is none: {problem}"));
        }
        match ending(self.registry, (call.0, call.1.port), &format!("{{\"returns\":{text}}}")) {
            Ok(reply) => reply,
            Err(problems) => failed(&format!("its answer is none: {}", told(&problems))),
        }
    }

    /// The name of the port of a call.
    pub fn port(&self, (at, call): Due<'_>) -> String {
        show::port(self.registry.pack(), at, call.port)
    }
}

/// A call that failed, and why.
pub fn failed(why: &str) -> Reply {
    Reply { status: Status::Failed, value: None, error: Some(why.into()), contract: None }
}

/// A call that has timed out.
pub fn timed_out() -> Reply {
    Reply { status: Status::Timeout, value: None, error: None, contract: None }
}
