//! The report of a replay: for people, and as one JSON document.

use std::cmp::Ordering;

use serde_json::{Map, Value, json};

use super::{Failure, TurnResult};
use crate::report::{place, plural};
use crate::source::SourceMap;

/// How a scenario came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Every expectation holds and the transcript is the snapshot.
    Passed,
    /// Something does not.
    Failed,
    /// Nothing in the file could be run.
    Error,
}

/// A scenario that was run.
#[derive(Debug, Clone)]
pub struct Ran {
    /// Its file.
    pub file: String,
    /// Its name; empty for a file in which nothing could be run.
    pub name: String,
    /// How it came out.
    pub status: Status,
    /// Each turn in brief.
    pub turns: Vec<TurnResult>,
    /// What it fails.
    pub failures: Vec<Failure>,
    /// The command that explains a turn of it, but for the turn; nothing where it could not be run.
    pub explain: Option<String>,
}

/// All of a run.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The scenarios, in order.
    pub results: Vec<Ran>,
    /// The ids of all classes of the packs that took part.
    pub classes: Vec<String>,
    /// Snapshots that no scenario refers to.
    pub unreferenced: Vec<String>,
    /// What was written or removed, for people.
    pub notes: Vec<String>,
}

impl Report {
    /// Whether everything passed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.unreferenced.is_empty() && self.count(Status::Passed) == self.results.len()
    }

    /// How many scenarios came out like this.
    #[must_use]
    pub fn count(&self, status: Status) -> usize {
        self.results.iter().filter(|ran| ran.status == status).count()
    }

    fn turns(&self) -> usize {
        self.results.iter().map(|ran| ran.turns.len()).sum()
    }
}

/// One document: totals, turns by settled class, each scenario.
#[must_use]
pub fn json(sources: &SourceMap, report: &Report) -> Value {
    let mut classes = report.classes.clone();
    classes.sort_by(|a, b| natural(a, b));
    classes.dedup();
    let mut counts: Vec<(String, u64)> = classes.into_iter().map(|class| (class, 0)).collect();
    for class in report.results.iter().flat_map(|ran| &ran.turns).filter_map(|turn| turn.transition.as_ref()) {
        if let Some((_, count)) = counts.iter_mut().find(|(known, _)| known == class) {
            *count += 1;
        }
    }
    let by_transition: Map<String, Value> = counts.into_iter().map(|(class, count)| (class, count.into())).collect();
    let passed = report.count(Status::Passed);
    let mut document = json!({
        "scenarios": report.results.len(),
        "passed": passed,
        "failed": report.results.len() - passed,
        "turns": report.turns(),
        "by_transition": by_transition,
        "results": report.results.iter().map(|ran| result(sources, ran)).collect::<Vec<_>>(),
    });
    if !report.unreferenced.is_empty()
        && let Value::Object(fields) = &mut document
    {
        fields.insert("unreferenced_snapshots".into(), json!(report.unreferenced));
    }
    document
}

fn result(sources: &SourceMap, ran: &Ran) -> Value {
    let turn = |turn: &TurnResult| json!({ "transition": turn.transition, "answer_mode": turn.answer_mode, "reasons": turn.reasons });
    let failure = |failure: &Failure| {
        let at = sources.start(failure.span);
        json!({
            "turn": failure.turn.map(|turn| turn + 1),
            "file": sources.name(failure.span.file),
            "line": at.line,
            "column": at.column,
            "message": failure.message,
            "expected": failure.expected,
            "actual": failure.actual,
            "help": failure.help,
            "diff": failure.diff,
        })
    };
    json!({
        "file": ran.file,
        "name": ran.name,
        "status": match ran.status {
            Status::Passed => "passed",
            Status::Failed => "failed",
            Status::Error => "error",
        },
        "turns": ran.turns.iter().map(turn).collect::<Vec<_>>(),
        "failures": ran.failures.iter().map(failure).collect::<Vec<_>>(),
    })
}

