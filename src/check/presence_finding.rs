//! A value that may be absent where a plain `$path` needs it, in words.

use crate::diag::{Code, Diagnostic};
use crate::model::Pack;
use crate::model::class::Class;
use crate::model::cond::{Path, Place};
use crate::model::walk::{At, Part};

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
        Place::Outcome(field) => {
            finding = finding.also(pack.outcomes[field.index()].span, "there only when the call is answered with it");
        }
        _ => {}
    }
    finding.help(help(&name, missing))
}

fn help(name: &str, missing: &Missing) -> String {
    let settling = matches!(missing.at, At::SettleDo(..));
    if settling && matches!(missing.path.place, Place::Input(_)) {
        let kept = name.trim_start_matches("input.");
        return format!(
            "there is no `input` when an outcome comes; give it to the call with `keep` and write `$outcome.kept.{kept}`"
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
        Place::Before(_) => format!(
            "add `{} = {{ present = true }}` to `[entry]`, write `${name}?`, or give the field a default",
            name.trim_start_matches("before.")
        ),
        _ => format!("add `{name} = {{ present = true }}` to {place}, write `${name}?`, or give the field a default"),
    }
}
