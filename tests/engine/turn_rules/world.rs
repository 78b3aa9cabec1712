//! A small world for tests of the engine: one manifest, and classes of which each test writes what matters to it.

use std::sync::Arc;

use segue::declare::{Options, SourceText};
use segue::engine::{Env, Event, NumberedIds, Restored, Step, StepError, restore, step};
use segue::load::load;
use segue::model::Status;
use segue::model::json::{DataError, to_json};
use segue::registry::Registry;
use segue::report::human;
use segue::state::SessionState;
use serde_json::{Value as Json, json};

const WORLD: &str = r#"
[carryover]
universe = ["root", "object", "meta"]
limit = "gate.eligible"
depth = { full = ["root", "object", "meta"], root_only = ["root"], object_only = ["object"], root_and_object = ["root", "object"], none = [] }

[enum]
status = ["none", "active", "closed"]
eligible = ["full", "root_only", "object_only", "root_and_object", "none"]
grade = ["good", "poor", "bad"]
anchor = ["place", "period"]

[type.Line]
field = { sku = { type = "text" }, amount = { type = "int", default = 1 }, note = { type = "text", optional = true }, period = { type = "date_range", optional = true } }

[table.place]
column = { city = { type = "text" }, big = { type = "bool", default = false }, needs = { set = { enum = "anchor" }, max = 2, default = [] } }
row = [ { id = "north", city = "Север", needs = ["place", "period"] }, { id = "south", city = "Юг", big = true } ]

[param.threshold]
type = "decimal"
default = 0.75

[relative.LAST_WEEK]
unit = "day"
offset = -6
length = 7

[frame.root]
owner = "all"
[frame.root.field]
place = { key_of = "place", optional = true }
period = { type = "date_range", optional = true }
status = { enum = "status", default = "none" }
n = { type = "int", default = 0 }
notes = { list = { type = "text" }, max = 3, default = [] }
log = { list = { type = "text" }, max = 2, evict = "oldest", default = [] }
marks = { set = { enum = ["a", "b", "c"] }, max = 2, default = [] }
tries = { map = { key = { key_of = "place" }, value = { type = "int" } }, max = 2, default = {} }
line = { record = "Line", optional = true }
lines = { list = { record = "Line" }, max = 3, default = [] }
born = { type = "text", optional = true, set_once = true }

[frame.object]
owner = "all"
field = { ref = { type = "id", optional = true }, kind = { type = "text", optional = true } }
[frame.meta]
owner = "all"
field = { topic = { type = "text", optional = true } }
[frame.question]
owner = "all"
field = { id = { type = "id", optional = true }, wanted = { set = { enum = "anchor" }, max = 2, default = [] } }
[frame.gate]
owner = "all"
field = { eligible = { enum = "eligible", optional = true }, grade = { enum = "grade", optional = true } }
[frame.seen]
owner = "all"
field = { text = { type = "text", optional = true }, other = { type = "text", optional = true }, number = { type = "int", optional = true }, period = { type = "date_range", optional = true }, places = { list = { key_of = "place" }, max = 4, default = [] }, periods = { list = { type = "date_range" }, max = 4, default = [] }, anchors = { set = { enum = "anchor" }, max = 2, optional = true } }

[event.utterance]
turn = "user"
text = "text"
field = { text = { type = "text" } }
[event.tap]
field = { ref = { type = "id", optional = true }, number = { type = "int", optional = true } }

