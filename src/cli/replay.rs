//! `segue replay`: runs scenarios and holds them against their expectations and snapshots.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use crate::jobs::Job;
use crate::scenario::report::{Ran, Report, Status, human, json, junit};
use crate::scenario::{self, Failure, Outcome, Scenario, snapshot};
use crate::source::Span;
use crate::workspace::{Case, Corpus, FaultyFile, Problem, Workspace, files};

use super::packs::{Loaded, Loader};
use super::parallel::Workers;
use super::reading::{start, workspace};
use super::recorded;
use super::terminal::Terminal;
use super::watch::{self, Changed, Reads};
use super::{FAILED, NOT_RUN, Output, PASSED};

/// Replay scenarios and compare them with their expectations and snapshots.
///
/// Exit codes: 0 = all passed, 1 = something failed, 2 = it could not be run, or nothing was selected.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Scenario files, or folders of them [default: the scenarios of the workspace].
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The form of the report.
    #[arg(long, value_enum, default_value = "human")]
    format: Form,
    /// Write the transcripts of scenarios whose expectations hold as their snapshots, and remove snapshots that no
    /// scenario refers to.
    #[arg(long)]
    accept: bool,
    /// Only scenarios that have this text in their name or file.
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// How many scenarios run at the same time [default: one a processor].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Run every scenario, or the recorded dialogues, on the pack in this folder, or of this name in the workspace.
    #[arg(long, value_name = "FOLDER")]
    pack: Option<PathBuf>,
    /// Run the recorded dialogues in this file instead: one JSON record a line, packed with gzip or not, in a form that the
    /// pack declares under `[recording.NAME]`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "accept", "filter", "jobs"])]
    recorded: Option<PathBuf>,
    /// Begin each recorded turn in this state: frames, a scenario file or a saved session, as JSON, YAML or TOML.
    #[arg(long, value_name = "STATE", requires = "recorded")]
    given: Option<PathBuf>,
    /// Explain the first N recorded turns that come out otherwise than expected.
    #[arg(long, value_name = "N", requires = "recorded", value_parser = clap::value_parser!(u32).range(1..))]
    misses: Option<u32>,
    /// Run again whenever something is saved; with a form for people only. Ctrl-C ends it.
    #[arg(long, conflicts_with_all = ["accept", "recorded"])]
    watch: bool,
}

/// The form of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// For people.
    Human,
    /// One JSON document on standard output; all else goes to standard error.
    Json,
    /// One JUnit document on standard output, a test case for each scenario; all else goes to standard error.
    Junit,
}

/// What is known from one run to the next.
struct Known<'w> {
    corpus: Corpus,
    packs: Loader<'w>,
    /// What scenarios came to, each by its place.
    played: BTreeMap<Span, Played>,
}

/// What a scenario comes to on a pack.
struct Played {
    scenario: Scenario,
    /// That of the pack: where it is the same the scenario comes to the same.
    fingerprint: String,
    outcome: Arc<Outcome>,
    /// The snapshot that held its transcript.
    held: Option<PathBuf>,
}

/// What replaying one case came to, before anything is written.
struct Tried {
    fingerprint: String,
    outcome: Arc<Outcome>,
    ran: Ran,
    /// The text that the snapshot should hold, where it does not.
    fresh: Option<String>,
    /// Whether all of it is as it was.
    same: bool,
}

pub fn run(args: &Args, terminal: &mut Terminal) -> u8 {
    let reads = Reads { paths: &args.paths, pack: args.pack.as_deref() };
    let forms = (args.format != Form::Human).then_some("`--format human`");
    let jobs = args.jobs.and_then(|jobs| NonZeroUsize::new(usize::from(jobs)));
    let workers = Workers::new(jobs);
    let mut known = Known { corpus: Corpus::default(), packs: Loader::new(&workers), played: BTreeMap::new() };
    let again = args.watch.then_some(&reads);
    let code =
        watch::run(again, forms, terminal, |changed, terminal| replay(args, &mut known, changed, &workers, terminal));
    // The process ends here: to take the packs apart one by one would cost more than to give all of it back at once.
    std::mem::forget(known);
    code
}

