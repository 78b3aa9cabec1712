//! Holding a turn against its expectation.

use crate::engine::{CallOut, MessageOut};
use crate::model::Pack;
use crate::model::ids::{ClassId, FrameSet};
use crate::model::json::scalar_text;
use crate::model::names::Sym;
use crate::model::uses::PackAt;
use crate::model::value::Value;
use crate::registry::Registry;
use crate::source::Span;

use super::run::{Failure, PlayedTurn};
use super::script::{Call, Expect, Message, Want, Wanted};
use super::{Spanned, show};

struct Judge<'a> {
    pack: &'a Pack,
    turn: usize,
    failures: &'a mut Vec<Failure>,
}

/// Adds what a turn (counted from 0) fails of its expectation.
pub fn check(registry: &Registry, index: usize, turn: &PlayedTurn, expect: &Expect, failures: &mut Vec<Failure>) {
    let pack = registry.pack();
    let mut judge = Judge { pack, turn: index, failures };
    judge.classes(turn, expect);
    if let Some(want) = &expect.reason {
        judge.same(want.span, "reason", judge.word(want.value), judge.word(turn.reason(registry)));
    }
    if let Some(want) = &expect.reasons {
        judge.same(want.span, "reasons", judge.words(&want.value), judge.words(&turn.reasons()));
    }
    if let Some(want) = &expect.answer_mode {
        let mode = |mode: Option<crate::model::ids::ModeId>| judge.word(mode.map(|mode| pack.modes[mode.index()].name));
        judge.same(want.span, "answer mode", mode(want.value), mode(turn.answer()));
    }
    if let Some(want) = &expect.refused {
        judge.same(want.span, "refused", judge.word(Some(want.value)), judge.word(turn.refused()));
    }
    for want in &expect.state {
        let Wanted { pack: at, slot, key, value: wanted } = &want.value;
        let (own, Some(state)) = (pack.at(*at), turn.state.at(*at)) else { continue };
        let actual = match key {
            Some(key) => state.of_instance(own, *slot, key),
            None => state.get(*slot).clone(),
        };
        if !fits(own, wanted, &actual) {
            let what = format!("state {}", pack.qualified(*at, &show::slot_of(own, *slot, key.as_deref())));
            let told = |value: &Value| present(value, |value| show::value(own, value));
            judge.differs(want.span, &what, shown(wanted, told), told(&actual));
        }
    }
    if let Some(want) = &expect.dropped {
        judge.same(want.span, "dropped frames", judge.frames(want.value), judge.frames(turn.dropped()));
    }
    if let Some(want) = &expect.carried {
        judge.same(want.span, "carried frames", judge.frames(want.value), judge.frames(turn.carried()));
    }
    if let Some(want) = &expect.steps {
        let named = |steps: &mut dyn Iterator<Item = (PackAt, ClassId)>| {
            let all: Vec<String> =
                steps.map(|(at, class)| pack.qualified(at, show::class(pack.at(at), class))).collect();
            if all.is_empty() { "none".to_owned() } else { all.join(", ") }
        };
        let wanted = named(&mut want.value.iter().copied());
        let actual = named(&mut turn.all().filter_map(|(played, step)| Some((played.pack, step.class?))));
        judge.same(want.span, "steps", wanted, actual);
    }
    if let Some(want) = &expect.calls {
        let ports = |ports: &mut dyn Iterator<Item = (PackAt, crate::model::ids::PortId)>| {
            let names: Vec<String> = ports.map(|(at, port)| show::port(pack, at, port)).collect();
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        };
        let actual = ports(&mut turn.calls(registry).into_iter().map(|(at, call)| (at, call.port)));
        judge.same(want.span, "calls", ports(&mut want.value.iter().copied()), actual);
    }
    if let Some(want) = &expect.messages {
        judge.messages(want, turn);
    }
}

/// Adds what a call that was made fails of its script.
pub fn check_call(all: &Pack, index: usize, call: &CallOut, script: &Call, failures: &mut Vec<Failure>) {
    let pack = all.at(script.pack);
    let mut judge = Judge { pack, turn: index, failures };
    for want in &script.with {
        let (name, wanted) = &want.value;
        let Some(arg) = pack.ports[call.port.index()].request.iter().find(|arg| arg.name == *name) else { continue };
        let actual = call.with.iter().find(|(arg, _)| arg == name).map_or(&Value::Absent, |(_, value)| value);
        if !fits(pack, wanted, actual) {
            let what = format!("argument {} of {}", pack.names.text(arg.wire), show::call_name(pack, call));
            let told = |value: &Value| present(value, |value| show::wire(pack, &arg.ty, value));
            judge.differs(want.span, &what, shown(wanted, told), told(actual));
        }
    }
}

