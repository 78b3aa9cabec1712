//! The table of transitions as a pack: one class a transition, made from what the table says and from nothing else.
//!
//! What the table means and how it is written: an absent value of the table is the empty text, so a field is a text with the
//! value of the fresh state as its default, and an input that is empty is not given. A turn's kind is an event. A condition on
//! frames stands in `requires`, one on signals in `entry`. Each regex is a trigger of its own, so that the first one in the
//! table's order that matches gives the tag. The order of priority is the chain of precedence. The route is a field of the message
//! that each class sends. What no class takes is taken by the boundary class, which changes nothing. The pack declares no
//! carryover: mutations alone write the state, as in the table.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use segue::declare::{RESERVED, SourceText};
use serde_json::Value as Json;

use super::table::{HEARD, Mutation, OneOrMany, TEXT, Table, Test, Transition, nothing};
use super::words::{Form, translate};

/// The message that holds the route of an answer.
const MESSAGE: &str = "reply";
/// Its field.
const ROUTE: &str = "route";

/// A name of the table as a name of the pack.
#[must_use]
pub fn name(text: &str) -> String {
    let name: String = text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    if RESERVED.contains(&name.as_str()) { name + "_" } else { name }
}

/// The files of the pack. `kinds` and `signals` are the kinds of turn and the names of signals that turns have.
///
/// # Errors
/// What the data language has no words for, in words.
pub fn convert(table: &Table, kinds: &[String], signals: &[String]) -> Result<Vec<SourceText>, String> {
    let frames = frames(table)?;
    let mut files = vec![SourceText::new("pack.toml", manifest(table, &frames, kinds, signals))];
    for transition in &table.transitions {
        let class = Class { transition, frames: &frames };
        let text = class.text().map_err(|why| format!("{}: {why}", transition.id))?;
        files.push(SourceText::new(format!("{}.toml", name(&transition.id)), text));
    }
    let none = nothing();
    files.push(SourceText::new(format!("{}.toml", name(&none.id)), boundary(&frames)));
    Ok(files)
}

/// Frames, their fields and what these hold at first.
type Frames<'t> = Vec<(&'t str, Vec<(&'t str, &'t str)>)>;

fn frames(table: &Table) -> Result<Frames<'_>, String> {
    let check = |frame: &str, (field, value): (&String, &Json)| {
        value.as_str().map(drop).ok_or_else(|| format!("fresh_state: `{frame}.{field}` is no text"))
    };
    let mut frames = Vec::new();
    for (frame, fields) in &table.fresh_state {
        let fields = fields.as_object().ok_or_else(|| format!("fresh_state: `{frame}` is no frame"))?;
        fields.iter().try_for_each(|each| check(frame, each))?;
        let fields = fields.iter().map(|(field, value)| (field.as_str(), value.as_str().unwrap_or_default()));
        frames.push((frame.as_str(), fields.collect()));
    }
    Ok(frames)
}

fn manifest(table: &Table, frames: &Frames<'_>, kinds: &[String], signals: &[String]) -> String {
    let none = nothing();
    let mut ranked: Vec<&Transition> = table.transitions.iter().collect();
    ranked.sort_by_key(|transition| std::cmp::Reverse(transition.priority));
    let chain: Vec<&str> = ranked.iter().map(|transition| transition.id.as_str()).chain([none.id.as_str()]).collect();
    let owners: Vec<&str> = frames.iter().map(|(frame, _)| *frame).collect();
    let mut text = format!(
        "[pack]\nid = \"peers\"\ntitle = \"{} transitions\"\naggregate = \"session\"\nowner = {}\nprecedence = [{}]\n",
        table.n,
        names(&owners),
        names(&chain),
    );
    for (frame, fields) in frames {
        let _ = write!(text, "\n[frame.{}]\nowner = {}\n[frame.{0}.field]\n", name(frame), quoted(&name(frame)));
        for (field, value) in fields {
            let _ = writeln!(text, "{} = {{ type = \"text\", default = {} }}", name(field), literal(value));
        }
    }
    let mut events: Vec<&str> = kinds.iter().map(String::as_str).collect();
    for kind in table.transitions.iter().flat_map(|transition| &transition.events) {
        if !events.contains(&kind.as_str()) {
            events.push(kind);
        }
    }
    for event in events {
        let heard = if event == HEARD { format!("text = {}\n", quoted(&name(TEXT))) } else { String::new() };
        let _ = write!(text, "\n[event.{}]\n{heard}[event.{0}.field]\n", name(event));
        for signal in signals {
            let _ = writeln!(text, "{} = {{ type = \"text\", optional = true }}", name(signal));
        }
    }
    let _ = write!(
        text,
        "\n[message.{MESSAGE}]\nchannel = \"ui\"\nfield = {{ {ROUTE} = {{ type = \"text\" }} }}\n\n[answer_mode]\n"
    );
    let modes = table.transitions.iter().map(|transition| transition.answer_mode.as_str());
    for mode in modes.chain([none.answer_mode.as_str()]).collect::<BTreeSet<_>>() {
        let _ = writeln!(text, "{} = {{ claims = \"nothing\" }}", name(mode));
    }
    text
}

