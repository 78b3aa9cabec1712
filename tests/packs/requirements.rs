//! `docs/requirements.md` is true: each row refers to something, and each reference leads somewhere.

use segue::diag::Diagnostics;
use segue::load::load;
use segue::source::SourceMap;
use segue::syntax::{Format, Kind, Node, Table, parse};
use segue::workspace::{Workspace, files};
use segue::{declare::Options, declare::SourceText, report};

const PAGE: &str = include_str!("../../docs/requirements.md");
/// Where scenarios lie: those of the main pack are named from the first of these, others from the second.
const SCENARIOS: [&str; 2] = ["scenarios/assistant/", "scenarios/"];

/// What S3 names: sub-states, fields, values and trigger texts. Each stands on the page.
const NAMED: &[&str] = &[
    "assistant_session_state living_mode_state address_navigation_state investigation_state clarification_state",
    "answer_context_state coverage_gate_state",
    "living_mode mode_reason mode_source mode_entry_turn_id",
    "address_data assistant_data_scope chat meta_followup clarification",
    "domain_id root_route_id organization_scope date_scope root_result_set_id root_answer_object_ref frame_status",
    "focus_object_ref focus_object_kind source_result_set_id compatible_route_family provenance_bundle_ref temporal_ceiling",
    "source_answer_object_ref meta_question_kind source_gate_status meta_truth_mode",
    "evaluation comparison memory_recap boundary_explanation answer_interpretation",
    "clarification_kind missing_anchors candidate_scopes resume_target_route resume_target_frame",
    "coverage_status evidence_grade grounding_status truth_mode carryover_eligibility reason_codes",
    "full partial blocked confirmed limited clarification_required unsupported root_only object_only meta_only none",
];

/// What S0 names: objects, their fields, statuses, actions. Each stands on the page.
const NAMED_BY_S0: &[&str] = &[
    "reasoning-id READY WAITING_FOR_INPUT StepBackResult intent schemaScope requiredTables dimensions metrics missingInfo confidence partial",
    "ClarificationQuestion id question expectedType TIME_RANGE CURRENCY reasoningId status round stepBackResult questions",
    "previousStepBackResult userAnswer mappedAnswers unmapped action ANSWER_CLARIFICATION message CANCEL_REASONING",
];

/// What S1 names: classes, methods, fields, values, commands, the log text. Each stands on the page.
const NAMED_BY_S1: &[&str] = &[
    "DialogManager",
    "DialogManager.addTurn()",
    "SqlGenerationWorkflow",
    "SqlGenerationWorkflow.execute()",
    "SqlRefinementWorkflow",
    "SqlRefinementWorkflow.refine()",
    "RefinementContext",
    "new_query",
    "refinement",
    "question",
    "database",
    "originalQuestion",
    "currentQuery",
    "feedback",
    "previousResults",
    "intent",
    "turnNumber",
    "sessionId",
    "conversationContext",
    "refinementSummary",
    "query",
    "explanation",
    "confidence",
    "low",
    "error",
    "message",
    "canRetry",
    "Ambiguous intent detected",
    "ecommerce",
    "/new",
    "/clear",
];

/// What S4 names: states, fields, methods, functions, components, thresholds, log texts. Each stands on the page.
const NAMED_BY_S4: &[&str] = &[
    "IDLE",
    "CLASSIFYING",
    "AWAITING_CONFIRMATION",
    "AWAITING_CLARIFICATION",
    "RECLASSIFYING",
    "SEARCHING",
    "GENERATING",
    "COMPLETE",
    "chat_history",
    "pending_query",
    "pending_intent",
    "clarification_mode",
    "current_conversation",
    "intent_history",
    "confirm",
    "clarify",
    "None",
    "type",
    "text",
    "timestamp",
    "metadata",
    "query",
    "clarification_request",
    "clarification_response",
    "SessionManager",
    "get/set_pending_query()",
    "get/set_clarification_mode()",
    "add_conversation_turn()",
    "get_cumulative_query()",
    "clear_clarification_state()",
    "ClarificationManager",
    "should_ask_for_confirmation()",
    "should_ask_for_clarification()",
    "should_proceed_immediately()",
    "handle_confirmation_response()",
    "handle_clarification_input()",
    "classify_intent()",
    "classify_intent_with_context()",
    "classify_intent_safe()",
    "INTENT_ROUTER_PROMPT",
    "render_confirmation_dialog()",
    "render_clarification_dialog()",
    "render_conversation_context_display()",
    "render_clarification_mode_indicator()",
    "render()",
    "_handle_new_query()",
    "_handle_clarification_interaction()",
    "_proceed_with_search()",
    "CONFIDENCE_THRESHOLD",
    "MAX_CLARIFICATION_ITERATIONS",
    "needsClarification",
    "clarifyQuestion",
    "Could not classify intent",
    "Entering confirmation mode",
    "Entering clarification mode",
    "User confirmed query",
    "User rejected query",
    "Re-classifying with cumulative query",
    "Max clarification iterations reached",
];

