//! The page itself: an overview, one section for each class, then the names that the sections use.

use std::fmt::Write as _;

use segue::syntax::{Node, Table};

use super::read::{Pack, Scenario, items, section, table, text, texts};
use super::short;

/// The whole page.
pub fn page(pack: &Pack, scenarios: &[Scenario]) -> String {
    let mut out = String::new();
    head(&mut out, pack, scenarios);
    for class in &pack.classes {
        one_class(&mut out, class, scenarios);
    }
    names(&mut out, pack);
    out
}

fn head(out: &mut String, pack: &Pack, scenarios: &[Scenario]) {
    let id = text(&pack.manifest, "id");
    line(out, &format!("# The transition table of `{id}`"));
    line(out, "<!-- Written by `cargo xtask transitions` from the files of the pack. Edit those, not this page. -->");
    line(
        out,
        &format!(
            "{}: the classes of `transitions/{id}` and the scenarios of `scenarios/{id}` that cover each.",
            text(&pack.manifest, "title")
        ),
    );
    let extends = text(&pack.manifest, "extends");
    if !extends.is_empty() {
        line(
            out,
            &format!(
                "What is not here is that of the pack `{extends}`, which this one extends: its other classes stand on its own page."
            ),
        );
    }
    // In a pack without a universe no class carries anything.
    let carries = pack.classes.iter().any(|class| section(class, "carryover").is_some());
    let columns = if carries { " depth | forbidden |" } else { "" };
    let rule = if carries { "---|---|" } else { "" };
    let _ = writeln!(out, "| class | title | owner |{columns} scenarios |\n|---|---|---|{rule}---|");
    for class in &pack.classes {
        let carryover = section(class, "carryover");
        let depth = carryover.map(|c| text(c, "depth")).unwrap_or_default();
        let forbidden = carryover.and_then(|c| c.get("forbid")).map(texts).unwrap_or_default();
        let carried = match carries {
            true => format!(" `{depth}` | {} |", codes(&forbidden, "nothing")),
            false => String::new(),
        };
        let _ = writeln!(
            out,
            "| [{id}](#{anchor}) | {title} | `{owner}` |{carried} {count} |",
            id = text(class, "id"),
            anchor = anchor(class),
            title = text(class, "title"),
            owner = text(class, "owner"),
            count = family(class, scenarios).count(),
        );
    }
    out.push('\n');
    let chains = pack.manifest.get("precedence").map(items).unwrap_or_default();
    for chain in chains {
        line(out, &format!("Precedence, strongest first: {}.", texts(chain).join(", ")));
    }
    if let Some(depths) = section(&pack.carryover, "depth") {
        let depths = depths.iter().map(|depth| format!("`{}` = {}", depth.key, codes(&texts(&depth.value), "nothing")));
        line(
            out,
            &format!(
                "Depths of carryover: {}. The limit of a turn is `{}`.",
                depths.collect::<Vec<_>>().join("; "),
                text(&pack.carryover, "limit")
            ),
        );
    }
}

fn one_class(out: &mut String, class: &Table, scenarios: &[Scenario]) {
    line(out, &format!("## {}. {}", text(class, "id"), text(class, "title")));
    let touches = class.get("touches").map(texts).unwrap_or_default();
    line(
        out,
        &format!(
            "`{}`. Owner: `{}`. Touches: {}.",
            text(class, "name"),
            text(class, "owner"),
            codes(&touches, "nothing else")
        ),
    );
    line(out, text(class, "doc").trim());

    for trigger in class.get("trigger").map(items).unwrap_or_default().iter().filter_map(table) {
        one_trigger(out, trigger);
    }
    out.push('\n');
    conditions(out, "Requires", section(class, "requires"));
    if let Some(unmet) = section(class, "unmet") {
        bullet(out, "Unmet", &format!("reason `{}`", text(unmet, "reason")));
    }
    conditions(out, "Entry", section(class, "entry"));
    carryover(out, section(class, "carryover"));
    effects(out, "Mutations", class.get("do"));
    for row in class.get("settle").map(items).unwrap_or_default().iter().filter_map(table) {
        let when = section(row, "when").map(|when| short::condition(when).join(", ")).unwrap_or_default();
        effects(out, &format!("Settles `{}` when `{when}`", text(row, "on")), row.get("do"));
    }
    list(out, "Answer", &section(class, "answer").map(short::answers).unwrap_or_default());
    let never = class.get("never").map(items).unwrap_or_default().iter().filter_map(table);
    let never: Vec<String> = never.map(|row| format!("`{}`", short::condition(row).join(", "))).collect();
    list(out, "Never", &never);
    out.push('\n');

    line(out, "Scenarios:");
    for scenario in family(class, scenarios) {
        let short = scenario.file.rsplit('/').next().unwrap_or_default();
        let turns = if scenario.turns == 1 { String::new() } else { format!(" ({} turns)", scenario.turns) };
        let _ = writeln!(out, "* [{short}](../{}): {}{turns}", scenario.file, scenario.name);
    }
    out.push('\n');
}

