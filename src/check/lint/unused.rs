//! Declarations that nothing uses: vocabulary, parameters, the lexicon.

use crate::diag::{Aspect, Code, Diagnostic, Diagnostics, quoted};
use crate::model::ids::InputId;
use crate::model::schema::Type;
use crate::model::{InputKind, Pack, Unused, UnusedKind, walk};

pub fn check(pack: &Pack, out: &Diagnostics) {
    out.extend(pack.unused.iter().map(named));
    out.extend(inputs(pack));
    out.extend(depths(pack));
}

fn named(unused: &Unused) -> Diagnostic {
    let Unused { kind, what, name, span } = unused;
    let code = match kind {
        UnusedKind::Vocabulary | UnusedKind::Contract => Code::UnusedVocabulary,
        UnusedKind::Parameter => Code::UnusedParameter,
        UnusedKind::Lexicon => Code::UnusedLexicon,
        UnusedKind::Unmarked => {
            let message = format!("{} is a text, and spells a path", quoted(name));
            let help = format!("write \"${name}\" for the value that stands there");
            return Diagnostic::warning(Code::PathAsText, *span, message).help(help);
        }
        UnusedKind::Keyed | UnusedKind::Ending | UnusedKind::WhileOpen => return instances(unused),
    };
    let (says, help) = match *what {
        "the port" => ("is never called", "call it in a `do`, or take it out"),
        "the message" => ("is never sent", "`emit` it in a `do`, or take it out"),
        "the answer mode" => ("is no answer of any class", "name it under `[answer]` of a class, or take it out"),
        "the event" => ("sets no class off", "write a trigger on it, or take it out"),
        "the parameter" => ("is used nowhere", "write it as a value (`\"%name\"`), or take it out"),
        "the list" => (
            "is skipped nowhere",
            "only triggers with `whole` or `starts` and readings of answers skip fillers: set one of them, or take it out",
        ),
        _ => ("is used nowhere", "name it where it is meant, or take it out"),
    };
    let help = help.replace("%name", &format!("%{name}"));
    let aspect = if *kind == UnusedKind::Contract { Aspect::Contract } else { Aspect::Plain };
    let found = Diagnostic::warning(code, *span, format!("{what} {} {says}", quoted(name))).about(aspect);
    found.label("declared here").help(help)
}

/// What is said of instances of keyed frames, and never happens.
fn instances(unused: &Unused) -> Diagnostic {
    let Unused { kind, name, span, .. } = unused;
    let (frame, word) = name.split_once('.').map_or((name.as_str(), None), |(frame, word)| (frame, Some(word)));
    let shown = quoted(frame);
    let (code, message, label, help) = match (kind, word) {
        (UnusedKind::WhileOpen, _) => (
            Code::IdleWhileOpen,
            "`while_open = \"allow\"` lets calls of instances run on, and no frame of this pack has instances"
                .to_owned(),
            "it closes every call, as `cancel` does, and no step goes back to the state before its turn",
            "leave `while_open` out, or write \"cancel\" or \"refuse\"; a frame with `keyed = { … }` has instances"
                .to_owned(),
        ),
        (UnusedKind::Ending, Some(word)) => (
            Code::NeverClosedAs,
            format!("no `close` ends an instance of {shown} as {}", quoted(word)),
            "said to be a way to end",
            format!("close one so, `{{ close = \"{frame}\", as = \"{word}\" }}` in a `do`, or take the word out"),
        ),
        (UnusedKind::Ending, None) => (
            Code::NeverClosedAs,
            format!("nothing closes an instance of {shown}: once `max_open` of them are open no more can be opened"),
            "the frame",
            format!("write `{{ close = \"{frame}\", as = … }}` in the `do` of the class that ends one"),
        ),
        _ => (
            Code::NeverOpened,
            format!("nothing opens an instance of {shown}"),
            "the frame; it has no instance, ever",
            format!(
                "write `{{ open = \"{frame}\", with = {{ … }} }}` in the `do` of the class that begins one, or take the frame out"
            ),
        ),
    };
    Diagnostic::warning(code, *span, message).label(label).help(help)
}

/// Signals and derived signals that no class reads or leaves unread on purpose.
fn inputs(pack: &Pack) -> Vec<Diagnostic> {
    let mut used = vec![false; pack.inputs.len()];
    let mut see = |input: InputId| used[input.index()] = true;
    pack.classes.iter().flat_map(|class| class.reads.iter().chain(&class.ignores)).copied().for_each(&mut see);
    for input in (0..pack.inputs.len()).map(InputId::at) {
        walk::derived_sources(pack, input).into_iter().filter_map(walk::input_of).for_each(&mut see);
    }
    for invariant in &pack.invariants {
        for cond in [&invariant.when, &invariant.then] {
            walk::cond_paths(cond, &mut |path| walk::input_of(path).into_iter().for_each(&mut see));
        }
    }
    for (_, signal) in pack.ports.iter().flat_map(|port| &port.readings).flat_map(|reading| &reading.by) {
        see(pack.signal_inputs[*signal]);
    }
    for (input, _) in pack.events.iter().flat_map(|event| &event.fields) {
        see(*input);
    }
    let mut found = Vec::new();
    for (input, _) in pack.inputs.iter().zip(used).filter(|(_, used)| !used) {
        let name = pack.names.text(input.name);
        let (message, help) = match input.kind {
            InputKind::Signal => (
                format!("no class reads the signal {}", quoted(name)),
                "use it in a trigger or in `entry`, list it under `ignores` where it is left unread on purpose, or take it out",
            ),
            InputKind::Derived => {
                (format!("no class reads the derived signal {}", quoted(name)), "test it in `entry`, or take it out")
            }
            InputKind::Command if matches!(input.ty, Type::Enum(_)) => (
                "no class reads the commands of the pack".to_owned(),
                "write a trigger with `{ signal = \"command\", is = [ … ] }`, or take them out",
            ),
            InputKind::Command | InputKind::Payload | InputKind::Tag => continue,
        };
        found.push(Diagnostic::warning(Code::UnusedLexicon, input.span, message).label("declared here").help(help));
    }
    found
}

/// Depths that no class declares and the limit cannot be.
fn depths(pack: &Pack) -> Vec<Diagnostic> {
    let Some(carryover) = &pack.carryover else { return Vec::new() };
    let limits = match carryover.limit.map(|slot| &pack.slots[slot.index()].ty) {
        Some(Type::Enum(id)) => pack.enums[id.index()].values.as_slice(),
        _ => &[],
    };
    let used = |name| limits.contains(&name) || pack.classes.iter().any(|class| class.carry.depth == Some(name));
    let unused = carryover.depths.iter().zip(&carryover.spans).filter(|((name, _), _)| !used(*name));
    let found = unused.map(|((name, _), span)| {
        let message = format!("no class carries the depth {}", quoted(pack.names.text(*name)));
        let found = Diagnostic::warning(Code::UnusedVocabulary, *span, message).label("declared here");
        found.help("declare it as the depth of a class, or take it out")
    });
    found.collect()
}
