//! A turn of a chat as it is printed: for people, or as one line of JSON.

use serde_json::{Value as Json, json};

use crate::engine::{CallOut, MessageOut, StepError};
use crate::model::Channel;
use crate::model::ids::{ClassId, FrameSet};
use crate::model::names::Sym;
use crate::model::reason::STATUSES;
use crate::scenario::live::Told;
use crate::scenario::{PlayedStep, PlayedTurn, What, show};

use super::Chat;

impl Chat<'_, '_> {
    /// Prints the last turn.
    pub fn show_turn(&mut self) {
        let Some(told) = self.conversation.turns().last() else { return };
        let number = self.conversation.turns().len();
        let text = if self.json { format!("{}\n", self.line_of(number, told)) } else { self.lines_of(number, told) };
        let error = told.error().map(|error| self.error_of(error));
        self.terminal.out(&text);
        if let Some(error) = error {
            self.wrong(&error);
        }
    }

    /// One line: what the turn came to.
    fn line_of(&self, number: usize, told: &Told) -> Json {
        let pack = self.registry.pack();
        let turn = &told.played;
        let frames = |set: FrameSet| {
            set.iter().map(|frame| pack.names.text(pack.frames[frame.index()].name)).collect::<Vec<_>>()
        };
        let calls: Vec<Json> = turn
            .steps
            .iter()
            .filter_map(|step| step.result.as_ref().ok())
            .flat_map(|step| step.calls.iter().map(|call| (call, step.retried)))
            .map(|(call, retried)| {
                let made = told.calls.iter().find(|made| made.call.id == call.id);
                let status = made.and_then(|made| made.reply.as_ref()).map(|reply| STATUSES[reply.status as usize]);
                let mut shown = json!({
                    "id": &*call.id,
                    "port": pack.names.text(pack.ports[call.port.index()].name),
                    "with": call.request(pack),
                    "status": status,
                });
                if let Some(retried) = retried {
                    shown["retry"] = retried.attempt.into();
                }
                if let Some(breach) = breach_of(turn, call) {
                    shown["breach"] = pack.names.text(breach).into();
                }
                shown
            })
            .collect();
        json!({
            "turn": number,
            "transition": turn.settled().map(|class| show::class(pack, class)),
            "answer_mode": turn.answer().map(|mode| pack.names.text(pack.modes[mode.index()].name)),
            "reasons": turn.reasons().into_iter().map(|reason| pack.names.text(reason)).collect::<Vec<_>>(),
            "carried": frames(turn.carried()),
            "dropped": frames(turn.dropped()),
            "calls": calls,
        })
    }

    fn lines_of(&self, number: usize, told: &Told) -> String {
        let pack = self.registry.pack();
        let turn = &told.played;
        let mut lines = Vec::new();
        if self.input.is_piped()
            && let Some(What::Input { shown, .. }) = turn.steps.first().map(|step| &step.what)
        {
            lines.push(format!("{number}. {shown}"));
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
        let steps = turn.steps.iter().filter_map(|step| step.result.as_ref().ok());
        for (call, retried) in steps.flat_map(|step| step.calls.iter().map(|call| (call, step.retried))) {
            let made = told.calls.iter().find(|made| made.call.id == call.id);
            let ended = made.and_then(|made| made.reply.as_ref());
            let ended = ended.map_or_else(String::new, |reply| format!(" → {}", show::reply(reply)));
            let said = made.and_then(|made| made.reply.as_ref()).is_some_and(|reply| reply.contract.is_some());
            let breach = breach_of(turn, call).filter(|_| !said).map(|breach| pack.names.text(breach));
            let breach = breach.map_or_else(String::new, |breach| format!("; breach {breach}"));
            let again = retried.map_or_else(String::new, |retried| format!(" ({})", show::retried(retried)));
            row("call", format!("{}{again}{ended}{breach}", show::call(pack, call)));
        }
        let for_people =
            |message: &&MessageOut| !matches!(pack.messages[message.message.index()].channel, Channel::Log(_));
        for message in turn.messages().filter(for_people) {
            let bare = MessageOut { text: None, ..message.clone() };
            row("message", show::message(pack, &bare));
            for line in message.text.iter().flat_map(|text| text.lines()) {
                row("", show::line(line));
            }
        }
        let open: Vec<&str> = turn.state.open_calls().iter().map(|call| &*call.id).collect();
        if !open.is_empty() {
            row("open", open.join(", "));
        }
        if let Some(mode) = turn.answer() {
            let mode = &pack.modes[mode.index()];
            row("answer", format!("{} ({})", pack.names.text(mode.name), show::claims(mode.claims)));
        }
        lines.join("\n") + "\n"
    }

    fn error_of(&self, error: &StepError) -> String {
        let pack = self.registry.pack();
        let mut text = format!("no step: {error}");
        if let StepError::Boundary { failures } = error {
            for failure in failures {
                for breach in &failure.breaches {
                    let class = show::class(pack, failure.class);
                    text.push_str(&format!("\n  {class}: {}", show::breach(pack, failure.class, breach)));
                }
            }
        }
        text
    }
}

/// What the answer to a call broke that came as ok.
fn breach_of(turn: &PlayedTurn, call: &CallOut) -> Option<Sym> {
    let of = |step: &&PlayedStep| matches!(&step.what, What::Outcome(delivered) if delivered.call == call.id);
    turn.steps.iter().find(of)?.result.as_ref().ok()?.breach
}
