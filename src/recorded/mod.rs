//! Recorded dialogues: records read by a declared form, each turn stepped and held against what is expected of it.

mod read;
mod report;
mod scores;
mod step;

use crate::explain::Explanation;
use crate::model::Pack;
use crate::model::recording::Recording;
use crate::registry::Registry;
use crate::scenario::{Given, show};
use crate::source::SourceMap;
use crate::stats::Tally;
use crate::syntax::Node;

use read::{At, Record};
use scores::Key;
use step::{Dialogue, Stepped};

pub use report::{human, json};
pub use scores::{Counts, LabelCounts, Scored, Scores};

/// Why a recording cannot be replayed: a record that is none, or one that goes against its form or the pack.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct Fault {
    /// The line of the record, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong, the dialogue and the turn first.
    pub message: String,
    /// The next step.
    pub help: Option<String>,
}

/// A replay of recorded dialogues that is under way. It is fed line by line; each dialogue is forgotten when it is counted.
pub struct Replay<'a> {
    registry: &'a Registry,
    sources: &'a SourceMap,
    given: Option<&'a Given>,
    most_misses: usize,
    form: Option<(&'a Recording, Option<Key<'a>>)>,
    came: Recorded,
    tally: Tally<'a>,
}

/// What replaying recorded dialogues came to.
#[derive(Debug, Clone, Default)]
pub struct Recorded {
    /// The form of the records.
    pub form: String,
    /// How many dialogues there were.
    pub dialogues: u64,
    /// How many turns.
    pub turns: u64,
    /// The ids of the classes of the pack, in natural order.
    pub classes: Vec<String>,
    /// How many turns each class took, the outcome included.
    pub by_transition: Vec<u64>,
    /// How many turns of each class were set off by words of its own: it selected the turn, and a phrase with words of its
    /// own or a pattern of its trigger matched.
    pub by_phrase: Vec<u64>,
    /// How the turns came out; only where the form has `expected`.
    pub scored: Option<Scored>,
    /// The first turns that came out otherwise than expected, as many as were asked for.
    pub misses: Vec<Miss>,
}

/// A turn that came out otherwise than expected.
#[derive(Debug, Clone)]
pub struct Miss {
    /// The dialogue.
    pub dialogue: String,
    /// The turn, from 1.
    pub turn: usize,
    /// The line of the record, from 1.
    pub line: usize,
    /// What the user said; the payload as JSON where the event has no text.
    pub text: String,
    /// The signals that the record gave.
    pub signals: serde_json::Value,
    /// The label of the turn.
    pub expected: String,
    /// The labels that the lenient score counts as right too.
    pub accept: Vec<String>,
    /// The class of the turn.
    pub class: String,
    /// Whether the lenient score counts it as right.
    pub lenient: bool,
    /// Why the steps of the turn went where they went.
    pub explanation: Explanation,
}

impl<'a> Replay<'a> {
    /// A replay on a registry. `sources` are the files of its pack, for explanations. With `given` each turn begins in that
    /// state. The first `misses` turns that come out otherwise than expected are explained.
    #[must_use]
    pub fn new(registry: &'a Registry, sources: &'a SourceMap, given: Option<&'a Given>, misses: usize) -> Self {
        let pack = registry.pack();
        let zeros = vec![0; pack.classes.len()];
        let classes = pack.classes.iter().map(|class| pack.names.text(class.id).to_owned()).collect();
        let came = Recorded { classes, by_transition: zeros.clone(), by_phrase: zeros, ..Recorded::default() };
        Self { registry, sources, given, most_misses: misses, form: None, came, tally: Tally::new(registry) }
    }

    /// Replays the dialogue on a line, counted from 1; a blank line is none. The first record decides which of the pack's
    /// forms all of them have.
    ///
    /// # Errors
    /// A [`Fault`]: the line is no JSON object, no form or more than one fits it, or it does not keep to its form; a payload
    /// or a signal that the pack does not admit; an event that is refused or cannot be taken; calls that are open and
    /// should not be, or the other way round; a label that nobody knows.
    pub fn line(&mut self, line: usize, text: &str) -> Result<(), Fault> {
        let bare = if line == 1 { text.strip_prefix('\u{feff}').unwrap_or(text) } else { text };
        if bare.trim_matches([' ', '\t', '\r']).is_empty() {
            return Ok(());
        }
        let record = Record::read(line, text)?;
        let pack = self.registry.pack();
        let form = match &self.form {
            Some((form, _)) => *form,
            None => {
                let form = read::form_of(pack, &record)?;
                let key = form.expected.as_ref().map(|expected| Key::of(pack, expected));
                if self.most_misses > 0 && key.is_none() {
                    let message = format!("nothing can be missed: the recording `{}` has no `expected`", form.name);
                    return Err(record.fault(&record.node, message, Some("leave `--misses` out".into())));
                }
                self.came.form.clone_from(&form.name);
                self.came.scored = key.as_ref().map(Scored::new);
                self.form = Some((form, key));
                form
            }
        };
        self.dialogue(form, &record)
    }

