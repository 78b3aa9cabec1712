//! A host as an embedder would write one: it hands turns to the engine and reads the answers out of the steps.

use std::sync::Arc;

use jiff::civil::Date;
use segue::declare::Options;
use segue::engine::{Env, Event, EventForm, HostValue, NumberedIds, Scratch, Step, step_with};
use segue::load::load;
use segue::model::value::Value;
use segue::registry::Registry;
use segue::report;
use segue::state::SessionState;

use super::pack::{self, name};
use super::table::{Answer, KIND, TEXT, Table, Turn, Turns};

/// Loads the table as a pack.
///
/// # Errors
/// What the data language has no words for, or the findings of the load.
pub fn registry(table: &Table, turns: &Turns) -> Result<Registry, String> {
    let files = pack::convert(table, &turns.kinds(), &turns.signals())?;
    let loaded = load(&files, &Options::default());
    loaded.registry.ok_or_else(|| report::human(&loaded.sources, &loaded.diagnostics, false))
}

/// A turn as the host has it: its kind, and its signals in the order of [`Turns::signals`], as strings. They stand one behind
/// the other, as in the message that brought them.
#[derive(Debug, Clone)]
pub struct HostTurn {
    text: Box<str>,
    /// Where each of them ends in `text`, the kind first.
    ends: Box<[u32]>,
}

/// The turns of each session in the host's form.
#[must_use]
pub fn host_turns(turns: &Turns) -> Vec<Vec<HostTurn>> {
    let signals = turns.signals();
    let one = |turn| HostTurn::of(turn, &signals);
    turns.sessions.iter().map(|session| session.turns.iter().map(one).collect()).collect()
}

impl HostTurn {
    fn of(turn: &Turn, signals: &[String]) -> Self {
        let signal = |name: &str| turn.sig.get(name).map_or("", String::as_str);
        let mut text = name(signal(KIND));
        let mut ends = vec![text.len() as u32];
        for name in signals {
            text.push_str(signal(name));
            ends.push(text.len() as u32);
        }
        Self { text: text.into(), ends: ends.into() }
    }

    fn kind(&self) -> &str {
        &self.text[..self.ends[0] as usize]
    }

    fn signals(&self) -> impl Iterator<Item = &str> {
        self.ends.windows(2).map(|ends| &self.text[ends[0] as usize..ends[1] as usize])
    }
}

/// What the engine said to a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision<'a> {
    /// The class.
    pub id: &'a str,
    /// The answer mode.
    pub answer_mode: &'a str,
    /// The route that its message names.
    pub route: &'a str,
}

/// A session at a time.
pub struct Host<'r> {
    registry: &'r Registry,
    /// The form of each kind of turn.
    forms: Vec<(String, EventForm)>,
    fresh: SessionState,
    last: Option<Step>,
    ids: NumberedIds,
    scratch: Scratch,
    now: Arc<str>,
    name: Arc<str>,
}

impl<'r> Host<'r> {
    /// A host of a pack for turns of these kinds with these signals.
    ///
    /// # Panics
    /// The pack was made for others.
    #[must_use]
    pub fn new(registry: &'r Registry, kinds: &[String], signals: &[String]) -> Self {
        let signals: Vec<String> = signals.iter().map(|signal| name(signal)).collect();
        let signals: Vec<&str> = signals.iter().map(String::as_str).collect();
        let form = |kind: &String| {
            let kind = name(kind);
            let form = EventForm::new(registry, &kind, &signals).expect("the pack was made for these turns");
            (kind, form)
        };
        Self {
            registry,
            forms: kinds.iter().map(form).collect(),
            fresh: SessionState::new(registry.pack()),
            last: None,
            ids: NumberedIds::default(),
            scratch: Scratch::default(),
            now: "2021-05-10T12:00:00Z".into(),
            name: "s-1".into(),
        }
    }

    /// Begins a session.
    pub fn begin(&mut self) {
        self.last = None;
    }

    fn state(&self) -> &SessionState {
        self.last.as_ref().map_or(&self.fresh, |step| &step.state)
    }

    /// A turn as an event of the engine: what is empty is not given.
    ///
    /// # Panics
    /// The pack does not know the turn: it was made for others.
    #[must_use]
    pub fn event(&self, turn: &HostTurn) -> Event {
        let (_, form) = self.forms.iter().find(|(kind, _)| kind == turn.kind()).expect("a kind of these turns");
        let given = turn.signals().map(|text| if text.is_empty() { HostValue::Nothing } else { HostValue::Text(text) });
        form.event(self.registry, given).expect("the pack was made for these turns")
    }

    /// Takes an event.
    ///
    /// # Panics
    /// The step cannot be taken: the boundary of this pack always can.
    pub fn take(&mut self, event: &Event) {
        let mut env = Env {
            now: self.now.clone(),
            today: Date::constant(2021, 5, 10),
            session_id: self.name.clone(),
            turn_id: self.name.clone(),
            ids: &mut self.ids,
            trace: false,
            probe: None,
        };
        let state = self.last.as_ref().map_or(&self.fresh, |step| &step.state);
        let step =
            step_with(self.registry, state, event, &mut env, &mut self.scratch).expect("the boundary changes nothing");
        self.last = Some(step);
    }

    /// Takes a turn and says how long its answer's id is.
    pub fn turn(&mut self, turn: &HostTurn) -> usize {
        self.take(&self.event(turn));
        self.decision().id.len()
    }

