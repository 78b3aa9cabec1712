//! `segue sessions`: what a store of sessions holds.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::declare::Options;
use crate::engine::restore;
use crate::load::load;
use crate::model::json::DataError;
use crate::registry::Registry;
use crate::report::plural;
use crate::scenario::{Clock, env};
use crate::session::{Commit, Entry, Head, Kept, SessionError, Store, StoreError, migrate};
use crate::store::Access;
use crate::workspace::{DrawnIds, Problem, files, now};

use super::advice::{self, missing, unused};
use super::place::Place;
use super::reading::{loaded, workspace};
use super::terminal::{Terminal, cut};
use super::{FAILED, Output, PASSED};

/// Look at the sessions that are kept in a file or on a server, check them, take some out.
///
/// Exit codes: 0 = done, 1 = there is no such session, or one is not whole, 2 = it could not be run.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Say what sessions there are: one line each.
    List(Of),
    /// Say what happened in a session, turn by turn.
    Show(One),
    /// Print a session as one JSON document: what is known of it, its state, its log, the calls that are open.
    Export(One),
    /// Look whether the store is whole, and whether each session that goes on can be taken up with its pack as it is in the workspace.
    Check(Of),
    /// Carry sessions of earlier registries over to their packs as they are in the workspace, as these declare (`[migration.NAME]`).
    Migrate(Over),
    /// Take a session out, with all that is known of it.
    Delete(One),
}

#[derive(Debug, clap::Args)]
struct Of {
    /// The file in which the sessions are kept, or the server (`postgres://…`).
    #[arg(long, value_name = "FILE", value_parser = Place::parser())]
    store: Place,
    /// The form of what is printed.
    #[arg(long, value_enum, default_value = "human")]
    format: Output,
}

#[derive(Debug, clap::Args)]
struct Over {
    /// Only the session with this id.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Say what would change, and write nothing.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    of: Of,
}

#[derive(Debug, clap::Args)]
struct One {
    /// The id of the session.
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    of: Of,
}

pub fn run(args: &Args, terminal: &mut Terminal) -> u8 {
    let done = match &args.verb {
        Verb::List(of) => list(of, terminal),
        Verb::Show(one) => show(one, terminal),
        Verb::Export(one) => export(one, terminal),
        Verb::Check(of) => check(of, terminal),
        Verb::Migrate(over) => migrated(over, terminal),
        Verb::Delete(one) => delete(one, terminal),
    };
    done.unwrap_or_else(|problem| terminal.not_run(&problem))
}

fn opened(of: &Of, access: Access) -> Result<Box<dyn Store>, Problem> {
    of.store.open(access)
}

/// What comes of asking for one session: a code where there is none.
fn found<T>(one: &One, asked: Result<T, StoreError>, terminal: &mut Terminal) -> Result<Result<T, u8>, Problem> {
    match asked {
        Ok(found) => Ok(Ok(found)),
        Err(StoreError::Missing { id }) => {
            terminal.error(&missing(&one.of.store, &id));
            Ok(Err(FAILED))
        }
        Err(error) => Err(unused(&one.of.store, error)),
    }
}

fn list(of: &Of, terminal: &mut Terminal) -> Result<u8, Problem> {
    let heads = opened(of, Access::Read)?.list().map_err(|error| unused(&of.store, error))?;
    match of.format {
        Output::Json => terminal.out(&format!("{:#}\n", json!({ "sessions": heads }))),
        Output::Human => {
            for head in &heads {
                terminal.out(&format!("{}\n", line(head)));
            }
            terminal.out(&format!("{}\n", plural(heads.len(), "session")));
        }
    }
    Ok(PASSED)
}

/// What is known of a session, on one line.
fn line(head: &Head) -> String {
    let Head { id, pack, turns, opened, touched, ended, context, .. } = head;
    let turns = plural(usize::try_from(*turns).unwrap_or(usize::MAX), "turn");
    let since = match ended {
        Some(ended) => format!("{opened}, ended {ended}"),
        None => format!("{opened}, last {touched}"),
    };
    let context = if context.is_empty() { String::new() } else { format!("  {}", Json::Object(context.clone())) };
    files::visible(&format!("{id}  {pack}  {turns}  {since}{}", cut(context)))
}

