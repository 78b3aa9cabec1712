//! Beginnings of packs, classes and scenarios, as texts of files that hold together from the start. What they say lies in templates
//! beside this file.

use serde_json::{Value as Json, json};

use crate::diag::{did_you_mean, listed, quoted, suggest};
use crate::engine::{Env, Event, NumberedIds, step};
use crate::model::class::{Answer, Class, On};
use crate::model::ids::{FrameId, FrameSet, ModeId};
use crate::model::reason;
use crate::model::{self, Pack};
use crate::registry::Registry;
use crate::source::{SourceMap, SourceText};
use crate::state::SessionState;
use crate::syntax::Format;
use crate::{declare, load, scenario};

/// A file to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its path in the workspace.
    pub path: String,
    /// The kind of its schema: `pack`, `state`, `transition`, `scenario` or `config`.
    pub kind: &'static str,
    /// Its text.
    pub text: String,
}

/// Files to be, and what to do with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scaffold {
    /// The files.
    pub files: Vec<File>,
    /// What comes next, a line each.
    pub next: Vec<String>,
}

/// The file that makes a folder a workspace of the usual folders.
#[must_use]
pub fn workspace() -> File {
    File { path: "segue.toml".into(), kind: "config", text: include_str!("segue.toml").into() }
}

/// A small pack that says and hears something, with a scenario for each class. `packs` and `scenarios` are the folders of the workspace.
///
/// # Errors
/// A name that is none.
pub fn pack(name: &str, packs: &str, scenarios: &str) -> Result<Scaffold, String> {
    check_name("a pack", name)?;
    let texts = [
        ("pack.toml", "pack", include_str!("pack/pack.toml")),
        ("state.toml", "state", include_str!("pack/state.toml")),
        ("events.toml", "pack", include_str!("pack/events.toml")),
        ("answers.toml", "pack", include_str!("pack/answers.toml")),
        ("COLOUR.toml", "transition", include_str!("pack/COLOUR.toml")),
        ("REST.toml", "transition", include_str!("pack/REST.toml")),
        ("COLOUR.yaml", "scenario", include_str!("scenarios/COLOUR.yaml")),
        ("REST.yaml", "scenario", include_str!("scenarios/REST.yaml")),
    ];
    let files = texts.map(|(file, kind, template)| File {
        path: format!("{}/{name}/{file}", if kind == "scenario" { scenarios } else { packs }),
        kind,
        text: filled(template, &[("PACK", name), ("TITLE", &words(name))]),
    });
    Ok(Scaffold { files: files.into(), next: next() })
}

