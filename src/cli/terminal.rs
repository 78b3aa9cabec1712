//! What is printed, and where: colours and progress only on a terminal, a closed pipe is no fault.

use std::io::{IsTerminal, Write, stderr, stdout};

use anstream::{AutoStream, ColorChoice};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::workspace::Problem;

use super::NOT_RUN;

/// After how many characters what stands in a line is cut for people.
const MOST_SHOWN: usize = 160;

/// As much of a text as a line can hold.
pub fn cut(text: String) -> String {
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Standard output and standard error.
pub struct Terminal {
    unwritten: Option<std::io::Error>,
    gone: bool,
    color_out: bool,
    color_err: bool,
}

impl Terminal {
    /// As the process has them; `NO_COLOR` and the like are heard.
    pub fn new() -> Self {
        Self {
            unwritten: None,
            gone: false,
            color_out: AutoStream::choice(&stdout()) != ColorChoice::Never,
            color_err: AutoStream::choice(&stderr()) != ColorChoice::Never,
        }
    }

    /// Whether standard output shows colours.
    pub fn color_out(&self) -> bool {
        self.color_out
    }

    /// Whether standard error shows colours.
    pub fn color_err(&self) -> bool {
        self.color_err
    }

    /// Prints to standard output.
    pub fn out(&mut self, text: &str) {
        let written = stdout().write_all(text.as_bytes()).and_then(|()| stdout().flush());
        self.wrote(written);
    }

    /// Notes what became of writing to standard output.
    pub fn wrote(&mut self, written: std::io::Result<()>) {
        match written {
            // Whoever reads may have gone: that is their business.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => self.gone = true,
            Err(error) => self.unwritten = Some(error),
            Ok(()) => {}
        }
    }

    /// Whether nobody reads standard output any more, or it cannot be written.
    pub fn gone(&self) -> bool {
        self.gone || self.unwritten.is_some()
    }

    /// Why something is missing on standard output, if it is.
    pub fn unwritten(&self) -> Option<String> {
        self.unwritten.as_ref().map(|error| format!("standard output cannot be written: {}", error.kind()))
    }

    /// Prints to standard error.
    pub fn err(&mut self, text: &str) {
        let _ = stderr().write_all(text.as_bytes());
    }

    /// Prints `error: …` to standard error.
    pub fn error(&mut self, message: &str) {
        let word = if self.color_err { "\x1b[1;31merror\x1b[0m" } else { "error" };
        self.err(&format!("{word}: {message}\n"));
    }

    /// Says why something could not be run; the exit code.
    pub fn not_run(&mut self, problem: &Problem) -> u8 {
        self.error(&problem.message);
        NOT_RUN
    }

    /// A progress bar on standard error, hidden unless it is a terminal.
    pub fn progress(&self, length: usize) -> ProgressBar {
        let target = if stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(length as u64), target);
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len}");
        bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
    }
}