/// Replays, and keeps what is `known` of packs and scenarios for the next time.
fn replay(
    args: &Args,
    known: &mut Known<'_>,
    changed: &Changed,
    workers: &Workers,
    terminal: &mut Terminal,
) -> Result<u8, Problem> {
    if let Some(file) = &args.recorded {
        let misses = usize::try_from(args.misses.unwrap_or(0)).unwrap_or(usize::MAX);
        let (pack, given) = (args.pack.as_deref(), args.given.as_deref());
        let format = match args.format {
            Form::Human => Output::Human,
            Form::Json => Output::Json,
            Form::Junit => {
                return Err(Problem::new("`--format junit` is for scenarios: recorded dialogues are scored"));
            }
        };
        return recorded::run(&recorded::Asked { file, pack, given, misses, format }, terminal);
    }
    // A run that ends before it has played anything knows of nothing that was touched before it.
    let before = std::mem::take(&mut known.played);
    let in_ci = files::in_ci();
    if args.accept && in_ci {
        return Err(Problem::new("`--accept` writes snapshots, and with CI set nothing is written"));
    }
    let workspace = workspace(&start(&args.paths, "replay")?, args.pack.is_some())?;
    let both = |one: Job<'_>, other: Job<'_>| workers.both(one, other);
    known.corpus = workspace.corpus_again(&args.paths, &known.corpus, &both)?;
    let corpus = &mut known.corpus;
    if let Some(filter) = &args.filter {
        corpus.cases.retain(|case| case.scenario.name.contains(filter) || case.file.contains(filter));
        corpus.faulty.retain(|faulty| faulty.file.contains(filter));
        corpus.orphans.clear();
    }
    if corpus.cases.is_empty() && corpus.faulty.is_empty() && corpus.orphans.is_empty() {
        return Err(Problem::new(match &args.filter {
            Some(filter) => format!("nothing to replay: `{filter}` is in no name or file of {}", corpus.looked),
            None => format!("nothing to replay: {}", corpus.looked),
        }));
    }
    let packs = known.packs.load(args.pack.as_deref(), &workspace, corpus, terminal)?;
    let tried = run_all(args, &workspace, corpus, &packs, (&before, changed), workers, terminal);
    let mut report = Report::default();
    let mut whole = true;
    for faulty in &corpus.faulty {
        report.results.push(error(faulty));
    }
    if args.accept {
        let folders: BTreeSet<_> = corpus.cases.iter().filter_map(|case| case.snapshot.parent()).collect();
        folders.into_iter().for_each(files::sweep);
    }
    let mut played = BTreeMap::new();
    for (case, mut tried) in corpus.cases.iter().zip(tried) {
        if let Err(problem) = keep(args, in_ci, &workspace, case, &mut tried, &mut report) {
            tried.ran.failures.push(Failure::new(None, case.scenario.span, problem.message));
            tried.ran.status = Status::Failed;
            whole = false;
        }
        report.results.push(tried.ran);
        let (holds, fingerprint, outcome) = (tried.fresh.is_none(), tried.fingerprint, tried.outcome);
        let (scenario, held) = (case.scenario.clone(), holds.then(|| case.snapshot.clone()));
        played.insert(case.scenario.span, Played { scenario, fingerprint, outcome, held });
    }
    known.played = played;
    report.results.sort_by(|a, b| a.file.cmp(&b.file));
    for orphan in &corpus.orphans {
        let pending = orphan.shown.ends_with(".new");
        if args.accept {
            match files::remove(&orphan.path, &orphan.shown) {
                Ok(()) => report.notes.push(format!("removed {}", orphan.shown)),
                Err(problem) => {
                    terminal.error(&problem.message);
                    whole = false;
                }
            }
        } else if !pending {
            report.unreferenced.push(orphan.shown.clone());
        }
    }
    for pack in &packs {
        let declared = pack.registry.pack();
        report.classes.extend(declared.classes.iter().map(|class| declared.names.text(class.id).to_owned()));
    }
    match args.format {
        Form::Human => terminal.out(&human(&corpus.sources, &report, terminal.color_out())),
        Form::Json | Form::Junit => {
            for note in &report.notes {
                terminal.err(&format!("{note}\n"));
            }
            let document = match args.format {
                Form::Junit => junit(&corpus.sources, &report).map_err(|error| Problem::new(error.to_string()))?,
                _ => format!("{:#}\n", json(&corpus.sources, &report)),
            };
            terminal.out(&document);
        }
    }
    workers.aside(move || drop(before));
    known.packs.tidy();
    Ok(match () {
        () if report.count(Status::Error) > 0 || !whole => NOT_RUN,
        () if report.passed() => PASSED,
        () => FAILED,
    })
}

fn run_all(
    args: &Args,
    workspace: &Workspace,
    corpus: &Corpus,
    packs: &[Loaded],
    (known, changed): (&BTreeMap<Span, Played>, &Changed),
    workers: &Workers,
    terminal: &Terminal,
) -> Vec<Tried> {
    let bar = terminal.progress(corpus.cases.len());
    let tried = workers.map(&corpus.cases, |case| {
        let pack = packs.iter().find(|pack| pack.takes(case));
        let tried = pack.map(|pack| attempt(args, workspace, case, pack, (known.get(&case.scenario.span), changed)));
        bar.inc(1);
        tried
    });
    bar.finish_and_clear();
    tried.into_iter().flatten().collect()
}