/// A class for a pack that loads from `texts`, an event that sets it off and no other class, and a scenario. `folder` is that of the pack, `scenarios` that of its
/// scenarios.
///
/// # Errors
/// An id that is none or is taken.
pub fn transition(
    registry: &Registry,
    texts: &[SourceText],
    id: &str,
    folder: &str,
    scenarios: &str,
) -> Result<Scaffold, String> {
    check_name("a transition class", id)?;
    let pack = registry.pack();
    let name = |sym| pack.names.text(sym);
    if let Some(class) = pack.classes.iter().find(|class| name(class.id) == id) {
        return Err(format!("there is a class {} in the pack already: {}", quoted(id), class.title));
    }
    if pack.classes.iter().flat_map(|class| &class.groups).any(|group| name(*group) == id) {
        return Err(format!("{} is the name of a group of the pack", quoted(id)));
    }
    let lower = id.to_lowercase();
    if let Some(class) = pack.classes.iter().find(|class| name(class.id).to_lowercase() == lower) {
        // Their files would be one where case is nothing.
        let other = quoted(name(class.id));
        return Err(format!("{} differs from the class {other} only in its case: take another name", quoted(id)));
    }
    let free = |candidate: &String| {
        let taken = pack
            .events
            .iter()
            .flat_map(|event| [event.name, event.turn])
            .chain(pack.ports.iter().map(|port| port.name));
        !taken.map(name).any(|taken| taken == candidate) && !crate::language::TURN.has(candidate)
    };
    let event = [lower.clone(), format!("{lower}_event"), format!("on_{lower}_event")];
    let Some(event) = event.iter().find(|candidate| free(candidate)) else {
        return Err(format!("no name is left for an event of {}: take another id", quoted(id)));
    };
    let owner = pack.frames.first().map(|frame| frame.owner).or(pack.owners.first().copied());
    let fill = |template: &str| {
        filled(
            template,
            &[
                ("ID", id),
                ("NAME", &lower.replace('-', "_")),
                ("TITLE", &words(id)),
                ("OWNER", owner.map_or("", name)),
                ("MODE", name(pack.modes[plain_mode(pack).index()].name)),
                ("EVENT", event),
            ],
        )
    };
    let class = format!("{}{}", fill(include_str!("class/class.toml")), carryover(pack));
    let files = vec![
        File { path: format!("{folder}/{id}.toml"), kind: "transition", text: class },
        File { path: format!("{folder}/{id}-event.toml"), kind: "pack", text: fill(include_str!("class/event.toml")) },
        File {
            path: format!("{scenarios}/{id}.yaml"),
            kind: "scenario",
            text: fill(include_str!("class/scenario.yaml")),
        },
    ];
    let mut together = texts.to_vec();
    let of_pack = files.iter().filter(|file| file.kind != "scenario");
    together.extend(of_pack.map(|file| SourceText::new(&file.path, file.text.as_str())));
    let loaded = load::load(&together, &declare::Options::default());
    let Some(joined) = loaded.registry else {
        let found = crate::report::short(&loaded.sources, &loaded.diagnostics);
        return Err(format!("a class {} does not fit into the pack as it is:\n{}", quoted(id), found.trim_end()));
    };
    holds(&joined, &files[2].text)?;
    let mut next = next();
    next.push(
        "where words set it off that another class takes too, `precedence` of the manifest says which is stronger"
            .into(),
    );
    Ok(Scaffold { files, next })
}

/// A scenario of one turn that a pack passes: for the class that `covers` names, else for the first one that a new session can come to.
///
/// # Errors
/// A name that is none, a class that is not there, or no turn that can be written without more to go by.
pub fn scenario(registry: &Registry, name: &str, covers: Option<&str>, scenarios: &str) -> Result<Scaffold, String> {
    check_name("a scenario file", name)?;
    let pack = registry.pack();
    let id = |class: &Class| pack.names.text(class.id);
    let wanted = match covers {
        None => None,
        Some(wanted) => Some(pack.classes.iter().find(|class| id(class) == wanted).ok_or_else(|| {
            let ids: Vec<String> = pack.classes.iter().map(|class| id(class).to_owned()).collect();
            let help = match suggest(wanted, &ids) {
                Some(meant) => did_you_mean(wanted, meant),
                None => format!("there are {}", listed(&ids)),
            };
            format!("no class {} in the pack: {help}", quoted(wanted))
        })?),
    };
    let tried: Vec<Turn> = match wanted {
        Some(class) => turns(registry, class),
        None => pack.classes.iter().flat_map(|class| turns(registry, class)).collect(),
    };
    let meant = |turn: &&Turn| match wanted {
        Some(class) => turn.class == id(class),
        None => turn.class != id(&pack.classes[pack.boundary.index()]),
    };
    let Some(turn) = tried.iter().find(meant).or(tried.first()) else {
        let about = covers.map_or("a class of the pack".into(), quoted);
        return Err(format!("no turn that sets {about} off can be written without values: write the scenario by hand"));
    };
    let head = match wanted {
        Some(class) if turn.class != id(class) => format!(
            "A new session does not come to {}: write under `given` what it requires (`segue explain` says what ruled it out).",
            id(class)
        ),
        _ => "What it shows.".into(),
    };
    let fields = [
        ("HEAD", head.as_str()),
        ("TITLE", &words(name)),
        ("ID", &turn.class),
        ("EVENT", &turn.event),
        ("PAYLOAD", &turn.payload),
        ("EXPECT", &turn.expect),
    ];
    let mut text = filled(include_str!("scenario/scenario.yaml"), &fields);
    if !turn.open.is_empty() {
        let calls: Vec<String> = turn.open.iter().map(|port| format!("{{ port: {port}, open: true }}")).collect();
        text.push_str(&format!("        calls: [{}]\n", calls.join(", ")));
    }
    holds(registry, &text)?;
    let files = vec![File { path: format!("{scenarios}/{name}.yaml"), kind: "scenario", text }];
    Ok(Scaffold { files, next: next() })
}