/// The trigger texts that S3 gives, by class.
const TRIGGERS: &[(&str, &[&str])] = &[
    ("T2", &["а на март 2020", "на тот же период", "еще раз по этой дате"]),
    ("T4", &["кто поставщик", "где купили", "кому продали", "какие документы"]),
    ("T5", &["по ней", "по этой позиции", "а эта кому ушла"]),
    ("T8", &["это много или мало", "это мы должны или нам", "что из этого важнее"]),
    ("T9", &["мы это обсуждали?", "помнишь, о чем говорили"]),
];

/// The packs and the scenarios as documents, by file.
struct World {
    packs: Vec<(String, Vec<(String, Table)>)>,
    scenarios: Vec<(String, Table)>,
}

fn read(path: &str) -> Result<std::sync::Arc<str>, String> {
    files::read(path.as_ref(), path).map_err(|problem| problem.to_string())
}

fn documents(texts: &[SourceText]) -> Vec<(String, Table)> {
    let mut sources = SourceMap::default();
    let out = Diagnostics::new();
    // A contract declares nothing.
    let found = texts.iter().filter(|text| segue::declare::contract_name(&text.name).is_none()).filter_map(|text| {
        let id = sources.add(&text.name, &*text.text);
        match parse(id, &text.text, Format::of_path(&text.name)?, &out)?.kind {
            Kind::Table(table) => Some((text.name.clone(), table)),
            _ => None,
        }
    });
    let found = found.collect();
    let findings = out.into_sorted();
    assert!(findings.is_empty(), "{}", report::human(&sources, &findings, false));
    found
}

fn world() -> World {
    let workspace = Workspace::of(env!("CARGO_MANIFEST_DIR").as_ref()).expect("a workspace");
    let read_pack = |name: String| {
        let pack = workspace.pack(&name).expect("a pack");
        assert!(load(&pack, &Options::default()).registry.is_some());
        (name, documents(&pack))
    };
    let packs = workspace.packs().into_iter().map(read_pack).collect();
    let mut texts = Vec::new();
    let corpus = workspace.corpus(&[]).expect("scenarios");
    let mut names: Vec<String> = corpus.cases.iter().map(|case| case.file.clone()).collect();
    names.dedup();
    for name in names {
        let text = read(&format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))).expect("a scenario file");
        texts.push(SourceText::new(name, text));
    }
    World { packs, scenarios: documents(&texts) }
}

impl World {
    /// All scenarios, each with its file as the page names it.
    fn all(&self) -> Vec<(&str, &Table)> {
        let mut all = Vec::new();
        for (file, document) in &self.scenarios {
            let file = SCENARIOS.iter().find_map(|folder| file.strip_prefix(folder)).unwrap_or(file);
            match document.get("scenarios").map(|node| &node.kind) {
                Some(Kind::List(list)) => all.extend(list.iter().filter_map(|item| Some((file, table(item)?)))),
                _ => all.push((file, document)),
            }
        }
        all
    }

