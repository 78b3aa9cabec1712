//! `segue chat`: a conversation with a pack, in the terminal or line by line.

mod commands;
mod help;
mod human;
mod input;
mod keep;
mod save;
mod serve;
mod show;
mod times;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::civil::Date;
use serde_json::Value as Json;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::binding::Unwritten;
use crate::diag::{Diagnostic, did_you_mean, listed, quoted, suggest};
use crate::lexicon::fold_text;
use crate::registry::Registry;
use crate::scenario::live::{Conversation, Keeping, Untaken};
use crate::scenario::{self, Clock, Given};
use crate::session::Retention;
use crate::source::SourceMap;
use crate::state::SessionState;
use crate::telemetry::{self, Texts, tell_at};
use crate::workspace::{DrawnIds, Problem, Workspace, files, now};

use super::place::Place;
use super::reading::{mended, pack_in, read, workspace};
use super::terminal::Terminal;
use super::{FAILED, Output, PASSED};

use commands::Command;
use input::{Input, Line};
use keep::{conversation, store_of};
use serve::{Ending, Server, Servers, failed};
use times::Shared;

/// Talk with a pack: of each turn it shows the class, what was carried and dropped, calls, messages and the answer mode.
///
/// A line is what the user says. Lines that begin with `/` are commands: `/help` lists them. Where a call waits for its outcome,
/// it is asked for, and commands work there too. Without a terminal the lines of standard input are taken.
///
/// Exit codes: 0 = it ended, 1 = a line from a pipe was not understood, 2 = it could not be run.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder of the pack, or its name in the workspace [default: the pack that is meant].
    #[arg(long, value_name = "FOLDER")]
    pack: Option<PathBuf>,
    /// The state to begin with: the saved form, frames by short name, or a file with one scenario [default: a new session].
    #[arg(long, value_name = "FILE")]
    given: Option<PathBuf>,
    /// Keep the session in this file, or on this server (`postgres://…`); the store is made where there is none. Each event is on the
    /// disk before anything of it is shown.
    #[arg(long, value_name = "FILE", value_parser = Place::parser())]
    store: Option<Place>,
    /// Take up this session of the store; calls that were open are made again [default: a new session].
    #[arg(long, value_name = "ID", requires = "store", conflicts_with = "given")]
    session: Option<String>,
    /// Keep what was said when the pack ends the session, as `keep_content` of `segue.toml` does.
    #[arg(long, requires = "store")]
    keep_content: bool,
    /// Today; the clock stands at midnight UTC of it [default: the clock of the system, as it is at each event].
    #[arg(long, value_name = "DATE")]
    today: Option<String>,
    /// Ids that count (`call-1`), as in a replay, in place of ids that nobody can guess.
    #[arg(long, conflicts_with = "store")]
    numbered_ids: bool,
    /// What is logged on standard error: a level, or levels by target, such as `info` or `segue::message=info,segue::step=debug`.
    #[arg(long, value_name = "LEVEL", default_value = "warn", value_parser = levels)]
    log: Targets,
    /// Log texts as well, what the user has said among them.
    #[arg(long)]
    log_text: bool,
    /// Say of each turn how long its stages took, and its calls: on standard error, or with `--format json` in its line.
    #[arg(long)]
    times: bool,
    /// The form of what is printed: `json` = one JSON object a line for each turn, all else on standard error.
    #[arg(long, value_enum, default_value = "human")]
    format: Output,
}

pub fn run(args: &Args, terminal: &mut Terminal) -> u8 {
    match converse(args, terminal) {
        Ok(code) => code,
        Err(problem) => terminal.not_run(&problem),
    }
}

