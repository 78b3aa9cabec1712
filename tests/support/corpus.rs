//! The scenarios as a store of realistic pieces: given states, things users say, answers of ports.

use serde_json::Value as Json;

use segue::workspace::files;

use super::Dice;

/// Pieces of the scenarios of the main pack.
#[derive(Debug, Default)]
pub struct Corpus {
    /// Scenarios that begin in the middle.
    pub stories: Vec<Story>,
    /// What users say anywhere, with the host's signals.
    pub said: Vec<(String, Json)>,
    /// What ports return, by port.
    pub returns: Vec<(String, Json)>,
}

/// A scenario that begins in the middle.
#[derive(Debug)]
pub struct Story {
    /// Frames before the first turn.
    pub given: Json,
    /// What the user says in it, with the host's signals.
    pub said: Vec<(String, Json)>,
}

impl Corpus {
    /// Reads the scenarios of the main pack.
    pub fn read() -> Self {
        Self::of("assistant")
    }

    /// Reads the scenarios of a pack.
    pub fn of(pack: &str) -> Self {
        let mut corpus = Self::default();
        let folder = super::workspace().root().join("scenarios").join(pack);
        for path in files::walk(&folder, "scenarios", &folder).files {
            if path.extension().is_none_or(|ending| ending != "yaml") {
                continue;
            }
            let text = files::read(&path, "a scenario").expect("it can be read");
            let document: Json = serde_yaml::from_str(&text).expect("scenarios are YAML");
            let many = document["scenarios"].as_array().cloned().unwrap_or_else(|| vec![document]);
            for scenario in many {
                let from = corpus.said.len();
                for turn in scenario["turns"].as_array().into_iter().flatten() {
                    corpus.turn(turn);
                    turn["events"].as_array().into_iter().flatten().for_each(|event| corpus.turn(event));
                }
                if scenario["given"].is_object() {
                    let said = corpus.said[from..].to_vec();
                    corpus.stories.push(Story { given: scenario["given"].clone(), said });
                }
            }
        }
        corpus
    }

    fn turn(&mut self, turn: &Json) {
        if let Some(text) = turn["user"].as_str() {
            let signals = if turn["signals"].is_object() { turn["signals"].clone() } else { serde_json::json!({}) };
            self.said.push((text.into(), signals));
        }
        for call in turn["calls"].as_array().into_iter().flatten() {
            if let (Some(port), true) = (call["port"].as_str(), call["returns"].is_object()) {
                self.returns.push((port.into(), call["returns"].clone()));
            }
        }
    }

    /// What a port returned somewhere.
    pub fn answer(&self, port: &str, dice: &mut Dice) -> Option<Json> {
        let all: Vec<&Json> = self.returns.iter().filter(|(of, _)| of == port).map(|(_, value)| value).collect();
        (!all.is_empty()).then(|| (*dice.pick(&all)).clone())
    }
}