[part.month]
values = { "01" = ["январь"], "03" = ["март"], "04" = ["апрель"] }
[part.year]
pattern = '20[0-9]{2}'
[part.day]
pattern = '[0-9]{1,2}'
[signal.period]
type = "date_range"
rule = [
  { phrase = "{day} {month} {year}", value = "{year}-{month}-{day}" },
  { phrase = "{month} {year}", value = "{year}-{month}" },
  { phrase = "{month}", value = "{year}-{month}" },
  { phrase = "неделя", value = "LAST_WEEK" },
]
complete.year = ["$root.period", "$env.today"]
[signal.place]
key_of = "place"
values = { north = ["север"], south = ["юг"] }
[signal.first_place]
key_of = "place"
many = "first"
values = { north = ["снег"], south = ["песок"] }
[signal.last_place]
key_of = "place"
many = "last"
values = { north = ["снег"], south = ["песок"] }
[signal.places]
list = { key_of = "place" }
max = 4
many = "all"
values = { north = ["снег"], south = ["песок"] }
[signal.sure]
type = "decimal"
[signal.mood]
enum = ["calm", "angry"]
[signal.counts]
map = { key = { key_of = "place" }, value = { type = "int" } }
max = 3
[signal.rows]
list = { record = "Line" }
max = 3
[signal.set_a]
set = { enum = "anchor" }
max = 2
[lexicon]
filler = ["а", "ну"]
[command]
new = ["/new"]

[derive.missing]
lacking = { of = "$input.place.needs", in = ["input", "root"] }
[derive.when]
first_of = ["$input.period", "$root.period"]
[derive.big_place]
lookup = "place"
where = { id = "$input.place", big = true }

[port.fetch]
request = { what = { type = "text" }, period = { type = "date_range", optional = true }, level = { type = "int", default = 3 }, since = { type = "date_range", default = "LAST_WEEK" }, line = { record = "Line", optional = true } }
response = { grade = { enum = "grade" }, note = { type = "text", optional = true } }
[port.audit]
request = { what = { type = "text" } }
reply = "none"

[message.refused]
channel = "ui"
field = { reason = { type = "text" } }
text = "Нет: {reason}"
[message.told]
channel = "ui"
field = { what = { type = "text", default = "nothing" }, period = { type = "date_range", optional = true } }

[answer_mode]
done = { claims = "confirmed" }
part = { claims = "limited" }
sorry = { claims = "nothing" }
"#;

/// Words that set a class off, by the class's own id: `trigger = [ … ]` of a class that a test does not write out.
fn trigger(id: &str) -> String {
    format!(
        "trigger = [ {{ event = \"utterance\", any = [ {{ phrase = \"{0}\" }} ], examples = [\"{0}\"], counterexamples = [] }} ]",
        id.to_lowercase()
    )
}

/// A class file: what the test writes, and the plainest of everything else.
fn class(id: &str, parts: &str) -> SourceText {
    let lower = id.to_lowercase();
    let mut text = format!("id = \"{id}\"\nname = \"{lower}\"\ntitle = \"{id}\"\nowner = \"all\"\ndoc = \"{id}.\"\n");
    let plain = [
        ("trigger", trigger(id)),
        ("requires", "requires = {}".into()),
        ("entry", "entry = {}".into()),
        ("ignores", "ignores = [\"place\", \"period\", \"first_place\", \"last_place\", \"places\", \"sure\", \"mood\", \"counts\", \"rows\", \"set_a\"]".into()),
        ("carryover", carry("full", "")),
        ("do", "do = []".into()),
        ("answer", "answer = { mode = \"done\" }".into()),
        ("never", "never = []".into()),
    ];
    for (key, line) in plain {
        let written = parts.lines().any(|part| {
            part.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(['=', '.']))
        });
        if !written {
            text.push_str(&line);
            text.push('\n');
        }
    }
    text.push_str(parts);
    SourceText::new(format!("{id}.toml"), text)
}

/// A `carryover` line of a depth; `more` replaces what it names.
pub fn carry(depth: &str, more: &str) -> String {
    let plain = [("keep", "[]"), ("forbid", "[]"), ("preserve", "[]"), ("fate", "{ question = \"keep\" }")];
    let mut parts = vec![format!("depth = \"{depth}\"")];
    parts.extend((!more.is_empty()).then(|| more.to_owned()));
    parts.extend(
        plain
            .iter()
            .filter(|(key, _)| !more.contains(&format!("{key} =")))
            .map(|(key, value)| format!("{key} = {value}")),
    );
    format!("carryover = {{ {} }}", parts.join(", "))
}

