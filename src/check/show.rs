//! How parts of a pack are named in messages: the words of the data language.

use crate::model::Pack;
use crate::model::cond::{Path, Place, Step};
use crate::model::ids::{FrameId, FrameSet, Slot};

/// The short name of a frame.
pub fn frame(pack: &Pack, frame: FrameId) -> &str {
    pack.names.text(pack.frames[frame.index()].name)
}

/// Frames in backticks, with commas.
pub fn frames(pack: &Pack, of: FrameSet) -> String {
    of.iter().map(|id| format!("`{}`", frame(pack, id))).collect::<Vec<_>>().join(", ")
}

/// A field with its frame: `root.domain_id`.
pub fn slot(pack: &Pack, slot: Slot) -> String {
    let field = &pack.slots[slot.index()];
    format!("{}.{}", frame(pack, field.frame), pack.names.text(field.name))
}

/// A path as it is written, without the dollar.
#[must_use]
pub fn path(pack: &Pack, path: &Path) -> String {
    let name = |sym| pack.names.text(sym);
    let input = |id: crate::model::ids::InputId| name(pack.inputs[id.index()].name);
    let mut text = match &path.place {
        Place::Field(of) => slot(pack, *of),
        Place::Before(of) => format!("before.{}", slot(pack, *of)),
        Place::Input(id) => format!("input.{}", input(*id)),
        Place::Ambiguous(id) => format!("input.{}.ambiguous", input(*id)),
        Place::Candidates(id) => format!("input.{}.candidates", input(*id)),
        Place::Partial(id) => format!("input.{}.partial", input(*id)),
        Place::Outcome(id) => format!("outcome.{}", name(pack.outcomes[id.index()].name)),
        Place::OutcomeStatus => "outcome.status".into(),
        Place::OutcomeCall => "outcome.call".into(),
        Place::OutcomePort => "outcome.port".into(),
        Place::OutcomeError => "outcome.error".into(),
        Place::OutcomeBreach => "outcome.breach".into(),
        Place::Request(_, argument) => format!("request.{}", name(*argument)),
        Place::Kept(id) => format!("outcome.kept.{}", name(pack.kept[id.index()].0)),
        Place::AnswerMode => "answer.mode".into(),
        Place::AnswerClaims => "answer.claims".into(),
        Place::Reason => "reason".into(),
        Place::CallPorts => "call.port".into(),
        Place::CallPort(call) => format!("call.{}.port", name(*call)),
        Place::CallArg(call, argument) => format!("call.{}.{}", name(*call), name(*argument)),
        Place::EnvToday => "env.today".into(),
        Place::EnvNow => "env.now".into(),
        Place::EnvTurn => "env.turn_id".into(),
        Place::EnvSession => "env.session_id".into(),
        Place::EntryKey => "key".into(),
        Place::EntryValue => "value".into(),
    };
    for step in &path.steps {
        match step {
            Step::Field(of) | Step::Column(of) => {
                text.push('.');
                text.push_str(name(*of));
            }
            Step::Lookup(key) => {
                text.push_str(".\"[$");
                text.push_str(&self::path(pack, key));
                text.push_str("]\"");
            }
            Step::Keys => text.push_str(".keys"),
            Step::Each(of) => {
                text.push_str(".*.");
                text.push_str(name(*of));
            }
        }
    }
    text
}