/// A turn that was tried in a new session.
struct Turn {
    event: String,
    payload: String,
    /// The class that took it.
    class: String,
    expect: String,
    /// Ports whose answers it waits for.
    open: Vec<String>,
}

/// The turns that set a class off and need no values, as a new session takes them.
fn turns(registry: &Registry, class: &Class) -> Vec<Turn> {
    let pack = registry.pack();
    let mut turns = Vec::new();
    let mut add = |event: &model::Event, payload: &Json, written: String| {
        turns.extend(attempt(registry, pack.names.text(event.name), payload).map(|(class, expect, open)| Turn {
            event: pack.names.text(event.turn).to_owned(),
            payload: written,
            class,
            expect,
            open,
        }));
    };
    let is_boundary = class.triggers.iter().any(|trigger| matches!(trigger.on, On::Boundary));
    // What is not to set another class off is what may be left for the boundary.
    let others = pack.classes.iter().filter(|_| is_boundary).flat_map(|class| &class.triggers);
    let own = class.triggers.iter().map(|trigger| (trigger, &trigger.examples));
    for (trigger, texts) in own.chain(others.map(|trigger| (trigger, &trigger.counterexamples))) {
        let On::Event(event) = trigger.on else { continue };
        let event = &pack.events[event.index()];
        if event.fields.iter().any(|(field, needed)| *needed && Some(*field) != event.text) {
            continue;
        }
        match event.text {
            Some(field) => {
                let wire = event.wire_of(field).unwrap_or(pack.inputs[field.index()].name);
                let field = pack.names.text(wire);
                for (text, _) in texts {
                    add(event, &json!({ field: text }), Json::from(text.as_str()).to_string());
                }
            }
            None if !is_boundary => add(event, &json!({}), "{}".into()),
            None => {}
        }
    }
    turns
}

/// What a new session makes of an event: the class, what is to be expected, the ports that are waited for.
fn attempt(registry: &Registry, event: &str, payload: &Json) -> Option<(String, String, Vec<String>)> {
    let pack = registry.pack();
    let name = |sym| pack.names.text(sym);
    let event = Event::input(registry, event, payload, &json!({})).ok()?;
    let mut ids = NumberedIds::default();
    let mut env = Env {
        now: "2020-01-01T00:00:00Z".into(),
        today: jiff::civil::date(2020, 1, 1),
        session_id: "s-1".into(),
        turn_id: "t-1".into(),
        ids: &mut ids,
        trace: false,
        probe: None,
    };
    let taken = step(registry, &SessionState::new(pack), &event, &mut env).ok()?;
    let class = name(pack.classes[taken.class?.index()].id).to_owned();
    let open: Vec<String> = taken
        .calls
        .iter()
        .map(|call| &pack.ports[call.port.index()])
        .filter(|port| port.replies)
        .map(|port| name(port.name).to_owned())
        .collect();
    let expect = match taken.answer {
        Some(mode) => format!("{{ transition: {class}, answer_mode: {} }}", name(pack.modes[mode.index()].name)),
        None => format!("{{ selected: {class}, answer_mode: {{ present: false }} }}"),
    };
    Some((class, expect, open))
}

/// Whether a pack passes the scenarios of a text.
fn holds(registry: &Registry, text: &str) -> Result<(), String> {
    let mut sources = SourceMap::default();
    let parsed = scenario::parse(sources.add("scenario.yaml", text), text, Format::Yaml);
    let mut wrong: Vec<String> = parsed.problems.iter().map(|found| found.message.clone()).collect();
    for scenario in &parsed.scenarios {
        wrong.extend(scenario::replay(registry, scenario).failures.into_iter().map(|failure| failure.message));
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!("a scenario of one turn does not hold in this pack: {}", wrong.join("; "))),
    }
}

