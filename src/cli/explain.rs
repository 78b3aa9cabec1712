//! `segue explain`: why a turn went where it went.

use std::path::{Path, PathBuf};

use jiff::civil::Date;
use serde_json::{Map, Value};

use crate::diag::{Code, Diagnostics, did_you_mean, quoted, suggest};
use crate::engine::Event;
use crate::explain::{Explanation, explain, human, json};
use crate::model::Pack;
use crate::registry::Registry;
use crate::scenario::{self, Clock, show};
use crate::source::SourceMap;
use crate::state::SessionState;
use crate::syntax::{self, Format};
use crate::workspace::{Case, Problem, files};

use super::reading::{loaded, mended, pack_in, read, unread, workspace};
use super::terminal::Terminal;
use super::{NOT_RUN, Output, PASSED};

/// Explain a turn (the chosen class, and for each other candidate the first thing that ruled it out), or the code of a finding.
///
/// A turn of a scenario, `segue explain FILE --turn N`; an event on a state,
/// `segue explain --pack FOLDER --state FILE --say TEXT`; a code by its id or name, `segue explain SG002`.
///
/// Exit codes: 0 = explained, 2 = it could not be.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A scenario file; `FILE:2` is the second scenario in it. Or the code of a finding.
    #[arg(value_name = "FILE[:N]|CODE", conflicts_with_all = ["state", "say", "event", "input", "signals", "today"])]
    file: Option<String>,
    /// The scenario in the file, by its name or a part of it.
    #[arg(long, value_name = "NAME", requires = "file")]
    scenario: Option<String>,
    /// Which turn, from 1 [default: the last].
    #[arg(long, value_name = "N", requires = "file")]
    turn: Option<usize>,
    /// The folder of the pack, or its name in the workspace [default: for a scenario its own, else the one that is meant].
    #[arg(long, value_name = "FOLDER")]
    pack: Option<PathBuf>,
    /// The state before the event: the saved form, or frames by short name, as JSON, YAML or TOML [default: a new session].
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// What the user says.
    #[arg(long, value_name = "TEXT")]
    say: Option<String>,
    /// The event [default: the one event that has a text].
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// The payload of the event, a JSON object.
    #[arg(long, value_name = "JSON")]
    input: Option<String>,
    /// Signals of the host, a JSON object.
    #[arg(long, value_name = "JSON")]
    signals: Option<String>,
    /// Today [default: 2020-01-01].
    #[arg(long, value_name = "DATE")]
    today: Option<String>,
    /// Every test of every guard, with what it found.
    #[arg(short, long)]
    verbose: bool,
    /// The form of the explanation.
    #[arg(long, value_enum, default_value = "human")]
    format: Output,
}

pub fn run(args: &Args, terminal: &mut Terminal) -> u8 {
    if let Some(code) = args.file.as_deref().filter(|file| may_be_code(file)) {
        return of_code(code, terminal);
    }
    let explained = match &args.file {
        Some(file) => of_scenario(args, file, terminal),
        None => of_state(args, terminal),
    };
    match explained {
        Ok(explanation) => {
            let text = match args.format {
                Output::Human => human(&explanation, args.verbose),
                Output::Json => format!("{:#}\n", json(&explanation)),
            };
            terminal.out(&text);
            PASSED
        }
        Err(problem) => terminal.not_run(&problem),
    }
}

/// Whether this is written like a code, and no file has that name.
fn may_be_code(name: &str) -> bool {
    let form = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    form && files::kind(Path::new(name)) == files::Kind::Missing
}

/// Prints the page of a code.
fn of_code(name: &str, terminal: &mut Terminal) -> u8 {
    let told = name.replace('_', "-");
    if let Some(code) = [told.to_ascii_lowercase(), told.to_ascii_uppercase()].iter().find_map(|name| Code::find(name))
    {
        terminal.out(&crate::report::page(code));
        return PASSED;
    }
    let help = match Code::near(&told).or_else(|| Code::near(&told.to_ascii_lowercase())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "write the id or the name of a code, such as `SG002` or `unknown-key`, or a scenario file".into(),
    };
    terminal.error(&format!("there is no code {}, and no such file; {help}", quoted(name)));
    NOT_RUN
}