    /// What came of the last event.
    #[must_use]
    pub fn decision(&self) -> Decision<'_> {
        let pack = self.registry.pack();
        let step = self.last.as_ref();
        let class = step.and_then(|step| step.class);
        let mode = step.and_then(|step| step.answer);
        let route = step.and_then(|step| step.messages.first()).and_then(|message| message.fields.first());
        Decision {
            id: class.map_or("", |class| pack.names.text(pack.classes[class.index()].id)),
            answer_mode: mode.map_or("", |mode| pack.names.text(pack.modes[mode.index()].name)),
            route: match route {
                Some((_, Value::Text(text))) => text,
                _ => "",
            },
        }
    }

    /// A field of the state.
    #[must_use]
    pub fn field(&self, frame: &str, field: &str) -> Option<&str> {
        let pack = self.registry.pack();
        let slot = pack.field(pack.frame(&name(frame))?, &name(field))?;
        match self.state().get(slot) {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// How many answers and final states are right, and what is wrong with the others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    /// Turns.
    pub turns: usize,
    /// Turns whose answer is right in all three parts.
    pub correct: usize,
    /// Sessions.
    pub states: usize,
    /// Sessions whose final state is right in every field.
    pub states_correct: usize,
    /// One line for each thing that is wrong.
    pub wrong: Vec<String>,
}

/// Plays every session and compares every answer, and every field of the state at the end.
#[must_use]
pub fn check(registry: &Registry, turns: &Turns) -> Checked {
    let mut host = Host::new(registry, &turns.kinds(), &turns.signals());
    let mut checked = Checked::default();
    for (session, (due, said)) in turns.sessions.iter().zip(host_turns(turns)).enumerate() {
        host.begin();
        for (turn, (due, said)) in due.turns.iter().zip(&said).enumerate() {
            host.take(&host.event(said));
            let differs = differences(host.decision(), &due.expect);
            checked.turns += 1;
            checked.correct += usize::from(differs.is_empty());
            if !differs.is_empty() {
                let text = due.sig.get(TEXT).map_or("", String::as_str);
                checked.wrong.push(format!(
                    "session {session}, turn {turn}, {} {text:?}: {}",
                    said.kind(),
                    differs.join(", ")
                ));
            }
        }
        let mut differs = Vec::new();
        for (frame, fields) in &due.final_state {
            for (field, due) in fields {
                let found = host.field(frame, field);
                if found != Some(due) {
                    differs.push(format!("{frame}.{field} is {found:?}, not {due:?}"));
                }
            }
        }
        checked.states += 1;
        checked.states_correct += usize::from(differs.is_empty());
        if !differs.is_empty() {
            checked.wrong.push(format!("session {session}, final state: {}", differs.join(", ")));
        }
    }
    checked
}

fn differences(found: Decision<'_>, due: &Answer) -> Vec<String> {
    let (id, answer_mode) = (name(&due.id), name(&due.answer_mode));
    [("id", found.id, &id), ("answer_mode", found.answer_mode, &answer_mode), ("route", found.route, &due.route)]
        .into_iter()
        .filter(|(_, found, due)| *found != due.as_str())
        .map(|(what, found, due)| format!("{what} is {found:?}, not {due:?}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::table::read;
    use super::*;

    const TABLE: &str = r#"{ "n": 1, "fresh_state": { "lamp": { "room": "" } }, "transitions": [
      { "id": "ON@hall", "class": "ON", "domain": "hall", "owner": "lamp", "priority": 1, "events": ["user"], "when": [],
        "triggers": [{ "tag": "plain", "re": "(?:^|[^a-zа-я0-9])light(?:[^a-zа-я0-9]|$)" }],
        "mutations": [{ "op": "copy", "path": "lamp.room", "from": "sig.room" }],
        "answer_mode": "done", "route": "lamp.{tag}", "preserve": [], "forbid": [] }] }"#;

    const TURNS: &str = r#"{ "n": 1, "lexicon": [], "sessions": [{ "turns": [
      { "sig": { "event": "user", "text": "Light!", "room": "hall" },
        "expect": { "id": "ON@hall", "answer_mode": "done", "route": "lamp.plain" } },
      { "sig": { "event": "user", "text": "lights", "room": "attic" },
        "expect": { "id": "none", "answer_mode": "chat", "route": "chat.fallback" } }
    ], "final_state": { "lamp": { "room": "hall" } } }] }"#;

    fn checked(turns: &str) -> Checked {
        let (table, turns) = (read("table", TABLE).unwrap(), read("turns", turns).unwrap());
        check(&registry(&table, &turns).unwrap(), &turns)
    }

    #[test]
    fn right_answers_are_counted() {
        let due = Checked { turns: 2, correct: 2, states: 1, states_correct: 1, wrong: Vec::new() };
        assert_eq!(checked(TURNS), due);
    }

    #[test]
    fn every_difference_is_told() {
        let turns = TURNS.replace("lamp.plain", "lamp.late").replace("\"done\"", "\"over\"");
        let found = checked(&turns.replace("{ \"room\": \"hall\" } }", "{ \"room\": \"\" } }"));
        assert_eq!((found.correct, found.states_correct), (1, 0));
        assert_eq!(
            found.wrong,
            [
                r#"session 0, turn 0, user "Light!": answer_mode is "done", not "over", route is "lamp.plain", not "lamp.late""#,
                r#"session 0, final state: lamp.room is Some("hall"), not """#,
            ]
        );
        let found = checked(&TURNS.replace("\"lights\"", "\"a light\""));
        assert_eq!((found.turns, found.correct, found.states_correct), (2, 1, 0));
    }
}