/// The carryover of a class that takes nothing along and forgets nothing, where the pack has such a part.
fn carryover(pack: &Pack) -> String {
    let frames = |set: FrameSet| {
        let names = pack.frames.iter().enumerate().filter(|(at, _)| set.has(FrameId::at(*at)));
        names.map(|(_, frame)| format!("\"{}\"", pack.names.text(frame.name))).collect::<Vec<_>>().join(", ")
    };
    let mut text = String::new();
    if let Some(carryover) = &pack.carryover {
        let count = |set: FrameSet| pack.frames.iter().enumerate().filter(|(at, _)| set.has(FrameId::at(*at))).count();
        let least = carryover.depths.iter().min_by_key(|(_, frames)| count(*frames));
        if let Some((depth, carried)) = least {
            let kept = frames(carryover.universe.minus(*carried));
            let depth = pack.names.text(*depth);
            text.push_str(&format!("depth = \"{depth}\"\nkeep = [{kept}]\nforbid = []\npreserve = []\n"));
        }
    }
    for frame in &pack.decide {
        text.push_str(&format!("fate.{} = \"keep\"\n", pack.names.text(pack.frames[frame.index()].name)));
    }
    if text.is_empty() { text } else { format!("\n[carryover]\n{text}") }
}

/// An answer mode that claims as little as there is: that of the boundary class, else the first one that claims least.
fn plain_mode(pack: &Pack) -> ModeId {
    let of_boundary = match &pack.classes[pack.boundary.index()].answer {
        Answer::Mode(mode) => Some(*mode),
        Answer::By { .. } | Answer::Rows(_) => None,
    };
    let least = (0..pack.modes.len()).map(ModeId::at).min_by_key(|mode| pack.modes[mode.index()].claims);
    of_boundary.or(least).expect("every class has an answer, so there is a mode")
}

fn next() -> Vec<String> {
    vec![
        "edit these files to say what is meant".into(),
        "`segue check` says what is wrong with them".into(),
        "`segue replay --accept` runs the scenarios and keeps their transcripts".into(),
    ]
}

/// What YAML reads as something else than a text, and Windows takes as the names of devices whatever their ending.
const TAKEN: &[(&[&str], &str)] = &[
    (&["null", "true", "false"], "YAML reads it as something else than a text"),
    (
        &[
            "aux", "con", "nul", "prn", "com0", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
            "lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
        ],
        "on Windows no file can be called so",
    ),
];

/// A name as words.
fn words(name: &str) -> String {
    name.replace(['-', '_'], " ")
}

/// Puts values in the places of a template: `__NAME__`.
fn filled(template: &str, values: &[(&str, &str)]) -> String {
    values.iter().fold(template.to_owned(), |text, (name, value)| text.replace(&format!("__{name}__"), value))
}

fn check_name(what: &str, name: &str) -> Result<(), String> {
    let good = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let start = name.starts_with(|c: char| c.is_ascii_alphabetic());
    if start && name.chars().all(good) {
        let lower = name.to_lowercase();
        if let Some((_, why)) = TAKEN.iter().find(|(words, _)| words.contains(&&*lower)) {
            return Err(format!("{} is no name of {what}: {why}; take another name", quoted(name)));
        }
        return if declare::RESERVED.contains(&name) || reason::ALL.contains(&name) {
            Err(format!("{} is taken by the language itself: take another name", quoted(name)))
        } else {
            Ok(())
        };
    }
    let plain: String = name.chars().map(|c| if good(c) { c } else { '_' }).collect();
    let plain = plain.trim_matches(|c: char| !c.is_ascii_alphabetic());
    let help = if plain.is_empty() { String::new() } else { format!("; {} would do", quoted(plain)) };
    Err(format!(
        "{} is no name of {what}: it begins with a letter and holds letters, digits, `_` and `-`{help}",
        quoted(name)
    ))
}