    /// Whether a reference leads somewhere.
    fn resolves(&self, reference: &str) -> Result<(), String> {
        let (kind, target) = reference.split_once(':').ok_or("not a reference")?;
        let (place, name) = target.split_once('#').unwrap_or((target, ""));
        let found = match kind {
            "scenario" => self.all().iter().any(|(file, one)| *file == place && text(one, "scenario") == name),
            "said" => self.all().iter().any(|(_, one)| says(one, place, name)),
            "decl" => self.declares(target),
            "test" => read(&rooted(place))?.contains(&format!("fn {name}()")),
            "doc" => read(&rooted(place)).is_ok(),
            "item" => item(target)?,
            _ => return Err("an unknown kind of reference".to_owned()),
        };
        if found { Ok(()) } else { Err("it leads nowhere".to_owned()) }
    }

    /// The documents of a pack.
    fn pack(&self, name: &str) -> Option<&[(String, Table)]> {
        self.packs.iter().find(|(pack, _)| pack == name).map(|(_, documents)| documents.as_slice())
    }

    /// Whether a pack declares something at a path: a class by its id first, else a section. Before a `/` stands the pack.
    fn declares(&self, path: &str) -> bool {
        let named = path.split_once('/').and_then(|(name, path)| Some((self.pack(name)?, path)));
        let (pack, path) = named.unwrap_or_else(|| (self.pack("assistant").expect("the main pack"), path));
        pack.iter().any(|(_, document)| match path.split_once('.') {
            Some((id, rest)) if text(document, "id") == id => leads(document, rest),
            _ => document.get("id").is_none() && leads(document, path),
        })
    }
}

fn rooted(path: &str) -> String {
    format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))
}

/// Whether a path leads on from a table: by keys, by the text of a leaf, by the text or the id of a list's entry.
fn leads(from: &Table, path: &str) -> bool {
    from.iter().any(|entry| match path.strip_prefix(entry.key.as_str()) {
        Some("") => true,
        Some(rest) => rest.strip_prefix('.').is_some_and(|rest| on(&entry.value, rest)),
        None => false,
    })
}

fn on(node: &Node, rest: &str) -> bool {
    match &node.kind {
        Kind::Text(text) => text == rest,
        Kind::List(list) => list.iter().any(|item| on(item, rest)),
        Kind::Table(inner) => text(inner, "id") == rest || leads(inner, rest),
        _ => false,
    }
}

/// Whether a scenario has a turn with this text, of which it expects this class.
fn says(scenario: &Table, class: &str, said: &str) -> bool {
    let Some(Kind::List(turns)) = scenario.get("turns").map(|node| &node.kind) else { return false };
    turns.iter().filter_map(table).any(|turn| {
        let expect = turn.get("expect").and_then(table);
        let expected = |key| expect.is_some_and(|expect| text(expect, key) == class);
        text(turn, "user") == said && ["transition", "selected", "settled"].into_iter().any(expected)
    })
}

/// Whether a public item is declared, or used again, in its module.
fn item(path: &str) -> Result<bool, String> {
    let inside = path.strip_prefix("segue::").ok_or("items begin with `segue::`")?;
    let (module, name) = inside.rsplit_once("::").ok_or("an item of a module")?;
    let module = module.replace("::", "/");
    let text =
        read(&rooted(&format!("src/{module}.rs"))).or_else(|_| read(&rooted(&format!("src/{module}/mod.rs"))))?;
    let declared = |kind: &str| {
        text.lines().any(|line| {
            line.strip_prefix(&format!("pub {kind} "))
                .and_then(|rest| rest.strip_prefix(name))
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
    };
    let words = |line: &str| line.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name);
    let used_again = text.lines().any(|line| line.starts_with("pub use ") && words(line));
    Ok(["fn", "struct", "enum", "trait", "const", "type"].into_iter().any(declared) || used_again)
}

fn table(node: &Node) -> Option<&Table> {
    match &node.kind {
        Kind::Table(table) => Some(table),
        _ => None,
    }
}

fn text<'t>(of: &'t Table, key: &str) -> &'t str {
    match of.get(key).map(|node| &node.kind) {
        Some(Kind::Text(text)) => text,
        _ => "",
    }
}