fn converse(args: &Args, terminal: &mut Terminal) -> Result<u8, Problem> {
    let workspace = workspace(&files::here()?, args.pack.is_some())?;
    let (registry, sources) = pack_in(&workspace, args.pack.as_deref(), terminal)?;
    let folder = match &args.pack {
        Some(pack) if files::kind(pack) != files::Kind::Missing => files::real(pack),
        Some(pack) => workspace.folder_of(&pack.to_string_lossy())?,
        None => workspace.folder_of(&workspace.meant()?)?,
    };
    let name = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
    let drawn = match args.numbered_ids {
        true => None,
        false => Some(DrawnIds::new()?),
    };
    let (start, goes) = start(args, &workspace, &registry, drawn, terminal)?;
    log(&args.log)?;
    let Servers { all: servers, tells, session } = serve::servers(&workspace, (&name, &folder), &registry, terminal)?;
    let store = store_of(args)?;
    let retention = if args.keep_content || session.keep_content { Retention::Content } else { Retention::Metadata };
    let (gives_up, lasts) = (retention == Retention::Metadata, args.store.is_some());
    let keeping = Keeping { store: &*store, tells, gives_up, lasts };
    let mut chat = Chat {
        conversation: conversation(args, &registry, keeping, start, drawn, terminal)?,
        retention,
        unwritten: session.unwritten,
        registry: &registry,
        sources: &sources,
        workspace: &workspace,
        name,
        folder: &folder,
        json: args.format == Output::Json,
        signals: None,
        input: Input::new(args.format)?,
        taken: servers.iter().map(|of| vec![0; of.len()]).collect(),
        logged: 0,
        marks: Vec::new(),
        asked_of: Vec::new(),
        advised: false,
        times: args.times.then(Shared::default),
        servers,
        texts: if args.log_text { Texts::Shown } else { Texts::Hidden },
        terminal,
        misunderstood: false,
    };
    if let Some(times) = &chat.times {
        chat.conversation.watch(Box::new(times.clone()));
    }
    if goes {
        chat.conversation.tell_time(Box::new(|| now().ok()));
    }
    chat.greet();
    let mut after = match (session.begin, &args.session, &args.given) {
        (Some((key, value)), None, None) => chat.turn(&key, &value.to_string()),
        _ => chat.taken_up(),
    };
    while after == After::More && !chat.terminal.gone() {
        match chat.input.line("> ")? {
            Line::End => break,
            Line::Interrupted => chat.note(&format!("Ctrl-D or `/{}` ends the chat", chat.word("quit"))),
            Line::Text(line) => after = chat.line(&line),
            Line::Unread(problem) => chat.wrong(&problem),
        }
    }
    Ok(if chat.misunderstood && chat.input.is_piped() { FAILED } else { PASSED })
}

/// What is logged, as it is typed. A word alone is a level, and no target unless it is one of ours: a level that is misspelt would let
/// everything of such a target through, and nothing else.
fn levels(text: &str) -> Result<Targets, String> {
    const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
    const OURS: [&str; 2] = [telemetry::MESSAGE, telemetry::STEP];
    let ours = |target: &str| OURS.iter().any(|own| own.starts_with(target));
    for word in text.split(',').map(str::trim) {
        match word.split_once('=') {
            Some((target, _)) if !ours(target) => {
                if let Some(near) = suggest(target, OURS) {
                    return Err(format!("{} is no target; {}", quoted(target), did_you_mean(target, near)));
                }
            }
            None if !ours(word) && word.parse::<LevelFilter>().is_err() => {
                let help = match suggest(word, LEVELS.into_iter().chain(OURS)) {
                    Some(near) => did_you_mean(word, near),
                    None => {
                        format!("levels are {}; a target stands before one: `{}=debug`", listed(LEVELS), OURS[1])
                    }
                };
                return Err(format!("{} is no level; {help}", quoted(word)));
            }
            _ => {}
        }
    }
    text.parse().map_err(|error| format!("{error}"))
}

/// Begins to log on standard error. No time stands there: who collects the lines has a clock.
fn log(targets: &Targets) -> Result<(), Problem> {
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(false).without_time();
    let begun = tracing_subscriber::registry().with(lines.with_filter(targets.clone())).try_init();
    begun.map_err(|error| Problem::new(format!("nothing can be logged: {error}")))
}

/// The state and the clock to begin with, and whether that goes on with the clock of the system.
fn start(
    args: &Args,
    workspace: &Workspace,
    registry: &Registry,
    drawn: Option<DrawnIds>,
    terminal: &mut Terminal,
) -> Result<(Given, bool), Problem> {
    let mut goes = false;
    let mut start = match &args.given {
        Some(path) => {
            let shown = workspace.shown(&files::real(path));
            read(path, &shown, terminal, |node, out| scenario::given_of(registry, node, out))?
        }
        None => Given { state: SessionState::new(registry.pack()), clock: Clock::default(), repaired: Vec::new() },
    };
    mended(registry.pack(), &start.repaired, terminal);
    match &args.today {
        Some(text) => match text.parse::<Date>() {
            Ok(today) if today.to_string() == *text => start.clock = Clock::on(today),
            _ => return Err(Problem::new(format!("--today: {} is no date; write 2021-05-10", quoted(text)))),
        },
        // A scenario may say when it plays.
        None if start.clock == Clock::default() => {
            start.clock = Clock::at(now()?);
            goes = true;
        }
        None => {}
    }
    if let Some(ids) = drawn {
        start.clock.session_id = ids.session();
    }
    Ok((start, goes))
}

