//! The engine does what the reference evaluator does.

use segue::declare::SourceText;
use segue::engine::Step;
use segue::model::json::to_json;
use segue::registry::Registry;

use super::{Met, for_seeds};
use crate::support::corpus::Corpus;
use crate::support::events::{beginning, event};
use crate::support::packs::{Documents, as_toml, keyed_pack, pack};
use crate::support::pair::{Pair, shown};
use crate::support::{Dice, file, load, loaded, main_pack, workspace};

/// Runs a session of random events through both evaluators.
fn same_steps(registry: &Registry, corpus: &Corpus, dice: &mut Dice, steps: usize, met: &Met) -> Result<(), String> {
    let (state, said) = beginning(registry, corpus, dice);
    let mut pair = Pair::starting(registry, state);
    let mut gone = Vec::new();
    for at in 0..steps {
        if at % 5 == 4 && dice.chance(50) {
            pair.count_anew();
        }
        let event = event(registry, &pair.state, &gone, said, dice, corpus);
        let open: Vec<_> = pair.state.open_calls().iter().map(|call| call.id.clone()).collect();
        match pair.step(&event)? {
            Some(step) => {
                let made = step;
                let step = shown(registry.pack(), &made);
                step.class.iter().chain(&step.reasons).chain(&step.answer).for_each(|name| met.count(name));
                instances(registry, &made, met);
                kept(registry, &made, met);
            }
            None => met.count("error"),
        }
        gone.extend(open);
        gone.retain(|id| !pair.state.open_calls().iter().any(|call| call.id == *id));
    }
    Ok(())
}

/// Counts what a step does with instances.
fn instances(registry: &Registry, step: &Step, met: &Met) {
    let pack = registry.pack();
    for change in step.instance_changes(pack) {
        let done = [("opened", change.opened), ("closed", change.ended.is_some()), ("gone", change.gone)];
        done.iter().filter(|(_, done)| *done).for_each(|(what, _)| met.count(what));
        if !change.opened && !change.fields.is_empty() {
            met.count("changed");
        }
    }
    let open = step.state.open_calls();
    if open.iter().any(|call| !call.owners.is_empty()) {
        met.count("a call of an instance");
        if open.len() > 1 {
            met.count("several calls");
        }
    }
    if pack.keyed.iter().any(|frame| step.state.instances(pack, *frame).is_some_and(|all| all.open.len() > 1)) {
        met.count("two open");
    }
}

/// Counts what a step says that no type declares.
fn kept(registry: &Registry, step: &Step, met: &Met) {
    let pack = registry.pack();
    let said = step.messages.iter().flat_map(|said| &said.fields);
    if step.breach.is_some_and(|breach| pack.names.text(breach) == "schema") {
        met.count("schema");
    }
    for (name, value) in said.chain(step.calls.iter().flat_map(|call| &call.with)) {
        if pack.names.text(*name) == "paper" {
            met.count("a document");
        }
        let text = to_json(&pack.names, value).to_string();
        ["zeta", "alpha"].iter().filter(|name| text.contains(**name)).for_each(|_| met.count("unknown keys"));
    }
}

#[test]
fn on_the_main_pack() {
    let registry = main_pack();
    let corpus = Corpus::read();
    let met = Met::default();
    for_seeds(60, |seed| same_steps(&registry, &corpus, &mut Dice(seed), 12, &met));
    met.demand(&["T1", "T2", "T3", "T4", "T5", "T6", "T7", "T8", "T9", "T10"]);
    met.demand(&[
        "exact_route",
        "exact_item",
        "limited",
        "clarification",
        "selection",
        "meta",
        "recap",
        "chat",
        "bounded",
    ]);
    met.demand(&[
        "ambiguous",
        "carryover_blocked",
        "execution_failed",
        "evidence_blocked",
        "no_transition",
        "stale_outcome",
    ]);
}

#[test]
fn on_the_booking_pack() {
    let registry = loaded(&workspace().pack("booking").expect("the pack can be read"));
    let corpus = Corpus::of("booking");
    let met = Met::default();
    for_seeds(60, |seed| same_steps(&registry, &corpus, &mut Dice(seed), 12, &met));
    met.demand(&["T1", "T2", "T3", "T4", "T5", "T6", "T7", "T8", "T9", "T10"]);
    met.demand(&[
        "confirmed",
        "limited",
        "clarification_required",
        "proposal",
        "blocked",
        "blocked_with_alternative",
        "chat",
    ]);
    met.demand(&["small_talk", "declined", "nothing_found", "not_done", "alternative_offered", "execution_failed"]);
}

