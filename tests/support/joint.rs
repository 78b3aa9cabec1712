//! Packs that use packs, put together for a test. Every pack has the same interface: the event `on`, the ports `next` and `host` (which
//! answer) and `tell` (which does not), each with `id` and maybe `what`; the messages `ok`, `no` and `say`.

use serde_json::{Value as Json, json};

use segue::compose::{Cascade, CascadeError, Cause, cascade};
use segue::declare::{Options, SourceText};
use segue::engine::{Event, NumberedIds};
use segue::load::load;
use segue::model::Status;
use segue::model::uses::PackAt;
use segue::registry::Registry;
use segue::report::human;
use segue::state::SessionState;

use super::env::env;
use super::packs::{Documents, as_toml};

/// A pack of these classes, the first precedes the second and so on. A class is set off by `on` with its id, unless it says
/// otherwise; what it leaves out is "nothing". `Z` is the boundary, which says the reason.
#[derive(Clone)]
pub struct Part {
    /// Its documents.
    pub documents: Documents,
}

impl Part {
    /// A pack of these classes.
    pub fn new(classes: &[(&str, Json)]) -> Self {
        let both = json!({ "id": { "type": "text" }, "what": { "type": "text", "optional": true } });
        let what = json!({ "what": { "type": "text", "optional": true } });
        let error = json!({ "error": { "type": "text", "optional": true } });
        let mut chain: Vec<&str> = classes.iter().map(|(id, _)| *id).collect();
        chain.push("Z");
        let pack = json!({
            "pack": { "id": "part", "title": "Part", "aggregate": "session", "owner": ["own"], "precedence": [chain] },
            "frame": { "f": { "owner": "own", "doc": "d", "field": {
                "n": { "type": "int", "default": 0 },
                "log": { "list": { "type": "text" }, "max": 9, "evict": "oldest", "default": [] },
                "note": { "type": "text", "optional": true } } } },
            "event": { "on": { "field": both, "doc": "d" } },
            "port": {
                "next": { "request": both, "response": what, "doc": "d" },
                "host": { "request": both, "response": what, "doc": "d" },
                "tell": { "request": both, "reply": "none", "doc": "d" },
            },
            "message": {
                "say": { "channel": "ui", "field": what, "doc": "d" },
                "ok": { "channel": "log", "level": "debug", "field": what, "doc": "d" },
                "no": { "channel": "log", "level": "debug", "field": error, "doc": "d" },
            },
            "answer_mode": { "yes": { "claims": "confirmed", "doc": "d" }, "none": { "claims": "nothing", "doc": "d" } },
        });
        let mut documents: Documents = vec![("pack".into(), pack)];
        for (id, parts) in classes {
            documents.push(((*id).into(), class(id, parts)));
        }
        let boundary = json!({
            "trigger": [{ "event": "boundary" }, { "event": "outcome", "base": "before", "reason": "lost", "entry": { "outcome": { "status": { "not": "ok" } } } }],
            "do": [{ "emit": "say", "with": { "what": "$reason" } }],
        });
        documents.push(("Z".into(), class("Z", &boundary)));
        Self { documents }
    }

    /// The same with sections added.
    pub fn with(mut self, sections: Json) -> Self {
        self.documents.push((format!("more{}", self.documents.len()), sections));
        self
    }

    /// The same with a setting of the manifest.
    pub fn set(mut self, key: &str, value: Json) -> Self {
        self.documents[0].1["pack"][key] = value;
        self
    }

    /// The same in which the boundary does this.
    pub fn boundary(mut self, effects: Json) -> Self {
        let at = self.documents.iter().position(|(name, _)| name == "Z").expect("the boundary");
        self.documents[at].1["do"] = effects;
        self
    }

    /// The same in which `next` is served by a used pack `name`, which lies in the folder of that name.
    pub fn using(self, name: &str) -> Self {
        self.using_as(name, name, &["next"])
    }

