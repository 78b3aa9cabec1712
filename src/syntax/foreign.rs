//! A text in the other of the two formats that people write: its file has the wrong ending.

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::FileId;

use super::{Format, Kind, Limits, read_within, span};

/// A longer text is not read a second time.
const LONGEST: usize = 1 << 20;

/// What is said of a text under a name of this format, if it is whole in the other one.
pub(super) fn find(file: FileId, text: &str, format: Format, limits: &Limits, broken: bool) -> Option<Diagnostic> {
    let (other, ending) = match format {
        Format::Yaml => (Format::Toml, "`.toml`"),
        Format::Toml if broken => (Format::Yaml, "`.yaml`"),
        Format::Toml | Format::Json => return None,
    };
    let mut lines =
        text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.trim_start().starts_with('#'));
    let first = lines.next()?;
    let like_it = match other {
        // A header alone is a list of YAML.
        Format::Toml => is_entry(first) || broken && first.starts_with('['),
        // One line alone may as well be a slip.
        _ => !is_entry(first) && lines.next().is_some() && !lines.any(is_entry),
    };
    if !like_it || text.len() > LONGEST {
        return None;
    }
    let found = Diagnostics::new();
    let root = read_within(file, text, other, limits, &found)?;
    let holds = match &root.kind {
        Kind::Table(table) => !table.is_empty(),
        Kind::List(items) => !items.is_empty(),
        _ => false,
    };
    if !holds || !found.is_empty() {
        return None;
    }
    let at = first.as_ptr().addr() - text.as_ptr().addr();
    let (name, other) = (format.name(), other.name());
    let message = format!("this is {other} under the name of a {name} file");
    let found = Diagnostic::error(Code::SyntaxError, span(file, at, at + first.len()), message);
    Some(found.help(format!("rename the file so that it ends with {ending}, or write {name}")))
}

/// Whether a line is an entry of TOML that stands at its margin.
fn is_entry(line: &str) -> bool {
    let is_key = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '\'' | ' ');
    let value = line.trim_start_matches('\u{feff}').trim_start_matches(is_key);
    line.starts_with(|c: char| c != ' ' && c != '-') && value.len() < line.len() && value.starts_with('=')
}