/// A boundary that takes failed calls from before the turn, and what nobody takes.
pub const BOUNDARY: &str = r#"trigger = [ { event = "outcome", entry = { outcome.status = ["failed", "timeout", "cancelled"] }, base = "before", reason = "call_failed" }, { event = "boundary" } ]
do = [ { emit = "refused", with = { reason = "$reason" } } ]
answer = { mode = "sorry" }
"#;

/// A world to be: classes strongest first, the boundary `Z` last.
#[derive(Default)]
pub struct World<'w> {
    classes: Vec<(&'w str, &'w str)>,
    boundary: Option<&'w str>,
    manifest: &'w str,
    more: &'w str,
    unordered: bool,
    params: Vec<(String, String)>,
}

impl<'w> World<'w> {
    pub fn of(classes: &[(&'w str, &'w str)]) -> Self {
        Self { classes: classes.to_vec(), ..Self::default() }
    }

    /// Another boundary.
    pub fn boundary(self, parts: &'w str) -> Self {
        Self { boundary: Some(parts), ..self }
    }

    /// Keys of `[pack]`.
    pub fn manifest(self, manifest: &'w str) -> Self {
        Self { manifest, ..self }
    }

    /// Further declarations.
    pub fn more(self, more: &'w str) -> Self {
        Self { more, ..self }
    }

    /// Precedence orders every class against the boundary only.
    pub fn unordered(self) -> Self {
        Self { unordered: true, ..self }
    }

    pub fn param(mut self, name: &str, value: &str) -> Self {
        self.params.push((name.into(), value.into()));
        self
    }

    fn files(&self) -> Vec<SourceText> {
        let ids: Vec<String> = self.classes.iter().map(|(id, _)| format!("\"{id}\"")).collect();
        let chains = if self.unordered {
            ids.iter().map(|id| format!("[{id}, \"Z\"]")).collect::<Vec<_>>().join(", ")
        } else if ids.is_empty() {
            String::new()
        } else {
            format!("[{}, \"Z\"]", ids.join(", "))
        };
        let manifest = format!(
            "[pack]\nid = \"world\"\ntitle = \"World\"\naggregate = \"state\"\nowner = [\"all\"]\ndecide = [\"question\"]\nprecedence = [{chains}]\n{}\n{WORLD}\n{}",
            self.manifest, self.more
        );
        let mut files = vec![SourceText::new("pack.toml", manifest)];
        files.extend(self.classes.iter().map(|(id, parts)| class(id, parts)));
        files.push(class("Z", self.boundary.unwrap_or(BOUNDARY)));
        files
    }

    /// What loading finds, rendered; empty when the world is sound.
    pub fn refused(&self) -> String {
        let loaded = load(&self.files(), &Options { params: self.params.clone() });
        match loaded.registry {
            Some(_) => String::new(),
            None => human(&loaded.sources, &loaded.diagnostics, false),
        }
    }

    pub fn registry(&self) -> Registry {
        let loaded = load(&self.files(), &Options { params: self.params.clone() });
        loaded.registry.unwrap_or_else(|| panic!("{}", human(&loaded.sources, &loaded.diagnostics, false)))
    }

    /// A session that begins with these frames.
    pub fn begin(&self, frames: Json) -> Session {
        let registry = self.registry();
        let state = SessionState::from_frames(registry.pack(), &frames).expect("frames of the world");
        Session { registry, state, ids: NumberedIds::default(), turn: 0 }
    }
}

/// A session and its last step.
pub struct Session {
    pub registry: Registry,
    pub state: SessionState,
    ids: NumberedIds,
    turn: u32,
}

/// What a step came to, in names.
pub struct Did {
    pub step: Step,
    pub class: String,
    pub reasons: Vec<String>,
    pub answer: Option<String>,
    pub carried: Vec<String>,
    pub dropped: Vec<String>,
    /// Id, port and arguments of each call.
    pub calls: Vec<(String, String, Json)>,
    /// Name and fields of each message.
    pub messages: Vec<(String, Json)>,
}

fn env<'i>(ids: &'i mut NumberedIds, turn: u32) -> Env<'i> {
    Env { trace: true, ..crate::support::env::env(turn, ids) }
}