#[test]
fn on_the_clarification_pack() {
    let registry = loaded(&workspace().pack("clarification").expect("the pack can be read"));
    let corpus = Corpus::of("clarification");
    let met = Met::default();
    for_seeds(60, |seed| same_steps(&registry, &corpus, &mut Dice(seed), 12, &met));
    met.demand(&[
        "NEW_QUERY",
        "RESPOND",
        "ASK_TO_CLARIFY",
        "ASK_TO_CONFIRM",
        "PROCEED",
        "FALL_BACK",
        "ABANDON",
        "REPEAT",
    ]);
    met.demand(&["confirmation", "clarification", "returned", "bounded"]);
}

#[test]
fn on_the_step_back_pack() {
    let registry = loaded(&workspace().pack("step-back").expect("the pack can be read"));
    let corpus = Corpus::of("step-back");
    let met = Met::default();
    for_seeds(60, |seed| same_steps(&registry, &corpus, &mut Dice(seed), 12, &met));
    met.demand(&["ASK", "PAUSE", "READY", "ANSWER", "CANCEL", "REFUSE", "NO_REASON"]);
    met.demand(&["waiting", "ready", "refused", "cancelled"]);
}

/// The pack that the page on the language is made of, which uses every part of it.
fn desk() -> Vec<SourceText> {
    let page = include_str!("../../../docs/language.md");
    let mut files = Vec::new();
    let blocks =
        |format: &str| page.split(&format!("\n```{format} file=")).skip(1).map(str::to_owned).collect::<Vec<_>>();
    for block in [blocks("toml"), blocks("json")].concat() {
        let (name, rest) = block.split_once('\n').expect("a line");
        let (text, _) = rest.split_once("\n```").expect("the block ends");
        // What does not lie in `desk/` is of a pack beside it.
        files.push(match name.split_once('/') {
            Some((folder, _)) if folder != "desk" => file(name, text).of_pack(folder),
            _ => file(name, text),
        });
    }
    files
}

#[test]
fn on_the_pack_of_the_language_page() {
    let registry = loaded(&desk());
    let met = Met::default();
    for_seeds(50, |seed| same_steps(&registry, &Corpus::default(), &mut Dice(seed), 12, &met));
    met.demand(&["FIND", "AGAIN", "ANSWER", "PRICE_letter", "REST", "lookup_failed", "nothing_found", "unused_signal"]);
}

#[test]
fn on_random_packs() {
    let met = on_packs(110, pack);
    met.demand(&["C1", "C2", "C3", "C4", "C5", "Z", "yes", "maybe", "no", "error"]);
    met.demand(&["verification_failed", "step_limit", "ambiguous", "carryover_blocked", "busy", "stale_outcome"]);
    met.demand(&[
        "no_transition",
        "failed",
        "own",
        "unmet_C1",
        "unused_signal",
        "unknown keys",
        "a document",
        "looks a document up",
    ]);
    if cfg!(feature = "contracts") {
        met.demand(&["schema"]);
    }
}

#[test]
fn on_random_packs_with_instances() {
    let met = on_packs(120, keyed_pack);
    met.demand(&["C1", "Z", "verification_failed", "stale_outcome"]);
    met.demand(&["opened", "closed", "changed", "gone", "a call of an instance", "several calls", "two open"]);
}

/// Runs sessions of packs at random through both evaluators.
fn on_packs(cases: u32, make: fn(&mut Dice) -> Documents) -> Met {
    let met = Met::default();
    for_seeds(cases, |seed| {
        let documents = make(&mut Dice(seed));
        let registry = match load(&as_toml(&documents)) {
            Ok(registry) => registry,
            Err(_) => {
                met.count("refused by loading");
                return Ok(());
            }
        };
        met.count("loaded");
        if documents.iter().any(|(_, document)| document.to_string().contains("$bag.papers[$root.kind]")) {
            met.count("looks a document up");
        }
        let mut dice = Dice(seed ^ 1);
        for _ in 0..4 {
            let found = same_steps(&registry, &Corpus::default(), &mut dice, 12, &met);
            found.map_err(|difference| {
                let files = as_toml(&documents).into_iter().filter(|file| !file.name.starts_with("schema"));
                let files: Vec<String> = files.map(|file| format!("# {}\n{}", file.name, file.text)).collect();
                format!("{difference}\n{}", files.join("\n"))
            })?;
        }
        Ok(())
    });
    let (loaded, refused) = (met.times("loaded"), met.times("refused by loading"));
    assert!(loaded * 10 >= 8 * (loaded + refused), "only {loaded} of {} load", loaded + refused);
    met
}
