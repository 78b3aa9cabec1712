//! What a recording came to: for people, and as one JSON document.

use serde_json::{Map, Value, json as value};

use crate::scenario::show;
use crate::stats::numbers::{percent, plural, row, share, table};

use super::{Counts, Miss, Recorded, Scored, Scores};

/// One document: counts are whole numbers, rates are shares between 0 and 1; null where there is nothing to take a share of.
#[must_use]
pub fn json(recorded: &Recorded) -> Value {
    let by_class = |counts: &[u64]| -> Map<String, Value> {
        recorded.classes.iter().zip(counts).map(|(class, count)| (class.clone(), (*count).into())).collect()
    };
    let mut document = Map::new();
    document.insert("dialogues".into(), recorded.dialogues.into());
    document.insert("turns".into(), recorded.turns.into());
    if let Some(scored) = &recorded.scored {
        let all = scored.scores.all;
        document.insert("labelled".into(), all.n.into());
        rates(&scored.scores, &mut document);
        let dialogues = scored.dialogues;
        document.insert("dialogues_strict".into(), value!(share(dialogues.strict, dialogues.n)));
        document.insert("dialogues_lenient".into(), value!(share(dialogues.lenient, dialogues.n)));
        tables(scored, &scored.scores, &mut document);
        let mut by = Map::new();
        for (way, values) in &scored.by {
            let values = values.iter().map(|(text, scores)| {
                let mut of = Map::new();
                of.insert("n".into(), scores.all.n.into());
                rates(scores, &mut of);
                tables(scored, scores, &mut of);
                (text.clone(), Value::Object(of))
            });
            by.insert(way.clone(), Value::Object(values.collect()));
        }
        document.insert("by".into(), Value::Object(by));
        if !scored.sources.is_empty() {
            let sources = scored.sources.iter().map(|(source, scores)| (source.clone(), of_source(scored, scores)));
            document.insert("sources".into(), Value::Object(sources.collect()));
        }
        let expected = scored.labels.iter().zip(&scored.scores.confusion).zip(&scored.scores.labels);
        let confusion = expected.filter(|(_, label)| label.own.n > 0).map(|((label, row), _)| {
            let row = recorded.classes.iter().zip(row).filter(|(_, count)| **count > 0);
            let row = row.map(|(class, count)| (class.clone(), Value::from(*count)));
            (label.clone(), Value::Object(row.collect()))
        });
        document.insert("confusion".into(), Value::Object(confusion.collect()));
    }
    document.insert("by_transition".into(), Value::Object(by_class(&recorded.by_transition)));
    document.insert("by_phrase".into(), Value::Object(by_class(&recorded.by_phrase)));
    if recorded.scored.is_some() {
        document.insert("misses".into(), recorded.misses.iter().map(miss).collect());
    }
    Value::Object(document)
}

/// A source by the measures of classification.
fn of_source(scored: &Scored, scores: &Scores) -> Value {
    let expected = scored.labels.iter().zip(&scores.labels).filter(|(_, label)| label.own.n > 0);
    let f1 = expected.map(|(name, label)| (name.clone(), value!(label.f1())));
    let accuracy = share(scores.all.strict, scores.all.n);
    value!({ "turns": scores.all.n, "accuracy": accuracy, "macro_f1": scores.macro_f1(), "f1": Value::Object(f1.collect()) })
}

fn rates(scores: &Scores, into: &mut Map<String, Value>) {
    let means = scores.means();
    into.insert("strict".into(), value!(share(scores.all.strict, scores.all.n)));
    into.insert("lenient".into(), value!(share(scores.all.lenient, scores.all.n)));
    into.insert("macro_strict".into(), value!(means.map(|(strict, _)| strict)));
    into.insert("macro_lenient".into(), value!(means.map(|(_, lenient)| lenient)));
}

fn tables(scored: &Scored, scores: &Scores, into: &mut Map<String, Value>) {
    let counts = |counts: &Counts| {
        let mut of = Map::new();
        of.insert("n".into(), counts.n.into());
        of.insert("strict".into(), value!(share(counts.strict, counts.n)));
        of.insert("lenient".into(), value!(share(counts.lenient, counts.n)));
        of
    };
    let expected = scored.labels.iter().zip(&scores.labels).filter(|(_, label)| label.own.n > 0);
    let per_class = expected.map(|(name, label)| {
        let mut of = counts(&label.own);
        of.insert("false_rate".into(), value!(share(label.fired, label.others)));
        (name.clone(), Value::Object(of))
    });
    into.insert("per_class".into(), Value::Object(per_class.collect()));
    let groups = scored.groups.iter().zip(&scores.groups);
    let groups = groups.map(|(name, group)| (name.clone(), Value::Object(counts(group))));
    into.insert("groups".into(), Value::Object(groups.collect()));
}

