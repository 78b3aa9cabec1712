//! The canonical form of files: text in, text out. Order and spacing are decided here; what a file means stays as it was, and so do
//! its comments.

mod document;
mod order;
mod print;
mod same;
mod toml;
mod yaml;

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::{FileId, Span};
use crate::syntax::{self, Format};

/// The name of the file that makes a folder a workspace, whose keys are its own.
const WORKSPACE: &str = "segue.toml";

/// The canonical form of a text. What is wrong with it goes to `out`, and then there is none: a file with an error of syntax is left
/// alone.
///
/// `name` is the file's: its ending tells the format.
#[must_use]
pub fn format(file: FileId, name: &str, text: &str, out: &Diagnostics) -> Option<String> {
    let whole = |message: String| Diagnostic::error(Code::UnreadableFile, Span { file, start: 0, end: 0 }, message);
    let Some(format) = Format::of_path(name) else {
        out.push(
            whole("the file is neither TOML, YAML nor JSON".into()).help("name it `.toml`, `.yaml`, `.yml` or `.json`"),
        );
        return None;
    };
    let before = out.len();
    let tree = syntax::parse(file, text, format, out)?;
    if out.len() > before {
        return None;
    }
    let plain = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let formatted = match format {
        Format::Toml => match toml::read(&plain) {
            Ok(mut document) => {
                order::order(&mut document, name.rsplit(['/', '\\']).next() == Some(WORKSPACE));
                print::print(&document)
            }
            Err(error) => {
                out.push(whole(error.message().trim().to_owned()));
                return None;
            }
        },
        Format::Yaml => yaml::tidy(&plain),
        Format::Json => yaml::tidy_lines(&plain),
    };
    let again = Diagnostics::new();
    let same = syntax::parse(file, &formatted, format, &again).is_some_and(|other| same::values(&tree, &other))
        && again.is_empty()
        && same::comments(&plain, &formatted, format);
    if !same {
        out.push(
            whole("its canonical form would not mean the same: the file is left as it is".into())
                .help("this is a fault of `segue fmt`: please report it with the file"),
        );
        return None;
    }
    Some(formatted)
}

#[cfg(test)]
mod tests;