fn one_trigger(out: &mut String, trigger: &Table) {
    let alternatives = trigger.get("any").map(items).unwrap_or_default().iter().filter_map(table);
    let alternatives: Vec<String> = alternatives.map(|one| format!("`{}`", short::alternative(one))).collect();
    let mut said = format!("on `{}`", text(trigger, "event"));
    if !alternatives.is_empty() {
        said.push_str(&format!(" with {}", alternatives.join(" or ")));
    }
    for key in ["requires", "entry"] {
        if let Some(of) = section(trigger, key).filter(|of| !of.is_empty()) {
            said.push_str(&format!("; {key} `{}`", short::condition(of).join("`, `")));
        }
    }
    for key in ["base", "reason"] {
        if trigger.get(key).is_some() {
            said.push_str(&format!("; {key} `{}`", text(trigger, key)));
        }
    }
    bullet(out, "Trigger", &said);
    for (key, title) in [("examples", "takes"), ("counterexamples", "does not take")] {
        let said = trigger.get(key).map(texts).unwrap_or_default();
        if !said.is_empty() {
            let _ = writeln!(out, "  * {title}: «{}»", said.join("», «"));
        }
    }
}

fn carryover(out: &mut String, of: Option<&Table>) {
    let Some(of) = of else { return };
    let listed = |key: &str| of.get(key).map(texts).unwrap_or_default();
    bullet(out, "Carries", &format!("`{}`", text(of, "depth")));
    if of.get("fields").is_some() {
        bullet(out, "Of these only", &codes(&listed("fields"), "nothing"));
    }
    bullet(out, "Keeps unread", &codes(&listed("keep"), "nothing"));
    bullet(out, "Forbids", &codes(&listed("forbid"), "nothing"));
    let preserved: Vec<String> =
        of.get("preserve").map(items).unwrap_or_default().iter().map(short::preserved).collect();
    bullet(out, "Preserves", &codes(&preserved, "nothing"));
    for fate in section(of, "fate").into_iter().flatten() {
        bullet(out, &format!("Fate of `{}`", fate.key), &codes(&texts(&fate.value), "none"));
    }
}

fn names(out: &mut String, pack: &Pack) {
    line(out, "## Answer modes");
    for mode in pack.modes.iter().flatten() {
        let Some(of) = table(&mode.value) else { continue };
        let _ = writeln!(out, "* `{}` claims {}: {}", mode.key, text(of, "claims"), text(of, "doc"));
    }
    out.push('\n');
    line(out, "## Named conditions");
    for (name, of) in &pack.conditions {
        let _ = writeln!(out, "* `{name}`: `{}`", short::condition(of).join("`, `"));
    }
    out.push('\n');
    line(out, "## Named effects");
    for (name, of) in &pack.blocks {
        effects(out, &format!("`{name}`"), of.get("do"));
    }
}

/// The scenarios that say they cover a class.
fn family<'s>(class: &'s Table, scenarios: &'s [Scenario]) -> impl Iterator<Item = &'s Scenario> {
    scenarios.iter().filter(|scenario| scenario.covers.iter().any(|id| id == text(class, "id")))
}

/// The anchor of a class's heading.
fn anchor(class: &Table) -> String {
    let heading = format!("{} {}", text(class, "id"), text(class, "title"));
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn conditions(out: &mut String, title: &str, of: Option<&Table>) {
    let parts = of.map(short::condition).unwrap_or_default();
    let parts: Vec<String> = parts.into_iter().map(|part| format!("`{part}`")).collect();
    list(out, title, &parts);
}

fn effects(out: &mut String, title: &str, of: Option<&Node>) {
    list(out, title, &of.map(|node| short::effects(items(node))).unwrap_or_default());
}

fn list(out: &mut String, title: &str, parts: &[String]) {
    match parts {
        [] => bullet(out, title, "nothing"),
        [one] => bullet(out, title, one),
        _ => {
            let _ = writeln!(out, "* **{title}**:");
            for part in parts {
                let _ = writeln!(out, "  * {part}");
            }
        }
    }
}

fn bullet(out: &mut String, title: &str, said: &str) {
    let _ = writeln!(out, "* **{title}**: {said}");
}

fn codes(names: &[String], none: &str) -> String {
    if names.is_empty() { none.to_owned() } else { format!("`{}`", names.join("`, `")) }
}

fn line(out: &mut String, said: &str) {
    let _ = writeln!(out, "{said}\n");
}
