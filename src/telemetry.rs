//! What the log of a host is told of a step, through `tracing`: the log messages of the pack, and each step in brief. No step emits
//! anything itself: a host that wants it calls [`tell`] with what it has got.

use serde_json::Value as Json;

use crate::engine::{CallOut, MessageOut, Phase, Step, fill};
use crate::model::ids::FrameSet;
use crate::model::json::named_to_wire;
use crate::model::schema::Type;
use crate::model::uses::PackAt;
use crate::model::value::Value;
use crate::model::{Channel, Level, Message, Pack};
use crate::registry::Registry;

/// The target of the pack's log messages.
pub const MESSAGE: &str = "segue::message";
/// The target of steps.
pub const STEP: &str = "segue::step";

/// What stands for a text that is not told.
const HIDDEN: &str = "…";

/// Whether texts are told. What users write comes in fields of type `text` and `narrative`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Texts {
    /// Fields of these types, and what holds such, are left out; in the text of a message `…` stands for them.
    #[default]
    Hidden,
    /// All is told.
    Shown,
}

/// Tells of a step: one event at the level `debug` with what it came to (target [`STEP`]), then one for each message of the
/// channel `log` at its level (target [`MESSAGE`]). All bear the ids of the session and of the turn.
///
/// ```
/// # use segue::engine::{Env, Event, NumberedIds, step};
/// # use segue::{declare::Options, load::load, state::SessionState, workspace::Workspace};
/// # use serde_json::json;
/// use segue::telemetry::{Texts, tell};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let files = Workspace::of(".".as_ref())?.pack("assistant")?;
/// # let registry = load(&files, &Options::default()).registry.expect("a pack without errors");
/// # let state = SessionState::new(registry.pack());
/// # let event = Event::input(&registry, "utterance", &json!({ "text": "hello" }), &json!({}))?;
/// # let mut ids = NumberedIds::default();
/// # let mut env = Env {
/// #     now: "2021-05-10T12:00:00Z".into(),
/// #     today: jiff::civil::date(2021, 5, 10),
/// #     session_id: "s-1".into(),
/// #     turn_id: "t-1".into(),
/// #     ids: &mut ids,
/// #     trace: false,
/// #     probe: None,
/// # };
/// let step = step(&registry, &state, &event, &mut env)?;
/// tell(&registry, &env.session_id, &env.turn_id, &step, Texts::Hidden);
/// # Ok(())
/// # }
/// ```
pub fn tell(registry: &Registry, session: &str, turn: &str, step: &Step, texts: Texts) {
    tell_at(registry, (PackAt::OUTERMOST, None), session, turn, step, texts);
}

/// Tells of a step of one of the packs that are put together: of a used one names are written `gate/NAME`. The message that ended the
/// call which it serves (its place in the step) is none that is sent.
pub fn tell_at(
    registry: &Registry,
    (at, reply): (PackAt, Option<usize>),
    session: &str,
    turn: &str,
    step: &Step,
    texts: Texts,
) {
    let all = registry.pack();
    let pack = all.at(at);
    in_brief((all, at), session, turn, step);
    for (_, sent) in step.messages.iter().enumerate().filter(|(place, _)| Some(*place) != reply) {
        let declared = &pack.messages[sent.message.index()];
        if let Channel::Log(level) = declared.channel {
            message((all, at), session, turn, level, declared, sent, texts);
        }
    }
}

fn in_brief((all, at): (&Pack, PackAt), session: &str, turn: &str, step: &Step) {
    let pack = all.at(at);
    let class = |class: crate::model::ids::ClassId| all.qualified(at, pack.names.text(pack.classes[class.index()].id));
    let frames = |set: FrameSet| {
        let name =
            |frame: crate::model::ids::FrameId| all.qualified(at, pack.names.text(pack.frames[frame.index()].name));
        set.iter().map(name).collect::<Vec<_>>().join(" ")
    };
    let reasons: Vec<&str> = step.reasons.iter().map(|reason| pack.names.text(*reason)).collect();
    let port = |call: &CallOut| all.qualified(at, pack.names.text(pack.ports[call.port.index()].name));
    let ports: Vec<String> = step.calls.iter().map(port).collect();
    tracing::debug!(
        target: STEP,
        session,
        turn,
        phase = match step.phase {
            Phase::Select => "select",
            Phase::Settle => "settle",
        },
        class = step.class.map(class),
        selected = step.selected.map(class),
        refused = step.refused.map(|reason| pack.names.text(reason)),
        breach = step.breach.map(|breach| pack.names.text(breach)),
        retry = step.retried.map(|retried| retried.attempt),
        reasons = reasons.join(" "),
        carried = frames(step.carried),
        dropped = frames(step.dropped),
        calls = ports.join(" "),
        answer = step.answer.map(|mode| pack.names.text(pack.modes[mode.index()].name)),
        revision = step.state.revision(),
        "step"
    );
}

fn message(
    (all, at): (&Pack, PackAt),
    session: &str,
    turn: &str,
    level: Level,
    declared: &Message,
    sent: &MessageOut,
    texts: Texts,
) {
    let pack = all.at(at);
    let name = all.qualified(at, pack.names.text(declared.name));
    let mut told = Vec::with_capacity(sent.fields.len());
    let mut shown = Vec::with_capacity(sent.fields.len());
    for (field, value) in &sent.fields {
        let ty = declared.fields.iter().find(|declared| declared.name == *field).map(|declared| &declared.ty);
        // What has no type is a constant, which the pack itself says.
        if texts == Texts::Hidden && ty.is_some_and(|ty| holds_text(pack, ty)) {
            shown.push((*field, Value::text(HIDDEN)));
            continue;
        }
        told.push((*field, value.clone()));
        shown.push((*field, value.clone()));
    }
    let text = declared.text.as_deref().map_or_else(|| name.clone(), |template| fill(pack, template, &shown));
    let fields = (!told.is_empty()).then(|| Json::Object(named_to_wire(pack, &declared.fields, &told)).to_string());
    macro_rules! at {
        ($level:ident) => {
            tracing::$level!(target: MESSAGE, session, turn, name, fields, "{text}")
        };
    }
    match level {
        Level::Debug => at!(debug),
        Level::Info => at!(info),
        Level::Warning => at!(warn),
        Level::Error => at!(error),
    }
}

/// Whether values of a type may hold what somebody has written.
fn holds_text(pack: &Pack, ty: &Type) -> bool {
    match ty {
        Type::Bool
        | Type::Int
        | Type::Decimal
        | Type::Id
        | Type::Period
        | Type::Instant
        | Type::Enum(_)
        | Type::Key(_) => false,
        Type::Text | Type::Narrative | Type::Document { .. } => true,
        Type::Record(id) => {
            let record = &pack.records[id.index()];
            record.open || record.fields.iter().any(|field| holds_text(pack, &field.ty))
        }
        Type::List { of, .. } | Type::Set { of, .. } => holds_text(pack, of),
        Type::Map { key, of, .. } => holds_text(pack, key) || holds_text(pack, of),
    }
}
