//! A value that may be absent where a plain `$path` needs it, in words.

use crate::diag::{Code, Diagnostic};
use crate::model::Pack;
use crate::model::class::{Class, On};
use crate::model::cond::{Path, Place};
use crate::model::effect::Verb;
use crate::model::ids::{FrameId, PortId};
use crate::model::walk::{At, Part};
use crate::source::Span;

use super::show;

/// A plain `$path` that is not proved to be there.
pub struct Missing {
    /// The path.
    pub path: Path,
    /// Where it stands.
    pub at: At,
    /// The trigger with which it may be absent.
    pub trigger: Option<usize>,
}

/// An instance of a keyed frame that is changed where it is not proved to be open.
pub struct Unopened {
    /// The frame.
    pub frame: FrameId,
    /// Where it is changed.
    pub span: Span,
    /// The trigger with which it may not be open.
    pub trigger: Option<usize>,
}

/// A finding on an instance in words.
pub fn unopened_diagnostic(pack: &Pack, class: &Class, found: &Unopened) -> Diagnostic {
    let (id, frame) = (pack.names.text(class.id), show::frame(pack, found.frame));
    let message = format!("`{id}` changes an instance of `{frame}` where none may be open");
    let mut finding = Diagnostic::error(Code::NotOpen, found.span, message).label("may change nothing");
    if let Some(trigger) = found.trigger.filter(|_| class.triggers.len() > 1) {
        finding = finding.also(class.triggers[trigger].span, "with this trigger nothing says that one is open");
    }
    finding.also(pack.frames[found.frame.index()].span, "the keyed frame").help(format!(
        "add `{frame}.open = true` to `[requires]` or to the `when` of the effect, and close the instance after it"
    ))
}

/// A finding in words.
pub fn diagnostic(pack: &Pack, class: &Class, missing: &Missing) -> Diagnostic {
    let id = pack.names.text(class.id);
    let name = show::path(pack, &missing.path);
    let mut finding = Diagnostic::error(
        Code::NotPresent,
        missing.path.span,
        format!("`{id}` uses `${name}`, which may have no value here"),
    )
    .label("may be absent");
    if let Some(trigger) = missing.trigger
        && class.triggers.len() > 1
    {
        finding = finding.also(class.triggers[trigger].span, "with this trigger nothing says that it is there");
    }
    match missing.path.place {
        Place::Field(slot) => finding = finding.also(pack.slots[slot.index()].span, "has no default"),
        Place::Input(input) => finding = finding.also(pack.inputs[input.index()].span, "may be left out"),
        Place::Outcome(_) => {
            if let Some(port) = port_of(class, missing.at) {
                finding = finding.also(pack.ports[port.index()].span, "an answer of this port may lack it");
            }
        }
        _ => {}
    }
    finding.help(help(class, &name, missing))
}

/// The port whose answer a settle row looks at.
fn port_of(class: &Class, at: At) -> Option<PortId> {
    let At::SettleDo(row, ..) = at else { return None };
    let on = class.settle[row].on;
    let settled = class.settle.iter().flat_map(|row| &row.effects);
    class.effects.iter().chain(settled).find_map(|effect| match &effect.verb {
        Verb::Call(call) if call.id == on => Some(call.port),
        _ => None,
    })
}

fn help(class: &Class, name: &str, missing: &Missing) -> String {
    if matches!(missing.at, At::Bind(_)) {
        return format!("write `${name}?`: a key that is absent binds nothing");
    }
    let settling = matches!(missing.at, At::SettleDo(..));
    let outcome = missing.trigger.is_some_and(|at| matches!(class.triggers[at].on, On::Outcome { .. }));
    if outcome && matches!(missing.path.place, Place::Input(_)) {
        let kept = name.trim_start_matches("input.");
        return format!(
            "there is no `input` when an outcome comes; the call has to `keep` it, and this be `$outcome.kept.{kept}`"
        );
    }
    let place = if settling { "the `when` of the row" } else { "`[entry]`" };
    let with = matches!(missing.at, At::Do(_, Part::With) | At::SettleDo(_, _, Part::With));
    match missing.path.place {
        Place::Field(_) if with => format!(
            "add `{name} = {{ present = true }}` to {place} (and do not clear it), write `${name}?`, or give the field a default"
        ),
        Place::Outcome(_) => format!(
            "add `{name} = {{ present = true }}` to {place}, write `${name}?`, or make the field mandatory in the port"
        ),
        Place::Input(_) => format!(
            "add `{name} = {{ present = true }}` to {place}, or write `${name}?`, which leaves the target as it is"
        ),
        Place::Before(_) => format!(
            "add `{} = {{ present = true }}` to `[entry]`, write `${name}?`, or give the field a default",
            name.trim_start_matches("before.")
        ),
        _ => format!("add `{name} = {{ present = true }}` to {place}, write `${name}?`, or give the field a default"),
    }
}
