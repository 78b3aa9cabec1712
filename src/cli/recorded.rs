//! `segue replay --recorded`: runs recorded dialogues and scores the classes of their turns.

use std::path::Path;

use crate::recorded::{Replay, human, json};
use crate::scenario;
use crate::workspace::{Problem, files, lines};

use super::reading::{mended, pack_in, read, workspace};
use super::terminal::Terminal;
use super::{Output, PASSED};

/// What is asked of a recording.
pub struct Asked<'a> {
    /// The file of records.
    pub file: &'a Path,
    /// The folder of the pack.
    pub pack: Option<&'a Path>,
    /// The file of the state in which each turn begins.
    pub given: Option<&'a Path>,
    /// How many misses are explained.
    pub misses: usize,
    /// The form of the report.
    pub format: Output,
}

/// Replays a recording and prints what it came to.
pub fn run(asked: &Asked<'_>, terminal: &mut Terminal) -> Result<u8, Problem> {
    replayed(asked, terminal, |replay| {
        let recorded = replay.finish();
        Ok(match asked.format {
            Output::Human => human(&recorded),
            Output::Json => format!("{:#}\n", json(&recorded)),
        })
    })
}

/// Replays a recording and prints what is told of it.
pub fn replayed(
    asked: &Asked<'_>,
    terminal: &mut Terminal,
    told: impl FnOnce(Replay<'_>) -> Result<String, Problem>,
) -> Result<u8, Problem> {
    let workspace = workspace(&files::here()?, asked.pack.is_some())?;
    // A recording often lies beside the workspace: then it is shown as it was written.
    let shown = |path: &Path| match files::real(path) {
        real if real.starts_with(workspace.root()) => workspace.shown(&real),
        _ => path.display().to_string(),
    };
    let (registry, sources) = pack_in(&workspace, asked.pack, terminal)?;
    let given = match asked.given {
        Some(path) => Some(read(path, &shown(path), terminal, |node, out| scenario::given_of(&registry, node, out))?),
        None => None,
    };
    if let Some(given) = &given {
        mended(registry.pack(), &given.repaired, terminal);
    }
    let file = shown(asked.file);
    let mut lines = lines(asked.file, &file)?;
    let mut replay = Replay::new(&registry, &sources, given.as_ref(), asked.misses);
    while let Some((number, line)) = lines.next_line()? {
        replay.line(number, line).map_err(|fault| {
            let help = fault.help.as_ref().map_or_else(String::new, |help| format!("\n  help: {help}"));
            Problem::new(format!("{file}:{fault}{help}"))
        })?;
    }
    if replay.dialogues() == 0 {
        return Err(Problem::new(format!("{file}: holds no record; one JSON object stands on each line")));
    }
    terminal.out(&told(replay)?);
    Ok(PASSED)
}
