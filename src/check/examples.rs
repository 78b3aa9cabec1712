//! Every example of a trigger is matched by one of its alternatives, and no counterexample is.

use crate::diag::{Code, Diagnostic, Diagnostics, quoted};
use crate::lexicon::{Automata, Matcher, Meaning, Normalised, Resolved, Scan, Scratch, meaning, resolve};
use crate::model::class::{Alternative, By, Class, On, Trigger};
use crate::model::ids::InputId;
use crate::model::lexicon::TriggerForm;
use crate::model::schema::Type;
use crate::model::value::Value;
use crate::model::{InputKind, Pack};
use crate::source::Span;

/// An example or a counterexample that does not do what it says.
struct Finding<'a> {
    text: &'a str,
    at: Span,
    /// For a counterexample the alternative that matched.
    matched: Option<&'a Alternative>,
}

/// What a text says of one signal.
#[derive(Debug, Clone, PartialEq)]
enum Said {
    Value(Value),
    /// Something is missing that only a state can complete.
    Partial,
    /// Two values, which is none.
    Ambiguous,
}

/// Checks the examples of every trigger. The matcher that was compiled for it comes back, where there are any: it is that of the pack.
pub fn check(pack: &Pack, automata: &Automata, out: &Diagnostics) -> Option<Matcher> {
    let triggers = || pack.classes.iter().flat_map(|class| class.triggers.iter().map(move |trigger| (class, trigger)));
    if triggers().all(|(_, trigger)| trigger.examples.is_empty() && trigger.counterexamples.is_empty()) {
        return None;
    }
    let words = |alternative: &Alternative| match &alternative.by {
        By::Words(form) => Some(form.clone()),
        By::Signal { .. } | By::Ambiguous(_) => None,
    };
    let forms: Vec<TriggerForm> = triggers().flat_map(|(_, trigger)| trigger.any.iter().filter_map(words)).collect();
    // What cannot be compiled is reported where the registry is made.
    let matcher = Matcher::compile(&pack.lexicon, &forms, automata).ok()?;
    let mut scratch = Scratch::default();
    let mut first = 0;
    for (class, trigger) in triggers() {
        let mut scan = |text: &Normalised| {
            let mut scan = Scan::default();
            matcher.scan_into(text, &mut scratch, &mut scan, |said| meaning(pack, said).is_some());
            scan
        };
        for finding in findings(pack, trigger, &mut scan, first) {
            out.push(diagnostic(pack, class, trigger, &finding));
        }
        first += trigger.any.iter().filter(|alternative| matches!(alternative.by, By::Words(_))).count();
    }
    Some(matcher)
}

/// `first` is the number of the trigger's first form.
fn findings<'a>(
    pack: &'a Pack,
    trigger: &'a Trigger,
    scan: &mut dyn FnMut(&Normalised) -> Scan,
    first: usize,
) -> Vec<Finding<'a>> {
    let mut found = Vec::new();
    // Without alternatives the event alone is enough.
    let alone = trigger.any.is_empty();
    for (text, at) in &trigger.examples {
        if !alone && match_of(pack, trigger, text, &scan(&Normalised::new(text)), first).is_none() {
            found.push(Finding { text, at: *at, matched: None });
        }
    }
    for (text, at) in &trigger.counterexamples {
        if let Some(matched) = match_of(pack, trigger, text, &scan(&Normalised::new(text)), first) {
            found.push(Finding { text, at: *at, matched: Some(matched) });
        }
    }
    found
}

fn match_of<'a>(pack: &Pack, trigger: &'a Trigger, text: &str, scan: &Scan, first: usize) -> Option<&'a Alternative> {
    let mut form = first;
    trigger.any.iter().find(|alternative| match &alternative.by {
        By::Words(_) => {
            form += 1;
            scan.fired.iter().any(|fired| fired.trigger == form - 1)
        }
        By::Signal { input, is } => match said(pack, trigger, *input, text, scan) {
            None => false,
            Some(Said::Ambiguous) => false,
            Some(Said::Partial) => is.is_empty(),
            Some(Said::Value(_)) if is.is_empty() => true,
            Some(Said::Value(Value::List(items))) => items.iter().any(|item| is.contains(item)),
            Some(Said::Value(value)) => is.contains(&value),
        },
        By::Ambiguous(input) => said(pack, trigger, *input, text, scan) == Some(Said::Ambiguous),
    })
}

/// What a text alone says of an input.
fn said(pack: &Pack, trigger: &Trigger, input: InputId, text: &str, scan: &Scan) -> Option<Said> {
    let declared = &pack.inputs[input.index()];
    match declared.kind {
        InputKind::Command => {
            let (command, rest) = scan.command.as_ref()?;
            Some(Said::Value(match declared.ty {
                Type::Text => Value::text(text.get(rest.clone()).unwrap_or_default()),
                _ => Value::Sym(pack.lexicon.commands.get(*command)?.0),
            }))
        }
        InputKind::Payload => match trigger.on {
            On::Event(event) if pack.events[event.index()].text == Some(input) => Some(Said::Value(Value::text(text))),
            _ => None,
        },
        InputKind::Signal => signal(pack, input, scan),
        InputKind::Derived | InputKind::Tag => None,
    }
}

fn signal(pack: &Pack, input: InputId, scan: &Scan) -> Option<Said> {
    let signal = pack.signal_inputs.iter().position(|of| *of == input)?;
    let occurrences = scan.signals.iter().filter(|occurrence| occurrence.signal == signal);
    let all: Vec<Meaning> = occurrences.filter_map(|occurrence| meaning(pack, occurrence)).collect();
    match resolve(pack.lexicon.signals[signal].many, &all) {
        Resolved::Nothing => None,
        Resolved::One(at) => Some(match &all[at] {
            Meaning::Value(value) => Said::Value(value.clone()),
            Meaning::Partial(_) => Said::Partial,
        }),
        Resolved::All(different) => {
            let values = different.iter().filter_map(|at| match &all[*at] {
                Meaning::Value(value) => Some(value.clone()),
                Meaning::Partial(_) => None,
            });
            Some(Said::Value(Value::List(values.collect())))
        }
        Resolved::Ambiguous(_) => Some(Said::Ambiguous),
    }
}

fn diagnostic(pack: &Pack, class: &Class, trigger: &Trigger, finding: &Finding<'_>) -> Diagnostic {
    let (id, text) = (pack.names.text(class.id), quoted(finding.text));
    match finding.matched {
        None => {
            let message = format!("{text} is an example of `{id}`, but no alternative of its trigger matches");
            Diagnostic::error(Code::ExampleNotMatched, finding.at, message)
                .label("not matched")
                .also(trigger.span, "by none of these alternatives")
                .help("add a phrase or a surface form that holds these words, or take the example out")
        }
        Some(alternative) => {
            let message = format!("{text} is a counterexample of `{id}`, but its trigger matches");
            Diagnostic::error(Code::CounterexampleMatched, finding.at, message)
                .label("matched")
                .also(alternative.span, "by this alternative")
                .help("narrow the alternative, or move the text to `examples`")
        }
    }
}
