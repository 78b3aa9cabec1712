//! `segue schema`: the JSON Schema of a kind of file, for editors.

use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::schema::{Kind, document};

use super::PASSED;
use super::terminal::Terminal;

/// Print the JSON Schema of a kind of file, for the plug-ins of editors.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The kind of file: any file of a pack; one that holds only frames and what they are made of; one that holds only signals and
    /// how they are said; one that is a transition class; scenarios; segue.toml.
    #[arg(long, value_name = "KIND", value_parser = kinds())]
    kind: Kind,
}

fn kinds() -> impl TypedValueParser<Value = Kind> {
    PossibleValuesParser::new(Kind::ALL.iter().map(|kind| kind.name())).map(|name| {
        let named = Kind::ALL.iter().find(|kind| kind.name() == name);
        *named.unwrap_or(&Kind::Pack)
    })
}

/// Runs the verb.
pub fn run(args: &Args, terminal: &mut Terminal) -> u8 {
    terminal.out(&document(args.kind));
    PASSED
}
