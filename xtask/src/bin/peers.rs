//! The timed part of `cargo xtask peers`, a program of its own so that it is built for release: `peers DATA N SECONDS`. It prints
//! one line of JSON.
#![expect(
    clippy::disallowed_methods,
    reason = "a program reads its own arguments, the files that they name and the clock"
)]

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use serde::de::DeserializeOwned;
use serde_json::json;
use xtask::peers::host::{Host, check, host_turns, registry};
use xtask::peers::measure::measure;
use xtask::peers::table::{Table, Turns, read};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<serde_json::Value, String> {
    let usage = || "usage: peers DATA N SECONDS".to_owned();
    let [data, n, seconds] = arguments else { return Err(usage()) };
    let seconds: f64 = seconds.parse().map_err(|_| usage())?;
    let table: Table = file(Path::new(data), &format!("transitions-{n}.json"))?;
    let turns: Turns = file(Path::new(data), &format!("turns-{n}.json"))?;
    let began = Instant::now();
    let registry = registry(&table, &turns)?;
    let load_ms = began.elapsed().as_millis() as u64;
    let checked = check(&registry, &turns);
    let measured = measure(&mut Host::new(&registry, &turns.kinds(), &turns.signals()), &host_turns(&turns), seconds);
    Ok(json!({
        "turns_per_s": measured.turns_per_s, "p50_ns": measured.p50_ns, "p99_ns": measured.p99_ns,
        "event_ns": measured.event_ns, "load_ms": load_ms,
        "turns": checked.turns, "correct": checked.correct,
        "states": checked.states, "states_correct": checked.states_correct, "wrong": checked.wrong,
    }))
}

fn file<T: DeserializeOwned>(data: &Path, name: &str) -> Result<T, String> {
    let path = data.join(name);
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    read(name, &text)
}
