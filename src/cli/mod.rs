//! The command line: one file a verb. A verb reads its arguments, makes library calls and prints.

mod advice;
mod chat;
mod check;
mod explain;
mod fmt;
mod new;
mod packs;
mod parallel;
mod place;
mod reading;
mod recorded;
mod replay;
mod schema;
mod sessions;
mod stats;
mod terminal;
mod watch;

use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};

use terminal::Terminal;

/// Everything that was asked for holds.
const PASSED: u8 = 0;
/// Something that was asked for does not hold.
const FAILED: u8 = 1;
/// It could not be found out: wrong usage, something unreadable, a pack that does not load, nothing selected.
const NOT_RUN: u8 = 2;

/// Transition registries for multi-turn assistants: check packs, replay scenarios, explain turns.
///
/// Exit codes: 0 = all is well, 1 = something failed, 2 = it could not be run.
#[derive(Debug, Parser)]
#[command(name = "segue", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Check(check::Args),
    Replay(replay::Args),
    Explain(explain::Args),
    Chat(chat::Args),
    Stats(stats::Args),
    Fmt(fmt::Args),
    New(new::Args),
    Schema(schema::Args),
    Sessions(sessions::Args),
}

/// The form of what is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    /// For people.
    Human,
    /// One JSON document on standard output; all else goes to standard error.
    Json,
}

/// Runs the program with the arguments of the process.
#[must_use]
pub fn main() -> ExitCode {
    let mut terminal = Terminal::new();
    let code = match Cli::try_parse() {
        Ok(cli) => match cli.verb {
            Verb::Check(args) => check::run(&args, &mut terminal),
            Verb::Replay(args) => replay::run(&args, &mut terminal),
            Verb::Explain(args) => explain::run(&args, &mut terminal),
            Verb::Chat(args) => chat::run(&args, &mut terminal),
            Verb::Stats(args) => stats::run(&args, &mut terminal),
            Verb::Fmt(args) => fmt::run(&args, &mut terminal),
            Verb::New(args) => new::run(&args, &mut terminal),
            Verb::Schema(args) => schema::run(&args, &mut terminal),
            Verb::Sessions(args) => sessions::run(&args, &mut terminal),
        },
        Err(error) => {
            terminal.wrote(error.print());
            u8::try_from(error.exit_code()).unwrap_or(NOT_RUN)
        }
    };
    match terminal.unwritten() {
        None => ExitCode::from(code),
        Some(problem) => {
            terminal.error(&problem);
            ExitCode::from(NOT_RUN)
        }
    }
}
