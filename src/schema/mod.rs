//! JSON Schema for editors, written from the shapes of [`crate::language`].
//!
//! The subset is that of draft 7 which the TOML and YAML plug-ins of editors read. A schema never calls a file wrong that is right:
//! what only the whole pack can tell (names of frames, types of fields) it lets pass. In YAML an editor sees `set.parcel: …` as one
//! key with a dot in it, so each table takes its keys in dotted spelling too.

mod dotted;
mod write;

use serde_json::{Value as Json, json};

use crate::language::{CLASS, SCENARIO, SCENARIOS, SECTIONS, Shape, WORKSPACE};

use write::Writer;

/// What kind of file a schema is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file of a pack that holds any of its sections.
    Pack,
    /// A file of a pack that holds only what a session remembers, and what that is made of.
    State,
    /// A file of a pack that holds only what texts say.
    Lexicon,
    /// A file that is one transition class.
    Transition,
    /// A file of scenarios.
    Scenario,
    /// `segue.toml`.
    Config,
}

/// Sections of a file of the kind [`Kind::State`].
const STATE: &[&str] = &["enum", "type", "relative", "param", "table", "frame", "invariant", "condition"];
/// Sections of a file of the kind [`Kind::Lexicon`].
const LEXICON: &[&str] = &["relative", "ending", "part", "signal", "lexicon", "command", "derive"];

impl Kind {
    /// All kinds.
    pub const ALL: &'static [Self] =
        &[Self::Pack, Self::State, Self::Lexicon, Self::Transition, Self::Scenario, Self::Config];

    /// Its name on the command line and in the name of its file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pack => "pack",
            Self::State => "state",
            Self::Lexicon => "lexicon",
            Self::Transition => "transition",
            Self::Scenario => "scenario",
            Self::Config => "config",
        }
    }

    /// The name of its file below `schemas/`.
    #[must_use]
    pub fn file(self) -> String {
        format!("{}.schema.json", self.name())
    }

    const fn about(self) -> &'static str {
        match self {
            Self::Pack => "A file of a Segue pack: any of its sections",
            Self::State => "A file of a Segue pack: frames, and what they are made of",
            Self::Lexicon => "A file of a Segue pack: signals, and how they are said",
            Self::Transition => "A Segue transition class in a file of its own",
            Self::Scenario => "Scenarios for a Segue pack",
            Self::Config => "The workspace file of Segue: segue.toml",
        }
    }
}

/// The schema of a kind of file, as its file below `schemas/` holds it.
#[must_use]
pub fn document(kind: Kind) -> String {
    let mut text = format!("{:#}", schema(kind));
    text.push('\n');
    text
}

/// The schema of a kind of file.
#[must_use]
pub fn schema(kind: Kind) -> Json {
    let mut writer = Writer::default();
    let mut of = |shape: &'static Shape, only: Option<&[&str]>| writer.root(shape, only);
    let root = match kind {
        Kind::Pack => of(&SECTIONS, None),
        Kind::State => of(&SECTIONS, Some(STATE)),
        Kind::Lexicon => of(&SECTIONS, Some(LEXICON)),
        Kind::Transition => of(&CLASS, None),
        Kind::Config => of(&WORKSPACE, None),
        Kind::Scenario => {
            // A file with the key `scenarios` holds many, any other one is a scenario itself.
            let (one, many) = (of(&SCENARIO, None), of(&SCENARIOS, None));
            json!({ "if": { "required": ["scenarios"] }, "then": many, "else": one })
        }
    };
    let mut schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": format!("urn:segue:schema:{}", kind.name()),
        "title": kind.about(),
    });
    if let (Json::Object(schema), Json::Object(root)) = (&mut schema, root) {
        schema.extend(root);
        schema.insert("definitions".to_owned(), writer.definitions());
    }
    schema
}

#[cfg(test)]
mod tests;