fn show(one: &One, terminal: &mut Terminal) -> Result<u8, Problem> {
    let store = opened(&one.of, Access::Read)?;
    let asked = store.read(&one.id).and_then(|kept| Ok((kept, store.entries(&one.id)?)));
    let (kept, entries) = match found(one, asked, terminal)? {
        Ok(found) => found,
        Err(code) => return Ok(code),
    };
    if one.of.format == Output::Json {
        terminal.out(&format!("{:#}\n", json!({ "session": kept.head, "entries": entries, "pending": kept.pending })));
        return Ok(PASSED);
    }
    terminal.out(&format!("{}\n", line(&kept.head)));
    if kept.state.is_none() {
        terminal.out("  what was said in it was given up when it ended\n");
    }
    for entry in &entries {
        terminal.out(&told(entry));
    }
    for pending in &kept.pending {
        let (call, port, request) = (&pending.call, &pending.port, &pending.request);
        terminal.out(&format!("  open     {}\n", cut(files::visible(&format!("{call} {port} {request}")))));
    }
    Ok(PASSED)
}

/// What an event came to, in a few lines. What is long is cut: an export has all of it.
fn told(entry: &Entry) -> String {
    let Entry { turn, at, input, transition, answer_mode, reasons, messages, .. } = entry;
    let mut lines = vec![format!("turn {turn}  {at}  {}", cut(files::visible(&happened(input))))];
    let transition = transition.as_deref().unwrap_or("-");
    let answer = answer_mode.as_deref().map(|mode| format!(" → {mode}")).unwrap_or_default();
    let reasons = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) };
    lines.push(files::visible(&format!("  class    {transition}{answer}{reasons}")));
    for message in messages {
        let message = message.json();
        let told = match (message["message"].as_str(), &message["with"]) {
            (Some(name), Json::Object(with)) if with.is_empty() => name.to_owned(),
            (Some(name), with) => format!("{name} {with}"),
            (None, _) => message.to_string(),
        };
        lines.push(format!("  message  {}", cut(files::visible(&told))));
    }
    lines.join("\n") + "\n"
}

/// An event as people read it: its name and its payload, or which call ended and how.
fn happened(input: &Json) -> String {
    let mut text = String::new();
    if let (Some(event), with) = (input["event"].as_str(), &input["with"]) {
        text.push_str(&format!("{event} {with}"));
        if let Some(signals) = input.get("signals") {
            text.push_str(&format!(", signals {signals}"));
        }
    } else if let (outcome, Some(call), Some(status)) =
        (&input["outcome"], input["outcome"]["call"].as_str(), input["outcome"]["status"].as_str())
    {
        text.push_str(&format!("{call} ended: {status}"));
        match (&outcome["value"], outcome["error"].as_str()) {
            (_, Some(error)) => text.push_str(&format!(", {error}")),
            (Json::Null, None) => {}
            (value, None) => text.push_str(&format!(" {value}")),
        }
    } else {
        text = input.to_string();
    }
    text
}

fn export(one: &One, terminal: &mut Terminal) -> Result<u8, Problem> {
    let store = opened(&one.of, Access::Read)?;
    let asked = store.read(&one.id).and_then(|kept| Ok((kept, store.entries(&one.id)?)));
    let (Kept { head, state, pending }, entries) = match found(one, asked, terminal)? {
        Ok(found) => found,
        Err(code) => return Ok(code),
    };
    let state: Option<Json> = state.map(|state| serde_json::from_str(&state)).transpose().map_err(|error| {
        Problem::new(format!("{}: the state of session {} is not readable: {error}", one.of.store, one.id))
    })?;
    let document = json!({ "session": head, "state": state, "entries": entries, "pending": pending });
    terminal.out(&format!("{document:#}\n"));
    Ok(PASSED)
}