/// The rows of the page's tables: what is required, and its references.
fn rows() -> Vec<(&'static str, Vec<&'static str>)> {
    let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "));
    let rows = rows.filter(|(requirement, _)| *requirement != "requirement");
    rows.map(|(requirement, shown)| (requirement, shown.split('`').skip(1).step_by(2).collect())).collect()
}

#[test]
fn every_requirement_is_shown() {
    let world = world();
    let mut wrong = Vec::new();
    for (requirement, references) in rows() {
        if references.is_empty() {
            wrong.push(format!("{requirement}: nothing shows it"));
        }
        for reference in references {
            if let Err(why) = world.resolves(reference) {
                wrong.push(format!("{requirement}\n    {reference}: {why}"));
            }
        }
    }
    assert!(rows().len() > 100);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_reference_that_leads_nowhere_is_found() {
    let world = world();
    for wrong in [
        "scenario:T1.yaml#no such scenario",
        "said:T2#по ней",
        "decl:frame.root.field.domain",
        "decl:clarification/frame.root.field.domain_id",
        "decl:nowhere/frame.root.field.domain_id",
        "decl:T2.carryover.preserve.root.date_scope.x",
        "test:tests/packs/requirements.rs#no_such_test",
        "item:segue::engine::leap",
        "doc:docs/nowhere.md",
        "hearsay:x",
    ] {
        assert!(world.resolves(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn all_that_s3_names_stands_on_the_page() {
    let named = NAMED.iter().flat_map(|names| names.split(' '));
    for name in named.chain(TRIGGERS.iter().flat_map(|(_, texts)| texts.iter().copied())) {
        assert!(rows().iter().any(|(requirement, _)| requirement.contains(&format!("`{name}`"))), "{name}");
    }
    let world = world();
    for (class, texts) in TRIGGERS {
        for said in *texts {
            assert_eq!(world.resolves(&format!("said:{class}#{said}")), Ok(()), "{class}: {said}");
        }
    }
}

#[test]
fn all_that_s0_names_stands_on_the_page() {
    for name in NAMED_BY_S0.iter().flat_map(|names| names.split(' ')) {
        assert!(rows().iter().any(|(requirement, _)| requirement.contains(&format!("`{name}`"))), "{name}");
    }
}

#[test]
fn all_that_s1_names_stands_on_the_page() {
    for name in NAMED_BY_S1 {
        assert!(rows().iter().any(|(requirement, _)| requirement.contains(&format!("`{name}`"))), "{name}");
    }
}

#[test]
fn all_that_s4_names_stands_on_the_page() {
    for name in NAMED_BY_S4 {
        assert!(rows().iter().any(|(requirement, _)| requirement.contains(&format!("`{name}`"))), "{name}");
    }
}

#[test]
fn every_class_has_a_family() {
    let world = world();
    let classes: Vec<&str> = world
        .pack("assistant")
        .expect("a pack")
        .iter()
        .map(|(_, document)| text(document, "id"))
        .filter(|id| !id.is_empty())
        .collect();
    assert_eq!(classes.len(), 10);
    for class in classes {
        let file = format!("{class}.yaml");
        let own = world.all().iter().filter(|(from, _)| *from == file).count();
        assert!(own >= 5, "{class} has {own} scenarios of its own");
    }
    let journeys = world.all().iter().filter(|(file, _)| file.starts_with("journeys/")).count();
    assert!(journeys >= 8, "{journeys} journeys");
}

#[test]
fn every_class_of_every_pack_is_covered() {
    let workspace = Workspace::of(env!("CARGO_MANIFEST_DIR").as_ref()).expect("a workspace");
    let corpus = workspace.corpus(&[]).expect("scenarios");
    let packs = workspace.packs();
    assert!(packs.len() >= 2, "{packs:?}");
    for name in packs {
        let registry = load(&workspace.pack(&name).expect("a pack"), &Options::default()).registry.expect("it loads");
        let pack = registry.pack();
        for class in &pack.classes {
            let id = pack.names.text(class.id);
            let mut own = corpus.cases.iter().filter(|case| case.pack.as_ref() == Some(&name));
            let covered = own.any(|case| case.scenario.covers.iter().any(|covers| covers.value == id));
            assert!(covered, "no scenario of {name} covers {id}");
        }
    }
}