    /// How many dialogues there were so far.
    #[must_use]
    pub fn dialogues(&self) -> u64 {
        self.came.dialogues
    }

    /// What the metrics of the pack come to so far: each dialogue is a session.
    #[must_use]
    pub fn tally(&self) -> &Tally<'a> {
        &self.tally
    }

    /// What all came to.
    #[must_use]
    pub fn finish(self) -> Recorded {
        self.came
    }

    fn dialogue(&mut self, form: &'a Recording, record: &Record<'_>) -> Result<(), Fault> {
        let id = record.id(&form.id)?;
        let turns = record.turns(form, &id)?;
        let whole = At { record, id: &id, turn: None };
        let source = match &form.source {
            Some(way) => whole.text(&record.node, way)?.map(|(_, text)| text),
            None => None,
        };
        let mut dialogue = Dialogue::new(self.registry, form, self.given);
        self.tally.session();
        let mut right = scores::Right::default();
        for (index, turn) in turns.iter().enumerate() {
            let at = At { record, id: &id, turn: Some(index + 1) };
            let stepped = dialogue.step(&at, turn, turns.get(index + 1))?;
            self.tally.turn();
            stepped.steps().for_each(|(at, step)| self.tally.step(at, step));
            self.count(form, &at, turn, &stepped, source, &mut right)?;
        }
        self.came.dialogues += 1;
        if let Some(scored) = &mut self.came.scored {
            scored.dialogue(&right);
        }
        Ok(())
    }

    fn count(
        &mut self,
        form: &Recording,
        at: &At<'_>,
        turn: &Node,
        stepped: &Stepped,
        source: Option<&str>,
        right: &mut scores::Right,
    ) -> Result<(), Fault> {
        let pack = self.registry.pack();
        let class = stepped.class();
        self.came.turns += 1;
        self.came.by_transition[class.index()] += 1;
        if stepped.by_words(pack) {
            self.came.by_phrase[class.index()] += 1;
        }
        let Some((_, Some(key))) = &self.form else { return Ok(()) };
        let Some(wanted) = key.wanted(pack, at, turn)? else { return Ok(()) };
        let verdict = key.judge(&wanted, class);
        right.turn(&verdict);
        if let Some(scored) = &mut self.came.scored {
            scored.turn(key, &verdict, &wanted, source);
        }
        if verdict.strict || self.came.misses.len() >= self.most_misses {
            return Ok(());
        }
        let (line, turn) = (at.record.line, at.turn.unwrap_or(1));
        let (expected, class) = (key.name(pack, wanted.label).to_owned(), class_id(pack, class).to_owned());
        let accept: Vec<String> = wanted.accept.iter().map(|label| key.name(pack, *label).to_owned()).collect();
        let accepted = if accept.is_empty() { String::new() } else { format!(" (accepted {})", accept.join(", ")) };
        let came = format!("expected {expected}{accepted}, came {class}");
        let lenient = if verdict.lenient { "right" } else { "wrong" };
        let about = format!("line {line}, dialogue {}, turn {turn}: {came}, leniently {lenient}", show::line(at.id));
        self.came.misses.push(Miss {
            dialogue: at.id.to_owned(),
            turn,
            line,
            text: stepped.text(pack),
            signals: stepped.signals.clone(),
            expected,
            accept,
            class,
            lenient: verdict.lenient,
            explanation: stepped.explain(self.registry, self.sources, form, about),
        });
        Ok(())
    }
}

fn class_id(pack: &Pack, class: crate::model::ids::ClassId) -> &str {
    pack.names.text(pack.classes[class.index()].id)
}

#[cfg(test)]
mod tests;
