//! The lines of a large file, one at a time, packed with gzip or not: what recorded dialogues come in.
#![expect(clippy::disallowed_methods, reason = "this is the door")]

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::Problem;
use super::files::{self, Kind};
use crate::syntax::Limits;

/// How a file packed with gzip begins.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The lines of a file. No more than one of them is held.
pub struct Lines {
    reader: Box<dyn BufRead>,
    packed: bool,
    shown: String,
    line: Vec<u8>,
    number: usize,
    longest: usize,
}

/// Opens a text file for its lines; one that begins as gzip does is unpacked on the way, whatever its name. `shown` names
/// it in messages.
///
/// # Errors
/// A file that is not there, is no plain file, or cannot be read.
pub fn lines(path: &Path, shown: &str) -> Result<Lines, Problem> {
    match files::kind(path) {
        Kind::File => {}
        Kind::Folder => return Err(Problem::new(format!("{shown}: is a folder, a file is due here"))),
        Kind::Missing => return Err(Problem::new(format!("{shown}: no such file"))),
        Kind::Other => return Err(Problem::new(format!("{shown}: is no plain file, or a link that leads nowhere"))),
    }
    let failed = |error: std::io::Error| Problem::new(format!("{shown}: cannot be read: {}", files::reason(&error)));
    let mut file = BufReader::new(File::open(path).map_err(failed)?);
    let packed = file.fill_buf().map_err(failed)?.starts_with(&GZIP);
    let reader: Box<dyn BufRead> =
        if packed { Box::new(BufReader::new(MultiGzDecoder::new(file))) } else { Box::new(file) };
    let longest = Limits::default().max_bytes;
    Ok(Lines { reader, packed, shown: shown.to_owned(), line: Vec::new(), number: 0, longest })
}

impl Lines {
    /// The next line with its number, from 1, without what ends it (`\n` or `\r\n`).
    ///
    /// # Errors
    /// A line that is too long or not UTF-8, a packed file that is cut short or damaged, a file that cannot be read on.
    pub fn next_line(&mut self) -> Result<Option<(usize, &str)>, Problem> {
        self.line.clear();
        self.number += 1;
        let place = format!("{}:{}", self.shown, self.number);
        let most = self.longest as u64 + 1;
        if let Err(error) = self.reader.by_ref().take(most).read_until(b'\n', &mut self.line) {
            return Err(Problem::new(format!("{place}: {}", self.unread(&error))));
        }
        if self.line.is_empty() {
            return Ok(None);
        }
        let ended = self.line.pop_if(|last| *last == b'\n').is_some();
        if ended {
            self.line.pop_if(|last| *last == b'\r');
        } else if self.line.len() > self.longest {
            let message = format!("the line is longer than the limit of {} bytes", self.longest);
            return Err(Problem::new(format!("{place}: {message}; one record stands on one line")));
        }
        match std::str::from_utf8(&self.line) {
            Ok(text) => Ok(Some((self.number, text))),
            Err(error) => {
                let good = self.line.get(..error.valid_up_to()).unwrap_or_default();
                let column = String::from_utf8_lossy(good).chars().count() + 1;
                let wrong = self.line.get(error.valid_up_to()).copied().unwrap_or_default();
                let message = format!("the line is not UTF-8: the byte 0x{wrong:02x} begins no character");
                Err(Problem::new(format!("{place}:{column}: {message}; save the file as UTF-8")))
            }
        }
    }

    fn unread(&self, error: &std::io::Error) -> String {
        match error.kind() {
            ErrorKind::UnexpectedEof if self.packed => {
                "the gzip file ends too early: it is cut short, or what follows it is no gzip; fetch or pack it again"
                    .to_owned()
            }
            ErrorKind::InvalidInput | ErrorKind::InvalidData if self.packed => {
                format!("the gzip file is damaged ({error}); fetch or pack it again")
            }
            _ => format!("cannot be read on: {}", files::reason(error)),
        }
    }
}
