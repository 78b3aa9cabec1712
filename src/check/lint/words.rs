//! Triggers that any text sets off, and patterns that have to be tried on every text.

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::lexicon::{Matcher, Pattern};
use crate::maps::HashMap;
use crate::model::Pack;
use crate::model::class::{Alternative, By, On};
use crate::model::lexicon::{Elem, Form, Slot};
use crate::source::Span;

/// The patterns of a pack, by how they are written.
type Patterns<'p> = HashMap<&'p str, &'p Pattern>;

pub fn check(pack: &Pack, matcher: &Matcher, out: &Diagnostics) {
    let patterns: Patterns<'_> = matcher.patterns().map(|pattern| (pattern.written(), pattern)).collect();
    let any = signals_of_any_word(pack, &patterns);
    for class in &pack.classes {
        for trigger in &class.triggers {
            for alternative in &trigger.any {
                if let Some(by) = takes_everything(pack, &patterns, trigger.on, alternative, &any) {
                    let id = pack.names.text(class.id);
                    let found = Diagnostic::warning(
                        Code::MatchesEverything,
                        alternative.span,
                        format!("every text sets `{id}` off"),
                    );
                    let found = match by {
                        Some(rule) => found.also(rule, "this takes any word"),
                        None => found,
                    };
                    out.push(
                        found
                            .label("this matches whatever is said")
                            .help("narrow it; where any text is meant leave `any` out: then the event alone is enough"),
                    );
                } else if let By::Words(words) = &alternative.by {
                    tried(&words.form, &patterns, alternative.span, out);
                }
            }
        }
    }
    let parts = pack.lexicon.parts.iter().flat_map(|part| &part.rules).map(|rule| (&rule.form, rule.span));
    let signals = pack.lexicon.signals.iter().flat_map(|signal| &signal.rules).map(|rule| (&rule.form, rule.span));
    parts.chain(signals).for_each(|(form, span)| tried(form, &patterns, span, out));
}

/// A pattern of which no part must stand in the text.
fn tried(form: &Form, patterns: &Patterns<'_>, span: Span, out: &Diagnostics) {
    if let Form::Pattern(pattern) = form
        && patterns.get(pattern.as_str()).is_some_and(|pattern| pattern.is_always_tried())
    {
        let message = "no word or sign has to stand in what this pattern matches, so it is tried on every text";
        let found = Diagnostic::note(Code::NoRequiredLiteral, span, message);
        out.push(
            found.help("where there is one, write it out: `no-[0-9]{4}`, or a phrase with a part for what varies"),
        );
    }
}

/// Recognised signals of which any word is a value, by their place in the lexicon, with the rule that says so.
fn signals_of_any_word(pack: &Pack, patterns: &Patterns<'_>) -> Vec<Option<Span>> {
    let any = |form: &Form| matches!(form, Form::Pattern(pattern) if takes_any_word(patterns, pattern));
    let of_signal =
        |signal: &crate::model::lexicon::Signal| signal.rules.iter().find(|rule| any(&rule.form)).map(|rule| rule.span);
    pack.lexicon.signals.iter().map(of_signal).collect()
}

fn takes_any_word(patterns: &Patterns<'_>, pattern: &str) -> bool {
    patterns.get(pattern).is_some_and(|pattern| pattern.takes_any_word())
}

/// Whether an alternative matches whatever is said, and by which rule of the lexicon.
fn takes_everything(
    pack: &Pack,
    patterns: &Patterns<'_>,
    on: On,
    alternative: &Alternative,
    any: &[Option<Span>],
) -> Option<Option<Span>> {
    match &alternative.by {
        By::Words(words) => match &words.form {
            Form::Pattern(pattern) => takes_any_word(patterns, pattern).then_some(None),
            Form::Phrase(elems) => match elems.as_slice() {
                [Elem::Slot(Slot::Signal(signal))] => any[*signal].map(Some),
                _ => None,
            },
        },
        By::Signal { input, is } if is.is_empty() => {
            let text = matches!(on, On::Event(event) if pack.events[event.index()].text == Some(*input));
            let signal = pack.signal_inputs.iter().position(|of| of == input);
            if text { Some(None) } else { signal.and_then(|signal| any[signal]).map(Some) }
        }
        By::Signal { .. } | By::Ambiguous(_) => None,
    }
}