fn boundary(frames: &Frames<'_>) -> String {
    let none = nothing();
    let owner = frames.first().map_or("", |(frame, _)| frame);
    let head = head(&none.id, "What no other class takes", owner, &[], "Changes nothing.");
    format!(
        "{head}requires = {{}}\nentry = {{}}\nnever = []\n\n[[trigger]]\nevent = \"boundary\"\n\n[[do]]\nemit = \"{MESSAGE}\"\nwith = {{ {ROUTE} = {} }}\n\n[answer]\nmode = {}\n",
        literal(&none.route),
        quoted(&name(&none.answer_mode)),
    )
}

fn head(id: &str, title: &str, owner: &str, touches: &[&str], doc: &str) -> String {
    let mut text = format!(
        "id = {}\nname = {0}\ntitle = {}\nowner = {}\n",
        quoted(&name(id)),
        quoted(title),
        quoted(&name(owner))
    );
    if !touches.is_empty() {
        let _ = writeln!(text, "touches = {}", names(touches));
    }
    text + &format!("doc = {}\n", quoted(doc))
}

/// One transition, written as a class.
struct Class<'t> {
    transition: &'t Transition,
    frames: &'t Frames<'t>,
}

/// Something to do.
#[derive(Debug)]
enum Item<'t> {
    Set { only: Option<&'t str>, fields: Vec<(&'t str, &'t str, String)> },
    Clear { only: Option<&'t str>, frames: Vec<&'t str> },
}

impl<'t> Class<'t> {
    fn text(&self) -> Result<String, String> {
        let transition = self.transition;
        let items = self.items()?;
        let mut touched: Vec<&str> = Vec::new();
        for item in &items {
            let frames: Vec<&str> = match item {
                Item::Set { fields, .. } => fields.iter().map(|(frame, ..)| *frame).collect(),
                Item::Clear { frames, .. } => frames.clone(),
            };
            for frame in frames {
                if frame != transition.owner && !touched.contains(&frame) {
                    touched.push(frame);
                }
            }
        }
        let doc = format!("{} of {}, priority {}.", transition.class, transition.domain, transition.priority);
        let mut text = head(&transition.id, &transition.id, &transition.owner, &touched, &doc);
        let (requires, entry) = self.conditions()?;
        let _ = write!(text, "requires = {requires}\nentry = {entry}\nnever = []\n");
        self.triggers(&mut text)?;
        for item in &items {
            self.item(item, &mut text)?;
        }
        let _ = write!(
            text,
            "\n[[do]]\nemit = \"{MESSAGE}\"\nwith = {{ {ROUTE} = {} }}\n\n[answer]\nmode = {}\n",
            self.route(),
            quoted(&name(&transition.answer_mode))
        );
        Ok(text)
    }

