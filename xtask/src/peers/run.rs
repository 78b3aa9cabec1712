//! Running the benchmark: data, builds and interleaved runs. The one place here that starts programs.
#![expect(
    clippy::disallowed_methods,
    reason = "the chore writes below target/ and starts cargo, python3 and what it has built"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Map, Value as Json};

use super::table::{Table, Turns, read};
use super::{pack, report};

/// How often each side is run for one size, in turns.
const ROUNDS: usize = 5;
/// How long one run measures.
const SECONDS: &str = "1.5";

/// Runs the benchmark for tables of these sizes. Says whether every answer and every final state is right.
///
/// # Errors
/// Why it could not run, in words.
pub fn run(root: &Path, sizes: &[usize]) -> Result<bool, String> {
    let peers = root.join("../shared/peers");
    if !peers.join("rust/Cargo.toml").exists() {
        return Err("../shared/peers is not there: the benchmark lies beside the repository".into());
    }
    let out = root.join("target/peers");
    copy(&peers.join("rust"), &out.join("rust"))?;
    eprintln!("building the limit");
    cargo(&["build", "--release", "--quiet", "-p", "limit"], &out.join("rust"), &out.join("limit"))?;
    eprintln!("building segue");
    cargo(&["build", "--release", "--quiet", "-p", "xtask", "--bin", "peers"], root, &root.join("target"))?;
    let mut summary = Map::new();
    let mut right = true;
    for size in sizes {
        let data = data(&peers, &out, *size)?;
        write_pack(&data, *size, &out.join(format!("pack-{size}")))?;
        let mut runs = report::Runs::default();
        let (limit, segue) = (out.join("limit/release/limit"), root.join("target/release/peers"));
        for round in 1..=ROUNDS {
            eprintln!("N = {size}: round {round} of {ROUNDS}");
            let (data, n) = (data.to_string_lossy(), size.to_string());
            runs.limit.push(measured(&limit, &[&data, &n, "--budget", SECONDS])?);
            runs.segue.push(measured(&segue, &[&data, &n, SECONDS])?);
        }
        for wrong in runs.wrong() {
            println!("wrong: {wrong}");
        }
        print!("{}", runs.table(*size));
        right &= runs.right();
        summary.insert(size.to_string(), runs.summary());
    }
    println!("{}", Json::Object(summary));
    Ok(right)
}

/// The folder that holds the table and the turns of a size; those that are not there are made.
fn data(peers: &Path, out: &Path, size: usize) -> Result<PathBuf, String> {
    let there =
        |folder: &Path| ["transitions", "turns"].iter().all(|name| folder.join(format!("{name}-{size}.json")).exists());
    let made = out.join("data");
    if there(peers) {
        return Ok(peers.to_path_buf());
    }
    if !there(&made) {
        let mut python = Command::new("python3");
        python.arg("gen.py").arg(size.to_string()).arg("--out").arg(&made).current_dir(peers);
        // Nothing is written beside the script.
        python.env("PYTHONDONTWRITEBYTECODE", "1").stdout(Stdio::null());
        let status = python.status().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                format!("python3 is missing: it makes the table of {size} transitions; only 10 lie there ready")
            }
            _ => format!("python3: {error}"),
        })?;
        if !status.success() || !there(&made) {
            return Err(format!("gen.py {size} made no table ({status})"));
        }
    }
    Ok(made)
}

/// Writes the pack as a workspace, so that the program can be tried on it.
fn write_pack(data: &Path, size: usize, to: &Path) -> Result<(), String> {
    let text = |name: &str| {
        let path = data.join(name);
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let (transitions, turns) = (format!("transitions-{size}.json"), format!("turns-{size}.json"));
    let table: Table = read(&transitions, &text(&transitions)?)?;
    let turns: Turns = read(&turns, &text(&turns)?)?;
    let folder = to.join("transitions/peers");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| failed(&folder, &error))?;
    }
    fs::create_dir_all(&folder).map_err(|error| failed(&folder, &error))?;
    let mark = to.join("segue.toml");
    fs::write(&mark, "").map_err(|error| failed(&mark, &error))?;
    for file in pack::convert(&table, &turns.kinds(), &turns.signals())? {
        let path = folder.join(&file.name);
        fs::write(&path, &*file.text).map_err(|error| failed(&path, &error))?;
    }
    Ok(())
}

fn failed(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// Copies a folder; files that are the same stay untouched, so that nothing is built again.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::create_dir_all(to).map_err(|error| failed(to, &error))?;
    for entry in fs::read_dir(from).map_err(|error| failed(from, &error))? {
        let path = entry.map_err(|error| failed(from, &error))?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy(&path, &target)?;
            continue;
        }
        let bytes = fs::read(&path).map_err(|error| failed(&path, &error))?;
        if fs::read(&target).ok().as_ref() != Some(&bytes) {
            fs::write(&target, bytes).map_err(|error| failed(&target, &error))?;
        }
    }
    Ok(())
}

/// Builds something with the release profile of the peers (`rust/Cargo.toml` there), whatever that of its workspace is.
fn cargo(arguments: &[&str], folder: &Path, target: &Path) -> Result<(), String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(folder).env("CARGO_TARGET_DIR", target).stdout(Stdio::null());
    for (key, value) in
        [("OPT_LEVEL", "3"), ("LTO", "thin"), ("CODEGEN_UNITS", "4"), ("DEBUG", "1"), ("PANIC", "abort")]
    {
        command.env(format!("CARGO_PROFILE_RELEASE_{key}"), value);
    }
    let status = command.status().map_err(|error| format!("cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("cargo {}: {status}", arguments.join(" "))) }
}

/// One run of one side: the last line that it prints.
fn measured(program: &Path, arguments: &[&str]) -> Result<Json, String> {
    let output = Command::new(program).args(arguments).output().map_err(|error| failed(program, &error))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().last().unwrap_or_default();
    if !output.status.success() {
        return Err(format!("{}: {}", program.display(), String::from_utf8_lossy(&output.stderr)));
    }
    serde_json::from_str(line).map_err(|error| format!("{}: {error}: {line}", program.display()))
}
