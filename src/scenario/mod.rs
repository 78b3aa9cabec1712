//! Scenarios: scripted conversations with expectations, how they are read, replayed, judged and kept.

mod expect;
mod judge;
pub mod lint;
pub mod live;
pub mod report;
mod run;
mod script;
mod shape;
pub mod show;
pub mod snapshot;
pub mod transcript;
mod turn;
mod typed;
mod written;

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;

use crate::diag::{Code, Diagnostic, Diagnostics, quoted, suggest};
use crate::language;
use crate::source::{FileId, Span};
use crate::syntax::{self, Field, Format, Kind, Node, Reader};

pub use run::{
    Delivered, Failure, Outcome, Played, PlayedStep, PlayedTurn, TurnResult, What, play, replay, steps_of, take,
};
pub use script::{
    Call, CallName, Given, Happens, Input, Reply, Script, Turn, env, given_of, outcomes, script, state_of,
};
pub use shape::{faults, named};
pub use turn::input_of;
pub use written::Written;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// The place.
    pub span: Span,
}

/// A scripted conversation, as far as it can be read without its pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scenario {
    /// Its name, unique in its file.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// The pack it names.
    pub pack: Option<Spanned<String>>,
    /// The classes it is about.
    pub covers: Vec<Spanned<String>>,
    /// Frames before the first turn.
    pub given: Option<Node>,
    /// What makes it deterministic.
    pub env: Clock,
    /// The turns, each a table still to be read with the pack at hand.
    pub turns: Vec<Node>,
    /// What is wrong with it so far; such a scenario fails without being run.
    pub problems: Vec<Diagnostic>,
}

/// The clock and the session of a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clock {
    /// Today.
    pub today: Date,
    /// Now, RFC 3339.
    pub now: String,
    /// The id of the session.
    pub session_id: String,
}

impl Default for Clock {
    /// 2020-01-01 at midnight UTC, session `s-1`.
    fn default() -> Self {
        Self::on(Date::constant(2020, 1, 1))
    }
}

impl Clock {
    /// Midnight UTC of a day, session `s-1`.
    #[must_use]
    pub fn on(today: Date) -> Self {
        Self { today, now: format!("{today}T00:00:00Z"), session_id: "s-1".into() }
    }

    /// An instant, in UTC and to the millisecond: always of one form.
    #[must_use]
    pub fn at(now: Timestamp) -> Self {
        Self { now: format!("{now:.3}"), ..Self::on(Offset::UTC.to_datetime(now).date()) }
    }
}

/// The scenarios of one file.
#[derive(Debug, Clone, Default)]
pub struct Parsed {
    /// In the order written.
    pub scenarios: Vec<Scenario>,
    /// What is wrong with the file as a whole: then nothing in it can be run.
    pub problems: Vec<Diagnostic>,
}

/// Reads a file: one scenario (a table with `scenario`), or many under `scenarios`.
#[must_use]
pub fn parse(file: FileId, text: &str, format: Format) -> Parsed {
    let out = Diagnostics::new();
    let root = syntax::parse(file, text, format, &out);
    let mut parsed = Parsed::default();
    // Where the text cannot be read as it stands, what it holds is a guess.
    let guessed = out.has(Code::SyntaxError);
    if let Some(root) = root.filter(|_| !guessed) {
        match &root.kind {
            Kind::List(items) => headless(root.span, items, format, &out, &mut parsed.scenarios),
            _ => scenarios(&root, &out, &mut parsed.scenarios),
        }
    }
    let mut first: BTreeMap<&str, Span> = BTreeMap::new();
    for Scenario { name, span, problems, .. } in &mut parsed.scenarios {
        if let Some(first) = first.get(name.as_str()) {
            let message = format!("the scenario {} is written twice in this file", quoted(name));
            let found = Diagnostic::error(Code::DuplicateName, *span, message);
            problems.push(found.also(*first, "first written here").help("give it another name"));
        } else {
            first.insert(name, *span);
        }
    }
    parsed.problems = out.into_sorted();
    parsed
}

