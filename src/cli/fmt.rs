//! `segue fmt`: writes files in their canonical form.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use similar::TextDiff;

use crate::diag::{Diagnostic, Diagnostics};
use crate::format::format;
use crate::source::{SourceMap, SourceText};
use crate::syntax::Limits;
use crate::workspace::{Problem, Workspace, files};

use super::terminal::Terminal;
use super::{FAILED, NOT_RUN, PASSED};

/// Write pack files, scenarios and segue.toml in their canonical form: order of keys, spacing, quotes.
///
/// Comments stay with what they stand at, and what a file means stays as it was. A file with an error of syntax is left alone.
///
/// Exit codes: 0 = every file has its canonical form now, 1 = with --check or --diff: some file has not, 2 = some file could not be
/// formatted.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files of packs and scenarios, or folders of them [default: segue.toml, the packs and the scenarios of the workspace]; `-` =
    /// standard input, to standard output.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write nothing; name the files that would change.
    #[arg(long)]
    check: bool,
    /// Write nothing; show what would change.
    #[arg(long)]
    diff: bool,
    /// The name of the file that standard input holds: its ending tells the format.
    #[arg(long, value_name = "NAME")]
    stdin_name: Option<String>,
}

/// What formatting came to so far.
#[derive(Default)]
struct Tally {
    sources: SourceMap,
    out: Diagnostics,
    changed: usize,
    same: usize,
    /// Files that could not be formatted.
    failed: usize,
}

impl Tally {
    /// The canonical form of a text that was read; what is wrong is noted.
    fn formatted(&mut self, source: &SourceText) -> Option<String> {
        let file = self.sources.add(&source.name, Arc::clone(&source.text));
        let formatted = match &source.fault {
            Some(fault) => {
                self.out.push(Diagnostic::unreadable(file, fault));
                None
            }
            None => format(file, &source.name, &source.text, &self.out),
        };
        self.failed += usize::from(formatted.is_none());
        formatted
    }
}

/// Runs the verb.
pub fn run(args: &Args, terminal: &mut Terminal) -> u8 {
    match attempt(args, terminal) {
        Ok(code) => code,
        Err(problem) => terminal.not_run(&problem),
    }
}

fn attempt(args: &Args, terminal: &mut Terminal) -> Result<u8, Problem> {
    let looks = args.check || args.diff;
    let mut tally = Tally::default();
    let standard = args.paths.iter().any(|path| path == Path::new("-"));
    match (&args.stdin_name, standard, args.paths.len()) {
        (Some(name), true, 1) => stream(name, args, &mut tally, terminal)?,
        (None, true, _) => {
            return Err(Problem::new("standard input has no name: write `--stdin-name NAME`, such as `T1.toml`"));
        }
        (_, true, _) => return Err(Problem::new("`-` stands alone: name the files, or give one on standard input")),
        (Some(_), false, _) => {
            return Err(Problem::new("`--stdin-name` is for standard input: write `segue fmt - --stdin-name NAME`"));
        }
        (None, false, _) => all(args, &mut tally, terminal)?,
    }
    let findings = tally.out.into_sorted();
    if !findings.is_empty() {
        terminal.err(&crate::report::human(&tally.sources, &findings, terminal.color_err()));
    }
    if !standard {
        let files = |count: usize| if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
        let mut summary = match (looks, tally.changed) {
            (true, changed) => format!("{} would change, {} as they are to be", files(changed), files(tally.same)),
            (false, changed) => format!("{} formatted, {} left as they were", files(changed), files(tally.same)),
        };
        if tally.failed > 0 {
            summary.push_str(&format!(", {} not formatted", files(tally.failed)));
        }
        terminal.err(&format!("{summary}\n"));
    }
    Ok(match () {
        () if tally.failed > 0 => NOT_RUN,
        () if looks && tally.changed > 0 => FAILED,
        () => PASSED,
    })
}

/// Formats files.
fn all(args: &Args, tally: &mut Tally, terminal: &mut Terminal) -> Result<(), Problem> {
    let here = files::here()?;
    let around = args.paths.first().map_or(here.as_path(), PathBuf::as_path);
    let workspace = Workspace::of(around)?;
    let sources = workspace.sources(&args.paths)?;
    for fault in &sources.faults {
        tally.formatted(fault);
    }
    if sources.files.is_empty() && sources.faults.is_empty() {
        let places = sources.looked.join(", ");
        return Err(Problem::new(format!("nothing to format: no file (*.toml, *.yaml, *.yml, *.json) in {places}")));
    }
    if !args.check && !args.diff {
        let folders: BTreeSet<_> = sources.files.iter().filter_map(|(path, _)| path.parent()).collect();
        folders.into_iter().for_each(files::sweep);
    }
    for (path, shown) in &sources.files {
        let source = files::source(path, shown);
        let Some(formatted) = tally.formatted(&source) else { continue };
        if *formatted == *source.text {
            tally.same += 1;
            continue;
        }
        if !args.check && !args.diff {
            if let Err(problem) = files::rewrite(path, shown, &formatted) {
                terminal.error(&problem.message);
                tally.failed += 1;
                continue;
            }
            terminal.out(&format!("formatted {shown}\n"));
        } else if args.diff {
            terminal.out(&difference(shown, &source.text, &formatted));
        } else {
            terminal.out(&format!("would change {shown}\n"));
        }
        tally.changed += 1;
    }
    Ok(())
}

/// Formats standard input.
fn stream(name: &str, args: &Args, tally: &mut Tally, terminal: &mut Terminal) -> Result<(), Problem> {
    let limit = Limits::default().max_bytes as u64;
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|error| Problem::new(format!("standard input cannot be read: {}", error.kind())))?;
    let source = SourceText::decoded(name, bytes);
    let Some(formatted) = tally.formatted(&source) else { return Ok(()) };
    tally.changed += usize::from(*formatted != *source.text);
    if args.diff {
        terminal.out(&difference(name, &source.text, &formatted));
    } else if !args.check {
        terminal.out(&formatted);
    }
    Ok(())
}

fn difference(name: &str, before: &str, after: &str) -> String {
    let diff = TextDiff::from_lines(before, after);
    diff.unified_diff().header(name, &format!("{name} (formatted)")).to_string()
}
