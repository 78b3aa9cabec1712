//! The lines of a chat: from an editor on a terminal, else from standard input as they come.

use std::io::Write as _;
use std::io::{BufRead, ErrorKind, IsTerminal, Read, stderr, stdin, stdout};

use rustyline::config::Configurer;
use rustyline::error::ReadlineError;

use crate::cli::Output;
use crate::workspace::Problem;

/// Bytes in a line, at most: as a text in JSON it is not larger than a file may be, whatever is escaped in it.
const LONGEST: usize = 1 << 20;

/// A line, or why there is none.
#[derive(Debug)]
pub enum Line {
    /// A line, without what ends it.
    Text(String),
    /// Ctrl-C was pressed.
    Interrupted,
    /// It cannot be read.
    Unread(String),
    /// There are no more.
    End,
}

/// Where lines come from.
pub enum Input {
    /// A terminal: lines are edited, and those said before can be called back.
    Editor(Box<rustyline::DefaultEditor>),
    /// Standard input as it is.
    Plain {
        /// How many lines were read.
        number: usize,
        /// Whether somebody types them: then it is said what is due.
        typed: bool,
    },
}

impl Input {
    /// The editor where people read and type, else the lines of standard input.
    pub fn new(format: Output) -> Result<Self, Problem> {
        let typed = stdin().is_terminal();
        if !typed || !stdout().is_terminal() || format == Output::Json {
            return Ok(Self::Plain { number: 0, typed });
        }
        let mut editor = rustyline::DefaultEditor::new()
            .map_err(|error| Problem::new(format!("the terminal cannot be used: {error}")))?;
        editor.set_auto_add_history(false);
        Ok(Self::Editor(Box::new(editor)))
    }

    /// Whether nobody types.
    pub fn is_piped(&self) -> bool {
        matches!(self, Self::Plain { typed: false, .. })
    }

    /// The number of the line that was read last, where they come from a pipe.
    pub fn number(&self) -> Option<usize> {
        match self {
            Self::Plain { number, typed: false } => Some(*number),
            _ => None,
        }
    }

    /// The next line of the conversation; it can be called back later.
    pub fn line(&mut self, prompt: &str) -> Result<Line, Problem> {
        let line = self.answer(prompt)?;
        if let (Self::Editor(editor), Line::Text(text)) = (self, &line)
            && !text.trim().is_empty()
        {
            // A history that takes no more is no reason to end.
            let _ = editor.add_history_entry(text);
        }
        Ok(line)
    }

    /// The next line, as an answer to what the prompt asks.
    pub fn answer(&mut self, prompt: &str) -> Result<Line, Problem> {
        match self {
            Self::Editor(editor) => match editor.readline(prompt) {
                Ok(text) => Ok(Line::Text(text)),
                Err(ReadlineError::Interrupted) => Ok(Line::Interrupted),
                Err(ReadlineError::Eof) => Ok(Line::End),
                Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::InvalidData => {
                    Ok(Line::Unread("what was typed is not UTF-8".into()))
                }
                Err(error) => Err(Problem::new(format!("the terminal cannot be read: {error}"))),
            },
            Self::Plain { number, typed } => {
                if *typed {
                    let _ = write!(stderr(), "{prompt}");
                }
                *number += 1;
                plain()
            }
        }
    }
}

/// The next line of standard input. One that is too long is passed over to its end, and no more of it is held.
fn plain() -> Result<Line, Problem> {
    let failed = |error: std::io::Error| Problem::new(format!("standard input cannot be read: {error}"));
    let mut bytes = Vec::new();
    let mut input = stdin().lock();
    // What ends a line is no part of it.
    let most = u64::try_from(LONGEST).unwrap_or(u64::MAX).saturating_add(2);
    input.by_ref().take(most).read_until(b'\n', &mut bytes).map_err(failed)?;
    if bytes.is_empty() {
        return Ok(Line::End);
    }
    let ended = bytes.pop_if(|last| *last == b'\n').is_some();
    if ended {
        bytes.pop_if(|last| *last == b'\r');
    }
    if bytes.len() > LONGEST {
        if !ended {
            input.skip_until(b'\n').map_err(failed)?;
        }
        return Ok(Line::Unread(format!("the line is longer than the limit of {LONGEST} bytes, and is not taken")));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Line::Text(text)),
        Err(_) => Ok(Line::Unread("the line is not UTF-8".into())),
    }
}
