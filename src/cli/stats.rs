//! `segue stats`: the metrics of packs over sessions.

use std::path::PathBuf;

use crate::model::Pack;
use crate::scenario;
use crate::stats::Tally;
use crate::workspace::{Case, Problem};

use super::packs::Loader;
use super::parallel::Workers;
use super::reading::{start, unread, workspace};
use super::recorded;
use super::terminal::Terminal;
use super::{Output, PASSED};

/// Count the metrics of packs over sessions: scenarios and saved conversations, or recorded dialogues.
///
/// A pack declares them under `[metric.NAME]`; those of packs that it uses are counted with them.
///
/// Exit codes: 0 = counted, 2 = it could not be counted, or nothing was selected.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Scenario files, or folders of them [default: the scenarios of the workspace].
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Play every session on the pack in this folder, or of this name in the workspace.
    #[arg(long, value_name = "FOLDER")]
    pack: Option<PathBuf>,
    /// Count over the recorded dialogues in this file instead, as `segue replay --recorded` reads it.
    #[arg(long, value_name = "FILE", conflicts_with = "paths")]
    recorded: Option<PathBuf>,
    /// Begin each recorded turn in this state: frames, a scenario file or a saved session, as JSON, YAML or TOML.
    #[arg(long, value_name = "STATE", requires = "recorded")]
    given: Option<PathBuf>,
    /// The form of the report.
    #[arg(long, value_enum, default_value = "human")]
    format: Output,
}

pub fn run(args: &Args, terminal: &mut Terminal) -> u8 {
    let counted = match &args.recorded {
        Some(file) => {
            let (pack, given) = (args.pack.as_deref(), args.given.as_deref());
            let asked = recorded::Asked { file, pack, given, misses: 0, format: args.format };
            recorded::replayed(&asked, terminal, |replay| match replay.tally() {
                tally if !tally.counts() => Err(no_metric(&[name(tally.pack())])),
                tally => Ok(told(args.format, &[tally], &[])),
            })
        }
        None => sessions(args, terminal),
    };
    counted.unwrap_or_else(|problem| terminal.not_run(&problem))
}

fn sessions(args: &Args, terminal: &mut Terminal) -> Result<u8, Problem> {
    let workspace = workspace(&start(&args.paths, "count")?, args.pack.is_some())?;
    let corpus = workspace.corpus(&args.paths)?;
    if let Some(faulty) = corpus.faulty.first() {
        return Err(unread(&corpus.sources, &faulty.problems, &faulty.file, terminal));
    }
    if corpus.cases.is_empty() {
        return Err(Problem::new(format!("nothing to count: {}", corpus.looked)));
    }
    let packs = Loader::new(&Workers::new(None)).load(args.pack.as_deref(), &workspace, &corpus, terminal)?;
    let mut tallies = Vec::new();
    let mut without = Vec::new();
    for pack in &packs {
        let mut tally = Tally::new(&pack.registry);
        if !tally.counts() {
            without.push(name(tally.pack()));
            continue;
        }
        for case in corpus.cases.iter().filter(|case| pack.takes(case)) {
            let script = match scenario::script(&pack.registry, &case.scenario) {
                Ok(script) => script,
                Err(found) => return Err(unread(&corpus.sources, &found, &called(case), terminal)),
            };
            let played = scenario::play(&pack.registry, &script, usize::MAX);
            if let Some(failure) = played.turns.iter().flat_map(|turn| &turn.failures).next() {
                let at = corpus.sources.start(failure.span);
                let (file, message) = (called(case), &failure.message);
                let help = "run `segue replay` on it: only sessions that run to their end are counted";
                return Err(Problem::new(format!("{file}:{}: {message}\n  help: {help}", at.line)));
            }
            tally.played(&played);
        }
        tallies.push(tally);
    }
    if tallies.is_empty() {
        return Err(no_metric(&without));
    }
    terminal.out(&told(args.format, &tallies.iter().collect::<Vec<_>>(), &without));
    Ok(PASSED)
}

fn name(pack: &Pack) -> String {
    pack.names.text(pack.id).to_owned()
}

fn no_metric(packs: &[String]) -> Problem {
    let none = format!("nothing to count: no metric is declared in {}", packs.join(", "));
    Problem::new(format!("{none}\n  help: declare one under `[metric.NAME]`"))
}

fn called(case: &Case) -> String {
    format!("{} ({})", case.file, case.scenario.name)
}

/// What was counted; packs `without` a metric are named.
fn told(format: Output, tallies: &[&Tally<'_>], without: &[String]) -> String {
    match format {
        Output::Human => {
            let mut text = tallies.iter().map(|tally| tally.human()).collect::<Vec<_>>().join("\n");
            if !without.is_empty() {
                text.push_str(&format!("\nno metric is declared in {}\n", without.join(", ")));
            }
            text
        }
        Output::Json => {
            let packs: Vec<_> = tallies.iter().map(|tally| tally.json()).collect();
            format!("{:#}\n", serde_json::json!({ "packs": packs, "without_metrics": without }))
        }
    }
}