/// Scenarios of which the key is missing.
fn headless(span: Span, items: &[Node], format: Format, out: &Diagnostics, all: &mut Vec<Scenario>) {
    let span = items.first().map_or(span, |first| first.span);
    let message = "a list of scenarios without its key: `scenarios` is missing";
    out.push(Diagnostic::error(Code::WrongType, span, message).help(match format {
        Format::Json => "write `{ \"scenarios\": [ … ] }`",
        Format::Toml | Format::Yaml => "write `scenarios:` on a line above it",
    }));
    all.extend(items.iter().filter_map(|item| scenario(item, out)));
}

fn scenarios(root: &Node, out: &Diagnostics, all: &mut Vec<Scenario>) {
    let one = |key: &str| suggest(key, ["scenario"]).is_some() && !key.ends_with('s');
    let many = match &root.kind {
        // A misspelt key is read as what it was meant to be.
        Kind::Table(table) if table.get("scenario").is_none() && !table.iter().any(|entry| one(&entry.key)) => {
            table.iter().any(|entry| suggest(&entry.key, ["scenarios"]).is_some())
        }
        Kind::Table(table) => table.get("scenarios").is_some(),
        _ => false,
    };
    if !many {
        all.extend(scenario(root, out));
        return;
    }
    let Some(reader) = Reader::new(root, &language::SCENARIOS, out) else { return };
    if let Some(list) = reader.required("scenarios").and_then(Field::list) {
        if list.len() == 0 {
            let found = Diagnostic::error(Code::BadValue, root.span, "the file holds no scenario");
            out.push(found.help("write a scenario, or remove the file"));
        }
        all.extend(list.filter_map(|item| scenario(item.node, out)));
    }
    reader.finish();
}

/// Reads one scenario. Without a name it is a fault of the file; anything else is a fault of the scenario.
fn scenario(node: &Node, out: &Diagnostics) -> Option<Scenario> {
    let named = Reader::new(node, &language::SCENARIO, out)?;
    let name = named.required_as("scenario", "write `scenario: what it shows`")?;
    let (name, span) = (name.word()?.trim().to_owned(), name.span());
    let own = Diagnostics::new();
    let reader = Reader::new(node, &language::SCENARIO, &own)?;
    let _ = reader.optional("scenario");
    let spanned = |field: Field<'_>| field.word().map(|text| Spanned { value: text.to_owned(), span: field.span() });
    let pack = reader.optional("pack").and_then(spanned);
    let covers = match reader.optional("covers") {
        Some(field) => field.one_or_many().filter_map(spanned).collect(),
        None => Vec::new(),
    };
    let given = reader.optional("given").map(|field| field.node.clone());
    let env = reader.optional("env").map_or_else(Clock::default, |field| clock(field));
    let turns: Vec<Node> = match reader.required("turns").and_then(Field::list) {
        Some(list) => list.map(|item| item.node.clone()).collect(),
        None => Vec::new(),
    };
    if reader.has("turns") && turns.is_empty() && own.is_empty() {
        let found = Diagnostic::error(Code::BadValue, span, "the scenario has no turn: it checks nothing");
        own.push(found.help("write at least one turn"));
    }
    reader.finish();
    Some(Scenario { name, span, pack, covers, given, env, turns, problems: own.into_sorted() })
}

fn clock(field: Field<'_>) -> Clock {
    let mut clock = Clock::default();
    let Some(reader) = field.table(&language::ENV) else { return clock };
    let now = reader.optional("now").and_then(|field| {
        let text = field.date()?;
        match text.parse::<Timestamp>() {
            Ok(instant) => Some((text.to_owned(), instant)),
            Err(_) => field.bad(format!("{} is no instant", quoted(text)), "write one such as 2021-05-10T09:30:00Z"),
        }
    });
    let today = reader.optional("today").and_then(|field| {
        let text = field.date()?;
        match text.parse::<Date>() {
            Ok(date) if date.to_string() == text => Some(date),
            _ => field.bad(format!("{} is no date", quoted(text)), "write one such as 2021-05-10"),
        }
    });
    if let Some(today) = today.or(now.as_ref().map(|(_, now)| Offset::UTC.to_datetime(*now).date())) {
        clock = Clock::on(today);
    }
    if let Some((now, _)) = now {
        clock.now = now;
    }
    if let Some(id) = reader.optional("session_id").and_then(Field::word) {
        clock.session_id = id.to_owned();
    }
    reader.finish();
    clock
}