fn delete(one: &One, terminal: &mut Terminal) -> Result<u8, Problem> {
    let store = opened(&one.of, Access::Existing)?;
    if let Err(code) = found(one, store.delete(&one.id), terminal)? {
        return Ok(code);
    }
    match one.of.format {
        Output::Json => terminal.out(&format!("{:#}\n", json!({ "deleted": one.id }))),
        Output::Human => terminal.out(&format!("deleted {}\n", files::visible(&one.id))),
    }
    Ok(PASSED)
}

fn check(of: &Of, terminal: &mut Terminal) -> Result<u8, Problem> {
    let store = opened(of, Access::Read)?;
    let mut wrong: Vec<(Option<String>, String)> = Vec::new();
    match store.faults() {
        Ok(faults) => wrong.extend(faults.into_iter().map(|fault| (None, fault))),
        Err(StoreError::Damaged { why }) => wrong.push((None, why)),
        Err(error) => return Err(unused(&of.store, error)),
    }
    let heads = match store.list() {
        Ok(heads) => heads,
        Err(StoreError::Damaged { why }) => {
            wrong.push((None, why));
            Vec::new()
        }
        Err(error) => return Err(unused(&of.store, error)),
    };
    let mut damaged = !wrong.is_empty();
    let mut packs: BTreeMap<&str, Option<Registry>> = BTreeMap::new();
    let mut compared = 0;
    for head in &heads {
        let kept = store.read(&head.id).and_then(|kept| store.entries(&head.id).map(|_| kept));
        let state = match kept {
            Ok(Kept { state, .. }) => state.filter(|_| head.ended.is_none()),
            Err(error @ StoreError::Damaged { .. }) => {
                damaged = true;
                wrong.push((Some(head.id.clone()), error.to_string()));
                continue;
            }
            // Another one has taken it out meanwhile.
            Err(StoreError::Missing { .. }) => continue,
            Err(error) => return Err(unused(&of.store, error)),
        };
        let Some(state) = state else { continue };
        if !packs.contains_key(&*head.pack) {
            packs.insert(&head.pack, registry(&head.pack, terminal)?);
        }
        let Some(Some(registry)) = packs.get(&*head.pack) else { continue };
        compared += 1;
        let read = serde_json::from_str(&state).map_err(|error| DataError::new("", error.to_string()));
        let clock = Clock::default();
        let mut ids = DrawnIds::new()?;
        let restored = read.and_then(|json| restore(registry, &json, &mut env(&clock, 0, &mut ids)));
        wrong.extend(restored.err().map(|error| (Some(head.id.clone()), error.to_string())));
    }
    let unknown: Vec<&str> = packs.iter().filter(|(_, of)| of.is_none()).map(|(name, _)| *name).collect();
    match of.format {
        Output::Json => {
            let each = wrong.iter().map(|(id, message)| json!({ "session": id, "message": message }));
            let document = json!({
                "sessions": heads.len(), "compared": compared, "packs_not_here": unknown, "wrong": each.collect::<Vec<_>>(),
            });
            terminal.out(&format!("{document:#}\n"));
        }
        Output::Human => {
            for (id, message) in &wrong {
                let of = id.as_deref().map_or_else(|| "the store".to_owned(), |id| format!("session {id}"));
                terminal.out(&format!("{}\n", files::visible(&format!("{of}: {message}"))));
            }
            for name in &unknown {
                terminal
                    .out(&format!("no pack {} here: its sessions are not compared with it\n", files::visible(name)));
            }
            let (all, count) = (plural(heads.len(), "session"), wrong.len());
            terminal.out(&format!("{all}, {compared} compared with their packs, {count} wrong\n"));
            if damaged {
                terminal.out(
                    "keep a copy of the store before anything is done with it; `segue sessions delete ID` takes out a session that is \
                     not whole, a backup has it whole\n",
                );
            }
        }
    }
    Ok(if wrong.is_empty() { PASSED } else { FAILED })
}

