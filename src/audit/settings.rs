//! `[check]` in `segue.toml`: how bad findings are, and what fails a check.

use std::collections::BTreeMap;

use crate::diag::{Code, Diagnostic, Severity, did_you_mean, quoted};
use crate::language;
use crate::source::Span;
use crate::syntax::Field;

/// The settings of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Whether a warning fails a check, as an error does.
    pub deny_warnings: bool,
    /// The level of the findings of a code, where it is not the usual one; `None` = they are not shown.
    pub levels: BTreeMap<Code, Option<Severity>>,
}

impl Settings {
    /// Reads the table under `check`. What is wrong with it goes to the sink of the field.
    #[must_use]
    pub fn read(field: Field<'_>) -> Self {
        let mut settings = Self::default();
        let Some(reader) = field.table(&language::CHECK) else { return settings };
        let deny = reader.optional("deny").and_then(|field| field.one_of(&[("warnings", true)]));
        settings.deny_warnings = deny == Some(true);
        let mut first: BTreeMap<Code, Span> = BTreeMap::new();
        for (entry, field) in reader.optional("level").and_then(Field::entries).into_iter().flatten() {
            let code = Code::find(&entry.key);
            if code.is_none() {
                reader.out().push(unknown(&entry.key, entry.key_span));
            }
            let levels = Severity::ALL.map(|severity| (severity.word(), Some(severity)));
            let levels = levels.into_iter().chain([("off", None)]).collect::<Vec<_>>();
            let Some((code, level)) = code.zip(field.one_of(&levels)) else { continue };
            if !code.is_adjustable() && level != Some(Severity::Error) {
                let message = format!("the level of {} is fixed", quoted(&entry.key));
                let found = Diagnostic::error(Code::FixedLevel, entry.key_span, message);
                reader
                    .out()
                    .push(found.help("leave it out: with such a finding nothing loads, so it is always an error"));
            } else if let Some(span) = first.insert(code, entry.key_span) {
                let message = format!("the level of {} is given twice", quoted(code.slug()));
                let found = Diagnostic::error(Code::DuplicateName, entry.key_span, message);
                reader.out().push(found.also(span, "first given here").help("keep one of the two"));
            } else {
                settings.levels.insert(code, level);
            }
        }
        reader.finish();
        settings
    }

    /// A finding as these settings have it; `None` = it is not shown.
    pub(super) fn apply(&self, found: Diagnostic) -> Option<Diagnostic> {
        let severity = self.levels.get(&found.code).copied().unwrap_or(Some(found.severity))?;
        Some(Diagnostic { severity, ..found })
    }
}

/// A name that is the code of nothing.
pub(super) fn unknown(name: &str, span: Span) -> Diagnostic {
    let found = Diagnostic::error(Code::UnknownCode, span, format!("there is no code {}", quoted(name)));
    found.help(match Code::near(name) {
        Some(near) => did_you_mean(name, near),
        None => "write the name or the id of a code, such as `unused-ignore`; docs/codes/README.md lists them".into(),
    })
}
