//! A turn of a chat as it is printed: for people, or as one line of JSON.

use serde_json::{Value as Json, json};

use crate::cli::terminal::cut;
use crate::engine::{CallOut, MessageOut, Retried, Step, StepError};
use crate::model::ids::{ClassId, FrameSet};
use crate::model::names::Sym;
use crate::model::reason::STATUSES;
use crate::model::uses::PackAt;
use crate::model::{Channel, Pack};
use crate::scenario::live::{Made, Told};
use crate::scenario::{PlayedStep, PlayedTurn, Reply, What, show};

use super::Chat;

impl Chat<'_, '_> {
    /// Prints the last turn.
    pub fn show_turn(&mut self) {
        let Some(told) = self.conversation.turns().last() else { return };
        let text = if self.json { format!("{}\n", self.line_of(told)) } else { self.lines_of(told) };
        let error = told.error().map(|(at, error)| self.error_of(at, error));
        self.terminal.out(&text);
        self.show_times();
        if let Some(error) = error {
            self.wrong(&error);
        }
    }

    /// One line: what the turn came to.
    fn line_of(&self, told: &Told) -> Json {
        let pack = self.registry.pack();
        let turn = &told.played;
        let frames = |set: FrameSet| {
            set.iter().map(|frame| pack.names.text(pack.frames[frame.index()].name)).collect::<Vec<_>>()
        };
        let calls: Vec<Json> = self
            .calls_of(told)
            .into_iter()
            .map(|(at, call)| {
                let retried = retried_of(turn, call);
                let made = told.calls.iter().find(|made| made.call.id == call.id);
                let status = made.and_then(|made| made.reply.as_ref()).map(|reply| STATUSES[reply.status as usize]);
                let mut shown = json!({
                    "id": &*call.id,
                    "port": show::port(pack, at, call.port),
                    "with": call.request(pack.at(at)),
                    "status": status,
                });
                if let Some(retried) = retried {
                    shown["retry"] = retried.attempt.into();
                }
                if let Some(breach) = breach_of(turn, call) {
                    shown["breach"] = pack.at(at).names.text(breach).into();
                }
                shown
            })
            .collect();
        let messages: Vec<Json> = turn
            .messages()
            .filter(|(at, message)| for_people(pack, *at, message))
            .map(|(at, message)| {
                let of = pack.at(at);
                let name = pack.qualified(at, of.names.text(of.messages[message.message.index()].name));
                json!({ "message": name, "with": message.body(of) })
            })
            .collect();
        let mut line = json!({
            "turn": told.number,
            "sessionId": self.conversation.clock().session_id,
            "transition": turn.settled().map(|class| show::class(pack, class)),
            "answer_mode": turn.answer().map(|mode| pack.names.text(pack.modes[mode.index()].name)),
            "reasons": turn.reasons().into_iter().map(|reason| pack.names.text(reason)).collect::<Vec<_>>(),
            "carried": frames(turn.carried()),
            "dropped": frames(turn.dropped()),
            "calls": calls,
            "messages": messages,
        });
        if let Some(times) = self.times_json() {
            line["times"] = times;
        }
        line
    }