fn migrated(over: &Over, terminal: &mut Terminal) -> Result<u8, Problem> {
    let of = &over.of;
    let store = opened(of, if over.dry_run { Access::Read } else { Access::Existing })?;
    let mut heads = store.list().map_err(|error| unused(&of.store, error))?;
    if let Some(id) = &over.session {
        heads.retain(|head| head.id == *id);
        if heads.is_empty() {
            terminal.error(&missing(&of.store, id));
            return Ok(FAILED);
        }
    } else {
        heads.retain(|head| head.ended.is_none());
    }
    let mut packs: BTreeMap<&str, Option<Registry>> = BTreeMap::new();
    let (mut carried, mut stand, mut refused) = (Vec::new(), 0, Vec::new());
    for head in &heads {
        if !packs.contains_key(&*head.pack) {
            packs.insert(&head.pack, registry(&head.pack, terminal)?);
        }
        let Some(Some(registry)) = packs.get(&*head.pack) else {
            refused.push((&head.id, format!("no pack {} here", head.pack)));
            continue;
        };
        match carry(over, &*store, registry, head)? {
            Ok(Some(changes)) => carried.push((&head.id, changes)),
            Ok(None) => stand += 1,
            Err(error) => refused.push((&head.id, advice::told(&error))),
        }
    }
    match of.format {
        Output::Json => {
            let done = carried.iter().map(|(id, changes)| json!({ "session": id, "changes": changes }));
            let not = refused.iter().map(|(id, message)| json!({ "session": id, "message": message }));
            let document = json!({
                "dry_run": over.dry_run, "migrated": done.collect::<Vec<_>>(), "unchanged": stand, "refused": not.collect::<Vec<_>>(),
            });
            terminal.out(&format!("{document:#}\n"));
        }
        Output::Human => {
            for (id, changes) in &carried {
                let changes =
                    if changes.is_empty() { "as it was, under another registry".into() } else { changes.join("; ") };
                terminal.out(&format!("{}\n", files::visible(&format!("{id}: {changes}"))));
            }
            for (id, message) in &refused {
                terminal.out(&format!("{}\n", files::visible(&format!("{id}: refused: {message}"))));
            }
            let (done, not) = (plural(carried.len(), "session"), refused.len());
            let would = if over.dry_run { "would be " } else { "" };
            terminal.out(&format!("{done} {would}carried over, {stand} of this registry, {not} refused\n"));
        }
    }
    Ok(if refused.is_empty() { PASSED } else { FAILED })
}

/// Carries one session over: what has changed, or nothing where it is of this registry.
fn carry(
    over: &Over,
    store: &dyn Store,
    registry: &Registry,
    head: &Head,
) -> Result<Result<Option<Vec<String>>, SessionError>, Problem> {
    let (mut ids, clock) = (DrawnIds::new()?, Clock::at(now()?));
    let mut env = env(&clock, 0, &mut ids);
    let done = store.read(&head.id).map_err(SessionError::from).and_then(|kept| {
        let Some(done) = migrate(registry, &kept, &mut env)? else { return Ok(None) };
        if !over.dry_run {
            let commit = Commit { head: &done.head, state: done.state, entry: done.entry, pending: &done.pending };
            store.commit(commit)?;
        }
        Ok(Some(done.changes))
    });
    match done {
        // Another one goes on with it, or it has just been taken out: that is said of the session. The rest is said of the store.
        Err(SessionError::Store(error))
            if !matches!(
                error,
                StoreError::Conflict { .. } | StoreError::Missing { .. } | StoreError::Damaged { .. }
            ) =>
        {
            Err(unused(&over.of.store, error))
        }
        done => Ok(done),
    }
}

/// The pack of sessions, where there is one of this name.
fn registry(name: &str, terminal: &mut Terminal) -> Result<Option<Registry>, Problem> {
    let workspace = workspace(&files::here()?, true)?;
    let is_it = |registry: &Registry| registry.pack().names.text(registry.pack().id) == name;
    let packs = workspace.packs();
    if packs.iter().any(|pack| pack == name) {
        let (registry, _) = loaded(&workspace.pack(name)?, name, terminal)?;
        if is_it(&registry) {
            return Ok(Some(registry));
        }
    }
    // The folder of a pack may be called otherwise.
    let others = packs.iter().filter(|pack| *pack != name).filter_map(|pack| workspace.pack(pack).ok());
    Ok(others.filter_map(|texts| load(&texts, &Options::default()).registry).find(is_it))
}
