//! An explanation as text that fits one screen, and as JSON.

use serde_json::{Value, json as object};

use super::{Explained, Explanation, LeafLine, Line, Place};

/// The most lines of an explanation that is not verbose.
const SCREEN: usize = 40;
/// The most characters of one of its lines.
const WIDTH: usize = 160;

/// For people. Without `verbose` at most forty lines: what does not fit is counted.
#[must_use]
pub fn human(explanation: &Explanation, verbose: bool) -> String {
    let mut lines = vec![explanation.about.clone()];
    let heads: Vec<Vec<String>> = explanation.steps.iter().map(head).collect();
    let fixed: usize = 1 + heads.iter().map(|head| head.len() + 1).sum::<usize>();
    let mut left = SCREEN.saturating_sub(fixed);
    let mut steps_left = explanation.steps.len();
    for (step, head) in explanation.steps.iter().zip(heads) {
        lines.push(String::new());
        lines.extend(head);
        if verbose {
            step.candidates.iter().for_each(|candidate| every_leaf(candidate, &mut lines));
        } else {
            let room = left / steps_left.max(1);
            let own = candidates(step, room);
            left = left.saturating_sub(own.len());
            steps_left -= 1;
            lines.extend(own);
        }
    }
    if !verbose {
        if lines.len() > SCREEN {
            let more = lines.len() - (SCREEN - 1);
            lines.truncate(SCREEN - 1);
            lines.push(format!("… and {more} more lines: -v shows all"));
        }
        lines.iter_mut().for_each(cut);
    }
    lines.join("\n") + "\n"
}

fn cut(line: &mut String) {
    if let Some((at, _)) = line.char_indices().nth(WIDTH) {
        line.truncate(at);
        line.push('…');
    }
}

fn head(step: &Explained) -> Vec<String> {
    let mut lines = vec![step.what.clone()];
    let mut push = |word: &str, text: String| lines.push(format!("  {word:<9}{text}"));
    let list = |of: &[String], most: usize| {
        let shown = of[..of.len().min(most)].join(", ");
        if of.len() > most { format!("{shown} and {} more", of.len() - most) } else { shown }
    };
    if !step.said.is_empty() {
        push("said", list(&step.said, 6));
    }
    if let Some((class, name)) = &step.class {
        let because = step.because.as_ref().map_or_else(String::new, |because| format!(": {because}"));
        push("chosen", format!("{class} ({name}){because}"));
    }
    let chosen = step.candidates.iter().find(|line| line.verdict == "chosen");
    if let Some(chosen) = chosen.filter(|line| !line.bound.is_empty()) {
        push("bound", chosen.bound.join(", "));
    }
    if let Some(refused) = &step.refused {
        push("refused", refused.clone());
    }
    if let Some(breach) = &step.breach {
        push("breach", breach.clone());
    }
    for read in &step.read {
        push("read", read.clone());
    }
    if let Some(retried) = &step.retried {
        push("again", retried.clone());
    }
    for broke in step.gave_up.iter().take(3) {
        push("gave up", broke.clone());
    }
    if !step.reasons.is_empty() {
        push("reason", list(&step.reasons, 6));
    }
    match (step.carried.is_empty(), step.dropped.is_empty()) {
        (true, true) => {}
        (false, true) => push("carried", list(&step.carried, 8)),
        (true, false) => push("dropped", list(&step.dropped, 8)),
        (false, false) => {
            push("carried", format!("{}; dropped {}", list(&step.carried, 8), list(&step.dropped, 8)));
        }
    }
    if !step.calls.is_empty() {
        push("calls", list(&step.calls, 2));
    }
    if let Some(answer) = &step.answer {
        push("answer", answer.clone());
    }
    lines
}