impl Judge<'_> {
    fn differs(&mut self, span: Span, what: &str, expected: String, actual: String) {
        self.failures.push(Failure {
            expected: Some(expected),
            actual: Some(actual),
            ..Failure::new(Some(self.turn), span, format!("{what} differs"))
        });
    }

    fn same(&mut self, span: Span, what: &str, expected: String, actual: String) {
        if expected != actual {
            self.differs(span, what, expected, actual);
        }
    }

    fn word(&self, sym: Option<Sym>) -> String {
        sym.map_or("none", |sym| self.pack.names.text(sym)).to_owned()
    }

    fn words(&self, syms: &[Sym]) -> String {
        if syms.is_empty() {
            return "none".into();
        }
        syms.iter().map(|sym| self.pack.names.text(*sym)).collect::<Vec<_>>().join(", ")
    }

    fn frames(&self, set: FrameSet) -> String {
        if set.is_empty() { "none".into() } else { show::frames(self.pack, set) }
    }

    fn class(&self, class: Option<ClassId>) -> String {
        self.word(class.map(|class| self.pack.classes[class.index()].id))
    }

    fn classes(&mut self, turn: &PlayedTurn, expect: &Expect) {
        let (selected, settled) = (turn.selected(), turn.settled());
        if let Some(want) = &expect.transition
            && (selected, settled) != (Some(want.value), Some(want.value))
        {
            let wanted = self.class(Some(want.value));
            if selected == settled {
                self.differs(want.span, "transition", wanted, self.class(settled));
            } else {
                let (selected, settled) = (self.class(selected), self.class(settled));
                let actual = format!("{selected} selected, {settled} settled");
                self.differs(want.span, "transition", wanted, actual);
                if let Some(failure) = self.failures.last_mut() {
                    let help = format!("they differ, so write both: `selected: {selected}`, `settled: {settled}`");
                    failure.help = Some(help);
                }
            }
        }
        for (want, what, actual) in
            [(&expect.selected, "selected class", selected), (&expect.settled, "settled class", settled)]
        {
            if let Some(want) = want {
                self.same(want.span, what, self.class(Some(want.value)), self.class(actual));
            }
        }
    }

    /// Each wanted message must come, in this order; others may stand between. An empty list wants none at all.
    fn messages(&mut self, want: &Spanned<Vec<Spanned<Message>>>, turn: &PlayedTurn) {
        let sent: Vec<(PackAt, &MessageOut)> = turn.messages().collect();
        let names = |messages: &[(PackAt, &MessageOut)]| {
            let all: Vec<String> =
                messages.iter().map(|(at, message)| show::message_at(self.pack, *at, message)).collect();
            if all.is_empty() { "none".to_owned() } else { all.join("; ") }
        };
        if want.value.is_empty() {
            let actual = names(&sent);
            return self.same(want.span, "messages", "none".into(), actual);
        }
        let mut from = 0;
        for wanted in &want.value {
            let sends = |(at, message): &(PackAt, &MessageOut)| {
                *at == wanted.value.pack && sends(self.pack.at(*at), &wanted.value, message)
            };
            let found = sent[from..].iter().position(sends);
            match found {
                Some(at) => from += at + 1,
                None => {
                    let actual = names(&sent[from..]);
                    let at = wanted.value.pack;
                    let expected = self.pack.qualified(at, &message(self.pack.at(at), &wanted.value));
                    self.differs(wanted.span, "message", expected, actual);
                }
            }
        }
    }
}

fn sends(pack: &Pack, wanted: &Message, sent: &MessageOut) -> bool {
    wanted.message == sent.message
        && wanted.fields.iter().all(|(name, wanted)| {
            let actual = sent.fields.iter().find(|(field, _)| field == name);
            fits(pack, wanted, actual.map_or(&Value::Absent, |(_, value)| value))
        })
}

fn message(pack: &Pack, wanted: &Message) -> String {
    let declared = &pack.messages[wanted.message.index()];
    let field = |(name, want): &(Sym, Want)| {
        let field = declared.fields.iter().find(|field| field.name == *name);
        let told = |value: &Value| match field {
            Some(field) => show::wire(pack, &field.ty, value),
            None => show::value(pack, value),
        };
        let name = pack.names.text(field.map_or(*name, |field| field.wire));
        format!("{name}: {}", shown(want, |value| present(value, told)))
    };
    let fields: Vec<String> = wanted.fields.iter().map(field).collect();
    let name = pack.names.text(declared.name);
    if fields.is_empty() { name.to_owned() } else { format!("{name} {{ {} }}", fields.join(", ")) }
}

fn fits(pack: &Pack, wanted: &Want, actual: &Value) -> bool {
    match wanted {
        Want::Present(present) => actual.is_present() == *present,
        // Constants of messages and texts made of other scalars are compared as people see them.
        Want::Value(value @ Value::Text(text)) => value == actual || **text == scalar_text(&pack.names, actual),
        Want::Value(value) => value == actual,
    }
}

fn shown(wanted: &Want, told: impl Fn(&Value) -> String) -> String {
    match wanted {
        Want::Present(true) => "any value".into(),
        Want::Present(false) => told(&Value::Absent),
        Want::Value(value) => told(value),
    }
}

fn present(value: &Value, told: impl Fn(&Value) -> String) -> String {
    if value.is_present() { told(value) } else { "no value".into() }
}