fn of_scenario(args: &Args, file: &str, terminal: &mut Terminal) -> Result<Explanation, Problem> {
    let (path, nth) = split(file);
    let path = Path::new(path);
    match files::kind(path) {
        files::Kind::Missing => return Err(Problem::new(format!("no such file: {}", path.display()))),
        files::Kind::Folder => {
            return Err(Problem::new(format!("{}: is a folder, a scenario file is due", path.display())));
        }
        files::Kind::File | files::Kind::Other => {}
    }
    let workspace = workspace(path, args.pack.is_some())?;
    let corpus = workspace.corpus(&[path.to_path_buf()])?;
    if let Some(faulty) = corpus.faulty.first() {
        return Err(unread(&corpus.sources, &faulty.problems, &faulty.file, terminal));
    }
    let case = choose(&corpus.cases, nth, args.scenario.as_deref(), file)?;
    let loaded = match (&args.pack, &case.pack) {
        (Some(pack), _) => pack_in(&workspace, Some(pack), terminal)?,
        (None, Some(name)) => loaded(&workspace.pack(name)?, name, terminal)?,
        (None, None) => return Err(Problem::new(format!("{}: the scenario names no pack; write `--pack`", case.file))),
    };
    let (registry, sources) = loaded;
    let script = scenario::script(&registry, &case.scenario)
        .map_err(|problems| unread(&corpus.sources, &problems, &case.file, terminal))?;
    let count = script.turns.len();
    let turn = args.turn.unwrap_or(count);
    if turn == 0 || turn > count {
        return Err(Problem::new(format!("there is no turn {turn}: {} has {count}", quoted(&case.scenario.name))));
    }
    let played = scenario::play(&registry, &script, turn);
    let about = format!("{}, turn {turn} of {count}: {}", case.file, show::line(&case.scenario.name));
    let steps = played.turns.last().map_or(&[] as &[_], |turn| &turn.steps);
    Ok(explain(&registry, &sources, about, steps))
}

/// `FILE:2` as the file and the number, unless there is a file of that very name.
fn split(file: &str) -> (&str, Option<usize>) {
    match file.rsplit_once(':').map(|(path, nth)| (path, nth.parse())) {
        Some((path, Ok(nth))) if files::kind(Path::new(file)) == files::Kind::Missing => (path, Some(nth)),
        _ => (file, None),
    }
}

fn choose<'c>(cases: &'c [Case], nth: Option<usize>, name: Option<&str>, file: &str) -> Result<&'c Case, Problem> {
    if nth.is_some() && name.is_some() {
        return Err(Problem::new("`FILE:N` and `--scenario` both say which scenario: write one of them"));
    }
    let names = || cases.iter().map(|case| case.scenario.name.as_str());
    if let Some(name) = name {
        let exact = cases.iter().find(|case| case.scenario.name == name);
        let mut like = cases.iter().filter(|case| case.scenario.name.contains(name));
        return match (exact, like.next(), like.next()) {
            (Some(case), ..) | (None, Some(case), None) => Ok(case),
            (None, Some(_), Some(_)) => {
                Err(Problem::new(format!("more than one scenario has {} in its name", quoted(name))))
            }
            (None, None, _) => {
                let help =
                    suggest(name, names()).map_or_else(String::new, |like| format!("; {}", did_you_mean(name, like)));
                Err(Problem::new(format!("no scenario {} in {file}{help}", quoted(name))))
            }
        };
    }
    match (nth, cases) {
        (Some(nth), _) => match nth.checked_sub(1).and_then(|index| cases.get(index)) {
            Some(case) => Ok(case),
            None => Err(Problem::new(format!("there is no scenario {nth}: the file has {}", cases.len()))),
        },
        (None, [case]) => Ok(case),
        (None, _) => {
            let mut message = format!("{file} has {} scenarios: say which", cases.len());
            for (index, name) in names().take(30).enumerate() {
                message.push_str(&format!("\n  {file}:{}  {name}", index + 1));
            }
            Err(Problem::new(message))
        }
    }
}