impl Session {
    pub fn attempt(&mut self, event: &Event) -> Result<Did, StepError> {
        let step = step(&self.registry, &self.state, event, &mut env(&mut self.ids, self.turn))?;
        self.state = step.state.clone();
        Ok(self.named(step))
    }

    fn take(&mut self, event: &Event) -> Did {
        self.attempt(event).unwrap_or_else(|error| panic!("{error}: {error:?}"))
    }

    /// A text.
    pub fn say(&mut self, text: &str) -> Did {
        self.hear(text, json!({}))
    }

    /// A text with signals of the host.
    pub fn hear(&mut self, text: &str, signals: Json) -> Did {
        self.turn += 1;
        let event = self.utterance(text, signals);
        self.take(&event)
    }

    pub fn utterance(&self, text: &str, signals: Json) -> Event {
        Event::input(&self.registry, "utterance", &json!({ "text": text }), &signals).expect("an utterance")
    }

    /// The outcome of a call.
    pub fn answer(&mut self, call: &str, value: Json) -> Did {
        self.take(&ok(call, value))
    }

    /// A call that came to nothing.
    pub fn fail(&mut self, call: &str) -> Did {
        self.take(&Event::Outcome {
            call: call.into(),
            status: Status::Timeout,
            value: None,
            error: Some("slow".into()),
        })
    }

    /// A frame: the fields that are present.
    pub fn frame(&self, frame: &str) -> Json {
        let pack = self.registry.pack();
        self.state.frame_json(pack, pack.frame(frame).expect("a frame of the world"))
    }

    /// A field; null when it is absent.
    pub fn get(&self, path: &str) -> Json {
        let (frame, field) = path.split_once('.').expect("frame.field");
        self.frame(frame).get(field).cloned().unwrap_or(Json::Null)
    }

    pub fn open(&self) -> Vec<&str> {
        self.state.open_calls().iter().map(|call| &*call.id).collect()
    }

    pub fn saved(&self) -> Json {
        self.state.to_json(self.registry.pack())
    }

    /// Reads a saved session in this one's place.
    pub fn restore(&mut self, saved: &Json) -> Result<Vec<String>, DataError> {
        let Restored { state, repaired } = restore(&self.registry, saved, &mut env(&mut self.ids, self.turn))?;
        self.state = state;
        Ok(repaired.iter().map(|(_, name)| self.registry.pack().names.text(*name).to_owned()).collect())
    }

    fn named(&self, step: Step) -> Did {
        let pack = self.registry.pack();
        let text = |sym| pack.names.text(sym).to_owned();
        let frames = |set: segue::model::ids::FrameSet| -> Vec<String> {
            set.iter().map(|frame| text(pack.frames[frame.index()].name)).collect()
        };
        let object = |fields: &[(segue::model::names::Sym, segue::model::value::Value)]| -> Json {
            fields.iter().map(|(name, value)| (text(*name), to_json(&pack.names, value))).collect()
        };
        Did {
            class: step.class.map_or_else(String::new, |class| text(pack.classes[class.index()].id)),
            reasons: step.reasons.iter().map(|reason| text(*reason)).collect(),
            answer: step.answer.map(|mode| text(pack.modes[mode.index()].name)),
            carried: frames(step.carried),
            dropped: frames(step.dropped),
            calls: step
                .calls
                .iter()
                .map(|call| (call.id.to_string(), text(pack.ports[call.port.index()].name), object(&call.with)))
                .collect(),
            messages: step
                .messages
                .iter()
                .map(|message| (text(pack.messages[message.message.index()].name), object(&message.fields)))
                .collect(),
            step,
        }
    }
}

/// A good outcome.
pub fn ok(call: &str, value: Json) -> Event {
    Event::Outcome { call: Arc::from(call), status: Status::Ok, value: Some(value), error: None }
}

impl Did {
    /// Class and first reason: `Z no_transition`, `A`.
    pub fn who(&self) -> String {
        [self.class.clone()].into_iter().chain(self.reasons.first().cloned()).collect::<Vec<_>>().join(" ")
    }

    /// What the classes that were chosen and not committed broke, as debug text.
    pub fn broken(&self) -> String {
        format!("{:?}", self.step.failures)
    }
}
