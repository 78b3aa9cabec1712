//! A conversation written down as a scenario that replays as it went.

use serde_json::{Map, Value as Json};

use crate::analysis;
use crate::model::reason::STATUSES;
use crate::source::FileId;
use crate::syntax::Format;
use crate::syntax::flow::{flow, text};

use super::live::{Conversation, Made, Told};
use super::run::{Played, PlayedTurn, play, replay};
use super::script::{Reply, script};
use super::{Clock, parse, show};

/// A conversation as a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The scenario, in YAML.
    pub text: String,
    /// Its name.
    pub name: String,
    /// The transcript of its replay, which its snapshot keeps.
    pub transcript: String,
}

impl Conversation<'_> {
    /// The conversation as a scenario in YAML: its turns, what the calls came to, and what came of each turn. Ids are those that
    /// a replay counts. `pack` is written where it is given. A call whose outcome is still due is written as one that stays open.
    ///
    /// # Errors
    /// Why there is none: nothing was said, it begins in the middle of a turn, or it cannot be replayed as it went.
    pub fn written(&self, name: &str, pack: Option<&str>) -> Result<Written, String> {
        if self.turns.is_empty() {
            return Err("nothing has been said yet".into());
        }
        if !self.start.state.host_calls(self.registry.pack()).is_empty() {
            return Err("it began in the middle of a turn, and no scenario begins so".into());
        }
        if let Some(at) = self.turns.iter().position(|told| told.error().is_some()) {
            let number = self.turns[at].number;
            return Err(format!("no step could be taken in turn {number}: take it back with `/undo`"));
        }
        for told in &self.turns {
            for made in &told.calls {
                if let Some(path) = made.reply.as_ref().and_then(|reply| null(reply.value.as_ref()?)) {
                    let port = show::port(self.registry.pack(), made.pack, made.call.port);
                    return Err(format!(
                        "the answer of `{port}` in turn {} holds a null, `{path}`, and no scenario holds one: let it be left out there, \
                         or let a text stand for it; `/undo` takes the turn back",
                        told.number
                    ));
                }
            }
        }
        let bare = self.composed(name, pack, None);
        let played = self.played(&bare)?;
        for (told, again) in self.turns.iter().zip(&played.turns) {
            if !self.same(&told.played, again) {
                let day = match self.clock().today == self.start.clock.today {
                    true => "",
                    false => "; the day has changed meanwhile, and a scenario has one",
                };
                return Err(format!("turn {} goes another way when it is replayed{day}", told.number));
            }
        }
        let whole = self.composed(name, pack, Some(&played));
        let parsed = parse(FileId(0), &whole, Format::Yaml);
        let (Some(scenario), []) = (parsed.scenarios.first(), &parsed.problems[..]) else {
            return Err("it cannot be read back".into());
        };
        let replayed = replay(self.registry, scenario);
        match (replayed.failures.first(), replayed.transcript) {
            (None, Some(transcript)) => Ok(Written { name: scenario.name.clone(), text: whole, transcript }),
            (failure, _) => {
                let first = failure.map_or_else(String::new, |failure| format!(": {}", failure.message));
                Err(format!("it does not replay{first}"))
            }
        }
    }

    fn played(&self, text: &str) -> Result<Played, String> {
        let parsed = parse(FileId(0), text, Format::Yaml);
        let unread = |message: &str| format!("it cannot be written as a scenario: {message}");
        if let Some(problem) = parsed.problems.first() {
            return Err(unread(&problem.message));
        }
        let scenario = parsed.scenarios.first().ok_or_else(|| unread("it is empty"))?;
        match script(self.registry, scenario) {
            Ok(script) => Ok(play(self.registry, &script, usize::MAX)),
            Err(problems) => Err(unread(problems.first().map_or("", |problem| problem.message.as_str()))),
        }
    }

    fn same(&self, told: &PlayedTurn, again: &PlayedTurn) -> bool {
        let way = |turn: &PlayedTurn| {
            let (classes, reasons) = ((turn.selected(), turn.settled()), turn.reasons());
            (classes, turn.answer(), reasons, turn.refused(), turn.steps.len(), turn.calls(self.registry).len())
        };
        again.failures.is_empty() && way(told) == way(again)
    }

    /// The text; what is expected is what came when it was played.
    fn composed(&self, name: &str, pack_name: Option<&str>, played: Option<&Played>) -> String {
        let pack = self.registry.pack();
        let mut lines = vec![format!("scenario: {}", text(name))];
        if let Some(name) = pack_name {
            lines.push(format!("pack: {}", text(name)));
        }
        if let Some(played) = played {
            let mut classes: Vec<Json> = Vec::new();
            for class in played.turns.iter().flat_map(|turn| [turn.selected(), turn.settled()]).flatten() {
                let class = Json::from(show::class(pack, class));
                if !classes.contains(&class) {
                    classes.push(class);
                }
            }
            if !classes.is_empty() {
                lines.push(format!("covers: {}", flow(&Json::Array(classes))));
            }
        }
        let clock = &self.start.clock;
        let mut env = Map::new();
        env.insert("today".into(), clock.today.to_string().into());
        if clock.now != Clock::on(clock.today).now {
            env.insert("now".into(), clock.now.as_str().into());
        }
        if !self.ids.are_drawn() && clock.session_id != Clock::default().session_id {
            env.insert("session_id".into(), clock.session_id.as_str().into());
        }
        lines.push(format!("env: {}", flow(&Json::Object(env))));
        let given = analysis::given(self.registry, &self.start.state);
        if !given.is_empty() {
            lines.push("given:".into());
            lines.extend(given);
        }
        lines.push("turns:".into());
        for (at, told) in self.turns.iter().enumerate() {
            self.turn(told, &mut lines);
            if let Some(turn) = played.and_then(|played| played.turns.get(at)) {
                lines.push(format!("    expect: {}", flow(&self.expected(turn))));
            }
        }
        lines.join("\n") + "\n"
    }

    fn turn(&self, told: &Told, lines: &mut Vec<String>) {
        if let Json::Object(said) = self.counted(&told.said) {
            for (at, (key, value)) in said.iter().enumerate() {
                let value = match value {
                    Json::String(said) => text(said),
                    other => flow(other),
                };
                lines.push(format!("  {} {}: {value}", if at == 0 { "-" } else { " " }, text(key)));
            }
        }
        if !told.calls.is_empty() {
            lines.push("    calls:".into());
            lines.extend(told.calls.iter().map(|made| format!("      - {}", flow(&self.scripted(made)))));
        }
    }

    fn scripted(&self, made: &Made) -> Json {
        let pack = self.registry.pack();
        let mut call = Map::new();
        call.insert("port".into(), show::port(pack, made.pack, made.call.port).into());
        let with = made.call.request(pack.at(made.pack));
        if with.as_object().is_some_and(|with| !with.is_empty()) {
            call.insert("with".into(), with);
        }
        match &made.reply {
            None => _ = call.insert("open".into(), true.into()),
            Some(Reply { value: Some(value), .. }) => _ = call.insert("returns".into(), value.clone()),
            Some(reply) => {
                call.insert("status".into(), STATUSES[reply.status as usize].into());
                if let Some(error) = &reply.error {
                    call.insert("error".into(), (**error).into());
                }
            }
        }
        self.counted(&Json::Object(call))
    }

    fn expected(&self, turn: &PlayedTurn) -> Json {
        let pack = self.registry.pack();
        let mut expect = Map::new();
        let mut put = |key: &str, value: Json| _ = expect.insert(key.into(), value);
        let class = |class| Json::from(show::class(pack, class));
        if let Some(refused) = turn.refused() {
            put("refused", pack.names.text(refused).into());
            return Json::Object(expect);
        }
        match (turn.selected(), turn.settled()) {
            (Some(selected), Some(settled)) if selected != settled => {
                put("selected", class(selected));
                put("settled", class(settled));
            }
            (Some(one), _) | (None, Some(one)) => put("transition", class(one)),
            (None, None) => {}
        }
        if let Some(reason) = turn.reason(self.registry) {
            put("reason", pack.names.text(reason).into());
        }
        put(
            "answer_mode",
            match turn.answer() {
                Some(mode) => pack.names.text(pack.modes[mode.index()].name).into(),
                None => serde_json::json!({ "present": false }),
            },
        );
        Json::Object(expect)
    }

    /// With the ids that counting gives, and the one time that a scenario has.
    fn counted(&self, json: &Json) -> Json {
        match json {
            Json::String(text) => Json::from(self.counted_text(text)),
            Json::Array(items) => Json::Array(items.iter().map(|item| self.counted(item)).collect()),
            Json::Object(fields) => {
                Json::Object(fields.iter().map(|(key, value)| (self.counted_text(key), self.counted(value))).collect())
            }
            other => other.clone(),
        }
    }

    fn counted_text(&self, text: &str) -> String {
        let session = &self.start.clock.session_id;
        let mut text = text.to_owned();
        let issued = self.ids.issued.iter().map(|(id, counted)| (&**id, &**counted));
        let nows = self.nows.iter().map(|now| (now.as_str(), self.start.clock.now.as_str()));
        for (from, to) in issued.chain(nows) {
            if text.contains(from) {
                text = text.replace(from, to);
            }
        }
        if self.ids.are_drawn() { text.replace(session, &Clock::default().session_id) } else { text }
    }
}

/// Where a null stands in a value, where one does.
fn null(value: &Json) -> Option<String> {
    match value {
        Json::Null => Some(String::new()),
        Json::Array(items) => {
            let mut found = items.iter().enumerate().filter_map(|(at, item)| Some(format!("[{at}]{}", null(item)?)));
            found.next()
        }
        Json::Object(fields) => fields.iter().find_map(|(key, value)| {
            let below = null(value)?;
            let dot = if below.is_empty() || below.starts_with('[') { "" } else { "." };
            Some(format!("{key}{dot}{below}"))
        }),
        _ => None,
    }
}
