//! Programs that are run for a call: one text goes in, one comes out, within a time and a size.
#![expect(clippy::disallowed_methods, reason = "this is the door")]

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::files;

/// The most bytes that are taken of what a program writes.
const MOST: u64 = 1024 * 1024;
/// How often it is looked whether a program has ended that has closed its output.
const TICK: Duration = Duration::from_millis(5);

/// A program that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Its exit code; none where a signal ended it.
    pub code: Option<i32>,
    /// What it wrote to standard output.
    pub out: Vec<u8>,
    /// What it wrote to standard error.
    pub err: Vec<u8>,
}

/// Why there is no end that counts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unended {
    /// It could not be started.
    #[error("the program cannot be started: {0}")]
    NotStarted(String),
    /// It ran for too long, and was killed with all that it had started.
    #[error("it took longer than {} s", .0.as_secs())]
    Timeout(Duration),
    /// It wrote more than is taken, and was killed.
    #[error("it writes more than {MOST} bytes")]
    TooMuch,
}

/// Runs a program in a folder, with a text as its standard input. A program whose name holds a `/` is looked for in that folder.
///
/// # Errors
/// [`Unended`]. The program and its group are dead then.
pub fn run(words: &[String], folder: &Path, input: &str, timeout: Duration) -> Result<Ended, Unended> {
    let deadline = Instant::now() + timeout;
    let (program, arguments) = words.split_first().ok_or_else(|| Unended::NotStarted("none is named".into()))?;
    let mut command = if program.contains('/') { Command::new(folder.join(program)) } else { Command::new(program) };
    command.args(arguments).current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(|error| Unended::NotStarted(files::reason(&error)))?;
    if let Some(mut stdin) = child.stdin.take() {
        let input = input.to_owned();
        // One that does not read its input is its own business.
        std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    }
    let (sender, receiver) = channel();
    let mut texts = [None, None];
    let pipes: [Option<Box<dyn Read + Send>>; 2] =
        [child.stdout.take().map(|pipe| Box::new(pipe) as _), child.stderr.take().map(|pipe| Box::new(pipe) as _)];
    for (which, pipe) in pipes.into_iter().enumerate() {
        let sender = sender.clone();
        // The threads end with the pipes. They are not waited for: what has left the group may hold a pipe for ever.
        std::thread::spawn(move || {
            let mut text = Vec::new();
            if let Some(pipe) = pipe {
                let _ = pipe.take(MOST + 1).read_to_end(&mut text);
            }
            let _ = sender.send((which, text));
        });
    }
    while texts.contains(&None) {
        match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok((_, text)) if text.len() as u64 > MOST => {
                kill(&mut child);
                return Err(Unended::TooMuch);
            }
            Ok((which, text)) => texts[which] = Some(text),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                kill(&mut child);
                return Err(Unended::Timeout(timeout));
            }
        }
    }
    loop {
        match child.try_wait() {
            Ok(Some(status)) => {
                let [out, err] = texts.map(Option::unwrap_or_default);
                return Ok(Ended { code: status.code(), out, err });
            }
            Ok(None) if Instant::now() < deadline => std::thread::sleep(TICK),
            Ok(None) | Err(_) => {
                kill(&mut child);
                return Err(Unended::Timeout(timeout));
            }
        }
    }
}

/// Ends a program and what it has started.
fn kill(child: &mut Child) {
    #[cfg(unix)]
    if let Ok(id) = i32::try_from(child.id()) {
        use nix::sys::signal::{Signal, killpg};
        let _ = killpg(nix::unistd::Pid::from_raw(id), Signal::SIGKILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}