    fn lines_of(&self, told: &Told) -> String {
        let pack = self.registry.pack();
        let turn = &told.played;
        let mut lines = Vec::new();
        let number = told.number;
        match turn.steps.first().map(|step| &step.what) {
            _ if told.goes_on() => lines.push(format!("{number}. goes on")),
            Some(What::Input { shown, .. }) if self.input.is_piped() => lines.push(cut(format!("{number}. {shown}"))),
            _ => {}
        }
        let mut row = |word: &str, text: String| lines.push(format!("   {word:<9}{text}"));
        let named = |class: ClassId| format!("{} ({})", show::class(pack, class), pack.classes[class.index()].name);
        match (turn.selected(), turn.settled()) {
            (Some(selected), Some(settled)) if selected != settled => {
                row("class", format!("{}, settled by {}", named(selected), named(settled)));
            }
            (Some(class), _) | (None, Some(class)) => row("class", named(class)),
            (None, None) => {}
        }
        let reasons: Vec<&str> = turn.reasons().into_iter().map(|reason| pack.names.text(reason)).collect();
        if !reasons.is_empty() {
            row(if turn.refused().is_some() { "refused" } else { "reason" }, reasons.join(", "));
        }
        for (word, frames) in [("carried", turn.carried()), ("dropped", turn.dropped())] {
            if !frames.is_empty() {
                row(word, show::frames(pack, frames));
            }
        }
        for (at, call) in self.calls_of(told) {
            let made = told.calls.iter().find(|made| made.call.id == call.id);
            let ended = made.and_then(|made| made.reply.as_ref());
            let ended = ended.map_or_else(String::new, |reply| match reply {
                Reply { error: None, contract: None, .. } => format!(" → {}", cut(show::reply(reply))),
                _ => format!(" → {}", show::reply(reply)),
            });
            let said = made.and_then(|made| made.reply.as_ref()).is_some_and(|reply| reply.contract.is_some());
            let breach = breach_of(turn, call).filter(|_| !said).map(|breach| pack.at(at).names.text(breach));
            let breach = breach.map_or_else(String::new, |breach| format!("; breach {breach}"));
            let retried = retried_of(turn, call);
            let again = retried.map_or_else(String::new, |retried| format!(" ({})", show::retried(retried)));
            // Who was asked about it has its request before their eyes.
            let made = match self.asked_of.contains(&call.id) {
                true => format!("{} {}", call.id, show::port(pack, at, call.port)),
                false => cut(show::call_at(pack, at, call)),
            };
            row("call", format!("{made}{again}{ended}{breach}"));
        }
        for (at, message) in turn.messages().filter(|(at, message)| for_people(pack, *at, message)) {
            let bare = MessageOut { text: None, ..message.clone() };
            let shown = show::message_at(pack, at, &bare);
            row("message", if message.text.is_some() { cut(shown) } else { shown });
            for line in message.text.iter().flat_map(|text| text.lines()) {
                row("", show::line(line));
            }
        }
        let open = turn.state.host_calls(pack);
        let open: Vec<&str> = open.iter().map(|(_, call)| &*call.id).collect();
        if !open.is_empty() {
            row("open", open.join(", "));
        }
        if let Some(mode) = turn.answer() {
            let mode = &pack.modes[mode.index()];
            row("answer", format!("{} ({})", pack.names.text(mode.name), show::claims(mode.claims)));
        }
        lines.join("\n") + "\n"
    }

    /// The calls of a turn: those that were open when the session was taken up, and those made since.
    fn calls_of<'t>(&self, told: &'t Told) -> Vec<(PackAt, &'t CallOut)> {
        let made = told.played.calls(self.registry);
        let again = |call: &Made| made.iter().all(|(_, made)| made.id != call.call.id);
        let again = told.calls.iter().filter(|call| again(call)).map(|call| (call.pack, &call.call));
        again.chain(made.iter().copied()).collect()
    }

    fn error_of(&self, at: PackAt, error: &StepError) -> String {
        let all = self.registry.pack();
        let pack = all.at(at);
        let mut text = format!("no step: {error}");
        if let StepError::Boundary { failures } = error {
            for failure in failures {
                for breach in &failure.breaches {
                    let class = all.qualified(at, show::class(pack, failure.class));
                    text.push_str(&format!("\n  {class}: {}", show::breach(pack, failure.class, breach)));
                }
            }
        }
        text
    }
}

/// Which time it is that a call is made again, where it is.
fn retried_of(turn: &PlayedTurn, call: &CallOut) -> Option<Retried> {
    let makes = |step: &&Step| step.calls.iter().any(|made| made.id == call.id);
    turn.all().map(|(_, step)| step).find(makes)?.retried
}

/// What the answer to a call broke that came as ok.
fn breach_of(turn: &PlayedTurn, call: &CallOut) -> Option<Sym> {
    let of = |step: &&PlayedStep| matches!(&step.what, What::Outcome(delivered) if delivered.call == call.id);
    turn.steps.iter().find(of)?.result.as_ref().ok()?.breach
}

/// Whether a message is for people, not for a log.
fn for_people(pack: &Pack, at: PackAt, message: &MessageOut) -> bool {
    !matches!(pack.at(at).messages[message.message.index()].channel, Channel::Log(_))
}