/// What comes after a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    /// The next one.
    More,
    /// The end.
    Quit,
}

struct Chat<'a, 't> {
    conversation: Conversation<'a>,
    registry: &'a Registry,
    sources: &'a SourceMap,
    workspace: &'a Workspace,
    /// The name of the pack, and its folder.
    name: String,
    folder: &'a Path,
    /// Whether turns are printed as JSON; all else goes to standard error then.
    json: bool,
    /// Signals of the host for the next turn, a JSON text.
    signals: Option<String>,
    input: Input,
    /// For each port of each pack who serves it, and how many outcomes of its file were taken.
    servers: Vec<Vec<Server>>,
    /// What is kept of the session when the pack ends it.
    retention: Retention,
    /// How the pack is told that something could not be written.
    unwritten: Option<Unwritten>,
    taken: Vec<Vec<usize>>,
    /// How many steps of the turn the log was told of.
    logged: usize,
    /// Whether the log is told texts.
    texts: Texts,
    /// How many were taken before each turn.
    marks: Vec<Vec<Vec<usize>>>,
    /// The calls of the turn about which a person was asked, on a terminal, and whether it was said how an outcome is typed.
    asked_of: Vec<Arc<str>>,
    advised: bool,
    /// How long the turn takes, where somebody asked.
    times: Option<Shared>,
    terminal: &'t mut Terminal,
    /// Whether something was asked for that could not be done.
    misunderstood: bool,
}

impl Chat<'_, '_> {
    fn greet(&mut self) {
        if !self.input.is_piped() {
            let title = &self.registry.pack().title;
            self.note(&format!("{title}. `/help` says what can be done here; Ctrl-D ends it."));
        }
    }