fn of_state(args: &Args, terminal: &mut Terminal) -> Result<Explanation, Problem> {
    let workspace = workspace(&files::here()?, args.pack.is_some())?;
    if args.say.is_none() && args.event.is_none() {
        let due = "write a scenario file, or `--pack FOLDER` with `--say TEXT` or `--event NAME`";
        return Err(Problem::new(format!("nothing to explain: {due}")));
    }
    let (registry, sources) = pack_in(&workspace, args.pack.as_deref(), terminal)?;
    let clock = match &args.today {
        None => Clock::default(),
        Some(text) => match text.parse::<Date>() {
            Ok(today) if today.to_string() == *text => Clock::on(today),
            _ => return Err(Problem::new(format!("--today: {} is no date; write 2021-05-10", quoted(text)))),
        },
    };
    let mut about = format!("pack {}", registry.pack().title);
    let state = match &args.state {
        Some(path) => {
            let shown = workspace.shown(&files::real(path));
            let (state, repaired) =
                read(path, &shown, terminal, |node, out| scenario::state_of(&registry, node, &clock, out))?;
            mended(registry.pack(), &repaired, terminal);
            about.push_str(&format!(", state {shown}"));
            state
        }
        None => {
            about.push_str(", a new session");
            SessionState::new(registry.pack())
        }
    };
    let (event, shown) = event(args, &registry)?;
    let steps = scenario::take(&registry, &state, &event, shown, &clock);
    Ok(explain(&registry, &sources, about, &steps))
}

/// The event that the arguments describe, and how to show it.
fn event(args: &Args, registry: &Registry) -> Result<(Event, String), Problem> {
    let pack = registry.pack();
    let name = match &args.event {
        Some(name) => name.clone(),
        None => match pack.said() {
            Some(event) => pack.names.text(pack.events[event.index()].name).to_owned(),
            None => return Err(Problem::new("say which event: `--event NAME`")),
        },
    };
    let mut payload = object(args.input.as_deref(), "--input")?;
    let signals = object(args.signals.as_deref(), "--signals")?;
    if let Some(text) = &args.say {
        match text_field(pack, &name) {
            Some(field) if payload.contains_key(&field) => {
                return Err(Problem::new(format!("--say and --input both give `{field}`: write one of them")));
            }
            Some(field) => {
                payload.insert(field, Value::from(text.as_str()));
            }
            None if pack.event(&name).is_some() => {
                return Err(Problem::new(format!("event `{name}` has no text: leave out --say, write --input")));
            }
            None => {}
        }
    }
    let shown = match (&args.say, payload.len()) {
        (Some(text), 1) => format!("{name}: {}", show::line(text)),
        _ => format!("{name}: {}", show::json(&Value::Object(payload.clone()))),
    };
    let event = Event::input(registry, &name, &Value::Object(payload), &Value::Object(signals))
        .map_err(|error| Problem::new(error.to_string()))?;
    Ok((event, shown))
}

fn text_field(pack: &Pack, event: &str) -> Option<String> {
    let declared = &pack.events[pack.event(event)?.index()];
    let wire = declared.text.and_then(|input| declared.wire_of(input))?;
    Some(pack.names.text(wire).to_owned())
}

fn object(text: Option<&str>, what: &str) -> Result<Map<String, Value>, Problem> {
    let Some(text) = text else { return Ok(Map::new()) };
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => match twice(text, what) {
            Some(problem) => Err(problem),
            None => Ok(object),
        },
        Ok(_) => Err(Problem::new(format!("{what}: a JSON object is due, such as {{\"confidence\": 0.4}}"))),
        Err(error) => Err(Problem::new(format!("{what}: is no JSON: {error}"))),
    }
}

/// Of a key that is given twice JSON keeps the last; here it is an error as it is in files.
fn twice(text: &str, what: &str) -> Option<Problem> {
    let mut sources = SourceMap::default();
    let out = Diagnostics::new();
    syntax::parse(sources.add(what, text), text, Format::Json, &out);
    let found = out.into_sorted().into_iter().find(|found| found.code == Code::DuplicateKey)?;
    let at = sources.start(found.primary.span);
    Some(Problem::new(format!("{what}:{}:{}: {}", at.line, at.column, found.message)))
}