/// The other candidates, strongest first, in `room` lines.
fn candidates(step: &Explained, room: usize) -> Vec<String> {
    let others: Vec<&Line> = step.candidates.iter().filter(|line| line.verdict != "chosen").collect();
    if others.is_empty() || room == 0 {
        return Vec::new();
    }
    let head = "  ruled out, strongest first:".to_owned();
    let room = room - 1;
    if others.len() <= room {
        return std::iter::once(head).chain(brief(&others)).collect();
    }
    // What was not even triggered shares a line, so that there is room for the rest.
    let (idle, ruled_out): (Vec<&Line>, Vec<&Line>) =
        others.into_iter().partition(|line| line.verdict == "not_triggered");
    let spare = usize::from(!idle.is_empty());
    let shown = if ruled_out.len() + spare <= room { ruled_out.len() } else { room.saturating_sub(spare + 1) };
    let mut lines = Vec::new();
    if shown > 0 {
        lines.push(head);
        lines.extend(brief(&ruled_out[..shown]));
    }
    if shown < ruled_out.len() && room > spare {
        let and = if shown > 0 { "… and " } else { "" };
        let of = if shown > 0 { "more that were" } else { "candidates were" };
        lines.push(format!("  {and}{} {of} triggered: -v shows all", ruled_out.len() - shown));
    }
    if !idle.is_empty() && room > 0 {
        let names: Vec<&str> = idle.iter().take(12).map(|line| line.class.as_str()).collect();
        let more = idle.len() - names.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        lines.push(format!("  not triggered: {}{more}", names.join(", ")));
    }
    lines
}

/// A line for each of these, one part below the other.
fn brief(of: &[&Line]) -> Vec<String> {
    let ids = of.iter().map(|line| line.class.chars().count()).max().unwrap_or(0).max(4);
    let one =
        |line: &&Line| format!("  {:<ids$} {:<30} {}{}", line.class, line.name, line.because, at(line.place.as_ref()));
    of.iter().map(one).collect()
}

fn at(place: Option<&Place>) -> String {
    place.map_or_else(String::new, |place| {
        let file = place.file.rsplit('/').next().unwrap_or(&place.file);
        format!(" ({file}:{})", place.line)
    })
}

fn every_leaf(line: &Line, lines: &mut Vec<String>) {
    let word = if line.verdict == "chosen" { "chosen: " } else { "" };
    lines.push(format!("  {:<4} {:<30} {word}{}{}", line.class, line.name, line.because, at(line.place.as_ref())));
    for leaf in &line.leaves {
        let LeafLine { path, was, needs, verdict, place } = leaf;
        lines.push(format!("       {verdict:<8} {path} was {was}, needs {needs}{}", at(place.as_ref())));
    }
    for (name, value) in &line.derived {
        lines.push(format!("       derived  {name} = {value}"));
    }
    for bound in &line.bound {
        lines.push(format!("       bound    {bound}"));
    }
}

/// For a machine: all of it.
#[must_use]
pub fn json(explanation: &Explanation) -> Value {
    let place = |place: &Option<Place>| match place {
        Some(place) => object!({ "file": place.file, "line": place.line }),
        None => Value::Null,
    };
    let leaf = |leaf: &LeafLine| {
        object!({
            "path": leaf.path,
            "was": leaf.was,
            "needs": leaf.needs,
            "verdict": leaf.verdict,
            "place": place(&leaf.place),
        })
    };
    let candidate = |line: &Line| {
        object!({
            "class": line.class,
            "name": line.name,
            "verdict": line.verdict,
            "because": line.because,
            "place": place(&line.place),
            "leaves": line.leaves.iter().map(leaf).collect::<Vec<_>>(),
            "bound": line.bound,
            "derived": line.derived.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str())))
                .collect::<serde_json::Map<_, _>>(),
        })
    };
    let step = |step: &Explained| {
        object!({
            "what": step.what,
            "phase": if step.settles { "settle" } else { "select" },
            "class": step.class.as_ref().map(|(id, _)| id),
            "name": step.class.as_ref().map(|(_, name)| name),
            "because": step.because,
            "refused": step.refused,
            "breach": step.breach,
            "retried": step.retried,
            "read": step.read,
            "reasons": step.reasons,
            "gave_up": step.gave_up,
            "said": step.said,
            "carried": step.carried,
            "dropped": step.dropped,
            "calls": step.calls,
            "answer": step.answer,
            "candidates": step.candidates.iter().map(candidate).collect::<Vec<_>>(),
        })
    };
    object!({
        "about": explanation.about,
        "steps": explanation.steps.iter().map(step).collect::<Vec<_>>(),
    })
}