/// Replays a case, unless it is known what comes of it, and holds its transcript against its snapshot.
fn attempt(
    args: &Args,
    workspace: &Workspace,
    case: &Case,
    pack: &Loaded,
    (known, changed): (Option<&Played>, &Changed),
) -> Tried {
    let named = args.pack.as_ref().map(|pack| format!(" --pack {}", pack.display())).unwrap_or_default();
    let explain = format!("segue explain {}:{}{named}", case.file, case.nth);
    let fingerprint = &pack.registry.pack().fingerprint;
    let known = known.filter(|known| known.scenario == case.scenario);
    // What fails is told with places of the pack, which may be others now.
    let same = known.filter(|known| known.fingerprint == *fingerprint && known.outcome.failures.is_empty());
    let outcome = match same {
        Some(known) => Arc::clone(&known.outcome),
        None => Arc::new(scenario::replay(&pack.registry, &case.scenario)),
    };
    let held = known.filter(|known| known.held.as_ref() == Some(&case.snapshot) && !changed.may_be(&case.snapshot));
    let same = held.is_some_and(|known| known.outcome.transcript == outcome.transcript);
    let status = if outcome.failures.is_empty() { Status::Passed } else { Status::Failed };
    let ran = Ran {
        file: case.file.clone(),
        name: case.scenario.name.clone(),
        status,
        turns: outcome.turns.clone(),
        failures: outcome.failures.clone(),
        explain: Some(explain),
    };
    let fresh = outcome.transcript.as_ref().filter(|_| !same).and_then(|transcript| {
        let kept = match files::kind(&case.snapshot) {
            files::Kind::Missing => None,
            _ => files::read(&case.snapshot, &workspace.shown(&case.snapshot)).ok(),
        };
        let holds = kept.is_some_and(|kept| snapshot::matches(&kept, transcript));
        (!holds).then(|| snapshot::file(&case.file, &case.scenario.name, fingerprint, transcript))
    });
    Tried { fingerprint: fingerprint.clone(), outcome, ran, fresh, same }
}

/// Writes the snapshot where that is asked for, or its pending form where it may be, and fails the scenario otherwise.
fn keep(
    args: &Args,
    in_ci: bool,
    workspace: &Workspace,
    case: &Case,
    tried: &mut Tried,
    report: &mut Report,
) -> Result<(), Problem> {
    let shown = workspace.shown(&case.snapshot);
    let mut pending = case.snapshot.clone().into_os_string();
    pending.push(".new");
    let (pending, shown_pending) = (PathBuf::from(pending), format!("{shown}.new"));
    let Some(fresh) = &tried.fresh else {
        if !in_ci && !tried.same && tried.ran.status == Status::Passed {
            files::remove(&pending, &shown_pending)?;
        }
        return Ok(());
    };
    let holds = tried.ran.status == Status::Passed;
    if args.accept && holds {
        files::write(&case.snapshot, &shown, fresh)?;
        files::remove(&pending, &shown_pending)?;
        report.notes.push(format!("wrote {shown}"));
        return Ok(());
    }
    let kept = match files::kind(&case.snapshot) {
        files::Kind::Missing => None,
        _ => Some(files::read(&case.snapshot, &shown)?),
    };
    let new = snapshot::contents(fresh);
    let mut failure = Failure::new(
        None,
        case.scenario.span,
        match kept {
            Some(_) => format!("the transcript differs from {shown}"),
            None => format!("there is no snapshot {shown}"),
        },
    );
    failure.diff = kept.map(|kept| snapshot::diff(&kept, &new));
    failure.help = Some(if args.accept {
        "not accepted: an expectation of the scenario fails".into()
    } else if in_ci {
        "run `segue replay --accept` where CI is not set, and commit the file".into()
    } else {
        match files::write(&pending, &shown_pending, fresh) {
            Ok(()) => format!("look at {shown_pending}, then run `segue replay --accept`"),
            Err(problem) => problem.message,
        }
    });
    tried.ran.failures.push(failure);
    tried.ran.status = Status::Failed;
    Ok(())
}

fn error(faulty: &FaultyFile) -> Ran {
    let failures = faulty
        .problems
        .iter()
        .map(|found| Failure { help: found.help.clone(), ..Failure::new(None, found.primary.span, &found.message) })
        .collect();
    Ran {
        file: faulty.file.clone(),
        name: String::new(),
        status: Status::Error,
        turns: Vec::new(),
        failures,
        explain: None,
    }
}