    fn triggers(&self, text: &mut String) -> Result<(), String> {
        for event in &self.transition.events {
            let event_key = quoted(&name(event));
            if event != HEARD || self.transition.triggers.is_empty() {
                let _ = write!(text, "\n[[trigger]]\nevent = {event_key}\n");
                if event == HEARD {
                    text.push_str("examples = []\ncounterexamples = []\n");
                }
                continue;
            }
            for trigger in &self.transition.triggers {
                let (mut any, mut examples) = (Vec::new(), Vec::new());
                for words in translate(&trigger.re)? {
                    let form = match &words.form {
                        Form::Phrase(phrase) => format!("phrase = {}", quoted(phrase)),
                        Form::Pattern(pattern) => format!("pattern = {}", raw(pattern)),
                    };
                    let starts = if words.starts { ", starts = true" } else { "" };
                    let whole = if words.whole { ", whole = true" } else { "" };
                    any.push(format!("{{ {form}{starts}{whole}, tag = {} }}", quoted(&trigger.tag)));
                    examples.push(quoted(&words.example));
                }
                let (any, examples) = (any.join(", "), examples.join(", "));
                let _ = write!(
                    text,
                    "\n[[trigger]]\nevent = {event_key}\nany = [{any}]\nexamples = [{examples}]\ncounterexamples = []\n"
                );
            }
        }
        Ok(())
    }

    /// `requires` and `entry`.
    fn conditions(&self) -> Result<(String, String), String> {
        let (mut requires, mut entry) = (Vec::new(), Vec::new());
        for (path, test, value) in &self.transition.when {
            let at = self.path(path)?;
            let signal = at.starts_with("input.");
            let test = match (test, value) {
                (Test::Eq, OneOrMany::One(value)) if signal && value.is_empty() => "{ present = false }".into(),
                (Test::Ne, OneOrMany::One(value)) if signal && value.is_empty() => "{ present = true }".into(),
                (Test::Ne, OneOrMany::One(value)) if signal => format!("{{ differs = {} }}", literal(value)),
                (Test::Eq, OneOrMany::One(value)) => literal(value),
                (Test::Ne, OneOrMany::One(value)) => format!("{{ not = {} }}", literal(value)),
                (Test::In, OneOrMany::Many(values)) if signal && values.iter().any(String::is_empty) => {
                    return Err(format!("`{path}`: one of several values, of which one is none"));
                }
                (Test::In, OneOrMany::Many(values)) => {
                    format!("[{}]", values.iter().map(|value| literal(value)).collect::<Vec<_>>().join(", "))
                }
                _ => return Err(format!("`{path}`: a test whose value does not fit it")),
            };
            if signal { &mut entry } else { &mut requires }.push((at, test));
        }
        Ok((all_of(&requires), all_of(&entry)))
    }

