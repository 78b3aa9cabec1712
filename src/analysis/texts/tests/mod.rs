//! Tests of the search for texts: cases by hand, and random lexicons against all short texts.

mod cases;
mod random;

use crate::declare::{Options, SourceText};
use crate::load::load;
use crate::registry::Registry;

use super::{Demand, Found, Texts};

/// A pack whose only class has these alternatives; the lexicon is written as it is in a pack.
fn registry(lexicon: &str, any: &[&str]) -> Registry {
    let manifest = r#"
[pack]
id = "words"
title = "Words"
doc = "Words."
aggregate = "session"
owner = ["talk"]
precedence = [["A", "Z"]]
[frame.topic]
owner = "talk"
doc = "Nothing."
field = { turns = { type = "int", default = 0 } }
[event.utterance]
turn = "user"
text = "text"
field = { text = { type = "text" } }
doc = "The user wrote something."
[answer_mode]
exact = { claims = "nothing", doc = "An answer." }
"#;
    let class = |id: &str, triggers: &str| {
        format!(
            "id = \"{id}\"\nname = \"class_{}\"\ntitle = \"A class\"\nowner = \"talk\"\ndoc = \"A class.\"\nrequires = {{}}\n\
             entry = {{}}\nnever = []\n{triggers}\n[[do]]\nincrement.topic.turns = 1\n[answer]\nmode = \"exact\"\n",
            id.to_lowercase()
        )
    };
    let words = format!(
        "[[trigger]]\nevent = \"utterance\"\nany = [ {}, {{ phrase = \"так и есть\" }} ]\nexamples = [\"так и есть\"]\ncounterexamples = []\n",
        any.iter().map(|of| format!("{{ {of} }}")).collect::<Vec<_>>().join(", ")
    );
    let files = [
        ("pack.toml", manifest.to_owned()),
        ("words.toml", lexicon.to_owned()),
        ("A.toml", class("A", &words)),
        ("Z.toml", class("Z", "[[trigger]]\nevent = \"boundary\"\n")),
    ];
    let files: Vec<SourceText> = files.into_iter().map(|(name, text)| SourceText::new(name, text)).collect();
    let loaded = load(&files, &Options::default());
    let Some(registry) = loaded.registry else { panic!("{:#?}", loaded.diagnostics) };
    registry
}

/// Texts of a registry, asked by the names of signals.
fn ask(registry: &Registry, matched: &[usize], unmatched: &[usize], unsaid: &[&str]) -> Found {
    let demand = Demand {
        matched: matched.to_vec(),
        unmatched: unmatched.to_vec(),
        unsaid: unsaid.iter().map(|name| signal(registry, name)).collect(),
        ..Demand::default()
    };
    Texts::new(registry).find(&demand)
}

fn signal(registry: &Registry, name: &str) -> usize {
    let pack = registry.pack();
    pack.lexicon.signals.iter().position(|signal| pack.names.text(signal.name) == name).unwrap()
}