    /// Takes a line.
    fn line(&mut self, line: &str) -> After {
        let line = line.trim();
        let text = match line.strip_prefix('/') {
            None if line.is_empty() => return After::More,
            None if human::ends_a_call(line) => {
                self.no_call();
                return After::More;
            }
            None => line,
            // `//x` sends `/x`.
            Some(rest) if rest.starts_with('/') => rest,
            Some(rest) => {
                let (word, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                let rest = rest.trim();
                match Command::find(word) {
                    // What the pack hears is said to it, whatever else the word may mean.
                    _ if self.hears(word) && !rest.starts_with('{') => line,
                    Some(command) => return self.command(command, rest),
                    None => return self.event(word, rest),
                }
            }
        };
        let pack = self.registry.pack();
        let with_text = || pack.events.iter().filter(|event| event.text.is_some());
        match pack.said() {
            Some(event) => {
                let key = pack.names.text(pack.events[event.index()].turn);
                return self.turn(key, &Json::from(text).to_string());
            }
            None if with_text().next().is_none() => self.wrong("no event of this pack has a text; write `/EVENT {…}`"),
            None => {
                let keys: Vec<&str> = with_text().map(|event| pack.names.text(event.turn)).collect();
                let keys = listed(&keys);
                self.wrong(&format!(
                    "several events have a text, and none is written as `user`: write `/EVENT text` with one of {keys}"
                ));
            }
        }
        After::More
    }

    /// Whether the pack hears `/word` as a command of its own at the start of a text.
    fn hears(&self, word: &str) -> bool {
        let pack = self.registry.pack();
        let said = fold_text(&format!("/{word}"));
        pack.said().is_some() && pack.lexicon.commands.iter().any(|(_, spellings)| spellings.contains(&said))
    }

    /// Says that a line which ends a call is not taken as what the user says: no outcome is due.
    fn no_call(&mut self) {
        let pack = self.registry.pack();
        let mut text = "this is written as the outcome of a call, and none is due: it is not taken".to_owned();
        if let Some((at, call)) = self.conversation.state().host_calls(pack).first() {
            text.push_str(&format!(
                "; `/outcome {{…}}` ends {} {}",
                call.id,
                scenario::show::port(pack, *at, call.port)
            ));
        }
        if let Some(event) = pack.said().map(|event| &pack.events[event.index()])
            && let Some(at) = event.fields.iter().position(|(field, _)| Some(*field) == event.text)
        {
            let (key, field) = (pack.names.text(event.turn), pack.names.text(event.wire[at]));
            text.push_str(&format!("; `/{key} {{\"{field}\": …}}` says it all the same"));
        }
        self.wrong(&text);
    }

    /// Makes the calls again that were open when the session was taken up.
    fn taken_up(&mut self) -> After {
        match self.conversation.due() {
            Some(_) => self.outcomes(),
            None => self.over(After::More),
        }
    }

    /// Takes an input and asks for the outcomes of the calls that it sets off.
    fn turn(&mut self, key: &str, value: &str) -> After {
        let signals = self.signals.take();
        if let Some(times) = &self.times {
            times.reset();
        }
        match self.conversation.begin(key, value, signals.as_deref()) {
            Ok(()) => self.outcomes(),
            Err(Untaken::Input(problems)) => {
                self.wrong(&told(&problems));
                After::More
            }
            Err(Untaken::Session(error)) => {
                self.signals = signals;
                self.not_written(&error, "it is not taken");
                self.tell_unwritten(&error)
            }
        }
    }

    /// Asks for the outcomes of the calls of the turn that has begun.
    fn outcomes(&mut self) -> After {
        self.stop();
        self.marks.push(self.taken.clone());
        self.logged = 0;
        self.log_steps();
        let (mut after, mut lost) = (After::More, None);
        while let Some((at, call)) = self.conversation.due().map(|(at, call)| (at, call.clone())) {
            let ending = match &lost {
                // Of what nothing can be written nobody is asked.
                Some(error) if self.tells(error) => {
                    Ending::Reply(failed(&format!("its outcome could not be written: {error}")))
                }
                Some(_) => Ending::Open,
                // Who has ended the chat is asked nothing more.
                None if after == After::Quit => Ending::Open,
                None => self.timed((at, &call)),
            };
            match ending {
                Ending::Reply(reply) => match self.conversation.answer(reply) {
                    Ok(()) => {
                        self.stop();
                        self.log_steps();
                    }
                    Err(error) => {
                        self.stop();
                        let of = format!("the outcome of `{}` is not taken", self.port((at, &call)));
                        let tells = self.tells(&error);
                        self.not_written(&error, &if tells { of } else { format!("{of}, and the call stays open") });
                        self.conversation.hold(tells);
                        lost = Some(error);
                    }
                },
                Ending::Open => self.conversation.leave_open(),
                Ending::Undone => return After::More,
                Ending::Quit => {
                    self.conversation.leave_open();
                    after = After::Quit;
                }
            }
        }
        self.show_turn();
        match lost {
            Some(error) => self.tell_unwritten(&error),
            None => self.over(after),
        }
    }

    /// Tells the log of the last steps.
    fn log_steps(&mut self) {
        let turns = self.conversation.turns();
        let steps = turns.last().map_or(&[][..], |told| &told.played.steps);
        let number = turns.last().map_or(0, |told| told.number);
        let (session, turn) = (&self.conversation.clock().session_id, format!("t-{number}"));
        for played in &steps[self.logged.min(steps.len())..] {
            if let Ok(step) = &played.result {
                tell_at(self.registry, (played.pack, played.reply), session, &turn, step, self.texts);
            }
        }
        self.logged = steps.len();
    }

    /// Says something that is no turn.
    fn note(&mut self, text: &str) {
        let text = format!("{}\n", text.trim_end());
        if self.json { self.terminal.err(&text) } else { self.terminal.out(&text) }
    }

    /// Says that something cannot be done.
    fn wrong(&mut self, message: &str) {
        self.misunderstood = true;
        match self.input.number() {
            Some(number) => self.terminal.error(&format!("line {number}: {message}")),
            None => self.terminal.error(message),
        }
    }
}

/// Findings about a line, in words.
fn told(problems: &[Diagnostic]) -> String {
    let one = |problem: &Diagnostic| match &problem.help {
        Some(help) => format!("{}; {help}", problem.message),
        None => problem.message.clone(),
    };
    problems.iter().map(one).collect::<Vec<_>>().join("\n  ")
}