    /// The same with a used pack of a folder that serves these ports.
    pub fn using_as(self, name: &str, folder: &str, ports: &[&str]) -> Self {
        let serve = |port: &&str| match port.ends_with("tell") {
            true => json!({ "port": port, "by": name, "event": "on" }),
            false => json!({ "port": port, "by": name, "event": "on", "reply": { "ok": "ok", "no": "failed" } }),
        };
        let serves: Vec<Json> = ports.iter().map(serve).collect();
        self.with(json!({ "uses": { name: { "pack": folder } } })).with(json!({ "serve": serves }))
    }
}

fn class(id: &str, parts: &Json) -> Json {
    let mut class = json!({
        "id": id, "name": id, "title": id, "owner": "own", "doc": "d",
        "trigger": [{ "event": "on", "entry": { "input": { "id": id } } }],
        "requires": {}, "entry": {}, "do": [], "answer": { "mode": "yes" }, "never": [],
    });
    for (name, part) in parts.as_object().expect("a table") {
        class[name.as_str()] = part.clone();
    }
    class
}

/// A call to a port, under the id `site`, for the class `id` of whoever serves it.
pub fn call(port: &str, site: &str, id: &str) -> Json {
    json!({ "call": port, "id": site, "with": { "id": id } })
}

/// A message.
pub fn emit(message: &str, what: &str) -> Json {
    let field = if message == "no" { "error" } else { "what" };
    json!({ "emit": message, "with": { field: what } })
}

/// Writes down what has been done.
pub fn log(what: &str) -> Json {
    json!({ "append": { "f": { "log": what } } })
}

/// A settle row for a call that answered.
pub fn on(site: &str, effects: Json) -> Json {
    json!({ "on": site, "when": { "outcome": { "status": "ok" } }, "do": effects })
}

/// The files of a pack with those that it uses, by folder.
pub fn files(outer: &Part, used: &[(&str, &Part)]) -> Vec<SourceText> {
    let mut files = as_toml(&outer.documents);
    for (folder, part) in used {
        let named = |file: SourceText| SourceText { name: format!("{folder}/{}", file.name), ..file }.of_pack(folder);
        files.extend(as_toml(&part.documents).into_iter().map(named));
    }
    files
}

/// The packs, loaded.
pub fn registry(outer: &Part, used: &[(&str, &Part)]) -> Registry {
    let loaded = load(&files(outer, used), &Options::default());
    loaded.registry.unwrap_or_else(|| panic!("{}", human(&loaded.sources, &loaded.diagnostics, false)))
}

/// A session with packs that are put together.
pub struct World {
    pub registry: Registry,
    pub state: SessionState,
    pub ids: NumberedIds,
    pub turn: u32,
}

/// An outcome for the host's calls.
pub fn outcome(call: &str, status: Status, value: Option<Json>) -> Event {
    let error = (status != Status::Ok).then(|| "broken".into());
    Event::Outcome { call: call.into(), status, value, error }
}

impl World {
    /// A session that has just begun.
    pub fn new(outer: &Part, used: &[(&str, &Part)]) -> Self {
        let registry = registry(outer, used);
        let state = SessionState::new(registry.pack());
        Self { registry, state, ids: NumberedIds::default(), turn: 0 }
    }

    /// Takes an event.
    pub fn try_take(&mut self, event: &Event) -> Result<Cascade, CascadeError> {
        self.turn += 1;
        let mut env = env(self.turn, &mut self.ids);
        let done = cascade(&self.registry, &self.state, event, &mut env)?;
        self.state = done.state.clone();
        Ok(done)
    }

    /// Takes an event; what it came to, in words.
    #[track_caller]
    pub fn take(&mut self, event: &Event) -> Vec<String> {
        let done = self.try_take(event).expect("a cascade");
        shown(&self.registry, &done)
    }

    /// The outermost pack's class `id`.
    #[track_caller]
    pub fn on(&mut self, id: &str) -> Vec<String> {
        let event = self.event(id);
        self.take(&event)
    }

    /// The event that sets off the outermost pack's class `id`.
    pub fn event(&self, id: &str) -> Event {
        Event::input(&self.registry, "on", &json!({ "id": id }), &json!({})).expect("an event")
    }