fn miss(miss: &Miss) -> Value {
    value!({
        "dialogue": miss.dialogue,
        "turn": miss.turn,
        "line": miss.line,
        "text": miss.text,
        "signals": miss.signals,
        "expected": miss.expected,
        "accept": miss.accept,
        "class": miss.class,
        "lenient": miss.lenient,
        "explain": crate::explain::human(&miss.explanation, false),
    })
}

/// For people: the misses that were asked for, then a table of scores and who took what; where turns have no label all turns
/// by class.
#[must_use]
pub fn human(recorded: &Recorded) -> String {
    let mut text = String::new();
    for miss in &recorded.misses {
        text.push_str(&told(miss));
    }
    let dialogues = plural(recorded.dialogues, "dialogue");
    text.push_str(&format!("{}: {dialogues}, {}", recorded.form, plural(recorded.turns, "turn")));
    let labelled = recorded.scored.as_ref().map_or(0, |scored| scored.scores.all.n);
    if let Some(scored) = &recorded.scored {
        text.push_str(&format!(", {labelled} labelled"));
        if labelled > 0 {
            text.push_str("\n\n");
            text.push_str(&scores(recorded, scored));
        }
    }
    if labelled < recorded.turns {
        text.push_str(if labelled > 0 { "\n" } else { "\n\n" });
        let mut rows = vec![row(["", "turns", "by words"])];
        let counts = recorded.by_transition.iter().zip(&recorded.by_phrase);
        for (class, (turns, words)) in recorded.classes.iter().zip(counts) {
            rows.push(row([class, &turns.to_string(), &words.to_string()]));
        }
        text.push_str(&table(&rows));
    }
    text
}

/// What was scored: the overview, the same by each value that the form names, and which class took what.
fn scores(recorded: &Recorded, scored: &Scored) -> String {
    let mut text = table(&overview(scored));
    if !scored.sources.is_empty() {
        let mut rows = vec![row(["source", "n", "accuracy", "mean F1"])];
        for (source, scores) in &scored.sources {
            let all = scores.all;
            let cells = [percent(share(all.strict, all.n)), percent(scores.macro_f1())];
            rows.push(row([&show::line(source), &all.n.to_string(), &cells[0], &cells[1]]));
        }
        text.push('\n');
        text.push_str(&table(&rows));
    }
    for (way, values) in scored.by.iter().filter(|(_, values)| !values.is_empty()) {
        let mut rows = vec![row([&format!("by {way}"), "n", "strict", "lenient", "mean strict", "mean lenient"])];
        for (value, scores) in values {
            let (strict, lenient) = scores.means().unzip();
            let mut cells = line(&show::line(value), &scores.all);
            cells.extend([percent(strict), percent(lenient)]);
            rows.push(cells);
        }
        text.push('\n');
        text.push_str(&table(&rows));
    }
    let mut rows = vec![vec![String::new()]];
    rows[0].extend(recorded.classes.iter().cloned());
    let expected = scored.labels.iter().zip(&scored.scores.confusion).zip(&scored.scores.labels);
    for ((label, took), _) in expected.filter(|(_, label)| label.own.n > 0) {
        let mut cells = vec![label.clone()];
        cells.extend(took.iter().map(|count| if *count == 0 { ".".into() } else { count.to_string() }));
        rows.push(cells);
    }
    if rows.len() > 1 {
        text.push_str("\nexpected (rows), and the class that took the turn (columns)\n");
        text.push_str(&table(&rows));
    }
    text
}

/// The rows of labels, of all of them, of groups and of dialogues.
fn overview(scored: &Scored) -> Vec<Vec<String>> {
    let mut rows = vec![row(["", "n", "strict", "lenient", "false"])];
    for (name, label) in scored.labels.iter().zip(&scored.scores.labels).filter(|(_, label)| label.own.n > 0) {
        let mut cells = line(name, &label.own);
        cells.push(percent(share(label.fired, label.others)));
        rows.push(cells);
    }
    rows.push(line("all", &scored.scores.all));
    let (strict, lenient) = scored.scores.means().unzip();
    rows.push(row(["mean", "", &percent(strict), &percent(lenient)]));
    for (name, group) in scored.groups.iter().zip(&scored.scores.groups) {
        rows.push(line(&format!("group {name}"), group));
    }
    rows.push(line("dialogues", &scored.dialogues));
    rows
}

/// A miss, with what explains it.
fn told(miss: &Miss) -> String {
    let explained = crate::explain::human(&miss.explanation, false);
    let given: Map<String, Value> = match &miss.signals {
        Value::Object(signals) => signals.clone().into_iter().filter(|(_, value)| !value.is_null()).collect(),
        _ => Map::new(),
    };
    match explained.split_once('\n') {
        Some((about, steps)) if !given.is_empty() => {
            format!("{about}\nsignals {}\n{steps}\n", show::json(&Value::Object(given)))
        }
        _ => format!("{explained}\n"),
    }
}

fn line(name: &str, counts: &Counts) -> Vec<String> {
    let rates = [share(counts.strict, counts.n), share(counts.lenient, counts.n)];
    row([name, &counts.n.to_string(), &percent(rates[0]), &percent(rates[1])])
}