/// For people: each failure with its place, and a summary in one line. `color` adds terminal styles.
#[must_use]
pub fn human(sources: &SourceMap, report: &Report, color: bool) -> String {
    let paint = Paint(color);
    let mut text = String::new();
    for ran in report.results.iter().filter(|ran| ran.status != Status::Passed) {
        let word = if ran.status == Status::Error { "ERROR" } else { "FAIL" };
        let name = if ran.name.is_empty() { String::new() } else { format!(": {}", ran.name) };
        text.push_str(&format!("{} {}{name}\n", paint.red(word), paint.bold(&ran.file)));
        all_told(sources, ran, &paint, &mut text);
        text.push('\n');
    }
    for orphan in &report.unreferenced {
        text.push_str(&format!("{} {}: no scenario refers to this snapshot\n", paint.red("FAIL"), paint.bold(orphan)));
    }
    if !report.unreferenced.is_empty() {
        text.push_str("  remove it, or run `segue replay --accept`\n\n");
    }
    for note in &report.notes {
        text.push_str(&format!("{note}\n"));
    }
    let passed = report.count(Status::Passed);
    let mut summary = format!(
        "{}, {passed} passed, {} failed, {}",
        plural(report.results.len(), "scenario"),
        report.results.len() - passed,
        plural(report.turns(), "turn"),
    );
    if !report.unreferenced.is_empty() {
        summary.push_str(&format!(", {}", plural(report.unreferenced.len(), "unreferenced snapshot")));
    }
    text.push_str(&if report.passed() { paint.green(&summary) } else { paint.red(&summary) });
    text.push('\n');
    text
}

/// What a scenario fails, and for each turn that fails how its trace is seen.
fn all_told(sources: &SourceMap, ran: &Ran, paint: &Paint, text: &mut String) {
    for (at, failure) in ran.failures.iter().enumerate() {
        told(sources, failure, paint, text);
        let last = ran.failures.get(at + 1).is_none_or(|next| next.turn != failure.turn);
        if let (Some(turn), Some(explain)) = (failure.turn.filter(|_| last), &ran.explain) {
            text.push_str(&format!("    {} `{explain} --turn {}`\n", paint.bold("see why:"), turn + 1));
        }
    }
}

/// A failure with its place.
fn told(sources: &SourceMap, failure: &Failure, paint: &Paint, text: &mut String) {
    let turn = failure.turn.map_or_else(String::new, |turn| format!("turn {}: ", turn + 1));
    let place = place(sources, failure.span);
    text.push_str(&format!("  {}: {turn}{}\n", paint.bold(&place), failure.message));
    for (word, value) in [("expected", &failure.expected), ("actual  ", &failure.actual)] {
        if let Some(value) = value {
            text.push_str(&format!("    {word}  {value}\n"));
        }
    }
    if let Some(help) = &failure.help {
        text.push_str(&format!("    {} {help}\n", paint.bold("help:")));
    }
    for line in failure.diff.iter().flat_map(|diff| diff.lines()) {
        let line = match line.chars().next() {
            Some('-') => paint.red(line),
            Some('+') => paint.green(line),
            _ => line.to_owned(),
        };
        text.push_str(&format!("    {line}\n"));
    }
}

/// As JUnit XML: a test case for each scenario, and for each file or snapshot that fails by itself.
///
/// # Errors
/// None that is known: the XML is written into memory.
#[cfg(feature = "cli")]
pub fn junit(sources: &SourceMap, report: &Report) -> Result<String, quick_junit::SerializeError> {
    use quick_junit::{NonSuccessKind, TestCaseStatus, TestSuite};

    use crate::report::junit::{case, document};

    let mut suite = TestSuite::new("segue replay");
    for ran in &report.results {
        let kind = match ran.status {
            Status::Passed => None,
            Status::Failed => Some(NonSuccessKind::Failure),
            Status::Error => Some(NonSuccessKind::Error),
        };
        let status = kind.map_or_else(TestCaseStatus::success, |kind| {
            let mut status = TestCaseStatus::non_success(kind);
            if let Some(first) = ran.failures.first() {
                status.set_message(first.message.as_str());
            }
            let mut text = String::new();
            all_told(sources, ran, &Paint(false), &mut text);
            status.set_description(text.trim_end());
            status
        });
        suite.add_test_case(case(&ran.file, Some(ran.name.as_str()).filter(|name| !name.is_empty()), status, ""));
    }
    for orphan in &report.unreferenced {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_message("no scenario refers to this snapshot");
        status.set_description("remove it, or run `segue replay --accept`");
        suite.add_test_case(case(orphan, None, status, ""));
    }
    document("segue replay", suite)
}

struct Paint(bool);

impl Paint {
    fn with(&self, code: &str, text: &str) -> String {
        if self.0 { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    fn red(&self, text: &str) -> String {
        self.with("31", text)
    }

    fn green(&self, text: &str) -> String {
        self.with("32", text)
    }

    fn bold(&self, text: &str) -> String {
        self.with("1", text)
    }
}

/// Names in the order people count: T2 before T10.
#[must_use]
pub fn natural(a: &str, b: &str) -> Ordering {
    let split = |text: &str| {
        let word = text.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = text[word.len()..].trim_start_matches('0');
        (word.to_owned(), digits.len(), digits.to_owned())
    };
    split(a).cmp(&split(b)).then_with(|| a.cmp(b))
}