    /// A call of the host answers.
    #[track_caller]
    pub fn ok(&mut self, call: &str) -> Vec<String> {
        self.take(&outcome(call, Status::Ok, Some(json!({}))))
    }

    /// A call of the host fails.
    #[track_caller]
    pub fn fails(&mut self, call: &str) -> Vec<String> {
        self.take(&outcome(call, Status::Failed, None))
    }

    /// The calls that the host has to answer.
    pub fn open(&self) -> Vec<String> {
        let pack = self.registry.pack();
        let calls = self.state.host_calls(pack).into_iter();
        calls.map(|(at, call)| format!("{} {}", call.id, pack.qualified(at, name(pack.at(at), call.port)))).collect()
    }

    /// The frame `f` of a pack.
    pub fn frame(&self, at: PackAt) -> Json {
        let pack = self.registry.pack().at(at);
        self.state.at(at).expect("a state").frame_json(pack, pack.frame("f").expect("a frame"))
    }

    /// What the frame `f` of a pack has in its log.
    pub fn log(&self, at: u16) -> Vec<String> {
        let log = self.frame(PackAt(at))["log"].as_array().cloned().unwrap_or_default();
        log.iter().map(|text| text.as_str().expect("a text").to_owned()).collect()
    }
}

fn name(pack: &segue::model::Pack, port: segue::model::ids::PortId) -> &str {
    pack.names.text(pack.ports[port.index()].name)
}

/// A cascade in words: each step with what set it off, then the calls and messages that go to the host and the answer.
pub fn shown(registry: &Registry, done: &Cascade) -> Vec<String> {
    let pack = registry.pack();
    let mut lines = Vec::new();
    if let Some(undone) = &done.undone {
        lines.push(format!(
            "undone {} in {}: {}",
            undone.steps,
            pack.qualified(undone.at, ""),
            pack.names.text(undone.why)
        ));
    }
    for taken in &done.steps {
        let own = pack.at(taken.pack);
        let class = match (taken.step.class, taken.step.refused) {
            (Some(class), _) => own.names.text(own.classes[class.index()].id),
            (None, Some(refused)) => own.names.text(refused),
            (None, None) => "nothing",
        };
        let cause = match &taken.cause {
            Cause::Outside => String::new(),
            Cause::Entry { call, .. } => format!(" for {call}"),
            Cause::Reply { call, status: Status::Ok, value, .. } => {
                let what = value.as_ref().and_then(|value| value.get("what")).map(|what| format!(" {what}"));
                format!(" after {call}{}", what.unwrap_or_default())
            }
            Cause::Reply { call, status, error, .. } => {
                let status = segue::model::reason::STATUSES[*status as usize];
                format!(
                    " after {call} {status}{}",
                    error.as_ref().map_or_else(String::new, |error| format!(" {error}"))
                )
            }
        };
        lines.push(format!("{}{cause}", pack.qualified(taken.pack, class)));
        if !taken.step.closed.is_empty() {
            lines.push(format!("  closed {}", taken.step.closed.join(" ")));
        }
        for (at, call) in &taken.closed {
            lines.push(format!("  closed {}", pack.qualified(*at, call)));
        }
    }
    for (at, call) in done.calls(registry) {
        lines.push(format!("call {} {}", call.id, pack.qualified(at, name(pack.at(at), call.port))));
    }
    for (at, sent) in done.messages() {
        let own = pack.at(at);
        let of = own.names.text(own.messages[sent.message.index()].name);
        let fields =
            sent.fields.iter().map(|(_, value)| segue::model::json::scalar_text(&own.names, value).into_owned());
        lines.push(
            format!("message {} {}", pack.qualified(at, of), fields.collect::<Vec<_>>().join(" "))
                .trim_end()
                .to_owned(),
        );
    }
    if let Some(mode) = done.answer() {
        lines.push(format!("answer {}", pack.names.text(pack.modes[mode.index()].name)));
    }
    lines
}
