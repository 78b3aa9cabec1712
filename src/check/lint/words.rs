//! Triggers that any text sets off, and patterns that have to be tried on every text.

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::lexicon::{is_always_tried, takes_any_word};
use crate::model::Pack;
use crate::model::class::{Alternative, By, On};
use crate::model::lexicon::{Elem, Form, Slot};
use crate::source::Span;

pub fn check(pack: &Pack, out: &Diagnostics) {
    let any = signals_of_any_word(pack);
    for class in &pack.classes {
        for trigger in &class.triggers {
            for alternative in &trigger.any {
                if let Some(by) = takes_everything(pack, trigger.on, alternative, &any) {
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
                    tried(&words.form, alternative.span, out);
                }
            }
        }
    }
    let parts = pack.lexicon.parts.iter().flat_map(|part| &part.rules).map(|rule| (&rule.form, rule.span));
    let signals = pack.lexicon.signals.iter().flat_map(|signal| &signal.rules).map(|rule| (&rule.form, rule.span));
    parts.chain(signals).for_each(|(form, span)| tried(form, span, out));
}

/// A pattern of which no part must stand in the text.
fn tried(form: &Form, span: Span, out: &Diagnostics) {
    if let Form::Pattern(pattern) = form
        && is_always_tried(pattern)
    {
        let message = "no word or sign has to stand in what this pattern matches, so it is tried on every text";
        let found = Diagnostic::note(Code::NoRequiredLiteral, span, message);
        out.push(
            found.help("where there is one, write it out: `no-[0-9]{4}`, or a phrase with a part for what varies"),
        );
    }
}

/// Recognised signals of which any word is a value, by their place in the lexicon, with the rule that says so.
fn signals_of_any_word(pack: &Pack) -> Vec<Option<Span>> {
    let any = |form: &Form| matches!(form, Form::Pattern(pattern) if takes_any_word(pattern));
    let of_signal =
        |signal: &crate::model::lexicon::Signal| signal.rules.iter().find(|rule| any(&rule.form)).map(|rule| rule.span);
    pack.lexicon.signals.iter().map(of_signal).collect()
}

/// Whether an alternative matches whatever is said, and by which rule of the lexicon.
fn takes_everything(pack: &Pack, on: On, alternative: &Alternative, any: &[Option<Span>]) -> Option<Option<Span>> {
    match &alternative.by {
        By::Words(words) => match &words.form {
            Form::Pattern(pattern) => takes_any_word(pattern).then_some(None),
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