    fn items(&self) -> Result<Vec<Item<'t>>, String> {
        let mut items: Vec<Item<'t>> = Vec::new();
        for mutation in &self.transition.mutations {
            match mutation {
                Mutation::Set { path, value, r#if } => {
                    let (frame, field) = self.field(path)?;
                    set(&mut items, r#if.as_deref(), frame, field, literal(value));
                }
                Mutation::Copy { path, from, r#if } => {
                    let (frame, field) = self.field(path)?;
                    let at = self.path(from)?;
                    let present = Some(from.as_str()) == r#if.as_deref() || from == "tag" && self.tagged();
                    let value = if present || !at.starts_with("input.") {
                        quoted(&format!("${at}"))
                    } else {
                        format!("{{ first = [{}, \"\"] }}", quoted(&format!("${at}?")))
                    };
                    set(&mut items, r#if.as_deref(), frame, field, value);
                }
                Mutation::Clear { frame, r#if } => {
                    let found = self.frames.iter().find(|(known, _)| known == frame);
                    let (frame, fields) = found.ok_or_else(|| format!("no frame is called `{frame}`"))?;
                    if !fields.iter().all(|(_, value)| value.is_empty()) {
                        fields
                            .iter()
                            .for_each(|(field, _)| set(&mut items, r#if.as_deref(), frame, field, literal("")));
                    } else if let Some(Item::Clear { only, frames }) = items.last_mut()
                        && *only == r#if.as_deref()
                    {
                        frames.push(frame);
                    } else {
                        items.push(Item::Clear { only: r#if.as_deref(), frames: vec![frame] });
                    }
                }
            }
        }
        Ok(items)
    }

    fn item(&self, item: &Item<'_>, text: &mut String) -> Result<(), String> {
        let (Item::Set { only, .. } | Item::Clear { only, .. }) = item;
        text.push_str("\n[[do]]\n");
        if let Some(path) = only {
            let at = self.path(path)?;
            let there = if at.starts_with("input.") { "{ present = true }" } else { "{ not = \"\" }" };
            let _ = writeln!(text, "when = {{ {at} = {there} }}");
        }
        match item {
            Item::Clear { frames, .. } => {
                let _ = writeln!(text, "clear = {}", names(frames));
            }
            Item::Set { fields, .. } => {
                let mut frames: Vec<(&str, Vec<String>)> = Vec::new();
                for (frame, field, value) in fields {
                    let field = format!("{} = {value}", name(field));
                    match frames.iter_mut().find(|(known, _)| known == frame) {
                        Some((_, fields)) => fields.push(field),
                        None => frames.push((frame, vec![field])),
                    }
                }
                for (frame, fields) in frames {
                    let _ = writeln!(text, "set.{} = {{ {} }}", name(frame), fields.join(", "));
                }
            }
        }
        Ok(())
    }

    /// Whether every way to this class gives a tag.
    fn tagged(&self) -> bool {
        !self.transition.triggers.is_empty() && self.transition.events.iter().all(|event| event == HEARD)
    }

    fn route(&self) -> String {
        let mut pieces: Vec<String> = Vec::new();
        for (at, piece) in self.transition.route.split("{tag}").enumerate() {
            if at > 0 {
                pieces.push(quoted(if self.tagged() { "$input.tag" } else { "$input.tag?" }));
            }
            if !piece.is_empty() {
                pieces.push(literal(piece));
            }
        }
        match pieces.as_slice() {
            [only] if !only.contains("$input.tag?") => only.clone(),
            _ => format!("{{ join = [{}], sep = \"\" }}", pieces.join(", ")),
        }
    }

    /// A path of the table as one of the pack.
    fn path(&self, path: &str) -> Result<String, String> {
        match path.split_once('.') {
            None if path == "tag" => Ok("input.tag".into()),
            Some(("sig", signal)) if signal != super::table::KIND => Ok(format!("input.{}", name(signal))),
            _ => self.field(path).map(|(frame, field)| format!("{}.{}", name(frame), name(field))),
        }
    }

    fn field(&self, path: &str) -> Result<(&'t str, &'t str), String> {
        let found = path.split_once('.').and_then(|(frame, field)| {
            let (frame, fields) = self.frames.iter().find(|(known, _)| *known == frame)?;
            fields.iter().find(|(known, _)| *known == field).map(|(field, _)| (*frame, *field))
        });
        found.ok_or_else(|| format!("`{path}` is no field of the state"))
    }
}

/// Adds a field to the last item when that may be done at once with it.
fn set<'t>(items: &mut Vec<Item<'t>>, only: Option<&'t str>, frame: &'t str, field: &'t str, value: String) {
    if let Some(Item::Set { only: known, fields }) = items.last_mut()
        && *known == only
        && !fields.iter().any(|(other, name, _)| (*other, *name) == (frame, field))
    {
        fields.push((frame, field, value));
    } else {
        items.push(Item::Set { only, fields: vec![(frame, field, value)] });
    }
}

/// A conjunction; a path that is tested twice stands in a part of its own.
fn all_of(tests: &[(String, String)]) -> String {
    let mut maps: Vec<BTreeMap<&str, &str>> = Vec::new();
    for (path, test) in tests {
        match maps.iter_mut().find(|map| !map.contains_key(path.as_str())) {
            Some(map) => drop(map.insert(path, test)),
            None => maps.push(BTreeMap::from([(path.as_str(), test.as_str())])),
        }
    }
    let maps: Vec<String> = maps
        .iter()
        .map(|map| map.iter().map(|(path, test)| format!("{path} = {test}")).collect::<Vec<_>>().join(", "))
        .collect();
    match maps.as_slice() {
        [] => "{}".into(),
        [only] => format!("{{ {only} }}"),
        _ => format!("{{ all = [{}] }}", maps.iter().map(|map| format!("{{ {map} }}")).collect::<Vec<_>>().join(", ")),
    }
}

fn names(of: &[&str]) -> String {
    format!("[{}]", of.iter().map(|text| quoted(&name(text))).collect::<Vec<_>>().join(", "))
}

/// A TOML string.
fn quoted(text: &str) -> String {
    Json::from(text).to_string()
}

/// A TOML string in which backslashes stand for themselves, where that can be.
fn raw(text: &str) -> String {
    if text.contains('\'') || text.chars().any(char::is_control) { quoted(text) } else { format!("'{text}'") }
}

/// A text that is meant as it stands.
fn literal(text: &str) -> String {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(sign @ ('$' | '%')), Some(next)) if next.is_alphabetic() || next == '_' || next == sign => {
            quoted(&format!("{sign}{text}"))
        }
        _ => quoted(text),
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::read;
    use super::*;

    const LAMP: &str = r#"{
      "n": 2,
      "fresh_state": { "lamp": { "room": "", "lit": "no" }, "answer": { "reason": "" } },
      "transitions": [
        { "id": "OFF@hall", "class": "OFF", "domain": "hall", "owner": "lamp", "priority": 1, "events": ["user", "button"],
          "when": [["lamp.lit", "eq", "yes"], ["lamp.lit", "ne", "broken"], ["sig.who", "ne", "guest"], ["sig.ref", "eq", ""]],
          "triggers": [
            { "tag": "plain", "re": "(?:^|[^a-zа-я0-9])(?:lights? )?off(?:[^a-zа-я0-9]|$)" },
            { "tag": "late", "re": "^good ?night,? [a-z]+" }
          ],
          "mutations": [
            { "op": "clear", "frame": "answer" },
            { "op": "clear", "frame": "lamp" },
            { "op": "set", "path": "lamp.lit", "value": "$no" },
            { "op": "copy", "path": "answer.reason", "from": "tag", "if": "sig.who" },
            { "op": "copy", "path": "lamp.room", "from": "sig.outcome" },
            { "op": "copy", "path": "answer.reason", "from": "lamp.room", "if": "lamp.room" }
          ],
          "answer_mode": "done", "route": "lamp.{tag}", "preserve": [], "forbid": [] },
        { "id": "ON@hall", "class": "ON", "domain": "hall", "owner": "lamp", "priority": 2, "events": ["button"],
          "when": [], "triggers": [], "mutations": [{ "op": "set", "path": "lamp.lit", "value": "yes" }],
          "answer_mode": "done", "route": "lamp.on", "preserve": [], "forbid": [] }
      ]
    }"#;

    fn files(table: &str) -> Result<Vec<SourceText>, String> {
        let names = |of: &[&str]| of.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        convert(&read("lamp.json", table)?, &names(&["button", "user"]), &names(&["outcome", "ref", "text", "who"]))
    }

    fn file(name: &str) -> String {
        files(LAMP).unwrap().into_iter().find(|file| file.name == name).unwrap().text.to_string()
    }

    #[test]
    fn a_transition_is_a_class() {
        insta::assert_snapshot!(file("OFF_hall.toml"));
    }

    #[test]
    fn the_table_is_a_manifest() {
        insta::assert_snapshot!(file("pack.toml"));
    }

    #[test]
    fn the_pack_loads() {
        let loaded = segue::load::load(&files(LAMP).unwrap(), &segue::declare::Options::default());
        let findings = segue::report::human(&loaded.sources, &loaded.diagnostics, false);
        assert!(loaded.registry.is_some(), "{findings}");
    }

    #[test]
    fn what_cannot_be_said_is_named() {
        for (from, to, why) in [
            ("[a-z]+", r"[a-z]+\\b.", "OFF@hall: `^good"),
            ("lamp.lit\", \"eq\"", "lamp.lid\", \"eq\"", "OFF@hall: `lamp.lid` is no field of the state"),
            ("sig.who\", \"ne\"", "sig.event\", \"ne\"", "OFF@hall: `sig.event` is no field of the state"),
            ("\"ne\", \"guest\"", "\"in\", \"guest\"", "OFF@hall: `sig.who`: a test whose value does not fit it"),
            ("\"ne\", \"guest\"", "\"in\", [\"\", \"guest\"]", "OFF@hall: `sig.who`: one of several values"),
            ("\"frame\": \"answer\"", "\"frame\": \"reply\"", "OFF@hall: no frame is called `reply`"),
            ("\"lit\": \"no\"", "\"lit\": false", "fresh_state: `lamp.lit` is no text"),
            ("\"priority\": 1", "\"weight\": 1", "lamp.json: unknown field `weight`"),
        ] {
            assert_eq!(LAMP.matches(from).count(), 1, "{from}");
            let message = files(&LAMP.replace(from, to)).map(drop).unwrap_err();
            assert!(message.starts_with(why), "{message}");
        }
    }
}
